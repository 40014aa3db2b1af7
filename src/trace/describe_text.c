/* The description for people: one block a topic, numbers grouped by thousands, small plots. */
#include "trace/describe_lines.h"
#include "trace/flaw.h"
#include "trace/plot.h"
#include <stdio.h>

#define TOP 10  /* names listed of VCs, users, … */
#define ROWS 24 /* lines of a histogram */

const char *orr_count_text(uint64_t value, char buf[ORR_DOUBLE_BUF])
{
    orr_format_count(value, buf);
    return buf;
}

void orr_text_wrap(orr_text *out, int at, int indent, const char *s)
{
    int column = at;
    while (*s) {
        const int n = (int)strcspn(s, " ");
        if (column > indent && column + 1 + n > ORR_TEXT_WIDTH) {
            orr_text_addf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            orr_text_addf(out, " ");
            column++;
        }
        orr_text_add(out, s, (size_t)n);
        column += n;
        s += n;
        s += strspn(s, " ");
    }
    orr_text_addf(out, "\n");
}

/* ---- where it comes from ---- */

void orr_text_note(const orr_trace *trace, const orr_note *note, orr_text *out)
{
    char count[ORR_DOUBLE_BUF], line[32] = "";
    if (note->first_lines[0])
        snprintf(line, sizeof line, "line %u", note->first_lines[0]);
    const bool beside = note->file && strcmp(note->file, orr_trace_name(trace)) != 0;
    orr_text_addf(out, "  %-7s %-24s %11s   %s%s%s\n%10s", orr_note_kind_name(note->kind), note->reason,
                  orr_count_text(note->count, count), line, beside ? " of " : "", beside ? note->file : "", "");
    orr_text_wrap(out, 10, 10, note->detail);
}

static void source(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF];
    const orr_note *notes;
    const orr_trace_input *inputs;
    const size_t n = orr_trace_notes(d->trace, &notes), files = orr_trace_inputs(d->trace, &inputs);
    orr_text_addf(out, "trace       %s\n", orr_trace_name(d->trace));
    for (size_t i = 1; i < files; i++)
        orr_text_addf(out, "  with      %s\n", inputs[i].path);
    orr_text_addf(out, "format      %s\n", orr_trace_format(d->trace));
    orr_text_addf(out, "jobs        %s   (rows %s, dropped %s)\n", orr_count_text(d->jobs, a),
                  orr_count_text(d->rows, b), orr_count_text(d->dropped, c));
    if (d->withdrawn)
        orr_text_addf(out, "withdrawn   %s, before they ran\n", orr_count_text(d->withdrawn, a));
    for (size_t i = 0; i < n; i++)
        orr_text_note(d->trace, &notes[i], out);
}

/* ---- span and totals ---- */

static void span(const orr_description *d, orr_text *out)
{
    char buf[ORR_CIVIL_BUF], exact[ORR_TIME_BUF];
    const orr_time times[] = {d->first, d->last, d->last_end};
    static const char *const names[] = {"first submit", "last submit", "last end"};
    orr_text_addf(out, "origin      %s\n", d->calendar ? orr_trace_origin(d->trace) : "not known (times are relative)");
    for (int i = 0; i < 3; i++) {
        orr_time_format(times[i], exact);
        orr_text_addf(out, "  %-13s %s   (%s s)\n", names[i], orr_describe_moment(d, times[i], buf), exact);
    }
    orr_time_human(d->last_end - d->first, exact);
    orr_text_addf(out, "span        %s from the first submit to the last end\n", exact);
}

static const char *gibibytes(orr_wide bytes, char buf[ORR_WIDE_BUF])
{
    return orr_grouped((double)bytes / (1024.0 * 1024 * 1024), 1, buf);
}

/* Sums over all records, as if they were all there at once. */
static void asked(const char *who, const orr_asked *a, orr_text *out)
{
    char gpus[ORR_WIDE_BUF], cores[ORR_WIDE_BUF], mem[ORR_WIDE_BUF], count[ORR_DOUBLE_BUF];
    orr_text_addf(out, "%-11s %s GPUs", who, orr_grouped((double)a->milli / 1000, a->milli % 1000 ? 3 : 0, gpus));
    if (a->cpus_stated)
        orr_text_addf(out, ", %s cores", orr_grouped((double)a->cpu_milli / 1000, a->cpu_milli % 1000 ? 3 : 0, cores));
    if (a->mem_stated)
        orr_text_addf(out, ", %s GiB", gibibytes(a->mem_bytes, mem));
    if (a->of_fractions)
        orr_text_addf(out, ";\n%12s%s ask for a part of a GPU", "", orr_count_text(a->of_fractions, count));
    orr_text_addf(out, "\n");
}

