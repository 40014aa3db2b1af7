/* Reading a baseline. The file's own keys are checked by the tables below, and a case's other keys by those of case.h:
 * the map of a case is split in two for that. */
#include "study/baseline.h"

#include "base/io.h"
#include "metrics/expr.h"
#include "study/numbers.h"
#include <math.h>
#include <stdio.h>

enum { MAX_SEEDS = 10000 };

/* ---- the tables ---- */

typedef struct file_keys {
    const char *schema, *reference;
    const orr_yaml *base, *tolerances, *metrics, *cases, *updates;
} file_keys;

typedef struct case_keys {
    const char *name, *experiment;
    const orr_yaml *seeds, *inputs, *expect, *tolerances, *wall;
} case_keys;

typedef struct update_keys {
    const char *date, *commit, *reason;
} update_keys;

#define IN_CASE(member) offsetof(case_keys, member)
#define IN_FILE(member) offsetof(file_keys, member)
#define IN_UPDATE(member) offsetof(update_keys, member)

static const orr_key case_rows[] = {
    {.name = "name", .type = ORR_KEY_TEXT, .offset = IN_CASE(name),
     .doc = "Name of the case in reports; each case needs its own."},
    {.name = "experiment", .type = ORR_KEY_TEXT, .offset = IN_CASE(experiment), .fallback = "",
     .doc = "An experiment file to begin with, in place of `base`. Where it has several policies, `policy` says which "
            "is meant."},
    {.name = "seeds", .type = ORR_KEY_TEXTS, .offset = IN_CASE(seeds), .fallback = "", .low = 1, .high = MAX_SEEDS,
     .doc = "Run with each of these seeds and compare them in pairs; `1..5` is five of them."},
    {.name = "inputs", .type = ORR_KEY_MAP, .offset = IN_CASE(inputs), .fallback = "",
     .doc = "SHA-256 of `trace`, `cluster`, `services` and whatever other files were read, by their paths. Other inputs can't be "
            "compared."},
    {.name = "expect", .type = ORR_KEY_MAP, .offset = IN_CASE(expect), .fallback = "",
     .doc = "Numbers by their keys or expressions: a number, a list of one a seed, `null` for undefined, or "
            "`{value: …, tolerance: …, better: lower}` (or `higher`, or `target` where any change is a failure)."},
    {.name = "tolerances", .type = ORR_KEY_MAP, .offset = IN_CASE(tolerances), .fallback = "",
     .doc = "Tolerances of this case, before those of the file."},
    {.name = "wall", .type = ORR_KEY_MAP, .offset = IN_CASE(wall), .fallback = "",
     .doc = "Real time of its runs, for `--wall` alone: `run_s`, seconds, the least of several; `class`, the kind of machine."},
    {0},
};

static const orr_keys case_table = {
    .title = "A case of a baseline",
    .doc = "Besides the keys below, those of a case (policy, trace, cluster, costs, …).",
    .at = case_rows,
};

static const orr_key update_rows[] = {
    {.name = "date", .type = ORR_KEY_TEXT, .offset = IN_UPDATE(date), .fallback = "",
     .doc = "Day of the update, in UTC."},
    {.name = "commit", .type = ORR_KEY_TEXT, .offset = IN_UPDATE(commit), .fallback = "",
     .doc = "Commit on which the update was made; empty outside a repository."},
    {.name = "reason", .type = ORR_KEY_TEXT, .offset = IN_UPDATE(reason), .fallback = "",
     .doc = "Why the numbers moved, as given to `-m`."},
    {0},
};

static const orr_keys update_table = {
    .title = "An update of a baseline",
    .doc = "Appended by `orrery check --update`.",
    .at = update_rows,
};

