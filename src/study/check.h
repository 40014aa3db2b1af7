/* A baseline against what its cases give now: the runs, the verdicts, and what couldn't be compared. A check that can't
 * compare everything it was asked to is never green.
 */
#ifndef ORR_STUDY_CHECK_H
#define ORR_STUDY_CHECK_H

#include "study/baseline.h"
#include "study/verdict.h"
#include "study/wall.h"
#include <cjson/cJSON.h>

/* Why something can't be compared, in one sentence, and the place in the baseline that it concerns. */
typedef struct orr_check_problem {
    int line, column;
    char *text; /* owned */
} orr_check_problem;
typedef ORR_VEC(orr_check_problem) orr_check_problems;

typedef struct orr_check_number {
    const orr_expected *expected;
    const char *key, *unit;
    orr_direction direction;
    orr_tolerance tolerance;
    double *got; /* one a seed of the case; NaN where undefined */
    orr_judgement judgement; /* not comparable: the case's problems say why */
} orr_check_number;

typedef struct orr_check_input {
    const char *name;
    char digest[65];
} orr_check_input;

#define ORR_MOVED_DEED 208
/* Where a job ended in the reference and where it does now; times ORR_TIME_NONE where it didn't. */
typedef struct orr_moved_job {
    char id[64];
    orr_time before, now; /* JCT */
    /* The first time at which the policy did something else to it, and what, with its own time where that is later; ""
     * where it did nothing any more. */
    bool parted;
    orr_time parted_at;
    char then[ORR_MOVED_DEED], instead[ORR_MOVED_DEED];
} orr_moved_job;

/* Which jobs moved, of one run (a case and a seed). */
typedef struct orr_moved {
    uint64_t seed;
    uint64_t moved, jobs;  /* jobs whose JCT changed, or that ended in one of the runs only; all jobs */
    ORR_VEC(orr_moved_job) worst; /* by |JCT difference|, then id; first those that ended in one run only */
    bool parted;           /* the first decision that differs at all, about `first_job` */
    orr_time parted_at;
    char first_job[64], then[ORR_MOVED_DEED], instead[ORR_MOVED_DEED];
    char *missing;         /* why it can't be told; NULL: it is told. Owned */
} orr_moved;

typedef struct orr_check_case {
    const orr_baseline_case *from;
    bool selected;                 /* false: left out on request; then all else is empty */
    ORR_VEC(orr_check_input) inputs; /* as read now */
    ORR_VEC(orr_check_number) numbers;
    cJSON **summaries;             /* one a seed; NULL where it has none */
    orr_check_problems problems;
    orr_verdict verdict;           /* the worst */
    double wall_s;                 /* real time of its runs, the least of each; 0: not asked for */
    char *wall_note;               /* why that isn't compared; NULL: it is, or wasn't asked for. Owned */
    ORR_VEC(orr_moved) moved;      /* where asked for */
} orr_check_case;

typedef struct orr_check {
    const orr_baseline *baseline;
    const char *file;
    orr_check_case *cases;         /* one a case of the baseline */
    size_t n;
    size_t selected, runs, numbers; /* cases, simulations, numbers compared */
    size_t counts[ORR_VERDICTS];   /* of numbers */
    size_t problems;               /* of all cases, and those of none */
    orr_check_problems general;
    char machine[ORR_WALL_CLASS];  /* its kind, where times are asked for; "" else */
    orr_arena arena;
} orr_check;

typedef struct orr_check_options {
    const char *const *only; /* names of cases; NULL: all */
    size_t only_count;
    int jobs;                /* in parallel; 0: one a core */
    bool update;             /* other inputs are no reason not to run, and cases may expect nothing yet */
    int wall_runs;           /* times each run is made, of which the shortest counts; 0: time is left alone */
    double wall_factor;      /* longer than so many times what is expected: regressed */
    const orr_registry *registry; /* NULL: the built-in modules */
    /* In the caller's process, a few times a second; false stops everything. May be NULL. */
    bool (*tick)(void *self, size_t done, size_t all);
    void *self;
} orr_check_options;

/* What --update expects of a case that expects nothing, where the baseline doesn't say it: ended by NULL. */
extern const char *const orr_check_usual[];

/* Runs and judges. Whatever is wrong with a case is a problem of that case; an error is returned for a case name that
 * the baseline lacks (ORR_E_BAD_VALUE), when no process can be made, and ORR_E_INTERRUPTED after a stop. `c` refers to
 * `b`; `fini` is due either way. */
orr_err orr_check_run(orr_check *c, const orr_baseline *b, const orr_check_options *options, orr_error *e);
void orr_check_fini(orr_check *c);

/* The parts of orr_check_run: a check in which no case is selected, and the judgement of the summaries that the
 * selected cases have. */
void orr_check_init(orr_check *c, const orr_baseline *b);
void orr_check_judge(orr_check *c, const orr_check_options *options);

/* 0: all the same or better; 1: something regressed or changed, or improved and `strict`; 2: something can't be
 * compared, or nothing was. */
int orr_check_status(const orr_check *c, bool strict);

#endif
