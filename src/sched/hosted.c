/* Placement with cores and memory other than a job asks: so much for each of its GPUs. */
#include "sched/ctx.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int32_t orr_node_room_for(const orr_ctx *ctx, const orr_job *job, int32_t node, orr_host_each each)
{
    const orr_node *n = &ctx->world->cluster->nodes[node];
    int64_t room = n->free;
    if (!orr_node_suits_job(n, job))
        return 0;
    if (n->spec->cpus && each.cpu_milli)
        room = least(room, n->cpu_milli_free / each.cpu_milli);
    if (n->spec->mem_bytes && each.mem)
        room = least(room, n->mem_free / each.mem);
    return (int32_t)room;
}

static void take(const orr_ctx *ctx, orr_alloc *out, int32_t node, int32_t gpus, orr_host_each each)
{
    uint64_t free = ctx->world->cluster->nodes[node].free_gpus;
    orr_alloc_append(out, (orr_slice){.node = node, .gpus = orr_lowest_bits(free, gpus), .cpu_milli = each.cpu_milli * gpus,
                                      .mem = each.mem * gpus});
}

orr_err orr_fill_hosted(orr_ctx *ctx, const orr_request *r, orr_host_each each, orr_alloc *out)
{
    int32_t left = r->gpus, widest = orr_scope_widest(ctx, r->scope);
    for (int32_t free = left; free <= widest; free++)
        for (int32_t node = -1; (node = orr_node_with_free(ctx, r->scope, free, node)) >= 0;)
            if (orr_node_room_for(ctx, r->job, node, each) >= left)
                return take(ctx, out, node, left, each), ORR_OK;
    for (int32_t free = 1; left > 0 && free <= widest; free++)
        for (int32_t node = -1; left > 0 && (node = orr_node_with_free(ctx, r->scope, free, node)) >= 0;) {
            int32_t n = (int32_t)least(orr_node_room_for(ctx, r->job, node, each), left);
            if (n > 0)
                take(ctx, out, node, n, each);
            left -= n;
        }
    return left ? ORR_E_NOFIT : ORR_OK;
}

orr_err orr_keep_hosted(orr_ctx *ctx, const orr_plan *plan, const orr_job *job, orr_host_each each, orr_alloc *out)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    for (int32_t i = 0; held && i < held->count; i++) {
        orr_slice to = orr_slices(held)[i];
        const orr_node *n = &ctx->world->cluster->nodes[to.node];
        orr_share had = orr_job_slice_share(job, &to);
        int64_t gpus = orr_bit_count(to.gpus);
        to.cpu_milli = each.cpu_milli * gpus;
        to.mem = each.mem * gpus;
        orr_share wants = orr_job_slice_share(job, &to);
        wants.cpu_milli -= had.cpu_milli; /* what it has now is given back first */
        wants.mem -= had.mem;
        if (!orr_node_has_host(n, wants))
            return ORR_E_NOFIT;
        orr_alloc_append(out, to);
    }
    return held ? ORR_OK : ORR_E_NOFIT;
}
