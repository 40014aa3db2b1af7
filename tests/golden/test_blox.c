/* The public Blox simulator's results, job by job, where they are: Fifo, Las and Srtf under preset `blox`. That
 * simulator sees ends at the end of a round, so ends are compared by the round they lie in. Its first 60 jobs are
 * tracked; the others are there to compete. */
#include "compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "golden/blox/"
#define ROUND 300

static const char *const policies[][2] = {{"Fifo", "fifo:blox"}, {"Las", "las:blox"}, {"Srtf", "srtf:blox"}};

static orr_trace *make_trace(void)
{
    char path[1024];
    orr_error e = {0};
    assert_true(run_shared(path, ROOT "trace.csv"));
    table *t = table_read(path);
    orr_trace *trace = orr_trace_create("blox");
    for (size_t i = 0; i < t->count; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = table_text(t, i, "job_id");
        job.gpus = (int32_t)table_number(t, i, "num_gpu");
        job.submit = table_number(t, i, "submit_s") * ORR_SECOND;
        job.duration = table_number(t, i, "iterations") * table_number(t, i, "iter_time_s") * ORR_SECOND;
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    table_free(t);
    return trace;
}

static size_t differ(const run *r, const char *label, const char *path)
{
    table *theirs = table_read(path);
    size_t n = 0;
    assert_int_equal(theirs->count, 60);
    for (size_t i = 0; i < theirs->count; i++) {
        const char *id = table_text(theirs, i, "job_id");
        orr_time end = orr_time_ceil(run_job_of(r, id)->end, ROUND * ORR_SECOND) / ORR_SECOND;
        if (end != table_number(theirs, i, "finish_s") && n++ == 0)
            printf("%s: job %s ends at %lld, should be %s\n", label, id, (long long)end,
                   table_text(theirs, i, "finish_s"));
    }
    table_free(theirs);
    return n;
}

static void every_end_is_the_same(void **state)
{
    (void)state;
    orr_trace *trace = make_trace();
    orr_cluster_spec *cluster = run_cluster("nodes=8,gpus=4");
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        char name[64], path[1024], label[64];
        snprintf(label, sizeof label, "blox %s", policies[i][0]);
        snprintf(name, sizeof name, ROOT "%s.csv", policies[i][0]);
        assert_true(run_shared(path, name));
        run *r = run_policy(trace, cluster, policies[i][1], NULL);
        assert_int_equal(differ(r, label, path), 0);
        golden_ran(label);
        run_free(r);
    }
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

int main(void)
{
    char path[1024];
    if (!run_shared(path, ROOT "summary.csv")) {
        golden_skipped("blox", "no data outside the tree");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_end_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
