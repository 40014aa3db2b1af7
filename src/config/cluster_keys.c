/* What a cluster file may say. The inline form shares the hardware keys, so that both mean and check the same. */
#include "config/cluster_keys.h"

#include <orrery/cells.h>

#define AT(member) offsetof(orr_node_entry, member)

/* clang-format off */
#define HARDWARE_KEYS                                                                                                  \
    {"preset", ORR_KEY_TEXT, AT(preset), "", 0, 0,                                                                     \
     "Take a node's hardware (the keys from `gpus` to `nic_bw`) from the preset of this name; keys given here win.",   \
     NULL},                                                                                                            \
    {"gpus", ORR_KEY_INT, AT(gpus), "8", 0, ORR_NODE_MAX_GPUS, "GPUs of each node; 0 makes a CPU node.", NULL},        \
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0,                                                                         \
     "GPU type, as a free name that a trace's jobs may ask for: V100, A100.", NULL},                                   \
    {"gpu_mem", ORR_KEY_BYTES, AT(gpu_mem), "0", 0, ORR_NODE_MAX_BYTES, "Memory of one GPU; 0: not stated.",           \
     NULL},                                                                                                            \
    {"mig", ORR_KEY_BOOL, AT(mig), "off", 0, 0,                                                                        \
     "A job that asks for part of a GPU gets a MIG instance, the least that holds it, at a place where the hardware "  \
     "allows it; for A100, H100, H200, A30.",                                                                          \
     NULL},                                                                                                            \
    {"sockets", ORR_KEY_INT, AT(sockets), "1", 1, ORR_NODE_MAX_SOCKETS,                                                \
     "CPU sockets of each node; its GPUs are spread over them evenly, in index order.", NULL},                         \
    {"cpus", ORR_KEY_INT, AT(cpus), "0", 0, ORR_NODE_MAX_CPUS,                                                         \
     "CPU cores of each node; 0: not modelled, no job is refused for lack of cores.", NULL},                           \
    {"mem", ORR_KEY_BYTES, AT(mem), "0", 0, ORR_NODE_MAX_BYTES, "Host memory of each node; 0: not modelled.",         \
     NULL},                                                                                                            \
    {"nvlink", ORR_KEY_TEXT, AT(nvlink), "", 0, 0,                                                                     \
     "What NVLink joins: `none`; `switch`, all GPUs by NVSwitches; `cube-mesh`, 8 GPUs as in a DGX-1; `pairs`, GPUs "  \
     "0 and 1, 2 and 3, and so on; or the pairs themselves, `0-1 0-2 0-3x2`, `x2` for two links.",                     \
     NULL},                                                                                                            \
    {"nvlinks", ORR_KEY_INT, AT(nvlinks), "0", 0, ORR_WIRING_MAX_LINKS,                                                \
     "Links of each GPU, where `nvlink` is a word: into the switch, in the mesh (4 or 6), to the other of a pair.",    \
     NULL},                                                                                                            \
    {"nvlink_bw", ORR_KEY_BANDWIDTH, AT(nvlink_bw), "0", 0, ORR_WIRING_MAX_BPS,                                        \
     "Of one NVLink. Bandwidths are those that can be used, in one direction.", NULL},                                 \
    {"pcie_switches", ORR_KEY_INT, AT(switches), "0", 0, ORR_NODE_MAX_GPUS,                                            \
     "PCIe switches of each node, as many at each socket; GPUs and NICs are spread over them evenly; 0: not stated.",  \
     NULL},                                                                                                            \
    {"pcie_bw", ORR_KEY_BANDWIDTH, AT(pcie_bw), "0", 0, ORR_WIRING_MAX_BPS,                                            \
     "Between a GPU and its switch or socket; 0: not modelled.", NULL},                                                \
    {"uplink_bw", ORR_KEY_BANDWIDTH, AT(uplink_bw), "0", 0, ORR_WIRING_MAX_BPS,                                        \
     "Between a PCIe switch and its socket; 0: as `pcie_bw`.", NULL},                                                  \
    {"socket_bw", ORR_KEY_BANDWIDTH, AT(socket_bw), "0", 0, ORR_WIRING_MAX_BPS,                                        \
     "Of a socket to the others; 0: not modelled.", NULL},                                                             \
    {"nics", ORR_KEY_INT, AT(nics), "0", 0, ORR_WIRING_MAX_NICS, "Network cards of each node; 0: not modelled.",       \
     NULL},                                                                                                            \
    {"nic_bw", ORR_KEY_BANDWIDTH, AT(nic_bw), "0", 0, ORR_WIRING_MAX_BPS, "Of one network card.", NULL}

#define FABRIC(member) offsetof(orr_fabric_entry, member)

#define FABRIC_KEYS(at)                                                                                                \
    {"rack_bw", ORR_KEY_BANDWIDTH, (at) + FABRIC(rack_bw), "0", 0, ORR_WIRING_MAX_BPS,                                 \
     "Between a rack and the spine, all links of the rack together; 0: not modelled.", NULL},                          \
    {"oversubscription", ORR_KEY_REAL, (at) + FABRIC(oversubscription), "0", 0, 1000000,                               \
     "Instead of `rack_bw`: how many times more the NICs of a rack carry than its links to the spine do, 1 or more.",  \
     NULL},                                                                                                            \
    {"spine_bw", ORR_KEY_BANDWIDTH, (at) + FABRIC(spine_bw), "0", 0, ORR_WIRING_MAX_BPS,                               \
     "Of the spine as a whole; 0: no bottleneck.", NULL}

