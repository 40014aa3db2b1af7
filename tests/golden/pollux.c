#define _POSIX_C_SOURCE 200809L
#include "pollux.h"

#include "base/mem.h"
#include "run.h"
#include "trace/store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOT "golden/pollux/"

struct pollux_world {
    orr_applications *applications;
    orr_cluster_spec *cluster;
};

/* What a run's jobs borrow their names from. */
struct pollux_own {
    orr_trace *trace;
};

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* Their tables, and what they set by hand: ncf never has more than one GPU. From a file in the working folder. */
static orr_applications *read_tables(const char *root, int length)
{
    char path[64], text[1200];
    orr_error e = {0};
    snprintf(path, sizeof path, "pollux-%ld.yaml", (long)getpid()); /* tests run side by side */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "schema: orrery.applications/1\ntables: %.*s/inputs/traces\n", length, root);
    fprintf(file, "applications:\n  - {model: ncf, most_gpus: 1}\n");
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "%s,work=own,epochs=whole,mesh=%.*s/unit", path, length, root);
    orr_applications *all = orr_applications_load(text, &e);
    if (!all)
        fail_msg("%s: %s", text, e.message);
    remove(path);
    return all;
}

pollux_world *pollux_open(void)
{
    char readme[1024];
    if (!run_shared(readme, ROOT "README.md"))
        return NULL;
    pollux_world *w = orr_xcalloc(1, sizeof *w);
    w->applications = read_tables(readme, (int)(strlen(readme) - strlen("/README.md")));
    w->cluster = run_cluster("nodes=16,gpus=4");
    return w;
}

void pollux_close(pollux_world *w)
{
    if (!w)
        return;
    orr_applications_destroy(w->applications);
    orr_cluster_spec_destroy(w->cluster);
    free(w);
}

static bool find_workload(const pollux_case *c, char path[1024])
{
    char name[128];
    const bool plain = strcmp(c->load, "1.0") == 0;
    snprintf(name, sizeof name, ROOT "inputs/workloads%s%s/workload-%d.csv", plain ? "" : "-", plain ? "" : c->load,
             c->workload);
    return run_shared(path, name);
}

bool pollux_has(const pollux_case *c)
{
    char path[1024];
    return find_workload(c, path);
}

/* How long they take follows from the tables: any length will do, the greater, the finer are parts of it. Ids that
 * begin with the row keep those submitted in one second in the order of the file. */
static void add_job(orr_trace *trace, const table *t, size_t row)
{
    char id[128];
    orr_error e = {0};
    orr_trace_job job = orr_trace_job_default();
    snprintf(id, sizeof id, "%04zu:%s", row, table_text(t, row, "name"));
    const char *const attributes[] = {table_text(t, row, "batch_size")};
    job.id = id;
    job.model = table_text(t, row, "application");
    job.gpus = (int32_t)table_number(t, row, "num_replicas");
    job.submit = table_number(t, row, "time") * ORR_SECOND;
    job.duration = 1000000 * ORR_SECOND;
    job.attributes = attributes;
    if (orr_trace_add(trace, &job, &e))
        fail_msg("%s", e.message);
}

