/* Multi-level feedback queues: which queue a job is in, and where; the list driver does the rest.
 *
 * Exact mode watches thresholds, so that a demotion happens at the very ns. With `on_events` they are looked at when
 * something else happens and at predicted whole seconds: the way of simulators that keep books at their events only. */
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

typedef struct member { /* by job slot */
    orr_job *job;
    int32_t queue;
    bool behind;        /* POSITION: among those that don't run, which stand behind those that do */
    bool moved;         /* POSITION: demoted while it runs: joins those that run after that instant's decision, */
    orr_time moved_at;
    double place;       /* POSITION: least first */
    orr_wide base_service; /* thousandths of GPU·ns that it had when it (re)entered queue 0 */
    orr_time base_held;
    orr_time waited, checked; /* on_events: waiting since queue 0, and when it was last added up */
} member;

struct orr_mlfq {
    orr_ctx *ctx;
    orr_mlfq_rules rules;
    orr_list *list;
    ORR_VEC(member) members;
    ORR_VEC(uint32_t) active; /* on_events: slots by submission */
    ORR_VEC(uint32_t) moved;
    double tail, front;
};

enum { JUMP_COOKIE = 1 }; /* beside the policy's own cookies: drivers' start at ORR_COOKIE_DRIVER */
#define COOKIE (ORR_COOKIE_DRIVER | (uint64_t)1 << 62 | JUMP_COOKIE)

static orr_mlfq *mlfq_of(orr_ctx *ctx);

static member *of(const orr_mlfq *m, const orr_job *job)
{
    return &m->members.at[job->slot];
}

static orr_time executed(const orr_mlfq *m, const member *x)
{
    return orr_life_held(m->ctx->world->life, x->job) - x->base_held;
}

/* In the thresholds' unit. */
static double attained(const orr_mlfq *m, const member *x)
{
    if (m->rules.by_time)
        return orr_time_seconds(executed(m, x));
    return orr_gpu_seconds(orr_life_service(m->ctx->world->life, x->job) - x->base_service);
}

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    const orr_mlfq *m = mlfq_of(ctx);
    const member *x = of(m, job);
    orr_rank r = {.major = x->queue};
    switch (m->rules.within) {
    case ORR_WITHIN_START:
        r.minor = job->first_start == ORR_TIME_NONE ? INFINITY : orr_time_seconds(job->first_start);
        break;
    case ORR_WITHIN_POSITION:
        r.major = 2 * x->queue + x->behind;
        r.minor = x->place;
        break;
    case ORR_WITHIN_JOINED:
        r.minor = x->place;
        break;
    case ORR_WITHIN_SCORE:
        r.minor = -m->rules.score(ctx, job, attained(m, x));
        break;
    default:
        break;
    }
    return r;
}

orr_mlfq *orr_mlfq_create(orr_ctx *ctx, const orr_mlfq_rules *rules)
{
    orr_mlfq *m = orr_alloc_memory(ctx, sizeof *m);
    m->ctx = ctx;
    m->rules = *rules;
    orr_list_rules list = rules->list;
    list.rank = rank;
    list.varying = rules->within != ORR_WITHIN_SUBMIT;
    if (rules->within == ORR_WITHIN_SUBMIT && list.ties == ORR_TIES_ID)
        list.ties = ORR_TIES_SUBMIT; /* the queue's order is the tie rule: running jobs have no say in it */
    if (list.depth == 0)
        list.depth = INT64_MAX;
    m->list = orr_list_create(ctx, &list);
    ctx->mlfq = m;
    return m;
}

int32_t orr_mlfq_queue(const orr_mlfq *m, const orr_job *job)
{
    return of(m, job)->queue;
}

void orr_mlfq_fini(orr_mlfq *m)
{
    if (!m)
        return;
    ORR_VEC_FREE(&m->members);
    ORR_VEC_FREE(&m->active);
    ORR_VEC_FREE(&m->moved);
}

static orr_mlfq *mlfq_of(orr_ctx *ctx)
{
    return ctx->mlfq;
}

static void to_tail(orr_mlfq *m, member *x, int32_t queue)
{
    x->queue = queue;
    x->behind = true;
    x->place = m->tail += 1;
    if (m->rules.within != ORR_WITHIN_JOINED && orr_holds(x->job) && !x->moved) {
        x->moved = true;
        x->moved_at = m->ctx->world->life->now;
        ORR_VEC_PUSH(&m->moved, x->job->slot);
    }
}

static bool has_lower(const orr_mlfq *m, const member *x)
{
    return x->queue < m->rules.thresholds.count;
}

/* ---- exact ------------------------------------------------------------------------------------------------------- */

static void watch_threshold(orr_mlfq *m, member *x)
{
    if (m->rules.on_events || !has_lower(m, x))
        return;
    double threshold = m->rules.thresholds.at[x->queue];
    double service = threshold * (m->rules.by_time ? x->job->record->gpus : 1);
    orr_watch(m->ctx, x->job, ORR_WATCH_SERVICE, orr_gpu_seconds(x->base_service) + service);
}

static void watch_waiting(orr_mlfq *m, member *x)
{
    if (m->rules.on_events || isinf(m->rules.promote) || x->queue == 0)
        return;
    orr_watch(m->ctx, x->job, ORR_WATCH_WAITING, m->rules.promote * orr_time_seconds(executed(m, x)));
}

static void promote(orr_mlfq *m, member *x)
{
    x->base_service = orr_life_service(m->ctx->world->life, x->job);
    x->base_held = orr_life_held(m->ctx->world->life, x->job);
    x->waited = 0;
    to_tail(m, x, 0);
    watch_threshold(m, x);
    orr_note_decision(m->ctx, x->job, "promoted");
    orr_list_touch(m->list, x->job);
}

