/* The list driver's insides. Groups are queues: one a VC, or one for all. */
#ifndef ORR_SCHED_LIST_H
#define ORR_SCHED_LIST_H

#include "base/tree.h"
#include "sched/ctx.h"

typedef struct item { /* by job slot */
    orr_job *job;
    orr_rank rank;
    uint64_t stamp;      /* when it joined its list: (instant, phase, order) */
    uint32_t group;
    orr_tree_at in_group, in_shape;
    int32_t running_at;  /* place in the group's running list, -1: not in it */
    uint64_t tried_ends; /* preemptive: when it last found no shape even with everyone behind it gone, */
    int64_t tried_hope;  /* and what it could hope for then */
    orr_tree_at in_due;  /* conservative backfill: its reservation, */
    bool postponed;      /* found no shape at its time: asks again when room was freed, */
    orr_time due;        /* the time it is for, */
    orr_time ends;       /* and when it is believed to end, once it runs */
} item;

typedef struct shape_queue { /* by shape number */
    orr_tree *waiting;
    uint32_t group;
    bool failed;         /* found no room when the pool's release counter stood at `failed_at` */
    uint64_t failed_at;
    orr_tree_at cursor;  /* scratch of a walk */
} shape_queue;

typedef ORR_VEC(uint32_t) slots;

typedef struct group {
    orr_scope home, reach; /* where to look first, and at last */
    orr_tree *waiting;     /* all of them, by rank */
    slots shapes, running, order; /* `order`: all active ones as they stood last (ties=last) */
    int64_t milli_waiting; /* what they ask in all, in thousandths of a GPU */
    uint64_t ends; /* jobs that ended or failed an attempt so far, from 1 */
    bool dirty;
    orr_calendar *calendar; /* conservative backfill: who is reserved when, */
    orr_tree *due;          /* waiting jobs with a reservation, by its time, */
    slots fresh;            /* those that have none yet, */
    bool compress;          /* whether somebody ended earlier than believed, so that others may move up, */
    bool replan;            /* or anything else went otherwise than believed: everything is planned anew */
} group;

struct orr_list {
    orr_ctx *ctx;
    orr_list_rules rules;
    ORR_VEC(item) items;
    ORR_VEC(shape_queue) shapes;
    group *groups;
    uint32_t group_count;
    orr_time stamp_time;
    uint64_t stamp_instant, stamp_order;
    slots walk, evict, victims; /* scratch */
    ORR_VEC(int64_t) hope;
    bool armed;        /* the quantum's timer is running */
};

/* Drivers count in thousandths of a GPU, so that parts count as what they are: what a job asks; what may be given
 * still. */
static inline int64_t orr_list_asks(const orr_job *job)
{
    return (int64_t)job->record->gpus * job->record->gpu_milli;
}
static inline int64_t orr_list_left(const orr_list *list, const group *g)
{
    return orr_cluster_pool(list->ctx->world->cluster, g->reach.vc)->left;
}

/* Before in the driver's order? Either may run or wait. */
bool orr_list_before(const orr_list *list, const item *a, const item *b);
void orr_list_refresh(orr_list *list, item *it);
/* Tries to start it in its group's scopes; remembers a failure with its shape. */
bool orr_list_start(orr_list *list, orr_plan *plan, item *it);
bool orr_list_shape_blocked(const orr_list *list, uint32_t shape);
item *orr_list_item(const orr_list *list, orr_tree *tree, orr_tree_at at);

/* Before a walk: every shape's cursor stands at its first job. */
void orr_list_rewind(orr_list *list, group *g);

/* The decisions of one group. */
void orr_list_walk(orr_list *list, orr_plan *plan, group *g);
/* Waiting jobs in rank order wherever they fit, skipping shapes that found no room. */
void orr_list_fill(orr_list *list, orr_plan *plan, group *g);
void orr_list_preempting(orr_list *list, orr_plan *plan, group *g);
void orr_list_easy(orr_list *list, orr_plan *plan, group *g);
void orr_list_conservative(orr_list *list, orr_plan *plan, group *g);
/* A running job has ended: the calendar learns of it. */
void orr_list_released(orr_list *list, group *g, const item *it);
/* Asks for a decision at `at` on behalf of the group. */
void orr_list_wake(orr_list *list, const group *g, orr_time at);

/* Gives a job back exactly what it held before the plan, if that is still free. */
bool orr_plan_restore(orr_plan *plan, orr_job *job);

#endif
