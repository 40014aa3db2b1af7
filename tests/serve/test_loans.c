/* Nodes lent to jobs and called back, by hand. A module does what the test writes down for it. Jobs run under fifo,
 * without costs. */
#include "world.h"

#include "run.h"

#include "serve/serving.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- a module that follows orders, once a second ----------------------------------------------------------------- */

enum { LEND, RECLAIM, RECLAIM_SOME, ADD, DRAIN };

typedef struct order {
    double at;
    int what;
    int32_t node; /* or how many */
    double lead;
    orr_err answer;
} order;

static order *orders;
static size_t order_count;

static void obey(orr_ctx *ctx, order *o)
{
    const orr_replica_ask ask = {
        .variant = 0, .on = -1, .type = -1, .milli = 1000, .gpus = 1, .market = -1, .node = -1};
    orr_replica_id id;
    if (o->what == LEND)
        o->answer = orr_node_lend(ctx, o->node);
    else if (o->what == RECLAIM)
        o->answer = orr_node_reclaim(ctx, o->node, orr_time_from_seconds(o->lead));
    else if (o->what == RECLAIM_SOME)
        o->answer = orr_nodes_reclaim(ctx, o->node, orr_time_from_seconds(o->lead));
    else if (o->what == ADD)
        o->answer = orr_replica_add(ctx, &ask, &id);
    else
        o->answer = orr_replica_drain(ctx, o->node);
    o->at = -1;
}

static orr_err decide(orr_ctx *ctx)
{
    for (size_t i = 0; i < order_count; i++)
        if (orr_time_from_seconds(orders[i].at) == orr_serve_now(ctx) && orders[i].at >= 0)
            obey(ctx, &orders[i]);
    return ORR_OK;
}

static const orr_serve obedient = {
    .summary = "does as it is told", .flags = ORR_SERVE_LENDS, .period = "1s", .decide = decide};
static const orr_serve miser = {.summary = "lends without saying that it does", .period = "1s", .decide = decide};
static const orr_module modules[] = {{ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof obedient, ORR_KIND_SERVE, "obedient", &obedient},
                                     {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof miser, ORR_KIND_SERVE, "miser", &miser}};

/* ---- a run ------------------------------------------------------------------------------------------------------- */

typedef struct told {
    int32_t loaned, returned;
    double loaned_at[8], returned_at[8];
    int32_t loaned_node[8], returned_node[8];
} told;

static void watch(void *self, orr_time at, const orr_serve_event *e)
{
    told *t = self;
    if (e->kind == ORR_SE_LOANED && t->loaned < 8) {
        t->loaned_at[t->loaned] = orr_time_seconds(at);
        t->loaned_node[t->loaned++] = e->node;
    } else if (e->kind == ORR_SE_RETURNED && t->returned < 8) {
        t->returned_at[t->returned] = orr_time_seconds(at);
        t->returned_node[t->returned++] = e->node;
    }
}

typedef struct scene {
    small_world w;
    orr_which ours;
    told t;
    orr_registry *registry;
} scene;

/* The first `owned` nodes belong to serving; one executor, asked once a second. */
static void set(scene *c, int32_t owned, int32_t executors)
{
    *c = (scene){.ours = {.count = owned}};
    small_world_init(&c->w, 0.1, 0, 1, 60, executors);
    c->w.service.source.kind = ORR_SOURCE_REGULAR;
    c->w.services.nodes = &c->ours;
    c->w.services.nodes_count = owned > 0;
    c->w.sink = (orr_serving_sink){.self = &c->t, .event = watch};
    c->registry = orr_registry_create();
    assert_int_equal(orr_registry_add(c->registry, &modules[0], NULL), ORR_OK);
    assert_int_equal(orr_registry_add(c->registry, &modules[1], NULL), ORR_OK);
}

static run *go_as(scene *c, const char *serve, const char *cluster, const run_job *jobs, size_t n, order *o,
                  size_t count)
{
    orders = o;
    order_count = count;
    c->w.options.services = &c->w.services;
    c->w.options.serve = serve;
    c->w.options.registry = c->registry;
    c->w.options.serving_sink = &c->w.sink;
    return run_of_with(jobs, n, cluster, "fifo", &c->w.options);
}

static void end(scene *c, run *r)
{
    run_free(r);
    orr_registry_destroy(c->registry);
}

/* ---- there and back ---------------------------------------------------------------------------------------------- */