static const orr_key file_rows[] = {
    {.name = "schema", .type = ORR_KEY_TEXT, .offset = IN_FILE(schema),
     .doc = "What the file is: `" ORR_BASELINE_SCHEMA "`."},
    {.name = "base", .type = ORR_KEY_MAP, .offset = IN_FILE(base), .fallback = "",
     .doc = "Keys of a case that all cases share; a case's own win."},
    {.name = "tolerances", .type = ORR_KEY_MAP, .offset = IN_FILE(tolerances), .fallback = "",
     .doc = "By key of a number, with `*` for any letters: `exact`, `abs 30s`, `rel 0.5%`, or both, of which either "
            "suffices. Unsaid: exact for whole numbers that count, else 1e-9 of the value."},
    {.name = "metrics", .type = ORR_KEY_TEXTS, .offset = IN_FILE(metrics), .fallback = "", .low = 1, .high = 1000,
     .doc = "Numbers that `--update` expects of a case that expects nothing yet."},
    {.name = "reference", .type = ORR_KEY_TEXT, .offset = IN_FILE(reference), .fallback = "",
     .doc = "A folder in which `--update` keeps the event log of each run, so that `--jobs-diff` can tell which jobs "
            "moved."},
    {.name = "cases", .type = ORR_KEY_LIST, .offset = IN_FILE(cases), .low = 0, .high = 100000,
     .doc = "What is run.", .each = &case_table},
    {.name = "updates", .type = ORR_KEY_LIST, .offset = IN_FILE(updates), .fallback = "", .low = 0, .high = 1000000,
     .doc = "When the expectations were rewritten, and why.", .each = &update_table},
    {0},
};

static const orr_keys file_table = {
    .title = "A baseline",
    .doc = "YAML, for `orrery check`. Paths are relative to the folder in which that runs.",
    .at = file_rows,
};

void orr_baseline_keys_markdown(orr_text *out)
{
    const orr_keys *const all[] = {&file_table, &case_table, &update_table};
    for (size_t i = 0; i < 3; i++) {
        orr_text_addf(out, "%s", i ? "\n" : "");
        orr_schema_markdown(all[i], out);
    }
}

/* ---- parts of maps ---- */

static const char *const own_keys[] = {"name", "experiment", "seeds", "inputs", "expect", "tolerances", "wall", NULL};

static bool is_own(const char *key)
{
    for (const char *const *own = own_keys; *own; own++)
        if (strcmp(key, *own) == 0)
            return true;
    return false;
}

/* `expect:` with nothing behind it says no more than its absence: an update will fill it. */
static bool is_blank(const orr_yaml *v)
{
    return v->kind == ORR_YAML_SCALAR && !v->quoted && !*v->text;
}

/* The map without blank members and, where `own`, without the keys that belong to case.h. */
static orr_yaml part_of(orr_baseline *b, const orr_yaml *map, bool own)
{
    orr_yaml part = *map;
    orr_yaml **tail = &part.first;
    part.first = NULL;
    part.count = 0;
    for (const orr_yaml *v = map->first; v; v = v->next) {
        if (is_blank(v) || (own && !is_own(v->key)))
            continue;
        *tail = orr_arena_alloc(&b->arena, sizeof **tail);
        **tail = *v;
        (*tail)->next = NULL;
        tail = &(*tail)->next;
        part.count++;
    }
    return part;
}

/* ---- numbers ---- */

static orr_err read_number(const orr_baseline *b, const orr_yaml *at, double *out, orr_error *e)
{
    *out = NAN;
    if (at->kind == ORR_YAML_SCALAR && !at->quoted) {
        const char *text = at->text;
        if (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0 ||
            orr_parse_double(text, strlen(text), out))
            return ORR_OK;
    }
    orr_yaml_fail(&b->doc, at, ORR_E_NUMBER, e, "a number is expected here, or null");
    orr_error_hint(e, "several seeds have a list: [1, 2]; a tolerance: {value: 1, tolerance: rel 1%%}");
    return ORR_E_NUMBER;
}

static orr_err read_values(orr_baseline *b, orr_expected *x, orr_error *e)
{
    const orr_yaml *v = x->value;
    orr_err err = ORR_OK;
    x->n = v->kind == ORR_YAML_LIST ? v->count : 1;
    x->values = orr_arena_alloc(&b->arena, (x->n + 1) * sizeof *x->values);
    if (v->kind != ORR_YAML_LIST)
        return read_number(b, v, x->values, e);
    size_t i = 0;
    for (const orr_yaml *element = v->first; element && !err; element = element->next)
        err = read_number(b, element, &x->values[i++], e);
    return err;
}

