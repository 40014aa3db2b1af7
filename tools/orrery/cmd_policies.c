/* orrery policies [NAME]: a table of all modules, or all that the descriptors of one name say. */
#include "cmd.h"
#include "json.h"
#include "module.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

enum { KIND_ALL, KIND_SCHED, KIND_PLACE, KIND_ESTIMATE, KIND_SERVING };

static bool of_kind(const module_info *m, int32_t kind)
{
    static const char *const names[] = {"", "sched", "place", "estimate"};
    if (kind == KIND_SERVING)
        return m->serves;
    return kind == KIND_ALL || strcmp(names[kind], m->kind) == 0;
}

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static void join_needs(uint32_t needs, const char *none, orr_text *t)
{
    const char *list[8];
    module_needs(needs, list);
    for (size_t i = 0; list[i]; i++)
        orr_text_addf(t, "%s%s", i ? ", " : "", list[i]);
    if (!list[0])
        orr_text_addf(t, "%s", none);
}

/* "duration oracle, service observed"; what is never asked is left out. */
static void join_know(const module_info *m, const char *none, orr_text *t)
{
    const uint8_t *know = m->head.know;
    bool any = false;
    for (int q = 0; module_quantity(m, q); q++) {
        if (know[q] == ORR_KNOW_NONE)
            continue;
        orr_text_addf(t, "%s%s %s", any ? ", " : "", module_quantity(m, q), orr_know_name((orr_know)know[q]));
        any = true;
    }
    if (!any)
        orr_text_addf(t, "%s", none);
}

/* ---- the table ---- */

static void row_of(orr_grid *table, const module_info *m)
{
    orr_text needs = {0}, know = {0};
    join_needs(m->head.needs, "-", &needs);
    join_know(m, "none", &know);
    orr_grid_cell(table, m->name, NULL);
    orr_grid_cell(table, m->kind, NULL);
    orr_grid_cell(table, or_dash(m->rung), NULL);
    orr_grid_cell(table, needs.at, NULL);
    orr_grid_cell(table, know.at, NULL);
    orr_grid_cell(table, or_dash(m->placer), NULL);
    orr_grid_cell(table, or_dash(m->head.cite), NULL);
    orr_text_fini(&needs);
    orr_text_fini(&know);
}

static void print_table(const app *a, const orr_registry *registry)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    static const char *const heads[] = {"name", "kind", "rung", "needs", "knowledge", "placer", "paper"};
    orr_grid *table = orr_grid_create();
    orr_text t = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(table, heads[i], heads[i], false);
    for (size_t i = 0; i < n; i++) {
        const module_info m = module_of(list[i]);
        if (of_kind(&m, a->set->kind))
            row_of(table, &m);
    }
    orr_grid_print(table, ORR_TABLE_TEXT, &t);
    print_cut(&t, &a->out);
    orr_text_fini(&t);
    orr_grid_destroy(table);
}

/* ---- one module ---- */

static void line(const char *label, const char *text)
{
    printf("  %-9s %s\n", label, text);
}

static void print_knobs(const char *title, const orr_knob *k)
{
    if (!k || !k->name)
        return;
    printf("\n%s\n", title);
    for (; k->name; k++) {
        printf("  %-15s %s", k->name, module_knob_type(k->type));
        if (k->values)
            printf(" %s", k->values);
        if (!k->fallback)
            printf(" [required]\n");
        else
            printf(" [default: %s]\n", *k->fallback ? k->fallback : "none");
        printf("  %-15s %s\n", "", k->doc ? k->doc : "");
    }
}

static void print_presets(const orr_preset *p)
{
    if (!p || !p->name)
        return;
    printf("\nPresets\n");
    for (; p->name; p++) {
        printf("  %-15s %s\n", p->name, p->doc ? p->doc : "");
        printf("  %-15s %s\n", "", p->settings && *p->settings ? p->settings : "(the defaults)");
    }
}

static void print_use(const module_info *m)
{
    const orr_preset *preset = m->head.presets;
    printf("\nUse\n");
    if (m->serves)
        printf("  --serve %s%s%s\n", m->name, preset && preset->name ? ":" : "", preset && preset->name ? preset->name : "");
    else if (strcmp(m->kind, "place") == 0)
        printf("  -p POLICY+%s\n", m->name);
    else if (strcmp(m->kind, "estimate") == 0)
        printf("  -p POLICY~%s\n", m->name);
    else if (preset && preset->name)
        printf("  -p %s:%s\n", m->name, preset->name);
    else
        printf("  -p %s\n", m->name);
}

