/* Small random worlds: a cluster and a trace with everything that makes schedulers stumble, from a seed. */
#ifndef TESTS_LAWS_WORLD_H
#define TESTS_LAWS_WORLD_H

#include "../sim/stage.h"

enum { WORLD_NODES = 8, WORLD_JOBS = 40, WORLD_ATTEMPTS = 3, WORLD_LINKS = 2 };

typedef struct world {
    uint64_t seed;
    orr_node_spec nodes[WORLD_NODES];
    int node_count;
    orr_trace_job jobs[WORLD_JOBS]; /* `attempts` is filled in by world_stage */
    char ids[WORLD_JOBS][16];
    orr_time attempts[WORLD_JOBS][WORLD_ATTEMPTS];
    int after[WORLD_JOBS][WORLD_LINKS]; /* numbers of jobs, as in their ids; -1: none. Made links by world_stage */
    int job_count;
} world;

/* Nodes of 1 to 8 GPUs, perhaps with VCs, types, cores and memory; jobs in bursts, some without length, some wider than a node or
 * than the cluster, some that must not be preempted, some in attempts, some that wait for others or ran at 0. */
void world_make(world *w, uint64_t seed);
/* One GPU and jobs that are all there at 0, of durations in whole seconds. */
void world_one_gpu(world *w, uint64_t seed, bool together);
/* A stage with this cluster and trace, rows in the order of `order` (NULL: as they are). */
stage *world_stage(const world *w, const int *order);
/* Prices of all types that such worlds have, which change once; for the run's options, the caller's. */
orr_scenario *world_prices(const world *w);
/* What to paste into a test: the cluster as comments, the trace as our CSV, on stdout. */
void world_print(const world *w);

#endif
