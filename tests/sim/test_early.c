/* Trials that the scenario stops: by the first that is done, and rung by rung. */
#include "stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void trial(stage *s, const char *id, const char *group, double submit, double duration)
{
    orr_trace_job job = stage_job(id, submit, 1, duration);
    job.group = group;
    stage_add(s, job);
}

static void ended(const stage *s, const char *id, const char *reason, double at)
{
    const stage_record *r = stage_of(s, id);
    if (strcmp(r->reason, reason) != 0 || r->end != orr_time_from_seconds(at))
        fail_msg("%s: '%s' at %g", id, r->reason, orr_time_seconds(r->end));
}

/* Two GPUs, first in, first out. b runs and d waits when a is done; c is in no group, e of another, f comes later. */
static void the_first_that_is_done_ends_the_others(void **state)
{
    (void)state;
    orr_scenario *scenario = orr_scenario_create("first");
    scenario->early_stop.rule = ORR_EARLY_FIRST;
    stage *s = stage_create("nodes=1,gpus=2");
    s->options.policy = "fifo";
    s->options.scenario = scenario;
    trial(s, "a", "g", 0, 10);
    trial(s, "b", "g", 0, 20);
    trial(s, "d", "g", 1, 5);
    trial(s, "c", "", 2, 30);
    trial(s, "e", "h", 3, 40);
    trial(s, "f", "g", 50, 1);
    stage_run(s);
    ended(s, "a", "", 10);
    ended(s, "b", "early-stop", 10);
    ended(s, "d", "early-stop", 10);
    ended(s, "c", "", 40);
    ended(s, "e", "", 50);
    ended(s, "f", "early-stop", 50);
    assert_int_equal(s->counts.killed, 3);
    stage_destroy(s);
    orr_scenario_destroy(scenario);
}

/* One that saves its state when its sibling is done ends when it has: b is preempted at 4 and saves until 9. */
static void one_that_saves_ends_when_it_has(void **state)
{
    (void)state;
    orr_scenario *scenario = orr_scenario_create("first");
    scenario->early_stop.rule = ORR_EARLY_FIRST;
    stage *s = stage_create("nodes=1,gpus=2");
    s->options.scenario = scenario;
    s->options.costs = "save=5s";
    trial(s, "a", "g", 0, 6);
    trial(s, "b", "g", 0, 20);
    stage_script(s, "0 a@0:1; 0 b@0:2; 4 b-");
    stage_run(s);
    ended(s, "a", "", 6);
    ended(s, "b", "early-stop", 9);
    stage_destroy(s);
    orr_scenario_destroy(scenario);
}

/* A trial that fails, as its record says, is no success. */
static void a_failure_ends_nobody(void **state)
{
    (void)state;
    orr_scenario *scenario = orr_scenario_create("first");
    scenario->early_stop.rule = ORR_EARLY_FIRST;
    stage *s = stage_create("nodes=1,gpus=2");
    s->options.policy = "fifo";
    s->options.scenario = scenario;
    orr_trace_job fails = stage_job("a", 0, 1, 10);
    fails.group = "g";
    fails.ending = ORR_ENDING_FAILED;
    stage_add(s, fails);
    trial(s, "b", "g", 0, 20);
    stage_run(s);
    ended(s, "b", "", 20);
    stage_destroy(s);
    orr_scenario_destroy(scenario);
}

static void groups_are_needed(void **state)
{
    (void)state;
    orr_scenario *scenario = orr_scenario_create("first");
    scenario->early_stop.rule = ORR_EARLY_FIRST;
    stage *s = stage_create("nodes=1,gpus=2");
    s->options.scenario = scenario;
    s->options.policy = "fifo";
    trial(s, "a", "", 0, 10);
    assert_int_equal(stage_try(s), ORR_E_BAD_SCENARIO);
    stage_destroy(s);
    orr_scenario_destroy(scenario);
}

/* Thirteen trials on three GPUs: the same ones are done whoever runs first, and each has done as much. */
static uint32_t survivors(const char *policy, double rung, double eta, uint64_t seed, const char *costs)
{
    static char ids[13][4];
    uint32_t done = 0;
    orr_scenario *scenario = orr_scenario_create("halving");
    scenario->early_stop = (orr_early_stop){
        .rule = ORR_EARLY_HALVING, .rung = rung, .eta = eta, .quality = "", .said = {.file = ""}};
    stage *s = stage_create("nodes=1,gpus=3");
    s->options.policy = policy;
    s->options.scenario = scenario;
    s->options.seed = seed;
    s->options.costs = costs;
    for (int i = 0; i < 13; i++) {
        ids[i][0] = (char)('a' + i);
        trial(s, ids[i], "g", i % 4, 20 + (i * 7) % 11);
    }
    stage_run(s);
    for (int i = 0; i < 13; i++) {
        const stage_record *r = stage_of(s, ids[i]);
        assert_true(r->state == ORR_JOB_DONE || strcmp(r->reason, "early-stop") == 0);
        done |= (uint32_t)(r->state == ORR_JOB_DONE) << i;
        const double d = 20 + (i * 7) % 11, had = r->service - r->overhead - r->lost_work;
        bool at_rung = r->state == ORR_JOB_DONE && had == d;
        for (double part = rung; part < 1; part *= eta)
            at_rung |= fabs(had - part * d) < 1e-6;
        assert_true(at_rung);
    }
    stage_destroy(s);
    orr_scenario_destroy(scenario);
    return done;
}

static int bits(uint32_t x)
{
    return x ? 1 + bits(x & (x - 1)) : 0;
}

static void who_is_left_does_not_depend_on_the_policy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        const uint32_t left = survivors("fifo", 0.125, 2, seed, NULL);
        assert_int_equal(bits(left), 2); /* rungs at 1/8, 1/4 and 1/2: 7, 4 and 2 go on */
        assert_int_equal(survivors("srtf", 0.125, 2, seed, NULL), left);
        assert_int_equal(survivors("las,quantum=1s", 0.125, 2, seed, NULL), left);
        assert_int_equal(survivors("las,quantum=9s", 0.125, 2, seed, "save=1s,restore=1s,checkpoint=2s"), left);
    }
    assert_int_equal(bits(survivors("fifo", 0.1, 3, 1, NULL)), 1); /* 0.1, 0.3 and 0.9: 5, 2 and 1 */
    assert_int_not_equal(survivors("fifo", 0.125, 2, 1, NULL), survivors("fifo", 0.125, 2, 2, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_is_done_ends_the_others),
        cmocka_unit_test(one_that_saves_ends_when_it_has),
        cmocka_unit_test(a_failure_ends_nobody),
        cmocka_unit_test(groups_are_needed),
        cmocka_unit_test(who_is_left_does_not_depend_on_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
