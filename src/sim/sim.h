/* The inside of a simulation. */
#ifndef ORR_SIM_SIM_H
#define ORR_SIM_SIM_H

#include "model/costs.h"
#include "model/interference.h"
#include "model/net.h"
#include "model/speeds.h"
#include "model/training.h"
#include "model/truth.h"
#include "sched/ctx.h"
#include "sim/capacity.h"
#include "sim/early.h"
#include "sim/follow.h"

#include <stdatomic.h>

/* Consecutive decisions without any job holding GPUs, or rounds in one instant, after which a policy is said not to
 * move. */
enum { ORR_MAX_ROUNDS = 1000000, ORR_IDLE_DECISIONS = 100000, ORR_CHURN_DECISIONS = 1000000 };

struct orr_sim {
    const orr_trace *trace;
    const orr_cluster_spec *cluster_spec;
    orr_registry *own_registry;
    orr_sim_options options;
    orr_costs costs;
    orr_interference interference;
    orr_net_model net_model;
    orr_net *net; /* NULL: communication costs nothing */
    orr_time round, tick; /* the run clock; 0: exact */
    orr_world world;
    orr_life life;
    orr_truth truth;
    orr_speeds speeds; /* of options.throughputs */
    orr_trainings trainings; /* of options.applications */
    orr_capacity capacity;
    orr_early early;
    orr_ctx *policy;
    orr_serving *serving; /* NULL: there are no services */
    orr_trace *no_jobs;   /* an empty trace, where the caller has none */
    size_t next;          /* trace record to be submitted next, of those that follow nobody */
    orr_follow follow;    /* the others */
    ORR_VEC(orr_job *) resuming; /* ran at the origin, came in at this instant, and hold nothing yet */
    orr_event_id decide_event;
    orr_time decide_at;
    orr_stop stop;
    bool committing, begun, told; /* told: listeners know that it begins */
    orr_time last_at, last_decision;
    orr_class last_class;
    uint64_t idle_decisions, churn_decisions, churn_preemptions, churn_ends;
    atomic_int interrupted; /* an orr_stop */
    char costs_text[512], interference_text[128], net_text[128];
    orr_text policy_text;
};

/* setup.c */
orr_err orr_sim_parse_clock(const char *text, orr_time *round, orr_time *tick, orr_error *e);

/* submit.c: the next record enters at `now`. */
void orr_sim_submit_begin(orr_sim *sim);
void orr_sim_submit_next(orr_sim *sim);
orr_time orr_sim_next_submit(const orr_sim *sim); /* ORR_TIME_MAX: none is due */
/* The VC whose nodes a record's job runs on; -1: the cluster has none for it. */
int32_t orr_sim_vc_of(const orr_sim *sim, const orr_trace_job *record);
/* A job has ended: those that waited for it alone become due. */
void orr_sim_job_ended(orr_sim *sim, const orr_job *job);

/* watchdog.c: after a decision; and when nothing is left to happen while jobs wait. */
orr_err orr_sim_watch_progress(orr_sim *sim, bool changed, orr_error *e);
orr_err orr_sim_stalled(orr_sim *sim, orr_error *e);

#endif
