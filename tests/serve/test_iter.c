/* Sets that make tokens, on requests worked out by hand. An iteration takes 10 ms + 1 ms a prompt token + 2 ms a member
 * that decodes + 0.5 ms a token that these hold, unless a test says otherwise. */
#define _POSIX_C_SOURCE 200809L
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST = 4096 };

typedef struct seen {
    uint32_t n;
    orr_request_record at[MOST];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    if (r->number < MOST)
        s->at[r->number] = *r;
    s->n++;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

static void world(small_world *w, seen *s, int32_t count)
{
    *s = (seen){0};
    small_world_init(w, 0, 0, 1, 0, count);
    w->profile.kind = ORR_EXEC_ITER;
    w->profile.iter = (orr_iter_cost){.base = 0.010, .per_prompt = 0.001, .per_running = 0.002, .per_context = 0.0005};
    w->sink = (orr_serving_sink){.self = s, .request = keep};
}

/* Requests as listed: when, prompt, answer. */
static void asks(small_world *w, orr_trace_request *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        list[i].service = "s";
        list[i].count = 1;
    }
    w->service.source.kind = ORR_SOURCE_LIST;
    w->service.source.list = list;
    w->service.source.listed = n;
}

static orr_trace_request ask(double at_ms, int64_t in, int64_t out)
{
    return (orr_trace_request){.arrival = ms(at_ms), .tokens_in = in, .tokens_out = out};
}

static void ends(const seen *s, uint32_t i, double start, double end)
{
    if (!s->at[i].answered || s->at[i].start != ms(start) || s->at[i].end != ms(end))
        fail_msg("request %u: %g..%g ms%s, not %g..%g", i, (double)s->at[i].start * 1e-6, (double)s->at[i].end * 1e-6,
                 s->at[i].answered ? "" : ", not answered", start, end);
}

static void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* Prompt of 8: 18 ms, and the first token. Then 10 + 2 + 0.5 (8 + i) for i = 1..4: in all 18 + 4 * 12 + 0.5 * (9 + 10 +
 * 11 + 12). */
static void one_request(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_trace_request list[] = {ask(5, 8, 5)};
    asks(&w, list, 1);
    const orr_serving *v = small_world_run(&w, "", 1);
    ends(&s, 0, 5, 5 + 18 + 48 + 21);
    near(orr_serving_mean(v, 0, ORR_SERVING_TTFT), 0.018, 1e-12);
    near(orr_serving_mean(v, 0, ORR_SERVING_TPOT), 0.069 / 4, 1e-9);
    const orr_service_counts c = orr_serving_count(v, 0);
    assert_true(c.tokens_in == 8 && c.tokens_out == 5 && c.batches == 5 && c.batched == 5);
    assert_true(orr_serving_events(v) < 6); /* arrival, prompt, all that is decoded */
    double busy, there, held;
    orr_serving_use(v, &busy, &there, &held);
    near(busy, 0.087, 1e-9);
    small_world_fini(&w);
}

/* Without tokens an answer is one iteration; without a batcher one at a time. */
static void no_tokens(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_trace_request list[] = {ask(1, -1, -1), ask(2, 2, 2), ask(3, 0, 0)};
    asks(&w, list, 3);
    small_world_run(&w, "", 1);
    ends(&s, 0, 1, 11);
    ends(&s, 1, 11, 11 + 12 + 13.5);
    ends(&s, 2, 36.5, 46.5);
    small_world_fini(&w);
}

/* Prompts of 4, answers of 3. The first begins at 1, its prompt ends at 15; at 15 the second, that came at 10, joins:
 * 10 + 4 + 2 + 0.5 * 5 = 18.5 until 33.5; both: 10 + 4 + 0.5 * (6 + 5) = 19.5 until 53, when the first ends; then 10 +
 * 2 + 0.5 * 6 = 15 until 68. */
