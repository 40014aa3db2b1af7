/* The three things that reports ask of a job beyond its record. They live in the simulator; a table of them lets
 * collectors and writers work on jobs of another making.
 */
#ifndef ORR_METRICS_ACCESS_H
#define ORR_METRICS_ACCESS_H

#include <orrery/query.h>

typedef struct orr_job_access {
    uint32_t (*index)(const orr_job *job); /* rank in the trace */
    int32_t (*vc)(const orr_job *job);
    const char *(*id)(const orr_job *job);
} orr_job_access;

orr_job_access orr_job_access_default(void); /* orr_job_index, orr_job_vc, orr_job_id */

#endif
