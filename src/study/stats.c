#include "study/stats.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/stat.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

static double deviation(const double *v, size_t n, double mean)
{
    double *squares = orr_xmalloc((n + 1) * sizeof *squares);
    for (size_t i = 0; i < n; i++)
        squares[i] = (v[i] - mean) * (v[i] - mean);
    const double sum = orr_sum(squares, n);
    free(squares);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

orr_sample orr_sample_of(const double *v, size_t n)
{
    orr_sample s = {.n = n, .mean = orr_mean(v, n), .low = NAN, .high = NAN, .min = NAN, .max = NAN};
    s.sd = deviation(v, n, s.mean);
    for (size_t i = 0; i < n; i++) {
        s.min = fmin(s.min, v[i]);
        s.max = fmax(s.max, v[i]);
    }
    if (n < ORR_STATS_LEAST)
        return s;
    const double half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * s.sd / sqrt((double)n);
    s.low = s.mean - half;
    s.high = s.mean + half;
    return s;
}

orr_signs orr_signs_of(const double *v, size_t n)
{
    orr_signs s = {0};
    for (size_t i = 0; i < n; i++) {
        s.above += v[i] > 0;
        s.below += v[i] < 0;
        s.zero += v[i] == 0;
    }
    return s;
}

/* ---- bootstrap ---- */

struct orr_bootstrap {
    uint64_t master;
    size_t n;        /* what `draws` is for */
    uint32_t *draws; /* resample by resample, n indices each */
    double *means;   /* one a resample, scratch */
};

orr_bootstrap *orr_bootstrap_create(uint64_t master)
{
    orr_bootstrap *b = orr_xcalloc(1, sizeof *b);
    b->master = master;
    b->means = orr_xcalloc(ORR_STATS_RESAMPLES, sizeof *b->means);
    return b;
}

void orr_bootstrap_destroy(orr_bootstrap *b)
{
    if (!b)
        return;
    free(b->draws);
    free(b->means);
    free(b);
}

static void draw(orr_bootstrap *b, size_t n)
{
    char name[48];
    snprintf(name, sizeof name, "bootstrap %zu", n);
    gsl_rng *rng = orr_rng_create(b->master, name);
    b->n = n;
    b->draws = orr_xrealloc(b->draws, n * ORR_STATS_RESAMPLES, sizeof *b->draws);
    for (size_t i = 0; i < n * ORR_STATS_RESAMPLES; i++)
        b->draws[i] = (uint32_t)gsl_rng_uniform_int(rng, (unsigned long)n);
    gsl_rng_free(rng);
}

void orr_bootstrap_mean(orr_bootstrap *b, const double *v, size_t n, double *low, double *high)
{
    *low = *high = NAN;
    if (n < ORR_STATS_LEAST)
        return;
    if (b->n != n)
        draw(b, n);
    for (size_t r = 0; r < ORR_STATS_RESAMPLES; r++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += v[b->draws[r * n + i]];
        b->means[r] = sum / (double)n;
    }
    orr_sort_doubles(b->means, ORR_STATS_RESAMPLES);
    *low = orr_quantile(b->means, ORR_STATS_RESAMPLES, 0.025);
    *high = orr_quantile(b->means, ORR_STATS_RESAMPLES, 0.975);
}
