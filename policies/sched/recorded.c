/* recorded: replays what the recorded cluster did. Each job starts at its recorded start; with `--attempts replay` each
 * attempt does. On the recorded cluster, waits and completion times are then those of the record: a baseline for other
 * policies, and a check of how the trace was read.
 *
 * Where the record can't be followed, a job starts as soon as it fits: first those that are late, in the order of their
 * recorded starts, then those whose start isn't known, in the order of submission. Nobody holds up the others, since
 * the record says that they ran. Each such attempt is counted: `no-recorded-start`; `recorded-start-missed`, there was no
 * room, as on another cluster; `recorded-start-passed`, it came later than it was started there.
 *
 * It knows the recorded starts and nothing else, and preempts nobody. The list driver hears of a job when its time has
 * come, and of each attempt as of another job. */
#include <orrery/policy.h>

#include <stdio.h>

typedef struct settings {
    int32_t vc;
} settings;

typedef struct state {
    orr_list *list;
    orr_job **jobs; /* by index; NULL: its time isn't awaited */
    orr_job **fresh; /* their time came since the last decision */
    size_t room, fresh_count, fresh_room;
} state;

typedef struct memory {
    orr_time start; /* recorded, of this attempt */
    bool entered;   /* the list knows it */
} memory;

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    const memory *m = orr_job_state_of(ctx, job);
    if (m->start == ORR_TIME_NONE)
        return (orr_rank){1, orr_time_seconds(orr_job_submit(job))};
    return (orr_rank){0, orr_time_seconds(m->start)};
}

/* Room for `need` pointers; what was there stays. */
static orr_job **widen(orr_ctx *ctx, orr_job **jobs, size_t *room, size_t need)
{
    if (need <= *room)
        return jobs;
    size_t wider = *room ? 2 * *room : 64;
    wider = wider < need ? need : wider;
    orr_job **more = orr_alloc_memory(ctx, wider * sizeof *more);
    for (size_t i = 0; i < *room; i++)
        more[i] = jobs[i];
    *room = wider;
    return more;
}

/* ---- a job's life ---- */

static void await(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    memory *m = orr_job_state_of(ctx, job);
    uint32_t index = orr_job_index(job);
    *m = (memory){.start = orr_job_recorded_start(ctx, job)};
    s->jobs = widen(ctx, s->jobs, &s->room, (size_t)index + 1);
    s->jobs[index] = job;
    orr_arm(ctx, index, m->start > orr_now(ctx) ? m->start : orr_now(ctx));
}

static void enter(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    memory *m = orr_job_state_of(ctx, job);
    m->entered = true;
    s->jobs[orr_job_index(job)] = NULL;
    orr_list_event(s->list, job, &(orr_event){.kind = ORR_EV_SUBMITTED});
    s->fresh = widen(ctx, s->fresh, &s->fresh_room, s->fresh_count + 1);
    s->fresh[s->fresh_count++] = job;
}

/* One that ran at the origin may end before the first decision. */
static void forget(state *s, const orr_job *job)
{
    size_t left = 0;
    for (size_t i = 0; i < s->fresh_count; i++)
        if (s->fresh[i] != job)
            s->fresh[left++] = s->fresh[i];
    s->fresh_count = left;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    const memory *m = orr_job_state_of(ctx, job);
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        await(ctx, job);
        break;
    case ORR_EV_RETRIED: /* to the list, the next attempt is another job */
        orr_list_event(s->list, job, &(orr_event){.kind = ORR_EV_ENDED});
        await(ctx, job);
        break;
    case ORR_EV_STARTED:
        if (!m->entered) { /* it ran at the origin, whatever the record says of its start */
            orr_disarm(ctx, orr_job_index(job));
            enter(ctx, job);
        }
        orr_list_event(s->list, job, event);
        break;
    case ORR_EV_ENDED:
        forget(s, job);
        orr_list_event(s->list, job, event);
        break;
    default:
        orr_list_event(s->list, job, event);
    }
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    state *s = orr_state(ctx);
    if (cookie < s->room && s->jobs[cookie])
        enter(ctx, s->jobs[cookie]);
}

/* ---- the decision ---- */

static void note(orr_ctx *ctx, const orr_plan *plan, const orr_job *job)
{
    const memory *m = orr_job_state_of(ctx, job);
    if (orr_job_holds(job)) /* it ran at the origin */
        return;
    if (m->start == ORR_TIME_NONE)
        orr_note_decision(ctx, job, "no-recorded-start");
    else if (m->start < orr_now(ctx))
        orr_note_decision(ctx, job, "recorded-start-passed");
    else if (!orr_plan_held(plan, job))
        orr_note_decision(ctx, job, "recorded-start-missed");
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_err err = orr_list_schedule(s->list, plan);
    for (size_t i = 0; i < s->fresh_count; i++)
        note(ctx, plan, s->fresh[i]);
    s->fresh_count = 0;
    return err;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    orr_list_rules rules = {.rank = rank, .hol = ORR_HOL_SKIP, .vc = k->vc, .ties = ORR_TIES_SUBMIT};
    ((state *)orr_state(ctx))->list = orr_list_create(ctx, &rules);
    orr_trigger_events(ctx, 1u << ORR_EV_ENDED | 1u << ORR_EV_RETRIED | 1u << ORR_EV_INTERRUPTED |
                                1u << ORR_EV_NODE_UP); /* and when a job's time has come */
    return ORR_OK;
}

static void explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    const memory *m = orr_job_state_of(ctx, job);
    char at[ORR_TIME_BUF] = "";
    int32_t free = orr_scope_free(ctx, (orr_scope){.vc = orr_job_vc(job)});
    if (m->start != ORR_TIME_NONE)
        orr_time_clock(m->start, at);
    if (!m->entered)
        snprintf(buf, size, "its recorded start is at %s", at);
    else
        snprintf(buf, size, "it asks %d GPUs, %d are free; its recorded start %s%s", orr_job_gpus(job), free,
                 at[0] ? "was at " : "isn't known", at);
}

static const orr_knob knobs[] = {
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared|borrow",
     "jobs run in their VC's nodes; anywhere; or elsewhere if there is no room in them"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(recorded) = {
    .summary = "starts each job when the recorded cluster did",
    .deviations = "where a job ran and who was preempted for it is not replayed",
    .needs = ORR_CAP_RECORDED,
    .know = {[ORR_Q_RECORD] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(memory),
    .init = init,
    .on_job = on_job,
    .on_timer = on_timer,
    .schedule = schedule,
    .explain = explain,
};
