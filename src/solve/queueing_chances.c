/* LRU caches (Che, Tung and Wang 2002: an object stays for one and the same time after it was asked for, long enough
 * that the cache is full), majority votes, parity groups (Kosaian et al. 2019). */
#include <orrery/queueing.h>

#include "base/mem.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

/* ---- LRU ---- */

/* Objects in the cache if each stays for `age` after it was asked for; and the hits, if `hits`. */
static double kept(const double *popularity, size_t n, double age, bool hits)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (hits ? popularity[i] : 1) * -expm1(-popularity[i] * age);
    return sum;
}

double orr_lru_hits(const double *popularity, size_t n, double room)
{
    double all = 0, asked = 0;
    for (size_t i = 0; i < n; i++) {
        all += popularity[i];
        asked += popularity[i] > 0;
    }
    if (room >= asked)
        return 1;
    if (room <= 0)
        return 0;
    double low = 0, high = room / all;
    while (kept(popularity, n, high, false) < room)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        const double mid = 0.5 * (low + high);
        if (kept(popularity, n, mid, false) < room)
            low = mid;
        else
            high = mid;
    }
    return kept(popularity, n, high, true) / all;
}

double orr_lru_hits_zipf(int64_t n, double exponent, double room)
{
    double *popularity = orr_xmalloc((size_t)n * sizeof *popularity);
    for (int64_t i = 0; i < n; i++)
        popularity[i] = pow((double)(i + 1), -exponent);
    const double hits = orr_lru_hits(popularity, (size_t)n, room);
    free(popularity);
    return hits;
}

/* ---- votes, codes ---- */

double orr_majority_right(int32_t voters, double right)
{
    const unsigned n = (unsigned)voters;
    const double more = gsl_cdf_binomial_Q(n / 2, right, n);
    return n % 2 ? more : more + 0.5 * gsl_ran_binomial_pdf(n / 2, right, n);
}

double orr_parity_lost(int32_t k, double missing)
{
    return missing * -expm1(k * log1p(-missing));
}
