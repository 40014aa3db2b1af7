/* history: the mean duration of jobs that finished before, of the same user, name and GPUs; else of the same user and GPUs; of
 * the user; of all; and before any finished a fixed guess. Walk-forward: nothing is known before it happened. */
#include <orrery/history.h>

#include <stdio.h>

typedef struct settings {
    orr_time guess;
} settings;

enum { KEYS = 4, LENGTH = 600 };

/* From the most particular to the most general. */
static void keys_of(const orr_job *job, char keys[KEYS][LENGTH])
{
    snprintf(keys[0], LENGTH, "n\t%.250s\t%.250s\t%d", orr_job_user(job), orr_job_name(job), orr_job_gpus(job));
    snprintf(keys[1], LENGTH, "g\t%.250s\t%d", orr_job_user(job), orr_job_gpus(job));
    snprintf(keys[2], LENGTH, "u\t%.250s", orr_job_user(job));
    snprintf(keys[3], LENGTH, "a");
}

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    char keys[KEYS][LENGTH];
    double mean;
    keys_of(job, keys);
    for (int i = 0; i < KEYS; i++)
        if (orr_history_mean(ctx, keys[i], &mean))
            return orr_time_from_seconds(mean);
    return ((const settings *)orr_knobs(ctx))->guess;
}

static void observe(orr_ctx *ctx, const orr_job *job, orr_time took)
{
    char keys[KEYS][LENGTH];
    keys_of(job, keys);
    for (int i = 0; i < KEYS; i++)
        orr_history_add(ctx, keys[i], orr_time_seconds(took));
}

static const orr_knob knobs[] = {
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "before anything is known"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(history) = {
    .summary = "the mean of what alike jobs took before",
    .cite = "the exact-match part of Helios SC'21 section 4.2 (rolling estimate)",
    .deviations = "names match exactly or not at all",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_HISTORY,
    .duration = duration,
    .observe = observe,
};
