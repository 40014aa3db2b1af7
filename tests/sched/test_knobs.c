/* Knobs: each type from text and back, ranges, and what is refused. */
#define _POSIX_C_SOURCE 200809L

#include "sched/ctx.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct settings {
    bool flag;
    int64_t count;
    double ratio;
    orr_time span;
    int32_t choice;
    orr_list_of_numbers list;
    orr_samples samples;
    const char *text;
} settings;

static const orr_knob knobs[] = {
    {"flag", ORR_KNOB_BOOL, offsetof(settings, flag), "off", NULL, "d"},
    {"count", ORR_KNOB_INT, offsetof(settings, count), "0", "-5..10", "d"},
    {"any", ORR_KNOB_INT, offsetof(settings, count), "0", NULL, "d"},
    {"ratio", ORR_KNOB_NUMBER, offsetof(settings, ratio), "0", "0..1", "d"},
    {"open", ORR_KNOB_NUMBER, offsetof(settings, ratio), "0", "1..inf", "d"},
    {"span", ORR_KNOB_TIME, offsetof(settings, span), "0", "0..1h", "d"},
    {"long", ORR_KNOB_TIME, offsetof(settings, span), "0", "1s..inf", "d"},
    {"choice", ORR_KNOB_CHOICE, offsetof(settings, choice), "b", "bb|b|c", "d"},
    {"list", ORR_KNOB_LIST, offsetof(settings, list), "", "0..inf", "d"},
    {"samples", ORR_KNOB_SAMPLES, offsetof(settings, samples), "", NULL, "d"},
    {"text", ORR_KNOB_TEXT, offsetof(settings, text), "", NULL, "d"},
};

static const orr_knob *knob(const char *name)
{
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
        if (strcmp(knobs[i].name, name) == 0)
            return &knobs[i];
    fail();
    return NULL;
}

static void text_goes_in_and_comes_back(void **state)
{
    (void)state;
    static const struct {
        const char *knob, *in, *out; /* NULL: the same */
    } rows[] = {
        {"flag", "on", NULL}, {"flag", "off", NULL}, {"flag", "yes", "on"}, {"flag", "false", "off"}, {"flag", "1", "on"},
        {"count", "-5", NULL}, {"count", "10", NULL}, {"any", "9223372036854775806", NULL}, {"any", "inf", NULL},
        {"any", "-9223372036854775808", NULL},
        {"ratio", "0", NULL}, {"ratio", "1", NULL}, {"ratio", "0.1", NULL}, {"ratio", "1e-300", NULL}, {"ratio", "0.50", "0.5"},
        {"open", "inf", NULL}, {"open", "1e+30", NULL}, {"open", "1e30", "1e+30"},
        {"span", "90", NULL}, {"span", "1m30s", "90"}, {"span", "1h", "3600"}, {"span", "1ns", "0.000000001"},
        {"long", "inf", NULL}, {"long", "1w", "604800"},
        {"choice", "bb", NULL}, {"choice", "b", NULL}, {"choice", "c", NULL},
        {"list", "", NULL}, {"list", "3250/7200", NULL}, {"list", "0.5/inf", NULL},
        {"list", "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", NULL},
        {"samples", "", NULL}, {"text", "", NULL}, {"text", "a b/c=d+~", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        settings s = {.choice = -1}, again = {.choice = -1};
        orr_arena arena = {0};
        orr_error e = {0};
        orr_text out = {0}, twice = {0};
        orr_text_add(&out, "", 0), orr_text_add(&twice, "", 0);
        if (orr_knob_set(knob(rows[i].knob), &s, rows[i].in, &arena, &e))
            fail_msg("%s=%s: %s", rows[i].knob, rows[i].in, e.message);
        orr_knob_format(knob(rows[i].knob), &s, &out);
        assert_string_equal(out.at ? out.at : "", rows[i].out ? rows[i].out : rows[i].in);
        assert_int_equal(orr_knob_set(knob(rows[i].knob), &again, out.at ? out.at : "", &arena, &e), ORR_OK);
        orr_knob_format(knob(rows[i].knob), &again, &twice);
        assert_string_equal(out.at ? out.at : "", twice.at ? twice.at : "");
        orr_text_fini(&out);
        orr_text_fini(&twice);
        orr_arena_fini(&arena);
    }
}

static void values_are_what_was_written(void **state)
{
    (void)state;
    settings s = {0};
    orr_arena arena = {0};
    orr_knob_set(knob("flag"), &s, "yes", &arena, NULL);
    orr_knob_set(knob("any"), &s, "-7", &arena, NULL);
    orr_knob_set(knob("open"), &s, "inf", &arena, NULL);
    orr_knob_set(knob("span"), &s, "250ms", &arena, NULL);
    orr_knob_set(knob("choice"), &s, "c", &arena, NULL);
    orr_knob_set(knob("list"), &s, "1/inf/3.5", &arena, NULL);
    assert_true(s.flag);
    assert_int_equal(s.count, -7);
    assert_true(isinf(s.ratio));
    assert_int_equal(s.span, 250 * ORR_MS);
    assert_int_equal(s.choice, 2);
    assert_int_equal(s.list.count, 3);
    assert_true(s.list.at[0] == 1 && isinf(s.list.at[1]) && s.list.at[2] == 3.5);
    orr_knob_set(knob("long"), &s, "inf", &arena, NULL);
    assert_true(s.span == ORR_TIME_MAX);
    orr_arena_fini(&arena);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"flag", ""}, {"flag", "maybe"}, {"flag", "ON "},
        {"count", ""}, {"count", "x"}, {"count", "-6"}, {"count", "11"}, {"count", "1.5"}, {"count", "inf"}, {"count", " 1"},
        {"any", "9223372036854775808"},
        {"ratio", ""}, {"ratio", "-0.1"}, {"ratio", "1.1"}, {"ratio", "inf"}, {"ratio", "nan"}, {"ratio", "0.5x"},
        {"open", "0.9"}, {"open", "-inf"}, {"open", "infinity"},
        {"span", ""}, {"span", "-1s"}, {"span", "2h"}, {"span", "1 parsec"}, {"span", "inf"},
        {"long", "0.5s"}, {"long", "0"},
        {"choice", ""}, {"choice", "B"}, {"choice", "bb|b"}, {"choice", "cc"}, {"choice", "|"},
        {"list", "1//2"}, {"list", "/1"}, {"list", "1,2"}, {"list", "-1"}, {"list", "x"},
        {"list", "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"},
        {"samples", "/no/such/file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        settings s, before;
        memset(&s, 0x5a, sizeof s);
        memcpy(&before, &s, sizeof s);
        orr_arena arena = {0};
        orr_error e = {0};
        orr_err err = orr_knob_set(knob(rows[i][0]), &s, rows[i][1], &arena, &e);
        if (err != ORR_E_BAD_VALUE && err != ORR_E_OPEN)
            fail_msg("%s=%s gives %s", rows[i][0], rows[i][1], orr_err_name(err));
        assert_true(e.message[0] != '\0');
        if (err == ORR_E_BAD_VALUE) {
            assert_memory_equal(&s, &before, sizeof s); /* untouched */
            assert_non_null(strstr(e.message, rows[i][0]));
            assert_true(e.hint[0] != '\0');
        }
        orr_arena_fini(&arena);
    }
}

