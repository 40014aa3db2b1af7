/* Serving policies that do anything at any time, legal or not. Where violations are skipped nothing is lost and the run
 * ends; else the run ends by a named error at the first of them.
 *
 *     LAWS_SEEDS=2000 ./tests/test_laws_serving_fuzz     looks further */
#include "services_check.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- dice, by what a module has thrown so far: a run repeats ----------------------------------------------------- */

struct knobs {
    int64_t seed;
};

static const orr_knob knobs[] = {{"seed", ORR_KNOB_INT, offsetof(struct knobs, seed), "1", "0..1000000", "of its dice"},
                                 {0}};

typedef struct dice {
    uint64_t x;
} dice;

static int throw_(orr_ctx *ctx, int below)
{
    dice *d = orr_service_priv(ctx, 0);
    d->x = orr_mix64(d->x + 1 + (uint64_t)((const struct knobs *)orr_knobs(ctx))->seed);
    return (int)((d->x >> 20) % (uint64_t)below);
}

static bool one_in(orr_ctx *ctx, int n)
{
    return throw_(ctx, n) == 0;
}

/* Mostly one of `n`, sometimes none of them. */
static int32_t any(orr_ctx *ctx, int32_t n)
{
    static const int32_t wild[] = {-1, INT32_MAX, INT32_MIN, -7};
    return n < 1 || one_in(ctx, 12) ? (one_in(ctx, 3) ? n : wild[throw_(ctx, 4)]) : throw_(ctx, n);
}

static orr_time some_time(orr_ctx *ctx)
{
    static const orr_time wild[] = {0, -1, ORR_TIME_MAX, ORR_TIME_NONE};
    if (one_in(ctx, 10))
        return wild[throw_(ctx, 4)];
    return orr_serve_now(ctx) + (orr_time)(throw_(ctx, 30) - 2) * ORR_MS;
}

static int32_t variants_of(orr_ctx *ctx)
{
    const orr_service_id last = orr_services_count(ctx) - 1;
    return orr_service_variant(ctx, last, 0) + orr_service_of(ctx, last)->variant_count;
}

