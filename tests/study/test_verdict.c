/* Verdicts: one seed, few seeds, seeds enough for an interval; by direction and tolerance. */
#include "study/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%.17g instead of %.17g", got, want);
}

#define LOWER ORR_BETTER_LOWER
#define HIGHER ORR_BETTER_HIGHER
#define TARGET ORR_BETTER_TARGET

static const orr_tolerance exact = {.said = true};

static void one_seed(void **state)
{
    (void)state;
    static const struct {
        double want, got, abs, rel;
        orr_direction direction;
        orr_verdict verdict;
    } rows[] = {
        {100, 100, 0, 0, LOWER, ORR_VERDICT_SAME},
        {100, 101, 0, 0, LOWER, ORR_VERDICT_REGRESSED},
        {100, 99, 0, 0, LOWER, ORR_VERDICT_IMPROVED},
        {0.5, 0.6, 0, 0, HIGHER, ORR_VERDICT_IMPROVED},
        {0.5, 0.4, 0, 0, HIGHER, ORR_VERDICT_REGRESSED},
        {7, 8, 0, 0, TARGET, ORR_VERDICT_CHANGED},
        {7, 6, 0, 0, TARGET, ORR_VERDICT_CHANGED},
        {100, 101, 0, 0.01, LOWER, ORR_VERDICT_SAME},          /* on the edge */
        {100, 101.001, 0, 0.01, LOWER, ORR_VERDICT_REGRESSED}, /* past it */
        {100, 101.001, 2, 0.01, LOWER, ORR_VERDICT_SAME},      /* either suffices */
        {0, 1e-12, 0, 0.5, LOWER, ORR_VERDICT_REGRESSED},      /* a share of nothing is nothing */
        {-100, -101, 0, 0.02, LOWER, ORR_VERDICT_SAME},
        /* a change of one in a million is no noise where there is none */
        {1000, 1000.001, 0, ORR_TOLERANCE_USUAL, LOWER, ORR_VERDICT_REGRESSED},
        {1000, 1000.0000001, 0, ORR_TOLERANCE_USUAL, LOWER, ORR_VERDICT_SAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_tolerance t = {.said = true, .abs = rows[i].abs, .rel = rows[i].rel};
        const orr_judgement j = orr_judge(&rows[i].want, &rows[i].got, 1, rows[i].direction, &t);
        if (j.verdict != rows[i].verdict)
            fail_msg("row %zu: %s", i, orr_verdict_name(j.verdict));
        assert_true(isnan(j.low) && isnan(j.high));
    }
}

static void undefined(void **state)
{
    (void)state;
    const double none = NAN, some = 1, pair[2] = {1, NAN}, other[2] = {2, NAN};
    assert_int_equal(orr_judge(&none, &none, 1, LOWER, &exact).verdict, ORR_VERDICT_SAME);
    assert_int_equal(orr_judge(&none, &some, 1, LOWER, &exact).verdict, ORR_VERDICT_NOT_COMPARABLE);
    assert_int_equal(orr_judge(&some, &none, 1, LOWER, &exact).verdict, ORR_VERDICT_NOT_COMPARABLE);
    assert_int_equal(orr_judge(NULL, NULL, 0, LOWER, &exact).verdict, ORR_VERDICT_NOT_COMPARABLE);
    /* what is undefined on both sides says nothing, and the other pair speaks alone */
    const orr_judgement j = orr_judge(pair, other, 2, LOWER, &exact);
    assert_int_equal(j.verdict, ORR_VERDICT_REGRESSED);
    assert_near(j.want, 1, 0);
    assert_near(j.relative, 1, 0);
}

/* Fewer than five: any pair outside counts; a mean that stays though pairs move is a change in no direction. */
static void few_seeds(void **state)
{
    (void)state;
    static const double want[3] = {10, 20, 30};
    static const struct {
        double got[3];
        orr_verdict verdict;
        size_t above, below;
    } rows[] = {
        {{10, 20, 30}, ORR_VERDICT_SAME, 0, 0},
        {{10, 20, 31}, ORR_VERDICT_REGRESSED, 1, 0},
        {{9, 20, 30}, ORR_VERDICT_IMPROVED, 0, 1},
        {{11, 19, 30}, ORR_VERDICT_CHANGED, 1, 1},
        {{12, 19, 30}, ORR_VERDICT_REGRESSED, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_judgement j = orr_judge(want, rows[i].got, 3, LOWER, &exact);
        if (j.verdict != rows[i].verdict)
            fail_msg("row %zu: %s", i, orr_verdict_name(j.verdict));
        assert_int_equal(j.signs.above, rows[i].above);
        assert_int_equal(j.signs.below, rows[i].below);
        assert_true(isnan(j.low));
    }
}

/* Five differences 1 2 3 4 5: mean 3, sd sqrt(2.5), half width 2.7764451 * sqrt(2.5) / sqrt(5) = 1.9632432. */
static void the_interval_decides(void **state)
{
    (void)state;
    static const double want[5] = {100, 100, 100, 100, 100}, up[5] = {101, 102, 103, 104, 105};
    static const double mixed[5] = {98, 99, 100, 101, 102}, equal[5] = {101, 101, 101, 101, 101};
    const orr_judgement j = orr_judge(want, up, 5, LOWER, &exact);
    assert_int_equal(j.verdict, ORR_VERDICT_REGRESSED);
    assert_near(j.difference, 3, 1e-12);
    assert_near(j.low, 3 - 1.9632432, 1e-6);
    assert_near(j.high, 3 + 1.9632432, 1e-6);
    assert_int_equal(j.outside, 5);
    assert_int_equal(orr_judge(want, up, 5, HIGHER, &exact).verdict, ORR_VERDICT_IMPROVED);
    assert_int_equal(orr_judge(up, want, 5, LOWER, &exact).verdict, ORR_VERDICT_IMPROVED);
    /* 1.04 above at least: a band of 1 is left behind, one of 1.05 is not */
    const orr_tolerance narrow = {.said = true, .abs = 1}, wide = {.said = true, .abs = 1.05};
    assert_int_equal(orr_judge(want, up, 5, LOWER, &narrow).verdict, ORR_VERDICT_REGRESSED);
    assert_int_equal(orr_judge(want, up, 5, LOWER, &wide).verdict, ORR_VERDICT_SAME);
    /* seeds differ both ways, and the mean may well be where it was */
    assert_int_equal(orr_judge(want, mixed, 5, LOWER, &exact).verdict, ORR_VERDICT_SAME);
    assert_int_equal(orr_judge(want, mixed, 5, LOWER, &exact).outside, 4);
    /* equal differences leave no doubt */
    assert_int_equal(orr_judge(want, equal, 5, LOWER, &exact).verdict, ORR_VERDICT_REGRESSED);
    assert_near(orr_judge(want, equal, 5, LOWER, &exact).low, 1, 0);
}

/* A job lost with one seed isn't made good by one too many with another. */
static void targets_hold_in_every_seed(void **state)
{
    (void)state;
    static const double want[5] = {9, 9, 9, 9, 9}, got[5] = {8, 10, 9, 9, 9};
    assert_int_equal(orr_judge(want, got, 5, LOWER, &exact).verdict, ORR_VERDICT_SAME);
    assert_int_equal(orr_judge(want, got, 5, TARGET, &exact).verdict, ORR_VERDICT_CHANGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed),
        cmocka_unit_test(undefined),
        cmocka_unit_test(few_seeds),
        cmocka_unit_test(the_interval_decides),
        cmocka_unit_test(targets_hold_in_every_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
