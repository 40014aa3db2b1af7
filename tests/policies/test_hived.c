#define _POSIX_C_SOURCE 200809L /* mkstemp */
/* hived: the worked example; a single VC is its inner scheduler; and sharing never makes a VC wait longer. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HERE ORR_TEST_DATA_DIR "/policies/"

/* Nodes n0 n1 | n2 n3 of 4 GPUs; `a` has a rack, `b` a node and half a node. Worked out by hand:
 *
 *   0    A1 binds the rack of a to n0 n1 and takes n0; B1 splits the other rack and takes n2.
 *   1    O1, opportunistic: of the idle nodes the first, n1.
 *   10   A2 has a right to n1: O1 moves to n3.
 *   20   B2's half is cut from n3: O1 has no node left and waits.
 *   30   A2 ends, O1 goes on at n1.
 *   40   A3, of a higher priority, needs the whole rack: A1 and O1 leave; at 50 both come back.
 *   70   B3 is wider than what b has.
 */
static void worked_example(void **state)
{
    (void)state;
    orr_trace *trace = run_trace_file(HERE "hived.csv");
    orr_cluster_spec *cluster = run_cluster(HERE "hived.yaml");
    run *r = run_policy(trace, cluster, "hived", NULL);
    run_starts(r, "A1:0 B1:0 O1:1 A2:10 B2:20 A3:40");
    run_ends(r, "A1:110 B1:60 O1:221 A2:30 B2:60 A3:50");
    run_preempted(r, "A1:1 O1:2");
    run_held(r, "O1", "1-10@1:4 10-20@3:4 30-40@1:4 50-221@1:4");
    run_held(r, "B2", "20-60@3:2");
    assert_int_equal(run_job_of(r, "B3")->state, ORR_JOB_REJECTED);
    assert_int_equal(run_note(r, "wider than the cells of its VC"), 1);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* The same with n0 down from 5 to 105. A1 loses it and goes on at n1, which is a's as well: O1 moves to n3, until B2's
 * half is cut from it. A2 and A3 wait, for a's rack has a single good node. At 100 A1 ends, so that A3 may have the other
 * rack, whose two nodes are good; O1, there since 60, moves to n1. */
static void lost_under(const orr_scenario *scenario)
{
    orr_trace *trace = run_trace_file(HERE "hived.csv");
    orr_cluster_spec *cluster = run_cluster(HERE "hived.yaml");
    orr_sim_options options = orr_sim_options_default();
    options.scenario = scenario;
    run *r = run_policy(trace, cluster, "hived", &options);
    run_ends(r, "A1:100 B1:60 O1:241 A2:130 B2:60 A3:110");
    run_held(r, "A1", "0-5@0:4 5-100@1:4");
    run_held(r, "A3", "100-110@2:4;3:4");
    run_held(r, "O1", "1-5@1:4 5-20@3:4 60-100@3:4 100-241@1:4");
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

static void a_node_is_lost(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_scenario *scenario = orr_scenario_load(HERE "hived-down.yaml", &e);
    if (!scenario)
        fail_msg("%s", e.message);
    lost_under(scenario);
    orr_scenario_destroy(scenario);
}

/* A node with a GPU that failed is a bad cell altogether. */
static void a_gpu_is_lost(void **state)
{
    (void)state;
    const char *node = "n0";
    orr_scenario *scenario = orr_scenario_create("a GPU of n0 is down");
    orr_incident in = orr_incident_default();
    in.at = 5 * ORR_SECOND;
    in.kind = ORR_INCIDENT_DOWN;
    in.which.names = &node;
    in.which.name_count = 1;
    in.gpus = 4;
    in.lasts = 100 * ORR_SECOND;
    orr_scenario_add(scenario, &in);
    lost_under(scenario);
    orr_scenario_destroy(scenario);
}

/* ---- one VC that owns everything ---- */

static void same_starts(const run *a, const run *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->jobs[i].first_start != b->jobs[i].first_start) {
            run_print(a);
            run_print(b);
            fail_msg("%s starts at another time", a->jobs[i].id);
        }
}

/* Where it doesn't matter which GPUs a gang gets: nodes of one GPU, or one node. */
static void alone_it_is_its_inner_scheduler(void **state)
{
    static const char *const pairs[][2] = {
        {"fifo", "hived"}, {"sjf,hol=block", "hived,inner=sjf"}, {"sjf,hol=skip", "hived,inner=sjf,hol=skip"}};
    static const char *const clusters[] = {"nodes=12,gpus=1", "nodes=1,gpus=12"};
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 60, .gpus = 12, .span = 400, .work = 120});
        for (size_t p = 0; p < 2 * RUN_COUNT(pairs); p++) {
            run *inner = run_of(s.jobs, s.count, clusters[p % 2], pairs[p / 2][0]);
            run *cells = run_of(s.jobs, s.count, clusters[p % 2], pairs[p / 2][1]);
            same_starts(inner, cells);
            run_free(inner);
            run_free(cells);
        }
    }
}

/* ---- sharing safety ---- */

/* Racks of two nodes of 4 GPUs, and what three VCs have of them. With `only` (>= 0) just that VC exists, on as many
 * racks as its quota needs. */
enum { VCS = 3 };
static const struct {
    const char *name;
    int racks, nodes, halves, alone;
} quotas[VCS] = {{"a", 1, 1, 0, 2}, {"b", 0, 2, 1, 2}, {"c", 1, 0, 2, 2}};

