/* pollux, on jobs without a model, which are believed to be as fast as they have GPUs: what the search has to find is plain then. A
 * round is 10 s, and nothing is charged.
 *
 * A and B may have 1 or 2 of 2 GPUs; each takes 600 s with one. B comes at 95; at the very time of a round
 * it would have to wait for the next: a job of no age has nothing to win by a start.
 *
 *     GPU 0  A A A A B B     A: 200 of 600 GPU-seconds until 100, then 1 GPU: 500
 *     GPU 1  A B B B B B     B: 400 until 500, then 2 GPUs: 600 */
#include "../sim/stage.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const run_job *jobs, size_t n, const char *cluster, const char *settings, const char *ends)
{
    char policy[256];
    orr_sim_options options = orr_sim_options_default();
    snprintf(policy, sizeof policy, "pollux,round=10s%s%s", *settings ? "," : "", settings);
    run *r = run_of_with(jobs, n, cluster, policy, &options);
    run_ends(r, ends);
    run_free(r);
}

static const run_job elastic[] = {{.id = "A", .gpus = 1, .duration = 600, .min_gpus = 1, .max_gpus = 2},
                                  {.id = "B", .submit = 95, .gpus = 1, .duration = 600, .min_gpus = 1, .max_gpus = 2}};

static void shares_and_grows(void **state)
{
    (void)state;
    expect(elastic, 1, "nodes=1,gpus=2", "", "A:300");
    expect(elastic, 2, "nodes=1,gpus=2", "", "A:500 B:600");
    expect(elastic, 2, "nodes=1,gpus=4", "", "A:300 B:400");
}

/* The sum of speedups is the same whoever has the GPUs; a restart costs a tenth of it, so that A keeps both. */
static void the_sum_of_speedups_is_not_fair(void **state)
{
    (void)state;
    expect(elastic, 2, "nodes=1,gpus=2", "fitness=sum,keep=0.9", "A:300 B:600");
}

/* Jobs that ask 2 GPUs and no other number run one after the other: whoever runs would lose by a restart. */
static void rigid_jobs_get_all_or_nothing(void **state)
{
    (void)state;
    static const run_job rigid[] = {{.id = "A", .gpus = 2, .duration = 600}, {.id = "B", .submit = 5, .gpus = 2, .duration = 600}};
    expect(rigid, 2, "nodes=1,gpus=2", "", "A:600 B:1200");
    expect(rigid, 2, "nodes=2,gpus=1", "", "A:600 B:1200");
    expect(rigid, 2, "nodes=2,gpus=2", "", "A:600 B:610");
}

/* Three GPUs on two nodes of two, and one beside them. Two jobs of three on three nodes of two would meet on a node. */
static void wide_jobs_keep_apart(void **state)
{
    (void)state;
    static const run_job wide[] = {{.id = "A", .gpus = 3, .duration = 600}, {.id = "B", .submit = 5, .gpus = 1, .duration = 600}};
    expect(wide, 2, "nodes=2,gpus=2", "", "A:600 B:610");
    static const run_job two[] = {{.id = "A", .gpus = 3, .duration = 600}, {.id = "B", .submit = 5, .gpus = 3, .duration = 600}};
    expect(two, 2, "nodes=2,gpus=3", "", "A:600 B:610");
    expect(two, 2, "nodes=3,gpus=2", "apart=on", "A:600 B:1200"); /* 2 + 1, 1 + 2 would meet on the second node */
}

/* One GPU of two nodes is busy: utility 0.5. After 16 rounds one node is enough, and the job stays where it is. */
static void breathes(void **state)
{
    (void)state;
    static const run_job one[] = {{.id = "A", .gpus = 1, .duration = 600}};
    expect(one, 1, "nodes=2,gpus=1", "min_nodes=1,max_nodes=2,low=0.6,high=1", "A:600");
}

static void count_sleepers(void *self, const orr_node_change *change)
{
    *(int *)self += strcmp(change->state, "asleep") == 0;
}

/* One GPU of four is busy, a quarter of them, below the band of 0.35 to 0.65: with two it is in the middle, and the job stays where it is. */
static void idle_nodes_go(void **state)
{
    (void)state;
    int slept = 0;
    stage *s = stage_create("nodes=4,gpus=1");
    s->options.policy = "pollux:adaptdl,round=10s,min_nodes=1,max_nodes=4";
    s->also = (orr_sink){.self = &slept, .node = count_sleepers};
    stage_add(s, stage_job("A", 0, 1, 3000));
    stage_run(s);
    assert_int_equal(slept, 2);
    stage_held(s, "A", "0-3000/1 done");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_grows),          cmocka_unit_test(the_sum_of_speedups_is_not_fair),
        cmocka_unit_test(rigid_jobs_get_all_or_nothing), cmocka_unit_test(wide_jobs_keep_apart),
        cmocka_unit_test(breathes),                  cmocka_unit_test(idle_nodes_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