/* Of this service, mostly. */
static orr_variant_id variant_in(orr_ctx *ctx, orr_service_id service)
{
    const int32_t there = orr_service_of(ctx, service)->variant_count, i = any(ctx, there);
    return i < 0 || i > there ? i : orr_service_variant(ctx, service, i);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

enum { REPLICAS_SEEN = 24 };

static orr_dest some_dest(orr_ctx *ctx)
{
    return (orr_dest){.variant = any(ctx, variants_of(ctx)),
                      .replica = one_in(ctx, 2) ? -1 : any(ctx, REPLICAS_SEEN),
                      .remote = one_in(ctx, 8)};
}

static void add_something(orr_ctx *ctx)
{
    orr_replica_id made;
    orr_replica_ask ask = {.variant = any(ctx, variants_of(ctx)),
                           .on = one_in(ctx, 2) ? -1 : any(ctx, orr_execs_count(ctx)),
                           .type = any(ctx, 1),
                           .milli = one_in(ctx, 2) ? 500 : any(ctx, 2000),
                           .gpus = any(ctx, 5),
                           .market = one_in(ctx, 2) ? -1 : any(ctx, 2),
                           .slots = any(ctx, 3),
                           .node = one_in(ctx, 2) ? -1 : any(ctx, 4)};
    orr_replica_add(ctx, &ask, &made);
}

static void do_something(orr_ctx *ctx)
{
    switch (throw_(ctx, 16)) {
    case 0:
        orr_req_drop(ctx, some_dest(ctx), any(ctx, 3), (orr_drop_why)any(ctx, ORR_DROP_EXPIRED));
        break;
    case 1:
        orr_queue_shift(ctx, some_dest(ctx), any(ctx, 3), some_dest(ctx));
        break;
    case 2:
        orr_batch_preempt(ctx, any(ctx, orr_execs_count(ctx)), one_in(ctx, 2));
        break;
    case 3:
        if (orr_execs_count(ctx) < 20)
            add_something(ctx);
        break;
    case 4:
        orr_replica_drain(ctx, one_in(ctx, 4) ? any(ctx, REPLICAS_SEEN) : -1);
        break;
    case 5:
        orr_replica_limit(ctx, any(ctx, REPLICAS_SEEN), any(ctx, 9));
        break;
    case 6:
        orr_service_switch(ctx, any(ctx, orr_services_count(ctx)), any(ctx, variants_of(ctx)));
        break;
    case 7:
        orr_exec_wake(ctx, any(ctx, orr_execs_count(ctx)), some_time(ctx));
        break;
    case 8:
        orr_service_budget(ctx, any(ctx, orr_services_count(ctx)), some_time(ctx));
        break;
    case 9: {
        orr_form f = {.service = 0, .variant = 0, .replica = 0};
        orr_form_wait(ctx, &f, any(ctx, 9), some_time(ctx));
        break;
    }
    default:
        break;
    }
}

/* ---- seats ------------------------------------------------------------------------------------------------------- */

static void on_arrive(orr_ctx *ctx, const orr_req *req, orr_dest dest)
{
    (void)req, (void)dest;
    if (one_in(ctx, 6)) /* else what it does on arrivals makes arrivals without end */
        do_something(ctx);
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    (void)exec;
    do_something(ctx);
    switch (throw_(ctx, 8)) {
    case 0:
        f->take = any(ctx, 20);
        break;
    case 1:
        f->drop = any(ctx, 4);
        break;
    case 2:
        f->replica = any(ctx, REPLICAS_SEEN);
        f->central = one_in(ctx, 2);
        break;
    case 3:
        f->variant = any(ctx, variants_of(ctx));
        f->until_op = any(ctx, 4);
        break;
    case 4:
        orr_form_wait(ctx, f, f->waiting + throw_(ctx, 4), some_time(ctx));
        break;
    case 5:
        f->wait_for = any(ctx, 4);
        f->wait_until = some_time(ctx);
        break;
    default:
        break;
    }
}

static double key(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    static const double wild[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, 0};
    (void)service;
    return one_in(ctx, 5) ? wild[throw_(ctx, 4)] : (double)(req->number % 7);
}

static void on_done(orr_ctx *ctx, const orr_batch_run *batch)
{
    (void)batch;
    do_something(ctx);
}

static bool admit(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_dest dest)
{
    (void)service, (void)req, (void)dest;
    if (one_in(ctx, 6))
        do_something(ctx);
    return !one_in(ctx, 6);
}

static int32_t shed(orr_ctx *ctx, orr_exec_id exec, const orr_form *f)
{
    (void)exec, (void)f;
    return one_in(ctx, 3) ? any(ctx, 3) : 0;
}

static void select_(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    (void)req;
    if (one_in(ctx, 6))
        do_something(ctx);
    if (one_in(ctx, 3))
        return;
    fan->count = one_in(ctx, 10) ? any(ctx, ORR_FAN_MOST + 1) : 1 + throw_(ctx, 3);
    for (int i = 0; i < ORR_FAN_MOST; i++) {
        fan->variants[i] = variant_in(ctx, service);
        fan->weights[i] = one_in(ctx, 20) ? (double)NAN : one_in(ctx, 20) ? -1.0 : (double)throw_(ctx, 4);
    }
    fan->need = one_in(ctx, 2) ? 1 : any(ctx, 4);
    if (one_in(ctx, 4))
        fan->answer_by = some_time(ctx);
}

static void on_answer(orr_ctx *ctx, const orr_answer *answer)
{
    (void)answer;
    do_something(ctx);
}

static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    (void)service, (void)req;
    if (one_in(ctx, 6))
        do_something(ctx);
    return one_in(ctx, 3) ? some_dest(ctx) : (orr_dest){.variant = variant, .replica = -1};
}

static void want(orr_ctx *ctx, orr_service_id service, orr_want *w)
{
    do_something(ctx);
    if (one_in(ctx, 3) && orr_execs_count(ctx) < 30) {
        w->count = one_in(ctx, 10) ? any(ctx, ORR_WANT_MOST) : 1 + throw_(ctx, 2);
        for (int32_t i = 0; i < ORR_WANT_MOST; i++)
            w->rows[i] = (orr_want_row){.variant = variant_in(ctx, service),
                                        .type = any(ctx, 1),
                                        .market = any(ctx, 2),
                                        .milli = one_in(ctx, 2) ? 1000 : any(ctx, 1500),
                                        .gpus = any(ctx, 3),
                                        .count = any(ctx, 3)};
    }
    if (one_in(ctx, 5))
        w->current = any(ctx, variants_of(ctx));
}

static void on_event(orr_ctx *ctx, const orr_serve_event *event)
{
    (void)event;
    if (one_in(ctx, 4))
        do_something(ctx);
}

static bool keep(orr_ctx *ctx, const orr_item *item)
{
    (void)item;
    return one_in(ctx, 2);
}

static double score(orr_ctx *ctx, const orr_item *item, uint64_t hits)
{
    (void)item, (void)hits;
    return one_in(ctx, 3) ? (double)NAN : one_in(ctx, 3) ? (double)-INFINITY : (double)throw_(ctx, 5);
}

static void on_evict(orr_ctx *ctx, const orr_item *item, double of)
{
    (void)item, (void)of;
    do_something(ctx);
}

