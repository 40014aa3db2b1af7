/* A policy learns what it declared and what the scenario grants, and no more; results say what was really used. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- asking without having declared ------------------------------------------------------------------------------ */

#define ASKS(name, call)                                                                                               \
    static double name(orr_ctx *ctx, const orr_job *job)                                                               \
    {                                                                                                                  \
        return (double)call(ctx, job);                                                                                 \
    }
ASKS(duration, orr_est_duration)
ASKS(remaining, orr_est_remaining)
ASKS(remaining_time, orr_est_remaining_time)
ASKS(service, orr_job_service)
ASKS(held, orr_job_held)
ASKS(waiting, orr_job_waiting)
ASKS(limit, orr_job_limit)
ASKS(deadline, orr_job_deadline)
ASKS(weight, orr_job_weight)
static double attribute(orr_ctx *ctx, const orr_job *job)
{
    return *orr_job_attribute(ctx, job, "no such column");
}
ASKS(recorded_start, orr_job_recorded_start)
ASKS(truth, orr_truth_duration)

static double host_speed(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_host_speed(ctx, job, 1, 1);
}

static double host_needs(orr_ctx *ctx, const orr_job *job)
{
    double cpus, mem;
    return orr_job_host_needs(ctx, job, 1, &cpus, &mem);
}

static double watches(orr_ctx *ctx, const orr_job *job)
{
    orr_watch(ctx, (orr_job *)job, ORR_WATCH_SERVICE, 1);
    return 0;
}

static const struct {
    const char *name;
    double (*key)(orr_ctx *ctx, const orr_job *job);
    orr_quantity quantity;
    orr_know level;
} questions[] = {
    {"duration", duration, ORR_Q_DURATION, ORR_KNOW_ORACLE},
    {"remaining", remaining, ORR_Q_DURATION, ORR_KNOW_ORACLE},
    {"remaining_time", remaining_time, ORR_Q_DURATION, ORR_KNOW_ORACLE},
    {"service", service, ORR_Q_SERVICE, ORR_KNOW_OBSERVED},
    {"held", held, ORR_Q_SERVICE, ORR_KNOW_OBSERVED},
    {"waiting", waiting, ORR_Q_SERVICE, ORR_KNOW_OBSERVED},
    {"watch", watches, ORR_Q_SERVICE, ORR_KNOW_OBSERVED},
    {"limit", limit, ORR_Q_LIMIT, ORR_KNOW_DECLARED},
    {"deadline", deadline, ORR_Q_LIMIT, ORR_KNOW_DECLARED},
    {"weight", weight, ORR_Q_LIMIT, ORR_KNOW_DECLARED},
    {"recorded_start", recorded_start, ORR_Q_RECORD, ORR_KNOW_ORACLE},
    {"attribute", attribute, ORR_Q_LIMIT, ORR_KNOW_DECLARED},
    {"host_speed", host_speed, ORR_Q_PROFILE, ORR_KNOW_PROFILED},
    {"host_needs", host_needs, ORR_Q_PROFILE, ORR_KNOW_PROFILED},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static stage *asking(const orr_order *order, orr_know granted)
{
    stage *s = stage_create("nodes=1,gpus=1");
    s->options.know = granted;
    stage_order(s, order);
    stage_add(s, stage_job("J", 3, 1, 10));
    return s;
}

static void who_asks_for_more_than_declared_is_stopped(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++) {
        orr_order order = {.summary = "s", .key = questions[i].key};
        if (questions[i].level > ORR_KNOW_DECLARED) /* one level too low */
            order.know[questions[i].quantity] = (uint8_t)(questions[i].level - 1);
        stage *s = asking(&order, ORR_KNOW_ORACLE);
        if (order.know[ORR_Q_DURATION]) { /* seen before it runs: oracle is the estimator by default */
            assert_int_equal(stage_open(s), ORR_E_KNOWLEDGE);
            stage_destroy(s);
            continue;
        }
        assert_int_equal(stage_try(s), ORR_E_KNOWLEDGE);
        assert_int_equal(s->stop, ORR_STOP_ERROR);
        assert_string_equal(s->error.job, "J");
        assert_int_equal(s->error.at_ns, 3 * ORR_SECOND);
        assert_non_null(strstr(s->error.message, orr_quantity_name(questions[i].quantity)));
        assert_int_equal(orr_err_exit_status(s->code), 76);
        stage_destroy(s);
    }
}

