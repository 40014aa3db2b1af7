/* What placers are made of: nodes in an order, one with room for all or several with some. */
#include "sched/ctx.h"

/* The node after `node` in the order; `free` is the count being looked at, moved on when its nodes are used up. */
static int32_t next_node(orr_ctx *ctx, orr_scope scope, orr_nodes order, int32_t least, int32_t *free, int32_t node)
{
    if (order == ORR_NODES_INDEXED)
        return orr_node_with_at_least(ctx, scope, least, node);
    int32_t widest = orr_scope_widest(ctx, scope), step = order == ORR_NODES_FULLEST ? 1 : -1;
    for (; *free >= least && *free <= widest; *free += step, node = -1) {
        node = orr_node_with_free(ctx, scope, *free, node);
        if (node >= 0)
            return node;
    }
    return -1;
}

static int32_t first_count(const orr_ctx *ctx, orr_scope scope, orr_nodes order, int32_t least)
{
    return order == ORR_NODES_FULLEST ? least : orr_scope_widest(ctx, scope);
}

orr_err orr_take_on_node(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t node, orr_alloc *out)
{
    orr_slice slice = {.node = node, .milli = r->gpus ? r->milli : 0};
    if (!orr_node_hosts(ctx, r, node))
        return ORR_E_NOFIT;
    if (r->gpus > 0 && r->milli == ORR_WHOLE_GPU)
        return orr_alloc_take(out, plan, node, r->gpus);
    if (r->gpus > 0)
        slice.gpus = orr_node_parts_for(&ctx->world->cluster->nodes[node], r->job, r->milli, r->gpus);
    return orr_alloc_add_slice(out, &slice);
}

int32_t orr_node_for(orr_ctx *ctx, const orr_request *r, int32_t gpus, orr_nodes order)
{
    int32_t free = first_count(ctx, r->scope, order, gpus), node = -1;
    do
        node = next_node(ctx, r->scope, order, gpus, &free, node);
    while (node >= 0 && orr_node_room(ctx, r->job, node) < gpus);
    return node;
}

orr_err orr_fill_nodes(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_nodes order, orr_alloc *out)
{
    int32_t left = r->gpus, free = first_count(ctx, r->scope, order, 1), node = -1;
    if (left > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    while (left > 0 && (node = next_node(ctx, r->scope, order, 1, &free, node)) >= 0) {
        int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
        if (take > 0 && orr_alloc_take(out, plan, node, take) == ORR_OK)
            left -= take;
    }
    return left ? ORR_E_NOFIT : ORR_OK;
}
