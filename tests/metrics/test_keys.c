/* The table of names, its page, and distributions. */
#include "base/io.h"
#include "feed.h"
#include "metrics/dist.h"
#include "metrics/keys.h"

#include <stdio.h>

typedef struct seen {
    const orr_metrics *m;
    size_t n;
    char keys[256][40];
} seen;

static void see(void *self, const char *key, double value, const char *unit)
{
    seen *s = self;
    double again;
    assert_true(orr_metrics_get(s->m, key, &again));
    assert_true(again == value || (isnan(again) && isnan(value)));
    static const char *const units[] = {"s", "ratio", "count", "gpu*s", "J", "money", "1/s", "gpu*h", ""};
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

static size_t keys_of(const orr_metrics *m)
{
    seen s = {.m = m};
    orr_metrics_each(m, see, &s);
    return s.n;
}

/* A run that only serves tells nothing of jobs, and one without services nothing of requests. */
static void runs_tell_what_they_have(void **state)
{
    (void)state;
    double v;
    const orr_metrics jobs = {.without_serving = true}, requests = {.without_jobs = true}, both = {0};
    assert_false(orr_metrics_get(&jobs, "slo_attain", &v));
    assert_true(orr_metrics_get(&jobs, "jct.mean", &v));
    assert_true(orr_metrics_get(&requests, "slo_attain", &v));
    assert_true(orr_metrics_get(&requests, "window", &v) && orr_metrics_get(&requests, "gpus", &v));
    assert_false(orr_metrics_get(&requests, "jct.mean", &v) || orr_metrics_get(&requests, "jobs.completed", &v));
    assert_true(keys_of(&jobs) < keys_of(&both) && keys_of(&requests) < keys_of(&both));
    assert_true(orr_metric_is_served("latency.p99") && orr_metric_is_served("cost.serve"));
    assert_false(orr_metric_is_served("cost.total") || orr_metric_is_served("wait_first.mean"));
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
    double two[] = {8, 4};
    d = orr_dist_of(two, 2);
    assert_true(d.mean == 6 && d.p50 == 6 && fabs(d.p90 - 7.6) < 1e-14 && fabs(d.p99 - 7.96) < 1e-14 && d.max == 8);
    double ties[] = {2, 1, 2, 2, 9, 2}; /* at 1 + 5p: 2.5 lies among equals, 4.5 between 2 and 9 */
    d = orr_dist_of(ties, 6);
    assert_true(d.mean == 3 && d.p50 == 2 && d.p90 == 2 + 0.5 * 7 && d.max == 9);
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

static void directions(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        orr_direction better;
    } rows[] = {
        {"jct.mean", ORR_BETTER_LOWER},       {"jct.n", ORR_BETTER_TARGET},       {"wait_first.p99", ORR_BETTER_LOWER},
        {"slowdown.geomean", ORR_BETTER_LOWER}, {"service.sum", ORR_BETTER_TARGET}, {"rho.max", ORR_BETTER_LOWER},
        {"rho:avg_n.p50", ORR_BETTER_LOWER},  {"rho.n", ORR_BETTER_TARGET},       {"rho_unfair", ORR_BETTER_LOWER},
        {"e2e.p99", ORR_BETTER_LOWER},        {"e2e.n", ORR_BETTER_TARGET},
        {"gpu_alloc", ORR_BETTER_HIGHER},     {"gpu_busy", ORR_BETTER_HIGHER},    {"gpu_util", ORR_BETTER_HIGHER},
        {"jain", ORR_BETTER_HIGHER},          {"jain:vc", ORR_BETTER_HIGHER},     {"ltgf:vc", ORR_BETTER_LOWER},
        {"deadline_met", ORR_BETTER_HIGHER},
        {"frag", ORR_BETTER_LOWER},           {"frag:node", ORR_BETTER_LOWER},    {"queue_len", ORR_BETTER_LOWER},
        {"age_max", ORR_BETTER_LOWER},        {"load", ORR_BETTER_TARGET},        {"load:V100", ORR_BETTER_TARGET},
        {"jobs.completed", ORR_BETTER_TARGET}, {"measured", ORR_BETTER_TARGET},   {"deadlines", ORR_BETTER_TARGET},
        {"preemptions", ORR_BETTER_LOWER},    {"lost_work", ORR_BETTER_LOWER},    {"makespan", ORR_BETTER_LOWER},
        {"mean(jct)", ORR_BETTER_TARGET},     {"", ORR_BETTER_TARGET},
        {"slo_attain", ORR_BETTER_HIGHER},    {"latency.p99", ORR_BETTER_LOWER},  {"latency.p999", ORR_BETTER_LOWER},
        {"latency_all.n", ORR_BETTER_TARGET}, {"requests.arrived", ORR_BETTER_TARGET},
        {"requests.dropped", ORR_BETTER_LOWER}, {"queue_len:serve", ORR_BETTER_LOWER},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (orr_metric_direction(rows[i].key) != rows[i].better)
            fail_msg("%s: %s", rows[i].key, orr_direction_name(orr_metric_direction(rows[i].key)));
    assert_string_equal(orr_direction_name(ORR_BETTER_HIGHER), "higher");
}

/* Loads of types are keys by the types' names. */
static void loads_by_type(void **state)
{
    (void)state;
    orr_metrics m = {.type_loads = {{"V100", 0.5}, {"", 2}}, .type_load_count = 2};
    assert_metric(&m, "load:V100", 0.5);
    assert_metric(&m, "load:(none)", 2);
    double v;
    assert_false(orr_metrics_get(&m, "load:TYPE", &v));
    assert_false(orr_metrics_get(&m, "load:K80", &v));
}

#define README ORR_SOURCE_DIR "/src/metrics/README.md"

/* The table in README.md is the one that the code prints. ORRERY_UPDATE_DOCS=1 writes it anew instead of comparing. */
static void the_page_is_up_to_date(void **state)
{
    (void)state;
    static const char mark[] = "<!-- keys -->\n";
    orr_input *in = orr_input_open(README, NULL);
    char *page;
    size_t n;
    orr_text table = {0};
    assert_non_null(in);
    assert_int_equal(orr_input_all(in, &page, &n, NULL), ORR_OK);
    orr_input_close(in);
    char *from = strstr(page, mark), *to = from ? strstr(from, "<!-- end -->") : NULL;
    assert_non_null(to);
    from += sizeof mark - 1;
    orr_metric_keys_markdown(&table);
    const bool same = (size_t)(to - from) == table.n && memcmp(from, table.at, table.n) == 0;
    if (!same && getenv("ORRERY_UPDATE_DOCS")) {
        FILE *f = fopen(README, "w");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(from - page), page, table.at, to);
        fclose(f);
    } else if (!same) {
        fail_msg("%s differs from the table; ORRERY_UPDATE_DOCS=1 with this test writes it anew", README);
    }
    orr_text_fini(&table);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_tell_what_they_have),
        cmocka_unit_test(every_key_is_unique_and_found),
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(geometric_mean),
        cmocka_unit_test(directions),
        cmocka_unit_test(loads_by_type),
        cmocka_unit_test(the_page_is_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
