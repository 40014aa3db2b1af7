/* The live cluster of one simulation: what is free, and an index that finds room without a scan.
 *
 * Nodes belong to one VC pool and, where there are several VCs, to the pool of all. In each pool nodes are kept by
 * their number of free GPUs, so that "the fullest node with room for k" or "the next node with room" takes O(GPUs of a
 * node) word operations whatever the cluster's size. Who looks at some GPU types only finds pools of one type each,
 * made when somebody first does, O(nodes), and kept from then on like the others: nodes of other types cost nothing.
 * Cores and memory are ledgers: 0 in the description means not modelled.
 *
 * A GPU is free when nobody holds any of it. Shares of a GPU, in thousandths, and the memory that goes with them are
 * kept a GPU, from the first share of its node on; whole GPUs cost nothing of that. A node that is down, asleep or
 * draining keeps its books, but none of its GPUs is free: `usable` says which may be given at all.
 */
#ifndef ORR_CLUSTER_CLUSTER_H
#define ORR_CLUSTER_CLUSTER_H

#include "cluster/bits.h"

#include <orrery/cluster.h>
#include <orrery/time.h>

enum { ORR_WHOLE_GPU = 1000 }; /* thousandths */

/* What is shared of one GPU. */
typedef struct orr_part {
    int32_t milli;     /* given away, 0..1000 */
    int32_t residents; /* to how many holders */
    int64_t mem;       /* device memory given away */
} orr_part;

typedef struct orr_node {
    const orr_node_spec *spec;
    uint64_t all, up, usable;   /* bit masks: its GPUs; those that work; those that may be given */
    uint64_t idle, free_gpus;   /* that nobody holds any of; idle and usable */
    uint64_t shared;            /* held in parts */
    bool takes;                 /* jobs: it is up, and doesn't drain */
    int32_t vc, rack, free;     /* free: how many are in free_gpus */
    int64_t left;               /* thousandths that may be given still, parts included */
    int64_t milli;              /* thousandths given away, as its pools count them */
    uint64_t type;              /* the bit of its GPU type */
    int32_t clock;              /* the point that its GPUs run at; 0: the full clock */
    int32_t place[2];           /* position in its VC's pool and in the pool of all */
    int32_t type_place[2];      /* and in the pools of its type below these, once they are made */
    int64_t cpu_milli_free;
    int64_t mem_free;
    uint8_t *gangs;             /* [gpus + 1]: how many hold so many whole GPUs of it */
    orr_part *parts;            /* [gpus], NULL until one of them is shared */
    const struct orr_mig_model *mig; /* how its GPUs are cut; NULL: into any shares */
    struct orr_mig_gpu *cuts;   /* [gpus], where they are, and NULL until then */
    struct orr_topology *topology; /* shared by nodes that are alike; NULL until somebody asks */
} orr_node;

typedef struct orr_pool {
    int32_t *nodes; /* node indices, ascending */
    int32_t count, widest;
    int32_t vc;     /* whose nodes; -1: of all VCs */
    uint64_t types; /* of its nodes */
    /* [types of the cluster] its nodes of each; NULL until somebody looks at some types only */
    struct orr_pool *by_type;
    orr_bits *by_free; /* [widest + 1] sets of positions */
    orr_bits **by_part; /* [1000], NULL until a GPU is shared: those of which so much is left, as position * 64 + GPU */
    int32_t *part_count; /* [1000] how many are in each */
    struct orr_hosts *hosts; /* cores and memory left, NULL until a job without GPUs looks for some */
    int64_t gpus, free; /* GPUs that are up, and free ones */
    int64_t milli;      /* thousandths of a GPU given away, whole ones included */
    int64_t left;       /* thousandths that may be given still, parts included */
    uint64_t releases; /* grows whenever room grows: what failed before may be tried again */
    struct orr_racks *racks; /* by idle nodes; NULL until somebody asks */
} orr_pool;

typedef struct orr_cluster {
    orr_node *nodes;
    int32_t count, vcs, racks, types, widest;
    int32_t gpu_types;      /* those that some GPU has: the first of all types */
    int32_t tenants;        /* VCs that own no nodes; vcs is 1 then; 0: there are none */
    int64_t *quotas;        /* [tenants]: GPUs promised */
    orr_pool *pools;        /* [vcs], then the pool of all if vcs > 1 */
    const char **vc_names;  /* [orr_cluster_owners] */
    const char **rack_names, **type_names;
    struct orr_topology **topologies; /* one a kind of node */
    int32_t topology_count;
    orr_time *free_at;      /* [count * 64], only when saving takes time: when a GPU's former holder has left it */
    uint64_t nodes_examined;
    uint8_t *gangs;         /* of all nodes, one behind the other */
    int32_t *changes;      /* only when somebody watches: nodes whose room changed, in order; a ring of the last ones */
    uint64_t change_count; /* changes so far */
} orr_cluster;

