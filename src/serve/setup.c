/* Serving is made from its description, and taken apart. */
#include "serve/cache.h"
#include "serve/iter.h"
#include "serve/journeys.h"
#include "serve/weights.h"
#include "serve/nodes.h"

#include <math.h>
#include <stdio.h>

static void make_variants(orr_serving *s, orr_sv_service *v)
{
    const bool keyed = s->batcher && s->batcher->order != ORR_QUEUE_FIFO;
    v->first = v->current = (orr_variant_id)s->variants.n;
    for (int32_t i = 0; i < v->spec->variant_count; i++) {
        const orr_variant_id id = (orr_variant_id)s->variants.n;
        orr_sv_variant variant = {.spec = &v->spec->variants[i], .service = v->id, .id = id};
        for (int32_t k = 0; k < variant.spec->profile_count; k++)
            variant.iter |= variant.spec->profiles[k].kind == ORR_EXEC_ITER;
        variant.central =
            (orr_sv_queue){.stride = v->stride, .keyed = keyed, .variant = id, .replica = -1, .wake_at = INT32_MAX};
        ORR_VEC_PUSH(&s->variants, variant);
    }
}

static bool has_tokens(const orr_service *spec)
{
    bool iter = spec->source.tokens_in > 0 || spec->source.tokens_out > 0;
    for (size_t i = 0; i < spec->source.listed && !iter; i++)
        iter = spec->source.list[i].tokens_in >= 0 || spec->source.list[i].tokens_out >= 0;
    for (int32_t i = 0; i < spec->variant_count; i++)
        for (int32_t k = 0; k < spec->variants[i].profile_count; k++)
            iter |= spec->variants[i].profiles[k].kind == ORR_EXEC_ITER;
    return iter;
}

/* What its records hold, and where. */
static void lay_out(const orr_serving *s, orr_sv_service *v)
{
    v->stride = sizeof(orr_req);
    if (has_tokens(v->spec)) {
        v->tokens_at = v->stride;
        v->stride += sizeof(orr_req_tokens);
    }
    if (v->spec->source.inputs || v->spec->cache.items) {
        v->input_at = v->stride;
        v->stride += sizeof(uint64_t);
    }
    if (v->linked) {
        v->link_at = v->stride;
        v->stride += sizeof(uint64_t);
    }
    if (s->preempts) {
        v->left_at = v->stride;
        v->stride += sizeof(double);
    }
    if (v->spec->cache.items > 0) {
        v->miss_at = v->stride;
        v->stride += sizeof(uint64_t);
    }
    if (s->req_priv) {
        v->priv_at = v->stride;
        v->stride += s->req_priv;
    }
    ORR_ASSERT(v->stride <= ORR_SV_STRIDE_MOST, "a request's record is too large");
}

/* Requests with parts elsewhere are followed by a link: those of services that ask others or are asked, and where a
 * selector asks several. */
static bool *linked_services(const orr_serving *s)
{
    bool *linked = orr_xcalloc((size_t)s->spec->count, sizeof *linked);
    for (int32_t i = 0; i < s->spec->count; i++) {
        const orr_service *spec = &s->spec->services[i];
        linked[i] |= spec->edge_count > 0 || (s->selector && s->selector->select);
        for (int32_t k = 0; k < spec->edge_count; k++)
            linked[spec->edges[k].to] = true;
    }
    return linked;
}

static void make_services(orr_serving *s)
{
    bool *linked = linked_services(s);
    for (int32_t i = 0; i < s->spec->count; i++) {
        orr_sv_service v = {.spec = &s->spec->services[i], .id = i, .linked = linked[i]};
        v.key = orr_hash64(orr_mix64(s->seed), v.spec->name, strlen(v.spec->name));
        lay_out(s, &v);
        v.judged = v.spec->variant_count > 1 || s->selector;
        v.cache = orr_serving_cache_create(v.spec);
        const bool closed = v.spec->source.kind == ORR_SOURCE_CLOSED,
                   keyed = s->batcher && s->batcher->order != ORR_QUEUE_FIFO;
        v.leaves = v.spec->timeout != ORR_TIME_MAX && (closed || keyed || v.linked || v.cache);
        /* who asks next depends on what was seen when */
        v.eager = orr_serving_is_eager(s, &v) || v.linked || v.leaves || closed;
        v.fair = orr_xcalloc((size_t)v.spec->class_count + 1, sizeof *v.fair);
        v.priv = s->service_priv ? orr_xcalloc(1, s->service_priv) : NULL;
        v.rates = orr_serving_rates_wanted(s) ? orr_serving_rates_create() : NULL;
        if (v.spec->source.kind != ORR_SOURCE_NONE)
            v.pull = orr_pull_create(v.spec, s->seed);
        make_variants(s, &v);
        ORR_VEC_PUSH(&s->services, v);
    }
    free(linked);
}

