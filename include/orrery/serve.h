/* What the writer of a serving policy reads: seats, what they are asked, and what they may ask and do.
 *
 * A serving policy decides how requests are batched, dropped, routed, answered by which variant, and how many replicas
 * there are. Each of these is a seat with a kind of module of its own; `serve` is the kind that may fill several and
 * plan as well.
 *
 *     ORR_BATCHER(pairs) = {.summary = "two at a time", .form = form};
 *     static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f) { if (f->take > 2) f->take = 2; }
 *
 * Everything is optional: what a seat is asked arrives filled in with the default, and it changes what it decides.
 * Without any policy requests are served in the order of their arrival, one at a time, by whichever executor is free;
 * nothing is dropped, routed or scaled. Memory (state, by service, by replica, by request) is the engine's, zeroed and
 * freed with its owner.
 *
 * An op that has to see each arrival (on_arrive, admit, select, route, a keyed queue, a result cache) makes its
 * services eager: an event a request. Without one, arrivals of a service are caught up with in bulk before anyone looks
 * at its queue. Results are the same.
 *
 * Inside an instant: batches end, replicas come and go; then arrivals by (service, number); then timers; then
 * `want` and `decide`; then idle executors are asked what they run next, by index. Ids are indices: of services by the
 * rank of their names, of variants by service and place, of executors and replicas in the order in which they were
 * made; -1 is none.
 *
 * Believed is not true: execution times are those of the profiles without noise (level PROFILED), or what was measured.
 * An illegal decision has no effect, is counted, and ends the run by its name (exit 76) unless violations are skipped.
 */
#ifndef ORRERY_SERVE_H
#define ORRERY_SERVE_H

#include <orrery/policy.h>
#include <orrery/services.h>

typedef int32_t orr_service_id, orr_variant_id, orr_exec_id, orr_replica_id;

/* What is known of serving; indices of `know` in the heads of these kinds. */
typedef enum orr_serve_quantity {
    /* how long batches take: PROFILED the user's profiles, OBSERVED own batches that ended, ORACLE this batch's true
     * time */
    ORR_SQ_EXEC,
    ORR_SQ_SLOWDOWN, /* what neighbours do to each other */
    ORR_SQ_LOAD,     /* how long loading weights or starting takes */
    ORR_SQ_RATE,     /* arrivals: OBSERVED those that came; ORACLE the source's own rate */
    ORR_SQ_ACCURACY, /* of variants: DECLARED */
    ORR_SQ_CORRECT,  /* whether an answer was right: OBSERVED once it was given */
    ORR_SQ_TOKENS,   /* how many a request will produce: ORACLE; its prompt is seen by all */
    ORR_SQ_MARKET,   /* when a bought machine is taken away: OBSERVED past ones */
    ORR_SQ_COUNT
} orr_serve_quantity;

/* ---- requests and batches ---------------------------------------------------------------------------------------- */

typedef struct orr_req {
    orr_time arrival;
    orr_time deadline; /* ORR_TIME_MAX: none */
    uint32_t number;   /* in its service, from 0 in the order of arrival */
    uint8_t class_;    /* SLO class of its service */
    uint8_t tries;     /* batches that it was in and that were lost */
    uint16_t flags;    /* the engine's */
} orr_req;

/* Where requests wait: centrally for a variant, or at one replica. */
typedef struct orr_dest {
    orr_variant_id variant;
    orr_replica_id replica; /* -1: in the variant's central queue */
    bool remote;            /* bought by the call (serverless): answered after the variant's `call`, at its `cost` */
} orr_dest;

typedef enum orr_drop_why {
    ORR_DROP_REFUSED, /* by `admit` */
    ORR_DROP_FULL,    /* the queue's bound */
    ORR_DROP_SHED,    /* by `shed` or orr_req_drop */
    ORR_DROP_EXPIRED, /* by `form`: its deadline can't be met */
    ORR_DROP_TIMEOUT, /* its client left */
    ORR_DROP_LOST,    /* its batch was lost too often, or nothing is left that could serve it */
    ORR_DROP_KINDS
} orr_drop_why;

