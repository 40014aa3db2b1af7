/* What a module may ask: time, its own memory, jobs, nodes, estimates. All const, O(1) or O(log n) unless said
 * otherwise. */
#ifndef ORRERY_QUERY_H
#define ORRERY_QUERY_H

#include <orrery/goodput.h>
#include <orrery/node.h>
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

/* What a job sends: the gradient of its present iteration, where the scenario knows phases. */
typedef enum orr_message {
    ORR_MESSAGE_NONE,  /* it computes, or it never sends anything */
    ORR_MESSAGE_WAITS, /* it has computed, and what it has to send waits to be let go */
    ORR_MESSAGE_GOES
} orr_message;

ORR_BEGIN

/* ---- the instance ---- */
ORR_API orr_time orr_now(const orr_ctx *ctx);
/* What the calendar shows then (orr_trace_date). */
ORR_API orr_date orr_date_at(const orr_ctx *ctx, orr_time at);
ORR_API const void *orr_knobs(const orr_ctx *ctx); /* the settings struct */
ORR_API void *orr_state(orr_ctx *ctx);             /* the state struct */
ORR_API void *orr_job_state_of(orr_ctx *ctx, const orr_job *job); /* the per-job struct of this module */
/* In `init`: with these settings it knows no more of the quantity than that, whatever the descriptor declares: the
 * scenario need not grant more, and asking for more ends the run. */
ORR_API void orr_know_less(orr_ctx *ctx, orr_quantity quantity, orr_know level);
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
/* Users are numbered from 0 as their names are first asked for. O(length of the name). */
ORR_API int32_t orr_job_user_index(orr_ctx *ctx, const orr_job *job);
ORR_API const char *orr_job_name(const orr_job *job);
ORR_API const char *orr_job_model(const orr_job *job);
ORR_API int32_t orr_job_vc(const orr_job *job);      /* index; 0 when the cluster has one pool */
ORR_API orr_time orr_job_submit(const orr_job *job); /* as recorded, or when those that it waited for had ended */
ORR_API int32_t orr_job_gpus(const orr_job *job);    /* the gang asked for */
ORR_API int32_t orr_job_gpu_milli(const orr_job *job); /* thousandths of each GPU that it asks; 1000: whole */
ORR_API int64_t orr_job_cpu_milli(const orr_job *job); /* thousandths of a core that it asks in all; 0: not stated */
ORR_API int64_t orr_job_mem(const orr_job *job);       /* bytes of host memory that it asks in all; 0: not stated */
ORR_API int32_t orr_job_min_gpus(const orr_job *job);
ORR_API int32_t orr_job_max_gpus(const orr_job *job);
ORR_API bool orr_job_preemptible(const orr_job *job);
/* Jobs of one number find room alike: what they ask is the same, and where they may run. Small numbers, in the order in
 * which such jobs first came. */
ORR_API uint32_t orr_job_shape(const orr_job *job);

/* ---- apps: the trials of one group (the trace's column `group`); a job without one is an app of its own ---- */
/* Its app, a small number. That of a job without a group is given to another when it has ended. */
ORR_API int32_t orr_job_group(const orr_job *job);
ORR_API int32_t orr_groups_seen(const orr_ctx *ctx); /* all numbers are less */
/* Its jobs that were submitted and have not ended, as they came; NULL if none. Borrowed until one comes or ends. */
ORR_API size_t orr_group_jobs(const orr_ctx *ctx, int32_t group, orr_job *const **jobs);

/* ---- jobs: what can be seen ---- */
ORR_API orr_job_state orr_job_state_now(const orr_job *job);
ORR_API bool orr_job_holds(const orr_job *job);        /* holds GPUs: starting, running or resizing */
ORR_API int32_t orr_job_starts(const orr_job *job);    /* times it was given GPUs */
ORR_API orr_time orr_job_first_start(const orr_job *job); /* ORR_TIME_NONE before */
/* The three below are OBSERVED knowledge of ORR_Q_SERVICE. Service and held time include start and resize costs, and
 * what a job of the start state had before the origin. */
ORR_API double orr_job_service(orr_ctx *ctx, const orr_job *job);     /* GPU-seconds attained */
ORR_API orr_time orr_job_held(orr_ctx *ctx, const orr_job *job);      /* time with GPUs */
/* since it last began to wait; 0 while it holds GPUs */
ORR_API orr_time orr_job_waiting(orr_ctx *ctx, const orr_job *job);

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
/* The work that is left: the same without unpaid costs, so that it only falls while the job loses nothing. */
ORR_API double orr_est_work(orr_ctx *ctx, const orr_job *job);
/* The same, exact in ns. */
ORR_API orr_time orr_est_remaining_time(orr_ctx *ctx, const orr_job *job);

