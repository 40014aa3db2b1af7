/* clockwork: the largest batch that ends in time, the most urgent model first, and many models on one GPU. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { MODELS = 15 };

typedef struct seen {
    int32_t count, size[32];
    orr_time start[32];
} seen;

static void keep(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (s->count >= 32)
        return;
    s->size[s->count] = b->size;
    s->start[s->count++] = b->start;
}

/* l(b) = 1.8 + 1.4 b ms; one a millisecond, due 12 ms after it comes less 5. At 1 ms the first runs until 4.2;
 * then 2, 3 and 4 wait, the first of which has 4.8 ms left: two take 4.6. At 8.8 those of 4 to 8 wait; 4 has 2.2
 * and can't be in time, 5 has 3.2, which is what one takes. At 12 those of 6 to 12 do; 6 has 1.0, 7 has 2.0, 8 has
 * 3.0: they go, and 9, with 4.0, is alone. */
static void batches_end_in_time(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.0018, 0.0014, 0, 12, 1);
    w.service.source.kind = ORR_SOURCE_REGULAR;
    w.service.source.rate = 1000;
    w.class_.slo = 12 * ORR_MS;
    w.sink = (orr_serving_sink){.self = &s, .batch = keep};
    const orr_service_counts c = orr_serving_count(small_world_run(&w, "clockwork", 1), 0);
    const int32_t sizes[] = {1, 2, 1, 1};
    const orr_time starts[] = {ORR_MS, 42 * ORR_MS / 10, 88 * ORR_MS / 10, 12 * ORR_MS};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s.size[i], sizes[i]);
        assert_int_equal(s.start[i], starts[i]);
    }
    assert_int_equal(c.late, 0);
    assert_int_equal(c.answered + c.dropped[ORR_DROP_EXPIRED], 12);
    small_world_fini(&w);
}

/* 15 models on one GPU, 16 clients each that ask at once after an answer, an SLO of 100 ms. */
static orr_service_counts contended(const char *serve)
{
    small_world w;
    orr_service services[MODELS];
    orr_hosted_ask hosts[MODELS];
    char names[MODELS][8];
    small_world_init(&w, 0.0018, 0.0014, 0, 0, 1);
    w.variant.max_batch = 16;
    w.class_.slo = 100 * ORR_MS;
    w.service.source = (orr_source){.kind = ORR_SOURCE_CLOSED, .clients = 16, .speed = 1, .until = 5 * ORR_SECOND};
    for (int i = 0; i < MODELS; i++) {
        snprintf(names[i], sizeof names[i], "m%02d", i);
        services[i] = w.service;
        services[i].name = names[i];
        hosts[i] = (orr_hosted_ask){.service = i};
    }
    w.services.services = services;
    w.services.count = MODELS;
    w.exec.hosts = hosts;
    w.exec.host_count = MODELS;
    const orr_service_counts c = orr_serving_count(small_world_run(&w, serve, 1), -1);
    small_world_fini(&w);
    return c;
}

/* In order of arrival one at a time each waits for 239 others, 3.2 ms each. In batches of 16 the GPU gives 661
 * answers a second. */
static void many_models_meet_the_slo_where_fifo_collapses(void **state)
{
    (void)state;
    const orr_service_counts ours = contended("clockwork"), fifo = contended("");
    const double good = (double)(ours.answered - ours.late) / 5, other = (double)(fifo.answered - fifo.late) / 5;
    assert_int_equal(ours.late, 0);
    assert_true(good > 450 && good < 662);
    assert_true(other < 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_end_in_time),
        cmocka_unit_test(many_models_meet_the_slo_where_fifo_collapses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
