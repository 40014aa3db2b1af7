/* srtf: the jobs with the least believed time left run, preempting others at every arrival and end. The optimum of mean JCT on
 * one GPU when preemption is free. The `helios` preset needs `--costs helios` to match that simulator's times. */
#include <orrery/policy.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    return orr_est_remaining(ctx, job);
}

static const orr_preset presets[] = {
    {"helios", "ties=queue,admit=count,recheck=1s",
     "GPUs are counted, victims leave, then winners look for room (public Helios simulator)"},
    {"tiresias", "ties=last,admit=count+first-fit", "counts alone, stable ties (`shortest` of the public Tiresias simulator)"},
    {"blox", "hol=block,ties=submit,admit=yield,round=300s+first-fit,last=exact",
     "`Srtf` of the public Blox simulator: rounds, the last leave one by one"},
    {NULL, NULL, NULL},
};

ORR_ORDER(srtf) = {
    .summary = "shortest remaining time first, preemptive",
    .cite = "Schrage 1968; Helios SC'21, Tiresias NSDI'19 (baseline)",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .presets = presets,
    .key = key,
    .flags = ORR_ORDER_PREEMPTIVE | ORR_ORDER_SKIP | ORR_ORDER_VARYING,
};
