/* Bookings by hand: slots of 10 s, four GPUs. */
#include <orrery/bookings.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const orr_sizes sizes = {.count = 3, .gpus = {1, 2, 4}, .speed = {1, 2, 4}};

static orr_demand demand(double work, double due)
{
    return (orr_demand){.sizes = &sizes, .work = orr_time_from_seconds(work), .due = orr_time_from_seconds(due)};
}

static void begin(orr_bookings *b, double now)
{
    orr_bookings_try(b, orr_time_from_seconds(now), 10 * ORR_SECOND, 4);
}

static int32_t free_at(const orr_bookings *b, int64_t slot)
{
    return orr_slots_free(orr_bookings_slots(b), slot);
}

/* A needs two GPUs until 20, B one: one is left, with which A can do nothing. Without B it may have all four. */
static void one_after_the_other(void **unused)
{
    (void)unused;
    orr_bookings b = {0};
    orr_booking A = {0}, B = {0};
    const orr_demand a = demand(40, 20), c = demand(20, 20);
    orr_outcome out;
    assert_int_equal(orr_bookings_now(&b, &A), -1);
    begin(&b, 0);
    assert_false(orr_bookings_has(&b, &A));
    assert_true(orr_bookings_fill(&b, &A, &a));
    assert_int_equal(free_at(&b, 0), 2);
    assert_true(orr_bookings_fill(&b, &B, &c));
    assert_int_equal(orr_bookings_now(&b, &A), 2);
    assert_int_equal(orr_bookings_now(&b, &B), 1);
    assert_int_equal(free_at(&b, 1), 1);
    assert_int_equal(orr_bookings_change(&b, &A), 2);
    orr_bookings_clear(&b, &B);
    assert_int_equal(orr_bookings_change(&b, &B), INT64_MAX);
    assert_true(orr_bookings_ask(&b, &A, &a, 2, &out));
    assert_int_equal(out.end, 10 * ORR_SECOND);
    assert_int_equal(free_at(&b, 0), 2); /* nothing has changed */
    assert_true(orr_bookings_hold(&b, &A, &a, 2));
    assert_int_equal(orr_bookings_outcome(&b, &A).end, 10 * ORR_SECOND);
    assert_int_equal(free_at(&b, 0), 0);
    assert_int_equal(free_at(&b, 1), 4);
    orr_bookings_fini(&b);
}

/* Who doesn't fit leaves no trace, and who had a plan has it again. */
static void what_fails_changes_nothing(void **unused)
{
    (void)unused;
    orr_bookings b = {0};
    orr_booking A = {0}, B = {0};
    const orr_demand a = demand(60, 20), c = demand(21, 20), less = demand(10, 30), more = demand(81, 20);
    begin(&b, 0);
    assert_true(orr_bookings_fill(&b, &A, &a));
    const int32_t before = free_at(&b, 0);
    assert_false(orr_bookings_fill(&b, &B, &c));
    assert_false(orr_bookings_has(&b, &B));
    assert_false(orr_bookings_fill(&b, &A, &more));
    assert_int_equal(free_at(&b, 0), before);
    assert_true(orr_bookings_fill(&b, &B, &less));
    orr_bookings_fini(&b);
}

/* At 5 all is tried with less: the set before is there again when that is dropped. What is kept begins now. */
static void on_trial(void **unused)
{
    (void)unused;
    orr_bookings b = {0};
    orr_booking A = {0}, B = {0};
    const orr_demand a = demand(80, 20), half = demand(60, 20), all = demand(61, 20);
    begin(&b, 0);
    assert_true(orr_bookings_fill(&b, &A, &a));
    assert_true(orr_bookings_reach(&b, 5 * ORR_SECOND) && !orr_bookings_reach(&b, 10 * ORR_SECOND));
    begin(&b, 5);
    assert_int_equal(orr_bookings_now(&b, &A), -1);
    assert_int_equal(free_at(&b, 0), 4);
    orr_bookings_drop(&b);
    assert_int_equal(orr_bookings_now(&b, &A), 4);
    assert_int_equal(free_at(&b, 0), 0);
    begin(&b, 5);
    assert_false(orr_bookings_keep(&b, &A, &all));
    assert_true(orr_bookings_keep(&b, &A, &half));
    assert_int_equal(free_at(&b, 1), 0);
    assert_true(orr_bookings_follow(&b, &A, &half) && !orr_bookings_follow(&b, &A, &all));
    orr_bookings_put(&b, &B, (orr_stretch){2, 3, 3}, &(orr_outcome){0});
    begin(&b, 10);
    assert_true(orr_bookings_keep(&b, &B, NULL) && orr_bookings_keep(&b, &A, NULL));
    assert_int_equal(free_at(&b, 2), 1);
    orr_bookings_put(&b, &B, (orr_stretch){1, 2, 0}, &(orr_outcome){0});
    assert_int_equal(free_at(&b, 2), 4);
    begin(&b, 20); /* it has nothing left to do, but kept is kept */
    assert_true(orr_bookings_keep(&b, &A, NULL));
    assert_false(orr_bookings_has(&b, &A));
    orr_bookings_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(what_fails_changes_nothing),
        cmocka_unit_test(on_trial),
    };
    return cmocka_run_group_tests_name("bookings", tests, NULL, NULL);
}
