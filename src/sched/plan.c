/* Plans: staged changes with an undo log, and their commit.
 *
 * Staging moves GPUs in the live index at once, so that later calls see them; nothing happens to jobs until commit, and
 * since no event is dealt with in between, nobody else sees the index half way. Undo plays the log back. */
#include "sched/ctx.h"
#include "sched/list.h"

#include <stdlib.h>

typedef enum action { ASSIGN, REJECT, KILL } action;

typedef struct entry {
    orr_job *job;
    action what;
    orr_alloc *alloc; /* what it shall hold; NULL: nothing */
    const char *why;
} entry;

typedef struct undo {
    uint32_t entry;
    bool created; /* the entry was new */
    entry before;
} undo;

struct orr_plan {
    orr_world *world;
    orr_ctx *ctx;
    ORR_VEC(entry) entries;
    ORR_VEC(undo) log;
    ORR_VEC(orr_alloc *) allocs;
    size_t allocs_used;
    bool open;     /* a decision is being made on it */
    orr_error bad; /* the first illegal call */
};

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
    free(plan);
}

void orr_plan_begin(orr_plan *plan, orr_ctx *ctx)
{
    plan->ctx = ctx;
    plan->entries.n = plan->log.n = plan->allocs_used = 0;
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
    return a;
}

orr_err orr_alloc_take(orr_alloc *out, const orr_plan *plan, int32_t node, int32_t count)
{
    const orr_cluster *c = plan->world->cluster;
    if (node < 0 || node >= c->count || count < 1 || count > c->nodes[node].free)
        return ORR_E_PLAN_CAPACITY;
    uint64_t left = c->nodes[node].free_gpus, take = 0;
    for (int32_t i = 0; i < count; i++) {
        take |= left & (~left + 1);
        left &= left - 1;
    }
    orr_alloc_append(out, (orr_slice){.node = node, .gpus = take});
    return ORR_OK;
}

orr_err orr_alloc_add(orr_alloc *out, int32_t node, uint64_t gpus)
{
    if (node < 0 || gpus == 0)
        return ORR_E_PLAN_CAPACITY;
    orr_alloc_append(out, (orr_slice){.node = node, .gpus = gpus});
    return ORR_OK;
}

int32_t orr_alloc_gpus(const orr_alloc *alloc)
{
    return alloc->gpus;
}

int32_t orr_alloc_nodes(const orr_alloc *alloc)
{
    return alloc->count;
}

const orr_slice *orr_alloc_slices(const orr_alloc *alloc)
{
    return orr_slices(alloc);
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
        orr_slice s = orr_slices(a)[i];
        orr_cluster_give(plan->world->cluster, s.node, s.gpus, orr_job_share(job, orr_bit_count(s.gpus)));
    }
}

static void take(orr_plan *plan, const orr_job *job, const orr_alloc *a)
{
    for (int32_t i = 0; a && i < a->count; i++) {
        orr_slice s = orr_slices(a)[i];
        orr_cluster_take(plan->world->cluster, s.node, s.gpus, orr_job_share(job, orr_bit_count(s.gpus)));
    }
}

static orr_err illegal(orr_plan *plan, const orr_job *job, orr_err code, const char *what)
{
    if (!plan->bad.code) {
        plan->bad = (orr_error){0};
        orr_error_set(&plan->bad, code, "%s", what);
        orr_error_when(&plan->bad, plan->world->life->now, job->record->id);
    }
    return code;
}

/* A policy that kept the plan and uses it in a notification would change what is being committed. */
static bool closed(orr_plan *plan, const orr_job *job)
{
    if (plan->open)
        return false;
    orr_world_fault(plan->world, ORR_E_PLAN_STATE, job, "a plan is used outside of its decision");
    return true;
}

