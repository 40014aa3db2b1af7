/* A plan: what should run from now on. Changes are staged, seen by later calls on the same plan, and committed
 * together.
 *
 * `assign` is declarative: it states a job's GPUs from now on, and the engine derives what has to happen. Staging
 * checks room at once (NOFIT, PLAN_CAPACITY); commit checks the rest. A refused call stages nothing. Staging costs
 * O(slices); a plan costs nothing for jobs it doesn't mention.
 */
#ifndef ORRERY_PLAN_H
#define ORRERY_PLAN_H

#include <orrery/goodput.h>
#include <orrery/policy.h>

/* Part of an allocation: GPUs of one node, and what goes with them. Zeros are defaults: whole GPUs, and the cores and
 * memory that the job asks, in proportion to its GPUs. */
typedef struct orr_slice {
    int32_t node;
    int32_t milli;     /* thousandths of each of these GPUs, 1..999; 0 or 1000: whole, and alone on them */
    uint64_t gpus;     /* bit i: GPU i of the node */
    int64_t cpu_milli; /* thousandths of a core; 0: as the job asks */
    int64_t mem;       /* bytes of host memory; 0: as the job asks */
} orr_slice;

typedef enum orr_node_action {
    ORR_NODE_DRAIN,   /* takes no new jobs; those on it run on */
    ORR_NODE_RESUME,  /* takes jobs again */
    ORR_NODE_SLEEP,   /* goes to sleep when the last job has left; until then it drains */
    ORR_NODE_WAKE     /* wakes up, which takes the scenario's time; then it takes jobs */
} orr_node_action;

ORR_BEGIN

/* ---- allocations, filled by placers or by hand ---- */
/* Takes the `count` lowest free GPUs of `node` as the plan sees them; ORR_E_PLAN_CAPACITY if it has fewer. One call a
 * node. */
ORR_API orr_err orr_alloc_take(orr_alloc *out, const orr_plan *plan, int32_t node, int32_t count);
/* Takes named GPUs, whole. */
ORR_API orr_err orr_alloc_add(orr_alloc *out, int32_t node, uint64_t gpus);
/* Takes any slice: parts of GPUs, other cores or memory than the job asks. Whether there is room is checked when it is
 * assigned. */
ORR_API orr_err orr_alloc_add_slice(orr_alloc *out, const orr_slice *slice);
ORR_API int32_t orr_alloc_gpus(const orr_alloc *alloc);  /* GPUs, whole or in parts */
ORR_API int64_t orr_alloc_milli(const orr_alloc *alloc); /* thousandths of a GPU in all */
ORR_API int32_t orr_alloc_nodes(const orr_alloc *alloc);
ORR_API const orr_slice *orr_alloc_slices(const orr_alloc *alloc);
/* An empty allocation that lives until the plan is committed. */
ORR_API orr_alloc *orr_plan_alloc(orr_plan *plan);
/* What the job holds now, as the plan sees it; NULL: nothing. Borrowed until the next call on the plan. */
ORR_API const orr_alloc *orr_plan_held(const orr_plan *plan, const orr_job *job);

/* ---- actions ---- */
/* Asks the instance's placer for room for the gang in the job's own VC (or in `scope`), and assigns it. ORR_E_NOFIT: no
 * room. */
ORR_API orr_err orr_plan_start(orr_plan *plan, orr_job *job);
ORR_API orr_err orr_plan_start_in(orr_plan *plan, orr_job *job, orr_scope scope);
/* Assigns an explicit allocation; its size must be the gang, or within [min, max] for an elastic job. Equal to the
 * present one: nothing happens and nothing is charged. Another size: resize. Another place: migrate. The same GPUs with
 * other shares, cores or memory: its speed changes and nothing is charged. Empty or NULL: preempt. Shares of a GPU add
 * up to at most 1000, as does the device memory of those on it. A job may be given less of its GPUs than it asks: what
 * that does to its speed is the scenario's interference model. */
ORR_API orr_err orr_plan_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc);
/* The same, but a lack of room is an answer, ORR_E_NOFIT, and no breach. */
ORR_API orr_err orr_plan_try_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc);
/* Sharing whole GPUs: a waiting job gets the very GPUs that `host` holds, and half of its share of each; what the two
 * do to each other's speed is the scenario's interference model. ORR_E_NOFIT: device memory, cores or memory aren't
 * enough. */
ORR_API orr_err orr_plan_join(orr_plan *plan, orr_job *job, orr_job *host);
/* It keeps its GPUs, with this many thousandths of each: 1000 makes one whose neighbours have left whole again.
 * ORR_E_NOFIT: somebody else holds the rest. */
ORR_API orr_err orr_plan_reshare(orr_plan *plan, orr_job *job, int32_t milli);
/* Lets it run at this part (0..1) of the speed that it would have, whatever that is by then, until it holds something
 * else: 1 as it can, 0 it stands still. Nothing is charged. A job that the plan ends meanwhile ignores it. */