/* What runs next on a free slot. */
typedef struct orr_form {
    orr_service_id service;
    orr_variant_id variant;
    orr_replica_id replica;  /* which of the executor's; may be changed to another one that has requests */
    int32_t waiting;         /* in the queue it takes from */
    int32_t take;            /* filled in with min(waiting, max_batch); 0: nothing now */
    int32_t drop;            /* first so many heads are dropped, as EXPIRED */
    const orr_req *head;     /* the oldest; NULL where none waits */
    bool central;            /* it takes from the variant's central queue, not the replica's own */
    int32_t until_op;        /* run operators up to this one only (OPS); 0: all */
    int32_t wait_for;        /* set by orr_form_wait */
    orr_time wait_until;
} orr_form;

typedef struct orr_batch_run {
    orr_service_id service;
    orr_variant_id variant;
    orr_replica_id replica;
    orr_exec_id exec_id;
    int32_t size, late;  /* late: of them answered after their deadlines */
    orr_time start, end;
    orr_time exec;       /* end - start */
    orr_time slo;        /* of the service's first class */
    const void *reqs;    /* see orr_batch_request */
} orr_batch_run;

typedef struct orr_answer {
    orr_service_id service;
    orr_variant_id variant; /* who gave it */
    const orr_req *req;
    orr_time latency;
    bool late;
    int8_t correct;  /* 1, 0; -1: accuracy isn't stated, or ORR_SQ_CORRECT not declared */
    int32_t asked, came; /* members of its fan-out, and those that had answered */
} orr_answer;

/* To which variants a request goes. */
enum { ORR_FAN_MOST = 16 };
typedef struct orr_fan {
    int32_t count;   /* filled in with 1 and the current variant */
    orr_variant_id variants[ORR_FAN_MOST];
    double weights[ORR_FAN_MOST]; /* of their votes; filled in with 1 */
    int32_t need;    /* answered when so many have; 0: all */
    /* then with those that came, if any; filled in with the deadline, or now where that has passed */
    orr_time answer_by;
} orr_fan;

/* The next iteration of a replica that works by tokens: how its membership changes. Asked when a set begins, when a
 * member's prompt is done or a member has gone, when something new waits, and at the first iteration after
 * orr_exec_wake; not while the same members go on making tokens. Without a `step`, `form` says with how many a set
 * begins, and none joins it until all are answered. */
typedef struct orr_step {
    orr_replica_id replica;
    int32_t running, waiting; /* waiting: in the queue that is taken from */
    int64_t kv_used, kv_most; /* tokens that members hold, and that fit; 0: no limit */
    int32_t admit;  /* filled in with how many heads fit into memory and max_batch; may be less */
    int64_t chunk;  /* prompt tokens in an iteration at most, from now on; 0: no limit; filled in with the profile's */
    int32_t evict;  /* so many of the newest go back to the queue's head; then none is admitted */
} orr_step;

/* How many replicas there should be. */
enum { ORR_WANT_MOST = 32 };
typedef struct orr_want_row {
    orr_variant_id variant;
    int32_t type;       /* GPU type; -1: any */
    int32_t market;     /* -1: what is there */
    int32_t milli, gpus;
    const char *slice;  /* a MIG instance; NULL: no matter */
    int32_t count;
} orr_want_row;
typedef struct orr_want {
    int32_t count;      /* filled in with what exists, starting ones included, draining ones not */
    orr_want_row rows[ORR_WANT_MOST];
    orr_variant_id current; /* the variant that requests of the service go to */
} orr_want;

typedef enum orr_serve_event_kind {
    ORR_SE_REPLICA,  /* a replica is ready, or gone */
    ORR_SE_LOADED,   /* weights have come to an executor */
    ORR_SE_EVICTED,
    /* requests wait for a variant that is ready or coming nowhere; with a replica: at this one, which is COLD */
    ORR_SE_MISSED,
    ORR_SE_SLOWED,   /* an executor's neighbours changed: its rate */
    ORR_SE_NOTICE,   /* an executor will be taken away at `due` */
    ORR_SE_TAKEN,    /* it was */
    ORR_SE_LOANED, ORR_SE_RETURNED, /* a node went to jobs, or came back */
    ORR_SE_KINDS
} orr_serve_event_kind;