/* ---- jobs: what the recorded cluster did (ORACLE knowledge of ORR_Q_RECORD) ---- */
/* When its present or next attempt was started there; ORR_TIME_NONE: not recorded. May lie before the submission. */
ORR_API orr_time orr_job_recorded_start(orr_ctx *ctx, const orr_job *job);

/* ---- jobs: what their model needs (PROFILED knowledge of ORR_Q_PROFILE; the scenario's profiles) ---- */
/* Speed with so many cores and bytes of host memory a GPU, INFINITY: as much as it likes; 1: as recorded. 1 for a job
 * without a profile. O(points of the profile). */
ORR_API double orr_job_host_speed(orr_ctx *ctx, const orr_job *job, double cpus, double mem);
/* The fewest cores, and then the least memory, a GPU with which it runs at `part` (0..1) of its best speed; 0: any will
 * do. False, and both 0: its profile says nothing of that. */
ORR_API bool orr_job_host_needs(orr_ctx *ctx, const orr_job *job, double part, double *cpus, double *mem);
/* How busy it keeps one GPU, 0..1; < 0: not known. */
ORR_API double orr_job_gpu_util(orr_ctx *ctx, const orr_job *job);
/* Device memory on each of its GPUs, as the trace or else its profile states it; 0: not known. */
ORR_API int64_t orr_job_gpu_mem(orr_ctx *ctx, const orr_job *job);
/* How much it slows those beside it: 0 tiny, 1 medium, 2 jumbo; 2 where nothing is known. */
ORR_API int32_t orr_job_sharing(orr_ctx *ctx, const orr_job *job);

/* ---- jobs: what they send over links (PROFILED knowledge of ORR_Q_PROFILE but for the first) ---- */
/* does the scenario know when jobs send? Otherwise none ever does */
ORR_API bool orr_models_phases(const orr_ctx *ctx);
ORR_API orr_message orr_job_message(const orr_ctx *ctx, const orr_job *job);
/* Bytes of its present message still to be sent, of each worker; 0: it has none. */
ORR_API double orr_job_message_left(orr_ctx *ctx, const orr_job *job);
/* Seconds that a message takes alone with what the job holds; 0: it sends none. */
ORR_API double orr_job_message_alone(orr_ctx *ctx, const orr_job *job);
/* Would messages of the two pass a link in common? O(links of both). */
ORR_API bool orr_jobs_share_links(orr_ctx *ctx, const orr_job *a, const orr_job *b);

/* ---- jobs: how fast they would run (PROFILED knowledge of ORR_Q_PROFILE; the scenario's throughput table) ---- */
/* Speed of its gang, whole and alone, on GPUs of one type (orr_cluster_types), on one node, or `spread` over several,
 * as it must be where no node of the type is wide enough: 1 is as recorded; 0: it can't run there. Where the scenario
 * has no such table: 1 on the types that it may use. O(1). */
ORR_API double orr_job_speed_on(orr_ctx *ctx, const orr_job *job, int32_t type, bool spread);
/* Steps that it makes in a second at speed 1; where none are stated, a step is a second of its recorded run: 1. */
ORR_API double orr_job_step_rate(orr_ctx *ctx, const orr_job *job);
/* Speeds of two jobs with equal gangs that share each of their GPUs, on the unit of orr_job_speed_on; either order is
 * the same. False, and both 0: not measured, or they can't. O(log pairs of a job). */
ORR_API bool orr_jobs_speed_beside(orr_ctx *ctx, const orr_job *a, const orr_job *b, int32_t type, double speeds[2]);

/* ---- jobs: how fast they run (OBSERVED knowledge of ORR_Q_RATE) ---- */
/* Its speed now, as its own counters show it: 1 is as recorded. 0 while it holds nothing or makes no progress. */
ORR_API double orr_job_rate(orr_ctx *ctx, const orr_job *job);

/* ---- jobs: how they scale, and how far their training is (ORR_Q_SCALING; the scenario's applications) ---- */
/* Speed with so many GPUs on so many nodes (>= 1; 0: on as few as can hold them) of a type (-1: any) and its own batch:
 * 1 is as recorded, 0: it can't run so. Where its model isn't an application: GPUs / gang. PROFILED; O(1) once
 * asked. */
ORR_API double orr_job_scaling(orr_ctx *ctx, const orr_job *job, int32_t gpus, int32_t nodes, int32_t type);
/* Which batches it may have; false: its model isn't an application, and nothing can be tuned. DECLARED. */
ORR_API bool orr_job_batch_limits(orr_ctx *ctx, const orr_job *job, orr_batch_limits *out);
/* The same on GPUs of one type (-1: any), and, if `held` isn't NULL, so placed: their memory, and what was ever
 * measured there, decide how many samples go on one. False, too, where its model is not known on the type. PROFILED. */
