/* A check of a baseline in memory whose runs are made up: every case and seed gets the summary that `summary` prints. */
#ifndef CHECKED_H
#define CHECKED_H

#include "study/check.h"

typedef struct checked {
    orr_baseline baseline;
    orr_check check;
} checked;

/* The numbers that a made-up run has: jct.mean = `mean` + seed, jct.p50 = 7, gpu_alloc = 0.5, preemptions = 3,
 * deadline_met undefined, 5 jobs measured and completed, of which 2 in the virtual cluster "vision" with jct.mean 4. The
 * trace's digest is all a, the cluster's all b. */
void checked_begin(checked *c, const char *yaml, double mean, bool update);
void checked_end(checked *c);

#endif
