/* summary.json reads back with the values that went in. */
#include "sample.h"
#include "trace/store.h"

#include <cjson/cJSON.h>

#include <stdio.h>

static cJSON *summary_of(const orr_report_run *run, bool pretty)
{
    orr_text text = {0};
    orr_error e = {0};
    if (orr_summary_json(run, pretty, &text, &e))
        fail_msg("%s", e.message);
    assert_int_equal(text.at[text.n - 1], '\n');
    assert_true(pretty || strchr(text.at, '\n') == text.at + text.n - 1);
    cJSON *document = cJSON_Parse(text.at);
    assert_non_null(document);
    orr_text_fini(&text);
    return document;
}

/* "jobs/submitted" */
static const cJSON *at(const cJSON *document, const char *path)
{
    char buf[128];
    snprintf(buf, sizeof buf, "%s", path);
    const cJSON *item = document;
    for (char *part = buf, *next; part; part = next) {
        next = strchr(part, '/');
        if (next)
            *next++ = '\0';
        item = cJSON_GetObjectItemCaseSensitive(item, part);
        if (!item)
            fail_msg("%s is absent", path);
    }
    return item;
}

static void assert_number(const cJSON *document, const char *path, double want)
{
    assert_true(cJSON_IsNumber(at(document, path)));
    if (at(document, path)->valuedouble != want)
        fail_msg("%s is %.17g, should be %.17g", path, at(document, path)->valuedouble, want);
}

static void assert_text(const cJSON *document, const char *path, const char *want)
{
    assert_string_equal(cJSON_GetStringValue(at(document, path)), want);
}

static void reads_back(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    cJSON *d = summary_of(&s.run, true);
    assert_string_equal(d->child->string, "schema");
    assert_text(d, "schema", "orrery.summary/1");
    assert_text(d, "policy/asked", "fifo:strict");
    assert_text(d, "policy/resolved", "fifo,hol=block+consolidate~oracle");
    assert_text(d, "trace/name", "traces/three.csv");
    assert_number(d, "trace/jobs", 3);
    assert_number(d, "cluster/gpus", 4);
    assert_number(d, "cluster/nodes", 2);
    assert_text(d, "clock", "exact");
    assert_text(d, "stop_reason", "horizon");
    assert_number(d, "sim_end", 30);
    assert_number(d, "limits/until", 30);
    assert_text(d, "measured/rule", "all");
    assert_number(d, "measured/n", 2);
    assert_true(cJSON_IsTrue(at(d, "measured/biased")));
    assert_number(d, "metrics/jct/mean", s.run.metrics->jct.mean);
    assert_number(d, "metrics/jct/p99", s.run.metrics->jct.p99);
    assert_number(d, "metrics/slowdown/geomean", s.run.metrics->slowdown_geomean);
    assert_number(d, "metrics/rho:avg_n/max", s.run.metrics->rho.max);
    assert_number(d, "metrics/age_max", 20);
    assert_text(d, "knowledge/service", "observed");
    assert_text(d, "knowledge/duration", "none");
    assert_number(d, "counts/events", 9);
    assert_null(cJSON_GetObjectItem(d, "vcs"));
    cJSON_Delete(d);
    sample_fini(&s);
}

/* Who never came, what ran at the beginning, and whom the trace names but can't replay. */
static void jobs_that_were_not_run(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    s.run.counts.pending = 7;
    s.run.counts.resumed = 3;
    s.run.counts.displaced = 1;
    orr_trace_note(s.trace, ORR_FLAW_NEVER_RAN, NULL, 4);
    orr_trace_note(s.trace, ORR_FLAW_NEVER_RAN, NULL, 9);
    cJSON *d = summary_of(&s.run, true);
    assert_number(d, "jobs/pending", 7);
    assert_number(d, "jobs/carried", 0);
    assert_number(d, "jobs/resumed", 3);
    assert_number(d, "jobs/displaced", 1);
    assert_number(d, "trace/dropped/never-ran", 2);
    cJSON_Delete(d);
    sample_fini(&s);
}

static void every_metric_is_there(void *self, const char *key, double value, const char *unit)
{
    (void)unit;
    if (strcmp(key, "measured") == 0)
        return;
    char path[96];
    snprintf(path, sizeof path, "%s%s", strncmp(key, "jobs.", 5) == 0 ? "" : "metrics/", key);
    char *dot = strchr(path, '.');
    if (dot)
        *dot = '/';
    if (isnan(value))
        assert_true(cJSON_IsNull(at(self, path)));
    else
        assert_number(self, path, value);
}

static void metrics_and_nulls(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    assert_true(isnan(s.run.metrics->jain) && isnan(s.run.metrics->deadline_met));
    cJSON *d = summary_of(&s.run, false);
    orr_metrics_each(s.run.metrics, every_metric_is_there, d);
    assert_true(cJSON_IsNull(at(d, "metrics/jain")));
    assert_true(cJSON_IsNull(at(d, "error")));
    assert_true(cJSON_IsNull(at(d, "limits/max_events")));
    cJSON_Delete(d);
    sample_fini(&s);
}

