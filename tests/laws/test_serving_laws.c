/* Every serving policy, alone and beside random others, on random worlds: what must hold holds. A world that breaks
 * something is shrunk to one of which nothing can be left out, and its seed printed.
 *
 *     LAWS_SEEDS=500 ./tests/test_laws_serving_laws     looks further
 *     LAWS_ONLY=infaas ./tests/test_laws_serving_laws   at modules with that in their text */
#include "services_check.h"

#include "base/rng.h"
#include "serve/serving.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- modules that do nothing ------------------------------------------------------------------------------------- */

static bool admit_all(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_dest dest)
{
    (void)ctx, (void)service, (void)req, (void)dest;
    return true;
}

static void select_as_it_is(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    (void)ctx, (void)service, (void)req;
    fan->need = 1;
}

static void want_what_exists(orr_ctx *ctx, orr_service_id service, orr_want *want)
{
    (void)ctx, (void)service, (void)want;
}

static orr_dest route_as_it_is(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    (void)ctx, (void)service, (void)req;
    return (orr_dest){.variant = variant, .replica = -1};
}

static void form_one(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    (void)ctx, (void)exec;
    f->take = f->take > 1 ? 1 : f->take;
}

static void queued(orr_ctx *ctx, const orr_req *req, orr_dest dest)
{
    (void)ctx, (void)req, (void)dest;
}

static void done(orr_ctx *ctx, const orr_batch_run *batch)
{
    (void)ctx, (void)batch;
}

static orr_err decide_nothing(orr_ctx *ctx)
{
    (void)ctx;
    return ORR_OK;
}

static const orr_batcher null_batcher = {.summary = "nothing is set"},
                         one = {.summary = "one at a time", .form = form_one},
                         seeing = {
                             .summary = "sees each arrival", .form = form_one, .on_arrive = queued, .on_done = done};
static const orr_dropper null_dropper = {.summary = "nothing is set"},
                         admitting = {.summary = "admits all", .admit = admit_all};
static const orr_selector null_selector = {.summary = "nothing is set"},
                          as_it_is = {.summary = "one of one", .select = select_as_it_is};
static const orr_router null_router = {.summary = "nothing is set"},
                        same = {.summary = "to the centre", .route = route_as_it_is};
static const orr_scaler null_scaler = {.summary = "nothing is set"},
                        constant = {.summary = "what is there", .period = "50ms", .want = want_what_exists};
static const orr_scaler slow = {.summary = "what is there, seldom", .period = "1h", .want = want_what_exists};
static const orr_cache null_cache = {.summary = "nothing is set"};
static const orr_serve null_serve = {.summary = "nothing is set"},
                       idle = {.summary = "decides nothing", .period = "1h", .decide = decide_nothing};

#define MODULE(kind_, ident, table)                                                                                    \
    {                                                                                                                  \
        ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), sizeof table, kind_,    \
            ident, &table                                                                                              \
    }
static const orr_module modules[] = {
    MODULE(ORR_KIND_BATCHER, "null_batcher", null_batcher), MODULE(ORR_KIND_BATCHER, "one", one),
    MODULE(ORR_KIND_BATCHER, "seeing", seeing),             MODULE(ORR_KIND_DROPPER, "null_dropper", null_dropper),
    MODULE(ORR_KIND_DROPPER, "admitting", admitting),       MODULE(ORR_KIND_SELECTOR, "null_selector", null_selector),
    MODULE(ORR_KIND_SELECTOR, "as_it_is", as_it_is),        MODULE(ORR_KIND_ROUTER, "null_router", null_router),
    MODULE(ORR_KIND_ROUTER, "same", same),                  MODULE(ORR_KIND_SCALER, "null_scaler", null_scaler),
    MODULE(ORR_KIND_SCALER, "constant", constant),          MODULE(ORR_KIND_SCALER, "slow", slow),
    MODULE(ORR_KIND_CACHE, "null_cache", null_cache),       MODULE(ORR_KIND_SERVE, "null_serve", null_serve),
    MODULE(ORR_KIND_SERVE, "idle", idle),
};

