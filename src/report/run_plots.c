/* Distributions of a run, and what happened over time. */
#include "report/run_plots.h"

#include "base/stat.h"
#include "report/svg_plot.h"
#include <math.h>
#include <stdio.h>

/* ---- notes ---- */

void orr_bins_note(const orr_run_levels *levels, orr_text *out)
{
    char width[ORR_TIME_BUF];
    orr_time_human(orr_time_from_seconds((levels->to - levels->from) / ORR_RUN_BINS), width);
    orr_text_addf(out, "means over bins of %s", width);
}

void orr_cdf_note(const orr_cdf *cdf, orr_text *out)
{
    char count[ORR_DOUBLE_BUF];
    orr_format_count(cdf->values, count);
    if (cdf->values > ORR_CURVE_POINTS)
        orr_text_addf(out, "%d exact quantiles of ", ORR_CURVE_POINTS);
    orr_text_addf(out, "%s measured jobs", count);
}

/* ---- over time ---- */

static orr_svg_axis clock_axis(const orr_run_levels *levels)
{
    return orr_svg_clock(levels->from, levels->to);
}

static orr_svg_series series_of(const orr_run_levels *levels, const double *values, const char *name)
{
    return (orr_svg_series){.name = name, .x = levels->at, .y = values, .n = ORR_RUN_BINS, .steps = true};
}

static double most_of(const double *values)
{
    double most = 0;
    for (int i = 0; i < ORR_RUN_BINS; i++)
        most = fmax(most, values[i]);
    return most;
}

/* GPUs held by each VC, the most GPU time first. */
static int heavier(const void *left, const void *right)
{
    const orr_binned *a = *(const orr_binned *const *)left, *b = *(const orr_binned *const *)right;
    if (a->integral < b->integral || b->integral < a->integral)
        return a->integral > b->integral ? -1 : 1;
    return strcmp(a->entity, b->entity);
}

typedef ORR_VEC(const orr_binned *) binned_list;

static binned_list held_by_vc(const orr_run_levels *levels)
{
    binned_list list = {0};
    for (size_t i = 0; i < levels->list.n; i++) {
        const orr_binned *b = levels->list.at[i];
        if (strncmp(b->entity, "vc:", 3) == 0 && strcmp(b->metric, "gpus_held") == 0 && b->integral > 0)
            ORR_VEC_PUSH(&list, b);
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, heavier);
    return list;
}

/* All that have no colour of their own are one layer. */
static size_t layers_of(const orr_run_levels *levels, const binned_list *list, double *rest, char name[32],
                        orr_svg_series *layers)
{
    const size_t own = list->n <= ORR_SVG_SERIES ? list->n : ORR_SVG_SERIES - 1;
    for (size_t i = 0; i < own; i++)
        layers[i] = series_of(levels, list->at[i]->mean, list->at[i]->entity + 3);
    if (own == list->n)
        return own;
    for (size_t i = own; i < list->n; i++)
        for (int bin = 0; bin < ORR_RUN_BINS; bin++)
            rest[bin] += list->at[i]->mean[bin];
    snprintf(name, 32, "%zu others", list->n - own);
    layers[own] = series_of(levels, rest, name);
    return own + 1;
}

static double top_of(const orr_svg_series *layers, size_t n)
{
    double most = 0;
    for (int bin = 0; bin < ORR_RUN_BINS; bin++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += layers[i].y[bin];
        most = fmax(most, sum);
    }
    return most;
}

void orr_run_plot_gpus(const orr_run_levels *levels, orr_text *out)
{
    const orr_binned *held = orr_run_level(levels, "cluster", "gpus_held");
    const orr_binned *total = orr_run_level(levels, "cluster", "gpus_total");
    binned_list vcs = held_by_vc(levels);
    orr_svg_series layers[ORR_SVG_SERIES], bound = {0};
    double rest[ORR_RUN_BINS] = {0};
    char other[32], there[48] = "", count[ORR_DOUBLE_BUF];
    orr_text note = {0};
    size_t n = held ? 1 : 0;
    if (held)
        layers[0] = series_of(levels, held->mean, "held");
    if (vcs.n > 1)
        n = layers_of(levels, &vcs, rest, other, layers);
    if (total) {
        bound = series_of(levels, total->mean, there);
        orr_format_count((uint64_t)llround(total->mean[ORR_RUN_BINS - 1]), count);
        snprintf(there, sizeof there, "%.30s GPUs", count);
    }
    orr_bins_note(levels, &note);
    const orr_svg_frame frame = {.id = "gpus",
                                 .title = vcs.n > 1 ? "GPUs held, by virtual cluster" : "GPUs held",
                                 .note = note.at,
                                 .height = ORR_TIMELINE_HEIGHT,
                                 .wide = true};
    const orr_svg_axis x = clock_axis(levels),
                       y = orr_svg_numbers(fmax(top_of(layers, n), total ? most_of(total->mean) : 0));
    if (n)
        orr_svg_stack(out, &frame, &x, &y, layers, n, total ? &bound : NULL);
    ORR_VEC_FREE(&vcs);
    orr_text_fini(&note);
}

