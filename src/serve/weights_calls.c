/* Weights as policies see them: what they ask, load and put out; and what came of it. */
#include "serve/weights.h"

#include <math.h>

static struct orr_sv_weights *on(const orr_serving *s, orr_exec_id exec)
{
    return s->execs.at[exec].weights;
}

/* ---- what policies ask and do ------------------------------------------------------------------------------------ */

static orr_err illegal(orr_ctx *ctx, const char *call, const char *why)
{
    char name[64];
    orr_serving_violation(ctx->serving, ORR_E_SERVE_DECISION, "%s: %s: %s", orr_ctx_name(ctx, name, sizeof name), call,
                          why);
    return ORR_E_BAD_VALUE;
}

static const char *wrong(const orr_serving *s, orr_exec_id exec)
{
    if (!s->loads_itself)
        return "its table doesn't say that it loads weights";
    if (s->forming)
        return "not inside `form`";
    return exec < 0 || (size_t)exec >= s->execs.n || !s->execs.at[exec].alive ? "no such executor" : NULL;
}

/* -1: nothing is to be done. */
static int32_t entry_for(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, const char *call, orr_err *err)
{
    const orr_serving *s = ctx->serving;
    const char *why = wrong(s, exec);
    *err = ORR_OK;
    if (!why && s->store && variant >= 0 && (size_t)variant < s->variants.n &&
        s->variants.at[variant].spec->bytes > 0) {
        const int32_t i = orr_serving_weights_find(on(s, exec), variant);
        if (i >= 0 && on(s, exec)->of.at[i].replicas)
            return i;
        why = "the variant doesn't live there";
    }
    if (why)
        *err = illegal(ctx, call, why);
    return -1;
}

orr_err orr_weights_load(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant)
{
    orr_err err;
    orr_serving *s = ctx->serving;
    const int32_t i = entry_for(ctx, exec, variant, "orr_weights_load", &err);
    if (i < 0 || on(s, exec)->of.at[i].place != ORR_SV_OUT)
        return err;
    if (on(s, exec)->free < on(s, exec)->of.at[i].bytes)
        return ORR_E_NOFIT;
    orr_serving_weights_load(s, exec, i);
    return ORR_OK;
}

orr_err orr_weights_evict(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant)
{
    orr_err err;
    orr_serving *s = ctx->serving;
    const int32_t i = entry_for(ctx, exec, variant, "orr_weights_evict", &err);
    if (i < 0)
        return err;
    const orr_sv_weight *x = &on(s, exec)->of.at[i];
    if (x->place == ORR_SV_COMING || orr_serving_weights_run(s, exec, variant))
        return ORR_E_BUSY;
    if (x->place == ORR_SV_HERE)
        orr_serving_weights_evict(s, exec, i);
    else if (x->place == ORR_SV_QUEUED)
        orr_serving_weights_recall(s, exec, i);
    return ORR_OK;
}

int64_t orr_exec_mem_free(orr_ctx *ctx, orr_exec_id exec)
{
    const orr_serving *s = ctx->serving;
    return s->store ? on(s, exec)->free : INT64_MAX;
}

int32_t orr_exec_loads(orr_ctx *ctx, orr_exec_id exec)
{
    const orr_serving *s = ctx->serving;
    return s->store ? (int32_t)on(s, exec)->queued.n + on(s, exec)->going : 0;
}

double orr_load_time(orr_ctx *ctx, orr_variant_id variant)
{
    if (!orr_serving_may_use(ctx, ORR_SQ_LOAD, ORR_KNOW_PROFILED))
        return NAN;
    return orr_time_seconds(orr_serving_load_time(ctx->serving, orr_variant_of(ctx, variant)));
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

bool orr_serving_weights(const orr_serving *s, double *busy, double *there)
{
    const int32_t channels = s->spec->store.channels > 1 ? s->spec->store.channels : 1;
    *busy = *there = 0;
    for (size_t i = 0; s->store && i < s->execs.n; i++) {
        const orr_sv_exec *e = &s->execs.at[i];
        *there += ((double)(e->alive ? s->now : e->gone_at) - e->since_ns) * channels * 1e-9;
        *busy += e->weights->channel_ns * 1e-9;
        for (size_t k = 0; e->alive && k < e->weights->of.n; k++)
            if (e->weights->of.at[k].place == ORR_SV_COMING)
                *busy += (double)(s->now - e->weights->of.at[k].since) * 1e-9;
    }
    return s->store;
}
