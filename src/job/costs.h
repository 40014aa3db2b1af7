/* What the lifecycle charges: delays without progress while GPUs are held, by the size of the gang. Filled by the scenario
 * (src/model/costs.h says what each means and how it is written). */
#ifndef ORR_JOB_COSTS_H
#define ORR_JOB_COSTS_H

#include <orrery/time.h>

enum { ORR_COST_STEPS = 8 };

typedef struct orr_cost {
    int32_t count;
    int32_t from[ORR_COST_STEPS]; /* ascending */
    orr_time delay[ORR_COST_STEPS];
} orr_cost;

typedef struct orr_costs {
    orr_cost start, save, restore, resize;
    orr_time checkpoint; /* 0: state is never lost */
    bool keep_unpaid;
} orr_costs;

static inline orr_time orr_cost_of(const orr_cost *cost, int32_t gpus)
{
    orr_time delay = 0;
    for (int32_t i = 0; i < cost->count && cost->from[i] <= gpus; i++)
        delay = cost->delay[i];
    return delay;
}

#endif
