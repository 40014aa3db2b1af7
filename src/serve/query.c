/* What serving policies ask and do. Nothing here may be asked of a module that schedules jobs. */
#include "serve/serving.h"

#include <math.h>
#include <stdio.h>

static orr_serving *of(const orr_ctx *ctx)
{
    return ctx->serving;
}

const char *orr_serve_quantity_name(orr_serve_quantity q)
{
    static const char *const names[ORR_SQ_COUNT] = {"exec",     "slowdown", "load",   "rate",
                                                    "accuracy", "correct",  "tokens", "market"};
    return (unsigned)q < ORR_SQ_COUNT ? names[q] : "?";
}

bool orr_serving_may_use(orr_ctx *ctx, orr_serve_quantity q, orr_know level)
{
    char name[64];
    if ((orr_know)ctx->know[q] >= level) {
        if (ctx->used[q] < level)
            ctx->used[q] = (uint8_t)level;
        return true;
    }
    orr_world_fault(ctx->world, ORR_E_KNOWLEDGE, NULL, "%s asks for '%s' at level %s, but declares %s",
                    orr_ctx_name(ctx, name, sizeof name), orr_serve_quantity_name(q), orr_know_name(level),
                    orr_know_name((orr_know)ctx->know[q]));
    return false;
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

orr_time orr_serve_now(const orr_ctx *ctx)
{
    return of(ctx)->now;
}

int32_t orr_services_count(const orr_ctx *ctx)
{
    return (int32_t)of(ctx)->services.n;
}

const orr_service *orr_service_of(const orr_ctx *ctx, orr_service_id service)
{
    return of(ctx)->services.at[service].spec;
}

orr_variant_id orr_service_variant(const orr_ctx *ctx, orr_service_id service, int32_t place)
{
    return of(ctx)->services.at[service].first + place;
}

orr_service_id orr_variant_service(const orr_ctx *ctx, orr_variant_id variant)
{
    return of(ctx)->variants.at[variant].service;
}

const orr_variant *orr_variant_of(const orr_ctx *ctx, orr_variant_id variant)
{
    return of(ctx)->variants.at[variant].spec;
}

orr_variant_id orr_service_current(const orr_ctx *ctx, orr_service_id service)
{
    return of(ctx)->services.at[service].current;
}

int32_t orr_execs_count(const orr_ctx *ctx)
{
    return (int32_t)of(ctx)->execs.n;
}

bool orr_exec_alive(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].alive;
}

int32_t orr_exec_replicas(const orr_ctx *ctx, orr_exec_id exec, orr_replica_id *out, int32_t n)
{
    const orr_sv_exec *e = &of(ctx)->execs.at[exec];
    for (int32_t i = 0; i < n && (size_t)i < e->replicas.n; i++)
        out[i] = e->replicas.at[i];
    return (int32_t)e->replicas.n;
}

int32_t orr_exec_node(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].node;
}

int32_t orr_exec_type(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].type;
}

int32_t orr_exec_market(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].market;
}

orr_time orr_exec_until(const orr_ctx *ctx, orr_exec_id exec)
{
    const orr_sv_exec *e = &of(ctx)->execs.at[exec];
    return e->noticed && e->alive ? e->taken_at : ORR_TIME_MAX;
}

int32_t orr_exec_milli(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].milli;
}

const char *orr_exec_slice(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].slice_name;
}

uint64_t orr_exec_mask(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].mask;
}

int32_t orr_exec_busy(const orr_ctx *ctx, orr_exec_id exec)
{
    return of(ctx)->execs.at[exec].busy;
}

orr_exec_id orr_replica_exec(const orr_ctx *ctx, orr_replica_id replica)
{
    return of(ctx)->replicas.at[replica].exec;
}

orr_variant_id orr_replica_variant(const orr_ctx *ctx, orr_replica_id replica)
{
    return of(ctx)->replicas.at[replica].variant;
}

orr_phase orr_replica_phase(const orr_ctx *ctx, orr_replica_id replica)
{
    return of(ctx)->replicas.at[replica].phase;
}

int32_t orr_variant_replicas(const orr_ctx *ctx, orr_variant_id variant, const orr_replica_id **out)
{
    const orr_sv_variant *v = &of(ctx)->variants.at[variant];
    *out = v->replicas.at;
    return (int32_t)v->replicas.n;
}

