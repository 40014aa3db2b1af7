/* Draws from keys.
 *
 * Zipf's law: rejection-inversion (Hoermann and Derflinger 1996). The weight of k is compared with the area of h(x) =
 * x^-s over (k - 1/2, k + 1/2], which is at least as large as h is convex; x is drawn by inverting the integral of h
 * and rounded.
 */
#include "serve/draw.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#define LEAST 0.1 /* of the mean: where normals are cut off */

/* ---- GSL's laws on a key ---- */

static void set(void *state, unsigned long seed)
{
    *(uint64_t *)state = seed;
}

static unsigned long get(void *state)
{
    uint64_t *s = state;
    const uint64_t bits = orr_mix64(*s);
    *s += ORR_DRAW_STEP;
    return (unsigned long)(bits >> 32);
}

/* GSL wants [0, 1). */
static double get_double(void *state)
{
    uint64_t *s = state;
    const uint64_t bits = orr_mix64(*s);
    *s += ORR_DRAW_STEP;
    return (double)(bits >> 11) * 0x1p-53;
}

static const gsl_rng_type keyed = {"splitmix64", 0xffffffffUL, 0, sizeof(uint64_t), set, get, get_double};

gsl_rng orr_draws_rng(uint64_t *state)
{
    return (gsl_rng){&keyed, state};
}

double orr_draw_exponential(uint64_t *state)
{
    return -log(orr_draw_next(state));
}

double orr_draw_gamma(uint64_t *state, double cv)
{
    const gsl_rng rng = orr_draws_rng(state);
    return gsl_ran_gamma(&rng, 1 / (cv * cv), cv * cv);
}

/* ---- scatter ---- */

/* Mean of a normal of mean m and deviation s, values under LEAST raised to it. */
static double mean_cut(double m, double s)
{
    const double a = (m - LEAST) / s;
    return LEAST + (m - LEAST) * gsl_cdf_ugaussian_P(a) + s * gsl_ran_ugaussian_pdf(a);
}

/* The mean before the cut, for a mean of 1 after it. What is cut only adds; from as far as `low` it adds too little. */
static double centre_of(double s)
{
    double low = 1 - 10 * s - 10 * s * s, high = 1;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (mean_cut(middle, s) < 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

orr_scattering orr_scattering_of(const orr_jitter *jitter)
{
    orr_scattering spread = {.law = jitter->law, .cv = jitter->cv};
    if (spread.law != ORR_SCATTER_EXPONENTIAL && !(spread.cv > 0))
        spread.law = ORR_SCATTER_NONE;
    if (spread.law == ORR_SCATTER_NORMAL)
        spread.centre = centre_of(spread.cv);
    if (spread.law == ORR_SCATTER_LOGNORMAL) {
        const double variance = log1p(spread.cv * spread.cv);
        spread.centre = -variance / 2;
        spread.width = sqrt(variance);
    }
    return spread;
}

double orr_scattering_draw(const orr_scattering *spread, uint64_t key)
{
    switch (spread->law) {
    case ORR_SCATTER_EXPONENTIAL:
        return orr_draw_exponential(&key);
    case ORR_SCATTER_GAMMA:
        return orr_draw_gamma(&key, spread->cv);
    case ORR_SCATTER_LOGNORMAL:
        return exp(spread->centre + spread->width * orr_gaussian_of(key));
    case ORR_SCATTER_NORMAL:
        return fmax(LEAST, spread->centre + spread->cv * orr_gaussian_of(key));
    default:
        return 1;
    }
}

/* ---- Zipf ---- */

static double weight(double s, double x)
{
    return exp(-s * log(x));
}

/* The integral of the weight from 1 to x. */
static double area(double s, double x)
{
    const double l = log(x), t = 1 - s;
    return t == 0 ? l : expm1(t * l) / t;
}

/* Where that integral is `a`. */
static double area_end(double s, double a)
{
    const double t = 1 - s;
    return exp(t == 0 ? a : log1p(fmax(-1, t * a)) / t);
}

orr_zipf orr_zipf_of(uint64_t n, double s)
{
    orr_zipf z = {.n = (double)n, .s = s};
    z.low = area(s, 1.5) - 1; /* so that 1, too, has exactly its weight */
    z.high = area(s, z.n + 0.5);
    z.sure = 2 - area_end(s, area(s, 2.5) - weight(s, 2));
    return z;
}

uint64_t orr_zipf_draw(const orr_zipf *z, uint64_t key)
{
    for (;;) {
        const double a = z->high + orr_draw_next(&key) * (z->low - z->high), x = area_end(z->s, a);
        const double k = fmin(fmax(floor(x + 0.5), 1), z->n);
        if (k - x <= z->sure || a >= area(z->s, k + 0.5) - weight(z->s, k))
            return (uint64_t)k;
    }
}
