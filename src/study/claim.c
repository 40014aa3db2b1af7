/* Reading is in layers: the YAML tree, the claim's own table of keys, the cases of its runs, its expectations. */
#define _POSIX_C_SOURCE 200809L
#include "study/claim.h"

#include "base/io.h"
#include "config/presets.h"
#include "config/services.h"
#include "study/claim_keys.h"
#include "study/claim_number.h"
#include "trace/reader.h"
#include <orrery/synth.h>
#include <unistd.h>

enum { POLICY, BASELINE };

/* ---- the head of the file ---- */

static orr_err check_schema(const orr_claim *c, orr_error *e)
{
    const orr_yaml *at = orr_yaml_member(c->doc.root, "schema");
    if (strcmp(c->schema, ORR_CLAIM_SCHEMA) == 0)
        return ORR_OK;
    const bool later = strncmp(c->schema, ORR_CLAIM_SCHEMA, sizeof ORR_CLAIM_SCHEMA - 2) == 0;
    return orr_yaml_fail(&c->doc, at, later ? ORR_E_VERSION : ORR_E_FORMAT, e, "a claim file has the schema %s",
                         ORR_CLAIM_SCHEMA);
}

static orr_err read_synth(orr_claim *c, orr_error *e)
{
    orr_schema_defaults(&orr_claim_synth_keys, &c->synth);
    return c->synth_given ? orr_schema_read(&orr_claim_synth_keys, &c->doc, c->synth_given, &c->synth, e) : ORR_OK;
}

/* Exactly one of three; where requests are served, perhaps none. */
static orr_err check_workload(const orr_claim *c, const orr_case *shared, orr_error *e)
{
    const int given = (c->jobs[0] != '\0') + (c->synth_given != NULL) + (shared->trace && shared->trace[0]);
    if (given == 1 || (given == 0 && shared->services[0]))
        return ORR_OK;
    return orr_yaml_fail(&c->doc, c->doc.root, ORR_E_SYNTAX, e, "%s", given
                         ? "'jobs', 'synth' and the trace of 'case' exclude each other"
                         : "a claim needs a workload: 'jobs', 'synth', or a trace in 'case'; 'requests', or services in 'case'");
}

/* ---- runs ---- */

static int64_t run_named(const orr_claim *c, const char *name, size_t n)
{
    for (size_t i = 0; i < c->runs.n; i++)
        if (strlen(c->runs.at[i].name) == n && memcmp(c->runs.at[i].name, name, n) == 0)
            return (int64_t)i;
    return -1;
}

static void add_run(orr_claim *c, const char *name, const orr_case *conditions)
{
    ORR_VEC_PUSH(&c->runs, ((orr_claim_run){.name = name, .conditions = *conditions}));
}

