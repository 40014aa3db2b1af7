/* Predecessors are named by id while rows come in, in any order; here they become places in the finished trace. A name
 * that no job has (it was dropped, or lies outside of the file) is let go, and so is every link that closes a circle:
 * both are counted. */
#include "trace/store.h"
#include <stdlib.h>

typedef struct named {
    const char *id;
    uint32_t job;
} named;

static int by_id(const void *left, const void *right)
{
    return strcmp(((const named *)left)->id, ((const named *)right)->id);
}

static void let_go(orr_trace *trace, orr_trace_job *job, orr_predecessor *after, uint32_t i, orr_flaw flaw)
{
    orr_trace_note(trace, flaw, NULL, job->line);
    memmove(&after[i], &after[i + 1], (job->after_count - i - 1) * sizeof *after);
    if (--job->after_count == 0)
        job->after = NULL;
}

static void resolve(orr_trace *trace, orr_trace_job *job, const named *names, size_t n)
{
    orr_predecessor *after = (orr_predecessor *)job->after; /* our own copy */
    for (uint32_t i = 0; i < job->after_count;) {
        const named key = {.id = after[i].id};
        const named *found = bsearch(&key, names, n, sizeof *names, by_id);
        if (found) {
            after[i++].job = found->job;
            continue;
        }
        let_go(trace, job, after, i, ORR_FLAW_PREDECESSOR);
    }
}

static void resolve_all(orr_trace *trace)
{
    const size_t n = trace->jobs.n;
    named *names = orr_xmalloc(n * sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = (named){trace->jobs.at[i].id, (uint32_t)i};
    qsort(names, n, sizeof *names, by_id);
    for (size_t i = 0; i < n; i++)
        resolve(trace, &trace->jobs.at[i], names, n);
    free(names);
}

/* Depth first along the links, without recursion: a link to a job that is still on the path closes a circle. */
enum { NEW, ON_PATH, SETTLED };

typedef struct walk {
    uint8_t *mark;
    uint32_t *next; /* of each job, the link to look at next */
    ORR_VEC(uint32_t) path;
} walk;

static void step(orr_trace *trace, walk *w)
{
    const uint32_t at = w->path.at[w->path.n - 1];
    orr_trace_job *job = &trace->jobs.at[at];
    if (w->next[at] == job->after_count) {
        w->mark[at] = SETTLED;
        w->path.n--;
        return;
    }
    const uint32_t to = job->after[w->next[at]].job;
    if (w->mark[to] == ON_PATH) {
        let_go(trace, job, (orr_predecessor *)job->after, w->next[at], ORR_FLAW_CIRCLE);
        return;
    }
    w->next[at]++;
    if (w->mark[to] != NEW)
        return;
    w->mark[to] = ON_PATH;
    ORR_VEC_PUSH(&w->path, to);
}

static void open_circles(orr_trace *trace)
{
    walk w = {.mark = orr_xcalloc(trace->jobs.n, 1), .next = orr_xcalloc(trace->jobs.n, sizeof *w.next)};
    for (uint32_t i = 0; i < trace->jobs.n; i++) {
        if (w.mark[i] != NEW)
            continue;
        w.mark[i] = ON_PATH;
        ORR_VEC_PUSH(&w.path, i);
        while (w.path.n)
            step(trace, &w);
    }
    free(w.mark);
    free(w.next);
    ORR_VEC_FREE(&w.path);
}

void orr_trace_link(orr_trace *trace)
{
    if (!trace->linked)
        return;
    resolve_all(trace);
    open_circles(trace);
}
