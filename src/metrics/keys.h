/* The table of keys as a page, for README.md. */
#ifndef ORR_METRICS_KEYS_H
#define ORR_METRICS_KEYS_H

#include "base/text.h"
#include <orrery/metrics.h>

/* Is this a number of requests, not of jobs? */
bool orr_metric_is_served(const char *key);
/* The name as the table has it: some have a second one, `rho.*` and `e2e.*`. */
void orr_metric_full(const char *key, char *full, size_t size);
/* A row a key: unit, direction, what it is taken over, formula. */
void orr_metric_keys_markdown(orr_text *out);

#endif
