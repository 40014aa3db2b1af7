/* Executors and replicas: made, placed, started, drained, gone. */
#include "cluster/mig.h"
#include "serve/iter.h"
#include "serve/nodes.h"
#include "serve/sharing.h"
#include "serve/weights.h"

#include <math.h>

/* ---- room -------------------------------------------------------------------------------------------------------- */

typedef struct wanted {
    uint64_t types, gpus_at; /* gpus_at: on these GPUs of its node only; 0: any */
    int32_t gpus, milli;
    const char *slice; /* "": none */
    bool idle;         /* on a GPU that nobody holds any of */
    const orr_serving *shared; /* on a node for all: one of ours that is there is lent; NULL: it doesn't matter */
} wanted;

/* What it takes of one GPU of a node. An instance of all of it is the whole GPU. False: the node's GPUs aren't cut so.
 */
static bool share_on(const orr_node *n, const wanted *w, orr_share *out)
{
    *out = (orr_share){.milli = w->milli};
    if (w->shared && orr_serving_cluster_of(w->shared, (int32_t)(n - w->shared->cluster->nodes)) != w->shared->cluster)
        return false;
    if (!*w->slice)
        return true;
    const orr_mig_profile *p = n->mig ? orr_mig_named(n->mig, w->slice, n->spec->gpu_mem_bytes) : NULL;
    if (!p)
        return false;
    *out = (orr_share){.milli = orr_mig_milli(n->mig, p), .slice = (int8_t)(p - n->mig->profiles + 1)};
    return true;
}

static bool takes_part(const void *self, const orr_node *n, int gpu)
{
    const wanted *w = self;
    orr_share share;
    return n->takes && (n->type & w->types) && share_on(n, w, &share) && orr_node_has_part(n, gpu, share);
}

static bool find_part(const orr_cluster *c, const wanted *w, int32_t *node, uint64_t *mask)
{
    const orr_spot spot = orr_pool_part(c, -1, w->types, *w->slice ? 1 : w->milli, takes_part, w);
    if (spot.node < 0)
        return false;
    *node = spot.node;
    *mask = (uint64_t)1 << spot.gpu;
    return true;
}

/* The fullest node with so many free GPUs, the first of equals. */
static bool find_whole(const orr_cluster *c, const wanted *w, int32_t *node, uint64_t *mask)
{
    orr_share share;
    for (int32_t free = w->gpus; free <= c->widest; free++) {
        int32_t n = orr_pool_with_free(c, -1, w->types, free, -1);
        while (n >= 0 && !share_on(&c->nodes[n], w, &share))
            n = orr_pool_with_free(c, -1, w->types, free, n);
        if (n < 0)
            continue;
        *node = n;
        *mask = orr_lowest_bits(c->nodes[n].free_gpus, w->gpus);
        return true;
    }
    return false;
}

/* The fullest GPU of a node for a part of it, of those that are asked for. */
static int part_on(const orr_node *n, const wanted *w, orr_share share)
{
    int best = -1;
    const uint64_t from = w->idle ? n->free_gpus : n->all;
    for (uint64_t m = w->gpus_at ? w->gpus_at & from : from; m; m &= m - 1) {
        const int gpu = orr_lowest_bit(m);
        if (orr_node_has_part(n, gpu, share) && (best < 0 || orr_node_part_free(n, gpu) < orr_node_part_free(n, best)))
            best = gpu;
    }
    return best;
}

static bool on_node(const orr_cluster *c, const wanted *w, int32_t node, uint64_t *mask)
{
    const orr_node *n = &c->nodes[node];
    orr_share share;
    if (!(n->type & w->types) || !n->takes || !share_on(n, w, &share))
        return false;
    if (share.milli < ORR_WHOLE_GPU) {
        const int gpu = part_on(n, w, share);
        *mask = gpu < 0 ? 0 : (uint64_t)1 << gpu;
        return gpu >= 0;
    }
    const uint64_t free = w->gpus_at ? n->free_gpus & w->gpus_at : n->free_gpus;
    *mask = orr_lowest_bits(free, w->gpus);
    return orr_bit_count(free) >= w->gpus;
}

static bool find_room(const orr_cluster *c, const wanted *w, int32_t node, int32_t *found, uint64_t *mask)
{
    if (node >= 0) {
        *found = node;
        return node < c->count && on_node(c, w, node, mask);
    }
    if ((w->milli < ORR_WHOLE_GPU || *w->slice) && !w->idle && find_part(c, w, found, mask))
        return true;
    return find_whole(c, w, found, mask);
}

