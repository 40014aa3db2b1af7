/* Clocks of GPUs: what a scenario and a plan set, how much slower jobs run then, and what they draw, by hand. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* V100 of 10 to 110 W with two lower clocks: half of it computes at half speed for a quarter of the power. */
static const orr_gpu_power gpu = {"V100", 10, 110};
static const orr_clock_point points[] = {{"V100", 0.5, 0.5, 0.25}, {"V100", 0.75, 0.8, 0.5}, {"", 0.9, 1, 0.7}};

typedef struct scene {
    stage *s;
    orr_scenario *scenario;
    orr_collector *meter;
    orr_measure all;
} scene;

static scene open_scene(const char *cluster)
{
    scene t = {.s = stage_create(cluster), .scenario = orr_scenario_create("clocks")};
    orr_power *power = &t.scenario->power;
    power->known = true;
    power->gpus = &gpu;
    power->gpu_count = 1;
    power->points = points;
    power->point_count = 3;
    assert_int_equal(orr_measure_parse("all", &t.all, NULL), ORR_OK);
    t.meter = orr_collector_create(&t.all);
    t.s->also = orr_collector_sink(t.meter);
    t.s->options.scenario = t.scenario;
    return t;
}

static double energy_of(scene *t)
{
    size_t n;
    return orr_collector_finish(t->meter, t->s->sim, &n)->energy;
}

static void close_scene(scene *t)
{
    stage_destroy(t->s);
    orr_collector_destroy(t->meter);
    orr_scenario_destroy(t->scenario);
}

static void set_clock(const scene *t, double at, const char *node, double clock, double lasts)
{
    orr_incident in = orr_incident_default();
    in.at = orr_time_from_seconds(at);
    in.kind = ORR_INCIDENT_CLOCK;
    in.which.names = &node;
    in.which.name_count = 1;
    in.clock = clock;
    in.lasts = lasts > 0 ? orr_time_from_seconds(lasts) : ORR_TIME_NONE;
    orr_scenario_add(t->scenario, &in);
}

/* n0 runs at half its clock from 10 to 20: A does 10 s of its work, 5, and the last 5 up to 25. B on n1 doesn't notice.
 * Idle 8 GPUs x 25 s x 10 W; A 4 x 100 W x (10 + 10 / 4 + 5) s, B 4 x 100 x 20. */
static void slower_for_a_while(void **state)
{
    (void)state;
    scene t = open_scene("nodes=2,gpus=4,type=V100");
    stage_add(t.s, stage_job("A", 0, 4, 20));
    stage_add(t.s, stage_job("B", 0, 4, 20));
    stage_script(t.s, "0 A@0:15; 0 B@1:15");
    set_clock(&t, 10, "node0", 0.5, 10);
    stage_run(t.s);
    stage_ends(t.s, "A:25 B:20");
    assert_true(energy_of(&t) == 2000 + 7000 + 8000);
    close_scene(&t);
}

/* A gang on both nodes is as fast as the slower one: 0-4 full, 4-8 at 0.8 (n1), 8 on at 0.5 (n0): 4 + 3.2 + 2.8 at
 * 13.6. n0 draws 1 for 8 s and 0.25 for 5.6; n1 draws 1 for 4 s and 0.5 for 9.6. What starts on n0 then has its clock. */
static void as_slow_as_the_slowest(void **state)
{
    (void)state;
    scene t = open_scene("nodes=2,gpus=4,type=V100");
    stage_add(t.s, stage_job("A", 0, 8, 10));
    stage_add(t.s, stage_job("B", 0, 4, 1));
    stage_script(t.s, "0 A@0:15@1:15; 13.6 B@0:15");
    set_clock(&t, 4, "node1", 0.75, 0);
    set_clock(&t, 8, "node0", 0.5, 0);
    stage_run(t.s);
    stage_ends(t.s, "A:13.6 B:15.6");
    const double used = 400 * (8 + 5.6 / 4) + 400 * (4 + 9.6 / 2) + 400 * 2 / 4.0;
    assert_true(energy_of(&t) == 8 * 10 * 15.6 + used);
    close_scene(&t);
}

static void clocks_that_are_not_there(void **state)
{
    (void)state;
    scene t = open_scene("nodes=1,gpus=4,type=V100");
    stage_add(t.s, stage_job("A", 0, 4, 20));
    set_clock(&t, 1, "node0", 0.9, 0); /* of types that have none of their own */
    assert_int_equal(stage_open(t.s), ORR_E_BAD_SCENARIO);
    assert_non_null(strstr(t.s->error.message, "GPUs of type 'V100' have no such clock"));
    close_scene(&t);
}

/* ---- a plan ------------------------------------------------------------------------------------------------------ */

/* Starts what waits, and sets node 0 to its first point at 10 s; what is taken back is not set. */
static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED)
        *(orr_job **)orr_state(ctx) = job;
}

static orr_err slow_down(orr_ctx *ctx, orr_plan *plan)
{
    double clock = 0, speed = 0, power = 0;
    orr_job **waiting = orr_state(ctx);
    if (*waiting) {
        assert_int_equal(orr_plan_start(plan, *waiting), ORR_OK);
        *waiting = NULL;
        orr_arm(ctx, 1, 10 * ORR_SECOND);
    }
    assert_int_equal(orr_node_clocks(ctx, 0), 3);
    assert_true(orr_node_clock_point(ctx, 0, 2, &clock, &speed, &power));
    assert_true(clock == 0.75 && speed == 0.8 && power == 0.5);
    assert_false(orr_node_clock_point(ctx, 0, 3, &clock, &speed, &power));
    if (orr_now(ctx) < 10 * ORR_SECOND)
        return ORR_OK;
    assert_int_equal(orr_node_clock(ctx, 0), orr_now(ctx) > 10 * ORR_SECOND ? 1 : 0);
    assert_int_equal(orr_plan_clock(plan, 0, 1), ORR_OK);
    uint32_t mark = orr_plan_mark(plan);
    assert_int_equal(orr_plan_clock(plan, 0, 2), ORR_OK);
    orr_plan_undo(plan, mark);
    return ORR_OK;
}

static void ignore(orr_ctx *ctx, uint64_t cookie)
{
    (void)ctx;
    (void)cookie;
}

static void a_policy_sets_a_clock(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "slows down", .state_size = sizeof(orr_job *), .on_job = on_job,
                                      .on_timer = ignore, .schedule = slow_down};
    scene t = open_scene("nodes=1,gpus=4,type=V100");
    stage_add(t.s, stage_job("A", 0, 4, 20));
    stage_policy(t.s, &policy);
    stage_run(t.s);
    stage_ends(t.s, "A:30");
    assert_true(energy_of(&t) == 4 * 10 * 30 + 400 * (10 + 20 / 4.0));
    close_scene(&t);
}

static orr_err set_nonsense(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx;
    return orr_plan_clock(plan, 0, 3);
}

static void a_plan_cannot_invent_a_clock(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "invents", .state_size = sizeof(orr_job *), .on_job = on_job,
                                      .schedule = set_nonsense};
    scene t = open_scene("nodes=1,gpus=4,type=V100");
    stage_add(t.s, stage_job("A", 0, 4, 20));
    stage_policy(t.s, &policy);
    assert_int_not_equal(stage_try(t.s), ORR_OK);
    assert_non_null(strstr(t.s->error.message, "a clock that it doesn't have"));
    close_scene(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slower_for_a_while),        cmocka_unit_test(as_slow_as_the_slowest),
        cmocka_unit_test(clocks_that_are_not_there), cmocka_unit_test(a_policy_sets_a_clock),
        cmocka_unit_test(a_plan_cannot_invent_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
