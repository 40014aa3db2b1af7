/* synergy: cores by need, never below the fair share, on one node of 2 GPUs and 8 cores: 4 cores a GPU are fair. The
 * rounds are 100 s. `hungry` runs at 1 with 4 cores and at 1.5 with 6; `modest` needs 1 core. */
#include "run.h"

#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NODE "nodes=1,gpus=2,cpus=8"

static orr_profiles *models(void)
{
    static const orr_host_point hungry[] = {{4, 0, 1}, {6, 0, 1.5}}, modest[] = {{1, 0, 1}};
    orr_profiles *all = orr_profiles_create("two models");
    orr_profile p = orr_profile_default();
    p.model = "hungry";
    p.host = hungry;
    p.host_points = RUN_COUNT(hungry);
    assert_true(orr_profiles_add(all, &p));
    p.model = "modest";
    p.host = modest;
    p.host_points = RUN_COUNT(modest);
    assert_true(orr_profiles_add(all, &p));
    return all;
}

static run *run_rounds(const run_job *jobs, size_t n, const char *cluster, const char *settings, orr_profiles *profiles)
{
    char policy[256];
    orr_sim_options options = orr_sim_options_default();
    options.profiles = profiles;
    snprintf(policy, sizeof policy, "synergy,round=100s%s%s", *settings ? "," : "", settings);
    return run_of_with(jobs, n, cluster, policy, &options);
}

static void expect(const run_job *jobs, size_t n, const char *cluster, const char *settings, const char *ends)
{
    orr_profiles *profiles = models();
    run *r = run_rounds(jobs, n, cluster, settings, profiles);
    run_ends(r, ends);
    run_free(r);
    orr_profiles_destroy(profiles);
}

static const run_job one_of_each[] = {{.id = "H", .gpus = 1, .duration = 600, .model = "hungry"},
                                      {.id = "M", .gpus = 1, .duration = 600, .model = "modest"}};
static const run_job two_hungry[] = {{.id = "A", .gpus = 1, .duration = 600, .model = "hungry"},
                                     {.id = "B", .gpus = 1, .duration = 600, .model = "hungry"}};

/* H takes 6 cores and runs at 1.5, M takes one and loses nothing by it. In proportion both have 4. */
static void who_needs_more_gets_what_others_do_not_need(void **state)
{
    (void)state;
    expect(one_of_each, 2, NODE, "", "H:400 M:600");
    expect(one_of_each, 2, NODE, "allocation=greedy", "H:400 M:600");
    expect(one_of_each, 2, NODE, "allocation=proportional", "H:600 M:600");
}

/* tune: A has 6, 2 are left; B's fair share is 4: A is cut back to 4. greedy: B finds no 6 cores until A has ended at
 * 400. */
static void nobody_gets_less_than_the_fair_share(void **state)
{
    (void)state;
    expect(two_hungry, 2, NODE, "", "A:600 B:600");
    expect(two_hungry, 2, NODE, "keep=off", "A:600 B:600");
    expect(two_hungry, 2, NODE, "allocation=greedy", "A:400 B:800");
}

/* B comes at 150 and is dealt in at 200. Until then A ran at 1.5 and has 300 s of work left, which take it 300 s more
 * beside B. B has done 300 at 500, and with 6 cores from then on needs 200 s for the other 300. */
static const run_job late_hungry[] = {{.id = "A", .gpus = 1, .duration = 600, .model = "hungry"},
                                      {.id = "B", .submit = 150, .gpus = 1, .duration = 600, .model = "hungry"}};

static void a_job_is_cut_back_and_raised_where_it_stands(void **state)
{
    (void)state;
    orr_profiles *profiles = models();
    run *r = run_rounds(late_hungry, 2, NODE, "", profiles);
    run_ends(r, "A:500 B:700");
    run_preempted(r, "");
    run_starts(r, "A:0 B:200");
    assert_int_equal(r->counts.migrations, 0);
    assert_int_equal(r->counts.reshares, 2);
    run_free(r);
    orr_profiles_destroy(profiles);
}

