/* What the scenario does to the cluster, as the run goes: nodes and GPUs come and go, whoever is on them is
 * interrupted, users cancel jobs, prices change. Listed incidents are turned into happenings of single nodes when the
 * simulation is made, in the one order in which those of an instant happen; drawn failures have an event each for
 * their next turn.
 */
#ifndef ORR_SIM_CAPACITY_H
#define ORR_SIM_CAPACITY_H

#include "cluster/nodelife.h"
#include "model/power.h"
#include "model/price.h"

#include <orrery/scenario.h>

struct orr_sim;

/* Queue events of this part, behind those of jobs and policies. */
enum {
    ORR_CAPACITY_FIRST = 32,
    ORR_CAPACITY_NODE = ORR_CAPACITY_FIRST,
    ORR_CAPACITY_LIST,
    ORR_CAPACITY_FAILURE,
    ORR_CAPACITY_CANCEL,
    ORR_CAPACITY_EARLY, /* see sim/early.h */
    ORR_CAPACITY_END
};

/* In the order in which those of one instant happen. */
typedef enum orr_happening_kind {
    ORR_HAPPENS_PRICE,
    ORR_HAPPENS_CLOCK,
    ORR_HAPPENS_REGAIN,
    ORR_HAPPENS_UP,
    ORR_HAPPENS_RETURN,
    ORR_HAPPENS_RESUME,
    ORR_HAPPENS_CAPACITY,
    ORR_HAPPENS_NOTICE,
    ORR_HAPPENS_DRAIN,
    ORR_HAPPENS_AWAY,
    ORR_HAPPENS_OWNED,  /* it belongs to serving from the beginning: told */
    ORR_HAPPENS_LOSE,
    ORR_HAPPENS_DOWN,
    ORR_HAPPENS_CANCEL
} orr_happening_kind;

typedef struct orr_happening {
    orr_time at;
    orr_happening_kind kind;
    int32_t node;  /* CAPACITY: the VC, -1: all; CANCEL: the job's place in the trace */
    uint64_t gpus; /* of REGAIN, UP, LOSE, DOWN; 0: the node */
    orr_time due;  /* NOTICE */
    int64_t count; /* CAPACITY: GPUs; CLOCK: the point */
} orr_happening;

/* A node, or a GPU of it, that fails again and again. */
typedef struct orr_failing {
    const orr_failures *how;
    int32_t node;
    uint64_t gpus; /* 0: the node */
    uint64_t key;  /* of its draws */
    uint32_t draws;
    bool down;
} orr_failing;

typedef struct orr_capacity {
    orr_nodelife nodes;
    const orr_scenario *scenario; /* NULL: nothing happens */
    ORR_VEC(orr_happening) list;
    size_t next;
    ORR_VEC(orr_failing) failing;
    ORR_VEC(uint32_t) cancelled; /* places in the trace of jobs that were cancelled before they could be */
    orr_prices *prices;          /* NULL: none */
    int32_t *price_types;        /* of each GPU type of the cluster; -1: no price */
    orr_clocks *clocks;          /* [clock_types] of each GPU type of the cluster; NULL: there is only the full one */
    int32_t clock_types;
    orr_watts *watts;            /* of each GPU type of the cluster; NULL: nobody asks */
} orr_capacity;

/* After the world and the life of jobs are made. ORR_E_BAD_SCENARIO with the place in the scenario's file. */
orr_err orr_capacity_begin(struct orr_sim *sim, orr_error *e);
void orr_capacity_fini(orr_capacity *c);
void orr_capacity_dispatch(struct orr_sim *sim, const orr_queued *event);
/* A job waits: if it was cancelled before, it is killed now. */
void orr_capacity_waits(struct orr_sim *sim, const orr_job *job);
/* Waits or holds GPUs; one that saves can be killed when it has. */
bool orr_capacity_may_kill(const orr_job *job);
/* Ends it, whatever the policy thinks of it. */
void orr_capacity_kill(struct orr_sim *sim, orr_job *job, const char *why);

/* capacity_setup.c */
orr_err orr_capacity_resolve(struct orr_sim *sim, orr_error *e);

#endif