/* Letters, digits and _, from a letter on; none that means something in an expectation. */
static bool is_run_name(const char *name)
{
    static const char *const taken[] = {"value", "ratio", "difference"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && name[n] == '\0' && name[0] >= 'a';
}

static orr_err read_run(orr_claim *c, const orr_yaml *map, const orr_case *shared, orr_error *e)
{
    static const char *const own[] = {"name", NULL};
    const orr_yaml *name = orr_yaml_member(map, "name");
    if (!name || name->kind != ORR_YAML_SCALAR)
        return orr_yaml_fail(&c->doc, name ? name : map, ORR_E_SYNTAX, e, "a run needs a name");
    if (!is_run_name(name->text))
        return orr_yaml_fail(&c->doc, name, ORR_E_SYNTAX, e,
                             "a run's name is of small letters, digits and _, and not value, ratio or difference");
    int64_t i = run_named(c, name->text, strlen(name->text));
    if (i > BASELINE || (i == BASELINE && !c->baseline[0]))
        return orr_yaml_fail(&c->doc, name, ORR_E_SYNTAX, e, "two runs have this name");
    if (i < 0) {
        i = (int64_t)c->runs.n;
        add_run(c, name->text, shared);
    }
    return orr_case_read(&c->runs.at[i].conditions, &c->doc, map, own, e);
}

/* Services that stand in the file are named after it. Jobs beside them may have a policy, by the case. */
static orr_err take_requests(orr_claim *c, orr_case *shared, orr_error *e)
{
    if (!c->policy[0] == !c->serve[0])
        return orr_yaml_fail(&c->doc, c->doc.root, ORR_E_SYNTAX, e,
                             "a claim is about either a 'policy' or what comes to 'serve'");
    if (!c->requests[0])
        return ORR_OK;
    if (shared->services[0])
        return orr_yaml_fail(&c->doc, c->doc.root, ORR_E_SYNTAX, e,
                             "'requests' and the services of 'case' exclude each other");
    shared->services = c->name;
    orr_services *services = orr_claim_services(c, e);
    orr_services_destroy(services);
    return services ? ORR_OK : e->code;
}

static orr_err read_runs(orr_claim *c, orr_error *e)
{
    orr_case shared = orr_case_default();
    orr_err err = c->shared ? orr_case_read(&shared, &c->doc, c->shared, NULL, e) : ORR_OK;
    if (!err)
        err = take_requests(c, &shared, e);
    if (!err)
        err = check_workload(c, &shared, e);
    if (err)
        return err;
    if (c->serve[0])
        shared.serve = c->serve;
    else
        shared.policy = c->policy;
    add_run(c, "policy", &shared);
    if (c->baseline[0]) {
        orr_case baseline = shared;
        if (c->serve[0])
            baseline.serve = c->baseline;
        else
            baseline.policy = c->baseline;
        add_run(c, "baseline", &baseline);
    }
    for (const orr_yaml *map = c->runs_given ? c->runs_given->first : NULL; map && !err; map = map->next)
        err = read_run(c, map, &shared, e);
    return err;
}

/* Without a cluster nothing runs, and the file is where that is to be mended. */
static orr_err check_runs(const orr_claim *c, orr_error *e)
{
    for (size_t i = 0; i < c->runs.n; i++)
        if (!c->runs.at[i].conditions.cluster || !c->runs.at[i].conditions.cluster[0])
            return orr_yaml_fail(&c->doc, c->doc.root, ORR_E_SYNTAX, e, "the run '%s' has no cluster",
                                 c->runs.at[i].name);
    return ORR_OK;
}

/* ---- expectations ---- */

/* RUN or RUN.METRIC */
static orr_err parse_term(orr_claim *c, const char *text, size_t n, orr_claim_term *out, orr_error *e)
{
    const char *dot = memchr(text, '.', n);
    const size_t name = dot ? (size_t)(dot - text) : n;
    const int64_t run = run_named(c, text, name);
    if (run < 0) {
        orr_error_set(e, ORR_E_BAD_VALUE, "there is no run '%.*s'", (int)name, text);
        orr_error_hint(e, "expectations speak of value, ratio, difference, and of runs by their names: "
                          "`policy.jct.p99 / baseline.jct.p99 < 1`");
        return ORR_E_BAD_VALUE;
    }
    out->run = (size_t)run;
    out->metric = dot ? orr_arena_strdup(&c->arena, dot + 1, n - name - 1) : c->metric;
    return orr_number_check(out->metric, &out->expression, e);
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* What value, ratio and difference are short for. */
static const char *spelt_out(const char *text, size_t *n)
{
    const char *full = is_word(text, *n, "value")        ? "policy"
                       : is_word(text, *n, "ratio")      ? "policy / baseline"
                       : is_word(text, *n, "difference") ? "policy - baseline"
                                                         : NULL;
    if (!full)
        return text;
    *n = strlen(full);
    return full;
}

/* The " / " or " - " of a subject; NULL: none. */
static const char *find_op(const char *text, size_t n)
{
    int depth = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0 && (text[i] == '/' || text[i] == '-') && text[i - 1] == ' ' && text[i + 1] == ' ')
            return text + i;
    }
    return NULL;
}

static orr_err parse_subject(orr_claim *c, const char *text, size_t n, orr_claim_expect *out, orr_error *e)
{
    const char *full = spelt_out(text, &n), *op = find_op(full, n);
    if (!op)
        return parse_term(c, full, n, &out->terms[0], e);
    out->op = *op;
    orr_err err = parse_term(c, full, (size_t)(op - full) - 1, &out->terms[0], e);
    return err ? err : parse_term(c, op + 2, n - (size_t)(op + 2 - full), &out->terms[1], e);
}

