/* Each fact is one walk over the jobs, or a sort and a walk. Records come in order of submission. */
#include "trace/describe.h"
#include "base/stat.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const double orr_describe_p[ORR_DESCRIBE_QUANTILES] = {0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999};
const char *const orr_describe_p_names[ORR_DESCRIBE_QUANTILES] = {"p1",  "p5",  "p10", "p25", "p50",
                                                                  "p75", "p90", "p95", "p99", "p99_9"};

/* ---- numbers ---- */

int orr_wide_seconds(orr_wide ns, char buf[ORR_WIDE_BUF])
{
    char digits[ORR_WIDE_BUF];
    int n = 0, length = 0;
    const bool negative = ns < 0;
    orr_wide rest = negative ? -ns : ns;
    int fraction = 9;
    for (; fraction && rest % 10 == 0; fraction--)
        rest /= 10;
    for (int printed = 0; rest || printed <= fraction; printed++, rest /= 10) {
        if (printed == fraction && fraction)
            digits[n++] = '.';
        digits[n++] = (char)('0' + (int)(rest % 10));
    }
    if (negative)
        buf[length++] = '-';
    while (n)
        buf[length++] = digits[--n];
    buf[length] = '\0';
    return length;
}

double orr_wide_hours(orr_wide ns)
{
    const orr_wide hour = ORR_HOUR;
    return (double)(ns / hour) + (double)(ns % hour) / (double)ORR_HOUR;
}

int orr_describe_when(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    buf[0] = '\0';
    if (!d->calendar)
        return 0;
    orr_civil civil = d->origin;
    civil.local = orr_time_add(civil.local, t);
    return orr_civil_format(&civil, buf);
}

static orr_spread spread_of(double *v, size_t n)
{
    orr_spread s = {0};
    orr_sort_doubles(v, n);
    s.min = v[0];
    s.max = v[n - 1];
    s.mean = orr_mean(v, n);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        s.q[i] = orr_quantile(v, n, orr_describe_p[i]);
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - s.mean) * (v[i] - s.mean);
    s.sd = sqrt(orr_sum(v, n) / (double)n);
    return s;
}

/* ---- totals, durations, sizes ---- */

static orr_wide gpu_ns(const orr_trace_job *job)
{
    return (orr_wide)job->duration * job->gpus;
}

static void totals(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    int64_t gpus = 0;
    d->first = jobs[0].submit;
    d->last = jobs[n - 1].submit;
    d->last_end = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_time end = orr_time_add(jobs[i].submit, jobs[i].duration);
        d->last_end = end > d->last_end ? end : d->last_end;
        d->gpu_ns += gpu_ns(&jobs[i]);
        d->job_ns += jobs[i].duration;
        gpus += jobs[i].gpus;
        d->endings[jobs[i].ending]++;
        d->censored += jobs[i].censored;
    }
    d->mean_gpus = (double)gpus / (double)n;
}

static void durations(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    static const orr_duration_bin bins[ORR_DESCRIBE_BINS] = {
        {"0..1m", 0, 0},           {"1m..10m", 60 * ORR_SECOND, 0}, {"10m..1h", 600 * ORR_SECOND, 0},
        {"1h..10h", ORR_HOUR, 0},  {"10h..1d", 10 * ORR_HOUR, 0},   {"1d..7d", ORR_DAY, 0},
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
        service[i] = (double)gpu_ns(&jobs[i]) / 1e9;
    }
    d->duration = spread_of(seconds, n);
    d->gpu_time = spread_of(service, n);
    free(seconds);
    free(service);
}

static int by_gpus(const void *left, const void *right)
{
    const orr_size_facts *a = left, *b = right;
    return a->gpus < b->gpus ? -1 : a->gpus > b->gpus;
}

