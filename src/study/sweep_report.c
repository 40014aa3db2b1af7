/* The tables for people. */
#include "study/sweep_report.h"

#include "base/mem.h"
#include "study/numbers.h"
#include <math.h>
#include <stdio.h>

typedef struct tables {
    const orr_sweep_plan *plan;
    const orr_sweep_results *results;
    orr_table_form form;
    orr_bootstrap *bootstrap;
    bool repeated[ORR_SWEEP_AXES]; /* the axis of repeats */
    size_t repeats;
    bool biased; /* a mark was set */
} tables;

/* ---- numbers ---- */

/* Four digits that count, by rounding; the shortest form has no exponent then, unless the number is huge or tiny. */
static void four_digits(double v, char *buf)
{
    const double magnitude = v != 0 ? floor(log10(fabs(v))) : 0;
    if (magnitude > 3 && magnitude < 15)
        v = round(v);
    else if (magnitude <= 3 && magnitude > -15)
        v = round(v * pow(10, 3 - magnitude)) / pow(10, 3 - magnitude);
    orr_format_double(v, buf);
}

static void add_number(orr_text *t, double v, const char *unit)
{
    char buf[ORR_TIME_BUF + ORR_DOUBLE_BUF] = "-";
    if (isfinite(v) && strcmp(unit, "s") == 0)
        orr_time_human(orr_time_from_seconds(v), buf);
    else if (isfinite(v))
        four_digits(v, buf);
    orr_text_addf(t, "%s", buf);
}

static void add_signed(orr_text *t, double v, const char *unit)
{
    if (v > 0)
        orr_text_add(t, "+", 1);
    add_number(t, v, unit);
}

static void add_percent(orr_text *t, double share, bool sign)
{
    char buf[ORR_DOUBLE_BUF];
    const double tenths = round(share * 1000);
    if (!isfinite(share)) {
        orr_text_addf(t, "-");
        return;
    }
    orr_format_double(fabs(tenths) / 10, buf);
    orr_text_addf(t, "%s%s %%",
                  share < 0           ? "-"
                  : sign && share > 0 ? "+"
                                      : "",
                  tenths == 0 && share != 0 ? "0.0" : buf);
}

static void add_list(orr_text *t, const double *v, size_t n, const char *unit, bool sign)
{
    orr_text_addf(t, "{");
    for (size_t i = 0; i < n; i++) {
        orr_text_addf(t, i ? ", " : "");
        (sign ? add_signed : add_number)(t, v[i], unit);
    }
    orr_text_addf(t, "}");
}

static void add_range(orr_text *t, double low, double high, const char *unit)
{
    if (isnan(low)) {
        orr_text_addf(t, "-");
        return;
    }
    add_signed(t, low, unit);
    orr_text_addf(t, " .. ");
    add_signed(t, high, unit);
}

/* Ends a cell's text and begins the next one. */
static void put(orr_grid *grid, orr_text *t)
{
    orr_grid_cell(grid, t->n ? t->at : "", NULL);
    orr_text_clear(t);
}

/* ---- frame ---- */

static void heading(const tables *w, const char *text, orr_text *out)
{
    orr_text_addf(out, w->form == ORR_TABLE_MARKDOWN ? "\n## %s\n\n" : "\n%s\n\n", text);
}

static void add_head(const tables *w, orr_text *out)
{
    char cells[ORR_DOUBLE_BUF], failed[ORR_DOUBLE_BUF];
    const bool markdown = w->form == ORR_TABLE_MARKDOWN;
    orr_format_count(w->results->cells, cells);
    orr_format_count(w->results->failed, failed);
    orr_text_addf(out, "%s%s: %s cells", markdown ? "# " : "", w->plan->name[0] ? w->plan->name : "sweep", cells);
    if (w->results->failed)
        orr_text_addf(out, ", %s failed", failed);
    orr_text_addf(out, "\n");
}

static void axis_columns(const tables *w, const bool skip[ORR_SWEEP_AXES], orr_grid *grid)
{
    for (size_t i = 0; i < w->plan->axes.n; i++)
        if (!skip[i])
            orr_grid_column(grid, w->plan->axes.at[i].key, w->plan->axes.at[i].key, false);
}

