/* The public Alibaba PAI simulator's results where they are: FIFO, SJF and SJF by a group's mean duration, all
 * skipping what doesn't fit; starts, ends and nodes of every record.
 *
 * The gangs of whole GPUs are the same jobs here. Its fractions aren't: it counts the GPUs of a node as one pool of
 * percents, so that 0.6 + 0.6 + 0.8 fit on two GPUs, where ours are parts of devices. A pool is a ledger, though, and
 * so the runs are repeated exactly with jobs without GPUs, whose memory is the percents that they ask. As parts of
 * GPUs the same jobs wait longer, for fragmentation; how much is stated. On two nodes by least use it orders nodes by
 * the mean use of both ledgers, which is no placer here: that run is left out. */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "golden/pai/"

typedef enum jobs_as { GANGS, LEDGERS, PARTS } jobs_as;

typedef struct pai_case {
    const char *trace, *theirs; /* results/THEIRS.csv.gz */
    const char *policy;
    int32_t nodes, gpus, cpus;
} pai_case;

static const pai_case gangs[] = {
    {"philly200gang", "philly200gang.fifo.node_id.n14",
     "fifo,hol=skip,ties=submit+consolidate,pick=first,rest=first", 14, 8, 96},
    {"philly200gang", "philly200gang.sjf.least_utilised.n14",
     "sjf,hol=skip,ties=submit+consolidate,pick=emptiest,rest=first", 14, 8, 96},
    {"philly200gang", "philly200gang.sjgg.least_utilised.n14",
     "sjf,hol=skip,ties=submit+consolidate,pick=emptiest,rest=first~limit", 14, 8, 96},
};

static const pai_case ledgers[] = {
    {"openb300", "openb300.fifo.node_id.n1", "fifo,hol=skip,ties=submit", 1, 8, 96},
    {"openb300", "openb300.fifo.least_utilised.n1", "fifo,hol=skip,ties=submit", 1, 8, 96},
    {"openb300", "openb300.sjf.least_utilised.n1", "sjf,hol=skip,ties=submit", 1, 8, 96},
    {"openb300", "openb300.fifo.node_id.one6c60", "fifo,hol=skip,ties=submit", 1, 6, 60},
    {"openb1000", "openb1000.fifo.node_id.n2", "fifo,hol=skip,ties=submit", 2, 8, 96},
};

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* A request in percent, cut down to what the cluster has. */
static int64_t percent(const table *t, size_t row, const char *column, int64_t all)
{
    int64_t n = llrint(100 * atof(table_text(t, row, column)));
    return n < 100 * all ? n : 100 * all;
}

static void ask(orr_trace_job *job, const table *t, size_t row, const pai_case *c, jobs_as form)
{
    int64_t gpus = percent(t, row, "num_gpu", (int64_t)c->gpus * c->nodes);
    int64_t cpus = percent(t, row, "num_cpu", (int64_t)c->cpus * c->nodes), n = table_number(t, row, "num_inst");
    job->cpu_milli = 10 * cpus * n;
    job->gpus = (int32_t)(form == LEDGERS ? 0 : (gpus + 99) / 100 * n);
    job->gpu_milli = form == PARTS && gpus % 100 ? (int32_t)(10 * gpus) : 1000;
    job->mem_bytes = form == LEDGERS ? gpus : 0;
}

static orr_trace *make_trace(const pai_case *c, jobs_as form)
{
    char name[128], path[1024];
    orr_error e = {0};
    snprintf(name, sizeof name, ROOT "inputs/%s.csv", c->trace);
    assert_true(run_shared(path, name));
    table *t = table_read(path);
    orr_trace *trace = orr_trace_create(c->trace);
    for (size_t i = 0; i < t->count; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = table_text(t, i, "job_id");
        job.submit = table_number(t, i, "submit_time") * ORR_SECOND;
        job.duration = table_number(t, i, "duration") * ORR_SECOND;
        if (table_has(t, "group_gpu_dur"))
            job.limit = table_number(t, i, "group_gpu_dur") * ORR_SECOND;
        ask(&job, t, i, c, form);
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    table_free(t);
    return trace;
}

static orr_cluster_spec *make_cluster(const pai_case *c, jobs_as form)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("pai");
    orr_node_spec node = orr_node_spec_default();
    orr_error e = {0};
    node.gpus = c->gpus;
    node.cpus = c->cpus;
    node.mem_bytes = form == LEDGERS ? INT64_C(100) * c->gpus : 0;
    assert_int_equal(orr_cluster_spec_add(spec, &node, c->nodes, &e), ORR_OK);
    return spec;
}

