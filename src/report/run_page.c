#include "report/run_page.h"

#include "base/stat.h"
#include "report/comparison.h"
#include "report/page.h"
#include "report/run_facts.h"
#include "report/run_plots.h"
#include "report/serve_plots.h"
#include <math.h>
#include <stdio.h>

static const cJSON *member(const orr_result *r, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), key);
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* A value as people read it, sorted by itself. */
static void value_cell(orr_grid *grid, double value, const char *unit)
{
    char exact[ORR_DOUBLE_BUF] = "";
    orr_text shown = {0};
    orr_metric_shown(value, unit, &shown);
    if (!isnan(value))
        orr_format_double(value, exact);
    orr_grid_cell(grid, shown.at, exact);
    orr_text_fini(&shown);
}

/* ---- the head ---- */

static void fact(const orr_result *r, const char *key, const char *unit, orr_text *out)
{
    double value;
    orr_text shown = {0};
    if (!orr_result_metric(r, key, &value) || isnan(value))
        return;
    if (unit[0] == '%')
        orr_text_addf(&shown, "%.1f %%", 100 * value);
    else
        orr_metric_shown(value, unit, &shown);
    orr_page_fact(out, shown.at, key);
    orr_text_fini(&shown);
}

static void facts(const orr_result *r, orr_text *out)
{
    static const char *const list[][2] = {
        {"jct.mean", "s"},        {"jct.p50", "s"},      {"jct.p99", "s"},  {"wait_first.mean", "s"},
        {"wait_first.p99", "s"},  {"gpu_alloc", "%"},    {"load", ""},      {"makespan", "s"},
        {"queue_len", ""},        {"age_max", "s"},      {"rho_worst", ""}, {"rho_unfair", "%"},
        {"preemptions", "count"}, {"deadline_met", "%"}, {"slo_attain", "%"}, {"latency.p50", "s"},
        {"latency.p99", "s"},     {"latency_all.p99", "s"}, {"batch_mean", ""}, {"exec_busy", "%"},
        {"requests.cold", "count"}, {"weight_loads", "count"}, {"channel_busy", "%"},
    };
    orr_page_facts_begin(out);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        fact(r, list[i][0], list[i][1], out);
    orr_page_facts_end(out);
}

/* The text and the number behind it; "-" where there is none. */
static void add_number(orr_text *line, const char *text, const cJSON *object, const char *key)
{
    const double v = number(object, key);
    char buf[ORR_DOUBLE_BUF] = "-";
    if (!isnan(v))
        orr_format_double(v, buf);
    orr_text_addf(line, "%s%s", text, buf);
}

static void add_count(orr_text *line, const char *text, const cJSON *object, const char *key)
{
    const double v = number(object, key);
    char buf[ORR_DOUBLE_BUF] = "-";
    if (v >= 0)
        orr_format_count((uint64_t)v, buf);
    orr_text_addf(line, "%s%s", text, buf);
}

static void end_line(orr_text *line, const char *text, orr_text *out)
{
    orr_text_addf(line, "%s", text);
    orr_page_paragraph(out, line->at);
    orr_text_clear(line);
}

static void head(const orr_result *r, orr_text *out)
{
    orr_text line = {0};
    if (member(r, "trace")) {
        orr_text_addf(&line, "%s: ", orr_result_text(r, "trace.name"));
        add_count(&line, "", member(r, "trace"), "jobs");
        end_line(&line, " jobs.", out);
    }
    if (member(r, "serving")) {
        orr_text_addf(&line, "Services %s, served by %s", orr_result_text(r, "serving.name"),
                      orr_result_text(r, "serving.resolved"));
        end_line(&line, ".", out);
    }
    orr_text_addf(&line, "%s: ", orr_result_text(r, "cluster.name"));
    add_count(&line, "", member(r, "cluster"), "gpus");
    add_count(&line, " GPUs on ", member(r, "cluster"), "nodes");
    end_line(&line, " nodes.", out);
    orr_text_addf(&line, "Clock %s, costs %s", orr_result_text(r, "clock"), orr_result_text(r, "costs"));
    add_number(&line, ", seed ", orr_result_summary(r), "seed");
    orr_text_addf(&line, "; stopped: %s", orr_result_text(r, "stop_reason"));
    end_line(&line, ".", out);
    orr_text_fini(&line);
}

