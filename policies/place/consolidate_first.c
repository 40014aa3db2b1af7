/* consolidate-first: on the fewest nodes if that is possible now, else wherever there is room, most room first. Never waits for
 * a better shape. */
#include <orrery/policy.h>

/* From the emptiest nodes on: whole ones first, so that a wide gang gets the fewest that there are. */
static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t node = orr_node_for(ctx, r, r->gpus, ORR_NODES_FULLEST);
    if (node >= 0)
        return orr_alloc_take(out, plan, node, r->gpus);
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_EMPTIEST, out);
}

ORR_PLACER(consolidate_first) = {
    .summary = "the fewest nodes if possible now, else most room first",
    .cite = "what `consolidateFirst` of the Helios simulator is meant to do",
    .place = place,
};
