/* The store of the rolling estimate: what it keeps of comparisons. Its answers: tests/policies/test_learning.c. */
#include "predict/rolling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const orr_rolling_rules rules = {.cut = 0.6, .matches = 2, .look = 1000};

static orr_sample sample(const char *user, const char *name, int32_t gpus)
{
    return (orr_sample){.user = user, .name = name, .gpus = gpus};
}

static double mean(struct rolling *r, const char *user, const char *name)
{
    const orr_sample s = sample(user, name, 1);
    double m = -1;
    return orr_rolling_get(r, &s, &m) ? m : -1;
}

static void put(struct rolling *r, const char *user, const char *name, double value)
{
    const orr_sample s = sample(user, name, 1);
    orr_rolling_put(r, &s, value);
}

static void empty(void **state)
{
    (void)state;
    struct rolling *r = orr_rolling_create(&rules);
    assert_true(mean(r, "u", "n") == -1);
    put(r, "u", "n", 4);
    assert_true(mean(r, "u", "n") == 4);
    assert_true(mean(r, "other", "else") == 4);
    orr_rolling_destroy(r);
    orr_rolling_destroy(NULL);
}

/* Each pair of names is compared once: asking again is free, and a new name costs one comparison more. */
static void pairs_are_compared_once(void **state)
{
    (void)state;
    struct rolling *r = orr_rolling_create(&rules);
    for (int i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        put(r, "u", name, 10 * i);
    }
    assert_int_equal(orr_rolling_compared(r), 0);
    assert_true(mean(r, "u", "job-3") == 30);
    assert_int_equal(orr_rolling_compared(r), 0); /* known */
    assert_true(mean(r, "u", "job-x") == 85);     /* all are like it to 0.8: the greatest texts, job-9 and job-8 */
    assert_int_equal(orr_rolling_compared(r), 10);
    assert_true(mean(r, "u", "job-x") == 85);
    assert_int_equal(orr_rolling_compared(r), 10);
    put(r, "u", "job-xx", 7); /* closer */
    assert_true(mean(r, "u", "job-x") == (7 + 90) / 2.0);
    assert_int_equal(orr_rolling_compared(r), 11);
    put(r, "u", "job-9", 70); /* what is known of a close name moves on */
    assert_true(mean(r, "u", "job-x") == (7 + 90 + 70) / 3.0);
    put(r, "u", "nothing", 1); /* the bound rules it out */
    assert_true(mean(r, "u", "job-x") == (7 + 90 + 70) / 3.0);
    assert_int_equal(orr_rolling_compared(r), 11);
    put(r, "u", "job-x", 1); /* it is known itself */
    assert_true(mean(r, "u", "job-x") == 1);
    orr_rolling_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty),
        cmocka_unit_test(pairs_are_compared_once),
    };
    return cmocka_run_group_tests_name("rolling", tests, NULL, NULL);
}
