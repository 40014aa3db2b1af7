/* The greatest level at which everybody's target speed can be met within a few capacities: what max-min shares,
 * finish-time fairness and each step of water filling come down to. A target is a speed that rises with the level;
 * the level is one number.
 */
#ifndef ORR_SOLVE_PRICES_H
#define ORR_SOLVE_PRICES_H

#include <orrery/api.h>

enum { ORR_PRICES_STEPS = 4000 }; /* passes over all jobs before the best so far is taken */

typedef struct orr_price_task {
    int32_t jobs, types;
    const double *speed; /* [jobs][types]; 0: it can't run there */
    const double *size;  /* [jobs]: GPUs, of all jobs that this one stands for */
    const double *room;  /* [types], > 0 */
    /* Fills target[jobs], and how fast each rises with the level there. Targets never fall as the level rises. */
    void (*targets)(const void *self, double level, double *target, double *rise);
    const void *self;
    double high; /* no level above this one is of use; every target there is within the job's greatest speed */
} orr_price_task;

typedef struct orr_price_answer {
    double level;
    bool full;     /* something stands in the way of more: `price` says what. False: `level` is `high` */
    double over;   /* greatest overload of a type that is left, as a part of its room; about 1e-12 */
    int32_t steps; /* passes over all jobs */
} orr_price_answer;

/* Fills x[jobs][types], price[types] (of a type's whole room; they sum to 1) and left[types], the part of the room
 * that x leaves free. At these prices what the targets cost at the least is what there is to pay with: nobody whose
 * target costs more the more it rises can rise without another's fall. */
orr_price_answer orr_prices_raise(const orr_price_task *task, double *x, double *price, double *left);

/* The mix of types that gives a job the speed `target` for the least money: at most two types. */
typedef struct orr_mix {
    int32_t slow, fast;          /* -1: idle; fast = -1: nothing is needed */
    double slow_part, fast_part; /* of its time */
    double cost, slope;          /* of one GPU; what a little more speed costs more */
    double step;                 /* how much of its time goes over to `fast` for one more unit of speed */
} orr_mix;
orr_mix orr_mix_cheapest(const double *speed, const double *price, int32_t types, double target);

/* The least v that a mix of the rows has: sum over i of part[i] * cost[i][k] <= v for each column k, parts that sum to
 * 1. Fills at most types + 1 rows and parts, returns how many; price[types] are the duals, which sum to 1: no row
 * costs less than v at them. */
int32_t orr_game_solve(const double *cost, int32_t rows, int32_t types, double *v, double *price, int32_t *row,
                       double *part);

#endif
