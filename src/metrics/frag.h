/* Fragmentation while a run goes: of the GPUs that are free, how many are of no use to whom.
 *
 * Two measures, both integrated exactly over time and kept a pool (virtual cluster). The expected one (FGD, ATC'23): a
 * node with f free GPUs is worth nothing to those of the pool's jobs that don't fit on it. Jobs are the trace's, in
 * classes of (GPU types, GPUs up to a node's 64): a gang wider than the node takes it whole, so it fits if all of it is
 * free. Of a GPU that is shared what is left counts, in thousandths: it is worth nothing to jobs that ask whole ones,
 * and to those that ask a greater part. Jobs without GPUs, and jobs of types that the pool lacks, are in no class;
 * cores and memory are not looked at. The one by level: while a gang waits, the free GPUs of nodes, or of racks, that
 * can't host it. Of the gangs that wait it is the one that has waited longest; what the policy would start next isn't
 * known; one that asks parts of GPUs is taken to need as many that are free. The GPUs of one type in a node, or in a
 * rack, are a domain of their own.
 *
 * A change of a node costs O(1) for the first and O(log GPUs) for the second, whatever the size of the cluster; where
 * GPUs of it are shared, O(kinds of parts that jobs ask).
 */
#ifndef ORR_METRICS_FRAG_H
#define ORR_METRICS_FRAG_H

#include "base/assert.h"
#include "cluster/cluster.h"
#include <orrery/trace.h>

/* Thousandths of GPU·ns within the bounds, of one pool. */
typedef struct orr_frag_sums {
    orr_wide free;              /* that were free, */
    orr_wide unfit;             /* and each times the jobs that couldn't use it: over `jobs` that is the expectation */
    uint64_t jobs;              /* in classes; 0: no expectation */
    orr_wide free_waited;       /* that were free while a gang waited, */
    orr_wide in_node, in_rack;  /* and lay in nodes, in racks, that couldn't host it */
} orr_frag_sums;

typedef struct orr_frag orr_frag;

/* Everything is free at first. `pool_of` tells where a job of the trace runs, -1: nowhere. Nothing is borrowed. */
orr_frag *orr_frag_create(const orr_cluster *cluster, const orr_trace *trace,
                          int32_t (*pool_of)(void *self, const orr_trace_job *job), void *self);
void orr_frag_destroy(orr_frag *frag);
/* Only [from, to) counts; ORR_TIME_NONE: no bound on that side. */
void orr_frag_bound(orr_frag *frag, orr_time from, orr_time to);

/* A job, by its rank in the trace, begins to wait behind all others of its pool, or ceases to. Doing so twice is doing
 * nothing. */
void orr_frag_wait(orr_frag *frag, uint32_t job, int32_t pool, int32_t gpus, uint64_t types);
void orr_frag_leave(orr_frag *frag, uint32_t job);
/* So many of a node's GPUs are free; of `shared` others so many thousandths each are left. */
void orr_frag_node(orr_frag *frag, int32_t node, int32_t free, const int32_t *left, int32_t shared);
/* What was told since the last call holds from `at` on. `at` never goes back. O(pools changed). */
void orr_frag_settle(orr_frag *frag, orr_time at);
/* Brings the sums up to `at`. */
void orr_frag_close(orr_frag *frag, orr_time at);

int32_t orr_frag_pools(const orr_frag *frag);
bool orr_frag_has_racks(const orr_frag *frag); /* more than one */
orr_frag_sums orr_frag_of(const orr_frag *frag, int32_t pool);

#endif
