/* Acme's two clusters: each rule by hand, then the published example rows. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEREN                                                                                                          \
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
#define KALOS                                                                                                          \
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,"        \
    "end_time,fail_time,stop_time,duration,queue,gpu_time\n"
#define T(clock) "2023-03-01 " clock "+08:00"

static void a_row_of_seren(void **state)
{
    (void)state;
    orr_trace *t = reading_well(SEREN "7,u1,2,16,256,Pretrain,FAILED," T("08:00:00") "," T("08:00:05") ","
                                T("08:01:05") ",60,5,960.0\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "acme");
    assert_string_equal(orr_trace_origin(t), "2023-03-01 08:00:00+08:00");
    assert_string_equal(job->id, "7");
    assert_string_equal(job->user, "u1");
    assert_int_equal(job->gpus, 16);
    assert_int_equal(job->cpu_milli, 256000);
    assert_int_equal(job->submit, 0);
    assert_int_equal(job->start, 5 * ORR_SECOND);
    assert_int_equal(job->end, 65 * ORR_SECOND);
    assert_int_equal(job->duration, 60 * ORR_SECOND);
    assert_int_equal(job->ending, ORR_ENDING_FAILED);
    assert_string_equal(orr_trace_attribute(t, job, "type"), "Pretrain");
    assert_string_equal(orr_trace_attribute(t, job, "node_num"), "2");
    assert_string_equal(orr_trace_attribute(t, job, "gpu_time"), "960.0");
    assert_int_equal(t->notes.n, 0);
    orr_trace_destroy(t);
}

/* The stamps count; 8 s of running behind 10 s of waiting in every row, 64 GPUs. */
static void claims_against_stamps(void **state)
{
    (void)state;
    static const struct {
        const char *duration, *gpu_time, *notes[2];
    } rows[] = {
        {"8", "512.0", {NULL}},
        {"", "", {NULL}},
        {"18", "1152.0", {"duration-from-submit"}}, /* both from the submission: one fault */
        {"18", "512.0", {"duration-from-submit"}},
        {"18", "500.0", {"duration-from-submit", "gpu-time-mismatch"}},
        {"9", "512.0", {"duration-mismatch"}},
        {"9", "576.0", {"duration-mismatch", "gpu-time-mismatch"}},
        {"8", "513.0", {"gpu-time-mismatch"}},
        {"8.0", "512", {NULL}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, SEREN "a,u,8,64,960,Other,COMPLETED," T("10:00:00") "," T("10:00:10") "," T("10:00:18")
                      ",%s,10,%s\n", rows[i].duration, rows[i].gpu_time);
        orr_trace *t = reading_well(text.at, NULL);
        size_t expected = 0;
        for (; expected < 2 && rows[i].notes[expected]; expected++)
            if (noted(t, rows[i].notes[expected]) != 1)
                fail_msg("case %zu lacks %s", i, rows[i].notes[expected]);
        if (t->notes.n != expected || orr_trace_jobs(t)->duration != 8 * ORR_SECOND)
            fail_msg("case %zu", i);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void missing_values(void **state)
{
    (void)state;
    static const struct {
        const char *times, *state, *reason; /* start, end, duration */
        int64_t seconds;                    /* -1: not kept */
    } rows[] = {
        {",,33", "COMPLETED", NULL, 33},
        {T("10:00:01") ",,33", "COMPLETED", NULL, 33},
        {",,", "COMPLETED", "no-duration", -1},
        {T("10:00:01") ",,", "FAILED", "no-duration", -1},
        {T("10:00:09") "," T("10:00:05") ",", "FAILED", "end-before-start", -1},
        {T("09:59:59") "," T("10:00:04") ",5", "FAILED", "start-before-submit", 5},
        {"," T("10:00:30") ",30", "CANCELLED", "never-ran", -1},
        {",,", "CANCELLED", "never-ran", -1},
        {",,-4", "COMPLETED", "negative-duration", -1},
        {"soon,,4", "COMPLETED", "bad-time", -1},
        {",,4", "MELTED", "unknown-state", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, SEREN "b,u,1,1,1,Other,COMPLETED," T("09:00:00") ",,,5,,\n"
                      "a,u,1,1,1,Other,%s," T("10:00:00") ",%s,,\n", rows[i].state, rows[i].times);
        orr_trace *t = reading_well(text.at, NULL);
        const size_t kept = orr_trace_count(t);
        if (kept != (rows[i].seconds < 0 ? 1u : 2u) ||
            (kept == 2 && orr_trace_jobs(t)[1].duration != rows[i].seconds * ORR_SECOND) ||
            (rows[i].reason ? noted(t, rows[i].reason) != 1 : t->notes.n != 0))
            fail_msg("case %zu", i);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void a_cancelled_job_is_kept_aside(void **state)
{
    (void)state;
    const orr_trace_job *gone;
    orr_trace *t = reading_well(SEREN "a,u,1,8,1,Other,CANCELLED," T("10:00:00") ",," T("10:00:30") ",30,30,\n"
                                "b,u,1,1,1,Other,COMPLETED," T("09:00:00") ",,,5,,\n", NULL);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 1);
    assert_string_equal(gone->id, "a");
    assert_int_equal(gone->gpus, 8);
    assert_int_equal(gone->submit, ORR_HOUR);
    assert_int_equal(gone->end, ORR_HOUR + 30 * ORR_SECOND);
    orr_trace_destroy(t);
}

/* Stamps of different offsets are points in time, not clock faces. */
static void offsets(void **state)
{
    (void)state;
    orr_trace *t = reading_well(SEREN "a,u,1,1,1,Other,COMPLETED,2023-03-01 10:00:00+08:00,,,5,,\n"
                                "b,u,1,1,1,Other,COMPLETED,2023-03-01 02:00:07+00:00,,,5,,\n", NULL);
    assert_int_equal(orr_trace_jobs(t)[1].submit, 7 * ORR_SECOND);
    orr_trace_destroy(t);
}

static void cpu_jobs_and_repeated_ids(void **state)
{
    (void)state;
    orr_error e;
    const char *two = SEREN "a,u,1,0,1,Other,COMPLETED," T("10:00:00") ",,,5,,\n"
                      "a,u,1,1,1,Other,COMPLETED," T("10:00:00") ",,,5,,\n";
    orr_trace *t = reading_well(two, NULL);
    assert_int_equal(noted(t, "cpu-only"), 1);
    orr_trace_destroy(t);
    const orr_trace_options all = {.keep_cpu_jobs = true};
    assert_null(reading(two, &all, &e));
    assert_int_equal(e.code, ORR_E_DUPLICATE_ID);
}

static void strict(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options options = {.strict = true};
    assert_null(reading(SEREN "a,u,8,64,960,Other,COMPLETED," T("10:00:00") "," T("10:00:10") "," T("10:00:18")
                        ",18,10,\n", &options, &e));
    assert_int_equal(e.code, ORR_E_BAD_JOB);
    assert_int_equal(e.line, 2);
}

static void published_rows(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, "data/acme/trace_seren.example.csv"), NULL, &e);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(t->notes.n, 0);
    assert_string_equal(orr_trace_origin(t), "2023-03-01 00:18:22+08:00");
    assert_int_equal(orr_trace_jobs(t)[0].duration, 117 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[1].duration, 2693 * ORR_SECOND);
    orr_trace_destroy(t);
    t = orr_trace_read(shared_path(path, "data/acme/trace_kalos.example.csv"), NULL, &e);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(t->notes.n, 1);
    assert_int_equal(noted(t, "duration-from-submit"), 2);
    assert_string_equal(job[0].id, "dlctk696s0jbvitv");
    assert_int_equal(job[0].duration, 8 * ORR_SECOND);
    assert_int_equal(job[0].ending, ORR_ENDING_FAILED);
    assert_int_equal(job[1].duration, 70 * ORR_SECOND);
    assert_int_equal(job[1].ending, ORR_ENDING_KILLED);
    assert_string_equal(orr_trace_attribute(t, &job[0], "mem_per_pod_GB"), "1000");
    assert_string_equal(orr_trace_attribute(t, &job[0], "fail_time"), "2023-05-17 11:01:16+00:00");
    assert_string_equal(orr_trace_attribute(t, &job[0], "stop_time"), "");
    assert_string_equal(orr_trace_origin(t), "2023-05-17 11:00:58Z");
    orr_trace_destroy(t);
    assert_null(orr_trace_read(shared_path(path, "data/acme/cluster_summary.csv"), NULL, &e));
    assert_int_equal(e.code, ORR_E_NO_JOBS);
    assert_non_null(strstr(e.message, "not a trace"));
}

static void a_row_of_kalos(void **state)
{
    (void)state;
    orr_trace *t = reading_well(KALOS "dlc0,u,1,8,16,100,50.0,Other,COMPLETED,2023-05-17 11:00:00+00:00,"
                                "2023-05-17 11:00:04+00:00,2023-05-17 11:01:04+00:00,,,64,4.0,512.0\n", NULL);
    assert_int_equal(orr_trace_jobs(t)->duration, 60 * ORR_SECOND);
    assert_string_equal(orr_trace_attribute(t, orr_trace_jobs(t), "shared_mem_per_pod"), "50.0");
    assert_int_equal(noted(t, "duration-from-submit"), 1);
    assert_int_equal(noted(t, "gpu-time-mismatch"), 0);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_seren),
        cmocka_unit_test(a_row_of_kalos),
        cmocka_unit_test(claims_against_stamps),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(a_cancelled_job_is_kept_aside),
        cmocka_unit_test(offsets),
        cmocka_unit_test(cpu_jobs_and_repeated_ids),
        cmocka_unit_test(strict),
        cmocka_unit_test(published_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
