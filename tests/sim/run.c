#include "run.h"

#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct counted {
    char *reason;
    uint64_t count;
} counted;

struct run_own {
    orr_names *texts; /* shapes of allocations; jobs' ids are the trace's */
    orr_trace *trace; /* of run_of */
    orr_cluster_spec *cluster;
    char *resolved;
    ORR_VEC(run_hold) holds;
    ORR_VEC(counted) notes;
    uint32_t reported;
};

static _Noreturn void give_up(const char *what, const orr_error *e)
{
    char buf[2048];
    orr_error_format(e, buf, sizeof buf);
    fail_msg("%s: %s", what, buf);
    abort();
}

/* ---- inputs ---- */

/* Into `times`, which the job borrows. */
static void add_attempts(const run_job *given, orr_trace_job *job, orr_time times[RUN_COUNT(given->attempts)])
{
    uint32_t n = 0;
    orr_time sum = 0;
    for (; n < RUN_COUNT(given->attempts) && given->attempts[n] > 0; n++)
        sum += times[n] = orr_time_from_seconds(given->attempts[n]);
    if (n == 0)
        return;
    job->attempts = times;
    job->attempt_count = n;
    job->duration = sum;
}

static orr_trace_job job_of(const run_job *given)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = given->id;
    job.user = given->user;
    job.name = given->name;
    job.vc = given->vc;
    job.model = given->model;
    job.submit = orr_time_from_seconds(given->submit);
    job.duration = orr_time_from_seconds(given->duration);
    job.gpus = given->gpus;
    job.cpu_milli = INT64_C(1000) * given->cpus;
    job.mem_bytes = (int64_t)given->gib << 30;
    job.preemptible = !given->pinned;
    job.min_gpus = given->min_gpus ? given->min_gpus : given->gpus;
    job.max_gpus = given->max_gpus ? given->max_gpus : given->gpus;
    job.ending = given->ending;
    if (given->limit > 0)
        job.limit = orr_time_from_seconds(given->limit);
    if (given->deadline > 0)
        job.deadline = orr_time_from_seconds(given->deadline);
    return job;
}

orr_trace *run_trace(const run_job *jobs, size_t count)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("by hand");
    for (size_t i = 0; i < count; i++) {
        orr_time attempts[RUN_COUNT(jobs->attempts)];
        orr_trace_job job = job_of(&jobs[i]);
        add_attempts(&jobs[i], &job, attempts);
        if (orr_trace_add(trace, &job, &e))
            give_up("job by hand", &e);
    }
    if (orr_trace_finish(trace, &e))
        give_up("trace by hand", &e);
    return trace;
}

orr_trace *run_trace_file(const char *path)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_read(path, NULL, &e);
    if (!trace)
        give_up(path, &e);
    return trace;
}

/* "4@red/r0 …", one node after the other; NULL if the text isn't such a list. */
static orr_cluster_spec *cluster_of_nodes(const char *text, orr_error *e)
{
    orr_cluster_spec *cluster = orr_cluster_spec_create("by hand");
    for (int used = 0; *text; text += used) {
        char gpus[8] = "", vc[16] = "", rack[16] = "";
        orr_node_spec node = orr_node_spec_default();
        sscanf(text, "%7[0-9]%n", gpus, &used);
        sscanf(text + used, "@%15[a-z0-9]", vc);
        used += vc[0] ? (int)strlen(vc) + 1 : 0;
        sscanf(text + used, "/%15[a-z0-9]", rack);
        used += rack[0] ? (int)strlen(rack) + 1 : 0;
        used += text[used] == ' ';
        node.gpus = atoi(gpus);
        node.vc = vc;
        node.rack = rack;
        bool is_list = gpus[0] && (!text[used] || text[used - 1] == ' ');
        if (!is_list || orr_cluster_spec_add(cluster, &node, 1, e)) {
            orr_cluster_spec_destroy(cluster);
            return NULL;
        }
    }
    return cluster;
}

orr_cluster_spec *run_cluster(const char *text)
{
    orr_error e = {0};
    orr_cluster_spec *cluster = cluster_of_nodes(text, &e);
    if (!cluster && !e.code)
        cluster = orr_cluster_spec_load(text, NULL, &e);
    if (!cluster)
        give_up(text, &e);
    return cluster;
}

orr_trace *run_synth(const orr_synth_options *options)
{
    orr_error e = {0};
    orr_trace *trace = orr_synth(options, &e);
    if (!trace)
        give_up("synthetic trace", &e);
    return trace;
}

/* ---- the sink ---- */

