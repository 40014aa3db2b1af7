/* Requests with parts elsewhere: pipelines, joins, ensembles, by hand. */
#include "world.h"

#include <orrery/queueing.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { STAGES = 4, SEEN = 16 };

typedef struct seen {
    int32_t count[STAGES];
    bool answered[STAGES][SEEN], late[STAGES][SEEN];
    orr_time arrival[STAGES][SEEN], end[STAGES][SEEN];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    s->count[r->service]++;
    if (r->number >= SEEN)
        return;
    s->answered[r->service][r->number] = r->answered;
    s->late[r->service][r->number] = r->late;
    s->arrival[r->service][r->number] = r->arrival;
    s->end[r->service][r->number] = r->end;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

/* Up to four services a, b, c, d; `a` is asked every 1 / rate; each has one executor and a constant time. */
typedef struct stages {
    small_world w;
    orr_exec_profile profiles[STAGES];
    orr_variant variants[STAGES];
    orr_service services[STAGES];
    orr_hosted_ask hosts[STAGES];
    orr_exec_ask execs[STAGES];
    orr_service_edge edges[STAGES][2];
    seen seen;
} stages;

static void stages_init(stages *p, int n, const double *seconds, double rate, uint64_t limit)
{
    static const char *const names[STAGES] = {"a", "b", "c", "d"};
    *p = (stages){0};
    small_world_init(&p->w, 0, 0, rate, limit, 1);
    p->w.service.source.kind = ORR_SOURCE_REGULAR;
    for (int i = 0; i < n; i++) {
        p->profiles[i] = p->w.profile;
        p->profiles[i].alpha = seconds[i];
        p->variants[i] = p->w.variant;
        p->variants[i].profiles = &p->profiles[i];
        p->services[i] = p->w.service;
        p->services[i].name = names[i];
        p->services[i].variants = &p->variants[i];
        p->services[i].edges = p->edges[i];
        if (i)
            p->services[i].source = (orr_source){.kind = ORR_SOURCE_NONE};
        p->hosts[i] = (orr_hosted_ask){i, 0};
        p->execs[i] = p->w.exec;
        p->execs[i].hosts = &p->hosts[i];
    }
    p->w.services.services = p->services;
    p->w.services.count = n;
    p->w.services.executors = p->execs;
    p->w.services.executor_count = n;
    p->w.sink = (orr_serving_sink){.self = &p->seen, .request = keep};
}

static void edge(stages *p, int from, int to, double fan_out)
{
    orr_service *s = &p->services[from];
    p->edges[from][s->edge_count++] = (orr_service_edge){.to = to, .fan_out = fan_out, .budget = ORR_TIME_MAX};
}

static void conserved(const orr_serving *r, int n)
{
    for (int i = 0; i < n; i++) {
        const orr_service_counts c = orr_serving_count(r, i);
        uint64_t gone = c.answered;
        for (int k = 0; k < ORR_DROP_KINDS; k++)
            gone += c.dropped[k];
        assert_int_equal(c.arrived, gone);
        assert_int_equal(c.members, c.members_answered + c.members_dropped);
    }
}

/* 10, 20 and 30 ms: the first, at 50 ms, is answered at 110. They come every 50 ms and never wait. */
static void a_pipeline_is_as_long_as_its_stages(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 3, (double[]){0.010, 0.020, 0.030}, 20, 3);
    p.w.class_.slo = ms(59);
    edge(&p, 0, 1, 1);
    edge(&p, 1, 2, 1);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p.seen.end[0][i], ms(110 + 50 * i));
        assert_true(p.seen.answered[0][i] && p.seen.late[0][i]);
        assert_int_equal(p.seen.arrival[1][i], ms(60 + 50 * i));
        assert_int_equal(p.seen.end[1][i], ms(80 + 50 * i));
        assert_int_equal(p.seen.end[2][i], ms(110 + 50 * i));
    }
    assert_true(fabs(orr_serving_mean(r, 0, ORR_SERVING_LATENCY) - 0.060) < 1e-12);
    assert_true(fabs(orr_serving_mean(r, 1, ORR_SERVING_LATENCY) - 0.020) < 1e-12);
    conserved(r, 3);
    small_world_fini(&p.w);
}

/* Two requests to the next stage an answer: the second waits for the first, 10 + 2 * 20 ms. */
static void a_fan_out_of_two_runs_one_after_the_other(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 2, (double[]){0.010, 0.020}, 10, 2);
    edge(&p, 0, 1, 2);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_int_equal(p.seen.end[0][0], ms(150));
    assert_int_equal(p.seen.count[1], 4);
    conserved(r, 2);
    small_world_fini(&p.w);
}

