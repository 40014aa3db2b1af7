/* What a conversion loses: every job is compared with what the format holds of it, column by column. */
#include "base/assert.h"
#include "trace/write.h"
#include <stdlib.h>

typedef struct tally {
    orr_loss columns[ORR_COLUMNS];
    orr_loss *attributes;
    orr_text was, is;
} tally;

typedef enum difference { SAME, LOST, ROUNDED, CHANGED, FILLED } difference;

static void count(orr_loss *loss, difference d)
{
    loss->lost += d == LOST;
    loss->rounded += d == ROUNDED;
    loss->changed += d == CHANGED;
    loss->filled += d == FILLED;
}

/* The time of a column, ORR_TIME_NONE for those that hold none. */
static orr_time time_of(size_t column, const orr_trace_job *job)
{
    switch (column) {
    case ORR_COLUMN_SUBMIT:
        return job->submit;
    case ORR_COLUMN_DURATION:
        return job->duration;
    case ORR_COLUMN_LIMIT:
        return job->limit;
    case ORR_COLUMN_DEADLINE:
        return job->deadline;
    case ORR_COLUMN_START:
        return job->start;
    case ORR_COLUMN_END:
        return job->end;
    case ORR_COLUMN_THINK:
        return job->think;
    default:
        return ORR_TIME_NONE;
    }
}

static bool within_a_second(orr_time a, orr_time b)
{
    const orr_wide apart = (orr_wide)a - b;
    return a != ORR_TIME_NONE && b != ORR_TIME_NONE && apart < ORR_SECOND && apart > -ORR_SECOND;
}

/* Lists of times of equal length, each within a second. */
static bool attempts_rounded(const orr_time *a, const orr_time *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!within_a_second(a[i], b[i]))
            return false;
    return true;
}

static bool rounded(size_t column, const orr_trace_job *job, const orr_trace_job *held)
{
    const bool listed = job->attempt_count == held->attempt_count;
    if (column == ORR_COLUMN_ATTEMPTS)
        return listed && attempts_rounded(job->attempts, held->attempts, job->attempt_count);
    if (column == ORR_COLUMN_STARTS)
        return listed && attempts_rounded(job->starts, held->starts, job->attempt_count);
    return within_a_second(time_of(column, job), time_of(column, held));
}

static difference compare(tally *t, size_t column, const orr_trace_job *job, const orr_trace_job *held, orr_carry carry)
{
    const orr_column *c = &orr_columns[column];
    orr_text_clear(&t->was);
    orr_text_clear(&t->is);
    c->print(c, job, &t->was);
    c->print(c, held, &t->is);
    if (t->was.n == t->is.n && (t->was.n == 0 || memcmp(t->was.at, t->is.at, t->was.n) == 0))
        return SAME;
    if (t->was.n == 0)
        return FILLED;
    if (t->is.n == 0 || carry == ORR_LOST)
        return LOST;
    return rounded(column, job, held) ? ROUNDED : CHANGED;
}

static void compare_attributes(tally *t, const orr_writing *w, const orr_trace_job *job)
{
    for (size_t i = 0; job->attributes && i < w->trace->attributes.n; i++) {
        const char *was = job->attributes[i], *is = w->attributes[i];
        if (strcmp(was, is) != 0)
            count(&t->attributes[i], !was[0] ? FILLED : !is[0] ? LOST : CHANGED);
    }
}

static void compare_job(tally *t, const orr_writing *w, const orr_trace_job *job)
{
    for (size_t c = 0; c < ORR_COLUMNS; c++)
        if (w->writer->carries[c] != ORR_KEPT)
            count(&t->columns[c], compare(t, c, job, &w->held, w->writer->carries[c]));
    compare_attributes(t, w, job);
}

static void not_written(orr_receipt *r, const char *why)
{
    for (size_t i = 0; i < r->unwritten.n; i++)
        if (strcmp(r->unwritten.at[i].why, why) == 0) {
            r->unwritten.at[i].jobs++;
            return;
        }
    const orr_unwritten first = {why, 1};
    ORR_VEC_PUSH(&r->unwritten, first);
}

