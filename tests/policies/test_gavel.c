/* gavel: rounds by shares worked out by hand, what happens between rounds, pairs, entities; and what its simulator
 * does otherwise.
 *
 * Durations are stated on type A; on B model `four` of gavel.csv runs a quarter as fast, `two` half as fast, the
 * others alike. */
#include "small.h"
#include "two_types.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLE ORR_TEST_DATA_DIR "/policies/gavel.csv,reference=A"

static ran go(const run_job *jobs, size_t n, int32_t a, int32_t b, const char *policy)
{
    return two_types_run(TABLE, run_trace(jobs, n), a, b, policy);
}

#define GO(jobs, a, b, policy) go(jobs, RUN_COUNT(jobs), a, b, policy)
#define JOB(name, of, at, s) {.id = name, .model = of, .submit = at, .gpus = 1, .duration = s}

/* ---- the mechanism ----------------------------------------------------------------------------------------------- */

/* One GPU of each type. With a share x of A for `four` and the rest for `two`, speeds are 4x + (1-x) and 2(1-x) + x,
 * those by a proportional share 2.5 and 1.5: the quotients are equal at x = 1/2. So they take turns, and `four`,
 * which came first, begins on A. In 100 s it does 100 s of its work there, 25 on B; the other 100 and 50. */
static void two_jobs_take_turns_of_two_types(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("four", "four", 0, 240), JOB("two", "two", 0, 300)};
    ran it = GO(jobs, 1, 1, "gavel,round=100s");
    run_held(it.r, "four", "0-100@0:1 100-200@1:1 200-300@0:1 300-360@1:1");
    run_held(it.r, "two", "0-100@1:1 100-200@0:1 200-300@1:1 300-400@0:1");
    run_ends(it.r, "four:360 two:400");
    assert_int_equal(run_job_of(it.r, "four")->preemptions, 0); /* they move */
    ran_free(&it);
}

/* One GPU, three jobs: a share of a third each, rounds in turn; whoever has the GPU still is not started anew. */
static void three_jobs_take_turns_of_one_gpu(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "same", 0, 20), JOB("b", "same", 0, 15), JOB("c", "same", 0, 20)};
    ran it = GO(jobs, 1, 0, "gavel,round=10s");
    run_held(it.r, "a", "0-10@0:1 30-40@0:1");
    run_held(it.r, "b", "10-20@0:1 40-45@0:1");
    run_held(it.r, "c", "20-30@0:1 45-55@0:1");
    ran_free(&it);
}

/* A weight of 2 means two rounds of three. */
static void weights_are_shares(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "same", 0, 60), JOB("b", "same", 0, 60)};
    orr_trace *trace = orr_trace_create("weights");
    orr_error e;
    for (size_t i = 0; i < 2; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = jobs[i].id;
        job.gpus = 1;
        job.duration = 60 * ORR_SECOND;
        job.weight = i ? 1 : 2;
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    orr_cluster_spec *spec = run_cluster("nodes=1,gpus=1");
    run *r = run_policy(trace, spec, "gavel,round=10s,reset=10000s", NULL);
    assert_true(run_end(r, "a") <= 100 && run_end(r, "a") >= 80); /* 60 of 90 s */
    assert_true(run_end(r, "b") == 120);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* ---- between rounds ---------------------------------------------------------------------------------------------- */

/* `late` comes to an idle GPU, `next` gets what `first` leaves, both at once; `last` has to wait for the round. */
static void idle_gpus_are_given_away_at_once(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("first", "same", 0, 40), JOB("late", "same", 17, 500), JOB("next", "same", 20, 500),
                            JOB("last", "same", 50, 100)};
    static const char *const policies[] = {"gavel,round=100s", "gavel:fifo,round=100s", "gavel:max-sum,round=100s"};
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        ran it = GO(jobs, 1, 1, policies[i]);
        assert_true(run_start(it.r, "first") == 0 && run_start(it.r, "late") == 17 && run_start(it.r, "next") == 40);
        assert_true(run_start(it.r, "last") >= 100);
        ran_free(&it);
    }
}

static void who_can_not_be_preempted_stays(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "pinned", .model = "same", .gpus = 1, .duration = 95, .pinned = true},
                            JOB("other", "same", 0, 50), JOB("third", "same", 0, 50)};
    ran it = GO(jobs, 1, 1, "gavel,round=10s");
    assert_int_equal(run_job_of(it.r, "pinned")->starts, 1);
    run_ends(it.r, "pinned:95");
    assert_true(run_job_of(it.r, "other")->preemptions > 0); /* the others take turns */
    ran_free(&it);
}

