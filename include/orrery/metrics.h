/* Metrics of one run, collected behind a sink; names and formulas in the comments are the ones used everywhere.
 *
 * Integrals over time are exact (integer GPU·ns in 128 bits) and run from the first submission to the stop; a measure
 * that bounds time or has margins narrows that window, one that counts jobs doesn't. Jobs still queued at the stop
 * count until then. Quantiles are type 7 (linear interpolation between order statistics). The measured set is part of
 * each number: by default every job that ran to its own end (done, failed, killed), save those whose record is cut off:
 * censored ones, whose duration is a lower bound, and those carried over the origin, whose submission lies before it.
 * `biased` is true when jobs were still running or queued at the end, so that a mean covers survivors only.
 */
#ifndef ORRERY_METRICS_H
#define ORRERY_METRICS_H

#include <orrery/sim.h>

typedef struct orr_dist {
    uint64_t n;
    double mean, p50, p90, p95, p99, max, sum; /* NaN when n = 0 */
} orr_dist;

typedef struct orr_measure {
    bool completed_only;      /* `--measure completed`: jobs that ended done */
    int64_t job_from, job_to; /* `jobs:a..b`: 0-based trace order, half open; -1: no bound */
    orr_time from, to;        /* `time:t0..t1`: by submission, half open; ORR_TIME_NONE: no bound */
    bool censored, carried;   /* `all+censored`, `completed+carried`, …: these are measured, too */
    orr_time warmup, cooldown;   /* `warmup:d`, `cooldown:d`: submissions of the first and of the last d of the trace
                                  * are left out; 0: none */
    orr_time warm_from, cool_to; /* the bounds that this means on a trace, half open; set by orr_measure_on */
} orr_measure;

/* What became of the jobs, whatever the measure: submitted = done + failed + killed + rejected + running_at_end +
 * queued_at_end. Two cut across them: submitted jobs whose recorded duration is only a lower bound (`censored`), and
 * those that had come before the origin (`carried`). */
typedef struct orr_job_counts {
    uint64_t submitted, done, failed, killed, rejected, running_at_end, queued_at_end, censored, carried;
} orr_job_counts;

/* What the jobs in range offer to the GPUs of one type: those that name types load them in proportion to their GPUs,
 * those that name none all types so. The name is the cluster's. */
#define ORR_TYPE_LOADS 16 /* of more types the first ones are told */
typedef struct orr_type_load {
    const char *gpu_type;
    double load;
} orr_type_load;

/* What came of requests: of one service, or of all together. Measured are those that arrived after the services'
 * `warm_up`; the window is from there to the stop. Latency is from arrival to answer; `latency_all` is that of all that
 * arrived and were not in flight at the stop, where those that were dropped count as longer than any: NaN where a
 * quantile falls among them. */
typedef struct orr_serving_metrics {
    uint64_t arrived, answered, late, in_flight, dropped; /* arrived = answered + dropped + in_flight */
    uint64_t refused, full, shed, expired, timeout, lost; /* dropped, by reason */
    uint64_t warm_up;      /* arrived before it ended, not measured */
    uint64_t batches, hits, remote;
    double slo_attain;     /* answered in time / all that arrived */
    double goodput;        /* answered in time, a second of the window */
    double tput_req, tput_tok; /* answered, and tokens produced, a second */
    double batch_mean;     /* requests a batch */
    double accuracy;       /* mean of the variants that answered; NaN where one doesn't state it */
    double correct;        /* share of answers known to be right; NaN where none is known */
    double queue_len;      /* time average of requests that wait: by Little's law from their waits */
    orr_dist latency, latency_all, wait, ttft, tpot; /* s */
    double latency_p999, latency_all_p999;
    bool of_one;           /* of a service: executors serve several, so the next three are told of all only */
    double exec_busy;      /* share of the executors' slot-time in which batches ran */
    double gpu_hours;      /* that executors held */
    double cost;           /* of machines at their markets' prices and of remote calls; NaN where nothing has a price */
    uint64_t loans, loans_interrupted; /* nodes lent to jobs; jobs that were on them when they were due */
    double lent;           /* node-seconds, likewise */
    bool without_nodes;    /* none belongs to serving: the last three mean nothing */
    bool without_weights;  /* no weight store: the following are no keys of it */
    uint64_t cold;         /* answers by an executor to which the weights came after the request */
    uint64_t loads, evictions; /* of weights, the whole run */
    double channel_busy;   /* share of the channels' time in which weights came; of all, as exec_busy */
} orr_serving_metrics;

