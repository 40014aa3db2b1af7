/* spread: nodes with the most room first; a gang is split over as many as it takes. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_EMPTIEST, out);
}

ORR_PLACER(spread) = {
    .summary = "most room first, split where needed",
    .place = place,
};
