/* oracle: the truth. For upper bounds: results show the level. */
#include <orrery/policy.h>

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    return orr_truth_duration(ctx, job);
}

ORR_ESTIMATOR(oracle) = {
    .summary = "the true duration",
    .level = ORR_KNOW_ORACLE,
    .duration = duration,
};
