/* Knapsacks: by hand, and all choices of small random ones. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* ---- each item once ---- */

static void a_knapsack_by_hand(void **state)
{
    (void)state;
    /* Of what weighs 7: the second and third are worth 9, the first and last 11. */
    const double value[] = {3, 4, 5, 8};
    const int32_t size[] = {2, 3, 4, 5};
    uint8_t taken[4];
    assert_near(orr_knapsack(value, size, 4, 7, taken), 11, 0);
    assert_memory_equal(taken, ((uint8_t[]){1, 0, 0, 1}), 4);
    assert_near(orr_knapsack(value, size, 4, 1, taken), 0, 0);
    assert_memory_equal(taken, ((uint8_t[]){0, 0, 0, 0}), 4);
    assert_near(orr_knapsack(value, size, 4, 100, taken), 20, 0);
    assert_near(orr_knapsack(value, size, 0, 7, taken), 0, 0);
}

static void ties_go_to_the_lighter_and_then_to_the_earlier(void **state)
{
    (void)state;
    uint8_t taken[4];
    assert_near(orr_knapsack((double[]){5, 3, 2}, (int32_t[]){5, 2, 2}, 3, 5, taken), 5, 0);
    assert_memory_equal(taken, ((uint8_t[]){0, 1, 1}), 3);
    assert_near(orr_knapsack((double[]){1, 1, 1, 1}, (int32_t[]){2, 2, 2, 2}, 4, 5, taken), 2, 0);
    assert_memory_equal(taken, ((uint8_t[]){1, 1, 0, 0}), 4);
    assert_near(orr_knapsack((double[]){-1, 0, 2, 0}, (int32_t[]){0, 1, 0, 0}, 4, 5, taken), 2, 0);
    assert_memory_equal(taken, ((uint8_t[]){0, 0, 1, 1}), 4);
}

/* Of all choices: greatest value, then least size, then the one that takes earlier items. */
static void knapsacks_against_all_choices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(1, "knapsack");
    for (int round = 0; round < 300; round++) {
        int32_t n = 1 + (int32_t)gsl_rng_uniform_int(rng, 10), capacity = (int32_t)gsl_rng_uniform_int(rng, 30);
        double value[10], best = -1;
        int32_t size[10], least = 0;
        uint8_t taken[10], wanted[10] = {0};
        for (int32_t i = 0; i < n; i++) {
            value[i] = (double)gsl_rng_uniform_int(rng, 9) - 1;
            size[i] = (int32_t)gsl_rng_uniform_int(rng, 10);
        }
        for (unsigned choice = 1u << n; choice-- > 0;) { /* the highest bit is item 0: earlier items first */
            double sum = 0;
            int32_t weight = 0;
            for (int32_t i = 0; i < n; i++)
                if (choice >> (n - 1 - i) & 1)
                    sum += value[i], weight += size[i];
            if (weight > capacity || sum < best || (sum == best && weight >= least))
                continue;
            best = sum, least = weight;
            for (int32_t i = 0; i < n; i++)
                wanted[i] = choice >> (n - 1 - i) & 1;
        }
        assert_near(orr_knapsack(value, size, n, capacity, taken), best, 0);
        assert_memory_equal(taken, wanted, (size_t)n);
    }
    gsl_rng_free(rng);
}

/* ---- one option of each class ---- */

static void classes_by_hand(void **state)
{
    (void)state;
    /* Two jobs, each with 0, 1 or 2 GPUs; 3 GPUs. 1 + 2 is worth 10 + 13, 2 + 1 15 + 7. */
    const double value[] = {0, 10, 15, 0, 7, 13};
    const int32_t size[] = {0, 1, 2, 0, 1, 2}, first[] = {0, 3, 6};
    int32_t chosen[2];
    assert_near(orr_knapsack_classes(value, size, first, 2, 3, chosen), 23, 0);
    assert_int_equal(chosen[0], 1);
    assert_int_equal(chosen[1], 5);
    const int32_t at_least_2[] = {2, 3}, one[] = {0, 1, 2};
    assert_near(orr_knapsack_classes(value, at_least_2, one, 2, 4, chosen), -INFINITY, 0);
    assert_near(orr_knapsack_classes(value, at_least_2, one, 2, 5, chosen), 10, 0);
    const int32_t none[] = {0, 0};
    assert_near(orr_knapsack_classes(value, size, none, 1, 5, chosen), -INFINITY, 0);
    assert_near(orr_knapsack_classes(value, size, none, 0, 5, chosen), 0, 0);
}

