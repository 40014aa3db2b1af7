/* Reading result folders. */
#include "made.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const made one = {
    .policy = "las:queues=3",
    .metrics = "\"jct\":{\"n\":2,\"mean\":7.5},\"rho:avg_n\":{\"mean\":1.25},\"gpu_alloc\":0.5,\"jain\":null,"
               "\"custom\":{\"mean(jct where gpus>=2.5)\":3}",
    .measured = 2,
    .jobs = "a,4,0,0,10,done,10,0,10,10,1\n"
            "\"b,\"\"x\"\"\",1,0.5,,,queued,,,4.000000001,0,0\n",
    .attempts = "a,1,0,10,4,0:0-2;1:5,2,done,0.25\n",
    .timeline = "0,cluster,gpus_held,4\n10,vc:x,jobs_queued,1\n",
};

static void documents(void **state)
{
    (void)state;
    orr_result *r = made_result(&one);
    assert_string_equal(orr_result_policy(r), "las:queues=3");
    assert_string_equal(orr_result_text(r, "policy.resolved"), "las:queues=3,k=1");
    assert_string_equal(orr_result_text(r, "policy.nothing"), "");
    assert_string_equal(orr_result_text(r, "seed"), ""); /* a number */
    assert_true(orr_result_is(orr_result_dir(r)));
    assert_false(orr_result_is("/tmp"));
    assert_non_null(cJSON_GetObjectItem(orr_result_manifest(r), "settings"));
    made_remove(r);
}

static void metrics_by_key(void **state)
{
    (void)state;
    orr_result *r = made_result(&one);
    static const struct {
        const char *key;
        double value;
    } rows[] = {{"jct.mean", 7.5},  {"jct.n", 2},    {"gpu_alloc", 0.5},   {"rho:avg_n.mean", 1.25},
                {"rho.mean", 1.25}, {"measured", 2}, {"jobs.rejected", 1}, {"mean(jct where gpus>=2.5)", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = -1;
        if (!orr_result_metric(r, rows[i].key, &v) || v != rows[i].value)
            fail_msg("%s is %g", rows[i].key, v);
    }
    double v = 0;
    assert_true(orr_result_metric(r, "jain", &v));
    assert_true(isnan(v));
    assert_false(orr_result_metric(r, "jct", &v));
    assert_false(orr_result_metric(r, "jct.p42", &v));
    assert_false(orr_result_metric(r, "custom.mean", &v));
    made_remove(r);
}

static bool check_job(void *self, const orr_result_job *job)
{
    int *n = self;
    if (++*n == 1) {
        assert_string_equal(job->id, "a");
        assert_int_equal(job->gpus, 4);
        assert_true(job->jct == 10 * ORR_SECOND);
        assert_true(job->measured);
        return true;
    }
    assert_string_equal(job->id, "b,\"x\"");
    assert_string_equal(job->user, ""); /* not a column of this table */
    assert_true(job->submit == ORR_SECOND / 2);
    assert_true(job->first_start == ORR_TIME_NONE);
    assert_true(job->jct == ORR_TIME_NONE);
    assert_true(job->duration == 4 * ORR_SECOND + 1);
    assert_true(job->deadline == ORR_TIME_NONE);
    assert_true(isnan(job->rho));
    assert_false(job->measured);
    return true;
}

static bool stop_at_once(void *self, const orr_result_job *job)
{
    (void)job;
    ++*(int *)self;
    return false;
}

static bool check_hold(void *self, const orr_result_hold *hold)
{
    ++*(int *)self;
    assert_string_equal(hold->allocation, "0:0-2;1:5");
    assert_string_equal(hold->reason, "done");
    assert_int_equal(hold->nodes, 2);
    assert_true(hold->overhead == ORR_SECOND / 4);
    return true;
}

static bool check_level(void *self, const orr_result_level *level)
{
    int *n = self;
    assert_string_equal(level->entity, *n ? "vc:x" : "cluster");
    assert_true(level->value == (*n ? 1 : 4));
    ++*n;
    return true;
}

static void tables(void **state)
{
    (void)state;
    orr_result *r = made_result(&one);
    int n = 0;
    assert_int_equal(orr_result_jobs(r, check_job, &n, NULL), ORR_OK);
    assert_int_equal(n, 2);
    assert_int_equal((n = 0, orr_result_jobs(r, stop_at_once, &n, NULL)), ORR_OK);
    assert_int_equal(n, 1);
    assert_int_equal((n = 0, orr_result_holds(r, check_hold, &n, NULL)), ORR_OK);
    assert_int_equal(n, 1);
    assert_int_equal((n = 0, orr_result_levels(r, check_level, &n, NULL)), ORR_OK);
    assert_int_equal(n, 2);
    made_remove(r);
}

static void damaged_tables_name_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line, column;
    } rows[] = {
        {"", ORR_E_EMPTY, 0, 0},
        {"job_id,gpus,submit,state,jct,duration\n", ORR_E_MISSING_COLUMN, 1, 0}, /* measured */
        {"job_id,gpus,submit,state,jct,duration,measured\na,1,0,done,5\n", ORR_E_RAGGED, 2, 0},
        {"job_id,gpus,submit,state,jct,duration,measured\na,one,0,done,5,5,1\n", ORR_E_NUMBER, 2, 3},
        {"job_id,gpus,submit,state,jct,duration,measured\na,1,0,done,soon,5,1\n", ORR_E_TIME, 2, 12},
        {"job_id,gpus,submit,state,jct,duration,measured\na,1,0,done,5,5,2\n", ORR_E_NUMBER, 2, 16},
        {"job_id,gpus,submit,state,jct,duration,measured\na,3000000000,0,done,5,5,1\n", ORR_E_NUMBER, 2, 3},
    };
    orr_result *r = made_result(&one);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        int n = 0;
        made_file(orr_result_dir(r), "jobs.csv", rows[i].text);
        if (orr_result_jobs(r, stop_at_once, &n, &e) != rows[i].code || e.line != rows[i].line ||
            e.column != rows[i].column)
            fail_msg("row %zu: %s at %d:%d", i, orr_err_name(e.code), e.line, e.column);
        assert_non_null(strstr(e.file, "jobs.csv"));
    }
    made_remove(r);
}

