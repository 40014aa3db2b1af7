/* What a policy writer reads. A policy is one file that includes this header and the C library, and nothing else.
 *
 *     // shortest job first: waiting jobs start in the order of their duration
 *     #include <orrery/policy.h>
 *
 *     static double key(orr_ctx *ctx, const orr_job *job)
 *     {
 *         return orr_est_duration(ctx, job);
 *     }
 *
 *     ORR_ORDER(sjf) = {
 *         .summary = "shortest job first",
 *         .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
 *         .key = key,
 *     };
 *
 * How it works. All events of an instant are delivered first; then the policy decides once. There are two rungs:
 *   order     gives each job a key; a stock driver keeps the queues, starts what fits and, if asked, preempts or
 *             backfills.
 *   policy    `schedule(ctx, plan)` states what should run from now on. What the plan doesn't mention stays as it is.
 * The engine diffs the plan against what runs, derives start, resume, preempt, resize and migrate, charges their costs,
 * checks every rule at commit, and refuses a plan that breaks one (exit 76, or counted under --on-violation skip).
 *
 * Everything is optional but the decision; members left out are zero and get the default named beside them. Memory for
 * settings, state and per-job state is allocated by the engine, zeroed, and freed with its owner.
 * A policy may use no wall clock, no random source but `orr_random`, and no order but the documented ones: all lists
 * are in the order of (submit, id) unless said otherwise. Calls are O(1) or O(log n) unless said otherwise.
 *
 * What a policy knows is declared in `know`, by quantity, as the highest level it will use with any settings; where
 * some do with less,
 * `init` says so (orr_know_less). Asking for more ends the run.
 */
#ifndef ORRERY_POLICY_H
#define ORRERY_POLICY_H

#include <orrery/knob.h>

#define ORR_ABI 1u

typedef struct orr_ctx orr_ctx;   /* one module instance in one simulation */
typedef struct orr_job orr_job;   /* a job; the pointer is stable for the whole run */
typedef struct orr_plan orr_plan; /* changes staged for one decision */

/* ---- knowledge ------------------------------------------------------------------------------------------------- */

typedef enum orr_quantity {
    ORR_Q_DURATION, /* how long a job will run, in all and from now on */
    ORR_Q_SERVICE,  /* what it has attained so far */
    ORR_Q_LIMIT,    /* what its user declared: limit, deadline, weight; and columns of the trace's own */
    ORR_Q_RECORD,   /* what the recorded cluster did with it */
    ORR_Q_PROFILE,  /* what its model needs of a machine: the scenario's profiles */
    ORR_Q_RATE,     /* how fast it runs with what it holds, beside whom it holds it */
    ORR_Q_LOAD,     /* how busy the cluster will be */
    ORR_Q_SCALING,  /* how its speed follows from its GPUs and its batch size, and how far its training is */
    ORR_Q_COUNT
} orr_quantity;

typedef enum orr_know {
    ORR_KNOW_NONE,     /* never asked */
    ORR_KNOW_DECLARED, /* what the user typed */
    ORR_KNOW_OBSERVED, /* the past of this very job */
    ORR_KNOW_HISTORY,  /* learned from jobs that finished before now */
    ORR_KNOW_PROFILED, /* measured in a run charged to the cluster */
    ORR_KNOW_NOISY,    /* the truth times a declared error */
    ORR_KNOW_ORACLE    /* the truth */
} orr_know;

/* ---- capabilities a module needs of the scenario --------------------------------------------------------------- */

#define ORR_CAP_DEADLINE 1u /* jobs with deadlines (column `deadline`) */
#define ORR_CAP_LIMIT 2u    /* jobs with declared limits (column `limit`) */
#define ORR_CAP_RECORDED 4u /* jobs with recorded starts (column `start`, or attempts with starts) */

/* ---- the head every kind shares -------------------------------------------------------------------------------- */

#define ORR_HEAD                                                                                                       \
    const char *summary;    /* one line; required */                                                                   \
    const char *cite;       /* where it was published */                                                               \
    const char *deviations; /* what this one does otherwise, or doesn't model; NULL: nothing known */                  \
    uint32_t needs;         /* ORR_CAP_*: without them the run is refused by name */                                   \
    uint8_t know[8];        /* by orr_quantity: the highest orr_know level used */                                     \
    const orr_knob *knobs;  /* ended by a NULL name; NULL: none */                                                     \
    const orr_preset *presets;                                                                                         \
    uint32_t knobs_size;    /* sizeof the settings struct */                                                           \
    uint32_t state_size;    /* sizeof the state struct, one an instance */                                             \
    uint32_t job_size       /* sizeof the per-job state struct */

