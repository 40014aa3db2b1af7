/* Plans: staged changes with an undo log, and their commit.
 *
 * Staging moves GPUs in the live index at once, so that later calls see them; nothing happens to jobs until commit, and
 * since no event is dealt with in between, nobody else sees the index half way. Undo plays the log back. */
#include "model/training.h"
#include "sched/list.h"
#include "sched/plan.h"

#include <stdlib.h>

orr_plan *orr_plan_create(orr_world *world)
{
    orr_plan *plan = orr_xcalloc(1, sizeof *plan);
    plan->world = world;
    return plan;
}

void orr_plan_destroy(orr_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->allocs.n; i++) {
        orr_alloc_clear(plan->allocs.at[i]);
        free(plan->allocs.at[i]);
    }
    ORR_VEC_FREE(&plan->allocs);
    ORR_VEC_FREE(&plan->entries);
    ORR_VEC_FREE(&plan->log);
    ORR_VEC_FREE(&plan->nodes);
    ORR_VEC_FREE(&plan->flows);
    ORR_VEC_FREE(&plan->paces);
    ORR_VEC_FREE(&plan->clocks);
    free(plan);
}

void orr_plan_begin(orr_plan *plan, orr_ctx *ctx)
{
    plan->ctx = ctx;
    plan->entries.n = plan->log.n = plan->nodes.n = plan->flows.n = plan->paces.n = plan->allocs_used = 0;
    plan->clocks.n = 0;
    plan->bad.code = ORR_OK;
    plan->open = true;
}

/* ---- allocations ------------------------------------------------------------------------------------------------- */

orr_alloc *orr_plan_alloc(orr_plan *plan)
{
    if (plan->allocs_used == plan->allocs.n) {
        orr_alloc *a = orr_xcalloc(1, sizeof *a);
        ORR_VEC_PUSH(&plan->allocs, a);
    }
    orr_alloc *a = plan->allocs.at[plan->allocs_used++];
    a->count = a->gpus = 0;
    a->milli = 0;
    return a;
}

orr_err orr_alloc_take(orr_alloc *out, const orr_plan *plan, int32_t node, int32_t count)
{
    const orr_cluster *c = plan->world->cluster;
    if (node < 0 || node >= c->count || count < 1 || count > c->nodes[node].free)
        return ORR_E_PLAN_CAPACITY;
    orr_alloc_append(out, (orr_slice){.node = node, .gpus = orr_lowest_bits(c->nodes[node].free_gpus, count)});
    return ORR_OK;
}

const orr_alloc *orr_plan_held(const orr_plan *plan, const orr_job *job)
{
    if (job->plan_entry)
        return plan->entries.at[job->plan_entry - 1].alloc;
    return orr_holds(job) ? &job->held : NULL;
}

/* ---- staging ----------------------------------------------------------------------------------------------------- */

static void give(orr_plan *plan, const orr_job *job, const orr_alloc *a)
{
    for (int32_t i = 0; a && i < a->count; i++) {
        const orr_slice *s = &orr_slices(a)[i];
        orr_cluster_give(plan->world->cluster, s->node, s->gpus, orr_job_slice_share(job, s));
    }
}

static void take(orr_plan *plan, const orr_job *job, const orr_alloc *a)
{
    for (int32_t i = 0; a && i < a->count; i++) {
        const orr_slice *s = &orr_slices(a)[i];
        orr_cluster_take(plan->world->cluster, s->node, s->gpus, orr_job_slice_share(job, s));
    }
}

orr_err orr_plan_illegal(orr_plan *plan, const orr_job *job, orr_err code, const char *what)
{
    if (!plan->bad.code) {
        plan->bad = (orr_error){0};
        orr_error_set(&plan->bad, code, "%s", what);
        orr_error_when(&plan->bad, plan->world->life->now, job ? job->record->id : NULL);
    }
    return code;
}

bool orr_plan_closed(orr_plan *plan, const orr_job *job)
{
    if (plan->open)
        return false;
    orr_world_fault(plan->world, ORR_E_PLAN_STATE, job, "a plan is used outside of its decision");
    return true;
}

