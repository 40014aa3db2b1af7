/* Backfill: jobs behind a blocked head start where they delay nobody who is promised a start.
 *
 * Promises are made by counts of GPUs, in thousandths: whether the placer then finds a shape is seen at the start, and
 * a job that finds none waits for the next chance. A job that overruns its estimate is believed to end max(1 s, a tenth
 * of the estimate) from now, and everything is looked at again then. */
#include "sched/list.h"

#include <stdlib.h>

typedef struct release {
    orr_time at;
    int64_t milli;
} release;

static orr_time now_of(const orr_list *list)
{
    return list->ctx->world->life->now;
}

/* When a job that holds or is about to hold GPUs is believed to end. */
static orr_time believed_end(orr_list *list, const orr_job *job)
{
    orr_time left = orr_est_remaining_time(list->ctx, job);
    if (left <= 0) {
        orr_time tenth = orr_time_from_seconds(orr_est_duration(list->ctx, job) / 10);
        left = tenth > ORR_SECOND ? tenth : ORR_SECOND;
    }
    return orr_time_add(now_of(list), left);
}

static int by_time(const void *a, const void *b)
{
    const release *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->milli > y->milli) - (x->milli < y->milli);
}

/* ---- EASY -------------------------------------------------------------------------------------------------------- */

typedef ORR_VEC(release) release_list;

typedef struct shadow {
    orr_time at;   /* the head's promised start */
    int64_t extra; /* what is left over even then */
} shadow;

static void collect_releases(orr_list *list, orr_plan *plan, group *g, orr_tree_at head, release_list *out)
{
    for (size_t i = 0; i < g->running.n; i++) {
        const orr_job *job = list->items.at[g->running.at[i]].job;
        ORR_VEC_PUSH(out, ((release){believed_end(list, job), job->held.milli}));
    }
    for (orr_tree_at at = orr_tree_first(g->waiting); at && at != head; at = orr_tree_next(g->waiting, at)) {
        const orr_job *job = orr_tree_item(g->waiting, at);
        if (orr_plan_held(plan, job))
            ORR_VEC_PUSH(out, ((release){believed_end(list, job), orr_list_asks(job)}));
    }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_time);
}

/* O(running log running), only while a head is blocked: the running jobs are bounded by the GPUs. */
static shadow find_shadow(orr_list *list, orr_plan *plan, group *g, orr_tree_at head)
{
    release_list ends = {0};
    const orr_job *job = orr_tree_item(g->waiting, head);
    int64_t room = orr_list_left(list, g), asks = orr_list_asks(job);
    shadow s = {.at = now_of(list)};
    collect_releases(list, plan, g, head, &ends);
    for (size_t i = 0; i < ends.n && room < asks; i++) {
        room += ends.at[i].milli;
        s.at = ends.at[i].at;
        while (i + 1 < ends.n && ends.at[i + 1].at == s.at)
            room += ends.at[++i].milli;
    }
    s.extra = room - asks;
    if (ends.n) /* an overrun is seen when it happens */
        orr_list_wake(list, g, ends.at[0].at);
    list->ctx->world->jobs_examined += ends.n;
    ORR_VEC_FREE(&ends);
    return s;
}

static bool may_backfill(const orr_list *list, const shadow *s, int64_t estimate, int64_t asks)
{
    return orr_time_add(now_of(list), estimate) <= s->at || asks <= s->extra;
}

static void backfill_one(orr_list *list, orr_plan *plan, item *it, int64_t estimate, shadow *s)
{
    if (orr_list_shape_blocked(list, it->job->shape) || !orr_list_start(list, plan, it))
        return;
    if (orr_time_add(now_of(list), estimate) > s->at)
        s->extra -= orr_list_asks(it->job);
}

/* The first of a shape behind its cursor that may start; found in the tree by its estimate. */
static orr_tree_at candidate(const orr_list *list, const shape_queue *q, orr_tree_key after, int64_t asks, const shadow *s)
{
    if (asks <= s->extra)
        return orr_tree_after(q->waiting, after);
    return orr_tree_after_light(q->waiting, after, s->at - now_of(list));
}

typedef ORR_VEC(orr_tree_key) key_list;

static item *best_candidate(orr_list *list, group *g, const shadow *s, const key_list *after, size_t *which, orr_tree_at *where)
{
    item *best = NULL;
    int64_t left = orr_list_left(list, g);
    for (size_t i = 0; i < g->shapes.n; i++) { /* sizes that occur, not jobs */
        uint32_t shape = g->shapes.at[i];
        shape_queue *q = &list->shapes.at[shape];
        const orr_shape *asked = &list->ctx->world->shapes.at[shape];
        int64_t asks = (int64_t)asked->gpus * asked->milli;
        if (asks > left || orr_list_shape_blocked(list, shape))
            continue;
        orr_tree_at at = candidate(list, q, after->at[i], asks, s);
        if (!at)
            continue;
        item *it = orr_list_item(list, q->waiting, at);
        if (best && !orr_list_before(list, it, best))
            continue;
        best = it;
        *which = i;
        *where = at;
    }
    return best;
}

