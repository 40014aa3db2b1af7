/* Goodput: by hand, the best batch against a plain search of all 50, and fits of data made from known parameters.
 * Published results: tests/golden/test_pollux_unit.c. */
#include "base/rng.h"

#include <orrery/goodput.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const orr_perf by_hand = {0.05, 0.002, 0.08, 0.004, 0.03, 0.001, 1.8};

/* ---- by hand ---- */

static void throughput_and_efficiency(void **state)
{
    (void)state;
    static const struct {
        int32_t nodes, gpus;
        orr_batch batch;
        double throughput, efficiency, goodput;
    } rows[] = {
        {1, 1, {128, 0}, 418.300654, 1, 418.300654},          {1, 2, {64, 0}, 703.392757, 1, 703.392757},
        {1, 4, {64, 0}, 1403.047032, 0.916667, 1286.126446},  {2, 8, {64, 0}, 2405.032409, 0.785714, 1889.668321},
        {2, 8, {128, 1}, 3221.946563, 0.423077, 1363.131238},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t total = orr_batch_total(rows[i].batch, rows[i].gpus);
        const double t = orr_throughput(&by_hand, rows[i].nodes, rows[i].gpus, rows[i].batch);
        const double e = orr_efficiency((orr_noise){0.002, 0.02}, 128, total);
        assert_near(t, rows[i].throughput, 1e-6);
        assert_near(e, rows[i].efficiency, 1e-6);
        assert_near(t * e, rows[i].goodput, 1e-6);
    }
}

/* One GPU does all its work itself: 2 x (0.05 + 0.002 x 100), and next to nothing for synchronisation. */
static void steps_of_one_gpu(void **state)
{
    (void)state;
    assert_near(orr_perf_step(&by_hand, 1, 1, (orr_batch){100, 1}), 0.5, 1e-9);
    assert_near(orr_throughput(&by_hand, 1, 1, (orr_batch){100, 1}), 400, 1e-5);
    assert_near(orr_throughput(&by_hand, 1, 4, (orr_batch){0, 0}), 0, 0);
}

static void gain_grows_up_to_the_noise(void **state)
{
    (void)state;
    const orr_noise some = {1, 3}, none = {0, 0}, only = {0, 2};
    assert_near(orr_gain(some, 32, 32), 1, 0);
    assert_near(orr_gain(some, 32, 96), 2, 1e-15); /* 4 / (1 + 1) */
    assert_near(orr_efficiency(some, 32, 96), 2.0 / 3, 1e-15);
    assert_near(orr_gain(some, 32, 32LL << 40), 4, 1e-9);
    assert_near(orr_gain(none, 32, 96), 1, 0);
    assert_near(orr_gain(only, 32, 96), 3, 1e-15);
}

typedef struct split_row {
    const char *name;
    orr_batch_limits limits;
    int32_t gpus;
    int64_t total;
    orr_batch expected;
} split_row;

static const split_row splits[] = {
    {"even", {128, 4096, 32, 1024, true}, 4, 512, {128, 0}},
    {"rounded up", {128, 4096, 32, 1024, true}, 3, 512, {171, 0}},
    {"too much at once", {20, 640, 10, 80, true}, 2, 400, {67, 2}}, /* 200 each: 3 x 67 */
    {"one GPU, its own batch", {128, 4096, 32, 1024, true}, 1, 128, {128, 0}},
    {"one GPU, more: twice at least", {128, 4096, 32, 1024, true}, 1, 129, {65, 1}},
    {"one GPU, much more", {128, 4096, 32, 1024, true}, 1, 4096, {1024, 3}},
    {"cut at the most", {12, 384, 4, 12, true}, 5, 384, {10, 6}}, /* 77 each: 7 x 11, in all 385 */
    {"no accumulation", {128, 4096, 32, 1024, false}, 1, 4096, {1024, 0}},
    {"nobody", {128, 4096, 32, 1024, true}, 0, 512, {0, 0}},
    {"nothing", {128, 4096, 32, 1024, true}, 4, 0, {0, 0}},
};

static void splitting_a_batch(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(splits); i++) {
        const split_row *s = &splits[i];
        const orr_batch got = orr_batch_split(&s->limits, s->gpus, s->total);
        if (got.local != s->expected.local || got.steps != s->expected.steps)
            fail_msg("%s: %d x %d", s->name, got.local, got.steps + 1);
    }
}

/* ---- the best batch ---- */