static void axis_cells(const tables *w, const bool skip[ORR_SWEEP_AXES], const uint32_t *at, orr_grid *grid)
{
    for (size_t i = 0; i < w->plan->axes.n; i++)
        if (!skip[i])
            orr_grid_cell(grid, orr_sweep_value(w->plan, i, at), NULL);
}

static void print(const tables *w, orr_grid *grid, orr_text *out)
{
    orr_grid_print(grid, w->form, out);
    orr_grid_destroy(grid);
}

static const char *unit_of(const tables *w, size_t metric)
{
    return orr_numbers_unit(w->plan->metrics.at[metric].text);
}

/* ---- configurations ---- */

static void sample_cell(tables *w, const orr_sweep_contrast *c, const char *unit, orr_text *t)
{
    const orr_sample *s = &c->sample;
    add_number(t, s->mean, unit);
    if (c->biased && s->n) {
        orr_text_addf(t, "*");
        w->biased = true;
    }
    if (s->n >= ORR_STATS_LEAST) {
        orr_text_addf(t, " +- ");
        add_number(t, s->high - s->mean, unit);
    } else if (s->n > 1) {
        orr_text_addf(t, " ");
        add_list(t, c->values, s->n, unit, false);
    }
}

static void configuration_row(tables *w, const uint32_t *at, orr_grid *grid)
{
    orr_sweep_contrast c;
    orr_text t = {0};
    orr_sweep_contrast_make(w->plan, w->results, at, 0, NULL, &c);
    const bool there = c.repeats > 0;
    if (there)
        axis_cells(w, w->repeated, at, grid);
    for (size_t m = 0; m < w->plan->metrics.n && there; m++) {
        if (m > 0) {
            orr_sweep_contrast_fini(&c);
            orr_sweep_contrast_make(w->plan, w->results, at, m, NULL, &c);
        }
        if (m == 0 && w->repeats > 1) {
            orr_text_addf(&t, "%zu", c.sample.n);
            if (c.sample.n < c.repeats)
                orr_text_addf(&t, " of %zu", c.repeats);
            put(grid, &t);
        }
        sample_cell(w, &c, unit_of(w, m), &t);
        put(grid, &t);
    }
    orr_sweep_contrast_fini(&c);
    orr_text_fini(&t);
}

static void add_configurations(tables *w, orr_text *out)
{
    uint32_t at[ORR_SWEEP_AXES] = {0};
    orr_grid *grid = orr_grid_create();
    axis_columns(w, w->repeated, grid);
    if (w->repeats > 1)
        orr_grid_column(grid, "n", "n", true);
    for (size_t m = 0; m < w->plan->metrics.n; m++)
        orr_grid_column(grid, w->plan->metrics.at[m].text, w->plan->metrics.at[m].text, true);
    do
        configuration_row(w, at, grid);
    while (orr_sweep_next(w->plan, w->repeated, at));
    orr_text_addf(out, "\n");
    print(w, grid, out);
    if (w->repeats >= ORR_STATS_LEAST)
        orr_text_addf(out, "\nmeans over %s; +- is half of the 95 %% interval (Student t)\n",
                      w->plan->axes.at[w->plan->repeats].key);
    if (w->biased)
        orr_text_addf(out, "\n* jobs were still running or queued at the end: covers survivors only\n");
}

/* ---- differences ---- */

static void baseline_name(const tables *w, orr_text *t)
{
    const char *sep = "";
    for (size_t i = 0; i < w->plan->axes.n; i++) {
        if (!w->plan->compared[i])
            continue;
        orr_text_addf(t, "%s%s=%s", sep, w->plan->axes.at[i].key, orr_sweep_value(w->plan, i, w->plan->baseline));
        sep = " ";
    }
}

static void difference_columns(const tables *w, orr_direction better, orr_grid *grid)
{
    const bool target = better == ORR_BETTER_TARGET;
    axis_columns(w, w->repeated, grid);
    orr_grid_column(grid, "difference", "difference", true);
    orr_grid_column(grid, "relative", "relative", true);
    if (w->repeats < 2)
        return;
    if (w->repeats >= ORR_STATS_LEAST) {
        orr_grid_column(grid, "95 % t", "t", true);
        orr_grid_column(grid, "95 % bootstrap", "bootstrap", true);
    } else {
        orr_grid_column(grid, "each", "each", true);
    }
    orr_grid_column(grid, target ? "above" : "better", "better", true);
    orr_grid_column(grid, target ? "below" : "worse", "worse", true);
    orr_grid_column(grid, "same", "same", true);
}