/* Nodes of one GPU: 0 has the executor, 1 is idle, 2 is for all.
 *
 *     node 1        | B from 5 on    | due at 15
 *     node 2 | A, until 20                  | B again, 10 left, until 30
 */
static void a_node_is_lent_and_taken_back(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}, {.id = "B", .gpus = 1, .duration = 20}};
    order o[] = {{5, LEND, 1, 0, 0}, {5, LEND, 0, 0, 0}, {12, RECLAIM, 1, 3, 0}, {13, RECLAIM, 1, 3, 0}};
    set(&c, 2, 1);
    run *r = go_as(&c, "obedient", "nodes=3,gpus=1", jobs, 2, o, 4);
    assert_int_equal(o[0].answer, ORR_OK);
    assert_int_equal(o[1].answer, ORR_E_NOFIT); /* there is an executor on it */
    assert_int_equal(o[2].answer, ORR_OK);
    assert_int_equal(o[3].answer, ORR_E_NOFIT); /* it comes already */
    run_ends(r, "A:20 B:30");
    run_held(r, "B", "5-15@1:1 20-30@2:1");
    assert_int_equal(r->counts.interruptions, 1);
    assert_int_equal(c.t.loaned, 1);
    assert_int_equal(c.t.returned, 1);
    assert_true(c.t.loaned_at[0] == 5 && c.t.returned_at[0] == 15);
    end(&c, r);
}

/* B is done at 13 and the node back by then; C, which waits since 0, isn't put there any more. */
static void it_comes_when_it_is_empty(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20},
                                   {.id = "B", .gpus = 1, .duration = 8},
                                   {.id = "C", .gpus = 1, .duration = 5}};
    order o[] = {{5, LEND, 1, 0, 0}, {12, RECLAIM, 1, 3, 0}};
    set(&c, 2, 1);
    run *r = go_as(&c, "obedient", "nodes=3,gpus=1", jobs, 3, o, 2);
    run_ends(r, "A:20 B:13 C:25");
    assert_int_equal(r->counts.interruptions, 0);
    assert_true(c.t.returned == 1 && c.t.returned_at[0] == 13);
    end(&c, r);
}

static void without_notice_it_is_taken_at_once(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}, {.id = "B", .gpus = 1, .duration = 20}};
    order o[] = {{5, LEND, 1, 0, 0}, {12, RECLAIM, 1, 0, 0}};
    set(&c, 2, 1);
    run *r = go_as(&c, "obedient", "nodes=3,gpus=1", jobs, 2, o, 2);
    run_ends(r, "A:20 B:33"); /* 7 of its 20 were done */
    end(&c, r);
}

/* Between jobs' own instants serving runs alone: a loan makes one. Nothing happens to A and B from 0 to 20, but at 5.
 * An executor asked for while the node is lent finds no room, and is on it afterwards. */
static void the_node_serves_again(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}, {.id = "B", .gpus = 1, .duration = 20}};
    order o[] = {{5, LEND, 1, 0, 0}, {6, ADD, 0, 0, 0}, {7, RECLAIM, 1, 0, 0}, {8, ADD, 0, 0, 0}, {9, LEND, 1, 0, 0}};
    set(&c, 2, 1);
    run *r = go_as(&c, "obedient", "nodes=3,gpus=1", jobs, 2, o, 5);
    assert_int_equal(o[1].answer, ORR_E_NOFIT);
    assert_int_equal(o[3].answer, ORR_OK);
    assert_int_equal(o[4].answer, ORR_E_NOFIT);
    run_ends(r, "A:20 B:38");
    run_held(r, "B", "5-7@1:1 20-38@2:1");
    end(&c, r);
}

/* Nodes 1 to 3 are lent, and hold A since 0, B since 6, C since 8. At 12 that is 12, 6 and 4 GPU-seconds: two come
 * back, 3 first, then 2; at 13 the last one, although five are asked for. B goes on where there is room for all (44
 * left), then A (37), then C (46). */
static void those_that_lose_least_come_first(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 50},
                                   {.id = "B", .submit = 6, .gpus = 1, .duration = 50},
                                   {.id = "C", .submit = 8, .gpus = 1, .duration = 50}};
    order o[] = {{0, LEND, 1, 0, 0},
                 {6, LEND, 2, 0, 0},
                 {8, LEND, 3, 0, 0},
                 {12, RECLAIM_SOME, 2, 0, 0},
                 {13, RECLAIM_SOME, 5, 0, 0}};
    set(&c, 4, 1);
    run *r = go_as(&c, "obedient", "nodes=5,gpus=1", jobs, 3, o, 5);
    assert_int_equal(o[3].answer, ORR_OK);
    assert_int_equal(o[4].answer, ORR_E_NOFIT); /* one was left, and comes */
    assert_int_equal(c.t.returned, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(c.t.returned_node[i], 3 - i);
    assert_int_equal(r->counts.interruptions, 3);
    run_ends(r, "B:56 A:93 C:139");
    end(&c, r);
}

