/* Random problems of shares, and what every answer must keep. */
#ifndef TESTS_SOLVE_SHARES_RANDOM_H
#define TESTS_SOLVE_SHARES_RANDOM_H

#include "base/rng.h"

#include <orrery/shares.h>
#include <orrery/solve.h>

enum { RANDOM_JOBS = 400, RANDOM_TYPES = 16 };

typedef struct random_shares {
    orr_share_problem p;
    double speed[RANDOM_JOBS * RANDOM_TYPES], gpus[RANDOM_JOBS], capacity[RANDOM_TYPES];
    double need[RANDOM_JOBS], weight[RANDOM_JOBS];
    double x[RANDOM_JOBS * RANDOM_TYPES];
} random_shares;

/* A number of 0 to 1, the same for equal seeds. */
double random_unit(uint64_t *seed);
/* Jobs of 1 to 8 GPUs on types of unlike size. Every third seed has whole numbers, where much is equal and
 * degenerate; every fourth jobs and types that are of no use. `scarce`: GPUs that are wanted for each that there is. */
void random_shares_make(random_shares *r, uint64_t seed, int32_t jobs, int32_t types, double scarce);
/* Parts of 0 to 1, none of them below 1e-10, rows of at most 1, types within their capacity. */
void random_shares_check(const random_shares *r);
/* A plain linear program over all x: columns job * types + type, rows jobs then types. */
orr_lp *random_shares_program(const random_shares *r);
/* Greatest t with thr_j >= base_j + t * rate_j for all, by that program. */
double random_shares_greatest(const random_shares *r, const double *base, const double *rate);

#endif
