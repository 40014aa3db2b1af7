/* allox: the published example, every order of a few jobs, which of several first jobs starts, gangs, the
 * longest-waiting part.
 *
 * Durations are stated on type A; on B the models m0..m4 of allox.csv run 1, 3, 4/3, 3/5 and 0 times as fast. */
#include "small.h"
#include "two_types.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLE ORR_TEST_DATA_DIR "/policies/allox.csv,reference=A"

static ran go(const run_job *jobs, size_t n, int32_t a, int32_t b, const char *policy)
{
    return two_types_run(TABLE, run_trace(jobs, n), a, b, policy);
}

/* Times (60, 20), (40, 30), (30, 50): of all matchings one costs least, 100 GPU-seconds, and it is what happens (a
 * column is 10 s).
 *
 *   A 333..
 *   B 11222
 * / */
static void the_least_sum_of_completion_times(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "1", .gpus = 1, .duration = 60, .model = "m1"},
                            {.id = "2", .gpus = 1, .duration = 40, .model = "m2"},
                            {.id = "3", .gpus = 1, .duration = 30, .model = "m3"}};
    ran it = go(jobs, RUN_COUNT(jobs), 1, 1, "allox");
    run_held(it.r, "1", "0-20@1:1");
    run_held(it.r, "2", "20-50@1:1");
    run_held(it.r, "3", "0-30@0:1");
    ran_free(&it);
}

/* Two GPUs of one type: 4 and 5 are last in their queues, 1 and 2 before them. (With GPUs that are busy, 5 could as
 * well take the first that is free, and 4 the second.) */
static void on_one_type_it_is_shortest_first(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "5", .gpus = 1, .duration = 5},
                            {.id = "1", .gpus = 1, .duration = 1},
                            {.id = "4", .gpus = 1, .duration = 4},
                            {.id = "2", .gpus = 1, .duration = 2}};
    ran it = go(jobs, RUN_COUNT(jobs), 2, 0, "allox,machines=free");
    run_starts(it.r, "1:0 2:0 4:1 5:2");
    ran_free(&it);
}

/* A job that came behind others of its length doesn't start before them. */
static void of_equals_the_first_to_come_starts(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 10},
                            {.id = "b", .gpus = 1, .duration = 10},
                            {.id = "c", .gpus = 1, .duration = 10},
                            {.id = "d", .gpus = 1, .duration = 10}};
    ran it = go(jobs, RUN_COUNT(jobs), 1, 0, "allox");
    run_starts(it.r, "a:0 b:10 c:20 d:30");
    ran_free(&it);
}

/* R runs on A for 100 s and stays there, though S, which comes at 1, would be done at once there and can't run on B. */
static void who_runs_is_not_moved(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R", .gpus = 1, .duration = 100, .model = "m0"},
                            {.id = "S", .submit = 1, .gpus = 1, .duration = 1, .model = "m4"},
                            {.id = "T", .submit = 2, .gpus = 1, .duration = 9, .model = "m1"}};
    ran it = go(jobs, RUN_COUNT(jobs), 1, 1, "allox");
    run_held(it.r, "R", "0-100@0:1");
    run_starts(it.r, "S:100 T:2");
    run_ends(it.r, "T:5");
    run_preempted(it.r, "");
    ran_free(&it);
}

/* R runs on B until 10. L, 90 s on A and 30 on B, waits for that: 10 + 30 is less than 90. */
static void a_busy_gpu_can_be_worth_waiting_for(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R", .gpus = 1, .duration = 30, .model = "m1"},
                            {.id = "L", .submit = 1, .gpus = 1, .duration = 90, .model = "m1"}};
    ran it = go(jobs, RUN_COUNT(jobs), 1, 1, "allox");
    run_held(it.r, "L", "10-40@1:1");
    ran_free(&it);
    it = go(jobs, RUN_COUNT(jobs), 1, 1, "allox,machines=free");
    run_held(it.r, "L", "1-91@0:1");
    ran_free(&it);
}

/* L waits longest. With alpha 0.3 of three that wait one is matched, L, although the others are shorter. */
static void the_longest_waiting_part_comes_first(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R", .gpus = 1, .duration = 10},
                            {.id = "L", .submit = 1, .gpus = 1, .duration = 50},
                            {.id = "M", .submit = 2, .gpus = 1, .duration = 5},
                            {.id = "N", .submit = 3, .gpus = 1, .duration = 4}};
    ran it = go(jobs, RUN_COUNT(jobs), 1, 0, "allox");
    run_starts(it.r, "N:10 M:14 L:19");
    ran_free(&it);
    it = go(jobs, RUN_COUNT(jobs), 1, 0, "allox:fair");
    run_starts(it.r, "L:10 M:60 N:65");
    ran_free(&it);
}

