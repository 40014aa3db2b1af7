/* sgf: jobs that ask the fewest GPUs go first; what doesn't fit is skipped. Knows nothing about durations. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return orr_job_gpus(job);
}

static const orr_preset presets[] = {
    {"tiresias", "preempt=on,ties=last,admit=count+first-fit", "preemptive; `sjf` of the public Tiresias simulator"},
    {NULL, NULL, NULL},
};

ORR_ORDER(sgf) = {
    .summary = "smallest gang first",
    .cite = "`sjf` of the public Tiresias simulator orders so",
    .presets = presets,
    .key = key,
    .flags = ORR_ORDER_SKIP,
};