void orr_run_plot_queue(const orr_run_levels *levels, orr_text *out)
{
    const orr_binned *queued = orr_run_level(levels, "cluster", "jobs_queued");
    if (!queued)
        return;
    orr_text note = {0};
    orr_bins_note(levels, &note);
    orr_text_addf(&note, "; the thin line is the most in each");
    const orr_svg_frame frame = {
        .id = "queue", .title = "Jobs queued", .note = note.at, .height = ORR_TIMELINE_HEIGHT - 40, .wide = true};
    orr_svg_series series[] = {series_of(levels, queued->most, "most"), series_of(levels, queued->mean, "mean")};
    series[0].faint = true;
    const orr_svg_axis x = clock_axis(levels), y = orr_svg_numbers(most_of(queued->most));
    orr_svg_lines(out, &frame, &x, &y, series, 2, true);
    orr_text_fini(&note);
}

/* ---- distributions ---- */

orr_svg_axis orr_cdf_axis(const orr_cdf *cdfs, size_t n, double low)
{
    double from = INFINITY, to = 1;
    for (size_t i = 0; i < n; i++) {
        if (cdfs[i].n == 0)
            continue;
        from = fmin(from, fmax(cdfs[i].x[0], low));
        to = fmax(to, cdfs[i].x[cdfs[i].n - 1]);
    }
    return orr_svg_durations(low > 0 && isfinite(from) ? from : 1, to);
}

enum { MARKS = 3 };

static size_t quantile_marks(const orr_values *v, double low, orr_svg_mark marks[MARKS], char labels[MARKS][48])
{
    static const double p[MARKS] = {0.5, 0.9, 0.99};
    static const char *const names[MARKS] = {"p50", "p90", "p99"};
    size_t n = 0;
    for (int i = 0; i < MARKS; i++) {
        const double at = orr_quantile(v->at, v->n, p[i]);
        char text[ORR_TIME_BUF];
        if (!(at >= low))
            continue;
        orr_time_human(orr_time_from_seconds(at), text);
        snprintf(labels[n], 48, "%s %.40s", names[i], text);
        marks[n] = (orr_svg_mark){at, p[i], labels[n]};
        n++;
    }
    return n;
}

void orr_run_plot_jct(const orr_run_jobs *jobs, orr_text *out)
{
    orr_svg_mark marks[MARKS];
    char labels[MARKS][48];
    orr_text note = {0};
    const orr_values *v = &jobs->jct;
    if (v->n == 0)
        return;
    orr_cdf cdf = orr_cdf_of(v->at, v->n);
    const orr_svg_axis x = orr_cdf_axis(&cdf, 1, 1e-3), y = orr_svg_shares();
    orr_text_addf(&note, "jct, cumulative: ");
    orr_cdf_note(&cdf, &note);
    orr_cdf_reach(&cdf, x.high);
    const orr_svg_frame frame = {
        .id = "jct", .title = "Submission to completion", .note = note.at, .height = ORR_HALF_HEIGHT};
    const orr_svg_series series = {
        .x = cdf.x, .y = cdf.share, .n = cdf.n, .marks = marks, .mark_count = quantile_marks(v, x.low, marks, labels)};
    orr_svg_lines(out, &frame, &x, &y, &series, 1, true);
    orr_text_fini(&note);
}

static double share_below(const orr_values *v, double x)
{
    size_t n = 0;
    while (n < v->n && v->at[n] < x)
        n++;
    return (double)n / (double)v->n;
}

