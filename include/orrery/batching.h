/* Planning rules of serving systems as plain functions: how large a batch may be, who shares a GPU, how much to buy.
 *
 * Data in, data out: nothing here knows of a simulation, so policies and their tests share it. Rates are in requests
 * a second, times in seconds; the published systems are named where a rule is theirs. Times of batches are any
 * table, which need not grow with the batch.
 *
 * A time is within a budget if it is at most one part in 1e9 greater, and numbers are rounded up after as much is
 * taken off: limits are often met exactly, and that must not depend on how a sum was rounded.
 */
#ifndef ORRERY_BATCHING_H
#define ORRERY_BATCHING_H

#include <orrery/time.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- how long a batch takes ---- */

/* Either a line (n = 0) or n measured sizes; one between two of them costs as much as the next larger one. Borrows its
 * arrays. */
typedef struct orr_batch_times {
    double alpha, beta;    /* n = 0: alpha + beta * size */
    int32_t most;          /* n = 0: the largest size, >= 1 */
    const int32_t *size;   /* [n] ascending; NULL: 1, 2, ..., n */
    const double *seconds; /* [n] */
    int32_t n;
} orr_batch_times;

ORR_BEGIN

/* Seconds; INFINITY where the batch (>= 1) is larger than the largest. O(log n). */
ORR_API double orr_batch_seconds(const orr_batch_times *times, int32_t batch);
ORR_API int32_t orr_batch_most(const orr_batch_times *times); /* the largest size */

/* The largest batch that takes no longer than `budget`; 0: none does. A request that has just missed one batch waits
 * for it and is in the next: with half the SLO as the budget it is still in time. Nanily's bound: the budget is what
 * the tightest deadline leaves after the least wait for an instance. O(n), of a line O(1). */
ORR_API int32_t orr_batch_within(const orr_batch_times *times, double budget);
/* Of those the one with most requests a second, the largest of equals; 0: none. O(n), of a line O(1). */
ORR_API int32_t orr_batch_fastest(const orr_batch_times *times, double budget);
/* Requests a second of such batches one after the other. */
ORR_API double orr_batch_rate(const orr_batch_times *times, int32_t batch);

/* The largest batch whose first request is in time if it waits for the others: (b - 1) / rate + l(b) <= budget (MArk).
 * 0: none. Every size is looked at, also those between measured ones. O(largest size). */
ORR_API int32_t orr_batch_filled(const orr_batch_times *times, double rate, double budget);
/* How long an unfilled batch of up to this size may be waited for: budget - l(b); 0 if that is less. */
ORR_API double orr_batch_patience(const orr_batch_times *times, int32_t batch, double budget);

ORR_END

/* ---- which requests go (Clockwork) ---- */

typedef struct orr_batch_choice {
    size_t dropped, left; /* requests that can't be in time even alone; the others */
    int32_t batch;        /* 0: nothing can run */
    double seconds;       /* of that batch */
} orr_batch_choice;

ORR_BEGIN

/* left[i]: seconds from when the GPU is free to request i's deadline, ascending, n of them. Those that a batch of
 * one can't answer in time are dropped; then the largest measured batch that is full and ends by the first deadline
 * left. `buffer` is taken off every deadline. O(n + sizes). */
ORR_API orr_batch_choice orr_batch_choose(const orr_batch_times *times, const double *left, size_t n, double buffer);

/* Of n values (in any order, not changed) the one with index floor(q n) in ascending order, the last one if that is
 * beyond; 0 of none. Clockwork estimates by q = 0.99 of the last 10. O(n log n). */
ORR_API double orr_floor_quantile(const double *values, size_t n, double q);

ORR_END

/* ---- batches that adapt (Clipper) ---- */

/* After a batch that took longer than `slo` max(1, floor(back_off * limit)), else limit + add; the queue is never
 * empty. */
typedef struct orr_aimd {
    double slo;
    int32_t add;     /* >= 1 */
    double back_off; /* 0..1, less than 1 */
    int32_t start;   /* the first limit, >= 1 */
} orr_aimd;

typedef struct orr_aimd_cycle {
    int64_t before;     /* batches until one was late for the first time, that one too; 0: none ever is */
    int64_t length;     /* batches of the cycle into which limits fall */
    int32_t least, most;
    double mean;        /* batch */
    double late;        /* part of the batches */
    double rate;        /* requests a second */
} orr_aimd_cycle;

