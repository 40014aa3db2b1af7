/* The list driver: queues, ranks and ties; the walks are in walk.c, preempt.c and backfill.c. */
#include "sched/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

orr_list *orr_list_create(orr_ctx *ctx, const orr_list_rules *rules)
{
    orr_list *list = orr_xcalloc(1, sizeof *list);
    list->ctx = ctx;
    list->rules = *rules;
    list->stamp_time = ORR_TIME_NONE;
    if (ctx->world->real->tenants) /* one pool: quotas are for policies that know them */
        list->rules.vc = ORR_VC_SHARED;
    bool shared = list->rules.vc == ORR_VC_SHARED;
    list->group_count = shared ? 1 : (uint32_t)ctx->world->real->vcs;
    list->groups = orr_xcalloc(list->group_count, sizeof *list->groups);
    for (uint32_t i = 0; i < list->group_count; i++) {
        group *g = &list->groups[i];
        g->home.vc = shared ? -1 : (int32_t)i;
        g->reach.vc = list->rules.vc == ORR_VC_ISOLATED ? (int32_t)i : -1;
        g->waiting = orr_tree_create();
        if (rules->backfill == ORR_BACKFILL_CONSERVATIVE)
            g->due = orr_tree_create();
        g->replan = true;
        g->ends = 1;
    }
    if (rules->round > 0) {
        orr_trigger_events(ctx, 0);
        orr_trigger_period(ctx, rules->round, 0);
    }
    orr_trigger_min_gap(ctx, rules->min_gap);
    ctx->world->reach_all = list->rules.vc != ORR_VC_ISOLATED;
    ORR_ASSERT(!ctx->list, "an instance makes one driver");
    ctx->list = list;
    return list;
}

