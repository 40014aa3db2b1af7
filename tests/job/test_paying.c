/* What starting, saving, restoring, moving and losing state cost: timelines solved by hand.
 *
 * In the drawings '#' is work, 's' start, 'r' restore, 'v' save, 'z' resize, 'x' work that is lost and done again, '.' waiting. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static stage *on(const char *cluster, const char *costs)
{
    stage *s = stage_create(cluster);
    s->options.costs = costs;
    return s;
}

static void totals(const stage *s, const char *id, double held, double service, double overhead, double lost)
{
    const stage_record *r = stage_of(s, id);
    assert_true(r->held == orr_time_from_seconds(held));
    assert_true(r->service == service);
    assert_true(r->overhead == overhead);
    assert_true(r->lost_work == lost);
}

/*  A |sssss##########|        0, 5, 15 */
static void a_start_is_paid_once(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=4", "start=5s");
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_script(s, "0 A@0:3");
    stage_run(s);
    stage_held(s, "A", "0-15/2 done");
    totals(s, "A", 15, 30, 10, 0);
    assert_int_equal(stage_of(s, "A")->first_start, 0);
    stage_destroy(s);
}

/*  A |####..rrr######|        off at 4, on at 6, paid at 9, 15 */
static void a_restore_is_paid_after_each_preemption(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "restore=3s");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_script(s, "0 A@0:1; 4 A-; 6 A@0:1");
    stage_run(s);
    stage_held(s, "A", "0-4/1 preempted, 6-15/1 done");
    totals(s, "A", 13, 13, 3, 0);
    assert_int_equal(s->counts.preemptions, 1);
    assert_int_equal(stage_of(s, "A")->starts, 2);
    stage_destroy(s);
}

/*  A |####vv......######|     A saves until 6 and keeps its GPU so long
 *  B      .#####              given the GPU at 4, has it from 6 on */
static void a_successor_starts_when_the_state_is_saved(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "save=2s");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 3, 1, 5));
    stage_script(s, "0 A@0:1; 4 A-; 4 B@0:1; 12 A@0:1");
    stage_run(s);
    stage_held(s, "A", "0-6/1 preempted, 12-18/1 done");
    stage_held(s, "B", "6-11/1 done");
    totals(s, "A", 12, 12, 2, 0);
    totals(s, "B", 5, 5, 0, 0);
    assert_int_equal(stage_of(s, "B")->first_start, 6 * ORR_SECOND);
    stage_destroy(s);
}

/* Save by size, and the start of the successor behind it:  A |####vvv|   B |....sss##| */
static void costs_of_both_sides_add_up(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=2", "save=1:1s/2:3s,start=2s,restore=9s");
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_add(s, stage_job("B", 0, 1, 4));
    stage_script(s, "0 A@0:3; 6 A-; 6 B@0:2; 30 A@0:3");
    stage_run(s);
    stage_held(s, "A", "0-9/2 preempted, 30-45/2 done"); /* 2 start + 4 work + 3 save; 9 restore + 6 work */
    stage_held(s, "B", "9-15/1 done");                   /* 2 start + 4 work */
    totals(s, "A", 24, 48, 2 * (2 + 3 + 9), 0);
    stage_destroy(s);
}

static void fails_at(const char *costs, const char *script, double at, const char *job, orr_err code)
{
    stage *s = on("nodes=1,gpus=2", costs);
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_add(s, stage_job("B", 0, 1, 10));
    stage_script(s, script);
    assert_int_equal(stage_try(s), code);
    assert_true(s->error.has_time);
    assert_true(s->error.at_ns == orr_time_from_seconds(at));
    assert_string_equal(s->error.job, job);
    stage_destroy(s);
}

/* While A saves (4 to 6), what it holds is nobody's, and it can't be told anything. */
static void saving_is_undisturbed(void **state)
{
    (void)state;
    fails_at("save=2s", "0 A@0:3; 4 A-; 5 B@0:1", 5, "B", ORR_E_PLAN_CAPACITY);
    fails_at("save=2s", "0 A@0:3; 4 A-; 5 B+", 6, "", ORR_E_STALLED); /* no room is no offence; but nobody asks again */
    fails_at("save=2s", "0 A@0:3; 4 A-; 5 A@0:3", 5, "A", ORR_E_PLAN_STATE);
    fails_at("save=2s", "0 A@0:3; 4 A-; 5 A-", 5, "A", ORR_E_PLAN_STATE);
    fails_at("save=2s", "0 A@0:3; 4 A-; 5 A!", 5, "A", ORR_E_PLAN_STATE);
    fails_at("save=2s", "0 A@0:3; 4 A-; 4 B@0:1; 5 B-; 5 B@0:2", 5, "B", ORR_E_PLAN_CAPACITY);
}

/*  A |####vv|           both GPUs until 6
 *  B |....  #####|      takes GPU 0, gets it at 6
 *  C |......####|       GPU 1 is free at 6, and no earlier */
