/* Worked examples of the policies that choose variants, shares and replicas: exp3, exp4, model-switching, infaas,
 * inferline, gslice. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MANY = 8 };

typedef struct seen {
    uint64_t by[MANY]; /* answers by variant */
    orr_variant_id last;
    orr_time ready[MANY]; /* replicas as they come */
    int32_t readies, gone;
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    if (r->variant >= 0 && r->variant < MANY)
        s->by[r->variant]++;
    s->last = r->variant;
}

static void keep_event(void *self, orr_time at, const orr_serve_event *event)
{
    seen *s = self;
    if (event->kind != ORR_SE_REPLICA)
        return;
    if (event->phase == ORR_PHASE_READY && s->readies < MANY)
        s->ready[s->readies++] = at;
    s->gone += event->phase == ORR_PHASE_GONE;
}

/* One service, up to eight variants of constant times; each with an executor of its own, or all on the same ones. */
typedef struct several {
    small_world w;
    orr_exec_profile profiles[MANY];
    orr_variant variants[MANY];
    orr_hosted_ask hosts[MANY];
    orr_exec_ask execs[MANY];
    seen seen;
} several;

static void several_init(several *p, int n, const double *seconds, const double *accuracy, double rate, uint64_t limit)
{
    static const char *const names[MANY] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"};
    *p = (several){0};
    small_world_init(&p->w, 0, 0, rate, limit, 1);
    p->w.service.source.kind = ORR_SOURCE_REGULAR;
    for (int i = 0; i < n; i++) {
        p->profiles[i] = p->w.profile;
        p->profiles[i].alpha = seconds[i];
        p->variants[i] = p->w.variant;
        p->variants[i].name = names[i];
        p->variants[i].accuracy = accuracy[i];
        p->variants[i].profiles = &p->profiles[i];
        p->hosts[i] = (orr_hosted_ask){0, i};
        p->execs[i] = p->w.exec;
        p->execs[i].hosts = &p->hosts[i];
    }
    p->w.service.variants = p->variants;
    p->w.service.variant_count = n;
    p->w.services.executors = p->execs;
    p->w.services.executor_count = n;
    p->w.sink = (orr_serving_sink){.self = &p->seen, .request = keep, .event = keep_event};
}

static void share_executors(several *p, int n, int32_t count)
{
    p->execs[0].host_count = n;
    p->execs[0].count = count;
    p->w.services.executor_count = 1;
}

/* Two who are always wrong outvote one who is always right, until 2 exp(-0.1 n) < 1: after seven answers. */
static void exp4_unlearns_who_is_wrong(void **state)
{
    (void)state;
    several p;
    several_init(&p, 3, (double[]){0.001, 0.001, 0.001}, (double[]){0, 1, 0}, 100, 50);
    const orr_serving *r = small_world_run(&p.w, "exp4,eta=0.1", 1);
    assert_int_equal(orr_serving_count(r, 0).correct, 43);
    small_world_fini(&p.w);
}

/* It ends up with the one who is right, but for the half that is drawn evenly: 3 of 4. */
static void exp3_finds_who_is_right(void **state)
{
    (void)state;
    several p;
    several_init(&p, 2, (double[]){0.001, 0.001}, (double[]){0, 1}, 100, 5000);
    const orr_serving *r = small_world_run(&p.w, "exp3,eta=0.5", 1);
    assert_true(fabs((double)orr_serving_count(r, 0).correct / 5000 - 0.75) < 0.03);
    assert_int_equal(orr_serving_count(r, 0).members, 0);
    small_world_fini(&p.w);
}

static orr_variant_id switched_to(double rate)
{
    several p;
    several_init(&p, 5, (double[]){0.010, 0.016, 0.022, 0.040, 0.058},
                 (double[]){0.6976, 0.7331, 0.7613, 0.7737, 0.7831}, rate, (uint64_t)(3 * rate));
    share_executors(&p, 5, 4);
    p.w.class_.slo = 150 * (orr_time)1000000;
    small_world_run(&p.w, "model-switching", 1);
    small_world_fini(&p.w);
    return p.seen.last;
}

