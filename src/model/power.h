/* What GPUs and nodes draw. A GPU that is up draws its idle power; a job that uses a share u of it draws u (tdp - idle)
 * more. Power is kept in whole microwatts, so that energy is an exact integer: microwatts times ns.
 */
#ifndef ORR_MODEL_POWER_H
#define ORR_MODEL_POWER_H

#include "base/assert.h"

#include <orrery/node.h>
#include <orrery/scenario.h>

/* Of one GPU, microwatts. */
typedef struct orr_watts {
    int64_t idle, span; /* span: tdp - idle */
} orr_watts;

/* By the scenario's list, else by the built-in table; false: neither knows the type. */
bool orr_power_of_gpu(const orr_power *power, const char *type, orr_watts *out);
/* What a node draws in this state besides its GPUs that are up, microwatts. */
int64_t orr_power_of_node(const orr_power *power, orr_node_state state);
/* What a job adds on one GPU: it uses `util` (0..1) of it, but no more than the part that it has (thousandths; 0 and
 * 1000: all). */
int64_t orr_power_of_use(const orr_watts *gpu, double util, int32_t milli);
/* The built-in table, ended by a NULL type. */
const orr_gpu_power *orr_power_table(void);
/* The energy that an integral in microwatts x ns is. */
double orr_joules(orr_wide integral);

#endif