/* G asks both GPUs of A for 4 s, 8 GPU-seconds, less than X's 9: it is first, and held up by R. X fits and goes
 * before it; with hol=block it waits though a GPU is free. */
static void a_gang_counts_by_its_gpu_time(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "R", .gpus = 1, .duration = 10, .model = "m0"},
                            {.id = "G", .submit = 1, .gpus = 2, .duration = 4, .model = "m0"},
                            {.id = "X", .submit = 1, .gpus = 1, .duration = 9, .model = "m0"}};
    ran it = go(jobs, RUN_COUNT(jobs), 2, 0, "allox");
    run_starts(it.r, "X:1 G:10");
    ran_free(&it);
    it = go(jobs, RUN_COUNT(jobs), 2, 0, "allox,hol=block");
    run_starts(it.r, "G:10 X:14");
    ran_free(&it);
}

/* It is spread over no two types; one that no single type could hold starts wherever there is room. */
static void a_gang_runs_on_one_type(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "G", .gpus = 2, .duration = 30, .model = "m1"},
                            {.id = "H", .gpus = 2, .duration = 30, .model = "m1"}};
    ran it = go(jobs, RUN_COUNT(jobs), 2, 3, "allox");
    run_held(it.r, "G", "0-10@1:2");
    run_held(it.r, "H", "10-20@1:2");
    ran_free(&it);
}

/* ---- every order of a few jobs ---- */

enum { JOBS = 5, MACHINES = 3 };

typedef struct tried {
    double time[JOBS][2];
    int kind[MACHINES];                     /* of machine: 0 is A */
    int queue[MACHINES][JOBS], n[MACHINES]; /* from the end */
    unsigned started[2];                    /* jobs that the policy started at once on each type */
    double least, least_so;                 /* of all orders; of those with these jobs in front */
} tried;

static void judge(tried *t)
{
    unsigned first[2] = {0, 0};
    double sum = 0;
    for (int m = 0; m < MACHINES; m++) {
        for (int i = 0; i < t->n[m]; i++)
            sum += (i + 1) * t->time[t->queue[m][i]][t->kind[m]];
        if (t->n[m])
            first[t->kind[m]] |= 1u << t->queue[m][t->n[m] - 1];
    }
    t->least = fmin(t->least, sum);
    if (first[0] == t->started[0] && first[1] == t->started[1])
        t->least_so = fmin(t->least_so, sum);
}

static void try_all(tried *t, int machine, unsigned left)
{
    if (!left)
        judge(t);
    for (int m = machine; m < MACHINES && left; m++)
        for (int j = 0; j < JOBS; j++)
            if (left >> j & 1) {
                t->queue[m][t->n[m]++] = j;
                try_all(t, m, left & ~(1u << j));
                t->n[m]--;
            }
}

/* What starts at 0 on one GPU of A and two of B is in front in some order of least cost. */
static void what_starts_is_first_in_the_best_of_all_orders(void **state)
{
    (void)state;
    static const char *const models[] = {"m0", "m1", "m2", "m3"};
    static const char *const ids[] = {"0", "1", "2", "3", "4"};
    static const double faster[] = {1, 3, 4 / 3.0, 0.6};
    for (uint64_t seed = 0; seed < 40; seed++) {
        small s = {.state = seed};
        run_job jobs[JOBS];
        tried t = {.kind = {0, 1, 1}, .least = INFINITY, .least_so = INFINITY};
        for (int j = 0; j < JOBS; j++) {
            const size_t model = (size_t)small_below(&s, 4);
            jobs[j] = (run_job){
                .id = ids[j], .gpus = 1, .duration = 12.0 * (double)(1 + small_below(&s, 30)), .model = models[model]};
            t.time[j][0] = jobs[j].duration;
            t.time[j][1] = jobs[j].duration / faster[model];
        }
        ran it = go(jobs, JOBS, 1, 2, "allox");
        for (size_t h = 0; h < it.r->hold_count; h++)
            if (it.r->holds[h].start == 0)
                t.started[it.r->holds[h].nodes[0] - '0'] |= 1u << atoi(it.r->jobs[it.r->holds[h].job].id);
        ran_free(&it);
        try_all(&t, 0, (1u << JOBS) - 1);
        assert_true(fabs(t.least - t.least_so) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_sum_of_completion_times),
        cmocka_unit_test(on_one_type_it_is_shortest_first),
        cmocka_unit_test(of_equals_the_first_to_come_starts),
        cmocka_unit_test(who_runs_is_not_moved),
        cmocka_unit_test(a_busy_gpu_can_be_worth_waiting_for),
        cmocka_unit_test(the_longest_waiting_part_comes_first),
        cmocka_unit_test(a_gang_counts_by_its_gpu_time),
        cmocka_unit_test(a_gang_runs_on_one_type),
        cmocka_unit_test(what_starts_is_first_in_the_best_of_all_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
