/* Weights that don't all fit: loads on demand, the channel, who is put out, and what policies may do. 100 MB at 1
 * GB/s take 100 ms, a batch 10 ms, unless a test says something else; models are a, b, c, ..., and as many of them as
 * fit are there from the beginning. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MODELS = 5, ASKED = 16, MB = 1000000 };

typedef struct seen {
    int32_t count[MODELS], events;
    orr_time latency[MODELS][ASKED];
    char what[256]; /* "+b@100" b has come at 100 ms, "-a@0" a was put out */
} seen;

typedef struct models {
    small_world w;
    orr_service services[MODELS];
    orr_hosted_ask hosts[MODELS];
    orr_trace_request asked[MODELS][ASKED];
    seen s;
} models;

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

static void keep_request(void *self, const orr_request_record *r)
{
    seen *s = self;
    if (r->answered && s->count[r->service] < ASKED)
        s->latency[r->service][s->count[r->service]++] = r->end - r->arrival;
}

static void keep_event(void *self, orr_time at, const orr_serve_event *e)
{
    seen *s = self;
    if (e->kind != ORR_SE_LOADED && e->kind != ORR_SE_EVICTED)
        return;
    const size_t n = strlen(s->what);
    snprintf(s->what + n, sizeof s->what - n, "%s%c%c@%g", n ? " " : "", e->kind == ORR_SE_LOADED ? '+' : '-',
             'a' + e->service, (double)at * 1e-6);
}

/* `n` models on one GPU. */
static void begin(models *m, int32_t n, int64_t capacity)
{
    static const char *const names[MODELS] = {"a", "b", "c", "d", "e"};
    *m = (models){0};
    small_world_init(&m->w, 0.010, 0, 0, 0, 1);
    m->w.variant.bytes = 100 * MB;
    for (int32_t i = 0; i < n; i++) {
        m->services[i] = m->w.service;
        m->services[i].name = names[i];
        m->services[i].source =
            (orr_source){.kind = ORR_SOURCE_LIST, .list = m->asked[i], .speed = 1, .until = ORR_TIME_MAX};
        m->hosts[i] = (orr_hosted_ask){.service = i};
    }
    m->w.services.services = m->services;
    m->w.services.count = n;
    m->w.services.store = (orr_weight_store){.bandwidth = 1e9, .channels = 1, .capacity = capacity};
    m->w.exec.hosts = m->hosts;
    m->w.exec.host_count = n;
    m->w.sink = (orr_serving_sink){.self = &m->s, .request = keep_request, .event = keep_event};
}

static void ask(models *m, char model, double at)
{
    orr_source *source = &m->services[model - 'a'].source;
    m->asked[model - 'a'][source->listed++] = (orr_trace_request){.id = "",
                                                                  .service = "",
                                                                  .client = "",
                                                                  .arrival = ms(at),
                                                                  .duration = ORR_TIME_NONE,
                                                                  .tokens_in = -1,
                                                                  .tokens_out = -1,
                                                                  .count = 1};
}

static void took(const models *m, char model, int32_t i, double expected)
{
    assert_true(i < m->s.count[model - 'a']);
    assert_int_equal(m->s.latency[model - 'a'][i], ms(expected));
}

/* ---- on demand --------------------------------------------------------------------------------------------------- */

/* One of the two fits: who is asked is never the one that is there. */
static void each_of_two_that_alternate_pays_the_load(void **state)
{
    (void)state;
    models m;
    double busy, there;
    begin(&m, 2, 150 * MB);
    ask(&m, 'b', 0), ask(&m, 'a', 1000), ask(&m, 'b', 2000), ask(&m, 'a', 3000);
    const orr_serving *r = small_world_run(&m.w, "", 1);
    for (int i = 0; i < 2; i++)
        took(&m, 'a', i, 110), took(&m, 'b', i, 110);
    const orr_service_counts a = orr_serving_count(r, 0), all = orr_serving_count(r, -1);
    assert_int_equal(a.loads, 2);
    assert_int_equal(all.loads, 4);
    assert_int_equal(all.evictions, 4);
    assert_int_equal(all.cold, 4);
    assert_true(orr_serving_weights(r, &busy, &there));
    assert_true(fabs(busy - 0.4) < 1e-9 && fabs(there - 3.11) < 1e-9);
    assert_string_equal(m.s.what, "-a@0 +b@100 -b@1000 +a@1100 -a@2000 +b@2100 -b@3000 +a@3100");
    small_world_fini(&m.w);
}

