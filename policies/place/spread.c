/* spread: nodes with the most room first; a gang is split over as many as it takes. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t left = r->gpus;
    if (left > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    for (int32_t free = orr_scope_widest(ctx, r->scope); free > 0 && left > 0; free--) {
        int32_t node = orr_node_with_free(ctx, r->scope, free, -1);
        for (; node >= 0 && left > 0; node = orr_node_with_free(ctx, r->scope, free, node)) {
            int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
            if (take > 0 && orr_alloc_take(out, plan, node, take) == ORR_OK)
                left -= take;
        }
    }
    return left ? ORR_E_NOFIT : ORR_OK;
}

ORR_PLACER(spread) = {
    .summary = "most room first, split where needed",
    .place = place,
};
