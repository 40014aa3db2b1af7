/* rafiki-sync: all variants answer each batch together, and the majority counts; of ties the most accurate one's vote.
 *
 * Source: Wang et al., "Rafiki: machine learning as an analytics service system", VLDB 2018, section 5.2 (synchronous
 * ensembles with the greedy algorithm). The largest batch of a fixed set runs when it is full. Else b is the largest
 * that is full, and it runs when the slowest variant's time for it, the oldest one's wait and a back-off together reach
 * the SLO. All begin at once, and the next batch begins when the slowest is done.
 *
 *     10 and 30 ms for any batch of up to 2, SLO 100 ms, back-off 0.1: a single request starts after 100 - 10 - 30 = 60
 *
 * Assumed: a variant's first ready replica does its part; where fewer wait than the smallest batch, all of them run. */
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    orr_list_of_numbers sizes;
    double back_off;
};

static const orr_knob knobs[] = {
    {"sizes", ORR_KNOB_LIST, offsetof(struct knobs, sizes), "16/32/48/64", "1..1000000", "batches that there are"},
    {"back_off", ORR_KNOB_NUMBER, offsetof(struct knobs, back_off), "0.1", "0..1", "of the SLO, kept in hand"},
    {0},
};

struct mine { /* of a service */
    uint32_t asked; /* set of variants, by place, that are still to begin their part */
    int32_t batch;  /* that goes on; 0: none */
};

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Where the i-th variant's part is done; -1: nowhere. */
static orr_replica_id member(orr_ctx *ctx, orr_service_id service, int32_t i)
{
    const orr_replica_id *list;
    const int32_t n = orr_variant_replicas(ctx, orr_service_variant(ctx, service, i), &list);
    for (int32_t k = 0; k < n; k++)
        if (orr_replica_phase(ctx, list[k]) == ORR_PHASE_READY)
            return list[k];
    return -1;
}

static int32_t members(orr_ctx *ctx, orr_service_id service)
{
    const int32_t n = orr_service_of(ctx, service)->variant_count;
    return n < ORR_FAN_MOST ? n : ORR_FAN_MOST;
}

static void choose(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    int32_t n = 0;
    (void)req;
    for (int32_t i = 0; i < members(ctx, service); i++) {
        const orr_variant_id v = orr_service_variant(ctx, service, i);
        const double accuracy = orr_variant_of(ctx, v)->accuracy;
        if (member(ctx, service, i) < 0)
            continue;
        fan->variants[n] = v;
        fan->weights[n++] = 1 + (isnan(accuracy) ? 0 : accuracy / 100); /* so that it decides ties only */
    }
    fan->count = n ? n : fan->count;
    fan->answer_by = ORR_TIME_MAX;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* The largest size <= `most` that so many fill, or the smallest one; *next: the one after it, 0: none. */
static int32_t size_for(const struct knobs *k, int32_t waiting, int32_t most, int32_t *next)
{
    int32_t least = most, full = 0;
    *next = 0;
    for (int32_t i = 0; i < k->sizes.count; i++) {
        const int32_t s = k->sizes.at[i] < most ? (int32_t)k->sizes.at[i] : most;
        least = s < least ? s : least;
        full = s <= waiting && s > full ? s : full;
        *next = s > waiting && (!*next || s < *next) ? s : *next;
    }
    return full ? full : least;
}

/* The smallest of the members' largest batches, and the slowest one's time for a batch. */
static int32_t largest(orr_ctx *ctx, orr_service_id service)
{
    int32_t most = INT32_MAX;
    for (int32_t i = 0; i < members(ctx, service); i++) {
        const int32_t own = orr_variant_of(ctx, orr_service_variant(ctx, service, i))->max_batch;
        most = member(ctx, service, i) >= 0 && own < most ? own : most;
    }
    return most;
}

static double slowest(orr_ctx *ctx, orr_service_id service, int32_t batch)
{
    double most = 0;
    for (int32_t i = 0; i < members(ctx, service); i++) {
        const orr_replica_id r = member(ctx, service, i);
        const orr_exec_id e = r < 0 ? -1 : orr_replica_exec(ctx, r);
        most = r < 0 ? most : fmax(most, orr_exec_time(ctx, e, orr_replica_variant(ctx, r), batch));
    }
    return most;
}

/* Members for whom requests wait; *busy: some member works. */
static uint32_t able(orr_ctx *ctx, orr_service_id service, bool *busy)
{
    uint32_t set = 0;
    *busy = false;
    for (int32_t i = 0; i < members(ctx, service); i++) {
        const orr_dest queue = {.variant = orr_service_variant(ctx, service, i), .replica = -1};
        const orr_replica_id r = member(ctx, service, i);
        set |= (uint32_t)(r >= 0 && orr_dest_waiting(ctx, queue) > 0) << i;
        *busy = *busy || (r >= 0 && orr_exec_busy(ctx, orr_replica_exec(ctx, r)) > 0);
    }
    return set;
}

static void rouse(orr_ctx *ctx, orr_service_id service)
{
    for (int32_t i = 0; i < members(ctx, service); i++) {
        const orr_replica_id r = member(ctx, service, i);
        if (r >= 0)
            orr_exec_wake(ctx, orr_replica_exec(ctx, r), orr_serve_now(ctx));
    }
}

/* How many are due now; 0: none, and the executor waits. */
static int32_t due(orr_ctx *ctx, orr_form *f)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time slo = orr_service_of(ctx, f->service)->classes[0].slo;
    int32_t next;
    const int32_t size = size_for(k, f->waiting, largest(ctx, f->service), &next);
    const int32_t batch = size < f->waiting ? size : f->waiting;
    const double wait = (double)slo * (1 - k->back_off) - slowest(ctx, f->service, size) * 1e9;
    const orr_time until = orr_time_add(f->head->arrival, wait > 0 ? (orr_time)wait : 0);
    if (!next || slo == ORR_TIME_MAX || orr_serve_now(ctx) >= until)
        return batch;
    orr_form_wait(ctx, f, next, until);
    return 0;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    struct mine *m = orr_service_priv(ctx, f->service);
    const int32_t place = f->variant - orr_service_variant(ctx, f->service, 0);
    bool busy;
    const uint32_t ready = able(ctx, f->service, &busy);
    (void)exec;
    f->take = 0;
    if (place >= ORR_FAN_MOST || member(ctx, f->service, place) != f->replica)
        return;
    m->asked &= ready;
    if (!m->asked && !busy && (m->batch = due(ctx, f)) > 0) {
        m->asked = ready;
        rouse(ctx, f->service);
    }
    if (m->asked >> place & 1)
        f->take = m->batch < f->waiting ? m->batch : f->waiting;
    m->asked &= ~(UINT32_C(1) << place);
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    if (!((const struct mine *)orr_service_priv(ctx, b->service))->asked)
        rouse(ctx, b->service);
}

static const orr_selector selector = {.summary = "all variants, one vote each", .select = choose};
static const orr_batcher batcher = {.summary = "the same batch of all at once", .form = form, .on_done = on_done};

ORR_SERVE(rafiki_sync) = {
    .summary = "all variants answer each batch together, as late as the SLO lets it be; the majority counts",
    .cite = "Wang et al., Rafiki, VLDB 2018, section 5.2; code nginyc/rafiki",
    .deviations = "all variants always: subsets are the reinforcement learner's, which isn't here; one replica of each; "
                  "where one is lost the others go on without it",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_ACCURACY] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .selector = &selector,
    .batcher = &batcher,
};
