/* query-split: deals the deadline of a request out among the services that it passes through, so that the GPUs needed
 * are fewest.
 *
 * Source: Shen et al., "Nexus: a GPU cluster engine for accelerating DNN-based video analysis", SOSP 2019, section
 * 6.2. Each epoch the rates of all stages are measured and the budgets along each path of the tree found by dynamic
 * programming in steps of `step` (orr_split_budget). Each stage's requests get their own deadline then, which
 * droppers and queues go by. Assumed: a service's stage is its current variant on the hardware of its first replica;
 * a service that several ask is left alone, with all that asks it.
 */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>

enum { STAGES = 16, SIZES = 256 };

struct knobs {
    orr_time period, step;
};

static const orr_knob knobs[] = {
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "30s", "1s..10min",
     "an epoch; rates are those of the last"},
    {"step", ORR_KNOB_TIME, offsetof(struct knobs, step), "1ms", "100us..1s", "budgets are multiples of this"},
    {0},
};

struct tree {
    int32_t n;
    bool fine; /* a tree, and small enough */
    orr_service_id services[STAGES];
    orr_split_stage stages[STAGES];
    orr_batch_times times[STAGES];
    double seconds[STAGES][SIZES];
};

static bool fill_times(orr_ctx *ctx, orr_service_id service, double *seconds, orr_batch_times *out)
{
    const orr_variant_id variant = orr_service_current(ctx, service);
    const int32_t largest = orr_variant_of(ctx, variant)->max_batch, n = largest < SIZES ? largest : SIZES;
    const orr_replica_id *replicas;
    if (orr_variant_replicas(ctx, variant, &replicas) == 0)
        return false;
    for (int32_t b = 1; b <= n; b++) {
        const double t = orr_exec_time(ctx, orr_replica_exec(ctx, replicas[0]), variant, b);
        seconds[b - 1] = isnan(t) ? INFINITY : t;
    }
    *out = (orr_batch_times){.n = n, .seconds = seconds};
    return true;
}

/* Parents come before their children. */
static void grow(orr_ctx *ctx, struct tree *t, orr_service_id service, int32_t parent)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, service);
    for (int32_t i = 0; i < t->n; i++)
        t->fine &= t->services[i] != service;
    if (!t->fine || t->n == STAGES || !fill_times(ctx, service, t->seconds[t->n], &t->times[t->n])) {
        t->fine = false;
        return;
    }
    const int32_t me = t->n++;
    t->services[me] = service;
    t->stages[me] =
        (orr_split_stage){.times = &t->times[me],
                          .parent = parent,
                          .rate = (double)orr_arrived(ctx, service, k->period) / orr_time_seconds(k->period)};
    for (int32_t i = 0; i < spec->edge_count; i++)
        grow(ctx, t, spec->edges[i].to, me);
}

static void split(orr_ctx *ctx, struct tree *t, orr_service_id root)
{
    const struct knobs *k = orr_knobs(ctx);
    double budgets[STAGES];
    const orr_time slo = orr_service_of(ctx, root)->classes[0].slo;
    t->n = 0;
    t->fine = slo != ORR_TIME_MAX;
    grow(ctx, t, root, -1);
    if (!t->fine || !(t->stages[0].rate > 0) ||
        !orr_split_budget(t->stages, t->n, orr_time_seconds(slo), orr_time_seconds(k->step), budgets, NULL))
        return;
    for (int32_t i = 0; i < t->n; i++)
        orr_service_budget(ctx, t->services[i], (orr_time)(budgets[i] * 1e9 + 0.5));
}

static orr_err decide(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    struct tree *t = orr_state(ctx);
    if (orr_serve_now(ctx) % k->period != 0 || orr_serve_now(ctx) == 0)
        return ORR_OK; /* between epochs */
    for (orr_service_id i = 0; i < orr_services_count(ctx); i++)
        if (orr_service_of(ctx, i)->edge_count && orr_service_of(ctx, i)->source.kind != ORR_SOURCE_NONE)
            split(ctx, t, i);
    return ORR_OK;
}

static const orr_batcher greedy = {.form = orr_form_all}; /* batches as large as what waits */

ORR_SERVE(query_split) = {
    .summary = "deals a request's deadline out among its services so that fewest GPUs are needed",
    .cite = "Shen et al., Nexus, SOSP 2019, section 6.2",
    .deviations = "budgets alone: replicas are as they are; before the first epoch has passed stages have what the "
                  "scenario states",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .state_size = sizeof(struct tree),
    .batcher = &greedy,
    .period = "30s",
    .decide = decide,
};
