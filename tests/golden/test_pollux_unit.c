/* Goodput, best batches and fits of the published Pollux simulator: 70 cases each way in ours/, and those of its own
 * applications where the shared folder is. Numbers to 1e-9 of themselves, batches exactly, fits by the objective
 * that they reach, 1e-4 at most above theirs. */
#include "cases.h"
#include "compare.h"

#include "base/io.h"
#include "base/mem.h"

#include <orrery/goodput.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define OURS ORR_TEST_DATA_DIR "/golden/ours/pollux-unit/"
#define THEIRS "golden/pollux/"

static double real(const table *t, size_t row, const char *column)
{
    const char *text = table_text(t, row, column);
    char *end;
    const double v = strtod(text, &end);
    assert_true(end != text && !*end);
    return v;
}

static int32_t whole(const table *t, size_t row, const char *column)
{
    return (int32_t)table_number(t, row, column);
}

static void near(const table *t, size_t row, const char *column, double got)
{
    const double expected = real(t, row, column);
    if (fabs(got - expected) <= 1e-9 * fabs(expected))
        return;
    fail_msg("case %s: %s is %.17g, not %.17g", table_text(t, row, "case"), column, got, expected);
}

/* ---- parameters: in the row (ours), or by application and name in params.json ---- */

static const cJSON *application(const cJSON *params, const table *t, size_t row)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(params, "applications");
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(all, table_text(t, row, "application"));
    assert_non_null(one);
    return one;
}

