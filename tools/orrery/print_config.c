#include "print_config.h"

#include "study/case_keys.h"
#include <cjson/cJSON.h>

enum { ORIGIN_COLUMN = 44 };

typedef struct origin_of {
    const settings *set;
    const orr_experiment *x;
    const char *manifest;
} origin_of;

/* A text of JSON is one of YAML. */
static void add_quoted(const char *text, orr_text *out)
{
    cJSON *string = cJSON_CreateString(text ? text : "");
    char *quoted = cJSON_PrintUnformatted(string);
    orr_text_addf(out, "%s", quoted);
    cJSON_free(quoted);
    cJSON_Delete(string);
}

static void add_list(const char *const *at, size_t n, orr_text *out)
{
    orr_text_addf(out, "[");
    for (size_t i = 0; i < n; i++) {
        orr_text_addf(out, "%s", i ? ", " : "");
        add_quoted(at[i], out);
    }
    orr_text_addf(out, "]");
}

static void add_value(const orr_key *key, const orr_case *c, orr_text *out)
{
    const void *member = (const char *)c + key->offset;
    if (key->type == ORR_KEY_TEXT)
        add_quoted(*(const char *const *)member, out);
    else if (key->type == ORR_KEY_NAMES)
        add_list(((const orr_texts *)member)->at, ((const orr_texts *)member)->n, out);
    else
        orr_schema_value(key, c, out);
}

static const orr_yaml *in_file(const origin_of *o, const char *key)
{
    return o->x ? orr_yaml_member(o->x->doc.root, key) : NULL;
}

static void add_origin(const origin_of *o, const char *key, size_t line, orr_text *out)
{
    const orr_yaml *at = in_file(o, key);
    for (size_t width = out->n - line; width < ORIGIN_COLUMN; width++)
        orr_text_add(out, " ", 1);
    if (conditions_option(o->set, key))
        orr_text_addf(out, " # command line\n");
    else if (at)
        orr_text_addf(out, " # %s:%d\n", o->x->doc.file, at->line);
    else
        orr_text_addf(out, " # %s\n", o->manifest ? o->manifest : "default");
}

/* Several are listed under a key of their own, `all`; one may stand in the file under `one`. */
static void add_specs(const origin_of *o, const char *all, const char *one, const texts *specs, orr_text *out)
{
    const size_t line = out->n;
    orr_text_addf(out, "%s: ", all);
    add_list(specs->at, specs->n, out);
    add_origin(o, in_file(o, all) ? all : one, line, out);
}

void print_config(const settings *s, const orr_case *c, const texts *policies, const texts *serves,
                  const orr_experiment *x, const char *manifest, orr_text *out)
{
    const origin_of o = {s, x, manifest};
    orr_text_addf(out, "schema: %s\n", ORR_EXPERIMENT_SCHEMA);
    for (const orr_key *key = orr_case_keys.at; key->name; key++) {
        const size_t line = out->n;
        if (strcmp(key->name, "policy") == 0) {
            add_specs(&o, "policies", "policy", policies, out);
            continue;
        }
        if (strcmp(key->name, "serve") == 0) {
            add_specs(&o, "serves", "serve", serves, out);
            continue;
        }
        orr_text_addf(out, "%s: ", key->name);
        add_value(key, c, out);
        add_origin(&o, key->name, line, out);
    }
}
