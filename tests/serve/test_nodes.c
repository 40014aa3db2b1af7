/* Nodes under executors: they fail, drain, come back; some belong to serving. By hand: one request every 200 ms from
 * 200 on, a batch takes 100, and a replica placed again starts for a second. */
#include "world.h"

#include "run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

typedef struct seen {
    int32_t taken, gone, ready, requests;
    orr_time taken_at, ready_at, start[64];
    int32_t exec[64];
    bool answered[64];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    s->requests++;
    s->start[r->number % 64] = r->start;
    s->exec[r->number % 64] = r->exec;
    s->answered[r->number % 64] = r->answered;
    assert_true(r->answered || r->why == ORR_DROP_LOST);
}

static void watch(void *self, orr_time at, const orr_serve_event *e)
{
    seen *s = self;
    if (e->kind == ORR_SE_TAKEN) {
        assert_int_equal(e->why, ORR_GONE_LOST);
        s->taken++;
        s->taken_at = at;
    } else if (e->kind == ORR_SE_REPLICA && e->phase == ORR_PHASE_GONE) {
        s->gone += e->why == ORR_GONE_LOST;
    } else if (e->kind == ORR_SE_REPLICA && e->phase == ORR_PHASE_READY) {
        s->ready++;
        s->ready_at = at;
    }
}

typedef struct scene {
    small_world w;
    seen s;
    orr_scenario *scenario;
    orr_error e;
} scene;

static void set(scene *c, const char *cluster, int32_t executors, int32_t retries)
{
    *c = (scene){.s = {0}};
    small_world_init(&c->w, 0.1, 0, 5, 10, executors);
    c->w.service.source.kind = ORR_SOURCE_REGULAR;
    c->w.service.retries = retries;
    c->w.service.container = ms(1000);
    c->w.sink = (orr_serving_sink){.self = &c->s, .request = keep, .event = watch};
    c->w.cluster = orr_cluster_spec_load(cluster, NULL, &c->e);
    assert_non_null(c->w.cluster);
    c->w.options.scenario = c->scenario = orr_scenario_create("failures");
}

/* The first `count` nodes. */
static void happens(scene *c, double at, orr_incident_kind kind, int64_t count, uint64_t gpus, double lasts)
{
    orr_incident in = orr_incident_default();
    in.at = ms(at);
    in.kind = kind;
    in.which.count = count;
    in.gpus = gpus;
    in.lasts = lasts > 0 ? ms(lasts) : ORR_TIME_NONE;
    orr_scenario_add(c->scenario, &in);
}

static void end(scene *c)
{
    small_world_fini(&c->w);
    orr_scenario_destroy(c->scenario);
}

/* The second request runs from 400 on; at 450 its node fails. The executor goes to the other node and is ready at
 * 1450, where it runs again. */
static void who_is_lost_goes_elsewhere(void **state)
{
    (void)state;
    scene c;
    set(&c, "nodes=2,gpus=1", 1, 1);
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 0, 10000);
    small_world_run(&c.w, "", 1);
    assert_int_equal(c.s.taken, 1);
    assert_int_equal(c.s.taken_at, ms(450));
    assert_int_equal(c.s.gone, 1);
    assert_int_equal(c.s.requests, 10);
    assert_int_equal(c.s.start[0], ms(200));
    for (int i = 1; i < 10; i++) {
        assert_int_equal(c.s.start[i], ms(1450 + 100 * (i - 1)));
        assert_int_equal(c.s.exec[i], 1);
    }
    end(&c);
}

/* There is no other one: it waits until the node is back at 10450. Nothing else happens meanwhile, and the run goes
 * on. */
static void or_waits_for_its_node(void **state)
{
    (void)state;
    scene c;
    set(&c, "nodes=1,gpus=1", 1, 1);
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 0, 10000);
    small_world_run(&c.w, "", 1);
    assert_int_equal(c.s.ready_at, ms(11450));
    assert_int_equal(c.s.start[1], ms(11450));
    assert_int_equal(c.s.start[9], ms(12250));
    assert_true(c.s.answered[9]);
    end(&c);
}

