/* Measured models as JSON, schema "orrery.synth-model/1". Numbers are written in the shortest form that reads back to
 * the same double, so that a model makes the same trace after a way through a file. What is read is checked: a model
 * edited by hand may be wrong, and then says where.
 */
#include "trace/synth_model.h"

#include "base/io.h"
#include "base/text.h"
#include "trace/store.h"

#include <cjson/cJSON.h>
#include <math.h>

#define SCHEMA "orrery.synth-model/1"
#define MOST 1e15 /* whole numbers of a model are below this */

/* ---- out ---- */

static cJSON *number_item(double v)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(v, buf);
    return cJSON_CreateRaw(buf);
}

static void put(cJSON *object, const char *key, double v)
{
    cJSON_AddItemToObject(object, key, number_item(v));
}

static void put_numbers(cJSON *object, const char *key, const double *v, size_t n)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(array, number_item(v[i]));
}

static void put_shares(cJSON *object, const char *key, const synth_share *shares, size_t n)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; i < n; i++) {
        cJSON *row = cJSON_CreateArray();
        cJSON_AddItemToArray(row, cJSON_CreateString(shares[i].text));
        cJSON_AddItemToArray(row, number_item(shares[i].weight));
        cJSON_AddItemToArray(array, row);
    }
}

static void put_rows(cJSON *document, const orr_synth_model *m)
{
    cJSON *laws = cJSON_AddArrayToObject(document, "laws");
    for (size_t i = 0; i < m->laws.n; i++) {
        cJSON *law = cJSON_CreateObject();
        put(law, "failed", m->laws.at[i].failed);
        put(law, "killed", m->laws.at[i].killed);
        put_numbers(law, "ln_seconds", m->laws.at[i].knots, SYNTH_KNOTS);
        cJSON_AddItemToArray(laws, law);
    }
    cJSON *classes = cJSON_AddArrayToObject(document, "classes");
    for (size_t i = 0; i < m->classes.n; i++) {
        const synth_class *c = &m->classes.at[i];
        cJSON *row = cJSON_CreateObject();
        put(row, "gpus", c->gpus);
        put(row, "gpu_milli", c->gpu_milli);
        put(row, "law", c->law);
        put(row, "vc", c->vc);
        put(row, "jobs", c->weight);
        cJSON_AddItemToArray(classes, row);
    }
    cJSON *paces = cJSON_AddArrayToObject(document, "paces");
    for (int32_t i = 0; i < m->pace_count; i++) {
        cJSON *row = cJSON_CreateObject();
        put(row, "rate", m->paces[i].rate);
        put_numbers(row, "gaps", m->paces[i].gaps, SYNTH_KNOTS);
        cJSON_AddItemToArray(paces, row);
    }
    cJSON *people = cJSON_AddArrayToObject(document, "people");
    for (size_t i = 0; i < m->people.n; i++) {
        cJSON *row = cJSON_CreateObject();
        put(row, "vc", m->people.at[i].vc);
        put(row, "jobs", m->people.at[i].weight);
        cJSON_AddItemToArray(people, row);
    }
}

static cJSON *document_of(const orr_synth_model *m)
{
    cJSON *d = cJSON_CreateObject();
    cJSON_AddStringToObject(d, "schema", SCHEMA);
    cJSON_AddStringToObject(d, "origin", m->origin);
    put(d, "jobs", (double)m->jobs);
    put(d, "span", (double)m->span);
    put(d, "first", (double)m->first);
    put(d, "phase", (double)m->phase);
    put(d, "longest", m->longest);
    put(d, "names_a_user", m->names_a_user);
    put(d, "names_by_size", m->names_by_size);
    put(d, "recurrence", m->recurrence);
    put_shares(d, "vcs", m->vcs.at, m->vcs.n);
    put_shares(d, "gpu_types", m->types.at, m->types.n);
    put_shares(d, "models", m->models.at, m->models.n);
    put_numbers(d, "week", m->week, SYNTH_WEEK);
    put_numbers(d, "days", m->days.at, m->days.n);
    put_rows(d, m);
    return d;
}

orr_err orr_synth_model_write(const orr_synth_model *m, const char *path, orr_error *e)
{
    if (!m->measured)
        return orr_error_set(e, ORR_E_BAD_VALUE, "only a measured model can be written");
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return e ? e->code : ORR_E_CREATE;
    cJSON *document = document_of(m);
    char *text = cJSON_PrintUnformatted(document);
    cJSON_Delete(document);
    if (!text)
        orr_out_of_memory(0);
    orr_output_text(out, text);
    orr_output_text(out, "\n");
    cJSON_free(text);
    return orr_output_commit(out, e);
}

