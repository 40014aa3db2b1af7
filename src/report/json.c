/* Shorthands for building cJSON trees. */
#include "report/json.h"

#include "base/mem.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cJSON *orr_json_object(cJSON *parent, const char *key)
{
    return cJSON_AddObjectToObject(parent, key);
}

cJSON *orr_json_array(cJSON *parent, const char *key)
{
    return cJSON_AddArrayToObject(parent, key);
}

static cJSON *text_of(const char *text)
{
    if (!text)
        return cJSON_CreateNull();
    if (orr_utf8_valid(text, strlen(text)))
        return cJSON_CreateString(text);
    orr_text clean = {0};
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x80)
            orr_text_add(&clean, c, 1);
        else
            orr_text_add(&clean, "\xEF\xBF\xBD", 3);
    cJSON *item = cJSON_CreateString(clean.at);
    orr_text_fini(&clean);
    return item;
}

void orr_json_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddItemToObject(object, key, text_of(text));
}

void orr_json_item(cJSON *array, const char *text)
{
    cJSON_AddItemToArray(array, text_of(text));
}

void orr_json_double(cJSON *object, const char *key, double v)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(v, buf);
    cJSON_AddRawToObject(object, key, buf);
}

void orr_json_count(cJSON *object, const char *key, uint64_t v)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%" PRIu64, v);
    cJSON_AddRawToObject(object, key, buf);
}

void orr_json_time(cJSON *object, const char *key, orr_time t)
{
    char buf[ORR_TIME_BUF] = "null";
    if (t != ORR_TIME_NONE)
        orr_time_format(t, buf);
    cJSON_AddRawToObject(object, key, buf);
}

void orr_json_bool(cJSON *object, const char *key, bool v)
{
    cJSON_AddBoolToObject(object, key, v);
}

void orr_json_add_count(cJSON *object, const char *name, uint64_t n)
{
    const cJSON *old = cJSON_GetObjectItemCaseSensitive(object, name);
    uint64_t before = 0;
    if (old && orr_parse_u64(old->valuestring, strlen(old->valuestring), &before))
        cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    orr_json_count(object, name, before + n);
}

orr_err orr_json_print(cJSON *document, bool pretty, orr_text *out, orr_error *e)
{
    char *text = pretty ? cJSON_Print(document) : cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    if (!text)
        return orr_error_set(e, ORR_E_MEMORY, "a JSON document could not be printed");
    orr_text_add(out, text, strlen(text));
    orr_text_add(out, "\n", 1);
    cJSON_free(text);
    return ORR_OK;
}

void orr_json_knowledge(cJSON *document, const orr_report_run *run)
{
    cJSON *levels = orr_json_object(document, "knowledge");
    for (int q = 0; q < ORR_Q_COUNT; q++)
        orr_json_text(levels, orr_quantity_name((orr_quantity)q), orr_know_name(run->used[q]));
}

void orr_json_policy(cJSON *document, const orr_report_run *run)
{
    if (run->without_jobs)
        return;
    cJSON *policy = orr_json_object(document, "policy");
    orr_json_text(policy, "asked", run->options->policy);
    orr_json_text(policy, "resolved", run->policy_resolved);
}

void orr_json_serve(cJSON *document, const orr_report_run *run)
{
    if (!run->options->services)
        return;
    cJSON *serve = orr_json_object(document, "serve");
    orr_json_text(serve, "asked", run->options->serve ? run->options->serve : "none");
    orr_json_text(serve, "resolved", run->serve_resolved && run->serve_resolved[0] ? run->serve_resolved : "none");
}

static void add_error(cJSON *document, const orr_error *error)
{
    if (!error || error->code == ORR_OK) {
        cJSON_AddNullToObject(document, "error");
        return;
    }
    cJSON *object = orr_json_object(document, "error");
    orr_json_text(object, "code", orr_err_name(error->code));
    orr_json_text(object, "message", error->message);
    orr_json_text(object, "job", error->job[0] ? error->job : NULL);
    orr_json_time(object, "at", error->has_time ? error->at_ns : ORR_TIME_NONE);
}

void orr_json_stop(cJSON *document, const orr_report_run *run)
{
    const orr_sim_options *o = run->options;
    orr_json_text(document, "stop_reason", orr_stop_name(run->stop));
    add_error(document, run->error);
    orr_json_time(document, "sim_end", run->end);
    cJSON *limits = orr_json_object(document, "limits");
    orr_json_time(limits, "until", o->until == ORR_TIME_MAX ? ORR_TIME_NONE : o->until);
    if (o->max_events > 0)
        orr_json_count(limits, "max_events", o->max_events);
    else
        cJSON_AddNullToObject(limits, "max_events");
    orr_json_double(limits, "max_wall", run->max_wall_s > 0 ? run->max_wall_s : NAN);
}