/* Nodes of ours first. */
static bool find_any_room(const orr_serving *s, const wanted *w, int32_t node, int32_t *found, uint64_t *mask)
{
    if (node >= s->cluster->count)
        return false;
    if (s->own && (node < 0 || orr_serving_cluster_of(s, node) == s->own) && find_room(s->own, w, node, found, mask))
        return true;
    wanted elsewhere = *w;
    elsewhere.shared = s->own ? s : NULL;
    return find_room(s->cluster, &elsewhere, node, found, mask);
}

/* ---- executors --------------------------------------------------------------------------------------------------- */

static orr_share share_of(const orr_sv_exec *e)
{
    return (orr_share){.milli = e->milli, .holder = UINT32_MAX - (uint32_t)e->id, .slice = e->slice};
}

/* Takes its GPUs. Of a node that MIG cuts it holds whole instances, which stood there already or are made. */
static void take_gpus(orr_serving *s, orr_sv_exec *e)
{
    orr_cluster *c = orr_serving_cluster_of(s, e->node);
    const orr_node *n = &c->nodes[e->node];
    for (uint64_t m = n->cuts && e->milli == ORR_WHOLE_GPU ? e->mask : 0; m; m &= m - 1)
        e->cut_anew = e->cut_anew || orr_mig_is_cut(&n->cuts[orr_lowest_bit(m)]);
    orr_cluster_take(c, e->node, e->mask, share_of(e));
    if (!n->mig || e->milli == ORR_WHOLE_GPU)
        return;
    const orr_mig_instance *own = orr_mig_held(&n->cuts[orr_lowest_bit(e->mask)], share_of(e).holder);
    e->held = orr_mig_milli(n->mig, own->profile);
    e->slice_name = own->profile->name;
    e->cut_anew = own->made;
}

/* Some GPU of these types could be cut so. */
static bool can_be_cut(const orr_cluster *c, const wanted *w)
{
    orr_share share;
    bool can = false;
    for (int32_t i = 0; i < c->count && !can; i++)
        can = (c->nodes[i].type & w->types) && c->nodes[i].all && share_on(&c->nodes[i], w, &share);
    return can;
}

static orr_err find_place(const orr_serving *s, const wanted *w, int32_t node, orr_sv_exec *e)
{
    orr_share share;
    if (!w->types || !find_any_room(s, w, node, &e->node, &e->mask))
        return *w->slice && (w->gpus_at || !can_be_cut(s->cluster, w)) ? ORR_E_LAYOUT : ORR_E_NOFIT;
    share_on(&s->cluster->nodes[e->node], w, &share);
    e->milli = e->held = share.milli;
    e->slice = share.milli < ORR_WHOLE_GPU ? share.slice : 0;
    return ORR_OK;
}

static bool sells(const orr_market *m, const char *type)
{
    return !m->gpu_type || !*m->gpu_type || strcmp(m->gpu_type, type) == 0;
}

orr_err orr_serving_exec_add(orr_serving *s, const orr_exec_ask *ask, int32_t node, orr_exec_id *out)
{
    const orr_cluster *c = s->cluster;
    const bool any = !ask->gpu_type || !*ask->gpu_type;
    const wanted w = {any ? ORR_ANY_TYPE : orr_cluster_types_named(c, ask->gpu_type),
                      ask->gpus_at,
                      ask->gpus > 1 ? ask->gpus : 1,
                      ask->milli ? ask->milli : ORR_WHOLE_GPU,
                      ask->slice ? ask->slice : "",
                      ask->idle,
                      NULL};
    orr_sv_exec e = {
        .id = (orr_exec_id)s->execs.n, .gpus = w.gpus, .market = -1, .alive = true, .rate = 1, .stages = 1};
    const orr_err err = find_place(s, &w, node, &e);
    if (err)
        return err;
    e.slots = ask->slots > 1 ? ask->slots : 1;
    e.shared_slots = e.slows = ask->shared_slots && e.slots > 1;
    e.type = orr_lowest_bit(c->nodes[e.node].type);
    e.since_ns = (double)s->now;
    for (int32_t m = 0; m < s->spec->market_count && ask->market && *ask->market; m++)
        if (strcmp(s->spec->markets[m].name, ask->market) == 0 && sells(&s->spec->markets[m], c->type_names[e.type]))
            e.market = m;
    take_gpus(s, &e);
    orr_serving_node_enter(s, &e);
    ORR_VEC_PUSH(&s->execs, e);
    orr_serving_neighbours(s, e.id);
    orr_serving_weights_begin(s, e.id);
    *out = e.id;
    orr_serving_market_begin(s, e.id);
    return ORR_OK;
}

