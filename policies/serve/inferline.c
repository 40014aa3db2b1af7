/* inferline: plans a pipeline's hardware, batches and replicas by trying them out, and corrects the replicas by what
 * comes in.
 *
 * Source: Crankshaw et al., "InferLine: latency-aware provisioning and scaling for prediction serving pipelines",
 * SoCC 2020. Planner: batches of one on the fastest hardware and as many replicas as the rate needs; then replicas
 * where there are fewest for the load, until the tried P99 is within the SLO; then whatever change lowers the cost
 * most and keeps it there: twice the batch, a replica less, other hardware. Tuner: where the traffic envelope of the
 * last minute is above that of the sample, replicas for the rate that it shows; after `calm` without that, for the
 * rate of the last 30 s. Assumed: GPUs cost what a market of their type asks, else 1; each service's stage is its
 * current variant.
 */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>
#include <string.h>

enum { STAGES = 12, WINDOWS = 12, ROUNDS = 200, REPLICAS = 1024 };

struct knobs {
    orr_time period, sample, calm;
    int64_t most;
    bool tune;
};

static const orr_knob knobs[] = {
    {"tune", ORR_KNOB_BOOL, offsetof(struct knobs, tune), "on", NULL, "correct the plan by what comes in"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "1s", "100ms..1h", "how often the tuner looks"},
    {"sample", ORR_KNOB_TIME, offsetof(struct knobs, sample), "60s", "1s..1h",
     "length of the sample that plans are tried on"},
    {"most", ORR_KNOB_INT, offsetof(struct knobs, most), "3000", "100..100000", "its requests at most"},
    {"calm", ORR_KNOB_TIME, offsetof(struct knobs, calm), "15s", "1s..1h",
     "nothing goes so soon after something was added"},
    {0},
};

struct stage {
    orr_variant_id variant;
    double visits; /* requests of it that one of the root's makes */
    const orr_exec_profile *hw;
    int32_t type, batch, count;
    double seconds;     /* of such a batch */
    double each, price; /* requests a second and price of one replica */
    double load;        /* part of it that the plan uses */
};

struct plan { /* of a service as a root: its memory */
    orr_service_id root;
    int32_t n;
    double rate; /* of the sample */
    struct stage stages[STAGES];
    int32_t windows;
    orr_time window[WINDOWS];
    int64_t most[WINDOWS]; /* the sample's envelope */
    orr_time grew;
    bool made;
};

/* ---- stages and hardware ----------------------------------------------------------------------------------------- */

static int32_t stage_of(struct plan *p, orr_ctx *ctx, orr_service_id service)
{
    const orr_variant_id variant = orr_service_current(ctx, service);
    for (int32_t i = 0; i < p->n; i++)
        if (p->stages[i].variant == variant)
            return i;
    if (p->n < STAGES)
        p->stages[p->n] = (struct stage){.variant = variant};
    return p->n < STAGES ? p->n++ : -1;
}

/* Along all paths: circles there are none. */
static void visit(struct plan *p, orr_ctx *ctx, orr_service_id service, double visits)
{
    const orr_service *spec = orr_service_of(ctx, service);
    const int32_t i = stage_of(p, ctx, service);
    if (i < 0 || !(visits > 0))
        return;
    p->stages[i].visits += visits;
    for (int32_t k = 0; k < spec->edge_count; k++)
        visit(p, ctx, spec->edges[k].to, visits * spec->edges[k].fan_out);
}

/* The stage on other hardware, or with another batch. False: it can't be. */
static bool set(orr_ctx *ctx, struct stage *s, const orr_exec_profile *hw, int32_t batch)
{
    const int32_t type = *hw->gpu_type ? orr_serve_type(ctx, hw->gpu_type) : -1;
    const double seconds = orr_variant_time(ctx, s->variant, type, hw->milli, hw->gpus, batch);
    if ((*hw->gpu_type && type < 0) || isnan(seconds) || batch > orr_variant_of(ctx, s->variant)->max_batch)
        return false;
    s->type = type;
    s->hw = hw;
    s->batch = batch;
    s->seconds = seconds;
    s->each = batch / seconds;
    const double asked = orr_cheapest_price(ctx, type);
    s->price = (isfinite(asked) ? asked : 1) * hw->gpus * hw->milli / 1000;
    return true;
}

static bool fastest(orr_ctx *ctx, struct stage *s)
{
    const orr_variant *v = orr_variant_of(ctx, s->variant);
    struct stage best = {.seconds = INFINITY};
    for (int32_t i = 0; i < v->profile_count; i++) {
        struct stage t = *s;
        if (set(ctx, &t, &v->profiles[i], 1) && t.seconds < best.seconds)
            best = t;
    }
    if (isfinite(best.seconds))
        *s = best;
    return isfinite(best.seconds);
}

/* ---- planner ----------------------------------------------------------------------------------------------------- */

struct sample {
    orr_time *at;
    size_t n;
    double slo;
};

