/* Sets of requests that make tokens together; iter.h says what is modelled. */
#include "serve/iter.h"

#include "serve/sharing.h"
#include "serve/weights.h"

#include <math.h>

static orr_sv_slot *slot_of(orr_serving *s, orr_exec_id exec)
{
    return &s->execs.at[exec].at.at[0];
}

static const orr_exec_profile *profile_of(orr_serving *s, orr_exec_id exec)
{
    return s->replicas.at[slot_of(s, exec)->replica].profile;
}

static orr_sv_service *service_of(orr_serving *s, orr_exec_id exec)
{
    return orr_sv_service_of(s, s->replicas.at[slot_of(s, exec)->replica].variant);
}

static orr_req_tokens *tokens_of(const orr_sv_service *v, uint8_t *record)
{
    return (orr_req_tokens *)(void *)(record + v->tokens_at);
}

static orr_req_tokens *member(orr_serving *s, orr_exec_id exec, int32_t i)
{
    const orr_sv_service *v = service_of(s, exec);
    return tokens_of(v, slot_of(s, exec)->reqs + (size_t)i * v->stride);
}

/* Tokens after which it is answered. */
static int64_t target(const orr_exec_profile *p, const orr_req_tokens *t)
{
    return p->iter.part == ORR_ITER_PREFILL || t->out < 1 ? 1 : t->out;
}

/* An empty prompt is one, too. */
static bool has_prompt(const orr_req_tokens *t)
{
    return t->done == 0 || t->left > 0;
}

/* What is made elsewhere before it comes: the prompt's cache, and the first token. */
static int64_t made_before(const orr_exec_profile *p, const orr_req_tokens *t)
{
    return t->done == 0 && p->iter.part == ORR_ITER_DECODE ? 1 : t->done;
}

static int64_t memory_of(const orr_exec_profile *p)
{
    return p->iter.kv_tokens > 0 ? p->iter.kv_tokens : INT64_MAX / 4;
}

/* ---- a row of iterations --------------------------------------------------------------------------------------- */

/* From the row's beginning, not from one end to the next: so that it doesn't matter how often somebody looks. */
static orr_time end_of(const struct orr_sv_iter *it, const orr_sv_slot *slot, int64_t k)
{
    const double n = (double)k, work = n * it->first + it->more * (n * (n - 1) / 2);
    return slot->since + orr_serving_span(fmax(work - it->done, 0) / slot->rate);
}

/* The first that isn't booked and ends now or later. */
static int64_t next_end(const orr_serving *s, const struct orr_sv_iter *it, const orr_sv_slot *slot)
{
    int64_t low = it->passed + 1, high = it->until;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (end_of(it, slot, middle) < s->now)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void run_until(orr_serving *s, orr_exec_id exec, int64_t until)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    it->until = until;
    slot->end = end_of(it, slot, until);
    orr_serving_schedule_end(s, &s->execs.at[exec], 0);
}

/* Prompt tokens of the next iteration go to members in order. */
static int64_t share_of_chunk(const struct orr_sv_iter *it, const orr_req_tokens *t, int64_t spent)
{
    const int64_t most = it->chunk > 0 ? it->chunk - spent : t->left;
    return t->left < most ? t->left : most;
}

/* What the next iterations are, until something changes by itself. */
static void plan(orr_serving *s, orr_exec_id exec)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_sv_replica *r = &s->replicas.at[slot->replica];
    const orr_iter_cost *c = &r->profile->iter;
    int64_t prompts = 0, decoding = 0, context = 0, most = INT64_MAX;
    for (int32_t i = 0; i < slot->size; i++) {
        const orr_req_tokens *t = member(s, exec, i);
        if (has_prompt(t)) {
            prompts += share_of_chunk(it, t, prompts);
            continue;
        }
        const int64_t left = target(r->profile, t) - t->done;
        decoding++;
        context += t->in + t->done;
        most = left < most ? left : most;
    }
    const int64_t fit = (memory_of(r->profile) - it->held) / slot->size;
    const double noise = orr_serving_factor(s, r, slot->size, ((const orr_req *)(const void *)slot->reqs)->number);
    it->first = (c->base + c->per_prompt * (double)prompts + c->per_running * (double)decoding +
                 c->per_context * (double)context) *
                noise;
    it->more = c->per_context * (double)decoding * noise;
    it->count = decoding < slot->size ? 1 : most < fit ? most : fit;
    it->count = it->count > 1 ? it->count : 1;
    it->done = 0;
    it->passed = 0;
    it->changed = false;
    slot->since = s->now;
    slot->rate = s->execs.at[exec].rate;
}

