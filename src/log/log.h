/* The event log of a run, `events.orrlog`: everything that happened, in the order in which it happened, and all that
 * must be known to judge it: the nodes, the jobs' requests, the costs, the clock. It is written while the run goes
 * and read record by record; neither side keeps more than one frame.
 *
 * The file: 8 bytes "ORRLOG" CR LF, u32 version, then frames. A frame is u32 size of what follows its head, u32 size
 * when unpacked, u32 CRC-32 of these 8 bytes and of what follows, and one frame of zstd; numbers are little-endian.
 * Each frame is unpacked alone, and its records count from time 0 and job 0 again, so that a file that was cut is
 * readable up to the cut. A frame holds about 256 KiB unpacked, more only if one record is larger. The first frame is
 * the header: facts as key and value, then runs of equal nodes. A complete log ends with a STOP record, and nothing
 * follows it.
 *
 * A record is its kind (a byte), the time passed since the record before, then the job (its place in the trace, as
 * the difference to the job before) and the members that the kind has, as `orr_log_record` lists them, `from` and
 * `until` as differences to its time. Unsigned numbers are LEB128, signed ones zigzag in that; a text is its length
 * and its bytes; a double its 8 bytes. A time is a number and its unit, so that whole seconds are short: first byte =
 * more (1 bit), unit ns us ms s (2), negative (1), low 4 bits; then 7 bits a byte.
 *
 * What the numbers mean, for whoever checks them: a job does `rate` ns of work in a ns from `from + pay` on; while
 * the rate is exactly 1 that is whole ns, else the floor of the product of doubles, taken whenever the rate changes
 * (SPEED) and when its hold ends. It completes `ceil(left / rate)` after `from + pay`, or after the last change of its
 * rate, under `tick` at the grid's next point, and nothing is left then; at rate 0 it stands still. A preemption takes
 * back what was done since the last multiple of the costs' `checkpoint`, counted in work from the start of that run;
 * so does the loss of a node. Whoever is given GPUs that another is still saving on has its hold begin (`from`) when
 * the last of them is vacated; another share of GPUs that it works on already begins at once. A GPU has 1000
 * thousandths: whoever holds it whole has all of them. Where a slice says nothing of cores and memory, they go with the
 * GPUs that the job asks, evenly, rounded up.
 *
 * Version 1 knew whole GPUs and whole cores, no nodes that go down and no speeds that change; it is still read.
 */
#ifndef ORR_LOG_LOG_H
#define ORR_LOG_LOG_H

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include <orrery/time.h>

#define ORR_LOG_NAME "events.orrlog"
#define ORR_LOG_CANCELLED "cancelled"
#define ORR_LOG_EARLY_STOP "early-stop"
enum { ORR_LOG_VERSION = 2, ORR_LOG_FRAME = 256 << 10, ORR_LOG_FRAME_MAX = 16 << 20 };
enum { ORR_LOG_MAX_GPUS = 64, ORR_LOG_MAX_NODES = 1 << 22 }; /* of a node; of a cluster */

/* ---- the header -------------------------------------------------------------------------------------------------- */

/* `count` equal nodes; numbered from 0 through all runs. Texts may be "". */
typedef struct orr_log_nodes {
    int32_t count, gpus, cpus; /* cpus, mem 0: not modelled, never refuse */
    int64_t mem;
    int64_t gpu_mem; /* of one GPU; 0: not stated, never refuses */
    const char *type, *vc, *rack;
    const char *name; /* "": node<number> */
} orr_log_nodes;

/* A VC that owns no nodes: so many GPUs of the one pool are promised to it. */
typedef struct orr_log_tenant {
    const char *vc;
    int64_t quota;
} orr_log_tenant;