void *orr_service_priv(orr_ctx *ctx, orr_service_id service)
{
    return (char *)of(ctx)->services.at[service].priv + ctx->priv_service;
}

void *orr_replica_priv(orr_ctx *ctx, orr_replica_id replica)
{
    return (char *)of(ctx)->replicas.at[replica].priv + ctx->priv_replica;
}

int32_t orr_serve_type(const orr_ctx *ctx, const char *name)
{
    const orr_cluster *c = of(ctx)->cluster;
    for (int32_t i = 0; i < c->gpu_types; i++)
        if (strcmp(c->type_names[i], name) == 0)
            return i;
    return -1;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

int32_t orr_dest_waiting(orr_ctx *ctx, orr_dest dest)
{
    orr_serving *s = of(ctx);
    if (dest.replica < 0 && dest.variant == s->services.at[s->variants.at[dest.variant].service].current)
        orr_serving_catch_up(s, orr_sv_service_of(s, dest.variant));
    return (int32_t)orr_serving_queue(s, dest)->n;
}

const orr_req *orr_dest_at(orr_ctx *ctx, orr_dest dest, int32_t i)
{
    return i < 0 ? NULL : (const orr_req *)(const void *)orr_sv_nth(orr_serving_queue(of(ctx), dest), (uint32_t)i);
}

/* Where one SLO holds for all, and the queue is in order of arrival, it is the head's. Else O(waiting). */
orr_time orr_dest_deadline(orr_ctx *ctx, orr_dest dest)
{
    orr_serving *s = of(ctx);
    orr_sv_queue *q = orr_serving_queue(s, dest);
    const orr_sv_service *v = orr_sv_service_of(s, q->variant);
    orr_time least = ORR_TIME_MAX;
    const bool head =
        (!q->keyed && v->spec->class_count == 1 && !v->linked) || (s->batcher && s->batcher->order == ORR_QUEUE_EDF);
    for (uint32_t i = 0; i < q->n && (!head || i == 0); i++) {
        const orr_req *req = (const orr_req *)(const void *)orr_sv_nth(q, i);
        least = req->deadline < least ? req->deadline : least;
    }
    return least;
}

orr_dest orr_form_dest(const orr_form *form)
{
    return (orr_dest){.variant = form->variant, .replica = form->central ? -1 : form->replica};
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

const orr_req *orr_batch_request(const orr_ctx *ctx, const orr_batch_run *batch, int32_t i)
{
    const uint32_t stride = of(ctx)->services.at[batch->service].stride;
    return i < 0 || i >= batch->size
               ? NULL
               : (const orr_req *)(const void *)((const uint8_t *)batch->reqs + (size_t)i * stride);
}

/* ---- what is believed -------------------------------------------------------------------------------------------- */

static const orr_sv_replica *replica_on(const orr_serving *s, orr_exec_id exec, orr_variant_id variant)
{
    const orr_sv_exec *e = &s->execs.at[exec];
    for (size_t i = 0; i < e->replicas.n; i++)
        if (s->replicas.at[e->replicas.at[i]].variant == variant)
            return &s->replicas.at[e->replicas.at[i]];
    return NULL;
}

static double exec_time(const orr_serving *s, orr_exec_id exec, orr_variant_id variant, int32_t batch)
{
    const orr_sv_replica *r = replica_on(s, exec, variant);
    const orr_sv_exec *e = &s->execs.at[exec];
    if (batch < 1)
        return NAN;
    if (r)
        return batch > s->variants.at[variant].spec->max_batch ? NAN : r->seconds[batch] / e->rate;
    const orr_exec_profile *p = orr_serving_profile(s, s->variants.at[variant].spec, e->type, e->milli, e->gpus);
    return p ? orr_exec_seconds(p, batch) / e->rate : NAN;
}

double orr_exec_time(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch)
{
    return orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED) ? exec_time(of(ctx), exec, variant, batch) : NAN;
}

double orr_variant_time(orr_ctx *ctx, orr_variant_id variant, int32_t type, int32_t milli, int32_t gpus, int32_t batch)
{
    const orr_serving *s = of(ctx);
    if (!orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED) || batch < 1)
        return NAN;
    const orr_exec_profile *p =
        orr_serving_profile(s, s->variants.at[variant].spec, type, milli ? milli : ORR_WHOLE_GPU, gpus > 1 ? gpus : 1);
    return p ? orr_exec_seconds(p, batch) : NAN;
}

