/* Sharing from end to end: interference moves ends, memory comes from profiles, MIG instances are whole and alone. */
#include "run.h"

#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GIB (INT64_C(1) << 30)

typedef struct part {
    const char *id;
    int32_t milli;
    double submit, duration;
    const char *model;
} part;

static orr_trace *parts_of(const part *at, size_t n)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("parts");
    for (size_t i = 0; i < n; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = at[i].id;
        job.model = at[i].model;
        job.gpu_milli = at[i].milli;
        job.submit = orr_time_from_seconds(at[i].submit);
        job.duration = orr_time_from_seconds(at[i].duration);
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    return trace;
}

/* "busy" keeps 0.75 of a GPU busy, "big" takes 10 GiB of its memory. */
static orr_profiles *models(void)
{
    orr_profiles *p = orr_profiles_create("by hand");
    orr_profile busy = orr_profile_default(), big = orr_profile_default();
    busy.model = "busy";
    busy.gpu_util = 0.75;
    big.model = "big";
    big.gpu_mem = 10 * GIB;
    orr_profiles_add(p, &busy);
    orr_profiles_add(p, &big);
    return p;
}

static void ends(const part *at, size_t n, const char *cluster, const char *interference, const char *expected)
{
    orr_profiles *profiles = models();
    orr_trace *trace = parts_of(at, n);
    orr_cluster_spec *spec = run_cluster(cluster);
    orr_sim_options options = orr_sim_options_default();
    options.profiles = profiles;
    options.interference = interference;
    run *r = run_policy(trace, spec, "fifo", &options);
    run_ends(r, expected);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
    orr_profiles_destroy(profiles);
}

/* Together they keep 1.5 GPUs busy, and run at 2/3: B's 20 s last 30, and A has 100 - 10 - 20 = 70 s left at 40. Then C asks
 * for no more than is left of the GPU: nobody is slowed. */
static void neighbours_slow_each_other(void **state)
{
    (void)state;
    const part jobs[] = {{"A", 500, 0, 100, "busy"}, {"B", 500, 10, 20, "busy"}, {"C", 250, 50, 10, ""}};
    ends(jobs, 3, "1", "utilisation", "A:110 B:40 C:60");
    ends(jobs, 3, "1", NULL, "A:100 B:30 C:60");
    ends(jobs, 3, "1", "time-slice,quantum=10s,switch=0",
         "A:100 B:30 C:60"); /* turns by shares that are what was asked */
}

/* Alone on its GPU a job runs as recorded under every rule. */
static void one_resident_is_none(void **state)
{
    (void)state;
    static const char *const rules[] = {"pairs,unknown=0.5", "utilisation", "mps", "stages", "time-slice,switch=1s"};
    const part jobs[] = {{"A", 700, 0, 100, "busy"}, {"B", 700, 10, 20, "busy"}, {"C", 1000, 20, 30, "busy"}};
    for (size_t i = 0; i < RUN_COUNT(rules); i++)
        ends(jobs, 3, "1 1 1", rules[i], "A:100 B:30 C:50");
}

/* Two of 10 GiB don't share a GPU of 16, though each asks for a quarter of it; on one of 24 they do. */
static void memory_of_profiles(void **state)
{
    (void)state;
    const part jobs[] = {{"A", 250, 0, 100, "big"}, {"B", 250, 10, 20, "big"}};
    ends(jobs, 2, "nodes=1,gpus=1,gpu_mem=16GiB", NULL, "A:100 B:120");
    ends(jobs, 2, "nodes=1,gpus=1,gpu_mem=24GiB", NULL, "A:100 B:30");
}

/* ---- MIG ---- */

/* 300 thousandths are more than 2 of 7 slices: each gets an instance of 3, and two of those leave no place for a third. */
static void instances_are_whole(void **state)
{
    (void)state;
    const part jobs[] = {{"A", 300, 0, 100, ""}, {"B", 300, 0, 50, ""}, {"C", 300, 0, 20, ""}};
    ends(jobs, 3, "nodes=1,gpus=1,type=V100", NULL, "A:100 B:50 C:20");
    ends(jobs, 3, "nodes=1,gpus=1,type=A100,mig=on", NULL, "A:100 B:50 C:70");
}

/* A quarter of the compute is two slices, with 2 of 8 memory slices: 10 GiB of 40. "big" fits exactly; on a GPU of 32 GiB it
 * needs four memory slices and three of compute. */
static void memory_decides_on_the_instance(void **state)
{
    (void)state;
    const part jobs[] = {{"A", 250, 0, 100, "big"}, {"B", 250, 0, 50, "big"}, {"C", 250, 0, 20, "big"}};
    ends(jobs, 3, "nodes=1,gpus=1,type=A100,mig=on,gpu_mem=40GiB", NULL, "A:100 B:50 C:20");
    ends(jobs, 3, "nodes=1,gpus=1,type=A100,mig=on,gpu_mem=32GiB", NULL, "A:100 B:50 C:70");
}

/* Seven of the smallest run side by side at full speed, whatever the rule for shared GPUs; the eighth waits for the first. */
static void instances_are_alone(void **state)
{
    (void)state;
    part jobs[8];
    static const char *const ids[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (int i = 0; i < 8; i++)
        jobs[i] = (part){ids[i], 100, 0, 100, "busy"};
    ends(jobs, 8, "nodes=1,gpus=1,type=H100,mig=on", "utilisation", "a:100 b:100 c:100 d:100 e:100 f:100 g:100 h:200");
}

/* Many come and go, of all sizes: whatever fits is legal, and nothing is left behind (the cluster asserts both). */
static void come_and_go(void **state)
{
    (void)state;
    part jobs[200];
    char ids[200][8];
    uint64_t x = 7;
    for (int i = 0; i < 200; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        jobs[i] = (part){ids[i], (int32_t)(1 + (x >> 33) % 1000), i, (double)(1 + (x >> 43) % 40), ""};
    }
    orr_trace *trace = parts_of(jobs, 200);
    orr_cluster_spec *spec = run_cluster("nodes=2,gpus=2,type=A30,mig=on");
    static const char *const policies[] = {"fifo", "srtf", "las", "easy"};
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        orr_sim_options options = orr_sim_options_default();
        options.costs = i % 2 ? "save=3s" : NULL;
        run *r = run_policy(trace, spec, policies[i], &options);
        assert_int_equal(r->counts.done, 200);
        run_free(r);
    }
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

static void a_type_that_cannot_be_cut(void **state)
{
    (void)state;
    orr_error e = {0};
    assert_null(orr_cluster_spec_load("nodes=1,type=V100,mig=on", NULL, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.message, "V100"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_slow_each_other),
        cmocka_unit_test(one_resident_is_none),
        cmocka_unit_test(memory_of_profiles),
        cmocka_unit_test(instances_are_whole),
        cmocka_unit_test(memory_decides_on_the_instance),
        cmocka_unit_test(instances_are_alone),
        cmocka_unit_test(come_and_go),
        cmocka_unit_test(a_type_that_cannot_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
