/* The random numbers of a module: its own stream, from the seed, in any range. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { DRAWS = 64 };

static uint64_t range, drawn[DRAWS];

static orr_err draw(orr_ctx *ctx)
{
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = orr_random_below(ctx, range);
    return ORR_OK;
}

static orr_err does_nothing(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_OK;
}

static void draw_with(uint64_t seed, uint64_t below)
{
    static const orr_policy policy = {.summary = "draws", .init = draw, .schedule = does_nothing};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("J", 0, 1, 1));
    stage_policy(s, &policy);
    s->options.seed = seed;
    range = below;
    assert_int_equal(stage_open(s), ORR_OK);
    stage_destroy(s);
}

/* Both halves of the range are drawn from, also where one draw of the generator can't reach so far. */
static void in_any_range(void **state)
{
    (void)state;
    static const uint64_t ranges[] = {2, 10, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_C(3) << 32, UINT64_MAX};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        int low = 0;
        draw_with(1, ranges[k]);
        for (int i = 0; i < DRAWS; i++) {
            assert_true(drawn[i] < ranges[k]);
            low += drawn[i] < ranges[k] / 2;
        }
        assert_true(low > DRAWS / 4 && low < 3 * DRAWS / 4);
    }
    draw_with(1, 1);
    assert_true(drawn[0] == 0 && drawn[DRAWS - 1] == 0);
}

static void from_the_seed(void **state)
{
    (void)state;
    uint64_t first[2];
    draw_with(1, UINT64_MAX);
    first[0] = drawn[0];
    draw_with(2, UINT64_MAX);
    first[1] = drawn[0];
    assert_true(first[0] != first[1]);
    draw_with(1, UINT64_MAX);
    assert_true(drawn[0] == first[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_any_range), cmocka_unit_test(from_the_seed)};
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
