/* The shape of a plan: its keys, and cells as digits of a number whose bases are the axes. What is left out is dropped
 * once, when the plan is read; after that a cell is a look-up.
 */
#include "study/grid.h"

#include "study/claim_keys.h"
#include "study/grid_read.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- keys ---- */

typedef orr_err reader(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e);

static orr_err read_schema(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    static const char family[] = "orrery.sweep/";
    if (v->kind == ORR_YAML_SCALAR && strcmp(v->text, ORR_SWEEP_SCHEMA) == 0)
        return ORR_OK;
    const bool other = v->kind == ORR_YAML_SCALAR && strncmp(v->text, family, sizeof family - 1) == 0;
    const orr_err code = orr_yaml_fail(&plan->doc, v, other ? ORR_E_VERSION : ORR_E_SYNTAX, e, "%s",
                                       other ? "this program doesn't know this schema" : "this is no plan of a sweep");
    orr_error_hint(e, "a plan begins with `schema: " ORR_SWEEP_SCHEMA "`");
    return code;
}

static orr_err read_name(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    if (v->kind != ORR_YAML_SCALAR)
        return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "'name' should be a text");
    plan->name = v->text;
    return ORR_OK;
}

static orr_err read_base(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    orr_case base = orr_case_default();
    const orr_err err = orr_case_read(&base, &plan->doc, v, NULL, e);
    plan->base = v;
    plan->seed = base.seed;
    return err;
}

static orr_err read_synth(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    plan->synth = v;
    orr_schema_defaults(&orr_claim_synth_keys, &plan->drawn);
    return orr_schema_read(&orr_claim_synth_keys, &plan->doc, v, &plan->drawn, e);
}

/* ---- axes ---- */

static orr_err read_values(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *v, orr_error *e)
{
    orr_err err = ORR_OK;
    if (v->kind != ORR_YAML_LIST)
        return orr_axis_read(plan, axis, v, e);
    if (!v->first)
        return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "the axis '%s' has no values", axis->key);
    for (const orr_yaml *element = v->first; element && !err; element = element->next)
        err = orr_axis_read(plan, axis, element, e);
    return err;
}

/* Does a case take these values? */
static orr_err check_values(const orr_sweep_plan *plan, const orr_axis *axis, const orr_yaml *v, orr_error *e)
{
    orr_arena scratch = {0};
    orr_err err = ORR_OK;
    for (size_t i = 0; i < axis->values.n && !err; i++) {
        orr_case c = orr_case_default();
        const orr_axis_value *value = &axis->values.at[i];
        err = orr_case_set(&c, &scratch, axis->key, value->text, e);
        if (err == ORR_E_UNKNOWN_KEY)
            orr_error_at(e, plan->doc.file, v->key_line, v->key_column);
        else if (err)
            orr_error_at(e, plan->doc.file, value->at->line, value->at->column);
        const char *wrong = err == ORR_E_UNKNOWN_KEY ? axis->key : value->text;
        if (err && e && !*e->text)
            orr_error_text(e, wrong, strlen(wrong));
    }
    orr_arena_fini(&scratch);
    return err;
}

static orr_err read_axis(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    orr_axis axis = {.key = v->key};
    orr_err err = ORR_OK;
    if (plan->axes.n == ORR_SWEEP_AXES)
        err = orr_yaml_fail_key(&plan->doc, v, ORR_E_SYNTAX, e, "more than %d axes", ORR_SWEEP_AXES);
    if (!err)
        err = read_values(plan, &axis, v, e);
    if (!err)
        err = check_values(plan, &axis, v, e);
    ORR_VEC_PUSH(&plan->axes, axis);
    return err;
}

static orr_err read_grid(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    if (v->kind != ORR_YAML_MAP || v->count == 0)
        return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "'grid' should be a map of keys to lists of values");
    orr_err err = ORR_OK;
    for (const orr_yaml *axis = v->first; axis && !err; axis = axis->next)
        err = read_axis(plan, axis, e);
    plan->combinations = 1;
    for (size_t i = 0; i < plan->axes.n && !err; i++) {
        plan->combinations *= plan->axes.at[i].values.n;
        if (plan->combinations > ORR_SWEEP_CELLS)
            err = orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "the grid has more than %d combinations",
                                ORR_SWEEP_CELLS);
    }
    return err;
}

