/* The availability calendar against cases by hand and against a plain array over a short time axis. */
#include <orrery/drive.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/*  free 4 |####        ########
 *       3 |
 *       1 |    ####            ...      two reservations: 3 GPUs over [4,8), 3 GPUs over [16,24)
 *          0   4   8       16      24 */
static void reservations_make_steps(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(0, 4);
    orr_calendar_reserve(c, 4, 4, 3);
    orr_calendar_reserve(c, 16, 8, 3);
    const int32_t expected[][2] = {{0, 4}, {3, 4}, {4, 1}, {7, 1}, {8, 4}, {15, 4}, {16, 1}, {23, 1}, {24, 4}, {99, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(orr_calendar_free(c, expected[i][0]), expected[i][1]);

    assert_int_equal(orr_calendar_fit(c, 0, 4, 2), 0);   /* ends where the first step begins */
    assert_int_equal(orr_calendar_fit(c, 0, 5, 2), 8);   /* one longer: behind it */
    assert_int_equal(orr_calendar_fit(c, 1, 4, 2), 8);   /* one later: likewise */
    assert_int_equal(orr_calendar_fit(c, 0, 9, 2), 24);  /* the gap of 8 is too short */
    assert_int_equal(orr_calendar_fit(c, 5, 100, 1), 5); /* one GPU is free throughout */
    assert_int_equal(orr_calendar_fit(c, 0, 1, 5), ORR_TIME_MAX);
    assert_int_equal(orr_calendar_fit(c, 5, 0, 2), 8);   /* no length: the instant itself must have room */
    orr_calendar_destroy(c);
}

static void releases_give_back(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(100, 0);
    orr_calendar_reserve(c, 130, ORR_TIME_MAX, -2); /* a running job of 2 GPUs ends at 130 */
    orr_calendar_reserve(c, 110, ORR_TIME_MAX, -1);
    assert_int_equal(orr_calendar_fit(c, 100, 1000, 1), 110);
    assert_int_equal(orr_calendar_fit(c, 100, 1000, 3), 130);
    assert_int_equal(orr_calendar_fit(c, 100, ORR_TIME_MAX, 3), 130);
    assert_int_equal(orr_calendar_free(c, 129), 1);
    assert_int_equal(orr_calendar_free(c, ORR_TIME_MAX), 3);
    orr_calendar_reserve(c, 110, ORR_TIME_MAX, 1); /* taken back: as before */
    assert_int_equal(orr_calendar_fit(c, 100, 1, 1), 130);
    orr_calendar_reset(c, 7, 5);
    assert_int_equal(orr_calendar_free(c, 200), 5);
    assert_int_equal(orr_calendar_fit(c, 0, 1, 5), 7); /* the past is not offered */
    orr_calendar_destroy(c);
    orr_calendar_destroy(NULL);
}

static void times_saturate(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(0, 8);
    orr_calendar_reserve(c, ORR_TIME_MAX - 5, 100, 8); /* would end past the range: for ever */
    assert_int_equal(orr_calendar_free(c, ORR_TIME_MAX - 6), 8);
    assert_int_equal(orr_calendar_free(c, ORR_TIME_MAX), 0);
    assert_int_equal(orr_calendar_fit(c, 0, ORR_TIME_MAX, 1), ORR_TIME_MAX);
    assert_int_equal(orr_calendar_fit(c, 10, ORR_TIME_MAX - 20, 1), 10);
    assert_int_equal(orr_calendar_fit(c, 10, ORR_TIME_MAX - 15, 1), 10);
    assert_int_equal(orr_calendar_fit(c, 10, ORR_TIME_MAX - 14, 1), ORR_TIME_MAX);
    orr_calendar_reserve(c, ORR_TIME_MAX, 5, 3); /* never begins */
    assert_int_equal(orr_calendar_free(c, ORR_TIME_MAX), 0);
    orr_calendar_reset(c, 0, 2);
    orr_calendar_reserve(c, 3, ORR_TIME_MAX, 2);
    assert_int_equal(orr_calendar_fit(c, 0, ORR_TIME_MAX, 2), ORR_TIME_MAX);
    assert_int_equal(orr_calendar_fit(c, 0, 3, 2), 0);
    orr_calendar_destroy(c);
}

/* A reservation that began before the calendar's now counts for its rest only; one that has ended, not at all. */
static void the_past_is_cut_off(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(50, 4);
    orr_calendar_reserve(c, 40, 20, 3);
    orr_calendar_reserve(c, 30, 20, 1);
    assert_int_equal(orr_calendar_free(c, 50), 1);
    assert_int_equal(orr_calendar_free(c, 59), 1);
    assert_int_equal(orr_calendar_free(c, 60), 4);
    assert_int_equal(orr_calendar_free(c, 10), 1);
    orr_calendar_destroy(c);
}

/* ---- against an array with one cell a time unit; the last cell stands for all time behind it ---- */
enum { AXIS = 48 };
typedef struct axis {
    int32_t free[AXIS];
} axis;

static uint64_t next_random(uint64_t *x)
{
    *x += 0x9E3779B97F4A7C15u;
    uint64_t z = (*x ^ (*x >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static orr_time below(uint64_t *x, uint64_t n)
{
    return (orr_time)(next_random(x) % n);
}

static void axis_reserve(axis *a, orr_time from, orr_time length, int32_t gpus)
{
    for (orr_time t = from; t < AXIS && (length == ORR_TIME_MAX || t < from + length); t++)
        a->free[t] -= gpus;
}

static orr_time axis_fit(const axis *a, orr_time from, orr_time length, int32_t gpus)
{
    for (orr_time start = from; start < AXIS; start++) {
        orr_time t = start;
        while (t < AXIS && (t == start || length == ORR_TIME_MAX || t < start + length) && a->free[t] >= gpus)
            t++;
        if (t == AXIS || (t > start && length != ORR_TIME_MAX && t >= start + length))
            return start;
    }
    return ORR_TIME_MAX;
}

static void one_random_run(uint64_t seed)
{
    uint64_t x = seed;
    axis a;
    int32_t free = (int32_t)below(&x, 9);
    for (int t = 0; t < AXIS; t++)
        a.free[t] = free;
    orr_calendar *c = orr_calendar_create(0, free);
    for (int step = 0; step < 60; step++) {
        orr_time from = below(&x, AXIS - 8);
        /* finite intervals end inside the axis, so that its last cell stays true for all later times */
        orr_time length = below(&x, 5) == 0 ? ORR_TIME_MAX : below(&x, (uint64_t)(AXIS - 1 - from));
        int32_t gpus = (int32_t)below(&x, 7) - 3;
        orr_calendar_reserve(c, from, length, gpus);
        axis_reserve(&a, from, length, gpus);
        for (int t = 0; t < AXIS; t++)
            assert_int_equal(orr_calendar_free(c, t), a.free[t]);
        for (int ask = 0; ask < 8; ask++) {
            orr_time at = below(&x, AXIS), span = below(&x, 9) == 0 ? ORR_TIME_MAX : below(&x, AXIS);
            int32_t want = (int32_t)below(&x, 10) - 2;
            orr_time got = orr_calendar_fit(c, at, span, want), expected = axis_fit(&a, at, span, want);
            if (got != expected)
                fail_msg("seed %d step %d: fit(%d, %d, %d) is %lld, by the array %lld", (int)seed, step, (int)at,
                         (int)span, want, (long long)got, (long long)expected);
        }
    }
    orr_calendar_destroy(c);
}

static void agrees_with_a_plain_array(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++)
        one_random_run(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reservations_make_steps), cmocka_unit_test(releases_give_back),
        cmocka_unit_test(times_saturate),          cmocka_unit_test(the_past_is_cut_off),
        cmocka_unit_test(agrees_with_a_plain_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
