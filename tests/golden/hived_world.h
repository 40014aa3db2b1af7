/* The clusters of the HiveD cases, read from their authors' two file formats, as cells of ours. */
#ifndef TESTS_GOLDEN_HIVED_WORLD_H
#define TESTS_GOLDEN_HIVED_WORLD_H

#include "base/mem.h"
#include "config/yaml.h"

#include <orrery/cells.h>

/* A change of a VC's quota that a case begins with: this quota is of another type, another number, or both. */
typedef struct quota_change {
    const char *vc, *was, *is;
    int32_t count;
} quota_change;

typedef struct world {
    orr_cells *cells;
    const char **nodes, **vcs; /* by index */
    int32_t node_count, vc_count;
    orr_yaml_doc doc;
} world;

/* A fresh cluster: all nodes were bad for a moment, as they are in the reference before it hears of them; that moves
 * its lists. Fails the test if the file isn't understood. */
void world_open(world *w, const char *path, const quota_change *changes, size_t change_count);
void world_close(world *w);
int32_t world_node(const world *w, const char *name); /* -1: none */
int32_t world_vc(const world *w, const char *name);   /* -1: none */

#endif