static void two_overlap(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_trace_request list[] = {ask(1, 4, 3), ask(10, 4, 3)};
    asks(&w, list, 2);
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    ends(&s, 0, 1, 53);
    ends(&s, 1, 15, 68);
    assert_int_equal(orr_serving_batch_size(v, 0, 1), 2);
    assert_int_equal(orr_serving_batch_size(v, 0, 2), 2);
    small_world_run(&w, "continuous:static", 1); /* 14 + 14.5 + 15, and the same again */
    ends(&s, 0, 1, 44.5);
    ends(&s, 1, 44.5, 88);
    small_world_fini(&w);
}

/* Who arrives while a long row runs is there at the next boundary: the first decodes from 12 on, 10 ms an iteration. */
static void a_row_is_cut_at_the_next_boundary(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    w.profile.iter = (orr_iter_cost){.base = 0.010, .per_prompt = 0.001};
    orr_trace_request list[] = {ask(0, 2, 100), ask(55, 3, 1), ask(62, 3, 1)};
    asks(&w, list, 3);
    /* 12, 22, …, 62, with the second's prompt 75, the third's came on the boundary */
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    ends(&s, 1, 62, 78);
    ends(&s, 2, 62, 78);
    ends(&s, 0, 0, 12 + 98 * 10 + 16);
    assert_true(orr_serving_events(v) < 12);
    small_world_fini(&w);
}

/* Chunks of 3 for prompts of 4 and 4, no answers but one token: 3; 1 and 2 of the second; its 2. */
static void prompts_in_chunks(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_trace_request list[] = {ask(0, 4, 2), ask(0, 4, 1)};
    asks(&w, list, 2);
    small_world_run(&w, "continuous:chunked,chunk=3", 1);
    /* 13, 26: first's token; then 10 + 2 + 2 + 0.5 * 5 until 42.5: both end */
    ends(&s, 0, 0, 42.5);
    ends(&s, 1, 0, 42.5);
    w.profile.iter.chunk = 3; /* the profile's own */
    small_world_run(&w, "continuous", 1);
    ends(&s, 1, 0, 42.5);
    small_world_fini(&w);
}

/* 12 tokens of memory: prompts of 4 and 4 are admitted, 5 + 5 at 18; 12 are needed at the second, and fit; at the third
 * 14 don't: the newest goes back with two tokens made; the first ends at its fourth; then 6 are processed anew for the
 * second's third. */
static void full_memory_evicts_the_newest(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    w.profile.iter.kv_tokens = 12;
    orr_trace_request list[] = {ask(0, 4, 4), ask(0, 4, 4), ask(0, 9, 4), ask(1, 1, 1)};
    asks(&w, list, 4);
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    /* 18; 10 + 4 + 5 = 19: 37; first alone 10 + 2 + 3 = 15: 52, and 10 + 2 + 3.5: 67.5; prompt of 6: 16: 83.5; 10 + 2
     * + 3.5: 99. */
    ends(&s, 0, 0, 67.5);
    assert_true(s.at[1].answered && s.at[1].start == 0);
    assert_true(!s.at[2].answered && s.at[2].why == ORR_DROP_LOST); /* 13 would never fit */
    assert_true(s.at[3].answered);
    const orr_service_counts c = orr_serving_count(v, 0);
    assert_true(c.tokens_out == 9 && c.arrived == 4 && c.in_flight == 0);
    small_world_fini(&w);
}

/* ---- one event an iteration ------------------------------------------------------------------------------------- */

/* Somebody who asks for a decision every millisecond, which is more often than iterations end. */
static void ask_all(orr_ctx *ctx, uint64_t cookie)
{
    (void)cookie;
    for (orr_exec_id e = 0; e < orr_execs_count(ctx); e++)
        if (orr_exec_alive(ctx, e))
            orr_exec_wake(ctx, e, orr_serve_now(ctx));
    orr_serve_timer(ctx, orr_serve_now(ctx) + ORR_MS, 0);
}

