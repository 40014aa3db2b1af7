#include "report/compare_plots.h"

#include "report/run_plots.h"
#include <math.h>
#include <stdio.h>

/* ---- reading ---- */

static orr_time end_of(const orr_result *r)
{
    const cJSON *end = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "sim_end");
    return cJSON_IsNumber(end) ? orr_time_from_seconds(end->valuedouble) : 0;
}

static orr_err take_jobs(orr_compare_curves *c, size_t i, orr_error *e)
{
    const orr_result *r = c->comparison->results.at[i].result;
    orr_run_jobs jobs;
    const orr_err err = orr_run_jobs_of(r, end_of(r), &jobs, e);
    if (err)
        return err;
    c->jct[i] = orr_cdf_of(jobs.jct.at, jobs.jct.n);
    c->wait[i] = orr_cdf_of(jobs.wait_total.at, jobs.wait_total.n);
    if (jobs.first != ORR_TIME_NONE && (i == 0 || jobs.first < c->from))
        c->from = jobs.first;
    c->to = end_of(r) > c->to ? end_of(r) : c->to;
    orr_run_jobs_fini(&jobs);
    return ORR_OK;
}

orr_compare_curves *orr_compare_curves_of(const orr_comparison *comparison, orr_error *e)
{
    orr_compare_curves *c = orr_xcalloc(1, sizeof *c);
    orr_err err = ORR_OK;
    c->comparison = comparison;
    c->n = comparison->results.n < ORR_SVG_SERIES ? comparison->results.n : ORR_SVG_SERIES;
    for (size_t i = 0; i < c->n && !err; i++)
        err = take_jobs(c, i, e);
    for (size_t i = 0; i < c->n && !err; i++)
        err = orr_run_levels_of(comparison->results.at[i].result, c->from, c->to, &c->levels[i], e);
    for (size_t i = 0; i < c->n && !err; i++)
        err = orr_served_of(comparison->results.at[i].result, c->from, c->to, &c->served[i], e);
    const cJSON *base = orr_result_summary(comparison->results.at[comparison->base].result);
    c->jobs = cJSON_GetObjectItemCaseSensitive(base, "trace");
    c->requests = cJSON_GetObjectItemCaseSensitive(base, "serving");
    if (!err)
        return c;
    orr_compare_curves_destroy(c);
    return NULL;
}

void orr_compare_curves_destroy(orr_compare_curves *c)
{
    for (size_t i = 0; c && i < c->n; i++) {
        orr_run_levels_fini(&c->levels[i]);
        orr_served_fini(&c->served[i]);
    }
    free(c);
}

static const char *label_of(const orr_comparison *c, size_t i)
{
    return c->results.at[i].label;
}

/* ---- curves ---- */

static void overlay(const orr_compare_curves *c, orr_cdf *cdfs, double low, orr_svg_frame frame, orr_text *out)
{
    orr_svg_series series[ORR_SVG_SERIES] = {0};
    orr_text note = {0};
    const orr_svg_axis x = orr_cdf_axis(cdfs, c->n, low), y = orr_svg_shares();
    orr_text_addf(&note, "%s, cumulative: ", frame.note);
    orr_cdf_note(&cdfs[0], &note);
    if (low <= 0)
        orr_text_addf(&note, "; below 1 s at the left edge");
    if (c->comparison->results.n > c->n)
        orr_text_addf(&note, "; the first %zu results", c->n);
    frame.note = note.at;
    for (size_t i = 0; i < c->n; i++) {
        orr_cdf_reach(&cdfs[i], x.high);
        series[i] =
            (orr_svg_series){.name = label_of(c->comparison, i), .x = cdfs[i].x, .y = cdfs[i].share, .n = cdfs[i].n};
    }
    orr_svg_lines(out, &frame, &x, &y, series, c->n, false);
    orr_text_fini(&note);
}

void orr_compare_plot_jct(orr_compare_curves *c, orr_text *out)
{
    const orr_svg_frame frame = {
        .id = "jct", .title = "Submission to completion", .note = "jct", .height = ORR_HALF_HEIGHT};
    overlay(c, c->jct, 1e-3, frame, out);
}

void orr_compare_plot_wait(orr_compare_curves *c, orr_text *out)
{
    const orr_svg_frame frame = {
        .id = "wait", .title = "All time without GPUs", .note = "wait_total", .height = ORR_HALF_HEIGHT};
    overlay(c, c->wait, 0, frame, out);
}

static void plot_level(const orr_compare_curves *c, const orr_run_levels *const *levels, const char *entity,
                       const char *metric, const char *title, orr_text *out)
{
    orr_svg_series series[ORR_SVG_SERIES] = {0};
    orr_text note = {0};
    double most = 0;
    for (size_t i = 0; i < c->n; i++) {
        const orr_binned *b = orr_run_level(levels[i], entity, metric);
        series[i] = (orr_svg_series){
            .name = label_of(c->comparison, i), .x = levels[i]->at, .n = b ? ORR_RUN_BINS : 0, .steps = true};
        series[i].y = b ? b->mean : NULL;
        for (int bin = 0; b && bin < ORR_RUN_BINS; bin++)
            most = fmax(most, b->mean[bin]);
    }
    orr_bins_note(levels[0], &note);
    const orr_svg_frame frame = {
        .id = metric, .title = title, .note = note.at, .height = ORR_TIMELINE_HEIGHT, .wide = true};
    const orr_svg_axis x = orr_svg_clock(levels[0]->from, levels[0]->to), y = orr_svg_numbers(most);
    orr_svg_lines(out, &frame, &x, &y, series, c->n, false);
    orr_text_fini(&note);
}

