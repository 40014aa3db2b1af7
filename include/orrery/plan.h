/* A plan: what should run from now on. Changes are staged, seen by later calls on the same plan, and committed together.
 *
 * `assign` is declarative: it states a job's GPUs from now on, and the engine derives what has to happen. Staging checks
 * room at once (NOFIT, PLAN_CAPACITY); commit checks the rest. A refused call stages nothing.
 * Staging costs O(slices); a plan costs nothing for jobs it doesn't mention.
 */
#ifndef ORRERY_PLAN_H
#define ORRERY_PLAN_H

#include <orrery/policy.h>

typedef struct orr_slice {
    int32_t node;
    uint64_t gpus; /* bit i: GPU i of the node */
} orr_slice;

ORR_BEGIN

/* ---- allocations, filled by placers or by hand ---- */
/* Takes the `count` lowest free GPUs of `node` as the plan sees them; ORR_E_PLAN_CAPACITY if it has fewer. One call a node. */
ORR_API orr_err orr_alloc_take(orr_alloc *out, const orr_plan *plan, int32_t node, int32_t count);
/* Takes named GPUs. */
ORR_API orr_err orr_alloc_add(orr_alloc *out, int32_t node, uint64_t gpus);
ORR_API int32_t orr_alloc_gpus(const orr_alloc *alloc);
ORR_API int32_t orr_alloc_nodes(const orr_alloc *alloc);
ORR_API const orr_slice *orr_alloc_slices(const orr_alloc *alloc);
/* An empty allocation that lives until the plan is committed. */
ORR_API orr_alloc *orr_plan_alloc(orr_plan *plan);
/* What the job holds now, as the plan sees it; NULL: nothing. Borrowed until the next call on the plan. */
ORR_API const orr_alloc *orr_plan_held(const orr_plan *plan, const orr_job *job);

/* ---- actions ---- */
/* Asks the instance's placer for room for the gang in the job's own VC (or in `scope`), and assigns it. ORR_E_NOFIT: no room. */
ORR_API orr_err orr_plan_start(orr_plan *plan, orr_job *job);
ORR_API orr_err orr_plan_start_in(orr_plan *plan, orr_job *job, orr_scope scope);
/* Assigns an explicit allocation; its size must be the gang, or within [min, max] for an elastic job. Equal to the present
 * one: nothing happens and nothing is charged. Another size: resize. Another place: migrate. Empty or NULL: preempt. */
ORR_API orr_err orr_plan_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc);
/* Takes its GPUs away; same as assigning nothing. ORR_E_PLAN_STATE if it holds none or must not be preempted. */
ORR_API orr_err orr_plan_preempt(orr_plan *plan, orr_job *job);
/* Ends a waiting job unserved / a running one early. `why` is a short stable name. */
ORR_API orr_err orr_plan_reject(orr_plan *plan, orr_job *job, const char *why);
ORR_API orr_err orr_plan_kill(orr_plan *plan, orr_job *job, const char *why);

/* ---- trying ---- */
/* Everything staged after `mark` can be taken back. */
ORR_API uint32_t orr_plan_mark(const orr_plan *plan);
ORR_API void orr_plan_undo(orr_plan *plan, uint32_t mark);
/* Would this gang find room now, in the plan's view? Stages nothing. */
ORR_API bool orr_plan_fits(orr_plan *plan, const orr_job *job, orr_scope scope);

/* ---- triggers; at once, not staged. Without any, the policy decides at every instant in which something happened ---- */
/* Which job events ask for a decision: bits 1 << orr_event_kind. Timers always do. Default: all; 0: none, for pure rounds. */
ORR_API void orr_trigger_events(orr_ctx *ctx, uint32_t mask);
/* Also decide at phase + k * period while there are jobs; period 0: no rounds. */
ORR_API void orr_trigger_period(orr_ctx *ctx, orr_time period, orr_time phase);
/* At least this long between two decisions; what asks for one earlier waits. */
ORR_API void orr_trigger_min_gap(orr_ctx *ctx, orr_time gap);

/* ---- timers and thresholds; at once, not staged ---- */
/* `on_timer(cookie)` is called at `at` (>= now), and a decision follows. Arming a cookie again moves it. O(log n). */
ORR_API orr_err orr_arm(orr_ctx *ctx, uint64_t cookie, orr_time at);
ORR_API void orr_disarm(orr_ctx *ctx, uint64_t cookie);
/* ORR_EV_THRESHOLD when the job's attained service (GPU-seconds) or its waiting time (seconds since it last began to wait)
 * reaches `value`, at the exact instant (the first ns at or after it), followed by a decision. One value a quantity and job:
 * watching again replaces it. Already reached: fires in this instant. OBSERVED knowledge of ORR_Q_SERVICE. */
ORR_API void orr_watch(orr_ctx *ctx, orr_job *job, orr_watched what, double value);
ORR_API void orr_unwatch(orr_ctx *ctx, orr_job *job, orr_watched what);

ORR_END
#endif
