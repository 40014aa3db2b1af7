/* Weights that come and go: memory, the channel, and loads on demand. */
#include "serve/weights.h"

#include <orrery/mig.h>

#include <math.h>

typedef struct orr_sv_weights weights;
typedef orr_sv_weight weight;

struct orr_sv_store *orr_serving_store_create(const orr_services *spec)
{
    const bool modelled = spec->store.bandwidth > 0 || spec->store.capacity > 0;
    return modelled ? orr_xcalloc(1, sizeof(struct orr_sv_store)) : NULL;
}

void orr_serving_store_destroy(struct orr_sv_store *store)
{
    if (store)
        ORR_VEC_FREE(&store->missed);
    free(store);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static int64_t in_pages(const orr_serving *s, int64_t bytes)
{
    const int64_t page = s->spec->store.page > 1 ? s->spec->store.page : 1;
    const int64_t pages = bytes / page + (bytes % page != 0);
    return pages > INT64_MAX / page ? INT64_MAX : pages * page;
}

orr_time orr_serving_load_time(const orr_serving *s, const orr_variant *v)
{
    if (!(s->spec->store.bandwidth > 0) || !v->bytes)
        return v->load;
    return (orr_time)fmin(floor((double)in_pages(s, v->bytes) / s->spec->store.bandwidth * 1e9 + 0.5), 9e18);
}

/* An instance has memory slices of its GPU; any other part of a GPU has that part of its memory. */
static double part_of(const orr_node *n, const orr_sv_exec *e)
{
    const orr_mig_profile *p = n->mig && e->slice_name ? orr_mig_named(n->mig, e->slice_name, 0) : NULL;
    return p ? (double)p->memory / n->mig->memory : e->milli / 1000.0;
}

/* As much as is stated for one GPU, or as one has; an executor's GPUs hold parts of a model. */
static int64_t capacity_of(const orr_serving *s, const orr_sv_exec *e)
{
    const int64_t stated = s->spec->store.capacity, gpu = s->cluster->nodes[e->node].spec->gpu_mem_bytes;
    const double all = (double)(stated ? stated : gpu) * e->gpus * part_of(&s->cluster->nodes[e->node], e);
    return all > 0 && all < 9e18 ? (int64_t)floor(all) : INT64_MAX;
}

/* ---- who is where ------------------------------------------------------------------------------------------------ */

static weights *on(const orr_serving *s, orr_exec_id exec)
{
    return s->execs.at[exec].weights;
}

/* Few live on one executor. */
int32_t orr_serving_weights_find(const weights *w, orr_variant_id variant)
{
    for (size_t i = 0; i < w->of.n; i++)
        if (w->of.at[i].variant == variant)
            return (int32_t)i;
    return -1;
}

static bool has(const orr_serving *s, const orr_sv_replica *r)
{
    return s->store && s->variants.at[r->variant].spec->bytes > 0;
}

static weight *of(const orr_serving *s, const orr_sv_replica *r)
{
    weights *w = on(s, r->exec);
    return &w->of.at[orr_serving_weights_find(w, r->variant)];
}

void orr_serving_weights_begin(orr_serving *s, orr_exec_id exec)
{
    if (!s->store)
        return;
    weights *w = s->execs.at[exec].weights = orr_xcalloc(1, sizeof *w);
    w->capacity = w->free = capacity_of(s, &s->execs.at[exec]);
}

void orr_serving_weights_free(orr_sv_exec *e)
{
    if (!e->weights)
        return;
    ORR_VEC_FREE(&e->weights->of);
    ORR_VEC_FREE(&e->weights->wanted);
    ORR_VEC_FREE(&e->weights->queued);
    free(e->weights);
}

bool orr_serving_weights_fit(const orr_serving *s, orr_exec_id exec, orr_variant_id variant)
{
    return !s->store || in_pages(s, s->variants.at[variant].spec->bytes) <= on(s, exec)->capacity;
}

/* Its replicas there that may be set; those that drain, or whose machine starts, stay as they are. */
static void set_phase(orr_serving *s, orr_exec_id exec, orr_variant_id variant, orr_phase from, orr_phase to)
{
    const orr_sv_exec *e = &s->execs.at[exec];
    for (size_t i = 0; i < e->replicas.n; i++) {
        orr_sv_replica *r = &s->replicas.at[e->replicas.at[i]];
        if (r->variant == variant && r->phase == from)
            orr_serving_phase(s, r, to);
    }
}

static void tell(orr_serving *s, orr_exec_id exec, orr_variant_id variant, orr_serve_event_kind kind)
{
    orr_serving_tell(s, &(orr_serve_event){.kind = kind,
                                           .service = s->variants.at[variant].service,
                                           .variant = variant,
                                           .replica = -1,
                                           .exec = exec,
                                           .node = s->execs.at[exec].node,
                                           .due = s->now});
}

/* ---- the channel ------------------------------------------------------------------------------------------------- */

static void take_out(int32_t *at, size_t *n, int32_t place)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (at[i] != place)
            at[kept++] = at[i];
    *n = kept;
}

