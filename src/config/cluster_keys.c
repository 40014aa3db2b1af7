/* What a cluster file may say. The inline form shares the hardware keys, so that both mean and check the same. */
#include "config/cluster_keys.h"

#define AT(member) offsetof(orr_node_entry, member)

/* clang-format off */
#define HARDWARE_KEYS                                                                                                  \
    {"preset", ORR_KEY_TEXT, AT(preset), "", 0, 0,                                                                     \
     "Take a node's hardware (the keys from `gpus` to `mem`) from the preset of this name; keys given here win.",      \
     NULL},                                                                                                            \
    {"gpus", ORR_KEY_INT, AT(gpus), "8", 0, ORR_NODE_MAX_GPUS, "GPUs of each node; 0 makes a CPU node.", NULL},        \
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0,                                                                         \
     "GPU type, as a free name that a trace's jobs may ask for: V100, A100.", NULL},                                   \
    {"gpu_mem", ORR_KEY_BYTES, AT(gpu_mem), "0", 0, ORR_NODE_MAX_BYTES, "Memory of one GPU; 0: not stated.",           \
     NULL},                                                                                                            \
    {"sockets", ORR_KEY_INT, AT(sockets), "1", 1, ORR_NODE_MAX_SOCKETS,                                                \
     "CPU sockets of each node; its GPUs are spread over them evenly, in index order.", NULL},                         \
    {"cpus", ORR_KEY_INT, AT(cpus), "0", 0, ORR_NODE_MAX_CPUS,                                                         \
     "CPU cores of each node; 0: not modelled, no job is refused for lack of cores.", NULL},                           \
    {"mem", ORR_KEY_BYTES, AT(mem), "0", 0, ORR_NODE_MAX_BYTES, "Host memory of each node; 0: not modelled.", NULL}

static const orr_key node_keys[] = {
    {"count", ORR_KEY_INT, AT(count), "1", 1, ORR_CLUSTER_MAX_NODES, "How many nodes like this.", NULL},
    HARDWARE_KEYS,
    {"vc", ORR_KEY_TEXT, AT(vc), "", 0, 0,
     "Virtual cluster that the nodes belong to. Without one they are in the common pool. Not together with `vcs`.",
     NULL},
    {"rack", ORR_KEY_TEXT, AT(rack), "", 0, 0,
     "Rack that the nodes stand in. Without one all stand in one rack. Not together with `racks`.", NULL},
    {"name", ORR_KEY_TEXT, AT(name), "node%d", 0, 0,
     "Name of the nodes; `%d` becomes the node's index in the cluster, from 0. Each node needs its own.", NULL},
    {0},
};

const orr_keys orr_node_keys = {
    .title = "An element of `nodes`",
    .doc = "One or more nodes that are alike. Nodes are numbered from 0 in the order of the file.",
    .at = node_keys,
};

static const orr_key cluster_keys[] = {
    {"schema", ORR_KEY_TEXT, offsetof(orr_cluster_file, schema), NULL, 0, 0,
     "What the file is: `" ORR_CLUSTER_SCHEMA "`.", NULL},
    {"name", ORR_KEY_TEXT, offsetof(orr_cluster_file, name), "", 0, 0,
     "Name in results; the file's path if it is left out.", NULL},
    {"nodes", ORR_KEY_LIST, offsetof(orr_cluster_file, nodes), NULL, 1, 100000, "The nodes, by kind.", &orr_node_keys},
    {"racks", ORR_KEY_INT, offsetof(orr_cluster_file, racks), "0", 0, ORR_CLUSTER_MAX_NODES,
     "Spread the nodes in order over this many racks, `rack0` on, as evenly as can be; 0: racks are as the nodes say.",
     NULL},
    {"vcs", ORR_KEY_COUNTS, offsetof(orr_cluster_file, vcs), "", 1, ORR_CLUSTER_MAX_NODES,
     "Give nodes to virtual clusters in order, so many to each; the rest is the common pool. For files with one "
     "element of `nodes`.",
     NULL},
    {0},
};

const orr_keys orr_cluster_keys = {
    .title = "A cluster file",
    .doc = "YAML. Sizes are written `16GiB`, `25GB` or in plain bytes. Any other key is an error. Anchors, aliases and "
           "tags are not used.",
    .at = cluster_keys,
};

static const orr_key inline_keys[] = {
    {"nodes", ORR_KEY_INT, AT(count), "1", 1, ORR_CLUSTER_MAX_NODES, "How many nodes.", NULL},
    HARDWARE_KEYS,
    {"racks", ORR_KEY_INT, AT(racks), "0", 0, ORR_CLUSTER_MAX_NODES,
     "Spread the nodes in order over this many racks; 0: one rack.", NULL},
    {0},
};

const orr_keys orr_inline_keys = {
    .title = "The inline form",
    .doc = "One kind of node, on the command line: `-c nodes=128,gpus=8,type=V100,cpus=96,mem=512GiB,racks=4`.",
    .at = inline_keys,
};

/* clang-format on */

void orr_cluster_keys_markdown(orr_text *out)
{
    orr_schema_markdown(&orr_cluster_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_node_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_inline_keys, out);
}

orr_node_spec orr_node_entry_spec(const orr_node_entry *entry)
{
    return (orr_node_spec){
        .name = entry->name,
        .gpu_type = entry->type,
        .vc = entry->vc,
        .rack = entry->rack,
        .gpus = (int32_t)entry->gpus,
        .sockets = (int32_t)entry->sockets,
        .cpus = (int32_t)entry->cpus,
        .mem_bytes = entry->mem,
        .gpu_mem_bytes = entry->gpu_mem,
    };
}

int64_t orr_rack_of(int64_t node, int64_t nodes, int64_t racks)
{
    return node * racks / nodes;
}