/* Nodes 1 and 2 are lent, and jobs take one of them at most: executors asked for meanwhile find room on node 3, which
 * is for all, and then none. */
static void executors_stay_off_lent_nodes(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .submit = 3, .gpus = 1, .duration = 20}};
    order o[] = {{1, LEND, 1, 0, 0}, {1, LEND, 2, 0, 0}, {2, ADD, 0, 0, 0}, {2, ADD, 0, 0, 0}, {4, ADD, 0, 0, 0}};
    set(&c, 3, 1);
    run *r = go_as(&c, "obedient", "nodes=4,gpus=1", jobs, 1, o, 5);
    assert_int_equal(o[2].answer, ORR_OK);
    assert_int_equal(o[3].answer, ORR_E_NOFIT);
    assert_int_equal(o[4].answer, ORR_E_NOFIT);
    run_held(r, "A", "3-23@1:1");
    end(&c, r);
}

/* ---- who comes first --------------------------------------------------------------------------------------------- */

/* One GPU for both. At 5 a job is submitted and a replica asked for: serving decides first, and the job waits until
 * it goes at 9. */
static void serving_decides_before_jobs(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .submit = 5, .gpus = 1, .duration = 10}};
    order o[] = {{5, ADD, 0, 0, 0}, {9, DRAIN, 0, 0, 0}};
    set(&c, 0, 0);
    c.w.service.source.from = orr_time_from_seconds(100);
    c.w.service.source.limit = 1;
    run *r = go_as(&c, "obedient", "nodes=1,gpus=1", jobs, 1, o, 2);
    assert_int_equal(o[0].answer, ORR_OK);
    assert_int_equal(o[1].answer, ORR_OK);
    run_ends(r, "A:19");
    end(&c, r);
}

/* ---- what is not allowed ----------------------------------------------------------------------------------------- */

static void lending_must_be_declared(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}};
    order o[] = {{5, LEND, 1, 0, 0}};
    set(&c, 2, 1);
    c.w.options.skip_violations = true;
    run *r = go_as(&c, "miser", "nodes=3,gpus=1", jobs, 1, o, 1);
    assert_int_equal(o[0].answer, ORR_E_BAD_VALUE);
    assert_int_equal(c.t.loaned, 0);
    end(&c, r);
}

