/* Batsim's workloads, by hand: no public file is at hand. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PROFILES                                                                                                       \
    "\"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 20.25},\n"                                                 \
    "  \"v5\": {\"delay\": 3, \"type\": \"DelayProfile\", \"ret\": 1},\n"                                              \
    "  \"m\": {\"type\": \"msg_par_hg\", \"cpu\": 1e6, \"com\": {\"a\": [1, 2]}},\n"                                   \
    "  \"s\": {\"type\": \"smpi\", \"trace\": \"x\"}, \"odd\": {\"type\": \"delay\", \"delay\": \"soon\"},\n"          \
    "  \"none\": {\"type\": \"delay\"}, \"brace{,\\u0041\": {\"type\": \"delay\", \"delay\": 1}}"
#define JOBS                                                                                                           \
    "\"jobs\": [{\"id\": \"w0!3\", \"subtime\": 1.5, \"res\": 2, \"profile\": \"d\", \"walltime\": 100, \"user\": "    \
    "\"ann\",\n"                                                                                                       \
    "  \"extra_data\": \"{\\\"a\\\":1}\", \"queue\": 7},\n"                                                            \
    " {\"id\": 12345678901234567890, \"subtime\": 1234567890.123456789, \"res\": 1, \"profile\": \"v5\", "             \
    "\"walltime\": -1}]"

static void in_any_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"nb_res\": 4, " JOBS ", " PROFILES "}",
        "\xEF\xBB\xBF\n{ " PROFILES ",\n \"nb_res\": 4, \"date\": {\"x\": [\"]}\"]}, " JOBS "\n}\n\n",
    };
    const orr_trace_options strict = {.strict = true};
    for (int i = 0; i < 2; i++) {
        orr_trace *t = reading_well(texts[i], &strict);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_string_equal(orr_trace_format(t), "batsim");
        assert_int_equal(orr_trace_count(t), 2);
        assert_string_equal(job[0].id, "w0!3");
        assert_string_equal(job[0].user, "ann");
        assert_int_equal(job[0].submit, 1500 * ORR_MS);
        assert_int_equal(job[0].duration, 20250 * ORR_MS);
        assert_int_equal(job[0].limit, 100 * ORR_SECOND);
        assert_int_equal(job[0].gpus, 2);
        assert_int_equal(job[0].ending, ORR_ENDING_DONE);
        assert_int_equal(job[0].line, i ? 7 : 1);
        assert_string_equal(orr_trace_attribute(t, &job[0], "extra_data"), "{\"a\":1}");
        assert_string_equal(orr_trace_attribute(t, &job[0], "queue"), "7");
        assert_string_equal(job[1].id, "12345678901234567890");        /* no double ever held it */
        assert_int_equal(job[1].submit, INT64_C(1234567890123456789)); /* nor this; and no Unix time */
        assert_int_equal(job[1].duration, 3 * ORR_SECOND);
        assert_int_equal(job[1].limit, ORR_TIME_NONE);
        assert_int_equal(job[1].ending, ORR_ENDING_FAILED); /* it returns 1 */
        assert_string_equal(orr_trace_attribute(t, &job[1], "queue"), "");
        assert_string_equal(orr_trace_origin(t), "");
        assert_int_equal(noted(t, "processors-as-gpus"), 1);
        assert_int_equal(t->notes.n, 1);
        orr_trace_destroy(t);
    }
}

