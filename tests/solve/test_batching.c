/* Planning rules of serving: by hand, and random small problems against trying everything. 52 published cases:
 * tests/golden/test_policy_formulas.c. */
#include "base/rng.h"

#include <orrery/batching.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What was measured need not be monotone: 4 is slower than 8. */
static const int32_t sizes[] = {1, 2, 4, 8, 16};
static const double seconds[] = {0.010, 0.012, 0.030, 0.020, 0.060};
static const orr_batch_times crooked = {.size = sizes, .seconds = seconds, .n = 5};
static const double each[] = {0.010, 0.012, 0.030};
static const orr_batch_times dense = {.seconds = each, .n = 3};
static const orr_batch_times line = {.alpha = 0.005, .beta = 0.001, .most = 64};

/* ---- how large ---- */

static void seconds_of_batches(void **state)
{
    (void)state;
    assert_near(orr_batch_seconds(&crooked, 1), 0.010, 0);
    assert_near(orr_batch_seconds(&crooked, 3), 0.030, 0); /* runs as the next larger one */
    assert_near(orr_batch_seconds(&crooked, 9), 0.060, 0);
    assert_true(isinf(orr_batch_seconds(&crooked, 17)));
    assert_near(orr_batch_seconds(&dense, 2), 0.012, 0);
    assert_int_equal(orr_batch_most(&dense), 3);
    assert_near(orr_batch_seconds(&line, 10), 0.015, 1e-18);
    assert_true(isinf(orr_batch_seconds(&line, 65)));
    assert_near(orr_batch_rate(&crooked, 8), 400, 1e-12);
}

