/* What a number that is looked at in regular steps will be: see <orrery/history.h>.
 *
 * Each place in the period has the mean of what was seen there in former periods. What the last value differs from its
 * mean by is expected to fade: by a factor a step, which a ridge regression of each difference on the one before finds.
 * Everything is learned from values that were added before: walk-forward.
 */
#ifndef ORR_PREDICT_SERIES_H
#define ORR_PREDICT_SERIES_H

#include <orrery/history.h>

struct orr_series {
    int64_t period, count;    /* values added so far */
    double last, difference;  /* of the last value from the mean of its place before it came */
    bool differs;             /* there was such a mean */
    double products, squares; /* of differences that follow each other */
    double *means;            /* [period] */
    int64_t *seen;            /* [period] */
};

/* `means` and `seen` are zeroed and the caller's. */
void orr_series_init(orr_series *s, int64_t period, double *means, int64_t *seen);
void orr_series_put(orr_series *s, double value);
/* The `n` values after the last one. */
void orr_series_next(const orr_series *s, int64_t n, double *out);

#endif
