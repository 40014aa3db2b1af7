/* Placers of parts of GPUs on small clusters, by hand: jobs come one a second and stay, or are turned away. */
#include "run.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct ask {
    int32_t gpus, milli, cpus; /* milli 0: whole */
} ask;

enum { ASKS = 8, MANY = 400 };

typedef struct places {
    orr_text of[MANY];
} places;

/* "1@0+2": GPUs 0 and 2 of node 1. */
static void on_grant(void *self, const orr_grant *g)
{
    orr_text *at = &((places *)self)->of[orr_job_index(g->job)];
    orr_text_addf(at, "%d@", g->slices->node);
    for (int i = 0, n = 0; i < 64; i++)
        if (g->slices->gpus >> i & 1)
            orr_text_addf(at, "%s%d", n++ ? "+" : "", i);
}

static orr_trace *trace_of(const ask *asks, size_t n)
{
    orr_trace *trace = orr_trace_create("asks");
    for (size_t i = 0; i < n; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.submit = (orr_time)i * ORR_SECOND;
        job.duration = 1000000 * ORR_SECOND;
        job.gpus = asks[i].gpus;
        job.gpu_milli = asks[i].milli ? asks[i].milli : 1000;
        job.cpu_milli = INT64_C(1000) * asks[i].cpus;
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    return trace;
}

static orr_cluster_spec *cluster_of(const ask *nodes)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("nodes");
    for (; nodes->gpus; nodes++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = nodes->gpus;
        node.cpus = nodes->cpus;
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    }
    return spec;
}