/* The other one drains: it takes nobody. */
static void not_on_a_node_that_drains(void **state)
{
    (void)state;
    scene c;
    orr_incident in = orr_incident_default();
    set(&c, "nodes=2,gpus=1", 1, 1);
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 0, 10000);
    const char *const second = orr_cluster_spec_node(c.w.cluster, 1)->name;
    in.kind = ORR_INCIDENT_DRAIN;
    in.which.names = &second;
    in.which.name_count = 1;
    in.at = ms(100);
    orr_scenario_add(c.scenario, &in);
    small_world_run(&c.w, "", 1);
    assert_int_equal(c.s.start[1], ms(11450));
    end(&c);
}

static void without_retries_it_is_lost(void **state)
{
    (void)state;
    scene c;
    set(&c, "nodes=2,gpus=1", 1, 0);
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 0, 10000);
    const orr_service_counts counts = orr_serving_count(small_world_run(&c.w, "", 1), 0);
    assert_int_equal(counts.dropped[ORR_DROP_LOST], 1);
    assert_int_equal(counts.answered, 9);
    assert_false(c.s.answered[1]);
    assert_int_equal(c.s.start[2], ms(1450));
    end(&c);
}

/* GPU 0 fails under the batch; the executor on GPU 1 takes over at once. */
static void a_gpu_takes_only_its_own_executor(void **state)
{
    (void)state;
    scene c;
    set(&c, "nodes=1,gpus=2", 2, 1);
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 1, 100000);
    small_world_run(&c.w, "", 1);
    assert_int_equal(c.s.taken, 1);
    assert_int_equal(c.s.start[1], ms(450));
    assert_int_equal(c.s.exec[1], 1);
    assert_int_equal(c.s.start[2], ms(600));
    assert_int_equal(c.s.ready, 2); /* both from the beginning; there is no room for the first one again */
    end(&c);
}

/* Nodes that fail by a law, every two seconds for half a second: whoever was asked is answered in the end. */
static void drawn_failures_reach_executors(void **state)
{
    (void)state;
    scene c;
    set(&c, "nodes=4,gpus=1", 4, 100);
    c.w.service.container = ms(10);
    c.w.service.source.limit = 500;
    const orr_failures f = {.mtbf = ms(2000), .mttr = ms(500), .shape = 1, .repair_shape = 1};
    orr_scenario_add_failures(c.scenario, &f);
    const orr_service_counts counts = orr_serving_count(small_world_run(&c.w, "", 7), 0);
    assert_true(c.s.taken > 20);
    assert_int_equal(c.s.taken, c.s.gone);
    assert_int_equal(counts.arrived, 500);
    assert_int_equal(counts.answered, 500);
    end(&c);
}

/* ---- nodes that belong to serving -------------------------------------------------------------------------------- */

static const run_job two[] = {{.id = "A", .gpus = 1, .duration = 10}, {.id = "B", .gpus = 1, .duration = 10}};

static run *beside_jobs(small_world *w, const char *cluster, const run_job *jobs, size_t n)
{
    w->options.services = &w->services;
    w->options.serve = "";
    return run_of_with(jobs, n, cluster, "fifo", &w->options);
}

