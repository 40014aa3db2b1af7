/* First what the documents say, since that is cheap and mostly settles whether there is anything to compare; then the
 * tables of jobs, a pair of results at a time. */
#include "report/comparison.h"

#include "base/text.h"
#include "report/comparison_facts.h"
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

static const char *const usual[] = {
    "jct.mean",  "jct.p50",      "jct.p95",     "jct.p99",    "wait_first.mean", "wait_total.mean", "bsld.mean",
    "rho_worst", "rho_unfair",   "makespan",    "gpu_alloc",  "gpu_busy",        "queue_len",       "age_max",
    "jain",      "deadline_met", "preemptions", "migrations", "resizes",         "lost_work",       "overhead",
    "slo_attain", "goodput_serve", "latency.mean", "latency.p50", "latency.p99", "latency_all.p50", "latency_all.p99",
    "wait.mean", "ttft.p99", "tpot.mean", "batch_mean", "requests.dropped", "exec_busy", "accuracy", "cost.serve", "requests.cold", "weight_loads",
};

enum { USUAL = sizeof usual / sizeof *usual };

/* ---- buckets ---- */

const char *orr_bucket_name(orr_bucket bucket)
{
    static const char *const names[] = {"same", "improved", "regressed", "changed"};
    return names[bucket];
}

static bool about_equal(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

orr_bucket orr_bucket_of(double base, double value, orr_direction direction)
{
    if (isnan(base) && isnan(value))
        return ORR_BUCKET_SAME;
    if (isnan(base) || isnan(value))
        return ORR_BUCKET_CHANGED;
    if (about_equal(base, value))
        return ORR_BUCKET_SAME;
    if (direction == ORR_BETTER_TARGET)
        return ORR_BUCKET_CHANGED;
    return (value < base) == (direction == ORR_BETTER_LOWER) ? ORR_BUCKET_IMPROVED : ORR_BUCKET_REGRESSED;
}

/* ---- the results ---- */

static bool policy_is_unique(const orr_result *const *results, size_t n, size_t i)
{
    for (size_t other = 0; other < n; other++)
        if (other != i && strcmp(orr_result_policy(results[other]), orr_result_policy(results[i])) == 0)
            return false;
    return true;
}

static char *label_of(const orr_result *const *results, size_t n, size_t i)
{
    orr_text t = {0};
    size_t same = 1;
    if (policy_is_unique(results, n, i))
        return orr_xstrdup(orr_result_policy(results[i]));
    for (size_t before = 0; before < i; before++)
        same += strcmp(orr_result_name(results[before]), orr_result_name(results[i])) == 0;
    orr_text_addf(&t, "%s", orr_result_name(results[i]));
    if (same > 1)
        orr_text_addf(&t, "#%zu", same);
    return t.at;
}

static void add_results(orr_comparison *c, const orr_result *const *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cJSON *measured = cJSON_GetObjectItemCaseSensitive(orr_result_summary(results[i]), "measured");
        orr_compared_result r = {.result = results[i], .label = label_of(results, n, i)};
        r.biased = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(measured, "biased"));
        ORR_VEC_PUSH(&c->results, r);
    }
}

static bool is_called(const orr_compared_result *r, const char *name)
{
    return strcmp(name, r->label) == 0 || strcmp(name, orr_result_policy(r->result)) == 0 ||
           strcmp(name, orr_result_name(r->result)) == 0;
}

static orr_err choose_base(orr_comparison *c, const char *name, orr_error *e)
{
    const char **labels = orr_xcalloc(c->results.n, sizeof *labels);
    bool found = !name;
    for (size_t i = 0; i < c->results.n && !found; i++) {
        labels[i] = c->results.at[i].label;
        found = is_called(&c->results.at[i], name);
        c->base = found ? i : 0;
    }
    if (!found) {
        const char *near = orr_nearest(name, labels, c->results.n);
        orr_error_set(e, ORR_E_BAD_VALUE, "no result is called that");
        orr_error_text(e, name, strlen(name));
        orr_error_hint(e, near ? "did you mean %s?" : "the first is %s", near ? near : labels[0]);
    }
    free(labels);
    return found ? ORR_OK : ORR_E_BAD_VALUE;
}

