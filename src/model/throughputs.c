/* Speeds alone lie in two arrays, by job and type. Pairs are sorted by (type, spread, job, other), with an index to
 * where those of each (type, job) begin. Jobs of one model are chained by size. */
#include "model/throughputs.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>

enum { MAX_TYPES = 64 }; /* as many as a cluster can have */

typedef struct entry {
    int32_t type, job, other; /* other = -1: speeds[0] is the speed alone */
    bool spread;
    int line; /* 0: not known */
    double speeds[2];
} entry;

typedef struct sized {
    int32_t model;
    int64_t gpus;
    int32_t next; /* of the same model, with more GPUs; -1: none */
} sized;

struct orr_throughputs {
    char *name, digest[65];
    orr_names *types, *jobs, *models; /* types in small letters; jobs are texts "GPUs model" */
    ORR_VEC(char *) type_names;
    ORR_VEC(sized) of;        /* by job */
    ORR_VEC(int32_t) smallest; /* by model: its job with the fewest GPUs */
    ORR_VEC(entry) entries;
    double *alone, *spread;   /* [jobs * types]; -1: not stated */
    /* [types * jobs + 1]: where the pairs of each begin among the entries, those not spread */
    size_t *first;
    int32_t reference;        /* -1: not set */
    bool has_pairs, no_spread, no_pairs;
};

orr_throughputs *orr_throughputs_create(void)
{
    orr_throughputs *t = orr_xcalloc(1, sizeof *t);
    t->name = orr_xstrdup("");
    t->types = orr_names_create();
    t->jobs = orr_names_create();
    t->models = orr_names_create();
    t->reference = -1;
    return t;
}

void orr_throughputs_destroy(orr_throughputs *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->type_names.n; i++)
        free(t->type_names.at[i]);
    ORR_VEC_FREE(&t->type_names);
    ORR_VEC_FREE(&t->of);
    ORR_VEC_FREE(&t->smallest);
    ORR_VEC_FREE(&t->entries);
    orr_names_destroy(t->types);
    orr_names_destroy(t->jobs);
    orr_names_destroy(t->models);
    free(t->alone);
    free(t->spread);
    free(t->first);
    free(t->name);
    free(t);
}

/* ---- names ---- */

