/* What is believed about durations, seen through an order that writes down every estimate it asks for. */
#define ORR_BUILTIN /* so that several modules can live in one file */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The estimate of each job, by its rank; -1: not asked. For one run at a time. */
static double asked[64];

static double write_down(orr_ctx *ctx, const orr_job *job)
{
    if (asked[orr_job_index(job)] < 0)
        asked[orr_job_index(job)] = orr_est_duration(ctx, job);
    return asked[orr_job_index(job)];
}

static double in_order(orr_ctx *ctx, const orr_job *job)
{
    write_down(ctx, job);
    return orr_time_seconds(orr_job_submit(job));
}

ORR_ORDER(probe_first) = {
    .summary = "fifo that asks for durations",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = in_order,
};

ORR_ORDER(probe_shortest) = {
    .summary = "shortest first, preemptive",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = write_down,
    .flags = ORR_ORDER_PREEMPTIVE | ORR_ORDER_SKIP,
};

static double half_of_them(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_index(job) % 2 ? write_down(ctx, job) : 0;
}

ORR_ORDER(probe_odd) = {
    .summary = "asks for every second job only",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = half_of_them,
};

static void believe(const run_job *jobs, size_t n, const char *policy, uint64_t seed, double out[64])
{
    orr_error e = {0};
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_probe_first, &e), ORR_OK);
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_probe_shortest, &e), ORR_OK);
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_probe_odd, &e), ORR_OK);
    orr_sim_options o = orr_sim_options_default();
    o.registry = registry;
    o.seed = seed;
    for (size_t i = 0; i < RUN_COUNT(asked); i++)
        asked[i] = -1;
    run_free(run_of_with(jobs, n, "4", policy, &o));
    memcpy(out, asked, sizeof asked);
    orr_registry_destroy(registry);
}

static const run_job five[] = {
    {.id = "A", .gpus = 1, .duration = 10, .limit = 60},
    {.id = "B", .submit = 1, .gpus = 1, .duration = 100, .limit = 120},
    {.id = "C", .submit = 2, .gpus = 1, .duration = 1000},
    {.id = "D", .submit = 3, .gpus = 1, .duration = 0.5, .limit = 60},
    {.id = "E", .submit = 4, .gpus = 1, .duration = 7, .limit = 5},
};

static void oracle_is_the_truth(void **state)
{
    (void)state;
    double got[64];
    believe(five, 5, "probe-first", 1, got);
    for (size_t i = 0; i < 5; i++)
        assert_true(got[i] == five[i].duration);
}

static void limit_is_what_was_declared(void **state)
{
    (void)state;
    double got[64];
    believe(five, 5, "probe-first~limit", 1, got);
    const double usual[] = {60, 120, 3600, 60, 5};
    assert_memory_equal(got, usual, sizeof usual);
    believe(five, 5, "probe-first~limit,guess=2m", 1, got);
    const double guessed[] = {60, 120, 120, 60, 5};
    assert_memory_equal(got, guessed, sizeof guessed);
}

/* A job's error is its own, whichever policy asks, and for whom else; another seed gives others. */
static void noise_belongs_to_the_job(void **state)
{
    (void)state;
    double first[64], shortest[64], again[64], other[64], odd[64];
    believe(five, 5, "probe-first~noisy", 1, first);
    believe(five, 5, "probe-shortest~noisy", 1, shortest);
    believe(five, 5, "probe-first~noisy", 1, again);
    believe(five, 5, "probe-first~noisy", 2, other);
    believe(five, 5, "probe-odd~noisy", 1, odd);
    assert_true(odd[0] == -1 && odd[1] == first[1] && odd[2] == -1 && odd[3] == first[3]);
    for (size_t i = 0; i < 5; i++) {
        assert_true(first[i] == shortest[i] && first[i] == again[i]);
        assert_true(first[i] != other[i] && first[i] != five[i].duration && first[i] > 0);
    }
}

static void noise_of_sigma(void **state)
{
    (void)state;
    run_job many[60];
    char ids[60][8];
    size_t too_short = 0;
    double got[64];
    for (size_t i = 0; i < 60; i++) {
        snprintf(ids[i], sizeof ids[i], "j%zu", i);
        many[i] = (run_job){.id = ids[i], .gpus = 1, .duration = 100};
    }
    believe(many, 60, "probe-first~noisy,sigma=0", 1, got);
    for (size_t i = 0; i < 60; i++)
        assert_true(got[i] == 100);
    believe(many, 60, "probe-first~noisy,sigma=0.1", 1, got);
    for (size_t i = 0; i < 60; i++) {
        assert_true(got[i] > 60 && got[i] < 160); /* within 4.7 sigma */
        too_short += got[i] < 100;
    }
    assert_true(too_short > 15 && too_short < 45); /* half of them, within 3.9 sigma */
}

