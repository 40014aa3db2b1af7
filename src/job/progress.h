/* The lazy progress of a job, for the lifecycle's own use. */
#ifndef ORR_JOB_PROGRESS_H
#define ORR_JOB_PROGRESS_H

#include "job/life.h"

/* Brings service, debt and work left up to now. */
void orr_progress_accrue(orr_life *life, orr_job *job);
/* (Re)schedules, or takes away, the events "it ends" and "its delays are paid". */
void orr_progress_arm(orr_life *life, orr_job *job);
void orr_progress_disarm(orr_life *life, orr_job *job);
/* (Re)computes when watched quantities cross; to be called whenever what it holds changed. */
void orr_progress_arm_watches(orr_life *life, orr_job *job);
orr_event_id orr_progress_schedule(orr_life *life, orr_job *job, orr_time at, orr_class class_, orr_life_event kind,
                                   uint64_t cookie);

#endif
