/* A step function of time, from a first time on for ever, kept as its steps: each has its time and by how much the
 * value changes there. They stand in a treap by time, and every subtree knows the sum of its changes and the least and
 * greatest running sum inside it. So an interval changes by its two ends, nothing between them is touched; and the next
 * time at which the value crosses a bound is found past whole subtrees that don't get there. Everything O(log steps)
 * expected.
 *
 * Values are counts of GPUs: they and their differences stay within 32 bits.
 */
#ifndef ORR_SCHED_CALENDAR_TREE_H
#define ORR_SCHED_CALENDAR_TREE_H

#include <orrery/time.h>

#include "base/mem.h"

typedef uint32_t orr_step_at; /* the place of a step in the pool; 0: none */

enum { ORR_STEP_FIRST = 1 }; /* the place of the first step: there always, be its change 0 or not */

typedef struct orr_step {
    orr_time at;
    int32_t change;
    int32_t sum;       /* of the subtree's changes, */
    int32_t low, high; /* and its least and greatest running sum, the empty one (0) included */
    orr_step_at left, right, up;
    uint32_t priority;
} orr_step;

/* orr_steps_reset makes zeroed memory a valid one. */
typedef struct orr_steps {
    ORR_VEC(orr_step) pool; /* [0] stands for the empty subtree: all zero, never written */
    orr_step_at root, spare;
} orr_steps;

/* A step, and the value from it on. */
typedef struct orr_stand {
    orr_step_at at;
    int32_t value;
} orr_stand;

/* One value from `first` on; keeps the memory. */
void orr_steps_reset(orr_steps *steps, orr_time first, int32_t value);
void orr_steps_fini(orr_steps *steps);
/* From `time` (not before the first) on, the value is greater by `change`. A step whose changes add up to 0 goes. */
void orr_steps_change(orr_steps *steps, orr_time time, int32_t change);
/* The last step at or before `time`, which is not before the first. */
orr_stand orr_steps_stand(const orr_steps *steps, orr_time time);
/* The first step behind `from` at which "the value is at least `bound`" turns from true to false or from false to true;
 * place 0: none. It climbs from where it stands: a near one costs little. */
orr_stand orr_steps_turn(const orr_steps *steps, orr_stand from, int32_t bound);

static inline orr_time orr_step_time(const orr_steps *steps, orr_step_at at)
{
    return steps->pool.at[at].at;
}

#endif
