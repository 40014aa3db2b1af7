/* qssf: quasi-shortest service first. Waiting jobs start in the order of GPUs x believed duration; the first that
 * doesn't fit blocks. Not preemptive; a queue a VC.
 *
 * Jobs that come while nobody waits are taken by the size of their gang first, smallest in front. Those left waiting by
 * this get their priority, once and for good, and are tried again in that order: at once, or after `again` (the public
 * simulator does so at its next second). Whoever comes to a queue in which others waited before gets it right away.
 * `ssf~qssf` is the same without the first look.
 *
 * Source: Hu et al., Helios, SC'21, section 4.2, and its public simulator. */
#include <orrery/policy.h>

typedef struct settings {
    orr_time again;
    int32_t ties, vc;
} settings;

typedef struct queue { /* of a VC */
    orr_job *fresh;    /* waiting jobs without a priority, the latest first */
    int32_t fresh_count, waiting;
    orr_time since;    /* when the first of them came */
    bool tried;        /* they were looked at by their gangs */
} queue;

typedef struct state {
    orr_list *list;
    queue *queues;
    int32_t count;
} state;

typedef struct own { /* by job */
    orr_job *before, *after; /* among the fresh */
    bool fresh, waits;
} own;

static queue *queue_of(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    return &s->queues[s->count == 1 ? 0 : orr_job_vc(job)];
}

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    double gpus = orr_job_gpus(job);
    if (((own *)orr_job_state_of(ctx, job))->fresh)
        return (orr_rank){.major = gpus};
    return (orr_rank){.major = gpus * orr_est_duration(ctx, job), .minor = gpus};
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

static void begin_waiting(orr_ctx *ctx, orr_job *job)
{
    queue *q = queue_of(ctx, job);
    if (!q->fresh) {
        q->since = orr_now(ctx);
        q->tried = false;
    } else {
        ((own *)orr_job_state_of(ctx, q->fresh))->before = job;
    }
    *(own *)orr_job_state_of(ctx, job) = (own){.after = q->fresh, .fresh = true, .waits = true};
    q->fresh = job;
    q->fresh_count++;
    q->waiting++;
}

static void stay_no_longer_fresh(orr_ctx *ctx, queue *q, orr_job *job)
{
    own *o = orr_job_state_of(ctx, job);
    if (!o->fresh)
        return;
    if (o->before)
        ((own *)orr_job_state_of(ctx, o->before))->after = o->after;
    else
        q->fresh = o->after;
    if (o->after)
        ((own *)orr_job_state_of(ctx, o->after))->before = o->before;
    o->before = o->after = NULL;
    o->fresh = false;
    q->fresh_count--;
}

static void end_waiting(orr_ctx *ctx, orr_job *job)
{
    own *o = orr_job_state_of(ctx, job);
    queue *q = queue_of(ctx, job);
    stay_no_longer_fresh(ctx, q, job);
    q->waiting -= o->waits;
    o->waits = false;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    orr_list_rules rules = {.rank = rank, .ties = k->ties, .vc = k->vc, .depth = INT64_MAX};
    s->count = k->vc == ORR_VC_SHARED ? 1 : orr_cluster_vcs(ctx);
    s->queues = orr_alloc_memory(ctx, (size_t)s->count * sizeof *s->queues);
    s->list = orr_list_create(ctx, &rules);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_RETRIED || event->kind == ORR_EV_PREEMPTED ||
        event->kind == ORR_EV_INTERRUPTED)
        begin_waiting(ctx, job);
    else if (event->kind == ORR_EV_STARTED || event->kind == ORR_EV_ENDED)
        end_waiting(ctx, job);
    orr_drive_on_job(ctx, job, event);
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static void rank_fresh(orr_ctx *ctx, queue *q)
{
    state *s = orr_state(ctx);
    while (q->fresh) {
        orr_job *job = q->fresh;
        stay_no_longer_fresh(ctx, q, job);
        orr_list_touch(s->list, job);
    }
}

static void look(orr_ctx *ctx, queue *q)
{
    bool waited = q->waiting > q->fresh_count || q->since < orr_now(ctx) || q->tried;
    if (waited)
        rank_fresh(ctx, q);
    else
        q->tried = true;
}

static bool some_are_left(orr_ctx *ctx, const orr_plan *plan, const queue *q)
{
    const orr_job *job = q->fresh;
    while (job && orr_plan_held(plan, job))
        job = ((const own *)orr_job_state_of(ctx, job))->after;
    return job != NULL;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->count; i++)
        if (s->queues[i].fresh)
            look(ctx, &s->queues[i]);
    orr_err err = orr_drive_schedule(ctx, plan);
    for (int32_t i = 0; i < s->count; i++)
        if (some_are_left(ctx, plan, &s->queues[i]))
            orr_arm(ctx, (uint64_t)i, orr_time_add(orr_now(ctx), ((const settings *)orr_knobs(ctx))->again));
    return err;
}

static const orr_knob knobs[] = {
    {"again", ORR_KNOB_TIME, offsetof(settings, again), "0", "0..inf", "until arrivals left waiting go by priority"},
    {"ties", ORR_KNOB_CHOICE, offsetof(settings, ties), "id", "id|row|queue|last|submit", "equal priority and gang"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "a queue a VC, or one for all"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"helios", "again=1s,ties=queue", "as the public Helios simulator, whose clock ticks in seconds"},
    {NULL, NULL, NULL},
};

ORR_POLICY(qssf) = {
    .summary = "quasi-shortest service first: by GPUs x predicted duration",
    .cite = "Hu et al., Helios, SC'21, section 4.2",
    .deviations = "predictions learn as the run goes, with a linear model (see the estimator qssf), untrained at first",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .estimator = "qssf",
};
