/* What the parts of the driver of rounds by shares know of each other: share_rounds.c keeps who is there and when to
 * decide, share_problem.c asks for shares, share_others.c starts who isn't dealt with, share_objective.c has the stock
 * objectives, share_inside.c which of their optima it is under `sim`, share_queues.c is one of them, share_pick.c ranks
 * and chooses, share_place.c makes plans of it, share_tasks.c has the micro-tasks of `sim`. */
#ifndef ORR_SCHED_SHARE_ROUNDS_H
#define ORR_SCHED_SHARE_ROUNDS_H

#include "sched/ctx.h"

/* Of one row on one GPU type. */
typedef struct orr_share_cell {
    double share, received, deficit; /* since the last reset in seconds; the latter summed up over all of them */
    double speed;                    /* of a job alone; 0: it can't run there */
    int64_t rounds;                  /* that it began there */
} orr_share_cell;

/* A row of shares: a job, or two that run together. */
typedef struct orr_share_row {
    orr_job *a, *b;      /* b is NULL: alone */
    struct orr_share_pool *pool;
    uint32_t order;      /* as it came */
    int32_t gpus;
    bool allotted;       /* the last shares know it */
    bool fresh;          /* it came since GPUs were last looked at */
    double isolated, isolated_speed, left; /* FINISH: seconds so far, and what the last reset saw */
    /* of a job: what it holds */
    int32_t on;          /* type; -1: nothing, or nothing that this driver deals with */
    int32_t as;          /* the type to which its time is booked */
    struct orr_share_row *run; /* the row that it runs as: its own, or that of a pair */
    orr_time since;      /* its time is booked until then */
    int32_t pick;        /* in the round being made: 1 + index of the pick it is in; 0: none */
    bool stays;          /* in the plan being made: it keeps its GPUs */
    /* of a job, `sim`: its micro-task */
    int32_t given;       /* QUEUES: 1 + the type that it keeps; 0: none */
    double steps;        /* left, at the beginning of it; < 0: not asked yet */
    double task, rate;   /* steps of it, and steps a second */
    double lasts;        /* seconds that they take from the beginning of the round on */
    bool last;           /* it ends with this one */
    orr_share_cell cell[]; /* [types] */
} orr_share_row;

/* Those that share the same GPUs out among them. */
typedef struct orr_share_pool {
    int32_t vc; /* -1: all */
    ORR_VEC(orr_share_row *) jobs, pairs; /* pairs: those of the last shares */
    double *capacity;  /* [types] */
    double *total;     /* [types] given since the last reset */
} orr_share_pool;

typedef struct orr_share_pick {
    orr_share_row *row;
    int32_t type, as; /* where it runs; on which type it used up its turn: one that is as fast */
} orr_share_pick;

typedef struct orr_share_rank {
    double priority, deficit, share;
    orr_share_row *row;
    int32_t type;
} orr_share_rank;

struct orr_share_rounds {
    orr_ctx *ctx;
    orr_share_rules rules;
    orr_plan *plan;           /* being made */
    int32_t types, pool_count;
    int32_t *visit;           /* [types] in the order of `sim` */
    orr_share_pool *pools;
    ORR_VEC(orr_share_row *) rows; /* by job slot */
    ORR_VEC(orr_job *) others;     /* who are not dealt with, while they wait */
    ORR_VEC(orr_share_pick) picks;
    ORR_VEC(orr_share_rank) ranks;
    ORR_VEC(orr_share_row *) starts; /* picks to be given GPUs; scratch */
    ORR_VEC(orr_job *) left_alone;   /* whose partner has left since the last decision */
    int64_t groups_now;       /* at this reset */
    int64_t *left;            /* [types] in the round being made */
    orr_job *held_for;        /* one of the others has waited too long: NULL: none */
    int64_t *held_back;       /* [types] GPUs for it */
    uint32_t arrivals;
    bool dirty;               /* shares may be others now */
    bool freed;               /* GPUs may be idle that nobody was offered */
    bool any_fresh;
    orr_time last_reset, last_round; /* ORR_TIME_NONE: never */
    /* `sim` */
    bool round_on;
    orr_time last_arrival;    /* of the record */
    orr_time round_began, round_end, round_before; /* the latter: the end of the round before */
    int32_t tasks, finals;    /* that have not ended yet; of these, with which jobs end */
    double clock;             /* seconds, at the end of the round that is on or was last */
    uint64_t resets, cells, passed; /* counted work */
    struct orr_share_build *build; /* scratch of share_problem.c */
};

