/* When a run ends and who leaves when: requests come at 4, 8, … ms, by hand. And tables of policies from an older
 * library. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef struct seen {
    orr_time start[64], end[64], arrival[64];
    bool answered[64];
    orr_drop_why why[64];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    s->arrival[r->number] = r->arrival;
    s->start[r->number] = r->start;
    s->end[r->number] = r->end;
    s->answered[r->number] = r->answered;
    s->why[r->number] = r->why;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

static void requests(small_world *w, seen *s, double seconds, uint64_t limit)
{
    *s = (seen){0};
    small_world_init(w, seconds, 0, 250, limit, 1);
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->sink = (orr_serving_sink){.self = s, .request = keep};
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static void want_what_exists(orr_ctx *ctx, orr_service_id service, orr_want *want)
{
    (void)ctx, (void)service, (void)want;
}

static double last_first(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    (void)ctx, (void)service;
    return -(double)req->number;
}

static void form_two(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    (void)ctx, (void)exec;
    f->take = f->take > 2 ? 2 : f->take;
}

static void switch_to_itself(orr_ctx *ctx, const orr_batch_run *batch)
{
    orr_service_switch(ctx, batch->service, batch->variant);
}

static const orr_scaler hourly = {.summary = "what is there, once an hour", .period = "1h", .want = want_what_exists};
static const orr_batcher lifo = {.summary = "last come, first served", .order = ORR_QUEUE_KEYED, .key = last_first};
static const orr_batcher two = {.summary = "two at a time", .form = form_two, .on_done = switch_to_itself};
/* As they were when the kinds ended with these members. */
static const struct {
    const char *name;
    orr_kind kind;
    const void *table;
    uint32_t size;
} frozen[] = {
    {"old_batcher", ORR_KIND_BATCHER, &two, offsetof(orr_batcher, order)},
    {"old_former", ORR_KIND_BATCHER, &two, offsetof(orr_batcher, step)},
    {"old_dropper", ORR_KIND_DROPPER, &(const orr_dropper){.summary = "nothing"}, offsetof(orr_dropper, shed)},
    {"old_selector", ORR_KIND_SELECTOR, &(const orr_selector){.summary = "nothing"}, offsetof(orr_selector, on_answer)},
    {"old_router", ORR_KIND_ROUTER, &(const orr_router){.summary = "nothing"}, offsetof(orr_router, route)},
    {"old_scaler", ORR_KIND_SCALER, &hourly, offsetof(orr_scaler, on_event)},
    {"old_cache", ORR_KIND_CACHE, &(const orr_cache){.summary = "nothing"}, offsetof(orr_cache, on_evict)},
    {"old_serve", ORR_KIND_SERVE, &(const orr_serve){.summary = "nothing"}, offsetof(orr_serve, decide)},
};

static orr_err add(orr_registry *r, orr_kind kind, const char *name, const void *table, uint32_t size)
{
    static orr_module made[32];
    static size_t n;
    made[n] = (orr_module){
        ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), size, kind, name, table};
    return orr_registry_add(r, &made[n++], NULL);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Two requests of 10 ms, from 4 to 24; what a scaler would be asked in an hour is nobody's business. */
static void periods_do_not_keep_a_run_going(void **state)
{
    (void)state;
    small_world w;
    seen s;
    double busy, there, gpu_seconds;
    requests(&w, &s, 0.010, 2);
    orr_registry *r = orr_registry_create();
    assert_int_equal(add(r, ORR_KIND_SCALER, "hourly", &hourly, sizeof hourly), ORR_OK);
    w.options.registry = r;
    const orr_serving *v = small_world_run(&w, "hourly", 1);
    assert_int_equal(orr_sim_now(w.sim), ms(24));
    orr_serving_use(v, &busy, &there, &gpu_seconds);
    assert_true(fabs(busy - 0.020) < 1e-12 && fabs(there - 0.024) < 1e-12 && fabs(gpu_seconds - 0.024) < 1e-12);
    small_world_fini(&w);
    orr_registry_destroy(r);
}

/* ---- who leaves -------------------------------------------------------------------------------------------------- */

/* 10 ms each, the last first, 12 ms of patience. 0 runs 4..14; 1 (8) and 2 (12) wait: 2 runs 14..24; 1 leaves at 20; 3
 * (16) leaves at 28, when 4 (20) has run from 24. */
