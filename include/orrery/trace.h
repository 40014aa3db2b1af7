/* A trace: what people asked of a cluster. It holds jobs, in the order of submission, or the requests of a service, in
 * the order of arrival.
 *
 * Records are sorted by (submit, id, input row): ids compare naturally, runs of digits by value, so that `job10`
 * follows `job9`. Formats without ids number their rows, which keeps the order of the file. A permutation of the rows
 * of equal submit time therefore changes nothing, while `row` still tells what the file said first.
 * Times are relative to the trace's origin: the first submission where the file has calendar text or Unix seconds, the
 * file's own zero where its numbers are relative. Calendar text without a zone is taken as it stands, with no daylight
 * saving; text with an offset is taken exactly. A trace owns all its texts; records are valid as long as it lives.
 */
#ifndef ORRERY_TRACE_H
#define ORRERY_TRACE_H

#include <orrery/time.h>

/* How a job ended in the record; a replay runs it for its recorded time and ends it so. */
typedef enum orr_ending { ORR_ENDING_DONE, ORR_ENDING_FAILED, ORR_ENDING_KILLED } orr_ending;

/* A job that this one waits for. */
typedef struct orr_predecessor {
    const char *id;
    uint32_t job; /* its place in the trace; set when the trace is finished */
} orr_predecessor;

typedef struct orr_trace_job {
    const char *id;
    const char *user, *vc, *name, *model; /* "" when the format has none; never NULL */
    const char *gpu_type; /* GPU types that it may run on, joined by |; "": any */
    const char *group;    /* trial group or app that it is one of; "": none */
    const char *const *attributes; /* by orr_trace_attributes, never NULL texts; NULL: it has none of them */
    orr_time submit;     /* since the origin; of a job with predecessors only what the record said */
    orr_time duration;   /* time it ran, alone on what it asked for; >= 0; sum over the attempts */
    orr_time start, end; /* recorded, since the origin: when it first held GPUs, when it ended; ORR_TIME_NONE: unknown.
                          * `start` may lie before `submit` where the record is odd; `end` counts queueing in between */
    orr_time limit;      /* what the user said it would take at most; ORR_TIME_NONE: nothing */
    orr_time deadline;   /* absolute; ORR_TIME_NONE: none */
    const orr_time *attempts; /* durations of the single attempts, NULL if one; sums to `duration` */
    const orr_time *starts;   /* recorded starts of the attempts; NULL: unknown, or one attempt */
    uint32_t attempt_count;   /* >= 1 */
    /* it is submitted when all of these have ended, in whatever way, and `think` passed */
    const orr_predecessor *after;
    uint32_t after_count;
    orr_time think;           /* >= 0 */
    orr_time ran;             /* it holds GPUs at the origin and had run for so long then; ORR_TIME_NONE: no. `duration`
                               * is what is left; submit is 0 */
    int32_t gpus;        /* the gang; 0: a CPU-only job */
    int32_t min_gpus, max_gpus; /* elastic range; both = gpus when rigid */
    int32_t gpu_milli;   /* share of each GPU, 1000 = whole */
    int64_t cpu_milli;   /* thousandths of a core, for the whole job; 0: not stated */
    int64_t mem_bytes;   /* host memory for the whole job; 0: not stated */
    int64_t gpu_mem_bytes; /* device memory on each of its GPUs; 0: not stated */
    double weight;       /* 1 unless the trace says otherwise */
    orr_ending ending;
    bool censored;       /* still running when the record ended: the duration is a lower bound */
    bool carried;        /* submitted before the origin and not ended by then: it ran (`ran`) or waited */
    bool preemptible;    /* true unless the trace says otherwise */
    uint32_t row;        /* 0-based row of the input among the rows kept */
    uint32_t line;       /* 1-based line of the input, 0 if the format has no lines */
} orr_trace_job;

/* A request of a service, or a bin of them. */
typedef struct orr_trace_request {
    const char *id, *service, *client; /* model or service asked; who asked; "" when the format has none */
    const char *const *attributes;
    orr_time arrival;    /* since the origin; of a bin its beginning */
    orr_time duration;   /* recorded time it took; ORR_TIME_NONE: not recorded */
    int64_t tokens_in, tokens_out; /* -1: not stated */
    uint64_t count;      /* 1; of a bin: how many arrived within it */
    const uint64_t *blocks; /* names of the prefix-cache blocks of its input, in order; NULL: not stated */
    uint32_t block_count;
    orr_ending ending;
    bool censored;       /* not answered yet when the record ended */
    uint32_t row, line;
} orr_trace_request;

/* Something a reader dropped, repaired or assumed, counted by reason with its first places. */
typedef enum orr_note_kind { ORR_NOTE_DROP, ORR_NOTE_FIX, ORR_NOTE_ASSUME, ORR_NOTE_WARN } orr_note_kind;
typedef struct orr_note {
    const char *reason;  /* stable name, e.g. "cpu-only", "end-before-start" */
    const char *detail;  /* one sentence */
    const char *file;    /* where: the trace's own name, or a file beside it */
    orr_note_kind kind;
    uint64_t count;
    uint32_t first_lines[3]; /* 1-based, 0 = unused */
} orr_note;

/* A file that was read, and the SHA-256 of its bytes after decompression as 64 hex digits. */
typedef struct orr_trace_input {
    const char *path;
    char digest[65];
} orr_trace_input;

typedef struct orr_trace orr_trace;

