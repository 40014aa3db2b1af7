/* How long collectives take, by the alpha-beta model: a number of steps that cost a latency each, and a volume that
 * passes the slowest link. `p` workers exchange `bytes` each (of gradient, say); rates are usable bytes a second in one
 * direction.
 *
 * One worker exchanges nothing, and where a rate isn't modelled (0 or INFINITY) the volume costs nothing.
 */
#ifndef ORR_MODEL_COLLECTIVE_H
#define ORR_MODEL_COLLECTIVE_H

#include <orrery/api.h>

typedef enum orr_collective {
    ORR_ALL_REDUCE_RING,
    ORR_ALL_REDUCE_HALVING, /* recursive halving and doubling; besides a power of two each worker first joins another */
    ORR_ALL_REDUCE_TREE,    /* one binary tree, pipelined: an inner node receives from two children */
    ORR_ALL_REDUCE_TREES, /* two of them with half of the data each: inner nodes of one are leaves of the other */
    ORR_REDUCE_SCATTER, /* in a ring */
    ORR_ALL_GATHER,     /* in a ring */
    ORR_BROADCAST,      /* along a chain, pipelined */
    ORR_ALL_TO_ALL,     /* `bytes` a worker in all */
    ORR_SEND_RECV,      /* from one worker to another */
    ORR_COLLECTIVES
} orr_collective;

/* What it takes: time = steps * latency + volume * bytes / rate. */
typedef struct orr_exchange {
    double steps, volume;
} orr_exchange;

typedef struct orr_hop {
    double latency; /* seconds a step */
    double bps;     /* of the slowest link on the way, at its present share */
} orr_hop;

orr_exchange orr_collective_exchange(orr_collective what, int32_t p);
double orr_collective_seconds(orr_collective what, int32_t p, double bytes, orr_hop hop);
/* Bytes that pass the busiest link in a second: what to compare with the rate of hardware. 0 for one worker. */
double orr_collective_bus_rate(orr_collective what, int32_t p, double bytes, double seconds);

/* All-reduce of `nodes` nodes with `gpus` GPUs each: reduced inside each node, then between them by as many rings at
 * once as a node has GPUs, which share its `nics` NICs of rate `between.bps` each, then spread inside. */
double orr_collective_hierarchical(int32_t gpus, int32_t nodes, double bytes, orr_hop inside, orr_hop between,
                                   int32_t nics);
/* One ring through all the GPUs of all nodes. */
double orr_collective_flat_ring(int32_t gpus, int32_t nodes, double bytes, orr_hop inside, orr_hop between);
/* `workers` push to and pull from `servers` that share the parameters evenly and sit on nodes of their own. */
double orr_collective_servers(int32_t workers, int32_t servers, double bytes, double worker_bps, double server_bps);

/* Latencies, seconds: of a step by what it passes, and once a collective. The constants of NCCL's tuning (v2.20) for
 * large messages. */
#define ORR_LATENCY_NVLINK 3.4e-6
#define ORR_LATENCY_PCIE 5.7e-6
#define ORR_LATENCY_NETWORK 14e-6
#define ORR_LATENCY_BASE 8.4e-6

#endif