static orr_err begin_asking(orr_ctx *ctx)
{
    return orr_serve_timer(ctx, 1, 0);
}

static double by_prompt(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    return (double)orr_req_tokens_in(ctx, service, req);
}

static void two_more(orr_ctx *ctx, orr_exec_id exec, orr_step *step)
{
    (void)ctx, (void)exec;
    step->admit = step->admit < 2 ? step->admit : 2;
}

static void all_back(orr_ctx *ctx, orr_exec_id exec, orr_step *step)
{
    (void)ctx, (void)exec;
    if (step->running == 2 && step->waiting == 0) {
        step->evict = 1;
        step->admit = 0;
    }
}

static void too_many(orr_ctx *ctx, orr_exec_id exec, orr_step *step)
{
    (void)ctx, (void)exec;
    step->admit++;
}

static void drop_first(orr_ctx *ctx, uint64_t cookie)
{
    (void)cookie;
    orr_req_drop(ctx, (orr_dest){.variant = 0, .replica = -1}, 0, ORR_DROP_SHED);
}

static orr_err drop_at_50(orr_ctx *ctx)
{
    return orr_serve_timer(ctx, ms(50), 0);
}

static const orr_serve dropper = {.summary = "drops the first at 50 ms", .init = drop_at_50, .on_timer = drop_first};
static const orr_serve asker = {.summary = "looks at every iteration", .init = begin_asking, .on_timer = ask_all};
static const orr_batcher shortest = {
    .summary = "short prompts first, two at once", .order = ORR_QUEUE_KEYED, .key = by_prompt, .step = two_more};
static const orr_batcher thrower = {.summary = "throws one of two out", .step = all_back};
static const orr_batcher greedy = {.summary = "admits one too many", .step = too_many};

#define MODULE(kind, name, table)                                                                                      \
    {                                                                                                                  \
        ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), sizeof table, kind,     \
            name, &table                                                                                               \
    }
static const orr_module modules[] = {MODULE(ORR_KIND_SERVE, "asker", asker), MODULE(ORR_KIND_SERVE, "dropper", dropper),
                                     MODULE(ORR_KIND_BATCHER, "shortest", shortest),
                                     MODULE(ORR_KIND_BATCHER, "thrower", thrower),
                                     MODULE(ORR_KIND_BATCHER, "greedy", greedy)};

static orr_registry *with_modules(small_world *w)
{
    orr_registry *registry = orr_registry_create();
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_int_equal(orr_registry_add(registry, &modules[i], NULL), ORR_OK);
    w->options.registry = registry;
    return registry;
}

static bool equal(const orr_request_record *a, const orr_request_record *b)
{
    return a->number == b->number && a->variant == b->variant && a->exec == b->exec && a->answered == b->answered &&
           a->late == b->late && a->why == b->why && a->arrival == b->arrival && a->start == b->start &&
           a->end == b->end && a->batch == b->batch;
}

/* Runs both ways; `few`: in the one the events are much fewer. */
static void the_same(small_world *w, const char *serve, bool few)
{
    static seen bulk, single;
    orr_registry *registry = with_modules(w);
    char asked[128];
    snprintf(asked, sizeof asked, "%s%sasker", serve, *serve ? "+" : "");
    bulk = single = (seen){0};
    w->sink.self = &bulk;
    const orr_serving *v = small_world_run(w, serve, 7);
    const orr_service_counts a = orr_serving_count(v, 0);
    const uint64_t events = orr_serving_events(v);
    const double tpot = orr_serving_mean(v, 0, ORR_SERVING_TPOT);
    double busy[2], there, held;
    orr_serving_use(v, &busy[0], &there, &held);
    w->sink.self = &single;
    v = small_world_run(w, asked, 7);
    const orr_service_counts b = orr_serving_count(v, 0);
    orr_serving_use(v, &busy[1], &there, &held);
    assert_true(bulk.n > 100 && bulk.n == single.n && orr_serving_events(v) > b.batches);
    for (uint32_t i = 0; i < bulk.n; i++)
        if (!equal(&bulk.at[i], &single.at[i]))
            fail_msg("%s: request %u: %.17g..%.17g and %.17g..%.17g", serve, i, (double)bulk.at[i].start,
                     (double)bulk.at[i].end, (double)single.at[i].start, (double)single.at[i].end);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(tpot == orr_serving_mean(v, 0, ORR_SERVING_TPOT) || isnan(tpot));
    near(busy[0], busy[1], 1e-6);
    assert_true(a.arrived ==
                a.answered + a.dropped[ORR_DROP_LOST] + a.dropped[ORR_DROP_TIMEOUT] + a.dropped[ORR_DROP_FULL]);
    if (few)
        assert_true(events * 2 < a.batches);
    orr_registry_destroy(registry);
}