static void batches_within(void **state)
{
    (void)state;
    static const struct {
        const orr_batch_times *times;
        double budget;
        int32_t most, fastest;
    } rows[] = {
        {&crooked, 0.009, 0, 0},   {&crooked, 0.010, 1, 1},  {&crooked, 0.015, 2, 2}, {&crooked, 0.020, 8, 8},
        {&crooked, 0.045, 8, 8},   {&crooked, 1, 16, 8},     {&dense, 0.02, 2, 2},    {&dense, 1, 3, 2},
        {&line, 0.0059, 0, 0},     {&line, 0.006, 1, 1},     {&line, 0.050, 45, 45},  {&line, 9, 64, 64},
        {&line, -1, 0, 0},         {&crooked, -1, 0, 0},     {&line, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(orr_batch_within(rows[i].times, rows[i].budget), rows[i].most);
        assert_int_equal(orr_batch_fastest(rows[i].times, rows[i].budget), rows[i].fastest);
    }
    const orr_batch_times flat = {.alpha = 0.5, .most = 9};
    assert_int_equal(orr_batch_within(&flat, 0.5), 9);
    assert_int_equal(orr_batch_within(&flat, 0.4), 0);
    /* limits met exactly, whatever the sums were rounded to */
    for (int32_t b = 1; b <= 64; b++)
        assert_int_equal(orr_batch_within(&line, (5 + b) / 1000.0), b);
}

/* Against trying every size. */
static void batches_that_fill(void **state)
{
    (void)state;
    assert_int_equal(orr_batch_filled(&line, 100, 0.1), 9); /* 8 gaps of 10 ms + 14 ms; 10: 90 + 15 */
    assert_int_equal(orr_batch_filled(&line, 0, 0.1), 1);
    assert_int_equal(orr_batch_filled(&crooked, 0, 0.1), 1);
    assert_int_equal(orr_batch_filled(&crooked, 1, 0.005), 0);
    assert_near(orr_batch_patience(&line, 10, 0.1), 0.085, 1e-15);
    assert_near(orr_batch_patience(&line, 10, 0.01), 0, 0);
    const orr_batch_times *all[] = {&line, &crooked, &dense};
    for (size_t t = 0; t < 3; t++)
        for (double rate = 7; rate < 3000; rate *= 1.37)
            for (double budget = 0.0103; budget < 0.2; budget *= 1.19) {
                int32_t best = 0;
                for (int32_t b = 1; b <= orr_batch_most(all[t]); b++)
                    if ((b - 1) / rate + orr_batch_seconds(all[t], b) <= budget)
                        best = b;
                assert_int_equal(orr_batch_filled(all[t], rate, budget), best);
            }
}

/* ---- which requests go ---- */

static void full_batches_by_the_first_deadline(void **state)
{
    (void)state;
    const double left[] = {0.008, 0.011, 0.025, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07, 0.07};
    orr_batch_choice c = orr_batch_choose(&crooked, left, 10, 0);
    assert_int_equal(c.dropped, 1);
    assert_int_equal(c.left, 9);
    assert_int_equal(c.batch, 1); /* 11 ms left: two take 12 */
    assert_near(c.seconds, 0.010, 0);
    c = orr_batch_choose(&crooked, left, 10, 0.002); /* 9 ms left: dropped, too; then 23 ms: 8 are in time, 4 are not */
    assert_int_equal(c.dropped, 2);
    assert_int_equal(c.batch, 8);
    c = orr_batch_choose(&crooked, left + 2, 5, 0);
    assert_int_equal(c.batch, 2);
    c = orr_batch_choose(&crooked, left, 1, 0);
    assert_int_equal(c.batch + (int32_t)c.left, 0);
    const int32_t only = 4;
    const double takes = 0.01;
    const orr_batch_times four = {.size = &only, .seconds = &takes, .n = 1};
    assert_int_equal(orr_batch_choose(&four, left + 2, 3, 0).batch, 3); /* never full, but nothing else can run */
    assert_int_equal(orr_batch_choose(&line, left + 3, 7, 0).batch, 7);
    assert_int_equal(orr_batch_choose(&line, left + 1, 9, 0).batch, 6);
}

static void estimates_by_rank(void **state)
{
    (void)state;
    const double v[] = {5, 1, 4, 2, 3};
    assert_near(orr_floor_quantile(v, 5, 0.99), 5, 0); /* floor 4.95 */
    assert_near(orr_floor_quantile(v, 5, 0.5), 3, 0);
    assert_near(orr_floor_quantile(v, 5, 1), 5, 0);
    assert_near(orr_floor_quantile(v, 5, 0), 1, 0);
    assert_near(orr_floor_quantile(v, 0, 0.5), 0, 0);
    assert_near(v[0], 5, 0);
}

/* ---- AIMD ---- */

/* Limit 3 and more is late: 1 2 3 | 1 2 3: back to floor 1.5 = 1. */
static void aimd_comes_round(void **state)
{
    (void)state;
    const double times[] = {0.1, 0.2, 0.3, 0.4};
    const orr_batch_times t = {.seconds = times, .n = 4};
    orr_aimd rule = {.slo = 0.25, .add = 1, .back_off = 0.5, .start = 1};
    int32_t cycle[4];
    orr_aimd_cycle c = orr_aimd_cycle_of(&t, &rule, cycle, 2);
    assert_int_equal(c.length, 3);
    assert_int_equal(c.before, 3);
    assert_int_equal(cycle[0], 1);
    assert_int_equal(cycle[1], 2);
    assert_int_equal(c.least * 10 + c.most, 13);
    assert_near(c.mean, 2, 1e-15);
    assert_near(c.late, 1.0 / 3, 1e-15);
    assert_near(c.rate, 10, 1e-12);
    rule.slo = 9; /* never late: as large as it gets */
    c = orr_aimd_cycle_of(&t, &rule, cycle, 4);
    assert_int_equal(c.length, 1);
    assert_int_equal(c.before, 0);
    assert_int_equal(cycle[0], 4);
    rule.slo = 0; /* always late */
    c = orr_aimd_cycle_of(&t, &rule, NULL, 0);
    assert_int_equal(c.length * 10 + c.most, 11);
    assert_near(c.late, 1, 0);
    assert_int_equal(c.before, 1);
}

/* ---- sessions ---- */

static void shares_of_a_gpu(void **state)
{
    (void)state;
    orr_session s = {&line, 0.060, 300}; /* 12: 17 + 40 ms; 13: 18 + 43.3 */
    orr_duty d = orr_duty_left(&s);
    assert_int_equal(d.batch, 12);
    assert_int_equal(d.largest, 25);
    assert_near(d.duty, 0.040, 1e-15);
    assert_near(d.rate, 300, 1e-10);
    s.rate = 2; /* half a second until the next: alone, waiting no longer than it may */
    d = orr_duty_left(&s);
    assert_int_equal(d.batch, 1);
    assert_near(d.duty, 0.054, 1e-15);
    assert_int_equal(orr_duty_released(&s).batch, 1);
    s.budget = 0.011; /* 2 x 6 ms don't fit */
    assert_int_equal(orr_duty_left(&s).batch, 0);
    assert_int_equal(orr_duty_released(&s).batch, 0);
    /* 8 measured ones gather in 20.5 ms, and run 20: that keeps up. At 450/s nothing does: back to back */
    s = (orr_session){&crooked, 0.041, 390};
    assert_int_equal(orr_duty_left(&s).batch, 8);
    s.rate = 450;
    d = orr_duty_left(&s);
    assert_int_equal(d.batch, 8);
    assert_near(d.duty, 0.020, 0);
}

static void merging(void **state)
{
    (void)state;
    const orr_session two[] = {{&line, 0.060, 300}, {&crooked, 0.100, 50}};
    const orr_packed_item items[] = {{0, 0, 300}, {1, 0, 50}};
    int32_t batch[2];
    double sum;
    assert_true(orr_duties_fit(two, items, 2, 0.040, batch, &sum)); /* 12: 17 ms, 2: 12 ms */
    assert_int_equal(batch[0], 12);
    assert_int_equal(batch[1], 2);
    assert_near(sum, 0.029, 1e-15);
    assert_false(orr_duties_fit(two, items, 2, 0.044, batch, NULL)); /* 14: 19 + 44 ms is late */
    assert_false(orr_duties_fit(two, items, 2, 0.013, batch, NULL)); /* 4: 9 ms, 1: 10 ms: too much for a cycle */
    assert_true(orr_duties_fit(two, items + 1, 1, 0.013, batch, NULL));
    assert_int_equal(batch[0], 1);
}

static uint64_t drawn(uint64_t *seed)
{
    *seed = orr_mix64(*seed + 1);
    return *seed >> 11;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(drawn(seed) % 1000000) / 1e6;
}

/* Every GPU keeps its promises, and everybody gets what he asked for. */
static void packing_holds(const orr_session *sessions, int32_t n, const orr_packing *p)
{
    double rate[8] = {0};
    for (int32_t i = 0; i < p->gpu_count; i++) {
        const orr_packed_gpu *g = &p->gpus[i];
        double busy = 0;
        for (int32_t k = g->first; k < g->first + g->count; k++) {
            const orr_packed_item *item = &p->items[k];
            const double own = orr_batch_seconds(sessions[item->session].times, item->batch);
            busy += own;
            assert_true(own + g->duty <= sessions[item->session].budget * (1 + 1e-8));
            assert_true(item->rate * g->duty <= item->batch * (1 + 1e-8));
            rate[item->session] += item->rate;
        }
        assert_near(g->occupancy, busy / g->duty, 1e-9);
        assert_true(g->occupancy <= 1 + 1e-8);
    }
    for (int32_t i = 0; i < p->refused_count; i++)
        rate[p->refused[i]] = sessions[p->refused[i]].rate;
    for (int32_t i = 0; i < n; i++)
        assert_near(rate[i], sessions[i].rate, 1e-7 * sessions[i].rate);
}

/* The fewest GPUs on which these shares fit, by trying every way to put them together. part[i]: the GPU of share i. */
static int32_t fewest(const orr_session *rest, int32_t n, int32_t at, int32_t *part, int32_t used)
{
    if (at < n) {
        int32_t best = n + 1;
        for (int32_t g = 0; g <= used; g++) {
            part[at] = g;
            const int32_t found = fewest(rest, n, at + 1, part, g == used ? used + 1 : used);
            best = found < best ? found : best;
        }
        return best;
    }
    for (int32_t g = 0; g < used; g++) {
        orr_packed_item items[8];
        int32_t count = 0, batch[8];
        double duty = INFINITY;
        for (int32_t i = 0; i < n; i++)
            if (part[i] == g) {
                items[count++] = (orr_packed_item){i, 0, rest[i].rate};
                duty = fmin(duty, orr_duty_left(&rest[i]).duty);
            }
        if (count > 1 && !orr_duties_fit(rest, items, count, duty, batch, NULL))
            return n + 1;
    }
    return used;
}

/* What each session has left beside the GPUs that it fills alone. */
static int32_t left_over(const orr_session *sessions, int32_t n, const orr_packing *p, orr_session *rest)
{
    int32_t count = 0;
    for (int32_t s = 0; s < n; s++) {
        rest[count] = sessions[s];
        for (int32_t i = 0; i < p->gpu_count; i++)
            if (p->gpus[i].saturated && p->items[p->gpus[i].first].session == s)
                rest[count].rate -= p->items[p->gpus[i].first].rate;
        if (orr_duty_left(&rest[count]).batch && rest[count].rate > 1e-9)
            count++;
    }
    return count;
}

static void packing_against_everything(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int32_t more = 0, optimal = 0;
    orr_packing p = {0};
    for (int round = 0; round < 150; round++) {
        orr_batch_times lines[6];
        orr_session sessions[6], rest[6];
        const int32_t n = 1 + (int32_t)(drawn(&seed) % 6);
        for (int32_t i = 0; i < n; i++) {
            lines[i] = (orr_batch_times){
                .alpha = between(&seed, 0.002, 0.02), .beta = between(&seed, 2e-4, 3e-3), .most = 64};
            const orr_batch_times *t = i % 3 == 2 ? &crooked : &lines[i];
            sessions[i] = (orr_session){t, between(&seed, 0.015, 0.2), exp(between(&seed, 0, 7))};
        }
        orr_pack_sessions(sessions, n, &p);
        packing_holds(sessions, n, &p);
        const int32_t shares = left_over(sessions, n, &p, rest);
        int32_t part[6], shared = 0;
        for (int32_t i = 0; i < p.gpu_count; i++)
            shared += !p.gpus[i].saturated;
        const int32_t best = fewest(rest, shares, 0, part, 0);
        assert_true(shared >= best && shared <= best + 1);
        more += shared - best;
        optimal += best;
    }
    orr_packing_fini(&p);
    assert_true(more * 50 <= optimal); /* best fit is greedy: here it needs 1 in 50 more, at most */
}

static void nobody_to_pack(void **state)
{
    (void)state;
    const orr_session late = {&line, 0.011, 5}, quiet = {&line, 0.1, 0};
    orr_packing p = {0};
    orr_pack_sessions(NULL, 0, &p);
    assert_int_equal(p.gpu_count, 0);
    orr_pack_sessions(&quiet, 1, &p);
    assert_int_equal(p.gpu_count + p.refused_count, 0);
    orr_pack_sessions(&late, 1, &p);
    assert_int_equal(p.gpu_count, 0);
    assert_int_equal(p.refused_count, 1);
    orr_packing_fini(&p);
    assert_null(p.gpus);
    const orr_session exact = {&line, 0.05, 2400}; /* 20 in 25 ms: 800 a second, three of them and nothing left */
    orr_pack_sessions(&exact, 1, &p);
    assert_int_equal(p.gpu_count, 3);
    assert_true(p.gpus[2].saturated);
    orr_packing_fini(&p);
}

/* ---- split ---- */

enum { STEPS = 10 };

/* All budgets of `at` and the stages after it, in steps; left[i]: what stage i's children may use. */
static double try_budgets(const orr_split_stage *stages, int32_t n, int32_t at, int32_t *left, double step, double gpus)
{
    if (at == n)
        return gpus;
    const int32_t may = at ? left[stages[at].parent] : STEPS;
    double best = INFINITY;
    for (int32_t own = 0; own <= may; own++) {
        const int32_t batch = orr_batch_fastest(stages[at].times, own * step / 2);
        if (!batch)
            continue;
        left[at] = may - own;
        const double all = gpus + stages[at].rate / orr_batch_rate(stages[at].times, batch);
        best = fmin(best, try_budgets(stages, n, at + 1, left, step, all));
    }
    return best;
}

static void split_against_everything(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int32_t found = 0;
    for (int round = 0; round < 60; round++) {
        orr_batch_times lines[4];
        orr_split_stage stages[4];
        const int32_t n = 1 + (int32_t)(drawn(&seed) % 4);
        for (int32_t i = 0; i < n; i++) {
            lines[i] = (orr_batch_times){
                .alpha = between(&seed, 0.001, 0.01), .beta = between(&seed, 2e-4, 3e-3), .most = 32};
            stages[i] = (orr_split_stage){i == 2 ? &crooked : &lines[i], i ? (int32_t)(drawn(&seed) % (uint64_t)i) : -1,
                                          between(&seed, 1, 1000)};
        }
        int32_t left[4];
        double budgets[4], gpus = 0, sum = 0;
        const double budget = between(&seed, 0.03, 0.3), step = budget / STEPS;
        const double best = try_budgets(stages, n, 0, left, step, 0);
        assert_int_equal(orr_split_budget(stages, n, budget, step, budgets, &gpus), best < INFINITY);
        if (!(best < INFINITY))
            continue;
        found++;
        assert_near(gpus, best, 1e-9 * best);
        for (int32_t i = 0; i < n; i++) {
            double path = budgets[i];
            for (int32_t at = i; at; at = stages[at].parent)
                path += budgets[stages[at].parent];
            assert_true(path <= budget * (1 + 1e-9));
            sum += stages[i].rate / orr_batch_rate(stages[i].times, orr_batch_fastest(stages[i].times, budgets[i] / 2));
        }
        assert_near(sum, gpus, 1e-9 * gpus);
    }
    assert_true(found > 30);
}

static void split_by_hand(void **state)
{
    (void)state;
    const orr_split_stage same[] = {{&dense, -1, 100}, {&dense, 0, 100}};
    double budgets[2] = {7, 7}, gpus = 7;
    /* 20 + 20 ms are enough for ones, 24 + 24 for twos; of 48 ms each gets 24 */
    assert_true(orr_split_budget(same, 2, 0.048, 0.004, budgets, &gpus));
    assert_near(budgets[0], 0.024, 1e-15);
    assert_near(budgets[1], 0.024, 1e-15);
    assert_near(gpus, 2 * 100 * 0.006, 1e-12);
    /* 44 ms: one of them runs twos. Either: the root gets less */
    assert_true(orr_split_budget(same, 2, 0.044, 0.004, budgets, &gpus));
    assert_near(budgets[0], 0.020, 1e-15);
    assert_near(budgets[1], 0.024, 1e-15);
    budgets[0] = 7;
    assert_false(orr_split_budget(same, 2, 0.036, 0.004, budgets, NULL));
    assert_near(budgets[0], 7, 0);
}

/* ---- how many, what ---- */

static void replicas(void **state)
{
    (void)state;
    assert_int_equal(orr_replicas_for(150, 1, 70), 3);
    assert_int_equal(orr_replicas_for(150, 1, 50), 3); /* exactly */
    assert_int_equal(orr_replicas_for(0.3, 1, 0.1), 3);
    assert_int_equal(orr_replicas_for(0, 1, 70), 0);
    assert_int_equal(orr_replicas_for(1e300, 1, 1), 1 << 30);
    assert_near(orr_planned_load(150, 0.4, 3, 25), 0.8, 1e-15);
    /* 100 a second each, nothing lost to loading */
    orr_infaas_load l = {.rate = 250, .replicas = 2, .batch = 1, .mean_batch = 1, .intercept = 0.01};
    assert_int_equal(orr_infaas_scaling(&l).add, 1);
    l.rate = 200;
    assert_int_equal(orr_infaas_scaling(&l).add, 0);
    l.rate = 100;
    assert_int_equal(orr_infaas_scaling(&l).add, -1);
    l.heed = 0.2;
    l.load = 10; /* twice the capacity again, while one loads: 300 lacking */
    assert_int_equal(orr_infaas_scaling(&l).add, 3);
}

static void envelopes(void **state)
{
    (void)state;
    const orr_time arrivals[] = {0, 10, 10, 25, 30, 31}, windows[] = {0, 5, 6, 20, 100};
    int64_t most[5];
    orr_envelope(arrivals, 6, windows, 5, most);
    const int64_t expected[] = {2, 2, 3, 4, 6}; /* 25..31; 10..30 has 10 10 25 30: its ends count */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(most[i], expected[i]);
    orr_envelope(NULL, 0, windows, 1, most);
    assert_int_equal(most[0], 0);
}

/* A bulge of one step is covered by small machines for that step, the rest by a large one for all of it. */
static void buying(void **state)
{
    (void)state;
    const orr_machine_kind kinds[] = {{10, 1, 0}, {100, 5, 0}};
    double lacks[] = {0, 100, 105, 100, -3};
    orr_purchase buys[4];
    assert_int_equal(orr_cheapest_kind(kinds, 2, lacks, 5, 60), 1);
    assert_int_equal(orr_buy(kinds, 2, lacks, 5, 60, buys, 4), 2);
    assert_int_equal(buys[0].kind, 1);
    assert_int_equal(buys[0].from * 10 + buys[0].to, 14);
    assert_int_equal(buys[1].kind, 0);
    assert_int_equal(buys[1].from * 10 + buys[1].to, 23);
    assert_near(lacks[2], -5, 1e-12);
    double none[] = {0, -1};
    assert_int_equal(orr_cheapest_kind(kinds, 2, none, 2, 60), -1);
    assert_int_equal(orr_buy(kinds, 2, none, 2, 60, buys, 4), 0);
    double much = 1000;
    assert_int_equal(orr_buy(kinds, 2, &much, 1, 60, buys, 4), 4); /* no room for more */
    double third = 0.1 + 0.2; /* 0.30000000000000004: three, and nothing for rounding */
    const orr_machine_kind tenth = {0.1, 1, 0};
    assert_int_equal(orr_buy(&tenth, 1, &third, 1, 60, buys, 4), 3);
}

static void giving_back(void **state)
{
    (void)state;
    const orr_machine_kind kinds[] = {{10, 1, 0}, {100, 5, 0}, {20, 4, 0}};
    int32_t held[] = {1, 1, 1};
    assert_int_equal(orr_dearest_kind(kinds, 3, held, 200), 2);
    assert_int_equal(orr_dearest_kind(kinds, 3, held, 15), 0);
    assert_int_equal(orr_dearest_kind(kinds, 3, held, 9), -1);
    held[2] = 0;
    assert_int_equal(orr_dearest_kind(kinds, 3, held, 200), 0);
    const orr_spot_costs s = orr_spot_outlook(0.5, 3600, 400, 7200);
    assert_near(s.cost, 1, 1e-15);
    assert_near(s.interruptions, 2, 1e-15);
    assert_near(s.lost, 0.1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_of_batches),
        cmocka_unit_test(batches_within),
        cmocka_unit_test(batches_that_fill),
        cmocka_unit_test(full_batches_by_the_first_deadline),
        cmocka_unit_test(estimates_by_rank),
        cmocka_unit_test(aimd_comes_round),
        cmocka_unit_test(shares_of_a_gpu),
        cmocka_unit_test(merging),
        cmocka_unit_test(packing_against_everything),
        cmocka_unit_test(nobody_to_pack),
        cmocka_unit_test(split_against_everything),
        cmocka_unit_test(split_by_hand),
        cmocka_unit_test(replicas),
        cmocka_unit_test(envelopes),
        cmocka_unit_test(buying),
        cmocka_unit_test(giving_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
