/* The registry: built-in modules and plugins through one door, with one set of checks. */
#include "base/assert.h"
#include "base/mem.h"
#include "base/text.h"

#include <orrery/serve.h>
#include <orrery/sim.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Made by the build from the files in policies/. */
extern const orr_module *const orr_builtin_modules[];
extern const size_t orr_builtin_module_count;

struct orr_registry {
    ORR_VEC(const orr_module *) modules;
    ORR_VEC(void *) libraries;
};

/* Order and policy share one namespace: they are what `--policy` names. */
static orr_kind family(orr_kind kind)
{
    if (kind >= ORR_KIND_BATCHER)
        return ORR_KIND_SERVE; /* what `--serve` names */
    return kind == ORR_KIND_POLICY ? ORR_KIND_ORDER : kind;
}

void orr_module_shown_name(const orr_module *module, char *buf, size_t size)
{
    size_t n = 0;
    for (const char *c = module->name; *c && n + 1 < size; c++)
        buf[n++] = *c == '_' ? '-' : *c;
    if (size)
        buf[n] = '\0';
}

/* Of another layout nothing but the two numbers in front can be believed. */
static orr_err mismatch(const orr_module *m, const char *what, uint32_t theirs, uint32_t ours, orr_error *e)
{
    const char *name = m->module_size == sizeof(orr_module) && m->name ? m->name : "?";
    orr_error_set(e, ORR_E_PLUGIN_ABI, "module '%s' was built with %s %u, this is %u", name, what, theirs, ours);
    orr_error_hint(e, "compile it again with the headers of this version");
    return ORR_E_PLUGIN_ABI;
}

static uint32_t descriptor_size(orr_kind kind)
{
    switch (kind) {
    case ORR_KIND_ORDER:
        return sizeof(orr_order);
    case ORR_KIND_POLICY:
        return sizeof(orr_policy);
    case ORR_KIND_PLACER:
        return sizeof(orr_placer);
    case ORR_KIND_ESTIMATOR:
        return sizeof(orr_estimator);
    case ORR_KIND_BATCHER:
        return sizeof(orr_batcher);
    case ORR_KIND_DROPPER:
        return sizeof(orr_dropper);
    case ORR_KIND_SELECTOR:
        return sizeof(orr_selector);
    case ORR_KIND_ROUTER:
        return sizeof(orr_router);
    case ORR_KIND_SCALER:
        return sizeof(orr_scaler);
    case ORR_KIND_CACHE:
        return sizeof(orr_cache);
    case ORR_KIND_SERVE:
        return sizeof(orr_serve);
    }
    return 0;
}

static bool has_decision(const orr_module *m)
{
    switch (m->kind) {
    case ORR_KIND_ORDER:
        return ((const orr_order *)m->descriptor)->key != NULL;
    case ORR_KIND_POLICY:
        return ((const orr_policy *)m->descriptor)->schedule != NULL;
    case ORR_KIND_PLACER:
        return ((const orr_placer *)m->descriptor)->place != NULL;
    case ORR_KIND_ESTIMATOR:
        return ((const orr_estimator *)m->descriptor)->duration != NULL;
    default:
        return true; /* every op of a seat has a default */
    }
}

/* The smallest descriptor that can be used: up to and with the decision, which was there from the first release. */
static uint32_t least_size(orr_kind kind)
{
    switch (kind) {
    case ORR_KIND_ORDER:
        return offsetof(orr_order, key) + sizeof(void *);
    case ORR_KIND_POLICY:
        return offsetof(orr_policy, schedule) + sizeof(void *);
    case ORR_KIND_PLACER:
        return offsetof(orr_placer, place) + sizeof(void *);
    case ORR_KIND_ESTIMATOR:
        return offsetof(orr_estimator, duration) + sizeof(void *);
    default:
        return offsetof(orr_batcher, order); /* the head */
    }
}

