/* Pollux' model of a job's throughput and efficiency, and the batch that makes the best of both (Qiao et al.,
 * OSDI'21, §3.2).
 *
 * The best batch is looked for among 50. What an iteration lasts at least is known without a power: with T the
 * p-norm of its two parts, p = gamma, T >= the greater part, and T >= 2^(1/gamma - 1) times their sum. So the
 * candidate that could be best is tried first, and of the others only those that could still be better: few are.
 */
#include <orrery/goodput.h>

#include <math.h>

enum { CANDIDATES = 50 };

static const double floor_time = 1e-8; /* what no synchronisation costs, as the published code has it */
static const double slack = 1e-8;      /* so much above a whole number still counts as it */

/* Rounds up; x >= 0, far less than 2^63. */
static int64_t up(double x)
{
    const int64_t whole = (int64_t)(x - slack);
    return whole + ((double)whole < x - slack);
}

/* ---- batches ---- */

int64_t orr_batch_total(orr_batch batch, int32_t gpus)
{
    return (int64_t)gpus * batch.local * ((int64_t)batch.steps + 1);
}

/* `part`: of one GPU. `alone`: more than the initial batch on one GPU. */
static orr_batch parts(const orr_batch_limits *limits, double part, bool alone)
{
    int64_t steps = 0;
    if (limits->accumulates && (alone || part > limits->local_most)) {
        steps = up(part / limits->local_most) - 1;
        steps = steps < alone ? alone : steps;
    }
    return (orr_batch){(int32_t)up(steps ? part / (double)(steps + 1) : part), (int32_t)steps};
}

/* No more than the greatest batch in all: rounding up may have gone beyond. */
static orr_batch capped(const orr_batch_limits *limits, int32_t gpus, orr_batch batch)
{
    const int64_t most = limits->most / ((int64_t)gpus * (batch.steps + 1));
    if (batch.local > most)
        batch.local = (int32_t)most;
    return batch;
}

orr_batch orr_batch_split(const orr_batch_limits *limits, int32_t gpus, int64_t total)
{
    if (gpus < 1 || total < 1 || limits->local_most < 1)
        return (orr_batch){0, 0};
    const double part = (double)up((double)total / gpus);
    orr_batch batch = parts(limits, part, gpus == 1 && total > limits->initial);
    if (batch.local > limits->local_most)
        batch.local = limits->local_most;
    return capped(limits, gpus, batch);
}

/* ---- throughput ---- */

static double gradient_time(const orr_perf *perf, int32_t local)
{
    return perf->alpha_c + perf->beta_c * local;
}

static double sync_time(const orr_perf *perf, int32_t nodes, int32_t gpus)
{
    const double beyond = fmax((double)gpus - 2, floor_time);
    if (nodes > 1)
        return perf->alpha_n + perf->beta_n * beyond;
    if (gpus > 1)
        return perf->alpha_r + perf->beta_r * beyond;
    return floor_time + floor_time * beyond;
}

/* (a^gamma + b^gamma)^(1/gamma), without overflow. */
static double overlapped(double a, double b, double gamma)
{
    const double less = fmin(a, b), more = fmax(a, b);
    if (!(less > 0))
        return more;
    return more * exp(log1p(exp(gamma * log(less / more))) / gamma);
}

double orr_perf_step(const orr_perf *perf, int32_t nodes, int32_t gpus, orr_batch batch)
{
    const double gradient = gradient_time(perf, batch.local);
    return batch.steps * gradient + overlapped(gradient, sync_time(perf, nodes, gpus), perf->gamma);
}

double orr_throughput(const orr_perf *perf, int32_t nodes, int32_t gpus, orr_batch batch)
{
    const int64_t total = orr_batch_total(batch, gpus);
    return total < 1 ? 0 : (double)total / orr_perf_step(perf, nodes, gpus, batch);
}

/* ---- efficiency ---- */

double orr_gain(orr_noise noise, int64_t initial, int64_t total)
{
    const double c = (double)total / (double)initial, below = noise.var / c + noise.sqr;
    return below > 0 ? (noise.var + noise.sqr) / below : 1;
}