static void what_nobody_took_is_kept_until_saved(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=2", "save=2s");
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_add(s, stage_job("B", 0, 1, 5));
    stage_add(s, stage_job("C", 0, 1, 4));
    stage_script(s, "0 A@0:3; 4 A-; 4 B@0:1; 6 C@0:2; 20 A@0:3");
    stage_run(s);
    stage_held(s, "A", "0-6/2 preempted, 20-26/2 done");
    stage_held(s, "B", "6-11/1 done");
    stage_held(s, "C", "6-10/1 done");
    stage_destroy(s);
}

/*  A |####vvvvvvvvvv|              saves until 14
 *  B |....  (6: off)      ####|    never had the GPU before 20
 *  C |......        ###|           takes over from B what is A's until 14 */
static void a_successor_that_never_got_its_gpus_has_not_started(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "save=10s");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 4));
    stage_add(s, stage_job("C", 0, 1, 3));
    stage_add(s, stage_job("D", 0, 1, 3));
    stage_script(s, "0 A@0:1; 4 A-; 4 B@0:1; 6 B-; 6 C@0:1; 18 A@0:1; 28 B@0:1; 29 B-; 29 D@0:1; 30 D!; 50 B@0:1");
    stage_run(s);
    stage_held(s, "A", "0-14/1 preempted, 18-24/1 done");
    stage_held(s, "B", "28-39/1 preempted, 50-53/1 done");
    stage_held(s, "C", "14-17/1 done");
    stage_held(s, "D", "");
    assert_int_equal(stage_of(s, "B")->first_start, 28 * ORR_SECOND);
    assert_true(stage_of(s, "D")->first_start == ORR_TIME_NONE);
    assert_int_equal(stage_of(s, "D")->end, 30 * ORR_SECOND);
    assert_int_equal(stage_of(s, "D")->held, 0);
    stage_destroy(s);
}

/*  A |####.rrr.rrrrrrrrrr######|   drop: the 7 s that were not paid at 8 are forgotten
 *  A |####.rrr.rrrrrrrRRRRRRRRRR######|   keep: 7 + 10 */
static void unpaid_delays_are_dropped_or_kept(void **state)
{
    (void)state;
    static const struct {
        const char *costs, *held;
        double overhead;
    } rows[] = {{"restore=10s", "0-4/1 preempted, 5-8/1 preempted, 9-25/1 done", 13},
                {"restore=10s,unpaid=keep", "0-4/1 preempted, 5-8/1 preempted, 9-32/1 done", 20}};
    for (size_t i = 0; i < 2; i++) {
        stage *s = on("nodes=1,gpus=1", rows[i].costs);
        stage_add(s, stage_job("A", 0, 1, 10));
        stage_script(s, "0 A@0:1; 4 A-; 5 A@0:1; 8 A-; 9 A@0:1");
        stage_run(s);
        stage_held(s, "A", rows[i].held);
        assert_true(stage_of(s, "A")->overhead == rows[i].overhead);
        stage_destroy(s);
    }
}

/*  A |ss.r##########|   off while it starts: the start is forgotten, a restore is paid */
static void preempted_while_it_starts(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "start=5s,restore=1s");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_script(s, "0 A@0:1; 2 A-; 3 A@0:1");
    stage_run(s);
    stage_held(s, "A", "0-2/1 preempted, 3-14/1 done");
    totals(s, "A", 13, 13, 3, 0);
    stage_destroy(s);
}

/* checkpoint=5s:  A |##########xx..#######xx..###|   12 s of work at 12, of which 10 are saved; then 7, of which 5;
 *                    left at 26: 20 - 15 = 5 */
static void work_since_the_last_checkpoint_is_lost(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=2", "checkpoint=5s");
    stage_add(s, stage_job("A", 0, 2, 20));
    stage_script(s, "0 A@0:3; 12 A-; 14 A@0:3; 21 A-; 26 A@0:3");
    stage_run(s);
    stage_held(s, "A", "0-12/2 preempted, 14-21/2 preempted, 26-31/2 done");
    totals(s, "A", 24, 48, 0, 8); /* 4 s on 2 GPUs done twice */
    stage_destroy(s);
}

static void at_a_checkpoint_nothing_is_lost(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "checkpoint=5s,start=2s");
    stage_add(s, stage_job("A", 0, 1, 20));
    stage_script(s, "0 A@0:1; 12 A-; 20 A@0:1; 21 A-; 30 A@0:1"); /* 2 s start, 10 s work; then 1 s, lost */
    stage_run(s);
    stage_held(s, "A", "0-12/1 preempted, 20-21/1 preempted, 30-40/1 done");
    totals(s, "A", 23, 23, 2, 1);
    stage_destroy(s);
}

/*  node 0  A |####|
 *  node 1        |vvrrr######|   save and restore are paid at the new place; the old one is free at once: B */
