/* The store behind orr_history_*. */
#ifndef ORR_PREDICT_HISTORY_H
#define ORR_PREDICT_HISTORY_H

#include <orrery/api.h>

struct history;
struct history *orr_history_create(void);
void orr_history_destroy(struct history *h);
void orr_history_put(struct history *h, const char *key, double value);
bool orr_history_get(const struct history *h, const char *key, double *mean);

#endif
