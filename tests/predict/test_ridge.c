/* The regression: its solution is the minimum, and when it is looked for. Worked examples:
 * tests/policies/test_learning.c. */
#include "predict/ridge.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const orr_date january = {.year = 2020, .month = 1, .day = 1}, february = {.year = 2020, .month = 2, .day = 1};
static const char *const users[] = {"a", "b", "c", "d"}, *const names[] = {"x", "y", "z"};

static orr_sample sample(uint64_t i)
{
    uint64_t bits = orr_mix64(i);
    return (orr_sample){.user = users[bits % 4], .name = names[(bits >> 8) % 3], .vc = (int32_t)(bits >> 16) % 2,
                        .gpus = 1 << (bits >> 24) % 4,
                        .submitted = {.month = 1 + (int32_t)(bits >> 32) % 2, .weekday = (int32_t)(bits >> 36) % 7,
                                      .hour = (int32_t)(bits >> 40) % 24}};
}

/* Twice as long for each user, name and so on: exactly linear in the logs. */
static double truth(const orr_sample *s)
{
    double y = 1 + 0.5 * (s->user[0] - 'a') + 0.3 * (s->name[0] - 'x') + 0.2 * s->vc + 0.1 * s->gpus +
               0.02 * s->submitted.hour + 0.05 * s->submitted.weekday;
    return expm1(y);
}

/* With hardly a price on weights it finds what made the durations; with a great one it says the mean of the logs. */
static void finds_what_is_linear(void **state)
{
    (void)state;
    for (int dear = 0; dear < 2; dear++) {
        const orr_ridge_rules rules = {.buckets = 2048, .lambda = dear ? 1e9 : 1e-6, .every = 1000};
        struct ridge *r = orr_ridge_create(&rules);
        double sum = 0, seconds;
        for (uint64_t i = 0; i < 2000; i++) {
            orr_sample s = sample(i);
            sum += log1p(truth(&s));
            orr_ridge_put(r, &s, january, truth(&s));
        }
        for (uint64_t i = 5000; i < 5100; i++) {
            orr_sample s = sample(i);
            double expected = dear ? expm1(sum / 2000) : truth(&s);
            assert_true(orr_ridge_get(r, &s, january, &seconds));
            assert_true(fabs(seconds / expected - 1) < 1e-4);
        }
        assert_int_equal(orr_ridge_solved(r), 1);
        orr_ridge_destroy(r);
    }
    orr_ridge_destroy(NULL);
}

/* Never less than nothing, and never more than was seen. */
static void stays_within_what_was_seen(void **state)
{
    (void)state;
    const orr_ridge_rules rules = {.buckets = 8, .lambda = 1e-6, .every = 1};
    struct ridge *r = orr_ridge_create(&rules);
    for (uint64_t i = 0; i < 300; i++) { /* eight buckets for forty features */
        orr_sample s = sample(i);
        double seconds;
        if (orr_ridge_get(r, &s, january, &seconds))
            assert_true(seconds >= 0 && seconds <= 100);
        orr_ridge_put(r, &s, january, (double)(orr_mix64(i + 77) % 101));
    }
    orr_ridge_destroy(r);
}

static void add(struct ridge *r, uint64_t from, uint64_t n, orr_date when)
{
    for (uint64_t i = from; i < from + n; i++) {
        orr_sample s = sample(i);
        orr_ridge_put(r, &s, when, truth(&s));
    }
}

static bool answers(struct ridge *r, orr_date when)
{
    orr_sample s = sample(1);
    double seconds;
    return orr_ridge_get(r, &s, when, &seconds);
}

/* From 16 jobs on, then whenever there are twice as many, then every 50; and only if somebody asks. */
static void solved_when_due(void **state)
{
    (void)state;
    const orr_ridge_rules rules = {.buckets = 32, .lambda = 1, .every = 50};
    struct ridge *r = orr_ridge_create(&rules);
    static const struct {
        uint64_t add, solved;
    } rows[] = {{15, 0}, {1, 1}, {0, 1}, {15, 1}, {1, 2}, {32, 3}, {49, 3}, {1, 4}, {500, 5}, {1, 5}};
    uint64_t n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; n += rows[i++].add) {
        add(r, n, rows[i].add, january);
        assert_int_equal(answers(r, january), rows[i].solved > 0);
        assert_int_equal(orr_ridge_solved(r), rows[i].solved);
    }
    orr_ridge_destroy(r);
}

/* By months: what January holds is known in February, whether a job or a question comes first, and February's is
 * not. */
static void solved_when_a_month_is_over(void **state)
{
    (void)state;
    const orr_ridge_rules rules = {.buckets = 32, .lambda = 1, .monthly = true, .every = 1};
    double asked_first, job_first;
    orr_sample s = sample(1);
    for (int k = 0; k < 2; k++) {
        struct ridge *r = orr_ridge_create(&rules);
        add(r, 0, 40, january);
        assert_false(answers(r, january));
        if (k == 1)
            add(r, 40, 10, february);
        assert_true(orr_ridge_get(r, &s, february, k ? &job_first : &asked_first));
        assert_int_equal(orr_ridge_solved(r), 1);
        add(r, 50, 300, february);
        assert_true(answers(r, february));
        assert_int_equal(orr_ridge_solved(r), 1);
        orr_ridge_destroy(r);
    }
    assert_true(asked_first == job_first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_linear),
        cmocka_unit_test(stays_within_what_was_seen),
        cmocka_unit_test(solved_when_due),
        cmocka_unit_test(solved_when_a_month_is_over),
    };
    return cmocka_run_group_tests_name("ridge", tests, NULL, NULL);
}
