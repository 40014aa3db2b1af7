/* Jobs that ran at the origin: they hold GPUs before the policy decides anything, and keep the past they had. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* It ran so long before the origin, and `left` is to be done. */
static orr_trace_job running(const char *id, int32_t gpus, double ran, double left)
{
    orr_trace_job job = stage_job(id, 0, gpus, left);
    job.ran = orr_time_from_seconds(ran);
    job.start = -job.ran;
    job.carried = true;
    return job;
}

/* Start costs 3 s, which the carried job has paid long ago.
 *
 *  Z |##########|            ran 100 before, 10 are left; its id comes last
 *  A |..........sss#####|    was there at 0, first of the queue */
static void it_is_there_before_the_first_decision(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 5));
    stage_add(s, running("Z", 1, 100, 10));
    s->options.costs = "start=3s";
    stage_run(s);
    stage_held(s, "Z", "0-10/1 done");
    stage_held(s, "A", "10-18/1 done");
    const stage_record *z = stage_of(s, "Z");
    assert_true(z->overhead == 0 && z->service == 10 && z->held == 10 * ORR_SECOND);
    assert_int_equal(z->submit, 0);
    assert_int_equal(z->first_start, 0);
    assert_int_equal(s->counts.resumed, 1);
    assert_int_equal(s->counts.displaced, 0);
    stage_destroy(s);
}

/* One node of 4 GPUs: C began first and B next; A, which began last, finds only one GPU and is queued as anyone else:
 * it pays its start, and is there no earlier than 6. */
static void who_began_first_is_placed_first(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=4");
    stage_add(s, running("A", 2, 5, 10));
    stage_add(s, running("B", 1, 7, 8));
    stage_add(s, running("C", 2, 9, 6));
    s->options.costs = "start=1s";
    stage_run(s);
    stage_ends(s, "A:17 B:8 C:6");
    stage_held(s, "A", "6-17/2 done");
    assert_int_equal(s->counts.resumed, 2);
    assert_int_equal(s->counts.displaced, 1);
    stage_destroy(s);
}

/* Without a recorded start it began `ran` before the origin; what began together goes by place in the trace. */
static void ties_and_unknown_beginnings(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    orr_trace_job a = running("A", 1, 5, 10), b = running("B", 1, 6, 10), c = running("C", 1, 6, 10);
    b.start = c.start = a.start = ORR_TIME_NONE;
    stage_add(s, a);
    stage_add(s, b);
    stage_add(s, c);
    stage_run(s);
    stage_ends(s, "B:10 A:20 C:30");
    assert_int_equal(s->counts.displaced, 2);
    stage_destroy(s);
}

/* Nothing is left of Z: it ends at 0 and A starts then. */
static void nothing_is_left_of_it(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 5));
    stage_add(s, running("Z", 1, 100, 0));
    stage_run(s);
    stage_held(s, "Z", "0-0/1 done");
    stage_held(s, "A", "0-5/1 done");
    stage_destroy(s);
}

/* ---- where ------------------------------------------------------------------------------------------------------- */

static stage *of_two_vcs(const char *policy)
{
    static const char *const vcs[] = {"red", "blue"};
    orr_cluster_spec *spec = orr_cluster_spec_create("vcs");
    for (int i = 0; i < 2; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = 2;
        n.vc = vcs[i];
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    stage *s = stage_on(spec);
    orr_trace_job a = running("A", 2, 9, 10), b = running("B", 2, 8, 10);
    a.vc = b.vc = "blue";
    stage_add(s, a);
    stage_add(s, b);
    s->options.policy = policy;
    stage_run(s);
    return s;
}

/* Both are of VC blue, which is node 1. Only a policy that may place them elsewhere finds B a place on node 0. */
static void in_its_own_virtual_cluster(void **state)
{
    (void)state;
    stage *isolated = of_two_vcs("fifo"), *shared = of_two_vcs("fifo,vc=shared");
    stage_ends(isolated, "A:10 B:20");
    assert_int_equal(isolated->holds[0].slices[0].node, 1);
    assert_int_equal(isolated->counts.displaced, 1);
    stage_ends(shared, "A:10 B:10");
    assert_int_equal(shared->counts.displaced, 0);
    stage_destroy(isolated);
    stage_destroy(shared);
}

/* Too wide for the cluster, or of a type that it lacks: turned away at the door as ever, and no part of either count.
 * */
static void who_cannot_run_here_is_rejected(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=4,type=V100");
    orr_trace_job b = running("B", 1, 9, 10);
    b.gpu_type = "H100";
    stage_add(s, running("A", 5, 9, 10));
    stage_add(s, b);
    stage_run(s);
    assert_string_equal(stage_of(s, "A")->reason, "too-wide");
    assert_string_equal(stage_of(s, "B")->reason, "no-such-gpu-type");
    assert_int_equal(s->counts.resumed + s->counts.displaced, 0);
    stage_destroy(s);
}

/* It waits for nobody, although its record names a predecessor. */
static void what_ran_waits_for_nobody(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=2");
    orr_predecessor link = {.id = "A"};
    orr_trace_job b = running("B", 1, 9, 10);
    b.after = &link;
    b.after_count = 1;
    stage_add(s, stage_job("A", 5, 1, 100));
    stage_add(s, b);
    stage_run(s);
    stage_held(s, "B", "0-10/1 done");
    stage_destroy(s);
}

/* ---- what policies make of it ------------------------------------------------------------------------------------ */

static char told[256];

static void hears(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    static const char letters[] = "s+-rmaet!";
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%s%c ", orr_job_id(job), letters[event->kind]);
    orr_drive_on_job(ctx, job, event);
}

static orr_err decides(orr_ctx *ctx, orr_plan *plan)
{
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "| ");
    return orr_drive_schedule(ctx, plan);
}

