/* Plans: staged changes with an undo log, and their commit.
 *
 * Staging moves GPUs in the live index at once, so that later calls see them; nothing happens to jobs until commit, and
 * since no event is dealt with in between, nobody else sees the index half way. Undo plays the log back. */
#include "cluster/nodelife.h"
#include "model/net.h"
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

/* What a node shall do; the last one that is said of it counts. */
typedef struct node_entry {
    int32_t node;
    orr_node_wish wish;
} node_entry;

/* How a job's messages go; the last one that is said counts. */
typedef struct flow_entry {
    orr_job *job;
    orr_flow_rule rule;
} flow_entry;

typedef struct undo {
    uint32_t entry;
    bool created; /* the entry was new */
    entry before;
    bool of_node; /* instead: the last node entry goes; what it had hidden is back */
    bool took;    /* and the node took jobs before */
    int32_t planned;
    bool of_flow; /* instead: the last flow entry goes */
} undo;

struct orr_plan {
    orr_world *world;
    orr_ctx *ctx;
    ORR_VEC(entry) entries;
    ORR_VEC(undo) log;
    ORR_VEC(node_entry) nodes;
    ORR_VEC(flow_entry) flows;
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
    ORR_VEC_FREE(&plan->nodes);
    ORR_VEC_FREE(&plan->flows);
    free(plan);
}

