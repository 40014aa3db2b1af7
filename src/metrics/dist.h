/* A distribution from samples: ascending sums and type 7 quantiles, so that the order of arrival doesn't show. */
#ifndef ORR_METRICS_DIST_H
#define ORR_METRICS_DIST_H

#include <orrery/metrics.h>

orr_dist orr_dist_none(void);                       /* n = 0, the rest NaN */
orr_dist orr_dist_of(double *samples, size_t n);    /* sorts them in place */
double orr_geomean(const double *samples, size_t n); /* NaN if n = 0 */

#endif