ORR_BEGIN

/* The limits come round; cycle[0..min(length, cap) - 1] are they, from the first of them that comes up (cycle NULL: not
 * wanted). A limit beyond the largest size counts as that, and stays there. O(batches until they came round). */
ORR_API orr_aimd_cycle orr_aimd_cycle_of(const orr_batch_times *times, const orr_aimd *rule, int32_t *cycle,
                                         size_t cap);
/* The same on a line by calculus, where limits are any number: b* with l(b*) = slo, mean half of (1 + back_off) b*,
 * length (1 - back_off) b* / add + 1. */
ORR_API void orr_aimd_fluid(const orr_batch_times *line, const orr_aimd *rule, double *limit, double *mean,
                            double *length);

ORR_END

/* ---- sessions on GPUs (Nexus, "squishy bin packing") ---- */

/* Requests for one model with one SLO. */
typedef struct orr_session {
    const orr_batch_times *times;
    double budget; /* SLO */
    double rate;
} orr_session;

/* In each duty cycle a GPU runs one batch of each session it holds. */
typedef struct orr_packed_item {
    int32_t session, batch;
    double rate; /* part of the session's requests that it takes, requests a second */
} orr_packed_item;

typedef struct orr_packed_gpu {
    bool saturated;   /* one session, batches back to back */
    double duty;      /* seconds of a cycle */
    double occupancy; /* part of it in which batches run */
    int32_t first, count; /* its items */
} orr_packed_gpu;

typedef struct orr_packing {
    orr_packed_gpu *gpus;
    orr_packed_item *items;
    int32_t gpu_count, item_count;
    int32_t *refused; /* sessions that no GPU can serve in time: 2 l(b) > budget for every b */
    int32_t refused_count;
} orr_packing;

/* A session's share of a GPU. */
typedef struct orr_duty {
    int32_t batch;   /* 0: it can't be served in time */
    int32_t largest; /* batch of a GPU that does nothing else */
    double duty, rate; /* seconds of a cycle; batch / duty */
} orr_duty;

typedef orr_duty orr_duty_rule(const orr_session *session);

ORR_BEGIN

/* As the paper has it. A session saturates as many GPUs as it fills with the largest batch B, 2 l(B) <= budget; what
 * is left over is a share of one: orr_duty_left. Shares by descending occupancy go where the GPU is fullest then,
 * the first of equals, else to a new one: orr_duties_fit. GPUs come saturated ones first, sessions in order. Fill
 * `out` from zeroed memory, or one that was used; orr_packing_fini frees it. O(n^2) for n sessions, plus GPUs. */
ORR_API void orr_pack_sessions(const orr_session *sessions, int32_t n, orr_packing *out);
/* The same with shares by another rule, such as orr_duty_released. */
ORR_API void orr_pack_sessions_by(const orr_session *sessions, int32_t n, orr_duty_rule *rule, orr_packing *out);
ORR_API void orr_packing_fini(orr_packing *packing);

/* The share for less than a GPU: of the measured sizes the largest with l(b) + b / rate <= budget that keeps up,
 * l(b) <= b / rate; its duty is b / rate. Where requests are so rare that none does, one at a time in cycles of
 * budget - l(1); where they are so many, cycles of a full batch's length. */
ORR_API orr_duty orr_duty_left(const orr_session *session);
/* The same as Nexus' released scheduler has it: it gathers b - 1, largest b with (b - 1) / rate + l(b) <= budget, in
 * cycles of min(budget - l(b), b / rate); or the whole GPU, if the rate is 0 or more than it can serve. */
ORR_API orr_duty orr_duty_released(const orr_session *session);
/* Do these fit on one GPU in cycles of `duty`: each runs max(1, ceil(duty * rate)), together no longer than duty,
 * and each within its budget after waiting a cycle? Sets batch[i], and their seconds together (NULL: not wanted).
 * O(n). */
ORR_API bool orr_duties_fit(const orr_session *sessions, const orr_packed_item *items, int32_t n, double duty,
                            int32_t *batch, double *seconds);

ORR_END

/* ---- a query through several models (Nexus) ---- */

/* A stage's answers are asked of its children. Parents come before their children; the first is the root. */
typedef struct orr_split_stage {
    const orr_batch_times *times;
    int32_t parent; /* -1: the root */
    double rate;    /* requests a second that reach this stage, fan-outs multiplied in */
} orr_split_stage;

