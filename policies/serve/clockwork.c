/* clockwork: one batch at a time, chosen so that it ends in time, and who can't be in time is dropped before work is
 * wasted on it.
 *
 * Of a GPU's models with requests each has a candidate: the largest of the sizes 1, 2, 4, … that is full and ends by
 * its head's deadline, `buffer` before it (orr_batch_choose). The one that must start first runs. Times are
 * estimated by the 99th percentile of the last ten batches of that size; until there is one, by the profile. Batches
 * of several that take more than `longest` aren't made.
 *
 * Where models don't all fit, a GPU that has fewer than `loads` loads to do gets the model with the greatest priority,
 * if that is positive, and puts out what it used least recently. A request that waits is a demand of l(1) / `load_slo`
 * for loads and of l(1) / SLO for execution; the latter is spread over the GPUs that hold the model, each of which
 * serves its part of it divided by all that is asked of it. A model's priority is its demand for loads less what is
 * served. Requests for a model that is nowhere go when it couldn't be loaded in time.
 *
 * Source: Gujarati et al., "Serving DNNs like Clockwork: performance predictability from the bottom up", OSDI 2020,
 * sections 4 and 5.3. Assumed: requests of a model have one SLO, so that heads have the earliest deadline. */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>

enum { SIZES = 6, KEPT = 10, LOOKED_AT = 64, HOSTED = 4096 }; /* sizes 1, 2, …, 32 */

struct knobs {
    orr_time buffer, longest, load_slo;
    int64_t loads;
};

static const orr_knob knobs[] = {
    {"buffer", ORR_KNOB_TIME, offsetof(struct knobs, buffer), "5ms", "0..1h", "taken off every deadline"},
    {"longest", ORR_KNOB_TIME, offsetof(struct knobs, longest), "25ms", "0..1h", "of a batch of more than one"},
    {"load_slo", ORR_KNOB_TIME, offsetof(struct knobs, load_slo), "25ms", "1ms..1h", "work beyond it asks for a copy"},
    {"loads", ORR_KNOB_INT, offsetof(struct knobs, loads), "2", "1..1000", "asked of a GPU at once"},
    {0},
};

struct mine {                 /* of a replica */
    double took[SIZES][KEPT]; /* seconds, of batches of 1 << i */
    int32_t seen[SIZES];
    orr_time used;
};

struct state {
    bool loading; /* a load that takes no time ends while it is asked for */
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
    if (f->take)
        ((struct mine *)orr_replica_priv(ctx, f->replica))->used = orr_serve_now(ctx);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static bool is_held(orr_ctx *ctx, orr_replica_id replica)
{
    const orr_phase phase = orr_replica_phase(ctx, replica);
    return phase == ORR_PHASE_READY || phase == ORR_PHASE_LOADING;
}

static int32_t holders(orr_ctx *ctx, orr_variant_id variant)
{
    const orr_replica_id *all;
    int32_t held = 0;
    for (int32_t i = 0, n = orr_variant_replicas(ctx, variant, &all); i < n; i++)
        held += is_held(ctx, all[i]);
    return held;
}

/* Of those that wait, in SLOs: 1 is all that a GPU can do in time. */
static double demand(orr_ctx *ctx, orr_replica_id replica, double slo)
{
    const int32_t waiting = orr_dest_waiting(ctx, queue_of(ctx, replica));
    return waiting ? waiting * estimate(ctx, orr_replica_exec(ctx, replica), replica, 0) / slo : 0;
}

static double slo_of(orr_ctx *ctx, orr_replica_id replica)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, orr_variant_service(ctx, orr_replica_variant(ctx, replica)));
    const orr_time slo = spec->classes[0].slo - k->buffer;
    return fmax(1e-3, fmin(orr_time_seconds(slo), 3600));
}

/* What models that it holds ask of a GPU. O(models of the GPU). */
static double asked_of(orr_ctx *ctx, orr_exec_id exec)
{
    orr_replica_id list[HOSTED];
    double sum = 0;
    for (int32_t i = 0, n = orr_exec_replicas(ctx, exec, list, HOSTED); i < n && i < HOSTED; i++)
        if (is_held(ctx, list[i]) && orr_dest_waiting(ctx, queue_of(ctx, list[i])))
            sum += demand(ctx, list[i], slo_of(ctx, list[i])) / holders(ctx, orr_replica_variant(ctx, list[i]));
    return sum;
}

static double priority(orr_ctx *ctx, orr_replica_id replica)
{
    const orr_replica_id *all;
    const orr_variant_id variant = orr_replica_variant(ctx, replica);
    const int32_t n = orr_variant_replicas(ctx, variant, &all), held = holders(ctx, variant);
    double p = demand(ctx, replica, orr_time_seconds(((const struct knobs *)orr_knobs(ctx))->load_slo));
    for (int32_t i = 0; i < n && p > 0; i++)
        if (is_held(ctx, all[i]))
            p -= demand(ctx, all[i], slo_of(ctx, all[i])) / held / asked_of(ctx, orr_replica_exec(ctx, all[i]));
    return p;
}