static void set_entry(orr_plan *plan, orr_job *job, orr_staged to)
{
    orr_undo u = {.created = !job->plan_entry};
    if (u.created) {
        ORR_VEC_PUSH(&plan->entries, ((orr_staged){.job = job, .alloc = orr_holds(job) ? &job->held : NULL}));
        job->plan_entry = (int32_t)plan->entries.n;
    }
    u.entry = (uint32_t)job->plan_entry - 1;
    u.before = plan->entries.at[u.entry];
    plan->entries.at[u.entry] = to;
    ORR_VEC_PUSH(&plan->log, u);
}

/* A node that drains gives nothing away, but what a job held there it may keep. */
static uint64_t givable(const orr_node *n, const orr_job *job, int32_t node)
{
    uint64_t own = 0;
    for (int32_t i = 0; n->usable != n->up && orr_holds(job) && i < job->held.count; i++)
        if (orr_slices(&job->held)[i].node == node)
            own = orr_slices(&job->held)[i].gpus & n->up;
    return n->usable | own;
}

/* Room for the parts of a slice, once whatever the job held is back. */
static bool has_parts(const orr_node *n, const orr_slice *s, orr_share share, uint64_t givable)
{
    if (s->milli == ORR_WHOLE_GPU)
        return (n->idle & s->gpus & givable) == s->gpus;
    for (uint64_t m = s->gpus; m; m &= m - 1)
        if (!(givable & m & (~m + 1)) || !orr_node_holds_part(n, orr_lowest_bit(m), share))
            return false;
    return true;
}

static bool has_slice(const orr_cluster *c, const orr_job *job, const orr_slice *s)
{
    if (s->node < 0 || s->node >= c->count)
        return false;
    const orr_node *n = &c->nodes[s->node];
    orr_share share = orr_job_slice_share(job, s);
    return orr_node_suits_job(n, job) && (n->all & s->gpus) == s->gpus && orr_node_has_host(n, share) &&
           (s->gpus ? has_parts(n, s, share, givable(n, job, s->node)) : orr_node_open(n));
}

static bool has_room(const orr_plan *plan, const orr_job *job, const orr_alloc *a, orr_batch batch)
{
    for (int32_t i = 0; i < a->count; i++) {
        if (!has_slice(plan->world->cluster, job, &orr_slices(a)[i]))
            return false;
        for (int32_t k = 0; k < i; k++) /* O(slices^2); few nodes a job */
            if (orr_slices(a)[k].node == orr_slices(a)[i].node)
                return false;
    }
    if (batch.local)
        return orr_training_speed_with(plan->world->life, job, a, batch) > 0;
    return orr_world_moves(plan->world, job, a);
}

static orr_err check_assign(orr_plan *plan, const orr_job *job, const orr_alloc *alloc)
{
    if (job->state != ORR_JOB_QUEUED && !orr_holds(job))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE,
                                "the plan assigns GPUs to a job that neither waits nor holds any");
    if (job->plan_entry && plan->entries.at[job->plan_entry - 1].what != ORR_STAGED_ASSIGN)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan assigns GPUs to a job that it rejects or kills");
    if (alloc->gpus < job->least_gpus || alloc->gpus > job->most_gpus)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_GANG,
                                "the plan gives a job another number of GPUs than it can run on");
    return ORR_OK;
}

/* `batch`: {0, 0}: its own. */
static orr_err try_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc, orr_batch batch)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (!alloc || alloc->count == 0)
        return orr_plan_preempt(plan, job);
    orr_err err = check_assign(plan, job, alloc);
    if (err)
        return err;
    const orr_alloc *old = orr_plan_held(plan, job);
    if (old && orr_alloc_equal(alloc, old))
        return ORR_OK;
    give(plan, job, old);
    if (!has_room(plan, job, alloc, batch)) {
        take(plan, job, old);
        return ORR_E_NOFIT;
    }
    orr_alloc *copy = orr_plan_alloc(plan);
    orr_alloc_copy(copy, alloc);
    take(plan, job, copy);
    set_entry(plan, job, (orr_staged){.job = job, .what = ORR_STAGED_ASSIGN, .alloc = copy});
    return ORR_OK;
}

orr_err orr_plan_try_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    return try_assign(plan, job, alloc, (orr_batch){0});
}

orr_err orr_plan_assign_tuned(orr_plan *plan, orr_job *job, const orr_alloc *alloc, orr_batch batch)
{
    if (!orr_plan_closed(plan, job) && !orr_training_allows(job, alloc->gpus, batch))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan tunes a job to a batch that it can't have");
    const orr_err err = try_assign(plan, job, alloc, batch);
    return err ? err : orr_plan_tune(plan, job, batch);
}

