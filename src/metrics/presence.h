/* How many jobs were there while a job was there.
 *
 * A stay is the interval [from, to) between a job's submission and its end in one pool. For each stay, the integral
 * over it of the number of stays of its pool that are present (itself included); divided by its length that is the
 * average company N of `rho:avg_n`. O(n), exact.
 */
#ifndef ORR_METRICS_PRESENCE_H
#define ORR_METRICS_PRESENCE_H

#include "base/assert.h"
#include <orrery/time.h>

typedef struct orr_stay {
    orr_time from, to; /* from <= to */
    int32_t pool;      /* 0 … pools - 1 */
    orr_wide company;  /* out */
} orr_stay;

/* At most 2^32 - 1 stays. */
void orr_presence(orr_stay *stays, size_t n, int32_t pools);

#endif
