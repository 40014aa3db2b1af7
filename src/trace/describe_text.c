/* The description for people: one block a topic, numbers grouped by thousands. */
#include "trace/describe.h"
#include "trace/flaw.h"
#include <stdio.h>

static const char *count(uint64_t value, char buf[ORR_DOUBLE_BUF])
{
    orr_format_count(value, buf);
    return buf;
}

/* A number of at least 0 with this many decimals, its whole part grouped. */
static const char *grouped(double value, int decimals, char buf[ORR_WIDE_BUF])
{
    char plain[ORR_WIDE_BUF], whole[ORR_WIDE_BUF];
    if (!(value >= 0 && value < 1e15)) {
        orr_format_double(value, buf);
        return buf;
    }
    snprintf(plain, sizeof plain, "%.*f", decimals, value);
    uint64_t integer = 0;
    const char *p = plain;
    for (; *p >= '0' && *p <= '9'; p++)
        integer = integer * 10 + (uint64_t)(*p - '0');
    orr_format_count(integer, whole);
    snprintf(buf, ORR_WIDE_BUF, "%.30s%.20s", whole, p);
    return buf;
}

/* Calendar text where known, else days and clock time since the origin. */
static const char *when(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    if (!orr_describe_when(d, t, buf))
        orr_time_clock(t, buf);
    return buf;
}

static void source(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF];
    orr_text_addf(out, "trace       %s\n", orr_trace_name(d->trace));
    orr_text_addf(out, "format      %s\n", orr_trace_format(d->trace));
    orr_text_addf(out, "jobs        %s   (rows %s, dropped %s)\n", count(d->jobs, a), count(d->rows, b),
                  count(d->dropped, c));
    const orr_note *notes;
    const size_t n = orr_trace_notes(d->trace, &notes);
    for (size_t i = 0; i < n; i++)
        orr_text_addf(out, "  %-6s    %-22s %9s   first at line %u: %s\n", orr_note_kind_name(notes[i].kind),
                      notes[i].reason, count(notes[i].count, a), notes[i].first_lines[0], notes[i].detail);
}

static void span(const orr_description *d, orr_text *out)
{
    char buf[ORR_CIVIL_BUF], exact[ORR_TIME_BUF], wide[ORR_WIDE_BUF], number[ORR_WIDE_BUF];
    const orr_time times[] = {d->first, d->last, d->last_end};
    static const char *const names[] = {"first submit", "last submit", "last end"};
    orr_text_addf(out, "origin      %s\n", d->calendar ? orr_trace_origin(d->trace) : "not known (times are relative)");
    for (int i = 0; i < 3; i++) {
        orr_time_format(times[i], exact);
        orr_text_addf(out, "  %-13s %s   (%s s)\n", names[i], when(d, times[i], buf), exact);
    }
    orr_time_human(d->last_end - d->first, exact);
    orr_text_addf(out, "span        %s from the first submit to the last end\n", exact);
    orr_wide_seconds(d->gpu_ns, wide);
    orr_text_addf(out, "GPU time    %s GPU-hours   (%s GPU-s)\n", grouped(orr_wide_hours(d->gpu_ns), 6, number), wide);
    orr_text_addf(out, "job time    %s job-hours\n", grouped(orr_wide_hours(d->job_ns), 6, number));
    orr_text_addf(out, "mean GPUs   %.6f\n", d->mean_gpus);
}

static void spread_row(const char *name, double a, double b, int decimals, orr_text *out)
{
    char left[ORR_WIDE_BUF], right[ORR_WIDE_BUF];
    orr_text_addf(out, "  %-6s %22s %24s\n", name, grouped(a, decimals, left), grouped(b, decimals, right));
}

static void spreads(const orr_description *d, orr_text *out)
{
    const orr_spread *a = &d->duration, *b = &d->gpu_time;
    orr_text_addf(out, "\n         %22s %24s\n", "duration (s)", "GPU time (GPU-s)");
    spread_row("min", a->min, b->min, 3, out);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        spread_row(i + 1 == ORR_DESCRIBE_QUANTILES ? "p99.9" : orr_describe_p_names[i], a->q[i], b->q[i], 3, out);
    spread_row("max", a->max, b->max, 3, out);
    spread_row("mean", a->mean, b->mean, 6, out);
    spread_row("sd", a->sd, b->sd, 4, out);
}

static void histograms(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_WIDE_BUF];
    orr_text_addf(out, "\nduration          jobs\n");
    for (int i = 0; i < ORR_DESCRIBE_BINS; i++)
        orr_text_addf(out, "  %-8s %11s\n", d->bins[i].name, count(d->bins[i].jobs, a));
    orr_text_addf(out, "\nGPUs              jobs         GPU-hours\n");
    for (size_t i = 0; i < d->sizes.n; i++)
        orr_text_addf(out, "  %-8d %11s %17s\n", d->sizes.at[i].gpus, count(d->sizes.at[i].jobs, a),
                      grouped(orr_wide_hours(d->sizes.at[i].gpu_ns), 3, b));
}

