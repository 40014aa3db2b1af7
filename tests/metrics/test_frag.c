/* Fragmentation: a schedule of room by hand, and random ones against counting anew at every step. */
#include "metrics/frag.h"
#include "base/mem.h"
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

static int32_t first_pool(void *self, const orr_trace_job *job)
{
    (void)self, (void)job;
    return 0;
}

/* Gangs of 1, 1, 2 and 16: of these free GPUs on a node of 4 are of no use to so many of them:
 *     free   0  1  2  3  4
 *     jobs   4  2  1  1  0       the gang of 16 takes the node whole
 */
static const run_job gangs[] = {{.id = "a", .gpus = 1, .duration = 1}, {.id = "b", .gpus = 1, .duration = 1},
                                {.id = "c", .gpus = 2, .duration = 1}, {.id = "d", .gpus = 16, .duration = 1},
                                {.id = "e", .gpus = 0, .duration = 1}};

/* Three nodes of 4, two of them in rack r0. A gang of 4 waits from 10 to 30, one of 1 from 20 on.
 *
 *     t            0    10   20   30   40
 *     r0  n0       4    1    1    1        unfit  10..20: 1 2 + 3 1 + 2 1 = 7    20..40: 1 2 + 1 2 + 2 1 = 6
 *         n1       4    3    1    1        can't host 4:  nodes 6, racks 2       nodes 4, racks 4
 *     r1  n2       4    2    2    2        can't host 1:  none
 */
static orr_frag *of_three_nodes(orr_time from, orr_time to)
{
    orr_trace *trace = run_trace(gangs, RUN_COUNT(gangs));
    orr_cluster_spec *spec = run_cluster("4/r0 4/r0 4/r1");
    orr_cluster *cluster = orr_cluster_create(spec, false);
    orr_frag *f = orr_frag_create(cluster, trace, first_pool, NULL);
    orr_frag_bound(f, from, to);
    orr_frag_settle(f, 0);
    orr_frag_node(f, 0, 1, NULL, 0);
    orr_frag_node(f, 1, 3, NULL, 0);
    orr_frag_node(f, 2, 2, NULL, 0);
    orr_frag_wait(f, 3, 0, 4, ORR_ANY_TYPE);
    orr_frag_settle(f, 10);
    orr_frag_node(f, 1, 1, NULL, 0);
    orr_frag_wait(f, 0, 0, 1, ORR_ANY_TYPE);
    orr_frag_wait(f, 3, 0, 4, ORR_ANY_TYPE); /* it waits already */
    orr_frag_settle(f, 20);
    orr_frag_leave(f, 3);
    orr_frag_leave(f, 2); /* it didn't wait */
    orr_frag_settle(f, 30);
    orr_frag_close(f, 40);
    orr_cluster_destroy(cluster);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
    return f;
}

static void by_hand(void **state)
{
    (void)state;
    orr_frag *f = of_three_nodes(ORR_TIME_NONE, ORR_TIME_NONE);
    orr_frag_sums s = orr_frag_of(f, 0);
    assert_int_equal(orr_frag_pools(f), 1);
    assert_true(orr_frag_has_racks(f));
    assert_int_equal(s.jobs, 4);
    assert_int_equal((int64_t)s.free, 1000 * (120 + 60 + 80));
    assert_int_equal((int64_t)s.unfit, 1000 * (70 + 120));
    assert_int_equal((int64_t)s.free_waited, 1000 * (60 + 80));
    assert_int_equal((int64_t)s.in_node, 1000 * (60 + 40));
    assert_int_equal((int64_t)s.in_rack, 1000 * (20 + 40));
    orr_frag_destroy(f);
    orr_frag_destroy(NULL);
}

/* The same within [15, 25). */
static void within_bounds(void **state)
{
    (void)state;
    orr_frag *f = of_three_nodes(15, 25);
    orr_frag_sums s = orr_frag_of(f, 0);
    assert_int_equal((int64_t)s.free, 1000 * (5 * 6 + 5 * 4));
    assert_int_equal((int64_t)s.unfit, 1000 * (5 * 7 + 5 * 6));
    assert_int_equal((int64_t)s.free_waited, 1000 * (5 * 6 + 5 * 4));
    assert_int_equal((int64_t)s.in_node, 1000 * (5 * 6 + 5 * 4));
    assert_int_equal((int64_t)s.in_rack, 1000 * (5 * 2 + 5 * 4));
    orr_frag_destroy(f);
}

