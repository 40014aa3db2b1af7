#include "predict/ridge.h"

#include "base/mem.h"
#include "base/rng.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

enum { FEATURES = 8, ENOUGH = 16 };

struct ridge {
    orr_ridge_rules rules;
    size_t size; /* buckets and the intercept, which is the last */
    double *xx;  /* sum of x x', lower triangle by rows */
    double *xy;
    double *weights;
    double greatest;
    uint64_t count, solved_count; /* jobs added; those in the weights, 0: there are none */
    uint64_t solved;
    int32_t month; /* the present one, counted from year 0; 0: none yet */
};

struct ridge *orr_ridge_create(const orr_ridge_rules *rules)
{
    struct ridge *r = orr_xcalloc(1, sizeof *r);
    r->rules = *rules;
    r->size = (size_t)rules->buckets + 1;
    r->xx = orr_xcalloc(r->size * r->size, sizeof *r->xx);
    r->xy = orr_xcalloc(r->size, sizeof *r->xy);
    r->weights = orr_xcalloc(r->size, sizeof *r->weights);
    return r;
}

void orr_ridge_destroy(struct ridge *r)
{
    if (!r)
        return;
    free(r->xx);
    free(r->xy);
    free(r->weights);
    free(r);
}

/* ---- features ---- */

static size_t bucket(const struct ridge *r, uint64_t kind, const void *value, size_t size)
{
    return (size_t)(orr_mix64(orr_hash64(kind, value, size)) % (r->size - 1));
}

static size_t number(const struct ridge *r, uint64_t kind, int32_t value)
{
    return bucket(r, kind, &value, sizeof value);
}

/* Two features may fall into one bucket: its x is 2 then. */
static void features_of(const struct ridge *r, const orr_sample *job, size_t x[FEATURES])
{
    x[0] = bucket(r, 0, job->user, strlen(job->user));
    x[1] = bucket(r, 1, job->name, strlen(job->name));
    x[2] = number(r, 2, job->vc);
    x[3] = number(r, 3, job->gpus);
    x[4] = number(r, 4, job->submitted.hour);
    x[5] = number(r, 5, job->submitted.weekday);
    x[6] = number(r, 6, job->submitted.month);
    x[7] = r->size - 1;
}

/* ---- solving ---- */

/* The sums with lambda on the diagonal; a bucket that nothing fell into keeps the weight 0. */
static gsl_matrix *left_side(const struct ridge *r)
{
    gsl_matrix *a = gsl_matrix_alloc(r->size, r->size);
    if (!a)
        orr_out_of_memory(r->size * r->size * sizeof(double));
    memcpy(a->data, r->xx, r->size * r->size * sizeof(double));
    for (size_t i = 0; i + 1 < r->size; i++)
        a->data[i * r->size + i] += r->rules.lambda;
    return a;
}

/* Positive definite, since lambda > 0 and somebody was added; should rounding say otherwise, the old weights stay. */
static void solve(struct ridge *r)
{
    gsl_matrix *a = left_side(r);
    gsl_vector_view b = gsl_vector_view_array(r->xy, r->size), w = gsl_vector_view_array(r->weights, r->size);
    if (gsl_linalg_cholesky_decomp1(a) == GSL_SUCCESS)
        gsl_linalg_cholesky_solve(a, &b.vector, &w.vector);
    gsl_matrix_free(a);
    r->solved_count = r->count;
    r->solved++;
}

static bool due(const struct ridge *r)
{
    uint64_t more = r->count - r->solved_count, every = (uint64_t)r->rules.every;
    if (r->solved_count == 0)
        return r->count >= ENOUGH;
    return more >= every || more >= r->solved_count;
}

/* A month is over: what it and those before it hold is what the next one knows. */
static void turn_page(struct ridge *r, orr_date now)
{
    int32_t month = now.year * 12 + now.month;
    if (month == r->month)
        return;
    r->month = month;
    if (r->rules.monthly && r->count > r->solved_count)
        solve(r);
}

/* ---- jobs ---- */

void orr_ridge_put(struct ridge *r, const orr_sample *job, orr_date now, double seconds)
{
    size_t x[FEATURES];
    turn_page(r, now);
    features_of(r, job, x);
    double y = log1p(seconds);
    for (int i = 0; i < FEATURES; i++) {
        for (int k = 0; k < FEATURES; k++)
            if (x[k] <= x[i])
                r->xx[x[i] * r->size + x[k]] += 1;
        r->xy[x[i]] += y;
    }
    r->greatest = fmax(r->greatest, seconds);
    r->count++;
}

bool orr_ridge_get(struct ridge *r, const orr_sample *job, orr_date now, double *seconds)
{
    size_t x[FEATURES];
    turn_page(r, now);
    if (!r->rules.monthly && due(r))
        solve(r);
    if (r->solved_count == 0)
        return false;
    features_of(r, job, x);
    double y = 0;
    for (int i = 0; i < FEATURES; i++)
        y += r->weights[x[i]];
    *seconds = fmin(fmax(expm1(y), 0), r->greatest);
    return true;
}

uint64_t orr_ridge_solved(const struct ridge *r)
{
    return r->solved;
}
