/* Integrals of counters. */
#include "metrics/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void half_open_steps(void **state)
{
    (void)state;
    orr_track track = {0};
    orr_track_set(&track, 10, &(orr_levels){.gpus_total = 8, .milli_held = 3000});
    orr_track_set(&track, 20, &(orr_levels){.gpus_total = 8, .milli_held = 7000});
    orr_track_set(&track, 20, &(orr_levels){.gpus_total = 6, .milli_held = 5000}); /* the last word of an instant counts */
    orr_track_close(&track, 10, 25, 8);
    assert_int_equal((int64_t)track.held, 10 * 3000 + 5 * 5000);
    assert_int_equal((int64_t)track.total, 10 * 8 + 5 * 6);
}

/* GPUs first reported at 10 were there when the window opened at 4; those reported before it opened don't count twice.
 * */
static void totals_reach_back_to_the_window(void **state)
{
    (void)state;
    orr_track late = {0}, early = {0}, silent = {0};
    orr_track_set(&late, 10, &(orr_levels){.gpus_total = 2});
    orr_track_close(&late, 4, 12, 2);
    assert_int_equal((int64_t)late.total, 16);
    orr_track_set(&early, 0, &(orr_levels){.gpus_total = 2});
    orr_track_close(&early, 4, 12, 2);
    assert_int_equal((int64_t)early.total, 16);
    orr_track_close(&silent, 4, 12, 2);
    assert_int_equal((int64_t)silent.total, 16);
    assert_int_equal((int64_t)silent.held, 0);
}

/* Eight GPUs, four of which leave at 5, before the first job comes at 10; they are back at 20: 10 * 4 + 5 * 8. */
static void what_was_there_before_the_first_job_does_not_count(void **state)
{
    (void)state;
    orr_track track = {0}, silent = {0};
    orr_track_set(&track, 0, &(orr_levels){.gpus_total = 8});
    orr_track_set(&track, 5, &(orr_levels){.gpus_total = 4});
    orr_track_begin(&track, 10);
    orr_track_set(&track, 20, &(orr_levels){.gpus_total = 8});
    orr_track_close(&track, 10, 25, 8);
    assert_int_equal((int64_t)track.total, 10 * 4 + 5 * 8);
    orr_track_begin(&silent, 10);
    orr_track_close(&silent, 10, 25, 8);
    assert_int_equal((int64_t)silent.total, 15 * 8);
}

/* A million GPUs over a hundred years are 3e24 GPU·ns; not one is lost. */
static void sums_beyond_64_bits(void **state)
{
    (void)state;
    orr_track track = {0};
    orr_time century = 36525 * ORR_DAY;
    orr_track_set(&track, 0, &(orr_levels){.gpus_total = 1000000, .milli_held = 999999000});
    orr_track_set(&track, 1, &(orr_levels){.gpus_total = 1000000, .milli_held = 1000000000});
    orr_track_close(&track, 0, century, 1000000);
    assert_int_equal((int64_t)(track.total * 1000 - track.held), 1000);
}

/* Within [15, 22) there are 5 s of 3 and 2 s of 7; what is reported before and after it isn't counted. */
static void bounds_cut_the_window(void **state)
{
    (void)state;
    orr_track track = {0};
    orr_track_bound(&track, 15, 22);
    orr_track_set(&track, 10, &(orr_levels){.gpus_total = 8, .milli_held = 3000, .jobs_queued = 1});
    orr_track_set(&track, 20, &(orr_levels){.gpus_total = 8, .milli_held = 7000});
    orr_track_set(&track, 30, &(orr_levels){.gpus_total = 8, .milli_held = 8000, .jobs_queued = 9});
    orr_track_close(&track, 15, 22, 8);
    assert_int_equal((int64_t)track.held, 5 * 3000 + 2 * 7000);
    assert_int_equal((int64_t)track.jobs_queued, 5);
    assert_int_equal((int64_t)track.total, 7 * 8);
}

/* The run began at 10 and stopped at 12: of the window asked for, [4, 40), only that is there. A window that begins
 * after the stop is empty. */
static void bounds_wider_than_the_run(void **state)
{
    (void)state;
    orr_track wide = {0}, late = {0}, open = {0};
    orr_track_bound(&wide, 4, 40);
    orr_track_set(&wide, 10, &(orr_levels){.gpus_total = 2, .milli_held = 1000});
    orr_track_close(&wide, 10, 12, 2);
    assert_int_equal((int64_t)wide.total, 4);
    assert_int_equal((int64_t)wide.held, 2000);
    orr_track_bound(&late, 50, 60);
    orr_track_set(&late, 10, &(orr_levels){.gpus_total = 2, .milli_held = 1000});
    orr_track_close(&late, 50, 50, 2);
    assert_int_equal((int64_t)late.total, 0);
    assert_int_equal((int64_t)late.held, 0);
    orr_track_bound(&open, 11, ORR_TIME_NONE);
    orr_track_set(&open, 10, &(orr_levels){.gpus_total = 2, .milli_held = 1000});
    orr_track_close(&open, 11, 14, 2);
    assert_int_equal((int64_t)open.total, 6);
    assert_int_equal((int64_t)open.held, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_open_steps),
        cmocka_unit_test(totals_reach_back_to_the_window),
        cmocka_unit_test(what_was_there_before_the_first_job_does_not_count),
        cmocka_unit_test(sums_beyond_64_bits),
        cmocka_unit_test(bounds_cut_the_window),
        cmocka_unit_test(bounds_wider_than_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