/* The order in which a placer took its nodes says nothing. */
static int by_node(const void *a, const void *b)
{
    const orr_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static const char *keep_nodes(run *r, const orr_slice *slices, int32_t count)
{
    orr_text t = {0};
    orr_slice *sorted = orr_xcalloc((size_t)count + 1, sizeof *sorted);
    if (count)
        memcpy(sorted, slices, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_node);
    for (int32_t i = 0; i < count; i++)
        orr_text_addf(&t, "%s%d:%d", i ? ";" : "", sorted[i].node, __builtin_popcountll(sorted[i].gpus));
    const char *kept = orr_names_text(r->own->texts, orr_names_id(r->own->texts, t.n ? t.at : "", t.n));
    orr_text_fini(&t);
    free(sorted);
    return kept;
}

static void on_hold(void *self, const orr_hold *hold)
{
    run *r = self;
    uint32_t job = orr_job_index(hold->job);
    const char *nodes = keep_nodes(r, hold->slices, hold->slice_count);
    run_hold kept = {job, hold->start, hold->end, hold->overhead, hold->gpus, hold->reason, nodes};
    ORR_VEC_PUSH(&r->own->holds, kept);
    r->jobs[job].nodes = nodes;
}

static void on_job(void *self, const orr_job_record *record)
{
    run *r = self;
    run_record *job = &r->jobs[orr_job_index(record->job)];
    bool ended = record->state >= ORR_JOB_DONE && record->state <= ORR_JOB_KILLED;
    job->place = r->own->reported++;
    job->reported = true;
    job->state = record->state;
    job->submit = record->submit;
    job->first_start = record->first_start;
    job->end = record->end;
    job->held = record->held;
    job->wait_total = ended ? record->end - record->submit - record->held : ORR_TIME_NONE;
    job->service = record->service;
    job->overhead = record->overhead;
    job->starts = record->starts;
    job->preemptions = record->preemptions;
    job->migrations = record->migrations;
}

static void on_note(void *self, const char *reason, uint64_t count)
{
    run *r = self;
    counted note = {orr_xstrdup(reason), count};
    ORR_VEC_PUSH(&r->own->notes, note);
}

/* ---- running ---- */

static run *run_new(const orr_trace *trace)
{
    run *r = orr_xcalloc(1, sizeof *r);
    r->own = orr_xcalloc(1, sizeof *r->own);
    r->own->texts = orr_names_create();
    r->count = orr_trace_count(trace);
    r->jobs = orr_xcalloc(r->count, sizeof *r->jobs);
    for (size_t i = 0; i < r->count; i++) {
        r->jobs[i].id = orr_trace_jobs(trace)[i].id;
        r->jobs[i].submit = orr_trace_jobs(trace)[i].submit;
        r->jobs[i].first_start = r->jobs[i].end = r->jobs[i].wait_total = ORR_TIME_NONE;
        r->jobs[i].nodes = "";
    }
    return r;
}

static void keep_results(run *r, const orr_sim *sim)
{
    r->counts = orr_sim_count(sim);
    r->stop = orr_sim_stop(sim);
    orr_sim_knowledge(sim, r->used);
    r->own->resolved = orr_xstrdup(orr_sim_policy_resolved(sim));
    r->resolved = r->own->resolved;
    orr_sim_each_note(sim, on_note, r);
    r->holds = r->own->holds.at;
    r->hold_count = r->own->holds.n;
}

run *run_try(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy,
             const orr_sim_options *options)
{
    run *r = run_new(trace);
    orr_sim_options o = options ? *options : orr_sim_options_default();
    o.policy = policy;
    orr_sink sink = {.self = r, .job = on_job, .hold = on_hold};
    orr_sim *sim = orr_sim_create(trace, cluster, &o, &sink, &r->error);
    if (sim) {
        r->code = orr_sim_run(sim, &r->error);
        keep_results(r, sim);
        orr_sim_destroy(sim);
    } else {
        r->code = r->error.code;
    }
    return r;
}

run *run_policy(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy,
                const orr_sim_options *options)
{
    run *r = run_try(trace, cluster, policy, options);
    if (r->code)
        give_up(policy, &r->error);
    if (r->stop != ORR_STOP_DRAINED)
        fail_msg("%s: stopped as %s", policy, orr_stop_name(r->stop));
    return r;
}

run *run_of_with(const run_job *jobs, size_t count, const char *cluster, const char *policy,
                 const orr_sim_options *options)
{
    orr_trace *trace = run_trace(jobs, count);
    orr_cluster_spec *spec = run_cluster(cluster);
    run *r = run_policy(trace, spec, policy, options);
    r->own->trace = trace;
    r->own->cluster = spec;
    return r;
}

run *run_of(const run_job *jobs, size_t count, const char *cluster, const char *policy)
{
    return run_of_with(jobs, count, cluster, policy, NULL);
}

void run_free(run *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->own->notes.n; i++)
        free(r->own->notes.at[i].reason);
    ORR_VEC_FREE(&r->own->notes);
    ORR_VEC_FREE(&r->own->holds);
    orr_names_destroy(r->own->texts);
    orr_trace_destroy(r->own->trace);
    orr_cluster_spec_destroy(r->own->cluster);
    free(r->own->resolved);
    free(r->own);
    free(r->jobs);
    free(r);
}

/* ---- looking ---- */

static const run_record *find(const run *r, const char *id, size_t length)
{
    for (size_t i = 0; i < r->count; i++)
        if (strlen(r->jobs[i].id) == length && memcmp(r->jobs[i].id, id, length) == 0)
            return &r->jobs[i];
    fail_msg("no job %.*s", (int)length, id);
    return NULL;
}

