/* Plans on slots, by hand: slots of 10 s, four GPUs, jobs that are as fast as they have GPUs. */
#include <orrery/slots.h>

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const orr_sizes linear = {3, {1, 2, 4}, {1, 2, 4}};

typedef struct world {
    orr_slots slots;
    orr_stretches plan;
    orr_demand d;
    orr_outcome out;
} world;

static world make(double now, double work, double due)
{
    world w = {.d = {.sizes = &linear, .work = orr_time_from_seconds(work), .due = orr_time_from_seconds(due)}};
    orr_slots_reset(&w.slots, orr_time_from_seconds(now), 10 * ORR_SECOND, 4);
    return w;
}

static void busy(world *w, int64_t from, int64_t to, int32_t gpus)
{
    const orr_stretch s = {from, to, gpus};
    orr_slots_take(&w->slots, &s, 1);
}

/* "0-1:1 1-3:2 end 30 time 50" or "no"; and the world's end. */
static void planned(world *w, bool fits, const char *expected)
{
    char text[512] = "";
    for (size_t i = 0; i < w->plan.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lld-%lld:%d ", (long long)w->plan.at[i].from,
                 (long long)w->plan.at[i].to, w->plan.at[i].gpus);
    if (fits)
        snprintf(text + strlen(text), sizeof text - strlen(text), "end %g time %g", orr_time_seconds(w->out.end), w->out.gpu_time);
    else
        snprintf(text + strlen(text), sizeof text - strlen(text), "no");
    assert_string_equal(text, expected);
    orr_stretches_fini(&w->plan);
    orr_slots_fini(&w->slots);
}

static void fills(world *w, const char *expected)
{
    planned(w, orr_slots_fill(&w->slots, &w->d, &w->plan, &w->out), expected);
}

/* 50 s of work until 40: one GPU does 40 of them. Two do 20 in each of the last two slots and the rest in the one before;
 * in front of these it has one. */
static void the_smallest_that_does(void **unused)
{
    (void)unused;
    world w = make(0, 50, 40);
    fills(&w, "0-1:1 1-3:2 end 30 time 50");
    w = make(0, 40, 40);
    fills(&w, "0-4:1 end 40 time 40");
    w = make(0, 160, 40);
    fills(&w, "0-4:4 end 40 time 160");
    w = make(0, 161, 40);
    fills(&w, "no");
}

/* Nothing is free in the first slot: 40 + 10 in the two others, with all four. */
static void around_others(void **unused)
{
    (void)unused;
    world w = make(0, 50, 30);
    busy(&w, 0, 1, 4);
    fills(&w, "1-3:4 end 22.5 time 50");
    w = make(0, 60, 30); /* three are free in the last one, so it has two there: 20 + 40 */
    busy(&w, 0, 1, 4);
    busy(&w, 2, 3, 1);
    fills(&w, "1-2:4 2-3:2 end 30 time 60");
    w = make(0, 61, 30);
    busy(&w, 0, 1, 4);
    busy(&w, 2, 3, 1);
    fills(&w, "no");
}

/* Of the present slot 4 s are left, of the one in which it is due 5. */
static void parts_of_slots(void **unused)
{
    (void)unused;
    world w = make(6, 19, 25);
    fills(&w, "0-3:1 end 25 time 19");
    w = make(6, 20, 25);
    fills(&w, "0-1:1 1-2:2 end 18 time 20"); /* slots 1 and 2 with two are enough: 30; so it has one before, and does 4 */
}

/* Standing still for 3 s after each change, it does 37 of 40 s with one GPU. With two from slot 2 on 2 × (20 - 3) = 34, from slot 1 on
 * 54: enough. In slot 0 it has one, and does 7; the other 31 take 3 + 15.5 s from 10 on. */
static void changes_cost(void **unused)
{
    (void)unused;
    world w = make(0, 38, 40);
    w.d.change = 3 * ORR_SECOND;
    fills(&w, "0-1:1 1-3:2 end 28.5 time 47");
}

/* It has one already, and has still 2 s to pay, or nothing. */
static void what_it_holds_costs_nothing(void **unused)
{
    (void)unused;
    world w = make(0, 38, 40);
    w.d.change = 3 * ORR_SECOND;
    w.d.held = 1;
    fills(&w, "0-4:1 end 38 time 38");
    w = make(0, 38, 40);
    w.d.change = 3 * ORR_SECOND;
    w.d.held = 1;
    w.d.paying = 2 * ORR_SECOND;
    fills(&w, "0-4:1 end 40 time 40");
}

