/* The check for people: tables are grids, and the lines around them are the same in text and Markdown but for marks. */
#include "study/check_out.h"

#include <math.h>

/* ---- numbers ---- */

/* What a table has room for: everything, or what tells something here. */
typedef struct layout {
    bool seeds, better;
} layout;

static void add_columns(orr_grid *g, layout l)
{
    orr_grid_column(g, "case", "case", false);
    orr_grid_column(g, "number", "number", false);
    orr_grid_column(g, "expected", "expected", true);
    orr_grid_column(g, "measured", "measured", true);
    orr_grid_column(g, "difference", "difference", true);
    orr_grid_column(g, "tolerance", "tolerance", false);
    if (l.seeds) {
        orr_grid_column(g, "seeds", "seeds", false);
        orr_grid_column(g, "95 % interval", "interval", false);
    }
    if (l.better)
        orr_grid_column(g, "better", "better", false);
    orr_grid_column(g, "verdict", "verdict", false);
}

static void text_cell(orr_grid *g, orr_text *shown, double exact)
{
    char buf[ORR_DOUBLE_BUF] = "";
    if (!isnan(exact))
        orr_format_double(exact, buf);
    orr_grid_cell(g, shown->n ? shown->at : "", buf);
    orr_text_clear(shown);
}

static void interval_cell(orr_grid *g, const orr_judgement *j, orr_text *t)
{
    if (!isnan(j->low))
        orr_text_addf(t, "%+.5g to %+.5g", j->low, j->high);
    orr_grid_cell(g, t->n ? t->at : "", NULL);
    orr_text_clear(t);
}

static void seeds_cell(orr_grid *g, const orr_check_case *k, const orr_judgement *j, orr_text *t)
{
    const size_t n = k->from->seeds.n;
    if (n > 1)
        orr_text_addf(t, "%zu: %zu up, %zu down", n, j->signs.above, j->signs.below);
    else
        orr_text_addf(t, "1");
    orr_grid_cell(g, t->at, NULL);
    orr_text_clear(t);
}

static void add_row(orr_grid *g, layout l, const orr_check_case *k, const orr_check_number *x)
{
    const orr_judgement *j = &x->judgement;
    orr_text t = {0};
    orr_grid_cell(g, k->from->name, NULL);
    orr_grid_cell(g, x->key, NULL);
    orr_check_value(j->want, j->got, x->unit, &t);
    text_cell(g, &t, j->want);
    orr_check_value(j->got, j->want, x->unit, &t);
    text_cell(g, &t, j->got);
    orr_check_difference(j, &t);
    text_cell(g, &t, j->difference);
    orr_tolerance_text(&x->tolerance, &t);
    orr_grid_cell(g, t.at, NULL);
    orr_text_clear(&t);
    if (l.seeds) {
        seeds_cell(g, k, j, &t);
        interval_cell(g, j, &t);
    }
    if (l.better)
        orr_grid_cell(g, orr_direction_name(x->direction), NULL);
    orr_grid_cell(g, orr_verdict_name(j->verdict), NULL);
    orr_text_fini(&t);
}

static bool is_shown(const orr_check_number *x, bool all)
{
    return x->judgement.verdict != ORR_VERDICT_NOT_COMPARABLE && (all || x->judgement.verdict != ORR_VERDICT_SAME);
}

/* Whether any row to be shown is of several seeds. */
static bool shows_seeds(const orr_check *c, bool all)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t n = 0; n < c->cases[i].numbers.n; n++)
            if (c->cases[i].from->seeds.n > 1 && is_shown(&c->cases[i].numbers.at[n], all))
                return true;
    return false;
}

/* The numbers that make the check fail, or the others. */
static void add_rows(orr_grid *g, layout l, const orr_check *c, bool strict, bool all, bool failing)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t n = 0; n < c->cases[i].numbers.n; n++) {
            const orr_check_number *x = &c->cases[i].numbers.at[n];
            if (is_shown(x, all) && orr_check_fails(x, strict) == failing)
                add_row(g, l, &c->cases[i], x);
        }
}

static void print_numbers(const orr_check *c, orr_table_form form, bool strict, bool all, orr_text *out)
{
    const layout l = {.seeds = form == ORR_TABLE_CSV || shows_seeds(c, all), .better = form == ORR_TABLE_CSV};
    orr_grid *g = orr_grid_create();
    add_columns(g, l);
    add_rows(g, l, c, strict, all, true);
    add_rows(g, l, c, strict, all, false);
    if (orr_grid_rows(g) && form != ORR_TABLE_CSV)
        orr_text_addf(out, "\n");
    if (orr_grid_rows(g) || form == ORR_TABLE_CSV)
        orr_grid_print(g, form, out);
    orr_grid_destroy(g);
}

/* ---- jobs that moved ---- */

static void time_cell(orr_grid *g, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_text shown = {0};
    orr_time_format(t, buf);
    orr_text_addf(&shown, "%s%s", *buf ? buf : "-", *buf ? " s" : "");
    orr_grid_cell(g, shown.at, buf);
    orr_text_fini(&shown);
}

static void difference_cell(orr_grid *g, const orr_moved_job *job)
{
    char buf[ORR_TIME_BUF] = "";
    orr_text t = {0};
    if (job->before != ORR_TIME_NONE && job->now != ORR_TIME_NONE) {
        orr_time_human(job->now - job->before < 0 ? job->before - job->now : job->now - job->before, buf);
        orr_text_addf(&t, "%s%s", job->now < job->before ? "-" : "+", buf);
    }
    orr_grid_cell(g, t.n ? t.at : "", NULL);
    orr_text_fini(&t);
}

