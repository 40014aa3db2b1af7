/* The description of requests for people: one block a topic. */
#include "trace/describe_lines.h"
#include "trace/describe_requests.h"
#include "trace/flaw.h"
#include "trace/plot.h"
#include <math.h>

#define TOP 10 /* services and clients listed */

/* Of the shared part, what this one needs. */
static const char *moment(const orr_request_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    return orr_describe_moment(&d->clock, t, buf);
}

static void source(const orr_request_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF], width[ORR_TIME_BUF];
    const orr_note *notes;
    const size_t n = orr_trace_notes(d->clock.trace, &notes);
    orr_text_addf(out, "trace       %s\nformat      %s\n", orr_trace_name(d->clock.trace),
                  orr_trace_format(d->clock.trace));
    orr_text_addf(out, "requests    %s   (rows %s, dropped %s)\n", orr_count_text(d->requests, a),
                  orr_count_text(d->clock.rows, b), orr_count_text(d->clock.dropped, c));
    for (size_t i = 0; i < n; i++)
        orr_text_note(d->clock.trace, &notes[i], out);
    if (!d->bin)
        return;
    orr_time_format(d->bin, width);
    orr_text_addf(out, "bins        %s of %s s, %s of them empty\n", orr_count_text(d->bins, a), width,
                  orr_count_text(d->empty_bins, b));
}

/* ---- arrivals ---- */

static void rush_line(const orr_request_description *d, const char *window, const orr_rush *rush, double mean,
                      orr_text *out)
{
    char count[ORR_DOUBLE_BUF], rate[ORR_WIDE_BUF], at[ORR_CIVIL_BUF];
    if (isnan(mean))
        return;
    orr_text_addf(out, "  a %-8s %s", window, orr_grouped(mean, 4, rate));
    if (rush->requests)
        orr_text_addf(out, "; at most %s, from %s on", orr_count_text(rush->requests, count),
                      moment(d, rush->at, at));
    orr_text_addf(out, "\n");
}

static void span(const orr_request_description *d, orr_text *out)
{
    char buf[ORR_CIVIL_BUF], exact[ORR_TIME_BUF];
    orr_text_addf(out, "origin      %s\n",
                  d->clock.calendar ? orr_trace_origin(d->clock.trace) : "not known (times are relative)");
    orr_time_format(d->first, exact);
    orr_text_addf(out, "  first       %s   (%s s)\n", moment(d, d->first, buf), exact);
    orr_time_format(d->last, exact);
    orr_text_addf(out, "  last        %s   (%s s)\n", moment(d, d->last, buf), exact);
    orr_time_human(d->last - d->first, exact);
    orr_text_addf(out, "span        %s from the first arrival to the last\n", exact);
    if (!isnan(d->rate))
        orr_text_addf(out, "rate\n");
    rush_line(d, "second", &d->second, d->rate, out);
    rush_line(d, "minute", &d->minute, d->rate * 60, out);
}

/* ---- distributions ---- */

typedef struct column {
    const char *name, *unit;
    const orr_spread *spread;
} column;

#define MOST_COLUMNS 6

static size_t columns_of(const orr_request_description *d, column *columns)
{
    const column all[MOST_COLUMNS] = {{"gap", "s", &d->gaps},
                                      {"in a bin", "requests", &d->counts},
                                      {"input", "tokens", &d->tokens_in},
                                      {"output", "tokens", &d->tokens_out},
                                      {"recorded time", "s", &d->duration},
                                      {"blocks", "each", &d->blocks.per_request}};
    size_t n = 0;
    for (size_t i = 0; i < MOST_COLUMNS; i++)
        if (all[i].spread->n)
            columns[n++] = all[i];
    return n;
}

static void number_row(const char *name, const double *values, size_t n, int decimals, orr_text *out)
{
    char buf[ORR_WIDE_BUF];
    orr_text_addf(out, "  %-6s", name);
    for (size_t i = 0; i < n; i++)
        orr_text_addf(out, " %13s", orr_grouped(values[i], decimals, buf));
    orr_text_addf(out, "\n");
}

