/* A finished run as its folder tells it (`run -o DIR`): summary and manifest whole, the tables row by row. Nothing of
 * a table stays in memory, so a result of millions of jobs is read in the memory of one row.
 *
 * Tables are read by the names of their columns, in any order; unknown columns are passed over, so that a newer
 * program's results are read as far as they are known.
 */
#ifndef ORR_REPORT_RESULT_H
#define ORR_REPORT_RESULT_H

#include "metrics/expr.h"
#include <cjson/cJSON.h>
#include <orrery/metrics.h>

typedef struct orr_result orr_result;

/* Whether the folder holds a result, whole or not: it has a summary.json. */
bool orr_result_is(const char *dir);
/* Reads summary.json and manifest.json. NULL and `e`: ORR_E_OPEN where the folder or a file is missing, ORR_E_FORMAT
 * for what isn't a result, ORR_E_VERSION for a schema newer than this program knows. */
orr_result *orr_result_open(const char *dir, orr_error *e);
void orr_result_close(orr_result *result);
const char *orr_result_dir(const orr_result *result);
/* What it is called where people read: its folder, unless it was renamed. */
const char *orr_result_name(const orr_result *result);
void orr_result_rename(orr_result *result, const char *name);
const cJSON *orr_result_summary(const orr_result *result);
const cJSON *orr_result_manifest(const orr_result *result);
/* "NAME[:PRESET]…" as asked; of a run with services what served them, behind " / " where there were jobs, too. */
const char *orr_result_policy(const orr_result *result);
/* A text of the summary by its path ("trace.digest"), "" where there is none. */
const char *orr_result_text(const orr_result *result, const char *path);
/* A metric of the summary by its key ("jct.p99"); "measured" and "jobs.completed" are keys, too, and so is the text of
 * an expression that was asked for by --metric. NaN where undefined; false if there is none of that name. */
bool orr_result_metric(const orr_result *result, const char *key, double *value);
/* Every number of the summary by its key, in its order, the expressions last; as orr_metrics_each. Only leaves that are
 * numbers or null; those of an expression are in "s" or "". */
void orr_result_each_metric(const orr_result *result,
                            void (*each)(void *self, const char *key, double value, const char *unit), void *self);
/* The values of expressions over its jobs and keys, one pass over jobs.csv; as orr_expr_values. */
orr_err orr_result_values(const orr_result *result, const orr_expr *const *list, size_t n, double *values,
                          orr_error *e);

/* A row of jobs.csv. Texts are borrowed until the next row. Where a cell is empty, times are ORR_TIME_NONE and
 * reals NaN. */
typedef struct orr_result_job {
    const char *id, *user, *vc, *state, *reason;
    int32_t gpus;
    orr_time submit, first_start, end, jct, wait_first, wait_total, duration, held, deadline;
    double service, overhead, lost_work, slowdown, rho;
    int64_t starts, preemptions, migrations, resizes, attempts;
    bool measured; /* counted by the run's measure */
    int64_t gpu_milli, interruptions; /* 1000 and 0 where the column isn't there */
} orr_result_job;

/* A row of attempts.csv: one interval [start, end) on one allocation. */
typedef struct orr_result_hold {
    const char *id;
    int64_t attempt;
    orr_time start, end;
    int32_t gpus, nodes;
    const char *allocation; /* as written there: node:gpu sets, and the part of each GPU */
    const char *reason;     /* orr_hold_end_name */
    orr_time overhead;
} orr_result_hold;

/* A row of timeline.csv: from t on, the entity's metric has this value. */
typedef struct orr_result_level {
    orr_time t;
    const char *entity, *metric;
    double value;
} orr_result_level;

/* A row of latencies.csv: of a service ("*": all) the latency that this share of the answers is within, and that this
 * share of all who arrived is within. NaN where there is none. */
typedef struct orr_result_latency {
    const char *service;
    double share, latency, latency_all;
} orr_result_latency;

/* Each calls `each` for every row in the file's order, until it returns false. ORR_E_… with the place for a damaged
 * file. O(rows) time, O(1) memory. */
orr_err orr_result_jobs(const orr_result *result, bool (*each)(void *self, const orr_result_job *job), void *self,
                        orr_error *e);
orr_err orr_result_holds(const orr_result *result, bool (*each)(void *self, const orr_result_hold *hold), void *self,
                         orr_error *e);
orr_err orr_result_levels(const orr_result *result, bool (*each)(void *self, const orr_result_level *level), void *self,
                          orr_error *e);

/* Likewise serving.csv, and latencies.csv: nothing where requests weren't served. */
orr_err orr_result_serving_levels(const orr_result *result, bool (*each)(void *self, const orr_result_level *level),
                                  void *self, orr_error *e);
orr_err orr_result_latencies(const orr_result *result, bool (*each)(void *self, const orr_result_latency *row),
                             void *self, orr_error *e);

/* The jobs one at a time, for who walks several results in step. */
typedef struct orr_result_walk orr_result_walk;
orr_result_walk *orr_result_walk_begin(const orr_result *result, orr_error *e); /* NULL and `e` */
/* *job is NULL at the end; borrowed until the next call. */
orr_err orr_result_walk_next(orr_result_walk *walk, const orr_result_job **job, orr_error *e);
void orr_result_walk_end(orr_result_walk *walk); /* takes NULL */

/* A part of an allocation: GPUs of a node, bit i is GPU i, and how many thousandths of each are held. */
typedef struct orr_result_share {
    uint64_t gpus;
    int32_t node, milli;
} orr_result_share;
/* The next part of an allocation text: *at moves on; false at its end, and for what is no allocation (*at is then not
 * at a NUL). */
bool orr_result_slice(const char **at, orr_result_share *share);

#endif