static void add_parting(bool parted, orr_time at, const char *then, const char *instead, orr_text *out)
{
    char clock[ORR_TIME_BUF];
    if (!parted)
        return;
    orr_time_clock(at, clock);
    orr_text_addf(out, "%s: %s, now %s", clock, *then ? then : "nothing", *instead ? instead : "nothing");
}

static orr_grid *jobs_of(const orr_moved *m)
{
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "job", "job", false);
    orr_grid_column(g, "jct before", "jct_before", true);
    orr_grid_column(g, "jct now", "jct_now", true);
    orr_grid_column(g, "difference", "difference", true);
    orr_grid_column(g, "first decided otherwise", "decision", false);
    for (size_t i = 0; i < m->worst.n; i++) {
        const orr_moved_job *job = &m->worst.at[i];
        orr_text t = {0};
        orr_grid_cell(g, job->id, NULL);
        time_cell(g, job->before);
        time_cell(g, job->now);
        difference_cell(g, job);
        add_parting(job->parted, job->parted_at, job->then, job->instead, &t);
        orr_grid_cell(g, t.n ? t.at : "", NULL);
        orr_text_fini(&t);
    }
    return g;
}

static void print_jobs(const orr_moved *m, orr_table_form form, orr_text *out)
{
    orr_grid *g = jobs_of(m);
    if (orr_grid_rows(g)) {
        orr_text_addf(out, "\n");
        orr_grid_print(g, form, out);
    }
    orr_grid_destroy(g);
}

static void add_moved(const orr_check_case *k, const orr_moved *m, orr_table_form form, orr_text *out)
{
    char some[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF];
    const char *gap = form == ORR_TABLE_MARKDOWN ? "\n" : "";
    orr_text_addf(out, "\n%s%s, seed %llu: ", form == ORR_TABLE_MARKDOWN ? "#### " : "", k->from->name,
                  (unsigned long long)m->seed);
    if (m->missing) {
        orr_text_addf(out, "which jobs moved can't be told: %s\n", m->missing);
        return;
    }
    orr_format_count(m->moved, some);
    orr_format_count(m->jobs, all);
    orr_text_addf(out, "%s of %s jobs moved\n", some, all);
    if (m->parted) {
        orr_text_addf(out, "%sThe runs part over job %s at ", gap, m->first_job);
        add_parting(true, m->parted_at, m->then, m->instead, out);
        orr_text_addf(out, ".\n");
    } else {
        orr_text_addf(out, "%sThe reference holds today's very schedule: it isn't what the numbers were made of.\n",
                      gap);
    }
    print_jobs(m, form, out);
}

void orr_check_moved(const orr_check_case *k, orr_table_form form, orr_text *out)
{
    for (size_t i = 0; i < k->moved.n; i++)
        add_moved(k, &k->moved.at[i], form, out);
}

/* ---- the whole ---- */

static void add_head(const orr_check *c, orr_table_form form, bool strict, orr_text *out)
{
    const char *runs = c->runs == 1 ? "run" : "runs";
    if (form == ORR_TABLE_MARKDOWN)
        orr_text_addf(out, "### %s: %s\n\n", c->file, orr_check_outcome(c, strict));
    else
        orr_text_addf(out, "baseline  %s    ", c->file);
    orr_text_addf(out, "%zu of %zu %s, %zu %s, %zu %s\n", c->selected, c->n, c->n == 1 ? "case" : "cases", c->numbers,
                  c->numbers == 1 ? "number" : "numbers", c->runs, runs);
}

/* Where the reader sees nothing but this page; elsewhere they are messages. */
static void add_problems(const orr_check *c, const orr_check_problems *list, const char *name, orr_text *out)
{
    for (size_t i = 0; i < list->n; i++)
        orr_text_addf(out, "- %s%s%s:%d: %s\n", name, *name ? ", " : "", c->file, list->at[i].line, list->at[i].text);
}

static void add_all_problems(const orr_check *c, orr_text *out)
{
    orr_text_addf(out, "\nWhat can't be compared:\n\n");
    add_problems(c, &c->general, "", out);
    for (size_t i = 0; i < c->n; i++)
        add_problems(c, &c->cases[i].problems, c->cases[i].from->name, out);
}

void orr_check_table(const orr_check *c, orr_table_form form, bool strict, bool all, orr_text *out)
{
    if (form == ORR_TABLE_CSV) {
        print_numbers(c, form, strict, true, out);
        return;
    }
    const char *advice = orr_check_advice(c, strict);
    add_head(c, form, strict, out);
    if (form == ORR_TABLE_MARKDOWN && c->problems)
        add_all_problems(c, out);
    print_numbers(c, form, strict, all, out);
    for (size_t i = 0; i < c->n; i++)
        orr_check_moved(&c->cases[i], form, out);
    for (size_t i = 0; i < c->n; i++)
        if (c->cases[i].wall_note)
            orr_text_addf(out, "%s%s: %s isn't compared: %s\n", form == ORR_TABLE_MARKDOWN ? "\n" : "",
                          c->cases[i].from->name, ORR_WALL_RUN, c->cases[i].wall_note);
    orr_text_addf(out, "\n%s: ", orr_check_outcome(c, strict));
    orr_check_counts(c, out);
    orr_text_addf(out, "\n%s%s", advice, *advice ? "\n" : "");
}