static void moving_pays_save_and_restore(void **state)
{
    (void)state;
    stage *s = on("nodes=2,gpus=1", "save=2s,restore=3s");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 1));
    stage_script(s, "0 A@0:1; 4 A@1:1; 4 B@0:1");
    stage_run(s);
    stage_held(s, "A", "0-4/1 migrated, 4-15/1 done");
    stage_held(s, "B", "4-5/1 done");
    totals(s, "A", 15, 15, 5, 0);
    assert_int_equal(stage_of(s, "A")->migrations, 1);
    assert_int_equal(stage_of(s, "A")->preemptions, 0);
    assert_int_equal(s->counts.migrations, 1);
    stage_destroy(s);
}

/* Two jobs swap their nodes in one plan: a cycle that no order of moves could do. */
static void two_jobs_swap_places(void **state)
{
    (void)state;
    stage *s = on("nodes=2,gpus=1", NULL);
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 10));
    stage_script(s, "0 A@0:1; 0 B@1:1; 4 A-; 4 B@0:1; 4 A@1:1");
    stage_run(s);
    stage_held(s, "A", "0-4/1 migrated, 4-10/1 done"); /* taken away and given back in one plan: it moved */
    stage_held(s, "B", "0-4/1 migrated, 4-10/1 done");
    assert_int_equal(s->counts.preemptions, 0);
    stage_destroy(s);
}

static void assigning_the_same_is_nothing(void **state)
{
    (void)state;
    stage *s = on("nodes=2,gpus=4", "start=1s,save=5s,restore=5s,resize=5s");
    stage_add(s, stage_job("A", 0, 3, 10));
    stage_script(s, "0 A@0:3@1:4; 4 A@1:4@0:3; 5 A-; 5 A@0:3@1:4; 6 A@0:12@1:1; 6 A@0:3@1:4");
    stage_run(s);
    stage_held(s, "A", "0-11/3 done");
    totals(s, "A", 11, 33, 3, 0);
    assert_int_equal(s->counts.commits, 1);
    assert_int_equal(s->counts.preemptions + s->counts.migrations + s->counts.resizes, 0);
    stage_destroy(s);
}

/* save=5s, --until 6: A has saved for 2 s when the run stops, and those are counted on both sides. */
static void a_run_may_stop_while_a_job_saves(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=2", "save=5s");
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_add(s, stage_job("B", 0, 2, 10));
    stage_script(s, "0 A@0:3; 4 A-; 4 B@0:3");
    s->options.until = 6 * ORR_SECOND;
    assert_int_equal(stage_try(s), ORR_OK);
    stage_held(s, "A", "0-6/2 open");
    totals(s, "A", 6, 12, 4, 0);
    assert_int_equal(s->holds[0].overhead, 2 * ORR_SECOND);
    assert_int_equal(stage_of(s, "A")->state, ORR_JOB_CHECKPOINTING);
    stage_held(s, "B", "");
    totals(s, "B", 0, 0, 0, 0);
    assert_true(stage_of(s, "B")->first_start == ORR_TIME_NONE);
    assert_int_equal(s->counts.running_at_end, 2);
    stage_destroy(s);
}

/* A delay that ends in the very instant in which the (zero-length) job does. */
static void paid_and_done_in_one_instant(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "start=3s");
    stage_add(s, stage_job("A", 0, 1, 0));
    stage_script(s, "1 A@0:1");
    stage_run(s);
    stage_held(s, "A", "1-4/1 done");
    stage_destroy(s);
}

/* Delays near the end of the clock's range are held there and don't wrap. */
static void endless_delays_saturate(void **state)
{
    (void)state;
    stage *s = on("nodes=1,gpus=1", "start=106000d,restore=106000d,unpaid=keep");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_script(s, "100000000 A@0:1; 200000000 A-; 300000000 A@0:1");
    stage_try(s);
    assert_int_equal(stage_of(s, "A")->starts, 2);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_paid_once),
        cmocka_unit_test(a_restore_is_paid_after_each_preemption),
        cmocka_unit_test(a_successor_starts_when_the_state_is_saved),
        cmocka_unit_test(costs_of_both_sides_add_up),
        cmocka_unit_test(saving_is_undisturbed),
        cmocka_unit_test(what_nobody_took_is_kept_until_saved),
        cmocka_unit_test(a_successor_that_never_got_its_gpus_has_not_started),
        cmocka_unit_test(unpaid_delays_are_dropped_or_kept),
        cmocka_unit_test(preempted_while_it_starts),
        cmocka_unit_test(work_since_the_last_checkpoint_is_lost),
        cmocka_unit_test(at_a_checkpoint_nothing_is_lost),
        cmocka_unit_test(moving_pays_save_and_restore),
        cmocka_unit_test(two_jobs_swap_places),
        cmocka_unit_test(assigning_the_same_is_nothing),
        cmocka_unit_test(a_run_may_stop_while_a_job_saves),
        cmocka_unit_test(paid_and_done_in_one_instant),
        cmocka_unit_test(endless_delays_saturate),
    };
    return cmocka_run_group_tests_name("paying", tests, NULL, NULL);
}
