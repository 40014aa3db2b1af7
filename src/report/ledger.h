/* Who holds which GPU, from the records of a log: for whoever asks why a job waited. Nodes on which the job in question
 * may run are marked, and of these it is known at any moment how many GPUs are free and in how large pieces. */
#ifndef ORR_REPORT_LEDGER_H
#define ORR_REPORT_LEDGER_H

#include "log/log.h"

typedef struct orr_ledger_node {
    int32_t gpus, free;
    int32_t pool;      /* number of its VC, by order of first mention */
    const char *type;
    bool marked;
    size_t owners;     /* where its GPUs' owners begin */
} orr_ledger_node;

/* What a job holds. */
typedef struct orr_holding {
    orr_log_slice *slices;
    int32_t n;
} orr_holding;

typedef struct orr_ledger {
    orr_ledger_node *nodes;
    int64_t node_count;
    uint32_t *owner;       /* job + 1 of each GPU; 0: free */
    orr_holding *holdings; /* by job */
    uint64_t jobs;
    uint64_t running;      /* jobs that hold something */
    /* of the marked nodes */
    int64_t gpus, free;
    int64_t pieces[ORR_LOG_MAX_GPUS + 1]; /* nodes with so many free GPUs */
    int32_t widest;                       /* GPUs of the largest */
} orr_ledger;

void orr_ledger_init(orr_ledger *l, const orr_log_header *header);
void orr_ledger_fini(orr_ledger *l);
/* Marks the nodes of this pool (-1: all) and of these types (joined by |, "": all). Once. */
void orr_ledger_mark(orr_ledger *l, int32_t pool, const char *types);
/* The job holds these GPUs and no others from now on; whoever still saves on them loses them. */
void orr_ledger_give(orr_ledger *l, uint32_t job, const orr_log_slice *slices, int32_t n);
/* It holds none. */
void orr_ledger_take(orr_ledger *l, uint32_t job);
/* Whether the marked nodes have room for a gang on as few nodes as it needs at least: O(1). */
bool orr_ledger_fits(const orr_ledger *l, int32_t gpus);

#endif
