/* consolidate-first: on the fewest nodes if that is possible now, else wherever there is room, most room first. Never waits for
 * a better shape. */
#include <orrery/policy.h>

static orr_err one_node(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t widest, orr_alloc *out)
{
    for (int32_t free = r->gpus; free <= widest; free++)
        for (int32_t node = orr_node_with_free(ctx, r->scope, free, -1); node >= 0;
             node = orr_node_with_free(ctx, r->scope, free, node))
            if (orr_node_room(ctx, r->job, node) >= r->gpus)
                return orr_alloc_take(out, plan, node, r->gpus);
    return ORR_E_NOFIT;
}

/* From the emptiest nodes on: whole ones first, so that a wide gang gets the fewest that there are. */
static orr_err most_room_first(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t widest, orr_alloc *out)
{
    int32_t left = r->gpus;
    for (int32_t free = widest; free > 0 && left > 0; free--) {
        int32_t node = orr_node_with_free(ctx, r->scope, free, -1);
        for (; node >= 0 && left > 0; node = orr_node_with_free(ctx, r->scope, free, node)) {
            int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
            if (take > 0 && orr_alloc_take(out, plan, node, take) == ORR_OK)
                left -= take;
        }
    }
    return left ? ORR_E_NOFIT : ORR_OK;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t widest = orr_scope_widest(ctx, r->scope);
    if (r->gpus > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    if (r->gpus <= widest && one_node(ctx, plan, r, widest, out) == ORR_OK)
        return ORR_OK;
    return most_room_first(ctx, plan, r, widest, out);
}

ORR_PLACER(consolidate_first) = {
    .summary = "the fewest nodes if possible now, else most room first",
    .cite = "what `consolidateFirst` of the Helios simulator is meant to do",
    .place = place,
};
