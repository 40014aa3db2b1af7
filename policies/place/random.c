/* random: nodes drawn at random among those with room, from the placer's own stream. A gang takes what each node has from a
 * random node on; a part of a GPU, and a job without GPUs, goes to one node drawn evenly among those with room, and there to
 * a GPU drawn likewise. With `draw=node` whole gangs go to one node, too: the baseline of FGD. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t draw;
} settings;

/* From a random node on, around once. */
static orr_err around(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t left = r->gpus;
    if (left > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    int32_t begin = (int32_t)orr_random_below(ctx, (uint64_t)orr_cluster_nodes(ctx)) - 1;
    for (int lap = 0; lap < 2 && left > 0; lap++) {
        int32_t node = orr_node_with_at_least(ctx, r->scope, 1, lap ? -1 : begin);
        for (; node >= 0 && left > 0 && (lap == 0 || node <= begin); node = orr_node_with_at_least(ctx, r->scope, 1, node)) {
            int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
            if (take > 0 && orr_alloc_take(out, plan, node, take) == ORR_OK)
                left -= take;
        }
    }
    return left ? ORR_E_NOFIT : ORR_OK;
}

static bool hosts(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    bool inside = r->scope.vc < 0 || orr_node_vc(ctx, node) == r->scope.vc;
    return inside && orr_node_hosts(ctx, r, node);
}

/* Every node that can host it is as likely. While many can, a few draws find one; a walk over all nodes is left for when
 * hardly any can. */
static int32_t draw_node(orr_ctx *ctx, const orr_request *r)
{
    const int32_t nodes = orr_cluster_nodes(ctx);
    int32_t chosen = -1;
    for (int k = 0; k < 64; k++) {
        const int32_t node = (int32_t)orr_random_below(ctx, (uint64_t)nodes);
        if (hosts(ctx, r, node))
            return node;
    }
    uint64_t seen = 0;
    for (int32_t node = 0; node < nodes; node++)
        if (hosts(ctx, r, node) && orr_random_below(ctx, ++seen) == 0)
            chosen = node;
    return chosen;
}

static int32_t draw_gpu(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    int32_t chosen = -1;
    uint64_t seen = 0;
    for (int32_t g = 0; g < orr_node_gpus(ctx, node); g++)
        if (orr_node_takes(ctx, r->job, node, g, r->milli) && orr_random_below(ctx, ++seen) == 0)
            chosen = g;
    return chosen;
}

static orr_err on_one(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const int32_t node = draw_node(ctx, r);
    if (node < 0)
        return ORR_E_NOFIT;
    if (r->gpus != 1 || r->milli == 1000)
        return orr_take_on_node(ctx, plan, r, node, out);
    const int32_t gpu = draw_gpu(ctx, r, node);
    return orr_alloc_add_slice(out, &(orr_slice){.node = node, .milli = r->milli, .gpus = (uint64_t)1 << gpu});
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const settings *k = orr_knobs(ctx);
    if (r->gpus > orr_scope_widest(ctx, r->scope) || (k->draw == 0 && r->gpus > 0 && r->milli == 1000))
        return r->milli < 1000 ? orr_fill_parts(ctx, r, out) : around(ctx, plan, r, out);
    if (k->draw == 0 && r->gpus > 1) /* parts of several GPUs, perhaps more than one node has */
        return orr_fill_parts(ctx, r, out);
    return on_one(ctx, plan, r, out);
}

static const orr_knob knobs[] = {
    {"draw", ORR_KNOB_CHOICE, offsetof(settings, draw), "start", "start|node",
     "where a gang begins and then takes what comes, or one node with room for all of it"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"fgd", "draw=node", "baseline Random of FGD, USENIX ATC 2023"},
    {NULL, NULL, NULL},
};

ORR_PLACER(random) = {
    .summary = "from a random node on, split where needed",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .parts = true,
    .place = place,
};
