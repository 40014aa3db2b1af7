/* Parts of GPUs, for the cluster's own use: their books, and the sets by what is left of each. */
#ifndef ORR_CLUSTER_PARTS_H
#define ORR_CLUSTER_PARTS_H

#include "cluster/cluster.h"

static inline bool orr_share_is_whole(orr_share share)
{
    return share.milli == 0 || share.milli == ORR_WHOLE_GPU;
}

void orr_parts_take(orr_cluster *c, orr_node *n, uint64_t gpus, orr_share share);
void orr_parts_give(orr_cluster *c, orr_node *n, uint64_t gpus, orr_share share);
/* Around a change of what may be given: takes the node's shared GPUs out of the sets, and puts them in again. */
void orr_parts_unfile(orr_cluster *c, const orr_node *n);
void orr_parts_file(orr_cluster *c, const orr_node *n);
/* Into those of one pool, where the node has this place. */
void orr_parts_file_in(orr_pool *p, int32_t place, const orr_node *n);
void orr_parts_fini(orr_pool *p);

#endif
