/* What the record says happened: waits, runs, time in the system, attempts. A job that was carried over a cut has no
 * submission of its own, so it has no part in waits and times in the system. */
#include "trace/describe_walk.h"
#include <stdlib.h>

typedef ORR_VEC(double) samples;

static bool known(orr_time t)
{
    return t != ORR_TIME_NONE;
}

static orr_spread spread_and_free(samples *v)
{
    const orr_spread s = orr_spread_of(v->at, v->n);
    ORR_VEC_FREE(v);
    return s;
}

static void waits(orr_recorded_facts *r, const orr_trace_job *jobs, size_t n)
{
    samples wait = {0}, run = {0};
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = &jobs[i];
        if (known(job->start) && known(job->end))
            ORR_VEC_PUSH(&run, orr_time_seconds(job->end - job->start));
        if (!known(job->start) || job->carried)
            continue;
        ORR_VEC_PUSH(&wait, orr_time_seconds(job->start - job->submit));
        r->at_once += job->start <= job->submit;
        r->early += job->start < job->submit;
    }
    r->wait = spread_and_free(&wait);
    r->run = spread_and_free(&run);
}

static void times_in_system(orr_description *d)
{
    samples in_system = {0};
    for (size_t i = 0; i < orr_records(d); i++) {
        const orr_trace_job *job = orr_record(d, i);
        if (!known(job->end) || job->carried)
            continue;
        ORR_VEC_PUSH(&in_system, orr_time_seconds(job->end - job->submit));
        d->recorded.in_system_milli_ns += orr_milli_ns(job, job->end - job->submit);
    }
    d->recorded.in_system = spread_and_free(&in_system);
}

static void attempts(orr_recorded_facts *r, const orr_trace_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t count = jobs[i].attempt_count;
        r->attempts += count;
        r->repeated += count > 1;
        r->most_attempts = count > r->most_attempts ? count : r->most_attempts;
        r->by_attempts[(count < ORR_ATTEMPT_BINS ? count : ORR_ATTEMPT_BINS) - 1]++;
    }
}

void orr_walk_recorded(orr_description *d)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    waits(&d->recorded, jobs, d->jobs);
    times_in_system(d);
    attempts(&d->recorded, jobs, d->jobs);
}
