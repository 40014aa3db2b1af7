/* nexus: every epoch models are packed onto GPUs anew by their rates ("squishy bin packing"); on a GPU each model has
 * its batch in every duty cycle, which runs when it is full, or a cycle after the one before it.
 *
 * A model that fills GPUs gets them; what is left of it shares one with others, such that the batches of a cycle fit
 * into it and a request that just missed one is in time in the next (orr_pack_sessions). Requests that would be late
 * at the end of a whole batch are dropped from the head (`drop=early`); `drop=lazy` drops only those that are late
 * even alone, and lets the batch shrink for the head. The released scheduler gathers one request less for a batch,
 * takes a deviation more for its time, and ends a cycle when the batch must begin (orr_duty_released).
 *
 * Source: Shen et al., "Nexus: a GPU cluster engine for accelerating DNN-based video analysis", SOSP 2019, sections
 * 6.1 and 6.3. Assumed: times are as profiled; all GPUs are like the first executor's. */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 256, HOSTED = 64 };

enum { EARLY, LAZY, KEEP };

struct knobs {
    orr_time period, window;
    int32_t drop;
    bool plan, released;
};

static const orr_knob knobs[] = {
    {"plan", ORR_KNOB_BOOL, offsetof(struct knobs, plan), "yes", NULL, "pack models onto GPUs; else they stay"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "30s", "10ms..1d", "epoch: how often"},
    {"window", ORR_KNOB_TIME, offsetof(struct knobs, window), "10s", "10ms..10min", "the rate is that of the last"},
    {"released", ORR_KNOB_BOOL, offsetof(struct knobs, released), "no", NULL, "shares as the code has them"},
    {"drop", ORR_KNOB_CHOICE, offsetof(struct knobs, drop), "early", "early|lazy|keep", "who is dropped at a batch"},
    {0},
};

static const orr_preset presets[] = {
    {"early", "drop=early", "as published"},
    {"lazy", "drop=lazy", "the baseline that collapses when it is overloaded"},
    {"released", "released=yes", "as the released scheduler computes batches and cycles"},
    {0},
};

struct mine { /* of a replica */
    int32_t batch; /* planned; 0: not */
    orr_time duty, last; /* last: when its last batch began */
    uint32_t epoch;
};

struct state {
    uint32_t epoch;
};

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static orr_time ns(double seconds)
{
    return (orr_time)(seconds * 1e9 + 0.5);
}

static orr_time slo_of(orr_ctx *ctx, orr_variant_id variant)
{
    return orr_service_of(ctx, orr_variant_service(ctx, variant))->classes[0].slo;
}

/* Where no plan says it: who has just missed a batch is in time with the next. O(max_batch). */
static int32_t batch_of(orr_ctx *ctx, orr_exec_id exec, orr_replica_id replica)
{
    const struct mine *m = orr_replica_priv(ctx, replica);
    const orr_variant_id variant = orr_replica_variant(ctx, replica);
    const int32_t most = orr_variant_of(ctx, variant)->max_batch;
    if (m->batch)
        return m->batch < most ? m->batch : most;
    const int32_t fit = orr_batch_fit(ctx, exec, variant, slo_of(ctx, variant) / 2, most);
    return fit ? fit : 1;
}

/* When its next batch may start, if it isn't full before. */
static orr_time due_at(orr_ctx *ctx, orr_replica_id replica, int32_t waiting, int32_t batch)
{
    const struct mine *m = orr_replica_priv(ctx, replica);
    return m->batch && waiting < batch ? orr_time_add(m->last, m->duty) : m->last;
}

/* Of a GPU's models with requests the one that is due for longest; the first of equals. O(models of the GPU). */
static orr_replica_id next_of(orr_ctx *ctx, orr_exec_id exec, orr_time *due)
{
    orr_replica_id list[HOSTED], best = -1;
    int32_t n = orr_exec_replicas(ctx, exec, list, HOSTED);
    *due = ORR_TIME_MAX;
    for (int32_t i = 0; i < n && i < HOSTED; i++) {
        const int32_t waiting = orr_dest_waiting(ctx, (orr_dest){orr_replica_variant(ctx, list[i]), -1, false});
        if (!waiting || orr_replica_phase(ctx, list[i]) != ORR_PHASE_READY)
            continue;
        const orr_time at = due_at(ctx, list[i], waiting, batch_of(ctx, exec, list[i]));
        if (best < 0 || at < *due) {
            best = list[i];
            *due = at;
        }
    }
    return best;
}

