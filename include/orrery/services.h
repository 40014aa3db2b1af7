/* Services: what is asked of the cluster besides jobs. Plain data, made from a file (orr_services_load) or in code; one
 * description serves many simulations side by side.
 *
 * A service answers requests with one of its variants (models that can stand in for each other). A variant has
 * profiles: how long a batch takes on a GPU type, a share of it, or several GPUs. Executors are what runs batches: one
 * GPU, a share of one, a MIG instance, or a pipeline of several; one or more variants live on it. All of this is the
 * truth of a scenario, the same for every policy compared.
 *
 * Times of execution are in seconds (double), as profiles are measured; everything on the clock is orr_time. A draw
 * depends on the master seed, the service, the request's number and what it is for, so that all policies meet the same
 * requests.
 */
#ifndef ORRERY_SERVICES_H
#define ORRERY_SERVICES_H

#include <orrery/scenario.h>
#include <orrery/trace.h>

/* How a quantity of mean 1 scatters: of what is drawn the mean stays what is stated. */
typedef enum orr_scatter {
    ORR_SCATTER_NONE,
    ORR_SCATTER_EXPONENTIAL, /* cv 1 */
    ORR_SCATTER_GAMMA,       /* cv > 0 */
    ORR_SCATTER_LOGNORMAL,   /* cv > 0 */
    ORR_SCATTER_NORMAL,      /* cv > 0; cut off at a tenth of the mean */
    ORR_SCATTER_KINDS
} orr_scatter;

typedef struct orr_jitter {
    orr_scatter law;
    double cv; /* standard deviation / mean */
} orr_jitter;

/* ---- how long a batch takes -------------------------------------------------------------------------------------- */

typedef enum orr_exec_kind {
    ORR_EXEC_LINEAR, /* alpha + beta * batch */
    ORR_EXEC_TABLE,  /* measured points, which need not be monotone */
    ORR_EXEC_STAGES, /* a pipeline: a point has a time a stage */
    ORR_EXEC_OPS,    /* as TABLE, and operators between which it may be preempted */
    ORR_EXEC_ITER,   /* tokens: iterations of prefill and decode */
    ORR_EXEC_KINDS
} orr_exec_kind;

typedef struct orr_exec_point {
    int32_t batch;
    double mean;          /* seconds of the whole batch; STAGES: the sum of its stages */
    double deviation;     /* its standard deviation as measured, seconds; 0: not stated */
    int64_t mem;          /* device memory in use then; 0: not stated */
    const double *stages; /* STAGES: [stage_count] seconds */
} orr_exec_point;

typedef enum orr_iter_part {
    ORR_ITER_WHOLE,   /* prompt and all tokens */
    ORR_ITER_PREFILL, /* the prompt: answered with the first token */
    ORR_ITER_DECODE,  /* the rest: a request comes with the cache of its prompt and its first token */
    ORR_ITER_PARTS
} orr_iter_part;

/* Seconds of one iteration: base + per_prompt * (prompt tokens processed in it) + per_running * (sequences that decode)
 * + per_context * (tokens held by them). A sequence holds its prompt's and its produced tokens of the KV cache. Prompts
 * are processed beside those that decode, whole or in chunks; the iteration that ends one makes its first token. */
typedef struct orr_iter_cost {
    double base, per_prompt, per_running, per_context;
    int64_t kv_tokens; /* that fit on the executor; 0: no limit */
    int64_t chunk;     /* prompt tokens of one iteration at most; 0: whole prompts */
    orr_iter_part part; /* of a request's work that is done here */
} orr_iter_cost;

typedef struct orr_exec_profile {
    const char *gpu_type; /* "": of any type that has no profile of its own */
    /* measured on so many thousandths of a GPU; 1000: the whole; of a MIG instance its compute's */
    int32_t milli;
    int32_t gpus;         /* GPUs of the executor; STAGES: one a stage */
    orr_exec_kind kind;
    double alpha, beta;   /* LINEAR, seconds */
    const orr_exec_point *points; /* by batch, ascending */
    int32_t point_count;
    bool interpolate;     /* between points: on the line; default: the next larger one is run */
    int32_t stage_count;  /* STAGES */
    const double *ops;    /* OPS: the part of its time that each operator takes, in order; their sum is 1 */
    int32_t op_count;
    orr_iter_cost iter;   /* ITER */
    orr_jitter noise;     /* of a batch's time */
    bool measured_noise;  /* the points' own deviations are the noise, normal */
} orr_exec_profile;

typedef struct orr_variant {
    const char *name;     /* unique in its service */
    double accuracy;      /* 0..1, NaN: not stated */
    int64_t bytes;        /* of its weights; 0: not modelled */
    int64_t item_bytes;   /* device memory a request of a batch needs besides; 0: not modelled */
    int32_t max_batch;    /* >= 1 */
    orr_time load;        /* weights from the host: until a replica is ready; 0: at once, or by the channel */
    double cost;          /* of one answer where it is bought by call (serverless), money; 0 */
    orr_time call;        /* how long such a call takes */
    const orr_exec_profile *profiles;
    int32_t profile_count;
} orr_variant;