orr_err orr_plan_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    const orr_err err = orr_plan_try_assign(plan, job, alloc);
    if (err != ORR_E_NOFIT)
        return err;
    return orr_plan_illegal(plan, job, ORR_E_PLAN_CAPACITY,
                            "the plan gives away GPUs, cores or memory that are not free");
}

static orr_err assign_share(orr_plan *plan, orr_job *job, const orr_alloc *of, int32_t milli)
{
    orr_alloc *shared = orr_plan_alloc(plan);
    for (int32_t i = 0; i < of->count; i++) {
        const orr_slice *s = &orr_slices(of)[i];
        orr_alloc_append(shared, (orr_slice){.node = s->node, .gpus = s->gpus, .milli = milli});
    }
    return orr_plan_try_assign(plan, job, shared);
}

orr_err orr_plan_reshare(orr_plan *plan, orr_job *job, int32_t milli)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    if (!held || milli < 1 || milli > ORR_WHOLE_GPU)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan gives shares to a job that holds no GPUs");
    return assign_share(plan, job, held, milli);
}

orr_err orr_plan_join(orr_plan *plan, orr_job *job, orr_job *host)
{
    const uint32_t mark = orr_plan_mark(plan);
    const orr_alloc *held = orr_plan_held(plan, host);
    if (!held || orr_plan_held(plan, job) || !held->gpus)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE,
                                "the plan lets a job join one that holds no GPUs, or that holds some");
    const int32_t share = orr_slices(held)->milli / 2;
    if (share < 1 || !orr_world_gets_on(plan->world, job, host, held))
        return ORR_E_NOFIT;
    orr_err err = orr_plan_reshare(plan, host, orr_slices(held)->milli - share);
    if (!err)
        err = assign_share(plan, job, orr_plan_held(plan, host), share);
    if (err)
        orr_plan_undo(plan, mark);
    return err;
}

orr_err orr_plan_preempt(orr_plan *plan, orr_job *job)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    const orr_alloc *old = orr_plan_held(plan, job);
    if (!old)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan takes GPUs away from a job that holds none");
    if (orr_holds(job) && !job->record->preemptible)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan preempts a job that must not be preempted");
    give(plan, job, old);
    set_entry(plan, job, (orr_staged){.job = job, .what = ORR_STAGED_ASSIGN});
    return ORR_OK;
}

bool orr_plan_restore(orr_plan *plan, orr_job *job)
{
    if (orr_plan_held(plan, job) || !orr_holds(job) || !has_room(plan, job, &job->held, job->batch))
        return false;
    return orr_plan_assign(plan, job, &job->held) == ORR_OK;
}

orr_err orr_plan_start_in(orr_plan *plan, orr_job *job, orr_scope scope)
{
    if (orr_plan_held(plan, job))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan starts a job that holds GPUs");
    orr_alloc *out = orr_plan_alloc(plan);
    orr_err err = orr_world_place(plan->world, plan->ctx, plan, job, job->record->gpus, scope, out);
    return err ? err : orr_plan_assign(plan, job, out);
}

orr_err orr_plan_start(orr_plan *plan, orr_job *job)
{
    return orr_plan_start_in(plan, job, (orr_scope){.vc = job->vc});
}

bool orr_plan_fits(orr_plan *plan, const orr_job *job, orr_scope scope)
{
    size_t used = plan->allocs_used;
    orr_alloc *out = orr_plan_alloc(plan);
    bool fits = orr_world_place(plan->world, plan->ctx, plan, job, job->record->gpus, scope, out) == ORR_OK;
    plan->allocs_used = used;
    return fits;
}

orr_err orr_plan_reject(orr_plan *plan, orr_job *job, const char *why)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (job->state != ORR_JOB_QUEUED || job->starts > 0 || orr_plan_held(plan, job))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan rejects a job that has been started");
    set_entry(plan, job, (orr_staged){.job = job, .what = ORR_STAGED_REJECT, .why = why});
    return ORR_OK;
}

orr_err orr_plan_kill(orr_plan *plan, orr_job *job, const char *why)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (job->state != ORR_JOB_QUEUED && !orr_holds(job))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan kills a job that has ended or is saving");
    give(plan, job, orr_plan_held(plan, job));
    set_entry(plan, job, (orr_staged){.job = job, .what = ORR_STAGED_KILL, .why = why});
    return ORR_OK;
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

