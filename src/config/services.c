/* The door to files of services: the file's own keys, its parts in an order in which names are known when they are
 * needed, and what the readers share. */
#include "config/services.h"

#include "config/presets.h"
#include "config/scenario_keys.h"
#include "config/schema_value.h"

#include <orrery/mig.h>

#include <stdlib.h>

#define MAX_BYTES ((int64_t)1 << 50)
#define MAX_SERVICES 100000

typedef struct file_head {
    const char *schema, *name;
    orr_time warm_up, preempt_save, mig_change;
    int64_t bandwidth;
    const orr_yaml *store, *markets, *contention, *services, *executors, *nodes;
} file_head;

typedef struct store_entry {
    int64_t bandwidth, channels, page, capacity;
} store_entry;

typedef struct spread_entry {
    int32_t law;
    double cv;
} spread_entry;

/* clang-format off */
#define AT(member) offsetof(file_head, member)
static const orr_key file_keys[] = {
    {"schema", ORR_KEY_TEXT, AT(schema), NULL, 0, 0, "What the file is: `" ORR_SERVICES_SCHEMA "`.", NULL},
    {"name", ORR_KEY_TEXT, AT(name), "", 0, 0, "Name in results; the file's path if it is left out.", NULL},
    {"services", ORR_KEY_LIST, AT(services), NULL, 1, MAX_SERVICES, "What is asked for.", &orr_service_keys},
    {"executors", ORR_KEY_LIST, AT(executors), "", 1, 1000000,
     "What runs batches when the simulation begins. Where each hosts one variant, `replicas` of the services says it "
     "shorter.", &orr_exec_ask_keys},
    {"warm_up", ORR_KEY_DURATION, AT(warm_up), "0", 0, 0,
     "Requests that arrive before are served and not measured.", NULL},
    {"bandwidth", ORR_KEY_BANDWIDTH, AT(bandwidth), "0", 0, MAX_BYTES,
     "Of what services send to each other (`bytes` in `to`), each by itself; 0: it takes no time.", NULL},
    {"preempt_save", ORR_KEY_DURATION, AT(preempt_save), "0", 0, 0, "What saving a preempted batch costs.", NULL},
    {"mig_change", ORR_KEY_DURATION, AT(mig_change), "0", 0, 0,
     "Until a MIG instance that doesn't stand there is made, once its slices are free.", NULL},
    {"nodes", ORR_KEY_LIST, AT(nodes), "", 1, 1000,
     "Nodes that belong to serving: executors go there first, and jobs only while a policy lends them. Without it all "
     "nodes are for both.", &orr_owned_keys},
    {"store", ORR_KEY_MAP, AT(store), "", 0, 0, "Where weights come from (below).", NULL},
    {"markets", ORR_KEY_LIST, AT(markets), "", 1, 1000, "How machines are bought.", &orr_market_keys},
    {"contention", ORR_KEY_LIST, AT(contention), "", 1, 1000000,
     "What neighbours on one GPU do to each other.", &orr_contention_keys},
    {0},
};
#undef AT
const orr_keys orr_services_keys = {
    .title = "A file of services",
    .doc = "YAML, given by `--services`. Durations are written `100ms` or `1.5s`, rates `120/s`, `90/min` or a plain "
           "number a "
           "second, sizes `16GiB`, `25GB` or in plain bytes. Files that it names lie beside it, or are named by their "
           "whole "
           "path. The order of services decides nothing: they are numbered by their names. Any other key is an error.",
    .at = file_keys,
};

#define AT(member) offsetof(store_entry, member)
static const orr_key store_keys[] = {
    {"bandwidth", ORR_KEY_BANDWIDTH, AT(bandwidth), NULL, 1, MAX_BYTES,
     "Of one load: it takes the variant's `weights` / this, instead of its `load`.", NULL},
    {"channels", ORR_KEY_INT, AT(channels), "1", 1, 1000,
     "Loads at once to one executor; others wait for their turn.", NULL},
    {"page", ORR_KEY_BYTES, AT(page), "0", 0, MAX_BYTES, "Memory is given in pages of this size; 0: exactly.", NULL},
    {"capacity", ORR_KEY_BYTES, AT(capacity), "0", 0, MAX_BYTES,
     "For weights on one GPU, on a share of it that part; 0: the GPU's memory.", NULL},
    {0},
};
#undef AT
const orr_keys orr_weight_store_keys = {
    .title = "`store`",
    .doc = "The host memory that weights are loaded from. Without it a load takes the variant's `load`, whatever else "
           "is loaded. What fits is on the GPUs when the simulation begins, in the order in which an executor hosts it. "
           "The rest is loaded when requests wait for a variant that is on no GPU and comes to none, and puts out what "
           "was used least recently, nothing of which runs or was waited for before. A policy may do this in another "
           "way (`clockwork`). Where neither `capacity` nor the cluster states the GPUs' memory, all fits.",
    .at = store_keys,
};

