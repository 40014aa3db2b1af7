/* gandiva-fair: turns by tickets, gangs wider than a server, moves between servers; by hand. */
#include "run.h"

#include "model/throughputs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECONDS 1e9

/* Jobs that never end, seen at `until`. Their trace lives as long as the test. */
static orr_trace *kept[256];
static size_t kept_count;

static run *run_until(const run_job *jobs, size_t n, const char *cluster, const char *policy, double until)
{
    orr_sim_options options = orr_sim_options_default();
    options.until = (orr_time)(until * SECONDS);
    orr_trace *trace = run_trace(jobs, n);
    orr_cluster_spec *spec = run_cluster(cluster);
    run *r = run_try(trace, spec, policy, &options);
    assert_int_equal(r->code, ORR_OK);
    orr_cluster_spec_destroy(spec);
    kept[kept_count++] = trace;
    return r;
}

static double service_of(const run *r, const run_job *jobs, const char *user)
{
    double sum = 0;
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->count; k++)
            if (strcmp(r->jobs[i].id, jobs[k].id) == 0 && strcmp(jobs[k].user, user) == 0)
                sum += r->jobs[i].service;
    return sum;
}

#define LONG(name, user_name, n)                                                                                       \
    {                                                                                                                  \
        .id = name, .gpus = n, .duration = 1e7, .user = user_name                                                      \
    }

/* One GPU: turns of 60 s.
 *
 *   A 0-60 120-160
 *   B 60-120 160-200
 */
static void turns(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .user = "a"},
                            {.id = "B", .gpus = 1, .duration = 100, .user = "b"}};
    run *r = run_of(jobs, 2, "1", "gandiva-fair");
    run_held(r, "A", "0-60@0:1 120-160@0:1");
    run_held(r, "B", "60-120@0:1 160-200@0:1");
    run_free(r);
}

/* Three users with one job of four, two of two, and four of one GPU: at no time is the GPU time of any further from a
 * third than her GPUs in one quantum. */
static void users_have_equal_time(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("a", "a", 4),  LONG("b0", "b", 2), LONG("b1", "b", 2), LONG("c0", "c", 1),
                            LONG("c1", "c", 1), LONG("c2", "c", 1), LONG("c3", "c", 1)};
    for (double at = 60; at <= 1500; at += 30) {
        run *r = run_until(jobs, RUN_COUNT(jobs), "4", "gandiva-fair", at);
        for (const char *user = "abc"; *user; user++) {
            const double had = service_of(r, jobs, (char[]){*user, '\0'});
            if (fabs(had - 4 * at / 3) > 60 * 4)
                fail_msg("%c at %g: %g", *user, at, had);
        }
        run_free(r);
    }
}

/* The second counts three times as much. */
static void weights(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("a0", "a", 1), LONG("a1", "a", 1), LONG("b0", "b", 1), LONG("b1", "b", 1)};
    run *r = run_until(jobs, RUN_COUNT(jobs), "2", "gandiva-fair,weights=b:3", 6000);
    assert_true(fabs(service_of(r, jobs, "a") - 3000) <= 120);
    assert_true(fabs(service_of(r, jobs, "b") - 9000) <= 120);
    run_free(r);
}

/* Many jobs are no advantage: a has one and b has seven, on one GPU. */
static void many_jobs_are_no_advantage(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("a", "a", 1),  LONG("b0", "b", 1), LONG("b1", "b", 1), LONG("b2", "b", 1),
                            LONG("b3", "b", 1), LONG("b4", "b", 1), LONG("b5", "b", 1), LONG("b6", "b", 1)};
    run *r = run_until(jobs, RUN_COUNT(jobs), "1", "gandiva-fair", 6000);
    assert_true(fabs(service_of(r, jobs, "a") - 3000) <= 60);
    run_free(r);
}

/* Two servers of two; W needs both. Its user has two GPUs of four, as much as the other one. Passes are equal at 120, 240, …;
 * then W, which is a client since before the servers were, is first.
 *
 *   L0, L1  60-120 180-240 300-360
 *   W       0-60 120-180 240-300 360-
 */
