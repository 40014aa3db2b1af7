/* summary.json against the log: each number that is told here is compared, each that isn't is named. */
#include "metrics/keys.h"
#include "verify/proof.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

typedef struct number {
    const char *key;
    double value;
    bool seen;
} number;

typedef struct comparison {
    proof *p;
    ORR_VEC(number) numbers; /* as they should be */
    orr_arena keys;
    const char *where; /* "" or "vcs.NAME." */
    int64_t compared;
} comparison;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static orr_err no_summary(const char *path, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_FORMAT, "%s", why);
    orr_error_at(e, path, 0, 0);
    return ORR_E_FORMAT;
}

static cJSON *parse(const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_input *in = orr_input_open(path, e);
    if (!in || orr_input_all(in, &data, &size, e)) {
        orr_input_close(in);
        return NULL;
    }
    cJSON *document = cJSON_ParseWithLength(data, size);
    free(data);
    orr_input_close(in);
    if (!document) {
        orr_error_set(e, ORR_E_SYNTAX, "this is no JSON");
        orr_error_at(e, path, 0, 0);
    }
    return document;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void keep(void *self, const char *key, double value)
{
    comparison *c = self;
    const number n = {.key = orr_arena_strdup(&c->keys, key, strlen(key)), .value = value};
    ORR_VEC_PUSH(&c->numbers, n);
}

static number *find(comparison *c, const char *key)
{
    for (size_t i = 0; i < c->numbers.n; i++)
        if (strcmp(c->numbers.at[i].key, key) == 0)
            return &c->numbers.at[i];
    return NULL;
}

static void name_unproved(comparison *c, const char *key)
{
    if (!c->where[0])
        orr_text_addf(&c->p->out->unproved, "%s%s", c->p->out->unproved.n ? " " : "", key);
}

static void compare_number(comparison *c, const char *key, double claimed)
{
    char own[ORR_DOUBLE_BUF], theirs[ORR_DOUBLE_BUF];
    number *n = find(c, key);
    if (!n) {
        if (!c->p->header->services[0] || !orr_metric_is_served(key))
            name_unproved(c, key);
        return;
    }
    n->seen = true;
    c->compared++;
    if (orr_reals_agree(n->value, claimed))
        return;
    orr_format_double(claimed, theirs);
    orr_format_double(n->value, own);
    orr_proof_finds(c->p, RULE_METRIC, "summary.json", "%s%s is %s, and the log gives %s", c->where, key, theirs, own);
}

static void compare_item(comparison *c, const char *key, const cJSON *item)
{
    if (cJSON_IsNumber(item))
        compare_number(c, key, item->valuedouble);
    else if (cJSON_IsBool(item))
        compare_number(c, key, cJSON_IsTrue(item));
    else if (cJSON_IsNull(item))
        compare_number(c, key, NAN);
}

static void compare_group(comparison *c, const char *prefix, const cJSON *group)
{
    char key[160];
    const cJSON *item;
    cJSON_ArrayForEach(item, group)
    {
        snprintf(key, sizeof key, "%s%s", prefix, item->string);
        if (cJSON_IsObject(item)) {
            strncat(key, ".", sizeof key - strlen(key) - 1);
            compare_group(c, key, item);
        } else {
            compare_item(c, key, item);
        }
    }
}

static void find_missing(comparison *c)
{
    for (size_t i = 0; i < c->numbers.n; i++)
        if (!c->numbers.at[i].seen)
            orr_proof_finds(c->p, RULE_METRIC, "summary.json", "%s%s is missing", c->where, c->numbers.at[i].key);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* `measured` has its own form: {rule, n, biased}. */
static void compare_measured(comparison *c, const cJSON *measured)
{
    const char *named = cJSON_GetStringValue(member(measured, "rule"));
    compare_number(c, "measured", cJSON_GetNumberValue(member(measured, "n")));
    compare_number(c, "biased", cJSON_IsTrue(member(measured, "biased")));
    if (!named || strcmp(named, c->p->header->measure) != 0)
        orr_proof_finds(c->p, RULE_METRIC, "summary.json", "%smeasured.rule is '%.60s', and the log's '%.60s'",
                        c->where, named ? named : "", c->p->header->measure);
}

/* A part of the document: the whole, or a VC. */
static void compare_part(comparison *c, const cJSON *part, const char *where)
{
    c->where = where;
    compare_measured(c, member(part, "measured"));
    compare_group(c, "", member(part, "metrics"));
    compare_group(c, "jobs.", member(part, "jobs"));
    find_missing(c);
    c->numbers.n = 0;
    orr_arena_reset(&c->keys);
}

/* ---- which jobs are in which part -------------------------------------------------------------------------------- */

typedef struct parts {
    listed *jobs;
    size_t n;
    size_t *starts; /* of each pool, sorted by it; [pools + 1] */
} parts;

static bool is_there(const facts *f)
{
    return f && f->stage != ABSENT;
}

static void list_jobs(proof *p, parts *out)
{
    ORR_VEC(listed) all = {0};
    for (uint64_t place = 0; place < (uint64_t)p->page_count * PAGE; place++) {
        facts *f = orr_proof_facts(p, place, false);
        if (is_there(f))
            ORR_VEC_PUSH(&all, ((listed){f, place}));
    }
    out->jobs = all.at;
    out->n = all.n;
}

static bool in_a_pool(const proof *p, const facts *f)
{
    return f->pool >= 0 && f->pool < p->pool_count;
}

/* By pool, in trace order within it. */
static listed *sort_by_pool(const proof *p, parts *all)
{
    const size_t pools = (size_t)p->pool_count;
    listed *sorted = orr_xcalloc(all->n + 1, sizeof *sorted);
    size_t *next = orr_xcalloc(pools + 1, sizeof *next);
    for (size_t i = 0; i < all->n; i++)
        if (in_a_pool(p, all->jobs[i].f))
            all->starts[all->jobs[i].f->pool + 1]++;
    for (size_t k = 0; k < pools; k++)
        all->starts[k + 1] += all->starts[k];
    memcpy(next, all->starts, pools * sizeof *next);
    for (size_t i = 0; i < all->n; i++)
        if (in_a_pool(p, all->jobs[i].f))
            sorted[next[all->jobs[i].f->pool]++] = all->jobs[i];
    free(next);
    return sorted;
}

static void compare_vcs(comparison *c, const cJSON *vcs, parts *all)
{
    proof *p = c->p;
    char where[128];
    all->starts = orr_xcalloc((size_t)p->pool_count + 1, sizeof *all->starts);
    listed *sorted = sort_by_pool(p, all);
    for (int32_t v = 0; v < p->pool_count; v++) {
        const char *name = orr_names_text(p->pools, (uint32_t)v);
        const cJSON *part = member(vcs, name);
        snprintf(where, sizeof where, "vcs.%.80s.", name);
        if (!part) {
            orr_proof_finds(p, RULE_METRIC, "summary.json", "%.100s is missing", where);
            continue;
        }
        orr_measured_each(p, &p->measure, sorted + all->starts[v], all->starts[v + 1] - all->starts[v], v, keep, c);
        compare_part(c, part, where);
    }
    free(sorted);
    free(all->starts);
}

/* ---- what isn't measured ----------------------------------------------------------------------------------------- */

static void compare_text(proof *p, const char *key, const cJSON *item, const char *own)
{
    const char *claimed = cJSON_GetStringValue(item);
    if (!claimed || strcmp(claimed, own) != 0)
        orr_proof_finds(p, RULE_METRIC, "summary.json", "%s is '%.80s', and the log's '%.80s'", key,
                        claimed ? claimed : "", own);
}

static void compare_setup(comparison *c, const cJSON *document)
{
    proof *p = c->p;
    const cJSON *counts = member(document, "counts");
    keep(c, "sim_end", (double)p->out->end / 1e9);
    keep(c, "counts.commits", (double)p->counts.commits);
    keep(c, "counts.retries", (double)p->counts.retries);
    keep(c, "counts.decisions", (double)p->counts.decisions);
    compare_number(c, "sim_end", cJSON_GetNumberValue(member(document, "sim_end")));
    compare_number(c, "counts.commits", cJSON_GetNumberValue(member(counts, "commits")));
    compare_number(c, "counts.retries", cJSON_GetNumberValue(member(counts, "retries")));
    compare_number(c, "counts.decisions", cJSON_GetNumberValue(member(counts, "decisions")));
    compare_text(p, "trace.digest", member(member(document, "trace"), "digest"), p->header->trace_digest);
    compare_text(p, "cluster.digest", member(member(document, "cluster"), "digest"), p->header->cluster_digest);
    compare_text(p, "stop_reason", member(document, "stop_reason"), orr_log_stop_name(p->stop));
    compare_text(p, "costs", member(document, "costs"), p->header->costs);
    compare_text(p, "clock", member(document, "clock"), p->header->clock);
}

static void compare_document(comparison *c, const cJSON *document)
{
    proof *p = c->p;
    parts all = {.n = 0};
    list_jobs(p, &all);
    c->where = "";
    compare_setup(c, document);
    orr_measured_each(p, &p->measure, all.jobs, all.n, -1, keep, c);
    keep(c, "jobs.resumed", (double)p->resumed);
    keep(c, "jobs.displaced", (double)(p->came_running - p->resumed));
    keep(c, "jobs.pending", (double)(p->header->jobs - p->counts.submitted));
    compare_part(c, document, "");
    if (p->pool_count > 1)
        compare_vcs(c, member(document, "vcs"), &all);
    free(all.jobs);
}

orr_err orr_summary_compare(proof *p, const char *path, orr_error *e)
{
    comparison c = {.p = p, .where = ""};
    cJSON *document = parse(path, e);
    if (!document)
        return e->code;
    const char *schema = cJSON_GetStringValue(member(document, "schema"));
    orr_err err = ORR_OK;
    p->now = ORR_TIME_NONE;
    p->job = NULL;
    if (!schema || strcmp(schema, "orrery.summary/1") != 0)
        err = no_summary(path, "this is no summary of a run, or one of a later version", e);
    else
        compare_document(&c, document);
    p->out->metrics = c.compared;
    cJSON_Delete(document);
    ORR_VEC_FREE(&c.numbers);
    orr_arena_fini(&c.keys);
    return err;
}
