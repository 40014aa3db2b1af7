/* Parts of GPUs in plans and in the lifecycle: what fits together, what a change of share is, who waits where. */
#include "../sim/stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static orr_trace_job part(const char *id, double submit, int32_t milli, double duration)
{
    orr_trace_job job = stage_job(id, submit, 1, duration);
    job.gpu_milli = milli;
    return job;
}

static stage *script(const char *text)
{
    stage *s = stage_create("nodes=1,gpus=2");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 10));
    stage_add(s, stage_job("C", 0, 1, 10));
    stage_script(s, text);
    return s;
}

static void two_halves_make_a_gpu(void **state)
{
    (void)state;
    stage *s = script("0 A@0:1/500; 0 B@0:1/500; 0 C@0:2");
    stage_run(s);
    stage_ends(s, "A:10 B:10 C:10"); /* without an interference model sharing costs nothing */
    assert_true(stage_of(s, "A")->service == 5); /* half a GPU for 10 s */
    assert_true(stage_of(s, "C")->service == 10);
    stage_destroy(s);
}

static void more_than_a_gpu_is_refused(void **state)
{
    (void)state;
    static const char *const scripts[] = {"0 A@0:1/600; 2 B@0:1/500", "0 A@0:1; 2 B@0:1/100", "0 A@0:1/1; 2 B@0:1"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        stage *s = script(scripts[i]);
        assert_int_equal(stage_try(s), ORR_E_PLAN_CAPACITY);
        assert_string_equal(s->error.job, "B");
        stage_destroy(s);
    }
}

/* A hold ends and another begins, nothing is paid, and nobody was preempted. */
static void another_share_is_no_move(void **state)
{
    (void)state;
    stage *s = script("0 A@0:1; 4 A@0:1/500; 4 B@0:1/500; 4 C@0:2");
    s->options.costs = "start=0s,restore=5s,resize=5s";
    stage_run(s);
    stage_held(s, "A", "0-4/1 reshared, 4-10/1 done");
    assert_int_equal(s->counts.reshares, 1);
    assert_int_equal(s->counts.migrations + s->counts.resizes + s->counts.preemptions, 0);
    assert_true(stage_of(s, "A")->service == 7);
    stage_destroy(s);
}

static void the_same_share_is_nothing(void **state)
{
    (void)state;
    stage *s = script("0 A@0:1/500; 1 B@0:2; 4 A@0:1/500; 10 C@0:1");
    stage_run(s);
    stage_held(s, "A", "0-10/1 done");
    assert_int_equal(s->counts.reshares, 0);
    stage_destroy(s);
}

static void jobs_that_ask_parts_share(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=2,gpus=2");
    stage_add(s, part("A", 0, 600, 100));
    stage_add(s, part("B", 1, 500, 100)); /* not beside A: the other GPU of that node */
    stage_add(s, part("C", 2, 400, 100)); /* beside A, which leaves less than B */
    stage_add(s, part("D", 3, 500, 100)); /* beside B */
    stage_add(s, stage_job("E", 4, 2, 10));
    stage_add(s, part("F", 5, 1, 10));    /* no room before E has gone */
    stage_run(s);
    stage_ends(s, "A:100 B:101 C:102 D:103 E:14 F:24");
    stage_destroy(s);
}

static void device_memory_keeps_them_apart(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1,gpu_mem=16GiB");
    for (int i = 0; i < 3; i++) {
        char id[2] = {(char)('A' + i), 0};
        orr_trace_job job = part(id, i, 100, 10);
        job.gpu_mem_bytes = 6LL << 30;
        stage_add(s, job);
    }
    stage_run(s);
    stage_ends(s, "A:10 B:11 C:20"); /* three would be 18 GiB */
    stage_destroy(s);
}

/* Service is watched in what is held: half a GPU takes twice as long to a threshold. */
static orr_time crossed;