static orr_registry *everything(void)
{
    orr_registry *r = orr_registry_create();
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_int_equal(orr_registry_add(r, &modules[i], NULL), ORR_OK);
    return r;
}

/* ---- laws, and shrinking ----------------------------------------------------------------------------------------- */

typedef struct scenario {
    const orr_registry *registry;
    char a[160], b[160]; /* modules; of laws on two runs, those of the second */
} scenario;

/* NULL: it holds, or there is nothing to say in this world. */
typedef const char *(*law)(const services_world *w, const scenario *sc, char text[SERVED_TEXT]);

static const char *two(const services_world *w, const scenario *sc, const char *second, bool ends,
                       char text[SERVED_TEXT])
{
    served a, b;
    const char *wrong = NULL;
    serve_world(w, &(serve_how){sc->a, sc->registry, false}, &a);
    serve_world(w, &(serve_how){second, sc->registry, false}, &b);
    if (a.seated && b.seated)
        wrong = check_equal(&a, &b, text);
    if (a.seated && b.seated && ends && !wrong)
        wrong = check_same_end(&a, &b, text);
    served_fini(&a);
    served_fini(&b);
    return wrong;
}

static const char *holds(const services_world *w, const scenario *sc, char text[SERVED_TEXT])
{
    served s;
    serve_world(w, &(serve_how){sc->a, sc->registry, false}, &s);
    const char *wrong = s.seated ? check_served(&s, text) : NULL;
    served_fini(&s);
    return wrong;
}

static const char *repeats(const services_world *w, const scenario *sc, char text[SERVED_TEXT])
{
    return two(w, sc, sc->a, true, text);
}

static const char *agree(const services_world *w, const scenario *sc, char text[SERVED_TEXT])
{
    return two(w, sc, sc->b, true, text);
}

/* When a client who left is found out depends on who looks, and so may the end of a run. */
static const char *answer_alike(const services_world *w, const scenario *sc, char text[SERVED_TEXT])
{
    return two(w, sc, sc->b, false, text);
}

static services_world *made(uint64_t seed, uint32_t without)
{
    services_world *w = malloc(sizeof *w);
    assert_non_null(w);
    services_world_make(w, seed, without);
    return w;
}

static const char *breaks(uint64_t seed, uint32_t without, const scenario *sc, law must, char text[SERVED_TEXT])
{
    services_world *w = made(seed, without);
    const char *wrong = must(w, sc, text);
    free(w);
    return wrong;
}

static void demand(uint64_t seed, uint32_t without, const scenario *sc, law must)
{
    char text[SERVED_TEXT];
    if (!breaks(seed, without, sc, must, text))
        return;
    for (int trait = 0; trait < SW_TRAITS; trait++)
        if (breaks(seed, without | 1u << trait, sc, must, text))
            without |= 1u << trait;
    breaks(seed, without, sc, must, text);
    printf("# seed %llu, modules %s %s; it needs:", (unsigned long long)seed, sc->a, sc->b);
    for (int trait = 0; trait < SW_TRAITS; trait++)
        if (!(without >> trait & 1))
            printf(" %s,", sw_trait_name((sw_trait)trait));
    printf(" (without 0x%x)\n", without);
    fail_msg("%s %s: %s", sc->a, sc->b, text);
}

static uint64_t seeds(uint64_t usual)
{
    const char *asked = getenv("LAWS_SEEDS");
    return asked ? strtoull(asked, NULL, 10) : usual;
}

static bool is_asked(const char *text)
{
    const char *only = getenv("LAWS_ONLY");
    return !only || strstr(text, only);
}

/* ---- all there is ------------------------------------------------------------------------------------------------ */

static size_t serving_modules(const orr_registry *r, const orr_module **out, size_t most)
{
    const orr_module *const *all;
    size_t n = 0;
    for (size_t i = 0, count = orr_registry_modules(r, &all); i < count; i++)
        if (all[i]->kind >= ORR_KIND_BATCHER && n < most)
            out[n++] = all[i];
    return n;
}

/* It looks for requests in its variants' central queues alone, and wakes itself until they are gone. */
static bool go_together(const char *text, uint32_t taken, const orr_module *other)
{
    if (strcmp(other->name, "rafiki_sync") == 0)
        return !(taken >> ORR_KIND_ROUTER & 1);
    return other->kind != ORR_KIND_ROUTER || !strstr(text, "rafiki-sync");
}