static void next_load(orr_serving *s, orr_exec_id exec)
{
    weights *w = on(s, exec);
    while (w->queued.n && w->going < (s->spec->store.channels > 1 ? s->spec->store.channels : 1)) {
        const int32_t i = w->queued.at[0];
        weight *x = &w->of.at[i];
        take_out(w->queued.at, &w->queued.n, i);
        x->place = ORR_SV_COMING;
        x->since = s->now;
        w->going++;
        orr_sv_service_of(s, x->variant)->counts.loads++;
        const uint64_t cookie = (uint64_t)exec << 32 | (uint32_t)i;
        if (x->takes == 0)
            orr_serving_weights_loaded(s, cookie);
        else
            x->event = orr_queue_add(s->queue, &(orr_queued){.at = orr_time_add(s->now, x->takes),
                                                             .class_ = ORR_CLASS_CAPACITY,
                                                             .kind = ORR_SV_LOAD,
                                                             .cookie = cookie});
    }
}

void orr_serving_weights_load(orr_serving *s, orr_exec_id exec, int32_t i)
{
    weights *w = on(s, exec);
    weight *x = &w->of.at[i];
    w->free -= x->bytes;
    x->place = ORR_SV_QUEUED;
    ORR_VEC_PUSH(&w->queued, i);
    set_phase(s, exec, x->variant, ORR_PHASE_COLD, ORR_PHASE_LOADING);
    next_load(s, exec);
}

static void come_off(orr_serving *s, weights *w, weight *x)
{
    w->going--;
    w->channel_ns += (double)(s->now - x->since);
    x->event = 0;
}

/* Replicas that live on the executor are few, and a load takes milliseconds. */
static void make_ready(orr_serving *s, orr_exec_id exec, orr_variant_id variant)
{
    for (size_t i = 0; i < s->execs.at[exec].replicas.n; i++) {
        const orr_replica_id id = s->execs.at[exec].replicas.at[i];
        if (s->replicas.at[id].variant == variant && s->replicas.at[id].phase == ORR_PHASE_LOADING)
            orr_serving_ready(s, id);
    }
}

void orr_serving_weights_loaded(orr_serving *s, uint64_t cookie)
{
    const orr_exec_id exec = (orr_exec_id)(cookie >> 32);
    weights *w = on(s, exec);
    weight *x = &w->of.at[(uint32_t)cookie];
    const orr_variant_id variant = x->variant;
    come_off(s, w, x);
    x->place = x->replicas ? ORR_SV_HERE : ORR_SV_OUT;
    x->since = s->now;
    x->used = ++w->uses;
    if (!x->replicas)
        w->free += x->bytes;
    next_load(s, exec);
    orr_serving_touch(s, exec);
    if (on(s, exec)->of.at[(uint32_t)cookie].place != ORR_SV_HERE)
        return;
    make_ready(s, exec, variant);
    tell(s, exec, variant, ORR_SE_LOADED);
}

/* ---- out --------------------------------------------------------------------------------------------------------- */

/* Slots of one executor are few, and mostly one. */
bool orr_serving_weights_run(const orr_serving *s, orr_exec_id exec, orr_variant_id variant)
{
    const orr_sv_exec *e = &s->execs.at[exec];
    for (size_t i = 0; i < e->at.n; i++)
        if (e->at.at[i].size && s->replicas.at[e->at.at[i].replica].variant == variant)
            return true;
    return false;
}