static orr_err check_measured(const orr_comparison *c, orr_error *e)
{
    for (size_t i = 0; i < c->results.n; i++) {
        double n = 0;
        const bool jobs = cJSON_GetObjectItemCaseSensitive(orr_result_summary(c->results.at[i].result), "measured");
        if (orr_result_metric(c->results.at[i].result, jobs ? "measured" : "requests.arrived", &n) && n > 0)
            continue;
        orr_error_set(e, ORR_E_NOT_COMPARABLE, "%s measured no %s", c->results.at[i].label, jobs ? "job" : "request");
        orr_error_at(e, orr_result_name(c->results.at[i].result), 0, 0);
        return ORR_E_NOT_COMPARABLE;
    }
    return ORR_OK;
}

/* ---- metrics ---- */

typedef struct keys {
    ORR_VEC(const char *) list; /* all there are, with their units */
    ORR_VEC(const char *) units;
    orr_arena arena;
} keys;

static void add_key(void *self, const char *key, double value, const char *unit)
{
    keys *k = self;
    (void)value;
    ORR_VEC_PUSH(&k->list, (const char *)orr_arena_strdup(&k->arena, key, strlen(key)));
    ORR_VEC_PUSH(&k->units, unit);
}

static keys keys_of(const orr_comparison *c)
{
    keys k = {.list = {0}};
    orr_result_each_metric(c->results.at[c->base].result, add_key, &k);
    return k;
}

static void keys_fini(keys *k)
{
    ORR_VEC_FREE(&k->list);
    ORR_VEC_FREE(&k->units);
    orr_arena_fini(&k->arena);
}

const orr_compared_metric *orr_comparison_metric(const orr_comparison *c, const char *key)
{
    for (size_t i = 0; i < c->metrics.n; i++)
        if (strcmp(c->metrics.at[i].key, key) == 0)
            return &c->metrics.at[i];
    return NULL;
}

static bool is_better(double a, double b, orr_direction direction)
{
    return !about_equal(a, b) && (direction == ORR_BETTER_LOWER) == (a < b);
}

/* A target has no best, nor has a metric that all agree on. */
static void mark_best(orr_compared_metric *m, size_t n)
{
    size_t defined = 0, best = 0;
    for (size_t i = 0; i < n && m->direction != ORR_BETTER_TARGET; i++) {
        bool beaten = isnan(m->values[i].value);
        defined += !beaten;
        for (size_t other = 0; other < n && !beaten; other++)
            beaten =
                !isnan(m->values[other].value) && is_better(m->values[other].value, m->values[i].value, m->direction);
        m->values[i].best = !beaten;
        best += !beaten;
    }
    for (size_t i = 0; i < n && best == defined; i++)
        m->values[i].best = false;
}

static void compare_value(orr_compared_metric *m, size_t base, size_t i)
{
    orr_compared_value *v = &m->values[i];
    const double from = m->values[base].value;
    v->difference = v->value - from;
    v->relative = from != 0 ? v->difference / fabs(from) : v->difference == 0 ? 0 : NAN;
    v->bucket = orr_bucket_of(from, v->value, m->direction);
}

/* Takes the values. Unless `asked` nothing is added where none has a value, or all have 0. */
static void add_row(orr_comparison *c, const char *key, const char *unit, orr_compared_value *values, bool asked)
{
    const size_t n = c->results.n;
    orr_compared_metric m = {.unit = unit, .direction = orr_metric_direction(key), .values = values};
    bool tells = asked;
    for (size_t i = 0; i < n; i++)
        tells |= !isnan(values[i].value) && values[i].value != 0;
    if (!tells) {
        free(values);
        return;
    }
    for (size_t i = 0; i < n; i++)
        compare_value(&m, c->base, i);
    mark_best(&m, n);
    m.key = orr_xstrdup(key);
    ORR_VEC_PUSH(&c->metrics, m);
}

