/* One run: its clock, its instants, and the reasons for which it stops. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static stage *jobs_of(const char *cluster, const char *policy, const double (*jobs)[3], size_t n) /* submit, GPUs, duration */
{
    static const char *const ids[] = {"A", "B", "C", "D", "E", "F"};
    stage *s = stage_create(cluster);
    for (size_t i = 0; i < n; i++)
        stage_add(s, stage_job(ids[i], jobs[i][0], (int32_t)jobs[i][1], jobs[i][2]));
    s->options.policy = policy;
    return s;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/*  exact     A |###############|          round=10s  A |###############|      tick=10s  A |####################|
 *            B    |....       #####|                 B    |.......|#####|               B          |.........##########| */
static void clocks(void **state)
{
    (void)state;
    static const double jobs[][3] = {{0, 1, 15}, {3, 1, 5}, {4, 1, 0}};
    static const struct {
        const char *clock, *cluster, *ends, *b;
        uint64_t decisions;
    } rows[] = {
        {"exact", "nodes=1,gpus=1", "A:15 B:20 C:20", "15-20/1 done", 5},     /* 0 3 4 15 20: C starts and ends in the last */
        {"round=10s", "nodes=1,gpus=1", "A:15 B:25 C:30", "20-25/1 done", 4}, /* 0 10 20 30 */
        {"round=10s", "nodes=1,gpus=2", "A:15 B:15 C:20", "10-15/1 done", 3}, /* C waits for the round after B's end */
        {"round=1s", "nodes=1,gpus=1", "A:15 B:20 C:20", "15-20/1 done", 0},
        {"tick=10s", "nodes=1,gpus=1", "A:20 B:30 C:30", "20-30/1 done", 0}, /* all comes and goes on the grid */
        {"tick=1s", "nodes=1,gpus=1", "A:15 B:20 C:20", "15-20/1 done", 0},
        {"tick=4s", "nodes=1,gpus=1", "A:16 B:24 C:24", "16-24/1 done", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = jobs_of(rows[i].cluster, "fifo", jobs, 3);
        s->options.clock = rows[i].clock;
        stage_run(s);
        stage_ends(s, rows[i].ends);
        stage_held(s, "B", rows[i].b);
        if (rows[i].decisions && s->counts.decisions != rows[i].decisions && s->counts.decisions != rows[i].decisions + 1)
            fail_msg("%s: %llu decisions", rows[i].clock, (unsigned long long)s->counts.decisions);
        stage_destroy(s);
    }
}

static void submissions_move_to_the_tick(void **state)
{
    (void)state;
    static const double jobs[][3] = {{0.5, 1, 1}, {1, 1, 1}};
    stage *s = jobs_of("nodes=1,gpus=2", "fifo", jobs, 2);
    s->options.clock = "tick=1s";
    stage_run(s);
    assert_int_equal(stage_of(s, "A")->submit, ORR_SECOND);
    assert_int_equal(stage_of(s, "B")->submit, ORR_SECOND);
    assert_int_equal(s->counts.decisions, 2);
    stage_destroy(s);
}

/* tick=2s, save=1.5s: A is preempted at 2, its state is safe at 4 and not at 3.5. The timer of 6.5 rings at 8. */
static void timers_and_savings_are_on_the_tick(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_script(s, "0 A@0:1; 1.5 A-; 6.5 A@0:1");
    s->options.clock = "tick=2s";
    s->options.costs = "save=1500ms";
    stage_run(s);
    stage_held(s, "A", "0-4/1 preempted, 8-16/1 done");
    stage_destroy(s);
}

static void bad_clocks_are_refused(void **state)
{
    (void)state;
    static const char *const clocks[] = {"", "fast", "round", "round=", "round=0", "round=-1s", "tick=soon", "tick=0s", "exact=1"};
    static const double jobs[][3] = {{0, 1, 1}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        stage *s = jobs_of("nodes=1,gpus=1", "fifo", jobs, 1);
        s->options.clock = clocks[i];
        assert_int_equal(stage_open(s), ORR_E_BAD_VALUE);
        assert_true(s->error.hint[0] != '\0');
        stage_destroy(s);
    }
}

/* ---- instants ---------------------------------------------------------------------------------------------------- */

static char order[256];

static orr_err arms(orr_ctx *ctx)
{
    order[0] = '\0';
    orr_arm(ctx, 1, 10 * ORR_SECOND);
    return ORR_OK;
}

static void writes(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    static const char *const names[] = {"submitted", "started", "preempted", "resized", "migrated", "retried", "ended", "threshold"};
    if (orr_now(ctx) == 10 * ORR_SECOND)
        strcat(strcat(strcat(strcat(order, orr_job_id(job)), " "), names[event->kind]), ", ");
    if (event->kind == ORR_EV_SUBMITTED)
        ((orr_job **)orr_state(ctx))[orr_job_index(job)] = job;
    if (event->kind == ORR_EV_ENDED)
        ((orr_job **)orr_state(ctx))[orr_job_index(job)] = NULL;
    if (event->kind == ORR_EV_SUBMITTED && orr_now(ctx) == 0)
        orr_watch(ctx, job, ORR_WATCH_SERVICE, 10);
}

static void timer(orr_ctx *ctx, uint64_t cookie)
{
    (void)ctx, (void)cookie;
    strcat(order, "timer, ");
}

static orr_err starts_all(orr_ctx *ctx, orr_plan *plan)
{
    orr_job **jobs = orr_state(ctx);
    if (orr_now(ctx) == 10 * ORR_SECOND)
        strcat(order, "decision, ");
    for (int i = 0; i < 8; i++)
        if (jobs[i] && orr_job_state_now(jobs[i]) == ORR_JOB_QUEUED)
            orr_plan_start(plan, jobs[i]);
    return ORR_OK;
}

/* At 10 s: an end, two submissions, a crossed threshold and a timer; then one decision. */
static void all_events_of_an_instant_come_before_one_decision(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .state_size = 8 * sizeof(orr_job *), .init = arms, .on_job = writes,
                                      .on_timer = timer, .schedule = starts_all,
                                      .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED}};
    static const double jobs[][3] = {{0, 1, 10}, {0, 1, 20}, {10, 1, 5}, {10, 1, 5}};
    stage *s = jobs_of("nodes=1,gpus=4", "fifo", jobs, 4);
    stage_policy(s, &policy);
    stage_run(s);
    assert_string_equal(order, "A ended, C submitted, D submitted, B threshold, timer, decision, C started, D started, ");
    assert_int_equal(s->counts.decisions, 4); /* 0, 10, 15, 20 */
    assert_int_equal(s->counts.instants, 4);
    stage_destroy(s);
}