static void heads(const column *columns, size_t n, orr_text *out)
{
    orr_text_addf(out, "\n%8s", "");
    for (size_t i = 0; i < n; i++)
        orr_text_addf(out, " %13s", columns[i].name);
    orr_text_addf(out, "\n%8s", "");
    for (size_t i = 0; i < n; i++)
        orr_text_addf(out, " %13s", columns[i].unit);
    orr_text_addf(out, "\n");
}

static void spreads(const orr_request_description *d, orr_text *out)
{
    column columns[MOST_COLUMNS];
    const size_t n = columns_of(d, columns);
    double v[5][MOST_COLUMNS], q[MOST_COLUMNS];
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const orr_spread *s = columns[i].spread;
        v[0][i] = s->min, v[1][i] = s->max, v[2][i] = s->mean, v[3][i] = s->sd, v[4][i] = (double)s->n;
    }
    heads(columns, n, out);
    number_row("min", v[0], n, 3, out);
    for (int p = 0; p < ORR_DESCRIBE_QUANTILES; p++) {
        for (size_t i = 0; i < n; i++)
            q[i] = columns[i].spread->q[p];
        number_row(p + 1 == ORR_DESCRIBE_QUANTILES ? "p99.9" : orr_describe_p_names[p], q, n, 3, out);
    }
    number_row("max", v[1], n, 3, out);
    number_row("mean", v[2], n, 6, out);
    number_row("sd", v[3], n, 4, out);
    number_row("n", v[4], n, 0, out);
}

static void bursts(const orr_request_description *d, orr_text *out)
{
    char zero[ORR_DOUBLE_BUF];
    orr_text_addf(out, "\n");
    if (d->bin)
        orr_text_addf(out, "bursts      counts: cv %.4f, variance %.4f x the mean\n", d->count_cv, d->dispersion);
    else if (d->gaps.n)
        orr_text_addf(out, "bursts      gaps: cv %.4f, %s of them zero\n", d->gap_cv,
                      orr_count_text(d->zero_gaps, zero));
    if (d->minute.requests && !isnan(d->rate))
        orr_text_addf(out, "            the busiest minute has %.2f x the mean\n",
                      (double)d->minute.requests / (60 * d->rate));
}

static void block_lines(const orr_block_facts *b, orr_text *out)
{
    char names[ORR_DOUBLE_BUF], distinct[ORR_DOUBLE_BUF], requests[ORR_DOUBLE_BUF];
    if (b->names == 0)
        return;
    orr_text_addf(out, "blocks      %s names in %s requests, %s different\n", orr_count_text(b->names, names),
                  orr_count_text(b->requests, requests), orr_count_text(b->distinct, distinct));
    orr_text_addf(out, "  reuse     %.2f %% came before, %.2f %% in an unbroken prefix\n",
                  100 * (double)b->seen / (double)b->names, 100 * (double)b->unbroken / (double)b->names);
}

/* ---- who ---- */

static void asker_line(const orr_request_description *d, const orr_asker_facts *a, orr_text *out)
{
    char requests[ORR_DOUBLE_BUF], failed[ORR_DOUBLE_BUF], in[ORR_WIDE_BUF], answer[ORR_WIDE_BUF];
    const double mean_in = a->in_stated ? (double)a->tokens_in / (double)a->in_stated : NAN;
    const double mean_out = a->out_stated ? (double)a->tokens_out / (double)a->out_stated : NAN;
    orr_text_addf(out, "%-16s %12s %7.2f %% %12s %12s %12s\n", a->name[0] ? a->name : "(none)",
                  orr_count_text(a->requests, requests), 100 * (double)a->requests / (double)d->requests,
                  orr_grouped(mean_in, 1, in), orr_grouped(mean_out, 1, answer), orr_count_text(a->failed, failed));
}

static void asker_table(const orr_request_description *d, const char *title, const orr_askers *askers, orr_text *out)
{
    char count[ORR_DOUBLE_BUF];
    if (askers->n == 0)
        return;
    orr_text_addf(out, "\n%-16s %12s %9s %12s %12s %12s\n", title, "requests", "share", "mean input", "mean output",
                  "failed");
    for (size_t i = 0; i < askers->n && i < TOP; i++)
        asker_line(d, &askers->at[i], out);
    if (askers->n > TOP)
        orr_text_addf(out, "and %s more\n", orr_count_text(askers->n - TOP, count));
}