static orr_err decide(orr_ctx *ctx)
{
    do_something(ctx);
    if (one_in(ctx, 5) && orr_serve_now(ctx) < 20 * ORR_SECOND)
        orr_serve_timer(ctx, some_time(ctx), 7);
    return ORR_OK;
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    (void)cookie;
    do_something(ctx);
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

#define HEAD                                                                                                           \
    .summary = "does anything", .knobs = knobs, .knobs_size = sizeof(struct knobs), .service_priv = sizeof(dice)

static const orr_batcher fifo = {HEAD, .flags = ORR_SERVE_PREEMPTS, .form = form, .on_done = on_done};
static const orr_batcher seeing = {HEAD, .form = form, .on_arrive = on_arrive, .on_done = on_done};
static const orr_batcher keyed = {HEAD,
                                  .flags = ORR_SERVE_PREEMPTS | ORR_BATCHER_ASK_EMPTY,
                                  .order = ORR_QUEUE_KEYED,
                                  .key = key,
                                  .form = form,
                                  .on_arrive = on_arrive,
                                  .on_done = on_done};
static const orr_dropper dropper = {HEAD, .admit = admit, .shed = shed};
static const orr_selector selector = {HEAD, .select = select_, .on_answer = on_answer};
static const orr_router router = {HEAD, .route = route};
static const orr_scaler scaler = {HEAD, .period = "100ms", .want = want, .on_event = on_event};
static const orr_cache cache = {HEAD, .admit = keep, .score = score, .on_evict = on_evict};
static const orr_serve serve = {HEAD, .period = "50ms", .decide = decide, .on_event = on_event, .on_timer = on_timer};

#define MODULE(kind_, ident, table)                                                                                    \
    {                                                                                                                  \
        ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), sizeof table, kind_,    \
            ident, &table                                                                                              \
    }
static const orr_module modules[] = {
    MODULE(ORR_KIND_BATCHER, "any_fifo", fifo),        MODULE(ORR_KIND_BATCHER, "any_seeing", seeing),
    MODULE(ORR_KIND_BATCHER, "any_keyed", keyed),      MODULE(ORR_KIND_DROPPER, "any_drop", dropper),
    MODULE(ORR_KIND_SELECTOR, "any_select", selector), MODULE(ORR_KIND_ROUTER, "any_route", router),
    MODULE(ORR_KIND_SCALER, "any_scale", scaler),      MODULE(ORR_KIND_CACHE, "any_cache", cache),
    MODULE(ORR_KIND_SERVE, "any_serve", serve)};

static void name_modules(uint64_t seed, char *text, size_t size)
{
    static const char *const batchers[] = {NULL, "any-fifo", "any-seeing", "any-keyed"};
    static const char *const others[] = {"any-drop", "any-select", "any-route", "any-scale", "any-cache", "any-serve"};
    uint64_t x = orr_mix64(seed + 99);
    const char *batcher = batchers[x % 4];
    *text = '\0';
    if (batcher)
        snprintf(text, size, "%s,seed=%d", batcher, (int)(seed % 1000));
    for (int i = 0; i < 6; i++)
        if (x >> (8 + i) & 1)
            snprintf(text + strlen(text), size - strlen(text), "%s%s,seed=%d", *text ? "+" : "", others[i],
                     (int)(seed % 1000));
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static const char *fuzz_once(const services_world *w, const serve_how *how, bool *erred, char text[SERVED_TEXT])
{
    served s;
    const char *wrong = NULL;
    serve_world(w, how, &s);
    *erred = s.error.code != ORR_OK;
    if (!s.seated)
        snprintf(text, SERVED_TEXT, "it isn't seated: %.200s", s.error.message), wrong = text;
    else if (how->skips)
        wrong = check_served(&s, text);
    else if (s.error.code && s.error.code != ORR_E_SERVE_DECISION)
        snprintf(text, SERVED_TEXT, "an error of another kind: %.200s", s.error.message), wrong = text;
    served_fini(&s);
    return wrong;
}

static void whatever_they_do_nothing_is_lost(void **state)
{
    (void)state;
    const char *asked = getenv("LAWS_SEEDS"), *first = getenv("LAWS_FIRST");
    const uint64_t from = first ? strtoull(first, NULL, 10) : 0, n = asked ? strtoull(asked, NULL, 10) : 300;
    uint64_t stopped = 0;
    orr_registry *r = orr_registry_create();
    services_world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_int_equal(orr_registry_add(r, &modules[i], NULL), ORR_OK);
    for (uint64_t seed = from; seed < from + n; seed++) {
        char names[256], text[SERVED_TEXT];
        bool erred;
        name_modules(seed, names, sizeof names);
        services_world_make(w, orr_mix64(seed), 0);
        if (getenv("LAWS_SHOW"))
            printf("# seed %llu: %s\n", (unsigned long long)seed, names), fflush(stdout);
        for (int skips = 1; skips >= 0; skips--) {
            const char *wrong = fuzz_once(w, &(serve_how){names, r, skips}, &erred, text);
            if (wrong)
                fail_msg("seed %llu, %s, %s: %s", (unsigned long long)seed, names, skips ? "skipping" : "not skipping",
                         wrong);
        }
        stopped += erred;
    }
    assert_true(stopped > n / 3); /* illegal it was, mostly */
    free(w);
    orr_registry_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_they_do_nothing_is_lost)};
    return cmocka_run_group_tests_name("serving fuzz", tests, NULL, NULL);
}
