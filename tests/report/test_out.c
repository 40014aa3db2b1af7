/* Results in the formats of other tools: by their rules, and two of them whole. */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "made.h"
#include "report/out.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <orrery/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#define WITH_SQLITE
#endif

/* On 2 nodes of 4 GPUs: A holds node 0, is preempted by B, comes back on node 1; C was rejected, D never began; E has
 * no GPUs.
 *
 *     t   0.............10..............20......25.5
 *     n0  A A A A       B B B B B B B B
 *     n1                                A A A A
 */
static const made schedule = {
    .policy = "srtf",
    .measured = 2,
    .metrics =
        "\"jct\":{\"n\":2,\"mean\":17.75,\"p50\":17.75,\"p90\":24,\"p95\":25,\"p99\":25.4,\"max\":25.5,\"sum\":35.5},"
        "\"rho:avg_n\":{\"n\":0,\"mean\":null,\"p50\":null,\"sum\":null},\"gpu_alloc\":0.25,\"preemptions\":1,"
        "\"load:V100\":0.75,\"custom\":{\"mean(jct where vc = \\\"x\\\")\":4}",
    .vcs = "\"a \\\"b\\\" \\\\c\":{\"metrics\":{\"jct\":{\"mean\":3},\"gpu_alloc\":0.5}}",
    .jobs = "A,4,0,0,25.5,done,25.5,10,15.5,15.5,1\n"
            "B,8,9.6,10,20,failed,10.4,0.4,10,10,1\n"
            "C,99,3,,3,rejected,,,5,0,0\n"
            "D,1,4,,,queued,,,5,0,0\n"
            "E,0,5,5,6,killed,1,0,1,1,1\n",
    .attempts = "E,1,5,6,0,0:,1,killed,0\n"
                "A,1,0,10,4,0:0-3,1,preempted,0.5\n"
                "B,1,10,20,8,0:0-3;1:0+2-3,2,failed,0\n"
                "A,2,20,25.500000001,4,1:0-3,1,done,0.000000001\n",
    .timeline = "0,cluster,gpus_total,8\n0,cluster,gpus_held,4\n0,cluster,jobs_queued,0\n0,vc:x,gpus_total,4\n"
                "9.6,cluster,jobs_queued,1\n9.6,cluster,gpus_queued,8\n",
};

static orr_result *open_schedule(void)
{
    return made_result(&schedule);
}

/* Two runs of a writer give equal bytes; returns them. */
static char *written(const orr_result *r, orr_err (*write)(const orr_result *, const char *, orr_error *),
                     const char *name)
{
    orr_error e = {0};
    if (write(r, orr_result_dir(r), &e))
        fail_msg("%s", e.message);
    char *first = made_read(orr_result_dir(r), name);
    assert_int_equal(write(r, orr_result_dir(r), &e), ORR_OK);
    char *second = made_read(orr_result_dir(r), name);
    assert_string_equal(first, second);
    free(second);
    return first;
}

/* ---- Chrome's trace format ---- */

static const char *text_of(const cJSON *event, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double number_of(const cJSON *event, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static const cJSON *find(const cJSON *events, const char *phase, const char *name, int pid, int tid, double ts)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        if (strcmp(text_of(event, "ph"), phase) == 0 && strcmp(text_of(event, "name"), name) == 0 &&
            (pid < 0 || number_of(event, "pid") == pid) && (tid < 0 || number_of(event, "tid") == tid) &&
            (ts < 0 || number_of(event, "ts") == ts))
            return event;
    }
    return NULL;
}

static int count(const cJSON *events, const char *phase)
{
    int n = 0;
    const cJSON *event;
    cJSON_ArrayForEach(event, events)
    {
        n += strcmp(text_of(event, "ph"), phase) == 0;
    }
    return n;
}

/* What every event must have. */
static void check_event(const cJSON *event)
{
    const char *phase = text_of(event, "ph");
    assert_int_equal(strlen(phase), 1);
    assert_non_null(strchr("XMCsf", *phase));
    assert_true(*text_of(event, "name"));
    assert_true(number_of(event, "pid") >= 1 && number_of(event, "tid") >= 0);
    if (*phase != 'M')
        assert_true(number_of(event, "ts") >= 0);
    if (*phase == 'X')
        assert_true(number_of(event, "dur") >= 0 && number_of(event, "tid") >= 1);
    if (*phase == 's' || *phase == 'f')
        assert_true(number_of(event, "id") >= 1 && *text_of(event, "cat"));
}

