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

/* The clocks that GPUs of a type can be set to: at[0] is the full one. */
typedef struct orr_clocks {
    const orr_clock_point **at;
    int32_t n;
} orr_clocks;

/* Those of a type, by the scenario's list; to be freed by `orr_clocks_fini`. */
orr_clocks orr_clocks_of(const orr_power *power, const char *type);
void orr_clocks_fini(orr_clocks *clocks);
/* The point of this clock, 1 being the full one; -1: there is none. */
int32_t orr_clocks_find(const orr_clocks *clocks, double clock);
/* What one draws at this point. */
orr_watts orr_watts_at(const orr_watts *gpu, const orr_clock_point *point);

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
