/* Turns' insides: homes, seats and pools, shared by the two files that deal with jobs of one server and of several. */
#ifndef ORR_SCHED_TURNS_H
#define ORR_SCHED_TURNS_H

#include "sched/ctx.h"

typedef struct seat { /* by job slot */
    bool is_home;     /* no; first here and in `home`, since both are clients of a pool's stride */
    bool wide, aside; /* over several servers; not part of this at all, and waits */
    bool chosen;      /* its turn */
    bool moves;       /* to its home, from elsewhere, in this plan */
    orr_job *job;
    int32_t home; /* node; -1: none */
    int32_t refused; /* turns in which it was first, one after the other, and found no room */
    orr_scope scope;
    double charged;   /* service that was counted */
    double tickets;   /* as its home counts them */
    size_t lot, lots; /* what the central turn gave it: a run of `lots` */
    orr_stride_client client;
} seat;

typedef struct home {             /* a node */
    bool is_home, dirty, counted; /* yes; to be looked at; somebody waits, so that it counts who has what */
    int32_t node, pool, gpus, demand;
    int32_t starving; /* of its jobs: refused too often */
    int32_t cap;     /* GPUs for its own jobs in this turn */
    int32_t left;    /* GPUs not yet dealt */
    int64_t waiting; /* of its jobs */
    double load;     /* tickets of its jobs */
    orr_stride line;
    orr_stride_client client; /* of the pool's */
} home;

typedef struct pool { /* a VC, or all */
    ORR_VEC(seat *) wide;
    bool counted;
    int32_t starving, starving_wide; /* of all its jobs; of the wide ones */
    orr_stride line;
} pool;

typedef struct lot {
    int32_t node, gpus;
} lot;

struct orr_turns {
    orr_ctx *ctx;
    orr_turns_rules rules;
    int32_t nodes, pool_count, dirty_count;
    home *homes;
    pool *pools;
    int32_t *dirty;
    int64_t waiting, any_wide; /* jobs with a home; wide jobs, running or not */
    bool ticking;
    orr_time next, balanced;
    orr_waiting *others;
    ORR_VEC(seat *) seats; /* by job slot */
    ORR_VEC(seat *) line;  /* scratch */
    ORR_VEC(lot) lots;     /* of the present turn */
};

/* ---- turns_homes.c ---- */
seat *orr_turns_seat(orr_turns *t, const orr_job *job);
void orr_turns_touch(orr_turns *t, int32_t node);             /* it is looked at in the next decision; < 0: nothing */
int32_t orr_turns_vc(const orr_turns *t, const orr_job *job); /* of its scope */
/* Could it have its home there: VC, type, GPUs, cores and memory, whatever else runs? */
bool orr_turns_suits(orr_turns *t, const orr_job *job, int32_t node);
/* Its home from now on; node -1: it is wide, on this type, -1: on any. One that runs elsewhere moves when it has its
 * turn. */
void orr_turns_settle(orr_turns *t, orr_job *job, int32_t node, int32_t type);
void orr_turns_unsettle(orr_turns *t, seat *s);
void orr_turns_find_home(orr_turns *t, orr_job *job);
void orr_turns_adopt(orr_turns *t, orr_job *job); /* one of the start state: where it runs is its home */
void orr_turns_abandon(orr_turns *t, int32_t node);
void orr_turns_count_tickets(orr_turns *t, home *h, seat *s); /* as they are now */
void orr_turns_balance(orr_turns *t);                         /* if it is time */

/* ---- turns.c ---- */
bool orr_turns_may_leave(const orr_job *job);
int32_t orr_turns_idle(const orr_turns *t, int32_t node);
int32_t orr_turns_own(const orr_turns *t, const home *h);
void orr_turns_charge(orr_turns *t, orr_stride *stride, seat *s);
void orr_turns_begin(orr_turns *t, seat *s);
void orr_turns_refused(orr_turns *t, seat *s, int32_t times); /* so often now, one after the other */
/* It could not be made to leave again, and somebody who starves is to have the GPUs of this home, or of a wide one's
 * pool. */
bool orr_turns_yields(const orr_turns *t, const seat *s);

/* ---- turns_wide.c ---- */
void orr_turns_wide_join(orr_turns *t, pool *p, seat *s);
void orr_turns_wide_leave(orr_turns *t, pool *p, seat *s);
/* Sets `counted`: does anybody in it wait? */
void orr_turns_count_pool(orr_turns *t, orr_plan *plan, int32_t at);
void orr_turns_enter_homes(orr_turns *t, int32_t at); /* before anything is charged */
/* Deals the pool's servers: to each home its `cap`; wide jobs that lose or move leave. */
void orr_turns_deal(orr_turns *t, orr_plan *plan, int32_t at);
/* Then, when others have left, the wide winners move in. */
void orr_turns_place_wide(orr_turns *t, orr_plan *plan, int32_t at);

#endif
