/* The second half of the description for people: arrivals, the record, what is stated. */
#include "trace/describe_lines.h"
#include "trace/plot.h"
#include <stdio.h>
#include <stdlib.h>

#define INDENT 4
#define STRIP 48 /* characters of a strip of days */

/* ---- arrivals ---- */

static void weekdays_and_months(const orr_description *d, orr_text *out)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    const orr_arrival_facts *a = &d->arrivals;
    char count[ORR_DOUBLE_BUF], rate[ORR_WIDE_BUF];
    orr_text line = {0};
    for (size_t i = 0; i < a->months.n; i++)
        orr_text_addf(&line, "%s%04d-%02d %s", i ? ", " : "", a->months.at[i].year, a->months.at[i].month,
                      orr_count_text(a->months.at[i].jobs, count));
    orr_text_addf(out, "  months     ");
    orr_text_wrap(out, 13, 13, line.at);
    orr_text_fini(&line);
    uint64_t most = 0;
    for (int i = 0; i < 7; i++)
        most = a->weekdays[i] > most ? a->weekdays[i] : most;
    for (int i = 0; i < 7; i++) {
        orr_text_addf(out, "  %-9s  %11s %14s a day%s", days[i], orr_count_text(a->weekdays[i], count),
                      orr_grouped(a->weekday_rate[i], 1, rate), a->weekdays[i] ? "  " : "");
        orr_plot_bar(out, (double)a->weekdays[i], (double)most, ORR_TEXT_WIDTH - 47, d->blocks);
        orr_text_addf(out, "\n");
    }
}

/* Counts by hour of the day over a plot of them. */
static void hours(const orr_description *d, orr_text *out)
{
    double counts[24];
    for (int i = 0; i < 24; i++)
        counts[i] = (double)d->arrivals.hours[i];
    orr_text_addf(out, "  hours      %s\n", d->calendar ? "of the day" : "relative: of 24-hour days from the origin");
    orr_plot_columns(out, counts, 24, 3, 4, INDENT, d->blocks);
    orr_text_addf(out, "%*s", INDENT, "");
    for (int i = 0; i < 24; i++)
        orr_text_addf(out, i == 23 ? "%d" : "%-3d", i);
    for (int i = 0; i < 24; i++)
        orr_text_addf(out, "%s%8llu", i % 8 ? " " : "\n     ", (unsigned long long)d->arrivals.hours[i]);
    orr_text_addf(out, "\n");
}

static void day_plot(const orr_description *d, orr_text *out)
{
    enum { MOST = 72 };
    const orr_arrival_facts *a = &d->arrivals;
    const uint64_t per = (a->days + MOST - 1) / MOST;
    const size_t n = (size_t)((a->days + per - 1) / per);
    double counts[MOST] = {0};
    char from[ORR_CIVIL_BUF], to[ORR_CIVIL_BUF], each[48] = "";
    if (a->days < 3)
        return;
    for (size_t i = 0; i < a->by_day.n; i++)
        counts[(uint64_t)((a->by_day.at[i].at - a->by_day.at[0].at) / ORR_DAY) / per] += (double)a->by_day.at[i].jobs;
    if (per > 1)
        snprintf(each, sizeof each, ", %llu days a column", (unsigned long long)per);
    orr_text_addf(out, "  days       from %s to %s%s\n", orr_describe_day(d, a->by_day.at[0].at, from),
                  orr_describe_day(d, a->by_day.at[a->by_day.n - 1].at, to), each);
    orr_plot_columns(out, counts, n, n > MOST / 2 ? 1 : 2, 4, INDENT, d->blocks);
}

static void gaps(const orr_arrival_facts *a, orr_text *out)
{
    char mean[ORR_WIDE_BUF], median[ORR_DOUBLE_BUF], p99[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF], zero[ORR_DOUBLE_BUF];
    orr_format_double(a->gap_median, median);
    orr_format_double(a->gap_p99, p99);
    orr_format_double(a->gap_max, max);
    orr_text_addf(out, "  gaps       mean %s s, median %s s, p99 %s s,\n", orr_grouped(a->gap_mean, 6, mean), median,
                  p99);
    orr_text_addf(out, "             max %s s, cv %.4f, %s of them zero\n", max, a->gap_cv,
                  orr_count_text(a->zero_gaps, zero));
}

