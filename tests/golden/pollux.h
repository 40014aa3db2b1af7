/* Runs of the Pollux simulator (OSDI'21 artifact), and ours under its rules: reads its workloads and tables of
 * measurements, and compares job by job or by averages.
 *
 *     pollux_world *w = pollux_open();  // NULL: the data isn't here
 *     pollux_run *r = pollux_go(w, &(pollux_case){.load = "0.5", .workload = 1, .policy = "optimus:oracle"});
 *     pollux_shipped *s = pollux_shipped_read("jobload-optimus-0.5");
 *     size_t differ = pollux_differ("optimus 0.5 workload-1", r, s, 1);
 *     double ours = r->mean, theirs = pollux_shipped_mean(s, 1);
 *
 * 16 nodes of 4 GPUs, decisions each minute, 30 s for a start or any change; every job is its application's whole
 * training, and epochs end on whole seconds. Whatever can't be read or run fails the test. */
#ifndef TESTS_GOLDEN_POLLUX_H
#define TESTS_GOLDEN_POLLUX_H

#include "table.h"

#include <orrery/orrery.h>

enum { POLLUX_WORKLOADS = 8 }; /* 1..8; not all of them are here */

typedef struct pollux_world pollux_world; /* tables and cluster, read once for all runs */

typedef struct pollux_case {
    const char *load; /* "0.5", "1.0", "1.5", "2.0" */
    int32_t workload; /* from 1 on */
    const char *policy;
    uint64_t seed;     /* 0: the default */
    const char *costs; /* NULL: theirs */
    size_t limit;      /* the first so many jobs only; 0: all */
} pollux_case;

typedef struct pollux_job {
    const char *name;
    int64_t submit, jct; /* whole seconds; jct < 0: it didn't end */
    double end;          /* seconds, not rounded */
    int32_t starts, changes; /* of what it held: resizes and moves */
} pollux_job;

typedef struct pollux_run {
    pollux_job *jobs; /* as they stand in the file */
    size_t count;
    double mean, makespan; /* seconds: mean JCT, and the last end */
    uint64_t decisions;
    struct pollux_own *own;
} pollux_run;

pollux_world *pollux_open(void);
void pollux_close(pollux_world *w); /* may be NULL */
bool pollux_has(const pollux_case *c); /* is this workload here? */
pollux_run *pollux_go(const pollux_world *w, const pollux_case *c);
void pollux_run_free(pollux_run *r);

/* Results that came with the artifact, all workloads of one experiment: "jobload-tiresias-1.0", "period-pollux-8m". */
typedef table pollux_shipped;
pollux_shipped *pollux_shipped_read(const char *experiment);
double pollux_shipped_mean(const pollux_shipped *s, int32_t workload); /* JCT in seconds */
/* Jobs whose JCT isn't the same to the second; the one that ends first is told on stdout. */
size_t pollux_differ(const char *label, const pollux_run *r, const pollux_shipped *s, int32_t workload);

#endif