/* As it is stated, without haste: 0, or the value and the batch before it is cut at the most. */
static double plain_best(const orr_perf *perf, orr_noise noise, const orr_batch_limits *limits, int32_t nodes,
                         int32_t gpus, orr_batch *best)
{
    const double least = fmax((double)limits->initial, (double)limits->local_least * gpus), most = (double)limits->most;
    double value = 0;
    *best = (orr_batch){0, 0};
    for (int i = 0; i < 50 && least <= most; i++) {
        const double total = i == 49 ? most : least * pow(most / least, i / 49.0), part = total / gpus;
        double steps = limits->accumulates ? ceil(part / limits->local_most - 1e-8) - 1 : 0;
        if (limits->accumulates && gpus == 1 && part > (double)limits->initial + 1e-8)
            steps = fmax(steps, 1);
        const double local = ceil(part / (steps + 1) - 1e-8);
        if (local < limits->local_least || local > limits->local_most)
            continue;
        const orr_batch batch = {(int32_t)local, (int32_t)steps};
        const double got = orr_throughput(perf, nodes, gpus, batch) *
                           orr_efficiency(noise, limits->initial, orr_batch_total(batch, gpus));
        if (got > value) {
            value = got;
            *best = batch;
        }
    }
    return value;
}

static double between(gsl_rng *rng, double low, double high)
{
    return low * pow(high / low, gsl_rng_uniform(rng));
}

static orr_perf some_perf(gsl_rng *rng)
{
    const double alpha_n = between(rng, 0.01, 1), alpha_r = alpha_n * between(rng, 0.2, 1);
    return (orr_perf){.alpha_c = between(rng, 0.005, 0.3),
                      .beta_c = between(rng, 1e-4, 0.05),
                      .alpha_n = alpha_n,
                      .beta_n = alpha_n * between(rng, 0.001, 0.1),
                      .alpha_r = alpha_r,
                      .beta_r = alpha_r * between(rng, 0.001, 0.1),
                      .gamma = 1 + 9 * gsl_rng_uniform(rng) * gsl_rng_uniform(rng)};
}

static orr_batch_limits some_limits(gsl_rng *rng)
{
    const int32_t least = 1 + (int32_t)gsl_rng_uniform_int(rng, 40);
    const int64_t initial = least + (int64_t)gsl_rng_uniform_int(rng, 200);
    return (orr_batch_limits){initial, initial * (1 + (int64_t)gsl_rng_uniform_int(rng, 40)), least,
                              least * (1 + (int32_t)gsl_rng_uniform_int(rng, 20)), gsl_rng_uniform(rng) < 0.7};
}

static void the_best_of_all_batches(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(7, "best");
    for (int i = 0; i < 5000; i++) {
        const orr_perf perf = some_perf(rng);
        const orr_batch_limits limits = some_limits(rng);
        const orr_noise noise = {between(rng, 1e-3, 1e3), between(rng, 1e-3, 1e5)};
        const int32_t gpus = 1 + (int32_t)gsl_rng_uniform_int(rng, 64), nodes = 1 + (gpus - 1) / 4;
        orr_batch got, expected;
        const double value = orr_goodput_best(&perf, noise, &limits, nodes, gpus, &got);
        const double plain = plain_best(&perf, noise, &limits, nodes, gpus, &expected);
        assert_near(value, plain, 1e-9 * plain);
        assert_int_equal(got.steps, expected.steps);
        assert_true(orr_batch_total(got, gpus) <= limits.most);
        assert_true(got.local == expected.local || orr_batch_total(expected, gpus) > limits.most);
    }
    gsl_rng_free(rng);
}

static void no_batch_fits(void **state)
{
    (void)state;
    const orr_batch_limits limits = {12, 384, 4, 12, true}, rigid = {100, 100, 10, 50, false};
    orr_batch best = {7, 7};
    assert_near(orr_goodput_best(&by_hand, (orr_noise){1, 1}, &limits, 25, 97, &best), 0, 0);
    assert_int_equal(best.local, 0);
    assert_near(orr_goodput_best(&by_hand, (orr_noise){1, 1}, &rigid, 1, 1, &best), 0, 0); /* 100 at once is too much */
    assert_true(orr_goodput_best(&by_hand, (orr_noise){1, 1}, &limits, 24, 96, &best) > 0);
    assert_int_equal(best.local, 4);
    assert_true(orr_goodput_best(&by_hand, (orr_noise){1, 1}, &rigid, 1, 2, NULL) > 0);
}

/* ---- fits ---- */

static orr_measurement measure(const orr_perf *perf, int32_t nodes, int32_t gpus, int32_t local)
{
    const double step = orr_perf_step(perf, nodes, gpus, (orr_batch){local, 0});
    return (orr_measurement){nodes, gpus, local, step, step - (perf->alpha_c + perf->beta_c * local)};
}

/* Of one GPU alone nothing can be known of others: no synchronisation is the hope. Half of the one time is taken to
 * be fixed. */
static void unmeasured_is_optimistic(void **state)
{
    (void)state;
    const orr_measurement one = measure(&by_hand, 1, 1, 100);
    orr_perf got;
    orr_perf_fit(&one, 1, NULL, &got);
    assert_near(got.alpha_c, 0.125, 1e-9);
    assert_near(got.beta_c, 0.00125, 1e-9);
    assert_near(got.alpha_r, 1e-8, 0);
    assert_near(got.beta_r, 1e-8, 0);
    assert_near(got.alpha_n, 1.1e-8, 1e-15);
    assert_near(orr_throughput(&got, 1, 4, (orr_batch){100, 0}), 4 * 100 / 0.25, 1e-2);
}

