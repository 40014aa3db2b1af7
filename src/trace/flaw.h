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
    X(NO_ARRIVAL, DROP, TIME, "no-arrival", "the arrival time is missing")                                             \
    X(NO_DURATION, DROP, TIME, "no-duration", "neither a duration nor start and end are known")                        \
    X(NO_END, DROP, TIME, "no-end", "the job has no end and no other run time: it still ran at the snapshot")          \
    X(NO_GPUS, DROP, NUMBER, "no-gpus", "the number of GPUs is missing")                                               \
    X(NOT_WHERE, DROP, OK, "condition", "the condition of --where does not hold")                                      \
    X(OTHER_VC, DROP, OK, "other-vc", "the job is of another virtual cluster than those asked for")                    \
    X(OTHER_USER, DROP, OK, "other-user", "the job is of another user than those asked for")                           \
    X(OTHER_SIZE, DROP, OK, "other-size", "the job asks for fewer or more GPUs than was selected")                     \
    X(BEFORE, DROP, OK, "before-window", "submitted before the window, and ended before it")                           \
    X(BEFORE_UNKNOWN, DROP, OK, "before-window-unknown",                                                               \
      "submitted before the window; whether it still ran or waited then is not recorded")                              \
    X(BEYOND, DROP, OK, "after-window", "submitted after the window")                                                  \
    X(NOT_SAMPLED, DROP, OK, "not-sampled", "not in the sample")                                                       \
    X(OVER_LIMIT, DROP, OK, "over-limit", "behind the first jobs that --limit keeps")                                  \
    X(NO_TASK, DROP, BAD_JOB, "no-task", "the job has no task: what it asked for is not known")                        \
    X(REPEATED_ROW, DROP, DUPLICATE_ID, "repeated-row",                                                                \
      "an earlier row told of the same job or task; that one counts")                                                  \
    X(NEVER_RAN, DROP, OK, "never-ran", "the job was withdrawn or still waited when the record ended: it never ran")   \
    X(STEP, DROP, OK, "job-step", "a step of a job, whose work the row of the job holds already")                      \
    X(MERGED, DROP, OK, "merged-row", "a further row of a job of an earlier row, which it was merged into")            \
    X(NO_PROFILE, DROP, BAD_JOB, "no-profile", "the job's profile is not in the file")                                 \
    X(PROFILE_TYPE, DROP, BAD_JOB, "profile-type", "the job's profile is not a delay: it says no run time")            \
    X(EMPTY_BIN, DROP, OK, "empty-bin", "nothing arrived in this bin: it makes no record")                             \
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
    X(NEGATIVE_HOST, DROP, NUMBER, "negative-host", "cpus, mem_bytes or gpu_mem is negative")                          \
    X(CPU_ONLY, DROP, OK, "cpu-only", "the job asks for no GPU")                                                       \
    X(NO_THROUGHPUT, DROP, BAD_JOB, "no-throughput", "the tables have no speed for it on so many GPUs")                \
    X(ZERO_THROUGHPUT, DROP, BAD_JOB, "zero-throughput", "its speed on so many GPUs is 0: it can't run")               \
    X(NO_TABLE, DROP, BAD_JOB, "no-table", "there are no tables for its application or batch size")                    \
    X(UNIT, ASSUME, OK, "unit-assumed", "the format does not state the unit of its times")                             \
    X(DURATION, FIX, BAD_JOB, "duration-mismatch", "the duration differs from the parts it is made of, which are used")\
    X(FROM_SUBMIT, FIX, BAD_JOB, "duration-from-submit",                                                               \
      "the stated duration counts from the submission, waiting included; end minus start is used")                     \
    X(REPEATED_TYPE, FIX, OK, "repeated-gpu-type",                                                                     \
      "a GPU type stands twice among the alternatives of a job; once is enough")                                       \
    X(DUPLICATE_ID, FIX, DUPLICATE_ID, "duplicate-id", "an id was used before; the job got a suffix")                  \
    X(UNSORTED, ASSUME, OK, "unsorted", "the row was submitted before the row above it; rows were sorted")             \
    X(COLUMN, ASSUME, OK, "unknown-column", "a column that this format does not have is kept as an attribute")         \
    X(FACE_TWICE, ASSUME, OK, "clock-face-twice", "clocks were set back over this time; the first of the two is taken") \
    X(FACE_NEVER, ASSUME, OK, "clock-face-never", "clocks were set forward over this time; taken as if they had not been") \
    X(PREDECESSOR, ASSUME, OK, "unknown-predecessor", "a job that this one waits for is not in the trace; not waited for") \
    X(CIRCLE, FIX, BAD_JOB, "circular-after", "jobs wait for each other in a circle; one link was let go")             \
    X(BIN_WIDTH, ASSUME, OK, "bin-width", "how wide the bins are is not stated; taken from their times")               \
    X(ROW_SECOND, ASSUME, OK, "row-is-second", "the rows state no times; each is taken for one second")                \
    X(STATE, ASSUME, OK, "unknown-state", "the final state is not known; taken as done")                               \
    X(FRACTION, ASSUME, OK, "fractional-gpu", "gpu_milli is below 1000: it asks for a part of a GPU")                  \
    X(STILL_RUNNING, ASSUME, OK, "still-running",                                                                      \
      "it still ran when the record ended: the duration is a lower bound (censored)")                                  \
    X(BEFORE_RECORD, ASSUME, OK, "before-record",                                                                      \
      "it was there before the record began: carried over, and what it ran by then, which is not known, taken as 0")   \
    X(AT_ZERO, ASSUME, OK, "created-at-zero", "created at second 0, where the record begins: it may be older")         \
    X(SHIFTED, ASSUME, OK, "shifted-clock",                                                                            \
      "times were shifted by an unknown constant: hour and weekday of the origin are right, its date is not")          \
    X(LAUNCH, ASSUME, OK, "submit-is-launch", "the submission is not recorded; the launch is taken for it")            \
    X(TASK_TIMES, ASSUME, OK, "task-without-start", "a task of the job never started: the job is taken without it")    \
    X(INSTANCE_TIMES, ASSUME, OK, "times-of-instances",                                                                \
      "a task without a start or end of its own takes those of its instances")                                         \
    X(END_OF_JOB, ASSUME, OK, "end-of-job", "a task without an end of its own ended with its job")                     \
    X(GPU_SHARES, ASSUME, OK, "gpu-shares",                                                                            \
      "shares of GPUs differ within the gang, or go beyond whole GPUs: each GPU counts as the largest")                \
    X(GPU_TYPES, ASSUME, OK, "gpu-types-differ",                                                                       \
      "tasks of the gang have GPUs of different types; the first one counts")                                          \
    X(JOB_CLASS, ASSUME, OK, "unknown-job-type", "the job type is neither HP nor Spot; taken as preemptible")          \
    X(OPEN_END, ASSUME, OK, "open-end", "the last attempt has no end: the duration is a lower bound (censored)")       \
    X(ATTEMPT_TIMES, ASSUME, OK, "attempt-without-times", "an attempt lacks a usable start or end; it adds no time")   \
    X(GPUS_DIFFER, ASSUME, OK, "gpus-differ", "attempts list different numbers of GPUs; the first list counts")        \
    X(PROCESSORS, ASSUME, OK, "processors-as-gpus", "the format knows processors only; each is taken as one GPU")      \
    X(HET, ASSUME, OK, "het-component", "a part of a heterogeneous job is taken as a job of its own")                  \
    X(CUT, ASSUME, OK, "cut-at-limit", "the run is longer than the job's limit and ends there, killed")                \
    X(GPU_TIME, WARN, OK, "gpu-time-mismatch", "gpu_time is not duration times GPUs; it is not used")                  \
    X(TOTAL_TOKENS, WARN, OK, "total-mismatch", "the total of tokens is not their sum; it is not used")                \
    X(ORPHAN, WARN, OK, "orphan-row", "a row of a joined table belongs to no known job")                               \
    X(EARLY_START, WARN, OK, "start-before-submit", "the recorded start lies before the submission")                   \
    X(EARLY_DEADLINE, WARN, OK, "deadline-before-submit", "the deadline lies before the submission")                   \
    X(ELAPSED, WARN, OK, "elapsed-differs", "the stated run time is not end minus start; it is used all the same")     \
    X(BEYOND_MACHINE, WARN, OK, "beyond-machine", "the job has more processors than the machine, by the file's head")  \
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
