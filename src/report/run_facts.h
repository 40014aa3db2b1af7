/* What the page of a run draws, gathered from the folder in one pass over each table. Memory is bounded by the screen:
 * bins, cells and boxes; but of the jobs that were measured, some 40 bytes each stay for exact quantiles.
 *
 * What is binned says so: a bin has the mean over its time, and the most. Inside src/report only.
 */
#ifndef ORR_REPORT_RUN_FACTS_H
#define ORR_REPORT_RUN_FACTS_H

#include "base/mem.h"
#include "report/cdf.h"
#include "report/paired.h"
#include "report/result.h"

/* ---- jobs.csv ---- */

enum { ORR_RUN_LONGEST = 20 };

typedef struct orr_waiter {
    char *id, *user, *vc, *state;
    int32_t gpus;
    orr_time submit, wait; /* to the first start; of a job that never started, to the end of the run */
    bool started;
} orr_waiter;

typedef struct orr_run_jobs {
    orr_time first, last;                        /* first submission, last submission or end; NONE without jobs */
    orr_values jct, wait_first, wait_total, rho; /* of measured jobs, s and a ratio; sorted */
    orr_values size_wait[ORR_PAIR_SIZES];        /* wait_total by GPUs asked, likewise */
    orr_waiter longest[ORR_RUN_LONGEST];         /* the longest first; rejected jobs don't wait */
    size_t longest_count;
} orr_run_jobs;

/* `end`: of the run. On failure `out` is empty. */
orr_err orr_run_jobs_of(const orr_result *result, orr_time end, orr_run_jobs *out, orr_error *e);
void orr_run_jobs_fini(orr_run_jobs *jobs);

/* ---- timeline.csv ---- */

enum { ORR_RUN_BINS = 480 };

typedef struct orr_binned {
    char *entity, *metric; /* "cluster" or "vc:NAME"; "gpus_held" */
    double mean[ORR_RUN_BINS], most[ORR_RUN_BINS];
    double integral;     /* value x s */
    double since, value; /* while it is filled */
    bool begun;
} orr_binned;

typedef struct orr_run_levels {
    double from, to;            /* s */
    double at[ORR_RUN_BINS];    /* where each bin begins */
    ORR_VEC(orr_binned *) list; /* in the order of first mention */
} orr_run_levels;

orr_err orr_run_levels_of(const orr_result *result, orr_time from, orr_time to, orr_run_levels *out, orr_error *e);
/* The same of serving.csv; of a run without services an empty list. */
orr_err orr_run_serving_of(const orr_result *result, orr_time from, orr_time to, orr_run_levels *out, orr_error *e);
void orr_run_levels_fini(orr_run_levels *levels);
const orr_binned *orr_run_level(const orr_run_levels *levels, const char *entity,
                                const char *metric); /* NULL: absent */

/* ---- attempts.csv ---- */

enum { ORR_HEAT_ROWS = 48, ORR_HEAT_COLUMNS = 160, ORR_GANTT_NODES = 16, ORR_GANTT_BOXES = 2000 };

/* A run of GPUs side by side on one node, held by one job. */
typedef struct orr_held_box {
    orr_time from, to;
    int32_t node, gpu, gpus, job_gpus; /* gpu: the first; job_gpus: of the job in all */
    int32_t milli, low;                /* of each, and what of it lies below this job's part: to draw them apart */
    bool broken;                       /* it ended before the job did */
    double weight;                     /* GPU·s */
    uint64_t order;
    char *id;
} orr_held_box;

typedef struct orr_run_holds {
    int32_t nodes, node_gpus;            /* of the cluster; GPUs of its largest node as far as seen */
    bool uniform;                        /* all nodes have as many */
    int32_t nodes_a_row, rows;           /* of the heat map */
    double *heat;                        /* mean GPUs held on a node, rows x ORR_HEAT_COLUMNS */
    int32_t node_step, shown;            /* of the schedule: every so manieth node, and how many these are */
    orr_held_box boxes[ORR_GANTT_BOXES]; /* those of most GPU time, by node, GPU, time */
    size_t box_count;
    uint64_t box_total; /* on the nodes shown */
    double shown_weight, all_weight;
} orr_run_holds;

orr_err orr_run_holds_of(const orr_result *result, orr_time from, orr_time to, orr_run_holds *out, orr_error *e);
void orr_run_holds_fini(orr_run_holds *holds);

#endif
