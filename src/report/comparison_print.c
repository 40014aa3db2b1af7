/* Text and Markdown are the same tables under headings of their kind; a table is left out where it has nothing to say.
 * With two results the differences stand beside the values, with more of them in a table of their own. */
#include "report/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct told {
    const orr_comparison *c;
    orr_table_form form;
    orr_text *out;
    orr_text cell; /* reused */
} told;

static void heading(told *t, const char *text)
{
    orr_text_addf(t->out, "\n%s%s\n%s", t->form == ORR_TABLE_MARKDOWN ? "### " : "", text,
                  t->form == ORR_TABLE_MARKDOWN ? "\n" : "");
}

static void print_grid(told *t, orr_grid *g)
{
    orr_grid_print(g, t->form, t->out);
    orr_grid_destroy(g);
}

/* The cell made up so far. */
static void put(told *t, orr_grid *g)
{
    orr_grid_cell(g, t->cell.at ? t->cell.at : "", NULL);
    orr_text_clear(&t->cell);
}

static void put_count(told *t, orr_grid *g, uint64_t n)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_count(n, buf);
    orr_text_addf(&t->cell, "%s", buf);
    put(t, g);
}

static void put_seconds(told *t, orr_grid *g, double v)
{
    orr_difference_shown(v, "s", &t->cell);
    put(t, g);
}

static const char *label(const told *t, size_t i)
{
    return t->c->results.at[i].label;
}

static const char *base_label(const told *t)
{
    return label(t, t->c->base);
}

/* ---- the head ---- */

static void add_line(told *t, const char *name, const char *text)
{
    const bool markdown = t->form == ORR_TABLE_MARKDOWN;
    orr_text_addf(t->out, markdown ? "%s: %s  \n" : "%-8s %s\n", name, text);
}

static void print_trace(told *t, const orr_result *base)
{
    double measured = 0;
    char count[ORR_DOUBLE_BUF];
    if (!orr_result_metric(base, "measured", &measured)) /* requests alone were served */
        return;
    orr_format_count((uint64_t)measured, count);
    orr_text_addf(&t->cell, "%s    %s jobs measured (%s)", orr_result_text(base, "trace.name"), count,
                  orr_result_text(base, "measured.rule"));
    add_line(t, "trace", t->cell.at);
    orr_text_clear(&t->cell);
}

static void print_services(told *t, const orr_result *base)
{
    double arrived = 0;
    char count[ORR_DOUBLE_BUF];
    if (!orr_result_metric(base, "requests.arrived", &arrived))
        return;
    orr_format_count((uint64_t)arrived, count);
    orr_text_addf(&t->cell, "%s    %s requests measured", orr_result_text(base, "serving.name"), count);
    add_line(t, "services", t->cell.at);
    orr_text_clear(&t->cell);
}

static void print_head(told *t)
{
    const orr_result *base = t->c->results.at[t->c->base].result;
    print_trace(t, base);
    print_services(t, base);
    add_line(t, "cluster", orr_result_text(base, "cluster.name"));
    add_line(t, "base", base_label(t));
}

static void print_disparities(told *t)
{
    const orr_comparison *c = t->c;
    if (c->disparities.n == 0)
        return;
    heading(t, "differ in more than the policy");
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "setting", "setting", false);
    for (size_t i = 0; i < c->results.n; i++)
        orr_grid_column(g, label(t, i), label(t, i), false);
    for (size_t d = 0; d < c->disparities.n; d++) {
        orr_grid_cell(g, c->disparities.at[d].what, NULL);
        for (size_t i = 0; i < c->results.n; i++)
            orr_grid_cell(g, c->disparities.at[d].values[i], NULL);
    }
    print_grid(t, g);
}

/* ---- metrics ---- */

static void put_value(told *t, orr_grid *g, const orr_compared_metric *m, size_t i)
{
    orr_text_addf(&t->cell, "%s", !m->values[i].best ? "" : t->form == ORR_TABLE_MARKDOWN ? "\\* " : "* ");
    orr_metric_shown(m->values[i].value, m->unit, &t->cell);
    put(t, g);
}

static void put_difference(told *t, orr_grid *g, const orr_compared_metric *m, size_t i)
{
    orr_difference_shown(m->values[i].difference, m->unit, &t->cell);
    put(t, g);
    orr_relative_shown(m->values[i].relative, &t->cell);
    put(t, g);
    orr_grid_cell(g, orr_bucket_name(m->values[i].bucket), NULL);
}

