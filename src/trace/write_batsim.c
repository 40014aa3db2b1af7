/* Batsim's workloads out: one JSON object of jobs and the delay profiles that say how long they take.
 *
 * A resource is a GPU; `nb_res` is the largest job, since the machine's size is not known. Jobs of equal duration
 * and ending share a profile. Batsim knows success, failure, and the end at the walltime: a job that was killed
 * there is one whose profile would take a second longer, any other killed job fails. A limit below the duration
 * would cut the job, and is left out. Attributes become members of the job: up to 32, unless their names are
 * Batsim's or need escapes. */
#include "trace/write.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATTRIBUTES = 32 };

typedef struct batsim {
    orr_names *profiles; /* "done 12.5" */
    int32_t widest;
    bool *held; /* attributes by place */
} batsim;

static bool is_taken(const char *name)
{
    static const char *const members[] = {"id", "subtime", "res", "profile", "walltime", "user", "dependencies"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return name[0] == '\0';
}

static bool is_plain(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == '"' || *name == '\\')
            return false;
    return true;
}

static void begin(orr_writing *w)
{
    batsim *b = w->own = orr_xcalloc(1, sizeof *b);
    b->profiles = orr_names_create();
    b->held = orr_xcalloc(w->trace->attributes.n + 1, sizeof *b->held);
    int n = 0;
    for (size_t i = 0; i < w->trace->attributes.n; i++) {
        const char *name = w->trace->attributes.at[i];
        b->held[i] = !is_taken(name) && is_plain(name) && n < ATTRIBUTES;
        n += b->held[i];
    }
    for (size_t i = 0; i < w->trace->jobs.n; i++)
        b->widest = w->trace->jobs.at[i].gpus > b->widest ? w->trace->jobs.at[i].gpus : b->widest;
}

static void end(orr_writing *w)
{
    batsim *b = w->own;
    orr_names_destroy(b->profiles);
    free(b->held);
    free(b);
}

/* ---- what is held ---- */

static bool killed_at_limit(const orr_trace_job *job)
{
    return job->ending == ORR_ENDING_KILLED && job->limit == job->duration;
}

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    const batsim *b = w->own;
    orr_trace_job *held = &w->held;
    if (job->limit != ORR_TIME_NONE && job->limit < job->duration)
        held->limit = ORR_TIME_NONE;
    if (job->ending == ORR_ENDING_KILLED && !killed_at_limit(job))
        held->ending = ORR_ENDING_FAILED;
    for (size_t i = 0; i < w->trace->attributes.n; i++)
        if (!b->held[i])
            w->attributes[i] = "";
    return NULL;
}

/* ---- printing ---- */

static void put_string(orr_writing *w, const char *text)
{
    cJSON *string = cJSON_CreateString(text);
    char *quoted = cJSON_PrintUnformatted(string);
    orr_emit_text(w, quoted ? quoted : "\"\"");
    cJSON_free(quoted);
    cJSON_Delete(string);
}

/* A whole number that any JSON parser keeps. */
static bool is_short_number(const char *text)
{
    int64_t value;
    const size_t n = strlen(text);
    return n < 16 && text[0] != '+' && text[0] != '-' && orr_parse_i64(text, n, &value) && (text[0] != '0' || n == 1);
}

static void put_id(orr_writing *w, const char *id)
{
    if (is_short_number(id))
        orr_emit_text(w, id);
    else
        put_string(w, id);
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* After the grammar of JSON, which knows no leading zeros, signs or points without digits. */
static bool is_json_number(const char *text)
{
    text += *text == '-';
    size_t n = digits(text);
    if (n == 0 || (text[0] == '0' && n > 1))
        return false;
    text += n;
    if (*text == '.') {
        n = digits(++text);
        text += n;
    }
    if (n && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '+' || *text == '-';
        n = digits(text);
        text += n;
    }
    return n && *text == '\0';
}

static void put_attributes(orr_writing *w)
{
    for (size_t i = 0; i < w->trace->attributes.n; i++) {
        const char *text = w->attributes[i];
        if (!text[0])
            continue;
        orr_output_printf(w->out, ", \"%s\": ", w->trace->attributes.at[i]);
        if (is_json_number(text))
            orr_emit_text(w, text);
        else
            put_string(w, text);
    }
}

static uint32_t profile_of(orr_writing *w)
{
    const batsim *b = w->own;
    char text[ORR_TIME_BUF + 8], time[ORR_TIME_BUF];
    const orr_trace_job *held = &w->held;
    orr_time_format(held->ending == ORR_ENDING_KILLED ? held->duration + ORR_SECOND : held->duration, time);
    const int n = snprintf(text, sizeof text, "%s %s", held->ending == ORR_ENDING_FAILED ? "fail" : "done", time);
    return orr_names_id(b->profiles, text, (size_t)n);
}

static void put_dependencies(orr_writing *w)
{
    for (uint32_t i = 0; i < w->held.after_count; i++) {
        orr_emit_text(w, i ? ", " : ", \"dependencies\": [");
        put_id(w, w->held.after[i].id);
    }
    if (w->held.after_count)
        orr_emit_text(w, "]");
}

static void head(orr_writing *w)
{
    const batsim *b = w->own;
    orr_output_printf(w->out, "{\n\"nb_res\": %d,\n\"jobs\": [", b->widest ? (int)b->widest : 1);
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    orr_emit_text(w, w->row ? ",\n{\"id\": " : "\n{\"id\": ");
    put_id(w, held->id);
    orr_emit_text(w, ", \"subtime\": ");
    orr_emit_time(w, held->submit);
    orr_output_printf(w->out, ", \"res\": %d, \"profile\": \"p%u\"", (int)held->gpus, profile_of(w));
    if (held->limit != ORR_TIME_NONE) {
        orr_emit_text(w, ", \"walltime\": ");
        orr_emit_time(w, held->limit);
    }
    if (held->user[0]) {
        orr_emit_text(w, ", \"user\": ");
        put_string(w, held->user);
    }
    put_dependencies(w);
    put_attributes(w);
    orr_emit_text(w, "}");
}

static void tail(orr_writing *w)
{
    const batsim *b = w->own;
    orr_emit_text(w, "\n],\n\"profiles\": {");
    for (uint32_t i = 0; i < orr_names_count(b->profiles); i++) {
        const char *text = orr_names_text(b->profiles, i);
        orr_output_printf(w->out, "%s\"p%u\": {\"type\": \"delay\", \"delay\": %s%s}", i ? ",\n" : "\n", i, text + 5,
                          text[0] == 'f' ? ", \"ret\": 1" : "");
    }
    orr_emit_text(w, "\n}\n}\n");
}

const orr_writer orr_writer_batsim = {
    .format = "batsim",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_KEPT,
                [ORR_COLUMN_DURATION] = ORR_KEPT,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_USER] = ORR_KEPT,
                [ORR_COLUMN_LIMIT] = ORR_FITTED,
                [ORR_COLUMN_STATE] = ORR_FITTED,
                [ORR_COLUMN_AFTER] = ORR_KEPT},
    .any_attribute = true,
    .begin = begin,
    .end = end,
    .fit = fit,
    .head = head,
    .line = line,
    .tail = tail,
};