/* What goes with some GPUs of a job on one node. */
typedef struct orr_share {
    int32_t milli;     /* of each of the GPUs, 1..999; 0 and 1000: all of it */
    int64_t gpu_mem;   /* device memory on each of them; counted where GPUs are shared */
    int64_t cpu_milli; /* thousandths of a core, for all of them */
    int64_t mem;       /* host memory, for all of them */
    uint32_t holder;   /* whose it is, 1 and up: MIG instances are given back by name; 0: nobody's yet */
    int8_t slice;      /* on a GPU cut by MIG, this profile of its model, counted from 1; 0: the least that holds it */
} orr_share;

orr_cluster *orr_cluster_create(const orr_cluster_spec *spec, bool ignore_vcs);
void orr_cluster_destroy(orr_cluster *c);
/* How many VCs jobs may belong to: those with nodes, or the tenants. */
static inline int32_t orr_cluster_owners(const orr_cluster *c)
{
    return c->tenants ? c->tenants : c->vcs;
}
/* The index of the pool whose nodes a VC uses. */
static inline int32_t orr_cluster_pool_of(const orr_cluster *c, int32_t vc)
{
    return c->tenants && vc > 0 ? 0 : vc;
}
/* What a VC was promised: the GPUs of its nodes that are up, or its quota. */
int64_t orr_cluster_quota(const orr_cluster *c, int32_t vc);
/* The pool of a VC; -1: of all nodes. */
orr_pool *orr_cluster_pool(const orr_cluster *c, int32_t vc);
/* The pools that together are what somebody may look at: a VC's nodes (-1: all), of these types (0: any). One, or where
 * only some of its types are asked for one a type; none, where it has none of them. */
enum { ORR_MAX_TYPES = 64 };
int32_t orr_cluster_pools(const orr_cluster *c, int32_t vc, uint64_t types, orr_pool *out[ORR_MAX_TYPES]);
/* The node's position in a pool; -1: it isn't in it. */
int32_t orr_pool_place(const orr_cluster *c, const orr_pool *pool, int32_t node);
/* GPUs change hands. Taking what isn't free, or giving what is, is a bug of ours: asserted. */
void orr_cluster_take(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share);
void orr_cluster_give(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share);
/* Which of a node's GPUs work from now on (0: it is down or asleep; the bits of broken ones are left out), and whether
 * it takes new jobs (false: it drains). Who holds any is not touched by this. */
void orr_cluster_set_up(orr_cluster *c, int32_t node, uint64_t gpus, bool takes);
/* May a job without GPUs come? A node that has GPUs must have one that works. */
static inline bool orr_node_open(const orr_node *n)
{
    return n->takes && (n->usable || !n->all);
}
/* Is there this much left of the GPU? True of a whole one only when nobody holds any of it. */
bool orr_node_has_part(const orr_node *n, int gpu, orr_share share);
/* The same of a part, whether the GPU may be given or not. */
bool orr_node_holds_part(const orr_node *n, int gpu, orr_share share);
/* Thousandths left of one GPU: 0 where it may not be given. */
int32_t orr_node_part_free(const orr_node *n, int gpu);
/* The fullest usable GPU with room for a share, least index among equals; -1: none. O(GPUs of the node). */
int orr_node_fullest_part(const orr_node *n, orr_share share);

/* The GPU with the least left that is shared already and has `milli` left; least node and GPU among equals; of those
 * that `ok` takes. {-1} where there is none. O(1000 + those refused). */
typedef struct orr_spot {
    int32_t node;
    int gpu;
} orr_spot;
typedef bool orr_spot_ok(const void *self, const orr_node *n, int gpu);
orr_spot orr_pool_part(const orr_cluster *c, int32_t vc, uint64_t types, int32_t milli, orr_spot_ok *ok,
                       const void *self);

/* How the node's GPUs lie to each other: see topology.h. Worked out the first time, for all nodes that are alike. */
struct orr_topology *orr_cluster_topology(orr_cluster *c, int32_t node);

/* ---- who follows changes ---- */
/* From now on the cluster remembers which nodes' room changes. */
void orr_cluster_watch(orr_cluster *c);
/* Calls `each` for every change since *seen (a node may come several times), moves *seen on and returns true; false:
 * too much has changed to tell, so that everything is to be looked at anew. Begin with *seen = UINT64_MAX, which
 * answers false. O(changes). */
bool orr_cluster_changes(const orr_cluster *c, uint64_t *seen, void (*each)(void *self, int32_t node), void *self);
/* The first node after node `after` (-1: from the start) in a VC (-1: of all), of these types (0: any), with exactly
 * `free` free GPUs; -1: none. */
int32_t orr_pool_with_free(const orr_cluster *c, int32_t vc, uint64_t types, int32_t free, int32_t after);
int32_t orr_pool_with_at_least(const orr_cluster *c, int32_t vc, uint64_t types, int32_t free, int32_t after);
/* GPU types are bits, so that "any of these" is a set: the bits of the types that some node has out of a list "A|B|C".
 * ORR_ANY_TYPE for the empty list, 0 where no node has any of them. */
#define ORR_ANY_TYPE UINT64_MAX
uint64_t orr_cluster_types_named(const orr_cluster *c, const char *list);

#endif
