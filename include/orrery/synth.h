/* Synthetic traces: seeded, with the shapes published for production GPU clusters or measured in a trace of one's own.
 *
 * The same options give the same trace on every machine. Each property draws from its own named sub-stream, a fixed
 * number of draws a job, so changing one (say the arrivals) leaves the others (durations, sizes, users) as they
 * were, and the first thousand jobs of a longer trace have the sizes and durations of a trace of a thousand.
 * Submissions and durations are whole seconds: jobs of one second happen, as they do in production, and the last bit
 * of a machine's `exp` can't show.
 *
 * What is drawn: GPUs (one table a shape), duration given the GPUs (mixtures of lognormals cut at the longest job on
 * record), VC and user (shares fall like 1, 1/2, 1/3, … to a power; a user belongs to one VC), ending. A job's name is
 * one of its user's hundred, and mostly the same for jobs of one size and of like duration, so that what a user ran
 * before tells something, not all, about the next job. Of the variance of ln(duration), user and name together explain
 * 0.92, 0.67, 0.41, 0.17 and 0.13 at a recurrence of 1, 0.85 (usual), 0.6, 0.2 and 0; the rank correlation of a job's
 * duration with the mean of its user's earlier jobs of that name is 0.90, 0.67, 0.34, 0.06 and 0.02 (20,000 jobs of
 * philly, 30 users; what is left at 0 is chance: means of few jobs each).
 *
 * Families are columns beyond these, which no public trace has: src/trace/synth_with.c says for each what it means.
 * Adding one changes no other column, but for `trials`, whose jobs come together and are cut short.
 */
#ifndef ORRERY_SYNTH_H
#define ORRERY_SYNTH_H

#include <orrery/applications.h>
#include <orrery/throughputs.h>
#include <orrery/trace.h>

/* What a trace is drawn from. */
typedef struct orr_synth_model orr_synth_model;

typedef struct orr_synth_options {
    uint64_t seed;
    const char *shape;   /* a name of orr_synth_shapes: where sizes, durations, endings and the usual gap come from */
    const orr_synth_model *model; /* instead of a shape; borrowed; NULL: `shape` */
    uint64_t jobs;       /* >= 1 */
    orr_time span;       /* submissions fall into [0, span), as measured ones from the recorded first on; ORR_TIME_NONE:
                          * follows from `load`, else the usual gap */
    double load;         /* > 0: span = GPU-seconds / (gpus * load); excludes `span`; 0: not asked. A share of a GPU
                          * counts as a share */
    int64_t gpus;        /* GPUs that `load` refers to */
    const char *arrivals;/* "poisson", "diurnal" (profile of day and week; 0 is a Monday's midnight), "bursty" (gamma
                          * gaps, cv), "mmpp" (a Poisson process whose rate jumps between states), "at-once"; NULL: as
                          * measured for a model that was, else diurnal */
    double cv;           /* of the gaps, for "bursty": 0.01..100 */
    const char *mmpp;    /* states in the order in which they follow each other, around: "RATE:SOJOURN,RATE:SOJOURN…";
                          * rates are relative, 0 allowed, mean sojourns durations; NULL: "1:4h,10:20m" */
    const char *durations; /* instead of the shape's: "lognormal:MEDIAN:SIGMA" (sigma of ln), "exp:MEAN", "fixed:TIME",
                          * "pareto:LEAST:ALPHA"; at least 1 s, whole seconds; NULL: the shape's */
    int32_t vcs, users;  /* vc0, vc1, …; u0, u1, …; 0: the column stays empty; -1: as measured, else no VCs, 30 users */
    double vc_zipf, user_zipf; /* share of the i-th: i to the power -x, 0..10; -1: the shape's (1; pai's users 1.2) */
    double recurrence;   /* share of jobs named after how long they run, 0..1; -1: as measured, else 0.85 */
    int32_t max_gpus;    /* the same distribution given that no job asks for more; 0: no bound */
    double deadline_share; /* share of jobs given a deadline */
    const char *deadline_slack; /* deadlines are so many durations after the submission, evenly: "LOW:HIGH"; NULL: "1:3"
                          * or, of the family `deadlines`, "0.5:1.5" */
    double limit_factor; /* >= 1: limits of duration times 1 or more, this on average, in whole minutes; 0: none */
    const char *with;    /* families of further columns, separated by commas; NULL or "": none */
    const orr_throughputs *throughputs; /* models are drawn among those that this table has for the job's GPUs on its
                          * reference type, each as likely; borrowed; NULL: as measured, else the column stays empty */
    const orr_applications *applications; /* jobs are whole trainings of these: model, GPUs, batch (the attribute
                          * `batch_size`) and duration come from there, everything else as without. A short training is
                          * drawn more often: weights fall with the square root of its time on one GPU. Borrowed; NULL:
                          * none */
    const char *configured; /* of those jobs: "tuned", one of the gangs of which a GPU does 0.5 to 0.8 of one alone,
                          * with its best batch, as Pollux' workloads are; "random", any gang and any batch that fits;
                          * of 1, 2, 3, 4, 6, 8, 12, … GPUs; NULL: tuned */
    int32_t trials;      /* of the family `trials`: so many a group on average, >= 1 */
} orr_synth_options;

