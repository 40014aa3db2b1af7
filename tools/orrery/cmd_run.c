/* orrery run: one scenario, one run a policy, one table. What is to be run comes from the command line, an experiment
 * file below it, or a manifest. */
#include "cmd.h"
#include "conditions.h"
#include "module.h"
#include "print_config.h"
#include "rerun.h"
#include "run.h"
#include "scenario.h"
#include "study/case_keys.h"
#include "study/extras.h"
#include "study/folder.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct job_list {
    app *a;
    const settings *typed;
    settings set; /* as typed, with what a manifest says instead; the app's while this command runs */
    orr_experiment *experiment;
    rerun rerun;
    orr_case base; /* without a policy */
    texts given;   /* policies as asked for */
    texts serves;  /* serving modules as asked for; without services or any asked for: one that is "" */
    orr_registry *registry;
    orr_stock *stock;
    ORR_VEC(char *) owned; /* specs made from `all` */
    ORR_VEC(char *) names; /* of the runs' folders */
    texts specs;
    const char *const *write; /* names of extras.h */
    orr_arena arena;
    runs runs;
} job_list;

/* ---- what is asked ---- */

/* A manifest says all that decides a result; nothing may be said besides. */
static orr_err check_alone(const job_list *l, orr_error *e)
{
    for (const opt *o = opt_table(); o->name; o++) {
        const bool decides =
            orr_schema_find(&conditions_extra_keys, o->name) || orr_schema_find(&orr_case_keys, o->name);
        if (!(o->commands & CMD_RUN) || !decides || !opt_given(l->a->set, o))
            continue;
        orr_error_set(e, ORR_E_CONFLICT, "--manifest says all settings, --%s among them", o->name);
        orr_error_hint(e, "without --manifest, `orrery run` takes them one by one");
        return ORR_E_CONFLICT;
    }
    if (l->a->operand_count)
        return orr_error_set(e, ORR_E_CONFLICT, "--manifest and an experiment exclude each other");
    return ORR_OK;
}

static orr_err take_manifest(job_list *l, orr_error *e)
{
    orr_err err = check_alone(l, e);
    l->base = orr_case_default();
    if (!err)
        err = rerun_read(&l->rerun, l->a->set->manifest, &l->base, &l->set, e);
    if (!err && orr_case_has_jobs(&l->base))
        ORR_VEC_PUSH(&l->given, l->base.policy);
    if (!err && l->base.serve[0])
        ORR_VEC_PUSH(&l->serves, l->base.serve);
    l->base.policy = "";
    return err;
}

static orr_err take_experiment(job_list *l, orr_error *e)
{
    l->experiment = orr_experiment_read(l->a->operands[0], e);
    if (!l->experiment)
        return e->code;
    l->base = l->experiment->setup;
    conditions_override(&l->base, l->a->set);
    for (size_t i = 0; i < l->experiment->policies.n && !l->a->set->policies.n; i++)
        ORR_VEC_PUSH(&l->given, l->experiment->policies.at[i]);
    for (size_t i = 0; i < l->experiment->serves.n && !l->a->set->serves.n; i++)
        ORR_VEC_PUSH(&l->serves, l->experiment->serves.at[i]);
    return ORR_OK;
}

static int take_request(job_list *l)
{
    orr_error e = {0};
    orr_err err = ORR_OK;
    l->base = conditions_of(l->a->set);
    for (size_t i = 0; i < l->a->set->policies.n; i++)
        ORR_VEC_PUSH(&l->given, l->a->set->policies.at[i]);
    for (size_t i = 0; i < l->a->set->serves.n; i++)
        ORR_VEC_PUSH(&l->serves, l->a->set->serves.at[i]);
    if (l->a->set->manifest)
        err = take_manifest(l, &e);
    else if (l->a->operand_count)
        err = take_experiment(l, &e);
    return err ? say_error(&l->a->say, &e) : 0;
}

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

static bool is_given(const char *text)
{
    return text && text[0];
}

static int check_given(job_list *l)
{
    app *a = l->a;
    const bool jobs = orr_case_has_jobs(&l->base);
    if (need(a, l->serves.n == 0 || is_given(l->base.services), "--serve needs services",
             is_given(l->base.trace) ? "--services FILE names them"
                                     : "--services FILE names them; then -t may be left out"))
        return 64;
    int status = need(a, is_given(l->base.trace) || !jobs, "run needs a trace", "-t FILE; `orrery synth` makes one");
    status |= need(a, is_given(l->base.cluster), "run needs a cluster", "-c FILE, a preset, or -c nodes=8,gpus=8");
    status |= need(a, l->given.n > 0 || !jobs, "run needs a policy", "-p NAME; `orrery policies` lists them");
    status |= need(a, l->given.n == 0 || jobs, "a policy needs jobs, and there is no trace",
                   "-t FILE names one; --serve is about the requests of services");
    return status;
}

