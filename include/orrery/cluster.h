/* A cluster description: nodes, what is in them, and the racks and virtual clusters they belong to.
 *
 * The description is plain data, made from a file or in code, and says what exists; a simulation builds its own live
 * cluster from it, so that one description serves many simulations side by side. Nodes are numbered from 0 in the order
 * they were added. A virtual cluster (VC) is a set of whole nodes; nodes without one belong to the VC "" that all
 * share. Or VCs are tenants: they own no nodes, all nodes are one pool, and each VC has a quota of it, a count of GPUs
 * or so many cells of given shapes (`orrery/cells.h`). A cluster has VCs of the one kind or of the other. What a quota
 * means is the policy's business: the engine lets any job run anywhere in the pool.
 */
#ifndef ORRERY_CLUSTER_H
#define ORRERY_CLUSTER_H

#include <orrery/error.h>

#define ORR_NODE_MAX_GPUS 64

typedef struct orr_wiring orr_wiring; /* how the GPUs of a node are connected: topology.h */
typedef struct orr_fabric orr_fabric; /* the network between nodes */

typedef struct orr_node_spec {
    const char *name;     /* NULL: "node<index>" */
    const char *gpu_type; /* "" : not stated */
    const char *vc;       /* "" : the common one */
    const char *rack;     /* "" : one rack for all */
    int32_t gpus;         /* 0..64; 0: a CPU node */
    int32_t sockets;      /* >= 1; GPUs are spread evenly, in index order */
    int32_t cpus;         /* cores; 0: not modelled, never refuses */
    int64_t mem_bytes;    /* host memory; 0: not modelled */
    int64_t gpu_mem_bytes;/* of one GPU; 0: not stated */
    const orr_wiring *wiring; /* NULL: not stated */
    /* parts of its GPUs are MIG instances: whole profiles at the hardware's places, each alone in its own */
    bool mig;
} orr_node_spec;

typedef struct orr_cluster_spec orr_cluster_spec;

/* What a VC was promised. */
typedef enum orr_quota_kind {
    ORR_QUOTA_NODES, /* nodes of its own */
    ORR_QUOTA_GPUS,  /* a tenant: so many GPUs, wherever they are */
    ORR_QUOTA_CELLS  /* a tenant: cells of given shapes */
} orr_quota_kind;

typedef struct orr_cell_quota {
    const char *chain, *level; /* names of the cluster's cells: "h", "rack" */
    int32_t count;             /* how many such cells; 1 where one is pinned */
    const char *pin;           /* NULL: any; else the name by which jobs ask for this very cell, */
    const char *node;          /* the one that holds this node (where it lies within a node: the node's GPU `gpu`) */
    int32_t gpu;
} orr_cell_quota;

typedef struct orr_quota {
    orr_quota_kind kind;
    int64_t gpus; /* in all: of its nodes; of its count; in its cells */
    const orr_cell_quota *cells;
    int32_t cell_count;
} orr_quota;

/* A chain of cells over some nodes of the cluster: what each level is called and how many GPUs it has, smallest first;
 * the level of one GPU is added below ("gpu"). A cell is whole children of the next level below, all alike; one of its
 * levels is a node. */
typedef struct orr_chain_level {
    const char *name;
    int32_t gpus;
} orr_chain_level;

typedef struct orr_chain_spec {
    const char *name;
    const char *gpu_type; /* takes nodes of this type, in the cluster's order; "": of any */
    int32_t nodes;        /* how many of those that no chain before has taken; 0: all that are left */
    const orr_chain_level *levels;
    int32_t level_count;
} orr_chain_spec;

/* From the beginning of this day on a VC has so many GPUs. */
typedef struct orr_capacity_change {
    int32_t year, month, day; /* the latter two from 1 */
    int32_t vc;
    int64_t gpus;
} orr_capacity_change;

typedef struct orr_cluster_options {
    const char *format;       /* NULL: sniffed */
    const char *capacity_day; /* for files with a capacity a day: "YYYY-MM-DD"; "each": the maximum of each VC, and what
                               * simulations make of it day by day; NULL: the maximum */
    int32_t gpus_per_node;    /* for files that count GPUs or nodes only; 0: 8 */
    const char *preset_dir;   /* folder of the presets NAME.yaml; NULL: the one of this build; "": none */
} orr_cluster_options;

ORR_BEGIN

