/* fifo: a second one. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return -orr_time_seconds(orr_job_submit(job));
}

ORR_ORDER(fifo) = {
    .summary = "last in, first out, under a false name",
    .key = key,
};
