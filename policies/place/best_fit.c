/* best-fit: the node that is left with the least room; if none holds the whole gang, the fullest ones are filled up first. */
#include <orrery/policy.h>

static orr_err fill(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t from, bool whole, orr_alloc *out)
{
    int32_t left = r->gpus, widest = orr_scope_widest(ctx, r->scope);
    for (int32_t free = from; free <= widest && left > 0; free++) {
        int32_t node = orr_node_with_free(ctx, r->scope, free, -1);
        for (; node >= 0 && left > 0; node = orr_node_with_free(ctx, r->scope, free, node)) {
            int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
            if (take > 0 && (!whole || take == left) && orr_alloc_take(out, plan, node, take) == ORR_OK)
                left -= take;
        }
    }
    return left ? ORR_E_NOFIT : ORR_OK;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    if (r->gpus > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    if (fill(ctx, plan, r, r->gpus, true, out) == ORR_OK)
        return ORR_OK;
    return fill(ctx, plan, r, 1, false, out);
}

ORR_PLACER(best_fit) = {
    .summary = "least room left, split where needed",
    .place = place,
};
