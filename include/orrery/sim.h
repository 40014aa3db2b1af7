/* One simulation: a trace, a cluster, a policy, costs; from the first submission until nothing is left to happen.
 *
 * A simulation owns its state and shares nothing mutable: many run side by side in one process, in threads or
 * interleaved by `orr_sim_step`. The trace and the cluster description are borrowed and must outlive it. What happens
 * is reported to a sink as it happens; the library writes nothing.
 *
 * A job with predecessors (`after` of the trace) is submitted when all of them have ended, done, failed, killed or
 * rejected, and `think` has passed since the last of those ends; what its record says of its submission isn't used
 * then, and its deadline stays where it is. Submissions of one instant come in trace order.
 *
 * Jobs that ran at the origin (`ran`) hold GPUs from 0 on: when all submissions of 0 have come, and before the policy
 * decides for the first time, they are placed by its placer, whoever began first before the others. They pay no start,
 * and attained service counts from their true beginning. Records and metrics tell of this run only.
 */
#ifndef ORRERY_SIM_H
#define ORRERY_SIM_H

#include <orrery/cluster.h>
#include <orrery/policy.h>
#include <orrery/profile.h>
#include <orrery/scenario.h>
#include <orrery/applications.h>
#include <orrery/serving.h>
#include <orrery/throughputs.h>
#include <orrery/trace.h>

typedef enum orr_stop {
    ORR_STOP_NONE,        /* still going */
    ORR_STOP_DRAINED,     /* every job has ended */
    ORR_STOP_HORIZON,     /* --until was reached */
    ORR_STOP_STALLED,     /* jobs wait and nothing can ever start them */
    ORR_STOP_LIMIT,       /* --max-events or --max-wall */
    ORR_STOP_INTERRUPTED, /* orr_sim_interrupt */
    ORR_STOP_ERROR        /* the error says what */
} orr_stop;

/* Why an interval in which a job held GPUs ended. */
typedef enum orr_hold_end {
    ORR_HOLD_DONE, ORR_HOLD_FAILED, ORR_HOLD_KILLED, ORR_HOLD_PREEMPTED, ORR_HOLD_RESIZED, ORR_HOLD_MIGRATED,
    ORR_HOLD_RETRIED, ORR_HOLD_OPEN, /* OPEN: still held when the run stopped */
    ORR_HOLD_RESHARED,   /* the same GPUs with another share, cores or memory from then on */
    ORR_HOLD_INTERRUPTED /* its node failed or was taken away */
} orr_hold_end;

/* One interval [start, end) in which a job held one allocation. */
typedef struct orr_hold {
    const orr_job *job;
    orr_time start, end;
    orr_time overhead; /* of it, without progress: start, restore, resize, save */
    const orr_slice *slices;
    int32_t slice_count, gpus;
    int64_t milli; /* thousandths of a GPU in all */
    orr_hold_end reason;
} orr_hold;

/* The whole story of one job; reported once, when it ends or when the run stops. */
typedef struct orr_job_record {
    const orr_job *job;
    const orr_trace_job *trace;
    orr_job_state state;    /* final, or the present one when the run stopped */
    const char *reason;     /* of a rejection or a policy's kill; "" otherwise */
    orr_time submit, first_start, end; /* ORR_TIME_NONE where it didn't happen */
    orr_time held;          /* time with GPUs */
    double service;         /* GPU-seconds */
    double overhead;        /* GPU-seconds of it without progress */
    double lost_work;       /* GPU-seconds done again after a loss of state */
    int32_t starts, preemptions, migrations, resizes, attempts, interruptions;
} orr_job_record;

/* Counters of a VC (or of the whole cluster, vc = -1) after an instant in which they changed. */
typedef struct orr_levels {
    int32_t vc;
    int64_t gpus_total;  /* that exist and are up */
    int64_t milli_held;  /* allocated, in thousandths of a GPU */
    int64_t milli_busy;  /* allocated to jobs that progress */
    int64_t jobs_queued, milli_queued; /* waiting jobs and what they ask */
    int64_t jobs_running;
} orr_levels;

/* A job was given GPUs. Its hold begins at `from`: now, or when the last of those that save on them has left. Without
 * any change it will progress from `from + pay` on, `rate` ns of work in a ns. */
typedef struct orr_grant {
    const orr_job *job;
    orr_time at, from, pay;
    double rate;
    const orr_slice *slices;
    int32_t slice_count, gpus;
    int64_t milli; /* thousandths of a GPU in all */
    /* RESIZED, MIGRATED, RESHARED: of what it held until now; OPEN: it held nothing and starts */
    orr_hold_end instead_of;
} orr_grant;

