/* Nodes and GPUs that come and go while jobs run; users who cancel; policies that switch nodes off. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a stage with a scenario ---- */

typedef struct scene {
    stage *s;
    orr_scenario *scenario;
    char nodes[2048]; /* "10 n0 down; 20 n0 up 3" : time, node, state, and the GPUs that work if not all four */
    int interrupts;
} scene;

static void note_node(void *self, const orr_node_change *change)
{
    scene *t = self;
    char word[64], at[ORR_TIME_BUF];
    orr_time_format(change->at, at);
    int n = snprintf(word, sizeof word, "%s%s n%d %s", t->nodes[0] ? "; " : "", at, change->node, change->state);
    if (change->up != 15 && change->up != 0)
        snprintf(word + n, sizeof word - (size_t)n, " %d", (int)change->up);
    assert_int_equal(change->takes, strcmp(change->state, "up") == 0);
    strncat(t->nodes, word, sizeof t->nodes - strlen(t->nodes) - 1);
}

static void note_interrupt(void *self, const orr_interruption *interruption)
{
    scene *t = self;
    (void)interruption;
    t->interrupts++;
}

static scene *scene_of(const char *cluster, const char *policy)
{
    scene *t = calloc(1, sizeof *t);
    t->s = stage_create(cluster);
    t->s->options.policy = policy;
    t->scenario = orr_scenario_create("test");
    t->s->options.scenario = t->scenario;
    t->s->also = (orr_sink){.self = t, .node = note_node, .interrupt = note_interrupt};
    return t;
}

static void scene_end(scene *t)
{
    stage_destroy(t->s);
    orr_scenario_destroy(t->scenario);
    free(t);
}

static void job(scene *t, const char *id, double submit, int32_t gpus, double duration)
{
    stage_add(t->s, stage_job(id, submit, gpus, duration));
}

/* Of one node, or of all. */
static orr_incident incident(double at, orr_incident_kind kind, const char *const *node, double lasts)
{
    orr_incident in = orr_incident_default();
    in.at = orr_time_from_seconds(at);
    in.kind = kind;
    in.which.names = node;
    in.which.name_count = node ? 1 : 0;
    in.lasts = lasts < 0 ? ORR_TIME_NONE : orr_time_from_seconds(lasts);
    return in;
}

static void happens(scene *t, double at, orr_incident_kind kind, const char *node, double lasts)
{
    const orr_incident in = incident(at, kind, node ? &node : NULL, lasts);
    orr_scenario_add(t->scenario, &in);
}

static void gpus_happen(scene *t, double at, orr_incident_kind kind, const char *node, uint64_t gpus, double lasts)
{
    orr_incident in = incident(at, kind, &node, lasts);
    in.gpus = gpus;
    orr_scenario_add(t->scenario, &in);
}

static void cancels(scene *t, double at, const char *id)
{
    orr_incident in = incident(at, ORR_INCIDENT_CANCEL, NULL, -1);
    in.job = id;
    orr_scenario_add(t->scenario, &in);
}

static void nodes(const scene *t, const char *expected)
{
    assert_string_equal(t->nodes, expected);
}

/* ---- losses ---- */

/*  node0  AAAAAA|down|.....   A ran 6 of 10 s, which are not lost: it goes on when there is room, 8-12
 *  node1  BBBBBBBBAAAA        B ends at 8 */
static void a_lost_node_interrupts_its_jobs(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=2,gpus=4", "fifo");
    job(t, "A", 0, 4, 10);
    job(t, "B", 0, 4, 8);
    happens(t, 6, ORR_INCIDENT_DOWN, "node0", -1);
    stage_run(t->s);
    stage_held(t->s, "A", "0-6/4 interrupted, 8-12/4 done");
    stage_ends(t->s, "A:12 B:8");
    nodes(t, "6 n0 down");
    assert_int_equal(t->interrupts, 1);
    assert_int_equal(t->s->counts.interruptions, 1);
    assert_int_equal(t->s->last.gpus_total, 4);
    stage_conserves(t->s);
    scene_end(t);
}

