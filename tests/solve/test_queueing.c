/* Closed forms of queueing: by hand, against each other where one is a special case of another, and at the ends of
 * their ranges. 36 published cases: tests/golden/test_queueing.c. */
#include <orrery/queueing.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "near.h"

/* ---- one server ---- */

/* Half loaded, one second each: Wq = u/(1-u) = 1 if exponential, half of it if constant; L = 1. */
static void one_server(void **state)
{
    (void)state;
    const orr_long_run m = orr_mmc(0.5, 1, 1), d = orr_mg1(0.5, orr_moments_of(1, 0));
    assert_near(m.wait, 1, 1e-15);
    assert_near(m.response, 2, 1e-15);
    assert_near(m.in_system, 1, 1e-15);
    assert_near(m.waiting, 0.5, 1e-15);
    assert_near(m.delayed, 0.5, 1e-15);
    assert_near(d.wait, 0.5, 1e-15);
    assert_near(orr_mg1(0.5, orr_moments_of(1, 1)).wait, m.wait, 1e-15);
    const double part[] = {0.5, 0.5}, seconds[] = {0, 2}; /* E S^2 = 2: as if exponential */
    assert_near(orr_mg1(0.5, orr_moments_mix(part, seconds, 2)).wait, 1, 1e-15);
}

static void no_long_run(void **state)
{
    (void)state;
    const orr_long_run m = orr_mmc(2, 1, 2), g = orr_mg1(1, orr_moments_of(1, 0));
    assert_true(isinf(m.wait) && isinf(m.response) && isinf(m.in_system) && isinf(m.waiting));
    assert_true(isinf(g.wait) && isinf(g.response) && isinf(g.in_system));
    assert_near(m.busy, 1, 0);
    assert_near(m.delayed, 1, 0);
    assert_near(orr_erlang_c(2, 2), 1, 0);
    assert_near(orr_mmc_wait_over(3, 1, 2, 5), 1, 0);
    assert_near(orr_mmc_within(3, 1, 2, 5), 0, 0);
    assert_true(isinf(orr_mmc_quantile(3, 1, 2, 0.5)) && isinf(orr_mmc_wait_quantile(3, 1, 2, 0.5)));
    assert_true(isinf(orr_shared_response(1, 1, 1)));
}

static void nobody_comes(void **state)
{
    (void)state;
    assert_near(orr_mmc(0, 4, 2).response, 0.25, 0);
    assert_near(orr_mmc(0, 4, 2).delayed, 0, 0);
    assert_near(orr_mmck(0, 4, 2, 5).lost, 0, 0);
    assert_near(orr_erlang_b(0, 3), 0, 0);
    assert_near(orr_erlang_b(0, 0), 1, 0);
    assert_int_equal(orr_mmc_servers(0, 1, 1, 0.1), 1);
}

/* ---- several ---- */

/* Load 1 on two: B = (1/2) / (1 + 1 + 1/2) = 1/5, C = 1/3; wait 1/3. */
static void two_servers(void **state)
{
    (void)state;
    assert_near(orr_erlang_b(1, 2), 0.2, 1e-16);
    assert_near(orr_erlang_c(1, 2), 1.0 / 3, 1e-15);
    assert_near(orr_mmc(1, 1, 2).wait, 1.0 / 3, 1e-15);
    assert_near(orr_mmc_wait_over(1, 1, 2, 2), exp(-2) / 3, 1e-15);
    assert_near(orr_mmc_wait_quantile(1, 1, 2, 1 - exp(-2) / 3), 2, 1e-12);
    assert_near(orr_mmc_wait_quantile(1, 1, 2, 0.5), 0, 0); /* two thirds don't wait */
    /* spare = 1 = each: a delayed response is two exponentials of one rate */
    assert_near(orr_mmc_within(1, 1, 2, 3), 1 - exp(-3) * (1 + 3 / 3.0), 1e-15);
}

