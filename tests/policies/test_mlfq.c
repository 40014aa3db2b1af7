/* mlfq: queues by attained service, places inside a queue, promotion. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Queues are left after 10 s and 30 s. A goes down at 10, B at 20 after C came, which has its turn in the first queue.
 * Then A, which joined the second queue before B, until it leaves that one too; then B, and A alone.
 *
 *   A 1111111111.............11111111111111111111..1111111111   0-10 23-43 45-55  preempted 2 times
 *   B      .....1111111111.......................11             10-20 43-45  preempted once
 *   C             ........111                                   20-23
 */
static void down_by_time(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 40},
                            {.id = "B", .submit = 5, .gpus = 1, .duration = 12},
                            {.id = "C", .submit = 12, .gpus = 1, .duration = 3}};
    run *r = run_of(jobs, 3, "1", "mlfq,thresholds=10/30");
    run_held(r, "A", "0-10@0:1 23-43@0:1 45-55@0:1");
    run_held(r, "B", "10-20@0:1 43-45@0:1");
    run_held(r, "C", "20-23@0:1");
    assert_int_equal(run_note(r, "demoted"), 3);
    run_free(r);
}

/* Seconds are seconds, however many GPUs: A goes down at 10, not at 5.
 *
 *   A 2222222222...22222   0-10 13-18
 *   B  .........222        10-13
 */
static void time_does_not_count_gpus(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 15}, {.id = "B", .submit = 1, .gpus = 2, .duration = 3}};
    run *r = run_of(jobs, 2, "2", "mlfq,thresholds=10");
    run_held(r, "A", "0-10@0:2 13-18@0:2");
    run_held(r, "B", "10-13@0:2");
    run_free(r);
}

/* In GPU-seconds two GPUs reach 10 after 5 s. B ends before it does.
 *
 *   A 22222....222   0-5 9-12  preempted once
 *   B   ...2222      5-9
 */
static void down_by_gpu_time(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 8}, {.id = "B", .submit = 2, .gpus = 2, .duration = 4}};
    run *r = run_of(jobs, 2, "2", "mlfq,thresholds=10,service=gpu");
    run_held(r, "A", "0-5@0:2 9-12@0:2");
    run_held(r, "B", "5-9@0:2");
    run_free(r);
}

static const run_job of_the_old_one[] = {{.id = "A", .gpus = 1, .duration = 8},
                                         {.id = "B", .submit = 1, .gpus = 1, .duration = 4},
                                         {.id = "C", .submit = 2, .gpus = 1, .duration = 3},
                                         {.id = "D", .submit = 6, .gpus = 1, .duration = 3}};

/* Without promotion A, down at 4, waits for everybody.
 *
 *   A 1111..........1111   0-4 14-18  preempted once
 *   B  ...1111             4-8
 *   C   ......111          8-11
 *   D       .....111       11-14
 */
static void without_promotion(void **state)
{
    (void)state;
    run *r = run_of(of_the_old_one, 4, "1", "mlfq,thresholds=4,within=submit");
    run_ends(r, "A:18 B:8 C:11 D:14");
    assert_int_equal(run_note(r, "promoted"), 0);
    run_free(r);
}

/* With promote=1 it is back in the first queue at 8, having waited the 4 s that it ran, and the oldest there.
 *
 *   A 1111....1111         0-4 8-12  preempted once
 *   B  ...1111             4-8
 *   C   ..........111      12-15
 *   D       .........111   15-18
 */
static void with_promotion(void **state)
{
    (void)state;
    run *r = run_of(of_the_old_one, 4, "1", "mlfq,thresholds=4,promote=1,within=submit");
    run_ends(r, "A:12 B:8 C:15 D:18");
    assert_int_equal(run_note(r, "promoted"), 1);
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(down_by_time),
        cmocka_unit_test(time_does_not_count_gpus),
        cmocka_unit_test(down_by_gpu_time),
        cmocka_unit_test(without_promotion),
        cmocka_unit_test(with_promotion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