ORR_API orr_err orr_plan_pace(orr_plan *plan, orr_job *job, double part);
/* It holds so many GPUs from now on, more or less than its gang, within [min, max]. Fewer: it gives back those of the
 * nodes where it has the fewest, the highest of a node first. More: free ones of the nodes it is on, the fullest of
 * these first, and then where the placer says. Waiting: where the placer says. ORR_E_NOFIT: no room, and nothing is
 * staged. */
ORR_API orr_err orr_plan_resize(orr_plan *plan, orr_job *job, int32_t gpus, orr_scope scope);
/* Its batch from now on, until it holds something else: then its own batch is split over what it holds. Nothing is
 * charged. ORR_E_PLAN_STATE: its model isn't an application, or the batch isn't within its limits. */
ORR_API orr_err orr_plan_tune(orr_plan *plan, orr_job *job, orr_batch batch);
/* orr_plan_try_assign and that together: for GPUs on which it couldn't run with its own batch. */
ORR_API orr_err orr_plan_assign_tuned(orr_plan *plan, orr_job *job, const orr_alloc *alloc, orr_batch batch);
/* Takes its GPUs away; same as assigning nothing. ORR_E_PLAN_STATE if it holds none or must not be preempted. */
ORR_API orr_err orr_plan_preempt(orr_plan *plan, orr_job *job);
/* Ends a waiting job unserved / a running one early. `why` is a short stable name. */
ORR_API orr_err orr_plan_reject(orr_plan *plan, orr_job *job, const char *why);
ORR_API orr_err orr_plan_kill(orr_plan *plan, orr_job *job, const char *why);

/* ---- nodes ---- */
/* What a node should do from now on. ORR_E_PLAN_STATE where its state doesn't allow that: a node that is down, say. */
ORR_API orr_err orr_plan_node(orr_plan *plan, int32_t node, orr_node_action action);

/* The GPUs of a node run at this point of their type's clocks from now on (orr_node_clocks): 0 is the full clock. Their
 * jobs compute slower and draw less; nothing is charged. ORR_E_PLAN_STATE: there is no such point. */
ORR_API orr_err orr_plan_clock(orr_plan *plan, int32_t node, int32_t point);

/* ---- links ---- */
/* How the job's messages go over links that it shares, until it holds something else. Classes are strict: lower numbers
 * first; inside a class rates are in proportion to `weight` (> 0); `cap` is in bytes of gradient a second, INFINITY for
 * none and 0 to hold them back. Default: class 0, weight 1, no cap. Where no network is modelled it is
 * ORR_E_PLAN_STATE; a job that sends nothing ignores it. */
ORR_API orr_err orr_plan_flow(orr_plan *plan, orr_job *job, int32_t class_, double weight, double cap);

/* ---- trying ---- */
/* Everything staged after `mark` can be taken back. */
ORR_API uint32_t orr_plan_mark(const orr_plan *plan);
ORR_API void orr_plan_undo(orr_plan *plan, uint32_t mark);
/* Would this gang find room now, in the plan's view? Stages nothing. */
ORR_API bool orr_plan_fits(orr_plan *plan, const orr_job *job, orr_scope scope);

/* ---- triggers; at once, not staged. Without any, the policy decides at every instant in which
 * something happened ---- */
/* Which job events ask for a decision: bits 1 << orr_event_kind. Timers always do. Default: all; 0: none, for pure
 * rounds. */
ORR_API void orr_trigger_events(orr_ctx *ctx, uint32_t mask);
/* Also decide at phase + k * period while there are jobs; period 0: no rounds. */
ORR_API void orr_trigger_period(orr_ctx *ctx, orr_time period, orr_time phase);
/* At least this long between two decisions; what asks for one earlier waits. */
ORR_API void orr_trigger_min_gap(orr_ctx *ctx, orr_time gap);

/* To be called in `init` by a policy that may place jobs outside of their VC's nodes; the stock drivers do so
 * themselves. */
ORR_API void orr_reach_all(orr_ctx *ctx);

/* ---- timers and thresholds; at once, not staged ---- */
/* `on_timer(cookie)` is called at `at` (>= now), and a decision follows. Cookies from 2^63 on are the stock drivers'.
 * Arming a cookie again moves it. O(log n). */
ORR_API orr_err orr_arm(orr_ctx *ctx, uint64_t cookie, orr_time at);
ORR_API void orr_disarm(orr_ctx *ctx, uint64_t cookie);
/* ORR_EV_THRESHOLD when the job's attained service (GPU-seconds) or its waiting time (seconds since it last began to
 * wait) reaches `value`, at the exact instant (the first ns at or after it), followed by a decision. One value a
 * quantity and job: watching again replaces it. Already reached: fires in this instant. OBSERVED knowledge of
 * ORR_Q_SERVICE. */
ORR_API void orr_watch(orr_ctx *ctx, orr_job *job, orr_watched what, double value);
ORR_API void orr_unwatch(orr_ctx *ctx, orr_job *job, orr_watched what);
/* As long as the job holds what it holds now, each of its messages waits until orr_plan_flow lets it go (cap > 0), and
 * ORR_EV_MESSAGE tells when one waits and when it is through. Where the scenario knows no phases there are none. */
ORR_API void orr_watch_messages(orr_ctx *ctx, orr_job *job);

ORR_END
#endif
