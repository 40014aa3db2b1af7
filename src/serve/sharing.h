/* What batches that run at the same time do to each other. */
#ifndef ORR_SERVE_SHARING_H
#define ORR_SERVE_SHARING_H

#include "serve/serving.h"

#include <math.h>

/* How long work of so many seconds takes, up to the next nanosecond; less than a thousandth of one over is what doubles
 * left over. */
static inline orr_time orr_serving_span(double seconds)
{
    return (orr_time)ceil(seconds * 1e9 - 1e-3);
}

/* A new executor: who shares its GPU. */
void orr_serving_neighbours(orr_serving *s, orr_exec_id exec);
/* A batch has begun or ended on it: its own and its neighbours' rates. Only where `slows` is set. O(batches beside
 * it). */
void orr_serving_loaded(orr_serving *s, orr_exec_id exec);

#endif
