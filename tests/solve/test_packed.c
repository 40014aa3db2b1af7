/* Shares with pairs: by hand, and every objective against the plain program over all columns, without classes or
 * column generation. */
#include "base/rng.h"
#include "solve/packed.h"
#include "solve/shares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

enum {
    MOST_JOBS = 40,
    MOST_TYPES = 3,
    MOST_PAIRS = MOST_JOBS * MOST_JOBS / 2,
    MOST_X = (MOST_JOBS + MOST_PAIRS) * MOST_TYPES
};

/* ---- a problem and its plain program ---- */

typedef struct drawn {
    orr_share_problem p;
    double speed[MOST_JOBS * MOST_TYPES], gpus[MOST_JOBS], capacity[MOST_TYPES];
    orr_share_pair pair[MOST_PAIRS];
    double pair_speed[MOST_PAIRS * MOST_TYPES * 2];
    double x[MOST_X];
} drawn;

/* Columns x of all rows in order; rows: each job's speed, each job's time, each type. */
static orr_lp *plain(const drawn *d)
{
    const orr_share_problem *p = &d->p;
    orr_lp *lp = orr_lp_create(true);
    for (int32_t j = 0; j < p->jobs; j++)
        orr_lp_row(lp, 0, INFINITY);
    for (int32_t j = 0; j < p->jobs; j++)
        orr_lp_row(lp, -INFINITY, 1);
    for (int32_t k = 0; k < p->types; k++)
        orr_lp_row(lp, -INFINITY, p->capacity[k]);
    for (int32_t row = 0; row < p->jobs + p->pairs; row++)
        for (int32_t k = 0; k < p->types; k++) {
            const orr_share_pair *pair = row < p->jobs ? NULL : &p->pair[row - p->jobs];
            int32_t a = pair != NULL ? pair->a : row;
            const double *both = pair != NULL ? &p->pair_speed[((row - p->jobs) * p->types + k) * 2] : NULL;
            bool runs = both != NULL ? both[0] > 0 && both[1] > 0 : p->speed[a * p->types + k] > 0;
            int32_t column = orr_lp_column(lp, 0, 0, runs ? INFINITY : 0);
            orr_lp_add(lp, a, column, both != NULL ? both[0] : p->speed[a * p->types + k]);
            orr_lp_add(lp, p->jobs + a, column, 1);
            orr_lp_add(lp, 2 * p->jobs + k, column, p->gpus[a]);
            if (pair != NULL) {
                orr_lp_add(lp, pair->b, column, both[1]);
                orr_lp_add(lp, p->jobs + pair->b, column, 1);
            }
        }
    return lp;
}

static int32_t columns_of(const drawn *d)
{
    return (d->p.jobs + d->p.pairs) * d->p.types;
}

static double plain_t(const drawn *d, const double *need)
{
    orr_lp *lp = plain(d);
    int32_t t = orr_lp_column(lp, 1, 0, INFINITY);
    for (int32_t j = 0; j < d->p.jobs; j++)
        orr_lp_add(lp, j, t, -need[j]);
    orr_lp_status status = orr_lp_solve(lp, NULL);
    double best = status == ORR_LP_UNBOUNDED ? INFINITY : orr_lp_objective(lp);
    assert_in_set(status, ((LargestIntegralType[]){ORR_LP_OPTIMAL, ORR_LP_UNBOUNDED}), 2);
    orr_lp_destroy(lp);
    return best;
}

static double speed_of(const drawn *d, int32_t job)
{
    const orr_share_problem *p = &d->p;
    double sum = 0;
    for (int32_t k = 0; k < p->types; k++)
        sum += p->speed[job * p->types + k] * d->x[job * p->types + k];
    for (int32_t i = 0; i < p->pairs; i++)
        for (int32_t k = 0; k < p->types; k++) {
            double x = d->x[(p->jobs + i) * p->types + k];
            sum += x * (p->pair[i].a == job) * p->pair_speed[(i * p->types + k) * 2];
            sum += x * (p->pair[i].b == job) * p->pair_speed[(i * p->types + k) * 2 + 1];
        }
    return sum;
}

