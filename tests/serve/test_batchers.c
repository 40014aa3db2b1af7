/* Batchers, droppers and routers, each on a few requests worked out by hand. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 64 };

typedef struct seen {
    int32_t batch[MOST], batches, sizes[MOST];
    orr_exec_id exec[MOST];
    orr_time start[MOST], end[MOST];
    bool answered[MOST], late[MOST];
    orr_drop_why why[MOST];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    if (r->number >= MOST)
        return;
    s->batch[r->number] = r->batch;
    s->exec[r->number] = r->exec;
    s->start[r->number] = r->start;
    s->end[r->number] = r->end;
    s->answered[r->number] = r->answered;
    s->late[r->number] = r->late;
    s->why[r->number] = r->why;
}

static void keep_batch(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (s->batches < MOST)
        s->sizes[s->batches++] = b->size;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

/* One request every 4 ms, the first at 4. */
static void world(small_world *w, seen *s, double alpha, double beta, uint64_t limit, int32_t count)
{
    *s = (seen){0};
    small_world_init(w, alpha, beta, 250, limit, count);
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->sink = (orr_serving_sink){.self = s, .request = keep, .batch = keep_batch};
}

static void starts(const seen *s, int n, const double *at)
{
    for (int i = 0; i < n; i++)
        if (!s->answered[i] || s->start[i] != ms(at[i]))
            fail_msg("request %d began at %g ms, not %g", i, (double)s->start[i] * 1e-6, at[i]);
}

/* Batches of 5 + b ms. With 6 ms of patience and up to three: two are there at 10, at 18, at 26, the last one at 34.
 * With up to two and much patience: as soon as the second comes; the last one waits in vain for another until 128. */
static void tfserving_waits_for_a_full_batch_or_a_time(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.005, 0.001, 7, 1);
    small_world_run(&w, "tfserving,max_batch=3,timeout=6ms", 1);
    starts(&s, 7, (const double[]){10, 10, 18, 18, 26, 26, 34});
    small_world_run(&w, "tfserving,max_batch=2,timeout=100ms", 1);
    starts(&s, 7, (const double[]){8, 8, 16, 16, 24, 24, 128});
    /* 4..10, then 8 alone until 16, then 12 and 16 until 23, 20 until 29, 24 and 28 */
    small_world_run(&w, "tfserving:greedy", 1);
    starts(&s, 7, (const double[]){4, 10, 16, 16, 23, 29, 29});
    small_world_fini(&w);
}

/* The delay of clipper waits as that does, while fewer are there than its limit: which is 1 first, then 2 after a full
 * one in time. */
static void clipper_delays(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.005, 0.001, 5, 1);
    w.class_.slo = ms(100);
    /* 4..10 alone; limit 2: 8 and, at 12, the next until 19; limit 3: 16 and 20 until 26 for 24: none comes, so at 16 +
     * 10 */
    small_world_run(&w, "clipper,delay=10ms", 1);
    starts(&s, 5, (const double[]){4, 12, 12, 26, 26});
    small_world_fini(&w);
}

/* Sizes 2 and 4, an SLO of 50 ms of which 5 are kept in hand, batches of 5 + b ms. The first four wait for each other,
 * until 16; the fifth must go when a batch of two would have to: at 20 + 45 - 7. */
static void rafiki_waits_as_long_as_it_can(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.005, 0.001, 5, 1);
    w.class_.slo = ms(50);
    small_world_run(&w, "rafiki,sizes=2/4", 1);
    starts(&s, 5, (const double[]){16, 16, 16, 16, 58});
    assert_int_equal(s.batch[0], 4);
    small_world_fini(&w);
}

/* Forty at once with 50 ms each, batches of 6 + 3 b ms: 14 take 48. The others are late anyhow: as many as the SLO
 * allows. */
static void nanily_lets_the_tightest_deadline_bind(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.006, 0.003, 40, 1);
    w.service.source.kind = ORR_SOURCE_CLOSED;
    w.service.source.clients = 40;
    w.variant.max_batch = 32;
    w.class_.slo = ms(50);
    small_world_run(&w, "nanily,scale=off", 1);
    assert_int_equal(s.sizes[0], 14);
    assert_int_equal(s.sizes[1], 14);
    assert_int_equal(s.sizes[2], 12);
    small_world_fini(&w);
}

/* Batches of 10 + b ms, 22 ms allowed. 4..15 alone, 8 and 12 until 27; then 16 and 20 would end at 39, after 16's
 * deadline at 38: who drops early drops it, and 20 runs until 38; alone it would just be in time, so who drops lazily
 * keeps it, and it is late. */