static orr_err read_expect(orr_claim *c, const orr_yaml *at, orr_error *e)
{
    orr_claim_expect x = {.text = at->text};
    size_t subject = 0;
    orr_err err = orr_claim_bound_parse(at->text, &subject, &x.bound, e);
    x.bound_text = at->text + subject;
    if (!err)
        err = parse_subject(c, at->text, subject, &x, e);
    orr_error_at(err ? e : NULL, c->file, at->line, at->column);
    if (!err)
        ORR_VEC_PUSH(&c->expects, x);
    return err;
}

/* The run has to work out what its terms are about, besides what its own case asks for. */
static void ask_for_expressions(orr_claim *c, size_t run)
{
    orr_texts *asked = &c->runs.at[run].conditions.metrics;
    const char **list = orr_arena_alloc(&c->arena, (asked->n + 2 * c->expects.n) * sizeof *list);
    size_t n = asked->n;
    if (n)
        memcpy(list, asked->at, n * sizeof *list);
    for (size_t i = 0; i < 2 * c->expects.n; i++) {
        const orr_claim_term *term = &c->expects.at[i / 2].terms[i % 2];
        if (term->expression && term->run == run)
            list[n++] = term->metric;
    }
    *asked = (orr_texts){.at = list, .n = n};
}

static orr_err read_expects(orr_claim *c, orr_error *e)
{
    const orr_yaml *given = c->expect;
    orr_err err = ORR_OK;
    if (given->kind == ORR_YAML_SCALAR)
        err = read_expect(c, given, e);
    for (const orr_yaml *at = given->first; at && !err; at = at->next)
        err = read_expect(c, at, e);
    for (size_t run = 0; run < c->runs.n && !err; run++)
        ask_for_expressions(c, run);
    return err;
}

/* ---- the whole ---- */

static char *name_of(orr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t n = strlen(name), suffix = strlen(".yaml");
    const bool has = n > suffix && strcmp(name + n - suffix, ".yaml") == 0;
    return orr_arena_strdup(arena, name, has ? n - suffix : n);
}

static orr_err read_all(orr_claim *c, const char *data, size_t size, orr_error *e)
{
    orr_err err = orr_yaml_read(&c->doc, c->file, data, size, e);
    if (err)
        return err;
    orr_schema_defaults(&orr_claim_keys, c);
    err = orr_schema_read(&orr_claim_keys, &c->doc, c->doc.root, c, e);
    if (!err)
        err = check_schema(c, e);
    if (!err)
        err = read_synth(c, e);
    if (!err)
        err = read_runs(c, e);
    if (!err)
        err = check_runs(c, e);
    return err ? err : read_expects(c, e);
}

orr_claim *orr_claim_parse(const char *path, const char *data, size_t size, orr_error *e)
{
    orr_claim *c = orr_xcalloc(1, sizeof *c);
    c->file = orr_arena_strdup(&c->arena, path, strlen(path));
    c->name = name_of(&c->arena, path);
    if (!read_all(c, data, size, e))
        return c;
    orr_claim_destroy(c);
    return NULL;
}

orr_claim *orr_claim_read(const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    orr_claim *c = orr_input_all(in, &data, &size, e) ? NULL : orr_claim_parse(path, data, size, e);
    orr_input_close(in);
    free(data);
    return c;
}

void orr_claim_destroy(orr_claim *c)
{
    if (!c)
        return;
    ORR_VEC_FREE(&c->runs);
    ORR_VEC_FREE(&c->expects);
    orr_yaml_fini(&c->doc);
    orr_arena_fini(&c->arena);
    free(c);
}

/* ---- what a claim says ---- */