static orr_trace *read_workload(const pollux_case *c)
{
    char path[1024];
    orr_error e = {0};
    if (!find_workload(c, path))
        fail_msg("%s: no such file", path);
    table *t = table_read(path);
    orr_trace *trace = orr_trace_create("pollux");
    orr_trace_attribute_named(trace, "batch_size");
    for (size_t i = 0; i < t->count && (!c->limit || i < c->limit); i++)
        add_job(trace, t, i);
    if (orr_trace_finish(trace, &e))
        fail_msg("%s: %s", path, e.message);
    table_free(t);
    return trace;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static void on_job(void *self, const orr_job_record *record)
{
    pollux_run *r = self;
    pollux_job *job = &r->jobs[record->trace->row];
    const bool ended = record->end != ORR_TIME_NONE;
    job->name = strchr(record->trace->id, ':') + 1;
    job->submit = record->submit / ORR_SECOND;
    job->end = ended ? orr_time_seconds(record->end) : NAN;
    job->jct = ended ? llround(job->end - (double)job->submit) : -1;
    job->starts = record->starts;
    job->changes = record->resizes + record->migrations;
}

/* Ends of jobs that lie between two seconds count as the nearest, as their epochs do. */
static void add_up(pollux_run *r)
{
    for (size_t i = 0; i < r->count; i++) {
        r->mean += (double)r->jobs[i].jct / (double)r->count;
        r->makespan = fmax(r->makespan, (double)(r->jobs[i].submit + r->jobs[i].jct));
    }
}

pollux_run *pollux_go(const pollux_world *w, const pollux_case *c)
{
    orr_error e = {0};
    pollux_run *r = orr_xcalloc(1, sizeof *r);
    r->own = orr_xcalloc(1, sizeof *r->own);
    r->own->trace = read_workload(c);
    r->count = orr_trace_count(r->own->trace);
    r->jobs = orr_xcalloc(r->count, sizeof *r->jobs);
    const orr_sink sink = {.self = r, .job = on_job};
    orr_sim_options options = orr_sim_options_default();
    options.policy = c->policy;
    options.costs = c->costs ? c->costs : "pollux";
    options.seed = c->seed ? c->seed : options.seed;
    options.applications = w->applications;
    orr_sim *sim = orr_sim_create(r->own->trace, w->cluster, &options, &sink, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s, load %s, workload %d: %s", c->policy, c->load, c->workload, e.message);
    r->decisions = orr_sim_count(sim).decisions;
    orr_sim_destroy(sim);
    add_up(r);
    return r;
}

void pollux_run_free(pollux_run *r)
{
    orr_trace_destroy(r->own->trace);
    free(r->own);
    free(r->jobs);
    free(r);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

pollux_shipped *pollux_shipped_read(const char *experiment)
{
    char name[128], path[1024];
    snprintf(name, sizeof name, ROOT "shipped/jct-%s.csv.gz", experiment);
    if (!run_shared(path, name))
        fail_msg("%s: no such file", path);
    return table_read(path);
}

static bool is_of(const pollux_shipped *s, size_t row, int32_t workload)
{
    char name[32];
    snprintf(name, sizeof name, "workload-%d", workload);
    return strcmp(table_text(s, row, "workload"), name) == 0;
}

double pollux_shipped_mean(const pollux_shipped *s, int32_t workload)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (is_of(s, i, workload)) {
            sum += (double)table_number(s, i, "jct_s");
            n++;
        }
    assert_true(n > 0);
    return sum / (double)n;
}

static const pollux_job *ours_of(const pollux_run *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) /* some hundred */
        if (strcmp(r->jobs[i].name, name) == 0)
            return &r->jobs[i];
    fail_msg("no job %s in the workload", name);
    return NULL;
}

size_t pollux_differ(const char *label, const pollux_run *r, const pollux_shipped *s, int32_t workload)
{
    size_t differ = 0, seen = 0;
    int64_t first_end = INT64_MAX, theirs = 0;
    const pollux_job *first = NULL;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_of(s, i, workload))
            continue;
        const pollux_job *ours = ours_of(r, table_text(s, i, "name"));
        const int64_t jct = table_number(s, i, "jct_s");
        seen++;
        if (ours->jct == jct)
            continue;
        differ++;
        const int64_t end = ours->submit + (ours->jct < jct && ours->jct >= 0 ? ours->jct : jct);
        if (end < first_end) {
            first_end = end;
            first = ours;
            theirs = jct;
        }
    }
    assert_int_equal(seen, r->count);
    if (first)
        printf("%s: %zu of %zu jobs differ; %s, submitted at %lld, ends at %.9f, after %lld s instead of %lld\n", label,
               differ, seen, first->name, (long long)first->submit, first->end, (long long)first->jct,
               (long long)theirs);
    return differ;
}
