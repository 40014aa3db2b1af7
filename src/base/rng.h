/* Random numbers: named sub-streams of one master seed, by GSL's generators (ranlxd2's quality isn't needed; mt19937 is
 * used), so that changing the policy doesn't change the workload and adding a stream shifts none.
 */
#ifndef ORR_BASE_RNG_H
#define ORR_BASE_RNG_H

#include <orrery/api.h>
#include <gsl/gsl_rng.h>

/* Deterministic 64-bit mixing (SplitMix64) and a hash of bytes; both the same on every machine. */
uint64_t orr_mix64(uint64_t x);
uint64_t orr_hash64(uint64_t seed, const void *data, size_t n);

/* A stream for `name` under `master`; free with gsl_rng_free. Never NULL. Also sets GSL's error handler off, once. */
gsl_rng *orr_rng_create(uint64_t master, const char *name);
/* Standard normal from a key alone, without a stream. */
double orr_gaussian_of(uint64_t key);

#endif
