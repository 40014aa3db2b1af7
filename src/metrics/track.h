/* Integrals over time of the counters of one pool, exact: a value holds from its instant up to the next one. */
#ifndef ORR_METRICS_TRACK_H
#define ORR_METRICS_TRACK_H

#include "base/assert.h"
#include <orrery/sim.h>

/* Zeroed memory is a track that has seen nothing and has no bounds. */
typedef struct orr_track {
    bool seen, bounded;
    orr_time lower, upper; /* if bounded: what lies outside [lower, upper) doesn't count */
    orr_time first, last;
    int64_t first_total;
    orr_levels now;
    orr_wide total; /* GPU·ns, up to `last`, as the others */
    orr_wide held, busy, milli_queued; /* thousandths of GPU·ns */
    orr_wide jobs_queued;
} orr_track;

/* Before the first report; ORR_TIME_NONE: no bound on that side. */
void orr_track_bound(orr_track *track, orr_time from, orr_time to);
/* `at` never goes back. */
void orr_track_set(orr_track *track, orr_time at, const orr_levels *levels);
/* The first job comes: no window begins before, and GPUs that were there by then or weren't don't count. */
void orr_track_begin(orr_track *track, orr_time at);
/* Closes the window [from, to), which lies within the bounds: the last values hold up to `to`, and the GPUs first seen
 * are taken to have been there from `from` on. A track that saw nothing had `gpus` idle ones. */
void orr_track_close(orr_track *track, orr_time from, orr_time to, int64_t gpus);

#endif
