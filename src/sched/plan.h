/* What the parts of plans share: what was staged, and the log by which it is undone. plan.c stages who holds what, and
 * commits; plan_beside.c stages what else a plan says: nodes, clocks, messages, pace and batches. */
#ifndef ORR_SCHED_PLAN_H
#define ORR_SCHED_PLAN_H

#include "cluster/nodelife.h"
#include "model/net.h"
#include "sched/ctx.h"

typedef enum orr_staged_what { ORR_STAGED_ASSIGN, ORR_STAGED_REJECT, ORR_STAGED_KILL } orr_staged_what;

typedef struct orr_staged {
    orr_job *job;
    orr_staged_what what;
    orr_alloc *alloc; /* what it shall hold; NULL: nothing */
    const char *why;
} orr_staged;

/* What a node shall do; the last one that is said of it counts. */
typedef struct orr_staged_node {
    int32_t node;
    orr_node_wish wish;
} orr_staged_node;

/* How a job's messages go; the last one that is said counts. */
typedef struct orr_staged_flow {
    orr_job *job;
    orr_flow_rule rule;
} orr_staged_flow;

/* What part of its speed a job shall run at, or which batch it shall have; the last one that is said counts. */
typedef struct orr_staged_pace {
    orr_job *job;
    double part;     /* < 0: as it is */
    orr_batch batch; /* {0, 0}: as it is */
} orr_staged_pace;

/* The clock of a node; the last one that is said counts. */
typedef struct orr_staged_clock {
    int32_t node, point;
} orr_staged_clock;

/* What was staged: of JOB an entry is as before; of the others the last one of that list goes. */
typedef enum orr_undo_kind { ORR_UNDO_JOB, ORR_UNDO_NODE, ORR_UNDO_FLOW, ORR_UNDO_PACE, ORR_UNDO_CLOCK } orr_undo_kind;

typedef struct orr_undo {
    orr_undo_kind kind;
    uint32_t entry;  /* JOB */
    bool created;    /* JOB: the entry was new */
    orr_staged before;    /* JOB */
    bool took;       /* NODE: it took jobs before */
    int32_t planned; /* NODE: what the last one had hidden */
} orr_undo;

struct orr_plan {
    orr_world *world;
    orr_ctx *ctx;
    ORR_VEC(orr_staged) entries;
    ORR_VEC(orr_undo) log;
    ORR_VEC(orr_staged_node) nodes;
    ORR_VEC(orr_staged_flow) flows;
    ORR_VEC(orr_staged_pace) paces;
    ORR_VEC(orr_staged_clock) clocks;
    ORR_VEC(orr_alloc *) allocs;
    size_t allocs_used;
    bool open;     /* a decision is being made on it */
    orr_error bad; /* the first illegal call */
};

/* Remembers the first illegal call. `job` may be NULL: it concerns none. */
orr_err orr_plan_illegal(orr_plan *plan, const orr_job *job, orr_err code, const char *what);
/* A policy that kept the plan and uses it in a notification would change what is being committed. */
bool orr_plan_closed(orr_plan *plan, const orr_job *job);

void orr_plan_undo_node(orr_plan *plan, const orr_undo *u);
/* True: there are nodes whose wish changes. */
bool orr_plan_commit_nodes(orr_plan *plan);
/* These change nothing of what is held, and don't count as a commit. */
void orr_plan_commit_clocks(orr_plan *plan);
void orr_plan_commit_flows(orr_plan *plan);
void orr_plan_commit_paces(orr_plan *plan);

#endif