static void gangs_wider_than_a_server(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("L0", "x", 2), LONG("L1", "x", 2), LONG("W", "y", 4)};
    run *r = run_until(jobs, 3, "2 2", "gandiva-fair", 400);
    run_held(r, "L0", "60-120@0:2 180-240@0:2 300-360@0:2");
    run_held(r, "L1", "60-120@1:2 180-240@1:2 300-360@1:2");
    run_held(r, "W", "0-60@0:2;1:2 120-180@0:2;1:2 240-300@0:2;1:2 360-400@0:2;1:2");
    run_free(r);
    for (double at = 600; at <= 6000; at += 600) {
        r = run_until(jobs, 3, "2 2", "gandiva-fair", at);
        assert_true(fabs(service_of(r, jobs, "y") - 2 * at) <= 60 * 4);
        run_free(r);
    }
}

/* W takes three of four GPUs; a small job of the server that it shares goes on beside it. */
static void what_is_left_beside_a_wide_gang_is_used(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("a", "x", 1), LONG("b", "x", 1), LONG("c", "x", 1), LONG("d", "x", 1),
                            LONG("W", "y", 3)};
    run *r = run_until(jobs, RUN_COUNT(jobs), "2 2", "gandiva-fair", 6000);
    const double x = service_of(r, jobs, "x"), y = service_of(r, jobs, "y");
    assert_true(fabs(x + y - 24000) < 1); /* no GPU is ever idle */
    assert_true(y >= 12000 - 180);
    run_free(r);
}

/* As under gandiva: C lives with A, and moves to B's server when that is idle. */
static void idle_gpus_invite(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100, .user = "a"},
                            {.id = "B", .gpus = 1, .duration = 50, .user = "b"},
                            {.id = "C", .submit = 5, .gpus = 1, .duration = 100, .user = "c"}};
    run *r = run_of(jobs, 3, "1 1", "gandiva-fair");
    run_held(r, "A", "0-100@0:1");
    run_held(r, "C", "50-150@1:1");
    run_free(r);
}

/* x has four jobs, y one; three GPUs. y is entitled to one and a half, more than its job can use, and so runs all the
 * time. */
static void who_is_entitled_to_more_runs_always(void **state)
{
    (void)state;
    const run_job jobs[] = {LONG("x0", "x", 1),
                            LONG("x1", "x", 1),
                            LONG("x2", "x", 1),
                            LONG("x3", "x", 1),
                            {.id = "y", .submit = 1, .gpus = 1, .duration = 1e7, .user = "y"}};
    run *r = run_until(jobs, RUN_COUNT(jobs), "1 1 1", "gandiva-fair", 6000);
    assert_true(service_of(r, jobs, "y") >= 6000 - 120);
    assert_true(fabs(service_of(r, jobs, "x") + service_of(r, jobs, "y") - 18000) < 1);
    run_free(r);
}

/* ---- GPU types --------------------------------------------------------------------------------------------------- */

/* Speeds on the V100 over those on the K80: 4 for the jobs of a, 2 of b, 1.25 of c. */
static orr_throughputs *table(void)
{
    static const char text[] = "model,gpus,gpu_type,steps_per_s\na,1,V100,4\na,1,K80,1\nb,1,V100,2\nb,1,K80,1\n"
                               "c,1,V100,5\nc,1,K80,4\n";
    orr_error e = {0};
    orr_input *in = orr_input_memory("by hand", text, sizeof text - 1);
    orr_throughputs *t = orr_throughputs_read(in, &e);
    orr_input_close(in);
    if (!t || orr_throughputs_refer(t, "K80", &e))
        fail_msg("%s", e.message);
    return t;
}

static orr_cluster_spec *four_of_each(void)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("two types");
    for (int i = 0; i < 2; i++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = 4;
        node.gpu_type = i ? "K80" : "V100";
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    }
    return spec;
}