/* ---- in: the first thing wrong is remembered by its name ---- */

typedef struct reading {
    orr_synth_model *m;
    const char *wrong; /* NULL so far */
} reading;

static void demand(reading *r, bool holds, const char *what)
{
    if (!holds && !r->wrong)
        r->wrong = what;
}

static double number(reading *r, const cJSON *object, const char *key, double low, double high)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    const bool fits = cJSON_IsNumber(item) && item->valuedouble >= low && item->valuedouble <= high;
    demand(r, fits, key);
    return fits ? item->valuedouble : low;
}

static const cJSON *list(reading *r, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    demand(r, cJSON_IsArray(item), key);
    return cJSON_IsArray(item) ? item : NULL;
}

/* Numbers from `low` on into `out`, as many as there should be; rising: none below the one before. */
static void numbers(reading *r, const cJSON *object, const char *key, double *out, int n, double low, bool rising)
{
    const cJSON *array = list(r, object, key), *item = array ? array->child : NULL;
    demand(r, cJSON_GetArraySize(array) == n, key);
    for (int i = 0; i < n && item && !r->wrong; i++, item = item->next) {
        demand(r, cJSON_IsNumber(item) && item->valuedouble >= low && item->valuedouble <= MOST, key);
        demand(r, !rising || i == 0 || item->valuedouble >= out[i - 1], key);
        out[i] = item->valuedouble;
    }
}

static double *table(reading *r, const cJSON *object, const char *key, double low)
{
    double *out = orr_arena_alloc(&r->m->arena, SYNTH_KNOTS * sizeof *out);
    numbers(r, object, key, out, SYNTH_KNOTS, low, true);
    return out;
}

static size_t shares(reading *r, const cJSON *document, const char *key, synth_share **out)
{
    ORR_VEC(synth_share) found = {0};
    const cJSON *array = list(r, document, key);
    for (const cJSON *row = array ? array->child : NULL; row && !r->wrong; row = row->next) {
        const cJSON *text = cJSON_GetArrayItem(row, 0), *weight = cJSON_GetArrayItem(row, 1);
        const bool fits = cJSON_IsString(text) && cJSON_IsNumber(weight) && weight->valuedouble >= 0;
        demand(r, fits, key);
        if (fits)
            ORR_VEC_PUSH(&found, ((synth_share){orr_synth_keep(r->m, text->valuestring), weight->valuedouble}));
    }
    *out = found.at;
    return found.n;
}

static void read_days(reading *r, const cJSON *document)
{
    const int n = cJSON_GetArraySize(list(r, document, "days"));
    demand(r, n > 0, "days");
    ORR_VEC_RESERVE(&r->m->days, (size_t)n + 1);
    r->m->days.n = (size_t)n;
    numbers(r, document, "days", r->m->days.at, n, 0, false);
}

static void read_laws(reading *r, const cJSON *document)
{
    const cJSON *array = list(r, document, "laws");
    for (const cJSON *row = array ? array->child : NULL; row && !r->wrong; row = row->next) {
        synth_law law = {.failed = number(r, row, "failed", 0, 1), .killed = number(r, row, "killed", 0, 1)};
        law.knots = table(r, row, "ln_seconds", -1);
        ORR_VEC_PUSH(&r->m->laws, law);
    }
}

static void read_classes(reading *r, const cJSON *document)
{
    const cJSON *array = list(r, document, "classes");
    const double laws = (double)r->m->laws.n, vcs = (double)r->m->vcs.n;
    double all = 0;
    for (const cJSON *row = array ? array->child : NULL; row && !r->wrong; row = row->next) {
        const synth_class c = {
            .gpus = (int32_t)number(r, row, "gpus", 0, ORR_TRACE_GPUS_LIMIT),
            .gpu_milli = (int32_t)number(r, row, "gpu_milli", 1, 1000),
            .law = (int32_t)number(r, row, "law", 0, laws - 1),
            .vc = (int32_t)number(r, row, "vc", -1, vcs - 1),
            .weight = number(r, row, "jobs", 0, MOST),
        };
        all += c.weight;
        orr_synth_add_class(r->m, c);
    }
    demand(r, all > 0, "classes");
}