static const orr_key hardware_keys[] = {
    HARDWARE_KEYS,
    {0},
};

const orr_keys orr_hardware_keys = {.title = "Hardware", .doc = "", .at = hardware_keys};

static const orr_key fabric_keys[] = {
    FABRIC_KEYS(0),
    {0},
};

const orr_keys orr_fabric_keys = {
    .title = "The map `fabric`",
    .doc = "The network between racks. What isn't stated is no bottleneck.",
    .at = fabric_keys,
};

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
    {"cells", ORR_KEY_LIST, offsetof(orr_cluster_file, cells), "", 1, ORR_MAX_CHAINS,
     "Chains of cells, for quotas by shape.", &orr_chain_keys},
    {"tenants", ORR_KEY_MAP, offsetof(orr_cluster_file, tenants), "", 0, 0,
     "Virtual clusters that own no nodes, each with its quota (below): all nodes are shared, and policies that know "
     "quotas keep to them. Not together with `vcs` or `vc`.",
     NULL},
    {"fabric", ORR_KEY_MAP, offsetof(orr_cluster_file, fabric), "", 0, 0,
     "The network between racks (below). What isn't stated is no bottleneck.", NULL},
    {0},
};

const orr_keys orr_cluster_keys = {
    .title = "A cluster file",
    .doc = "YAML. Sizes are written `16GiB`, `25GB` or in plain bytes, bandwidths `12GB/s` or, in bits, `100Gb/s`. Any other key is an error. Anchors, aliases and "
           "tags are not used.",
    .at = cluster_keys,
};

static const orr_key inline_keys[] = {
    {"nodes", ORR_KEY_INT, AT(count), "1", 1, ORR_CLUSTER_MAX_NODES, "How many nodes.", NULL},
    HARDWARE_KEYS,
    {"racks", ORR_KEY_INT, AT(racks), "0", 0, ORR_CLUSTER_MAX_NODES,
     "Spread the nodes in order over this many racks; 0: one rack.", NULL},
    FABRIC_KEYS(AT(fabric)),
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
    orr_schema_markdown(&orr_chain_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_tenant_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_fabric_keys, out);
    orr_text_addf(out, "\n");
    orr_schema_markdown(&orr_inline_keys, out);
}

static bool states_wiring(const orr_node_entry *entry)
{
    return entry->nvlink[0] || entry->nvlinks || entry->switches || entry->nics || entry->nvlink_bw || entry->pcie_bw ||
           entry->uplink_bw || entry->socket_bw || entry->nic_bw;
}

/* `nvlink: none` and `nics: 0` beside a preset take away what it has. */
static orr_wiring rates_of(const orr_node_entry *entry)
{
    const bool no_nvlink = strcmp(entry->nvlink, "none") == 0, no_nics = entry->preset[0] && !entry->nics;
    return (orr_wiring){
        .nvlink_bps = no_nvlink ? 0 : (double)entry->nvlink_bw,
        .switches = (int32_t)entry->switches,
        .pcie_bps = (double)entry->pcie_bw,
        .uplink_bps = (double)entry->uplink_bw,
        .socket_bps = (double)entry->socket_bw,
        .nics = (int32_t)entry->nics,
        .nic_bps = no_nics ? 0 : (double)entry->nic_bw,
    };
}

orr_err orr_node_entry_spec(const orr_node_entry *entry, orr_wired_node *out, orr_error *e)
{
    out->spec = (orr_node_spec){
        .name = entry->name,
        .gpu_type = entry->type,
        .vc = entry->vc,
        .rack = entry->rack,
        .gpus = (int32_t)entry->gpus,
        .sockets = (int32_t)entry->sockets,
        .cpus = (int32_t)entry->cpus,
        .mem_bytes = entry->mem,
        .gpu_mem_bytes = entry->gpu_mem,
        .mig = entry->mig,
        .wiring = states_wiring(entry) ? &out->wiring : NULL,
    };
    out->wiring = rates_of(entry);
    return orr_nvlink_parse(entry->nvlink, (int32_t)entry->nvlinks, out->spec.gpus, out->nvlinks, &out->wiring, e);
}

static bool has_nics(const orr_cluster_spec *spec)
{
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        const orr_wiring *wiring = orr_cluster_spec_node(spec, i)->wiring;
        if (wiring && wiring->nics)
            return true;
    }
    return false;
}

orr_err orr_fabric_entry_set(const orr_fabric_entry *entry, orr_cluster_spec *spec, orr_error *e)
{
    const orr_fabric fabric = {.rack_bps = (double)entry->rack_bw,
                               .oversubscription = entry->oversubscription,
                               .spine_bps = (double)entry->spine_bw};
    if (fabric.oversubscription > 0 && !has_nics(spec))
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "'oversubscription' is of the NICs of a rack, and no node has any");
    return orr_cluster_spec_set_fabric(spec, &fabric, e);
}

int64_t orr_rack_of(int64_t node, int64_t nodes, int64_t racks)
{
    return node * racks / nodes;
}
