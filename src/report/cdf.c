#include "report/cdf.h"

#include "base/stat.h"

void orr_values_sort(orr_values *v)
{
    orr_sort_doubles(v->at, v->n);
}

/* Of equal values the last counts: the curve is at its height from there on. */
static void add_point(orr_cdf *c, double x, double share)
{
    if (c->n && c->x[c->n - 1] >= x)
        c->n--;
    c->x[c->n] = x;
    c->share[c->n++] = share;
}

orr_cdf orr_cdf_of(const double *sorted, size_t n)
{
    orr_cdf c = {.values = n};
    for (size_t i = 0; n <= ORR_CURVE_POINTS && i < n; i++)
        add_point(&c, sorted[i], (double)(i + 1) / (double)n);
    for (size_t i = 0; n > ORR_CURVE_POINTS && i <= ORR_CURVE_POINTS; i++) {
        const double p = (double)i / ORR_CURVE_POINTS;
        add_point(&c, orr_quantile(sorted, n, p), p);
    }
    return c;
}

void orr_cdf_reach(orr_cdf *c, double x)
{
    if (c->n && x > c->x[c->n - 1])
        add_point(c, x, c->share[c->n - 1]);
}
