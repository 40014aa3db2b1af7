/* infaas: who is interfered with moves, and a larger variant instead of many replicas. tests/serve/test_flow_policies.c
 * has its choice of variants and its rule of replicas. */
#include "serve/serving.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Two services on halves of one GPU, 20 ms a request, each twice as slow beside the other, asked at the same instants.
 */
static const orr_serving *beside(small_world *w, orr_service both[2], orr_exec_ask execs[2], const char *cluster,
                                 const char *serve)
{
    static const orr_hosted_ask hosts[2] = {{0, 0}, {1, 0}};
    static const orr_contention slow[2] = {{"a/v", "b/v", 2}, {"b/v", "a/v", 2}};
    orr_error e = {0};
    small_world_init(w, 0.020, 0, 10, 100, 1);
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->profile.milli = 500;
    w->variant.max_batch = 1;
    for (int i = 0; i < 2; i++) {
        both[i] = w->service;
        both[i].name = i ? "b" : "a";
        execs[i] = w->exec;
        execs[i].milli = 500;
        execs[i].hosts = &hosts[i];
    }
    w->services.services = both;
    w->services.count = 2;
    w->services.executors = execs;
    w->services.executor_count = 2;
    w->services.contention = slow;
    w->services.contention_count = 2;
    assert_non_null(w->cluster = orr_cluster_spec_load(cluster, NULL, &e));
    return small_world_run(w, serve, 1);
}

/* Answers of the first second take 40 ms; at its end, the second one's batch is over, a moves. */
static void who_is_interfered_with_moves(void **state)
{
    (void)state;
    small_world w;
    orr_service both[2];
    orr_exec_ask execs[2];
    const orr_serving *s = beside(&w, both, execs, "nodes=1,gpus=2", "infaas");
    assert_int_equal(s->execs.n, 3);
    assert_false(s->execs.at[0].alive);
    assert_true(s->execs.at[0].gone_at >= ORR_SECOND && s->execs.at[0].gone_at < 2 * ORR_SECOND);
    assert_true(s->execs.at[1].alive && s->execs.at[2].alive && s->execs.at[1].mask != s->execs.at[2].mask);
    assert_true(orr_serving_quantile(s, 0, ORR_SERVING_LATENCY, 0.5) < 0.021);
    assert_true(orr_serving_quantile(s, 1, ORR_SERVING_LATENCY, 0.5) < 0.021);
    small_world_fini(&w);
}

static void without_an_idle_gpu_it_stays(void **state)
{
    (void)state;
    small_world w;
    orr_service both[2];
    orr_exec_ask execs[2];
    assert_int_equal(beside(&w, both, execs, "nodes=1,gpus=1", "infaas")->execs.n, 2);
    small_world_fini(&w);
    assert_int_equal(beside(&w, both, execs, "nodes=1,gpus=2", "infaas,slow=3")->execs.n, 2);
    small_world_fini(&w);
}

/* The example of its head comment: how many replicas of each variant were made. */
static void upgraded(const char *serve, int expected_small, int expected_large)
{
    small_world w;
    const orr_exec_profile profiles[2] = {
        {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.010},
        {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.020, .beta = 0.0025}};
    small_world_init(&w, 0, 0, 350, 700, 1);
    orr_variant variants[2] = {w.variant, w.variant};
    w.service.source.kind = ORR_SOURCE_REGULAR;
    for (int i = 0; i < 2; i++) {
        variants[i].name = i ? "large" : "small";
        variants[i].profiles = &profiles[i];
        variants[i].max_batch = i ? 8 : 1;
        variants[i].load = (i ? 5 : 10) * ORR_SECOND;
    }
    w.service.variants = variants;
    w.service.variant_count = 2;
    const orr_serving *s = small_world_run(&w, serve, 1);
    int n[2] = {0, 0};
    for (size_t i = 0; i < s->replicas.n; i++)
        n[s->replicas.at[i].variant]++;
    assert_int_equal(n[0], expected_small);
    assert_int_equal(n[1], expected_large);
    small_world_fini(&w);
}

static void a_larger_variant_instead_of_many_replicas(void **state)
{
    (void)state;
    upgraded("infaas,period=1s,full=1000,checks=10000", 1, 2);
    upgraded("infaas,period=1s,full=1000,checks=10000,upgrade=inf,most=6", 6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_interfered_with_moves),
        cmocka_unit_test(without_an_idle_gpu_it_stays),
        cmocka_unit_test(a_larger_variant_instead_of_many_replicas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
