#define _POSIX_C_SOURCE 200809L
#include "describe_result.h"

#include "base/io.h"
#include "json.h"
#include "metrics/custom.h"
#include "report/comparison.h"
#include "report/json.h"
#include "report/results.h"
#include "report/run_page.h"
#include "report/serve_plots.h"
#include "study/extras.h"

#include <math.h>
#include <sys/stat.h>

typedef struct asked {
    app *a;
    orr_exprs exprs;          /* of --metric */
    const char *const *write; /* of --write */
    orr_arena arena;
    int status;
} asked;

bool describe_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void fail(void *self, const orr_error *e)
{
    asked *q = self;
    const int one = say_error(&q->a->say, e);
    q->status = q->status ? q->status : one;
}

/* ---- as text ---- */

static void line(orr_text *out, const char *name, const char *fmt, ...) ORR_PRINTF(3, 4);
static void line(orr_text *out, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    orr_text_addf(out, "%-9s %s\n", name, text);
}

static void put_count(orr_text *out, const orr_result *r, const char *key, const char *what)
{
    double n;
    char count[ORR_DOUBLE_BUF];
    if (!orr_result_metric(r, key, &n) || !(n > 0))
        return;
    orr_format_count((uint64_t)n, count);
    orr_text_addf(out, "%s%s %s", out->n ? ", " : "", count, what);
}

static void put_jobs(const orr_result *r, orr_text *out)
{
    static const char *const kinds[][2] = {{"jobs.completed", "completed"},
                                           {"jobs.failed", "failed"},
                                           {"jobs.killed", "killed"},
                                           {"jobs.rejected", "rejected"},
                                           {"jobs.running_at_end", "running at the end"},
                                           {"jobs.queued_at_end", "queued at the end"}};
    orr_text t = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        put_count(&t, r, kinds[i][0], kinds[i][1]);
    line(out, "jobs", "%s", t.at ? t.at : "none");
    orr_text_clear(&t);
    put_count(&t, r, "measured", "");
    line(out, "measured", "%.*s (%s)", (int)(t.n ? t.n - 1 : 1), t.n ? t.at : "0", orr_result_text(r, "measured.rule"));
    orr_text_fini(&t);
}

static void put_head(const orr_result *r, orr_text *out)
{
    const cJSON *end = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "sim_end");
    char when[ORR_TIME_BUF] = "?";
    if (cJSON_IsNumber(end))
        orr_time_human(orr_time_from_seconds(end->valuedouble), when);
    line(out, "result", "%s", orr_result_dir(r));
    const bool jobs = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "trace");
    if (jobs) {
        line(out, "policy", "%s", orr_result_text(r, "policy.resolved"));
        line(out, "trace", "%s", orr_result_text(r, "trace.name"));
    }
    if (cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "serving")) {
        line(out, "serve", "%s", orr_result_text(r, "serving.resolved"));
        line(out, "services", "%s", orr_result_text(r, "serving.name"));
    }
    line(out, "cluster", "%s", orr_result_text(r, "cluster.name"));
    line(out, "costs", "%s", orr_result_text(r, "costs"));
    line(out, "stop", "%s after %s", orr_result_text(r, "stop_reason"), when);
    if (jobs)
        put_jobs(r, out);
}

static void put_metric(void *self, const char *key, double value, const char *unit)
{
    orr_grid *g = self;
    orr_text shown = {0};
    if (isnan(value) || strncmp(key, "jobs.", 5) == 0 || strcmp(key, "measured") == 0)
        return;
    orr_metric_shown(value, unit, &shown);
    orr_grid_cell(g, key, NULL);
    orr_grid_cell(g, shown.at, NULL);
    orr_text_fini(&shown);
}

/* A table that is missing or damaged is told of elsewhere. */
static void put_served(const orr_result *r, orr_text *out)
{
    orr_served served;
    if (orr_served_of(r, 0, ORR_SECOND, &served, NULL))
        return;
    orr_served_text(&served, out);
    orr_served_fini(&served);
}

static void print_text_of(const asked *q, const orr_result *r, const double *values, bool first)
{
    orr_text t = {0};
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "metric", "metric", false);
    orr_grid_column(g, "value", "value", true);
    orr_result_each_metric(r, put_metric, g);
    for (size_t i = 0; i < q->exprs.n; i++)
        put_metric(g, orr_expr_text(q->exprs.exprs[i]), values[i], orr_expr_is_time(q->exprs.exprs[i]) ? "s" : "");
    orr_text_addf(&t, "%s", first ? "" : "\n");
    put_head(r, &t);
    orr_text_addf(&t, "\n");
    orr_grid_print(g, ORR_TABLE_TEXT, &t);
    put_served(r, &t);
    print_text(&t);
    orr_text_fini(&t);
    orr_grid_destroy(g);
}