/* Numbers asked for by expressions stand under their texts; keys of the summary have their places already. */
static void custom_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"mean(jct) / 1h", "gpu_alloc", "share(gpus > 99)"};
    sample s;
    orr_exprs asked;
    sample_init(&s);
    assert_int_equal(orr_exprs_parse(texts, 3, &asked, NULL), ORR_OK);
    const orr_custom custom[] = {{asked.exprs[0], 0.25}, {asked.exprs[1], 0.5}, {asked.exprs[2], NAN}};
    s.run.custom = custom;
    s.run.custom_count = 3;
    cJSON *d = summary_of(&s.run, false);
    const cJSON *object = at(d, "metrics/custom");
    assert_int_equal(cJSON_GetArraySize(object), 2);
    assert_true(cJSON_GetObjectItemCaseSensitive(object, "mean(jct) / 1h")->valuedouble == 0.25);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "share(gpus > 99)")));
    cJSON_Delete(d);
    orr_exprs_fini(&asked);
    sample_fini(&s);
}

/* A seed of 2^64 - 1 and a time of 292 years keep every digit: neither fits a double. */
static void numbers_keep_every_digit(void **state)
{
    (void)state;
    sample s;
    orr_text text = {0};
    sample_init(&s);
    s.run.end = ORR_TIME_MAX;
    assert_int_equal(orr_summary_json(&s.run, false, &text, NULL), ORR_OK);
    assert_non_null(strstr(text.at, "\"seed\":18446744073709551615,"));
    assert_non_null(strstr(text.at, "\"sim_end\":9223372036.854775807,"));
    orr_text_fini(&text);
    sample_fini(&s);
}

static void jobs_add_up(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    cJSON *d = summary_of(&s.run, false);
    static const char *const states[] = {"completed", "failed", "killed", "rejected",
                                         "running_at_end", "queued_at_end"};
    double sum = 0;
    for (size_t i = 0; i < COUNT(states); i++)
        sum += cJSON_GetObjectItem(at(d, "jobs"), states[i])->valuedouble;
    assert_number(d, "jobs/submitted", sum);
    assert_number(d, "jobs/queued_at_end", 1);
    assert_number(d, "jobs/pending", 0);
    cJSON_Delete(d);
    orr_error e = {0};
    orr_text text = {0};
    s.run.counts.submitted = 4;
    assert_int_equal(orr_summary_json(&s.run, false, &text, &e), ORR_E_INVARIANT);
    assert_null(text.at);
    sample_fini(&s);
}

static void warnings_notes_and_errors(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    static const orr_report_count warnings[] = {{"jobs-rejected", 2}, {"seed", 1}, {"jobs-rejected", 3}};
    orr_error error = {0};
    orr_error_set(&error, ORR_E_STALLED, "2 jobs wait");
    orr_error_when(&error, 1500000000, "j\"7\"");
    s.run.warnings = warnings;
    s.run.warning_count = COUNT(warnings);
    s.run.notes = calloc(1, sizeof *s.run.notes);
    s.run.notes[s.run.note_count++] = (orr_report_count){"demoted \xff", 4};
    s.run.error = &error;
    s.run.max_wall_s = 2.5;
    cJSON *d = summary_of(&s.run, true);
    assert_number(d, "warnings/jobs-rejected", 5);
    assert_number(d, "warnings/seed", 1);
    assert_text(d, "error/code", "stalled");
    assert_text(d, "error/job", "j\"7\"");
    assert_number(d, "error/at", 1.5);
    assert_number(d, "limits/max_wall", 2.5);
    assert_true(cJSON_GetArraySize(at(d, "notes")) == 1);
    cJSON_Delete(d);
    sample_fini(&s);
}

static void vcs_by_name(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_cluster_spec *two = orr_cluster_spec_create("two");
    orr_node_spec node = orr_node_spec_default();
    node.vc = "a";
    assert_int_equal(orr_cluster_spec_add(two, &node, 1, NULL), ORR_OK);
    node.vc = "b";
    assert_int_equal(orr_cluster_spec_add(two, &node, 1, NULL), ORR_OK);
    orr_metrics all[3] = {s.run.metrics[0], s.run.metrics[0], s.run.metrics[0]};
    all[2].queue_len = 42;
    s.run.metrics = all;
    s.run.metrics_count = 3;
    s.run.cluster = two;
    cJSON *d = summary_of(&s.run, false);
    assert_number(d, "vcs/b/metrics/queue_len", 42);
    assert_number(d, "vcs/a/jobs/submitted", 3);
    cJSON_Delete(d);
    orr_cluster_spec_destroy(two);
    sample_fini(&s);
}

static void equal_runs_give_equal_bytes(void **state)
{
    (void)state;
    orr_text texts[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        sample s;
        sample_init(&s);
        assert_int_equal(orr_summary_json(&s.run, true, &texts[i], NULL), ORR_OK);
        sample_fini(&s);
    }
    assert_string_equal(texts[0].at, texts[1].at);
    orr_text_fini(&texts[0]);
    orr_text_fini(&texts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(jobs_that_were_not_run),
        cmocka_unit_test(metrics_and_nulls),
        cmocka_unit_test(custom_numbers),
        cmocka_unit_test(numbers_keep_every_digit),
        cmocka_unit_test(jobs_add_up),
        cmocka_unit_test(warnings_notes_and_errors),
        cmocka_unit_test(vcs_by_name),
        cmocka_unit_test(equal_runs_give_equal_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
