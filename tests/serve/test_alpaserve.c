/* alpaserve by hand; tests/golden/test_alpaserve.c has the recorded runs. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ASKED = 6 };

typedef struct seen {
    orr_time end[ASKED];
    orr_exec_id exec[ASKED];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    s->end[r->number] = r->answered ? r->end : -1;
    s->exec[r->number] = r->exec;
}

/* One every 10 ms into stages of 10 and 20 ms; answers take 5 ms to the client. */
static orr_service_counts run(seen *s, int32_t groups)
{
    static const double stages[] = {0.010, 0.020};
    const orr_exec_point point = {.batch = 1, .mean = 0.030, .stages = stages};
    small_world w;
    small_world_init(&w, 0, 0, 0, ASKED, groups);
    w.profile = (orr_exec_profile){.gpu_type = "", .milli = 1000, .gpus = 2, .kind = ORR_EXEC_STAGES};
    w.profile.points = &point;
    w.profile.point_count = 1;
    w.profile.stage_count = 2;
    w.variant.max_batch = 1;
    w.exec.gpus = 2;
    w.class_.slo = 45 * ORR_MS;
    w.service.reply = 5 * ORR_MS;
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 100;
    w.sink = (orr_serving_sink){.self = s, .request = keep};
    const orr_service_counts c = orr_serving_count(small_world_run(&w, "alpaserve", 1), 0);
    small_world_fini(&w);
    return c;
}

/* The second stage is free at 40, 60, 80, ...: of those at 10, 20, 30, 40, ... the third would be answered at 85,
 * 55 ms after it came; the fourth is, in 45. */
static void who_would_be_late_is_refused(void **state)
{
    (void)state;
    seen s = {0};
    const orr_service_counts c = run(&s, 1);
    const orr_time ends[ASKED] = {45 * ORR_MS, 65 * ORR_MS, -1, 85 * ORR_MS, -1, 105 * ORR_MS};
    for (int i = 0; i < ASKED; i++)
        assert_int_equal(s.end[i], ends[i]);
    assert_int_equal(c.dropped[ORR_DROP_REFUSED], 2);
    assert_int_equal(c.late, 0);
}

/* Of two groups both are free at first: the lower one. Then each goes where the last stage is free first. */
static void the_group_that_is_free_first(void **state)
{
    (void)state;
    seen s = {0};
    run(&s, 2);
    for (int i = 0; i < ASKED; i++) {
        assert_int_equal(s.end[i], (45 + 10 * i) * ORR_MS);
        assert_int_equal(s.exec[i], i % 2);
    }
}

/* Four models of 100 ms, asked 12, 6, 4 and 2 times a second in bursts, SLO five times that: each twice on single
 * GPUs, or all on one pipeline of the four GPUs, though its stages take longer together. */
static double in_time(bool pipeline)
{
    static const double whole[] = {0.0999}, quarter[] = {0.029, 0.028, 0.028, 0.030};
    static const double rates[] = {12, 6, 4, 2};
    static const char *const names[] = {"m0", "m1", "m2", "m3"};
    const orr_exec_point point = {.batch = 1, .mean = pipeline ? 0.115 : 0.0999, .stages = pipeline ? quarter : whole};
    orr_service services[4];
    orr_hosted_ask hosts[4][4] = {{{0}}};
    orr_exec_ask execs[4];
    small_world w;
    small_world_init(&w, 0, 0, 0, 0, 1);
    w.profile = (orr_exec_profile){.gpu_type = "", .milli = 1000, .gpus = pipeline ? 4 : 1, .kind = ORR_EXEC_STAGES};
    w.profile.points = &point;
    w.profile.point_count = 1;
    w.profile.stage_count = w.profile.gpus;
    w.variant.max_batch = 1;
    w.class_.slo = 495 * ORR_MS;
    w.service.reply = 11 * ORR_MS;
    for (int i = 0; i < 4; i++) {
        services[i] = w.service;
        services[i].name = names[i];
        services[i].source = (orr_source){
            .kind = ORR_SOURCE_GAMMA, .rate = rates[i], .cv = 4, .speed = 1, .until = 1000 * ORR_SECOND};
        execs[i] = w.exec;
        execs[i].gpus = w.profile.gpus;
        execs[i].hosts = hosts[i];
        execs[i].host_count = pipeline ? 4 : 2;
        for (int k = 0; k < 4; k++)
            hosts[i][k].service = (i + k) % 4;
    }
    w.services.services = services;
    w.services.count = 4;
    w.services.executors = execs;
    w.services.executor_count = pipeline ? 1 : 4;
    const orr_service_counts c = orr_serving_count(small_world_run(&w, "alpaserve", 3), -1);
    small_world_fini(&w);
    return (double)c.answered / (double)c.arrived;
}

