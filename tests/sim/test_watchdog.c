/* Policies that don't get anywhere: each is found in bounded work, and the error says who and which jobs. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct memory {
    orr_job *jobs[4];
    uint64_t calls;
} memory;

static void remember(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    memory *m = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED)
        m->jobs[orr_job_index(job)] = job;
    if (event->kind == ORR_EV_ENDED)
        m->jobs[orr_job_index(job)] = NULL;
}

static void start_one(orr_plan *plan, orr_job *job)
{
    if (job && orr_job_state_now(job) == ORR_JOB_QUEUED && orr_plan_fits(plan, job, (orr_scope){.vc = -1}))
        orr_plan_start(plan, job);
}

static orr_err does_nothing(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_OK;
}

static orr_err waits_for_better_times(orr_ctx *ctx, orr_plan *plan)
{
    (void)plan;
    return orr_arm(ctx, 1, orr_now(ctx) + ORR_SECOND);
}

static orr_err asks_again_at_once(orr_ctx *ctx, orr_plan *plan)
{
    start_one(plan, ((memory *)orr_state(ctx))->jobs[0]);
    return orr_arm(ctx, 1, orr_now(ctx));
}

/* Whoever runs gives way to the other, every second: with restore costs nobody ever gets to work. */
static orr_err swaps(orr_ctx *ctx, orr_plan *plan, orr_time every)
{
    memory *m = orr_state(ctx);
    orr_job *in = m->jobs[m->calls % 2], *out = m->jobs[(m->calls + 1) % 2];
    m->calls++;
    if (out && orr_job_holds(out))
        orr_plan_preempt(plan, out);
    start_one(plan, in);
    return orr_arm(ctx, 1, orr_now(ctx) + every);
}

static orr_err swaps_every_second(orr_ctx *ctx, orr_plan *plan)
{
    return swaps(ctx, plan, ORR_SECOND);
}

static orr_err swaps_at_once(orr_ctx *ctx, orr_plan *plan)
{
    return swaps(ctx, plan, 0);
}

static stage *with(orr_err (*schedule)(orr_ctx *, orr_plan *), const char *costs)
{
    static orr_policy policies[16];
    static int used;
    orr_policy *p = &policies[used++];
    *p = (orr_policy){.summary = "s", .state_size = sizeof(memory), .on_job = remember, .schedule = schedule};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("first", 0, 1, 1000));
    stage_add(s, stage_job("second", 0, 1, 1000));
    stage_policy(s, p);
    s->no_holds = true;
    s->options.costs = costs;
    return s;
}

static void ends(stage *s, orr_err code, orr_stop stop, const char *says)
{
    assert_int_equal(stage_try(s), code);
    assert_int_equal(s->stop, stop);
    assert_int_equal(orr_err_exit_status(code), 76);
    assert_non_null(strstr(s->error.message, "policy 'test'"));
    if (!strstr(s->error.message, says))
        fail_msg("%s", s->error.message);
    assert_true(s->error.has_time);
    stage_destroy(s);
}

static void nothing_forever(void **state)
{
    (void)state;
    ends(with(does_nothing, NULL), ORR_E_STALLED, ORR_STOP_STALLED, "job first (1 GPUs)");
    ends(with(does_nothing, NULL), ORR_E_STALLED, ORR_STOP_STALLED, "job second (1 GPUs)");
}

static void timers_without_end(void **state)
{
    (void)state;
    ends(with(waits_for_better_times, NULL), ORR_E_STALLED, ORR_STOP_STALLED, "job first");
}

static void time_that_stands_still(void **state)
{
    (void)state;
    ends(with(asks_again_at_once, NULL), ORR_E_NO_PROGRESS, ORR_STOP_ERROR, "1000000 times in one instant");
}

static void preemptions_without_work(void **state)
{
    (void)state;
    ends(with(swaps_every_second, "restore=10s"), ORR_E_NO_PROGRESS, ORR_STOP_ERROR, "no job progresses");
}

static void preemptions_in_one_instant(void **state)
{
    (void)state;
    ends(with(swaps_at_once, NULL), ORR_E_NO_PROGRESS, ORR_STOP_ERROR, "");
}

static void work_that_is_always_lost(void **state)
{
    (void)state;
    ends(with(swaps_every_second, "checkpoint=5s"), ORR_E_NO_PROGRESS, ORR_STOP_ERROR, "no job ends");
}

/* The same swapping gets on where it costs nothing: no false alarm, however often. */
static void slow_progress_is_progress(void **state)
{
    (void)state;
    stage *s = with(swaps_every_second, NULL);
    stage_run(s);
    assert_true(s->counts.preemptions > 1900);
    stage_destroy(s);
}

/* A quantum of a second over half a year, one job that runs and others that wait: decisions alone are no alarm. */
static void long_runs_are_no_alarm(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("long", 0, 1, 1.5e6));
    stage_add(s, stage_job("next", 0, 1, 10));
    s->options.policy = "fifo,quantum=1s";
    stage_run(s);
    assert_true(s->counts.decisions > 1400000);
    stage_destroy(s);
}

/* Nor is a start that takes long, looked at every second. */
static void long_starts_are_no_alarm(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("slow", 0, 1, 10));
    stage_add(s, stage_job("next", 0, 1, 10));
    s->options.policy = "fifo,quantum=1s";
    s->options.costs = "start=2d";
    stage_run(s);
    stage_destroy(s);
}

/* What the first message names, and how it ends when there are more. */
static void five_are_named_the_rest_counted(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    static const orr_policy idle = {.summary = "s", .schedule = does_nothing};
    for (int i = 0; i < 8; i++)
        stage_add(s, stage_job((const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i], i, 1, 1));
    stage_policy(s, &idle);
    assert_int_equal(stage_try(s), ORR_E_STALLED);
    assert_non_null(strstr(s->error.message, "job e (1 GPUs): it asks 1 GPUs, 1 are free; and 3 more"));
    assert_int_equal(s->error.at_ns, 7 * ORR_SECOND);
    assert_int_equal(s->counts.queued_at_end, 8);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_forever),
        cmocka_unit_test(timers_without_end),
        cmocka_unit_test(time_that_stands_still),
        cmocka_unit_test(preemptions_without_work),
        cmocka_unit_test(preemptions_in_one_instant),
        cmocka_unit_test(work_that_is_always_lost),
        cmocka_unit_test(slow_progress_is_progress),
        cmocka_unit_test(long_runs_are_no_alarm),
        cmocka_unit_test(long_starts_are_no_alarm),
        cmocka_unit_test(five_are_named_the_rest_counted),
    };
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
