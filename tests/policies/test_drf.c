/* drf: the paper's example, weights, who holds up whom, and the heap against a plain scan over all tenants. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Section 4.1 of the paper: 9 cores and 18 GB; A's tasks ask 1 core and 4 GB, B's 3 cores and 1 GB. A gets three and B
 * two, so that both hold two thirds of what they ask most of. The GPUs are many, and nobody's dominant resource. */
#define EXAMPLE "nodes=1,gpus=64,cpus=9,mem=18GiB"
#define A_TASK(name) {.id = name, .gpus = 1, .duration = 100, .user = "A", .cpus = 1, .gib = 4}
#define B_TASK(name) {.id = name, .gpus = 1, .duration = 100, .user = "B", .cpus = 3, .gib = 1}

static void the_example_of_the_paper(void **state)
{
    (void)state;
    const run_job jobs[] = {A_TASK("A0"), A_TASK("A1"), A_TASK("A2"), A_TASK("A3"), A_TASK("A4"),
                            B_TASK("B0"), B_TASK("B1"), B_TASK("B2"), B_TASK("B3"), B_TASK("B4")};
    run *r = run_of(jobs, RUN_COUNT(jobs), EXAMPLE, "drf");
    run_starts(r, "A0:0 A1:0 A2:0 B0:0 B1:0 A3:100 A4:100 B2:100 B3:100 B4:200");
    run_free(r);
}

/* The same without GPUs: jobs on cores and memory alone. */
static void jobs_without_gpus_are_tasks_too(void **state)
{
    (void)state;
    run_job jobs[] = {A_TASK("A0"), A_TASK("A1"), A_TASK("A2"), A_TASK("A3"), B_TASK("B0"), B_TASK("B1"), B_TASK("B2")};
    for (size_t i = 0; i < RUN_COUNT(jobs); i++)
        jobs[i].gpus = 0;
    run *r = run_of(jobs, RUN_COUNT(jobs), EXAMPLE, "drf");
    run_starts(r, "A0:0 A1:0 A2:0 B0:0 B1:0 A3:100 B2:100");
    run_free(r);
}

#define OF(user_name, name) {.id = name, .gpus = 1, .duration = 10, .user = user_name}

/* Six GPUs. A counts twice: at equal weighted shares it holds four, B two. */
static void weights_divide_shares(void **state)
{
    (void)state;
    const run_job jobs[] = {OF("A", "a0"), OF("A", "a1"), OF("A", "a2"), OF("A", "a3"), OF("A", "a4"),
                            OF("B", "b0"), OF("B", "b1"), OF("B", "b2"), OF("B", "b3")};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=6", "drf,weights=A:2");
    run_starts(r, "a0:0 a1:0 a2:0 a3:0 b0:0 b1:0 a4:10 b2:10 b3:10");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=6", "drf,weights=B:2/A:1");
    run_starts(r, "a0:0 a1:0 b0:0 b1:0 b2:0 b3:0 a2:10 a3:10 a4:10");
    run_free(r);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"A", "A:", "A:0", "A:-1", ":2", "A:2/B", "A:2x"};
    const run_job jobs[] = {OF("A", "a0")};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *cluster = run_cluster("1");
    for (size_t i = 0; i < RUN_COUNT(bad); i++) {
        char policy[64];
        snprintf(policy, sizeof policy, "drf,weights=%s", bad[i]);
        run *r = run_try(trace, cluster, policy, NULL);
        if (r->code != ORR_E_BAD_VALUE)
            fail_msg("%s: %s", policy, orr_err_name(r->code));
        run_free(r);
    }
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* A's gang of four finds one GPU short at 1. With hol=tenant B goes past it, with hol=all B waits behind. C has
 * nothing.
 *
 *   tenant   c0 0-5   a0 5-15   b0 1-11 on the GPU that was left
 */
static void a_job_without_room_holds_up_its_tenant_or_all(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "c0", .gpus = 1, .duration = 20, .user = "C"},
                            {.id = "a0", .submit = 1, .gpus = 4, .duration = 10, .user = "A"},
                            {.id = "a1", .submit = 1, .gpus = 1, .duration = 10, .user = "A"},
                            {.id = "b0", .submit = 1, .gpus = 1, .duration = 10, .user = "B"}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=4", "drf");
    run_starts(r, "c0:0 b0:1 a0:20 a1:30");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=4", "drf,hol=all");
    run_starts(r, "c0:0 a0:20 a1:30 b0:30");
    run_free(r);
}

static void vcs_can_be_the_tenants(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "r0", .gpus = 1, .duration = 10, .vc = "red"},
                            {.id = "r1", .gpus = 1, .duration = 10, .vc = "red"},
                            {.id = "b0", .gpus = 1, .duration = 10, .vc = "blue"},
                            {.id = "b1", .gpus = 1, .duration = 10, .vc = "blue"}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "1@red 1@blue", "drf,over=vc,vc=shared");
    run_starts(r, "r0:0 b0:0 r1:10 b1:10");
    run_free(r);
    r = run_of(jobs, RUN_COUNT(jobs), "1@red 1@blue", "drf,over=user,vc=shared"); /* one user: by submission */
    run_starts(r, "b0:0 b1:0 r0:10 r1:10");
    run_free(r);
}

/* ---- GPU types --------------------------------------------------------------------------------------------------- */

typedef struct typed_job {
    const char *id, *user, *type;
} typed_job;