/* 0.3 more than one: 13,000 of 10,000, within five standard deviations of a binomial. */
static void the_rest_of_a_fan_out_is_drawn(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 2, (double[]){0.0001, 0.0001}, 1000, 10000);
    edge(&p, 0, 1, 1.3);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_true(fabs((double)orr_serving_count(r, 1).arrived - 13000) < 230);
    conserved(r, 2);
    small_world_fini(&p.w);
}

/* a 10 ms, then b 20 and c 50 side by side, then d 5 once both are done: 10 + 50 + 5. */
static void a_join_waits_for_all_who_ask_it(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 4, (double[]){0.010, 0.020, 0.050, 0.005}, 10, 2);
    edge(&p, 0, 1, 1);
    edge(&p, 0, 2, 1);
    edge(&p, 1, 3, 1);
    edge(&p, 2, 3, 1);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(p.seen.end[0][i], ms(165 + 100 * i));
        assert_int_equal(p.seen.arrival[3][i], ms(160 + 100 * i));
    }
    assert_int_equal(p.seen.count[3], 2);
    conserved(r, 4);
    small_world_fini(&p.w);
}

/* c is never asked: d goes as soon as b is done. */
static void a_join_does_not_wait_for_who_is_not_asked(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 4, (double[]){0.010, 0.020, 0.050, 0.005}, 10, 1);
    edge(&p, 0, 1, 1);
    edge(&p, 0, 2, 0);
    edge(&p, 1, 3, 1);
    edge(&p, 2, 3, 1);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_int_equal(p.seen.end[0][0], ms(135));
    conserved(r, 4);
    small_world_fini(&p.w);
}

/* One may wait at b, which takes 1 s: of three that ask it at once one runs, one waits, and the last ends its query
 * as FULL. */
static void a_part_that_is_dropped_ends_the_query(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 2, (double[]){0.001, 1}, 100, 3);
    p.services[1].bound = 1;
    edge(&p, 0, 1, 1);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_int_equal(p.seen.end[0][0], ms(1011));
    assert_int_equal(p.seen.end[0][1], ms(2011));
    assert_false(p.seen.answered[0][2]);
    assert_int_equal(p.seen.end[0][2], ms(31));
    assert_int_equal(orr_serving_count(r, 0).dropped[ORR_DROP_FULL], 1);
    assert_int_equal(orr_serving_count(r, 1).dropped[ORR_DROP_FULL], 1);
    conserved(r, 2);
    small_world_fini(&p.w);
}

/* 1 MB at 100 MB/s is on the way for 10 ms; the stage's own budget of 25 ms begins when it is there. */
static void bytes_take_their_time(void **state)
{
    (void)state;
    stages p;
    stages_init(&p, 2, (double[]){0.010, 0.020}, 10, 1);
    edge(&p, 0, 1, 1);
    p.edges[0][0].bytes = 1000000;
    p.edges[0][0].budget = ms(19);
    p.w.services.bandwidth = 1e8;
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_int_equal(p.seen.arrival[1][0], ms(120));
    assert_int_equal(p.seen.end[0][0], ms(140));
    assert_true(p.seen.late[1][0] && !p.seen.late[0][0]);
    conserved(r, 2);
    small_world_fini(&p.w);
}

static void circles_are_refused(void **state)
{
    (void)state;
    stages p;
    orr_error e = {0};
    stages_init(&p, 2, (double[]){0.010, 0.020}, 10, 1);
    edge(&p, 0, 1, 1);
    edge(&p, 1, 0, 1);
    p.w.cluster = orr_cluster_spec_load("nodes=1,gpus=8", NULL, &e);
    p.w.options.services = &p.w.services;
    assert_null(orr_sim_create(NULL, p.w.cluster, &p.w.options, NULL, &e));
    assert_int_equal(e.code, ORR_E_CONFLICT);
    small_world_fini(&p.w);
}

/* ---- ensembles --------------------------------------------------------------------------------------------------- */

/* One service with `n` variants that are all asked; each has an executor of its own. */
typedef struct ensemble {
    small_world w;
    orr_exec_profile profiles[ORR_FAN_MOST];
    orr_variant variants[ORR_FAN_MOST];
    orr_hosted_ask hosts[ORR_FAN_MOST];
    orr_exec_ask execs[ORR_FAN_MOST];
    seen seen;
} ensemble;

