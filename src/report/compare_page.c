#include "report/compare_page.h"

#include "report/compare_plots.h"
#include "report/page.h"
#include <math.h>
#include <stdio.h>

static const orr_result *base_of(const orr_comparison *c)
{
    return c->results.at[c->base].result;
}

/* ---- the head ---- */

static void title(const orr_comparison *c, orr_text *out)
{
    orr_text text = {0};
    for (size_t i = 0; i < c->results.n && i < ORR_SVG_SERIES; i++)
        orr_text_addf(&text, "%s%s", i ? ", " : "", c->results.at[i].label);
    if (c->results.n > ORR_SVG_SERIES)
        orr_text_addf(&text, " and %zu more", c->results.n - ORR_SVG_SERIES);
    orr_page_begin(out, "comparison", text.at);
    orr_text_fini(&text);
}

static void head_of_requests(const orr_result *r, orr_text *line, orr_text *out)
{
    double arrived = 0;
    char count[ORR_DOUBLE_BUF];
    orr_result_metric(r, "requests.arrived", &arrived);
    orr_format_count((uint64_t)fmax(0, arrived), count);
    orr_text_addf(line, "Services %s on %s: %s requests measured.", orr_result_text(r, "serving.name"),
                  orr_result_text(r, "cluster.name"), count);
    orr_page_paragraph(out, line->at);
    orr_text_clear(line);
}

static void head_of_jobs(const orr_result *r, orr_text *line, orr_text *out)
{
    double measured = 0;
    char count[ORR_DOUBLE_BUF];
    orr_result_metric(r, "measured", &measured);
    orr_format_count((uint64_t)fmax(0, measured), count);
    orr_text_addf(line, "%s on %s: %s jobs measured, by the rule %s.", orr_result_text(r, "trace.name"),
                  orr_result_text(r, "cluster.name"), count, orr_result_text(r, "measured.rule"));
    orr_page_paragraph(out, line->at);
    orr_text_clear(line);
}

static void head(const orr_comparison *c, const orr_compare_curves *curves, orr_text *out)
{
    orr_text line = {0};
    if (curves->jobs)
        head_of_jobs(base_of(c), &line, out);
    if (curves->requests)
        head_of_requests(base_of(c), &line, out);
    orr_text_addf(&line, "Differences are to %s.", c->results.at[c->base].label);
    orr_page_paragraph(out, line.at);
    orr_text_fini(&line);
}

static void caveats(const orr_comparison *c, orr_text *out)
{
    orr_text line = {0};
    for (size_t i = 0; i < c->results.n; i++) {
        if (!c->results.at[i].biased)
            continue;
        orr_text_clear(&line);
        orr_text_addf(&line, "%s left jobs unfinished: its means are over survivors only.", c->results.at[i].label);
        orr_page_paragraph(out, line.at);
    }
    orr_text_fini(&line);
}

static void facts(const orr_comparison *c, const char *key, orr_text *out)
{
    orr_text shown = {0}, label = {0};
    orr_page_facts_begin(out);
    for (size_t i = 0; i < c->results.n; i++) {
        double value = NAN;
        orr_text_clear(&shown);
        orr_text_clear(&label);
        orr_result_metric(c->results.at[i].result, key, &value);
        orr_metric_shown(value, "s", &shown);
        orr_text_addf(&label, "%s, %s", key, c->results.at[i].label);
        orr_page_fact(out, shown.at, label.at);
    }
    orr_page_facts_end(out);
    orr_text_fini(&shown);
    orr_text_fini(&label);
}

static orr_grid *grid_by_result(const orr_comparison *c, const char *first)
{
    orr_grid *grid = orr_grid_create();
    orr_grid_column(grid, first, first, false);
    for (size_t i = 0; i < c->results.n; i++)
        orr_grid_column(grid, c->results.at[i].label, c->results.at[i].label, false);
    return grid;
}

static void disparities(const orr_comparison *c, orr_text *out)
{
    orr_grid *grid = grid_by_result(c, "setting");
    for (size_t d = 0; d < c->disparities.n; d++) {
        orr_grid_text(grid, c->disparities.at[d].what);
        for (size_t i = 0; i < c->results.n; i++)
            orr_grid_text(grid, c->disparities.at[d].values[i]);
    }
    orr_page_table(out, "They differ in more than the policy", grid);
}

/* ---- metrics ---- */

/* A value, and below it how far it lies from the base. */
static void value_cell(const orr_comparison *c, const orr_compared_metric *m, size_t i, orr_text *out)
{
    const orr_compared_value *v = &m->values[i];
    char exact[ORR_DOUBLE_BUF] = "";
    orr_text shown = {0};
    if (!isnan(v->value))
        orr_format_double(v->value, exact);
    orr_metric_shown(v->value, m->unit, &shown);
    orr_text_addf(out, "<td class=\"n%s\" data-v=\"%s\">%s", v->best ? " best" : "", exact, v->best ? "* " : "");
    orr_markup(out, shown.at);
    orr_text_clear(&shown);
    if (i != c->base && !isnan(v->relative)) {
        orr_relative_shown(v->relative, &shown);
        orr_text_addf(out, "<small>%s</small>", shown.at);
    }
    orr_text_addf(out, "</td>");
    orr_text_fini(&shown);
}

