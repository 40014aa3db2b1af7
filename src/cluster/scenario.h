/* Inside a scenario: who fills one keeps its texts and lists here. */
#ifndef ORR_CLUSTER_SCENARIO_H
#define ORR_CLUSTER_SCENARIO_H

#include "base/mem.h"

#include <orrery/scenario.h>

/* Keeps a copy as long as the scenario lives. */
const char *orr_scenario_keep(orr_scenario *scenario, const char *text);
orr_which orr_scenario_keep_which(orr_scenario *scenario, const orr_which *which);
void orr_scenario_add_clock_point(orr_scenario *scenario, const orr_clock_point *point);
void orr_scenario_add_gpu_power(orr_scenario *scenario, const orr_gpu_power *power);

#endif