/* Who waits for it is to be seen to. */
static void miss_all(orr_serving *s, orr_exec_id exec, orr_variant_id variant)
{
    const orr_sv_exec *e = &s->execs.at[exec];
    for (size_t i = 0; i < e->replicas.n; i++)
        if (s->replicas.at[e->replicas.at[i]].variant == variant)
            orr_serving_weights_missed(s, (orr_dest){.variant = variant, .replica = e->replicas.at[i]});
    orr_serving_catch_up(s, orr_sv_service_of(s, variant));
    orr_serving_weights_missed(s, (orr_dest){.variant = variant, .replica = -1});
    orr_serving_arm(s, orr_sv_service_of(s, variant));
}

void orr_serving_weights_evict(orr_serving *s, orr_exec_id exec, int32_t i)
{
    weights *w = on(s, exec);
    weight *x = &w->of.at[i];
    const orr_variant_id variant = x->variant;
    orr_serving_idle(s, &s->execs.at[exec], false); /* so that it is filed for this variant no more */
    x->place = ORR_SV_OUT;
    w->free += x->bytes;
    orr_sv_service_of(s, variant)->counts.evictions++;
    set_phase(s, exec, variant, ORR_PHASE_READY, ORR_PHASE_COLD);
    orr_serving_touch(s, exec);
    miss_all(s, exec, variant);
    tell(s, exec, variant, ORR_SE_EVICTED);
}

void orr_serving_weights_recall(orr_serving *s, orr_exec_id exec, int32_t i)
{
    weights *w = on(s, exec);
    weight *x = &w->of.at[i];
    take_out(w->queued.at, &w->queued.n, i);
    w->free += x->bytes;
    x->place = ORR_SV_OUT;
    set_phase(s, exec, x->variant, ORR_PHASE_LOADING, ORR_PHASE_COLD);
    miss_all(s, exec, x->variant);
}

/* ---- on demand --------------------------------------------------------------------------------------------------- */

static bool came_by(const orr_sv_queue *q, orr_time at)
{
    return q->n && ((const orr_req *)(const void *)orr_sv_head(q))->arrival <= at;
}

/* The heads of its queues on the executor: does one of them wait since `at` or longer? A heap's head is the next, not
 * the oldest. */
static bool waits_since(orr_serving *s, orr_exec_id exec, orr_variant_id variant, orr_time at)
{
    const orr_sv_exec *e = &s->execs.at[exec];
    orr_sv_queue *central = &s->variants.at[variant].central;
    orr_serving_catch_up(s, orr_sv_service_of(s, variant));
    orr_serving_expire(s, central);
    bool waits = came_by(central, at);
    for (size_t i = 0; i < e->replicas.n && !waits; i++) {
        orr_sv_replica *r = &s->replicas.at[e->replicas.at[i]];
        if (r->variant != variant || !r->queue.n)
            continue;
        orr_serving_expire(s, &r->queue);
        waits = came_by(&r->queue, at);
    }
    return waits;
}

static bool may_go(orr_serving *s, orr_exec_id exec, const weight *x, orr_time asked)
{
    return x->place == ORR_SV_HERE && !orr_serving_weights_run(s, exec, x->variant) &&
           !waits_since(s, exec, x->variant, asked);
}

/* Of those that may go the one that was used least recently; -1. *bytes: of all of them. */
static int32_t least_used(orr_serving *s, orr_exec_id exec, orr_time asked, int64_t *bytes)
{
    int32_t least = -1;
    *bytes = 0;
    for (int32_t i = 0; i < (int32_t)on(s, exec)->of.n; i++) {
        const weight *x = &on(s, exec)->of.at[i];
        if (!may_go(s, exec, x, asked))
            continue;
        *bytes += x->bytes;
        if (least < 0 || x->used < on(s, exec)->of.at[least].used)
            least = i;
    }
    return least;
}

/* Nothing goes in vain. */
static bool make_room(orr_serving *s, orr_exec_id exec, int32_t i)
{
    const int64_t need = on(s, exec)->of.at[i].bytes;
    while (on(s, exec)->free < need) {
        int64_t bytes;
        const int32_t least = least_used(s, exec, on(s, exec)->of.at[i].since, &bytes);
        if (least < 0 || bytes < need - on(s, exec)->free)
            return false;
        orr_serving_weights_evict(s, exec, least);
    }
    return true;
}