static double cost_of(const struct plan *p)
{
    double sum = 0;
    for (int32_t i = 0; i < p->n; i++)
        sum += p->stages[i].price * p->stages[i].count;
    return sum;
}

/* NOFIT: more than the cluster has. *fine: the tried P99 is within the SLO. */
static orr_err try_out(orr_ctx *ctx, const struct plan *p, const struct sample *on, bool *fine)
{
    orr_try_row rows[STAGES];
    orr_try_result r;
    for (int32_t i = 0; i < p->n; i++) {
        const struct stage *s = &p->stages[i];
        rows[i] = (orr_try_row){s->variant, s->type, s->hw->milli, s->hw->gpus, s->batch, s->count};
    }
    const orr_err err = orr_serve_try(ctx, p->root, rows, p->n, on->at, on->n, &r);
    *fine = !err && r.p99 <= on->slo;
    return err;
}

static int32_t needed(const struct plan *p, const struct stage *s)
{
    const int32_t n = orr_replicas_for(p->rate, s->visits, s->each);
    return n > 0 ? n : 1;
}

/* The stage whose replicas have least to spare gets one more, until it is fine. */
static bool grow(orr_ctx *ctx, struct plan *p, const struct sample *on)
{
    bool fine = false;
    for (int32_t round = 0; round < ROUNDS; round++) {
        if (try_out(ctx, p, on, &fine) != ORR_OK || fine)
            return fine;
        struct stage *least = &p->stages[0];
        for (int32_t i = 1; i < p->n; i++)
            if (p->stages[i].count * p->stages[i].each / p->stages[i].visits <
                least->count * least->each / least->visits)
                least = &p->stages[i];
        least->count++;
    }
    return false;
}

static void consider(orr_ctx *ctx, const struct plan *t, const struct sample *on, struct plan *best)
{
    bool fine = false;
    if (cost_of(t) < cost_of(best) && try_out(ctx, t, on, &fine) == ORR_OK && fine)
        *best = *t;
}

/* Twice the batch with as few replicas as carry the rate; one replica less; each other hardware. */
static void change(orr_ctx *ctx, const struct plan *p, int32_t i, const struct sample *on, struct plan *best)
{
    const orr_variant *v = orr_variant_of(ctx, p->stages[i].variant);
    const orr_exec_profile *now = p->stages[i].hw;
    struct plan t = *p;
    if (set(ctx, &t.stages[i], now, 2 * p->stages[i].batch)) {
        const int32_t least = needed(&t, &t.stages[i]);
        t.stages[i].count = least < p->stages[i].count ? least : p->stages[i].count;
        consider(ctx, &t, on, best);
    }
    t = *p;
    if (--t.stages[i].count >= needed(&t, &t.stages[i]))
        consider(ctx, &t, on, best);
    for (int32_t k = 0; k < v->profile_count; k++) {
        t = *p;
        if (&v->profiles[k] == now || !set(ctx, &t.stages[i], &v->profiles[k], 1))
            continue;
        t.stages[i].count = needed(&t, &t.stages[i]);
        consider(ctx, &t, on, best);
    }
}

static void shrink(orr_ctx *ctx, struct plan *p, const struct sample *on)
{
    for (int32_t round = 0; round < ROUNDS; round++) {
        struct plan best = *p;
        for (int32_t i = 0; i < p->n; i++)
            change(ctx, p, i, on, &best);
        if (cost_of(&best) >= cost_of(p))
            return;
        *p = best;
    }
}

static void set_envelope(struct plan *p, const struct sample *on)
{
    double window = 0;
    for (int32_t i = 0; i < p->n; i++) {
        p->stages[i].load = orr_planned_load(p->rate, p->stages[i].visits, p->stages[i].count, p->stages[i].each);
        window += p->stages[i].seconds;
    }
    for (window = fmax(window, 0.01); p->windows < WINDOWS && window <= 60; window *= 2)
        p->window[p->windows++] = (orr_time)(window * 1e9);
    orr_envelope(on->at, on->n, p->window, (size_t)p->windows, p->most);
}

/* A stage belongs to one plan: that of the first root which reaches it. */
static bool taken(orr_ctx *ctx, const struct plan *p)
{
    for (orr_service_id root = 0; root < p->root; root++) {
        const struct plan *other = orr_service_priv(ctx, root);
        for (int32_t i = 0; i < other->n * p->n && other->made; i++)
            if (other->stages[i / p->n].variant == p->stages[i % p->n].variant)
                return true;
    }
    return false;
}

static bool make_plan(orr_ctx *ctx, struct plan *p, const struct sample *on)
{
    visit(p, ctx, p->root, 1);
    if (taken(ctx, p))
        return false;
    p->rate = (double)(on->n - 1) / ((double)(on->at[on->n - 1] - on->at[0]) * 1e-9);
    for (int32_t i = 0; i < p->n; i++) {
        if (!fastest(ctx, &p->stages[i]))
            return false;
        p->stages[i].count = needed(p, &p->stages[i]);
    }
    if (!grow(ctx, p, on))
        return false;
    shrink(ctx, p, on);
    set_envelope(p, on);
    return true;
}

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

