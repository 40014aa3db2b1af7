/* The inside of serving: services, executors, replicas, queues, and the loop that runs them.
 *
 * Serving has an event queue of its own and is run in bulk between two instants of jobs (orr_serving_run), since a
 * request costs tens of nanoseconds and a job's event a microsecond. Within an instant that both share,
 * orr_serving_begin comes before what jobs do (batches that end, replicas that are ready), orr_serving_finish after it
 * (arrivals, timers, control, new batches).
 *
 * Requests are records of `stride` bytes, moved from the source to a queue to a batch: orr_req, then what the service
 * uses of tokens, link and private memory. Queues in order of arrival are rings, the others heaps. Batches hold their
 * requests by value.
 */
#ifndef ORR_SERVE_SERVING_H
#define ORR_SERVE_SERVING_H

#include "base/mem.h"
#include "base/rng.h"
#include "cluster/bits.h"
#include "cluster/cluster.h"
#include "engine/queue.h"
#include "sched/ctx.h"
#include "serve/draw.h"
#include "serve/source.h"
#include "serve/tally.h"

#include <orrery/serve.h>
#include <orrery/serving.h>

/* Kinds of events in the serving's own queue. */
typedef enum orr_sv_event {
    ORR_SV_BATCH,   /* cookie: exec << 32 | slot */
    ORR_SV_PHASE,   /* cookie: replica */
    ORR_SV_LOAD,    /* cookie: exec << 32 | place of the weights */
    ORR_SV_MARKET,  /* cookie: exec */
    ORR_SV_RETURN,  /* a lent node is due; cookie: node */
    ORR_SV_ARRIVE,  /* cookie: service */
    ORR_SV_WAKE,    /* cookie: exec */
    ORR_SV_MEMBER,  /* a member's answer-by is due; cookie: journey */
    ORR_SV_SEND,    /* what was on the way is there; cookie: its place */
    ORR_SV_CALL,    /* a remote call is answered; cookie: its place */
    ORR_SV_LEAVE,   /* cookie: service */
    ORR_SV_TIMER,   /* what: ctx, cookie: the policy's */
    ORR_SV_SCALE,   /* cookie: service */
    ORR_SV_DECIDE
} orr_sv_event;

enum { ORR_SV_STRIDE_MOST = 128 };

/* What a record holds beyond orr_req, where the service uses it. */
typedef struct orr_req_tokens {
    int64_t in, out;
    int64_t done;   /* produced so far */
    int64_t left;   /* still to be processed as a prompt; of one that came back, what it had made, too */
    orr_time first; /* when the first was produced; 0: not yet */
    orr_time began; /* when it was first admitted */
} orr_req_tokens;

typedef struct orr_sv_queue {
    uint8_t *at;      /* records */
    uint32_t stride, cap, head, n; /* FIFO: a ring; else at[0..n) is a heap by keys */
    bool keyed;       /* a heap */
    double *keys;     /* [cap] of it */
    orr_variant_id variant;
    orr_replica_id replica; /* -1: central */
    int32_t wake_at;  /* the fewest that an executor waits for; INT32_MAX */
    uint64_t changes, sorted; /* sorted == changes: the heap is in order */
    /* how often it became empty; missed == emptied + 1: who waits now was told to lack weights (weights.c) */
    uint64_t emptied, missed;
} orr_sv_queue;

typedef struct orr_sv_slot {
    orr_event_id event;
    orr_replica_id replica;
    int32_t size;    /* 0: free */
    orr_time start, end;
    uint8_t *reqs;   /* [size] records */
    size_t room;     /* bytes */
    double whole;    /* seconds of all of it at rate 1 */
    double work;     /* seconds left at rate 1 when `since` */
    double rate;
    orr_time since;
    bool stops, redo; /* it ends before all is done, at the part `stop_at` */
    double stop_at;
} orr_sv_slot;

