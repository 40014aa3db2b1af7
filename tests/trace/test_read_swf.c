/* The Standard Workload Format: each rule on a few lines, and the public sample. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* number submit wait run allocated (cpu, memory: unknown) requested limit memory status; the rest is unknown. */
#define REST " -1 -1 -1 -1 -1 -1 -1\n"
#define ROW(number, submit, wait, run, processors, status)                                                             \
    number " " submit " " wait " " run " " processors " -1 -1 -1 -1 -1 " status REST

static const orr_trace_job *only(const orr_trace *t)
{
    assert_int_equal(orr_trace_count(t), 1);
    return orr_trace_jobs(t);
}

static void all_fields(void **state)
{
    (void)state;
    orr_trace *t = reading_well("; Version: 2.2\n; MaxProcs: 8\n"
                                "1 0 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                " 7\t100 20 50.5 4 3.25 512 8 600 1024 0 12 3 44 2 9 1 60\n",
                                NULL);
    assert_int_equal(orr_trace_count(t), 2);
    const orr_trace_job *job = &orr_trace_jobs(t)[1];
    assert_string_equal(orr_trace_format(t), "swf");
    assert_string_equal(job->id, "7");
    assert_string_equal(job->user, "12");
    assert_string_equal(job->name, "44");
    assert_string_equal(job->vc, "2");
    assert_int_equal(job->submit, 100 * ORR_SECOND);
    assert_int_equal(job->start, 120 * ORR_SECOND);
    assert_int_equal(job->duration, 50500 * ORR_MS);
    assert_int_equal(job->end, 170500 * ORR_MS);
    assert_int_equal(job->limit, 600 * ORR_SECOND);
    assert_int_equal(job->gpus, 4);
    assert_int_equal(job->mem_bytes, INT64_C(4) * 1024 * 1024);
    assert_int_equal(job->ending, ORR_ENDING_FAILED);
    assert_int_equal(job->after_count, 1);
    assert_int_equal(job->after[0].job, 0);
    assert_int_equal(job->think, 60 * ORR_SECOND);
    assert_string_equal(orr_trace_attribute(t, job, "cpu_time"), "3.25");
    assert_string_equal(orr_trace_attribute(t, job, "used_memory_kb"), "512");
    assert_string_equal(orr_trace_attribute(t, job, "unix_group"), "3");
    assert_string_equal(orr_trace_attribute(t, job, "partition"), "9");
    assert_string_equal(orr_trace_attribute(t, &orr_trace_jobs(t)[0], "partition"), "");
    assert_int_equal(noted(t, "processors-as-gpus"), 1); /* of the file, not of each job */
    assert_int_equal(t->notes.n, 1);
    orr_trace_destroy(t);
}

static void unknown_is_minus_one_anywhere(void **state)
{
    (void)state;
    orr_trace *t = reading_well(ROW("1", "0", "-1", "5", "2", "-1") ROW("2", "3", "-1.0", "5", "2.0", "1"), NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(job[i].start, ORR_TIME_NONE);
        assert_int_equal(job[i].end, ORR_TIME_NONE);
        assert_int_equal(job[i].limit, ORR_TIME_NONE);
        assert_string_equal(job[i].user, "");
        assert_string_equal(job[i].vc, "");
        assert_int_equal(job[i].mem_bytes, 0);
        assert_int_equal(job[i].after_count, 0);
        assert_int_equal(job[i].gpus, 2);
        assert_int_equal(job[i].ending, ORR_ENDING_DONE);
        assert_null(job[i].attributes);
    }
    orr_trace_destroy(t);
}

