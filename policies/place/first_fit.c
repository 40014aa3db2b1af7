/* first-fit: nodes in index order, every free GPU of each until the gang is complete. Splits freely, so that it fails only when
 * there are too few free GPUs. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_INDEXED, out);
}

ORR_PLACER(first_fit) = {
    .summary = "index order, split where needed",
    .cite = "placer `random` of the Helios simulator, scheme `count` of the Tiresias one",
    .place = place,
};
