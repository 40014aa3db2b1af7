/* tiresias: demotion at the very instant, promotion, the index, presets; and that it helps. The policy's own source is
 * included, for its pure part. */
#include "run.h"

#include "../../policies/sched/tiresias.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Three GPUs make 10 GPU-s in 3 1/3 s: A goes down at the first ns at or after that.
 *
 *   A 333..3333333   0-3.333333334 5.333333334-12  preempted once
 *   B  ..33          3.333333334-5.333333334
 */
static void demotion_at_fractions_of_a_second(void **unused)
{
    (void)unused;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10}, {.id = "B", .submit = 1, .gpus = 3, .duration = 2}};
    run *r = run_of(jobs, 2, "3", "tiresias,thresholds=10");
    run_held(r, "A", "0-3.333333334@0:3 5.333333334-12@0:3");
    run_held(r, "B", "3.333333334-5.333333334@0:3");
    assert_int_equal(run_note(r, "demoted"), 1);
    run_free(r);
}

static const run_job twice_promoted[] = {{.id = "A", .gpus = 1, .duration = 20},
                                         {.id = "B", .submit = 5, .gpus = 1, .duration = 30},
                                         {.id = "C", .submit = 12, .gpus = 1, .duration = 10},
                                         {.id = "D", .submit = 13, .gpus = 1, .duration = 10}};

/* A ran 10 s, waits 20 and is back in the first queue at 30, its service forgotten; there it stands before D, since it
 * ran before. The same for B at 40. After that B, down once more at 50, waits for D only.
 *
 *   A 1111111111....................1111111111                                 0-10 30-40  preempted once
 *   B      .....1111111111....................1111111111..........1111111111   10-20 40-50 60-70  preempted 2 times
 *   C             ........1111111111                                           20-30
 *   D              .....................................1111111111             50-60
 */
static void promotion(void **unused)
{
    (void)unused;
    run *r = run_of(twice_promoted, 4, "1", "tiresias,thresholds=10,promote=2");
    run_held(r, "A", "0-10@0:1 30-40@0:1");
    run_held(r, "B", "10-20@0:1 40-50@0:1 60-70@0:1");
    run_held(r, "C", "20-30@0:1");
    run_held(r, "D", "50-60@0:1");
    assert_int_equal(run_note(r, "promoted"), 2);
    run_free(r);
}

/* Without it: everyone has the first 10 s before anyone has more.
 *
 *   A 1111111111..............................1111111111                       0-10 40-50  preempted once
 *   B      .....1111111111..............................11111111111111111111   10-20 50-70  preempted once
 *   C             ........1111111111                                           20-30
 *   D              .................1111111111                                 30-40
 */
static void no_promotion(void **unused)
{
    (void)unused;
    run *r = run_of(twice_promoted, 4, "1", "tiresias,thresholds=10");
    run_ends(r, "A:50 B:70 C:30 D:40");
    assert_int_equal(run_note(r, "promoted"), 0);
    run_free(r);
}

/* Two queues, the first left at 3250 GPU-s. A column is 100 s.
 *
 *   A 11111111111111111111111111111111.11111111   0-3250 3350-4100  preempted once
 *   B ................................1           3250-3350
 *
 * By default there are three, left at 3250 and 7200: with 4 GPUs after 812.5 s and 1800 s. C goes down at 1812.5 and
 * meets A, which ran before and goes first, until it leaves the second queue too. A column is 100 s.
 *
 *   A 444444444.........444444444..44   0-900 1812.5-2712.5 2900-3100  preempted 2 times
 *   B          4                        900-1000
 *   C           44444444.........44     1000-1812.5 2712.5-2900  preempted once
 */
