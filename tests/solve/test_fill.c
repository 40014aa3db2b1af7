/* Water filling without pairs: answers worked out by hand, and random problems against a filling that asks the plain
 * linear program of each job whether it can still rise. And the sharing of one amount, and bisection. */
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

static const double one[] = {1, 1, 1, 1, 1, 1};

typedef struct hand {
    const char *name;
    int32_t jobs, types;
    double speed[8], capacity[2], weight[4];
    char mode; /* 0: no entities; 'w': by weight; 'f': fifo */
    double expected[4];
    int32_t entity[4];
    double entity_weight[2];
} hand;

/* Of single-GPU jobs; all needs are 1. */
static const hand hands[] = {
    {"everyone alike", 4, 1, {1, 1, 1, 1}, {2}, {1, 1, 1, 1}, 0, {.5, .5, .5, .5}, {0}, {0}},
    {"by weight", 2, 1, {1, 1}, {1}, {1, 3}, 0, {.25, .75}, {0}, {0}},
    {"all of its time, the rest to others", 3, 1, {1, 1, 1}, {2}, {1, 1, 8}, 0, {.5, .5, 1}, {0}, {0}},
    {"no GPU is wanting", 2, 2, {1, 3, 2, 1}, {4, 4}, {1, 1}, 0, {3, 2}, {0}, {0}},
    {"one type is full", 3, 2, {0, 2, 0, 2, 1, 2}, {1, 1}, {1, 1, 1}, 0, {1, 1, 1}, {0}, {0}},
    {"others go on", 3, 2, {0, 2, 0, 2, 5, 2}, {1, 1}, {1, 1, 1}, 0, {1, 1, 5}, {0}, {0}},
    {"both, in turn", 4, 2, {1, 0, 1, 0, 0, 3, 0, 3}, {1, 1}, {1, 1, 1, 1}, 0, {.5, .5, 1.5, 1.5}, {0}, {0}},
    {"one can run nowhere", 2, 1, {0, 1}, {1}, {1, 1}, 0, {0, 1}, {0}, {0}},
    {"a type without capacity", 2, 2, {9, 1, 9, 1}, {0, 1}, {1, 1}, 0, {.5, .5}, {0}, {0}},
    /* 1/4 and 3/4 of the GPU for the entities. */
    {"by weight inside", 4, 1, {1, 1, 1, 1}, {1}, {1, 3, 1, 1}, 'w', {.0625, .1875, .375, .375}, {0, 0, 1, 1}, {1, 3}},
    /* The first has 2 of 3 GPUs; what its heavy job can't use goes to its other job before anybody else's. */
    {"own entity first", 4, 1, {1, 1, 1, 1}, {3}, {1, 9, 1, 1}, 'w', {1, 1, .5, .5}, {0, 0, 1, 1}, {2, 1}},
    {"one after another", 4, 1, {1, 1, 1, 1}, {3}, {1, 1, 1, 1}, 'f', {1, .5, 1, .5}, {0, 0, 1, 1}, {1, 1}},
    {"out of turn", 4, 1, {1, 1, 1, 1}, {2}, {1, 1, 1, 1}, 'f', {1, .5, 0, .5}, {0, 0, 0, 1}, {3, 1}},
    /* The second one's type is full when its turn comes; the third one's isn't. */
    {"on to the next", 3, 2, {2, 0, 2, 0, 0, 4}, {.5, 1}, {1, 1, 1}, 'f', {1, 0, 4}, {0, 0, 0}, {1}},
};

static void worked_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hands); i++) {
        const hand *h = &hands[i];
        orr_share_problem p = {.jobs = h->jobs, .types = h->types, .speed = h->speed, .gpus = one};
        p.capacity = h->capacity;
        orr_share_fill how = {.need = one, .weight = h->weight, .fifo = h->mode == 'f'};
        if (h->mode) {
            how.entity = h->entity;
            how.entity_weight = h->entity_weight;
            how.entities = h->entity_weight[1] > 0 ? 2 : 1;
        }
        double x[8];
        orr_shares_fill(&p, &how, x);
        for (int32_t j = 0; j < h->jobs; j++) {
            double got = orr_shares_speed(&p, x, j);
            if (!(fabs(got - h->expected[j]) < 1e-9))
                fail_msg("%s, job %d: %.12g, not %.12g", h->name, j, got, h->expected[j]);
        }
    }
}

/* ---- against the plain linear program ---- */