static void backfill_all(orr_list *list, orr_plan *plan, group *g, orr_tree_at head, shadow *s)
{
    key_list after = {0};
    for (size_t i = 0; i < g->shapes.n; i++)
        ORR_VEC_PUSH(&after, orr_tree_key_of(g->waiting, head));
    size_t which = 0;
    orr_tree_at where = 0;
    for (item *it; (it = best_candidate(list, g, s, &after, &which, &where)) != NULL;) {
        const orr_tree *tree = list->shapes.at[g->shapes.at[which]].waiting;
        after.at[which] = orr_tree_key_of(tree, where);
        backfill_one(list, plan, it, orr_tree_weight_of(tree, where), s);
    }
    ORR_VEC_FREE(&after);
}

/* depth < inf: the next `depth` jobs, one by one. */
static void backfill_some(orr_list *list, orr_plan *plan, group *g, orr_tree_at head, shadow *s)
{
    orr_tree_at at = orr_tree_next(g->waiting, head);
    for (int64_t k = 0; at && k < list->rules.depth; k++, at = orr_tree_next(g->waiting, at)) {
        item *it = orr_list_item(list, g->waiting, at);
        int64_t estimate = orr_tree_weight_of(g->waiting, at);
        if (may_backfill(list, s, estimate, orr_list_asks(it->job)))
            backfill_one(list, plan, it, estimate, s);
    }
}

void orr_list_easy(orr_list *list, orr_plan *plan, group *g)
{
    orr_tree_at head = orr_tree_first(g->waiting);
    while (head) {
        item *it = orr_list_item(list, g->waiting, head);
        if (orr_list_shape_blocked(list, it->job->shape) || !orr_list_start(list, plan, it))
            break;
        head = orr_tree_next(g->waiting, head);
    }
    if (!head || !orr_tree_next(g->waiting, head))
        return;
    shadow s = find_shadow(list, plan, g, head);
    if (list->rules.depth == INT64_MAX)
        backfill_all(list, plan, g, head, &s);
    else
        backfill_some(list, plan, g, head, &s);
}

/* ---- conservative ------------------------------------------------------------------------------------------------ */

/* Seconds and the rest: exact as two doubles. */
static orr_tree_key due_key(orr_time at, const item *it)
{
    return (orr_tree_key){.major = (double)(at / ORR_SECOND), .minor = (double)(at % ORR_SECOND), .tie = it->job->index};
}

/* The calendar counts what more than two million GPUs have as just that. */
static int32_t in_calendar(int64_t milli)
{
    return milli < INT32_MAX ? (int32_t)milli : INT32_MAX;
}

/* Without a shape now, another reservation for now would be of no use. */
static bool must_wait(const orr_list *list, const item *it)
{
    return it->postponed && orr_list_shape_blocked(list, it->job->shape);
}

static void reserve(orr_list *list, group *g, item *it)
{
    it->postponed = false;
    orr_time now = now_of(list), length = orr_est_remaining_time(list->ctx, it->job);
    it->due = orr_calendar_fit(g->calendar, now, length, in_calendar(orr_list_asks(it->job)));
    if (it->due == ORR_TIME_MAX)
        return;
    orr_calendar_reserve(g->calendar, it->due, length, in_calendar(orr_list_asks(it->job)));
    it->in_due = orr_tree_insert(g->due, due_key(it->due, it), 0, it->job);
    list->ctx->world->jobs_examined++;
}

static void give_back(orr_list *list, group *g, item *it)
{
    orr_time length = orr_est_remaining_time(list->ctx, it->job);
    orr_calendar_reserve(g->calendar, it->due, length, -in_calendar(orr_list_asks(it->job)));
    orr_tree_remove(g->due, it->in_due);
    it->in_due = 0;
}

static void forget_reservations(orr_list *list, group *g)
{
    for (orr_tree_at at; (at = orr_tree_first(g->due)) != 0;) {
        orr_list_item(list, g->due, at)->in_due = 0;
        orr_tree_remove(g->due, at);
    }
}

/* The first `depth` behind the head in rank order, those that have no reservation yet; `all`: also those that had
 * better wait for a shape. O(depth). */
static void plan_first(orr_list *list, group *g, bool all)
{
    orr_tree_at at = orr_tree_first(g->waiting);
    for (int64_t k = 0; at && k <= list->rules.depth; k++, at = orr_tree_next(g->waiting, at)) {
        item *it = orr_list_item(list, g->waiting, at);
        if (!it->in_due && (all || !must_wait(list, it)))
            reserve(list, g, it);
    }
    g->fresh.n = 0;
}

