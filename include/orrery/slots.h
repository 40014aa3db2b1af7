/* Slots: how many GPUs are free in each slot of time from now on, and who could be done by when with them.
 *
 * Slot i is [i, i + 1) × length on the clock; of the first one only what is left from now on. Work is planned as
 * stretches: whole slots, one after the other, with so many GPUs each. What a plan promises holds as long as it is
 * followed: jobs advance in whole ns, rounded down, and that is counted. Plain functions of numbers: nothing here knows
 * of a simulation.
 */
#ifndef ORRERY_SLOTS_H
#define ORRERY_SLOTS_H

#include <orrery/time.h>

typedef struct orr_stretch {
    int64_t from, to; /* slots, the last one exclusive */
    int32_t gpus;
} orr_stretch;

/* Stretches of many plans, one behind the other. Zeroed memory is an empty one. */
typedef struct orr_stretches {
    orr_stretch *at;
    size_t n, cap;
} orr_stretches;

/* How many are free, as steps: from slot `from[i]` on `free[i]`. Zeroed memory is a valid empty one, before the first
 * reset. */
typedef struct orr_slots {
    orr_time length, now;
    int64_t first; /* the present slot */
    int64_t *from;
    int32_t *free;
    size_t count, cap;
} orr_slots;

enum {
    ORR_SIZES = 24,
    ORR_SLOTS_MOST = 1 << 20 /* so far ahead it is planned; what is due later counts as due then */
};

/* Numbers of GPUs that a job may hold, ascending, and how fast it is with each, ascending: 1 is as its work is
 * stated. */
typedef struct orr_sizes {
    int32_t count;
    int32_t gpus[ORR_SIZES];
    double speed[ORR_SIZES];
} orr_sizes;

typedef struct orr_demand {
    const orr_sizes *sizes;
    orr_time work;   /* left, at speed 1; > 0 */
    orr_time due;    /* absolute */
    int32_t held;    /* GPUs now */
    orr_time paying; /* it stands still for so long yet if it keeps those */
    orr_time change; /* and so long after a start and any change of what it holds; besides what it has still to pay */
    bool steady;     /* it holds what it got until it is done */
} orr_demand;

typedef struct orr_outcome {
    orr_time end;
    double gpu_time; /* GPU-seconds until then */
    uint64_t looked; /* grows by the steps of slots that were looked at, also where it can't be done: what it cost */
} orr_outcome;

ORR_BEGIN

/* Nobody has anything. `length`: an hour at most, so that slots have times. */
ORR_API void orr_slots_reset(orr_slots *slots, orr_time now, orr_time length, int32_t gpus);
ORR_API void orr_slots_fini(orr_slots *slots);
ORR_API int32_t orr_slots_free(const orr_slots *slots, int64_t slot);
ORR_API int32_t orr_slots_least(const orr_slots *slots, int64_t from, int64_t to); /* free throughout */
/* Takes, or gives back, what a plan has from the present slot on. O(steps) a stretch. */
ORR_API void orr_slots_take(orr_slots *slots, const orr_stretch *plan, size_t n);
ORR_API void orr_slots_give(orr_slots *slots, const orr_stretch *plan, size_t n);

/* The two below add a plan at the end of `plan` and take nothing. False: it can't be done by then, and `plan` is as it
 * was. O(sizes × steps until it is due) at worst; of the sizes that are too small at any rate nothing is looked at. */

/* The least that does (ElasticFlow's minimum satisfactory share): of the sizes the smallest with which slots from the
 * last one backwards, each with the largest size up to this one that is free, are enough; in the slots before those it
 * has the next smaller size, and so it is done a little earlier. Steady: the latest run on end. */
ORR_API bool orr_slots_fill(const orr_slots *slots, const orr_demand *d, orr_stretches *plan, orr_outcome *out);
/* This size from now on as long as it is free; then the least that does. */
ORR_API bool orr_slots_hold(const orr_slots *slots, const orr_demand *d, int32_t size, orr_stretches *plan,
                            orr_outcome *out);
/* Is it done in time by this plan, if it begins it so? Whatever is free. */
ORR_API bool orr_slots_follow(const orr_slots *slots, const orr_demand *d, const orr_stretch *plan, size_t n,
                              orr_outcome *out);

ORR_API void orr_stretches_add(orr_stretches *s, orr_stretch stretch);
ORR_API void orr_stretches_fini(orr_stretches *s);

ORR_END
#endif
