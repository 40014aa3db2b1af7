/* One sink that is many. */
#include "sample.h"

static void log_job(void *self, const orr_job_record *record)
{
    (void)record;
    strcat(*(char **)self, "j");
    *(char **)self += 1;
}

static void log_hold(void *self, const orr_hold *hold)
{
    (void)hold;
    strcat(*(char **)self, "h");
    *(char **)self += 1;
}

static void log_levels(void *self, orr_time at, const orr_levels *levels)
{
    (void)levels;
    strcat(*(char **)self, at == 5 ? "l" : "?");
    *(char **)self += 1;
}

static void hands_on_what_each_takes(void **state)
{
    (void)state;
    char all[16] = "", holds[16] = "";
    char *all_at = all, *holds_at = holds;
    orr_fanout *f = orr_fanout_create();
    orr_fanout_add(f, (orr_sink){.self = &all_at, .job = log_job, .hold = log_hold, .levels = log_levels});
    orr_fanout_add(f, (orr_sink){.self = &holds_at, .hold = log_hold});
    orr_sink sink = orr_fanout_sink(f);
    sink.levels(sink.self, 5, &(orr_levels){.vc = -1});
    sink.hold(sink.self, &(orr_hold){.gpus = 1});
    sink.job(sink.self, &(orr_job_record){.starts = 1});
    sink.hold(sink.self, &(orr_hold){.gpus = 1});
    assert_string_equal(all, "lhjh");
    assert_string_equal(holds, "hh");
    orr_fanout_destroy(f);
    orr_fanout_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hands_on_what_each_takes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