void orr_serving_weights_grant(orr_serving *s, orr_exec_id exec)
{
    while (s->execs.at[exec].alive && on(s, exec)->wanted.n) {
        weights *w = on(s, exec);
        const int32_t i = w->wanted.at[0];
        const orr_variant_id variant = w->of.at[i].variant;
        const bool waits = waits_since(s, exec, variant, s->now);
        if (waits && !make_room(s, exec, i))
            return;
        take_out(w->wanted.at, &w->wanted.n, i);
        w->of.at[i].place = ORR_SV_OUT;
        if (waits)
            orr_serving_weights_load(s, exec, i);
        else /* they have left */
            orr_serving_arm(s, orr_sv_service_of(s, variant));
    }
}

static size_t to_load(const weights *w)
{
    return w->wanted.n + w->queued.n + (size_t)w->going;
}

/* O(replicas of the variant), once a load. -1: it is wanted somewhere already. */
static orr_replica_id best_place(const orr_serving *s, const orr_sv_variant *v)
{
    orr_replica_id best = -1;
    const weights *there = NULL;
    for (size_t i = 0; i < v->replicas.n; i++) {
        const orr_sv_replica *r = &s->replicas.at[v->replicas.at[i]];
        if (r->phase != ORR_PHASE_COLD)
            continue;
        const weights *w = on(s, r->exec);
        if (of(s, r)->place == ORR_SV_WANTED)
            return -1;
        if (best < 0 || to_load(w) < to_load(there) || (to_load(w) == to_load(there) && w->free > there->free)) {
            best = r->id;
            there = w;
        }
    }
    return best;
}

static void want(orr_serving *s, orr_replica_id id)
{
    const orr_sv_replica *r = &s->replicas.at[id];
    const orr_exec_id exec = r->exec;
    weights *w = on(s, exec);
    const int32_t i = orr_serving_weights_find(w, r->variant);
    if (w->of.at[i].place != ORR_SV_OUT)
        return;
    w->of.at[i].place = ORR_SV_WANTED;
    w->of.at[i].since = s->now;
    ORR_VEC_PUSH(&w->wanted, i);
    orr_serving_weights_grant(s, exec);
}

/* ---- requests for what isn't there ------------------------------------------------------------------------------- */

static bool told(const orr_sv_queue *q)
{
    return q->missed == q->emptied + 1;
}

bool orr_serving_weights_heeds(const orr_sv_variant *v)
{
    return v->cold && !v->warm && !(v->central.n && told(&v->central));
}

void orr_serving_weights_missed(orr_serving *s, orr_dest dest)
{
    orr_sv_queue *q = orr_serving_queue(s, dest);
    const orr_sv_variant *v = &s->variants.at[dest.variant];
    const bool cold = dest.replica >= 0 ? s->replicas.at[dest.replica].phase == ORR_PHASE_COLD : v->cold && !v->warm;
    if (!s->store || !cold || !q->n || told(q))
        return;
    q->missed = q->emptied + 1;
    ORR_VEC_PUSH(&s->store->missed, dest);
}

static void see_to(orr_serving *s, orr_dest dest)
{
    const orr_sv_variant *v = &s->variants.at[dest.variant];
    const bool cold = dest.replica >= 0 ? s->replicas.at[dest.replica].phase == ORR_PHASE_COLD : v->cold && !v->warm;
    if (!cold || !orr_serving_queue(s, dest)->n)
        return;
    if (s->loads_itself) {
        const orr_exec_id exec = dest.replica >= 0 ? s->replicas.at[dest.replica].exec : -1;
        orr_serving_tell(s, &(orr_serve_event){.kind = ORR_SE_MISSED,
                                               .service = v->service,
                                               .variant = v->id,
                                               .replica = dest.replica,
                                               .exec = exec,
                                               .node = exec < 0 ? -1 : s->execs.at[exec].node,
                                               .due = s->now});
        return;
    }
    const orr_replica_id to = dest.replica >= 0 ? dest.replica : best_place(s, v);
    if (to >= 0)
        want(s, to);
}

/* What is missed meanwhile lies behind, and is seen to when batches have had their turn: what runs can't be put out, so
 * that it ends. */
