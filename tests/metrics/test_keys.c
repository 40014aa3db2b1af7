/* The table of names, and distributions. */
#include "feed.h"
#include "metrics/dist.h"

typedef struct seen {
    const orr_metrics *m;
    size_t n;
    char keys[128][40];
} seen;

static void see(void *self, const char *key, double value, const char *unit)
{
    seen *s = self;
    double again;
    assert_true(orr_metrics_get(s->m, key, &again));
    assert_true(again == value || (isnan(again) && isnan(value)));
    static const char *const units[] = {"s", "ratio", "count", "gpu*s", ""};
    bool known = false;
    for (size_t i = 0; i < COUNT(units); i++)
        known |= strcmp(units[i], unit) == 0;
    assert_true(known);
    for (size_t i = 0; i < s->n; i++)
        assert_string_not_equal(s->keys[i], key);
    assert_true(s->n < COUNT(s->keys) && strlen(key) < sizeof s->keys[0]);
    strcpy(s->keys[s->n++], key);
}

static void every_key_is_unique_and_found(void **state)
{
    (void)state;
    orr_metrics m = {.jct = {.n = 2, .mean = 1.5}, .rho = orr_dist_none(), .gpu_alloc = 0.25, .preemptions = 7};
    seen s = {.m = &m};
    orr_metrics_each(&m, see, &s);
    assert_true(s.n > 60);
    assert_string_equal(s.keys[0], "measured");
    assert_metric(&m, "jct.mean", 1.5);
    assert_metric(&m, "gpu_alloc", 0.25);
    assert_metric(&m, "preemptions", 7);
    assert_metric(&m, "rho:avg_n.mean", NAN);
    assert_metric(&m, "rho.mean", NAN);
}

static void unknown_keys(void **state)
{
    (void)state;
    orr_metrics m = {0};
    double v = 3;
    assert_false(orr_metrics_get(&m, "jct", &v));
    assert_false(orr_metrics_get(&m, "jct.p42", &v));
    assert_false(orr_metrics_get(&m, "", &v));
    assert_true(v == 3);
}

/* 1..10: type 7 puts p at 1 + 9p. */
static void quantiles(void **state)
{
    (void)state;
    double v[] = {7, 3, 10, 1, 5, 9, 2, 8, 6, 4};
    orr_dist d = orr_dist_of(v, 10);
    assert_int_equal(d.n, 10);
    assert_true(d.mean == 5.5 && d.sum == 55 && d.p50 == 5.5 && d.max == 10);
    assert_true(fabs(d.p90 - 9.1) < 1e-14 && fabs(d.p95 - 9.55) < 1e-14 && fabs(d.p99 - 9.91) < 1e-14);
    double one[] = {4};
    d = orr_dist_of(one, 1);
    assert_true(d.mean == 4 && d.p50 == 4 && d.p99 == 4 && d.max == 4);
    d = orr_dist_of(NULL, 0);
    assert_true(d.n == 0 && isnan(d.mean) && isnan(d.p50) && isnan(d.max) && isnan(d.sum));
}

static void geometric_mean(void **state)
{
    (void)state;
    double v[] = {1, 4, 16};
    assert_true(fabs(orr_geomean(v, 3) - 4) < 1e-14);
    assert_true(isnan(orr_geomean(v, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_unique_and_found),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(geometric_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
