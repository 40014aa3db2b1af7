/* Delay scheduling. Waiting jobs stand in lines: one for each kind of request and each level on which its jobs insist,
 * in the order of submission. Of a line only the first job is tried, since the others find room no more than it does,
 * and a line that found none isn't asked again before room has grown: a decision costs O(lines + starts). Patience
 * runs out in the order in which it began to, so that one queue a level knows who is next. */
#include "sched/ctx.h"

#include <orrery/places.h>

#include <stdlib.h>

enum { LEVELS = 3 }; /* the fewest nodes of a rack, a rack, anything */
static const orr_level levels[LEVELS] = {ORR_LEVEL_NODE, ORR_LEVEL_RACK, ORR_LEVEL_CLUSTER};
#define COOKIE (ORR_COOKIE_DRIVER | (uint64_t)1 << 59)

typedef struct line {
    ORR_VEC(orr_job *) jobs;
    uint64_t failed_at; /* where the releases of room stood when the first of it found none; UINT64_MAX: it may try */
    uint64_t barred;    /* the walk in which the first of it mayn't start */
} line;

typedef struct patience {
    orr_job *job;
    orr_time ends;
    uint64_t stamp; /* of the wait that it belongs to */
} patience;

typedef struct wait { /* by job slot */
    orr_job *job; /* NULL: it doesn't wait */
    int level;
    bool offered; /* its patience runs */
    uint64_t stamp;
} wait;

struct orr_near {
    orr_ctx *ctx;
    orr_near_rules rules;
    ORR_VEC(line) lines[LEVELS]; /* by shape */
    ORR_VEC(wait) waits;
    ORR_VEC(int8_t) nearest;   /* by shape: the nearest level that an empty cluster has; -1: not asked yet */
    ORR_VEC(patience) patience[LEVELS];
    size_t next[LEVELS];       /* of those, the first that counts */
    ORR_VEC(orr_job *) chosen; /* by the last plan */
    uint64_t stamp, walk;
    uint64_t settled; /* releases of room when the last walk was over */
};

orr_near *orr_near_create(orr_ctx *ctx, const orr_near_rules *rules)
{
    orr_near *n = orr_xcalloc(1, sizeof *n);
    n->ctx = ctx;
    n->rules = *rules;
    ctx->world->reach_all |= rules->anywhere;
    ORR_ASSERT(!ctx->near, "an instance makes one driver");
    ctx->near = n;
    return n;
}

