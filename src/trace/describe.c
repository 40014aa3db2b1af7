/* Facts that need no theme of their own: totals, durations, sizes, duplicates; and the making of a description. Each is
 * one walk over the jobs, or a sort and a walk. Records come in order of submission. */
#include "trace/describe_walk.h"
#include <stdlib.h>

/* ---- totals, durations, sizes ---- */

static orr_wide gpu_ns(const orr_trace_job *job)
{
    return (orr_wide)job->duration * job->gpus;
}

static void totals(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    d->first = jobs[0].submit;
    d->last = jobs[n - 1].submit;
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = &jobs[i];
        const orr_time end = orr_time_add(job->submit, job->duration);
        const orr_wide milli_ns = orr_milli_ns(job, job->duration);
        d->last_end = end > d->last_end ? end : d->last_end;
        d->gpu_ns += gpu_ns(job);
        d->milli_ns += milli_ns;
        d->job_ns += job->duration;
        d->endings[job->ending]++;
        d->ending_milli_ns[job->ending] += milli_ns;
        d->censored += job->censored;
        d->censored_milli_ns += job->censored ? milli_ns : 0;
    }
}

static void asked_for(orr_description *d)
{
    for (size_t i = 0; i < orr_records(d); i++) {
        const orr_trace_job *job = orr_record(d, i);
        orr_asked *a = i < d->jobs ? &d->asked : &d->asked_withdrawn;
        a->records++;
        a->of_fractions += job->gpus > 0 && job->gpu_milli < 1000;
        a->gpus += job->gpus;
        a->milli += (orr_wide)job->gpus * job->gpu_milli;
        a->cpu_milli += job->cpu_milli;
        a->cpus_stated += job->cpu_milli > 0;
        a->mem_bytes += job->mem_bytes;
        a->mem_stated += job->mem_bytes > 0;
    }
    d->mean_gpus = (double)d->asked.gpus / (double)d->jobs;
}

static void durations(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    static const orr_duration_bin bins[ORR_DESCRIBE_BINS] = {
        {"0..1m", 0, 0},          {"1m..10m", 60 * ORR_SECOND, 0}, {"10m..1h", 600 * ORR_SECOND, 0},
        {"1h..10h", ORR_HOUR, 0}, {"10h..1d", 10 * ORR_HOUR, 0},   {"1d..7d", ORR_DAY, 0},
        {"7d..", 7 * ORR_DAY, 0},
    };
    memcpy(d->bins, bins, sizeof bins);
    double *seconds = orr_xmalloc(n * sizeof *seconds), *service = orr_xmalloc(n * sizeof *service);
    for (size_t i = 0; i < n; i++) {
        int bin = ORR_DESCRIBE_BINS - 1;
        while (jobs[i].duration < d->bins[bin].from)
            bin--;
        d->bins[bin].jobs++;
        seconds[i] = orr_time_seconds(jobs[i].duration);
        service[i] = orr_milli_seconds(orr_milli_ns(&jobs[i], jobs[i].duration));
    }
    d->duration = orr_spread_of(seconds, n);
    d->gpu_time = orr_spread_of(service, n);
    free(seconds);
    free(service);
}

static int by_gpus(const void *left, const void *right)
{
    const orr_size_facts *a = left, *b = right;
    return a->gpus < b->gpus ? -1 : a->gpus > b->gpus;
}

static void sizes(orr_description *d)
{
    const size_t n = orr_records(d);
    orr_size_facts *all = orr_xmalloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = orr_record(d, i);
        all[i] = (orr_size_facts){job->gpus, i < d->jobs, i >= d->jobs, gpu_ns(job), orr_milli_ns(job, job->duration)};
    }
    qsort(all, n, sizeof *all, by_gpus);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || all[i].gpus != all[i - 1].gpus) {
            ORR_VEC_PUSH(&d->sizes, all[i]);
            continue;
        }
        orr_size_facts *size = &d->sizes.at[d->sizes.n - 1];
        size->jobs += all[i].jobs;
        size->withdrawn += all[i].withdrawn;
        size->gpu_ns += all[i].gpu_ns;
        size->milli_ns += all[i].milli_ns;
    }
    free(all);
}

/* gpu_milli is between 1 and 1000. */
static void fractions(orr_description *d)
{
    orr_fraction_facts by_milli[1001] = {{0, 0, 0}};
    for (size_t i = 0; i < orr_records(d); i++) {
        const orr_trace_job *job = orr_record(d, i);
        if (job->gpus != 1)
            continue;
        by_milli[job->gpu_milli].jobs += i < d->jobs;
        by_milli[job->gpu_milli].withdrawn += i >= d->jobs;
    }
    for (int32_t milli = 1; milli <= 1000; milli++) {
        if (by_milli[milli].jobs + by_milli[milli].withdrawn == 0)
            continue;
        by_milli[milli].gpu_milli = milli;
        ORR_VEC_PUSH(&d->fractions, by_milli[milli]);
    }
}

