/* What a sweep's tables say, from numbers made up so that every answer can be worked out by hand. */
#include "study/sweep_report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Two policies at two loads, five seeds. By seed, jct.mean:
 *
 *     load 1    fifo 10 12 14 16 18 (mean 14)    srtf 9 10 13 13 15 (mean 12): differences -1 -2 -1 -3 -3, mean -2,
 *               sd 1, t(0.975, 4) = 2.776445, half width 2.776445 / sqrt(5) = 1.241664: -3.241664 to -0.758336
 *     load 2    fifo 20 20 20 20 20              srtf 19 21 20 22 19 (mean 20.2): +0.2, sd 1.303840, half 1.618932
 *
 * gpu_alloc (higher is better) is 0.5 everywhere under fifo and 0.4 under srtf. */
static const char plan_text[] = "schema: orrery.sweep/1\n"
                                "name: by hand\n"
                                "grid:\n  policy: [fifo, srtf]\n  scale-load: [1, 2]\n  seed: 1..5\n"
                                "baseline: {policy: fifo}\nmetrics: [jct.mean, gpu_alloc]\n";
static const double jct[20] = {10, 12, 14, 16, 18, 20, 20, 20, 20, 20, 9, 10, 13, 13, 15, 19, 21, 20, 22, 19};

typedef struct made {
    orr_sweep_plan *plan;
    orr_cells *cells;
    orr_sweep_results results;
} made;

static void add_cell(made *m, size_t cell, const char *error, bool biased, double jct_mean, double alloc)
{
    orr_error e = {0};
    orr_text t = {0};
    orr_cells_line_begin(cell, &t);
    if (error)
        orr_text_addf(&t, "\"axes\":{},\"error\":{\"code\":\"%s\"},\"summary\":null}\n", error);
    else
        orr_text_addf(&t,
                      "\"axes\":{},\"error\":null,\"summary\":{\"measured\":{\"n\":3,\"biased\":%s},\"metrics\":"
                      "{\"jct\":{\"mean\":%g},\"gpu_alloc\":%g}}}\n",
                      biased ? "true" : "false", jct_mean, alloc);
    assert_int_equal(orr_cells_append(m->cells, &t, false, &e), ORR_OK);
    orr_text_fini(&t);
}

static void make(made *m, const char *text)
{
    orr_error e = {0};
    *m = (made){.plan = orr_sweep_plan_read("plan.yaml", text, strlen(text), &e)};
    if (!m->plan)
        fail_msg("%d:%d: %s", e.line, e.column, e.message);
    m->cells = orr_cells_open(NULL, m->plan->cells, &e);
}

static void load(made *m)
{
    orr_error e = {0};
    if (orr_sweep_results_load(m->plan, m->cells, &m->results, &e))
        fail_msg("%s", e.message);
}

static void make_by_hand(made *m)
{
    make(m, plan_text);
    for (size_t i = 0; i < 20; i++)
        add_cell(m, i + 1, NULL, i == 7, jct[i], i < 10 ? 0.5 : 0.4);
    load(m);
}

static void fini(made *m)
{
    orr_sweep_results_fini(&m->results);
    orr_cells_close(m->cells);
    orr_sweep_plan_destroy(m->plan);
}

static void near(double got, double want)
{
    if (!(fabs(got - want) < 1e-6))
        fail_msg("%.12g instead of %.12g", got, want);
}

static void differences_are_paired_by_seed(void **state)
{
    (void)state;
    made m;
    orr_sweep_contrast c;
    make_by_hand(&m);
    orr_bootstrap *b = orr_bootstrap_create(1);
    orr_sweep_contrast_make(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){1, 0, 0}, 0, b, &c);
    near(c.sample.mean, 12);
    near(c.base, 14);
    near(c.difference.mean, -2);
    near(c.difference.low, -3.241664);
    near(c.difference.high, -0.758336);
    assert_int_equal(c.signs.below, 5);
    assert_true(c.boot_low >= -3 && c.boot_low < -2 && c.boot_high > -2 && c.boot_high <= -1);
    orr_sweep_contrast_fini(&c);
    orr_sweep_contrast_make(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){1, 1, 0}, 0, b, &c);
    near(c.difference.mean, 0.2);
    near(c.difference.low, 0.2 - 1.618932);
    assert_true(c.signs.above == 2 && c.signs.below == 2 && c.signs.zero == 1);
    orr_sweep_contrast_fini(&c);
    orr_sweep_contrast_make(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){0, 1, 0}, 0, b, &c);
    assert_true(!c.paired && c.biased);
    orr_sweep_contrast_fini(&c);
    orr_bootstrap_destroy(b);
    fini(&m);
}

static void the_winner_follows_the_direction(void **state)
{
    (void)state;
    made m;
    orr_sweep_winner w;
    make_by_hand(&m);
    orr_sweep_winner_find(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){0, 0, 0}, 0, &w);
    assert_true(w.candidates == 2 && w.best[0] == 1 && w.second[0] == 0 && w.clear && !w.tie);
    near(w.mean, 12);
    near(w.behind, 2 / 12.0);
    orr_sweep_winner_find(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){0, 1, 0}, 0, &w);
    assert_true(w.best[0] == 0 && !w.clear);
    orr_sweep_winner_find(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){0, 0, 0}, 1, &w);
    assert_true(w.best[0] == 0 && w.clear);
    near(w.behind, 0.2);
    fini(&m);
}

