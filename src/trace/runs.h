/* Formats that write a row for each run of a job: requeues, partial executions. The first row makes the job, each later
 * one adds its run to it. The rows may be anywhere in the file; the job is changed where it lies.
 */
#ifndef ORR_TRACE_RUNS_H
#define ORR_TRACE_RUNS_H

#include "trace/intake.h"

/* Adds the current row's run to the job at this place of the trace, and counts the row as merged. Of `run` are taken:
 * duration, start and end (may be unknown), ending, censored; gpus, of which another number is only counted; and
 * submit, of which the earliest counts. The duration is the sum; the run that ends last, or has no end, says how the
 * job ended. Single attempts are kept in the order of their starts, if the options ask for them. */
void orr_intake_add_run(orr_intake *k, size_t place, const orr_trace_job *run);
/* The current row tells a run again that is part of the job, perhaps later, when it had run for longer than `before`:
 * the job grows by the difference. Counts the row as merged, too. */
void orr_intake_run_again(orr_intake *k, size_t place, const orr_trace_job *run, orr_time before);

#endif
