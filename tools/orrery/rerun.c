#include "rerun.h"

#include "base/io.h"
#include <cjson/cJSON.h>
#include <stdlib.h>

#define FAMILY "orrery.manifest/"
#define SCHEMA "orrery.manifest/1"

enum { TRACE, CLUSTER, PROFILES, SCENARIO, THROUGHPUTS, APPLICATIONS, SERVICES, ROLES };
static const char *const roles[ROLES] = {"trace",       "cluster",      "profiles", "scenario",
                                         "throughputs", "applications", "services"};
_Static_assert((int)ROLES == (int)RERUN_INPUTS, "a digest each");

static orr_err refuse(const rerun *r, orr_err code, const char *why, orr_error *e)
{
    orr_error_set(e, code, "%s", why);
    orr_error_at(e, r->path, 0, 0);
    return code;
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static const char *kept(rerun *r, const char *text)
{
    return orr_arena_strdup(&r->arena, text, strlen(text));
}

static void take_command(rerun *r, const cJSON *command)
{
    const cJSON *word;
    r->argv = orr_arena_alloc(&r->arena, ((size_t)cJSON_GetArraySize(command) + 1) * sizeof *r->argv);
    cJSON_ArrayForEach(word, command)
        if (cJSON_IsString(word))
            r->argv[r->argc++] = kept(r, word->valuestring);
}

static void take_inputs(rerun *r, const cJSON *inputs)
{
    const cJSON *input;
    cJSON_ArrayForEach(input, inputs)
    {
        const char *role = text_of(input, "role"), *digest = text_of(input, "sha256");
        for (int i = 0; role && digest && i < ROLES; i++)
            if (strcmp(role, roles[i]) == 0)
                r->digests[i] = kept(r, digest);
    }
}

static orr_err take_setting(rerun *r, const cJSON *item, orr_case *c, settings *extras, orr_error *e)
{
    const char *value = cJSON_GetStringValue(item);
    if (!value)
        return refuse(r, ORR_E_SYNTAX, "a setting isn't a text", e);
    if (orr_schema_find(&conditions_extra_keys, item->string))
        return orr_schema_set(&conditions_extra_keys, &r->arena, item->string, value, extras, e);
    return orr_case_set(c, &r->arena, item->string, value, e);
}

static orr_err take_settings(rerun *r, const cJSON *list, orr_case *c, settings *s, orr_error *e)
{
    const cJSON *item;
    settings extras = {0}; /* its lists belong to the arena, those of `s` to whoever parsed */
    orr_schema_defaults(&conditions_extra_keys, &extras);
    cJSON_ArrayForEach(item, list)
        if (take_setting(r, item, c, &extras, e)) {
            orr_error_at(e, r->path, 0, 0);
            return e->code;
        }
    s->werror = extras.werror;
    s->max_wall = extras.max_wall;
    for (size_t i = 0; i < extras.plugins.n; i++)
        ORR_VEC_PUSH(&s->plugins, extras.plugins.at[i]);
    return ORR_OK;
}

static orr_err take(rerun *r, const cJSON *document, orr_case *c, settings *s, orr_error *e)
{
    const char *schema = text_of(document, "schema");
    const char *policy = text_of(cJSON_GetObjectItemCaseSensitive(document, "policy"), "asked");
    if (!schema || strncmp(schema, FAMILY, strlen(FAMILY)) != 0)
        return refuse(r, ORR_E_FORMAT, "this is no manifest of a run", e);
    if (strcmp(schema, SCHEMA) != 0)
        return refuse(r, ORR_E_VERSION, "this program reads manifests of the schema " SCHEMA, e);
    if (take_settings(r, cJSON_GetObjectItemCaseSensitive(document, "settings"), c, s, e))
        return e->code;
    if (!policy && orr_case_has_jobs(c))
        return refuse(r, ORR_E_SYNTAX, "the manifest doesn't say which policy ran", e);
    c->policy = policy ? kept(r, policy) : "";
    take_command(r, cJSON_GetObjectItemCaseSensitive(document, "command"));
    take_inputs(r, cJSON_GetObjectItemCaseSensitive(document, "inputs"));
    return ORR_OK;
}

orr_err rerun_read(rerun *r, const char *path, orr_case *c, settings *s, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    r->path = orr_xstrdup(path);
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return ORR_E_OPEN;
    orr_err err = orr_input_all(in, &data, &size, e);
    cJSON *document = err ? NULL : cJSON_ParseWithLength(data, size);
    if (!err)
        err = document ? take(r, document, c, s, e) : refuse(r, ORR_E_SYNTAX, "this isn't JSON", e);
    cJSON_Delete(document);
    free(data);
    orr_input_close(in);
    return err;
}

static orr_err compare(const rerun *r, int which, const char *name, const char *now, orr_error *e)
{
    const char *then = r->digests[which] ? r->digests[which] : "";
    if (strcmp(then, now) == 0)
        return ORR_OK;
    orr_error_set(e, ORR_E_CHANGED, "the %s isn't what it was: SHA-256 %s now, %s in %s", roles[which],
                  *now ? now : "of no file", *then ? then : "of no file", r->path);
    orr_error_at(e, name, 0, 0);
    return ORR_E_CHANGED;
}

orr_err rerun_check(const rerun *r, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_cluster_spec *cluster = orr_stock_cluster(stock, c, e);
    const orr_trace *trace = cluster ? orr_stock_read(stock, c, e) : NULL;
    if (!trace)
        return e->code;
    const orr_profiles *profiles = NULL;
    const orr_scenario *scenario = NULL;
    const orr_throughputs *table = NULL;
    const orr_applications *applications = NULL;
    orr_err err = compare(r, CLUSTER, c->cluster, orr_cluster_spec_digest(cluster), e);
    if (!err)
        err = compare(r, TRACE, c->trace, orr_trace_digest(trace), e);
    const orr_services *services = NULL;
    if (!err)
        err = orr_stock_services(stock, c, &services, e);
    if (!err && services)
        err = compare(r, SERVICES, c->services, services->digest, e);
    if (!err)
        err = orr_stock_profiles(stock, c, &profiles, e);
    if (!err && profiles)
        err = compare(r, PROFILES, c->profiles, orr_profiles_digest(profiles), e);
    if (!err)
        err = orr_stock_throughputs(stock, c, &table, e);
    if (!err && table)
        err = compare(r, THROUGHPUTS, orr_throughputs_name(table), orr_throughputs_digest(table), e);
    if (!err)
        err = orr_stock_applications(stock, c, &applications, e);
    if (!err && applications)
        err = compare(r, APPLICATIONS, orr_applications_name(applications), orr_applications_digest(applications), e);
    if (!err)
        err = orr_stock_scenario(stock, c, &scenario, e);
    return err || !scenario ? err : compare(r, SCENARIO, c->scenario, scenario->digest, e);
}

void rerun_fini(rerun *r)
{
    orr_arena_fini(&r->arena);
    free(r->path);
}
