/* ssf: waiting jobs start in the order of their believed GPU time (GPUs x duration). Not preemptive.
 * qssf is this with a first look at the gangs of jobs that come while nobody waits. */
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
    .cite = "baseline of Helios SC'21 (the priority of QSSF, with the truth)",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .presets = presets,
    .key = key,
};
