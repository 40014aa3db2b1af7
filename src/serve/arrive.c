/* From sources to queues. */
#include "serve/cache.h"
#include "serve/iter.h"
#include "serve/journeys.h"
#include "serve/weights.h"

#include <math.h>

/* ---- what is pulled ---------------------------------------------------------------------------------------------- */

static void pull_one(orr_sv_service *v)
{
    if (v->ahead.n == v->ahead.cap) {
        const uint32_t cap = v->ahead.cap ? v->ahead.cap * 2 : 8;
        orr_arrival *at = orr_xmalloc(cap * sizeof *at);
        for (uint32_t i = 0; i < v->ahead.n; i++)
            at[i] = v->ahead.at[(v->ahead.head + i) & (v->ahead.cap - 1)];
        free(v->ahead.at);
        v->ahead.at = at;
        v->ahead.cap = cap;
        v->ahead.head = 0;
    }
    orr_pull_next(v->pull, &v->ahead.at[(v->ahead.head + v->ahead.n++) & (v->ahead.cap - 1)]);
}

static orr_time peek(orr_sv_service *v)
{
    return v->ahead.n ? v->ahead.at[v->ahead.head].at : orr_pull_peek(v->pull);
}

static void take(orr_sv_service *v, orr_arrival *out)
{
    if (!v->ahead.n) {
        orr_pull_next(v->pull, out);
        return;
    }
    *out = v->ahead.at[v->ahead.head];
    v->ahead.head = (v->ahead.head + 1) & (v->ahead.cap - 1);
    v->ahead.n--;
}

/* A closed loop's next arrivals depend on answers: what is pulled early would be wrong. */
orr_time orr_serving_look(orr_serving *s, orr_sv_service *v, uint32_t n)
{
    (void)s;
    if (v->spec->source.kind == ORR_SOURCE_CLOSED)
        return n == 1 ? peek(v) : ORR_TIME_MAX;
    while (v->ahead.n < n && orr_pull_peek(v->pull) != ORR_TIME_MAX)
        pull_one(v);
    return v->ahead.n < n ? ORR_TIME_MAX : v->ahead.at[(v->ahead.head + n - 1) & (v->ahead.cap - 1)].at;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void make_record(orr_sv_service *v, const orr_arrival *a, uint8_t *out)
{
    const orr_time slo = v->spec->classes[a->class_].slo;
    memset(out, 0, v->stride);
    *(orr_req *)(void *)out = (orr_req){.arrival = a->at,
                                        .deadline = orr_time_add(a->at, slo),
                                        .number = v->next_number++,
                                        .class_ = a->class_};
    if (v->tokens_at)
        *(orr_req_tokens *)(void *)(out + v->tokens_at) = (orr_req_tokens){.in = a->tokens_in, .out = a->tokens_out};
    if (v->input_at)
        *(uint64_t *)(void *)(out + v->input_at) = a->input;
}

double orr_serving_key(orr_serving *s, const orr_sv_service *v, const orr_req *req)
{
    switch (s->batcher ? (orr_queue_order)s->batcher->order : ORR_QUEUE_FIFO) {
    case ORR_QUEUE_EDF:
        return (double)req->deadline;
    case ORR_QUEUE_PRIORITY:
        return -(double)v->spec->classes[req->class_].priority;
    case ORR_QUEUE_FAIR: { /* by virtual finish: a class of weight w moves on by 1/w a request */
        double *clock = &v->fair[req->class_];
        *clock = fmax(*clock, v->fair[v->spec->class_count]) + 1 / v->spec->classes[req->class_].weight;
        return *clock;
    }
    case ORR_QUEUE_KEYED: {
        const double key = s->batcher->key ? s->batcher->key(s->seats[ORR_SEAT_BATCHER], v->id, req) : 0;
        return isnan(key) ? INFINITY : key;
    }
    case ORR_QUEUE_FIFO:
        break;
    }
    return 0;
}

orr_sv_queue *orr_serving_queue(orr_serving *s, orr_dest dest)
{
    return dest.replica >= 0 ? &s->replicas.at[dest.replica].queue : &s->variants.at[dest.variant].central;
}

/* ---- clients who leave ------------------------------------------------------------------------------------------- */

static orr_time leaves_at(const orr_sv_service *v, const uint8_t *record)
{
    return orr_time_add(((const orr_req *)(const void *)record)->arrival, v->spec->timeout);
}

/* O(waiting), and O(waiting log waiting) for each that leaves. */
static void leave_heap(orr_serving *s, orr_sv_service *v, orr_sv_queue *q, orr_time now)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    for (uint32_t i = 0; i < q->n;) {
        if (leaves_at(v, orr_sv_nth(q, i)) > now) {
            i++;
            continue;
        }
        memcpy(record, orr_sv_nth(q, i), q->stride);
        orr_sv_remove(q, i);
        orr_serving_drop_at(s, v, record, ORR_DROP_TIMEOUT, leaves_at(v, record));
    }
}

