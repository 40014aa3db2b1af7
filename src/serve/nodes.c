/* Nodes: those that fail under executors, and those that belong to serving.
 *
 * A node that belongs to serving is down in the cluster that jobs see (ORR_LOSS_OWNED); executors find room on it in
 * a second cluster, in which only such nodes are up. So each side has books of its own, and neither looks through the
 * other's nodes.
 *
 * An executor that stands in the scenario and is lost waits for room: it is placed again, wherever it fits, as soon
 * as room grows anywhere. Those that a policy made are the policy's to replace; where a scaler decides how many there
 * are, all are.
 */
#include "serve/nodes.h"

#include "cluster/nodelife.h"

#include <stdlib.h>

static const orr_node_status *status_of(const orr_serving *s, int32_t node)
{
    return &s->world->nodes->nodes[node];
}

static bool is_owned(const orr_serving *s, int32_t node)
{
    return s->own && s->nodes[node].loan != ORR_LOAN_NOT_OURS;
}

/* ---- where executors are ----------------------------------------------------------------------------------------- */

void orr_serving_nodes_begin(orr_serving *s)
{
    const orr_cluster *all = s->cluster;
    s->nodes = orr_xcalloc((size_t)all->count + 1, sizeof *s->nodes);
    if (!s->world->nodes)
        return; /* tried out on a cluster of its own (try.c) */
    for (int32_t i = 0; i < all->count; i++) {
        if (!(status_of(s, i)->said & ORR_LOSS_OWNED))
            continue;
        s->nodes[i].loan = ORR_LOAN_HERE;
        ORR_VEC_PUSH(&s->owned, i);
    }
    if (!s->owned.n)
        return;
    s->own = orr_cluster_create(s->world->spec, s->world->one_pool);
    for (int32_t i = 0; i < all->count; i++)
        if (!is_owned(s, i))
            orr_cluster_set_up(s->own, i, 0, false);
        else if (!s->lends) /* jobs that fit nowhere else never run */
            orr_cluster_set_up(s->world->empty, i, 0, false);
}

void orr_serving_nodes_end(orr_serving *s)
{
    for (int32_t i = 0; s->nodes && i < s->cluster->count; i++)
        ORR_VEC_FREE(&s->nodes[i].execs);
    free(s->nodes);
    ORR_VEC_FREE(&s->owned);
    ORR_VEC_FREE(&s->homeless);
    orr_cluster_destroy(s->own);
}

orr_cluster *orr_serving_cluster_of(const orr_serving *s, int32_t node)
{
    return is_owned(s, node) ? s->own : s->cluster;
}

void orr_serving_node_enter(orr_serving *s, const orr_sv_exec *e)
{
    ORR_VEC_PUSH(&s->nodes[e->node].execs, e->id);
    s->milli_held += is_owned(s, e->node) ? 0 : (int64_t)e->gpus * e->held;
}

/* O(executors of the node). */
void orr_serving_node_leave(orr_serving *s, const orr_sv_exec *e)
{
    orr_sv_node *n = &s->nodes[e->node];
    size_t left = 0;
    for (size_t i = 0; i < n->execs.n; i++)
        if (n->execs.at[i] != e->id)
            n->execs.at[left++] = n->execs.at[i];
    n->execs.n = left;
    if (is_owned(s, e->node))
        return;
    s->milli_held -= (int64_t)e->gpus * e->held;
    if (!s->world->life->live)
        return;
    orr_serving_step_out(s);
    s->world->nodes->freed(s->world->nodes->self, e->node); /* somebody may have waited for this room */
}

/* ---- executors that are taken away ------------------------------------------------------------------------------- */

static void tell_taken(orr_serving *s, const orr_sv_exec *e, orr_gone_why why)
{
    orr_serving_tell(s, &(orr_serve_event){.kind = ORR_SE_TAKEN,
                                           .service = -1,
                                           .variant = -1,
                                           .replica = -1,
                                           .exec = e->id,
                                           .node = e->node,
                                           .why = why,
                                           .due = s->now});
}

/* Its batches are lost, and what waited at its replicas alone goes to the others. */
void orr_serving_exec_take(orr_serving *s, orr_exec_id id, orr_gone_why why)
{
    ORR_VEC(orr_variant_id) left = {0};
    s->why = why;
    for (uint32_t place = 0; place < s->execs.at[id].at.n; place++)
        if (s->execs.at[id].at.at[place].size)
            orr_serving_batch_lost(s, id, place);
    while (s->execs.at[id].replicas.n) {
        const orr_replica_id r = s->execs.at[id].replicas.at[0];
        ORR_VEC_PUSH(&left, s->replicas.at[r].variant);
        if (s->replicas.at[r].phase == ORR_PHASE_DRAINING)
            orr_serving_replica_rest(s, r);
        else
            orr_serving_replica_drain(s, r);
    }
    if (s->execs.at[id].alive)
        orr_serving_exec_drop(s, id);
    tell_taken(s, &s->execs.at[id], why);
    s->why = ORR_GONE_DRAINED;
    for (size_t i = 0; i < left.n; i++) /* who is idle takes over */
        orr_serving_rouse(s, left.at[i]);
    ORR_VEC_FREE(&left);
}

