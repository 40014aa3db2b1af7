/* infaas: for each query a variant that is accurate and fast enough and not overloaded; each second replicas by the
 * rate.
 *
 * Source: Romero et al., "INFaaS: automated model-less inference serving", ATC 2021, and its released code (stanford-
 * mast/INFaaS, src/worker/autoscaler.cc) for the rule of replicas (orr_infaas_scaling). A recent choice is kept while
 * it runs and isn't overloaded; else of the variants that meet accuracy and SLO the one that runs and isn't
 * overloaded and answers fastest; else the one with the least time to load and answer. Where nothing of a chosen
 * variant is there, a replica is started. Where more replicas would take more than `upgrade` times as long to load as
 * enough of the variant with the next larger batch, those are started. A replica most of whose batches took more than
 * `slow` times what is profiled is interfered with, and moves to an idle GPU. Assumed: overloaded is a variant whose
 * queue is more than `full` batches a replica; a replica goes after 20 checks in a row (GPUs).
 *
 *     350 queries a second; 1 replica serves 100 and loads in 10 s: 5 more, 50 s. Of the larger variant, 200 a second
 *     and 5 s to load, 2 are enough, 10 s: upgraded
 */
#include <orrery/batching.h>
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    double accuracy, full, heed, upgrade, slow;
    int64_t most, checks;
    orr_time period;
};

static const orr_knob knobs[] = {
    {"accuracy", ORR_KNOB_NUMBER, offsetof(struct knobs, accuracy), "0", "0..1", "that queries ask for at least"},
    {"full", ORR_KNOB_NUMBER, offsetof(struct knobs, full), "1", "0..1000",
     "batches a replica that may wait before it is overloaded"},
    {"heed", ORR_KNOB_NUMBER, offsetof(struct knobs, heed), "0.2", "0..10",
     "part of the capacity more for each second of loading"},
    {"upgrade", ORR_KNOB_NUMBER, offsetof(struct knobs, upgrade), "1.5", "0..inf",
     "times as long as an upgrade that replicating takes before it is made"},
    {"slow", ORR_KNOB_NUMBER, offsetof(struct knobs, slow), "1.25", "1..inf", "times the profile: interfered with"},
    {"most", ORR_KNOB_INT, offsetof(struct knobs, most), "64", "1..1000", "replicas of a variant at most"},
    {"checks", ORR_KNOB_INT, offsetof(struct knobs, checks), "20", "1..10000",
     "in a row that must have one to spare before it goes"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "1s", "100ms..1h", "how often replicas are counted"},
    {0},
};

enum { VARIANTS = 64 };

struct variant {
    uint32_t asked, idle; /* queries since the last check; checks in a row with one to spare */
};

struct mine {
    struct variant of[VARIANTS];
    int32_t last;   /* place of the last choice + 1; 0: none */
    orr_time since; /* of the last check */
    orr_replica_id fresh, old; /* + 1: old goes when fresh, on another GPU, is ready; 0: none */
};

struct batches { /* of a replica, since the last check */
    uint32_t all, slow;
};

/* ---- which variant ----------------------------------------------------------------------------------------------- */

static int32_t count_of(const orr_ctx *ctx, orr_variant_id variant, orr_phase most, orr_replica_id *last)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        const orr_phase phase = orr_replica_phase(ctx, replicas[i]);
        if (phase > most || (most == ORR_PHASE_READY && phase != ORR_PHASE_READY))
            continue;
        count++;
        *last = replicas[i];
    }
    return count;
}

static bool overloaded(orr_ctx *ctx, orr_variant_id variant, int32_t replicas)
{
    const struct knobs *k = orr_knobs(ctx);
    const double room = k->full * replicas * orr_variant_of(ctx, variant)->max_batch;
    return orr_dest_waiting(ctx, (orr_dest){.variant = variant, .replica = -1}) > room;
}

/* Seconds from now to its answer if it must be loaded; INFINITY: it can't be, or isn't good enough. */
static double fresh(orr_ctx *ctx, orr_service_id service, int32_t place)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, service);
    const orr_variant *v = &spec->variants[place];
    const orr_exec_profile *p = v->profile_count ? &v->profiles[0] : NULL;
    const double seconds =
        p ? orr_variant_time(ctx, orr_service_variant(ctx, service, place), -1, p->milli, p->gpus, 1) : NAN;
    const bool good = isnan(v->accuracy) || v->accuracy >= k->accuracy;
    if (isnan(seconds) || !good || seconds * 1e9 > (double)spec->classes[0].slo)
        return INFINITY;
    return seconds;
}

