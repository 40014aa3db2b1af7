/* Inside the generator: the jobs as far as they are drawn, and what all parts of it use.
 *
 * Order of work: base columns (synth_draw.c), trainings (synth_train.c), trials cut short (synth_with.c), the span,
 * arrivals (synth_arrive.c), trials gathered, then a job at a time: families (synth_with.c) and the record (synth.c).
 */
#ifndef ORR_TRACE_SYNTH_H
#define ORR_TRACE_SYNTH_H

#include "trace/store.h"
#include "trace/synth_model.h"

#include <gsl/gsl_rng.h>

typedef struct synth_draft {
    int64_t submit, seconds;
    int64_t full;            /* seconds that it would have run, had it not been stopped; 0: it wasn't */
    int64_t limit, deadline; /* seconds; deadline from the submission; 0: none */
    int32_t size;            /* index into the model's classes */
    int32_t vc, user, name;  /* -1: none */
    /* index into the model's, `model` into the jobs of a throughput table or the applications if there are some; -1:
     * none */
    int32_t type, model;
    int32_t gpus;            /* where it isn't as the class of its size says; else 0 */
    int64_t batch;           /* over all GPUs; 0: none is stated */
    int32_t app, leader;     /* trial group, and its first job; -1: none */
    orr_ending ending;
} synth_draft;

typedef enum synth_arrivals {
    SYNTH_POISSON,
    SYNTH_DIURNAL,
    SYNTH_BURSTY,
    SYNTH_MMPP,
    SYNTH_AT_ONCE,
    SYNTH_MEASURED,
} synth_arrivals;

/* A state of the modulated process. */
typedef struct synth_state {
    double rate;    /* relative */
    double sojourn; /* mean, s */
} synth_state;

typedef enum synth_law_kind { SYNTH_OWN, SYNTH_LOGNORMAL, SYNTH_EXP, SYNTH_FIXED, SYNTH_PARETO } synth_law_kind;

enum { SYNTH_STATES = 8, SYNTH_FAMILIES = 11 };

/* The options, understood. */
typedef struct synth_plan {
    const orr_synth_options *options;
    const orr_synth_model *model;
    synth_arrivals arrivals;
    synth_state states[SYNTH_STATES];
    int32_t state_count;
    synth_law_kind durations;
    double scale, form; /* s; sigma or alpha */
    double slack_low, slack_high, deadline_share;
    int32_t vcs, users; /* -1: as measured */
    double vc_zipf, user_zipf, recurrence;
    uint32_t families; /* bits by place in the list */
} synth_plan;

typedef struct synth {
    synth_plan plan;
    const orr_synth_model *model;
    synth_draft *jobs;
    size_t n;
    int64_t span; /* seconds */
} synth;

/* Fills the plan but for `model`, which must be set. */
orr_err orr_synth_plan(synth_plan *plan, orr_error *e);

/* States as orr_synth_options.mmpp has them; NULL: the default. */
orr_err orr_synth_states(const char *text, synth_state states[SYNTH_STATES], int32_t *count, orr_error *e);

/* A stream of this name under the workload's; free with gsl_rng_free. */
gsl_rng *orr_synth_stream(uint64_t seed, const char *name);
/* The first index whose cumulated weight exceeds `x`; the last one if rounding pushes x past the end. */
int32_t orr_synth_pick(const double *cumulated, int32_t n, double x);
/* Cumulated shares 1, 2^-x, 3^-x, … */
double *orr_synth_zipf(int32_t n, double x);

void orr_synth_draw(synth *s);
/* Makes jobs trainings of the options' applications. synth_train.c. */
void orr_synth_train(synth *s);
int32_t orr_synth_gpus(const synth *s, size_t i);
/* Draws names anew at another share of jobs named after how long they run. */
void orr_synth_draw_names(synth *s, double recurrence);
/* Submissions by the plan's arrivals; s->span is set. */
orr_err orr_synth_arrive(synth *s, orr_error *e);

bool orr_synth_has(const synth_plan *plan, const char *family);
/* Groups jobs as trials and cuts all but the best of each; later, when all are submitted, moves them to their first. */
void orr_synth_cut_trials(synth *s);
void orr_synth_gather_trials(synth *s);

/* Scratch for the texts of one job's families. */
typedef struct synth_fill synth_fill;
/* Declares the attributes of the plan's families. */
synth_fill *orr_synth_fill_create(const synth *s, orr_trace *trace);
/* Fills the columns of job i; what the record then points to lives until the next call. */
void orr_synth_fill_job(synth_fill *f, size_t i, orr_trace_job *job);
void orr_synth_fill_destroy(synth_fill *f);

/* The share of the variance of ln(seconds) that groups of equal keys explain; NaN if it doesn't vary. Sorts nothing of
 * the caller's. O(n log n). */
double orr_synth_explained(const uint64_t *keys, const double *seconds, size_t n);

#endif