/* The only other result, where there is just one. */
static size_t other_of_two(const orr_comparison *c)
{
    return c->results.n == 2 ? 1 - c->base : SIZE_MAX;
}

static void print_metrics(told *t)
{
    const orr_comparison *c = t->c;
    const size_t other = other_of_two(c);
    orr_grid *g = orr_grid_create();
    orr_text_addf(t->out, "\n");
    orr_grid_column(g, "metric", "metric", false);
    for (size_t i = 0; i < c->results.n; i++)
        orr_grid_column(g, label(t, i), label(t, i), true);
    if (other != SIZE_MAX) {
        orr_grid_column(g, "difference", "difference", true);
        orr_grid_column(g, "relative", "relative", true);
        orr_grid_column(g, "verdict", "verdict", false);
    }
    for (size_t m = 0; m < c->metrics.n; m++) {
        orr_grid_cell(g, c->metrics.at[m].key, NULL);
        for (size_t i = 0; i < c->results.n; i++)
            put_value(t, g, &c->metrics.at[m], i);
        if (other != SIZE_MAX)
            put_difference(t, g, &c->metrics.at[m], other);
    }
    print_grid(t, g);
}

static void print_differences(told *t)
{
    const orr_comparison *c = t->c;
    if (c->results.n == 2)
        return;
    orr_text title = {0};
    orr_text_addf(&title, "against %s", base_label(t));
    heading(t, title.at);
    orr_text_fini(&title);
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "metric", "metric", false);
    orr_grid_column(g, "result", "result", false);
    orr_grid_column(g, "difference", "difference", true);
    orr_grid_column(g, "relative", "relative", true);
    orr_grid_column(g, "verdict", "verdict", false);
    for (size_t m = 0; m < c->metrics.n; m++)
        for (size_t i = 0; i < c->results.n; i++) {
            if (i == c->base)
                continue;
            orr_grid_cell(g, c->metrics.at[m].key, NULL);
            orr_grid_cell(g, label(t, i), NULL);
            put_difference(t, g, &c->metrics.at[m], i);
        }
    print_grid(t, g);
}

static void print_verdicts(told *t, size_t i)
{
    static const orr_bucket order[] = {ORR_BUCKET_IMPROVED, ORR_BUCKET_REGRESSED, ORR_BUCKET_CHANGED, ORR_BUCKET_SAME};
    uint64_t counts[4] = {0};
    for (size_t m = 0; m < t->c->metrics.n; m++)
        counts[t->c->metrics.at[m].values[i].bucket]++;
    orr_text_addf(t->out, "%s%s:", t->form == ORR_TABLE_MARKDOWN ? "\n" : "", label(t, i));
    for (size_t b = 0; b < 4; b++)
        orr_text_addf(t->out, "%s %" PRIu64 " %s", b ? "," : "", counts[order[b]], orr_bucket_name(order[b]));
    orr_text_addf(t->out, "\n");
}

static void print_notes(told *t)
{
    const orr_comparison *c = t->c;
    orr_text_addf(t->out, "%s* the best of the row\n", t->form == ORR_TABLE_MARKDOWN ? "\n\\" : "");
    for (size_t i = 0; i < c->results.n; i++)
        if (i != c->base)
            print_verdicts(t, i);
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].biased)
            orr_text_addf(t->out, "%s%s left jobs unfinished: its means are over survivors only\n",
                          t->form == ORR_TABLE_MARKDOWN ? "\n" : "", label(t, i));
}

/* ---- job by job ---- */

static void put_sums(told *t, orr_grid *g, const orr_pair_sums *s)
{
    put_count(t, g, s->pairs);
    put_count(t, g, s->better);
    put_count(t, g, s->worse);
    put_count(t, g, s->equal);
    put_seconds(t, g, s->mean);
}

static void add_sums_columns(orr_grid *g)
{
    orr_grid_column(g, "jobs", "jobs", true);
    orr_grid_column(g, "better", "better", true);
    orr_grid_column(g, "worse", "worse", true);
    orr_grid_column(g, "equal", "equal", true);
    orr_grid_column(g, "mean", "mean", true);
}

static bool is_paired(const told *t)
{
    for (size_t i = 0; i < t->c->results.n; i++)
        if (t->c->results.at[i].has_paired)
            return true;
    return false;
}

