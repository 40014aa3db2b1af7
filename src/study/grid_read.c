/* Values of a grid as they stand in the file: scalars, ranges, policies with several values of a knob. */
#include "study/grid_read.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { VALUES = 1000000, KNOB_VALUES = 1000 }; /* of an axis, of a knob in it: at most */

/* ---- one value ---- */

static const char *keep(orr_sweep_plan *plan, const orr_text *t)
{
    return orr_arena_strdup(&plan->arena, t->n ? t->at : "", t->n);
}

static orr_err add_value(orr_sweep_plan *plan, orr_axis *axis, const char *text, const orr_yaml *at, orr_error *e)
{
    if (axis->values.n == VALUES)
        return orr_yaml_fail(&plan->doc, at, ORR_E_SYNTAX, e, "more than %d values of '%s'", VALUES, axis->key);
    if (!axis->texts)
        axis->texts = orr_names_create();
    if (orr_names_id(axis->texts, text, strlen(text)) != axis->values.n)
        return orr_yaml_fail(&plan->doc, at, ORR_E_SYNTAX, e, "'%.80s' is twice among the values of '%s'", text,
                             axis->key);
    ORR_VEC_PUSH(&axis->values, ((orr_axis_value){text, at}));
    return ORR_OK;
}

/* ---- ranges ---- */

static bool range_of(const orr_yaml *v, int64_t *low, int64_t *high)
{
    const char *dots = v->quoted ? NULL : strstr(v->text, "..");
    return dots && orr_parse_i64(v->text, (size_t)(dots - v->text), low) &&
           orr_parse_i64(dots + 2, strlen(dots + 2), high);
}

static orr_err add_range(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *v, int64_t low, int64_t high,
                         orr_error *e)
{
    if (low > high)
        return orr_yaml_fail(&plan->doc, v, ORR_E_NUMBER, e, "the range ends before it begins");
    if ((uint64_t)high - (uint64_t)low >= VALUES)
        return orr_yaml_fail(&plan->doc, v, ORR_E_NUMBER, e, "more than %d values of '%s'", VALUES, axis->key);
    for (int64_t i = low; i <= high; i++) {
        char text[24];
        const int n = snprintf(text, sizeof text, "%" PRId64, i);
        const orr_err err = add_value(plan, axis, orr_arena_strdup(&plan->arena, text, (size_t)n), v, e);
        if (err)
            return err;
    }
    return ORR_OK;
}

/* ---- policies with knobs ---- */

/* "tiresias+consolidate" has its knobs before the plus. */
static size_t head_length(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((*c == '+' || *c == '~') && isalpha((unsigned char)c[1]))
            return (size_t)(c - name);
    return strlen(name);
}

static size_t choices(const orr_yaml *knob)
{
    return knob->kind == ORR_YAML_LIST ? knob->count : 1;
}

static const orr_yaml *choice(const orr_yaml *knob, size_t i)
{
    const orr_yaml *v = knob->kind == ORR_YAML_LIST ? knob->first : knob;
    while (i-- > 0)
        v = v->next;
    return v;
}

static orr_err check_knobs(const orr_sweep_plan *plan, const orr_yaml *knobs, size_t *product, orr_error *e)
{
    *product = 1;
    for (const orr_yaml *knob = knobs->first; knob; knob = knob->next) {
        if (knob->kind == ORR_YAML_MAP || choices(knob) == 0 || choices(knob) > KNOB_VALUES)
            return orr_yaml_fail(&plan->doc, knob, ORR_E_SYNTAX, e,
                                 "'%s' should be a value or a list of up to %d values", knob->key, KNOB_VALUES);
        for (size_t i = 0; i < choices(knob); i++)
            if (choice(knob, i)->kind != ORR_YAML_SCALAR)
                return orr_yaml_fail(&plan->doc, choice(knob, i), ORR_E_SYNTAX, e, "a knob's value is a single one");
        *product *= choices(knob);
        if (*product > VALUES)
            return orr_yaml_fail(&plan->doc, knobs, ORR_E_SYNTAX, e, "more than %d combinations of knobs", VALUES);
    }
    return ORR_OK;
}

/* The i-th combination, the last knob innermost. */
static void knobs_text(const orr_yaml *knobs, size_t product, size_t i, orr_text *out)
{
    for (const orr_yaml *knob = knobs->first; knob; knob = knob->next) {
        product /= choices(knob);
        orr_text_addf(out, ",%s=%s", knob->key, choice(knob, i / product)->text);
        i %= product;
    }
}

static orr_err add_policies(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *name, const orr_yaml *knobs,
                            orr_error *e)
{
    size_t product = 1;
    orr_err err = check_knobs(plan, knobs, &product, e);
    const size_t head = head_length(name->text);
    for (size_t i = 0; i < product && !err; i++) {
        orr_text t = {0};
        orr_text_add(&t, name->text, head);
        knobs_text(knobs, product, i, &t);
        orr_text_addf(&t, "%s", name->text + head);
        err = add_value(plan, axis, keep(plan, &t), name, e);
        orr_text_fini(&t);
    }
    return err;
}

