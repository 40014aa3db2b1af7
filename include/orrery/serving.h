/* What comes of serving: counts and distributions by service, and a sink for single requests and batches.
 *
 * At any time, for each service: arrived = answered (late ones too) + dropped + in flight. Requests that arrived before
 * the scenario's warm-up are served and counted in `warm_up` alone.
 */
#ifndef ORRERY_SERVING_H
#define ORRERY_SERVING_H

#include <orrery/serve.h>

typedef struct orr_serving orr_serving;

typedef struct orr_service_counts {
    uint64_t arrived, answered, late, in_flight; /* measured ones; late: of those answered, after their deadlines */
    uint64_t dropped[ORR_DROP_KINDS];
    uint64_t warm_up;                 /* arrived before it ended */
    uint64_t batches, batched;        /* batched: requests in them */
    uint64_t hits;                    /* of the result cache */
    uint64_t remote;                  /* bought by the call */
    uint64_t joined;                  /* that waited for an answer of the cache which was being worked out */
    /* copies of requests that several variants answer; the rest are in flight */
    uint64_t members, members_answered, members_dropped;
    uint64_t rated, correct;          /* answers whose correctness is known */
    uint64_t cold;                    /* answers by an executor to which the weights came after the request */
    uint64_t loads, evictions;        /* of its weights, the whole run; not those that were there from the beginning */
    double accuracy_sum;              /* of the variants that answered */
    double waited;                    /* request-seconds in queues, of those that left them */
    double present;                   /* request-seconds from arrival until the answer or the drop */
    double cost;                      /* of remote calls, money */
    uint64_t tokens_in, tokens_out;
} orr_service_counts;

/* How a measured request went. */
typedef struct orr_request_record {
    orr_service_id service;
    orr_variant_id variant; /* -1: it was dropped before one was chosen */
    orr_exec_id exec;       /* -1: none */
    uint32_t number;
    uint8_t class_;
    bool answered, late, measured;
    orr_drop_why why;       /* where it isn't answered */
    orr_time arrival, start, end; /* start: its batch; ORR_TIME_NONE: it had none */
    orr_time deadline;
    int32_t batch;          /* size */
} orr_request_record;

typedef struct orr_serving_sink {
    void *self;
    void (*request)(void *self, const orr_request_record *record);
    void (*batch)(void *self, const orr_batch_run *batch);
    void (*event)(void *self, orr_time at, const orr_serve_event *event);
} orr_serving_sink;

typedef enum orr_serving_time {
    ORR_SERVING_LATENCY, /* arrival to answer, of those answered */
    ORR_SERVING_ALL,     /* the same of all that arrived: without an answer it is more than any; NaN there */
    ORR_SERVING_WAIT,    /* until their batch began */
    ORR_SERVING_TTFT,    /* to the first token */
    ORR_SERVING_TPOT,    /* per token after it */
    ORR_SERVING_TIMES
} orr_serving_time;

ORR_BEGIN

ORR_API const orr_services *orr_serving_services(const orr_serving *serving);
ORR_API orr_service_counts orr_serving_count(const orr_serving *serving, orr_service_id service); /* -1: of all */
/* Seconds; q in 0..1, to 1 part in 128; NaN: none. */
ORR_API double orr_serving_quantile(const orr_serving *serving, orr_service_id service, orr_serving_time what,
                                    double q);
ORR_API double orr_serving_mean(const orr_serving *serving, orr_service_id service, orr_serving_time what);
/* How many the distribution is of: ALL that had their last word; the others are of those answered that have such a
 * time. */
ORR_API uint64_t orr_serving_samples(const orr_serving *serving, orr_service_id service, orr_serving_time what);
ORR_API double orr_serving_most(const orr_serving *serving, orr_service_id service, orr_serving_time what);
/* batches of that size; sizes from 128 on are counted in parts of 1 in 128 */
ORR_API uint64_t orr_serving_batch_size(const orr_serving *serving, orr_service_id service, int32_t size);
/* Executors: slot-seconds in which batches ran, that there were, and GPU-seconds held. */
ORR_API void orr_serving_use(const orr_serving *serving, double *busy, double *there, double *gpu_seconds);
/* Channels of weights, seconds: in use, and that there were. False: weights aren't modelled. */
ORR_API bool orr_serving_weights(const orr_serving *serving, double *busy, double *there);
/* of machines at their markets' prices, and remote calls */
ORR_API double orr_serving_cost(const orr_serving *serving);
/* Nodes lent to jobs: `interrupted` are the jobs that were on them when they were due; `node_seconds` lent so far. */
typedef struct orr_loans {
    uint64_t loans, returns, interrupted;
    double node_seconds;
} orr_loans;
ORR_API orr_loans orr_serving_loans(const orr_serving *serving);
ORR_API uint64_t orr_serving_events(const orr_serving *serving);
/* "aimd,add=1,back_off=0.9+mark,…"; "" : none. */
ORR_API const char *orr_serving_resolved(const orr_serving *serving);

ORR_END
#endif
