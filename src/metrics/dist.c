/* Means are sums over ascending values with compensation, divided once. */
#include "metrics/dist.h"

#include "base/mem.h"
#include "base/stat.h"
#include <math.h>
#include <stdlib.h>

orr_dist orr_dist_none(void)
{
    return (orr_dist){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

orr_dist orr_dist_of(double *samples, size_t n)
{
    if (n == 0)
        return orr_dist_none();
    orr_sort_doubles(samples, n);
    double sum = orr_sum(samples, n);
    return (orr_dist){
        .n = n,
        .mean = sum / (double)n,
        .p50 = orr_quantile(samples, n, 0.50),
        .p90 = orr_quantile(samples, n, 0.90),
        .p95 = orr_quantile(samples, n, 0.95),
        .p99 = orr_quantile(samples, n, 0.99),
        .max = samples[n - 1],
        .sum = sum,
    };
}

double orr_geomean(const double *samples, size_t n)
{
    if (n == 0)
        return NAN;
    double *logs = orr_xmalloc(n * sizeof *logs);
    for (size_t i = 0; i < n; i++)
        logs[i] = log(samples[i]);
    double mean = orr_sum(logs, n) / (double)n;
    free(logs);
    return exp(mean);
}
