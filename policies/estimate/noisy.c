/* noisy: the truth times an error, the same for a job whatever the policy: exp(sigma z), z standard normal, so that half of the
 * jobs are believed too short and half too long. For studies of sensitivity to misprediction. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    double sigma;
} settings;

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    double factor = exp(((const settings *)orr_knobs(ctx))->sigma * orr_random_of_job(ctx, job));
    return orr_time_from_seconds(floor(orr_time_seconds(orr_truth_duration(ctx, job)) * factor * 1e3) / 1e3);
}

static const orr_knob knobs[] = {
    {"sigma", ORR_KNOB_NUMBER, offsetof(settings, sigma), "0.5", "0..10", "standard deviation of the log of the error"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(noisy) = {
    .summary = "the true duration times a log-normal error",
    .level = ORR_KNOW_NOISY,
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .duration = duration,
};