/* Pages of 80 MB: each takes two of them, and 160 ms to load; three pages hold one. */
static void memory_is_given_in_whole_pages(void **state)
{
    (void)state;
    models m;
    begin(&m, 2, 240 * MB);
    m.w.services.store.page = 80 * MB;
    ask(&m, 'a', 0), ask(&m, 'b', 1000);
    small_world_run(&m.w, "", 1);
    took(&m, 'a', 0, 10);
    took(&m, 'b', 0, 170);
    small_world_fini(&m.w);
}

/* c and d come at once. One after the other their loads end at 1100 and 1200; on two channels both at 1100. */
static void loads_wait_for_their_channel(void **state)
{
    (void)state;
    for (int32_t channels = 1; channels <= 2; channels++) {
        models m;
        begin(&m, 4, 200 * MB);
        m.w.services.store.channels = channels;
        ask(&m, 'c', 1000), ask(&m, 'd', 1000);
        small_world_run(&m.w, "", 1);
        took(&m, 'c', 0, 110);
        took(&m, 'd', 0, channels == 1 ? 210 : 120);
        small_world_fini(&m.w);
    }
}

/* Of a and b, a was used last: c takes b's place, and then b takes c's, since a was used again. */
static void what_was_used_least_recently_goes(void **state)
{
    (void)state;
    models m;
    begin(&m, 3, 200 * MB);
    ask(&m, 'a', 0), ask(&m, 'b', 1000), ask(&m, 'a', 2000), ask(&m, 'c', 3000), ask(&m, 'a', 4000), ask(&m, 'b', 5000);
    small_world_run(&m.w, "", 1);
    took(&m, 'a', 2, 10);
    assert_string_equal(m.s.what, "-b@3000 +c@3100 -c@5000 +b@5100");
    small_world_fini(&m.w);
}

/* a runs until 1000; b came at 500, and waits for its memory though a slot is free. */
static void what_runs_stays(void **state)
{
    (void)state;
    models m;
    begin(&m, 2, 100 * MB);
    m.w.profile.alpha = 1;
    m.w.exec.slots = 2;
    ask(&m, 'a', 0), ask(&m, 'b', 500);
    small_world_run(&m.w, "", 1);
    took(&m, 'b', 0, 1600);
    assert_string_equal(m.s.what, "-a@1000 +b@1100");
    small_world_fini(&m.w);
}

/* b is asked for at 6, when two wait for a: they go first, until 20. The third for a came behind it and is answered
 * when a is back at 230. */
static void who_waited_first_is_served_first(void **state)
{
    (void)state;
    models m;
    begin(&m, 2, 100 * MB);
    ask(&m, 'a', 0), ask(&m, 'a', 5), ask(&m, 'b', 6), ask(&m, 'a', 7);
    small_world_run(&m.w, "", 1);
    took(&m, 'a', 1, 15);
    took(&m, 'b', 0, 124);
    took(&m, 'a', 2, 233);
    assert_string_equal(m.s.what, "-a@20 +b@120 -b@130 +a@230");
    small_world_fini(&m.w);
}

/* Half of a GPU has half of its memory: 75 MB can't hold a model. */
static void what_never_fits_is_an_error(void **state)
{
    (void)state;
    models m;
    orr_error e = {0};
    begin(&m, 1, 150 * MB);
    m.w.profile.milli = m.w.exec.milli = 500;
    m.w.options.services = &m.w.services;
    assert_non_null(m.w.cluster = orr_cluster_spec_load("nodes=1,gpus=8", NULL, &e));
    assert_null(orr_sim_create(NULL, m.w.cluster, &m.w.options, NULL, &e));
    assert_int_equal(e.code, ORR_E_BAD_SCENARIO);
    small_world_fini(&m.w);
}

