/* The lifecycle: every change of a job's state goes through here, is a row of one table, and moves the counters with it.
 *
 * Life owns the live jobs, their progress and completion events, and tells an observer (the simulation) what happened. It
 * decides nothing: plans do. The room of GPUs is taken and given by whoever makes the plan; life gives it back at ends.
 */
#ifndef ORR_JOB_LIFE_H
#define ORR_JOB_LIFE_H

#include "base/mem.h"
#include "job/costs.h"
#include "job/job.h"

/* Kinds of queue events that life schedules; `what` is the job. */
typedef enum orr_life_event { ORR_LIFE_END = 1, ORR_LIFE_PAID, ORR_LIFE_SAVED, ORR_LIFE_WATCH } orr_life_event;

typedef struct orr_life {
    orr_queue *queue;
    orr_cluster *cluster;
    const orr_costs *costs;
    double (*rate)(const orr_job *job, int32_t gpus); /* speed on so many GPUs; 1 = as recorded */
    orr_time now, grid;      /* grid > 0: ends, timers and crossings are seen at its next multiple */
    orr_sink sink;
    void (*notify)(void *self, orr_job *job, const orr_event *event);
    void *notify_self;
    orr_levels *levels;      /* [vcs + 1], the last is the total */
    bool *level_changed;
    int32_t *changed_vcs, changed_count;
    orr_sim_counts counts;
    size_t priv_size;
    orr_job *first, *last;   /* live jobs by submission */
    ORR_VEC(orr_job *) spare; /* recycled structs */
    uint32_t slots;          /* slot numbers handed out so far */
    uint64_t live;
} orr_life;

void orr_life_init(orr_life *life, orr_queue *queue, orr_cluster *cluster, const orr_costs *costs, size_t priv_size);
void orr_life_fini(orr_life *life);

/* A job enters the system at `now` and waits. */
orr_job *orr_life_submit(orr_life *life, const orr_trace_job *record, uint32_t index, int32_t vc, orr_time submit);
void orr_life_reject(orr_life *life, orr_job *job, const char *why);
/* It held its GPUs before the origin already: its coming start costs nothing. */
void orr_life_carry_on(orr_job *job);
/* GPUs that a plan took for it. */
void orr_life_start(orr_life *life, orr_job *job, const orr_alloc *alloc);
void orr_life_change(orr_life *life, orr_job *job, const orr_alloc *alloc); /* resize or migrate */
/* The plan has given its GPUs back; if saving takes time, those that nobody took are taken again until it is done
 * (call orr_life_hold_saving after all starts of the plan). */
void orr_life_preempt(orr_life *life, orr_job *job);
void orr_life_hold_saving(orr_life *life, orr_job *job);
/* The plan has given its GPUs, if any, back. */
void orr_life_kill(orr_life *life, orr_job *job, const char *why);

/* Handles an event that life scheduled. */
void orr_life_dispatch(orr_life *life, const orr_queued *event);

void orr_life_watch(orr_life *life, orr_job *job, orr_watched what, double value);
void orr_life_unwatch(orr_life *life, orr_job *job, orr_watched what);

/* Facts as of now, computed from the lazy state. */
orr_wide orr_life_service(const orr_life *life, const orr_job *job); /* GPU·ns */
orr_time orr_life_held(const orr_life *life, const orr_job *job);
orr_time orr_life_left(const orr_life *life, const orr_job *job);     /* work left */
orr_time orr_life_debt(const orr_life *life, const orr_job *job);     /* delay left */

/* Under `tick`, the next point of the grid; else the time itself. */
static inline orr_time orr_life_on_grid(const orr_life *life, orr_time at)
{
    return life->grid && at < ORR_TIME_MAX - life->grid ? orr_time_ceil(at, life->grid) : at;
}

/* Reports every job that has not ended, with its open hold; for the end of a run. */
void orr_life_report_open(orr_life *life);
/* Live jobs that wait, first `n` of them, for messages. */
size_t orr_life_waiting(const orr_life *life, const orr_job **out, size_t n);

#endif
