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

/* Where GPUs come back, earlier answers no longer bind; where they only go, a greater wish may start from them. */
static void answers_are_forgotten_when_gpus_come_back(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(0, 4);
    orr_calendar_reserve(c, 0, 100, 3);
    assert_int_equal(orr_calendar_fit(c, 0, 10, 2), 100);
    orr_calendar_reserve(c, 0, 50, -1); /* two are free over [0,50) */
    assert_int_equal(orr_calendar_fit(c, 0, 10, 2), 0);
    assert_int_equal(orr_calendar_fit(c, 0, 51, 2), 100);
    assert_int_equal(orr_calendar_fit(c, 0, 50, 2), 0); /* one shorter than what has just been answered */
    assert_int_equal(orr_calendar_fit(c, 0, 51, 1), 0); /* one GPU fewer */
    assert_int_equal(orr_calendar_fit(c, 60, 5, 2), 100);
    assert_int_equal(orr_calendar_fit(c, 20, 5, 2), 20); /* earlier than the last question */
    orr_calendar_reset(c, 0, 4);
    assert_int_equal(orr_calendar_fit(c, 0, 51, 2), 0);
    orr_calendar_destroy(c);
}

/*  free 2 |  #  #  #  ...  #  ####   one unit at 2, 5, ... 38, then for ever from 40; a job of 1 GPU holds [40,43) */
static void moving_up_a_job_that_holds_a_place(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(0, 2);
    for (orr_time t = 0; t < 40; t += 3)
        orr_calendar_reserve(c, t, t + 2 < 40 ? 2 : 40 - t, 2);
    assert_int_equal(orr_calendar_fit(c, 0, 3, 1), 40); /* the teeth at 2, 5, ... are too short */
    orr_calendar_reserve(c, 40, 3, 1);
    for (int again = 0; again < 3; again++) { /* given back and taken again: what is known stays right */
        orr_calendar_reserve(c, 40, 3, -1);
        assert_int_equal(orr_calendar_fit(c, 0, 3, 2), 40);
        orr_calendar_reserve(c, 40, 3, 1);
        assert_int_equal(orr_calendar_fit(c, 0, 3, 2), 43);
    }
    orr_calendar_reserve(c, 3, 2, -2); /* given back, and then something else taken: [2,6) is free for good */
    assert_int_equal(orr_calendar_fit(c, 0, 3, 1), 2);
    orr_calendar_reserve(c, 2, 3, 1);
    assert_int_equal(orr_calendar_fit(c, 0, 3, 1), 2);
    assert_int_equal(orr_calendar_fit(c, 0, 3, 2), 43);
    orr_calendar_destroy(c);
}

/* Gaps of 1600 and three GPUs: what is found for a wish just above that tells nothing of one that fits exactly. */
static void an_answer_binds_greater_wishes_only(void **state)
{
    (void)state;
    orr_calendar *c = orr_calendar_create(0, 3);
    for (orr_time t = 0; t < 20; t++)
        orr_calendar_reserve(c, 2000 * t, 400, 3);
    assert_int_equal(orr_calendar_fit(c, 0, 1601, 3), 38400);
    assert_int_equal(orr_calendar_fit(c, 0, 1601, 2), 38400);
    assert_int_equal(orr_calendar_fit(c, 0, 5000, 3), 38400);
    assert_int_equal(orr_calendar_fit(c, 0, 1600, 3), 400);
    for (orr_time t = 0; t < 10; t++)
        orr_calendar_reserve(c, 2000 * t + 400, 1600, 1);
    assert_int_equal(orr_calendar_fit(c, 0, 1600, 3), 20400);
    assert_int_equal(orr_calendar_fit(c, 0, 1600, 2), 400);
    orr_calendar_destroy(c);
}

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

/* 20,000 teeth of one time unit each, in no order: each gap between them is too short for two, and the last has no end.
 * Then all are taken back: nothing may be left of them. */
