/* jobs.csv in one pass: values for exact quantiles, and the jobs that waited longest. */
#include "report/run_facts.h"

#include <math.h>

/* ---- who waited longest ---- */

static void waiter_fini(orr_waiter *w)
{
    free(w->id);
    free(w->user);
    free(w->vc);
    free(w->state);
}

static void keep_waiter(orr_run_jobs *jobs, const orr_result_job *job, orr_time wait)
{
    size_t at = jobs->longest_count;
    while (at > 0 && jobs->longest[at - 1].wait < wait)
        at--;
    if (at == ORR_RUN_LONGEST)
        return;
    if (jobs->longest_count == ORR_RUN_LONGEST)
        waiter_fini(&jobs->longest[--jobs->longest_count]);
    memmove(&jobs->longest[at + 1], &jobs->longest[at], (jobs->longest_count - at) * sizeof *jobs->longest);
    jobs->longest[at] = (orr_waiter){.id = orr_xstrdup(job->id),
                                     .user = orr_xstrdup(job->user),
                                     .vc = orr_xstrdup(job->vc),
                                     .state = orr_xstrdup(job->state),
                                     .gpus = job->gpus,
                                     .submit = job->submit,
                                     .wait = wait,
                                     .started = job->first_start != ORR_TIME_NONE};
    jobs->longest_count++;
}

/* Jobs that never came or were refused don't wait. */
static orr_time waited(const orr_result_job *job, orr_time end)
{
    if (job->first_start != ORR_TIME_NONE)
        return job->first_start - job->submit;
    const bool queued = strcmp(job->state, "queued") == 0;
    return queued && end >= job->submit ? end - job->submit : ORR_TIME_NONE;
}

/* ---- the pass ---- */

typedef struct jobs_pass {
    orr_run_jobs *out;
    orr_time end;
} jobs_pass;

static void measured(orr_run_jobs *out, const orr_result_job *job)
{
    if (job->jct != ORR_TIME_NONE)
        ORR_VEC_PUSH(&out->jct, orr_time_seconds(job->jct));
    if (!isnan(job->rho))
        ORR_VEC_PUSH(&out->rho, job->rho);
    if (job->wait_first != ORR_TIME_NONE)
        ORR_VEC_PUSH(&out->wait_first, orr_time_seconds(job->wait_first));
    if (job->wait_total == ORR_TIME_NONE)
        return;
    orr_values *of_size = &out->size_wait[orr_pair_size(job->gpus)];
    ORR_VEC_PUSH(&out->wait_total, orr_time_seconds(job->wait_total));
    ORR_VEC_PUSH(of_size, orr_time_seconds(job->wait_total));
}

static bool take_job(void *self, const orr_result_job *job)
{
    const jobs_pass *pass = self;
    orr_run_jobs *out = pass->out;
    const orr_time last = job->end != ORR_TIME_NONE ? job->end : job->submit;
    const orr_time wait = waited(job, pass->end);
    out->first = out->first == ORR_TIME_NONE || job->submit < out->first ? job->submit : out->first;
    out->last = out->last == ORR_TIME_NONE || last > out->last ? last : out->last;
    if (wait > 0)
        keep_waiter(out, job, wait);
    if (job->measured)
        measured(out, job);
    return true;
}

void orr_run_jobs_fini(orr_run_jobs *jobs)
{
    ORR_VEC_FREE(&jobs->jct);
    ORR_VEC_FREE(&jobs->wait_first);
    ORR_VEC_FREE(&jobs->wait_total);
    ORR_VEC_FREE(&jobs->rho);
    for (int i = 0; i < ORR_PAIR_SIZES; i++)
        ORR_VEC_FREE(&jobs->size_wait[i]);
    for (size_t i = 0; i < jobs->longest_count; i++)
        waiter_fini(&jobs->longest[i]);
    *jobs = (orr_run_jobs){0};
}

orr_err orr_run_jobs_of(const orr_result *result, orr_time end, orr_run_jobs *out, orr_error *e)
{
    jobs_pass pass = {out, end};
    *out = (orr_run_jobs){.first = ORR_TIME_NONE, .last = ORR_TIME_NONE};
    const orr_err err = orr_result_jobs(result, take_job, &pass, e);
    if (err) {
        orr_run_jobs_fini(out);
        return err;
    }
    orr_values_sort(&out->jct);
    orr_values_sort(&out->wait_first);
    orr_values_sort(&out->wait_total);
    orr_values_sort(&out->rho);
    for (int i = 0; i < ORR_PAIR_SIZES; i++)
        orr_values_sort(&out->size_wait[i]);
    return ORR_OK;
}
