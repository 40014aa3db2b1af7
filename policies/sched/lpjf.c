/* lpjf: whoever has waited longest in all goes first. Waiting times of waiting jobs grow alike, so their order is that of
 * submission plus time held; it differs from fifo for jobs that come back (retries, preemptions). */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_time_seconds(orr_time_add(orr_job_submit(job), orr_job_held(ctx, job)));
}

ORR_ORDER(lpjf) = {
    .summary = "longest pending job first",
    .cite = "baseline of the survey (Gao et al. 2022)",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .key = key,
};
