/* Jobs to queues of unlike machines: the published example, every order of a few jobs, the assignment to all places. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* All machines are free. */
static double queues(const double *time, int32_t jobs, int32_t kinds, const int32_t *alike, int32_t *kind,
                     int32_t *position)
{
    const orr_queues q = {.jobs = jobs, .kinds = kinds, .time = time, .alike = alike};
    return orr_assign_queues(&q, kind, position);
}

enum { MOST = 6, KINDS = 4 };

/* AlloX's problem in small: times (6,2), (4,3), (3,5) on two machines. Only one answer costs 10: on the second
 * machine job 0 and then job 1, 2 x 2 + 3; on the first job 2, 3. */
static void two_machines(void **state)
{
    (void)state;
    const double time[] = {6, 2, 4, 3, 3, 5};
    int32_t kind[3], position[3];
    assert_near(queues(time, 3, 2, NULL, kind, position), 10, 0);
    const int32_t kinds[] = {1, 1, 0}, positions[] = {2, 1, 1};
    assert_memory_equal(kind, kinds, sizeof kinds);
    assert_memory_equal(position, positions, sizeof positions);
}

/* One machine: shortest first, 1 + 3 + 6 + 10. */
static void one_machine_runs_the_shortest_first(void **state)
{
    (void)state;
    const double time[] = {3, 1, 4, 2};
    int32_t kind[4], position[4];
    assert_near(queues(time, 4, 1, NULL, kind, position), 20, 0);
    const int32_t positions[] = {2, 4, 1, 3};
    assert_memory_equal(position, positions, sizeof positions);
}

/* Two of a kind: 3 x 10 and 2 x 20, each pair of neighbours at one position. */
static void machines_of_a_kind_share_positions(void **state)
{
    (void)state;
    const double time[] = {10, 10, 20, 20};
    const int32_t two[] = {2};
    int32_t kind[4], position[4];
    assert_near(queues(time, 4, 1, two, kind, position), 2 * (20 + 2 * 10), 0);
    const int32_t positions[] = {2, 2, 1, 1};
    assert_memory_equal(position, positions, sizeof positions);
}

static void where_a_job_cannot_run_it_does_not(void **state)
{
    (void)state;
    const double time[] = {INFINITY, 5, INFINITY, 7, 1, 1}, nowhere[] = {INFINITY, INFINITY};
    int32_t kind[3] = {9, 9, 9}, position[3];
    assert_near(queues(nowhere, 1, 2, NULL, kind, position), INFINITY, 0);
    assert_int_equal(kind[0], 9);
    assert_near(queues(time, 3, 2, NULL, kind, position), 2 * 5 + 7 + 1, 0);
    assert_int_equal(kind[2], 0);
    const int32_t none[] = {3, 0};
    assert_near(queues(time, 1, 2, none, kind, position), INFINITY, 0);
}

/* The second machine is free at 10. Job 0 would take 30 on the first and 12 on the second: 10 + 12 is less. Job 1
 * could be done at 5 on the first, or at 10 + 1 on the second: it takes the first. */
static void machines_that_are_busy_can_be_worth_waiting_for(void **state)
{
    (void)state;
    const double time[] = {30, 12, 5, 1}, ready[] = {0, 10};
    int32_t kind[2], position[2];
    assert_near(orr_assign_queues(&(orr_queues){.jobs = 2, .kinds = 2, .time = time, .ready = ready}, kind, position),
                22 + 5, 0);
    assert_int_equal(kind[0], 1);
    assert_int_equal(kind[1], 0);
}

static void no_jobs_cost_nothing(void **state)
{
    (void)state;
    assert_near(queues(NULL, 0, 0, NULL, NULL, NULL), 0, 0);
    const int32_t three[] = {3};
    assert_near(queues(NULL, 0, 1, three, NULL, NULL), 0, 0);
}

/* ---- random ones ---- */

typedef struct problem {
    int jobs, kinds;
    double time[MOST * KINDS];
    int32_t alike[KINDS];
    double ready[KINDS];
} problem;

static problem draw(uint64_t seed)
{
    problem p;
    uint64_t at = seed << 20;
    p.jobs = 1 + (int)(orr_mix64(at++) % MOST);
    p.kinds = 1 + (int)(orr_mix64(at++) % 3);
    for (int i = 0; i < p.jobs * p.kinds; i++) {
        uint64_t draw = orr_mix64(at++);
        p.time[i] = draw % 8 == 0 ? INFINITY : (double)(draw / 8 % 20);
    }
    for (int k = 0; k < p.kinds; k++)
        p.alike[k] = (int32_t)(orr_mix64(at++) % 3);
    for (int k = 0; k < p.kinds; k++)
        p.ready[k] = (double)(orr_mix64(at++) % 3 * 8);
    return p;
}

/* Machines one by one: every way to append one more job to some machine's queue, from the end on. */
static double least_of(const problem *p, int depth, int32_t machines, const int32_t *kind_of, int32_t *filled,
                       unsigned used)
{
    if (depth == p->jobs)
        return 0;
    double least = INFINITY;
    for (int32_t m = 0; m < machines; m++) {
        filled[m]++;
        for (int j = 0; j < p->jobs; j++) {
            double time = p->time[j * p->kinds + kind_of[m]];
            if (!(used >> j & 1) && time < INFINITY)
                least =
                    fmin(least, filled[m] * time + least_of(p, depth + 1, machines, kind_of, filled, used | 1u << j));
        }
        filled[m]--;
        if (filled[m] == 0 && m + 1 < machines && kind_of[m + 1] == kind_of[m])
            m++; /* two that are alike and empty */
    }
    return least;
}

