/* nexus: the planned duty cycle is kept, and early drop against lazy drop. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef struct seen {
    orr_time last;
    int32_t batches, unlike;
    orr_exec_id exec;
} seen;

/* From the third second on: the plan of the first is in force. */
static void keep(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (b->start < 3 * ORR_SECOND || b->start > 9 * ORR_SECOND)
        return;
    if (s->batches++)
        s->unlike += b->start - s->last != 75 * ORR_MS / 2 || b->size != 15 || b->exec_id != s->exec;
    s->last = b->start;
    s->exec = b->exec_id;
}

/* l(b) = 5 + b ms, 60 ms, 400 a second: the largest b with l(b) + b / 400 <= 60 ms is 15, which makes cycles of
 * 37.5 ms, on one of the two GPUs that were there. */
static void the_duty_cycle_is_kept(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.005, 0.001, 0, 4000, 2);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 400;
    w.class_.slo = 60 * ORR_MS;
    w.sink = (orr_serving_sink){.self = &s, .batch = keep};
    const orr_serving *r = small_world_run(&w, "nexus,period=1s,window=1s", 1);
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_in_range(s.batches, 159, 161);
    assert_int_equal(s.unlike, 0);
    assert_int_equal(c.answered, 4000);
    assert_int_equal(c.late, 0);
    small_world_fini(&w);
}

/* From the third second on: batches that begin neither 39 ms after the one before nor, full, earlier. */
static void keep_39(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (b->start < 3 * ORR_SECOND || b->start > 9 * ORR_SECOND)
        return;
    if (s->batches++)
        s->unlike += b->start - s->last > 39 * ORR_MS || b->size != 15 + (b->start - s->last < 39 * ORR_MS);
    s->last = b->start;
}

/* The same, as it is released: the largest b with l(b) + (b - 1) / 400 <= 60 ms is 16, which must begin after 39 ms:
 * then 15 or 16 have come, by turns. */
static void the_released_cycle_ends_when_it_must(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.005, 0.001, 0, 4000, 2);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 400;
    w.class_.slo = 60 * ORR_MS;
    w.sink = (orr_serving_sink){.self = &s, .batch = keep_39};
    const orr_service_counts c = orr_serving_count(small_world_run(&w, "nexus:released,period=1s,window=1s", 1), 0);
    assert_in_range(s.batches, 150, 160);
    assert_int_equal(s.unlike, 0);
    assert_true(c.answered == 4000 && c.late == 0);
    small_world_fini(&w);
}

static double in_time(const char *serve)
{
    small_world w;
    small_world_init(&w, 0.005, 0.001, 820, 40000, 1);
    w.class_.slo = 60 * ORR_MS;
    const orr_service_counts c = orr_serving_count(small_world_run(&w, serve, 7), 0);
    small_world_fini(&w);
    return (double)(c.answered - c.late) / (double)c.arrived;
}

/* One GPU that could just serve batches of 25, 833 a second, and 820 that come by chance: lazy drop keeps serving
 * the oldest in small batches. */
static void early_drop_beats_lazy_drop(void **state)
{
    (void)state;
    const double early = in_time("nexus,plan=no"), lazy = in_time("nexus:lazy,plan=no");
    assert_true(early > 0.8);
    assert_true(lazy < early - 0.1);
}

static void when_ready(void *self, orr_time at, const orr_serve_event *event)
{
    if (event->kind == ORR_SE_REPLICA && event->phase == ORR_PHASE_READY && at > 0)
        *(orr_time *)self = at;
}

/* 1,000 a second are more than one GPU's 833: after a second another is asked for. Its 1.25 GB
 * are two pages of a GB, at 4 GB a second. */
static void weights_come_from_the_store(void **state)
{
    (void)state;
    small_world w;
    orr_time ready = 0;
    small_world_init(&w, 0.005, 0.001, 0, 2000, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 1000;
    w.class_.slo = 60 * ORR_MS;
    w.variant.bytes = 1250000000;
    w.services.store = (orr_weight_store){.bandwidth = 4e9, .channels = 1, .page = 1000000000};
    w.sink = (orr_serving_sink){.self = &ready, .event = when_ready};
    small_world_run(&w, "nexus,period=1s,window=1s", 1);
    assert_int_equal(ready, ORR_SECOND + ORR_SECOND / 2);
    small_world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_duty_cycle_is_kept),
        cmocka_unit_test(the_released_cycle_ends_when_it_must),
        cmocka_unit_test(early_drop_beats_lazy_drop),
        cmocka_unit_test(weights_come_from_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