static void drawn(small_world *w, seen *s, double rate, int32_t count)
{
    world(w, s, count);
    w->profile.iter = (orr_iter_cost){
        .base = 0.009, .per_prompt = 45e-6, .per_running = 3e-5, .per_context = 55e-9, .kv_tokens = 4000};
    w->service.source.rate = rate;
    w->service.source.limit = 300;
    w->service.source.tokens_in = 300;
    w->service.source.tokens_out = 100;
    w->service.source.in_spread = (orr_jitter){ORR_SCATTER_LOGNORMAL, 1};
    w->service.source.out_spread = (orr_jitter){ORR_SCATTER_GAMMA, 0.8};
}

static void rows_are_what_single_iterations_are(void **state)
{
    (void)state;
    small_world w;
    seen s;
    drawn(&w, &s, 1, 1);
    the_same(&w, "", true);
    the_same(&w, "continuous", true);
    the_same(&w, "continuous:static", true);
    w.profile.noise = (orr_jitter){ORR_SCATTER_GAMMA, 0.3};
    the_same(&w, "continuous", true);
    small_world_fini(&w);
    drawn(&w, &s, 20, 3); /* more than they can do: memory is full */
    the_same(&w, "continuous", false);
    the_same(&w, "continuous:chunked,chunk=100", false);
    the_same(&w, "shortest", false);
    the_same(&w, "continuous+round-robin", false);
    the_same(&w, "tfserving", false);
    w.service.timeout = 2 * ORR_SECOND;
    the_same(&w, "continuous", false);
    w.service.bound = 5;
    the_same(&w, "continuous", false);
    small_world_fini(&w);
}

/* ---- what policies may do --------------------------------------------------------------------------------------- */

/* Two that come together; the newest is thrown out as soon as none waits, and is admitted again at the next boundary,
 * and so on; in the end both have their tokens. */
static void a_policy_evicts(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_registry *registry = with_modules(&w);
    orr_trace_request list[] = {ask(0, 4, 3), ask(0, 4, 3)};
    asks(&w, list, 2);
    const orr_serving *v = small_world_run(&w, "thrower", 1);
    /* 10 + 8 = 18: both have a token, one goes. 10 + 2 + 2.5 = 14.5: 32.5. Its prompt of 5, 10 + 5 + 2 + 3 = 20: 52.5,
     * and the first is answered; 10 + 2 + 3 = 15: 67.5. */
    ends(&s, 0, 0, 52.5);
    ends(&s, 1, 0, 67.5);
    assert_int_equal(orr_serving_count(v, 0).tokens_out, 6);
    orr_registry_destroy(registry);
    small_world_fini(&w);
}

/* Of 12 tokens of memory the first holds 5 at 14 and the next doesn't fit, which keeps the third waiting; it is dropped
 * at 50, between boundaries at 43.5 and 59, where the third joins. */
