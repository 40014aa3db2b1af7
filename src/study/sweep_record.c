#define _POSIX_C_SOURCE 200809L
#include "study/sweep_record.h"

#include "base/io.h"
#include "report/json.h"
#include <orrery/version.h>
#include <stdio.h>
#include <unistd.h>

#define SCHEMA "orrery.sweep-run/1"
#define FAMILY "orrery.sweep-run/"

/* ---- inputs ---- */

void orr_sweep_inputs_add(orr_sweep_inputs *inputs, const char *path, const char *digest)
{
    orr_sweep_input input = {.path = orr_xstrdup(path)};
    snprintf(input.digest, sizeof input.digest, "%s", digest);
    for (size_t i = 0; i < inputs->n; i++)
        if (strcmp(inputs->at[i].path, path) == 0 && strcmp(inputs->at[i].digest, input.digest) == 0) {
            free(input.path);
            return;
        }
    ORR_VEC_PUSH(inputs, input);
}

void orr_sweep_inputs_fini(orr_sweep_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        free(inputs->at[i].path);
    ORR_VEC_FREE(inputs);
}

/* ---- the digest ---- */

/* Each text with its end, so that no two lists of texts are one. */
static void hash(orr_sha256 *s, const char *text)
{
    orr_sha256_add(s, text, strlen(text) + 1);
}

static void base_text(const orr_sweep_plan *plan, orr_text *out)
{
    orr_error e = {0};
    orr_case base = orr_case_default();
    if (plan->base)
        (void)!orr_case_read(&base, &plan->doc, plan->base, NULL, &e); /* it was read before */
    orr_case_text(&base, out);
}

static void hash_cells(orr_sha256 *s, const orr_sweep_plan *plan)
{
    char number[32];
    snprintf(number, sizeof number, "%zu of %zu", plan->cells, plan->combinations);
    hash(s, number);
    for (size_t i = 0; plan->kept && i < plan->cells; i++) {
        const uint32_t c = plan->kept[i];
        const unsigned char bytes[4] = {(unsigned char)(c >> 24), (unsigned char)(c >> 16), (unsigned char)(c >> 8),
                                        (unsigned char)c};
        orr_sha256_add(s, bytes, sizeof bytes);
    }
}

static void digest_of(const orr_sweep_plan *plan, const orr_sweep_inputs *inputs, char hex[65])
{
    orr_sha256 s;
    orr_text base = {0};
    orr_sha256_init(&s);
    hash(&s, orr_version());
    hash(&s, orr_commit());
    base_text(plan, &base);
    hash(&s, base.n ? base.at : "");
    orr_text_fini(&base);
    for (size_t i = 0; i < plan->axes.n; i++) {
        hash(&s, plan->axes.at[i].key);
        for (size_t k = 0; k < plan->axes.at[i].values.n; k++)
            hash(&s, plan->axes.at[i].values.at[k].text);
        hash(&s, "");
    }
    hash(&s, plan->synth ? "synth" : "");
    for (const orr_yaml *v = plan->synth ? plan->synth->first : NULL; v; v = v->next) {
        hash(&s, v->key);
        hash(&s, v->text);
    }
    hash_cells(&s, plan);
    for (size_t i = 0; i < plan->metrics.n; i++)
        if (plan->metrics.at[i].expression)
            hash(&s, plan->metrics.at[i].text);
    for (size_t i = 0; i < inputs->n; i++) {
        hash(&s, inputs->at[i].path);
        hash(&s, inputs->at[i].digest);
    }
    orr_sha256_hex(&s, hex);
}

/* ---- the document ---- */

static void add_shard(cJSON *record, size_t shard, size_t shards)
{
    if (!shards) {
        cJSON_AddNullToObject(record, "shard");
        return;
    }
    cJSON *object = orr_json_object(record, "shard");
    orr_json_count(object, "index", shard);
    orr_json_count(object, "count", shards);
}

