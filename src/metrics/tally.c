/* One walk over the jobs makes the sums; the distributions come after, one at a time in the same memory. Jobs still
 * there at the end give counts, service, waits and integrals, but no completion time: those are never guessed. */
#include "metrics/tally.h"

#include "cluster/cluster.h"

#include "base/mem.h"
#include "base/stat.h"
#include "base/text.h"
#include "metrics/dist.h"
#include "metrics/rows.h"
#include <math.h>
#include <stdlib.h>

enum { JCT, WAIT_FIRST, WAIT_TOTAL, SERVICE, SLOWDOWN, BSLD, RHO, SETS };

typedef struct tally {
    const orr_pool_facts *facts;
    const orr_kept_job *const *jobs;
    size_t n;
    orr_metrics *out;
    orr_time first_submit, last_submit; /* of the jobs in range */
    orr_time begin, end;                /* of the measured jobs */
    orr_time age_max;
    orr_wide offered;                   /* thousandths of GPU·ns */
    uint64_t in_range, deadlines_met, unfair;
    orr_names *users;
    ORR_VEC(double) user_service; /* by user id */
} tally;

bool orr_measure_in_range(const orr_measure *m, const orr_kept_job *job)
{
    if (!orr_kept_submitted(job))
        return false;
    if ((m->job_from >= 0 && job->index < m->job_from) || (m->job_to >= 0 && job->index >= m->job_to))
        return false;
    orr_time to = orr_measure_to(m);
    return job->record.submit >= orr_measure_from(m) && (to == ORR_TIME_NONE || job->record.submit < to);
}

bool orr_measure_counts(const orr_measure *m, const orr_kept_job *job)
{
    if (!orr_measure_in_range(m, job))
        return false;
    const orr_trace_job *record = job->record.trace;
    if ((record->censored && !m->censored) || (record->carried && !m->carried))
        return false;
    return m->completed_only ? job->record.state == ORR_JOB_DONE : orr_kept_ended(job);
}

static bool unfinished(const orr_kept_job *job)
{
    return !orr_kept_ended(job) && job->record.state != ORR_JOB_REJECTED;
}

static double seconds(orr_time t)
{
    return t == ORR_TIME_NONE ? NAN : orr_time_seconds(t);
}

static void count_state(orr_job_counts *counts, const orr_kept_job *job)
{
    if (!orr_kept_submitted(job))
        return;
    counts->submitted++;
    counts->censored += job->record.trace->censored;
    counts->carried += job->record.trace->carried;
    switch (job->record.state) {
    case ORR_JOB_DONE: counts->done++; break;
    case ORR_JOB_FAILED: counts->failed++; break;
    case ORR_JOB_KILLED: counts->killed++; break;
    case ORR_JOB_REJECTED: counts->rejected++; break;
    case ORR_JOB_QUEUED: counts->queued_at_end++; break;
    default: counts->running_at_end++; break;
    }
}

/* A job that never started waited until it was killed or until the run stopped; a rejected one didn't wait. */
static void add_age(tally *t, const orr_kept_job *job)
{
    if (job->record.state == ORR_JOB_REJECTED)
        return;
    orr_time wait = orr_kept_wait_first(job);
    if (wait == ORR_TIME_NONE)
        wait = (orr_kept_ended(job) ? job->record.end : t->facts->now) - job->record.submit;
    if (t->age_max == ORR_TIME_NONE || wait > t->age_max)
        t->age_max = wait;
}

static void add_deadline(tally *t, const orr_kept_job *job)
{
    orr_time deadline = job->record.trace->deadline;
    if (deadline == ORR_TIME_NONE)
        return;
    t->out->deadlines++;
    t->deadlines_met += job->record.state == ORR_JOB_DONE && job->record.end <= deadline;
}

static void add_user(tally *t, const orr_kept_job *job)
{
    const char *user = job->record.trace->user;
    if (user[0] == '\0')
        return;
    uint32_t id = orr_names_id(t->users, user, strlen(user));
    if (id >= t->user_service.n)
        ORR_VEC_PUSH(&t->user_service, 0.0);
    t->user_service.at[id] += job->record.service;
}

static void count(int32_t n, uint64_t *sum, uint64_t *most)
{
    uint64_t of_job = n > 0 ? (uint64_t)n : 0;
    *sum += of_job;
    *most = of_job > *most ? of_job : *most;
}

static void add_churn(orr_metrics *out, const orr_job_record *r)
{
    count(r->preemptions, &out->preemptions, &out->preemptions_max);
    count(r->migrations, &out->migrations, &out->migrations_max);
    count(r->resizes, &out->resizes, &out->resizes_max);
    count(r->starts - 1, &out->restarts, &out->restarts_max);
    count(r->interruptions, &out->interruptions, &out->interruptions_max);
    out->lost_work += r->lost_work;
    out->overhead += r->overhead;
}

