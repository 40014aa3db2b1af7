/* How many GPUs each elastic job gets: by hand, against plain re-computations, and how much work that is. */
#include "sched/ctx.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Portions of jobs that are only told apart: the speed of job i with k GPUs is speeds[i][k], its work left work[i]. */
enum { JOBS = 12, MOST = 9 };

typedef struct table {
    orr_ctx ctx; /* first: what callbacks are given */
    orr_job *jobs[JOBS];
    orr_portion portions[JOBS];
    double speeds[JOBS][MOST + 1], work[JOBS];
    int32_t limit; /* of GPUs a job */
    uint64_t calls;
    char awards[256];
} table;

static table *table_of(orr_ctx *ctx)
{
    return (table *)(void *)ctx;
}

static size_t job_of(const orr_portion *p)
{
    return p->job->index;
}

static table *table_create(size_t n, int32_t max)
{
    table *t = orr_xcalloc(1, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        t->jobs[i] = orr_xcalloc(1, sizeof *t->jobs[i]);
        t->jobs[i]->index = (uint32_t)i;
        t->portions[i] = (orr_portion){.job = t->jobs[i], .min = 1, .max = max};
    }
    return t;
}

static void table_destroy(table *t)
{
    for (size_t i = 0; i < JOBS; i++)
        free(t->jobs[i]);
    orr_arena_fini(&t->ctx.arena);
    free(t);
}

/* "3 3 2" */
static void has(const table *t, size_t n, const char *expected)
{
    char text[128] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? " " : "", t->portions[i].gpus);
    assert_string_equal(text, expected);
}

/* Three jobs a, b, c of known speeds on 1 to 5 GPUs, and of known work. */
static table *three(void)
{
    static const double speeds[3][6] = {
        {0, 10, 18, 24, 28, 30}, {0, 5, 9.5, 13.5, 17, 20}, {0, 8, 9, 9.5, 9.6, 9.6}};
    static const double work[3] = {1000, 600, 2000};
    table *t = table_create(3, 5);
    for (size_t i = 0; i < 3; i++) {
        memcpy(t->speeds[i], speeds[i], sizeof speeds[i]);
        t->work[i] = work[i];
    }
    return t;
}

/* ---- greedy ------------------------------------------------------------------------------------------------------ */

static double time_saved(orr_ctx *ctx, const orr_portion *p, int32_t to)
{
    table *t = table_of(ctx);
    const size_t i = job_of(p);
    t->calls++;
    snprintf(t->awards + strlen(t->awards), sizeof t->awards - strlen(t->awards), "%c%d ", (char)('a' + i), to);
    return t->work[i] / t->speeds[i][p->gpus] - t->work[i] / t->speeds[i][to];
}

/* One each, then b (saves 56.84 s), a (44.44), c (27.78), b (18.71), a (13.89). What is asked about is what was
 * awarded and one more. */
static void greedy_by_time_saved(void **state)
{
    (void)state;
    table *t = three();
    int32_t left = 8;
    const orr_greedy_rules rules = {.gain = time_saved, .first = true};
    orr_deal_greedy(&t->ctx, &rules, t->portions, 3, &left);
    has(t, 3, "3 3 2");
    assert_int_equal(left, 0);
    assert_string_equal(t->awards, "a2 b2 c2 b3 a3 c3 b4 a4 ");
    table_destroy(t);
}

/* The first ones get theirs as long as there are any. */
static void first_steps_come_first(void **state)
{
    (void)state;
    table *t = three();
    int32_t left = 3;
    t->portions[0].min = 2;
    t->portions[1].min = 2; /* finds one left */
    const orr_greedy_rules rules = {.gain = time_saved, .first = true};
    orr_deal_greedy(&t->ctx, &rules, t->portions, 3, &left);
    has(t, 3, "2 0 1");
    table_destroy(t);
}

static double speed_gained(orr_ctx *ctx, const orr_portion *p, int32_t to)
{
    table *t = table_of(ctx);
    t->calls++;
    return t->speeds[job_of(p)][to] - t->speeds[job_of(p)][p->gpus];
}

