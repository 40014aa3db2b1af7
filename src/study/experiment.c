#include "study/experiment.h"

#include "base/io.h"
#include "study/case_keys.h"
#include <stdlib.h>

typedef struct own {
    const char *schema;
    orr_texts policies, serves;
} own;

static const orr_key keys[] = {
    {"schema", ORR_KEY_TEXT, offsetof(own, schema), NULL, 0, 0, "What the file is: `" ORR_EXPERIMENT_SCHEMA "`.", NULL},
    {"policies", ORR_KEY_NAMES, offsetof(own, policies), "", 0, 0,
     "The policies to be compared, as `-p` takes them, `all` included; instead of `policy`.", NULL},
    {"serves", ORR_KEY_NAMES, offsetof(own, serves), "", 0, 0,
     "The serving modules to be compared, as `--serve` takes them; instead of `serve`.", NULL},
    {0},
};

static const orr_keys table = {
    .title = "An experiment",
    .doc = "What `orrery run FILE` runs: these keys, and those of a case. Options on the command line win.",
    .at = keys,
};

void orr_experiment_keys_markdown(orr_text *out)
{
    orr_schema_markdown(&table, out);
}

static orr_err check_schema(const orr_experiment *x, orr_error *e)
{
    static const char family[] = "orrery.experiment/";
    const orr_yaml *root = x->doc.root;
    const orr_yaml *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strncmp(schema->text, family, strlen(family)) != 0) {
        orr_yaml_fail(&x->doc, schema ? schema : root, ORR_E_FORMAT, e, "this is no experiment: it lacks `schema: %s`",
                      ORR_EXPERIMENT_SCHEMA);
        orr_error_hint(e, "traces are given by -t, clusters by -c, policies by -p");
        return ORR_E_FORMAT;
    }
    if (strcmp(schema->text, ORR_EXPERIMENT_SCHEMA) != 0)
        return orr_yaml_fail(&x->doc, schema, ORR_E_VERSION, e, "this program reads %s", ORR_EXPERIMENT_SCHEMA);
    return ORR_OK;
}

static orr_err take_policies(orr_experiment *x, const own *given, orr_error *e)
{
    const orr_yaml *one = orr_yaml_member(x->doc.root, "policy");
    x->policies = given->policies;
    if (one && given->policies.n)
        return orr_yaml_fail_key(&x->doc, one, ORR_E_CONFLICT, e, "'policy' and 'policies' exclude each other");
    if (one)
        x->policies = (orr_texts){.at = one->texts, .n = 1};
    x->setup.policy = "";
    return ORR_OK;
}

static orr_err take_serves(orr_experiment *x, const own *given, orr_error *e)
{
    const orr_yaml *one = orr_yaml_member(x->doc.root, "serve");
    x->serves = given->serves;
    if (one && given->serves.n)
        return orr_yaml_fail_key(&x->doc, one, ORR_E_CONFLICT, e, "'serve' and 'serves' exclude each other");
    if (one)
        x->serves = (orr_texts){.at = one->texts, .n = 1};
    x->setup.serve = "";
    return ORR_OK;
}

/* Either table is read beside the other. */
static orr_err read_keys(orr_experiment *x, orr_error *e)
{
    static const char *const own_names[] = {"schema", "policies", "serves", NULL};
    const char *case_names[64] = {NULL};
    own given;
    for (size_t i = 0; orr_case_keys.at[i].name && i < 63; i++)
        case_names[i] = orr_case_keys.at[i].name;
    orr_schema_defaults(&table, &given);
    orr_err err = orr_case_read(&x->setup, &x->doc, x->doc.root, own_names, e);
    if (!err)
        err = orr_schema_read_beside(&table, case_names, &x->doc, x->doc.root, &given, e);
    if (!err)
        err = take_policies(x, &given, e);
    return err ? err : take_serves(x, &given, e);
}

static orr_err read_file(orr_experiment *x, const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return ORR_E_OPEN;
    orr_err err = orr_input_all(in, &data, &size, e);
    if (!err)
        err = orr_yaml_read(&x->doc, path, data, size, e);
    free(data);
    orr_input_close(in);
    return err;
}

orr_experiment *orr_experiment_read(const char *path, orr_error *e)
{
    orr_experiment *x = orr_xcalloc(1, sizeof *x);
    x->setup = orr_case_default();
    orr_err err = read_file(x, path, e);
    if (e && (err == ORR_E_SYNTAX || err == ORR_E_OPEN))
        e->hint[0] = '\0'; /* what a file is named for matters more than where it was looked for */
    if (err == ORR_E_SYNTAX || err == ORR_E_OPEN)
        orr_error_hint(e, "an experiment is a YAML file; traces are given by -t, clusters by -c, policies by -p");
    if (!err)
        err = check_schema(x, e);
    if (!err)
        err = read_keys(x, e);
    if (!err)
        return x;
    orr_experiment_destroy(x);
    return NULL;
}

void orr_experiment_destroy(orr_experiment *x)
{
    if (x)
        orr_yaml_fini(&x->doc);
    free(x);
}
