/* gslice: each service has a share of a GPU at the knee of its profile, more while answers are late, less while there
 * is slack.
 *
 * Source: Dhakal et al., "GSLICE: controlled spatial sharing of GPUs for a scalable inference platform", SoCC 2020.
 * The knee is the smallest profiled share from which another step brings less than `gain` of throughput for as much
 * more share. Each epoch a service that missed more than `miss` of its deadlines goes one profiled share up, one
 * whose longest batch took less than `slack` of the SLO and that missed nothing goes one down, not below the knee.
 * The new replica is prepared beside the old one, which goes when it is ready. Batches grow by one while full ones
 * are in time and shrink by how much they overshoot. Assumed: one replica a service; thresholds, which the paper
 * learns.
 */
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    double gain, miss, slack;
    orr_time period;
};

static const orr_knob knobs[] = {
    {"gain", ORR_KNOB_NUMBER, offsetof(struct knobs, gain), "0.5", "0..1",
     "of the share's own growth that throughput must grow by before the knee"},
    {"miss", ORR_KNOB_NUMBER, offsetof(struct knobs, miss), "0.01", "0..1", "of an epoch's answers that may be late"},
    {"slack", ORR_KNOB_NUMBER, offsetof(struct knobs, slack), "0.5", "0..1",
     "of the SLO: a service below may have less"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "5s", "100ms..1h", "an epoch"},
    {0},
};

struct mine {
    int32_t extra;           /* largest batch - 1 */
    uint32_t answered, late; /* of this epoch */
    orr_time longest;        /* batch of this epoch */
    orr_time since;
    int32_t fresh; /* the replica being prepared + 1; 0: none */
};

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const struct mine *m = orr_service_priv(ctx, f->service);
    (void)exec;
    if (f->take > 1 + m->extra)
        f->take = 1 + m->extra;
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    struct mine *m = orr_service_priv(ctx, b->service);
    m->answered += (uint32_t)b->size;
    m->late += (uint32_t)b->late;
    m->longest = b->exec > m->longest ? b->exec : m->longest;
    if (b->exec > b->slo) { /* by so much of it as it was too long */
        const double over = (double)(b->exec - b->slo) / (double)b->exec;
        const int32_t limit = (int32_t)((1 + m->extra) * (1 - over));
        m->extra = limit > 1 ? limit - 1 : 0;
    } else if (b->size > m->extra && b->size < orr_variant_of(ctx, b->variant)->max_batch) {
        m->extra++;
    }
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* The next profiled share above (dir > 0) or below; 0: none. */
static int32_t neighbour(const orr_variant *v, int32_t milli, int dir)
{
    int32_t best = 0;
    for (int32_t i = 0; i < v->profile_count; i++) {
        const int32_t at = v->profiles[i].milli;
        if (v->profiles[i].gpus > 1 || (dir > 0 ? at <= milli : at >= milli))
            continue;
        if (!best || (dir > 0 ? at < best : at > best))
            best = at;
    }
    return best;
}

/* Requests a second of the largest batch within the SLO. */
static double throughput(orr_ctx *ctx, orr_variant_id variant, int32_t milli, double slo)
{
    double best = 0;
    for (int32_t b = 1; b <= orr_variant_of(ctx, variant)->max_batch; b++) {
        const double seconds = orr_variant_time(ctx, variant, -1, milli, 1, b);
        if (!isnan(seconds) && (seconds <= slo || b == 1))
            best = fmax(best, b / seconds);
    }
    return best;
}

static int32_t knee(orr_ctx *ctx, orr_variant_id variant, double slo)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_variant *v = orr_variant_of(ctx, variant);
    int32_t at = neighbour(v, 0, 1);
    for (int32_t next; (next = neighbour(v, at, 1)) != 0; at = next) {
        const double now = throughput(ctx, variant, at, slo);
        if ((throughput(ctx, variant, next, slo) / now - 1) < k->gain * ((double)next / at - 1))
            break;
    }
    return at;
}

/* ---- an epoch ---------------------------------------------------------------------------------------------------- */

static int32_t share_wanted(orr_ctx *ctx, orr_service_id service, const struct mine *m, int32_t now)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_service *spec = orr_service_of(ctx, service);
    const orr_variant_id variant = orr_service_current(ctx, service);
    const double slo = (double)spec->classes[0].slo * 1e-9;
    const int32_t least = knee(ctx, variant, slo);
    int32_t next = 0;
    if (now < least)
        next = least;
    else if (m->late > k->miss * m->answered)
        next = neighbour(orr_variant_of(ctx, variant), now, 1);
    else if (m->late == 0 && now > least && (double)m->longest * 1e-9 < k->slack * slo)
        next = neighbour(orr_variant_of(ctx, variant), now, -1);
    return next ? next : now;
}

static void adjust(orr_ctx *ctx, orr_service_id service, struct mine *m)
{
    const orr_replica_id *replicas;
    const orr_variant_id variant = orr_service_current(ctx, service);
    if (m->fresh || orr_variant_replicas(ctx, variant, &replicas) != 1)
        return;
    const int32_t now = orr_exec_milli(ctx, orr_replica_exec(ctx, replicas[0])),
                  next = share_wanted(ctx, service, m, now);
    const orr_replica_ask ask = {
        .variant = variant, .on = -1, .type = -1, .milli = next, .gpus = 1, .market = -1, .node = -1};
    orr_replica_id id;
    m->answered = m->late = 0;
    m->longest = 0;
    if (next != now && orr_replica_add(ctx, &ask, &id) == ORR_OK)
        m->fresh = id + 1;
}

/* Who is ready takes over. */
static void hand_over(orr_ctx *ctx, orr_service_id service, struct mine *m)
{
    const orr_replica_id *replicas;
    orr_replica_id old = -1;
    if (!m->fresh || orr_replica_phase(ctx, m->fresh - 1) != ORR_PHASE_READY)
        return;
    const int32_t n = orr_variant_replicas(ctx, orr_service_current(ctx, service), &replicas);
    for (int32_t i = 0; i < n; i++)
        if (replicas[i] != m->fresh - 1)
            old = replicas[i];
    m->fresh = 0;
    if (old >= 0)
        orr_replica_drain(ctx, old);
}

static orr_err decide(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time now = orr_serve_now(ctx);
    for (orr_service_id i = 0; i < orr_services_count(ctx); i++) {
        struct mine *m = orr_service_priv(ctx, i);
        hand_over(ctx, i, m);
        if (now && now - m->since < k->period)
            continue;
        m->since = now;
        adjust(ctx, i, m);
    }
    return ORR_OK;
}

static const orr_batcher batcher = {.form = form, .on_done = on_done};

ORR_SERVE(gslice) = {
    .summary = "GPU shares at the knee of the profile, more while late; the new one is ready before the old one goes",
    .cite = "Dhakal et al., GSLICE, SoCC 2020",
    .deviations = "the switch takes no time, but the new replica needs room beside the old one, on any GPU, and its "
                  "weights are loaded anew; shares move among those that are profiled; where knees don't fit "
                  "together nothing is scaled down; one replica a service",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .batcher = &batcher,
    .period = "5s",
    .decide = decide,
};