ORR_API bool orr_job_batch_limits_on(orr_ctx *ctx, const orr_job *job, int32_t type, const orr_alloc *held,
                                     orr_batch_limits *out);
/* in all, as its user asks; DECLARED. 0: not an application */
ORR_API int64_t orr_job_own_batch(orr_ctx *ctx, const orr_job *job);
ORR_API int32_t orr_job_epochs(orr_ctx *ctx, const orr_job *job);    /* of its whole training; DECLARED. 1: not known */
/* The five below are OBSERVED. */
ORR_API int32_t orr_job_epoch(orr_ctx *ctx, const orr_job *job);    /* those done */
/* 0..1 of its training, as it counts it: by samples of the initial batch */
ORR_API double orr_job_progress(orr_ctx *ctx, const orr_job *job);
ORR_API orr_noise orr_job_noise(orr_ctx *ctx, const orr_job *job);  /* as last seen; {0, 0}: it never ran */
/* Iterations that it has run with, the first of each (nodes, GPUs, local batch), as they came; borrowed until the next
 * event. `type`: of that GPU type; -1: of all. */
ORR_API size_t orr_job_measurements(orr_ctx *ctx, const orr_job *job, int32_t type, const orr_measurement **out);
/* at the end of an epoch that is done; < 0: not known */
ORR_API double orr_job_loss(orr_ctx *ctx, const orr_job *job, int32_t epoch);
/* Seconds of one step without accumulation with these GPUs by node, and of its synchronisation. ORACLE. False: it can't
 * run so. */
ORR_API bool orr_job_step_time(orr_ctx *ctx, const orr_job *job, const int32_t *gpus, int32_t nodes, int32_t type,
                               int32_t local, double *step, double *sync);
/* Iterations with this batch, in all, until so many epochs are done, scaled to how long its record says that it runs; <
 * 0: not known. ORACLE. */
ORR_API double orr_job_iterations(orr_ctx *ctx, const orr_job *job, int32_t epochs, int64_t batch);

/* ---- estimators and tests of truth (ORACLE knowledge; only inside an estimator) ---- */
ORR_API orr_time orr_truth_duration(orr_ctx *ctx, const orr_job *job);

/* ---- the cluster, as the plan sees it (pass NULL for what is committed) ---- */
ORR_API int32_t orr_cluster_nodes(const orr_ctx *ctx);
ORR_API int32_t orr_cluster_vcs(const orr_ctx *ctx); /* >= 1 */
/* What a VC was promised: the GPUs of its nodes, or, where VCs are tenants of one pool, its quota.
 * `orr_vcs_are_tenants` says which. Then every scope is the whole pool. */
ORR_API int64_t orr_vc_quota(const orr_ctx *ctx, int32_t vc);
ORR_API bool orr_vcs_are_tenants(const orr_ctx *ctx);
/* Thousandths of GPUs that its jobs hold, wherever: what was committed, without the plan's changes. */
ORR_API int64_t orr_vc_held(const orr_ctx *ctx, int32_t vc);
ORR_API const char *orr_vc_name(const orr_ctx *ctx, int32_t vc);
ORR_API int32_t orr_scope_gpus(const orr_ctx *ctx, orr_scope scope); /* all that exist and are up */
ORR_API int32_t orr_scope_free(const orr_ctx *ctx, orr_scope scope); /* free now */
ORR_API int32_t orr_scope_widest(const orr_ctx *ctx, orr_scope scope); /* GPUs of the largest node */
/* thousandths that nobody holds, parts included */
ORR_API int64_t orr_scope_free_milli(const orr_ctx *ctx, orr_scope scope);

/* ---- GPU types, numbered from 0 in the order of the first node that has them ---- */
ORR_API int32_t orr_cluster_types(const orr_ctx *ctx);
ORR_API const char *orr_type_name(const orr_ctx *ctx, int32_t type);
ORR_API int32_t orr_node_type(const orr_ctx *ctx, int32_t node); /* -1: it has no GPUs */
/* Could the nodes of this type alone host the gang if they were empty, those of its VC or all? Fewer cores or less
 * memory than it asks, or a placer that doesn't split it, can be in the way where there are GPUs enough. The placer is
 * asked once a shape; O(1) then. */
ORR_API bool orr_type_hosts(orr_ctx *ctx, const orr_job *job, int32_t type, bool anywhere);

