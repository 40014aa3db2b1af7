/* Timers and thresholds: armed, moved, taken back, many at once; crossings to the nanosecond. */
#include "../sim/stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct happened {
    orr_time at;
    uint64_t what; /* a cookie, or 1000 + orr_watched */
} happened;

static happened log_[64];
static int logged, decided;
static void (*at_start)(orr_ctx *ctx);
static void (*on_threshold)(orr_ctx *ctx, orr_job *job, orr_watched what);
static void (*on_submit)(orr_ctx *ctx, orr_job *job);

static void note(orr_ctx *ctx, uint64_t what)
{
    assert_true(logged < 64);
    log_[logged++] = (happened){orr_now(ctx), what};
}

static orr_err init(orr_ctx *ctx)
{
    logged = decided = 0;
    if (at_start)
        at_start(ctx);
    return ORR_OK;
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    note(ctx, cookie);
    if (cookie == 50 && orr_now(ctx) < 5 * ORR_SECOND) /* every second until then */
        orr_arm(ctx, 50, orr_now(ctx) + ORR_SECOND);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_job **only = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED) {
        *only = job;
        if (on_submit)
            on_submit(ctx, job);
    }
    if (event->kind == ORR_EV_ENDED) {
        *only = NULL;
        orr_watch(ctx, job, ORR_WATCH_SERVICE, 1e6); /* of no use, and no harm: it is over */
    }
    if (event->kind == ORR_EV_THRESHOLD) {
        note(ctx, 1000 + (uint64_t)event->watched);
        if (on_threshold)
            on_threshold(ctx, job, event->watched);
    }
}

static orr_err starts_it(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job = *(orr_job **)orr_state(ctx);
    decided++;
    if (job && orr_job_state_now(job) == ORR_JOB_QUEUED && orr_now(ctx) >= 2 * ORR_SECOND)
        orr_plan_start(plan, job);
    return ORR_OK;
}

static const orr_policy policy = {.summary = "s", .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED}, .state_size = sizeof(orr_job *),
                                  .init = init, .on_timer = on_timer, .on_job = on_job, .schedule = starts_it};

/* One job of `gpus` GPUs that comes at 0, starts at 2 and takes 10. */
static stage *one_job(int32_t gpus)
{
    stage *s = stage_create("nodes=1,gpus=8");
    stage_add(s, stage_job("J", 0, gpus, 10));
    stage_policy(s, &policy);
    return s;
}

static void happened_then(const happened *expected, int n)
{
    assert_int_equal(logged, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(log_[i].at, expected[i].at);
        assert_int_equal(log_[i].what, expected[i].what);
    }
}

static void reset(void)
{
    at_start = NULL;
    on_threshold = NULL;
    on_submit = NULL;
}

static void arms_at_two(orr_ctx *ctx)
{
    orr_arm(ctx, 2, 2 * ORR_SECOND); /* a decision, in which the job starts */
}

/* ---- timers ------------------------------------------------------------------------------------------------------ */

static void arms_several(orr_ctx *ctx)
{
    orr_arm(ctx, 1, 3 * ORR_SECOND);
    orr_arm(ctx, 2, 2 * ORR_SECOND);
    orr_arm(ctx, 3, 2 * ORR_SECOND); /* the same instant: in the order of arming */
    orr_arm(ctx, 4, 4 * ORR_SECOND);
    orr_arm(ctx, 4, ORR_SECOND);     /* moved to the front */
    orr_arm(ctx, 5, ORR_SECOND);
    orr_arm(ctx, 5, 5 * ORR_SECOND); /* and to the back */
    orr_arm(ctx, 6, ORR_SECOND);
    orr_disarm(ctx, 6);
    orr_disarm(ctx, 6);
    orr_disarm(ctx, 99);
    orr_arm(ctx, 7, 500 * ORR_SECOND); /* a timer doesn't keep a finished run alive */
}

static void armed_moved_and_taken_back(void **state)
{
    (void)state;
    reset();
    at_start = arms_several;
    stage *s = one_job(1);
    stage_run(s);
    static const happened expected[] = {{ORR_SECOND, 4}, {2 * ORR_SECOND, 2}, {2 * ORR_SECOND, 3}, {3 * ORR_SECOND, 1},
                                        {5 * ORR_SECOND, 5}};
    happened_then(expected, 5);
    /* 0 s: it came; 1, 2, 3, 5 s: timers, two of them in one instant; 12 s: it ended. */
    assert_int_equal(decided, 6);
    assert_int_equal(stage_of(s, "J")->end, 12 * ORR_SECOND);
    assert_int_equal(orr_sim_now(s->sim), 12 * ORR_SECOND);
    stage_destroy(s);
}

static void arms_one_that_repeats(orr_ctx *ctx)
{
    orr_arm(ctx, 50, 2 * ORR_SECOND);
    orr_arm(ctx, UINT64_MAX >> 2, 3 * ORR_SECOND); /* any cookie of the lower half is a policy's */
    orr_arm(ctx, 0, 4 * ORR_SECOND);
}