typedef struct orr_sv_exec {
    orr_exec_id id;
    const orr_exec_ask *ask; /* NULL: made later */
    int32_t node, gpus, milli, market, slots;
    /* thousandths of a GPU that it holds: of an instance all of it, though less were asked for */
    int32_t held;
    int8_t slice;            /* the MIG profile that was asked for, of its GPU's model, counted from 1; 0: none was */
    bool cut_anew;           /* its instance had to be made */
    const char *slice_name;  /* of its instance; NULL: it has none */
    orr_time cut_at;         /* when its instance is there */
    uint64_t mask;           /* GPUs of the node */
    int32_t type;
    bool alive, touched, idle;
    bool waits;              /* for more requests of `waits_for` (orr_form_wait) */
    orr_variant_id waits_for;
    double rate;             /* 1: alone */
    bool slows, shared_slots; /* slows: what begins or ends on it changes rates */
    ORR_VEC(orr_exec_id) beside; /* that share its GPU, where the scenario says what that does */
    int32_t busy;            /* batches that run */
    int32_t stages;          /* > 1: a pipeline */
    orr_time *stage_free;    /* [stages] when each is free */
    ORR_VEC(orr_replica_id) replicas;
    ORR_VEC(orr_sv_slot) at; /* slots; those of a pipeline grow */
    orr_event_id wake;
    orr_time wake_at;
    double busy_ns, since_ns; /* slot-time in use; when it was made */
    orr_time gone_at;
    orr_time taken_at;       /* by its market; told of before */
    bool noticed;
    orr_event_id market_event;
    struct orr_sv_weights *weights; /* NULL: not modelled */
    struct orr_sv_iter *iter;       /* of a replica that works by tokens; NULL: none */
} orr_sv_exec;

typedef struct orr_sv_replica {
    orr_replica_id id;
    orr_variant_id variant;
    orr_exec_id exec;
    orr_phase phase;
    orr_event_id event;
    int32_t max_batch;
    bool up;              /* it was ready once */
    const orr_exec_profile *profile;
    double *seconds;      /* [max_batch + 1] of a batch alone; NaN: it can't */
    orr_time *times;      /* the same, to the nearest ns; where nothing scatters */
    orr_scattering *noise; /* of a batch's time: [1], or [max_batch + 1] where each size has its own; NULL: none */
    double *stage_seconds; /* [(max_batch + 1) * stages] of a pipeline */
    orr_sv_queue queue;
    uint64_t batches;
    void *priv;
} orr_sv_replica;

typedef struct orr_sv_variant {
    const orr_variant *spec;
    orr_service_id service;
    orr_variant_id id;
    orr_sv_queue central;
    ORR_VEC(orr_replica_id) replicas; /* not gone */
    orr_bits idle;                    /* executors that could take from it, by id */
    bool idle_made;
    int32_t idle_size;
    uint32_t waiting_execs;           /* that wait for more of it (orr_form_wait) */
    int32_t warm, cold;               /* replicas that are READY or LOADING; that are COLD */
    bool iter;                        /* some profile of it works by tokens */
} orr_sv_variant;

typedef struct orr_sv_service {
    const orr_service *spec;
    orr_service_id id;
    uint64_t key;                     /* of its draws: by the master seed and its name */
    orr_variant_id first, current;
    orr_pull *pull;
    bool eager, due, linked; /* linked: records have a link to a journey */
    bool judged;                      /* whether its answers are right is drawn */
    orr_time budget;                  /* of its stage, set by a policy; 0: as stated */
    struct { orr_arrival *at; uint32_t cap, head, n; } ahead; /* pulled, and not there yet */
    orr_event_id arrive, scale, leave;
    bool leaves;                      /* those whose patience ends leave just then: others may see it */
    orr_time arrive_at;
    double *fair;                     /* [class_count + 1] virtual finishes, and the time that is behind them */
    uint32_t next_number;
    uint32_t stride, tokens_at, input_at, link_at, miss_at, priv_at, left_at; /* bytes into a record; 0: it has none */
    struct orr_sv_rates *rates; /* NULL: nobody asks */
    struct orr_sv_cache *cache; /* NULL: none */
    orr_service_counts counts;
    double gone_waited;               /* ns that those dropped were there */
    orr_sv_tally latency, wait, ttft, tpot, batch_sizes;
    void *priv;
} orr_sv_service;

/* What serving knows of a node. */
typedef struct orr_sv_node {
    ORR_VEC(orr_exec_id) execs; /* on it, by age */
    orr_loan loan;
    orr_time since;             /* when it was lent */
    orr_event_id due_event;     /* when it shall be back */
} orr_sv_node;

typedef struct orr_sv_homeless { /* an executor of the scenario whose node is lost */
    const orr_exec_ask *ask;
    int32_t node;
} orr_sv_homeless;

