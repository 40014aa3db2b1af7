/* What stands behind `orr_ctx`: one module instance, and the world that all instances of a simulation share. */
#ifndef ORR_SCHED_CTX_H
#define ORR_SCHED_CTX_H

#include "base/rng.h"
#include "base/text.h"
#include "job/life.h"

#include <orrery/policy.h>
#include <orrery/profile.h>
#include <orrery/serve.h>

/* A kind of request: jobs of one shape find room alike. `feasible` is whether an empty cluster could host it, `hosts`
 * which GPU types alone could, as bits, of those in `asked`: [0] in its VC, [1] anywhere. */
typedef struct orr_shape {
    int32_t vc, gpus, milli;
    uint64_t types;
    int64_t cpu_milli, mem, gpu_mem;
    int8_t feasible; /* -1: not asked yet */
    uint64_t asked[2], hosts[2];
} orr_shape;

typedef struct orr_counted {
    const char *reason;
    uint64_t count;
} orr_counted;

typedef struct orr_world {
    const orr_trace *trace;
    orr_life *life;
    orr_queue *queue;
    orr_cluster *cluster; /* what queries see; the real one save while feasibility is asked */
    orr_cluster *real, *empty;
    const orr_cluster_spec *spec;
    bool one_pool;        /* VCs are ignored */
    struct orr_net *net;  /* NULL: communication costs nothing */
    struct orr_nodelife *nodes; /* what nodes do, and are asked to do */
    const struct orr_prices *prices; /* NULL: none */
    const int32_t *price_types;      /* of each GPU type; -1: it has no price */
    const struct orr_clocks *clocks; /* of each GPU type; NULL: there is only the full clock */
    const orr_profiles *profiles; /* NULL: none */
    const struct orr_speeds *speeds; /* of a throughput table; NULL: there is none */
    uint64_t seed;
    orr_know granted;
    bool skip_violations;
    int8_t models_host;   /* 1: some node has cores or memory to run out of; -1: none has; 0: not looked yet */
    int8_t models_gpu_mem; /* the same of device memory */
    bool by_model;        /* the placer looks at the job's model */
    bool reach_all;       /* the policy may place a job outside its VC */
    orr_error fault;      /* the first breach of the contract inside a callback */
    orr_plan *plan;
    ORR_VEC(orr_shape) shapes;
    struct shape_map *shape_map;
    ORR_VEC(orr_counted) notes;
    orr_arena note_texts;
    orr_names *users;     /* numbered as policies ask for them; NULL: none has */
    struct orr_groups *groups; /* of trials */
    bool decide;          /* something happened that asks for a decision */
    uint32_t trigger_events; /* bits 1 << orr_event_kind */
    orr_time period, phase, min_gap;
    uint64_t jobs_examined;
    uint64_t violations;
} orr_world;

/* Kinds of queue events that instances schedule; `what` is the ctx, after life's kinds. */
enum { ORR_WORLD_TIMER = 16, ORR_WORLD_STIR /* an instant takes place, and that is all */ };

struct timer; /* cookie → queue handle */

struct orr_ctx {
    orr_world *world;
    const orr_module *module;
    orr_kind kind;
    union {
        orr_order order;
        orr_policy policy;
        orr_placer placer;
        orr_estimator estimator;
        orr_batcher batcher;
        orr_dropper dropper;
        orr_selector selector;
        orr_router router;
        orr_scaler scaler;
        orr_cache cache;
        orr_serve serve;
    } desc; /* the module's descriptor, widened with zeros */
    uint8_t know[sizeof((orr_order *)0)->know]; /* as declared, or less (orr_know_less) */
    uint8_t used[ORR_Q_COUNT];
    void *knobs, *state;
    uint64_t given; /* knobs that a preset or the user set, by place in the table */
    bool begun;     /* `init` went well: `fini` is due */
    size_t priv_offset;
    gsl_rng *rng;
    uint64_t key;       /* of draws by job */
    orr_arena arena;
    struct timer *timers;
    orr_ctx *placer_ctx, *estimator_ctx; /* of a policy or order */
    orr_list_rules rules;                /* of an order: the standard knobs */
    orr_list *list;                      /* drivers made by this instance, NULL if none */
    orr_near *near;
    orr_mlfq *mlfq;
    orr_rounds *rounds;
    orr_leases *leases;
    orr_share_rounds *share_rounds;
    orr_turns *turns;
    orr_elastic *elastic;
    orr_scores *scores;                  /* likewise */
    orr_target *targets;
    struct history *history;             /* what estimators remember, NULL until they do */
    struct rolling *rolling;
    struct ridge *ridge;
    struct orr_serving *serving;         /* of a module that serves; NULL: of one that schedules jobs */
    uint32_t priv_service, priv_replica, priv_req; /* where its memory begins in theirs */
};

/* ---- instances ---- */
typedef struct orr_spec { /* a parsed NAME[:PRESET][,KNOB=VALUE…][+PLACER…][~ESTIMATOR…] */
    char *policy, *placer, *estimator; /* each "NAME[:PRESET][,…]" ; NULL if not given */
} orr_spec;
orr_err orr_spec_parse(const char *text, orr_spec *out, orr_error *e);
void orr_spec_fini(orr_spec *spec);

/* Makes the instance that `text` describes, with its placer and estimator; `priv_size` grows by what its jobs need. */
orr_ctx *orr_ctx_create(orr_world *world, const orr_registry *registry, const char *text, size_t *priv_size,
                        orr_error *e);