static void vcs(const orr_description *d, orr_text *out)
{
    char jobs[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF], median[ORR_DOUBLE_BUF], first[ORR_CIVIL_BUF], last[ORR_CIVIL_BUF];
    orr_text_addf(out, "\n%-14s %10s %15s %12s %8s  %-19s  %s\n", "VC", "jobs", "GPU-hours", "median s", "max GPUs",
                  "first submit", "last submit");
    for (size_t i = 0; i < d->vcs.n; i++) {
        const orr_vc_facts *vc = &d->vcs.at[i];
        orr_format_double(vc->median_duration, median);
        orr_text_addf(out, "%-14s %10s %15s %12s %8d  %-19s  %s\n", vc->name[0] ? vc->name : "(none)",
                      count(vc->jobs, jobs), grouped(orr_wide_hours(vc->gpu_ns), 3, hours), median, vc->max_gpus,
                      when(d, vc->first, first), when(d, vc->last, last));
    }
}

static void calendar(const orr_arrival_facts *a, orr_text *out)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    char buf[ORR_DOUBLE_BUF];
    orr_text_addf(out, "  months     ");
    for (size_t i = 0; i < a->months.n; i++)
        orr_text_addf(out, "%s%04d-%02d %s", i ? ", " : "", a->months.at[i].year, a->months.at[i].month,
                      count(a->months.at[i].jobs, buf));
    orr_text_addf(out, "\n  weekdays   ");
    for (int i = 0; i < 7; i++)
        orr_text_addf(out, "%s%s %s", i ? ", " : "", days[i], count(a->weekdays[i], buf));
    for (int i = 0; i < 24; i++)
        orr_text_addf(out, "%s%6llu", i % 12 ? " " : i ? "\n  hours 12-23" : "\n  hours 0-11 ",
                      (unsigned long long)a->hours[i]);
    orr_text_addf(out, "\n");
}

static void gaps(const orr_arrival_facts *a, orr_text *out)
{
    char median[ORR_DOUBLE_BUF], p99[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF], zero[ORR_DOUBLE_BUF];
    orr_format_double(a->gap_median, median);
    orr_format_double(a->gap_p99, p99);
    orr_format_double(a->gap_max, max);
    orr_text_addf(out, "  gaps       mean %.6f s, median %s s, p99 %s s, max %s s, cv %.4f, %s of them zero\n",
                  a->gap_mean, median, p99, max, a->gap_cv, count(a->zero_gaps, zero));
}

static void arrivals(const orr_description *d, orr_text *out)
{
    const orr_arrival_facts *a = &d->arrivals;
    char days[ORR_DOUBLE_BUF], with[ORR_DOUBLE_BUF], median[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF], day[ORR_CIVIL_BUF];
    orr_format_double(a->median_a_day, median);
    when(d, a->max_day, day);
    day[d->calendar ? 10 : strcspn(day, " ")] = '\0';
    orr_text_addf(out, "\narrivals     %s days, %s with a job; mean %.1f a day, median %s, max %s (%s)\n",
                  count(a->days, days), count(a->days_with_jobs, with), a->mean_a_day, median,
                  count(a->max_a_day, max), day);
    if (d->calendar)
        calendar(a, out);
    if (d->jobs > 1)
        gaps(a, out);
}

static void rest(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF], e[ORR_DOUBLE_BUF], buf[ORR_CIVIL_BUF];
    orr_text_addf(out, "\nif every job started at its submission\n");
    orr_text_addf(out, "  GPUs       at most %s, first at %s\n", count((uint64_t)d->peak_gpus.amount, a),
                  when(d, d->peak_gpus.at, buf));
    orr_text_addf(out, "  jobs       at most %s, first at %s\n", count((uint64_t)d->peak_jobs.amount, a),
                  when(d, d->peak_jobs.at, buf));
    orr_text_addf(out, "endings      done %s, failed %s, killed %s; censored %s\n",
                  count(d->endings[ORR_ENDING_DONE], a), count(d->endings[ORR_ENDING_FAILED], b),
                  count(d->endings[ORR_ENDING_KILLED], c), count(d->censored, e));
    if (d->same_groups)
        orr_text_addf(out, "duplicates   %s jobs in %s groups are alike but for their ids (%s surplus); kept as jobs\n",
                      count(d->same_jobs, a), count(d->same_groups, b), count(d->same_surplus, c));
}

void orr_trace_describe_text(const orr_description *d, orr_text *out)
{
    source(d, out);
    if (d->jobs == 0)
        return;
    span(d, out);
    spreads(d, out);
    histograms(d, out);
    vcs(d, out);
    arrivals(d, out);
    rest(d, out);
}