static void limits_are_kept(const drawn *d)
{
    const orr_share_problem *p = &d->p;
    double time[MOST_JOBS] = {0}, used[MOST_TYPES] = {0};
    for (int32_t row = 0; row < p->jobs + p->pairs; row++)
        for (int32_t k = 0; k < p->types; k++) {
            double x = d->x[row * p->types + k];
            assert_true(x == 0 || (x > 0 && x <= 1));
            const orr_share_pair *pair = row < p->jobs ? NULL : &p->pair[row - p->jobs];
            int32_t a = pair != NULL ? pair->a : row;
            time[a] += x;
            if (pair != NULL)
                time[pair->b] += x;
            used[k] += p->gpus[a] * x;
        }
    for (int32_t j = 0; j < p->jobs; j++)
        assert_true(time[j] <= 1 + 1e-12);
    for (int32_t k = 0; k < p->types; k++)
        assert_true(used[k] <= p->capacity[k] * (1 + 1e-12));
}

/* Speeds by kinds of jobs, so that some are equal; equal gangs may pair, but not all do; some can't run everywhere. */
static void draw(drawn *d, gsl_rng *rng, int32_t jobs, int32_t types, int32_t kinds)
{
    double alone[8][MOST_TYPES], beside[8][8][MOST_TYPES];
    for (int32_t a = 0; a < kinds; a++)
        for (int32_t k = 0; k < types; k++) {
            alone[a][k] = gsl_rng_uniform(rng) < 0.15 ? 0 : exp(4 * gsl_rng_uniform(rng));
            for (int32_t b = 0; b < kinds; b++)
                beside[a][b][k] = gsl_rng_uniform(rng) < 0.1 ? 0 : 0.3 + 0.7 * gsl_rng_uniform(rng);
        }
    int32_t kind[MOST_JOBS], pairs = 0;
    bool rarely = gsl_rng_uniform(rng) < 0.3;
    for (int32_t j = 0; j < jobs; j++) {
        kind[j] = (int32_t)gsl_rng_uniform_int(rng, (unsigned long)kinds);
        d->gpus[j] = gsl_rng_uniform(rng) < 0.7 ? 1 : 2;
        memcpy(&d->speed[j * types], alone[kind[j]], (size_t)types * sizeof(double));
        for (int32_t i = 0; i < j; i++) {
            if (d->gpus[i] != d->gpus[j] || (rarely && gsl_rng_uniform(rng) < 0.3))
                continue;
            for (int32_t k = 0; k < types; k++) {
                d->pair_speed[(pairs * types + k) * 2] = beside[kind[i]][kind[j]][k] * alone[kind[i]][k];
                d->pair_speed[(pairs * types + k) * 2 + 1] = beside[kind[j]][kind[i]][k] * alone[kind[j]][k];
            }
            d->pair[pairs++] = (orr_share_pair){i, j};
        }
    }
    for (int32_t k = 0; k < types; k++)
        d->capacity[k] = floor(1 + gsl_rng_uniform(rng) * jobs / 3);
    d->p = (orr_share_problem){jobs, types, pairs, d->speed, d->gpus, d->capacity, d->pair, d->pair_speed};
}

static drawn *draw_some(gsl_rng *rng, int32_t most)
{
    drawn *d = calloc(1, sizeof *d);
    int32_t jobs = 1 + (int32_t)gsl_rng_uniform_int(rng, (unsigned long)most);
    draw(d, rng, jobs, 1 + (int32_t)gsl_rng_uniform_int(rng, MOST_TYPES), 1 + (int32_t)gsl_rng_uniform_int(rng, 8));
    return d;
}

/* Can it have any speed at all? */
static bool runs(const drawn *d, int32_t job)
{
    const orr_share_problem *p = &d->p;
    for (int32_t k = 0; k < p->types; k++) {
        if (p->speed[job * p->types + k] > 0)
            return true;
        for (int32_t i = 0; i < p->pairs; i++) {
            const double *s = &p->pair_speed[(i * p->types + k) * 2];
            if ((p->pair[i].a == job || p->pair[i].b == job) && s[0] > 0 && s[1] > 0)
                return true;
        }
    }
    return false;
}

/* ---- max-min ---- */