static const orr_key spread_keys[] = {
    {"law", ORR_KEY_CHOICE, offsetof(spread_entry, law), NULL, 0, 0,
     "`exponential` has cv 1, `gamma` and `lognormal` any, `normal` is cut off at a tenth of the mean.",
     "none|exponential|gamma|lognormal|normal"},
    {"cv", ORR_KEY_REAL, offsetof(spread_entry, cv), "0", 0, 1000,
     "Standard deviation by mean, with `gamma`, `lognormal` and `normal`.", NULL},
    {0},
};
const orr_keys orr_spread_keys = {
    .title = "How something scatters",
    .doc = "`{law: gamma, cv: 0.3}`; `none` and `exponential` may stand alone. The mean stays what is stated.",
    .at = spread_keys,
};
/* clang-format on */

void orr_services_keys_markdown(orr_text *out)
{
    const orr_keys *const tables[] = {
        &orr_services_keys,      &orr_service_keys,       &orr_service_class_keys, &orr_service_edge_keys,
        &orr_service_cache_keys, &orr_service_start_keys, &orr_source_keys,        &orr_source_token_keys,
        &orr_source_input_keys,  &orr_variant_keys,       &orr_exec_profile_keys,  &orr_exec_table_keys,
        &orr_iter_keys,          &orr_iter_fit_keys,      &orr_spread_keys,        &orr_replica_keys,
        &orr_exec_ask_keys,      &orr_owned_keys,         &orr_market_keys,        &orr_weight_store_keys,
        &orr_contention_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        orr_text_addf(out, "%s", i ? "\n" : "");
        orr_schema_markdown(tables[i], out);
    }
}

/* ---- what the readers share ---- */

orr_err orr_services_path(const orr_services_reader *r, const orr_yaml *at, orr_text *path)
{
    if (!r->folder[0])
        return orr_yaml_fail(r->doc, at, ORR_E_OPEN, r->e, "'%s' names a file, but this one doesn't lie in a folder",
                             at->key);
    const bool whole = at->text[0] == '/';
    orr_text_addf(path, "%s%s%s", whole ? "" : r->folder, whole ? "" : "/", at->text);
    return ORR_OK;
}

void orr_services_digest(orr_services_reader *r, const char hex[65])
{
    orr_sha256_add(&r->sha, hex, 64);
}

void orr_services_note(orr_services_reader *r, orr_note_kind kind, const char *reason, const char *detail)
{
    const orr_note note = {.reason = reason,
                           .detail = orr_arena_strdup(&r->memory->arena, detail, strlen(detail)),
                           .file = r->doc->file,
                           .kind = kind,
                           .count = 1};
    ORR_VEC_PUSH(&r->memory->notes, note);
}

orr_said orr_services_said(const orr_services_reader *r, const orr_yaml *at)
{
    return (orr_said){r->doc->file, at->line, at->column};
}

orr_err orr_services_scalar(const orr_services_reader *r, const orr_yaml *v, orr_key_type type, int64_t low,
                            int64_t high, void *out)
{
    const orr_key key = {.name = v->key, .type = type, .low = low, .high = high};
    char why[ORR_VALUE_WHY] = "should be a single value without quotes";
    if (v->kind == ORR_YAML_SCALAR && !v->quoted && orr_value_parse(&key, v->text, out, why))
        return ORR_OK;
    return orr_yaml_fail(r->doc, v, ORR_E_NUMBER, r->e, "%s%.80s%s %s", v->key ? "'" : "this", v->key ? v->key : "",
                         v->key ? "'" : "", why);
}

static orr_err spread_word(const orr_services_reader *r, const orr_yaml *v, orr_jitter *out, bool *measured)
{
    if (measured && strcmp(v->text, "measured") == 0)
        return *measured = true, ORR_OK;
    if (strcmp(v->text, "exponential") == 0)
        return *out = (orr_jitter){ORR_SCATTER_EXPONENTIAL, 1}, ORR_OK;
    if (strcmp(v->text, "none") == 0)
        return ORR_OK;
    return orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e,
                         "'%s' should be none, exponential%s, or a map of `law` and `cv`", v->key,
                         measured ? ", measured" : "");
}