/* Those who came first leave first, where the queue is in that order. */
static void leave(orr_serving *s, orr_sv_service *v, orr_sv_queue *q, orr_time now)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    if (v->spec->timeout == ORR_TIME_MAX || q->keyed)
        return;
    while (q->n && leaves_at(v, orr_sv_head(q)) <= now) {
        orr_sv_pop(q, record);
        orr_serving_drop_at(s, v, record, ORR_DROP_TIMEOUT, leaves_at(v, record));
    }
    if (s->store && !q->n)
        orr_serving_arm(s, v);
}

static orr_time first_to_leave(const orr_sv_service *v, orr_sv_queue *q)
{
    orr_time first = ORR_TIME_MAX;
    for (uint32_t i = 0; i < q->n && (q->keyed || i == 0); i++) {
        const orr_time at = leaves_at(v, orr_sv_nth(q, i));
        first = at < first ? at : first;
    }
    return first;
}

static void leave_at(orr_serving *s, orr_sv_service *v, orr_time at)
{
    if (v->leave || at == ORR_TIME_MAX)
        return;
    s->asked_for++;
    v->leave = orr_queue_add(s->queue, &(orr_queued){.at = at > s->now ? at : s->now,
                                                     .class_ = ORR_CLASS_TIMER,
                                                     .kind = ORR_SV_LEAVE,
                                                     .cookie = (uint64_t)v->id});
}

/* The event stands for the first who may leave; when that one was served before, it is moved on. */
void orr_serving_leave(orr_serving *s, orr_sv_service *v)
{
    orr_time next = ORR_TIME_MAX;
    for (orr_variant_id a = v->first; a < v->first + v->spec->variant_count; a++)
        for (size_t i = 0; i <= s->variants.at[a].replicas.n; i++) {
            const bool own = i < s->variants.at[a].replicas.n;
            const orr_dest dest = {.variant = a, .replica = own ? s->variants.at[a].replicas.at[i] : -1};
            orr_sv_queue *q = orr_serving_queue(s, dest);
            if (q->keyed)
                leave_heap(s, v, q, s->now);
            else
                leave(s, v, q, s->now);
            const orr_time first = first_to_leave(v, orr_serving_queue(s, dest));
            next = first < next ? first : next;
        }
    s->asked_for--;
    v->leave = 0;
    leave_at(s, v, next);
}