/* One, and perhaps others on seats of other kinds. */
static void seat(scenario *sc, const orr_module *const *all, size_t n, const orr_module *first, uint64_t dice)
{
    uint32_t taken = 1u << first->kind;
    orr_module_shown_name(first, sc->a, sizeof sc->a);
    for (int i = 0; i < 3; i++) {
        const orr_module *other = all[(dice >> (8 * i + 2)) % n];
        char name[64];
        if (taken >> other->kind & 1 || (dice >> i & 1) || !go_together(sc->a, taken, other))
            continue;
        taken |= 1u << other->kind;
        orr_module_shown_name(other, name, sizeof name);
        snprintf(sc->a + strlen(sc->a), sizeof sc->a - strlen(sc->a), "+%.30s", name);
    }
}

static bool can_sit(uint64_t seed, const scenario *sc)
{
    services_world *w = made(seed, 0);
    served s;
    serve_world(w, &(serve_how){sc->a, sc->registry, false}, &s);
    const bool sits = s.seated;
    if (!sits && s.error.code == ORR_E_BAD_SCENARIO)
        printf("# seed %llu: %s\n", (unsigned long long)seed, s.error.message);
    served_fini(&s);
    free(w);
    return sits;
}

static void every_policy_beside_others(void **state)
{
    (void)state;
    orr_registry *r = everything();
    const orr_module *all[128];
    const size_t n = serving_modules(r, all, 128);
    assert_true(n > 30);
    for (size_t i = 0; i < n; i++) {
        size_t ran = 0;
        for (uint64_t seed = 0; seed < seeds(20); seed++) {
            scenario sc = {.registry = r};
            const uint64_t own = orr_mix64(seed * 1009 + i);
            seat(&sc, all, n, all[i], seed % 3 ? own : 7); /* 7: alone */
            if (!is_asked(sc.a) || !can_sit(own, &sc))
                continue;
            ran++;
            demand(own, 0, &sc, holds);
            if (seed % 4 == 0)
                demand(own, 0, &sc, repeats);
        }
        if (!ran && is_asked(all[i]->name))
            fail_msg("%s sat in no world", all[i]->name);
    }
    orr_registry_destroy(r);
}

static void pairs_agree(const char *const pairs[][2], size_t n, uint32_t without, law must)
{
    orr_registry *r = everything();
    for (size_t i = 0; i < n; i++)
        for (uint64_t seed = 0; seed < seeds(60); seed++) {
            scenario sc = {.registry = r};
            snprintf(sc.a, sizeof sc.a, "%s", pairs[i][0]);
            snprintf(sc.b, sizeof sc.b, "%s", pairs[i][1]);
            if (is_asked(sc.a) || is_asked(sc.b))
                demand(orr_mix64(seed * 31 + i), without, &sc, must);
        }
    orr_registry_destroy(r);
}

static void no_policy_is_a_limit_of_one(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", "one"},
        {"", "null-batcher"},
        {"", "null-dropper"},
        {"", "null-selector"},
        {"", "null-router"},
        {"", "null-scaler"},
        {"", "null-cache"},
        {"", "null-serve"},
        {"", "null-batcher+null-dropper+null-router+null-scaler+null-cache+null-serve"}};
    pairs_agree(pairs, sizeof pairs / sizeof *pairs, 0, agree);
}

/* Whoever has to see each arrival costs events, and changes nothing. */
static void lagging_is_eager(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", "admitting"},
                                           {"", "same"},
                                           {"one", "seeing"},
                                           {"aimd", "aimd+admitting"},
                                           {"clipper:quantile", "clipper:quantile+same"},
                                           {"tfserving:greedy", "tfserving:greedy+admitting"},
                                           {"early", "early+same"},
                                           {"aimd+early", "aimd+early+same"}};
    pairs_agree(pairs, sizeof pairs / sizeof *pairs, 0, answer_alike);
}

