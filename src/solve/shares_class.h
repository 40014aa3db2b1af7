/* Equal jobs taken together, and only what matters of a problem of shares: the types that have room, the jobs that
 * need something and can run. */
#ifndef ORR_SOLVE_SHARES_CLASS_H
#define ORR_SOLVE_SHARES_CLASS_H

#include <orrery/shares.h>

typedef struct orr_share_classes {
    int32_t count, types;
    int32_t *type;   /* [types]: its number in the problem */
    int32_t *of;     /* [jobs] of the problem: its class; -1: left out */
    int32_t *first;  /* [count]: the least job of each */
    int32_t *jobs;   /* [count]: how many */
    double *speed;   /* [count][types] */
    double *fastest; /* [count]: greatest of these */
    double *size;    /* [count]: GPUs of all its jobs */
    double *room;    /* [types] */
} orr_share_classes;

/* The greatest speed a job has on types with room. */
double orr_share_fastest(const orr_share_problem *p, int32_t job);
/* Jobs are equal if their speeds, gangs and keys are: key[jobs][width]. Jobs that can run nowhere, or whose first key
 * is 0, are left out. O(jobs). */
void orr_share_classes_init(orr_share_classes *c, const orr_share_problem *p, const double *key, int32_t width);
void orr_share_classes_fini(orr_share_classes *c);
/* Hands each job the share of its class, the others nothing, and makes the result keep the limits to the last digit:
 * parts below 1e-9 are dropped, rows and types that are over by rounding are scaled down. */
void orr_share_classes_hand_out(const orr_share_classes *c, const orr_share_problem *p, const double *share, double *x);

#endif
