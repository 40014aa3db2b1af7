/* What all readers share: taking cells apart, telling clocks apart, counting what is odd, keeping jobs.
 *
 * A reader calls `orr_intake_row` once a row, takes its cells by the `orr_take_…` functions, and ends with
 * `orr_intake_keep`. Each of these returns false when the row is over: dropped and counted, or the whole reading
 * failed. Then the reader just returns; the loop that called it looks at `failed`.
 */
#ifndef ORR_TRACE_INTAKE_H
#define ORR_TRACE_INTAKE_H

#include "base/io.h"
#include "trace/csv.h"
#include "trace/store.h"
#include "trace/zone.h"

/* One value of a row, by its column's name; `at` is NUL-terminated, n = 0 if there is none. */
typedef struct orr_cell {
    const char *name;
    const char *at;
    size_t n;
    uint32_t column;
} orr_cell;

#define ORR_EPOCH_FROM (INT64_C(100000000) * ORR_SECOND)

typedef enum orr_clock_kind {
    ORR_CLOCK_UNKNOWN,
    ORR_CLOCK_RELATIVE, /* numbers up to 1e8 s (3.2 years) */
    ORR_CLOCK_EPOCH,    /* numbers beyond: Unix seconds */
    ORR_CLOCK_LOCAL,    /* calendar text without a zone */
    ORR_CLOCK_ZONED,    /* calendar text with an offset */
} orr_clock_kind;

/* All times of a file must be on one clock; this is the one seen first, and where. */
typedef struct orr_clock {
    orr_clock_kind kind;
    uint32_t line;
    int32_t offset_minutes;
    bool offsets_differ;
    char text[48];
} orr_clock;

/* The unit of bare numbers that are times: multiplier * 10^places ns. Calendar text doesn't mind. */
typedef struct orr_unit {
    int64_t multiplier;
    int places;
} orr_unit;
#define ORR_UNIT_SECONDS ((orr_unit){1, 9})
#define ORR_UNIT_MS ((orr_unit){1, 6})
#define ORR_UNIT_MINUTES ((orr_unit){60, 9})

/* What an id that was used before means. */
typedef enum orr_same_id {
    ORR_SAME_ID_ERROR,  /* the file is wrong */
    ORR_SAME_ID_SUFFIX, /* another job; it gets "#2", … */
    ORR_SAME_ID_NEVER,  /* ids are made by counting rows */
} orr_same_id;

typedef struct orr_intake {
    orr_input *in;
    const orr_trace_options *options;
    orr_trace *trace;
    orr_error *e;
    orr_err failed; /* set: reading stops */
    const char *file; /* the file being read, if it is one beside the trace itself; NULL: the trace */
    uint32_t line;  /* where the current row begins */
    /* Of what was kept: the first and the last submission or arrival, on the file's clock. A record whose
     * submission is changed afterwards (runs.c) keeps `first` right. */
    bool kept;
    orr_time first, before;
    /* What is subtracted from the times of a record when it is kept: the submission of the first record, so that a file
     * in order needs no walk over all records once its true beginning is known. 0 on a relative clock, and for a reader
     * that compares rows with records kept before (`keeps_clock`). */
    orr_time base;
    bool based, keeps_clock;
    orr_same_id same_id;
    orr_unit unit; /* seconds unless the format says otherwise */
    orr_clock clock;
    orr_zone *zone; /* of calendar text that names none; NULL: taken as it stands */
    /* What comments of the file said: the calendar time of second 0 (local = 0: nothing), and that numbers are relative
     * whatever their size. */
    orr_civil origin;
    bool relative;
    void *reader; /* the format's own, for callbacks that are given nothing else */
    /* Scratch for the current row: what a record may point to until it is kept. */
    ORR_VEC(orr_time) attempts, starts;
    ORR_VEC(orr_predecessor) after;
    ORR_VEC(uint64_t) blocks; /* of a request */
    ORR_VEC(const char *) attributes; /* by name's place; "" where the row has none */
    char number[24];            /* scratch for ids made by counting */
    char first_bad[80];         /* of the first row dropped */
} orr_intake;

