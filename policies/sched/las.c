/* las: the jobs that attained the least service (GPU-seconds) so far run. Looks again every quantum, without which two equal
 * jobs would swap for ever. Knows only the past of each job. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_service(ctx, job);
}

ORR_ORDER(las) = {
    .summary = "least attained service first, preemptive",
    .cite = "Nuyens and Wierman 2008; two-dimensional as in Tiresias NSDI'19",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .key = key,
    .flags = ORR_ORDER_PREEMPTIVE | ORR_ORDER_SKIP | ORR_ORDER_VARYING,
    .quantum = "60s",
};
