/* Philly's `cluster_job_log` out: an array of jobs with their attempts, whole seconds on the calendar.
 *
 * Attempts whose starts aren't known follow each other without a pause from the job's start on, or from its submission;
 * a job of one run is one attempt. Servers are invented as far as the format needs them, m1, m2, … of up to eight GPUs:
 * only the number of GPUs means something. A job that still ran when the record ended has a further attempt, which
 * begins where the last one ends and has no end; where that was isn't held. */
#include "trace/write.h"
#include <cjson/cJSON.h>

enum { SERVER = 8 };

/* One attempt, or all of them one by one. */
static void fit_attempts(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    const uint32_t n = job->attempts ? job->attempt_count : 1;
    orr_time *runs = orr_arena_alloc(&w->texts, n * sizeof *runs),
             *starts = orr_arena_alloc(&w->texts, n * sizeof *starts);
    orr_time at = job->start == ORR_TIME_NONE ? job->submit : job->start;
    held->duration = 0;
    for (uint32_t i = 0; i < n; i++) {
        const orr_time run = job->attempts ? job->attempts[i] : job->duration;
        at = job->starts ? job->starts[i] : at;
        starts[i] = orr_whole_seconds(at);
        at += run;
        runs[i] = orr_whole_seconds(at) - starts[i];
        held->duration += runs[i];
    }
    held->attempts = runs;
    held->starts = starts;
    held->attempt_count = n;
}

/* The only one is the job's own run. */
static void drop_single(orr_trace_job *held)
{
    if (held->attempt_count == 1)
        held->attempts = held->starts = NULL;
}

static void fit_ends(orr_trace_job *held)
{
    held->start = held->end = ORR_TIME_NONE;
    for (uint32_t i = 0; i < held->attempt_count; i++) {
        const orr_time start = held->starts[i], end = start + held->attempts[i];
        held->start = i == 0 || start < held->start ? start : held->start;
        held->end = i == 0 || end > held->end ? end : held->end;
    }
}

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    fit_attempts(w, job);
    fit_ends(&w->held);
    const char *why = orr_hold_faces(w);
    drop_single(&w->held);
    if (w->held.censored)
        w->held.end = ORR_TIME_NONE;
    return why;
}

static void head(orr_writing *w)
{
    orr_emit_text(w, "[");
}

static void tail(orr_writing *w)
{
    orr_emit_text(w, "\n]\n");
}

static void put_string(orr_writing *w, const char *name, const char *text)
{
    cJSON *string = cJSON_CreateString(text);
    char *quoted = cJSON_PrintUnformatted(string);
    orr_output_printf(w->out, "\"%s\": %s, ", name, quoted ? quoted : "\"\"");
    cJSON_free(quoted);
    cJSON_Delete(string);
}

static void put_servers(orr_writing *w)
{
    const int32_t gpus = w->held.gpus;
    for (int32_t i = 0; i == 0 || i < gpus; i++) {
        if (i % SERVER == 0)
            orr_output_printf(w->out, "%s{\"ip\": \"m%d\", \"gpus\": [", i ? "]}, " : "", i / SERVER + 1);
        if (gpus)
            orr_output_printf(w->out, "%s\"gpu%d\"", i % SERVER ? ", " : "", i % SERVER);
    }
    orr_emit_text(w, "]}");
}

/* Without an end if `end` isn't known. */
static void put_attempt(orr_writing *w, orr_time start, orr_time end)
{
    orr_emit_text(w, "{\"start_time\": \"");
    orr_emit_face(w, start);
    orr_emit_text(w, end == ORR_TIME_NONE ? "\", \"end_time\": " : "\", \"end_time\": \"");
    orr_emit_face(w, end);
    orr_emit_text(w, end == ORR_TIME_NONE ? "null, \"detail\": [" : "\", \"detail\": [");
    put_servers(w);
    orr_emit_text(w, "]}");
}

static void put_attempts(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    orr_time end = ORR_TIME_NONE;
    for (uint32_t i = 0; i < held->attempt_count; i++) {
        const orr_time start = held->starts ? held->starts[i] : held->start;
        orr_emit_text(w, i ? ", " : "");
        end = start + (held->attempts ? held->attempts[i] : held->duration);
        put_attempt(w, start, end);
    }
    if (!held->censored)
        return;
    orr_emit_text(w, ", ");
    put_attempt(w, end, ORR_TIME_NONE);
}

static void line(orr_writing *w)
{
    static const char *const words[] = {"Pass", "Failed", "Killed"};
    const orr_trace_job *held = &w->held;
    orr_emit_text(w, w->row ? ",\n{" : "\n{");
    put_string(w, "status", words[held->ending]);
    put_string(w, "vc", held->vc);
    put_string(w, "jobid", held->id);
    orr_emit_text(w, "\"submitted_time\": \"");
    orr_emit_face(w, held->submit);
    orr_emit_text(w, "\", ");
    put_string(w, "user", held->user);
    orr_emit_text(w, "\"attempts\": [");
    put_attempts(w);
    orr_emit_text(w, "]}");
}

const orr_writer orr_writer_philly_json = {
    .format = "philly-json",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_SECONDS,
                [ORR_COLUMN_DURATION] = ORR_FITTED,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_USER] = ORR_KEPT,
                [ORR_COLUMN_VC] = ORR_KEPT,
                [ORR_COLUMN_STATE] = ORR_KEPT,
                [ORR_COLUMN_ATTEMPTS] = ORR_FITTED,
                [ORR_COLUMN_CENSORED] = ORR_KEPT,
                [ORR_COLUMN_START] = ORR_FITTED,
                [ORR_COLUMN_END] = ORR_FITTED,
                [ORR_COLUMN_STARTS] = ORR_FITTED},
    .calendar = ORR_CALENDAR_FACE,
    .fit = fit,
    .head = head,
    .line = line,
    .tail = tail,
};
