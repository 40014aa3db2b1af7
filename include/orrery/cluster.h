/* A cluster description: nodes, what is in them, and the racks and virtual clusters they belong to.
 *
 * The description is plain data, made from a file or in code, and says what exists; a simulation builds its own live
 * cluster from it, so that one description serves many simulations side by side. Nodes are numbered from 0 in the order
 * they were added. A virtual cluster (VC) is a set of whole nodes; nodes without one belong to the VC "" that all
 * share.
 */
#ifndef ORRERY_CLUSTER_H
#define ORRERY_CLUSTER_H

#include <orrery/error.h>

#define ORR_NODE_MAX_GPUS 64

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
} orr_node_spec;

typedef struct orr_cluster_spec orr_cluster_spec;

typedef struct orr_cluster_options {
    const char *format;       /* NULL: sniffed */
    const char *capacity_day; /* "YYYY-MM-DD" for files with a capacity a day; NULL: each VC's maximum */
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
/* Adds `count` nodes like `node`; texts are copied, NULL texts are "". A "%d" in the name becomes the node's index.
 * ORR_E_BAD_CLUSTER on impossible values or a repeated name: nothing is added then. */
ORR_API orr_err orr_cluster_spec_add(orr_cluster_spec *spec, const orr_node_spec *node, int32_t count, orr_error *e);

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
/* What a reader assumed or left out, a sentence each. */
ORR_API int32_t orr_cluster_spec_notes(const orr_cluster_spec *spec);
ORR_API const char *orr_cluster_spec_note(const orr_cluster_spec *spec, int32_t index);

ORR_END
#endif