static void what_is_no_result(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text;
        orr_err code;
    } rows[] = {
        {"summary.json", "{\"schema\":\"orrery.summary/2\"}", ORR_E_VERSION},
        {"summary.json", "{\"schema\":\"orrery.manifest/1\"}", ORR_E_FORMAT},
        {"summary.json", "{\"schema\":\"orrery.summary\"}", ORR_E_FORMAT},
        {"summary.json", "{\"schema\":", ORR_E_FORMAT},
        {"summary.json", "[]", ORR_E_FORMAT},
        {"manifest.json", "{\"schema\":\"orrery.manifest/9\"}", ORR_E_VERSION},
        {"manifest.json", "{}", ORR_E_FORMAT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_result *r = made_result(&one);
        orr_error e = {0};
        made_file(orr_result_dir(r), rows[i].file, rows[i].text);
        assert_null(orr_result_open(orr_result_dir(r), &e));
        if (e.code != rows[i].code || !strstr(e.file, rows[i].file))
            fail_msg("row %zu: %s in %s", i, orr_err_name(e.code), e.file);
        made_remove(r);
    }
    orr_error e = {0};
    assert_null(orr_result_open("/tmp/there/is/none", &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_null(orr_result_open("/tmp/there/is/none", NULL));
}

static void slices_of_an_allocation(void **state)
{
    (void)state;
    const char *at = "0:0-3;12:5+7-8;3:;7:0-1@250";
    orr_result_share s;
    assert_true(orr_result_slice(&at, &s) && s.node == 0 && s.gpus == 0xF && s.milli == 1000);
    assert_true(orr_result_slice(&at, &s) && s.node == 12 && s.gpus == 0x1A0);
    assert_true(orr_result_slice(&at, &s) && s.node == 3 && s.gpus == 0);
    assert_true(orr_result_slice(&at, &s) && s.node == 7 && s.gpus == 3 && s.milli == 250);
    assert_int_equal(*at, '\0');
    assert_false(orr_result_slice(&at, &s));
    static const char *const wrong[] = {"x", "0", "0:3-1", "0:64", "0:1-", "0:1+", ":1", "0:1,2", "-1:1", "0:1 ",
                                        "0:1@", "0:1@0", "0:1@1001", "0:1@5x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at = wrong[i];
        if (orr_result_slice(&at, &s) || *at == '\0')
            fail_msg("%s was taken", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),
        cmocka_unit_test(metrics_by_key),
        cmocka_unit_test(tables),
        cmocka_unit_test(damaged_tables_name_the_place),
        cmocka_unit_test(what_is_no_result),
        cmocka_unit_test(slices_of_an_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