void orr_list_destroy(orr_list *list)
{
    if (!list)
        return;
    for (uint32_t i = 0; i < list->group_count; i++) {
        group *g = &list->groups[i];
        orr_tree_destroy(g->waiting);
        ORR_VEC_FREE(&g->shapes);
        ORR_VEC_FREE(&g->running);
        ORR_VEC_FREE(&g->order);
        ORR_VEC_FREE(&g->fresh);
        orr_tree_destroy(g->due);
        orr_calendar_destroy(g->calendar);
    }
    for (size_t i = 0; i < list->shapes.n; i++)
        orr_tree_destroy(list->shapes.at[i].waiting);
    free(list->groups);
    ORR_VEC_FREE(&list->shapes);
    ORR_VEC_FREE(&list->items);
    ORR_VEC_FREE(&list->walk);
    ORR_VEC_FREE(&list->evict);
    ORR_VEC_FREE(&list->victims);
    ORR_VEC_FREE(&list->hope);
    free(list);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static orr_rank clean(orr_rank r)
{
    if (isnan(r.major))
        r.major = INFINITY;
    if (isnan(r.minor))
        r.minor = INFINITY;
    return r;
}

void orr_list_refresh(orr_list *list, item *it)
{
    it->rank = clean(list->rules.rank(list->ctx, it->job));
}

static uint64_t tie_of(const orr_list *list, const item *it)
{
    switch (list->rules.ties) {
    case ORR_TIES_ROW:
        return it->job->record->row;
    case ORR_TIES_QUEUE:
        return it->stamp;
    default:
        return it->job->index;
    }
}

bool orr_list_before(const orr_list *list, const item *a, const item *b)
{
    bool ra = a->running_at >= 0, rb = b->running_at >= 0;
    double ma = a->rank.major, mb = b->rank.major;
    if (ra != rb && list->rules.gain_min > 0) { /* a running job's place is worth this much */
        ma -= ra ? list->rules.gain_min : 0;
        mb -= rb ? list->rules.gain_min : 0;
    }
    if (ma != mb)
        return ma < mb;
    if (a->rank.minor != b->rank.minor)
        return a->rank.minor < b->rank.minor;
    if (ra != rb && list->rules.ties != ORR_TIES_SUBMIT)
        return list->rules.ties == ORR_TIES_QUEUE ? rb : ra;
    return tie_of(list, a) < tie_of(list, b);
}

/* (instant, phase, order): arrivals of an instant by row, then whatever the decision moves, in its order. */
static uint64_t next_stamp(orr_list *list, const orr_job *job, bool arrival)
{
    orr_time now = list->ctx->world->life->now;
    if (now != list->stamp_time) {
        list->stamp_time = now;
        list->stamp_instant++;
        list->stamp_order = 0;
    }
    uint64_t low = arrival ? job->record->row : list->stamp_order++;
    return list->stamp_instant << 33 | (uint64_t)!arrival << 32 | low;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

item *orr_list_item(const orr_list *list, orr_tree *tree, orr_tree_at at)
{
    const orr_job *job = orr_tree_item(tree, at);
    return &list->items.at[job->slot];
}

void orr_list_rewind(orr_list *list, group *g)
{
    for (size_t i = 0; i < g->shapes.n; i++) {
        shape_queue *q = &list->shapes.at[g->shapes.at[i]];
        q->cursor = orr_tree_first(q->waiting);
    }
}

static item *item_of(orr_list *list, orr_job *job)
{
    while (list->items.n <= job->slot)
        ORR_VEC_PUSH(&list->items, ((item){.running_at = -1}));
    item *it = &list->items.at[job->slot];
    it->job = job;
    return it;
}

static shape_queue *shape_of(orr_list *list, const item *it)
{
    uint32_t shape = it->job->shape;
    while (list->shapes.n <= shape)
        ORR_VEC_PUSH(&list->shapes, ((shape_queue){0}));
    shape_queue *q = &list->shapes.at[shape];
    if (!q->waiting) {
        q->waiting = orr_tree_create();
        q->group = it->group;
        ORR_VEC_PUSH(&list->groups[it->group].shapes, shape);
    }
    return q;
}

static void enqueue(orr_list *list, item *it)
{
    group *g = &list->groups[it->group];
    orr_list_refresh(list, it);
    orr_tree_key key = {.major = it->rank.major, .minor = it->rank.minor, .tie = tie_of(list, it)};
    int64_t weight = list->rules.backfill ? orr_est_remaining_time(list->ctx, it->job) : 0;
    shape_queue *q = shape_of(list, it);
    it->in_group = orr_tree_insert(g->waiting, key, weight, it->job);
    it->in_shape = orr_tree_insert(q->waiting, key, weight, it->job);
    g->milli_waiting += orr_list_asks(it->job);
    if (g->due)
        ORR_VEC_PUSH(&g->fresh, it->job->slot);
}

static void dequeue(orr_list *list, item *it)
{
    if (!it->in_group)
        return;
    group *g = &list->groups[it->group];
    orr_tree_remove(g->waiting, it->in_group);
    orr_tree_remove(list->shapes.at[it->job->shape].waiting, it->in_shape);
    it->in_group = it->in_shape = 0;
    g->milli_waiting -= orr_list_asks(it->job);
    if (it->in_due)
        orr_tree_remove(g->due, it->in_due);
    it->in_due = 0;
}

static void add_running(orr_list *list, item *it)
{
    group *g = &list->groups[it->group];
    it->running_at = (int32_t)g->running.n;
    ORR_VEC_PUSH(&g->running, it->job->slot);
}

static void remove_running(orr_list *list, item *it)
{
    if (it->running_at < 0)
        return;
    group *g = &list->groups[it->group];
    uint32_t last = g->running.at[--g->running.n];
    g->running.at[it->running_at] = last;
    list->items.at[last].running_at = it->running_at;
    it->running_at = -1;
}

static void forget_order(orr_list *list, const item *it)
{
    if (list->rules.ties != ORR_TIES_LAST)
        return;
    group *g = &list->groups[it->group];
    size_t k = 0;
    while (k < g->order.n && g->order.at[k] != it->job->slot)
        k++;
    if (k == g->order.n)
        return;
    memmove(g->order.at + k, g->order.at + k + 1, (g->order.n - k - 1) * sizeof *g->order.at);
    g->order.n--;
}

static void begin_waiting(orr_list *list, item *it, bool arrival)
{
    remove_running(list, it);
    it->stamp = next_stamp(list, it->job, arrival);
    enqueue(list, it);
}

void orr_list_event(orr_list *list, orr_job *job, const orr_event *event)
{
    item *it = item_of(list, job);
    if (event->kind == ORR_EV_SUBMITTED) {
        *it = (item){.job = job, .running_at = -1};
        it->group = list->rules.vc == ORR_VC_SHARED ? 0 : (uint32_t)job->vc;
        if (list->rules.ties == ORR_TIES_LAST)
            ORR_VEC_PUSH(&list->groups[it->group].order, job->slot);
    }
    group *g = &list->groups[it->group];
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        begin_waiting(list, it, true);
        break;
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        begin_waiting(list, it, false);
        g->ends += event->kind != ORR_EV_PREEMPTED;
        g->replan = true;
        break;
    case ORR_EV_STARTED:
        dequeue(list, it);
        it->stamp = next_stamp(list, job, false);
        add_running(list, it);
        return; /* its own doing: nothing to decide again */
    case ORR_EV_SAVING: /* neither runs nor waits */
        remove_running(list, it);
        return;
    case ORR_EV_RESHARED:
    case ORR_EV_SPEED:
    case ORR_EV_MESSAGE:
        return;
    case ORR_EV_ENDED:
        g->ends++;
        if (g->due && it->running_at >= 0)
            orr_list_released(list, g, it);
        dequeue(list, it);
        remove_running(list, it);
        forget_order(list, it);
        break;
    default:
        break;
    }
    g->dirty = true;
    if (list->rules.vc == ORR_VC_BORROW) /* room anywhere is room for everyone */
        for (uint32_t i = 0; i < list->group_count; i++)
            list->groups[i].dirty = true;
}

void orr_list_touch(orr_list *list, orr_job *job)
{
    item *it = item_of(list, job);
    list->groups[it->group].dirty = true;
    if (it->in_group) {
        dequeue(list, it);
        enqueue(list, it);
    } else {
        orr_list_refresh(list, it);
    }
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static uint64_t releases(const orr_list *list, const group *g)
{
    return orr_cluster_pool(list->ctx->world->cluster, g->reach.vc)->releases;
}

bool orr_list_shape_blocked(const orr_list *list, uint32_t shape)
{
    const shape_queue *q = &list->shapes.at[shape];
    return q->failed && q->failed_at == releases(list, &list->groups[q->group]);
}

bool orr_list_start(orr_list *list, orr_plan *plan, item *it)
{
    group *g = &list->groups[it->group];
    list->ctx->world->jobs_examined++;
    orr_err err = orr_plan_start_in(plan, it->job, g->home);
    if (err == ORR_E_NOFIT && g->reach.vc != g->home.vc)
        err = orr_plan_start_in(plan, it->job, g->reach);
    if (err == ORR_OK)
        return true;
    shape_queue *q = &list->shapes.at[it->job->shape];
    q->failed = true;
    q->failed_at = releases(list, g);
    return false;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static void decide(orr_list *list, orr_plan *plan, group *g)
{
    if (!orr_tree_count(g->waiting))
        return;
    if (list->rules.preemptive)
        orr_list_preempting(list, plan, g);
    else if (list->rules.backfill == ORR_BACKFILL_EASY)
        orr_list_easy(list, plan, g);
    else if (list->rules.backfill == ORR_BACKFILL_CONSERVATIVE)
        orr_list_conservative(list, plan, g);
    else
        orr_list_walk(list, plan, g);
}

static bool anyone_waits(const orr_list *list)
{
    for (uint32_t i = 0; i < list->group_count; i++)
        if (orr_tree_count(list->groups[i].waiting))
            return true;
    return false;
}

orr_err orr_list_schedule(orr_list *list, orr_plan *plan)
{
    /* O(VCs): a flag a queue. */
    for (uint32_t i = 0; i < list->group_count; i++) {
        group *g = &list->groups[i];
        if (!g->dirty)
            continue;
        g->dirty = false;
        decide(list, plan, g);
    }
    if (list->rules.quantum > 0 && !list->armed && anyone_waits(list)) {
        list->armed = true;
        orr_arm(list->ctx, ORR_COOKIE_DRIVER, orr_time_add(list->ctx->world->life->now, list->rules.quantum));
    }
    return ORR_OK;
}

void orr_list_wake(orr_list *list, const group *g, orr_time at)
{
    orr_arm(list->ctx, ORR_COOKIE_DRIVER + 1 + (uint64_t)(g - list->groups), at);
}

/* A quantum or a recheck: everyone looks again. */
void orr_list_timer(orr_list *list)
{
    list->armed = false;
    for (uint32_t i = 0; i < list->group_count; i++)
        list->groups[i].dirty = true;
}

void orr_list_room(orr_list *list)
{
    for (uint32_t i = 0; i < list->group_count; i++) {
        group *g = &list->groups[i];
        g->dirty = g->replan = true;
        g->ends++;
    }
}

/* ---- why does it wait -------------------------------------------------------------------------------------------- */

/* O(waiting): asked for by people, not by events. */
void orr_list_explain(orr_list *list, const orr_job *job, char *buf, size_t size)
{
    const item *it = &list->items.at[job->slot];
    const group *g = &list->groups[it->group];
    uint32_t ahead = 0;
    for (orr_tree_at at = orr_tree_first(g->waiting); at && at != it->in_group; at = orr_tree_next(g->waiting, at))
        ahead++;
    orr_pool *pool = orr_cluster_pool(list->ctx->world->cluster, g->reach.vc);
    snprintf(buf, size, "%u of %u waiting jobs stand before it; it asks %d GPUs, %lld of %lld are free", ahead,
             orr_tree_count(g->waiting), job->record->gpus, (long long)pool->free, (long long)pool->gpus);
}