/* ---- as a document ---- */

/* The summary as it stands, so that every number keeps its digits. */
static char *summary_text(const orr_result *r, orr_error *e)
{
    orr_text path = {0};
    char *text = NULL;
    size_t n;
    orr_text_addf(&path, "%s/summary.json", orr_result_dir(r));
    orr_input *in = orr_input_open(path.at, e);
    if (in && !orr_input_all(in, &text, &n, e))
        cJSON_Minify(text);
    orr_input_close(in);
    orr_text_fini(&path);
    return text;
}

static void add_document(asked *q, const orr_result *r, const double *values, cJSON *documents)
{
    orr_error e = {0};
    char *summary = summary_text(r, &e);
    if (!summary) {
        fail(q, &e);
        return;
    }
    cJSON *document = json_append_object(documents);
    json_text(document, "schema", "orrery.result/1");
    json_text(document, "name", orr_result_dir(r));
    cJSON_AddRawToObject(document, "summary", summary);
    cJSON *metrics = json_object(document, "metrics");
    for (size_t i = 0; i < q->exprs.n; i++)
        orr_json_double(metrics, orr_expr_text(q->exprs.exprs[i]), values[i]);
    free(summary);
}

/* ---- each of them ---- */

static int write_page(asked *q, const orr_result *r)
{
    orr_text page = {0};
    orr_error e = {0};
    if (!orr_run_page(r, &page, &e))
        (void)!orr_report_write(q->a->set->html, &page, &e);
    orr_text_fini(&page);
    if (e.code)
        fail(q, &e);
    return e.code ? 1 : 0;
}

static void describe_one(asked *q, const orr_result *r, cJSON *documents, bool first)
{
    orr_error e = {0};
    double *values = orr_xcalloc(q->exprs.n + 1, sizeof *values);
    const char *html = q->a->set->html;
    if (html)
        write_page(q, r);
    if (q->exprs.n > 0 && orr_result_values(r, (const orr_expr *const *)q->exprs.exprs, q->exprs.n, values, &e))
        fail(q, &e);
    else if (documents)
        add_document(q, r, values, documents);
    else if (!html || strcmp(html, "-") != 0)
        print_text_of(q, r, values, first);
    free(values);
    orr_extras_write(q->write, orr_result_dir(r), fail, q);
}

/* What is about reading traces. */
static orr_err refuse_conditions(const asked *q, orr_error *e)
{
    static const char *const groups[] = {"Input", "Selection", "Cluster"};
    for (const opt *o = opt_table(); o->name; o++)
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            if ((o->commands & CMD_DESCRIBE) && strcmp(o->group, groups[i]) == 0 && opt_given(q->a->set, o))
                return orr_error_set(e, ORR_E_USAGE, "--%s is for traces, and this is a result", o->name);
    return ORR_OK;
}

static orr_err take_request(asked *q, orr_error *e)
{
    const settings *s = q->a->set;
    if (refuse_conditions(q, e))
        return e->code;
    if (s->svg)
        return orr_error_set(e, ORR_E_USAGE, "--svg shows a trace, and this is a result; --html shows it");
    orr_err err = orr_extras_parse(s->write, &q->arena, &q->write, e);
    if (!err && orr_extras_has(q->write, "requests"))
        err = orr_error_set(e, ORR_E_USAGE, "requests are written while a run goes: `orrery run --write requests`");
    return err ? err : orr_exprs_parse(s->metrics.at, s->metrics.n, &q->exprs, e);
}

static orr_err check_pages(const asked *q, const orr_results *results, orr_error *e)
{
    if (q->a->set->html && results->n > 1)
        return orr_error_set(e, ORR_E_USAGE, "--html shows one result, and this folder holds %zu", results->n);
    return ORR_OK;
}

int describe_results(app *a, const char *dir, cJSON *documents, bool first)
{
    asked q = {.a = a};
    orr_results results = {0};
    orr_error e = {0};
    if (take_request(&q, &e) || orr_results_add(&results, dir, &e) || check_pages(&q, &results, &e)) {
        if (e.code == ORR_E_NOT_COMPARABLE)
            e.code = ORR_E_FORMAT;
        if (!*e.file && e.code == ORR_E_USAGE)
            orr_error_text(&e, dir, strlen(dir));
        fail(&q, &e);
    }
    for (size_t i = 0; i < results.n && !q.status; i++)
        describe_one(&q, results.at[i], documents, first && i == 0);
    orr_results_fini(&results);
    orr_exprs_fini(&q.exprs);
    orr_arena_fini(&q.arena);
    return q.status;
}
