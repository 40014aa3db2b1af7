/* Apps: the trials of a group, taken as one. A job without a group is an app of its own; one that was refused at the
 * door, or asks no GPUs, is of none. */
#ifndef ORR_METRICS_APPS_H
#define ORR_METRICS_APPS_H

#include "metrics/collector.h"

typedef struct orr_apps orr_apps;

/* From all jobs of a run, in trace order; NULL where none of them is in a group. O(n). */
orr_apps *orr_apps_of(const orr_kept_job *jobs, size_t n, const orr_measure *measure, const orr_run_end *end,
                      bool split);
void orr_apps_destroy(orr_apps *apps); /* takes NULL */
/* Fills what `m` says of apps; pool -1: of all. With `apps` NULL: these are no keys of this run. */
void orr_apps_tell(const orr_apps *apps, int32_t pool, orr_metrics *m);

#endif
