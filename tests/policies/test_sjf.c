/* sjf and ssf: keys, the head of the line, no preemption; sgf and lpjf beside them. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void ends(const run_job *jobs, size_t n, const char *cluster, const char *policy, const char *expected)
{
    run *r = run_of(jobs, n, cluster, policy);
    run_ends(r, expected);
    run_preempted(r, "");
    run_free(r);
}

static const run_job head_that_waits[] = {{.id = "A", .gpus = 3, .duration = 10},
                                          {.id = "B", .submit = 1, .gpus = 4, .duration = 5},
                                          {.id = "C", .submit = 2, .gpus = 1, .duration = 6}};

/* B (5 s) stands before C (6 s): it blocks, though a GPU is free.
 *
 *   A 3333333333              0-10
 *   B  .........44444         10-15
 *   C   .............111111   15-21
 */
static void the_shortest_blocks(void **state)
{
    (void)state;
    ends(head_that_waits, 3, "4", "sjf", "A:10 B:15 C:21");
}

/* Or is skipped.
 *
 *   A 3333333333        0-10
 *   B  .........44444   10-15
 *   C   111111          2-8
 */
static void or_is_skipped(void **state)
{
    (void)state;
    ends(head_that_waits, 3, "4", "sjf,hol=skip", "A:10 B:15 C:8");
}

static const run_job wide_and_short[] = {{.id = "X", .gpus = 4, .duration = 10},
                                         {.id = "B", .submit = 1, .gpus = 4, .duration = 10},
                                         {.id = "C", .submit = 1, .gpus = 1, .duration = 30}};

/* GPU time: C asks 30 GPU-s, B 40.
 *
 *   X 4444444444                                           0-10
 *   B  .......................................4444444444   40-50
 *   C  .........111111111111111111111111111111             10-40
 */
static void ssf_orders_by_gpu_time(void **state)
{
    (void)state;
    ends(wide_and_short, 3, "4", "ssf", "X:10 B:50 C:40");
}

/* Time alone: B first.
 *
 *   X 4444444444                                           0-10
 *   B  .........4444444444                                 10-20
 *   C  ...................111111111111111111111111111111   20-50
 */
static void sjf_orders_by_time(void **state)
{
    (void)state;
    ends(wide_and_short, 3, "4", "sjf", "X:10 B:20 C:50");
}

static const run_job of_four_sizes[] = {{.id = "X", .gpus = 4, .duration = 5},
                                        {.id = "B", .submit = 1, .gpus = 4, .duration = 2},
                                        {.id = "C", .submit = 2, .gpus = 1, .duration = 10},
                                        {.id = "D", .submit = 3, .gpus = 2, .duration = 3}};

/* The smallest gang first, whatever it takes; B doesn't fit beside C.
 *
 *   X 44444               0-5
 *   B  ..............44   15-17
 *   C   ...1111111111     5-15
 *   D    ..222            5-8
 */
static void sgf_orders_by_gang(void **state)
{
    (void)state;
    ends(of_four_sizes, 4, "4", "sgf", "X:5 B:17 C:15 D:8");
}

/* The same, preemptive: C displaces X, and X returns before B, which came later.
 *
 *   X 44..........444     0-2 12-15  preempted once
 *   B  ..............44   15-17
 *   C   1111111111        2-12
 *   D    222              3-6
 */
static void sgf_preemptive(void **state)
{
    (void)state;
    run *r = run_of(of_four_sizes, 4, "4", "sgf,preempt=on");
    run_ends(r, "X:15 B:17 C:12 D:6");
    run_preempted(r, "X:1");
    run_free(r);
}

static const run_job one_retries[] = {{.id = "X", .gpus = 1, .attempts = {4, 4}},
                                      {.id = "B", .submit = 1, .gpus = 1, .duration = 10},
                                      {.id = "C", .submit = 5, .gpus = 1, .duration = 3}};

/* X fails at 4 and waits for its second attempt. It has held a GPU for 4 s, so it has waited as if it had come at 4: B,
 * of 1, goes first; C, of 5, doesn't.
 *
 *   X 1111..........1111       0-4 14-18
 *   B  ...1111111111           4-14
 *   C      .............111    18-21
 */
static void lpjf_counts_time_that_was_held(void **state)
{
    (void)state;
    ends(one_retries, 3, "1", "lpjf", "X:18 B:14 C:21");
}

/* For fifo it is the first of all again.
 *
 *   X 11111111                 0-4 4-8
 *   B  .......1111111111       8-18
 *   C      .............111    18-21
 */
static void fifo_does_not(void **state)
{
    (void)state;
    ends(one_retries, 3, "1", "fifo", "X:8 B:18 C:21");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_blocks),
        cmocka_unit_test(or_is_skipped),
        cmocka_unit_test(ssf_orders_by_gpu_time),
        cmocka_unit_test(sjf_orders_by_time),
        cmocka_unit_test(sgf_orders_by_gang),
        cmocka_unit_test(sgf_preemptive),
        cmocka_unit_test(lpjf_counts_time_that_was_held),
        cmocka_unit_test(fifo_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
