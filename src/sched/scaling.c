/* What modules may ask of how jobs scale, and of how far their training is. */
#include "model/rate.h"
#include "model/training.h"
#include "sched/ctx.h"

#include <string.h>

static bool may_use(orr_ctx *ctx, orr_know level, const orr_job *job)
{
    return orr_ctx_may_use(ctx, ORR_Q_SCALING, level, job);
}

static const struct orr_training *training(orr_ctx *ctx, orr_know level, const orr_job *job)
{
    return may_use(ctx, level, job) ? job->training : NULL;
}

double orr_job_scaling(orr_ctx *ctx, const orr_job *job, int32_t gpus, int32_t nodes, int32_t type)
{
    const orr_life *life = ctx->world->life;
    if (!may_use(ctx, ORR_KNOW_PROFILED, job) || gpus < job->least_gpus || gpus > job->most_gpus)
        return 0;
    if (!job->training)
        return orr_rate_linear(job, gpus);
    const orr_scope all = {.vc = -1, .types = type < 0 ? 0 : (uint64_t)1 << type};
    const int32_t widest = orr_scope_widest(ctx, all);
    const orr_placement on = nodes > 0 ? orr_placement_even(gpus, nodes) : orr_placement_packed(gpus, widest > 0 ? widest : 1);
    return orr_training_speed_on(life, job, type, &on, (orr_batch){0});
}

/* ---- declared ---------------------------------------------------------------------------------------------------- */

bool orr_job_batch_limits(orr_ctx *ctx, const orr_job *job, orr_batch_limits *out)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_DECLARED, job);
    *out = t ? *orr_application_limits(t->of) : (orr_batch_limits){0};
    return t != NULL;
}

bool orr_job_batch_limits_on(orr_ctx *ctx, const orr_job *job, int32_t type, const orr_alloc *held, orr_batch_limits *out)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_PROFILED, job);
    *out = (orr_batch_limits){0};
    if (!t || type >= ctx->world->real->gpu_types)
        return false;
    const int32_t table = orr_application_type(t->of, type < 0 ? "" : ctx->world->real->type_names[type]);
    const orr_placement on = held ? orr_placement_of(held) : (orr_placement){0};
    if (table >= 0)
        *out = orr_application_limits_on(t->of, table, held ? &on : NULL);
    return table >= 0;
}

int64_t orr_job_own_batch(orr_ctx *ctx, const orr_job *job)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_DECLARED, job);
    return t ? t->own : 0;
}

int32_t orr_job_epochs(orr_ctx *ctx, const orr_job *job)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_DECLARED, job);
    return t ? orr_application_epochs(t->of) : 1;
}

/* ---- observed ---------------------------------------------------------------------------------------------------- */

int32_t orr_job_epoch(orr_ctx *ctx, const orr_job *job)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_OBSERVED, job);
    return t ? t->epoch : 0;
}

/* Without an application all that is seen is how much of its work is done: no more than what it attained by itself. */
double orr_job_progress(orr_ctx *ctx, const orr_job *job)
{
    return training(ctx, ORR_KNOW_OBSERVED, job) ? orr_training_progress(ctx->world->life, job) : 0;
}

orr_noise orr_job_noise(orr_ctx *ctx, const orr_job *job)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_OBSERVED, job);
    return t ? t->noise : (orr_noise){0};
}

size_t orr_job_measurements(orr_ctx *ctx, const orr_job *job, int32_t type, const orr_measurement **out)
{
    struct orr_training *t = may_use(ctx, ORR_KNOW_OBSERVED, job) ? job->training : NULL;
    *out = NULL;
    if (!t)
        return 0;
    t->one_type.n = 0;
    for (size_t i = 0; i < t->seen.n; i++)
        if (type < 0 || t->seen.at[i].type == type)
            ORR_VEC_PUSH(&t->one_type, t->seen.at[i].at);
    *out = t->one_type.at;
    return t->one_type.n;
}

double orr_job_loss(orr_ctx *ctx, const orr_job *job, int32_t epoch)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_OBSERVED, job);
    return t && epoch >= 0 && epoch <= t->epoch ? orr_application_loss(t->of, epoch) : -1;
}

/* ---- the truth --------------------------------------------------------------------------------------------------- */

bool orr_job_step_time(orr_ctx *ctx, const orr_job *job, const int32_t *gpus, int32_t nodes, int32_t type, int32_t local,
                       double *step, double *sync)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_ORACLE, job);
    const orr_cluster *c = ctx->world->real;
    orr_placement on = {.nodes = nodes};
    *step = *sync = 0;
    if (!t || nodes < 1 || type >= c->gpu_types)
        return false;
    for (int32_t i = 0; i < nodes; i++) {
        on.gpus += gpus[i];
        if (i < ORR_PLACEMENT_NODES)
            on.at[i] = gpus[i];
    }
    return orr_application_step(t->of, orr_application_type(t->of, type < 0 ? "" : c->type_names[type]), &on, local, step, sync);
}

double orr_job_iterations(orr_ctx *ctx, const orr_job *job, int32_t epochs, int64_t batch)
{
    const struct orr_training *t = training(ctx, ORR_KNOW_ORACLE, job);
    const double whole = t ? orr_application_iterations(t->of, epochs, batch) : -1;
    return whole < 0 ? -1 : whole * orr_training_part(job);
}