static orr_err add_map(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *map, orr_error *e)
{
    const orr_yaml *name = orr_yaml_member(map, "name"), *knobs = orr_yaml_member(map, "knobs");
    if (strcmp(axis->key, "policy") != 0 && strcmp(axis->key, "serve") != 0)
        return orr_yaml_fail(&plan->doc, map, ORR_E_SYNTAX, e, "a value of '%s' is a single one", axis->key);
    for (const orr_yaml *v = map->first; v; v = v->next)
        if (v != name && v != knobs) {
            orr_yaml_fail_key(&plan->doc, v, ORR_E_UNKNOWN_KEY, e, "the key '%.80s' is not known here", v->key);
            orr_error_hint(e, "a policy with knobs is {name: NAME, knobs: {KNOB: [VALUE, ...]}}");
            return ORR_E_UNKNOWN_KEY;
        }
    if (!name || name->kind != ORR_YAML_SCALAR)
        return orr_yaml_fail(&plan->doc, map, ORR_E_SYNTAX, e, "a policy needs a name");
    if (!knobs)
        return add_value(plan, axis, name->text, name, e);
    if (knobs->kind != ORR_YAML_MAP)
        return orr_yaml_fail(&plan->doc, knobs, ORR_E_SYNTAX, e, "'knobs' should be a map of knob to values");
    return add_policies(plan, axis, name, knobs, e);
}

orr_err orr_axis_read(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *element, orr_error *e)
{
    int64_t low, high;
    if (element->kind == ORR_YAML_MAP)
        return add_map(plan, axis, element, e);
    if (element->kind == ORR_YAML_LIST)
        return orr_yaml_fail(&plan->doc, element, ORR_E_SYNTAX, e, "a value of '%s' is a single one", axis->key);
    if (range_of(element, &low, &high))
        return add_range(plan, axis, element, low, high, e);
    return add_value(plan, axis, element->text, element, e);
}

/* ---- assignments: which values of which axes ---- */

static orr_err unknown_axis(const orr_sweep_plan *plan, const orr_yaml *v, const char *what, orr_error *e)
{
    const char *names[ORR_SWEEP_AXES];
    for (size_t i = 0; i < plan->axes.n; i++)
        names[i] = plan->axes.at[i].key;
    orr_yaml_fail_key(&plan->doc, v, ORR_E_UNKNOWN_KEY, e, "'%.80s' is no axis of the grid, and %s names axes", v->key,
                      what);
    const char *near = orr_nearest(v->key, names, plan->axes.n);
    if (near)
        orr_error_hint(e, "did you mean '%s'?", near);
    return ORR_E_UNKNOWN_KEY;
}

static orr_err unknown_value(const orr_sweep_plan *plan, const orr_axis *axis, const orr_yaml *v, const char *text,
                             orr_error *e)
{
    const char *texts[64];
    size_t n = 0;
    for (; n < axis->values.n && n < 64; n++)
        texts[n] = axis->values.at[n].text;
    orr_yaml_fail(&plan->doc, v, ORR_E_SYNTAX, e, "the axis '%s' has no value '%.80s'", axis->key, text);
    const char *near = orr_nearest(text, texts, n);
    orr_error_hint(e, "did you mean '%s'? values are compared as they are written", near ? near : texts[0]);
    return ORR_E_SYNTAX;
}

static orr_err pick(orr_sweep_plan *plan, const orr_axis *axis, const orr_yaml *element, bool *flags, orr_error *e)
{
    orr_axis wanted = {.key = axis->key};
    orr_err err = orr_axis_read(plan, &wanted, element, e);
    for (size_t i = 0; i < wanted.values.n && !err; i++) {
        const char *text = wanted.values.at[i].text;
        const int64_t at = orr_names_find(axis->texts, text, strlen(text));
        if (at >= 0)
            flags[at] = true;
        else
            err = unknown_value(plan, axis, element, text, e);
    }
    orr_names_destroy(wanted.texts);
    ORR_VEC_FREE(&wanted.values);
    return err;
}

static orr_err pick_all(orr_sweep_plan *plan, const orr_axis *axis, const orr_yaml *v, bool *flags, orr_error *e)
{
    if (v->kind != ORR_YAML_LIST)
        return pick(plan, axis, v, flags, e);
    orr_err err = ORR_OK;
    for (const orr_yaml *element = v->first; element && !err; element = element->next)
        err = pick(plan, axis, element, flags, e);
    return err;
}

orr_err orr_assignment_read(orr_sweep_plan *plan, const orr_yaml *map, const char *what, bool named[ORR_SWEEP_AXES],
                            bool *picked[ORR_SWEEP_AXES], orr_error *e)
{
    if (map->kind != ORR_YAML_MAP || map->count == 0)
        return orr_yaml_fail(&plan->doc, map, ORR_E_SYNTAX, e, "%s should be a map of axes to values", what);
    orr_err err = ORR_OK;
    for (const orr_yaml *v = map->first; v && !err; v = v->next) {
        const size_t axis = orr_sweep_axis(plan, v->key);
        if (axis == plan->axes.n)
            return unknown_axis(plan, v, what, e);
        named[axis] = true;
        picked[axis] = orr_arena_alloc(&plan->arena, plan->axes.at[axis].values.n);
        err = pick_all(plan, &plan->axes.at[axis], v, picked[axis], e);
    }
    return err;
}