static orr_err no_room(const orr_serving *s, const orr_exec_ask *ask, orr_err why, const char *what, orr_error *e)
{
    const orr_hosted_ask *first = ask->host_count ? &ask->hosts[0] : NULL;
    const orr_service *service = first ? &s->spec->services[first->service] : NULL;
    if (ask->name && *ask->name)
        orr_error_set(e, why, "executor '%s': %s", ask->name, what);
    else
        orr_error_set(e, why, "an executor of %s/%s: %s", service ? service->name : "nothing",
                      service ? service->variants[first->variant].name : "", what);
    orr_error_at(e, ask->said.file ? ask->said.file : "", ask->said.line, ask->said.column);
    return why;
}

/* Which GPUs there are, and how many of them the executors before it have left. */
static void hint_room(const orr_serving *s, const orr_exec_ask *ask, orr_error *e)
{
    const char *type = ask->gpu_type ? ask->gpu_type : "";
    const uint64_t types = *type ? orr_cluster_types_named(s->cluster, type) : UINT64_MAX;
    int64_t there = 0, left = 0;
    for (int32_t i = 0; i < s->cluster->count; i++) {
        const orr_node *node = &s->cluster->nodes[i];
        there += node->type & types ? __builtin_popcountll(node->all) : 0;
        left += node->type & types ? node->left : 0;
    }
    if (*type && !there)
        orr_error_hint(e, "the cluster has no %s: -c nodes=1,gpus=8,type=%s has eight", type, type);
    else
        orr_error_hint(e, "it asks %d GPU%s of one node; of the cluster's %lld%s%s the executors before it leave %g",
                       ask->gpus > 1 ? (int)ask->gpus : 1, ask->gpus > 1 ? "s" : "", (long long)there,
                       *type ? " " : "", type, (double)left / ORR_WHOLE_GPU);
}

static orr_err make_executor(orr_serving *s, const orr_exec_ask *ask, orr_error *e)
{
    orr_exec_id id;
    const orr_err err = orr_serving_exec_add(s, ask, -1, &id);
    if (err == ORR_E_LAYOUT)
        return no_room(s, ask, ORR_E_BAD_SCENARIO, "MIG cuts no GPU of the cluster so", e);
    if (err) {
        no_room(s, ask, ORR_E_NO_ROOM, "the cluster has no room for it", e);
        hint_room(s, ask, e);
        return ORR_E_NO_ROOM;
    }
    s->execs.at[id].ask = ask;
    for (int32_t k = 0; k < ask->host_count; k++) {
        const orr_variant_id variant = s->services.at[ask->hosts[k].service].first + ask->hosts[k].variant;
        if (!orr_serving_weights_fit(s, id, variant)) {
            no_room(s, ask, ORR_E_BAD_SCENARIO,
                    "the weights of a variant that it hosts are larger than its memory for weights", e);
            orr_error_hint(e, "memory is `capacity` of `store`, or what a GPU has; of a share of a GPU that part");
            return ORR_E_BAD_SCENARIO;
        }
        if (orr_serving_replica_add(s, variant, id, true) < 0)
            return no_room(
                s, ask, ORR_E_MISSING,
                "a variant that it hosts has no profile for its GPU type, share or number of GPUs, or makes tokens and "
                "can't share its slots",
                e);
    }
    return ORR_OK;
}

static orr_err make_executors(orr_serving *s, orr_error *e)
{
    orr_err err = ORR_OK;
    for (int32_t i = 0; i < s->spec->executor_count && !err; i++)
        for (int32_t k = 0; k < s->spec->executors[i].count && !err; k++)
            err = make_executor(s, &s->spec->executors[i], e);
    return err;
}