/* ---- iterations that have ended -------------------------------------------------------------------------------- */

static void make_token(const orr_serving *s, struct orr_sv_iter *it, orr_req_tokens *t)
{
    if (t->done == 0)
        t->first = s->now;
    t->done++;
    it->held++;
}

/* One iteration, of a set that has prompts. */
static void book_prompts(orr_serving *s, orr_exec_id exec)
{
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    int64_t spent = 0;
    for (int32_t i = 0; i < slot_of(s, exec)->size; i++) {
        orr_req_tokens *t = member(s, exec, i);
        if (has_prompt(t)) {
            const int64_t part = share_of_chunk(it, t, spent);
            spent += part;
            t->left -= part;
        }
        if (t->left == 0)
            make_token(s, it, t);
    }
}

static bool any_prompt(orr_serving *s, orr_exec_id exec)
{
    for (int32_t i = 0; i < slot_of(s, exec)->size; i++)
        if (has_prompt(member(s, exec, i)))
            return true;
    return false;
}

/* Those of the row up to the k-th have ended; a batch of the counts is an iteration. */
static void book(orr_serving *s, orr_exec_id exec, int64_t k)
{
    orr_sv_exec *e = &s->execs.at[exec];
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = e->iter;
    orr_sv_service *v = service_of(s, exec);
    const uint64_t n = (uint64_t)(k - it->passed);
    e->busy_ns += (double)(s->now - slot->start);
    slot->start = s->now;
    if (!n)
        return;
    s->replicas.at[slot->replica].batches += n;
    s->batches += n;
    v->counts.batches += n;
    v->counts.batched += n * (uint64_t)slot->size;
    orr_sv_tally_add_many(&v->batch_sizes, slot->size, n);
    it->passed = k;
    if (any_prompt(s, exec)) {
        book_prompts(s, exec);
        return;
    }
    for (int32_t i = 0; i < slot->size; i++)
        member(s, exec, i)->done += (int64_t)n;
    it->held += (int64_t)n * slot->size;
}

void orr_serving_iter_settle(orr_serving *s, orr_exec_id exec)
{
    const struct orr_sv_iter *it = s->execs.at[exec].iter;
    int64_t k = it->passed;
    if (slot_of(s, exec)->event) {
        k = next_end(s, it, slot_of(s, exec));
        k -= end_of(it, slot_of(s, exec), k) > s->now;
    }
    book(s, exec, k);
}

/* ---- members that go ------------------------------------------------------------------------------------------- */

static void answer(orr_serving *s, orr_exec_id exec, orr_variant_id variant, const orr_exec_profile *p, uint8_t *record,
                   int32_t size)
{
    orr_sv_service *v = orr_sv_service_of(s, variant);
    const orr_req *req = (const orr_req *)(const void *)record;
    const orr_req_tokens *t = tokens_of(v, record);
    const bool decodes_only = p->iter.part == ORR_ITER_DECODE;
    if (req->arrival >= s->spec->warm_up) {
        v->counts.tokens_in += decodes_only ? 0 : (uint64_t)t->in;
        v->counts.tokens_out += (uint64_t)(t->done - decodes_only);
        if (!decodes_only)
            orr_sv_tally_add(&v->ttft, orr_time_add(t->first, v->spec->reply) - req->arrival);
        if (t->done > 1)
            orr_sv_tally_add(&v->tpot, (s->now - t->first) / (t->done - 1));
    }
    orr_serving_answer(s, v, variant, record, t->began, size, exec);
}

