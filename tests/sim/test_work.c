/* Counted work: what a run costs grows with what happens, not with what waits or exists. The bounds are stated in rows; each is
 * held for a small and a large case alike. */
#include "stage.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Jobs that come every second and take far longer than the cluster can bear: nearly all of them wait. */
static orr_sim_counts crowd(const char *policy, const char *cluster, int n, double gap)
{
    stage *s = stage_create(cluster);
    for (int i = 0; i < n; i++) {
        uint64_t x = orr_mix64((uint64_t)i);
        orr_trace_job job = stage_job("", i * gap, 1 << x % 4, 100 + (double)((x >> 8) % 900));
        job.deadline = job.submit + job.duration * 20;
        stage_add(s, job);
    }
    s->options.policy = policy;
    s->no_holds = true;
    assert_int_equal(stage_open(s), ORR_OK);
    if (orr_sim_run(s->sim, &s->error))
        fail_msg("%s: %s", policy, s->error.message);
    orr_sim_counts c = orr_sim_count(s->sim);
    assert_int_equal(c.done, n);
    stage_destroy(s);
    return c;
}

/* On 64 GPUs at most 64 jobs run, in 4 sizes. */
static void no_event_looks_at_all_who_wait(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        double jobs, compares; /* an event: jobs looked at, comparisons in the queue of events */
    } rows[] = {
        {"fifo", 1, 20},                    /* the head, and who follows it */
        {"sjf", 1, 20},
        {"fifo,hol=skip", 5, 20},           /* one of each size */
        {"fifo,hol=skip+first-fit", 5, 20},
        {"easy", 64 + 8, 20},               /* releases of those who run */
        {"srtf", 3 * 64, 30},               /* those who run, each tried once or twice */
        {"srtf+first-fit", 3 * 64, 30},
        {"srtf,admit=count", 3 * 64, 30},
        {"edf", 3 * 64, 60},                /* its timers are in the queue of events */
        {"tiresias", 3 * 64, 60},
        {"lpjf", 1, 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int n = 2000; n <= 20000; n *= 10) {
            orr_sim_counts c = crowd(rows[i].policy, "nodes=8,gpus=8", n, 1);
            double jobs = (double)c.jobs_examined / (double)c.events, compares = (double)c.queue_compares / (double)c.events;
            if (jobs > rows[i].jobs || compares > rows[i].compares)
                fail_msg("%s, %d jobs: %.1f jobs and %.1f comparisons an event", rows[i].policy, n, jobs, compares);
            if (c.decisions > 3 * c.events)
                fail_msg("%s, %d jobs: %llu decisions for %llu events", rows[i].policy, n, (unsigned long long)c.decisions,
                         (unsigned long long)c.events);
        }
    }
}

/* The same load on each GPU of 64 and of 4,096 nodes: a decision asks the index as often. */
static void no_decision_looks_at_all_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        double nodes; /* questions to the index a decision; those of `first-fit` and `spread` grow with the gang */
    } rows[] = {{"fifo", 8}, {"fifo+best-fit", 16}, {"fifo+first-fit", 12}, {"fifo+spread", 16}, {"fifo+consolidate-first", 16},
                {"fifo+random", 12}, {"fifo+skew", 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double each[2];
        for (int large = 0; large < 2; large++) {
            int nodes = large ? 4096 : 64;
            char cluster[32];
            snprintf(cluster, sizeof cluster, "nodes=%d,gpus=8", nodes);
            orr_sim_counts c = crowd(rows[i].policy, cluster, 20000, 250.0 / nodes);
            each[large] = (double)c.nodes_examined / (double)c.decisions;
            if (each[large] > rows[i].nodes)
                fail_msg("%s, %d nodes: %.1f nodes a decision", rows[i].policy, nodes, each[large]);
        }
    }
}

/* Four nodes of each number of free GPUs are compared, whatever there is; wide gangs find their rack by its count of idle
 * nodes, of which there are 64. */
static void links_are_compared_on_few_nodes(void **state)
{
    (void)state;
    static const char *const forms[] = {"nodes=%d,preset=dgx1-v100",
                                        "nodes=%d,gpus=4,nvlink=pairs,nvlinks=1,nvlink_bw=1GB/s,racks=%d"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (int nodes = 64; nodes <= 1024; nodes *= 16) {
            char cluster[96];
            snprintf(cluster, sizeof cluster, forms[i], nodes, nodes / 16);
            orr_sim_counts c = crowd("fifo+topology", cluster, 6000, 250.0 / nodes);
            double each = (double)c.nodes_examined / (double)c.decisions;
            if (each > 80)
                fail_msg("%s: %.1f nodes a decision", cluster, each);
        }
    }
}

/* Idle jobs and nodes cost nothing: the same run on a cluster with 10,000 idle nodes more, in the same number of steps. */
static void idle_nodes_cost_nothing(void **state)
{
    (void)state;
    orr_sim_counts few = crowd("fifo", "nodes=200,gpus=8", 3000, 10), many = crowd("fifo", "nodes=10200,gpus=8", 3000, 10);
    assert_int_equal(few.events, many.events);
    assert_int_equal(few.decisions, many.decisions);
    assert_int_equal(few.queue_compares, many.queue_compares);
    assert_int_equal(few.jobs_examined, many.jobs_examined);
    assert_int_equal(few.nodes_examined, many.nodes_examined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_event_looks_at_all_who_wait),
        cmocka_unit_test(no_decision_looks_at_all_nodes),
        cmocka_unit_test(links_are_compared_on_few_nodes),
        cmocka_unit_test(idle_nodes_cost_nothing),
    };
    return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
