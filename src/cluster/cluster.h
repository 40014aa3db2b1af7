/* The live cluster of one simulation: what is free, and an index that finds room without a scan.
 *
 * Nodes belong to one VC pool and, where there are several VCs, to the pool of all. In each pool nodes are kept by
 * their number of free GPUs, so that "the fullest node with room for k" or "the next node with room" takes O(GPUs of a
 * node) word operations whatever the cluster's size. Cores and memory are ledgers: 0 in the description means not
 * modelled.
 */
#ifndef ORR_CLUSTER_CLUSTER_H
#define ORR_CLUSTER_CLUSTER_H

#include "cluster/bits.h"

#include <orrery/cluster.h>
#include <orrery/time.h>

typedef struct orr_node {
    const orr_node_spec *spec;
    uint64_t all, free_gpus; /* bit masks */
    int32_t vc, rack, free;
    uint64_t type;           /* the bit of its GPU type */
    int32_t place[2];        /* position in its VC's pool and in the pool of all */
    int32_t cpus_free;
    int64_t mem_free;
} orr_node;

typedef struct orr_pool {
    int32_t *nodes; /* node indices, ascending */
    int32_t count, widest;
    orr_bits *by_free; /* [widest + 1] sets of positions */
    int64_t gpus, free;
    uint64_t releases; /* grows whenever room grows: what failed before may be tried again */
} orr_pool;

typedef struct orr_cluster {
    orr_node *nodes;
    int32_t count, vcs, racks, types, widest;
    orr_pool *pools;        /* [vcs], then the pool of all if vcs > 1 */
    const char **vc_names, **rack_names, **type_names;
    orr_time *free_at;      /* [count * 64], only when saving takes time: when a GPU's former holder has left it */
    uint64_t nodes_examined;
    int32_t *touched, touched_count; /* only when somebody watches: nodes whose room changed since he last asked */
    bool *is_touched;                /* by node */
} orr_cluster;

/* What goes with k of a job's GPUs. */
typedef struct orr_share {
    int32_t cpus;
    int64_t mem;
} orr_share;

orr_cluster *orr_cluster_create(const orr_cluster_spec *spec, bool ignore_vcs);
void orr_cluster_destroy(orr_cluster *c);
/* The pool of a VC; -1: of all nodes. */
orr_pool *orr_cluster_pool(const orr_cluster *c, int32_t vc);
/* GPUs change hands. Taking what isn't free, or giving what is, is a bug of ours: asserted. */
void orr_cluster_take(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share);
void orr_cluster_give(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share);
/* From now on the cluster remembers which nodes' room changes, for one listener; false: there is one. */
bool orr_cluster_watch(orr_cluster *c);
/* The nodes touched since the last call, each once, in the order of their first change; *nodes lives until the next
 * change. O(nodes touched). */
int32_t orr_cluster_take_touched(orr_cluster *c, const int32_t **nodes);
/* The first node after node `after` (-1: from the start) in the pool with exactly `free` free GPUs; -1: none. */
int32_t orr_pool_with_free(const orr_cluster *c, int32_t vc, int32_t free, int32_t after);
int32_t orr_pool_with_at_least(const orr_cluster *c, int32_t vc, int32_t free, int32_t after);
/* GPU types are bits, so that "any of these" is a set: the bits of the types that some node has out of a list "A|B|C".
 * ORR_ANY_TYPE for the empty list, 0 where no node has any of them. */
#define ORR_ANY_TYPE UINT64_MAX
enum { ORR_MAX_TYPES = 64 };
uint64_t orr_cluster_types_named(const orr_cluster *c, const char *list);

#endif