/* Texts are never NULL. In memory for as long as its log is open. */
typedef struct orr_log_header {
    const char *program; /* "orrery 0.3.0" */
    const char *trace, *trace_digest, *cluster, *cluster_digest;
    const char *policy, *policy_resolved; /* as asked, and with every knob */
    const char *costs;                    /* resolved: "start=1s,restore=1:7s/2:30s,unpaid=keep"; "zero" */
    const char *clock;                    /* "exact", "round=360s", "tick=1s" */
    const char *measure;                  /* "all", …; "" where nobody measured */
    /* of progress: "linear" is gpus / gang; else what speeds come from; "whole-epochs": work is rounded, too */
    const char *model;
    const char *profiles, *profiles_digest; /* what speeds and nodes depend on besides; "": nothing of it */
    const char *throughputs, *throughputs_digest;
    const char *applications, *applications_digest;
    const char *interference, *net;
    const char *scenario, *scenario_digest;
    const char *services, *services_digest; /* that jobs ran beside; their requests, and which GPUs they held, isn't logged */
    const char *serve;                      /* the modules as resolved; "": none */
    uint64_t seed, jobs;                  /* jobs of the trace */
    orr_time first_asked, last_asked;     /* submissions of its first and last job by the record */
    bool one_pool;                        /* VCs of the nodes are ignored */
    bool borrows;                         /* jobs may be placed outside their VC */
    const orr_log_nodes *nodes;
    size_t node_runs;
    const orr_log_tenant *tenants; /* where there are any, they are all the VCs, and a job's pool is one of them */
    size_t tenant_count;
} orr_log_header;

int64_t orr_log_node_count(const orr_log_header *header);

/* ---- records ----------------------------------------------------------------------------------------------------- */

typedef enum orr_log_kind {
    ORR_LOG_NONE,
    ORR_LOG_SUBMIT,  /* a job comes in and waits */
    ORR_LOG_REJECT,  /* and goes away unserved: at the door, or by a decision */
    ORR_LOG_DECIDE,  /* what follows at this time the policy wanted; decisions that change nothing leave no trace */
    ORR_LOG_START,   /* is given GPUs: for the first time, or again */
    ORR_LOG_RESIZE,  /* has others from now on: another number */
    ORR_LOG_MIGRATE, /* the same number elsewhere */
    ORR_LOG_PREEMPT, /* loses them; it still blocks them until it has saved */
    ORR_LOG_SAVED,   /* has saved and waits; only where saving took time */
    ORR_LOG_RETRY,   /* an attempt is over and the next one waits */
    ORR_LOG_FINISH,  /* over */
    ORR_LOG_STOP,    /* the run is over */
    ORR_LOG_RESHARE, /* has the same GPUs from now on, with other shares, cores or memory */
    ORR_LOG_SPEED,   /* runs slower or faster from now on, for what others do */
    ORR_LOG_NODE,    /* a node comes, goes, or takes no new jobs any more */
    ORR_LOG_INTERRUPT, /* a job loses its GPUs with a node, and waits */
    ORR_LOG_KINDS    /* as many as the half of a byte has */
} orr_log_kind;

typedef enum orr_log_ending { ORR_LOG_DONE, ORR_LOG_FAILED, ORR_LOG_KILLED, ORR_LOG_ENDINGS } orr_log_ending;

/* What the job asks. Texts are never NULL. */
typedef struct orr_log_request {
    const char *id, *user, *vc, *name, *model;
    const char *types; /* of GPUs, joined by |; "": any */
    int32_t pool;      /* the VC that it counts in, by first mention among the nodes, or the tenant; -1: none */
    int32_t gpus, min_gpus, max_gpus;
    int32_t milli; /* share of each GPU; 1000: whole */
    int64_t cpu_milli; /* thousandths of a core */
    int64_t mem;
    int64_t gpu_mem;   /* device memory on each GPU, counted where GPUs are shared */
    orr_time asked;           /* submission by the record; of one that waits for others it decides nothing */
    orr_time duration;        /* work alone on its gang; sum of the attempts */
    orr_time deadline;        /* ORR_TIME_NONE: none */
    orr_time ran;             /* held GPUs at the origin, for so long by then; ORR_TIME_NONE: no */
    orr_time think;           /* between the last end of `after` and its submission */
    const orr_time *attempts; /* NULL: one */
    uint32_t attempt_count;   /* >= 1 */
    const uint32_t *after;    /* places in the trace */
    uint32_t after_count;
    orr_log_ending ending;  /* as recorded */
    bool pinned;            /* must not be preempted */
    bool censored, carried; /* its duration is a lower bound; it came before the origin */
} orr_log_request;

