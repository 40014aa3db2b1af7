/* Partial allocation: known answers, brute force over all allocations, and bidders who lie. */
#include <orrery/solve.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 6, BIDS = 5 };

typedef struct market {
    orr_bid bids[MOST][BIDS];
    orr_bidder bidders[MOST];
    int32_t n, offer, bid[MOST];
    double keeps[MOST];
} market;

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Values rise with the count, by 0 to 3 a step. */
static void make(market *m, uint64_t seed)
{
    uint64_t s = seed;
    m->n = 1 + (int32_t)(draw(&s) % MOST);
    m->offer = 1 + (int32_t)(draw(&s) % 16);
    for (int32_t i = 0; i < m->n; i++) {
        int32_t count = 0;
        double value = 0.1 + (double)(draw(&s) % 10) / 10;
        for (int32_t k = 0; k < BIDS; k++) {
            m->bids[i][k] = (orr_bid){count, value};
            count += 1 + (int32_t)(draw(&s) % 4);
            value += (double)(draw(&s) % 30) / 10;
        }
        m->bidders[i] = (orr_bidder){m->bids[i], BIDS};
    }
}

static void run(market *m)
{
    orr_auction(m->bidders, m->n, m->offer, m->bid, m->keeps);
}

/* The greatest product of all but one (-1: of all) by trying everything. */
static double best(const market *m, int32_t i, int32_t left, int32_t without)
{
    double most = 0;
    if (i == m->n)
        return 1;
    if (i == without)
        return best(m, i + 1, left, without);
    for (int32_t k = 0; k < m->bidders[i].n && m->bids[i][k].count <= left; k++)
        most = fmax(most, m->bids[i][k].value * best(m, i + 1, left - m->bids[i][k].count, without));
    return most;
}

static double product(const market *m, int32_t without)
{
    double p = 1;
    for (int32_t i = 0; i < m->n; i++)
        p *= i == without ? 1 : m->bids[i][m->bid[i]].value;
    return p;
}

/* Two that ask for all of four things, worth as many as they are: two each, and half of that is kept. */
static void two_alike(void **state)
{
    (void)state;
    const orr_bid bids[] = {{0, 0.1}, {1, 1}, {2, 2}, {3, 3}, {4, 4}};
    const orr_bidder bidders[] = {{bids, 5}, {bids, 5}};
    int32_t bid[2];
    double keeps[2];
    orr_auction(bidders, 2, 4, bid, keeps);
    assert_int_equal(bid[0], 2);
    assert_int_equal(bid[1], 2);
    assert_true(fabs(keeps[0] - 0.5) < 1e-12 && fabs(keeps[1] - 0.5) < 1e-12);
}

static void who_takes_from_nobody_keeps_all(void **state)
{
    (void)state;
    const orr_bid a[] = {{0, 1}, {3, 7}}, b[] = {{0, 0.3}, {5, 0.7}};
    const orr_bidder bidders[] = {{a, 2}, {b, 2}};
    int32_t bid[2];
    double keeps[2];
    orr_auction(bidders, 2, 8, bid, keeps);
    assert_true(bid[0] == 1 && bid[1] == 1 && keeps[0] == 1 && keeps[1] == 1);
    orr_auction(bidders, 1, 2, bid, keeps);
    assert_true(bid[0] == 0 && keeps[0] == 1);
}

static void greatest_products_and_payments(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        market m;
        make(&m, seed);
        run(&m);
        int32_t sum = 0;
        for (int32_t i = 0; i < m.n; i++)
            sum += m.bids[i][m.bid[i]].count;
        assert_true(sum <= m.offer);
        assert_true(fabs(product(&m, -1) / best(&m, 0, m.offer, -1) - 1) < 1e-9);
        for (int32_t i = 0; i < m.n; i++)
            assert_true(fabs(m.keeps[i] - product(&m, i) / best(&m, 0, m.offer, i)) < 1e-8);
    }
}

static double worth(const market *truth, const market *told, int32_t i)
{
    return truth->bids[i][told->bid[i]].value * told->keeps[i];
}

/* Scaled tables change nothing; others never make what is kept worth more. */
static void lies_do_not_pay(void **state)
{
    (void)state;
    int lower = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        market truth, told;
        uint64_t s = seed + 1000;
        make(&truth, seed);
        run(&truth);
        const double honest = worth(&truth, &truth, 0);
        for (int lie = 0; lie < 20; lie++) {
            memcpy(told.bids, truth.bids, sizeof told.bids);
            told.n = truth.n;
            told.offer = truth.offer;
            for (int32_t i = 0; i < told.n; i++)
                told.bidders[i] = (orr_bidder){told.bids[i], BIDS};
            const double scale = 0.1 + (double)(draw(&s) % 100) / 10, bend = 0.2 + (double)(draw(&s) % 30) / 10;
            for (int32_t k = 0; k < BIDS; k++)
                told.bids[0][k].value = scale * (lie == 0 ? truth.bids[0][k].value : pow(truth.bids[0][k].value, bend));
            run(&told);
            assert_true(worth(&truth, &told, 0) <= honest * (1 + 1e-9));
            if (lie == 0)
                assert_true(worth(&truth, &told, 0) >= honest * (1 - 1e-9));
            lower += worth(&truth, &told, 0) < honest * (1 - 1e-6);
        }
    }
    assert_true(lower > 100); /* and often they cost */
}

/* Too many for the exact way: a thousand that double what they have with each of twenty things. */
static void many(void **state)
{
    (void)state;
    enum { N = 1000, ROWS = 20, OFFER = 5000 };
    static orr_bid bids[ROWS];
    static orr_bidder bidders[N];
    static int32_t bid[N];
    static double keeps[N];
    for (int32_t k = 0; k < ROWS; k++)
        bids[k] = (orr_bid){k, 1.0 + k};
    for (int32_t i = 0; i < N; i++)
        bidders[i] = (orr_bidder){bids, ROWS};
    orr_auction(bidders, N, OFFER, bid, keeps);
    for (int32_t i = 0; i < N; i++) { /* five each; without one of them five others would have one more */
        assert_int_equal(bids[bid[i]].count, 5);
        assert_true(fabs(keeps[i] - pow(6.0 / 7, 5)) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_alike),
        cmocka_unit_test(who_takes_from_nobody_keeps_all),
        cmocka_unit_test(greatest_products_and_payments),
        cmocka_unit_test(lies_do_not_pay),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
