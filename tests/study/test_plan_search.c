/* Which sizes are tried, with made-up clusters that do or don't: the search knows nothing else. */
#include "study/plan_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef bool enough(int64_t size);

/* Searches to the end. Rounds are written into `log` as "1 2 4 8/3 5 6 7/…". */
static orr_plan_search *search(orr_plan_range range, enough *does, char log[600])
{
    orr_plan_search *s = orr_plan_search_create(range);
    size_t n = 0, used = 0;
    log[0] = '\0';
    for (const int64_t *sizes = orr_plan_search_next(s, &n); n; sizes = orr_plan_search_next(s, &n)) {
        used += (size_t)snprintf(log + used, 600 - used, "%s", used ? "/" : "");
        for (size_t i = 0; i < n; i++)
            used += (size_t)snprintf(log + used, 600 - used, "%s%lld", i ? " " : "", (long long)sizes[i]);
        for (size_t i = 0; i < n; i++)
            orr_plan_search_tell(s, sizes[i], does(sizes[i]));
    }
    return s;
}

static void check(orr_plan_range range, enough *does, const char *rounds, int64_t found, int64_t steady)
{
    char log[600];
    orr_plan_search *s = search(range, does, log);
    assert_string_equal(log, rounds);
    assert_int_equal(orr_plan_search_found(s), found);
    assert_int_equal(orr_plan_search_steady(s), steady);
    orr_plan_search_destroy(s);
}

static bool from_1(int64_t size)
{
    return size >= 1;
}

static bool from_23(int64_t size)
{
    return size >= 23;
}

static bool never(int64_t size)
{
    return size > 1000000;
}

/* 16 and 18 are enough, 17 and 19 to 22 are not. */
static bool with_holes(int64_t size)
{
    return size >= 23 || size == 16 || size == 18;
}

/* Enough only in the middle, as a target on use and on waiting together may be. */
static bool from_8_to_11(int64_t size)
{
    return size >= 8 && size <= 11;
}

/* 16 doesn't, 32 does: 19 22 25 28 part the fifteen between. Then 23 and 24 are left, and neighbours of 23. */
static void finds_the_least_by_parting(void **state)
{
    (void)state;
    const orr_plan_range range = {.low = 1, .high = 4096, .check = 2};
    check(range, from_23, "1 2 4 8/16 32 64 128/19 22 25 28/23 24/21", 23, 23);
}

static void without_neighbours_nothing_more_is_tried(void **state)
{
    (void)state;
    const orr_plan_range range = {.low = 1, .high = 4096};
    check(range, from_23, "1 2 4 8/16 32 64 128/19 22 25 28/23 24", 23, 23);
}

static void the_least_of_the_range_may_be_enough(void **state)
{
    (void)state;
    check((orr_plan_range){.low = 1, .high = 4096, .check = 1}, from_1, "1 2 4 8", 1, 1);
    check((orr_plan_range){.low = 7, .high = 7, .check = 3}, from_1, "7", 7, 7);
}

/* The greatest of the range is tried though it is no double of the least. */
static void tries_the_end_of_the_range_before_giving_up(void **state)
{
    (void)state;
    check((orr_plan_range){.low = 3, .high = 40, .check = 2}, never, "3 6 12 24/40", 0, 0);
    check((orr_plan_range){.low = 3, .high = 24, .check = 2}, from_23, "3 6 12 24/14 16 19 21/22 23", 23, 23);
}

/* From 1 on doubling meets 16, which does; the check shows that 17 and 19 don't. From 17 on it meets 34, and parting
 * ends at 23, whose neighbour 18 does, too: the search goes on below that. */
static void a_smaller_one_that_does_is_found_by_the_check(void **state)
{
    (void)state;
    const orr_plan_range whole = {.low = 1, .high = 64, .check = 5}, upper = {.low = 17, .high = 64, .check = 5};
    check(whole, with_holes, "1 2 4 8/16 32 64/9 11 12 14/15/13 17 18 19 20 21", 16, 32);
    check(upper, with_holes, "17 34 64/20 23 27 30/21 22/18 19 24 25 26 28", 18, 23);
}

static void a_window_may_be_missed_but_never_claimed(void **state)
{
    (void)state;
    check((orr_plan_range){.low = 1, .high = 64, .check = 4}, from_8_to_11, "1 2 4 8/5 6 7/9 10 11 12", 8, 0);
    check((orr_plan_range){.low = 3, .high = 13, .check = 1}, from_8_to_11, "3 6 12 13", 0, 0);
    check((orr_plan_range){.low = 3, .high = 13, .all = true}, from_8_to_11, "3 4 5 6 7 8 9 10 11 12 13", 8, 0);
}

static void tries_are_kept_in_order(void **state)
{
    (void)state;
    char log[600];
    size_t n = 0;
    orr_plan_search *s = search((orr_plan_range){.low = 1, .high = 4096, .check = 2}, from_23, log);
    const orr_plan_try *tried = orr_plan_search_tried(s, &n);
    assert_int_equal(n, 15);
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || tried[i - 1].size < tried[i].size);
        assert_int_equal(tried[i].met, from_23(tried[i].size));
    }
    orr_plan_search_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_least_by_parting),
        cmocka_unit_test(without_neighbours_nothing_more_is_tried),
        cmocka_unit_test(the_least_of_the_range_may_be_enough),
        cmocka_unit_test(tries_the_end_of_the_range_before_giving_up),
        cmocka_unit_test(a_smaller_one_that_does_is_found_by_the_check),
        cmocka_unit_test(a_window_may_be_missed_but_never_claimed),
        cmocka_unit_test(tries_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