struct orr_serving {
    orr_world *world;
    orr_cluster *cluster;
    orr_cluster *own;                 /* nodes that belong to serving, as they are for it (nodes.c); NULL: none does */
    orr_sv_node *nodes;               /* [of the cluster] */
    ORR_VEC(int32_t) owned;           /* nodes, by index, lent ones too */
    ORR_VEC(orr_sv_homeless) homeless; /* in the order in which they were lost */
    uint64_t room_seen;               /* releases of room when they were tried last */
    orr_gone_why why;                 /* of replicas that go now */
    orr_loans loans;
    bool lends, running;              /* lends: some module may lend nodes; running: the first instant has come */
    bool inside, stirred;             /* inside: jobs decide later in this instant; stirred: they are to have one now */
    uint32_t idle_decisions;          /* since a node changed hands, without a request to come */
    const orr_services *spec;
    uint64_t seed;
    orr_time now, started, ends;
    orr_queue *queue;
    ORR_VEC(orr_sv_service) services;
    ORR_VEC(orr_sv_variant) variants;
    ORR_VEC(orr_sv_exec) execs;       /* by id; pointers move when one is added */
    ORR_VEC(orr_sv_replica) replicas;
    ORR_VEC(orr_exec_id) touched;
    ORR_VEC(orr_service_id) due;
    orr_ctx *seats[ORR_SEATS];        /* who sits there; NULL: the default */
    ORR_VEC(orr_ctx *) modules;       /* all that were named, in order */
    const orr_batcher *batcher;       /* their tables; NULL */
    const orr_dropper *dropper;
    const orr_selector *selector;
    const orr_router *router;
    const orr_scaler *scaler;
    const orr_cache *cache;
    const orr_serve *serve;
    uint32_t service_priv, replica_priv, req_priv; /* bytes, of all seats together */
    bool preempts, tells_rates;       /* some module stops batches; some listens to events */
    bool loads_itself;                /* some module loads weights: none come on demand */
    bool begun;                       /* modules are initialised: what is made now isn't there from the beginning */
    struct orr_sv_store *store;       /* NULL: weights aren't modelled */
    bool decide;                      /* `decide` is due */
    bool controlling;                 /* inside `want` or `decide`: replicas may be changed */
    orr_time scale_period, decide_period;
    size_t periodic;                  /* events of periods and markets in the queue */
    size_t asked_for;                 /* timers, wakes, and the ends of patience in it */
    bool forming;                     /* inside `form`: what may be done differs */
    orr_exec_id form_exec;
    struct orr_sv_journeys *journeys; /* requests that have parts elsewhere; NULL: no service asks another */
    struct orr_sv_fans *fans;         /* those that several variants answer; NULL: none yet */
    struct orr_sv_sends *sends;       /* what is on the way; NULL: nothing yet */
    struct orr_sv_calls *calls;       /* remote ones under way */
    size_t markets_due;               /* events of markets in the queue */
    orr_serving_sink sink;
    uint64_t events, batches, forms, violations;
    int64_t milli_held;               /* thousandths of GPUs that executors hold, of nodes that are for jobs as well */
    orr_text text;                    /* the policies as resolved */
};

/* ---- setup.c ---- */
/* `text`: modules joined by '+', each NAME[:PRESET][,KNOB=VALUE…]; "" or NULL: no policy. Executors are placed at once.
 * NULL and `e`. */
orr_serving *orr_serving_create(orr_world *world, const orr_services *services, const orr_registry *registry,
                                const char *text, const orr_serving_sink *sink, orr_error *e);
void orr_serving_destroy(orr_serving *s); /* takes NULL */
/* seats.c */
orr_err orr_serving_seat(orr_serving *s, const orr_registry *registry, const char *text, orr_error *e);
bool orr_serving_is_eager(const orr_serving *s, const orr_sv_service *service);

/* ---- run.c: the loop ---- */
orr_time orr_serving_next(orr_serving *s);                /* when something happens next; ORR_TIME_MAX */
void orr_serving_run(orr_serving *s, orr_time until);     /* all instants before `until` */
void orr_serving_begin(orr_serving *s, orr_time at);      /* of the instant `at`: what ends */
void orr_serving_finish(orr_serving *s, orr_time at);     /* the rest of it */
void orr_serving_close(orr_serving *s, orr_time at);      /* the run stops: what is in flight is counted */
/* An illegal decision: counted, and the end of the run unless violations are skipped. */
void orr_serving_violation(orr_serving *s, orr_err code, const char *fmt, ...) ORR_PRINTF(3, 4);
void orr_serving_touch(orr_serving *s, orr_exec_id exec); /* `form` is asked at the end of the instant */
/* Asks it at `at` again, if that is earlier than what it waits for. */
void orr_serving_wake(orr_serving *s, orr_exec_id exec, orr_time at);

