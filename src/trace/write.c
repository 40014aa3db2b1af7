/* The list of writers, the reduction of a job to what a format holds, and the walk over all jobs. */
#include "trace/write.h"
#include <stdio.h>
#include <stdlib.h>

static const orr_writer *const writers[] = {
#define ORR_X(name) &orr_writer_##name,
    ORR_WRITERS(ORR_X)
#undef ORR_X
};
#define WRITERS (sizeof writers / sizeof *writers)

const orr_writer *const *orr_writers(size_t *n)
{
    *n = WRITERS;
    return writers;
}

static void no_such_writer(const char *name, orr_error *e)
{
    const char *names[WRITERS];
    orr_text list = {0};
    for (size_t i = 0; i < WRITERS; i++) {
        names[i] = writers[i]->format;
        orr_text_addf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = orr_nearest(name, names, WRITERS);
    orr_error_set(e, ORR_E_BAD_VALUE, "no format that can be written has this name");
    orr_error_text(e, name, strlen(name));
    if (near)
        orr_error_hint(e, "did you mean %s? There are %s", near, list.at);
    else
        orr_error_hint(e, "there are %s", list.at);
    orr_text_fini(&list);
}

const orr_writer *orr_writer_named(const char *name, orr_error *e)
{
    for (size_t i = 0; i < WRITERS; i++)
        if (strcmp(writers[i]->format, name) == 0)
            return writers[i];
    no_such_writer(name, e);
    return NULL;
}

/* ---- documentation ---- */

static void add_attributes(const orr_writer *w, orr_text *out)
{
    if (w->any_attribute)
        orr_text_addf(out, " all |");
    else if (!w->attributes)
        orr_text_addf(out, " |");
    for (size_t i = 0; w->attributes && w->attributes[i]; i++)
        orr_text_addf(out, "%s`%s`%s", i ? ", " : " ", w->attributes[i], w->attributes[i + 1] ? "" : " |");
}

void orr_writers_markdown(orr_text *out)
{
    static const char *const words[] = {"", "yes", "s", "rule"};
    static const char *const calendars[] = {"", "face", "Unix", "yes"};
    orr_text_addf(out, "| column |");
    for (size_t i = 0; i < WRITERS; i++)
        orr_text_addf(out, " `%s` |", writers[i]->format);
    orr_text_addf(out, "\n|---|");
    for (size_t i = 0; i < WRITERS; i++)
        orr_text_addf(out, "---|");
    for (size_t c = 0; c < ORR_COLUMNS; c++) {
        orr_text_addf(out, "\n| `%s` |", orr_columns[c].name);
        for (size_t i = 0; i < WRITERS; i++)
            orr_text_addf(out, " %s |", words[writers[i]->carries[c]]);
    }
    orr_text_addf(out, "\n| calendar |");
    for (size_t i = 0; i < WRITERS; i++)
        orr_text_addf(out, " %s |", calendars[writers[i]->calendar]);
    orr_text_addf(out, "\n| attributes |");
    for (size_t i = 0; i < WRITERS; i++)
        add_attributes(writers[i], out);
    orr_text_addf(out, "\n");
}

/* ---- what a format holds of a job ---- */

orr_time orr_whole_seconds(orr_time t)
{
    if (t == ORR_TIME_NONE)
        return t;
    const orr_time half = t < 0 ? -ORR_SECOND / 2 : ORR_SECOND / 2;
    return (t + half) / ORR_SECOND * ORR_SECOND;
}

typedef struct member {
    size_t at, size;
} member;

#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(orr_trace_job, name), sizeof((orr_trace_job *)0)->name                                                \
    }
