#include "sim/follow.h"

#include <stdlib.h>

static bool any_follows(const orr_trace *trace)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    for (size_t i = 0; i < orr_trace_count(trace); i++)
        if (orr_follows(&jobs[i]))
            return true;
    return false;
}

/* How many followers each job has, as the places where the lists end. */
static void count_followers(orr_follow *f, const orr_trace_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; orr_follows(&jobs[i]) && k < jobs[i].after_count; k++)
            f->first[jobs[i].after[k].job]++;
    for (size_t i = 1; i <= n; i++)
        f->first[i] += f->first[i - 1];
}

/* Backwards, so that each list is filled from its end and comes out in trace order. */
static void list_followers(orr_follow *f, const orr_trace_job *jobs, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (!orr_follows(&jobs[i]))
            continue;
        f->open[i] = jobs[i].after_count;
        for (uint32_t k = 0; k < jobs[i].after_count; k++)
            f->followers[--f->first[jobs[i].after[k].job]] = (uint32_t)i;
    }
}

void orr_follow_init(orr_follow *f, const orr_trace *trace)
{
    *f = (orr_follow){0};
    if (!any_follows(trace))
        return;
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    size_t n = orr_trace_count(trace);
    f->first = orr_xcalloc(n + 1, sizeof *f->first);
    f->open = orr_xcalloc(n, sizeof *f->open);
    count_followers(f, jobs, n);
    f->followers = orr_xcalloc(f->first[n], sizeof *f->followers);
    list_followers(f, jobs, n);
}

void orr_follow_fini(orr_follow *f)
{
    free(f->first);
    free(f->followers);
    free(f->open);
    ORR_VEC_FREE(&f->due);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static bool before(const orr_due *a, const orr_due *b)
{
    return a->at != b->at ? a->at < b->at : a->job < b->job;
}

static void push(orr_follow *f, orr_due due)
{
    ORR_VEC_PUSH(&f->due, due);
    orr_due *heap = f->due.at;
    size_t i = f->due.n - 1;
    for (; i > 0 && before(&due, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = due;
}

void orr_follow_pop(orr_follow *f)
{
    orr_due *heap = f->due.at, last = heap[--f->due.n];
    size_t n = f->due.n, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
}

const orr_due *orr_follow_first(const orr_follow *f)
{
    return f->due.n ? &f->due.at[0] : NULL;
}

/* Ends come in the order of time: whoever is the last predecessor to end is the latest of them. */
void orr_follow_ended(orr_follow *f, const orr_trace *trace, uint32_t job, orr_due_time *due, void *self)
{
    if (!f->first)
        return;
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    for (size_t i = f->first[job]; i < f->first[job + 1]; i++) {
        uint32_t follower = f->followers[i];
        if (--f->open[follower] == 0)
            push(f, (orr_due){due(self, &jobs[follower]), follower});
    }
}
