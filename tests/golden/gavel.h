/* Runs of the Gavel simulator, and ours under its rules: reads its inputs in their layouts, and compares job by job
 * or by averages.
 *
 *     gavel_case c = {.jobs = "…/gen_single.jobs.csv.gz", .table = "…/simulation_throughputs.json.gz", .gpus = {4, 4,
 *     4}}; gavel_run *r = gavel_go(&c, "gavel:sim-fifo");
 *     size_t differ = gavel_differ("gen_single fifo_perf", r, expected);
 *     gavel_free(r);
 *
 * Each GPU type is one node, since placement means nothing there. Whatever can't be read or run fails the test. */
#ifndef TESTS_GOLDEN_GAVEL_H
#define TESTS_GOLDEN_GAVEL_H

#include "table.h"

#include <orrery/orrery.h>

typedef struct gavel_case {
    char jobs[1024];  /* its generated jobs, a trace, or a CSV with model, gpus, total_steps, arrival_s */
    char table[1024]; /* throughputs */
    int32_t gpus[3];  /* of v100, p100, k80 */
    bool slo;         /* deadlines by the jobs' factors */
    const double *prices; /* [3]: of an hour of each type; NULL: none */
    size_t limit;     /* the first so many jobs only; 0: all */
    uint64_t seed;    /* of what is drawn at random */
} gavel_case;

typedef struct gavel_job {
    double arrival, end;   /* seconds; end NaN: it didn't */
    uint32_t rounds[3];    /* on v100, p100, k80 */
} gavel_job;

typedef struct gavel_run {
    gavel_job *jobs;       /* as they stand in the file, those without a speed left out: ids count them */
    size_t count;
    uint64_t resets, cells, rounds; /* counted work */
} gavel_run;

typedef struct gavel_means { /* seconds */
    double jct, their_jct, makespan, their_makespan;
    size_t jobs;
} gavel_means;

gavel_run *gavel_go(const gavel_case *c, const char *policy);
void gavel_free(gavel_run *r);

/* Jobs whose end is more than 1e-3 s away or whose rounds by type are others; the first is told on stdout. Jobs that
 * they dropped (a gang with fewer steps left than GPUs), and those that end later than ours of that name, are passed
 * over. */
size_t gavel_differ(const char *label, const gavel_run *r, const table *expected);
/* Over those of theirs that ended, with ids from..to-1. */
gavel_means gavel_compare(const gavel_run *r, const table *expected, size_t from, size_t to);

#endif
