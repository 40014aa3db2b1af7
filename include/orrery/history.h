/* A walk-forward store for estimators: what was seen so far, averaged by key. It starts empty, so that nothing can be known
 * before it happened. Keys are texts of the estimator's own making; they are copied. O(1) expected. */
#ifndef ORRERY_HISTORY_H
#define ORRERY_HISTORY_H

#include <orrery/policy.h>

ORR_BEGIN

ORR_API void orr_history_add(orr_ctx *ctx, const char *key, double value);
/* Mean of what was added under the key; 0 values: false. */
ORR_API bool orr_history_mean(orr_ctx *ctx, const char *key, double *mean);

ORR_END
#endif
