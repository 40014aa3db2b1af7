/* sjf: waiting jobs start in the order of their believed duration; the first that does not fit blocks. Not preemptive. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_est_duration(ctx, job);
}

static const orr_preset presets[] = {
    {"helios", "ties=row", "ties by input row, as in the public Helios simulator"},
    {NULL, NULL, NULL},
};

ORR_ORDER(sjf) = {
    .summary = "shortest job first",
    .cite = "Helios SC'21, Lucid ASPLOS'23 (baseline)",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .presets = presets,
    .key = key,
};
