/* Batches that stop before their end. */
#ifndef ORR_SERVE_PREEMPT_H
#define ORR_SERVE_PREEMPT_H

#include "serve/serving.h"

/* The part of a batch's time that is left, by its requests' records. Where services have `left_at`. */
double orr_serving_left(const orr_sv_service *service, uint8_t *reqs, int32_t size);
/* the part that is done after so many operators */
double orr_serving_until(const orr_exec_profile *profile, int32_t op);
void orr_serving_stop(orr_serving *s, orr_exec_id exec, uint32_t slot, bool redo);
void orr_serving_stopped(orr_serving *s, orr_exec_id exec, uint32_t slot); /* its event, where the slot `stops` */

#endif