/* False if no result knows of it. */
static bool add_metric(orr_comparison *c, const char *key, const char *unit, bool asked)
{
    bool known = false;
    if (orr_comparison_metric(c, key))
        return true;
    orr_compared_value *values = orr_xcalloc(c->results.n, sizeof *values);
    for (size_t i = 0; i < c->results.n; i++) {
        values[i].value = NAN;
        known |= orr_result_metric(c->results.at[i].result, key, &values[i].value);
    }
    if (known)
        add_row(c, key, unit, values, asked);
    else
        free(values);
    return known;
}

/* An expression is asked of the jobs of each result. */
static orr_err add_expression(orr_comparison *c, const char *text, orr_error *e)
{
    if (orr_comparison_metric(c, text))
        return ORR_OK;
    orr_expr *expr = orr_expr_parse(text, e);
    if (!expr)
        return ORR_E_BAD_VALUE;
    const orr_expr *const list[] = {expr};
    orr_compared_value *values = orr_xcalloc(c->results.n, sizeof *values);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->results.n && !err; i++)
        err = orr_result_values(c->results.at[i].result, list, 1, &values[i].value, e);
    if (err)
        free(values);
    else
        add_row(c, text, orr_expr_is_time(expr) ? "s" : "", values, true);
    orr_expr_destroy(expr);
    return err;
}

static orr_err unknown_metric(const char *pattern, const keys *k, orr_error *e)
{
    const char *near = orr_nearest(pattern, k->list.at, k->list.n);
    orr_error_set(e, ORR_E_BAD_VALUE, "no metric of these results is called that");
    orr_error_text(e, pattern, strlen(pattern));
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "keys are those of summary.json: jct.mean, gpu_alloc; jct.* stands for all of one");
    return ORR_E_BAD_VALUE;
}

/* A key, a pattern of keys, or else an expression; what is neither is told as what it looks like. */
static orr_err add_pattern(orr_comparison *c, const char *pattern, const keys *k, orr_error *e)
{
    const bool all = strcmp(pattern, "all") == 0, plain = all || strchr(pattern, '(') || !strchr(pattern, '*');
    bool known = false;
    for (size_t i = 0; i < k->list.n; i++)
        if (all || (plain ? strcmp(pattern, k->list.at[i]) == 0 : fnmatch(pattern, k->list.at[i], 0) == 0))
            known |= add_metric(c, k->list.at[i], k->units.at[i], plain && !all);
    if (!known && plain)
        known = add_metric(c, pattern, "", true);
    if (known)
        return ORR_OK;
    orr_error own = {0};
    const orr_err err = plain ? add_expression(c, pattern, &own) : ORR_E_BAD_VALUE;
    if (err == ORR_E_BAD_VALUE && !strpbrk(pattern, "(+-/=<>"))
        return unknown_metric(pattern, k, e);
    if (err && e && !e->code)
        *e = own;
    return err;
}

static bool is_usual(const char *key)
{
    for (size_t i = 0; i < USUAL; i++)
        if (strcmp(usual[i], key) == 0)
            return true;
    return strchr(key, '('); /* an expression was asked for */
}

static orr_err add_metrics(orr_comparison *c, const orr_comparison_options *o, orr_error *e)
{
    keys k = keys_of(c);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < k.list.n && o->metric_count == 0; i++)
        if (is_usual(k.list.at[i]))
            add_metric(c, k.list.at[i], k.units.at[i], false);
    for (size_t i = 0; i < o->metric_count && !err; i++)
        err = add_pattern(c, o->metrics[i], &k, e);
    keys_fini(&k);
    return err;
}

orr_err orr_comparison_bound(orr_comparison *c, const char *text, orr_error *e)
{
    orr_compared_bound b = {.answers = NULL};
    orr_err err = orr_bound_parse(text, &b.bound, e);
    if (err)
        return err;
    keys k = keys_of(c);
    err = add_pattern(c, b.bound.key, &k, e);
    keys_fini(&k);
    if (err) {
        orr_bound_fini(&b.bound);
        return err;
    }
    b.answers = orr_xcalloc(c->results.n, sizeof *b.answers);
    const orr_compared_value *values = orr_comparison_metric(c, b.bound.key)->values;
    for (size_t i = 0; i < c->results.n; i++)
        b.answers[i] = orr_bound_check(&b.bound, values[c->base].value, values[i].value);
    ORR_VEC_PUSH(&c->bounds, b);
    return ORR_OK;
}

