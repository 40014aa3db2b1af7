/* attempts.csv. */
#include "sample.h"

#define HEADER "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n"

static void hold(orr_csv_sink *csv, feed_job *job, double start, double end, const orr_slice *slices, int32_t n,
                 orr_hold_end reason)
{
    int32_t gpus = 0;
    for (int32_t i = 0; i < n; i++)
        for (int g = 0; g < 64; g++)
            gpus += (int32_t)(slices[i].gpus >> g & 1);
    orr_sink sink = orr_csv_sink_sink(csv);
    orr_hold h = {.job = (const orr_job *)(const void *)job, .start = feed_time(start), .end = feed_time(end),
                  .overhead = ORR_SECOND / 2, .slices = slices, .slice_count = n, .gpus = gpus, .reason = reason};
    sink.hold(sink.self, &h);
}

static void holds_are_numbered_and_written(void **state)
{
    (void)state;
    feed_job a = {.id = "a", .index = 7}, b = {.id = "b;,", .index = 0};
    const char *path = sample_path("attempts.csv");
    orr_csv_sink *csv = orr_attempts_csv_create_for(path, feed_access(), NULL);
    hold(csv, &a, 0, 1.5, (orr_slice[]){{.node = 0, .gpus = 0x0f}, {.node = 2, .gpus = 0x20}}, 2, ORR_HOLD_PREEMPTED);
    hold(csv, &b, 0, 2, (orr_slice[]){{.node = 11, .gpus = 0x8b}}, 1, ORR_HOLD_DONE);
    hold(csv, &a, 3, 4, (orr_slice[]){{.node = 1, .gpus = UINT64_MAX}}, 1, ORR_HOLD_MIGRATED);
    hold(csv, &a, 4, 5, (orr_slice[]){{.node = 1, .gpus = UINT64_C(1) << 63 | 1}}, 1, ORR_HOLD_OPEN);
    hold(csv, &b, 4, 6, (orr_slice[]){{.node = 0, .milli = 250, .gpus = 8}, {.node = 2, .milli = 1000, .gpus = 1}}, 2,
         ORR_HOLD_INTERRUPTED);
    hold(csv, &b, 7, 8, (orr_slice[]){{.node = 3, .gpus = 0}}, 1, ORR_HOLD_RESHARED); /* cores only */
    assert_false(sample_exists(path)); /* not before it is whole */
    assert_int_equal(orr_csv_sink_commit(csv, NULL), ORR_OK);
    sample_assert_file(path, HEADER "a,1,0,1.5,5,0:0-3;2:5,2,preempted,0.5\n"
                                    "\"b;,\",1,0,2,4,11:0-1+3+7,1,done,0.5\n"
                                    "a,2,3,4,64,1:0-63,1,migrated,0.5\n"
                                    "a,3,4,5,2,1:0+63,1,open,0.5\n"
                                    "\"b;,\",2,4,6,2,0:3@250;2:0,2,interrupted,0.5\n"
                                    "\"b;,\",3,7,8,0,3:,1,reshared,0.5\n");
    sample_clean();
}

static void abandoned_files_leave_nothing(void **state)
{
    (void)state;
    const char *path = sample_path("attempts.csv");
    orr_csv_sink *csv = orr_attempts_csv_create_for(path, feed_access(), NULL);
    orr_csv_sink_abandon(csv);
    orr_csv_sink_abandon(NULL);
    assert_false(sample_exists(path));
    sample_clean();
}

static void a_folder_that_is_not_there(void **state)
{
    (void)state;
    orr_error e = {0};
    assert_null(orr_attempts_csv_create("/nonexistent/attempts.csv", &e));
    assert_int_equal(e.code, ORR_E_CREATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_are_numbered_and_written),
        cmocka_unit_test(abandoned_files_leave_nothing),
        cmocka_unit_test(a_folder_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