/* Everything anew, in rank order. O(depth log segments): only when something ended otherwise than believed. */
static void plan_anew(orr_list *list, group *g)
{
    if (!g->calendar)
        g->calendar = orr_calendar_create(now_of(list), 0);
    orr_calendar_reset(g->calendar, now_of(list), in_calendar(orr_list_left(list, g)));
    for (size_t i = 0; i < g->running.n; i++) {
        item *it = &list->items.at[g->running.at[i]];
        it->ends = believed_end(list, it->job);
        orr_calendar_reserve(g->calendar, it->ends, ORR_TIME_MAX, -in_calendar(it->job->held.milli));
    }
    forget_reservations(list, g);
    plan_first(list, g, true);
    g->replan = g->compress = false;
}

void orr_list_released(orr_list *list, group *g, const item *it)
{
    orr_time now = now_of(list);
    if (!g->calendar || it->ends < now) {
        g->replan = true;
    } else if (it->ends > now) {
        orr_calendar_reserve(g->calendar, now, it->ends - now, -in_calendar(orr_list_asks(it->job)));
        g->compress = true;
    }
}

/* One pass over the reservations in rank order; true if somebody moved. */
static bool move_up_once(orr_list *list, group *g)
{
    bool moved = false;
    orr_tree_at at = orr_tree_first(g->waiting);
    for (int64_t k = 0; at && k <= list->rules.depth; k++, at = orr_tree_next(g->waiting, at)) {
        item *it = orr_list_item(list, g->waiting, at);
        if (!it->in_due || it->due <= now_of(list))
            continue;
        orr_time before = it->due;
        give_back(list, g, it);
        reserve(list, g, it);
        moved |= it->due < before;
    }
    return moved;
}

/* Somebody ended early: everyone moves up as far as the others' reservations allow, again and again, since a job that
 * moved may have left a place to one before it. Nobody moves back: the place that was held is always free for its
 * holder. O(depth log segments) a pass, at early ends alone. */
static void move_up(orr_list *list, group *g)
{
    while (move_up_once(list, g))
        continue;
    g->compress = false;
}

/* Only those that came since: whoever has a reservation keeps it. */
static void plan_fresh(orr_list *list, group *g)
{
    if (list->rules.depth != INT64_MAX) {
        plan_first(list, g, false);
        return;
    }
    size_t left = 0;
    for (size_t i = 0; i < g->fresh.n; i++) {
        item *it = &list->items.at[g->fresh.at[i]];
        if (!it->in_group || it->in_due)
            continue;
        if (must_wait(list, it))
            g->fresh.at[left++] = g->fresh.at[i];
        else
            reserve(list, g, it);
    }
    g->fresh.n = left;
}

/* Running jobs past their believed end make the calendar wrong. O(running). */
static orr_time next_release(orr_list *list, group *g)
{
    orr_time next = ORR_TIME_MAX, now = now_of(list);
    for (size_t i = 0; i < g->running.n; i++) {
        orr_time ends = list->items.at[g->running.at[i]].ends;
        g->replan |= ends <= now;
        if (ends < next)
            next = ends;
    }
    return next;
}

/* By count there is room, by shape there isn't: it gives its reservation back and asks for another when something
 * moves. Nobody else's promise is touched. */
static void postpone(orr_list *list, group *g, item *it)
{
    give_back(list, g, it);
    it->postponed = true;
    ORR_VEC_PUSH(&g->fresh, it->job->slot);
}

static void start_due(orr_list *list, orr_plan *plan, group *g)
{
    orr_time now = now_of(list);
    for (orr_tree_at at = orr_tree_first(g->due), next; at; at = next) {
        item *it = orr_list_item(list, g->due, at);
        next = orr_tree_next(g->due, at);
        if (it->due > now)
            break;
        if (orr_list_shape_blocked(list, it->job->shape) || !orr_list_start(list, plan, it))
            postpone(list, g, it);
        else
            it->ends = orr_time_add(now, orr_est_remaining_time(list->ctx, it->job));
    }
}

void orr_list_conservative(orr_list *list, orr_plan *plan, group *g)
{
    next_release(list, g);
    if (g->replan) {
        plan_anew(list, g);
    } else {
        if (g->compress)
            move_up(list, g);
        plan_fresh(list, g);
    }
    start_due(list, plan, g);
    orr_time next = next_release(list, g);
    orr_tree_at first = orr_tree_first(g->due);
    while (first && orr_plan_held(plan, orr_tree_item(g->due, first)))
        first = orr_tree_next(g->due, first);
    if (first && orr_list_item(list, g->due, first)->due < next)
        next = orr_list_item(list, g->due, first)->due;
    if (next != ORR_TIME_MAX && next > now_of(list))
        orr_list_wake(list, g, next);
}
