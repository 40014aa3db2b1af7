/* easy: fifo, but jobs behind a blocked head start where they do not delay the head's promised start. Promises are made on
 * counts of GPUs and believed durations. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return orr_time_seconds(orr_job_submit(job));
}

ORR_ORDER(easy) = {
    .summary = "fifo with EASY backfill",
    .cite = "Lifka 1995; Mu'alem and Feitelson 2001",
    .deviations = "the head's promise counts GPUs, not shapes: a consolidating placer can delay it",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = key,
    .flags = ORR_ORDER_EASY,
};