double orr_exec_stage_time(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch, int32_t stage,
                           int32_t *stages)
{
    const orr_serving *s = of(ctx);
    const orr_sv_exec *e = &s->execs.at[exec];
    const orr_exec_profile *p = orr_serving_profile(s, s->variants.at[variant].spec, e->type, e->milli, e->gpus);
    *stages = p && p->kind == ORR_EXEC_STAGES ? p->stage_count : 1;
    if (!orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED) || !p || stage < 0 || stage >= *stages || batch < 1)
        return NAN;
    return orr_exec_stage_seconds(p, batch, stage);
}

int32_t orr_batch_fit(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, orr_time budget, int32_t most)
{
    if (!orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED))
        return 0;
    for (int32_t b = most; b > 0; b--) {
        const double seconds = exec_time(of(ctx), exec, variant, b);
        if (!isnan(seconds) && seconds * 1e9 <= (double)budget)
            return b;
    }
    return 0;
}

/* From the profiles: of each batch that runs when it would end. */
orr_time orr_exec_free_at(orr_ctx *ctx, orr_exec_id exec)
{
    const orr_serving *s = of(ctx);
    const orr_sv_exec *e = &s->execs.at[exec];
    orr_time least = ORR_TIME_MAX;
    if (!orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED) || orr_serving_takes(e, s->now))
        return s->now;
    if (e->stages > 1)
        return e->stage_free[0];
    for (size_t i = 0; i < e->at.n; i++) {
        const orr_sv_slot *slot = &e->at.at[i];
        if (!slot->size)
            continue;
        const orr_time end =
            slot->start + (orr_time)(s->replicas.at[slot->replica].seconds[slot->size] / e->rate * 1e9);
        least = end < least ? end : least;
    }
    return least > s->now ? least : s->now;
}

double orr_source_rate(orr_ctx *ctx, orr_service_id service)
{
    const orr_serving *s = of(ctx);
    if (!orr_serving_may_use(ctx, ORR_SQ_RATE, ORR_KNOW_ORACLE) || !s->services.at[service].pull)
        return 0;
    return orr_pull_rate(s->services.at[service].pull, s->now);
}

/* NULL: it may not be asked. */
static const struct orr_sv_rates *rates_of(orr_ctx *ctx, orr_service_id service)
{
    orr_serving *s = of(ctx);
    if (!orr_serving_may_use(ctx, ORR_SQ_RATE, ORR_KNOW_OBSERVED))
        return NULL;
    orr_serving_catch_up(s, &s->services.at[service]);
    return s->services.at[service].rates;
}

uint64_t orr_arrived(orr_ctx *ctx, orr_service_id service, orr_time window)
{
    const struct orr_sv_rates *r = rates_of(ctx, service);
    return r ? orr_serving_rates_count(r, of(ctx)->now, window) : 0;
}

uint64_t orr_arrived_most(orr_ctx *ctx, orr_service_id service, orr_time window, orr_time bin)
{
    const struct orr_sv_rates *r = rates_of(ctx, service);
    return r ? orr_serving_rates_most(r, of(ctx)->now, window, bin) : 0;
}

double orr_market_price(orr_ctx *ctx, int32_t market)
{
    const orr_services *spec = of(ctx)->spec;
    return market >= 0 && market < spec->market_count ? spec->markets[market].price : 0;
}

double orr_cheapest_price(orr_ctx *ctx, int32_t type)
{
    const orr_serving *s = of(ctx);
    double least = INFINITY;
    for (int32_t i = 0; i < s->spec->market_count; i++) {
        const orr_market *m = &s->spec->markets[i];
        const char *sold = m->gpu_type ? m->gpu_type : "";
        if (!*sold || type < 0 || strcmp(sold, s->cluster->type_names[type]) == 0)
            least = fmin(least, m->price);
    }
    return least;
}

int32_t orr_markets_count(const orr_ctx *ctx)
{
    return of(ctx)->spec->market_count;
}

const orr_market *orr_market_of(const orr_ctx *ctx, int32_t market)
{
    return &of(ctx)->spec->markets[market];
}

/* ---- what may be done -------------------------------------------------------------------------------------------- */

static orr_err illegal(orr_ctx *ctx, const char *call, const char *why)
{
    char name[64];
    orr_serving_violation(of(ctx), ORR_E_SERVE_DECISION, "%s: %s: %s", orr_ctx_name(ctx, name, sizeof name), call, why);
    return ORR_E_BAD_VALUE;
}

