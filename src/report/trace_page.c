#include "report/trace_page.h"
#include "report/page.h"
#include "report/trace_plots.h"
#include "report/trace_tables.h"
#include <math.h>
#include <stdio.h>

#define PLOTS 16
#define ROWS 50 /* of a table */

/* ---- tables ---- */

static void spreads(const orr_description *d, orr_text *out)
{
    orr_grid *grid = orr_spread_grid();
    orr_spread_row(grid, "duration (s)", &d->duration);
    orr_spread_row(grid, "GPU time (GPU-s)", &d->gpu_time);
    orr_spread_row(grid, "recorded wait (s)", &d->recorded.wait);
    orr_spread_row(grid, "recorded run (s)", &d->recorded.run);
    orr_spread_row(grid, "submission to end (s)", &d->recorded.in_system);
    orr_page_table(out, "Distributions", grid);
}

static void sizes(const orr_description *d, orr_text *out)
{
    orr_grid *grid = orr_grid_of(">GPUs|>jobs|>GPU-hours|>withdrawn");
    for (size_t i = 0; i < d->sizes.n && i < ROWS; i++) {
        orr_grid_count(grid, (uint64_t)d->sizes.at[i].gpus);
        orr_grid_count(grid, d->sizes.at[i].jobs);
        orr_grid_number(grid, orr_milli_hours(d->sizes.at[i].milli_ns), 3);
        orr_grid_count(grid, d->sizes.at[i].withdrawn);
    }
    orr_page_table(out, "Sizes", grid);
}

static void shares(const orr_description *d, const char *title, const char *heads, const orr_shares *list,
                   orr_text *out)
{
    char when[ORR_CIVIL_BUF];
    orr_grid *grid = orr_grid_of(heads);
    for (size_t i = 0; orr_shares_named(list) && i < list->n && i < ROWS; i++) {
        const orr_share_facts *share = &list->at[i];
        orr_grid_text(grid, share->name[0] ? share->name : "(none)");
        orr_grid_count(grid, share->jobs);
        orr_grid_number(grid, orr_milli_hours(share->milli_ns), 3);
        orr_grid_number(grid, share->median_duration, 1);
        orr_grid_count(grid, (uint64_t)share->max_gpus);
        orr_grid_text(grid, orr_describe_moment(d, share->first, when));
        orr_grid_text(grid, orr_describe_moment(d, share->last, when));
    }
    orr_page_table(out, title, grid);
    if (list->n > ROWS) {
        snprintf(when, sizeof when, "and %zu more", list->n - ROWS);
        orr_page_paragraph(out, when);
    }
}

static void all_shares(const orr_description *d, orr_text *out)
{
#define HEADS "|>jobs|>GPU-hours|>median s|>GPUs, most|first submission|last submission"
    shares(d, "Virtual clusters", "VC" HEADS, &d->vcs, out);
    shares(d, "Users", "user" HEADS, &d->users, out);
    shares(d, "GPU types asked for", "GPU type" HEADS, &d->gpu_types, out);
    shares(d, "Models", "model" HEADS, &d->models, out);
    shares(d, "Groups", "group" HEADS, &d->groups, out);
#undef HEADS
}

/* Days on which a column is stated by none, some, all. */
static void coverage(const orr_description *d, orr_text *out)
{
    orr_grid *grid = orr_grid_of("column|>stated|>share|>days with none|>some|>all");
    for (size_t i = 0; i < d->coverage.n; i++) {
        const orr_column_coverage *c = &d->coverage.at[i];
        uint64_t days[3] = {0, 0, 0};
        char share[ORR_WIDE_BUF];
        for (size_t day = 0; day < d->arrivals.by_day.n; day++)
            days[c->by_day[day] == 0 ? 0 : c->by_day[day] < d->arrivals.by_day.at[day].jobs ? 1 : 2]++;
        snprintf(share, sizeof share, "%.2f %%", 100 * (double)c->stated / (double)d->arrivals.submissions);
        orr_grid_text(grid, c->column);
        orr_grid_count(grid, c->stated);
        orr_grid_text(grid, share);
        for (int k = 0; k < 3; k++)
            orr_grid_count(grid, days[k]);
    }
    orr_page_table(out, "Coverage of columns that may be missing", grid);
}

static void load_row(orr_grid *grid, const char *kind, const orr_load_row *row)
{
    orr_grid_text(grid, kind);
    orr_grid_text(grid, row->name[0] ? row->name : "(none)");
    orr_grid_count(grid, (uint64_t)row->gpus);
    orr_grid_number(grid, row->load, 3);
}

static void offered_load(const orr_offered_load *load, orr_text *out)
{
    char line[160];
    if (!load)
        return;
    orr_grid *grid = orr_grid_of("|name|>GPUs|>load");
    load_row(grid, "cluster", &load->all);
    for (size_t i = 0; i < load->types.n; i++)
        load_row(grid, "GPU type", &load->types.at[i]);
    for (size_t i = 0; i < load->vcs.n; i++)
        load_row(grid, "VC", &load->vcs.at[i]);
    orr_page_table(out, "Offered load", grid);
    orr_page_paragraph(out, load->cluster);
    snprintf(line, sizeof line,
             "Jobs that can never run there: %llu (too wide %llu, no GPU of their type %llu, no such VC %llu).",
             (unsigned long long)load->never, (unsigned long long)load->too_wide, (unsigned long long)load->no_type,
             (unsigned long long)load->no_vc);
    orr_page_paragraph(out, line);
}