static bool serves(orr_ctx *ctx, orr_service_id service, int32_t place)
{
    orr_replica_id last;
    const orr_variant_id variant = orr_service_variant(ctx, service, place);
    const int32_t n = count_of(ctx, variant, ORR_PHASE_READY, &last);
    return n > 0 && !overloaded(ctx, variant, n);
}

static int32_t choose(orr_ctx *ctx, orr_service_id service, int32_t last)
{
    const orr_service *spec = orr_service_of(ctx, service);
    double best = INFINITY, best_fresh = INFINITY;
    int32_t running = -1, other = -1;
    if (last >= 0 && serves(ctx, service, last))
        return last;
    for (int32_t i = 0; i < spec->variant_count && i < VARIANTS; i++) {
        const double seconds = fresh(ctx, service, i);
        if (seconds < best && serves(ctx, service, i)) {
            best = seconds;
            running = i;
        }
        if (seconds + orr_time_seconds(spec->variants[i].load) < best_fresh) {
            best_fresh = seconds + orr_time_seconds(spec->variants[i].load);
            other = i;
        }
    }
    return running >= 0 ? running : other;
}

static void select_variant(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    struct mine *m = orr_service_priv(ctx, service);
    const int32_t place = choose(ctx, service, m->last - 1);
    (void)req;
    if (place < 0)
        return;
    m->last = place + 1;
    m->of[place].asked++;
    fan->variants[0] = orr_service_variant(ctx, service, place);
}

/* ---- how many replicas ------------------------------------------------------------------------------------------- */

static void start(orr_ctx *ctx, orr_variant_id variant, int32_t n)
{
    const orr_exec_profile *p = &orr_variant_of(ctx, variant)->profiles[0];
    const orr_replica_ask ask = {.variant = variant,
                                 .on = -1,
                                 .type = *p->gpu_type ? orr_serve_type(ctx, p->gpu_type) : -1,
                                 .milli = p->milli,
                                 .gpus = p->gpus,
                                 .market = -1,
                                 .node = -1};
    orr_replica_id id;
    for (; n > 0 && orr_replica_add(ctx, &ask, &id) == ORR_OK; n--) {
    }
}

static orr_infaas_scale rule(orr_ctx *ctx, orr_variant_id variant, double rate, int32_t replicas)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_variant *v = orr_variant_of(ctx, variant);
    const orr_exec_profile *p = &v->profiles[0];
    const int32_t batch = v->max_batch < 32 ? v->max_batch : 32;
    const double one = orr_variant_time(ctx, variant, -1, p->milli, p->gpus, 1),
                 all = orr_variant_time(ctx, variant, -1, p->milli, p->gpus, batch);
    const double slope = batch > 1 ? (all - one) / (batch - 1) : 0;
    const orr_infaas_load load = {.rate = rate,
                                  .replicas = replicas,
                                  .batch = batch,
                                  .mean_batch = 1,
                                  .slope = slope,
                                  .intercept = one - slope,
                                  .load = orr_time_seconds(v->load),
                                  .heed = k->heed};
    return orr_infaas_scaling(&load);
}

/* Instead of `add` replicas enough of the next larger variant. False: that isn't quicker by far, or there is none. */
static bool upgrade(orr_ctx *ctx, orr_variant_id variant, double rate, int32_t add)
{
    const orr_service_id service = orr_variant_service(ctx, variant);
    const orr_service *spec = orr_service_of(ctx, service);
    const orr_variant *now = orr_variant_of(ctx, variant), *next = NULL;
    orr_replica_id last;
    int32_t place = -1;
    for (int32_t i = 0; i < spec->variant_count && i < VARIANTS; i++)
        if (spec->variants[i].max_batch > now->max_batch && (!next || spec->variants[i].max_batch < next->max_batch) &&
            isfinite(fresh(ctx, service, i)))
            next = &spec->variants[place = i];
    if (!next)
        return false;
    const orr_variant_id larger = orr_service_variant(ctx, service, place);
    const int32_t need = orr_replicas_for(rate, 1, rule(ctx, larger, rate, 1).single) -
                         count_of(ctx, larger, ORR_PHASE_COLD, &last);
    const double replicate = add * orr_time_seconds(now->load), load = fmax(need, 0) * orr_time_seconds(next->load);
    if (replicate <= ((const struct knobs *)orr_knobs(ctx))->upgrade * load)
        return false;
    start(ctx, larger, need);
    ((struct mine *)orr_service_priv(ctx, service))->last = place + 1;
    return true;
}