/* ---- who asks ---------------------------------------------------------------------------------------------------- */

typedef enum orr_source_kind {
    ORR_SOURCE_NONE,    /* only other services ask */
    ORR_SOURCE_POISSON, /* rate */
    ORR_SOURCE_GAMMA,   /* renewal: rate, cv; shape 1/cv^2 */
    /* Poisson at rates[i] while in state i, whose mean length is stays[i]; then a state drawn evenly from the others */
    ORR_SOURCE_MMPP,
    ORR_SOURCE_REGULAR, /* every 1/rate, the first at 1/rate */
    ORR_SOURCE_CLOSED,  /* `clients`, each asking anew `think` after its answer */
    ORR_SOURCE_COUNTS,  /* counts[i] within bin i */
    ORR_SOURCE_DIURNAL, /* Poisson of rate * (1 + swing sin(2 pi (t - phase) / period)) */
    ORR_SOURCE_LIST,    /* requests as recorded */
    ORR_SOURCE_KINDS
} orr_source_kind;

/* a bin: uniform draws; equal gaps; renewal scaled into it, by cv */
typedef enum orr_bin_law { ORR_BIN_POISSON, ORR_BIN_EVEN, ORR_BIN_GAMMA } orr_bin_law;

typedef struct orr_source {
    orr_source_kind kind;
    double rate, cv;        /* requests a second */
    const double *rates;    /* MMPP [states] */
    const double *stays;    /* MMPP [states] seconds */
    int32_t states;
    int32_t clients;        /* CLOSED */
    orr_time think;         /* CLOSED: mean */
    orr_jitter think_spread;
    const uint64_t *counts; /* COUNTS [bins] */
    size_t bins;
    orr_time bin;
    orr_bin_law within;
    double swing;           /* DIURNAL, 0..1 */
    orr_time period, phase;
    const orr_trace_request *list; /* LIST, by arrival; borrowed from a trace */
    size_t listed;
    double speed;           /* COUNTS, LIST: times run so much faster; 1 */
    orr_time from, until;   /* no request before and none at or after; until ORR_TIME_MAX: none that ends */
    uint64_t limit;         /* at most so many requests; 0: no limit */
    /* what a request carries, where its list doesn't say */
    double tokens_in, tokens_out; /* means; 0: no tokens */
    orr_jitter in_spread, out_spread;
    uint64_t inputs;        /* so many different inputs, the i-th with weight 1 / i^zipf; 0: none is like another */
    double zipf;
} orr_source;

/* ---- the service ------------------------------------------------------------------------------------------------- */

/* Requests of one SLO. A request's class is drawn by `part`. */
typedef struct orr_slo_class {
    const char *name;
    orr_time slo;      /* from arrival to answer; ORR_TIME_MAX: none */
    double part;       /* of all requests; the parts sum to 1 */
    int32_t priority;  /* greater goes first where a queue is by priority */
    double weight;     /* of its share where a queue is fair */
} orr_slo_class;

/* An answer of this service asks another one. The request of a service that asks others is answered when all that came
 * of it have been, and its latency is from end to end; a part that is dropped ends it unanswered. A service that
 * several others ask within one request is asked when all of them are done, as often as the one asks it that asks most.
 * No circles. */
typedef struct orr_service_edge {
    int32_t to;       /* service */
    /* requests each answer makes, mean: its whole part always, one more with the probability of the rest */
    double fan_out;
    int64_t bytes;    /* sent; 0: at once */
    orr_time budget;  /* deadline of that stage from its own arrival; ORR_TIME_MAX: end to end, the root's deadline */
} orr_service_edge;

typedef struct orr_result_cache {
    int64_t items; /* 0: no cache */
    int64_t bytes, item_bytes; /* 0: counted by items alone */
    orr_time hit;  /* what an answer from it takes */
} orr_result_cache;

typedef struct orr_service {
    const char *name;        /* services are numbered by the rank of their names */
    const orr_variant *variants;
    int32_t variant_count;
    const orr_slo_class *classes;
    int32_t class_count;     /* >= 1 */
    int64_t bound;           /* requests that may wait in one queue; 0: any number. One more is dropped as FULL */
    orr_time timeout;        /* a client leaves when it has waited so long for its batch; ORR_TIME_MAX: never */
    int32_t retries;         /* of a request whose batch was lost; then it is LOST */
    orr_time reply;          /* from the end of its batch until an answer is with its client; keeps no executor busy */
    orr_source source;
    const orr_service_edge *edges;
    int32_t edge_count;
    orr_time machine, container; /* a new replica's first phases, before its weights are loaded */
    double alike;            /* 0..1: how much the same requests are answered wrongly by all its variants */
    orr_result_cache cache;
    orr_said said;
} orr_service;

