/* Traces of the Gavel simulator out: ten fields between tabs, or Shockwave's twelve if the trace has their `mode`.
 *
 * A job is an amount of work: `total_steps` of its model, which throughput tables make a duration. Without that
 * attribute or a model the job becomes one of type "orrery (seconds)" with a step a second. Ten fields hold no duration
 * of the first kind; twelve do. A deadline is a multiple of the duration (SLO). Jobs have no ids but their order.
 * Commands and arguments are the trace's own, "-" where it has none; a field can't hold tabs, line ends or quotes. */
#include "trace/write.h"
#include <stdlib.h>

#define SECONDS "orrery (seconds)"

static const char *const own[] = {"command",    "working_dir", "steps_arg",       "needs_data", "total_steps",
                                  "batch_size", "mode",        "stated_duration", NULL};

/* What `fit` found out about the current job. */
typedef struct gavel {
    double slo;
} gavel;

static void begin(orr_writing *w)
{
    w->own = orr_xcalloc(1, sizeof(gavel));
}

static void end(orr_writing *w)
{
    free(w->own);
}

static bool is_twelve(const orr_writing *w)
{
    return orr_has_attribute(w, "mode");
}

/* Blanks at its ends would be trimmed, and lines that begin with # skipped. */
static const char *field(orr_writing *w, const char *text)
{
    const char *clean = orr_hold_text(w, text, "\t\r\n\"");
    const size_t n = strlen(clean);
    if (n == 0)
        return "-";
    if (clean[0] != ' ' && clean[0] != '#' && clean[n - 1] != ' ')
        return clean;
    char *copy = orr_arena_strdup(&w->texts, clean, n);
    copy[0] = copy[0] == ' ' || copy[0] == '#' ? '_' : copy[0];
    copy[n - 1] = copy[n - 1] == ' ' ? '_' : copy[n - 1];
    return copy;
}

static bool whole_steps(const char *text)
{
    int64_t steps;
    return orr_parse_i64(text, strlen(text), &steps) && steps >= 0;
}

static const char *steps_of(orr_writing *w)
{
    const char *stated = orr_held_attribute(w, "total_steps");
    return whole_steps(stated) ? stated : orr_hold_number(w, orr_whole_seconds(w->held.duration) / ORR_SECOND);
}

/* "(batch size 16)" behind the model is its batch size, to readers as to the simulator. */
static const char *batch_of(orr_writing *w, const char *type)
{
    static const char words[] = "(batch size ";
    const char *found = strstr(type, words);
    const char *digits = found ? found + sizeof words - 1 : "";
    const size_t n = strspn(digits, "0123456789");
    return n && n < 24 && digits[n] == ')' ? orr_arena_strdup(&w->texts, digits, n) : "";
}

static void fit_attributes(orr_writing *w)
{
    for (int i = 0; i < 3; i++)
        orr_hold_attribute(w, own[i], field(w, orr_held_attribute(w, own[i])));
    if (strcmp(orr_held_attribute(w, "needs_data"), "1") != 0)
        orr_hold_attribute(w, "needs_data", "0");
    orr_hold_attribute(w, "batch_size", batch_of(w, w->held.model));
    orr_hold_attribute(w, "mode", field(w, orr_held_attribute(w, "mode")));
}

static bool says(const char *text, orr_time t)
{
    orr_time said;
    return orr_time_parse_seconds(text, strlen(text), &said) == ORR_OK && said == t;
}

/* The trace's own text if it says the same. */
static void fit_stated(orr_writing *w, orr_time duration)
{
    char text[ORR_TIME_BUF];
    const char *stated = orr_held_attribute(w, "stated_duration");
    const int n = orr_time_format(duration, text);
    if (!is_twelve(w))
        orr_hold_attribute(w, "stated_duration", "");
    else if (!says(stated, duration))
        orr_hold_attribute(w, "stated_duration", orr_arena_strdup(&w->texts, text, (size_t)n));
}

/* As a number of durations; negative: none. */
static double slo_of(const orr_trace_job *held, orr_time reference)
{
    if (held->deadline == ORR_TIME_NONE || held->deadline < held->submit)
        return -1;
    if (reference <= 0)
        return held->deadline == held->submit ? 0 : -1;
    return orr_time_seconds(held->deadline - held->submit) / orr_time_seconds(reference);
}

/* What the SLO multiplies when it is read: the duration in the file, or the one that the tables give again. */
static orr_time reference_of(const orr_writing *w, const orr_trace_job *job)
{
    const bool seconds = strcmp(w->held.model, SECONDS) == 0;
    return seconds && !is_twelve(w) ? orr_whole_seconds(job->duration) : job->duration;
}

static void fit_deadline(orr_writing *w, const orr_trace_job *job)
{
    const orr_time reference = reference_of(w, job);
    gavel *g = w->own;
    g->slo = slo_of(job, reference);
    w->held.deadline = ORR_TIME_NONE;
    if (g->slo >= 0)
        w->held.deadline = orr_time_add(job->submit, orr_time_from_seconds(g->slo * orr_time_seconds(reference)));
}

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    const bool work = job->model[0] && whole_steps(orr_held_attribute(w, "total_steps"));
    if (job->gpus == 0)
        return "it asks for no GPU";
    held->id = orr_hold_number(w, (int64_t)w->row);
    held->model = work ? field(w, job->model) : SECONDS;
    if (!work)
        orr_hold_attribute(w, "total_steps", orr_hold_number(w, orr_whole_seconds(job->duration) / ORR_SECOND));
    fit_attributes(w);
    fit_stated(w, job->duration);
    fit_deadline(w, job);
    if (!is_twelve(w))
        held->duration = work ? ORR_TIME_NONE : orr_whole_seconds(job->duration);
    return orr_hold_relative(w);
}

/* ---- printing ---- */

static void put(orr_writing *w, const char *text)
{
    orr_emit_text(w, text);
    orr_emit_text(w, "\t");
}

static void put_real(orr_writing *w, double value)
{
    char text[ORR_DOUBLE_BUF];
    orr_format_double(value, text);
    put(w, text);
}

/* A field that must hold something, even if the trace has no such attribute. */
static void put_attribute(orr_writing *w, const char *name, const char *otherwise)
{
    const char *text = orr_held_attribute(w, name);
    put(w, text[0] ? text : otherwise);
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    const gavel *g = w->own;
    put(w, held->model);
    put_attribute(w, "command", "-");
    put_attribute(w, "working_dir", "-");
    put_attribute(w, "steps_arg", "-");
    put_attribute(w, "needs_data", "0");
    put(w, steps_of(w));
    orr_output_printf(w->out, "%d\t", (int)held->gpus);
    if (is_twelve(w))
        put_attribute(w, "mode", "-");
    put_real(w, held->weight);
    put_real(w, g->slo);
    if (is_twelve(w)) {
        orr_emit_time(w, held->duration);
        orr_emit_text(w, "\t");
    }
    orr_emit_time(w, held->submit);
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_gavel = {
    .format = "gavel",
    .carries = {[ORR_COLUMN_ID] = ORR_FITTED,
                [ORR_COLUMN_SUBMIT] = ORR_KEPT,
                [ORR_COLUMN_DURATION] = ORR_FITTED,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_MODEL] = ORR_FITTED,
                [ORR_COLUMN_DEADLINE] = ORR_FITTED,
                [ORR_COLUMN_WEIGHT] = ORR_KEPT},
    .attributes = own,
    .begin = begin,
    .end = end,
    .fit = fit,
    .line = line,
};