static void ensemble_init(ensemble *p, int n, double accuracy, double rate, uint64_t limit)
{
    static const char *const names[ORR_FAN_MOST] = {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"};
    *p = (ensemble){0};
    small_world_init(&p->w, 0.0001, 0, rate, limit, 1);
    p->w.service.source.kind = ORR_SOURCE_REGULAR;
    for (int i = 0; i < n; i++) {
        p->profiles[i] = p->w.profile;
        p->variants[i] = p->w.variant;
        p->variants[i].name = names[i];
        p->variants[i].accuracy = accuracy;
        p->variants[i].profiles = &p->profiles[i];
        p->hosts[i] = (orr_hosted_ask){0, i};
        p->execs[i] = p->w.exec;
        p->execs[i].hosts = &p->hosts[i];
    }
    p->w.service.variants = p->variants;
    p->w.service.variant_count = n;
    p->w.services.executors = p->execs;
    p->w.services.executor_count = n;
    p->w.sink = (orr_serving_sink){.self = &p->seen, .request = keep};
}

/* 5, 10 and 40 ms, and 20 until the deadline: those that have come answer then. */
static void an_ensemble_answers_with_those_that_came(void **state)
{
    (void)state;
    ensemble p;
    ensemble_init(&p, 3, 1, 10, 2);
    p.profiles[0].alpha = 0.005;
    p.profiles[1].alpha = 0.010;
    p.profiles[2].alpha = 0.040;
    p.w.class_.slo = ms(20);
    const orr_serving *r = small_world_run(&p.w, "exp4", 1);
    assert_int_equal(p.seen.end[0][0], ms(120));
    assert_true(p.seen.answered[0][0] && !p.seen.late[0][0]);
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_int_equal(c.arrived, 2);
    assert_int_equal(c.members, 6);
    assert_int_equal(c.members_answered, 6);
    assert_int_equal(c.correct, 2);
    conserved(r, 1);
    small_world_fini(&p.w);
}

/* Nobody has come by the deadline: the first one that does is the answer, and late. */
static void the_first_answers_where_nobody_is_in_time(void **state)
{
    (void)state;
    ensemble p;
    ensemble_init(&p, 2, 1, 10, 1);
    p.profiles[0].alpha = 0.050;
    p.profiles[1].alpha = 0.030;
    p.w.class_.slo = ms(20);
    small_world_run(&p.w, "exp4", 1);
    assert_int_equal(p.seen.end[0][0], ms(130));
    assert_true(p.seen.late[0][0]);
    small_world_fini(&p.w);
}

static double accuracy_of(int n, double accuracy, double alike)
{
    ensemble p;
    ensemble_init(&p, n, accuracy, 1000, 40000);
    p.w.service.alike = alike;
    const orr_serving *r = small_world_run(&p.w, "exp4,eta=0", 1);
    const orr_service_counts c = orr_serving_count(r, 0);
    small_world_fini(&p.w);
    assert_int_equal(c.rated, 40000);
    return (double)c.correct / (double)c.rated;
}

/* Condorcet: independent voters of 0.75; an even number's tie is a coin. The standard deviation is 0.002. */
static void a_majority_is_as_right_as_condorcet_says(void **state)
{
    (void)state;
    const int voters[] = {3, 4, 5, 9};
    for (size_t i = 0; i < sizeof voters / sizeof *voters; i++)
        assert_true(fabs(accuracy_of(voters[i], 0.75, 0) - orr_majority_right(voters[i], 0.75)) < 0.008);
    assert_true(fabs(accuracy_of(5, 0.75, 1) - 0.75) < 0.008); /* all alike: five are as one */
    assert_true(fabs(accuracy_of(5, 0.75, 0.5) - (0.75 + orr_majority_right(5, 0.75)) / 2) < 0.008);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipeline_is_as_long_as_its_stages),
        cmocka_unit_test(a_fan_out_of_two_runs_one_after_the_other),
        cmocka_unit_test(the_rest_of_a_fan_out_is_drawn),
        cmocka_unit_test(a_join_waits_for_all_who_ask_it),
        cmocka_unit_test(a_join_does_not_wait_for_who_is_not_asked),
        cmocka_unit_test(a_part_that_is_dropped_ends_the_query),
        cmocka_unit_test(bytes_take_their_time),
        cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(an_ensemble_answers_with_those_that_came),
        cmocka_unit_test(the_first_answers_where_nobody_is_in_time),
        cmocka_unit_test(a_majority_is_as_right_as_condorcet_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