static void ties_are_counted(void **state)
{
    (void)state;
    static const double jobs[][3] = {{0, 1, 10}, {0, 1, 10}, {0, 1, 7}};
    stage *s = jobs_of("nodes=1,gpus=3", "fifo", jobs, 3);
    stage_run(s);
    assert_int_equal(s->counts.ties, 2 + 1); /* three come together, two go together */
    assert_int_equal(s->counts.events, 6);
    stage_destroy(s);
}

/* ---- reasons to stop --------------------------------------------------------------------------------------------- */

static const double three[][3] = {{0, 1, 100}, {0, 1, 100}, {60, 1, 100}};

static stage *until(orr_time time)
{
    stage *s = jobs_of("nodes=1,gpus=1", "fifo", three, 3);
    s->options.until = time;
    assert_int_equal(stage_try(s), ORR_OK);
    return s;
}

/*  A |##########|##########…   B |..........…   C not yet */
static void the_horizon_cuts(void **state)
{
    (void)state;
    stage *s = until(50 * ORR_SECOND);
    assert_int_equal(s->stop, ORR_STOP_HORIZON);
    assert_int_equal(orr_sim_now(s->sim), 50 * ORR_SECOND);
    assert_int_equal(s->counts.submitted, 2);
    assert_int_equal(s->counts.running_at_end, 1);
    assert_int_equal(s->counts.queued_at_end, 1);
    assert_int_equal(s->counts.pending, 1);
    stage_held(s, "A", "0-50/1 open");
    stage_held(s, "B", "");
    const stage_record *a = stage_of(s, "A"), *b = stage_of(s, "B");
    assert_int_equal(a->state, ORR_JOB_RUNNING);
    assert_true(a->service == 50 && a->held == 50 * ORR_SECOND && a->end == ORR_TIME_NONE);
    assert_int_equal(b->state, ORR_JOB_QUEUED);
    assert_true(b->first_start == ORR_TIME_NONE && b->end == ORR_TIME_NONE && b->held == 0);
    stage_destroy(s);
}

static void the_horizon_is_no_part_of_the_run(void **state)
{
    (void)state;
    stage *s = until(100 * ORR_SECOND); /* what happens at 100 s is not seen */
    assert_int_equal(s->stop, ORR_STOP_HORIZON);
    stage_held(s, "A", "0-100/1 open");
    assert_int_equal(s->counts.submitted, 3);
    assert_int_equal(s->counts.queued_at_end, 2);
    stage_destroy(s);
    s = until(100 * ORR_SECOND + 1);
    stage_held(s, "A", "0-100/1 done");
    stage_held(s, "B", "100-100.000000001/1 open");
    stage_destroy(s);
    s = until(300 * ORR_SECOND + 1);
    assert_int_equal(s->stop, ORR_STOP_DRAINED);
    assert_int_equal(orr_sim_now(s->sim), 300 * ORR_SECOND);
    stage_destroy(s);
}

