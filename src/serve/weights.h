/* Weights on executors: what fits, what is loaded over the channel, what is put out for it.
 *
 * Where the scenario has a weight store, each executor has so much memory for weights, and an entry for each variant
 * with weights that lives on it. Memory is taken when a load is granted, so that what is free is free; loads then
 * wait for one of the executor's channels. Replicas of one variant on one executor share an entry. Of variants
 * without stated weights nothing is known here: they are always there.
 *
 * Without a policy that loads (ORR_SERVE_LOADS) weights come on demand: when requests wait for a variant that is
 * ready or coming nowhere, the executor of its replicas with the least to load gets it. It puts out what was used
 * least recently, of that which doesn't run and for which nothing waits that was there when the load was asked for:
 * so all who wait get their turn, and those of one variant together.
 */
#ifndef ORR_SERVE_WEIGHTS_H
#define ORR_SERVE_WEIGHTS_H

#include "serve/serving.h"

typedef enum orr_sv_place {
    ORR_SV_OUT,
    ORR_SV_WANTED, /* waits for memory */
    ORR_SV_QUEUED, /* has its memory, waits for the channel */
    ORR_SV_COMING,
    ORR_SV_HERE
} orr_sv_place;

typedef struct orr_sv_weight {
    orr_variant_id variant;
    orr_sv_place place;
    int32_t replicas;   /* that live here */
    int64_t bytes;      /* in whole pages */
    orr_time takes;     /* a load */
    orr_time since;     /* wanted, coming, or here */
    uint64_t used;      /* greater: later */
    orr_event_id event; /* COMING */
} orr_sv_weight;

struct orr_sv_weights {
    int64_t capacity, free;
    ORR_VEC(orr_sv_weight) of;
    ORR_VEC(int32_t) wanted, queued; /* places in `of`, who came first in front */
    int32_t going;
    uint64_t uses;
    double channel_ns;
};

/* Of the whole serving. */
struct orr_sv_store {
    ORR_VEC(orr_dest) missed; /* for whom requests wait, since this instant; replica -1: for any of the variant's */
};

struct orr_sv_store *orr_serving_store_create(const orr_services *spec);    /* NULL: weights aren't modelled */
void orr_serving_store_destroy(struct orr_sv_store *store);                 /* takes NULL */
orr_time orr_serving_load_time(const orr_serving *s, const orr_variant *v); /* alone on its channel; in whole pages */

void orr_serving_weights_begin(orr_serving *s, orr_exec_id exec); /* one was made */
void orr_serving_weights_gone(orr_serving *s, orr_exec_id exec);  /* it is gone: so are its loads */
void orr_serving_weights_free(orr_sv_exec *e);
int32_t orr_serving_weights_find(const struct orr_sv_weights *w, orr_variant_id variant); /* its place in `of`; -1 */
bool orr_serving_weights_run(const orr_serving *s, orr_exec_id exec,
                             orr_variant_id variant);                         /* a batch of it does, there */
void orr_serving_weights_load(orr_serving *s, orr_exec_id exec, int32_t i);   /* it is OUT, and there is memory */
void orr_serving_weights_evict(orr_serving *s, orr_exec_id exec, int32_t i);  /* it is HERE, and doesn't run */
void orr_serving_weights_recall(orr_serving *s, orr_exec_id exec, int32_t i); /* it is QUEUED */
/* Would the variant fit, were it alone there? */
bool orr_serving_weights_fit(const orr_serving *s, orr_exec_id exec, orr_variant_id variant);
/* A replica is made or goes. */
void orr_serving_weights_join(orr_serving *s, orr_replica_id replica);
void orr_serving_weights_leave(orr_serving *s, orr_replica_id replica);
/* It begins with the run: loaded, if there is room for it. Otherwise COLD. */
void orr_serving_weights_first(orr_serving *s, orr_replica_id replica);
/* It comes later, its machine and container are there: its weights are loaded if nothing must go for them. Otherwise
 * COLD. */
void orr_serving_weights_start(orr_serving *s, orr_replica_id replica);
void orr_serving_weights_loaded(orr_serving *s, uint64_t cookie);
void orr_serving_weights_used(orr_serving *s, const orr_sv_replica *r); /* a batch begins, or ends */
/* How many of a batch's measured requests came before the weights. */
uint64_t orr_serving_weights_cold(const orr_serving *s, const orr_sv_slot *slot);
/* Loads that wait for memory get it, as far as there is some. O(what lives there) each. */
void orr_serving_weights_grant(orr_serving *s, orr_exec_id exec);

/* Requests wait there: if their variant is ready or coming nowhere, that is seen to at the end of the instant. O(1). */
void orr_serving_weights_missed(orr_serving *s, orr_dest dest);
void orr_serving_weights_settle(orr_serving *s);
/* Would somebody see to it if a request came? */
bool orr_serving_weights_heeds(const orr_sv_variant *v);

#endif