typedef enum orr_phase {
    ORR_PHASE_MACHINE, ORR_PHASE_CONTAINER,
    ORR_PHASE_LOADING,  /* its weights come, or wait for the channel */
    ORR_PHASE_READY,
    ORR_PHASE_COLD,     /* its weights aren't on its executor, and don't come: none of its batches runs */
    ORR_PHASE_DRAINING, /* takes no more; goes when its batch has ended */
    ORR_PHASE_GONE
} orr_phase;

/* Why an executor was taken away, or the replica on it is gone. */
typedef enum orr_gone_why {
    ORR_GONE_DRAINED, /* nobody took it */
    ORR_GONE_MARKET,  /* its machine was bought for a time */
    ORR_GONE_LOST     /* its node or a GPU of it has failed */
} orr_gone_why;

typedef struct orr_serve_event {
    orr_serve_event_kind kind;
    orr_service_id service;
    orr_variant_id variant;
    orr_replica_id replica;
    orr_exec_id exec;
    int32_t node;
    orr_phase phase;
    orr_gone_why why; /* TAKEN; REPLICA with phase GONE */
    double value; /* SLOWED: rate */
    orr_time due;
} orr_serve_event;

/* ---- the kinds --------------------------------------------------------------------------------------------------- */

typedef enum orr_queue_order {
    ORR_QUEUE_FIFO, ORR_QUEUE_EDF, ORR_QUEUE_PRIORITY, ORR_QUEUE_FAIR, ORR_QUEUE_KEYED
} orr_queue_order;

#define ORR_SERVE_HEAD                                                                                                 \
    ORR_HEAD;               /* know[]: by orr_serve_quantity; job_size 0 */                                            \
    uint32_t service_priv, replica_priv, req_priv; /* bytes of its own memory; req_priv at most 16 */                  \
    uint32_t flags

#define ORR_SERVE_PREEMPTS 2u    /* it may stop batches: by orr_batch_preempt, or by `until_op` of a form */
#define ORR_SERVE_LENDS 4u       /* it may lend nodes to jobs */
#define ORR_SERVE_LOADS 8u       /* it loads and evicts weights: none come on demand */
#define ORR_BATCHER_ASK_EMPTY 1u /* `form` is asked of an idle executor also when nothing waits */

typedef struct orr_batcher {
    ORR_SERVE_HEAD;
    uint32_t order;                                            /* orr_queue_order */
    double (*key)(orr_ctx *ctx, orr_service_id service, const orr_req *req); /* KEYED: asked once, least first */
    void (*on_arrive)(orr_ctx *ctx, const orr_req *req, orr_dest dest);      /* it was just queued */
    void (*form)(orr_ctx *ctx, orr_exec_id exec, orr_form *form);            /* NULL: one at a time */
    void (*step)(orr_ctx *ctx, orr_exec_id exec, orr_step *step);
    void (*on_done)(orr_ctx *ctx, const orr_batch_run *batch);
} orr_batcher;

typedef struct orr_dropper {
    ORR_SERVE_HEAD;
    /* after routing; NULL: yes */
    bool (*admit)(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_dest dest);
    /* so many heads go first; then `form` is asked anew */
    int32_t (*shed)(orr_ctx *ctx, orr_exec_id exec, const orr_form *form);
} orr_dropper;

typedef struct orr_selector {
    ORR_SERVE_HEAD;
    void (*select)(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan);
    void (*on_answer)(orr_ctx *ctx, const orr_answer *answer); /* of each member, as it comes */
} orr_selector;

typedef struct orr_router {
    ORR_SERVE_HEAD;
    orr_dest (*route)(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant);
} orr_router;

typedef struct orr_scaler {
    ORR_SERVE_HEAD;
    const char *period; /* how often `want` is asked of each service, "1s"; a knob `period` wins */
    void (*want)(orr_ctx *ctx, orr_service_id service, orr_want *want);
    void (*on_event)(orr_ctx *ctx, const orr_serve_event *event);
} orr_scaler;

typedef struct orr_item { /* of a result cache */
    orr_service_id service;
    orr_variant_id variant;
    uint64_t input;
    int64_t bytes;
    double saves; /* seconds a hit saves */
} orr_item;

#define ORR_CACHE_CLOCK 1u /* second chance instead of LRU */