/* A window as wide as the batch slides on until its first request is in time. Each one looked at goes. */
static void drop_late(orr_ctx *ctx, orr_exec_id exec, orr_form *f, int32_t batch)
{
    const int32_t rule = ((const struct knobs *)orr_knobs(ctx))->drop;
    const orr_dest from = orr_form_dest(f);
    for (; rule != KEEP && f->drop < f->waiting; f->drop++) {
        const int32_t left = f->waiting - f->drop, size = rule == LAZY ? 1 : left < batch ? left : batch;
        const orr_time ends = orr_time_add(orr_serve_now(ctx), ns(orr_exec_time(ctx, exec, f->variant, size)));
        if (orr_dest_at(ctx, from, f->drop)->deadline >= ends)
            break;
    }
    f->take = f->waiting - f->drop < batch ? f->waiting - f->drop : batch;
    if (rule == LAZY && f->take)
        f->take = orr_batch_fit(ctx, exec, f->variant, orr_dest_at(ctx, from, f->drop)->deadline - orr_serve_now(ctx),
                                f->take);
    if (rule == LAZY && f->take == 0 && f->drop < f->waiting)
        f->take = 1;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    orr_time due;
    const orr_replica_id replica = next_of(ctx, exec, &due);
    f->take = 0;
    if (replica < 0)
        return;
    if (due > orr_serve_now(ctx)) {
        orr_exec_wake(ctx, exec, due);
        return;
    }
    f->replica = replica;
    f->variant = orr_replica_variant(ctx, replica);
    f->service = orr_variant_service(ctx, f->variant);
    f->central = true;
    f->waiting = orr_dest_waiting(ctx, orr_form_dest(f));
    drop_late(ctx, exec, f, batch_of(ctx, exec, replica));
    if (f->take)
        ((struct mine *)orr_replica_priv(ctx, replica))->last = orr_serve_now(ctx);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

struct epoch {
    int32_t n, type;      /* sessions: those services that are asked and have an SLO */
    orr_session *sessions;
    orr_batch_times *times;
    double *seconds;      /* [n * SIZES] */
    orr_variant_id *variants;
    orr_packing packing;
};

static void add_session(orr_ctx *ctx, struct epoch *p, orr_service_id service)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_variant_id variant = orr_service_current(ctx, service);
    const double rate = (double)orr_arrived(ctx, service, k->window) / ((double)k->window * 1e-9);
    const int32_t most = orr_variant_of(ctx, variant)->max_batch, n = most < SIZES ? most : SIZES;
    double *seconds = p->seconds + (size_t)p->n * SIZES;
    if (!(rate > 0) || slo_of(ctx, variant) == ORR_TIME_MAX)
        return;
    const orr_exec_profile *measured = orr_variant_profile(orr_variant_of(ctx, variant),
                                                           p->type < 0 ? "" : orr_type_name(ctx, p->type), 1000, 1);
    for (int32_t b = 1; b <= n; b++) {
        const double t = orr_variant_time(ctx, variant, p->type, 1000, 1, b);
        seconds[b - 1] = isnan(t) ? INFINITY : k->released ? t + orr_exec_deviation(measured, b) : t;
    }
    const orr_time reply = k->released ? orr_service_of(ctx, service)->reply : 0;
    p->times[p->n] = (orr_batch_times){.n = n, .seconds = seconds};
    p->sessions[p->n] = (orr_session){&p->times[p->n], (double)(slo_of(ctx, variant) - reply) * 1e-9, rate};
    p->variants[p->n++] = variant;
}

static orr_replica_id hosted(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant)
{
    orr_replica_id list[HOSTED];
    const int32_t n = orr_exec_replicas(ctx, exec, list, HOSTED);
    for (int32_t i = 0; i < n && i < HOSTED; i++)
        if (orr_replica_variant(ctx, list[i]) == variant && orr_replica_phase(ctx, list[i]) < ORR_PHASE_DRAINING)
            return list[i];
    return -1;
}

/* The executor without a plan that hosts most of a packed GPU's models already; -1: none is left. By epoch only. */
static orr_exec_id home_of(orr_ctx *ctx, const struct epoch *p, const orr_packed_gpu *g, const bool *used,
                           int32_t execs)
{
    orr_exec_id best = -1;
    int32_t most = -1;
    for (orr_exec_id e = 0; e < execs; e++) {
        int32_t n = 0;
        for (int32_t i = 0; i < g->count; i++)
            n += hosted(ctx, e, p->variants[p->packing.items[g->first + i].session]) >= 0;
        if (orr_exec_alive(ctx, e) && !used[e] && n > most) {
            most = n;
            best = e;
        }
    }
    return best;
}