static void presets_and_thresholds(void **unused)
{
    (void)unused;
    const run_job two[] = {{.id = "A", .gpus = 1, .duration = 4000},
                           {.id = "B", .submit = 10, .gpus = 1, .duration = 100}};
    const run_job three[] = {{.id = "A", .gpus = 4, .duration = 2000},
                             {.id = "B", .submit = 900, .gpus = 4, .duration = 100},
                             {.id = "C", .submit = 1000, .gpus = 4, .duration = 1000}};
    run *paper = run_of(two, 2, "1", "tiresias:paper"), *usual = run_of(three, 3, "4", "tiresias");
    run_held(paper, "A", "0-3250@0:1 3350-4100@0:1");
    run_held(usual, "A", "0-900@0:4 1812.5-2712.5@0:4 2900-3100@0:4");
    run_held(usual, "C", "1000-1812.5@0:4 2712.5-2900@0:4");
    run_free(paper);
    run_free(usual);
}

/* Rounds of 10 s, one queue more from 160 GPU·s on, whoever joined a queue first is first in it, and thresholds are
 * looked at in rounds: A has 160 GPU·s at 50, B never, C at 120. A, that waits in the lower queue by then, is in front
 * of C, that runs.
 *
 *   A .1111.......111111         10-50 120-180
 *   B .....111                   50-80
 *   C  .......1111......11       80-120 180-200 */
static void as_they_joined_the_queue(void **unused)
{
    (void)unused;
    const run_job jobs[] = {{.id = "A", .submit = 1, .gpus = 4, .duration = 100},
                            {.id = "B", .submit = 5, .gpus = 4, .duration = 30},
                            {.id = "C", .submit = 12, .gpus = 4, .duration = 60}};
    run *r = run_of(jobs, 3, "4", "tiresias:pollux,thresholds=160,round=10s");
    run_ends(r, "A:180 B:80 C:200");
    run_held(r, "A", "10-50@0:4 120-180@0:4");
    run_free(r);
}

/* ---- the index ---- */

#define GITTINS                                                                                                        \
    "tiresias:paper,thresholds=100000,index=gittins,delta=40,samples=" ORR_TEST_DATA_DIR "/policies/m4.samples"

static const run_job at_100[] = {{.id = "A", .gpus = 1, .duration = 400},
                                 {.id = "B", .submit = 100, .gpus = 1, .duration = 50}};
static const run_job at_300[] = {{.id = "A", .gpus = 1, .duration = 400},
                                 {.id = "B", .submit = 300, .gpus = 1, .duration = 50}};

/* All in one queue. By first start A runs on. By index A stands at 0 after 100 s (no sample ends within 40 s) and gives
 * way to B at 0.016; after 300 s it stands at 1/60 and doesn't. A column is 10 s.
 *
 * tiresias:paper,thresholds=100000
 *   A 1111111111111111111111111111111111111111        0-400
 *   B           ..............................11111   400-450
 *
 * index=gittins, B at 100 and at 300
 *   A 1111111111.....111111111111111111111111111111   0-100 150-450  preempted once
 *   B           11111                                 100-150
 *
 *   A 1111111111111111111111111111111111111111        0-400
 *   B                               ..........11111   400-450
 */
static void the_index_orders_a_queue(void **unused)
{
    (void)unused;
    run *by_start = run_of(at_100, 2, "1", "tiresias:paper,thresholds=100000");
    run *early = run_of(at_100, 2, "1", GITTINS), *late = run_of(at_300, 2, "1", GITTINS);
    run_ends(by_start, "A:400 B:450");
    run_ends(early, "A:450 B:150");
    run_ends(late, "A:400 B:450");
    run_free(by_start);
    run_free(early);
    run_free(late);
}

static const double at[] = {10, 20, 20, 40, 80, 160, 320, 640};
static const orr_samples samples = {.count = 8, .at = at, .path = ""};

static void sums_of(double sums[9])
{
    sums[0] = 0;
    for (size_t i = 0; i < 8; i++)
        sums[i + 1] = sums[i] + at[i];
}

static void near(double value, double expected)
{
    if (fabs(value - expected) > 5e-5 * fmax(1, fabs(expected)) / 1e3)
        fail_msg("%.9g instead of %.9g", value, expected);
}

static void index_values(void **unused)
{
    (void)unused;
    double sums[9];
    sums_of(sums);
    near(gittins(&samples, sums, 0, 40), 0.016);
    near(gittins(&samples, sums, 15, 40), 1.0 / 65);
    near(gittins(&samples, sums, 40, 40), 0.00625);
    near(gittins(&samples, sums, 200, 40), 0);
    near(gittins(&samples, sums, 500, 40), 0);
    near(gittins(&samples, sums, 640, 40), 0);
}