/* ---- the calendar ---- */

static void weekdays(const orr_request_description *d, orr_text *out)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    char count[ORR_DOUBLE_BUF];
    uint64_t most = 0;
    for (int i = 0; i < 7; i++)
        most = d->weekdays[i] > most ? d->weekdays[i] : most;
    orr_text_addf(out, "\narrivals by weekday\n");
    for (int i = 0; i < 7; i++) {
        orr_text_addf(out, "  %-9s %12s%s", days[i], orr_count_text(d->weekdays[i], count), d->weekdays[i] ? "  " : "");
        orr_plot_bar(out, (double)d->weekdays[i], (double)most, ORR_TEXT_WIDTH - 28, d->clock.blocks);
        orr_text_addf(out, "\n");
    }
}

static void hours(const orr_request_description *d, orr_text *out)
{
    double counts[24];
    for (int i = 0; i < 24; i++)
        counts[i] = (double)d->hours[i];
    orr_text_addf(out, "arrivals by hour of the day\n");
    orr_plot_columns(out, counts, 24, 3, 4, 4, d->clock.blocks);
    orr_text_addf(out, "%4s", "");
    for (int i = 0; i < 24; i++)
        orr_text_addf(out, i == 23 ? "%d" : "%-3d", i);
    for (int i = 0; i < 24; i++)
        orr_text_addf(out, "%s%8llu", i % 8 ? " " : "\n     ", (unsigned long long)d->hours[i]);
    orr_text_addf(out, "\n");
}

/* ---- the rest ---- */

static void endings(const orr_request_description *d, orr_text *out)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF], c[ORR_DOUBLE_BUF], e[ORR_DOUBLE_BUF];
    orr_text_addf(out, "\nendings     done %s, failed %s, killed %s; not answered yet %s\n",
                  orr_count_text(d->endings[ORR_ENDING_DONE], a), orr_count_text(d->endings[ORR_ENDING_FAILED], b),
                  orr_count_text(d->endings[ORR_ENDING_KILLED], c), orr_count_text(d->censored, e));
    if (d->same_groups)
        orr_text_addf(out, "duplicates  %s rows are like another (%s surplus); all are kept\n",
                      orr_count_text(d->same_records, a), orr_count_text(d->same_surplus, b));
}

static void attribute_line(const orr_attribute_facts *a, orr_text *out)
{
    char stated[ORR_DOUBLE_BUF], distinct[ORR_DOUBLE_BUF], min[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF];
    char records[ORR_DOUBLE_BUF];
    orr_text_addf(out, "  %-24s stated %s, %s different", a->name, orr_count_text(a->stated, stated),
                  orr_count_text(a->distinct, distinct));
    if (a->numeric) {
        orr_format_double(a->min, min);
        orr_format_double(a->max, max);
        orr_text_addf(out, ", %s to %s", min, max);
    }
    orr_text_addf(out, "\n");
    for (size_t i = 0; !a->numeric && i < a->values.n && i < TOP; i++)
        orr_text_addf(out, "    %-22s %12s\n", a->values.at[i].value, orr_count_text(a->values.at[i].jobs, records));
}

static void attributes(const orr_request_description *d, orr_text *out)
{
    if (d->attributes.n)
        orr_text_addf(out, "\nattributes\n");
    for (size_t i = 0; i < d->attributes.n; i++)
        attribute_line(&d->attributes.at[i], out);
}

void orr_requests_describe_text(const orr_request_description *d, orr_text *out)
{
    source(d, out);
    span(d, out);
    spreads(d, out);
    bursts(d, out);
    block_lines(&d->blocks, out);
    asker_table(d, "service", &d->services, out);
    asker_table(d, "client", &d->clients, out);
    if (d->clock.calendar) {
        weekdays(d, out);
        hours(d, out);
    }
    endings(d, out);
    attributes(d, out);
}