static void perfetto(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    char *text = written(r, orr_out_perfetto, "perfetto.json.gz");
    assert_non_null(strstr(text, "\"ts\":9999999.999")); /* 1 ns before A's first end, in microseconds */
    cJSON *d = cJSON_Parse(text);
    assert_non_null(d);
    const cJSON *events = cJSON_GetObjectItem(d, "traceEvents"), *event;
    cJSON_ArrayForEach(event, events)
    {
        check_event(event);
    }
    assert_int_equal(number_of(d, "events"), cJSON_GetArraySize(events));
    assert_int_equal(number_of(d, "attempts_without_gpus_left_out"), 1);
    assert_int_equal(count(events, "X"), 4 + 7 + 4);
    assert_non_null(find(events, "X", "A", 1, 4, 0));
    assert_null(find(events, "X", "B", 2, 2, -1)); /* GPU 1 of node 1 isn't held */
    event = find(events, "X", "A", 2, 1, 20e6);
    assert_true(fabs(number_of(event, "dur") - 5500000.001) < 1e-6);
    assert_string_equal(text_of(event, "cat"), "done");
    assert_string_equal(text_of(cJSON_GetObjectItem(find(events, "M", "process_name", 2, -1, -1), "args"), "name"),
                        "node 1");
    assert_string_equal(text_of(cJSON_GetObjectItem(find(events, "M", "thread_name", 1, 4, -1), "args"), "name"),
                        "GPU 3");
    assert_int_equal(count(events, "s"), 1); /* from A on node 0 to A on node 1 */
    assert_non_null(find(events, "s", "next attempt", 1, 1, -1));
    assert_non_null(find(events, "f", "next attempt", 2, 1, 20e6));
    event = cJSON_GetObjectItem(find(events, "C", "GPUs", -1, -1, 0), "args");
    assert_true(number_of(event, "held") == 4 && number_of(event, "free") == 4);
    event = cJSON_GetObjectItem(find(events, "C", "queue", -1, -1, 9600000), "args");
    assert_true(number_of(event, "jobs") == 1 && number_of(event, "gpus") == 8);
    assert_non_null(find(events, "C", "GPUs of vc:x", -1, -1, 0));
    assert_int_equal(count(events, "C"), 2 + 2 + 2);
    cJSON_Delete(d);
    free(text);
    made_remove(r);
}

static void texts_are_escaped(void **state)
{
    (void)state;
    const made odd = {.attempts = "\"a\"\"b\\\tc\",1,0,10,1,0:0,1,done,0\n"};
    orr_result *r = made_result(&odd);
    char *text = written(r, orr_out_perfetto, "perfetto.json.gz");
    cJSON *d = cJSON_Parse(text);
    assert_non_null(find(cJSON_GetObjectItem(d, "traceEvents"), "X", "a\"b\\\tc", -1, -1, -1));
    cJSON_Delete(d);
    free(text);
    made_remove(r);
}

/* ---- OpenMetrics ---- */

static bool is_name(const char *text, size_t n)
{
    return n > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= n &&
           !(*text >= '0' && *text <= '9');
}

/* name{label="text",...} number */
static void check_sample(const char *line, const char *family)
{
    const char *at = line + strcspn(line, "{ ");
    if (!is_name(line, (size_t)(at - line)) || strncmp(line, family, strlen(family)) != 0 || *at != '{')
        fail_msg("%s below %s", line, family);
    do {
        const char *label = ++at;
        at += strcspn(at, "=");
        assert_true(is_name(label, (size_t)(at - label)) && at[1] == '"');
        for (at += 2; *at != '"'; at += 1 + (*at == '\\'))
            assert_true(*at && (*at != '\\' || strchr("\\\"n", at[1])));
        at++;
    } while (*at == ',');
    double value;
    if (strncmp(at, "} ", 2) != 0 || !orr_parse_double(at + 2, strlen(at + 2), &value))
        fail_msg("%s", line);
}

/* Families: TYPE, perhaps UNIT (a suffix of the name), HELP, samples; each family once; EOF at the end. */
static void check_lines(char *text)
{
    char family[128] = "", unit[64];
    orr_names *families = orr_names_create();
    size_t samples = 1;
    bool ended = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_false(ended);
        if (strcmp(line, "# EOF") == 0) {
            ended = true;
        } else if (sscanf(line, "# TYPE %127s", family) == 1) {
            assert_true(samples > 0);
            assert_int_equal(orr_names_find(families, family, strlen(family)), -1);
            orr_names_id(families, family, strlen(family));
            samples = 0;
        } else if (sscanf(line, "# UNIT %*s %63s", unit) == 1) {
            assert_string_equal(family + strlen(family) - strlen(unit), unit);
        } else if (*line != '#') {
            check_sample(line, family);
            samples++;
        } else {
            assert_int_equal(strncmp(line, "# HELP ", 7), 0);
        }
    }
    assert_true(ended && samples > 0);
    orr_names_destroy(families);
}