/* Two executors that both lack c: the one with nothing to load gets it, and d, which comes at the same time, goes to
 * the other. */
static void loads_go_where_least_is_to_be_loaded(void **state)
{
    (void)state;
    models m;
    begin(&m, 4, 200 * MB);
    m.w.exec.count = 2;
    ask(&m, 'c', 0), ask(&m, 'd', 0);
    small_world_run(&m.w, "", 1);
    took(&m, 'c', 0, 110);
    took(&m, 'd', 0, 110);
    small_world_fini(&m.w);
}

/* ---- none modelled ----------------------------------------------------------------------------------------------- */

typedef struct digest {
    uint64_t sum;
    int32_t n;
} digest;

static void add(void *self, const orr_request_record *r)
{
    digest *d = self;
    const int64_t all[] = {r->service, r->exec, r->number, r->answered, r->late, r->start, r->end, r->batch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        d->sum = (d->sum ^ (uint64_t)all[i]) * UINT64_C(1099511628211);
    d->n++;
}

static digest run_as(const char *serve, orr_weight_store store)
{
    models m;
    digest d = {UINT64_C(14695981039346656037), 0};
    begin(&m, 3, 0);
    for (int i = 0; i < 3; i++)
        m.services[i].source =
            (orr_source){.kind = ORR_SOURCE_POISSON, .rate = 40, .limit = 2000, .speed = 1, .until = ORR_TIME_MAX};
    m.w.class_.slo = ms(50);
    m.w.exec.count = 2;
    m.w.services.store = store;
    m.w.sink = (orr_serving_sink){.self = &d, .request = add};
    small_world_run(&m.w, serve, 7);
    small_world_fini(&m.w);
    return d;
}

static void without_limits_it_is_as_without_weights(void **state)
{
    (void)state;
    const char *const serve[] = {"", "aimd", "clockwork", "least-queue", "nexus"};
    for (size_t i = 0; i < sizeof serve / sizeof *serve; i++) {
        const digest none = run_as(serve[i], (orr_weight_store){.channels = 1});
        const digest large =
            run_as(serve[i], (orr_weight_store){.bandwidth = INFINITY, .channels = INT32_MAX, .capacity = INT64_MAX});
        const digest unknown = run_as(serve[i], (orr_weight_store){.bandwidth = 1e9, .channels = 1, .page = 16 * MB});
        assert_int_equal(none.n, 6000);
        assert_true(none.sum == large.sum && none.sum == unknown.sum);
    }
}

/* Loads that take no time, and room for one of the three: nobody waits longer than without weights. */
static void loads_that_take_no_time_cost_nothing(void **state)
{
    (void)state;
    models m;
    begin(&m, 3, 100 * MB);
    m.w.services.store.bandwidth = INFINITY;
    ask(&m, 'c', 0), ask(&m, 'b', 100), ask(&m, 'a', 200), ask(&m, 'c', 200);
    small_world_run(&m.w, "", 1);
    took(&m, 'c', 0, 10), took(&m, 'b', 0, 10), took(&m, 'a', 0, 10), took(&m, 'c', 1, 20);
    small_world_fini(&m.w);
}

/* ---- by a policy ------------------------------------------------------------------------------------------------- */

typedef struct answers {
    orr_err busy, no_room, evicted, loaded, again, moving;
    int32_t missed, loads;
    int64_t left;
    double seconds;
    orr_phase before, after;
} answers;

static answers got;

/* b is missed at 5, while a runs: a can't go. At 10 it can. */
static void on_event(orr_ctx *ctx, const orr_serve_event *e)
{
    if (e->kind != ORR_SE_MISSED)
        return;
    got.missed++;
    got.busy = orr_weights_evict(ctx, 0, 0);
    got.no_room = orr_weights_load(ctx, 0, e->variant);
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    if (b->service != 0)
        return;
    got.evicted = orr_weights_evict(ctx, 0, 0);
    got.before = orr_replica_phase(ctx, 1);
    got.loaded = orr_weights_load(ctx, 0, 1);
    got.again = orr_weights_load(ctx, 0, 1);
    got.moving = orr_weights_evict(ctx, 0, 1);
    got.after = orr_replica_phase(ctx, 1);
    got.loads = orr_exec_loads(ctx, 0);
    got.left = orr_exec_mem_free(ctx, 0);
    got.seconds = orr_load_time(ctx, 1);
}

static const orr_batcher hands_batcher = {.summary = "one at a time", .on_done = on_done};
static const orr_serve hands = {.summary = "loads by hand",
                                .flags = ORR_SERVE_LOADS,
                                .know = {[ORR_SQ_LOAD] = ORR_KNOW_PROFILED},
                                .batcher = &hands_batcher,
                                .on_event = on_event};
static const orr_serve liar = {.summary = "loads without saying that it does", .batcher = &hands_batcher};
static const orr_module modules[] = {{ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof hands, ORR_KIND_SERVE, "hands", &hands},
                                     {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),
                                      sizeof(orr_request), sizeof liar, ORR_KIND_SERVE, "liar", &liar}};

