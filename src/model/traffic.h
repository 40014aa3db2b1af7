/* What a job's allocation sends over which links in one iteration.
 *
 * Gradients are reduced inside each node in a ring, then between the nodes by as many rings at once as two neighbouring
 * nodes have GPUs, then spread inside: the hierarchical all-reduce. Inside, a ring over NVLink has its links to itself;
 * one that needs PCIe passes the uplinks of switches and the ports of sockets, which neighbours in the node use, too.
 * Between nodes the ring goes through the nodes by rack, so that it leaves each rack once.
 *
 * With parameter servers each worker pushes its gradient to all of them and then pulls: two passes over the same links,
 * in opposite directions. The servers hold equal parts and are spread evenly over the job's nodes, beside its workers;
 * what stays in a node costs nothing.
 */
#ifndef ORR_MODEL_TRAFFIC_H
#define ORR_MODEL_TRAFFIC_H

#include "base/mem.h"
#include "cluster/links.h"
#include "model/flows.h"

#include <orrery/plan.h>

typedef ORR_VEC(orr_flow_use) orr_flow_uses;

/* Loads are bytes on a link for each byte of the gradient; each link comes once, in the order of their numbers. */
typedef struct orr_traffic {
    orr_flow_uses inside, between;
    double
        inside_bps; /* bytes of gradient a second that the GPUs' own links allow inside nodes; INFINITY: not modelled */
    double latency;    /* seconds, of an exchange */
} orr_traffic;

/* `out` is cleared first; zeroed memory is valid. `servers` 0: all-reduce. The cluster is the one that the links are
 * of. O(U log U) for U = GPUs times the links of a path. */
void orr_traffic_of(orr_traffic *out, orr_cluster *c, const orr_links *links, const orr_slice *slices, int32_t n,
                    int32_t servers);
void orr_traffic_fini(orr_traffic *traffic);

#endif
