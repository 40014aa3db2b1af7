/* Linear programs: answers by hand, every vertex of small random ones, limits, beginning where the last solve ended,
 * threads. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <glpk.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* A textbook example: maximise 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18. Best at (2, 6): 36. */
static orr_lp *windows_and_doors(int32_t x[2], int32_t row[3])
{
    orr_lp *lp = orr_lp_create(true);
    x[0] = orr_lp_column(lp, 3, 0, INFINITY);
    x[1] = orr_lp_column(lp, 5, 0, INFINITY);
    row[0] = orr_lp_row(lp, -INFINITY, 4);
    row[1] = orr_lp_row(lp, -INFINITY, 12);
    row[2] = orr_lp_row(lp, -INFINITY, 18);
    orr_lp_add(lp, row[0], x[0], 1);
    orr_lp_add(lp, row[1], x[1], 2);
    orr_lp_add(lp, row[2], x[0], 3);
    orr_lp_add(lp, row[2], x[1], 2);
    return lp;
}

static void a_textbook_program(void **state)
{
    (void)state;
    int32_t x[2], row[3];
    orr_lp *lp = windows_and_doors(x, row);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 36, 1e-9);
    assert_near(orr_lp_value(lp, x[0]), 2, 1e-9);
    assert_near(orr_lp_value(lp, x[1]), 6, 1e-9);
    assert_near(orr_lp_dual(lp, row[0]), 0, 1e-9);
    assert_near(orr_lp_dual(lp, row[1]), 1.5, 1e-9);
    assert_near(orr_lp_dual(lp, row[2]), 1, 1e-9);
    assert_in_range(orr_lp_pivots(lp), 1, 10);
    orr_lp_destroy(lp);
}

/* The dual of the same: minimise 4a + 12b + 18c, a + 3c >= 3, 2b + 2c >= 5. */
static void minimising_and_rows_with_lower_bounds(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(false);
    const double cost[] = {4, 12, 18};
    for (int i = 0; i < 3; i++)
        orr_lp_column(lp, cost[i], 0, INFINITY);
    orr_lp_row(lp, 3, INFINITY);
    orr_lp_row(lp, 5, INFINITY);
    orr_lp_add(lp, 0, 0, 1);
    orr_lp_add(lp, 0, 2, 3);
    orr_lp_add(lp, 1, 1, 2);
    orr_lp_add(lp, 1, 2, 2);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 36, 1e-9);
    assert_near(orr_lp_dual(lp, 0), 2, 1e-9);
    assert_near(orr_lp_dual(lp, 1), 6, 1e-9);
    orr_lp_destroy(lp);
}

static void entries_add_up(void **state)
{
    (void)state;
    int32_t x[2], row[3];
    orr_lp *lp = windows_and_doors(x, row);
    orr_lp_add(lp, row[1], x[1], 3);
    orr_lp_add(lp, row[1], x[1], -1); /* 4y <= 12 now: x = 4, y = 3 */
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 27, 1e-9);
    orr_lp_add(lp, row[1], x[1], -2); /* and as it was */
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 36, 1e-9);
    orr_lp_destroy(lp);
}

static void what_has_no_answer(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    int32_t x = orr_lp_column(lp, 1, 0, INFINITY), y = orr_lp_column(lp, 1, 0, INFINITY);
    int32_t row = orr_lp_row(lp, -INFINITY, 1);
    orr_lp_add(lp, row, x, 1);
    orr_lp_add(lp, row, y, -1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_UNBOUNDED);
    orr_lp_set_bounds(lp, y, 0, 3);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 7, 1e-9);
    orr_lp_set_row(lp, row, -INFINITY, -4);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_set_row(lp, row, 2, 1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_set_row(lp, row, 1, 1);
    orr_lp_set_bounds(lp, y, 3, 2);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_set_bounds(lp, y, 2, 2);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x), 3, 1e-9);
    orr_lp_destroy(lp);
}

static void programs_without_rows_or_columns(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 0, 0);
    int32_t x = orr_lp_column(lp, 2, -1, 3);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x), 3, 0);
    orr_lp_row(lp, -INFINITY, -1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_INFEASIBLE);
    orr_lp_add(lp, 0, x, 1);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x), -1, 1e-12);
    orr_lp_destroy(lp);
    orr_lp_destroy(NULL);
}