typedef struct orr_cache {
    ORR_SERVE_HEAD;
    bool (*admit)(orr_ctx *ctx, const orr_item *item);               /* NULL: all */
    /* at insertion and at each hit; the least goes; NULL: LRU */
    double (*score)(orr_ctx *ctx, const orr_item *item, uint64_t hits);
    void (*on_evict)(orr_ctx *ctx, const orr_item *item, double score);
} orr_cache;

/* Several seats in one, and decisions on replicas. */
typedef struct orr_serve {
    ORR_SERVE_HEAD;
    /* the seats it brings; their heads but the summary are not used: all share its knobs and memory */
    const orr_batcher *batcher;
    const orr_dropper *dropper;
    const orr_selector *selector;
    const orr_router *router;
    const orr_scaler *scaler;
    const orr_cache *cache;
    uint32_t owns;              /* 1 << orr_serve_seat: may not be replaced */
    const char *period;         /* `decide` at least so often while requests come; NULL: after events only */
    orr_err (*init)(orr_ctx *ctx);
    void (*on_event)(orr_ctx *ctx, const orr_serve_event *event);
    void (*on_timer)(orr_ctx *ctx, uint64_t cookie);
    orr_err (*decide)(orr_ctx *ctx);
} orr_serve;

typedef enum orr_serve_seat {
    ORR_SEAT_BATCHER,
    ORR_SEAT_DROPPER,
    ORR_SEAT_SELECTOR,
    ORR_SEAT_ROUTER,
    ORR_SEAT_SCALER,
    ORR_SEAT_CACHE,
    ORR_SEAT_SERVE,
    ORR_SEATS
} orr_serve_seat;

#define ORR_BATCHER(ident) ORR_MODULE_(serve, ident, orr_batcher, ORR_KIND_BATCHER)
#define ORR_DROPPER(ident) ORR_MODULE_(serve, ident, orr_dropper, ORR_KIND_DROPPER)
#define ORR_SELECTOR(ident) ORR_MODULE_(serve, ident, orr_selector, ORR_KIND_SELECTOR)
#define ORR_ROUTER(ident) ORR_MODULE_(serve, ident, orr_router, ORR_KIND_ROUTER)
#define ORR_SCALER(ident) ORR_MODULE_(serve, ident, orr_scaler, ORR_KIND_SCALER)
#define ORR_CACHE(ident) ORR_MODULE_(serve, ident, orr_cache, ORR_KIND_CACHE)
#define ORR_SERVE(ident) ORR_MODULE_(serve, ident, orr_serve, ORR_KIND_SERVE)

ORR_BEGIN

ORR_API const char *orr_serve_quantity_name(orr_serve_quantity quantity);

/* ---- what there is ----------------------------------------------------------------------------------------------- */
ORR_API orr_time orr_serve_now(const orr_ctx *ctx);
ORR_API int32_t orr_services_count(const orr_ctx *ctx);
ORR_API const orr_service *orr_service_of(const orr_ctx *ctx, orr_service_id service); /* what was stated of it */
/* its variants lie in a row */
ORR_API orr_variant_id orr_service_variant(const orr_ctx *ctx, orr_service_id service, int32_t place);
ORR_API orr_service_id orr_variant_service(const orr_ctx *ctx, orr_variant_id variant);
ORR_API const orr_variant *orr_variant_of(const orr_ctx *ctx, orr_variant_id variant);
ORR_API orr_variant_id orr_service_current(const orr_ctx *ctx, orr_service_id service);