/* A job runs at another speed from now on, without a change of what it holds: neighbours, links, clocks. */
typedef struct orr_speed {
    const orr_job *job;
    orr_time at;
    double rate;
} orr_speed;

/* What a node is from now on. */
typedef struct orr_node_change {
    int32_t node;
    orr_time at;
    const char *state; /* "up", "down", "draining", "asleep", "waking", "falling-asleep" */
    uint64_t up;       /* its GPUs that work: bit i is GPU i */
    bool takes;        /* new jobs may come */
    double clock;      /* part of the full clock that its GPUs run at */
} orr_node_change;

/* A job lost its GPUs because a node was lost; `lost` is work to be done again. */
typedef struct orr_interruption {
    const orr_job *job;
    orr_time at, lost;
    int32_t node;
} orr_interruption;

/* A job was preempted; its hold ends at `until`, later than now where it saves. `lost` is work to be done again. */
typedef struct orr_preemption {
    const orr_job *job;
    orr_time at, until, lost;
} orr_preemption;

typedef struct orr_sim orr_sim;

/* Who wants to hear of a run; called as it happens, in the order in which it happens. Members may be NULL. */
typedef struct orr_sink {
    void *self;
    void (*job)(void *self, const orr_job_record *record);
    void (*hold)(void *self, const orr_hold *hold);
    void (*levels)(void *self, orr_time at, const orr_levels *levels);
    void (*begin)(void *self, const orr_sim *sim); /* before the first instant */
    void (*submit)(void *self, orr_time at, const orr_job *job);
    /* Around what one decision changes, whether it changes anything or not; 0: not the policy's, but the engine's,
     * which places those that ran at the origin. */
    void (*decision)(void *self, orr_time at, uint64_t number, bool begins);
    void (*grant)(void *self, const orr_grant *grant);
    void (*preempt)(void *self, const orr_preemption *preemption);
    void (*end)(void *self, const orr_sim *sim); /* it has stopped, and all else was reported */
    void (*speed)(void *self, const orr_speed *speed);
    void (*node)(void *self, const orr_node_change *change);
    void (*interrupt)(void *self, const orr_interruption *interruption);
} orr_sink;

typedef struct orr_registry orr_registry;

typedef struct orr_sim_options {
    const orr_registry *registry; /* NULL: the built-in modules only */
    uint64_t seed;              /* master seed; 0 is taken as it is; default 1 */
    const char *policy;         /* NAME[:PRESET][,KNOB=VALUE…][+PLACER][~ESTIMATOR]; NULL: fifo */
    const char *costs;          /* a preset's name or "start=…,save=…,restore=…"; NULL: zero */
    const char *clock;          /* "exact" (NULL), "round=360s", "tick=1s" */
    orr_know know;              /* the highest level the scenario grants; default ORACLE */
    orr_time until;             /* stop at this time; ORR_TIME_MAX: when drained */
    uint64_t max_events;        /* of jobs and of serving; 0: no limit. Serving overshoots by some thousands */
    bool skip_violations;       /* count refused plans and go on */
    bool ignore_vcs;            /* one pool, whatever the cluster says */
    void (*on_decision)(void *self, bool begins); /* around each decision of the policy, for whoever times it; NULL */
    void *on_decision_self;
    const orr_profiles *profiles; /* of the models that jobs name; borrowed; NULL: every job runs as recorded */
    const char *interference;   /* what sharing a GPU does to speed: "pairs", "utilisation", …; NULL: nothing */
    /* what communication costs: "alpha-beta", "flows", "phases"[,KEY=VALUE…]; NULL: nothing */
    const char *net;
    const orr_scenario *scenario; /* what happens to the cluster meanwhile, borrowed; NULL: nothing */
    const orr_throughputs *throughputs; /* speeds by GPU type, borrowed; NULL: all types are alike */
    /* how models train on other GPUs and batches, borrowed; NULL: speed is linear in GPUs */
    const orr_applications *applications;
    /* what is asked besides jobs, borrowed; NULL: nothing. Then the trace may be NULL: no jobs */
    const orr_services *services;
    const char *serve;          /* serving modules joined by '+'; NULL: first come, first served, one at a time */
    const orr_serving_sink *serving_sink; /* copied; NULL */
    bool reject_unknown_vc;     /* jobs of a VC that the cluster lacks: reject (true) or put into the common pool */
} orr_sim_options;

/* Counts that always add up: submitted = done + failed + killed + rejected + running + queued; plus `pending` = trace:
 * jobs whose submission, or the end that they wait for, never came.
 * Of the jobs that ran at the origin (`ran` of the trace) `resumed` held GPUs from 0 on, and `displaced` found no room
 * on this cluster and were queued. */