static orr_err read_direction(const orr_baseline *b, const orr_yaml *v, orr_expected *x, orr_error *e)
{
    static const orr_direction all[] = {ORR_BETTER_LOWER, ORR_BETTER_HIGHER, ORR_BETTER_TARGET};
    for (size_t i = 0; v->kind == ORR_YAML_SCALAR && i < 3; i++)
        if (strcmp(v->text, orr_direction_name(all[i])) == 0) {
            x->direction = all[i];
            return ORR_OK;
        }
    return orr_yaml_fail(&b->doc, v, ORR_E_SYNTAX, e, "better is lower, higher or target");
}

static orr_err read_long_form(const orr_baseline *b, orr_expected *x, orr_error *e)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = x->at->first; v && !err; v = v->next) {
        if (strcmp(v->key, "value") == 0) {
            x->value = v;
        } else if (strcmp(v->key, "tolerance") == 0) {
            err = orr_tolerance_read(&b->doc, v, &x->tolerance, e);
        } else if (strcmp(v->key, "better") == 0) {
            err = read_direction(b, v, x, e);
        } else {
            err = orr_yaml_fail_key(&b->doc, v, ORR_E_UNKNOWN_KEY, e, "an expectation has value, tolerance and better");
        }
    }
    if (err)
        return err;
    return x->value ? ORR_OK : orr_yaml_fail(&b->doc, x->at, ORR_E_SYNTAX, e, "the key 'value' is missing");
}

static orr_err read_expect(orr_baseline *b, orr_baseline_case *c, orr_error *e)
{
    for (const orr_yaml *v = c->expect_at ? c->expect_at->first : NULL; v; v = v->next) {
        orr_expected x = {.key = v->key, .at = v, .value = v, .direction = orr_numbers_direction(v->key)};
        orr_err err = ORR_OK;
        if (v->kind == ORR_YAML_MAP) {
            x.value = NULL;
            err = read_long_form(b, &x, e);
        }
        if (!err)
            err = read_values(b, &x, e);
        if (err)
            return err;
        ORR_VEC_PUSH(&c->expect, x);
    }
    return ORR_OK;
}

/* ---- seeds ---- */

static bool parse_seeds(const char *text, uint64_t *low, uint64_t *high)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return orr_parse_u64(text, strlen(text), low) && (*high = *low, true);
    return orr_parse_u64(text, (size_t)(dots - text), low) && orr_parse_u64(dots + 2, strlen(dots + 2), high) &&
           *low <= *high && *high - *low < MAX_SEEDS;
}

static bool has_seed(const orr_baseline_case *c, uint64_t seed)
{
    for (size_t i = 0; i < c->seeds.n; i++)
        if (c->seeds.at[i] == seed)
            return true;
    return false;
}

static orr_err add_seeds(const orr_baseline *b, orr_baseline_case *c, const orr_yaml *at, orr_error *e)
{
    uint64_t low, high;
    if (!parse_seeds(at->text, &low, &high))
        return orr_yaml_fail(&b->doc, at, ORR_E_NUMBER, e, "a seed is a whole number, and 1..5 are five of them");
    for (uint64_t seed = low; seed - low <= high - low && c->seeds.n <= MAX_SEEDS; seed++) {
        if (has_seed(c, seed))
            return orr_yaml_fail(&b->doc, at, ORR_E_SYNTAX, e, "the seed %llu is given twice",
                                 (unsigned long long)seed);
        ORR_VEC_PUSH(&c->seeds, seed);
        if (seed == high)
            break;
    }
    return ORR_OK;
}

static orr_err read_seeds(const orr_baseline *b, orr_baseline_case *c, const orr_yaml *seeds, orr_error *e)
{
    if (!seeds) {
        ORR_VEC_PUSH(&c->seeds, c->setup.seed);
        return ORR_OK;
    }
    const orr_yaml *twice = orr_yaml_member(c->at, "seed");
    if (twice)
        return orr_yaml_fail_key(&b->doc, twice, ORR_E_CONFLICT, e, "seed and seeds exclude each other");
    orr_err err = seeds->kind == ORR_YAML_SCALAR ? add_seeds(b, c, seeds, e) : ORR_OK;
    for (const orr_yaml *v = seeds->first; v && !err; v = v->next)
        err = add_seeds(b, c, v, e);
    if (!err)
        c->setup.seed = c->seeds.at[0];
    return err;
}