/* The response's distribution is sound as the two rates come together, and its mean is the mean. */
static void responses_of_many(void **state)
{
    (void)state;
    const double at = orr_mmc_within(1, 1, 2, 3);
    for (double off = 1e-3; off > 1e-15; off /= 10) {
        assert_near(orr_mmc_within(1 + off, 1, 2, 3), at, 2 * off);
        assert_near(orr_mmc_within(1 - off, 1, 2, 3), at, 2 * off);
    }
    const double loads[] = {0.5, 1.5, 3.9};
    for (size_t i = 0; i < 3; i++) {
        double mean = 0;
        for (double t = 5e-4; t < 400; t += 1e-3) /* the integral of what is over t, by midpoints */
            mean += (1 - orr_mmc_within(loads[i], 1, 4, t)) * 1e-3;
        assert_near(mean, orr_mmc(loads[i], 1, 4).response, 1e-5);
        assert_near(orr_mmc_within(loads[i], 1, 4, orr_mmc_quantile(loads[i], 1, 4, 0.95)), 0.95, 1e-12);
    }
}

/* The textbook sums, in logarithms, for hundreds of servers; and where 1/B is more than a double holds. */
static void hundreds_of_servers(void **state)
{
    (void)state;
    const int32_t c = 500;
    const double load = 480;
    double sum = 0;
    for (int32_t n = 0; n <= c; n++)
        sum += exp(n * log(load) - lgamma(n + 1.0) - (c * log(load) - lgamma(c + 1.0)));
    assert_near(orr_erlang_b(load, c), 1 / sum, 1e-11);
    assert_near(orr_erlang_c(load, c), 1 / sum / (1 - load / c * (1 - 1 / sum)), 1e-10);
    assert_near(orr_erlang_c(1, 500), 0, 0);
    assert_near(orr_mmc(1, 1, 5000).response, 1, 0);
    assert_true(orr_erlang_b(1e6, 1000000) > 0 && orr_erlang_b(1e6, 1000000) < 1e-3);
}

static void least_servers(void **state)
{
    (void)state;
    const double rates[] = {0.3, 7, 99, 1000};
    for (size_t i = 0; i < 4; i++) {
        const int32_t c = orr_mmc_servers(rates[i], 2, 0.1, 0.02);
        assert_true(orr_mmc_wait_over(rates[i], 2, c, 0.1) <= 0.02);
        assert_true(c == 1 || orr_mmc_wait_over(rates[i], 2, c - 1, 0.1) > 0.02);
    }
    assert_int_equal(orr_mmc_servers(10, 1, 0, 1), 11); /* any wait is good, but there must be a long run */
    assert_int_equal(orr_mmc_servers(1e12, 1, 1, 0.1), -1);
}

/* K = 2 at load 1: states 0, 1, 2 are as likely, a third is lost, L = 1, each that is let in stays 1.5 s. */
static void limited_room(void **state)
{
    (void)state;
    const orr_long_run r = orr_mmck(1, 1, 1, 2);
    assert_near(r.lost, 1.0 / 3, 1e-15);
    assert_near(r.in_system, 1, 1e-15);
    assert_near(r.response, 1.5, 1e-15);
    assert_near(r.busy, 2.0 / 3, 1e-15);
    assert_near(r.delayed, 0.5, 1e-15);
    for (int32_t c = 1; c < 40; c += 7)
        assert_near(orr_mmck(0.8 * c, 1, c, c).lost, orr_erlang_b(0.8 * c, c), 1e-15);
    const orr_long_run wide = orr_mmck(3.6, 1, 4, 4000), open = orr_mmc(3.6, 1, 4);
    assert_near(wide.wait, open.wait, 1e-10);
    assert_near(wide.delayed, open.delayed, 1e-12);
    const orr_long_run flood = orr_mmck(1e6, 1, 3, 5000); /* always full */
    assert_near(flood.in_system, 5000, 1e-3);
    assert_near(flood.busy, 1, 1e-12);
}

