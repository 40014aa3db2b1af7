/* The formulas of one job: C - a and its relatives. */
#include "metrics/collector.h"

#include <math.h>

bool orr_kept_submitted(const orr_kept_job *job)
{
    return job->record.state != ORR_JOB_PENDING && job->record.submit != ORR_TIME_NONE;
}

bool orr_kept_ended(const orr_kept_job *job)
{
    orr_job_state s = job->record.state;
    return s == ORR_JOB_DONE || s == ORR_JOB_FAILED || s == ORR_JOB_KILLED;
}

orr_time orr_kept_jct(const orr_kept_job *job)
{
    return orr_kept_ended(job) ? job->record.end - job->record.submit : ORR_TIME_NONE;
}

orr_time orr_kept_wait_first(const orr_kept_job *job)
{
    if (job->record.first_start == ORR_TIME_NONE)
        return ORR_TIME_NONE;
    return job->record.first_start - job->record.submit;
}

orr_time orr_kept_wait_total(const orr_kept_job *job)
{
    return orr_kept_ended(job) ? orr_kept_jct(job) - job->record.held : ORR_TIME_NONE;
}

int64_t orr_kept_milli(const orr_kept_job *job)
{
    return (int64_t)job->record.trace->gpus * job->record.trace->gpu_milli;
}

double orr_kept_gpus(const orr_kept_job *job)
{
    return (double)orr_kept_milli(job) / 1000;
}

double orr_gpu_ns(orr_wide milli)
{
    return milli % 1000 ? (double)milli / 1000 : (double)(milli / 1000);
}

double orr_kept_slowdown(const orr_kept_job *job)
{
    orr_time d = job->record.trace->duration;
    if (!orr_kept_ended(job) || d <= 0)
        return NAN;
    return (double)orr_kept_jct(job) / (double)d;
}