static double sum_of(const problem *p, const int32_t *kind, const int32_t *position)
{
    int32_t at[KINDS][MOST + 1] = {{0}};
    double sum = 0;
    for (int j = 0; j < p->jobs; j++) {
        assert_true(position[j] >= 1 && position[j] <= p->jobs);
        at[kind[j]][position[j] - 1]++;
        sum += position[j] * p->time[j * p->kinds + kind[j]];
    }
    for (int k = 0; k < p->kinds; k++)
        for (int i = 0; i < MOST; i++)
            assert_true(at[k][i] <= p->alike[k] && (!at[k][i + 1] || at[k][i] == p->alike[k]));
    return sum;
}

static void as_all_orders_give(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        problem p = draw(seed);
        p.jobs = p.jobs > 4 ? 4 : p.jobs;
        int32_t kind_of[2 * KINDS], filled[2 * KINDS] = {0}, machines = 0, kind[MOST], position[MOST];
        for (int k = 0; k < p.kinds; k++)
            for (int i = 0; i < p.alike[k]; i++)
                kind_of[machines++] = k;
        double least = least_of(&p, 0, machines, kind_of, filled, 0);
        assert_near(queues(p.time, p.jobs, p.kinds, p.alike, kind, position), least, 1e-9);
        if (least < INFINITY)
            assert_near(sum_of(&p, kind, position), least, 1e-9);
    }
}

/* The plain assignment to all machines times all positions. */
static double by_assignment(const double *time, int jobs, int kinds, const int32_t *alike, const double *ready)
{
    int columns = 0;
    for (int k = 0; k < kinds; k++)
        columns += alike[k] * jobs;
    if (columns < jobs)
        return INFINITY;
    double *cost = calloc((size_t)(jobs * columns + 1), sizeof *cost);
    int32_t *to = calloc((size_t)jobs, sizeof *to);
    for (int j = 0, at = 0; j < jobs; j++)
        for (int k = 0; k < kinds; k++)
            for (int i = 0; i < alike[k] * jobs; i++)
                cost[at++] = (i / alike[k] + 1) * time[j * kinds + k] + (ready ? ready[k] : 0);
    double least = orr_assign_least(cost, jobs, columns, to);
    free(cost);
    free(to);
    return least;
}

static void as_the_assignment_to_all_places_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1000; seed < 3000; seed++) {
        const problem p = draw(seed);
        const orr_queues q = {p.jobs, p.kinds, p.time, p.alike, p.ready};
        int32_t kind[MOST], position[MOST];
        double least = by_assignment(p.time, p.jobs, p.kinds, p.alike, p.ready), waits = 0;
        assert_near(orr_assign_queues(&q, kind, position), least, 1e-9);
        if (isinf(least))
            continue;
        for (int j = 0; j < p.jobs; j++)
            waits += p.ready[kind[j]];
        assert_near(sum_of(&p, kind, position) + waits, least, 1e-9);
    }
}

/* Times as of real jobs: over three orders of magnitude, each kind of machine good for some models. */
static double *realistic(int jobs, int kinds, uint64_t seed)
{
    double *time = calloc((size_t)(jobs * kinds), sizeof *time);
    for (int j = 0; j < jobs; j++) {
        uint64_t model = orr_mix64(seed + (uint64_t)j) % 26;
        double length = pow(10, 1 + 3 * (double)(orr_mix64(seed + 1000003 + (uint64_t)j) % 1000) / 1000);
        for (int k = 0; k < kinds; k++)
            time[j * kinds + k] = length * (1 + k * (double)(orr_mix64(model * 16 + (uint64_t)k) % 100) / 40);
    }
    return time;
}

static void as_the_assignment_gives_for_some_more(void **state)
{
    (void)state;
    const int32_t counts[][3] = {{1, 1, 1}, {3, 1, 2}, {10, 4, 1}, {40, 40, 40}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double *time = realistic(30, 3, i);
        int32_t kind[30], position[30];
        double least = by_assignment(time, 30, 3, counts[i], NULL);
        assert_near(queues(time, 30, 3, counts[i], kind, position), least, 1e-9 * least);
        free(time);
    }
}

/* Against plain queues in the same order: no swap of two jobs, and no move of one to the end of a queue, makes it
 * better. */
static void a_large_one_cannot_be_bettered_by_a_swap(void **state)
{
    (void)state;
    enum { JOBS = 512, OF = 3 };
    const int32_t alike[OF] = {8, 8, 8};
    double *time = realistic(JOBS, OF, 77);
    int32_t kind[JOBS], position[JOBS];
    queues(time, JOBS, OF, alike, kind, position);
    for (int a = 0; a < JOBS; a++)
        for (int b = 0; b < a; b++) {
            double now = position[a] * time[a * OF + kind[a]] + position[b] * time[b * OF + kind[b]];
            double then = position[b] * time[a * OF + kind[b]] + position[a] * time[b * OF + kind[a]];
            assert_true(now <= then * (1 + 1e-12));
        }
    free(time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_machines),
        cmocka_unit_test(one_machine_runs_the_shortest_first),
        cmocka_unit_test(machines_of_a_kind_share_positions),
        cmocka_unit_test(where_a_job_cannot_run_it_does_not),
        cmocka_unit_test(machines_that_are_busy_can_be_worth_waiting_for),
        cmocka_unit_test(no_jobs_cost_nothing),
        cmocka_unit_test(as_all_orders_give),
        cmocka_unit_test(as_the_assignment_to_all_places_gives),
        cmocka_unit_test(as_the_assignment_gives_for_some_more),
        cmocka_unit_test(a_large_one_cannot_be_bettered_by_a_swap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
