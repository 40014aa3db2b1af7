/* Goodput: how fast a training job makes progress with so many GPUs and such a batch size (Pollux, Qiao et al.,
 * OSDI'21, §3).
 *
 * goodput = throughput (samples a second) × statistical efficiency (how much a sample of a batch of M is worth beside
 * one of the initial batch M0). Throughput has seven parameters that are fitted to measured iterations; efficiency
 * follows from the gradient noise. Plain functions of their arguments: nothing here knows of a simulation. Seconds and
 * samples throughout.
 */
#ifndef ORRERY_GOODPUT_H
#define ORRERY_GOODPUT_H

#include <orrery/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job's batch. Each GPU computes gradients of `local` samples, `steps` times without synchronisation and once more
 * with it: GPUs × local × (steps + 1) samples in all. {0, 0}: none. */
typedef struct orr_batch {
    int32_t local, steps;
} orr_batch;

/* Which batches an application may have. */
typedef struct orr_batch_limits {
    int64_t initial, most;       /* M0, the batch of efficiency 1 and the least; and the greatest, in all */
    int32_t local_least, local_most; /* on one GPU, in one go */
    bool accumulates;            /* gradients may be accumulated over several steps */
} orr_batch_limits;

/* Squared norm of the gradient and its variance, of the initial batch's. Noise scale: initial × var / sqr. */
typedef struct orr_noise {
    double sqr, var;
} orr_noise;

/* Seconds; T_grad = alpha_c + beta_c local; T_sync = alpha + beta max(GPUs - 2, 0), with the parameters n where GPUs
 * are on several nodes, r where they are on one; gamma, 1..10, says how far the two overlap. */
typedef struct orr_perf {
    double alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma;
} orr_perf;

/* An iteration without accumulation, as measured: `step` in all, of which `sync` is spent on synchronisation. */
typedef struct orr_measurement {
    int32_t nodes, gpus, local;
    double step, sync;
} orr_measurement;

ORR_BEGIN

/* Samples of all GPUs together in one iteration. */
ORR_API int64_t orr_batch_total(orr_batch batch, int32_t gpus);
/* How a total batch is split over GPUs: rounded up to equal parts, accumulated where `local_most` is less than a part.
 * One GPU with more than the initial batch takes two steps at least: one gradient has no variance. Never more than
 * `most` in all. */
ORR_API orr_batch orr_batch_split(const orr_batch_limits *limits, int32_t gpus, int64_t total);

/* seconds an iteration */
ORR_API double orr_perf_step(const orr_perf *perf, int32_t nodes, int32_t gpus, orr_batch batch);
ORR_API double orr_throughput(const orr_perf *perf, int32_t nodes, int32_t gpus, orr_batch batch); /* samples/s */
/* Progress that a sample of this batch makes, beside one of the initial batch: (var + sqr) / (var / c + sqr) / c, with
 * c = total / initial. */
ORR_API double orr_efficiency(orr_noise noise, int64_t initial, int64_t total);
/* The same times c: progress of an iteration, counted in iterations of the initial batch. */
ORR_API double orr_gain(orr_noise noise, int64_t initial, int64_t total);

/* The best goodput of so many GPUs and its batch (NULL: not asked for): of 50 total batches in geometric spacing, the
 * first of the best. What is rounded up beyond `most` is cut in the batch, not in the value, as in the published code.
 * 0: none is within the limits. A microsecond. */
ORR_API double orr_goodput_best(const orr_perf *perf, orr_noise noise, const orr_batch_limits *limits, int32_t nodes,
                                int32_t gpus, orr_batch *best);

/* Fits the parameters to measurements (n >= 1), by the least of
 *   RMSE(log T_grad) + RMSE(log T_step) + 0.001 (gamma - 1)² + 0.01 [(beta_n / alpha_n)² + (beta_r / alpha_r)²];
 * those that nothing was measured for are optimistic. Returns the objective reached. `from`: where to begin, e.g. the
 * last fit; NULL: the fixed start of the published code; and once more from what the measurements suggest. All
 * parameters are >= 1e-8. No allocation; O(n) an iteration, of which there are at most 240. */
ORR_API double orr_perf_fit(const orr_measurement *measured, size_t n, const orr_perf *from, orr_perf *out);

ORR_END
#endif
