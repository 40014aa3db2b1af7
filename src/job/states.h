/* The states of a job: which changes are legal, and the counters that go with them. */
#ifndef ORR_JOB_STATES_H
#define ORR_JOB_STATES_H

#include "job/life.h"

/* Why a job changes state. */
typedef enum orr_cause {
    ORR_CAUSE_SUBMIT,
    ORR_CAUSE_REJECT,
    ORR_CAUSE_START,
    ORR_CAUSE_PAY,
    ORR_CAUSE_PAID,
    ORR_CAUSE_PREEMPT,
    ORR_CAUSE_SAVED,
    ORR_CAUSE_CHANGE,
    ORR_CAUSE_FINISH,
    ORR_CAUSE_RETRY,
    ORR_CAUSE_KILL,
    ORR_CAUSE_INTERRUPT
} orr_cause;

/* Any change that isn't a row of the table of legal ones is a bug of ours, and ends the program. */
void orr_life_move_to(orr_life *life, orr_job *job, orr_job_state to, orr_cause why);
/* What it holds; NULL: nothing. */
void orr_life_set_held(orr_life *life, orr_job *job, const orr_alloc *alloc);
/* The GPUs it still blocks while it saves; NULL: none. */
void orr_life_set_kept(orr_life *life, orr_job *job, const orr_alloc *alloc);
/* The counters of this VC, or of all behind the last, have changed. */
void orr_life_mark_level(orr_life *life, int32_t vc);
/* What it asks, in thousandths of a GPU. */
int64_t orr_life_asked_milli(const orr_job *job);

#endif
