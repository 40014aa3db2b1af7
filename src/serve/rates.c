/* Arrivals in the past, by service: how many came within a window, and the most in any part of it.
 *
 * Bins of 10 ms in which anything came, each with the count of all arrivals up to its end, so that a window is a
 * difference of two of them. A bin holds (k, k + 1] * 10 ms: at whole multiples of 10 ms a window is exact, else its
 * oldest bin, which it covers in part, is left out. Only services whose modules declare that they know rates have them;
 * what is older than 10 minutes is forgotten.
 */
#include "serve/serving.h"

enum { BIN_MS = 10, KEPT_BINS = 60000 + 1 };
#define BIN ((orr_time)BIN_MS * 1000000)

typedef struct bin {
    int64_t k;
    uint64_t until; /* arrivals up to its end */
} bin;

struct orr_sv_rates {
    bin *at; /* a ring */
    uint32_t cap, head, n;
    uint64_t forgotten; /* arrivals before the first bin kept */
};

static int64_t bin_of(orr_time at)
{
    return at > 0 ? (at - 1) / BIN : -1;
}

static bin *nth(const struct orr_sv_rates *r, uint32_t i)
{
    return &r->at[(r->head + i) & (r->cap - 1)];
}

static uint64_t all(const struct orr_sv_rates *r)
{
    return r->n ? nth(r, r->n - 1)->until : r->forgotten;
}

static void grow(struct orr_sv_rates *r)
{
    const uint32_t cap = r->cap ? r->cap * 2 : 64;
    bin *at = orr_xmalloc(cap * sizeof *at);
    for (uint32_t i = 0; i < r->n; i++)
        at[i] = *nth(r, i);
    free(r->at);
    r->at = at;
    r->cap = cap;
    r->head = 0;
}

static void forget_before(struct orr_sv_rates *r, int64_t k)
{
    while (r->n && nth(r, 0)->k < k) {
        r->forgotten = nth(r, 0)->until;
        r->head = (r->head + 1) & (r->cap - 1);
        r->n--;
    }
}

void orr_serving_rates_came(struct orr_sv_rates *r, orr_time at)
{
    const int64_t k = bin_of(at);
    if (r->n && nth(r, r->n - 1)->k >= k) {
        nth(r, r->n - 1)->until++;
        return;
    }
    forget_before(r, k - KEPT_BINS);
    if (r->n == r->cap)
        grow(r);
    const uint64_t before = all(r);
    *nth(r, r->n++) = (bin){k, before + 1};
}

/* The first bin kept that is not before k; n: none. */
static uint32_t first_from(const struct orr_sv_rates *r, int64_t k)
{
    uint32_t low = 0, high = r->n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (nth(r, mid)->k < k)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint64_t before(const struct orr_sv_rates *r, uint32_t i)
{
    return i ? nth(r, i - 1)->until : r->forgotten;
}

/* The first bin that lies within (now - window, now] whole. */
static int64_t oldest(orr_time now, orr_time window)
{
    const orr_time from = now - window;
    return from <= 0 ? -1 : (from + BIN - 1) / BIN;
}

struct orr_sv_rates *orr_serving_rates_create(void)
{
    return orr_xcalloc(1, sizeof(struct orr_sv_rates));
}

void orr_serving_rates_destroy(struct orr_sv_rates *r)
{
    if (r)
        free(r->at);
    free(r);
}

/* Does a module say that it knows of arrivals? */
bool orr_serving_rates_wanted(const orr_serving *s)
{
    for (size_t i = 0; i < s->modules.n; i++)
        if (s->modules.at[i]->know[ORR_SQ_RATE] >= ORR_KNOW_OBSERVED)
            return true;
    return false;
}

uint64_t orr_serving_rates_count(const struct orr_sv_rates *r, orr_time now, orr_time window)
{
    return all(r) - before(r, first_from(r, oldest(now, window)));
}

/* Both ends move over the bins once: of bins [i, j) the last begins less than `width` after the first. O(bins in the
 * window). */
uint64_t orr_serving_rates_most(const struct orr_sv_rates *r, orr_time now, orr_time window, orr_time width)
{
    const int64_t bins = width > BIN ? width / BIN : 1;
    uint64_t most = 0;
    uint32_t j = 0;
    for (uint32_t i = first_from(r, oldest(now, window)); i < r->n; i++) {
        for (j = j > i ? j : i; j < r->n && nth(r, j)->k < nth(r, i)->k + bins;)
            j++;
        const uint64_t n = nth(r, j - 1)->until - before(r, i);
        most = n > most ? n : most;
    }
    return most;
}