static orr_cluster_spec *make_cluster(int only)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("racks");
    orr_node_spec node = orr_node_spec_default();
    node.gpus = 4;
    assert_int_equal(orr_cluster_spec_add(spec, &node, only < 0 ? 10 : 2 * quotas[only].alone, NULL), ORR_OK);
    const orr_chain_level levels[] = {{"half", 2}, {"node", 4}, {"rack", 8}};
    const orr_chain_spec chain = {.name = "n", .gpu_type = "", .levels = levels, .level_count = 3};
    assert_int_equal(orr_cluster_spec_add_chain(spec, &chain, NULL), ORR_OK);
    for (int v = 0; v < VCS; v++) {
        const orr_cell_quota cells[] = {{.chain = "n", .level = "rack", .count = quotas[v].racks},
                                        {.chain = "n", .level = "node", .count = quotas[v].nodes},
                                        {.chain = "n", .level = "half", .count = quotas[v].halves}};
        const orr_quota quota = {.kind = ORR_QUOTA_CELLS, .cells = cells, .cell_count = 3};
        if (only < 0 || only == v)
            assert_int_equal(orr_cluster_spec_add_tenant(spec, quotas[v].name, &quota, NULL), ORR_OK);
    }
    return spec;
}

/* Jobs of one VC (of all for -1), guaranteed ones of priorities 0 to 2; only the shared cluster has opportunistic ones. */
static orr_trace *make_trace(uint64_t seed, int only)
{
    char path[] = "/tmp/orrery-hived-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    small s = {.state = seed};
    assert_non_null(f);
    fprintf(f, "job_id,submit,gpus,duration,vc,priority\n");
    for (int i = 0; i < 90; i++) {
        int vc = (int)small_below(&s, VCS), at = 6 * i + (int)small_below(&s, 6), gpus = 1 + (int)small_below(&s, 8);
        int work = 1 + (int)small_below(&s, 90), priority = (int)small_below(&s, 5) - 2;
        bool spare = priority < 0 && i % 2;
        if (only < 0 || (vc == only && !spare))
            fprintf(f, "j%d,%d,%d,%d,%s,%d\n", i, at, gpus, work, quotas[vc].name,
                    spare          ? -1
                    : priority < 0 ? 0
                                   : priority);
    }
    fclose(f);
    orr_trace *trace = run_trace_file(path);
    unlink(path);
    return trace;
}

static void no_later_than_alone(const run *shared, const run *alone, const char *policy)
{
    for (size_t i = 0; i < alone->count; i++) {
        const run_record *a = &alone->jobs[i], *s = run_job_of(shared, a->id);
        assert_int_equal(a->state, s->state);
        if (s->first_start <= a->first_start && s->end <= a->end)
            continue;
        run_print(shared);
        run_print(alone);
        fail_msg("%s: %s would be served earlier in a cluster of its VC's own", policy, a->id);
    }
}

/* For every VC and job: it starts and ends no later than in a private cluster that has just the VC's cells, under the
 * same inner order. Assumed: preemption and moving cost nothing, nodes are healthy, and no gang is lazily preempted (what
 * an opportunistic gang gets depends on the others). Opportunistic jobs of all VCs fill what is idle meanwhile. */
static void sharing_never_hurts(void **state)
{
    static const char *const policies[] = {"hived,lazy=off", "hived,lazy=off,hol=skip", "hived,lazy=off,inner=sjf"};
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t p = 0; p < RUN_COUNT(policies); p++) {
            orr_trace *all = make_trace(seed, -1);
            orr_cluster_spec *cluster = make_cluster(-1);
            run *shared = run_policy(all, cluster, policies[p], NULL);
            for (int v = 0; v < VCS; v++) {
                orr_trace *own = make_trace(seed, v);
                orr_cluster_spec *private = make_cluster(v);
                run *alone = run_policy(own, private, policies[p], NULL);
                no_later_than_alone(shared, alone, policies[p]);
                run_free(alone);
                orr_cluster_spec_destroy(private);
                orr_trace_destroy(own);
            }
            run_free(shared);
            orr_cluster_spec_destroy(cluster);
            orr_trace_destroy(all);
        }
}

/* ---- what it can't do ---- */

static void needs_cells(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 1, .vc = "red"}};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *cluster = run_cluster("nodes=1,gpus=4");
    const orr_quota quota = {.kind = ORR_QUOTA_GPUS, .gpus = 4};
    assert_int_equal(orr_cluster_spec_add_tenant(cluster, "red", &quota, NULL), ORR_OK);
    run *r = run_try(trace, cluster, "hived", NULL);
    assert_int_equal(r->code, ORR_E_CAPABILITY);
    assert_non_null(strstr(r->error.message, "a quota of GPUs, not of cells"));
    run_free(r);
    orr_sim_options one_pool = orr_sim_options_default();
    one_pool.ignore_vcs = true;
    r = run_policy(trace, cluster, "hived", &one_pool);
    run_ends(r, "A:1");
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* VCs that own nodes are chains of their own: nobody leaves them. */
static void private_nodes(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 10, .vc = "red"},
                            {.id = "B", .submit = 1, .gpus = 2, .duration = 10, .vc = "red"},
                            {.id = "C", .submit = 2, .gpus = 4, .duration = 10, .vc = "blue"},
                            {.id = "D", .submit = 3, .gpus = 1, .duration = 10, .vc = "red"}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "2@red 4@blue", "hived");
    run_starts(r, "A:0 B:10 C:2 D:20");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), "2@red 4@blue", "hived,priority=-1,hol=skip");
    run_starts(r, "A:0 B:10 C:2 D:20");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(a_node_is_lost),
        cmocka_unit_test(a_gpu_is_lost),
        cmocka_unit_test(alone_it_is_its_inner_scheduler),
        cmocka_unit_test(sharing_never_hurts),
        cmocka_unit_test(needs_cells),
        cmocka_unit_test(private_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