/* Beale's program, on which the plain rule of pivoting goes round for ever. Its best is 0.05. */
static void a_program_that_cycles(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    const double cost[] = {0.75, -150, 0.02, -6}, a[2][4] = {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}};
    for (int c = 0; c < 4; c++)
        orr_lp_column(lp, cost[c], 0, c == 2 ? 1 : INFINITY);
    for (int r = 0; r < 2; r++) {
        orr_lp_row(lp, -INFINITY, 0);
        for (int c = 0; c < 4; c++)
            orr_lp_add(lp, r, c, a[r][c]);
    }
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(lp), 0.05, 1e-9);
    orr_lp_destroy(lp);
}

/* ---- random programs in a box of three dimensions against all vertices ---- */

enum { DIMENSIONS = 3, RANDOM_ROWS = 4, PLANES = 2 * DIMENSIONS + RANDOM_ROWS };

typedef struct plane { /* a · x <= b */
    double a[DIMENSIONS], b;
} plane;

static bool meet(const plane *of[DIMENSIONS], double x[DIMENSIONS])
{
    double m[DIMENSIONS][DIMENSIONS + 1];
    for (int r = 0; r < DIMENSIONS; r++) {
        memcpy(m[r], of[r]->a, sizeof of[r]->a);
        m[r][DIMENSIONS] = of[r]->b;
    }
    for (int c = 0; c < DIMENSIONS; c++) {
        int best = c;
        for (int r = c; r < DIMENSIONS; r++)
            best = fabs(m[r][c]) > fabs(m[best][c]) ? r : best;
        if (fabs(m[best][c]) < 1e-9)
            return false;
        for (int k = 0; k <= DIMENSIONS; k++) {
            double swap = m[c][k];
            m[c][k] = m[best][k], m[best][k] = swap;
        }
        for (int r = 0; r < DIMENSIONS; r++)
            for (int k = DIMENSIONS; r != c && k >= c; k--)
                m[r][k] -= m[r][c] / m[c][c] * m[c][k];
    }
    for (int c = 0; c < DIMENSIONS; c++)
        x[c] = m[c][DIMENSIONS] / m[c][c];
    return true;
}

static double dot(const double *a, const double *x)
{
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
}

/* -INFINITY: no point is inside all planes. */
static double best_vertex(const plane *all, const double *cost)
{
    double best = -INFINITY, x[DIMENSIONS];
    for (int i = 0; i < PLANES; i++)
        for (int j = i + 1; j < PLANES; j++)
            for (int k = j + 1; k < PLANES; k++) {
                const plane *of[] = {&all[i], &all[j], &all[k]};
                if (!meet(of, x))
                    continue;
                bool inside = true;
                for (int p = 0; p < PLANES; p++)
                    inside = inside && dot(all[p].a, x) <= all[p].b + 1e-7;
                best = inside ? fmax(best, dot(cost, x)) : best;
            }
    return best;
}

/* Whole numbers from -5 to 5, so that many are 0 and many vertices are degenerate. */
static double small(gsl_rng *rng)
{
    return (double)gsl_rng_uniform_int(rng, 11) - 5;
}

static void random_programs_against_all_vertices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(7, "vertices");
    int infeasible = 0;
    for (int round = 0; round < 500; round++) {
        plane all[PLANES] = {0};
        double cost[DIMENSIONS];
        orr_lp *lp = orr_lp_create(true);
        for (int c = 0; c < DIMENSIONS; c++) {
            cost[c] = small(rng);
            double low = small(rng), high = low + fabs(small(rng));
            orr_lp_column(lp, cost[c], low, high);
            all[2 * c].a[c] = 1, all[2 * c].b = high;
            all[2 * c + 1].a[c] = -1, all[2 * c + 1].b = -low;
        }
        for (int r = 0; r < RANDOM_ROWS; r++) {
            plane *p = &all[2 * DIMENSIONS + r];
            p->b = 2 * small(rng) + 5;
            orr_lp_row(lp, -INFINITY, p->b);
            for (int c = 0; c < DIMENSIONS; c++)
                orr_lp_add(lp, r, c, p->a[c] = small(rng));
        }
        double best = best_vertex(all, cost);
        orr_lp_status status = orr_lp_solve(lp, NULL);
        assert_int_equal(status, isinf(best) ? ORR_LP_INFEASIBLE : ORR_LP_OPTIMAL);
        infeasible += isinf(best) != 0;
        if (status == ORR_LP_OPTIMAL)
            assert_near(orr_lp_objective(lp), best, 1e-7);
        orr_lp_destroy(lp);
    }
    assert_in_range(infeasible, 20, 400);
    gsl_rng_free(rng);
}