/* Those that have all their tokens leave the set, in its order. Returns how many; they are in `gone`. */
static int32_t collect(orr_serving *s, orr_exec_id exec)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_sv_service *v = service_of(s, exec);
    const orr_exec_profile *p = profile_of(s, exec);
    int32_t stay = 0, gone = 0;
    if (it->gone_room < slot->room)
        it->gone = orr_xrealloc(it->gone, it->gone_room = slot->room, 1);
    for (int32_t i = 0; i < slot->size; i++) {
        uint8_t *record = slot->reqs + (size_t)i * v->stride;
        const orr_req_tokens *t = tokens_of(v, record);
        if (!has_prompt(t) && t->done >= target(p, t)) {
            it->held -= t->in + t->done;
            memcpy(it->gone + (size_t)gone++ * v->stride, record, v->stride);
        } else if (stay++ < i) {
            memcpy(slot->reqs + (size_t)(stay - 1) * v->stride, record, v->stride);
        }
    }
    return gone;
}

/* Batchers and files are told of those that end together as of a batch, from when the first of them was admitted. */
static void tell_gone(orr_serving *s, orr_exec_id exec, orr_replica_id replica, int32_t gone)
{
    const struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_sv_service *v = orr_sv_service_of(s, s->replicas.at[replica].variant);
    orr_sv_slot slot = {.replica = replica, .size = gone, .start = s->now, .reqs = it->gone};
    for (int32_t i = 0; i < gone; i++) {
        const orr_time began = tokens_of(v, it->gone + (size_t)i * v->stride)->began;
        slot.start = began < slot.start ? began : slot.start;
    }
    s->services.at[v->id].counts.cold += orr_serving_weights_cold(s, &slot);
    orr_serving_tell_done(s, &s->execs.at[exec], &slot, v->stride);
}

/* The set is empty: its slot is free. */
static void rest(orr_serving *s, orr_exec_id exec)
{
    orr_sv_exec *e = &s->execs.at[exec];
    const orr_replica_id replica = slot_of(s, exec)->replica;
    slot_of(s, exec)->size = 0;
    e->iter->on = e->iter->room = false;
    e->busy--;
    if (e->slows)
        orr_serving_loaded(s, exec);
    if (s->replicas.at[replica].phase == ORR_PHASE_DRAINING)
        orr_serving_replica_rest(s, replica);
}

void orr_serving_iter_done(orr_serving *s, orr_exec_id exec)
{
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_replica_id replica = slot_of(s, exec)->replica;
    const orr_variant_id variant = s->replicas.at[replica].variant;
    const orr_sv_service *v = service_of(s, exec);
    const int32_t size = slot_of(s, exec)->size;
    book(s, exec, it->until);
    const int32_t gone = collect(s, exec);
    for (int32_t i = 0; i < gone; i++)
        answer(s, exec, variant, s->replicas.at[replica].profile, it->gone + (size_t)i * v->stride, size);
    it->changed |= gone > 0;
    slot_of(s, exec)->size = size - gone;
    if (gone)
        tell_gone(s, exec, replica, gone);
    orr_serving_touch(s, exec);
    if (gone == size)
        rest(s, exec);
}

/* The newest goes back, and will have to be processed again. */
static void evict(orr_serving *s, orr_exec_id exec)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_sv_replica *r = &s->replicas.at[slot->replica];
    orr_sv_service *v = service_of(s, exec);
    uint8_t *record = slot->reqs + (size_t)--slot->size * v->stride;
    orr_req_tokens *t = tokens_of(v, record);
    const bool own = s->router && r->phase == ORR_PHASE_READY;
    orr_sv_queue *q = orr_serving_queue(s, (orr_dest){.variant = r->variant, .replica = own ? r->id : -1});
    it->held -= t->in + t->done;
    it->changed = true;
    t->left = t->in + t->done;
    orr_sv_push_front(q, record, q->keyed ? orr_serving_key(s, v, (const orr_req *)(const void *)record) : 0);
    orr_serving_iter_rouse(s, r->variant, exec);
}

