#include "report/request_page.h"

#include "report/page.h"
#include "report/request_plots.h"
#include "report/trace_tables.h"
#include <math.h>
#include <stdio.h>

enum { ROWS = 50 };

/* ---- the head ---- */

static void fact(orr_text *out, const char *label, double value, int decimals)
{
    char buf[ORR_WIDE_BUF];
    if (!isnan(value))
        orr_page_fact(out, orr_grouped(value, decimals, buf), label);
}

static void facts(const orr_request_description *d, orr_text *out)
{
    char span[ORR_TIME_BUF];
    orr_time_human(d->last - d->first, span);
    orr_page_facts_begin(out);
    fact(out, "requests", (double)d->requests, 0);
    fact(out, "rows dropped", (double)d->clock.dropped, 0);
    orr_page_fact(out, span, "first arrival to last");
    fact(out, "requests a second", d->rate, 3);
    fact(out, "most in a second", d->second.requests ? (double)d->second.requests : NAN, 0);
    fact(out, "most in a minute", d->minute.requests ? (double)d->minute.requests : NAN, 0);
    fact(out, d->bin ? "CV of counts" : "CV of gaps", d->bin ? d->count_cv : d->gap_cv, 2);
    fact(out, "tokens in, mean", d->tokens_in.n ? d->tokens_in.mean : NAN, 1);
    fact(out, "tokens out, mean", d->tokens_out.n ? d->tokens_out.mean : NAN, 1);
    fact(out, "failed", (double)d->endings[ORR_ENDING_FAILED], 0);
    fact(out, "not answered yet", d->censored ? (double)d->censored : NAN, 0);
    fact(out, "records like another", d->same_surplus ? (double)d->same_records : NAN, 0);
    orr_page_facts_end(out);
}

static void head(const orr_request_description *d, orr_text *out)
{
    char from[ORR_CIVIL_BUF], to[ORR_CIVIL_BUF], width[ORR_TIME_BUF];
    orr_text line = {0};
    orr_text_addf(&line, "Format %s; arrivals from %s to %s%s.", orr_trace_format(d->clock.trace),
                  orr_describe_moment(&d->clock, d->first, from), orr_describe_moment(&d->clock, d->last, to),
                  d->clock.calendar ? "" : ", on a clock of its own: calendar times are not known");
    if (d->bin) {
        orr_time_human(d->bin, width);
        orr_text_addf(&line, " Records are bins of %s with a count.", width);
    }
    orr_page_paragraph(out, line.at);
    orr_text_fini(&line);
    facts(d, out);
}

/* ---- tables ---- */

static void spreads(const orr_request_description *d, orr_text *out)
{
    orr_grid *grid = orr_spread_grid();
    orr_spread_row(grid, "gap (s)", &d->gaps);
    orr_spread_row(grid, "in a bin (requests)", &d->counts);
    orr_spread_row(grid, "input (tokens)", &d->tokens_in);
    orr_spread_row(grid, "output (tokens)", &d->tokens_out);
    orr_spread_row(grid, "recorded time (s)", &d->duration);
    orr_spread_row(grid, "prefix blocks (each)", &d->blocks.per_request);
    orr_page_table(out, "Distributions", grid);
}

static void askers(const orr_request_description *d, const char *title, const char *heads, const orr_askers *list,
                   orr_text *out)
{
    char line[ORR_DOUBLE_BUF + 16];
    orr_grid *grid = orr_grid_of(heads);
    for (size_t i = 0; i < list->n && i < ROWS; i++) {
        const orr_asker_facts *a = &list->at[i];
        orr_grid_text(grid, a->name[0] ? a->name : "(none)");
        orr_grid_count(grid, a->requests);
        orr_grid_number(grid, 100 * (double)a->requests / (double)d->requests, 2);
        orr_grid_number(grid, a->in_stated ? (double)a->tokens_in / (double)a->in_stated : NAN, 1);
        orr_grid_number(grid, a->out_stated ? (double)a->tokens_out / (double)a->out_stated : NAN, 1);
        orr_grid_count(grid, a->failed);
    }
    orr_page_table(out, title, grid);
    if (list->n <= ROWS)
        return;
    snprintf(line, sizeof line, "and %zu more", list->n - ROWS);
    orr_page_paragraph(out, line);
}