static void who_waited_behind_a_dropped_one_joins(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_registry *registry = with_modules(&w);
    w.profile.iter.kv_tokens = 12;
    orr_trace_request list[] = {ask(0, 4, 5), ask(1, 8, 1), ask(2, 1, 1)};
    asks(&w, list, 3);
    small_world_run(&w, "dropper+continuous", 1);
    assert_int_equal(s.at[1].why, ORR_DROP_SHED);
    assert_int_equal(s.at[2].start, ms(59));
    orr_registry_destroy(registry);
    small_world_fini(&w);
}

static void an_illegal_step_ends_the_run(void **state)
{
    (void)state;
    small_world w;
    seen s;
    orr_error e = {0};
    world(&w, &s, 1);
    orr_registry *registry = with_modules(&w);
    orr_trace_request list[] = {ask(0, 4, 3)};
    asks(&w, list, 1);
    w.options.services = &w.services;
    w.options.serve = "greedy";
    w.cluster = orr_cluster_spec_load("nodes=1,gpus=1", NULL, &e);
    w.sim = orr_sim_create(NULL, w.cluster, &w.options, NULL, &e);
    assert_non_null(w.sim);
    assert_int_equal(orr_sim_run(w.sim, &e), ORR_E_SERVE_DECISION);
    assert_non_null(strstr(e.message, "illegal step: admit 2"));
    small_world_fini(&w);
    orr_registry_destroy(registry);
}

/* ---- beside others --------------------------------------------------------------------------------------------- */

/* A node fails while both run; their caches are lost, not the tokens that clients have. 18: a token each, 10 + 4 + 5 =
 * 19 until 37: two; the next would end at 57. At 40 all goes to the other node, whose replica takes prompts of 6 and 6,
 * with the third token: 22. */
static void a_lost_set_is_processed_anew(void **state)
{
    (void)state;
    small_world w;
    seen s;
    orr_error e = {0};
    world(&w, &s, 1);
    w.service.retries = 1;
    w.cluster = orr_cluster_spec_load("nodes=2,gpus=1", NULL, &e);
    orr_scenario *scenario = orr_scenario_create("failure");
    orr_incident in = orr_incident_default();
    in.at = ms(40);
    in.kind = ORR_INCIDENT_DOWN;
    in.which.count = 1;
    in.lasts = ORR_MINUTE;
    orr_scenario_add(scenario, &in);
    w.options.scenario = scenario;
    orr_trace_request list[] = {ask(0, 4, 3), ask(0, 4, 3)};
    asks(&w, list, 2);
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    ends(&s, 0, 0, 62);
    ends(&s, 1, 0, 62);
    assert_true(s.at[0].exec == 1 && orr_serving_count(v, 0).tokens_out == 6);
    double busy, there, held;
    orr_serving_use(v, &busy, &there, &held);
    near(busy, 0.062, 1e-9);
    w.service.retries = 0;
    v = small_world_run(&w, "continuous", 1);
    assert_int_equal(orr_serving_count(v, 0).dropped[ORR_DROP_LOST], 2);
    small_world_fini(&w);
    orr_scenario_destroy(scenario);
}

/* Beside a busy neighbour a takes half as long again. Its prompt of 10 from 0: 20 ms; b has one of 10 from 8 on: 20 ms,
 * not slowed. At 8 there are 12 left of a's, 18 then: until 26. Then 10 + 2 + 5.5 = 17.5 ms for a's second token; b's
 * is answered at 28: 2 / 1.5 of them are done, the rest is as fast as it was: until 28 + 17.5 - 4 / 3. */