/* "In range" below: submitted, and not left out by the job and time bounds of the measure. */
typedef struct orr_metrics {
    orr_measure measure;
    uint64_t measured;   /* jobs in the measured set */
    bool biased;
    orr_dist jct;        /* C - a, s */
    orr_dist wait_first; /* first start - a, s */
    orr_dist wait_total; /* C - a - time with GPUs, s */
    orr_dist service;    /* GPU·s attained */
    orr_dist slowdown;   /* (C - a) / d; jobs with d = 0 are left out and counted by n */
    double slowdown_geomean;
    orr_dist bsld;       /* max(1, (C - a) / max(d, 10 s)) */
    double bsld_geomean;
    orr_dist rho;        /* rho:avg_n, finish-time fairness: see metrics README */
    double rho_geomean;
    double rho_unfair;   /* share of jobs with rho > 1 */
    double makespan;     /* max C - min a, s */
    double window;       /* s: of the integrals */
    double gpu_alloc, gpu_busy; /* shares of the GPU·s that existed in the window */
    double gpu_util;     /* likewise, of held GPUs times the job's utilisation; NaN unless the trace states that */
    double frag;         /* expected share of the free GPUs that a job of the trace can't use: FGD's fragmentation */
    double frag_node, frag_rack; /* while a gang waits: share of the free GPUs in nodes, racks that can't host it */
    double load;         /* offered: sum g d / (G * span of submissions), over the jobs in range */
    double queue_len, queue_gpus; /* time averages over the window */
    double age_max;      /* longest wait before a first start, waits at the end of the run included, s */
    double jain;         /* over users' GPU·s, jobs in range; NaN with no user names */
    double jain_vc;      /* over VCs' GPU·s by their GPUs, likewise; NaN where no VCs are kept apart, and of a VC */
    /* long-term fairness: greatest over least of what VCs held by what was due to them; NaN likewise */
    double ltgf_vc;
    orr_type_load type_loads[ORR_TYPE_LOADS]; /* of a cluster with several GPU types, in its order; not of a VC */
    uint32_t type_load_count;
    double deadline_met; /* met / all jobs in range with a deadline; NaN without any */
    uint64_t deadlines;
    uint64_t preemptions, migrations, resizes; /* jobs in range */
    uint64_t preemptions_max, migrations_max, resizes_max; /* the most of one job */
    uint64_t restarts, restarts_max; /* starts after the first, likewise; the most of one job */
    uint64_t interruptions, interruptions_max; /* GPUs lost with a node, likewise; the most of one job */
    double lost_work, overhead; /* GPU·s, jobs in range */
    /* Of apps, the trials of one group taken together, of a run in whose trace some job is in a group: else these are
     * no keys of it. */
    bool without_apps;
    orr_dist app_jct;     /* last end - first submission, s; of apps whose jobs have all ended */
    orr_dist app_rho;     /* rho:app: see metrics README */
    uint64_t early_stops; /* jobs in range that the scenario's early stop ended */
    /* What nodes did, drew and cost, of a run whose scenario says so: else these are no keys of it (a struct of zeros
     * has all keys). Of a VC: its nodes, whoever ran on them. */
    bool without_scenario, without_power, without_prices;
    double nodes_up;     /* nodes that are up or drain, time average over the window */
    uint64_t node_wakes; /* how often one was switched on, in the window */
    double energy;       /* J, in the window; the sum of the next four */
    double energy_idle, energy_active; /* nodes that are up, and GPUs nobody holds; GPUs that jobs hold */
    double energy_asleep, energy_transition;
    double cost, cost_held; /* of all GPUs that are up, of those that jobs hold; NaN where one has no price */
    double cost_energy;  /* of electricity; NaN without a price of it */
    uint64_t gpus;       /* of the cluster, or of the VC */
    bool without_jobs;   /* a run that only serves: of the keys above only the window, GPUs, nodes, power and prices
                          * are told */
    bool without_serving; /* a run without services, and a VC: the following are no keys of it */
    orr_serving_metrics serving;
    orr_job_counts jobs;
} orr_metrics;