static void add_axes(cJSON *record, const orr_sweep_plan *plan)
{
    cJSON *axes = orr_json_array(record, "axes");
    for (size_t i = 0; i < plan->axes.n; i++) {
        cJSON *axis = cJSON_CreateObject();
        cJSON_AddItemToArray(axes, axis);
        orr_json_text(axis, "key", plan->axes.at[i].key);
        cJSON *values = orr_json_array(axis, "values");
        for (size_t k = 0; k < plan->axes.at[i].values.n; k++)
            orr_json_item(values, plan->axes.at[i].values.at[k].text);
    }
}

static void add_synth(cJSON *record, const orr_sweep_plan *plan)
{
    if (!plan->synth) {
        cJSON_AddNullToObject(record, "synth");
        return;
    }
    cJSON *synth = orr_json_object(record, "synth");
    for (const orr_yaml *v = plan->synth->first; v; v = v->next)
        orr_json_text(synth, v->key, v->text);
}

static void add_asked(cJSON *record, const orr_sweep_plan *plan)
{
    const bool repeated = plan->repeats < plan->axes.n;
    orr_json_text(record, "repeats", repeated ? plan->axes.at[plan->repeats].key : NULL);
    cJSON *baseline = orr_json_object(record, "baseline");
    for (size_t i = 0; i < plan->axes.n && plan->has_baseline; i++)
        if (plan->compared[i])
            orr_json_text(baseline, plan->axes.at[i].key, orr_sweep_value(plan, i, plan->baseline));
    cJSON *metrics = orr_json_array(record, "metrics");
    for (size_t i = 0; i < plan->metrics.n; i++)
        orr_json_item(metrics, plan->metrics.at[i].text);
}

static void add_inputs(cJSON *record, const orr_sweep_inputs *inputs)
{
    cJSON *array = orr_json_array(record, "inputs");
    for (size_t i = 0; i < inputs->n; i++) {
        cJSON *input = cJSON_CreateObject();
        cJSON_AddItemToArray(array, input);
        orr_json_text(input, "path", inputs->at[i].path);
        orr_json_text(input, "digest", inputs->at[i].digest);
    }
}

cJSON *orr_sweep_record_make(const orr_sweep_plan *plan, const orr_sweep_inputs *inputs, size_t shard, size_t shards)
{
    char digest[65];
    orr_text base = {0};
    cJSON *record = cJSON_CreateObject();
    digest_of(plan, inputs, digest);
    base_text(plan, &base);
    orr_json_text(record, "schema", SCHEMA);
    orr_json_text(record, "name", plan->name);
    orr_json_text(record, "version", orr_version());
    orr_json_text(record, "commit", orr_commit());
    orr_json_text(record, "digest", digest);
    add_shard(record, shard, shards);
    orr_json_count(record, "cells", plan->cells);
    orr_json_text(record, "base", base.n ? base.at : "");
    add_synth(record, plan);
    add_axes(record, plan);
    add_asked(record, plan);
    add_inputs(record, inputs);
    orr_json_text(record, "source", plan->source);
    orr_text_fini(&base);
    return record;
}

/* A number where the text is one in its own shortest form, else a text. */
static void add_axis(cJSON *axes, const char *key, const char *text)
{
    double value;
    char shortest[ORR_DOUBLE_BUF];
    if (orr_parse_double(text, strlen(text), &value)) {
        orr_format_double(value, shortest);
        if (strcmp(shortest, text) == 0) {
            cJSON_AddRawToObject(axes, key, text);
            return;
        }
    }
    orr_json_text(axes, key, text);
}

cJSON *orr_sweep_axes_json(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES])
{
    cJSON *axes = cJSON_CreateObject();
    for (size_t i = 0; i < plan->axes.n; i++)
        add_axis(axes, plan->axes.at[i].key, orr_sweep_value(plan, i, at));
    return axes;
}

/* ---- files ---- */

static void path_of(const char *dir, orr_text *path)
{
    orr_text_addf(path, "%s/" ORR_SWEEP_RECORD, dir);
}

bool orr_sweep_record_exists(const char *dir)
{
    orr_text path = {0};
    path_of(dir, &path);
    const bool there = access(path.at, F_OK) == 0;
    orr_text_fini(&path);
    return there;
}