void orr_serving_iter_lost(orr_serving *s, orr_exec_id exec)
{
    orr_serving_iter_settle(s, exec);
    s->execs.at[exec].iter->on = s->execs.at[exec].iter->room = false;
    for (int32_t i = 0; i < slot_of(s, exec)->size; i++) {
        orr_req_tokens *t = member(s, exec, i);
        t->left = t->in + t->done;
    }
}

/* ---- members that come ----------------------------------------------------------------------------------------- */

/* The head of a queue becomes the newest member. */
static void join(orr_serving *s, orr_exec_id exec, orr_sv_queue *q)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_exec_profile *p = profile_of(s, exec);
    const size_t at = (size_t)slot->size * q->stride;
    if (slot->room < at + q->stride) {
        slot->room = (at + q->stride) * 2;
        slot->reqs = orr_xrealloc(slot->reqs, slot->room, 1);
    }
    orr_sv_pop(q, slot->reqs + at);
    orr_req *req = (orr_req *)(void *)(slot->reqs + at);
    orr_req_tokens *t = tokens_of(service_of(s, exec), slot->reqs + at);
    if (!(req->flags & ORR_SV_BEGAN)) {
        req->flags |= ORR_SV_BEGAN;
        t->began = s->now;
        t->left = p->iter.part == ORR_ITER_DECODE ? 0 : t->in;
        t->done = made_before(p, t);
        if (t->done && !t->first)
            t->first = req->arrival;
    }
    slot->size++;
    it->held += t->in + t->done;
    it->changed = true;
}

static bool fits(orr_serving *s, orr_exec_id exec, const orr_req_tokens *t, int64_t held, int32_t size)
{
    const orr_sv_replica *r = &s->replicas.at[slot_of(s, exec)->replica];
    return size < r->max_batch && held + size + t->in + made_before(r->profile, t) + 1 <= memory_of(r->profile);
}

/* Heads that no memory here could hold to their end, and those that have all their tokens already, don't wait for an
 * iteration. */
static void clear_heads(orr_serving *s, orr_exec_id exec, orr_sv_queue *q)
{
    const orr_replica_id replica = slot_of(s, exec)->replica;
    const orr_exec_profile *p = s->replicas.at[replica].profile;
    orr_sv_service *v = service_of(s, exec);
    uint8_t record[ORR_SV_STRIDE_MOST];
    while (q->n) {
        orr_req_tokens *t = tokens_of(v, orr_sv_head(q));
        const bool made = made_before(p, t) >= target(p, t);
        if (!made && t->in + target(p, t) <= memory_of(p))
            return;
        orr_sv_pop(q, record);
        if (!made) {
            orr_serving_drop(s, v, record, ORR_DROP_LOST);
            continue;
        }
        t = tokens_of(v, record);
        t->began = s->now;
        t->first = t->first ? t->first : ((const orr_req *)(const void *)record)->arrival;
        t->done = 1;
        answer(s, exec, q->variant, p, record, 1);
    }
}

/* How many heads fit beside the members. */
static int32_t fitting(orr_serving *s, orr_exec_id exec, orr_sv_queue *q)
{
    const orr_exec_profile *p = profile_of(s, exec);
    const orr_sv_service *v = service_of(s, exec);
    int64_t held = s->execs.at[exec].iter->held;
    int32_t size = slot_of(s, exec)->size, n = 0;
    for (; (uint32_t)n < q->n; n++) {
        const orr_req_tokens *t = tokens_of(v, orr_sv_nth(q, (uint32_t)n));
        if (!fits(s, exec, t, held, size++))
            break;
        held += t->in + made_before(p, t);
    }
    return n;
}