static void until_nothing(void **state)
{
    (void)state;
    stage *s = until(0);
    assert_int_equal(s->stop, ORR_STOP_HORIZON);
    assert_int_equal(s->counts.submitted, 0);
    assert_int_equal(s->counts.pending, 3);
    assert_int_equal(s->counts.events, 0);
    assert_int_equal(s->record_count + s->hold_count, 0);
    stage_destroy(s);
}

static void limits_of_events(void **state)
{
    (void)state;
    stage *s = jobs_of("nodes=1,gpus=1", "fifo", three, 3);
    s->options.max_events = 3; /* A and B come; C comes */
    assert_int_equal(stage_try(s), ORR_OK);
    assert_int_equal(s->stop, ORR_STOP_LIMIT);
    assert_int_equal(s->counts.events, 3);
    stage_held(s, "A", "0-60/1 open");
    stage_destroy(s);
    s = jobs_of("nodes=1,gpus=1", "fifo", three, 3);
    s->options.max_events = 7;
    assert_int_equal(stage_try(s), ORR_OK);
    assert_int_equal(s->stop, ORR_STOP_DRAINED);
    stage_destroy(s);
}

static void interrupted_before_the_next_instant(void **state)
{
    (void)state;
    static const orr_stop reasons[] = {ORR_STOP_INTERRUPTED, ORR_STOP_LIMIT};
    for (size_t i = 0; i < 2; i++) {
        stage *s = jobs_of("nodes=1,gpus=1", "fifo", three, 3);
        bool more;
        assert_int_equal(stage_open(s), ORR_OK);
        assert_int_equal(orr_sim_step(s->sim, &more, &s->error), ORR_OK);
        assert_true(more);
        orr_sim_interrupt(s->sim, reasons[i]);
        assert_int_equal(stage_try(s), ORR_OK);
        assert_int_equal(s->stop, reasons[i]);
        stage_held(s, "A", "0-0/1 open");
        assert_int_equal(s->counts.instants, 1);
        stage_destroy(s);
    }
}

static void after_the_end_nothing_happens(void **state)
{
    (void)state;
    stage *s = until(50 * ORR_SECOND);
    char *before = stage_story(s);
    bool more = true;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(orr_sim_step(s->sim, &more, &s->error), ORR_OK);
        assert_false(more);
    }
    assert_int_equal(orr_sim_run(s->sim, &s->error), ORR_OK);
    char *after = stage_story(s);
    assert_string_equal(before, after);
    assert_int_equal(orr_sim_count(s->sim).running_at_end, 1);
    stage_conserves(s);
    free(before);
    free(after);
    stage_destroy(s);
}

/* ---- wrong inputs ------------------------------------------------------------------------------------------------ */

static void nothing_to_run_or_to_run_on(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    assert_int_equal(stage_open(s), ORR_E_NO_JOBS);
    stage_destroy(s);
    orr_cluster_spec *spec = orr_cluster_spec_create("cpus");
    orr_node_spec n = orr_node_spec_default();
    n.gpus = 0;
    n.cpus = 4;
    assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    s = stage_on(spec);
    stage_add(s, stage_job("A", 0, 1, 1));
    assert_int_equal(stage_open(s), ORR_E_NO_GPUS);
    stage_destroy(s);
}

static void missing_capabilities_are_named(void **state)
{
    (void)state;
    static const double jobs[][3] = {{0, 1, 1}};
    stage *s = jobs_of("nodes=1,gpus=1", "edf", jobs, 1);
    assert_int_equal(stage_open(s), ORR_E_CAPABILITY);
    assert_non_null(strstr(s->error.message, "'edf' needs DEADLINE"));
    assert_non_null(strstr(s->error.hint, "deadline"));
    stage_destroy(s);
}

static void bad_costs_are_refused(void **state)
{
    (void)state;
    static const double jobs[][3] = {{0, 1, 1}};
    stage *s = jobs_of("nodes=1,gpus=1", "fifo", jobs, 1);
    s->options.costs = "much";
    assert_int_equal(stage_open(s), ORR_E_BAD_VALUE);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks),
        cmocka_unit_test(submissions_move_to_the_tick),
        cmocka_unit_test(timers_and_savings_are_on_the_tick),
        cmocka_unit_test(bad_clocks_are_refused),
        cmocka_unit_test(all_events_of_an_instant_come_before_one_decision),
        cmocka_unit_test(ties_are_counted),
        cmocka_unit_test(the_horizon_cuts),
        cmocka_unit_test(the_horizon_is_no_part_of_the_run),
        cmocka_unit_test(until_nothing),
        cmocka_unit_test(limits_of_events),
        cmocka_unit_test(interrupted_before_the_next_instant),
        cmocka_unit_test(after_the_end_nothing_happens),
        cmocka_unit_test(nothing_to_run_or_to_run_on),
        cmocka_unit_test(missing_capabilities_are_named),
        cmocka_unit_test(bad_costs_are_refused),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
