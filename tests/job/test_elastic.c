/* Elastic jobs: speed by the number of GPUs, and what a resize costs. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Asks for 2 GPUs, runs on 1 to 4. */
static orr_trace_job elastic(double duration)
{
    orr_trace_job job = stage_job("A", 0, 2, duration);
    job.min_gpus = 1;
    job.max_gpus = 4;
    return job;
}

static stage *elastic_run(const char *costs, double duration, const char *script)
{
    stage *s = stage_create("nodes=2,gpus=4");
    s->options.costs = costs;
    stage_add(s, elastic(duration));
    stage_script(s, script);
    stage_run(s);
    return s;
}

/*  4 |    ####
 *  2 |####        12 s of work: 4 at speed 1, then 8 at speed 2 */
static void speed_is_linear(void **state)
{
    (void)state;
    stage *s = elastic_run(NULL, 12, "0 A@0:3; 4 A@0:15");
    stage_held(s, "A", "0-4/2 resized, 4-8/4 done");
    assert_true(stage_of(s, "A")->service == 8 + 16);
    assert_int_equal(stage_of(s, "A")->resizes, 1);
    assert_int_equal(s->counts.resizes, 1);
    assert_int_equal(s->counts.preemptions + s->counts.migrations, 0);
    stage_destroy(s);
}

/*  4 |    ##
 *  2 |####
 *  1 |      ########   4 + 4 + 4 of 12 */
static void up_and_down(void **state)
{
    (void)state;
    stage *s = elastic_run(NULL, 12, "0 A@0:3; 4 A@0:15; 6 A@0:8");
    stage_held(s, "A", "0-4/2 resized, 4-6/4 resized, 6-14/1 done");
    assert_true(stage_of(s, "A")->service == 24);
    stage_destroy(s);
}

/* Another size on other nodes is a resize, the same size elsewhere a migration. */
static void size_and_place(void **state)
{
    (void)state;
    stage *s = elastic_run(NULL, 12, "0 A@0:3; 4 A@0:1@1:7; 5 A@1:15; 6 A@0:1@1:1");
    stage_held(s, "A", "0-4/2 resized, 4-5/4 migrated, 5-6/4 resized, 6-10/2 done");
    assert_int_equal(stage_of(s, "A")->resizes, 2);
    assert_int_equal(stage_of(s, "A")->migrations, 1);
    stage_destroy(s);
}

/*  4 |    zzz####   3 s for the new size, then 8 of work at speed 2 */
static void a_resize_is_paid_by_the_new_size(void **state)
{
    (void)state;
    stage *s = elastic_run("resize=1:1s/3:3s", 12, "0 A@0:3; 4 A@0:15");
    stage_held(s, "A", "0-4/2 resized, 4-11/4 done");
    assert_true(stage_of(s, "A")->overhead == 12);
    assert_int_equal(s->holds[1].overhead, 3 * ORR_SECOND);
    stage_destroy(s);
}

/*  4 |    z
 *  2 |####  zzzzz########   the 2 s that were not paid at 5 are still owed, and 3 more */
static void resized_while_it_resizes(void **state)
{
    (void)state;
    stage *s = elastic_run("resize=3s", 12, "0 A@0:3; 4 A@0:15; 5 A@0:3");
    stage_held(s, "A", "0-4/2 resized, 4-5/4 resized, 5-18/2 done");
    assert_true(stage_of(s, "A")->overhead == 4 + 10);
    stage_destroy(s);
}

/* 3/2 and 1/3 are no powers of two: the end is the first ns at which the work is done. */
static void odd_speeds_are_exact_to_a_ns(void **state)
{
    (void)state;
    stage *s = elastic_run(NULL, 10, "0 A@0:3; 1 A@0:7"); /* 9 s at 3/2 */
    stage_held(s, "A", "0-1/2 resized, 1-7/3 done");
    stage_destroy(s);
    s = stage_create("nodes=1,gpus=4");
    orr_trace_job job = stage_job("A", 0, 3, 10);
    job.min_gpus = 1;
    stage_add(s, job);
    stage_script(s, "0 A@0:1");
    stage_run(s);
    assert_true(stage_of(s, "A")->end >= 30 * ORR_SECOND && stage_of(s, "A")->end <= 30 * ORR_SECOND + 8);
    stage_destroy(s);
}

/* checkpoint=10s, on 4 GPUs: 9 s are 18 of work, of which 10 are saved. 8 are done again, in 4 s on 4 GPUs or 8 s on 2. */
static void lost_work_is_counted_in_gpu_seconds(void **state)
{
    (void)state;
    stage *s = elastic_run("checkpoint=10s", 40, "0 A@0:15; 9 A-; 10 A@0:3");
    stage_held(s, "A", "0-9/4 preempted, 10-40/2 done");
    const stage_record *r = stage_of(s, "A");
    assert_true(r->lost_work == 16);
    assert_true(r->service == 36 + 60);
    assert_true(r->service - r->overhead - r->lost_work == 40 * 2); /* the work */
    stage_destroy(s);
}

static void fails(const char *script, orr_err code)
{
    stage *s = stage_create("nodes=2,gpus=8");
    stage_add(s, elastic(10));
    stage_add(s, stage_job("B", 0, 2, 10));
    stage_script(s, script);
    assert_int_equal(stage_try(s), code);
    assert_int_equal(s->stop, ORR_STOP_ERROR);
    assert_int_equal(s->error.at_ns, 0);
    stage_destroy(s);
}

static void a_gang_is_whole(void **state)
{
    (void)state;
    fails("0 A@0:31", ORR_E_PLAN_GANG);         /* 5 > max */
    fails("0 B@0:1", ORR_E_PLAN_GANG);          /* rigid: 2 and nothing else */
    fails("0 B@0:7", ORR_E_PLAN_GANG);
    fails("0 B@0:1@0:2", ORR_E_PLAN_CAPACITY);  /* a node is named once */
    fails("0 B@0:256@1:1", ORR_E_PLAN_CAPACITY); /* GPU 8 of 0..7 */
    fails("0 B@2:3", ORR_E_PLAN_CAPACITY);
    fails("0 B@0:3; 0 A@0:2", ORR_E_PLAN_CAPACITY);
}

/* The stock drivers give an elastic job what it asked for. */
static void started_by_the_placer_on_its_gang(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=2,gpus=4");
    stage_add(s, elastic(12));
    stage_run(s);
    stage_held(s, "A", "0-12/2 done");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_is_linear),
        cmocka_unit_test(up_and_down),
        cmocka_unit_test(size_and_place),
        cmocka_unit_test(a_resize_is_paid_by_the_new_size),
        cmocka_unit_test(resized_while_it_resizes),
        cmocka_unit_test(odd_speeds_are_exact_to_a_ns),
        cmocka_unit_test(lost_work_is_counted_in_gpu_seconds),
        cmocka_unit_test(a_gang_is_whole),
        cmocka_unit_test(started_by_the_placer_on_its_gang),
    };
    return cmocka_run_group_tests_name("elastic", tests, NULL, NULL);
}
