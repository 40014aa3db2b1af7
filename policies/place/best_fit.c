/* best-fit: the node that is left with the least room; if none holds the whole gang, the fullest ones are filled up first. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t node = orr_node_for(ctx, r, r->gpus, ORR_NODES_FULLEST);
    if (node >= 0)
        return orr_alloc_take(out, plan, node, r->gpus);
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_FULLEST, out);
}

ORR_PLACER(best_fit) = {
    .summary = "least room left, split where needed",
    .place = place,
};