uint32_t orr_plan_mark(const orr_plan *plan)
{
    return (uint32_t)plan->log.n;
}

static void undo_job(orr_plan *plan, const orr_undo *u)
{
    orr_staged *now = &plan->entries.at[u->entry];
    give(plan, now->job, now->alloc);
    take(plan, now->job, u->before.alloc);
    if (u->created) {
        now->job->plan_entry = 0;
        plan->entries.n--; /* entries are made and unmade in one order */
    } else {
        *now = u->before;
    }
}

void orr_plan_undo(orr_plan *plan, uint32_t mark)
{
    while (plan->open && plan->log.n > mark) {
        orr_undo u = plan->log.at[--plan->log.n];
        switch (u.kind) {
        case ORR_UNDO_JOB:
            undo_job(plan, &u);
            break;
        case ORR_UNDO_NODE:
            orr_plan_undo_node(plan, &u);
            break;
        case ORR_UNDO_FLOW:
            plan->flows.n--;
            break;
        case ORR_UNDO_PACE:
            plan->paces.n--;
            break;
        case ORR_UNDO_CLOCK:
            plan->clocks.n--;
            break;
        }
    }
}

void orr_plan_abandon(orr_plan *plan)
{
    orr_plan_undo(plan, 0);
    plan->open = false;
}

/* ---- commit ------------------------------------------------------------------------------------------------------ */

static bool is_preemption(const orr_staged *p)
{
    return p->what == ORR_STAGED_ASSIGN && !p->alloc && orr_holds(p->job);
}

/* Leavers first, so that what they save is known before others move in. */
static bool commit_leavers(orr_plan *plan)
{
    orr_life *life = plan->world->life;
    bool any = false;
    for (size_t i = 0; i < plan->entries.n; i++) {
        orr_staged *p = &plan->entries.at[i];
        if (is_preemption(p))
            orr_life_preempt(life, p->job);
        else if (p->what == ORR_STAGED_REJECT)
            orr_life_reject(life, p->job, p->why);
        else if (p->what == ORR_STAGED_KILL)
            orr_life_kill(life, p->job, p->why);
        else
            continue;
        any = true;
        if (p->what != ORR_STAGED_ASSIGN)
            p->job = NULL; /* it may be recycled from here on */
    }
    return any;
}

static bool commit_movers(orr_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->entries.n; i++) {
        orr_staged *p = &plan->entries.at[i];
        if (!p->job || !p->alloc || !orr_holds(p->job) || p->alloc == &p->job->held || orr_alloc_equal(p->alloc, &p->job->held))
            continue;
        orr_life_change(plan->world->life, p->job, p->alloc);
        any = true;
    }
    return any;
}

static bool commit_starters(orr_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->entries.n; i++) {
        orr_staged *p = &plan->entries.at[i];
        if (!p->job || !p->alloc || p->job->state != ORR_JOB_QUEUED)
            continue;
        orr_life_start(plan->world->life, p->job, p->alloc);
        any = true;
    }
    for (size_t i = 0; i < plan->entries.n; i++)
        if (plan->entries.at[i].job)
            orr_life_hold_saving(plan->world->life, plan->entries.at[i].job);
    return any;
}

orr_ctx *orr_plan_ctx(const orr_plan *plan)
{
    return plan->ctx;
}

bool orr_plan_broken(const orr_plan *plan)
{
    return plan->bad.code != ORR_OK;
}

orr_err orr_plan_commit(orr_plan *plan, bool *changed, orr_error *e)
{
    *changed = false;
    if (plan->bad.code) {
        orr_plan_abandon(plan);
        if (e && !e->code)
            *e = plan->bad;
        return plan->bad.code;
    }
    plan->open = false;
    for (size_t i = 0; i < plan->entries.n; i++)
        plan->entries.at[i].job->plan_entry = 0;
    bool left = commit_leavers(plan);
    bool moved = commit_movers(plan);
    bool started = commit_starters(plan);
    bool nodes = orr_plan_commit_nodes(plan);
    orr_plan_commit_clocks(plan);
    orr_plan_commit_flows(plan);
    orr_plan_commit_paces(plan);
    *changed = left || moved || started || nodes;
    plan->entries.n = plan->log.n = 0;
    return ORR_OK;
}
