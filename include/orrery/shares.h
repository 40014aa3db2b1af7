/* Shares of time: how much of its time each job should spend on each GPU type (Gavel, Narayanan et al., OSDI'20,
 * section 4).
 *
 * x[job][type] is a part of time, 0..1. A gang runs on one type at a time. The limits that every program keeps:
 *     sum over types of x[j][k]          <= 1            for each job
 *     sum over jobs of gpus[j] * x[j][k] <= capacity[k]  for each type
 * Its effective speed is thr_j = sum over types of speed[j][k] * x[j][k].
 *
 * Two jobs of equal gangs can take turns of the same GPUs together: a pair is one more row of x, behind those of the
 * jobs, which counts once against the capacity, for both against their time, and gives each its own speed.
 *
 * Speeds are of any unit, one a job: steps a second, or parts of what was recorded; each program says where that
 * matters. Every program is deterministic, and each that says so has a unique answer for the effective speeds; x itself
 * may not be.
 */
#ifndef ORRERY_SHARES_H
#define ORRERY_SHARES_H

#include <orrery/api.h>

typedef struct orr_share_pair {
    int32_t a, b; /* jobs of equal gangs */
} orr_share_pair;

typedef struct orr_share_problem {
    int32_t jobs, types, pairs;
    const double *speed;          /* [jobs][types]; 0: it can't run there */
    const double *gpus;           /* [jobs] */
    const double *capacity;       /* [types] */
    const orr_share_pair *pair;   /* [pairs] */
    const double *pair_speed;     /* [pairs][types][2]: of a, of b; either 0: they can't run so */
} orr_share_problem;

/* For finish-time fairness: of each job, in seconds (speeds are then per second of `left`). */
typedef struct orr_share_finish {
    double elapsed;        /* since it arrived */
    double left;           /* work left; left / speed are seconds */
    double isolated;       /* seconds that it would have needed so far with its even share */
    double isolated_speed; /* effective speed with its even share */
} orr_share_finish;

/* For filling: each job's level is thr_j / need_j, which rises by weight_j. */
typedef struct orr_share_fill {
    const double *need;          /* [jobs], > 0 */
    const double *weight;        /* [jobs], > 0 */
    const int32_t *entity;       /* [jobs]; NULL: no entities */
    const double *entity_weight; /* [entities], > 0 */
    int32_t entities;
    /* inside an entity the oldest (least index) that can still rise does, alone; else all do, by weight */
    bool fifo;
} orr_share_fill;

ORR_BEGIN

/* The even split: x[j][k] = capacity[k] / jobs / gpus[j], a row of more than 1 scaled down to it. */
ORR_API void orr_shares_even(const orr_share_problem *p, double *x);
ORR_API double orr_shares_speed(const orr_share_problem *p, const double *x, int32_t job); /* thr_j, pairs included */

/* Greatest t with thr_j >= t * need[j] (>= 0) for every job. x reaches it with as little as it takes, and gives nothing
 * to jobs without need; INFINITY where nobody needs anything. A job that can run nowhere but needs something: 0, and x
 * is that of the others. Shortest time to finish work left[j] is 1 / t for need = left. Without pairs: prices of the
 * types by cutting planes, O(jobs types^2) a step, exact to some 1e-12, x to 1e-9; with pairs a linear program by
 * column generation. */
ORR_API double orr_shares_max_min(const orr_share_problem *p, const double *need, double *x);
/* Least rho with (elapsed + left / thr_j) <= rho * (isolated + left / isolated_speed) for every job with work left and
 * an even share. INFINITY: some job with work left can run nowhere, and x is that of the others. */
ORR_API double orr_shares_finish(const orr_share_problem *p, const orr_share_finish *about, double *x);
/* Progressive filling: raises the levels of all at their weights as far as it goes, then of those that can still rise,
 * and so on until nobody can. The effective speeds are unique: lexicographically greatest. Without pairs as many steps
 * as there are types. */
ORR_API void orr_shares_fill(const orr_share_problem *p, const orr_share_fill *how, double *x);
/* Greatest sum of gain over rows and types, gain[(jobs + pairs)][types] for each unit of x, with thr_j >= floor[j]
 * where `floor` isn't NULL. False: the floors can't be kept, and x is not set. A linear program over classes of equal
 * jobs. */
ORR_API bool orr_shares_max_sum(const orr_share_problem *p, const double *gain, const double *floor, double *x);
/* And of each x what the sum would lose, at the prices of this optimum, for a whole unit more of it: 0 for those in
 * use, INFINITY for those that can't be (loss[(jobs + pairs)][types]). By it those that have nothing stand in an
 * order. */
ORR_API bool orr_shares_max_sum_losses(const orr_share_problem *p, const double *gain, const double *floor, double *x,
                                       double *loss);

ORR_END
#endif