ORR_BEGIN

/* Deals `budget` out, in steps, so that every path from the root stays within it and the GPUs (fractions count) are
 * fewest: a stage with budget L runs the batch of most requests a second with 2 l(b) <= L. Ties: the least for the
 * stage nearer the root; the last stage of a path gets all that is left. budgets[n] in seconds; *gpus NULL: not
 * wanted. False, nothing set: not even batches of one fit. O(n (budget / step)^2). */
ORR_API bool orr_split_budget(const orr_split_stage *stages, int32_t n, double budget, double step, double *budgets,
                              double *gpus);

ORR_END

/* ---- how many replicas ---- */

/* What INFaaS looks at to scale a variant on a worker. */
typedef struct orr_infaas_load {
    double rate;       /* queries a second */
    int32_t replicas;  /* >= 1 */
    double batch;      /* that it can run; of a CPU the mean one */
    double mean_batch; /* requests of a query */
    double slope, intercept; /* seconds: slope * batch + intercept */
    double load;       /* seconds that a new replica takes */
    double heed;       /* part of the capacity for each second of that: 0.2 as released (2e-4 a millisecond) */
} orr_infaas_load;

typedef struct orr_infaas_scale {
    double single; /* requests a second of one replica */
    double lacks;  /* requests a second; < 0: to spare */
    int32_t add;   /* > 0: so many more; -1: one less would do, if it stays so for long; 0 */
} orr_infaas_scale;

ORR_BEGIN

/* ceil(rate * visits / each): replicas that a stage needs which a part `visits` of the queries reaches and of which
 * one serves `each` (> 0) a second (InferLine's first configuration; with each = mu * rho its tuner). 0 for rate 0;
 * at most 2^30. */
ORR_API int32_t orr_replicas_for(double rate, double visits, double each);
/* Part of the planned replicas' capacity that the plan uses: rate * visits / (replicas * each). */
ORR_API double orr_planned_load(double rate, double visits, int32_t replicas, double each);

ORR_API orr_infaas_scale orr_infaas_scaling(const orr_infaas_load *load);

/* Traffic envelope (InferLine): the most arrivals in any closed window [t, t + windows[j]]. Arrivals ascend. O(n) a
 * window. */
ORR_API void orr_envelope(const orr_time *arrivals, size_t n, const orr_time *windows, size_t m, int64_t *most);

ORR_END

/* ---- what to buy (MArk) ---- */

typedef struct orr_machine_kind {
    double capacity; /* requests a second, > 0 */
    double price;    /* an hour */
    double launch;   /* money, once */
} orr_machine_kind;

/* One machine for the steps [from, to). */
typedef struct orr_purchase {
    int32_t kind;
    size_t from, to;
} orr_purchase;

/* Spot machines that come back after a cold start, against on-demand ones. */
typedef struct orr_spot_costs {
    double cost, interruptions; /* of the time, expected */
    double lost;                /* part of the capacity that is missing in the long run */
} orr_spot_costs;

ORR_BEGIN

/* What is cheapest where lacks[i] requests a second more are wanted in step i: (price * T + launch) / sum of
 * min(capacity, lacks[i] > 0), the least, the first of equals; T the length of all steps, 60 s at least. -1: none,
 * or nothing is lacking. O(kinds * steps). */
ORR_API int32_t orr_cheapest_kind(const orr_machine_kind *kinds, int32_t n, const double *lacks, size_t steps,
                                  double step);
/* Buys until nothing is lacking, each time the cheapest for the time from the first step that lacks to the last one;
 * `lacks` is what is left then, negative where more was bought. Returns the number of purchases; at most `cap` are
 * made. */
ORR_API size_t orr_buy(const orr_machine_kind *kinds, int32_t n, double *lacks, size_t steps, double step,
                       orr_purchase *out, size_t cap);
/* What to give back: of the kinds held[i] > 0 whose capacity is no more than `surplus` the one that costs most a
 * request, the last of equals; -1: none. */
ORR_API int32_t orr_dearest_kind(const orr_machine_kind *kinds, int32_t n, const int32_t *held, double surplus);

/* `price` an hour, on average `mean_life` seconds until it is taken away, then `cold_start` seconds until another
 * one is up. */
ORR_API orr_spot_costs orr_spot_outlook(double price, double mean_life, double cold_start, double seconds);

ORR_END
#endif