typedef struct plain {
    const random_shares *r;
    const orr_share_fill *how;
    double level[32], base[32], rate[32];
    bool full[32];
} plain;

static bool first_of_entity(const plain *f, int32_t job)
{
    for (int32_t j = 0; j < job; j++)
        if (!f->full[j] && f->how->entity[j] == f->how->entity[job])
            return false;
    return true;
}

static double rate_of(const plain *f, int32_t job)
{
    if (f->full[job] || !f->how->entity)
        return f->full[job] ? 0 : f->how->weight[job];
    double entity = f->how->entity_weight[f->how->entity[job]], weights = 0;
    if (f->how->fifo)
        return first_of_entity(f, job) ? entity : 0;
    for (int32_t j = 0; j < f->r->p.jobs; j++)
        weights += !f->full[j] && f->how->entity[j] == f->how->entity[job] ? f->how->weight[j] : 0;
    return entity * f->how->weight[job] / weights;
}

/* The others keep what they have: can this one rise? */
static bool can_rise(plain *f, int32_t job)
{
    double alone[32] = {0};
    alone[job] = f->how->need[job];
    return random_shares_greatest(f->r, f->base, alone) > 1e-5;
}

static void set_bases(plain *f, double less)
{
    for (int32_t j = 0; j < f->r->p.jobs; j++)
        f->base[j] = f->how->need[j] * f->level[j] * (1 - less);
}

/* The solver keeps rows to some 1e-9 only: what it calls infeasible is tried again with a little less for those who
 * are full. */
static double greatest_step(plain *f)
{
    double t = -INFINITY;
    for (double less = 1e-9; t < 0 && less < 1e-6; less *= 10) {
        set_bases(f, less);
        t = random_shares_greatest(f->r, f->base, f->rate);
    }
    return fmax(t, 0);
}

static void fill_plainly(plain *f)
{
    for (int32_t left = f->r->p.jobs, step = 0; left > 0 && step < 100; step++) {
        for (int32_t j = 0; j < f->r->p.jobs; j++)
            f->rate[j] = f->how->need[j] * rate_of(f, j);
        double t = greatest_step(f);
        for (int32_t j = 0; j < f->r->p.jobs; j++)
            f->level[j] += t * f->rate[j] / f->how->need[j];
        set_bases(f, 1e-8);
        for (int32_t j = 0; j < f->r->p.jobs; j++)
            if (!f->full[j] && f->rate[j] > 0 && !can_rise(f, j)) {
                f->full[j] = true;
                left--;
            }
    }
}

/* To 1e-4: what the full ones are let off there can lift another a thousand times as much. */
static void filling_is_that_of_the_plain_program(void **state)
{
    (void)state;
    static random_shares r;
    static const double entity_weight[] = {1, 2, 5};
    for (uint64_t seed = 0; seed < 60; seed++) {
        int32_t entity[32], jobs = 1 + (int32_t)(seed % 11), types = 1 + (int32_t)(seed % 5);
        random_shares_make(&r, seed, jobs, types, 0.7 + (double)(seed % 4));
        for (int32_t j = 0; j < jobs; j++)
            entity[j] = (j * 7 + (int32_t)seed) % 3;
        orr_share_fill how = {.need = r.need, .weight = r.weight, .fifo = seed % 3 == 2};
        if (seed % 3) {
            how.entity = entity;
            how.entity_weight = entity_weight;
            how.entities = 3;
        }
        plain f = {.r = &r, .how = &how};
        fill_plainly(&f);
        orr_shares_fill(&r.p, &how, r.x);
        random_shares_check(&r);
        for (int32_t j = 0; j < jobs; j++) {
            double got = orr_shares_speed(&r.p, r.x, j) / r.need[j];
            if (!(fabs(got - f.level[j]) < 1e-4))
                fail_msg("seed %d, job %d: %.9g, not %.9g", (int)seed, j, got, f.level[j]);
        }
    }
}

/* ---- whatever the numbers are ---- */