static orr_perf perf_of(const cJSON *params, const table *t, size_t row)
{
    if (!params)
        return (orr_perf){real(t, row, "alpha_c"), real(t, row, "beta_c"),  real(t, row, "alpha_n"),
                          real(t, row, "beta_n"),  real(t, row, "alpha_r"), real(t, row, "beta_r"),
                          real(t, row, "gamma")};
    const cJSON *sets = cJSON_GetObjectItemCaseSensitive(application(params, t, row), "perf_params");
    const cJSON *set = cJSON_GetObjectItemCaseSensitive(sets, table_text(t, row, "perf_params"));
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(set, "values");
    double v[7];
    assert_int_equal(cJSON_GetArraySize(values), 7);
    for (int i = 0; i < 7; i++)
        v[i] = cJSON_GetArrayItem(values, i)->valuedouble;
    return (orr_perf){v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
}

static int64_t initial_of(const cJSON *params, const table *t, size_t row)
{
    if (!params)
        return table_number(t, row, "init_batch_size");
    return (int64_t)cJSON_GetObjectItemCaseSensitive(application(params, t, row), "init_batch_size")->valuedouble;
}

static orr_noise noise_of(const table *t, size_t row)
{
    return (orr_noise){real(t, row, "grad_sqr"), real(t, row, "grad_var")};
}

/* ---- the cases ---- */

static void goodput_is_theirs(const cJSON *params, const table *t, size_t row)
{
    const orr_perf perf = perf_of(params, t, row);
    const orr_batch batch = {whole(t, row, "atomic_bsz"), whole(t, row, "accum_steps")};
    const int32_t nodes = whole(t, row, "num_nodes"), gpus = whole(t, row, "num_replicas");
    const int64_t total = orr_batch_total(batch, gpus);
    assert_int_equal(total, table_number(t, row, "batch_size"));
    const double throughput = orr_throughput(&perf, nodes, gpus, batch);
    const double efficiency = orr_efficiency(noise_of(t, row), initial_of(params, t, row), total);
    near(t, row, "throughput", throughput);
    near(t, row, "efficiency", efficiency);
    near(t, row, "goodput", throughput * efficiency);
}

/* Theirs may be rounded up beyond the greatest batch; it is cut before it is used, as is ours. */
static int32_t cut(const orr_batch_limits *limits, int32_t gpus, int32_t local, int32_t steps)
{
    const int64_t most = limits->most / ((int64_t)gpus * (steps + 1));
    return local < most ? local : (int32_t)most;
}

static void best_is_theirs(const cJSON *params, const table *t, size_t row)
{
    const orr_perf perf = perf_of(params, t, row);
    const orr_batch_limits limits = {initial_of(params, t, row), table_number(t, row, "max_batch_size"),
                                     whole(t, row, "min_atomic_bsz"), whole(t, row, "max_atomic_bsz"),
                                     table_number(t, row, "accumulation") != 0};
    const int32_t gpus = whole(t, row, "num_replicas"), steps = whole(t, row, "best_accum_steps");
    orr_batch best;
    const double value = orr_goodput_best(&perf, noise_of(t, row), &limits, whole(t, row, "num_nodes"), gpus, &best);
    near(t, row, "best_goodput", value);
    assert_int_equal(best.steps, steps);
    assert_int_equal(best.local, cut(&limits, gpus, whole(t, row, "best_atomic_bsz"), steps));
    const double alone = orr_goodput_best(&perf, noise_of(t, row), &limits, 1, 1, NULL);
    near(t, row, "base_goodput_1gpu", alone);
    near(t, row, "speedup", value / alone);
}

/* "a:b:c;a:b:c": so many numbers each. */
static size_t read_points(const char *text, size_t each, double *out, size_t room)
{
    size_t n = 0;
    for (const char *at = text; *at; n++) {
        assert_true(n < room);
        char *end;
        out[n] = strtod(at, &end);
        assert_true(end != at && (!*end || *end == (n % each == each - 1 ? ';' : ':')));
        at = *end ? end + 1 : end;
    }
    assert_int_equal(n % each, 0);
    return n / each;
}

/* `ours`: values are the times of a step that only accumulates, and of one that synchronises. */
static void fit_is_as_good(const table *t, size_t row, bool ours)
{
    enum { MOST = 200 };
    double keys[3 * MOST], times[2 * MOST];
    orr_measurement measured[MOST];
    const size_t n =
        read_points(table_text(t, row, ours ? "points_nodes:replicas:atomic_bsz" : "points_nodes:replicas:local_bsz"),
                    3, keys, 3 * MOST);
    const size_t values =
        read_points(table_text(t, row, ours ? "values_accum_s:optim_s" : "values_step:sync"), 2, times, 2 * MOST);
    assert_int_equal(n, table_number(t, row, "n_points"));
    assert_int_equal(n, values);
    for (size_t i = 0; i < n; i++) {
        const double *k = keys + 3 * i, first = times[2 * i], second = times[2 * i + 1];
        measured[i] = (orr_measurement){(int32_t)k[0], (int32_t)k[1], (int32_t)k[2], ours ? second : first,
                                        ours ? second - first : second};
    }
    orr_perf perf;
    const double reached = orr_perf_fit(measured, n, NULL, &perf), theirs = real(t, row, "objective");
    if (!(reached <= theirs + 1e-4))
        fail_msg("case %s: the fit reached %.9g, theirs %.9g", table_text(t, row, "case"), reached, theirs);
}

static void run_cases(const char *label, const char *path, const cJSON *params,
                      void (*one)(const cJSON *, const table *, size_t))
{
    table *t = table_read(path);
    assert_true(t->count > 0);
    for (size_t i = 0; i < t->count; i++)
        one(params, t, i);
    table_free(t);
    golden_ran(label);
}

static void run_fits(const char *label, const char *path, bool ours)
{
    table *t = table_read(path);
    assert_true(t->count > 0);
    for (size_t i = 0; i < t->count; i++)
        fit_is_as_good(t, i, ours);
    table_free(t);
    golden_ran(label);
}

static void our_cases(void **state)
{
    (void)state;
    run_cases("pollux-unit goodput", OURS "goodput-cases.csv", NULL, goodput_is_theirs);
    run_cases("pollux-unit best batch", OURS "optimize-cases.csv", NULL, best_is_theirs);
    run_fits("pollux-unit fits", OURS "fit-cases.csv", true);
}

static void their_cases(void **state)
{
    (void)state;
    char params[1024], path[1024];
    if (!run_shared(params, THEIRS "params.json")) {
        golden_skipped("pollux unit", "its cases are not here");
        return;
    }
    cJSON *root = json_read(params);
    assert_true(run_shared(path, THEIRS "unit/goodput-cases.csv.gz"));
    run_cases("pollux goodput", path, root, goodput_is_theirs);
    assert_true(run_shared(path, THEIRS "unit/optimize-cases.csv.gz"));
    run_cases("pollux best batch", path, root, best_is_theirs);
    assert_true(run_shared(path, THEIRS "unit/fit-cases.csv.gz"));
    run_fits("pollux fits", path, false);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_cases),
        cmocka_unit_test(their_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
