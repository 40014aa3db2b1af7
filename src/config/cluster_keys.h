/* The keys of a cluster: the tables behind the YAML file and the inline form, and the structs they fill. */
#ifndef ORR_CONFIG_CLUSTER_KEYS_H
#define ORR_CONFIG_CLUSTER_KEYS_H

#include "config/reader.h"
#include "config/schema.h"
#include "config/wiring.h"

#define ORR_CLUSTER_SCHEMA "orrery.cluster/1"

typedef struct orr_cluster_file {
    const char *schema, *name;
    const orr_yaml *nodes, *vcs;
    const orr_yaml *fabric;
    const orr_yaml *cells, *tenants;
    int64_t racks;
} orr_cluster_file;

/* The network between nodes: the map `fabric`, or keys of an inline form. */
typedef struct orr_fabric_entry {
    int64_t rack_bw, spine_bw;
    double oversubscription;
} orr_fabric_entry;

/* An element of `nodes`, or an inline form. */
typedef struct orr_node_entry {
    int64_t count;
    const char *preset;
    int64_t gpus, gpu_mem, sockets, cpus, mem;
    bool mig;
    const char *type, *vc, *rack, *name;
    const char *nvlink;
    int64_t nvlinks, switches, nics;
    int64_t nvlink_bw, pcie_bw, uplink_bw, socket_bw, nic_bw;
    int64_t racks;           /* inline only, */
    orr_fabric_entry fabric; /* this, too */
} orr_node_entry;

/* A node of the description with what its wiring points to. */
typedef struct orr_wired_node {
    orr_node_spec spec;
    orr_wiring wiring;
    uint8_t nvlinks[ORR_NODE_MAX_GPUS * ORR_NODE_MAX_GPUS];
} orr_wired_node;

extern const orr_keys orr_cluster_keys, orr_node_keys, orr_inline_keys, orr_fabric_keys;
extern const orr_keys orr_chain_keys, orr_tenant_keys;
extern const orr_keys orr_hardware_keys; /* what a preset gives */

/* Reads an entry by its table in layers: defaults, the hardware of its preset if it names one, its own keys. */
orr_err orr_node_entry_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map,
                            orr_cluster_source *source, orr_cluster_spec *spec, orr_node_entry *out, orr_error *e);
/* The node that an entry describes; `out` must stay where it is. ORR_E_BAD_CLUSTER, without a place, is about
 * `nvlink`. */
orr_err orr_node_entry_spec(const orr_node_entry *entry, orr_wired_node *out, orr_error *e);
/* To be called when all nodes are there. ORR_E_BAD_CLUSTER, without a place. */
orr_err orr_fabric_entry_set(const orr_fabric_entry *entry, orr_cluster_spec *spec, orr_error *e);
/* What `cells` and `tenants` say (NULL: nothing). To be called when all nodes are there. */
orr_err orr_cluster_read_tenants(const orr_yaml_doc *doc, const orr_yaml *cells, const orr_yaml *tenants,
                                 orr_cluster_spec *spec, orr_error *e);
/* The rack of a node when `nodes` nodes fill `racks` racks in order: sizes differ by one at most. */
int64_t orr_rack_of(int64_t node, int64_t nodes, int64_t racks);

#endif