static void a_comb_of_many_teeth(void **state)
{
    (void)state;
    enum { TEETH = 20000, STRIDE = 7919 };
    orr_calendar *c = orr_calendar_create(0, 8);
    for (orr_time i = 0; i < TEETH; i++)
        orr_calendar_reserve(c, 1 + 2 * (i * STRIDE % TEETH), 1, 5);
    for (orr_time i = 0; i < TEETH; i += 97) {
        assert_int_equal(orr_calendar_free(c, 2 * i), 8);
        assert_int_equal(orr_calendar_free(c, 2 * i + 1), 3);
        assert_int_equal(orr_calendar_fit(c, 2 * i + 1, 1, 4), 2 * i + 2);
        assert_int_equal(orr_calendar_fit(c, 2 * i, 50, 3), 2 * i);
    }
    assert_int_equal(orr_calendar_fit(c, 0, 2, 4), 2 * TEETH);
    assert_int_equal(orr_calendar_fit(c, 0, 1, 9), ORR_TIME_MAX);
    for (orr_time i = 0; i < TEETH; i++)
        orr_calendar_reserve(c, 1 + 2 * i, 1, -5);
    assert_int_equal(orr_calendar_fit(c, 0, ORR_TIME_MAX, 8), 0);
    orr_calendar_destroy(c);
}

/* ---- against an array with one cell a time unit; the last cell stands for all time behind it ----
 * `origin` is the calendar's time of cell 0. An axis that ends with the clock has no time behind it: what would end there
 * or later saturates, and holds for ever. */
enum { LONGEST = 1024 };
typedef struct axis {
    int32_t free[LONGEST];
    orr_time n, origin;
    orr_time clock; /* most questions are asked from this cell on; it goes forth slowly */
} axis;

static void axis_reset(axis *a, orr_time n, orr_time origin, int32_t free)
{
    a->n = n;
    a->origin = origin;
    a->clock = 0;
    for (orr_time t = 0; t < n; t++)
        a->free[t] = free;
}

/* The cell at which an interval ends; n: it doesn't. */
static orr_time axis_end(const axis *a, orr_time from, orr_time length)
{
    return length >= a->n - from ? a->n : from + length;
}

static void axis_reserve(axis *a, orr_time from, orr_time length, int32_t gpus)
{
    orr_time end = axis_end(a, from, length);
    for (orr_time t = from; t < end; t++)
        a->free[t] -= gpus;
}

/* The cell found; n: never. */
static orr_time axis_fit(const axis *a, orr_time from, orr_time length, int32_t gpus)
{
    for (orr_time start = from; start < a->n; start++) {
        orr_time t = start, end = axis_end(a, start, length ? length : 1);
        while (t < end && a->free[t] >= gpus)
            t++;
        if (t == end)
            return start;
    }
    return a->n;
}

static void compare_cells(const axis *a, const orr_calendar *c, uint64_t seed, int step)
{
    for (orr_time t = 0; t < a->n; t++)
        if (orr_calendar_free(c, a->origin + t) != a->free[t])
            fail_msg("seed %d step %d: %d free at %d, by the array %d", (int)seed, step,
                     orr_calendar_free(c, a->origin + t), (int)t, a->free[t]);
}

static void compare_fit(axis *a, const orr_calendar *c, uint64_t *x, uint64_t seed, int step)
{
    a->clock += below(x, 60) == 0 && a->clock < a->n / 2;
    orr_time at = below(x, 40) ? a->clock : below(x, (uint64_t)a->n);
    orr_time span = below(x, 9) == 0 ? ORR_TIME_MAX : below(x, below(x, 4) ? 12 : (uint64_t)a->n);
    int32_t want = (int32_t)below(x, 12) - 1;
    orr_time got = orr_calendar_fit(c, a->origin + at, span, want), cell = axis_fit(a, at, span, want);
    orr_time expected = cell == a->n ? ORR_TIME_MAX : a->origin + cell;
    if (got != expected)
        fail_msg("seed %d step %d: fit(%d, %lld, %d) is %lld, by the array %lld", (int)seed, step, (int)at,
                 (long long)span, (int)want, (long long)got, (long long)expected);
}

