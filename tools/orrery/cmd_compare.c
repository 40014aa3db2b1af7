/* orrery compare A B...: results side by side, one against the others, job by job. An operand that is a folder is a
 * result or holds several; any other is a policy, which is run first. */
#define _POSIX_C_SOURCE 200809L
#include "cmd.h"
#include "compare_runs.h"
#include "report/compare_page.h"
#include "report/comparison.h"
#include "report/report.h"
#include "report/results.h"

#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What isn't there, or isn't whole, can't be compared: that is an answer of its own (exit 2). */
static int say_missing(app *a, orr_error *e)
{
    if (e->code == ORR_E_OPEN)
        e->code = ORR_E_NOT_COMPARABLE;
    return say_error(&a->say, e);
}

/* ---- what is asked ---- */

static texts specs_of(const app *a)
{
    texts specs = {0};
    for (size_t i = 0; i < a->operand_count; i++)
        if (!is_folder(a->operands[i]))
            ORR_VEC_PUSH(&specs, a->operands[i]);
    return specs;
}

static int no_such_result(app *a, const char *operand)
{
    orr_error e = {0};
    orr_error_set(&e, ORR_E_NOT_COMPARABLE,
                  "there is no result of this name, and a policy needs a trace and a cluster");
    orr_error_text(&e, operand, strlen(operand));
    orr_error_hint(&e, "results are folders that `orrery run -o` made; policies are run with -t FILE -c WHAT");
    return say_error(&a->say, &e);
}

/* Groups whose options are about runs. */
static bool is_of_runs(const opt *o)
{
    static const char *const groups[] = {"Input", "Selection", "Cluster", "Policy", "Scenario", "Limits"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(o->group, groups[i]) == 0)
            return true;
    return false;
}

static int refuse_conditions(app *a)
{
    for (const opt *o = opt_table(); o->name; o++) {
        if (!(o->commands & CMD_COMPARE) || !is_of_runs(o) || !opt_given(a->set, o))
            continue;
        orr_error e = {0};
        orr_error_set(&e, ORR_E_CONFLICT, "--%s is for policies to be run, and all operands are results", o->name);
        return say_error(&a->say, &e);
    }
    return 0;
}

static int check(app *a, const texts *specs)
{
    const settings *s = a->set;
    if (specs->n == 0)
        return refuse_conditions(a);
    return s->trace && s->cluster ? 0 : no_such_result(a, specs->at[0]);
}

/* ---- results ---- */

static orr_err add_run(orr_results *results, const run *one, orr_error *e)
{
    const orr_err err = orr_results_add(results, one->dir, e);
    if (!err)
        orr_result_rename(results->at[results->n - 1], one->setup.policy);
    return err;
}

/* In the order of the operands. */
static int open_results(app *a, const compare_runs *own, orr_results *results)
{
    int status = 0;
    size_t next = 0;
    for (size_t i = 0; i < a->operand_count; i++) {
        orr_error e = {0};
        if (is_folder(a->operands[i]))
            (void)!orr_results_add(results, a->operands[i], &e);
        else
            (void)!add_run(results, &own->runs.at[next++], &e);
        if (e.code)
            status = say_missing(a, &e);
    }
    return status;
}

/* ---- what comes out ---- */

static orr_err print(const app *a, const orr_comparison *c, orr_error *e)
{
    const settings *s = a->set;
    orr_text t = {0};
    orr_err err = ORR_OK;
    if (s->json)
        err = orr_comparison_json(c, &t, e);
    else
        orr_comparison_print(c, s->csv ? ORR_TABLE_CSV : s->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT, &t);
    if (!err)
        print_text(&t);
    orr_text_fini(&t);
    return err;
}

/* With "-" the page is all that goes to stdout. */
static orr_err write_page(const app *a, const orr_comparison *c, orr_error *e)
{
    orr_text page = {0};
    orr_err err = orr_compare_page(c, &page, e);
    if (!err)
        err = orr_report_write(a->set->html, &page, e);
    orr_text_fini(&page);
    return err;
}

static orr_err tell(const app *a, const orr_comparison *c, orr_error *e)
{
    const char *html = a->set->html;
    const orr_err err = html ? write_page(a, c, e) : ORR_OK;
    return err || (html && strcmp(html, "-") == 0) ? err : print(a, c, e);
}

static orr_err add_bounds(const app *a, orr_comparison *c, orr_error *e)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < a->set->bounds.n && !err; i++)
        err = orr_comparison_bound(c, a->set->bounds.at[i], e);
    return err;
}

/* 1: a bound is violated; 2: none is, but one can't be judged. */
static int answer(app *a, const orr_comparison *c)
{
    int status = 0;
    bool violated = false;
    for (size_t b = 0; b < c->bounds.n; b++)
        for (size_t i = 0; i < c->results.n; i++) {
            const orr_bound_answer *one = &c->bounds.at[b].answers[i];
            violated |= one->decided && !one->holds;
            if (one->decided || i == c->base)
                continue;
            say_warning(&a->say, "undecided", NULL, 0, "%s: %s is undefined there or in the base",
                        c->results.at[i].label, c->bounds.at[b].bound.key);
            status = orr_err_exit_status(ORR_E_NOT_COMPARABLE);
        }
    return violated ? 1 : status;
}

static int compare(app *a, const orr_results *results)
{
    const settings *s = a->set;
    orr_error e = {0};
    const orr_comparison_options options = {
        .base = s->base, .metrics = s->metrics.at, .metric_count = s->metrics.n, .force = s->force};
    orr_comparison *c = orr_comparison_make((const orr_result *const *)results->at, results->n, &options, &e);
    if (c && !add_bounds(a, c, &e))
        (void)!tell(a, c, &e);
    const int status = e.code ? say_missing(a, &e) : answer(a, c);
    orr_comparison_destroy(c);
    return status;
}

int cmd_compare(app *a)
{
    orr_results results = {0};
    compare_runs own = {0};
    texts specs = specs_of(a);
    int status = check(a, &specs);
    if (!status && specs.n > 0)
        status = compare_runs_do(&own, a, &specs);
    if (!status)
        status = open_results(a, &own, &results);
    if (!status)
        status = compare(a, &results);
    orr_results_fini(&results);
    compare_runs_fini(&own);
    ORR_VEC_FREE(&specs);
    return status;
}
