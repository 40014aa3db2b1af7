/* ssf: waiting jobs start in the order of their believed GPU time (GPUs x duration). Not preemptive. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_gpus(job) * orr_est_duration(ctx, job);
}

static const orr_preset presets[] = {
    {"helios", "ties=row", "ties by input row"},
    {NULL, NULL, NULL},
};

ORR_ORDER(ssf) = {
    .summary = "smallest service first",
    .cite = "baseline of Helios SC'21 (QSSF with a perfect predictor)",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .presets = presets,
    .key = key,
};
