/* The description as one JSON document: where it comes from, totals, distributions, arrivals; what follows is in
 * describe_json_parts.c. */
#include "trace/describe_out.h"
#include "trace/flaw.h"
#include <stdio.h>

/* ---- the files ---- */

static void put_note(cJSON *list, const orr_note *note)
{
    uint64_t lines[3];
    size_t n = 0;
    for (; n < 3 && note->first_lines[n]; n++)
        lines[n] = note->first_lines[n];
    cJSON *o = orr_put_item(list);
    cJSON_AddStringToObject(o, "reason", note->reason);
    cJSON_AddStringToObject(o, "kind", orr_note_kind_name(note->kind));
    orr_put_count(o, "count", note->count);
    cJSON_AddStringToObject(o, "detail", note->detail);
    orr_put_counts(o, "first_lines", lines, n);
    cJSON_AddStringToObject(o, "file", note->file ? note->file : "");
}

/* One reason may stand in several notes: one a file. */
static void add_dropped(cJSON *dropped, const orr_note *notes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t count = notes[i].count;
        if (notes[i].kind != ORR_NOTE_DROP || cJSON_HasObjectItem(dropped, notes[i].reason))
            continue;
        for (size_t j = i + 1; j < n; j++)
            count += strcmp(notes[j].reason, notes[i].reason) == 0 ? notes[j].count : 0;
        orr_put_count(dropped, notes[i].reason, count);
    }
}

void orr_put_notes(const orr_trace *trace, cJSON *root)
{
    const orr_note *notes;
    const size_t n = orr_trace_notes(trace, &notes);
    add_dropped(cJSON_AddObjectToObject(root, "dropped"), notes, n);
    cJSON *list = cJSON_AddArrayToObject(root, "notes");
    for (size_t i = 0; i < n; i++)
        put_note(list, &notes[i]);
}

static void put_inputs(const orr_description *d, cJSON *root)
{
    const orr_trace_input *inputs;
    const size_t n = orr_trace_inputs(d->trace, &inputs);
    cJSON *list = cJSON_AddArrayToObject(root, "inputs");
    for (size_t i = 0; i < n; i++) {
        cJSON *o = orr_put_item(list);
        cJSON_AddStringToObject(o, "file", inputs[i].path);
        cJSON_AddStringToObject(o, "sha256", inputs[i].digest);
    }
}

static void put_source(const orr_description *d, cJSON *root)
{
    cJSON_AddStringToObject(root, "trace", orr_trace_name(d->trace));
    cJSON_AddStringToObject(root, "format", orr_trace_format(d->trace));
    cJSON_AddStringToObject(root, "sha256", orr_trace_digest(d->trace));
    orr_put_when(d, root, "origin", 0);
    orr_put_count(root, "rows", d->rows);
    orr_put_count(root, "jobs", d->jobs);
    orr_put_notes(d->trace, root);
    put_inputs(d, root);
    orr_put_count(root, "withdrawn", d->withdrawn);
}

/* ---- totals and distributions ---- */

static void put_asked(cJSON *to, const char *key, const orr_asked *a)
{
    cJSON *o = cJSON_AddObjectToObject(to, key);
    orr_put_count(o, "records", a->records);
    orr_put_wide(o, "gpus", a->gpus, 0);
    orr_put_wide(o, "gpu_milli", a->milli, 0);
    orr_put_count(o, "of_fractions", a->of_fractions);
    orr_put_wide(o, "cpus", a->cpu_milli, 3);
    orr_put_count(o, "cpus_stated", a->cpus_stated);
    orr_put_wide(o, "mem_bytes", a->mem_bytes, 0);
    orr_put_count(o, "mem_stated", a->mem_stated);
}

static void put_span(const orr_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "span");
    orr_put_time(o, "first_submit", d->first);
    orr_put_time(o, "last_submit", d->last);
    orr_put_time(o, "last_end", d->last_end);
    orr_put_time(o, "seconds", d->last_end - d->first);
    orr_put_when(d, o, "first_submit_text", d->first);
    orr_put_when(d, o, "last_submit_text", d->last);
    orr_put_when(d, o, "last_end_text", d->last_end);
    orr_put_wide(root, "gpu_seconds", d->milli_ns, 12);
    orr_put_double(root, "gpu_hours", orr_milli_hours(d->milli_ns));
    orr_put_double(root, "whole_gpu_hours", orr_wide_hours(d->gpu_ns));
    orr_put_double(root, "job_hours", orr_wide_hours(d->job_ns));
    orr_put_double(root, "gpus_mean", d->mean_gpus);
    cJSON *asked = cJSON_AddObjectToObject(root, "asked");
    put_asked(asked, "jobs", &d->asked);
    put_asked(asked, "withdrawn", &d->asked_withdrawn);
}

static void put_sizes(const orr_description *d, cJSON *root)
{
    cJSON *sizes = cJSON_AddArrayToObject(root, "gpus_histogram");
    for (size_t i = 0; i < d->sizes.n; i++) {
        cJSON *o = orr_put_item(sizes);
        orr_put_count(o, "gpus", (uint64_t)d->sizes.at[i].gpus);
        orr_put_count(o, "jobs", d->sizes.at[i].jobs);
        orr_put_double(o, "gpu_hours", orr_milli_hours(d->sizes.at[i].milli_ns));
        orr_put_count(o, "withdrawn", d->sizes.at[i].withdrawn);
    }
    cJSON *fractions = cJSON_AddArrayToObject(root, "gpu_milli_histogram");
    for (size_t i = 0; i < d->fractions.n; i++) {
        cJSON *o = orr_put_item(fractions);
        orr_put_count(o, "gpu_milli", (uint64_t)d->fractions.at[i].gpu_milli);
        orr_put_count(o, "jobs", d->fractions.at[i].jobs);
        orr_put_count(o, "withdrawn", d->fractions.at[i].withdrawn);
    }
}

