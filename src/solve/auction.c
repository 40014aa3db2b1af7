/* Partial allocation: a knapsack with one choice a bidder over logarithms of values. With tables of the best that the
 * bidders from i on can reach with what is left, and the best of those before i, the optimum without i is one walk. */
#include "base/mem.h"
#include "base/assert.h"

#include <orrery/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT ((int64_t)1 << 24) /* bids x offer */
#define CLOSE 1e-9               /* a part this near to 1 is rounding */

typedef struct auction {
    const orr_bidder *bidders;
    int32_t n, offer;
    int32_t *bid; /* the answer */
    double *keeps;
} auction;

static double gain(const orr_bidder *b, int32_t bid)
{
    return log(b->bids[bid].value);
}

static void keep(const auction *a, int32_t i, double others, double without)
{
    double part = exp(others - without);
    a->keeps[i] = part > 1 - CLOSE ? 1 : part;
}

/* ---- exact ------------------------------------------------------------------------------------------------------- */

/* The best of one bidder's bids before `rest`, the best of the others, at each amount. */
static void extend(const orr_bidder *b, const double *rest, int32_t offer, double *best)
{
    for (int32_t c = 0; c <= offer; c++)
        best[c] = -INFINITY;
    for (int32_t k = 0; k < b->n; k++) {
        const double own = gain(b, k);
        const int32_t count = b->bids[k].count;
        for (int32_t c = count; c <= offer; c++)
            best[c] = fmax(best[c], own + rest[c - count]);
    }
}

/* tails[i]: the best of bidders i to n - 1. Of equal choices the one that gives more to the first. */
static void choose(const auction *a, double *const *tails)
{
    int32_t left = a->offer;
    for (int32_t i = 0; i < a->n; i++) {
        const orr_bidder *b = &a->bidders[i];
        a->bid[i] = 0;
        for (int32_t k = b->n - 1; k >= 0; k--) {
            const int32_t count = b->bids[k].count;
            if (count > left || gain(b, k) + tails[i + 1][left - count] < tails[i][left])
                continue;
            a->bid[i] = k;
            break;
        }
        left -= b->bids[a->bid[i]].count;
    }
}

static void charge(const auction *a, double *const *tails)
{
    const size_t room = (size_t)a->offer + 1;
    double total = 0, *heads = orr_xcalloc(room, sizeof *heads), *next = orr_xcalloc(room, sizeof *next);
    for (int32_t i = 0; i < a->n; i++)
        total += gain(&a->bidders[i], a->bid[i]);
    for (int32_t i = 0; i < a->n; i++) {
        double without = -INFINITY, *before = heads;
        for (int32_t c = 0; c <= a->offer; c++)
            without = fmax(without, heads[c] + tails[i + 1][a->offer - c]);
        keep(a, i, total - gain(&a->bidders[i], a->bid[i]), without);
        extend(&a->bidders[i], heads, a->offer, next);
        heads = next;
        next = before;
    }
    free(heads);
    free(next);
}

static void solve_exactly(const auction *a)
{
    double **tails = orr_xcalloc((size_t)a->n + 1, sizeof *tails);
    for (int32_t i = a->n; i >= 0; i--) {
        tails[i] = orr_xcalloc((size_t)a->offer + 1, sizeof *tails[i]);
        if (i < a->n)
            extend(&a->bidders[i], tails[i + 1], a->offer, tails[i]);
    }
    choose(a, tails);
    charge(a, tails);
    for (int32_t i = 0; i <= a->n; i++)
        free(tails[i]);
    free(tails);
}

/* ---- greedy ------------------------------------------------------------------------------------------------------ */

typedef struct step { /* from one corner of a bidder's upper hull to the next */
    int32_t bidder, bid, count;
    double rate; /* what it gains for each of the count */
} step;

static int by_rate(const void *a, const void *b)
{
    const step *x = a, *y = b;
    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    if (x->bidder != y->bidder)
        return x->bidder < y->bidder ? -1 : 1;
    return (x->bid > y->bid) - (x->bid < y->bid);
}