/* Two GPUs show alpha_r, not how it grows; several nodes are taken to be a tenth worse. */
static void two_gpus_of_one_node(void **state)
{
    (void)state;
    const orr_measurement some[] = {measure(&by_hand, 1, 1, 50), measure(&by_hand, 1, 1, 200),
                                    measure(&by_hand, 1, 2, 100)};
    orr_perf got;
    orr_perf_fit(some, COUNT(some), NULL, &got);
    assert_near(got.alpha_c, by_hand.alpha_c, 1e-4);
    assert_near(got.beta_r, 1e-8, 0);
    assert_near(got.alpha_n, 1.1 * got.alpha_r, 1e-12);
    assert_near(orr_throughput(&got, 1, 2, (orr_batch){100, 0}), orr_throughput(&by_hand, 1, 2, (orr_batch){100, 0}),
                1);
}

static size_t measure_some(gsl_rng *rng, const orr_perf *perf, orr_measurement *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t gpus = i == 0 ? 1 : i < 4 ? (int32_t)i + 1 : 4 + (int32_t)gsl_rng_uniform_int(rng, 28);
        const int32_t nodes = i < 3 ? 1 : i < 6 ? 2 : (gpus + 3) / 4;
        out[i] = measure(perf, nodes, gpus, 10 + (int32_t)gsl_rng_uniform_int(rng, 500));
    }
    return n;
}

/* The priors are weak: they cost at most what a fit would lose by giving way to them. */
static void exact_data_come_back(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(7, "fit");
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        orr_measurement some[20];
        orr_perf perf = some_perf(rng), got;
        perf.gamma = 1 + 2 * gsl_rng_uniform(rng);
        const size_t n = measure_some(rng, &perf, some, COUNT(some));
        const double prior = 0.001 * (perf.gamma - 1) * (perf.gamma - 1) +
                             0.01 * (pow(perf.beta_n / perf.alpha_n, 2) + pow(perf.beta_r / perf.alpha_r, 2));
        const double reached = orr_perf_fit(some, n, NULL, &got);
        assert_true(reached <= prior + 1e-6);
        for (size_t k = 0; k < n; k++) {
            const double step = orr_perf_step(&got, some[k].nodes, some[k].gpus, (orr_batch){some[k].local, 0});
            worst = fmax(worst, fabs(step / some[k].step - 1));
        }
    }
    assert_true(worst < 0.01);
    gsl_rng_free(rng);
}

/* Times of nothing, and of nothing but synchronisation, count as next to nothing. */
static void times_of_nothing(void **state)
{
    (void)state;
    const orr_measurement some[] = {{1, 1, 8, 0, 0}, {1, 2, 8, 0.5, 0.75}, {2, 8, 0, 1, 1}, {3, 9, 4, 1, -1}};
    for (size_t n = 1; n <= COUNT(some); n++) {
        orr_perf got;
        assert_true(isfinite(orr_perf_fit(some, n, NULL, &got)));
        assert_true(got.alpha_c >= 1e-8 && got.beta_c >= 1e-8 && got.alpha_n >= 1e-8 && got.beta_n >= 1e-8);
        assert_true(got.alpha_r >= 1e-8 && got.beta_r >= 1e-8 && got.gamma >= 1 && got.gamma <= 10);
        assert_true(isfinite(orr_throughput(&got, 2, 8, (orr_batch){8, 0})));
    }
}

/* From wherever it begins a fit ends as well as from the fixed start, and twice the same. */
static void a_fit_from_another(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(8, "fit");
    for (int i = 0; i < 100; i++) {
        orr_measurement some[12];
        orr_perf perf = some_perf(rng), first, again, from = some_perf(rng);
        const size_t n = measure_some(rng, &perf, some, COUNT(some));
        for (size_t k = 0; k < n; k++)
            some[k].step *= between(rng, 0.97, 1.03);
        const double reached = orr_perf_fit(some, n, NULL, &first);
        assert_near(orr_perf_fit(some, n, &from, &again), reached, 1e-4);
        assert_near(orr_perf_fit(some, n, &first, &again), reached, 1e-6);
        orr_perf_fit(some, n, NULL, &again);
        assert_memory_equal(&first, &again, sizeof first);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughput_and_efficiency),  cmocka_unit_test(steps_of_one_gpu),
        cmocka_unit_test(gain_grows_up_to_the_noise), cmocka_unit_test(splitting_a_batch),
        cmocka_unit_test(the_best_of_all_batches),    cmocka_unit_test(no_batch_fits),
        cmocka_unit_test(unmeasured_is_optimistic),   cmocka_unit_test(two_gpus_of_one_node),
        cmocka_unit_test(exact_data_come_back),       cmocka_unit_test(times_of_nothing),
        cmocka_unit_test(a_fit_from_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
