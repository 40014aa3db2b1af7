/* What is written reads back as the same records. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"
#include "trace/write.h"

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
        {a->submit, b->submit},
        {a->duration, b->duration},
        {a->limit, b->limit},
        {a->deadline, b->deadline},
        {a->gpus, b->gpus},
        {a->min_gpus, b->min_gpus},
        {a->max_gpus, b->max_gpus},
        {a->gpu_milli, b->gpu_milli},
        {a->cpu_milli, b->cpu_milli},
        {a->mem_bytes, b->mem_bytes},
        {a->gpu_mem_bytes, b->gpu_mem_bytes},
        {a->ending, b->ending},
        {a->censored, b->censored},
        {a->preemptible, b->preemptible},
        {a->attempt_count, b->attempt_count},
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
    job.cpu_milli = 7120;
    job.mem_bytes = INT64_MAX;
    job.gpu_mem_bytes = 40960000001;
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

/* ---- attributes ---- */

static void attributes_called_like_columns(void **state)
{
    (void)state;
    static const char text[] = "submit,duration,gpus,x_vc,x_x_vc,x_y,x_Submit\n0,1,1,a,b,c,d\n";
    static const char *const names[] = {"vc", "x_vc", "x_y", "Submit"}, *const values[] = {"a", "b", "c", "d"};
    orr_trace *t = reading_well(text, NULL);
    const char *const *found;
    assert_int_equal(orr_trace_attributes(t, &found), 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(found[i], names[i]);
        assert_string_equal(orr_trace_jobs(t)[0].attributes[i], values[i]);
    }
    orr_trace_destroy(t);
    assert_string_equal(written(text, NULL), "job_id,submit,duration,gpus,x_vc,x_x_vc,x_y,x_Submit\n0,0,1,1,a,b,c,d\n");
}

/* Whatever its attributes are called: this header has all the columns of four other formats. */
static void ours_is_known_again(void **state)
{
    (void)state;
    orr_trace *t = reading_well("job_id,submit,duration,gpus,x_vc,gpu_num,submit_time,num_gpu,arrival,tokens_in,count\n"
                                "a,0,1,1,2,3,4,5,6,7,8\n",
                                NULL);
    assert_string_equal(orr_trace_format(t), "orrery-csv");
    assert_int_equal(orr_trace_count(t), 1);
    orr_trace_destroy(t);
}

/* Seconds beyond 100,000,000 are an epoch unless the file says otherwise. */
static void a_late_end_is_no_epoch(void **state)
{
    (void)state;
    orr_trace *t =
        reading_well("# clock: relative\nsubmit,duration,gpus,start,end\n99999999,5,1,99999999,100000004\n", NULL);
    round_trip(t, "");
    orr_trace_destroy(t);
}

/* ---- receipts ---- */

static const orr_loss *loss_of(const orr_receipt *r, const char *name)
{
    static const orr_loss none;
    for (size_t i = 0; i < r->losses.n; i++)
        if (strcmp(r->losses.at[i].name, name) == 0)
            return &r->losses.at[i];
    return &none;
}

static void assert_loss(const orr_receipt *r, const char *name, uint64_t lost, uint64_t rounded, uint64_t changed,
                        uint64_t filled)
{
    const orr_loss *l = loss_of(r, name);
    if (l->lost != lost || l->rounded != rounded || l->changed != changed || l->filled != filled)
        fail_msg("%s: lost %d, rounded %d, changed %d, filled %d", name, (int)l->lost, (int)l->rounded, (int)l->changed,
                 (int)l->filled);
}

static orr_receipt receipt_of(const char *format, const char *text)
{
    orr_receipt r;
    orr_trace *t = reading_well(text, &replay);
    const orr_writer *writer = orr_writer_named(format, NULL);
    assert_non_null(writer);
    assert_int_equal(orr_receipt_of(writer, t, &r, NULL), ORR_OK);
    orr_trace_destroy(t); /* names of attributes may not be asked for any more */
    return r;
}

static const char three[] = "job_id,submit,duration,gpus,user,limit,state,start,end,gpu_milli,model\n"
                            "a,0,10.25,1,ann,20,killed,3,13.25,500,\n"
                            "b,1.5,60,2,,,done,,,1000,lstm\n"
                            "7,2,30,0,bob,,failed,4,60,1000,\n";

static void what_helios_loses(void **state)
{
    (void)state;
    orr_receipt r = receipt_of("helios", three);
    assert_int_equal(r.jobs, 3);
    assert_int_equal(r.written, 3);
    assert_true(orr_receipt_loses(&r));
    assert_true(r.origin_assumed);
    assert_loss(&r, "submit", 0, 1, 0, 0);   /* 1.5 s */
    assert_loss(&r, "duration", 0, 1, 0, 0); /* 10.25 s */
    assert_loss(&r, "limit", 1, 0, 0, 0);
    assert_loss(&r, "gpu_milli", 1, 0, 0, 0);
    assert_loss(&r, "model", 1, 0, 0, 0);
    assert_loss(&r, "start", 0, 0, 0, 1);
    assert_loss(&r, "end", 0, 1, 1, 1); /* 13.25 s; 60 s, of which it ran for 30 s */
    assert_loss(&r, "user", 0, 0, 0, 0);
    assert_loss(&r, "state", 0, 0, 0, 0);
    orr_receipt_fini(&r);
}

