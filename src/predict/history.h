/* Sums under keys of any bytes. O(1) expected. */
#ifndef ORR_PREDICT_HISTORY_H
#define ORR_PREDICT_HISTORY_H

#include <orrery/api.h>

typedef struct orr_seen {
    double sum;
    uint64_t count;
} orr_seen;

struct history;
struct history *orr_history_create(void);
void orr_history_destroy(struct history *h);
void orr_history_put(struct history *h, const void *key, size_t size, double value);
orr_seen orr_history_get(const struct history *h, const void *key, size_t size); /* nothing: zeros */

#endif