static orr_step asked(orr_serving *s, orr_exec_id exec, const orr_sv_queue *q, int32_t fit)
{
    const orr_exec_profile *p = profile_of(s, exec);
    const int32_t running = slot_of(s, exec)->size;
    const orr_step filled = {.replica = slot_of(s, exec)->replica,
                             .running = running,
                             .waiting = q ? (int32_t)q->n : 0,
                             .kv_used = s->execs.at[exec].iter->held,
                             .kv_most = p->iter.kv_tokens,
                             .admit = fit,
                             .chunk = p->iter.chunk};
    orr_step step = filled;
    s->forming = true;
    s->form_exec = exec;
    s->batcher->step(s->seats[ORR_SEAT_BATCHER], exec, &step);
    s->forming = false;
    const bool legal = step.admit >= 0 && step.admit <= fit && step.evict >= 0 && step.evict <= running &&
                       step.chunk >= 0 && !(step.evict && step.admit);
    if (legal)
        return step;
    orr_serving_violation(s, ORR_E_SERVE_DECISION, "batcher: illegal step: admit %d, evict %d, chunk %lld", step.admit,
                          step.evict, (long long)step.chunk);
    return filled;
}

/* Returns how many it drops: then heads are others. */
static int32_t shed(orr_serving *s, orr_exec_id exec, orr_sv_queue *q, int32_t fit)
{
    const orr_dropper *d = s->dropper && s->dropper->shed ? s->dropper : NULL;
    if (!d || !fit)
        return 0;
    orr_form f = orr_serving_fill(s, q, slot_of(s, exec)->replica);
    f.take = fit;
    const int32_t n = d->shed(s->seats[ORR_SEAT_DROPPER], exec, &f);
    if (n < 0 || (uint32_t)n > q->n) {
        orr_serving_violation(s, ORR_E_SERVE_DECISION, "dropper: illegal number to shed %d", n);
        return 0;
    }
    orr_serving_drop_heads(s, q, n, ORR_DROP_SHED);
    return n;
}

/* Where heads wait that can't join, clients may leave before the set changes: then it is looked at again. */
static void watch_head(orr_serving *s, orr_exec_id exec, const orr_sv_queue *q)
{
    const orr_time patience = service_of(s, exec)->spec->timeout;
    if (patience != ORR_TIME_MAX && q->n && !q->keyed)
        orr_serving_wake(s, exec, orr_time_add(((const orr_req *)(const void *)orr_sv_head(q))->arrival, patience));
}

/* One queue a boundary, that of the oldest head: if that is empty then, the next boundary is the very next. */
static void admit(orr_serving *s, orr_exec_id exec)
{
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_replica_id replica = slot_of(s, exec)->replica;
    orr_replica_id whose;
    int32_t fit = 0;
    orr_sv_queue *q = orr_serving_first_queue(s, &s->execs.at[exec], &whose);
    it->crowded = q && q->n && whose != replica;
    q = whose == replica ? q : NULL;
    do {
        if (q)
            clear_heads(s, exec, q);
        fit = q ? fitting(s, exec, q) : 0;
    } while (q && shed(s, exec, q, fit));
    const orr_step step = asked(s, exec, q, fit);
    it->changed |= step.chunk != it->chunk && any_prompt(s, exec);
    it->chunk = step.chunk;
    it->crowded |= step.evict > 0;
    for (int32_t i = 0; i < step.evict; i++)
        evict(s, exec);
    for (int32_t i = 0; i < step.admit; i++)
        join(s, exec, q);
    if (!q)
        return;
    if (step.admit && q->replica < 0)
        orr_serving_iter_rouse(s, q->variant, exec);
    watch_head(s, exec, q);
}

static void set_room(orr_serving *s, orr_exec_id exec)
{
    const orr_sv_slot *slot = slot_of(s, exec);
    const orr_sv_replica *r = &s->replicas.at[slot->replica];
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    it->room = it->on && !it->closed && slot->size < r->max_batch && r->phase == ORR_PHASE_READY;
}

