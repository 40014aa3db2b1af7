/* What the lifecycle charges: delays without progress while GPUs are held, by the size of the gang. Filled by the
 * scenario (src/model/costs.h says what each means and how it is written). */
#ifndef ORR_JOB_COSTS_H
#define ORR_JOB_COSTS_H

#include <orrery/time.h>

enum { ORR_COST_STEPS = 8 };

typedef struct orr_cost {
    int32_t count;
    int32_t from[ORR_COST_STEPS]; /* ascending */
    orr_time delay[ORR_COST_STEPS];
} orr_cost;

/* What becomes of a delay that isn't paid in full: DROP: a preemption ends it; KEEP: it is owed on; RENEW: any change
 * ends it, and the change's own delay begins. */
typedef enum orr_unpaid { ORR_UNPAID_DROP, ORR_UNPAID_KEEP, ORR_UNPAID_RENEW } orr_unpaid;

typedef struct orr_costs {
    orr_cost start, save, restore, resize;
    orr_time checkpoint; /* 0: state is never lost */
    orr_unpaid unpaid;
    /* jobs whose application states a restart time pay that instead of start, restore and resize */
    bool by_application;
} orr_costs;

static inline orr_time orr_cost_of(const orr_cost *cost, int32_t gpus)
{
    orr_time delay = 0;
    for (int32_t i = 0; i < cost->count && cost->from[i] <= gpus; i++)
        delay = cost->delay[i];
    return delay;
}

#endif