static void sizes(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    orr_size_facts *all = orr_xmalloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (orr_size_facts){jobs[i].gpus, 1, gpu_ns(&jobs[i])};
    qsort(all, n, sizeof *all, by_gpus);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || all[i].gpus != all[i - 1].gpus) {
            ORR_VEC_PUSH(&d->sizes, all[i]);
            continue;
        }
        d->sizes.at[d->sizes.n - 1].jobs++;
        d->sizes.at[d->sizes.n - 1].gpu_ns += all[i].gpu_ns;
    }
    free(all);
}

/* ---- virtual clusters ---- */

typedef struct job_ref {
    const orr_trace_job *job;
} job_ref;

static int by_vc_and_duration(const void *left, const void *right)
{
    const orr_trace_job *a = ((const job_ref *)left)->job, *b = ((const job_ref *)right)->job;
    const int names = a->vc == b->vc ? 0 : strcmp(a->vc, b->vc);
    if (names)
        return names;
    return a->duration < b->duration ? -1 : a->duration > b->duration;
}

static int most_jobs_first(const void *left, const void *right)
{
    const orr_vc_facts *a = left, *b = right;
    if (a->jobs != b->jobs)
        return a->jobs > b->jobs ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Of the jobs of one VC, ordered by duration. */
static orr_vc_facts vc_of(const job_ref *list, size_t n)
{
    orr_vc_facts vc = {.name = list[0].job->vc, .jobs = n, .first = ORR_TIME_MAX, .last = ORR_TIME_NONE};
    for (size_t i = 0; i < n; i++) {
        const orr_trace_job *job = list[i].job;
        vc.gpu_ns += gpu_ns(job);
        vc.max_gpus = job->gpus > vc.max_gpus ? job->gpus : vc.max_gpus;
        vc.first = job->submit < vc.first ? job->submit : vc.first;
        vc.last = job->submit > vc.last ? job->submit : vc.last;
    }
    const double middle[2] = {orr_time_seconds(list[(n - 1) / 2].job->duration),
                              orr_time_seconds(list[n / 2].job->duration)};
    vc.median_duration = orr_quantile(middle, 2, 0.5);
    return vc;
}

static void virtual_clusters(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    job_ref *list = orr_xmalloc(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i].job = &jobs[i];
    qsort(list, n, sizeof *list, by_vc_and_duration);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && strcmp(list[to].job->vc, list[from].job->vc) == 0;)
            to++;
        const orr_vc_facts vc = vc_of(list + from, to - from);
        ORR_VEC_PUSH(&d->vcs, vc);
    }
    free(list);
    qsort(d->vcs.at, d->vcs.n, sizeof *d->vcs.at, most_jobs_first);
}

/* ---- arrivals ---- */

static void calendar_counts(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    orr_arrival_facts *a = &d->arrivals;
    for (size_t i = 0; i < n; i++) {
        const orr_date date = orr_civil_date(d->origin.local + jobs[i].submit);
        a->weekdays[date.weekday]++;
        a->hours[date.hour]++;
        orr_month_facts *last = a->months.n ? &a->months.at[a->months.n - 1] : NULL;
        if (last && last->year == date.year && last->month == date.month) {
            last->jobs++;
            continue;
        }
        const orr_month_facts month = {date.year, date.month, 1};
        ORR_VEC_PUSH(&a->months, month);
    }
}

/* The median over all days of which only those with a job are listed: zeros come first. */
static double median_with_zeros(double *counts, size_t n, uint64_t days)
{
    orr_sort_doubles(counts, n);
    const uint64_t zeros = days - n, low = (days - 1) / 2, high = days / 2;
    const double a = low < zeros ? 0 : counts[low - zeros], b = high < zeros ? 0 : counts[high - zeros];
    return (a + b) / 2;
}

