/* How many replicas (InferLine, INFaaS), and what to buy (MArk). */
#include <orrery/batching.h>

#include "solve/limits.h"

/* ---- replicas ---- */

int32_t orr_replicas_for(double rate, double visits, double each)
{
    return orr_round_up(rate * visits / each);
}

double orr_planned_load(double rate, double visits, int32_t replicas, double each)
{
    return rate * visits / (replicas * each);
}

/* As the released autoscaler counts it: capacity that would be missing while a replica is loading is lacking, too. */
orr_infaas_scale orr_infaas_scaling(const orr_infaas_load *l)
{
    const double single = l->batch / (l->slope * l->batch + l->intercept);
    const double asked = l->rate * l->mean_batch, has = l->replicas * single;
    orr_infaas_scale s = {.single = single, .lacks = asked - has + l->heed * l->load * has};
    if (s.lacks > 0)
        s.add = orr_round_up(s.lacks / single);
    else if (asked <= (l->replicas - 1) * single)
        s.add = -1;
    return s;
}

void orr_envelope(const orr_time *arrivals, size_t n, const orr_time *windows, size_t m, int64_t *most)
{
    for (size_t j = 0; j < m; j++) {
        most[j] = 0;
        for (size_t from = 0, to = 0; to < n; to++) {
            while (arrivals[to] - arrivals[from] > windows[j])
                from++;
            const int64_t inside = (int64_t)(to - from + 1);
            most[j] = inside > most[j] ? inside : most[j];
        }
    }
}

/* ---- what to buy ---- */

static const double hour = 3600, minute = 60;

static double served(double capacity, const double *lacks, size_t steps)
{
    double sum = 0;
    for (size_t i = 0; i < steps; i++)
        sum += lacks[i] > 0 ? fmin(capacity, lacks[i]) : 0;
    return sum;
}

int32_t orr_cheapest_kind(const orr_machine_kind *kinds, int32_t n, const double *lacks, size_t steps, double step)
{
    const double span = fmax((double)steps * step, minute) / hour;
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        const double requests = served(kinds[i].capacity, lacks, steps);
        const double cost = requests > 0 ? (kinds[i].price * span + kinds[i].launch) / requests : INFINITY;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* From the first step that lacks something to after the last one. */
static void lacking(const double *lacks, size_t steps, double little, size_t *from, size_t *to)
{
    *from = 0;
    *to = steps;
    while (*to && lacks[*to - 1] <= little)
        --*to;
    while (*from < *to && lacks[*from] <= little)
        ++*from;
}

static double greatest(const double *v, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, v[i]);
    return most;
}

size_t orr_buy(const orr_machine_kind *kinds, int32_t n, double *lacks, size_t steps, double step, orr_purchase *out,
               size_t cap)
{
    const double little = orr_forgiven * greatest(lacks, steps); /* of rounding: nothing is bought for it */
    size_t count = 0, from, to;
    for (lacking(lacks, steps, little, &from, &to); from < to && count < cap;
         lacking(lacks, steps, little, &from, &to)) {
        const int32_t kind = orr_cheapest_kind(kinds, n, lacks + from, to - from, step);
        if (kind < 0)
            break;
        for (size_t i = from; i < to; i++)
            lacks[i] -= kinds[kind].capacity;
        out[count++] = (orr_purchase){kind, from, to};
    }
    return count;
}

int32_t orr_dearest_kind(const orr_machine_kind *kinds, int32_t n, const int32_t *held, double surplus)
{
    int32_t best = -1;
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        const double cost = kinds[i].price / kinds[i].capacity;
        if (held[i] > 0 && orr_fits(kinds[i].capacity, surplus) && cost >= most) {
            most = cost;
            best = i;
        }
    }
    return best;
}

orr_spot_costs orr_spot_outlook(double price, double mean_life, double cold_start, double seconds)
{
    return (orr_spot_costs){price * seconds / hour, seconds / mean_life, cold_start / (mean_life + cold_start)};
}
