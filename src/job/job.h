/* A live job: what it holds, how far it is, and its place in the lifecycle.
 *
 * Progress is lazy. (left, debt) are true at `since`; between changes nothing is touched. Work is integer ns while the
 * rate is exactly 1; at other rates it is rounded up to a ns at each change. `debt` is delay still to be paid before
 * work goes on. A live job exists from its submission to its end and is then recycled; the trace's record is for ever.
 */
#ifndef ORR_JOB_JOB_H
#define ORR_JOB_JOB_H

#include "base/assert.h"
#include "cluster/cluster.h"
#include "engine/queue.h"

#include <orrery/sim.h>

/* One slice lives inside; more in an array of its own. Zeroed memory is valid and empty. */
struct orr_alloc {
    int32_t count, capacity, gpus;
    int64_t milli; /* thousandths of a GPU in all */
    orr_slice one;
    orr_slice *many; /* used when count > 1 */
};

/* Who asks to be told how far its work is: the network's phases, the scenario's early stop, epochs of training. */
typedef enum orr_mark { ORR_MARK_LINKS, ORR_MARK_RUNG, ORR_MARK_EPOCH, ORR_MARKS } orr_mark;

struct orr_job {
    const orr_trace_job *record;
    const struct orr_profile *profile; /* of its model; NULL: none */
    struct orr_training *training;     /* of its model, where that is an application; NULL: it isn't */
    int32_t least_gpus, most_gpus;     /* it may hold */
    orr_time restart;                  /* that its application states; ORR_TIME_NONE: none */
    uint32_t index;  /* rank by (submit, id) */
    uint32_t slot;   /* small number, reused after the end: index for side arrays */
    uint32_t shape;  /* which kind of request this is */
    int32_t group;   /* of trials: see sched/groups.h; -1: not in one yet */
    int32_t vc;
    uint64_t types;  /* of GPU that it may run on, as bits of the cluster's */
    int64_t gpu_mem; /* device memory on each of its GPUs: as recorded, else as its profile says; 0: not stated */
    int32_t speed_row;     /* of the throughput table; -1: it has none */
    double speed_base;     /* steps/s there of that row on the type on which its duration is stated */
    double step_rate;      /* steps/s of its gang there; 1: not stated */
    orr_job_state state;
    orr_time submit;

    orr_alloc held, kept; /* what it holds; while it saves, which of it nobody else has taken over */
    orr_time hold_start, hold_overhead; /* of the present hold */
    orr_time left, debt, since;
    double rate;
    double pace;           /* of its speed that it is let run at; 1: all of it. Until it holds something else */
    orr_batch batch;       /* as the policy tunes it; {0, 0}: its own. Until it holds something else */
    bool rate_dirty;       /* what its speed depends on has changed since it was computed */
    bool works_new;        /* it makes progress with something else since this instant */
    bool settled;          /* it is among the tenants of the nodes that it holds something of */
    orr_time checkpointed; /* `left` when the present run began: periodic checkpoints count from there */
    orr_time believed;     /* the estimator's answer, once asked; ORR_TIME_NONE before */
    orr_time done_before;  /* work of former attempts, and from before the origin */
    orr_time ran;          /* time it held its gang before the origin; 0 but for the start state */

    orr_time wait_since, first_start, held_before; /* `held_before` and `service` count from its true beginning */
    orr_wide service, overhead, lost; /* thousandths of GPU·ns */
    int32_t starts, preemptions, migrations, resizes, attempt, interruptions;

    orr_event_id end_event, paid_event, mark_event[ORR_MARKS], watch_event[ORR_WATCH_COUNT];
    orr_time mark[ORR_MARKS]; /* see orr_life_mark; 0: none */
    double watch_value[ORR_WATCH_COUNT];

    int32_t plan_entry; /* 1 + index in the plan being made; 0: not in it */
    const char *reason;
    struct orr_job *previous, *next; /* all live jobs, by submission */
    _Alignas(16) unsigned char priv[]; /* per-job memory of the modules */
};

static inline const orr_slice *orr_slices(const orr_alloc *a)
{
    return a->count > 1 ? a->many : &a->one;
}

static inline bool orr_holds(const orr_job *job)
{
    return job->state == ORR_JOB_STARTING || job->state == ORR_JOB_RUNNING || job->state == ORR_JOB_RESIZING;
}

/* How long it runs in all, what lies before the origin included. */
static inline orr_time orr_job_length(const orr_job *job)
{
    return orr_time_add(job->ran, job->record->duration);
}

static inline bool orr_ended(const orr_job *job)
{
    return job->state >= ORR_JOB_DONE;
}

void orr_alloc_clear(orr_alloc *a); /* keeps no memory */
void orr_alloc_copy(orr_alloc *to, const orr_alloc *from);
void orr_alloc_append(orr_alloc *a, orr_slice slice);
bool orr_alloc_equal(const orr_alloc *a, const orr_alloc *b); /* the same GPUs and shares, in whatever order */
bool orr_alloc_same_gpus(const orr_alloc *a, const orr_alloc *b); /* the same GPUs, whatever the shares */
/* What goes with `gpus` whole GPUs of the job: cores and memory evenly, rounded up. */
orr_share orr_job_share(const orr_job *job, int32_t gpus);
/* Thousandths that it holds of each of its GPUs on a node; 0: none there. */
int32_t orr_job_milli_on(const orr_job *job, int32_t node);
/* What a slice takes of its node: as it says, and where it says nothing as the job asks. */
orr_share orr_job_slice_share(const orr_job *job, const orr_slice *slice);

#endif