/* What isn't asked is there once, as nothing: each run has one of either. */
static void complete(job_list *l)
{
    if (!orr_case_has_jobs(&l->base))
        ORR_VEC_PUSH(&l->specs, "");
    if (!l->serves.n)
        ORR_VEC_PUSH(&l->serves, "");
    l->base.serve = l->serves.at[0];
}

/* What the simulation would find too, but only after a long trace was read. */
static int check_settings(job_list *l)
{
    orr_error e = {0};
    orr_err err = orr_case_check(&l->base, &e);
    if (!err)
        err = orr_extras_parse(l->a->set->write, &l->arena, &l->write, &e);
    if (!err && orr_extras_has(l->write, "requests") && !is_given(l->base.services))
        err = orr_error_set(&e, ORR_E_MISSING, "--write requests needs services: --services FILE");
    if (!err && l->write[0] && !l->a->set->out)
        err = orr_error_set(&e, ORR_E_MISSING, "--write needs a folder to write into: -o DIR");
    if (!err && l->a->set->out)
        err = orr_folder_check(l->a->set->out, l->a->set->force, &e);
    return err ? say_error(&l->a->say, &e) : 0;
}

static int check_inputs(job_list *l)
{
    orr_error e = {0};
    return l->a->set->manifest && rerun_check(&l->rerun, &l->base, l->stock, &e) ? say_error(&l->a->say, &e) : 0;
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
    if (!*e->text && !*e->file)
        orr_error_text(e, spec, strlen(spec));
    say_error(&a->say, e);
}

static orr_case case_of(const job_list *l, const char *spec)
{
    orr_case c = l->base;
    c.policy = spec;
    return c;
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
    const orr_case c = case_of(l, spec);
    ORR_VEC_PUSH(&l->owned, spec);
    const orr_err err = orr_case_try(&c, l->stock, &e);
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
    const orr_case c = case_of(l, spec);
    add_spec(l, spec);
    const orr_err err = orr_case_try(&c, l->stock, &e);
    if (err)
        say_spec_error(l->a, spec, &e);
    return err ? orr_err_exit_status(err) : 0;
}

static int check_serve(job_list *l, const char *serve)
{
    orr_error e = {0};
    orr_case c = case_of(l, l->specs.at[0]);
    c.serve = serve;
    const orr_err err = orr_case_try(&c, l->stock, &e);
    if (err && *serve)
        say_spec_error(l->a, serve, &e);
    else if (err)
        say_error(&l->a->say, &e);
    return err ? orr_err_exit_status(err) : 0;
}

static bool is_all(const char *spec)
{
    return strncmp(spec, "all", 3) == 0 && (!spec[3] || spec[3] == '+' || spec[3] == '~');
}

/* All wrong ones are told before any run begins. */
static int choose_policies(job_list *l)
{
    int status = 0;
    for (size_t i = 0; i < l->given.n; i++) {
        const char *spec = l->given.at[i];
        const int one = is_all(spec) ? add_all(l, spec + 3) : check_spec(l, spec);
        status = status ? status : one;
    }
    for (size_t i = 0; i < l->serves.n && l->specs.n && is_given(l->base.services); i++) {
        const int one = check_serve(l, l->serves.at[i]);
        status = status ? status : one;
    }
    if (!status && l->specs.n == 0)
        return need(l->a, false, "no policy is left to run", "`orrery policies` tells what each one needs");
    return status;
}

/* ---- running ---- */

static orr_case case_at(const job_list *l, size_t i)
{
    orr_case c = case_of(l, l->specs.at[i / l->serves.n]);
    c.serve = l->serves.at[i % l->serves.n];
    return c;
}

/* Runs are told apart by what differs: policies, serving modules, or both. */
static void name_at(const job_list *l, size_t i, orr_text *out)
{
    const char *serve = l->serves.at[i % l->serves.n];
    if (l->specs.n > 1)
        orr_text_addf(out, "%s", l->specs.at[i / l->serves.n]);
    if (l->serves.n > 1)
        orr_text_addf(out, "%s%s", out->n ? "-" : "", *serve ? serve : "none");
}

static void name_all(job_list *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        orr_text name = {0};
        name_at(l, i, &name);
        ORR_VEC_PUSH(&l->names, name.at);
    }
}

static char *folder_of(const job_list *l, size_t i)
{
    orr_text name = {0}, path = {0};
    if (!l->a->set->out)
        return NULL;
    orr_text_addf(&path, "%s", l->a->set->out);
    if (l->names.n > 1) {
        orr_folder_name((const char *const *)l->names.at, i, l->names.at[i], &name);
        orr_text_addf(&path, "/%s", name.at);
    }
    orr_text_fini(&name);
    return path.at;
}

