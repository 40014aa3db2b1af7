/* gittins: the index's values, and what it makes of them. The policy's own source is included, for its pure part. */
#include "run.h"

#include "../../policies/sched/gittins.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Samples 10 20 20 40 80 160 320 640, window 40. By hand, G(15): seven samples are greater; three of them (20 20 40)
 * within 55, of which 5 + 5 + 25 are to be served, and 4 x 40 for the others: 3 / 195. */
static void values(void **unused)
{
    (void)unused;
    const double v[] = {10, 20, 20, 40, 80, 160, 320, 640};
    double sums[9] = {0};
    for (size_t i = 0; i < 8; i++)
        sums[i + 1] = sums[i] + v[i];
    const double expected[][2] = {{0, 0.016}, {15, 1.0 / 65}, {40, 0.00625}, {200, 0}, {300, 1.0 / 60}, {310, 0.02},
                                  {320, 0},   {500, 0},       {640, 0},      {1000, 0}};
    for (size_t i = 0; i < RUN_COUNT(expected); i++)
        assert_true(fabs(gittins(v, sums, 8, expected[i][0], 40) - expected[i][1]) < 1e-12);
}

#define SAMPLES "gittins,samples=" ORR_TEST_DATA_DIR "/policies/m4.samples,delta=40,quantum=10"

/* A at 300 s: one of the two greater samples is 20 s away, 1/60 > 0.016 of a new job. It runs on, as it would not by
 * attained service, until 320: nobody of the samples ended between there and 360, so B has its turn. A column is 10 s.
 *
 *   A 11111111111111111111111111111111.....11111111   0-320 370-450  preempted once
 *   B                               ..11111           320-370
 */
static void a_job_that_is_about_to_end_runs_on(void **unused)
{
    (void)unused;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 400},
                            {.id = "B", .submit = 300, .gpus = 1, .duration = 50}};
    run *r = run_of(jobs, 2, "1", SAMPLES);
    run_held(r, "A", "0-320@0:1 370-450@0:1");
    run_held(r, "B", "320-370@0:1");
    run_free(r);
}

/* A at 100 s: nobody ended between there and 140. B goes first, and keeps the GPU: its index stays above 0.
 *
 *   A 1111111111.....111111111111111111111111111111   0-100 150-450  preempted once
 *   B           11111                                 100-150
 */
static void a_job_that_is_not_gives_way(void **unused)
{
    (void)unused;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 400},
                            {.id = "B", .submit = 100, .gpus = 1, .duration = 50}};
    run *r = run_of(jobs, 2, "1", SAMPLES);
    run_held(r, "A", "0-100@0:1 150-450@0:1");
    run_held(r, "B", "100-150@0:1");
    run_free(r);
}

/* `n` jobs of 10 s, then A (12 s) at 200 and B (3 s) at 205. */
static run *after(size_t n)
{
    run_job jobs[20] = {{0}};
    char ids[20][8];
    for (size_t i = 0; i < n; i++) {
        snprintf(ids[i], sizeof ids[i], "s%zu", i);
        jobs[i] = (run_job){.id = ids[i], .submit = 10.0 * (double)i, .gpus = 1, .duration = 10};
    }
    jobs[n] = (run_job){.id = "A", .submit = 200, .gpus = 1, .duration = 12};
    jobs[n + 1] = (run_job){.id = "B", .submit = 205, .gpus = 1, .duration = 3};
    return run_of(jobs, n + 2, "1", "gittins,quantum=5");
}

/* Learned: after 16 jobs of 10 s each, A with 5 s done is 5 s from its end (1/5), B 10 s (1/10). A runs on until 210,
 * where it proves longer than all known ones. After 15 jobs nothing is known yet, and the least attained service goes
 * first.
 *
 *        205  210  215
 *   A 11111111111...11       200-210 213-215    after 16
 *   B      .....111          210-213
 *
 *   A 11111...1111111        200-205 208-215    after 15
 *   B      111               205-208
 */
static void learns_from_sixteen_jobs_on(void **unused)
{
    (void)unused;
    run *knows = after(16), *does_not = after(15);
    run_held(knows, "A", "200-210@0:1 213-215@0:1");
    run_held(knows, "B", "210-213@0:1");
    run_held(does_not, "A", "200-205@0:1 208-215@0:1");
    run_held(does_not, "B", "205-208@0:1");
    run_free(knows);
    run_free(does_not);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(a_job_that_is_about_to_end_runs_on),
        cmocka_unit_test(a_job_that_is_not_gives_way),
        cmocka_unit_test(learns_from_sixteen_jobs_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
