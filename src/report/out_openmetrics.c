/* Families come in the order of the summary; within one, the whole cluster first, then its VCs, since the samples of a
 * family must stand together. A distribution is a summary (quantiles, sum, count) and two gauges for what a summary
 * has no place for, its mean and its maximum. */
#include "base/io.h"
#include "base/mem.h"
#include "report/openmetrics.h"
#include "report/out.h"

#include <math.h>
#include <stdio.h>

typedef struct page {
    const orr_result *result;
    orr_text out;
    orr_text labels; /* policy, trace, cluster */
} page;

static double number_at(const cJSON *metrics, const char *group, const char *part)
{
    const cJSON *object = *group ? cJSON_GetObjectItemCaseSensitive(metrics, group) : metrics;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, part);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* `suffix` follows the family's name; `extra` is a label more, or "". */
static void put_sample(page *p, const char *name, const char *suffix, const char *extra, const char *vc, double value)
{
    char number[ORR_DOUBLE_BUF];
    if (isnan(value))
        return;
    orr_format_double(value, number);
    orr_text_addf(&p->out, "%s%s{%s", name, suffix, p->labels.at);
    if (vc) {
        orr_text_addf(&p->out, ",");
        orr_openmetrics_label("vc", vc, &p->out);
    }
    orr_text_addf(&p->out, "%s%s} %s\n", *extra ? "," : "", extra, number);
}

/* What holds the metrics of the whole (vc NULL) or of a VC. */
typedef void put_fn(page *p, const cJSON *metrics, const char *vc, const char *name, const char *group,
                    const char *part);

static void for_each_pool(page *p, put_fn *put, const char *name, const char *group, const char *part)
{
    const cJSON *summary = orr_result_summary(p->result), *vc;
    put(p, cJSON_GetObjectItemCaseSensitive(summary, "metrics"), NULL, name, group, part);
    cJSON_ArrayForEach(vc, cJSON_GetObjectItemCaseSensitive(summary, "vcs"))
    {
        put(p, cJSON_GetObjectItemCaseSensitive(vc, "metrics"), vc->string, name, group, part);
    }
}

static void put_gauge(page *p, const cJSON *metrics, const char *vc, const char *name, const char *group,
                      const char *part)
{
    put_sample(p, name, "", "", vc, number_at(metrics, group, part));
}

static void put_summary(page *p, const cJSON *metrics, const char *vc, const char *name, const char *group,
                        const char *part)
{
    static const char *const quantiles[][2] = {
        {"p50", "quantile=\"0.5\""},
        {"p90", "quantile=\"0.9\""},
        {"p95", "quantile=\"0.95\""},
        {"p99", "quantile=\"0.99\""},
    };
    (void)part;
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        put_sample(p, name, "", quantiles[i][1], vc, number_at(metrics, group, quantiles[i][0]));
    put_sample(p, name, "_sum", "", vc, number_at(metrics, group, "sum"));
    put_sample(p, name, "_count", "", vc, number_at(metrics, group, "n"));
}

/* A family of which nothing is known isn't there. */
static void put_family(page *p, const char *key, const char *unit, const char *type, const char *group,
                       const char *part)
{
    orr_text name = {0}, help = {0};
    const size_t before = p->out.n;
    orr_openmetrics_name(key, unit, &name);
    orr_text_addf(&help, "%s of the run", key);
    orr_openmetrics_family(key, unit, type, help.at, &p->out);
    const size_t described = p->out.n;
    for_each_pool(p, strcmp(type, "summary") == 0 ? put_summary : put_gauge, name.at, group, part);
    if (p->out.n == described)
        p->out.at[p->out.n = before] = '\0';
    orr_text_fini(&name);
    orr_text_fini(&help);
}

static bool is_one_of(const char *part, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(part, *list) == 0)
            return true;
    return false;
}

/* The parts of a distribution that its summary tells. */
static bool is_in_summary(const char *part)
{
    static const char *const list[] = {"n", "p50", "p90", "p95", "p99", "sum", NULL};
    return is_one_of(part, list);
}

/* Jobs are told by state, and expressions by their text, in families of their own. */
static bool is_told_elsewhere(const char *key)
{
    return strcmp(key, "measured") == 0 || strncmp(key, "jobs.", 5) == 0 || strchr(key, '(');
}

static void put_metric(void *self, const char *key, double value, const char *unit)
{
    page *p = self;
    const char *dot = strchr(key, '.');
    char group[64] = "";
    (void)value;
    if (is_told_elsewhere(key))
        return;
    snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - key) : 0, key);
    if (!dot)
        put_family(p, key, unit, "gauge", "", key);
    else if (!is_in_summary(dot + 1))
        put_family(p, key, unit, "gauge", group, dot + 1);
    else if (strcmp(dot + 1, "sum") == 0) /* once, with the unit of the whole, which that of the count isn't */
        put_family(p, group, unit, "summary", group, "");
}

static void put_expressions(page *p)
{
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(orr_result_summary(p->result), "metrics"), *item;
    const cJSON *custom = cJSON_GetObjectItemCaseSensitive(metrics, "custom");
    if (custom)
        orr_openmetrics_family("metric", "", "gauge", "what was asked for by --metric", &p->out);
    cJSON_ArrayForEach(item, custom)
    {
        orr_text text = {0};
        orr_openmetrics_label("metric", item->string, &text);
        put_sample(p, "orrery_metric", "", text.at, NULL, cJSON_IsNumber(item) ? item->valuedouble : NAN);
        orr_text_fini(&text);
    }
}

static void put_jobs(page *p)
{
    const cJSON *item;
    orr_openmetrics_family("jobs", "count", "gauge", "jobs by what became of them", &p->out);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(orr_result_summary(p->result), "jobs"))
    {
        orr_text state = {0};
        orr_openmetrics_label("state", item->string, &state);
        put_sample(p, "orrery_jobs", "", state.at, NULL, item->valuedouble);
        orr_text_fini(&state);
    }
    double measured = NAN;
    orr_result_metric(p->result, "measured", &measured);
    orr_openmetrics_family("jobs_measured", "count", "gauge", "jobs that the metrics are about", &p->out);
    put_sample(p, "orrery_jobs_measured", "", "", NULL, measured);
}

static void set_labels(page *p)
{
    static const char *const labels[][2] = {
        {"policy", ""}, {"trace", "trace.name"}, {"cluster", "cluster.name"}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        orr_text_addf(&p->labels, "%s", i ? "," : "");
        const char *value = i ? orr_result_text(p->result, labels[i][1]) : orr_result_policy(p->result);
        orr_openmetrics_label(labels[i][0], value, &p->labels);
    }
}

static orr_err write_text(const char *dir, const orr_text *text, orr_error *e)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/metrics.txt", dir);
    orr_output *out = orr_output_create(path.at, e);
    orr_err err = ORR_E_CREATE;
    if (out) {
        orr_output_write(out, text->at, text->n);
        err = orr_output_commit(out, e);
    }
    orr_text_fini(&path);
    return err;
}

orr_err orr_out_openmetrics(const orr_result *r, const char *dir, orr_error *e)
{
    page p = {.result = r};
    set_labels(&p);
    orr_result_each_metric(r, put_metric, &p);
    put_expressions(&p);
    put_jobs(&p);
    orr_text_addf(&p.out, "# EOF\n");
    const orr_err err = write_text(dir, &p.out, e);
    orr_text_fini(&p.out);
    orr_text_fini(&p.labels);
    return err;
}