/* Gains of c fall under 0.6 at its second step; the others stop at their max; what is left stays. */
static void steps_that_gain_too_little_are_not_taken(void **state)
{
    (void)state;
    table *t = three();
    int32_t left = 20;
    const orr_greedy_rules rules = {.gain = speed_gained, .least = 0.6};
    orr_deal_greedy(&t->ctx, &rules, t->portions, 3, &left);
    has(t, 3, "5 5 2");
    assert_int_equal(left, 8);
    table_destroy(t);
}

/* By GPU: a from 0 to 1 (10), to 2 (8), to 4 (5 each); b 5, 4.5, 3.75; c 8, 1. Seven: a1 c1 a2 b1 a4, and b2. */
static void doubling_is_compared_by_gpu(void **state)
{
    (void)state;
    table *t = three();
    int32_t left = 7;
    const orr_greedy_rules rules = {.gain = speed_gained, .step = orr_step_doubling, .per_gpu = true};
    orr_deal_greedy(&t->ctx, &rules, t->portions, 3, &left);
    has(t, 3, "4 2 1");
    assert_int_equal(left, 0);
    table_destroy(t);
}

static void doubling_ends_at_max(void **state)
{
    (void)state;
    orr_portion p = {.min = 3, .max = 11};
    static const int32_t expected[] = {3, 4, 8, 11, 0};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(orr_step_doubling(NULL, &p), expected[i]);
        p.gpus = expected[i];
    }
}

/* b, c and a's last GPU bring least: c gives its second (1), a its third (6) only after b's third (4). */
static void who_gains_least_gives_back(void **state)
{
    (void)state;
    table *t = three();
    const orr_greedy_rules rules = {.gain = speed_gained};
    t->portions[0].gpus = 3;
    t->portions[1].gpus = 3;
    t->portions[2].gpus = 2;
    assert_int_equal(orr_deal_back(&t->ctx, &rules, t->portions, 3, 1), 1);
    has(t, 3, "3 3 1");
    assert_int_equal(orr_deal_back(&t->ctx, &rules, t->portions, 3, 2), 2);
    has(t, 3, "3 1 1");
    assert_int_equal(orr_deal_back(&t->ctx, &rules, t->portions, 3, 9), 2); /* all there is */
    has(t, 3, "1 1 1");
    assert_int_equal(t->portions[0].max, 5);
    table_destroy(t);
}

static void random_speeds(table *t, size_t n, uint64_t seed, bool concave)
{
    for (size_t i = 0; i < n; i++) {
        double gain = 4 + (double)(orr_mix64(seed * 977 + i) % 64);
        for (int k = 1; k <= MOST; k++) {
            t->speeds[i][k] = t->speeds[i][k - 1] + gain;
            const uint64_t draw = orr_mix64(seed * 131 + i * 17 + (uint64_t)k);
            gain = concave ? gain * (double)(draw % 101) / 100 : (double)(draw % 32);
        }
        t->work[i] = 10 + (double)(orr_mix64(seed + i * 7919) % 1000);
    }
}

/* The most that so many GPUs bring in all, over all ways to deal them out. */
static double best_of(const table *t, size_t n, int32_t gpus)
{
    double best = -INFINITY;
    if (n == 0)
        return 0;
    for (int32_t k = 0; k <= gpus && k <= t->portions[n - 1].max; k++) {
        const double sum = t->speeds[n - 1][k] + best_of(t, n - 1, gpus - k);
        best = sum > best ? sum : best;
    }
    return best;
}

/* Where each GPU brings no more than the one before greedy is optimal. */
static void greedy_is_best_for_falling_gains(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const size_t n = 2 + seed % 4;
        int32_t left = (int32_t)(3 + seed % 11);
        table *t = table_create(n, 5);
        random_speeds(t, n, seed, true);
        const double best = best_of(t, n, left);
        const orr_greedy_rules rules = {.gain = speed_gained, .least = -1};
        double sum = 0;
        orr_deal_greedy(&t->ctx, &rules, t->portions, n, &left);
        for (size_t i = 0; i < n; i++)
            sum += t->speeds[i][t->portions[i].gpus];
        assert_true(fabs(sum - best) < 1e-9 * best);
        table_destroy(t);
    }
}