static void in_small_letters(orr_text *out, const char *name, size_t n)
{
    orr_text_clear(out);
    orr_text_add(out, name, n);
    for (size_t i = 0; i < n; i++)
        out->at[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
}

int32_t orr_throughputs_add_type(orr_throughputs *t, const char *name, bool *spread)
{
    static const char suffix[] = "_unconsolidated";
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    *spread = length > tail && strcmp(name + length - tail, suffix) == 0;
    const size_t n = *spread ? length - tail : length;
    orr_text small = {0};
    in_small_letters(&small, name, n);
    const uint32_t id = orr_names_id(t->types, small.at ? small.at : "", n);
    orr_text_fini(&small);
    if (id == t->type_names.n)
        ORR_VEC_PUSH(&t->type_names, orr_xstrndup(name, n));
    return (int32_t)id;
}

/* Into the chain of its model. */
static void chain(orr_throughputs *t, int32_t job)
{
    sized *own = &t->of.at[job];
    int32_t *at = &t->smallest.at[own->model];
    while (*at >= 0 && t->of.at[*at].gpus < own->gpus)
        at = &t->of.at[*at].next;
    own->next = *at;
    *at = job;
}

int32_t orr_throughputs_add_job(orr_throughputs *t, const char *model, size_t length, int64_t gpus)
{
    orr_text name = {0};
    orr_text_addf(&name, "%lld ", (long long)gpus);
    orr_text_add(&name, model, length);
    const uint32_t id = orr_names_id(t->jobs, name.at, name.n);
    orr_text_fini(&name);
    if (id < t->of.n)
        return (int32_t)id;
    const uint32_t of = orr_names_id(t->models, model, length);
    if (of == t->smallest.n)
        ORR_VEC_PUSH(&t->smallest, -1);
    ORR_VEC_PUSH(&t->of, ((sized){.model = (int32_t)of, .gpus = gpus}));
    chain(t, (int32_t)id);
    return (int32_t)id;
}

/* ---- speeds ---- */

void orr_throughputs_add(orr_throughputs *t, int32_t type, bool spread, int32_t job, double speed, int line)
{
    const entry e = {.type = type, .job = job, .other = -1, .spread = spread, .line = line, .speeds = {speed}};
    ORR_VEC_PUSH(&t->entries, e);
}

void orr_throughputs_add_pair(orr_throughputs *t, int32_t type, bool spread, int32_t job, int32_t other,
                              const double speeds[2], int line)
{
    const entry e = {.type = type, .job = job, .other = other, .spread = spread, .line = line,
                     .speeds = {speeds[0], speeds[1]}};
    ORR_VEC_PUSH(&t->entries, e);
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->spread != y->spread)
        return x->spread ? 1 : -1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

static int compare_lines(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int order = compare(a, b);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static orr_err stands_twice(const orr_throughputs *t, const entry *twice, orr_error *e)
{
    int64_t gpus;
    const char *model = orr_throughputs_model(t, twice->job, &gpus);
    orr_error_set(e, ORR_E_SYNTAX, "GPU type \"%.40s\", job \"%.100s\" on %lld: an entry stands twice",
                  t->type_names.at[twice->type], model, (long long)gpus);
    if (twice->line)
        orr_error_at(e, t->name, twice->line, 0);
    return ORR_E_SYNTAX;
}

static double *not_stated(size_t n)
{
    double *at = orr_xcalloc(n, sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = -1;
    return at;
}

/* The speeds alone into their arrays; where the pairs of each job begin. */
static void file_entries(orr_throughputs *t)
{
    const size_t types = t->type_names.n, n = t->of.n * types;
    t->alone = not_stated(n);
    t->spread = not_stated(n);
    t->first = orr_xcalloc(n + 1, sizeof *t->first);
    size_t row = 0, i = 0;
    for (; i < t->entries.n; i++) {
        const entry *e = &t->entries.at[i];
        if (e->other < 0)
            (e->spread ? t->spread : t->alone)[(size_t)e->job * types + (size_t)e->type] = e->speeds[0];
        if (e->spread)
            continue;
        t->has_pairs |= e->other >= 0 && e->speeds[0] + e->speeds[1] > 0;
        while (row <= (size_t)e->type * t->of.n + (size_t)e->job)
            t->first[row++] = i;
    }
    for (i = 0; i < t->entries.n && !t->entries.at[i].spread;)
        i++;
    while (row <= n)
        t->first[row++] = i;
}

orr_err orr_throughputs_settle(orr_throughputs *t, orr_error *e)
{
    if (t->entries.n == 0)
        return orr_error_set(e, ORR_E_EMPTY, "the table holds no throughputs");
    if (t->type_names.n > MAX_TYPES)
        return orr_error_set(e, ORR_E_BAD_VALUE, "the table has %zu GPU types, more than %d", t->type_names.n, MAX_TYPES);
    qsort(t->entries.at, t->entries.n, sizeof *t->entries.at, compare_lines);
    for (size_t i = 1; i < t->entries.n; i++)
        if (compare(&t->entries.at[i - 1], &t->entries.at[i]) == 0)
            return stands_twice(t, &t->entries.at[i], e);
    file_entries(t);
    return ORR_OK;
}

/* ---- reading ---- */

void orr_throughputs_set_source(orr_throughputs *t, const char *name, const char hex[65])
{
    char *copy = orr_xstrdup(name);
    free(t->name);
    t->name = copy;
    memmove(t->digest, hex, sizeof t->digest);
}

static orr_err read_any(orr_throughputs *t, orr_input *in, orr_error *e)
{
    const char *bytes = NULL;
    size_t n = 0, i = 0;
    const orr_err err = orr_input_peek(in, 4096, &bytes, &n, e);
    if (err)
        return err;
    while (i < n && strchr(" \t\r\n\xef\xbb\xbf", bytes[i]) && bytes[i])
        i++;
    const bool json = i < n && (bytes[i] == '{' || bytes[i] == '[');
    return json ? orr_throughputs_read_json(t, in, e) : orr_throughputs_read_csv(t, in, e);
}

orr_throughputs *orr_throughputs_read(orr_input *in, orr_error *e)
{
    char hex[65] = "";
    orr_throughputs *t = orr_throughputs_create();
    orr_throughputs_set_source(t, orr_input_name(in), hex);
    orr_err err = read_any(t, in, e);
    if (!err)
        err = orr_throughputs_settle(t, e);
    if (!err) {
        orr_input_digest(in, hex);
        orr_throughputs_set_source(t, orr_input_name(in), hex);
        return t;
    }
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_throughputs_destroy(t);
    return NULL;
}

const char *orr_throughputs_name(const orr_throughputs *t)
{
    return t->name;
}

const char *orr_throughputs_digest(const orr_throughputs *t)
{
    return t->digest;
}

/* ---- settings ---- */

static orr_err no_such_type(const orr_throughputs *t, const char *type, orr_error *e)
{
    const char *near = orr_nearest(type, (const char *const *)t->type_names.at, t->type_names.n);
    orr_text list = {0};
    orr_error_set(e, ORR_E_BAD_VALUE, "the throughput table has no GPU type \"%.60s\"", type);
    for (size_t i = 0; i < t->type_names.n && i < 32; i++)
        orr_text_addf(&list, "%s%.40s", i ? ", " : "", t->type_names.at[i]);
    if (near)
        orr_error_hint(e, "did you mean \"%s\"?", near);
    else
        orr_error_hint(e, "it has %s", list.at);
    orr_text_fini(&list);
    return ORR_E_BAD_VALUE;
}

orr_err orr_throughputs_refer(orr_throughputs *t, const char *type, orr_error *e)
{
    const int32_t found = orr_throughputs_type(t, type);
    if (found < 0)
        return no_such_type(t, type, e);
    t->reference = found;
    return ORR_OK;
}

void orr_throughputs_ignore_spread(orr_throughputs *t)
{
    t->no_spread = true;
}

void orr_throughputs_ignore_pairs(orr_throughputs *t)
{
    t->no_pairs = true;
}

int32_t orr_throughputs_referred(const orr_throughputs *t)
{
    return t->reference;
}

int32_t orr_throughputs_reference(const orr_throughputs *t)
{
    if (t->reference >= 0)
        return t->reference;
    const int32_t v100 = orr_throughputs_type(t, "v100");
    return v100 < 0 ? 0 : v100;
}

bool orr_throughputs_uses_spread(const orr_throughputs *t)
{
    return !t->no_spread;
}

bool orr_throughputs_uses_pairs(const orr_throughputs *t)
{
    return t->has_pairs && !t->no_pairs;
}

/* ---- asking ---- */

int32_t orr_throughputs_types(const orr_throughputs *t)
{
    return (int32_t)t->type_names.n;
}

const char *orr_throughputs_type_name(const orr_throughputs *t, int32_t type)
{
    return t->type_names.at[type];
}

int32_t orr_throughputs_jobs(const orr_throughputs *t)
{
    return (int32_t)t->of.n;
}

const char *orr_throughputs_model(const orr_throughputs *t, int32_t job, int64_t *gpus)
{
    *gpus = t->of.at[job].gpus;
    return orr_names_text(t->models, (uint32_t)t->of.at[job].model);
}

int32_t orr_throughputs_type(const orr_throughputs *t, const char *name)
{
    const size_t n = strlen(name);
    orr_text small = {0};
    in_small_letters(&small, name, n);
    const int64_t id = orr_names_find(t->types, small.at ? small.at : "", n);
    orr_text_fini(&small);
    return (int32_t)id;
}

/* Of the chain from `at` on. */
static int32_t with_size(const orr_throughputs *t, int32_t at, int64_t gpus)
{
    while (at >= 0 && t->of.at[at].gpus < gpus)
        at = t->of.at[at].next;
    return at >= 0 && t->of.at[at].gpus == gpus ? at : -1;
}

static int32_t smallest_of(const orr_throughputs *t, const char *model)
{
    const int64_t id = orr_names_find(t->models, model, strlen(model));
    return id < 0 ? -1 : t->smallest.at[id];
}

int32_t orr_throughputs_job(const orr_throughputs *t, const char *model, int64_t gpus)
{
    return with_size(t, smallest_of(t, model), gpus);
}

int32_t orr_throughputs_sized(const orr_throughputs *t, int32_t job, int64_t gpus)
{
    return with_size(t, t->smallest.at[t->of.at[job].model], gpus);
}

int32_t orr_throughputs_near(const orr_throughputs *t, const char *model, int64_t gpus)
{
    int32_t at = smallest_of(t, model);
    while (at >= 0 && t->of.at[at].next >= 0 && t->of.at[t->of.at[at].next].gpus <= gpus)
        at = t->of.at[at].next;
    return at;
}

static double of_array(const orr_throughputs *t, const double *at, int32_t type, int32_t job)
{
    return job < 0 || type < 0 ? -1 : at[(size_t)job * t->type_names.n + (size_t)type];
}

double orr_throughputs_alone(const orr_throughputs *t, int32_t type, int32_t job)
{
    return of_array(t, t->alone, type, job);
}

double orr_throughputs_spread(const orr_throughputs *t, int32_t type, int32_t job)
{
    return of_array(t, t->spread, type, job);
}

bool orr_throughputs_pair(const orr_throughputs *t, int32_t type, int32_t job, int32_t other, double speeds[2])
{
    if (job < 0 || type < 0 || other < 0)
        return false;
    const size_t row = (size_t)type * t->of.n + (size_t)job, from = t->first[row];
    const entry wanted = {.type = type, .job = job, .other = other};
    const entry *found = bsearch(&wanted, t->entries.at + from, t->first[row + 1] - from, sizeof wanted, compare);
    if (found)
        memcpy(speeds, found->speeds, sizeof found->speeds);
    return found != NULL;
}

void orr_throughputs_each_pair(const orr_throughputs *t, int32_t type, int32_t job,
                               void (*each)(void *self, int32_t other, const double speeds[2]), void *self)
{
    const size_t row = (size_t)type * t->of.n + (size_t)job;
    for (size_t i = t->first[row]; i < t->first[row + 1]; i++)
        if (t->entries.at[i].other >= 0)
            each(self, t->entries.at[i].other, t->entries.at[i].speeds);
}
