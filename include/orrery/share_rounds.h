/* Rounds by shares (Gavel, Narayanan et al., OSDI'20, sections 4 and 5): an optimisation says which part of its time
 * each job should spend on each GPU type, and rounds approach that. A policy names the objective, or computes the
 * shares itself; this driver does the rest.
 *
 *   shares     are computed anew when a job came or went, but not more often than every `reset`
 *   priority   of a job on a type: its share there divided by the part of the type's time that it was given since then
 *   rounds     every `round` of virtual time, from 0 on, those of greatest priority get the GPUs, as far as these go;
 *              then, unless `strict`, others get what is left, in the order in which they came, each where it is
 *              fastest
 *   places     who keeps its type keeps its GPUs (a lease that is renewed costs nothing); the placer finds GPUs for
 *              the others, wide gangs first
 *   between    two rounds nobody is preempted, but idle GPUs are given away as soon as somebody comes or goes
 *
 * It deals with whole GPUs. Jobs that run and can't be preempted keep what they have, and jobs that ask parts of
 * GPUs, or none, are started where the placer says: both are taken off what there is to share. A gang runs on one
 * type; one for which no type alone has room is started where the placer says, too, when there are GPUs that nobody
 * has. Whoever of these has waited for ten rounds is waited for: from then on rounds hold GPUs back for it, as many as
 * it asks, twice as many after twenty, until it runs, and the others of these that need GPUs wait behind it.
 *
 * With `sim` it does what Gavel's simulator does instead: a round lasts as long as its longest micro-task, a
 * micro-task being as many whole steps as fit into `round`, or the rest of the job; who has done its steps stands
 * still until then. Whoever comes or goes is seen at the end of the round. Types are visited one after the other, in
 * descending order of their names; a job that the last shares don't know yet reserves GPUs and leaves them idle; a
 * reset also happens where the last one was at 0.
 *
 * A round costs O(active x types log active): in a round the priorities of all have moved. Jobs that wait are looked
 * at between two rounds only if GPUs are idle.
 */
#ifndef ORRERY_SHARE_ROUNDS_H
#define ORRERY_SHARE_ROUNDS_H

#include <orrery/drive.h>
#include <orrery/shares.h>

/* What is to be shared out: of one VC, or of the cluster; of one group of jobs where there are groups. */
typedef struct orr_share_view {
    orr_job *const *jobs; /* [problem.jobs], as they came */
    int32_t vc;           /* whose nodes; -1: all */
    /* speeds as orr_job_speed_on tells them; types are the cluster's; capacities are GPUs that are up and dealt with
     * here */
    orr_share_problem problem;
} orr_share_view;

typedef enum orr_objective {
    ORR_SHARES_MAX_MIN,     /* least speed relative to a proportional share, by weight and GPUs; then the second least,
                               and so on: under `sim` only the least, and of all shares that reach it those farthest
                               from any limit, to which the reference's solver comes; so with FINISH and MAKESPAN,
                               there */
    ORR_SHARES_FILL,        /* the second least, and so on, even then */
    ORR_SHARES_LEVELS,      /* the same with entities, see below */
    /* greatest slowdown of a job's whole stay, against an even share of the cluster (finish-time fairness) */
    ORR_SHARES_FINISH,
    ORR_SHARES_MAKESPAN,    /* time until the last of those here has ended */
    ORR_SHARES_SUM,         /* sum of all speeds */
    ORR_SHARES_COST,        /* sum of speeds, each divided by the price of the type */
    ORR_SHARES_DEADLINES,   /* the same, deadlines kept where that is possible */
    ORR_SHARES_FIFO,        /* in the order in which they came, each where it is fastest, until one doesn't fit */
    ORR_SHARES_ISOLATED,    /* an even part of each type's GPUs for each job */
    ORR_SHARES_PROPORTIONAL, /* an even part of the time of each GPU, whatever the gang */
    ORR_SHARES_QUEUES       /* least sum of completion times: a GPU each for who is first in a queue, until it ends
                               (AlloX); under `sim` alone, one GPU a job */
} orr_objective;

typedef struct orr_share_rules {
    orr_time round, reset; /* round > 0 */
    int32_t vc;         /* ORR_VC_ISOLATED: each VC shares out its own nodes; ORR_VC_SHARED: all nodes are one */
    int32_t objective;  /* orr_objective */
    /* it takes all types to be alike; under `sim` types are then visited in an order drawn for each round */
    bool blind;
    bool pairs;         /* jobs of equal gangs may run together on the same GPUs */
    bool by_user;       /* LEVELS: entities are users; default: VCs */
    bool fifo_inside;   /* LEVELS: inside an entity the oldest comes first; default: all alike, by weight */
    bool strict;        /* a share of 0 means no GPUs, even idle ones */
    bool sim;
    int64_t groups;     /* > 1: jobs are dealt out at random into so many groups for each reset, and the GPUs of each
                           type with them (POP, Narayanan et al., SOSP'21); into fewer as long as a job is there for
                           which these have too few GPUs */
    bool groups_strict; /* such a job ends the run instead */
    /* QUEUES: this part of those without a GPU is matched, as they came, but as many as there are GPUs */
    double queue_part;
    double pack_min;    /* FIFO with pairs: only pairs whose speeds, relative to those alone, have a greater sum */
    /* Instead of an objective: fills x [jobs + pairs][types], which is 0 on entry. */
    orr_err (*allocate)(orr_ctx *ctx, const orr_share_view *view, double *x);
} orr_share_rules;

typedef struct orr_share_rounds orr_share_rounds;

ORR_BEGIN

/* To be made in `init`; `rules` is copied. Sets the triggers. Speeds are PROFILED knowledge of ORR_Q_PROFILE; weights
 * and deadlines are DECLARED knowledge of ORR_Q_LIMIT; FINISH, MAKESPAN, DEADLINES and `sim` ask for durations. */
ORR_API orr_share_rounds *orr_share_rounds_create(orr_ctx *ctx, const orr_share_rules *rules);
/* for every job event */
ORR_API void orr_share_rounds_event(orr_share_rounds *rounds, orr_job *job, const orr_event *event);
/* Something else that shares follow from has changed: prices, say. They are due for a reset. */
ORR_API void orr_share_rounds_renew(orr_share_rounds *rounds);
ORR_API orr_err orr_share_rounds_schedule(orr_share_rounds *rounds, orr_plan *plan);
/* The share of a job alone, by the last reset; 0 before. */
ORR_API double orr_share_rounds_of(const orr_share_rounds *rounds, const orr_job *job, int32_t type);
/* Rounds that it began on this type so far; 0 for a job that isn't dealt with. */
ORR_API int64_t orr_share_rounds_given(const orr_share_rounds *rounds, const orr_job *job, int32_t type);
/* Counted work: how often shares were computed, the rows x types of all problems, and rounds. */
ORR_API void orr_share_rounds_count(const orr_share_rounds *rounds, uint64_t *resets, uint64_t *cells,
                                    uint64_t *passed);

ORR_END
#endif