const run_record *run_job_of(const run *r, const char *id)
{
    return find(r, id, strlen(id));
}

double run_end(const run *r, const char *id)
{
    return orr_time_seconds(run_job_of(r, id)->end);
}

double run_start(const run *r, const char *id)
{
    return orr_time_seconds(run_job_of(r, id)->first_start);
}

static double mean(const run *r, bool wait)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->jobs[i].wait_total == ORR_TIME_NONE)
            continue;
        sum += orr_time_seconds(wait ? r->jobs[i].wait_total : r->jobs[i].end - r->jobs[i].submit);
        n++;
    }
    return sum / (double)n;
}

double run_mean_jct(const run *r)
{
    return mean(r, false);
}

double run_mean_wait(const run *r)
{
    return mean(r, true);
}

double run_makespan(const run *r)
{
    orr_time last = r->count ? r->jobs[0].submit : 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->jobs[i].end != ORR_TIME_NONE && r->jobs[i].end > last)
            last = r->jobs[i].end;
    return r->count ? orr_time_seconds(last - r->jobs[0].submit) : 0;
}

uint64_t run_note(const run *r, const char *reason)
{
    for (size_t i = 0; i < r->own->notes.n; i++)
        if (strcmp(r->own->notes.at[i].reason, reason) == 0)
            return r->own->notes.at[i].count;
    return 0;
}

/* ---- claims ---- */

static void add_holds(const run *r, uint32_t job, orr_text *out)
{
    char from[ORR_TIME_BUF], to[ORR_TIME_BUF];
    bool first = true;
    for (size_t i = 0; i < r->hold_count; i++) {
        const run_hold *h = &r->holds[i];
        if (h->job != job)
            continue;
        orr_time_format(h->start, from);
        orr_time_format(h->end, to);
        orr_text_addf(out, "%s%s-%s@%s", first ? "" : " ", from, to, h->nodes);
        first = false;
    }
    orr_text_add(out, "", 0);
}

void run_print(const run *r)
{
    printf("%s\n", r->resolved ? r->resolved : "(no policy)");
    for (size_t i = 0; i < r->count; i++) {
        char submit[ORR_TIME_BUF], end[ORR_TIME_BUF];
        orr_text holds = {0};
        orr_time_format(r->jobs[i].submit, submit);
        orr_time_format(r->jobs[i].end, end);
        add_holds(r, (uint32_t)i, &holds);
        printf("%-8s submit %s end %s preempted %d: %s\n", r->jobs[i].id, submit, end, r->jobs[i].preemptions,
               holds.n ? holds.at : "");
        orr_text_fini(&holds);
    }
}

static _Noreturn void differ(const run *r, const char *what, const char *id, const char *is, const char *wanted)
{
    run_print(r);
    fail_msg("%s of %s is %s, should be %s", what, id, is, wanted);
    abort();
}

/* The next "ID:VALUE"; false at the end. */
static bool next_pair(const char **at, char id[64], char value[64])
{
    int used = 0;
    if (sscanf(*at, " %63[^: ]:%63[^ ]%n", id, value, &used) < 2)
        return false;
    *at += used;
    return true;
}

static void times(const run *r, const char *what, const char *expected, bool end)
{
    char id[64], value[64], is[ORR_TIME_BUF];
    while (next_pair(&expected, id, value)) {
        const run_record *job = run_job_of(r, id);
        orr_time_format(end ? job->end : job->first_start, is);
        if (strcmp(is, value) != 0)
            differ(r, what, id, is[0] ? is : "never", value);
    }
}

void run_ends(const run *r, const char *expected)
{
    times(r, "end", expected, true);
}

void run_starts(const run *r, const char *expected)
{
    times(r, "start", expected, false);
}

void run_preempted(const run *r, const char *expected)
{
    for (size_t i = 0; i < r->count; i++) {
        char id[64], value[64], is[32], wanted[64] = "0";
        for (const char *at = expected; next_pair(&at, id, value);)
            if (strcmp(id, r->jobs[i].id) == 0)
                memcpy(wanted, value, sizeof wanted);
        snprintf(is, sizeof is, "%d", r->jobs[i].preemptions);
        if (strcmp(is, wanted) != 0)
            differ(r, "preemptions", r->jobs[i].id, is, wanted);
    }
}

void run_held(const run *r, const char *id, const char *expected)
{
    orr_text is = {0};
    add_holds(r, (uint32_t)(run_job_of(r, id) - r->jobs), &is);
    bool same = strcmp(is.n ? is.at : "", expected) == 0;
    if (!same)
        differ(r, "holds", id, is.n ? is.at : "", expected);
    orr_text_fini(&is);
}

bool run_shared(char path[1024], const char *name)
{
    const char *root = getenv("ORRERY_SHARED");
    if (root && root[0])
        snprintf(path, 1024, "%s/%s", root, name);
    else
        snprintf(path, 1024, "%s/../shared/%s", ORR_SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f != NULL;
}
