/* Synthetic traces: seeded, with the shapes published for production GPU clusters.
 *
 * The same options give the same trace on every machine. Each property draws from its own named sub-stream, a fixed
 * number of draws a job, so changing one (say the arrivals) leaves the others (durations, sizes, users) as they
 * were, and the first thousand jobs of a longer trace have the sizes and durations of a trace of a thousand.
 * Submissions and durations are whole seconds: jobs of one second happen, as they do in production, and the last bit
 * of a machine's `exp` can't show.
 *
 * What is drawn: GPUs (one table a shape), duration given the GPUs (mixtures of lognormals cut at the longest job on
 * record), VC and user (shares fall like 1, 1/2, 1/3, …; a user belongs to one VC), ending. A job's name is one of
 * its user's hundred, and mostly the same for jobs of one size and of like duration, so that what a user ran before
 * tells something, not all, about the next job.
 */
#ifndef ORRERY_SYNTH_H
#define ORRERY_SYNTH_H

#include <orrery/trace.h>

typedef struct orr_synth_options {
    uint64_t seed;
    const char *shape;   /* "philly" or "helios": where sizes, durations, endings and the usual gap come from */
    uint64_t jobs;       /* >= 1 */
    orr_time span;       /* submissions fall into [0, span); ORR_TIME_NONE: follows from `load`, else the usual gap */
    double load;         /* > 0: span = GPU-seconds / (gpus * load); excludes `span`; 0: not asked */
    int64_t gpus;        /* GPUs that `load` refers to */
    const char *arrivals;/* "poisson", "diurnal" (profile of day and week; 0 is a Monday's midnight), "bursty" (gamma
                          * gaps, cv), "at-once"; NULL: diurnal */
    double cv;           /* of the gaps, for "bursty": 0.01..100 */
    int32_t vcs, users;  /* vc0, vc1, …; u0, u1, …; 0: the column stays empty */
    int32_t max_gpus;    /* the same distribution given that no job asks for more; 0: no bound */
    double deadline_share; /* share of jobs given a deadline: 1 to 3 durations after the submission, evenly */
    double limit_factor; /* >= 1: limits of duration times 1 or more, this on average, in whole minutes; 0: none */
} orr_synth_options;

ORR_BEGIN

/* Seed 1, 1,000 jobs of "philly", diurnal at the usual gap, cv 4, no VCs, 30 users, nothing else. */
ORR_API orr_synth_options orr_synth_options_default(void);
/* NULL and `e` on contradictory options (ORR_E_CONFLICT), wrong values (ORR_E_BAD_VALUE) or a load without GPUs
 * (ORR_E_MISSING). O(jobs log jobs). */
ORR_API orr_trace *orr_synth(const orr_synth_options *options, orr_error *e);

ORR_END
#endif
