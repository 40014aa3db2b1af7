/* What policies ask about where GPUs sit; the answers are the cluster's. */
#include "cluster/racks.h"
#include "cluster/topology.h"
#include "sched/ctx.h"

#include <orrery/places.h>

static orr_topology *topology_of(const orr_ctx *ctx, int32_t node)
{
    return orr_cluster_topology(ctx->world->cluster, node);
}

uint64_t orr_node_best_gpus(orr_ctx *ctx, int32_t node, int32_t count)
{
    return orr_topology_best(topology_of(ctx, node), ctx->world->cluster->nodes[node].free_gpus, count);
}

double orr_node_ring_bps(orr_ctx *ctx, int32_t node, uint64_t gpus)
{
    return orr_topology_ring(topology_of(ctx, node), gpus);
}

orr_level orr_node_level(orr_ctx *ctx, int32_t node, uint64_t gpus)
{
    return orr_topology_level(topology_of(ctx, node), gpus);
}

int32_t orr_rack_with_idle(orr_ctx *ctx, orr_scope scope, int32_t idle, int32_t after)
{
    _Static_assert((int)ORR_RACK_MANY == (int)ORR_RACKS_MANY, "policies and cluster count alike");
    ctx->world->cluster->nodes_examined++;
    return orr_racks_with_idle(ctx->world->cluster, scope.vc, scope.types, idle, after);
}

int32_t orr_rack_node_with_free(orr_ctx *ctx, orr_scope scope, int32_t rack, int32_t free, int32_t after)
{
    return orr_racks_node_with_free(ctx->world->cluster, scope.vc, scope.types, rack, free, after);
}