static void only_what_is_ours(void **state)
{
    (void)state;
    scene c;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}};
    order o[] = {{5, LEND, 2, 0, 0}, {6, LEND, 3, 0, 0}, {7, RECLAIM, 1, -1, 0}, {8, RECLAIM_SOME, -1, 0, 0}};
    set(&c, 2, 1);
    c.w.options.skip_violations = true;
    run *r = go_as(&c, "obedient", "nodes=3,gpus=1", jobs, 1, o, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(o[i].answer, ORR_E_BAD_VALUE);
    end(&c, r);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* Lent from 5 to 8 and from 10 to the end at 12, without a job: 5 node-seconds. */
static void loans_are_counted(void **state)
{
    (void)state;
    scene c;
    orr_error e = {0};
    order o[] = {{5, LEND, 1, 0, 0}, {8, RECLAIM, 1, 0, 0}, {10, LEND, 1, 0, 0}};
    set(&c, 2, 1);
    orders = o;
    order_count = 3;
    c.w.options.until = orr_time_from_seconds(12);
    c.w.options.registry = c.registry;
    c.w.cluster = orr_cluster_spec_load("nodes=3,gpus=1", NULL, &e);
    const orr_loans loans = orr_serving_loans(small_world_run(&c.w, "obedient", 1));
    assert_int_equal(loans.loans, 2);
    assert_int_equal(loans.returns, 1);
    assert_int_equal(loans.interrupted, 0);
    assert_true(fabs(loans.node_seconds - 5) < 1e-9);
    small_world_fini(&c.w);
    orr_registry_destroy(c.registry);
}

/* ---- aryl -------------------------------------------------------------------------------------------------------- */

/* Nodes of two GPUs: 0 to 3 belong to serving, 4 is for all. One replica answers 10 a second and is planned to be
 * busy for 0.5 of its time: up to 5 requests a second need one replica, so that with a headroom of one node (0.02 of
 * 4, rounded up) two nodes stay, 2 and 3 are lent, at 0. From 60 on 30 a second come: by 70 that is known, and six
 * replicas and the headroom need all four nodes. X holds both lent nodes, since 0; stopping it costs 1/2 on each of
 * them, and nothing on the second once the first is called. */
static const run_job across[] = {{.id = "X", .gpus = 4, .duration = 500}, {.id = "Y", .gpus = 2, .duration = 500}};

static run *with_aryl(scene *c, const char *spec, const char *cluster, const run_job *jobs, size_t n)
{
    static uint64_t counts[30];
    for (int i = 0; i < 30; i++)
        counts[i] = i < 6 ? 10 : 300;
    c->w.service.source.kind = ORR_SOURCE_COUNTS;
    c->w.service.source.counts = counts;
    c->w.service.source.bins = 30;
    c->w.service.source.bin = orr_time_from_seconds(10);
    c->w.service.source.within = ORR_BIN_EVEN;
    c->w.service.source.limit = 0;
    c->w.variant.max_batch = 1;
    return go_as(c, spec, cluster, jobs, n, NULL, 0);
}

static void aryl_lends_what_is_not_needed(void **state)
{
    (void)state;
    scene c;
    set(&c, 4, 1);
    run *r = with_aryl(&c, "aryl,load=0.5,period=10s,window=10s,bin=10s,lead=20s", "nodes=5,gpus=2", across, 2);
    const double lent[] = {0, 0, 310, 310}; /* the last request comes at 300 */
    assert_int_equal(c.t.loaned, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(c.t.loaned_at[i] == lent[i]);
        assert_int_equal(c.t.loaned_node[i], 3 - i % 2);
    }
    assert_int_equal(c.t.returned, 2);
    assert_true(c.t.returned_at[0] == 90 && c.t.returned_at[1] == 90); /* known at 70, 20 before */
    end(&c, r);
}

/* The same with nodes 2, 3 and 4 lent, of which two must be back: X holds 2 and 3, Y and Z one GPU each of 4.
 * Stopping X costs 1/2 and then nothing, stopping Y and Z 1 each. By GPU-seconds (280, 280, 40 at 70) it is node 4
 * first, and all three are stopped. */
static void few_jobs_are_stopped_not_few_seconds(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "X", .gpus = 4, .duration = 500},
                                   {.id = "Y", .submit = 50, .gpus = 1, .duration = 500},
                                   {.id = "Z", .submit = 50, .gpus = 1, .duration = 500},
                                   {.id = "V", .submit = 55, .gpus = 2, .duration = 500}};
    static const char *const rules[] = {"servers", "seconds"};
    for (int i = 0; i < 2; i++) {
        scene c;
        char spec[128];
        set(&c, 5, 1);
        snprintf(spec, sizeof spec, "aryl,load=0.5,period=10s,window=10s,bin=10s,lead=20s,reclaim=%s", rules[i]);
        run *r = with_aryl(&c, spec, "nodes=6,gpus=2", jobs, 4);
        assert_int_equal(r->counts.interruptions, i == 0 ? 1 : 3);
        assert_true(c.t.returned_at[0] == 90 && c.t.returned_at[1] == 90);
        end(&c, r);
    }
}

/* Jobs have two nodes of their own, and no others. */
static void without_loans_jobs_have_their_own(void **state)
{
    (void)state;
    scene c;
    set(&c, 4, 1);
    run *r = with_aryl(&c, "aryl:no-loans", "nodes=6,gpus=2", across, 2);
    assert_int_equal(c.t.loaned, 0);
    run_ends(r, "X:500 Y:1000");
    end(&c, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_lent_and_taken_back),
        cmocka_unit_test(it_comes_when_it_is_empty),
        cmocka_unit_test(without_notice_it_is_taken_at_once),
        cmocka_unit_test(the_node_serves_again),
        cmocka_unit_test(those_that_lose_least_come_first),
        cmocka_unit_test(executors_stay_off_lent_nodes),
        cmocka_unit_test(serving_decides_before_jobs),
        cmocka_unit_test(lending_must_be_declared),
        cmocka_unit_test(only_what_is_ours),
        cmocka_unit_test(loans_are_counted),
        cmocka_unit_test(aryl_lends_what_is_not_needed),
        cmocka_unit_test(few_jobs_are_stopped_not_few_seconds),
        cmocka_unit_test(without_loans_jobs_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
