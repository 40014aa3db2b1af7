/* Leases: a queue of ends, in order because all last equally long. An entry counts while its job still holds what it
 * was given then; others are passed over when they come up. */
#include "sched/ctx.h"

#include <stdlib.h>

#define COOKIE (ORR_COOKIE_DRIVER | (uint64_t)1 << 60)

typedef struct lease {
    orr_job *job;
    orr_time end;
    uint64_t number;
} lease;

struct orr_leases {
    orr_ctx *ctx;
    orr_lease_rules rules;
    ORR_VEC(lease) queue;    /* from `head` on: those that run, by their ends */
    size_t head;
    ORR_VEC(lease) ended;    /* perhaps of jobs that hold nothing any more */
    ORR_VEC(lease) of;       /* by job slot: its lease; number 0: none */
    ORR_VEC(orr_job *) over; /* the answer */
    ORR_VEC(uint64_t) failed; /* by shape: the deal in which one found no room */
    uint64_t numbers, deals;
};

orr_leases *orr_leases_create(orr_ctx *ctx, const orr_lease_rules *rules)
{
    orr_leases *l = orr_xcalloc(1, sizeof *l);
    l->ctx = ctx;
    l->rules = *rules;
    ctx->leases = l;
    return l;
}

void orr_leases_destroy(orr_leases *l)
{
    if (!l)
        return;
    ORR_VEC_FREE(&l->queue);
    ORR_VEC_FREE(&l->ended);
    ORR_VEC_FREE(&l->of);
    ORR_VEC_FREE(&l->over);
    ORR_VEC_FREE(&l->failed);
    free(l);
}

static bool counts(const orr_leases *l, const lease *entry)
{
    return l->of.at[entry->job->slot].number == entry->number;
}

static orr_time end_of(const orr_leases *l, orr_time now)
{
    orr_time end = orr_time_add(now, l->rules.length);
    return l->rules.together ? end - end % l->rules.length : end;
}

/* Those that run come to the front of the memory when half of it is behind them. */
static void shrink(orr_leases *l)
{
    if (l->head < 64 || 2 * l->head < l->queue.n)
        return;
    l->queue.n -= l->head;
    memmove(l->queue.at, l->queue.at + l->head, l->queue.n * sizeof *l->queue.at);
    l->head = 0;
}

static void await_end(orr_leases *l)
{
    if (l->head < l->queue.n)
        orr_arm(l->ctx, COOKIE, l->queue.at[l->head].end);
}

static void begin(orr_leases *l, orr_job *job)
{
    const lease granted = {job, end_of(l, l->ctx->world->life->now), ++l->numbers};
    while (l->of.n <= job->slot)
        ORR_VEC_PUSH(&l->of, (lease){0});
    l->of.at[job->slot] = granted;
    shrink(l);
    ORR_VEC_PUSH(&l->queue, granted);
    if (l->queue.n == l->head + 1)
        await_end(l);
}

void orr_leases_event(orr_leases *l, orr_job *job, const orr_event *event)
{
    bool holds = orr_holds(job), has = job->slot < l->of.n && l->of.at[job->slot].number;
    if (holds && (event->kind == ORR_EV_STARTED || !has))
        begin(l, job);
    else if (!holds && has)
        l->of.at[job->slot].number = 0;
}

void orr_lease_renew(orr_leases *l, orr_job *job)
{
    if (orr_holds(job))
        begin(l, job);
}

/* What has ended since it was last asked. */
static void pass_ends(orr_leases *l)
{
    size_t before = l->head;
    while (l->head < l->queue.n && l->queue.at[l->head].end <= l->ctx->world->life->now) {
        if (counts(l, &l->queue.at[l->head]))
            ORR_VEC_PUSH(&l->ended, l->queue.at[l->head]);
        l->head++;
    }
    if (l->head > before)
        await_end(l);
}

size_t orr_leases_over(orr_leases *l, orr_job *const **jobs)
{
    size_t left = 0;
    pass_ends(l);
    l->over.n = 0;
    for (size_t i = 0; i < l->ended.n; i++) {
        if (!counts(l, &l->ended.at[i]))
            continue;
        l->ended.at[left++] = l->ended.at[i];
        ORR_VEC_PUSH(&l->over, l->ended.at[i].job);
    }
    l->ended.n = left;
    *jobs = l->over.at;
    return l->over.n;
}

bool orr_lease_is_over(const orr_leases *l, const orr_job *job)
{
    bool has = job->slot < l->of.n && l->of.at[job->slot].number && orr_holds(job) && job->record->preemptible;
    return has && l->of.at[job->slot].end <= l->ctx->world->life->now;
}

/* ---- dealing ----------------------------------------------------------------------------------------------------- */

static bool has_failed(orr_leases *l, const orr_job *job)
{
    while (l->failed.n <= job->shape)
        ORR_VEC_PUSH(&l->failed, 0);
    return l->failed.at[job->shape] == l->deals;
}

/* Who was made to go and isn't needed has its GPUs back, the first in the line before the others. */
static void give_back(const orr_leases *l, orr_plan *plan, orr_job *const *line, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (orr_lease_is_over(l, line[i]) && !orr_plan_held(plan, line[i]))
            orr_plan_try_assign(plan, line[i], &line[i]->held);
}

/* From `end` on nobody has anything to lose. */
static bool start_or_take(const orr_leases *l, orr_plan *plan, orr_job *const *line, size_t at, size_t end,
                          orr_scope scope)
{
    const uint32_t mark = orr_plan_mark(plan);
    bool started = orr_plan_start_in(plan, line[at], scope) == ORR_OK, taken = false;
    size_t i = end;
    while (!started && i > at + 1) {
        orr_job *loser = line[--i];
        if (!orr_lease_is_over(l, loser) || !orr_plan_held(plan, loser))
            continue;
        taken = orr_plan_preempt(plan, loser) == ORR_OK;
        started = taken && orr_plan_start_in(plan, line[at], scope) == ORR_OK;
    }
    if (!started)
        orr_plan_undo(plan, mark);
    else if (taken)
        give_back(l, plan, line, i, end);
    return started;
}

void orr_leases_deal(orr_leases *l, orr_plan *plan, orr_job *const *line, size_t n, orr_scope scope)
{
    size_t end = n;
    l->deals++;
    for (size_t i = 0; i < n; i++) {
        bool waits = line[i]->state == ORR_JOB_QUEUED && !orr_plan_held(plan, line[i]);
        while (end > i && !(orr_lease_is_over(l, line[end - 1]) && orr_plan_held(plan, line[end - 1])))
            end--;
        if (waits && !has_failed(l, line[i]) && !start_or_take(l, plan, line, i, end, scope))
            l->failed.at[line[i]->shape] = l->deals;
    }
    for (size_t i = 0; i < n; i++)
        if (orr_lease_is_over(l, line[i]) && orr_plan_held(plan, line[i]))
            orr_lease_renew(l, line[i]);
    l->ctx->world->jobs_examined += n;
}
