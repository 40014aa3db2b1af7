/* Conditions: what they mean, and what is said of wrong ones. */
#include "base/where.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const orr_where_column columns[] = {
    {"gpus", ORR_WHERE_NUMBER},  {"duration", ORR_WHERE_TIME}, {"limit", ORR_WHERE_TIME},
    {"vc", ORR_WHERE_TEXT},      {"state", ORR_WHERE_TEXT},    {"odd name", ORR_WHERE_NUMBER},
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* 8 GPUs, 90 min, no limit, VC 6214e9, failed, 7. */
static orr_where_value get(void *self, size_t column)
{
    (void)self;
    switch (column) {
    case 0: return (orr_where_value){.known = true, .number = 8};
    case 1: return (orr_where_value){.known = true, .time = 90 * ORR_MINUTE};
    case 2: return (orr_where_value){.known = false};
    case 3: return (orr_where_value){.known = true, .text = "6214e9"};
    case 4: return (orr_where_value){.known = true, .text = "failed"};
    default: return (orr_where_value){.known = true, .number = 7};
    }
}

static void meaning(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } rows[] = {
        {"gpus = 8", true}, {"gpus == 8.0", true}, {"gpus != 8", false}, {"gpus <> 7", true},
        {"gpus >= 8", true}, {"gpus > 8", false}, {"gpus < 9", true}, {"gpus <= 7", false},
        {"duration = 1.5h", true}, {"duration = 5400", true}, {"duration > 1h30m", false}, {"duration >= 90m", true},
        {"vc = 6214e9", true}, {"vc = '6214e9'", true}, {"vc = 6.214e12", false}, {"vc ~ 14", true},
        {"vc ~ 41", false}, {"vc in (103959, 6214e9)", true}, {"vc not in (103959, 6214e9)", false},
        {"vc not in (103959)", true}, {"gpus in (1, 2, 4)", false}, {"state = \"failed\"", true},
        /* what is missing makes every test but known false */
        {"limit > 0", false}, {"limit <= 0", false}, {"limit != 5", false}, {"limit not in (5)", false},
        {"known(limit)", false}, {"known(vc)", true}, {"not limit > 0", true}, {"duration > limit", false},
        /* columns on both sides, odd names */
        {"gpus > `odd name`", true}, {"`odd name` = 7", true},
        /* and binds closer than or; not closer still; signs are words */
        {"gpus = 1 or gpus = 8 and state = failed", true}, {"(gpus = 8 or gpus = 1) and state = done", false},
        {"gpus = 8 or gpus = 1 and state = done", true}, {"not gpus = 1 and state = failed", true},
        {"not (gpus = 8 and state = failed)", false}, {"!(gpus = 1) && (state = done || vc ~ e9)", true},
        {"not not gpus=8", true}, {"\tgpus\n=8 ", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_where *w = orr_where_parse("where", rows[i].text, columns, COLUMNS, &e);
        if (!w)
            fail_msg("%s: %s", rows[i].text, e.message);
        if (orr_where_holds(w, get, NULL) != rows[i].holds)
            fail_msg("%s should be %s", rows[i].text, rows[i].holds ? "true" : "false");
        orr_where_destroy(w);
    }
}

static void doubled_quotes_are_one(void **state)
{
    static const orr_where_column one[] = {{"gpus", ORR_WHERE_NUMBER}, {"x", ORR_WHERE_NUMBER},
                                           {"y", ORR_WHERE_NUMBER},    {"vc", ORR_WHERE_TEXT}};
    orr_error e = {0};
    (void)state;
    orr_where *w = orr_where_parse("where", "vc = 'it''s'", one, 4, &e);
    assert_non_null(w);
    assert_false(orr_where_holds(w, get, NULL));
    orr_where_destroy(w);
    w = orr_where_parse("where", "vc != 'it''s'", one, 4, &e);
    assert_true(orr_where_holds(w, get, NULL));
    orr_where_destroy(w);
}

static void wrong_ones(void **state)
{
    static const struct {
        const char *text, *message;
        int column;
    } rows[] = {
        {"", "a column is missing", 1},
        {"gpu = 8", "there is no such column", 1},
        {"gpus", "an operator is missing", 5},
        {"gpus = ", "a value is missing", 8},
        {"gpus = many", "this is no number", 8},
        {"duration > 3 parsecs", "\"and\" or \"or\" is missing", 14},
        {"duration > 3parsecs", "this is no duration", 12},
        {"vc > a", "texts have no order", 4},
        {"gpus ~ 8", "~ is for texts", 6},
        {"gpus in 8", "takes a list", 9},
        {"gpus in (8", "a closing parenthesis is missing", 11},
        {"(gpus = 8", "a closing parenthesis is missing", 10},
        {"gpus = 8)", "\"and\" or \"or\" is missing", 9},
        {"gpus = 8 gpus = 9", "\"and\" or \"or\" is missing", 10},
        {"vc = 'x", "a quote is not closed", 6},
        {"gpus = 8 $", "has no meaning", 10},
        {"gpus > duration", "holds something else", 8},
        {"known(colour)", "there is no such column", 7},
        {"gpus = `colour`", "there is no such column", 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_where *w = orr_where_parse("where", rows[i].text, columns, COLUMNS, &e);
        if (w || e.code != ORR_E_BAD_VALUE || !strstr(e.message, rows[i].message) || e.column != rows[i].column)
            fail_msg("%s: %s at %d", rows[i].text, e.message, e.column);
    }
}

static void a_near_name_is_told(void **state)
{
    orr_error e = {0};
    (void)state;
    assert_null(orr_where_parse("where", "durations > 1", columns, COLUMNS, &e));
    assert_string_equal(e.hint, "did you mean \"duration\"?");
}

static void depth_and_length_are_bounded(void **state)
{
    static char text[400000];
    orr_error e = {0};
    (void)state;
    memset(text, '(', 1000);
    text[1000] = '\0';
    assert_null(orr_where_parse("where", text, columns, COLUMNS, &e));
    assert_non_null(strstr(e.message, "nested too deeply"));
    size_t n = (size_t)sprintf(text, "gpus=8");
    for (int i = 0; i < 30000; i++)
        n += (size_t)sprintf(text + n, " or gpus=8");
    e = (orr_error){0};
    assert_null(orr_where_parse("where", text, columns, COLUMNS, &e));
    assert_non_null(strstr(e.message, "too long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meaning),
        cmocka_unit_test(doubled_quotes_are_one),
        cmocka_unit_test(wrong_ones),
        cmocka_unit_test(a_near_name_is_told),
        cmocka_unit_test(depth_and_length_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
