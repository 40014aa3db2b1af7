/* The walks that make a description, a theme each. Inside src/trace/describe*.c and coverage.c only. Each takes a trace
 * with at least one job and fills its own members.
 */
#ifndef ORR_TRACE_DESCRIBE_WALK_H
#define ORR_TRACE_DESCRIBE_WALK_H

#include "trace/describe.h"

void orr_walk_shares(orr_description *d);
void orr_walk_arrivals(orr_description *d); /* before coverage: makes arrivals.by_day */
void orr_walk_order(orr_description *d);
void orr_walk_peaks(orr_description *d);
void orr_walk_recorded(orr_description *d);
void orr_walk_attributes(orr_description *d);
void orr_walk_coverage(orr_description *d);
void orr_coverage_fini(orr_description *d);

/* The facts of one attribute (to begin with its name, and numeric): its texts one by one, "" where a record has none;
 * then the end. `seen` is the caller's, empty at first. */
void orr_attribute_take(orr_attribute_facts *a, orr_names *seen, const char *text, bool withdrawn);
void orr_attribute_end(orr_attribute_facts *a, const orr_names *seen);
/* Sorts v and spoils it. */
orr_spread orr_spread_of(double *v, size_t n);

/* All records: the jobs, then the withdrawn. */
static inline size_t orr_records(const orr_description *d)
{
    return d->jobs + d->withdrawn;
}
const orr_trace_job *orr_record(const orr_description *d, size_t i);
/* Where local days begin: to be added to a time since the origin. */
static inline orr_time orr_day_shift(const orr_description *d)
{
    return d->calendar ? d->origin.local : 0;
}

#endif