static void odd_jobs(void **state)
{
    (void)state;
    static const struct {
        const char *job, *note, *kind;
        int64_t ms; /* -1: dropped */
        orr_ending ending;
    } cases[] = {
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}", NULL, NULL, 20250, ORR_ENDING_DONE},
        {"{\"profile\": \"d\", \"walltime\": -1.0, \"res\": 1, \"id\": 2, \"subtime\": 0}", NULL, NULL, 20250,
         ORR_ENDING_DONE},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"brace{,A\"}", NULL, NULL, 1000, ORR_ENDING_DONE},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"d\", \"walltime\": 20}", "cut-at-limit", NULL, 20000,
         ORR_ENDING_KILLED},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"d\", \"walltime\": 20.25}", NULL, NULL, 20250,
         ORR_ENDING_DONE},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"m\"}", "profile-type", "(msg_par_hg)", -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"s\"}", "profile-type", "(smpi)", -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"gone\"}", "no-profile", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1}", "no-profile", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"odd\"}", "bad-time", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"none\"}", "no-duration", NULL, -1, 0},
        {"{\"subtime\": 0, \"res\": 1, \"profile\": \"d\"}", "no-id", NULL, -1, 0},
        {"{\"id\": null, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}", "no-id", NULL, -1, 0},
        {"{\"id\": 2, \"res\": 1, \"profile\": \"d\"}", "no-submit", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": -1, \"res\": 1, \"profile\": \"d\"}", "negative-time", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": [0], \"res\": 1, \"profile\": \"d\"}", "bad-time", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"profile\": \"d\"}", "no-gpus", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1.5, \"profile\": \"d\"}", "bad-number", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 0, \"profile\": \"d\"}", "cpu-only", NULL, -1, 0},
        {"{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"d\", \"walltime\": -15}", "negative-duration", NULL,
         -1, 0},
        {"[1, 2]", "not-a-job", NULL, -1, 0},
        {"\"}\"", "not-a-job", NULL, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_text text = {0};
        orr_text_addf(
            &text, "{\"nb_res\": 1, %s, \"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}, %s]}",
            PROFILES, cases[i].job);
        orr_trace *t = reading_well(text.at, NULL);
        const orr_trace_job *job = &orr_trace_jobs(t)[1];
        bool right = orr_trace_count(t) == (cases[i].ms < 0 ? 1u : 2u) && t->notes.n == 1u + (cases[i].note != NULL) &&
                     (!cases[i].note || noted(t, cases[i].note) == 1);
        if (right && cases[i].kind)
            right = strstr(t->notes.at[1].detail, cases[i].kind) != NULL;
        if (right && cases[i].ms >= 0)
            right = job->duration == cases[i].ms * ORR_MS && job->ending == cases[i].ending;
        if (!right)
            fail_msg("%s", cases[i].job);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void dependencies(void **state)
{
    (void)state;
    orr_trace *t = reading_well(
        "{\"jobs\": [{\"id\": \"b\", \"subtime\": 0, \"res\": 1, \"profile\": \"d\", \"dependencies\": [\"c\", 7]},"
        "{\"id\": \"c\", \"subtime\": 0, \"res\": 1, \"profile\": \"d\", \"dependencies\": []},"
        "{\"id\": 7, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}], " PROFILES "}",
        NULL);
    const orr_trace_job *job = &orr_trace_jobs(t)[1];
    assert_string_equal(job->id, "b");
    assert_int_equal(job->after_count, 2);
    assert_string_equal(job->after[0].id, "c");
    assert_string_equal(job->after[1].id, "7");
    assert_int_equal(noted(t, "unknown-predecessor"), 0);
    orr_trace_destroy(t);
}

static void the_last_profile_of_a_name_counts(void **state)
{
    (void)state;
    orr_trace *t =
        reading_well("{\"profiles\": {\"d\": {\"type\": \"smpi\"}, \"d\": {\"type\": \"delay\", \"delay\": 2}},"
                     "\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}]}",
                     NULL);
    assert_int_equal(orr_trace_jobs(t)->duration, 2 * ORR_SECOND);
    orr_trace_destroy(t);
}

static void many_jobs_across_chunks(void **state)
{
    (void)state;
    orr_text text = {0};
    orr_text_addf(&text, "{\n\"jobs\": [");
    for (int i = 0; i < 5000; i++)
        orr_text_addf(&text, "%s\n{\"id\": \"%d\", \"subtime\": %d.5, \"res\": 3, \"profile\": \"d\"}", i ? "," : "", i,
                      i);
    orr_text_addf(&text, "],\n" PROFILES "}");
    orr_trace *t = reading_well(text.at, NULL);
    assert_int_equal(orr_trace_count(t), 5000);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(orr_trace_jobs(t)[i].submit, i * ORR_SECOND + 500 * ORR_MS);
        assert_int_equal(orr_trace_jobs(t)[i].line, i + 3);
    }
    orr_trace_destroy(t);
    orr_text_fini(&text);
}

static void broken_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line;
    } cases[] = {
        {"{\"jobs\": [\n{\"id\": 1,\n \"subtime\" 0}], \"profiles\": {}}", ORR_E_SYNTAX, 3},
        {"{\"jobs\": [],\n \"profiles\": {\"d\": {\"type\": }}}", ORR_E_SYNTAX, 2},
        {"{\"jobs\": [],\n \"profiles\": {\"d\"}}", ORR_E_SYNTAX, 2},
        {"{\"jobs\": [],\n \"profiles\": {}} x", ORR_E_SYNTAX, 2},
        {"{\"jobs\": []\n \"profiles\": {}}", ORR_E_SYNTAX, 2},
        {"{\"jobs\": {},\n \"profiles\": {}}", ORR_E_SYNTAX, 1},
        {"{\"jobs\": [\n[], , 3], \"profiles\": {}}", ORR_E_SYNTAX, 2},
        {"{\"jobs\": [\n{\"id\": 1", ORR_E_TRUNCATED, 2},
        {"{\"jobs\": [\n{\"id\": 1}", ORR_E_TRUNCATED, 2},
        {"{\"jobs\": [\n{\"id\": 1}], \"prof", ORR_E_TRUNCATED, 2},
        {"{\"jobs\": [{\"id\": \"\xff\"}]}", ORR_E_ENCODING, 1},
        {"{\"jobs\": [], \"profiles\": {}}", ORR_E_NO_JOBS, 0},
        {"{\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"},\n{\"id\": 1, \"subtime\": 1, "
         "\"res\": 1, "
         "\"profile\": \"d\"}], " PROFILES "}",
         ORR_E_DUPLICATE_ID, 2},
    };
    orr_error e;
    const orr_trace_options named = {.format = "batsim"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(reading(cases[i].text, &named, &e));
        if (e.code != cases[i].code || e.line != cases[i].line)
            fail_msg("case %zu: %d, line %d: %s", i, (int)e.code, e.line, e.message);
    }
}

static void too_many_members(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options named = {.format = "batsim"};
    for (int n = 30; n < 60; n += 5) {
        orr_text text = {0};
        orr_text_addf(&text, "{" PROFILES ", \"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"");
        for (int i = 0; i < n; i++)
            orr_text_addf(&text, ", \"x%d\": %d", i, i);
        orr_text_addf(&text, "}]}");
        orr_trace *t = reading(text.at, &named, &e);
        assert_int_equal(t != NULL, n <= 32);
        if (!t)
            assert_int_equal(e.code, ORR_E_FORMAT);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void strict_refuses_what_has_no_run_time(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options strict = {.strict = true};
    assert_null(reading("{" PROFILES ",\n\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"s\"}]}",
                        &strict, &e));
    assert_int_equal(e.code, ORR_E_BAD_JOB);
    assert_non_null(strstr(e.text, "smpi"));
    assert_int_equal(e.line, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(odd_jobs),
        cmocka_unit_test(dependencies),
        cmocka_unit_test(the_last_profile_of_a_name_counts),
        cmocka_unit_test(many_jobs_across_chunks),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(too_many_members),
        cmocka_unit_test(strict_refuses_what_has_no_run_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