static void give(orr_ctx *ctx, const struct epoch *p, const orr_packed_gpu *g, orr_exec_id exec)
{
    for (int32_t i = 0; i < g->count; i++) {
        const orr_packed_item *item = &p->packing.items[g->first + i];
        const orr_variant_id variant = p->variants[item->session];
        orr_replica_id r = exec >= 0 ? hosted(ctx, exec, variant) : -1;
        const orr_replica_ask ask = {.variant = variant, .on = exec, .type = p->type, .milli = 1000, .gpus = 1,
                                     .market = -1, .node = -1};
        if (r < 0 && orr_replica_add(ctx, &ask, &r) != ORR_OK)
            return; /* the cluster is full */
        exec = orr_replica_exec(ctx, r);
        struct mine *m = orr_replica_priv(ctx, r);
        m->batch = item->batch;
        m->duty = ns(g->duty);
        m->epoch = ((const struct state *)orr_state(ctx))->epoch;
    }
}

/* Of the models that were packed, those replicas go that the plan has no place for. */
static void take_back(orr_ctx *ctx, const struct epoch *p)
{
    const uint32_t epoch = ((const struct state *)orr_state(ctx))->epoch;
    for (int32_t i = 0; i < p->packing.item_count; i++) {
        const orr_replica_id *list;
        for (int32_t k = orr_variant_replicas(ctx, p->variants[p->packing.items[i].session], &list) - 1; k >= 0; k--) {
            const struct mine *m = orr_replica_priv(ctx, list[k]);
            if (m->epoch != epoch && orr_replica_phase(ctx, list[k]) < ORR_PHASE_DRAINING) {
                orr_replica_drain(ctx, list[k]);
                k = orr_variant_replicas(ctx, p->variants[p->packing.items[i].session], &list);
            }
        }
    }
}

static void carry_out(orr_ctx *ctx, struct epoch *p)
{
    const int32_t execs = orr_execs_count(ctx);
    bool *used = calloc((size_t)execs + 1, sizeof *used);
    if (!used)
        return;
    ((struct state *)orr_state(ctx))->epoch++;
    for (int32_t i = 0; i < p->packing.gpu_count; i++) {
        const orr_exec_id home = home_of(ctx, p, &p->packing.gpus[i], used, execs);
        if (home >= 0)
            used[home] = true;
        give(ctx, p, &p->packing.gpus[i], home);
    }
    take_back(ctx, p);
    free(used);
}

static orr_err decide(orr_ctx *ctx)
{
    const int32_t n = orr_services_count(ctx);
    if (!((const struct knobs *)orr_knobs(ctx))->plan || !n)
        return ORR_OK;
    struct epoch p = {.type = orr_execs_count(ctx) ? orr_exec_type(ctx, 0) : -1};
    p.sessions = calloc((size_t)n, sizeof *p.sessions);
    p.times = calloc((size_t)n, sizeof *p.times);
    p.seconds = calloc((size_t)n * SIZES, sizeof *p.seconds);
    p.variants = calloc((size_t)n, sizeof *p.variants);
    const bool room = p.sessions && p.times && p.seconds && p.variants;
    for (int32_t i = 0; room && i < n; i++)
        add_session(ctx, &p, i);
    if (p.n) {
        const bool released = ((const struct knobs *)orr_knobs(ctx))->released;
        orr_pack_sessions_by(p.sessions, p.n, released ? orr_duty_released : orr_duty_left, &p.packing);
        carry_out(ctx, &p);
        orr_packing_fini(&p.packing);
    }
    free(p.sessions);
    free(p.times);
    free(p.seconds);
    free(p.variants);
    return room ? ORR_OK : ORR_E_MEMORY;
}

static const orr_batcher batcher = {.summary = "each model's batch in every duty cycle", .form = form};

ORR_SERVE(nexus) = {
    .summary = "models packed onto GPUs by their rates, a batch of each in every duty cycle",
    .cite = "Shen et al., Nexus, SOSP 2019",
    .deviations = "A model on several GPUs has one queue for all of them. Replicas that the plan has no place for "
                  "drain when it is made, not when the new ones are ready. Rates are those of a window, not smoothed. "
                  "`released` takes `reply` for all of its network, preprocessing and postprocessing. Not here: split of a "
                  "query's budget (query-split has it), shared prefixes.",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .state_size = sizeof(struct state),
    .replica_priv = sizeof(struct mine),
    .batcher = &batcher,
    .period = "30s",
    .decide = decide,
};