const char *orr_claim_missing(const orr_claim *c)
{
    const orr_yaml *needs = c->needs;
    if (!needs)
        return NULL;
    if (needs->kind == ORR_YAML_SCALAR)
        return access(needs->text, R_OK) ? needs->text : NULL;
    for (const orr_yaml *at = needs->first; at; at = at->next)
        if (access(at->text, R_OK))
            return at->text;
    return NULL;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

orr_trace *orr_claim_synth_draw(const orr_claim_synth *s, uint64_t seed, orr_error *e)
{
    static const char *const arrivals[] = {"poisson", "diurnal", "bursty", "mmpp", "at-once"};
    orr_synth_options o = orr_synth_options_default();
    o.seed = seed;
    o.span = s->span ? s->span : ORR_TIME_NONE;
    o.shape = s->shape;
    o.jobs = (uint64_t)s->jobs;
    o.load = s->load;
    o.gpus = s->gpus;
    o.arrivals = arrivals[s->arrivals];
    o.cv = s->cv;
    o.mmpp = or_null(s->mmpp);
    o.durations = or_null(s->durations);
    o.vcs = (int32_t)s->vcs;
    o.users = (int32_t)s->users;
    o.vc_zipf = s->vc_zipf;
    o.user_zipf = s->user_zipf;
    o.recurrence = s->recurrence;
    o.max_gpus = (int32_t)s->max_gpus;
    o.deadline_share = s->deadline_share;
    o.deadline_slack = or_null(s->deadline_slack);
    o.limit_factor = s->limit_factor;
    o.with = or_null(s->with);
    o.trials = (int32_t)s->trials;
    orr_throughputs *table = s->throughputs[0] ? orr_throughputs_load(s->throughputs, e) : NULL;
    if (s->throughputs[0] && !table)
        return NULL;
    o.throughputs = table;
    orr_applications *applications = s->applications[0] ? orr_applications_load(s->applications, e) : NULL;
    o.applications = applications;
    o.configured = s->configured ? "random" : "tuned";
    orr_trace *trace = s->applications[0] && !applications ? NULL : orr_synth(&o, e);
    orr_applications_destroy(applications);
    orr_throughputs_destroy(table);
    return trace;
}

static orr_trace *read_jobs(const orr_claim *c, orr_error *e)
{
    const orr_trace_options options = {.format = "orrery"};
    orr_input *in = orr_input_memory(c->file, c->jobs, strlen(c->jobs));
    orr_trace *trace = orr_trace_read_input(in, &options, e);
    orr_input_close(in);
    return trace;
}

orr_services *orr_claim_services(const orr_claim *c, orr_error *e)
{
    orr_input *in = orr_input_memory(c->file, c->requests, strlen(c->requests));
    orr_services *services = orr_services_read(in, "", e);
    const orr_yaml *at = orr_yaml_member(c->doc.root, "requests");
    orr_input_close(in);
    if (!services && e && at && e->line > 0) { /* told in the lines of the text, which begins behind its key */
        e->line += at->line;
        e->column = 0;
    }
    return services;
}

orr_trace *orr_claim_workload(const orr_claim *c, uint64_t seed, orr_error *e)
{
    if (c->jobs[0])
        return read_jobs(c, e);
    return c->synth_given ? orr_claim_synth_draw(&c->synth, seed, e) : NULL;
}

const char *orr_claim_subject(const orr_claim *c)
{
    return c->serve[0] ? c->serve : c->policy;
}

/* A name ends where none of its letters follows; it begins the spec, or stands behind + or ~. */
bool orr_claim_about(const orr_claim *c, const char *module)
{
    const size_t n = strlen(module);
    for (const char *at = orr_claim_subject(c); at; at = strpbrk(at, "+~")) {
        at += *at == '+' || *at == '~';
        if (strncmp(at, module, n) == 0 && (at[n] == '\0' || strchr(":,+~", at[n])))
            return true;
    }
    return false;
}

/* ---- the folder ---- */

void orr_claim_dir(orr_text *out)
{
    const char *presets = orr_preset_dir(), *slash = strrchr(presets, '/');
    orr_text_clear(out);
    orr_text_add(out, presets, slash ? (size_t)(slash - presets) + 1 : 0);
    orr_text_addf(out, "survey");
}

orr_claim *orr_claim_find(const char *what, orr_error *e)
{
    orr_text dir = {0}, path = {0};
    orr_claim *c = NULL;
    orr_claim_dir(&dir);
    if (access(what, F_OK) == 0) {
        c = orr_claim_read(what, e);
    } else if (orr_preset_path(dir.at, what, &path)) {
        c = orr_claim_read(path.at, e);
    } else {
        orr_error_set(e, ORR_E_OPEN, "there is no file and no claim of this name");
        orr_error_text(e, what, strlen(what));
        orr_error_hint(e, "`orrery survey --list` lists the claims");
    }
    orr_text_fini(&dir);
    orr_text_fini(&path);
    return c;
}
