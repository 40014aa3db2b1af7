/* lucid: who may share with whom, that survivors get their own speed back, and the profiler; by hand. */
#include "run.h"

#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define GIB (INT64_C(1) << 30)

/* t1, t2 tiny, m medium, j jumbo, all of 4 GiB; b is tiny and takes 20. */
static orr_profiles *models(void)
{
    static const struct {
        const char *model;
        int32_t sharing;
        int64_t mem;
    } rows[] = {{"t1", 0, 4 * GIB}, {"t2", 0, 4 * GIB}, {"m", 1, 4 * GIB}, {"j", 2, 4 * GIB}, {"b", 0, 20 * GIB}};
    orr_profiles *p = orr_profiles_create("by hand");
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        orr_profile one = orr_profile_default();
        one.model = rows[i].model;
        one.sharing = rows[i].sharing;
        one.gpu_mem = rows[i].mem;
        orr_profiles_add(p, &one);
    }
    orr_profiles_add_pair(p, orr_profiles_find(p, "t1"), orr_profiles_find(p, "t2"), 0.8, 0.8);
    orr_profiles_add_pair(p, orr_profiles_find(p, "t1"), orr_profiles_find(p, "j"), 0.5, 0.5);
    return p;
}

static run *run_on(const run_job *jobs, size_t n, const char *cluster, const char *policy)
{
    orr_profiles *p = models();
    orr_sim_options options = orr_sim_options_default();
    options.profiles = p;
    options.interference = "pairs";
    run *r = run_of_with(jobs, n, cluster, policy, &options);
    orr_profiles_destroy(p);
    return r;
}

static void ends(const run_job *jobs, size_t n, const char *cluster, const char *policy, const char *expected)
{
    run *r = run_on(jobs, n, cluster, policy);
    run_ends(r, expected);
    run_preempted(r, "");
    run_free(r);
}

/* One GPU. B joins A at 5; both run at 0.8, and B's 40 s last 50. C came at 10 and finds A in company until 55, then joins it;
 * both run at 0.5. After C's 100 s A has 5 s left, which it runs alone.
 *
 *   A 0-5 alone, 5-55 with B (45 s done), 55-155 with C (95 s done), 155-160 alone
 *   B 5-55
 *   C 55-155
 */
static void survivors_run_as_before(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .model = "t1"},
                            {.id = "B", .submit = 5, .gpus = 1, .duration = 40, .model = "t2"},
                            {.id = "C", .submit = 10, .gpus = 1, .duration = 50, .model = "j"}};
    run *r = run_on(jobs, 3, "1", "lucid");
    run_starts(r, "A:0 B:5 C:55");
    run_ends(r, "A:160 B:55 C:155");
    assert_int_equal(run_note(r, "shares"), 2);
    assert_int_equal(r->used[ORR_Q_PROFILE], ORR_KNOW_PROFILED);
    run_free(r);
}

/* B was joined to A; when A has gone, C may join B, unless `rejoin=off`. A 0-40 in company from 0 on: 40 / 0.8 = 50. */
static void who_joined_may_be_joined(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 40, .model = "t1"},
                            {.id = "B", .gpus = 1, .duration = 60, .model = "t2"},
                            {.id = "C", .submit = 1, .gpus = 1, .duration = 70, .model = "t1"}};
    ends(jobs, 3, "1", "lucid", "A:50 B:75 C:125"); /* B has 20 s left at 50, at 0.8: 25 s; C then 50 s alone */
    ends(jobs, 3, "1", "lucid,rejoin=off", "A:50 B:70 C:140"); /* B has its GPU for itself from 50 on */
}

/* Two jobs on one GPU, the second at 1: does it join? It ends at 11 if it does, since no pair is measured. */
static void who_gets_on(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        double first_lasts, second_lasts;
        const char *policy, *ends;
    } rows[] = {
        {"m", "m", 20, 10, "lucid", "A:20 B:11"}, /* 1 + 1 */
        {"m", "j", 20, 10, "lucid", "A:20 B:30"}, /* 1 + 2 is too much */
        {"m", "j", 20, 10, "lucid,score=3", "A:20 B:11"},
        {"b", "t2", 20, 10, "lucid", "A:20 B:30"}, /* 24 GiB is no less than 24 */
        {"b", "t2", 20, 10, "lucid,memory=25", "A:20 B:11"},
        {"t1", "m", 20, 40, "lucid", "A:20 B:41"}, /* 40 <= 2 x 20 */
        {"t1", "m", 20, 41, "lucid", "A:20 B:61"},
        {"t1", "m", 20, 10, "lucid,sharing=off", "A:20 B:30"},
        {"?", "t1", 20, 10, "lucid", "A:20 B:11"}, /* a stranger counts as jumbo: 2 + 0 */
    };
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        const run_job jobs[] = {
            {.id = "A", .gpus = 1, .duration = rows[i].first_lasts, .model = rows[i].first},
            {.id = "B", .submit = 1, .gpus = 1, .duration = rows[i].second_lasts, .model = rows[i].second}};
        ends(jobs, 2, "1", rows[i].policy, rows[i].ends);
    }
}

/* A gang joins a gang of its own size, on the very same GPUs, though others are idle. */
static void gangs_of_a_size(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 40, .model = "t1"},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 20, .model = "t2"},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 20, .model = "m"}};
    run *r = run_on(jobs, 3, "8", "lucid");
    run_ends(r, "A:40 B:21 C:22");
    assert_int_equal(run_note(r, "shares"), 1);
    assert_string_equal(run_job_of(r, "C")->nodes, "0:2");
    run_free(r);
}

/* Device memory that the cluster states is kept, whatever the policy believes. */
static void memory_of_the_cluster(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20, .model = "t1"},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 10, .model = "t2"}};
    ends(jobs, 2, "nodes=1,gpus=1,gpu_mem=7GiB", "lucid", "A:20 B:30");
}

/* A is profiled for 80 s and goes on in its own cluster; B, behind it, is done while it is profiled. */
static void the_profiler(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 200, .model = "t1", .vc = "main"},
                            {.id = "B", .gpus = 1, .duration = 50, .model = "t2", .vc = "main"}};
    run *r = run_on(jobs, 2, "1@main 1@prof", "lucid,profiler=prof");
    run_held(r, "A", "0-80@1:1 80-200@0:1");
    run_held(r, "B", "80-130@1:1");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survivors_run_as_before),
        cmocka_unit_test(who_joined_may_be_joined),
        cmocka_unit_test(who_gets_on),
        cmocka_unit_test(gangs_of_a_size),
        cmocka_unit_test(memory_of_the_cluster),
        cmocka_unit_test(the_profiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