/* What a reader must know before believing a mean. */
static void caveats(const orr_result *r, orr_text *out)
{
    orr_text line = {0};
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(member(r, "measured"), "biased")))
        return;
    add_count(&line, "When the run stopped, jobs still ran or were queued: ", member(r, "jobs"), "running_at_end");
    add_count(&line, " and ", member(r, "jobs"), "queued_at_end");
    end_line(&line, ". Means cover survivors only.", out);
    orr_text_fini(&line);
}

/* ---- tables ---- */

static const char *const states[] = {"completed", "failed", "killed", "rejected", "running_at_end", "queued_at_end"};
enum { STATES = sizeof states / sizeof *states };

static void count_cells(orr_grid *grid, const cJSON *jobs)
{
    orr_grid_count(grid, (uint64_t)fmax(0, number(jobs, "submitted")));
    for (int i = 0; i < STATES; i++)
        orr_grid_count(grid, (uint64_t)fmax(0, number(jobs, states[i])));
}

static void job_counts(const orr_result *r, orr_text *out)
{
    orr_grid *grid =
        orr_grid_of("|>submitted =|>completed +|>failed +|>killed +|>rejected +|>running_at_end +|>queued_at_end");
    orr_grid_text(grid, "jobs");
    count_cells(grid, member(r, "jobs"));
    orr_page_table(out, "What became of the jobs", grid);
    orr_text line = {0};
    add_count(&line, "Measured: ", member(r, "measured"), "n");
    orr_text_addf(&line, " jobs by the rule %s", orr_result_text(r, "measured.rule"));
    end_line(&line, ".", out);
    orr_text_fini(&line);
}

static const char *const parts[] = {"n", "mean", "p50", "p90", "p95", "p99", "max", "sum"};
enum { PARTS = sizeof parts / sizeof *parts };

typedef struct metric_tables {
    const orr_result *result;
    orr_grid *spreads;
    orr_text *out; /* of the others */
} metric_tables;

static void spread_row(metric_tables *t, const char *name, const char *unit)
{
    char key[96];
    orr_grid_text(t->spreads, name);
    for (int i = 0; i < PARTS; i++) {
        double value = NAN;
        snprintf(key, sizeof key, "%s.%s", name, parts[i]);
        orr_result_metric(t->result, key, &value);
        value_cell(t->spreads, value, i == 0 ? "count" : unit);
    }
}

static void pair(orr_text *out, const char *key, double value, const char *unit)
{
    orr_text shown = {0};
    orr_metric_shown(value, unit, &shown);
    orr_page_pair(out, key, shown.at);
    orr_text_fini(&shown);
}

/* A distribution comes as keys NAME.n, NAME.mean, …; its row is made at NAME.mean, if the result has such a one. */
static void add_metric(void *self, const char *key, double value, const char *unit)
{
    metric_tables *t = self;
    const char *dot = strrchr(key, '.');
    char name[64];
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - key) : 0, key);
    for (int i = 0; dot && i < PARTS; i++) {
        if (strcmp(dot + 1, parts[i]) != 0)
            continue;
        if (i == 1 && orr_result_metric(t->result, key, &value))
            spread_row(t, name, unit);
        return;
    }
    if (strncmp(key, "jobs.", 5) != 0 && orr_result_metric(t->result, key, &value))
        pair(t->out, key, value, unit);
}

static void add_custom(const orr_result *r, orr_text *out)
{
    const cJSON *custom = cJSON_GetObjectItemCaseSensitive(member(r, "metrics"), "custom"), *item;
    cJSON_ArrayForEach(item, custom)
    {
        pair(out, item->string, cJSON_IsNumber(item) ? item->valuedouble : NAN, "");
    }
}

static void metrics(const orr_result *r, orr_text *out)
{
    const orr_metrics none = {.measured = 0};
    metric_tables t = {r, orr_grid_of("metric|>.n|>.mean|>.p50|>.p90|>.p95|>.p99|>.max|>.sum"), out};
    orr_page_heading(out, "Metrics");
    orr_page_pairs_begin(out);
    orr_metrics_each(&none, add_metric, &t);
    add_custom(r, out);
    orr_page_pairs_end(out);
    orr_page_table(out, "Distributions", t.spreads);
}

