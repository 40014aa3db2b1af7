/* What must be seen while a run goes, because no job's record tells it afterwards: room (metrics/frag.h) and how much
 * of the GPUs that are held is used. It listens to the simulation beside the collector, which owns it.
 *
 * `gpu_util` is the integral of held GPUs times the utilisation that the trace states for the job (attribute
 * `gpu_util`, per cent), over the GPUs that there are. Where a held GPU's is not stated, there is no answer.
 */
#ifndef ORR_METRICS_ROOM_H
#define ORR_METRICS_ROOM_H

#include "metrics/frag.h"
#include <orrery/metrics.h>

typedef struct orr_room orr_room;

/* At the beginning of a run; bounds the measure by its trace. */
orr_room *orr_room_create(const orr_sim *sim, orr_measure *measure);
void orr_room_destroy(orr_room *room); /* takes NULL */
void orr_room_submit(orr_room *room, const orr_job *job);
void orr_room_grant(orr_room *room, const orr_grant *grant);
void orr_room_preempt(orr_room *room, const orr_preemption *preemption);
void orr_room_hold(orr_room *room, const orr_hold *hold);
void orr_room_job(orr_room *room, const orr_job_record *record);
/* All events of an instant and its decisions are over. */
void orr_room_instant(orr_room *room, orr_time at);
/* Brings everything up to the stop. */
void orr_room_close(orr_room *room, orr_time now);

/* Sets `gpu_util`, given the GPU·ns that there were, and `frag…` of a VC; -1: of the whole cluster. A tenant has no
 * nodes, and so no `frag…`. */
void orr_room_tell(const orr_room *room, int32_t vc, orr_wide there, orr_metrics *out);

#endif
