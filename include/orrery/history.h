/* Walk-forward memories for estimators: what finished so far, and what it says about the next job. Each starts empty,
 * belongs to one module instance and holds what was added, so that nothing can be known before it happened. Texts are
 * copied.
 */
#ifndef ORRERY_HISTORY_H
#define ORRERY_HISTORY_H

#include <orrery/policy.h>

/* How close names are found. The rules of an instance's first call count. */
typedef struct orr_rolling_rules {
    double cut;      /* least similarity of a close name, 0..1 */
    int64_t matches; /* how many close names count, the best ones; 0: none; at most ORR_ROLLING_MATCHES */
    int64_t look;    /* a name is compared with so many others at most, those that were new last */
} orr_rolling_rules;
#define ORR_ROLLING_MATCHES 8

/* The regression; the rules of an instance's first call count. */
typedef struct orr_ridge_rules {
    int64_t buckets; /* that features are hashed into, 8..2048 */
    double lambda;   /* what the square of a weight costs, > 0 */
    int64_t every;   /* solved anew when so many more jobs have finished, or their number has doubled since */
    bool monthly;    /* instead: solved when a calendar month is over, from all that finished before its end */
} orr_ridge_rules;

ORR_BEGIN

/* ---- means by a key of the estimator's own making; O(1) expected ---- */
ORR_API void orr_history_add(orr_ctx *ctx, const char *key, double value);
/* Mean of what was added under the key; 0 values: false. */
ORR_API bool orr_history_mean(orr_ctx *ctx, const char *key, double *mean);

/* ---- jobs by user and name: the rolling estimate of Helios ---- */
ORR_API void orr_rolling_add(orr_ctx *ctx, const orr_job *job, const orr_rolling_rules *rules, double value);
/* The mean over the jobs of this name, or, if no job has it, of the close names: of the user's with as many GPUs; else
 * of the user's; else of everyone's. Without such names the mean of the user's jobs, else of all; nothing was added:
 * false. O(1) expected for a name that is known. Another is compared with each other name once; similarity is Ratcliff
 * and Obershelp's, on the first 255 bytes. */
ORR_API bool orr_rolling_mean(orr_ctx *ctx, const orr_job *job, const orr_rolling_rules *rules, double *mean);

/* ---- ridge regression of the log of durations on hashed one-hot features: user, VC, name, GPUs, and hour, weekday and
 * month of the submission ---- */
/* O(1): eight weights meet. With `monthly` the first job of a month solves. */
ORR_API void orr_ridge_add(orr_ctx *ctx, const orr_job *job, const orr_ridge_rules *rules, double seconds);
/* 0..the greatest seconds added. False before it was solved once: by 16 jobs, or by a month. Solves if that is due,
 * O(buckets^3); else O(1). */
ORR_API bool orr_ridge_predict(orr_ctx *ctx, const orr_job *job, const orr_ridge_rules *rules, double *seconds);

/* ---- a number that is looked at in regular steps, such as how many nodes are busy: what it will be. HISTORY knowledge
 * of ORR_Q_LOAD ---- */
typedef struct orr_series orr_series;
/* It tends to repeat after `period` (>= 1) steps: a day. Lives as long as the instance. */
ORR_API orr_series *orr_series_create(orr_ctx *ctx, int64_t period);
/* Its value at the next step. O(1). */
ORR_API void orr_series_add(orr_series *series, double value);
/* The `n` values after the last one that was added: the mean of former periods at that step, and what the last value
 * differs from its own fades as it did so far. Before the first period is over, the last value. O(n). */
ORR_API void orr_series_forecast(orr_ctx *ctx, const orr_series *series, int64_t n, double *out);

ORR_END
#endif