static void a_policy_loads_and_evicts(void **state)
{
    (void)state;
    models m;
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &modules[0], NULL), ORR_OK);
    got = (answers){0};
    begin(&m, 2, 150 * MB);
    m.w.options.registry = registry;
    ask(&m, 'a', 0), ask(&m, 'b', 5), ask(&m, 'b', 6);
    small_world_run(&m.w, "hands", 1);
    assert_int_equal(got.missed, 1); /* for both */
    assert_int_equal(got.busy, ORR_E_BUSY);
    assert_int_equal(got.no_room, ORR_E_NOFIT);
    assert_int_equal(got.evicted, ORR_OK);
    assert_int_equal(got.loaded, ORR_OK);
    assert_int_equal(got.again, ORR_OK);
    assert_int_equal(got.moving, ORR_E_BUSY);
    assert_int_equal(got.before, ORR_PHASE_COLD);
    assert_int_equal(got.after, ORR_PHASE_LOADING);
    assert_int_equal(got.loads, 1);
    assert_int_equal(got.left, 50 * MB);
    assert_true(fabs(got.seconds - 0.1) < 1e-12);
    took(&m, 'b', 0, 115), took(&m, 'b', 1, 124);
    small_world_fini(&m.w);
    orr_registry_destroy(registry);
}

static void only_who_says_so_may_load(void **state)
{
    (void)state;
    models m;
    orr_error e = {0};
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &modules[1], NULL), ORR_OK);
    begin(&m, 2, 150 * MB);
    m.w.options.registry = registry;
    m.w.options.services = &m.w.services;
    m.w.options.serve = "liar";
    ask(&m, 'a', 0);
    assert_non_null(m.w.cluster = orr_cluster_spec_load("nodes=1,gpus=8", NULL, &e));
    assert_non_null(m.w.sim = orr_sim_create(NULL, m.w.cluster, &m.w.options, NULL, &e));
    assert_int_equal(orr_sim_run(m.w.sim, &e), ORR_E_SERVE_DECISION);
    assert_non_null(strstr(e.message, "doesn't say that it loads"));
    small_world_fini(&m.w);
    orr_registry_destroy(registry);
}

/* Started at 1 s (the scaler's period): 100 ms of machine, 50 of container, then 100 on the channel: ready at 1250. */
static void want(orr_ctx *ctx, orr_service_id service, orr_want *want_)
{
    (void)ctx;
    if (service == 0 && want_->count)
        want_->rows[0].count = 2;
}

static const orr_scaler second = {.summary = "a second one", .period = "1s", .want = want};
static const orr_module scaler_module = {
    ORR_ABI,         sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), sizeof second,
    ORR_KIND_SCALER, "second",           &second};

static void ready_at(void *self, orr_time at, const orr_serve_event *e)
{
    if (e->kind == ORR_SE_REPLICA && e->phase == ORR_PHASE_READY && at > 0)
        *(orr_time *)self = at;
}

