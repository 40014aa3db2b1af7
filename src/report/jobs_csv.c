/* jobs.csv: one row a job, in trace order. Jobs end in any order, so the rows come from what the collector kept. Two
 * columns stand at the end where they say anything: gpu_milli where a job asks parts of GPUs, interruptions where one
 * lost its GPUs with a node. */
#include "base/io.h"
#include "metrics/collector.h"
#include "report/csv.h"

#define HEADER                                                                                                         \
    "job_id,user,vc,gpus,submit,first_start,end,state,reason,jct,wait_first,wait_total,duration,held,service,"         \
    "overhead,lost_work,starts,preemptions,migrations,resizes,attempts,slowdown,rho,deadline,measured"

static void write_asked(orr_output *out, const orr_trace_job *job)
{
    orr_output_csv(out, job->id);
    orr_csv_text(out, job->user);
    orr_csv_text(out, job->vc);
    orr_csv_int(out, job->gpus);
}

static void write_times(orr_output *out, const orr_kept_job *job)
{
    const orr_job_record *r = &job->record;
    orr_csv_time(out, r->submit != ORR_TIME_NONE ? r->submit : r->trace->submit);
    orr_csv_time(out, r->first_start);
    orr_csv_time(out, r->end);
    orr_csv_text(out, orr_job_state_name(r->state));
    orr_csv_text(out, r->reason);
    orr_csv_time(out, orr_kept_jct(job));
    orr_csv_time(out, orr_kept_wait_first(job));
    orr_csv_time(out, orr_kept_wait_total(job));
}

static void write_work(orr_output *out, const orr_kept_job *job)
{
    const orr_job_record *r = &job->record;
    orr_csv_time(out, r->trace->duration);
    orr_csv_time(out, r->held);
    orr_csv_double(out, r->service);
    orr_csv_double(out, r->overhead);
    orr_csv_double(out, r->lost_work);
    orr_csv_int(out, r->starts);
    orr_csv_int(out, r->preemptions);
    orr_csv_int(out, r->migrations);
    orr_csv_int(out, r->resizes);
    orr_csv_int(out, r->attempts);
    orr_csv_double(out, orr_kept_slowdown(job));
    orr_csv_double(out, job->rho);
    orr_csv_time(out, r->trace->deadline);
}

/* What the header needs. */
typedef struct rarer {
    bool parts, interruptions;
} rarer;

static rarer rarer_of(const orr_kept_job *jobs, size_t n)
{
    rarer has = {false, false};
    for (size_t i = 0; i < n; i++) {
        has.parts |= jobs[i].record.trace->gpu_milli != 1000;
        has.interruptions |= jobs[i].record.interruptions > 0;
    }
    return has;
}

static void write_rarer(orr_output *out, const orr_kept_job *job, rarer has)
{
    if (has.parts)
        orr_csv_int(out, job->record.trace->gpu_milli);
    if (has.interruptions)
        orr_csv_int(out, job->record.interruptions);
}

orr_err orr_jobs_csv_write(const char *path, const orr_collector *collector, orr_error *e)
{
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return e ? e->code : ORR_E_CREATE;
    size_t count;
    const orr_kept_job *jobs = orr_collector_jobs(collector, &count);
    const rarer has = rarer_of(jobs, count);
    orr_output_text(out, HEADER);
    orr_output_text(out, has.parts ? ",gpu_milli" : "");
    orr_output_text(out, has.interruptions ? ",interruptions\n" : "\n");
    for (size_t i = 0; i < count; i++) {
        write_asked(out, jobs[i].record.trace);
        write_times(out, &jobs[i]);
        write_work(out, &jobs[i]);
        orr_csv_int(out, orr_collector_measured(collector, &jobs[i]));
        write_rarer(out, &jobs[i], has);
        orr_output_text(out, "\n");
    }
    return orr_output_commit(out, e);
}
