/* What nodes and GPUs drew and cost while a run went, by the scenario's figures: exact integrals of step functions.
 *
 * Power is a sum of parts that change at different times, so each is integrated on its own: what a node and its idle
 * GPUs draw, from one change of the node to the next; what a job adds, over each interval in which it held GPUs. Of a
 * GPU that a job holds, its idle power counts as the job's, too, in proportion to what it holds of it. VCs are told
 * what their nodes drew, whoever ran on them.
 */
#ifndef ORR_METRICS_ENERGY_H
#define ORR_METRICS_ENERGY_H

#include <orrery/metrics.h>

typedef struct orr_energy orr_energy;

/* At the beginning of a run, when the measure is bound to its trace. NULL: the run has no scenario. */
orr_energy *orr_energy_create(const orr_sim *sim, const orr_measure *measure);
void orr_energy_destroy(orr_energy *energy); /* takes NULL */
void orr_energy_node(orr_energy *energy, const orr_node_change *change);
void orr_energy_hold(orr_energy *energy, const orr_hold *hold);
/* Brings everything up to the stop. */
void orr_energy_close(orr_energy *energy, orr_time now);
/* Sets the members of pool `pool`; -1: of the whole cluster. */
void orr_energy_tell(const orr_energy *energy, int32_t pool, orr_metrics *out);
/* What a run without a scenario tells. */
void orr_energy_untold(orr_metrics *out);

#endif