static void add_in_range(tally *t, const orr_kept_job *job)
{
    orr_time submit = job->record.submit;
    if (t->in_range++ == 0)
        t->first_submit = t->last_submit = submit;
    t->first_submit = submit < t->first_submit ? submit : t->first_submit;
    t->last_submit = submit > t->last_submit ? submit : t->last_submit;
    t->offered += (orr_wide)job->record.trace->duration * orr_kept_milli(job);
    t->out->biased |= unfinished(job);
    add_age(t, job);
    add_deadline(t, job);
    add_user(t, job);
    add_churn(t->out, &job->record);
}

static void add_measured(tally *t, const orr_kept_job *job)
{
    const orr_job_record *r = &job->record;
    if (t->out->measured++ == 0) {
        t->begin = r->submit;
        t->end = r->end;
    }
    t->begin = r->submit < t->begin ? r->submit : t->begin;
    t->end = r->end > t->end ? r->end : t->end;
    t->unfair += job->rho > 1;
}

static double share(orr_wide part, orr_wide whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

/* Thousandths are taken off the part where that is exact: one rounding less. */
static double share_of_milli(orr_wide part, orr_wide whole)
{
    bool exact = part % ORR_WHOLE_GPU == 0;
    return share(exact ? part / ORR_WHOLE_GPU : part, exact ? whole : whole * ORR_WHOLE_GPU);
}

static void set_integrals(orr_metrics *out, const orr_pool_facts *facts)
{
    const orr_track *track = facts->track;
    orr_wide window = (orr_wide)facts->to - facts->from;
    out->window = (double)window / 1e9;
    out->gpu_alloc = share_of_milli(track->held, track->total);
    out->gpu_busy = share_of_milli(track->busy, track->total);
    out->queue_len = share(track->jobs_queued, window);
    out->queue_gpus = share_of_milli(track->milli_queued, window);
}

static double value_of(int set, const orr_kept_job *job)
{
    switch (set) {
    case JCT: return seconds(orr_kept_jct(job));
    case WAIT_FIRST: return seconds(orr_kept_wait_first(job));
    case WAIT_TOTAL: return seconds(orr_kept_wait_total(job));
    case SERVICE: return job->record.service;
    case SLOWDOWN: return orr_kept_slowdown(job);
    case BSLD: return orr_job_bsld(orr_kept_jct(job), job->record.trace->duration);
    default: return job->rho;
    }
}

/* What is defined of the measured jobs, in trace order. */
static size_t gather(const tally *t, int set, double *samples)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (!orr_measure_counts(t->facts->measure, t->jobs[i]))
            continue;
        double value = value_of(set, t->jobs[i]);
        if (!isnan(value))
            samples[n++] = value;
    }
    return n;
}

static void set_dists(tally *t)
{
    orr_metrics *out = t->out;
    orr_dist *const dists[SETS] = {&out->jct,      &out->wait_first, &out->wait_total, &out->service,
                                   &out->slowdown, &out->bsld,       &out->rho};
    double *const geomeans[SETS] = {
        [SLOWDOWN] = &out->slowdown_geomean, [BSLD] = &out->bsld_geomean, [RHO] = &out->rho_geomean};
    double *samples = orr_xcalloc(t->n + 1, sizeof *samples);
    for (int set = 0; set < SETS; set++) {
        size_t n = gather(t, set, samples);
        if (geomeans[set])
            *geomeans[set] = orr_geomean(samples, n); /* in the order of the trace */
        *dists[set] = orr_dist_of(samples, n);
    }
    free(samples);
}

static void set_ratios(tally *t)
{
    orr_metrics *out = t->out;
    orr_wide span = (orr_wide)t->last_submit - t->first_submit;
    out->rho_unfair = out->rho.n > 0 ? (double)t->unfair / (double)out->rho.n : NAN;
    out->makespan = out->measured > 0 ? orr_time_seconds(t->end - t->begin) : NAN;
    out->load = share_of_milli(t->offered, span * t->facts->gpus);
    out->age_max = seconds(t->age_max);
    out->jain = orr_jain(t->user_service.at, t->user_service.n);
    out->deadline_met = out->deadlines > 0 ? (double)t->deadlines_met / (double)out->deadlines : NAN;
}

static void walk(tally *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const orr_kept_job *job = t->jobs[i];
        count_state(&t->out->jobs, job);
        if (!orr_measure_in_range(t->facts->measure, job))
            continue;
        add_in_range(t, job);
        if (orr_measure_counts(t->facts->measure, job))
            add_measured(t, job);
    }
}

orr_metrics orr_tally(const orr_kept_job *const *jobs, size_t n, const orr_pool_facts *facts)
{
    orr_metrics out = {.measure = *facts->measure, .gpus = (uint64_t)facts->gpus};
    tally t = {.facts = facts, .jobs = jobs, .n = n, .out = &out, .age_max = ORR_TIME_NONE,
               .users = orr_names_create()};
    walk(&t);
    set_dists(&t);
    set_ratios(&t);
    set_integrals(&out, facts);
    ORR_VEC_FREE(&t.user_service);
    orr_names_destroy(t.users);
    return out;
}