/* With a checkpoint every 4 s of work, 2 of the 6 s are done again, and a restore takes 1 s:  8-9-15 */
static void what_was_not_saved_is_lost(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", "fifo");
    t->s->options.costs = "restore=1s,checkpoint=4s";
    job(t, "A", 0, 4, 10);
    happens(t, 6, ORR_INCIDENT_DOWN, "node0", 2);
    stage_run(t->s);
    stage_held(t->s, "A", "0-6/4 interrupted, 8-15/4 done");
    assert_true(stage_of(t->s, "A")->lost_work == 8);
    nodes(t, "6 n0 down; 8 n0 up");
    scene_end(t);
}

/* Drivers see room that comes back without any job's doing. */
static void jobs_start_when_a_node_is_back(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "srtf", "easy", "conservative", "tiresias", "las", "mlfq"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        scene *t = scene_of("nodes=1,gpus=4", policies[i]);
        job(t, "A", 3, 4, 10);
        happens(t, 1, ORR_INCIDENT_DOWN, "node0", -1);
        happens(t, 100, ORR_INCIDENT_UP, "node0", -1);
        stage_run(t->s);
        stage_ends(t->s, "A:110");
        scene_end(t);
    }
}

/* A job that ends at the very instant has ended. One that is given GPUs then isn't there yet. */
static void ends_come_before_losses(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", "fifo");
    job(t, "A", 0, 4, 5);
    job(t, "B", 5, 4, 5);
    happens(t, 5, ORR_INCIDENT_DOWN, "node0", 1);
    stage_run(t->s);
    stage_held(t->s, "A", "0-5/4 done");
    stage_held(t->s, "B", "6-11/4 done");
    scene_end(t);
}

static void a_gang_on_two_nodes_loses_both(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=3,gpus=4", "fifo");
    job(t, "A", 0, 8, 10);
    happens(t, 4, ORR_INCIDENT_DOWN, "node1", -1);
    stage_run(t->s);
    const stage_hold *h = t->s->holds;
    assert_int_equal(t->s->hold_count, 2);
    assert_int_equal(h[0].reason, ORR_HOLD_INTERRUPTED);
    assert_int_equal(h[1].start, 4 * ORR_SECOND); /* node0 is free again, and node2 was */
    assert_int_equal(h[1].end, 10 * ORR_SECOND);
    scene_end(t);
}

/* A on GPUs 0 and 1, B on 2 and 3; GPU 1 fails: A waits until B has left, since two GPUs are left of four */
static void a_single_gpu_fails(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", "fifo");
    job(t, "A", 0, 2, 10);
    job(t, "B", 0, 2, 6);
    job(t, "C", 3, 4, 1);
    gpus_happen(t, 2, ORR_INCIDENT_DOWN, "node0", 2, -1);
    gpus_happen(t, 20, ORR_INCIDENT_UP, "node0", 2, -1);
    stage_run(t->s);
    stage_held(t->s, "A", "0-2/2 interrupted, 6-14/2 done");
    stage_held(t->s, "B", "0-6/2 done");
    stage_held(t->s, "C", "20-21/4 done");
    nodes(t, "2 n0 up 13; 20 n0 up");
    scene_end(t);
}

/* A saves for 4 s when its node is lost 1 s into that: it waits, and B, which was to follow it there, too. */
static void saving_ends_with_the_node(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", NULL);
    t->s->options.costs = "save=4s";
    job(t, "A", 0, 4, 10);
    job(t, "B", 0, 4, 5);
    stage_script(t->s, "0 A@0:15; 5 A-; 5 B@0:15; 20 A@0:15; 30 B@0:15");
    happens(t, 6, ORR_INCIDENT_DOWN, "node0", 4);
    stage_run(t->s);
    stage_held(t->s, "A", "0-6/4 preempted, 20-25/4 done");
    stage_held(t->s, "B", "30-35/4 done");
    stage_conserves(t->s);
    scene_end(t);
}

