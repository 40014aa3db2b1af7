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

static void log_begin(void *self, const orr_sim *sim)
{
    (void)sim;
    strcat(*(char **)self, "b");
    *(char **)self += 1;
}

static void log_submit(void *self, orr_time at, const orr_job *job)
{
    (void)job;
    strcat(*(char **)self, at == 6 ? "s" : "?");
    *(char **)self += 1;
}

static void log_decision(void *self, orr_time at, uint64_t number, bool begins)
{
    strcat(*(char **)self, at == 7 && number == 8 ? begins ? "<" : ">" : "?");
    *(char **)self += 1;
}

static void log_grant(void *self, const orr_grant *grant)
{
    strcat(*(char **)self, grant->gpus == 4 ? "g" : "?");
    *(char **)self += 1;
}

static void log_preempt(void *self, const orr_preemption *preemption)
{
    strcat(*(char **)self, preemption->lost == 3 ? "p" : "?");
    *(char **)self += 1;
}

static void log_end(void *self, const orr_sim *sim)
{
    (void)sim;
    strcat(*(char **)self, "e");
    *(char **)self += 1;
}

static void hands_on_all_that_happens(void **state)
{
    (void)state;
    char all[16] = "", some[16] = "";
    char *all_at = all, *some_at = some;
    orr_fanout *f = orr_fanout_create();
    orr_fanout_add(f, (orr_sink){.self = &all_at, .begin = log_begin, .submit = log_submit, .decision = log_decision,
                                 .grant = log_grant, .preempt = log_preempt, .end = log_end});
    orr_fanout_add(f, (orr_sink){.self = &some_at, .grant = log_grant});
    const orr_sink sink = orr_fanout_sink(f);
    sink.begin(sink.self, NULL);
    sink.submit(sink.self, 6, NULL);
    sink.decision(sink.self, 7, 8, true);
    sink.grant(sink.self, &(orr_grant){.gpus = 4});
    sink.preempt(sink.self, &(orr_preemption){.lost = 3});
    sink.decision(sink.self, 7, 8, false);
    sink.end(sink.self, NULL);
    assert_string_equal(all, "bs<gp>e");
    assert_string_equal(some, "g");
    orr_fanout_destroy(f);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(hands_on_what_each_takes),
                                       cmocka_unit_test(hands_on_all_that_happens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