/* On end, and as late as it can. Then the second last slot has one GPU only. */
static void steady(void **unused)
{
    (void)unused;
    world w = make(0, 30, 40);
    w.d.steady = true;
    fills(&w, "1-4:1 end 40 time 30");
    w = make(0, 60, 40);
    w.d.steady = true;
    busy(&w, 2, 3, 3);
    fills(&w, "0-2:4 end 15 time 60"); /* two GPUs for 30 s on end are nowhere free, four for 15 are */
}

/* Four now, for a slot, as more isn't free then; the least that does of what is left. */
static void holding(void **unused)
{
    (void)unused;
    world w = make(0, 50, 40);
    busy(&w, 1, 4, 2);
    planned(&w, orr_slots_hold(&w.slots, &w.d, 2, &w.plan, &w.out), "0-1:4 3-4:1 end 40 time 50");
    w = make(0, 50, 40);
    planned(&w, orr_slots_hold(&w.slots, &w.d, 2, &w.plan, &w.out), "0-2:4 end 12.5 time 50");
    w = make(0, 50, 10);
    planned(&w, orr_slots_hold(&w.slots, &w.d, 2, &w.plan, &w.out), "no");
}

/* ---- what is planned is free, and does ----------------------------------------------------------------------------- */

typedef struct dice {
    uint64_t x;
} dice;

static int64_t roll(dice *d, int64_t below)
{
    d->x = orr_mix64(d->x + 1);
    return (int64_t)((d->x >> 11) % (uint64_t)below);
}

static void random_plans_do(void **unused)
{
    (void)unused;
    static const orr_sizes curve = {4, {1, 2, 4, 8}, {1, 1.8, 2.9, 3.7}};
    int fits = 0, fails = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        dice die = {seed * 7919};
        world w = {.d = {.sizes = &curve, .work = 1 + roll(&die, 200 * ORR_SECOND), .held = (int32_t)roll(&die, 3)}};
        const orr_time now = roll(&die, 50 * ORR_SECOND);
        orr_slots_reset(&w.slots, now, 10 * ORR_SECOND, 8);
        for (int i = 0; i < 6; i++) {
            const int64_t from = roll(&die, 15);
            busy(&w, from, from + 1 + roll(&die, 8), (int32_t)roll(&die, 3));
        }
        w.d.due = now + roll(&die, 150 * ORR_SECOND);
        w.d.change = roll(&die, 2) * 3 * ORR_SECOND;
        w.d.steady = roll(&die, 5) == 0;
        const bool does = roll(&die, 2) ? orr_slots_fill(&w.slots, &w.d, &w.plan, &w.out)
                                        : orr_slots_hold(&w.slots, &w.d, (int32_t)roll(&die, 4), &w.plan, &w.out);
        orr_outcome again = {0};
        fits += does;
        fails += !does;
        if (does) {
            assert_true(orr_slots_follow(&w.slots, &w.d, w.plan.at, w.plan.n, &again));
            assert_true(again.end == w.out.end && again.end <= w.d.due);
            assert_true(!w.d.steady || w.plan.n == 1);
            orr_slots_take(&w.slots, w.plan.at, w.plan.n);
        } else {
            assert_int_equal(w.plan.n, 0);
        }
        for (int64_t s = now / (10 * ORR_SECOND); s < 40; s++)
            assert_true(orr_slots_free(&w.slots, s) >= -4);
        orr_stretches_fini(&w.plan);
        orr_slots_fini(&w.slots);
    }
    assert_true(fits > 500 && fails > 500);
}

/* Ten thousand steps, of which the least of a job that is due at the end takes part of one: what lies before costs nothing. Nor does
 * what lies behind the end of one that begins at once. */
static void what_it_looks_at(void **unused)
{
    (void)unused;
    enum { PAIRS = 5000 };
    world w = make(0, 5, 10.0 * 2 * PAIRS);
    for (int64_t i = 0; i < PAIRS; i++)
        busy(&w, 2 * i, 2 * i + 1, 1 + (int32_t)(i % 2));
    assert_true(w.slots.count >= 2 * PAIRS - 1);
    assert_true(orr_slots_fill(&w.slots, &w.d, &w.plan, &w.out));
    assert_true(w.out.looked <= 4);
    w.out.looked = 0;
    assert_true(orr_slots_hold(&w.slots, &w.d, 1, &w.plan, &w.out));
    assert_int_equal(w.out.end, 5 * ORR_SECOND / 2);
    assert_true(w.out.looked <= 4);
    orr_stretches_fini(&w.plan);
    orr_slots_fini(&w.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_that_does), cmocka_unit_test(around_others), cmocka_unit_test(parts_of_slots),
        cmocka_unit_test(changes_cost),           cmocka_unit_test(what_it_holds_costs_nothing),
        cmocka_unit_test(steady),                 cmocka_unit_test(holding),
        cmocka_unit_test(random_plans_do),        cmocka_unit_test(what_it_looks_at),
    };
    return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
