/* A part of a trace as a trace of its own: some jobs, some window of time, another load. */
#ifndef ORRERY_SELECT_H
#define ORRERY_SELECT_H

#include <orrery/trace.h>

/* Applied in this order: conditions on jobs; the window; the sample; the load; the limit. */
typedef struct orr_selection {
    const char *const *vcs; /* only jobs of one of these; NULL: all */
    size_t vc_count;
    const char *const *users; /* likewise; of requests: clients */
    size_t user_count;
    int32_t min_gpus, max_gpus; /* 0: no bound */
    const char *where; /* a condition over the columns of traces/README.md, the attributes, and wait, jct, gpu_time
                        * (GPU-s); NULL: none. Not for requests */
    orr_time from, to; /* submitted in [from, to), since the origin; ORR_TIME_NONE: open. With `from`, the window's
                        * beginning is the origin of the result, and jobs submitted before it that had not ended by then
                        * are kept as start state: those that ran (recorded start before it) with `ran` set and what was
                        * left as their duration, those that waited with submit 0; both marked `carried`. Jobs before it
                        * whose recorded start is not known are left out */
    double sample;     /* each job is kept with this probability, by a hash of seed and id; 1: all */
    uint64_t seed;
    double scale_load; /* > 0: submissions come so many times as fast (their times are divided by it, deadlines keep
                        * their distance); 1: as they are. Recorded starts and ends are forgotten then */
    uint64_t limit;    /* the first so many jobs; 0: all */
} orr_selection;

ORR_BEGIN

/* Everything: no condition, no window, sample 1, load 1, seed 1. */
ORR_API orr_selection orr_selection_all(void);
/* A new trace, to be destroyed by the caller; it shares nothing with `trace`. What is left out is counted in its notes
 * by reason (kind DROP), beside those of `trace`. NULL and `e`: ORR_E_BAD_VALUE for a condition that can't be
 * understood or a wrong number, ORR_E_NO_JOBS if nothing is left. O(n log n). */
ORR_API orr_trace *orr_trace_select(const orr_trace *trace, const orr_selection *selection, orr_error *e);

ORR_END
#endif
