#include "study/verdict.h"

#include "base/stat.h"
#include <math.h>

const char *orr_verdict_name(orr_verdict verdict)
{
    static const char *const names[ORR_VERDICTS] = {"same", "improved", "changed", "regressed", "not comparable"};
    return names[verdict];
}

static orr_verdict by_direction(double difference, orr_direction direction)
{
    if (direction == ORR_BETTER_TARGET)
        return ORR_VERDICT_CHANGED;
    return (difference < 0) == (direction == ORR_BETTER_LOWER) ? ORR_VERDICT_IMPROVED : ORR_VERDICT_REGRESSED;
}

/* Few seeds can't speak for an interval: any pair outside counts, and its direction is that of the mean. */
static orr_verdict by_pairs(const orr_judgement *j, orr_direction direction, double band)
{
    if (j->outside == 0)
        return ORR_VERDICT_SAME;
    return fabs(j->difference) > band ? by_direction(j->difference, direction) : ORR_VERDICT_CHANGED;
}

/* The mean has moved where all that it may be lies on one side of the band. */
static orr_verdict by_interval(const orr_judgement *j, orr_direction direction, double band)
{
    if (j->outside > 0 && (j->low > band || j->high < -band))
        return by_direction(j->difference, direction);
    return ORR_VERDICT_SAME;
}

static bool undefined_in_one(const double *want, const double *got, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(want[i]) != isnan(got[i]))
            return true;
    return n == 0;
}

/* The pairs that are numbers: their means, differences, and how many are outside. Returns how many. */
static size_t compare_pairs(orr_judgement *j, const double *want, const double *got, size_t n, const orr_tolerance *t)
{
    double *w = orr_xmalloc(3 * n * sizeof *w), *g = w + n, *d = g + n;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(want[i]))
            continue;
        w[k] = want[i];
        g[k] = got[i];
        d[k] = got[i] - want[i];
        j->outside += fabs(d[k]) > orr_tolerance_band(t, want[i]);
        k++;
    }
    const orr_sample s = orr_sample_of(d, k);
    j->want = orr_mean(w, k);
    j->got = orr_mean(g, k);
    j->difference = k == 1 ? d[0] : s.mean;
    j->low = s.low;
    j->high = s.high;
    j->signs = orr_signs_of(d, k);
    free(w);
    return k;
}

orr_judgement orr_judge(const double *want, const double *got, size_t n, orr_direction direction,
                        const orr_tolerance *tolerance)
{
    orr_judgement j = {.verdict = ORR_VERDICT_NOT_COMPARABLE, .want = NAN, .got = NAN, .difference = NAN,
                       .relative = NAN, .low = NAN, .high = NAN};
    if (undefined_in_one(want, got, n))
        return j;
    const size_t pairs = compare_pairs(&j, want, got, n, tolerance);
    const double band = orr_tolerance_band(tolerance, j.want);
    j.relative = fabs(j.want) > 0 ? j.difference / fabs(j.want) : NAN;
    if (pairs == 0)
        j.verdict = ORR_VERDICT_SAME;
    else if (pairs < ORR_STATS_LEAST || direction == ORR_BETTER_TARGET)
        j.verdict = by_pairs(&j, direction, band);
    else
        j.verdict = by_interval(&j, direction, band);
    return j;
}