/* ---- other ways to serve ---- */

/* Two like classes at load 1/4 each, exponential: W0 = 0.5; without preemption W1 = .5/.75, W2 = .5/(.75 .5). With
 * it the first sees only itself: M/M/1 at 1/4. Their mean is what FIFO gives. */
static void by_priority(void **state)
{
    (void)state;
    const orr_load_class two[] = {{0.25, {1, 2}}, {0.25, {1, 2}}};
    double wait[2], response[2];
    orr_priorities(two, 2, false, wait, response);
    assert_near(wait[0], 2.0 / 3, 1e-15);
    assert_near(wait[1], 4.0 / 3, 1e-15);
    assert_near((wait[0] + wait[1]) / 2, orr_mmc(0.5, 1, 1).wait, 1e-15);
    assert_near(response[1], 7.0 / 3, 1e-15);
    orr_priorities(two, 2, true, wait, response);
    assert_near(response[0], orr_mmc(0.25, 1, 1).response, 1e-15);
    assert_near(response[1], (1 + 0.5 / 0.5) / 0.75, 1e-15);
    assert_near(wait[1], response[1] - 1, 1e-15);
    orr_priorities(two, 2, true, NULL, NULL);
}

/* More than can be served is the lower class's trouble; the upper one finds it in service as long as it runs at all. */
static void too_much_of_the_last_class(void **state)
{
    (void)state;
    const orr_load_class two[] = {{0.5, {1, 1}}, {9, {1, 1}}};
    double wait[2], response[2];
    orr_priorities(two, 2, true, wait, response);
    assert_near(wait[0], orr_mg1(0.5, orr_moments_of(1, 0)).wait, 1e-15);
    assert_true(isinf(wait[1]) && isinf(response[1]));
    orr_priorities(two, 2, false, wait, response);
    assert_near(wait[0], 0.5 / 0.5, 1e-15); /* the server is always busy, half a second is left on average */
    assert_true(isinf(wait[1]));
}

static void shared_and_in_stages(void **state)
{
    (void)state;
    assert_near(orr_shared_response(0.5, 1, 3), 6, 1e-15);
    const double even[] = {1, 1, 1}, uneven[] = {0.5, 1, 1.5};
    assert_near(orr_pipeline_response(0.5, even, 3), 3 + 0.5, 1e-15);
    assert_near(orr_pipeline_response(0.5, uneven, 3), 3 + 0.5 * 2.25 / (2 * 0.25), 1e-15);
    assert_true(isinf(orr_pipeline_response(1, even, 3)));
}

/* ---- batches ---- */

/* Batches of one are M/D/1. */
static void bulk_of_one(void **state)
{
    (void)state;
    const double second = 1;
    for (double rate = 0.1; rate < 0.96; rate += 0.17) {
        orr_bulk b;
        assert_true(orr_bulk_service(rate, &second, 1, &b));
        const orr_long_run d = orr_mg1(rate, orr_moments_of(1, 0));
        assert_near(b.response, d.response, 1e-12 * d.response);
        assert_near(b.busy, rate, 1e-13);
        assert_near(b.batch, 1, 1e-14);
    }
}

/* Batches that cost nothing more, without limit in effect: the server is busy with s each, arrivals during it are
 * the next batch. From 0 a gap, then s; so busy = s / (s + p0/rate), p0 = P(no arrival in s) = e^-rate s. Those that
 * arrive in a batch wait half of it on average and are served in the next. */
static void bulk_without_limit(void **state)
{
    (void)state;
    double flat[64];
    for (int i = 0; i < 64; i++)
        flat[i] = 2;
    orr_bulk b;
    assert_true(orr_bulk_service(1.5, flat, 64, &b));
    const double none = exp(-3), busy = 2 / (2 + none / 1.5);
    assert_near(b.busy, busy, 1e-13);
    assert_near(b.batch, 3 + none, 1e-12);
    assert_near(b.response, 2 + busy * 1, 1e-12);
}

