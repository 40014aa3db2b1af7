/* A result in the formats of other tools, written from its folder row by row into `dir` (mostly that folder itself).
 * Each file appears when it is complete; equal results give equal bytes. Memory is that of one row, but for what is
 * said of each. Errors are those of reading the result, ORR_E_CREATE and ORR_E_WRITE.
 */
#ifndef ORR_REPORT_OUT_H
#define ORR_REPORT_OUT_H

#include "report/result.h"

/* perfetto.json.gz, Chrome's trace format, for ui.perfetto.dev: nodes are processes, their GPUs threads, an event for
 * each GPU that an attempt held; arrows join the attempts of a job; counters tell of the queue and the GPUs, of the
 * cluster and of each VC. Keeps the ids of jobs that ran more than once. */
orr_err orr_out_perfetto(const orr_result *result, const char *dir, orr_error *e);

/* metrics.txt, OpenMetrics: distributions as summaries, everything else as gauges, with the labels policy, trace and
 * cluster, and vc for those of one. Undefined values are left out. */
orr_err orr_out_openmetrics(const orr_result *result, const char *dir, orr_error *e);

/* batsim/jobs.csv and batsim/schedule.csv, as Batsim 4 writes them: a row a job that ended or was rejected. A resource
 * is a GPU, numbered over the nodes. A job that ran in several attempts has one row, as all there do: it "executes"
 * from its first start to its end, on what it held last; metadata says how often it was preempted. Keeps ids and last
 * allocations, some 130 bytes a job. */
orr_err orr_out_batsim(const orr_result *result, const char *dir, orr_error *e);

/* schedule.swf, the Standard Workload Format as a schedule: a line a job in the order of the trace, whole seconds. Wait
 * (3) is all time without GPUs, run time (4) all time with them, so that wait + run leads from submission to end, and
 * for a job of one attempt they are what they always are. */
orr_err orr_out_swf(const orr_result *result, const char *dir, orr_error *e);

/* result.sqlite: the tables jobs, attempts and timeline with the columns of the CSV files, times in seconds; summary
 * (key, value) and manifest (key, value) with the leaves of those documents by their paths. ORR_E_MISSING if this
 * program was built without SQLite. */
orr_err orr_out_sqlite(const orr_result *result, const char *dir, orr_error *e);
bool orr_out_has_sqlite(void);

#endif