/* Requests instead of jobs: services that are asked on their own, each its share of the whole. An arrival is a whole
 * number of microseconds. What a service is asked depends on its name and its rate alone. */
typedef struct orr_synth_requests_options {
    uint64_t seed;
    uint64_t requests;    /* >= 1, of all services together; the first so many that arrive */
    const char *services; /* names, separated by commas, or how many: s0, s1, …; NULL: 1 */
    double service_zipf;  /* share of the i-th: i to the power -x, 0..10 */
    double rate;          /* a second, of all services together, in the mean of time; 0: follows from `span`, else 10 */
    orr_time span;        /* rate = requests / span; excludes `rate`; ORR_TIME_NONE: not asked */
    const char *arrivals; /* of each service: "poisson"; "diurnal", a sine with the period of a day, least at second 0;
                           * "bursty", gamma gaps (cv); "mmpp" (after a state any other is as likely); NULL: poisson */
    double cv;            /* of the gaps, for "bursty": 0.01..100 */
    const char *mmpp;     /* as in orr_synth_options; rates are scaled to the service's */
    double swing;         /* of the rate about its mean, for "diurnal": 0..1 */
    const char *tokens_in, *tokens_out; /* lognormal: "MEAN:CV", or "MEAN" for all alike; whole, >= 1; NULL: not
                                         * stated */
    orr_time bin;         /* > 0: counts and tokens of bins as wide as this instead of single requests; 0 */
} orr_synth_requests_options;

/* A published shape. */
typedef struct orr_synth_shape {
    const char *name, *about;
} orr_synth_shape;

/* A family of columns. */
typedef struct orr_synth_family {
    const char *name;
    const char *columns; /* those it fills, separated by blanks */
    const char *about;   /* what they mean, in which unit, and where that comes from */
} orr_synth_family;

/* How far two traces are apart in one column. */
typedef struct orr_synth_distance {
    const char *column;
    const char *measure; /* "ks": greatest distance of the two distribution functions; "tv": total variation, half the
                          * sum of the differences of shares; "difference" of two explained shares of variance */
    double distance;     /* 0: equal, 1: as far apart as can be; NaN: one of the traces has nothing there */
    uint64_t n, m;       /* values of the first and of the second */
} orr_synth_distance;

ORR_BEGIN

/* Seed 1, 1,000 jobs of "philly", diurnal at the usual gap, cv 4, no VCs, 30 users, nothing else. */
ORR_API orr_synth_options orr_synth_options_default(void);
/* NULL and `e` on contradictory options (ORR_E_CONFLICT), wrong values (ORR_E_BAD_VALUE) or a load without GPUs
 * (ORR_E_MISSING). O(jobs log jobs). */
ORR_API orr_trace *orr_synth(const orr_synth_options *options, orr_error *e);

/* Seed 1, 1,000 requests of one service, Poisson, 10 a second, cv 4, swing 0.5, no tokens, no bins. */
ORR_API orr_synth_requests_options orr_synth_requests_options_default(void);
/* A trace of requests; its records have service, arrival and tokens. Errors as orr_synth. O(requests log services). */
ORR_API orr_trace *orr_synth_requests(const orr_synth_requests_options *options, orr_error *e);

/* Writes up to `room` of them and returns how many there are. */
ORR_API size_t orr_synth_shapes(orr_synth_shape *out, size_t room);
ORR_API size_t orr_synth_families(orr_synth_family *out, size_t room);

/* Measures a trace of jobs, so that another one like it can be made: sizes and shares of GPUs by VC, durations and
 * endings by size, arrivals (rate by hour of the week and by day, and how gaps vary about it), users' and VCs' shares,
 * GPU types, models, and how much names tell. VCs keep their names, users don't. NULL and ORR_E_NO_JOBS if there is
 * nothing to measure. O(n log n). */
ORR_API orr_synth_model *orr_synth_fit(const orr_trace *trace, orr_error *e);
/* Columns of the trace that a model doesn't tell about, separated by blanks; "" if there is none. Malloc'd. */
ORR_API char *orr_synth_left_out(const orr_trace *trace);
ORR_API void orr_synth_model_destroy(orr_synth_model *model);
/* Of the trace that it was measured from. */
ORR_API uint64_t orr_synth_model_jobs(const orr_synth_model *model);
/* As JSON ("orrery.synth-model/1"), and back: exact. Reading: ORR_E_OPEN, ORR_E_SYNTAX, ORR_E_FORMAT. */
ORR_API orr_err orr_synth_model_write(const orr_synth_model *model, const char *path, orr_error *e);
ORR_API orr_synth_model *orr_synth_model_read(const char *path, orr_error *e);

/* How far two traces are apart, column by column: a goodness of fit. Writes ORR_SYNTH_DISTANCES rows. */
#define ORR_SYNTH_DISTANCES 13
ORR_API void orr_synth_compare(const orr_trace *a, const orr_trace *b, orr_synth_distance rows[ORR_SYNTH_DISTANCES]);

ORR_END
#endif