static void bursts(const orr_description *d, orr_text *out)
{
    const orr_arrival_facts *a = &d->arrivals;
    const double an_hour = (double)a->submissions / (double)a->hours_spanned;
    char max[ORR_DOUBLE_BUF], at[ORR_CIVIL_BUF], most[ORR_DOUBLE_BUF];
    orr_text_addf(out, "  bursts     day max/mean %.2f; hour max %s (%.1f x the mean), at\n",
                  (double)a->max_a_day / a->mean_a_day, orr_count_text(a->max_an_hour, max),
                  (double)a->max_an_hour / an_hour);
    orr_text_addf(out, "             %s; dispersion of hourly counts %.2f;\n", orr_describe_moment(d, a->max_hour, at),
                  a->hourly_dispersion);
    orr_text_addf(out, "             at most %s in one instant\n", orr_count_text(a->most_at_once, most));
}

void orr_text_arrivals(const orr_description *d, orr_text *out)
{
    const orr_arrival_facts *a = &d->arrivals;
    char days[ORR_DOUBLE_BUF], with[ORR_DOUBLE_BUF], mean[ORR_WIDE_BUF], median[ORR_WIDE_BUF], max[ORR_DOUBLE_BUF],
        day[ORR_CIVIL_BUF];
    orr_text_addf(out, "\narrivals     %s days, %s with a job%s\n", orr_count_text(a->days, days),
                  orr_count_text(a->days_with_jobs, with), d->withdrawn ? "; withdrawn ones count" : "");
    orr_text_addf(out, "             mean %s a day, median %s, max %s (%s)\n", orr_grouped(a->mean_a_day, 1, mean),
                  orr_grouped(a->median_a_day, 1, median), orr_count_text(a->max_a_day, max),
                  orr_describe_day(d, a->max_day, day));
    if (d->calendar)
        weekdays_and_months(d, out);
    hours(d, out);
    day_plot(d, out);
    if (a->submissions > 1)
        gaps(a, out);
    bursts(d, out);
}

/* ---- the record ---- */

static void peaks(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], buf[ORR_CIVIL_BUF];
    orr_text_addf(out, "\nif every job started at its submission\n");
    orr_text_addf(out, "  GPUs       at most %s, first at %s\n", orr_count_text((uint64_t)d->peak_gpus.amount, a),
                  orr_describe_moment(d, d->peak_gpus.at, buf));
    orr_text_addf(out, "  jobs       at most %s, first at %s\n", orr_count_text((uint64_t)d->peak_jobs.amount, a),
                  orr_describe_moment(d, d->peak_jobs.at, buf));
}

static void endings(const orr_description *d, orr_text *out)
{
    static const char *const names[] = {"done", "failed", "killed"};
    char jobs[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF];
    for (int i = 0; i < 3; i++)
        orr_text_addf(out, "%-10s %-8s %11s jobs %17s GPU-hours\n", i ? "" : "endings", names[i],
                      orr_count_text(d->endings[i], jobs),
                      orr_grouped(orr_milli_hours(d->ending_milli_ns[i]), 3, hours));
    orr_text_addf(out, "%-10s %-8s %11s jobs %17s GPU-hours\n", "", "censored", orr_count_text(d->censored, jobs),
                  orr_grouped(orr_milli_hours(d->censored_milli_ns), 3, hours));
}

static void recorded(const orr_description *d, orr_text *out)
{
    const orr_recorded_facts *r = &d->recorded;
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF];
    if (r->wait.n)
        orr_text_addf(out, "recorded   %s of %s known starts at once (%.1f%%)%s%s\n", orr_count_text(r->at_once, a),
                      orr_count_text(r->wait.n, b), 100 * (double)r->at_once / (double)r->wait.n,
                      r->early ? ", before submission " : "", r->early ? orr_count_text(r->early, c) : "");
    if (r->in_system.n)
        orr_text_addf(out, "           %s GPU-hours from submission to end, %s records\n",
                      orr_grouped(orr_milli_hours(r->in_system_milli_ns), 3, hours), orr_count_text(r->in_system.n, a));
    if (r->repeated)
        orr_text_addf(out, "attempts   %s in all, %.3f a job; %s jobs have several, at most %s\n",
                      orr_count_text(r->attempts, a), (double)r->attempts / (double)d->jobs,
                      orr_count_text(r->repeated, b), orr_count_text(r->most_attempts, c));
}

