/* Quantiles, sums and the Jain index, each solved by hand. */
#include "base/stat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* Type 7: the place is h = (n - 1) p from the first value, linear between neighbours. Of 1 2 4 8: p = 1/4 is at h =
 * 0.75, 1 + 0.75 (2 - 1); p = 1/2 at 1.5, 2 + 0.5 (4 - 2); p = 0.9 at 2.7, 4 + 0.7 (8 - 4). */
static void quantiles_of_type_7(void **state)
{
    (void)state;
    const double v[] = {1, 2, 4, 8};
    const struct {
        size_t n;
        double p, expected;
    } rows[] = {
        {4, 0, 1}, {4, 0.25, 1.75}, {4, 0.5, 3},     {4, 0.9, 6.8}, {4, 1, 8}, {3, 0.5, 2},
        {1, 0, 1}, {1, 0.99, 1},    {2, 0.99, 1.99}, {4, -1, 1},    {4, 2, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(orr_quantile(v, rows[i].n, rows[i].p), rows[i].expected);
    assert_true(isnan(orr_quantile(v, 0, 0.5)));
}

static void a_quantile_between_infinities_is_no_nan(void **state)
{
    (void)state;
    const double v[] = {1, INFINITY, INFINITY};
    assert_true(orr_quantile(v, 3, 0.75) == INFINITY);
}

static void sorting_is_total(void **state)
{
    (void)state;
    double v[] = {3, NAN, 0.0, -INFINITY, -0.0, 2, INFINITY, -1};
    orr_sort_doubles(v, 8);
    const double expected[] = {-INFINITY, -1, -0.0, 0.0, 2, 3, INFINITY};
    for (size_t i = 0; i < 7; i++) {
        assert_true(v[i] == expected[i]);
        assert_int_equal(!!signbit(v[i]), !!signbit(expected[i]));
    }
    assert_true(isnan(v[7]));
    orr_sort_doubles(NULL, 0);
}

/* A plain loop loses both ones: 1 + 1e100 + 1 - 1e100 = 2. */
static void sums_are_compensated(void **state)
{
    (void)state;
    const double v[] = {1, 1e100, 1, -1e100};
    assert_true(orr_sum(v, 4) == 2);
    assert_true(orr_sum(v, 0) == 0);
    double tenths[10];
    for (int i = 0; i < 10; i++)
        tenths[i] = 0.1;
    assert_true(orr_sum(tenths, 10) == 1.0);
    assert_true(orr_sum((const double[]){INFINITY, 1}, 2) == INFINITY);
}

static void means(void **state)
{
    (void)state;
    assert_near(orr_mean((const double[]){1, 2, 6}, 3), 3);
    assert_true(isnan(orr_mean(NULL, 0)));
}

/* (1 + 2 + 3)^2 / (3 (1 + 4 + 9)) = 36/42; one of four served gives 1/4; equal shares give 1. */
static void jain_by_hand(void **state)
{
    (void)state;
    assert_near(orr_jain((const double[]){1, 2, 3}, 3), 36.0 / 42.0);
    assert_near(orr_jain((const double[]){0, 5, 0, 0}, 4), 0.25);
    assert_near(orr_jain((const double[]){7, 7, 7}, 3), 1);
    assert_true(orr_jain((const double[]){0, 0}, 2) == 1);
    assert_true(isnan(orr_jain(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_type_7),
        cmocka_unit_test(a_quantile_between_infinities_is_no_nan),
        cmocka_unit_test(sorting_is_total),
        cmocka_unit_test(sums_are_compensated),
        cmocka_unit_test(means),
        cmocka_unit_test(jain_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