static orr_err check_schema(const cJSON *record, const char *path, orr_error *e)
{
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(record, "schema");
    const bool ours = cJSON_IsString(schema) && strncmp(schema->valuestring, FAMILY, sizeof FAMILY - 1) == 0;
    if (ours && strcmp(schema->valuestring, SCHEMA) == 0)
        return ORR_OK;
    const orr_err code = ours ? ORR_E_VERSION : ORR_E_FORMAT;
    orr_error_set(e, code, ours ? "this program doesn't know this schema" : "this is no record of a sweep");
    orr_error_at(e, path, 0, 0);
    return code;
}

static cJSON *parse(const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    cJSON *record = NULL;
    if (orr_input_all(in, &data, &size, e) == ORR_OK) {
        record = cJSON_ParseWithLength(data, size);
        if (check_schema(record, path, e)) {
            cJSON_Delete(record);
            record = NULL;
        }
    }
    free(data);
    orr_input_close(in);
    return record;
}

cJSON *orr_sweep_record_read(const char *dir, orr_error *e)
{
    orr_text path = {0};
    path_of(dir, &path);
    cJSON *record = parse(path.at, e);
    orr_text_fini(&path);
    return record;
}

orr_err orr_sweep_record_write(const char *dir, const cJSON *record, orr_error *e)
{
    orr_text path = {0}, text = {0};
    path_of(dir, &path);
    orr_err err = orr_json_print(cJSON_Duplicate(record, true), true, &text, e);
    if (!err)
        err = orr_report_write(path.at, &text, e);
    orr_text_fini(&path);
    orr_text_fini(&text);
    return err;
}

/* ---- looking ---- */

static const char *text_at(const cJSON *record, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

const char *orr_sweep_record_digest(const cJSON *record)
{
    return text_at(record, "digest");
}

const char *orr_sweep_record_source(const cJSON *record)
{
    return text_at(record, "source");
}

/* Numbers made in memory are raw texts, those of a file are numbers. */
static size_t count_at(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    uint64_t n = 0;
    if (cJSON_IsNumber(item) && item->valuedouble >= 0)
        n = (uint64_t)item->valuedouble;
    else if (cJSON_IsRaw(item))
        (void)orr_parse_u64(item->valuestring, strlen(item->valuestring), &n);
    return (size_t)n;
}

void orr_sweep_record_shard(const cJSON *record, size_t *shard, size_t *shards)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(record, "shard");
    *shard = count_at(object, "index");
    *shards = count_at(object, "count");
}

static bool same_part(const cJSON *a, const cJSON *b, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(a, key), *y = cJSON_GetObjectItemCaseSensitive(b, key);
    return cJSON_Compare(x, y, true);
}

static const char *difference(const cJSON *a, const cJSON *b)
{
    if (!same_part(a, b, "inputs"))
        return "the contents of its inputs differ";
    if (!same_part(a, b, "version") || !same_part(a, b, "commit"))
        return "another version of the program made it";
    if (!same_part(a, b, "base"))
        return "its base differs";
    if (!same_part(a, b, "synth"))
        return "its workload is drawn otherwise";
    if (!same_part(a, b, "axes"))
        return "its grid differs";
    return "other cells are left out, or other expressions measured";
}

orr_err orr_sweep_record_match(const char *dir, const cJSON *there, const cJSON *wanted, orr_error *e)
{
    size_t shard, shards, other, others;
    orr_sweep_record_shard(there, &shard, &shards);
    orr_sweep_record_shard(wanted, &other, &others);
    const bool same = strcmp(orr_sweep_record_digest(there), orr_sweep_record_digest(wanted)) == 0;
    if (same && shard == other && shards == others)
        return ORR_OK;
    orr_error_set(e, ORR_E_NOT_COMPARABLE, "the folder holds %s: %s", same ? "other cells" : "another sweep",
                  same ? "it is of another shard" : difference(there, wanted));
    orr_error_at(e, dir, 0, 0);
    orr_error_hint(e, "choose another folder, or drop what is there with --force");
    return ORR_E_NOT_COMPARABLE;
}