/* One GPU and two jobs that need 1 each and run at 1 alone: half each alone; together at 0.8 each: 0.8. */
static void two_jobs_share_a_gpu(void **state)
{
    (void)state;
    double speed[] = {1, 1}, gpus[] = {1, 1}, capacity[] = {1}, beside[] = {0.8, 0.8}, need[] = {1, 1}, x[3];
    orr_share_pair pair[] = {{0, 1}};
    orr_share_problem p = {2, 1, 1, speed, gpus, capacity, pair, beside};
    assert_near(orr_packed_max_min(&p, need, x), 0.8, 1e-9);
    assert_near(x[2], 1, 1e-9);
    /* 0.4 beside each other: alone is better. */
    beside[0] = beside[1] = 0.4;
    assert_near(orr_packed_max_min(&p, need, x), 0.5, 1e-9);
    assert_near(x[2], 0, 0);
    /* a 1 and b 0.2 together: together for y, b alone for 1 - y; y = 0.2 y + 1 - y, y = 5/9. */
    beside[0] = 1, beside[1] = 0.2;
    assert_near(orr_packed_max_min(&p, need, x), 5.0 / 9, 1e-9);
    assert_near(x[2], 5.0 / 9, 1e-9);
    assert_near(x[1], 4.0 / 9, 1e-9);
    /* Where one of the two stands still they can't run so. */
    beside[1] = 0;
    assert_near(orr_packed_max_min(&p, need, x), 0.5, 1e-9);
}

/* Three equal jobs and one GPU: each pair a third of the time, and each job two thirds at 0.8. */
static void equal_jobs_share_alike(void **state)
{
    (void)state;
    double speed[] = {2, 2, 2}, gpus[] = {4, 4, 4}, capacity[] = {4}, need[] = {2, 2, 2}, x[6];
    double beside[] = {1.6, 1.6, 1.6, 1.6, 1.6, 1.6};
    orr_share_pair pair[] = {{0, 1}, {1, 2}, {2, 0}};
    orr_share_problem p = {3, 1, 3, speed, gpus, capacity, pair, beside};
    assert_near(orr_packed_max_min(&p, need, x), 1.6 / 3, 1e-9);
    for (int i = 0; i < 6; i++)
        assert_near(x[i], i < 3 ? 0 : 1.0 / 3, 1e-9);
}

static void who_needs_nothing_and_who_can_run_nowhere(void **state)
{
    (void)state;
    double speed[] = {1, 0}, gpus[] = {1, 1}, capacity[] = {1}, beside[] = {0.5, 0}, need[] = {1, 0}, x[3];
    orr_share_pair pair[] = {{0, 1}};
    orr_share_problem p = {2, 1, 1, speed, gpus, capacity, pair, beside};
    assert_near(orr_packed_max_min(&p, need, x), 1, 1e-9);
    need[1] = 1;
    assert_near(orr_packed_max_min(&p, need, x), 0, 0);
    need[0] = need[1] = 0;
    assert_near(orr_packed_max_min(&p, need, x), INFINITY, 0);
    need[0] = 1, capacity[0] = 0;
    assert_near(orr_packed_max_min(&p, need, x), 0, 0);
    beside[1] = 0.5, capacity[0] = 1, need[1] = 1; /* b runs beside a alone */
    assert_near(orr_packed_max_min(&p, need, x), 0.5, 1e-9);
    p.jobs = p.pairs = 0;
    assert_near(orr_packed_max_min(&p, need, x), INFINITY, 0);
}