static void scale(orr_ctx *ctx, orr_variant_id variant, struct variant *m, double seconds)
{
    const struct knobs *k = orr_knobs(ctx);
    orr_replica_id last = -1;
    const int32_t n = count_of(ctx, variant, ORR_PHASE_COLD, &last);
    const uint32_t asked = m->asked;
    m->asked = 0;
    if (n == 0 && asked)
        start(ctx, variant, 1);
    if (n == 0 || orr_variant_of(ctx, variant)->profile_count == 0)
        return;
    const orr_infaas_scale s = rule(ctx, variant, asked / seconds, n);
    m->idle = s.add < 0 ? m->idle + 1 : 0;
    if (s.add > 0 && !upgrade(ctx, variant, asked / seconds, s.add))
        start(ctx, variant, s.add < k->most - n ? s.add : (int32_t)(k->most - n));
    if (m->idle < (uint32_t)k->checks || n < 2)
        return;
    m->idle = 0;
    orr_replica_drain(ctx, last);
}

/* ---- interference ------------------------------------------------------------------------------------------------ */

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    struct batches *r = orr_replica_priv(ctx, b->replica);
    const orr_exec_profile *p = &orr_variant_of(ctx, b->variant)->profiles[0];
    const double alone = orr_variant_time(ctx, b->variant, orr_exec_type(ctx, b->exec_id),
                                          orr_exec_milli(ctx, b->exec_id), p->gpus, b->size);
    r->all++;
    r->slow += orr_time_seconds(b->exec) > ((const struct knobs *)orr_knobs(ctx))->slow * alone;
}

/* One replica of a service at a time moves. */
static void migrate(orr_ctx *ctx, orr_variant_id variant, struct mine *m)
{
    const orr_replica_id *list;
    const int32_t n = orr_variant_replicas(ctx, variant, &list);
    int32_t slowed = -1;
    for (int32_t i = 0; i < n; i++) {
        struct batches *r = orr_replica_priv(ctx, list[i]);
        if (2 * r->slow > r->all && orr_replica_phase(ctx, list[i]) == ORR_PHASE_READY)
            slowed = list[i];
        *r = (struct batches){0};
    }
    if (slowed < 0 || m->fresh)
        return;
    const orr_exec_id e = orr_replica_exec(ctx, slowed);
    const orr_replica_ask ask = {.variant = variant, .on = -1, .type = orr_exec_type(ctx, e), .gpus = 1, .market = -1,
                                 .milli = orr_exec_milli(ctx, e), .node = -1, .idle = true};
    if (orr_replica_add(ctx, &ask, &m->fresh) == ORR_OK) {
        m->fresh++;
        m->old = slowed + 1;
    }
}

static void hand_over(orr_ctx *ctx, struct mine *m)
{
    const orr_phase phase = m->fresh ? orr_replica_phase(ctx, m->fresh - 1) : ORR_PHASE_LOADING;
    if (phase != ORR_PHASE_READY && phase < ORR_PHASE_DRAINING)
        return;
    if (phase == ORR_PHASE_READY)
        orr_replica_drain(ctx, m->old - 1);
    m->fresh = m->old = 0;
}

static orr_err decide(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time now = orr_serve_now(ctx);
    for (orr_service_id i = 0; i < orr_services_count(ctx); i++) {
        struct mine *m = orr_service_priv(ctx, i);
        const int32_t n = orr_service_of(ctx, i)->variant_count;
        hand_over(ctx, m);
        if (now - m->since < k->period)
            continue;
        for (int32_t a = 0; a < n && a < VARIANTS; a++) {
            scale(ctx, orr_service_variant(ctx, i, a), &m->of[a], orr_time_seconds(now - m->since));
            migrate(ctx, orr_service_variant(ctx, i, a), m);
        }
        m->since = now;
    }
    return ORR_OK;
}

static const orr_selector selector = {.select = select_variant};
static const orr_batcher greedy = {.form = orr_form_all, .on_done = on_done}; /* batches as large as what waits */

ORR_SERVE(infaas) = {
    .summary = "variant by accuracy, latency and load; replicas by the rate, each second",
    .cite = "Romero et al., INFaaS, ATC 2021; stanford-mast/INFaaS src/worker/autoscaler.cc",
    .deviations = "neither workers nor virtual machines are scaled, only replicas on the cluster there is: who is "
                  "interfered with moves to an idle GPU, and stays where there is none; there are no caps on replicas "
                  "beside `most`; all variants cost the same to run",
    .know =
        {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_LOAD] = ORR_KNOW_PROFILED, [ORR_SQ_ACCURACY] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .replica_priv = sizeof(struct batches),
    .batcher = &greedy,
    .selector = &selector,
    .period = "1s",
    .decide = decide,
};