/* One module that serves, from "NAME[:PRESET][,KNOB=VALUE…]". */
orr_ctx *orr_ctx_create_seat(orr_world *world, const orr_registry *registry, const char *text, orr_error *e);
void orr_ctx_describe_seat(const orr_ctx *ctx, orr_text *out);
void orr_ctx_destroy(orr_ctx *ctx);
/* "fifo,hol=block+consolidate~oracle" with every knob. */
void orr_ctx_describe(const orr_ctx *ctx, orr_text *out);

/* ---- what the simulation asks of a policy instance, whichever rung it is ---- */
orr_err orr_ctx_begin(orr_ctx *ctx);
/* Does the scenario grant what it declares? After the beginning: its settings may do with less. */
orr_err orr_ctx_check_knowledge(const orr_ctx *ctx, orr_error *e);
bool orr_ctx_admit(orr_ctx *ctx, const orr_job *job);
void orr_ctx_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event);
void orr_ctx_on_timer(orr_ctx *ctx, uint64_t cookie);
/* -1: of all nodes. */
void orr_ctx_on_node(orr_ctx *ctx, int32_t node, const orr_event *event);
orr_err orr_ctx_decide(orr_ctx *ctx, orr_plan *plan);
void orr_ctx_explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size);
/* Capabilities the scenario must have. */
uint32_t orr_ctx_needs(const orr_ctx *ctx);
void orr_ctx_observe(orr_ctx *ctx, const orr_job *job, orr_time duration);

/* ---- shared ---- */
void orr_world_fini(orr_world *world);
uint32_t orr_world_shape(orr_world *world, const orr_job *job);
/* Could it ever start? Asked of the placer on an empty cluster, once a shape. */
bool orr_world_feasible(orr_world *world, orr_ctx *policy, orr_job *job);
/* A timer of one of the instances is due. */
void orr_world_fire(orr_world *world, const orr_queued *event);
/* Counts a reason in the decision log. */
void orr_world_note(orr_world *world, const char *reason);
/* Of an hour of a GPU of this type, now; NaN: it has none. */
double orr_world_price(const orr_world *world, int32_t type);
/* Remembers the first breach; the run ends after the callback. */
void orr_world_fault(orr_world *world, orr_err code, const orr_job *job, const char *fmt, ...) ORR_PRINTF(4, 5);
/* Does it declare as much? If not, that is a breach. What was used is remembered. */
bool orr_ctx_may_use(orr_ctx *ctx, orr_quantity q, orr_know level, const orr_job *job);
const char *orr_ctx_name(const orr_ctx *ctx, char *buf, size_t size);

/* ---- knobs ---- */
orr_err orr_knob_set(const orr_knob *knob, void *base, const char *value, orr_arena *arena, orr_error *e);
void orr_knob_format(const orr_knob *knob, const void *base, orr_text *out);
/* The standard knobs of orders, settings struct orr_list_rules; the default that an order's flags imply. */
const char *orr_order_knob_default(const orr_order *order, const orr_knob *knob);

/* The kinds of request in a trace; an empty path: none. */
orr_err orr_asks_read(const char *path, orr_arena *arena, orr_asks *out, orr_error *e);

/* ---- plans ---- */
orr_plan *orr_plan_create(orr_world *world);
void orr_plan_destroy(orr_plan *plan);
void orr_plan_begin(orr_plan *plan, orr_ctx *ctx);
/* Commits, or takes everything back: *changed says whether anything happened. */
orr_err orr_plan_commit(orr_plan *plan, bool *changed, orr_error *e);
void orr_plan_abandon(orr_plan *plan);
/* An illegal call was made on it: commit will refuse it with that as the reason. */
orr_ctx *orr_plan_ctx(const orr_plan *plan); /* whose decision it is */
bool orr_plan_broken(const orr_plan *plan);

/* Room for a job's gang in a scope, by the placer of `ctx`. ORR_E_NOFIT: none. placing.c. */
orr_err orr_world_place(orr_world *w, orr_ctx *ctx, orr_plan *plan, const orr_job *job, int32_t gpus, orr_scope scope,
                        orr_alloc *out);
/* Could it run there at all? Where the throughput table says that it can't, spread over nodes say, there is no place
 * for it. */
bool orr_world_moves(const orr_world *w, const orr_job *job, const orr_alloc *a);
/* Could it run beside `host` on what that holds? */
bool orr_world_gets_on(const orr_world *w, const orr_job *job, const orr_job *host, const orr_alloc *held);

/* ---- nodes ---- */
/* May it run on this node, whatever is free; are there cores and memory? */
bool orr_node_suits_job(const orr_node *n, const orr_job *job);
bool orr_node_has_host(const orr_node *n, orr_share share);
/* As many parts as there is room for on one node, at most `want`, by fullest GPU first; the GPUs as a mask. */
uint64_t orr_node_parts_for(const orr_node *n, const orr_job *job, int32_t milli, int32_t want);

/* ---- drivers ---- */
void orr_list_destroy(orr_list *list);
void orr_near_destroy(orr_near *near);
void orr_mlfq_fini(orr_mlfq *mlfq);
void orr_rounds_destroy(orr_rounds *rounds);
void orr_leases_destroy(orr_leases *leases);
void orr_share_rounds_destroy(orr_share_rounds *rounds);
void orr_turns_destroy(orr_turns *turns);
void orr_elastic_destroy(orr_elastic *elastic);
void orr_scores_destroy(orr_scores *scores);  /* all of an instance */
void orr_targets_destroy(orr_target *targets);
void orr_list_timer(orr_list *list);
/* Room came or went without a job's doing: every queue looks again. */
void orr_list_room(orr_list *list);
void orr_list_explain(orr_list *list, const orr_job *job, char *buf, size_t size);
/* Cookies from here on belong to drivers. */
#define ORR_COOKIE_DRIVER ((uint64_t)1 << 63)

#endif
