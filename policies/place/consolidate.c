/* consolidate: the fewest nodes, or wait. A gang that fits a node goes to the fullest one with room for it, never split; a wider
 * one takes wholly free nodes and puts the rest on the emptiest of the others. The rule of the Helios and Lucid simulators.
 * `pick=first`, `rest=first` take nodes in index order instead, `pick=emptiest` those with the most room; `within=rack` asks that
 * all lie in one rack. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t pick, rest, within;
} settings;

static bool has_room(orr_ctx *ctx, const orr_request *r, int32_t node, int32_t gpus)
{
    return orr_node_room(ctx, r->job, node) >= gpus;
}

static bool in_rack(const orr_ctx *ctx, int32_t node, int32_t rack)
{
    return rack < 0 || orr_node_rack(ctx, node) == rack;
}

/* Where the rest goes: emptiest first, or in index order; not on a node already taken. */
static int32_t rest_node(orr_ctx *ctx, const orr_request *r, int32_t widest, int32_t rest, int32_t rack, const orr_alloc *taken)
{
    const settings *s = orr_knobs(ctx);
    int32_t best = -1;
    for (int32_t free = widest; free >= rest; free--) {
        int32_t node = orr_node_with_free(ctx, r->scope, free, -1);
        for (; node >= 0; node = orr_node_with_free(ctx, r->scope, free, node)) {
            bool used = free == widest && orr_alloc_nodes(taken) > 0 &&
                        node <= orr_alloc_slices(taken)[orr_alloc_nodes(taken) - 1].node;
            if (!used && in_rack(ctx, node, rack) && has_room(ctx, r, node, rest))
                break;
        }
        if (node < 0)
            continue;
        if (s->rest == 0)
            return node;
        if (best < 0 || node < best)
            best = node;
    }
    return best;
}

static orr_err many_nodes(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t widest, int32_t rack, orr_alloc *out)
{
    int32_t whole = r->gpus / widest, rest = r->gpus % widest;
    for (int32_t node = -1; whole > 0; whole--) {
        do
            node = orr_node_with_free(ctx, r->scope, widest, node);
        while (node >= 0 && !(in_rack(ctx, node, rack) && has_room(ctx, r, node, widest)));
        if (node < 0 || orr_alloc_take(out, plan, node, widest))
            return ORR_E_NOFIT;
    }
    if (rest == 0)
        return ORR_OK;
    int32_t node = rest_node(ctx, r, widest, rest, rack, out);
    return node < 0 ? ORR_E_NOFIT : orr_alloc_take(out, plan, node, rest);
}

/* Rack after rack; each looks at the free nodes of all, which only a preset for small clusters asks for. */
static orr_err some_rack(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t widest, orr_alloc *out)
{
    for (int32_t rack = 0; rack < orr_cluster_racks(ctx); rack++) {
        orr_alloc *attempt = orr_plan_alloc((orr_plan *)plan);
        if (many_nodes(ctx, plan, r, widest, rack, attempt))
            continue;
        for (int32_t i = 0; i < orr_alloc_nodes(attempt); i++)
            orr_alloc_add(out, orr_alloc_slices(attempt)[i].node, orr_alloc_slices(attempt)[i].gpus);
        return ORR_OK;
    }
    return ORR_E_NOFIT;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t widest = orr_scope_widest(ctx, r->scope);
    if (r->gpus > orr_scope_free(ctx, r->scope) || widest == 0)
        return ORR_E_NOFIT;
    if (r->gpus <= widest) {
        static const orr_nodes orders[] = {ORR_NODES_FULLEST, ORR_NODES_INDEXED, ORR_NODES_EMPTIEST};
        int32_t node = orr_node_for(ctx, r, r->gpus, orders[((const settings *)orr_knobs(ctx))->pick]);
        return node < 0 ? ORR_E_NOFIT : orr_alloc_take(out, plan, node, r->gpus);
    }
    if (((const settings *)orr_knobs(ctx))->within == 1)
        return some_rack(ctx, plan, r, widest, out);
    return many_nodes(ctx, plan, r, widest, -1, out);
}

static const orr_knob knobs[] = {
    {"pick", ORR_KNOB_CHOICE, offsetof(settings, pick), "fullest", "fullest|first|emptiest", "which node with room for the whole gang"},
    {"rest", ORR_KNOB_CHOICE, offsetof(settings, rest), "emptiest", "emptiest|first", "where the rest of a wide gang goes"},
    {"within", ORR_KNOB_CHOICE, offsetof(settings, within), "any", "any|rack", "may a wide gang span racks"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"yarn", "pick=first,rest=first,within=rack", "scheme `yarn` of the public Tiresias simulator"},
    {NULL, NULL, NULL},
};

ORR_PLACER(consolidate) = {
    .summary = "the fewest nodes, or wait",
    .cite = "Helios SC'21 and Lucid ASPLOS'23 simulators (placer `consolidate`)",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .place = place,
};
