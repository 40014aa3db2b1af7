/* philly: quotas that are lent and taken back, and locality that is relaxed by tries. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Two VCs with a node of 2 each. Red borrows blue's; B comes, all GPUs are held, and who started last for red gives way.
 *
 *     R1 2  0-100           node 0
 *     R2 2  0-30, 40-110    node 1
 *     B  1  30-40           node 1
 */
static void gives_back_what_it_borrowed(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R1", .gpus = 2, .duration = 100, .vc = "red"},
                            {.id = "R2", .gpus = 2, .duration = 100, .vc = "red"},
                            {.id = "B", .submit = 30, .gpus = 1, .duration = 10, .vc = "blue"}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "2@red 2@blue", "philly");
    run_held(r, "R1", "0-100@0:2");
    run_held(r, "R2", "0-30@1:2 40-110@1:2");
    run_held(r, "B", "30-40@1:1");
    run_preempted(r, "R2:1");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), "2@red 2@blue", "philly,preempt_at=1.01");
    run_starts(r, "R1:0 R2:0 B:100");
    run_preempted(r, "");
    run_free(r);
}

/* Beyond its own quota nobody takes anything back, and no more than what was borrowed is given up: of blue's two jobs the
 * second would have it hold 3 of its 2. */
static void takes_back_its_own_only(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R1", .gpus = 2, .duration = 100, .vc = "red"},
                            {.id = "R2", .gpus = 1, .duration = 100, .vc = "red"},
                            {.id = "R3", .gpus = 1, .duration = 100, .vc = "red"},
                            {.id = "B1", .submit = 10, .gpus = 1, .duration = 100, .vc = "blue"},
                            {.id = "B2", .submit = 20, .gpus = 2, .duration = 10, .vc = "blue"}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "2@red 2@blue", "philly");
    run_preempted(r, "R3:1");
    run_starts(r, "R1:0 R2:0 B1:10 B2:100");
    run_held(r, "R3", "0-10@1:1 100-190@1:1");
    run_free(r);
}

/* D wants two GPUs side by side; one each is free on two nodes of a rack from 40 on. Tries count from when it came, at 36:
 * after three of them it takes a rack, after ten anything.
 *
 *     A  1  0-500  node 0        E  1  35-535  node 1
 *     G  1  0-40   node 0        D  2  36 …    nodes 0 and 1
 *     B  2  0-30   node 1
 *     C  2  0-500  node 2
 */
static void relaxes_by_tries(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 500},   {.id = "G", .gpus = 1, .duration = 40},
                            {.id = "B", .gpus = 2, .duration = 30},    {.id = "C", .gpus = 2, .duration = 500},
                            {.id = "E", .submit = 35, .gpus = 1, .duration = 500},
                            {.id = "D", .submit = 36, .gpus = 2, .duration = 100}};
    static const struct {
        const char *cluster, *policy, *held;
    } rows[] = {{"2/r0 2/r0 2/r1", "philly", "396-496@0:1;1:1"},
                {"2/r0 2/r0 2/r1", "philly,retry=10s", "66-166@0:1;1:1"},
                {"2/r0 2/r1 2/r1", "philly,retry=10s", "136-236@0:1;1:1"},
                {"2/r0 2/r0 2/r1", "philly,relax_node=0", "40-140@0:1;1:1"},
                {"2/r0 2/r0 2/r1", "philly,relax_node=1000,relax_rack=1000", "500-600@0:2"}};
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        run *r = run_of(jobs, RUN_COUNT(jobs), rows[i].cluster, rows[i].policy);
        run_held(r, "D", rows[i].held);
        run_free(r);
    }
}

/* A quota by count owns no nodes: the same as the first, with both VCs tenants of one pool. */
static void tenants_of_one_pool(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R1", .gpus = 2, .duration = 100, .vc = "red"},
                            {.id = "R2", .gpus = 2, .duration = 100, .vc = "red"},
                            {.id = "B", .submit = 30, .gpus = 1, .duration = 10, .vc = "blue"}};
    orr_trace *trace = run_trace(jobs, RUN_COUNT(jobs));
    orr_cluster_spec *spec = run_cluster("nodes=2,gpus=2");
    const orr_quota two = {.kind = ORR_QUOTA_GPUS, .gpus = 2};
    assert_int_equal(orr_cluster_spec_add_tenant(spec, "red", &two, NULL), ORR_OK);
    assert_int_equal(orr_cluster_spec_add_tenant(spec, "blue", &two, NULL), ORR_OK);
    run *r = run_policy(trace, spec, "philly", NULL);
    run_held(r, "R2", "0-30@1:2 40-110@1:2");
    run_held(r, "B", "30-40@1:1");
    run_free(r);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(spec);
}

/* An attempt that fails is followed by the next one, as the trace has them. */
static void failed_attempts_are_tried_again(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .attempts = {10, 20}, .ending = ORR_ENDING_FAILED},
                            {.id = "B", .submit = 5, .gpus = 2, .duration = 7}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "2", "philly");
    run_held(r, "A", "0-10@0:2 10-30@0:2");
    run_held(r, "B", "30-37@0:2");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_it_borrowed), cmocka_unit_test(takes_back_its_own_only),
        cmocka_unit_test(relaxes_by_tries),            cmocka_unit_test(tenants_of_one_pool),
        cmocka_unit_test(failed_attempts_are_tried_again),
    };
    return cmocka_run_group_tests_name("philly", tests, NULL, NULL);
}
