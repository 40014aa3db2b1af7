/* How fast a job runs on what it was given: the scenario's truth. */
#ifndef ORR_MODEL_RATE_H
#define ORR_MODEL_RATE_H

#include "job/job.h"

/* Speed on this many GPUs: 1 on the gang that was recorded; linear for elastic jobs elsewhere, an ideal that says
 * nothing of communication or of batch sizes. */
double orr_rate_linear(const orr_job *job, int32_t gpus);

#endif
