/* What is written reads back as the same records. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const orr_trace_options replay = {.replay_attempts = true, .keep_cpu_jobs = true};

static void same_job(const orr_trace_job *a, const orr_trace_job *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->vc, b->vc);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->gpu_type, b->gpu_type);
    const int64_t numbers[][2] = {
        {a->submit, b->submit},       {a->duration, b->duration},   {a->limit, b->limit},
        {a->deadline, b->deadline},   {a->gpus, b->gpus},           {a->min_gpus, b->min_gpus},
        {a->max_gpus, b->max_gpus},   {a->gpu_milli, b->gpu_milli}, {a->cpus, b->cpus},
        {a->mem_bytes, b->mem_bytes}, {a->ending, b->ending},       {a->censored, b->censored},
        {a->preemptible, b->preemptible}, {a->attempt_count, b->attempt_count},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i][0] != numbers[i][1])
            fail_msg("job %s: number %zu is %lld, not %lld", a->id, i, (long long)numbers[i][1],
                     (long long)numbers[i][0]);
    assert_memory_equal(&a->weight, &b->weight, sizeof a->weight);
    assert_int_equal(!a->attempts, !b->attempts);
    for (uint32_t i = 0; a->attempts && i < a->attempt_count; i++)
        assert_int_equal(a->attempts[i], b->attempts[i]);
}

static void round_trip(const orr_trace *t, const char *suffix)
{
    char folder[] = "/tmp/orrery-write-XXXXXX", path[64];
    orr_error e = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv%s", folder, suffix);
    assert_int_equal(orr_trace_write(t, path, "made by a test\nsecond line", &e), ORR_OK);
    orr_trace *back = orr_trace_read(path, &replay, &e);
    if (!back)
        fail_msg("%d: %s", e.line, e.message);
    assert_int_equal(orr_trace_count(back), orr_trace_count(t));
    assert_string_equal(orr_trace_origin(back), orr_trace_origin(t));
    assert_int_equal(noted(back, "unsorted"), 0);
    for (size_t i = 0; i < orr_trace_count(t); i++)
        same_job(&orr_trace_jobs(t)[i], &orr_trace_jobs(back)[i]);
    orr_trace_destroy(back);
    unlink(path);
    rmdir(folder);
}

static void everything_there_is(void **state)
{
    (void)state;
    const orr_time attempts[] = {1, 1999999999, 0};
    orr_trace *t = orr_trace_create("");
    orr_trace_job job = orr_trace_job_default();
    job.id = "a, \"b\"";
    job.user = " edge ";
    job.vc = "6214e9";
    job.name = "two\nlines, \"quoted\" ";
    job.model = "#";
    job.gpu_type = "None";
    job.submit = 123456789123456789;
    job.duration = 2000000000;
    job.attempts = attempts;
    job.attempt_count = 3;
    job.limit = 1;
    job.deadline = 4500000000 * ORR_SECOND;
    job.gpus = 8;
    job.min_gpus = 1;
    job.max_gpus = 16;
    job.gpu_milli = 333;
    job.cpus = 7;
    job.mem_bytes = INT64_MAX;
    job.weight = 0.1;
    job.ending = ORR_ENDING_KILLED;
    job.censored = true;
    job.preemptible = false;
    assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
    job = orr_trace_job_default();
    job.id = "\xC3\xA4";
    job.gpus = 0;
    job.submit = 1;
    job.deadline = 0;
    job.ending = ORR_ENDING_FAILED;
    job.weight = 3e300 / 7e300;
    assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
    assert_int_equal(orr_trace_finish(t, NULL), ORR_OK);
    round_trip(t, "");
    round_trip(t, ".gz");
    round_trip(t, ".zst");
    orr_trace_destroy(t);
}

static void other_formats_become_ours(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,6214e9\n"
         "2017-10-09 06:13:03.5,2951.25,12,0,103959\n"),
        "submit,duration,gpus,deadline\n2017-09-04 10:30:41+08:00,1,1,2017-09-04 10:30:50+08:00\n",
        "submit,duration,gpus\n1504521041,1,1\n1504521040.25,1,1\n",
        "submit,duration,gpus\n137.5,1,1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_trace *t = reading_well(texts[i], &replay);
        round_trip(t, "");
        orr_trace_destroy(t);
    }
}

static char *written(const char *text, const char *comment)
{
    char path[] = "/tmp/orrery-write-XXXXXX";
    static char bytes[4096];
    orr_trace *t = reading_well(text, &replay);
    close(mkstemp(path));
    assert_int_equal(orr_trace_write(t, path, comment, NULL), ORR_OK);
    orr_trace_destroy(t);
    FILE *f = fopen(path, "rb");
    bytes[fread(bytes, 1, sizeof bytes - 1, f)] = '\0';
    fclose(f);
    unlink(path);
    return bytes;
}

static void columns_without_news_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(written("submit,duration,gpus,user,state,limit\n0.50,10,1,,done,\n3,1e2,2,,failed,\n", NULL),
                        "job_id,submit,duration,gpus,state\n0,0.5,10,1,\n1,3,100,2,failed\n");
    assert_string_equal(written("submit,duration,gpus\n2017-09-04 10:30:41,1,1\n", "by: hand\n\nlast"),
                        "# by: hand\n# \n# last\n# origin: 2017-09-04 10:30:41\n"
                        "job_id,submit,duration,gpus\n0,0,1,1\n");
}

static void an_unwritable_path_is_an_error(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_trace *t = reading_well("submit,duration,gpus\n0,1,1\n", NULL);
    assert_int_equal(orr_trace_write(t, "/nonexistent/t.csv", NULL, &e), ORR_E_CREATE);
    assert_int_equal(e.code, ORR_E_CREATE);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_there_is),
        cmocka_unit_test(other_formats_become_ours),
        cmocka_unit_test(columns_without_news_are_left_out),
        cmocka_unit_test(an_unwritable_path_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