/* ---- limits and warm starts ---- */

/* Transport from n plants to n shops, each with as much as the plant's number, at random costs. */
static orr_lp *transport(int n, const char *name)
{
    gsl_rng *rng = orr_rng_create(3, name);
    orr_lp *lp = orr_lp_create(false);
    for (int i = 0; i < 2 * n; i++)
        orr_lp_row(lp, i < n ? -INFINITY : 1.0 + i % n, i < n ? 1.0 + i : INFINITY);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            int32_t x = orr_lp_column(lp, 1 + gsl_rng_uniform(rng), 0, INFINITY);
            orr_lp_add(lp, a, x, 1);
            orr_lp_add(lp, n + b, x, 1);
        }
    gsl_rng_free(rng);
    return lp;
}

static void pivots_are_bounded_and_go_on_from_there(void **state)
{
    (void)state;
    orr_lp *whole = transport(12, "limits"), *parts = transport(12, "limits");
    assert_int_equal(orr_lp_solve(whole, NULL), ORR_LP_OPTIMAL);
    const orr_lp_limits few = {.pivots = 10};
    orr_lp_status status = orr_lp_solve(parts, &few);
    assert_int_equal(status, ORR_LP_LIMIT);
    assert_in_range(orr_lp_pivots(parts), 1, 10);
    int rounds = 1, feasible = 0;
    while (status != ORR_LP_OPTIMAL && rounds++ < 100) {
        status = orr_lp_solve(parts, &few);
        feasible += status == ORR_LP_FEASIBLE;
        if (status == ORR_LP_FEASIBLE)
            assert_true(orr_lp_objective(parts) >= orr_lp_objective(whole) - 1e-9);
    }
    assert_int_equal(status, ORR_LP_OPTIMAL);
    assert_in_range(feasible, 1, 100);
    assert_near(orr_lp_objective(parts), orr_lp_objective(whole), 1e-9);
    assert_true(orr_lp_pivots(parts) < 3 * orr_lp_pivots(whole));
    orr_lp_destroy(whole);
    orr_lp_destroy(parts);
}

