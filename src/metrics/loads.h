/* The load that the jobs in range offer, by GPU type. */
#ifndef ORR_METRICS_LOADS_H
#define ORR_METRICS_LOADS_H

#include "metrics/collector.h"

/* Sets `type_loads` where the cluster has several types. O(jobs + distinct lists of types x types). */
void orr_type_loads(const orr_cluster_spec *cluster, const orr_measure *measure, const orr_kept_job *jobs, size_t n,
                    orr_metrics *out);

#endif