/* Loads a cluster: a YAML file, a preset's name, a neighbour's file (Helios, Philly, Tiresias, openb), or an inline
 * form `nodes=128,gpus=8[,type=V100][,cpus=96][,mem=512GiB][,racks=4]`. What exists as a file is a file; "-" is stdin;
 * then a text with '=' is inline, and the rest a preset's name. All keys are in configs/README.md. `options` may be
 * NULL. NULL and `e` on failure. */
ORR_API orr_cluster_spec *orr_cluster_spec_load(const char *text, const orr_cluster_options *options, orr_error *e);
ORR_API orr_cluster_spec *orr_cluster_spec_create(const char *name);
ORR_API void orr_cluster_spec_destroy(orr_cluster_spec *spec);

/* Defaults: 8 GPUs, 1 socket, nothing else stated. */
ORR_API orr_node_spec orr_node_spec_default(void);
/* Adds `count` nodes like `node`; texts and wiring are copied, NULL texts are "". A "%d" in the name becomes the node's
 * index. ORR_E_BAD_CLUSTER on impossible values or a repeated name: nothing is added then. */
ORR_API orr_err orr_cluster_spec_add(orr_cluster_spec *spec, const orr_node_spec *node, int32_t count, orr_error *e);

/* The network between racks; nothing is stated at first. ORR_E_BAD_CLUSTER on impossible values. */
ORR_API orr_err orr_cluster_spec_set_fabric(orr_cluster_spec *spec, const orr_fabric *fabric, orr_error *e);
ORR_API const orr_fabric *orr_cluster_spec_fabric(const orr_cluster_spec *spec); /* never NULL */

ORR_API const char *orr_cluster_spec_name(const orr_cluster_spec *spec);
/* SHA-256 of the file, decompressed, and of the preset files it names, in that order; "" if there is no file. */
ORR_API const char *orr_cluster_spec_digest(const orr_cluster_spec *spec);
ORR_API const char *orr_cluster_spec_format(const orr_cluster_spec *spec); /* "orrery-yaml", "helios-vc", …; "code" */
ORR_API int32_t orr_cluster_spec_nodes(const orr_cluster_spec *spec);
/* Its texts are never NULL; `name` is filled in. Borrowed until the next `add`. */
ORR_API const orr_node_spec *orr_cluster_spec_node(const orr_cluster_spec *spec, int32_t index);
ORR_API int64_t orr_cluster_spec_gpus(const orr_cluster_spec *spec);
/* Distinct VCs in the order of first mention, including "" if a node has none. */
ORR_API int32_t orr_cluster_spec_vcs(const orr_cluster_spec *spec);
ORR_API const char *orr_cluster_spec_vc(const orr_cluster_spec *spec, int32_t index);
ORR_API int32_t orr_cluster_spec_find_vc(const orr_cluster_spec *spec, const char *name); /* -1: none */
/* Adds a tenant, so that its index is the number of VCs before. ORR_E_BAD_CLUSTER: a VC of this name is there, a node
 * belongs to a VC, an impossible count, cells of a chain that isn't there. `kind` isn't NODES; `gpus` is computed for
 * CELLS. Texts and lists are copied. */
ORR_API orr_err orr_cluster_spec_add_tenant(orr_cluster_spec *spec, const char *vc, const orr_quota *quota,
                                            orr_error *e);
/* Are the VCs tenants? Then all nodes are in one pool, and every VC is one of them. */
ORR_API bool orr_cluster_spec_tenants(const orr_cluster_spec *spec);
/* Of any VC; its texts and lists are borrowed until the description ends. */
ORR_API orr_quota orr_cluster_spec_quota(const orr_cluster_spec *spec, int32_t vc);
/* Chains of cells, in the order of declaration, which is the order in which a job without a GPU type tries them. */
ORR_API orr_err orr_cluster_spec_add_chain(orr_cluster_spec *spec, const orr_chain_spec *chain, orr_error *e);
ORR_API int32_t orr_cluster_spec_chains(const orr_cluster_spec *spec);
ORR_API const orr_chain_spec *orr_cluster_spec_chain(const orr_cluster_spec *spec, int32_t index);
/* How capacity changes by day, in the order of time; a simulation of a trace with a calendar follows it. */
ORR_API const orr_capacity_change *orr_cluster_spec_capacity(const orr_cluster_spec *spec, size_t *count);
/* What a reader assumed or left out, a sentence each. */
ORR_API int32_t orr_cluster_spec_notes(const orr_cluster_spec *spec);
ORR_API const char *orr_cluster_spec_note(const orr_cluster_spec *spec, int32_t index);

ORR_END
#endif