static void droppers_look_at_the_batch_or_at_one(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.010, 0.001, 5, 1);
    w.class_.slo = ms(22);
    small_world_run(&w, "tfserving:greedy+early", 1);
    assert_true(!s.answered[3] && s.why[3] == ORR_DROP_SHED && s.end[3] == ms(27));
    assert_true(s.answered[4] && s.start[4] == ms(27) && s.end[4] == ms(38) && !s.late[4]);
    small_world_run(&w, "tfserving:greedy+lazy", 1);
    assert_true(s.answered[3] && s.start[3] == ms(27) && s.late[3]);
    assert_true(s.answered[4] && s.end[4] == ms(39));
    small_world_fini(&w);
}

/* 9 ms each, two replicas. */
static void routers_choose_replicas(void **state)
{
    (void)state;
    small_world w;
    seen s;
    world(&w, &s, 0.009, 0, 6, 2);
    small_world_run(&w, "round-robin", 1);
    for (int i = 0; i < 6; i++)
        assert_int_equal(s.exec[i], i % 2);
    small_world_run(&w, "least-queue", 1);
    /* 4..13 on 0, 8..17 on 1; at 12 and 16 a batch runs on each, and none waits: 0, at 13 and 22; at 20 1 is free; at
     * 24 one runs on each */
    const orr_exec_id at[] = {0, 1, 0, 0, 1, 0};
    for (int i = 0; i < 6; i++)
        assert_int_equal(s.exec[i], at[i]);
    small_world_fini(&w);
}

/* Eight at 90 %: joining the shortest waits least, then of two the shorter, then in turn, where the theory of
 * E8/M/1 has about 5 times the service; with very many replicas that of two choices has 1.6. */
static void the_more_is_looked_at_the_less_one_waits(void **state)
{
    (void)state;
    static const char *const routers[] = {"least-queue", "power-of-two", "round-robin"};
    double wait[3];
    small_world w;
    small_world_init(&w, 0.01, 0, 720, 60000, 8);
    w.profile.noise = (orr_jitter){ORR_SCATTER_EXPONENTIAL, 1};
    for (int i = 0; i < 3; i++)
        wait[i] = orr_serving_mean(small_world_run(&w, routers[i], 5), 0, ORR_SERVING_WAIT) / 0.01;
    assert_true(wait[0] * 1.3 < wait[1] && wait[1] * 1.8 < wait[2]);
    assert_true(wait[1] > 1.6 && wait[1] < 2.8 && wait[2] > 3.5 && wait[2] < 6.5);
    small_world_fini(&w);
}

static double mean_batch(small_world *w, const char *serve, orr_service_counts *c)
{
    const orr_serving *r = small_world_run(w, serve, 3);
    *c = orr_serving_count(r, 0);
    return (double)c->batched / (double)c->batches;
}

/* Of 5 + b ms within 50 ms 45 fit: the quantile rule finds the line and stays there, the released one serves in time
 * what it can serve one at a time, too: it explores while heads have much time left, and an overloaded one never gets
 * to it. */
static void estimating_rules_find_the_largest_batch(void **state)
{
    (void)state;
    small_world w;
    orr_service_counts c;
    small_world_init(&w, 0.005, 0.001, 0, 40000, 1);
    w.service.source.kind = ORR_SOURCE_CLOSED;
    w.service.source.clients = 45;
    w.class_.slo = ms(50);
    const double quantile = mean_batch(&w, "clipper:quantile", &c);
    assert_true(quantile > 40 && quantile <= 45);
    assert_int_equal(c.answered, 40000);
    w.service.source.clients = 200;
    const double saturated = mean_batch(&w, "clipper:quantile", &c);
    assert_true(saturated > 44 && saturated <= 45);
    w.service.source =
        (orr_source){.kind = ORR_SOURCE_POISSON, .rate = 130, .limit = 40000, .until = ORR_TIME_MAX, .speed = 1};
    mean_batch(&w, "clipper:released", &c);
    assert_true((double)(c.answered - c.late) > 0.97 * 40000);
    small_world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tfserving_waits_for_a_full_batch_or_a_time),
        cmocka_unit_test(clipper_delays),
        cmocka_unit_test(rafiki_waits_as_long_as_it_can),
        cmocka_unit_test(nanily_lets_the_tightest_deadline_bind),
        cmocka_unit_test(droppers_look_at_the_batch_or_at_one),
        cmocka_unit_test(routers_choose_replicas),
        cmocka_unit_test(the_more_is_looked_at_the_less_one_waits),
        cmocka_unit_test(estimating_rules_find_the_largest_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