/* One V100 and six K80; jobs of one GPU and 10 s. */
static void check_types(const typed_job *at, size_t n, const char *policy, const char *starts)
{
    orr_trace *trace = orr_trace_create("by hand");
    orr_cluster_spec *spec = orr_cluster_spec_create("two types");
    orr_node_spec node = orr_node_spec_default();
    orr_error e = {0};
    node.gpus = 1;
    node.gpu_type = "V100";
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    node.gpus = 6;
    node.gpu_type = "K80";
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    for (size_t i = 0; i < n; i++) {
        orr_trace_job j = orr_trace_job_default();
        j.id = at[i].id;
        j.user = at[i].user;
        j.gpu_type = at[i].type;
        j.gpus = j.min_gpus = j.max_gpus = 1;
        j.duration = orr_time_from_seconds(10);
        assert_int_equal(orr_trace_add(trace, &j, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    run *r = run_policy(trace, spec, policy, NULL);
    run_starts(r, starts);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* a0 holds all V100s, which is A's dominant share: 1. So all K80s are B's, whose share is 1 with the sixth. As one resource of
 * seven GPUs the two would take turns. With twice the weight A stands at 1/2 after a0, as B does after b2; from then on A is
 * first at equal shares, and its K80s are below its dominant share. */
static void types_are_resources_of_their_own(void **state)
{
    (void)state;
    static const typed_job jobs[] = {{"a0", "A", "V100"}, {"a1", "A", "K80"}, {"a2", "A", "K80"}, {"a3", "A", "K80"},
                                     {"a4", "A", "K80"},  {"b0", "B", "K80"}, {"b1", "B", "K80"}, {"b2", "B", "K80"},
                                     {"b3", "B", "K80"},  {"b4", "B", "K80"}, {"b5", "B", "K80"}};
    check_types(jobs, RUN_COUNT(jobs), "drf",
                "a0:0 b0:0 b1:0 b2:0 b3:0 b4:0 b5:0 a1:10 a2:10 a3:10 a4:10");
    check_types(jobs, RUN_COUNT(jobs), "drf,types=off",
                "a0:0 b0:0 a1:0 b1:0 a2:0 b2:0 a3:0 a4:10 b3:10 b4:10 b5:10");
    check_types(jobs, RUN_COUNT(jobs), "drf,weights=A:2",
                "a0:0 b0:0 b1:0 b2:0 a1:0 a2:0 a3:0 a4:10 b3:10 b4:10 b5:10");
}

/* ---- against a scan ---------------------------------------------------------------------------------------------- */

enum { TENANTS = 5, GPUS = 8 };

typedef struct naive {
    double start[SMALL_MAX], end[SMALL_MAX];
    bool started[SMALL_MAX];
} naive;

static int tenant_at(const small *s, size_t i)
{
    return s->jobs[i].user[1] - '0';
}

/* The waiting job of the tenant with the least share whose first waiting job fits; -1: none. */
static int next_by_scan(const small *s, const naive *n, double now, int free, const int used[TENANTS],
                        const int order[TENANTS])
{
    int best = -1, of = 0;
    for (int t = 0; t < TENANTS; t++) {
        size_t i = 0;
        while (i < s->count && (n->started[i] || s->jobs[i].submit > now || tenant_at(s, i) != t))
            i++;
        if (i == s->count || s->jobs[i].gpus > free)
            continue;
        if (best < 0 || used[t] < used[of] || (used[t] == used[of] && order[t] < order[of])) {
            best = (int)i;
            of = t;
        }
    }
    return best;
}

/* Time by time, everything looked at: whole seconds. */
static void simulate(const small *s, naive *n)
{
    int order[TENANTS] = {0}, seen = 0; /* tenants are numbered as they come */
    for (size_t i = 0; i < s->count; i++)
        if (!order[tenant_at(s, i)])
            order[tenant_at(s, i)] = ++seen;
    size_t done = 0;
    for (double now = 0; done < s->count; now++) {
        int free = GPUS, used[TENANTS] = {0};
        done = 0;
        for (size_t i = 0; i < s->count; i++) {
            bool runs = n->started[i] && n->end[i] > now;
            free -= runs ? s->jobs[i].gpus : 0;
            used[tenant_at(s, i)] += runs ? s->jobs[i].gpus : 0;
            done += n->started[i];
        }
        for (int i; (i = next_by_scan(s, n, now, free, used, order)) >= 0;) {
            n->started[i] = true;
            n->start[i] = now;
            n->end[i] = now + s->jobs[i].duration;
            free -= s->jobs[i].gpus;
            used[tenant_at(s, (size_t)i)] += s->jobs[i].gpus;
        }
    }
}

static void the_heap_does_as_a_scan_would(void **state)
{
    (void)state;
    static const char *const users[TENANTS] = {"u0", "u1", "u2", "u3", "u4"};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        small s;
        naive n = {0};
        small_make(&s, seed, (small_shape){.count = 40, .gpus = 4, .span = 120, .work = 40});
        for (size_t i = 0; i < s.count; i++)
            s.jobs[i].user = users[small_below(&s, TENANTS)];
        simulate(&s, &n);
        run *r = run_of(s.jobs, s.count, "nodes=1,gpus=8", "drf");
        for (size_t i = 0; i < s.count; i++)
            if (run_start(r, s.jobs[i].id) != n.start[i])
                fail_msg("seed %d: %s starts at %g, by a scan at %g", (int)seed, s.jobs[i].id,
                         run_start(r, s.jobs[i].id), n.start[i]);
        run_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(jobs_without_gpus_are_tasks_too),
        cmocka_unit_test(weights_divide_shares),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(a_job_without_room_holds_up_its_tenant_or_all),
        cmocka_unit_test(vcs_can_be_the_tenants),
        cmocka_unit_test(types_are_resources_of_their_own),
        cmocka_unit_test(the_heap_does_as_a_scan_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
