/* Results side by side: what may be compared, buckets, the best, bounds, and what is printed. */
#include "made.h"
#include "report/comparison.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_A "a,1,0,0,60,done,60,0,60,60,1\nb,8,0,0,100,done,100,0,60,100,1\n"
#define JOBS_B "a,1,0,0,30,done,30,0,60,30,1\nb,8,0,0,120,done,120,0,60,120,1\n"

static const made fifo = {.measured = 2,
                          .metrics = "\"jct\":{\"mean\":80,\"p99\":100},\"gpu_alloc\":0.5,\"preemptions\":0,"
                                     "\"gpus\":8,\"jain\":null,\"lost_work\":0",
                          .jobs = JOBS_A};
static const made srtf = {.policy = "srtf",
                          .measured = 2,
                          .metrics = "\"jct\":{\"mean\":75,\"p99\":120},\"gpu_alloc\":0.5,\"preemptions\":3,"
                                     "\"gpus\":8,\"jain\":null,\"lost_work\":0",
                          .jobs = JOBS_B};

static orr_comparison *compare(const orr_result *const *results, size_t n, const orr_comparison_options *o)
{
    const orr_comparison_options none = {.force = false};
    orr_error e = {0};
    orr_comparison *c = orr_comparison_make(results, n, o ? o : &none, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

static void check_value(const orr_comparison *c, const char *key, size_t i, double value, double relative, bool best,
                        orr_bucket bucket)
{
    const orr_compared_metric *m = orr_comparison_metric(c, key);
    if (!m)
        fail_msg("no row %s", key);
    const orr_compared_value *v = &m->values[i];
    const bool same = v->relative == relative || (isnan(v->relative) && isnan(relative));
    if (v->value != value || !same || v->best != best || v->bucket != bucket)
        fail_msg("%s of %zu: %g %g %d %s", key, i, v->value, v->relative, v->best, orr_bucket_name(v->bucket));
}

static void two_results(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&srtf);
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, NULL);
    assert_int_equal(c->base, 0);
    assert_string_equal(c->results.at[1].label, "srtf");
    check_value(c, "jct.mean", 0, 80, 0, false, ORR_BUCKET_SAME);
    check_value(c, "jct.mean", 1, 75, -0.0625, true, ORR_BUCKET_IMPROVED);
    check_value(c, "jct.p99", 1, 120, 0.2, false, ORR_BUCKET_REGRESSED);
    check_value(c, "jct.p99", 0, 100, 0, true, ORR_BUCKET_SAME);
    check_value(c, "gpu_alloc", 1, 0.5, 0, false, ORR_BUCKET_SAME);
    check_value(c, "preemptions", 1, 3, NAN, false, ORR_BUCKET_REGRESSED);
    assert_null(orr_comparison_metric(c, "jain"));      /* undefined in both */
    assert_null(orr_comparison_metric(c, "lost_work")); /* 0 in both */
    assert_null(orr_comparison_metric(c, "gpus"));      /* not among the usual */
    assert_false(c->results.at[0].has_paired);
    assert_true(c->results.at[1].has_paired);
    assert_int_equal(c->results.at[1].paired.all.better, 1);
    assert_true(c->results.at[1].paired.all.mean == -5);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void another_base_and_chosen_metrics(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&srtf);
    const char *const metrics[] = {"jct.*", "gpus", "jain", "mean(jct where gpus>=8)", "gpus", "jobs.rejected"};
    const orr_comparison_options o = {.base = "srtf", .metrics = metrics, .metric_count = 6};
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, &o);
    assert_int_equal(c->base, 1);
    static const char *const keys[] = {"jct.mean",     "jct.p99", "gpus", "jain", "mean(jct where gpus>=8)",
                                       "jobs.rejected"};
    assert_int_equal(c->metrics.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(c->metrics.at[i].key, keys[i]);
    check_value(c, "jct.mean", 0, 80, 5.0 / 75, false, ORR_BUCKET_REGRESSED);
    check_value(c, "gpus", 0, 8, 0, false, ORR_BUCKET_SAME);
    check_value(c, "mean(jct where gpus>=8)", 0, 100, -20.0 / 120, false, ORR_BUCKET_CHANGED);
    assert_string_equal(orr_comparison_metric(c, "mean(jct where gpus>=8)")->unit, "s");
    assert_true(isnan(orr_comparison_metric(c, "jain")->values[0].value));
    assert_true(c->results.at[0].paired.all.mean == 5);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void equal_policies_go_by_their_folders(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&fifo);
    orr_result_rename(a, "out/monday");
    orr_result_rename(b, "out/tuesday");
    const orr_comparison_options o = {.base = "out/tuesday"};
    orr_comparison *c = compare((const orr_result *[]){a, b, b}, 3, &o);
    assert_string_equal(c->results.at[0].label, "out/monday");
    assert_string_equal(c->results.at[1].label, "out/tuesday");
    assert_string_equal(c->results.at[2].label, "out/tuesday#2");
    assert_int_equal(c->base, 1);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

/* ---- what isn't comparable ---- */

static void refuse(const made *m, const char *what)
{
    orr_result *a = made_result(&fifo), *b = made_result(m);
    const orr_result *both[] = {a, b};
    const orr_comparison_options no = {.force = false}, forced = {.force = true};
    orr_error e = {0};
    assert_null(orr_comparison_make(both, 2, &no, &e));
    if (e.code != ORR_E_NOT_COMPARABLE || !strstr(e.message, what))
        fail_msg("%s: %s", what, e.message);
    orr_comparison *c = compare(both, 2, &forced);
    bool found = false;
    for (size_t i = 0; i < c->disparities.n; i++)
        found |= strcmp(c->disparities.at[i].what, what) == 0;
    if (!found)
        fail_msg("%s is not told", what);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void other_scenarios_are_refused(void **state)
{
    (void)state;
    made m = srtf;
    m.trace_digest = "t2";
    refuse(&m, "trace");
    m = srtf;
    m.costs = "restore=30s";
    refuse(&m, "costs");
    m = srtf;
    m.jobs = "a,1,0,0,60,done,60,0,60,60,1\nb,8,0,,,queued,,,60,0,0\n";
    m.measured = 1;
    refuse(&m, "measured jobs");
    m.jobs = "a,1,0,0,60,done,60,0,60,60,1\nc,8,0,0,100,done,100,0,60,100,1\n"; /* as many, but others */
    m.measured = 2;
    refuse(&m, "measured jobs");
}

static void settings_of_the_manifest_count(void **state)
{
    (void)state;
    made m = fifo, n = srtf;
    m.settings = "\"where\":\"\",\"policy\":\"fifo\",\"trace\":\"a.csv\",\"max-wall\":\"inf\",\"sample\":\"1\"";
    n.settings = "\"where\":\"gpus > 1\",\"policy\":\"srtf\",\"trace\":\"b.csv\",\"max-wall\":\"9s\"";
    orr_result *a = made_result(&m), *b = made_result(&n);
    const orr_comparison_options forced = {.force = true};
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, &forced);
    assert_int_equal(c->disparities.n, 1); /* paths, policies, limits and what one doesn't say are passed over */
    assert_string_equal(c->disparities.at[0].what, "where");
    assert_string_equal(c->disparities.at[0].values[0], "none");
    assert_string_equal(c->disparities.at[0].values[1], "gpus > 1");
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void other_traces_make_no_pairs(void **state)
{
    (void)state;
    made m = srtf;
    m.trace_digest = "t2";
    orr_result *a = made_result(&fifo), *b = made_result(&m);
    const orr_comparison_options forced = {.force = true};
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, &forced);
    assert_false(c->results.at[1].has_paired);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void nothing_to_compare(void **state)
{
    (void)state;
    made none = fifo;
    none.measured = 0;
    orr_result *a = made_result(&fifo), *b = made_result(&none);
    const orr_comparison_options forced = {.force = true};
    orr_error e = {0};
    assert_null(orr_comparison_make((const orr_result *[]){a}, 1, &forced, &e));
    assert_int_equal(e.code, ORR_E_NOT_COMPARABLE);
    e = (orr_error){0};
    assert_null(orr_comparison_make(NULL, 0, &forced, &e));
    assert_int_equal(e.code, ORR_E_NOT_COMPARABLE);
    e = (orr_error){0};
    assert_null(orr_comparison_make((const orr_result *[]){a, b}, 2, &forced, &e));
    assert_int_equal(e.code, ORR_E_NOT_COMPARABLE);
    made_remove(a);
    made_remove(b);
}

static void wrong_requests(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&srtf);
    static const struct {
        const char *base, *metric, *says;
    } rows[] = {{"srft", NULL, "srtf"},
                {NULL, "jct.meen", "jct.mean"},
                {NULL, "nothing.*", ""},
                {NULL, "mean(jct wehre gpus>1)", ""},
                {NULL, "mean(durations)", "duration"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_comparison_options o = {
            .base = rows[i].base, .metrics = &rows[i].metric, .metric_count = rows[i].metric ? 1 : 0};
        orr_error e = {0};
        assert_null(orr_comparison_make((const orr_result *[]){a, b}, 2, &o, &e));
        if (e.code != ORR_E_BAD_VALUE || !strstr(e.hint, rows[i].says))
            fail_msg("row %zu: %s, %s", i, e.message, e.hint);
    }
    made_remove(a);
    made_remove(b);
}

/* ---- buckets and bounds ---- */

static void buckets(void **state)
{
    (void)state;
    static const struct {
        double base, value;
        orr_direction direction;
        orr_bucket bucket;
    } rows[] = {
        {10, 9, ORR_BETTER_LOWER, ORR_BUCKET_IMPROVED},         {10, 11, ORR_BETTER_LOWER, ORR_BUCKET_REGRESSED},
        {10, 9, ORR_BETTER_HIGHER, ORR_BUCKET_REGRESSED},       {10, 11, ORR_BETTER_HIGHER, ORR_BUCKET_IMPROVED},
        {10, 9, ORR_BETTER_TARGET, ORR_BUCKET_CHANGED},         {10, 10, ORR_BETTER_TARGET, ORR_BUCKET_SAME},
        {NAN, 1, ORR_BETTER_LOWER, ORR_BUCKET_CHANGED},         {1, NAN, ORR_BETTER_LOWER, ORR_BUCKET_CHANGED},
        {NAN, NAN, ORR_BETTER_LOWER, ORR_BUCKET_SAME},          {1e9, 1e9 + 0.5, ORR_BETTER_LOWER, ORR_BUCKET_SAME},
        {1e9, 1e9 + 2, ORR_BETTER_LOWER, ORR_BUCKET_REGRESSED}, {0, 0, ORR_BETTER_LOWER, ORR_BUCKET_SAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (orr_bucket_of(rows[i].base, rows[i].value, rows[i].direction) != rows[i].bucket)
            fail_msg("row %zu", i);
}

static void bounds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double base, value;
        bool holds;
    } rows[] = {
        {"jct.mean:+2%", 100, 102, true},
        {"jct.mean:+2%", 100, 102.1, false},
        {"jct.mean:+2%", 100, 1, true},
        {"gpu_alloc:-1%", 0.5, 0.495, true},
        {"gpu_alloc:-1%", 0.5, 0.49, false},
        {"gpu_alloc:-1%", 0.5, 0.9, true},
        {"jct.p99:+30s", 100, 130, true},
        {"jct.p99:+30s", 100, 131, false},
        {"jct.p99:+0.5m", 100, 131, false},
        {"preemptions:+0", 5, 5, true},
        {"preemptions:+0", 5, 6, false},
        {"preemptions:-0", 5, 6, true},
        {"jct.mean:2%", 100, 103, false},
        {"jct.mean:2%", 100, 97, true},
        {"gpu_alloc:2%", 0.5, 0.48, false},
        {"gpu_alloc:2%", 0.5, 0.6, true},
        {"gpus:0", 8, 9, false},
        {"gpus:0", 8, 7, false},
        {"rho:avg_n.mean:+10%", 1, 1.05, true},
        {"mean(jct where gpus>2):+1m", 100, 150, true},
        {"jct.mean:+2%", 0, 1, false},
        {"jct.mean:+0%", 0, 0, true},
        {"jct.mean:+2%", -100, -98, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_bound b;
        if (orr_bound_parse(rows[i].text, &b, NULL))
            fail_msg("%s can't be read", rows[i].text);
        const orr_bound_answer a = orr_bound_check(&b, rows[i].base, rows[i].value);
        if (!a.decided || a.holds != rows[i].holds)
            fail_msg("%s at %g and %g", rows[i].text, rows[i].base, rows[i].value);
        orr_bound_fini(&b);
    }
    orr_bound b;
    assert_int_equal(orr_bound_parse("jain:+0", &b, NULL), ORR_OK);
    const orr_bound_answer a = orr_bound_check(&b, NAN, 1);
    assert_false(a.decided || a.holds);
    orr_bound_fini(&b);
}

static void wrong_bounds(void **state)
{
    (void)state;
    static const char *const texts[] = {"jct.mean",
                                        "jct.mean:",
                                        ":+2%",
                                        "jct.mean:+",
                                        "jct.mean:%",
                                        "jct.mean:two",
                                        "jct.mean:+-2%",
                                        "preemptions:+3s",
                                        "jct.mean:+2 %",
                                        "jct.mean:nan",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_bound b;
        orr_error e = {0};
        if (orr_bound_parse(texts[i], &b, &e) != ORR_E_BAD_VALUE || !*e.hint)
            fail_msg("%s was taken", texts[i]);
    }
}

static void bounds_of_a_comparison(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&srtf);
    orr_error e = {0};
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, NULL);
    assert_int_equal(orr_comparison_bound(c, "jct.p99:+10%", &e), ORR_OK);
    assert_int_equal(orr_comparison_bound(c, "gpus:0", &e), ORR_OK); /* gets a row */
    assert_non_null(orr_comparison_metric(c, "gpus"));
    assert_true(c->bounds.at[0].answers[0].holds);
    assert_false(c->bounds.at[0].answers[1].holds);
    assert_true(c->bounds.at[1].answers[1].holds);
    assert_int_equal(orr_comparison_bound(c, "jct.p42:+1%", &e), ORR_E_BAD_VALUE);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

/* ---- told ---- */

static void values_for_people(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } rows[] = {{0.65731, "ratio", "0.6573"},
                {25968.491, "ratio", "25,968.49"},
                {3, "count", "3"},
                {1234567, "count", "1,234,567"},
                {5400, "s", "1 h 30 m"},
                {7200, "gpu*s", "2.0 GPU h"},
                {NAN, "s", "-"},
                {-0.25, "", "-0.2500"},
                {0, "ratio", "0"},
                {1e300, "", "1e+300"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text t = {0};
        orr_metric_shown(rows[i].value, rows[i].unit, &t);
        assert_string_equal(t.at, rows[i].text);
        orr_text_fini(&t);
    }
    orr_text t = {0};
    orr_relative_shown(-0.9476, &t);
    orr_text_addf(&t, "|");
    orr_relative_shown(0.00012, &t);
    orr_text_addf(&t, "|");
    orr_relative_shown(NAN, &t);
    orr_text_addf(&t, "|");
    orr_difference_shown(-90, "s", &t);
    assert_string_equal(t.at, "-94.8 %|+0.0120 %|-|-1 m 30 s");
    orr_text_fini(&t);
}

static void the_document_reads_back(void **state)
{
    (void)state;
    made m = srtf;
    m.biased = true;
    orr_result *a = made_result(&fifo), *b = made_result(&m);
    orr_result_rename(a, "a \"quoted\" name");
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, NULL);
    assert_int_equal(orr_comparison_bound(c, "jct.p99:+10%", NULL), ORR_OK);
    orr_text t = {0};
    assert_int_equal(orr_comparison_json(c, &t, NULL), ORR_OK);
    cJSON *d = cJSON_Parse(t.at);
    assert_non_null(d);
    assert_string_equal(cJSON_GetObjectItem(d, "schema")->valuestring, "orrery.comparison/1");
    const cJSON *results = cJSON_GetObjectItem(d, "results"), *jobs = cJSON_GetObjectItem(d, "jobs");
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(results, 0), "name")->valuestring, "a \"quoted\" name");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(results, 1), "biased")));
    assert_int_equal(cJSON_GetArraySize(jobs), 1);
    assert_true(cJSON_GetObjectItem(cJSON_GetArrayItem(jobs, 0), "mean")->valuedouble == -5);
    const cJSON *bound = cJSON_GetArrayItem(cJSON_GetObjectItem(d, "bounds"), 0);
    assert_string_equal(cJSON_GetObjectItem(bound, "verdict")->valuestring, "violated");
    cJSON_Delete(d);
    orr_text_fini(&t);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void the_table_as_text(void **state)
{
    (void)state;
    orr_result *a = made_result(&fifo), *b = made_result(&srtf);
    const char *const metrics[] = {"jct.mean", "gpu_alloc"};
    const orr_comparison_options o = {.metrics = metrics, .metric_count = 2};
    orr_comparison *c = compare((const orr_result *[]){a, b}, 2, &o);
    orr_text t = {0};
    orr_comparison_print(c, ORR_TABLE_TEXT, &t);
    const char *want = "trace    t.csv    2 jobs measured (all)\n"
                       "cluster  tiny\n"
                       "base     fifo\n"
                       "\n"
                       "metric         fifo        srtf  difference  relative  verdict\n"
                       "jct.mean   1 m 20 s  * 1 m 15 s        -5 s    -6.3 %  improved\n"
                       "gpu_alloc    0.5000      0.5000           0     0.0 %  same\n"
                       "* the best of the row\n"
                       "srtf: 1 improved, 0 regressed, 0 changed, 1 same\n";
    if (strncmp(t.at, want, strlen(want)) != 0)
        fail_msg("%s", t.at);
    orr_text_fini(&t);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_results),
        cmocka_unit_test(another_base_and_chosen_metrics),
        cmocka_unit_test(equal_policies_go_by_their_folders),
        cmocka_unit_test(other_scenarios_are_refused),
        cmocka_unit_test(settings_of_the_manifest_count),
        cmocka_unit_test(other_traces_make_no_pairs),
        cmocka_unit_test(nothing_to_compare),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(buckets),
        cmocka_unit_test(bounds),
        cmocka_unit_test(wrong_bounds),
        cmocka_unit_test(bounds_of_a_comparison),
        cmocka_unit_test(values_for_people),
        cmocka_unit_test(the_document_reads_back),
        cmocka_unit_test(the_table_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
