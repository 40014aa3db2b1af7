#include "module.h"

#include <stdio.h>
#include <stdlib.h>

/* A descriptor may be an older, smaller one: what it lacks is zero. */
static void copy_descriptor(const orr_module *m, void *to, size_t size)
{
    memset(to, 0, size);
    memcpy(to, m->descriptor, m->descriptor_size < size ? m->descriptor_size : size);
}

/* The placer and the estimator that a policy has unless it is given others. */
static void add_parts(const orr_module *m, module_info *info)
{
    orr_order order = {0};
    orr_policy policy = {0};
    info->placer = info->estimator = "";
    if (m->kind == ORR_KIND_ORDER)
        copy_descriptor(m, &order, sizeof order);
    else if (m->kind == ORR_KIND_POLICY)
        copy_descriptor(m, &policy, sizeof policy);
    else
        return;
    const char *placer = order.placer ? order.placer : policy.placer;
    const char *estimator = order.estimator ? order.estimator : policy.estimator;
    info->placer = placer ? placer : "consolidate";
    if (info->head.know[ORR_Q_DURATION])
        info->estimator = estimator ? estimator : "oracle";
}

/* What an estimator draws on is what its user comes to know of durations. */
static uint8_t level_of(const orr_module *m)
{
    orr_estimator estimator;
    copy_descriptor(m, &estimator, sizeof estimator);
    return (uint8_t)estimator.level;
}

const char *module_quantity(const module_info *m, int i)
{
    if (m->serves)
        return i < ORR_SQ_COUNT ? orr_serve_quantity_name((orr_serve_quantity)i) : NULL;
    return i < ORR_Q_COUNT ? orr_quantity_name((orr_quantity)i) : NULL;
}

module_info module_of(const orr_module *m)
{
    static const char *const kind_names[] = {"sched",    "sched",  "place",  "estimate", "batcher", "dropper",
                                             "selector", "router", "scaler", "cache",    "serve"};
    module_info info;
    copy_descriptor(m, &info.head, sizeof info.head);
    add_parts(m, &info);
    info.kind = kind_names[m->kind];
    info.serves = m->kind >= ORR_KIND_BATCHER;
    if (m->kind == ORR_KIND_ESTIMATOR)
        info.head.know[ORR_Q_DURATION] = level_of(m);
    info.rung = m->kind == ORR_KIND_ORDER ? "order" : m->kind == ORR_KIND_POLICY ? "plan" : "";
    orr_module_shown_name(m, info.name, sizeof info.name);
    return info;
}

void module_needs(uint32_t needs, const char *list[8])
{
    size_t n = 0;
    if (needs & ORR_CAP_DEADLINE)
        list[n++] = "deadline";
    if (needs & ORR_CAP_LIMIT)
        list[n++] = "limit";
    if (needs & ORR_CAP_RECORDED)
        list[n++] = "recorded start";
    list[n] = NULL;
}

const char *module_knob_type(orr_knob_type type)
{
    switch (type) {
    case ORR_KNOB_BOOL:
        return "switch";
    case ORR_KNOB_INT:
        return "integer";
    case ORR_KNOB_NUMBER:
        return "number";
    case ORR_KNOB_TIME:
        return "duration";
    case ORR_KNOB_CHOICE:
        return "choice";
    case ORR_KNOB_LIST:
        return "list";
    case ORR_KNOB_SAMPLES:
        return "file";
    case ORR_KNOB_TEXT:
        return "text";
    case ORR_KNOB_ASKS:
        return "trace";
    }
    return "";
}

orr_registry *module_registry(say *s, const texts *plugins, int *status)
{
    orr_registry *registry = orr_registry_create();
    for (size_t i = 0; i < plugins->n; i++) {
        orr_error e = {0};
        if (!orr_registry_load(registry, plugins->at[i], &e))
            continue;
        *status = say_error(s, &e);
        orr_registry_destroy(registry);
        return NULL;
    }
    return registry;
}
