/* Our own CSV: columns, defaults, clocks, and what is counted. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void three_columns_in_any_order_are_enough(void **state)
{
    (void)state;
    orr_trace *t = reading_well("gpus,submit,duration\n4,10,2.5\n1,20,1e3\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_string_equal(orr_trace_format(t), "orrery-csv");
    assert_string_equal(orr_trace_name(t), "t.csv");
    assert_string_equal(orr_trace_origin(t), "");
    assert_int_equal(strlen(orr_trace_digest(t)), 64);
    assert_string_equal(job[0].id, "0");
    assert_string_equal(job[1].id, "1");
    assert_int_equal(job[0].submit, 10 * ORR_SECOND);
    assert_int_equal(job[0].duration, 2500 * ORR_MS);
    assert_int_equal(job[1].duration, 1000 * ORR_SECOND);
    assert_int_equal(job[0].gpus, 4);
    assert_int_equal(job[0].min_gpus, 4);
    assert_int_equal(job[0].max_gpus, 4);
    assert_int_equal(job[0].gpu_milli, 1000);
    assert_true(job[0].limit == ORR_TIME_NONE && job[0].deadline == ORR_TIME_NONE);
    assert_null(job[0].attempts);
    assert_int_equal(job[0].attempt_count, 1);
    assert_true(job[0].weight >= 1 && job[0].weight <= 1);
    assert_int_equal(job[0].ending, ORR_ENDING_DONE);
    assert_true(job[0].preemptible && !job[0].censored);
    assert_string_equal(job[0].user, "");
    assert_int_equal(job[0].line, 2);
    assert_int_equal(job[1].row, 1);
    orr_trace_destroy(t);
}

static void every_column(void **state)
{
    (void)state;
    const orr_trace_options options = {.replay_attempts = true};
    orr_trace *t = reading_well(
        "job_id,submit,duration,gpus,user,vc,name,model,gpu_type,cpus,mem_bytes,gpu_mem,limit,deadline,weight,state,attempts,"
        "min_gpus,max_gpus,gpu_milli,preemptible,censored\n"
        "a7,5,60,8,ann,6214e9,\"train, big\",bert,V100,32.5,64GiB,16GiB,100,500,2.5,killed,20/40,4,16,500,no,yes\n", &options);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(job->id, "a7");
    assert_string_equal(job->user, "ann");
    assert_string_equal(job->vc, "6214e9");
    assert_string_equal(job->name, "train, big");
    assert_string_equal(job->model, "bert");
    assert_string_equal(job->gpu_type, "V100");
    assert_int_equal(job->cpu_milli, 32500);
    assert_int_equal(job->mem_bytes, INT64_C(64) << 30);
    assert_int_equal(job->gpu_mem_bytes, INT64_C(16) << 30);
    assert_int_equal(job->limit, 100 * ORR_SECOND);
    assert_int_equal(job->deadline, 500 * ORR_SECOND);
    assert_true(job->weight >= 2.5 && job->weight <= 2.5);
    assert_int_equal(job->ending, ORR_ENDING_KILLED);
    assert_int_equal(job->attempt_count, 2);
    assert_int_equal(job->attempts[0], 20 * ORR_SECOND);
    assert_int_equal(job->attempts[1], 40 * ORR_SECOND);
    assert_int_equal(job->min_gpus, 4);
    assert_int_equal(job->max_gpus, 16);
    assert_int_equal(job->gpu_milli, 500);
    assert_true(!job->preemptible && job->censored);
    assert_int_equal(noted(t, "fractional-gpu"), 1);
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

static void attempts_are_merged_unless_asked_for(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus,attempts\n0,60,1,20/40\n0,60,1,20/50\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_null(job[0].attempts);
    assert_int_equal(job[0].duration, 60 * ORR_SECOND);
    assert_int_equal(job[1].duration, 70 * ORR_SECOND);
    assert_int_equal(noted(t, "duration-mismatch"), 1);
    orr_trace_destroy(t);
}

static void states(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        orr_ending ending;
        bool censored, unknown;
    } rows[] = {
        {"done", ORR_ENDING_DONE, false, false},      {"failed", ORR_ENDING_FAILED, false, false},
        {"killed", ORR_ENDING_KILLED, false, false},  {"COMPLETED", ORR_ENDING_DONE, false, false},
        {"NODE_FAIL", ORR_ENDING_FAILED, false, false}, {"TIMEOUT", ORR_ENDING_KILLED, false, false},
        {"CANCELLED by 1000", ORR_ENDING_KILLED, false, false}, {"Pass", ORR_ENDING_DONE, false, false},
        {"SUSPENDED", ORR_ENDING_KILLED, false, false}, {"RUNNING", ORR_ENDING_DONE, true, false},
        {"", ORR_ENDING_DONE, false, false},          {"weird", ORR_ENDING_DONE, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, "submit,duration,gpus,state\n0,1,1,%s\n", rows[i].word);
        orr_trace *t = reading_well(text.at, NULL);
        if (orr_trace_jobs(t)->ending != rows[i].ending || orr_trace_jobs(t)->censored != rows[i].censored ||
            noted(t, "unknown-state") != rows[i].unknown)
            fail_msg("state %s", rows[i].word);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

/* The same three jobs on each clock: submissions 0, 30 and 3600 s after the first, a deadline at 100. */
static void clocks(void **state)
{
    (void)state;
    static const struct {
        const char *name, *submits[3], *deadline, *origin;
        orr_time first;
    } rows[] = {
        {"relative from 0", {"0", "30", "3600"}, "100", "", 0},
        {"relative keeps its zero", {"137.5", "167.5", "3737.5"}, "237.5", "", 137500 * ORR_MS},
        {"Unix seconds", {"1504521041", "1504521071", "1504524641"}, "1504521141", "2017-09-04 10:30:41Z", 0},
        {"local", {"2017-09-04 10:30:41", "2017-09-04 10:31:11", "2017-09-04 11:30:41"}, "2017-09-04 10:32:21",
         "2017-09-04 10:30:41", 0},
        {"one zone", {"2017-09-04 10:30:41+08:00", "2017-09-04 10:31:11+08:00", "2017-09-04 11:30:41+08:00"},
         "2017-09-04 10:32:21+08:00", "2017-09-04 10:30:41+08:00", 0},
        {"two zones", {"2017-09-04T10:30:41+08:00", "2017-09-04T02:31:11Z", "2017-09-04T04:30:41+01:00"},
         "2017-09-04T02:32:21Z", "2017-09-04 02:30:41Z", 0},
        {"over the end of daylight saving, which nobody undoes",
         {"2017-11-05 01:30:00", "2017-11-05 01:30:30", "2017-11-05 02:30:00"}, "2017-11-05 01:31:40",
         "2017-11-05 01:30:00", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, "submit,duration,gpus,deadline\n%s,1,1,\n%s,1,1,%s\n%s,1,1,\n", rows[i].submits[2],
                      rows[i].submits[0], rows[i].deadline, rows[i].submits[1]);
        orr_trace *t = reading_well(text.at, NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        if (strcmp(orr_trace_origin(t), rows[i].origin) != 0 || job[0].submit != rows[i].first ||
            job[1].submit != rows[i].first + 30 * ORR_SECOND || job[2].submit != rows[i].first + ORR_HOUR ||
            job[0].deadline != rows[i].first + 100 * ORR_SECOND)
            fail_msg("%s: origin %s, first %lld", rows[i].name, orr_trace_origin(t), (long long)job[0].submit);
        assert_int_equal(noted(t, "unsorted"), 1); /* one descent: from the last to the first */
        assert_int_equal(job[0].row, 1);
        assert_int_equal(job[0].line, 3);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void mixed_clocks(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"0", "1504521041"},
        {"1504521041", "5"},
        {"2017-09-04 10:30:41", "5"},
        {"5", "2017-09-04 10:30:41"},
        {"2017-09-04 10:30:41", "2017-09-04 10:30:41Z"},
        {"2017-09-04 10:30:41+08:00", "2017-09-04 10:30:41"},
        {"2017-09-04 10:30:41+08:00", "1504521041"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        orr_text in_one = {0}, across = {0};
        orr_error e;
        orr_text_addf(&in_one, "submit,duration,gpus\n%s,1,1\n%s,1,1\n", pairs[i][0], pairs[i][1]);
        orr_text_addf(&across, "submit,duration,gpus,deadline\n%s,1,1,%s\n", pairs[i][0], pairs[i][1]);
        assert_null(reading(in_one.at, NULL, &e));
        assert_int_equal(e.code, ORR_E_MIXED_CLOCKS);
        assert_int_equal(e.line, 3);
        assert_string_equal(e.text, pairs[i][1]);
        assert_non_null(strstr(e.message, "line 2"));
        assert_null(reading(across.at, NULL, &e));
        assert_int_equal(e.code, ORR_E_MIXED_CLOCKS);
        assert_int_equal(e.line, 2);
        orr_text_fini(&in_one);
        orr_text_fini(&across);
    }
}

static void comments_tell_the_origin(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# made by hand\n#origin:2017-09-04 10:30:41 \n\n# origin: 1999-01-01\n"
                                "submit,duration,gpus\n5,1,1\n#7,1,1\n", NULL);
    assert_string_equal(orr_trace_origin(t), "2017-09-04 10:30:41");
    assert_int_equal(orr_trace_jobs(t)->submit, 5 * ORR_SECOND);
    assert_int_equal(noted(t, "bad-time"), 1); /* behind the header a # begins no comment */
    orr_trace_destroy(t);
}

static void unknown_columns_are_told(void **state)
{
    (void)state;
    const orr_note *notes;
    orr_trace *t = reading_well("submit,duration,gpus,preemptable,shoe size\n0,1,1,no,43\n", NULL);
    assert_int_equal(orr_trace_notes(t, &notes), 1);
    assert_string_equal(notes->reason, "unknown-column");
    assert_int_equal(notes->count, 2);
    assert_int_equal(notes->kind, ORR_NOTE_ASSUME);
    assert_string_equal(notes->detail, "kept as an attribute: \"preemptable\" (did you mean \"preemptible\"?), \"shoe size\"");
    assert_true(orr_trace_jobs(t)->preemptible);
    orr_trace_destroy(t);
}

/* Each row is dropped for its reason, beside one that is kept; under strict it is an error at its line. */
static void rows_are_dropped_by_reason(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
        orr_err strict;
    } rows[] = {
        {"a,0,1,1,,", "ragged-row", ORR_E_RAGGED},
        {"a,0,1,1,,,,", "ragged-row", ORR_E_RAGGED},
        {"\"a\"b,0,1,1,,,", "bad-quotes", ORR_E_RAGGED},
        {"a,soon,1,1,,,", "bad-time", ORR_E_TIME},
        {"a,2017-02-30,1,1,,,", "bad-time", ORR_E_TIME},
        {"a,0,1h,1,,,", "bad-time", ORR_E_TIME},
        {"a,0,inf,1,,,", "bad-time", ORR_E_TIME},
        {"a,0x10,1,1,,,", "bad-time", ORR_E_TIME},
        {"a,,1,1,,,", "no-submit", ORR_E_TIME},
        {"a,None,1,1,,,", "no-submit", ORR_E_TIME},
        {"a,0,,1,,,", "no-duration", ORR_E_TIME},
        {"a,0,NaN,1,,,", "no-duration", ORR_E_TIME},
        {"a,0,1,,,,", "no-gpus", ORR_E_NUMBER},
        {"a,0,1,two,,,", "bad-number", ORR_E_NUMBER},
        {"a,0,1,0.5,,,", "bad-number", ORR_E_NUMBER},
        {"a,0,1,1e30,,,", "bad-number", ORR_E_NUMBER},
        {"a,0,1,99999999999999999999,,,", "bad-number", ORR_E_NUMBER},
        {"a,0,1,-1,,,", "negative-gpus", ORR_E_NUMBER},
        {"a,0,1,1000001,,,", "too-many-gpus", ORR_E_NUMBER},
        {"a,-5,1,1,,,", "negative-time", ORR_E_TIME},
        {"a,0,-1,1,,,", "negative-duration", ORR_E_TIME},
        {"a,0,5e9,1,,,", "time-range", ORR_E_RANGE},
        {"a,1504521041000,1,1,,,", "time-range", ORR_E_RANGE},
        {"a,1e300,1,1,,,", "time-range", ORR_E_RANGE},
        {"a,1850-01-01,1,1,,,", "time-range", ORR_E_RANGE},
        {",0,1,1,,,", "no-id", ORR_E_BAD_JOB},
        {"a,0,1,2,3,,", "gpu-range", ORR_E_BAD_JOB},
        {"a,0,1,1,,0,", "bad-gpu-milli", ORR_E_NUMBER},
        {"a,0,1,1,,1001,", "bad-gpu-milli", ORR_E_NUMBER},
        {"a,0,1,1,,,0", "bad-weight", ORR_E_NUMBER},
        {"a,0,1,1,,,-1", "bad-weight", ORR_E_NUMBER},
        {"a,0,1,1,,,x", "bad-number", ORR_E_NUMBER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        const orr_trace_options strict = {.strict = true};
        orr_error e;
        orr_text_addf(&text, "job_id,submit,duration,gpus,min_gpus,gpu_milli,weight\nb,0,1,1,,,\n%s\n", rows[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        if (noted(t, rows[i].reason) != 1 || orr_trace_count(t) != 1 || orr_trace_rows_read(t) != 2 ||
            t->notes.at[0].first_lines[0] != 3)
            fail_msg("%s should be %s", rows[i].row, rows[i].reason);
        orr_trace_destroy(t);
        assert_null(reading(text.at, &strict, &e));
        if (e.code != rows[i].strict || e.line != 3)
            fail_msg("strict, %s: %s in line %d", rows[i].row, orr_err_name(e.code), e.line);
        orr_text_fini(&text);
    }
}

static void the_first_three_lines_are_kept(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus\n0\n1,1,1\n2\n\n3\n4\n", NULL);
    const orr_note *notes;
    assert_int_equal(orr_trace_notes(t, &notes), 1);
    assert_int_equal(notes->count, 4);
    assert_int_equal(notes->first_lines[0], 2);
    assert_int_equal(notes->first_lines[1], 4);
    assert_int_equal(notes->first_lines[2], 6);
    assert_string_equal(orr_trace_jobs(t)->id, "1"); /* a dropped row keeps its number */
    orr_trace_destroy(t);
}

static void cpu_jobs(void **state)
{
    (void)state;
    const char *text = "submit,duration,gpus\n0,1,0\n1,1,0.0\n2,1,1\n";
    const orr_trace_options keep = {.keep_cpu_jobs = true}, strict = {.strict = true};
    orr_trace *t = reading_well(text, NULL);
    assert_int_equal(noted(t, "cpu-only"), 2);
    assert_int_equal(orr_trace_count(t), 1);
    orr_trace_destroy(t);
    t = reading_well(text, &keep);
    assert_int_equal(orr_trace_count(t), 3);
    assert_int_equal(orr_trace_jobs(t)[0].gpus, 0);
    orr_trace_destroy(t);
    t = reading_well(text, &strict); /* leaving them out was asked for: not dirt */
    assert_int_equal(orr_trace_count(t), 1);
    orr_trace_destroy(t);
}

static void order_is_by_submit_then_natural_id_then_row(void **state)
{
    (void)state;
    orr_trace *t = reading_well("job_id,submit,duration,gpus\njob10,5,1,1\njob9,5,1,1\nz,1,1,1\njob9b,5,1,1\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(job[0].id, "z");
    assert_string_equal(job[1].id, "job9");
    assert_string_equal(job[2].id, "job9b");
    assert_string_equal(job[3].id, "job10");
    assert_int_equal(job[3].row, 0);
    orr_trace_destroy(t);
}

static void odd_values_that_are_fine(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus,deadline\n.5,0,7,0.25\n1e-6,1e-9,1000000,\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(job[0].submit, 1000);
    assert_int_equal(job[0].duration, 1);
    assert_int_equal(job[1].duration, 0);
    assert_int_equal(job[1].gpus, 7);
    assert_int_equal(noted(t, "deadline-before-submit"), 1);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_columns_in_any_order_are_enough),
        cmocka_unit_test(every_column),
        cmocka_unit_test(attempts_are_merged_unless_asked_for),
        cmocka_unit_test(states),
        cmocka_unit_test(clocks),
        cmocka_unit_test(mixed_clocks),
        cmocka_unit_test(comments_tell_the_origin),
        cmocka_unit_test(unknown_columns_are_told),
        cmocka_unit_test(rows_are_dropped_by_reason),
        cmocka_unit_test(the_first_three_lines_are_kept),
        cmocka_unit_test(cpu_jobs),
        cmocka_unit_test(order_is_by_submit_then_natural_id_then_row),
        cmocka_unit_test(odd_values_that_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
