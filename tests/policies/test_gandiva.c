/* gandiva: turns, packing on trial, migration; by hand. */
#include "run.h"

#include "model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Light models that get on with 0.9 each, and bad ones with 0.4 each; a heavy one. */
static run *run_on(const run_job *jobs, size_t n, const char *cluster, const char *policy)
{
    static const struct {
        const char *model;
        double util;
    } rows[] = {{"light", 0.3}, {"bad", 0.3}, {"heavy", 0.9}};
    orr_profiles *p = orr_profiles_create("by hand");
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        orr_profile one = orr_profile_default();
        one.model = rows[i].model;
        one.gpu_util = rows[i].util;
        orr_profiles_add(p, &one);
    }
    const orr_profile *light = orr_profiles_find(p, "light"), *bad = orr_profiles_find(p, "bad");
    orr_profiles_add_pair(p, light, light, 0.9, 0.9);
    orr_profiles_add_pair(p, bad, bad, 0.4, 0.4);
    orr_sim_options options = orr_sim_options_default();
    options.profiles = p;
    options.interference = "pairs";
    run *r = run_of_with(jobs, n, cluster, policy, &options);
    orr_profiles_destroy(p);
    return r;
}

/* One GPU, two heavy jobs: turns of 60 s.
 *
 *   A 0-60 120-160
 *   B 60-120 160-200
 */
static void turns(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "B", .gpus = 1, .duration = 100, .model = "heavy"}};
    run *r = run_on(jobs, 2, "1", "gandiva");
    run_held(r, "A", "0-60@0:1 120-160@0:1");
    run_held(r, "B", "60-120@0:1 160-200@0:1");
    run_free(r);
}

/* Two GPUs; the pair goes to the end of the ring when a gang of two comes, and all three get their turn.
 *
 *   A, B 0-60 120-160
 *   G    60-120 160-220
 */
static void gangs_take_turns(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "B", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "G", .gpus = 2, .duration = 120, .model = "heavy"}};
    run *r = run_on(jobs, 3, "2", "gandiva");
    run_held(r, "A", "0-60@0:1 120-160@0:1");
    run_held(r, "B", "0-60@0:1 120-160@0:1");
    run_held(r, "G", "60-120@0:2 160-220@0:2");
    run_free(r);
}

/* Together at 0.9 each: more than one alone would do. 90 s of work last 100. */
static void a_trial_that_succeeds(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 90, .model = "light"},
                            {.id = "B", .gpus = 1, .duration = 90, .model = "light"}};
    run *r = run_on(jobs, 2, "1", "gandiva");
    run_ends(r, "A:100 B:100");
    assert_int_equal(run_note(r, "packed"), 1);
    assert_int_equal(run_note(r, "unpacked"), 0);
    run_free(r);
}

/* Together at 0.4 each: after 60 s both have done 24, and part. From then on they take turns, A first.
 *
 *   A 0-60 at 0.4, 60-120 alone (84 done), 180-196
 *   B 0-60 at 0.4, 120-180 alone (84 done), 196-212
 */
static void a_trial_that_fails(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .model = "bad"},
                            {.id = "B", .gpus = 1, .duration = 100, .model = "bad"}};
    run *r = run_on(jobs, 2, "1", "gandiva");
    run_ends(r, "A:196 B:212");
    assert_int_equal(run_note(r, "unpacked"), 1);
    assert_int_equal(r->used[ORR_Q_RATE], ORR_KNOW_OBSERVED);
    run_free(r);
}

/* C finds both nodes taken and waits at A's, for a turn that would come at 65. At 50 B's node is idle, and C moves there. */
static void idle_gpus_invite(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "B", .gpus = 1, .duration = 50, .model = "heavy"},
                            {.id = "C", .submit = 5, .gpus = 1, .duration = 100, .model = "heavy"}};
    run *r = run_on(jobs, 3, "1 1", "gandiva");
    run_held(r, "A", "0-100@0:1");
    run_held(r, "C", "50-150@1:1");
    run_free(r);
    r = run_on(jobs, 3, "1 1", "gandiva,migrate=off");
    run_held(r, "C", "65-125@0:1 160-200@0:1");
    run_free(r);
}

/* a and b share node 0, c is on node 1. When a has gone, b and c are in the way of W, which needs two whole nodes of three:
 * b moves to c's node. */
static void nodes_are_emptied(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 10, .model = "heavy"},
                            {.id = "b", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "c", .gpus = 1, .duration = 100, .model = "heavy"},
                            {.id = "W", .submit = 20, .gpus = 4, .duration = 30, .model = "heavy"}};
    run *r = run_on(jobs, 4, "2 2 2", "gandiva");
    run_held(r, "b", "0-20@0:1 20-100@1:1");
    run_held(r, "W", "20-50@0:2;2:2");
    run_free(r);
    r = run_on(jobs, 4, "2 2 2", "gandiva,migrate=off");
    run_starts(r, "W:100");
    run_free(r);
}

/* Gangs of two have nodes of their own as long as there are free ones. */
static void nodes_by_the_size_of_gangs(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 10},
                            {.id = "b", .gpus = 2, .duration = 10},
                            {.id = "c", .gpus = 1, .duration = 10},
                            {.id = "d", .gpus = 2, .duration = 10}};
    run *r = run_on(jobs, 4, "4 4", "gandiva");
    assert_string_equal(run_job_of(r, "c")->nodes, "0:1");
    assert_string_equal(run_job_of(r, "b")->nodes, "1:2");
    assert_string_equal(run_job_of(r, "d")->nodes, "1:2");
    run_free(r);
}

/* A takes what is idle on its node until b comes there, and again when it has gone; not beyond.
 *
 *   A 0-5 4 GPUs, 5-15 with 2, 15-20 with 4 (60 GPU-s)
 *   b 5-15
 */
static void idle_gpus_are_lent(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 30, .max_gpus = 6},
                            {.id = "b", .submit = 5, .gpus = 2, .duration = 10}};
    run *r = run_of(jobs, 2, "4", "gandiva");
    run_held(r, "A", "0-5@0:4 5-15@0:2 15-20@0:4");
    run_held(r, "b", "5-15@0:2");
    assert_int_equal(run_note(r, "grown"), 2);
    run_free(r);
    r = run_of(jobs, 2, "4", "gandiva,grow=off");
    run_held(r, "A", "0-30@0:2");
    run_free(r);
}

/* W, wider than a node, waits for the one that A has grown on. */
static void who_waits_elsewhere_counts(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20, .max_gpus = 2},
                            {.id = "W", .submit = 5, .gpus = 3, .duration = 10}};
    run *r = run_of(jobs, 2, "2 2", "gandiva+first-fit");
    run_held(r, "A", "0-5@0:2 5-15@0:1");
    run_held(r, "W", "5-15@0:1;1:2");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns),
        cmocka_unit_test(gangs_take_turns),
        cmocka_unit_test(a_trial_that_succeeds),
        cmocka_unit_test(a_trial_that_fails),
        cmocka_unit_test(idle_gpus_invite),
        cmocka_unit_test(nodes_are_emptied),
        cmocka_unit_test(nodes_by_the_size_of_gangs),
        cmocka_unit_test(idle_gpus_are_lent),
        cmocka_unit_test(who_waits_elsewhere_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