static size_t add_hull(const orr_bidder *b, int32_t bidder, step *out)
{
    size_t n = 0;
    for (int32_t at = 0; at < b->n;) {
        step best = {.bidder = bidder, .bid = -1};
        for (int32_t k = at + 1; k < b->n; k++) {
            int32_t count = b->bids[k].count - b->bids[at].count;
            double rate = (gain(b, k) - gain(b, at)) / count;
            if (rate > 0 && (best.bid < 0 || rate >= best.rate))
                best = (step){bidder, k, count, rate};
        }
        if (best.bid < 0)
            break;
        out[n++] = best;
        at = best.bid;
    }
    return n;
}

/* Then whoever can still rise to one of its bids, the best of them, in order. */
static void fill(const auction *a, int32_t without, int32_t left, int32_t *bid)
{
    for (int32_t i = 0; i < a->n && left > 0; i++) {
        const orr_bidder *b = &a->bidders[i];
        int32_t best = bid[i], has = b->bids[bid[i]].count;
        for (int32_t k = 0; k < b->n && i != without; k++)
            if (b->bids[k].count - has <= left && b->bids[k].value > b->bids[best].value)
                best = k;
        left -= b->bids[best].count - has;
        bid[i] = best;
    }
}

/* Fills `bid` for all but one (-1: for all); the sum of what they gain, that one left out. */
static double take(const auction *a, const step *steps, size_t n, int32_t without, int32_t *bid)
{
    double sum = 0;
    int32_t left = a->offer;
    memset(bid, 0, (size_t)a->n * sizeof *bid);
    for (size_t s = 0; s < n && left > 0; s++) {
        const orr_bidder *b = &a->bidders[steps[s].bidder];
        const bool next = b->bids[steps[s].bid].count - b->bids[bid[steps[s].bidder]].count == steps[s].count;
        if (steps[s].bidder == without || steps[s].count > left || !next)
            continue;
        bid[steps[s].bidder] = steps[s].bid;
        left -= steps[s].count;
    }
    fill(a, without, left, bid);
    for (int32_t i = 0; i < a->n; i++)
        sum += i == without ? 0 : gain(&a->bidders[i], bid[i]);
    return sum;
}

static void solve_greedily(const auction *a)
{
    size_t bids = 0, n = 0;
    for (int32_t i = 0; i < a->n; i++)
        bids += (size_t)a->bidders[i].n;
    step *steps = orr_xcalloc(bids + 1, sizeof *steps);
    int32_t *other = orr_xcalloc((size_t)a->n + 1, sizeof *other);
    for (int32_t i = 0; i < a->n; i++)
        n += add_hull(&a->bidders[i], i, steps + n);
    qsort(steps, n, sizeof *steps, by_rate);
    double total = take(a, steps, n, -1, a->bid);
    for (int32_t i = 0; i < a->n; i++)
        keep(a, i, total - gain(&a->bidders[i], a->bid[i]), take(a, steps, n, i, other));
    free(steps);
    free(other);
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

static int64_t check(const orr_bidder *b)
{
    ORR_ASSERT(b->n > 0 && b->bids[0].count == 0, "a bidder must say what nothing is worth to it");
    for (int32_t k = 0; k < b->n; k++) {
        ORR_ASSERT(b->bids[k].value > 0 && isfinite(b->bids[k].value), "a bid must be positive");
        ORR_ASSERT(k == 0 || b->bids[k].count > b->bids[k - 1].count, "bids must ask more and more");
    }
    return b->n;
}

void orr_auction(const orr_bidder *bidders, int32_t n, int32_t offer, int32_t *bid, double *keeps)
{
    const auction a = {bidders, n, offer, bid, keeps};
    int64_t bids = 0;
    for (int32_t i = 0; i < n; i++)
        bids += check(&bidders[i]);
    if (bids * (offer + 1) <= EXACT)
        solve_exactly(&a);
    else
        solve_greedily(&a);
}
