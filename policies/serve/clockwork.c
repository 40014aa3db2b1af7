/* clockwork: one batch at a time, chosen so that it ends in time, and who can't be in time is dropped before work is
 * wasted on it.
 *
 * Of a GPU's models with requests each has a candidate: the largest of the sizes 1, 2, 4, … that is full and ends by
 * its head's deadline, `buffer` before it (orr_batch_choose). The one that must start first runs. Times are
 * estimated by the 99th percentile of the last ten batches of that size; until there is one, by the profile. Batches
 * of several that take more than `longest` aren't made.
 *
 * Source: Gujarati et al., "Serving DNNs like Clockwork: performance predictability from the bottom up", OSDI 2020,
 * sections 4 and 5.3. Assumed: requests of a model have one SLO, so that heads have the earliest deadline. */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>

enum { SIZES = 6, KEPT = 10, LOOKED_AT = 64, HOSTED = 256 }; /* sizes 1, 2, …, 32 */

struct knobs {
    orr_time buffer, longest;
};

static const orr_knob knobs[] = {
    {"buffer", ORR_KNOB_TIME, offsetof(struct knobs, buffer), "5ms", "0..1h", "taken off every deadline"},
    {"longest", ORR_KNOB_TIME, offsetof(struct knobs, longest), "25ms", "0..1h", "of a batch of more than one"},
    {0},
};

struct mine { /* of a replica */
    double took[SIZES][KEPT]; /* seconds, of batches of 1 << i */
    int32_t seen[SIZES];
};

static double estimate(orr_ctx *ctx, orr_exec_id exec, orr_replica_id replica, int32_t i)
{
    const struct mine *m = orr_replica_priv(ctx, replica);
    const int32_t n = m->seen[i] < KEPT ? m->seen[i] : KEPT;
    if (n)
        return orr_floor_quantile(m->took[i], (size_t)n, 0.99);
    return orr_exec_time(ctx, exec, orr_replica_variant(ctx, replica), 1 << i);
}

/* Those sizes that may run, ascending. Returns how many. */
static int32_t sizes_of(orr_ctx *ctx, orr_exec_id exec, orr_replica_id replica, int32_t size[SIZES],
                        double seconds[SIZES])
{
    const struct knobs *k = orr_knobs(ctx);
    const int32_t most = orr_variant_of(ctx, orr_replica_variant(ctx, replica))->max_batch;
    int32_t n = 0;
    for (int32_t i = 0; i < SIZES && 1 << i <= most; i++) {
        const double t = estimate(ctx, exec, replica, i);
        if (isnan(t) || (i && t * 1e9 > (double)k->longest))
            continue;
        size[n] = 1 << i;
        seconds[n++] = t;
    }
    return n;
}

static orr_dest queue_of(orr_ctx *ctx, orr_replica_id replica)
{
    return (orr_dest){.variant = orr_replica_variant(ctx, replica), .replica = -1};
}

static orr_batch_choice choose(orr_ctx *ctx, orr_exec_id exec, orr_replica_id replica, double *starts_by)
{
    int32_t size[SIZES];
    double seconds[SIZES], left[LOOKED_AT];
    const orr_dest from = queue_of(ctx, replica);
    const int32_t waiting = orr_dest_waiting(ctx, from), n = waiting < LOOKED_AT ? waiting : LOOKED_AT;
    const orr_batch_times times = {.size = size, .seconds = seconds, .n = sizes_of(ctx, exec, replica, size, seconds)};
    const double buffer = (double)((const struct knobs *)orr_knobs(ctx))->buffer * 1e-9;
    for (int32_t i = 0; i < n; i++) {
        const orr_time deadline = orr_dest_at(ctx, from, i)->deadline;
        left[i] = deadline == ORR_TIME_MAX ? INFINITY : (double)(deadline - orr_serve_now(ctx)) * 1e-9;
    }
    const orr_batch_choice c = times.n ? orr_batch_choose(&times, left, (size_t)n, buffer) : (orr_batch_choice){0};
    *starts_by = c.batch ? left[c.dropped] - buffer - c.seconds : INFINITY;
    return c;
}

/* O(models of the GPU) a batch: which must start first changes with time and with each estimate. */
static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    orr_replica_id list[HOSTED];
    const int32_t n = orr_exec_replicas(ctx, exec, list, HOSTED);
    double least = INFINITY;
    f->take = 0;
    for (int32_t i = 0; i < n && i < HOSTED; i++) {
        double starts_by;
        if (orr_replica_phase(ctx, list[i]) != ORR_PHASE_READY || !orr_dest_waiting(ctx, queue_of(ctx, list[i])))
            continue;
        const orr_batch_choice c = choose(ctx, exec, list[i], &starts_by);
        if (!c.dropped && !(c.batch && (f->take == 0 || starts_by < least)))
            continue;
        f->replica = list[i];
        f->variant = orr_replica_variant(ctx, list[i]);
        f->service = orr_variant_service(ctx, f->variant);
        f->central = true;
        f->take = c.dropped ? 0 : c.batch;
        f->drop = (int32_t)c.dropped;
        least = starts_by;
        if (c.dropped)
            return; /* asked anew when they are gone */
    }
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    struct mine *m = orr_replica_priv(ctx, b->replica);
    for (int32_t i = 0; i < SIZES; i++)
        if (b->size == 1 << i)
            m->took[i][m->seen[i]++ % KEPT] = (double)b->exec * 1e-9;
}

static const orr_batcher batcher = {.summary = "the batch that must start first", .form = form, .on_done = on_done};

ORR_SERVE(clockwork) = {
    .summary = "batches that end in time by measured times, the most urgent first",
    .cite = "Gujarati et al., Clockwork, OSDI 2020",
    .deviations = "All models stay on their GPUs: weights aren't loaded and evicted. A GPU chooses when it is free, "
                  "not up to 10 ms ahead, and a request that can't be in time is dropped then, not at its arrival. "
                  "No allowance for the clock rate of GPUs.",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct mine),
    .batcher = &batcher,
};
