/* The files beside a log say what the log says, cell by cell and number by number: those of the schedule of scene.h
 * do, and any other cell or number is found. */
#include "../trace/scratch.h"
#include "report/report.h"
#include "scene.h"
#include "verify/verify.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a result ---------------------------------------------------------------------------------------------------- */

typedef struct result {
    char folder[64];
    orr_text summary, jobs, holds; /* the good ones */
} result;

static const char *in(const result *r, const char *file)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", r->folder, file);
    return path;
}

static void must(orr_err err, const orr_error *e)
{
    if (err)
        fail_msg("%s", e->message);
}

static void write_summary(const result *r, const stage *s, const orr_measure *measure, orr_collector *collector)
{
    orr_error e = {0};
    orr_text text = {0};
    size_t n;
    const orr_metrics *metrics = orr_collector_finish(collector, s->sim, &n);
    orr_report_run run = {
        .trace = s->trace, .cluster = s->cluster, .options = &s->options, .metrics = metrics, .metrics_count = n};
    (void)measure;
    orr_report_from_sim(&run, s->sim);
    must(orr_summary_json(&run, true, &text, &e), &e);
    must(orr_report_write(in(r, "summary.json"), &text, &e), &e);
    must(orr_jobs_csv_write(in(r, "jobs.csv"), collector, &e), &e);
    orr_report_run_fini(&run);
    orr_text_fini(&text);
}

/* Runs the stage and writes what `orr run -o` would. */
static void write_all(const result *r, stage *s, const char *rule)
{
    orr_error e = {0};
    orr_measure measure;
    must(orr_measure_parse(rule, &measure, &e), &e);
    orr_collector *collector = orr_collector_create(&measure);
    orr_csv_sink *holds = orr_attempts_csv_create(in(r, "attempts.csv"), &e);
    orr_log_sink *log = orr_log_sink_create(in(r, ORR_LOG_NAME), rule, &e);
    orr_fanout *fanout = orr_fanout_create();
    orr_fanout_add(fanout, orr_collector_sink(collector));
    orr_fanout_add(fanout, orr_csv_sink_sink(holds));
    orr_fanout_add(fanout, orr_log_sink_sink(log));
    s->also = orr_fanout_sink(fanout);
    must(stage_open(s), &s->error);
    must(orr_sim_run(s->sim, &e), &e);
    write_summary(r, s, &measure, collector);
    must(orr_csv_sink_commit(holds, &e), &e);
    must(orr_log_sink_commit(log, &e), &e);
    orr_fanout_destroy(fanout);
    orr_collector_destroy(collector);
}

static orr_text contents(const char *path)
{
    char *data;
    size_t n;
    orr_error e = {0};
    orr_input *input = orr_input_open(path, &e);
    assert_non_null(input);
    must(orr_input_all(input, &data, &n, &e), &e);
    orr_input_close(input);
    return (orr_text){data, n, n + 1};
}

static result result_of(stage *s, const char *rule)
{
    result r = {.folder = ""};
    scratch_folder(r.folder);
    write_all(&r, s, rule);
    stage_destroy(s);
    r.summary = contents(in(&r, "summary.json"));
    r.jobs = contents(in(&r, "jobs.csv"));
    r.holds = contents(in(&r, "attempts.csv"));
    return r;
}

static void result_fini(result *r)
{
    scratch_remove(r->folder);
    orr_text_fini(&r->summary);
    orr_text_fini(&r->jobs);
    orr_text_fini(&r->holds);
}

static orr_err try_verify(const result *r, orr_verification *v, orr_error *e)
{
    orr_verify_targets targets = {.texts = {NULL, 0, 0}};
    must(orr_verify_find(r->folder, &targets, e), e);
    assert_int_equal(targets.list.n, 1);
    orr_log *log = orr_log_open(targets.list.at[0].log, e);
    const orr_err err = orr_verify_log(log, &targets.list.at[0].beside, v, e);
    orr_log_close(log);
    orr_verify_targets_fini(&targets);
    return err;
}

static orr_verification verify(const result *r)
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    must(try_verify(r, &v, &e), &e);
    return v;
}

static bool breaks(const orr_verification *v, const char *rule)
{
    for (size_t i = 0; i < v->broken.n; i++)
        if (strcmp(v->broken.at[i].rule, rule) == 0)
            return true;
    return false;
}

static bool finds(const result *r, const char *rule)
{
    orr_verification v = verify(r);
    const bool found = breaks(&v, rule);
    orr_verification_fini(&v);
    return found;
}

static void good(result *r)
{
    orr_verification v = verify(r);
    for (size_t i = 0; i < v.findings.n; i++)
        printf("%s: %s: %s\n", v.findings.at[i].rule, v.findings.at[i].job, v.findings.at[i].text);
    assert_true(orr_verification_holds(&v));
    assert_true(v.metrics > 150);
    assert_true(v.job_rows > 0 && v.hold_rows > 0);
    orr_verification_fini(&v);
}