void orr_serving_expire(orr_serving *s, orr_sv_queue *q)
{
    leave(s, orr_sv_service_of(s, q->variant), q, s->now);
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static bool full(orr_serving *s, orr_sv_service *v, orr_sv_queue *q, orr_time at)
{
    if (!v->spec->bound || q->n < (uint64_t)v->spec->bound)
        return false;
    leave(s, v, q, at);
    return q->n >= (uint64_t)v->spec->bound;
}

/* Where some wait until more have come, the first of them. */
static orr_exec_id first_taker(const orr_serving *s, const orr_sv_variant *variant)
{
    orr_exec_id e = variant->idle_made ? orr_bits_next(&variant->idle, 0) : -1;
    while (e >= 0 && variant->waiting_execs && !(s->execs.at[e].waits && s->execs.at[e].waits_for == variant->id))
        e = orr_bits_next(&variant->idle, e + 1);
    return e;
}

/* Who is free and may take from it: the one of the replica, or the first of the variant's, which passes on what it
 * leaves. */
static void touch_takers(orr_serving *s, const orr_sv_queue *q)
{
    orr_sv_variant *variant = &s->variants.at[q->variant];
    if (q->replica >= 0) {
        orr_serving_touch(s, s->replicas.at[q->replica].exec);
        return;
    }
    if (variant->iter && (q->n >= (uint32_t)q->wake_at || !variant->waiting_execs)) {
        orr_serving_iter_rouse(s, variant->id, -1);
    } else if (q->n >= (uint32_t)q->wake_at || !variant->waiting_execs) {
        const orr_exec_id first = first_taker(s, variant);
        if (first >= 0)
            orr_serving_touch(s, first);
    }
}

void orr_serving_back(orr_serving *s, orr_sv_service *v, uint8_t *record, orr_variant_id variant)
{
    orr_sv_queue *q = &s->variants.at[variant].central;
    orr_serving_catch_up(s, v); /* those who came until now found the queue without it */
    orr_sv_push_front(q, record, q->keyed ? orr_serving_key(s, v, (const orr_req *)(const void *)record) : 0);
    if (v->leaves)
        leave_at(s, v, leaves_at(v, record));
}

void orr_serving_enqueue(orr_serving *s, uint8_t *record, orr_dest dest)
{
    orr_sv_queue *q = orr_serving_queue(s, dest);
    orr_sv_service *v = orr_sv_service_of(s, dest.variant);
    const orr_req *req = (const orr_req *)(const void *)record;
    if (full(s, v, q, s->now)) {
        orr_serving_drop(s, v, record, ORR_DROP_FULL);
        return;
    }
    orr_sv_push(q, record, q->keyed ? orr_serving_key(s, v, req) : 0);
    if (v->leaves)
        leave_at(s, v, leaves_at(v, record));
    if (s->batcher && s->batcher->on_arrive)
        s->batcher->on_arrive(s->seats[ORR_SEAT_BATCHER], req, dest);
    touch_takers(s, q);
    if (s->store)
        orr_serving_weights_missed(s, dest);
}

orr_dest orr_serving_routed(orr_serving *s, const orr_sv_service *v, orr_dest dest)
{
    const bool mine = dest.variant >= v->first && dest.variant < v->first + v->spec->variant_count;
    const orr_sv_replica *r =
        dest.replica >= 0 && dest.replica < (int32_t)s->replicas.n ? &s->replicas.at[dest.replica] : NULL;
    const bool takes = dest.replica < 0 || (r && r->variant == dest.variant && r->phase < ORR_PHASE_DRAINING);
    if (mine && (dest.remote ? orr_serving_sold(s->variants.at[dest.variant].spec) : takes))
        return dest;
    orr_serving_violation(s, ORR_E_SERVE_DECISION, "router: variant %d, replica %d can't take a request of '%s'",
                          dest.variant, dest.replica, v->spec->name);
    return (orr_dest){.variant = v->current, .replica = -1};
}

void orr_serving_enter(orr_serving *s, orr_sv_service *v, uint8_t *record)
{
    orr_req *req = (orr_req *)(void *)record;
    if (v->budget && orr_time_add(req->arrival, v->budget) < req->deadline)
        req->deadline = orr_time_add(req->arrival, v->budget);
    if (s->selector && s->selector->select)
        orr_serving_select(s, v, record);
    else
        orr_serving_member(s, v, record, v->current);
}

void orr_serving_come(orr_serving *s, orr_sv_service *v, uint8_t *record)
{
    orr_serving_came(s, v, ((const orr_req *)(const void *)record)->arrival);
    orr_serving_enter(s, v, record);
}

void orr_serving_member(orr_serving *s, orr_sv_service *v, uint8_t *record, orr_variant_id variant)
{
    const orr_req *req = (const orr_req *)(const void *)record;
    orr_dest dest = {.variant = variant, .replica = -1};
    if (v->cache && orr_serving_cache_ask(s, v, record, variant))
        return;
    if (s->router && s->router->route)
        dest = orr_serving_routed(s, v, s->router->route(s->seats[ORR_SEAT_ROUTER], v->id, req, dest.variant));
    if (s->dropper && s->dropper->admit && !s->dropper->admit(s->seats[ORR_SEAT_DROPPER], v->id, req, dest)) {
        orr_serving_drop(s, v, record, ORR_DROP_REFUSED);
        return;
    }
    if (dest.remote)
        orr_serving_call(s, record, dest.variant);
    else
        orr_serving_enqueue(s, record, dest);
}

/* ---- catching up, and events ------------------------------------------------------------------------------------- */

/* Each is looked at as of its own time: the bound, and who has left by then. */
void orr_serving_catch_up(orr_serving *s, orr_sv_service *v)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    orr_sv_queue *q = &s->variants.at[v->current].central;
    if (v->eager || !v->pull)
        return;
    while (peek(v) <= s->now) {
        orr_arrival a;
        take(v, &a);
        make_record(v, &a, record);
        orr_serving_came(s, v, a.at);
        if (full(s, v, q, a.at))
            orr_serving_drop_at(s, v, record, ORR_DROP_FULL, a.at);
        else
            orr_sv_push(q, record, q->keyed ? orr_serving_key(s, v, (const orr_req *)(const void *)record) : 0);
    }
}