static void bulk_of_too_much(void **state)
{
    (void)state;
    const double seconds[] = {1, 1};
    orr_bulk b;
    assert_false(orr_bulk_service(2, seconds, 2, &b));
    assert_false(orr_bulk_service(1.99999, seconds, 2, &b)); /* more states than it may have */
    assert_true(orr_bulk_service(1.99, seconds, 2, &b));
    assert_near(b.in_system / b.response, 1.99, 1e-10);
    assert_false(orr_bulk_service(0, seconds, 2, &b));
}

/* ---- arrivals, chances ---- */

static void moments_of_arrivals(void **state)
{
    (void)state;
    const orr_gamma_gaps g = orr_gamma_gaps_of(4, 0.5);
    assert_near(g.shape, 4, 1e-15);
    assert_near(g.shape * g.scale, 0.25, 1e-15);
    assert_near(g.deviation, 0.125, 1e-15);
    const orr_mmpp2 alike = {{3, 3}, {1, 2}}; /* a Poisson process */
    const orr_mmpp2_moments m = orr_mmpp2_moments_of(&alike);
    assert_near(m.rate, 3, 1e-15);
    assert_near(m.dispersion, 1, 0);
    assert_near(m.gap_scv, 1, 0);
    const orr_mmpp2 on_off = {{2, 0}, {1, 1}}; /* interrupted: 1 + 2 (4/4) / (0 + 2) both ways */
    assert_near(orr_mmpp2_moments_of(&on_off).dispersion, 2, 1e-15);
    assert_near(orr_mmpp2_moments_of(&on_off).gap_scv, 2, 1e-15);
}

static void caches(void **state)
{
    (void)state;
    assert_near(orr_lru_hits_zipf(100, 0, 25), 0.25, 1e-12); /* all alike: what is kept is hit */
    assert_near(orr_lru_hits_zipf(100, 1, 100), 1, 0);
    assert_near(orr_lru_hits_zipf(100, 1, 0), 0, 0);
    const double some[] = {1, 1, 0, 0};
    assert_near(orr_lru_hits(some, 4, 2), 1, 0); /* the others are never asked for */
    assert_near(orr_lru_hits(some, 4, 1), 0.5, 1e-12);
    assert_true(orr_lru_hits_zipf(1000, 1.2, 10) > orr_lru_hits_zipf(1000, 0.8, 10));
}

static void votes_and_codes(void **state)
{
    (void)state;
    assert_near(orr_majority_right(1, 0.7), 0.7, 1e-15);
    assert_near(orr_majority_right(2, 0.7), 0.7, 1e-15); /* a tie is a coin */
    assert_near(orr_majority_right(3, 0.7), 0.343 + 3 * 0.49 * 0.3, 1e-15);
    assert_near(orr_majority_right(101, 0.5), 0.5, 1e-12);
    assert_near(orr_parity_lost(2, 0.5), 0.5 * 0.75, 1e-15);
    assert_near(orr_parity_lost(1, 0.1), 0.01, 1e-15);
    assert_near(orr_parity_lost(4, 0), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_server),          cmocka_unit_test(no_long_run),
        cmocka_unit_test(nobody_comes),        cmocka_unit_test(two_servers),
        cmocka_unit_test(responses_of_many),   cmocka_unit_test(hundreds_of_servers),
        cmocka_unit_test(least_servers),       cmocka_unit_test(limited_room),
        cmocka_unit_test(by_priority),         cmocka_unit_test(too_much_of_the_last_class),
        cmocka_unit_test(shared_and_in_stages), cmocka_unit_test(bulk_of_one),
        cmocka_unit_test(bulk_without_limit),  cmocka_unit_test(bulk_of_too_much),
        cmocka_unit_test(moments_of_arrivals), cmocka_unit_test(caches),
        cmocka_unit_test(votes_and_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