static const member members[ORR_COLUMNS] = {
    [ORR_COLUMN_ID] = MEMBER(id),
    [ORR_COLUMN_SUBMIT] = MEMBER(submit),
    [ORR_COLUMN_DURATION] = MEMBER(duration),
    [ORR_COLUMN_GPUS] = MEMBER(gpus),
    [ORR_COLUMN_USER] = MEMBER(user),
    [ORR_COLUMN_VC] = MEMBER(vc),
    [ORR_COLUMN_NAME] = MEMBER(name),
    [ORR_COLUMN_MODEL] = MEMBER(model),
    [ORR_COLUMN_GPU_TYPE] = MEMBER(gpu_type),
    [ORR_COLUMN_CPUS] = MEMBER(cpu_milli),
    [ORR_COLUMN_MEM_BYTES] = MEMBER(mem_bytes),
    [ORR_COLUMN_GPU_MEM] = MEMBER(gpu_mem_bytes),
    [ORR_COLUMN_LIMIT] = MEMBER(limit),
    [ORR_COLUMN_DEADLINE] = MEMBER(deadline),
    [ORR_COLUMN_WEIGHT] = MEMBER(weight),
    [ORR_COLUMN_STATE] = MEMBER(ending),
    [ORR_COLUMN_ATTEMPTS] = MEMBER(attempts),
    [ORR_COLUMN_MIN_GPUS] = MEMBER(min_gpus),
    [ORR_COLUMN_MAX_GPUS] = MEMBER(max_gpus),
    [ORR_COLUMN_GPU_MILLI] = MEMBER(gpu_milli),
    [ORR_COLUMN_PREEMPTIBLE] = MEMBER(preemptible),
    [ORR_COLUMN_CENSORED] = MEMBER(censored),
    [ORR_COLUMN_GROUP] = MEMBER(group),
    [ORR_COLUMN_START] = MEMBER(start),
    [ORR_COLUMN_END] = MEMBER(end),
    [ORR_COLUMN_STARTS] = MEMBER(starts),
    [ORR_COLUMN_AFTER] = MEMBER(after),
    [ORR_COLUMN_THINK] = MEMBER(think),
    [ORR_COLUMN_RAN] = MEMBER(ran),
    [ORR_COLUMN_CARRIED] = MEMBER(carried),
};

static void hold_column(orr_trace_job *held, const orr_trace_job *job, size_t column, orr_carry carry)
{
    const member *m = &members[column];
    if (carry == ORR_LOST)
        return;
    memcpy((char *)held + m->at, (const char *)job + m->at, m->size);
    if (column == ORR_COLUMN_ATTEMPTS)
        held->attempt_count = job->attempt_count;
    if (column == ORR_COLUMN_AFTER)
        held->after_count = job->after_count;
    if (carry != ORR_SECONDS)
        return;
    orr_time t;
    memcpy(&t, (char *)held + m->at, sizeof t);
    t = orr_whole_seconds(t);
    memcpy((char *)held + m->at, &t, sizeof t);
}

static bool attribute_kept(const orr_writer *writer, const char *name)
{
    if (writer->any_attribute)
        return true;
    for (size_t i = 0; writer->attributes && writer->attributes[i]; i++)
        if (strcmp(writer->attributes[i], name) == 0)
            return true;
    return false;
}

static orr_trace_job nothing(void)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = job.user = job.vc = job.name = job.model = job.gpu_type = job.group = "";
    return job;
}

const char *orr_hold_job(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    orr_arena_reset(&w->texts);
    *held = nothing();
    for (size_t c = 0; c < ORR_COLUMNS; c++)
        hold_column(held, job, c, w->writer->carries[c]);
    for (size_t i = 0; i < w->trace->attributes.n; i++)
        w->attributes[i] =
            job->attributes && attribute_kept(w->writer, w->trace->attributes.at[i]) ? job->attributes[i] : "";
    const char *why = w->writer->fit ? w->writer->fit(w, job) : NULL;
    if (w->writer->carries[ORR_COLUMN_MIN_GPUS] == ORR_LOST)
        held->min_gpus = held->gpus;
    if (w->writer->carries[ORR_COLUMN_MAX_GPUS] == ORR_LOST)
        held->max_gpus = held->gpus;
    return why;
}

/* Of one run that is as long as the job ran, both ends; of anything else the beginning. */
void orr_hold_run(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    const bool known = job->start != ORR_TIME_NONE && job->end != ORR_TIME_NONE;
    held->start = orr_whole_seconds(job->start == ORR_TIME_NONE ? job->submit : job->start);
    if (known && job->end - job->start == job->duration)
        held->end = orr_whole_seconds(job->end);
    else
        held->end = held->start + orr_whole_seconds(job->duration);
    held->duration = held->end - held->start;
}

/* The last second of the calendar that readers take, since 1970. */
#define LAST_FACE (INT64_C(4291747199) * ORR_SECOND)

static bool has_face(const orr_writing *w, orr_time t)
{
    return t == ORR_TIME_NONE || (t >= -w->origin.local && t <= LAST_FACE - w->origin.local);
}

const char *orr_hold_faces(const orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    bool good = has_face(w, held->submit) && has_face(w, held->start) && has_face(w, held->end);
    for (uint32_t i = 0; held->starts && i < held->attempt_count; i++)
        good = good && has_face(w, held->starts[i]) && has_face(w, held->starts[i] + held->attempts[i]);
    return good ? NULL : "a time lies outside of the years 1970 to 2105";
}

const char *orr_hold_relative(const orr_writing *w)
{
    return w->held.submit > ORR_EPOCH_FROM ? "it comes after more than 100,000,000 s, which are taken for Unix seconds"
                                           : NULL;
}

