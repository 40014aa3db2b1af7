/* summary.json: the answers of one run, with all that must be known to read them. Keys come in the order written. */
#include "base/mem.h"
#include "report/json.h"

#include <stdio.h>

static void add_trace(cJSON *document, const orr_trace *trace)
{
    cJSON *object = orr_json_object(document, "trace");
    orr_json_text(object, "name", orr_trace_name(trace));
    orr_json_text(object, "format", orr_trace_format(trace));
    orr_json_text(object, "digest", orr_trace_digest(trace));
    orr_json_text(object, "origin", orr_trace_origin(trace));
    orr_json_count(object, "jobs", orr_trace_count(trace));
    orr_json_count(object, "rows_read", orr_trace_rows_read(trace));
    cJSON *dropped = orr_json_object(object, "dropped");
    const orr_note *notes;
    size_t n = orr_trace_notes(trace, &notes);
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind == ORR_NOTE_DROP)
            orr_json_add_count(dropped, notes[i].reason, notes[i].count);
}

static void add_cluster(cJSON *document, const orr_report_run *run)
{
    cJSON *object = orr_json_object(document, "cluster");
    const orr_cluster_spec *cluster = run->cluster;
    orr_json_text(object, "name", orr_cluster_spec_name(cluster));
    orr_json_text(object, "digest", orr_cluster_spec_digest(cluster));
    orr_json_count(object, "nodes", (uint64_t)orr_cluster_spec_nodes(cluster));
    orr_json_count(object, "gpus", (uint64_t)orr_cluster_spec_gpus(cluster));
    orr_json_count(object, "vcs", (uint64_t)orr_cluster_spec_vcs(cluster));
}

static void add_setup(cJSON *document, const orr_report_run *run)
{
    orr_json_count(document, "seed", run->options->seed);
    orr_json_text(document, "clock", run->options->clock ? run->options->clock : "exact");
    orr_json_text(document, "costs", run->costs_resolved ? run->costs_resolved : "none");
}

static void add_measured(cJSON *parent, const orr_metrics *m)
{
    char rule[ORR_MEASURE_BUF];
    orr_measure_format(&m->measure, rule);
    cJSON *object = orr_json_object(parent, "measured");
    orr_json_text(object, "rule", rule);
    orr_json_count(object, "n", m->measured);
    orr_json_bool(object, "biased", m->biased);
}

static cJSON *add_jobs(cJSON *parent, const orr_job_counts *jobs)
{
    cJSON *object = orr_json_object(parent, "jobs");
    orr_json_count(object, "submitted", jobs->submitted);
    orr_json_count(object, "completed", jobs->done);
    orr_json_count(object, "failed", jobs->failed);
    orr_json_count(object, "killed", jobs->killed);
    orr_json_count(object, "rejected", jobs->rejected);
    orr_json_count(object, "running_at_end", jobs->running_at_end);
    orr_json_count(object, "queued_at_end", jobs->queued_at_end);
    orr_json_count(object, "censored", jobs->censored);
    orr_json_count(object, "carried", jobs->carried);
    return object;
}

/* What the simulation alone knows: who never came, and what became of those that ran at the beginning. */
static void add_sim_jobs(cJSON *object, const orr_sim_counts *c)
{
    orr_json_count(object, "pending", c->pending);
    orr_json_count(object, "resumed", c->resumed);
    orr_json_count(object, "displaced", c->displaced);
}

/* "jct.mean" becomes a member of the object "jct"; `measured` and the counts of jobs have their own places. */
static void add_metric(void *self, const char *key, double value, const char *unit)
{
    cJSON *metrics = self;
    (void)unit;
    if (strcmp(key, "measured") == 0 || strncmp(key, "jobs.", 5) == 0)
        return;
    const char *dot = strncmp(key, "load:", 5) == 0 ? NULL : strchr(key, '.');
    if (!dot) {
        orr_json_double(metrics, key, value);
        return;
    }
    char head[64];
    snprintf(head, sizeof head, "%.*s", (int)(dot - key), key);
    cJSON *group = cJSON_GetObjectItemCaseSensitive(metrics, head);
    orr_json_double(group ? group : orr_json_object(metrics, head), dot + 1, value);
}

static void add_batches(cJSON *service, const orr_report_service *s)
{
    cJSON *sizes = orr_json_object(service, "batch_sizes");
    for (size_t i = 0; i < s->batch_count; i++) {
        char size[16];
        snprintf(size, sizeof size, "%d", s->batches[i].size);
        orr_json_count(sizes, size, s->batches[i].count);
    }
}