void orr_serving_weights_settle(orr_serving *s)
{
    const size_t n = s->store->missed.n;
    if (!n)
        return;
    for (size_t i = 0; i < n && !s->world->fault.code; i++)
        see_to(s, s->store->missed.at[i]);
    memmove(s->store->missed.at, s->store->missed.at + n, (s->store->missed.n - n) * sizeof *s->store->missed.at);
    s->store->missed.n -= n;
}

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

void orr_serving_weights_join(orr_serving *s, orr_replica_id id)
{
    const orr_sv_replica *r = &s->replicas.at[id];
    const orr_variant *spec = s->variants.at[r->variant].spec;
    if (!has(s, r))
        return;
    weights *w = on(s, r->exec);
    int32_t i = orr_serving_weights_find(w, r->variant);
    if (i < 0) {
        i = (int32_t)w->of.n;
        ORR_VEC_PUSH(&w->of, ((weight){.variant = r->variant,
                                       .bytes = in_pages(s, spec->bytes),
                                       .takes = orr_serving_load_time(s, spec)}));
    }
    w->of.at[i].replicas++;
}

void orr_serving_weights_leave(orr_serving *s, orr_replica_id id)
{
    const orr_sv_replica *r = &s->replicas.at[id];
    if (!has(s, r))
        return;
    weights *w = on(s, r->exec);
    const int32_t i = orr_serving_weights_find(w, r->variant);
    weight *x = &w->of.at[i];
    if (--x->replicas || x->place == ORR_SV_COMING) /* what is coming is let go when it has come */
        return;
    if (x->place >= ORR_SV_QUEUED)
        w->free += x->bytes;
    take_out(w->queued.at, &w->queued.n, i);
    take_out(w->wanted.at, &w->wanted.n, i);
    x->place = ORR_SV_OUT;
    orr_serving_touch(s, r->exec); /* others may have waited for its memory */
}

void orr_serving_weights_first(orr_serving *s, orr_replica_id id)
{
    orr_sv_replica *r = &s->replicas.at[id];
    weight *x = has(s, r) ? of(s, r) : NULL;
    weights *w = on(s, r->exec);
    if (x && x->place == ORR_SV_OUT && x->bytes <= w->free) {
        w->free -= x->bytes;
        x->place = ORR_SV_HERE;
    }
    if (!x || x->place == ORR_SV_HERE)
        orr_serving_ready(s, id);
    else
        orr_serving_phase(s, r, ORR_PHASE_COLD);
}

void orr_serving_weights_start(orr_serving *s, orr_replica_id id)
{
    orr_sv_replica *r = &s->replicas.at[id];
    weight *x = has(s, r) ? of(s, r) : NULL;
    if (!x || x->place == ORR_SV_HERE) {
        orr_serving_ready(s, id);
        return;
    }
    const orr_exec_id exec = r->exec;
    const orr_variant_id variant = r->variant;
    orr_serving_phase(s, r, x->place >= ORR_SV_QUEUED ? ORR_PHASE_LOADING : ORR_PHASE_COLD);
    if (x->place == ORR_SV_OUT && !s->loads_itself && x->bytes <= on(s, exec)->free)
        orr_serving_weights_load(s, exec, orr_serving_weights_find(on(s, exec), variant));
    else
        miss_all(s, exec, variant);
}

void orr_serving_weights_gone(orr_serving *s, orr_exec_id exec)
{
    weights *w = on(s, exec);
    for (size_t i = 0; w && i < w->of.n; i++)
        if (orr_queue_cancel(s->queue, w->of.at[i].event))
            come_off(s, w, &w->of.at[i]);
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

void orr_serving_weights_used(orr_serving *s, const orr_sv_replica *r)
{
    if (has(s, r))
        of(s, r)->used = ++on(s, r->exec)->uses;
}

uint64_t orr_serving_weights_cold(const orr_serving *s, const orr_sv_slot *slot)
{
    const orr_sv_replica *r = &s->replicas.at[slot->replica];
    const uint32_t stride = s->services.at[s->variants.at[r->variant].service].stride;
    uint64_t cold = 0;
    if (!has(s, r))
        return 0;
    for (int32_t i = 0; i < slot->size; i++) {
        const orr_req *req = (const orr_req *)(const void *)(slot->reqs + (size_t)i * stride);
        cold += req->arrival >= s->spec->warm_up && req->arrival < of(s, r)->since;
    }
    return cold;
}