static orr_err samples_of(const char *content, orr_samples *out, orr_arena *arena, orr_error *e)
{
    char path[] = "/tmp/orrery-samples-XXXXXX";
    settings s = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
    orr_err err = orr_knob_set(knob("samples"), &s, path, arena, e);
    unlink(path);
    *out = s.samples;
    return err;
}

static void samples_are_read_and_sorted(void **state)
{
    (void)state;
    orr_samples s;
    orr_arena arena = {0};
    orr_error e = {0};
    assert_int_equal(samples_of("service\n3\n\n1.5\n2e3\n", &s, &arena, &e), ORR_OK);
    assert_int_equal(s.count, 3);
    assert_true(s.at[0] == 1.5 && s.at[1] == 3 && s.at[2] == 2000);
    assert_int_equal(samples_of("7", &s, &arena, &e), ORR_OK); /* no header, no newline */
    assert_int_equal(s.count, 1);
    assert_int_equal(samples_of("1\ntwo\n3\n", &s, &arena, &e), ORR_E_NUMBER);
    assert_int_equal(e.line, 2);
    assert_string_equal(e.text, "two");
    orr_arena_fini(&arena);
}

/* The standard knobs have defaults that parse, and flags change them as documented. */
static void standard_knobs_follow_the_flags(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags;
        const char *quantum, *knob, *value;
    } rows[] = {
        {0, NULL, "hol", "block"}, {ORR_ORDER_SKIP, NULL, "hol", "skip"},
        {0, NULL, "preempt", "off"}, {ORR_ORDER_PREEMPTIVE, NULL, "preempt", "on"},
        {0, NULL, "backfill", "none"}, {ORR_ORDER_EASY, NULL, "backfill", "easy"},
        {ORR_ORDER_CONSERVATIVE, NULL, "backfill", "conservative"},
        {0, NULL, "quantum", "0"}, {0, "60s", "quantum", "60s"}, {UINT32_MAX, NULL, "vc", "isolated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_order order = {.flags = rows[i].flags, .quantum = rows[i].quantum};
        for (const orr_knob *k = orr_order_knobs(); k->name; k++)
            if (strcmp(k->name, rows[i].knob) == 0)
                assert_string_equal(orr_order_knob_default(&order, k), rows[i].value);
    }
    orr_arena arena = {0};
    for (const orr_knob *k = orr_order_knobs(); k->name; k++) {
        orr_list_rules rules;
        orr_error e = {0};
        if (orr_knob_set(k, &rules, orr_order_knob_default(&(orr_order){0}, k), &arena, &e))
            fail_msg("%s: %s", k->name, e.message);
        assert_true(k->doc && *k->doc);
    }
    orr_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_goes_in_and_comes_back),  cmocka_unit_test(values_are_what_was_written),
        cmocka_unit_test(what_is_wrong_is_refused),     cmocka_unit_test(samples_are_read_and_sorted),
        cmocka_unit_test(standard_knobs_follow_the_flags),
    };
    return cmocka_run_group_tests_name("knobs", tests, NULL, NULL);
}
