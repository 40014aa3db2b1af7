/* Assignments: answers by hand, all permutations of small random ones, and which of several best ones it is. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "near.h"

enum { MOST = 6 };

static void three_by_three(void **state)
{
    (void)state;
    const double cost[] = {4, 1, 3, 2, 0, 5, 3, 2, 2};
    int32_t to[3];
    assert_near(orr_assign_least(cost, 3, 3, to), 5, 0);
    assert_int_equal(to[0], 1);
    assert_int_equal(to[1], 0);
    assert_int_equal(to[2], 2);
}

static void rows_leave_the_dear_columns(void **state)
{
    (void)state;
    const double cost[] = {9, 9, 1, 2, 9, 9, 1, 9};
    int32_t to[2];
    assert_near(orr_assign_least(cost, 2, 4, to), 3, 0);
    assert_int_equal(to[0], 3);
    assert_int_equal(to[1], 2);
}

/* Row 1 can have column 0 alone, so that row 0 must go elsewhere whatever it costs. */
static void what_is_not_allowed_is_not_done(void **state)
{
    (void)state;
    const double cost[] = {1, 100, 1, INFINITY}, none[] = {1, INFINITY, 1, INFINITY};
    int32_t to[2] = {7, 7};
    assert_near(orr_assign_least(none, 2, 2, to), INFINITY, 0);
    assert_int_equal(to[0], 7);
    assert_near(orr_assign_least(cost, 2, 2, to), 101, 0);
    assert_int_equal(to[0], 1);
}

static void nothing_to_assign_costs_nothing(void **state)
{
    (void)state;
    assert_near(orr_assign_least(NULL, 0, 0, NULL), 0, 0);
}

/* All columns cost the same: the first row takes the first, and so on. With costs that are linear in the row all
 * assignments are equally good, and later rows push on those before them only where they gain by it. */
static void of_equal_columns_the_first_are_taken_in_order(void **state)
{
    (void)state;
    double cost[4 * 6];
    int32_t to[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            cost[i * 6 + j] = i + 1;
    assert_near(orr_assign_least(cost, 4, 6, to), 10, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(to[i], i);
}

/* ---- against all permutations ---- */

static double least_from(const double *cost, int rows, int columns, int row, unsigned used)
{
    if (row == rows)
        return 0;
    double least = INFINITY;
    for (int j = 0; j < columns; j++)
        if (!(used >> j & 1))
            least = fmin(least, cost[row * columns + j] + least_from(cost, rows, columns, row + 1, used | 1u << j));
    return least;
}

static double sum_of(const double *cost, int rows, int columns, const int32_t *to)
{
    unsigned used = 0;
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        assert_true(to[i] >= 0 && to[i] < columns && !(used >> to[i] & 1));
        used |= 1u << to[i];
        sum += cost[i * columns + to[i]];
    }
    return sum;
}

/* Small whole numbers, so that there are many ties; now and then one that is not allowed. */
static void as_all_permutations_find(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        uint64_t at = seed << 20;
        int rows = 1 + (int)(orr_mix64(at++) % MOST);
        int columns = rows + (int)(orr_mix64(at++) % 2);
        double cost[MOST * (MOST + 1)];
        for (int i = 0; i < rows * columns; i++) {
            uint64_t draw = orr_mix64(at++);
            cost[i] = draw % 6 == 0 ? INFINITY : (double)(draw / 6 % 12) - 3;
        }
        int32_t to[MOST];
        double least = least_from(cost, rows, columns, 0, 0), got = orr_assign_least(cost, rows, columns, to);
        assert_near(got, least, 1e-9);
        if (least < INFINITY)
            assert_near(sum_of(cost, rows, columns, to), least, 1e-9);
    }
}

/* Cost (row - column)^2 on equal sides: the identity is the only best one, however large it is. */
static void a_large_one(void **state)
{
    (void)state;
    enum { N = 200 };
    double *cost = malloc(N * N * sizeof *cost);
    int32_t to[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            cost[i * N + j] = (double)(i - (N - 1 - j)) * (i - (N - 1 - j));
    assert_near(orr_assign_least(cost, N, N, to), 0, 0);
    for (int i = 0; i < N; i++)
        assert_int_equal(to[i], N - 1 - i);
    free(cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_by_three),
        cmocka_unit_test(rows_leave_the_dear_columns),
        cmocka_unit_test(what_is_not_allowed_is_not_done),
        cmocka_unit_test(nothing_to_assign_costs_nothing),
        cmocka_unit_test(of_equal_columns_the_first_are_taken_in_order),
        cmocka_unit_test(as_all_permutations_find),
        cmocka_unit_test(a_large_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
