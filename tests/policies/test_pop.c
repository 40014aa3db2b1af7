/* pop: one group is gavel itself; what k divides badly is dealt out; what it can't be; and what it saves and loses. */
#include "small.h"

#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void one_group_is_gavel(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 20, .gpus = 3, .span = 4000, .work = 6000});
        run *x = run_of(s.jobs, s.count, "nodes=2,gpus=4", "gavel"), *y = run_of(s.jobs, s.count, "nodes=2,gpus=4", "pop,k=1");
        for (size_t i = 0; i < x->count; i++)
            assert_int_equal(x->jobs[i].end, y->jobs[i].end);
        run_free(x);
        run_free(y);
    }
}

/* Five GPUs for two groups: one of them has three, so that five jobs run at once. */
static void what_k_does_not_divide_is_dealt_out(void **state)
{
    (void)state;
    run_job jobs[5];
    char ids[5][4];
    for (int i = 0; i < 5; i++) {
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        jobs[i] = (run_job){.id = ids[i], .gpus = 1, .duration = 1000};
    }
    run *r = run_of(jobs, 5, "nodes=1,gpus=5", "pop,k=2");
    run_ends(r, "j0:1000 j1:1000 j2:1000 j3:1000 j4:1000");
    run_free(r);
}

static void too_many_groups_are_refused(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "small", .gpus = 1, .duration = 10}, {.id = "wide", .gpus = 4, .duration = 10}};
    orr_trace *trace = run_trace(jobs, 2);
    orr_cluster_spec *spec = run_cluster("nodes=1,gpus=8");
    run *r = run_try(trace, spec, "pop,k=3,wide=refuse", NULL);
    assert_int_equal(r->code, ORR_E_CONFLICT);
    assert_non_null(strstr(r->error.message, "3 groups are too many"));
    run_free(r);
    r = run_policy(trace, spec, "pop,k=2,wide=refuse", NULL);
    run_ends(r, "small:10 wide:10");
    run_free(r);
    r = run_policy(trace, spec, "pop,k=3", NULL); /* two */
    run_ends(r, "small:10 wide:10");
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* ---- what is lost ------------------------------------------------------------------------------------------------ */

enum { MANY = 512 };

typedef struct outcome {
    double least; /* speed relative to a proportional share, of those by the shares of the first reset */
    uint64_t cells;
} outcome;

/* All jobs at once on the synthetic table's three types, a quarter as many GPUs of each; shares as they are after the
 * first instant. */
static orr_trace *crowd(void)
{
    static const char *const models[] = {"conv-small", "conv-large", "attention", "recurrent", "embedding", "policy-net"};
    orr_trace *trace = orr_trace_create("crowd");
    orr_error e;
    for (int i = 0; i < MANY; i++) {
        char id[8];
        orr_trace_job job = orr_trace_job_default();
        snprintf(id, sizeof id, "%d", i);
        job.id = id;
        job.model = models[i % 6];
        job.gpus = 1;
        job.duration = 3600 * ORR_SECOND;
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    return trace;
}

static double relative_speed(orr_ctx *ctx, const orr_job *job)
{
    double speed = 0, proportional = 0;
    for (int32_t k = 0; k < orr_cluster_types(ctx); k++) {
        const double on = orr_job_speed_on(ctx, job, k, false);
        speed += on * orr_share_rounds_of(ctx->share_rounds, job, k);
        proportional += on / orr_cluster_types(ctx);
    }
    return speed / proportional;
}

static outcome first_shares(const char *policy)
{
    orr_error e = {0};
    orr_sim_options options = orr_sim_options_default();
    orr_throughputs *table = orr_throughputs_load(ORR_TEST_DATA_DIR "/../configs/throughputs/synthetic.csv,reference=V100", &e);
    assert_non_null(table);
    options.throughputs = table;
    options.policy = policy;
    orr_trace *trace = crowd();
    orr_cluster_spec *spec = orr_cluster_spec_create("three types");
    static const char *const types[] = {"V100", "P100", "K80"};
    for (int k = 0; k < 3; k++) {
        const orr_node_spec node = {.gpu_type = types[k], .gpus = 16, .sockets = 1, .vc = "", .rack = ""};
        assert_int_equal(orr_cluster_spec_add(spec, &node, MANY / 64, &e), ORR_OK);
    }
    orr_sim *sim = orr_sim_create(trace, spec, &options, NULL, &e);
    assert_non_null(sim);
    bool more;
    assert_int_equal(orr_sim_step(sim, &more, &e), ORR_OK);
    outcome out = {.least = INFINITY};
    for (const orr_job *job = sim->life.first; job; job = job->next)
        out.least = fmin(out.least, relative_speed(sim->policy, job));
    uint64_t resets, passed;
    orr_share_rounds_count(sim->policy->share_rounds, &resets, &out.cells, &passed);
    assert_int_equal(resets, 1);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
    orr_throughputs_destroy(table);
    return out;
}

/* The published claim: with 64 jobs a group the least speed is within 5 % of the optimum. */
static void little_is_lost(void **state)
{
    (void)state;
    const outcome whole = first_shares("gavel"), parts = first_shares("pop,k=8");
    printf("least speed: %.4f in one, %.4f in 8 groups of %d\n", whole.least, parts.least, MANY / 8);
    assert_true(whole.least > 0 && parts.least >= 0.95 * whole.least && parts.least <= whole.least * (1 + 1e-6));
    assert_int_equal(whole.cells, parts.cells);
}

/* Pairs grow with the square of the jobs: eight groups have an eighth of them. */
static void pairs_are_fewer(void **state)
{
    (void)state;
    const outcome whole = first_shares("pop,k=1,packed=on"), parts = first_shares("pop,k=8,packed=on");
    printf("with pairs: %llu cells in one, %llu in 8 groups\n", (unsigned long long)whole.cells, (unsigned long long)parts.cells);
    assert_true(whole.cells > 7 * parts.cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_is_gavel),
        cmocka_unit_test(what_k_does_not_divide_is_dealt_out),
        cmocka_unit_test(too_many_groups_are_refused),
        cmocka_unit_test(little_is_lost),
        cmocka_unit_test(pairs_are_fewer),
    };
    return cmocka_run_group_tests_name("pop", tests, NULL, NULL);
}
