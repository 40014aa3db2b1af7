/* Trials that end early, as the scenario says and whatever the policy does: when one of their group is done, or at
 * rungs of work the worse ones. Built once from the trace, in O(jobs log trials), and only for a scenario that has the
 * rule. With rungs, where a trial stops follows from the quality of all trials of its group, so that it does the same
 * work under every policy.
 */
#ifndef ORR_SIM_EARLY_H
#define ORR_SIM_EARLY_H

#include "job/job.h"

#include <orrery/scenario.h>

struct orr_sim;

typedef struct orr_trial {
    int32_t app; /* -1: in no group */
    double part; /* of its work, at which it stops; 1: never */
} orr_trial;

typedef struct orr_app {
    int32_t group; /* orr_job_group of its jobs; -1: none came yet */
    bool over;     /* one is done */
} orr_app;

typedef struct orr_early {
    const orr_early_stop *how; /* NULL: everybody runs on */
    orr_trial *trials;         /* by place in the trace */
    orr_app *apps;
} orr_early;

/* ORR_E_BAD_SCENARIO with the place in the scenario's file. */
orr_err orr_early_begin(struct orr_sim *sim, orr_error *e);
void orr_early_fini(orr_early *early);
/* A job waits, for the first time or again. */
void orr_early_waits(struct orr_sim *sim, orr_job *job);
void orr_early_ended(struct orr_sim *sim, const orr_job *job);
/* The trials of an app are to end. */
void orr_early_due(struct orr_sim *sim, uint32_t app);

#endif
