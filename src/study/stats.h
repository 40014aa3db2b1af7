/* Statistics of repeats: what a mean over seeds is worth, and whether two configurations differ. All take plain arrays
 * of finite numbers and ask nothing of their order.
 *
 * Intervals are at 95 %. Below ORR_STATS_LEAST values none is made: so few are better shown one by one.
 */
#ifndef ORR_STUDY_STATS_H
#define ORR_STUDY_STATS_H

#include <orrery/api.h>

#define ORR_STATS_LEAST 5

/* NaN where undefined: the mean of nothing, the deviation of one, the interval of fewer than ORR_STATS_LEAST. */
typedef struct orr_sample {
    size_t n;
    double mean, sd;  /* sd with n - 1 */
    double low, high; /* Student's t: mean -+ t(0.975, n - 1) * sd / sqrt(n) */
    double min, max;
} orr_sample;
orr_sample orr_sample_of(const double *v, size_t n);

/* Signs of differences: how many are above, below and at 0. */
typedef struct orr_signs {
    size_t above, below, zero;
} orr_signs;
orr_signs orr_signs_of(const double *v, size_t n);

/* Bootstrap of a mean, percentile method, 2,000 resamples from the stream "bootstrap N" of a master seed: which
 * values a resample takes depends on their number alone, so that equal data have equal intervals wherever they stand,
 * and thousands of them cost sums only. */
#define ORR_STATS_RESAMPLES 2000
typedef struct orr_bootstrap orr_bootstrap;
orr_bootstrap *orr_bootstrap_create(uint64_t master);
void orr_bootstrap_destroy(orr_bootstrap *b); /* takes NULL */
/* NaN, NaN for fewer than ORR_STATS_LEAST values. O(n * resamples); the first call for an n also draws. */
void orr_bootstrap_mean(orr_bootstrap *b, const double *v, size_t n, double *low, double *high);

#endif
