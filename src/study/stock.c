/* Traces by the text of the keys that make them: first those that say how a file is read, then those that say which
 * part is taken. A stock holds a few of each, so that a walk along them is as good as a map. */
#include "study/case.h"
#include "model/throughputs.h"
#include "study/case_keys.h"
#include "study/services_scaled.h"

#include <stdlib.h>

typedef struct held_trace {
    char *text;
    orr_trace *trace; /* NULL: it was dropped, or a part is all of `whole` */
    size_t whole;     /* of a part: the index of what it was taken from */
} held_trace;

typedef struct held_cluster {
    char *text;
    orr_cluster_spec *spec;
} held_cluster;

/* What a file, named by a text, holds. */
typedef struct held_file {
    char *text;
    void *what;
} held_file;
typedef ORR_VEC(held_file) held_files;

typedef struct held_throughputs {
    char *text, *type;
    orr_throughputs *table;
} held_throughputs;

struct orr_stock {
    const orr_registry *registry;
    orr_registry *own; /* what `registry` is where the caller gave none */
    ORR_VEC(held_trace) wholes, parts;
    ORR_VEC(held_cluster) clusters;
    held_files profiles, applications, scenarios, services;
    held_files scaled; /* services, by their text, load and warm-up: they borrow from `services` */
    orr_trace *no_jobs; /* of cases without a trace; made when the first asks */
    ORR_VEC(held_throughputs) throughputs;
};

orr_stock *orr_stock_create(const orr_registry *registry)
{
    orr_stock *stock = orr_xcalloc(1, sizeof *stock);
    stock->own = registry ? NULL : orr_registry_create();
    stock->registry = registry ? registry : stock->own;
    return stock;
}

/* ---- files that are read once, whoever names them ---- */

static void *load_profiles(const char *text, orr_error *e) { return orr_profiles_load(text, e); }
static void drop_profiles(void *what) { orr_profiles_destroy(what); }
static void *load_applications(const char *text, orr_error *e) { return orr_applications_load(text, e); }
static void drop_applications(void *what) { orr_applications_destroy(what); }
static void *load_scenario(const char *text, orr_error *e) { return orr_scenario_load(text, e); }
static void drop_scenario(void *what) { orr_scenario_destroy(what); }
static void *load_services(const char *text, orr_error *e) { return orr_services_load(text, e); }
static void drop_services(void *what) { orr_services_destroy(what); }
static void drop_scaled(void *what) { orr_services_scaled_free(what); }

static bool is_given(const char *text)
{
    return text && text[0];
}

/* *out: NULL where none is named. */
static orr_err hold(held_files *list, const char *text, void *(*reader)(const char *text, orr_error *e), const void **out, orr_error *e)
{
    orr_error own = {0};
    size_t i = 0;
    *out = NULL;
    if (!is_given(text))
        return ORR_OK;
    while (i < list->n && strcmp(list->at[i].text, text) != 0)
        i++;
    if (i == list->n) {
        void *what = reader(text, &own);
        if (!what) {
            if (e)
                *e = own;
            return own.code;
        }
        ORR_VEC_PUSH(list, ((held_file){orr_xstrdup(text), what}));
    }
    *out = list->at[i].what;
    return ORR_OK;
}

static void drop(held_files *list, void (*destroy)(void *what))
{
    for (size_t i = 0; i < list->n; i++) {
        destroy(list->at[i].what);
        free(list->at[i].text);
    }
    ORR_VEC_FREE(list);
}