/* ---- what is left out ---- */

typedef struct exclusion {
    bool named[ORR_SWEEP_AXES], *picked[ORR_SWEEP_AXES];
} exclusion;

typedef ORR_VEC(exclusion) exclusions;

static void values_of(const orr_sweep_plan *plan, size_t combination, uint32_t at[ORR_SWEEP_AXES])
{
    for (size_t i = plan->axes.n; i-- > 0;) {
        at[i] = (uint32_t)(combination % plan->axes.at[i].values.n);
        combination /= plan->axes.at[i].values.n;
    }
}

static bool excludes(const exclusion *x, const uint32_t *at, size_t axes)
{
    for (size_t i = 0; i < axes; i++)
        if (x->named[i] && !x->picked[i][at[i]])
            return false;
    return true;
}

static bool is_excluded(const orr_sweep_plan *plan, const exclusions *all, size_t combination)
{
    uint32_t at[ORR_SWEEP_AXES];
    values_of(plan, combination, at);
    for (size_t i = 0; i < all->n; i++)
        if (excludes(&all->at[i], at, plan->axes.n))
            return true;
    return false;
}

static void drop_excluded(orr_sweep_plan *plan, const exclusions *all)
{
    plan->kept = orr_xmalloc((plan->combinations + 1) * sizeof *plan->kept);
    for (size_t c = 0; c < plan->combinations; c++)
        if (!is_excluded(plan, all, c))
            plan->kept[plan->cells++] = (uint32_t)c;
}

static orr_err read_exclude(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    exclusions all = {0};
    orr_err err = ORR_OK;
    if (v->kind != ORR_YAML_LIST)
        return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "'exclude' should be a list of maps");
    for (const orr_yaml *element = v->first; element && !err; element = element->next) {
        exclusion x = {0};
        err = orr_assignment_read(plan, element, "an exclusion", x.named, x.picked, e);
        ORR_VEC_PUSH(&all, x);
    }
    if (!err)
        drop_excluded(plan, &all);
    ORR_VEC_FREE(&all);
    if (!err && plan->cells == 0)
        return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "every cell is excluded");
    return err;
}

/* ---- what is asked ---- */

static orr_err read_baseline(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    bool *picked[ORR_SWEEP_AXES];
    const orr_err err = orr_assignment_read(plan, v, "the baseline", plan->compared, picked, e);
    for (size_t i = 0; i < plan->axes.n && !err; i++) {
        size_t n = 0;
        for (uint32_t k = 0; plan->compared[i] && k < plan->axes.at[i].values.n; k++)
            if (picked[i][k] && ++n)
                plan->baseline[i] = k;
        if (plan->compared[i] && n != 1)
            return orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "the baseline has one value of '%s', not %zu",
                                 plan->axes.at[i].key, n);
    }
    plan->has_baseline = !err;
    return err;
}

static orr_err read_repeats(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e)
{
    plan->repeats = v->kind == ORR_YAML_SCALAR ? orr_sweep_axis(plan, v->text) : plan->axes.n;
    if (plan->repeats < plan->axes.n)
        return ORR_OK;
    orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "'repeats' should name an axis of the grid");
    orr_error_hint(e, "most often `seed`");
    return ORR_E_SYNTAX;
}

/* In the order in which they are read, whatever the order of the file: axes before what names them. */
static const struct {
    const char *name;
    bool required;
    reader *read;
    const char *doc;
} keys[] = {
    {"schema", true, read_schema, "`" ORR_SWEEP_SCHEMA "`."},
    {"name", false, read_name, "A name for the heads of tables."},
    {"base", false, read_base, "A case, by the keys above: what all cells have in common."},
    {"synth", false, read_synth,
     "A map: the workload is drawn anew for each seed, as `orrery synth` does; the same for every policy. Keys: those "
     "of "
     "`synth` in configs/survey/README.md. There is no `trace` then."},
    {"grid", true, read_grid,
     "A map of keys of a case to their values. A value is a text or number; `1..10` stands for the integers from 1 to "
     "10; "
     "a policy may be `{name: NAME, knobs: {KNOB: [VALUE, ...]}}`, which stands for every combination of the knobs."},
    {"exclude", false, read_exclude,
     "A list of maps of axes to a value or values; what meets one of them in all its axes is left out."},
    {"baseline", false, read_baseline,
     "A value of one axis or several, as `{policy: fifo}`: what every other value there is compared with."},
    {"repeats", false, read_repeats,
     "The axis whose values are repeats of the same thing; `seed` where that is an axis."},
    {"metrics", false, orr_sweep_metrics_read,
     "What the tables show: keys or expressions. Default: jct.mean, jct.p99, wait_first.mean, gpu_alloc; of services slo_attain, latency.p99, latency_all.p99, batch_mean."},
};