static void max_min_is_what_the_plain_program_says(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(1, "packed");
    int merged = 0;
    for (int round = 0; round < 90; round++) {
        drawn *d = draw_some(rng, round < 75 ? 8 : 25);
        double need[MOST_JOBS], magnitude = exp(20 * gsl_rng_uniform(rng) - 10);
        bool alike = gsl_rng_uniform(rng) < 0.5, somebody = false;
        for (int32_t j = 0; j < d->p.jobs; j++) {
            need[j] = alike ? magnitude : magnitude * exp(3 * gsl_rng_uniform(rng));
            need[j] = gsl_rng_uniform(rng) < 0.1 || !runs(d, j) ? 0 : need[j];
            somebody = somebody || need[j] > 0;
        }
        double t = orr_packed_max_min(&d->p, need, d->x);
        assert_near(t, somebody ? plain_t(d, need) : INFINITY, fabs(t) * 1e-8);
        limits_are_kept(d);
        for (int32_t j = 0; j < d->p.jobs && somebody; j++)
            assert_true(speed_of(d, j) >= t * need[j] * (1 - 1e-12));
        orr_packed c;
        orr_packed_init(&c, &d->p, NULL, NULL);
        merged += c.classes < d->p.jobs;
        orr_packed_fini(&c);
        free(d);
    }
    assert_in_range(merged, 20, 89);
    gsl_rng_free(rng);
}

/* More GPUs never make it worse; a job's speeds and need in another unit change nothing. */
static void more_gpus_and_other_units(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(2, "packed");
    for (int round = 0; round < 20; round++) {
        drawn *d = calloc(1, sizeof *d);
        draw(d, rng, 20, 3, 5);
        double need[MOST_JOBS];
        for (int32_t j = 0; j < 20; j++)
            need[j] = runs(d, j) ? 1 + 3 * gsl_rng_uniform(rng) : 0;
        double t = orr_packed_max_min(&d->p, need, d->x);
        for (int32_t k = 0; k < 3; k++)
            d->speed[7 * 3 + k] *= 1e4;
        for (int32_t i = 0; i < d->p.pairs; i++)
            for (int32_t k = 0; k < 3; k++) {
                d->pair_speed[(i * 3 + k) * 2] *= d->pair[i].a == 7 ? 1e4 : 1;
                d->pair_speed[(i * 3 + k) * 2 + 1] *= d->pair[i].b == 7 ? 1e4 : 1;
            }
        need[7] *= 1e4;
        assert_near(orr_packed_max_min(&d->p, need, d->x), t, 1e-8 * t);
        d->capacity[1] += 1;
        assert_true(orr_packed_max_min(&d->p, need, d->x) >= t * (1 - 1e-9));
        free(d);
    }
    gsl_rng_free(rng);
}

/* ---- finish-time fairness ---- */

/* The worked example of the LP, whose pair is of no use: one type, one GPU. */
static void the_worked_example_of_finish_times(void **state)
{
    (void)state;
    double speed[] = {10, 10}, gpus[] = {1, 1}, capacity[] = {1}, beside[] = {1, 1}, x[3];
    orr_share_pair pair[] = {{0, 1}};
    orr_share_problem p = {2, 1, 1, speed, gpus, capacity, pair, beside};
    orr_share_finish about[] = {{.elapsed = 0, .left = 1000, .isolated = 0, .isolated_speed = 5},
                                {.elapsed = 100, .left = 400, .isolated = 50, .isolated_speed = 5}};
    assert_near(orr_packed_finish(&p, about, x), 1.275345727, 1e-9);
    assert_near(x[0], 0.392051, 1e-6);
    assert_near(x[1], 0.607949, 1e-6);
    /* Together without loss both run all the time: (0 + 100) / 200 and (100 + 40) / 130. */
    for (int i = 0; i < 2; i++)
        beside[i] = 10;
    assert_near(orr_packed_finish(&p, about, x), 140.0 / 130, 1e-9);
    speed[1] = beside[1] = 0;
    assert_near(orr_packed_finish(&p, about, x), INFINITY, 0);
    about[1].left = 0; /* it has ended: 100 / 50 */
    assert_near(orr_packed_finish(&p, about, x), 2, 1e-9);
}

