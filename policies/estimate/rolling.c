/* rolling: people run the same thing again. The mean duration of finished jobs of the same name: of the user's with as
 * many GPUs, else of the user's, else of everyone's. For a name that no finished job had, close ones stand in; without
 * any, the mean of the user's jobs, else of all; before any finished, a fixed guess. */
#include <orrery/history.h>

typedef struct settings {
    orr_rolling_rules rules;
    orr_time guess;
} settings;

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    double mean;
    return orr_rolling_mean(ctx, job, &s->rules, &mean) ? orr_time_from_seconds(mean) : s->guess;
}

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    orr_rolling_add(ctx, job, &((const settings *)orr_knobs(ctx))->rules, orr_time_seconds(took));
}

static const orr_knob knobs[] = {
    {"cut", ORR_KNOB_NUMBER, offsetof(settings, rules.cut), "0.6", "0..1", "least similarity of a close name"},
    {"matches", ORR_KNOB_INT, offsetof(settings, rules.matches), "2", "0..8", "how many close names count; 0: none"},
    {"look", ORR_KNOB_INT, offsetof(settings, rules.look), "1000", "1..1000000", "compare with so many names"},
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "before anything is known"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(rolling) = {
    .summary = "the mean of what jobs of the same or a similar name took before",
    .cite = "Helios SC'21 section 4.2 (rolling estimate)",
    .deviations = "a new name is compared with the `look` names that were new last, not with all",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_HISTORY,
    .duration = duration,
    .observe = observe,
};
