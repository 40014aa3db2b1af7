/* The preemptive walk: all active jobs by rank get GPUs while they fit; running ones left out give way.
 *
 * Waiting jobs stay in their trees by shape and are merged with the running ones, so that a decision costs O(running +
 * starts) times the number of shapes, however long the queue. Only jobs that hold GPUs are looked at one by one: their
 * number is bounded by the GPUs, and an arrival that finds free GPUs doesn't even cost that.
 *
 * Why nothing needs to be decided between events although ranks move: a running job that overtakes a waiting one, or
 * another running one, changes neither who is counted in nor who is left out. */
#include "sched/list.h"

static void sort_running(orr_list *list, group *g)
{
    slots *r = &g->running;
    for (size_t i = 0; i < r->n && list->rules.varying; i++)
        orr_list_refresh(list, &list->items.at[r->at[i]]);
    for (size_t i = 1; i < r->n; i++) { /* nearly sorted: new ones are at the end */
        uint32_t slot = r->at[i];
        size_t k = i;
        for (; k > 0 && orr_list_before(list, &list->items.at[slot], &list->items.at[r->at[k - 1]]); k--)
            r->at[k] = r->at[k - 1];
        r->at[k] = slot;
    }
    for (size_t i = 0; i < r->n; i++)
        list->items.at[r->at[i]].running_at = (int32_t)i;
    list->ctx->world->jobs_examined += r->n;
}

static int64_t share_of(const item *it)
{
    return it->running_at >= 0 ? it->job->held.milli : orr_list_asks(it->job);
}

static int64_t asked_by(const orr_shape *shape)
{
    return (int64_t)shape->gpus * shape->milli;
}

static item *next_waiting(orr_list *list, const group *g, int64_t quota)
{
    item *best = NULL;
    bool skip = list->rules.hol == ORR_HOL_SKIP;
    for (size_t i = 0; i < g->shapes.n; i++) {
        shape_queue *q = &list->shapes.at[g->shapes.at[i]];
        if (!q->cursor || (skip && asked_by(&list->ctx->world->shapes.at[g->shapes.at[i]]) > quota))
            continue;
        item *it = orr_list_item(list, q->waiting, q->cursor);
        if (!best || orr_list_before(list, it, best))
            best = it;
    }
    return best;
}

static void advance(orr_list *list, const item *it)
{
    shape_queue *q = &list->shapes.at[it->job->shape];
    q->cursor = orr_tree_next(q->waiting, q->cursor);
}

static bool fixed(const item *it)
{
    return it->running_at >= 0 && !it->job->record->preemptible;
}

/* What the walk deals out: free GPUs and those of running jobs, save the ones that can't be preempted. */
static int64_t to_deal(const orr_list *list, const group *g)
{
    int64_t milli = orr_list_left(list, g);
    for (size_t i = 0; i < g->running.n; i++) {
        const item *it = &list->items.at[g->running.at[i]];
        milli += fixed(it) ? 0 : it->job->held.milli;
    }
    return milli;
}

/* Fills `walk` with who is counted in and `evict` with running jobs left out, each in order. */
static void count_in(orr_list *list, group *g)
{
    int64_t quota = to_deal(list, g);
    orr_list_rewind(list, g);
    item *waiting = next_waiting(list, g, quota);
    for (size_t r = 0; r < g->running.n || waiting;) {
        item *run = r < g->running.n ? &list->items.at[g->running.at[r]] : NULL;
        bool wait_first = waiting && (!run || orr_list_before(list, waiting, run));
        item *it = wait_first ? waiting : run;
        bool in = fixed(it) || share_of(it) <= quota;
        if (in) {
            quota -= fixed(it) ? 0 : share_of(it);
            ORR_VEC_PUSH(&list->walk, it->job->slot);
        } else if (!wait_first) {
            ORR_VEC_PUSH(&list->evict, it->job->slot);
        }
        if (!wait_first) {
            r++;
            if (in && list->rules.hol == ORR_HOL_SKIP && waiting && orr_list_asks(waiting->job) > quota)
                waiting = next_waiting(list, g, quota);
        } else if (in) {
            advance(list, it);
            waiting = next_waiting(list, g, quota);
        } else {
            waiting = NULL; /* hol=block: nobody behind it starts */
        }
    }
}

