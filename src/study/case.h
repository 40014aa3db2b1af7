/* A case: all that decides the outcome of one simulation, as data. Cases come from YAML (a baseline, a sweep, a claim,
 * an experiment), from a manifest and from the command line; one table of keys serves all of them and the
 * documentation. The same case gives the same bytes wherever it runs.
 *
 * A stock keeps what cases share: each trace and cluster is read once, each selection made once.
 */
#ifndef ORR_STUDY_CASE_H
#define ORR_STUDY_CASE_H

#include "config/schema.h"
#include "report/report.h"
#include <orrery/profile.h>
#include <orrery/select.h>

typedef ORR_VEC(const char *) orr_texts;

/* Texts are borrowed; NULL or "" where nothing is said. Keys are the long options of `run`. */
typedef struct orr_case {
    /* the trace, how it is read, which part of it is taken */
    const char *trace, *format, *tables, *gpu_type, *tz, *epoch;
    int32_t cpu_jobs, attempts; /* drop|schedule, merge|replay */
    bool strict;
    const char *where, *from, *to; /* the latter two durations, or calendar times on the trace's calendar */
    orr_texts vcs, users; /* borrowed, too: never grown or freed */
    int64_t min_gpus, max_gpus;
    double sample, scale_load;
    uint64_t limit;
    /* the cluster */
    const char *cluster, *capacity_day;
    int64_t gpus_per_node;
    bool ignore_vcs;
    int32_t unknown_vc; /* pool|reject */
    /* the scenario and the policy */
    const char *policy, *costs, *clock, *measure;
    const char *scenario; /* what happens to the cluster meanwhile: a file */
    const char *throughputs; /* speeds by GPU type: FILE[,reference=TYPE][,spread=no][,pairs=no] */
    const char *applications; /* how models scale: PATH[,work=own][,type=TYPE]… */
    const char *profiles, *interference; /* what models need; what sharing does to speed */
    const char *services; /* what is asked besides jobs: a file; with it the trace may be "": no jobs */
    const char *serve;    /* serving modules joined by '+'; "" or "none": no policy */
    const char *net;                     /* what communication does */
    int32_t know; /* orr_know */
    int32_t on_violation; /* stop|skip */
    uint64_t seed;
    orr_time warmup, cooldown; /* margins of the measure */
    orr_texts metrics;         /* expressions of metrics/expr.h */
    orr_time until;
    uint64_t max_events;
} orr_case;

orr_case orr_case_default(void);
/* One key by its text, as an axis of a grid or an override does; texts are kept in `arena`. Several VCs or users stand
 * with blanks between, in double quotes where they have blanks themselves. ORR_E_UNKNOWN_KEY with the nearest,
 * ORR_E_BAD_VALUE. */
orr_err orr_case_set(orr_case *c, orr_arena *arena, const char *key, const char *value, orr_error *e);
/* All keys of a YAML map; texts are borrowed from `doc`. Paths of files are as they stand: relative to the working
 * folder. Keys that the caller's own table has (`skip`, NULL-ended, may be NULL) are passed over. */
orr_err orr_case_read(orr_case *c, const orr_yaml_doc *doc, const orr_yaml *map, const char *const *skip, orr_error *e);
/* The keys that differ from the defaults, as `key=value` in the order of the table, blank between: a canonical name.
 * Equal cases have equal texts. A value with blanks stands in double quotes. */
void orr_case_text(const orr_case *c, orr_text *out);
/* The table of keys as Markdown, for configs/README.md. */
void orr_case_keys_markdown(orr_text *out);
/* Jobs are replayed: there is a trace, or nothing that could be run without one. */
bool orr_case_has_jobs(const orr_case *c);
/* What it is called beside others of its kind: its policy; "none" or its serving modules where there are no jobs; both,
 * with " / " between, where there are jobs and services. */
void orr_case_label(const orr_case *c, orr_text *out);
/* What can be known to be wrong without reading any file: measure, metrics, costs, clock. */
orr_err orr_case_check(const orr_case *c, orr_error *e);
/* The measure with its margins. */
orr_err orr_case_measure(const orr_case *c, orr_measure *out, orr_error *e);

/* ---- inputs ---- */

orr_trace_options orr_case_trace_options(const orr_case *c);
/* The part of the trace that the case is about: a new trace, or NULL in *part where it is all of it. `to` is what
 * messages call the key `to`; NULL: "to". */
orr_err orr_case_select(const orr_case *c, const char *to, const orr_trace *trace, orr_trace **part, orr_error *e);

typedef struct orr_stock orr_stock;
orr_stock *orr_stock_create(const orr_registry *registry); /* borrowed; NULL: the built-in modules */
void orr_stock_destroy(orr_stock *stock); /* takes NULL */
const orr_registry *orr_stock_registry(const orr_stock *stock);
/* The trace as read and selected, and the cluster, of a case: owned by the stock, read at the first call for these keys
 * and kept. NULL and `e`; ORR_E_NO_JOBS where nothing is left to simulate. */