/* ---- control.c: scalers, `decide`, timers ---- */
void orr_serving_control(orr_serving *s);  /* at the end of an instant, where something asks for it */
void orr_serving_dispatch_more(orr_serving *s, const orr_queued *event);
void orr_serving_control_begin(orr_serving *s); /* periods are set going */
bool orr_serving_goes_on(orr_serving *s); /* something is still to come, besides periods */
bool orr_serving_expects(orr_serving *s); /* a request that waits, or one that comes */
void orr_serving_switch(orr_serving *s, orr_sv_service *service, orr_variant_id to);
orr_err orr_serving_replica_ask(orr_serving *s, const orr_replica_ask *ask, orr_replica_id *out);
/* Is that an executor: whole GPUs, or a part of one? 0: not said, one whole GPU. */
static inline bool orr_serving_sized(int32_t milli, int32_t gpus)
{
    return milli >= 0 && milli <= ORR_WHOLE_GPU && gpus >= 0 && gpus <= 64 &&
           (gpus <= 1 || milli == 0 || milli == ORR_WHOLE_GPU);
}

/* ---- arrive.c: from sources to queues ---- */
/* Requests of a lagging service that have come by `now` are queued. */
void orr_serving_catch_up(orr_serving *s, orr_sv_service *service);
void orr_serving_arrivals(orr_serving *s, orr_sv_service *service); /* its ARRIVE event */
/* The event of its next arrival, where somebody would see it. */
void orr_serving_arm(orr_serving *s, orr_sv_service *service);
/* When its n-th request from now on arrives (n >= 1), by looking ahead; ORR_TIME_MAX. */
orr_time orr_serving_look(orr_serving *s, orr_sv_service *service, uint32_t n);
/* A request enters a service now: from its source, or from another service. The record is complete but for routing. */
void orr_serving_enter(orr_serving *s, orr_sv_service *service, uint8_t *record);
/* The same for one variant that was chosen: the cache, the router, and the queue. */
void orr_serving_member(orr_serving *s, orr_sv_service *service, uint8_t *record, orr_variant_id variant);
/* one that another service asks arrives */
void orr_serving_come(orr_serving *s, orr_sv_service *service, uint8_t *record);
/* A router's answer, checked: a replica of the service that can take it, or the default. */
orr_dest orr_serving_routed(orr_serving *s, const orr_sv_service *service, orr_dest dest);
void orr_serving_came(orr_serving *s, orr_sv_service *service, orr_time at); /* one more has arrived: counted */
void orr_serving_expire(orr_serving *s, orr_sv_queue *q); /* clients whose patience is over by now leave it */
void orr_serving_leave(orr_serving *s, orr_sv_service *service); /* its LEAVE event */
/* Puts a record into a queue, and touches who may take it. */
void orr_serving_enqueue(orr_serving *s, uint8_t *record, orr_dest dest);
/* One whose batch didn't end goes to the head of its variant's central queue. */
void orr_serving_back(orr_serving *s, orr_sv_service *service, uint8_t *record, orr_variant_id variant);
orr_sv_queue *orr_serving_queue(orr_serving *s, orr_dest dest);

/* ---- lines.c: one queue ---- */
void orr_sv_push(orr_sv_queue *q, const uint8_t *record, double key);
void orr_sv_push_front(orr_sv_queue *q, const uint8_t *record, double key);
void orr_sv_pop(orr_sv_queue *q, uint8_t *out); /* out NULL: gone */
void orr_sv_remove(orr_sv_queue *q, uint32_t i); /* the i-th in the order in which they leave */
static inline uint8_t *orr_sv_head(const orr_sv_queue *q)
{
    return q->n ? q->at + (size_t)q->head * q->stride : NULL;
}
uint8_t *orr_sv_nth(orr_sv_queue *q, uint32_t i);
void orr_sv_queue_fini(orr_sv_queue *q);
double orr_serving_key(orr_serving *s, const orr_sv_service *service, const orr_req *req);

/* ---- form.c: batches; iter.h: sets that make tokens ---- */
void orr_serving_form(orr_serving *s, orr_exec_id exec);
void orr_serving_batch_done(orr_serving *s, orr_exec_id exec, uint32_t slot);
/* Its batch is lost: requests go back to the head of their queue, or are dropped as LOST. */
void orr_serving_batch_lost(orr_serving *s, orr_exec_id exec, uint32_t slot);