/* ties=last: the list as it stood, sorted stably again. O(active), asked for by that rule alone. */
static void count_in_persistent(orr_list *list, group *g)
{
    int64_t quota = to_deal(list, g);
    slots *o = &g->order;
    for (size_t i = 0; i < o->n; i++) {
        item *it = &list->items.at[o->at[i]];
        uint32_t slot = o->at[i];
        size_t k = i;
        orr_list_refresh(list, it);
        for (; k > 0; k--) {
            const item *p = &list->items.at[o->at[k - 1]];
            bool less = it->rank.major != p->rank.major ? it->rank.major < p->rank.major : it->rank.minor < p->rank.minor;
            if (!less)
                break;
            o->at[k] = o->at[k - 1];
        }
        o->at[k] = slot;
    }
    bool blocked = false;
    for (size_t i = 0; i < o->n; i++) {
        item *it = &list->items.at[o->at[i]];
        if (it->running_at < 0 && !it->in_group) /* it saves its state */
            continue;
        bool in = fixed(it) || (share_of(it) <= quota && (!blocked || it->running_at >= 0));
        if (in) {
            quota -= fixed(it) ? 0 : share_of(it);
            ORR_VEC_PUSH(&list->walk, o->at[i]);
        } else if (it->running_at >= 0) {
            ORR_VEC_PUSH(&list->evict, o->at[i]);
        } else {
            blocked = list->rules.hol == ORR_HOL_BLOCK;
        }
    }
    list->ctx->world->jobs_examined += o->n;
}

static bool try_start(orr_list *list, orr_plan *plan, item *it)
{
    return !orr_list_shape_blocked(list, it->job->shape) && orr_list_start(list, plan, it);
}

/* admit=count: victims leave, then winners look for room; one that finds none stays waiting. */
static void apply_counted(orr_list *list, orr_plan *plan)
{
    for (size_t i = 0; i < list->evict.n; i++)
        orr_plan_preempt(plan, list->items.at[list->evict.at[i]].job);
    for (size_t i = 0; i < list->walk.n; i++) {
        item *it = &list->items.at[list->walk.at[i]];
        if (!orr_plan_held(plan, it->job) && !try_start(list, plan, it) && list->rules.hol == ORR_HOL_BLOCK)
            break;
    }
    if (list->evict.n && list->rules.recheck > 0)
        orr_arm(list->ctx, ORR_COOKIE_DRIVER, orr_time_add(list->ctx->world->life->now, list->rules.recheck));
}

/* Running jobs behind place `i` of the walk, worst first: candidates to give way to the job there. */
static void victims_behind(orr_list *list, orr_plan *plan, size_t i, slots *out)
{
    const item *winner = &list->items.at[list->walk.at[i]];
    for (size_t k = list->evict.n; k-- > 0;)
        ORR_VEC_PUSH(out, list->evict.at[k]);
    for (size_t k = list->walk.n; k-- > i + 1;)
        ORR_VEC_PUSH(out, list->walk.at[k]);
    size_t n = 0;
    for (size_t k = 0; k < out->n; k++) {
        const item *it = &list->items.at[out->at[k]];
        if (it->running_at >= 0 && !fixed(it) && orr_plan_held(plan, it->job) && orr_list_before(list, winner, it))
            out->at[n++] = out->at[k];
    }
    out->n = n;
}

/* Frees as much as it takes, then lets everyone stay whose GPUs were not needed after all, best rank first. */
static bool displace(orr_list *list, orr_plan *plan, size_t i)
{
    item *winner = &list->items.at[list->walk.at[i]];
    slots *victims = &list->victims;
    uint32_t mark = orr_plan_mark(plan);
    bool placed = false;
    size_t gone = 0;
    victims->n = 0;
    victims_behind(list, plan, i, victims);
    for (size_t step = 1; !placed && gone < victims->n; step *= 2) {
        for (size_t k = 0; k < step && gone < victims->n; k++)
            orr_plan_preempt(plan, list->items.at[victims->at[gone++]].job);
        placed = orr_list_start(list, plan, winner);
    }
    if (placed)
        while (gone-- > 0)
            orr_plan_restore(plan, list->items.at[victims->at[gone]].job);
    else
        orr_plan_undo(plan, mark);
    return placed;
}

/* GPUs that are free, or held by running jobs behind each place of the walk: what a job there can hope for at most. */
static void potentials(orr_list *list, const group *g)
{
    int64_t milli = orr_list_left(list, g);
    for (size_t k = 0; k < list->evict.n; k++)
        milli += list->items.at[list->evict.at[k]].job->held.milli;
    list->hope.n = 0;
    ORR_VEC_RESERVE(&list->hope, list->walk.n + 1);
    list->hope.n = list->walk.n;
    for (size_t k = list->walk.n; k-- > 0;) {
        const item *it = &list->items.at[list->walk.at[k]];
        list->hope.at[k] = milli;
        milli += it->running_at >= 0 && !fixed(it) ? it->job->held.milli : 0;
    }
}