/* ---- events ---------------------------------------------------------------------------------------------------- */

typedef enum orr_event_kind {
    ORR_EV_SUBMITTED, /* after admission; the job waits */
    ORR_EV_STARTED,   /* it holds GPUs (first start or resume) */
    ORR_EV_PREEMPTED, /* it holds none any more and waits again */
    ORR_EV_RESIZED,
    ORR_EV_MIGRATED,
    ORR_EV_RETRIED,   /* an attempt failed; it waits for the next one */
    ORR_EV_ENDED,     /* done, failed or killed: last word on this job */
    ORR_EV_THRESHOLD, /* a watched quantity crossed its value */
    ORR_EV_SAVING,    /* its GPUs were taken and it saves its state; PREEMPTED follows when it waits again */
    ORR_EV_RESHARED,  /* same GPUs, another share, cores or memory */
    ORR_EV_INTERRUPTED, /* its node failed or was taken away; it waits again */
    ORR_EV_SPEED,     /* it runs slower or faster than before for what others do: neighbours, links */
    /* of nodes, to `on_node` */
    ORR_EV_NODE_UP,       /* takes jobs (again): it was down, asleep or draining */
    ORR_EV_NODE_DOWN,     /* its jobs were interrupted */
    ORR_EV_NODE_DRAINING, /* takes no new jobs */
    ORR_EV_NODE_ASLEEP,
    ORR_EV_NODE_NOTICE,   /* will be taken away (a reclaimed loan, a revoked spot machine), at `due` */
    ORR_EV_PRICE,         /* prices have changed */
    ORR_EV_NODE_GPUS,     /* some of its GPUs failed, or are back, or services have left some; it goes on */
    /* of jobs again */
    ORR_EV_MESSAGE,       /* of those watched (orr_watch_messages): its message waits to be let go, or is through */
    ORR_EV_EPOCH          /* it has come to the next epoch; told to whoever observes ORR_Q_SCALING */
} orr_event_kind;

typedef enum orr_watched { ORR_WATCH_SERVICE, ORR_WATCH_WAITING, ORR_WATCH_COUNT } orr_watched;

typedef struct orr_event {
    orr_event_kind kind;
    orr_watched watched; /* THRESHOLD */
    orr_time due;        /* NODE_NOTICE: when */
} orr_event;

/* ---- the kinds ------------------------------------------------------------------------------------------------- */

/* The order rung. */
#define ORR_ORDER_PREEMPTIVE 1u /* running jobs give way to waiting ones with smaller keys; default: they run on */
/* default of the knob `hol`: skip what doesn't fit; without it the first blocks the rest */
#define ORR_ORDER_SKIP 2u
#define ORR_ORDER_VARYING 4u    /* a running job's key moves with time; it is asked anew at each decision. A waiting
                                   job's key is asked when it starts to wait, and never changes while it does. */
#define ORR_ORDER_EASY 8u         /* default of the knob `backfill`: easy */
#define ORR_ORDER_CONSERVATIVE 16u/* default of the knob `backfill`: conservative */

typedef struct orr_order {
    ORR_HEAD;
    double (*key)(orr_ctx *ctx, const orr_job *job); /* required; least first; NaN is taken for +inf */
    uint32_t flags;
    /* Default: accept. Return false to reject the job; say why with orr_note. */
    bool (*admit)(orr_ctx *ctx, const orr_job *job);
    const char *quantum; /* default of the knob `quantum`: while jobs wait, decide at least this often ("60s") */
    const char *placer; /* default: "consolidate" */
    const char *estimator; /* default: "oracle" */
} orr_order;

/* The plan rung. */
typedef struct orr_policy {
    ORR_HEAD;
    orr_err (*schedule)(orr_ctx *ctx, orr_plan *plan); /* required; the decision */
    orr_err (*init)(orr_ctx *ctx);                     /* once, before the first event */
    void (*fini)(orr_ctx *ctx);                        /* once, after the last */
    bool (*admit)(orr_ctx *ctx, const orr_job *job);   /* default: accept */
    void (*on_job)(orr_ctx *ctx, orr_job *job, const orr_event *event);
    void (*on_timer)(orr_ctx *ctx, uint64_t cookie);
    /* Why does this job wait? Writes at most `size` bytes. Default: its place in the queue and what blocks it. */
    void (*explain)(orr_ctx *ctx, const orr_job *job, char *buf, size_t size);
    const char *placer; /* default: "consolidate" */
    const char *estimator; /* default: "oracle" */
    /* Something happened to a node; `node` is -1 where it concerns all (PRICE). */
    void (*on_node)(orr_ctx *ctx, int32_t node, const orr_event *event);
} orr_policy;

