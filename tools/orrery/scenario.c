#include "scenario.h"

#include "conditions.h"

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
    const orr_case c = conditions_of(s);
    return orr_case_trace_options(&c);
}

orr_err scenario_select(const settings *s, orr_trace **trace, orr_error *e)
{
    const orr_case c = conditions_of(s);
    orr_trace *part = NULL;
    const char *to = s->convert_to ? "until" : "to"; /* --to names the format there */
    const orr_err err = orr_case_select(&c, to, *trace, &part, e);
    if (!part)
        return err;
    orr_trace_destroy(*trace);
    *trace = part;
    return ORR_OK;
}

orr_trace *scenario_trace(app *a, const char *path, int *status)
{
    orr_error e = {0};
    const orr_trace_options options = scenario_trace_options(a->set);
    orr_trace *trace = orr_trace_read(path, &options, &e);
    if (!trace || scenario_select(a->set, &trace, &e)) {
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

void scenario_tell_cluster(say *s, const orr_cluster_spec *cluster)
{
    for (int32_t i = 0; i < orr_cluster_spec_notes(cluster); i++)
        say_note(s, "cluster-assumed", orr_cluster_spec_name(cluster), 0, "%s", orr_cluster_spec_note(cluster, i));
}

orr_cluster_spec *scenario_cluster(app *a, const char *what, int *status)
{
    const orr_cluster_options options = {.capacity_day = a->set->capacity_day,
                                         .gpus_per_node = (int32_t)a->set->gpus_per_node};
    orr_error e = {0};
    orr_cluster_spec *cluster = orr_cluster_spec_load(what, &options, &e);
    if (cluster)
        scenario_tell_cluster(&a->say, cluster);
    else
        *status = say_error(&a->say, &e);
    return cluster;
}

int scenario_load(app *a, orr_stock *stock, const orr_case *c)
{
    orr_error e = {0};
    const orr_cluster_spec *cluster = orr_stock_cluster(stock, c, &e);
    if (!cluster)
        return say_error(&a->say, &e);
    scenario_tell_cluster(&a->say, cluster);
    const orr_trace *trace = orr_stock_read(stock, c, &e);
    if (!trace)
        return say_error(&a->say, &e);
    scenario_tell(&a->say, trace);
    const int status = scenario_refuse_warnings(a, trace);
    if (status)
        return status;
    const orr_scenario *scenario;
    const orr_services *services;
    if (orr_stock_scenario(stock, c, &scenario, &e) || orr_stock_services(stock, c, &services, &e))
        return say_error(&a->say, &e);
    for (int32_t i = 0; services && i < services->note_count; i++)
        tell(&a->say, services->name, &services->notes[i]);
    orr_stock_trim(stock);
    return orr_stock_trace(stock, c, &e) ? 0 : say_error(&a->say, &e);
}
