/* What shares without pairs are made of: the cheapest mix of a job, the game of the cuts, and the level that both
 * give. */
#include "shares_random.h"

#include "solve/prices.h"
#include "solve/shares_class.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- mixes ---- */

/* Three types of 1, 2 and 4 steps a second at 1, 3 and 4: the second one is never worth it. */
static void the_cheapest_mix_by_hand(void **state)
{
    (void)state;
    static const double speed[] = {1, 2, 4}, price[] = {1, 3, 4}, dear[] = {2, 3, 3};
    orr_mix m = orr_mix_cheapest(speed, price, 3, 0);
    assert_int_equal(m.fast, -1);
    m = orr_mix_cheapest(speed, price, 3, 0.5); /* all are 1 a step: the fastest needs least time */
    assert_int_equal(m.fast, 2);
    assert_int_equal(m.slow, -1);
    assert_near(m.fast_part, 0.125, 1e-15);
    m = orr_mix_cheapest(speed, dear, 3, 3);
    assert_int_equal(m.fast, 2);
    assert_near(m.fast_part, 0.75, 1e-15);
    m = orr_mix_cheapest(speed, dear, 3, 9); /* more than there is: the fastest, all the time */
    assert_int_equal(m.fast, 2);
    assert_near(m.fast_part, 1, 0);
    static const double steep[] = {1, 3, 9};
    m = orr_mix_cheapest(speed, steep, 3, 1.25);
    assert_int_equal(m.slow, 0);
    assert_int_equal(m.fast, 1);
    assert_near(m.slow_part, 0.75, 1e-15);
    assert_near(m.fast_part, 0.25, 1e-15);
    assert_near(m.cost, 1.5, 1e-15);
    assert_near(m.slope, 2, 1e-15);
}

/* The least of all mixes of two types, or of one and idling. */
static double least_of_pairs(const double *speed, const double *price, int32_t types, double target)
{
    double least = INFINITY;
    for (int32_t a = -1; a < types; a++)
        for (int32_t b = 0; b < types; b++) {
            double slow = a < 0 ? 0 : speed[a], cost = a < 0 ? 0 : price[a];
            if (speed[b] < target || slow > target || speed[b] <= slow)
                continue;
            double part = (target - slow) / (speed[b] - slow);
            least = fmin(least, cost + part * (price[b] - cost));
        }
    return least;
}

static void no_mix_of_two_is_cheaper(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int32_t round = 0; round < 2000; round++) {
        int32_t types = 1 + round % 16;
        double speed[16], price[16], fastest = 0;
        for (int32_t k = 0; k < types; k++) {
            speed[k] = round % 3 ? random_unit(&seed) : floor(4 * random_unit(&seed));
            price[k] = round % 3 ? random_unit(&seed) : floor(3 * random_unit(&seed));
            fastest = fmax(fastest, speed[k]);
        }
        double target = fastest * random_unit(&seed);
        orr_mix m = orr_mix_cheapest(speed, price, types, target);
        double got = (m.slow < 0 ? 0 : m.slow_part * speed[m.slow]) + (m.fast < 0 ? 0 : m.fast_part * speed[m.fast]);
        assert_near(got, target, 1e-12);
        if (target > 0)
            assert_near(m.cost, least_of_pairs(speed, price, types, target), 1e-12);
    }
}

/* ---- games ---- */

static double value_of(const double *cost, int32_t rows, int32_t types, double *price)
{
    double v, part[17];
    int32_t row[17], n = orr_game_solve(cost, rows, types, &v, price, row, part);
    double sum = 0, load[16] = {0}, priced = 0;
    for (int32_t i = 0; i < n; i++) {
        assert_true(row[i] >= 0 && row[i] < rows && part[i] > 0);
        sum += part[i];
        for (int32_t k = 0; k < types; k++)
            load[k] += part[i] * cost[row[i] * types + k];
    }
    assert_near(sum, 1, 1e-12);
    for (int32_t k = 0; k < types; k++) {
        assert_true(load[k] <= v + 1e-12 && price[k] >= 0);
        priced += price[k];
    }
    assert_near(priced, 1, 1e-12);
    return v;
}

static void games_by_hand(void **state)
{
    (void)state;
    static const double pennies[] = {1, -1, -1, 1}, stone[] = {0, 1, -1, -1, 0, 1, 1, -1, 0};
    static const double saddle[] = {3, 5, 1, 2};
    double price[3];
    assert_near(value_of(pennies, 2, 2, price), 0, 1e-15);
    assert_near(price[0], 0.5, 1e-15);
    assert_near(value_of(stone, 3, 3, price), 0, 1e-15);
    assert_near(price[1], 1.0 / 3, 1e-15);
    assert_near(value_of(saddle, 2, 2, price), 2, 1e-15);
    assert_near(price[1], 1, 1e-15);
}

/* A mix that costs v, and prices at which no row costs less: each proves the other. */
static void both_sides_of_random_games_agree(void **state)
{
    (void)state;
    static double cost[200 * 16];
    uint64_t seed = 8;
    for (int32_t round = 0; round < 300; round++) {
        int32_t rows = 1 + (int32_t)(200 * random_unit(&seed)), types = 1 + round % 16;
        double price[16];
        for (int32_t i = 0; i < rows * types; i++)
            cost[i] = round % 4 ? 2 * random_unit(&seed) - 1 : floor(3 * random_unit(&seed)) - 1;
        double v = value_of(cost, rows, types, price);
        for (int32_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int32_t k = 0; k < types; k++)
                sum += price[k] * cost[i * types + k];
            assert_true(sum >= v - 1e-11);
        }
    }
}

/* ---- levels ---- */

static void need_targets(const void *self, double level, double *target, double *rise)
{
    const random_shares *r = self;
    for (int32_t j = 0; j < r->p.jobs; j++) {
        rise[j] = r->need[j];
        target[j] = level * r->need[j];
    }
}

/* The level is a bound, by the prices, and is reached, by the mix; and few looks at the jobs are taken for it. */
static void levels_are_proved_from_both_sides(void **state)
{
    (void)state;
    static random_shares r;
    static const int32_t most_steps[] = {0, 8, 60, 80, 120, 160, 210, 250, 300};
    for (uint64_t seed = 0; seed < 120; seed++) {
        int32_t types = 1 + (int32_t)(seed % 8);
        random_shares_make(&r, 1 + 4 * seed, 200, types, 16);
        double price[8], left[8], high = INFINITY;
        for (int32_t j = 0; j < r.p.jobs; j++)
            high = fmin(high, orr_share_fastest(&r.p, j) / r.need[j]);
        orr_price_task task = {.jobs = 200, .types = types, .speed = r.speed, .size = r.gpus, .room = r.capacity};
        task.targets = need_targets;
        task.self = &r;
        task.high = high;
        orr_price_answer a = orr_prices_raise(&task, r.x, price, left);
        random_shares_check(&r);
        assert_true(a.over <= 1e-12 && a.full && a.steps <= most_steps[types]);
        double money[8], worth = 0, cost = 0;
        for (int32_t k = 0; k < types; k++) {
            money[k] = price[k] / r.capacity[k];
            worth += price[k];
        }
        for (int32_t j = 0; j < r.p.jobs; j++)
            cost += r.gpus[j] * orr_mix_cheapest(r.speed + j * types, money, types, a.level * r.need[j]).cost;
        assert_near(cost, worth, 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_mix_by_hand),
        cmocka_unit_test(no_mix_of_two_is_cheaper),
        cmocka_unit_test(games_by_hand),
        cmocka_unit_test(both_sides_of_random_games_agree),
        cmocka_unit_test(levels_are_proved_from_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