/* ---- jobs that are the same but for their ids ---- */

typedef struct job_ref {
    const orr_trace_job *job;
} job_ref;

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int text_order(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int by_content(const void *left, const void *right)
{
    const orr_trace_job *a = ((const job_ref *)left)->job, *b = ((const job_ref *)right)->job;
    const int64_t numbers[][2] = {
        {a->submit, b->submit},       {a->duration, b->duration},   {a->gpus, b->gpus},
        {a->limit, b->limit},         {a->deadline, b->deadline},   {a->cpu_milli, b->cpu_milli},
        {a->mem_bytes, b->mem_bytes}, {a->gpu_milli, b->gpu_milli}, {a->ending, b->ending},
        {a->gpu_mem_bytes, b->gpu_mem_bytes},
        {a->min_gpus, b->min_gpus},   {a->max_gpus, b->max_gpus},   {a->censored, b->censored},
    };
    const char *const words[][2] = {
        {a->vc, b->vc}, {a->user, b->user}, {a->name, b->name}, {a->model, b->model}, {a->gpu_type, b->gpu_type},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i][0] != numbers[i][1])
            return order(numbers[i][0], numbers[i][1]);
    int texts = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && !texts; i++)
        texts = text_order(words[i][0], words[i][1]);
    return texts;
}

/* Of jobs of one time of submission; the list is sorted. */
static void same_among(orr_description *d, job_ref *list, size_t n)
{
    qsort(list, n, sizeof *list, by_content);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && by_content(&list[from], &list[to]) == 0;)
            to++;
        if (to - from < 2)
            continue;
        d->same_groups++;
        d->same_jobs += to - from;
        d->same_surplus += to - from - 1;
    }
}

static void same_jobs(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    job_ref *list = orr_xmalloc(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i].job = &jobs[i];
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && jobs[to].submit == jobs[from].submit;)
            to++;
        if (to - from > 1)
            same_among(d, list + from, to - from);
    }
    free(list);
}

/* ---- all of it ---- */

const orr_trace_job *orr_record(const orr_description *d, size_t i)
{
    const orr_trace_job *withdrawn;
    if (i < d->jobs)
        return &orr_trace_jobs(d->trace)[i];
    orr_trace_withdrawn(d->trace, &withdrawn);
    return &withdrawn[i - d->jobs];
}

static void walk_all(orr_description *d)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    totals(d, jobs, d->jobs);
    asked_for(d);
    durations(d, jobs, d->jobs);
    sizes(d);
    fractions(d);
    orr_walk_shares(d);
    orr_walk_arrivals(d);
    orr_walk_order(d);
    orr_walk_peaks(d);
    orr_walk_recorded(d);
    same_jobs(d, jobs, d->jobs);
    orr_walk_attributes(d);
    orr_walk_coverage(d);
}

static uint64_t rows_dropped(const orr_trace *trace)
{
    const orr_note *notes;
    const size_t n = orr_trace_notes(trace, &notes);
    uint64_t dropped = 0;
    for (size_t i = 0; i < n; i++)
        dropped += notes[i].kind == ORR_NOTE_DROP ? notes[i].count : 0;
    return dropped;
}

orr_description *orr_trace_describe(const orr_trace *trace)
{
    orr_description *d = orr_xcalloc(1, sizeof *d);
    const orr_trace_job *withdrawn;
    const char *origin = orr_trace_origin(trace);
    d->trace = trace;
    d->calendar = origin[0] && orr_civil_parse(origin, strlen(origin), &d->origin) == ORR_OK;
    d->jobs = orr_trace_count(trace);
    d->withdrawn = orr_trace_withdrawn(trace, &withdrawn);
    d->rows = orr_trace_rows_read(trace);
    d->dropped = rows_dropped(trace);
    if (d->jobs)
        walk_all(d);
    return d;
}

void orr_description_destroy(orr_description *d)
{
    if (!d)
        return;
    ORR_VEC_FREE(&d->sizes);
    ORR_VEC_FREE(&d->fractions);
    ORR_VEC_FREE(&d->vcs);
    ORR_VEC_FREE(&d->users);
    ORR_VEC_FREE(&d->gpu_types);
    ORR_VEC_FREE(&d->models);
    ORR_VEC_FREE(&d->groups);
    ORR_VEC_FREE(&d->arrivals.months);
    ORR_VEC_FREE(&d->arrivals.by_day);
    orr_coverage_fini(d);
    free(d);
}
