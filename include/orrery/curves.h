/* Curves with few non-negative parameters, fitted to what was measured: how fast a job trains on so many servers and
 * workers, and how its loss falls (Optimus, Peng et al., EuroSys'18, §3). Plain functions of their arguments;
 * deterministic; bounded work. Goodput's own fit is in goodput.h.
 */
#ifndef ORRERY_CURVES_H
#define ORRERY_CURVES_H

#include <orrery/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- non-negative least squares ---- */

enum { ORR_NNLS_COLUMNS = 16 };

ORR_BEGIN

/* The x >= 0 with the least |A x - b|, which it returns; a[row * columns + column], 1..ORR_NNLS_COLUMNS columns,
 * rows >= 1. Where several are as good, one with zeros: columns that are sums of others don't enter. Active sets
 * (Lawson and Hanson). */
ORR_API double orr_nnls(const double *a, const double *b, size_t rows, size_t columns, double *x);

ORR_END

/* ---- speed of training on parameter servers ---- */

/* Workers wait for each other at each step, or they don't:
 *     sync    f(p, w) = 1 / (a M/w + b + c w/p + d w + e p)   steps a second of all together, M the batch in all
 *     async   f(p, w) = w / (a + b w/p + c w + d p)           steps a second, of all workers */
typedef enum orr_speed_kind { ORR_SPEED_SYNC, ORR_SPEED_ASYNC } orr_speed_kind;

typedef struct orr_speed_curve {
    orr_speed_kind kind;
    double batch;         /* M; of async not used */
    double a, b, c, d, e; /* >= 0; e of async 0 */
} orr_speed_curve;

typedef struct orr_speed_sample {
    int32_t servers, workers; /* >= 1 */
    double speed;             /* > 0 */
} orr_speed_sample;

ORR_BEGIN

/* Samples that a fit should have: 5, of async 4. */
ORR_API size_t orr_speed_needs(orr_speed_kind kind);
/* The least squares of 1/f (sync) or w/f (async), in seconds. n >= 1; with fewer samples than it should have, or
 * all-reduce jobs, where p = w, some of the parameters stay 0. Returns the root of the mean square error, in
 * seconds. O(n). */
ORR_API double orr_speed_fit(orr_speed_kind kind, double batch, const orr_speed_sample *samples, size_t n,
                             orr_speed_curve *out);
/* Steps a second; INFINITY where all parameters are 0. */
ORR_API double orr_speed_at(const orr_speed_curve *curve, int32_t servers, int32_t workers);
/* The same, but what was measured as it was measured: the mean of the samples with these counts. O(n). */
ORR_API double orr_speed_known(const orr_speed_curve *curve, const orr_speed_sample *samples, size_t n, int32_t servers,
                               int32_t workers);

ORR_END

/* ---- how losses fall ---- */

/* l(k) = 1 / (a k + b) + c after k epochs; a, b, c >= 0, not a = b = 0. */
typedef struct orr_loss_curve {
    double a, b, c;
} orr_loss_curve;

/* When training is over: the first epoch k with l(k - over) - l(k) < drop, losses divided by the greatest that was
 * measured. */
typedef struct orr_loss_rule {
    double drop;  /* Optimus: 0.05 */
    int32_t over; /* epochs, >= 1; Optimus: 10 */
    int32_t more; /* where that can't be told: so many epochs more than are done; Optimus: 20 */
    int32_t most; /* no end is later */
} orr_loss_rule;

ORR_BEGIN

/* loss[i]: after epoch i + 1; < 0: not known. Weighted least squares: an error in the second third of the epochs
 * counts as if it were four times as great, in the last one sixteen times. False, and nothing set: fewer than three
 * losses are known. O(n). */
ORR_API bool orr_loss_fit(const double *loss, size_t n, orr_loss_curve *out);
ORR_API double orr_loss_at(const orr_loss_curve *curve, double epochs);
/* Epochs of the whole training, as the first n losses tell: fit, then rule. Where the curve's end was passed
 * already, or there are too few losses for a curve, n + more. Always n + 1..most (most, if that is less). */
ORR_API int32_t orr_loss_end(const double *loss, size_t n, const orr_loss_rule *rule);

ORR_END
#endif