static void set_entry(orr_plan *plan, orr_job *job, entry to)
{
    undo u = {.created = !job->plan_entry};
    if (u.created) {
        ORR_VEC_PUSH(&plan->entries, ((entry){.job = job, .alloc = orr_holds(job) ? &job->held : NULL}));
        job->plan_entry = (int32_t)plan->entries.n;
    }
    u.entry = (uint32_t)job->plan_entry - 1;
    u.before = plan->entries.at[u.entry];
    plan->entries.at[u.entry] = to;
    ORR_VEC_PUSH(&plan->log, u);
}

/* Room for a job without GPUs; one that names GPU types belongs to their nodes all the same. */
static bool has_cores(const orr_node *n, const orr_job *job)
{
    return (job->types & n->type) && (!n->spec->cpus || job->record->cpus <= n->cpus_free) &&
           (!n->spec->mem_bytes || job->record->mem_bytes <= n->mem_free);
}

/* The first node with enough cores and memory. O(nodes) where cores are modelled: jobs without GPUs are left out unless asked
 * for, and where cores are not modelled the first node will do. */
static orr_err place_on_cores(const orr_plan *plan, const orr_job *job, orr_scope scope, orr_alloc *out)
{
    const orr_cluster *c = plan->world->cluster;
    const orr_pool *pool = orr_cluster_pool(c, scope.vc);
    for (int32_t i = 0; i < pool->count; i++) {
        if (has_cores(&c->nodes[pool->nodes[i]], job)) {
            orr_alloc_append(out, (orr_slice){.node = pool->nodes[i]});
            return ORR_OK;
        }
    }
    return ORR_E_NOFIT;
}

static bool has_room(const orr_plan *plan, const orr_job *job, const orr_alloc *a)
{
    const orr_cluster *c = plan->world->cluster;
    for (int32_t i = 0; i < a->count; i++) {
        orr_slice s = orr_slices(a)[i];
        if (s.node < 0 || s.node >= c->count || (c->nodes[s.node].free_gpus & s.gpus) != s.gpus)
            return false;
        if (s.gpus ? orr_node_room(plan->ctx, job, s.node) < orr_bit_count(s.gpus) : !has_cores(&c->nodes[s.node], job))
            return false;
        for (int32_t k = 0; k < i; k++) /* O(slices^2); few nodes a job */
            if (orr_slices(a)[k].node == s.node)
                return false;
    }
    return true;
}

static orr_err check_assign(orr_plan *plan, const orr_job *job, const orr_alloc *alloc)
{
    if (job->state != ORR_JOB_QUEUED && !orr_holds(job))
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan assigns GPUs to a job that neither waits nor holds any");
    if (job->plan_entry && plan->entries.at[job->plan_entry - 1].what != ASSIGN)
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan assigns GPUs to a job that it rejects or kills");
    if (alloc->gpus < job->record->min_gpus || alloc->gpus > job->record->max_gpus)
        return illegal(plan, job, ORR_E_PLAN_GANG, "the plan gives a job another number of GPUs than it can run on");
    return ORR_OK;
}

orr_err orr_plan_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    if (closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (!alloc || alloc->count == 0)
        return orr_plan_preempt(plan, job);
    orr_err err = check_assign(plan, job, alloc);
    if (err)
        return err;
    const orr_alloc *old = orr_plan_held(plan, job);
    give(plan, job, old);
    if (!has_room(plan, job, alloc)) {
        take(plan, job, old);
        return illegal(plan, job, ORR_E_PLAN_CAPACITY, "the plan gives away GPUs, cores or memory that are not free");
    }
    orr_alloc *copy = orr_plan_alloc(plan);
    orr_alloc_copy(copy, alloc);
    take(plan, job, copy);
    set_entry(plan, job, (entry){.job = job, .what = ASSIGN, .alloc = copy});
    return ORR_OK;
}

orr_err orr_plan_preempt(orr_plan *plan, orr_job *job)
{
    if (closed(plan, job))
        return ORR_E_PLAN_STATE;
    const orr_alloc *old = orr_plan_held(plan, job);
    if (!old)
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan takes GPUs away from a job that holds none");
    if (orr_holds(job) && !job->record->preemptible)
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan preempts a job that must not be preempted");
    give(plan, job, old);
    set_entry(plan, job, (entry){.job = job, .what = ASSIGN});
    return ORR_OK;
}