static void a_solve_begins_where_the_last_ended(void **state)
{
    (void)state;
    orr_lp *warm = transport(20, "warm");
    assert_int_equal(orr_lp_solve(warm, NULL), ORR_LP_OPTIMAL);
    int64_t first = orr_lp_pivots(warm);
    assert_int_equal(orr_lp_solve(warm, NULL), ORR_LP_OPTIMAL);
    assert_int_equal(orr_lp_pivots(warm), first);
    orr_lp_set_cost(warm, 7, 0.5);
    orr_lp_set_row(warm, 3, -INFINITY, 5);
    int32_t more = orr_lp_column(warm, 1, 0, 2);
    orr_lp_add(warm, 25, more, 1);
    assert_int_equal(orr_lp_solve(warm, NULL), ORR_LP_OPTIMAL);
    assert_true(orr_lp_pivots(warm) - first < first / 3);
    orr_lp *cold = transport(20, "warm");
    orr_lp_set_cost(cold, 7, 0.5);
    orr_lp_set_row(cold, 3, -INFINITY, 5);
    orr_lp_add(cold, 25, orr_lp_column(cold, 1, 0, 2), 1);
    assert_int_equal(orr_lp_solve(cold, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_objective(warm), orr_lp_objective(cold), 1e-9);
    orr_lp_destroy(warm);
    orr_lp_destroy(cold);
}

/* Rows of 1e8 beside rows of 1e-6: the answer is right to parts of itself. x = 3e-7, y = 2e6. */
static void rows_of_very_different_sizes(void **state)
{
    (void)state;
    orr_lp *lp = orr_lp_create(true);
    int32_t x = orr_lp_column(lp, 1, 0, INFINITY), y = orr_lp_column(lp, 1e-13, 0, INFINITY);
    orr_lp_row(lp, -INFINITY, 50);
    orr_lp_row(lp, -INFINITY, 2);
    orr_lp_add(lp, 0, x, 1e8);
    orr_lp_add(lp, 0, y, 1e-5);
    orr_lp_add(lp, 1, y, 1e-6);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_near(orr_lp_value(lp, x) / 3e-7, 1, 1e-9);
    assert_near(orr_lp_value(lp, y) / 2e6, 1, 1e-9);
    orr_lp_destroy(lp);
}

/* ---- surroundings ---- */

static void same_input_same_answer_whatever_came_before(void **state)
{
    (void)state;
    orr_lp *a = transport(15, "same"), *other = transport(9, "other"), *b = transport(15, "same");
    orr_lp_solve(a, NULL);
    orr_lp_solve(other, NULL);
    orr_lp_solve(b, NULL);
    for (int32_t c = 0; c < 225; c++)
        assert_true(orr_lp_value(a, c) == orr_lp_value(b, c));
    assert_int_equal(orr_lp_pivots(a), orr_lp_pivots(b));
    orr_lp_destroy(a);
    orr_lp_destroy(other);
    orr_lp_destroy(b);
}

static void glpk_is_left_as_it_was_found(void **state)
{
    (void)state;
    int blocks;
    orr_lp *lp = transport(5, "own");
    glp_prob *foreign = glp_create_prob();
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    glp_add_cols(foreign, 1); /* still alive */
    glp_delete_prob(foreign);
    glp_mem_usage(&blocks, NULL, NULL, NULL);
    assert_int_equal(blocks, 0);
    assert_int_equal(glp_term_out(GLP_OFF), GLP_ON);
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_int_equal(glp_term_out(GLP_ON), GLP_OFF);
    glp_free_env();
    assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
    assert_int_equal(glp_free_env(), 1); /* 1: there was none left */
    orr_lp_destroy(lp);
}

static void *solve_over_and_over(void *lps)
{
    orr_lp **pair = lps;
    for (int round = 0; round < 30; round++) {
        orr_lp_set_cost(pair[0], round, 0.9);
        if (orr_lp_solve(pair[0], NULL) != ORR_LP_OPTIMAL || orr_lp_solve(pair[1], NULL) != ORR_LP_OPTIMAL)
            return lps;
    }
    return NULL;
}

/* Made here, solved there, destroyed here; several at once. */
static void threads_do_not_meet(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    assert_non_null(glp_config("TLS"));
    pthread_t thread[THREADS];
    orr_lp *lps[THREADS][2];
    for (int t = 0; t < THREADS; t++) {
        lps[t][0] = transport(10, "threads"), lps[t][1] = transport(4 + t, "threads");
        assert_int_equal(pthread_create(&thread[t], NULL, solve_over_and_over, lps[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *failed;
        pthread_join(thread[t], &failed);
        assert_null(failed);
        assert_true(orr_lp_objective(lps[t][0]) == orr_lp_objective(lps[0][0]));
        assert_int_equal(orr_lp_pivots(lps[t][0]), orr_lp_pivots(lps[0][0]));
    }
    for (int t = 0; t < 2 * THREADS; t++)
        orr_lp_destroy(lps[t / 2][t % 2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_textbook_program),
        cmocka_unit_test(minimising_and_rows_with_lower_bounds),
        cmocka_unit_test(entries_add_up),
        cmocka_unit_test(what_has_no_answer),
        cmocka_unit_test(programs_without_rows_or_columns),
        cmocka_unit_test(a_program_that_cycles),
        cmocka_unit_test(random_programs_against_all_vertices),
        cmocka_unit_test(pivots_are_bounded_and_go_on_from_there),
        cmocka_unit_test(a_solve_begins_where_the_last_ended),
        cmocka_unit_test(rows_of_very_different_sizes),
        cmocka_unit_test(same_input_same_answer_whatever_came_before),
        cmocka_unit_test(glpk_is_left_as_it_was_found),
        cmocka_unit_test(threads_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
