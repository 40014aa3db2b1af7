/* las: the jobs that attained the least service (GPU-seconds) so far run. Looks again every quantum, without which two equal
 * jobs would swap for ever. Knows only the past of each job. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t service;
} settings;

static double key(orr_ctx *ctx, const orr_job *job)
{
    bool time = ((const settings *)orr_knobs(ctx))->service == 1;
    return time ? orr_time_seconds(orr_job_held(ctx, job)) : orr_job_service(ctx, job);
}

static const orr_knob knobs[] = {
    {"service", ORR_KNOB_CHOICE, offsetof(settings, service), "gpu", "gpu|time", "GPU-seconds, or seconds held"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"blox", "service=time,hol=block,ties=submit,admit=yield,round=300s,quantum=0+first-fit,last=exact",
     "`Las` of the public Blox simulator: rounds, seconds held, the last leave one by one"},
    {NULL, NULL, NULL},
};

ORR_ORDER(las) = {
    .summary = "least attained service first, preemptive",
    .cite = "Nuyens and Wierman 2008; two-dimensional as in Tiresias NSDI'19",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .key = key,
    .flags = ORR_ORDER_PREEMPTIVE | ORR_ORDER_SKIP | ORR_ORDER_VARYING,
    .quantum = "60s",
};