/* The least level over weight is that of max-min. */
static void the_first_step_is_max_min(void **state)
{
    (void)state;
    static random_shares r;
    for (uint64_t seed = 1; seed < 60; seed += 2) {
        random_shares_make(&r, seed, 60, 1 + (int32_t)(seed % 16), 3);
        double rate[RANDOM_JOBS], least = INFINITY;
        for (int32_t j = 0; j < 60; j++)
            rate[j] = r.need[j] * r.weight[j];
        orr_shares_fill(&r.p, &(orr_share_fill){.need = r.need, .weight = r.weight}, r.x);
        random_shares_check(&r);
        for (int32_t j = 0; j < 60; j++)
            least = fmin(least, orr_shares_speed(&r.p, r.x, j) / rate[j]);
        assert_near(least, orr_shares_max_min(&r.p, rate, r.x), 1e-9);
    }
}

/* One entity of weights that sum to its own is no entity. */
static void one_entity_for_all_is_none(void **state)
{
    (void)state;
    static random_shares r, other;
    static const int32_t nil[RANDOM_JOBS];
    static const double seven[] = {7};
    for (uint64_t seed = 0; seed < 20; seed++) {
        random_shares_make(&r, seed, 80, 3, 3);
        random_shares_make(&other, seed, 80, 3, 3);
        orr_shares_fill(&r.p, &(orr_share_fill){.need = r.need, .weight = r.weight}, r.x);
        orr_shares_fill(&r.p, &(orr_share_fill){r.need, r.weight, nil, seven, 1, false}, other.x);
        for (int32_t j = 0; j < 80; j++)
            assert_near(orr_shares_speed(&r.p, other.x, j) / r.need[j], orr_shares_speed(&r.p, r.x, j) / r.need[j],
                        1e-8);
    }
}

static void no_jobs_at_all(void **state)
{
    (void)state;
    orr_share_problem p = {.types = 1, .capacity = one};
    double x[1] = {5};
    orr_shares_fill(&p, &(orr_share_fill){0}, x);
    assert_near(x[0], 5, 0);
}

/* ---- one amount ---- */

static void amounts(void **state)
{
    (void)state;
    static const struct {
        double want[3], weight[3], amount, got[3], left;
    } rows[] = {
        {{4, 4, 4}, {1, 1, 1}, 6, {2, 2, 2}, 0},     {{1, 9, 9}, {1, 1, 1}, 7, {1, 3, 3}, 0},
        {{9, 2, 9}, {1, 2, 3}, 10, {2, 2, 6}, 0},    {{1, 2, 3}, {5, 1, 1}, 10, {1, 2, 3}, 4},
        {{0, 2, 3}, {1, 1, 1}, 1, {0, 0.5, 0.5}, 0}, {{1, 2, 3}, {1, 1, 1}, 0, {0, 0, 0}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double got[3];
        assert_near(orr_fill_fair(rows[i].want, rows[i].weight, 3, rows[i].amount, got), rows[i].left, 1e-12);
        for (int k = 0; k < 3; k++)
            assert_near(got[k], rows[i].got[k], 1e-12);
    }
    assert_near(orr_fill_fair(NULL, NULL, 0, 3, NULL), 3, 0);
}

/* ---- bisection ---- */

typedef struct threshold {
    double at;
    int calls;
} threshold;

static bool reached(void *self, double x)
{
    threshold *t = self;
    t->calls++;
    return x >= t->at;
}

static void bisections(void **state)
{
    (void)state;
    threshold t = {.at = 3.25};
    assert_near(orr_bisect(reached, &t, 0, 10, 1e-12), 3.25, 1e-11);
    t = (threshold){.at = 1e-9};
    double x = orr_bisect(reached, &t, 1e-12, 1e12, 1e-9);
    assert_true(x >= 1e-9 && x <= 1e-9 * (1 + 1e-8));
    assert_true(t.calls < 60);
    t = (threshold){.at = -5};
    assert_near(orr_bisect(reached, &t, -1e6, 0, 1e-9), -5, 1e-7);
    assert_near(orr_bisect(reached, &t, 2, 9, 1e-9), 2, 0); /* it held from the beginning */
    t = (threshold){.at = 11};
    assert_true(isinf(orr_bisect(reached, &t, 0, 10, 1e-9)));
    t = (threshold){.at = 5e-324};
    assert_true(orr_bisect(reached, &t, 0, 1, 1e-9) < 1e-300); /* it ends, too, where nothing is relative to 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_by_hand),
        cmocka_unit_test(filling_is_that_of_the_plain_program),
        cmocka_unit_test(the_first_step_is_max_min),
        cmocka_unit_test(one_entity_for_all_is_none),
        cmocka_unit_test(no_jobs_at_all),
        cmocka_unit_test(amounts),
        cmocka_unit_test(bisections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
