/* Means over repeats, by hand. */
#include "study/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%.12g instead of %.12g", got, want);
}

/* 2 4 4 4 6: mean 4, squares 4 0 0 0 4, sd sqrt(8/4) = 1.41421; t(0.975, 4) = 2.776445 (any table), half width
 * 2.776445 * 1.414214 / 2.236068 = 1.755978. */
static void five_values_have_an_interval(void **state)
{
    (void)state;
    const double v[] = {4, 2, 4, 6, 4};
    const orr_sample s = orr_sample_of(v, 5);
    assert_int_equal(s.n, 5);
    near(s.mean, 4, 0);
    near(s.sd, sqrt(2), 1e-15);
    near(s.low, 4 - 1.755978, 1e-6);
    near(s.high, 4 + 1.755978, 1e-6);
    near(s.min, 2, 0);
    near(s.max, 6, 0);
}

/* Ten pairs of a classic: hours of sleep gained under two drugs (Student 1908), differences 1.2 2.4 1.3 1.3 0 1 1.8 0.8
 * 4.6 1.4: mean 1.58, sd 1.22995, t(0.975, 9) = 2.262157, interval 0.70011 to 2.45989. */
static void students_own_example(void **state)
{
    (void)state;
    const double d[] = {1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4};
    const orr_sample s = orr_sample_of(d, 10);
    near(s.mean, 1.58, 1e-14);
    near(s.sd, 1.229995, 1e-6);
    near(s.low, 0.700114, 1e-6);
    near(s.high, 2.459886, 1e-6);
    const orr_signs signs = orr_signs_of(d, 10);
    assert_int_equal(signs.above, 9);
    assert_int_equal(signs.below, 0);
    assert_int_equal(signs.zero, 1);
}

static void few_values_have_none(void **state)
{
    (void)state;
    const double v[] = {3, 5, 7, 9};
    double low = 0, high = 0;
    orr_bootstrap *b = orr_bootstrap_create(1);
    orr_sample s = orr_sample_of(v, 4);
    near(s.mean, 6, 0);
    assert_true(isnan(s.low) && isnan(s.high));
    orr_bootstrap_mean(b, v, 4, &low, &high);
    assert_true(isnan(low) && isnan(high));
    s = orr_sample_of(v, 1);
    near(s.mean, 3, 0);
    assert_true(isnan(s.sd));
    s = orr_sample_of(v, 0);
    assert_true(isnan(s.mean) && isnan(s.sd) && isnan(s.min));
    orr_bootstrap_destroy(b);
}

/* 0 and 1 in equal parts, n = 100: a resample's mean has the standard error sqrt(0.25 / 100) = 0.05, so 95 % of them
 * lie within 0.5 -+ 0.098; the quantiles of 2,000 are good to about 0.005. */
static void the_bootstrap_finds_the_standard_error(void **state)
{
    (void)state;
    double v[100], low, high;
    for (int i = 0; i < 100; i++)
        v[i] = i % 2;
    orr_bootstrap *b = orr_bootstrap_create(1);
    orr_bootstrap_mean(b, v, 100, &low, &high);
    near(low, 0.402, 0.011);
    near(high, 0.598, 0.011);
    orr_bootstrap_destroy(b);
}

static void the_bootstrap_repeats_itself(void **state)
{
    (void)state;
    const double v[] = {1, 2, 3, 5, 8, 13}, w[] = {4, 4, 4, 4, 4};
    double low[2], high[2], other_low, other_high;
    orr_bootstrap *b = orr_bootstrap_create(1), *c = orr_bootstrap_create(2);
    orr_bootstrap_mean(b, v, 6, &low[0], &high[0]);
    orr_bootstrap_mean(b, w, 5, &other_low, &other_high);
    near(other_low, 4, 0);
    near(other_high, 4, 0);
    orr_bootstrap_mean(b, v, 6, &low[1], &high[1]);
    assert_true(low[0] == low[1] && high[0] == high[1]);
    assert_true(low[0] < 32 / 6.0 && 32 / 6.0 < high[0]);
    orr_bootstrap_mean(c, v, 6, &other_low, &other_high);
    assert_true(other_low != low[0] || other_high != high[0]);
    orr_bootstrap_destroy(b);
    orr_bootstrap_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_values_have_an_interval), cmocka_unit_test(students_own_example),
        cmocka_unit_test(few_values_have_none),         cmocka_unit_test(the_bootstrap_finds_the_standard_error),
        cmocka_unit_test(the_bootstrap_repeats_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