/* At the least rho the plain program just gives everyone the speed that it asks for. */
static void finish_is_what_the_plain_program_says(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(3, "packed");
    for (int round = 0; round < 60; round++) {
        drawn *d = draw_some(rng, round < 50 ? 8 : 20);
        orr_share_finish about[MOST_JOBS];
        double need[MOST_JOBS], least = 0;
        for (int32_t j = 0; j < d->p.jobs; j++) {
            double elapsed = 1e4 * gsl_rng_uniform(rng), fast = 1 + 50 * gsl_rng_uniform(rng);
            about[j] = (orr_share_finish){elapsed, runs(d, j) ? 1e5 * gsl_rng_uniform(rng) : 0,
                                          100 + elapsed * (0.5 + gsl_rng_uniform(rng)), fast};
        }
        double rho = orr_packed_finish(&d->p, about, d->x);
        limits_are_kept(d);
        for (int32_t j = 0; j < d->p.jobs; j++) {
            const orr_share_finish *f = &about[j];
            double fair = f->isolated + f->left / f->isolated_speed, speed = speed_of(d, j);
            least = fmax(least, f->left > 0 ? (f->elapsed + f->left / speed) / fair : f->elapsed / fair);
            need[j] = f->left > 0 ? f->left / (rho * fair - f->elapsed) : 0;
        }
        assert_near(rho, least, 1e-9 * least);
        double t = plain_t(d, need); /* 1, or more where one who has ended decides */
        assert_true(t >= 1 - 1e-8);
        for (int32_t j = 0; j < d->p.jobs; j++) {
            const orr_share_finish *f = &about[j];
            need[j] =
                f->left > 0
                    ? f->left / fmax(rho * 0.9999 * (f->isolated + f->left / f->isolated_speed) - f->elapsed, 1e-9)
                    : 0;
            t = f->left <= 0 && f->elapsed / f->isolated >= rho * 0.9999 ? 0 : t;
        }
        assert_true(t == 0 || plain_t(d, need) < 1);
        free(d);
    }
    gsl_rng_free(rng);
}

/* ---- filling ---- */

/* Raises stage by stage, and asks the plain program of each job whether it can still rise. Fills level, thr_j /
 * need_j. */
static void fill_plainly(const drawn *d, const orr_share_fill *how, double *level)
{
    int32_t jobs = d->p.jobs, rising = 0, t_column;
    bool saturated[MOST_JOBS];
    for (int32_t j = 0; j < jobs; j++)
        level[j] = 0, saturated[j] = !runs(d, j);
    do {
        double total[MOST_JOBS] = {0}, rise[MOST_JOBS] = {0};
        int32_t head[MOST_JOBS];
        memset(head, -1, sizeof head);
        for (int32_t j = 0; j < jobs && how->entity != NULL; j++)
            if (!saturated[j]) {
                total[how->entity[j]] += how->weight[j];
                head[how->entity[j]] = head[how->entity[j]] < 0 ? j : head[how->entity[j]];
            }
        rising = 0;
        for (int32_t j = 0; j < jobs; j++) {
            if (!saturated[j] && how->entity == NULL)
                rise[j] = how->weight[j];
            else if (!saturated[j] && how->fifo)
                rise[j] = head[how->entity[j]] == j ? how->entity_weight[how->entity[j]] : 0;
            else if (!saturated[j])
                rise[j] = how->entity_weight[how->entity[j]] * how->weight[j] / total[how->entity[j]];
            rising += rise[j] > 0;
        }
        if (rising == 0)
            break;
        orr_lp *lp = plain(d);
        t_column = orr_lp_column(lp, 1, 0, INFINITY);
        for (int32_t j = 0; j < jobs; j++) {
            orr_lp_add(lp, j, t_column, -rise[j] * how->need[j]);
            orr_lp_set_row(lp, j, level[j] * how->need[j] * (1 - 1e-9), INFINITY);
        }
        assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
        double t = orr_lp_objective(lp);
        orr_lp_set_cost(lp, t_column, 0);
        orr_lp_set_bounds(lp, t_column, 0, 0);
        for (int32_t j = 0; j < jobs; j++) {
            level[j] += t * rise[j];
            orr_lp_set_row(lp, j, level[j] * how->need[j] * (1 - 1e-9), INFINITY);
        }
        for (int32_t j = 0; j < jobs; j++) {
            if (rise[j] <= 0)
                continue;
            int32_t most = orr_lp_column(lp, 1, 0, INFINITY);
            orr_lp_add(lp, j, most, -how->need[j]);
            orr_lp_set_row(lp, j, 0, INFINITY);
            assert_int_equal(orr_lp_solve(lp, NULL), ORR_LP_OPTIMAL);
            saturated[j] = orr_lp_objective(lp) <= level[j] + 1e-6 * (1 + level[j]);
            orr_lp_set_cost(lp, most, 0);
            orr_lp_set_bounds(lp, most, 0, 0);
            orr_lp_set_row(lp, j, level[j] * how->need[j] * (1 - 1e-9), INFINITY);
        }
        orr_lp_destroy(lp);
    } while (rising > 0);
}

