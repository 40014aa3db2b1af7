/* Calendar text in and out, by known dates. */
#include "trace/civil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void known_instants(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds; /* of the clock face */
        int32_t offset;
        bool zoned;
        const char *back;
    } rows[] = {
        {"1970-01-01", 0, 0, false, "1970-01-01 00:00:00"},
        {"1970-01-01 00:00:01", 1, 0, false, "1970-01-01 00:00:01"},
        {"2000-02-29T12:00:00", 951825600, 0, false, "2000-02-29 12:00:00"},
        {"2017-09-04 10:30:41", 1504521041, 0, false, "2017-09-04 10:30:41"},
        {"2017-09-04 10:30", 1504521000, 0, false, "2017-09-04 10:30:00"},
        {"2023-03-01 08:00:00+08:00", 1677657600, 480, true, "2023-03-01 08:00:00+08:00"},
        {"2023-03-01 08:00:00 -0730", 1677657600, -450, true, "2023-03-01 08:00:00-07:30"},
        {"2023-03-01 08:00:00+01", 1677657600, 60, true, "2023-03-01 08:00:00+01:00"},
        {"2023-03-01T08:00:00Z", 1677657600, 0, true, "2023-03-01 08:00:00Z"},
        {"2023-03-01 08:00:00+00:00", 1677657600, 0, true, "2023-03-01 08:00:00Z"},
        {"2105-12-31 23:59:59", 4291747199, 0, false, "2105-12-31 23:59:59"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_civil civil;
        char buf[ORR_CIVIL_BUF];
        if (orr_civil_parse(rows[i].text, strlen(rows[i].text), &civil))
            fail_msg("should parse: %s", rows[i].text);
        assert_int_equal(civil.local, rows[i].seconds * ORR_SECOND);
        assert_int_equal(civil.offset_minutes, rows[i].offset);
        assert_int_equal(civil.zoned, rows[i].zoned);
        orr_civil_format(&civil, buf);
        assert_string_equal(buf, rows[i].back);
    }
}

static void fractions_are_exact_and_cut(void **state)
{
    (void)state;
    orr_civil civil;
    char buf[ORR_CIVIL_BUF];
    assert_int_equal(orr_civil_parse("1970-01-01 00:00:01.25", 22, &civil), ORR_OK);
    assert_int_equal(civil.local, 1250 * ORR_MS);
    orr_civil_format(&civil, buf);
    assert_string_equal(buf, "1970-01-01 00:00:01.25");
    assert_int_equal(orr_civil_parse("1970-01-01 00:00:00.9999999999", 30, &civil), ORR_OK);
    assert_int_equal(civil.local, 999999999);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
    } rows[] = {
        {"", ORR_E_TIME},
        {"2017-13-01", ORR_E_TIME},
        {"2017-00-01", ORR_E_TIME},
        {"2017-02-29", ORR_E_TIME},
        {"2017-04-31", ORR_E_TIME},
        {"2100-02-29", ORR_E_TIME},
        {"2017-09-04 24:00:00", ORR_E_TIME},
        {"2017-09-04 10:60:00", ORR_E_TIME},
        {"2017-09-04 10:30:61", ORR_E_TIME},
        {"2017-09-04 10:30:41 PDT", ORR_E_TIME},
        {"2017-09-04 10:30:41+8", ORR_E_TIME},
        {"2017-09-04 10:30:41+08:0", ORR_E_TIME},
        {"2017-09-04 10:30:41.", ORR_E_TIME},
        {"2017-09-04 10", ORR_E_TIME},
        {"2017-09-04x", ORR_E_TIME},
        {"1969-12-31 23:59:59", ORR_E_RANGE},
        {"2106-01-01 00:00:00", ORR_E_RANGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_civil civil = {.local = 42};
        const orr_err err = orr_civil_parse(rows[i].text, strlen(rows[i].text), &civil);
        if (err != rows[i].code)
            fail_msg("%s: %s", rows[i].text, orr_err_name(err));
        assert_int_equal(civil.local, 42);
    }
}

/* Every day of 136 years: one after the other, with the weekday moving on, and back to the same text. */
static void every_day(void **state)
{
    (void)state;
    orr_date before = {.weekday = 2};
    for (int64_t day = 0; day < 49673; day++) {
        const orr_date date = orr_civil_date(day * ORR_DAY + 5 * ORR_HOUR);
        char text[16];
        orr_civil civil;
        assert_int_equal(date.weekday, (before.weekday + 1) % 7);
        assert_int_equal(date.hour, 5);
        snprintf(text, sizeof text, "%04d-%02d-%02d", date.year % 10000, date.month % 100, date.day % 100);
        assert_int_equal(orr_civil_parse(text, 10, &civil), ORR_OK);
        assert_int_equal(civil.local, day * ORR_DAY);
        before = date;
    }
    assert_int_equal(before.year, 2105);
    assert_int_equal(before.day, 31);
    assert_int_equal(orr_civil_day(-1), -1);
    assert_int_equal(orr_civil_day(ORR_DAY - 1), 0);
}

static void looks(void **state)
{
    (void)state;
    assert_true(orr_civil_looks_like("2017-09-04", 10));
    assert_false(orr_civil_looks_like("1504521041", 10));
    assert_false(orr_civil_looks_like("2017-9", 6));
    assert_false(orr_civil_looks_like("-201-1234", 9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_instants), cmocka_unit_test(fractions_are_exact_and_cut), cmocka_unit_test(refused),
        cmocka_unit_test(every_day), cmocka_unit_test(looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
