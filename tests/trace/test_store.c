/* Traces made in memory. */
#include <orrery/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static orr_trace_job job_at(const char *id, orr_time submit)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = id;
    job.submit = submit;
    return job;
}

static void texts_are_copied_and_defaults_filled_in(void **state)
{
    (void)state;
    char id[] = "a", user[] = "ann";
    orr_time attempts[] = {3, 4};
    orr_trace *t = orr_trace_create("made");
    orr_trace_job job = job_at(id, 5);
    job.user = user;
    job.gpus = 8;
    job.duration = 7;
    job.attempts = attempts;
    job.attempt_count = 2;
    assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
    job = job_at(NULL, 5);
    assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
    id[0] = user[0] = 'x';
    attempts[0] = 9;
    assert_int_equal(orr_trace_finish(t, NULL), ORR_OK);
    const orr_trace_job *jobs = orr_trace_jobs(t);
    assert_string_equal(orr_trace_name(t), "made");
    assert_string_equal(orr_trace_format(t), "memory");
    assert_string_equal(orr_trace_digest(t), "");
    assert_string_equal(orr_trace_origin(t), "");
    assert_int_equal(orr_trace_rows_read(t), 2);
    assert_string_equal(jobs[0].id, "1");
    assert_string_equal(jobs[0].vc, "");
    assert_int_equal(jobs[0].min_gpus, 1);
    assert_string_equal(jobs[1].id, "a");
    assert_string_equal(jobs[1].user, "ann");
    assert_int_equal(jobs[1].attempts[0], 3);
    assert_int_equal(jobs[1].max_gpus, 8);
    orr_trace_destroy(t);
    orr_trace_destroy(NULL);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    static const orr_time short_attempts[] = {1, 2};
    orr_trace_job rows[12];
    for (int i = 0; i < 12; i++)
        rows[i] = job_at("j", 0);
    rows[0].gpus = -1;
    rows[1].gpus = 1000001;
    rows[2].duration = -1;
    rows[3].submit = -1;
    rows[4].submit = ORR_TIME_MAX;
    rows[5].min_gpus = 2;
    rows[6].gpus = 2;
    rows[6].max_gpus = 1;
    rows[7].gpu_milli = 0;
    rows[8].weight = 0;
    rows[9].attempts = short_attempts;
    rows[9].attempt_count = 2;
    rows[9].duration = 4;
    rows[10].limit = -5;
    rows[11].cpu_milli = -1;
    for (int i = 0; i < 12; i++) {
        orr_trace *t = orr_trace_create("");
        orr_error e = {0};
        if (orr_trace_add(t, &rows[i], &e) != ORR_E_BAD_JOB || !strstr(e.message, "job j"))
            fail_msg("row %d: %s", i, e.message);
        assert_int_equal(orr_trace_finish(t, NULL), ORR_E_NO_JOBS);
        orr_trace_destroy(t);
    }
}

static void ids_are_unique_among_many(void **state)
{
    (void)state;
    orr_trace *t = orr_trace_create("");
    char id[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "job%d", i);
        const orr_trace_job job = job_at(id, 20000 - i);
        assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
    }
    for (int i = 0; i < 20000; i += 997) {
        snprintf(id, sizeof id, "job%d", i);
        const orr_trace_job job = job_at(id, 0);
        assert_int_equal(orr_trace_add(t, &job, NULL), ORR_E_DUPLICATE_ID);
    }
    assert_int_equal(orr_trace_finish(t, NULL), ORR_OK);
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(orr_trace_jobs(t)[i].submit, i + 1);
        assert_int_equal(orr_trace_jobs(t)[i].row, 19999 - i);
    }
    orr_trace_destroy(t);
}

/* However the rows stand, what is at one time comes in the order of ids. */
static void permutations_give_one_order(void **state)
{
    (void)state;
    static const char *const ids[] = {"7", "8", "9", "10", "11", "a1", "a02", "a2", "a10", "b"};
    enum { N = 10 };
    for (unsigned step = 1; step < N; step += step == 3 ? 4 : 2) { /* 1, 3, 7, 9: coprime to 10 */
        orr_trace *t = orr_trace_create("");
        for (unsigned i = 0; i < N; i++) {
            const orr_trace_job job = job_at(ids[i * step % N], 4);
            assert_int_equal(orr_trace_add(t, &job, NULL), ORR_OK);
        }
        assert_int_equal(orr_trace_finish(t, NULL), ORR_OK);
        static char first[N][8];
        for (unsigned i = 0; i < N; i++) {
            if (step == 1)
                snprintf(first[i], sizeof first[i], "%s", orr_trace_jobs(t)[i].id);
            assert_string_equal(orr_trace_jobs(t)[i].id, first[i]);
        }
        orr_trace_destroy(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_copied_and_defaults_filled_in),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(ids_are_unique_among_many),
        cmocka_unit_test(permutations_give_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
