/* How many nodes are enough: the least number of nodes of one kind on which a trace under a policy, or services under
 * their modules, meet every target. A cluster that has no room for the executors of the services isn't enough.
 *
 * With `by_vc` each virtual cluster of the trace gets nodes of its own: they share nothing, so each is a search by
 * itself. Probes of a round run side by side (pool.h); which are made and what comes out depends on the ask alone.
 * Time: a simulation a probe, O(log(high) + check) of them a part.
 */
#ifndef ORR_STUDY_PLAN_H
#define ORR_STUDY_PLAN_H

#include "report/report.h"
#include "study/case.h"
#include "study/claim_bound.h"
#include "study/plan_search.h"

/* "METRIC BOUND", as in `wait_first.p95 < 10min` or `mean(jct where gpus >= 8) < 2h`. */
typedef struct orr_target {
    const char *text;
    char metric[192];
    bool expression; /* of metrics/expr.h; else a key of the summary */
    orr_claim_bound bound;
} orr_target;

/* ORR_E_BAD_VALUE; `text` is borrowed. */
orr_err orr_target_parse(const char *text, orr_target *out, orr_error *e);

typedef struct orr_plan_ask {
    const orr_case *base;  /* what is simulated; its cluster isn't looked at */
    const char *node;      /* a node as in the inline form of a cluster: "gpus=8,type=V100" */
    const orr_target *targets;
    size_t target_count;
    orr_plan_range range;  /* of nodes; of each virtual cluster's nodes with by_vc */
    bool allow_rejected;   /* else a rejected job means that the targets aren't met */
    bool by_vc;
    int jobs;              /* 0: one a core */
    bool (*tick)(void *self); /* as of orr_pool_work; NULL */
    void *tick_self;
} orr_plan_ask;

/* One cluster that was tried. */
typedef struct orr_plan_probe {
    int64_t nodes, gpus;
    bool met;
    bool stalled;      /* jobs were left that nothing could ever start: not met */
    bool no_room;      /* for the executors of the services: not met, nothing was measured */
    uint64_t rejected; /* jobs */
    double *values;    /* by target */
} orr_plan_probe;

/* The whole, or one virtual cluster. */
typedef struct orr_plan_part {
    const char *vc; /* "" for the whole; of the trace */
    uint64_t trace_jobs;
    orr_case conditions;
    orr_texts vcs, metrics;
    orr_plan_search *search;
    ORR_VEC(orr_plan_probe) probes; /* by nodes, ascending, once the plan is made */
} orr_plan_part;

typedef struct orr_plan {
    const orr_plan_ask *ask; /* borrowed */
    ORR_VEC(orr_plan_part) parts; /* by name */
    const orr_trace *trace;  /* the stock's; without jobs where only requests are served */
    const orr_services *services; /* likewise; NULL: none */
} orr_plan;

/* Makes the plan; `out` is to be finished either way. Errors are those of the inputs, of runs (a stalled one excepted),
 * of a trace whose jobs don't all name a virtual cluster (ORR_E_MISSING), and ORR_E_INTERRUPTED where `tick` said
 * so. */
orr_err orr_plan_make(const orr_plan_ask *ask, orr_stock *stock, orr_plan *out, orr_error *e);
void orr_plan_fini(orr_plan *plan);

/* The probe of what was found; NULL: nothing tried is enough. */
const orr_plan_probe *orr_plan_found(const orr_plan_part *part);
/* Every part found something. */
bool orr_plan_met(const orr_plan *plan);

/* The answer in words: what is enough, what was next to it, and where more was not enough. */
void orr_plan_tell(const orr_plan *plan, orr_text *out);
/* All probes, a row each. */
void orr_plan_table(const orr_plan *plan, orr_table_form form, orr_text *out);
/* One document, schema "orrery.plan/1". */
orr_err orr_plan_json(const orr_plan *plan, orr_text *out, orr_error *e);

#endif