static double asked[5];

static orr_rank looks(orr_ctx *ctx, const orr_job *job)
{
    if (strcmp(orr_job_id(job), "Z") == 0 && orr_now(ctx) == 0 && !orr_job_holds(job)) {
        asked[0] = orr_est_duration(ctx, job);
        asked[1] = orr_est_remaining(ctx, job);
        asked[2] = orr_job_service(ctx, job);
        asked[3] = orr_time_seconds(orr_job_held(ctx, job));
        asked[4] = orr_time_seconds(orr_job_waiting(ctx, job));
    }
    return (orr_rank){0};
}

static orr_err makes_list(orr_ctx *ctx)
{
    return orr_list_create(ctx, &(orr_list_rules){.rank = looks}) ? ORR_OK : ORR_E_POLICY;
}

static const orr_policy listener = {
    .summary = "s", .init = makes_list, .on_job = hears, .schedule = decides,
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_SERVICE] = ORR_KNOW_OBSERVED}};

/* All come, then what ran starts, then it decides. It is told of 2 GPUs x 100 s, of 110 s in all and 10 left. */
static void events_and_answers(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=4");
    stage_add(s, stage_job("A", 0, 1, 5));
    stage_add(s, running("Z", 2, 100, 10));
    stage_policy(s, &listener);
    told[0] = 0;
    stage_run(s);
    assert_string_equal(told, "As Zs Z+ | A+ Ae | Ze | ");
    static const double wanted[5] = {110, 10, 200, 100, 0};
    for (int i = 0; i < 5; i++)
        assert_true(asked[i] == wanted[i]);
    stage_destroy(s);
}

/* las on one GPU: Z has 20 GPU-seconds, A none, so A runs first although Z was there; Z is on again when A has as
 * much. */
static void attained_service_counts(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 15));
    stage_add(s, running("Z", 1, 20, 10));
    s->options.policy = "las";
    stage_run(s);
    stage_held(s, "A", "0-15/1 done");
    stage_held(s, "Z", "0-0/1 preempted, 15-25/1 done");
    stage_destroy(s);
}

/* A queue below 50 GPU-seconds and one above: Z has 60 and is in the lower one from the beginning, Y has 45 and goes
 * down 5 s later; A then runs before both. */
static void thresholds_see_it(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=2");
    stage_add(s, running("Y", 1, 45, 20));
    stage_add(s, running("Z", 1, 60, 20));
    stage_add(s, stage_job("A", 1, 2, 10));
    s->options.policy = "tiresias,thresholds=50";
    stage_run(s);
    stage_held(s, "Z", "0-5/1 preempted, 15-30/1 done");
    stage_held(s, "Y", "0-5/1 preempted, 15-30/1 done");
    stage_held(s, "A", "5-15/2 done");
    stage_destroy(s);
}

/* easy by limits: Z may take 100 s and ran 70 of them, so its GPU is promised at 30; B (35 s) would be late for that,
 * C is not. */
static void limits_count_from_its_true_beginning(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=2");
    orr_trace_job z = running("Z", 1, 70, 25), a = stage_job("A", 1, 2, 10);
    orr_trace_job b = stage_job("B", 2, 1, 35), c = stage_job("C", 3, 1, 20);
    z.limit = 100 * ORR_SECOND;
    a.limit = b.limit = 35 * ORR_SECOND;
    c.limit = 20 * ORR_SECOND;
    stage_add(s, z);
    stage_add(s, a);
    stage_add(s, b);
    stage_add(s, c);
    s->options.policy = "easy~limit";
    stage_run(s);
    stage_held(s, "C", "3-23/1 done");
    stage_held(s, "A", "25-35/2 done");
    stage_held(s, "B", "35-70/1 done");
    stage_destroy(s);
}

/* Decisions come at whole rounds; the start state doesn't wait for one. */
static void clocks_do_not_delay_it(void **state)
{
    (void)state;
    static const char *const clocks[] = {"round=7s", "tick=5s"};
    for (int i = 0; i < 2; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_add(s, running("Z", 1, 100, 10));
        s->options.clock = clocks[i];
        stage_run(s);
        stage_held(s, "Z", "0-10/1 done");
        stage_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_there_before_the_first_decision), cmocka_unit_test(who_began_first_is_placed_first),
        cmocka_unit_test(ties_and_unknown_beginnings),           cmocka_unit_test(nothing_is_left_of_it),
        cmocka_unit_test(in_its_own_virtual_cluster),            cmocka_unit_test(who_cannot_run_here_is_rejected),
        cmocka_unit_test(what_ran_waits_for_nobody),             cmocka_unit_test(events_and_answers),
        cmocka_unit_test(attained_service_counts),               cmocka_unit_test(thresholds_see_it),
        cmocka_unit_test(limits_count_from_its_true_beginning),  cmocka_unit_test(clocks_do_not_delay_it),
    };
    return cmocka_run_group_tests_name("start_state", tests, NULL, NULL);
}