typedef struct orr_log_slice {
    int32_t node;
    int32_t milli;          /* of each of these GPUs; 1000: whole */
    uint64_t gpus;          /* bit i: GPU i of the node */
    int64_t cpu_milli, mem; /* 0: as the job asks */
} orr_log_slice;

typedef struct orr_log_counts {
    uint64_t submitted, done, failed, killed, rejected, running, queued; /* the last two: at the stop */
    uint64_t preemptions, migrations, resizes, retries;
    uint64_t decisions, commits, events, instants; /* commits: those that changed something */
    uint64_t reshares, interruptions, speed_changes;
} orr_log_counts;
enum { ORR_LOG_COUNTS = sizeof(orr_log_counts) / sizeof(uint64_t), ORR_LOG_COUNTS_1 = ORR_LOG_COUNTS - 3 };

/* Why the run stopped: as the simulation's own list, but that 0 is not used. */
typedef enum orr_log_stop {
    ORR_LOG_GOES_ON,
    ORR_LOG_DRAINED,
    ORR_LOG_HORIZON,
    ORR_LOG_STALLED,
    ORR_LOG_LIMIT,
    ORR_LOG_INTERRUPTED,
    ORR_LOG_ERROR,
    ORR_LOG_STOPS
} orr_log_stop;

typedef struct orr_log_record {
    orr_log_kind kind;
    orr_time at;
    uint32_t job; /* place in the trace; all but DECIDE, NODE and STOP */
    /* SUBMIT */
    const orr_log_request *request;
    /* START, RESIZE, MIGRATE, RESHARE */
    orr_time from; /* when the hold begins: `at`, or later */
    orr_time pay;  /* delay without progress from then on */
    double rate;   /* SPEED, too */
    bool resumed;  /* START: it ran at the origin already */
    const orr_log_slice *slices;
    int32_t slice_count;
    /* PREEMPT */
    orr_time until; /* the GPUs are blocked; `at`: not at all */
    orr_time lost;  /* work to be done again; INTERRUPT, too */
    /* NODE; `node` of INTERRUPT, too: whose loss it was */
    int32_t node;
    const char *state; /* "up", "down", "draining", …; "up@0.7": its GPUs run at this part of their full clock */
    uint64_t up;       /* its GPUs that work */
    bool takes;        /* new jobs may come */
    /* FINISH */
    orr_log_ending ending;
    /* FINISH, REJECT: of a policy's kill, of a rejection; ORR_LOG_CANCELLED: its user killed it; else "" */
    const char *reason;
    /* DECIDE: its number, from 1; 0: the engine put those that ran at the origin in their places */
    uint64_t number;
    /* STOP */
    orr_log_stop stop;
    orr_log_counts counts;
} orr_log_record;

const char *orr_log_kind_name(orr_log_kind kind);       /* "submit", … */
const char *orr_log_ending_name(orr_log_ending ending); /* "done", "failed", "killed" */
const char *orr_log_stop_name(orr_log_stop stop);       /* as in summary.json */
bool orr_log_has_job(orr_log_kind kind);                /* is it about a job? */
bool orr_log_is_grant(orr_log_kind kind);               /* START, RESIZE, MIGRATE, RESHARE */
int32_t orr_log_gpus(const orr_log_record *record);     /* in all its slices, whole or in parts */
int64_t orr_log_milli(const orr_log_record *record);    /* thousandths of a GPU, likewise */
/* "node3:0-7;node4:2+5", with the names of the header's nodes; "node4:2@500" of half a GPU. */
void orr_log_slices_text(const orr_log_header *header, const orr_log_record *record, orr_text *out);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct orr_log orr_log;

