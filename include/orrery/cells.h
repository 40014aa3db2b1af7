/* Cells: quotas by shape. A VC isn't promised so many GPUs, but so many cells: GPUs that are near each other.
 *
 * A chain is a tree of cells with levels from 1 (one GPU) up: switch, socket, node, rack. All cells of a level are
 * alike, children of one cell are buddies. A VC has a quota of cells of named levels, its own virtual tree of the
 * same shape, and perhaps physical cells pinned to it. A gang of the VC is placed in the virtual tree first, as if
 * the VC were alone, and then mapped: a virtual cell that isn't bound yet takes a free physical cell of its level, or
 * splits the smallest larger one (buddy allocation), and when the last GPU of it is free again it merges with its
 * buddies. So at every level what is free always covers what VCs may still claim, and what a VC was promised it gets
 * at once.
 *
 * Gangs of priority 0 to 1000 are guaranteed: they stay within their VC's quota, and within the VC a higher priority
 * takes the place of a lower one. Gangs of priority -1 are opportunistic: they take any idle GPUs and give way to all
 * others. A gang whose VC needs its place, and that allows it (`lazy`), becomes opportunistic where it stands.
 *
 * Bad nodes are avoided. Where the healthy cells of a level no longer cover what VCs may claim, some of the VCs'
 * cells are bound to bad ones ("doomed"), so that VCs see what they lost; that is undone when health returns.
 *
 * The method is HiveD's (Zhao et al., OSDI 2020). Nothing here knows of jobs or time: a node is a number, a gang
 * belongs to an owner. All orders are fixed: equal calls give equal answers. An ask costs O(nodes of the VC + free
 * cells), the nodes of the cluster for an opportunistic one; a release O(GPUs * levels). */
#ifndef ORRERY_CELLS_H
#define ORRERY_CELLS_H

#include <orrery/cluster.h>

enum { ORR_OPPORTUNISTIC = -1, ORR_MAX_PRIORITY = 1000, ORR_MAX_CHAINS = 64, ORR_MAX_LEVELS = 15 };

typedef struct orr_cells orr_cells;
typedef struct orr_gang orr_gang;

/* One GPU of a node. */
typedef struct orr_leaf {
    int32_t node, gpu;
} orr_leaf;

/* A level of a chain, from the one above the GPU on. */
typedef struct orr_cell_level {
    const char *name;
    int32_t children; /* cells of the level below */
    bool node;        /* this is the level of whole nodes; exactly one is */
} orr_cell_level;

/* So many pods of so many GPUs, each pod on one node. */
typedef struct orr_member {
    int32_t pods, gpus;
} orr_member;

typedef struct orr_cells_request {
    int32_t vc, priority;
    bool lazy;        /* may be lazily preempted */
    const char *pin;  /* NULL; a pinned cell of the VC, to use nothing else */
    const char *type; /* NULL: any GPU type */
    uint64_t chains;  /* bits: only in these chains; 0: any */
    int32_t gpus;     /* of a gang without members: cut into whole nodes and a rest, in each chain tried */
    const orr_member *members;
    int32_t member_count;
    void *owner;
} orr_cells_request;

typedef enum orr_gang_state {
    ORR_GANG_PENDING,    /* holds nothing */
    ORR_GANG_PREEMPTING, /* its cells are reserved; it waits for others to leave them */
    ORR_GANG_HOLDS,
    ORR_GANG_GIVES_WAY /* holds, and somebody has reserved its cells */
} orr_gang_state;

typedef enum orr_cells_answer {
    ORR_CELLS_WAIT,   /* no room */
    ORR_CELLS_BIND,   /* room: `orr_gang_take` takes it, and nothing else may come between */
    ORR_CELLS_PREEMPT /* room once the victims have left; ask again then */
} orr_cells_answer;

typedef enum orr_leaf_state { ORR_LEAF_FREE, ORR_LEAF_USED, ORR_LEAF_RESERVING, ORR_LEAF_RESERVED } orr_leaf_state;

/* What can be seen of a GPU: RESERVING is used by a victim and promised, RESERVED is idle and promised. */
typedef struct orr_leaf_look {
    orr_leaf_state state;
    int32_t priority; /* of who holds or reserves it; -2: nobody */
    bool bad;
} orr_leaf_look;

ORR_BEGIN

/* ---- making them ---- */

/* The cells of a cluster description: its chains, its tenants' quotas. Without chains the nodes of a VC that are
 * alike (GPUs, cores, memory) are one with the level "node". VCs that own nodes have all cells of their chains; with
 * `one_vc` there is one VC, and it has everything. NULL and ORR_E_BAD_CLUSTER in `e` where they can't be: no whole
 * cells, a quota that can't be carved, a VC with a count of GPUs, chains beside VCs that own nodes. */