/* ---- at random, against counting anew ---- */

enum { NODES = 7, JOBS = 40, STEPS = 60 };

typedef struct world {
    orr_cluster *cluster;
    orr_trace *trace;
    const orr_trace_job *jobs;
    int32_t free[NODES];
    int32_t left[NODES][8], shared[NODES]; /* thousandths of those that are shared */
    uint32_t line[JOBS]; /* who waits, first come, first */
    size_t waiting;
    orr_frag_sums sums[2];
} world;

static uint32_t next_random(uint32_t *x)
{
    *x = *x * 1664525u + 1013904223u;
    return *x >> 8;
}

static int32_t pool_of(void *self, const orr_trace_job *job)
{
    const orr_cluster *c = self;
    for (int32_t v = 0; v < c->vcs; v++)
        if (strcmp(c->vc_names[v], job->vc) == 0)
            return v;
    return -1;
}

static orr_cluster_spec *any_cluster(uint32_t *x)
{
    static const char *const types[] = {"A", "B"}, *const vcs[] = {"one", "two"}, *const racks[] = {"r", "s", "t"};
    orr_cluster_spec *spec = orr_cluster_spec_create("any");
    for (int i = 0; i < NODES; i++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = 1 + (int32_t)(next_random(x) % 8);
        node.gpu_type = types[next_random(x) % 2];
        node.vc = i < 2 ? vcs[i] : vcs[next_random(x) % 2];
        node.rack = racks[next_random(x) % 3];
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    }
    return spec;
}

