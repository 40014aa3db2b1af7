/* orrery run: one scenario, one run a policy, one table. */
#include "cmd.h"
#include "folder.h"
#include "model/costs.h"
#include "module.h"
#include "run.h"
#include "signals.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct job_list {
    app *a;
    scenario scenario;
    orr_registry *registry;
    orr_measure measure;
    ORR_VEC(char *) owned; /* specs made from `all` */
    texts specs;
    run *runs;
    size_t done; /* runs that have results */
} job_list;

/* ---- what must be there ---- */

static int need(app *a, bool given, const char *what, const char *hint)
{
    if (given)
        return 0;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_MISSING, "%s", what);
    orr_error_hint(&e, "%s", hint);
    return say_error(&a->say, &e);
}

static int check_given(app *a)
{
    const settings *s = a->set;
    int status = need(a, s->trace, "run needs a trace", "-t FILE; `orrery synth` makes one");
    status |= need(a, s->cluster, "run needs a cluster", "-c FILE, a preset, or -c nodes=8,gpus=8");
    status |= need(a, s->policies.n > 0, "run needs a policy", "-p NAME; `orrery policies` lists them");
    return status;
}

/* What the simulation would find too, but only after a long trace was read. */
static int check_settings(job_list *l)
{
    const settings *s = l->a->set;
    orr_costs costs;
    orr_time round, tick;
    orr_error e = {0};
    orr_err err = orr_measure_parse(s->measure, &l->measure, &e);
    if (!err)
        err = orr_costs_parse(s->costs, &costs, &e);
    if (!err)
        err = orr_sim_parse_clock(s->clock, &round, &tick, &e);
    if (!err && s->out)
        err = folder_check(s->out, s->force, &e);
    return err ? say_error(&l->a->say, &e) : 0;
}

/* ---- which policies ---- */

static void add_spec(job_list *l, const char *spec)
{
    for (size_t i = 0; i < l->specs.n; i++)
        if (strcmp(l->specs.at[i], spec) == 0)
            return;
    ORR_VEC_PUSH(&l->specs, spec);
}

static void say_spec_error(app *a, const char *spec, orr_error *e)
{
    if (!*e->text)
        orr_error_text(e, spec, strlen(spec));
    say_error(&a->say, e);
}

/* Needs that the scenario doesn't meet; any other error means that the request itself is wrong. */
static bool is_unmet_need(orr_err code)
{
    return code == ORR_E_CAPABILITY || code == ORR_E_KNOWLEDGE || code == ORR_E_MISSING;
}

/* `spec` is owned by the list. Skips what the scenario can't serve. */
static orr_err try_spec(job_list *l, char *spec)
{
    orr_error e = {0};
    orr_sim_options options = run_options(l->a->set, l->registry);
    options.policy = spec;
    ORR_VEC_PUSH(&l->owned, spec);
    const orr_err err = run_check(&l->scenario, &options, &e);
    if (!err) {
        add_spec(l, spec);
    } else if (is_unmet_need(err)) {
        say_note(&l->a->say, orr_err_name(err), NULL, 0, "%s is left out: %s", spec, e.message);
    } else {
        say_spec_error(l->a, spec, &e);
        return err;
    }
    return ORR_OK;
}

/* `all`, perhaps with a placer or estimator behind it, which every policy then gets. */
static int add_all(job_list *l, const char *suffix)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(l->registry, &list);
    for (size_t i = 0; i < n; i++) {
        if (list[i]->kind != ORR_KIND_ORDER && list[i]->kind != ORR_KIND_POLICY)
            continue;
        orr_text spec = {0};
        const module_info m = module_of(list[i]);
        orr_text_addf(&spec, "%s%s", m.name, suffix);
        const orr_err err = try_spec(l, spec.at);
        if (err)
            return orr_err_exit_status(err);
    }
    return 0;
}

static int check_spec(job_list *l, const char *spec)
{
    orr_error e = {0};
    orr_sim_options options = run_options(l->a->set, l->registry);
    options.policy = spec;
    add_spec(l, spec);
    const orr_err err = run_check(&l->scenario, &options, &e);
    if (err)
        say_spec_error(l->a, spec, &e);
    return err ? orr_err_exit_status(err) : 0;
}