/* ---- nodes. Indices; -1 = none ---- */
ORR_API int32_t orr_node_rack(const orr_ctx *ctx, int32_t node);
ORR_API int32_t orr_cluster_racks(const orr_ctx *ctx);
/* The first node after index `after` (-1 to begin) in the scope with exactly `free` free GPUs. With a loop over `free`
 * this is every order a placer wants: tightest first, roomiest first, index order. */
ORR_API int32_t orr_node_with_free(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after);
/* The first node after `after` with at least `free` (>= 1) free GPUs, in index order. O(GPUs of a node). */
ORR_API int32_t orr_node_with_at_least(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after);
/* How many of its free GPUs this job could be given whole on this node: less than are free where GPU type, cores or
 * memory don't allow more (cores and memory go with the GPUs, evenly). */
ORR_API int32_t orr_node_room(const orr_ctx *ctx, const orr_job *job, int32_t node);
ORR_API int32_t orr_node_gpus(const orr_ctx *ctx, int32_t node);          /* that exist */
ORR_API uint64_t orr_node_up_gpus(const orr_ctx *ctx, int32_t node);      /* that work; none where the node is down */
/* that nobody holds any of and that may be given */
ORR_API uint64_t orr_node_free_gpus(const orr_ctx *ctx, int32_t node);
ORR_API int32_t orr_node_gpu_free(const orr_ctx *ctx, int32_t node, int32_t gpu); /* thousandths left of one GPU */
ORR_API int32_t orr_node_cpus(const orr_ctx *ctx, int32_t node);          /* cores; 0: not modelled */
/* thousandths of a core; 0 where not modelled */
ORR_API int64_t orr_node_cpu_free(const orr_ctx *ctx, int32_t node);
ORR_API int64_t orr_node_mem(const orr_ctx *ctx, int32_t node);           /* bytes; 0: not modelled */
ORR_API int64_t orr_node_mem_free(const orr_ctx *ctx, int32_t node);
ORR_API const char *orr_node_gpu_type(const orr_ctx *ctx, int32_t node);
ORR_API int32_t orr_node_vc(const orr_ctx *ctx, int32_t node);
ORR_API orr_node_state orr_node_state_now(const orr_ctx *ctx, int32_t node);
/* The clocks that its GPUs can be set to, the full one included, and the one that they run at; 1 and 0 where the
 * scenario has no others. */
ORR_API int32_t orr_node_clocks(const orr_ctx *ctx, int32_t node);
ORR_API int32_t orr_node_clock(const orr_ctx *ctx, int32_t node);
/* What a point means: the part of the full clock, how fast jobs compute, what they draw above idle; all 1 for point 0.
 * False: there is no such point, and nothing is set. */
ORR_API bool orr_node_clock_point(const orr_ctx *ctx, int32_t node, int32_t point, double *clock, double *speed,
                                  double *power);
ORR_API bool orr_node_busy(const orr_ctx *ctx, int32_t node); /* somebody holds something of it */
/* What an hour of one of its GPUs costs now; NaN: the scenario has no price of their type. Prices are declared to
 * all. */
ORR_API double orr_node_price(const orr_ctx *ctx, int32_t node);
/* May this job run there at all: its GPU types, whatever is free? */
ORR_API bool orr_node_suits(const orr_ctx *ctx, const orr_job *job, int32_t node);
ORR_API int64_t orr_node_free_milli(const orr_ctx *ctx, int32_t node); /* thousandths left of all its GPUs together */
/* Could this job be given this part of this GPU, with the cores and memory that go with it? */
ORR_API bool orr_node_takes(const orr_ctx *ctx, const orr_job *job, int32_t node, int32_t gpu, int32_t milli);
/* Has this node room for all of the request: its GPUs or parts of them, and the cores and memory that go with it? */
ORR_API bool orr_node_hosts(const orr_ctx *ctx, const orr_request *request, int32_t node);
ORR_API uint64_t orr_node_shared_gpus(const orr_ctx *ctx, int32_t node); /* held in parts */
/* How many hold so many (>= 1) whole GPUs of it. */
ORR_API int32_t orr_node_gangs(const orr_ctx *ctx, int32_t node, int32_t gpus);
/* Who holds parts of this GPU: at most `n` of them, in the order in which they came. Returns how many there are. Whole
 * GPUs are not listed. */
ORR_API int32_t orr_gpu_residents(const orr_ctx *ctx, int32_t node, int32_t gpu, orr_job **out, int32_t n);
/* Nodes whose room changed since *seen, in order, a node perhaps several times: calls `each` and moves *seen on. False:
 * too many to tell, look at all of them anew. Begin with *seen = UINT64_MAX. O(changes). */
ORR_API bool orr_nodes_changed(orr_ctx *ctx, uint64_t *seen, void (*each)(void *self, int32_t node), void *self);

ORR_END
#endif
