/* user-mean: the mean duration of the user's jobs that finished before; of a user who has none, of all that finished;
 * before any finished, a fixed guess. The least that history can tell. */
#include <orrery/history.h>

#include <stdio.h>

typedef struct settings {
    orr_time guess;
} settings;

enum { LENGTH = 512 };

static void key_of(const orr_job *job, char key[LENGTH])
{
    snprintf(key, LENGTH, "user %.500s", orr_job_user(job));
}

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    char key[LENGTH];
    double mean;
    key_of(job, key);
    if (orr_history_mean(ctx, key, &mean) || orr_history_mean(ctx, "all", &mean))
        return orr_time_from_seconds(mean);
    return ((const settings *)orr_knobs(ctx))->guess;
}

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    char key[LENGTH];
    key_of(job, key);
    orr_history_add(ctx, key, orr_time_seconds(took));
    orr_history_add(ctx, "all", orr_time_seconds(took));
}

static const orr_knob knobs[] = {
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "before anything is known"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(user_mean) = {
    .summary = "the mean of what the user's jobs took before",
    .cite = "the last resort of Helios SC'21's rolling estimate",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_HISTORY,
    .duration = duration,
    .observe = observe,
};
