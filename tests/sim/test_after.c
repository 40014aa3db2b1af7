/* Jobs that are submitted when others have ended: at which instant, in which order, and what if those never end. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "A", or several as "A B". */
static void add_after(stage *s, orr_trace_job job, const char *after, double think)
{
    char ids[4][8] = {{0}};
    orr_predecessor links[4];
    int n = sscanf(after, "%7s %7s %7s %7s", ids[0], ids[1], ids[2], ids[3]);
    for (int i = 0; i < n; i++)
        links[i] = (orr_predecessor){.id = ids[i]};
    job.after = links;
    job.after_count = (uint32_t)n;
    job.think = orr_time_from_seconds(think);
    stage_add(s, job);
}

/* "A:0 B:15": submitted then. */
static void came(const stage *s, const char *expected)
{
    char id[32], time[32];
    int used = 0;
    for (const char *at = expected; sscanf(at, " %31[^:]:%31s%n", id, time, &used) == 2; at += used) {
        char got[ORR_TIME_BUF];
        orr_time_format(stage_of(s, id)->submit, got);
        if (strcmp(got, time) != 0)
            fail_msg("%s came at %s, not at %s", id, got, time);
    }
}

/*  A |##########|            C waits for both, and thinks 5 s
 *  B |###|
 *  C .............. think |##|     15-17; the record had it at 2
 *  D .................... |####|   after C; nothing is there between 10 and 15 */
static void the_last_of_the_ends_counts(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=4");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 3));
    add_after(s, stage_job("C", 2, 1, 2), "A B", 5);
    add_after(s, stage_job("D", 100, 1, 4), "C", 0);
    stage_run(s);
    came(s, "A:0 B:0 C:15 D:17");
    stage_ends(s, "A:10 B:3 C:17 D:21");
    assert_int_equal(stage_of(s, "C")->first_start, 15 * ORR_SECOND);
    assert_int_equal(s->counts.pending, 0);
    assert_int_equal(s->counts.events, 8);
    stage_destroy(s);
}

/* Whatever the end: done, failed, killed as recorded; rejected at the door; rejected or killed by the policy. */
static void any_end_lets_them_go(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=8");
    orr_trace_job failed = stage_job("F", 0, 1, 5), killed = stage_job("K", 0, 1, 6);
    failed.ending = ORR_ENDING_FAILED;
    killed.ending = ORR_ENDING_KILLED;
    stage_add(s, failed);
    stage_add(s, killed);
    stage_add(s, stage_job("W", 1, 9, 5));
    stage_add(s, stage_job("R", 2, 1, 5));
    stage_add(s, stage_job("X", 2, 1, 50));
    add_after(s, stage_job("f", 0, 1, 1), "F", 0);
    add_after(s, stage_job("k", 0, 1, 1), "K", 0);
    add_after(s, stage_job("w", 0, 1, 1), "W", 0.5);
    add_after(s, stage_job("r", 0, 1, 1), "R", 1);
    add_after(s, stage_job("x", 0, 1, 1), "X X", 0);
    stage_script(s, "0 F@0:1; 0 K@0:2; 2 X@0:4; 3 R?; 4 X!; 20 f+; 20 k+; 20 w+; 20 r+; 20 x+");
    stage_run(s);
    came(s, "f:5 k:6 w:1.5 r:4 x:4");
    assert_int_equal(s->counts.rejected, 2);
    stage_destroy(s);
}

/* Rejections follow each other without recursion, in one instant. */
static void a_long_chain_of_rejections(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    char id[8], before[8];
    stage_add(s, stage_job("0", 7, 2, 1));
    for (int i = 1; i < 3000; i++) {
        snprintf(id, sizeof id, "%d", i);
        snprintf(before, sizeof before, "%d", i - 1);
        add_after(s, stage_job(id, 0, 2, 1), before, 0);
    }
    s->no_holds = true;
    assert_int_equal(stage_open(s), ORR_OK);
    assert_int_equal(orr_sim_run(s->sim, NULL), ORR_OK);
    orr_sim_counts c = orr_sim_count(s->sim);
    assert_int_equal(c.rejected, 3000);
    assert_int_equal(c.instants, 1);
    assert_int_equal(c.events, 3000);
    stage_destroy(s);
}

/* ---- order inside an instant ------------------------------------------------------------------------------------- */

typedef struct heard {
    char ids[64];
} heard;

static char last_heard[64];

static void listens(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    heard *h = orr_state(ctx);
    orr_drive_on_job(ctx, job, event);
    if (event->kind != ORR_EV_SUBMITTED)
        return;
    strcat(h->ids, orr_job_id(job));
    memcpy(last_heard, h->ids, sizeof last_heard);
}

static orr_rank by_index(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return (orr_rank){.minor = orr_job_index(job)};
}

static orr_err makes_list(orr_ctx *ctx)
{
    return orr_list_create(ctx, &(orr_list_rules){.rank = by_index}) ? ORR_OK : ORR_E_POLICY;
}

/* At 10, E and F end, in this order or the other; c follows F, a follows E; b comes then by itself. By place in the
 * trace: a, b, c. And d, which is due at 10 from 4 s on. */
