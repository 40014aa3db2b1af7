#include "shares_random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

double random_unit(uint64_t *seed)
{
    *seed = orr_mix64(*seed);
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double value(uint64_t *seed, bool whole, double least, double most)
{
    double v = least + (most - least) * random_unit(seed);
    return whole ? ceil(v) : v;
}

static void make_job(random_shares *r, int32_t j, uint64_t *seed, bool whole, bool odd)
{
    double pace = whole ? 1 : exp(3 * random_unit(seed));
    r->gpus[j] = (double)(1 << (int)(4 * random_unit(seed)));
    r->need[j] = pace * value(seed, whole, 1, 3);
    r->weight[j] = value(seed, true, 0, 3);
    for (int32_t k = 0; k < r->p.types; k++) {
        double v = pace * value(seed, whole, 0.5, 4);
        r->speed[j * r->p.types + k] = odd && random_unit(seed) < 0.3 ? 0 : v;
    }
}

void random_shares_make(random_shares *r, uint64_t seed, int32_t jobs, int32_t types, double scarce)
{
    bool whole = seed % 3 == 0, odd = seed % 4 == 0;
    memset(r, 0, sizeof *r);
    r->p =
        (orr_share_problem){.jobs = jobs, .types = types, .speed = r->speed, .gpus = r->gpus, .capacity = r->capacity};
    uint64_t state = orr_mix64(seed + 1);
    double wanted = 0;
    for (int32_t j = 0; j < jobs; j++) {
        make_job(r, j, &state, whole, odd);
        wanted += r->gpus[j];
    }
    for (int32_t k = 0; k < types; k++) {
        r->capacity[k] = ceil(wanted / scarce / types * (0.3 + 1.4 * random_unit(&state)));
        if (odd && random_unit(&state) < 0.2)
            r->capacity[k] = 0;
    }
}

void random_shares_check(const random_shares *r)
{
    int32_t types = r->p.types;
    for (int32_t j = 0; j < r->p.jobs; j++) {
        double sum = 0;
        for (int32_t k = 0; k < types; k++) {
            double x = r->x[j * types + k];
            assert_true(x >= 0 && x <= 1 && (x <= 0 || x >= 1e-10));
            sum += x;
        }
        assert_true(sum <= 1 + 1e-12);
    }
    for (int32_t k = 0; k < types; k++) {
        double load = 0;
        for (int32_t j = 0; j < r->p.jobs; j++)
            load += r->gpus[j] * r->x[j * types + k];
        assert_true(load <= r->capacity[k] * (1 + 1e-12));
    }
}

orr_lp *random_shares_program(const random_shares *r)
{
    orr_lp *lp = orr_lp_create(true);
    int32_t types = r->p.types;
    for (int32_t i = 0; i < r->p.jobs * types; i++)
        orr_lp_column(lp, 0, 0, INFINITY);
    for (int32_t j = 0; j < r->p.jobs; j++)
        orr_lp_row(lp, -INFINITY, 1);
    for (int32_t k = 0; k < types; k++)
        orr_lp_row(lp, -INFINITY, r->capacity[k]);
    for (int32_t j = 0; j < r->p.jobs; j++)
        for (int32_t k = 0; k < types; k++) {
            orr_lp_add(lp, j, j * types + k, 1);
            orr_lp_add(lp, r->p.jobs + k, j * types + k, r->gpus[j]);
        }
    return lp;
}

double random_shares_greatest(const random_shares *r, const double *base, const double *rate)
{
    orr_lp *lp = random_shares_program(r);
    int32_t t = orr_lp_column(lp, 1, 0, INFINITY);
    for (int32_t j = 0; j < r->p.jobs; j++) {
        int32_t row = orr_lp_row(lp, base[j], INFINITY);
        for (int32_t k = 0; k < r->p.types; k++)
            if (r->speed[j * r->p.types + k] > 0)
                orr_lp_add(lp, row, j * r->p.types + k, r->speed[j * r->p.types + k]);
        if (rate[j] > 0)
            orr_lp_add(lp, row, t, -rate[j]);
    }
    orr_lp_status status = orr_lp_solve(lp, NULL);
    double value = status == ORR_LP_OPTIMAL ? orr_lp_objective(lp) : -INFINITY;
    orr_lp_destroy(lp);
    return value;
}