/* What was served, by which modules, and what came of each service; of all together it stands among the metrics. */
static void add_serving(cJSON *document, const orr_report_run *run)
{
    const orr_services *all = run->options->services;
    if (!all)
        return;
    cJSON *object = orr_json_object(document, "serving");
    if (run->label)
        orr_json_text(object, "label", run->label);
    orr_json_text(object, "asked", run->options->serve ? run->options->serve : "none");
    orr_json_text(object, "resolved", run->serve_resolved && run->serve_resolved[0] ? run->serve_resolved : "none");
    orr_json_text(object, "name", all->name);
    orr_json_text(object, "digest", all->digest);
    orr_json_double(object, "warm_up", orr_time_seconds(all->warm_up));
    cJSON *services = orr_json_object(object, "services");
    for (size_t i = 0; i < run->service_count; i++) {
        cJSON *service = orr_json_object(services, run->services[i].name);
        cJSON *metrics = orr_json_object(service, "metrics");
        orr_serving_metrics_each(&run->services[i].metrics, add_metric, metrics);
        add_batches(service, &run->services[i]);
    }
}

static cJSON *add_metrics(cJSON *parent, const orr_metrics *m)
{
    cJSON *object = orr_json_object(parent, "metrics");
    orr_metrics_each(m, add_metric, object);
    return object;
}

/* What is a key has its place already. */
static void add_custom(cJSON *metrics, const orr_report_run *run)
{
    cJSON *object = NULL;
    for (size_t i = 0; i < run->custom_count; i++) {
        const orr_custom *c = &run->custom[i];
        if (orr_expr_is_key(c->expr))
            continue;
        object = object ? object : orr_json_object(metrics, "custom");
        orr_json_double(object, orr_expr_text(c->expr), c->value);
    }
}

static void add_counts(cJSON *document, const orr_sim_counts *c)
{
    cJSON *object = orr_json_object(document, "counts");
    orr_json_count(object, "events", c->events);
    orr_json_count(object, "instants", c->instants);
    orr_json_count(object, "decisions", c->decisions);
    orr_json_count(object, "commits", c->commits);
    orr_json_count(object, "violations", c->violations);
    orr_json_count(object, "ties", c->ties);
    orr_json_count(object, "retries", c->retries);
    orr_json_count(object, "reshares", c->reshares);
    orr_json_count(object, "interruptions", c->interruptions);
    orr_json_count(object, "speed_changes", c->speed_changes);
    orr_json_count(object, "queue_compares", c->queue_compares);
    orr_json_count(object, "jobs_examined", c->jobs_examined);
    orr_json_count(object, "nodes_examined", c->nodes_examined);
}

static void add_vcs(cJSON *document, const orr_report_run *run)
{
    if (run->metrics_count < 2)
        return;
    cJSON *vcs = orr_json_object(document, "vcs");
    for (size_t i = 1; i < run->metrics_count; i++) {
        const orr_metrics *m = &run->metrics[i];
        cJSON *vc = orr_json_object(vcs, orr_cluster_spec_vc(run->cluster, (int32_t)i - 1));
        add_measured(vc, m);
        add_jobs(vc, &m->jobs);
        add_metrics(vc, m);
    }
}

static void add_warnings(cJSON *document, const orr_report_run *run)
{
    cJSON *warnings = orr_json_object(document, "warnings");
    const orr_note *notes;
    size_t n = orr_trace_notes(run->trace, &notes);
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind != ORR_NOTE_DROP)
            orr_json_add_count(warnings, notes[i].reason, notes[i].count);
    for (size_t i = 0; i < run->warning_count; i++)
        orr_json_add_count(warnings, run->warnings[i].name, run->warnings[i].count);
}

static void add_notes(cJSON *document, const orr_report_run *run)
{
    cJSON *notes = orr_json_object(document, "notes");
    for (size_t i = 0; i < run->note_count; i++)
        orr_json_add_count(notes, run->notes[i].name, run->notes[i].count);
}

/* Every job that came is in exactly one of the states, and the simulation counted the same. */
static orr_err check_jobs(const orr_report_run *run, orr_error *e)
{
    const orr_job_counts *j = &run->metrics[0].jobs;
    uint64_t told = j->done + j->failed + j->killed + j->rejected + j->running_at_end + j->queued_at_end;
    if (told == j->submitted && j->submitted == run->counts.submitted)
        return ORR_OK;
    return orr_error_set(e, ORR_E_INVARIANT, "jobs don't add up: %llu submitted, %llu reported, %llu in some state",
                         (unsigned long long)run->counts.submitted, (unsigned long long)j->submitted,
                         (unsigned long long)told);
}

orr_err orr_summary_json(const orr_report_run *run, bool pretty, orr_text *out, orr_error *e)
{
    orr_err err = check_jobs(run, e);
    if (err)
        return err;
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.summary/1");
    orr_json_policy(document, run);
    if (!run->without_jobs)
        add_trace(document, run->trace);
    add_cluster(document, run);
    add_setup(document, run);
    orr_json_stop(document, run);
    if (!run->without_jobs) {
        add_measured(document, &run->metrics[0]);
        add_sim_jobs(add_jobs(document, &run->metrics[0].jobs), &run->counts);
    }
    add_custom(add_metrics(document, &run->metrics[0]), run);
    add_serving(document, run);
    orr_json_knowledge(document, run);
    add_counts(document, &run->counts);
    add_vcs(document, run);
    add_warnings(document, run);
    add_notes(document, run);
    return orr_json_print(document, pretty, out, e);
}