/* The choices of the goldens modelswitch_lam*, by the engine: four replicas, 150 ms. */
static void model_switching_takes_what_the_load_allows(void **state)
{
    (void)state;
    assert_int_equal(switched_to(20), 2);
    assert_int_equal(switched_to(120), 2);
    assert_int_equal(switched_to(200), 1);
    assert_int_equal(switched_to(300), 0);
}

/* Only the second is accurate enough; the third isn't fast enough. */
static void infaas_takes_the_fastest_that_is_good_enough(void **state)
{
    (void)state;
    several p;
    several_init(&p, 3, (double[]){0.005, 0.020, 0.200}, (double[]){0.6, 0.75, 0.9}, 10, 30);
    p.w.class_.slo = 100 * (orr_time)1000000;
    small_world_run(&p.w, "infaas,accuracy=0.7", 1);
    assert_int_equal(p.seen.by[1], 30);
    small_world_fini(&p.w);
}

/* The golden infaas_scaler_1: 120 queries a second, 10 ms + 2 ms a request, batches of one, 1.5 s to load: one more
 * after the first second, there at 2.5 s. */
static void infaas_adds_replicas_by_its_rule(void **state)
{
    (void)state;
    several p;
    several_init(&p, 1, (double[]){0.010}, (double[]){1}, 120, 360);
    p.profiles[0].beta = 0.002;
    p.variants[0].max_batch = 1;
    p.variants[0].load = 1500 * (orr_time)1000000;
    small_world_run(&p.w, "infaas", 1);
    assert_true(p.seen.readies >= 2);
    assert_int_equal(p.seen.ready[0], 0);
    assert_int_equal(p.seen.ready[1], 2500 * (orr_time)1000000);
    small_world_fini(&p.w);
}

/* ---- inferline --------------------------------------------------------------------------------------------------- */

typedef struct pipeline {
    small_world w;
    orr_exec_profile profiles[3];
    orr_variant variants[3];
    orr_service services[3];
    orr_service_edge edges[2];
    orr_hosted_ask hosts[3];
    orr_exec_ask execs[3];
} pipeline;

static void pipeline_init(pipeline *p, const double *seconds, const double *visits, double rate, uint64_t limit)
{
    static const char *const names[3] = {"a", "b", "c"};
    *p = (pipeline){0};
    small_world_init(&p->w, 0, 0, rate, limit, 1);
    p->w.service.source.kind = ORR_SOURCE_REGULAR;
    p->w.class_.slo = 10 * (orr_time)1000000000;
    for (int i = 0; i < 3; i++) {
        p->profiles[i] = p->w.profile;
        p->profiles[i].alpha = seconds[i];
        p->variants[i] = p->w.variant;
        p->variants[i].max_batch = 1;
        p->variants[i].profiles = &p->profiles[i];
        p->services[i] = p->w.service;
        p->services[i].name = names[i];
        p->services[i].variants = &p->variants[i];
        if (i)
            p->services[i].source = (orr_source){.kind = ORR_SOURCE_NONE};
        p->hosts[i] = (orr_hosted_ask){i, 0};
        p->execs[i] = p->w.exec;
        p->execs[i].hosts = &p->hosts[i];
    }
    for (int k = 0; k < 2; k++)
        p->edges[k] = (orr_service_edge){.to = k + 1, .fan_out = visits[k + 1], .budget = ORR_TIME_MAX};
    p->services[0].edges = p->edges;
    p->services[0].edge_count = 2;
    p->w.services.services = p->services;
    p->w.services.count = 3;
    p->w.services.executors = p->execs;
    p->w.services.executor_count = 3;
}

static double gpus_of(pipeline *p, const char *policy)
{
    double busy, there, gpu_seconds;
    const orr_serving *r = small_world_run(&p->w, policy, 1);
    orr_serving_use(r, &busy, &there, &gpu_seconds);
    return gpu_seconds / orr_time_seconds(orr_sim_now(p->w.sim));
}

