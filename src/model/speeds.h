/* A throughput table as seen from one cluster: how fast jobs run on what they hold, relative to what was recorded.
 *
 * Durations are stated on a reference type; speed = steps/s on what it holds / steps/s of the recorded gang there, on
 * one node. A gang that is spread over nodes has its own speeds, where the table has them; on several types it is as
 * slow as on the slowest. An elastic job away from its gang goes by the table's speed for as many GPUs, or where there
 * is none by that of its gang, in proportion. A gang size that the table lacks takes its ratios from the next smaller
 * size of the model that it has, else the next larger. What the table doesn't know at all runs as recorded.
 */
#ifndef ORR_MODEL_SPEEDS_H
#define ORR_MODEL_SPEEDS_H

#include "job/job.h"
#include "model/throughputs.h"

typedef struct orr_speeds {
    const orr_throughputs *table;
    const orr_cluster *cluster;
    bool spread;                     /* gangs over several nodes have speeds of their own */
    int32_t types[ORR_MAX_TYPES];    /* the table's, by the cluster's; -1: it doesn't know it */
    int32_t widest[ORR_MAX_TYPES];   /* GPUs of the largest node of each */
} orr_speeds;

/* What became of a job. */
typedef enum orr_speeds_found {
    ORR_SPEEDS_EXACT,
    ORR_SPEEDS_NEAR,         /* by another gang size */
    ORR_SPEEDS_NO_MODEL,     /* the table doesn't know its model: as recorded */
    ORR_SPEEDS_NO_REFERENCE, /* or has no speed on the type on which it was recorded: as recorded */
} orr_speeds_found;

void orr_speeds_init(orr_speeds *s, const orr_throughputs *table, const orr_cluster *cluster);
/* A job comes in: finds its row, and takes the types from it on which it can't run. */
orr_speeds_found orr_speeds_submit(const orr_speeds *s, orr_job *job);
/* Of its gang on one type of the cluster; 0: it can't run there. See orr_job_speed_on. O(1). */
double orr_speeds_on(const orr_speeds *s, const orr_job *job, int32_t type, bool spread);
/* With what it holds, or would hold, the number of GPUs included; 0: it can't run so. O(slices). */
double orr_speeds_with(const orr_speeds *s, const orr_job *job, const orr_alloc *alloc);
/* See orr_jobs_speed_beside; neither order matters. False: not stated, or 0. */
bool orr_speeds_beside(const orr_speeds *s, const orr_job *a, const orr_job *b, int32_t type, double speeds[2]);
/* How much `job` is slowed by `other` on the same GPUs: its speed beside it of its speed alone. < 0: not stated. */
double orr_speeds_slowed(const orr_speeds *s, const orr_job *job, const orr_job *other, int32_t type);

#endif