/* NULL and `e`: ORR_E_OPEN; ORR_E_FORMAT for what is no log; ORR_E_VERSION for one of a later version;
 * ORR_E_TRUNCATED for a header that is cut or damaged. The file of an error is "PATH:OFFSET", of the frame that is
 * wrong. */
orr_log *orr_log_open(const char *path, orr_error *e);
orr_log *orr_log_memory(const char *name, const void *data, size_t size, orr_error *e); /* borrows `data` */
void orr_log_close(orr_log *log);                                                       /* takes NULL */
const orr_log_header *orr_log_header_of(const orr_log *log);
/* The next record; *record is NULL after STOP. What it points to lasts until the next call. ORR_E_TRUNCATED: damaged,
 * or cut before its STOP (`orr_log_is_cut` tells); from then on the same error comes again. */
orr_err orr_log_next(orr_log *log, const orr_log_record **record, orr_error *e);
bool orr_log_is_cut(const orr_log *log);
uint64_t orr_log_offset(const orr_log *log);  /* bytes of the file up to the end of the present frame */
uint64_t orr_log_records(const orr_log *log); /* read so far */

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct orr_log_writer orr_log_writer;

/* `path` NULL: into memory. NULL and `e` (ORR_E_CREATE). */
orr_log_writer *orr_log_writer_create(const char *path, orr_error *e);
void orr_log_write_header(orr_log_writer *writer, const orr_log_header *header); /* once, first */
void orr_log_write(orr_log_writer *writer, const orr_log_record *record);
/* Completes the file under its name; frees the writer either way. ORR_E_WRITE. */
orr_err orr_log_writer_commit(orr_log_writer *writer, orr_error *e);
/* The whole log, of a writer into memory; to be freed by the caller (orr_text_fini). Frees the writer. */
orr_text orr_log_writer_take(orr_log_writer *writer);
void orr_log_writer_abandon(orr_log_writer *writer);         /* nothing is left under the path; takes NULL */
uint64_t orr_log_writer_bytes(const orr_log_writer *writer); /* so far, packed */

/* ---- questions to a whole log ------------------------------------------------------------------------------------ */

/* Calls `each` for every record of the job with this id, from its submission on, until it returns false. What a
 * record points to is borrowed. ORR_E_BAD_VALUE if no such job was submitted (before a cut, if the log is cut). One
 * pass, O(1) memory. */
orr_err orr_log_of_job(const char *path, const char *id,
                       bool (*each)(void *self, const orr_log_header *header, const orr_log_record *record), void *self,
                       orr_error *e);

/* What was done to a job at a time; kind NONE: nothing any more. */
typedef struct orr_log_deed {
    orr_log_kind kind;
    orr_time at;
    char text[160]; /* "start on node3:0-7", "preempt", "reject (too-wide)" */
} orr_log_deed;

typedef struct orr_log_difference {
    bool differs, found; /* found: the job is in both logs */
    char id[64];         /* the job; cut where it is longer */
    orr_log_deed a, b;   /* the first that differ; the earlier of their times is when the two part */
} orr_log_difference;

/* Walks two logs of the same jobs in step. `overall` (may be NULL): the first time at which something else was
 * decided, and one of the jobs that it was decided about; within a time the order doesn't matter. `each[i]`: the same
 * for the job `ids[i]` alone. A log that is cut ends there. O(records) time, O(records of one time + of the n jobs)
 * memory. */
orr_err orr_log_first_difference(const char *a, const char *b, orr_log_difference *overall, const char *const *ids,
                                 size_t n, orr_log_difference *each, orr_error *e);

#endif
