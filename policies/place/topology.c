/* topology: one node and the GPUs of it with the best links, or wait; several nodes in one rack where one has them.
 *
 * Of the nodes with room for the gang, a few of each number of free GPUs (`look`) are compared by the rate of the ring
 * that its all-reduce would run on there; among equals the fullest node wins, so that idle ones stay whole. On the node
 * the GPUs with the fastest ring are taken, and among equals those that leave sockets, PCIe switches and NVLink groups
 * whole for others: on a DGX-1 two GPUs get a pair with two links, four a quad. `prefer=room` takes the fullest node
 * whatever its links are.
 * A gang wider than any node takes wholly free nodes of the rack with the fewest of them that suffice, and the rest
 * beside them; if no rack has enough, of the racks with the most, so that it spans few.
 *
 * Where the cluster's description states no links, sockets are all there is to tell GPUs apart.
 */
#include <orrery/places.h>

typedef struct settings {
    int32_t prefer;
    int64_t look;
} settings;

typedef struct place {
    int32_t node;
    uint64_t gpus;
    double ring;
    orr_level level;
} place;

/* ---- one node ---- */

static bool better(const place *a, const place *b)
{
    if (b->node < 0 || a->ring != b->ring)
        return b->node < 0 || a->ring > b->ring;
    return a->level < b->level;
}

static place weigh(orr_ctx *ctx, int32_t node, int32_t gpus)
{
    const uint64_t best = orr_node_best_gpus(ctx, node, gpus);
    return (place){node, best, orr_node_ring_bps(ctx, node, best), orr_node_level(ctx, node, best)};
}

/* The next node with just so many free GPUs, in a rack, or anywhere (-1). */
static int32_t next(orr_ctx *ctx, const orr_request *r, int32_t rack, int32_t free, int32_t after)
{
    if (rack < 0)
        return orr_node_with_free(ctx, r->scope, free, after);
    return orr_rack_node_with_free(ctx, r->scope, rack, free, after);
}

static bool is_taken(const orr_alloc *taken, int32_t node)
{
    for (int32_t i = 0; i < orr_alloc_nodes(taken); i++)
        if (orr_alloc_slices(taken)[i].node == node)
            return true;
    return false;
}

/* Where `gpus` GPUs go; nodes in `taken` have been used up. Its node is -1 where there is no room. */
static place find(orr_ctx *ctx, const orr_request *r, int32_t rack, int32_t gpus, const orr_alloc *taken)
{
    const settings *s = orr_knobs(ctx);
    place best = {.node = -1};
    for (int32_t free = gpus; free <= orr_scope_widest(ctx, r->scope); free++) {
        int64_t looked = 0;
        int32_t node = next(ctx, r, rack, free, -1);
        for (; node >= 0 && looked < s->look; node = next(ctx, r, rack, free, node)) {
            if (is_taken(taken, node) || orr_node_room(ctx, r->job, node) < gpus)
                continue;
            const place here = weigh(ctx, node, gpus);
            if (better(&here, &best))
                best = here;
            if (gpus == 1 || s->prefer == 1)
                return best;
            looked++;
        }
    }
    return best;
}

static orr_err one_node(orr_ctx *ctx, const orr_request *r, int32_t rack, int32_t gpus, orr_alloc *out)
{
    const place p = find(ctx, r, rack, gpus, out);
    return p.node < 0 ? ORR_E_NOFIT : orr_alloc_add(out, p.node, p.gpus);
}

/* ---- several nodes ---- */

/* Adds at most `count` wholly free nodes; how many are still missing. */
static int32_t add_whole(orr_ctx *ctx, const orr_request *r, int32_t rack, int32_t count, orr_alloc *out)
{
    const int32_t widest = orr_scope_widest(ctx, r->scope);
    for (int32_t node = -1; count > 0;) {
        node = next(ctx, r, rack, widest, node);
        if (node < 0)
            break;
        if (orr_node_room(ctx, r->job, node) < widest)
            continue;
        if (orr_alloc_add(out, node, orr_node_free_gpus(ctx, node)))
            break;
        count--;
    }
    return count;
}

static orr_err fill(orr_ctx *ctx, const orr_request *r, int32_t rack, orr_alloc *out)
{
    const int32_t widest = orr_scope_widest(ctx, r->scope);
    if (add_whole(ctx, r, rack, r->gpus / widest, out))
        return ORR_E_NOFIT;
    return r->gpus % widest ? one_node(ctx, r, rack, r->gpus % widest, out) : ORR_OK;
}

static orr_err copy(const orr_alloc *from, orr_alloc *to)
{
    orr_err err = ORR_OK;
    for (int32_t i = 0; i < orr_alloc_nodes(from) && !err; i++)
        err = orr_alloc_add(to, orr_alloc_slices(from)[i].node, orr_alloc_slices(from)[i].gpus);
    return err;
}

static orr_err one_rack(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const int32_t whole = r->gpus / orr_scope_widest(ctx, r->scope);
    for (int32_t idle = whole < ORR_RACK_MANY ? whole : ORR_RACK_MANY; idle <= ORR_RACK_MANY; idle++) {
        int32_t rack = orr_rack_with_idle(ctx, r->scope, idle, -1);
        for (; rack >= 0; rack = orr_rack_with_idle(ctx, r->scope, idle, rack)) {
            orr_alloc *attempt = orr_plan_alloc((orr_plan *)plan);
            if (!fill(ctx, r, rack, attempt))
                return copy(attempt, out);
        }
    }
    return ORR_E_NOFIT;
}

static orr_err few_racks(orr_ctx *ctx, const orr_request *r, orr_alloc *out)
{
    const int32_t widest = orr_scope_widest(ctx, r->scope);
    int32_t missing = r->gpus / widest;
    for (int32_t idle = ORR_RACK_MANY; idle > 0 && missing > 0; idle--) {
        int32_t rack = orr_rack_with_idle(ctx, r->scope, idle, -1);
        for (; rack >= 0 && missing > 0; rack = orr_rack_with_idle(ctx, r->scope, idle, rack))
            missing = add_whole(ctx, r, rack, missing, out);
    }
    if (missing > 0)
        return ORR_E_NOFIT;
    return r->gpus % widest ? one_node(ctx, r, -1, r->gpus % widest, out) : ORR_OK;
}

/* ---- the decision ---- */

static orr_err place_gang(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const int32_t widest = orr_scope_widest(ctx, r->scope);
    if (r->gpus > orr_scope_free(ctx, r->scope) || widest == 0)
        return ORR_E_NOFIT;
    if (r->gpus <= widest)
        return one_node(ctx, r, -1, r->gpus, out);
    if (orr_cluster_racks(ctx) == 1)
        return fill(ctx, r, -1, out);
    return one_rack(ctx, plan, r, out) ? few_racks(ctx, r, out) : ORR_OK;
}

static const orr_knob knobs[] = {
    {"prefer", ORR_KNOB_CHOICE, offsetof(settings, prefer), "links", "links|room",
     "the node with the best links, or the fullest"},
    {"look", ORR_KNOB_INT, offsetof(settings, look), "4", "1..1000000",
     "how many nodes of each number of free GPUs are compared"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(topology) = {
    .summary = "the GPUs with the best links, or wait",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .place = place_gang,
};
