/* Random streams: reproducible, separate by name, and the mixing function against its published first values. */
#include "base/rng.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { N = 20000 };

/* SplitMix64 seeded with 0 yields these first (its state grows by the golden ratio before each). */
static void mixing_has_the_published_values(void **state)
{
    (void)state;
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    assert_true(orr_mix64(0) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(orr_mix64(golden) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(orr_mix64(2 * golden) == UINT64_C(0x06c45d188009454f));
}

static void a_hash_depends_on_every_byte_the_length_and_the_seed(void **state)
{
    (void)state;
    unsigned char data[20] = {0};
    uint64_t base = orr_hash64(1, data, sizeof data);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = 1;
        assert_true(orr_hash64(1, data, sizeof data) != base);
        data[i] = 0;
    }
    for (size_t n = 0; n < sizeof data; n++)
        assert_true(orr_hash64(1, data, n) != base);
    assert_true(orr_hash64(2, data, sizeof data) != base);
    assert_true(orr_hash64(1, data, sizeof data) == base);
}

static void a_stream_is_the_same_each_time(void **state)
{
    (void)state;
    gsl_rng *a = orr_rng_create(7, "workload"), *b = orr_rng_create(7, "workload");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(gsl_rng_get(a), gsl_rng_get(b));
    gsl_rng_free(a);
    gsl_rng_free(b);
}

/* Fixed for all time: a change here changes every synthetic workload. */
static void a_stream_keeps_its_first_values(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(1, "workload");
    assert_int_equal(gsl_rng_get(rng), 3430029259);
    assert_int_equal(gsl_rng_get(rng), 2185247888);
    gsl_rng_free(rng);
}

/* For independent uniforms the correlation of N pairs has a standard deviation of 1/sqrt(N); five of them is 0.035. */
static void check_uncorrelated(gsl_rng *a, gsl_rng *b)
{
    double sab = 0, sa = 0, sb = 0;
    for (int i = 0; i < N; i++) {
        double x = gsl_rng_uniform(a) - 0.5, y = gsl_rng_uniform(b) - 0.5;
        sab += x * y, sa += x * x, sb += y * y;
    }
    assert_true(fabs(sab / sqrt(sa * sb)) < 5 / sqrt(N));
    gsl_rng_free(a);
    gsl_rng_free(b);
}

static void streams_of_other_names_or_seeds_are_independent(void **state)
{
    (void)state;
    check_uncorrelated(orr_rng_create(1, "workload"), orr_rng_create(1, "failures"));
    check_uncorrelated(orr_rng_create(1, "workload"), orr_rng_create(2, "workload"));
    check_uncorrelated(orr_rng_create(1, "a"), orr_rng_create(1, "b"));
}

/* Drawing from one stream leaves another where it is, whatever their order of creation. */
static void streams_do_not_shift_each_other(void **state)
{
    (void)state;
    gsl_rng *alone = orr_rng_create(5, "noise");
    unsigned long expected = gsl_rng_get(alone);
    gsl_rng *other = orr_rng_create(5, "policy");
    for (int i = 0; i < 10; i++)
        gsl_rng_get(other);
    gsl_rng *again = orr_rng_create(5, "noise");
    assert_int_equal(gsl_rng_get(again), expected);
    gsl_rng_free(alone);
    gsl_rng_free(other);
    gsl_rng_free(again);
}

/* Five standard deviations of each moment's estimate. */
static void gaussian_keys_have_the_moments_of_a_normal(void **state)
{
    (void)state;
    double sum = 0, squares = 0;
    for (uint64_t key = 0; key < N; key++) {
        double x = orr_gaussian_of(key);
        assert_true(isfinite(x));
        sum += x, squares += x * x;
    }
    assert_true(fabs(sum / N) < 5 / sqrt(N));
    assert_true(fabs(squares / N - 1) < 5 * sqrt(2.0 / N));
    assert_true(orr_gaussian_of(42) == orr_gaussian_of(42));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixing_has_the_published_values),
        cmocka_unit_test(a_hash_depends_on_every_byte_the_length_and_the_seed),
        cmocka_unit_test(a_stream_is_the_same_each_time),
        cmocka_unit_test(a_stream_keeps_its_first_values),
        cmocka_unit_test(streams_of_other_names_or_seeds_are_independent),
        cmocka_unit_test(streams_do_not_shift_each_other),
        cmocka_unit_test(gaussian_keys_have_the_moments_of_a_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