/* ---- inputs ---- */

static bool is_digest(const orr_yaml *v)
{
    return v->kind == ORR_YAML_SCALAR && strlen(v->text) == 64 && strspn(v->text, "0123456789abcdef") == 64;
}

static orr_err read_inputs(const orr_baseline *b, orr_baseline_case *c, orr_error *e)
{
    for (const orr_yaml *v = c->inputs_at ? c->inputs_at->first : NULL; v; v = v->next) {
        if (!is_digest(v))
            return orr_yaml_fail(&b->doc, v, ORR_E_SYNTAX, e, "a SHA-256 is expected here: 64 hexadecimal digits");
        ORR_VEC_PUSH(&c->inputs, ((orr_baseline_input){v->key, v->text, v}));
    }
    return ORR_OK;
}

/* ---- real time ---- */

static orr_err read_wall(orr_baseline *b, orr_baseline_case *c, const orr_yaml *map, orr_error *e)
{
    const orr_yaml *run = map ? orr_yaml_member(map, "run_s") : NULL, *kind = map ? orr_yaml_member(map, "class") : NULL;
    double *seconds = orr_arena_alloc(&b->arena, sizeof *seconds);
    if (!map)
        return ORR_OK;
    if (!run || !kind || map->count != 2)
        return orr_yaml_fail(&b->doc, map, ORR_E_SYNTAX, e, "wall has two keys, run_s and class");
    if (run->kind != ORR_YAML_SCALAR || !orr_parse_double(run->text, strlen(run->text), seconds) || *seconds <= 0)
        return orr_yaml_fail(&b->doc, run, ORR_E_NUMBER, e, "seconds are expected here");
    if (kind->kind != ORR_YAML_SCALAR)
        return orr_yaml_fail(&b->doc, kind, ORR_E_SYNTAX, e, "a text is expected here");
    c->wall = (orr_expected){.key = ORR_WALL_RUN, .at = run, .value = run, .values = seconds, .n = 1,
                             .direction = ORR_BETTER_LOWER};
    c->wall_class = kind->text;
    c->wall_class_at = kind;
    return ORR_OK;
}

/* ---- tolerances ---- */

static orr_err read_tolerances(const orr_baseline *b, const orr_yaml *map, orr_tolerances *out, orr_error *e)
{
    if (!map)
        return ORR_OK;
    const orr_err err = orr_tolerances_read(&b->doc, map, out, e);
    if (err)
        return err;
    for (size_t i = 0; i < out->n; i++)
        if (!orr_numbers_known(out->at[i].pattern))
            return orr_yaml_fail_key(&b->doc, out->at[i].at, ORR_E_UNKNOWN_KEY, e,
                                     "no number of a result has such a key");
    return ORR_OK;
}

orr_tolerance orr_baseline_tolerance(const orr_baseline *b, const orr_baseline_case *c, const orr_expected *x,
                                     bool counts)
{
    if (x->tolerance.said)
        return x->tolerance;
    const orr_tolerance *t = orr_tolerances_find(&c->tolerances, x->key);
    if (!t)
        t = orr_tolerances_find(&b->tolerances, x->key);
    return t ? *t : (orr_tolerance){.said = true, .rel = counts ? 0 : ORR_TOLERANCE_USUAL};
}

/* ---- where a case begins ---- */

/* An experiment's only policy is the case's, unless that has its own. */
static orr_err begin_with_experiment(orr_baseline *b, orr_baseline_case *c, const char *path, orr_error *e)
{
    orr_experiment *x = orr_experiment_read(path, e);
    if (!x)
        return e->code;
    ORR_VEC_PUSH(&b->experiments, x);
    c->setup = x->setup;
    if (x->policies.n == 1)
        c->setup.policy = x->policies.at[0];
    return ORR_OK;
}