void orr_form_all(orr_ctx *ctx, orr_exec_id exec, orr_form *form)
{
    (void)ctx, (void)exec, (void)form;
}

orr_err orr_form_wait(orr_ctx *ctx, orr_form *form, int32_t n, orr_time until)
{
    orr_serving *s = of(ctx);
    if (!s->forming)
        return illegal(ctx, "orr_form_wait", "only inside `form`");
    if (n <= form->waiting || until <= s->now)
        return illegal(ctx, "orr_form_wait", "what it waits for is there already");
    form->wait_for = n;
    form->wait_until = until;
    form->take = 0;
    return ORR_OK;
}

orr_err orr_exec_wake(orr_ctx *ctx, orr_exec_id exec, orr_time at)
{
    orr_serving *s = of(ctx);
    if (exec < 0 || (size_t)exec >= s->execs.n || at < s->now)
        return illegal(ctx, "orr_exec_wake", "no such executor, or in the past");
    orr_serving_wake(s, exec, at);
    return ORR_OK;
}

/* A queue that there is. */
static bool is_there(const orr_serving *s, orr_dest dest)
{
    if (dest.variant < 0 || (size_t)dest.variant >= s->variants.n || dest.remote)
        return false;
    return dest.replica < 0 ||
           ((size_t)dest.replica < s->replicas.n && s->replicas.at[dest.replica].variant == dest.variant);
}

orr_err orr_req_drop(orr_ctx *ctx, orr_dest from, int32_t i, orr_drop_why why)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    orr_serving *s = of(ctx);
    orr_sv_queue *q = is_there(s, from) ? orr_serving_queue(s, from) : NULL;
    if (s->forming || !q || i < 0 || (uint32_t)i >= q->n || (unsigned)why >= ORR_DROP_KINDS)
        return illegal(ctx, "orr_req_drop", "not inside `form`, and only of those that wait");
    memcpy(record, orr_sv_nth(q, (uint32_t)i), q->stride);
    orr_sv_remove(q, (uint32_t)i);
    orr_serving_drop(s, orr_sv_service_of(s, q->variant), record, why);
    if (s->variants.at[q->variant].iter) /* the next one may fit where this didn't */
        orr_serving_rouse(s, q->variant);
    if (s->store)
        orr_serving_arm(s, orr_sv_service_of(s, q->variant));
    return ORR_OK;
}

orr_err orr_queue_shift(orr_ctx *ctx, orr_dest from, int32_t n, orr_dest to)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    orr_serving *s = of(ctx);
    const bool both = is_there(s, from) && is_there(s, to) &&
                      (to.replica < 0 || s->replicas.at[to.replica].phase < ORR_PHASE_DRAINING);
    if (s->forming || !both || n < 0 || (uint32_t)n > orr_serving_queue(s, from)->n ||
        s->variants.at[to.variant].service != s->variants.at[from.variant].service)
        return illegal(ctx, "orr_queue_shift", "not inside `form`, only those that wait, and within their service");
    for (; n > 0 && orr_serving_queue(s, from)->n; n--) { /* who sees them arrive may drop some */
        orr_sv_pop(orr_serving_queue(s, from), record);
        orr_serving_enqueue(s, record, to);
    }
    if (s->store)
        orr_serving_arm(s, orr_sv_service_of(s, from.variant));
    return ORR_OK;
}

orr_err orr_serve_timer(orr_ctx *ctx, orr_time at, uint64_t cookie)
{
    orr_serving *s = of(ctx);
    if (at < s->now)
        return illegal(ctx, "orr_serve_timer", "in the past");
    s->asked_for++;
    orr_queue_add(
        s->queue,
        &(orr_queued){.at = at, .class_ = ORR_CLASS_TIMER, .kind = ORR_SV_TIMER, .what = ctx, .cookie = cookie});
    return ORR_OK;
}

