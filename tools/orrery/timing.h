/* How long decisions take, in real time: goes into the manifest's `wall`, never into a result. */
#ifndef ORRERY_TIMING_H
#define ORRERY_TIMING_H

#include "base/mem.h"

typedef struct timing { /* zeroed memory is valid and empty */
    double began;
    ORR_VEC(double) us;
} timing;

/* An orr_sim_options.on_decision whose self is a timing. */
void timing_mark(void *self, bool begins);
/* p50, p99 and max in microseconds, -1 each if nothing was timed. Sorts what it holds. */
void timing_sum_up(timing *t, double us[3]);
void timing_fini(timing *t);

#endif
