/* tetris: alignment, the weight of the time left, which node, and gangs wider than a node. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* 4 GPUs and 8 cores, all free. X: 1/4 + 7/8 = 1.125; Y: 4/4 + 4/8 = 1.5; Z: 1/4 + 1/8 = 0.375. Y takes all GPUs, so
 * that by packing alone it runs first though X came first, and then X with Z beside it (a column is 10 s).
 *
 *   X .....1     50-60
 *   Y 44444      0-50
 *   Z .....11    50-70
 */
static const run_job mix[] = {{.id = "X", .gpus = 1, .duration = 10, .cpus = 7},
                              {.id = "Y", .gpus = 4, .duration = 50, .cpus = 4},
                              {.id = "Z", .gpus = 1, .duration = 20, .cpus = 1}};

static void what_aligns_best_goes_first(void **state)
{
    (void)state;
    run *r = run_of(mix, RUN_COUNT(mix), "nodes=1,gpus=4,cpus=8", "tetris,epsilon=0");
    run_starts(r, "Y:0 X:50 Z:50");
    run_free(r);
}

/* With a large weight of the time left it is shortest first: X, then Z beside it, then Y. */
static void the_time_left_weighs_against_it(void **state)
{
    (void)state;
    run *r = run_of(mix, RUN_COUNT(mix), "nodes=1,gpus=4,cpus=8", "tetris,epsilon=100");
    run_starts(r, "X:0 Z:0 Y:20");
    run_free(r);
}

/* The mean alignment is 1, the mean time 26.7 s: X 1.125 - 0.375, Y 1.5 - 1.875, Z 0.375 - 0.75. After X, 3 GPUs and 1
 * core are left: only Z fits. */
static void both_weigh_the_same_by_default(void **state)
{
    (void)state;
    run *r = run_of(mix, RUN_COUNT(mix), "nodes=1,gpus=4,cpus=8", "tetris");
    run_starts(r, "X:0 Z:0 Y:20");
    run_free(r);
}

/* A runs on node 0 and leaves 2 GPUs of it: B aligns with the emptier node (2/4 x 4/4 against 2/4 x 2/4), and C, which
 * comes when both are half full, goes to the first. */
static void the_node_with_the_most_along_the_demand_is_taken(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 50},
                            {.id = "B", .submit = 1, .gpus = 2, .duration = 50},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 50}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=2,gpus=4", "tetris");
    run_held(r, "A", "0-50@0:2");
    run_held(r, "B", "1-51@1:2");
    run_held(r, "C", "2-52@0:2");
    run_free(r);
}

/* Cores are the scarce thing: of two nodes with a free GPU the job that prepares a lot goes where cores are left. */
static void cores_and_memory_count(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 50, .cpus = 6, .gib = 8},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 50, .cpus = 1, .gib = 40},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 50, .cpus = 6, .gib = 8}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=2,gpus=4,cpus=8,mem=64GiB", "tetris");
    run_held(r, "A", "0-50@0:1");
    run_held(r, "B", "1-51@1:1");
    run_held(r, "C", "2-52@1:1");
    run_free(r);
}

/* W spans both nodes. It has no alignment, and comes after S, which fits one. */
static void gangs_wider_than_a_node_come_after_the_others(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "W", .gpus = 8, .duration = 10}, {.id = "S", .gpus = 1, .duration = 5},
                            {.id = "V", .submit = 1, .gpus = 6, .duration = 10}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=2,gpus=4", "tetris");
    run_starts(r, "S:0 V:1 W:11");
    run_held(r, "V", "1-11@0:3;1:3");
    run_free(r);
}

/* Without GPUs: by cores and memory alone. */
static void jobs_without_gpus_are_packed_too(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .duration = 10, .cpus = 6}, {.id = "B", .duration = 10, .cpus = 6},
                            {.id = "C", .duration = 10, .cpus = 6}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=2,gpus=4,cpus=8", "tetris");
    run_starts(r, "A:0 B:0 C:10");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_aligns_best_goes_first),
        cmocka_unit_test(the_time_left_weighs_against_it),
        cmocka_unit_test(both_weigh_the_same_by_default),
        cmocka_unit_test(the_node_with_the_most_along_the_demand_is_taken),
        cmocka_unit_test(cores_and_memory_count),
        cmocka_unit_test(gangs_wider_than_a_node_come_after_the_others),
        cmocka_unit_test(jobs_without_gpus_are_packed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
