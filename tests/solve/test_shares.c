/* Max-min shares and finish-time fairness without pairs: answers worked out by hand, random problems against the
 * plain linear program, and what must hold whatever the numbers are. */
#include "shares_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- by hand ---- */

static const double one[] = {1, 1, 1, 1};

/* Three types of one GPU. The needs are the speeds with a third of each type. */
static void three_jobs_on_three_types(void **state)
{
    (void)state;
    static const double speed[] = {4, 2, 1, 3, 2.5, 2, 1.5, 1, 0.5}, need[] = {7.0 / 3, 2.5, 1};
    orr_share_problem p = {.jobs = 3, .types = 3, .speed = speed, .gpus = one, .capacity = one};
    double x[9];
    assert_near(orr_shares_max_min(&p, need, x), 78.0 / 77, 1e-12);
    for (int32_t j = 0; j < 3; j++)
        assert_true(orr_shares_speed(&p, x, j) >= need[j] * 78 / 77 - 1e-9);
}

/* One gang of two and three single GPUs on two types of two GPUs; many x are right. */
static void a_gang_among_single_gpus(void **state)
{
    (void)state;
    static const double speed[] = {8, 2, 4, 1, 3, 2, 2, 1}, gpus[] = {2, 1, 1, 1}, capacity[] = {2, 2};
    static const double need[] = {5 / 2.0, 2.5, 2.5, 1.5}; /* level: speed · gpus / even speed */
    orr_share_problem p = {.jobs = 4, .types = 2, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[8];
    assert_near(orr_shares_max_min(&p, need, x), 1, 1e-12);
}

/* One GPU for two: 0 + 1000 / (10 a) and 100 + 400 / (10 b), a + b = 1, against 0 + 1000 / 5 = 200 and 50 + 400 / 5 =
 * 130. */
static void two_jobs_finish(void **state)
{
    (void)state;
    static const double speed[] = {10, 10};
    static const orr_share_finish about[] = {{0, 1000, 0, 5}, {100, 400, 50, 5}};
    orr_share_problem p = {.jobs = 2, .types = 1, .speed = speed, .gpus = one, .capacity = one};
    double x[2];
    assert_near(orr_shares_finish(&p, about, x), 1.275345727, 1e-9);
    assert_near(x[0], 0.392051, 1e-6);
    assert_near(x[1], 0.607949, 1e-6);
}

/* The least D at which 30 and 60 steps are done at 3 a second on one GPU is (30 + 60) / 3. */
static void makespan_is_one_over_t(void **state)
{
    (void)state;
    static const double speed[] = {3, 3}, left[] = {30, 60};
    orr_share_problem p = {.jobs = 2, .types = 1, .speed = speed, .gpus = one, .capacity = one};
    double x[2];
    assert_near(1 / orr_shares_max_min(&p, left, x), 30, 1e-11);
    assert_near(x[0], 1.0 / 3, 1e-12);
    assert_near(x[1], 2.0 / 3, 1e-12);
}

static void even_rows_and_speeds(void **state)
{
    (void)state;
    static const double speed[] = {4, 2, 1, 1}, gpus[] = {1, 4}, capacity[] = {2, 6};
    orr_share_problem p = {.jobs = 2, .types = 2, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[4];
    orr_shares_even(&p, x);
    assert_near(x[0], 0.25, 1e-15); /* 1 and 3, scaled down to 1 */
    assert_near(x[1], 0.75, 1e-15);
    assert_near(x[2], 0.25, 1e-15);
    assert_near(x[3], 0.75, 1e-15);
    assert_near(orr_shares_speed(&p, x, 0), 2.5, 1e-15);
    assert_near(orr_shares_speed(&p, x, 1), 1, 1e-15);
}

static void a_pair_counts_for_both(void **state)
{
    (void)state;
    static const double speed[] = {4, 5}, pair_speed[] = {3, 2};
    static const orr_share_pair pair[] = {{0, 1}};
    orr_share_problem p = {.jobs = 2, .types = 1, .pairs = 1, .speed = speed, .gpus = one, .capacity = one};
    p.pair = pair;
    p.pair_speed = pair_speed;
    const double x[] = {0.25, 0, 0.5};
    assert_near(orr_shares_speed(&p, x, 0), 1 + 1.5, 1e-15);
    assert_near(orr_shares_speed(&p, x, 1), 1, 1e-15);
    double even[3] = {9, 9, 9};
    orr_shares_even(&p, even);
    assert_near(even[0], 0.5, 1e-15);
    assert_true(even[2] <= 0 && even[2] >= 0);
}

/* ---- edges ---- */

typedef struct edge {
    const char *name;
    int32_t jobs, types;
    double speed[4], gpus[2], capacity[2], need[2], expected;
} edge;

static void edges_of_max_min(void **state)
{
    (void)state;
    static const edge edges[] = {
        {"no jobs", 0, 1, {0}, {0}, {1}, {0}, INFINITY},
        {"one job has all of its fastest type", 1, 2, {2, 5}, {1}, {1, 1}, {1}, 5},
        {"and what else it needs where that isn't enough", 1, 2, {2, 5}, {4}, {8, 2}, {1}, 3.5},
        {"nobody needs anything", 2, 1, {1, 1}, {1, 1}, {1}, {0, 0}, INFINITY},
        {"one who needs nothing gets nothing", 2, 1, {1, 1}, {1, 1}, {1}, {0, 2}, 0.5},
        {"one can run nowhere", 2, 1, {0, 1}, {1, 1}, {1}, {1, 1}, 0},
        {"one that can run nowhere and needs nothing", 2, 1, {0, 1}, {1, 1}, {1}, {0, 1}, 1},
        {"no capacity at all", 1, 1, {1}, {1}, {0}, {1}, 0},
        {"a type without capacity", 1, 2, {1, 9}, {1}, {1, 0}, {1}, 1},
        {"a gang larger than the type takes its part", 1, 1, {6}, {4}, {2}, {1}, 3},
        {"equal jobs share evenly", 2, 2, {1, 3, 1, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
    };
    for (size_t i = 0; i < COUNT(edges); i++) {
        const edge *e = &edges[i];
        orr_share_problem p = {.jobs = e->jobs, .types = e->types, .speed = e->speed};
        p.gpus = e->gpus;
        p.capacity = e->capacity;
        double x[4] = {0}, t = orr_shares_max_min(&p, e->need, x);
        if (!(t >= e->expected ? t <= e->expected * (1 + 1e-12) : t >= e->expected * (1 - 1e-12)))
            fail_msg("%s: %.12g, not %.12g", e->name, t, e->expected);
        for (int32_t j = 0; t < INFINITY && j < e->jobs; j++)
            assert_true(orr_shares_speed(&p, x, j) >= t * e->need[j] * (1 - 1e-12));
    }
}

static void equal_jobs_get_equal_shares(void **state)
{
    (void)state;
    static const double speed[] = {1, 3, 1, 3, 1, 3}, capacity[] = {2, 1}, need[] = {1, 1, 1};
    orr_share_problem p = {.jobs = 3, .types = 2, .speed = speed, .gpus = one, .capacity = capacity};
    double x[6];
    assert_near(orr_shares_max_min(&p, need, x), 5.0 / 3, 1e-12);
    assert_memory_equal(x, x + 2, sizeof *x * 2);
    assert_memory_equal(x, x + 4, sizeof *x * 2);
}

/* The one that can run nowhere doesn't keep the others from what they can have. */
static void the_hopeless_dont_starve_others(void **state)
{
    (void)state;
    static const double speed[] = {0, 2}, need[] = {1, 1};
    static const orr_share_finish about[] = {{1, 1, 0, 1}, {0, 4, 0, 1}};
    orr_share_problem p = {.jobs = 2, .types = 1, .speed = speed, .gpus = one, .capacity = one};
    double x[2];
    assert_true(orr_shares_max_min(&p, need, x) <= 0);
    assert_near(x[1], 1, 1e-12);
    assert_true(isinf(orr_shares_finish(&p, about, x)));
    assert_near(x[1], 1, 1e-12);
}

static void edges_of_finish(void **state)
{
    (void)state;
    static const double speed[] = {2, 2};
    orr_share_problem p = {.jobs = 1, .types = 1, .speed = speed, .gpus = one, .capacity = one};
    double x[2];
    assert_near(orr_shares_finish(&p, &(orr_share_finish){10, 20, 10, 1}, x), 20.0 / 30, 1e-12);
    assert_near(orr_shares_finish(&p, &(orr_share_finish){30, 0, 20, 1}, x), 1.5,
                1e-12); /* nothing is left: it is too late */
    assert_near(orr_shares_finish(&p, &(orr_share_finish){0, 20, 0, 1}, x), 0.5, 1e-12);
    /* No even share to be measured by: nothing is asked of it. */
    assert_true(orr_shares_finish(&p, &(orr_share_finish){5, 20, 0, 0}, x) <= 0);
    /* 1 / (2 rho) + 10 / (40 rho - 90) = 1: the second, late already, gets most. */
    p.jobs = 2;
    static const orr_share_finish about[] = {{0, 10, 0, 1}, {90, 20, 20, 1}};
    assert_near(orr_shares_finish(&p, about, x), 1.5 + 0.75 * sqrt(2), 1e-11);
}

/* ---- against the plain linear program ---- */

static void max_min_is_that_of_the_plain_program(void **state)
{
    (void)state;
    static random_shares r;
    static const double zero[RANDOM_JOBS];
    static const int32_t jobs[] = {1, 2, 3, 7, 20, 40};
    uint64_t seed = 0;
    for (int32_t types = 1; types <= 16; types++)
        for (size_t i = 0; i < COUNT(jobs); i++, seed++) {
            random_shares_make(&r, seed, jobs[i], types, 1 + (double)(seed % 5));
            double t = orr_shares_max_min(&r.p, r.need, r.x);
            random_shares_check(&r);
            for (int32_t j = 0; j < jobs[i]; j++)
                assert_true(orr_shares_speed(&r.p, r.x, j) >= t * r.need[j] * (1 - 2e-8));
            assert_near(t, random_shares_greatest(&r, zero, r.need), 1e-7 * fmax(1, t));
        }
}

/* The targets at rho (1 + 1e-7) can be met, those at rho (1 - 1e-7) can't. */
static void finish_is_where_the_plain_program_ends(void **state)
{
    (void)state;
    static random_shares r;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        int32_t jobs = 1 + (int32_t)(seed % 23), types = 1 + (int32_t)(seed % 6);
        random_shares_make(&r, seed, jobs, types, 3);
        orr_share_finish about[32];
        double elsewhere[RANDOM_JOBS], rate[RANDOM_JOBS];
        uint64_t state_of = seed;
        orr_shares_even(&r.p, r.x);
        bool hopeless = false;
        for (int32_t j = 0; j < jobs; j++) {
            double even = orr_shares_speed(&r.p, r.x, j);
            hopeless |= !(even > 0);
            double hours = 3600 * (0.1 + 10 * random_unit(&state_of));
            about[j] =
                (orr_share_finish){hours, even * hours * random_unit(&state_of), hours * random_unit(&state_of), even};
        }
        double rho = orr_shares_finish(&r.p, about, r.x);
        if (hopeless)
            continue; /* it is measured by nothing, and can't run */
        random_shares_check(&r);
        for (int32_t side = 0; side < 2; side++) {
            double at = rho * (side ? 1 + 1e-7 : 1 - 1e-7);
            for (int32_t j = 0; j < jobs; j++) {
                const orr_share_finish *f = &about[j];
                double rest = at * (f->isolated + f->left / f->isolated_speed) - f->elapsed;
                elsewhere[j] = 0;
                rate[j] = rest > 0 ? f->left / rest : INFINITY;
                hopeless |= !(rate[j] < INFINITY);
            }
            double times = hopeless ? 0 : random_shares_greatest(&r, elsewhere, rate);
            assert_true(side ? times >= 1 - 1e-9 : times < 1);
            hopeless = false;
        }
    }
}

/* ---- whatever the numbers are ---- */

static void more_capacity_never_lowers_it(void **state)
{
    (void)state;
    static random_shares r;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_shares_make(&r, seed, 30, 1 + (int32_t)(seed % 5), 4);
        double t = orr_shares_max_min(&r.p, r.need, r.x);
        r.capacity[seed % (uint64_t)r.p.types] += 1;
        assert_true(orr_shares_max_min(&r.p, r.need, r.x) >= t * (1 - 1e-11));
    }
}

/* Steps of another length are the same job. */
static void units_dont_matter(void **state)
{
    (void)state;
    static random_shares r;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_shares_make(&r, seed, 30, 1 + (int32_t)(seed % 5), 4);
        double t = orr_shares_max_min(&r.p, r.need, r.x);
        for (int32_t j = 0; j < 30; j++) {
            double unit = pow(10, j % 13 - 6);
            r.need[j] *= unit;
            for (int32_t k = 0; k < r.p.types; k++)
                r.speed[j * r.p.types + k] *= unit;
        }
        assert_near(orr_shares_max_min(&r.p, r.need, r.x), t, 1e-11 * fmax(1, t));
    }
}

static void the_order_of_jobs_doesnt_matter(void **state)
{
    (void)state;
    static random_shares r, back;
    for (uint64_t seed = 0; seed < 20; seed++) {
        random_shares_make(&r, seed, 25, 4, 4);
        back = r;
        back.p.speed = back.speed;
        back.p.gpus = back.gpus;
        back.p.capacity = back.capacity;
        for (int32_t j = 0; j < 25; j++) {
            back.need[j] = r.need[24 - j];
            back.gpus[j] = r.gpus[24 - j];
            memcpy(back.speed + 4 * j, r.speed + 4 * (24 - j), 4 * sizeof *r.speed);
        }
        assert_near(orr_shares_max_min(&back.p, back.need, back.x), orr_shares_max_min(&r.p, r.need, r.x), 1e-11);
    }
}

static void twice_the_same_bit_for_bit(void **state)
{
    (void)state;
    static random_shares r;
    static double before[RANDOM_JOBS * RANDOM_TYPES];
    random_shares_make(&r, 5, 300, 5, 6);
    double t = orr_shares_max_min(&r.p, r.need, before);
    for (uint64_t other = 0; other < 3; other++) {
        static random_shares between;
        random_shares_make(&between, other, 50, 3, 2);
        orr_shares_max_min(&between.p, between.need, between.x);
        double again = orr_shares_max_min(&r.p, r.need, r.x);
        assert_memory_equal(&again, &t, sizeof t);
        assert_memory_equal(before, r.x, 300 * 5 * sizeof *before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_jobs_on_three_types),
        cmocka_unit_test(a_gang_among_single_gpus),
        cmocka_unit_test(two_jobs_finish),
        cmocka_unit_test(makespan_is_one_over_t),
        cmocka_unit_test(even_rows_and_speeds),
        cmocka_unit_test(a_pair_counts_for_both),
        cmocka_unit_test(edges_of_max_min),
        cmocka_unit_test(equal_jobs_get_equal_shares),
        cmocka_unit_test(the_hopeless_dont_starve_others),
        cmocka_unit_test(edges_of_finish),
        cmocka_unit_test(max_min_is_that_of_the_plain_program),
        cmocka_unit_test(finish_is_where_the_plain_program_ends),
        cmocka_unit_test(more_capacity_never_lowers_it),
        cmocka_unit_test(units_dont_matter),
        cmocka_unit_test(the_order_of_jobs_doesnt_matter),
        cmocka_unit_test(twice_the_same_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