static void who_declares_gets_it_and_is_marked(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++) {
        orr_order order = {.summary = "s", .key = questions[i].key};
        order.know[questions[i].quantity] = (uint8_t)questions[i].level;
        stage *s = asking(&order, ORR_KNOW_ORACLE);
        stage_run(s);
        orr_know used[ORR_Q_COUNT];
        orr_sim_knowledge(s->sim, used);
        for (int q = 0; q < ORR_Q_COUNT; q++)
            assert_int_equal(used[q], q == (int)questions[i].quantity ? questions[i].level : ORR_KNOW_NONE);
        stage_destroy(s);
    }
}

/* Declaring is not using. */
static void what_was_not_asked_is_not_marked(void **state)
{
    (void)state;
    orr_order order = {.summary = "s", .key = weight};
    memset(order.know, ORR_KNOW_ORACLE, ORR_Q_COUNT);
    stage *s = asking(&order, ORR_KNOW_ORACLE);
    stage_run(s);
    orr_know used[ORR_Q_COUNT];
    orr_sim_knowledge(s->sim, used);
    assert_int_equal(used[ORR_Q_DURATION], ORR_KNOW_NONE);
    assert_int_equal(used[ORR_Q_SERVICE], ORR_KNOW_NONE);
    assert_int_equal(used[ORR_Q_LIMIT], ORR_KNOW_DECLARED);
    stage_destroy(s);
}

static void no_policy_gets_the_truth(void **state)
{
    (void)state;
    orr_order order = {.summary = "s", .key = truth, .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE}};
    stage *s = asking(&order, ORR_KNOW_ORACLE);
    assert_int_equal(stage_try(s), ORR_E_KNOWLEDGE);
    stage_destroy(s);
}

/* ---- what the scenario grants ------------------------------------------------------------------------------------ */

static void the_scenario_may_grant_less(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++)
        for (int granted = ORR_KNOW_NONE; granted <= ORR_KNOW_ORACLE; granted++) {
            orr_order order = {.summary = "s", .key = questions[i].key};
            order.know[questions[i].quantity] = (uint8_t)questions[i].level;
            stage *s = asking(&order, (orr_know)granted);
            orr_err err = stage_open(s);
            assert_int_equal(err, granted < (int)questions[i].level ? ORR_E_KNOWLEDGE : ORR_OK);
            if (err)
                assert_non_null(strstr(s->error.message, orr_know_name((orr_know)granted)));
            stage_destroy(s);
        }
}

