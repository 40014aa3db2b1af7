/* Prices as steps of time, and what they come to. */
#include "model/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 2 an hour, from 10 s on 4, from 30 s on 1; given in any order, and the later word counts. */
static orr_prices *steps(void)
{
    orr_prices *p = orr_prices_create();
    orr_prices_add(p, "V100", 30 * ORR_SECOND, 9);
    orr_prices_add(p, "V100", 0, 2);
    orr_prices_add(p, "V100", 30 * ORR_SECOND, 1);
    orr_prices_add(p, "V100", 10 * ORR_SECOND, 4);
    orr_prices_finish(p);
    return p;
}

static double money(const orr_prices *p, double from, double to)
{
    return orr_money(orr_prices_over(p, 0, orr_time_from_seconds(from), orr_time_from_seconds(to)));
}

static void an_integral_is_the_sum_of_its_steps(void **state)
{
    (void)state;
    orr_prices *p = steps();
    assert_true(money(p, 0, 10) == 20 / 3600.0);
    assert_true(money(p, 5, 40) == (10 + 80 + 10) / 3600.0);
    assert_true(money(p, 30, 30) == 0);
    assert_true(money(p, 40, 3640) == 1);
    orr_wide parts = orr_prices_over(p, 0, 0, 17) + orr_prices_over(p, 0, 17, 33 * ORR_SECOND) +
                     orr_prices_over(p, 0, 33 * ORR_SECOND, 99 * ORR_SECOND);
    assert_true(parts == orr_prices_over(p, 0, 0, 99 * ORR_SECOND));
    orr_prices_destroy(p);
}

static void a_price_holds_from_its_time_on(void **state)
{
    (void)state;
    orr_prices *p = steps();
    assert_true(orr_prices_at(p, 0, 10 * ORR_SECOND - 1) == 2);
    assert_true(orr_prices_at(p, 0, 10 * ORR_SECOND) == 4);
    assert_true(orr_prices_at(p, 0, 30 * ORR_SECOND) == 1);
    assert_true(orr_prices_at(p, 0, ORR_TIME_MAX) == 1);
    orr_prices_destroy(p);
}

/* The first price holds before its time, too; other types cost what "" costs. */
static void types_without_prices(void **state)
{
    (void)state;
    orr_prices *p = orr_prices_create();
    orr_prices_add(p, "A100", 100 * ORR_SECOND, 3);
    orr_prices_finish(p);
    assert_int_equal(orr_prices_type(p, "T4"), -1);
    assert_true(orr_prices_at(p, 0, 0) == 3);
    assert_true(money(p, 0, 1200) == 1);
    orr_prices_add(p, "", 0, 1);
    orr_prices_finish(p);
    assert_int_equal(orr_prices_type(p, "T4"), 1);
    assert_int_equal(orr_prices_own(p, "T4"), -1);
    assert_int_equal(orr_prices_type(p, "A100"), 0);
    orr_prices_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integral_is_the_sum_of_its_steps),
        cmocka_unit_test(a_price_holds_from_its_time_on),
        cmocka_unit_test(types_without_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