/* Of a model that is nowhere: those whom even a load that begins now can't help. */
static void drop_hopeless(orr_ctx *ctx, orr_replica_id replica)
{
    const orr_variant_id variant = orr_replica_variant(ctx, replica);
    const orr_dest from = queue_of(ctx, replica);
    const double need = orr_load_time(ctx, variant) + estimate(ctx, orr_replica_exec(ctx, replica), replica, 0);
    const orr_time by = orr_time_add(orr_serve_now(ctx), (orr_time)(need * 1e9));
    const orr_time buffer = ((const struct knobs *)orr_knobs(ctx))->buffer;
    while (orr_dest_waiting(ctx, from) && orr_dest_at(ctx, from, 0)->deadline - buffer < by)
        orr_req_drop(ctx, from, 0, ORR_DROP_EXPIRED);
}

/* -1: none has a priority above 0. */
static orr_replica_id most_wanted(orr_ctx *ctx, orr_exec_id exec)
{
    orr_replica_id list[HOSTED], best = -1;
    double most = 0;
    for (int32_t i = 0, n = orr_exec_replicas(ctx, exec, list, HOSTED); i < n && i < HOSTED; i++) {
        if (orr_replica_phase(ctx, list[i]) != ORR_PHASE_COLD || !orr_dest_waiting(ctx, queue_of(ctx, list[i])))
            continue;
        if (!holders(ctx, orr_replica_variant(ctx, list[i])))
            drop_hopeless(ctx, list[i]);
        const double p = priority(ctx, list[i]);
        if (p > most) {
            most = p;
            best = list[i];
        }
    }
    return best;
}

static orr_time used(orr_ctx *ctx, orr_replica_id replica)
{
    return ((const struct mine *)orr_replica_priv(ctx, replica))->used;
}

/* What was used least recently, but what runs. */
static bool evict_one(orr_ctx *ctx, orr_exec_id exec)
{
    orr_replica_id list[HOSTED];
    int32_t n = orr_exec_replicas(ctx, exec, list, HOSTED), least = 0;
    for (n = n < HOSTED ? n : HOSTED; least >= 0;) {
        least = -1;
        for (int32_t i = 0; i < n; i++)
            if (list[i] >= 0 && orr_replica_phase(ctx, list[i]) == ORR_PHASE_READY &&
                (least < 0 || used(ctx, list[i]) < used(ctx, list[least])))
                least = i;
        if (least >= 0 && orr_weights_evict(ctx, exec, orr_replica_variant(ctx, list[least])) == ORR_OK)
            return true;
        if (least >= 0)
            list[least] = -1;
    }
    return false;
}

/* O(models of the GPU * GPUs), and as often as a load begins or a batch ends while the channel has nothing to do. */
static void load_some(orr_ctx *ctx, orr_exec_id exec)
{
    struct state *s = orr_state(ctx);
    if (s->loading || orr_exec_mem_free(ctx, exec) == INT64_MAX)
        return;
    s->loading = true;
    while (orr_exec_loads(ctx, exec) < ((const struct knobs *)orr_knobs(ctx))->loads) {
        const orr_replica_id r = most_wanted(ctx, exec);
        orr_err err = r < 0 ? ORR_E_NOFIT : orr_weights_load(ctx, exec, orr_replica_variant(ctx, r));
        while (r >= 0 && err == ORR_E_NOFIT && evict_one(ctx, exec))
            err = orr_weights_load(ctx, exec, orr_replica_variant(ctx, r));
        if (err)
            break;
    }
    s->loading = false;
}

/* On the GPUs that don't hold it. */
static void load_copies(orr_ctx *ctx, orr_variant_id variant)
{
    const orr_replica_id *all;
    for (int32_t i = 0, n = orr_variant_replicas(ctx, variant, &all); i < n; i++)
        if (orr_replica_phase(ctx, all[i]) == ORR_PHASE_COLD && orr_dest_waiting(ctx, queue_of(ctx, all[i])))
            load_some(ctx, orr_replica_exec(ctx, all[i]));
}

static void on_event(orr_ctx *ctx, const orr_serve_event *e)
{
    const orr_replica_id *all;
    if (e->kind == ORR_SE_MISSED)
        load_copies(ctx, e->variant);
    if (e->kind != ORR_SE_LOADED)
        return;
    for (int32_t i = 0, n = orr_variant_replicas(ctx, e->variant, &all); i < n; i++)
        if (orr_replica_exec(ctx, all[i]) == e->exec)
            ((struct mine *)orr_replica_priv(ctx, all[i]))->used = orr_serve_now(ctx);
    load_some(ctx, e->exec);
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    struct mine *m = orr_replica_priv(ctx, b->replica);
    m->used = b->end;
    for (int32_t i = 0; i < SIZES; i++)
        if (b->size == 1 << i)
            m->took[i][m->seen[i]++ % KEPT] = (double)b->exec * 1e-9;
    load_copies(ctx, b->variant);
    load_some(ctx, b->exec_id);
}

static const orr_batcher batcher = {.summary = "the batch that must start first", .form = form, .on_done = on_done};

ORR_SERVE(clockwork) = {
    .summary = "batches that end in time by measured times, the most urgent first",
    .cite = "Gujarati et al., Clockwork, OSDI 2020",
    .deviations = "A GPU chooses when it is free, not up to 10 ms ahead; a request that can't be in time is dropped "
                  "then, not at its arrival. Demand is that of those that wait, spread evenly over the GPUs that "
                  "hold a model. Loads take what is profiled. No allowance for the clock rate of GPUs.",
    .flags = ORR_SERVE_LOADS,
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_LOAD] = ORR_KNOW_PROFILED},
    .state_size = sizeof(struct state),
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct mine),
    .batcher = &batcher,
    .on_event = on_event,
};