/* ---- good ones --------------------------------------------------------------------------------------------------- */

static void what_was_written_agrees(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    orr_verification v = verify(&r);
    assert_int_equal(v.job_rows, 10);
    assert_int_equal(v.hold_rows, 13); /* A 2, B 2, C 3, D 1, E 1, F 2, H 1, K 1 */
    orr_verification_fini(&v);
    good(&r);
    result_fini(&r);
}

static void cut_runs_agree_too(void **state)
{
    (void)state;
    static const double until[] = {0.5, 1, 10, 14, 14.5, 30, 31, 32, 33, 41, 60, 74, 111};
    for (size_t i = 0; i < sizeof until / sizeof *until; i++) {
        stage *s = scene_stage();
        s->options.until = orr_time_from_seconds(until[i]);
        result r = result_of(s, "all");
        good(&r);
        result_fini(&r);
    }
}

static void so_does_each_measured_set(void **state)
{
    (void)state;
    static const char *const rules[] = {"completed", "jobs:1..7", "time:5..", "time:..8", "completed,time:1..9"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        result r = result_of(scene_stage(), rules[i]);
        good(&r);
        result_fini(&r);
    }
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

static bool is_unproved(const char *key)
{
    static const char *const keys[] = {"gpu_util",  "frag",      "frag:node", "frag:rack",
                                       "load:V100", "load:A100", "ltgf:vc"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void change(cJSON *item)
{
    item->type = cJSON_Number;
    cJSON_SetNumberValue(item, item->valuedouble == 0 ? 1 : item->valuedouble * (1 + 1e-11));
}

/* Changes one leaf after the other; returns how many. */
static size_t change_each(const result *r, cJSON *document, cJSON *group)
{
    size_t n = 0;
    cJSON *item;
    cJSON_ArrayForEach(item, group)
    {
        if (cJSON_IsObject(item)) {
            if (!is_unproved(item->string))
                n += change_each(r, document, item);
            continue;
        }
        if ((!cJSON_IsNumber(item) && !cJSON_IsNull(item)) || is_unproved(item->string))
            continue;
        const cJSON kept = *item;
        change(item);
        char *text = cJSON_Print(document);
        scratch_write(r->folder, "summary.json", text);
        if (!finds(r, "metric"))
            fail_msg("another %s in %s is believed", item->string, group->string);
        cJSON_free(text);
        item->type = kept.type;
        item->valuedouble = kept.valuedouble;
        n++;
    }
    return n;
}

static void another_number_is_found(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    cJSON *document = cJSON_Parse(r.summary.at);
    static const char *const parts[] = {"measured", "metrics", "jobs"};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        n += change_each(&r, document, cJSON_GetObjectItemCaseSensitive(document, parts[i]));
    const cJSON *vcs = cJSON_GetObjectItemCaseSensitive(document, "vcs");
    n += change_each(&r, document, cJSON_GetObjectItemCaseSensitive(vcs, "blue"));
    assert_true(n > 180);
    cJSON_Delete(document);
    result_fini(&r);
}

static void replace(const result *r, const char *file, const char *from, const char *to)
{
    const orr_text whole = strcmp(file, "summary.json") == 0 ? r->summary
                           : strcmp(file, "jobs.csv") == 0   ? r->jobs
                                                             : r->holds;
    orr_text text = {0};
    const char *at = strstr(whole.at, from);
    if (!at)
        fail_msg("%s holds no '%s'", file, from);
    orr_text_addf(&text, "%.*s%s%s", (int)(at - whole.at), whole.at, to, at + strlen(from));
    scratch_write(r->folder, file, text.at);
    orr_text_fini(&text);
}

static void another_text_is_found(void **state)
{
    (void)state;
    static const char *const changes[][2] = {{"\"drained\"", "\"horizon\""},
                                             {"\"exact\"", "\"round=1s\""},
                                             {"save=2s", "save=3s"},
                                             {"\"rule\":\t\"all\"", "\"rule\":\t\"completed\""},
                                             {"\"biased\":\tfalse", "\"biased\":\ttrue"},
                                             {"\"sim_end\":\t127", "\"sim_end\":\t128"},
                                             {"\"jct\"", "\"jctt\""},
                                             {"\"blue\"", "\"green\""}};
    result r = result_of(scene_stage(), "all");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        replace(&r, "summary.json", changes[i][0], changes[i][1]);
        if (!finds(&r, "metric"))
            fail_msg("%s is believed", changes[i][1]);
    }
    result_fini(&r);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Puts a 1 before the n-th cell behind the header; false: there is none. */
static bool change_cell(const orr_text *whole, size_t n, orr_text *out)
{
    const char *at = strchr(whole->at, '\n') + 1;
    for (; n > 0 && *at; at++)
        n -= *at == ',' || *at == '\n';
    if (!*at)
        return false;
    const size_t before = (size_t)(at - whole->at);
    orr_text_clear(out);
    orr_text_addf(out, "%.*s1%s", (int)before, whole->at, whole->at + before);
    return true;
}

static size_t change_cells(const result *r, const char *file, const orr_text *whole, const char *rule)
{
    orr_text text = {0};
    size_t n = 0;
    for (; change_cell(whole, n, &text); n++) {
        scratch_write(r->folder, file, text.at);
        if (!finds(r, rule))
            fail_msg("cell %zu of %s is believed:\n%s", n, file, text.at);
    }
    scratch_write(r->folder, file, whole->at);
    orr_text_fini(&text);
    return n;
}

static void another_cell_is_found(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    assert_int_equal(change_cells(&r, "attempts.csv", &r.holds, "holds-row"), 13 * 9);
    assert_int_equal(change_cells(&r, "jobs.csv", &r.jobs, "jobs-row") % 10, 0);
    result_fini(&r);
}

static void missing_and_added_rows_are_found(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    const struct {
        const char *file, *rule;
        const orr_text *whole;
    } files[] = {{"jobs.csv", "jobs-row", &r.jobs}, {"attempts.csv", "holds-row", &r.holds}};
    for (size_t i = 0; i < 2; i++) {
        const char *whole = files[i].whole->at, *second = strchr(whole, '\n') + 1, *third = strchr(second, '\n') + 1;
        orr_text text = {0};
        orr_text_addf(&text, "%.*s%s", (int)(second - whole), whole, third);
        scratch_write(r.folder, files[i].file, text.at);
        assert_true(finds(&r, files[i].rule));
        orr_text_clear(&text);
        orr_text_addf(&text, "%s%.*s", whole, (int)(third - second), second);
        scratch_write(r.folder, files[i].file, text.at);
        assert_true(finds(&r, files[i].rule));
        orr_text_clear(&text);
        orr_text_addf(&text, "%.*s", (int)(second - whole), whole);
        scratch_write(r.folder, files[i].file, text.at);
        assert_true(finds(&r, files[i].rule));
        scratch_write(r.folder, files[i].file, whole);
        orr_text_fini(&text);
    }
    good(&r);
    result_fini(&r);
}

static void other_columns_are_passed_over(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    orr_text text = {0};
    for (const char *at = r.jobs.at, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        orr_text_addf(&text, "%.*s,%s\n", (int)(end - at), at, at == r.jobs.at ? "mood" : "\"good, really\nyes\"");
    }
    scratch_write(r.folder, "jobs.csv", text.at);
    good(&r);
    orr_text_fini(&text);
    result_fini(&r);
}

/* ---- what can't be read ------------------------------------------------------------------------------------------ */

static void refuses(const result *r, const char *file, const char *text, orr_err code)
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    scratch_write(r->folder, file, text);
    assert_int_equal(try_verify(r, &v, &e), code);
    assert_int_equal(e.code, code);
    assert_non_null(strstr(e.file, file));
    orr_verification_fini(&v);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    result r = result_of(scene_stage(), "all");
    refuses(&r, "summary.json", "{", ORR_E_SYNTAX);
    refuses(&r, "summary.json", "{}", ORR_E_FORMAT);
    refuses(&r, "summary.json", "{\"schema\":\"orrery.summary/2\"}", ORR_E_FORMAT);
    scratch_write(r.folder, "summary.json", r.summary.at);
    refuses(&r, "attempts.csv", "job_id,attempt\n", ORR_E_MISSING_COLUMN);
    result_fini(&r);
}

static void a_folder_of_results_is_each_of_them(void **state)
{
    (void)state;
    char folder[64];
    orr_error e = {0};
    orr_verify_targets t = {.texts = {NULL, 0, 0}};
    scratch_folder(folder);
    scratch_write(folder, "p10/" ORR_LOG_NAME, "");
    scratch_write(folder, "p9/" ORR_LOG_NAME, "");
    scratch_write(folder, "p9/jobs.csv", "");
    scratch_write(folder, "none/jobs.csv", "");
    assert_int_equal(orr_verify_find(folder, &t, &e), ORR_OK);
    assert_int_equal(t.list.n, 2);
    assert_non_null(strstr(t.list.at[0].log, "/p9/")); /* in people's order */
    assert_non_null(t.list.at[0].beside.jobs);
    assert_null(t.list.at[0].beside.summary);
    assert_null(t.list.at[1].beside.jobs);
    orr_verify_targets_fini(&t);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_agrees),
        cmocka_unit_test(cut_runs_agree_too),
        cmocka_unit_test(so_does_each_measured_set),
        cmocka_unit_test(another_number_is_found),
        cmocka_unit_test(another_text_is_found),
        cmocka_unit_test(another_cell_is_found),
        cmocka_unit_test(missing_and_added_rows_are_found),
        cmocka_unit_test(other_columns_are_passed_over),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(a_folder_of_results_is_each_of_them),
    };
    return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
