/* Bounds as they are typed, and what keeps to them. */
#include "study/claim_bound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <string.h>

#include <cmocka.h>

static void keeps(const char *text, double value, bool expected)
{
    orr_claim_bound b;
    size_t n = 0;
    orr_error e = {0};
    if (orr_claim_bound_parse(text, &n, &b, &e))
        fail_msg("%s: %s", text, e.message);
    if (orr_claim_bound_holds(&b, value) != expected)
        fail_msg("%s: %g should be %s", text, value, expected ? "within" : "outside");
}

static void ends_belong_to_a_bound_or_not(void **state)
{
    (void)state;
    keeps("x < 2", 2, false), keeps("x < 2", 1.9, true);
    keeps("x <= 2", 2, true), keeps("x <= 2", 2.1, false);
    keeps("x > 2", 2, false), keeps("x > 2", 2.1, true);
    keeps("x >= 2", 2, true), keeps("x >= 2", 1.9, false);
    keeps("x in 2..3", 2, true), keeps("x in 2..3", 3, true), keeps("x in 2..3", 3.1, false);
    keeps("x in -3..-2", -2.5, true), keeps("x in -3..-2", 2.5, false);
}

static void equal_is_exact_unless_told_otherwise(void **state)
{
    (void)state;
    keeps("x == 138", 138, true), keeps("x = 138", 138, true);
    keeps("x == 138", 138.0000001, false);
    keeps("x == 138 within 1e-6", 138.0000001, true);
    keeps("x == 200 within 1%", 202, true), keeps("x == 200 within 1%", 202.1, false);
    keeps("x != 138", 138, false), keeps("x != 138", 139, true);
    keeps("x != 138 within 2", 139, false);
}

static void durations_and_shares_are_numbers(void **state)
{
    (void)state;
    keeps("wait < 10min", 599, true), keeps("wait < 10min", 600, false);
    keeps("wait in 1h30m..2h", 5400, true);
    keeps("use >= 99%", 0.99, true), keeps("use >= 99%", 0.98, false);
    keeps("wait<10m", 599, true);
}

static void nothing_undefined_keeps_to_a_bound(void **state)
{
    (void)state;
    const char *all[] = {"x < 1", "x <= 1", "x > 1", "x >= 1", "x == 1", "x != 1", "x in 0..1"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        keeps(all[i], NAN, false);
}

static void the_subject_ends_at_the_operator(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {{"jct.mean < 2", 8}, {"jct.mean<2", 8}, {"mean(jct where gpus >= 8) < 2h", 25}, {"inside in 1..2", 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_claim_bound b;
        size_t n = 0;
        assert_int_equal(orr_claim_bound_parse(rows[i].text, &n, &b, NULL), ORR_OK);
        if (n != rows[i].length)
            fail_msg("%s: the subject has %zu letters", rows[i].text, n);
    }
}

static void errors_name_the_part(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "no bound"},           {"jct.mean", "no bound"},          {"< 3", "before the operator"},
        {"x <", "no value"},        {"x < fast", "no value"},          {"x < 3 within 1", "no value"},
        {"x == 3 within", "no value"}, {"x == 3 within -1", "no value"}, {"x in 3", "no range"},
        {"x in 3..2", "no range"},  {"x in ..2", "no range"},          {"x < 3 4", "no value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_claim_bound b;
        size_t n = 0;
        orr_error e = {0};
        if (orr_claim_bound_parse(rows[i].text, &n, &b, &e) != ORR_E_BAD_VALUE || !strstr(e.message, rows[i].message) ||
            !e.hint[0])
            fail_msg("'%s': %s", rows[i].text, e.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_belong_to_a_bound_or_not),      cmocka_unit_test(equal_is_exact_unless_told_otherwise),
        cmocka_unit_test(durations_and_shares_are_numbers),   cmocka_unit_test(nothing_undefined_keeps_to_a_bound),
        cmocka_unit_test(the_subject_ends_at_the_operator),   cmocka_unit_test(errors_name_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
