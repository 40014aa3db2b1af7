/* Cells of a row as values. All times of a file must be on one clock: the first one decides which. */
#include "base/decimal.h"
#include "trace/intake.h"
#include <stdio.h>

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
