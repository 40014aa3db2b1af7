/* What a trace offers to a cluster: GPU time asked over GPU time there is while jobs are submitted, in all, by GPU type
 * and by virtual cluster; and the jobs that can never run there.
 *
 * A job that names GPU types loads those of them that the cluster has, in proportion to their GPUs; one that names none
 * loads all types so. A type matches if the texts are equal. Shares of a GPU count as what they are.
 */
#ifndef ORR_REPORT_OFFERED_LOAD_H
#define ORR_REPORT_OFFERED_LOAD_H

#include "trace/describe.h"
#include <orrery/cluster.h>

struct cJSON;

typedef struct orr_load_row {
    const char *name;
    int64_t gpus;
    double load; /* NaN: all jobs are submitted at once */
} orr_load_row;
typedef ORR_VEC(orr_load_row) orr_load_rows;

typedef struct orr_offered_load {
    const char *cluster; /* what it was asked for as; borrowed */
    orr_load_row all;
    orr_load_rows types;     /* in the cluster's order; none if it is all of one kind */
    orr_load_rows vcs;       /* of the trace's, those that the cluster has, where it has several */
    double at_once;          /* GPUs asked by all records together, withdrawn ones too, over the cluster's */
    uint64_t never;          /* jobs that can never run, by the first thing in their way: */
    uint64_t no_vc, no_type; /* neither their VC is there nor nodes without one; none of their types is */
    uint64_t too_wide;       /* more GPUs than there are of their types in their VC */
    orr_wide never_milli_ns;
} orr_offered_load;

/* `d` and `cluster` must outlive the result, which is freed by the next. O(jobs x types named). */
orr_offered_load orr_offered_load_of(const orr_description *d, const orr_cluster_spec *cluster, const char *asked);
void orr_offered_load_fini(orr_offered_load *load);

void orr_offered_load_text(const orr_offered_load *load, orr_text *out);
/* Adds the member "offered_load". */
void orr_offered_load_json(const orr_offered_load *load, struct cJSON *document);

#endif
