/* The folder is opened by its two documents; a table is opened when it is walked. */
#define _POSIX_C_SOURCE 200809L
#include "report/result.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/result_columns.h"
#include <unistd.h>

struct orr_result {
    char *dir, *name;
    cJSON *summary, *manifest;
};

static void path_in(const char *dir, const char *file, orr_text *path)
{
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s", dir, file);
}

bool orr_result_is(const char *dir)
{
    orr_text path = {0};
    path_in(dir, "summary.json", &path);
    const bool there = access(path.at, F_OK) == 0;
    orr_text_fini(&path);
    return there;
}

/* ---- the documents ---- */

static orr_err not_ours(const char *path, const char *schema, orr_error *e)
{
    orr_error_set(e, ORR_E_FORMAT, "this is no document of the schema %s", schema);
    orr_error_at(e, path, 0, 0);
    return ORR_E_FORMAT;
}

/* "orrery.summary/1": the number after the name is the version, and older ones are read. */
static orr_err check_schema(const cJSON *document, const char *path, const char *schema, uint64_t newest, orr_error *e)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, "schema");
    const size_t n = strlen(schema);
    uint64_t version;
    if (!cJSON_IsString(item) || strncmp(item->valuestring, schema, n) != 0 || item->valuestring[n] != '/' ||
        !orr_parse_u64(item->valuestring + n + 1, strlen(item->valuestring + n + 1), &version))
        return not_ours(path, schema, e);
    if (version <= newest)
        return ORR_OK;
    orr_error_set(e, ORR_E_VERSION, "this program knows %s up to version %llu", schema, (unsigned long long)newest);
    orr_error_at(e, path, 0, 0);
    orr_error_text(e, item->valuestring, strlen(item->valuestring));
    return ORR_E_VERSION;
}

static cJSON *read_document(const char *dir, const char *file, const char *schema, orr_error *e)
{
    orr_text path = {0};
    char *text = NULL;
    size_t n = 0;
    cJSON *document = NULL;
    path_in(dir, file, &path);
    orr_input *in = orr_input_open(path.at, e);
    if (in && !orr_input_all(in, &text, &n, e)) {
        document = cJSON_ParseWithLength(text, n);
        if (!document)
            not_ours(path.at, schema, e);
    }
    if (document && check_schema(document, path.at, schema, 1, e)) {
        cJSON_Delete(document);
        document = NULL;
    }
    free(text);
    orr_input_close(in);
    orr_text_fini(&path);
    return document;
}

orr_result *orr_result_open(const char *dir, orr_error *e)
{
    orr_error own = {0};
    orr_result *r = orr_xcalloc(1, sizeof *r);
    r->dir = orr_xstrdup(dir);
    r->name = orr_xstrdup(dir);
    r->summary = read_document(dir, "summary.json", "orrery.summary", &own);
    if (r->summary)
        r->manifest = read_document(dir, "manifest.json", "orrery.manifest", &own);
    if (r->manifest)
        return r;
    if (own.code == ORR_E_OPEN)
        orr_error_hint(&own, "a result is a folder that `orrery run -o` made");
    if (e && !e->code)
        *e = own;
    orr_result_close(r);
    return NULL;
}

void orr_result_close(orr_result *r)
{
    if (!r)
        return;
    cJSON_Delete(r->summary);
    cJSON_Delete(r->manifest);
    free(r->dir);
    free(r->name);
    free(r);
}

const char *orr_result_dir(const orr_result *r)
{
    return r->dir;
}

const char *orr_result_name(const orr_result *r)
{
    return r->name;
}

void orr_result_rename(orr_result *r, const char *name)
{
    char *copy = orr_xstrdup(name);
    free(r->name);
    r->name = copy;
}

const cJSON *orr_result_summary(const orr_result *r)
{
    return r->summary;
}

const cJSON *orr_result_manifest(const orr_result *r)
{
    return r->manifest;
}

const char *orr_result_text(const orr_result *r, const char *path)
{
    const cJSON *at = r->summary;
    while (at && *path) {
        char name[64];
        const size_t n = strcspn(path, ".");
        if (n >= sizeof name)
            return "";
        memcpy(name, path, n);
        name[n] = '\0';
        at = cJSON_GetObjectItemCaseSensitive(at, name);
        path += n + (path[n] == '.');
    }
    return cJSON_IsString(at) ? at->valuestring : "";
}

const char *orr_result_policy(const orr_result *r)
{
    const char *asked = orr_result_text(r, "policy.asked"), *label = orr_result_text(r, "serving.label");
    if (*label) /* of a run that served requests: how that was done is part of it */
        return label;
    return *asked ? asked : "fifo";
}