/* sjf wants durations at any level: which one is decided by the estimator, against both bounds. */
static void estimators_have_levels(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        orr_know granted, used;
        orr_err code;
    } rows[] = {
        {"sjf", ORR_KNOW_ORACLE, ORR_KNOW_ORACLE, ORR_OK},
        {"sjf", ORR_KNOW_NOISY, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"sjf~noisy", ORR_KNOW_NOISY, ORR_KNOW_NOISY, ORR_OK},
        {"sjf~noisy", ORR_KNOW_HISTORY, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"sjf~rolling", ORR_KNOW_HISTORY, ORR_KNOW_HISTORY, ORR_OK},
        {"sjf~ridge", ORR_KNOW_HISTORY, ORR_KNOW_HISTORY, ORR_OK},
        {"srtf~qssf", ORR_KNOW_OBSERVED, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"ssf~user-mean", ORR_KNOW_HISTORY, ORR_KNOW_HISTORY, ORR_OK},
        {"qssf", ORR_KNOW_HISTORY, ORR_KNOW_NONE, ORR_OK}, /* whom nobody waits for isn't asked about */
        {"qssf", ORR_KNOW_OBSERVED, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"qssf~oracle", ORR_KNOW_ORACLE, ORR_KNOW_NONE, ORR_OK},
        {"qssf~oracle", ORR_KNOW_HISTORY, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"qssf~given", ORR_KNOW_DECLARED, ORR_KNOW_NONE, ORR_OK},
        {"qssf~given", ORR_KNOW_NONE, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"sjf~limit", ORR_KNOW_DECLARED, ORR_KNOW_DECLARED, ORR_OK},
        {"sjf~limit", ORR_KNOW_NONE, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
        {"fifo", ORR_KNOW_NONE, ORR_KNOW_NONE, ORR_OK},
        {"las", ORR_KNOW_DECLARED, ORR_KNOW_NONE, ORR_E_KNOWLEDGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_add(s, stage_job("J", 0, 1, 10));
        s->options.policy = rows[i].policy;
        s->options.know = rows[i].granted;
        orr_err err = stage_open(s);
        if (err != rows[i].code)
            fail_msg("%s at %s: %s", rows[i].policy, orr_know_name(rows[i].granted), orr_err_name(err));
        if (!err) {
            stage_run(s);
            orr_know used[ORR_Q_COUNT];
            orr_sim_knowledge(s->sim, used);
            assert_int_equal(used[ORR_Q_DURATION], rows[i].used);
        }
        stage_destroy(s);
    }
}

/* What a policy declares is the most that any of its settings needs. */
static void settings_may_do_with_less(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        orr_know granted;
        orr_err code;
    } rows[] = {
        {"optimus:oracle~rolling", ORR_KNOW_ORACLE, ORR_OK},
        {"optimus:oracle~rolling", ORR_KNOW_NOISY, ORR_E_KNOWLEDGE},
        {"optimus~rolling", ORR_KNOW_PROFILED, ORR_OK},
        {"optimus~rolling", ORR_KNOW_HISTORY, ORR_E_KNOWLEDGE},
        {"optimus,prerun=0~rolling", ORR_KNOW_HISTORY, ORR_OK},
        {"optimus:fair~rolling", ORR_KNOW_HISTORY, ORR_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = stage_create("nodes=1,gpus=4");
        orr_trace_job job = stage_job("J", 0, 1, 10);
        job.max_gpus = 4;
        stage_add(s, job);
        s->options.policy = rows[i].policy;
        s->options.know = rows[i].granted;
        const orr_err err = stage_open(s);
        if (err != rows[i].code)
            fail_msg("%s at %s: %s", rows[i].policy, orr_know_name(rows[i].granted), orr_err_name(err));
        if (!err)
            stage_run(s);
        stage_destroy(s);
    }
}

static orr_err does_with_less(orr_ctx *ctx)
{
    orr_know_less(ctx, ORR_Q_SERVICE, ORR_KNOW_DECLARED);
    orr_know_less(ctx, ORR_Q_LIMIT, ORR_KNOW_ORACLE); /* never more than was declared */
    return ORR_OK;
}

static orr_know asked_of;

static orr_err does_nothing(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_OK;
}

static void asks_after_all(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    (void)event;
    if (asked_of == ORR_KNOW_OBSERVED)
        (void)orr_job_service(ctx, job);
    else
        (void)orr_job_weight(ctx, job);
}

static void what_settings_do_without_is_not_told(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED}, .init = does_with_less,
                                      .on_job = asks_after_all, .schedule = does_nothing};
    for (asked_of = ORR_KNOW_DECLARED; asked_of <= ORR_KNOW_OBSERVED; asked_of++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_policy(s, &policy);
        stage_add(s, stage_job("J", 3, 1, 10));
        assert_int_equal(stage_try(s), ORR_E_KNOWLEDGE);
        stage_destroy(s);
    }
}

/* ---- estimators that overreach ----------------------------------------------------------------------------------- */

static orr_time peeks(orr_ctx *ctx, const orr_job *job)
{
    return orr_truth_duration(ctx, job);
}

static orr_time recurses(orr_ctx *ctx, const orr_job *job)
{
    return orr_est_remaining_time(ctx, job);
}

static orr_time reads_the_limit(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_limit(ctx, job);
}

static orr_time negative(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx, (void)job;
    return -5 * ORR_SECOND;
}

static void estimators_are_held_to_their_level(void **state)
{
    (void)state;
    static const orr_estimator rows[] = {
        {.summary = "s", .level = ORR_KNOW_HISTORY, .duration = peeks},
        {.summary = "s", .level = ORR_KNOW_NOISY, .duration = recurses},
        {.summary = "s", .level = ORR_KNOW_DECLARED, .duration = reads_the_limit}, /* doesn't declare that it does */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        orr_module m = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                        sizeof(orr_estimator), ORR_KIND_ESTIMATOR, "cheat", &rows[i]};
        assert_int_equal(orr_registry_add(s->registry, &m, NULL), ORR_OK);
        stage_add(s, stage_job("J", 0, 1, 10));
        s->options.policy = "sjf~cheat";
        assert_int_equal(stage_try(s), ORR_E_KNOWLEDGE);
        stage_destroy(s);
    }
}

static double left_seen[8];
static int left_count;

static double notes_remaining(orr_ctx *ctx, const orr_job *job)
{
    double left = orr_est_remaining(ctx, job);
    if (left_count < 8)
        left_seen[left_count++] = left;
    return left;
}

