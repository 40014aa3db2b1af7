/* Pools, for the cluster's own use: making them, and which a node is in. */
#ifndef ORR_CLUSTER_POOLS_H
#define ORR_CLUSTER_POOLS_H

#include "cluster/cluster.h"

/* A pool that a node is in, and where it stands there. */
typedef struct orr_pool_at {
    orr_pool *pool;
    int32_t place;
} orr_pool_at;

/* Of its VC and of all, each without and with its type. */
enum { ORR_POOLS_OF_NODE = 4 };

void orr_pools_make(orr_cluster *c);
void orr_pools_destroy(orr_cluster *c);
/* All that are there, so that what changes on the node is changed in each; returns how many. */
int orr_pools_of_node(const orr_cluster *c, const orr_node *n, orr_pool_at out[ORR_POOLS_OF_NODE]);
/* The first node of one pool behind node `after` with exactly `free` free GPUs; -1: none. */
int32_t orr_pool_next(const orr_cluster *c, const orr_pool *p, int32_t free, int32_t after);

#endif