double orr_efficiency(orr_noise noise, int64_t initial, int64_t total)
{
    return orr_gain(noise, initial, total) * (double)initial / (double)total;
}

/* ---- the best batch ---- */

typedef struct search {
    const orr_perf *perf;
    const orr_batch_limits *limits;
    orr_noise noise;
    int32_t gpus;
    double sync, half; /* seconds; 2^(1/gamma - 1) */
    size_t count;
    struct {
        orr_batch batch;
        double at_most; /* goodput */
    } at[CANDIDATES];
} search;

/* Goodput is progress, in samples of the initial batch, over time. One division for both: this is done 50 times. */
static double bound_of(const search *s, orr_batch batch)
{
    const double gradient = gradient_time(s->perf, batch.local);
    const double last = fmax(fmax(gradient, s->sync), s->half * (gradient + s->sync));
    const double seconds = batch.steps * gradient + last, total = (double)orr_batch_total(batch, s->gpus);
    const double initial = (double)s->limits->initial, below = s->noise.var * initial + s->noise.sqr * total;
    const double above = initial * total * (s->noise.var + s->noise.sqr);
    return (below > 0 ? above / (below * seconds) : initial / seconds) * (1 + 1e-12); /* rounding */
}

static double goodput_of(const search *s, orr_batch batch)
{
    const double gradient = gradient_time(s->perf, batch.local), initial = (double)s->limits->initial;
    const double gain = orr_gain(s->noise, s->limits->initial, orr_batch_total(batch, s->gpus));
    return initial * gain / (batch.steps * gradient + overlapped(gradient, s->sync, s->perf->gamma));
}

/* `part`: of one GPU. */
static void add_candidate(search *s, double part)
{
    const orr_batch_limits *limits = s->limits;
    const orr_batch batch = parts(limits, part, s->gpus == 1 && part > (double)limits->initial + slack);
    if (batch.local < limits->local_least || batch.local > limits->local_most)
        return;
    if (s->count && s->at[s->count - 1].batch.local == batch.local && s->at[s->count - 1].batch.steps == batch.steps)
        return;
    s->at[s->count].batch = batch;
    s->at[s->count++].at_most = bound_of(s, batch);
}

/* In geometric spacing, both ends exact. False: there is no room between them. */
static bool add_candidates(search *s)
{
    const double initial = (double)s->limits->initial, most = (double)s->limits->most;
    const double least = fmax(initial, (double)s->limits->local_least * s->gpus);
    if (!(least <= most) || !(least > 0))
        return false;
    const double ratio = exp(log(most / least) / (CANDIDATES - 1));
    double part = least / s->gpus;
    for (int i = 0; i < CANDIDATES - 1; i++, part *= ratio)
        add_candidate(s, part);
    add_candidate(s, most / s->gpus);
    return s->count > 0;
}

static size_t first_of_best(const search *s, double *value)
{
    size_t best = 0;
    for (size_t i = 1; i < s->count; i++)
        best = s->at[i].at_most > s->at[best].at_most ? i : best;
    const size_t tried = best;
    *value = goodput_of(s, s->at[best].batch);
    for (size_t i = 0; i < s->count; i++) {
        if (i == tried || s->at[i].at_most < *value)
            continue;
        const double other = goodput_of(s, s->at[i].batch);
        if (other < *value || (other <= *value && i > best))
            continue;
        *value = other;
        best = i;
    }
    return best;
}

double orr_goodput_best(const orr_perf *perf, orr_noise noise, const orr_batch_limits *limits, int32_t nodes,
                        int32_t gpus, orr_batch *best)
{
    if (best)
        *best = (orr_batch){0, 0};
    if (gpus < 1 || limits->local_most < 1)
        return 0;
    search s = {.perf = perf, .limits = limits, .noise = noise, .gpus = gpus};
    s.sync = sync_time(perf, nodes, gpus);
    s.half = exp2(1 / perf->gamma - 1);
    if (!add_candidates(&s))
        return 0;
    double value;
    const size_t at = first_of_best(&s, &value);
    if (best)
        *best = capped(limits, gpus, s.at[at].batch);
    return value;
}