/* Who waits for a full batch is found by whoever looks; clients that leave meanwhile are found out then. */
static void lagging_is_eager_for_those_who_wait(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"tfserving", "tfserving+admitting"},
                                           {"rafiki", "rafiki+admitting"},
                                           {"clipper,delay=5ms", "clipper,delay=5ms+admitting"}};
    pairs_agree(pairs, sizeof pairs / sizeof *pairs, 1u << SW_TIMEOUTS, answer_alike);
}

/* Whoever waits for a machine that was taken away keeps a scaler at it for a while. */
static void who_does_nothing_changes_nothing(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", "constant"}, {"", "slow"},
                                           {"", "idle"},     {"aimd", "aimd+slow+idle"},
                                           {"", "as-it-is"}, {"admitting", "admitting+same+as-it-is+slow+idle"}};
    pairs_agree(pairs, sizeof pairs / sizeof *pairs, 1u << SW_MARKETS, agree);
}

/* ---- one queue, or four ------------------------------------------------------------------------------------------ */

/* Mean response of `count` services alike, each with its part of four replicas and of 360 requests a second of 10 ms,
 * exponential. */
static double mean_response(int32_t count, uint64_t seed)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const orr_exec_profile profile = {
        .gpu_type = "", .milli = 1000, .gpus = 1, .alpha = 0.010, .noise = {ORR_SCATTER_EXPONENTIAL, 1}};
    const orr_variant variant = {.name = "v", .accuracy = 1, .max_batch = 1, .profiles = &profile, .profile_count = 1};
    const orr_slo_class all = {.name = "all", .slo = ORR_TIME_MAX, .part = 1, .weight = 1};
    const orr_hosted_ask hosts[4] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    orr_service services[4];
    orr_exec_ask execs[4];
    orr_sim_options options = orr_sim_options_default();
    for (int i = 0; i < count; i++) {
        services[i] = (orr_service){
            .name = names[i],
            .variants = &variant,
            .variant_count = 1,
            .classes = &all,
            .class_count = 1,
            .timeout = ORR_TIME_MAX,
            .source = {.kind = ORR_SOURCE_POISSON, .rate = 360.0 / count, .until = 1000 * ORR_SECOND, .speed = 1}};
        execs[i] = (orr_exec_ask){.name = "",
                                  .gpu_type = "",
                                  .gpus = 1,
                                  .milli = 1000,
                                  .count = 4 / count,
                                  .slots = 1,
                                  .market = "",
                                  .hosts = &hosts[i],
                                  .host_count = 1};
    }
    const orr_services spec = {.name = "laws",
                               .path = "",
                               .digest = "",
                               .services = services,
                               .count = count,
                               .executors = execs,
                               .executor_count = count};
    orr_cluster_spec *cluster = orr_cluster_spec_load("nodes=1,gpus=4", NULL, NULL);
    options.services = &spec;
    options.seed = seed;
    orr_sim *sim = orr_sim_create(NULL, cluster, &options, NULL, NULL);
    assert_non_null(sim);
    assert_int_equal(orr_sim_run(sim, NULL), ORR_OK);
    const double mean = orr_serving_mean(orr_sim_serving(sim), -1, ORR_SERVING_LATENCY);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(cluster);
    return mean;
}

/* Four M/M/1 at 90 % against one M/M/4: 10 services' time against 2.97, that is 3.37. */
static void a_shared_queue_beats_split_ones(void **state)
{
    (void)state;
    double shared = 0, split_ = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const double one_queue = mean_response(1, seed), four = mean_response(4, seed);
        assert_true(four > 2 * one_queue);
        shared += one_queue;
        split_ += four;
    }
    if (fabs(split_ / shared / 3.37 - 1) > 0.12)
        fail_msg("%g times as long", split_ / shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_policy_is_a_limit_of_one),
        cmocka_unit_test(lagging_is_eager),
        cmocka_unit_test(lagging_is_eager_for_those_who_wait),
        cmocka_unit_test(who_does_nothing_changes_nothing),
        cmocka_unit_test(a_shared_queue_beats_split_ones),
        cmocka_unit_test(every_policy_beside_others),
    };
    return cmocka_run_group_tests_name("serving laws", tests, NULL, NULL);
}