/* Two jobs share one GPU at 0.8 each or run alone, a third has the slow GPU type for itself alone. By hand: first all
 * rise to 0.8; then the third to 2. */
static void filling_goes_on_without_the_saturated(void **state)
{
    (void)state;
    double speed[] = {1, 0, 1, 0, 0, 2}, gpus[] = {1, 1, 1}, capacity[] = {1, 1}, beside[] = {0.8, 0.8, 0, 0}, x[8];
    const double one[] = {1, 1, 1};
    orr_share_pair pair[] = {{0, 1}};
    orr_share_problem p = {3, 2, 1, speed, gpus, capacity, pair, beside};
    orr_share_fill how = {.need = one, .weight = one};
    orr_packed_fill(&p, &how, x);
    assert_near(x[6], 1, 1e-9);
    assert_near(x[5], 1, 1e-9);
    assert_near(x[0] + x[2], 0, 0);
}

static void filling_is_what_the_plain_program_says(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(4, "packed");
    for (int round = 0; round < 60; round++) {
        drawn *d = draw_some(rng, round < 54 ? 6 : 12);
        double need[MOST_JOBS], weight[MOST_JOBS], level[MOST_JOBS];
        const double entity_weight[] = {1, 2, 3};
        int32_t entity[MOST_JOBS];
        for (int32_t j = 0; j < d->p.jobs; j++) {
            need[j] = round % 2 == 0 ? 3 : 1 + gsl_rng_uniform(rng);
            weight[j] = gsl_rng_uniform(rng) < 0.5 ? 1 : 5;
            entity[j] = (int32_t)gsl_rng_uniform_int(rng, 3);
        }
        orr_share_fill how = {need, weight, round % 3 == 0 ? NULL : entity, entity_weight, 3, round % 3 == 2};
        orr_packed_fill(&d->p, &how, d->x);
        limits_are_kept(d);
        fill_plainly(d, &how, level);
        for (int32_t j = 0; j < d->p.jobs; j++)
            assert_near(speed_of(d, j) / need[j], level[j], 2e-6 * (1 + level[j]));
        free(d);
    }
    gsl_rng_free(rng);
}

/* ---- sums ---- */

static void sums_are_what_the_plain_program_says(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(5, "packed");
    int refused = 0;
    for (int round = 0; round < 90; round++) {
        drawn *d = draw_some(rng, round < 75 ? 8 : 25);
        if (round % 3 == 0)
            d->p.pairs = 0;
        double gain[MOST_X], least[MOST_JOBS];
        int32_t types = d->p.types;
        for (int32_t row = 0; row < d->p.jobs + d->p.pairs; row++)
            for (int32_t k = 0; k < types; k++) {
                double of_pair = 0;
                if (row >= d->p.jobs)
                    of_pair = d->pair_speed[((row - d->p.jobs) * types + k) * 2] +
                              d->pair_speed[((row - d->p.jobs) * types + k) * 2 + 1];
                gain[row * types + k] = row < d->p.jobs ? d->speed[row * types + k] : of_pair;
            }
        for (int32_t j = 0; j < d->p.jobs; j++)
            least[j] = runs(d, j) && gsl_rng_uniform(rng) < 0.5 ? 8 * gsl_rng_uniform(rng) : 0;
        const double *floor = round % 2 == 0 ? NULL : least;
        orr_lp *lp = plain(d);
        for (int32_t i = 0; i < columns_of(d); i++)
            orr_lp_set_cost(lp, i, gain[i]);
        for (int32_t j = 0; j < d->p.jobs && floor != NULL; j++)
            orr_lp_set_row(lp, j, floor[j], INFINITY);
        orr_lp_status status = orr_lp_solve(lp, NULL);
        assert_int_equal(orr_shares_max_sum(&d->p, gain, floor, d->x), status == ORR_LP_OPTIMAL);
        refused += status != ORR_LP_OPTIMAL;
        if (status == ORR_LP_OPTIMAL) {
            double sum = 0;
            for (int32_t i = 0; i < columns_of(d); i++)
                sum += gain[i] * d->x[i];
            assert_near(sum, orr_lp_objective(lp), 1e-7 * (1 + sum));
            limits_are_kept(d);
            for (int32_t j = 0; j < d->p.jobs && floor != NULL; j++)
                assert_true(speed_of(d, j) >= floor[j] * (1 - 1e-8));
        }
        orr_lp_destroy(lp);
        free(d);
    }
    assert_in_range(refused, 5, 60);
    gsl_rng_free(rng);
}

