/* What a finished run is told as: tables for the terminal, JSON documents, and CSV files.
 *
 * Two doors. While a simulation runs, sinks write `attempts.csv` and `timeline.csv` as things happen, side by side with
 * the collector behind one fan-out. After it, an `orr_report_run` holds all that the documents say about the run,
 * filled by the caller and by `orr_report_from_sim`; the writers below only format it. Every file is written under a
 * temporary name and renamed when complete, and equal runs give equal bytes (the manifest's `wall` object apart).
 */
#ifndef ORR_REPORT_REPORT_H
#define ORR_REPORT_REPORT_H

#include "base/text.h"
#include "metrics/access.h"
#include "metrics/custom.h"
#include <orrery/metrics.h>

/* ---- sinks ------------------------------------------------------------------------------------------------------- */

/* Hands every call on to each of its sinks that has that member, in the order they were added. */
typedef struct orr_fanout orr_fanout;
orr_fanout *orr_fanout_create(void);
void orr_fanout_destroy(orr_fanout *fanout);        /* the sinks behind it are not touched; takes NULL */
void orr_fanout_add(orr_fanout *fanout, orr_sink sink);
orr_sink orr_fanout_sink(orr_fanout *fanout);

/* A CSV file written while the run goes; its sink has only the members it needs, so it stands behind a fan-out. Write
 * errors are remembered and reported by `commit`. */
typedef struct orr_csv_sink orr_csv_sink;
/* attempts.csv: a row for each held interval, in the order in which they ended. NULL and `e` on failure. */
orr_csv_sink *orr_attempts_csv_create(const char *path, orr_error *e);
/* timeline.csv: `t,entity,metric,value`, only changes; the entity is "cluster" or "vc:NAME". `cluster` is borrowed. */
orr_csv_sink *orr_timeline_csv_create(const char *path, const orr_cluster_spec *cluster, orr_error *e);
/* requests.csv: a row a request, in the order of the last words on them. `services` are borrowed. */
orr_csv_sink *orr_requests_csv_create(const char *path, const orr_services *services, orr_error *e);
orr_serving_sink orr_requests_csv_sink(orr_csv_sink *csv); /* instead of the next but two */
/* serving.csv: `t,entity,metric,value` as timeline.csv, in bins of which there are at most 480: of "services" and the
 * first 16 "service:NAME" how many requests a second arrived, were answered, were answered late, were dropped, and how
 * many waited; of "executors" and the first 48 "executor:N" how many batches ran (`busy`). Requests are told of at the
 * last word on them: those in flight at the stop are missing. `next` hears all, too; NULL: nobody. */
orr_csv_sink *orr_serving_csv_create(const char *path, const orr_services *services, orr_error *e);
orr_serving_sink orr_serving_csv_sink(orr_csv_sink *csv, const orr_serving_sink *next);
/* latencies.csv: `service,share,latency,latency_all` at 241 shares of all services ("*") and each of the first 16; a
 * service without answers has no rows, and latency_all is empty where it falls among dropped requests. After the
 * run. */
orr_err orr_latencies_csv_write(const char *path, const orr_serving *serving, orr_error *e);
orr_sink orr_csv_sink_sink(orr_csv_sink *csv);
/* Completes and renames the file; frees `csv` either way. */
orr_err orr_csv_sink_commit(orr_csv_sink *csv, orr_error *e);
void orr_csv_sink_abandon(orr_csv_sink *csv);       /* nothing is left under the path; takes NULL */

/* The same for jobs that aren't the simulator's, as in tests. */
orr_csv_sink *orr_attempts_csv_create_for(const char *path, orr_job_access access, orr_error *e);

/* jobs.csv: a row a job in trace order, from what the collector kept. To be called after `orr_collector_finish` and
 * while the trace lives. */
orr_err orr_jobs_csv_write(const char *path, const orr_collector *collector, orr_error *e);

/* ---- a finished run ---------------------------------------------------------------------------------------------- */

typedef struct orr_report_count {
    const char *name;
    uint64_t count;
} orr_report_count;

typedef struct orr_report_setting {
    const char *name, *value;
} orr_report_setting;

/* So many batches of a size: from 256 on sizes are counted in parts of 1 in 128, and the least of a part stands for it. */
typedef struct orr_batch_count {
    int32_t size;
    uint64_t count;
} orr_batch_count;

/* What came of one service. */
typedef struct orr_report_service {
    const char *name; /* of the services given to the simulation */
    orr_serving_metrics metrics;
    orr_batch_count *batches; /* owned */
    size_t batch_count;
} orr_report_service;