/* Whether a cell holds no value: empty, or a word that stands for it (None, null, NA, NaN, N/A, Unknown). */
bool orr_cell_missing(orr_cell cell);
bool orr_same_word(const char *a, const char *b); /* without regard to ASCII case */

void orr_intake_row(orr_intake *k, uint32_t line);
/* Ends the reading with an error at the current row and this cell (may be NULL); returns false. */
bool orr_intake_fail(orr_intake *k, orr_err code, const orr_cell *cell, const char *fmt, ...) ORR_PRINTF(4, 5);
/* Counts a flaw of the current row. Returns whether the row goes on: false for a DROP, or under strict. */
bool orr_intake_flaw(orr_intake *k, orr_flaw flaw, const orr_cell *cell);

/* A required value, or `missing` is the flaw. Numbers may be written as floats ("66.0"). */
bool orr_take_count(orr_intake *k, orr_cell cell, orr_flaw missing, int64_t *out);
bool orr_take_gpus(orr_intake *k, orr_cell cell, int32_t *out);
/* Decimal seconds; negative ones are a flaw. */
bool orr_take_duration(orr_intake *k, orr_cell cell, orr_flaw missing, orr_time *out);
/* A point in time on the file's clock. */
bool orr_take_time(orr_intake *k, orr_cell cell, orr_flaw missing, orr_time *out);
/* Optional ones: a missing value leaves *out as it is. */
bool orr_take_int32(orr_intake *k, orr_cell cell, int32_t *out); /* >= 0 */
bool orr_take_real(orr_intake *k, orr_cell cell, double *out);
bool orr_take_some_time(orr_intake *k, orr_cell cell, orr_time *out);
bool orr_take_some_duration(orr_intake *k, orr_cell cell, orr_time *out);
/* The recorded start and end, if both are known: the duration is their difference, and one that is stated otherwise is
 * repaired (a column that isn't there: `stated` is a missing cell). Else the stated one is needed. */
bool orr_take_run(orr_intake *k, orr_cell start, orr_cell end, orr_cell stated, orr_trace_job *job);
/* A final state; an unknown word is counted and taken as done. */
bool orr_take_state(orr_intake *k, orr_cell cell, orr_trace_job *job);

/* Takes k->attempts over: their sum is the duration (counted as repaired if the record says otherwise). They stay
 * single only if the options ask for it. */
bool orr_intake_attempts(orr_intake *k, const orr_cell *cell, orr_trace_job *job);
/* The number of the current row, from 0, as text. */
const char *orr_intake_number(orr_intake *k);
/* Declares an attribute, before the first row is kept, and gives its place. */
size_t orr_intake_attribute(orr_intake *k, const char *name);
/* The current row's value; the text must live until the row is kept. */
void orr_intake_set(orr_intake *k, size_t place, const char *text);
/* A job of this id comes before the current one; the text must live until the row is kept. */
void orr_intake_after(orr_intake *k, const char *id);
/* Checks the record and keeps or drops it. Scratch (attempts by orr_intake_attempts, starts if there are as many,
 * predecessors, attributes) goes with it. */
bool orr_intake_keep(orr_intake *k, orr_trace_job *job);
/* The job never ran: counted as dropped, and kept aside for reports. `end` says until when it waited, if known. */
bool orr_intake_withdraw(orr_intake *k, orr_trace_job *job);
/* Likewise a request, with the attributes and the blocks of the row. */
bool orr_intake_keep_request(orr_intake *k, orr_trace_request *request);
/* A default request: one, no times, nothing stated. An empty id is made of the row's number. */
orr_trace_request orr_trace_request_default(void);
/* Reads another file in between, one that the format joins: `read` finds it as k->in; its rows don't count as rows of
 * the trace, but for those that are dropped; flaws name it. Its digest is recorded. */
orr_err orr_intake_beside(orr_intake *k, const char *path, orr_err (*read)(orr_intake *k, void *self), void *self);
/* After the last row: origin, order, digest; ORR_E_NO_JOBS if nothing is left. */
orr_err orr_intake_finish(orr_intake *k);

#endif
