/* The life of one job, told from the event log alone: when it waited and for what, when it ran and on what, who took
 * its GPUs away. Waits and runs follow each other without a gap, so that the parts add up to the JCT.
 *
 * What a wait was for is told by the nodes on which the job may run (its virtual cluster, its GPU types), moment by
 * moment:
 * - `busy`: fewer GPUs were free there than it asks for, or smaller parts of them;
 * - `pieces`: enough were free, but not on as few nodes as its gang needs at least, or not on single GPUs;
 * - `room`: there was room even so, and the policy let it wait: others were before it, or it decides at certain times
 * only. A policy whose placer spreads gangs may start a job in the second case.
 */
#ifndef ORR_REPORT_LIFE_H
#define ORR_REPORT_LIFE_H

#include "log/log.h"
#include <cjson/cJSON.h>

enum { ORR_LIFE_NAMED = 3 }; /* so many jobs are named, more are counted */

/* Some jobs: how many, and the first of them. */
typedef struct orr_life_jobs {
    uint64_t count;
    char id[ORR_LIFE_NAMED][64];
} orr_life_jobs;

typedef enum orr_life_kind { ORR_LIFE_WAIT, ORR_LIFE_RUN } orr_life_kind;

typedef struct orr_life_step {
    orr_life_kind kind;
    orr_time from, to; /* to: of a step that goes on at the stop, the stop */
    bool open;         /* it goes on */
    /* a wait */
    orr_time busy, pieces, room; /* sum to `to - from` */
    int64_t gpus, held;          /* of the nodes it may run on, as it began */
    uint64_t ahead, running;     /* jobs queued that were submitted before it, and jobs that ran, as it began */
    orr_life_jobs overtakers;    /* submitted after it, started meanwhile */
    /* a run */
    orr_time pay;                /* of it, without progress at its beginning */
    orr_time saving;             /* and at its end */
    orr_time lost;               /* work to be done again */
    int32_t run_gpus, nodes;
    double rate;                 /* as it began */
    uint64_t speeds;             /* how often it changed, */
    double slowest, fastest;     /* and between what, the first included */
    const char *where;           /* "node3:0-7" */
    const char *end;             /* "preempted", "resized", "reshared", "interrupted", "done", … ; "" while open */
    const char *node;            /* interrupted: which it lost; else "" */
    orr_life_jobs takers;        /* of a preemption: who was given its GPUs at the same time */
} orr_life_step;

typedef struct orr_life {
    const char *id, *user, *vc, *name, *types; /* "" where not said */
    int32_t gpus, min_gpus, max_gpus, milli; /* milli: thousandths of each GPU */
    orr_time submit, duration, deadline, end; /* end: ORR_TIME_NONE: it hasn't ended */
    uint32_t after;       /* how many jobs it waited for before its submission */
    const char *state;    /* "done", "failed", "killed", "rejected", "running", "queued" */
    const char *reason;   /* of a rejection or a policy's kill; "" else */
    const char *stop;     /* of the run: "drained", … ; "cut" where the log ends too early */
    orr_time stopped;
    orr_time waited, held, paid, lost; /* sums over the steps; `paid` counts saving, too */
    ORR_VEC(orr_life_step) steps;
    orr_arena texts;
} orr_life;

/* NULL and `e`: what the log gives, or ORR_E_BAD_VALUE with the nearest ids if no such job was submitted. One pass,
 * memory O(nodes' GPUs + 40 bytes a job). */
orr_life *orr_life_read(const char *path, const char *id, orr_error *e);
void orr_life_destroy(orr_life *life);

/* Lines for people, each at most 100 columns where names allow. */
void orr_life_text(const orr_life *life, orr_text *out);
/* An object: times in seconds, keys in fixed order. */
cJSON *orr_life_json(const orr_life *life);

#endif