static void neighbours_slow_iterations(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_service both[2] = {w.service, w.service};
    const orr_hosted_ask hosts[2] = {{0, 0}, {1, 0}};
    orr_exec_ask execs[2] = {w.exec, w.exec};
    const orr_contention slow = {"a/v", "b/v", 1.5};
    orr_trace_request first[] = {ask(0, 10, 2)}, second[] = {ask(8, 10, 1)};
    first[0].count = second[0].count = 1;
    for (int i = 0; i < 2; i++) {
        both[i].name = i ? "b" : "a";
        both[i].source.kind = ORR_SOURCE_LIST;
        both[i].source.list = i ? second : first;
        both[i].source.listed = 1;
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
    const orr_serving *v = small_world_run(&w, "", 1);
    near(orr_serving_mean(v, 0, ORR_SERVING_TTFT), 0.026, 1e-9);
    near(orr_serving_mean(v, 0, ORR_SERVING_LATENCY), 0.028 + 0.0175 - 0.004 / 3, 1e-8);
    near(orr_serving_mean(v, 1, ORR_SERVING_LATENCY), 0.020, 1e-9);
    small_world_fini(&w);
}

/* Two variants of one service on one executor: while the other's request has waited longer, nobody joins. */
static void variants_take_turns(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    orr_service both[2] = {w.service, w.service};
    const orr_hosted_ask hosts[2] = {{0, 0}, {1, 0}};
    orr_trace_request first[] = {ask(0, 2, 3), ask(3, 2, 1)}, second[] = {ask(2, 2, 1)};
    first[0].count = first[1].count = second[0].count = 1;
    both[0].name = "a";
    both[1].name = "b";
    for (int i = 0; i < 2; i++) {
        both[i].source.kind = ORR_SOURCE_LIST;
        both[i].source.list = i ? second : first;
        both[i].source.listed = i ? 1 : 2;
    }
    w.exec.hosts = hosts;
    w.exec.host_count = 2;
    w.services.services = both;
    w.services.count = 2;
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    /* a: 12, then 13.5 and 14 until 39.5; b until 51.5; a's second until 63.5 */
    near(orr_serving_mean(v, 1, ORR_SERVING_LATENCY), 0.0515 - 0.002, 1e-9);
    near(orr_serving_mean(v, 0, ORR_SERVING_LATENCY), (0.0395 + 0.0605) / 2, 1e-9);
    small_world_fini(&w);
}

/* One service reads prompts, the other makes what is left: the first token is that of the prompt, at 14; sent within 5
 * ms; then three more, of 10 + 2 + 0.5 * (5, 6, 7) until 64. A request of one token has nothing left to make. */
static void prompts_here_and_answers_there(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    w.sink = (orr_serving_sink){0};
    orr_exec_profile parts[2] = {w.profile, w.profile};
    orr_variant variants[2] = {w.variant, w.variant};
    orr_service both[2] = {w.service, w.service};
    const orr_hosted_ask hosts[2] = {{0, 0}, {1, 0}};
    orr_exec_ask execs[2] = {w.exec, w.exec};
    const orr_service_edge edge = {.to = 1, .fan_out = 1, .bytes = 5000000, .budget = ORR_TIME_MAX};
    orr_trace_request list[] = {ask(0, 4, 4), ask(100, 4, 1)};
    list[0].count = list[1].count = 1;
    for (int i = 0; i < 2; i++) {
        parts[i].iter.part = i ? ORR_ITER_DECODE : ORR_ITER_PREFILL;
        variants[i].profiles = &parts[i];
        both[i].variants = &variants[i];
        both[i].name = i ? "b" : "a";
        both[i].source = (orr_source){.kind = ORR_SOURCE_NONE, .until = ORR_TIME_MAX, .speed = 1};
        execs[i].hosts = &hosts[i];
    }
    both[0].source =
        (orr_source){.kind = ORR_SOURCE_LIST, .list = list, .listed = 2, .until = ORR_TIME_MAX, .speed = 1};
    both[0].edges = &edge;
    both[0].edge_count = 1;
    w.services.services = both;
    w.services.count = 2;
    w.services.executors = execs;
    w.services.executor_count = 2;
    w.services.bandwidth = 1e9;
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    near(orr_serving_mean(v, 0, ORR_SERVING_TTFT), 0.014, 1e-9);
    near(orr_serving_mean(v, 0, ORR_SERVING_LATENCY), (0.064 + 0.019) / 2, 1e-9);
    assert_int_equal(orr_serving_samples(v, 1, ORR_SERVING_TTFT), 0);
    assert_int_equal(orr_serving_samples(v, 1, ORR_SERVING_TPOT), 1);
    near(orr_serving_mean(v, 1, ORR_SERVING_TPOT), 0.050 / 3, 1e-8);
    const orr_service_counts c = orr_serving_count(v, -1);
    assert_true(c.tokens_in == 8 && c.tokens_out == 5);
    small_world_fini(&w);
}

/* Requests of one token are a queue with constant service: at a load of one half they wait half a service in the mean.
 */
static void one_token_each_is_md1(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 1);
    w.service.source.rate = 25;
    w.service.source.limit = 200000;
    w.profile.iter = (orr_iter_cost){.base = 0.02};
    const orr_serving *v = small_world_run(&w, "", 3);
    near(orr_serving_mean(v, 0, ORR_SERVING_WAIT), 0.010, 0.0003);
    small_world_fini(&w);
}

