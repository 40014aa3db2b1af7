/* A JSON object: GPU type -> job -> "null" or another job -> steps/s. A job is named by a Python pair as text,
 * `('ResNet-18 (batch size 16)', 1)`: the model and the GPUs of the gang; a plain text is a model on one GPU. Under
 * "null" stands the speed alone, a number; under another job a list of two, the own speed and the other's. Speeds of
 * gangs that are spread over nodes stand under the type X_unconsolidated. */
#include "model/throughputs.h"

#include "base/mem.h"
#include "base/text.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

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

/* The number of a job, added if it is new; -1 if its name makes no sense. */
static int32_t job_named(orr_throughputs *t, const char *text)
{
    const char *model = text;
    size_t n = strlen(text);
    int64_t gpus = 1;
    if (n == 0 || (text[0] == '(' && !split_pair(text, &model, &n, &gpus)))
        return -1;
    return orr_throughputs_add_job(t, model, n, gpus);
}

/* ---- the tree ---- */

typedef struct reading {
    orr_throughputs *table;
    orr_error *e;
    const char *type, *job, *other; /* where we are */
    int32_t number;                 /* of the type */
    bool spread;
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

static bool take_alone(const reading *r, const cJSON *item, int32_t job)
{
    double speed;
    if (!take_speed(r, item, &speed))
        return false;
    orr_throughputs_add(r->table, r->number, r->spread, job, speed, 0);
    return true;
}

static bool take_shared(const reading *r, const cJSON *item, int32_t job)
{
    double speeds[2];
    const int32_t other = job_named(r->table, item->string);
    if (other < 0)
        return wrong(r, ORR_E_SYNTAX, "a job is named like ('model', 1)");
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
        return wrong(r, ORR_E_SYNTAX, "two jobs side by side have a list of two speeds");
    if (!take_speed(r, cJSON_GetArrayItem(item, 0), &speeds[0]) || !take_speed(r, cJSON_GetArrayItem(item, 1), &speeds[1]))
        return false;
    orr_throughputs_add_pair(r->table, r->number, r->spread, job, other, speeds, 0);
    return true;
}

static bool take_job(reading *r, const cJSON *object)
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
        r->other = item->string;
        if (!(strcmp(item->string, "null") == 0 ? take_alone : take_shared)(r, item, job))
            return false;
    }
    return true;
}

static bool take_type(reading *r, const cJSON *object)
{
    r->type = object->string;
    r->job = r->other = NULL;
    r->number = orr_throughputs_add_type(r->table, object->string, &r->spread);
    if (!cJSON_IsObject(object))
        return wrong(r, ORR_E_SYNTAX, "a type should have an object of jobs");
    const cJSON *job;
    cJSON_ArrayForEach(job, object)
        if (!take_job(r, job))
            return false;
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
    return true;
}

/* ---- the text ---- */

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

orr_err orr_throughputs_read_json(orr_throughputs *table, orr_input *in, orr_error *e)
{
    char *text = NULL;
    size_t n = 0;
    orr_error own = {0};
    if (!orr_input_all(in, &text, &n, &own)) {
        if (!orr_utf8_valid(text, n) || memchr(text, 0, n))
            orr_error_set(&own, ORR_E_ENCODING, "the throughput table is not UTF-8");
        else
            parse(table, text, n, orr_input_name(in), &own);
    }
    free(text);
    if (own.code && e)
        *e = own;
    return own.code;
}
