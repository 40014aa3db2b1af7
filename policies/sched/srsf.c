/* srsf: the jobs with the least believed GPU time left (GPUs x remaining time) run, preempting others. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_gpus(job) * orr_est_remaining(ctx, job);
}

static const orr_preset presets[] = {
    {"tiresias", "ties=last,admit=count+first-fit", "`shortest-gpu` of the public Tiresias simulator"},
    {NULL, NULL, NULL},
};

ORR_ORDER(srsf) = {
    .summary = "smallest remaining service first, preemptive",
    .cite = "Tiresias NSDI'19 (baseline)",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .presets = presets,
    .key = key,
    .flags = ORR_ORDER_PREEMPTIVE | ORR_ORDER_SKIP | ORR_ORDER_VARYING,
};