orr_err orr_serving_replica_ask(orr_serving *s, const orr_replica_ask *ask, orr_replica_id *out)
{
    orr_exec_id exec = ask->on;
    const char *sold = ask->market < 0 ? "" : s->spec->markets[ask->market].gpu_type;
    if (exec < 0) {
        const orr_exec_ask made = {.gpu_type = ask->type < 0 ? sold : s->cluster->type_names[ask->type],
                                   .gpus = ask->gpus,
                                   .milli = ask->milli,
                                   .slice = ask->slice,
                                   .gpus_at = ask->gpus_at,
                                   .idle = ask->idle,
                                   .slots = ask->slots,
                                   .market = ask->market < 0 ? "" : s->spec->markets[ask->market].name};
        const orr_err err = orr_serving_exec_add(s, &made, ask->node, &exec);
        if (err)
            return err;
        if (s->execs.at[exec].cut_anew)
            s->execs.at[exec].cut_at = orr_time_add(s->now, s->spec->mig_change);
    }
    *out = orr_serving_replica_add(s, ask->variant, exec, ask->on >= 0);
    if (*out < 0 && ask->on < 0)
        orr_serving_exec_drop(s, exec);
    return *out < 0 ? ORR_E_NOFIT : ORR_OK;
}

orr_err orr_replica_add(orr_ctx *ctx, const orr_replica_ask *ask, orr_replica_id *out)
{
    orr_serving *s = of(ctx);
    if (s->forming || ask->variant < 0 || (size_t)ask->variant >= s->variants.n || ask->type >= s->cluster->gpu_types ||
        ask->market >= s->spec->market_count || !orr_serving_sized(ask->milli, ask->gpus) ||
        (ask->on >= 0 && ((size_t)ask->on >= s->execs.n || !s->execs.at[ask->on].alive)))
        return illegal(ctx, "orr_replica_add", "not inside `form`, and of what there is");
    return orr_serving_replica_ask(s, ask, out);
}

orr_err orr_replica_drain(orr_ctx *ctx, orr_replica_id replica)
{
    orr_serving *s = of(ctx);
    if (s->forming || replica < 0 || (size_t)replica >= s->replicas.n)
        return illegal(ctx, "orr_replica_drain", "not inside `form`, and of what there is");
    orr_serving_replica_drain(s, replica);
    return ORR_OK;
}

orr_err orr_replica_limit(orr_ctx *ctx, orr_replica_id replica, int32_t max_batch)
{
    orr_serving *s = of(ctx);
    if (replica < 0 || (size_t)replica >= s->replicas.n || max_batch < 1 ||
        max_batch > s->variants.at[s->replicas.at[replica].variant].spec->max_batch)
        return illegal(ctx, "orr_replica_limit", "no such replica, or more than its variant's largest batch");
    s->replicas.at[replica].max_batch = max_batch;
    return ORR_OK;
}

orr_err orr_service_switch(orr_ctx *ctx, orr_service_id service, orr_variant_id variant)
{
    orr_serving *s = of(ctx);
    if (s->forming || service < 0 || (size_t)service >= s->services.n)
        return illegal(ctx, "orr_service_switch", "not inside `form`, and of what there is");
    orr_serving_switch(s, &s->services.at[service], variant);
    return ORR_OK;
}

orr_err orr_service_budget(orr_ctx *ctx, orr_service_id service, orr_time budget)
{
    orr_serving *s = of(ctx);
    if (service < 0 || (size_t)service >= s->services.n || budget < 0 || !s->services.at[service].linked)
        return illegal(ctx, "orr_service_budget", "a time, of a service that asks others or is asked");
    s->services.at[service].budget = budget;
    return ORR_OK;
}

/* ---- what a record holds ----------------------------------------------------------------------------------------- */

static const uint8_t *part(const orr_req *req, uint32_t at)
{
    return at ? (const uint8_t *)(const void *)req + at : NULL;
}

int64_t orr_req_tokens_in(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    const void *tokens = part(req, of(ctx)->services.at[service].tokens_at);
    return tokens ? ((const orr_req_tokens *)tokens)->in : 0;
}

int64_t orr_req_tokens_out(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    const void *tokens = part(req, of(ctx)->services.at[service].tokens_at);
    return tokens && orr_serving_may_use(ctx, ORR_SQ_TOKENS, ORR_KNOW_ORACLE) ? ((const orr_req_tokens *)tokens)->out
                                                                              : 0;
}

uint64_t orr_req_input(const orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    const void *input = part(req, of(ctx)->services.at[service].input_at);
    return input ? *(const uint64_t *)input : req->number;
}

void *orr_req_priv(orr_ctx *ctx, orr_service_id service, const orr_req *req)
{
    const uint32_t at = of(ctx)->services.at[service].priv_at;
    return at ? (uint8_t *)(uintptr_t)req + at + ctx->priv_req : NULL;
}
