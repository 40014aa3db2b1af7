/* The links that jobs share, numbered through the whole cluster: what flows run over.
 *
 * Each full-duplex link counts twice, outward and inward: what leaves a node doesn't slow down what comes in. Of a node
 * there are its NICs, the uplinks of its PCIe switches and the ports of its sockets to each other, of a rack its way to
 * the spine, and the spine, once. NVLinks and the slot of a GPU are not among them: whoever has the GPU has them alone
 * (orr_topology_bps tells their rate). What the description doesn't state has no link and limits nothing.
 *
 * Made when traffic is modelled; 8 bytes a link and 4 a node. The cluster must outlive it.
 */
#ifndef ORR_CLUSTER_LINKS_H
#define ORR_CLUSTER_LINKS_H

#include "cluster/cluster.h"

#include <orrery/topology.h>

enum {
    ORR_LINKS_PATH = 16,     /* a path has no more links */
    ORR_LINK_NAME = 256 + 48 /* bytes for a name */
};

typedef struct orr_links {
    const orr_cluster *cluster;
    int32_t count;  /* ids are 0 .. count - 1 */
    int32_t *first; /* [nodes + 1]: the links of node n are first[n] .. first[n + 1] - 1 */
    int32_t racks;  /* the first link of a rack; -1: not modelled */
    int32_t spine;  /* -1: not modelled */
    double *bps;    /* [count]: usable bytes a second */
} orr_links;

/* `fabric` may be NULL: not stated. */
orr_links *orr_links_create(const orr_cluster *c, const orr_fabric *fabric);
void orr_links_destroy(orr_links *links);

/* The shared links from one GPU to another, in order, into `out[ORR_LINKS_PATH]`; returns how many. Within a node that
 * is none where NVLink or one PCIe switch joins them; between nodes the way goes through the NIC nearest to each GPU.
 * O(1). */
int orr_links_path(const orr_links *links, int32_t from_node, int from_gpu, int32_t to_node, int to_gpu, int32_t *out);
/* The links of a NIC, outward or inward; -1: not modelled. */
int32_t orr_links_nic(const orr_links *links, int32_t node, int nic, bool inward);
/* The NIC nearest to a GPU: below its PCIe switch where there is one, GPUs dealt out evenly; -1: none modelled. */
int orr_node_nic_of(const orr_node *n, int gpu);
/* "node3 nic 0 out", "rack1 in", "spine". O(log nodes). */
const char *orr_links_name(const orr_links *links, int32_t link, char buf[ORR_LINK_NAME]);

#endif
