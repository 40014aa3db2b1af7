/* Stock drivers: each turns a smaller thing into `schedule`. The order rung is the list driver with its standard knobs; plan
 * policies make the same one with keys of their own.
 *
 * A driver keeps waiting jobs in balanced trees, one a request shape and VC, and remembers for each shape whether it failed
 * since room was last freed: an arrival that can't start costs O(log n), and no decision walks the queue.
 */
#ifndef ORRERY_DRIVE_H
#define ORRERY_DRIVE_H

#include <orrery/policy.h>

/* Where a job stands: least first, by major, then minor, then the tie rule. */
typedef struct orr_rank {
    double major, minor;
} orr_rank;

typedef enum orr_hol { ORR_HOL_BLOCK, ORR_HOL_SKIP } orr_hol;
typedef enum orr_backfill { ORR_BACKFILL_NONE, ORR_BACKFILL_EASY, ORR_BACKFILL_CONSERVATIVE } orr_backfill;
typedef enum orr_vc_rule { ORR_VC_ISOLATED, ORR_VC_SHARED, ORR_VC_BORROW } orr_vc_rule;
/* Ties of rank. ID: running jobs first, then (submit, id). ROW: running first, then (submit, input row). QUEUE: waiting
 * jobs first, then whoever joined its list first. SUBMIT: (submit, id) alone, whoever runs. LAST: as they stood at the last decision, new ones at the end; this one
 * keeps a sorted list of all active jobs and walks it, O(active) a decision. */
typedef enum orr_ties { ORR_TIES_ID, ORR_TIES_ROW, ORR_TIES_QUEUE, ORR_TIES_LAST, ORR_TIES_SUBMIT } orr_ties;
/* Admission of a preemptive walk. ROOM: a job displaces others only if it is then really placed. COUNT: GPUs are counted
 * first, victims leave, and a winner that then finds no shape stays waiting. */
typedef enum orr_admit_rule { ORR_ADMIT_ROOM, ORR_ADMIT_COUNT } orr_admit_rule;

typedef struct orr_list_rules {
    orr_rank (*rank)(orr_ctx *ctx, const orr_job *job); /* NaN is taken for +inf */
    bool preemptive;
    bool varying;      /* ranks of running jobs move with time: asked anew at each decision */
    int32_t hol, vc, ties, admit, backfill; /* the enums above; int32_t so that they can be knobs */
    int64_t depth;     /* backfill looks at this many waiting jobs behind the head at most */
    orr_time quantum;  /* > 0: while jobs wait, decide at least this often */
    orr_time round;    /* > 0: decide every so often only, not at events */
    orr_time min_gap;  /* > 0: at least this long between two decisions */
    orr_time recheck;  /* > 0: decide again this long after a decision that preempted */
    double gain_min;   /* a running job gives way only to a rank smaller by more than this */
} orr_list_rules;

typedef struct orr_list orr_list;

ORR_BEGIN

/* Lives as long as the instance. `rules` is copied. */
ORR_API orr_list *orr_list_create(orr_ctx *ctx, const orr_list_rules *rules);
/* To be called for every job event, before the policy's own bookkeeping if that changes ranks: keeps the trees. */
ORR_API void orr_list_event(orr_list *list, orr_job *job, const orr_event *event);
/* A waiting or running job's rank changed for another reason (demotion): asks it anew. */
ORR_API void orr_list_touch(orr_list *list, orr_job *job);
ORR_API orr_err orr_list_schedule(orr_list *list, orr_plan *plan);

/* Multi-level feedback queues over the list driver (Tiresias' discretised LAS and its relatives). A job begins in queue 0 and
 * goes down when its service passes the queue's threshold; lower queues run only when the upper ones leave room. */
typedef enum orr_within { ORR_WITHIN_START, ORR_WITHIN_SUBMIT, ORR_WITHIN_POSITION, ORR_WITHIN_SCORE } orr_within;
typedef struct orr_mlfq_rules {
    orr_list_of_numbers thresholds; /* ascending; one queue more than there are thresholds */
    bool by_time;      /* thresholds in seconds held; default: GPU-seconds */
    int32_t within;    /* order inside a queue: START: those that ran first by first start, then the rest by submission;
                          SUBMIT; POSITION: as they joined it, those that run in front; SCORE: greatest `score` first */
    double promote;    /* a waiting job that ran e seconds returns to queue 0, its service forgotten, after promote * e
                          seconds of waiting; inf: never */
    bool on_events;    /* look at thresholds at decisions and at predicted whole seconds only, instead of exactly; the
                          prediction divides what is missing in seconds by the GPUs. O(active) a decision */
    double (*score)(orr_ctx *ctx, const orr_job *job, double service); /* SCORE; service is in the thresholds' unit */
    orr_list_rules list; /* rank and varying are set by the driver */
} orr_mlfq_rules;
typedef struct orr_mlfq orr_mlfq;

ORR_API orr_mlfq *orr_mlfq_create(orr_ctx *ctx, const orr_mlfq_rules *rules);
ORR_API void orr_mlfq_event(orr_mlfq *mlfq, orr_job *job, const orr_event *event);
ORR_API orr_err orr_mlfq_schedule(orr_mlfq *mlfq, orr_plan *plan);

/* The two operations of a policy that leaves everything to the one driver it made in `init`: .on_job = orr_drive_on_job,
 * .schedule = orr_drive_schedule. */
ORR_API void orr_drive_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event);
ORR_API orr_err orr_drive_schedule(orr_ctx *ctx, orr_plan *plan);

/* What placers are made of. Nodes come in index order, or by their free GPUs and then index. A node is passed over where the
 * job's GPU type, cores or memory leave it too little room. */
typedef enum orr_nodes { ORR_NODES_INDEXED, ORR_NODES_FULLEST, ORR_NODES_EMPTIEST } orr_nodes;
/* The first node with room for `gpus` (>= 1) of the job's GPUs; -1: none. */
ORR_API int32_t orr_node_for(orr_ctx *ctx, const orr_request *request, int32_t gpus, orr_nodes order);
/* Takes what each node has until the gang is complete; ORR_E_NOFIT: there isn't enough. */
ORR_API orr_err orr_fill_nodes(orr_ctx *ctx, const orr_plan *plan, const orr_request *request, orr_nodes order, orr_alloc *out);

/* Availability over believed release times: time → free GPUs of a scope. A balanced tree of the n times at which that
 * changes, at most two a reservation. */
typedef struct orr_calendar orr_calendar;
ORR_API orr_calendar *orr_calendar_create(orr_time now, int32_t free);
ORR_API void orr_calendar_destroy(orr_calendar *calendar);
ORR_API void orr_calendar_reset(orr_calendar *calendar, orr_time now, int32_t free);
/* From `from` on for `length` (>= 0; ORR_TIME_MAX: for ever), `gpus` fewer (or more, if negative) are free. O(log n). */
ORR_API void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus);
/* The earliest time >= `from` at which `gpus` are free for `length` on end; ORR_TIME_MAX: never. O(log n), and
 * that again for each stretch with enough GPUs that is too short. Answers are remembered until a reset or until GPUs are
 * given back and not taken again as they were: stretches that an answer for no more GPUs and no longer passed are then
 * mostly not looked at again. So not for two threads at once, though const. */
ORR_API orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus);
/* O(log n). */
ORR_API int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at);

ORR_END
#endif
