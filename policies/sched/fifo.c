/* fifo: jobs start in the order in which they came; a gang that does not fit holds the line (`hol=skip`: it is passed over).
 * Knows nothing about durations. In papers on deep learning also called YARN-CS: one queue a VC, gangs, no preemption, GPUs on
 * as few servers as possible. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return orr_time_seconds(orr_job_submit(job));
}

static const orr_preset presets[] = {
    {"helios", "ties=row", "ties by input row, as in the public Helios simulator"},
    {"blox", "preempt=on,ties=submit,admit=yield,round=300s+first-fit,last=exact",
     "`Fifo` of the public Blox simulator: rounds, and its way of finding GPUs"},
    {NULL, NULL, NULL},
};

ORR_ORDER(fifo) = {
    .summary = "first in, first out",
    .cite = "the YARN capacity scheduler with one queue (YARN-CS), as in Tiresias NSDI'19 and Helios SC'21",
    .presets = presets,
    .key = key,
};