static void openmetrics(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    char *text = written(r, orr_out_openmetrics, "metrics.txt");
#define LABELS "policy=\"srtf\",trace=\"t.csv\",cluster=\"tiny\""
    static const char *const lines[] = {
        "# TYPE orrery_jct_seconds summary\n# UNIT orrery_jct_seconds seconds\n",
        "\norrery_jct_seconds{" LABELS ",quantile=\"0.99\"} 25.4\n",
        "\norrery_jct_seconds_sum{" LABELS "} 35.5\norrery_jct_seconds_count{" LABELS "} 2\n",
        "\norrery_jct_mean_seconds{" LABELS "} 17.75\norrery_jct_mean_seconds{" LABELS ",vc=\"a \\\"b\\\" \\\\c\"} 3\n",
        "\norrery_gpu_alloc_ratio{" LABELS "} 0.25\n",
        "\norrery_load_V100_ratio{" LABELS "} 0.75\n",
        "\norrery_jobs{" LABELS ",state=\"rejected\"} 1\n",
        "\norrery_metric{" LABELS ",metric=\"mean(jct where vc = \\\"x\\\")\"} 4\n",
        "\norrery_jobs_measured{" LABELS "} 2\n# EOF\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("%s is missing in %s", lines[i], text);
    assert_null(strstr(text, "rho_avg_n_mean")); /* undefined */
    check_lines(text);
    free(text);
    made_remove(r);
}

/* ---- Batsim ---- */

static void batsim(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    char *text = written(r, orr_out_batsim, "batsim/jobs.csv");
    assert_string_equal(text, "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
                              "requested_time,success,final_state,starting_time,execution_time,finish_time,"
                              "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n"
                              "A,w0,15.5,0,4,,1,COMPLETED_SUCCESSFULLY,0,25.5,25.5,0,25.5,1,4-7,,"
                              "held=15.5 starts=0 preemptions=0 migrations=0\n"
                              "B,w0,10,9.6,8,,0,COMPLETED_FAILED,10,10,20,0.4,10.4,1.04,0-4 6-7,,"
                              "held=10 starts=0 preemptions=0 migrations=0\n"
                              "C,w0,5,3,99,,0,REJECTED,,,,,,,,,held=0 starts=0 preemptions=0 migrations=0\n"
                              "E,w0,1,5,0,,0,COMPLETED_KILLED,5,1,6,0,1,1,,,"
                              "held=1 starts=0 preemptions=0 migrations=0\n");
    free(text);
    text = made_read(orr_result_dir(r), "batsim/schedule.csv");
    assert_string_equal(text,
                        "makespan,max_slowdown,max_turnaround_time,max_waiting_time,mean_slowdown,"
                        "mean_turnaround_time,mean_waiting_time,nb_computing_machines,nb_jobs,nb_jobs_finished,"
                        "nb_jobs_killed,nb_jobs_success,success_rate\n"
                        "25.5,1.04,25.5,0.4,1.0133333333333334,12.299999999999999,0.13333333333333333,8,5,3,2,1,0.2\n");
    free(text);
    made_remove(r);
}

/* Where nodes aren't equal, GPUs are numbered by those seen. */
static void batsim_on_uneven_nodes(void **state)
{
    (void)state;
    const made uneven = {.jobs = "A,3,0,0,1,done,1,0,1,1,1\n", .attempts = "A,1,0,1,7,0:0-5;2:1,2,done,0\n"};
    orr_result *r = made_result(&uneven); /* 8 GPUs on 2 nodes: not what was used */
    char *text = written(r, orr_out_batsim, "batsim/jobs.csv");
    assert_non_null(strstr(text, ",0-5 7,"));
    free(text);
    made_remove(r);
}

/* ---- SWF ---- */

static void swf(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    char *text = written(r, orr_out_swf, "schedule.swf");
    assert_non_null(strstr(text, "; MaxNodes: 2\n; MaxProcs: 8\n"));
    const char *rows = strstr(text, "\n1 ");
    assert_non_null(rows);
    /* 9.6 is 10, 15.5 is 16, 25.5 is 26 */
    assert_string_equal(rows + 1, "1 0 10 16 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                  "2 10 0 10 8 -1 -1 8 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
                                  "3 3 -1 -1 -1 -1 -1 99 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
                                  "4 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
                                  "5 5 0 1 0 -1 -1 0 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n");
    free(text);
    made_remove(r);
}

/* Our own reader takes it as a trace whose record is the schedule. */
static void swf_reads_back(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    char *text = written(r, orr_out_swf, "schedule.swf");
    free(text);
    orr_text path = {0};
    orr_text_addf(&path, "%s/schedule.swf", orr_result_dir(r));
    orr_error e = {0};
    orr_trace *trace = orr_trace_read(path.at, NULL, &e);
    if (!trace)
        fail_msg("%s", e.message);
    assert_string_equal(orr_trace_format(trace), "swf");
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    assert_true(orr_trace_count(trace) >= 2);
    assert_string_equal(jobs[0].id, "1");
    assert_true(jobs[0].gpus == 4 && jobs[0].duration == 16 * ORR_SECOND && jobs[0].end == 26 * ORR_SECOND);
    orr_trace_destroy(trace);
    orr_text_fini(&path);
    made_remove(r);
}

/* ---- SQLite ---- */

#ifdef WITH_SQLITE
static void check_query(sqlite3 *db, const char *sql, const char *want)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const char *got = (const char *)sqlite3_column_text(s, 0);
    if (strcmp(got ? got : "NULL", want) != 0)
        fail_msg("%s gives %s", sql, got ? got : "NULL");
    sqlite3_finalize(s);
}