/* ---- in the order of submission ---------------------------------------------------------------------------------- */

/* `four` takes A, where it is fastest, `two` what is left; the gang of two fits nowhere and stops the one behind
 * it. */
static void first_come_first_served_where_it_is_fastest(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("four", "four", 0, 100), JOB("two", "two", 0, 100),
                            {.id = "wide", .model = "wide", .submit = 1, .gpus = 2, .duration = 10}, JOB("behind", "same", 2, 10)};
    ran it = GO(jobs, 1, 2, "gavel:fifo,round=1000s");
    run_held(it.r, "four", "0-100@0:1");
    run_held(it.r, "two", "0-200@1:1");
    run_starts(it.r, "four:0 two:0 wide:200 behind:200");
    ran_free(&it);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Together each at 0.8: that is more than half. When the first ends the second has 80 s of work left and the GPU to
 * itself. */
static void light_jobs_run_together(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "light", 0, 80), JOB("b", "light", 0, 160)};
    static const char *const policies[] = {"gavel:packed,round=1000s", "gavel:fifo-packed,round=1000s",
                                           "gavel:max-sum,packed=on,round=1000s", "gavel:makespan,packed=on,round=1000s"};
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        ran it = GO(jobs, 1, 0, policies[i]);
        run_ends(it.r, "a:100 b:180");
        ran_free(&it);
    }
}

/* 0.55 each is a gain for a sum of speeds, but less than fifo asks. */
static void heavy_jobs_run_together_where_it_pays(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "heavy", 0, 55), JOB("b", "heavy", 0, 55)};
    ran it = GO(jobs, 1, 0, "gavel:max-sum,packed=on,round=1000s");
    run_ends(it.r, "a:100 b:100");
    ran_free(&it);
    it = GO(jobs, 1, 0, "gavel:fifo-packed,round=1000s");
    run_ends(it.r, "a:55 b:110");
    ran_free(&it);
    it = GO(jobs, 1, 0, "gavel:fifo-packed,round=1000s,pack_min=1");
    run_ends(it.r, "a:100 b:100");
    ran_free(&it);
}

/* ---- entities ---------------------------------------------------------------------------------------------------- */

/* Of one GPU each user has a half, whether with three jobs or with one; without entities the one would have a
 * quarter. */
static void users_share_before_their_jobs_do(void **state)
{
    (void)state;
    run_job jobs[] = {JOB("a0", "same", 0, 3000), JOB("a1", "same", 0, 3000), JOB("a2", "same", 0, 3000), JOB("b", "same", 0, 600)};
    for (size_t i = 0; i < RUN_COUNT(jobs); i++)
        jobs[i].user = i < 3 ? "A" : "B";
    ran it = GO(jobs, 1, 0, "gavel:hierarchical,entity=user,round=10s");
    assert_true(fabs(run_end(it.r, "b") - 1200) <= 30);
    ran_free(&it);
    it = GO(jobs, 1, 0, "gavel,round=10s");
    assert_true(fabs(run_end(it.r, "b") - 2400) <= 40);
    ran_free(&it);
    it = GO(jobs, 1, 0, "gavel:hierarchical,entity=user,inside=fifo,round=10s"); /* a0 has all of A's half */
    assert_true(fabs(run_end(it.r, "a0") - 3600) <= 30);
    assert_true(run_end(it.r, "a2") == 9600);
    ran_free(&it);
}

/* ---- deadlines and costs ----------------------------------------------------------------------------------------- */

static void costs_need_prices(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "same", 0, 10)};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *spec = two_types(1, 1);
    run *r = run_try(trace, spec, "gavel:cost", NULL);
    assert_int_equal(r->code, ORR_E_MISSING);
    assert_non_null(strstr(r->error.message, "no price of A"));
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* ---- its simulator ----------------------------------------------------------------------------------------------- */

/* Rounds of whole steps: 100 s are 70 steps of 1/0.7 s each. `a` ends after its 28 steps, but its GPU idles until the
 * round ends, at 100 s; so does `c`, which came at 10. */
