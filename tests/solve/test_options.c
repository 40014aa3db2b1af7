/* One option of each class, pools of room: by hand, all choices of small random problems, and large ones against their bounds. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

enum { MOST = 20000 };

typedef struct problem {
    orr_options o;
    int32_t first[514], pool[MOST], size[MOST], room[4];
    double cost[MOST];
} problem;

static void put(problem *p, double cost, int32_t pool, int32_t size)
{
    const int32_t k = p->first[p->o.classes + 1]++;
    p->cost[k] = cost, p->pool[k] = pool, p->size[k] = size;
}

static void close_class(problem *p)
{
    p->o.classes++;
    p->first[p->o.classes + 1] = p->first[p->o.classes];
}

static problem *new_problem(int32_t pools)
{
    problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->o = (orr_options){.pools = pools, .first = p->first, .cost = p->cost, .pool = p->pool, .size = p->size, .room = p->room};
    return p;
}

/* Two jobs that each take the pool of 2 or the pool of 4, or wait for 1.1. Both are best alone with 4, at 0.3; the second loses
 * least with 2. */
static void a_choice_by_hand(void **state)
{
    (void)state;
    problem *p = new_problem(2);
    int32_t chosen[2];
    double bound;
    p->room[0] = 2, p->room[1] = 4;
    put(p, 0.9, 0, 2), put(p, 0.3, 1, 4), put(p, 1.1, -1, 0), close_class(p);
    put(p, 0.6, 0, 2), put(p, 0.3, 1, 4), put(p, 1.1, -1, 0), close_class(p);
    assert_near(orr_choose_options(&p->o, chosen, &bound), 0.9, 1e-12);
    assert_near(bound, 0.9, 1e-9);
    assert_int_equal(chosen[0], 1);
    assert_int_equal(chosen[1], 3);
    p->room[0] = 1;
    assert_near(orr_choose_options(&p->o, chosen, NULL), 1.4, 1e-12);
    free(p);
}

static void nothing_fits_and_nothing_is_asked(void **state)
{
    (void)state;
    problem *p = new_problem(1);
    int32_t chosen[2] = {-7, -7};
    assert_near(orr_choose_options(&p->o, chosen, NULL), 0, 0);
    p->room[0] = 3;
    put(p, -1, 0, 2), close_class(p);
    put(p, -1, 0, 2), close_class(p);
    assert_true(orr_choose_options(&p->o, chosen, NULL) == INFINITY);
    assert_int_equal(chosen[0], -7);
    p->room[0] = 4;
    assert_near(orr_choose_options(&p->o, chosen, NULL), -2, 0);
    free(p);
}

/* The choice by hand again, as a list that grows; then another list in the same memory. */
static void added_one_by_one(void **state)
{
    (void)state;
    orr_option_list l = {0};
    const int32_t room[] = {2, 4};
    assert_true(orr_option_list_choose(&l, room, 2)); /* nobody asks */
    orr_option_list_class(&l);
    orr_option_list_add(&l, 0.9, 0, 2), orr_option_list_add(&l, 0.3, 1, 4), orr_option_list_add(&l, 1.1, -1, 0);
    orr_option_list_class(&l);
    orr_option_list_add(&l, 0.6, 0, 2), orr_option_list_add(&l, 0.3, 1, 4), orr_option_list_add(&l, 1.1, -1, 0);
    assert_true(orr_option_list_choose(&l, room, 2));
    assert_int_equal(l.chosen[0], 1);
    assert_int_equal(l.chosen[1], 3);
    orr_option_list_clear(&l);
    for (int32_t i = 0; i < 1000; i++) {
        orr_option_list_class(&l);
        orr_option_list_add(&l, 1, 1, i < 4);
        orr_option_list_add(&l, 2, -1, 0);
    }
    assert_true(orr_option_list_choose(&l, room, 2));
    assert_int_equal(l.chosen[999], 1998);
    orr_option_list_clear(&l);
    orr_option_list_class(&l);
    orr_option_list_add(&l, 1, 0, 3);
    assert_false(orr_option_list_choose(&l, room, 2));
    orr_option_list_fini(&l);
}

/* ---- random ones ---- */

static double best_of_all(const problem *p, int32_t class_, int32_t *room)
{
    double best = INFINITY;
    if (class_ == p->o.classes)
        return 0;
    for (int32_t k = p->first[class_]; k < p->first[class_ + 1]; k++) {
        const int32_t pool = p->pool[k];
        if (pool >= 0 && p->size[k] > room[pool])
            continue;
        if (pool >= 0)
            room[pool] -= p->size[k];
        best = fmin(best, p->cost[k] + best_of_all(p, class_ + 1, room));
        if (pool >= 0)
            room[pool] += p->size[k];
    }
    return best;
}