ORR_API int32_t orr_execs_count(const orr_ctx *ctx); /* that were ever made */
ORR_API bool orr_exec_alive(const orr_ctx *ctx, orr_exec_id exec);
/* returns how many */
ORR_API int32_t orr_exec_replicas(const orr_ctx *ctx, orr_exec_id exec, orr_replica_id *out, int32_t n);
ORR_API int32_t orr_exec_node(const orr_ctx *ctx, orr_exec_id exec);
ORR_API int32_t orr_exec_type(const orr_ctx *ctx, orr_exec_id exec); /* GPU type */
ORR_API int32_t orr_exec_market(const orr_ctx *ctx, orr_exec_id exec); /* -1: none */
/* When it will be taken away, if that was told; ORR_TIME_MAX. */
ORR_API orr_time orr_exec_until(const orr_ctx *ctx, orr_exec_id exec);
ORR_API int32_t orr_exec_milli(const orr_ctx *ctx, orr_exec_id exec); /* its share of a GPU, thousandths */
/* The MIG instance that it is, "3g" (orrery/mig.h); NULL: none. */
ORR_API const char *orr_exec_slice(const orr_ctx *ctx, orr_exec_id exec);
ORR_API uint64_t orr_exec_mask(const orr_ctx *ctx, orr_exec_id exec); /* its GPUs of its node, as bits */
ORR_API int32_t orr_exec_busy(const orr_ctx *ctx, orr_exec_id exec); /* slots in use */
ORR_API orr_exec_id orr_replica_exec(const orr_ctx *ctx, orr_replica_id replica);
ORR_API orr_variant_id orr_replica_variant(const orr_ctx *ctx, orr_replica_id replica);
ORR_API orr_phase orr_replica_phase(const orr_ctx *ctx, orr_replica_id replica);
/* Replicas of a variant that aren't gone, by index; borrowed until the next event. */
ORR_API int32_t orr_variant_replicas(const orr_ctx *ctx, orr_variant_id variant, const orr_replica_id **out);
ORR_API void *orr_service_priv(orr_ctx *ctx, orr_service_id service);
ORR_API void *orr_replica_priv(orr_ctx *ctx, orr_replica_id replica);
ORR_API void *orr_req_priv(orr_ctx *ctx, orr_service_id service, const orr_req *req);

/* ---- queues: `dest` says which ----------------------------------------------------------------------------------- */
ORR_API int32_t orr_dest_waiting(orr_ctx *ctx, orr_dest dest);
/* in the order in which they leave; FIFO: O(1), else O(n log n) once a change; NULL: none */
ORR_API const orr_req *orr_dest_at(orr_ctx *ctx, orr_dest dest, int32_t i);
ORR_API orr_time orr_dest_deadline(orr_ctx *ctx, orr_dest dest); /* earliest; ORR_TIME_MAX */
ORR_API orr_dest orr_form_dest(const orr_form *form); /* where it takes from */

/* ---- requests ---------------------------------------------------------------------------------------------------- */
ORR_API const orr_req *orr_batch_request(const orr_ctx *ctx, const orr_batch_run *batch, int32_t i);
ORR_API int64_t orr_req_tokens_in(orr_ctx *ctx, orr_service_id service, const orr_req *req);  /* 0: none stated */
/* ORACLE of ORR_SQ_TOKENS */
ORR_API int64_t orr_req_tokens_out(orr_ctx *ctx, orr_service_id service, const orr_req *req);
/* what it asks; its own number where none is like another */
ORR_API uint64_t orr_req_input(const orr_ctx *ctx, orr_service_id service, const orr_req *req);

/* ---- what is believed -------------------------------------------------------------------------------------------- */
/* Seconds of a batch on an executor as profiled, beside those that live there now; NaN: it can't run it. ORR_SQ_EXEC.
 * O(1). */
ORR_API double orr_exec_time(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch);
/* The same on a GPU type (-1: any), a share of it, a number of GPUs, alone. */
ORR_API double orr_variant_time(orr_ctx *ctx, orr_variant_id variant, int32_t type, int32_t milli, int32_t gpus,
                                int32_t batch);
/* Seconds of one stage of it; stage_count in *stages (1 where it is no pipeline). */
ORR_API double orr_exec_stage_time(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch, int32_t stage,
                                   int32_t *stages);
/* The largest batch <= `most` that takes at most `budget` there, whether times grow with it or not; 0: none. O(most).
 */
ORR_API int32_t orr_batch_fit(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, orr_time budget, int32_t most);
ORR_API orr_time orr_exec_free_at(orr_ctx *ctx, orr_exec_id exec); /* believed: when a slot is free; now if one is */
/* Measured: requests of a service that came in (now - window, now], window <= 10 min in steps of 10 ms; a second's rate
 * is that / window. The largest number in any `bin` within the window. */
