/* The rules of input that do not depend on the format. Times are kept on the file's own clock while rows come in and
 * moved to the trace's origin at the end, when the first submission is known: a file may be in any order. */
#include "trace/intake.h"
#include "base/assert.h"
#include "base/decimal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool orr_same_word(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

bool orr_cell_missing(orr_cell cell)
{
    static const char *const words[] = {"none", "null", "na", "nan", "n/a", "unknown"};
    if (cell.n == 0)
        return true;
    if (cell.n > 7 || (cell.at[0] >= '0' && cell.at[0] <= '9'))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (orr_same_word(cell.at, words[i]))
            return true;
    return false;
}

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

/* ---- cells ---- */

/* "8", or a float text for a whole number ("8.0"). */
static bool parse_whole(orr_cell cell, int64_t *out)
{
    double value;
    if (orr_parse_i64(cell.at, cell.n, out))
        return true;
    if (!orr_parse_double(cell.at, cell.n, &value) || value < -9e15 || value > 9e15)
        return false;
    *out = (int64_t)value;
    return (double)*out == value;
}

bool orr_take_count(orr_intake *k, orr_cell cell, orr_flaw missing, int64_t *out)
{
    if (orr_cell_missing(cell))
        return orr_intake_flaw(k, missing, &cell);
    return parse_whole(cell, out) || orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

bool orr_take_gpus(orr_intake *k, orr_cell cell, int32_t *out)
{
    int64_t value;
    if (!orr_take_count(k, cell, ORR_FLAW_NO_GPUS, &value))
        return false;
    if (value < 0)
        return orr_intake_flaw(k, ORR_FLAW_NEGATIVE_GPUS, &cell);
    if (value > ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, &cell);
    *out = (int32_t)value;
    return true;
}

bool orr_take_int32(orr_intake *k, orr_cell cell, int32_t *out)
{
    int64_t value;
    if (orr_cell_missing(cell))
        return true;
    if (!parse_whole(cell, &value) || value < 0 || value > INT32_MAX)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    *out = (int32_t)value;
    return true;
}

bool orr_take_real(orr_intake *k, orr_cell cell, double *out)
{
    return orr_cell_missing(cell) || orr_parse_double(cell.at, cell.n, out) ||
           orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

static orr_flaw parse_units(const orr_intake *k, orr_cell cell, orr_time *out)
{
    orr_decimal d;
    if (cell.n == 0 || orr_decimal_scan(cell.at, cell.n, &d) != cell.n)
        return ORR_FLAW_TIME;
    if (!orr_decimal_scaled(&d, k->unit.multiplier, k->unit.places, out))
        return ORR_FLAW_TIME_RANGE;
    return *out > ORR_TRACE_TIME_LIMIT || *out < -ORR_TRACE_TIME_LIMIT ? ORR_FLAW_TIME_RANGE : ORR_FLAW_NONE;
}

bool orr_take_duration(orr_intake *k, orr_cell cell, orr_flaw missing, orr_time *out)
{
    if (orr_cell_missing(cell))
        return orr_intake_flaw(k, missing, &cell);
    orr_time value;
    orr_flaw flaw = parse_units(k, cell, &value);
    if (!flaw && value < 0)
        flaw = ORR_FLAW_NEGATIVE_DURATION;
    if (flaw)
        return orr_intake_flaw(k, flaw, &cell);
    *out = value;
    return true;
}

static const char *clock_name(orr_clock_kind kind)
{
    static const char *const names[] = {
        [ORR_CLOCK_UNKNOWN] = "none",
        [ORR_CLOCK_RELATIVE] = "relative seconds",
        [ORR_CLOCK_EPOCH] = "seconds of an epoch",
        [ORR_CLOCK_LOCAL] = "calendar time without a zone",
        [ORR_CLOCK_ZONED] = "calendar time with a zone",
    };
    return names[kind];
}

static bool on_clock(orr_intake *k, const orr_cell *cell, orr_clock_kind kind, int32_t offset_minutes)
{
    orr_clock *clock = &k->clock;
    if (clock->kind == ORR_CLOCK_UNKNOWN) {
        clock->kind = kind;
        clock->line = k->line;
        clock->offset_minutes = offset_minutes;
        snprintf(clock->text, sizeof clock->text, "%s", cell->at);
    }
    if (clock->kind != kind) {
        orr_intake_fail(k, ORR_E_MIXED_CLOCKS, cell, "%s is %s, but line %u has %s (%s)", cell->name, clock_name(kind),
                        clock->line, clock_name(clock->kind), clock->text);
        orr_error_hint(k->e, "all times of a file must be on one clock; seconds beyond 100000000 count as an epoch");
        return false;
    }
    clock->offsets_differ |= clock->offset_minutes != offset_minutes;
    return true;
}

/* A clock face of the zone that the user named. */
static bool take_face(orr_intake *k, const orr_cell *cell, orr_time local, orr_time *out)
{
    const orr_face face = orr_zone_utc(k->zone, local, out);
    if (face != ORR_FACE_ONCE)
        orr_intake_flaw(k, face == ORR_FACE_TWICE ? ORR_FLAW_FACE_TWICE : ORR_FLAW_FACE_NEVER, cell);
    return on_clock(k, cell, ORR_CLOCK_ZONED, orr_zone_offset(k->zone, *out));
}

static bool take_civil(orr_intake *k, const orr_cell *cell, orr_time *out)
{
    orr_civil civil;
    const orr_err err = orr_civil_parse(cell->at, cell->n, &civil);
    if (err)
        return orr_intake_flaw(k, err == ORR_E_RANGE ? ORR_FLAW_TIME_RANGE : ORR_FLAW_TIME, cell);
    if (!civil.zoned && k->zone)
        return take_face(k, cell, civil.local, out);
    *out = civil.local - civil.offset_minutes * ORR_MINUTE;
    return on_clock(k, cell, civil.zoned ? ORR_CLOCK_ZONED : ORR_CLOCK_LOCAL, civil.offset_minutes);
}

bool orr_take_time(orr_intake *k, orr_cell cell, orr_flaw missing, orr_time *out)
{
    if (orr_cell_missing(cell))
        return orr_intake_flaw(k, missing, &cell);
    if (orr_civil_looks_like(cell.at, cell.n))
        return take_civil(k, &cell, out);
    orr_time value;
    orr_flaw flaw = parse_units(k, cell, &value);
    if (!flaw && value < 0)
        flaw = ORR_FLAW_NEGATIVE_TIME;
    if (flaw)
        return orr_intake_flaw(k, flaw, &cell);
    *out = value;
    const bool epoch = value > ORR_EPOCH_FROM && !k->relative;
    return on_clock(k, &cell, epoch ? ORR_CLOCK_EPOCH : ORR_CLOCK_RELATIVE, 0);
}

bool orr_take_some_time(orr_intake *k, orr_cell cell, orr_time *out)
{
    return orr_cell_missing(cell) || orr_take_time(k, cell, ORR_FLAW_TIME, out);
}

bool orr_take_some_duration(orr_intake *k, orr_cell cell, orr_time *out)
{
    return orr_cell_missing(cell) || orr_take_duration(k, cell, ORR_FLAW_TIME, out);
}

static bool take_stamps(orr_intake *k, orr_cell start, orr_cell end, orr_trace_job *job)
{
    if (!orr_take_some_time(k, start, &job->start) || !orr_take_some_time(k, end, &job->end))
        return false;
    if (job->start == ORR_TIME_NONE || job->end == ORR_TIME_NONE)
        return true;
    if (job->end < job->start)
        return orr_intake_flaw(k, ORR_FLAW_END_BEFORE_START, &end);
    job->duration = job->end - job->start;
    return job->start >= job->submit || orr_intake_flaw(k, ORR_FLAW_EARLY_START, &start);
}

bool orr_take_run(orr_intake *k, orr_cell start, orr_cell end, orr_cell stated, orr_trace_job *job)
{
    if (!take_stamps(k, start, end, job))
        return false;
    const bool known = job->start != ORR_TIME_NONE && job->end != ORR_TIME_NONE;
    orr_time duration = job->duration;
    if ((!known || !orr_cell_missing(stated)) && !orr_take_duration(k, stated, ORR_FLAW_NO_DURATION, &duration))
        return false;
    if (known)
        return duration == job->duration || orr_intake_flaw(k, ORR_FLAW_DURATION, &stated);
    job->duration = duration;
    return true;
}

typedef struct state_word {
    const char *word;
    orr_ending ending;
    bool censored;
} state_word;

static const state_word state_words[] = {
    {"done", ORR_ENDING_DONE, false},          {"completed", ORR_ENDING_DONE, false},
    {"pass", ORR_ENDING_DONE, false},          {"finished", ORR_ENDING_DONE, false},
    {"failed", ORR_ENDING_FAILED, false},      {"node_fail", ORR_ENDING_FAILED, false},
    {"out_of_memory", ORR_ENDING_FAILED, false}, {"boot_fail", ORR_ENDING_FAILED, false},
    {"killed", ORR_ENDING_KILLED, false},      {"cancelled", ORR_ENDING_KILLED, false},
    {"timeout", ORR_ENDING_KILLED, false},     {"suspended", ORR_ENDING_KILLED, false},
    {"preempted", ORR_ENDING_KILLED, false},   {"deadline", ORR_ENDING_KILLED, false},
    {"revoked", ORR_ENDING_KILLED, false},     {"requeued", ORR_ENDING_KILLED, false},
    {"resizing", ORR_ENDING_KILLED, false},    {"stopped", ORR_ENDING_KILLED, false},
    {"launch_failed", ORR_ENDING_FAILED, false}, {"special_exit", ORR_ENDING_FAILED, false},
    {"completing", ORR_ENDING_DONE, false},
    {"running", ORR_ENDING_DONE, true},
};

bool orr_take_state(orr_intake *k, orr_cell cell, orr_trace_job *job)
{
    if (orr_cell_missing(cell))
        return true;
    if (strncmp(cell.at, "CANCELLED by ", 13) == 0) {
        job->ending = ORR_ENDING_KILLED;
        return true;
    }
    for (size_t i = 0; i < sizeof state_words / sizeof *state_words; i++) {
        if (!orr_same_word(cell.at, state_words[i].word))
            continue;
        job->ending = state_words[i].ending;
        job->censored |= state_words[i].censored;
        return true;
    }
    return orr_intake_flaw(k, ORR_FLAW_STATE, &cell);
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
    if (!store(k, job))
        return false;
    in_order_of_rows(k, job->submit);
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
    orr_time *starts = (orr_time *)job->starts; /* the trace's own copy */
    for (uint32_t i = 0; starts && i < job->attempt_count; i++)
        starts[i] -= by;
}

static void move_to_origin(orr_intake *k)
{
    orr_trace *trace = k->trace;
    const orr_time first = k->first;
    const orr_civil origin = civil_origin(k, first);
    if (origin.local > 0 || origin.zoned)
        orr_civil_format(&origin, trace->origin);
    if (k->clock.kind == ORR_CLOCK_RELATIVE)
        return;
    for (size_t i = 0; i < trace->jobs.n; i++)
        move_job(&trace->jobs.at[i], first);
    for (size_t i = 0; i < trace->withdrawn.n; i++)
        move_job(&trace->withdrawn.at[i], first);
    for (size_t i = 0; i < trace->requests.n; i++)
        move(&trace->requests.at[i].arrival, first);
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