static void rounds_end_with_their_longest_task(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "slow", 0, 40), JOB("b", "slow", 0, 300), JOB("c", "same", 10, 20)};
    ran it = GO(jobs, 2, 0, "gavel:sim-fifo,round=100s");
    run_starts(it.r, "a:0 b:0 c:100");
    run_ends(it.r, "a:40 b:300 c:120");
    ran_free(&it);
}

/* 65 s hold 45 whole steps, 64.28… s; a second job, of one step a second, makes the round last 65 s, in which the
 * first makes no more than its 45 steps: after two rounds 10 of its 100 steps are left. */
static void steps_are_whole(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("a", "slow", 0, 100 / 0.7), JOB("b", "same", 0, 1000)};
    ran it = GO(jobs, 2, 0, "gavel:sim-fifo,round=65s");
    assert_true(fabs(run_end(it.r, "a") - (130 + 10 / 0.7)) < 1e-6);
    run_ends(it.r, "b:1000");
    ran_free(&it);
}

/* The second comes to an idle cluster less than `reset` after the last time that shares were made: it waits for the
 * third. */
static void an_arrival_may_have_to_wait_for_the_next(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("first", "same", 0, 50), JOB("second", "same", 100, 50), JOB("third", "same", 5000, 50)};
    ran it = GO(jobs, 2, 0, "gavel:sim-fifo");
    run_starts(it.r, "first:0 second:5000 third:5000");
    ran_free(&it);
    it = GO(jobs, 2, 0, "gavel:fifo");
    run_starts(it.r, "first:0 second:100 third:5000");
    ran_free(&it);
}

/* One that is refused at the door is waited for, too: nothing can run it, but it was on record. */
static void a_refused_arrival_is_waited_for(void **state)
{
    (void)state;
    const run_job jobs[] = {JOB("first", "same", 0, 50), JOB("second", "same", 100, 50),
                            {.id = "refused", .model = "same", .submit = 5000, .gpus = 99, .duration = 50}};
    ran it = GO(jobs, 2, 0, "gavel:sim-fifo");
    assert_int_equal(it.r->jobs[2].state, ORR_JOB_REJECTED);
    run_starts(it.r, "first:0 second:5000");
    run_ends(it.r, "first:50 second:5050");
    ran_free(&it);
}

/* Who follows another isn't on record, and nobody waits for it: the second begins at once, as it would alone. */
static void nobody_waits_for_a_follower(void **state)
{
    (void)state;
    static const char *const ids[] = {"first", "second", "follower"};
    static const double submits[] = {0, 100, 5000}; /* the last by thinking 4950 s after the first */
    const orr_predecessor link = {.id = "first"};
    orr_trace *trace = orr_trace_create("by hand");
    orr_error e = {0};
    for (size_t i = 0; i < 3; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = ids[i];
        job.model = "same";
        job.gpus = job.min_gpus = job.max_gpus = 1;
        job.submit = orr_time_from_seconds(submits[i]);
        job.duration = 50 * ORR_SECOND;
        job.after = i == 2 ? &link : NULL;
        job.after_count = i == 2;
        job.think = i == 2 ? 4950 * ORR_SECOND : 0;
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    ran it = two_types_run(TABLE, trace, 2, 0, "gavel:sim-fifo");
    run_starts(it.r, "first:0 second:100 follower:5000");
    ran_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_take_turns_of_two_types),
        cmocka_unit_test(three_jobs_take_turns_of_one_gpu),
        cmocka_unit_test(weights_are_shares),
        cmocka_unit_test(idle_gpus_are_given_away_at_once),
        cmocka_unit_test(who_can_not_be_preempted_stays),
        cmocka_unit_test(first_come_first_served_where_it_is_fastest),
        cmocka_unit_test(light_jobs_run_together),
        cmocka_unit_test(heavy_jobs_run_together_where_it_pays),
        cmocka_unit_test(users_share_before_their_jobs_do),
        cmocka_unit_test(costs_need_prices),
        cmocka_unit_test(rounds_end_with_their_longest_task),
        cmocka_unit_test(steps_are_whole),
        cmocka_unit_test(an_arrival_may_have_to_wait_for_the_next),
        cmocka_unit_test(a_refused_arrival_is_waited_for),
        cmocka_unit_test(nobody_waits_for_a_follower),
    };
    return cmocka_run_group_tests_name("gavel", tests, NULL, NULL);
}
