#include "scenario.h"
#include "selection.h"

#include <stdlib.h>

/* ---- what a reader had to do ---- */

static const char *verb_of(orr_note_kind kind)
{
    return kind == ORR_NOTE_DROP ? "dropped" : kind == ORR_NOTE_FIX ? "repaired" : "found";
}

/* Leaving out CPU-only jobs is what --cpu-jobs asks for, and a bin without requests holds nothing; any other loss or
 * repair is worth a warning. */
static bool is_warning(const orr_note *n)
{
    return n->kind != ORR_NOTE_ASSUME && strcmp(n->reason, "cpu-only") != 0 && strcmp(n->reason, "empty-bin") != 0;
}

static void add_lines(const orr_note *n, orr_text *t)
{
    for (int i = 1; i < 3 && n->first_lines[i]; i++)
        orr_text_addf(t, "%s %u", i == 1 ? "; also line" : ",", n->first_lines[i]);
    if (n->count > 3 && n->first_lines[2])
        orr_text_addf(t, ", ...");
}

static void tell(say *s, const char *file, const orr_note *n)
{
    orr_text t = {0};
    char count[ORR_DOUBLE_BUF];
    orr_format_count(n->count, count);
    if (n->kind != ORR_NOTE_ASSUME)
        orr_text_addf(&t, "%s %s %s: ", verb_of(n->kind), count, n->count == 1 ? "row" : "rows");
    orr_text_addf(&t, "%s", n->detail);
    add_lines(n, &t);
    if (is_warning(n))
        say_warning(s, n->reason, file, n->first_lines[0], "%s", t.at);
    else
        say_note(s, n->reason, file, n->first_lines[0], "%s", t.at);
    orr_text_fini(&t);
}

void scenario_tell(say *s, const orr_trace *trace)
{
    const orr_note *notes = NULL;
    const size_t n = orr_trace_notes(trace, &notes);
    for (size_t i = 0; i < n; i++)
        tell(s, orr_trace_name(trace), &notes[i]);
}

/* ---- loading ---- */

static bool has_warning(const orr_trace *trace)
{
    const orr_note *notes = NULL;
    const size_t n = orr_trace_notes(trace, &notes);
    for (size_t i = 0; i < n; i++)
        if (is_warning(&notes[i]))
            return true;
    return false;
}

int scenario_refuse_warnings(app *a, const orr_trace *trace)
{
    if (!a->set->werror || !has_warning(trace))
        return 0;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_STRICT, "the trace gives warnings, and --werror makes them errors");
    orr_error_at(&e, orr_trace_name(trace), 0, 0);
    return say_error(&a->say, &e);
}

orr_trace_options scenario_trace_options(const settings *s)
{
    return (orr_trace_options){.format = s->format,
                               .keep_cpu_jobs = s->cpu_jobs == 1,
                               .strict = s->strict,
                               .replay_attempts = s->attempts == 1,
                               .tables = s->tables,
                               .gpu_type = s->gpu_type,
                               .tz = s->tz,
                               .epoch = s->epoch};
}

orr_trace *scenario_trace(app *a, const char *path, int *status)
{
    orr_error e = {0};
    const orr_trace_options options = scenario_trace_options(a->set);
    orr_trace *trace = orr_trace_read(path, &options, &e);
    if (!trace || selection_apply(a->set, &trace, &e)) {
        orr_trace_destroy(trace);
        *status = say_error(&a->say, &e);
        return NULL;
    }
    scenario_tell(&a->say, trace);
    *status = scenario_refuse_warnings(a, trace);
    if (!*status)
        return trace;
    orr_trace_destroy(trace);
    return NULL;
}

orr_cluster_spec *scenario_cluster(app *a, const char *what, int *status)
{
    const orr_cluster_options options = {.capacity_day = a->set->capacity_day,
                                         .gpus_per_node = (int32_t)a->set->gpus_per_node};
    orr_error e = {0};
    orr_cluster_spec *cluster = orr_cluster_spec_load(what, &options, &e);
    if (!cluster)
        *status = say_error(&a->say, &e);
    for (int32_t i = 0; cluster && i < orr_cluster_spec_notes(cluster); i++)
        say_note(&a->say, "cluster-assumed", orr_cluster_spec_name(cluster), 0, "%s",
                 orr_cluster_spec_note(cluster, i));
    return cluster;
}

static int refuse_requests(app *a, const orr_trace *trace, size_t records)
{
    orr_error e = {0};
    orr_error_set(&e, ORR_E_NO_JOBS, "a run replays jobs, and this trace holds %zu %s of a service", records,
                  orr_trace_bin(trace) ? "bins of requests" : records == 1 ? "request" : "requests");
    orr_error_at(&e, orr_trace_name(trace), 0, 0);
    orr_error_hint(&e, "`orrery describe %s` tells what is in it", orr_trace_name(trace));
    return say_error(&a->say, &e);
}

static int check_jobs(app *a, const orr_trace *trace)
{
    const orr_trace_request *requests;
    const size_t records = orr_trace_requests(trace, &requests);
    if (orr_trace_count(trace) > 0)
        return 0;
    if (records)
        return refuse_requests(a, trace, records);
    orr_error e = {0};
    orr_error_set(&e, ORR_E_NO_JOBS, "no job is left to simulate, of %llu rows read",
                  (unsigned long long)orr_trace_rows_read(trace));
    orr_error_at(&e, orr_trace_name(trace), 0, 0);
    orr_error_hint(&e, "`orrery describe %s` tells what became of them", orr_trace_name(trace));
    return say_error(&a->say, &e);
}

int scenario_load(scenario *s, app *a)
{
    int status = 0;
    *s = (scenario){0};
    s->cluster = scenario_cluster(a, a->set->cluster, &status);
    if (!s->cluster)
        return status;
    s->trace = scenario_trace(a, a->set->trace, &status);
    return s->trace ? check_jobs(a, s->trace) : status;
}

void scenario_fini(scenario *s)
{
    orr_trace_destroy(s->trace);
    orr_cluster_spec_destroy(s->cluster);
}