static void print_module(const module_info *m)
{
    orr_text needs = {0}, know = {0};
    join_needs(m->head.needs, "nothing", &needs);
    join_know(m, "nothing beyond what was asked", &know);
    printf("%s: %s\n\n", m->name, m->head.summary);
    printf("  %-9s %s%s%s\n", "kind", m->kind, *m->rung ? ", rung " : "", m->rung);
    line("paper", m->head.cite ? m->head.cite : "-");
    line("needs", needs.at);
    line("knows", know.at);
    if (*m->placer)
        line("placer", m->placer);
    if (*m->estimator)
        line("believes", m->estimator);
    line("differs", m->head.deviations ? m->head.deviations : "in nothing known");
    print_knobs("Knobs", m->head.knobs);
    if (strcmp(m->rung, "order") == 0)
        print_knobs("Knobs of every policy of the order rung", orr_order_knobs());
    print_presets(m->head.presets);
    print_use(m);
    orr_text_fini(&needs);
    orr_text_fini(&know);
}

/* ---- JSON ---- */

static void knobs_json(cJSON *array, const orr_knob *k)
{
    for (; k && k->name; k++) {
        cJSON *knob = json_append_object(array);
        json_text(knob, "name", k->name);
        json_text(knob, "type", module_knob_type(k->type));
        json_text(knob, "default", k->fallback);
        json_text(knob, "values", k->values);
        json_text(knob, "doc", k->doc);
    }
}

static void presets_json(cJSON *array, const orr_preset *p)
{
    for (; p && p->name; p++) {
        cJSON *preset = json_append_object(array);
        json_text(preset, "name", p->name);
        json_text(preset, "settings", p->settings);
        json_text(preset, "doc", p->doc);
    }
}

static void module_json(cJSON *array, const module_info *m)
{
    const char *needs[8];
    cJSON *object = json_append_object(array);
    json_text(object, "name", m->name);
    json_text(object, "kind", m->kind);
    json_text(object, "rung", *m->rung ? m->rung : NULL);
    json_text(object, "summary", m->head.summary);
    json_text(object, "paper", m->head.cite);
    json_text(object, "deviations", m->head.deviations);
    cJSON *list = json_array(object, "needs");
    module_needs(m->head.needs, needs);
    for (size_t i = 0; needs[i]; i++)
        json_append_text(list, needs[i]);
    cJSON *know = json_object(object, "knowledge");
    for (int q = 0; module_quantity(m, q); q++)
        json_text(know, module_quantity(m, q), orr_know_name((orr_know)m->head.know[q]));
    json_text(object, "placer", *m->placer ? m->placer : NULL);
    json_text(object, "estimator", *m->estimator ? m->estimator : NULL);
    cJSON *knobs = json_array(object, "knobs");
    knobs_json(knobs, m->head.knobs);
    if (strcmp(m->rung, "order") == 0)
        knobs_json(knobs, orr_order_knobs());
    presets_json(json_array(object, "presets"), m->head.presets);
}

/* ---- which ---- */

static bool chosen(const app *a, const module_info *m)
{
    return of_kind(m, a->set->kind) && (a->operand_count == 0 || strcmp(a->operands[0], m->name) == 0);
}

static void print_json(const app *a, const orr_registry *registry)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    cJSON *root = cJSON_CreateObject();
    json_text(root, "schema", "orrery.policies/1");
    cJSON *modules = json_array(root, "modules");
    for (size_t i = 0; i < n; i++) {
        const module_info m = module_of(list[i]);
        if (chosen(a, &m))
            module_json(modules, &m);
    }
    json_print(root);
}

static void print_chosen(const app *a, const orr_registry *registry)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        const module_info m = module_of(list[i]);
        if (!chosen(a, &m))
            continue;
        if (!first)
            printf("\n");
        print_module(&m);
        first = false;
    }
}

/* The nearest of all names of the kinds looked at. */
static int unknown_name(app *a, const orr_registry *registry)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    module_info *all = orr_xcalloc(n + 1, sizeof *all);
    texts names = {0};
    orr_error e = {0};
    for (size_t i = 0; i < n; i++) {
        all[i] = module_of(list[i]);
        if (of_kind(&all[i], a->set->kind))
            ORR_VEC_PUSH(&names, all[i].name);
    }
    orr_error_set(&e, ORR_E_UNKNOWN_POLICY, "no policy, placer or estimator has this name");
    orr_error_text(&e, a->operands[0], strlen(a->operands[0]));
    const char *near = orr_nearest(a->operands[0], names.at, names.n);
    if (near)
        orr_error_hint(&e, "did you mean %s?", near);
    else
        orr_error_hint(&e, "`orrery policies` lists them");
    ORR_VEC_FREE(&names);
    free(all);
    return say_error(&a->say, &e);
}

static bool any_chosen(const app *a, const orr_registry *registry)
{
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    for (size_t i = 0; i < n; i++) {
        const module_info m = module_of(list[i]);
        if (chosen(a, &m))
            return true;
    }
    return false;
}

int cmd_policies(app *a)
{
    int status = 0;
    orr_registry *registry = module_registry(&a->say, &a->set->plugins, &status);
    if (!registry)
        return status;
    if (a->operand_count > 0 && !any_chosen(a, registry))
        status = unknown_name(a, registry);
    else if (a->set->json)
        print_json(a, registry);
    else if (a->operand_count > 0)
        print_chosen(a, registry);
    else
        print_table(a, registry);
    orr_registry_destroy(registry);
    return status;
}
