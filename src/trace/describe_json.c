/* The description as one JSON document. Numbers are added as raw text, since cJSON prints doubles with fewer digits
 * than reading them back needs, and exact sums do not fit a double. */
#include "trace/describe.h"
#include "trace/flaw.h"
#include <cjson/cJSON.h>
#include <stdio.h>

static void add_count(cJSON *to, const char *key, uint64_t value)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%llu", (unsigned long long)value);
    cJSON_AddRawToObject(to, key, buf);
}

static void add_double(cJSON *to, const char *key, double value)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(value, buf);
    cJSON_AddRawToObject(to, key, buf);
}

static void add_time(cJSON *to, const char *key, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_time_format(t, buf);
    cJSON_AddRawToObject(to, key, buf);
}

static void add_wide(cJSON *to, const char *key, orr_wide ns)
{
    char buf[ORR_WIDE_BUF];
    orr_wide_seconds(ns, buf);
    cJSON_AddRawToObject(to, key, buf);
}

/* Calendar text, or null on a relative clock. */
static void add_when(const orr_description *d, cJSON *to, const char *key, orr_time t)
{
    char buf[ORR_CIVIL_BUF];
    if (orr_describe_when(d, t, buf))
        cJSON_AddStringToObject(to, key, buf);
    else
        cJSON_AddNullToObject(to, key);
}

static void add_counts(cJSON *to, const char *key, const uint64_t *values, size_t n)
{
    char buf[24];
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < n; i++) {
        snprintf(buf, sizeof buf, "%llu", (unsigned long long)values[i]);
        cJSON_AddItemToArray(list, cJSON_CreateRaw(buf));
    }
}

static void add_spread(cJSON *to, const char *key, const orr_spread *s)
{
    cJSON *o = cJSON_AddObjectToObject(to, key);
    add_double(o, "min", s->min);
    add_double(o, "mean", s->mean);
    add_double(o, "sd", s->sd);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        add_double(o, orr_describe_p_names[i], s->q[i]);
    add_double(o, "max", s->max);
}

static cJSON *note_object(const orr_note *note)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "reason", note->reason);
    cJSON_AddStringToObject(o, "kind", orr_note_kind_name(note->kind));
    add_count(o, "count", note->count);
    cJSON_AddStringToObject(o, "detail", note->detail);
    uint64_t lines[3];
    size_t n = 0;
    for (; n < 3 && note->first_lines[n]; n++)
        lines[n] = note->first_lines[n];
    add_counts(o, "first_lines", lines, n);
    return o;
}

static void add_source(const orr_description *d, cJSON *root)
{
    const orr_note *notes;
    const size_t n = orr_trace_notes(d->trace, &notes);
    cJSON_AddStringToObject(root, "trace", orr_trace_name(d->trace));
    cJSON_AddStringToObject(root, "format", orr_trace_format(d->trace));
    cJSON_AddStringToObject(root, "sha256", orr_trace_digest(d->trace));
    add_when(d, root, "origin", 0);
    add_count(root, "rows", d->rows);
    add_count(root, "jobs", d->jobs);
    cJSON *dropped = cJSON_AddObjectToObject(root, "dropped");
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind == ORR_NOTE_DROP)
            add_count(dropped, notes[i].reason, notes[i].count);
    cJSON *list = cJSON_AddArrayToObject(root, "notes");
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, note_object(&notes[i]));
}

static void add_span(const orr_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "span");
    add_time(o, "first_submit", d->first);
    add_time(o, "last_submit", d->last);
    add_time(o, "last_end", d->last_end);
    add_time(o, "seconds", d->last_end - d->first);
    add_when(d, o, "first_submit_text", d->first);
    add_when(d, o, "last_submit_text", d->last);
    add_when(d, o, "last_end_text", d->last_end);
    add_wide(root, "gpu_seconds", d->gpu_ns);
    add_double(root, "gpu_hours", orr_wide_hours(d->gpu_ns));
    add_double(root, "job_hours", orr_wide_hours(d->job_ns));
    add_double(root, "gpus_mean", d->mean_gpus);
}

