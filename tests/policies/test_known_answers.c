/* Schedules of one small scenario under every list policy, worked out by hand.
 *
 * One node of 4 GPUs, no costs, exact durations. Jobs as (submit, GPUs, run):
 *     A (0, 2, 100)   B (0, 4, 20)   C (5, 1, 30)   D (10, 2, 10)   E (12, 4, 5)   F (15, 1, 60)
 * Ties by submission, then name. In the pictures a row is a job and a column 5 s from 0 on: a digit is the number of
 * GPUs it holds then, '.' waiting. Behind it stand the exact intervals. */
#include "run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const run_job jobs[] = {
    {.id = "A", .submit = 0, .gpus = 2, .duration = 100}, {.id = "B", .submit = 0, .gpus = 4, .duration = 20},
    {.id = "C", .submit = 5, .gpus = 1, .duration = 30},  {.id = "D", .submit = 10, .gpus = 2, .duration = 10},
    {.id = "E", .submit = 12, .gpus = 4, .duration = 5},  {.id = "F", .submit = 15, .gpus = 1, .duration = 60},
};

static void check(const char *policy, const char *ends, const char *preempted, double mean_jct, double makespan)
{
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=4", policy);
    run_ends(r, ends);
    run_preempted(r, preempted);
    if (fabs(run_mean_jct(r) - mean_jct) > 5e-5 || run_makespan(r) != makespan)
        fail_msg("%s: mean JCT %.4f, makespan %g; should be %.4f, %g", policy, run_mean_jct(r), run_makespan(r),
                 mean_jct, makespan);
    run_free(r);
}

/* B holds the line until A ends; C and E wait behind whoever stands before them, though there is room.
 *
 *   A 22222222222222222222                          0-100
 *   B ....................4444                      100-120
 *   C  .......................111111                120-150
 *   D   ......................22                    120-130
 *   E   ............................4               150-155
 *   F    ............................111111111111   155-215
 */
static void fifo_blocks(void **state)
{
    (void)state;
    check("fifo", "A:100 B:120 C:150 D:130 E:155 F:215", "", 138.0000, 215);
}

/* C and F pass B. D, of 2 GPUs, finds two free ones only when F ends.
 *
 *   A 22222222222222222222        0-100
 *   B ....................4444    100-120
 *   C  111111                     5-35
 *   D   .............22           75-85
 *   E   ......................4   120-125
 *   F    111111111111             15-75
 */
static void fifo_that_skips_starts_whatever_fits(void **state)
{
    (void)state;
    check("fifo,hol=skip", "A:100 B:120 C:35 D:85 E:125 F:75", "", 83.0000, 125);
}

/* B, the head, is promised 100. Everyone behind it ends before that, so this is `skip`, but by right.
 *
 *   A 22222222222222222222        0-100
 *   B ....................4444    100-120
 *   C  111111                     5-35
 *   D   .............22           75-85
 *   E   ......................4   120-125
 *   F    111111111111             15-75
 */
static void easy_backfills_without_delaying_the_head(void **state)
{
    (void)state;
    check("easy", "A:100 B:120 C:35 D:85 E:125 F:75", "", 83.0000, 125);
}

/* D is promised 35 at its arrival, E 120. F (60 s) finds a GPU at 15, but D's promise takes it at 35; and one at 45,
 * but B's takes it at 100, 5 s too early: it is promised 125.
 *
 *   A 22222222222222222222                    0-100
 *   B ....................4444                100-120
 *   C  111111                                 5-35
 *   D   .....22                               35-45
 *   E   ......................4               120-125
 *   F    ......................111111111111   125-185
 */
static void conservative_delays_nobody(void **state)
{
    (void)state;
    check("conservative", "A:100 B:120 C:35 D:45 E:125 F:185", "", 94.6667, 185);
}

/* At 20 the shortest is E, then D and C and F fit together, A at last.
 *
 *   A .......22222222222222222222   35-135
 *   B 4444                          0-20
 *   C  ....111111                   25-55
 *   D   ...22                       25-35
 *   E   ..4                         20-25
 *   F    ..111111111111             25-85
 */