static void metrics(const orr_comparison *c, orr_text *out)
{
    orr_page_heading(out, "Metrics");
    orr_text_addf(out, "<div class=\"table\"><table>\n<thead><tr><th>metric</th>");
    for (size_t i = 0; i < c->results.n; i++) {
        orr_text_addf(out, "<th class=\"n\">");
        orr_markup(out, c->results.at[i].label);
        orr_text_addf(out, "</th>");
    }
    orr_text_addf(out, "</tr>\n</thead>\n<tbody>\n");
    for (size_t m = 0; m < c->metrics.n; m++) {
        orr_text_addf(out, "<tr><td>");
        orr_markup(out, c->metrics.at[m].key);
        orr_text_addf(out, "</td>");
        for (size_t i = 0; i < c->results.n; i++)
            value_cell(c, &c->metrics.at[m], i, out);
        orr_text_addf(out, "</tr>\n");
    }
    orr_text_addf(out, "</tbody>\n</table></div>\n");
    orr_page_paragraph(out, "* the best of the row");
}

/* ---- job by job ---- */

static void difference_cell(orr_grid *grid, double seconds)
{
    char exact[ORR_DOUBLE_BUF] = "";
    orr_text shown = {0};
    orr_difference_shown(seconds, "s", &shown);
    if (!isnan(seconds))
        orr_format_double(seconds, exact);
    orr_grid_cell(grid, shown.at, exact);
    orr_text_fini(&shown);
}

static void pairs(const orr_comparison *c, orr_text *out)
{
    orr_grid *grid = orr_grid_of("result|>jobs|>sooner|>later|>equal|>mean|>p1|>p5|>p25|>p50|>p75|>p95|>p99|"
                                 ">in one only");
    for (size_t i = 0; i < c->results.n; i++) {
        const orr_paired *p = &c->results.at[i].paired;
        if (!c->results.at[i].has_paired)
            continue;
        orr_grid_text(grid, c->results.at[i].label);
        orr_grid_count(grid, p->all.pairs);
        orr_grid_count(grid, p->all.better);
        orr_grid_count(grid, p->all.worse);
        orr_grid_count(grid, p->all.equal);
        difference_cell(grid, p->all.mean);
        for (int q = 0; q < ORR_PAIR_QUANTILES; q++)
            difference_cell(grid, p->quantile[q]);
        orr_grid_count(grid, p->first_only + p->second_only);
    }
    orr_page_table(out, "Change of jct, job by job", grid);
}

static void moved(const orr_comparison *c, size_t i, orr_text *out)
{
    const orr_paired *p = &c->results.at[i].paired;
    orr_text heads = {0};
    orr_grid *grid = orr_grid_of("job|>GPUs|>jct of the base|>jct here|>change");
    for (size_t k = 0; k < p->moved_count; k++) {
        const orr_pair_move *move = &p->moved[k];
        orr_grid_text(grid, move->id);
        orr_grid_count(grid, (uint64_t)(move->gpus > 0 ? move->gpus : 0));
        orr_grid_duration(grid, move->first);
        orr_grid_duration(grid, move->second);
        difference_cell(grid, orr_time_seconds(move->second - move->first));
    }
    orr_text_addf(&heads, "Moved farthest: %s", c->results.at[i].label);
    orr_page_table(out, heads.at, grid);
    orr_text_fini(&heads);
}

/* ---- where from ---- */

static void results(const orr_comparison *c, orr_text *out)
{
    orr_grid *grid = orr_grid_of("result|folder|stopped|policy as resolved");
    orr_text resolved = {0};
    for (size_t i = 0; i < c->results.n; i++) {
        const orr_result *r = c->results.at[i].result;
        orr_grid_text(grid, c->results.at[i].label);
        orr_grid_text(grid, orr_result_name(r));
        orr_grid_text(grid, orr_result_text(r, "stop_reason"));
        orr_text_clear(&resolved);
        orr_text_addf(&resolved, "%s", orr_result_text(r, "policy.resolved"));
        if (*orr_result_text(r, "serving.resolved"))
            orr_text_addf(&resolved, "%s%s", resolved.n ? " / " : "", orr_result_text(r, "serving.resolved"));
        orr_grid_text(grid, resolved.at);
    }
    orr_text_fini(&resolved);
    orr_page_table(out, "Results", grid);
}

static void manifest(const orr_comparison *c, orr_text *out)
{
    cJSON *copy = cJSON_Duplicate(orr_result_manifest(base_of(c)), true);
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "wall");
    orr_page_document(out, "Manifest of the base", copy);
    cJSON_Delete(copy);
}

/* ---- the page ---- */

static void plots(orr_compare_curves *curves, orr_text *out)
{
    const orr_comparison *c = curves->comparison;
    orr_page_plots_begin(out);
    if (curves->jobs) {
        orr_compare_plot_jct(curves, out);
        orr_compare_plot_wait(curves, out);
        orr_compare_plot_changes(c, out);
        orr_compare_plot_level(curves, "jobs_queued", "Jobs queued", out);
        orr_compare_plot_level(curves, "gpus_held", "GPUs held", out);
        orr_compare_plot_splits(c, out);
    }
    if (curves->requests)
        orr_compare_plot_serving(curves, out);
    orr_page_plots_end(out);
}

orr_err orr_compare_page(const orr_comparison *c, orr_text *out, orr_error *e)
{
    orr_error own = {0};
    orr_compare_curves *curves = orr_compare_curves_of(c, &own);
    if (!curves) {
        if (e && !e->code)
            *e = own;
        return own.code;
    }
    title(c, out);
    head(c, curves, out);
    caveats(c, out);
    if (curves->jobs)
        facts(c, "jct.mean", out);
    if (curves->requests)
        facts(c, "latency_all.p99", out);
    disparities(c, out);
    metrics(c, out);
    plots(curves, out);
    pairs(c, out);
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].has_paired)
            moved(c, i, out);
    results(c, out);
    manifest(c, out);
    orr_page_end(out);
    orr_compare_curves_destroy(curves);
    return ORR_OK;
}
