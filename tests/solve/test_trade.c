/* Trade of kinds between users: by hand, and its promises on random markets. */
#include <orrery/solve.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Four fast and four slow machines, three users with 4/3 of each. Speeds on the fast ones are 4, 2 and 1.2 times those
 * on the slow ones. The first buys of the third at 2, the second's bid: 4/3 slow ones for 2/3 fast ones. The second
 * then buys the rest of the third's at 1.2, the third's own: 2/3 fast ones for 0.8 slow ones. */
static void second_prices(void **state)
{
    (void)state;
    double have[] = {4 / 3.0, 4 / 3.0, 4 / 3.0, 4 / 3.0, 4 / 3.0, 4 / 3.0};
    const double speed[] = {4, 1, 2, 1, 1.2, 1}, want[] = {8, 8, 8};
    orr_trade_kinds(have, speed, want, 3, 2, 1);
    const double expected[] = {2, 0, 2, 8 / 15.0, 0, 4 / 3.0 + 4 / 3.0 + 0.8};
    for (int i = 0; i < 6; i++)
        assert_float_equal(have[i], expected[i], 1e-12);
}

/* Two users: the price is the seller's own gain, so that the buyer has all of the profit. */
static void two_users(void **state)
{
    (void)state;
    double have[] = {2, 2, 2, 2};
    const double speed[] = {4, 1, 1.25, 1}, want[] = {8, 8};
    orr_trade_kinds(have, speed, want, 2, 2, 1);
    const double expected[] = {3.6, 0, 0.4, 4};
    for (int i = 0; i < 4; i++)
        assert_float_equal(have[i], expected[i], 1e-12);
}

/* The seller has jobs for one GPU more: of 2 slow ones for 1 fast one it can take one such. */
static void nobody_buys_what_it_cannot_use(void **state)
{
    (void)state;
    double have[] = {2, 4, 2, 2, 2, 2};
    const double speed[] = {3, 1, 2, 1, 1, 1}, want[] = {8, 4, 5};
    orr_trade_kinds(have, speed, want, 3, 2, 1);
    const double expected[] = {3, 2, 2, 2, 1, 4};
    for (int i = 0; i < 6; i++)
        assert_float_equal(have[i], expected[i], 1e-12);
}

static void who_cannot_run_there_does_not_trade(void **state)
{
    (void)state;
    double have[] = {2, 2, 2, 2};
    const double speed[] = {4, 0, 1, 1}, want[] = {8, 8};
    orr_trade_kinds(have, speed, want, 2, 2, 1);
    for (int i = 0; i < 4; i++)
        assert_float_equal(have[i], 2, 0);
}

static void the_gap(void **state)
{
    (void)state;
    double have[] = {2, 2, 2, 2};
    const double speed[] = {2, 1, 1.5, 1}, want[] = {8, 8};
    orr_trade_kinds(have, speed, want, 2, 2, 1.5);
    assert_float_equal(have[0], 2, 0);
    orr_trade_kinds(have, speed, want, 2, 2, 1.25);
    assert_true(have[0] > 3);
}

/* ---- random markets ---------------------------------------------------------------------------------------------- */

enum { USERS = 7, KINDS = 4, ROUNDS = 3000 };

static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 33) / (double)(UINT64_C(1) << 31);
}

static double worth(const double *have, const double *speed, int user)
{
    double sum = 0;
    for (int k = 0; k < KINDS; k++)
        sum += have[user * KINDS + k] * speed[user * KINDS + k];
    return sum;
}

static double all_of(const double *have, int user)
{
    double sum = 0;
    for (int k = 0; k < KINDS; k++)
        sum += have[user * KINDS + k];
    return sum;
}

static double total(const double *have, int kind)
{
    double sum = 0;
    for (int i = 0; i < USERS; i++)
        sum += have[i * KINDS + kind];
    return sum;
}

static void nobody_loses(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double profit = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double have[USERS * KINDS], before[USERS * KINDS], speed[USERS * KINDS], want[USERS];
        for (int i = 0; i < USERS * KINDS; i++) {
            before[i] = have[i] = draw(&seed) < 0.2 ? 0 : 8 * draw(&seed);
            speed[i] = draw(&seed) < 0.1 ? 0 : 0.2 + 4 * draw(&seed);
        }
        for (int i = 0; i < USERS; i++)
            want[i] = all_of(have, i) + (draw(&seed) < 0.3 ? 0 : 10 * draw(&seed));
        orr_trade_kinds(have, speed, want, USERS, KINDS, 1);
        for (int i = 0; i < USERS; i++) {
            assert_true(worth(have, speed, i) >= worth(before, speed, i) * (1 - 1e-12));
            assert_true(all_of(have, i) <= want[i] * (1 + 1e-12));
            profit += worth(have, speed, i) - worth(before, speed, i);
        }
        for (int k = 0; k < KINDS; k++)
            assert_float_equal(total(have, k), total(before, k), 1e-9);
        for (int i = 0; i < USERS * KINDS; i++)
            assert_true(have[i] >= 0);
    }
    assert_true(profit > ROUNDS); /* and somebody gains */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_prices),
        cmocka_unit_test(two_users),
        cmocka_unit_test(nobody_buys_what_it_cannot_use),
        cmocka_unit_test(who_cannot_run_there_does_not_trade),
        cmocka_unit_test(the_gap),
        cmocka_unit_test(nobody_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
