/* What is asked of the results of a sweep. */
#include "metrics/expr.h"
#include "study/grid_read.h"
#include "study/numbers.h"

/* ---- which numbers there are ---- */

typedef ORR_VEC(char *) key_names;

static void note_key(void *self, const char *key, double value, const char *unit)
{
    key_names *names = self;
    (void)value, (void)unit;
    ORR_VEC_PUSH(names, orr_xstrdup(key));
}

static orr_err unknown_key(const char *key, orr_error *e)
{
    const orr_metrics none = {0};
    key_names names = {0};
    orr_metrics_each(&none, note_key, &names);
    orr_error_set(e, ORR_E_BAD_VALUE, "no metric has this key");
    orr_error_text(e, key, strlen(key));
    const char *near = orr_nearest(key, (const char *const *)names.at, names.n);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    for (size_t i = 0; i < names.n; i++)
        free(names.at[i]);
    ORR_VEC_FREE(&names);
    return ORR_E_BAD_VALUE;
}

/* A pattern would be several numbers. */
static bool is_key(const char *text)
{
    return !strpbrk(text, "*?(") && orr_numbers_known(text);
}

static orr_err check(orr_sweep_metric *m, orr_error *e)
{
    orr_error own = {0};
    if (is_key(m->text))
        return ORR_OK;
    orr_expr *expr = orr_expr_parse(m->text, &own);
    m->expression = expr != NULL;
    orr_expr_destroy(expr);
    if (expr)
        return ORR_OK;
    if (!strpbrk(m->text, "(+-*/ "))
        return unknown_key(m->text, e);
    own.file[0] = '\0'; /* it has a better place in the plan */
    own.line = own.column = 0;
    if (e)
        *e = own;
    return own.code;
}

/* ---- reading ---- */

static orr_err read_better(const orr_sweep_plan *plan, const orr_yaml *v, orr_direction *better, orr_error *e)
{
    for (orr_direction d = ORR_BETTER_LOWER; d <= ORR_BETTER_HIGHER; d++)
        if (v->kind == ORR_YAML_SCALAR && strcmp(v->text, orr_direction_name(d)) == 0) {
            *better = d;
            return ORR_OK;
        }
    return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "'better' is lower or higher");
}

static orr_err add(orr_sweep_plan *plan, const orr_yaml *text, const orr_yaml *better, orr_error *e)
{
    if (text->kind != ORR_YAML_SCALAR || !*text->text)
        return orr_yaml_fail(&plan->doc, text, ORR_E_SYNTAX, e, "a metric is a text such as jct.mean");
    orr_sweep_metric m = {.text = text->text, .better = orr_numbers_direction(text->text)};
    orr_err err = check(&m, e);
    if (err)
        orr_error_at(e, plan->doc.file, text->line, text->column);
    else if (better)
        err = read_better(plan, better, &m.better, e);
    ORR_VEC_PUSH(&plan->metrics, m);
    return err;
}

static orr_err add_map(orr_sweep_plan *plan, const orr_yaml *map, orr_error *e)
{
    const orr_yaml *text = orr_yaml_member(map, "metric"), *better = orr_yaml_member(map, "better");
    for (const orr_yaml *v = map->first; v; v = v->next)
        if (v != text && v != better) {
            orr_yaml_fail_key(&plan->doc, v, ORR_E_UNKNOWN_KEY, e, "the key '%.80s' is not known here", v->key);
            orr_error_hint(e, "a metric with a direction is {metric: EXPRESSION, better: lower}");
            return ORR_E_UNKNOWN_KEY;
        }
    if (!text)
        return orr_yaml_fail(&plan->doc, map, ORR_E_SYNTAX, e, "the key 'metric' is missing");
    return add(plan, text, better, e);
}

static orr_err add_either(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    return v->kind == ORR_YAML_MAP ? add_map(plan, v, e) : add(plan, v, NULL, e);
}

orr_err orr_sweep_metrics_read(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    orr_err err = ORR_OK;
    if (v->kind != ORR_YAML_LIST)
        return add_either(plan, v, e);
    for (const orr_yaml *element = v->first; element && !err; element = element->next)
        err = add_either(plan, element, e);
    return err;
}

static void add_usual(orr_sweep_plan *plan, const char *key)
{
    ORR_VEC_PUSH(&plan->metrics, ((orr_sweep_metric){.text = key, .better = orr_numbers_direction(key)}));
}

static bool names(const orr_sweep_plan *plan, const char *key)
{
    return (plan->base && orr_yaml_member(plan->base, key)) || orr_sweep_axis(plan, key) < plan->axes.n;
}

void orr_sweep_metrics_default(orr_sweep_plan *plan)
{
    static const char *const of_jobs[] = {"jct.mean", "jct.p99", "wait_first.mean", "gpu_alloc"};
    static const char *const of_requests[] = {"slo_attain", "latency.p99", "latency_all.p99", "batch_mean"};
    const bool jobs = plan->synth || names(plan, "trace");
    for (size_t i = 0; i < 4 && jobs; i++)
        add_usual(plan, of_jobs[i]);
    for (size_t i = 0; i < 4 && (names(plan, "services") || !jobs); i++)
        add_usual(plan, of_requests[i]);
}
