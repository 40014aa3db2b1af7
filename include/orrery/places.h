/* Where GPUs sit, as a policy or placer may ask: how near the GPUs of a node are, which are best for a gang, and which
 * racks have whole nodes left. As the plan sees it, like all queries of nodes.
 *
 * What is not stated in the cluster's description isn't known: then rates are 0 and levels come from sockets and
 * racks. The first question about a kind of node costs up to a millisecond; from then on nodes of up to eight GPUs
 * answer from a table, larger ones in O(GPUs^2).
 */
#ifndef ORRERY_PLACES_H
#define ORRERY_PLACES_H

#include <orrery/policy.h>
#include <orrery/topology.h>

ORR_BEGIN

/* ---- in a node ---- */
/* The best `count` of a node's free GPUs: those with the fastest ring; among equals those that leave others the most
 * sockets, switches and NVLink groups whole; then the nearest, then the least indices. 0: it has fewer. */
ORR_API uint64_t orr_node_best_gpus(orr_ctx *ctx, int32_t node, int32_t count);
/* What an all-reduce over these GPUs of a node could carry, bytes a second in one direction, all rings together; 0: one
 * GPU, or not stated. */
ORR_API double orr_node_ring_bps(orr_ctx *ctx, int32_t node, uint64_t gpus);
/* The lowest level that holds them all. */
ORR_API orr_level orr_node_level(orr_ctx *ctx, int32_t node, uint64_t gpus);

/* ---- racks ---- */
#define ORR_RACK_MANY 64
/* The first rack after rack `after` (-1 to begin) with exactly `idle` nodes of the scope wholly free, or for
 * ORR_RACK_MANY as many or more; -1: none. The first call of a scope is O(nodes), others O(log racks). */
ORR_API int32_t orr_rack_with_idle(orr_ctx *ctx, orr_scope scope, int32_t idle, int32_t after);
/* The first node after node `after` (-1 to begin) of a rack and scope with exactly `free` free GPUs; -1: none. */
ORR_API int32_t orr_rack_node_with_free(orr_ctx *ctx, orr_scope scope, int32_t rack, int32_t free, int32_t after);

ORR_END
#endif