static void a_shared_pipeline_beats_replicas_under_bursts(void **state)
{
    (void)state;
    assert_true(in_time(true) > in_time(false) + 0.04);
}

/* Two models, two GPUs that hold one of them each; two requests at once for a, then for b. A model takes 100 ms, or two
 * stages of 50; 160 ms are allowed. A pipeline of both GPUs holds both models and has answers after 100 and 150 ms; on
 * a GPU of its own a model is late for the second, which is refused. */
static orr_service_counts placed(const char *serve, int32_t *execs)
{
    static const double halves[] = {0.050, 0.050};
    const orr_exec_point whole = {.batch = 1, .mean = 0.100}, pipe = {.batch = 1, .mean = 0.100, .stages = halves};
    const orr_exec_profile profiles[] = {
        {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_TABLE, .points = &whole, .point_count = 1},
        {.gpu_type = "",
         .milli = 1000,
         .gpus = 2,
         .kind = ORR_EXEC_STAGES,
         .points = &pipe,
         .point_count = 1,
         .stage_count = 2}};
    const orr_trace_request none = {.id = "",
                                    .service = "",
                                    .client = "",
                                    .duration = ORR_TIME_NONE,
                                    .tokens_in = -1,
                                    .tokens_out = -1,
                                    .count = 1};
    orr_trace_request asked[2][2] = {{none, none}, {none, none}};
    orr_service models[2];
    orr_error e = {0};
    small_world w;
    small_world_init(&w, 0, 0, 0, 0, 0);
    w.variant.profiles = profiles;
    w.variant.profile_count = 2;
    w.variant.max_batch = 1;
    w.variant.bytes = 10;
    w.class_.slo = 160 * ORR_MS;
    for (int i = 0; i < 2; i++) {
        asked[i][0].arrival = asked[i][1].arrival = (i + 1) * ORR_SECOND;
        models[i] = w.service;
        models[i].name = i ? "b" : "a";
        models[i].source =
            (orr_source){.kind = ORR_SOURCE_LIST, .list = asked[i], .listed = 2, .speed = 1, .until = ORR_TIME_MAX};
    }
    w.services.services = models;
    w.services.count = 2;
    w.services.executor_count = 0;
    assert_non_null(w.cluster = orr_cluster_spec_load("nodes=1,gpus=2", NULL, &e));
    const orr_serving *s = small_world_run(&w, serve, 1);
    double busy, there, gpu_seconds;
    orr_serving_use(s, &busy, &there, &gpu_seconds);
    *execs = (int32_t)(2 * there / gpu_seconds + 0.5); /* slot-seconds by GPU-seconds */
    const orr_service_counts c = orr_serving_count(s, -1);
    small_world_fini(&w);
    return c;
}

static void groups_are_planned(void **state)
{
    (void)state;
    int32_t execs;
    orr_service_counts c = placed("alpaserve:place,memory=10", &execs);
    assert_true(execs == 1 && c.answered == 4 && c.late == 0);
    c = placed("alpaserve:replicate,memory=10", &execs);
    assert_true(execs == 2 && c.answered == 2 && c.late == 0 && c.dropped[ORR_DROP_REFUSED] == 2);
    c = placed("alpaserve:replicate,memory=20", &execs); /* both models on both GPUs */
    assert_true(execs == 2 && c.answered == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_would_be_late_is_refused),
        cmocka_unit_test(the_group_that_is_free_first),
        cmocka_unit_test(a_shared_pipeline_beats_replicas_under_bursts),
        cmocka_unit_test(groups_are_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