/* ---- what there is to run it at the beginning -------------------------------------------------------------------- */

typedef struct orr_hosted_ask {
    int32_t service, variant; /* variant: in its service */
} orr_hosted_ask;

/* `count` executors of a kind. Placed when the simulation begins, before any arrival, in this order, each on the
 * fullest node that has room. */
typedef struct orr_exec_ask {
    const char *name;     /* "": made of what it hosts and a number */
    const char *gpu_type; /* "": any */
    int32_t gpus;         /* 1; more: a pipeline or tensor-parallel group, all on one node where it fits */
    int32_t milli;        /* share of the one GPU, 1000: the whole */
    /* a MIG instance, as orr_mig_named has it; its share is then the instance's; NULL, "": none */
    const char *slice;
    uint64_t gpus_at;     /* made by a policy: on these GPUs of a given node; 0: any */
    bool idle;            /* on a GPU that nobody holds any of */
    int32_t count;
    int32_t slots;        /* batches that run at once, >= 1 */
    bool shared_slots;    /* n of them run at 1/n of their speed each: processor sharing */
    const char *market;   /* "": as it stands; else one of the purchase options */
    const orr_hosted_ask *hosts;
    int32_t host_count;
    orr_said said;
} orr_exec_ask;

/* How machines are bought. */
typedef struct orr_market {
    const char *name;     /* "on-demand", "spot", … */
    const char *gpu_type; /* "": any */
    double price;         /* an hour of a GPU */
    orr_time mean_life;   /* spot: exponential time until it is taken away; ORR_TIME_MAX: never */
    orr_time notice;      /* told so long before */
} orr_market;

/* Where weights come from: loads wait for one of `channels`, and take bytes / bandwidth. */
typedef struct orr_weight_store {
    double bandwidth;  /* bytes a second of one load; 0: no store, loads take the variant's `load` */
    int32_t channels;  /* loads at once an executor; >= 1 */
    int64_t page;      /* memory is given in pages of so many bytes; 0: exactly */
    int64_t capacity;  /* bytes for weights on one GPU; 0: the GPU's memory */
} orr_weight_store;

/* What executors that are neighbours on one GPU do to each other while both run. Jobs beside them on the GPU neither
 * slow them down nor are slowed down by them: what jobs do to each other is a model of two jobs (interference), which
 * knows nothing of services. */
typedef struct orr_contention {
    const char *a, *b;  /* variants as SERVICE/VARIANT, "" of any */
    double slowdown;    /* of a beside b; >= 1 */
} orr_contention;

typedef struct orr_services {
    const char *name, *path, *digest; /* path and digest "": made in code */
    const orr_service *services;
    int32_t count;
    const orr_exec_ask *executors;
    int32_t executor_count;
    const orr_market *markets;
    int32_t market_count;
    /* Nodes that belong to serving: jobs come there only while they are lent, executors go there first. None: all nodes
     * are for both. */
    const orr_which *nodes;
    int32_t nodes_count;
    orr_said nodes_said;
    orr_weight_store store;
    const orr_contention *contention;
    int32_t contention_count;
    orr_time warm_up;  /* requests that arrive before are served and not measured */
    double bandwidth;  /* bytes a second of what services send to each other, each by itself; 0: they take no time */
    orr_time preempt_save; /* what saving a preempted batch costs */
    orr_time mig_change;   /* until a MIG instance that didn't stand there is made */
    const orr_note *notes; /* what the reader assumed: fits with what is left of them, traces that were repaired */
    int32_t note_count;
    struct orr_services_memory *memory;
} orr_services;

ORR_BEGIN

/* Reads a services file, or that of this name that comes with the library (configs/services); its keys are in
 * configs/README.md. Traces and profiles that it names are read, too. NULL and `e` on failure. */
ORR_API orr_services *orr_services_load(const char *path, orr_error *e);
ORR_API void orr_services_destroy(orr_services *services); /* takes NULL */
/* Seconds of a batch of `batch` (>= 1) as the profile states them, without noise; NaN: larger than any point. A batch
 * between points takes as long as the next larger one, or interpolated; one below the first, as that. ITER: an
 * iteration in which so many sequences decode that hold nothing yet. */
ORR_API double orr_exec_seconds(const orr_exec_profile *profile, int32_t batch);
/* The profile for an executor of a type ("": any), a share and a number of GPUs: of its type before that of any, of as
 * many GPUs, measured on the largest share that isn't more than it has. NULL: there is none, and it can't run there. */
ORR_API const orr_exec_profile *orr_variant_profile(const orr_variant *variant, const char *gpu_type, int32_t milli,
                                                    int32_t gpus);
/* Its measured standard deviation, of the point that stands for the batch; 0: not stated. */
/* STAGES; others: all of it */
ORR_API double orr_exec_stage_seconds(const orr_exec_profile *profile, int32_t batch, int32_t stage);
ORR_API double orr_exec_deviation(const orr_exec_profile *profile, int32_t batch);

ORR_END
#endif
