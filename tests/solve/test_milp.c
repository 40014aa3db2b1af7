/* Integer programs: answers by hand, every choice of small random ones, limits by nodes, and problems of the shapes
 * that policies bring. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* Maximise 5x + 4y, 6x + 4y <= 24, x + 2y <= 6: 21 at (3, 1.5); whole 20 at (4, 0). */
static void a_textbook_program_in_whole_numbers(void **state)
{
    (void)state;
    for (int whole = 0; whole < 3; whole++) {
        orr_lp *lp = orr_lp_create(true);
        int32_t x = whole ? orr_lp_integer(lp, 5, 0, INFINITY) : orr_lp_column(lp, 5, 0, INFINITY);
        int32_t y = whole == 1 ? orr_lp_integer(lp, 4, 0, INFINITY) : orr_lp_column(lp, 4, 0, INFINITY);
        orr_lp_row(lp, -INFINITY, 24);
        orr_lp_row(lp, -INFINITY, 6);
        orr_lp_add(lp, 0, x, 6), orr_lp_add(lp, 0, y, 4);
        orr_lp_add(lp, 1, x, 1), orr_lp_add(lp, 1, y, 2);
        assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
        assert_near(orr_lp_objective(lp), whole == 1 ? 20 : 21, 1e-9);
        if (whole == 1)
            assert_near(orr_lp_value(lp, x), 4, 0);
        orr_lp_destroy(lp);
    }
}

static void bounds_of_integers_are_whole(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    int32_t x = orr_lp_integer(lp, 1, -0.5, 2.7); /* no rows at all */
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x), 2, 0);
    orr_lp_set_cost(lp, x, -1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x), 0, 0);
    orr_lp_set_bounds(lp, x, 1.2, 1.9);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_set_bounds(lp, x, -INFINITY, 1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_UNBOUNDED);
    orr_lp_destroy(lp);
}

/* 2x = 2y + 1 has solutions, but no whole ones. */
static void no_whole_solution(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    orr_lp_integer(lp, 1, 0, 5), orr_lp_integer(lp, 0, 0, 5);
    orr_lp_row(lp, 1, 1);
    orr_lp_add(lp, 0, 0, 2), orr_lp_add(lp, 0, 1, -2);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_set_row(lp, 0, 2, 2);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 5, 0);
    orr_lp_destroy(lp);
}

/* Four columns of 0..3, three rows, of which one is an equation at times: 256 choices. */
static void random_programs_against_all_choices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(1, "milp");
    int infeasible = 0;
    for (int round = 0; round < 300; round++) {
        double cost[4], a[3][4], b[3], best = -INFINITY;
        orr_lp *lp = orr_lp_create(true);
        for (int c = 0; c < 4; c++)
            orr_lp_integer(lp, cost[c] = (double)gsl_rng_uniform_int(rng, 21) - 10, 0, 3);
        bool equation = gsl_rng_uniform(rng) < 0.3;
        for (int r = 0; r < 3; r++) {
            b[r] = (double)gsl_rng_uniform_int(rng, 15) - 3;
            orr_lp_row(lp, r == 0 && equation ? b[r] : -INFINITY, b[r]);
            for (int c = 0; c < 4; c++)
                orr_lp_add(lp, r, c, a[r][c] = (double)gsl_rng_uniform_int(rng, 11) - 4);
        }
        for (int choice = 0; choice < 256; choice++) {
            double value = 0;
            bool feasible = true;
            for (int c = 0; c < 4; c++)
                value += cost[c] * (choice >> 2 * c & 3);
            for (int r = 0; r < 3; r++) {
                double sum = 0;
                for (int c = 0; c < 4; c++)
                    sum += a[r][c] * (choice >> 2 * c & 3);
                feasible = feasible && sum <= b[r] && (r > 0 || !equation || sum == b[r]);
            }
            best = feasible ? fmax(best, value) : best;
        }
        assert_int_equal(orr_lp_solve(lp, NULL), isinf(best) ? ORR_LP_INFEASIBLE : ORR_LP_OPTIMAL);
        infeasible += isinf(best) != 0;
        if (!isinf(best))
            assert_near(orr_lp_objective(lp), best, 1e-9);
        orr_lp_destroy(lp);
    }
    assert_in_range(infeasible, 10, 200);
    gsl_rng_free(rng);
}

/* Each of `jobs` takes one of 15 configurations, 1 to 16 GPUs of one of three types, or none; the shape of Sia's
 * programs. */
