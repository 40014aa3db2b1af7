#include "predict/series.h"

/* What the square of the factor costs: without much evidence a difference fades at once. */
#define RIDGE 1.0

void orr_series_init(orr_series *s, int64_t period, double *means, int64_t *seen)
{
    *s = (orr_series){.period = period < 1 ? 1 : period, .means = means, .seen = seen};
}

void orr_series_put(orr_series *s, double value)
{
    int64_t place = s->count++ % s->period;
    bool known = s->seen[place] > 0;
    double difference = known ? value - s->means[place] : 0;
    if (known && s->differs) {
        s->products += difference * s->difference;
        s->squares += s->difference * s->difference;
    }
    s->seen[place]++;
    s->means[place] += (value - s->means[place]) / (double)s->seen[place];
    s->last = value;
    s->difference = difference;
    s->differs = known;
}

static double factor(const orr_series *s)
{
    double f = s->products / (s->squares + RIDGE);
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

void orr_series_next(const orr_series *s, int64_t n, double *out)
{
    double left = s->difference, fades = factor(s);
    for (int64_t i = 0; i < n; i++) {
        int64_t place = (s->count + i) % s->period;
        left *= fades;
        out[i] = s->seen[place] > 0 && s->differs ? s->means[place] + left : s->last;
    }
}