/* ---- jobs ---- */

static orr_err pair_up(orr_comparison *c, orr_error *e)
{
    orr_err err = ORR_OK;
    const bool jobs = cJSON_GetObjectItemCaseSensitive(orr_result_summary(c->results.at[c->base].result), "trace");
    if (!jobs || !orr_comparison_same(c, "trace"))
        return ORR_OK;
    for (size_t i = 0; i < c->results.n && !err; i++) {
        orr_compared_result *r = &c->results.at[i];
        if (i == c->base)
            continue;
        err = orr_paired_of(c->results.at[c->base].result, r->result, &r->paired, e);
        r->has_paired = !err;
    }
    return err;
}

/* Other jobs under the same rule: a run that was cut short, or that rejected some. */
static void look_at_measured(orr_comparison *c)
{
    bool differ = !orr_comparison_same(c, "trace");
    char **values = orr_xcalloc(c->results.n + 1, sizeof *values);
    for (size_t i = 0; i < c->results.n; i++) {
        const orr_paired *p = &c->results.at[i].paired;
        double n = 0;
        orr_text t = {0};
        orr_result_metric(c->results.at[i].result, "measured", &n);
        orr_text_addf(&t, "%.0f", n);
        if (p->second_only)
            orr_text_addf(&t, ", %llu of them others than the base's", (unsigned long long)p->second_only);
        if (p->first_only)
            orr_text_addf(&t, ", %llu of the base's missing", (unsigned long long)p->first_only);
        differ |= p->first_only || p->second_only;
        values[i] = t.at;
    }
    if (differ) {
        orr_comparison_note(c, "measured jobs", values);
        return;
    }
    orr_disparity d = {NULL, values};
    orr_disparity_fini(&d, c->results.n);
}

/* ---- all of it ---- */

static orr_err compare(orr_comparison *c, const orr_comparison_options *o, orr_error *e)
{
    orr_err err = choose_base(c, o->base, e);
    if (!err)
        err = add_metrics(c, o, e);
    if (!err)
        err = check_measured(c, e);
    orr_comparison_look(c);
    if (!err && c->disparities.n > 0 && !o->force)
        err = orr_comparison_refuse(c, e);
    if (!err)
        err = pair_up(c, e);
    if (err)
        return err;
    look_at_measured(c);
    return c->disparities.n > 0 && !o->force ? orr_comparison_refuse(c, e) : ORR_OK;
}

orr_comparison *orr_comparison_make(const orr_result *const *results, size_t n, const orr_comparison_options *options,
                                    orr_error *e)
{
    if (n < 2) {
        orr_error_set(e, ORR_E_NOT_COMPARABLE, "there is %s to compare", n == 1 ? "only one result" : "no result");
        return NULL;
    }
    orr_comparison *c = orr_xcalloc(1, sizeof *c);
    add_results(c, results, n);
    if (!compare(c, options, e))
        return c;
    orr_comparison_destroy(c);
    return NULL;
}

void orr_comparison_destroy(orr_comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->disparities.n; i++)
        orr_disparity_fini(&c->disparities.at[i], c->results.n);
    for (size_t i = 0; i < c->metrics.n; i++) {
        free(c->metrics.at[i].key);
        free(c->metrics.at[i].values);
    }
    for (size_t i = 0; i < c->bounds.n; i++) {
        orr_bound_fini(&c->bounds.at[i].bound);
        free(c->bounds.at[i].answers);
    }
    for (size_t i = 0; i < c->results.n; i++) {
        orr_paired_fini(&c->results.at[i].paired);
        free(c->results.at[i].label);
    }
    ORR_VEC_FREE(&c->disparities);
    ORR_VEC_FREE(&c->metrics);
    ORR_VEC_FREE(&c->bounds);
    ORR_VEC_FREE(&c->results);
    free(c);
}