/* What is believed is never less than nothing, and costs still to be paid belong to it. */
static void beliefs_are_not_negative(void **state)
{
    (void)state;
    static const orr_estimator below = {.summary = "s", .level = ORR_KNOW_NOISY, .duration = negative};
    static const orr_order order = {.summary = "s", .key = notes_remaining, .know = {[ORR_Q_DURATION] = ORR_KNOW_NOISY}};
    stage *s = stage_create("nodes=1,gpus=1");
    orr_module m = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                    sizeof(orr_estimator), ORR_KIND_ESTIMATOR, "below", &below};
    assert_int_equal(orr_registry_add(s->registry, &m, NULL), ORR_OK);
    stage_order(s, &order);
    stage_add(s, stage_job("J", 0, 1, 10));
    s->options.policy = "test~below";
    s->options.costs = "start=3s";
    left_count = 0;
    stage_run(s);
    assert_true(left_count > 0 && left_seen[0] == 3);
    stage_destroy(s);
}

/* ---- the past ---------------------------------------------------------------------------------------------------- */

/* Estimators see jobs that ended by themselves, and how long those took; one that a policy cut short says nothing. */
static int observed;

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    (void)ctx, (void)job;
    assert_int_equal(took, 4 * ORR_SECOND);
    observed++;
}

static orr_time guess(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx, (void)job;
    return ORR_SECOND;
}

static orr_job *running;

static void remember(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_STARTED && strcmp(orr_job_id(job), "long") == 0) {
        running = job;
        orr_arm(ctx, 1, orr_now(ctx) + 2 * ORR_SECOND);
    }
    if (event->kind == ORR_EV_SUBMITTED)
        ((orr_job **)orr_state(ctx))[orr_job_index(job)] = job;
    if (event->kind == ORR_EV_ENDED)
        ((orr_job **)orr_state(ctx))[orr_job_index(job)] = NULL;
}

static orr_err kills_the_long_one(orr_ctx *ctx, orr_plan *plan)
{
    orr_job **jobs = orr_state(ctx);
    if (running && orr_now(ctx) == orr_job_first_start(running) + 2 * ORR_SECOND) {
        orr_plan_kill(plan, running, "enough");
        running = NULL;
    }
    for (int i = 0; i < 4; i++)
        if (jobs[i] && orr_job_state_now(jobs[i]) == ORR_JOB_QUEUED) {
            orr_est_duration(ctx, jobs[i]);
            orr_plan_start(plan, jobs[i]);
        }
    return ORR_OK;
}

static void jobs_that_were_cut_short_teach_nothing(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .state_size = 4 * sizeof(orr_job *), .on_job = remember,
                                      .schedule = kills_the_long_one, .know = {[ORR_Q_DURATION] = ORR_KNOW_HISTORY}};
    static const orr_estimator spy = {.summary = "s", .level = ORR_KNOW_HISTORY, .duration = guess, .observe = observe};
    stage *s = stage_create("nodes=1,gpus=4");
    orr_module m = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                    sizeof(orr_estimator), ORR_KIND_ESTIMATOR, "spy", &spy};
    assert_int_equal(orr_registry_add(s->registry, &m, NULL), ORR_OK);
    stage_policy(s, &policy);
    s->options.policy = "test~spy";
    stage_add(s, stage_job("a", 0, 1, 4));
    stage_add(s, stage_job("long", 0, 1, 1000));
    orr_trace_job failed = stage_job("failed", 0, 1, 4); /* ended by itself: that is how long such jobs take */
    failed.ending = ORR_ENDING_FAILED;
    stage_add(s, failed);
    stage_add(s, stage_job("wide", 0, 5, 4)); /* refused at the door */
    observed = 0;
    stage_run(s);
    assert_int_equal(observed, 2);
    assert_int_equal(stage_of(s, "long")->state, ORR_JOB_KILLED);
    assert_string_equal(stage_of(s, "long")->reason, "enough");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_for_more_than_declared_is_stopped),
        cmocka_unit_test(who_declares_gets_it_and_is_marked),
        cmocka_unit_test(what_was_not_asked_is_not_marked),
        cmocka_unit_test(no_policy_gets_the_truth),
        cmocka_unit_test(the_scenario_may_grant_less),
        cmocka_unit_test(estimators_have_levels),
        cmocka_unit_test(settings_may_do_with_less),
        cmocka_unit_test(what_settings_do_without_is_not_told),
        cmocka_unit_test(estimators_are_held_to_their_level),
        cmocka_unit_test(beliefs_are_not_negative),
        cmocka_unit_test(jobs_that_were_cut_short_teach_nothing),
    };
    return cmocka_run_group_tests_name("knowledge", tests, NULL, NULL);
}
