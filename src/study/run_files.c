#include "study/run_files.h"

#include "study/extras.h"
#include "study/folder.h"
#include <stdlib.h>

static void path_in(const char *dir, const char *file, orr_text *path)
{
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s", dir, file);
}

/* ---- while it runs ---- */

static orr_err open_log(orr_run_files *files, const orr_case *c, const char *dir, orr_error *e)
{
    char rule[ORR_MEASURE_BUF];
    orr_measure measure;
    orr_text path = {0};
    const orr_err err = orr_case_measure(c, &measure, e);
    if (err)
        return err;
    orr_measure_format(&measure, rule);
    path_in(dir, ORR_LOG_NAME, &path);
    files->log = orr_log_sink_create(path.at, rule, e);
    orr_text_fini(&path);
    return files->log ? ORR_OK : ORR_E_CREATE;
}

orr_err orr_run_files_open(orr_run_files *files, const orr_case *c, const orr_case_hooks *hooks,
                           const orr_cluster_spec *cluster, orr_fanout *fanout, orr_error *e)
{
    orr_text path = {0};
    orr_err err = orr_folder_make(hooks->dir, e);
    if (!err) {
        path_in(hooks->dir, "attempts.csv", &path);
        files->attempts = orr_attempts_csv_create(path.at, e);
    }
    if (files->attempts) {
        path_in(hooks->dir, "timeline.csv", &path);
        files->timeline = orr_timeline_csv_create(path.at, cluster, e);
    }
    orr_text_fini(&path);
    if (!files->timeline)
        return err ? err : ORR_E_CREATE;
    orr_fanout_add(fanout, orr_csv_sink_sink(files->attempts));
    orr_fanout_add(fanout, orr_csv_sink_sink(files->timeline));
    err = hooks->no_log || !orr_case_has_jobs(c) ? ORR_OK : open_log(files, c, hooks->dir, e);
    if (files->log)
        orr_fanout_add(fanout, orr_log_sink_sink(files->log));
    return err;
}

orr_err orr_run_files_serving(orr_run_files *files, const orr_case_hooks *hooks, const orr_services *services,
                              orr_error *e)
{
    orr_text path = {0};
    if (!services)
        return ORR_OK;
    const bool each = orr_extras_has(hooks->write, "requests");
    path_in(hooks->dir, "serving.csv", &path);
    files->serving = orr_serving_csv_create(path.at, services, e);
    path_in(hooks->dir, "requests.csv", &path);
    if (files->serving && each)
        files->requests = orr_requests_csv_create(path.at, services, e);
    orr_text_fini(&path);
    return files->serving && (files->requests || !each) ? ORR_OK : ORR_E_CREATE;
}

bool orr_run_files_listener(const orr_run_files *files, orr_serving_sink *out)
{
    if (!files->serving)
        return false;
    const orr_serving_sink each =
        files->requests ? orr_requests_csv_sink(files->requests) : (orr_serving_sink){0};
    *out = orr_serving_csv_sink(files->serving, &each);
    return true;
}

void orr_run_files_abandon(orr_run_files *files)
{
    orr_csv_sink_abandon(files->requests);
    orr_csv_sink_abandon(files->serving);
    orr_csv_sink_abandon(files->attempts);
    orr_csv_sink_abandon(files->timeline);
    orr_log_sink_abandon(files->log);
    *files = (orr_run_files){0};
}

/* ---- after it ---- */

static void keep(orr_case_result *result, const orr_error *e)
{
    if (!e->code)
        return;
    result->failed = orr_xrealloc(result->failed, result->failed_count + 1, sizeof *result->failed);
    result->failed[result->failed_count++] = *e;
}

static void keep_extra(void *result, const orr_error *e)
{
    keep(result, e);
}

static void commit(orr_csv_sink **csv, orr_case_result *result)
{
    orr_error e = {0};
    (void)!orr_csv_sink_commit(*csv, &e);
    *csv = NULL;
    keep(result, &e);
}

static void commit_log(orr_run_files *files, orr_case_result *result)
{
    orr_error e = {0};
    if (files->log)
        (void)!orr_log_sink_commit(files->log, &e);
    files->log = NULL;
    keep(result, &e);
}

static void write_jobs(const orr_run_done *done, orr_case_result *result)
{
    orr_text path = {0};
    orr_error e = {0};
    path_in(done->hooks->dir, "jobs.csv", &path);
    (void)!orr_jobs_csv_write(path.at, done->collector, &e);
    orr_text_fini(&path);
    keep(result, &e);
}

static void write_latencies(const orr_run_done *done, orr_case_result *result)
{
    orr_text path = {0};
    orr_error e = {0};
    path_in(done->hooks->dir, "latencies.csv", &path);
    (void)!orr_latencies_csv_write(path.at, done->serving, &e);
    orr_text_fini(&path);
    keep(result, &e);
}

static orr_err summary(const orr_run_done *done, orr_text *out, orr_error *e)
{
    return orr_summary_json(done->report, true, out, e);
}

static void write_document(const orr_run_done *done, const char *file,
                           orr_err (*make)(const orr_run_done *done, orr_text *out, orr_error *e),
                           orr_case_result *result)
{
    orr_text path = {0}, text = {0};
    orr_error e = {0};
    path_in(done->hooks->dir, file, &path);
    if (!make(done, &text, &e))
        (void)!orr_report_write(path.at, &text, &e);
    orr_text_fini(&path);
    orr_text_fini(&text);
    keep(result, &e);
}

void orr_run_files_finish(orr_run_files *files, const orr_run_done *done, orr_case_result *result)
{
    commit(&files->attempts, result);
    commit(&files->timeline, result);
    if (files->requests)
        commit(&files->requests, result);
    if (files->serving)
        commit(&files->serving, result);
    if (done->serving)
        write_latencies(done, result);
    commit_log(files, result);
    write_jobs(done, result);
    write_document(done, "summary.json", summary, result);
    write_document(done, "manifest.json", orr_run_manifest, result);
    if (!result->failed_count)
        orr_extras_write(done->hooks->write, done->hooks->dir, keep_extra, result);
}
