/* Batches that slow each other down, and batches that are stopped: all by hand. Requests come at 4, 8, … ms and take 10
 * ms alone. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef struct seen {
    orr_time end[2][8];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    ((seen *)self)->end[r->service][r->number] = r->end;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

static void two_requests(small_world *w, seen *s)
{
    *s = (seen){0};
    small_world_init(w, 0.010, 0, 250, 2, 1);
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->sink = (orr_serving_sink){.self = s, .request = keep};
}

/* Alone until 8, so 6 are left; at half speed until 20. The other has then 4 left. */
static void slots_share_a_processor(void **state)
{
    (void)state;
    small_world w;
    seen s;
    two_requests(&w, &s);
    w.exec.slots = 2;
    w.exec.shared_slots = true;
    small_world_run(&w, "", 1);
    assert_int_equal(s.end[0][0], ms(20));
    assert_int_equal(s.end[0][1], ms(24));
    small_world_fini(&w);
}

static void slots_of_their_own_do_not(void **state)
{
    (void)state;
    small_world w;
    seen s;
    two_requests(&w, &s);
    w.exec.slots = 2;
    small_world_run(&w, "", 1);
    assert_int_equal(s.end[0][0], ms(14));
    assert_int_equal(s.end[0][1], ms(18));
    small_world_fini(&w);
}

/* Two services on halves of one GPU; beside b, a takes 1.5 times as long. a comes at 4, b at 8: a has 6 left, and ends
 * at 17; b isn't slowed. */
static void neighbours_slow_each_other(void **state)
{
    (void)state;
    small_world w;
    seen s;
    two_requests(&w, &s);
    orr_service both[2] = {w.service, w.service};
    const orr_hosted_ask hosts[2] = {{0, 0}, {1, 0}};
    orr_exec_ask execs[2] = {w.exec, w.exec};
    const orr_contention slow = {"a/v", "b/v", 1.5};
    both[0].name = "a";
    both[1].name = "b";
    both[0].source.limit = both[1].source.limit = 1;
    both[1].source.rate = 125;
    for (int i = 0; i < 2; i++) {
        execs[i].milli = 500;
        execs[i].hosts = &hosts[i];
    }
    w.profile.milli = 500;
    w.services.services = both;
    w.services.count = 2;
    w.services.executors = execs;
    w.services.executor_count = 2;
    w.services.contention = &slow;
    w.services.contention_count = 1;
    small_world_run(&w, "", 1);
    assert_int_equal(s.end[0][0], ms(17));
    assert_int_equal(s.end[1][0], ms(18));
    small_world_fini(&w);
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

static bool redo;
static orr_err answer;

static double last_first(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    (void)ctx, (void)service;
    return -(double)req->number;
}

static void stop_the_first(orr_ctx *ctx, const orr_req *req, orr_dest dest)
{
    (void)dest;
    if (req->number == 1)
        answer = orr_batch_preempt(ctx, 0, redo);
}

static const orr_batcher stopper = {.summary = "stops the first for the second",
                                    .flags = ORR_SERVE_PREEMPTS,
                                    .order = ORR_QUEUE_KEYED,
                                    .key = last_first,
                                    .on_arrive = stop_the_first};
static const orr_batcher liar = {
    .summary = "stops without saying that it does", .order = ORR_QUEUE_KEYED, .on_arrive = stop_the_first};
static const orr_module modules[] = {{ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof stopper, ORR_KIND_BATCHER, "stopper", &stopper},
                                     {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof liar, ORR_KIND_BATCHER, "liar", &liar}};

static void run_stopper(small_world *w)
{
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &modules[0], NULL), ORR_OK);
    w->options.registry = registry;
    small_world_run(w, "stopper", 1);
    assert_int_equal(answer, ORR_OK);
    orr_registry_destroy(registry);
}

/* The second runs from 8 to 18; the first had 6 left, and has them still, or all 10. */
static void what_is_done_is_kept_or_done_again(void **state)
{
    (void)state;
    small_world w;
    seen s;
    for (int i = 0; i < 2; i++) {
        redo = i;
        two_requests(&w, &s);
        w.variant.max_batch = 1;
        run_stopper(&w);
        assert_int_equal(s.end[0][1], ms(18));
        assert_int_equal(s.end[0][0], redo ? ms(28) : ms(24));
        small_world_fini(&w);
    }
}

static void saving_takes_time(void **state)
{
    (void)state;
    small_world w;
    seen s;
    redo = false;
    two_requests(&w, &s);
    w.variant.max_batch = 1;
    w.services.preempt_save = ms(1);
    run_stopper(&w);
    assert_int_equal(s.end[0][1], ms(19));
    assert_int_equal(s.end[0][0], ms(25));
    small_world_fini(&w);
}

/* Two operators of 5 ms: at 8 the first one runs until 9. */
static void operators_are_not_cut(void **state)
{
    (void)state;
    small_world w;
    seen s;
    const orr_exec_point point = {.batch = 1, .mean = 0.010};
    const double ops[] = {0.5, 0.5};
    redo = false;
    two_requests(&w, &s);
    w.variant.max_batch = 1;
    w.profile.kind = ORR_EXEC_OPS;
    w.profile.points = &point;
    w.profile.point_count = 1;
    w.profile.ops = ops;
    w.profile.op_count = 2;
    run_stopper(&w);
    assert_int_equal(s.end[0][1], ms(19));
    assert_int_equal(s.end[0][0], ms(24));
    small_world_fini(&w);
}

static void who_stops_batches_says_so(void **state)
{
    (void)state;
    small_world w;
    seen s;
    orr_error e = {0};
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &modules[1], NULL), ORR_OK);
    two_requests(&w, &s);
    w.options.registry = registry;
    w.options.services = &w.services;
    w.options.serve = "liar";
    w.cluster = orr_cluster_spec_load("nodes=1,gpus=1", NULL, &e);
    w.sim = orr_sim_create(NULL, w.cluster, &w.options, NULL, &e);
    assert_non_null(w.sim);
    assert_int_equal(orr_sim_run(w.sim, &e), ORR_E_SERVE_DECISION);
    small_world_fini(&w);
    orr_registry_destroy(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_share_a_processor),
        cmocka_unit_test(slots_of_their_own_do_not),
        cmocka_unit_test(neighbours_slow_each_other),
        cmocka_unit_test(what_is_done_is_kept_or_done_again),
        cmocka_unit_test(saving_takes_time),
        cmocka_unit_test(operators_are_not_cut),
        cmocka_unit_test(who_stops_batches_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
