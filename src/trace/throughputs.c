/* One parse by cJSON into a sorted list of entries (type, job, other job or none); a name is one text "GPUs model" in a
 * pool, so that the pair is hashed as a whole. */
#include "trace/throughputs.h"

#include "base/mem.h"
#include "base/text.h"
#include <cjson/cJSON.h>
#include <math.h>

#define ALONE (-1)

typedef struct entry {
    int32_t type, job, other; /* other = ALONE: speeds[0] is the speed alone */
    double speeds[2];
} entry;

struct orr_throughputs {
    orr_names *types, *jobs;
    ORR_VEC(int64_t) gpus; /* by job */
    ORR_VEC(entry) entries;
};

/* ---- names ---- */

static bool quote(char c)
{
    return c == '\'' || c == '"';
}

/* Takes `('model', 2)` apart, as Python prints a pair; a model that needs escapes in there is refused. */
static bool split_pair(const char *text, const char **model, size_t *n, int64_t *gpus)
{
    const char *end = quote(text[1]) ? strrchr(text, text[1]) : NULL;
    if (!end || end < text + 3 || end[1] != ',' || end[2] != ' ')
        return false;
    *model = text + 2;
    *n = (size_t)(end - *model);
    const char *count = end + 3;
    const size_t digits = strlen(count);
    return digits > 1 && count[digits - 1] == ')' && orr_parse_i64(count, digits - 1, gpus) && *gpus >= 1 &&
           !memchr(*model, '\\', *n) && !memchr(*model, text[1], *n);
}

static void spell(orr_text *name, const char *model, size_t n, int64_t gpus)
{
    orr_text_clear(name);
    orr_text_addf(name, "%lld ", (long long)gpus);
    orr_text_add(name, model, n);
}

/* The number of a job, added if it is new; -1 if its name makes no sense. */
static int32_t job_named(orr_throughputs *t, const char *text)
{
    const char *model = text;
    size_t n = strlen(text);
    int64_t gpus = 1;
    if (n == 0 || (text[0] == '(' && !split_pair(text, &model, &n, &gpus)))
        return -1;
    orr_text name = {0};
    spell(&name, model, n, gpus);
    const uint32_t id = orr_names_id(t->jobs, name.at, name.n);
    orr_text_fini(&name);
    if (id == t->gpus.n)
        ORR_VEC_PUSH(&t->gpus, gpus);
    return (int32_t)id;
}

/* ---- reading ---- */

typedef struct reading {
    orr_throughputs *table;
    orr_error *e;
    const char *type, *job, *other; /* where we are */
} reading;

static bool wrong(const reading *r, orr_err code, const char *what)
{
    orr_error_set(r->e, code, "GPU type \"%.40s\", job \"%.100s\", entry \"%.100s\": %s", r->type, r->job ? r->job : "",
                  r->other ? r->other : "", what);
    return false;
}

static bool take_speed(const reading *r, const cJSON *item, double *out)
{
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
        return wrong(r, ORR_E_NUMBER, "steps per second should be a number that isn't negative");
    *out = item->valuedouble;
    return true;
}

static bool take_alone(reading *r, const cJSON *item, entry *at)
{
    at->other = ALONE;
    return take_speed(r, item, &at->speeds[0]);
}

static bool take_shared(reading *r, const cJSON *item, entry *at)
{
    at->other = job_named(r->table, item->string);
    if (at->other < 0)
        return wrong(r, ORR_E_SYNTAX, "a job is named like ('model', 1)");
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
        return wrong(r, ORR_E_SYNTAX, "two jobs side by side have a list of two speeds");
    return take_speed(r, cJSON_GetArrayItem(item, 0), &at->speeds[0]) &&
           take_speed(r, cJSON_GetArrayItem(item, 1), &at->speeds[1]);
}

static bool take_job(reading *r, const cJSON *object, int32_t type)
{
    r->job = object->string;
    r->other = NULL;
    const int32_t job = job_named(r->table, object->string);
    if (job < 0)
        return wrong(r, ORR_E_SYNTAX, "a job is named like ('model', 1)");
    if (!cJSON_IsObject(object))
        return wrong(r, ORR_E_SYNTAX, "a job should have an object of speeds");
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        entry at = {.type = type, .job = job};
        r->other = item->string;
        if (!(strcmp(item->string, "null") == 0 ? take_alone(r, item, &at) : take_shared(r, item, &at)))
            return false;
        ORR_VEC_PUSH(&r->table->entries, at);
    }
    return true;
}