static const char told[] =
    "by hand: 20 cells\n"
    "\n"
    "policy  scale-load  n         jct.mean  gpu_alloc\n"
    "fifo    1           5    14 s +- 3.9 s   0.5 +- 0\n"
    "fifo    2           5     20 s* +- 0 s  0.5* +- 0\n"
    "srtf    1           5      12 s +- 3 s   0.4 +- 0\n"
    "srtf    2           5  20.2 s +- 1.6 s   0.4 +- 0\n"
    "\n"
    "means over seed; +- is half of the 95 % interval (Student t)\n"
    "\n"
    "* jobs were still running or queued at the end: covers survivors only\n"
    "\n"
    "jct.mean against policy=fifo (lower is better)\n"
    "\n"
    "policy  scale-load  difference  relative             95 % t     95 % bootstrap  better  worse  same\n"
    "srtf    1                 -2 s   -14.3 %  -3.2 s .. -758 ms   -2.8 s .. -1.2 s       5      0     0\n"
    "srtf    2              +200 ms      +1 %   -1.4 s .. +1.8 s  -800 ms .. +1.2 s       2      2     1\n"
    "\n"
    "gpu_alloc against policy=fifo (higher is better)\n"
    "\n"
    "policy  scale-load  difference  relative        95 % t  95 % bootstrap  better  worse  same\n"
    "srtf    1                 -0.1     -20 %  -0.1 .. -0.1    -0.1 .. -0.1       0      5     0\n"
    "srtf    2                 -0.1     -20 %  -0.1 .. -0.1    -0.1 .. -0.1       0      5     0\n"
    "\n"
    "which policy wins where\n"
    "\n"
    "scale-load  jct.mean                          gpu_alloc\n"
    "1           srtf (clear), fifo 16.7 % behind  fifo (clear), srtf 20 % behind\n"
    "2           fifo, srtf 1 % behind             fifo (clear), srtf 20 % behind\n"
    "\n"
    "clear: the 95 % interval of the paired difference to the next best excludes 0\n";

static void the_tables_say_so(void **state)
{
    (void)state;
    made m;
    orr_text t = {0};
    make_by_hand(&m);
    orr_sweep_tables(m.plan, &m.results, ORR_TABLE_TEXT, &t);
    assert_string_equal(t.at, told);
    orr_text_fini(&t);
    fini(&m);
}

/* One seed of srtf failed: its numbers count nowhere, pairs are those that both have, and it doesn't compete. */
static void failed_cells_count_nowhere(void **state)
{
    (void)state;
    made m;
    orr_sweep_contrast c;
    orr_sweep_winner w;
    orr_text t = {0};
    make(&m, "schema: orrery.sweep/1\ngrid: {policy: [fifo, srtf, las], seed: 1..3}\nbaseline: {policy: fifo}\n"
             "metrics: jct.mean\n");
    for (size_t i = 0; i < 9; i++)
        add_cell(&m, i + 1, i == 4 ? "stalled" : NULL, false, i < 3 ? 10 + (double)i : 5 + (double)i, 0);
    load(&m);
    assert_int_equal(m.results.failed, 1);
    assert_int_equal(m.results.states[4].code, ORR_E_STALLED);
    orr_sweep_contrast_make(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){1, 0}, 0, NULL, &c);
    assert_true(c.repeats == 3 && c.sample.n == 2 && c.difference.n == 2);
    near(c.difference.mean, ((8 - 10) + (10 - 12)) / 2.0);
    near(c.base, 11);
    orr_sweep_contrast_fini(&c);
    orr_sweep_winner_find(m.plan, &m.results, (const uint32_t[ORR_SWEEP_AXES]){0}, 0, &w);
    assert_true(w.candidates == 2 && w.best[0] == 0 && w.second[0] == 2);
    orr_sweep_tables(m.plan, &m.results, ORR_TABLE_TEXT, &t);
    assert_non_null(strstr(t.at, "9 cells, 1 failed"));
    assert_non_null(strstr(t.at, "2 of 3"));
    assert_non_null(strstr(t.at, "stalled"));
    orr_text_fini(&t);
    fini(&m);
}

/* Twenty thousand configurations: linear, so a second. */
static void large_sweeps_take_linear_time(void **state)
{
    (void)state;
    made m;
    make(&m, "schema: orrery.sweep/1\ngrid: {policy: [a, b, c, d], limit: 1..5000, seed: 1..2}\n"
             "baseline: {policy: a}\nmetrics: jct.mean\n");
    for (size_t i = 0; i < m.plan->cells; i++)
        add_cell(&m, i + 1, NULL, false, (double)(i % 977), 0.5);
    load(&m);
    orr_text t = {0};
    orr_sweep_tables(m.plan, &m.results, ORR_TABLE_TEXT, &t);
    assert_true(t.n > 500000);
    orr_text_fini(&t);
    fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_paired_by_seed),
        cmocka_unit_test(the_winner_follows_the_direction),
        cmocka_unit_test(the_tables_say_so),
        cmocka_unit_test(failed_cells_count_nowhere),
        cmocka_unit_test(large_sweeps_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