/* ---- what is granted, and what was used ---- */

static run *granted(const char *policy, orr_know level)
{
    orr_sim_options o = orr_sim_options_default();
    orr_trace *trace = run_trace(five, 5);
    orr_cluster_spec *cluster = run_cluster("1");
    o.know = level;
    run *r = run_try(trace, cluster, policy, &o);
    for (size_t i = 0; i < r->count; i++)
        r->jobs[i].id = ""; /* it goes with the trace */
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
    return r;
}

static void refused_below_its_level(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        orr_know level; /* the least with which it runs */
    } levels[] = {
        {"fifo", ORR_KNOW_NONE},          {"sgf", ORR_KNOW_NONE},           {"las", ORR_KNOW_OBSERVED},
        {"tiresias", ORR_KNOW_OBSERVED},  {"mlfq", ORR_KNOW_OBSERVED},      {"gittins", ORR_KNOW_OBSERVED},
        {"sjf", ORR_KNOW_ORACLE},         {"srtf", ORR_KNOW_ORACLE},        {"srsf~noisy", ORR_KNOW_NOISY},
        {"sjf~qssf", ORR_KNOW_HISTORY},   {"srtf~ridge", ORR_KNOW_HISTORY}, {"ssf~user-mean", ORR_KNOW_HISTORY},
        {"qssf", ORR_KNOW_HISTORY},       {"qssf~noisy", ORR_KNOW_NOISY},   {"srtf~given", ORR_KNOW_DECLARED},
        {"ssf~rolling", ORR_KNOW_HISTORY},{"sjf~limit", ORR_KNOW_DECLARED}, {"easy~limit", ORR_KNOW_DECLARED},
    };
    for (size_t i = 0; i < RUN_COUNT(levels); i++) {
        for (int level = ORR_KNOW_NONE; level <= ORR_KNOW_ORACLE; level++) {
            run *r = granted(levels[i].policy, (orr_know)level);
            orr_err expected = level < (int)levels[i].level ? ORR_E_KNOWLEDGE : ORR_OK;
            if (r->code != expected)
                fail_msg("%s with %s: %s", levels[i].policy, orr_know_name((orr_know)level), orr_err_name(r->code));
            run_free(r);
        }
    }
}

static void results_state_what_was_used(void **state)
{
    (void)state;
    run *fifo = granted("fifo", ORR_KNOW_ORACLE), *srtf = granted("srtf", ORR_KNOW_ORACLE);
    run *noisy = granted("sjf~noisy", ORR_KNOW_ORACLE), *las = granted("las", ORR_KNOW_ORACLE);
    assert_int_equal(fifo->used[ORR_Q_DURATION], ORR_KNOW_NONE);
    assert_int_equal(fifo->used[ORR_Q_SERVICE], ORR_KNOW_NONE);
    assert_int_equal(srtf->used[ORR_Q_DURATION], ORR_KNOW_ORACLE);
    assert_int_equal(noisy->used[ORR_Q_DURATION], ORR_KNOW_NOISY);
    assert_int_equal(las->used[ORR_Q_SERVICE], ORR_KNOW_OBSERVED);
    assert_int_equal(las->used[ORR_Q_DURATION], ORR_KNOW_NONE);
    run_free(fifo);
    run_free(srtf);
    run_free(noisy);
    run_free(las);
}

/* ---- estimates in policies ---- */

/* Limits lie: sjf~limit takes them at their word.
 *
 *   X 11111                                 0-5
 *   A  ........................1111111111    25-35, said 60
 *   B   ...11111111111111111111              5-25, said 30
 */
static void sjf_by_limits(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "X", .gpus = 1, .duration = 5, .limit = 60},
                            {.id = "A", .submit = 1, .gpus = 1, .duration = 10, .limit = 60},
                            {.id = "B", .submit = 2, .gpus = 1, .duration = 20, .limit = 30}};
    run *limit = run_of(jobs, 3, "1", "sjf~limit"), *oracle = run_of(jobs, 3, "1", "sjf");
    run_ends(limit, "X:5 A:35 B:25");
    run_ends(oracle, "X:5 A:15 B:35");
    run_free(limit);
    run_free(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_is_the_truth),
        cmocka_unit_test(limit_is_what_was_declared),
        cmocka_unit_test(noise_belongs_to_the_job),
        cmocka_unit_test(noise_of_sigma),
        cmocka_unit_test(refused_below_its_level),
        cmocka_unit_test(results_state_what_was_used),
        cmocka_unit_test(sjf_by_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
