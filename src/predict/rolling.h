/* The rolling estimate: see <orrery/history.h>. Which names are close to an unknown one is remembered with it, and only
 * names that have become known since are compared when it is asked again: each pair is compared once at most.
 */
#ifndef ORR_PREDICT_ROLLING_H
#define ORR_PREDICT_ROLLING_H

#include "predict/sample.h"
#include <orrery/history.h>

struct rolling;
struct rolling *orr_rolling_create(const orr_rolling_rules *rules);
void orr_rolling_destroy(struct rolling *r);
void orr_rolling_put(struct rolling *r, const orr_sample *job, double value);
bool orr_rolling_get(struct rolling *r, const orr_sample *job, double *mean);
/* Pairs of names compared so far, those ruled out by their bound excepted. */
uint64_t orr_rolling_compared(const struct rolling *r);

#endif
