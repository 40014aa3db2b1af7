/* Rounds by shares that a policy computes itself. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double first; /* the part of the first job in the view; the other has the rest */

static orr_err allocate(orr_ctx *ctx, const orr_share_view *view, double *x)
{
    (void)ctx;
    assert_int_equal(view->problem.types, 1);
    assert_true(view->problem.capacity[0] == 1 && view->problem.pairs == 0 && view->vc <= 0);
    for (int32_t j = 0; j < view->problem.jobs; j++) {
        assert_true(x[j] == 0);
        x[j] = j == 0 ? first : 1 - first;
    }
    return ORR_OK;
}

static orr_err begin(orr_ctx *ctx)
{
    orr_share_rounds_create(ctx, &(orr_share_rules){.round = 10 * ORR_SECOND, .reset = 1000 * ORR_SECOND, .allocate = allocate});
    return ORR_OK;
}

static const orr_policy policy = {
    .summary = "shares of its own",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .init = begin,
    .on_job = orr_drive_on_job,
    .schedule = orr_drive_schedule,
};

/* When A, which runs for 90 s, ends beside B, which goes on for ever. */
static double end_of_a(double part)
{
    stage *s = stage_create("nodes=1,gpus=1");
    first = part;
    stage_policy(s, &policy);
    stage_add(s, stage_job("A", 0, 1, 90));
    stage_add(s, stage_job("B", 0, 1, 900));
    stage_run(s);
    const double end = orr_time_seconds(stage_of(s, "A")->end);
    assert_true(orr_time_seconds(stage_of(s, "B")->end) == 990); /* no GPU is ever idle */
    stage_destroy(s);
    return end;
}

/* Three quarters of the time are 120 s for 90, half of it 180: a round more or less. Of a tenth, nine rounds: the ninth begins
 * after 80 to 90. */
static void time_goes_by_shares(void **state)
{
    (void)state;
    const double much = end_of_a(0.75), half = end_of_a(0.5), little = end_of_a(0.1);
    assert_true(much >= 110 && much <= 130);
    assert_true(half >= 170 && half <= 190);
    assert_true(little >= 810 && little <= 910);
}

/* Two types of two GPUs, which four jobs without end keep; a gang of three fits on neither. It came a second after a round began:
 * ten rounds later it has waited for less than ten, and one more later it runs, until it ends. `parts`: or one that asks half a GPU,
 * and another after it. */
static void who_is_not_dealt_with_waits_no_longer_than_ten_rounds(void **state)
{
    (void)state;
    for (int parts = 0; parts < 2; parts++) {
        orr_cluster_spec *spec = orr_cluster_spec_create("two");
        for (int i = 0; i < 2; i++) {
            orr_node_spec n = orr_node_spec_default();
            n.gpus = 2;
            n.gpu_type = i ? "A100" : "V100";
            assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
        }
        stage *s = stage_on(spec);
        s->options.policy = "gavel";
        for (int i = 0; i < 4; i++)
            stage_add(s, stage_job((const char *[]){"A", "B", "C", "D"}[i], 0, 1, 100000));
        orr_trace_job wide = stage_job("W", 1, parts ? 1 : 3, 50), next = stage_job("X", 2, parts ? 1 : 3, 50);
        wide.gpu_milli = next.gpu_milli = parts ? 500 : 1000;
        stage_add(s, wide);
        stage_add(s, next);
        stage_run(s);
        assert_true(orr_time_seconds(stage_of(s, "W")->end) == 11 * 360 + 50);
        assert_true(orr_time_seconds(stage_of(s, "X")->end) < 13 * 360);
        for (int i = 0; i < 4; i++)
            assert_true(orr_time_seconds(stage_of(s, (const char *[]){"A", "B", "C", "D"}[i])->end) < 100000 + 4 * 360);
        stage_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_goes_by_shares),
        cmocka_unit_test(who_is_not_dealt_with_waits_no_longer_than_ten_rounds),
    };
    return cmocka_run_group_tests_name("share_rounds", tests, NULL, NULL);
}