static orr_err check_known(const orr_sweep_plan *plan, orr_error *e)
{
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *names[KEYS];
    for (size_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    for (const orr_yaml *v = plan->doc.root->first; v; v = v->next) {
        bool known = false;
        for (size_t i = 0; i < KEYS && !known; i++)
            known = strcmp(v->key, names[i]) == 0;
        if (known)
            continue;
        orr_yaml_fail_key(&plan->doc, v, ORR_E_UNKNOWN_KEY, e, "the key '%.80s' is not known here", v->key);
        const char *near = orr_nearest(v->key, names, KEYS);
        if (near)
            orr_error_hint(e, "did you mean '%s'?", near);
        else
            orr_error_hint(e, "known keys: schema, name, base, synth, grid, exclude, baseline, repeats, metrics");
        return ORR_E_UNKNOWN_KEY;
    }
    return ORR_OK;
}

static orr_err read_keys(orr_sweep_plan *plan, orr_error *e)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !err; i++) {
        const orr_yaml *v = orr_yaml_member(plan->doc.root, keys[i].name);
        if (v)
            err = keys[i].read(plan, v, e);
        else if (keys[i].required)
            err = orr_yaml_fail(&plan->doc, plan->doc.root, ORR_E_SYNTAX, e, "the key '%s' is missing", keys[i].name);
    }
    return err;
}

/* ---- what wasn't said ---- */

static void fill_in(orr_sweep_plan *plan)
{
    const size_t jobs = orr_sweep_axis(plan, "policy");
    const size_t policies = jobs < plan->axes.n ? jobs : orr_sweep_axis(plan, "serve");
    if (!plan->kept)
        plan->cells = plan->combinations;
    if (!orr_yaml_member(plan->doc.root, "repeats"))
        plan->repeats = orr_sweep_axis(plan, "seed");
    if (!plan->has_baseline && policies < plan->axes.n)
        plan->compared[policies] = true;
    if (!plan->metrics.n)
        orr_sweep_metrics_default(plan);
}

/* With a drawn workload there is no file, nor a way to read it. */
static orr_err check_synth(const orr_sweep_plan *plan, orr_error *e)
{
    static const char *const reading[] = {"trace", "format",   "tables",   "gpu-type", "tz",
                                          "epoch", "cpu-jobs", "attempts", "strict"};
    const orr_yaml *grid = orr_yaml_member(plan->doc.root, "grid");
    for (size_t i = 0; plan->synth && i < sizeof reading / sizeof *reading; i++) {
        const orr_yaml *v = orr_yaml_member(grid, reading[i]);
        if (!v && plan->base)
            v = orr_yaml_member(plan->base, reading[i]);
        if (v)
            return orr_yaml_fail_key(&plan->doc, v, ORR_E_SYNTAX, e,
                                     "'%s' is about a file, and 'synth' draws the workload", v->key);
    }
    return ORR_OK;
}

static orr_err check_together(const orr_sweep_plan *plan, orr_error *e)
{
    const orr_yaml *at = orr_yaml_member(plan->doc.root, "baseline");
    if (!at || plan->repeats == plan->axes.n || !plan->compared[plan->repeats])
        return check_synth(plan, e);
    return orr_yaml_fail(&plan->doc, at, ORR_E_SYNTAX, e, "'%s' holds repeats and can't be compared",
                         plan->axes.at[plan->repeats].key);
}

static orr_err read_plan(orr_sweep_plan *plan, const char *file, const char *data, size_t size, orr_error *e)
{
    orr_err err = orr_yaml_read(&plan->doc, file, data, size, e);
    if (err)
        return err;
    if (plan->doc.root->kind != ORR_YAML_MAP)
        return orr_yaml_fail(&plan->doc, plan->doc.root, ORR_E_SYNTAX, e, "a map of keys is expected here");
    err = check_known(plan, e);
    if (!err)
        err = read_keys(plan, e);
    if (err)
        return err;
    fill_in(plan);
    return check_together(plan, e);
}