static void go(const ask *nodes, const ask *asks, size_t n, const char *policy, places *out)
{
    orr_trace *trace = trace_of(asks, n);
    orr_cluster_spec *spec = cluster_of(nodes);
    orr_sim_options o = orr_sim_options_default();
    orr_sink sink = {.self = out, .grant = on_grant};
    orr_error e = {0};
    o.policy = policy;
    orr_sim *sim = orr_sim_create(trace, spec, &o, &sink, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s: %s", policy, e.message);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

static void placed(const ask *nodes, const ask *asks, const char *policy, const char *expected)
{
    places at = {0};
    orr_text all = {0};
    size_t n = 0;
    while (n < ASKS && (asks[n].gpus || asks[n].cpus))
        n++;
    go(nodes, asks, n, policy, &at);
    for (size_t i = 0; i < n; i++) {
        orr_text_addf(&all, "%s%s", i ? " " : "", at.of[i].n ? at.of[i].at : "-");
        orr_text_fini(&at.of[i]);
    }
    if (strcmp(all.at, expected) != 0)
        fail_msg("%s: %s, should be %s", policy, all.at, expected);
    orr_text_fini(&all);
}

static const ask two_by_two[] = {{2, 0, 0}, {2, 0, 0}, {0}};

/* Half a GPU, a GPU, half a GPU. Clustering keeps the whole GPU away from the halves (43 against 20), packing puts it where
 * somebody is (49 against 31). */
static void classes_and_packs(void **state)
{
    (void)state;
    static const ask asks[] = {{1, 500, 0}, {1, 0, 0}, {1, 500, 0}, {0}};
    placed(two_by_two, asks, "drop+gpu-clustering", "0@0 1@0 0@0");
    placed(two_by_two, asks, "drop+gpu-packing", "0@0 0@1 0@0");
    placed(two_by_two, asks, "drop+best-fit", "0@0 0@1 0@0");
}

/* Gangs of one and two are classes of their own: a node with its own class alone is worth 75, an idle one 25, others 0. */
static void gangs_are_classes(void **state)
{
    (void)state;
    static const ask nodes[] = {{4, 0, 0}, {4, 0, 0}, {0}};
    static const ask asks[] = {{1, 0, 0}, {2, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0}};
    placed(nodes, asks, "drop+gpu-clustering", "0@0 1@0+1 0@1 1@2+3 0@2 0@3 -");
}

/* Fullest GPUs first: 900, then 700 of which 300 are left, then the idle one of a node in use, then the idle node. */
static void packs_the_fullest(void **state)
{
    (void)state;
    static const ask asks[] = {{1, 700, 0}, {1, 900, 0}, {1, 100, 0}, {1, 300, 0}, {1, 200, 0}, {2, 0, 0}, {0}};
    placed(two_by_two, asks, "drop+gpu-packing", "0@0 0@1 0@1 0@0 1@0 -");
}

/* A job of 10 cores. The first node has 32 cores and 8 GPUs, the second 64 and 1. By the product the first has less to give
 * of what is asked; by both kinds of room the second is fuller. */
static void cores_count(void **state)
{
    (void)state;
    static const ask nodes[] = {{8, 0, 32}, {1, 0, 64}, {0}};
    static const ask asks[] = {{0, 0, 10}, {0}};
    placed(nodes, asks, "drop+dot-product", "0@");
    placed(nodes, asks, "drop+best-fit:fgd", "1@");
    placed(nodes, asks, "drop+fgd", "0@");
    placed(nodes, asks, "drop+gpu-packing", "0@");
}

static void write_file(char *path, const char *content)
{
    sprintf(path, "/tmp/orrery-parts-%d.csv", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

/* All jobs to come ask for 600 thousandths. The first 400 break a GPU without harm, as 600 are left (50, and on any other
 * likewise: the first wins); the next 400 would leave 200 there (45) and do none on another. */
static void the_gradient(void **state)
{
    (void)state;
    static const ask asks[] = {{1, 400, 0}, {1, 400, 0}, {1, 600, 0}, {1, 600, 0}, {1, 600, 0}, {1, 600, 0}, {1, 500, 0}, {0}};
    char path[64], policy[128];
    write_file(path, "submit,duration,gpus,gpu_milli\n0,1,1,600\n");
    snprintf(policy, sizeof policy, "drop+fgd,typical=%s", path);
    placed(two_by_two, asks, policy, "0@0 0@1 0@0 0@1 1@0 1@1 -");
    remove(path);
}

/* Counted among the jobs so far: the first, 300, sees itself alone, and what it leaves of GPU 0 is no loss. The second
 * makes half of the jobs ask 800: it costs 200 on GPU 1 (from 350 to 550) as on an idle node, and the first wins. To the
 * third, a third of the jobs ask 800: 300 more of what is left of GPU 0 are no loss to those (52). */
static void learns_from_those_before(void **state)
{
    (void)state;
    static const ask asks[] = {{1, 300, 0}, {1, 800, 0}, {1, 300, 0}, {0}};
    placed(two_by_two, asks, "drop+fgd", "0@0 0@1 0@0");
}

static void all_are_as_likely(void **state)
{
    (void)state;
    static const ask nodes[] = {{2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {0}};
    ask asks[MANY];
    places at = {0};
    int count[6] = {0};
    for (int i = 0; i < MANY; i++)
        asks[i] = (ask){1, 1, 0};
    go(nodes, asks, MANY, "drop+random", &at);
    for (int i = 0; i < MANY; i++) {
        count[2 * atoi(at.of[i].at) + atoi(strchr(at.of[i].at, '@') + 1)]++;
        orr_text_fini(&at.of[i]);
    }
    for (int k = 0; k < 6; k++) /* 66.7 each, and four standard deviations of 7.5 */
        assert_true(count[k] > 36 && count[k] < 97);
}

/* One node of the draw holds a gang whole; without it the gang takes what comes from a random node on. */
static void random_gangs(void **state)
{
    (void)state;
    static const ask nodes[] = {{2, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0}};
    static const ask asks[] = {{2, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0}};
    places at = {0};
    go(nodes, asks, 4, "drop+random:fgd", &at);
    assert_true(at.of[0].at[0] + at.of[1].at[0] == '0' + '2'); /* both whole nodes, in either order */
    assert_string_equal(at.of[2].at, "1@0");
    assert_int_equal(at.of[3].n, 0);
    for (int i = 0; i < 4; i++)
        orr_text_fini(&at.of[i]);
}

/* ---- drop ---- */

/* A takes all, B is turned away though A ends before long, C starts at 12; D finds B's like gone and starts beside C. */
static void nobody_waits(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 10},
                                   {.id = "B", .submit = 5, .gpus = 1, .duration = 20},
                                   {.id = "C", .submit = 12, .gpus = 3, .duration = 20},
                                   {.id = "D", .submit = 13, .gpus = 1, .duration = 5}};
    run *r = run_of(jobs, 4, "nodes=1,gpus=4", "drop");
    run_ends(r, "A:10 C:32 D:18");
    assert_int_equal(r->counts.rejected, 1);
    assert_int_equal(run_job_of(r, "B")->state, ORR_JOB_REJECTED);
    run_free(r);
}

/* An attempt that failed waits: it had its GPUs before. A's second attempt finds B in its place until 15. */
static void who_had_gpus_waits(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 4, .attempts = {5, 5}},
                                   {.id = "B", .submit = 5, .gpus = 4, .duration = 10}};
    run *r = run_of_with(jobs, 2, "nodes=1,gpus=4", "drop", NULL);
    assert_int_equal(r->counts.rejected + r->counts.done, 2);
    assert_int_equal(run_job_of(r, "A")->state, ORR_JOB_DONE);
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_and_packs),        cmocka_unit_test(gangs_are_classes),
        cmocka_unit_test(packs_the_fullest),        cmocka_unit_test(cores_count),
        cmocka_unit_test(the_gradient),             cmocka_unit_test(learns_from_those_before),
        cmocka_unit_test(all_are_as_likely),        cmocka_unit_test(random_gangs),
        cmocka_unit_test(nobody_waits),             cmocka_unit_test(who_had_gpus_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