/* ---- drains, loans, capacity ---- */

static void a_draining_node_keeps_its_jobs(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", "fifo");
    job(t, "A", 0, 2, 10);
    job(t, "B", 5, 2, 5);
    happens(t, 2, ORR_INCIDENT_DRAIN, "node0", 18);
    stage_run(t->s);
    stage_held(t->s, "A", "0-10/2 done");
    stage_held(t->s, "B", "20-25/2 done");
    nodes(t, "2 n0 draining; 20 n0 up");
    scene_end(t);
}

/* node1 is there from 10 to 30 and from 50 on. */
static void a_loan_is_there_while_it_lasts(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=2,gpus=4", "fifo");
    job(t, "A", 0, 8, 25);
    happens(t, 10, ORR_INCIDENT_LOAN, "node1", 20);
    happens(t, 50, ORR_INCIDENT_LOAN, "node1", -1);
    stage_run(t->s);
    nodes(t, "0 n1 down; 10 n1 up; 30 n1 down; 50 n1 up");
    stage_ends(t->s, "A:55");
    scene_end(t);
}

static void capacity_takes_the_last_nodes_when_they_are_empty(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=3,gpus=4", "fifo");
    job(t, "A", 0, 12, 10);
    job(t, "B", 1, 12, 10);
    orr_incident in = incident(5, ORR_INCIDENT_CAPACITY, NULL, -1);
    in.which.count = 5; /* two nodes hold as many */
    orr_scenario_add(t->scenario, &in);
    in.at = 60 * ORR_SECOND;
    in.which.count = 12;
    orr_scenario_add(t->scenario, &in);
    stage_run(t->s);
    nodes(t, "5 n2 draining; 10 n2 down; 60 n2 up");
    stage_ends(t->s, "A:10 B:70");
    scene_end(t);
}

/* ---- users ---- */

static void a_cancelled_job_is_killed(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=1,gpus=4", "fifo");
    job(t, "runs", 0, 4, 100);
    job(t, "waits", 1, 4, 100);
    job(t, "comes", 20, 4, 100);
    job(t, "over", 0, 0, 1);
    job(t, "last", 30, 4, 10);
    cancels(t, 10, "runs");
    cancels(t, 5, "waits");
    cancels(t, 7, "comes");
    cancels(t, 8, "over");
    stage_run(t->s);
    static const char *const killed[] = {"runs", "waits", "comes"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(stage_of(t->s, killed[i])->state, ORR_JOB_KILLED);
        assert_string_equal(stage_of(t->s, killed[i])->reason, "cancelled");
    }
    assert_int_equal(stage_of(t->s, "over")->state, ORR_JOB_DONE);
    stage_ends(t->s, "runs:10 waits:5 comes:20 last:40");
    stage_conserves(t->s);
    scene_end(t);
}

/* ---- what policies do and hear ---- */

typedef struct ears {
    char heard[1024];
    int32_t step;
} ears;

static void hear(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    static const char *const names[] = {
        [ORR_EV_NODE_UP] = "up",         [ORR_EV_NODE_DOWN] = "down",     [ORR_EV_NODE_DRAINING] = "draining",
        [ORR_EV_NODE_ASLEEP] = "asleep", [ORR_EV_NODE_NOTICE] = "notice", [ORR_EV_PRICE] = "price",
        [ORR_EV_NODE_GPUS] = "gpus"};
    ears *s = orr_state(ctx);
    char word[96];
    snprintf(word, sizeof word, "%s%g %d %s", s->heard[0] ? "; " : "", orr_time_seconds(orr_now(ctx)), node,
             names[event->kind]);
    if (event->kind == ORR_EV_NODE_NOTICE)
        snprintf(word + strlen(word), sizeof word - strlen(word), " %g", orr_time_seconds(event->due));
    if (event->kind == ORR_EV_PRICE)
        snprintf(word + strlen(word), sizeof word - strlen(word), " %g", orr_node_price(ctx, 0));
    strncat(s->heard, word, sizeof s->heard - strlen(s->heard) - 1);
}