static bool any(const orr_loss *loss)
{
    return loss->lost + loss->rounded + loss->changed + loss->filled > 0;
}

static void list_losses(orr_receipt *r, tally *t, const orr_trace *trace)
{
    for (size_t c = 0; c < ORR_COLUMNS; c++) {
        t->columns[c].name = orr_columns[c].name;
        if (any(&t->columns[c]))
            ORR_VEC_PUSH(&r->losses, t->columns[c]);
    }
    for (size_t i = 0; i < trace->attributes.n; i++) {
        t->attributes[i].name = trace->attributes.at[i];
        t->attributes[i].attribute = true;
        if (any(&t->attributes[i]))
            ORR_VEC_PUSH(&r->losses, t->attributes[i]);
    }
}

static void judge_origin(orr_receipt *r, const orr_writing *w)
{
    orr_civil origin = {0};
    const char *text = w->trace->origin;
    const bool known = text[0] && !orr_civil_parse(text, strlen(text), &origin);
    const orr_calendar_carry calendar = w->writer->calendar;
    r->origin_assumed = !known && calendar == ORR_CALENDAR_FACE;
    if (r->origin_assumed)
        r->origin = "the calendar time of second 0 is not known: taken as 1970-01-01 00:00:00";
    if (!known || calendar == ORR_CALENDAR_KEPT)
        return;
    if (calendar == ORR_CALENDAR_LOST)
        r->origin = "the calendar time of second 0 is lost";
    else if (calendar == ORR_CALENDAR_FACE && origin.zoned)
        r->origin = "the time zone is lost";
    else if (calendar == ORR_CALENDAR_UNIX && !origin.zoned)
        r->origin = "times that name no zone are taken as UTC";
    else if (origin.local != w->origin.local)
        r->origin = "the calendar time of second 0 is rounded to a whole second";
}

static void compare_all(orr_receipt *r, orr_writing *w)
{
    tally t = {.attributes = orr_xcalloc(w->trace->attributes.n + 1, sizeof(orr_loss))};
    for (size_t i = 0; i < w->trace->jobs.n; i++) {
        const orr_trace_job *job = &w->trace->jobs.at[i];
        const char *why = orr_hold_job(w, job);
        if (why) {
            not_written(r, why);
            continue;
        }
        compare_job(&t, w, job);
        w->row = ++r->written;
    }
    list_losses(r, &t, w->trace);
    orr_text_fini(&t.was);
    orr_text_fini(&t.is);
    free(t.attributes);
}

static orr_err holds_no_requests(const orr_writer *writer, const orr_trace *trace, orr_error *e)
{
    orr_error_set(e, ORR_E_NO_JOBS, "%s holds jobs, and this trace holds requests", writer->format);
    orr_error_at(e, trace->name, 0, 0);
    orr_error_hint(e, "requests can be written as orrery");
    return ORR_E_NO_JOBS;
}

orr_err orr_receipt_of(const orr_writer *writer, const orr_trace *trace, orr_receipt *out, orr_error *e)
{
    *out = (orr_receipt){.jobs = trace->jobs.n + trace->requests.n, .withdrawn = trace->withdrawn.n};
    if (trace->requests.n && !writer->requests)
        return holds_no_requests(writer, trace, e);
    out->written = trace->requests.n;
    orr_writing w;
    orr_writing_begin(&w, writer, trace);
    judge_origin(out, &w);
    if (writer->whole)
        out->written = out->jobs;
    else
        compare_all(out, &w);
    orr_writing_end(&w);
    return ORR_OK;
}

void orr_receipt_fini(orr_receipt *receipt)
{
    ORR_VEC_FREE(&receipt->losses);
    ORR_VEC_FREE(&receipt->unwritten);
}

bool orr_receipt_loses(const orr_receipt *receipt)
{
    bool loses =
        receipt->written < receipt->jobs || receipt->withdrawn || (receipt->origin && !receipt->origin_assumed);
    for (size_t i = 0; i < receipt->losses.n; i++) {
        const orr_loss *l = &receipt->losses.at[i];
        loses |= l->lost + l->rounded + l->changed > 0;
    }
    return loses;
}
