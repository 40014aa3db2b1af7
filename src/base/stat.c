/* Order statistics after Hyndman and Fan (1996), type 7; sums after Neumaier (1974). */
#include "base/stat.h"

#include "base/mem.h"
#include "base/radix.h"
#include <math.h>
#include <stdlib.h>

/* A total order, so that equal inputs sort to equal bytes: -0 before +0, NaN last. */
static int compare_doubles(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    if (a < b)
        return -1;
    if (a > b)
        return 1;
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    return !!signbit(b) - !!signbit(a);
}

static void sort_by_keys(double *v, size_t n)
{
    uint64_t *keys = orr_xmalloc(n * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = orr_radix_double(v[i]);
    orr_radix_sort(keys, NULL, n);
    for (size_t i = 0; i < n; i++)
        v[i] = orr_radix_double_back(keys[i]);
    free(keys);
}

enum { SHORT = 1000 }; /* below it comparing is faster */

void orr_sort_doubles(double *v, size_t n)
{
    if (n >= SHORT)
        sort_by_keys(v, n);
    else if (n > 1)
        qsort(v, n, sizeof *v, compare_doubles);
}

double orr_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0 || isnan(p))
        return NAN;
    if (p <= 0)
        return sorted[0];
    double h = (double)(n - 1) * p;
    size_t below = (size_t)h;
    if (p >= 1 || below + 1 >= n)
        return sorted[n - 1];
    double low = sorted[below], high = sorted[below + 1];
    return low == high ? low : low + (h - (double)below) * (high - low);
}

typedef struct compensated {
    double sum, lost;
} compensated;

static void add(compensated *c, double x)
{
    double sum = c->sum + x;
    c->lost += fabs(c->sum) >= fabs(x) ? (c->sum - sum) + x : (x - sum) + c->sum;
    c->sum = sum;
}

/* Once the sum is infinite the compensation is NaN and means nothing. */
static double total(compensated c)
{
    return isfinite(c.sum) ? c.sum + c.lost : c.sum;
}

double orr_sum(const double *v, size_t n)
{
    compensated c = {0, 0};
    for (size_t i = 0; i < n; i++)
        add(&c, v[i]);
    return total(c);
}

double orr_mean(const double *v, size_t n)
{
    return n ? orr_sum(v, n) / (double)n : NAN;
}

double orr_jain(const double *v, size_t n)
{
    if (n == 0)
        return NAN;
    compensated squares = {0, 0};
    for (size_t i = 0; i < n; i++)
        add(&squares, v[i] * v[i]);
    double sum = orr_sum(v, n), below = (double)n * total(squares);
    return below > 0 ? sum * sum / below : 1;
}