/* As many as planned: those on other hardware go, and then the youngest. */
static void have(orr_ctx *ctx, const struct stage *s)
{
    const orr_replica_id *replicas;
    orr_replica_id all[REPLICAS], id;
    int32_t n = orr_variant_replicas(ctx, s->variant, &replicas), there = 0;
    n = n < REPLICAS ? n : REPLICAS;
    memcpy(all, replicas, (size_t)n * sizeof *all);
    for (int32_t i = 0; i < n; i++) {
        const bool right = s->type < 0 || orr_exec_type(ctx, orr_replica_exec(ctx, all[i])) == s->type;
        if (orr_replica_phase(ctx, all[i]) >= ORR_PHASE_DRAINING)
            continue;
        if (!right || there == s->count)
            orr_replica_drain(ctx, all[i]);
        else if (++there)
            orr_replica_limit(ctx, all[i], s->batch);
    }
    const orr_replica_ask ask = {.variant = s->variant, .on = -1, .type = s->type, .milli = s->hw->milli,
                                 .gpus = s->hw->gpus, .market = -1, .node = -1};
    for (; there < s->count && orr_replica_add(ctx, &ask, &id) == ORR_OK; there++)
        orr_replica_limit(ctx, id, s->batch);
}

static void begin(orr_ctx *ctx, orr_service_id service)
{
    const struct knobs *k = orr_knobs(ctx);
    struct plan *p = orr_service_priv(ctx, service);
    struct sample on = {.at = orr_alloc_memory(ctx, (size_t)k->most * sizeof(orr_time))};
    on.slo = (double)orr_service_of(ctx, service)->classes[0].slo * 1e-9;
    on.n = orr_serve_sample(ctx, service, k->sample, on.at, (size_t)k->most);
    p->root = service;
    p->made = on.n > 1 && on.at[on.n - 1] > on.at[0] && make_plan(ctx, p, &on);
    for (int32_t i = 0; i < p->n && p->made; i++)
        have(ctx, &p->stages[i]);
}

/* ---- tuner ------------------------------------------------------------------------------------------------------- */

/* The greatest rate of a window in which more came than ever in the sample; 0: none. */
static double excess(orr_ctx *ctx, const struct plan *p)
{
    double most = 0;
    for (int32_t i = 0; i < p->windows; i++) {
        const int64_t came = (int64_t)orr_arrived_most(ctx, p->root, 60 * (orr_time)1000000000, p->window[i]);
        if (came > p->most[i])
            most = fmax(most, (double)came / ((double)p->window[i] * 1e-9));
    }
    return most;
}

static void tune(orr_ctx *ctx, struct plan *p)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time now = orr_serve_now(ctx), second = 1000000000;
    const double above = excess(ctx, p);
    const bool calm = now - p->grew >= k->calm && now >= 30 * second;
    double least = 1;
    for (int32_t i = 0; i < p->n; i++)
        least = fmin(least, p->stages[i].load);
    const double recent = (double)orr_arrived_most(ctx, p->root, 30 * second, 5 * second) / 5;
    for (int32_t i = 0; i < p->n; i++) {
        struct stage *s = &p->stages[i];
        const int32_t needs = above > 0 ? orr_replicas_for(above, s->visits, s->each * s->load)
                                        : orr_replicas_for(recent, s->visits, s->each * least);
        const bool more = above > 0 && needs > s->count, fewer = !(above > 0) && calm && needs < s->count;
        p->grew = more ? now : p->grew;
        if (more || fewer)
            s->count = needs > 0 ? needs : 1;
        have(ctx, s);
    }
}

static orr_err decide(orr_ctx *ctx)
{
    for (orr_service_id i = 0; i < orr_services_count(ctx); i++) {
        struct plan *p = orr_service_priv(ctx, i);
        if (p->n == 0 && orr_service_of(ctx, i)->source.kind != ORR_SOURCE_NONE)
            begin(ctx, i);
        else if (p->made && ((const struct knobs *)orr_knobs(ctx))->tune)
            tune(ctx, p);
    }
    return ORR_OK;
}

static const orr_batcher greedy = {.form = orr_form_all}; /* batches as large as what waits, up to the plan's */

ORR_SERVE(inferline) = {
    .summary = "plans hardware, batches and replicas of a pipeline by trial, corrects them by the traffic envelope",
    .cite = "Crankshaw et al., InferLine, SoCC 2020",
    .deviations = "the sample is drawn by the source's own law (oracle of the rate); a doubled batch brings down "
                  "the replicas in the same step; a root that shares a stage with one planned before is left as it "
                  "is; envelopes online are counted in bins, not in every window; joins are taken as if each asker "
                  "asked by itself",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct plan),
    .batcher = &greedy,
    .period = "1s",
    .decide = decide,
};