void orr_run_plot_wait(const orr_run_jobs *jobs, orr_text *out)
{
    orr_text note = {0};
    if (jobs->wait_first.n == 0 || jobs->wait_total.n == 0)
        return;
    orr_cdf cdfs[2] = {orr_cdf_of(jobs->wait_first.at, jobs->wait_first.n),
                       orr_cdf_of(jobs->wait_total.at, jobs->wait_total.n)};
    const orr_svg_axis x = orr_cdf_axis(cdfs, 2, 0), y = orr_svg_shares();
    orr_text_addf(&note, "cumulative: ");
    orr_cdf_note(&cdfs[0], &note);
    orr_text_addf(&note, "; %.1f %% started within a second", 100 * share_below(&jobs->wait_first, 1));
    orr_cdf_reach(&cdfs[0], x.high);
    orr_cdf_reach(&cdfs[1], x.high);
    const orr_svg_frame frame = {
        .id = "wait", .title = "Wait before the first start, and in all", .note = note.at, .height = ORR_HALF_HEIGHT};
    const orr_svg_series series[] = {{.name = "wait_first", .x = cdfs[0].x, .y = cdfs[0].share, .n = cdfs[0].n},
                                     {.name = "wait_total", .x = cdfs[1].x, .y = cdfs[1].share, .n = cdfs[1].n}};
    orr_svg_lines(out, &frame, &x, &y, series, 2, false);
    orr_text_fini(&note);
}

static void size_row(const orr_values *v, int size, orr_svg_spread *row, char texts[3][160])
{
    static const double p[5] = {0.05, 0.25, 0.5, 0.75, 0.95};
    char count[ORR_DOUBLE_BUF], low[ORR_TIME_BUF], middle[ORR_TIME_BUF], high[ORR_TIME_BUF];
    for (int i = 0; i < 5; i++)
        row->q[i] = orr_quantile(v->at, v->n, p[i]);
    orr_format_count(v->n, count);
    orr_time_human(orr_time_from_seconds(row->q[2]), middle);
    orr_time_human(orr_time_from_seconds(row->q[0]), low);
    orr_time_human(orr_time_from_seconds(row->q[4]), high);
    snprintf(texts[0], 160, "%s %s", orr_pair_size_names[size], size == 1 ? "GPU" : "GPUs");
    snprintf(texts[1], 160, "%s jobs, p50 %s", count, middle);
    snprintf(texts[2], 160, "p5 %s, p50 %s, p95 %s", low, middle, high);
    row->name = texts[0];
    row->count = texts[1];
    row->tip = texts[2];
}

void orr_run_plot_sizes(const orr_run_jobs *jobs, orr_text *out)
{
    orr_svg_spread rows[ORR_PAIR_SIZES] = {0};
    char texts[ORR_PAIR_SIZES][3][160];
    size_t n = 0;
    for (int i = 0; i < ORR_PAIR_SIZES; i++)
        if (jobs->size_wait[i].n) {
            size_row(&jobs->size_wait[i], i, &rows[n], texts[n]);
            n++;
        }
    if (n == 0)
        return;
    const orr_svg_frame frame = {.id = "sizes",
                                 .title = "Wait by job size",
                                 .note =
                                     "wait_total: line p5 to p95, bar p25 to p75, dot p50; below 1 s at the left edge",
                                 .height = ORR_ROW_HEIGHT * (int)n};
    const orr_svg_axis x = orr_svg_durations(1, jobs->wait_total.at[jobs->wait_total.n - 1]);
    orr_svg_spreads(out, &frame, &x, rows, n);
}

void orr_run_plot_rho(const orr_run_jobs *jobs, orr_text *out)
{
    enum { BINS = 40 };
    double edges[BINS + 1];
    uint64_t counts[BINS] = {0};
    char note[128], count[ORR_DOUBLE_BUF];
    if (jobs->rho.n == 0)
        return;
    const double low = fmax(jobs->rho.at[0], 1e-3), high = jobs->rho.at[jobs->rho.n - 1];
    const orr_svg_axis x = orr_svg_decades(fmin(low, 0.5), fmax(high, 2));
    for (int i = 0; i <= BINS; i++)
        edges[i] = x.low * pow(x.high / x.low, (double)i / BINS);
    for (size_t i = 0; i < jobs->rho.n; i++)
        counts[(int)fmin(BINS - 1, BINS * orr_svg_place(&x, jobs->rho.at[i]))]++;
    orr_format_count(jobs->rho.n, count);
    snprintf(note, sizeof note, "rho:avg_n, %s measured jobs; above 1 is later than on an equal share", count);
    const orr_svg_frame frame = {.id = "rho", .title = "Finish-time fairness", .note = note, .height = ORR_HALF_HEIGHT};
    orr_svg_histogram(out, &frame, &x, edges, counts, BINS, 1, "equal share");
}