static void put_distributions(const orr_description *d, cJSON *root)
{
    orr_put_spread(root, "duration", &d->duration);
    orr_put_spread(root, "gpu_time", &d->gpu_time);
    cJSON *bins = cJSON_AddArrayToObject(root, "duration_histogram");
    for (int i = 0; i < ORR_DESCRIBE_BINS; i++) {
        cJSON *o = orr_put_item(bins);
        cJSON_AddStringToObject(o, "bin", d->bins[i].name);
        orr_put_time(o, "from", d->bins[i].from);
        orr_put_count(o, "jobs", d->bins[i].jobs);
    }
    put_sizes(d, root);
}

/* ---- arrivals ---- */

static void put_months(const orr_arrival_facts *a, cJSON *to)
{
    cJSON *months = cJSON_AddArrayToObject(to, "months");
    for (size_t i = 0; i < a->months.n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%04d-%02d", a->months.at[i].year, a->months.at[i].month);
        cJSON *o = orr_put_item(months);
        cJSON_AddStringToObject(o, "month", name);
        orr_put_count(o, "jobs", a->months.at[i].jobs);
    }
}

/* Without a calendar an hour is one of a day from the origin: it has another name, lest it be taken for night or
 * day. */
static void put_clock(const orr_description *d, cJSON *to)
{
    const orr_arrival_facts *a = &d->arrivals;
    if (!d->calendar) {
        orr_put_counts(to, "relative_hours", a->hours, 24);
        orr_put_doubles(to, "relative_hour_rate", a->hour_rate, 24);
        return;
    }
    orr_put_counts(to, "weekdays", a->weekdays, 7);
    orr_put_counts(to, "hours", a->hours, 24);
    put_months(a, to);
    orr_put_doubles(to, "weekday_rate", a->weekday_rate, 7);
    orr_put_doubles(to, "hour_rate", a->hour_rate, 24);
    orr_put_counts(to, "week", &a->week[0][0], 7 * 24);
}

static void put_gaps(const orr_arrival_facts *a, cJSON *to)
{
    cJSON *gaps = cJSON_AddObjectToObject(to, "gaps");
    orr_put_double(gaps, "mean", a->gap_mean);
    orr_put_double(gaps, "p50", a->gap_median);
    orr_put_double(gaps, "p99", a->gap_p99);
    orr_put_double(gaps, "max", a->gap_max);
    orr_put_double(gaps, "cv", a->gap_cv);
    orr_put_count(gaps, "zero", a->zero_gaps);
}

static void put_bursts(const orr_description *d, cJSON *to)
{
    const orr_arrival_facts *a = &d->arrivals;
    const double an_hour = (double)a->submissions / (double)a->hours_spanned;
    cJSON *o = cJSON_AddObjectToObject(to, "bursts");
    orr_put_double(o, "day_peak_to_mean", (double)a->max_a_day / a->mean_a_day);
    orr_put_count(o, "hours", a->hours_spanned);
    orr_put_double(o, "per_hour_mean", an_hour);
    orr_put_count(o, "per_hour_max", a->max_an_hour);
    orr_put_time(o, "max_hour", a->max_hour);
    orr_put_when(d, o, "max_hour_text", a->max_hour);
    orr_put_double(o, "hour_peak_to_mean", (double)a->max_an_hour / an_hour);
    orr_put_double(o, "hourly_dispersion", a->hourly_dispersion);
    orr_put_count(o, "instants", a->instants);
    orr_put_count(o, "most_at_once", a->most_at_once);
    orr_put_time(o, "most_at", a->most_at);
}

static void put_by_day(const orr_description *d, cJSON *to)
{
    cJSON *list = cJSON_AddArrayToObject(to, "by_day");
    for (size_t i = 0; i < d->arrivals.by_day.n; i++) {
        const orr_day_facts *day = &d->arrivals.by_day.at[i];
        char name[ORR_CIVIL_BUF];
        cJSON *o = orr_put_item(list);
        cJSON_AddStringToObject(o, "day", orr_describe_day(d, day->at, name));
        orr_put_time(o, "at", day->at);
        orr_put_count(o, "jobs", day->jobs);
    }
}

static void put_arrivals(const orr_description *d, cJSON *root)
{
    const orr_arrival_facts *a = &d->arrivals;
    cJSON *o = cJSON_AddObjectToObject(root, "arrivals");
    cJSON_AddStringToObject(o, "clock", d->calendar ? "calendar" : "relative");
    orr_put_count(o, "days", a->days);
    orr_put_count(o, "days_with_jobs", a->days_with_jobs);
    orr_put_double(o, "per_day_mean", a->mean_a_day);
    orr_put_double(o, "per_day_median", a->median_a_day);
    orr_put_count(o, "per_day_max", a->max_a_day);
    orr_put_time(o, "max_day", a->max_day);
    orr_put_when(d, o, "max_day_text", a->max_day);
    orr_put_count(o, "submissions", a->submissions);
    put_clock(d, o);
    put_gaps(a, o);
    put_bursts(d, o);
    put_by_day(d, o);
}

/* ---- all of it ---- */

cJSON *orr_trace_describe_json(const orr_description *d)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "orrery.describe/1");
    put_source(d, root);
    if (d->jobs == 0)
        return root;
    put_span(d, root);
    put_distributions(d, root);
    orr_put_shares(d, root);
    put_arrivals(d, root);
    orr_put_record(d, root);
    orr_put_attributes(d, root);
    orr_put_coverage(d, root);
    return root;
}
