/* The Standard Workload Format, version 2, out: 18 whole numbers a job, -1 where nothing is known.
 *
 * Processors are GPUs. Ids, users, queues (virtual clusters) and executables (names) are numbers here: where all of a
 * kind are, they stay; else they are counted from 1 in the order of the jobs, and comments tell which is which. The run
 * begins `wait` after the submission; its end is not held where the job waited in between. Attempts are one run. Of
 * several predecessors the first is held. A censored job is a part to be continued (2); a job that was killed before it
 * ran for half a second is failed, since the format would say that it never ran. MaxProcs is the largest job: the
 * machine's size is not known. */
#include "trace/write.h"
#include <stdlib.h>

static const char *const own[] = {"cpu_time", "used_memory_kb", "unix_group", "partition", NULL};
enum { CPU_TIME, MEMORY, GROUP, PARTITION };

/* One kind of name. */
typedef struct numbering {
    bool counted;     /* some of them are no numbers */
    orr_names *names; /* number of a name: its id + 1 */
} numbering;

enum { USERS, QUEUES, EXECUTABLES, KINDS };
static const char *const kinds[] = {"user", "queue", "executable"};

typedef struct swf {
    bool ids_counted;
    numbering of[KINDS];
    int32_t widest;
} swf;

static const char *text_of(const orr_trace_job *job, int kind)
{
    return kind == USERS ? job->user : kind == QUEUES ? job->vc : job->name;
}

/* A whole number as it would be printed. */
static bool is_number(const char *text)
{
    int64_t value;
    return orr_parse_i64(text, strlen(text), &value) && value >= 0 && text[0] != '+' && (text[0] != '0' || !text[1]);
}

static void look_at(swf *s, const orr_trace_job *job)
{
    s->ids_counted |= !is_number(job->id);
    s->widest = job->gpus > s->widest ? job->gpus : s->widest;
    for (int i = 0; i < KINDS; i++)
        s->of[i].counted |= text_of(job, i)[0] && !is_number(text_of(job, i));
}

static void begin(orr_writing *w)
{
    swf *s = w->own = orr_xcalloc(1, sizeof *s);
    for (size_t i = 0; i < w->trace->jobs.n; i++)
        look_at(s, &w->trace->jobs.at[i]);
    for (int i = 0; i < KINDS; i++) {
        s->of[i].names = orr_names_create();
        for (size_t k = 0; s->of[i].counted && k < w->trace->jobs.n; k++) {
            const char *text = text_of(&w->trace->jobs.at[k], i);
            if (text[0])
                orr_names_id(s->of[i].names, text, strlen(text));
        }
    }
}

static void end(orr_writing *w)
{
    swf *s = w->own;
    for (int i = 0; i < KINDS; i++)
        orr_names_destroy(s->of[i].names);
    free(s);
}

/* ---- what is held ---- */

static const char *numbered(orr_writing *w, const orr_trace_job *job, int kind)
{
    const swf *s = w->own;
    const char *text = text_of(job, kind);
    if (!text[0] || !s->of[kind].counted)
        return text;
    return orr_hold_number(w, orr_names_find(s->of[kind].names, text, strlen(text)) + 1);
}

static const char *id_of(orr_writing *w, const char *id, size_t place)
{
    const swf *s = w->own;
    return s->ids_counted ? orr_hold_number(w, (int64_t)place + 1) : id;
}

/* The first one; a job number 0 stands for none. */
static void fit_after(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    held->after = NULL;
    held->after_count = 0;
    held->think = 0;
    const char *id = job->after_count ? id_of(w, job->after[0].id, job->after[0].job) : "0";
    if (strcmp(id, "0") == 0)
        return;
    orr_predecessor *first = orr_arena_alloc(&w->texts, sizeof *first);
    *first = (orr_predecessor){id, job->after[0].job};
    held->after = first;
    held->after_count = 1;
    held->think = orr_whole_seconds(job->think);
}

/* A wait of -1 s would say that it isn't known. */
static void fit_run(orr_writing *w)
{
    orr_trace_job *held = &w->held;
    if (held->start != ORR_TIME_NONE && held->start - held->submit == -ORR_SECOND)
        held->start = ORR_TIME_NONE;
    held->end = held->start == ORR_TIME_NONE ? ORR_TIME_NONE : held->start + held->duration;
}

/* Kilobytes a processor, rounded down. */
static int64_t memory_each(const orr_trace_job *job)
{
    return job->gpus ? job->mem_bytes / 1024 / job->gpus : 0;
}

