/* Cores and memory of nodes, as a tree of maxima over a pool: finds the first node with enough of both without a scan.
 * Made when somebody first asks, and brought up to date from the cluster's log of changes whenever somebody asks
 * again: O(log nodes) a node that has changed since. */
#ifndef ORR_CLUSTER_HOSTS_H
#define ORR_CLUSTER_HOSTS_H

#include "cluster/cluster.h"

/* The first node of a VC (-1: of all), of these types (0: any), that takes jobs, has so many thousandths of a core and
 * bytes of memory left, and suits; -1: none. What a node doesn't model it has enough of. O(log nodes) unless many nodes
 * have enough of one but not of the other, or don't suit. */
int32_t orr_pool_with_host(orr_cluster *c, int32_t vc, uint64_t types, orr_share share,
                           bool (*suits)(const void *self, const orr_node *n), const void *self);
void orr_hosts_fini(orr_pool *p);

#endif