orr_err orr_services_spread(const orr_services_reader *r, const orr_yaml *v, orr_jitter *out, bool *measured)
{
    spread_entry entry;
    *out = (orr_jitter){ORR_SCATTER_NONE, 0};
    if (!v)
        return ORR_OK;
    if (v->kind == ORR_YAML_SCALAR)
        return spread_word(r, v, out, measured);
    orr_schema_defaults(&orr_spread_keys, &entry);
    const orr_err err = orr_schema_read(&orr_spread_keys, r->doc, v, &entry, r->e);
    if (err)
        return err;
    const bool free = entry.law >= ORR_SCATTER_GAMMA, given = orr_yaml_member(v, "cv") != NULL;
    if (free && !(entry.cv > 0))
        return orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "this law needs a 'cv' above 0");
    if (!free && given && entry.cv != (entry.law == ORR_SCATTER_EXPONENTIAL ? 1 : 0))
        return orr_yaml_fail(r->doc, orr_yaml_member(v, "cv"), ORR_E_SYNTAX, r->e, "this law has a 'cv' of its own");
    *out = (orr_jitter){(orr_scatter)entry.law, free ? entry.cv : entry.law == ORR_SCATTER_EXPONENTIAL};
    return ORR_OK;
}

orr_err orr_services_name(const orr_services_reader *r, const orr_yaml *at)
{
    if (at->text[0] && !strpbrk(at->text, "/ ,"))
        return ORR_OK;
    return orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "a name should be there, without '/', ',' or blanks");
}

orr_err orr_services_slice(const orr_services_reader *r, const orr_yaml *map, const char *type, int32_t *milli)
{
    const orr_yaml *at = orr_yaml_member(map, "slice");
    if (!at)
        return ORR_OK;
    const orr_mig_model *m = orr_mig_model_of(type[0] ? type : "A100");
    if (orr_yaml_member(map, "share"))
        return orr_yaml_fail_key(r->doc, at, ORR_E_SYNTAX, r->e, "'slice' and 'share' don't go together");
    if (!m)
        return orr_yaml_fail_key(r->doc, at, ORR_E_SYNTAX, r->e, "MIG doesn't cut GPUs of the type '%.80s'", type);
    const orr_mig_profile *p = orr_mig_named(m, at->text, 0);
    if (p)
        return *milli = orr_mig_milli(m, p), ORR_OK;
    const orr_err err = orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "there is no MIG instance '%.80s'", at->text);
    orr_error_hint(r->e, m->compute == 4 ? "1g, 2g, 4g" : "1g, 1g+, 2g, 3g, 4g, 7g, or 3g.40gb");
    return err;
}

const orr_yaml *orr_services_first(const orr_yaml *v)
{
    return v && v->kind == ORR_YAML_LIST ? v->first : v;
}

/* ---- the file ---- */

static orr_err check_schema(const orr_services_reader *r)
{
    const orr_yaml *root = r->doc->root, *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strcmp(schema->text, ORR_SERVICES_SCHEMA) == 0)
        return ORR_OK;
    const orr_err err =
        orr_yaml_fail(r->doc, schema, ORR_E_FORMAT, r->e, "this is no file of services that this version can read");
    orr_error_hint(r->e, "it should say `schema: " ORR_SERVICES_SCHEMA "`");
    return err;
}

static orr_err read_store(const orr_services_reader *r, const orr_yaml *map)
{
    store_entry entry;
    r->out->store = (orr_weight_store){.channels = 1};
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_weight_store_keys, &entry);
    const orr_err err = orr_schema_read(&orr_weight_store_keys, r->doc, map, &entry, r->e);
    r->out->store = (orr_weight_store){.bandwidth = (double)entry.bandwidth,
                                       .channels = (int32_t)entry.channels,
                                       .page = entry.page,
                                       .capacity = entry.capacity};
    return err;
}

static orr_err read_nodes(const orr_services_reader *r, const orr_yaml *list)
{
    if (!list)
        return ORR_OK;
    orr_which *all = orr_arena_alloc(&r->memory->arena, list->count * sizeof *all);
    orr_err err = ORR_OK;
    int32_t n = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next) {
        orr_owned_entry entry;
        orr_schema_defaults(&orr_owned_keys, &entry);
        err = orr_schema_read(&orr_owned_keys, r->doc, v, &entry, r->e);
        if (!err && !orr_which_says(&entry.which))
            err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e,
                                "this should say which nodes: 'nodes', 'vc', 'type', 'rack' or 'count'");
        all[n++] = orr_which_of(&entry.which);
    }
    r->out->nodes = all;
    r->out->nodes_count = n;
    r->out->nodes_said = orr_services_said(r, list);
    return err;
}

static int by_name(const void *a, const void *b)
{
    const orr_service_draft *x = a, *y = b;
    return orr_natural_compare(x->service.name, y->service.name);
}

static orr_err sort_services(const orr_services_reader *r)
{
    const orr_service_drafts *d = &r->drafts;
    qsort(d->at, d->n, sizeof *d->at, by_name);
    for (size_t i = 1; i < d->n; i++)
        if (strcmp(d->at[i - 1].service.name, d->at[i].service.name) == 0)
            return orr_yaml_fail(r->doc, orr_yaml_member(d->at[i].map, "name"), ORR_E_SYNTAX, r->e,
                                 "the service '%.80s' is described twice", d->at[i].service.name);
    return ORR_OK;
}