typedef struct orr_sim_counts {
    uint64_t trace, submitted, done, failed, killed, rejected, running_at_end, queued_at_end, pending;
    uint64_t events, instants, decisions, commits, violations, ties;
    uint64_t preemptions, migrations, resizes, retries, resumed, displaced, reshares, interruptions, speed_changes;
    /* counted work: comparisons in the event queue, jobs looked at by drivers, nodes looked at by placers, flows whose
     * rate was worked out */
    uint64_t queue_compares, jobs_examined, nodes_examined, flows_examined;
} orr_sim_counts;

ORR_BEGIN

ORR_API orr_sim_options orr_sim_options_default(void);
/* NULL and `e` on failure. `sink` is copied; NULL: nothing is reported. */
ORR_API orr_sim *orr_sim_create(const orr_trace *trace, const orr_cluster_spec *cluster, const orr_sim_options *options,
                                const orr_sink *sink, orr_error *e);
ORR_API void orr_sim_destroy(orr_sim *sim);
/* Runs until something stops it; reports the unfinished jobs then. On failure the stop reason is STALLED or ERROR. */
ORR_API orr_err orr_sim_run(orr_sim *sim, orr_error *e);
/* One instant: all its events and its decisions; or a stretch of serving on the way to it. *more is false when the run
 * has stopped. */
ORR_API orr_err orr_sim_step(orr_sim *sim, bool *more, orr_error *e);
/* May be called from a signal handler or another thread: the run stops before the next instant, for the reason given
 * (INTERRUPTED, or LIMIT for a limit that the caller keeps, such as wall time). */
ORR_API void orr_sim_interrupt(orr_sim *sim, orr_stop reason);

ORR_API orr_stop orr_sim_stop(const orr_sim *sim);
ORR_API const char *orr_stop_name(orr_stop stop);
ORR_API const char *orr_hold_end_name(orr_hold_end end);
ORR_API const char *orr_job_state_name(orr_job_state state);
ORR_API const char *orr_know_name(orr_know level);
ORR_API const char *orr_quantity_name(orr_quantity quantity);
ORR_API orr_time orr_sim_now(const orr_sim *sim);
ORR_API orr_sim_counts orr_sim_count(const orr_sim *sim);
/* The level at which each quantity was in fact used so far, by orr_quantity. */
ORR_API void orr_sim_knowledge(const orr_sim *sim, orr_know used[ORR_Q_COUNT]);
/* The policy as resolved, with every knob: "fifo,hol=block,…+consolidate,…~oracle"; and its short name as asked. */
ORR_API const char *orr_sim_policy_resolved(const orr_sim *sim);
ORR_API const char *orr_sim_costs_resolved(const orr_sim *sim);
ORR_API const char *orr_sim_interference_resolved(const orr_sim *sim);
ORR_API const char *orr_sim_net_resolved(const orr_sim *sim);
/* Serving as it is now; NULL: there are no services. */
ORR_API const orr_serving *orr_sim_serving(const orr_sim *sim);
/* Why a job waits now, by the policy's own account; at most `size` bytes. */
ORR_API void orr_sim_explain(const orr_sim *sim, const orr_job *job, char *buf, size_t size);
ORR_API const orr_cluster_spec *orr_sim_cluster(const orr_sim *sim);
/* Reasons counted by orr_note_decision, with counts: calls `each` in order of first use. */
ORR_API void orr_sim_each_note(const orr_sim *sim, void (*each)(void *self, const char *reason, uint64_t count),
                               void *self);

/* ---- the registry: which modules there are ---- */
/* A registry with all built-in modules; plugins are added to it, pass the same checks, and need new names. Simulations
 * borrow it, so it must outlive them and not be added to meanwhile. */
ORR_API orr_registry *orr_registry_create(void);
ORR_API void orr_registry_destroy(orr_registry *registry);
ORR_API orr_err orr_registry_load(orr_registry *registry, const char *path, orr_error *e);
/* Checks and adds one module that lives in this program; what `load` does after opening the file. */
ORR_API orr_err orr_registry_add(orr_registry *registry, const orr_module *module, orr_error *e);
/* All modules by (kind, name). Shown names have '-' for '_'. */
ORR_API size_t orr_registry_modules(const orr_registry *registry, const orr_module *const **list);
/* By kind and shown name; order and policy are one kind here. NULL, and `e` with the nearest name. */
ORR_API const orr_module *orr_registry_find(const orr_registry *registry, orr_kind kind, const char *name,
                                            orr_error *e);
ORR_API void orr_module_shown_name(const orr_module *module, char *buf, size_t size);
/* The standard knobs that every order policy has besides its own (hol, vc, ties, backfill, …), ended by a NULL name. */
ORR_API const orr_knob *orr_order_knobs(void);

ORR_END
#endif
