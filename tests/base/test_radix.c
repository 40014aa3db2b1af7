/* Sorting by keys. */
#include "base/radix.h"
#include "base/stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { MANY = 3000 };

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x ^ *x >> 29;
}

/* Few distinct keys in all digits: equal ones keep the order of their values. */
static void sorts_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    static uint64_t keys[MANY];
    static uint32_t values[MANY];
    uint64_t x = 5;
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t r = next_random(&x) % 40;
        keys[i] = r << (r % 8 * 8) | r % 3;
        values[i] = i;
    }
    orr_radix_sort(keys, values, MANY);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(keys[i - 1] <= keys[i]);
        assert_true(keys[i - 1] < keys[i] || values[i - 1] < values[i]);
    }
}

static void small_ones(void **state)
{
    (void)state;
    uint64_t two[] = {UINT64_MAX, 0}, one[] = {7};
    orr_radix_sort(two, NULL, 2);
    assert_true(two[0] == 0 && two[1] == UINT64_MAX);
    orr_radix_sort(one, NULL, 1);
    orr_radix_sort(NULL, NULL, 0);
    assert_true(one[0] == 7);
}

static void times(void **state)
{
    (void)state;
    static const orr_time order[] = {ORR_TIME_NONE, -ORR_TIME_MAX, -1, 0, 1, ORR_TIME_MAX};
    for (size_t i = 1; i < sizeof order / sizeof *order; i++)
        assert_true(orr_radix_time(order[i - 1]) < orr_radix_time(order[i]));
}

static void doubles(void **state)
{
    (void)state;
    static const double order[] = {-INFINITY, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 0.1, 1, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        double back = orr_radix_double_back(orr_radix_double(order[i]));
        assert_true(isnan(order[i]) ? isnan(back) : memcmp(&back, &order[i], sizeof back) == 0);
        if (i > 0)
            assert_true(orr_radix_double(order[i - 1]) < orr_radix_double(order[i]));
    }
}

/* Long arrays of doubles are sorted by keys, short ones by comparing: to the same bytes. */
static void long_and_short_arrays_agree(void **state)
{
    (void)state;
    static double all[MANY], part[MANY];
    static const double odd[] = {-0.0, 0.0, NAN, INFINITY, -INFINITY, 1, 1};
    uint64_t x = 9;
    for (size_t i = 0; i < MANY; i++)
        all[i] = i % 50 == 0 ? odd[i / 50 % 7] : (double)(int64_t)next_random(&x) / 1e9;
    memcpy(part, all, sizeof all);
    orr_sort_doubles(all, MANY);
    for (size_t n = 500; n <= MANY; n += 500) { /* an insertion sort of sorted parts */
        orr_sort_doubles(part + n - 500, 500);
        for (size_t i = n - 500; i < n; i++)
            for (size_t k = i; k > 0 && orr_radix_double(part[k - 1]) > orr_radix_double(part[k]); k--) {
                double swap = part[k];
                part[k] = part[k - 1];
                part[k - 1] = swap;
            }
    }
    assert_memory_equal(all, part, sizeof all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_and_keeps_the_order_of_equals),
        cmocka_unit_test(small_ones),
        cmocka_unit_test(times),
        cmocka_unit_test(doubles),
        cmocka_unit_test(long_and_short_arrays_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
