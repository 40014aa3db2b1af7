/* Everything that can be odd about a row, in one list: it makes the enum, the notes of a trace and the table of
 * traces/README.md. Reasons are stable names, used in summaries and in JSON.
 *
 * DROP: the row is left out. FIX: the row is kept, repaired. ASSUME: kept as it is, under a stated reading. WARN:
 * kept, but the record contradicts itself. Under `strict` a DROP or FIX is an error with the code named here; OK:
 * never an error, since leaving those rows out was asked for.
 */
#ifndef ORR_TRACE_FLAW_H
#define ORR_TRACE_FLAW_H

#include "base/text.h"
#include <orrery/trace.h>

/* X(symbol, kind, error code under strict, reason, sentence) */
#define ORR_FLAWS(X)                                                                                                   \
    X(RAGGED, DROP, RAGGED, "ragged-row", "the row has another number of fields than the header")                      \
    X(QUOTES, DROP, RAGGED, "bad-quotes", "text stands behind the closing quote of a field")                           \
    X(NOT_A_JOB, DROP, SYNTAX, "not-a-job", "the element is not an object")                                            \
    X(NUMBER, DROP, NUMBER, "bad-number", "a field should be a number and isn't, or is out of range")                  \
    X(TIME, DROP, TIME, "bad-time", "a field should be a time or duration and isn't")                                  \
    X(TIME_RANGE, DROP, RANGE, "time-range", "a time is out of range (146 years, or calendar years 1970 to 2105)")     \
    X(NO_ID, DROP, BAD_JOB, "no-id", "the job id is empty")                                                            \
    X(NO_SUBMIT, DROP, TIME, "no-submit", "the submit time is missing")                                                \
    X(NO_DURATION, DROP, TIME, "no-duration", "neither a duration nor start and end are known")                        \
    X(NO_END, DROP, TIME, "no-end", "the job has no end and no other run time: it still ran at the snapshot")          \
    X(NO_GPUS, DROP, NUMBER, "no-gpus", "the number of GPUs is missing")                                               \
    X(NEVER_RAN, DROP, OK, "never-ran", "the job was withdrawn or still waited when the record ended: it never ran")   \
    X(NO_ATTEMPTS, DROP, BAD_JOB, "no-attempts", "the job never ran: it has no attempts")                              \
    X(NO_USABLE, DROP, BAD_JOB, "no-usable-attempt", "no attempt has both a start and a later end")                    \
    X(NEGATIVE_GPUS, DROP, NUMBER, "negative-gpus", "the number of GPUs is negative")                                  \
    X(MANY_GPUS, DROP, NUMBER, "too-many-gpus", "more than 1,000,000 GPUs")                                            \
    X(NEGATIVE_TIME, DROP, TIME, "negative-time", "the submit time is negative")                                       \
    X(NEGATIVE_DURATION, DROP, TIME, "negative-duration", "a duration is negative")                                    \
    X(END_BEFORE_START, DROP, TIME, "end-before-start", "the end lies before the start")                               \
    X(GPU_RANGE, DROP, BAD_JOB, "gpu-range", "min_gpus <= gpus <= max_gpus does not hold")                             \
    X(MILLI, DROP, NUMBER, "bad-gpu-milli", "gpu_milli is not between 1 and 1000")                                     \
    X(WEIGHT, DROP, NUMBER, "bad-weight", "the weight is not a positive number")                                       \
    X(NEGATIVE_HOST, DROP, NUMBER, "negative-host", "cpus or mem_bytes is negative")                                   \
    X(CPU_ONLY, DROP, OK, "cpu-only", "the job asks for no GPU")                                                       \
    X(DURATION, FIX, BAD_JOB, "duration-mismatch", "the duration differs from the parts it is made of, which are used")\
    X(DUPLICATE_ID, FIX, DUPLICATE_ID, "duplicate-id", "an id was used before; the job got a suffix")                  \
    X(UNSORTED, ASSUME, OK, "unsorted", "the row was submitted before the row above it; rows were sorted")             \
    X(COLUMN, ASSUME, OK, "unknown-column", "a column that this format does not have is kept as an attribute")         \
    X(PREDECESSOR, ASSUME, OK, "unknown-predecessor", "a job that this one waits for is not in the trace; not waited for") \
    X(CIRCLE, FIX, BAD_JOB, "circular-after", "jobs wait for each other in a circle; one link was let go")             \
    X(STATE, ASSUME, OK, "unknown-state", "the final state is not known; taken as done")                               \
    X(FRACTION, ASSUME, OK, "fractional-gpu", "gpu_milli is below 1000; the job takes whole GPUs")                     \
    X(OPEN_END, ASSUME, OK, "open-end", "the last attempt has no end: the duration is a lower bound (censored)")       \
    X(ATTEMPT_TIMES, ASSUME, OK, "attempt-without-times", "an attempt lacks a usable start or end; it adds no time")   \
    X(GPUS_DIFFER, ASSUME, OK, "gpus-differ", "attempts list different numbers of GPUs; the first list counts")        \
    X(GPU_TIME, WARN, OK, "gpu-time-mismatch", "gpu_time is not duration times GPUs; it is not used")                  \
    X(EARLY_START, WARN, OK, "start-before-submit", "the recorded start lies before the submission")                   \
    X(EARLY_DEADLINE, WARN, OK, "deadline-before-submit", "the deadline lies before the submission")                   \
    X(OVERLAP, WARN, OK, "attempts-overlap", "an attempt starts before the one before it ends")

typedef enum orr_flaw {
    ORR_FLAW_NONE,
#define ORR_X(symbol, kind, code, reason, sentence) ORR_FLAW_##symbol,
    ORR_FLAWS(ORR_X)
#undef ORR_X
    ORR_FLAW_COUNT
} orr_flaw;

typedef struct orr_flaw_info {
    const char *reason, *sentence;
    orr_note_kind kind;
    orr_err code;
} orr_flaw_info;

const orr_flaw_info *orr_flaw_about(orr_flaw flaw); /* not for ORR_FLAW_NONE */
const char *orr_note_kind_name(orr_note_kind kind); /* "drop", "fix", "assume", "warn" */
/* What makes a record impossible, or ORR_FLAW_NONE. */
orr_flaw orr_flaw_of(const orr_trace_job *job);
/* The list as a Markdown table. */
void orr_flaw_markdown(orr_text *out);

#endif