static void who_waits_too_long_leaves_any_queue(void **state)
{
    (void)state;
    small_world w;
    seen s;
    requests(&w, &s, 0.010, 5);
    w.service.timeout = ms(12);
    orr_registry *r = orr_registry_create();
    assert_int_equal(add(r, ORR_KIND_BATCHER, "lifo", &lifo, sizeof lifo), ORR_OK);
    w.options.registry = r;
    small_world_run(&w, "lifo", 1);
    assert_true(s.answered[0] && s.answered[2] && s.answered[4] && s.start[2] == ms(14) && s.start[4] == ms(24));
    assert_true(!s.answered[1] && s.why[1] == ORR_DROP_TIMEOUT && s.end[1] == ms(20));
    assert_true(!s.answered[3] && s.why[3] == ORR_DROP_TIMEOUT && s.end[3] == ms(28));
    small_world_fini(&w);
    orr_registry_destroy(r);
}

/* Two clients at 0, 100 ms each, 30 ms of patience and nothing to think of: the one who waits leaves at 30, 60, 90, and
 * asks anew just then. */
static void who_left_asks_again_at_that_time(void **state)
{
    (void)state;
    small_world w;
    seen s;
    requests(&w, &s, 0.100, 5);
    w.service.source.kind = ORR_SOURCE_CLOSED;
    w.service.source.clients = 2;
    w.service.timeout = ms(30);
    small_world_run(&w, "", 1);
    for (int i = 1; i < 4; i++)
        assert_true(!s.answered[i] && s.arrival[i] == ms(30 * (i - 1)) && s.end[i] == ms(30 * i));
    assert_true(s.answered[0] && s.answered[4] && s.arrival[4] == ms(90) && s.start[4] == ms(100));
    small_world_fini(&w);
}

/* A pipeline of 10 and 30 ms: while batches overlap it isn't busier than it is there. 4..44, 14..74: 40 ms of work in
 * each, on two stages. */
static void a_pipeline_is_as_busy_as_its_stages(void **state)
{
    (void)state;
    small_world w;
    seen s;
    double busy, there, gpu_seconds;
    const double stages[2] = {0.010, 0.030};
    const orr_exec_point point = {.batch = 1, .mean = 0.040, .stages = stages};
    requests(&w, &s, 0, 2);
    w.profile.kind = ORR_EXEC_STAGES;
    w.profile.gpus = w.exec.gpus = w.profile.stage_count = 2;
    w.profile.points = &point;
    w.profile.point_count = 1;
    w.variant.max_batch = 1;
    const orr_serving *v = small_world_run(&w, "", 1);
    orr_serving_use(v, &busy, &there, &gpu_seconds);
    assert_int_equal(s.end[1], ms(74));
    assert_true(fabs(busy - 0.040) < 1e-12 && fabs(there - 0.074) < 1e-12);
    small_world_fini(&w);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* What a table ends before is as if it were NULL; a switch to the variant that is current changes nothing. */
static void frozen_tables_run(void **state)
{
    (void)state;
    small_world w;
    seen s, plain;
    requests(&w, &plain, 0.010, 20);
    small_world_run(&w, "", 1);
    small_world_fini(&w);
    for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
        char shown[64];
        orr_registry *r = orr_registry_create();
        requests(&w, &s, 0.010, 20);
        assert_int_equal(add(r, frozen[i].kind, frozen[i].name, frozen[i].table, frozen[i].size), ORR_OK);
        snprintf(shown, sizeof shown, "%s", frozen[i].name);
        *strchr(shown, '_') = '-';
        w.options.registry = r;
        small_world_run(&w, shown, 1);
        if (strcmp(shown, "old-former") == 0)
            assert_int_equal(s.start[2], s.start[1]); /* it has what it was made with: pairs */
        else
            assert_memory_equal(s.end, plain.end, sizeof s.end);
        small_world_fini(&w);
        orr_registry_destroy(r);
    }
}

/* Shorter than its head, or longer than what is known. */
static void tables_of_another_shape_are_refused(void **state)
{
    (void)state;
    orr_registry *r = orr_registry_create();
    assert_int_equal(add(r, ORR_KIND_BATCHER, "stub", &two, offsetof(orr_batcher, order) - 8), ORR_E_PLUGIN_ABI);
    assert_int_equal(add(r, ORR_KIND_BATCHER, "far", &two, sizeof two + 8), ORR_E_PLUGIN_ABI);
    orr_registry_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_do_not_keep_a_run_going),
        cmocka_unit_test(who_waits_too_long_leaves_any_queue),
        cmocka_unit_test(who_left_asks_again_at_that_time),
        cmocka_unit_test(a_pipeline_is_as_busy_as_its_stages),
        cmocka_unit_test(frozen_tables_run),
        cmocka_unit_test(tables_of_another_shape_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