/* Of two nodes one belongs to serving: jobs have the other one alone, as if it were the only one. */
static void jobs_do_not_go_there(void **state)
{
    (void)state;
    small_world w;
    const orr_which first = {.count = 1};
    small_world_init(&w, 0.1, 0, 5, 10, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    run *shared = beside_jobs(&w, "nodes=2,gpus=1", two, 2);
    run_ends(shared, "A:10 B:20"); /* the executor is on one of them */
    w.services.nodes = &first;
    w.services.nodes_count = 1;
    run *owned = beside_jobs(&w, "nodes=2,gpus=1", two, 2);
    run_ends(owned, "A:10 B:20");
    w.exec.count = 0;
    run *idle = beside_jobs(&w, "nodes=2,gpus=1", two, 2);
    run_ends(idle, "A:10 B:20");
    w.services.nodes_count = 0;
    run *none = beside_jobs(&w, "nodes=2,gpus=1", two, 2);
    run_ends(none, "A:10 B:10");
    run_free(shared);
    run_free(owned);
    run_free(idle);
    run_free(none);
}

/* What could only run there is turned away, since nobody lends. */
static void nor_do_they_wait_for_them(void **state)
{
    (void)state;
    small_world w;
    static const run_job wide[] = {{.id = "A", .gpus = 2, .duration = 10}, {.id = "B", .gpus = 1, .duration = 10}};
    const orr_which first = {.count = 1};
    small_world_init(&w, 0.1, 0, 5, 10, 1);
    w.services.nodes = &first;
    w.services.nodes_count = 1;
    run *r = beside_jobs(&w, "nodes=2,gpus=1", wide, 2);
    assert_int_equal(run_job_of(r, "A")->state, ORR_JOB_REJECTED);
    run_ends(r, "B:10");
    run_free(r);
}

static orr_trace *some_jobs(uint64_t seed)
{
    orr_synth_options o = orr_synth_options_default();
    o.shape = "philly";
    o.jobs = 200;
    o.gpus = 16;
    o.load = 0.9;
    o.max_gpus = 8;
    o.seed = seed;
    return run_synth(&o);
}

/* A service that nobody asks and nothing runs: jobs are as without it. */
static void services_that_do_nothing_change_nothing(void **state)
{
    (void)state;
    small_world w;
    orr_trace *trace = some_jobs(3);
    orr_cluster_spec *cluster = run_cluster("nodes=2,gpus=8");
    small_world_init(&w, 0.1, 0, 5, 10, 0);
    w.service.source.kind = ORR_SOURCE_NONE;
    run *alone = run_policy(trace, cluster, "las", &w.options);
    w.options.services = &w.services;
    run *beside = run_policy(trace, cluster, "las", &w.options);
    assert_int_equal(alone->count, beside->count);
    for (size_t i = 0; i < alone->count; i++) {
        assert_int_equal(alone->jobs[i].end, beside->jobs[i].end);
        assert_int_equal(alone->jobs[i].preemptions, beside->jobs[i].preemptions);
        assert_string_equal(alone->jobs[i].nodes, beside->jobs[i].nodes);
    }
    assert_int_equal(alone->counts.events, beside->counts.events);
    assert_int_equal(alone->counts.decisions, beside->counts.decisions);
    run_free(alone);
    run_free(beside);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
}

/* Nodes 0 and 1 belong to serving, and nobody lends them: jobs live as on a cluster that lacks them. */
static void not_lent_is_not_there(void **state)
{
    (void)state;
    small_world w;
    const orr_which first = {.count = 2};
    orr_trace *trace = some_jobs(4);
    orr_cluster_spec *small = run_cluster("nodes=2,gpus=8"), *large = run_cluster("nodes=4,gpus=8");
    small_world_init(&w, 0.1, 0, 5, 10, 3);
    run *alone = run_policy(trace, small, "las", &w.options);
    w.options.services = &w.services;
    w.services.nodes = &first;
    w.services.nodes_count = 1;
    run *beside = run_policy(trace, large, "las", &w.options);
    for (size_t i = 0; i < alone->count; i++) {
        assert_int_equal(alone->jobs[i].end, beside->jobs[i].end);
        assert_int_equal(alone->jobs[i].preemptions, beside->jobs[i].preemptions);
    }
    run_free(alone);
    run_free(beside);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(small);
    orr_cluster_spec_destroy(large);
}

/* Our only node fails, which jobs never saw up: its executors go to the one that is for all. */
static void a_node_of_ours_fails(void **state)
{
    (void)state;
    scene c;
    const orr_which ours = {.count = 1};
    set(&c, "nodes=2,gpus=2", 2, 1);
    c.w.services.nodes = &ours;
    c.w.services.nodes_count = 1;
    happens(&c, 450, ORR_INCIDENT_DOWN, 1, 0, 1000);
    small_world_run(&c.w, "", 1);
    assert_int_equal(c.s.taken, 2);
    assert_int_equal(c.s.ready, 4);
    assert_int_equal(c.s.start[1], ms(1450));
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_lost_goes_elsewhere),
        cmocka_unit_test(or_waits_for_its_node),
        cmocka_unit_test(not_on_a_node_that_drains),
        cmocka_unit_test(without_retries_it_is_lost),
        cmocka_unit_test(a_gpu_takes_only_its_own_executor),
        cmocka_unit_test(drawn_failures_reach_executors),
        cmocka_unit_test(jobs_do_not_go_there),
        cmocka_unit_test(nor_do_they_wait_for_them),
        cmocka_unit_test(services_that_do_nothing_change_nothing),
        cmocka_unit_test(not_lent_is_not_there),
        cmocka_unit_test(a_node_of_ours_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