static void what_swf_loses(void **state)
{
    (void)state;
    orr_receipt r = receipt_of("swf", three);
    assert_int_equal(r.written, 3);
    assert_null(r.origin);
    assert_loss(&r, "job_id", 0, 0, 3, 0); /* counted, since not all are numbers: 7 becomes 3 */
    assert_loss(&r, "user", 0, 0, 2, 0);
    assert_loss(&r, "limit", 0, 0, 0, 0);
    assert_loss(&r, "start", 0, 0, 0, 0);
    assert_loss(&r, "end", 0, 1, 1, 0);
    orr_receipt_fini(&r);
}

static void what_openb_loses(void **state)
{
    (void)state;
    orr_receipt r = receipt_of("openb", three);
    assert_loss(&r, "gpu_milli", 0, 0, 0, 0);
    assert_loss(&r, "state", 0, 0, 1, 0); /* killed is Failed */
    orr_receipt_fini(&r);
}

static void what_can_not_be_written(void **state)
{
    (void)state;
    orr_receipt r = receipt_of("pollux", three);
    assert_int_equal(r.written, 0);
    assert_int_equal(r.unwritten.n, 2);
    assert_int_equal(r.unwritten.at[0].jobs, 2); /* without a model */
    assert_int_equal(r.unwritten.at[1].jobs, 1); /* without a batch size */
    orr_receipt_fini(&r);
    orr_error e = {0};
    orr_trace *t = reading_well(three, &replay);
    char folder[] = "/tmp/orrery-write-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv", folder);
    assert_int_equal(orr_write_as(&orr_writer_pollux, t, path, &e), ORR_E_NO_JOBS);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
    orr_trace_destroy(t);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    orr_receipt r = receipt_of("tiresias", "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
                                           "1,2,30,0,vgg,5,0\n");
    assert_false(orr_receipt_loses(&r));
    assert_int_equal(r.losses.n, 0);
    orr_receipt_fini(&r);
}

static void calendars(void **state)
{
    (void)state;
    static const struct {
        const char *format, *submit, *says;
    } cases[] = {
        {"helios", "2020-04-01 00:00:01", NULL},
        {"helios", "2020-04-01 00:00:01Z", "the time zone is lost"},
        {"helios", "2020-04-01 00:00:01.5", "the calendar time of second 0 is rounded to a whole second"},
        {"swf", "2020-04-01 00:00:01+08:00", NULL},
        {"swf", "2020-04-01 00:00:01", "times that name no zone are taken as UTC"},
        {"tiresias", "2020-04-01 00:00:01", "the calendar time of second 0 is lost"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[120];
        snprintf(text, sizeof text, "job_id,submit,duration,gpus\n1,%s,1,1\n", cases[i].submit);
        orr_receipt r = receipt_of(cases[i].format, text);
        assert_false(r.origin_assumed);
        assert_int_equal(!r.origin, !cases[i].says);
        if (r.origin)
            assert_string_equal(r.origin, cases[i].says);
        orr_receipt_fini(&r);
    }
}

static void requests_are_ours_only(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_receipt r;
    orr_trace *t = reading_well("arrival,tokens_in,tokens_out\n0,1,2\n", NULL);
    assert_int_equal(orr_receipt_of(&orr_writer_swf, t, &r, &e), ORR_E_NO_JOBS);
    assert_int_equal(orr_receipt_of(&orr_writer_orrery, t, &r, &e), ORR_OK);
    assert_int_equal(r.written, 1);
    assert_false(orr_receipt_loses(&r));
    orr_receipt_fini(&r);
    orr_trace_destroy(t);
}

static void unknown_formats(void **state)
{
    (void)state;
    orr_error e = {0};
    assert_null(orr_writer_named("helos", &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.hint, "did you mean helios?"));
    assert_null(orr_writer_named("slurm", &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_there_is),
        cmocka_unit_test(other_formats_become_ours),
        cmocka_unit_test(columns_without_news_are_left_out),
        cmocka_unit_test(an_unwritable_path_is_an_error),
        cmocka_unit_test(attributes_called_like_columns),
        cmocka_unit_test(ours_is_known_again),
        cmocka_unit_test(a_late_end_is_no_epoch),
        cmocka_unit_test(what_helios_loses),
        cmocka_unit_test(what_swf_loses),
        cmocka_unit_test(what_openb_loses),
        cmocka_unit_test(what_can_not_be_written),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(calendars),
        cmocka_unit_test(requests_are_ours_only),
        cmocka_unit_test(unknown_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