static void exec_gone(orr_serving *s, orr_sv_exec *e)
{
    orr_serving_market_end(s, e->id);
    orr_serving_idle(s, e, false);
    orr_serving_weights_gone(s, e->id);
    e->alive = false;
    e->gone_at = s->now;
    s->asked_for -= orr_queue_cancel(s->queue, e->wake);
    e->wake = 0;
    orr_cluster_give(orr_serving_cluster_of(s, e->node), e->node, e->mask, share_of(e));
    orr_serving_node_leave(s, e);
}

void orr_serving_exec_drop(orr_serving *s, orr_exec_id exec)
{
    exec_gone(s, &s->execs.at[exec]);
}

void orr_serving_idle(orr_serving *s, orr_sv_exec *e, bool idle)
{
    if (e->idle == idle)
        return;
    e->idle = idle;
    for (size_t i = 0; i < e->replicas.n; i++) {
        const orr_sv_replica *r = &s->replicas.at[e->replicas.at[i]];
        if (r->phase != ORR_PHASE_READY)
            continue;
        orr_sv_variant *v = &s->variants.at[r->variant];
        if (e->id >= v->idle_size) { /* sets of bits have a fixed size: made anew, twice as large */
            orr_bits old = v->idle;
            const int32_t size = e->id * 2 + 64;
            orr_bits_init(&v->idle, size);
            for (int32_t k = v->idle_made ? orr_bits_next(&old, 0) : -1; k >= 0; k = orr_bits_next(&old, k + 1))
                orr_bits_add(&v->idle, k);
            if (v->idle_made)
                orr_bits_fini(&old);
            v->idle_made = true;
            v->idle_size = size;
        }
        if (idle)
            orr_bits_add(&v->idle, e->id);
        else
            orr_bits_remove(&v->idle, e->id);
    }
}

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

const orr_exec_profile *orr_serving_profile(const orr_serving *s, const orr_variant *v, int32_t type, int32_t milli,
                                            int32_t gpus)
{
    return orr_variant_profile(v, type >= 0 ? s->cluster->type_names[type] : "", milli, gpus);
}

static void fill_noise(orr_sv_replica *r)
{
    const orr_exec_profile *p = r->profile;
    if (!p->measured_noise && p->noise.law == ORR_SCATTER_NONE)
        return;
    const int32_t n = p->measured_noise ? r->max_batch : 0;
    r->noise = orr_xcalloc((size_t)n + 1, sizeof *r->noise);
    r->noise[0] = orr_scattering_of(&p->noise);
    for (int32_t b = 1; b <= n; b++) {
        const orr_jitter own = {ORR_SCATTER_NORMAL, r->seconds[b] > 0 ? orr_exec_deviation(p, b) / r->seconds[b] : 0};
        r->noise[b] = orr_scattering_of(&own);
    }
}

static void fill_times(orr_sv_replica *r)
{
    const size_t n = (size_t)r->max_batch + 1;
    const int32_t stages = r->profile->kind == ORR_EXEC_STAGES ? r->profile->stage_count : 1;
    r->seconds = orr_xcalloc(n, sizeof *r->seconds);
    r->times = orr_xcalloc(n, sizeof *r->times);
    r->seconds[0] = NAN;
    for (int32_t b = 1; b <= r->max_batch; b++) {
        r->seconds[b] = orr_exec_seconds(r->profile, b);
        r->times[b] = isnan(r->seconds[b]) ? 0 : (orr_time)floor(r->seconds[b] * 1e9 + 0.5);
    }
    fill_noise(r);
    if (stages < 2)
        return;
    r->stage_seconds = orr_xcalloc(n * (size_t)stages, sizeof *r->stage_seconds);
    for (int32_t b = 1; b <= r->max_batch; b++)
        for (int32_t k = 0; k < stages; k++)
            r->stage_seconds[b * stages + k] = orr_exec_stage_seconds(r->profile, b, k);
}