static void interval_cells(const tables *w, const orr_sweep_contrast *c, const char *unit, orr_grid *grid, orr_text *t)
{
    if (w->repeats >= ORR_STATS_LEAST) {
        add_range(t, c->difference.low, c->difference.high, unit);
        put(grid, t);
        add_range(t, c->boot_low, c->boot_high, unit);
    } else {
        add_list(t, c->differences, c->difference.n, unit, true);
    }
    put(grid, t);
}

static void difference_cells(const tables *w, const orr_sweep_contrast *c, size_t metric, orr_grid *grid, orr_text *t)
{
    const bool lower = w->plan->metrics.at[metric].better == ORR_BETTER_LOWER;
    const char *unit = unit_of(w, metric);
    add_signed(t, c->difference.mean, unit);
    put(grid, t);
    add_percent(t, c->base != 0 ? c->difference.mean / fabs(c->base) : NAN, true);
    put(grid, t);
    if (w->repeats < 2)
        return;
    interval_cells(w, c, unit, grid, t);
    orr_text_addf(t, "%zu", lower ? c->signs.below : c->signs.above);
    put(grid, t);
    orr_text_addf(t, "%zu", lower ? c->signs.above : c->signs.below);
    put(grid, t);
    orr_text_addf(t, "%zu", c->signs.zero);
    put(grid, t);
}

static void add_differences_of(const tables *w, size_t metric, orr_text *out)
{
    uint32_t at[ORR_SWEEP_AXES] = {0};
    orr_text t = {0};
    const orr_direction better = w->plan->metrics.at[metric].better;
    orr_grid *grid = orr_grid_create();
    difference_columns(w, better, grid);
    do {
        orr_sweep_contrast c;
        orr_sweep_contrast_make(w->plan, w->results, at, metric, w->bootstrap, &c);
        if (c.paired && c.repeats) {
            axis_cells(w, w->repeated, at, grid);
            difference_cells(w, &c, metric, grid, &t);
        }
        orr_sweep_contrast_fini(&c);
    } while (orr_sweep_next(w->plan, w->repeated, at));
    orr_text_addf(&t, "%s against ", w->plan->metrics.at[metric].text);
    baseline_name(w, &t);
    if (better != ORR_BETTER_TARGET)
        orr_text_addf(&t, " (%s is better)", orr_direction_name(better));
    heading(w, t.at, out);
    print(w, grid, out);
    orr_text_fini(&t);
}

/* ---- who wins where ---- */

static void add_names(const tables *w, const uint32_t *at, orr_text *t)
{
    const char *sep = "";
    for (size_t i = 0; i < w->plan->axes.n; i++) {
        if (!w->plan->compared[i])
            continue;
        orr_text_addf(t, "%s%s", sep, orr_sweep_value(w->plan, i, at));
        sep = " ";
    }
}

static void winner_cell(const tables *w, const orr_sweep_winner *winner, const char *unit, orr_text *t)
{
    if (winner->candidates == 0) {
        orr_text_addf(t, "-");
        return;
    }
    add_names(w, winner->best, t);
    if (winner->candidates == 1)
        return;
    orr_text_addf(t, winner->tie ? " = " : winner->clear ? " (clear), " : ", ");
    add_names(w, winner->second, t);
    if (!winner->tie) {
        orr_text_addf(t, " ");
        if (isnan(winner->behind))
            add_number(t, winner->gap, unit);
        else
            add_percent(t, winner->behind, false);
        orr_text_addf(t, " behind");
    }
}

static bool has_cells(const tables *w, const bool fixed[ORR_SWEEP_AXES], const uint32_t *point)
{
    uint32_t at[ORR_SWEEP_AXES];
    bool rest[ORR_SWEEP_AXES];
    memcpy(at, point, sizeof at);
    for (size_t i = 0; i < w->plan->axes.n; i++)
        rest[i] = !fixed[i];
    do
        if (orr_sweep_find(w->plan, at))
            return true;
    while (orr_sweep_next(w->plan, rest, at));
    return false;
}