static void print_quantiles(told *t)
{
    orr_text title = {0};
    orr_text_addf(&title, "job by job: JCT less that under %s", base_label(t));
    heading(t, title.at);
    orr_text_fini(&title);
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "result", "result", false);
    add_sums_columns(g);
    for (int q = 0; q < ORR_PAIR_QUANTILES; q++)
        orr_grid_column(g, orr_pair_quantile_names[q], orr_pair_quantile_names[q], true);
    for (size_t i = 0; i < t->c->results.n; i++) {
        const orr_compared_result *r = &t->c->results.at[i];
        if (!r->has_paired)
            continue;
        orr_grid_cell(g, r->label, NULL);
        put_sums(t, g, &r->paired.all);
        for (int q = 0; q < ORR_PAIR_QUANTILES; q++)
            put_seconds(t, g, r->paired.quantile[q]);
    }
    print_grid(t, g);
}

static void put_class(told *t, orr_grid *g, const char *result, const char *class, const orr_pair_sums *s)
{
    if (s->pairs == 0)
        return;
    orr_grid_cell(g, result, NULL);
    orr_grid_cell(g, class, NULL);
    put_sums(t, g, s);
    put_seconds(t, g, s->p50);
}

static orr_grid *class_grid(const char *what)
{
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "result", "result", false);
    orr_grid_column(g, what, what, false);
    add_sums_columns(g);
    orr_grid_column(g, "p50", "p50", true);
    return g;
}

static void print_classes(told *t)
{
    orr_grid *sizes = class_grid("GPUs"), *durations = class_grid("duration");
    for (size_t i = 0; i < t->c->results.n; i++) {
        const orr_compared_result *r = &t->c->results.at[i];
        for (int k = 0; k < ORR_PAIR_SIZES && r->has_paired; k++)
            put_class(t, sizes, r->label, orr_pair_size_names[k], &r->paired.size[k]);
        for (int k = 0; k < ORR_PAIR_DURATIONS && r->has_paired; k++)
            put_class(t, durations, r->label, orr_pair_duration_names[k], &r->paired.duration[k]);
    }
    heading(t, "by GPUs");
    print_grid(t, sizes);
    heading(t, "by duration");
    print_grid(t, durations);
}

enum { MOVES_SHOWN = 5 };

static void print_moves(told *t)
{
    size_t rows = 0;
    orr_grid *g = orr_grid_create();
    static const char *const names[] = {"result", "job", "GPUs", "JCT of base", "JCT", "difference"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        orr_grid_column(g, names[i], names[i], i >= 2);
    for (size_t i = 0; i < t->c->results.n; i++) {
        const orr_paired *p = &t->c->results.at[i].paired;
        for (size_t m = 0; m < p->moved_count && m < MOVES_SHOWN; m++, rows++) {
            const double first = orr_time_seconds(p->moved[m].first), second = orr_time_seconds(p->moved[m].second);
            orr_grid_cell(g, label(t, i), NULL);
            orr_grid_cell(g, p->moved[m].id, NULL);
            put_count(t, g, (uint64_t)p->moved[m].gpus);
            orr_metric_shown(first, "s", &t->cell);
            put(t, g);
            orr_metric_shown(second, "s", &t->cell);
            put(t, g);
            put_seconds(t, g, second - first);
        }
    }
    if (rows)
        heading(t, "moved most");
    if (rows)
        print_grid(t, g);
    else
        orr_grid_destroy(g);
}

/* ---- bounds ---- */

static void print_bounds(told *t)
{
    const orr_comparison *c = t->c;
    if (c->bounds.n == 0)
        return;
    heading(t, "bounds");
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "bound", "bound", false);
    orr_grid_column(g, "result", "result", false);
    orr_grid_column(g, "relative", "relative", true);
    orr_grid_column(g, "verdict", "verdict", false);
    for (size_t b = 0; b < c->bounds.n; b++)
        for (size_t i = 0; i < c->results.n; i++) {
            const orr_bound_answer *a = &c->bounds.at[b].answers[i];
            if (i == c->base)
                continue;
            orr_grid_cell(g, c->bounds.at[b].bound.text, NULL);
            orr_grid_cell(g, label(t, i), NULL);
            orr_relative_shown(orr_comparison_metric(c, c->bounds.at[b].bound.key)->values[i].relative, &t->cell);
            put(t, g);
            orr_grid_cell(g, !a->decided ? "undecided" : a->holds ? "holds" : "violated", NULL);
        }
    print_grid(t, g);
}

