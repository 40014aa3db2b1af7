/* The keys of a cluster: the tables behind the YAML file and the inline form, and the structs they fill. */
#ifndef ORR_CONFIG_CLUSTER_KEYS_H
#define ORR_CONFIG_CLUSTER_KEYS_H

#include "config/reader.h"
#include "config/schema.h"

#define ORR_CLUSTER_SCHEMA "orrery.cluster/1"

typedef struct orr_cluster_file {
    const char *schema, *name;
    const orr_yaml *nodes, *vcs;
    int64_t racks;
} orr_cluster_file;

/* An element of `nodes`, or an inline form. */
typedef struct orr_node_entry {
    int64_t count;
    const char *preset;
    int64_t gpus, gpu_mem, sockets, cpus, mem;
    const char *type, *vc, *rack, *name;
    int64_t racks; /* inline only */
} orr_node_entry;

extern const orr_keys orr_cluster_keys, orr_node_keys, orr_inline_keys;

/* Reads an entry by its table in layers: defaults, the hardware of its preset if it names one, its own keys. */
orr_err orr_node_entry_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map,
                            orr_cluster_source *source, orr_cluster_spec *spec, orr_node_entry *out, orr_error *e);
orr_node_spec orr_node_entry_spec(const orr_node_entry *entry);
/* The rack of a node when `nodes` nodes fill `racks` racks in order: sizes differ by one at most. */
int64_t orr_rack_of(int64_t node, int64_t nodes, int64_t racks);

#endif