static void demote(orr_mlfq *m, member *x)
{
    to_tail(m, x, x->queue + 1);
    watch_threshold(m, x);
    orr_note_decision(m->ctx, x->job, "demoted");
    orr_list_touch(m->list, x->job);
}

static void crossed(orr_mlfq *m, member *x, orr_watched what)
{
    if (what == ORR_WATCH_WAITING)
        promote(m, x);
    else if (has_lower(m, x))
        demote(m, x);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void enter(orr_mlfq *m, orr_job *job)
{
    while (m->members.n <= job->slot)
        ORR_VEC_PUSH(&m->members, ((member){0}));
    member *x = of(m, job);
    *x = (member){.job = job, .checked = m->ctx->world->life->now};
    to_tail(m, x, 0);
    if (m->rules.on_events)
        ORR_VEC_PUSH(&m->active, job->slot);
}

static void leave(orr_mlfq *m, const orr_job *job)
{
    size_t k = 0;
    while (k < m->active.n && m->active.at[k] != job->slot) /* on_events only: O(active), as declared */
        k++;
    if (k < m->active.n) {
        memmove(m->active.at + k, m->active.at + k + 1, (m->active.n - k - 1) * sizeof *m->active.at);
        m->active.n--;
    }
    of(m, job)->moved = false;
}

static void to_those_that_run(orr_mlfq *m, member *x)
{
    x->behind = false;
    x->place = m->tail += 1;
}

/* Among those that wait, whoever just ran stands in front, in the order in which they ran. */
static void to_front(orr_mlfq *m, member *x)
{
    if (x->behind) /* demoted in this very decision: it stays at the tail; or JOINED: all do */
        return;
    x->behind = true;
    x->place = m->front += 1;
}

void orr_mlfq_event(orr_mlfq *m, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED)
        enter(m, job);
    member *x = of(m, job);
    switch (event->kind) {
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        to_front(m, x);
        orr_list_event(m->list, job, event);
        watch_waiting(m, x);
        return;
    case ORR_EV_STARTED:
        if (m->rules.within != ORR_WITHIN_JOINED)
            to_those_that_run(m, x);
        orr_unwatch(m->ctx, job, ORR_WATCH_WAITING);
        break;
    case ORR_EV_ENDED:
        leave(m, job);
        break;
    case ORR_EV_THRESHOLD:
        crossed(m, x, event->watched);
        return;
    default:
        break;
    }
    orr_list_event(m->list, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        watch_threshold(m, x);
}

/* ---- on_events --------------------------------------------------------------------------------------------------- */

static void settle_moved(orr_mlfq *m)
{
    size_t left = 0;
    for (size_t i = 0; i < m->moved.n; i++) {
        member *x = &m->members.at[m->moved.at[i]];
        if (!x->moved)
            continue;
        if (x->moved_at == m->ctx->world->life->now) {
            m->moved.at[left++] = m->moved.at[i];
            continue;
        }
        x->moved = false;
        if (orr_holds(x->job))
            to_those_that_run(m, x);
    }
    m->moved.n = left;
}

static void keep_books(orr_mlfq *m, member *x)
{
    orr_time now = m->ctx->world->life->now, run = executed(m, x);
    if (!orr_holds(x->job) && run > 0)
        x->waited += now - x->checked;
    x->checked = now;
    if (orr_holds(x->job)) {
        if (has_lower(m, x) && attained(m, x) >= m->rules.thresholds.at[x->queue])
            demote(m, x);
    } else if (x->queue > 0 && run > 0 && !isinf(m->rules.promote) &&
               orr_time_seconds(x->waited) >= floor(orr_time_seconds(run) * m->rules.promote)) {
        promote(m, x);
    }
}

/* The whole second at which something is predicted to cross, seen from the plan; ORR_TIME_MAX: nothing. */
static orr_time prediction(const orr_mlfq *m, const orr_plan *plan, const member *x)
{
    double wait = INFINITY, run = orr_time_seconds(executed(m, x));
    if (orr_plan_held(plan, x->job)) {
        if (has_lower(m, x))
            wait = floor((m->rules.thresholds.at[x->queue] - run) / (m->rules.by_time ? 1 : x->job->record->gpus));
    } else if (x->queue > 0 && run > 0 && !isinf(m->rules.promote)) {
        wait = floor(run * m->rules.promote - orr_time_seconds(x->waited));
        wait = wait > 0 ? wait : INFINITY;
    }
    if (isinf(wait))
        return ORR_TIME_MAX;
    return orr_time_add(m->ctx->world->life->now, orr_time_from_seconds(wait > 1 ? wait : 1)); /* time moves on */
}

static orr_err schedule_on_events(orr_mlfq *m, orr_plan *plan)
{
    settle_moved(m);
    for (size_t i = 0; i < m->active.n; i++)
        keep_books(m, &m->members.at[m->active.at[i]]);
    orr_err err = orr_list_schedule(m->list, plan);
    orr_time next = ORR_TIME_MAX;
    if (m->rules.list.round > 0) /* there is no other decision */
        return err;
    for (size_t i = 0; i < m->active.n; i++) {
        orr_time at = prediction(m, plan, &m->members.at[m->active.at[i]]);
        next = at < next ? at : next;
    }
    if (next == ORR_TIME_MAX)
        orr_disarm(m->ctx, COOKIE);
    else
        orr_arm(m->ctx, COOKIE, next);
    return err;
}

orr_err orr_mlfq_schedule(orr_mlfq *m, orr_plan *plan)
{
    m->front = floor(m->front / 1e6 - 1) * 1e6; /* this decision's preempted ones stand before earlier ones */
    if (m->rules.on_events)
        return schedule_on_events(m, plan);
    settle_moved(m);
    return orr_list_schedule(m->list, plan);
}