static void a_new_replica_waits_for_its_weights(void **state)
{
    (void)state;
    models m;
    orr_time at = 0;
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &scaler_module, NULL), ORR_OK);
    begin(&m, 1, 150 * MB);
    m.w.options.registry = registry;
    m.w.sink = (orr_serving_sink){.self = &at, .event = ready_at};
    m.services[0].machine = ms(100);
    m.services[0].container = ms(50);
    ask(&m, 'a', 0), ask(&m, 'a', 3000);
    small_world_run(&m.w, "second", 1);
    assert_int_equal(at, ms(1250));
    small_world_fini(&m.w);
    orr_registry_destroy(registry);
}

/* ---- by clockwork ------------------------------------------------------------------------------------------------ */

/* 20 ms a load, and an SLO less 5 ms. */
static const orr_serving *by_clockwork(models *m, const char *serve, double slo)
{
    m->w.services.store.bandwidth = 5e9;
    m->w.class_.slo = ms(slo);
    return small_world_run(&m->w, serve, 1);
}

/* c comes until 20. Then d has waited longer, but two wait for e, in no more time. Each puts out what was used least
 * recently: c ran until 30. (Modules hear of a load before it is recorded.) */
static void clockwork_loads_what_is_asked_for_most(void **state)
{
    (void)state;
    models m;
    begin(&m, 5, 200 * MB);
    ask(&m, 'c', 0), ask(&m, 'd', 5), ask(&m, 'e', 6), ask(&m, 'e', 7);
    by_clockwork(&m, "clockwork,loads=1", 200);
    assert_string_equal(m.s.what, "-a@0 -b@20 +c@20 -c@40 +e@40 +d@60");
    took(&m, 'c', 0, 30);
    took(&m, 'e', 0, 44), took(&m, 'e', 1, 43);
    took(&m, 'd', 0, 65);
    small_world_fini(&m.w);
}

/* A load and a batch take 30. */
static void clockwork_loads_nothing_in_vain(void **state)
{
    (void)state;
    models m;
    begin(&m, 3, 200 * MB);
    ask(&m, 'c', 0);
    const orr_serving *r = by_clockwork(&m, "clockwork", 34);
    const orr_service_counts c = orr_serving_count(r, -1);
    assert_int_equal(c.loads, 0);
    assert_int_equal(c.dropped[ORR_DROP_EXPIRED], 1);
    assert_int_equal(orr_serving_count(by_clockwork(&m, "clockwork", 36), -1).answered, 1);
    small_world_fini(&m.w);
}

/* Two GPUs, and n requests of 10 ms for b, which is on neither: a demand for loads of n 10/25, of which the GPU that
 * loads it first serves 1. */
static void clockwork_makes_copies_where_one_is_not_enough(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 3; n++) {
        models m;
        begin(&m, 2, 100 * MB);
        m.w.exec.count = 2;
        for (int32_t i = 0; i < n; i++)
            ask(&m, 'b', 0);
        assert_int_equal(orr_serving_count(by_clockwork(&m, "clockwork", 200), -1).loads, n == 2 ? 1 : 2);
        small_world_fini(&m.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_two_that_alternate_pays_the_load),
        cmocka_unit_test(memory_is_given_in_whole_pages),
        cmocka_unit_test(loads_wait_for_their_channel),
        cmocka_unit_test(what_was_used_least_recently_goes),
        cmocka_unit_test(what_runs_stays),
        cmocka_unit_test(who_waited_first_is_served_first),
        cmocka_unit_test(what_never_fits_is_an_error),
        cmocka_unit_test(loads_go_where_least_is_to_be_loaded),
        cmocka_unit_test(without_limits_it_is_as_without_weights),
        cmocka_unit_test(loads_that_take_no_time_cost_nothing),
        cmocka_unit_test(a_policy_loads_and_evicts),
        cmocka_unit_test(only_who_says_so_may_load),
        cmocka_unit_test(a_new_replica_waits_for_its_weights),
        cmocka_unit_test(clockwork_loads_what_is_asked_for_most),
        cmocka_unit_test(clockwork_loads_nothing_in_vain),
        cmocka_unit_test(clockwork_makes_copies_where_one_is_not_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
