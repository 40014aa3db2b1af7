/* Elastic jobs: how many GPUs each is to hold, and who then gets which. Most elastic schedulers think in numbers only;
 * they are made of
 *
 *   orr_elastic_pool       the jobs in the system, as portions, and the GPUs that there are for them
 *   orr_deal_greedy        or orr_deal_tournament, or a rule of the policy's own, says how many each is to have
 *   orr_plan_portions      who has another number than before is placed; the others keep their GPUs
 *
 * Portions are the caller's and may be changed in any way in between. Dealing changes numbers alone and knows no
 * nodes. */
#ifndef ORRERY_ELASTIC_H
#define ORRERY_ELASTIC_H

#include <orrery/drive.h>

typedef struct orr_portion {
    orr_job *job;
    int32_t gpus;     /* that it has, or is to have; 0: it waits */
    int32_t min, max; /* what it may have besides 0 */
    orr_scope scope;  /* where */
} orr_portion;

ORR_BEGIN

/* ---- who takes part ---- */
/* Keeps the jobs of the system for a policy that deals anew at each decision. It deals with whole GPUs, of jobs that
 * wait or can be preempted. */
typedef struct orr_elastic orr_elastic;
/* To be made in `init`; lives as long as the instance. `vc`: ORR_VC_ISOLATED: each VC is a pool of its own;
 * ORR_VC_SHARED: all GPUs are one pool. */
ORR_API orr_elastic *orr_elastic_create(orr_ctx *ctx, int32_t vc);
ORR_API void orr_elastic_event(orr_elastic *elastic, orr_job *job, const orr_event *event); /* for every job event */
ORR_API int32_t orr_elastic_pools(const orr_elastic *elastic);
/* The jobs of a pool by (submit, id), each with nothing and within its own limits; *out lives until the next call.
 * *capacity: GPUs that they hold or that are free. O(jobs). */
ORR_API size_t orr_elastic_pool(orr_elastic *elastic, int32_t pool, orr_portion **out, int32_t *capacity);
/* Those of the pool that hold GPUs in the plan, with what they hold, also those that must not be preempted. In memory
 * of its own. O(jobs). */
ORR_API size_t orr_elastic_running(orr_elastic *elastic, const orr_plan *plan, int32_t pool, orr_portion **out);
/* Starts the jobs that aren't dealt with, parts of GPUs and jobs without, where the placer says. O(those). */
ORR_API void orr_elastic_start_others(orr_elastic *elastic, orr_plan *plan);

/* ---- how many ---- */
/* The number after `portion->gpus` that it may have; 0: there is none. NULL, where such a function may be left out: its
 * min, then one more each time, up to its max. */
typedef int32_t orr_step_fn(orr_ctx *ctx, const orr_portion *portion);
/* The step of doubling: its min, then the powers of two above, and its max if that isn't one. */
ORR_API int32_t orr_step_doubling(orr_ctx *ctx, const orr_portion *portion);

/* A gain: the speed that `to` GPUs add, counted in GPUs: one that adds what each of the least number brings is 1.
 * PROFILED knowledge of ORR_Q_SCALING. */
ORR_API double orr_gain_speed(orr_ctx *ctx, const orr_portion *portion, int32_t to);

typedef struct orr_greedy_rules {
    /* What is gained if it had `to` GPUs instead of portion->gpus, of which only steps of the same job may make a
     * difference: it is asked once a step. NaN is no gain. */
    double (*gain)(orr_ctx *ctx, const orr_portion *portion, int32_t to);
    orr_step_fn *step;
    bool per_gpu; /* gains are compared by GPU: a step of four must bring four times as much as a step of one */
    bool first;   /* those that have nothing get their first step before all else, as given, whatever they gain */
    double least; /* only steps that gain more than this are taken; usually 0 */
} orr_greedy_rules;
/* Greedy by marginal gain: again and again the step of the greatest gain, of equal ones that of the portion given
 * first, until none is left that fits into *left, which comes down by what was dealt out. Whose step doesn't fit drops
 * out. O(log n) a step. */
ORR_API void orr_deal_greedy(orr_ctx *ctx, const orr_greedy_rules *rules, orr_portion *portions, size_t n,
                             int32_t *left);
/* The other way: portions that have more than their min give back what it takes until `need` GPUs are free, the steps
 * of the least gain first: they get their min, and of what is over what greedy dealing would give them. Returns how
 * many GPUs were given back, fewer only if there are no more to give. */
ORR_API int32_t orr_deal_back(orr_ctx *ctx, const orr_greedy_rules *rules, orr_portion *portions, size_t n,
                              int32_t need);

typedef struct orr_tournament_rules {
    /* Of two that could have a step more, does `a` get it? `a` was given before `b`. It needn't be transitive. */
    bool (*beats)(orr_ctx *ctx, const orr_portion *a, const orr_portion *b);
    orr_step_fn *step;
} orr_tournament_rules;
/* The same by comparisons in pairs (AFS): again and again a step for the winner of a tournament by knock-out,
 * neighbours first. Who beats all others wins whatever the draw; where there is nobody like that, pairs in circles, the
 * draw decides. Only matches of the last winner are played again: O(n) matches for the first and O(log n) for each
 * other step. */
ORR_API void orr_deal_tournament(orr_ctx *ctx, const orr_tournament_rules *rules, orr_portion *portions, size_t n,
                                 int32_t *left);

/* ---- who gets which ---- */
typedef enum orr_portion_order { ORR_PORTIONS_GIVEN, ORR_PORTIONS_SMALLEST, ORR_PORTIONS_LARGEST } orr_portion_order;
/* Where the instance's placer says, or on nodes in an order, each filled before the next one (orr_fill_nodes). */
typedef enum orr_portion_place {
    ORR_PORTIONS_PLACER,
    ORR_PORTIONS_INDEXED,
    ORR_PORTIONS_FULLEST,
    ORR_PORTIONS_EMPTIEST
} orr_portion_place;
/* Who finds no room for all of it: waits; gets the most there is room for, not less than its min; or half as much, and
 * half of that. */
typedef enum orr_portion_lack { ORR_PORTIONS_WAIT, ORR_PORTIONS_LESS, ORR_PORTIONS_HALVE } orr_portion_lack;

typedef struct orr_portion_rules {
    int32_t order; /* in which they are placed; equal ones as given */
    int32_t place, lack;
    /* Whoever holds GPUs gives back or takes more (orr_plan_resize, on the placer's word; those that shrink come
     * first), and keeps what it has where there is no room. Default: all that changed give back what they have before
     * any of them is placed. */
    bool in_place;
    /* At last, whoever has nothing then gets its min, as given, as far as there is room. Of those alike the first is
     * tried alone. */
    bool fill;
} orr_portion_rules;
/* Stages the numbers: 0 takes a job's GPUs away, the number it holds leaves them alone unless it lies outside of the
 * scope's GPU types. Portions then tell what the jobs hold in the plan. A job that saves its state can't be given
 * anything yet, and one that must not be preempted is resized in place only. O(n) and, for the changed, their
 * placements and O(changed log changed). */
ORR_API orr_err orr_plan_portions(orr_plan *plan, const orr_portion_rules *rules, orr_portion *portions, size_t n);

ORR_END
#endif
