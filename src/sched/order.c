/* The order rung on the list driver, and the door through which the simulation talks to either rung. */
#include "sched/ctx.h"
#include "sched/list.h"

#include <stdio.h>

/* ---- the standard knobs of orders -------------------------------------------------------------------------------- */

#define KNOB(member) (uint32_t)offsetof(orr_list_rules, member)
static const orr_knob order_knobs[] = {
    {"hol", ORR_KNOB_CHOICE, KNOB(hol), "block", "block|skip", "the first job that doesn't fit blocks the rest, or is skipped"},
    {"preempt", ORR_KNOB_BOOL, KNOB(preemptive), "off", NULL, "running jobs give way to waiting ones with smaller keys"},
    {"vc", ORR_KNOB_CHOICE, KNOB(vc), "isolated", "isolated|shared|borrow",
     "a queue and its own nodes a VC; one queue for all nodes; a queue a VC that may use others' idle nodes"},
    {"backfill", ORR_KNOB_CHOICE, KNOB(backfill), "none", "none|easy|conservative",
     "start jobs behind a blocked head where they delay no promised start"},
    {"depth", ORR_KNOB_INT, KNOB(depth), "inf", "0..inf", "waiting jobs that backfill looks at behind the head"},
    {"ties", ORR_KNOB_CHOICE, KNOB(ties), "id", "id|row|queue|last|submit",
     "equal keys: running first, then (submit, id) or row; waiting first, then who joined first; as they last stood; "
     "(submit, id) alone"},
    {"admit", ORR_KNOB_CHOICE, KNOB(admit), "room", "room|count|yield",
     "preempt for a job only if it is then placed; by counting GPUs first; the last one by one until it is placed"},
    {"quantum", ORR_KNOB_TIME, KNOB(quantum), "0", "0..inf", "while jobs wait, decide at least this often; 0: at events only"},
    {"round", ORR_KNOB_TIME, KNOB(round), "0", "0..inf", "decide every so often only, not at events; 0: at events"},
    {"min_gap", ORR_KNOB_TIME, KNOB(min_gap), "0", "0..inf", "at least this long between two decisions"},
    {"recheck", ORR_KNOB_TIME, KNOB(recheck), "0", "0..inf", "decide again this long after a decision that preempted; 0: no"},
    {"gain_min", ORR_KNOB_NUMBER, KNOB(gain_min), "0", "0..inf", "preempt only for a key smaller by more than this"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

const orr_knob *orr_order_knobs(void)
{
    return order_knobs;
}

const char *orr_order_knob_default(const orr_order *order, const orr_knob *knob)
{
    uint32_t f = order->flags;
    switch (knob->offset) {
    case KNOB(hol):
        return f & ORR_ORDER_SKIP ? "skip" : knob->fallback;
    case KNOB(preemptive):
        return f & ORR_ORDER_PREEMPTIVE ? "on" : knob->fallback;
    case KNOB(backfill):
        return f & ORR_ORDER_EASY ? "easy" : f & ORR_ORDER_CONSERVATIVE ? "conservative" : knob->fallback;
    case KNOB(quantum):
        return order->quantum ? order->quantum : knob->fallback;
    default:
        return knob->fallback;
    }
}

static orr_rank rank_by_key(orr_ctx *ctx, const orr_job *job)
{
    return (orr_rank){.major = ctx->desc.order.key(ctx, job)};
}

/* ---- one door for both rungs ------------------------------------------------------------------------------------- */

orr_err orr_ctx_begin(orr_ctx *ctx)
{
    orr_ctx *placer = ctx->placer_ctx;
    if (placer->desc.placer.init && placer->desc.placer.init(placer))
        return ORR_E_MISSING;
    if (ctx->kind == ORR_KIND_POLICY) {
        orr_err err = ctx->desc.policy.init ? ctx->desc.policy.init(ctx) : ORR_OK;
        ctx->begun = !err;
        return err;
    }
    ctx->rules.rank = rank_by_key;
    ctx->rules.varying = ctx->desc.order.flags & ORR_ORDER_VARYING;
    orr_list_create(ctx, &ctx->rules);
    return ORR_OK;
}

bool orr_ctx_admit(orr_ctx *ctx, const orr_job *job)
{
    bool (*admit)(orr_ctx *, const orr_job *) =
        ctx->kind == ORR_KIND_POLICY ? ctx->desc.policy.admit : ctx->desc.order.admit;
    return !admit || admit(ctx, job);
}

void orr_ctx_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (ctx->placer_ctx->desc.placer.on_job)
        ctx->placer_ctx->desc.placer.on_job(ctx->placer_ctx, job, event);
    if (ctx->kind == ORR_KIND_ORDER)
        orr_list_event(ctx->list, job, event);
    else if (ctx->desc.policy.on_job)
        ctx->desc.policy.on_job(ctx, job, event);
}

void orr_ctx_on_timer(orr_ctx *ctx, uint64_t cookie)
{
    if (cookie >= ORR_COOKIE_DRIVER) { /* the others' drivers only want a decision */
        if (ctx->list)
            orr_list_timer(ctx->list);
    } else if (ctx->kind == ORR_KIND_POLICY && ctx->desc.policy.on_timer)
        ctx->desc.policy.on_timer(ctx, cookie);
}

void orr_ctx_on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    if (ctx->list)
        orr_list_room(ctx->list);
    if (ctx->share_rounds)
        orr_share_rounds_renew(ctx->share_rounds);
    if (ctx->kind == ORR_KIND_POLICY && ctx->desc.policy.on_node)
        ctx->desc.policy.on_node(ctx, node, event);
}

orr_err orr_ctx_decide(orr_ctx *ctx, orr_plan *plan)
{
    return ctx->kind == ORR_KIND_ORDER ? orr_list_schedule(ctx->list, plan) : ctx->desc.policy.schedule(ctx, plan);
}

void orr_ctx_explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    if (size)
        buf[0] = '\0';
    if (ctx->kind == ORR_KIND_POLICY && ctx->desc.policy.explain)
        ctx->desc.policy.explain(ctx, job, buf, size);
    else if (ctx->list)
        orr_list_explain(ctx->list, job, buf, size);
    else
        snprintf(buf, size, "it asks %d GPUs, %d are free", job->record->gpus, orr_scope_free(ctx, (orr_scope){.vc = job->vc}));
}

void orr_ctx_observe(orr_ctx *ctx, const orr_job *job, orr_time duration)
{
    if (ctx->desc.estimator.observe)
        ctx->desc.estimator.observe(ctx, job, duration);
}

void orr_drive_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (ctx->mlfq)
        orr_mlfq_event(ctx->mlfq, job, event);
    else if (ctx->list)
        orr_list_event(ctx->list, job, event);
    else if (ctx->share_rounds)
        orr_share_rounds_event(ctx->share_rounds, job, event);
}

orr_err orr_drive_schedule(orr_ctx *ctx, orr_plan *plan)
{
    if (ctx->mlfq)
        return orr_mlfq_schedule(ctx->mlfq, plan);
    if (ctx->share_rounds)
        return orr_share_rounds_schedule(ctx->share_rounds, plan);
    return ctx->list ? orr_list_schedule(ctx->list, plan) : ORR_E_MISSING;
}