/* Who makes tokens has the executor's only slot. */
static bool set_stages(orr_sv_exec *e, const orr_exec_profile *p)
{
    const int32_t stages = p->kind == ORR_EXEC_STAGES ? p->stage_count : 1;
    if (p->kind == ORR_EXEC_ITER && e->slots > 1)
        return false;
    if (p->kind == ORR_EXEC_ITER && !e->iter)
        e->iter = orr_xcalloc(1, sizeof *e->iter);
    if (e->replicas.n)
        return e->stages == stages;
    e->stages = stages;
    free(e->stage_free);
    e->stage_free = orr_xcalloc((size_t)stages, sizeof *e->stage_free);
    return true;
}

void orr_serving_phase(orr_serving *s, orr_sv_replica *r, orr_phase phase)
{
    orr_sv_variant *v = &s->variants.at[r->variant];
    const bool was = r->phase == ORR_PHASE_READY || r->phase == ORR_PHASE_LOADING,
               is = phase == ORR_PHASE_READY || phase == ORR_PHASE_LOADING;
    v->warm += is - was;
    v->cold += (phase == ORR_PHASE_COLD) - (r->phase == ORR_PHASE_COLD);
    r->phase = phase;
    if (is)
        v->central.missed = r->queue.missed = 0;
}

/* On an executor that is there: at once, or as soon as its weights are. On a new one after its phases. Where a store
 * has weights it waits for them after these. */
static void set_going(orr_serving *s, orr_replica_id id, bool at_once)
{
    const orr_sv_service *service = orr_sv_service_of(s, s->replicas.at[id].variant);
    const orr_variant *v = s->variants.at[s->replicas.at[id].variant].spec;
    const orr_time load = s->store && v->bytes ? 0 : v->load;
    const orr_sv_exec *e = &s->execs.at[s->replicas.at[id].exec];
    const orr_time cut = e->cut_at > s->now ? e->cut_at - s->now : 0;
    const orr_time after =
        at_once ? cut
                : orr_time_add(cut, orr_time_add(orr_time_add(service->spec->machine, service->spec->container), load));
    if (at_once && !s->store)
        orr_serving_phase(s, &s->replicas.at[id], ORR_PHASE_LOADING);
    if (after == 0 && s->store && !s->begun)
        orr_serving_weights_first(s, id);
    else if (after == 0)
        orr_serving_phase_done(s, id);
    else
        s->replicas.at[id].event = orr_queue_add(s->queue, &(orr_queued){.at = orr_time_add(s->now, after),
                                                                         .class_ = ORR_CLASS_CAPACITY,
                                                                         .kind = ORR_SV_PHASE,
                                                                         .cookie = (uint64_t)id});
}

/* Ready at once where the run begins with it, or after its phases. -1: it has no profile for this executor, or no room
 * for its weights. */
orr_replica_id orr_serving_replica_add(orr_serving *s, orr_variant_id variant, orr_exec_id exec, bool at_once)
{
    orr_sv_variant *v = &s->variants.at[variant];
    const orr_sv_service *service = orr_sv_service_of(s, variant);
    orr_sv_exec *e = &s->execs.at[exec];
    const orr_exec_profile *p = orr_serving_profile(s, v->spec, e->type, e->milli, e->gpus);
    if (!p || !orr_serving_weights_fit(s, exec, variant) || !set_stages(e, p))
        return -1;
    orr_sv_replica r = {.id = (orr_replica_id)s->replicas.n,
                        .variant = variant,
                        .exec = exec,
                        .phase = ORR_PHASE_MACHINE,
                        .max_batch = v->spec->max_batch,
                        .profile = p,
                        .queue = v->central};
    r.queue = (orr_sv_queue){.stride = service->stride,
                             .keyed = v->central.keyed,
                             .variant = variant,
                             .replica = r.id,
                             .wake_at = INT32_MAX};
    fill_times(&r);
    if (s->replica_priv)
        r.priv = orr_xcalloc(1, s->replica_priv);
    ORR_VEC_PUSH(&s->replicas, r);
    ORR_VEC_PUSH(&v->replicas, r.id);
    ORR_VEC_PUSH(&e->replicas, r.id);
    orr_serving_weights_join(s, r.id);
    set_going(s, r.id, at_once);
    return r.id;
}