typedef struct orr_trace_options {
    const char *format;      /* a name of traces/README.md; NULL: sniffed from the content */
    bool keep_cpu_jobs;      /* false: jobs without GPUs are dropped and counted */
    bool strict;             /* true: any drop or fix is an error, CPU-only jobs left out excepted */
    bool replay_attempts;    /* true: attempts are run one by one; false: merged into one run */
    const char *tables;      /* file or folder of the tables that some formats need for durations: Gavel's throughputs,
                              * Pollux' applications; NULL: none */
    const char *gpu_type;    /* the type whose throughput makes a recorded amount of work a duration; NULL: v100
                              * (Gavel), aws (Pollux) */
    const char *tz;          /* zone of calendar text that names none: "+08:00", "UTC", "America/Los_Angeles"; NULL: it
                              * is taken as it stands */
    const char *epoch;       /* calendar time of second 0 of relative times, "2020-07-01"; NULL: unknown */
} orr_trace_options;

ORR_BEGIN

/* Reads a trace from a file ("-" is stdin), plain, .gz or .zst by its magic bytes. NULL and `e` on failure.
 * One pass, O(n log n) at most for the final sort. `options` may be NULL. A row that can't be a job is dropped and
 * counted in the notes (traces/README.md has the list); the reading fails if the file is empty (ORR_E_EMPTY), of no
 * known format (ORR_E_FORMAT), lacks a column (ORR_E_MISSING_COLUMN), isn't UTF-8 (ORR_E_ENCODING), has times of
 * different clocks (ORR_E_MIXED_CLOCKS), repeats an id (ORR_E_DUPLICATE_ID; Tiresias and Philly JSON: counted
 * instead), ends too early (ORR_E_TRUNCATED), or leaves no job (ORR_E_NO_JOBS). */
ORR_API orr_trace *orr_trace_read(const char *path, const orr_trace_options *options, orr_error *e);
ORR_API void orr_trace_destroy(orr_trace *trace);

/* Builds a trace in memory. `add` copies the record and its texts; NULL texts are taken as "", an empty id as the
 * number of jobs so far, min_gpus and max_gpus of 0 as `gpus`. `finish` sorts and freezes; until then the other
 * queries may not be used. `add` returns ORR_E_BAD_JOB for contradictory records and ORR_E_DUPLICATE_ID, `finish`
 * ORR_E_NO_JOBS. */
ORR_API orr_trace *orr_trace_create(const char *name);
ORR_API orr_err orr_trace_add(orr_trace *trace, const orr_trace_job *job, orr_error *e);
ORR_API orr_err orr_trace_finish(orr_trace *trace, orr_error *e);
/* One whole GPU, no limit, no deadline, weight 1, preemptible, done; everything else 0 or NULL: to be filled in. */
ORR_API orr_trace_job orr_trace_job_default(void);

ORR_API size_t orr_trace_count(const orr_trace *trace); /* of jobs */
ORR_API const orr_trace_job *orr_trace_jobs(const orr_trace *trace);
/* Jobs that were submitted and withdrawn before they ran: nothing to replay, but asked for all the same. They are no
 * part of the jobs and counted as dropped (`never-ran`); their duration is 0, `end` when they were withdrawn. */
ORR_API size_t orr_trace_withdrawn(const orr_trace *trace, const orr_trace_job **jobs);
/* Requests by (arrival, row). With bins, each stands for `count` arrivals within orr_trace_bin from its arrival on. */
ORR_API size_t orr_trace_requests(const orr_trace *trace, const orr_trace_request **requests);
ORR_API orr_time orr_trace_bin(const orr_trace *trace); /* 0: single requests */
/* Names of what the format holds beyond the members of a record. */
ORR_API size_t orr_trace_attributes(const orr_trace *trace, const char *const **names);
/* A job's attribute by its name; "" if it has none. O(names). */
ORR_API const char *orr_trace_attribute(const orr_trace *trace, const orr_trace_job *job, const char *name);
ORR_API const char *orr_trace_name(const orr_trace *trace);   /* path as given */
ORR_API const char *orr_trace_format(const orr_trace *trace); /* "orrery-csv", "helios", "philly-json", … */
/* Wall-clock text of the origin ("2017-09-04 10:30:41"), "" when the trace is relative. */
ORR_API const char *orr_trace_origin(const orr_trace *trace);
/* What the calendar showed at a time (>= 0) of the trace, in the origin's zone. A relative trace is taken to begin on
 * Thursday, 1970-01-01, at midnight. */
ORR_API orr_date orr_trace_date(const orr_trace *trace, orr_time at);
/* SHA-256 of the decompressed input as 64 hex digits; "" for a trace made in memory. */
ORR_API const char *orr_trace_digest(const orr_trace *trace);
ORR_API size_t orr_trace_notes(const orr_trace *trace, const orr_note **notes);
/* All files read, the trace itself first; none for a trace made in memory. */
ORR_API size_t orr_trace_inputs(const orr_trace *trace, const orr_trace_input **inputs);
/* Rows read in all; rows read = jobs + requests + dropped. */
ORR_API uint64_t orr_trace_rows_read(const orr_trace *trace);

/* Writes our CSV: header, then a row a job in trace order; `comment` lines (may be NULL) go in front behind "# ", and
 * a line `# origin: …` where the calendar is known. A trace of requests becomes our CSV of those. Exact: reading it
 * back gives the same records but for `row` and `line`. */
ORR_API orr_err orr_trace_write(const orr_trace *trace, const char *path, const char *comment, orr_error *e);

ORR_END
#endif
