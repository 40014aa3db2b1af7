/* Virtual time in and out, exactly, and arithmetic at the ends of its range. */
#include <orrery/time.h>

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void seconds_are_parsed_exactly(void **state)
{
    (void)state;
    const struct {
        const char *text;
        orr_err err;
        orr_time expected;
    } rows[] = {
        {"0", ORR_OK, 0},
        {"-0", ORR_OK, 0},
        {"12", ORR_OK, 12 * ORR_SECOND},
        {"-3.25", ORR_OK, -3250000000},
        {".5", ORR_OK, 500000000},
        {"5.", ORR_OK, 5 * ORR_SECOND},
        {"1e3", ORR_OK, 1000 * ORR_SECOND},
        {"1.5E-3", ORR_OK, 1500000},
        {"25e+1", ORR_OK, 250 * ORR_SECOND},
        {"0.1", ORR_OK, 100000000},
        {"1048447.000000001", ORR_OK, 1048447000000001},
        {"0.0000000004", ORR_OK, 0},
        {"0.0000000005", ORR_OK, 1},
        {"-0.0000000005", ORR_OK, -1},
        {"0.00000000049999999999999999999999", ORR_OK, 0},
        {"0.9999999995", ORR_OK, ORR_SECOND},
        {"1e-400", ORR_OK, 0},
        {"0e999999999999999999999", ORR_OK, 0},
        {"00000000000000000000000000000000000000000012", ORR_OK, 12 * ORR_SECOND},
        {"9223372036.854775807", ORR_OK, INT64_MAX},
        {"9223372036854775807e-9", ORR_OK, INT64_MAX},
        {"-9223372036.854775807", ORR_OK, -INT64_MAX},
        {"9223372036.8547758074", ORR_OK, INT64_MAX},
        {"9223372036.8547758075", ORR_E_RANGE, 0},
        {"9223372036.854775808", ORR_E_RANGE, 0},
        {"-9223372036.854775808", ORR_E_RANGE, 0}, /* that would be ORR_TIME_NONE */
        {"1e10", ORR_E_RANGE, 0},
        {"1e999999999999", ORR_E_RANGE, 0},
        {"99999999999999999999999999999999999999999999", ORR_E_RANGE, 0},
        {"", ORR_E_TIME, 0},
        {"-", ORR_E_TIME, 0},
        {".", ORR_E_TIME, 0},
        {"1e", ORR_E_TIME, 0},
        {"1 ", ORR_E_TIME, 0},
        {" 1", ORR_E_TIME, 0},
        {"+1", ORR_E_TIME, 0},
        {"1s", ORR_E_TIME, 0},
        {"0x10", ORR_E_TIME, 0},
        {"nan", ORR_E_TIME, 0},
        {"inf", ORR_E_TIME, 0},
        {"1,5", ORR_E_TIME, 0},
        {"1..5", ORR_E_TIME, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_time t = 77;
        orr_err err = orr_time_parse_seconds(rows[i].text, strlen(rows[i].text), &t);
        orr_time expected = rows[i].err ? 77 : rows[i].expected; /* untouched on failure */
        if (err != rows[i].err || t != expected)
            fail_msg("\"%s\": error %d, %lld", rows[i].text, err, (long long)t);
    }
}

static void a_field_ends_where_its_length_says(void **state)
{
    (void)state;
    orr_time t = 0;
    assert_int_equal(orr_time_parse_seconds("12,34", 2, &t), ORR_OK);
    assert_int_equal(t, 12 * ORR_SECOND);
    assert_int_equal(orr_time_parse_seconds("1e5", 2, &t), ORR_E_TIME);
}

static void seconds_are_formatted_in_the_shortest_form(void **state)
{
    (void)state;
    const struct {
        orr_time t;
        const char *expected;
    } rows[] = {
        {0, "0"},
        {12 * ORR_SECOND, "12"},
        {250 * ORR_MS, "0.25"},
        {-1000000001, "-1.000000001"},
        {-1, "-0.000000001"},
        {100 * ORR_SECOND, "100"},
        {INT64_MAX, "9223372036.854775807"},
        {-INT64_MAX, "-9223372036.854775807"},
        {ORR_TIME_NONE, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[ORR_TIME_BUF];
        assert_int_equal(orr_time_format(rows[i].t, buf), (int)strlen(rows[i].expected));
        assert_string_equal(buf, rows[i].expected);
    }
}

static void every_time_reads_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        orr_time t = (orr_time)(orr_mix64(i) >> (i % 64)), back = 0;
        if (i % 3 == 0)
            t = t / 1000000 * 1000000; /* trailing zeros */
        if (t == ORR_TIME_NONE)
            continue;
        char buf[ORR_TIME_BUF];
        int n = orr_time_format(t, buf);
        assert_int_equal(orr_time_parse_seconds(buf, (size_t)n, &back), ORR_OK);
        assert_int_equal(back, t);
    }
}

