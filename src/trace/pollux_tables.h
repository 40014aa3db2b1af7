/* What the Pollux simulator measured of its applications, as far as it says how long a job takes alone on the GPUs and
 * the batch size that it asks for.
 *
 * A folder holds a folder an application; in it lie
 *   placements[-TYPE].csv   step and synchronisation time by placement (a digit a node: its GPUs) and batch per GPU
 *   scalability[-TYPE].csv  the same for placements of more nodes, by nodes and GPUs; may be missing
 *   validation-BATCH.csv    a row an epoch: iterations so far at this batch size
 * TYPE is one of the Sia simulator's families of GPUs (aws, azure, dgx, dgx-ext, quad, rtx); files without it are aws'.
 *
 * Rules:
 * - The job ends with the last epoch of validation-BATCH.csv: its last `iteration` is the number of steps.
 * - Its GPUs fill whole nodes, the rest stands on one more; a node has as many GPUs as the largest digit of the file.
 * - Every GPU takes batch / GPUs samples, rounded up. If that is more than was measured on this placement, which stands
 *   for its memory, the step is made in the least number of equal parts that fit, all but one without synchronisation.
 *   One GPU with more than the smallest batch that was validated always takes at least two parts: the simulator needs
 *   two gradients to estimate their noise. yolov3 fits 8, as the simulator sets by hand.
 * - Between measured batches per GPU times are interpolated linearly; beyond them, nothing is said.
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
 * (ORR_FLAW_NO_TABLE, ORR_FLAW_NO_THROUGHPUT). Reads the files that it needs when first asked for them; where one is
 * broken, k->failed is set. The current row's attributes stay as they are. */
orr_flaw orr_pollux_duration(orr_pollux_tables *tables, orr_intake *k, const char *application, int32_t gpus,
                             int64_t batch, orr_time *out);

#endif