/* What splitwise-sim makes of the first 1,000 questions of a public trace on two groups of 8 H100: its rules are
 * others, and so is its fit of the same measurements; the size of the times is that. The first request comes at 0. */
static void of_the_size_of_splitwise_sim(void **state)
{
    (void)state;
    const char *shared = getenv("ORRERY_SHARED");
    if (!shared)
        skip();
    char path[] = "/tmp/orrery-iter-XXXXXX";
    orr_error e = {0};
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fprintf(f,
            "schema: orrery.services/1\nname: code\nservices:\n  - name: code\n    arrivals: {kind: trace, limit: "
            "1000, file: "
            "%s/data/inference/azure-llm-2023/AzureLLMInferenceTrace_code.csv}\n    variants:\n      - name: llama\n   "
            "     max_batch: 512\n"
            "        profile: {gpus: 8, iter: {chunk: 2048, kv_tokens: 1000000, fit: {file: "
            "%s/data/inference-profiles/splitwise_llm.csv, model: llama2-70b, gpu: h100-80gb, tensor_parallel: 8}}}\n"
            "    replicas: [{gpus: 8, count: 2}]\n",
            shared, shared);
    fclose(f);
    orr_services *services = orr_services_load(path, &e);
    unlink(path);
    if (!services)
        fail_msg("%s", e.message);
    small_world w;
    small_world_init(&w, 1, 1, 1, 1, 1);
    w.services = *services;
    const orr_serving *v = small_world_run(&w, "continuous", 1);
    assert_int_equal(orr_serving_count(v, 0).answered, 1000);
    near(orr_serving_mean(v, 0, ORR_SERVING_TTFT), 2.3245, 0.35);
    near(orr_serving_mean(v, 0, ORR_SERVING_LATENCY), 6.349, 2);
    small_world_fini(&w);
    orr_services_destroy(services);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request),
        cmocka_unit_test(no_tokens),
        cmocka_unit_test(two_overlap),
        cmocka_unit_test(a_row_is_cut_at_the_next_boundary),
        cmocka_unit_test(prompts_in_chunks),
        cmocka_unit_test(full_memory_evicts_the_newest),
        cmocka_unit_test(rows_are_what_single_iterations_are),
        cmocka_unit_test(a_policy_evicts),
        cmocka_unit_test(who_waited_behind_a_dropped_one_joins),
        cmocka_unit_test(an_illegal_step_ends_the_run),
        cmocka_unit_test(a_lost_set_is_processed_anew),
        cmocka_unit_test(neighbours_slow_iterations),
        cmocka_unit_test(variants_take_turns),
        cmocka_unit_test(prompts_here_and_answers_there),
        cmocka_unit_test(one_token_each_is_md1),
        cmocka_unit_test(of_the_size_of_splitwise_sim),
    };
    return cmocka_run_group_tests_name("serve.iter", tests, NULL, NULL);
}
