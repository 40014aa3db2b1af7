/* jobs.csv. */
#include "sample.h"

#define HEADER                                                                                                         \
    "job_id,user,vc,gpus,submit,first_start,end,state,reason,jct,wait_first,wait_total,duration,held,service,"         \
    "overhead,lost_work,starts,preemptions,migrations,resizes,attempts,slowdown,rho,deadline,measured\n"

static void write_measured(feed_job *jobs, size_t n, double now, const orr_measure *measure, const char *want)
{
    orr_collector *c = orr_collector_create_for(measure, feed_access());
    feed_jobs(c, jobs, n); /* last job first */
    int64_t gpus = 4;
    size_t count;
    orr_collector_close(c, &(orr_run_end){.now = feed_time(now), .gpus = 4, .vcs = 1, .vc_gpus = &gpus}, &count);
    orr_error e = {0};
    const char *path = sample_path("jobs.csv");
    assert_int_equal(orr_jobs_csv_write(path, c, &e), ORR_OK);
    sample_assert_file(path, want);
    sample_clean();
    orr_collector_destroy(c);
}

static void write_jobs(feed_job *jobs, size_t n, double now, const char *want)
{
    write_measured(jobs, n, now, NULL, want);
}

/* A took all 4 GPUs for 10 s; B waited for it and was given GPUs twice. */
static void rows_in_trace_order(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "A", .user = "u", .gpus = 4, .submit = 0, .duration = 10, .first_start = 0, .end = 10, .held = 10,
         .starts = 1, .state = ORR_JOB_DONE},
        {.id = "B", .user = "v", .gpus = 1, .submit = 0, .duration = 4.5, .first_start = 10, .end = 15, .held = 5,
         .starts = 2, .preemptions = 1, .migrations = 3, .resizes = 4, .overhead = 0.25, .lost_work = 0.5,
         .state = ORR_JOB_KILLED, .reason = "policy"},
    };
    /* A: N 2, T_id 10 4 / 2 = 20. B: N 25/15, share 2.4 > 1, T_id 4.5 */
    write_jobs(jobs, 2, 15,
               HEADER "A,u,,4,0,0,10,done,,10,0,0,10,10,40,0,0,1,0,0,0,1,1,0.5,,1\n"
                      "B,v,,1,0,10,15,killed,policy,15,10,10,4.5,5,5,0.25,0.5,2,1,3,4,1,3.3333333333333335,"
                      "3.3333333333333335,,1\n");
}

/* What did not happen is empty, and never negative or zero. */
static void missing_values_are_empty(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "runs", .gpus = 4, .duration = 9, .first_start = 0, .end = NEVER, .held = 3, .starts = 1,
         .state = ORR_JOB_RUNNING},
        {.id = "waits", .gpus = 4, .duration = 9, .first_start = NEVER, .end = NEVER, .state = ORR_JOB_QUEUED},
        {.id = "wide", .gpus = 5, .duration = 9, .first_start = NEVER, .end = 0, .state = ORR_JOB_REJECTED,
         .reason = "asks 5 GPUs, has 4"},
    };
    write_jobs(jobs, 3, 3,
               HEADER "runs,,,4,0,0,,running,,,0,,9,3,12,0,0,1,0,0,0,1,,,,0\n"
                      "waits,,,4,0,,,queued,,,,,9,0,0,0,0,0,0,0,0,1,,,,0\n"
                      "wide,,,5,0,,0,rejected,\"asks 5 GPUs, has 4\",,,,9,0,0,0,0,0,0,0,0,1,,,,0\n");
}

/* The collector's own rule: failed, censored and later ones are out. */
static void the_measured_set_is_marked(void **state)
{
    (void)state;
    orr_measure measure = orr_measure_default();
    measure.completed_only = true;
    measure.to = 30 * ORR_SECOND;
    feed_job jobs[] = {
        {.id = "a", .gpus = 4, .submit = 0, .duration = 8, .first_start = 0, .end = 8, .held = 8, .deadline = 12.5,
         .starts = 1, .state = ORR_JOB_DONE},
        {.id = "b", .gpus = 4, .submit = 10, .duration = 8, .first_start = 10, .end = 18, .held = 8, .starts = 1,
         .state = ORR_JOB_FAILED},
        {.id = "c", .gpus = 4, .submit = 20, .duration = 8, .first_start = 20, .end = 28, .held = 8, .starts = 1,
         .state = ORR_JOB_DONE, .censored = true},
        {.id = "d", .gpus = 4, .submit = 30, .duration = 8, .first_start = 30, .end = 38, .held = 8, .starts = 1,
         .state = ORR_JOB_DONE},
    };
    write_measured(jobs, 4, 38, &measure,
                   HEADER "a,,,4,0,0,8,done,,8,0,0,8,8,32,0,0,1,0,0,0,1,1,1,12.5,1\n"
                          "b,,,4,10,10,18,failed,,8,0,0,8,8,32,0,0,1,0,0,0,1,1,1,,0\n"
                          "c,,,4,20,20,28,done,,8,0,0,8,8,32,0,0,1,0,0,0,1,1,1,,0\n"
                          "d,,,4,30,30,38,done,,8,0,0,8,8,32,0,0,1,0,0,0,1,1,1,,0\n");
}

static void quoting_and_exact_times(void **state)
{
    (void)state;
    feed_job job = {.id = "a,\"b\"", .user = "two\nlines", .gpus = 1, .duration = 0.000000001, .first_start = 0,
                    .end = 0.000000001, .held = 0.000000001, .starts = 1, .state = ORR_JOB_DONE};
    write_jobs(&job, 1, 1,
               HEADER "\"a,\"\"b\"\"\",\"two\nlines\",,1,0,0,0.000000001,done,,0.000000001,0,0,0.000000001,0.000000001,"
                      "1e-09,0,0,1,0,0,0,1,1,1,,1\n");
}

static void a_folder_that_is_not_there(void **state)
{
    (void)state;
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    orr_error e = {0};
    assert_int_equal(orr_jobs_csv_write("/nonexistent/jobs.csv", c, &e), ORR_E_CREATE);
    assert_int_equal(e.code, ORR_E_CREATE);
    assert_int_equal(orr_jobs_csv_write("/nonexistent/jobs.csv", c, NULL), ORR_E_CREATE);
    orr_collector_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_trace_order),
        cmocka_unit_test(missing_values_are_empty),
        cmocka_unit_test(the_measured_set_is_marked),
        cmocka_unit_test(quoting_and_exact_times),
        cmocka_unit_test(a_folder_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