static void take(axis *a, orr_calendar *c, orr_time from, orr_time length, int32_t gpus)
{
    orr_calendar_reserve(c, a->origin + from, length, gpus);
    axis_reserve(a, from, length, gpus);
}

/* Mostly short: many gaps. Finite intervals end inside the axis, unless it ends with the clock. */
static void take_some(axis *a, orr_calendar *c, uint64_t *x, bool saturating, bool only_take)
{
    orr_time from = below(x, (uint64_t)a->n - 1), left = a->n - from;
    orr_time length = below(x, (uint64_t)(left > 6 && below(x, 8) ? 6 : left));
    if (below(x, 40) == 0)
        length = ORR_TIME_MAX;
    if (saturating && below(x, 40) == 0)
        length = below(x, ORR_TIME_MAX); /* far past the end of the clock */
    take(a, c, from, length, only_take ? (int32_t)below(x, 4) : (int32_t)below(x, 7) - 3);
}

/* As a planner that lets somebody move up: gives back, asks, takes the same again or something else. */
static void move_up(axis *a, orr_calendar *c, uint64_t *x, uint64_t seed, int step)
{
    orr_time from = below(x, (uint64_t)a->n - 1), length = below(x, (uint64_t)(a->n - from));
    int32_t gpus = 1 + (int32_t)below(x, 4);
    if (length > 8)
        length = 8;
    take(a, c, from, length, -gpus);
    for (int ask = 0; ask < 3; ask++)
        compare_fit(a, c, x, seed, step);
    orr_time other = below(x, 16), later = other == 1 ? length / 2 : 0; /* begins later but ends as before */
    if (other == 0)
        from = below(x, (uint64_t)from + 1);
    take(a, c, from + later, other == 2 ? length / 2 : length - later, gpus - (other == 3));
}

/* Phases of taking only, in which answers bind later ones, alternate with phases of both; now and then all anew. */
static void one_random_run(uint64_t seed, orr_time n, int steps, bool saturating)
{
    uint64_t x = seed;
    axis a;
    orr_time origin = saturating ? ORR_TIME_MAX - n : 0;
    axis_reset(&a, n, origin, (int32_t)below(&x, 9));
    orr_calendar *c = orr_calendar_create(origin, a.free[0]);
    for (int step = 0; step < steps; step++) {
        if (below(&x, 300) == 0) {
            axis_reset(&a, n, origin, (int32_t)below(&x, 16));
            orr_calendar_reset(c, origin, a.free[0]);
        }
        bool only_take = step / 100 % 2;
        if (below(&x, only_take ? 4 : 40) == 0)
            move_up(&a, c, &x, seed, step);
        take_some(&a, c, &x, saturating, only_take);
        if (n < 100 || step % 16 == 0)
            compare_cells(&a, c, seed, step);
        for (int ask = 0; ask < 8; ask++)
            compare_fit(&a, c, &x, seed, step);
    }
    orr_calendar_destroy(c);
}

static void agrees_with_a_plain_array(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++)
        one_random_run(seed, 48, 120, seed % 2);
}

static void agrees_with_a_long_array(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        one_random_run(seed, LONGEST / (1 + (orr_time)seed % 4), 3000, seed % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reservations_make_steps),
        cmocka_unit_test(releases_give_back),
        cmocka_unit_test(times_saturate),
        cmocka_unit_test(the_past_is_cut_off),
        cmocka_unit_test(answers_are_forgotten_when_gpus_come_back),
        cmocka_unit_test(moving_up_a_job_that_holds_a_place),
        cmocka_unit_test(an_answer_binds_greater_wishes_only),
        cmocka_unit_test(a_comb_of_many_teeth),
        cmocka_unit_test(agrees_with_a_plain_array),
        cmocka_unit_test(agrees_with_a_long_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
