/* The lifecycle: every change of a job's state goes through here, is a row of one table, and moves the counters with
 * it.
 *
 * Life owns the live jobs, their progress and completion events, and tells an observer (the simulation) what happened.
 * It decides nothing: plans do. The room of GPUs is taken and given by whoever makes the plan; life gives it back at
 * ends.
 */
#ifndef ORR_JOB_LIFE_H
#define ORR_JOB_LIFE_H

#include "base/mem.h"
#include "job/costs.h"
#include "job/job.h"

/* Kinds of queue events that life schedules; `what` is the job. */
typedef enum orr_life_event { ORR_LIFE_END = 1, ORR_LIFE_PAID, ORR_LIFE_SAVED, ORR_LIFE_WATCH, ORR_LIFE_MARK } orr_life_event;

typedef ORR_VEC(orr_job *) orr_tenants; /* in the order in which they came */

typedef struct orr_life {
    orr_queue *queue;
    orr_cluster *cluster;
    const orr_costs *costs;
    /* speed with what it holds now, beside whom it holds it; 1 = as recorded */
    double (*rate)(void *self, const orr_job *job);
    void *rate_self;
    void (*links)(void *self); /* NULL, or: what links carry is worked out anew, before speeds are; may disturb jobs */
    void (*moved)(void *self, orr_job *job, bool holds); /* NULL, or: it holds GPUs from now on (held), or no longer */
    void *links_self;
    /* NULL, or: its delays are paid, and it makes progress with what it holds since this instant */
    void (*works)(void *self, orr_job *job);
    void *works_self;
    /* its work has come to its mark (orr_life_mark), which is gone by then */
    void (*marked[ORR_MARKS])(void *self, orr_job *job);
    void *marked_self[ORR_MARKS];
    ORR_VEC(orr_job *) working;    /* of whom `works` is to be told */
    ORR_VEC(orr_job *) disturbed;  /* whose speed is to be worked out anew */
    orr_tenants *tenants;          /* [nodes]: who holds something of each */
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

/* Its node is lost: what was not saved is lost with it, and it waits again. One that is saving is done with that. */
void orr_life_interrupt(orr_life *life, orr_job *job, int32_t node);
/* Ends a job that waits or holds GPUs, without a plan: its GPUs are given back. */
void orr_life_cancel(orr_life *life, orr_job *job, const char *why);
/* Other GPUs of this node work than before: levels tell. */
void orr_life_count_gpus(orr_life *life, int32_t node);

/* ---- speeds ---- */
/* Something that its speed depends on has changed; it is worked out anew before time moves on. */
void orr_life_disturb(orr_life *life, orr_job *job);
/* Works out the speeds of disturbed jobs; to be called when the changes of an instant are made. True: some changed, and
 * new events may be due. O(disturbed). */
bool orr_life_settle(orr_life *life);
/* Calls `marked` when the work left of a job that holds GPUs has come down to `left` (> 0), at the first ns at or after
 * it; one mark a job and asker. 0: no more. What holds no GPUs comes to no mark. O(log n), and nothing for jobs without
 * a mark. */
void orr_life_mark(orr_life *life, orr_job *job, orr_mark mark, orr_time left);
/* Of a job that holds GPUs: it has this batch until it holds something else. */
void orr_life_tune(orr_life *life, orr_job *job, orr_batch batch);
/* Of a job that holds GPUs: so much of its work is done besides, or not yet (< 0). */
void orr_life_advance(orr_life *life, orr_job *job, orr_time done);
/* Who holds parts of a GPU, in the order in which they came: at most `n` of them; returns how many there are. */
int32_t orr_life_residents(const orr_life *life, int32_t node, int gpu, orr_job **out, int32_t n);
/* Calls `each` for every job that shares a GPU with this one, perhaps several times. O(residents of its GPUs). */
void orr_life_each_sharer(const orr_life *life, const orr_job *job, void (*each)(void *self, orr_job *other),
                          void *self);
/* Thousandths of GPU·ns as GPU-seconds: exact where whole GPUs were held for less than 2^53 ns. */
double orr_gpu_seconds(orr_wide milli_ns);

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
