/* mig: two services on the instances of one GPU, as its head comment has it; whole GPUs in comparison; and what goes
 * only when enough is there without it. */
#include "serve/serving.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* One at a time: 6 a second on 1/7, 10 on 2/7 and more, 24 on a whole GPU; within half of an SLO of a second. */
static const orr_exec_profile profiles[] = {
    {.gpu_type = "", .milli = 142, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 1.0 / 6},
    {.gpu_type = "", .milli = 285, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 1.0 / 10},
    {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 1.0 / 24}};

typedef struct pair {
    small_world w;
    orr_service services[2];
    orr_hosted_ask hosts[2];
    orr_exec_ask execs[2];
} pair;

/* 25 and 5 a second: with a headroom of 0.2 needs are 30 and 6. Each begins with a whole GPU. */
static const orr_serving *run(pair *p, const char *serve, const char *cluster)
{
    orr_error e = {0};
    small_world_init(&p->w, 0, 0, 25, 25 * 100, 1);
    p->w.service.source.kind = ORR_SOURCE_REGULAR;
    p->w.class_.slo = ORR_SECOND;
    p->w.variant.max_batch = 1;
    p->w.variant.profiles = profiles;
    p->w.variant.profile_count = 3;
    for (int i = 0; i < 2; i++) {
        p->services[i] = p->w.service;
        p->services[i].name = i ? "b" : "a";
        p->hosts[i] = (orr_hosted_ask){i, 0};
        p->execs[i] = p->w.exec;
        p->execs[i].hosts = &p->hosts[i];
    }
    p->services[1].source.rate = 5;
    p->services[1].source.limit = 5 * 100;
    p->w.services.services = p->services;
    p->w.services.count = 2;
    p->w.services.executors = p->execs;
    p->w.services.executor_count = 2;
    p->w.services.mig_change = 5 * ORR_SECOND;
    assert_non_null(p->w.cluster = orr_cluster_spec_load(cluster, NULL, &e));
    return small_world_run(&p->w, serve, 1);
}

/* How many live executors a service has on instances of this name; NULL: on whole GPUs. */
static int on(const orr_serving *s, orr_service_id service, const char *slice)
{
    int n = 0;
    for (size_t i = 0; i < s->execs.n; i++) {
        const orr_sv_exec *e = &s->execs.at[i];
        const bool like = slice ? e->slice_name && strcmp(e->slice_name, slice) == 0 : !e->slice_name;
        n += e->alive && like && s->variants.at[s->replicas.at[e->replicas.at[0]].variant].service == service;
    }
    return n;
}

static void instances_of_one_gpu_are_enough(void **state)
{
    (void)state;
    pair p;
    const orr_serving *s = run(&p, "mig", "nodes=1,gpus=3,type=A100,mig=on");
    assert_int_equal(on(s, 0, "2g"), 3);
    assert_int_equal(on(s, 1, "1g"), 1);
    assert_int_equal(on(s, 0, NULL) + on(s, 1, NULL), 0);
    for (size_t i = 2; i < s->execs.n; i++)
        assert_int_equal(s->execs.at[i].mask, s->execs.at[2].mask);
    for (int i = 0; i < 2; i++) { /* when the new ones are ready, and their last batch has ended */
        assert_true(s->execs.at[i].gone_at >= 35 * ORR_SECOND &&
                    s->execs.at[i].gone_at < 35 * ORR_SECOND + 50 * ORR_MS);
        assert_int_equal(s->execs.at[i].mask & s->execs.at[2].mask, 0);
    }
    assert_int_equal(orr_serving_count(s, 1).late, 0);
    small_world_fini(&p.w);
}

/* 24 a second aren't 30: one more for the first. */
static void whole_gpus_are_three(void **state)
{
    (void)state;
    pair p;
    const orr_serving *s = run(&p, "mig,whole=yes", "nodes=1,gpus=3,type=A100,mig=on");
    assert_int_equal(on(s, 0, NULL), 2);
    assert_int_equal(on(s, 1, NULL), 1);
    small_world_fini(&p.w);
}

/* Without an idle GPU what is there stays, and serves. */
static void without_room_nothing_goes(void **state)
{
    (void)state;
    pair p;
    const orr_serving *s = run(&p, "mig", "nodes=1,gpus=2,type=A100,mig=on");
    assert_int_equal(s->execs.n, 2);
    assert_int_equal(orr_serving_count(s, 1).answered, 500);
    small_world_fini(&p.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_of_one_gpu_are_enough),
        cmocka_unit_test(whole_gpus_are_three),
        cmocka_unit_test(without_room_nothing_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
