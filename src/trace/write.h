/* Traces out, in our own format and in those of others.
 *
 * A format holds less than our record. What it holds is a record, too: each job is first reduced to what will be read
 * back (`held`), by a table that says of every column of ours whether it is kept, kept in whole seconds, fitted by a
 * rule of the format, or lost. The writer prints nothing but that record, and the receipt is the difference between the
 * two, column by column: nobody has to remember to mention a loss.
 *
 * One file a format (write_*.c), a line in ORR_WRITERS.
 */
#ifndef ORR_TRACE_WRITE_H
#define ORR_TRACE_WRITE_H

#include "trace/columns.h"

typedef enum orr_carry {
    ORR_LOST,    /* the format has no place for it */
    ORR_KEPT,    /* as it is */
    ORR_SECONDS, /* a time, rounded to the nearest whole second, half away from zero */
    ORR_FITTED,  /* by a rule of the format: what its `fit` makes of it */
} orr_carry;

/* What becomes of the calendar. */
typedef enum orr_calendar_carry {
    ORR_CALENDAR_LOST, /* times count from the origin, whose date has no place */
    ORR_CALENDAR_FACE, /* clock faces without a zone; of an unknown origin counted from 1970-01-01 */
    ORR_CALENDAR_UNIX, /* whole Unix seconds; a clock face without a zone is taken as UTC */
    ORR_CALENDAR_KEPT,
} orr_calendar_carry;

typedef struct orr_writer orr_writer;

/* One conversion on its way. */
typedef struct orr_writing {
    const orr_writer *writer;
    const orr_trace *trace;
    orr_output *out;         /* NULL while the receipt is drawn up */
    orr_civil origin;        /* in whole seconds; 0 if the trace has none */
    orr_trace_job held;      /* the current job as the format holds it */
    const char **attributes; /* its attributes by their places in the trace, "" where not held */
    orr_arena texts;         /* what `held` and `attributes` may point to until the next job */
    uint64_t row;            /* jobs written before this one */
    void *own;               /* the format's; made by `begin`, freed by `end` */
} orr_writing;

struct orr_writer {
    const char *format;                 /* the name of its reader's format, and for --to */
    unsigned char carries[ORR_COLUMNS]; /* orr_carry by column */
    orr_calendar_carry calendar;
    const char *const *attributes; /* names of those that are kept, NULL-ended; NULL: none */
    bool any_attribute;            /* all are kept, but for what `fit` takes away */
    bool requests;                 /* it holds requests, too */
    /* All but `row` may be NULL. */
    void (*begin)(orr_writing *w);
    void (*end)(orr_writing *w);
    /* Completes w->held, which has what the table keeps. NULL, or in a few words why the job can't be written. */
    const char *(*fit)(orr_writing *w, const orr_trace_job *job);
    void (*head)(orr_writing *w); /* before the first row */
    void (*line)(orr_writing *w); /* w->held, whose attributes are w->attributes */
    void (*tail)(orr_writing *w); /* after the last */
    /* Instead of all of these: writes the file at once. */
    orr_err (*whole)(const orr_trace *trace, const char *path, orr_error *e);
};

#define ORR_WRITERS(X)                                                                                                 \
    X(orrery)                                                                                                          \
    X(helios)                                                                                                          \
    X(philly_json)                                                                                                     \
    X(swf)                                                                                                             \
    X(gavel)                                                                                                           \
    X(tiresias)                                                                                                        \
    X(openb)                                                                                                           \
    X(pollux)                                                                                                          \
    X(batsim)

#define ORR_X(name) extern const orr_writer orr_writer_##name;
ORR_WRITERS(ORR_X)
#undef ORR_X

const orr_writer *const *orr_writers(size_t *n);
/* By its format's name; ORR_E_BAD_VALUE with the nearest name, or all names. */
const orr_writer *orr_writer_named(const char *name, orr_error *e);
/* Which columns each format carries, as a Markdown table. */
void orr_writers_markdown(orr_text *out);

/* ---- the receipt ---- */

/* In how many jobs a value was lost, rounded (by less than a second), changed otherwise, or made up because the format
 * demands one. */
typedef struct orr_loss {
    const char *name; /* of a column of ours, or of an attribute */
    bool attribute;
    uint64_t lost, rounded, changed, filled;
} orr_loss;

typedef struct orr_unwritten {
    const char *why;
    uint64_t jobs;
} orr_unwritten;

typedef struct orr_receipt {
    uint64_t jobs, written;   /* of the trace (its requests, if it holds those), and of the file */
    ORR_VEC(orr_loss) losses; /* columns in the order of the table, then attributes; only those with a difference */
    ORR_VEC(orr_unwritten) unwritten;
    const char *origin;  /* what became of the calendar, in a sentence; NULL: it is kept */
    bool origin_assumed; /* that is: it was made up */
    uint64_t withdrawn;  /* jobs that never ran: no part of the trace's jobs, and not written */
} orr_receipt;

/* ORR_E_NO_JOBS if the format holds jobs and the trace requests. Texts live as long as the trace. O(jobs x columns). */
orr_err orr_receipt_of(const orr_writer *writer, const orr_trace *trace, orr_receipt *out, orr_error *e);
void orr_receipt_fini(orr_receipt *receipt);
/* Whether anything is less than it was; what was made up alone isn't. */
bool orr_receipt_loses(const orr_receipt *receipt);

/* ORR_E_NO_JOBS also if no job can be written; nothing is left under `path` on failure. */
orr_err orr_write_as(const orr_writer *writer, const orr_trace *trace, const char *path, orr_error *e);

/* ---- what writers share ---- */

/* Reduces a job to what the format holds: w->held, w->attributes. NULL, or why it can't be written. */
const char *orr_hold_job(orr_writing *w, const orr_trace_job *job);
void orr_writing_begin(orr_writing *w, const orr_writer *writer, const orr_trace *trace);
void orr_writing_end(orr_writing *w);

orr_time orr_whole_seconds(orr_time t);
/* The recorded run in whole seconds, for formats that hold a start and an end: both, if they are the job's duration
 * apart; else from the start on, from the submission on if that isn't known, for as long as the job ran. Sets start,
 * end and duration of w->held. */
void orr_hold_run(orr_writing *w, const orr_trace_job *job);
/* Where clock faces begin and end; NULL, or why a time of w->held can't be written. */
const char *orr_hold_faces(const orr_writing *w);
/* For formats whose readers take large numbers for Unix seconds: NULL, or why the submission can't be written. */
const char *orr_hold_relative(const orr_writing *w);
/* The text with bytes of `bad` replaced by '_'; itself if there are none. */
const char *orr_hold_text(orr_writing *w, const char *text, const char *bad);
/* The attribute of this name as it is held; "" if there is none. Setting one that the trace lacks does nothing. */
const char *orr_held_attribute(const orr_writing *w, const char *name);
void orr_hold_attribute(orr_writing *w, const char *name, const char *text);
bool orr_has_attribute(const orr_writing *w, const char *name); /* the trace, not the job */
/* A number as text that lives as long as the job is at hand. */
const char *orr_hold_number(orr_writing *w, int64_t value);

void orr_emit_time(orr_writing *w, orr_time t);       /* exact decimal seconds; nothing if unknown */
void orr_emit_face(orr_writing *w, orr_time t);       /* "2020-04-01 00:10:00"; nothing if unknown */
void orr_emit_cell(orr_writing *w, const char *text); /* a field of a CSV */
void orr_emit_text(orr_writing *w, const char *text);
void orr_emit_number(orr_writing *w, int64_t value);

#endif