const char *orr_hold_text(orr_writing *w, const char *text, const char *bad)
{
    size_t at = strcspn(text, bad);
    if (!text[at])
        return text;
    char *copy = orr_arena_strdup(&w->texts, text, strlen(text));
    for (; copy[at]; at += strcspn(copy + at, bad))
        copy[at] = '_';
    return copy;
}

/* Where the trace keeps an attribute; -1: nowhere. */
static int64_t place_of(const orr_writing *w, const char *name)
{
    for (size_t i = 0; i < w->trace->attributes.n; i++)
        if (strcmp(w->trace->attributes.at[i], name) == 0)
            return (int64_t)i;
    return -1;
}

bool orr_has_attribute(const orr_writing *w, const char *name)
{
    return place_of(w, name) >= 0;
}

const char *orr_held_attribute(const orr_writing *w, const char *name)
{
    const int64_t place = place_of(w, name);
    return place < 0 ? "" : w->attributes[place];
}

void orr_hold_attribute(orr_writing *w, const char *name, const char *text)
{
    const int64_t place = place_of(w, name);
    if (place >= 0)
        w->attributes[place] = text;
}

const char *orr_hold_number(orr_writing *w, int64_t value)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%lld", (long long)value);
    return orr_arena_strdup(&w->texts, text, (size_t)n);
}

/* ---- printing ---- */

void orr_emit_time(orr_writing *w, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_time_format(t, buf);
    orr_output_text(w->out, buf);
}

void orr_emit_face(orr_writing *w, orr_time t)
{
    char buf[ORR_CIVIL_BUF];
    if (t == ORR_TIME_NONE)
        return;
    const orr_civil face = {.local = w->origin.local + t};
    orr_civil_format(&face, buf);
    orr_output_text(w->out, buf);
}

void orr_emit_cell(orr_writing *w, const char *text)
{
    const orr_text cell = {.at = (char *)text, .n = strlen(text)};
    orr_write_cell(w->out, &cell);
}

void orr_emit_text(orr_writing *w, const char *text)
{
    orr_output_text(w->out, text);
}

void orr_emit_number(orr_writing *w, int64_t value)
{
    orr_output_printf(w->out, "%lld", (long long)value);
}

/* ---- the walk ---- */

static void take_origin(orr_writing *w)
{
    const char *text = w->trace->origin;
    if (!text[0] || orr_civil_parse(text, strlen(text), &w->origin))
        w->origin = (orr_civil){0};
    w->origin.local = orr_whole_seconds(w->origin.local);
}

void orr_writing_begin(orr_writing *w, const orr_writer *writer, const orr_trace *trace)
{
    *w = (orr_writing){.writer = writer, .trace = trace};
    w->attributes = orr_xcalloc(trace->attributes.n + 1, sizeof *w->attributes);
    take_origin(w);
    if (writer->begin)
        writer->begin(w);
}

void orr_writing_end(orr_writing *w)
{
    if (w->writer->end)
        w->writer->end(w);
    orr_arena_fini(&w->texts);
    free(w->attributes);
}

/* Nothing at all if no job can be written. */
static void put_all(orr_writing *w)
{
    for (size_t i = 0; i < w->trace->jobs.n; i++) {
        if (orr_hold_job(w, &w->trace->jobs.at[i]))
            continue;
        if (w->row == 0 && w->writer->head)
            w->writer->head(w);
        w->writer->line(w);
        w->row++;
    }
    if (w->row && w->writer->tail)
        w->writer->tail(w);
}

static orr_err nothing_written(const orr_writing *w, orr_error *e)
{
    orr_error_set(e, ORR_E_NO_JOBS, "%s can hold none of these jobs", w->writer->format);
    orr_error_at(e, w->trace->name, 0, 0);
    return ORR_E_NO_JOBS;
}

static orr_err write_jobs(orr_writing *w, const char *path, orr_error *e)
{
    w->out = orr_output_create(path, e);
    if (!w->out)
        return e ? e->code : ORR_E_CREATE;
    put_all(w);
    if (w->row)
        return orr_output_commit(w->out, e);
    orr_output_abandon(w->out);
    return nothing_written(w, e);
}

orr_err orr_write_as(const orr_writer *writer, const orr_trace *trace, const char *path, orr_error *e)
{
    if (writer->whole)
        return writer->whole(trace, path, e);
    orr_writing w;
    orr_writing_begin(&w, writer, trace);
    const orr_err err = write_jobs(&w, path, e);
    orr_writing_end(&w);
    return err;
}
