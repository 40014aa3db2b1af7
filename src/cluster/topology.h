/* How near the GPUs of a node are to each other, worked out once for each kind of node and shared by all like it.
 *
 * Rates are usable bytes a second in one direction; 0: not modelled. Between two GPUs the best direct way counts:
 * their NVLinks together, the NVSwitch, or PCIe as wide as its narrowest piece. A ring over several GPUs is what an
 * all-reduce runs on: its rate is that of all link-disjoint rings together (two a cycle, one each way round), or where
 * NVLink alone closes no ring, the narrowest step of the best ring that takes PCIe, too.
 *
 * Up to ORR_TOPOLOGY_EXACT GPUs rings and subsets are found exactly, the first time each is asked for, and remembered:
 * then a question is a look into a table. Larger nodes are symmetric (a switch, or PCIe alone), where rings follow
 * from the level and subsets from the tree of sockets and switches; of a larger mesh a ring is a lower bound, found by
 * going to the nearest GPU next, and a subset is grown from its best pair. O(GPUs^2) then.
 *
 * The cache makes a topology part of one simulation; clusters make their own.
 */
#ifndef ORR_CLUSTER_TOPOLOGY_H
#define ORR_CLUSTER_TOPOLOGY_H

#include <orrery/topology.h>

enum { ORR_TOPOLOGY_EXACT = 8 };

/* What a step costs, after Amaral et al. (SC 2017): the sum over all pairs says how scattered a set is. */
enum { ORR_HOP_NEAR = 1, ORR_HOP_SOCKET = 10, ORR_HOP_NODE = 20, ORR_HOP_NETWORK = 100 };

typedef struct orr_topology {
    const orr_node_spec *spec; /* any node of this kind */
    orr_wiring wiring;         /* all zero where nothing is stated */
    uint64_t all;
    uint64_t *linked;  /* [gpus]: which GPUs NVLink joins directly to each */
    double *bps;       /* [gpus * gpus]: of the best direct way */
    uint64_t *islands; /* sets that are worth keeping whole: sockets, switches, groups that NVLink joins */
    int32_t island_count;
    double *rings;    /* [2^gpus] where exact: < 0: not asked yet */
    uint8_t *subsets; /* [2^gpus * (gpus + 1)] where exact; 0: not asked yet */
} orr_topology;

/* The wiring is copied, the spec borrowed. */
orr_topology *orr_topology_create(const orr_node_spec *spec);
void orr_topology_destroy(orr_topology *t);
/* Does a node have the same? */
bool orr_topology_fits(const orr_topology *t, const orr_node_spec *spec);

int orr_socket_of(const orr_node_spec *spec, int gpu);
int orr_switch_of(const orr_node_spec *spec, int gpu); /* 0 where switches aren't stated */

/* The lowest level that holds all of these GPUs. */
orr_level orr_topology_level(const orr_topology *t, uint64_t gpus);
double orr_topology_bps(const orr_topology *t, int a, int b);
int32_t orr_topology_distance(const orr_topology *t, int a, int b); /* 0: the same GPU */
/* Of a ring over these GPUs; 0 for one. */
double orr_topology_ring(orr_topology *t, uint64_t gpus);
/* The best `count` of the `free` GPUs: the fastest ring; among equals those that leave the most GPUs in islands that
 * are free as a whole; then the lowest level, the least distance, the least indices. 0 if there aren't as many. */
uint64_t orr_topology_best(orr_topology *t, uint64_t free, int32_t count);

#endif
