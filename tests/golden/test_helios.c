/* The public Helios simulator's results, job by job, where they are: fifo, sjf, srtf and qssf on up to 82,229 jobs with
 * start, end, preemptions, waiting and nodes; and a FIFO cross-check on one Philly VC whose numbers were computed
 * independently. */
#include "compare.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "golden/helios/"

static void run_row(void **state)
{
    golden_case *c = *state;
    char policy[32], placer[32], name[32], path[256];
    const char *reason;
    sscanf(c->label, "helios %31[^.].%31[^.].%31s", name, policy, placer);
    if (!golden_helios_policy(policy, placer, c, &reason)) {
        golden_skipped(c->label, reason);
        return;
    }
    snprintf(path, sizeof path, ROOT "inputs/%s.cluster_log.csv.gz", name);
    assert_true(run_shared(c->trace, path));
    snprintf(path, sizeof path, ROOT "inputs/%s.vc_config.csv", name);
    assert_true(run_shared(c->cluster, path));
    snprintf(path, sizeof path, ROOT "results/%s.%s.%s.csv.gz", name, policy, placer);
    assert_true(run_shared(c->expected, path));
    assert_int_equal(golden_helios_differ(c), 0);
    golden_ran(c->label);
}

/* ---- FIFO on GPUs counted only: mean wait, mean JCT, longest wait, jobs that waited, makespan ---- */

typedef struct check {
    int gpus;
    double mean_wait, mean_jct, max_wait;
    size_t waited;
} check;

static const check checks[] = {
    {64, 146208.000000, 220700.308057, 681307, 267},
    {128, 8592.338863, 83084.646919, 101822, 83},
    {256, 1.751185, 74494.059242, 463, 4},
};

static void compare_check(const run *r, const check *k)
{
    double max_wait = 0;
    size_t waited = 0;
    for (size_t i = 0; i < r->count; i++) {
        double wait = orr_time_seconds(r->jobs[i].wait_total);
        max_wait = fmax(max_wait, wait);
        waited += wait > 0;
    }
    assert_true(fabs(run_mean_wait(r) - k->mean_wait) < 1e-6);
    assert_true(fabs(run_mean_jct(r) - k->mean_jct) < 1e-6);
    assert_true(max_wait == k->max_wait);
    assert_int_equal(waited, k->waited);
    assert_true(run_makespan(r) == 7658747);
}

static void fifo_of_one_vc(void **state)
{
    (void)state;
    char path[1024], cluster[64], label[64];
    bool there = run_shared(path, "data/philly/philly_vc_2869ce.csv");
    orr_trace *trace = there ? run_trace_file(path) : NULL;
    for (size_t i = 0; i < RUN_COUNT(checks); i++) {
        snprintf(label, sizeof label, "philly-2869ce fifo.%d", checks[i].gpus);
        if (!there) {
            golden_skipped(label, "no data outside the tree");
            continue;
        }
        snprintf(cluster, sizeof cluster, "nodes=%d,gpus=8", checks[i].gpus / 8);
        orr_cluster_spec *spec = run_cluster(cluster);
        run *r = run_policy(trace, spec, "fifo+first-fit", NULL);
        compare_check(r, &checks[i]);
        run_free(r);
        orr_cluster_spec_destroy(spec);
        golden_ran(label);
    }
    orr_trace_destroy(trace);
}

int main(void)
{
    char path[1024];
    if (!run_shared(path, ROOT "summary.csv")) {
        golden_skipped("helios", "no data outside the tree");
        const struct CMUnitTest alone[] = {cmocka_unit_test(fifo_of_one_vc)};
        return cmocka_run_group_tests(alone, NULL, NULL);
    }
    table *runs = table_read(path);
    golden_case *cases = orr_xcalloc(runs->count, sizeof *cases);
    struct CMUnitTest *tests = orr_xcalloc(runs->count + 1, sizeof *tests);
    for (size_t i = 0; i < runs->count; i++) {
        snprintf(cases[i].label, sizeof cases[i].label, "helios %s.%s.%s", table_text(runs, i, "case"),
                 table_text(runs, i, "policy"), table_text(runs, i, "placer"));
        tests[i] = (struct CMUnitTest){.name = cases[i].label, .test_func = run_row, .initial_state = &cases[i]};
    }
    tests[runs->count] = (struct CMUnitTest){.name = "fifo of one Philly VC", .test_func = fifo_of_one_vc};
    int failed = _cmocka_run_group_tests("helios", tests, runs->count + 1, NULL, NULL);
    free(tests);
    free(cases);
    table_free(runs);
    return failed;
}