static void winner_row(const tables *w, const bool skip[ORR_SWEEP_AXES], const uint32_t *at, orr_grid *grid,
                       bool *clear)
{
    orr_text t = {0};
    axis_cells(w, skip, at, grid);
    for (size_t m = 0; m < w->plan->metrics.n; m++) {
        orr_sweep_winner winner;
        orr_sweep_winner_find(w->plan, w->results, at, m, &winner);
        winner_cell(w, &winner, unit_of(w, m), &t);
        put(grid, &t);
        *clear |= winner.clear;
    }
    orr_text_fini(&t);
}

/* One title for what is compared: "which policy wins where". */
static void winners_title(const tables *w, orr_text *t)
{
    const char *sep = "which ";
    for (size_t i = 0; i < w->plan->axes.n; i++) {
        if (!w->plan->compared[i])
            continue;
        orr_text_addf(t, "%s%s", sep, w->plan->axes.at[i].key);
        sep = " and ";
    }
    orr_text_addf(t, " wins where");
}

static bool compares(const orr_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->axes.n; i++)
        if (plan->compared[i] && plan->axes.at[i].values.n > 1)
            return true;
    return false;
}

static void add_winners(const tables *w, orr_text *out)
{
    bool skip[ORR_SWEEP_AXES] = {false}, clear = false;
    uint32_t at[ORR_SWEEP_AXES] = {0};
    orr_text title = {0};
    for (size_t i = 0; i < w->plan->axes.n; i++)
        skip[i] = w->plan->compared[i] || w->repeated[i];
    orr_grid *grid = orr_grid_create();
    axis_columns(w, skip, grid);
    for (size_t m = 0; m < w->plan->metrics.n; m++)
        orr_grid_column(grid, w->plan->metrics.at[m].text, w->plan->metrics.at[m].text, false);
    do
        if (has_cells(w, skip, at))
            winner_row(w, skip, at, grid, &clear);
    while (orr_sweep_next(w->plan, skip, at));
    winners_title(w, &title);
    heading(w, title.at, out);
    orr_text_fini(&title);
    print(w, grid, out);
    if (clear)
        orr_text_addf(out, "\nclear: the 95 %% interval of the paired difference to the next best excludes 0\n");
}

/* ---- failures ---- */

static void add_failures(const tables *w, orr_text *out)
{
    static const bool none[ORR_SWEEP_AXES];
    enum { SHOWN = 50 };
    size_t shown = 0;
    orr_text t = {0};
    orr_grid *grid = orr_grid_create();
    orr_grid_column(grid, "cell", "cell", true);
    axis_columns(w, none, grid);
    orr_grid_column(grid, "why", "why", false);
    for (size_t cell = 1; cell <= w->results->cells && shown < SHOWN; cell++) {
        uint32_t at[ORR_SWEEP_AXES];
        if (!w->results->states[cell - 1].code)
            continue;
        shown++;
        orr_sweep_cell(w->plan, cell, at);
        orr_text_addf(&t, "%zu", cell);
        put(grid, &t);
        axis_cells(w, none, at, grid);
        orr_grid_cell(grid, orr_err_name(w->results->states[cell - 1].code), NULL);
    }
    orr_text_fini(&t);
    heading(w, "cells that failed; their numbers count nowhere", out);
    print(w, grid, out);
    if (shown < w->results->failed)
        orr_text_addf(out, "\nand %zu more\n", w->results->failed - shown);
}

void orr_sweep_tables(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_table_form form, orr_text *out)
{
    tables w = {.plan = plan, .results = results, .form = form, .repeats = 1};
    w.bootstrap = orr_bootstrap_create(plan->seed);
    if (plan->repeats < plan->axes.n) {
        w.repeated[plan->repeats] = true;
        w.repeats = plan->axes.at[plan->repeats].values.n;
    }
    add_head(&w, out);
    add_configurations(&w, out);
    for (size_t m = 0; m < plan->metrics.n && plan->has_baseline; m++)
        add_differences_of(&w, m, out);
    if (compares(plan))
        add_winners(&w, out);
    if (results->failed)
        add_failures(&w, out);
    orr_bootstrap_destroy(w.bootstrap);
}
