/* A policy's timers: cookie → queue handle. */
#ifndef ORR_SCHED_TIMERS_H
#define ORR_SCHED_TIMERS_H

#include "engine/queue.h"

struct timer;
/* The handle kept for a cookie, made (0) if new: O(1). */
orr_event_id *orr_timers_at(struct timer **timers, uint64_t cookie);
/* Forgets a cookie; returns its handle, 0 if there was none. */
orr_event_id orr_timers_drop(struct timer **timers, uint64_t cookie);
void orr_timers_free(struct timer **timers);

#endif