static orr_err read_services(orr_services_reader *r, const orr_yaml *list)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = list->first; v && !err; v = v->next)
        err = orr_services_read_service(r, v);
    if (!err && r->drafts.n > MAX_SERVICES)
        err =
            orr_yaml_fail(r->doc, list, ORR_E_SYNTAX, r->e, "%zu services; %d are possible", r->drafts.n, MAX_SERVICES);
    if (!err)
        err = sort_services(r);
    return err ? err : orr_services_read_edges(r);
}

static void settle(orr_services_reader *r)
{
    orr_services *s = r->out;
    orr_service *all = orr_arena_alloc(&r->memory->arena, r->drafts.n * sizeof *all);
    for (size_t i = 0; i < r->drafts.n; i++)
        all[i] = r->drafts.at[i].service;
    orr_sha256_hex(&r->sha, r->memory->digest);
    s->services = all;
    s->count = (int32_t)r->drafts.n;
    s->digest = r->memory->digest;
    s->notes = r->memory->notes.at;
    s->note_count = (int32_t)r->memory->notes.n;
}

static orr_err read_all(orr_services_reader *r)
{
    file_head head;
    orr_schema_defaults(&orr_services_keys, &head);
    orr_err err = check_schema(r);
    if (!err)
        err = orr_schema_read(&orr_services_keys, r->doc, r->doc->root, &head, r->e);
    if (err)
        return err;
    r->out->name = head.name[0] ? head.name : r->doc->file;
    r->out->path = r->doc->file;
    r->out->warm_up = head.warm_up;
    r->out->preempt_save = head.preempt_save;
    r->out->mig_change = head.mig_change;
    r->out->bandwidth = (double)head.bandwidth;
    if (head.warm_up == ORR_TIME_MAX)
        return orr_yaml_fail(r->doc, orr_yaml_member(r->doc->root, "warm_up"), ORR_E_NUMBER, r->e,
                             "'warm_up' should end");
    err = read_store(r, head.store);
    if (!err)
        err = read_nodes(r, head.nodes);
    if (!err)
        err = orr_services_read_markets(r, head.markets);
    if (!err)
        err = read_services(r, head.services);
    if (!err)
        err = orr_services_read_executors(r, head.executors);
    return err ? err : orr_services_read_contention(r, head.contention);
}

static orr_services *create(void)
{
    orr_services *s = orr_xcalloc(1, sizeof *s);
    s->memory = orr_xcalloc(1, sizeof *s->memory);
    return s;
}

void orr_services_destroy(orr_services *services)
{
    if (!services || !services->memory)
        return;
    orr_services_memory *m = services->memory;
    for (size_t i = 0; i < m->traces.n; i++)
        orr_trace_destroy(m->traces.at[i].trace);
    ORR_VEC_FREE(&m->traces);
    ORR_VEC_FREE(&m->notes);
    orr_yaml_fini(&m->doc);
    orr_arena_fini(&m->arena);
    free(m);
    free(services);
}

static orr_err read_input(orr_services_reader *r, orr_input *in)
{
    char *data = NULL;
    size_t size = 0;
    orr_err err = orr_input_all(in, &data, &size, r->e);
    const char *name = orr_input_name(in);
    name = orr_arena_strdup(&r->memory->arena, name, strlen(name));
    orr_sha256_init(&r->sha);
    if (!err) {
        orr_sha256_add(&r->sha, data, size);
        err = orr_yaml_read(&r->memory->doc, name, data, size, r->e);
    }
    free(data);
    return err ? err : read_all(r);
}

orr_services *orr_services_read(orr_input *in, const char *folder, orr_error *e)
{
    orr_error own = {0};
    orr_services *s = create();
    orr_services_reader r = {.out = s, .memory = s->memory, .doc = &s->memory->doc, .folder = folder, .e = &own};
    const orr_err err = read_input(&r, in);
    if (!err)
        settle(&r);
    ORR_VEC_FREE(&r.drafts);
    if (!err)
        return s;
    orr_services_destroy(s);
    if (e && !e->code)
        *e = own;
    return NULL;
}

orr_services *orr_services_load(const char *path, orr_error *e)
{
    orr_text folder = {0};
    orr_input *in = orr_preset_open("services", path, &folder, e);
    orr_services *services = in ? orr_services_read(in, folder.at, e) : NULL;
    orr_input_close(in);
    orr_text_fini(&folder);
    return services;
}

bool orr_services_told(const char *text)
{
    return orr_preset_says("services", text, "schema: " ORR_SERVICES_SCHEMA);
}
