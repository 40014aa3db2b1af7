/* Racks of a pool by how many of their nodes are wholly free, for gangs of several nodes that should stand close.
 *
 * Made the first time somebody asks, O(nodes + racks), and kept up to date from then on, O(1) a change.
 */
#ifndef ORR_CLUSTER_RACKS_H
#define ORR_CLUSTER_RACKS_H

#include "cluster/cluster.h"

enum { ORR_RACKS_MANY = 64 }; /* counts stop here */

/* The first rack after rack `after` (-1: from the start) with exactly `idle` wholly free nodes of a VC (-1: of all) and
 * of these types (0: any), or for ORR_RACKS_MANY with as many or more; -1: none. O(racks) for more than one type, but
 * not all. */
int32_t orr_racks_with_idle(orr_cluster *c, int32_t vc, uint64_t types, int32_t idle, int32_t after);
/* The first node after node `after` in a rack and pool with exactly `free` free GPUs; -1: none. O(log n) where the
 * nodes of a rack stand together in the order of the cluster; others between them are passed over one by one. */
int32_t orr_racks_node_with_free(orr_cluster *c, int32_t vc, uint64_t types, int32_t rack, int32_t free, int32_t after);

/* For the cluster's own use. A node of this rack has become wholly free, or no longer is. */
void orr_racks_refile(struct orr_racks *r, int32_t rack, bool idle);
void orr_racks_destroy(struct orr_racks *r);

#endif
