/* Small plots, cell by cell. */
#include "trace/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void bar_is(double value, double most, int width, bool blocks, const char *want)
{
    orr_text out = {0};
    orr_text_addf(&out, "|");
    orr_plot_bar(&out, value, most, width, blocks);
    assert_string_equal(out.at + 1, want);
    orr_text_fini(&out);
}

static void bars(void **state)
{
    (void)state;
    bar_is(10, 10, 5, false, "#####");
    bar_is(5, 10, 5, false, "###"); /* two and a half */
    bar_is(0, 10, 5, false, "");
    bar_is(0.001, 10, 5, false, "."); /* something is there */
    bar_is(0, 0, 5, false, "");
    bar_is(10, 10, 2, true, "\xE2\x96\x88\xE2\x96\x88");
    bar_is(5, 10, 1, true, "\xE2\x96\x8C");                 /* half a block */
    bar_is(0.001, 10, 2, true, "\xE2\x96\x8F");             /* an eighth */
    bar_is(5.625, 10, 2, true, "\xE2\x96\x88\xE2\x96\x8F"); /* nine eighths */
}

static void columns(void **state)
{
    (void)state;
    static const double values[] = {4, 0, 2, 0.1};
    orr_text out = {0};
    orr_plot_columns(&out, values, 4, 2, 2, 1, false);
    assert_string_equal(out.at, " #\n"
                                " #   # .\n");
    orr_text_clear(&out);
    orr_plot_columns(&out, values, 3, 1, 1, 0, true);
    assert_string_equal(out.at, "\xE2\x96\x88 \xE2\x96\x84\n");
    orr_text_fini(&out);
}

static void tenths(void **state)
{
    (void)state;
    assert_int_equal(orr_plot_tenth(0, 7), '.');
    assert_int_equal(orr_plot_tenth(7, 7), '#');
    assert_int_equal(orr_plot_tenth(1, 1000), '1');
    assert_int_equal(orr_plot_tenth(999, 1000), '9');
    assert_int_equal(orr_plot_tenth(1, 2), '5');
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars), cmocka_unit_test(columns), cmocka_unit_test(tenths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
