/* conservative: every waiting job is promised a start in fifo order, and nobody may delay a promise. Promises are made on
 * counts of GPUs and believed durations. When a job ends early everyone moves up as far as the other promises allow; when one
 * overruns its estimate all promises are made anew. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return orr_time_seconds(orr_job_submit(job));
}

ORR_ORDER(conservative) = {
    .summary = "fifo with conservative backfill",
    .cite = "Mu'alem and Feitelson 2001",
    .deviations = "promises count GPUs, not shapes: a consolidating placer can delay them",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = key,
    .flags = ORR_ORDER_CONSERVATIVE,
};
