/* What comes of requests in numbers, worked out by hand. */
#include "world.h"

#include <orrery/metrics.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g instead of %.12g", value, expected);
}

static orr_serving_metrics measured(small_world *w, const char *serve)
{
    const orr_serving *s = small_world_run(w, serve, 1);
    return orr_serving_measure(s, -1, orr_sim_now(w->sim));
}

/* One every 4 ms, each taking 6, in time within 11 ms: they are answered after 6, 8, 10, 12 and 14 ms, the last at 34
 * ms. */
static void five_in_a_row(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.005, 0.001, 0, 5, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 250;
    w.class_.slo = 11 * ORR_MS;
    const orr_serving_metrics m = measured(&w, "");
    assert_int_equal(m.arrived, 5);
    assert_int_equal(m.answered, 5);
    assert_int_equal(m.late, 2);
    near(m.slo_attain, 0.6);
    near(m.goodput, 3 / 0.034);
    near(m.tput_req, 5 / 0.034);
    near(m.latency.mean, 0.010);
    near(m.latency.max, 0.014);
    near(m.latency_all.mean, 0.010);
    near(m.wait.mean, 0.004);
    near(m.queue_len, 0.020 / 0.034);
    near(m.exec_busy, 30.0 / 34);
    near(m.gpu_hours, 0.034 / 3600);
    near(m.batch_mean, 1);
    near(m.accuracy, 1);
    assert_true(isnan(m.tput_tok) && isnan(m.ttft.p50) && isnan(m.correct) && isnan(m.cost));
    small_world_fini(&w);
}

/* Each takes 20 ms and at most one may wait: two of five are answered. The median of those is known, that of all is
 * not. */
static void the_dropped_are_longer_than_any(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.019, 0.001, 0, 5, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 250;
    w.service.bound = 1;
    const orr_serving_metrics m = measured(&w, "");
    assert_int_equal(m.dropped, 3);
    assert_int_equal(m.full, 3);
    near(m.slo_attain, 0.4);
    assert_int_equal(m.latency.n, 2);
    assert_true(m.latency.p50 > 0);
    assert_int_equal(m.latency_all.n, 5);
    assert_true(isnan(m.latency_all.p50) && isnan(m.latency_all.mean) && isnan(m.latency_all.max));
    small_world_fini(&w);
}

/* The first two come before 10 ms have passed: they are served, and nothing is told of them. */
static void a_warm_up_is_not_measured(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.001, 0.001, 0, 5, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 250;
    w.services.warm_up = 10 * ORR_MS;
    const orr_serving_metrics m = measured(&w, "");
    assert_int_equal(m.warm_up, 2);
    assert_int_equal(m.arrived, 3);
    near(m.tput_req, 3 / 0.012);
    small_world_fini(&w);
}

/* Accuracy is told only where every variant states it. */
static void unstated_accuracy_is_unknown(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.001, 0.001, 100, 5, 1);
    w.variant.accuracy = NAN;
    assert_true(isnan(measured(&w, "").accuracy));
    small_world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_in_a_row),
        cmocka_unit_test(the_dropped_are_longer_than_any),
        cmocka_unit_test(a_warm_up_is_not_measured),
        cmocka_unit_test(unstated_accuracy_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
