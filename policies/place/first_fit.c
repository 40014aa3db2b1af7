/* first-fit: nodes in index order, every free GPU of each until the gang is complete. Splits freely, so that it fails only when
 * there are too few free GPUs. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t left = r->gpus;
    if (left > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    for (int32_t node = -1; left > 0;) {
        node = orr_node_with_at_least(ctx, r->scope, 1, node);
        if (node < 0)
            return ORR_E_NOFIT;
        int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
        if (take > 0 && orr_alloc_take(out, plan, node, take) == ORR_OK)
            left -= take;
    }
    return ORR_OK;
}

ORR_PLACER(first_fit) = {
    .summary = "index order, split where needed",
    .cite = "placer `random` of the Helios simulator, scheme `count` of the Tiresias one",
    .place = place,
};
