/* rafiki-sync: batches of several variants that begin together, by hand, and their vote. */
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64 };

typedef struct seen {
    orr_batch_run batch[MOST];
    int32_t batches;
} seen;

static void keep(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (s->batches < MOST)
        s->batch[s->batches++] = *b;
}

static const orr_exec_profile fast = {
    .gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.010};
static const orr_exec_profile slow = {
    .gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = 0.030};

typedef struct ensemble {
    small_world w;
    orr_variant variants[3];
    orr_hosted_ask hosts[3];
    orr_exec_ask execs[3];
    seen seen;
} ensemble;

/* One variant of 10 ms and others of 30, whatever the batch; requests every `gap`. */
static void init(ensemble *x, int32_t n, double rate, uint64_t limit)
{
    *x = (ensemble){0};
    small_world_init(&x->w, 0, 0, rate, limit, 1);
    x->w.service.source.kind = ORR_SOURCE_REGULAR;
    x->w.class_.slo = 100 * ORR_MS;
    for (int32_t i = 0; i < n; i++) {
        x->variants[i] = (orr_variant){.name = i ? i > 1 ? "c" : "b" : "a",
                                       .accuracy = i ? 0.7 : 0.8,
                                       .max_batch = 4,
                                       .profiles = i ? &slow : &fast,
                                       .profile_count = 1};
        x->hosts[i] = (orr_hosted_ask){0, i};
        x->execs[i] = x->w.exec;
        x->execs[i].hosts = &x->hosts[i];
    }
    x->w.service.variants = x->variants;
    x->w.service.variant_count = n;
    x->w.services.executors = x->execs;
    x->w.services.executor_count = n;
    x->w.sink = (orr_serving_sink){.self = &x->seen, .batch = keep};
}

/* It comes at 1 s; 90 ms later the slowest must be done. */
static void one_waits_as_long_as_the_slowest_lets_it(void **state)
{
    (void)state;
    ensemble x;
    init(&x, 2, 1, 1);
    const orr_service_counts c = orr_serving_count(small_world_run(&x.w, "rafiki-sync,sizes=2/4", 1), 0);
    assert_int_equal(x.seen.batches, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(x.seen.batch[i].start, ORR_SECOND + 60 * ORR_MS);
    assert_int_equal(x.seen.batch[0].end, ORR_SECOND + 70 * ORR_MS);
    assert_int_equal(x.seen.batch[1].end, ORR_SECOND + 90 * ORR_MS);
    assert_true(c.answered == 1 && c.late == 0 && c.members == 2 && c.members_answered == 2);
    small_world_fini(&x.w);
}

/* At 4, 8, 12, 16 ms: four are a full batch. Those at 20 to 32 wait for the slow one, until 46, though the fast one is
 * done at 26 and has them. */
static void nobody_begins_the_next_batch_alone(void **state)
{
    (void)state;
    ensemble x;
    init(&x, 2, 250, 8);
    small_world_run(&x.w, "rafiki-sync,sizes=2/4", 1);
    assert_int_equal(x.seen.batches, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(x.seen.batch[i].size, 4);
        assert_int_equal(x.seen.batch[i].start, (i < 2 ? 16 : 46) * ORR_MS);
    }
    small_world_fini(&x.w);
}

/* Two of 0.7 outvote one of 0.8 where they agree: right are 0.8 (1 - 0.3^2) + 0.2 * 0.7^2 = 0.826. */
static void the_majority_counts(void **state)
{
    (void)state;
    ensemble x;
    init(&x, 3, 250, 40000);
    const orr_service_counts c = orr_serving_count(small_world_run(&x.w, "rafiki-sync,sizes=2/4", 1), 0);
    assert_true(fabs((double)c.correct / (double)c.rated - 0.826) < 0.006);
    small_world_fini(&x.w);
}

/* Of two that don't agree the better one is believed. */
static void a_tie_is_the_best_ones(void **state)
{
    (void)state;
    ensemble x;
    init(&x, 2, 250, 40000);
    const orr_service_counts c = orr_serving_count(small_world_run(&x.w, "rafiki-sync,sizes=2/4", 1), 0);
    assert_true(fabs((double)c.correct / (double)c.rated - 0.8) < 0.006);
    small_world_fini(&x.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_waits_as_long_as_the_slowest_lets_it),
        cmocka_unit_test(nobody_begins_the_next_batch_alone),
        cmocka_unit_test(the_majority_counts),
        cmocka_unit_test(a_tie_is_the_best_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
