/* mlfq: multi-level feedback queues. A job starts in the first queue and moves down when its service passes the queue's
 * threshold; a lower queue runs when the upper ones leave room. `promote=p`: a job that ran e seconds and then waited p * e goes
 * back to the first queue. Knows only the past of each job. */
#include <orrery/policy.h>

typedef struct settings {
    orr_list_of_numbers thresholds;
    int32_t service, within, vc, hol;
    double promote;
} settings;

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    orr_mlfq_rules rules = {
        .thresholds = s->thresholds,
        .by_time = s->service == 1,
        .within = s->within,
        .promote = s->promote,
        .list = {.preemptive = true, .hol = s->hol, .vc = s->vc},
    };
    orr_mlfq_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"thresholds", ORR_KNOB_LIST, offsetof(settings, thresholds), "600/3600/36000", "0..inf", "service at which a queue is left"},
    {"service", ORR_KNOB_CHOICE, offsetof(settings, service), "time", "gpu|time", "GPU-seconds, or seconds held"},
    {"within", ORR_KNOB_CHOICE, offsetof(settings, within), "position", "start|submit|position", "order inside a queue"},
    {"promote", ORR_KNOB_NUMBER, offsetof(settings, promote), "inf", "0..inf", "back to the first queue after this times the time run"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "skip", "block|skip", "the first job that doesn't fit blocks, or is skipped"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "queues a VC, or for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(mlfq) = {
    .summary = "multi-level feedback queues, preemptive",
    .cite = "Corbato et al. 1962; as a job scheduler in Tiresias NSDI'19 section 3",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .init = init,
    .on_job = orr_drive_on_job,
    .schedule = orr_drive_schedule,
};