static void watch(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED)
        orr_watch(ctx, job, ORR_WATCH_SERVICE, 3.0);
    if (event->kind == ORR_EV_THRESHOLD)
        crossed = orr_now(ctx);
}

static orr_job *only;

static void keep(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    only = job;
    watch(ctx, job, event);
}

static orr_err starts(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx;
    return orr_job_state_now(only) == ORR_JOB_QUEUED ? orr_plan_start(plan, only) : ORR_OK;
}

static void half_a_gpu_is_half_the_service(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .on_job = keep, .schedule = starts,
                                      .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED}};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, part("A", 0, 500, 10));
    stage_policy(s, &policy);
    stage_run(s);
    assert_int_equal(crossed, 6 * ORR_SECOND);
    stage_destroy(s);
}

static void saving_keeps_the_part(void **state)
{
    (void)state;
    stage *s = script("0 A@0:1/500; 0 C@0:2; 2 A-; 3 B@0:1/600; 5 A@0:1/400; 10 B@0:2");
    s->options.costs = "save=2s";
    s->options.skip_violations = true; /* at 3 s A still saves on its half */
    stage_run(s);
    stage_held(s, "A", "0-4/1 preempted, 5-13/1 done");
    assert_int_equal(s->counts.violations, 1);
    stage_destroy(s);
}

/* Three GPUs: A has two until 100, H waits for two, and beside it two halves fit even then; a third doesn't. */
static void backfill_counts_parts_as_parts(void **state)
{
    (void)state;
    static const char *const policies[] = {"easy", "conservative"};
    for (int i = 0; i < 2; i++) {
        stage *s = stage_create("nodes=1,gpus=3");
        orr_trace_job head = stage_job("H", 1, 2, 10);
        stage_add(s, stage_job("A", 0, 2, 100));
        stage_add(s, head);
        stage_add(s, part("P", 2, 500, 200));
        stage_add(s, part("Q", 3, 500, 200));
        stage_add(s, part("R", 4, 500, 200));
        s->options.policy = policies[i];
        stage_run(s);
        stage_ends(s, "A:100 H:110 P:202 Q:203 R:310");
        stage_destroy(s);
    }
}

/* B finds half a GPU beside A, though no GPU is free; C, the shortest, takes the place of A, the longest. */
static void preemptive_orders_see_parts(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, part("A", 0, 500, 100));
    stage_add(s, part("B", 1, 500, 50));
    stage_add(s, part("C", 2, 500, 10));
    s->options.policy = "srtf";
    stage_run(s);
    stage_ends(s, "A:110 B:51 C:12");
    assert_int_equal(s->counts.preemptions, 1);
    stage_destroy(s);
}

/* A goes on with less at 3 while B still saves on the other half: its work doesn't wait for that. */
static void a_new_share_waits_for_nobody(void **state)
{
    (void)state;
    stage *s = script("0 A@0:1/500; 0 B@0:1/500; 0 C@0:2; 2 B-; 3 A@0:1/400; 10 B@0:2");
    s->options.costs = "save=5s";
    stage_run(s);
    stage_held(s, "A", "0-3/1 reshared, 3-10/1 done");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_halves_make_a_gpu),
        cmocka_unit_test(more_than_a_gpu_is_refused),
        cmocka_unit_test(another_share_is_no_move),
        cmocka_unit_test(the_same_share_is_nothing),
        cmocka_unit_test(jobs_that_ask_parts_share),
        cmocka_unit_test(device_memory_keeps_them_apart),
        cmocka_unit_test(half_a_gpu_is_half_the_service),
        cmocka_unit_test(saving_keeps_the_part),
        cmocka_unit_test(backfill_counts_parts_as_parts),
        cmocka_unit_test(preemptive_orders_see_parts),
        cmocka_unit_test(a_new_share_waits_for_nobody),
    };
    return cmocka_run_group_tests_name("sched.shares", tests, NULL, NULL);
}