bool orr_plan_restore(orr_plan *plan, orr_job *job)
{
    if (orr_plan_held(plan, job) || !orr_holds(job) || !has_room(plan, job, &job->held))
        return false;
    return orr_plan_assign(plan, job, &job->held) == ORR_OK;
}

static orr_err place(orr_plan *plan, const orr_job *job, orr_scope scope, orr_alloc *out)
{
    orr_ctx *placer = plan->ctx->placer_ctx;
    if (job->record->gpus == 0)
        return place_on_cores(plan, job, scope, out);
    orr_request request = {.job = job, .gpus = job->record->gpus, .scope = scope};
    orr_err err = placer->desc.placer.place(placer, plan, &request, out);
    if (err && err != ORR_E_NOFIT)
        orr_world_fault(plan->world, err, job, "the placer failed");
    return err;
}

orr_err orr_plan_start_in(orr_plan *plan, orr_job *job, orr_scope scope)
{
    if (orr_plan_held(plan, job))
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan starts a job that holds GPUs");
    orr_alloc *out = orr_plan_alloc(plan);
    orr_err err = place(plan, job, scope, out);
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
    bool fits = place(plan, job, scope, out) == ORR_OK;
    plan->allocs_used = used;
    return fits;
}

orr_err orr_plan_reject(orr_plan *plan, orr_job *job, const char *why)
{
    if (closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (job->state != ORR_JOB_QUEUED || job->starts > 0 || orr_plan_held(plan, job))
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan rejects a job that has been started");
    set_entry(plan, job, (entry){.job = job, .what = REJECT, .why = why});
    return ORR_OK;
}

orr_err orr_plan_kill(orr_plan *plan, orr_job *job, const char *why)
{
    if (closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (job->state != ORR_JOB_QUEUED && !orr_holds(job))
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan kills a job that has ended or is saving");
    give(plan, job, orr_plan_held(plan, job));
    set_entry(plan, job, (entry){.job = job, .what = KILL, .why = why});
    return ORR_OK;
}

uint32_t orr_plan_mark(const orr_plan *plan)
{
    return (uint32_t)plan->log.n;
}

void orr_plan_undo(orr_plan *plan, uint32_t mark)
{
    while (plan->open && plan->log.n > mark) {
        undo u = plan->log.at[--plan->log.n];
        entry *now = &plan->entries.at[u.entry];
        give(plan, now->job, now->alloc);
        take(plan, now->job, u.before.alloc);
        if (u.created) {
            now->job->plan_entry = 0;
            plan->entries.n--; /* entries are made and unmade in one order */
        } else {
            *now = u.before;
        }
    }
}

void orr_plan_abandon(orr_plan *plan)
{
    orr_plan_undo(plan, 0);
    plan->open = false;
}

/* ---- commit ------------------------------------------------------------------------------------------------------ */

static bool is_preemption(const entry *p)
{
    return p->what == ASSIGN && !p->alloc && orr_holds(p->job);
}

/* Leavers first, so that what they save is known before others move in. */
static bool commit_leavers(orr_plan *plan)
{
    orr_life *life = plan->world->life;
    bool any = false;
    for (size_t i = 0; i < plan->entries.n; i++) {
        entry *p = &plan->entries.at[i];
        if (is_preemption(p))
            orr_life_preempt(life, p->job);
        else if (p->what == REJECT)
            orr_life_reject(life, p->job, p->why);
        else if (p->what == KILL)
            orr_life_kill(life, p->job, p->why);
        else
            continue;
        any = true;
        if (p->what != ASSIGN)
            p->job = NULL; /* it may be recycled from here on */
    }
    return any;
}

static bool commit_movers(orr_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->entries.n; i++) {
        entry *p = &plan->entries.at[i];
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
        entry *p = &plan->entries.at[i];
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
    *changed = left || moved || started;
    plan->entries.n = plan->log.n = 0;
    return ORR_OK;
}
