/* The inside of the collector, for the writers of reports and for tests.
 *
 * The collector keeps one record a job until the run is over: a measured set, a quantile or a fair share can't be told
 * before. Everything it needs to know of the finished run is in an `orr_run_end`.
 */
#ifndef ORR_METRICS_COLLECTOR_H
#define ORR_METRICS_COLLECTOR_H

#include "base/assert.h"
#include "base/assert.h"
#include "metrics/access.h"
#include <orrery/metrics.h>

typedef struct orr_kept_job {
    orr_job_record record; /* its `reason` is the collector's own copy */
    uint32_t index;        /* rank in the trace */
    int32_t vc;
    double rho;            /* rho:avg_n; NaN where undefined */
} orr_kept_job;

typedef struct orr_run_end {
    orr_time now;          /* when the run stopped */
    int64_t gpus;          /* of the cluster */
    int32_t vcs;           /* 0 or 1: one pool */
    const int64_t *vc_gpus;
} orr_run_end;

orr_collector *orr_collector_create_for(const orr_measure *measure, orr_job_access access);
/* What `orr_collector_finish` does once it has asked the simulation for its end. */
const orr_metrics *orr_collector_close(orr_collector *collector, const orr_run_end *end, size_t *count);
/* All jobs reported, submitted ones and others, by index; after `finish`. */
const orr_kept_job *orr_collector_jobs(const orr_collector *collector, size_t *count);
/* Whether the job is one of the measured set; after `finish`. */
bool orr_collector_measured(const orr_collector *collector, const orr_kept_job *job);

/* The GPUs of the pool that a job shares with others; 0: it has none. And the metrics of the whole cluster. */
int64_t orr_collector_pool_gpus(const orr_collector *collector, const orr_kept_job *job);
const orr_metrics *orr_collector_whole(const orr_collector *collector);

/* The derived times of a job, in the definitions of the metrics; ORR_TIME_NONE or NaN where undefined. */
bool orr_kept_submitted(const orr_kept_job *job);
bool orr_kept_ended(const orr_kept_job *job); /* done, failed or killed */
orr_time orr_kept_jct(const orr_kept_job *job);
orr_time orr_kept_wait_first(const orr_kept_job *job);
orr_time orr_kept_wait_total(const orr_kept_job *job);
double orr_kept_slowdown(const orr_kept_job *job);
/* What it asks, in GPUs: a part of one counts as that. */
double orr_kept_gpus(const orr_kept_job *job);
int64_t orr_kept_milli(const orr_kept_job *job); /* likewise, in thousandths */
/* Thousandths of GPU·ns as GPU·ns: they are taken off before, where that is exact, which is one rounding less. */
double orr_gpu_ns(orr_wide milli);

#endif
