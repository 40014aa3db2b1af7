/* The list of errors, the first error that stays, and the printed form. */
#include <orrery/error.h>
#include <orrery/time.h>
#include <orrery/version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int all[] = {
#define ORR_X(sym, num, name, status, text) num,
    ORR_ERRORS(ORR_X)
#undef ORR_X
};
enum { CODES = sizeof all / sizeof *all };

static void names_and_codes_are_one_to_one(void **state)
{
    (void)state;
    for (int i = 0; i < CODES; i++) {
        orr_err code = (orr_err)all[i];
        assert_int_equal(orr_err_by_name(orr_err_name(code)), all[i]);
        assert_true(strlen(orr_err_text(code)) > 0);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(all[i], all[k]);
    }
    assert_int_equal(orr_err_by_name("no-such-error"), -1);
    assert_string_equal(orr_err_name((orr_err)9999), "unknown");
}

static void exit_statuses(void **state)
{
    (void)state;
    assert_int_equal(orr_err_exit_status(ORR_OK), 0);
    assert_int_equal(orr_err_exit_status(ORR_E_USAGE), 64);
    assert_int_equal(orr_err_exit_status(ORR_E_RAGGED), 65);
    assert_int_equal(orr_err_exit_status(ORR_E_OPEN), 66);
    assert_int_equal(orr_err_exit_status(ORR_E_MEMORY), 71);
    assert_int_equal(orr_err_exit_status(ORR_E_INTERRUPTED), 130);
}

static void the_whole_form(void **state)
{
    (void)state;
    orr_error e = {0};
    char buf[1024];
    assert_int_equal(orr_error_set(&e, ORR_E_NUMBER, "`%s` should be a number", "gpus"), ORR_E_NUMBER);
    orr_error_at(&e, "jobs.csv", 7, 12);
    orr_error_text(&e, "eight", 5);
    orr_error_hint(&e, "write %d", 8);
    const char *expected = "jobs.csv:7:12: error: `gpus` should be a number [bad-number]\n"
                           "    eight\n"
                           "hint: write 8\n";
    assert_int_equal(orr_error_format(&e, buf, sizeof buf), (int)strlen(expected));
    assert_string_equal(buf, expected);
}

static void places_that_are_partly_known(void **state)
{
    (void)state;
    const struct {
        const char *file;
        int line, column;
        const char *expected;
    } rows[] = {
        {NULL, 0, 0, "orrery: error: x [usage]\n"},
        {"a.yaml", 0, 0, "a.yaml: error: x [usage]\n"},
        {"a.yaml", 3, 0, "a.yaml:3: error: x [usage]\n"},
        {"-", 3, 4, "<stdin>:3:4: error: x [usage]\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        char buf[256];
        orr_error_set(&e, ORR_E_USAGE, "x");
        orr_error_at(&e, rows[i].file, rows[i].line, rows[i].column);
        orr_error_format(&e, buf, sizeof buf);
        assert_string_equal(buf, rows[i].expected);
    }
}

static void an_error_in_simulated_time(void **state)
{
    (void)state;
    orr_error e = {0};
    char buf[256];
    orr_error_set(&e, ORR_E_PLAN_GANG, "4 GPUs of 8");
    orr_error_when(&e, 12 * ORR_DAY + 3 * ORR_HOUR + 14 * ORR_MINUTE + 7 * ORR_SECOND, "5778432");
    orr_error_format(&e, buf, sizeof buf);
    assert_string_equal(buf, "job 5778432 @ 12d 03:14:07 (1048447.000 s): error: 4 GPUs of 8 [plan-gang]\n");
}

static void the_first_error_stays(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_TRUNCATED, "cut");
    assert_int_equal(orr_error_set(&e, ORR_E_WRITE, "cleanup failed too"), ORR_E_WRITE);
    orr_error_hint(&e, "a hint of the second");
    orr_error_at(&e, "second", 1, 1);
    assert_int_equal(e.code, ORR_E_TRUNCATED);
    assert_string_equal(e.message, "cut");
    assert_string_equal(e.hint, "");
    assert_string_equal(e.file, "");
}

static void a_caller_adds_the_file_to_the_line_of_a_callee(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_SYNTAX, "x");
    orr_error_at(&e, NULL, 5, 2);
    orr_error_at(&e, "c.yaml", 99, 99);
    assert_string_equal(e.file, "c.yaml");
    assert_int_equal(e.line, 5);
    assert_int_equal(e.column, 2);
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    assert_int_equal(orr_error_set(NULL, ORR_E_USAGE, "x"), ORR_E_USAGE);
    orr_error_at(NULL, "f", 1, 1);
    orr_error_text(NULL, "x", 1);
    orr_error_hint(NULL, "x");
    orr_error_when(NULL, 0, "x");
    orr_error e = {0};
    orr_error_hint(&e, "no error, no hint");
    assert_string_equal(e.hint, "");
    assert_int_equal(orr_error_set(&e, ORR_OK, "nothing"), ORR_OK);
    assert_string_equal(e.message, "");
}

static void offending_text_is_made_printable(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_ENCODING, "x");
    orr_error_text(&e, "caf\xc3\xa9\t\xff\0end", 11);
    assert_string_equal(e.text, "caf\xc3\xa9\\x09\\xff\\x00end");
}

static void long_text_ends_in_dots_and_never_inside_a_character(void **state)
{
    (void)state;
    char text[1000];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    orr_error e = {0};
    orr_error_set(&e, ORR_E_ENCODING, "x");
    orr_error_text(&e, text, sizeof text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1); /* 126 characters of 2 bytes, then the dots */
    assert_string_equal(e.text + strlen(e.text) - 5, "\xc3\xa9...");
}

static void a_short_buffer_is_cut_and_the_length_is_still_told(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_USAGE, "x");
    char whole[128], small[9];
    int length = orr_error_format(&e, whole, sizeof whole);
    assert_int_equal(orr_error_format(&e, small, sizeof small), length);
    assert_string_equal(small, "orrery: ");
    assert_int_equal(orr_error_format(&e, NULL, 0), length);
}

static void version_says_what_this_is(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", ORR_VERSION_MAJOR, ORR_VERSION_MINOR, ORR_VERSION_PATCH);
    assert_string_equal(orr_version(), expected);
    assert_non_null(orr_commit());
    assert_non_null(strchr(orr_build(), ' '));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_codes_are_one_to_one),
        cmocka_unit_test(exit_statuses),
        cmocka_unit_test(the_whole_form),
        cmocka_unit_test(places_that_are_partly_known),
        cmocka_unit_test(an_error_in_simulated_time),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(a_caller_adds_the_file_to_the_line_of_a_callee),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(offending_text_is_made_printable),
        cmocka_unit_test(long_text_ends_in_dots_and_never_inside_a_character),
        cmocka_unit_test(a_short_buffer_is_cut_and_the_length_is_still_told),
        cmocka_unit_test(version_says_what_this_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