/* One pass over all for each step, whatever the gains: what the heap must agree with. */
static void plain_greedy(table *t, orr_portion *p, size_t n, int32_t left)
{
    bool out[JOBS] = {false};
    for (;;) {
        size_t best = n;
        double most = 0;
        for (size_t i = 0; i < n; i++) {
            const int32_t to = orr_step_doubling(NULL, &p[i]);
            if (out[i] || to == 0)
                continue;
            const double gain = speed_gained(&t->ctx, &p[i], to) / (to - p[i].gpus);
            if (gain > most) {
                most = gain;
                best = i;
            }
        }
        if (best == n)
            return;
        const int32_t to = orr_step_doubling(NULL, &p[best]);
        out[best] = to - p[best].gpus > left;
        left -= out[best] ? 0 : to - p[best].gpus;
        p[best].gpus = out[best] ? p[best].gpus : to;
    }
}

static void the_heap_is_a_short_cut(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const size_t n = 1 + seed % JOBS;
        int32_t left = (int32_t)(seed % 40);
        orr_portion plain[JOBS];
        table *t = table_create(n, MOST);
        random_speeds(t, n, seed, false);
        memcpy(plain, t->portions, sizeof plain);
        plain_greedy(t, plain, n, left);
        const orr_greedy_rules rules = {.gain = speed_gained, .step = orr_step_doubling, .per_gpu = true};
        orr_deal_greedy(&t->ctx, &rules, t->portions, n, &left);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(t->portions[i].gpus, plain[i].gpus);
        table_destroy(t);
    }
}

/* ---- tournament -------------------------------------------------------------------------------------------------- */

/* The rule of AFS: the shorter one wins, unless the longer one would owe a greater part of its speed to the GPU than
 * it adds to the shorter one's. */
static bool wins(const table *t, const orr_portion *a, const orr_portion *b)
{
    const size_t i = job_of(a), k = job_of(b);
    const double *p = t->speeds[i], *q = t->speeds[k];
    if (!a->gpus && !b->gpus)
        return t->work[i] / p[1] <= t->work[k] / q[1];
    const double x = a->gpus ? t->work[i] / p[a->gpus] : INFINITY, y = b->gpus ? t->work[k] / q[b->gpus] : INFINITY;
    if (x > y)
        return !wins(t, b, a);
    return !((q[b->gpus + 1] - q[b->gpus]) / q[b->gpus + 1] > (p[a->gpus + 1] - p[a->gpus]) / p[a->gpus]);
}

static bool beats(orr_ctx *ctx, const orr_portion *a, const orr_portion *b)
{
    table *t = table_of(ctx);
    t->calls++;
    assert_true(job_of(a) < job_of(b));
    return wins(t, a, b);
}

/* GPUs one by one: a b c a b a b b. */
static void a_tournament_by_hand(void **state)
{
    (void)state;
    static const char *const expected[] = {"0 0 0", "1 0 0", "1 1 0", "1 1 1", "2 1 1", "2 2 1", "3 2 1", "3 3 1", "3 4 1"};
    for (int32_t gpus = 0; gpus <= 8; gpus++) {
        table *t = three();
        int32_t left = gpus;
        const orr_tournament_rules rules = {.beats = beats};
        orr_deal_tournament(&t->ctx, &rules, t->portions, 3, &left);
        has(t, 3, expected[gpus]);
        assert_int_equal(left, 0);
        table_destroy(t);
    }
}

/* Who beats all others gets the step; where nobody does it goes to one that is beaten only in a circle: nothing to
 * compare. One step at a time, so that both ways always look at the same numbers. */
static void who_beats_all_wins(void **state)
{
    (void)state;
    int clear = 0, circles = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const size_t n = 2 + seed % (JOBS - 1);
        table *t = table_create(n, MOST - 1);
        random_speeds(t, n, seed, true);
        for (int step = 0; step < 20; step++) {
            size_t first = n;
            for (size_t i = 0; i < n; i++) {
                bool all = t->portions[i].gpus < MOST - 1;
                for (size_t k = 0; k < n && all; k++)
                    if (k != i && t->portions[k].gpus < MOST - 1)
                        all = i < k ? wins(t, &t->portions[i], &t->portions[k]) : !wins(t, &t->portions[k], &t->portions[i]);
                first = all ? i : first;
            }
            const int32_t before = first < n ? t->portions[first].gpus : 0;
            int32_t left = 1;
            const orr_tournament_rules rules = {.beats = beats};
            orr_deal_tournament(&t->ctx, &rules, t->portions, n, &left);
            if (first < n)
                assert_int_equal(t->portions[first].gpus, before + 1);
            clear += first < n;
            circles += first == n && left == 0;
        }
        table_destroy(t);
    }
    assert_true(clear > 1000 && circles < clear / 10);
}