void orr_near_destroy(orr_near *n)
{
    if (!n)
        return;
    for (int i = 0; i < LEVELS; i++) {
        for (size_t k = 0; k < n->lines[i].n; k++)
            ORR_VEC_FREE(&n->lines[i].at[k].jobs);
        ORR_VEC_FREE(&n->lines[i]);
        ORR_VEC_FREE(&n->patience[i]);
    }
    ORR_VEC_FREE(&n->waits);
    ORR_VEC_FREE(&n->nearest);
    ORR_VEC_FREE(&n->chosen);
    free(n);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static wait *wait_of(orr_near *n, const orr_job *job)
{
    while (n->waits.n <= job->slot)
        ORR_VEC_PUSH(&n->waits, ((wait){.job = NULL}));
    return &n->waits.at[job->slot];
}

static line *line_of(orr_near *n, const orr_job *job, int level)
{
    while (n->lines[level].n <= job->shape)
        ORR_VEC_PUSH(&n->lines[level], ((line){.failed_at = UINT64_MAX}));
    return &n->lines[level].at[job->shape];
}

/* Those that come back stand where they stood: few do. */
static void join(orr_near *n, orr_job *job, int level)
{
    line *l = line_of(n, job, level);
    ORR_VEC_PUSH(&l->jobs, job);
    size_t i = l->jobs.n - 1;
    for (; i > 0 && l->jobs.at[i - 1]->index > job->index; i--)
        l->jobs.at[i] = l->jobs.at[i - 1];
    l->jobs.at[i] = job;
    if (i == 0)
        l->failed_at = UINT64_MAX; /* another one is the first now: its own wait counts */
}

static void leave(orr_near *n, const orr_job *job, int level)
{
    line *l = line_of(n, job, level);
    size_t i = 0;
    while (i < l->jobs.n && l->jobs.at[i] != job)
        i++;
    if (i == l->jobs.n)
        return;
    l->jobs.n--;
    memmove(l->jobs.at + i, l->jobs.at + i + 1, (l->jobs.n - i) * sizeof *l->jobs.at);
}

/* ---- patience ---------------------------------------------------------------------------------------------------- */

static orr_time patience_of(const orr_near *n, int level)
{
    return level == 0 ? n->rules.node : level == 1 ? n->rules.rack : ORR_TIME_MAX;
}

static void lose_patience(orr_near *n, wait *w, orr_time from)
{
    const orr_time ends = orr_time_add(from, patience_of(n, w->level));
    w->offered = true;
    if (ends < ORR_TIME_MAX)
        ORR_VEC_PUSH(&n->patience[w->level], ((patience){w->job, ends, w->stamp}));
}

static void insist_less(orr_near *n, wait *w, orr_time from)
{
    leave(n, w->job, w->level);
    w->level++;
    w->offered = false;
    if (!n->rules.from_offer)
        lose_patience(n, w, from);
    join(n, w->job, w->level);
}

/* The first whose patience counts; NULL: none. Others have been started, or wait anew. */
static const patience *first_of(orr_near *n, int level)
{
    for (; n->next[level] < n->patience[level].n; n->next[level]++) {
        const patience *p = &n->patience[level].at[n->next[level]];
        const wait *w = wait_of(n, p->job);
        if (w->job == p->job && w->stamp == p->stamp && w->level == level)
            return p;
    }
    n->next[level] = n->patience[level].n = 0;
    return NULL;
}

static void promote(orr_near *n)
{
    const patience *p;
    for (int level = 0; level < LEVELS - 1; level++)
        while ((p = first_of(n, level)) && p->ends <= orr_now(n->ctx)) {
            const orr_time from = p->ends;
            wait *w = wait_of(n, p->job);
            n->next[level]++;
            insist_less(n, w, from);
        }
}

static void set_timer(orr_near *n)
{
    orr_time at = ORR_TIME_MAX;
    for (int level = 0; level < LEVELS - 1; level++) {
        const patience *p = first_of(n, level);
        at = p && p->ends < at ? p->ends : at;
    }
    if (at < ORR_TIME_MAX)
        orr_arm(n->ctx, COOKIE, at);
    else
        orr_disarm(n->ctx, COOKIE);
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static orr_scope scope_of(const orr_near *n, const orr_job *job)
{
    return (orr_scope){.vc = n->rules.anywhere || orr_vcs_are_tenants(n->ctx) ? -1 : job->vc};
}

/* Of the rack's nodes with exactly `free` free GPUs the first behind `after` that could give the job so many. */
static int32_t in_rack(orr_ctx *ctx, const orr_request *r, int32_t rack, int32_t free, int32_t gpus, int32_t after)
{
    do
        after = orr_rack_node_with_free(ctx, r->scope, rack, free, after);
    while (after >= 0 && orr_node_room(ctx, r->job, after) < gpus);
    return after;
}

/* Whole nodes, and the fullest of the others for what is left. */
static orr_err fewest_of_rack(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t rack, orr_alloc *out)
{
    const int32_t widest = orr_scope_widest(ctx, r->scope), rest = r->gpus % widest;
    int32_t node = -1, last = -1;
    for (int32_t left = r->gpus / widest; left > 0; left--) {
        node = in_rack(ctx, r, rack, widest, widest, node);
        if (node < 0 || orr_alloc_take(out, plan, node, widest))
            return ORR_E_NOFIT;
        last = node;
    }
    if (!rest)
        return ORR_OK;
    node = -1;
    for (int32_t free = rest; node < 0 && free <= widest; free++)
        node = in_rack(ctx, r, rack, free, rest, free == widest ? last : -1);
    return node < 0 ? ORR_E_NOFIT : orr_alloc_take(out, plan, node, rest);
}

/* What its nodes have, the emptiest first. */
static orr_err all_of_rack(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, int32_t rack, orr_alloc *out)
{
    int32_t left = r->gpus;
    for (int32_t free = orr_scope_widest(ctx, r->scope); free > 0 && left > 0; free--)
        for (int32_t node = -1; left > 0 && (node = in_rack(ctx, r, rack, free, 1, node)) >= 0;) {
            const int32_t room = orr_node_room(ctx, r->job, node), take = room < left ? room : left;
            if (orr_alloc_take(out, plan, node, take) == ORR_OK)
                left -= take;
        }
    return left ? ORR_E_NOFIT : ORR_OK;
}

static orr_err some_rack(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, bool fewest, orr_alloc *out)
{
    for (int32_t rack = 0; rack < orr_cluster_racks(ctx); rack++) {
        orr_alloc_clear(out);
        if ((fewest ? fewest_of_rack : all_of_rack)(ctx, plan, r, rack, out) == ORR_OK)
            return ORR_OK;
    }
    return ORR_E_NOFIT;
}

orr_err orr_fill_near(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_level level, orr_alloc *out)
{
    if (r->gpus > orr_scope_free(ctx, r->scope))
        return ORR_E_NOFIT;
    if (level > ORR_LEVEL_RACK)
        return orr_fill_nodes(ctx, plan, r, ORR_NODES_EMPTIEST, out);
    if (level == ORR_LEVEL_RACK || r->gpus > orr_scope_widest(ctx, r->scope))
        return some_rack(ctx, plan, r, level < ORR_LEVEL_RACK, out);
    const int32_t node = orr_node_for(ctx, r, r->gpus, ORR_NODES_FULLEST);
    return node < 0 ? ORR_E_NOFIT : orr_alloc_take(out, plan, node, r->gpus);
}

static orr_err place(orr_near *n, orr_plan *plan, const orr_job *job, orr_level level, orr_alloc *out)
{
    const orr_request r = {.job = job, .gpus = job->record->gpus, .scope = scope_of(n, job), .milli = ORR_WHOLE_GPU};
    return orr_fill_near(n->ctx, plan, &r, level, out);
}

static bool has_levels(const orr_job *job)
{
    return job->record->gpus > 0 && job->record->gpu_milli == ORR_WHOLE_GPU;
}

/* As if nobody held anything. */
static int level_of_empty(orr_near *n, const orr_job *job)
{
    orr_world *w = n->ctx->world;
    orr_alloc out = {0};
    int level = 0;
    w->cluster = w->empty;
    while (level < LEVELS - 1 && (orr_alloc_clear(&out), place(n, w->plan, job, levels[level], &out)) != ORR_OK)
        level++;
    orr_alloc_clear(&out);
    w->cluster = w->real;
    return level;
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

/* Nobody insists on what the cluster doesn't have. */
static int nearest_of(orr_near *n, const orr_job *job)
{
    while (n->nearest.n <= job->shape)
        ORR_VEC_PUSH(&n->nearest, (int8_t)-1);
    int8_t *nearest = &n->nearest.at[job->shape];
    if (*nearest < 0)
        *nearest = (int8_t)(has_levels(job) ? level_of_empty(n, job) : 0);
    return *nearest;
}

static void begin_wait(orr_near *n, orr_job *job)
{
    wait *w = wait_of(n, job);
    *w = (wait){.job = job, .level = nearest_of(n, job), .stamp = ++n->stamp};
    join(n, job, w->level);
    if (!n->rules.from_offer)
        lose_patience(n, w, orr_now(n->ctx));
}

static void end_wait(orr_near *n, const orr_job *job)
{
    wait *w = wait_of(n, job);
    if (w->job == job)
        leave(n, job, w->level);
    *w = (wait){.job = NULL};
}

void orr_near_event(orr_near *n, orr_job *job, const orr_event *event)
{
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        end_wait(n, job);
        begin_wait(n, job);
        break;
    case ORR_EV_STARTED:
    case ORR_EV_ENDED:
        end_wait(n, job);
        break;
    default:
        break;
    }
}

orr_level orr_near_level(orr_near *n, const orr_job *job)
{
    return levels[wait_of(n, job)->level];
}

/* As near as there are any, if near enough. Parts of GPUs, and cores without, are near anyway. */
static orr_err try_start(orr_near *n, orr_plan *plan, orr_job *job)
{
    if (!has_levels(job))
        return orr_plan_start_in(plan, job, scope_of(n, job));
    orr_alloc *out = orr_plan_alloc(plan);
    for (int level = 0; level <= wait_of(n, job)->level; level++) {
        orr_alloc_clear(out);
        if (place(n, plan, job, levels[level], out) == ORR_OK)
            return orr_plan_assign(plan, job, out);
    }
    return ORR_E_NOFIT;
}

orr_err orr_near_start(orr_near *n, orr_plan *plan, orr_job *job)
{
    const orr_err err = try_start(n, plan, job);
    if (err)
        return err;
    end_wait(n, job);
    ORR_VEC_PUSH(&n->chosen, job);
    if (n->rules.started)
        n->rules.started(n->ctx, job);
    return ORR_OK;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static uint64_t releases(const orr_near *n)
{
    return orr_cluster_pool(n->ctx->world->cluster, -1)->releases;
}

/* Of the lines that found no room when releases stood at `now`, or of the others, the one whose first job came first,
 * behind `after`. */
static line *first_line(orr_near *n, bool failed, uint64_t now, const orr_job *after)
{
    line *best = NULL;
    for (int level = 0; level < LEVELS; level++)
        for (size_t i = 0; i < n->lines[level].n; i++) {
            line *l = &n->lines[level].at[i];
            if (!l->jobs.n || l->barred == n->walk || (l->failed_at == now) != failed)
                continue;
            if (after && l->jobs.at[0]->index <= after->index)
                continue;
            if (!best || l->jobs.at[0]->index < best->jobs.at[0]->index)
                best = l;
        }
    return best;
}

/* It could have been given GPUs, though not near enough: its patience begins to run out. */
static void note_offer(orr_near *n, orr_plan *plan, orr_job *job)
{
    wait *w = wait_of(n, job);
    if (!n->rules.from_offer || w->offered || !has_levels(job) || w->level == LEVELS - 1)
        return;
    if (place(n, plan, job, ORR_LEVEL_CLUSTER, orr_plan_alloc(plan)) == ORR_OK)
        lose_patience(n, w, orr_now(n->ctx));
}

static void try_first(orr_near *n, orr_plan *plan, line *l)
{
    orr_job *job = l->jobs.at[0];
    const orr_err err = orr_near_start(n, plan, job);
    if (!err)
        return;
    l->failed_at = releases(n);
    note_offer(n, plan, job);
}

/* A plan that was refused leaves those waiting that it chose. */
static void take_back(orr_near *n)
{
    for (size_t i = 0; i < n->chosen.n; i++)
        if (n->chosen.at[i]->state == ORR_JOB_QUEUED && !wait_of(n, n->chosen.at[i])->job)
            begin_wait(n, n->chosen.at[i]);
    n->chosen.n = 0;
}

void orr_near_begin(orr_near *n)
{
    take_back(n);
    promote(n);
}

orr_err orr_near_schedule(orr_near *n, orr_plan *plan, bool (*may)(orr_ctx *ctx, const orr_job *job))
{
    line *l;
    n->walk++;
    while ((l = first_line(n, false, releases(n), NULL)) != NULL) {
        if (may && !may(n->ctx, l->jobs.at[0]))
            l->barred = n->walk;
        else
            try_first(n, plan, l);
    }
    n->settled = releases(n);
    set_timer(n);
    return ORR_OK;
}

orr_job *orr_near_left(orr_near *n, const orr_job *after)
{
    const line *l;
    n->walk++;
    l = first_line(n, true, n->settled, after);
    return l ? l->jobs.at[0] : NULL;
}