static void classes_against_all_choices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(2, "knapsack");
    for (int round = 0; round < 300; round++) {
        int32_t n = 1 + (int32_t)gsl_rng_uniform_int(rng, 4), capacity = (int32_t)gsl_rng_uniform_int(rng, 12);
        double value[16], best = -INFINITY;
        int32_t size[16], first[5] = {0}, chosen[4], wanted[4] = {0}, at[4], least = 0, options = 0;
        for (int32_t i = 0; i < n; i++) {
            options += 1 + (int32_t)gsl_rng_uniform_int(rng, 4);
            first[i + 1] = options;
        }
        for (int32_t o = 0; o < options; o++) {
            value[o] = (double)gsl_rng_uniform_int(rng, 12) - 4;
            size[o] = (int32_t)gsl_rng_uniform_int(rng, 6);
        }
        memcpy(at, first, sizeof at);
        for (bool more = true; more;) { /* like the wheels of a counter, the first class the slowest */
            double sum = 0;
            int32_t weight = 0, i = n - 1;
            for (int32_t c = 0; c < n; c++)
                sum += value[at[c]], weight += size[at[c]];
            if (weight <= capacity && (sum > best || (sum == best && weight < least))) {
                best = sum, least = weight;
                memcpy(wanted, at, sizeof at);
            }
            while (i >= 0 && ++at[i] == first[i + 1])
                at[i] = first[i], i--;
            more = i >= 0;
        }
        assert_near(orr_knapsack_classes(value, size, first, n, capacity, chosen), best, 0);
        if (!isinf(best))
            assert_memory_equal(chosen, wanted, (size_t)n * sizeof *chosen);
    }
    gsl_rng_free(rng);
}

/* ---- several capacities ---- */

static void several_capacities_by_hand(void **state)
{
    (void)state;
    /* GPUs and memory: a and b together need too much memory; b and c fit. */
    const double value[] = {10, 9, 6, -1}, size[] = {2, 8, 2, 5, 2, 4, 0, 0}, capacity[] = {4, 10};
    uint8_t taken[4];
    assert_near(orr_knapsack_many(value, size, 4, capacity, 2, 4, taken), 15, 0);
    assert_memory_equal(taken, ((uint8_t[]){0, 1, 1, 0}), 4);
    const double tenths[] = {0.1, 0.2}, three[] = {0.3};
    assert_near(orr_knapsack_many(value, tenths, 2, three, 1, 2, taken), 19, 0);
    assert_near(orr_knapsack_many(value, tenths, 2, three, 1, 0, taken), 19, 0);
    assert_near(orr_knapsack_many(value, tenths, 0, three, 1, 0, taken), 0, 0);
    assert_near(orr_knapsack_many(value, tenths, 4, three, 0, 0, taken), 25, 0);
}

/* Exact up to `exact` items; beyond, feasible, and no worse than the most valuable item that fits alone. */
static void several_capacities_against_all_choices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(3, "knapsack");
    for (int round = 0; round < 200; round++) {
        int32_t n = 1 + (int32_t)gsl_rng_uniform_int(rng, 9), dimensions = 1 + (int32_t)gsl_rng_uniform_int(rng, 3);
        double value[9], size[27], capacity[3], best = 0, rounded;
        uint8_t taken[9];
        for (int32_t d = 0; d < dimensions; d++)
            capacity[d] = (double)gsl_rng_uniform_int(rng, 15);
        for (int32_t i = 0; i < n; i++) {
            value[i] = 10 * gsl_rng_uniform(rng) - 1;
            for (int32_t d = 0; d < dimensions; d++)
                size[i * dimensions + d] = (double)gsl_rng_uniform_int(rng, 8);
        }
        for (unsigned choice = 0; choice < 1u << n; choice++) {
            double sum = 0, used[3] = {0};
            bool fits = true;
            for (int32_t i = 0; i < n; i++)
                for (int32_t d = 0; d < dimensions && (choice >> i & 1); d++) {
                    sum += d == 0 ? value[i] : 0;
                    used[d] += size[i * dimensions + d];
                }
            for (int32_t d = 0; d < dimensions; d++)
                fits = fits && used[d] <= capacity[d];
            best = fits ? fmax(best, sum) : best;
        }
        assert_near(orr_knapsack_many(value, size, n, capacity, dimensions, n, taken), best, 1e-9);
        rounded = orr_knapsack_many(value, size, n, capacity, dimensions, n - 1, taken);
        assert_true(rounded <= best + 1e-9);
        double sum = 0, used[3] = {0};
        for (int32_t i = 0; i < n; i++)
            for (int32_t d = 0; d < dimensions && taken[i]; d++) {
                sum += d == 0 ? value[i] : 0;
                used[d] += size[i * dimensions + d];
            }
        for (int32_t d = 0; d < dimensions; d++)
            assert_true(used[d] <= capacity[d]);
        assert_near(sum, rounded, 1e-9);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_knapsack_by_hand),
        cmocka_unit_test(ties_go_to_the_lighter_and_then_to_the_earlier),
        cmocka_unit_test(knapsacks_against_all_choices),
        cmocka_unit_test(classes_by_hand),
        cmocka_unit_test(classes_against_all_choices),
        cmocka_unit_test(several_capacities_by_hand),
        cmocka_unit_test(several_capacities_against_all_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