static orr_trace *any_trace(uint32_t *x)
{
    static const char *const types[] = {"", "A", "B", "A|B", "C"}, *const vcs[] = {"one", "two", "three"};
    orr_trace *trace = orr_trace_create("any");
    for (int i = 0; i < JOBS; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.gpus = (int32_t)(next_random(x) % 12);
        if (next_random(x) % 3 == 0) {
            job.gpus = job.min_gpus = job.max_gpus = 1 + (int32_t)(next_random(x) % 3);
            job.gpu_milli = 100 * (1 + (int32_t)(next_random(x) % 9));
        }
        job.gpu_type = types[next_random(x) % 5];
        job.vc = vcs[next_random(x) % 3];
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    return trace;
}

static bool suits(const world *w, const orr_trace_job *job, int32_t node)
{
    return orr_cluster_types_named(w->cluster, job->gpu_type) & w->cluster->nodes[node].type;
}

/* Has its pool any GPU of its types? */
static bool has_class(const world *w, const orr_trace_job *job)
{
    bool any = false;
    for (int32_t n = 0; n < NODES; n++)
        any |= w->cluster->nodes[n].vc == pool_of(w->cluster, job) && suits(w, job, n);
    return any && job->gpus > 0;
}

/* Thousandths of a node that are free and of no use to the job. */
static int64_t useless_to(const world *w, const orr_trace_job *job, int32_t node)
{
    int64_t all = 1000 * w->free[node], scraps = 0;
    int32_t able = w->free[node], width = w->cluster->nodes[node].spec->gpus;
    for (int32_t i = 0; i < w->shared[node]; i++) {
        const int32_t left = w->left[node][i];
        all += left;
        scraps += left < job->gpu_milli ? left : 0;
        able += left >= job->gpu_milli;
    }
    return suits(w, job, node) && able >= (job->gpus < width ? job->gpus : width) ? scraps : all;
}

static int64_t unfit_on(const world *w, int32_t node)
{
    int64_t sum = 0;
    for (size_t i = 0; i < JOBS; i++) {
        const orr_trace_job *job = &w->jobs[i];
        if (pool_of(w->cluster, job) == w->cluster->nodes[node].vc && has_class(w, job))
            sum += useless_to(w, job, node);
    }
    return sum;
}

static int64_t free_on(const world *w, int32_t node)
{
    int64_t sum = 1000 * w->free[node];
    for (int32_t i = 0; i < w->shared[node]; i++)
        sum += w->left[node][i];
    return sum;
}

static bool same_domain(const orr_node *a, const orr_node *b, bool racks)
{
    return a == b || (racks && a->vc == b->vc && a->rack == b->rack && a->type == b->type);
}

/* What is free of a node that lies in a domain which can't host the job. */
static int64_t stuck_on(const world *w, const orr_trace_job *job, int32_t node, bool racks)
{
    int64_t room = 0;
    for (int32_t n = 0; n < NODES; n++)
        if (same_domain(&w->cluster->nodes[n], &w->cluster->nodes[node], racks))
            room += w->free[n];
    return suits(w, job, node) && room >= job->gpus ? 0 : free_on(w, node);
}

static void count_step(world *w, orr_time dt)
{
    for (int32_t p = 0; p < 2; p++) {
        const orr_trace_job *head = NULL;
        for (size_t i = 0; i < w->waiting && !head; i++)
            head = pool_of(w->cluster, &w->jobs[w->line[i]]) == p ? &w->jobs[w->line[i]] : NULL;
        for (int32_t n = 0; n < NODES; n++) {
            if (w->cluster->nodes[n].vc != p)
                continue;
            w->sums[p].free += dt * free_on(w, n);
            w->sums[p].unfit += dt * unfit_on(w, n);
            w->sums[p].free_waited += head ? dt * free_on(w, n) : 0;
            w->sums[p].in_node += head ? dt * stuck_on(w, head, n, false) : 0;
            w->sums[p].in_rack += head ? dt * stuck_on(w, head, n, true) : 0;
        }
    }
}

static void leave_line(world *w, size_t at)
{
    for (size_t i = at + 1; i < w->waiting; i++)
        w->line[i - 1] = w->line[i];
    w->waiting--;
}

static size_t place_in_line(const world *w, uint32_t job)
{
    size_t at = 0;
    while (at < w->waiting && w->line[at] != job)
        at++;
    return at;
}

static void change(world *w, orr_frag *f, uint32_t *x)
{
    int32_t node = (int32_t)(next_random(x) % NODES);
    uint32_t job = next_random(x) % JOBS;
    int32_t pool = pool_of(w->cluster, &w->jobs[job]);
    size_t at = place_in_line(w, job);
    w->free[node] = (int32_t)(next_random(x) % ((uint32_t)w->cluster->nodes[node].spec->gpus + 1));
    w->shared[node] = (int32_t)(next_random(x) % ((uint32_t)(w->cluster->nodes[node].spec->gpus - w->free[node]) + 1));
    for (int32_t i = 0; i < w->shared[node]; i++)
        w->left[node][i] = (int32_t)(next_random(x) % 1000);
    orr_frag_node(f, node, w->free[node], w->left[node], w->shared[node]);
    if (at < w->waiting) {
        leave_line(w, at);
        orr_frag_leave(f, job);
    } else if (pool >= 0 && w->jobs[job].gpus > 0) {
        w->line[w->waiting++] = job;
        orr_frag_wait(f, job, pool, w->jobs[job].gpus,
                      orr_cluster_types_named(w->cluster, w->jobs[job].gpu_type));
    }
}

static void assert_same(const orr_frag_sums *got, const orr_frag_sums *want)
{
    assert_int_equal((int64_t)got->free, (int64_t)want->free);
    assert_int_equal((int64_t)got->unfit, (int64_t)want->unfit);
    assert_int_equal((int64_t)got->free_waited, (int64_t)want->free_waited);
    assert_int_equal((int64_t)got->in_node, (int64_t)want->in_node);
    assert_int_equal((int64_t)got->in_rack, (int64_t)want->in_rack);
}

static void against_counting(void **state)
{
    (void)state;
    uint32_t x = 11;
    for (int round = 0; round < 40; round++) {
        orr_cluster_spec *spec = any_cluster(&x);
        world w = {.cluster = orr_cluster_create(spec, false), .trace = any_trace(&x)};
        w.jobs = orr_trace_jobs(w.trace);
        for (int n = 0; n < NODES; n++)
            w.free[n] = w.cluster->nodes[n].spec->gpus;
        orr_frag *f = orr_frag_create(w.cluster, w.trace, pool_of, w.cluster);
        orr_time now = 3;
        orr_frag_settle(f, now);
        for (int step = 0; step < STEPS; step++) {
            orr_time dt = next_random(&x) % 5;
            count_step(&w, dt);
            change(&w, f, &x);
            orr_frag_settle(f, now += dt);
        }
        orr_frag_close(f, now);
        for (int p = 0; p < 2; p++) {
            orr_frag_sums got = orr_frag_of(f, p);
            assert_same(&got, &w.sums[p]);
        }
        orr_frag_destroy(f);
        orr_cluster_destroy(w.cluster);
        orr_trace_destroy(w.trace);
        orr_cluster_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(within_bounds),
        cmocka_unit_test(against_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