static void by_place_in_the_trace(void **state)
{
    (void)state;
    static const orr_policy p = {.summary = "s", .state_size = sizeof(heard), .init = makes_list, .on_job = listens,
                                 .schedule = orr_drive_schedule};
    for (int turn = 0; turn < 2; turn++) {
        stage *s = stage_create("nodes=1,gpus=8");
        stage_add(s, stage_job(turn ? "F" : "E", 0, 1, 10));
        stage_add(s, stage_job(turn ? "E" : "F", 0, 1, 10));
        stage_add(s, stage_job("G", 1, 1, 3));
        add_after(s, stage_job("d", 1, 1, 1), "G", 6);
        add_after(s, stage_job("a", 9, 1, 1), "E", 0);
        stage_add(s, stage_job("b", 10, 1, 1));
        add_after(s, stage_job("c", 11, 1, 1), "F", 0);
        stage_policy(s, &p);
        stage_run(s);
        assert_string_equal(last_heard, "EFGdabc");
        stage_destroy(s);
    }
}

/* ---- clocks and limits ------------------------------------------------------------------------------------------- */

/* tick=5s: A ends at 10.3, which is seen at 15; and 1 s of thinking lasts until 20. */
static void on_a_grid(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10.3));
    add_after(s, stage_job("B", 0, 1, 1), "A", 1);
    s->options.clock = "tick=5s";
    stage_run(s);
    came(s, "B:20");
    stage_ends(s, "A:15 B:25");
    stage_destroy(s);
}

/* Rounds of 20 s: A runs from 0 to 10, B comes then, and is looked at at 20. */
static void in_rounds(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    add_after(s, stage_job("B", 0, 1, 1), "A", 0);
    s->options.clock = "round=20s";
    stage_run(s);
    came(s, "B:10");
    stage_ends(s, "A:10 B:21");
    stage_destroy(s);
}

/* Stopped at 5: A runs, and B never came, nor C after it. Stopped at 12: B is due at 14. */
static void the_horizon_leaves_them_pending(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_add(s, stage_job("A", 0, 1, 10));
        add_after(s, stage_job("B", 1, 1, 1), "A", 4);
        add_after(s, stage_job("C", 2, 1, 1), "B", 0);
        s->options.until = (late ? 12 : 5) * ORR_SECOND;
        assert_int_equal(stage_try(s), ORR_OK);
        assert_int_equal(s->stop, ORR_STOP_HORIZON);
        assert_int_equal(s->counts.pending, 2);
        assert_int_equal(s->counts.running_at_end, !late);
        assert_int_equal(s->record_count, 1);
        stage_destroy(s);
    }
}

/* A stalled run names those who wait in the queue, not those who never came. */
static void a_stall_is_still_one(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    add_after(s, stage_job("B", 0, 1, 1), "A", 0);
    stage_script(s, "");
    assert_int_equal(stage_try(s), ORR_E_STALLED);
    assert_non_null(strstr(s->error.message, "job A (1 GPUs)"));
    assert_null(strstr(s->error.message, "job B"));
    assert_int_equal(s->counts.pending, 1);
    stage_destroy(s);
}

/* ---- counted work ------------------------------------------------------------------------------------------------ */

/* One that 20,000 wait for, and a last one that waits for them all: two events a job, whatever the links. */
static void links_cost_nothing_but_themselves(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    stage *s = stage_create("nodes=1,gpus=64");
    orr_predecessor *links = calloc(MANY, sizeof *links), first = {.id = "first"};
    char (*ids)[8] = calloc(MANY, sizeof *ids);
    stage_add(s, stage_job("first", 0, 1, 10));
    for (int i = 0; i < MANY; i++) {
        snprintf(ids[i], sizeof ids[i], "%d", i);
        links[i].id = ids[i];
        orr_trace_job job = stage_job(ids[i], 0, 1, 1);
        job.after = &first;
        job.after_count = 1;
        job.think = (orr_time)(MANY - i) * ORR_SECOND; /* they come backwards */
        stage_add(s, job);
    }
    orr_trace_job last = stage_job("last", 0, 1, 1);
    last.after = links;
    last.after_count = MANY;
    stage_add(s, last);
    s->no_holds = true;
    assert_int_equal(stage_open(s), ORR_OK);
    assert_int_equal(orr_sim_run(s->sim, NULL), ORR_OK);
    assert_int_equal(orr_sim_count(s->sim).done, MANY + 2);
    assert_int_equal(orr_sim_count(s->sim).events, 2 * (MANY + 2));
    assert_int_equal(orr_sim_now(s->sim), (10 + MANY + 1 + 1) * ORR_SECOND);
    free(ids);
    free(links);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_of_the_ends_counts), cmocka_unit_test(any_end_lets_them_go),
        cmocka_unit_test(a_long_chain_of_rejections),  cmocka_unit_test(by_place_in_the_trace),
        cmocka_unit_test(on_a_grid),                   cmocka_unit_test(in_rounds),
        cmocka_unit_test(the_horizon_leaves_them_pending), cmocka_unit_test(a_stall_is_still_one),
        cmocka_unit_test(links_cost_nothing_but_themselves),
    };
    return cmocka_run_group_tests_name("after", tests, NULL, NULL);
}
