/* The rules of input that do not depend on the format. The trace's origin is its first submission, known at the end
 * only, since a file may be in any order: records are kept as if the first row were it, and moved once more if it
 * wasn't. */
#include "trace/intake.h"
#include "base/assert.h"
#include <stdarg.h>
#include <stdio.h>

/* ---- rows and what is odd about them ---- */

void orr_intake_row(orr_intake *k, uint32_t line)
{
    k->line = line;
    k->trace->rows += !k->file;
    k->attempts.n = k->starts.n = k->after.n = k->blocks.n = 0;
    for (size_t i = 0; i < k->attributes.n; i++)
        k->attributes.at[i] = "";
}

static void place(const orr_intake *k, const orr_cell *cell)
{
    orr_error_at(k->e, orr_input_name(k->in), (int)k->line, cell ? (int)cell->column : 0);
    if (cell && cell->n)
        orr_error_text(k->e, cell->at, cell->n);
}

bool orr_intake_fail(orr_intake *k, orr_err code, const orr_cell *cell, const char *fmt, ...)
{
    char message[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    orr_error_set(k->e, code, "%s", message);
    place(k, cell);
    k->failed = code;
    return false;
}

static void remember_first(orr_intake *k, const orr_flaw_info *about, const orr_cell *cell)
{
    if (k->first_bad[0])
        return;
    snprintf(k->first_bad, sizeof k->first_bad, "%s%s%.*s", about->reason, cell ? ": " : "",
             cell ? (int)(cell->n < 40 ? cell->n : 40) : 0, cell ? cell->at : "");
}

bool orr_intake_flaw(orr_intake *k, orr_flaw flaw, const orr_cell *cell)
{
    const orr_flaw_info *about = orr_flaw_about(flaw);
    const bool drop = about->kind == ORR_NOTE_DROP;
    if (k->options->strict && about->code) {
        if (cell)
            orr_intake_fail(k, about->code, cell, "%s: %s", cell->name, about->sentence);
        else
            orr_intake_fail(k, about->code, NULL, "%s", about->sentence);
        orr_error_hint(k->e, "without strict input such rows are %s and counted as \"%s\"",
                       drop ? "dropped" : "repaired", about->reason);
        return false;
    }
    orr_trace_note(k->trace, flaw, k->file, k->line);
    if (!drop)
        return true;
    k->trace->rows += k->file != NULL; /* a row of a joined table counts where it is dropped */
    remember_first(k, about, cell);
    return false;
}

/* ---- jobs ---- */

bool orr_intake_attempts(orr_intake *k, const orr_cell *cell, orr_trace_job *job)
{
    orr_time sum = 0;
    for (size_t i = 0; i < k->attempts.n; i++)
        sum = orr_time_add(sum, k->attempts.at[i]);
    const orr_time stated = job->duration;
    job->duration = sum;
    if (k->options->replay_attempts && k->attempts.n > 1) {
        job->attempts = k->attempts.at;
        job->attempt_count = (uint32_t)k->attempts.n;
    }
    return stated == sum || orr_intake_flaw(k, ORR_FLAW_DURATION, cell);
}

const char *orr_intake_number(orr_intake *k)
{
    snprintf(k->number, sizeof k->number, "%llu", (unsigned long long)k->trace->rows - 1);
    return k->number;
}

static bool keep_with_suffix(orr_intake *k, orr_trace_job *job)
{
    char id[256];
    const orr_cell cell = {"job_id", job->id, strlen(job->id), 0};
    if (!orr_intake_flaw(k, ORR_FLAW_DUPLICATE_ID, &cell))
        return false;
    int n = 0;
    for (uint32_t copy = 2; n == 0 || orr_trace_find_id(k->trace, id, (size_t)n) >= 0; copy++)
        n = snprintf(id, sizeof id, "%.200s#%u", job->id, copy);
    job->id = id;
    orr_trace_store(k->trace, job, true);
    return true;
}

static bool store(orr_intake *k, orr_trace_job *job)
{
    const int64_t known =
        k->same_id == ORR_SAME_ID_NEVER ? -1 : orr_trace_find_id(k->trace, job->id, strlen(job->id));
    if (known < 0) {
        orr_trace_store(k->trace, job, k->same_id != ORR_SAME_ID_NEVER);
        return true;
    }
    if (k->same_id == ORR_SAME_ID_SUFFIX)
        return keep_with_suffix(k, job);
    const orr_cell cell = {"job_id", job->id, strlen(job->id), 0};
    orr_intake_fail(k, ORR_E_DUPLICATE_ID, &cell, "job id \"%.100s\" was used before, in line %u", job->id,
                    k->trace->jobs.at[known].line);
    orr_error_hint(k->e, "ids must be unique in a file; join files of several clusters only after making them so");
    return false;
}

size_t orr_intake_attribute(orr_intake *k, const char *name)
{
    ORR_ASSERT(k->trace->jobs.n + k->trace->requests.n + k->trace->withdrawn.n == 0, "declared too late");
    const size_t place = orr_trace_attribute_named(k->trace, name);
    while (k->attributes.n <= place)
        ORR_VEC_PUSH(&k->attributes, "");
    return place;
}

void orr_intake_set(orr_intake *k, size_t place, const char *text)
{
    k->attributes.at[place] = text;
}

void orr_intake_after(orr_intake *k, const char *id)
{
    const orr_predecessor p = {.id = id};
    ORR_VEC_PUSH(&k->after, p);
}

/* Keeps the first time of all, and notes each descent between neighbouring rows. Here, while the row is at hand: a walk
 * over all records afterwards would cost as much as reading them. */
static void in_order_of_rows(orr_intake *k, orr_time t)
{
    if (k->kept && t < k->before)
        orr_trace_note(k->trace, ORR_FLAW_UNSORTED, NULL, k->line);
    k->first = k->kept && k->first < t ? k->first : t;
    k->before = t;
    k->kept = true;
}

static void move(orr_time *t, orr_time by)
{
    if (*t != ORR_TIME_NONE)
        *t -= by;
}

static void move_job(orr_trace_job *job, orr_time by)
{
    move(&job->submit, by);
    move(&job->start, by);
    move(&job->end, by);
    move(&job->deadline, by);
    orr_time *starts = (orr_time *)job->starts; /* scratch, or the trace's own copy */
    for (uint32_t i = 0; starts && i < job->attempt_count; i++)
        starts[i] -= by;
}

/* `t`: the submission or arrival of the record that is being kept. */
static orr_time base_of(orr_intake *k, orr_time t)
{
    if (!k->based && k->clock.kind > ORR_CLOCK_RELATIVE && !k->keeps_clock)
        k->base = t;
    k->based = true;
    return k->base;
}

static void attach_scratch(orr_intake *k, orr_trace_job *job)
{
    job->attributes = k->attributes.n ? k->attributes.at : NULL;
    job->after = k->after.at;
    job->after_count = (uint32_t)k->after.n;
    if (job->attempts && k->starts.n == job->attempt_count)
        job->starts = k->starts.at;
    job->line = k->line;
}

bool orr_intake_withdraw(orr_intake *k, orr_trace_job *job)
{
    job->min_gpus = job->max_gpus = job->gpus;
    job->duration = 0;
    const orr_flaw flaw = orr_flaw_of(job);
    if (flaw)
        return orr_intake_flaw(k, flaw, NULL);
    attach_scratch(k, job);
    move_job(job, base_of(k, job->submit));
    if (job->gpus > 0 || k->options->keep_cpu_jobs)
        orr_trace_store_withdrawn(k->trace, job);
    return orr_intake_flaw(k, ORR_FLAW_NEVER_RAN, NULL);
}

orr_trace_request orr_trace_request_default(void)
{
    return (orr_trace_request){
        .id = "", .service = "", .client = "", .duration = ORR_TIME_NONE, .tokens_in = -1, .tokens_out = -1, .count = 1};
}

static bool impossible(const orr_trace_request *r)
{
    return r->arrival > ORR_TRACE_TIME_LIMIT || (r->duration != ORR_TIME_NONE && r->duration > ORR_TRACE_TIME_LIMIT);
}

bool orr_intake_keep_request(orr_intake *k, orr_trace_request *request)
{
    if (impossible(request))
        return orr_intake_flaw(k, ORR_FLAW_TIME_RANGE, NULL);
    if (!request->id[0])
        request->id = orr_intake_number(k);
    request->attributes = k->attributes.n ? k->attributes.at : NULL;
    request->blocks = k->blocks.n ? k->blocks.at : NULL;
    request->block_count = (uint32_t)k->blocks.n;
    request->line = k->line;
    in_order_of_rows(k, request->arrival);
    request->arrival -= base_of(k, request->arrival);
    orr_trace_store_request(k->trace, request);
    return true;
}

bool orr_intake_keep(orr_intake *k, orr_trace_job *job)
{
    if (job->min_gpus == 0)
        job->min_gpus = job->gpus;
    if (job->max_gpus == 0)
        job->max_gpus = job->gpus;
    const orr_flaw flaw = orr_flaw_of(job);
    if (flaw)
        return orr_intake_flaw(k, flaw, NULL);
    if (!job->id[0])
        return orr_intake_flaw(k, ORR_FLAW_NO_ID, NULL);
    if (job->gpus == 0 && !k->options->keep_cpu_jobs)
        return orr_intake_flaw(k, ORR_FLAW_CPU_ONLY, NULL);
    if (job->gpu_milli < 1000)
        orr_intake_flaw(k, ORR_FLAW_FRACTION, NULL);
    if (job->deadline != ORR_TIME_NONE && job->deadline < job->submit)
        orr_intake_flaw(k, ORR_FLAW_EARLY_DEADLINE, NULL);
    attach_scratch(k, job);
    const orr_time submit = job->submit;
    move_job(job, base_of(k, submit));
    if (!store(k, job))
        return false;
    in_order_of_rows(k, submit);
    return true;
}

orr_err orr_intake_beside(orr_intake *k, const char *path, orr_err (*read)(orr_intake *k, void *self), void *self)
{
    orr_input *const trace = k->in;
    const char *const file = k->file;
    const uint32_t line = k->line;
    char digest[65];
    orr_input *in = orr_input_open(path, k->e);
    if (!in)
        return k->failed = k->e->code;
    k->in = in;
    k->file = path;
    const orr_err err = read(k, self);
    orr_input_digest(in, digest);
    orr_trace_add_input(k->trace, path, digest);
    orr_input_close(in);
    k->in = trace;
    k->file = file;
    k->line = line;
    return err ? k->failed = err : ORR_OK;
}

/* ---- the end ---- */

static orr_err no_jobs(orr_intake *k)
{
    orr_text counts = {0};
    for (size_t i = 0; i < k->trace->notes.n; i++) {
        const orr_note *note = &k->trace->notes.at[i];
        if (note->kind == ORR_NOTE_DROP)
            orr_text_addf(&counts, "%s %s %llu (first in line %u)", counts.n ? "," : "", note->reason,
                          (unsigned long long)note->count, note->first_lines[0]);
    }
    const unsigned long long rows = k->trace->rows;
    if (rows == 0)
        orr_error_set(k->e, ORR_E_NO_JOBS, "the file has no rows, so no jobs");
    else
        orr_error_set(k->e, ORR_E_NO_JOBS, "no job is left of %llu row%s:%s", rows, rows == 1 ? "" : "s",
                      counts.at ? counts.at : "");
    orr_text_fini(&counts);
    const uint32_t line = k->trace->notes.n ? k->trace->notes.at[0].first_lines[0] : 0;
    orr_error_at(k->e, orr_input_name(k->in), (int)line, 0);
    orr_error_text(k->e, k->first_bad, strlen(k->first_bad));
    if (strncmp(k->first_bad, "cpu-only", 8) == 0)
        orr_error_hint(k->e, "jobs without GPUs are left out unless CPU jobs are asked for");
    if (strncmp(k->first_bad, "time-range", 10) == 0)
        orr_error_hint(k->e, "times are seconds; milliseconds or nanoseconds have to be converted first");
    return ORR_E_NO_JOBS;
}

static orr_civil civil_origin(const orr_intake *k, orr_time first)
{
    if (k->clock.kind == ORR_CLOCK_RELATIVE)
        return k->origin;
    if (k->clock.kind == ORR_CLOCK_LOCAL)
        return (orr_civil){.local = first};
    const int32_t offset = k->zone                    ? orr_zone_offset(k->zone, first)
                           : k->clock.offsets_differ ? 0
                                                     : k->clock.offset_minutes;
    return (orr_civil){.local = first + offset * ORR_MINUTE, .zoned = true, .offset_minutes = offset};
}

static void move_to_origin(orr_intake *k)
{
    orr_trace *trace = k->trace;
    const orr_time first = k->first;
    const orr_civil origin = civil_origin(k, first);
    if (origin.local > 0 || origin.zoned)
        orr_civil_format(&origin, trace->origin);
    const orr_time by = first - k->base;
    if (k->clock.kind == ORR_CLOCK_RELATIVE || by == 0)
        return;
    for (size_t i = 0; i < trace->jobs.n; i++)
        move_job(&trace->jobs.at[i], by);
    for (size_t i = 0; i < trace->withdrawn.n; i++)
        move_job(&trace->withdrawn.at[i], by);
    for (size_t i = 0; i < trace->requests.n; i++)
        move(&trace->requests.at[i].arrival, by);
}

/* The trace's own digest is known when it has been read to its end; the list begins with it. */
static void put_own_digest(orr_intake *k)
{
    char digest[65];
    orr_trace *trace = k->trace;
    orr_input_digest(k->in, digest);
    orr_trace_add_input(trace, trace->name, digest);
    const orr_trace_input own = trace->inputs.at[trace->inputs.n - 1];
    memmove(trace->inputs.at + 1, trace->inputs.at, (trace->inputs.n - 1) * sizeof own);
    trace->inputs.at[0] = own;
}

orr_err orr_intake_finish(orr_intake *k)
{
    if (k->failed)
        return k->failed;
    if (k->trace->jobs.n + k->trace->requests.n == 0)
        return no_jobs(k);
    move_to_origin(k);
    put_own_digest(k);
    return orr_trace_finish(k->trace, k->e);
}