static orr_err begin(orr_serving *s, orr_error *e)
{
    if (s->serve && s->serve->init) {
        const orr_err err = s->serve->init(s->seats[ORR_SEAT_SERVE]);
        char name[64];
        if (err && !e->code)
            return orr_error_set(e, err, "policy '%s' can't begin: %s",
                                 orr_ctx_name(s->seats[ORR_SEAT_SERVE], name, sizeof name), orr_err_text(err));
        if (err)
            return err;
    }
    s->begun = true;
    for (size_t i = 0; i < s->services.n; i++)
        orr_serving_arm(s, &s->services.at[i]);
    if (s->touched.n) /* the first instant is 0: those who are there from the beginning are asked */
        orr_serving_wake(s, s->touched.at[0], 0);
    orr_serving_control_begin(s);
    return ORR_OK;
}

orr_serving *orr_serving_create(orr_world *world, const orr_services *services, const orr_registry *registry,
                                const char *text, const orr_serving_sink *sink, orr_error *e)
{
    orr_serving *s = orr_xcalloc(1, sizeof *s);
    s->world = world;
    s->cluster = world->real;
    s->spec = services;
    s->seed = world->seed;
    s->queue = orr_queue_create();
    s->sink = sink ? *sink : (orr_serving_sink){0};
    s->store = orr_serving_store_create(services);
    orr_err err = orr_serving_seat(s, registry, text, e);
    if (!err)
        err = orr_serving_journeys_begin(s, e);
    if (!err) {
        orr_serving_nodes_begin(s);
        make_services(s);
        err = make_executors(s, e);
    }
    if (!err)
        err = begin(s, e);
    if (!err)
        return s;
    orr_serving_destroy(s);
    return NULL;
}

static void destroy_services(orr_serving *s)
{
    for (size_t i = 0; i < s->services.n; i++) {
        orr_sv_service *v = &s->services.at[i];
        orr_sv_tally *const tallies[] = {&v->latency, &v->wait, &v->ttft, &v->tpot, &v->batch_sizes};
        for (size_t k = 0; k < sizeof tallies / sizeof *tallies; k++)
            orr_sv_tally_fini(tallies[k]);
        orr_pull_destroy(v->pull);
        orr_serving_cache_destroy(v->cache);
        orr_serving_rates_destroy(v->rates);
        free(v->ahead.at);
        free(v->fair);
        free(v->priv);
    }
    ORR_VEC_FREE(&s->services);
    for (size_t i = 0; i < s->variants.n; i++) {
        orr_sv_queue_fini(&s->variants.at[i].central);
        ORR_VEC_FREE(&s->variants.at[i].replicas);
        if (s->variants.at[i].idle_made)
            orr_bits_fini(&s->variants.at[i].idle);
    }
    ORR_VEC_FREE(&s->variants);
}

static void destroy_executors(orr_serving *s)
{
    for (size_t i = 0; i < s->execs.n; i++) {
        orr_sv_exec *e = &s->execs.at[i];
        for (size_t k = 0; k < e->at.n; k++)
            free(e->at.at[k].reqs);
        ORR_VEC_FREE(&e->at);
        ORR_VEC_FREE(&e->replicas);
        ORR_VEC_FREE(&e->beside);
        free(e->stage_free);
        orr_serving_iter_destroy(e->iter);
        orr_serving_weights_free(e);
    }
    ORR_VEC_FREE(&s->execs);
    for (size_t i = 0; i < s->replicas.n; i++) {
        orr_sv_replica *r = &s->replicas.at[i];
        free(r->seconds);
        free(r->times);
        free(r->stage_seconds);
        free(r->noise);
        free(r->priv);
        orr_sv_queue_fini(&r->queue);
    }
    ORR_VEC_FREE(&s->replicas);
}

void orr_serving_destroy(orr_serving *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->modules.n; i++)
        orr_ctx_destroy(s->modules.at[i]);
    ORR_VEC_FREE(&s->modules);
    destroy_services(s);
    destroy_executors(s);
    orr_serving_journeys_end(s);
    orr_serving_fans_end(s);
    orr_serving_sends_end(s);
    ORR_VEC_FREE(&s->touched);
    ORR_VEC_FREE(&s->due);
    orr_serving_calls_destroy(s->calls);
    orr_serving_nodes_end(s);
    orr_serving_store_destroy(s->store);
    orr_queue_destroy(s->queue);
    orr_text_fini(&s->text);
    free(s);
}
