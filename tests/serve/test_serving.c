/* The engine of serving: known answers by hand, and conservation. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef struct seen {
    int32_t count, batch[64];
    orr_time start[64], end[64];
    bool answered[64];
    orr_drop_why why[64];
} seen;

static void keep(void *self, const orr_request_record *r)
{
    seen *s = self;
    if (r->number >= 64)
        return;
    s->count++;
    s->start[r->number] = r->start;
    s->end[r->number] = r->end;
    s->batch[r->number] = r->batch;
    s->answered[r->number] = r->answered;
    s->why[r->number] = r->why;
}

static orr_time ms(double x)
{
    return (orr_time)llround(x * 1e6);
}

static void regular(small_world *w, double rate)
{
    w->service.source.kind = ORR_SOURCE_REGULAR;
    w->service.source.rate = rate;
}

/* One every 4 ms, each taking 6: they queue, in order, one at a time. */
static void one_at_a_time_in_order(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.005, 0.001, 0, 5, 1);
    regular(&w, 250);
    w.sink = (orr_serving_sink){.self = &s, .request = keep};
    const orr_serving *r = small_world_run(&w, "", 1);
    assert_int_equal(s.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s.start[i], ms(4 + 6 * i));
        assert_int_equal(s.end[i], ms(10 + 6 * i));
    }
    const orr_service_counts c = orr_serving_count(r, 0);
    assert_int_equal(c.answered, 5);
    assert_int_equal(c.batches, 5);
    small_world_fini(&w);
}

/* Two executors share the queue: the first takes the first, the second the second. */
static void executors_share_a_queue(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.005, 0.001, 0, 4, 2);
    regular(&w, 250);
    w.sink = (orr_serving_sink){.self = &s, .request = keep};
    small_world_run(&w, "", 1);
    const orr_time ends[] = {ms(10), ms(14), ms(18), ms(22)};
    for (int i = 0; i < 4; i++)
        assert_int_equal(s.end[i], ends[i]);
    small_world_fini(&w);
}

/* At most one may wait: of those at 4, 8, 12, 16, 20 ms with 20 ms each, the first runs until 24, the second waits. */
static void a_bound_drops_the_rest(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.020, 0, 0, 5, 1);
    regular(&w, 250);
    w.service.bound = 1;
    w.sink = (orr_serving_sink){.self = &s, .request = keep};
    const orr_serving *r = small_world_run(&w, "", 1);
    assert_true(s.answered[0] && s.answered[1]);
    for (int i = 2; i < 5; i++)
        assert_true(!s.answered[i] && s.why[i] == ORR_DROP_FULL && s.end[i] == ms(4 + 4 * i));
    assert_int_equal(orr_serving_count(r, 0).dropped[ORR_DROP_FULL], 3);
    small_world_fini(&w);
}

/* Who has waited 10 ms leaves: the third comes at 12 ms and would start at 44; the second at 8 would start at 24. */
static void impatient_clients_leave(void **state)
{
    (void)state;
    small_world w;
    seen s = {0};
    small_world_init(&w, 0.020, 0, 0, 3, 1);
    regular(&w, 250);
    w.service.timeout = ms(10);
    w.sink = (orr_serving_sink){.self = &s, .request = keep};
    const orr_serving *r = small_world_run(&w, "", 1);
    assert_true(s.answered[0]);
    assert_true(!s.answered[1] && s.why[1] == ORR_DROP_TIMEOUT && s.end[1] == ms(18));
    assert_true(!s.answered[2] && s.end[2] == ms(22));
    assert_int_equal(orr_serving_count(r, 0).dropped[ORR_DROP_TIMEOUT], 2);
    small_world_fini(&w);
}

/* M/M/1 at 80 %: the mean response is 1 / (mu - lambda) = 50 ms. */
static void the_mean_of_mm1(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.01, 0, 80, 1000000, 1);
    w.profile.noise = (orr_jitter){ORR_SCATTER_EXPONENTIAL, 1};
    const orr_serving *r = small_world_run(&w, "", 3);
    assert_true(fabs(orr_serving_mean(r, 0, ORR_SERVING_LATENCY) / 0.05 - 1) < 0.04);
    assert_true(fabs(orr_serving_quantile(r, 0, ORR_SERVING_LATENCY, 0.5) / (log(2) / 20) - 1) < 0.04);
    small_world_fini(&w);
}

static void aimd_swings_below_the_slo(void **state)
{
    (void)state;
    small_world w;
    small_world_init(&w, 0.01, 0.001, 900, 200000, 1);
    w.class_.slo = ms(50);
    const orr_serving *r = small_world_run(&w, "aimd", 3);
    const orr_service_counts c = orr_serving_count(r, 0);
    const double mean = (double)c.batched / (double)c.batches;
    assert_true(mean > 30 && mean < 42); /* 40 fit; it swings between 36 and 41 */
    assert_int_equal(c.answered, 200000);
    small_world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time_in_order),
        cmocka_unit_test(executors_share_a_queue),
        cmocka_unit_test(a_bound_drops_the_rest),
        cmocka_unit_test(impatient_clients_leave),
        cmocka_unit_test(the_mean_of_mm1),
        cmocka_unit_test(aimd_swings_below_the_slo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