/* ---- the tables ---- */

#define JOB(name, type, needed)                                                                                        \
    {                                                                                                                  \
#name, ORR_ROWSET_##type, offsetof(orr_result_job, name), needed                                               \
    }
#define HOLD(name, type, needed)                                                                                       \
    {                                                                                                                  \
#name, ORR_ROWSET_##type, offsetof(orr_result_hold, name), needed                                              \
    }
#define LEVEL(name, type)                                                                                              \
    {                                                                                                                  \
#name, ORR_ROWSET_##type, offsetof(orr_result_level, name), true                                               \
    }

/* In the order in which they are written. */
const orr_rowset_column orr_result_job_columns[] = {
    {"job_id", ORR_ROWSET_TEXT, offsetof(orr_result_job, id), true},
    JOB(user, TEXT, false),
    JOB(vc, TEXT, false),
    JOB(gpus, SMALL, true),
    JOB(submit, TIME, true),
    JOB(first_start, TIME, false),
    JOB(end, TIME, false),
    JOB(state, TEXT, true),
    JOB(reason, TEXT, false),
    JOB(jct, TIME, true),
    JOB(wait_first, TIME, false),
    JOB(wait_total, TIME, false),
    JOB(duration, TIME, true),
    JOB(held, TIME, false),
    JOB(service, REAL, false),
    JOB(overhead, REAL, false),
    JOB(lost_work, REAL, false),
    JOB(starts, INT, false),
    JOB(preemptions, INT, false),
    JOB(migrations, INT, false),
    JOB(resizes, INT, false),
    JOB(attempts, INT, false),
    JOB(slowdown, REAL, false),
    JOB(rho, REAL, false),
    JOB(deadline, TIME, false),
    JOB(measured, FLAG, true),
    JOB(gpu_milli, INT, false),
    JOB(interruptions, INT, false),
    {0},
};

const orr_rowset_column orr_result_hold_columns[] = {
    {"job_id", ORR_ROWSET_TEXT, offsetof(orr_result_hold, id), true},
    HOLD(attempt, INT, true),
    HOLD(start, TIME, true),
    HOLD(end, TIME, true),
    HOLD(gpus, SMALL, true),
    HOLD(allocation, TEXT, true),
    HOLD(nodes, SMALL, true),
    HOLD(reason, TEXT, true),
    HOLD(overhead, TIME, false),
    {0},
};

const orr_rowset_column orr_result_level_columns[] = {
    LEVEL(t, TIME), LEVEL(entity, TEXT), LEVEL(metric, TEXT), LEVEL(value, REAL), {0},
};

const orr_rowset_column orr_result_latency_columns[] = {
    {"service", ORR_ROWSET_TEXT, offsetof(orr_result_latency, service), true},
    {"share", ORR_ROWSET_REAL, offsetof(orr_result_latency, share), true},
    {"latency", ORR_ROWSET_REAL, offsetof(orr_result_latency, latency), true},
    {"latency_all", ORR_ROWSET_REAL, offsetof(orr_result_latency, latency_all), true},
    {0},
};

static bool has_table(const orr_result *r, const char *file)
{
    orr_text path = {0};
    path_in(r->dir, file, &path);
    const bool there = access(path.at, F_OK) == 0;
    orr_text_fini(&path);
    return there;
}

static orr_rowset *open_table(const orr_result *r, const char *file, const orr_rowset_column *columns, orr_error *e)
{
    orr_text path = {0};
    path_in(r->dir, file, &path);
    orr_rowset *reader = orr_rowset_open(path.at, columns, e);
    orr_text_fini(&path);
    return reader;
}

/* Its column stands only where it says anything. */
static void complete(orr_result_job *row)
{
    row->gpu_milli = row->gpu_milli > 0 ? row->gpu_milli : 1000;
}

/* `failed` serves whoever passed no error of its own. */
static orr_err failed(const orr_error *e)
{
    return e && e->code ? e->code : ORR_E_OPEN;
}

orr_err orr_result_jobs(const orr_result *r, bool (*each)(void *self, const orr_result_job *job), void *self,
                        orr_error *e)
{
    orr_rowset *reader = open_table(r, "jobs.csv", orr_result_job_columns, e);
    orr_result_job row;
    bool more = reader != NULL;
    orr_err err = reader ? ORR_OK : failed(e);
    while (more && !(err = orr_rowset_next(reader, &row, &more, e)) && more) {
        complete(&row);
        more = each(self, &row);
    }
    orr_rowset_close(reader);
    return err;
}

