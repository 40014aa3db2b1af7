/* orr_plan_resize: what a job keeps when it gets more or fewer GPUs. */
#define ORR_BUILTIN /* the modules are registered by hand */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Job A asks 2 GPUs and runs on 1 to 8; others hold what the script of the test says. */
typedef struct wish {
    const char *job;
    int32_t gpus;
    orr_err answer;
} wish;

static const wish *wishes; /* the test's, one a decision */

static orr_err grant(orr_ctx *ctx, orr_plan *plan)
{
    int32_t *at = orr_state(ctx);
    orr_job *const *jobs;
    const wish *w = &wishes[*at];
    if (!w->job)
        return ORR_OK;
    ++*at;
    for (int32_t g = 0; g < orr_groups_seen(ctx); g++) {
        const size_t n = orr_group_jobs(ctx, g, &jobs);
        for (size_t i = 0; i < n; i++)
            if (strcmp(orr_job_id(jobs[i]), w->job) == 0)
                assert_int_equal(orr_plan_resize(plan, jobs[i], w->gpus, (orr_scope){.vc = -1}), w->answer);
    }
    return ORR_OK;
}

static orr_err each_second(orr_ctx *ctx)
{
    orr_trigger_events(ctx, 0);
    orr_trigger_period(ctx, ORR_SECOND, 0);
    return ORR_OK;
}

static const orr_policy policy = {.summary = "grants wishes", .state_size = sizeof(int32_t), .init = each_second,
                                  .schedule = grant, .placer = "first-fit"};

static stage *granted(const char *cluster, const wish *list, int others)
{
    stage *s = stage_create(cluster);
    orr_trace_job a = stage_job("A", 0, 2, 100);
    a.min_gpus = 1;
    a.max_gpus = 8;
    stage_add(s, a);
    for (int i = 0; i < others; i++) {
        char id[2] = {(char)('B' + i), '\0'};
        stage_add(s, stage_job(id, 0, 1, 1000));
    }
    wishes = list;
    stage_policy(s, &policy);
    s->options.until = 12 * ORR_SECOND;
    assert_int_equal(stage_try(s), ORR_OK);
    return s;
}

/* The slices of A's holds, in order: "0:3 | 0:7 | …". */
static void held(const stage *s, const char *expected)
{
    char text[512] = "";
    for (size_t i = 0; i < s->hold_count; i++) {
        const stage_hold *h = &s->holds[i];
        if (h->job != 0)
            continue;
        for (int32_t k = 0; k < h->slice_count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%llu", k ? " " : text[0] ? " | " : "",
                     h->slices[k].node, (unsigned long long)h->slices[k].gpus);
    }
    assert_string_equal(text, expected);
}

/* Two nodes of four: it fills its own first, then goes to the other; what goes first is what is alone there. */
static void grows_at_home_and_shrinks_from_afar(void **state)
{
    (void)state;
    const wish list[] = {{"A", 3, ORR_OK}, {"A", 4, ORR_OK}, {"A", 6, ORR_OK}, {"A", 5, ORR_OK}, {"A", 2, ORR_OK}, {0}};
    stage *s = granted("nodes=2,gpus=4", list, 0);
    held(s, "0:7 | 0:15 | 0:15 1:3 | 0:15 1:1 | 0:3");
    stage_destroy(s);
}

/* B holds a GPU between: A takes what is free beside it, whatever its number. */
static void takes_what_is_free(void **state)
{
    (void)state;
    const wish list[] = {{"A", 1, ORR_OK}, {"B", 1, ORR_OK}, {"A", 3, ORR_OK}, {"A", 4, ORR_OK}, {0}};
    stage *s = granted("nodes=2,gpus=4", list, 1);
    held(s, "0:1 | 0:13 | 0:13 1:1");
    stage_destroy(s);
}

static void no_room_changes_nothing(void **state)
{
    (void)state;
    const wish list[] = {{"B", 1, ORR_OK}, {"A", 2, ORR_OK}, {"A", 8, ORR_E_NOFIT}, {"A", 7, ORR_OK}, {0}};
    stage *s = granted("nodes=2,gpus=4", list, 1);
    held(s, "0:6 | 0:14 1:15");
    assert_int_equal(s->counts.violations, 0);
    stage_destroy(s);
}

/* The same number is no change, and one outside of its range is a breach. */
static void only_within_its_range(void **state)
{
    (void)state;
    const wish same[] = {{"A", 4, ORR_OK}, {"A", 4, ORR_OK}, {0}}, wide[] = {{"A", 9, ORR_E_PLAN_GANG}, {0}};
    stage *s = granted("nodes=4,gpus=4", same, 0);
    held(s, "0:15");
    stage_destroy(s);
    s = stage_create("nodes=4,gpus=4");
    orr_trace_job a = stage_job("A", 0, 2, 100);
    a.max_gpus = 8;
    stage_add(s, a);
    wishes = wide;
    stage_policy(s, &policy);
    assert_int_equal(stage_try(s), ORR_E_PLAN_GANG);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_at_home_and_shrinks_from_afar),
        cmocka_unit_test(takes_what_is_free),
        cmocka_unit_test(no_room_changes_nothing),
        cmocka_unit_test(only_within_its_range),
    };
    return cmocka_run_group_tests_name("resize", tests, NULL, NULL);
}
