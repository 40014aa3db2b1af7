/* Executors on MIG instances: where they lie, what they hold, and how long it takes to cut a GPU anew; all by hand. */
#include "serve/serving.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define A100 "nodes=1,gpus=1,type=A100,mig=on"

/* Requests that a service answers in 10 ms on a whole GPU, 20 on 3/7 of one, 50 on 1/7. */
static const orr_exec_profile profiles[] = {
    {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.010},
    {.gpu_type = "", .milli = 428, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.020},
    {.gpu_type = "", .milli = 142, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.050}};

static void one_a_second(small_world *w, uint64_t limit, const char *slice)
{
    small_world_init(w, 0.010, 0, 1, limit, 1);
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->variant.profiles = profiles;
    w->variant.profile_count = 3;
    w->exec.slice = slice;
}

static void on_cluster(small_world *w, const char *cluster)
{
    orr_error e = {0};
    orr_cluster_spec_destroy(w->cluster);
    assert_non_null(w->cluster = orr_cluster_spec_load(cluster, NULL, &e));
}

static double use_of(const orr_serving *s)
{
    double busy, there, gpu_seconds;
    orr_serving_use(s, &busy, &there, &gpu_seconds);
    return gpu_seconds / there;
}

static void an_instance_has_its_share(void **state)
{
    (void)state;
    small_world w;
    one_a_second(&w, 1, "3g");
    on_cluster(&w, A100);
    const orr_serving *s = small_world_run(&w, "", 1);
    assert_int_equal(s->execs.at[0].milli, 428);
    assert_string_equal(s->execs.at[0].slice_name, "3g");
    assert_true(fabs(orr_serving_mean(s, 0, ORR_SERVING_LATENCY) - 0.020) < 1e-9);
    assert_true(fabs(use_of(s) - 0.428) < 1e-9);
    small_world_fini(&w);
}

/* A tenth of a GPU is an instance of a seventh: held, paid for, but known by what was asked. */
static void a_share_holds_all_of_its_instance(void **state)
{
    (void)state;
    small_world w;
    const orr_exec_profile tenth = {.gpu_type = "", .milli = 100, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.030};
    one_a_second(&w, 1, NULL);
    w.variant.profiles = &tenth;
    w.variant.profile_count = 1;
    w.exec.milli = 100;
    on_cluster(&w, A100);
    const orr_serving *s = small_world_run(&w, "", 1);
    assert_int_equal(s->execs.at[0].milli, 100);
    assert_string_equal(s->execs.at[0].slice_name, "1g");
    assert_true(fabs(use_of(s) - 0.142) < 1e-9);
    small_world_fini(&w);
}