static double vc_metric(const cJSON *vc, const char *group, const char *key)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(vc, "metrics");
    return number(group ? cJSON_GetObjectItemCaseSensitive(all, group) : all, key);
}

static void virtual_clusters(const orr_result *r, orr_text *out)
{
    static const char *const spreads[][2] = {{"jct", "mean"}, {"jct", "p99"}, {"wait_first", "mean"}};
    const cJSON *vcs = member(r, "vcs"), *vc;
    orr_grid *grid = orr_grid_of("VC|>gpus|>submitted|>completed|>failed|>killed|>rejected|>running_at_end|"
                                 ">queued_at_end|>jct.mean|>jct.p99|>wait_first.mean|>gpu_alloc|>load");
    cJSON_ArrayForEach(vc, vcs)
    {
        orr_grid_text(grid, vc->string);
        value_cell(grid, vc_metric(vc, NULL, "gpus"), "count");
        count_cells(grid, cJSON_GetObjectItemCaseSensitive(vc, "jobs"));
        for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
            value_cell(grid, vc_metric(vc, spreads[i][0], spreads[i][1]), "s");
        value_cell(grid, vc_metric(vc, NULL, "gpu_alloc"), "ratio");
        value_cell(grid, vc_metric(vc, NULL, "load"), "ratio");
    }
    orr_page_table(out, "Virtual clusters", grid);
}

/* What came of each, of those answered and of all. */
static void services(const orr_result *r, orr_text *out)
{
    static const char *const spreads[][2] = {
        {"latency", "p50"}, {"latency", "p99"}, {"latency_all", "p50"}, {"latency_all", "p99"}};
    static const char *const drops[] = {"refused", "full", "shed", "expired", "timeout", "lost"};
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(member(r, "serving"), "services"), *service;
    orr_grid *grid = orr_grid_of("service|>arrived|>answered|>slo_attain|>p50 answered|>p99|>p50 all|>p99|>batch_mean|"
                                 ">accuracy|>refused|>full|>shed|>expired|>timeout|>lost");
    cJSON_ArrayForEach(service, all)
    {
        orr_grid_text(grid, service->string);
        value_cell(grid, vc_metric(service, "requests", "arrived"), "count");
        value_cell(grid, vc_metric(service, "requests", "answered"), "count");
        value_cell(grid, vc_metric(service, NULL, "slo_attain"), "ratio");
        for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
            value_cell(grid, vc_metric(service, spreads[i][0], spreads[i][1]), "s");
        value_cell(grid, vc_metric(service, NULL, "batch_mean"), "");
        value_cell(grid, vc_metric(service, NULL, "accuracy"), "ratio");
        for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
            value_cell(grid, vc_metric(service, "requests", drops[i]), "count");
    }
    orr_page_table(out, "Services", grid);
}

static void clock_cell(orr_grid *grid, orr_time t)
{
    char shown[ORR_TIME_BUF], exact[ORR_TIME_BUF];
    orr_time_clock(t, shown);
    orr_time_format(t, exact);
    orr_grid_cell(grid, shown, exact);
}

static void longest(const orr_run_jobs *jobs, orr_text *out)
{
    orr_grid *grid = orr_grid_of("job|user|VC|>GPUs|>submitted|>wait|now");
    for (size_t i = 0; i < jobs->longest_count; i++) {
        const orr_waiter *w = &jobs->longest[i];
        orr_grid_text(grid, w->id);
        orr_grid_text(grid, w->user);
        orr_grid_text(grid, w->vc);
        orr_grid_count(grid, (uint64_t)w->gpus);
        clock_cell(grid, w->submit);
        orr_grid_duration(grid, w->wait);
        orr_grid_text(grid, w->started ? w->state : "never started");
    }
    orr_page_table(out, "Longest waits before a first start", grid);
}