void orr_plan_begin(orr_plan *plan, orr_ctx *ctx)
{
    plan->ctx = ctx;
    plan->entries.n = plan->log.n = plan->nodes.n = plan->flows.n = plan->allocs_used = 0;
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

/* `job` may be NULL: it concerns none. */
static orr_err illegal(orr_plan *plan, const orr_job *job, orr_err code, const char *what)
{
    if (!plan->bad.code) {
        plan->bad = (orr_error){0};
        orr_error_set(&plan->bad, code, "%s", what);
        orr_error_when(&plan->bad, plan->world->life->now, job ? job->record->id : NULL);
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

static bool has_room(const orr_plan *plan, const orr_job *job, const orr_alloc *a)
{
    for (int32_t i = 0; i < a->count; i++) {
        if (!has_slice(plan->world->cluster, job, &orr_slices(a)[i]))
            return false;
        for (int32_t k = 0; k < i; k++) /* O(slices^2); few nodes a job */
            if (orr_slices(a)[k].node == orr_slices(a)[i].node)
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

orr_err orr_plan_try_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    if (closed(plan, job))
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
    if (!has_room(plan, job, alloc)) {
        take(plan, job, old);
        return ORR_E_NOFIT;
    }
    orr_alloc *copy = orr_plan_alloc(plan);
    orr_alloc_copy(copy, alloc);
    take(plan, job, copy);
    set_entry(plan, job, (entry){.job = job, .what = ASSIGN, .alloc = copy});
    return ORR_OK;
}

orr_err orr_plan_assign(orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    const orr_err err = orr_plan_try_assign(plan, job, alloc);
    if (err != ORR_E_NOFIT)
        return err;
    return illegal(plan, job, ORR_E_PLAN_CAPACITY, "the plan gives away GPUs, cores or memory that are not free");
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
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan gives shares to a job that holds no GPUs");
    return assign_share(plan, job, held, milli);
}

orr_err orr_plan_join(orr_plan *plan, orr_job *job, orr_job *host)
{
    const uint32_t mark = orr_plan_mark(plan);
    const orr_alloc *held = orr_plan_held(plan, host);
    if (!held || orr_plan_held(plan, job) || !held->gpus)
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan lets a job join one that holds no GPUs, or that holds some");
    const int32_t share = orr_slices(held)->milli / 2;
    if (share < 1)
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
    const orr_trace_job *r = job->record;
    orr_request request = {.job = job, .gpus = r->gpus, .scope = scope, .milli = r->gpu_milli};
    if (r->gpus == 0 && !placer->desc.placer.parts)
        return orr_fill_cores(plan->ctx, &request, out);
    if (r->gpus > 0 && r->gpu_milli < ORR_WHOLE_GPU && !placer->desc.placer.parts)
        return orr_fill_parts(plan->ctx, &request, out);
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

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Later calls on the plan find room there, or none, as it will be when the plan is committed. */
static void show_node(orr_plan *plan, int32_t node, orr_node_wish wish)
{
    orr_cluster *c = plan->world->cluster;
    orr_node_state state = orr_nodelife_state(plan->world->nodes, node);
    if (state == ORR_NODE_UP || state == ORR_NODE_DRAINING)
        orr_cluster_set_up(c, node, c->nodes[node].up, wish == ORR_WISH_TAKE);
}

orr_err orr_plan_node(orr_plan *plan, int32_t node, orr_node_action what)
{
    static const orr_node_wish wishes[] = {[ORR_NODE_DRAIN] = ORR_WISH_DRAIN, [ORR_NODE_RESUME] = ORR_WISH_TAKE,
                                           [ORR_NODE_SLEEP] = ORR_WISH_SLEEP, [ORR_NODE_WAKE] = ORR_WISH_TAKE};
    orr_cluster *c = plan->world->cluster;
    if (closed(plan, NULL))
        return ORR_E_PLAN_STATE;
    if (node < 0 || node >= c->count)
        return illegal(plan, NULL, ORR_E_PLAN_STATE, "the plan acts on a node that isn't there");
    orr_node_status *s = &plan->world->nodes->nodes[node];
    if (s->state == ORR_NODE_DOWN || s->wish == ORR_WISH_LEAVE)
        return illegal(plan, NULL, ORR_E_PLAN_STATE, "the plan acts on a node that is down or taken away");
    undo u = {.of_node = true, .took = c->nodes[node].takes, .planned = s->planned};
    ORR_VEC_PUSH(&plan->log, u);
    ORR_VEC_PUSH(&plan->nodes, ((node_entry){.node = node, .wish = wishes[what]}));
    s->planned = (int32_t)plan->nodes.n;
    show_node(plan, node, wishes[what]);
    return ORR_OK;
}

static void undo_node(orr_plan *plan, const undo *u)
{
    node_entry last = plan->nodes.at[--plan->nodes.n];
    plan->world->nodes->nodes[last.node].planned = u->planned;
    show_node(plan, last.node, u->took ? ORR_WISH_TAKE : ORR_WISH_DRAIN);
}

/* Nodes whose wish changes. */
static bool commit_nodes(orr_plan *plan)
{
    orr_nodelife *nodes = plan->world->nodes;
    bool any = false;
    for (size_t i = 0; i < plan->nodes.n; i++) {
        node_entry to = plan->nodes.at[i];
        orr_node_status *s = &nodes->nodes[to.node];
        if (s->planned != (int32_t)i + 1)
            continue;
        s->planned = 0;
        any |= s->wish != to.wish;
        orr_nodelife_wish(nodes, to.node, to.wish);
    }
    plan->nodes.n = 0;
    return any;
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

/* ---- links ------------------------------------------------------------------------------------------------------- */

orr_err orr_plan_flow(orr_plan *plan, orr_job *job, int32_t class_, double weight, double cap)
{
    if (closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (!plan->world->net)
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan directs messages where no network is modelled");
    if (!orr_plan_held(plan, job) || !(weight > 0) || !(cap >= 0))
        return illegal(plan, job, ORR_E_PLAN_STATE, "the plan directs messages of a job that holds no GPUs, or by no weight");
    ORR_VEC_PUSH(&plan->log, ((undo){.of_flow = true}));
    ORR_VEC_PUSH(&plan->flows, ((flow_entry){job, {class_, weight, cap}}));
    return ORR_OK;
}

/* No change of what is held: not one that counts as a commit. */
static void commit_flows(orr_plan *plan)
{
    for (size_t i = 0; i < plan->flows.n; i++)
        if (orr_holds(plan->flows.at[i].job))
            orr_net_set_rule(plan->world->net, plan->flows.at[i].job, plan->flows.at[i].rule);
    plan->flows.n = 0;
}

uint32_t orr_plan_mark(const orr_plan *plan)
{
    return (uint32_t)plan->log.n;
}

void orr_plan_undo(orr_plan *plan, uint32_t mark)
{
    while (plan->open && plan->log.n > mark) {
        undo u = plan->log.at[--plan->log.n];
        if (u.of_node) {
            undo_node(plan, &u);
            continue;
        }
        if (u.of_flow) {
            plan->flows.n--;
            continue;
        }
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
    bool nodes = commit_nodes(plan);
    commit_flows(plan);
    *changed = left || moved || started || nodes;
    plan->entries.n = plan->log.n = 0;
    return ORR_OK;
}
