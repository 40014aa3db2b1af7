/* Runs on two nodes of unlike GPUs, with speeds from a table. */
#ifndef TESTS_POLICIES_TWO_TYPES_H
#define TESTS_POLICIES_TWO_TYPES_H

#include "run.h"

typedef struct ran {
    run *r;
    orr_trace *trace; /* its records point into it */
} ran;

/* One node of `a` GPUs of type A, and one of `b` of type B; b 0: no such node. */
orr_cluster_spec *two_types(int32_t a, int32_t b);
/* On these, by the throughputs of `table` (FILE[,reference=TYPE]). Takes the trace over. */
ran two_types_run(const char *table, orr_trace *trace, int32_t a, int32_t b, const char *policy);
void ran_free(ran *it);

#endif