static run *run_as(const pai_case *c, jobs_as form, orr_trace **trace, orr_cluster_spec **cluster)
{
    *trace = make_trace(c, form);
    *cluster = make_cluster(c, form);
    return run_policy(*trace, *cluster, c->policy, NULL);
}

static table *results(const pai_case *c)
{
    char name[128], path[1024];
    snprintf(name, sizeof name, ROOT "results/%s.csv.gz", c->theirs);
    assert_true(run_shared(path, name));
    return table_read(path);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Is the record's node among ours: "0:8;3:8"? With one node it may have any number. */
static bool on_node(const run_record *ours, int64_t node, int32_t nodes)
{
    for (const char *at = ours->nodes; *at; at += *at == ';') {
        if (atoll(at) == node || nodes == 1)
            return true;
        at += strcspn(at, ";");
    }
    return false;
}

static size_t differ(const pai_case *c, const run *r)
{
    table *theirs = results(c);
    size_t n = 0;
    for (size_t i = 0; i < theirs->count; i++) {
        const run_record *ours = run_job_of(r, table_text(theirs, i, "job_id"));
        orr_time start = table_number(theirs, i, "start") * ORR_SECOND;
        orr_time end = table_number(theirs, i, "end") * ORR_SECOND;
        if (ours->first_start == start && ours->end == end && on_node(ours, table_number(theirs, i, "node"), c->nodes))
            continue;
        if (n++ == 0)
            printf("%s: job %s is %.9g..%.9g on %s, should be %.9g..%.9g on %s\n", c->theirs, ours->id,
                   orr_time_seconds(ours->first_start), orr_time_seconds(ours->end), ours->nodes,
                   orr_time_seconds(start), orr_time_seconds(end), table_text(theirs, i, "node"));
    }
    table_free(theirs);
    return n;
}

static void exactly(const pai_case *c, jobs_as form)
{
    orr_trace *trace;
    orr_cluster_spec *cluster;
    char label[128];
    run *r = run_as(c, form, &trace, &cluster);
    snprintf(label, sizeof label, "pai %s", c->theirs);
    assert_int_equal(differ(c, r), 0);
    golden_ran(label);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

static void gangs_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_COUNT(gangs); i++)
        exactly(&gangs[i], GANGS);
}

static void pools_as_ledgers_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_COUNT(ledgers); i++)
        exactly(&ledgers[i], LEDGERS);
    golden_skipped("pai openb1000.sjf.least_utilised.n2", "no placer goes by the mean use of two ledgers");
}

/* Mean JCT as parts of devices over theirs as percents of pools. */
static void parts_of_devices_wait_longer(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_COUNT(ledgers); i++) {
        orr_trace *trace;
        orr_cluster_spec *cluster;
        run *r = run_as(&ledgers[i], PARTS, &trace, &cluster);
        table *theirs = results(&ledgers[i]);
        double sum = 0;
        for (size_t k = 0; k < theirs->count; k++)
            sum += (double)table_number(theirs, k, "jct");
        double ratio = run_mean_jct(r) / (sum / (double)theirs->count);
        printf("%s: mean JCT as parts of devices is %.4f of theirs\n", ledgers[i].theirs, ratio);
        assert_true(ratio >= 1 && ratio < 1.1);
        table_free(theirs);
        run_free(r);
        orr_cluster_spec_destroy(cluster);
        orr_trace_destroy(trace);
    }
}

int main(void)
{
    char path[1024];
    if (!run_shared(path, ROOT "summary.csv")) {
        golden_skipped("pai", "no data outside the tree");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gangs_are_the_same),
        cmocka_unit_test(pools_as_ledgers_are_the_same),
        cmocka_unit_test(parts_of_devices_wait_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
