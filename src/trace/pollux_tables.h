/* How long a job of Pollux' and Sia's workloads takes alone on the GPUs and with the batch that it asks for, by their
 * tables of measurements (src/model/application_tables.c reads them).
 *
 * Rules:
 * - The job ends with the last epoch of validation-BATCH.csv: its last `iteration` is the number of steps.
 * - Its GPUs fill whole nodes, the rest stands on one more; a node has as many GPUs as the largest digit of the
 * placements.
 * - Every GPU takes batch / GPUs samples, rounded up. If that is more than was measured on this placement, which stands
 *   for its memory, the step is made in the least number of equal parts that fit, all but one without synchronisation.
 *   One GPU with more than the smallest batch that was validated always takes at least two parts: the simulator needs
 *   two gradients to estimate their noise.
 * - Between measured batches per GPU times are interpolated linearly, and between measured placements over a
 * triangulation;
 *   beyond them, nothing is said.
 * The simulator itself counts progress, not steps; its jobs on the same placements take 1% less to 10% more than this.
 */
#ifndef ORR_TRACE_POLLUX_TABLES_H
#define ORR_TRACE_POLLUX_TABLES_H

#include "trace/intake.h"

typedef struct orr_pollux_tables orr_pollux_tables;

/* `folder` and `gpu_type` (NULL: aws) are borrowed. NULL and ORR_E_OPEN if there is no such folder; no file of it is
 * read yet. */
orr_pollux_tables *orr_pollux_tables_open(const char *folder, const char *gpu_type, orr_error *e);
void orr_pollux_tables_destroy(orr_pollux_tables *tables);

/* How long a job of this application, GPUs and total batch takes: ORR_FLAW_NONE and *out, or why nobody knows
 * (ORR_FLAW_NO_TABLE, ORR_FLAW_NO_THROUGHPUT). Reads an application's files when first asked for them; where one is
 * broken, k->failed is set. The current row's attributes stay as they are. */
orr_flaw orr_pollux_duration(orr_pollux_tables *tables, orr_intake *k, const char *application, int32_t gpus,
                             int64_t batch, orr_time *out);

#endif
