/* themis: auctions worked out by hand, the presets, and what nobody may lose. */
#include "../sim/stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void trial(stage *s, const char *id, const char *group, double submit, int32_t gpus, double duration)
{
    orr_trace_job job = stage_job(id, submit, gpus, duration);
    job.group = group;
    stage_add(s, job);
}

/* Two apps of four trials of 100 s, four GPUs. Alone each takes 100 s, and was promised 200 s, there being two. With k
 * GPUs it takes 400 / k s: k GPUs are worth k / 2 to it. The product is greatest where each wins two; without A, B would have
 * four, worth twice as much: A keeps half of its win, and so does B. What they paid goes to the app treated worst, which
 * is A, for it was first. */
static stage *two_apps(const char *policy)
{
    stage *s = stage_create("nodes=1,gpus=4");
    static const char *const ids[] = {"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"};
    for (int i = 0; i < 8; i++)
        trial(s, ids[i], i < 4 ? "A" : "B", 0, 1, 100);
    s->options.policy = policy;
    stage_run(s);
    return s;
}

static void winners_pay(void **state)
{
    (void)state;
    stage *s = two_apps("themis,f=0,lease=100s");
    stage_ends(s, "a1:100 a2:100 a3:100 a4:200 b1:100 b2:200 b3:200 b4:200");
    stage_destroy(s);
}

/* Only the worse half bids: A alone, which keeps what it wins. */
static void the_best_treated_are_not_asked(void **state)
{
    (void)state;
    stage *s = two_apps("themis,f=0.5,lease=100s");
    stage_ends(s, "a1:100 a2:100 a3:100 a4:100 b1:200 b2:200 b3:200 b4:200");
    stage_destroy(s);
    s = two_apps("themis:greedy,lease=100s");
    stage_ends(s, "a1:100 a2:100 a3:100 a4:100 b1:200 b2:200 b3:200 b4:200");
    stage_destroy(s);
}

/* One GPU, leases of 10 s; B comes at 1 and waits for the end of A's. At 10, alone A takes 100 s and has seen 1.9 apps on
 * average, B 20 s and 2: rho is (10 + 90) / 190 with the GPU for A, (9 + 20) / 40 for B, which is treated worse and gets it.
 * At 20: A (20 + 90) / 195, B (19 + 10) / 40, again B; at 30 B is done. */
static void the_worst_treated_has_the_next_lease(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    trial(s, "A", "", 0, 1, 100);
    trial(s, "B", "", 1, 1, 20);
    s->options.policy = "themis,lease=10s";
    stage_run(s);
    stage_held(s, "A", "0-10/1 preempted, 30-120/1 done");
    stage_held(s, "B", "10-30/1 done");
    stage_destroy(s);
}

/* Nobody else wants them: leases are renewed without an interruption, and free GPUs are given at once. */
static void gpus_that_nobody_wins_stay(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=2,gpus=4");
    trial(s, "A", "", 0, 4, 100);
    trial(s, "B", "g", 3, 2, 50);
    trial(s, "C", "g", 3, 2, 70);
    s->options.policy = "themis,lease=10s";
    stage_run(s);
    stage_held(s, "A", "0-100/4 done");
    stage_held(s, "B", "3-53/2 done");
    stage_held(s, "C", "3-73/2 done");
    stage_destroy(s);
}

static stage *drawn(const char *policy, bool vcs, uint64_t seed)
{
    orr_synth_options o = orr_synth_options_default();
    orr_error e = {0};
    o.jobs = 120;
    o.load = 1.5;
    o.gpus = 16;
    o.max_gpus = 8;
    o.vcs = vcs ? 2 : 0;
    o.with = "open-trials";
    o.trials = 4;
    o.seed = seed;
    stage *s = stage_create("nodes=4,gpus=4");
    orr_trace *trace = orr_synth(&o, &e);
    if (!trace)
        fail_msg("%s", e.message);
    for (size_t i = 0; i < orr_trace_count(trace); i++) {
        orr_trace_job job = orr_trace_jobs(trace)[i];
        job.attributes = NULL;
        stage_add(s, job);
    }
    s->options.policy = policy;
    stage_run(s);
    orr_trace_destroy(trace);
    return s;
}

/* All is served, whatever the knobs, and twice the same. */
static void everybody_is_served(void **state)
{
    (void)state;
    static const char *const policies[] = {"themis", "themis,f=0", "themis,f=1", "themis,together=off", "themis:greedy,lease=5m"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        stage *s = drawn(policies[i], i == 3, i + 1), *again = drawn(policies[i], i == 3, i + 1);
        char *a = stage_story(s), *b = stage_story(again);
        stage_conserves(s);
        assert_int_equal(s->counts.done + s->counts.failed + s->counts.killed, 120);
        assert_string_equal(a, b);
        free(a);
        free(b);
        stage_destroy(s);
        stage_destroy(again);
    }
}

/* What others call Themis is Gavel's finish-time fairness, job by job. */
static void lp_is_gavels(void **state)
{
    (void)state;
    stage *a = drawn("themis:lp", false, 7), *b = drawn("gavel,objective=finish-time", false, 7);
    char *one = stage_story(a), *two = stage_story(b);
    assert_string_equal(one, two);
    free(one);
    free(two);
    stage_destroy(a);
    stage_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winners_pay),
        cmocka_unit_test(the_best_treated_are_not_asked),
        cmocka_unit_test(the_worst_treated_has_the_next_lease),
        cmocka_unit_test(gpus_that_nobody_wins_stay),
        cmocka_unit_test(everybody_is_served),
        cmocka_unit_test(lp_is_gavels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
