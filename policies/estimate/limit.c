/* limit: what the user declared; without a declaration, a fixed guess. */
#include <orrery/policy.h>

typedef struct settings {
    orr_time guess;
} settings;

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    orr_time limit = orr_job_limit(ctx, job);
    return limit == ORR_TIME_NONE ? ((const settings *)orr_knobs(ctx))->guess : limit;
}

static const orr_knob knobs[] = {
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "for jobs without a limit"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(limit) = {
    .summary = "the limit that the user declared",
    .cite = "the estimate of production batch systems (EASY backfill)",
    .know = {[ORR_Q_LIMIT] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_DECLARED,
    .duration = duration,
};