static void sqlite(void **state)
{
    (void)state;
    if (!orr_out_has_sqlite())
        skip();
    orr_result *r = open_schedule();
    orr_error e = {0};
    orr_text path = {0};
    sqlite3 *db;
    assert_int_equal(orr_out_sqlite(r, orr_result_dir(r), &e), ORR_OK);
    orr_text_addf(&path, "%s/result.sqlite", orr_result_dir(r));
    assert_int_equal(sqlite3_open_v2(path.at, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    check_query(db, "PRAGMA integrity_check", "ok");
    check_query(db, "SELECT count(*) FROM jobs", "5");
    check_query(db, "SELECT jct FROM jobs WHERE job_id = 'B'", "10.4");
    check_query(db, "SELECT first_start FROM jobs WHERE job_id = 'D'", "NULL");
    check_query(db, "SELECT sum(measured) FROM jobs", "3");
    check_query(db, "SELECT allocation FROM attempts WHERE job_id = 'B'", "0:0-3;1:0+2-3");
    check_query(db, "SELECT sum((end - start) * gpus) FROM attempts WHERE job_id = 'A'", "62.000000004");
    check_query(db, "SELECT max(value) FROM timeline WHERE metric = 'jobs_queued'", "1.0");
    check_query(db, "SELECT value FROM summary WHERE key = 'metrics.jct.mean'", "17.75");
    check_query(db, "SELECT value FROM summary WHERE key = 'policy.asked'", "srtf");
    check_query(db, "SELECT count(*) FROM manifest WHERE key LIKE 'wall%'", "0");
    sqlite3_close(db);
    orr_text_fini(&path);
    made_remove(r);
}
#endif

/* ---- what goes wrong ---- */

static orr_err (*const writers[])(const orr_result *, const char *, orr_error *) = {
    orr_out_perfetto, orr_out_openmetrics, orr_out_batsim, orr_out_swf, orr_out_sqlite};

static void folders_that_are_not_there(void **state)
{
    (void)state;
    orr_result *r = open_schedule();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        orr_error e = {0};
        const orr_err err = writers[i](r, "/nonexistent/folder", &e);
        if (err != ORR_E_CREATE && err != ORR_E_MISSING)
            fail_msg("writer %zu: %s", i, orr_err_name(err));
        assert_int_equal(e.code, err);
    }
    made_remove(r);
}

/* A damaged table is an error, and nothing half is left. */
static void damaged_tables(void **state)
{
    (void)state;
    static const char *const files[] = {"perfetto.json.gz", NULL, "batsim/jobs.csv", "schedule.swf", "result.sqlite"};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        orr_result *r = open_schedule();
        orr_error e = {0};
        orr_text path = {0};
        if (files[i] && !(i == 4 && !orr_out_has_sqlite())) {
            made_file(orr_result_dir(r), "jobs.csv", "job_id,gpus\n");
            made_file(orr_result_dir(r), "attempts.csv",
                      "job_id,attempt,start,end,gpus,allocation,nodes,reason\n"
                      "a,1,0,1,1,0-3,1,done\n");
            if (i == 3 || i == 4)
                assert_int_equal(writers[i](r, orr_result_dir(r), &e), ORR_E_MISSING_COLUMN);
            else
                assert_int_equal(writers[i](r, orr_result_dir(r), &e), ORR_E_SYNTAX);
            orr_text_addf(&path, "%s/%s", orr_result_dir(r), files[i]);
            assert_int_not_equal(access(path.at, F_OK), 0);
        }
        orr_text_fini(&path);
        made_remove(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfetto),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(openmetrics),
        cmocka_unit_test(batsim),
        cmocka_unit_test(batsim_on_uneven_nodes),
        cmocka_unit_test(swf),
        cmocka_unit_test(swf_reads_back),
#ifdef WITH_SQLITE
        cmocka_unit_test(sqlite),
#endif
        cmocka_unit_test(folders_that_are_not_there),
        cmocka_unit_test(damaged_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