/* A job that found no shape even with everyone behind it gone needs not be tried again before a job has ended, or more
 * are behind it: what is free or behind it only changes hands meanwhile. */
static bool hopeless(const item *it, const group *g, int64_t hope)
{
    return it->tried_ends == g->ends && hope <= it->tried_hope;
}

static bool try_displace(orr_list *list, orr_plan *plan, group *g, size_t i)
{
    item *it = &list->items.at[list->walk.at[i]];
    int64_t hope = list->hope.at[i];
    if (hope < orr_list_asks(it->job) || hopeless(it, g, hope))
        return false;
    if (displace(list, plan, i))
        return true;
    it->tried_ends = g->ends;
    it->tried_hope = hope;
    return false;
}

/* admit=room: a job displaces others only if it is then really placed. */
static void apply_placed(orr_list *list, orr_plan *plan, group *g)
{
    potentials(list, g);
    for (size_t i = 0; i < list->walk.n; i++) {
        item *it = &list->items.at[list->walk.at[i]];
        if (orr_plan_held(plan, it->job) || try_start(list, plan, it))
            continue;
        if (it->running_at < 0 && !try_displace(list, plan, g, i) && list->rules.hol == ORR_HOL_BLOCK)
            return;
    }
    for (size_t i = 0; i < list->evict.n; i++) { /* whoever gave way may find room elsewhere */
        item *it = &list->items.at[list->evict.at[i]];
        if (!orr_plan_held(plan, it->job))
            try_start(list, plan, it);
    }
    if (list->rules.hol == ORR_HOL_SKIP)
        orr_list_fill(list, plan, g);
}

/* ---- admit=yield ---- */

/* Starts it, if need be with one after the other of the running jobs from *end on gone, down to place `from`. */
static bool start_yielding(orr_list *list, orr_plan *plan, const group *g, item *it, size_t from, size_t *end)
{
    bool placed = orr_list_start(list, plan, it);
    while (!placed && *end > from) {
        const item *last = &list->items.at[g->running.at[--*end]];
        if (fixed(last) || last == it)
            continue;
        orr_plan_preempt(plan, last->job);
        placed = orr_list_start(list, plan, it);
    }
    return placed;
}

/* Everyone by rank, running or waiting, until one finds no room (hol=block). */
static void apply_yielding(orr_list *list, orr_plan *plan, group *g)
{
    size_t end = g->running.n; /* from here on they were asked to leave */
    orr_list_rewind(list, g);
    item *waiting = next_waiting(list, g, INT64_MAX);
    for (size_t r = 0; r < g->running.n || waiting;) {
        item *run = r < g->running.n ? &list->items.at[g->running.at[r]] : NULL;
        bool wait_first = waiting && (!run || orr_list_before(list, waiting, run));
        item *it = wait_first ? waiting : run;
        r += !wait_first;
        if (!orr_plan_held(plan, it->job) && !start_yielding(list, plan, g, it, r, &end) && list->rules.hol == ORR_HOL_BLOCK)
            return;
        if (wait_first) {
            advance(list, it);
            waiting = next_waiting(list, g, INT64_MAX);
        }
    }
}

/* Free GPUs for everyone who waits: no need to look at those who run. False: somebody found no room. */
static bool start_all(orr_list *list, orr_plan *plan, group *g)
{
    if (g->milli_waiting > orr_list_left(list, g))
        return false;
    for (orr_tree_at at = orr_tree_first(g->waiting); at; at = orr_tree_next(g->waiting, at))
        if (!try_start(list, plan, orr_list_item(list, g->waiting, at)))
            return false;
    return true;
}

void orr_list_preempting(orr_list *list, orr_plan *plan, group *g)
{
    bool persistent = list->rules.ties == ORR_TIES_LAST;
    uint32_t mark = orr_plan_mark(plan);
    if (!persistent && start_all(list, plan, g))
        return;
    orr_plan_undo(plan, mark);
    list->walk.n = list->evict.n = 0;
    if (list->rules.admit == ORR_ADMIT_YIELD) { /* in the order of ranks, also with ties=last */
        sort_running(list, g);
        apply_yielding(list, plan, g);
        return;
    }
    if (persistent) {
        count_in_persistent(list, g);
    } else {
        sort_running(list, g);
        count_in(list, g);
    }
    if (list->rules.admit == ORR_ADMIT_COUNT)
        apply_counted(list, plan);
    else
        apply_placed(list, plan, g);
}