/* The simulator's table has one value a sample, taken just below it: 9 19 19 39 79 159 319 639, and looks up the first
 * sample above the service. It sums the samples themselves, cuts the quotient to a whole number, and rounds.
 *   0    -> 9:   P = 4/8,           E = floor((90 + 4 * 40) / 8) = 31,    0.5 * 10^6 / 31
 *   15   -> 19:  P = 3/7 = 0.42857, E = floor((80 + 4 * 40) / 7) = 34,    0.42857 * 10^6 / 34
 *   40   -> 79:  P = 1/4,           E = floor((80 + 3 * 40) / 4) = 50,    0.25 * 10^6 / 50
 *   200  -> 319: P = 1/2,           E = floor((320 + 40) / 2) = 180,      0.5 * 10^6 / 180
 *   500  -> 639: the window passes the last sample, which isn't counted then: 0 */
static void table_values(void **unused)
{
    (void)unused;
    double sums[9];
    sums_of(sums);
    near(gittins_table(&samples, sums, 0, 40), 16129.0323);
    near(gittins_table(&samples, sums, 15, 40), 12605);
    near(gittins_table(&samples, sums, 40, 40), 5000);
    near(gittins_table(&samples, sums, 200, 40), 2777.7778);
    near(gittins_table(&samples, sums, 500, 40), 0);
    near(gittins_table(&samples, sums, 640, 40), 0);
}

static void the_index_needs_samples(void **unused)
{
    (void)unused;
    orr_trace *trace = run_trace(at_100, 2);
    orr_cluster_spec *cluster = run_cluster("1");
    run *r = run_try(trace, cluster, "tiresias,index=gittins", NULL);
    assert_int_equal(r->code, ORR_E_MISSING);
    run_free(r);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
}

/* ---- what the paper claims, on heavy tails under load ---- */

static double mean_jct(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy)
{
    run *r = run_policy(trace, cluster, policy, NULL);
    double mean = run_mean_jct(r);
    run_free(r);
    return mean;
}

/* 2,000 jobs with the shape of Philly's (median 19 min, mean 3.6 h), Poisson, loads 0.8, 0.9 and 1 of 64 GPUs. */
static void much_shorter_than_fifo_and_near_srtf(void **unused)
{
    (void)unused;
    orr_cluster_spec *cluster = run_cluster("nodes=8,gpus=8");
    for (uint64_t seed = 1; seed <= 3; seed++) {
        orr_synth_options o = orr_synth_options_default();
        o.seed = seed;
        o.jobs = 2000;
        o.arrivals = "poisson";
        o.span = ORR_TIME_NONE;
        o.load = 0.7 + 0.1 * (double)seed;
        o.gpus = 64;
        o.max_gpus = 64;
        orr_trace *trace = run_synth(&o);
        double fifo = mean_jct(trace, cluster, "fifo"), tiresias = mean_jct(trace, cluster, "tiresias");
        double srtf = mean_jct(trace, cluster, "srtf");
        print_message("load %.1f seed %llu: mean JCT fifo %.0f s, tiresias %.0f s, srtf %.0f s\n", o.load,
                      (unsigned long long)seed, fifo, tiresias, srtf);
        assert_true(tiresias <= 0.5 * fifo);
        assert_true(tiresias <= 1.3 * srtf);
        orr_trace_destroy(trace);
    }
    orr_cluster_spec_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demotion_at_fractions_of_a_second),
        cmocka_unit_test(promotion),
        cmocka_unit_test(no_promotion),
        cmocka_unit_test(presets_and_thresholds),
        cmocka_unit_test(as_they_joined_the_queue),
        cmocka_unit_test(the_index_orders_a_queue),
        cmocka_unit_test(index_values),
        cmocka_unit_test(table_values),
        cmocka_unit_test(the_index_needs_samples),
        cmocka_unit_test(much_shorter_than_fifo_and_near_srtf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