/* The golden inferline_replicas: 150 a second, 70, 25 and 120 a second of a replica, visited by 1, 0.4 and 0.6 of
 * them: 3, 3, 1. */
static void inferline_plans_what_the_rate_needs(void **state)
{
    (void)state;
    pipeline p;
    pipeline_init(&p, (double[]){1.0 / 70, 1.0 / 25, 1.0 / 120}, (double[]){1, 0.4, 0.6}, 150, 1500);
    assert_true(fabs(gpus_of(&p, "inferline,tune=off") - 7) < 0.01);
    small_world_fini(&p.w);
}

/* With 50 ms from end to end nobody may wait for long: more than the rate needs. 1/25 s alone with 1/70 is 54.3 ms:
 * too long. */
static void inferline_adds_until_the_slo_is_met(void **state)
{
    (void)state;
    pipeline p;
    pipeline_init(&p, (double[]){1.0 / 70, 1.0 / 25, 1.0 / 120}, (double[]){1, 0.4, 0.6}, 150, 1500);
    p.w.class_.slo = 60 * (orr_time)1000000;
    assert_true(gpus_of(&p, "inferline,tune=off") > 7.5);
    p.w.class_.slo = 50 * (orr_time)1000000; /* it can't be: what was there stays */
    assert_true(fabs(gpus_of(&p, "inferline") - 3) < 0.01);
    small_world_fini(&p.w);
}

/* A second stage that runs 8 in the time of one, where there is time to wait for them: batches bring its replicas
 * down. */
static void inferline_batches_where_that_is_cheaper(void **state)
{
    (void)state;
    pipeline p;
    pipeline_init(&p, (double[]){1.0 / 70, 1.0 / 25, 1.0 / 120}, (double[]){1, 0.4, 0.6}, 150, 1500);
    p.variants[1].max_batch = 8;
    assert_true(fabs(gpus_of(&p, "inferline,tune=off") - 5) < 0.01);
    small_world_fini(&p.w);
}

/* Ten seconds at 50 a second, of which the sample is, then at 150: the tuner follows, a plan alone doesn't. */
static void inferline_tunes_by_the_envelope(void **state)
{
    (void)state;
    pipeline p;
    const uint64_t counts[] = {500, 1500, 1500, 1500};
    pipeline_init(&p, (double[]){0.015, 0.001, 0.001}, (double[]){1, 0.5, 0.5}, 0, 0);
    p.services[0].source = (orr_source){.kind = ORR_SOURCE_COUNTS,
                                        .counts = counts,
                                        .bins = 4,
                                        .bin = 10 * (orr_time)1000000000,
                                        .within = ORR_BIN_EVEN,
                                        .speed = 1,
                                        .until = ORR_TIME_MAX};
    p.w.class_.slo = 500 * (orr_time)1000000;
    const orr_serving *r = small_world_run(&p.w, "inferline,sample=9s", 1);
    assert_true(orr_serving_count(r, 0).late < 250);
    r = small_world_run(&p.w, "inferline,sample=9s,tune=off", 1);
    assert_true(orr_serving_count(r, 0).late > 3000);
    small_world_fini(&p.w);
}

/* ---- query-split ------------------------------------------------------------------------------------------------- */

typedef struct budgets {
    orr_time budget[3];
} budgets;

static void keep_budget(void *self, const orr_request_record *r)
{
    ((budgets *)self)->budget[r->service] = r->deadline - r->arrival;
}

/* The golden nexus_query_split, as often to y as to x: l = 10 + 2 b and 4 + 0.5 b ms, 120 ms in all: 88 and 32. The
 * root is judged by its own 120 ms. */