/* The maker's name tells by its memory which of two profiles of equal compute is meant. */
static void names_are_the_makers_too(void **state)
{
    (void)state;
    static const char *const named[][2] = {{"1g.10gb", "1g"}, {"1g.20gb", "1g+"}, {"3g.40gb", "3g"}, {"1g+", "1g+"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        small_world w;
        one_a_second(&w, 1, named[i][0]);
        on_cluster(&w, A100 ",gpu_mem=80GiB");
        assert_string_equal(small_world_run(&w, "", 1)->execs.at[0].slice_name, named[i][1]);
        small_world_fini(&w);
    }
}

static void refused(small_world *w, const char *cluster, orr_err code, const char *why)
{
    orr_error e = {0};
    on_cluster(w, cluster);
    w->options.services = &w->services;
    assert_null(orr_sim_create(NULL, w->cluster, &w->options, NULL, &e));
    assert_int_equal(e.code, code);
    assert_non_null(strstr(e.message, why));
}

/* Two of 3/7 take all memory: of the seventh that is left no instance can be made. */
static void what_cannot_be_cut_is_refused(void **state)
{
    (void)state;
    small_world w;
    one_a_second(&w, 1, "3g");
    orr_exec_ask asks[2] = {w.exec, w.exec};
    asks[0].count = 2;
    asks[1].slice = "1g";
    w.services.executors = asks;
    w.services.executor_count = 2;
    refused(&w, A100, ORR_E_NO_ROOM, "no room");
    refused(&w, "nodes=1,gpus=1,type=A100", ORR_E_BAD_SCENARIO, "MIG cuts no GPU of the cluster so");
    refused(&w, "nodes=1,gpus=1,type=V100", ORR_E_BAD_SCENARIO, "MIG cuts no GPU of the cluster so");
    refused(&w, "nodes=1,gpus=4,type=A30,mig=on", ORR_E_BAD_SCENARIO, "MIG cuts no GPU of the cluster so");
    on_cluster(&w, "nodes=1,gpus=2,type=A100,mig=on");
    assert_int_equal(small_world_run(&w, "", 1)->execs.n, 3);
    small_world_fini(&w);
}

/* A job of half a GPU gets 4/7 beside 3/7; the next one waits until it is done. */
static void jobs_lie_beside(void **state)
{
    (void)state;
    small_world w;
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("beside");
    for (int i = 0; i < 2; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = i ? "b" : "a";
        job.gpu_milli = 500;
        job.submit = i;
        job.duration = 100 * ORR_SECOND;
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    one_a_second(&w, 150, "3g");
    on_cluster(&w, A100);
    w.options.services = &w.services;
    assert_non_null(w.sim = orr_sim_create(trace, w.cluster, &w.options, NULL, &e));
    assert_int_equal(orr_sim_run(w.sim, &e), ORR_OK);
    assert_int_equal(orr_sim_now(w.sim), 200 * ORR_SECOND);
    assert_int_equal(orr_serving_count(orr_sim_serving(w.sim), 0).answered, 150);
    small_world_fini(&w);
    orr_trace_destroy(trace);
}

/* ---- a GPU that is cut anew -------------------------------------------------------------------------------------- */

static orr_replica_id made[4];
static orr_err answers[8];
static orr_time ready[8];

static orr_err ask(orr_ctx *ctx, const char *slice, uint64_t gpus, orr_replica_id *out)
{
    const orr_replica_ask a = {.variant = 0,
                               .on = -1,
                               .type = -1,
                               .gpus = 1,
                               .market = -1,
                               .node = gpus ? 0 : -1,
                               .slice = slice,
                               .gpus_at = gpus};
    return orr_replica_add(ctx, &a, out);
}

/* GPU 0 is the scenario's executor's; GPU 1 is cut into 3/7 twice. */
static orr_err cut(orr_ctx *ctx)
{
    orr_replica_id r;
    if (orr_serve_now(ctx))
        return ORR_OK;
    orr_serve_timer(ctx, 10 * ORR_SECOND, 1);
    orr_serve_timer(ctx, 20 * ORR_SECOND, 2);
    answers[0] = ask(ctx, "3g", 2, &made[0]);
    answers[1] = ask(ctx, "3g", 2, &made[1]);
    answers[2] = ask(ctx, "1g", 2, &r);  /* no memory is left */
    answers[3] = ask(ctx, "9g", 0, &r);  /* there is no such instance */
    answers[4] = ask(ctx, "1g", 0, &r);  /* all GPUs are full */
    answers[5] = ask(ctx, "2g", 1, &r);  /* the whole GPU is in use */
    return ORR_OK;
}

static void later(orr_ctx *ctx, uint64_t cookie)
{
    orr_replica_drain(ctx, made[cookie - 1]);
    answers[5 + cookie] = ask(ctx, cookie == 1 ? "3g" : "2g", 2, &made[1 + cookie]);
}

static void keep_ready(void *self, orr_time at, const orr_serve_event *event)
{
    (void)self;
    if (event->kind == ORR_SE_REPLICA && event->phase == ORR_PHASE_READY && event->replica < 8)
        ready[event->replica] = at;
}

static const orr_serve cutter = {.summary = "cuts a GPU", .decide = cut, .on_timer = later};
static const orr_module module = {
    ORR_ABI,        sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), sizeof cutter,
    ORR_KIND_SERVE, "cutter",           &cutter};

/* The instance that stands there is taken as it is; another one at its place is made, 5 s. */
static void cutting_anew_takes_time(void **state)
{
    (void)state;
    small_world w;
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &module, NULL), ORR_OK);
    one_a_second(&w, 40, NULL);
    on_cluster(&w, "nodes=1,gpus=2,type=A100,mig=on");
    w.services.mig_change = 5 * ORR_SECOND;
    w.options.registry = registry;
    w.sink.event = keep_ready;
    small_world_run(&w, "cutter", 1);
    static const orr_err expected[8] = {ORR_OK,      ORR_OK,       ORR_E_LAYOUT, ORR_E_LAYOUT,
                                        ORR_E_NOFIT, ORR_E_LAYOUT, ORR_OK,       ORR_OK};
    for (int i = 0; i < 8; i++)
        assert_int_equal(answers[i], expected[i]);
    assert_int_equal(ready[made[0]], 5 * ORR_SECOND);
    assert_int_equal(ready[made[1]], 5 * ORR_SECOND);
    assert_int_equal(ready[made[2]], 10 * ORR_SECOND);
    assert_int_equal(ready[made[3]], 25 * ORR_SECOND);
    small_world_fini(&w);
    orr_registry_destroy(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_has_its_share),
        cmocka_unit_test(a_share_holds_all_of_its_instance),
        cmocka_unit_test(names_are_the_makers_too),
        cmocka_unit_test(what_cannot_be_cut_is_refused),
        cmocka_unit_test(jobs_lie_beside),
        cmocka_unit_test(cutting_anew_takes_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