/* Which way a number is better. What describes the workload or the request rather than the schedule has a target: any
 * change of it means that something else was run. */
typedef enum orr_direction { ORR_BETTER_LOWER, ORR_BETTER_HIGHER, ORR_BETTER_TARGET } orr_direction;

typedef struct orr_collector orr_collector;

ORR_BEGIN

ORR_API orr_measure orr_measure_default(void);
/* "all", "completed", either with "+censored" and "+carried" behind it, "jobs:a..b", "time:t0..t1" (durations),
 * "warmup:d", "cooldown:d"; several joined by commas; a bound may be left out. */
ORR_API orr_err orr_measure_parse(const char *text, orr_measure *out, orr_error *e);
#define ORR_MEASURE_BUF 256
/* The text that parses to this measure; returns its length. buf holds ORR_MEASURE_BUF. */
ORR_API int orr_measure_format(const orr_measure *measure, char *buf);
/* Turns the margins into bounds: from the first submission that the trace records and to the last, so that every policy
 * is measured by the same jobs. */
ORR_API void orr_measure_on(orr_measure *measure, const orr_trace *trace);

/* Give `orr_collector_sink` to `orr_sim_create` (or call its members from a sink of your own), then `finish` after the
 * run. Without the call of `begin`, margins of the measure do nothing, and what must be seen as it happens (frag…,
 * gpu_util) is NaN. A simulation has room for one collector that is told all. */
ORR_API orr_collector *orr_collector_create(const orr_measure *measure);
ORR_API void orr_collector_destroy(orr_collector *collector);
ORR_API orr_sink orr_collector_sink(orr_collector *collector);
/* Per-VC numbers follow the total where the cluster has several VCs and the run kept them apart: index 0 is the whole
 * cluster, 1 + i the VC i; *count tells how many. Owned by the collector. To be called once. */
ORR_API const orr_metrics *orr_collector_finish(orr_collector *collector, const orr_sim *sim, size_t *count);

/* Every number by its key ("jct.mean", "gpu_alloc", "jobs.completed"), in a fixed order: for tables, JSON and checks.
 * Calls `each`; NaN is "undefined". Unit is "s", "ratio", "count", "gpu*s" or "". */
ORR_API void orr_metrics_each(const orr_metrics *m,
                              void (*each)(void *self, const char *key, double value, const char *unit), void *self);
/* The same of one service: the keys of `serving` alone. */
ORR_API void orr_serving_metrics_each(const orr_serving_metrics *m,
                                      void (*each)(void *self, const char *key, double value, const char *unit),
                                      void *self);
/* What came of a service (-1: of all together), the stop being at `end`. */
ORR_API orr_serving_metrics orr_serving_measure(const orr_serving *serving, orr_service_id service, orr_time end);
/* One number by key; false if no metric has that key. "rho.…" is taken for "rho:avg_n.…". */
ORR_API bool orr_metrics_get(const orr_metrics *m, const char *key, double *value);
/* TARGET for what isn't a key: the text of an expression tells nothing of what is wished for. */
ORR_API orr_direction orr_metric_direction(const char *key);
ORR_API const char *orr_direction_name(orr_direction direction); /* "lower", "higher", "target" */

ORR_END
#endif