static void counted(const orr_result *r, const char *key, const char *title, orr_text *out)
{
    const cJSON *item;
    orr_grid *grid = orr_grid_of("what|>count");
    cJSON_ArrayForEach(item, member(r, key))
    {
        orr_grid_text(grid, item->string);
        value_cell(grid, item->valuedouble, "count");
    }
    orr_page_table(out, title, grid);
}

static void manifest(const orr_result *r, orr_text *out)
{
    cJSON *copy = cJSON_Duplicate(orr_result_manifest(r), true);
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "wall");
    orr_page_heading(out, "Manifest");
    orr_page_paragraph(out, orr_result_text(r, "policy.resolved"));
    orr_page_document(out, "How this result came about", copy);
    cJSON_Delete(copy);
}

/* ---- the page ---- */

typedef struct run_facts {
    orr_time from, to;
    orr_run_jobs jobs;
    orr_run_levels levels;
    orr_run_holds holds;
    orr_served served;
} run_facts;

static orr_err gather(const orr_result *r, run_facts *f, orr_error *e)
{
    const double stopped = number(orr_result_summary(r), "sim_end");
    const orr_time end = isnan(stopped) ? 0 : orr_time_from_seconds(stopped);
    orr_err err = orr_run_jobs_of(r, end, &f->jobs, e);
    f->from = f->jobs.first != ORR_TIME_NONE && !err ? f->jobs.first : 0;
    f->to = f->jobs.last > end && !err ? f->jobs.last : end;
    f->to = f->to > f->from ? f->to : f->from + ORR_SECOND;
    err = err ? err : orr_run_levels_of(r, f->from, f->to, &f->levels, e);
    err = err ? err : orr_run_holds_of(r, f->from, f->to, &f->holds, e);
    return err ? err : orr_served_of(r, f->from, f->to, &f->served, e);
}

static void release(run_facts *f)
{
    orr_run_jobs_fini(&f->jobs);
    orr_run_levels_fini(&f->levels);
    orr_run_holds_fini(&f->holds);
    orr_served_fini(&f->served);
    free(f);
}

static void plots(const run_facts *f, orr_text *out)
{
    orr_run_plot_gpus(&f->levels, out);
    orr_run_plot_queue(&f->levels, out);
    orr_run_plot_jct(&f->jobs, out);
    orr_run_plot_wait(&f->jobs, out);
    orr_run_plot_sizes(&f->jobs, out);
    orr_run_plot_rho(&f->jobs, out);
    orr_run_plot_heat(&f->holds, f->from, f->to, out);
    orr_run_plot_schedule(&f->holds, f->from, f->to, out);
}

static void serve_plots(const orr_served *served, orr_text *out)
{
    orr_serve_plot_latency(served, out);
    orr_serve_plot_requests(served, out);
    orr_serve_plot_waiting(served, out);
    orr_serve_plot_batches(served, out);
    orr_serve_plot_executors(served, out);
}

static void print(const orr_result *r, const run_facts *f, orr_text *out)
{
    orr_page_begin(out, "run", orr_result_policy(r));
    head(r, out);
    caveats(r, out);
    facts(r, out);
    orr_page_plots_begin(out);
    if (member(r, "trace"))
        plots(f, out);
    if (f->served.any)
        serve_plots(&f->served, out);
    orr_page_plots_end(out);
    if (member(r, "trace"))
        job_counts(r, out);
    metrics(r, out);
    virtual_clusters(r, out);
    services(r, out);
    longest(&f->jobs, out);
    counted(r, "warnings", "Warnings", out);
    counted(r, "notes", "Notes of the policy", out);
    manifest(r, out);
    orr_page_end(out);
}

orr_err orr_run_page(const orr_result *result, orr_text *out, orr_error *e)
{
    run_facts *f = orr_xcalloc(1, sizeof *f);
    const orr_err err = gather(result, f, e);
    if (!err)
        print(result, f, out);
    release(f);
    return err;
}

orr_err orr_run_page_write(const orr_result *result, const char *dir, orr_error *e)
{
    orr_text page = {0}, path = {0};
    orr_err err = orr_run_page(result, &page, e);
    orr_text_addf(&path, "%s/report.html", dir);
    err = err ? err : orr_report_write(path.at, &page, e);
    orr_text_fini(&page);
    orr_text_fini(&path);
    return err;
}
