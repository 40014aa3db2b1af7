/* What a module may ask: time, its own memory, jobs, nodes, estimates. All const, O(1) or O(log n) unless said otherwise. */
#ifndef ORRERY_QUERY_H
#define ORRERY_QUERY_H

#include <orrery/policy.h>

typedef enum orr_job_state {
    ORR_JOB_PENDING,       /* not submitted yet */
    ORR_JOB_QUEUED,        /* waits for GPUs */
    ORR_JOB_STARTING,      /* holds GPUs, pays start or restore costs */
    ORR_JOB_RUNNING,       /* makes progress */
    ORR_JOB_CHECKPOINTING, /* saves its state after a preemption, then waits */
    ORR_JOB_RESIZING,      /* holds its new GPUs, pays the resize cost */
    ORR_JOB_DONE,
    ORR_JOB_FAILED,
    ORR_JOB_KILLED,
    ORR_JOB_REJECTED,
    ORR_JOB_STATES
} orr_job_state;

ORR_BEGIN

/* ---- the instance ---- */
ORR_API orr_time orr_now(const orr_ctx *ctx);
/* What the calendar shows then (orr_trace_date). */
ORR_API orr_date orr_date_at(const orr_ctx *ctx, orr_time at);
ORR_API const void *orr_knobs(const orr_ctx *ctx); /* the settings struct */
ORR_API void *orr_state(orr_ctx *ctx);             /* the state struct */
ORR_API void *orr_job_state_of(orr_ctx *ctx, const orr_job *job); /* the per-job struct of this module */
ORR_API double orr_random(orr_ctx *ctx);           /* uniform in [0,1), the module's own stream */
ORR_API uint64_t orr_random_below(orr_ctx *ctx, uint64_t n); /* uniform in 0..n-1, n >= 1 */
/* Standard normal keyed by (seed, module, job): the same for a job whatever was drawn before. */
ORR_API double orr_random_of_job(const orr_ctx *ctx, const orr_job *job);
/* Memory that lives as long as the instance, zeroed; never NULL. */
ORR_API void *orr_alloc_memory(orr_ctx *ctx, size_t size);
/* Counts (reason, text) in the decision log; `job` may be NULL. */
ORR_API void orr_note_decision(orr_ctx *ctx, const orr_job *job, const char *reason);

/* ---- jobs: what was asked ---- */
ORR_API uint32_t orr_job_index(const orr_job *job);  /* 0-based rank by (submit, id): the default tie-break */
ORR_API const char *orr_job_id(const orr_job *job);
ORR_API const char *orr_job_user(const orr_job *job);
ORR_API const char *orr_job_name(const orr_job *job);
ORR_API const char *orr_job_model(const orr_job *job);
ORR_API int32_t orr_job_vc(const orr_job *job);      /* index; 0 when the cluster has one pool */
ORR_API orr_time orr_job_submit(const orr_job *job); /* as recorded, or when those that it waited for had ended */
ORR_API int32_t orr_job_gpus(const orr_job *job);    /* the gang asked for */
ORR_API int32_t orr_job_min_gpus(const orr_job *job);
ORR_API int32_t orr_job_max_gpus(const orr_job *job);
ORR_API bool orr_job_preemptible(const orr_job *job);

/* ---- jobs: what can be seen ---- */
ORR_API orr_job_state orr_job_state_now(const orr_job *job);
ORR_API bool orr_job_holds(const orr_job *job);        /* holds GPUs: starting, running or resizing */
ORR_API int32_t orr_job_starts(const orr_job *job);    /* times it was given GPUs */
ORR_API orr_time orr_job_first_start(const orr_job *job); /* ORR_TIME_NONE before */
/* The three below are OBSERVED knowledge of ORR_Q_SERVICE. Service and held time include start and resize costs, and
 * what a job of the start state had before the origin. */
ORR_API double orr_job_service(orr_ctx *ctx, const orr_job *job);     /* GPU-seconds attained */
ORR_API orr_time orr_job_held(orr_ctx *ctx, const orr_job *job);      /* time with GPUs */
ORR_API orr_time orr_job_waiting(orr_ctx *ctx, const orr_job *job);   /* since it last began to wait; 0 while it holds GPUs */

/* ---- jobs: what was declared (DECLARED knowledge of ORR_Q_LIMIT) ---- */
ORR_API orr_time orr_job_limit(orr_ctx *ctx, const orr_job *job);    /* ORR_TIME_NONE: none given */
ORR_API orr_time orr_job_deadline(orr_ctx *ctx, const orr_job *job); /* absolute; ORR_TIME_NONE: none */
ORR_API double orr_job_weight(orr_ctx *ctx, const orr_job *job);
/* What the trace holds beyond its usual columns, by the column's name; "" if it has none. The trace's own text. O(such
 * columns). */
ORR_API const char *orr_job_attribute(orr_ctx *ctx, const orr_job *job, const char *name);

/* ---- jobs: what is believed (ORR_Q_DURATION at the estimator's level) ---- */
/* Believed total run time on the gang asked for, and what is left of it now including unpaid costs, in seconds; never
 * negative. An estimate that was overrun leaves 0. */
ORR_API double orr_est_duration(orr_ctx *ctx, const orr_job *job);
ORR_API double orr_est_remaining(orr_ctx *ctx, const orr_job *job);
/* The same, exact in ns. */
ORR_API orr_time orr_est_remaining_time(orr_ctx *ctx, const orr_job *job);

/* ---- jobs: what the recorded cluster did (ORACLE knowledge of ORR_Q_RECORD) ---- */
/* When its present or next attempt was started there; ORR_TIME_NONE: not recorded. May lie before the submission. */
ORR_API orr_time orr_job_recorded_start(orr_ctx *ctx, const orr_job *job);

/* ---- estimators and tests of truth (ORACLE knowledge; only inside an estimator) ---- */
ORR_API orr_time orr_truth_duration(orr_ctx *ctx, const orr_job *job);

/* ---- the cluster, as the plan sees it (pass NULL for what is committed) ---- */
ORR_API int32_t orr_cluster_nodes(const orr_ctx *ctx);
ORR_API int32_t orr_cluster_vcs(const orr_ctx *ctx); /* >= 1 */
ORR_API int32_t orr_scope_gpus(const orr_ctx *ctx, orr_scope scope); /* all that exist and are up */
ORR_API int32_t orr_scope_free(const orr_ctx *ctx, orr_scope scope); /* free now */
ORR_API int32_t orr_scope_widest(const orr_ctx *ctx, orr_scope scope); /* GPUs of the largest node */

/* ---- nodes. Indices; -1 = none ---- */
ORR_API int32_t orr_node_rack(const orr_ctx *ctx, int32_t node);
ORR_API int32_t orr_cluster_racks(const orr_ctx *ctx);
/* The first node after index `after` (-1 to begin) in the scope with exactly `free` free GPUs. With a loop over `free` this
 * is every order a placer wants: tightest first, roomiest first, index order. */
ORR_API int32_t orr_node_with_free(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after);
/* The first node after `after` with at least `free` (>= 1) free GPUs, in index order. O(GPUs of a node). */
ORR_API int32_t orr_node_with_at_least(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after);
/* How many of its free GPUs this job could be given on this node: less than `orr_node_free` where GPU type, cores or memory
 * don't allow more (cores and memory go with the GPUs, evenly). */
ORR_API int32_t orr_node_room(const orr_ctx *ctx, const orr_job *job, int32_t node);

ORR_END
#endif