void orr_compare_plot_level(const orr_compare_curves *c, const char *metric, const char *title, orr_text *out)
{
    const orr_run_levels *levels[ORR_SVG_SERIES];
    for (size_t i = 0; i < c->n; i++)
        levels[i] = &c->levels[i];
    plot_level(c, levels, "cluster", metric, title, out);
}

void orr_compare_plot_serving(const orr_compare_curves *c, orr_text *out)
{
    const orr_run_levels *levels[ORR_SVG_SERIES];
    const orr_served *served[ORR_SVG_SERIES];
    const char *names[ORR_SVG_SERIES];
    for (size_t i = 0; i < c->n; i++) {
        levels[i] = &c->served[i].levels;
        served[i] = &c->served[i];
        names[i] = label_of(c->comparison, i);
    }
    orr_serve_plot_latencies(served, names, c->n, out);
    plot_level(c, levels, "services", "dropped", "Requests dropped a second", out);
    plot_level(c, levels, "services", "waiting", "Requests that wait", out);
    plot_level(c, levels, "executors", "busy", "Batches that run", out);
    orr_serve_plot_batch_shares(served, names, c->n, out);
}

/* ---- job by job ---- */

enum { TEXT = 96 };

/* p5 p25 p50 p75 p95 of the pair. */
static orr_svg_spread change_row(const orr_compared_result *r, size_t colour, char texts[2][TEXT])
{
    orr_svg_spread row = {.name = r->label, .count = texts[0], .tip = texts[1], .colour = colour};
    orr_text middle = {0};
    for (int i = 0; i < 5; i++)
        row.q[i] = r->paired.quantile[i + 1];
    orr_difference_shown(row.q[2], "s", &middle);
    snprintf(texts[0], TEXT, "p50 %.40s", middle.at);
    orr_text_clear(&middle);
    orr_difference_shown(r->paired.all.mean, "s", &middle);
    snprintf(texts[1], TEXT, "mean %.40s", middle.at);
    orr_text_fini(&middle);
    return row;
}

void orr_compare_plot_changes(const orr_comparison *c, orr_text *out)
{
    orr_svg_spread *rows = orr_xcalloc(c->results.n, sizeof *rows);
    char(*texts)[2][TEXT] = orr_xcalloc(c->results.n, sizeof *texts);
    orr_text title = {0};
    size_t n = 0;
    double low = 0, high = 0;
    for (size_t i = 0; i < c->results.n; i++) {
        if (!c->results.at[i].has_paired)
            continue;
        rows[n] = change_row(&c->results.at[i], i, texts[n]);
        low = fmin(low, rows[n].q[0]); /* NaN without pairs: then the other */
        high = fmax(high, rows[n].q[4]);
        n++;
    }
    orr_text_addf(&title, "Change of each job's jct against %s", label_of(c, c->base));
    const orr_svg_frame frame = {.id = "changes",
                                 .title = title.at,
                                 .note = "line p5 to p95, bar p25 to p75, dot p50; left of 0 it completed sooner",
                                 .height = (int)n * (ORR_ROW_HEIGHT + 4),
                                 .wide = true};
    const orr_svg_axis x = orr_svg_changes(low, high);
    if (n)
        orr_svg_spreads(out, &frame, &x, rows, n);
    orr_text_fini(&title);
    free(rows);
    free(texts);
}

static void split_row(const orr_pair_sums *s, const char *name, const char *unit, orr_svg_split *row,
                      char texts[2][TEXT])
{
    char pairs[ORR_DOUBLE_BUF];
    orr_format_count(s->pairs, pairs);
    snprintf(texts[0], TEXT, "%s%s", name, unit);
    snprintf(texts[1], TEXT, "+%.1f %% -%.1f %% of %s", 100 * (double)s->better / (double)s->pairs,
             100 * (double)s->worse / (double)s->pairs, pairs);
    *row = (orr_svg_split){texts[0], texts[1], s->better, s->equal, s->worse};
}

static size_t split_rows(const orr_paired *p, orr_svg_split *rows, char (*texts)[2][TEXT])
{
    size_t n = 0;
    for (int i = 0; i < ORR_PAIR_SIZES; i++)
        if (p->size[i].pairs) {
            split_row(&p->size[i], orr_pair_size_names[i], i == 1 ? " GPU" : " GPUs", &rows[n], texts[n]);
            n++;
        }
    for (int i = 0; i < ORR_PAIR_DURATIONS; i++)
        if (p->duration[i].pairs) {
            split_row(&p->duration[i], orr_pair_duration_names[i], " long", &rows[n], texts[n]);
            n++;
        }
    return n;
}

static void splits_of(const orr_comparison *c, size_t i, orr_text *out)
{
    enum { ROWS = ORR_PAIR_SIZES + ORR_PAIR_DURATIONS };
    orr_svg_split rows[ROWS];
    char texts[ROWS][2][TEXT], id[32];
    orr_text title = {0};
    const size_t n = split_rows(&c->results.at[i].paired, rows, texts);
    snprintf(id, sizeof id, "splits-%zu", i);
    orr_text_addf(&title, "%s against %s", label_of(c, i), label_of(c, c->base));
    const orr_svg_frame frame = {.id = id,
                                 .title = title.at,
                                 .note =
                                     "shares of jobs that completed sooner (+) and later (-), by size and by duration",
                                 .height = (int)n * ORR_ROW_HEIGHT};
    if (n)
        orr_svg_splits(out, &frame, rows, n);
    orr_text_fini(&title);
}

void orr_compare_plot_splits(const orr_comparison *c, orr_text *out)
{
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].has_paired)
            splits_of(c, i, out);
}