/* Matches that needn't be played again aren't: dealing all at once comes to the same as starting anew for each. */
static void steps_follow_one_another(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const size_t n = 1 + seed % JOBS;
        table *one = table_create(n, MOST - 1), *all = table_create(n, MOST - 1);
        const orr_tournament_rules rules = {.beats = beats};
        int32_t gpus = (int32_t)(seed % 50);
        random_speeds(one, n, seed, true);
        random_speeds(all, n, seed, true);
        for (int32_t i = 0; i < gpus; i++) {
            int32_t left = 1;
            orr_deal_tournament(&one->ctx, &rules, one->portions, n, &left);
        }
        orr_deal_tournament(&all->ctx, &rules, all->portions, n, &gpus);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(all->portions[i].gpus, one->portions[i].gpus);
        table_destroy(one);
        table_destroy(all);
    }
}

/* The first asks two, and one is left: it drops out, and the second has it. */
static void a_step_too_wide_drops_out(void **state)
{
    (void)state;
    table *t = three();
    int32_t left = 1;
    t->portions[0].min = 2;
    const orr_tournament_rules rules = {.beats = beats};
    orr_deal_tournament(&t->ctx, &rules, t->portions, 3, &left);
    has(t, 3, "0 1 0");
    table_destroy(t);
}

/* ---- how much work it is ----------------------------------------------------------------------------------------- */

typedef struct counted {
    orr_ctx ctx;
    uint64_t calls;
} counted;

static double less_and_less(orr_ctx *ctx, const orr_portion *p, int32_t to)
{
    ((counted *)(void *)ctx)->calls++;
    return (double)(1 + (uintptr_t)p / sizeof *p % 7919) / to;
}

static bool more_and_more(orr_ctx *ctx, const orr_portion *a, const orr_portion *b)
{
    ((counted *)(void *)ctx)->calls++;
    return less_and_less(ctx, a, a->gpus + 1) >= less_and_less(ctx, b, b->gpus + 1);
}

/* 10,000 jobs, 40,000 GPUs: a gain a step and job, and 14 matches a step, not 10,000. */
static void work_grows_with_steps(void **state)
{
    (void)state;
    enum { MANY = 10000, GPUS = 40000 };
    counted c = {0};
    orr_portion *p = orr_xcalloc(MANY, sizeof *p);
    int32_t left = GPUS;
    for (size_t i = 0; i < MANY; i++)
        p[i] = (orr_portion){.min = 1, .max = 64};
    const orr_greedy_rules greedy = {.gain = less_and_less};
    orr_deal_greedy(&c.ctx, &greedy, p, MANY, &left);
    assert_int_equal(left, 0);
    assert_true(c.calls <= MANY + GPUS);
    for (size_t i = 0; i < MANY; i++)
        p[i].gpus = 0;
    c.calls = 0;
    left = GPUS;
    const orr_tournament_rules tournament = {.beats = more_and_more};
    orr_deal_tournament(&c.ctx, &tournament, p, MANY, &left);
    assert_int_equal(left, 0);
    assert_true(c.calls / 3 <= MANY + 14 * GPUS); /* each match asks twice more */
    free(p);
    orr_arena_fini(&c.ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_by_time_saved),
        cmocka_unit_test(first_steps_come_first),
        cmocka_unit_test(steps_that_gain_too_little_are_not_taken),
        cmocka_unit_test(doubling_is_compared_by_gpu),
        cmocka_unit_test(doubling_ends_at_max),
        cmocka_unit_test(who_gains_least_gives_back),
        cmocka_unit_test(greedy_is_best_for_falling_gains),
        cmocka_unit_test(the_heap_is_a_short_cut),
        cmocka_unit_test(a_tournament_by_hand),
        cmocka_unit_test(who_beats_all_wins),
        cmocka_unit_test(steps_follow_one_another),
        cmocka_unit_test(a_step_too_wide_drops_out),
        cmocka_unit_test(work_grows_with_steps),
    };
    return cmocka_run_group_tests_name("elastic_deal", tests, NULL, NULL);
}
