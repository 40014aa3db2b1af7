/* Cumulated rates. */
#include "trace/synth_path.h"
#include "trace/synth.h"

void orr_synth_path_add(synth_path *p, double time, double weight)
{
    ORR_VEC_PUSH(&p->time, time);
    ORR_VEC_PUSH(&p->weight, weight);
}

void orr_synth_path_fini(synth_path *p)
{
    ORR_VEC_FREE(&p->time);
    ORR_VEC_FREE(&p->weight);
}

double orr_synth_path_end(const synth_path *p)
{
    return p->weight.at[p->weight.n - 1];
}

/* Where `x` stands between the points of one row, in terms of the other. */
static double across(const double *from, const double *to, size_t n, double x)
{
    const int32_t piece = orr_synth_pick(from + 1, (int32_t)n - 1, x);
    const double low = from[piece], high = from[piece + 1];
    const double share = high > low ? (x - low) / (high - low) : 1;
    return to[piece] + share * (to[piece + 1] - to[piece]);
}

double orr_synth_path_time(const synth_path *p, double weight)
{
    return across(p->weight.at, p->time.at, p->time.n, weight);
}

double orr_synth_path_weight(const synth_path *p, double time)
{
    return across(p->time.at, p->weight.at, p->time.n, time);
}

double orr_synth_path_rate(const synth_path *p, double weight)
{
    const int32_t piece = orr_synth_pick(p->weight.at + 1, (int32_t)p->weight.n - 1, weight);
    const double time = p->time.at[piece + 1] - p->time.at[piece];
    return time > 0 ? (p->weight.at[piece + 1] - p->weight.at[piece]) / time : 0;
}

/* The rate of the hour that holds a second, counted from the Monday's midnight before the first submission. Days after
 * the last measured one begin again at the first of the same weekday. */
static double measured_rate(const orr_synth_model *m, int64_t second)
{
    const int64_t days = (int64_t)m->days.n, weeks = days >= 7 ? days / 7 * 7 : days;
    int64_t day = second / 86400 - m->phase / 86400;
    if (day >= days)
        day %= weeks;
    return m->week[second / 3600 % SYNTH_WEEK] * m->days.at[day];
}

void orr_synth_path_measured(synth_path *p, const orr_synth_model *m, int64_t span)
{
    double weight = 0;
    orr_synth_path_add(p, 0, 0);
    for (int64_t t = 0; t < span;) {
        const int64_t clock = m->phase + t, rest = 3600 - clock % 3600;
        const int64_t stay = rest < span - t ? rest : span - t;
        weight += (double)stay * measured_rate(m, clock);
        t += stay;
        orr_synth_path_add(p, (double)t, weight);
    }
}
