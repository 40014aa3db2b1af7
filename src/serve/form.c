/* Batches: who is asked what runs next, how long it takes, and its end. */
#include "serve/iter.h"
#include "serve/preempt.h"
#include "serve/serving.h"
#include "serve/sharing.h"
#include "serve/weights.h"

#include <math.h>

/* ---- how long ---------------------------------------------------------------------------------------------------- */

/* Profiles are measured: the nearest ns is as true as any. */
static orr_time nearest(double seconds)
{
    return (orr_time)floor(seconds * 1e9 + 0.5);
}

/* Of mean 1; a batch's is its first request's. */
double orr_serving_factor(const orr_serving *s, const orr_sv_replica *r, int32_t size, uint32_t number)
{
    if (!r->noise)
        return 1;
    const orr_sv_service *v = &s->services.at[s->variants.at[r->variant].service];
    return orr_scattering_draw(&r->noise[r->profile->measured_noise ? size : 0], orr_sv_key(v, number, 1));
}

/* Through the stages: each begins when the one before has ended and it is free itself. Returns when the last one ends.
 */
static orr_time walk(orr_sv_exec *e, const orr_sv_replica *r, int32_t size, double stretch, orr_time from)
{
    for (int32_t k = 0; k < e->stages; k++) {
        const double seconds = r->stage_seconds[(size_t)size * (size_t)e->stages + (size_t)k];
        from = (from > e->stage_free[k] ? from : e->stage_free[k]) + nearest(seconds * stretch);
        e->stage_free[k] = from;
    }
    return from;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

bool orr_serving_takes(const orr_sv_exec *e, orr_time now)
{
    return e->alive && (e->stages > 1 ? e->stage_free[0] <= now : e->busy < e->slots || orr_serving_iter_room(e));
}

static uint32_t free_slot(orr_sv_exec *e)
{
    for (uint32_t i = 0; i < e->at.n; i++) /* slots of one executor are few, and mostly one */
        if (!e->at.at[i].size)
            return i;
    ORR_VEC_PUSH(&e->at, (orr_sv_slot){0});
    return (uint32_t)e->at.n - 1;
}

void orr_serving_schedule_end(orr_serving *s, const orr_sv_exec *e, uint32_t place)
{
    orr_sv_slot *slot = &s->execs.at[e->id].at.at[place];
    if (!orr_queue_move(s->queue, slot->event, slot->end))
        slot->event = orr_queue_add(s->queue, &(orr_queued){.at = slot->end,
                                                            .class_ = ORR_CLASS_END,
                                                            .kind = ORR_SV_BATCH,
                                                            .cookie = (uint64_t)e->id << 32 | place});
}

/* Operators that are done already take no time again. */
static void stop_after(orr_serving *s, orr_sv_slot *slot, const orr_exec_profile *p, int32_t op)
{
    const double until = orr_serving_until(p, op), from = 1 - slot->work / slot->whole;
    if (until <= from)
        return;
    slot->stops = true;
    slot->redo = false;
    slot->stop_at = until;
    slot->end = s->now + nearest((until - from) * slot->whole / slot->rate);
    orr_queue_move(s->queue, slot->event, slot->end);
}

static bool start(orr_serving *s, orr_sv_exec *e, const orr_form *f, orr_sv_queue *q)
{
    orr_sv_replica *r = &s->replicas.at[f->replica];
    if (s->store)
        orr_serving_weights_used(s, r);
    if (r->profile->kind == ORR_EXEC_ITER)
        return orr_serving_iter_start(s, e->id, f, q);
    const uint32_t place = free_slot(e);
    orr_sv_slot *slot = &e->at.at[place];
    const size_t need = (size_t)f->take * q->stride;
    if (slot->room < need) {
        slot->reqs = orr_xrealloc(slot->reqs, need, 1);
        slot->room = need;
    }
    for (int32_t i = 0; i < f->take; i++)
        orr_sv_pop(q, slot->reqs + (size_t)i * q->stride);
    slot->replica = f->replica;
    slot->size = f->take;
    slot->start = slot->since = s->now;
    slot->stops = false; /* the one before may have been lost on its way to a stop */
    const double stretch = orr_serving_factor(s, r, f->take, ((const orr_req *)(const void *)slot->reqs)->number);
    slot->whole = slot->work = r->seconds[f->take] * stretch;
    slot->rate = e->rate;
    const orr_sv_service *v = orr_sv_service_of(s, r->variant);
    const double left = v->left_at ? orr_serving_left(v, slot->reqs, f->take) : 1;
    slot->work *= left;
    if (e->stages > 1)
        slot->end = walk(e, r, f->take, stretch, s->now);
    else if (stretch == 1 && e->rate == 1 && left == 1)
        slot->end = s->now + r->times[f->take];
    else
        slot->end = s->now + nearest(slot->work / e->rate);
    e->busy++;
    r->batches++;
    s->batches++;
    orr_serving_schedule_end(s, e, place);
    if (f->until_op && v->left_at && f->until_op < r->profile->op_count)
        stop_after(s, slot, r->profile, f->until_op);
    if (e->slows)
        orr_serving_loaded(s, e->id);
    return true;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static int32_t smaller(uint32_t n, int32_t most)
{
    return n < (uint32_t)most ? (int32_t)n : most;
}

static const orr_req *head_of(const orr_sv_queue *q)
{
    return (const orr_req *)(const void *)orr_sv_head(q);
}

/* Which of two heads goes first: by key where queues have one, then who came first. */
static bool goes_first(const orr_sv_queue *a, const orr_sv_queue *b)
{
    if (a->keyed && a->keys[0] != b->keys[0])
        return a->keys[0] < b->keys[0];
    return head_of(a)->arrival < head_of(b)->arrival;
}

/* The queue whose head is the first, of those that an executor may take from; of its first replica, where nothing
 * waits. */
orr_sv_queue *orr_serving_first_queue(orr_serving *s, const orr_sv_exec *e, orr_replica_id *replica)
{
    orr_sv_queue *best = NULL;
    *replica = -1;
    for (size_t i = 0; i < e->replicas.n; i++) {
        orr_sv_replica *r = &s->replicas.at[e->replicas.at[i]];
        if (r->phase != ORR_PHASE_READY && !(r->phase == ORR_PHASE_DRAINING && r->queue.n))
            continue;
        orr_sv_queue *own = &r->queue, *central = &s->variants.at[r->variant].central;
        orr_serving_catch_up(s, orr_sv_service_of(s, r->variant));
        orr_serving_expire(s, own);
        orr_serving_expire(s, central);
        if (*replica < 0)
            *replica = r->id;
        if (own->n && (!best || goes_first(own, best)))
            best = own, *replica = r->id;
        if (r->phase == ORR_PHASE_READY && central->n && (!best || goes_first(central, best)))
            best = central, *replica = r->id;
    }
    if (!best && *replica >= 0)
        best = &s->variants.at[s->replicas.at[*replica].variant].central;
    return best;
}

orr_form orr_serving_fill(orr_serving *s, const orr_sv_queue *q, orr_replica_id replica)
{
    const orr_sv_replica *r = &s->replicas.at[replica];
    const bool batches = (s->batcher && s->batcher->form) || orr_serving_iter_steps(s, r);
    return (orr_form){.service = s->variants.at[r->variant].service,
                      .variant = r->variant,
                      .replica = replica,
                      .central = q->replica < 0,
                      .waiting = (int32_t)q->n,
                      .take = smaller(q->n, batches ? r->max_batch : 1),
                      .head = head_of(q),
                      .wait_until = ORR_TIME_MAX};
}

void orr_serving_drop_heads(orr_serving *s, orr_sv_queue *q, int32_t n, orr_drop_why why)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    for (; n > 0 && q->n; n--) {
        orr_sv_pop(q, record);
        orr_serving_drop(s, orr_sv_service_of(s, q->variant), record, why);
    }
}

static void violated(orr_serving *s, const char *what, int64_t value)
{
    orr_serving_violation(s, ORR_E_SERVE_DECISION, "batcher: %s %lld", what, (long long)value);
}

/* Is the answer one that can be done? */
static bool legal(orr_serving *s, const orr_sv_exec *e, const orr_form *f, const orr_sv_queue *q)
{
    const orr_sv_replica *r =
        f->replica >= 0 && f->replica < (int32_t)s->replicas.n ? &s->replicas.at[f->replica] : NULL;
    if (!r || r->exec != e->id)
        return violated(s, "replica of another executor:", f->replica), false;
    if (r->phase != ORR_PHASE_READY && r->phase != ORR_PHASE_DRAINING)
        return violated(s, "replica that isn't ready, or without its weights:", f->replica), false;
    if (f->variant != r->variant || f->service != s->variants.at[r->variant].service ||
        (r->phase == ORR_PHASE_DRAINING && f->central))
        return violated(s, "another variant's queue:", f->variant), false;
    if (f->wait_for && (f->wait_for <= f->waiting || f->wait_until <= s->now))
        return violated(s, "it waits for what is there:", f->wait_for), false;
    if (f->take < 0 || (uint32_t)f->take > q->n || f->take > r->max_batch || (f->take && isnan(r->seconds[f->take])))
        return violated(s, "illegal batch size", f->take), false;
    if (f->drop < 0 || (uint32_t)f->drop > q->n - (uint32_t)f->take)
        return violated(s, "illegal number of drops", f->drop), false;
    return true;
}

/* Asked until dropper and batcher agree; each pass drops something, so it ends. */
static bool ask(orr_serving *s, orr_exec_id id, orr_form *f, orr_sv_queue **from)
{
    const orr_dropper *d = s->dropper && s->dropper->shed ? s->dropper : NULL;
    for (;;) {
        orr_replica_id replica;
        const orr_sv_exec *e = &s->execs.at[id];
        orr_sv_queue *q = orr_serving_first_queue(s, e, &replica);
        const bool empty = s->batcher && (s->batcher->flags & ORR_BATCHER_ASK_EMPTY);
        if (replica < 0 || (!q->n && !empty))
            return false;
        *f = orr_serving_fill(s, q, replica);
        s->forms++;
        if (s->batcher && s->batcher->form && !orr_serving_iter_steps(s, &s->replicas.at[replica])) {
            s->forming = true;
            s->form_exec = e->id;
            s->batcher->form(s->seats[ORR_SEAT_BATCHER], e->id, f);
            s->forming = false;
        }
        if (f->replica != replica || f->central != (q->replica < 0)) {
            if (f->replica < 0 || f->replica >= (int32_t)s->replicas.n ||
                f->variant != s->replicas.at[f->replica].variant)
                return violated(s, "no replica, or not of this variant:", f->replica), false;
            q = orr_serving_queue(s, orr_form_dest(f));
        }
        *from = q;
        if (s->world->fault.code || !legal(s, e, f, q))
            return false;
        const int32_t shed = d && f->take ? d->shed(s->seats[ORR_SEAT_DROPPER], e->id, f) : 0;
        if (shed < 0 || (uint32_t)shed > q->n)
            return violated(s, "illegal number to shed", shed), false;
        if (f->drop || shed)
            orr_serving_drop_heads(s, q, f->drop, ORR_DROP_EXPIRED), orr_serving_drop_heads(s, q, shed, ORR_DROP_SHED);
        if (!shed && !f->drop)
            return true;
        *from = orr_serving_queue(
            s, orr_form_dest(f)); /* what was dropped may have answered others, and who heard of it done anything */
        if (!shed && (f->wait_for || (f->take && (uint32_t)f->take <= (*from)->n &&
                                      s->replicas.at[f->replica].phase == ORR_PHASE_READY)))
            return true;
    }
}

static void wait_for_more(orr_serving *s, orr_sv_exec *e, const orr_form *f, orr_sv_queue *q)
{
    orr_sv_service *v = &s->services.at[f->service];
    orr_time at = f->wait_until;
    if (!v->eager && f->wait_for > (int32_t)q->n) {
        const orr_time there = orr_serving_look(s, v, (uint32_t)f->wait_for - q->n);
        at = there < at ? there : at;
    }
    if (f->wait_for < q->wake_at)
        q->wake_at = f->wait_for;
    e->waits = true;
    s->variants.at[f->variant].waiting_execs++;
    e->waits_for = f->variant;
    if (at != ORR_TIME_MAX)
        orr_serving_wake(s, e->id, at);
}

static void stop_waiting(orr_serving *s, orr_sv_exec *e)
{
    if (!e->waits)
        return;
    orr_sv_variant *variant = &s->variants.at[e->waits_for];
    e->waits = false;
    if (--variant->waiting_execs == 0)
        variant->central.wake_at = INT32_MAX;
}

/* What is left for others who are idle; where nobody of index < from would take it, for those behind. */
static void pass_on(orr_serving *s, const orr_sv_queue *q, orr_exec_id from, orr_exec_id self)
{
    const orr_sv_variant *variant = &s->variants.at[q->variant];
    if (q->replica >= 0 || !q->n || !variant->idle_made || (variant->waiting_execs && q->n < (uint32_t)q->wake_at))
        return;
    const orr_exec_id next = orr_bits_next(&variant->idle, from);
    if (variant->iter)
        orr_serving_iter_rouse(s, variant->id, self);
    else if (next >= 0)
        orr_serving_touch(s, next);
}

/* Those who wait for more than was there are asked anew when some of it has gone. O(idle executors), where some wait.
 */
static void ask_waiters(orr_serving *s, const orr_sv_queue *q)
{
    const orr_sv_variant *variant = &s->variants.at[q->variant];
    for (orr_exec_id e = variant->idle_made ? orr_bits_next(&variant->idle, 0) : -1; e >= 0;
         e = orr_bits_next(&variant->idle, e + 1))
        if (s->execs.at[e].waits && s->execs.at[e].waits_for == variant->id)
            orr_serving_touch(s, e);
}

void orr_serving_form(orr_serving *s, orr_exec_id id)
{
    orr_form f;
    orr_sv_queue *q = NULL;
    bool waits = false, started = false;
    if (s->store)
        orr_serving_weights_grant(s, id);
    stop_waiting(s, &s->execs.at[id]);
    if (orr_serving_iter_on(&s->execs.at[id]))
        orr_serving_iter_form(s, id);
    while (!waits && !orr_serving_iter_on(&s->execs.at[id]) && orr_serving_takes(&s->execs.at[id], s->now)) {
        if (!ask(s, id, &f, &q))
            break;
        orr_sv_exec *e = &s->execs.at[id];
        if (f.wait_for) {
            wait_for_more(s, e, &f, q);
            waits = true;
        } else if (!f.take || !start(s, e, &f, q)) {
            break;
        } else {
            started = true;
            if (s->variants.at[f.variant].waiting_execs)
                ask_waiters(s, q);
        }
    }
    orr_sv_exec *e = &s->execs.at[id];
    orr_serving_idle(s, e, orr_serving_takes(e, s->now));
    if (e->alive && e->stages > 1 && e->stage_free[0] > s->now)
        orr_serving_wake(s, id, e->stage_free[0]);
    /* it may have chosen one of its queues, and others are free for the rest */
    for (size_t i = 0; i < e->replicas.n; i++) {
        const orr_sv_variant *variant = &s->variants.at[s->replicas.at[e->replicas.at[i]].variant];
        if (!variant->iter || (q == &variant->central && !waits))
            pass_on(s, &variant->central, started ? 0 : id + 1, id);
    }
    for (size_t i = 0; i < e->replicas.n; i++)
        orr_serving_arm(s, orr_sv_service_of(s, s->replicas.at[e->replicas.at[i]].variant));
}

/* ---- the end of one ---------------------------------------------------------------------------------------------- */

void orr_serving_tell_done(orr_serving *s, orr_sv_exec *e, orr_sv_slot *slot, uint32_t stride)
{
    const orr_batcher *b = s->batcher && s->batcher->on_done ? s->batcher : NULL;
    if (!b && !s->sink.batch)
        return;
    const orr_sv_replica *r = &s->replicas.at[slot->replica];
    const orr_sv_service *v = orr_sv_service_of(s, r->variant);
    orr_batch_run batch = {.service = v->id,
                           .variant = r->variant,
                           .replica = r->id,
                           .exec_id = e->id,
                           .size = slot->size,
                           .start = slot->start,
                           .end = s->now,
                           .exec = s->now - slot->start,
                           .slo = v->spec->classes[0].slo,
                           .reqs = slot->reqs};
    for (int32_t i = 0; i < slot->size; i++)
        batch.late += ((const orr_req *)(const void *)(slot->reqs + (size_t)i * stride))->deadline < s->now;
    if (b)
        b->on_done(s->seats[ORR_SEAT_BATCHER], &batch);
    if (s->sink.batch)
        s->sink.batch(s->sink.self, &batch);
}

void orr_serving_batch_done(orr_serving *s, orr_exec_id id, uint32_t place)
{
    if (orr_serving_iter_on(&s->execs.at[id])) {
        orr_serving_iter_done(s, id);
        return;
    }
    orr_sv_slot slot = s->execs.at[id].at.at[place];
    const orr_variant_id variant = s->replicas.at[slot.replica].variant;
    orr_sv_service *v = orr_sv_service_of(s, variant);
    s->execs.at[id].busy--;
    s->execs.at[id].busy_ns += orr_sv_used(&s->execs.at[id], &slot, s->now);
    v->counts.batches++;
    v->counts.batched += (uint64_t)slot.size;
    if (s->store) {
        v->counts.cold += orr_serving_weights_cold(s, &slot);
        orr_serving_weights_used(s, &s->replicas.at[slot.replica]);
    }
    orr_sv_tally_add(&v->batch_sizes, slot.size);
    for (int32_t i = 0; i < slot.size; i++)
        orr_serving_answer(s, v, variant, slot.reqs + (size_t)i * v->stride, slot.start, slot.size, id);
    s->execs.at[id].at.at[place].size = 0;
    orr_serving_tell_done(s, &s->execs.at[id], &slot, v->stride);
    if (s->execs.at[id].slows)
        orr_serving_loaded(s, id);
    orr_serving_touch(s, id);
    if (s->replicas.at[slot.replica].phase == ORR_PHASE_DRAINING)
        orr_serving_replica_rest(s, slot.replica);
}

void orr_serving_batch_lost(orr_serving *s, orr_exec_id id, uint32_t place)
{
    if (orr_serving_iter_on(&s->execs.at[id]))
        orr_serving_iter_lost(s, id);
    orr_sv_slot slot = s->execs.at[id].at.at[place];
    const orr_variant_id variant = s->replicas.at[slot.replica].variant;
    orr_sv_service *v = orr_sv_service_of(s, variant);
    orr_queue_cancel(s->queue, slot.event);
    s->execs.at[id].at.at[place].event = 0;
    s->execs.at[id].at.at[place].size = 0;
    s->execs.at[id].busy--;
    s->execs.at[id].busy_ns += orr_sv_used(&s->execs.at[id], &slot, s->now);
    for (int32_t i = slot.size - 1; i >= 0; i--) {
        uint8_t *record = slot.reqs + (size_t)i * v->stride;
        orr_req *req = (orr_req *)(void *)record;
        if (req->tries++ >= v->spec->retries)
            orr_serving_drop(s, v, record, ORR_DROP_LOST);
        else
            orr_serving_back(s, v, record, variant);
    }
}
