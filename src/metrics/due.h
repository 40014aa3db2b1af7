/* Long-term fairness of VCs (Astraea, TPDS'22): what each held over what was due to it, integrated as the run goes. Due
 * is at each instant its part of all GPUs by water filling: in proportion to the GPUs that it has, or its quota, but no
 * more than its jobs hold and wait for. O(VCs log VCs) an instant in which anything changed. */
#ifndef ORR_METRICS_DUE_H
#define ORR_METRICS_DUE_H

#include <orrery/metrics.h>
#include <orrery/sim.h>

typedef struct orr_due orr_due;

/* Of the run's VCs; NULL where there is one. */
orr_due *orr_due_create(const orr_sim *sim, const orr_measure *measure);
void orr_due_destroy(orr_due *due); /* takes NULL */
void orr_due_set(orr_due *due, orr_time at, const orr_levels *levels);
/* Greatest over least, of those to which anything was due; NaN: there is none, or one of them had nothing. */
double orr_due_spread(orr_due *due, orr_time to);

#endif
