/* delay: delay scheduling. Jobs start in the order of submission, each on the fewest nodes of one rack. One that finds
 * enough GPUs, but too far apart, lets them go and is overtaken; when it has held out for `node` since then it is
 * content with one rack, and when it has for `rack` more (counted again from when it lets GPUs go) with anything.
 *
 * Source: Zaharia et al., Delay Scheduling, EuroSys'10, where tasks wait for nodes that have their data; here gangs
 * wait for GPUs that are near each other, as SPIN, Philly and Tiresias do it. Durations aren't known. */
#include <orrery/policy.h>

typedef struct settings {
    orr_time node, rack;
} settings;

typedef struct state {
    orr_near *near;
} state;

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    st->near = orr_near_create(ctx, &(orr_near_rules){.node = s->node, .rack = s->rack, .from_offer = true});
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const state *st = orr_state(ctx);
    orr_near_event(st->near, job, event);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const state *st = orr_state(ctx);
    orr_near_begin(st->near);
    return orr_near_schedule(st->near, plan, NULL);
}

static const orr_knob knobs[] = {
    {"node", ORR_KNOB_TIME, offsetof(settings, node), "60s", "0..", "how long a job holds out for the fewest nodes"},
    {"rack", ORR_KNOB_TIME, offsetof(settings, rack), "300s", "0..", "and then for one rack"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(delay) = {
    .summary = "first in, first out, but jobs wait a while for GPUs that are near each other",
    .cite = "Zaharia et al., Delay Scheduling, EuroSys'10",
    .deviations = "of jobs that ask alike the first alone is offered GPUs, so that nobody behind it loses patience",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .placer = "first-fit", /* of parts of GPUs; and what it has no room for is rejected at the door */
};