static char last_heard[1024];

static void keep_heard(orr_ctx *ctx)
{
    snprintf(last_heard, sizeof last_heard, "%s", ((ears *)orr_state(ctx))->heard);
}

static orr_job *waiting_job;

static void on_job(orr_ctx *ctx, orr_job *j, const orr_event *event)
{
    (void)ctx;
    if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_INTERRUPTED)
        waiting_job = j;
    else if (event->kind == ORR_EV_STARTED)
        waiting_job = NULL;
}

static orr_err start_it(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx;
    orr_err err = waiting_job ? orr_plan_start(plan, waiting_job) : ORR_OK;
    return err == ORR_E_NOFIT ? ORR_OK : err;
}

static void policies_hear_of_nodes(void **state)
{
    (void)state;
    static const orr_policy listener = {.summary = "listens",
                                        .state_size = sizeof(ears),
                                        .on_node = hear,
                                        .on_job = on_job,
                                        .schedule = start_it,
                                        .fini = keep_heard};
    scene *t = scene_of("nodes=2,gpus=4,type=V100", NULL);
    stage_policy(t->s, &listener);
    job(t, "A", 0, 4, 60);
    happens(t, 30, ORR_INCIDENT_REVOKE, "node0", 5);
    gpus_happen(t, 40, ORR_INCIDENT_DOWN, "node1", 1, 2);
    happens(t, 50, ORR_INCIDENT_DRAIN, "node1", -1);
    orr_incident price = incident(12, ORR_INCIDENT_PRICE, NULL, -1);
    price.price = 2.5;
    orr_scenario_add(t->scenario, &price);
    orr_incident notice = incident(55, ORR_INCIDENT_REVOKE, NULL, 1);
    notice.notice = 20 * ORR_SECOND;
    notice.which.rack = "";
    notice.which.count = 1;
    orr_scenario_add(t->scenario, &notice);
    stage_run(t->s);
    stage_destroy(t->s);
    assert_string_equal(last_heard,
                        "12 -1 price 2.5; 30 0 down; 35 0 up; 35 0 notice 55; 40 1 gpus; 42 1 gpus; 50 1 draining; "
                        "55 0 down; 56 0 up");
    orr_scenario_destroy(t->scenario);
    free(t);
}

/* Switches node 1 off at once and on at 100 s, when the job needs it. */
typedef struct sleeper {
    bool slept, woken;
} sleeper;

static void wake_later(orr_ctx *ctx, uint64_t cookie)
{
    (void)ctx;
    (void)cookie;
}

static orr_err sleep_and_wake(orr_ctx *ctx, orr_plan *plan)
{
    sleeper *s = orr_state(ctx);
    orr_err err = ORR_OK;
    if (!s->slept) {
        s->slept = true;
        uint32_t mark = orr_plan_mark(plan);
        assert_int_equal(orr_plan_node(plan, 0, ORR_NODE_SLEEP), ORR_OK);
        assert_false(orr_plan_fits(plan, waiting_job, (orr_scope){.vc = -1}) && orr_job_gpus(waiting_job) > 4);
        orr_plan_undo(plan, mark); /* not node 0: that was only tried */
        err = orr_plan_node(plan, 1, ORR_NODE_SLEEP);
        orr_arm(ctx, 1, 100 * ORR_SECOND);
    } else if (!s->woken && orr_now(ctx) == 100 * ORR_SECOND) {
        s->woken = true;
        assert_int_equal(orr_node_state_now(ctx, 1), ORR_NODE_ASLEEP);
        err = orr_plan_node(plan, 1, ORR_NODE_WAKE);
    }
    return err ? err : start_it(ctx, plan);
}