static void arrive_eagerly(orr_serving *s, orr_sv_service *v)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    while (peek(v) <= s->now) {
        orr_arrival a;
        take(v, &a);
        make_record(v, &a, record);
        orr_serving_came(s, v, a.at);
        orr_serving_enter(s, v, record);
    }
}

static void arrive_lagging(orr_serving *s, orr_sv_service *v)
{
    orr_serving_catch_up(s, v);
    if (s->store)
        orr_serving_weights_missed(s, (orr_dest){.variant = v->current, .replica = -1});
    if (s->variants.at[v->current].central.n)
        touch_takers(s, &s->variants.at[v->current].central);
}

void orr_serving_arrivals(orr_serving *s, orr_sv_service *v)
{
    if (v->eager)
        arrive_eagerly(s, v);
    else
        arrive_lagging(s, v);
    orr_serving_arm(s, v);
}

/* Of a lagging service nobody looks at arrivals while all who could take them are busy, or wait for more. Where there
 * is nobody, they are what the run goes on for. */
static bool would_be_seen(const orr_serving *s, const orr_sv_service *v)
{
    const orr_sv_variant *variant = &s->variants.at[v->current];
    return v->eager || !variant->replicas.n || orr_serving_weights_heeds(variant) ||
           (variant->idle_made && orr_bits_next(&variant->idle, 0) >= 0 && !variant->waiting_execs);
}

void orr_serving_arm(orr_serving *s, orr_sv_service *v)
{
    if (!s->variants.at[v->current].replicas.n)
        orr_serving_catch_up(s, v); /* nobody else will */
    const orr_time next = v->pull && would_be_seen(s, v) ? peek(v) : ORR_TIME_MAX, at = next > s->now ? next : s->now;
    if (at == ORR_TIME_MAX) {
        orr_queue_cancel(s->queue, v->arrive);
        v->arrive = 0;
    } else if (!v->arrive || v->arrive_at != at) {
        v->arrive_at = at;
        if (!orr_queue_move(s->queue, v->arrive, at))
            v->arrive = orr_queue_add(
                s->queue,
                &(orr_queued){.at = at, .class_ = ORR_CLASS_SUBMIT, .kind = ORR_SV_ARRIVE, .cookie = (uint64_t)v->id});
    }
}
