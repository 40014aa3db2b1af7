/* orrery plan: the smallest cluster on which a trace under a policy, or services under their modules, meet every
 * target. */
#include "cmd.h"
#include "conditions.h"
#include "module.h"
#include "scenario.h"
#include "signals.h"

#include "study/plan.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct planning {
    app *a;
    orr_case base;
    orr_target *targets;
    orr_plan_ask ask;
    orr_registry *registry;
    orr_stock *stock;
} planning;

/* ---- what must be there ---- */

static orr_err need(bool given, const char *what, const char *hint, orr_error *e)
{
    if (given)
        return ORR_OK;
    orr_error_set(e, ORR_E_MISSING, "plan needs %s", what);
    orr_error_hint(e, "%s", hint);
    return ORR_E_MISSING;
}

static orr_err check_given(const settings *s, orr_error *e)
{
    const bool jobs = s->trace || !s->services;
    orr_err err = need(!s->serve || s->services, "services for --serve", "--services FILE names them", e);
    if (!err)
        err = need(s->trace || !jobs, "a trace", "-t FILE; `orrery synth` makes one; or --services FILE", e);
    if (!err)
        err = need(s->policy || !jobs, "a policy", "-p NAME; `orrery policies` lists them", e);
    if (!err && s->policy && !jobs)
        err = orr_error_set(e, ORR_E_CONFLICT, "a policy needs jobs, and there is no trace: --serve is about requests");
    if (!err && s->split == 1 && !jobs)
        err = orr_error_set(e, ORR_E_CONFLICT, "--split vc splits jobs, and there is no trace");
    if (!err)
        err = need(s->targets.n > 0, "a target", "--target 'wait_first.p95 < 10min'", e);
    if (!err && s->split == 1 && s->first_jobs)
        err = orr_error_set(e, ORR_E_CONFLICT, "--limit counts jobs of all, --split vc takes virtual clusters apart");
    return err;
}

/* ---- the ask ---- */

static bool count_of(const char *text, size_t n, int64_t *out)
{
    return orr_parse_i64(text, n, out) && *out >= 1 && *out <= 1000000;
}

/* "LOW..HIGH" */
static orr_err range_of(const char *option, const char *text, orr_plan_range *range, orr_error *e)
{
    const char *dots = strstr(text, "..");
    if (dots && count_of(text, (size_t)(dots - text), &range->low) &&
        count_of(dots + 2, strlen(dots + 2), &range->high) && range->low <= range->high)
        return ORR_OK;
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s takes LOW..HIGH, each a number of nodes from 1 to 1000000", option);
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

static orr_err set_range(planning *p, orr_error *e)
{
    const settings *s = p->a->set;
    orr_plan_range *range = &p->ask.range;
    range->all = s->all_sizes;
    range->check = s->neighbours;
    return s->all_sizes ? range_of("all", s->all_sizes, range, e) : range_of("nodes", s->sizes, range, e);
}

static orr_err set_targets(planning *p, orr_error *e)
{
    const texts *given = &p->a->set->targets;
    p->targets = orr_xcalloc(given->n, sizeof *p->targets);
    for (size_t i = 0; i < given->n; i++) {
        const orr_err err = orr_target_parse(given->at[i], &p->targets[i], e);
        if (err)
            return err;
    }
    p->ask.targets = p->targets;
    p->ask.target_count = given->n;
    return ORR_OK;
}

/* The node by itself must make a cluster, so that what is wrong with it is said before any trace is read. */
static orr_err check_node(const char *node, orr_error *e)
{
    orr_text one = {0};
    orr_text_addf(&one, "nodes=1,%s", node);
    orr_cluster_spec *cluster = orr_cluster_spec_load(one.at, NULL, e);
    orr_text_fini(&one);
    orr_cluster_spec_destroy(cluster);
    if (!cluster)
        orr_error_hint(e, "--node takes what -c takes inline, but for nodes: gpus=8,type=V100");
    return cluster ? ORR_OK : e->code;
}

static bool go_on(void *self)
{
    (void)self;
    return !signals_interrupted();
}

static orr_err set_ask(planning *p, orr_error *e)
{
    const settings *s = p->a->set;
    orr_err err = check_given(s, e);
    if (err)
        return err;
    p->base = orr_case_default();
    conditions_override(&p->base, s);
    p->base.policy = s->policy ? s->policy : "";
    p->base.serve = s->serve ? s->serve : "";
    p->ask = (orr_plan_ask){.base = &p->base, .node = s->node, .allow_rejected = s->allow_rejected,
                            .by_vc = s->split == 1, .jobs = (int)s->parallel, .tick = go_on};
    err = set_range(p, e);
    if (!err)
        err = set_targets(p, e);
    return err ? err : check_node(s->node, e);
}

/* ---- results ---- */

static orr_err print_plan(const app *a, const orr_plan *plan, orr_error *e)
{
    orr_text t = {0};
    orr_err err = ORR_OK;
    if (a->set->json)
        err = orr_plan_json(plan, &t, e);
    else if (a->set->csv || a->set->markdown)
        orr_plan_table(plan, a->set->csv ? ORR_TABLE_CSV : ORR_TABLE_MARKDOWN, &t);
    else
        orr_plan_tell(plan, &t);
    if (!err)
        print_text(&t);
    orr_text_fini(&t);
    return err;
}

static int make(planning *p)
{
    orr_error e = {0};
    orr_plan plan = {0};
    const orr_trace *trace = orr_stock_trace(p->stock, &p->base, &e);
    if (!trace)
        return say_error(&p->a->say, &e);
    scenario_tell(&p->a->say, trace);
    int status = scenario_refuse_warnings(p->a, trace);
    if (status)
        return status;
    signals_run();
    orr_err err = orr_plan_make(&p->ask, p->stock, &plan, &e);
    if (!err)
        err = print_plan(p->a, &plan, &e);
    status = err ? say_error(&p->a->say, &e) : !orr_plan_met(&plan);
    orr_plan_fini(&plan);
    return status;
}

int cmd_plan(app *a)
{
    planning p = {.a = a};
    orr_error e = {0};
    int status = 0;
    if (set_ask(&p, &e))
        status = say_error(&a->say, &e);
    if (!status)
        p.registry = module_registry(&a->say, &a->set->plugins, &status);
    if (!status) {
        p.stock = orr_stock_create(p.registry);
        status = make(&p);
        orr_stock_destroy(p.stock);
    }
    orr_registry_destroy(p.registry);
    free(p.targets);
    return status;
}