void orr_stock_destroy(orr_stock *stock)
{
    if (!stock)
        return;
    for (size_t i = 0; i < stock->wholes.n; i++) {
        orr_trace_destroy(stock->wholes.at[i].trace);
        free(stock->wholes.at[i].text);
    }
    for (size_t i = 0; i < stock->parts.n; i++) {
        orr_trace_destroy(stock->parts.at[i].trace);
        free(stock->parts.at[i].text);
    }
    for (size_t i = 0; i < stock->clusters.n; i++) {
        orr_cluster_spec_destroy(stock->clusters.at[i].spec);
        free(stock->clusters.at[i].text);
    }
    drop(&stock->profiles, drop_profiles);
    drop(&stock->applications, drop_applications);
    drop(&stock->scenarios, drop_scenario);
    drop(&stock->scaled, drop_scaled);
    drop(&stock->services, drop_services);
    orr_trace_destroy(stock->no_jobs);
    for (size_t i = 0; i < stock->throughputs.n; i++) {
        orr_throughputs_destroy(stock->throughputs.at[i].table);
        free(stock->throughputs.at[i].text);
        free(stock->throughputs.at[i].type);
    }
    ORR_VEC_FREE(&stock->throughputs);
    ORR_VEC_FREE(&stock->wholes);
    ORR_VEC_FREE(&stock->parts);
    ORR_VEC_FREE(&stock->clusters);
    orr_registry_destroy(stock->own);
    free(stock);
}

const orr_registry *orr_stock_registry(const orr_stock *stock)
{
    return stock->registry;
}

/* ---- which one ---- */

/* The text of a case that has only the keys from `first` to `last`, and perhaps the seed, from `c`. */
static char *text_of(const orr_case *c, const char *first, const char *last, bool seed)
{
    orr_text text = {0};
    orr_case only = orr_case_default();
    const orr_key *key = orr_schema_find(&orr_case_keys, first);
    const orr_key *end = orr_schema_find(&orr_case_keys, last);
    for (; key <= end; key++)
        orr_schema_copy(key, &only, c);
    if (seed)
        only.seed = c->seed;
    orr_case_text(&only, &text);
    return text.at;
}

static char *text_of_whole(const orr_case *c)
{
    return text_of(c, "trace", "strict", false);
}

static char *text_of_part(const orr_case *c)
{
    return text_of(c, "trace", "limit", c->sample < 1);
}

static char *text_of_cluster(const orr_case *c)
{
    return text_of(c, "cluster", "gpus-per-node", false);
}

/* The index of the one with this text, or how many there are. */
static size_t find(const held_trace *at, size_t n, const char *text)
{
    size_t i = 0;
    while (i < n && strcmp(at[i].text, text) != 0)
        i++;
    return i;
}

/* ---- reading ---- */

static orr_err refuse(const char *what, const char *hint, orr_error *e)
{
    orr_error_set(e, ORR_E_MISSING, "%s", what);
    orr_error_hint(e, "%s", hint);
    return ORR_E_MISSING;
}

static const orr_trace *read_whole(orr_stock *stock, const orr_case *c, size_t *at, orr_error *e)
{
    const orr_trace_options options = orr_case_trace_options(c);
    char *text = text_of_whole(c);
    *at = find(stock->wholes.at, stock->wholes.n, text);
    if (*at < stock->wholes.n && stock->wholes.at[*at].trace) {
        free(text);
        return stock->wholes.at[*at].trace;
    }
    orr_trace *trace = orr_trace_read(c->trace, &options, e);
    if (*at < stock->wholes.n || !trace)
        free(text);
    else
        ORR_VEC_PUSH(&stock->wholes, ((held_trace){.text = text}));
    if (trace)
        stock->wholes.at[*at].trace = trace;
    return trace;
}

static const orr_trace *take_part(orr_stock *stock, const orr_case *c, char *text, orr_error *e)
{
    size_t whole = 0;
    orr_trace *part = NULL;
    const orr_trace *trace = read_whole(stock, c, &whole, e);
    if (!trace || orr_case_select(c, NULL, trace, &part, e)) {
        free(text);
        return NULL;
    }
    ORR_VEC_PUSH(&stock->parts, ((held_trace){text, part, whole}));
    return part ? part : trace;
}

static const orr_trace *no_jobs(orr_stock *stock)
{
    if (!stock->no_jobs)
        stock->no_jobs = orr_trace_create("");
    return stock->no_jobs;
}