/* That it fits and costs what was said. */
static void check_choice(const problem *p, const int32_t *chosen, double cost)
{
    int32_t room[4];
    double sum = 0;
    memcpy(room, p->room, sizeof room);
    for (int32_t i = 0; i < p->o.classes; i++) {
        assert_in_range(chosen[i], p->first[i], p->first[i + 1] - 1);
        sum += p->cost[chosen[i]];
        if (p->pool[chosen[i]] >= 0)
            room[p->pool[chosen[i]]] -= p->size[chosen[i]];
    }
    for (int32_t k = 0; k < p->o.pools; k++)
        assert_true(room[k] >= 0);
    assert_near(cost, sum, 1e-12);
}

static problem *small(gsl_rng *rng)
{
    problem *p = new_problem(1 + (int32_t)gsl_rng_uniform_int(rng, 3));
    const int32_t classes = 1 + (int32_t)gsl_rng_uniform_int(rng, 5);
    const double step = gsl_rng_uniform(rng) < 0.5 ? 0.5 : 0.001; /* ties, or none */
    for (int32_t k = 0; k < p->o.pools; k++)
        p->room[k] = (int32_t)gsl_rng_uniform_int(rng, 10);
    for (int32_t i = 0; i < classes; i++) {
        const int32_t options = 1 + (int32_t)gsl_rng_uniform_int(rng, 6);
        for (int32_t k = 0; k < options; k++)
            put(p, step * (double)gsl_rng_uniform_int(rng, (unsigned long)(8 / step)) - 2,
                (int32_t)gsl_rng_uniform_int(rng, (unsigned long)p->o.pools + 1) - 1, (int32_t)gsl_rng_uniform_int(rng, 6));
        close_class(p);
    }
    return p;
}

static void small_problems_against_all_choices(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(1, "options");
    int nothing = 0;
    for (int round = 0; round < 2000; round++) {
        problem *p = small(rng);
        int32_t chosen[5], room[4];
        double bound;
        memcpy(room, p->room, sizeof room);
        const double best = best_of_all(p, 0, room), got = orr_choose_options(&p->o, chosen, &bound);
        assert_near(got, best, 1e-9);
        assert_near(bound, best, 1e-9);
        nothing += best == INFINITY;
        if (best < INFINITY)
            check_choice(p, chosen, got);
        free(p);
    }
    assert_in_range(nothing, 20, 1000);
    gsl_rng_free(rng);
}

/* Configurations as Sia has them, costs to two decimals, many alike. */
static problem *large(gsl_rng *rng, int32_t jobs, int32_t scale)
{
    static const int32_t widths[3] = {4, 8, 8}, nodes[3] = {6, 2, 3};
    problem *p = new_problem(3);
    for (int32_t t = 0; t < 3; t++)
        p->room[t] = widths[t] * nodes[t] * scale;
    for (int32_t i = 0; i < jobs; i++) {
        const double bend = 0.3 + 0.7 * gsl_rng_uniform(rng);
        for (int32_t t = 0; t < 3; t++) {
            const double speed = 0.5 + 4 * gsl_rng_uniform(rng);
            for (int32_t gpus = 1; gpus <= widths[t] * nodes[t]; gpus += gpus < widths[t] ? gpus : widths[t])
                put(p, round(100 / sqrt(speed * pow(gpus, bend))) / 100, t, gpus);
        }
        put(p, 1.1, -1, 0);
        close_class(p);
    }
    return p;
}

static void large_problems_are_solved_to_the_end(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(2, "options");
    static const int32_t jobs[] = {10, 20, 40, 80, 160, 160}, scales[] = {1, 1, 1, 1, 1, 4};
    static int32_t chosen[512];
    for (int k = 0; k < 6; k++) {
        problem *p = large(rng, jobs[k], scales[k]);
        double bound;
        const double got = orr_choose_options(&p->o, chosen, &bound);
        check_choice(p, chosen, got);
        assert_near(bound, got, 1e-9);
        free(p);
    }
    gsl_rng_free(rng);
}

/* With hardly any states it still finds a choice that fits, and says how far off it may be. */
static void a_short_search_tells_its_bound(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(3, "options");
    static int32_t chosen[512];
    problem *p = large(rng, 120, 3);
    double bound, best = orr_choose_options(&p->o, chosen, NULL);
    p->o.states = 1;
    const double got = orr_choose_options(&p->o, chosen, &bound);
    check_choice(p, chosen, got);
    assert_true(bound <= best + 1e-9 && best <= got + 1e-9 && got <= 1.02 * best);
    free(p);
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_by_hand),
        cmocka_unit_test(nothing_fits_and_nothing_is_asked),
        cmocka_unit_test(added_one_by_one),
        cmocka_unit_test(small_problems_against_all_choices),
        cmocka_unit_test(large_problems_are_solved_to_the_end),
        cmocka_unit_test(a_short_search_tells_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