static int run_all(job_list *l)
{
    orr_case_extra *extras = orr_arena_alloc(&l->arena, CONDITIONS_EXTRAS * sizeof *extras);
    const bool again = l->a->set->manifest;
    const size_t n = l->specs.n * l->serves.n;
    conditions_extras(l->a->set, &l->arena, extras);
    name_all(l, n);
    l->runs = (runs){.a = l->a,
                     .stock = l->stock,
                     .at = orr_xcalloc(n + 1, sizeof *l->runs.at),
                     .n = n,
                     .argc = again ? l->rerun.argc : l->a->argc,
                     .argv = again ? l->rerun.argv : (const char *const *)l->a->argv,
                     .extras = extras,
                     .extra_count = CONDITIONS_EXTRAS,
                     .write = l->write};
    for (size_t i = 0; i < n; i++) {
        l->runs.at[i].setup = case_at(l, i);
        l->runs.at[i].dir = folder_of(l, i);
    }
    return runs_do(&l->runs, (int)l->a->set->parallel);
}

/* ---- results ---- */

static int print_one(const job_list *l)
{
    orr_text t = {0};
    orr_error e = {0};
    const orr_report_run *report = l->runs.at[0].result.report;
    const int status = report && orr_summary_json(report, true, &t, &e) ? say_error(&l->a->say, &e) : 0;
    print_text(&t);
    orr_text_fini(&t);
    return status;
}

static int print_json(const job_list *l)
{
    bool first = true;
    if (l->runs.n == 1)
        return print_one(l);
    printf("{\"schema\":\"orrery.runs/1\",\"runs\":[");
    for (size_t i = 0; i < l->runs.n; i++) {
        const orr_text *t = &l->runs.at[i].result.summary;
        if (!l->runs.at[i].result.report)
            continue;
        printf("%s%.*s", first ? "\n" : ",\n", t->n ? (int)strcspn(t->at, "\n") : 4, t->n ? t->at : "null");
        first = false;
    }
    printf("\n]}\n");
    return 0;
}

static int print_table(const job_list *l, orr_table_form form)
{
    orr_text t = {0};
    orr_report_run *reports = orr_xcalloc(l->runs.n + 1, sizeof *reports);
    size_t n = 0;
    for (size_t i = 0; i < l->runs.n; i++)
        if (l->runs.at[i].result.report)
            reports[n++] = *l->runs.at[i].result.report;
    if (n)
        orr_report_table(reports, n, form, &t);
    print_text(&t);
    orr_text_fini(&t);
    free(reports);
    return 0;
}

static int print_results(const job_list *l)
{
    const settings *s = l->a->set;
    if (s->json)
        return print_json(l);
    return print_table(l, s->csv ? ORR_TABLE_CSV : s->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT);
}

static int run_and_print(job_list *l)
{
    int status = run_all(l);
    const int printed = print_results(l);
    status = status ? status : printed;
    if (!status && l->a->set->werror && l->a->say.warned)
        return orr_err_exit_status(ORR_E_STRICT);
    return status;
}

static void print_settings(const job_list *l)
{
    orr_text t = {0};
    print_config(l->a->set, &l->base, &l->given, &l->serves, l->experiment, l->a->set->manifest, &t);
    print_text(&t);
    orr_text_fini(&t);
}

/* ---- the whole ---- */

static int prepare(job_list *l)
{
    int status = check_given(l);
    if (!status)
        status = check_settings(l);
    if (!status)
        l->registry = module_registry(&l->a->say, &l->a->set->plugins, &status);
    if (status)
        return status;
    complete(l);
    l->stock = orr_stock_create(l->registry);
    status = scenario_load(l->a, l->stock, &l->base);
    if (!status)
        status = check_inputs(l);
    return status ? status : choose_policies(l);
}

static void fini(job_list *l)
{
    if (l->set.plugins.at != l->typed->plugins.at)
        ORR_VEC_FREE(&l->set.plugins);
    l->a->set = l->typed;
    runs_fini(&l->runs);
    for (size_t i = 0; i < l->owned.n; i++)
        free(l->owned.at[i]);
    ORR_VEC_FREE(&l->owned);
    for (size_t i = 0; i < l->names.n; i++)
        free(l->names.at[i]);
    ORR_VEC_FREE(&l->names);
    ORR_VEC_FREE(&l->serves);
    ORR_VEC_FREE(&l->specs);
    ORR_VEC_FREE(&l->given);
    orr_stock_destroy(l->stock);
    orr_registry_destroy(l->registry);
    orr_experiment_destroy(l->experiment);
    rerun_fini(&l->rerun);
    orr_arena_fini(&l->arena);
}

int cmd_run(app *a)
{
    job_list l = {.a = a, .typed = a->set, .set = *a->set};
    a->set = &l.set;
    int status = take_request(&l);
    if (!status && a->set->print_config)
        print_settings(&l);
    else if (!status)
        status = prepare(&l);
    if (!status && !a->set->print_config)
        status = run_and_print(&l);
    fini(&l);
    return status;
}