/* All texts and arrays are borrowed but `notes` and `services`. Zeroed memory plus the pointers marked * is a valid run. */
typedef struct orr_report_run {
    /* by the caller */
    const orr_trace *trace;             /* * */
    const orr_cluster_spec *cluster;    /* * */
    const orr_sim_options *options;     /* * as given to the simulation */
    const orr_metrics *metrics;         /* * of orr_collector_finish: the whole, then each VC */
    size_t metrics_count;
    const orr_custom *custom;           /* numbers asked for by expressions: columns of the table, metrics.custom */
    size_t custom_count;
    const orr_error *error;             /* what ended the run early; NULL or unset: nothing did */
    const char *cluster_asked;          /* the -c argument; NULL: the cluster's name */
    const orr_report_count *warnings;   /* besides those of the trace, by stable code */
    size_t warning_count;
    double max_wall_s;                  /* a limit of the caller's own; 0: none */
    const char *label;                  /* what the run is called beside others; NULL: its policy */
    bool without_jobs;                  /* only requests were served: nothing is told of jobs */
    /* by orr_report_from_sim */
    orr_stop stop;
    orr_time end;
    orr_sim_counts counts;
    orr_know used[ORR_Q_COUNT];
    const char *policy_resolved;        /* NULL: not known; then the name as asked is shown */
    const char *costs_resolved;         /* NULL: none */
    const char *serve_resolved;         /* of the serving modules; NULL: there were no services */
    orr_report_service *services;       /* in the order of their names; owned */
    size_t service_count;
    orr_report_count *notes;            /* reasons noted by the policy */
    size_t note_count;
} orr_report_run;

/* Fills the second half from a simulation that has stopped. The texts live as long as `sim`. */
void orr_report_from_sim(orr_report_run *run, const orr_sim *sim);
void orr_report_run_fini(orr_report_run *run); /* frees the notes and services */

/* summary.json, schema "orrery.summary/1": one document with a final newline. `pretty` adds line breaks and tabs;
 * without it the document is one line, as JSON Lines wants. */
orr_err orr_summary_json(const orr_report_run *run, bool pretty, orr_text *out, orr_error *e);

/* What the manifest says besides the run. */
typedef struct orr_report_manifest {
    int argc;
    const char *const *argv;            /* the command line as typed */
    const orr_report_setting *settings; /* every option as resolved, in the order to be shown */
    size_t setting_count;
    bool no_wall;                       /* leaves out the `wall` object */
    const char *wall_date, *wall_host;  /* NULL: left out */
    double wall_duration_s;             /* < 0: left out; so are the ones below */
    int64_t wall_max_rss_kib;
    double wall_decide_us[3];           /* p50, p99, max of one decision */
} orr_report_manifest;

/* manifest.json, schema "orrery.manifest/1". */
orr_err orr_manifest_json(const orr_report_run *run, const orr_report_manifest *manifest, orr_text *out, orr_error *e);

/* Writes `text` to `path` ("-" is stdout), whole or not at all. */
orr_err orr_report_write(const char *path, const orr_text *text, orr_error *e);

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef enum orr_table_form { ORR_TABLE_TEXT, ORR_TABLE_CSV, ORR_TABLE_MARKDOWN, ORR_TABLE_HTML } orr_table_form;

/* Rows of cells, each with a text for people and one for machines (CSV). Widths count code points. */
typedef struct orr_grid orr_grid;
orr_grid *orr_grid_create(void);
void orr_grid_destroy(orr_grid *grid);
/* All columns come before the first cell. `key` heads the CSV form, `label` the others; texts are copied. */
void orr_grid_column(orr_grid *grid, const char *label, const char *key, bool right);
/* The next cell, row by row. `exact` NULL: the same text. */
void orr_grid_cell(orr_grid *grid, const char *shown, const char *exact);
void orr_grid_print(const orr_grid *grid, orr_table_form form, orr_text *out);
size_t orr_grid_rows(const orr_grid *grid);

/* The side-by-side table of `run`: a row a run, in the order given. Text and Markdown come under a head with the lines
 * `trace` and `cluster` (of the first run), and end with a note where a run left jobs unfinished; CSV is the table
 * alone. */
void orr_report_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out);

/* "none" … "oracle": the highest level that the run used of anything. */
const char *orr_report_knowledge(const orr_report_run *run);

#endif