ORR_API orr_cells *orr_cells_of_cluster(const orr_cluster_spec *spec, bool one_vc, orr_error *e);
/* By hand: chains with their top cells, VCs with their quotas, then `ready`. Names are copied. */
ORR_API orr_cells *orr_cells_create(void);
ORR_API void orr_cells_destroy(orr_cells *cells);
/* *chain gets its index. `levels` from small to large. */
ORR_API orr_err orr_cells_add_chain(orr_cells *cells, const char *name, const char *gpu_type,
                                    const orr_cell_level *levels, int32_t level_count, int32_t *chain, orr_error *e);
/* A top cell: its GPUs in the order of the tree, as many as it has. A GPU may be in one chain only. */
ORR_API void orr_cells_add_top(orr_cells *cells, int32_t chain, const orr_leaf *leaves);
ORR_API int32_t orr_cells_add_vc(orr_cells *cells, const char *name);
/* The VC gets `count` cells of a level, 1 being the GPU. */
ORR_API void orr_cells_add_quota(orr_cells *cells, int32_t vc, int32_t chain, int32_t level, int32_t count);
/* The VC gets the very cell of this level that holds this GPU, under this name. */
ORR_API void orr_cells_add_pin(orr_cells *cells, int32_t vc, int32_t chain, int32_t level, orr_leaf leaf,
                               const char *name);
/* Builds the trees. ORR_E_BAD_CLUSTER: the quotas can't be carved from the top cells. */
ORR_API orr_err orr_cells_ready(orr_cells *cells, orr_error *e);

/* ---- gangs ---- */

/* ORR_E_BAD_VALUE: an unknown VC, pin or GPU type, one that the VC has no cells of, a priority that isn't one, a pin
 * asked by an opportunistic gang, no GPUs. The gang is freed by `orr_gang_destroy`, and with its cells. */
ORR_API orr_err orr_gang_create(orr_cells *cells, const orr_cells_request *request, orr_gang **gang, orr_error *e);
/* Releases what it holds first. NULL is allowed. */
ORR_API void orr_gang_destroy(orr_gang *gang);
/* Looks for room, on nodes with suggested[node] only (NULL: on all). With `may_preempt` a gang that needs victims
 * reserves its cells and becomes PREEMPTING; such reservations of others that stand in its way are cancelled, and
 * those gangs are pending again. Asking again while PREEMPTING looks whether its victims have left; where its nodes
 * have become bad or are no longer suggested it looks anew. */
ORR_API orr_cells_answer orr_gang_ask(orr_gang *gang, const bool *suggested, bool may_preempt);
ORR_API void orr_gang_take(orr_gang *gang);
/* Gives back all that it holds or has reserved: PENDING. */
ORR_API void orr_gang_release(orr_gang *gang);
/* Makes it hold these GPUs opportunistically, wherever that is: for gangs that were placed by somebody else. False, and
 * nothing is done: a GPU isn't of these cells, or is held. */
ORR_API bool orr_gang_adopt(orr_gang *gang, const orr_leaf *leaves, int32_t count);
/* Would it find room if nobody held anything and all nodes were healthy? */
ORR_API bool orr_gang_possible(orr_gang *gang);

ORR_API orr_gang_state orr_gang_state_now(const orr_gang *gang);
ORR_API bool orr_gang_lazily_preempted(const orr_gang *gang); /* out of its VC, and opportunistic where it is */
ORR_API void *orr_gang_owner(const orr_gang *gang);
/* Where it is, or would be after BIND: its GPUs pod by pod, small pods first. */
ORR_API int32_t orr_gang_pods(const orr_gang *gang);
ORR_API const orr_leaf *orr_gang_pod(const orr_gang *gang, int32_t pod, int32_t *gpus);
/* After PREEMPT: who has to leave. Borrowed until the next ask. */
ORR_API int32_t orr_gang_victims(const orr_gang *gang, orr_gang *const **victims);

/* ---- health, and what can be seen ---- */

ORR_API void orr_cells_node(orr_cells *cells, int32_t node, bool healthy);
ORR_API int32_t orr_cells_chains(const orr_cells *cells);
/* The chain's nodes, from 0 on in the order of its cells; -1: there are no more. */
ORR_API int32_t orr_cells_chain_node(const orr_cells *cells, int32_t chain, int32_t index);
ORR_API orr_leaf_look orr_cells_look(const orr_cells *cells, orr_leaf leaf);
/* Whole free cells of a level, without those inside of larger free ones. */
ORR_API int32_t orr_cells_free(const orr_cells *cells, int32_t chain, int32_t level);
/* Cells of the VC's quota in this chain that are bound to bad cells. */
ORR_API int32_t orr_cells_lost(const orr_cells *cells, int32_t vc, int32_t chain);

ORR_END
#endif