static orr_err check_shape(const orr_module *m, orr_error *e)
{
    if (m->abi != ORR_ABI)
        return mismatch(m, "ABI", m->abi, ORR_ABI, e);
    if (m->module_size != sizeof(orr_module))
        return mismatch(m, "sizeof(orr_module)", m->module_size, sizeof(orr_module), e);
    if (m->knob_size != sizeof(orr_knob))
        return mismatch(m, "sizeof(orr_knob)", m->knob_size, sizeof(orr_knob), e);
    /* What we make and they read has grown at its end: older modules read what was there before. */
    if (m->event_size > sizeof(orr_event) || m->event_size < offsetof(orr_event, due))
        return mismatch(m, "sizeof(orr_event)", m->event_size, sizeof(orr_event), e);
    /* only placers read requests, whose scope has grown in the middle */
    const size_t least = m->kind == ORR_KIND_PLACER ? offsetof(orr_request, milli) : offsetof(orr_request, scope);
    if (m->request_size > sizeof(orr_request) || m->request_size < least)
        return mismatch(m, "sizeof(orr_request)", m->request_size, sizeof(orr_request), e);
    uint32_t known = descriptor_size(m->kind);
    if (!known || m->descriptor_size > known || m->descriptor_size < least_size(m->kind))
        return mismatch(m, "a descriptor of size", m->descriptor_size, known, e);
    return ORR_OK;
}

static orr_err malformed(const orr_module *m, const char *what, orr_error *e)
{
    return orr_error_set(e, ORR_E_PLUGIN_DESCRIPTOR, "module '%s': %s", m->name ? m->name : "?", what);
}

static size_t size_of(orr_knob_type type)
{
    switch (type) {
    case ORR_KNOB_BOOL:
        return sizeof(bool);
    case ORR_KNOB_INT:
        return sizeof(int64_t);
    case ORR_KNOB_NUMBER:
        return sizeof(double);
    case ORR_KNOB_TIME:
        return sizeof(orr_time);
    case ORR_KNOB_CHOICE:
        return sizeof(int32_t);
    case ORR_KNOB_LIST:
        return sizeof(orr_list_of_numbers);
    case ORR_KNOB_SAMPLES:
        return sizeof(orr_samples);
    case ORR_KNOB_TEXT:
        return sizeof(const char *);
    case ORR_KNOB_ASKS:
        return sizeof(orr_asks);
    }
    return SIZE_MAX;
}

static bool lies_inside(const orr_knob *k, uint32_t size)
{
    return k->offset < size && size_of(k->type) <= size - k->offset;
}

static orr_err check_head(const orr_module *m, orr_error *e)
{
    /* Every kind begins with the same head. */
    const orr_placer *head = m->descriptor;
    if (!head)
        return malformed(m, "it has no descriptor", e);
    if (!head->summary)
        return malformed(m, "the summary is missing", e);
    for (int q = 0; q < 8; q++)
        if (head->know[q] > (q < ORR_Q_COUNT ? ORR_KNOW_ORACLE : ORR_KNOW_NONE))
            return malformed(m, "a knowledge level is out of range", e);
    for (const orr_knob *k = head->knobs; k && k->name; k++)
        if (!lies_inside(k, head->knobs_size) || !k->doc || (k->type == ORR_KNOB_CHOICE && !k->values))
            return malformed(m, "a knob lies outside the settings struct, or has no doc or no choices", e);
    for (const orr_preset *p = head->presets; p && p->name; p++)
        if (!p->settings || !p->doc)
            return malformed(m, "a preset has no settings or no doc", e);
    return ORR_OK;
}

static orr_err check_name(const orr_module *m, orr_error *e)
{
    if (!m->name || !*m->name)
        return malformed(m, "it has no name", e);
    for (const char *c = m->name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_'))
            return malformed(m, "a name consists of a-z, 0-9 and _", e);
    return ORR_OK;
}

static int compare(const orr_module *a, const orr_module *b)
{
    int d = (int)family(a->kind) - (int)family(b->kind);
    return d ? d : strcmp(a->name, b->name);
}

orr_err orr_registry_add(orr_registry *registry, const orr_module *module, orr_error *e)
{
    orr_err err = check_shape(module, e);
    if (!err)
        err = check_name(module, e);
    if (!err)
        err = check_head(module, e);
    if (!err && !has_decision(module))
        err = malformed(module, "its decision function is missing", e);
    if (err)
        return err;
    size_t at = 0;
    while (at < registry->modules.n && compare(registry->modules.at[at], module) < 0)
        at++;
    if (at < registry->modules.n && compare(registry->modules.at[at], module) == 0)
        return malformed(module, "there is a module of this name already", e);
    ORR_VEC_PUSH(&registry->modules, module);
    memmove(registry->modules.at + at + 1, registry->modules.at + at, (registry->modules.n - 1 - at) * sizeof module);
    registry->modules.at[at] = module;
    return ORR_OK;
}

orr_registry *orr_registry_create(void)
{
    orr_registry *r = orr_xcalloc(1, sizeof *r);
    for (size_t i = 0; i < orr_builtin_module_count; i++) {
        orr_error e = {0};
        if (orr_registry_add(r, orr_builtin_modules[i], &e))
            orr_assert_failed("built-in modules are well formed", __FILE__, __LINE__, e.message);
    }
    return r;
}

void orr_registry_destroy(orr_registry *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->libraries.n; i++)
        dlclose(r->libraries.at[i]);
    ORR_VEC_FREE(&r->libraries);
    ORR_VEC_FREE(&r->modules);
    free(r);
}