static void sjf_blocks(void **state)
{
    (void)state;
    check("sjf", "A:135 B:20 C:55 D:35 E:25 F:85", "", 52.1667, 135);
}

/* The same here: the shortest job always fits.
 *
 *   A .......22222222222222222222   35-135
 *   B 4444                          0-20
 *   C  ....111111                   25-55
 *   D   ...22                       25-35
 *   E   ..4                         20-25
 *   F    ..111111111111             25-85
 */
static void sjf_that_skips(void **state)
{
    (void)state;
    check("sjf,hol=skip", "A:135 B:20 C:55 D:35 E:25 F:85", "", 52.1667, 135);
}

/* GPUs x run: D 20, E 20, C 30, F 60, B 80, A 200. At 20 D goes first (it came before E), E holds the line until 30.
 *
 *   A .......22222222222222222222   35-135
 *   B 4444                          0-20
 *   C  ......111111                 35-65
 *   D   ..22                        20-30
 *   E   ....4                       30-35
 *   F    ....111111111111           35-95
 */
static void ssf_counts_gpus(void **state)
{
    (void)state;
    check("ssf", "A:135 B:20 C:65 D:30 E:35 F:95", "", 56.3333, 135);
}

/* At 10 D is as long as B's rest, and B runs on. At 12 E (5 s) displaces B, of which 8 s are left.
 *
 *   A .......22222222222222222222   35-135
 *   B 44.44                         0-12 17-25  preempted 1
 *   C  ....111111                   25-55
 *   D   ...22                       25-35
 *   E   4                           12-17
 *   F    ..111111111111             25-85
 */
static void srtf_preempts(void **state)
{
    (void)state;
    check("srtf", "A:135 B:25 C:55 D:35 E:17 F:85", "B:1", 51.6667, 135);
}

/* At 5 C (30 GPU-s) beats B's rest (60); A fills the room that B can't use. At 35 E (20) displaces A (160) and F (40).
 *
 *   A .2..222.22222222...22222222   5-10 20-35 40-80 95-135  preempted 3
 *   B 4...............444           0-5 80-95  preempted 1
 *   C  111111                       5-35
 *   D   22                          10-20
 *   E   .....4                      35-40
 *   F    1111.11111111              15-35 40-80  preempted 1
 */
static void srsf_preempts_by_gpu_time(void **state)
{
    (void)state;
    check("srsf", "A:135 B:95 C:35 D:20 E:40 F:80", "A:3 B:1 F:1", 60.5000, 135);
}

/* Queues are left at 40 and 120 GPU-s. A goes down at 20 and B, who came next, starts; B goes down at 30, and C, D and
 * F of the first queue start. E has its turn when C and D are gone, before F, who came later. F goes down at 70 and
 * stands behind A and B in the second queue; A leaves that one at 85, so B runs.
 *
 *   A 2222....2.2222222..22222222   0-20 40-45 50-85 95-135  preempted 3
 *   B ....44...........44           20-30 85-95  preempted 1
 *   C  111..111                     5-20 30-45  preempted 1
 *   D   ....22                      30-40
 *   E   .......4                    45-50
 *   F    1..111.1111111..1          15-20 30-45 50-85 95-100  preempted 3
 */
static void two_dimensional_las_demotes_at_the_crossing(void **state)
{
    (void)state;
    check("tiresias,thresholds=40/120,within=submit",
          "A:135 B:95 C:45 D:40 E:50 F:100", "A:3 B:1 C:1 F:3", 70.5000, 135);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_blocks),
        cmocka_unit_test(fifo_that_skips_starts_whatever_fits),
        cmocka_unit_test(easy_backfills_without_delaying_the_head),
        cmocka_unit_test(conservative_delays_nobody),
        cmocka_unit_test(sjf_blocks),
        cmocka_unit_test(sjf_that_skips),
        cmocka_unit_test(ssf_counts_gpus),
        cmocka_unit_test(srtf_preempts),
        cmocka_unit_test(srsf_preempts_by_gpu_time),
        cmocka_unit_test(two_dimensional_las_demotes_at_the_crossing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
