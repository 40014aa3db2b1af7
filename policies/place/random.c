/* random: nodes drawn at random among those with room, from the placer's own stream; each gives what it has until the gang is
 * complete. */
#include <orrery/policy.h>

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t left = r->gpus;
    if (left > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    /* From a random node on, around once. */
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

ORR_PLACER(random) = {
    .summary = "from a random node on, split where needed",
    .place = place,
};