const orr_trace *orr_stock_trace(orr_stock *stock, const orr_case *c, orr_error *e);
const orr_cluster_spec *orr_stock_cluster(orr_stock *stock, const orr_case *c, orr_error *e);
/* The scenario of a case, likewise. */
orr_err orr_stock_scenario(orr_stock *stock, const orr_case *c, const orr_scenario **out, orr_error *e);
/* The profiles of a case; *out is NULL where it names none. */
orr_err orr_stock_profiles(orr_stock *stock, const orr_case *c, const orr_profiles **out, orr_error *e);
/* Its throughput table, likewise. Where that names no reference it is the GPU type by which the trace was read, if the
 * table has it. */
orr_err orr_stock_throughputs(orr_stock *stock, const orr_case *c, const orr_throughputs **out, orr_error *e);
orr_err orr_stock_applications(orr_stock *stock, const orr_case *c, const orr_applications **out, orr_error *e);
/* Its services, likewise. */
orr_err orr_stock_services(orr_stock *stock, const orr_case *c, const orr_services **out, orr_error *e);
/* Keeps services that were made in memory as what this text names; before any case read them. */
void orr_stock_keep_services(orr_stock *stock, const char *name, orr_services *services_owned);
/* The same for who tells what was read: a trace without jobs (of requests) is fine here. */
const orr_trace *orr_stock_read(orr_stock *stock, const orr_case *c, orr_error *e);
/* Keeps a trace that was made in memory as what the keys of `c` would read; before any of them was read. */
void orr_stock_keep(orr_stock *stock, const orr_case *c, orr_trace *trace_owned);
/* Drops the traces that only served to select from. Cases of the same selection lose nothing, others read again. */
void orr_stock_trim(orr_stock *stock);

/* ---- running ---- */

/* A setting that decides nothing a case knows of, and behind which key of the case it is shown; NULL: at the end. */
typedef struct orr_case_extra {
    const char *name, *value, *behind;
} orr_case_extra;

/* What may listen besides the collector, and what becomes of the results; zeroed memory is nothing. */
typedef struct orr_case_hooks {
    orr_sink sink;            /* a listener of the caller's own; members may be NULL */
    const char *dir;          /* the folder for the files of `run -o`, made with its parents; NULL: no files */
    bool no_log;              /* with dir: no events.orrlog */
    bool no_wall;             /* with dir: nothing of real time, date and host in the manifest */
    bool (*more)(void *self, orr_sim *sim); /* called before each instant: false interrupts the run; may be NULL. It may
                                             * also call orr_sim_interrupt itself, for a limit that it keeps */
    void *more_self;
    double max_wall_s;        /* that limit, to be told in the documents; 0: none */
    int argc;                 /* the command line for the manifest; 0: none */
    const char *const *argv;
    const orr_case_extra *extras;
    size_t extra_count;
    const char *const *write; /* names of extras.h to be written into `dir`, too; NULL-ended; may be NULL */
} orr_case_hooks;

typedef struct orr_case_result {
    orr_err code;             /* ORR_OK; or why the run ended early: then what there is is partial; or a file failed */
    orr_stop stop;
    orr_text summary;         /* summary.json as one line */
    orr_metrics *metrics;     /* the whole, then each VC; owned */
    size_t metrics_count;
    orr_error error;          /* why the run ended early; its code is 0 if it didn't */
    orr_error *failed;        /* what couldn't be written, a file each */
    size_t failed_count;
    orr_report_count *rejected; /* jobs by the reason of their rejection, in the order of the first of each */
    size_t rejected_count;
    const orr_report_run *report; /* for tables and documents; borrows the trace and the cluster of the stock, and texts
                                   * of the case */
    struct orr_case_story *story; /* what `report` and the texts point to */
} orr_case_result;

/* Could it be run? What orr_case_run would refuse is refused. Costs as much as making the simulation. */
orr_err orr_case_try(const orr_case *c, orr_stock *stock, orr_error *e);
/* Runs it. An error of the inputs or the request is returned with nothing in `out`; a run that began always has a
 * result, ORR_OK is returned, and `out->code` and `e` say how it ended. `hooks` may be NULL. */
orr_err orr_case_run(const orr_case *c, orr_stock *stock, const orr_case_hooks *hooks, orr_case_result *out,
                     orr_error *e);
void orr_case_result_fini(orr_case_result *result); /* takes zeroed memory */

/* A result as bytes for the pool (pool.h), and back in the process that has forked the one that packed it. */
void orr_case_result_pack(const orr_case_result *result, orr_text *out);
orr_err orr_case_result_unpack(const orr_case *c, orr_stock *stock, const orr_text *bytes, orr_case_result *out,
                               orr_error *e);

#endif