orr_sweep_plan *orr_sweep_plan_read(const char *file, const char *data, size_t size, orr_error *e)
{
    orr_sweep_plan *plan = orr_xcalloc(1, sizeof *plan);
    plan->name = "";
    plan->source = orr_arena_strdup(&plan->arena, data, size);
    plan->source_size = size;
    if (read_plan(plan, file, data, size, e) == ORR_OK)
        return plan;
    orr_sweep_plan_destroy(plan);
    return NULL;
}

void orr_sweep_plan_destroy(orr_sweep_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->axes.n; i++) {
        orr_names_destroy(plan->axes.at[i].texts);
        ORR_VEC_FREE(&plan->axes.at[i].values);
    }
    ORR_VEC_FREE(&plan->axes);
    ORR_VEC_FREE(&plan->metrics);
    free(plan->kept);
    orr_arena_fini(&plan->arena);
    orr_yaml_fini(&plan->doc);
    free(plan);
}

/* ---- cells ---- */

void orr_sweep_cell(const orr_sweep_plan *plan, size_t cell, uint32_t at[ORR_SWEEP_AXES])
{
    values_of(plan, plan->kept ? plan->kept[cell - 1] : cell - 1, at);
}

size_t orr_sweep_find(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES])
{
    size_t wanted = 0, low = 0, high = plan->cells;
    for (size_t i = 0; i < plan->axes.n; i++)
        wanted = wanted * plan->axes.at[i].values.n + at[i];
    if (!plan->kept)
        return wanted + 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (plan->kept[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->cells && plan->kept[low] == wanted ? low + 1 : 0;
}

/* What the metrics of the plan ask beyond the keys of a summary, behind what the base asks itself. */
static void ask_expressions(const orr_sweep_plan *plan, orr_arena *arena, orr_case *c)
{
    orr_texts all = {.at = orr_arena_alloc(arena, (c->metrics.n + plan->metrics.n) * sizeof *all.at)};
    for (size_t i = 0; i < c->metrics.n; i++)
        all.at[all.n++] = c->metrics.at[i];
    for (size_t i = 0; i < plan->metrics.n; i++)
        if (plan->metrics.at[i].expression)
            all.at[all.n++] = plan->metrics.at[i].text;
    all.cap = all.n;
    if (all.n > c->metrics.n)
        c->metrics = all;
}

/* What stands for a file: under this name the stock keeps what was drawn. */
static const char *drawn_name(orr_arena *arena, uint64_t seed)
{
    char name[48];
    const int n = snprintf(name, sizeof name, "synth, seed %" PRIu64, seed);
    return orr_arena_strdup(arena, name, (size_t)n);
}

orr_err orr_sweep_case(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES], orr_arena *arena, orr_case *out,
                       orr_error *e)
{
    orr_case c = orr_case_default();
    orr_err err = plan->base ? orr_case_read(&c, &plan->doc, plan->base, NULL, e) : ORR_OK;
    for (size_t i = 0; i < plan->axes.n && !err; i++)
        err = orr_case_set(&c, arena, plan->axes.at[i].key, orr_sweep_value(plan, i, at), e);
    if (err)
        return err;
    ask_expressions(plan, arena, &c);
    if (plan->synth)
        c.trace = drawn_name(arena, c.seed);
    *out = c;
    return ORR_OK;
}

const char *orr_sweep_value(const orr_sweep_plan *plan, size_t axis, const uint32_t at[ORR_SWEEP_AXES])
{
    return plan->axes.at[axis].values.at[at[axis]].text;
}

size_t orr_sweep_axis(const orr_sweep_plan *plan, const char *key)
{
    size_t i = 0;
    while (i < plan->axes.n && strcmp(plan->axes.at[i].key, key) != 0)
        i++;
    return i;
}

void orr_sweep_keys_markdown(orr_text *out)
{
    orr_text_addf(out, "| key | | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        orr_text_addf(out, "| `%s` | %s | %s |\n", keys[i].name, keys[i].required ? "required" : "", keys[i].doc);
}
