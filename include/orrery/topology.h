/* What lies between GPUs: in a node NVLink, PCIe switches, sockets and NICs; between nodes racks and a spine.
 *
 * A `orr_wiring` is plain data that says how the GPUs of one kind of node are connected; all figures are usable bytes
 * a second in one direction. An `orr_fabric` says the same of the network between nodes. Where nothing is stated
 * nothing is modelled, and every GPU of a socket is as near as any other.
 */
#ifndef ORRERY_TOPOLOGY_H
#define ORRERY_TOPOLOGY_H

#include <orrery/cluster.h>

/* How near two GPUs, or the GPUs of an allocation, are: the lowest of these that holds all of them. */
typedef enum orr_level {
    ORR_LEVEL_GPU,    /* one GPU */
    ORR_LEVEL_NVLINK, /* each pair is linked directly or by an NVSwitch */
    ORR_LEVEL_SWITCH, /* below one PCIe switch */
    ORR_LEVEL_SOCKET, /* below one CPU socket */
    ORR_LEVEL_NODE,
    ORR_LEVEL_RACK,
    ORR_LEVEL_CLUSTER,
    ORR_LEVELS
} orr_level;

/* GPU i lies below PCIe switch i * switches / gpus and socket i * sockets / gpus; NIC k below switch k * switches /
 * nics. */
struct orr_wiring {
    const uint8_t *nvlinks; /* [gpus * gpus], symmetric: links between each pair; NULL: none, or a switch */
    int32_t nvswitch_links; /* links of each GPU into a switch that joins all; 0: no switch */
    double nvlink_bps;      /* of one link; 0: no NVLink */
    int32_t switches;       /* PCIe switches, a multiple of the sockets; 0: not stated */
    double pcie_bps;        /* between a GPU and its switch; 0: not modelled */
    double uplink_bps;      /* between a PCIe switch and its socket; 0: as pcie_bps */
    double socket_bps;      /* of a socket to the others; 0: not modelled */
    int32_t nics;           /* 0: not modelled */
    double nic_bps;         /* of one NIC */
};

struct orr_fabric {
    double rack_bps;         /* between a rack and the spine, all links of the rack together; 0: not modelled */
    double oversubscription; /* instead: the NICs of a rack together, divided by this; 0: as rack_bps says */
    double spine_bps;        /* of the spine as a whole; 0: not a bottleneck */
};

#endif
