/* Shares by VC, user, GPU type, model and group: the jobs are sorted by duration once; then, for each of the five,
 * dealt out to their names in that order, so that each name's durations come sorted. */
#include "base/stat.h"
#include "trace/describe_walk.h"
#include <stdlib.h>

typedef const orr_trace_job *job_ref;

static int by_duration(const void *left, const void *right)
{
    const orr_trace_job *a = *(const job_ref *)left, *b = *(const job_ref *)right;
    return a->duration < b->duration ? -1 : a->duration > b->duration;
}

static int most_jobs_first(const void *left, const void *right)
{
    const orr_share_facts *a = left, *b = right;
    if (a->jobs != b->jobs)
        return a->jobs > b->jobs ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Of jobs of one name, ordered by duration. */
static orr_share_facts share_of(const char *name, const job_ref *list, size_t n)
{
    orr_share_facts share = {.name = name, .jobs = n, .first = ORR_TIME_MAX, .last = ORR_TIME_NONE};
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = list[i];
        share.gpu_ns += (orr_wide)job->duration * job->gpus;
        share.milli_ns += orr_milli_ns(job, job->duration);
        share.max_gpus = job->gpus > share.max_gpus ? job->gpus : share.max_gpus;
        share.first = job->submit < share.first ? job->submit : share.first;
        share.last = job->submit > share.last ? job->submit : share.last;
    }
    const double middle[2] = {orr_time_seconds(list[(n - 1) / 2]->duration), orr_time_seconds(list[n / 2]->duration)};
    share.median_duration = orr_quantile(middle, 2, 0.5);
    return share;
}

/* Scratch for n jobs. */
typedef struct dealing {
    job_ref *sorted, *dealt; /* by duration; by name, then by duration */
    uint32_t *ids;           /* of the names of `sorted` */
    size_t n;
} dealing;

static const char *name_of(const orr_trace_job *job, size_t member)
{
    return *(const char *const *)((const char *)job + member);
}

/* Puts the jobs of id i at [ends[i - 1], ends[i]) of `dealt`, by counting. */
static size_t *deal(dealing *w, size_t ids)
{
    size_t *ends = orr_xcalloc(ids + 2, sizeof *ends);
    for (size_t i = 0; i < w->n; i++)
        ends[w->ids[i] + 2]++;
    for (size_t id = 2; id < ids + 2; id++)
        ends[id] += ends[id - 1];
    for (size_t i = 0; i < w->n; i++)
        w->dealt[ends[w->ids[i] + 1]++] = w->sorted[i];
    return ends;
}

/* By the text member at this place of the record. */
static void shares_by(dealing *w, size_t member, orr_shares *out)
{
    orr_names *names = orr_names_create();
    for (size_t i = 0; i < w->n; i++) {
        const char *name = name_of(w->sorted[i], member);
        const bool same = i && name == name_of(w->sorted[i - 1], member);
        w->ids[i] = same ? w->ids[i - 1] : orr_names_id(names, name, strlen(name));
    }
    const size_t count = orr_names_count(names);
    size_t *ends = deal(w, count);
    for (size_t id = 0; id < count; id++) {
        const size_t from = ends[id];
        const orr_share_facts share = share_of(name_of(w->dealt[from], member), w->dealt + from, ends[id + 1] - from);
        ORR_VEC_PUSH(out, share);
    }
    qsort(out->at, out->n, sizeof *out->at, most_jobs_first);
    orr_names_destroy(names);
    free(ends);
}

void orr_walk_shares(orr_description *d)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    dealing w = {.n = d->jobs};
    w.sorted = orr_xmalloc(w.n * sizeof *w.sorted);
    w.dealt = orr_xmalloc(w.n * sizeof *w.dealt);
    w.ids = orr_xmalloc(w.n * sizeof *w.ids);
    for (size_t i = 0; i < w.n; i++)
        w.sorted[i] = &jobs[i];
    qsort(w.sorted, w.n, sizeof *w.sorted, by_duration);
    shares_by(&w, offsetof(orr_trace_job, vc), &d->vcs);
    shares_by(&w, offsetof(orr_trace_job, user), &d->users);
    shares_by(&w, offsetof(orr_trace_job, gpu_type), &d->gpu_types);
    shares_by(&w, offsetof(orr_trace_job, model), &d->models);
    shares_by(&w, offsetof(orr_trace_job, group), &d->groups);
    free(w.sorted);
    free(w.dealt);
    free(w.ids);
}

bool orr_shares_named(const orr_shares *shares)
{
    return shares->n > 1 || (shares->n == 1 && shares->at[0].name[0]);
}