orr_share_row *orr_share_row_of(const orr_share_rounds *r, const orr_job *job); /* NULL: not dealt with */
orr_share_row *orr_share_row_create(orr_share_rounds *r, orr_share_pool *pool, orr_job *a, orr_job *b);
orr_share_pool *orr_share_pool_of(const orr_share_rounds *r, const orr_job *job);
int32_t orr_share_type_held(const orr_ctx *ctx, const orr_job *job);
orr_job *orr_share_partner(const orr_share_row *row); /* who shares its GPUs; NULL: nobody */
void orr_share_part(orr_share_rounds *r, orr_share_row *row); /* each of the two runs as itself from now on */
/* Takes part in what is shared out: it waits, or can be made to. */
void orr_share_shuffle(orr_share_rounds *r, int32_t *at, size_t n); /* any order, each as likely */
bool orr_share_takes_part(const orr_share_row *row);

/* Books the time that jobs were given, and begins to count anew if a reset is due: new shares. */
void orr_share_book(orr_share_rounds *r);
orr_err orr_share_reset(orr_share_rounds *r);
/* GPUs of each type that there are to deal with */
void orr_share_capacity(const orr_share_rounds *r, orr_share_pool *pool);
void orr_share_build_free(struct orr_share_build *build);
void orr_share_queues(orr_share_rounds *r, const orr_share_view *view, orr_share_row *const *rows, double *x);
/* `sim`: which of many optima it is. From speeds of at least that, which x has with a little to spare, to the centre of
 * all x that have them; pairs have no part in it. */
void orr_share_centre(const orr_share_problem *p, const double *least, double *x);
void orr_share_leave_traces(const orr_share_problem *p, const double *gain, const double *loss, double *x);
orr_err orr_share_objective_allocate(orr_share_rounds *r, const orr_share_view *view, orr_share_row *const *rows,
                                     double *x);

/* Those that aren't dealt with: who is in `others` starts where there is room; at a round, something is held back for
 * who has waited too long, and is taken off what is left in its pool. */
void orr_share_others_start(orr_share_rounds *r, orr_plan *plan);
void orr_share_others_reserve(orr_share_rounds *r);
void orr_share_others_let_go(orr_share_rounds *r);
void orr_share_leave_back(const orr_share_rounds *r, const orr_share_pool *p);

/* Fills `picks`, of all pools: of everybody for all GPUs; of those that wait for idle ones. */
void orr_share_pick_round(orr_share_rounds *r);
void orr_share_pick_idle(orr_share_rounds *r);

void orr_share_place(orr_share_rounds *r, orr_plan *plan); /* what pick_round chose */
void orr_share_give_idle(orr_share_rounds *r, orr_plan *plan);  /* idle GPUs are given away, if there may be any */

/* `sim` */
bool orr_share_tasks_due(orr_share_rounds *r);
void orr_share_tasks_end(orr_share_rounds *r);
/* in the middle of a round: so has the job, or its attempt */
void orr_share_task_ended(orr_share_rounds *r, orr_share_row *row);
void orr_share_tasks_begin(orr_share_rounds *r, orr_plan *plan);
/* As the reference counts, to the last bit: the clock in seconds, which is the sum of what rounds took; steps that are
 * left of a job (whole ones, or as the trace's own column `total_steps` states them); steps a second on a type. */
double orr_share_clock(const orr_share_rounds *r);
double orr_share_steps(orr_share_rounds *r, orr_share_row *row);
double orr_share_rate(orr_share_rounds *r, const orr_share_row *row, int32_t type);
void orr_share_tasks_left(orr_share_rounds *r, orr_plan *plan); /* paces those whose partner has left */

#endif
