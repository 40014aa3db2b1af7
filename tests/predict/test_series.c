/* Forecasts of a number by its place in a period. */
#include "predict/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PERIOD = 4 };

typedef struct given {
    orr_series s;
    double means[PERIOD];
    int64_t seen[PERIOD];
} given;

static void begin(given *g, const double *values, int n)
{
    *g = (given){.means = {0}};
    orr_series_init(&g->s, PERIOD, g->means, g->seen);
    for (int i = 0; i < n; i++)
        orr_series_put(&g->s, values[i]);
}

static void next_is(const given *g, const double *expected, int n)
{
    double out[8];
    orr_series_next(&g->s, n, out);
    for (int i = 0; i < n; i++)
        if (fabs(out[i] - expected[i]) > 1e-12)
            fail_msg("value %d is %.17g, not %.17g", i, out[i], expected[i]);
}

static void before_a_period_is_over_nothing_changes(void **state)
{
    (void)state;
    static const double values[] = {3, 5}, expected[] = {5, 5, 5};
    given g;
    begin(&g, values, 2);
    next_is(&g, expected, 3);
}

static void what_repeats_is_expected_again(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4, 1, 2, 3, 4, 1}, expected[] = {2, 3, 4, 1, 2};
    given g;
    begin(&g, values, 9);
    next_is(&g, expected, 5);
}

/* 1 2 3 4, then 3 each time 2 more: differences 2 2 2 2 follow each other, so the factor is (2·2·3) / (2·2·3 + 1) =
 * 12/13; means are 2 3 4 5 by then. */
static void a_difference_fades_as_it_did(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4, 3, 4, 5, 6};
    const double f = 12.0 / 13, expected[] = {2 + 2 * f, 3 + 2 * f * f, 4 + 2 * f * f * f};
    given g;
    begin(&g, values, 8);
    next_is(&g, expected, 3);
}

/* Only what came before counts: the same values in front give the same forecast, whatever came later. */
static void it_walks_forward(void **state)
{
    (void)state;
    static const double values[] = {1, 7, 3, 4, 2, 9, 3, 1, 5, 5, 8};
    for (int n = 1; n < 11; n++) {
        given a, b;
        double before[4], again[4];
        begin(&a, values, n);
        orr_series_next(&a.s, 4, before);
        begin(&b, values, 11);
        begin(&b, values, n);
        orr_series_next(&b.s, 4, again);
        for (int i = 0; i < 4; i++)
            assert_true(before[i] == again[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_a_period_is_over_nothing_changes),
        cmocka_unit_test(what_repeats_is_expected_again),
        cmocka_unit_test(a_difference_fades_as_it_did),
        cmocka_unit_test(it_walks_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