const orr_trace *orr_stock_read(orr_stock *stock, const orr_case *c, orr_error *e)
{
    if (!orr_case_has_jobs(c))
        return no_jobs(stock);
    if (!is_given(c->trace))
        return refuse("there is no trace to replay", "the key `trace` names one", e), NULL;
    char *text = text_of_part(c);
    const size_t i = find(stock->parts.at, stock->parts.n, text);
    if (i == stock->parts.n)
        return take_part(stock, c, text, e);
    free(text);
    return stock->parts.at[i].trace ? stock->parts.at[i].trace : stock->wholes.at[stock->parts.at[i].whole].trace;
}

void orr_stock_keep(orr_stock *stock, const orr_case *c, orr_trace *trace_owned)
{
    ORR_VEC_PUSH(&stock->wholes, ((held_trace){.text = text_of_whole(c), .trace = trace_owned}));
}

void orr_stock_trim(orr_stock *stock)
{
    for (size_t i = 0; i < stock->wholes.n; i++) {
        bool is_part = false;
        for (size_t k = 0; k < stock->parts.n; k++)
            is_part = is_part || (!stock->parts.at[k].trace && stock->parts.at[k].whole == i);
        if (is_part)
            continue;
        orr_trace_destroy(stock->wholes.at[i].trace);
        stock->wholes.at[i].trace = NULL;
    }
}

/* ---- something to simulate ---- */

static orr_err refuse_requests(const orr_trace *trace, size_t records, orr_error *e)
{
    orr_error_set(e, ORR_E_NO_JOBS, "a run replays jobs, and this trace holds %zu %s of a service", records,
                  orr_trace_bin(trace) ? "bins of requests" : records == 1 ? "request" : "requests");
    orr_error_at(e, orr_trace_name(trace), 0, 0);
    orr_error_hint(e, "a service replays them: its file, for --services, says `arrivals: {kind: trace, file: …}`");
    return ORR_E_NO_JOBS;
}

static orr_err check_jobs(const orr_trace *trace, orr_error *e)
{
    const orr_trace_request *requests;
    const size_t records = orr_trace_requests(trace, &requests);
    if (orr_trace_count(trace) > 0)
        return ORR_OK;
    if (records)
        return refuse_requests(trace, records, e);
    orr_error_set(e, ORR_E_NO_JOBS, "no job is left to simulate, of %llu rows read",
                  (unsigned long long)orr_trace_rows_read(trace));
    orr_error_at(e, orr_trace_name(trace), 0, 0);
    orr_error_hint(e, "`orrery describe %s` tells what became of them", orr_trace_name(trace));
    return ORR_E_NO_JOBS;
}

const orr_trace *orr_stock_trace(orr_stock *stock, const orr_case *c, orr_error *e)
{
    const orr_trace *trace = orr_stock_read(stock, c, e);
    return trace && (!orr_case_has_jobs(c) || !check_jobs(trace, e)) ? trace : NULL;
}

/* ---- clusters ---- */

static const orr_cluster_spec *load(orr_stock *stock, const orr_case *c, char *text, orr_error *e)
{
    const orr_cluster_options options = {.capacity_day = is_given(c->capacity_day) ? c->capacity_day : NULL,
                                         .gpus_per_node = (int32_t)c->gpus_per_node};
    orr_cluster_spec *spec = orr_cluster_spec_load(c->cluster, &options, e);
    if (spec)
        ORR_VEC_PUSH(&stock->clusters, ((held_cluster){text, spec}));
    else
        free(text);
    return spec;
}

const orr_cluster_spec *orr_stock_cluster(orr_stock *stock, const orr_case *c, orr_error *e)
{
    if (!is_given(c->cluster))
        return refuse("there is no cluster to run on", "the key `cluster` names one", e), NULL;
    char *text = text_of_cluster(c);
    size_t i = 0;
    while (i < stock->clusters.n && strcmp(stock->clusters.at[i].text, text) != 0)
        i++;
    if (i == stock->clusters.n)
        return load(stock, c, text, e);
    free(text);
    return stock->clusters.at[i].spec;
}

