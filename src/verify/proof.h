/* The state of a proof: what the log has said so far, kept in the verifier's own way. Private to this folder. */
#ifndef ORR_VERIFY_PROOF_H
#define ORR_VERIFY_PROOF_H

#include "base/assert.h"
#include "base/io.h"
#include "verify/beside.h"
#include "verify/verify.h"

typedef enum rule {
    RULE_TIME,
    RULE_LIFECYCLE,
    RULE_DECISION,
    RULE_REQUEST,
    RULE_SUBMISSION,
    RULE_AFTER,
    RULE_CAPACITY,
    RULE_HOST,
    RULE_MEMORY,
    RULE_NODE,
    RULE_UP,
    RULE_GANG,
    RULE_TYPE,
    RULE_VC,
    RULE_PINNED,
    RULE_HOLD,
    RULE_COST,
    RULE_RATE,
    RULE_WORK,
    RULE_LOST,
    RULE_ENDING,
    RULE_STOP,
    RULE_CONSERVATION,
    RULE_METRIC,
    RULE_JOBS,
    RULE_HOLDS,
    RULES
} rule;

/* ---- costs and clock, read from the header's texts --------------------------------------------------------------- */

enum { STEPS = 16 };
typedef struct steps {
    int count;
    int32_t from[STEPS];
    orr_time delay[STEPS];
} steps;

typedef struct terms {
    steps start, save, restore, resize;
    orr_time checkpoint, round, tick; /* 0: none */
    char unpaid; /* what becomes of a delay that isn't paid in full: d(rop), k(eep), r(enew) */
    bool by_application; /* delays are as the log tells: it doesn't say what applications state */
} terms;

orr_err orr_terms_read(const orr_log_header *header, terms *out, orr_error *e);
orr_time orr_terms_cost(const steps *cost, int32_t gpus);
orr_time orr_terms_on_grid(const terms *t, orr_time at);