static void fit_attributes(orr_writing *w)
{
    double value;
    for (int i = 0; own[i]; i++) {
        const char *text = orr_held_attribute(w, own[i]);
        if (text[0] && (!orr_parse_double(text, strlen(text), &value) || value == -1))
            orr_hold_attribute(w, own[i], "");
    }
}

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    held->id = id_of(w, job->id, w->row);
    held->user = numbered(w, job, USERS);
    held->vc = numbered(w, job, QUEUES);
    held->name = numbered(w, job, EXECUTABLES);
    held->mem_bytes = memory_each(job) * 1024 * job->gpus;
    held->censored = job->censored && job->ending == ORR_ENDING_DONE;
    if (job->ending == ORR_ENDING_KILLED && held->duration == 0)
        held->ending = ORR_ENDING_FAILED;
    fit_run(w);
    fit_after(w, job);
    fit_attributes(w);
    return NULL;
}

/* ---- printing ---- */

static void put_origin(orr_writing *w)
{
    const orr_civil *o = &w->origin;
    if (!w->trace->origin[0])
        return;
    orr_emit_text(w, "; UnixStartTime: ");
    orr_emit_time(w, o->local - o->offset_minutes * ORR_MINUTE);
    orr_emit_text(w, "\n");
    if (o->offset_minutes)
        orr_output_printf(w->out, "; TimeZone: %d\n", (int)o->offset_minutes * 60);
}

static void put_names(orr_writing *w, const numbering *n, const char *kind)
{
    for (uint32_t i = 0; i < orr_names_count(n->names); i++) {
        const char *name = orr_hold_text(w, orr_names_text(n->names, i), "\r\n");
        orr_output_printf(w->out, "; Note: %s %u is %s\n", kind, i + 1, name);
    }
}

static void head(orr_writing *w)
{
    const swf *s = w->own;
    orr_output_printf(w->out, "; Version: 2.2\n; MaxJobs: %zu\n; MaxRecords: %zu\n", w->trace->jobs.n,
                      w->trace->jobs.n);
    put_origin(w);
    if (s->widest)
        orr_output_printf(w->out, "; MaxProcs: %d\n", (int)s->widest);
    orr_emit_text(w, "; Note: processors are GPUs; MaxProcs is the largest job\n");
    for (int i = 0; i < KINDS; i++)
        put_names(w, &s->of[i], kinds[i]);
}

static void put(orr_writing *w, const char *text)
{
    orr_output_printf(w->out, " %s", text[0] ? text : "-1");
}

static void put_some_time(orr_writing *w, orr_time t)
{
    orr_emit_text(w, " ");
    if (t == ORR_TIME_NONE)
        orr_emit_text(w, "-1");
    else
        orr_emit_time(w, t);
}

static int status_of(const orr_trace_job *held)
{
    static const int numbers[] = {1, 0, 5};
    return held->censored ? 2 : numbers[held->ending];
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    const int64_t each = memory_each(held);
    orr_emit_text(w, held->id);
    put_some_time(w, held->submit);
    put_some_time(w, held->start == ORR_TIME_NONE ? held->start : held->start - held->submit);
    put_some_time(w, held->duration);
    orr_output_printf(w->out, " %d", (int)held->gpus);
    put(w, orr_held_attribute(w, own[CPU_TIME]));
    put(w, orr_held_attribute(w, own[MEMORY]));
    orr_output_printf(w->out, " %d", held->gpus ? (int)held->gpus : -1);
    put_some_time(w, held->limit);
    orr_output_printf(w->out, " %lld %d", each ? (long long)each : -1, status_of(held));
    put(w, held->user);
    put(w, orr_held_attribute(w, own[GROUP]));
    put(w, held->name);
    put(w, held->vc);
    put(w, orr_held_attribute(w, own[PARTITION]));
    put(w, held->after_count ? held->after[0].id : "");
    put_some_time(w, held->after_count ? held->think : ORR_TIME_NONE);
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_swf = {
    .format = "swf",
    .carries = {[ORR_COLUMN_ID] = ORR_FITTED,
                [ORR_COLUMN_SUBMIT] = ORR_SECONDS,
                [ORR_COLUMN_DURATION] = ORR_SECONDS,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_USER] = ORR_FITTED,
                [ORR_COLUMN_VC] = ORR_FITTED,
                [ORR_COLUMN_NAME] = ORR_FITTED,
                [ORR_COLUMN_MEM_BYTES] = ORR_FITTED,
                [ORR_COLUMN_LIMIT] = ORR_SECONDS,
                [ORR_COLUMN_STATE] = ORR_FITTED,
                [ORR_COLUMN_CENSORED] = ORR_FITTED,
                [ORR_COLUMN_START] = ORR_SECONDS,
                [ORR_COLUMN_END] = ORR_FITTED,
                [ORR_COLUMN_AFTER] = ORR_FITTED,
                [ORR_COLUMN_THINK] = ORR_FITTED},
    .calendar = ORR_CALENDAR_UNIX,
    .attributes = own,
    .begin = begin,
    .end = end,
    .fit = fit,
    .head = head,
    .line = line,
};