static bool take_type(reading *r, const cJSON *object)
{
    r->type = object->string;
    r->job = r->other = NULL;
    const uint32_t before = orr_names_count(r->table->types);
    const uint32_t type = orr_names_id(r->table->types, object->string, strlen(object->string));
    if (type < before)
        return wrong(r, ORR_E_SYNTAX, "the type stands twice");
    if (!cJSON_IsObject(object))
        return wrong(r, ORR_E_SYNTAX, "a type should have an object of jobs");
    const cJSON *job;
    cJSON_ArrayForEach(job, object)
        if (!take_job(r, job, (int32_t)type))
            return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

/* Sorts the entries; two of one name have no order that would choose between them. */
static bool settle(const reading *r)
{
    const orr_throughputs *t = r->table;
    if (t->entries.n == 0) {
        orr_error_set(r->e, ORR_E_EMPTY, "the table holds no throughputs");
        return false;
    }
    qsort(t->entries.at, t->entries.n, sizeof *t->entries.at, compare);
    for (size_t i = 1; i < t->entries.n; i++)
        if (compare(&t->entries.at[i - 1], &t->entries.at[i]) == 0) {
            const entry *twice = &t->entries.at[i];
            const reading place = {.e = r->e, .type = orr_names_text(t->types, (uint32_t)twice->type),
                                   .job = orr_names_text(t->jobs, (uint32_t)twice->job)};
            return wrong(&place, ORR_E_SYNTAX, "an entry stands twice");
        }
    return true;
}

static bool take_all(reading *r, const cJSON *root)
{
    if (!cJSON_IsObject(root)) {
        orr_error_set(r->e, ORR_E_SYNTAX, "a throughput table is an object: GPU type, job, steps per second");
        return false;
    }
    const cJSON *type;
    cJSON_ArrayForEach(type, root)
        if (!take_type(r, type))
            return false;
    return settle(r);
}

static void broken_json(const char *text, const char *stopped, const char *file, orr_error *e)
{
    int line = 1;
    const char *begin = text;
    for (const char *at = text; at < stopped; at++)
        if (*at == '\n') {
            line++;
            begin = at + 1;
        }
    orr_error_set(e, ORR_E_SYNTAX, "the throughput table is not valid JSON");
    orr_error_at(e, file, line, (int)(stopped - begin) + 1);
    orr_error_text(e, stopped, strcspn(stopped, "\n") < 60 ? strcspn(stopped, "\n") : 60);
}

static bool parse(orr_throughputs *table, const char *text, size_t n, const char *file, orr_error *e)
{
    const char *stopped = text;
    reading r = {.table = table, .e = e};
    cJSON *root = cJSON_ParseWithLengthOpts(text, n + 1, &stopped, true);
    if (!root) {
        broken_json(text, stopped ? stopped : text, file, e);
        return false;
    }
    const bool good = take_all(&r, root);
    cJSON_Delete(root);
    return good;
}

static bool read_text(orr_throughputs *table, orr_input *in, orr_error *e)
{
    char *text = NULL;
    size_t n = 0;
    if (orr_input_all(in, &text, &n, e))
        return false;
    bool good = orr_utf8_valid(text, n) && !memchr(text, 0, n);
    if (!good)
        orr_error_set(e, ORR_E_ENCODING, "the throughput table is not UTF-8");
    good = good && parse(table, text, n, orr_input_name(in), e);
    free(text);
    return good;
}

orr_throughputs *orr_throughputs_read(orr_input *in, orr_error *e)
{
    orr_throughputs *table = orr_xcalloc(1, sizeof *table);
    table->types = orr_names_create();
    table->jobs = orr_names_create();
    if (read_text(table, in, e))
        return table;
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_throughputs_destroy(table);
    return NULL;
}

void orr_throughputs_destroy(orr_throughputs *table)
{
    if (!table)
        return;
    orr_names_destroy(table->types);
    orr_names_destroy(table->jobs);
    ORR_VEC_FREE(&table->gpus);
    ORR_VEC_FREE(&table->entries);
    free(table);
}

/* ---- asking ---- */

int32_t orr_throughputs_types(const orr_throughputs *table)
{
    return (int32_t)orr_names_count(table->types);
}

const char *orr_throughputs_type_name(const orr_throughputs *table, int32_t type)
{
    return orr_names_text(table->types, (uint32_t)type);
}

int32_t orr_throughputs_jobs(const orr_throughputs *table)
{
    return (int32_t)orr_names_count(table->jobs);
}

const char *orr_throughputs_model(const orr_throughputs *table, int32_t job, int64_t *gpus)
{
    *gpus = table->gpus.at[job];
    return strchr(orr_names_text(table->jobs, (uint32_t)job), ' ') + 1;
}

int32_t orr_throughputs_type(const orr_throughputs *table, const char *name)
{
    return (int32_t)orr_names_find(table->types, name, strlen(name));
}

int32_t orr_throughputs_job(const orr_throughputs *table, const char *model, int64_t gpus)
{
    orr_text name = {0};
    spell(&name, model, strlen(model), gpus);
    const int64_t id = orr_names_find(table->jobs, name.at, name.n);
    orr_text_fini(&name);
    return (int32_t)id;
}

static const entry *find(const orr_throughputs *table, int32_t type, int32_t job, int32_t other)
{
    const entry wanted = {.type = type, .job = job, .other = other};
    return bsearch(&wanted, table->entries.at, table->entries.n, sizeof wanted, compare);
}

double orr_throughputs_alone(const orr_throughputs *table, int32_t type, int32_t job)
{
    const entry *found = find(table, type, job, ALONE);
    return found ? found->speeds[0] : -1;
}

bool orr_throughputs_pair(const orr_throughputs *table, int32_t type, int32_t job, int32_t other, double speeds[2])
{
    const entry *found = other < 0 ? NULL : find(table, type, job, other);
    if (found)
        memcpy(speeds, found->speeds, sizeof found->speeds);
    return found != NULL;
}