/* Without pairs there is another method, by prices: the same optimum, and the same speeds where they are unique. */
static void without_pairs_both_methods_agree(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(7, "packed");
    double *x = calloc(MOST_X, sizeof *x);
    for (int round = 0; round < 60; round++) {
        drawn *d = draw_some(rng, 30);
        d->p.pairs = 0;
        double need[MOST_JOBS], weight[MOST_JOBS];
        orr_share_finish about[MOST_JOBS];
        for (int32_t j = 0; j < d->p.jobs; j++) {
            need[j] = 1 + 9 * gsl_rng_uniform(rng);
            weight[j] = 1 + (double)gsl_rng_uniform_int(rng, 2);
            double elapsed = 100 * gsl_rng_uniform(rng);
            about[j] = (orr_share_finish){elapsed, runs(d, j) ? need[j] * 100 : 0, elapsed + 10, 1 + need[j]};
        }
        const orr_share_fill how = {.need = need, .weight = weight};
        double t = orr_packed_max_min(&d->p, need, d->x), rho = orr_packed_finish(&d->p, about, d->x);
        assert_near(orr_shares_max_min(&d->p, need, x), t, 1e-7 * t);
        assert_near(orr_shares_finish(&d->p, about, x), rho, 1e-7 * rho);
        orr_packed_fill(&d->p, &how, d->x);
        orr_shares_fill(&d->p, &how, x);
        for (int32_t j = 0; j < d->p.jobs; j++)
            assert_near(orr_shares_speed(&d->p, x, j), speed_of(d, j), 1e-6 * (1 + speed_of(d, j)));
        free(d);
    }
    free(x);
    gsl_rng_free(rng);
}

/* 40 jobs of 3 kinds and 780 pairs: classes, and few columns of all that there are. */
static void equal_jobs_are_classes_and_few_columns_enter(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(6, "packed");
    drawn *d = calloc(1, sizeof *d);
    draw(d, rng, 40, 3, 3);
    orr_packed c;
    orr_packed_init(&c, &d->p, NULL, NULL);
    assert_in_range(c.classes, 3, 40);
    double jobs = 0;
    int64_t members = 0;
    for (int32_t i = 0; i < c.classes; i++)
        jobs += c.count[i];
    for (int32_t q = 0; q < c.columns; q++)
        members += c.column[q].members;
    for (int32_t i = 0; i < columns_of(d); i++)
        members -= c.column_of[i] >= 0;
    assert_near(jobs, 40, 0);
    assert_int_equal(members, 0);
    orr_packed_fini(&c);
    free(d);
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_share_a_gpu),
        cmocka_unit_test(equal_jobs_share_alike),
        cmocka_unit_test(who_needs_nothing_and_who_can_run_nowhere),
        cmocka_unit_test(max_min_is_what_the_plain_program_says),
        cmocka_unit_test(more_gpus_and_other_units),
        cmocka_unit_test(the_worked_example_of_finish_times),
        cmocka_unit_test(finish_is_what_the_plain_program_says),
        cmocka_unit_test(filling_goes_on_without_the_saturated),
        cmocka_unit_test(filling_is_what_the_plain_program_says),
        cmocka_unit_test(sums_are_what_the_plain_program_says),
        cmocka_unit_test(without_pairs_both_methods_agree),
        cmocka_unit_test(equal_jobs_are_classes_and_few_columns_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
