/* first-fit: nodes in index order, every free GPU of each until the gang is complete. Splits freely, so that it fails
 * only when there are too few free GPUs. With `last=exact` each node on the way offers all it has, up to the size of
 * the gang, and the offers must add up to the gang: one that offers more than is missing ends the search, unless
 * nobody holds any GPU. What doesn't fit so may fit when less is free; use it where nobody is tried twice on the same
 * room. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t last;
} settings;

static bool adds_up(orr_ctx *ctx, const orr_request *r)
{
    int32_t missing = r->gpus;
    for (int32_t node = -1; missing > 0 && (node = orr_node_with_at_least(ctx, r->scope, 1, node)) >= 0;) {
        int32_t room = orr_node_room(ctx, r->job, node);
        missing -= room < r->gpus ? room : r->gpus;
    }
    return missing == 0;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    bool exact = ((const settings *)orr_knobs(ctx))->last == 1;
    if (exact && !adds_up(ctx, r) && orr_scope_free(ctx, r->scope) < orr_scope_gpus(ctx, r->scope))
        return ORR_E_NOFIT;
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_INDEXED, out);
}

static const orr_knob knobs[] = {
    {"last", ORR_KNOB_CHOICE, offsetof(settings, last), "any", "any|exact",
     "the last node may have more than is missing, or must be met exactly (`scattered` of the public Blox simulator)"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(first_fit) = {
    .summary = "index order, split where needed",
    .cite = "placer `random` of the Helios simulator, scheme `count` of the Tiresias one",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .place = place,
};
