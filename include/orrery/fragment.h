/* Fragmentation: how much of what is free is of no use to the jobs to come (FGD, Weng et al., ATC'23).
 *
 * The jobs to come are classes, each with its part of all jobs. To a class, all that is left of a node's GPUs is lost
 * if the node can't host one of its jobs (too few cores, too few GPUs with the share it asks, a GPU type that it may
 * not run on) or if its jobs use no GPU; else what is left of those GPUs that have less than its share. A node's
 * fragmentation is that, times the parts, summed over the classes. All of it is in thousandths of a GPU.
 */
#ifndef ORRERY_FRAGMENT_H
#define ORRERY_FRAGMENT_H

#include <orrery/api.h>

/* What is left of a node. */
typedef struct orr_remnant {
    int64_t cpu_milli; /* thousandths of a core; INT64_MAX where cores are not modelled */
    uint64_t type;     /* its GPU type as a bit */
    int32_t gpus;
    int32_t milli[64]; /* of each GPU, 0..1000 */
} orr_remnant;

typedef struct orr_fragment_class {
    int64_t cpu_milli; /* of a job */
    int32_t gpus;      /* 0: it uses none */
    int32_t milli;     /* of each GPU, 1..1000 */
    uint64_t types;    /* GPU types that it may run on, as bits */
    double part;       /* of all jobs */
} orr_fragment_class;

/* Why a class can or can't use what is left. */
typedef enum orr_fragment_cause {
    ORR_FRAGMENT_BOTH,     /* too few cores and too few GPUs */
    ORR_FRAGMENT_GPUS,     /* too few GPUs; and of nodes that can host it the GPUs that have too little left */
    ORR_FRAGMENT_USABLE,   /* no fragment: it could be used */
    ORR_FRAGMENT_CORES,    /* too few cores */
    ORR_FRAGMENT_NO_GPU,   /* its jobs use no GPU, and there are cores for them, */
    ORR_FRAGMENT_NO_CORES, /* or too few */
    ORR_FRAGMENT_TYPE,     /* it may not run there */
    ORR_FRAGMENT_CAUSES
} orr_fragment_cause;

typedef struct orr_fragments orr_fragments;

ORR_BEGIN

/* Copies the classes. Their order decides nothing but the last bit of sums. */
ORR_API orr_fragments *orr_fragments_create(const orr_fragment_class *classes, size_t n);
ORR_API void orr_fragments_destroy(orr_fragments *fragments);
/* The fragmentation of a node of which this is left. O(GPUs + classes). */
ORR_API double orr_fragments_of(const orr_fragments *fragments, const orr_remnant *left);
/* The same by cause; the parts add up to what is left of all GPUs. */
ORR_API void orr_fragments_by_cause(const orr_fragments *fragments, const orr_remnant *left,
                                    double out[ORR_FRAGMENT_CAUSES]);

ORR_END
#endif
