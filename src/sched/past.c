/* The doors of <orrery/history.h>: what an instance remembers is made when it is first used. */
#include "predict/history.h"
#include "predict/ridge.h"
#include "predict/rolling.h"
#include "predict/series.h"
#include "sched/ctx.h"

static orr_sample sample_of(const orr_ctx *ctx, const orr_job *job)
{
    return (orr_sample){
        .user = orr_job_user(job),
        .name = orr_job_name(job),
        .vc = orr_job_vc(job),
        .gpus = orr_job_gpus(job),
        .submitted = orr_date_at(ctx, orr_job_submit(job)),
    };
}

void orr_history_add(orr_ctx *ctx, const char *key, double value)
{
    if (!ctx->history)
        ctx->history = orr_history_create();
    orr_history_put(ctx->history, key, strlen(key), value);
}

bool orr_history_mean(orr_ctx *ctx, const char *key, double *mean)
{
    orr_seen seen = ctx->history ? orr_history_get(ctx->history, key, strlen(key)) : (orr_seen){0};
    if (seen.count)
        *mean = seen.sum / (double)seen.count;
    return seen.count > 0;
}

static struct rolling *rolling_of(orr_ctx *ctx, const orr_rolling_rules *rules)
{
    if (!ctx->rolling)
        ctx->rolling = orr_rolling_create(rules);
    return ctx->rolling;
}

void orr_rolling_add(orr_ctx *ctx, const orr_job *job, const orr_rolling_rules *rules, double value)
{
    const orr_sample sample = sample_of(ctx, job);
    orr_rolling_put(rolling_of(ctx, rules), &sample, value);
}

bool orr_rolling_mean(orr_ctx *ctx, const orr_job *job, const orr_rolling_rules *rules, double *mean)
{
    const orr_sample sample = sample_of(ctx, job);
    return orr_rolling_get(rolling_of(ctx, rules), &sample, mean);
}

static struct ridge *ridge_of(orr_ctx *ctx, const orr_ridge_rules *rules)
{
    if (!ctx->ridge)
        ctx->ridge = orr_ridge_create(rules);
    return ctx->ridge;
}

void orr_ridge_add(orr_ctx *ctx, const orr_job *job, const orr_ridge_rules *rules, double seconds)
{
    const orr_sample sample = sample_of(ctx, job);
    orr_ridge_put(ridge_of(ctx, rules), &sample, orr_date_at(ctx, orr_now(ctx)), seconds);
}

bool orr_ridge_predict(orr_ctx *ctx, const orr_job *job, const orr_ridge_rules *rules, double *seconds)
{
    const orr_sample sample = sample_of(ctx, job);
    return orr_ridge_get(ridge_of(ctx, rules), &sample, orr_date_at(ctx, orr_now(ctx)), seconds);
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

orr_series *orr_series_create(orr_ctx *ctx, int64_t period)
{
    orr_series *s = orr_arena_alloc(&ctx->arena, sizeof *s);
    size_t places = period < 1 ? 1 : (size_t)period;
    double *means = orr_arena_alloc(&ctx->arena, places * sizeof *means);
    orr_series_init(s, period, means, orr_arena_alloc(&ctx->arena, places * sizeof(int64_t)));
    return s;
}

void orr_series_add(orr_series *s, double value)
{
    orr_series_put(s, value);
}

void orr_series_forecast(orr_ctx *ctx, const orr_series *s, int64_t n, double *out)
{
    orr_ctx_may_use(ctx, ORR_Q_LOAD, ORR_KNOW_HISTORY, NULL);
    orr_series_next(s, n, out);
}
