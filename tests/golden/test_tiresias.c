/* The public Tiresias simulator's results, job by job, where they are: every run in which it completed all jobs. Two
 * runs meet a bug of that simulator, which ends a job before its work is done; there the claim is that ours is the same
 * until then. */
#include "compare.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "golden/tiresias/"

typedef struct row {
    golden_case c;
    char trace[64], cluster[64], schedule[64], scheme[32];
    int64_t jobs, done;
} row;

/* Runs with the bug, and the job that is cut short. */
static const struct {
    const char *label, *job;
} cut_short[] = {
    {"tiresias philly200.n14g8.dlas-gpu-05.count", "107"},
    {"tiresias philly200.n14g8.dlas-gpu-1.count", "191"},
};

/* The end of the named job in the reference, which must have run less than its duration; no other job has. */
static orr_time early_end(const golden_case *c, const char *job, int64_t *missing)
{
    table *theirs = table_read(c->expected);
    orr_time end = ORR_TIME_NONE;
    *missing = 0;
    for (size_t i = 0; i < theirs->count; i++) {
        int64_t ran = table_number(theirs, i, "jct") - table_number(theirs, i, "pending");
        int64_t lacks = table_number(theirs, i, "duration") - ran;
        if (strcmp(table_text(theirs, i, "job_id"), job) == 0) {
            end = table_number(theirs, i, "end") * ORR_SECOND;
            *missing = lacks;
        } else {
            assert_int_equal(lacks, 0);
        }
    }
    assert_true(*missing > 0 && end != ORR_TIME_NONE);
    table_free(theirs);
    return end;
}

static void differs_from_the_bug_on(const golden_case *c, const char *job)
{
    orr_time first;
    int64_t missing;
    char reason[128];
    orr_time early = early_end(c, job, &missing);
    assert_true(golden_tiresias_differ(c, &first) > 0);
    assert_true(first >= early);
    snprintf(reason, sizeof reason, "the reference ends job %s with %lld s of its work left; equal until then", job,
             (long long)missing);
    golden_skipped(c->label, reason);
}

static bool find_inputs(row *one)
{
    char path[256];
    snprintf(path, sizeof path, ROOT "inputs/%s.csv", one->trace);
    if (!run_shared(one->c.trace, path)) {
        snprintf(path, sizeof path, ROOT "inputs/%s.csv.gz", one->trace);
        if (!run_shared(one->c.trace, path))
            return false;
    }
    snprintf(path, sizeof path, ROOT "inputs/cluster.%s.csv", one->cluster);
    if (!run_shared(one->c.cluster, path))
        return false;
    snprintf(path, sizeof path, ROOT "results/%s.%s.%s.%s.csv.gz", one->trace, one->cluster, one->schedule,
             one->scheme);
    return run_shared(one->c.expected, path);
}

static void run_row(void **state)
{
    row *one = *state;
    golden_case *c = &one->c;
    char samples[1024], reason[128];
    const char *why;
    orr_time first;
    if (one->done != one->jobs) {
        snprintf(reason, sizeof reason, "the reference completed %lld of %lld jobs", (long long)one->done,
                 (long long)one->jobs);
        golden_skipped(c->label, reason);
        return;
    }
    run_shared(samples, ROOT "inputs/yarn-gput1000.csv");
    if (!golden_tiresias_policy(one->schedule, one->scheme, samples, c, &why)) {
        golden_skipped(c->label, why);
        return;
    }
    assert_true(find_inputs(one));
    for (size_t i = 0; i < RUN_COUNT(cut_short); i++) {
        if (strcmp(c->label, cut_short[i].label) == 0) {
            differs_from_the_bug_on(c, cut_short[i].job);
            return;
        }
    }
    assert_int_equal(golden_tiresias_differ(c, &first), 0);
    golden_ran(c->label);
}

static void read_row(const table *runs, size_t i, row *out)
{
    snprintf(out->trace, sizeof out->trace, "%s", table_text(runs, i, "trace"));
    snprintf(out->cluster, sizeof out->cluster, "%s", table_text(runs, i, "cluster"));
    snprintf(out->schedule, sizeof out->schedule, "%s", table_text(runs, i, "schedule"));
    snprintf(out->scheme, sizeof out->scheme, "%s", table_text(runs, i, "scheme"));
    snprintf(out->c.label, sizeof out->c.label, "tiresias %s.%s.%s.%s", table_text(runs, i, "trace"),
             table_text(runs, i, "cluster"), table_text(runs, i, "schedule"), table_text(runs, i, "scheme"));
    out->jobs = table_number(runs, i, "jobs_in");
    out->done = table_number(runs, i, "jobs_done");
}

int main(void)
{
    char path[1024];
    if (!run_shared(path, ROOT "summary.csv")) {
        golden_skipped("tiresias", "no data outside the tree");
        return 0;
    }
    table *runs = table_read(path);
    row *rows = orr_xcalloc(runs->count, sizeof *rows);
    struct CMUnitTest *tests = orr_xcalloc(runs->count, sizeof *tests);
    for (size_t i = 0; i < runs->count; i++) {
        read_row(runs, i, &rows[i]);
        tests[i] = (struct CMUnitTest){.name = rows[i].c.label, .test_func = run_row, .initial_state = &rows[i]};
    }
    int failed = _cmocka_run_group_tests("tiresias", tests, runs->count, NULL, NULL);
    free(tests);
    free(rows);
    table_free(runs);
    return failed;
}
