/* Trade between users at second prices. For two kinds users stand in a line by their gain, speed on the better kind
 * over that on the worse: the first buys, the last sells, until one of them has had all that it can. */
#include "base/mem.h"

#include <orrery/solve.h>

#include <math.h>

typedef struct trader {
    double gain;
    int32_t who;
} trader;

typedef struct market {
    double *have;
    const double *speed, *want;
    int32_t users, kinds, fast, slow;
    trader *line; /* [users] */
} market;

static double *of(const market *m, int32_t user, int32_t kind)
{
    return &m->have[(size_t)user * (size_t)m->kinds + (size_t)kind];
}

static double speed(const market *m, int32_t user, int32_t kind)
{
    return m->speed[(size_t)user * (size_t)m->kinds + (size_t)kind];
}

/* More than it has, of any kind, that it could use. */
static double spare(const market *m, int32_t user)
{
    double left = m->want[user];
    for (int32_t k = 0; k < m->kinds; k++)
        left -= *of(m, user, k);
    return fmax(left, 0);
}

static int by_gain(const void *a, const void *b)
{
    const trader *x = a, *y = b;
    return x->gain != y->gain ? (x->gain < y->gain ? 1 : -1) : (x->who > y->who) - (x->who < y->who);
}

static int32_t line_up(market *m)
{
    int32_t n = 0;
    for (int32_t i = 0; i < m->users; i++)
        if (speed(m, i, m->fast) > 0 && speed(m, i, m->slow) > 0)
            m->line[n++] = (trader){speed(m, i, m->fast) / speed(m, i, m->slow), i};
    if (n > 1)
        qsort(m->line, (size_t)n, sizeof *m->line, by_gain);
    return n;
}

/* So many of the better kind, each for `price` of the worse: what both have, and can use. */
static double amount_of(const market *m, int32_t buyer, int32_t seller, double price)
{
    double x = fmin(*of(m, seller, m->fast), *of(m, buyer, m->slow) / price);
    if (price > 1)
        x = fmin(x, spare(m, seller) / (price - 1));
    if (price < 1)
        x = fmin(x, spare(m, buyer) / (1 - price));
    return x;
}

static void exchange(const market *m, int32_t buyer, int32_t seller, double price, double x)
{
    *of(m, buyer, m->fast) += x;
    *of(m, seller, m->fast) -= x;
    *of(m, seller, m->slow) += x * price;
    *of(m, buyer, m->slow) = fmax(*of(m, buyer, m->slow) - x * price, 0);
}

static bool is_done_buying(const market *m, int32_t buyer, double price, double least)
{
    return *of(m, buyer, m->slow) <= least || (price < 1 && spare(m, buyer) <= least);
}

static void trade_pair(market *m, double gap)
{
    const double least = 1e-12;
    int32_t buys = 0, sells = line_up(m) - 1;
    while (buys < sells && m->line[buys].gain > gap * m->line[sells].gain) {
        const int32_t buyer = m->line[buys].who, seller = m->line[sells].who;
        const double price = m->line[buys + 1].gain, x = amount_of(m, buyer, seller, price);
        if (x > least)
            exchange(m, buyer, seller, price, x);
        if (is_done_buying(m, buyer, price, least))
            buys++;
        else
            sells--;
    }
}

/* The kinds by what they do for all together, the best first. */
static void rank(const market *m, int32_t *order, double *sum)
{
    for (int32_t k = 0; k < m->kinds; k++) {
        sum[k] = 0;
        for (int32_t i = 0; i < m->users; i++)
            sum[k] += speed(m, i, k);
        int32_t at = k;
        for (; at > 0 && sum[order[at - 1]] < sum[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

void orr_trade_kinds(double *have, const double *speed_of, const double *want, int32_t users, int32_t kinds, double gap)
{
    market m = {.have = have, .speed = speed_of, .want = want, .users = users, .kinds = kinds};
    int32_t *order = orr_xcalloc((size_t)kinds + 1, sizeof *order);
    double *sum = orr_xcalloc((size_t)kinds + 1, sizeof *sum);
    m.line = orr_xcalloc((size_t)users + 1, sizeof *m.line);
    rank(&m, order, sum);
    for (int32_t i = 0; i < kinds; i++)
        for (int32_t j = kinds - 1; j > i; j--) {
            m.fast = order[i];
            m.slow = order[j];
            trade_pair(&m, gap);
        }
    free(m.line);
    free(sum);
    free(order);
}