/* One odd row beside a good one that is submitted at 0. */
static void odd_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *row, *note;
        bool kept;
    } rows[] = {
        {"17 fields", "2 5 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1\n", "ragged-row", false},
        {"19 fields", "2 5 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 7\n", "ragged-row", false},
        {"no run time", ROW("2", "5", "0", "-1", "1", "1"), "no-duration", false},
        {"no run time of a failed job", ROW("2", "5", "0", "-1", "1", "0"), "no-duration", false},
        {"cancelled in the queue", ROW("2", "5", "3", "-1", "1", "5"), "never-ran", false},
        {"cancelled in the queue, run time 0", ROW("2", "5", "3", "0", "1", "5"), "never-ran", false},
        {"cancelled while running", ROW("2", "5", "3", "9", "1", "5"), NULL, true},
        {"a failed job of less than half a second", ROW("2", "5", "3", "0", "1", "0"), NULL, true},
        {"no processors", ROW("2", "5", "0", "5", "-1", "1"), "no-gpus", false},
        {"minus two processors", ROW("2", "5", "0", "5", "-2", "1"), "negative-gpus", false},
        {"half a processor", ROW("2", "5", "0", "5", "1.5", "1"), "bad-number", false},
        {"no submit time", ROW("2", "-1", "0", "5", "1", "1"), "no-submit", false},
        {"no number", ROW("-1", "5", "0", "5", "1", "1"), "no-id", false},
        {"a negative run time", ROW("2", "5", "0", "-7", "1", "1"), "negative-duration", false},
        {"a negative wait", ROW("2", "5", "-3", "7", "1", "1"), "start-before-submit", true},
        {"an unknown status", ROW("2", "5", "0", "7", "1", "6"), "unknown-state", true},
        {"no status at all", ROW("2", "5", "0", "7", "1", "x"), "bad-number", false},
        {"more than the machine", ROW("2", "5", "0", "7", "9", "1"), "beyond-machine", true},
        {"the number again", ROW("1", "5", "0", "7", "1", "1"), "duplicate-id", true},
        {"words", "total: 12 jobs in this log\n", "ragged-row", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, ";MaxProcs:8\n" ROW("1", "0", "0", "1", "1", "1") ";\n%s", rows[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        if (orr_trace_count(t) != 1u + rows[i].kept || t->notes.n != 1u + (rows[i].note != NULL) ||
            (rows[i].note && noted(t, rows[i].note) != 1))
            fail_msg("%s", rows[i].name);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void requested_processors_where_none_are_recorded(void **state)
{
    (void)state;
    orr_trace *t = reading_well(
        "1 0 0 5 -1 -1 -1 16 -1 -1 1" REST "2 1 0 5 0 -1 -1 3 -1 2.5 1" REST "3 2 0 5 2 -1 -1 3 -1 -1 1" REST, NULL);
    assert_int_equal(orr_trace_jobs(t)[0].gpus, 16);
    assert_int_equal(orr_trace_jobs(t)[1].gpus, 3);
    assert_int_equal(orr_trace_jobs(t)[1].mem_bytes, 3 * 2560);
    assert_int_equal(orr_trace_jobs(t)[2].gpus, 2);
    orr_trace_destroy(t);
}

static void submissions_drive_arrivals(void **state)
{
    (void)state;
    orr_trace *t = reading_well(ROW("1", "0", "0", "5", "1", "1") ROW("2", "100", "0", "5", "1", "1")
                                    ROW("3", "200000000", "0", "5", "1", "1"),
                                NULL);
    assert_int_equal(orr_trace_jobs(t)[1].submit, 100 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[2].submit, 200000000 * ORR_SECOND); /* no Unix time: the log is that long */
    assert_string_equal(orr_trace_origin(t), "");
    orr_trace_destroy(t);
}

static void withdrawn_with_the_time_it_waited(void **state)
{
    (void)state;
    const orr_trace_job *gone;
    orr_trace *t = reading_well(
        ROW("1", "0", "0", "5", "1", "1") "2 10 30 -1 -1 -1 -1 4 60 -1 5" REST ROW("3", "11", "-1", "-1", "2", "5"),
        NULL);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 2);
    assert_string_equal(gone[0].id, "2");
    assert_int_equal(gone[0].submit, 10 * ORR_SECOND);
    assert_int_equal(gone[0].end, 40 * ORR_SECOND);
    assert_int_equal(gone[0].start, ORR_TIME_NONE);
    assert_int_equal(gone[0].gpus, 4);
    assert_int_equal(gone[0].limit, 60 * ORR_SECOND);
    assert_int_equal(gone[1].end, ORR_TIME_NONE);
    assert_int_equal(noted(t, "never-ran"), 2);
    orr_trace_destroy(t);
    const orr_trace_options strict = {.strict = true};
    orr_trace_destroy(reading_well(ROW("1", "0", "0", "5", "1", "1") ROW("2", "3", "4", "0", "1", "5"), &strict));
}

static void calendar(void **state)
{
    (void)state;
    static const struct {
        const char *head, *tz, *origin;
    } rows[] = {
        {"; UnixStartTime: 1000000000\n", NULL, "2001-09-09 01:46:40Z"},
        {";UnixStartTime:1000000000 (seconds)\n", NULL, "2001-09-09 01:46:40Z"},
        {"; UnixStartTime: 1000000000\n; TimeZone: 7200\n", NULL, "2001-09-09 03:46:40+02:00"},
        {"; TimeZone: 7200\n; UnixStartTime: 1000000000\n", NULL, "2001-09-09 03:46:40+02:00"},
        {"; UnixStartTime: 1000000000\n; TimeZone: 7200\n", "-03:30", "2001-09-08 22:16:40-03:30"},
        {"; UnixStartTime: 1000000000\n; TimeZoneString: Europe/Paris\n", NULL, "2001-09-09 01:46:40Z"},
        {"; UnixStartTime: 0\n", NULL, ""},
        {"; UnixStartTime: -1\n", NULL, ""},
        {"; UnixStartTime: then\n; Note: \"quoted, and never closed\n", NULL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        const orr_trace_options options = {.tz = rows[i].tz};
        orr_text_addf(&text, "%s" ROW("1", "60", "0", "5", "1", "1"), rows[i].head);
        orr_trace *t = reading_well(text.at, &options);
        if (strcmp(orr_trace_origin(t), rows[i].origin) != 0 || only(t)->submit != 60 * ORR_SECOND)
            fail_msg("case %zu: %s", i, orr_trace_origin(t));
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

/* ---- partial executions ---- */

/*  submit 10, wait 5: runs 15..25; again there at 25, wait 10: 35..55; again there at 55, wait 5: 60..61 */
#define PARTS                                                                                                          \
    ROW("4", "10", "5", "10", "2", "2") ROW("4", "-1", "10", "20", "2", "2") ROW("4", "-1", "5", "1", "2", "3")
#define OTHER ROW("1", "0", "0", "5", "1", "1")

static void check_parts(const orr_trace_job *job, bool replayed)
{
    assert_string_equal(job->id, "4");
    assert_int_equal(job->submit, 10 * ORR_SECOND);
    assert_int_equal(job->duration, 31 * ORR_SECOND);
    assert_int_equal(job->start, 15 * ORR_SECOND);
    assert_int_equal(job->end, 61 * ORR_SECOND);
    assert_int_equal(job->attempt_count, replayed ? 3 : 1);
    assert_false(job->censored);
    if (!replayed)
        return;
    static const orr_time attempts[] = {10, 20, 1}, starts[] = {15, 35, 60};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(job->attempts[i], attempts[i] * ORR_SECOND);
        assert_int_equal(job->starts[i], starts[i] * ORR_SECOND);
    }
}

static void parts_are_attempts(void **state)
{
    (void)state;
    for (int replay = 0; replay < 2; replay++) {
        const orr_trace_options options = {.replay_attempts = replay, .strict = true};
        orr_trace *t = reading_well(OTHER PARTS, &options);
        assert_int_equal(orr_trace_count(t), 2);
        assert_int_equal(noted(t, "merged-row"), 2);
        check_parts(&orr_trace_jobs(t)[1], replay);
        assert_int_equal(orr_trace_jobs(t)[1].ending, ORR_ENDING_DONE);
        orr_trace_destroy(t);
    }
}

/* In front as the format says, or behind; rows of other jobs may stand in between. */
static void a_summary_is_not_counted_twice(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ROW("4", "10", "5", "31", "2", "0") PARTS OTHER,
        PARTS ROW("4", "10", "5", "31", "2", "0") OTHER,
        ROW("4", "10", "5", "31", "2", "0") ROW("4", "-1", "5", "10", "2", "2")
            OTHER ROW("4", "-1", "10", "20", "2", "2") ROW("4", "-1", "5", "1", "2", "3"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int replay = 0; replay < 2; replay++) {
            const orr_trace_options options = {.replay_attempts = replay};
            orr_trace *t = reading_well(texts[i], &options);
            assert_int_equal(orr_trace_count(t), 2);
            assert_int_equal(noted(t, "merged-row"), 3);
            assert_int_equal(noted(t, "duration-mismatch"), 0);
            check_parts(&orr_trace_jobs(t)[1], replay);
            assert_int_equal(orr_trace_jobs(t)[1].ending, ORR_ENDING_FAILED); /* as the summary says */
            orr_trace_destroy(t);
        }
}

static void a_summary_that_contradicts_is_repaired(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options strict = {.strict = true};
    const char *text = ROW("4", "10", "5", "30", "2", "1") PARTS;
    orr_trace *t = reading_well(text, NULL);
    check_parts(only(t), false);
    assert_int_equal(noted(t, "duration-mismatch"), 1);
    orr_trace_destroy(t);
    assert_null(reading(text, &strict, &e));
    assert_int_equal(e.code, ORR_E_BAD_JOB);
    assert_int_equal(e.line, 1);
}

static void parts_with_other_ends(void **state)
{
    (void)state;
    orr_trace *t = reading_well(ROW("4", "10", "5", "10", "2", "2") ROW("5", "11", "0", "3", "1", "2")
                                    ROW("5", "-1", "0", "4", "3", "4"),
                                NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_true(job[0].censored); /* to be continued, and never was */
    assert_false(job[1].censored);
    assert_int_equal(job[1].ending, ORR_ENDING_FAILED);
    assert_int_equal(job[1].duration, 7 * ORR_SECOND);
    assert_int_equal(job[1].gpus, 1);
    assert_int_equal(noted(t, "gpus-differ"), 1);
    orr_trace_destroy(t);
}

static void predecessors(void **state)
{
    (void)state;
    orr_trace *t = reading_well(OTHER "2 9 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 1 30\n"
                                      "3 9 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 77 30\n"
                                      "4 9 0 5 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 2 -1\n",
                                NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(job[1].after_count, 1);
    assert_string_equal(job[1].after[0].id, "1");
    assert_int_equal(job[1].think, 30 * ORR_SECOND);
    assert_int_equal(job[2].after_count, 0);
    assert_int_equal(noted(t, "unknown-predecessor"), 1);
    assert_int_equal(job[3].after[0].job, 1);
    assert_int_equal(job[3].think, 0);
    orr_trace_destroy(t);
}

/* ---- which files are ---- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
    } rows[] = {
        {"; Version: 2\n; nothing else\n", ORR_E_EMPTY},
        {"; Version: 2\n1 2 3\n", ORR_E_NO_JOBS},
        {";name;gpus;submit\n0;1;2\n", ORR_E_FORMAT}, /* a table whose first column has no name */
        {"1 2 3 4\n", ORR_E_FORMAT},
    };
    orr_error e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(reading(rows[i].text, NULL, &e));
        if (e.code != rows[i].code)
            fail_msg("case %zu: %d", i, (int)e.code);
    }
}

static void lublin(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    const orr_trace_options strict = {.strict = true};
    orr_trace *t = orr_trace_read(shared_path(path, "data/swf/lublin_256.swf"), &strict, &e);
    assert_non_null(t);
    int64_t seconds = 0, gpus = 0, gpu_seconds = 0;
    for (size_t i = 0; i < orr_trace_count(t); i++) {
        const orr_trace_job *job = &orr_trace_jobs(t)[i];
        seconds += job->duration / ORR_SECOND;
        gpus += job->gpus;
        gpu_seconds += job->duration / ORR_SECOND * job->gpus;
        assert_string_equal(job->vc, "0");
    }
    /* By awk over the columns 4 and 5. */
    assert_int_equal(orr_trace_count(t), 10000);
    assert_int_equal(orr_trace_rows_read(t), 10000);
    assert_int_equal(seconds, 48627667);
    assert_int_equal(gpus, 221010);
    assert_int_equal(gpu_seconds, INT64_C(2092781168));
    assert_int_equal(orr_trace_jobs(t)[0].submit, 5094 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[9999].submit, 7711701 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[9999].line, 10007);
    assert_int_equal(t->notes.n, 1);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fields),
        cmocka_unit_test(unknown_is_minus_one_anywhere),
        cmocka_unit_test(odd_rows),
        cmocka_unit_test(requested_processors_where_none_are_recorded),
        cmocka_unit_test(submissions_drive_arrivals),
        cmocka_unit_test(withdrawn_with_the_time_it_waited),
        cmocka_unit_test(calendar),
        cmocka_unit_test(parts_are_attempts),
        cmocka_unit_test(a_summary_is_not_counted_twice),
        cmocka_unit_test(a_summary_that_contradicts_is_repaired),
        cmocka_unit_test(parts_with_other_ends),
        cmocka_unit_test(predecessors),
        cmocka_unit_test(refusals),
        cmocka_unit_test(lublin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