ORR_API uint64_t orr_arrived(orr_ctx *ctx, orr_service_id service, orr_time window);
ORR_API uint64_t orr_arrived_most(orr_ctx *ctx, orr_service_id service, orr_time window, orr_time bin);
/* ORACLE of ORR_SQ_RATE: the source's present rate */
ORR_API double orr_source_rate(orr_ctx *ctx, orr_service_id service);
ORR_API double orr_market_price(orr_ctx *ctx, int32_t market);
/* of a GPU of a type (-1: any) and hour; INFINITY: no market sells it */
ORR_API double orr_cheapest_price(orr_ctx *ctx, int32_t type);
ORR_API int32_t orr_markets_count(const orr_ctx *ctx);
ORR_API const orr_market *orr_market_of(const orr_ctx *ctx, int32_t market);

/* A GPU type of the cluster by its name; -1: it has none such. */
ORR_API int32_t orr_serve_type(const orr_ctx *ctx, const char *name);

/* ---- what would be ----------------------------------------------------------------------------------------------- */
typedef struct orr_try_row { /* `count` replicas that run at most `batch` at once */
    orr_variant_id variant;
    int32_t type; /* -1: any */
    int32_t milli, gpus, batch, count;
} orr_try_row;
typedef struct orr_try_result {
    uint64_t arrived, answered, in_time;
    double mean, p50, p99; /* seconds, from end to end; p50, p99 of all, NaN: more than that weren't answered */
} orr_try_result;
/* What these replicas would make of arrivals (ascending) at `root` and all that it asks, on an empty cluster: a
 * simulation by believed times (PROFILED of ORR_SQ_EXEC) alone, without noise, start-up, or anybody else; batches are
 * as large as what waits lets them be. NOFIT: there is no room for them. O(arrivals * stages + nodes). */
ORR_API orr_err orr_serve_try(orr_ctx *ctx, orr_service_id root, const orr_try_row *rows, int32_t n,
                              const orr_time *arrivals, size_t count, orr_try_result *out);
/* Arrivals of a service over `span` or the first `most`, drawn by its source's law, but others than those of this run:
 * what a record of another day would show. A recorded source is what it is. ORACLE of ORR_SQ_RATE. Returns how many. */
ORR_API size_t orr_serve_sample(orr_ctx *ctx, orr_service_id service, orr_time span, orr_time *out, size_t most);

/* ---- what may be done -------------------------------------------------------------------------------------------- */
/* A `form` for batches as large as what waits: it changes nothing. (Without one, requests are served one at a time.) */
ORR_API void orr_form_all(orr_ctx *ctx, orr_exec_id exec, orr_form *form);
/* Only in `form`: ask again when `n` wait or at `until`, whichever is first; the batch isn't formed now. */
ORR_API orr_err orr_form_wait(orr_ctx *ctx, orr_form *form, int32_t n, orr_time until);
/* Ask `form` of this executor at `at`, even if nothing else happens. Of several times the first counts; `form` may ask
 * anew then. */
ORR_API orr_err orr_exec_wake(orr_ctx *ctx, orr_exec_id exec, orr_time at);
/* In on_* and seats: drops the i-th waiting one. */
ORR_API orr_err orr_req_drop(orr_ctx *ctx, orr_dest from, int32_t i, orr_drop_why why);
/* n heads to another queue's tail */
ORR_API orr_err orr_queue_shift(orr_ctx *ctx, orr_dest from, int32_t n, orr_dest to);
/* The executor's running batch stops at the next operator boundary (without operators: now); its rest goes to the
 * queue's head. `redo`: from its beginning, else from there, at the scenario's cost of saving. */
ORR_API orr_err orr_batch_preempt(orr_ctx *ctx, orr_exec_id exec, bool redo);
/* Of a variant that lives there, in on_* and `decide`, with ORR_SERVE_LOADS. The memory is taken at once, and the load
 * waits for the channel; NOFIT: there isn't so much free. What is there, or comes, stays: nothing is done. */
