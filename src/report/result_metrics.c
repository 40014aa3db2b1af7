/* The numbers of a summary by their keys: the document is walked, since some keys depend on the cluster. */
#include "report/result.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/keys.h"
#include <math.h>
#include <string.h>

static bool number_of(const cJSON *item, double *value)
{
    if (!cJSON_IsNumber(item) && !cJSON_IsNull(item))
        return false;
    *value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    return true;
}

/* "jct.mean" is a member of the member "jct"; a name may itself hold dots, so each of them is tried. */
static bool metric_in(const cJSON *object, const char *key, double *value)
{
    if (number_of(cJSON_GetObjectItemCaseSensitive(object, key), value))
        return true;
    for (const char *dot = strchr(key, '.'); dot; dot = strchr(dot + 1, '.')) {
        char *head = orr_xstrndup(key, (size_t)(dot - key));
        const cJSON *group = cJSON_GetObjectItemCaseSensitive(object, head);
        free(head);
        if (cJSON_IsObject(group) && number_of(cJSON_GetObjectItemCaseSensitive(group, dot + 1), value))
            return true;
    }
    return false;
}

bool orr_result_metric(const orr_result *r, const char *key, double *value)
{
    const cJSON *summary = orr_result_summary(r), *metrics = cJSON_GetObjectItemCaseSensitive(summary, "metrics");
    if (strcmp(key, "measured") == 0)
        return metric_in(summary, "measured.n", value);
    if (strncmp(key, "jobs.", 5) == 0)
        return metric_in(summary, key, value);
    if (metric_in(metrics, key, value))
        return true;
    if (number_of(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(metrics, "custom"), key), value))
        return true;
    char full[64];
    orr_metric_full(key, full, sizeof full);
    return strcmp(full, key) != 0 && metric_in(metrics, full, value);
}

/* ---- all of them ---- */

typedef struct walk {
    void (*each)(void *self, const char *key, double value, const char *unit);
    void *self;
} walk;

typedef struct sought {
    const char *key, *unit;
} sought;

static void match(void *self, const char *key, double value, const char *unit)
{
    sought *s = self;
    (void)value;
    if (strcmp(key, s->key) == 0)
        s->unit = unit;
}

static const char *known_unit(const char *key)
{
    static const orr_metrics none;
    sought s = {key, NULL};
    orr_metrics_each(&none, match, &s);
    return s.unit;
}

/* What is told for each GPU type ("load:V100") has the unit of the whole. */
static const char *unit_of(const char *key)
{
    const char *unit = known_unit(key), *colon = strchr(key, ':');
    if (unit || !colon)
        return unit ? unit : "";
    char *whole = orr_xstrndup(key, (size_t)(colon - key));
    unit = known_unit(whole);
    free(whole);
    return unit ? unit : "";
}

static void tell(const walk *w, const char *group, const cJSON *item, const char *unit)
{
    orr_text key = {0};
    double value;
    if (!number_of(item, &value))
        return;
    orr_text_addf(&key, "%s%s%s", group ? group : "", group ? "." : "", item->string);
    w->each(w->self, key.at, value, unit ? unit : unit_of(key.at));
    orr_text_fini(&key);
}

static void tell_members(const walk *w, const char *group, const cJSON *object, const char *unit)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        tell(w, group, item, unit);
    }
}

static void tell_expressions(const walk *w, const cJSON *custom)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, custom)
    {
        orr_expr *expr = orr_expr_parse(item->string, NULL);
        tell(w, NULL, item, expr && orr_expr_is_time(expr) ? "s" : "");
        orr_expr_destroy(expr);
    }
}

void orr_result_each_metric(const orr_result *r,
                            void (*each)(void *self, const char *key, double value, const char *unit), void *self)
{
    const walk w = {each, self};
    const cJSON *summary = orr_result_summary(r), *item;
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(summary, "metrics");
    double measured;
    if (orr_result_metric(r, "measured", &measured))
        each(self, "measured", measured, "count");
    tell_members(&w, "jobs", cJSON_GetObjectItemCaseSensitive(summary, "jobs"), "count");
    cJSON_ArrayForEach(item, metrics)
    {
        if (!cJSON_IsObject(item))
            tell(&w, NULL, item, NULL);
        else if (strcmp(item->string, "custom") != 0)
            tell_members(&w, item->string, item, NULL);
    }
    tell_expressions(&w, cJSON_GetObjectItemCaseSensitive(metrics, "custom"));
}

/* ---- expressions ---- */

typedef struct source {
    const orr_result *result;
    int64_t gpus;
    void (*row)(void *to, const orr_job_row *row);
    void *to;
} source;

/* Of the VC, where the run kept several apart. */
static int64_t pool_gpus(const source *s, const char *vc)
{
    double gpus;
    const cJSON *vcs = cJSON_GetObjectItemCaseSensitive(orr_result_summary(s->result), "vcs");
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(vcs, vc), "metrics");
    return metric_in(metrics, "gpus", &gpus) && gpus > 0 ? (int64_t)gpus : s->gpus;
}

static bool pass_row(void *self, const orr_result_job *j)
{
    source *s = self;
    const orr_job_row row = {.id = j->id,
                             .user = j->user,
                             .vc = j->vc,
                             .state = j->state,
                             .reason = j->reason,
                             .gpus = j->gpus,
                             .gpu_milli = j->gpu_milli,
                             .submit = j->submit,
                             .first_start = j->first_start,
                             .end = j->end,
                             .jct = j->jct,
                             .wait_first = j->wait_first,
                             .wait_total = j->wait_total,
                             .duration = j->duration,
                             .held = j->held,
                             .deadline = j->deadline,
                             .service = j->service,
                             .overhead = j->overhead,
                             .lost_work = j->lost_work,
                             .slowdown = j->slowdown,
                             .rho = j->rho,
                             .bsld = j->jct == ORR_TIME_NONE ? NAN : orr_job_bsld(j->jct, j->duration),
                             .starts = j->starts,
                             .preemptions = j->preemptions,
                             .migrations = j->migrations,
                             .resizes = j->resizes,
                             .attempts = j->attempts,
                             .interruptions = j->interruptions,
                             .pool_gpus = pool_gpus(s, j->vc),
                             .submitted = strcmp(j->state, "pending") != 0,
                             .measured = j->measured};
    s->row(s->to, &row);
    return true;
}

static orr_err each_row(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e)
{
    source *s = self;
    s->row = row;
    s->to = to;
    return orr_result_jobs(s->result, pass_row, s, e);
}

static bool key_value(void *self, const char *key, double *value)
{
    const source *s = self;
    return orr_result_metric(s->result, key, value);
}

orr_err orr_result_values(const orr_result *r, const orr_expr *const *list, size_t n, double *values, orr_error *e)
{
    double gpus = 0;
    const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "cluster");
    number_of(cJSON_GetObjectItemCaseSensitive(cluster, "gpus"), &gpus);
    source s = {.result = r, .gpus = gpus > 0 ? (int64_t)gpus : 0};
    return orr_expr_values(list, n, &(orr_expr_source){&s, each_row, key_value}, values, e);
}