/* ---- the long form ---- */

typedef struct row {
    const char *metric, *class, *result;
    double value, difference, relative;
    const char *verdict, *best;
} row;

static void put_number(orr_grid *g, double v)
{
    char buf[ORR_DOUBLE_BUF] = "";
    if (isfinite(v))
        orr_format_double(v, buf);
    orr_grid_cell(g, buf, NULL);
}

static void put_row(orr_grid *g, row r)
{
    orr_grid_cell(g, r.metric, NULL);
    orr_grid_cell(g, r.class, NULL);
    orr_grid_cell(g, r.result, NULL);
    put_number(g, r.value);
    put_number(g, r.difference);
    put_number(g, r.relative);
    orr_grid_cell(g, r.verdict, NULL);
    orr_grid_cell(g, r.best, NULL);
}

static void put_pair_row(orr_grid *g, const char *metric, const char *class, const char *result, double value)
{
    put_row(g, (row){metric, class, result, value, NAN, NAN, "", ""});
}

static void put_pair_sums(orr_grid *g, const char *class, const char *result, const orr_pair_sums *s)
{
    if (s->pairs == 0 && *class)
        return;
    put_pair_row(g, "djct.n", class, result, (double)s->pairs);
    put_pair_row(g, "djct.better", class, result, (double)s->better);
    put_pair_row(g, "djct.worse", class, result, (double)s->worse);
    put_pair_row(g, "djct.equal", class, result, (double)s->equal);
    put_pair_row(g, "djct.mean", class, result, s->mean);
    if (*class)
        put_pair_row(g, "djct.p50", class, result, s->p50);
}

static void put_pair(orr_grid *g, const orr_compared_result *r)
{
    char name[48];
    put_pair_sums(g, "", r->label, &r->paired.all);
    for (int q = 0; q < ORR_PAIR_QUANTILES; q++) {
        snprintf(name, sizeof name, "djct.%s", orr_pair_quantile_names[q]);
        put_pair_row(g, name, "", r->label, r->paired.quantile[q]);
    }
    put_pair_row(g, "measured_in_base_only", "", r->label, (double)r->paired.first_only);
    put_pair_row(g, "measured_here_only", "", r->label, (double)r->paired.second_only);
    for (int k = 0; k < ORR_PAIR_SIZES; k++) {
        snprintf(name, sizeof name, "gpus %s", orr_pair_size_names[k]);
        put_pair_sums(g, name, r->label, &r->paired.size[k]);
    }
    for (int k = 0; k < ORR_PAIR_DURATIONS; k++) {
        snprintf(name, sizeof name, "duration %s", orr_pair_duration_names[k]);
        put_pair_sums(g, name, r->label, &r->paired.duration[k]);
    }
}

static void print_long_form(told *t)
{
    static const char *const names[] = {"metric",     "class",    "result",  "value",
                                        "difference", "relative", "verdict", "best"};
    orr_grid *g = orr_grid_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        orr_grid_column(g, names[i], names[i], false);
    for (size_t m = 0; m < t->c->metrics.n; m++)
        for (size_t i = 0; i < t->c->results.n; i++) {
            const orr_compared_value *v = &t->c->metrics.at[m].values[i];
            put_row(g, (row){t->c->metrics.at[m].key, "", label(t, i), v->value, v->difference, v->relative,
                             orr_bucket_name(v->bucket), v->best ? "1" : "0"});
        }
    for (size_t i = 0; i < t->c->results.n; i++)
        if (t->c->results.at[i].has_paired)
            put_pair(g, &t->c->results.at[i]);
    print_grid(t, g);
}

void orr_comparison_print(const orr_comparison *c, orr_table_form form, orr_text *out)
{
    told t = {.c = c, .form = form, .out = out};
    if (form == ORR_TABLE_CSV) {
        print_long_form(&t);
        return;
    }
    print_head(&t);
    print_disparities(&t);
    print_metrics(&t);
    print_notes(&t);
    print_differences(&t);
    if (is_paired(&t)) {
        print_quantiles(&t);
        print_classes(&t);
        print_moves(&t);
    }
    print_bounds(&t);
    orr_text_fini(&t.cell);
}
