/* Who holds which GPU, from the records of a log: for whoever asks why a job waited. Nodes on which the job in question
 * may run are marked, and of these it is known at any moment how many GPUs are free and in how large pieces; where the
 * job asks parts of GPUs, on how many nodes there is room for it. GPUs that don't work, and those of nodes that take no
 * new jobs, aren't free. */
#ifndef ORR_REPORT_LEDGER_H
#define ORR_REPORT_LEDGER_H

#include "log/log.h"

typedef struct orr_ledger_node {
    int32_t gpus, free; /* free: that work and nobody holds anything of */
    int32_t held;       /* that somebody holds something of */
    int32_t left;       /* thousandths that nobody holds of those that work */
    int32_t pool;       /* number of its VC, by order of first mention */
    const char *type;
    uint64_t up; /* its GPUs that work and may be given */
    bool marked, fits; /* fits: there is room for the parts in question */
    size_t first; /* where its GPUs begin among all */
} orr_ledger_node;

/* What a job holds. */
typedef struct orr_holding {
    orr_log_slice *slices;
    int32_t n;
    bool saves;
} orr_holding;

typedef struct orr_ledger {
    orr_ledger_node *nodes;
    int64_t node_count;
    int32_t *used;         /* thousandths of each GPU that are held */
    orr_holding *holdings; /* by job */
    ORR_VEC(uint32_t) savers;
    uint64_t jobs;
    uint64_t running; /* jobs that hold something */
    /* of the marked nodes */
    int64_t gpus, free, held;
    int64_t left;                         /* thousandths */
    int64_t pieces[ORR_LOG_MAX_GPUS + 1]; /* nodes with so many free GPUs */
    int32_t widest;                       /* GPUs of the largest */
    int32_t part_gpus, part_milli;        /* the parts in question; 0: whole GPUs are */
    int64_t fitting;                      /* nodes with room for them */
} orr_ledger;

void orr_ledger_init(orr_ledger *l, const orr_log_header *header);
void orr_ledger_fini(orr_ledger *l);
/* Marks the nodes of this pool (-1: all) and of these types (joined by |, "": all), for a job that asks so many
 * thousandths of each of `gpus` GPUs of one node; 1000: whole ones, of as many nodes as it takes. Once. */
void orr_ledger_mark(orr_ledger *l, int32_t pool, const char *types, int32_t gpus, int32_t milli);
/* The job holds these GPUs and no others from now on; whoever still saves on them loses what doesn't fit beside it. */
void orr_ledger_give(orr_ledger *l, uint32_t job, const orr_log_slice *slices, int32_t n);
/* It saves on what it holds until it is taken. */
void orr_ledger_save(orr_ledger *l, uint32_t job);
/* It holds none. */
void orr_ledger_take(orr_ledger *l, uint32_t job);
/* These GPUs of a node work, and new jobs may come or not. */
void orr_ledger_node_is(orr_ledger *l, int32_t node, uint64_t up, bool takes);
/* Whether the marked nodes have room for a gang of whole GPUs on as few nodes as it needs at least: O(1). */
bool orr_ledger_fits(const orr_ledger *l, int32_t gpus);
/* The same for the job in question, of which `gpus` GPUs are enough; and whether as much is free at all. */
bool orr_ledger_has_room(const orr_ledger *l, int32_t gpus);
bool orr_ledger_has_free(const orr_ledger *l, int32_t gpus);

#endif
