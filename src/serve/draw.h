/* Draws that depend on a key alone: the n-th number of the stream of a key is found without the others, so that what
 * one request gets depends on no other. A stream is SplitMix64's, as orr_mix64; behind orr_draws_rng stand GSL's
 * laws.
 */
#ifndef ORR_SERVE_DRAW_H
#define ORR_SERVE_DRAW_H

#include "base/rng.h"
#include <orrery/services.h>

#define ORR_DRAW_STEP UINT64_C(0x9e3779b97f4a7c15) /* from one state of a stream to the next */

/* The state before the n-th draw of a key's stream. */
static inline uint64_t orr_draw_at(uint64_t key, uint64_t n)
{
    return key + n * ORR_DRAW_STEP;
}

/* In (0, 1], so that its logarithm is finite. */
static inline double orr_draw_unit(uint64_t bits)
{
    return (double)((bits >> 11) + 1) * 0x1p-53;
}

/* The next one of a stream, in (0, 1]. */
static inline double orr_draw_next(uint64_t *state)
{
    const uint64_t bits = orr_mix64(*state);
    *state += ORR_DRAW_STEP;
    return orr_draw_unit(bits);
}

double orr_draw_exponential(uint64_t *state);      /* mean 1 */
double orr_draw_gamma(uint64_t *state, double cv); /* mean 1, cv > 0 */
/* A generator of GSL's that draws from `state`, in place: both must live as long as it is used. */
gsl_rng orr_draws_rng(uint64_t *state);

/* A law of scatter, ready to be drawn from. */
typedef struct orr_scattering {
    orr_scatter law;
    double cv;
    double centre; /* of a normal before it is cut off, so that the mean is 1 after; LOGNORMAL: of the logarithm */
    double width;  /* LOGNORMAL: deviation of the logarithm */
} orr_scattering;

orr_scattering orr_scattering_of(const orr_jitter *jitter);             /* a cv of 0 is no scatter */
double orr_scattering_draw(const orr_scattering *spread, uint64_t key); /* >= 0, mean 1 */

/* One of 1..n, the i-th with weight 1 / i^s. No table: memory and time don't grow with n. */
typedef struct orr_zipf {
    double n, s;
    double low, high; /* where the area under the hull of the weights begins and ends */
    double sure;      /* so near below a whole number it is taken without looking */
} orr_zipf;

orr_zipf orr_zipf_of(uint64_t n, double s); /* n >= 1, s >= 0 */
uint64_t orr_zipf_draw(const orr_zipf *zipf, uint64_t key);

#endif