static orr_err begin_case(orr_baseline *b, orr_baseline_case *c, const char *experiment, const orr_yaml *base,
                          orr_error *e)
{
    if (*experiment)
        return begin_with_experiment(b, c, experiment, e);
    return base ? orr_case_read(&c->setup, &b->doc, base, NULL, e) : ORR_OK;
}

/* Expectations of expressions are asked of the run. */
static bool is_expression(const char *key)
{
    orr_expr *expr = orr_numbers_known(key) ? NULL : orr_expr_parse(key, NULL);
    orr_expr_destroy(expr);
    return expr;
}

static void ask_expressions(orr_baseline *b, orr_baseline_case *c)
{
    const orr_texts *own = &c->setup.metrics;
    const char **all = orr_arena_alloc(&b->arena, (own->n + c->expect.n + b->metrics.n + 1) * sizeof *all);
    size_t n = 0;
    for (; n < own->n; n++)
        all[n] = own->at[n];
    for (size_t i = 0; i < c->expect.n; i++)
        if (is_expression(c->expect.at[i].key))
            all[n++] = c->expect.at[i].key;
    for (size_t i = 0; c->expect.n == 0 && i < b->metrics.n; i++)
        if (is_expression(b->metrics.at[i]))
            all[n++] = b->metrics.at[i];
    c->setup.metrics = (orr_texts){.at = all, .n = n};
}

/* ---- a case ---- */

static orr_err check_setup(const orr_baseline *b, const orr_baseline_case *c, orr_error *e)
{
    const bool jobs = orr_case_has_jobs(&c->setup);
    const char *missing = jobs && (!c->setup.policy || !*c->setup.policy) ? "policy"
                          : jobs && (!c->setup.trace || !*c->setup.trace) ? "trace"
                          : !c->setup.cluster || !*c->setup.cluster ? "cluster"
                                                                    : NULL;
    if (missing)
        return orr_yaml_fail(&b->doc, c->at, ORR_E_SYNTAX, e, "the case '%.80s' has no %s", c->name, missing);
    for (const orr_baseline_case *other = b->cases.at; other != c; other++)
        if (strcmp(other->name, c->name) == 0)
            return orr_yaml_fail(&b->doc, c->at, ORR_E_SYNTAX, e, "two cases have the name '%.80s'", c->name);
    return ORR_OK;
}

static orr_err fill_case(orr_baseline *b, orr_baseline_case *c, const file_keys *file, orr_error *e)
{
    case_keys keys;
    const orr_yaml own = part_of(b, c->at, true);
    orr_schema_defaults(&case_table, &keys);
    orr_err err = orr_schema_read(&case_table, &b->doc, &own, &keys, e);
    if (err)
        return err;
    c->name = keys.name;
    c->expect_at = keys.expect;
    c->inputs_at = keys.inputs;
    err = begin_case(b, c, keys.experiment, file->base, e);
    if (!err)
        err = orr_case_read(&c->setup, &b->doc, c->at, own_keys, e);
    if (!err)
        err = read_seeds(b, c, keys.seeds, e);
    if (!err)
        err = read_inputs(b, c, e);
    if (!err)
        err = read_wall(b, c, keys.wall, e);
    if (!err)
        err = read_tolerances(b, keys.tolerances, &c->tolerances, e);
    if (!err)
        err = read_expect(b, c, e);
    if (!err)
        err = check_setup(b, c, e);
    if (!err)
        ask_expressions(b, c);
    return err;
}

static orr_err read_cases(orr_baseline *b, const file_keys *file, orr_error *e)
{
    const size_t n = file->cases->count;
    ORR_VEC_RESERVE(&b->cases, n + 1);
    for (const orr_yaml *v = file->cases->first; v; v = v->next) {
        ORR_VEC_PUSH(&b->cases, ((orr_baseline_case){.at = v, .setup = orr_case_default()}));
        const orr_err err = fill_case(b, &b->cases.at[b->cases.n - 1], file, e);
        if (err)
            return err;
    }
    return ORR_OK;
}

/* ---- the file ---- */

