/* The kinds of wired nodes in a description: nodes are of one kind if they have the same GPUs, sockets and links. */
#ifndef ORR_CONFIG_KINDS_H
#define ORR_CONFIG_KINDS_H

#include "base/mem.h"

#include <orrery/cluster.h>

typedef struct orr_node_kind {
    const orr_node_spec *node; /* the first of them */
    int64_t nodes;
} orr_node_kind;

/* In the order of first mention. */
typedef struct orr_node_kinds {
    ORR_VEC(orr_node_kind) list;
} orr_node_kinds;

/* Nodes of which no links are stated are left out, unless `all`; nodes without GPUs always. O(nodes). */
orr_node_kinds orr_node_kinds_of(const orr_cluster_spec *spec, bool all);
void orr_node_kinds_fini(orr_node_kinds *kinds);

#endif
