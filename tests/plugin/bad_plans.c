/* bad-plans: starts jobs as they come, and commits one crime after the other against the rules of plans; which, says a knob. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t crime;
} settings;

typedef struct state {
    orr_job *last;
} state;

enum { CAPACITY, TWICE, NOWHERE, PHANTOM, HALF, TOO_MUCH, PREEMPT_WAITING, START_RUNNING, FAIL };

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED)
        s->last = job;
    else if (event->kind == ORR_EV_ENDED && s->last == job)
        s->last = NULL;
}

static orr_err assign(orr_plan *plan, orr_job *job, int32_t node, uint64_t gpus)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    orr_err err = orr_alloc_add(alloc, node, gpus);
    return err ? err : orr_plan_assign(plan, job, alloc);
}

static orr_err commit_crime(orr_plan *plan, orr_job *job, int32_t crime)
{
    switch (crime) {
    case CAPACITY:
        return assign(plan, job, 0, 3); /* what the first job holds */
    case TWICE: {
        orr_alloc *alloc = orr_plan_alloc(plan);
        orr_alloc_add(alloc, 0, 4);
        orr_alloc_add(alloc, 0, 4);
        return orr_plan_assign(plan, job, alloc);
    }
    case NOWHERE:
        return assign(plan, job, 1000000, 3);
    case PHANTOM:
        return assign(plan, job, 0, (uint64_t)3 << 62);
    case HALF:
        return assign(plan, job, 0, 4);
    case TOO_MUCH:
        return assign(plan, job, 0, ~(uint64_t)0);
    case PREEMPT_WAITING:
        return orr_plan_preempt(plan, job);
    case START_RUNNING:
        orr_plan_start(plan, job);
        return orr_plan_start(plan, job);
    default:
        return ORR_E_BAD_JOB;
    }
}

/* The first job is served well, all others are not. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job = ((state *)orr_state(ctx))->last;
    if (!job || orr_job_state_now(job) != ORR_JOB_QUEUED)
        return ORR_OK;
    if (orr_job_index(job) == 0)
        return assign(plan, job, 0, 3);
    return commit_crime(plan, job, ((const settings *)orr_knobs(ctx))->crime);
}

static const orr_knob knobs[] = {
    {"crime", ORR_KNOB_CHOICE, offsetof(settings, crime), NULL,
     "capacity|twice|nowhere|phantom|half|too-much|preempt-waiting|start-running|fail", "what to do to the second job"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(bad_plans) = {
    .summary = "breaks the rules of plans",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .on_job = on_job,
    .schedule = schedule,
};