bool orr_serving_iter_steps(const orr_serving *s, const orr_sv_replica *r)
{
    return s->batcher && s->batcher->step && r->profile->kind == ORR_EXEC_ITER;
}

bool orr_serving_iter_start(orr_serving *s, orr_exec_id exec, const orr_form *f, orr_sv_queue *q)
{
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    const orr_sv_replica *r = &s->replicas.at[f->replica];
    orr_sv_exec *e = &s->execs.at[exec];
    if (!e->at.n)
        ORR_VEC_PUSH(&e->at, (orr_sv_slot){0});
    slot_of(s, exec)->replica = f->replica;
    slot_of(s, exec)->start = s->now;
    slot_of(s, exec)->stops = false;
    it->on = true;
    it->closed = !orr_serving_iter_steps(s, r);
    it->chunk = r->profile->iter.chunk;
    it->held = it->count = it->passed = 0;
    it->crowded = false;
    if (!it->closed) {
        admit(s, exec);
    } else {
        clear_heads(s, exec, q);
        for (int32_t i = 0, n = fitting(s, exec, q); i < n && i < f->take; i++)
            join(s, exec, q);
    }
    it->on = slot_of(s, exec)->size > 0;
    set_room(s, exec);
    if (!it->on)
        return false;
    s->execs.at[exec].busy++;
    orr_serving_weights_used(s, &s->replicas.at[f->replica]);
    plan(s, exec);
    run_until(s, exec, it->count);
    if (s->execs.at[exec].slows)
        orr_serving_loaded(s, exec);
    return true;
}

/* ---- between iterations ---------------------------------------------------------------------------------------- */

static bool is_full(orr_serving *s, orr_exec_id exec)
{
    const orr_sv_slot *slot = slot_of(s, exec);
    return slot->size > 1 && s->execs.at[exec].iter->held + slot->size > memory_of(profile_of(s, exec));
}

static void go_on(orr_serving *s, orr_exec_id exec)
{
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    while (is_full(s, exec))
        evict(s, exec);
    if (!it->closed)
        admit(s, exec);
    set_room(s, exec);
    if (!slot_of(s, exec)->size) {
        rest(s, exec);
        return;
    }
    if (it->changed || it->passed == it->count)
        plan(s, exec);
    run_until(s, exec, it->crowded ? it->passed + 1 : it->count);
}

void orr_serving_iter_form(orr_serving *s, orr_exec_id exec)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    if (slot->event) {
        const int64_t k = next_end(s, it, slot);
        if (k < it->until)
            run_until(s, exec, k);
        if (slot->end != s->now || k == it->count)
            return;
        orr_queue_cancel(s->queue, slot->event);
        slot->event = 0;
        book(s, exec, k);
    }
    go_on(s, exec);
}

void orr_serving_iter_rate(orr_serving *s, orr_exec_id exec, double rate)
{
    orr_sv_slot *slot = slot_of(s, exec);
    struct orr_sv_iter *it = s->execs.at[exec].iter;
    it->done += (double)(s->now - slot->since) * 1e-9 * slot->rate;
    slot->since = s->now;
    slot->rate = rate;
    if (slot->event)
        run_until(s, exec, it->until);
}

void orr_serving_iter_rouse(orr_serving *s, orr_variant_id variant, orr_exec_id except)
{
    const orr_sv_variant *v = &s->variants.at[variant];
    uint32_t idle = v->central.n;
    for (orr_exec_id e = v->idle_made ? orr_bits_next(&v->idle, 0) : -1; e >= 0; e = orr_bits_next(&v->idle, e + 1)) {
        const bool runs = orr_serving_iter_on(&s->execs.at[e]);
        if (e != except && (runs || idle))
            orr_serving_touch(s, e);
        idle -= !runs && idle;
    }
}

void orr_serving_iter_destroy(struct orr_sv_iter *it)
{
    if (!it)
        return;
    free(it->gone);
    free(it);
}
