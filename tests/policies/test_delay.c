/* delay, and the driver behind it and philly: whoever insists on near GPUs, for how long, and who overtakes meanwhile. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NODES "4/r0 4/r0 4/r1"

/* Of three nodes, two of them in one rack, one GPU each is left. D wants three on one node, and from 70 on in one rack; at 130
 * node 2 has them. E overtakes.
 *
 *     A  3  0-1000   node 0
 *     B  3  0-1000   node 1
 *     C  3  0-130    node 2
 *     D  3  10 ......... 130-180
 *     E  1  20-30    node 0
 */
static void waits_for_near_gpus(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 1000},
                            {.id = "B", .gpus = 3, .duration = 1000},
                            {.id = "C", .gpus = 3, .duration = 130},
                            {.id = "D", .submit = 10, .gpus = 3, .duration = 50},
                            {.id = "E", .submit = 20, .gpus = 1, .duration = 10}};
    run *r = run_of(jobs, RUN_COUNT(jobs), NODES, "delay");
    run_held(r, "D", "130-180@2:3");
    run_held(r, "E", "20-30@0:1");
    run_ends(r, "A:1000 B:1000 C:130");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), NODES, "delay,node=0,rack=0");
    run_held(r, "D", "10-60@0:1;1:1;2:1");
    run_free(r);
}

/* The same, but C goes on: D holds out for 60 s for a node, and for 300 s more for a rack. The pieces were there from 10 on,
 * and the rack was let go from 70 on. */
static void loses_patience(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 1000},
                            {.id = "B", .gpus = 3, .duration = 1000},
                            {.id = "C", .gpus = 3, .duration = 1000},
                            {.id = "D", .submit = 10, .gpus = 3, .duration = 50}};
    run *r = run_of(jobs, RUN_COUNT(jobs), NODES, "delay");
    run_held(r, "D", "370-420@0:1;1:1;2:1");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), NODES, "delay,rack=inf");
    run_held(r, "D", "1000-1050@0:3");
    run_free(r);
}

/* While nothing is free nothing is let go, and patience doesn't run: at 100 two GPUs are free on two nodes of one rack, and
 * only then D begins to count: to 160. */
static void a_full_cluster_costs_no_patience(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100}, {.id = "B", .gpus = 1, .duration = 1000},
                            {.id = "C", .gpus = 1, .duration = 100}, {.id = "F", .gpus = 1, .duration = 1000},
                            {.id = "D", .submit = 1, .gpus = 2, .duration = 50}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "2 2", "delay");
    run_held(r, "D", "160-210@0:1;1:1");
    run_free(r);
}

/* A gang wider than a node takes whole nodes of one rack, and for the rest the fullest that has it. */
static void wide_gangs(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 100},
                            {.id = "B", .submit = 1, .gpus = 10, .duration = 10}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "4/r0 4/r1 4/r1 4/r1", "delay");
    run_held(r, "B", "1-11@1:4;2:4;3:2");
    run_free(r);
    const run_job more[] = {{.id = "A", .gpus = 3, .duration = 100},
                            {.id = "B", .submit = 1, .gpus = 5, .duration = 10}};
    r = run_of(more, RUN_COUNT(more), "4/r0 4/r0", "delay");
    run_held(r, "B", "1-11@0:1;1:4");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_for_near_gpus), cmocka_unit_test(loses_patience),
                                       cmocka_unit_test(a_full_cluster_costs_no_patience), cmocka_unit_test(wide_gangs)};
    return cmocka_run_group_tests_name("delay", tests, NULL, NULL);
}