static void add_distributions(const orr_description *d, cJSON *root)
{
    add_spread(root, "duration", &d->duration);
    add_spread(root, "gpu_time", &d->gpu_time);
    cJSON *bins = cJSON_AddArrayToObject(root, "duration_histogram");
    for (int i = 0; i < ORR_DESCRIBE_BINS; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "bin", d->bins[i].name);
        add_time(o, "from", d->bins[i].from);
        add_count(o, "jobs", d->bins[i].jobs);
        cJSON_AddItemToArray(bins, o);
    }
    cJSON *sizes = cJSON_AddArrayToObject(root, "gpus_histogram");
    for (size_t i = 0; i < d->sizes.n; i++) {
        cJSON *o = cJSON_CreateObject();
        add_count(o, "gpus", (uint64_t)d->sizes.at[i].gpus);
        add_count(o, "jobs", d->sizes.at[i].jobs);
        add_double(o, "gpu_hours", orr_wide_hours(d->sizes.at[i].gpu_ns));
        cJSON_AddItemToArray(sizes, o);
    }
}

static void add_vcs(const orr_description *d, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "vcs");
    for (size_t i = 0; i < d->vcs.n; i++) {
        const orr_vc_facts *vc = &d->vcs.at[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "vc", vc->name);
        add_count(o, "jobs", vc->jobs);
        add_double(o, "gpu_hours", orr_wide_hours(vc->gpu_ns));
        add_double(o, "duration_median", vc->median_duration);
        add_count(o, "gpus_max", (uint64_t)vc->max_gpus);
        add_time(o, "first_submit", vc->first);
        add_time(o, "last_submit", vc->last);
        add_when(d, o, "first_submit_text", vc->first);
        add_when(d, o, "last_submit_text", vc->last);
        cJSON_AddItemToArray(list, o);
    }
}

static void add_calendar(const orr_arrival_facts *a, cJSON *to)
{
    add_counts(to, "weekdays", a->weekdays, 7);
    add_counts(to, "hours", a->hours, 24);
    cJSON *months = cJSON_AddArrayToObject(to, "months");
    for (size_t i = 0; i < a->months.n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%04d-%02d", a->months.at[i].year, a->months.at[i].month);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "month", name);
        add_count(o, "jobs", a->months.at[i].jobs);
        cJSON_AddItemToArray(months, o);
    }
}

static void add_arrivals(const orr_description *d, cJSON *root)
{
    const orr_arrival_facts *a = &d->arrivals;
    cJSON *o = cJSON_AddObjectToObject(root, "arrivals");
    cJSON_AddStringToObject(o, "clock", d->calendar ? "calendar" : "relative");
    add_count(o, "days", a->days);
    add_count(o, "days_with_jobs", a->days_with_jobs);
    add_double(o, "per_day_mean", a->mean_a_day);
    add_double(o, "per_day_median", a->median_a_day);
    add_count(o, "per_day_max", a->max_a_day);
    add_time(o, "max_day", a->max_day);
    add_when(d, o, "max_day_text", a->max_day);
    if (d->calendar)
        add_calendar(a, o);
    cJSON *gaps = cJSON_AddObjectToObject(o, "gaps");
    add_double(gaps, "mean", a->gap_mean);
    add_double(gaps, "p50", a->gap_median);
    add_double(gaps, "p99", a->gap_p99);
    add_double(gaps, "max", a->gap_max);
    add_double(gaps, "cv", a->gap_cv);
    add_count(gaps, "zero", a->zero_gaps);
}

static void add_peak(const orr_description *d, cJSON *to, const char *key, const orr_peak *peak)
{
    cJSON *o = cJSON_AddObjectToObject(to, key);
    add_count(o, "amount", (uint64_t)peak->amount);
    add_time(o, "at", peak->at);
    add_when(d, o, "at_text", peak->at);
}

static void add_rest(const orr_description *d, cJSON *root)
{
    cJSON *peak = cJSON_AddObjectToObject(root, "peak_without_queueing");
    add_peak(d, peak, "gpus", &d->peak_gpus);
    add_peak(d, peak, "jobs", &d->peak_jobs);
    cJSON *endings = cJSON_AddObjectToObject(root, "endings");
    add_count(endings, "done", d->endings[ORR_ENDING_DONE]);
    add_count(endings, "failed", d->endings[ORR_ENDING_FAILED]);
    add_count(endings, "killed", d->endings[ORR_ENDING_KILLED]);
    add_count(root, "censored", d->censored);
    cJSON *same = cJSON_AddObjectToObject(root, "duplicates");
    add_count(same, "groups", d->same_groups);
    add_count(same, "jobs", d->same_jobs);
    add_count(same, "surplus", d->same_surplus);
}

cJSON *orr_trace_describe_json(const orr_description *d)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "orrery.describe/1");
    add_source(d, root);
    if (d->jobs == 0)
        return root;
    add_span(d, root);
    add_distributions(d, root);
    add_vcs(d, root);
    add_arrivals(d, root);
    add_rest(d, root);
    return root;
}
