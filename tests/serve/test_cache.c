/* Result caches: by hand, and against Che's approximation. */
#include "world.h"

#include <orrery/queueing.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

typedef struct seen {
    orr_time end[32], start[32];
    bool answered[32];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    s->end[r->number] = r->end;
    s->start[r->number] = r->start;
    s->answered[r->number] = r->answered;
}

/* Requests for these inputs, one every 10 ms from 10 ms on. */
typedef struct asked {
    small_world w;
    orr_trace_request list[32];
    uint64_t inputs[32];
    seen seen;
} asked;

static void ask(asked *p, size_t i, uint64_t input)
{
    p->inputs[i] = input;
    p->list[i] = (orr_trace_request){.arrival = ms(10.0 * (double)(i + 1)),
                                     .duration = ORR_TIME_NONE,
                                     .count = 1,
                                     .tokens_in = -1,
                                     .tokens_out = -1,
                                     .blocks = &p->inputs[i],
                                     .block_count = 1};
}

static void asked_init(asked *p, const char *inputs, double seconds, int64_t items)
{
    small_world_init(&p->w, seconds, 0, 0, 0, 1);
    const size_t n = strlen(inputs);
    for (size_t i = 0; i < n; i++)
        ask(p, i, (uint64_t)inputs[i]);
    p->w.service.source =
        (orr_source){.kind = ORR_SOURCE_LIST, .list = p->list, .listed = n, .speed = 1, .until = ORR_TIME_MAX};
    p->w.service.cache = (orr_result_cache){.items = items};
    p->w.sink = (orr_serving_sink){.self = &p->seen, .request = keep};
}

/* a at 10 ms is worked out until 15, at 20 it is there; b and c push it out again: two places. */
static void what_is_kept_is_answered_at_once(void **state)
{
    (void)state;
    asked p;
    asked_init(&p, "aabca", 0.005, 2);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    const orr_time ends[] = {ms(15), ms(20), ms(35), ms(45), ms(55)};
    for (int i = 0; i < 5; i++)
        assert_int_equal(p.seen.end[i], ends[i]);
    assert_int_equal(orr_serving_count(r, 0).hits, 1);
    assert_int_equal(orr_serving_count(r, 0).answered, 5);
    small_world_fini(&p.w);
}

/* 25 ms: those of 20 and 30 ms wait for the one of 10 and are answered with it, one batch for all; what a hit takes
 * is 1 ms. */
static void the_same_question_waits_for_the_answer(void **state)
{
    (void)state;
    asked p;
    asked_init(&p, "aaaa", 0.025, 2);
    p.w.service.cache.hit = ms(1);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    const orr_time ends[] = {ms(35), ms(35), ms(35), ms(41)};
    for (int i = 0; i < 4; i++)
        assert_int_equal(p.seen.end[i], ends[i]);
    assert_int_equal(p.seen.start[1], ms(20));
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_int_equal(c.batches, 1);
    assert_int_equal(c.joined, 2);
    assert_int_equal(c.hits, 1);
    small_world_fini(&p.w);
}

/* b leaves after 12 ms, while a runs for 50; who waits for it leaves with it. */
static void who_waits_for_a_dropped_one_is_dropped(void **state)
{
    (void)state;
    asked p;
    asked_init(&p, "abb", 0.050, 2);
    p.w.service.timeout = ms(12);
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_true(p.seen.answered[0] && !p.seen.answered[1] && !p.seen.answered[2]);
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_int_equal(c.dropped[ORR_DROP_TIMEOUT], 2);
    assert_int_equal(c.in_flight, 0);
    small_world_fini(&p.w);
}

static uint64_t hits_of(const char *inputs, const char *policy, int64_t items)
{
    asked p;
    asked_init(&p, inputs, 0.001, items);
    const orr_serving *r = small_world_run(&p.w, policy, 1);
    const uint64_t hits = orr_serving_count(r, 0).hits;
    small_world_fini(&p.w);
    return hits;
}

/* Two places. LRU: c takes b's, since a was used last; a is a hit again, b isn't. CLOCK, the oldest first: a was used
 * and is spared, b goes; then d: a's mark was taken away when it was spared, but it was used again, so that c goes. */
static void who_goes_by_each_rule(void **state)
{
    (void)state;
    assert_int_equal(hits_of("abaca", "", 2), 2);
    assert_int_equal(hits_of("abaca", "lru", 2), 2);
    assert_int_equal(hits_of("abacada", "clock", 2), 3);
    assert_int_equal(hits_of("abacbb", "lru", 2), 2);
    /* first in, first out where nobody was used: a goes for c, then b for a, then c for b */
    assert_int_equal(hits_of("abcabc", "clock", 2), 0);
    /* gdsf, scores by uses: a 3; b goes for c, which has b's age of 1 and so 2; c goes for d; a is there */
    assert_int_equal(hits_of("aaabcda", "gdsf", 2), 3);
    /* lru has forgotten it by then */
    assert_int_equal(hits_of("aaabcda", "lru", 2), 2);
}

static void hits_as_che_says(int64_t n, double zipf, int64_t room)
{
    small_world w;
    small_world_init(&w, 0.00001, 0, 1000, 150000, 1);
    w.service.source.inputs = (uint64_t)n;
    w.service.source.zipf = zipf;
    w.service.cache.items = room;
    w.services.warm_up = 10 * INT64_C(1000000000);
    const orr_serving *r = small_world_run(&w, "lru", 1);
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_true(fabs((double)c.hits / (double)c.arrived - orr_lru_hits_zipf(n, zipf, (double)room)) < 0.01);
    small_world_fini(&w);
}

/* The cases lru_zipf_* of the goldens, by the engine. */
static void hits_under_zipf(void **state)
{
    (void)state;
    hits_as_che_says(1000, 0.8, 100);
    hits_as_che_says(1000, 1.0, 100);
    hits_as_che_says(200, 1.2, 20);
}

/* As large as no room: nothing is kept, answers are as without one. */
static void bytes_bound_it_as_well(void **state)
{
    (void)state;
    asked p;
    asked_init(&p, "abab", 0.001, 100);
    p.w.service.cache.bytes = 1000;
    p.w.service.cache.item_bytes = 1000;
    const orr_serving *r = small_world_run(&p.w, "", 1);
    assert_int_equal(orr_serving_count(r, 0).hits, 0); /* one fits */
    p.w.service.cache.bytes = 2000;
    r = small_world_run(&p.w, "", 1);
    assert_int_equal(orr_serving_count(r, 0).hits, 2);
    small_world_fini(&p.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_answered_at_once),
        cmocka_unit_test(the_same_question_waits_for_the_answer),
        cmocka_unit_test(who_waits_for_a_dropped_one_is_dropped),
        cmocka_unit_test(who_goes_by_each_rule),
        cmocka_unit_test(hits_under_zipf),
        cmocka_unit_test(bytes_bound_it_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
