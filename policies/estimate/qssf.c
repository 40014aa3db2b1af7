/* qssf: what Helios' scheduler believes, alpha of the rolling estimate and 1 - alpha of a regression. Until the
 * regression has something to say, the rolling estimate alone; before any job finished, a fixed guess. `rolling` and
 * `ridge` are its parts. */
#include <orrery/history.h>

typedef struct settings {
    orr_rolling_rules rolling;
    double alpha, lambda;
    int32_t refit;
    orr_time guess;
} settings;

static orr_ridge_rules ridge_of(const settings *s)
{
    return (orr_ridge_rules){.buckets = 256, .lambda = s->lambda, .every = 1000, .monthly = s->refit == 1};
}

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const orr_ridge_rules rules = ridge_of(s);
    double rolling, ridge;
    if (!orr_rolling_mean(ctx, job, &s->rolling, &rolling))
        return s->guess;
    if (!orr_ridge_predict(ctx, job, &rules, &ridge))
        return orr_time_from_seconds(rolling);
    return orr_time_from_seconds(s->alpha * rolling + (1 - s->alpha) * ridge);
}

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    const settings *s = orr_knobs(ctx);
    const orr_ridge_rules rules = ridge_of(s);
    orr_rolling_add(ctx, job, &s->rolling, orr_time_seconds(took));
    orr_ridge_add(ctx, job, &rules, orr_time_seconds(took));
}

static const orr_knob knobs[] = {
    {"alpha", ORR_KNOB_NUMBER, offsetof(settings, alpha), "0.1", "0..1", "weight of the rolling estimate"},
    {"cut", ORR_KNOB_NUMBER, offsetof(settings, rolling.cut), "0.6", "0..1", "least similarity of a close name"},
    {"matches", ORR_KNOB_INT, offsetof(settings, rolling.matches), "2", "0..8", "how many close names count"},
    {"look", ORR_KNOB_INT, offsetof(settings, rolling.look), "1000", "1..1000000", "compare with so many names"},
    {"lambda", ORR_KNOB_NUMBER, offsetof(settings, lambda), "1", "0.000001..1000000", "price of a weight's square"},
    {"refit", ORR_KNOB_CHOICE, offsetof(settings, refit), "jobs", "jobs|months", "after 1000 jobs, or each month"},
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "before anything is known"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(qssf) = {
    .summary = "a blend of the rolling estimate and a regression",
    .cite = "Helios SC'21 section 4.2 (QSSF)",
    .deviations = "ridge regression in the place of boosted trees; what `rolling` and `ridge` say of themselves",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_HISTORY,
    .duration = duration,
    .observe = observe,
};