/* Finds room for a gang. Deterministic; looks at the plan's view of the cluster; stages nothing itself. */
typedef struct orr_scope {
    int32_t vc; /* index of the virtual cluster whose nodes may be used; -1: all nodes */
    uint64_t types; /* GPU types that may be used, as bits 1 << type; 0: all */
} orr_scope;
typedef struct orr_request {
    const orr_job *job;
    int32_t gpus;
    orr_scope scope;
    int32_t milli; /* asked of each GPU; 1000: whole */
} orr_request;
typedef struct orr_alloc orr_alloc;
typedef struct orr_placer {
    ORR_HEAD;
    /* Adds slices to `out` (empty on entry) and returns ORR_OK, or ORR_E_NOFIT: then `out` is ignored. Must be
     * monotone: what doesn't fit now doesn't fit after more was taken. Required. */
    orr_err (*place)(orr_ctx *ctx, const orr_plan *plan, const orr_request *request, orr_alloc *out);
    /* Jobs of one VC, gang, GPU type, cores and memory are taken to find room alike. True: if their model is the same,
     * too. */
    bool by_model;
    /* It places jobs that ask parts of GPUs, and jobs without GPUs, itself. Default: they go to the fullest GPU, or to
     * the first node, that has room. */
    bool parts;
    orr_err (*init)(orr_ctx *ctx); /* once, before the first event */
    /* Job events, as the policy hears them, and before it does. */
    void (*on_job)(orr_ctx *ctx, const orr_job *job, const orr_event *event);
} orr_placer;

/* Believes something about a job. `level` is what it draws on; the walk-forward store shows it finished jobs only. */
typedef struct orr_estimator {
    ORR_HEAD;
    orr_know level;
    /* required; >= 0: believed total run time */
    orr_time (*duration)(orr_ctx *ctx, const orr_job *job);
    void (*observe)(orr_ctx *ctx, const orr_job *job, orr_time duration); /* a job ended; called before any decision */
} orr_estimator;

/* ---- registration ---------------------------------------------------------------------------------------------- */

typedef enum orr_kind {
    ORR_KIND_ORDER, ORR_KIND_POLICY, ORR_KIND_PLACER, ORR_KIND_ESTIMATOR,
    /* of serving: serve.h */
    ORR_KIND_BATCHER, ORR_KIND_DROPPER, ORR_KIND_SELECTOR, ORR_KIND_ROUTER, ORR_KIND_SCALER, ORR_KIND_CACHE,
    ORR_KIND_SERVE
} orr_kind;

/* What a module file exports; made by the macros below. The loader compares abi and every size with its own and refuses
 * a mismatch with both values. A descriptor smaller than ours is an older one: its missing members are zero. */
typedef struct orr_module {
    uint32_t abi, module_size, knob_size, event_size, request_size, descriptor_size;
    orr_kind kind;
    const char *name; /* as in C; '_' is shown as '-' */
    const void *descriptor;
} orr_module;

#ifdef ORR_BUILTIN
#define ORR_EXPORT_MODULE_(kind_dir, ident) const orr_module orr_module_##kind_dir##_##ident
#else
/* the symbol that the loader looks for in a plugin */
#define ORR_EXPORT_MODULE_(kind_dir, ident)                                                                            \
    ORR_API extern const orr_module orr_plugin;                                                                        \
    ORR_API const orr_module orr_plugin
#endif
#define ORR_MODULE_(kind_dir, ident, type, kind_value)                                                                 \
    static const type orr_descriptor_##ident;                                                                          \
    ORR_EXPORT_MODULE_(kind_dir, ident) = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event),           \
                                           sizeof(orr_request), sizeof(type), kind_value, #ident,                      \
                                           &orr_descriptor_##ident};                                                   \
    static const type orr_descriptor_##ident

/* Each begins the definition of the descriptor: ORR_ORDER(fifo) = {.summary = …}; */
#define ORR_ORDER(ident) ORR_MODULE_(sched, ident, orr_order, ORR_KIND_ORDER)
#define ORR_POLICY(ident) ORR_MODULE_(sched, ident, orr_policy, ORR_KIND_POLICY)
#define ORR_PLACER(ident) ORR_MODULE_(place, ident, orr_placer, ORR_KIND_PLACER)
#define ORR_ESTIMATOR(ident) ORR_MODULE_(estimate, ident, orr_estimator, ORR_KIND_ESTIMATOR)

#include <orrery/drive.h>
#include <orrery/elastic.h>
#include <orrery/plan.h>
#include <orrery/query.h>
#include <orrery/share_rounds.h>

#endif