/* later - earlier, held at the ends of the range: a log may say anything. */
static inline orr_time orr_proof_gap(orr_time later, orr_time earlier)
{
    orr_time gap;
    if (__builtin_sub_overflow(later, earlier, &gap))
        return later > earlier ? ORR_TIME_MAX : -ORR_TIME_MAX;
    return gap;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

typedef enum stage { ABSENT, WAITING, HOLDING, SAVING, DONE, FAILED, KILLED, REJECTED } stage;

/* What is kept of a job for ever. */
typedef struct facts {
    const char *id;
    struct live *live; /* NULL: it isn't there (any more) */
    orr_time submit, first_start, end, held, duration, deadline;
    orr_wide service, overhead, lost; /* thousandths of GPU·ns */
    uint32_t user, vc, reason;        /* names */
    int32_t pool, gpus, milli, starts, preemptions, migrations, resizes, attempts, interruptions; /* milli: of each */
    uint8_t stage;
    bool censored, carried, moving; /* moving: at the stop it pays a resize or a migration */
    double rho;
} facts;

/* What is kept while it is there. */
typedef struct live {
    facts *f;
    uint32_t place;
    struct live *before, *after; /* by submission */
    const char *types;
    int32_t min_gpus, max_gpus;
    int64_t cpu_milli, mem, gpu_mem;
    orr_time *attempts; /* NULL: one */
    uint32_t attempt_count, attempt;
    orr_log_ending ending;
    bool pinned;
    orr_time ran;
    orr_time wait_since, left, owes, run_began_with; /* work left; delay at the next start; `left` when the run began */
    /* the present hold */
    ORR_VEC(orr_log_slice) slices;
    int32_t gpus, holds; /* holds: so far */
    int64_t milli;       /* in all */
    orr_time given, from, pay, until;
    orr_time since, debt; /* `left` is told up to `since`, when so much delay is still to be paid */
    double rate;
    bool moving;
    orr_time overhead; /* of the hold that ends or saves */
    ORR_VEC(uint64_t) keeps; /* while it saves, by slice: GPUs of which nobody has taken its part over */
    int64_t kept;            /* thousandths of them */
} live;

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

typedef struct machine {
    const orr_log_nodes *kind;
    int64_t first; /* its first GPU among all */
    int32_t pool;
    uint64_t up;  /* its GPUs that work */
    bool takes;   /* new jobs */
    uint32_t state; /* a name */
    int32_t guests; /* jobs that hold something of it */
    orr_time lost;  /* when GPUs of it were lost last */
    int64_t cpu_milli, mem; /* given away */
    bool touched, changed;
} machine;

typedef struct card {
    int32_t used, kept; /* thousandths given away, and held by those who save */
    int64_t mem, mem_kept; /* device memory likewise, of those who share it */
    bool touched;
    orr_time blocked; /* somebody saves on it until then */
} card;

/* ---- what is measured -------------------------------------------------------------------------------------------- */

typedef struct measure {
    bool completed, censored, carried;
    int64_t job_from, job_to;
    orr_time from, to, warmup, cooldown;
    orr_time lower, upper; /* of all these: submissions measured, and what integrals are taken over */
} measure;

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Integrals over time of a pool. */
typedef struct sums {
    orr_wide held, busy, milli_queued; /* thousandths of GPU·ns */
    orr_wide jobs_queued;
    orr_wide there; /* GPU·ns that there were */
} sums;

/* A job was interrupted, or couldn't finish saving, for the loss of a node: of one of `group` from here on. */
typedef struct loss {
    int32_t node;
    const char *job;
    size_t group;
} loss;

enum { PAGE = 64 };

typedef struct proof {
    orr_verification *out;
    const orr_log_header *header;
    terms terms;
    machine *machines;
    card *cards;
    int64_t nodes, gpus;
    orr_names *pools; /* texts of VCs, by first mention */
    int32_t pool_count;
    int64_t *pool_gpus; /* [pool_count] */
    int64_t *gpus_up;   /* [1 + pool_count], the whole first */
    orr_time up_since;  /* `there` is summed up to then */
    ORR_VEC(int32_t) changed_machines; /* at this time */
    ORR_VEC(loss) losses;              /* likewise */
    ORR_VEC(int64_t) touched_cards;
    ORR_VEC(int32_t) touched_machines;
    ORR_VEC(live *) savers; /* preempted in this commit, and saving */
    measure measure;
    facts **pages;
    size_t page_count;
    orr_names *names; /* users, VCs of the trace, reasons */
    orr_arena ids;
    live *first, *last;
    orr_log_counts counts;
    orr_time now, before;         /* of this record, and of the one before */
    orr_time begun, first_submit; /* begun: time of the present decision, ORR_TIME_NONE: none */
    uint64_t decision;
    uint64_t resumed, came_running; /* jobs that ran at the origin: those that hold GPUs from then on; all */
    bool decided;
    sums *sums;            /* [1 + pool_count], the whole first */
    orr_time lower, upper; /* integrals are taken within these */
    const char *job;       /* whom a finding is about */
    struct rows *holds;    /* attempts.csv, read along; NULL: not there */
    orr_log_stop stop;
} proof;

void orr_proof_finds(proof *p, rule r, const char *resource, const char *fmt, ...) ORR_PRINTF(4, 5);

/* jobs.c */
facts *orr_proof_facts(proof *p, uint64_t place, bool make); /* NULL: no such job, or (not `make`) none yet */
live *orr_proof_enter(proof *p, facts *f, const orr_log_record *r);
void orr_proof_leave(proof *p, live *l);
void orr_proof_jobs_fini(proof *p);

/* booked.c: who has what */
orr_err orr_booked_make(proof *p, orr_error *e);
void orr_booked_fini(proof *p);
/* Are these GPUs that exist, each once, and of the right kind? False: it can't even be booked. */
bool orr_booked_check(proof *p, const live *l, const orr_log_record *r);
void orr_booked_take(proof *p, live *l);
void orr_booked_give(proof *p, live *l);
void orr_booked_block(proof *p, const live *l, orr_time until);
orr_time orr_booked_vacant(const proof *p, const live *l, orr_time at);
/* What it kept while it saved is free. */
void orr_booked_free_kept(proof *p, live *l);
/* After a commit: is anything given away twice? */
void orr_booked_settle(proof *p);
void orr_booked_node_name(const proof *p, int32_t node, char *buf, size_t size);
void orr_booked_gpu_name(const proof *p, int32_t node, int gpu, char *buf, size_t size);

/* hold.c: what a hold amounts to */
orr_time orr_hold_due(const proof *p, const live *l); /* when it completes */
void orr_hold_begin(proof *p, live *l, const orr_log_record *r);
/* What it has done by `at` is told. */
void orr_hold_advance(live *l, orr_time at);
/* Time until `at` is booked; with `done` nothing is left of the work. */
void orr_hold_book(proof *p, live *l, orr_time at, bool done);
void orr_hold_book_saving(proof *p, live *l, orr_time at);
void orr_hold_release(proof *p, live *l, orr_time at, const char *reason);
void orr_wait_book(proof *p, live *l, orr_time at);
orr_time orr_hold_unpaid(const live *l, orr_time at);
void orr_sums_add(proof *p, int32_t pool, size_t member, orr_time from, orr_time to, int64_t amount);

/* steps.c, grants.c: one record */
void orr_proof_step(proof *p, const orr_log_record *r);
void orr_step_grant(proof *p, live *l, const orr_log_record *r);
void orr_step_preempt(proof *p, live *l, const orr_log_record *r);
/* It loses its GPUs now: what it has to do again, and what it will owe. */
void orr_step_take_back(proof *p, live *l, const orr_log_record *r);
/* nodes.c */
void orr_nodes_make(proof *p);
void orr_nodes_fini(proof *p);
void orr_step_node(proof *p, const orr_log_record *r);
void orr_step_interrupt(proof *p, live *l, const orr_log_record *r);
/* One of the nodes that it saves on is lost now. */
void orr_nodes_expect_loss(proof *p, const live *l);
/* May the job be given these? */
void orr_nodes_check(proof *p, const live *l, const orr_log_slice *s);
/* What there was is summed up to `at`. */
void orr_nodes_sum(proof *p, orr_time at);
/* All of an instant has been told. */
void orr_nodes_settle(proof *p);
/* stop.c */
void orr_step_stop(proof *p, const orr_log_record *r);

/* holds_rows.c: attempts.csv, in step with the log */
struct rows *orr_rows_open(const char *path, orr_error *e);
void orr_rows_close(struct rows *rows); /* takes NULL */
void orr_rows_hold(proof *p, const live *l, orr_time end, const char *reason);
orr_err orr_rows_over(proof *p, orr_error *e); /* behind the last one */
/* jobs_rows.c */
orr_err orr_jobs_compare(proof *p, const char *path, orr_error *e);
const char *orr_stage_name(const proof *p, const facts *f);
/* cell.c: does a cell say this? Undefined (ORR_TIME_NONE, NaN) is the empty cell. */
bool orr_cell_is_time(const char *cell, orr_time t);
bool orr_cell_is_count(const char *cell, int64_t n);
bool orr_cell_is_real(const char *cell, double v);
bool orr_reals_agree(double a, double b); /* within 1e-12 of the larger; NaN agrees with NaN */

/* measure.c. False: it can't be understood. */
bool orr_measure_read(const char *text, const orr_log_header *header, measure *out);
bool orr_measure_ranges(const measure *m, const facts *f, uint64_t place);
bool orr_measure_takes(const measure *m, const facts *f, uint64_t place);
/* shares.c: sets `rho` of all jobs. */
void orr_shares_set(proof *p);

typedef struct listed {
    facts *f;
    uint64_t place;
} listed;

/* The numbers of a pool (-1: of the whole) as they should be; `told` is called for each, with its key in the summary.
 */
typedef void orr_number_told(void *self, const char *key, double value);
/* measured.c */
void orr_measured_each(const proof *p, const measure *m, const listed *jobs, size_t n, int32_t pool,
                       orr_number_told *told, void *self);
/* summary.c */
orr_err orr_summary_compare(proof *p, const char *path, orr_error *e);

#endif