static void a_timer_may_arm_itself_again(void **state)
{
    (void)state;
    reset();
    at_start = arms_one_that_repeats;
    stage *s = one_job(1);
    stage_run(s);
    static const happened expected[] = {{2 * ORR_SECOND, 50}, {3 * ORR_SECOND, UINT64_MAX >> 2}, {3 * ORR_SECOND, 50},
                                        {4 * ORR_SECOND, 0},  {4 * ORR_SECOND, 50},              {5 * ORR_SECOND, 50}};
    happened_then(expected, 6);
    stage_destroy(s);
}

static void arms_the_past(orr_ctx *ctx, orr_job *job)
{
    (void)job;
    orr_arm(ctx, 8, orr_now(ctx) - 5);
    orr_arm(ctx, 9, orr_now(ctx));
}

static void the_past_is_now(void **state)
{
    (void)state;
    reset();
    at_start = arms_at_two;
    on_submit = arms_the_past;
    stage *s = one_job(1);
    stage_run(s);
    static const happened expected[] = {{0, 8}, {0, 9}, {2 * ORR_SECOND, 2}};
    happened_then(expected, 3);
    assert_int_equal(decided, 3); /* the submission and both timers are one instant: one decision; then 2 and 12 s */
    stage_destroy(s);
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

static double value;

static void watches_service(orr_ctx *ctx, orr_job *job)
{
    orr_watch(ctx, job, ORR_WATCH_SERVICE, value);
}

/* The job starts at 2 s; `at` is when it has attained `service` GPU-seconds, NONE: never. */
static void crosses_at(const char *costs, int32_t gpus, double service, orr_time at)
{
    reset();
    at_start = arms_at_two;
    on_submit = watches_service;
    value = service;
    stage *s = one_job(gpus);
    s->options.costs = costs;
    stage_run(s);
    happened expected[] = {{2 * ORR_SECOND, 2}, {at, 1000 + ORR_WATCH_SERVICE}};
    if (at < 2 * ORR_SECOND) {
        expected[1] = expected[0];
        expected[0] = (happened){at, 1000 + ORR_WATCH_SERVICE};
    }
    happened_then(expected[0].at == ORR_TIME_NONE ? expected + 1 : expected, at == ORR_TIME_NONE ? 1 : 2);
    stage_destroy(s);
}

static void service_crosses_at_the_exact_ns(void **state)
{
    (void)state;
    crosses_at(NULL, 1, 3, 5 * ORR_SECOND);
    crosses_at(NULL, 4, 6, 3500 * ORR_MS);
    crosses_at(NULL, 3, 1, 2 * ORR_SECOND + 333333334);  /* 1/3 s: the first ns at or after it */
    crosses_at(NULL, 7, 10, 2 * ORR_SECOND + 1428571429);
    crosses_at(NULL, 8, 1e-9, 2 * ORR_SECOND + 1);       /* an eighth of a ns */
    crosses_at(NULL, 1, 0.1, 2100 * ORR_MS);
    crosses_at("start=5s", 2, 4, 4 * ORR_SECOND);        /* GPUs that are held count, working or not */
    crosses_at(NULL, 1, 0, 0);                           /* reached already: in this instant */
    crosses_at(NULL, 1, -INFINITY, 0);
    crosses_at(NULL, 1, 10.5, ORR_TIME_NONE);            /* more than it ever gets */
    crosses_at(NULL, 1, INFINITY, ORR_TIME_NONE);
    crosses_at(NULL, 1, 1e300, ORR_TIME_NONE);
    crosses_at(NULL, 1, NAN, ORR_TIME_NONE);
}

/* What is reached in the instant of the end is not told: the job is over first. */
static void the_end_comes_before_a_threshold(void **state)
{
    (void)state;
    crosses_at(NULL, 1, 10, ORR_TIME_NONE);
    crosses_at(NULL, 1, 9.999999999, 12 * ORR_SECOND - 1);
}

static void watches_waiting(orr_ctx *ctx, orr_job *job)
{
    orr_watch(ctx, job, ORR_WATCH_WAITING, value);
}

static void waiting_crosses_too(void **state)
{
    (void)state;
    static const struct {
        double value;
        orr_time at;
    } rows[] = {{0.5, 500 * ORR_MS}, {1.0000000005, ORR_SECOND + 1}, {0, 0}, {2.5, ORR_TIME_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reset();
        at_start = arms_at_two;
        on_submit = watches_waiting;
        value = rows[i].value;
        stage *s = one_job(1);
        stage_run(s);
        const happened expected[] = {{rows[i].at, 1000 + ORR_WATCH_WAITING}, {2 * ORR_SECOND, 2}};
        bool never = rows[i].at == ORR_TIME_NONE; /* it starts before */
        happened_then(expected + never, 2 - never);
        stage_destroy(s);
    }
}

static void watches_next(orr_ctx *ctx, orr_job *job, orr_watched what)
{
    if (value < 6)
        orr_watch(ctx, job, what, value += 2);
}

static void one_after_the_other(void **state)
{
    (void)state;
    reset();
    at_start = arms_at_two;
    on_submit = watches_service;
    on_threshold = watches_next;
    value = 2;
    stage *s = one_job(2);
    stage_run(s);
    static const happened expected[] = {{2 * ORR_SECOND, 2}, {3 * ORR_SECOND, 1000}, {4 * ORR_SECOND, 1000}, {5 * ORR_SECOND, 1000}};
    happened_then(expected, 4);
    assert_int_equal(decided, 6); /* 0, 2, 3, 4, 5, 12 s */
    stage_destroy(s);
}

static void watches_again(orr_ctx *ctx, orr_job *job)
{
    orr_watch(ctx, job, ORR_WATCH_SERVICE, 1);
    orr_watch(ctx, job, ORR_WATCH_SERVICE, 3); /* in its place */
    orr_watch(ctx, job, ORR_WATCH_WAITING, 1);
    orr_unwatch(ctx, job, ORR_WATCH_WAITING);
    orr_unwatch(ctx, job, ORR_WATCH_WAITING);
}

static void watching_again_replaces(void **state)
{
    (void)state;
    reset();
    at_start = arms_at_two;
    on_submit = watches_again;
    stage *s = one_job(1);
    stage_run(s);
    static const happened expected[] = {{2 * ORR_SECOND, 2}, {5 * ORR_SECOND, 1000}};
    happened_then(expected, 2);
    stage_destroy(s);
}

/* Service doesn't grow while it waits: 2 s and 3 s of holding with 3 s off between them.
 *   |..##...###   5 GPU-s are reached at 2 + 2 + 3 + 3 = 10 */
static orr_err off_and_on(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job = *(orr_job **)orr_state(ctx);
    orr_time now = orr_now(ctx);
    if (job && orr_job_state_now(job) == ORR_JOB_QUEUED && (now == 2 * ORR_SECOND || now == 7 * ORR_SECOND))
        orr_plan_start(plan, job);
    else if (job && now == 4 * ORR_SECOND)
        orr_plan_preempt(plan, job);
    return ORR_OK;
}

static void arms_off_and_on(orr_ctx *ctx)
{
    orr_arm(ctx, 1, 2 * ORR_SECOND);
    orr_arm(ctx, 2, 4 * ORR_SECOND);
    orr_arm(ctx, 3, 7 * ORR_SECOND);
}

static void service_stands_still_while_it_waits(void **state)
{
    (void)state;
    static orr_policy moody;
    moody = policy;
    moody.schedule = off_and_on;
    reset();
    at_start = arms_off_and_on;
    on_submit = watches_service;
    value = 5;
    stage *s = stage_create("nodes=1,gpus=8");
    stage_add(s, stage_job("J", 0, 1, 10));
    stage_policy(s, &moody);
    stage_run(s);
    static const happened expected[] = {{2 * ORR_SECOND, 1}, {4 * ORR_SECOND, 2}, {7 * ORR_SECOND, 3}, {10 * ORR_SECOND, 1000}};
    happened_then(expected, 4);
    assert_int_equal(stage_of(s, "J")->end, 15 * ORR_SECOND);
    stage_destroy(s);
}

/* ---- triggers ---------------------------------------------------------------------------------------------------- */

static void pure_rounds(orr_ctx *ctx)
{
    orr_trigger_events(ctx, 0);
    orr_trigger_period(ctx, 3 * ORR_SECOND, ORR_SECOND); /* 1, 4, 7, … */
}

static void rounds_of_the_policy(void **state)
{
    (void)state;
    reset();
    at_start = pure_rounds;
    stage *s = one_job(1);
    stage_run(s);
    stage_held(s, "J", "4-14/1 done");
    assert_int_equal(decided, 5); /* 1, 4, 7, 10, 13 s */
    stage_destroy(s);
}

static void wide_gaps(orr_ctx *ctx)
{
    orr_trigger_min_gap(ctx, 5 * ORR_SECOND);
    for (uint64_t i = 1; i <= 20; i++)
        orr_arm(ctx, i, (orr_time)i * ORR_SECOND);
}

static void at_least_so_long_between_two(void **state)
{
    (void)state;
    reset();
    at_start = wide_gaps;
    stage *s = one_job(1);
    stage_run(s);
    stage_held(s, "J", "5-15/1 done");
    assert_int_equal(decided, 4); /* 0, 5, 10, 15 s */
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armed_moved_and_taken_back),
        cmocka_unit_test(a_timer_may_arm_itself_again),
        cmocka_unit_test(the_past_is_now),
        cmocka_unit_test(service_crosses_at_the_exact_ns),
        cmocka_unit_test(the_end_comes_before_a_threshold),
        cmocka_unit_test(waiting_crosses_too),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(watching_again_replaces),
        cmocka_unit_test(service_stands_still_while_it_waits),
        cmocka_unit_test(rounds_of_the_policy),
        cmocka_unit_test(at_least_so_long_between_two),
    };
    return cmocka_run_group_tests_name("timers", tests, NULL, NULL);
}
