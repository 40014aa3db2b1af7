/* Seats: parts of one node, or whole nodes, for jobs that are told only how many GPUs they have. */
#include "cluster/bits.h"
#include "sched/ctx.h"

#include <stdlib.h>

typedef struct hall {
    orr_ctx *ctx;
    orr_plan *plan;
    orr_scope scope;
    orr_seat_fn *assign;
    int32_t *nodes, count, width; /* those of the scope, by index */
    int32_t *movable;             /* [nodes of the cluster] scratch */
    int32_t *stamp, turn;         /* likewise: the last turn in which a node was taken */
} hall;

static bool lies_in(const orr_node *n, orr_scope scope)
{
    return n->all && (scope.vc < 0 || n->vc == scope.vc) && (scope.types == 0 || (n->type & scope.types));
}

/* O(nodes of the cluster): somebody moves in a round. */
static hall open_hall(orr_ctx *ctx, orr_plan *plan, orr_scope scope, orr_seat_fn *assign)
{
    const orr_cluster *c = ctx->world->cluster;
    const size_t nodes = (size_t)c->count;
    hall h = {.ctx = ctx, .plan = plan, .scope = scope, .assign = assign};
    h.nodes = orr_xcalloc(3 * nodes, sizeof *h.nodes);
    h.movable = h.nodes + nodes;
    h.stamp = h.movable + nodes;
    for (int32_t i = 0; i < c->count; i++) {
        if (!lies_in(&c->nodes[i], scope))
            continue;
        h.nodes[h.count++] = i;
        const int32_t gpus = orr_bit_count(c->nodes[i].all);
        h.width = gpus > h.width ? gpus : h.width;
    }
    return h;
}

static int32_t free_on(const hall *h, int32_t node)
{
    return h->ctx->world->cluster->nodes[node].free;
}

static bool has_seats(const hall *h, const orr_job *job, int32_t node, int32_t gpus)
{
    return h->stamp[node] != h->turn && free_on(h, node) >= gpus && orr_node_room(h->ctx, job, node) >= gpus;
}

/* For a whole node the last empty one, else the one on which least is left; -1: none. */
static int32_t find_node(const hall *h, const orr_job *job, int32_t gpus)
{
    for (int32_t i = h->count - 1; gpus == h->width && i >= 0; i--)
        if (has_seats(h, job, h->nodes[i], gpus))
            return h->nodes[i];
    for (int32_t free = gpus; gpus < h->width && free <= h->width; free++)
        for (int32_t node = -1; (node = orr_node_with_free(h->ctx, h->scope, free, node)) >= 0;)
            if (has_seats(h, job, node, gpus))
                return node;
    return -1;
}

/* The node of one who has its seats, but may be moved for somebody wider; -1: it may not. */
static int32_t movable_from(const hall *h, const orr_seat *seat, int32_t gpus)
{
    const bool may = seat->keeps && !seat->fixed && seat->gpus < gpus;
    const orr_alloc *held = may ? orr_plan_held(h->plan, seat->job) : NULL;
    return held && orr_alloc_nodes(held) == 1 ? orr_alloc_slices(held)[0].node : -1;
}

static int32_t emptiest_to_clear(const hall *h, const orr_seat *seats, size_t n, int32_t gpus)
{
    int32_t best = -1;
    for (int32_t i = 0; i < h->count; i++)
        h->movable[h->nodes[i]] = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t node = movable_from(h, &seats[i], gpus);
        if (node >= 0)
            h->movable[node] += seats[i].gpus;
    }
    for (int32_t i = 0; i < h->count; i++) {
        const int32_t node = h->nodes[i];
        if (h->stamp[node] != h->turn && free_on(h, node) + h->movable[node] >= gpus &&
            (best < 0 || free_on(h, node) > free_on(h, best)))
            best = node;
    }
    return best;
}

/* The smallest leave first; their turn is still to come, for they are narrower. O(nodes + seats); seldom. */
static int32_t clear_node(const hall *h, const orr_job *job, orr_seat *narrower, size_t n, int32_t gpus)
{
    const int32_t node = emptiest_to_clear(h, narrower, n, gpus);
    for (size_t i = n; node >= 0 && i-- > 0 && free_on(h, node) < gpus;)
        if (movable_from(h, &narrower[i], gpus) == node) {
            orr_plan_preempt(h->plan, narrower[i].job);
            narrower[i].keeps = false;
        }
    return node >= 0 && has_seats(h, job, node, gpus) ? node : -1;
}

static bool find_seats(hall *h, orr_seat *seat, size_t n, orr_alloc *out)
{
    h->turn++;
    for (int32_t left = seat->gpus, part; left > 0; left -= part) {
        part = left < h->width ? left : h->width;
        int32_t node = find_node(h, seat->job, part);
        node = node < 0 ? clear_node(h, seat->job, seat + 1, n - 1, part) : node;
        if (node < 0 || orr_alloc_take(out, h->plan, node, part))
            return false;
        h->stamp[node] = h->turn;
    }
    return true;
}

static bool seat_one(hall *h, orr_seat *seat, size_t n)
{
    orr_alloc *out = orr_plan_alloc(h->plan);
    if (!find_seats(h, seat, n, out)) {
        const orr_request r = {.job = seat->job, .gpus = seat->gpus, .scope = h->scope, .milli = ORR_WHOLE_GPU};
        out = orr_plan_alloc(h->plan);
        if (orr_fill_nodes(h->ctx, h->plan, &r, ORR_NODES_EMPTIEST, out))
            return false;
    }
    if (h->assign)
        return h->assign(h->ctx, h->plan, seat->job, out) == ORR_OK;
    return orr_plan_try_assign(h->plan, seat->job, out) == ORR_OK;
}

static int widest_first(const void *a, const void *b)
{
    const orr_seat *x = a, *y = b;
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    return (x->job->index > y->job->index) - (x->job->index < y->job->index);
}

void orr_plan_seats(orr_ctx *ctx, orr_plan *plan, orr_scope scope, orr_seat_fn *assign, orr_seat *seats, size_t n)
{
    size_t moves = 0;
    if (n > 0)
        qsort(seats, n, sizeof *seats, widest_first);
    for (size_t i = 0; i < n; i++) {
        seats[i].found = seats[i].keeps;
        moves += !seats[i].keeps;
    }
    if (moves == 0)
        return;
    hall h = open_hall(ctx, plan, scope, assign);
    for (size_t i = 0; i < n; i++)
        if (!seats[i].keeps)
            seats[i].found = seat_one(&h, &seats[i], n - i);
    free(h.nodes);
}
