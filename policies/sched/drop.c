/* drop: a job that finds no room when it comes is turned away for good. Jobs are looked at in the order in which they came,
 * and the ones behind a job without room are not held up by it. Nobody waits for GPUs, but for a job that had them before
 * and lost them: an attempt that failed, a node that went away. Queueing theory's loss system; the experiments of the public
 * FGD simulator are run so. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t vc;
} settings;

typedef struct state {
    orr_list *list;
    orr_job *fresh; /* came since the last decision */
} state;

typedef struct own { /* by job */
    orr_job *before, *next; /* among the fresh */
    bool fresh;
} own;

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return (orr_rank){.major = orr_time_seconds(orr_job_submit(job))};
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    const orr_list_rules rules = {.rank = rank, .hol = ORR_HOL_SKIP, .vc = k->vc};
    ((state *)orr_state(ctx))->list = orr_list_create(ctx, &rules);
    return ORR_OK;
}

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static void add_fresh(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    *own_of(ctx, job) = (own){.next = s->fresh, .fresh = true};
    if (s->fresh)
        own_of(ctx, s->fresh)->before = job;
    s->fresh = job;
}

static void remove_fresh(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    own *o = own_of(ctx, job);
    if (!o->fresh)
        return;
    o->fresh = false;
    if (o->next)
        own_of(ctx, o->next)->before = o->before;
    *(o->before ? &own_of(ctx, o->before)->next : &s->fresh) = o->next;
}

/* A job that held GPUs before the run begins has them at once, and may be over before the first decision. */
static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_list_event(((state *)orr_state(ctx))->list, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        add_fresh(ctx, job);
    else
        remove_fresh(ctx, job);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_err err = orr_list_schedule(s->list, plan);
    while (s->fresh && !err) {
        orr_job *job = s->fresh;
        remove_fresh(ctx, job);
        if (!orr_plan_held(plan, job))
            err = orr_plan_reject(plan, job, "no-room");
    }
    return err;
}

static const orr_knob knobs[] = {
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared|borrow",
     "its own nodes a VC; all nodes for all; a VC's own nodes, and others' where they are idle"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(drop) = {
    .summary = "what finds no room at once is turned away",
    .cite = "the loss system of queueing theory; experiments of FGD, USENIX ATC 2023",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