orr_err orr_registry_load(orr_registry *r, const char *path, orr_error *e)
{
    char here[4096];
    /* A bare file name would be looked for in the system's folders. */
    int n = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = n > 0 && (size_t)n < sizeof here ? dlopen(here, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = dlerror();
        orr_error_set(e, ORR_E_PLUGIN_LOAD, "%s", why ? why : "the path is too long");
        orr_error_at(e, path, 0, 0);
        orr_error_hint(e, "build it with: cc -shared -fPIC $(pkg-config --cflags orrery) policy.c -o policy.so");
        return ORR_E_PLUGIN_LOAD;
    }
    const orr_module *module = dlsym(library, "orr_plugin");
    orr_err err;
    if (!module) {
        err = orr_error_set(e, ORR_E_PLUGIN_LOAD, "it exports no `orr_plugin`: end the file with ORR_POLICY, ORR_ORDER, "
                                                  "ORR_PLACER or ORR_ESTIMATOR");
    } else {
        err = orr_registry_add(r, module, e);
    }
    if (err) {
        orr_error_at(e, path, 0, 0);
        dlclose(library);
        return err;
    }
    ORR_VEC_PUSH(&r->libraries, library);
    return ORR_OK;
}

size_t orr_registry_modules(const orr_registry *r, const orr_module *const **list)
{
    *list = (const orr_module *const *)r->modules.at;
    return r->modules.n;
}

/* A name of another kind: how it is asked for. */
static bool hint_other_kind(const orr_registry *r, const char *name, orr_error *e)
{
    for (size_t i = 0; i < r->modules.n; i++) {
        const orr_kind kind = r->modules.at[i]->kind;
        char shown[64];
        orr_module_shown_name(r->modules.at[i], shown, sizeof shown);
        if (strcmp(shown, name) != 0)
            continue;
        if (kind >= ORR_KIND_BATCHER)
            orr_error_hint(e, "'%s' is about services: --serve %s", name, name);
        else if (kind == ORR_KIND_PLACER || kind == ORR_KIND_ESTIMATOR)
            orr_error_hint(e, "'%s' goes with a policy for jobs: -p POLICY%c%s", name, kind == ORR_KIND_PLACER ? '+' : '~', name);
        else
            orr_error_hint(e, "'%s' schedules jobs: -p %s", name, name);
        return true;
    }
    return false;
}

static void hint_nearest(const orr_registry *r, orr_kind kind, const char *name, orr_error *e)
{
    if (hint_other_kind(r, name, e))
        return;
    ORR_VEC(const char *) names = {0};
    for (size_t i = 0; i < r->modules.n; i++) {
        if (family(r->modules.at[i]->kind) != family(kind))
            continue;
        char *shown = orr_xcalloc(1, 64);
        orr_module_shown_name(r->modules.at[i], shown, 64);
        ORR_VEC_PUSH(&names, shown);
    }
    const char *near = orr_nearest(name, names.at, names.n);
    if (near)
        orr_error_hint(e, "did you mean '%s'? `orrery policies` lists them all", near);
    else
        orr_error_hint(e, "`orrery policies` lists them all");
    for (size_t i = 0; i < names.n; i++)
        free((char *)names.at[i]);
    ORR_VEC_FREE(&names);
}

const orr_module *orr_registry_find(const orr_registry *r, orr_kind kind, const char *name, orr_error *e)
{
    static const char *const what[] = {"policy", "policy", "placer", "estimator", "serving policy", "serving policy", "serving policy",
                                       "serving policy", "serving policy", "serving policy", "serving policy"};
    for (size_t i = 0; i < r->modules.n; i++) {
        char shown[64];
        orr_module_shown_name(r->modules.at[i], shown, sizeof shown);
        if (family(r->modules.at[i]->kind) == family(kind) && strcmp(shown, name) == 0)
            return r->modules.at[i];
    }
    orr_error_set(e, ORR_E_UNKNOWN_POLICY, "there is no %s '%s'", what[kind], name);
    hint_nearest(r, kind, name, e);
    return NULL;
}