/* ---- finish.c: the last word on a request ---- */
void orr_serving_answer(orr_serving *s, orr_sv_service *service, orr_variant_id variant, const uint8_t *record,
                        orr_time start, int32_t batch, orr_exec_id exec);
void orr_serving_drop(orr_serving *s, orr_sv_service *service, const uint8_t *record, orr_drop_why why);
/* at <= now */
void orr_serving_drop_at(orr_serving *s, orr_sv_service *service, const uint8_t *record, orr_drop_why why, orr_time at);

/* ---- market.c: machines that are bought ---- */
void orr_serving_market_begin(orr_serving *s, orr_exec_id exec); /* its life is drawn */
void orr_serving_market_end(orr_serving *s, orr_exec_id exec);   /* it was given back */
void orr_serving_market_event(orr_serving *s, orr_exec_id exec); /* notice, or the end */
void orr_serving_rouse(orr_serving *s, orr_variant_id variant);  /* requests came back to its central queue */

/* ---- calls.c: answers bought by the call ---- */
bool orr_serving_sold(const orr_variant *variant); /* may it be called? */
void orr_serving_call(orr_serving *s, const uint8_t *record, orr_variant_id variant);
void orr_serving_call_done(orr_serving *s, uint64_t cookie);
void orr_serving_calls_destroy(struct orr_sv_calls *c); /* takes NULL */

/* ---- query.c ---- */
/* Does the module declare as much? If not, that is a breach. What was used is remembered. */
bool orr_serving_may_use(orr_ctx *ctx, orr_serve_quantity q, orr_know level);

/* ---- rates.c: arrivals in the past ---- */
struct orr_sv_rates *orr_serving_rates_create(void);
void orr_serving_rates_destroy(struct orr_sv_rates *r); /* takes NULL */
bool orr_serving_rates_wanted(const orr_serving *s);    /* a module declares that it knows them */
void orr_serving_rates_came(struct orr_sv_rates *r, orr_time at); /* `at` never goes back */
uint64_t orr_serving_rates_count(const struct orr_sv_rates *r, orr_time now, orr_time window);
uint64_t orr_serving_rates_most(const struct orr_sv_rates *r, orr_time now, orr_time window, orr_time width);

/* ---- replicas.c ---- */
void orr_serving_exec_drop(orr_serving *s, orr_exec_id exec); /* nothing lives on it */
orr_err orr_serving_exec_add(orr_serving *s, const orr_exec_ask *ask, int32_t node, orr_exec_id *out);
orr_replica_id orr_serving_replica_add(orr_serving *s, orr_variant_id variant, orr_exec_id exec, bool at_once);
void orr_serving_phase_done(orr_serving *s, orr_replica_id replica);
void orr_serving_phase(orr_serving *s, orr_sv_replica *r, orr_phase phase); /* all changes of it */
void orr_serving_ready(orr_serving *s, orr_replica_id replica);
const orr_exec_profile *orr_serving_profile(const orr_serving *s, const orr_variant *v, int32_t type, int32_t milli,
                                            int32_t gpus);
void orr_serving_replica_drain(orr_serving *s, orr_replica_id replica);
/* Nothing of it runs: it goes, and its executor with the last. */
void orr_serving_replica_rest(orr_serving *s, orr_replica_id replica);
void orr_serving_tell(orr_serving *s, const orr_serve_event *event);
void orr_serving_idle(orr_serving *s, orr_sv_exec *e, bool idle); /* for the variants that it could take from */
bool orr_serving_takes(const orr_sv_exec *e, orr_time now);       /* a slot is free */

static inline orr_sv_service *orr_sv_service_of(orr_serving *s, orr_variant_id variant)
{
    return &s->services.at[s->variants.at[variant].service];
}
/* ns that a batch has kept its slot busy by `now`; of a pipeline, whose stages work for several, the mean of them once
 * it has ended. */
static inline double orr_sv_used(const orr_sv_exec *e, const orr_sv_slot *slot, orr_time now)
{
    if (e->stages > 1)
        return now < slot->end ? 0 : slot->whole * 1e9 / e->stages;
    return (double)(now - slot->start);
}
/* Of a draw for one request. The seed must not be joined to the number as it is: neighbouring seeds would have the same
 * draws, in another order. */
static inline uint64_t orr_sv_key(const orr_sv_service *service, uint64_t number, uint64_t purpose)
{
    return orr_mix64(service->key ^ (purpose << 56) ^ number);
}

#endif