static orr_lp *configurations(int jobs, unsigned seed)
{
    gsl_rng *rng = orr_rng_create(seed, "configurations");
    orr_lp *lp = orr_lp_create(true);
    for (int k = 0; k < 3; k++)
        orr_lp_row(lp, -INFINITY, jobs);
    for (int j = 0; j < jobs; j++) {
        int32_t one = orr_lp_row(lp, -INFINITY, 1);
        double speed = 1;
        for (int c = 0; c < 15; c++) {
            speed *= 1 + gsl_rng_uniform(rng);
            if (c % 5 == 0)
                speed = 0.5 + gsl_rng_uniform(rng);
            int32_t x = orr_lp_integer(lp, speed, 0, 1);
            orr_lp_add(lp, one, x, 1);
            orr_lp_add(lp, c / 5, x, 1 << c % 5);
        }
    }
    gsl_rng_free(rng);
    return lp;
}

static void one_of_fifteen_configurations(void **state)
{
    (void)state;
    orr_lp *lp = configurations(64, 1), *again = configurations(64, 1);
    const orr_lp_limits near_enough = {.gap = 1e-4};
    assert_int_equal(orr_lp_solve(lp, &near_enough), ORR_LP_OPTIMAL);
    double best = orr_lp_objective(lp);
    assert_int_equal(orr_lp_solve(again, &near_enough), ORR_LP_OPTIMAL);
    assert_true(best == orr_lp_objective(again));
    assert_int_equal(orr_lp_pivots(lp), orr_lp_pivots(again));
    assert_in_range(orr_lp_pivots(lp), 64, 3000);
    for (int32_t x = 0; x < 64 * 15; x++)
        assert_true(orr_lp_value(lp, x) == 0 || orr_lp_value(lp, x) == 1);
    orr_lp_destroy(again);
    orr_lp_destroy(lp);
}

/* A gap that the first solution reaches is a success, and its answer no further off than the gap. */
static void a_gap_is_a_success(void **state)
{
    (void)state;
    orr_lp *exact = configurations(12, 3), *loose = configurations(12, 3);
    const orr_lp_limits within = {.gap = 0.05};
    assert_int_equal(orr_lp_solve(exact, NULL), ORR_LP_OPTIMAL);
    assert_int_equal(orr_lp_solve(loose, &within), ORR_LP_OPTIMAL);
    assert_true(orr_lp_objective(loose) <= orr_lp_objective(exact) + 1e-9);
    assert_true(orr_lp_objective(loose) >= orr_lp_objective(exact) * 0.95);
    orr_lp_destroy(exact);
    orr_lp_destroy(loose);
}

/* Market split (Cornuejols and Dawande): equations that branch and bound can't decide; a limit ends it, the same each
 * time. */
static orr_lp *market_split(int columns, int rows)
{
    gsl_rng *rng = orr_rng_create(5, "market");
    orr_lp *lp = orr_lp_create(false);
    for (int c = 0; c < columns; c++)
        orr_lp_integer(lp, 0, 0, 1);
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        int32_t over = orr_lp_column(lp, 1, 0, INFINITY), under = orr_lp_column(lp, 1, 0, INFINITY),
                row = orr_lp_row(lp, 0, 0);
        for (int c = 0; c < columns; c++) {
            double d = (double)gsl_rng_uniform_int(rng, 100);
            orr_lp_add(lp, row, c, d);
            sum += d;
        }
        orr_lp_set_row(lp, row, floor(sum / 2), floor(sum / 2));
        orr_lp_add(lp, row, over, 1), orr_lp_add(lp, row, under, -1);
    }
    gsl_rng_free(rng);
    return lp;
}

static void nodes_and_pivots_are_bounded(void **state)
{
    (void)state;
    const orr_lp_limits some = {.nodes = 200};
    double first = 0;
    for (int time = 0; time < 2; time++) {
        orr_lp *lp = market_split(30, 4);
        orr_lp_status status = orr_lp_solve(lp, &some);
        assert_in_set(status, ((LargestIntegralType[]){ORR_LP_FEASIBLE, ORR_LP_LIMIT}), 2);
        assert_in_range(orr_lp_pivots(lp), 10, 100000);
        assert_true(time == 0 || first == orr_lp_objective(lp));
        first = orr_lp_objective(lp);
        orr_lp_destroy(lp);
    }
    orr_lp *lp = market_split(30, 4);
    const orr_lp_limits one = {.pivots = 1};
    assert_int_equal(orr_lp_solve(lp, &one), ORR_LP_LIMIT);
    const orr_lp_limits in_all = {.pivots = 500};
    orr_lp_status status = orr_lp_solve(lp, &in_all);
    assert_in_set(status, ((LargestIntegralType[]){ORR_LP_FEASIBLE, ORR_LP_LIMIT}), 2);
    assert_in_range(orr_lp_pivots(lp), 500, 1000);
    orr_lp_destroy(lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_textbook_program_in_whole_numbers),
        cmocka_unit_test(bounds_of_integers_are_whole),
        cmocka_unit_test(no_whole_solution),
        cmocka_unit_test(random_programs_against_all_choices),
        cmocka_unit_test(one_of_fifteen_configurations),
        cmocka_unit_test(a_gap_is_a_success),
        cmocka_unit_test(nodes_and_pivots_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