static bool is_all(const char *spec)
{
    return strncmp(spec, "all", 3) == 0 && (!spec[3] || spec[3] == '+' || spec[3] == '~');
}

/* All wrong ones are told before any run begins. */
static int choose_policies(job_list *l)
{
    const texts *given = &l->a->set->policies;
    int status = 0;
    for (size_t i = 0; i < given->n; i++) {
        const int one = is_all(given->at[i]) ? add_all(l, given->at[i] + 3) : check_spec(l, given->at[i]);
        status = status ? status : one;
    }
    if (!status && l->specs.n == 0)
        return need(l->a, false, "no policy is left to run", "`orrery policies` tells what each one needs");
    return status;
}

/* ---- running ---- */

static char *folder_of(const job_list *l, size_t i)
{
    orr_text name = {0}, path = {0};
    if (!l->a->set->out)
        return NULL;
    orr_text_addf(&path, "%s", l->a->set->out);
    if (l->specs.n > 1) {
        folder_name(l->specs.at, i, l->specs.at[i], &name);
        orr_text_addf(&path, "/%s", name.at);
    }
    orr_text_fini(&name);
    return path.at;
}

static int run_all(job_list *l)
{
    int status = 0;
    l->runs = orr_xcalloc(l->specs.n + 1, sizeof *l->runs);
    signals_run();
    for (size_t i = 0; i < l->specs.n && !signals_interrupted(); i++) {
        run *r = &l->runs[l->done];
        *r = (run){.spec = l->specs.at[i], .dir = folder_of(l, i), .options = run_options(l->a->set, l->registry)};
        r->options.policy = r->spec;
        const int one = run_do(r, l->a, &l->scenario, &l->measure, l->specs.n == 1);
        status = status ? status : one;
        if (r->metrics)
            l->done++;
        else
            run_fini(r);
    }
    return signals_interrupted() ? 130 : status;
}

/* ---- results ---- */

static void print_json(const job_list *l)
{
    if (l->specs.n == 1) {
        if (l->done)
            print_text(&l->runs[0].json);
        return;
    }
    printf("{\"schema\":\"orrery.runs/1\",\"runs\":[");
    for (size_t i = 0; i < l->done; i++) {
        const orr_text *t = &l->runs[i].json;
        printf("%s%.*s", i ? ",\n" : "\n", t->n ? (int)strcspn(t->at, "\n") : 4, t->n ? t->at : "null");
    }
    printf("\n]}\n");
}

static void print_table(const job_list *l, orr_table_form form)
{
    orr_text t = {0};
    orr_report_run *reports = orr_xcalloc(l->done + 1, sizeof *reports);
    for (size_t i = 0; i < l->done; i++)
        reports[i] = l->runs[i].report;
    if (l->done)
        orr_report_table(reports, l->done, form, &t);
    print_text(&t);
    orr_text_fini(&t);
    free(reports);
}

static void print_results(const job_list *l)
{
    const settings *s = l->a->set;
    if (s->json)
        print_json(l);
    else
        print_table(l, s->csv ? ORR_TABLE_CSV : s->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT);
}

static int prepare(job_list *l)
{
    int status = check_given(l->a);
    if (!status)
        status = check_settings(l);
    if (!status)
        l->registry = module_registry(&l->a->say, &l->a->set->plugins, &status);
    if (!status)
        status = scenario_load(&l->scenario, l->a);
    return status ? status : choose_policies(l);
}

static void fini(job_list *l)
{
    for (size_t i = 0; i < l->done; i++)
        run_fini(&l->runs[i]);
    for (size_t i = 0; i < l->owned.n; i++)
        free(l->owned.at[i]);
    free(l->runs);
    ORR_VEC_FREE(&l->owned);
    ORR_VEC_FREE(&l->specs);
    scenario_fini(&l->scenario);
    orr_registry_destroy(l->registry);
}

int cmd_run(app *a)
{
    job_list l = {.a = a};
    int status = prepare(&l);
    if (!status) {
        status = run_all(&l);
        print_results(&l);
        if (!status && a->set->werror && a->say.warned)
            status = orr_err_exit_status(ORR_E_STRICT);
    }
    fini(&l);
    return status;
}
