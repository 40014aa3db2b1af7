/* ridge: linear regression of the log of durations on who submits what and when (user, VC, name, GPUs, hour, weekday,
 * month), with a price on large weights. Solved from time to time, over all jobs that finished by then; before that the
 * mean of all, and before any finished a fixed guess. */
#include <orrery/history.h>

typedef struct settings {
    int64_t buckets, every;
    double lambda;
    int32_t refit;
    orr_time guess;
} settings;

static orr_ridge_rules rules_of(const settings *s)
{
    return (orr_ridge_rules){.buckets = s->buckets, .lambda = s->lambda, .every = s->every, .monthly = s->refit == 1};
}

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const orr_ridge_rules rules = rules_of(s);
    double seconds;
    if (orr_ridge_predict(ctx, job, &rules, &seconds) || orr_history_mean(ctx, "all", &seconds))
        return orr_time_from_seconds(seconds);
    return s->guess;
}

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    const orr_ridge_rules rules = rules_of(orr_knobs(ctx));
    orr_ridge_add(ctx, job, &rules, orr_time_seconds(took));
    orr_history_add(ctx, "all", orr_time_seconds(took));
}

static const orr_knob knobs[] = {
    {"lambda", ORR_KNOB_NUMBER, offsetof(settings, lambda), "1", "0.000001..1000000", "price of a weight's square"},
    {"buckets", ORR_KNOB_INT, offsetof(settings, buckets), "256", "8..2048", "features are hashed into so many"},
    {"refit", ORR_KNOB_CHOICE, offsetof(settings, refit), "jobs", "jobs|months", "after `every` jobs, or each month"},
    {"every", ORR_KNOB_INT, offsetof(settings, every), "1000", "1..inf", "jobs from refit to refit, fewer at first"},
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "before anything is known"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(ridge) = {
    .summary = "ridge regression of log durations on user, VC, name, GPUs and time",
    .cite = "in the place of the GBDT of Helios SC'21 section 4.2; Hoerl and Kennard 1970",
    .deviations = "linear instead of boosted trees; names instead of clusters of them; no day or minute",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_HISTORY,
    .duration = duration,
    .observe = observe,
};
