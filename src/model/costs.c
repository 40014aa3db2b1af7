#include "model/costs.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants that published evaluations charged. */
static const orr_costs_preset presets[] = {
    {"zero", "", "nothing costs anything (the public Tiresias simulator)"},
    {"pollux", "start=30s,restore=30s,resize=30s,unpaid=renew", "30 s for a start or any change (Pollux OSDI'21 simulator)"},
    {"lucid", "restore=1:40s/9:60s", "40 s up to 8 GPUs, 60 s above (Tiresias as a baseline in Lucid ASPLOS'23)"},
    {"testbed", "restore=62s", "62 s, the mean of the Tiresias NSDI'19 testbed as quoted by Lucid"},
    {"helios", "start=1s,restore=1:7s/2:30s/9:60s,unpaid=keep",
     "7, 30, 60 s by size and one second a job (SRTF in the Helios SC'21 artifact)"},
    {NULL, NULL, NULL},
};

const orr_costs_preset *orr_costs_presets(void)
{
    return presets;
}

static orr_err bad(const char *what, const char *text, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "costs: %s", what);
    orr_error_text(e, text, strlen(text));
    orr_error_hint(e, "write a preset (zero, pollux, lucid, testbed, helios) or start=5s,restore=1:7s/2:30s/9:60s");
    return ORR_E_BAD_VALUE;
}

/* One step, "7s" or "2:30s". */
static orr_err parse_step(char *step, orr_cost *out, orr_error *e)
{
    int64_t from = 0;
    char *colon = strchr(step, ':');
    const char *delay = colon ? colon + 1 : step;
    if (out->count == ORR_COST_STEPS)
        return bad("at most 8 steps", step, e);
    if (colon && (!orr_parse_i64(step, (size_t)(colon - step), &from) || from < 0 || from > INT32_MAX))
        return bad("a step is GPUs:duration", step, e);
    orr_time t;
    if (orr_time_parse_duration(delay, &t) != ORR_OK || t < 0)
        return bad("a delay is a duration of at least 0", step, e);
    if (out->count && from <= out->from[out->count - 1])
        return bad("steps go up", step, e);
    out->from[out->count] = (int32_t)from;
    out->delay[out->count++] = t;
    return ORR_OK;
}

static orr_err parse_cost(char *value, orr_cost *out, orr_error *e)
{
    *out = (orr_cost){0};
    for (char *step = value; step;) {
        char *slash = strchr(step, '/');
        if (slash)
            *slash++ = '\0';
        orr_err err = parse_step(step, out, e);
        if (err)
            return err;
        step = slash;
    }
    return ORR_OK;
}

static const char *const unpaid_names[] = {"drop", "keep", "renew"};

static orr_err set_one(char *key, char *value, orr_costs *out, orr_error *e)
{
    if (strcmp(key, "start") == 0)
        return parse_cost(value, &out->start, e);
    if (strcmp(key, "save") == 0)
        return parse_cost(value, &out->save, e);
    if (strcmp(key, "restore") == 0)
        return parse_cost(value, &out->restore, e);
    if (strcmp(key, "resize") == 0)
        return parse_cost(value, &out->resize, e);
    if (strcmp(key, "checkpoint") == 0) {
        orr_time t;
        if (orr_time_parse_duration(value, &t) != ORR_OK || t < 0)
            return bad("checkpoint is a duration", value, e);
        out->checkpoint = t;
        return ORR_OK;
    }
    if (strcmp(key, "unpaid") == 0) {
        for (int i = 0; i < 3; i++)
            if (strcmp(value, unpaid_names[i]) == 0) {
                out->unpaid = (orr_unpaid)i;
                return ORR_OK;
            }
        return bad("unpaid is drop, keep or renew", value, e);
    }
    if (strcmp(key, "by") == 0) {
        out->by_application = strcmp(value, "application") == 0;
        return out->by_application ? ORR_OK : bad("costs go by size, or by=application", value, e);
    }
    return bad("there is no such cost", key, e);
}

static orr_err parse_settings(char *text, orr_costs *out, orr_error *e)
{
    for (char *item = text; item && *item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = '\0';
        char *equals = strchr(item, '=');
        if (!equals)
            return bad("there is no such preset", item, e);
        *equals = '\0';
        orr_err err = set_one(item, equals + 1, out, e);
        if (err)
            return err;
        item = comma;
    }
    return ORR_OK;
}

orr_err orr_costs_parse(const char *text, orr_costs *out, orr_error *e)
{
    orr_costs costs = {0};
    char copy[512], preset[512];
    if (!text)
        text = "";
    if (strlen(text) >= sizeof copy)
        return bad("the text is too long", text, e);
    size_t head = strcspn(text, ",");
    for (const orr_costs_preset *p = presets; p->name; p++) {
        if (strlen(p->name) != head || strncmp(p->name, text, head) != 0)
            continue;
        snprintf(preset, sizeof preset, "%s", p->settings);
        orr_err err = parse_settings(preset, &costs, e);
        if (err)
            return err;
        text += head + (text[head] == ',');
        break;
    }
    snprintf(copy, sizeof copy, "%s", text);
    orr_err err = parse_settings(copy, &costs, e);
    if (!err)
        *out = costs;
    return err;
}

static void add_cost(orr_text *t, const char *name, const orr_cost *cost)
{
    char num[ORR_TIME_BUF];
    if (!cost->count)
        return;
    orr_text_addf(t, "%s%s=", t->n ? "," : "", name);
    for (int32_t i = 0; i < cost->count; i++) {
        orr_time_format(cost->delay[i], num);
        if (cost->count > 1 || cost->from[i] > 0)
            orr_text_addf(t, "%s%d:%ss", i ? "/" : "", cost->from[i], num);
        else
            orr_text_addf(t, "%ss", num);
    }
}

void orr_costs_format(const orr_costs *costs, char *buf, size_t size)
{
    orr_text t = {0};
    char num[ORR_TIME_BUF];
    add_cost(&t, "start", &costs->start);
    add_cost(&t, "save", &costs->save);
    add_cost(&t, "restore", &costs->restore);
    add_cost(&t, "resize", &costs->resize);
    if (costs->checkpoint) {
        orr_time_format(costs->checkpoint, num);
        orr_text_addf(&t, "%scheckpoint=%ss", t.n ? "," : "", num);
    }
    if (costs->unpaid)
        orr_text_addf(&t, "%sunpaid=%s", t.n ? "," : "", unpaid_names[costs->unpaid]);
    if (costs->by_application)
        orr_text_addf(&t, "%sby=application", t.n ? "," : "");
    snprintf(buf, size, "%s", t.n ? t.at : "zero");
    orr_text_fini(&t);
}