static void totals(const orr_description *d, orr_text *out)
{
    char wide[ORR_WIDE_BUF], number[ORR_WIDE_BUF];
    orr_wide_decimal(d->milli_ns, 12, wide);
    orr_text_addf(out, "GPU time    %s GPU-hours   (%s GPU-s)\n", orr_grouped(orr_milli_hours(d->milli_ns), 6, number),
                  wide);
    if (d->asked.of_fractions)
        orr_text_addf(out, "  in whole  %s GPU-hours, if a part takes its GPU\n",
                      orr_grouped(orr_wide_hours(d->gpu_ns), 6, number));
    orr_text_addf(out, "job time    %s job-hours\n", orr_grouped(orr_wide_hours(d->job_ns), 6, number));
    orr_text_addf(out, "mean GPUs   %.6f\n", d->mean_gpus);
    asked("asked for", &d->asked, out);
    if (d->withdrawn)
        asked("  withdrawn", &d->asked_withdrawn, out);
}

/* ---- distributions ---- */

typedef struct spread_column {
    const char *name, *unit;
    const orr_spread *spread;
} spread_column;

static void spread_row(const char *name, const spread_column *columns, size_t n, const double *values, int decimals,
                       orr_text *out)
{
    char buf[ORR_WIDE_BUF];
    orr_text_addf(out, "  %-6s", name);
    for (size_t i = 0; i < n; i++)
        if (columns[i].spread->n)
            orr_text_addf(out, " %17s", orr_grouped(values[i], decimals, buf));
    orr_text_addf(out, "\n");
}

static void spread_head(const spread_column *columns, size_t n, bool units, orr_text *out)
{
    orr_text_addf(out, "%8s", "");
    for (size_t i = 0; i < n; i++)
        if (columns[i].spread->n)
            orr_text_addf(out, " %17s", units ? columns[i].unit : columns[i].name);
    orr_text_addf(out, "\n");
}

static void spreads(const orr_description *d, orr_text *out)
{
    const spread_column columns[] = {{"duration", "s", &d->duration},
                                     {"GPU time", "GPU-s", &d->gpu_time},
                                     {"recorded wait", "s", &d->recorded.wait},
                                     {"submit to end", "s", &d->recorded.in_system}};
    enum { N = sizeof columns / sizeof *columns };
    double min[N], max[N], mean[N], sd[N], quantile[N];
    orr_text_addf(out, "\n");
    spread_head(columns, N, false, out);
    spread_head(columns, N, true, out);
    for (int i = 0; i < N; i++) {
        const orr_spread *s = columns[i].spread;
        min[i] = s->min, max[i] = s->max, mean[i] = s->mean, sd[i] = s->sd;
    }
    spread_row("min", columns, N, min, 3, out);
    for (int q = 0; q < ORR_DESCRIBE_QUANTILES; q++) {
        for (int i = 0; i < N; i++)
            quantile[i] = columns[i].spread->q[q];
        spread_row(q + 1 == ORR_DESCRIBE_QUANTILES ? "p99.9" : orr_describe_p_names[q], columns, N, quantile, 3, out);
    }
    spread_row("max", columns, N, max, 3, out);
    spread_row("mean", columns, N, mean, 6, out);
    spread_row("sd", columns, N, sd, 4, out);
}

/* A bar behind what stands in the line already, after `column` cells. */
static void bar(const orr_description *d, uint64_t value, uint64_t most, int column, orr_text *out)
{
    if (value) {
        orr_text_addf(out, "  ");
        orr_plot_bar(out, (double)value, (double)most, ORR_TEXT_WIDTH - column - 2, d->blocks);
    }
    orr_text_addf(out, "\n");
}

static void duration_bins(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF];
    uint64_t most = 0;
    for (int i = 0; i < ORR_DESCRIBE_BINS; i++)
        most = d->bins[i].jobs > most ? d->bins[i].jobs : most;
    orr_text_addf(out, "\nduration          jobs\n");
    for (int i = 0; i < ORR_DESCRIBE_BINS; i++) {
        orr_text_addf(out, "  %-8s %11s", d->bins[i].name, orr_count_text(d->bins[i].jobs, a));
        bar(d, d->bins[i].jobs, most, 22, out);
    }
}

