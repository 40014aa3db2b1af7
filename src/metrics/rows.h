/* The job table: one row a job as jobs.csv has it, whatever it comes from, and its columns by name. Expressions
 * (metrics/expr.h) are asked of such rows.
 */
#ifndef ORR_METRICS_ROWS_H
#define ORR_METRICS_ROWS_H

#include "base/where.h"
#include "metrics/collector.h"

/* Texts are never NULL, and borrowed. Times are ORR_TIME_NONE and reals NaN where undefined. */
typedef struct orr_job_row {
    const char *id, *user, *vc, *state, *reason;
    int64_t gpus;
    orr_time submit, first_start, end, jct, wait_first, wait_total, duration, held, deadline;
    double service, overhead, lost_work, slowdown, rho, bsld;
    int64_t starts, preemptions, migrations, resizes, attempts, interruptions;
    int64_t gpu_milli; /* that it asks of each GPU */
    int64_t pool_gpus; /* of the pool that it shares with others: for rho:fixed_n; 0: not known */
    bool submitted;    /* it came at all */
    bool measured;     /* one of the measured set */
} orr_job_row;

/* Columns in the order of jobs.csv, then those that follow from them. */
size_t orr_job_columns(const orr_where_column **columns);
/* The value that a row has in a column, as conditions want it. */
orr_where_value orr_job_column(const orr_job_row *row, size_t column);
/* As a number, times in seconds; NaN where undefined and for texts. */
double orr_job_number(const orr_job_row *row, size_t column);
/* T_sh / T_id where n jobs are taken to share the pool at all times. */
double orr_job_rho_fixed(const orr_job_row *row, int64_t n);
/* max(1, jct / max(duration, 10 s)). */
double orr_job_bsld(orr_time jct, orr_time duration);

/* A row of a run that is still in memory; `measured` and `pool_gpus` are left to the caller. */
orr_job_row orr_job_row_of(const orr_kept_job *job);

#endif
