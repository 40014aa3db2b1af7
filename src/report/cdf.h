/* A distribution as a curve of bounded length: the share of the values at or below x, exact at every point that it has.
 */
#ifndef ORR_REPORT_CDF_H
#define ORR_REPORT_CDF_H

#include "base/mem.h"

typedef ORR_VEC(double) orr_values;
void orr_values_sort(orr_values *v);

enum { ORR_CURVE_POINTS = 240 };

/* A point for each distinct value if there are at most that many values; else the least, and quantiles a 240th
 * apart. */
typedef struct orr_cdf {
    double x[ORR_CURVE_POINTS + 2], share[ORR_CURVE_POINTS + 2];
    size_t n;
    size_t values;
} orr_cdf;

/* Of sorted values; empty for none. */
orr_cdf orr_cdf_of(const double *sorted, size_t n);
/* Goes on at its height up to `x`: to be called once at most. */
void orr_cdf_reach(orr_cdf *cdf, double x);

#endif
