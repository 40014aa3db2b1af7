/* Every number of a run's summary.json by one key, so that a file can name it:
 *
 *     jct.mean   gpu_alloc   rho:avg_n.p99      metrics, by the keys of include/orrery/metrics.h
 *     measured                                  jobs in the measured set
 *     jobs.completed   counts.events            what became of the jobs; what the simulator counted
 *     KEY@NAME                                  the same of the virtual cluster NAME, or of the service
 *     p95(jct where gpus >= 8)                  an expression, where the run was asked for it
 */
#ifndef ORR_STUDY_NUMBERS_H
#define ORR_STUDY_NUMBERS_H

#include <cjson/cJSON.h>
#include <orrery/metrics.h>

/* NaN where undefined; false if the summary has no number of this key. */
bool orr_numbers_get(const cJSON *summary, const char *key, double *value);
/* The nearest key that there is, into `near`; false if none is near. */
bool orr_numbers_nearest(const cJSON *summary, const char *key, char near[64]);
/* "s", "ratio", "count", "gpu*s" or "". */
const char *orr_numbers_unit(const char *key);
orr_direction orr_numbers_direction(const char *key);
/* Whether any key can match this pattern of tolerance.h. */
bool orr_numbers_known(const char *pattern);

#endif