static void durations_as_people_type_them(void **state)
{
    (void)state;
    const struct {
        const char *text;
        orr_err err;
        orr_time expected;
    } rows[] = {
        {"90", ORR_OK, 90 * ORR_SECOND},
        {"90s", ORR_OK, 90 * ORR_SECOND},
        {"15m", ORR_OK, 15 * ORR_MINUTE},
        {"15min", ORR_OK, 15 * ORR_MINUTE},
        {"2h", ORR_OK, 2 * ORR_HOUR},
        {"7d", ORR_OK, 7 * ORR_DAY},
        {"2w", ORR_OK, 14 * ORR_DAY},
        {"250ms", ORR_OK, 250 * ORR_MS},
        {"1.5us", ORR_OK, 1500},
        {"3ns", ORR_OK, 3},
        {"0.1d", ORR_OK, 8640 * ORR_SECOND},
        {"1h30m", ORR_OK, 90 * ORR_MINUTE},
        {"1d2h3m4s5ms", ORR_OK, 93784 * ORR_SECOND + 5 * ORR_MS},
        {"-1h30m", ORR_OK, -90 * ORR_MINUTE},
        {"1e3s", ORR_OK, 1000 * ORR_SECOND},
        {"0", ORR_OK, 0},
        {"15250w", ORR_OK, 15250 * 7 * ORR_DAY},
        {"15251w", ORR_E_BAD_VALUE, 0},
        {"15250w1w", ORR_E_BAD_VALUE, 0},
        {"", ORR_E_BAD_VALUE, 0},
        {"-", ORR_E_BAD_VALUE, 0},
        {"h", ORR_E_BAD_VALUE, 0},
        {"1h30", ORR_E_BAD_VALUE, 0},
        {"1 h", ORR_E_BAD_VALUE, 0},
        {"1h-30m", ORR_E_BAD_VALUE, 0},
        {"--1h", ORR_E_BAD_VALUE, 0},
        {"1hr", ORR_E_BAD_VALUE, 0},
        {"1H", ORR_E_BAD_VALUE, 0},
        {"16GiB", ORR_E_BAD_VALUE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_time t = 77;
        orr_err err = orr_time_parse_duration(rows[i].text, &t);
        orr_time expected = rows[i].err ? 77 : rows[i].expected;
        if (err != rows[i].err || t != expected)
            fail_msg("\"%s\": error %d, %lld", rows[i].text, err, (long long)t);
    }
}

static void forms_for_people(void **state)
{
    (void)state;
    const struct {
        orr_time t;
        const char *human, *clock;
    } rows[] = {
        {0, "0 s", "0d 00:00:00"},
        {17, "17 ns", "0d 00:00:00"},
        {999, "999 ns", "0d 00:00:00"},
        {1500, "2 us", "0d 00:00:00"},
        {250 * ORR_MS, "250 ms", "0d 00:00:00"},
        {999600 * ORR_US, "1 s", "0d 00:00:00"},
        {12500 * ORR_MS, "12.5 s", "0d 00:00:12"},
        {12 * ORR_SECOND, "12 s", "0d 00:00:12"},
        {59960 * ORR_MS, "1 m", "0d 00:00:59"},
        {90 * ORR_SECOND, "1 m 30 s", "0d 00:01:30"},
        {41 * ORR_MINUTE + 10 * ORR_SECOND, "41 m", "0d 00:41:10"},
        {ORR_HOUR - ORR_SECOND, "1 h 00 m", "0d 00:59:59"},
        {5 * ORR_HOUR + 12 * ORR_MINUTE, "5 h 12 m", "0d 05:12:00"},
        {ORR_DAY - ORR_SECOND, "1 d 00 h", "0d 23:59:59"},
        {3 * ORR_DAY + 4 * ORR_HOUR, "3 d 04 h", "3d 04:00:00"},
        {1048447 * ORR_SECOND, "12 d 03 h", "12d 03:14:07"},
        {-90 * ORR_SECOND, "-1 m 30 s", "-0d 00:01:30"},
        {INT64_MAX, "106752 d 00 h", "106751d 23:47:16"},
        {ORR_TIME_NONE, "-", "-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[ORR_TIME_BUF];
        assert_int_equal(orr_time_human(rows[i].t, buf), (int)strlen(rows[i].human));
        assert_string_equal(buf, rows[i].human);
        assert_int_equal(orr_time_clock(rows[i].t, buf), (int)strlen(rows[i].clock));
        assert_string_equal(buf, rows[i].clock);
    }
}

static void arithmetic_holds_at_the_ends(void **state)
{
    (void)state;
    assert_int_equal(orr_time_add(3, -5), -2);
    assert_int_equal(orr_time_add(INT64_MAX, 0), INT64_MAX);
    assert_int_equal(orr_time_add(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(orr_time_add(INT64_MAX, INT64_MAX), INT64_MAX);
    assert_int_equal(orr_time_add(-INT64_MAX, -1), -INT64_MAX);
    assert_int_equal(orr_time_add(-INT64_MAX, INT64_MAX), 0);
    assert_int_equal(orr_time_mul(7, 6), 42);
    assert_int_equal(orr_time_mul(-7, 6), -42);
    assert_int_equal(orr_time_mul(INT64_MAX, 0), 0);
    assert_int_equal(orr_time_mul(0, INT64_MAX), 0);
    assert_int_equal(orr_time_mul(INT64_MAX / 2, 2), INT64_MAX - 1);
    assert_int_equal(orr_time_mul(INT64_MAX / 2 + 1, 2), INT64_MAX);
    assert_int_equal(orr_time_mul(-INT64_MAX, 2), -INT64_MAX);
    assert_int_equal(orr_time_mul(-INT64_MAX, 1), -INT64_MAX);
}

static void seconds_as_doubles_are_rounded_and_held(void **state)
{
    (void)state;
    assert_int_equal(orr_time_from_seconds(0.1), 100000000);
    assert_int_equal(orr_time_from_seconds(-2.5), -2500000000);
    assert_int_equal(orr_time_from_seconds(5e-10), 1);
    assert_int_equal(orr_time_from_seconds(-5e-10), -1);
    assert_int_equal(orr_time_from_seconds(4.9e-10), 0);
    assert_int_equal(orr_time_from_seconds(1048447.25), 1048447250000000);
    assert_int_equal(orr_time_from_seconds(9223372036.0), 9223372036 * ORR_SECOND);
    assert_int_equal(orr_time_from_seconds(9223372037.0), INT64_MAX);
    assert_int_equal(orr_time_from_seconds(9223372036.9), INT64_MAX);
    assert_int_equal(orr_time_from_seconds(1e300), INT64_MAX);
    assert_int_equal(orr_time_from_seconds(-INFINITY), -INT64_MAX);
    assert_int_equal(orr_time_from_seconds(NAN), 0);
}

static void the_next_multiple(void **state)
{
    (void)state;
    assert_int_equal(orr_time_ceil(0, 360), 0);
    assert_int_equal(orr_time_ceil(1, 360), 360);
    assert_int_equal(orr_time_ceil(360, 360), 360);
    assert_int_equal(orr_time_ceil(-1, 360), 0);
    assert_int_equal(orr_time_ceil(-361, 360), -360);
    assert_int_equal(orr_time_ceil(INT64_MAX, 360), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_are_parsed_exactly),
        cmocka_unit_test(a_field_ends_where_its_length_says),
        cmocka_unit_test(seconds_are_formatted_in_the_shortest_form),
        cmocka_unit_test(every_time_reads_back),
        cmocka_unit_test(durations_as_people_type_them),
        cmocka_unit_test(forms_for_people),
        cmocka_unit_test(arithmetic_holds_at_the_ends),
        cmocka_unit_test(seconds_as_doubles_are_rounded_and_held),
        cmocka_unit_test(the_next_multiple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