static void lose_one(orr_serving *s, orr_exec_id id)
{
    const orr_sv_exec *e = &s->execs.at[id];
    const orr_sv_homeless lost = {.ask = e->ask, .node = e->node};
    bool serves = false; /* one whose replicas all drain was to go anyway */
    for (size_t i = 0; i < e->replicas.n; i++)
        serves |= s->replicas.at[e->replicas.at[i]].phase != ORR_PHASE_DRAINING;
    orr_serving_exec_take(s, id, ORR_GONE_LOST);
    if (!lost.ask || !serves || (s->scaler && s->scaler->want))
        return;
    ORR_VEC_PUSH(&s->homeless, lost);
    s->room_seen = UINT64_MAX;
}

static void lose(orr_serving *s, int32_t node, uint64_t gpus)
{
    const orr_sv_node *n = &s->nodes[node];
    for (size_t i = 0; i < n->execs.n;) { /* by age; a lost one leaves the list */
        const orr_exec_id id = n->execs.at[i];
        if (s->execs.at[id].mask & gpus)
            lose_one(s, id);
        else
            i++;
    }
}

void orr_serving_evict(orr_serving *s, int32_t node, uint64_t gpus)
{
    if (!is_owned(s, node))
        lose(s, node, gpus);
}

/* ---- executors that wait for room -------------------------------------------------------------------------------- */

static uint64_t room(const orr_serving *s)
{
    return orr_cluster_pool(s->cluster, -1)->releases + (s->own ? orr_cluster_pool(s->own, -1)->releases : 0);
}

/* True: it is no longer to be placed. */
static bool house(orr_serving *s, const orr_sv_homeless *h)
{
    orr_exec_id id;
    if (orr_serving_exec_add(s, h->ask, -1, &id) != ORR_OK)
        return false;
    for (int32_t k = 0; k < h->ask->host_count; k++) {
        const orr_variant_id variant = s->services.at[h->ask->hosts[k].service].first + h->ask->hosts[k].variant;
        if (orr_serving_replica_add(s, variant, id, false) < 0)
            orr_world_note(s->world, "an executor was placed again where a variant that it hosts has no profile");
    }
    if (!s->execs.at[id].replicas.n)
        orr_serving_exec_drop(s, id);
    else
        s->execs.at[id].ask = h->ask;
    return true;
}

void orr_serving_house(orr_serving *s)
{
    size_t left = 0;
    if (!s->homeless.n || room(s) == s->room_seen)
        return;
    for (size_t i = 0; i < s->homeless.n; i++)
        if (!house(s, &s->homeless.at[i]))
            s->homeless.at[left++] = s->homeless.at[i];
    s->homeless.n = left;
    s->room_seen = room(s);
}

bool orr_serving_hopes(orr_serving *s)
{
    return s->homeless.n && orr_serving_expects(s);
}

/* ---- nodes that belong to serving -------------------------------------------------------------------------------- */

/* Reasons for which it isn't there, besides being with serving. */
static bool works(const orr_serving *s, int32_t node)
{
    const orr_node_status *n = status_of(s, node);
    return n->losses == ((n->said & ORR_LOSS_OWNED) != 0);
}

void orr_serving_node_beside(orr_serving *s, int32_t node)
{
    if (!is_owned(s, node))
        return;
    const orr_node_status *st = status_of(s, node);
    const orr_node *n = &s->own->nodes[node];
    const bool takes = st->wish != ORR_WISH_DRAIN && st->wish != ORR_WISH_LEAVE;
    const uint64_t was = n->up, up = (st->said & ORR_LOSS_OWNED) && works(s, node) ? n->all & ~st->broken : 0;
    if (was != up || n->takes != (takes && up)) {
        orr_cluster_set_up(s->own, node, up, takes && up);
        lose(s, node, was & ~up);
    }
    if (s->nodes[node].loan == ORR_LOAN_RECLAIMED && st->said & ORR_LOSS_LEFT)
        orr_serving_loan_ends(s, node); /* it became empty before it was due */
}

bool orr_serving_node_serves(const orr_serving *s, int32_t node)
{
    return is_owned(s, node) && s->own->nodes[node].usable;
}