static void blocks(const orr_block_facts *b, orr_text *out)
{
    orr_text line = {0};
    if (b->names == 0)
        return;
    orr_page_heading(out, "Prefix-cache blocks");
    orr_text_addf(&line,
                  "%llu names in %llu requests, %llu different; %.2f %% came before, %.2f %% in an unbroken prefix.",
                  (unsigned long long)b->names, (unsigned long long)b->requests, (unsigned long long)b->distinct,
                  100 * (double)b->seen / (double)b->names, 100 * (double)b->unbroken / (double)b->names);
    orr_page_paragraph(out, line.at);
    orr_text_fini(&line);
}

typedef struct stated_counts {
    uint64_t in, out, duration, service, client, blocks;
} stated_counts;

static stated_counts count_stated(const orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = orr_trace_requests(d->clock.trace, &r);
    stated_counts s = {0};
    for (size_t i = 0; i < n; i++) {
        s.in += r[i].tokens_in >= 0;
        s.out += r[i].tokens_out >= 0;
        s.duration += r[i].duration != ORR_TIME_NONE;
        s.service += r[i].service[0] != '\0';
        s.client += r[i].client[0] != '\0';
        s.blocks += r[i].blocks != NULL;
    }
    return s;
}

static void coverage_row(const orr_request_description *d, orr_grid *grid, const char *column, uint64_t stated)
{
    char share[ORR_WIDE_BUF];
    snprintf(share, sizeof share, "%.2f %%", 100 * (double)stated / (double)d->records);
    orr_grid_text(grid, column);
    orr_grid_count(grid, stated);
    orr_grid_text(grid, share);
}

static void coverage(const orr_request_description *d, orr_text *out)
{
    const stated_counts s = count_stated(d);
    orr_grid *grid = orr_grid_of("column|>stated|>share");
    coverage_row(d, grid, "tokens_in", s.in);
    coverage_row(d, grid, "tokens_out", s.out);
    coverage_row(d, grid, "duration", s.duration);
    coverage_row(d, grid, "service", s.service);
    coverage_row(d, grid, "client", s.client);
    coverage_row(d, grid, "blocks", s.blocks);
    for (size_t i = 0; i < d->attributes.n; i++)
        coverage_row(d, grid, d->attributes.at[i].name, d->attributes.at[i].stated);
    orr_page_table(out, "Coverage of columns that may be missing", grid);
}

/* ---- the page ---- */

static void plots(const orr_request_description *d, orr_text *out)
{
    orr_page_plots_begin(out);
    orr_request_plot_arrivals(d, out);
    orr_request_plot_tokens(d, out);
    orr_request_plot_gaps(d, out);
    orr_request_plot_counts(d, out);
    orr_request_plot_bursts(d, out);
    orr_request_plot_durations(d, out);
    orr_request_plot_hours(d, out);
    orr_request_plot_askers(&d->services, "services", "Requests by service", out);
    orr_request_plot_askers(&d->clients, "clients", "Requests by client", out);
    orr_page_plots_end(out);
}

void orr_request_page_html(const orr_request_page *page, orr_text *out)
{
#define HEADS "|>requests|>share in %|>tokens in, mean|>tokens out, mean|>failed"
    const orr_request_description *d = page->d;
    orr_page_begin(out, "trace of requests", orr_trace_name(d->clock.trace));
    head(d, out);
    plots(d, out);
    spreads(d, out);
    askers(d, "Services", "service" HEADS, &d->services, out);
    askers(d, "Clients", "client" HEADS, &d->clients, out);
    blocks(&d->blocks, out);
    coverage(d, out);
    orr_attribute_table(d->attributes.at, d->attributes.n, out);
    orr_trace_sources(d->clock.trace, page->command, out);
    orr_page_end(out);
#undef HEADS
}