static void day_counts(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    orr_arrival_facts *a = &d->arrivals;
    const orr_time shift = d->calendar ? d->origin.local : 0;
    const int64_t first = orr_civil_day(shift + d->first), last = orr_civil_day(shift + d->last);
    ORR_VEC(double) counts = {0};
    for (size_t from = 0, to; from < n; from = to) {
        const int64_t day = orr_civil_day(shift + jobs[from].submit);
        for (to = from + 1; to < n && orr_civil_day(shift + jobs[to].submit) == day;)
            to++;
        ORR_VEC_PUSH(&counts, (double)(to - from));
        if (to - from > a->max_a_day) {
            a->max_a_day = to - from;
            a->max_day = day * ORR_DAY - shift;
        }
    }
    a->days = (uint64_t)(last - first) + 1;
    a->days_with_jobs = counts.n;
    a->mean_a_day = (double)n / (double)a->days;
    a->median_a_day = median_with_zeros(counts.at, counts.n, a->days);
    ORR_VEC_FREE(&counts);
}

static void gaps(orr_arrival_facts *a, const orr_trace_job *jobs, size_t n)
{
    a->gap_mean = a->gap_median = a->gap_p99 = a->gap_max = a->gap_cv = NAN;
    if (n < 2)
        return;
    double *gap = orr_xmalloc((n - 1) * sizeof *gap);
    for (size_t i = 1; i < n; i++) {
        gap[i - 1] = orr_time_seconds(jobs[i].submit - jobs[i - 1].submit);
        a->zero_gaps += jobs[i].submit == jobs[i - 1].submit;
    }
    const orr_spread s = spread_of(gap, n - 1);
    free(gap);
    a->gap_mean = s.mean;
    a->gap_median = s.q[4];
    a->gap_p99 = s.q[8];
    a->gap_max = s.max;
    a->gap_cv = s.mean > 0 ? s.sd / s.mean : NAN;
}

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

/* A job of no length holds nothing. */
static void peaks(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    end_event *ends = orr_xmalloc(n * sizeof *ends);
    size_t count = 0, next = 0;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].duration > 0)
            ends[count++] = (end_event){orr_time_add(jobs[i].submit, jobs[i].duration), jobs[i].gpus};
    qsort(ends, count, sizeof *ends, by_time);
    int64_t gpus = 0, running = 0;
    d->peak_gpus = d->peak_jobs = (orr_peak){0, d->first};
    for (size_t i = 0; i < n; i++) {
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

/* ---- jobs that are the same but for their ids ---- */

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
        {a->submit, b->submit},     {a->duration, b->duration},   {a->gpus, b->gpus},
        {a->limit, b->limit},       {a->deadline, b->deadline},   {a->cpus, b->cpus},
        {a->mem_bytes, b->mem_bytes}, {a->gpu_milli, b->gpu_milli}, {a->ending, b->ending},
        {a->min_gpus, b->min_gpus}, {a->max_gpus, b->max_gpus},   {a->censored, b->censored},
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

static void same_jobs(orr_description *d, const orr_trace_job *jobs, size_t n)
{
    job_ref *list = orr_xmalloc(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i].job = &jobs[i];
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
    free(list);
}

/* ---- all of it ---- */

orr_description *orr_trace_describe(const orr_trace *trace)
{
    orr_description *d = orr_xcalloc(1, sizeof *d);
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    const size_t n = orr_trace_count(trace);
    const char *origin = orr_trace_origin(trace);
    d->trace = trace;
    d->calendar = origin[0] && orr_civil_parse(origin, strlen(origin), &d->origin) == ORR_OK;
    d->jobs = n;
    d->rows = orr_trace_rows_read(trace);
    d->dropped = d->rows - n;
    if (n == 0)
        return d;
    totals(d, jobs, n);
    durations(d, jobs, n);
    sizes(d, jobs, n);
    virtual_clusters(d, jobs, n);
    if (d->calendar)
        calendar_counts(d, jobs, n);
    day_counts(d, jobs, n);
    gaps(&d->arrivals, jobs, n);
    peaks(d, jobs, n);
    same_jobs(d, jobs, n);
    return d;
}

void orr_description_destroy(orr_description *d)
{
    if (!d)
        return;
    ORR_VEC_FREE(&d->sizes);
    ORR_VEC_FREE(&d->vcs);
    ORR_VEC_FREE(&d->arrivals.months);
    free(d);
}