orr_err orr_result_holds(const orr_result *r, bool (*each)(void *self, const orr_result_hold *hold), void *self,
                         orr_error *e)
{
    orr_rowset *reader = open_table(r, "attempts.csv", orr_result_hold_columns, e);
    orr_result_hold row;
    bool more = reader != NULL;
    orr_err err = reader ? ORR_OK : failed(e);
    while (more && !(err = orr_rowset_next(reader, &row, &more, e)) && more)
        more = each(self, &row);
    orr_rowset_close(reader);
    return err;
}

static orr_err levels_of(const orr_result *r, const char *file,
                         bool (*each)(void *self, const orr_result_level *level), void *self, orr_error *e)
{
    orr_rowset *reader = open_table(r, file, orr_result_level_columns, e);
    orr_result_level row;
    bool more = reader != NULL;
    orr_err err = reader ? ORR_OK : failed(e);
    while (more && !(err = orr_rowset_next(reader, &row, &more, e)) && more)
        more = each(self, &row);
    orr_rowset_close(reader);
    return err;
}

orr_err orr_result_levels(const orr_result *r, bool (*each)(void *self, const orr_result_level *level), void *self,
                          orr_error *e)
{
    return levels_of(r, "timeline.csv", each, self, e);
}

orr_err orr_result_serving_levels(const orr_result *r, bool (*each)(void *self, const orr_result_level *level),
                                  void *self, orr_error *e)
{
    return has_table(r, "serving.csv") ? levels_of(r, "serving.csv", each, self, e) : ORR_OK;
}

orr_err orr_result_latencies(const orr_result *r, bool (*each)(void *self, const orr_result_latency *row), void *self,
                             orr_error *e)
{
    if (!has_table(r, "latencies.csv"))
        return ORR_OK;
    orr_rowset *reader = open_table(r, "latencies.csv", orr_result_latency_columns, e);
    orr_result_latency row;
    bool more = reader != NULL;
    orr_err err = reader ? ORR_OK : failed(e);
    while (more && !(err = orr_rowset_next(reader, &row, &more, e)) && more)
        more = each(self, &row);
    orr_rowset_close(reader);
    return err;
}

/* ---- one at a time ---- */

struct orr_result_walk {
    orr_rowset *reader;
    orr_result_job row;
};

orr_result_walk *orr_result_walk_begin(const orr_result *r, orr_error *e)
{
    orr_rowset *reader = open_table(r, "jobs.csv", orr_result_job_columns, e);
    if (!reader)
        return NULL;
    orr_result_walk *walk = orr_xcalloc(1, sizeof *walk);
    walk->reader = reader;
    return walk;
}

orr_err orr_result_walk_next(orr_result_walk *walk, const orr_result_job **job, orr_error *e)
{
    bool more = false;
    const orr_err err = orr_rowset_next(walk->reader, &walk->row, &more, e);
    complete(&walk->row);
    *job = more && !err ? &walk->row : NULL;
    return err;
}

void orr_result_walk_end(orr_result_walk *walk)
{
    if (!walk)
        return;
    orr_rowset_close(walk->reader);
    free(walk);
}

/* ---- allocations: "0:0-3;2:5+7;3:1@250" ---- */

static bool take_number(const char **at, int64_t most, int64_t *out)
{
    const char *from = *at;
    while (**at >= '0' && **at <= '9')
        ++*at;
    return *at > from && orr_parse_i64(from, (size_t)(*at - from), out) && *out <= most;
}

static bool take_run(const char **at, uint64_t *gpus)
{
    int64_t low, high;
    if (!take_number(at, 63, &low))
        return false;
    high = low;
    if (**at == '-' && (++*at, !take_number(at, 63, &high)))
        return false;
    for (int64_t i = low; i <= high; i++)
        *gpus |= UINT64_C(1) << i;
    return low <= high;
}

static bool take_share(const char **at, int32_t *milli)
{
    int64_t number;
    if (**at != '@')
        return true;
    ++*at;
    if (!take_number(at, 1000, &number))
        return false;
    *milli = (int32_t)number;
    return number > 0;
}

bool orr_result_slice(const char **at, orr_result_share *share)
{
    const char *p = *at;
    int64_t number;
    *share = (orr_result_share){.milli = 1000};
    if (!take_number(&p, INT32_MAX, &number) || *p++ != ':')
        return false;
    share->node = (int32_t)number;
    if (*p && *p != ';') { /* a job without GPUs holds cores of the node only */
        bool more = take_run(&p, &share->gpus);
        while (more && *p == '+')
            more = (p++, take_run(&p, &share->gpus));
        if (!more || !take_share(&p, &share->milli))
            return false;
    }
    if (*p != '\0' && *p != ';')
        return false;
    *at = p + (*p == ';');
    return true;
}