static void query_split_deals_the_deadline_out(void **state)
{
    (void)state;
    pipeline p;
    budgets kept = {0};
    pipeline_init(&p, (double[]){0.010, 0.004, 0.001}, (double[]){1, 1, 0}, 10, 400);
    p.services[0].edge_count = 1;
    p.profiles[0].beta = 0.002;
    p.profiles[1].beta = 0.0005;
    p.variants[0].max_batch = p.variants[1].max_batch = 256;
    p.w.class_.slo = 120 * (orr_time)1000000;
    p.w.sink = (orr_serving_sink){.self = &kept, .request = keep_budget};
    small_world_run(&p.w, "query-split,period=10s", 1);
    assert_int_equal(kept.budget[0], 120 * (orr_time)1000000);
    assert_int_equal(kept.budget[1], 32 * (orr_time)1000000);
    small_world_fini(&p.w);
}

/* ---- gslice ------------------------------------------------------------------------------------------------------ */

/* 20 % of a GPU: 20 ms, 40 %: 10 ms, 60 % and all of it: 9.8 ms. The knee is at 40 %. From the whole GPU it goes down
 * one step an epoch of 5 s: 60 %, then 40 %, and stays. */
static void gslice_goes_down_to_the_knee(void **state)
{
    (void)state;
    several p;
    double busy, there, gpu_seconds;
    several_init(&p, 1, (double[]){0}, (double[]){1}, 20, 600);
    const int32_t shares[] = {200, 400, 600, 1000};
    const double seconds[] = {0.020, 0.010, 0.0098, 0.0098};
    for (int i = 0; i < 4; i++) {
        p.profiles[i] = p.w.profile;
        p.profiles[i].milli = shares[i];
        p.profiles[i].alpha = seconds[i];
    }
    p.variants[0].profile_count = 4;
    p.variants[0].max_batch = 1;
    p.w.class_.slo = 100 * (orr_time)1000000;
    const orr_serving *r = small_world_run(&p.w, "gslice", 1);
    orr_serving_use(r, &busy, &there, &gpu_seconds);
    assert_int_equal(p.seen.readies, 3);
    assert_int_equal(p.seen.gone, 2);
    assert_int_equal(p.seen.ready[2], 5 * (orr_time)1000000000);
    assert_true(fabs(gpu_seconds - (0.05 + 0.6 * 5 + 0.4 * 25)) <
                2.3); /* the last period is begun after the last answer */
    assert_int_equal(orr_serving_count(r, 0).late, 0);
    small_world_fini(&p.w);
}

/* A fifth of a GPU is too slow for 15 ms: the share grows to the knee, where nothing is late. */
static void gslice_goes_up_where_answers_are_late(void **state)
{
    (void)state;
    several p;
    several_init(&p, 1, (double[]){0}, (double[]){1}, 20, 600);
    p.profiles[1] = p.profiles[0];
    p.profiles[0].milli = 200;
    p.profiles[0].alpha = 0.020;
    p.profiles[1].alpha = 0.010;
    p.variants[0].profile_count = 2;
    p.variants[0].max_batch = 1;
    p.execs[0].milli = 200;
    p.w.class_.slo = 15 * (orr_time)1000000;
    const orr_serving *r = small_world_run(&p.w, "gslice,gain=1", 1);
    const uint64_t late = orr_serving_count(r, 0).late;
    assert_true(late > 0 && late <= 101); /* of the first epoch */
    small_world_fini(&p.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp4_unlearns_who_is_wrong),
        cmocka_unit_test(exp3_finds_who_is_right),
        cmocka_unit_test(model_switching_takes_what_the_load_allows),
        cmocka_unit_test(infaas_takes_the_fastest_that_is_good_enough),
        cmocka_unit_test(infaas_adds_replicas_by_its_rule),
        cmocka_unit_test(inferline_plans_what_the_rate_needs),
        cmocka_unit_test(inferline_adds_until_the_slo_is_met),
        cmocka_unit_test(inferline_batches_where_that_is_cheaper),
        cmocka_unit_test(inferline_tunes_by_the_envelope),
        cmocka_unit_test(query_split_deals_the_deadline_out),
        cmocka_unit_test(gslice_goes_down_to_the_knee),
        cmocka_unit_test(gslice_goes_up_where_answers_are_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