void orr_serving_tell(orr_serving *s, const orr_serve_event *event)
{
    if (s->serve && s->serve->on_event)
        s->serve->on_event(s->seats[ORR_SEAT_SERVE], event);
    if (s->scaler && s->scaler->on_event)
        s->scaler->on_event(s->seats[ORR_SEAT_SCALER], event);
    if (s->sink.event)
        s->sink.event(s->sink.self, s->now, event);
    s->decide = true;
}

static void tell_phase(orr_serving *s, const orr_sv_replica *r)
{
    orr_serving_tell(s, &(orr_serve_event){.kind = ORR_SE_REPLICA,
                                           .service = s->variants.at[r->variant].service,
                                           .variant = r->variant,
                                           .replica = r->id,
                                           .exec = r->exec,
                                           .node = s->execs.at[r->exec].node,
                                           .phase = r->phase,
                                           .why = r->phase == ORR_PHASE_GONE ? s->why : ORR_GONE_DRAINED,
                                           .due = s->now});
}

void orr_serving_ready(orr_serving *s, orr_replica_id id)
{
    orr_sv_replica *r = &s->replicas.at[id];
    orr_sv_exec *e = &s->execs.at[r->exec];
    orr_serving_idle(s, e, false); /* so that it is filed for this variant, too */
    orr_serving_phase(s, r, ORR_PHASE_READY);
    orr_serving_touch(s, r->exec);
    if (!r->up) {
        r->up = true;
        tell_phase(s, r);
    }
}

void orr_serving_phase_done(orr_serving *s, orr_replica_id id)
{
    s->replicas.at[id].event = 0;
    if (s->store)
        orr_serving_weights_start(s, id);
    else
        orr_serving_ready(s, id);
}

static void forget(orr_serving *s, orr_replica_id id)
{
    orr_sv_replica *r = &s->replicas.at[id];
    orr_sv_variant *v = &s->variants.at[r->variant];
    orr_sv_exec *e = &s->execs.at[r->exec];
    size_t n = 0;
    for (size_t i = 0; i < v->replicas.n; i++)
        if (v->replicas.at[i] != id)
            v->replicas.at[n++] = v->replicas.at[i];
    v->replicas.n = n;
    n = 0;
    for (size_t i = 0; i < e->replicas.n; i++)
        if (e->replicas.at[i] != id)
            e->replicas.at[n++] = e->replicas.at[i];
    e->replicas.n = n;
    orr_serving_weights_leave(s, id);
}

static bool runs_something(const orr_sv_exec *e, orr_replica_id id)
{
    for (size_t i = 0; i < e->at.n; i++)
        if (e->at.at[i].size && e->at.at[i].replica == id)
            return true;
    return false;
}

void orr_serving_replica_rest(orr_serving *s, orr_replica_id id)
{
    orr_sv_replica *r = &s->replicas.at[id];
    orr_sv_exec *e = &s->execs.at[r->exec];
    if (r->queue.n || runs_something(e, id))
        return;
    forget(s, id);
    orr_serving_phase(s, r, ORR_PHASE_GONE);
    if (!e->replicas.n)
        exec_gone(s, e);
    tell_phase(s, r);
    orr_serving_arm(s, orr_sv_service_of(s, r->variant));
}

/* What waits at it alone goes to the variant's others, by its central queue. */
void orr_serving_replica_drain(orr_serving *s, orr_replica_id id)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    orr_sv_replica *r = &s->replicas.at[id];
    if (r->phase == ORR_PHASE_DRAINING || r->phase == ORR_PHASE_GONE)
        return;
    orr_queue_cancel(s->queue, r->event);
    r->event = 0;
    orr_serving_idle(s, &s->execs.at[r->exec], false);
    orr_serving_phase(s, r, ORR_PHASE_DRAINING);
    orr_serving_touch(s, r->exec);
    s->variants.at[r->variant].central.missed = 0;
    orr_serving_weights_missed(s, (orr_dest){.variant = r->variant, .replica = -1});
    while (s->replicas.at[id].queue.n) {
        orr_sv_pop(&s->replicas.at[id].queue, record);
        orr_serving_enqueue(s, record, (orr_dest){.variant = s->replicas.at[id].variant, .replica = -1});
    }
    const orr_variant_id variant = s->replicas.at[id].variant;
    orr_serving_replica_rest(s, id);
    orr_serving_rouse(s, variant); /* it may have been the one who was to pass on what waits */
}