static void size_rows(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_WIDE_BUF];
    uint64_t most = 0;
    for (size_t i = 0; i < d->sizes.n; i++)
        most = d->sizes.at[i].jobs > most ? d->sizes.at[i].jobs : most;
    orr_text_addf(out, "\nGPUs              jobs         GPU-hours\n");
    for (size_t i = 0; i < d->sizes.n && i < ROWS; i++) {
        const orr_size_facts *size = &d->sizes.at[i];
        orr_text_addf(out, "  %-8d %11s %17s", size->gpus, orr_count_text(size->jobs, a),
                      orr_grouped(orr_milli_hours(size->milli_ns), 3, b));
        bar(d, size->jobs, most, 40, out);
    }
    if (d->sizes.n > ROWS)
        orr_text_addf(out, "  and %zu more sizes, up to %d\n", d->sizes.n - ROWS, d->sizes.at[d->sizes.n - 1].gpus);
}

static void fraction_rows(const orr_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF];
    uint64_t most = 0;
    if (d->fractions.n == 0 || d->fractions.at[0].gpu_milli == 1000)
        return;
    for (size_t i = 0; i < d->fractions.n; i++)
        most = d->fractions.at[i].jobs > most ? d->fractions.at[i].jobs : most;
    orr_text_addf(out, "\npart of 1 GPU     jobs   withdrawn\n");
    for (size_t i = 0; i < d->fractions.n && i < ROWS; i++) {
        const orr_fraction_facts *f = &d->fractions.at[i];
        orr_text_addf(out, "  %-8.3f %11s %11s", f->gpu_milli / 1000.0, orr_count_text(f->jobs, a),
                      orr_count_text(f->withdrawn, b));
        bar(d, f->jobs, most, 34, out);
    }
    if (d->fractions.n > ROWS)
        orr_text_addf(out, "  and %zu more parts\n", d->fractions.n - ROWS);
}

/* ---- shares ---- */

static void share_line(const orr_description *d, const orr_share_facts *share, orr_text *out)
{
    char jobs[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF], median[ORR_WIDE_BUF], first[ORR_CIVIL_BUF], last[ORR_CIVIL_BUF];
    orr_text_addf(out, "%-12s %9s %14s %12s %7d %10s %10s\n", share->name[0] ? share->name : "(none)",
                  orr_count_text(share->jobs, jobs), orr_grouped(orr_milli_hours(share->milli_ns), 3, hours),
                  orr_grouped(share->median_duration, 1, median), share->max_gpus,
                  orr_describe_day(d, share->first, first), orr_describe_day(d, share->last, last));
}

static void rest_line(const orr_shares *shares, orr_text *out)
{
    char jobs[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF], names[ORR_DOUBLE_BUF];
    uint64_t count = 0;
    orr_wide milli_ns = 0;
    for (size_t i = TOP; i < shares->n; i++) {
        count += shares->at[i].jobs;
        milli_ns += shares->at[i].milli_ns;
    }
    orr_text_addf(out, "%-12s %9s %14s   and %s more\n", "...", orr_count_text(count, jobs),
                  orr_grouped(orr_milli_hours(milli_ns), 3, hours), orr_count_text(shares->n - TOP, names));
}

static void share_table(const orr_description *d, const char *title, const orr_shares *shares, orr_text *out)
{
    if (!orr_shares_named(shares))
        return;
    orr_text_addf(out, "\n%-12s %9s %14s %12s %7s %10s %10s\n", title, "jobs", "GPU-hours", "median s",
                  "GPUs <=", "from", "to");
    for (size_t i = 0; i < shares->n && i < TOP; i++)
        share_line(d, &shares->at[i], out);
    if (shares->n > TOP)
        rest_line(shares, out);
}

void orr_trace_describe_text(const orr_description *d, orr_text *out)
{
    source(d, out);
    if (d->jobs == 0)
        return;
    span(d, out);
    totals(d, out);
    spreads(d, out);
    duration_bins(d, out);
    size_rows(d, out);
    fraction_rows(d, out);
    share_table(d, "VC", &d->vcs, out);
    share_table(d, "user", &d->users, out);
    share_table(d, "GPU type", &d->gpu_types, out);
    share_table(d, "model", &d->models, out);
    share_table(d, "group", &d->groups, out);
    orr_text_arrivals(d, out);
    orr_text_record(d, out);
    orr_text_stated(d, out);
}