static void read_people(reading *r, const cJSON *document)
{
    const cJSON *array = list(r, document, "people");
    int32_t before = -1;
    for (const cJSON *row = array ? array->child : NULL; row && !r->wrong; row = row->next) {
        const int32_t vc = (int32_t)number(r, row, "vc", -1, (double)r->m->vcs.n - 1);
        demand(r, vc >= before, "people"); /* by VC */
        ORR_VEC_PUSH(&r->m->people, ((synth_person){vc, number(r, row, "jobs", 0, MOST)}));
        before = vc;
    }
}

static void read_paces(reading *r, const cJSON *document)
{
    const cJSON *array = list(r, document, "paces");
    const int n = cJSON_GetArraySize(array);
    demand(r, n > 0 && n <= SYNTH_PACES, "paces");
    for (const cJSON *row = array ? array->child : NULL; row && !r->wrong; row = row->next) {
        synth_pace *pace = &r->m->paces[r->m->pace_count++];
        pace->rate = number(r, row, "rate", 0, MOST);
        pace->gaps = table(r, row, "gaps", 0);
    }
}

static void read_origin(reading *r, const cJSON *document)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(document, "origin");
    orr_civil civil;
    demand(r, cJSON_IsString(text) && strlen(text->valuestring) < ORR_CIVIL_BUF, "origin");
    if (r->wrong || !text->valuestring[0])
        return;
    demand(r, !orr_civil_parse(text->valuestring, strlen(text->valuestring), &civil), "origin");
    strcpy(r->m->origin, text->valuestring);
}

static void read_document(reading *r, const cJSON *d)
{
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(d, "schema");
    demand(r, cJSON_IsString(schema) && strcmp(schema->valuestring, SCHEMA) == 0, "schema");
    if (r->wrong)
        return;
    orr_synth_model *m = r->m;
    m->measured = true;
    m->jobs = (int64_t)number(r, d, "jobs", 1, 1e9);
    m->span = (int64_t)number(r, d, "span", 1, 4.5e9);
    m->first = (int64_t)number(r, d, "first", 0, 4.5e9);
    m->phase = (int64_t)number(r, d, "phase", 0, SYNTH_WEEK * 3600 - 1);
    m->longest = number(r, d, "longest", 1, 4.5e9);
    m->gap = (double)m->span / (double)m->jobs;
    m->names_a_user = (int32_t)number(r, d, "names_a_user", 0, 1e9);
    m->names_by_size = (int32_t)number(r, d, "names_by_size", 1, 64);
    m->recurrence = number(r, d, "recurrence", 0, 1);
    read_origin(r, d);
    m->vcs.n = shares(r, d, "vcs", &m->vcs.at);
    m->types.n = shares(r, d, "gpu_types", &m->types.at);
    m->models.n = shares(r, d, "models", &m->models.at);
    numbers(r, d, "week", m->week, SYNTH_WEEK, 0, false);
    read_paces(r, d);
    read_days(r, d);
    read_laws(r, d);
    read_classes(r, d);
    read_people(r, d);
}

static uint32_t line_of(const char *data, const char *at)
{
    uint32_t line = 1;
    for (; data < at; data++)
        line += *data == '\n';
    return line;
}

orr_synth_model *orr_synth_model_parse(const char *path, const char *data, size_t size, orr_error *e)
{
    const char *end = data;
    cJSON *document = cJSON_ParseWithLengthOpts(data, size + 1, &end, true);
    if (!document) {
        orr_error_set(e, ORR_E_SYNTAX, "this is no JSON document");
        orr_error_at(e, path, line_of(data, end), 0);
        return NULL;
    }
    reading r = {.m = orr_synth_model_create("fit", "measured in a trace")};
    read_document(&r, document);
    cJSON_Delete(document);
    if (!r.wrong)
        return r.m;
    orr_error_set(e, ORR_E_FORMAT, "`%s` is missing, or not what a measured model has there", r.wrong);
    orr_error_at(e, path, 0, 0);
    orr_error_hint(e, "models are written by `orrery synth --fit TRACE --save-model FILE`");
    orr_synth_model_destroy(r.m);
    return NULL;
}

orr_synth_model *orr_synth_model_read(const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size;
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    orr_synth_model *m = orr_input_all(in, &data, &size, e) ? NULL : orr_synth_model_parse(path, data, size, e);
    free(data);
    orr_input_close(in);
    return m;
}