static orr_err check_schema(const orr_baseline *b, const orr_yaml *root, orr_error *e)
{
    const orr_yaml *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strncmp(schema->text, "orrery.baseline/", 16) != 0)
        return orr_yaml_fail(&b->doc, schema ? schema : root, ORR_E_FORMAT, e,
                             "this is no baseline: the schema should be " ORR_BASELINE_SCHEMA);
    if (strcmp(schema->text, ORR_BASELINE_SCHEMA) == 0)
        return ORR_OK;
    return orr_yaml_fail(&b->doc, schema, ORR_E_VERSION, e, "this program knows " ORR_BASELINE_SCHEMA);
}

static orr_err read_metrics(orr_baseline *b, const orr_yaml *list, orr_error *e)
{
    if (list && list->kind == ORR_YAML_SCALAR)
        ORR_VEC_PUSH(&b->metrics, list->text);
    for (const orr_yaml *v = list ? list->first : NULL; v; v = v->next)
        ORR_VEC_PUSH(&b->metrics, v->text);
    for (const orr_yaml *v = list ? list->first : NULL; v; v = v->next)
        if (!orr_numbers_known(v->text) && !is_expression(v->text))
            return orr_yaml_fail(&b->doc, v, ORR_E_UNKNOWN_KEY, e, "no number of a result has this key");
    return ORR_OK;
}

static orr_err check_updates(const orr_baseline *b, const orr_yaml *updates, orr_error *e)
{
    update_keys keys;
    for (const orr_yaml *v = updates ? updates->first : NULL; v; v = v->next) {
        orr_schema_defaults(&update_table, &keys);
        const orr_err err = orr_schema_read(&update_table, &b->doc, v, &keys, e);
        if (err)
            return err;
    }
    return ORR_OK;
}

static orr_err read_root(orr_baseline *b, orr_error *e)
{
    file_keys keys;
    orr_yaml root;
    orr_err err = check_schema(b, b->doc.root, e);
    orr_schema_defaults(&file_table, &keys);
    if (!err)
        root = part_of(b, b->doc.root, false);
    if (!err)
        err = orr_schema_read(&file_table, &b->doc, &root, &keys, e);
    if (!err)
        err = read_tolerances(b, keys.tolerances, &b->tolerances, e);
    if (!err)
        err = read_metrics(b, keys.metrics, e);
    if (!err)
        err = read_cases(b, &keys, e);
    if (!err)
        err = check_updates(b, keys.updates, e);
    b->reference = keys.reference;
    b->updates = keys.updates;
    return err;
}

orr_err orr_baseline_parse(orr_baseline *b, const char *file, const char *text, size_t size, orr_error *e)
{
    *b = (orr_baseline){.text = orr_xstrndup(text, size), .size = size, .reference = ""};
    const orr_err err = orr_yaml_read(&b->doc, file, b->text, size, e);
    return err ? err : read_root(b, e);
}

orr_err orr_baseline_read(orr_baseline *b, const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    *b = (orr_baseline){.reference = ""};
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return ORR_E_OPEN;
    orr_err err = orr_input_all(in, &data, &size, e);
    if (!err)
        err = orr_baseline_parse(b, path, data, size, e);
    free(data);
    orr_input_close(in);
    return err;
}

static void case_fini(orr_baseline_case *c)
{
    ORR_VEC_FREE(&c->seeds);
    ORR_VEC_FREE(&c->expect);
    ORR_VEC_FREE(&c->inputs);
    ORR_VEC_FREE(&c->tolerances);
}

void orr_baseline_fini(orr_baseline *b)
{
    for (size_t i = 0; i < b->cases.n; i++)
        case_fini(&b->cases.at[i]);
    for (size_t i = 0; i < b->experiments.n; i++)
        orr_experiment_destroy(b->experiments.at[i]);
    ORR_VEC_FREE(&b->experiments);
    ORR_VEC_FREE(&b->cases);
    ORR_VEC_FREE(&b->metrics);
    ORR_VEC_FREE(&b->tolerances);
    free(b->text);
    orr_yaml_fini(&b->doc);
    orr_arena_fini(&b->arena);
}
