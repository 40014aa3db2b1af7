/* When synthetic jobs are submitted.
 *
 * A Poisson process given its number of points is that many uniform ones, through the cumulated rate where the rate
 * changes: by a profile of the week (diurnal), or by states that follow each other around, exponential sojourns (mmpp;
 * the first state is drawn by the time spent in each). Two processes are renewals: gamma gaps, and measured ones, where
 * gaps of a table for each pace are laid along the cumulated rate of the measured weeks and days, so that hours, days
 * and bunching come out together. Renewals are stretched so that the first job comes at the beginning and the last in
 * the last second.
 */
#include "trace/synth.h"
#include "trace/synth_path.h"

#include "base/stat.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#define MOST_SOJOURNS 1e7

static void put_sorted(synth *s, double *at)
{
    orr_sort_doubles(at, s->n);
    for (size_t i = 0; i < s->n; i++) {
        int64_t second = (int64_t)at[i];
        s->jobs[i].submit = second < s->span ? second : s->span - 1;
    }
}

static void arrive_poisson(synth *s, gsl_rng *rng, double *at)
{
    for (size_t i = 0; i < s->n; i++)
        at[i] = gsl_rng_uniform(rng) * (double)s->span;
    put_sorted(s, at);
}

/* ---- the profile of a week ---- */

/* Cumulated weight of the week's hours: week[h] is what lies before hour h. */
static void cumulate_week(const orr_synth_model *m, double week[SYNTH_WEEK + 1])
{
    week[0] = 0;
    for (int h = 0; h < SYNTH_WEEK; h++)
        week[h + 1] = week[h] + m->week[h];
}

static double weight_before(const double *week, double hours)
{
    double weeks = floor(hours / SYNTH_WEEK), rest = hours - weeks * SYNTH_WEEK;
    int h = (int)rest;
    return weeks * week[SYNTH_WEEK] + week[h] + (rest - h) * (week[h + 1] - week[h]);
}

static double hours_at(const double *week, double weight)
{
    double weeks = floor(weight / week[SYNTH_WEEK]), rest = weight - weeks * week[SYNTH_WEEK];
    int h = orr_synth_pick(week + 1, SYNTH_WEEK, rest);
    return weeks * SYNTH_WEEK + h + (rest - week[h]) / (week[h + 1] - week[h]);
}

static void arrive_diurnal(synth *s, gsl_rng *rng, double *at)
{
    double week[SYNTH_WEEK + 1];
    cumulate_week(s->model, week);
    double all = weight_before(week, (double)s->span / 3600);
    for (size_t i = 0; i < s->n; i++)
        at[i] = hours_at(week, gsl_rng_uniform(rng) * all) * 3600;
    put_sorted(s, at);
}

/* ---- renewals ---- */

static void arrive_bursty(synth *s, gsl_rng *rng, double *at)
{
    double cv = s->plan.options->cv, sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        at[i] = sum;
        sum += gsl_ran_gamma(rng, 1 / (cv * cv), cv * cv);
    }
    double last = at[s->n - 1], stretch = last > 0 ? (double)(s->span - 1) / last : 0;
    for (size_t i = 0; i < s->n; i++)
        at[i] *= stretch;
    put_sorted(s, at);
}

/* ---- rates that jump ---- */

static int32_t first_state(const synth_plan *p, double u)
{
    double all = 0, sum = 0;
    for (int32_t i = 0; i < p->state_count; i++)
        all += p->states[i].sojourn;
    for (int32_t i = 0; i < p->state_count; i++)
        if (u * all < (sum += p->states[i].sojourn))
            return i;
    return p->state_count - 1;
}

static orr_err check_sojourns(const synth *s, orr_error *e)
{
    double around = 0;
    for (int32_t i = 0; i < s->plan.state_count; i++)
        around += s->plan.states[i].sojourn;
    if ((double)s->span / around * s->plan.state_count <= MOST_SOJOURNS)
        return ORR_OK;
    return orr_error_set(e, ORR_E_RANGE, "the states of the arrivals would change more than 10,000,000 times");
}

/* Where no state of the whole span has jobs, they all come at its end: the number of jobs is what was asked for. */
static void follow_states(const synth *s, synth_path *p)
{
    gsl_rng *rng = orr_synth_stream(s->plan.options->seed, "arrival-state");
    int32_t state = first_state(&s->plan, gsl_rng_uniform(rng));
    double time = 0, weight = 0, span = (double)s->span;
    orr_synth_path_add(p, 0, 0);
    while (time < span) {
        const synth_state *now = &s->plan.states[state];
        const double stay = fmin(-log(gsl_rng_uniform_pos(rng)) * now->sojourn, span - time);
        time += stay;
        weight += stay * now->rate;
        orr_synth_path_add(p, time, weight);
        state = (state + 1) % s->plan.state_count;
        if (stay <= 0)
            break;
    }
    gsl_rng_free(rng);
}

static orr_err arrive_mmpp(synth *s, gsl_rng *rng, double *at, orr_error *e)
{
    synth_path p = {0};
    const orr_err err = check_sojourns(s, e);
    if (err)
        return err;
    follow_states(s, &p);
    for (size_t i = 0; i < s->n; i++)
        at[i] = orr_synth_path_time(&p, gsl_rng_uniform(rng) * orr_synth_path_end(&p));
    orr_synth_path_fini(&p);
    put_sorted(s, at);
    return ORR_OK;
}

/* ---- as measured ---- */

static const synth_pace *pace_at(const orr_synth_model *m, double rate)
{
    int32_t i = m->pace_count - 1;
    while (i > 0 && m->paces[i].rate > rate)
        i--;
    return &m->paces[i];
}

static void arrive_as_measured(synth *s, gsl_rng *rng, double *at)
{
    synth_path p = {0};
    double sum = 0;
    orr_synth_path_measured(&p, s->model, s->span);
    const double end = orr_synth_path_weight(&p, (double)(s->span - 1));
    const double unit = s->n > 1 ? end / (double)(s->n - 1) : 1;
    for (size_t i = 0; i < s->n; i++) {
        at[i] = sum;
        const synth_pace *pace = pace_at(s->model, orr_synth_path_rate(&p, sum));
        sum += unit * orr_synth_quantile(pace->gaps, gsl_rng_uniform(rng));
    }
    const double last = at[s->n - 1], stretch = last > 0 ? end / last : 0;
    for (size_t i = 0; i < s->n; i++)
        at[i] = floor(orr_synth_path_time(&p, at[i] * stretch) + 0.5); /* whole seconds, as they were measured */
    orr_synth_path_fini(&p);
    put_sorted(s, at);
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].submit += s->model->first;
}

orr_err orr_synth_arrive(synth *s, orr_error *e)
{
    orr_err err = ORR_OK;
    if (s->plan.arrivals == SYNTH_AT_ONCE)
        return err; /* drafts begin at 0 */
    gsl_rng *rng = orr_synth_stream(s->plan.options->seed, "arrival");
    double *at = orr_xmalloc(s->n * sizeof *at);
    if (s->plan.arrivals == SYNTH_POISSON)
        arrive_poisson(s, rng, at);
    else if (s->plan.arrivals == SYNTH_DIURNAL)
        arrive_diurnal(s, rng, at);
    else if (s->plan.arrivals == SYNTH_BURSTY)
        arrive_bursty(s, rng, at);
    else if (s->plan.arrivals == SYNTH_MMPP)
        err = arrive_mmpp(s, rng, at, e);
    else
        arrive_as_measured(s, rng, at);
    free(at);
    gsl_rng_free(rng);
    return err;
}