/* ---- profiles ---- */

orr_err orr_stock_profiles(orr_stock *stock, const orr_case *c, const orr_profiles **out, orr_error *e)
{
    const void *what;
    const orr_err err = hold(&stock->profiles, c->profiles, load_profiles, &what, e);
    *out = what;
    return err;
}

/* ---- the throughput table ---- */

static orr_err load_throughputs(orr_stock *stock, const char *text, const char *type, orr_error *e)
{
    orr_error own = {0};
    orr_throughputs *table = orr_throughputs_load(text, &own);
    if (!table) {
        if (e)
            *e = own;
        return own.code;
    }
    if (type[0] && orr_throughputs_referred(table) < 0)
        (void)orr_throughputs_refer(table, type, NULL); /* one that it doesn't have is no reference */
    ORR_VEC_PUSH(&stock->throughputs, ((held_throughputs){orr_xstrdup(text), orr_xstrdup(type), table}));
    return ORR_OK;
}

static bool is_held(const held_throughputs *held, const char *text, const char *type)
{
    return strcmp(held->text, text) == 0 && strcmp(held->type, type) == 0;
}

orr_err orr_stock_throughputs(orr_stock *stock, const orr_case *c, const orr_throughputs **out, orr_error *e)
{
    const char *type = is_given(c->gpu_type) ? c->gpu_type : "";
    size_t i = 0;
    *out = NULL;
    if (!is_given(c->throughputs))
        return ORR_OK;
    while (i < stock->throughputs.n && !is_held(&stock->throughputs.at[i], c->throughputs, type))
        i++;
    const orr_err err = i == stock->throughputs.n ? load_throughputs(stock, c->throughputs, type, e) : ORR_OK;
    if (!err)
        *out = stock->throughputs.at[i].table;
    return err;
}

/* ---- applications ---- */

orr_err orr_stock_applications(orr_stock *stock, const orr_case *c, const orr_applications **out, orr_error *e)
{
    const void *what;
    const orr_err err = hold(&stock->applications, c->applications, load_applications, &what, e);
    *out = what;
    return err;
}

/* ---- the scenario ---- */

orr_err orr_stock_scenario(orr_stock *stock, const orr_case *c, const orr_scenario **out, orr_error *e)
{
    const void *what;
    const orr_err err = hold(&stock->scenarios, c->scenario, load_scenario, &what, e);
    *out = what;
    return err;
}

/* ---- services ---- */

static const orr_services *scaled_of(orr_stock *stock, const orr_case *c, const orr_services *services)
{
    orr_text key = {0};
    char load[ORR_DOUBLE_BUF];
    size_t i = 0;
    orr_format_double(c->scale_load, load);
    orr_text_addf(&key, "%s\n%s\n%lld", c->services, load, (long long)c->warmup);
    while (i < stock->scaled.n && strcmp(stock->scaled.at[i].text, key.at) != 0)
        i++;
    if (i == stock->scaled.n)
        ORR_VEC_PUSH(&stock->scaled, ((held_file){orr_xstrdup(key.at),
                                                  orr_services_scaled(services, c->scale_load, c->warmup)}));
    orr_text_fini(&key);
    return stock->scaled.at[i].what;
}

orr_err orr_stock_services(orr_stock *stock, const orr_case *c, const orr_services **out, orr_error *e)
{
    const void *what;
    const orr_err err = hold(&stock->services, c->services, load_services, &what, e);
    *out = what;
    if (what && (c->scale_load < 1 || c->scale_load > 1 || c->warmup > 0))
        *out = scaled_of(stock, c, what);
    return err;
}

void orr_stock_keep_services(orr_stock *stock, const char *name, orr_services *services_owned)
{
    ORR_VEC_PUSH(&stock->services, ((held_file){orr_xstrdup(name), services_owned}));
}
