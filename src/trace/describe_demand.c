/* GPUs in use over time: the peaks if every job started at its submission, by a sweep over starts and ends, and the
 * means over equal parts of the span. */
#include "trace/describe_walk.h"
#include <stdlib.h>

/* ---- peaks ---- */

typedef struct end_event {
    orr_time at;
    int32_t gpus;
} end_event;

static int by_time(const void *left, const void *right)
{
    const end_event *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void reach(orr_peak *peak, int64_t amount, orr_time at)
{
    if (amount > peak->amount)
        *peak = (orr_peak){amount, at};
}

/* The ends of jobs that last, ascending. */
static end_event *ends_of(const orr_trace_job *jobs, size_t n, size_t *count)
{
    end_event *ends = orr_xmalloc(n * sizeof *ends);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].duration > 0)
            ends[(*count)++] = (end_event){orr_time_add(jobs[i].submit, jobs[i].duration), jobs[i].gpus};
    qsort(ends, *count, sizeof *ends, by_time);
    return ends;
}

/* A job of no length holds nothing. */
void orr_walk_peaks(orr_description *d)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    size_t count, next = 0;
    end_event *ends = ends_of(jobs, d->jobs, &count);
    int64_t gpus = 0, running = 0;
    d->peak_gpus = d->peak_jobs = (orr_peak){0, d->first};
    for (size_t i = 0; i < d->jobs; i++) {
        for (; next < count && ends[next].at <= jobs[i].submit; next++) {
            gpus -= ends[next].gpus;
            running--;
        }
        if (jobs[i].duration == 0)
            continue;
        gpus += jobs[i].gpus;
        running++;
        reach(&d->peak_gpus, gpus, jobs[i].submit);
        reach(&d->peak_jobs, running, jobs[i].submit);
    }
    free(ends);
}

/* ---- the curve ---- */

/* Parts of equal length; `rising[i]` is added to part i and all after it. */
typedef struct curve {
    double from, part; /* ns */
    size_t n;
    double *mean, *rising;
} curve;

/* Adds `gpus` over [a, b): whole parts by their borders, the two at the ends by how much of them is covered. */
static void add_interval(curve *c, double a, double b, double gpus)
{
    const double end = (double)c->n;
    double left = (a - c->from) / c->part, right = (b - c->from) / c->part;
    left = left < 0 ? 0 : left;
    right = right > end ? end : right;
    if (!(left < right))
        return;
    const size_t i = (size_t)left, j = (size_t)right;
    if (i == j) {
        c->mean[i] += gpus * (right - left);
        return;
    }
    c->mean[i] += gpus * ((double)i + 1 - left);
    c->rising[i + 1] += gpus;
    c->rising[j] -= gpus;
    if (j < c->n)
        c->mean[j] += gpus * (right - (double)j);
}

static void add_job(curve *c, const orr_trace_job *job, orr_time start)
{
    if (start == ORR_TIME_NONE || job->duration == 0)
        return;
    add_interval(c, (double)start, (double)start + (double)job->duration, job->gpus * (double)job->gpu_milli / 1000);
}

static void settle(curve *c)
{
    double level = 0;
    for (size_t i = 0; i < c->n; i++) {
        level += c->rising[i];
        c->mean[i] += level;
        c->rising[i] = 0;
    }
    c->rising[c->n] = 0;
}

void orr_describe_demand(const orr_description *d, size_t n, double *submitted, double *recorded)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    memset(submitted, 0, n * sizeof *submitted);
    memset(recorded, 0, n * sizeof *recorded);
    if (d->jobs == 0 || d->last_end <= d->first)
        return;
    curve c = {.from = (double)d->first, .part = (double)(d->last_end - d->first) / (double)n, .n = n};
    c.rising = orr_xcalloc(n + 1, sizeof *c.rising);
    c.mean = submitted;
    for (size_t i = 0; i < d->jobs; i++)
        add_job(&c, &jobs[i], jobs[i].submit);
    settle(&c);
    c.mean = recorded;
    for (size_t i = 0; i < d->jobs; i++)
        add_job(&c, &jobs[i], jobs[i].start);
    settle(&c);
    free(c.rising);
}