ORR_API orr_err orr_weights_load(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant);
/* Frees the memory, also of a load that waits still. BUSY: a batch of it runs, or it is on the channel. */
ORR_API orr_err orr_weights_evict(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant);
ORR_API int64_t orr_exec_mem_free(orr_ctx *ctx, orr_exec_id exec); /* for weights, bytes; INT64_MAX: no limit */
ORR_API int32_t orr_exec_loads(orr_ctx *ctx, orr_exec_id exec);    /* that wait for the channel or go on */
/* seconds on the channel, PROFILED of ORR_SQ_LOAD */
ORR_API double orr_load_time(orr_ctx *ctx, orr_variant_id variant);
ORR_API orr_err orr_serve_timer(orr_ctx *ctx, orr_time at, uint64_t cookie);
/* In `decide` and on_*: a new replica. `on` >= 0: on that executor; else on a new one, wherever there is room on the
 * type (-1: any). */
typedef struct orr_replica_ask {
    orr_variant_id variant;
    orr_exec_id on;
    int32_t type, milli, gpus, market, slots;
    int32_t node; /* -1: any */
    /* a MIG instance, instead of `milli`; NULL: none. One that doesn't stand there takes `mig_change` */
    const char *slice;
    uint64_t gpus_at;  /* on these GPUs of `node`; 0: any */
    bool idle;         /* on a GPU that nobody holds any of */
} orr_replica_ask;
/* NOFIT: no room; LAYOUT: GPUs can't be cut so, or not now */
ORR_API orr_err orr_replica_add(orr_ctx *ctx, const orr_replica_ask *ask, orr_replica_id *out);
/* takes no more; gone when its batch has ended; then its executor, if it was the last */
ORR_API orr_err orr_replica_drain(orr_ctx *ctx, orr_replica_id replica);
ORR_API orr_err orr_replica_limit(orr_ctx *ctx, orr_replica_id replica, int32_t max_batch); /* of what it may take */
/* new requests go there */
ORR_API orr_err orr_service_switch(orr_ctx *ctx, orr_service_id service, orr_variant_id variant);
/* From now on a request's deadline at this service's own stage is its arrival there + `budget` (of a root at most its
 * own, by which its answer is still judged); 0: as the scenario states it. */
ORR_API orr_err orr_service_budget(orr_ctx *ctx, orr_service_id service, orr_time budget);

/* ---- nodes that belong to serving, and loans of them to jobs -------------------------------------------------- */
typedef enum orr_loan {
    ORR_LOAN_NOT_OURS, /* a node of all */
    ORR_LOAN_HERE,
    ORR_LOAN_LENT,
    ORR_LOAN_RECLAIMED /* lent; takes no more jobs, and comes back when it is empty or due */
} orr_loan;
typedef struct orr_borrower { /* a job on a lent node */
    uint32_t job;           /* as long as it lives no other one has this number */
    int32_t nodes, gpus;    /* that it holds, on all nodes */
    double gpu_seconds;     /* gpus * the time since it got them */
} orr_borrower;
ORR_API int32_t orr_nodes_owned(const orr_ctx *ctx, const int32_t **out); /* by index; lent ones, too */
ORR_API orr_loan orr_node_loan(const orr_ctx *ctx, int32_t node);
ORR_API bool orr_node_serves(const orr_ctx *ctx, int32_t node); /* it is here, and neither fails nor drains */
ORR_API int32_t orr_node_execs(const orr_ctx *ctx, int32_t node); /* executors on it */
/* returns how many */
ORR_API int32_t orr_node_borrowers(const orr_ctx *ctx, int32_t node, orr_borrower *out, int32_t n);
/* An idle node goes to jobs, at once. NOFIT: there is an executor on it, or it has failed. Needs ORR_SERVE_LENDS. */
ORR_API orr_err orr_node_lend(orr_ctx *ctx, int32_t node);
/* It shall be back `lead` from now on: jobs are told, none is put there any more, and it comes as soon as it is empty.
 * What is on it then is interrupted. */
ORR_API orr_err orr_node_reclaim(orr_ctx *ctx, int32_t node, orr_time lead);
/* The same of those so many that would lose least (GPU-seconds since their jobs got what they hold), by index among
 * equals. NOFIT: fewer are lent; all of these come. O(lent nodes * count + jobs on them). */
ORR_API orr_err orr_nodes_reclaim(orr_ctx *ctx, int32_t count, orr_time lead);

ORR_END
#endif