static void a_policy_lets_nodes_sleep(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "sleeps",
                                      .state_size = sizeof(sleeper),
                                      .on_job = on_job,
                                      .on_timer = wake_later,
                                      .schedule = sleep_and_wake};
    scene *t = scene_of("nodes=2,gpus=4", NULL);
    t->scenario->sleep_time = 10 * ORR_SECOND;
    t->scenario->wake_time = 30 * ORR_SECOND;
    stage_policy(t->s, &policy);
    job(t, "A", 0, 8, 20);
    stage_run(t->s);
    stage_ends(t->s, "A:150");
    nodes(t, "0 n1 falling-asleep; 10 n1 asleep; 100 n1 waking; 130 n1 up");
    scene_end(t);
}

static orr_err act_on_a_lost_node(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx;
    return orr_plan_node(plan, 0, ORR_NODE_WAKE);
}

static void a_plan_cannot_mend_a_node(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "mends", .on_job = on_job, .schedule = act_on_a_lost_node};
    scene *t = scene_of("nodes=2,gpus=4", NULL);
    stage_policy(t->s, &policy);
    job(t, "A", 0, 4, 20);
    happens(t, 0, ORR_INCIDENT_DOWN, "node0", -1);
    assert_int_equal(stage_try(t->s), ORR_E_PLAN_STATE);
    assert_non_null(strstr(t->s->error.message, "a node that is down"));
    scene_end(t);
}

/* ---- what is refused ---- */

static void refused(scene *t, const char *message)
{
    job(t, "A", 0, 1, 1);
    assert_int_equal(stage_open(t->s), ORR_E_BAD_SCENARIO);
    if (!strstr(t->s->error.message, message))
        fail_msg("%s", t->s->error.message);
    scene_end(t);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=2,gpus=4", "fifo");
    happens(t, 1, ORR_INCIDENT_DOWN, "node7", -1);
    refused(t, "no node 'node7'");
    t = scene_of("nodes=2,gpus=4", "fifo");
    gpus_happen(t, 1, ORR_INCIDENT_DOWN, "node0", 16, -1);
    refused(t, "no such GPU");
    t = scene_of("nodes=2,gpus=4", "fifo");
    cancels(t, 1, "B");
    refused(t, "no job 'B'");
    t = scene_of("nodes=2,gpus=4", "fifo");
    orr_incident in = incident(5, ORR_INCIDENT_CAPACITY, NULL, -1);
    in.which.vc = "red";
    orr_scenario_add(t->scenario, &in);
    refused(t, "no virtual cluster 'red'");
    t = scene_of("nodes=2,gpus=4,type=Odd", "fifo");
    t->scenario->power.known = true;
    refused(t, "'Odd'");
    t = scene_of("nodes=2,gpus=4", "fifo");
    in = incident(5, ORR_INCIDENT_DOWN, NULL, -1);
    in.which.type = "T4";
    orr_scenario_add(t->scenario, &in);
    refused(t, "no node of the cluster is meant");
}

static void nothing_left_to_run_on_is_a_stall(void **state)
{
    (void)state;
    scene *t = scene_of("nodes=2,gpus=4", "fifo");
    job(t, "A", 0, 8, 20);
    happens(t, 5, ORR_INCIDENT_DOWN, "node1", -1);
    assert_int_equal(stage_try(t->s), ORR_E_STALLED);
    scene_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_node_interrupts_its_jobs),
        cmocka_unit_test(what_was_not_saved_is_lost),
        cmocka_unit_test(jobs_start_when_a_node_is_back),
        cmocka_unit_test(ends_come_before_losses),
        cmocka_unit_test(a_gang_on_two_nodes_loses_both),
        cmocka_unit_test(a_single_gpu_fails),
        cmocka_unit_test(saving_ends_with_the_node),
        cmocka_unit_test(a_draining_node_keeps_its_jobs),
        cmocka_unit_test(a_loan_is_there_while_it_lasts),
        cmocka_unit_test(capacity_takes_the_last_nodes_when_they_are_empty),
        cmocka_unit_test(a_cancelled_job_is_killed),
        cmocka_unit_test(policies_hear_of_nodes),
        cmocka_unit_test(a_policy_lets_nodes_sleep),
        cmocka_unit_test(a_plan_cannot_mend_a_node),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(nothing_left_to_run_on_is_a_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