/* One GPU: three jobs of one round each. */
static const run_job three[] = {{.id = "A", .gpus = 1, .duration = 250}, {.id = "B", .gpus = 1, .duration = 200},
                                {.id = "C", .submit = 90, .gpus = 1, .duration = 100}};

/* fifo: A, then B from 300, then C from 500. srtf: B, and again at 100, when C has no more left and came later. las: A
 * 0-100; at 100 B and C have none: B, then C, which ends; then A and B have 100 each and take turns: A 300-400, B
 * 400-500, A from 500. */
static void orders(void **state)
{
    (void)state;
    expect(three, 3, "nodes=1,gpus=1", "order=fifo", "A:250 B:500 C:600");
    expect(three, 3, "nodes=1,gpus=1", "order=srtf", "A:550 B:200 C:300");
    expect(three, 3, "nodes=1,gpus=1", "order=las", "A:550 B:500 C:300");
}

/* Slowdowns as they would be if a job ran on from then: at 0 all 1. At 100 A is at 1 (it ran), B at 1.5, C at 1.1; at
 * 200 (B ran) A at 1.4, B 1.5, C 2.1; at 300 (C ended) A 1.8, B 1.5 with 100 left + 300: 2. */
static void the_worst_slowdown_goes_first(void **state)
{
    (void)state;
    expect(three, 3, "nodes=1,gpus=1", "order=ftf", "A:550 B:400 C:300");
}

/* Two nodes of 2 GPUs. By need a gang of two takes 12 cores, more than a node has: its demand is cut down to 8, at 4 a
 * GPU. */
static void a_demand_is_capped_at_a_server(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "W", .gpus = 2, .duration = 600, .model = "hungry"},
                            {.id = "H", .gpus = 1, .duration = 600, .model = "hungry"}};
    expect(jobs, 2, "nodes=2,gpus=2,cpus=8", "", "W:600 H:400");
}

/* A gang wider than a server has its fair share on each. */
static void a_wide_gang_has_its_fair_share(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "W", .gpus = 4, .duration = 600, .model = "hungry"}};
    orr_profiles *profiles = models();
    run *r = run_rounds(jobs, 1, "nodes=2,gpus=2,cpus=8", "", profiles);
    run_ends(r, "W:600");
    run_held(r, "W", "0-600@0:2;1:2");
    run_free(r);
    orr_profiles_destroy(profiles);
}

/* Without a demand that differs, all three ways of dealing out are one. */
static void where_nobody_is_sensitive_all_ways_are_equal(void **state)
{
    (void)state;
    static const char *const ways[] = {"allocation=tune", "allocation=greedy", "allocation=proportional"};
    run_job jobs[12];
    char ids[12][4];
    double mean = 0;
    for (int i = 0; i < 12; i++) {
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        jobs[i] = (run_job){.id = ids[i], .submit = 70 * i, .gpus = 1 + i % 4, .duration = 150 + 90 * (i % 5)};
    }
    for (size_t i = 0; i < RUN_COUNT(ways); i++) {
        run *r = run_rounds(jobs, 12, "nodes=2,gpus=4,cpus=24,mem=64GiB", ways[i], NULL);
        if (i == 0)
            mean = run_mean_jct(r);
        assert_true(run_mean_jct(r) == mean);
        run_free(r);
    }
}

/* Jobs that can't be preempted, and jobs without GPUs, are started and left alone. */
static void others_are_left_alone(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "P", .gpus = 1, .duration = 250, .pinned = true},
                            {.id = "C", .duration = 50, .cpus = 1},
                            {.id = "S", .submit = 50, .gpus = 2, .duration = 100}};
    expect(jobs, 3, NODE, "order=srtf", "P:250 C:50 S:400");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_needs_more_gets_what_others_do_not_need),
        cmocka_unit_test(nobody_gets_less_than_the_fair_share),
        cmocka_unit_test(a_job_is_cut_back_and_raised_where_it_stands),
        cmocka_unit_test(orders),
        cmocka_unit_test(the_worst_slowdown_goes_first),
        cmocka_unit_test(a_demand_is_capped_at_a_server),
        cmocka_unit_test(a_wide_gang_has_its_fair_share),
        cmocka_unit_test(where_nobody_is_sensitive_all_ways_are_equal),
        cmocka_unit_test(others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