static void order_and_duplicates(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF], step[ORR_TIME_BUF];
    orr_time_human(d->order.step_back, step);
    if (d->order.descents)
        orr_text_addf(out, "order      %s rows earlier than the row above; largest step back %s\n",
                      orr_count_text(d->order.descents, a), step);
    if (d->same_groups)
        orr_text_addf(out, "duplicates %s jobs in %s %s differ in their ids only; %s surplus, kept\n",
                      orr_count_text(d->same_jobs, a), orr_count_text(d->same_groups, b),
                      d->same_groups == 1 ? "group" : "groups", orr_count_text(d->same_surplus, c));
}

void orr_text_record(const orr_description *d, orr_text *out)
{
    peaks(d, out);
    endings(d, out);
    recorded(d, out);
    order_and_duplicates(d, out);
}

/* ---- what is stated ---- */

static void attribute_line(const orr_attribute_facts *a, orr_text *out)
{
    char count[ORR_DOUBLE_BUF], min[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF];
    orr_text line = {0};
    orr_text_addf(out, "  %-16s ", a->name);
    if (a->numeric && a->values.n == 0) {
        orr_format_double(a->min, min);
        orr_format_double(a->max, max);
        orr_text_addf(&line, "%s stated, %s to %s", orr_count_text(a->stated, count), min, max);
    } else if (a->values.n == 0) {
        orr_text_addf(&line, "%s different values", orr_count_text(a->distinct, count));
    }
    for (size_t i = 0; i < a->values.n; i++)
        orr_text_addf(&line, "%s%s %s", i ? ", " : "", a->values.at[i].value,
                      orr_count_text(a->values.at[i].jobs + a->values.at[i].withdrawn, count));
    orr_text_wrap(out, 19, 19, line.at);
    orr_text_fini(&line);
}

/* A character for each part of the days spanned: how many of its records state the column. */
static void strip(const orr_description *d, const orr_column_coverage *c, orr_text *out)
{
    const orr_arrival_facts *a = &d->arrivals;
    const uint64_t per = (a->days + STRIP - 1) / STRIP;
    uint64_t stated[STRIP] = {0}, all[STRIP] = {0};
    for (size_t i = 0; i < a->by_day.n; i++) {
        const uint64_t at = (uint64_t)((a->by_day.at[i].at - a->by_day.at[0].at) / ORR_DAY) / per;
        stated[at] += c->by_day[i];
        all[at] += a->by_day.at[i].jobs;
    }
    for (uint64_t i = 0; i < (a->days + per - 1) / per; i++) {
        const char tenth = all[i] ? orr_plot_tenth(stated[i], all[i]) : ' ';
        orr_text_add(out, &tenth, 1);
    }
}

static void gap_rows(const orr_description *d, orr_text *out)
{
    for (size_t i = 0; i < d->coverage.n; i++) {
        const orr_column_coverage *c = &d->coverage.at[i];
        const double share = 100 * (double)c->stated / (double)d->arrivals.submissions;
        if (orr_coverage_never(c) || orr_coverage_always(d, c))
            continue;
        orr_text_addf(out, "  %-16s %9.4f%% [", c->column, share);
        strip(d, c, out);
        orr_text_addf(out, "]\n");
    }
}

static void list_columns(const orr_description *d, const char *title, bool always, orr_text *out)
{
    orr_text line = {0};
    for (size_t i = 0; i < d->coverage.n; i++) {
        const orr_column_coverage *c = &d->coverage.at[i];
        if (always ? orr_coverage_always(d, c) : orr_coverage_never(c))
            orr_text_addf(&line, "%s%s", line.n ? ", " : "", c->column);
    }
    if (line.n) {
        orr_text_addf(out, "  %-10s ", title);
        orr_text_wrap(out, 13, 13, line.at);
    }
    orr_text_fini(&line);
}

void orr_text_stated(const orr_description *d, orr_text *out)
{
    if (d->attributes.n)
        orr_text_addf(out, "\nattributes\n");
    for (size_t i = 0; i < d->attributes.n; i++)
        if (d->attributes.at[i].stated)
            attribute_line(&d->attributes.at[i], out);
    orr_text_addf(out, "\ncoverage     of columns that may be missing; by day: # all, 1-9 tenths, . none\n");
    list_columns(d, "always", true, out);
    list_columns(d, "never", false, out);
    gap_rows(d, out);
}
