/* What policies ask of messages, and that they want to hear of them. */
#include "model/net.h"
#include "sched/ctx.h"

void orr_watch_messages(orr_ctx *ctx, orr_job *job)
{
    if (ctx->world->net)
        orr_net_watch(ctx->world->net, job);
}

bool orr_models_phases(const orr_ctx *ctx)
{
    return ctx->world->net && orr_net_has_phases(ctx->world->net);
}

orr_message orr_job_message(const orr_ctx *ctx, const orr_job *job)
{
    return ctx->world->net ? orr_net_state(ctx->world->net, job) : ORR_MESSAGE_NONE;
}

static bool may_ask(orr_ctx *ctx, const orr_job *job)
{
    return orr_ctx_may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) && ctx->world->net;
}

double orr_job_message_left(orr_ctx *ctx, const orr_job *job)
{
    return may_ask(ctx, job) ? orr_net_left(ctx->world->net, job) : 0;
}

double orr_job_message_alone(orr_ctx *ctx, const orr_job *job)
{
    return may_ask(ctx, job) ? orr_net_alone(ctx->world->net, job) : 0;
}

bool orr_jobs_share_links(orr_ctx *ctx, const orr_job *a, const orr_job *b)
{
    return may_ask(ctx, a) && orr_net_meet(ctx->world->net, a, b);
}