/* ---- the head ---- */

static void fact(orr_text *out, const char *label, double value, int decimals)
{
    char buf[ORR_WIDE_BUF];
    orr_page_fact(out, orr_grouped(value, decimals, buf), label);
}

static void facts(const orr_description *d, orr_text *out)
{
    char span[ORR_TIME_BUF];
    orr_time_human(d->last_end - d->first, span);
    orr_page_facts_begin(out);
    fact(out, "jobs", (double)d->jobs, 0);
    if (d->withdrawn)
        fact(out, "withdrawn", (double)d->withdrawn, 0);
    fact(out, "rows dropped", (double)d->dropped, 0);
    fact(out, "GPU-hours", orr_milli_hours(d->milli_ns), 1);
    orr_page_fact(out, span, "first submission to last end");
    fact(out, "submissions a day", d->arrivals.mean_a_day, 1);
    fact(out, "GPUs at most, if all start at once", (double)d->peak_gpus.amount, 0);
    fact(out, "CV of gaps between submissions", d->arrivals.gap_cv, 2);
    fact(out, "dispersion of hourly counts", d->arrivals.hourly_dispersion, 1);
    fact(out, "failed", (double)d->endings[ORR_ENDING_FAILED], 0);
    fact(out, "killed", (double)d->endings[ORR_ENDING_KILLED], 0);
    fact(out, "censored", (double)d->censored, 0);
    if (d->recorded.wait.n)
        fact(out, "% started at once", 100 * (double)d->recorded.at_once / (double)d->recorded.wait.n, 1);
    if (d->recorded.repeated)
        fact(out, "attempts a job", (double)d->recorded.attempts / (double)d->jobs, 3);
    if (d->same_surplus)
        fact(out, "jobs alike but for their ids", (double)d->same_jobs, 0);
    if (d->order.descents)
        fact(out, "rows out of order", (double)d->order.descents, 0);
    orr_page_facts_end(out);
}

static void head(const orr_description *d, orr_text *out)
{
    char from[ORR_CIVIL_BUF], to[ORR_CIVIL_BUF], line[256];
    snprintf(line, sizeof line, "Format %s; submissions from %s to %s%s.", orr_trace_format(d->trace),
             orr_describe_moment(d, d->first, from), orr_describe_moment(d, d->last, to),
             d->calendar ? "" : ", on a clock of its own: calendar times are not known");
    orr_page_paragraph(out, line);
    facts(d, out);
}

static void plots(const orr_description *d, orr_text *out)
{
    orr_trace_plot *list[PLOTS];
    const size_t n = orr_trace_plots(d, list, PLOTS);
    orr_page_plots_begin(out);
    for (size_t i = 0; i < n; i++)
        list[i](d, (orr_svg_frame){.height = ORR_PLOT_HEIGHT}, out);
    orr_page_plots_end(out);
}

void orr_trace_page_html(const orr_trace_page *page, orr_text *out)
{
    const orr_description *d = page->d;
    orr_page_begin(out, "trace", orr_trace_name(d->trace));
    head(d, out);
    plots(d, out);
    spreads(d, out);
    sizes(d, out);
    all_shares(d, out);
    offered_load(page->load, out);
    orr_attribute_table(d->attributes.at, d->attributes.n, out);
    coverage(d, out);
    orr_trace_sources(d->trace, page->command, out);
    orr_page_end(out);
}

/* Two plots a row. */
void orr_trace_page_svg(const orr_trace_page *page, orr_text *out)
{
    enum { EDGE = 24, GAP = 28, TITLE = 40 };
    orr_trace_plot *list[PLOTS];
    const size_t n = orr_trace_plots(page->d, list, PLOTS);
    const int width = 2 * (EDGE + ORR_PLOT_WIDTH) + GAP;
    const int slot = GAP + orr_svg_drawing_height(&(orr_svg_frame){.height = ORR_PLOT_HEIGHT});
    const int height = TITLE + (int)((n + 1) / 2) * slot + EDGE;
    orr_text_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>\n"
        "svg .back{fill:#fff}@media(prefers-color-scheme:dark){svg .back{fill:#12151a}}\n",
        width, height, width, height);
    orr_svg_style(out);
    orr_text_addf(
        out, "</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text class=\"title\" x=\"%d\" y=\"28\">",
        width, height, EDGE);
    orr_markup(out, orr_trace_name(page->d->trace));
    orr_text_addf(out, "</text>\n");
    for (size_t i = 0; i < n; i++)
        list[i](page->d,
                (orr_svg_frame){.x = EDGE + (double)(i % 2) * (ORR_PLOT_WIDTH + GAP),
                                .y = TITLE + (double)(i / 2) * slot,
                                .width = ORR_PLOT_WIDTH,
                                .height = ORR_PLOT_HEIGHT},
                out);
    orr_text_addf(out, "</svg>\n");
}
