/* Statistics over arrays: exact order statistics and compensated sums. */
#ifndef ORR_BASE_STAT_H
#define ORR_BASE_STAT_H

#include <orrery/api.h>

void orr_sort_doubles(double *v, size_t n);
/* Type 7 quantile of ascending values, p in [0,1]; NaN if n = 0. */
double orr_quantile(const double *sorted, size_t n, double p);
/* Sum with Neumaier's compensation in the given order. */
double orr_sum(const double *v, size_t n);
double orr_mean(const double *v, size_t n); /* NaN if n = 0 */
/* (sum)^2 / (n * sum of squares); NaN if n = 0, 1 if all are 0. */
double orr_jain(const double *v, size_t n);

#endif
