/* Service in batches. The chain: requests that wait when a batch has ended. From n >= 1 the next batch is min(n,
 * most), the next state n - batch plus a Poisson number; from 0 as from 1. States go down by `most` at most and up
 * by as many arrivals as are likely, so that the chain is a band. Its stationary probabilities by state reduction
 * from the top (Grassmann, Taksar and Heyman): no differences anywhere, so that each comes out to a few units of the
 * last place. */
#include <orrery/queueing.h>

#include "base/mem.h"

#include <gsl/gsl_randist.h>
#include <math.h>

typedef struct band {
    int64_t states;
    int64_t down, up; /* a state n has n - down .. n + up */
    double *p;        /* [states][down + 1 + up] */
} band;

static double *at(const band *b, int64_t from, int64_t to)
{
    return b->p + from * (b->down + 1 + b->up) + (to - from + b->down);
}

/* Arrivals beyond which there are fewer than 1e-20 of the cases. */
static int64_t arrivals_most(double mean)
{
    int64_t k = (int64_t)mean + 1;
    for (double p = gsl_ran_poisson_pdf((unsigned)k, mean); p > 1e-20; k++)
        p *= mean / (double)(k + 1);
    return k;
}

/* States beyond which less than 1e-18 of the probability lies; < 0: too many. Far up it falls by a factor each
 * state, whose log is the root x > 0 of most x = mean (e^x - 1). */
static int64_t states_needed(double mean, int32_t most, int64_t up)
{
    double low = log(most / mean), high = 1; /* at low the left side is ahead the most */
    while (most * high > mean * expm1(high))
        high *= 2;
    for (int i = 0; i < 200; i++) {
        const double mid = 0.5 * (low + high);
        if (most * mid > mean * expm1(mid))
            low = mid;
        else
            high = mid;
    }
    const double states = (double)(most + up) + 42 / low;
    return states < ORR_BULK_STATES ? (int64_t)states + 1 : -1;
}

static int32_t batch_from(int64_t state, int32_t most)
{
    const int64_t waiting = state > 1 ? state : 1;
    return (int32_t)(waiting < most ? waiting : most);
}

/* pmf[k]: k arrivals during the batch. What would go beyond the last state goes there. */
static void fill_row(const band *b, int64_t from, int32_t batch, const double *pmf)
{
    const int64_t base = from > batch ? from - batch : 0;
    for (int64_t k = 0; k <= from + b->up - base; k++) {
        const int64_t to = base + k < b->states - 1 ? base + k : b->states - 1;
        *at(b, from, to) += pmf[k];
    }
}

static void fill(const band *b, double rate, const double *seconds, int32_t most)
{
    double *pmf = orr_xcalloc((size_t)(b->up + most + 1), sizeof *pmf);
    for (int64_t n = 0; n < b->states; n++) {
        const int32_t batch = batch_from(n, most);
        for (int64_t k = 0; k <= b->up + most && n <= most; k++)
            pmf[k] = gsl_ran_poisson_pdf((unsigned)k, rate * seconds[batch - 1]);
        fill_row(b, n, batch, pmf);
    }
    free(pmf);
}

/* Takes the states away from the top down; pi[n] is then the flow into n from below for each visit below. */
static void reduce(const band *b)
{
    for (int64_t n = b->states - 1; n > 0; n--) {
        const int64_t least = n > b->down ? n - b->down : 0, from = n > b->up ? n - b->up : 0;
        double leaves = 0;
        for (int64_t j = least; j < n; j++)
            leaves += *at(b, n, j);
        for (int64_t i = from; i < n; i++) {
            double *in = at(b, i, n);
            *in /= leaves;
            for (int64_t j = least; j < n && *in > 0; j++)
                *at(b, i, j) += *in * *at(b, n, j);
        }
    }
}

static void stationary(const band *b, double *pi)
{
    pi[0] = 1;
    for (int64_t n = 1; n < b->states; n++) {
        pi[n] = 0;
        for (int64_t i = n > b->up ? n - b->up : 0; i < n; i++)
            pi[n] += pi[i] * *at(b, i, n);
    }
}

/* Means over a cycle: an idle gap where nobody waits, then a batch; requests arrive evenly through it. */
static orr_bulk means(double rate, const double *seconds, int32_t most, const double *pi, int64_t states)
{
    double busy = 0, served = 0, area = 0;
    for (int64_t n = 0; n < states; n++) {
        const int32_t batch = batch_from(n, most);
        const double s = seconds[batch - 1], there = (double)(n > 1 ? n : 1);
        busy += pi[n] * s;
        served += pi[n] * batch;
        area += pi[n] * s * (there + rate * s / 2);
    }
    double all = 0;
    for (int64_t n = 0; n < states; n++)
        all += pi[n];
    const double cycle = busy + pi[0] / rate;
    return (orr_bulk){busy / cycle, served / all, area / cycle / rate, area / cycle};
}

static double longest(const double *seconds, int32_t most)
{
    double s = 0;
    for (int32_t i = 0; i < most; i++)
        s = fmax(s, seconds[i]);
    return s;
}

bool orr_bulk_service(double rate, const double *seconds, int32_t most, orr_bulk *out)
{
    const double mean = rate * seconds[most - 1];
    if (rate <= 0 || mean >= most)
        return false;
    band b = {.down = most, .up = arrivals_most(rate * longest(seconds, most))};
    b.states = states_needed(mean, most, b.up);
    if (b.states < 0)
        return false;
    b.p = orr_xcalloc((size_t)b.states * (size_t)(b.down + 1 + b.up), sizeof *b.p);
    double *pi = orr_xcalloc((size_t)b.states, sizeof *pi);
    fill(&b, rate, seconds, most);
    reduce(&b);
    stationary(&b, pi);
    *out = means(rate, seconds, most, pi, b.states);
    free(pi);
    free(b.p);
    return true;
}
