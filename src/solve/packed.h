/* Programs of shares over jobs and pairs, made small: equal jobs are one class, equal rows of x one column, and
 * columns enter the linear program when its prices ask for them.
 *
 * Jobs are equal when each has the same speeds, GPUs and whatever else the program says (`mark`), and as many pairs
 * of each kind with jobs that are equal in turn: the coarsest equitable partition, by colour refinement. Averages of
 * a solution over a class solve the program as well as the solution itself (Grohe, Kersting, Mladenov and Selman,
 * "Dimension reduction via colour refinement", ESA'14), so the program over classes loses nothing. Colours are hashes
 * of 64 bits.
 */
#ifndef ORR_SOLVE_PACKED_H
#define ORR_SOLVE_PACKED_H

#include <orrery/shares.h>
#include <orrery/solve.h>

/* All x of equal jobs, or equal pairs, on one type. */
typedef struct orr_packed_column {
    int32_t a, b; /* classes; b -1: alone */
    int32_t type;
    int32_t members; /* so many x */
    int32_t at;      /* its number in the linear program; -1: not in it */
    double speed_a, speed_b;
    double gain;
} orr_packed_column;

typedef struct orr_packed {
    const orr_share_problem *problem;
    int32_t classes;
    int32_t *of;    /* [jobs] its class; classes are numbered by their first jobs */
    int32_t *first; /* [classes] that job */
    double *count;  /* [classes] jobs in it */
    double *best;   /* [classes] greatest speed that a job of it can have; 0: it can run nowhere */
    orr_packed_column *column;
    int32_t columns;
    int32_t *column_of; /* [(jobs + pairs) * types]; -1: it can't run so */
} orr_packed;

/* `mark` [jobs]: jobs of different marks are never equal; NULL: nothing else matters. `gain` as in
 * orr_shares_max_sum, or NULL. */
void orr_packed_init(orr_packed *c, const orr_share_problem *p, const uint64_t *mark, const double *gain);
void orr_packed_fini(orr_packed *c);
uint64_t orr_packed_mark(const double *values, int32_t n); /* for `mark`: of numbers that must all be equal */

/* The linear program over classes: maximise t (or gains) with
 *     sum over columns of time                        <= 1                     for each class, of one job's
 *     sum over columns of speed / unit[c] - rise[c] t >= least[c]              for each class with unit[c] > 0
 *     sum over columns of GPUs                        <= capacity              for each type
 * At first rise is 1 and least 0. The caller chooses units so that t is near 1. */
typedef struct orr_master {
    orr_packed *of;
    const double *unit;
    orr_lp *lp;
    int32_t t;
    int32_t *time_row, *speed_row, *type_row; /* -1: none */
    double *rise;                             /* [classes] */
    double gain_unit;                         /* 0: t is maximised */
    int32_t rounds;                           /* of column generation, in all solves */
} orr_master;

void orr_master_init(orr_master *m, orr_packed *of, const double *unit);
void orr_master_fini(orr_master *m);
void orr_master_rise(orr_master *m, int32_t class_, double rise);
void orr_master_least(orr_master *m, int32_t class_, double least);
void orr_master_maximise_gain(orr_master *m, double t); /* from now on, with t held at that */
/* False: no solution, or none better than what a limit left. */
bool orr_master_solve(orr_master *m);
double orr_master_t(const orr_master *m);
/* What t loses for one more of least[c]: >= 0, and positive only where the speed can't be greater than asked in any
 * best solution. */
double orr_master_price(const orr_master *m, int32_t class_);
/* Fills x with the solution, tidied: nothing below 1e-9, and limits kept. */
void orr_master_read(const orr_master *m, double *x);
/* Fills what the sum of gains loses for one more of each x, at the prices of the solution; INFINITY: it can't run
 * so. */
void orr_master_losses(const orr_master *m, double *loss);

#endif
