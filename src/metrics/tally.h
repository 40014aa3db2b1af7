/* The numbers of one pool from its jobs and its integrals. */
#ifndef ORR_METRICS_TALLY_H
#define ORR_METRICS_TALLY_H

#include "metrics/collector.h"
#include "metrics/track.h"

typedef struct orr_pool_facts {
    const orr_measure *measure;
    orr_time from, to; /* the window of the integrals */
    orr_time now;      /* the stop */
    int64_t gpus;
    const orr_track *track; /* closed */
} orr_pool_facts;

/* `jobs` are those of the pool, in trace order. */
orr_metrics orr_tally(const orr_kept_job *const *jobs, size_t n, const orr_pool_facts *facts);
/* Submitted, and within the job and time bounds of the measure. */
bool orr_measure_in_range(const orr_measure *measure, const orr_kept_job *job);
/* The bounds of submissions, and of the window of the integrals; ORR_TIME_NONE: none on that side. */
orr_time orr_measure_from(const orr_measure *measure);
orr_time orr_measure_to(const orr_measure *measure);
/* One of the measured set. */
bool orr_measure_counts(const orr_measure *measure, const orr_kept_job *job);

#endif
