/* Random numbers: a stream's seed is a hash of its name and the master seed.
 *
 * The mixing function is SplitMix64 (Steele, Lea, Flood 2014). The normal deviate is the cosine half of Box and Muller.
 */
#include "base/rng.h"

#include "base/mem.h"

#include <gsl/gsl_errno.h>
#include <math.h>

uint64_t orr_mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Up to eight bytes, the first the lowest, whatever the machine's byte order. */
static uint64_t word_of(const unsigned char *bytes, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t orr_hash64(uint64_t seed, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    uint64_t h = orr_mix64(seed ^ orr_mix64(n));
    for (size_t i = 0; i < n; i += 8)
        h = orr_mix64(h ^ word_of(bytes + i, n - i < 8 ? n - i : 8));
    return h;
}

gsl_rng *orr_rng_create(uint64_t master, const char *name)
{
    gsl_set_error_handler_off();
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        orr_out_of_memory(0);
    gsl_rng_set(rng, (unsigned long)(orr_hash64(master, name, strlen(name)) & 0xffffffffu));
    return rng;
}

double orr_gaussian_of(uint64_t key)
{
    const double two_pi = 6.283185307179586;
    const double unit = 0x1p-53;
    double radius_at = (double)((orr_mix64(key) >> 11) + 1) * unit; /* in (0, 1], so that the logarithm is finite */
    double angle_at = (double)(orr_mix64(key ^ UINT64_C(0xa5a5a5a5a5a5a5a5)) >> 11) * unit;
    return sqrt(-2.0 * log(radius_at)) * cos(two_pi * angle_at);
}