/* K80-seconds of work that each of three users gets done in a second, in ten hours with eight long jobs each. */
static void rates(const char *policy, double rate[3])
{
    static const double speeds[] = {4, 2, 1.25}; /* on node 0; 1 on node 1 */
    run_job jobs[24];
    char ids[24][4];
    const double until = 36000;
    for (int i = 0; i < 24; i++) {
        static const char *const users[] = {"a", "b", "c"};
        snprintf(ids[i], sizeof ids[i], "%s%d", users[i % 3], i / 3);
        jobs[i] = (run_job){.id = ids[i], .gpus = 1, .duration = 1e7, .user = users[i % 3], .model = users[i % 3]};
    }
    orr_throughputs *speed = table();
    orr_trace *trace = run_trace(jobs, 24);
    orr_cluster_spec *spec = four_of_each();
    orr_sim_options options = orr_sim_options_default();
    options.until = (orr_time)(until * SECONDS);
    options.throughputs = speed;
    run *r = run_try(trace, spec, policy, &options);
    assert_int_equal(r->code, ORR_OK);
    rate[0] = rate[1] = rate[2] = 0;
    for (size_t i = 0; i < r->hold_count; i++) {
        const int user = r->jobs[r->holds[i].job].id[0] - 'a';
        rate[user] += (double)(r->holds[i].end - r->holds[i].start) / SECONDS / until *
                      (r->holds[i].nodes[0] == '0' ? speeds[user] : 1);
    }
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
    orr_throughputs_destroy(speed);
}

/* Without trade each has 4/3 of either type: 4/3 x (4 + 1) = 6.67, 4 and 3. Then a buys 2/3 V100 of c at 2, what b
 * bids: it has two, and 8 in all. b buys c's other 2/3 at 1.25: two V100 and half a K80, 4.5. c has three and a half
 * K80: nobody has less. */
static void trades_make_everybody_faster(void **state)
{
    (void)state;
    static const double without[] = {20 / 3.0, 4, 3}, with[] = {8, 4.5, 3.5};
    double rate[3];
    rates("gandiva-fair,trade=off", rate);
    for (int i = 0; i < 3; i++)
        if (fabs(rate[i] - without[i]) > 0.02 * without[i])
            fail_msg("without trade, %c: %g", 'a' + i, rate[i]);
    rates("gandiva-fair", rate);
    for (int i = 0; i < 3; i++)
        if (fabs(rate[i] - with[i]) > 0.02 * with[i])
            fail_msg("with trade, %c: %g", 'a' + i, rate[i]);
}

static int forget(void **state)
{
    (void)state;
    while (kept_count > 0)
        orr_trace_destroy(kept[--kept_count]);
    return 0;
}

/* A job of one GPU that must not be preempted comes every 50 s and takes 100: there are never two idle GPUs until a gang of two, on
 * one server or over two, has been first for ten turns of 60 s in vain. Then they wait for it: it runs by 10 + 11 turns + what is
 * left of those that run, not when they are all done (3100 s). */
static void a_gang_is_waited_for(void **state)
{
    (void)state;
    static const char *const clusters[] = {"2", "1 1"};
    enum { STREAM = 60 };
    for (int wide = 0; wide < 2; wide++) {
        run_job jobs[STREAM + 1] = {{.id = "G", .submit = 10, .gpus = 2, .duration = 100, .user = "a"}};
        char ids[STREAM][8];
        for (int i = 0; i < STREAM; i++) {
            snprintf(ids[i], sizeof ids[i], "s%d", i);
            jobs[i + 1] = (run_job){.id = ids[i], .submit = 50 * i, .gpus = 1, .duration = 100, .user = "b", .pinned = true};
        }
        run *r = run_of(jobs, STREAM + 1, clusters[wide], "gandiva-fair");
        assert_true(run_start(r, "G") >= 600 && run_start(r, "G") <= 10 + 11 * 60 + 120);
        for (int i = 0; i < STREAM; i++)
            assert_true(run_job_of(r, ids[i])->end > 0);
        run_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(turns, forget),
        cmocka_unit_test_teardown(users_have_equal_time, forget),
        cmocka_unit_test_teardown(weights, forget),
        cmocka_unit_test_teardown(many_jobs_are_no_advantage, forget),
        cmocka_unit_test_teardown(gangs_wider_than_a_server, forget),
        cmocka_unit_test_teardown(what_is_left_beside_a_wide_gang_is_used, forget),
        cmocka_unit_test_teardown(idle_gpus_invite, forget),
        cmocka_unit_test_teardown(who_is_entitled_to_more_runs_always, forget),
        cmocka_unit_test(a_gang_is_waited_for),
        cmocka_unit_test(trades_make_everybody_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
