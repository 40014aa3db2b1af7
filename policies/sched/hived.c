/* hived: virtual clusters with quotas by shape. A VC owns cells (racks, nodes, switches, GPUs near each other) of a
 * cluster that all share; a guaranteed job is placed in its VC as if the VC were alone, and its cells are then found
 * among the physical ones by buddy allocation, so that sharing never makes it wait longer. Opportunistic jobs
 * (priority -1) use what is idle and leave when it is needed; within a VC a job may take the place of one with a
 * lower priority.
 *
 * Each VC has a queue of its own, by priority and then in the inner order, which knows nothing of cells;
 * opportunistic jobs of all VCs share one. Jobs of one shape fail together: a shape that found no room isn't asked
 * again before room of the VC was given back. Priorities and pinned cells come from the trace's columns `priority`
 * and `pinned_cell`.
 *
 * Source: Zhao et al., HiveD, OSDI'20, sections 3 and 4, and the public scheduler; the cells are <orrery/cells.h>.
 * Where a cluster declares no cells, nodes that are alike are a chain, and VCs have the nodes that are theirs. A job
 * is cut into whole nodes and a rest, since traces count GPUs, not pods. Victims leave within the decision that needs
 * their place, and move at once where there is room for them elsewhere. */
#include <orrery/cells.h>
#include <orrery/policy.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIFO, SJF, SRTF, SMALLEST };

typedef struct settings {
    int32_t inner, hol;
    int64_t priority;
    bool lazy;
} settings;

typedef struct one { /* of a job */
    orr_gang *gang;  /* NULL: it asks no GPUs */
    orr_job *job;
    int32_t priority;
    uint32_t shape;
    bool waits; /* it is in a queue */
} one;

typedef struct shape {
    int32_t gpus, priority;
    uint64_t chains;
    const char *pin;
} shape;

typedef struct queue {
    orr_waiting *jobs;
    bool stuck; /* behind a job that can't be preempted */
} queue;

typedef struct state {
    orr_cells *cells;
    queue *queues; /* [vcs], then the opportunistic one */
    int32_t vcs;
    shape *shapes;
    size_t shape_count, shape_cap;
    orr_line foreign; /* placed by somebody else, not in the cells yet */
    orr_line victims; /* of this decision */
} state;

/* ---- queues: by priority, then the inner order ---- */

static uint32_t shape_of(orr_ctx *ctx, shape like)
{
    state *st = orr_state(ctx);
    for (size_t i = 0; i < st->shape_count; i++) {
        const shape *s = &st->shapes[i];
        if (s->gpus == like.gpus && s->priority == like.priority && s->chains == like.chains &&
            strcmp(s->pin, like.pin) == 0)
            return (uint32_t)i;
    }
    if (st->shape_count == st->shape_cap) {
        st->shape_cap = 2 * st->shape_cap + 16;
        shape *more = orr_alloc_memory(ctx, st->shape_cap * sizeof *more);
        if (st->shape_count)
            memcpy(more, st->shapes, st->shape_count * sizeof *more);
        st->shapes = more;
    }
    st->shapes[st->shape_count] = like;
    return (uint32_t)st->shape_count++;
}

static queue *queue_of(state *st, const one *o)
{
    return &st->queues[o->priority < 0 ? st->vcs : orr_job_vc(o->job)];
}

static double inner_key(orr_ctx *ctx, const orr_job *job)
{
    int32_t inner = ((const settings *)orr_knobs(ctx))->inner;
    if (inner == SJF || inner == SRTF)
        return inner == SJF ? orr_est_duration(ctx, job) : orr_est_remaining(ctx, job);
    return inner == SMALLEST ? orr_job_gpus(job) : 0;
}

static void wait(orr_ctx *ctx, one *o)
{
    state *st = orr_state(ctx);
    o->shape = shape_of(ctx, (shape){orr_job_gpus(o->job), o->priority, orr_cells_for(ctx, st->cells, o->job),
                                     orr_job_attribute(ctx, o->job, "pinned_cell")});
    orr_waiting_add(queue_of(st, o)->jobs, o->job, o->shape, (orr_rank){-o->priority, inner_key(ctx, o->job)});
    o->waits = true;
}

static void wait_no_more(state *st, one *o)
{
    if (o->waits)
        orr_waiting_remove(queue_of(st, o)->jobs, o->job, o->shape);
    o->waits = false;
}

static void give_room(state *st, const one *o)
{
    for (int32_t v = 0; v <= st->vcs; v++)
        if (v == st->vcs || st->queues[v].stuck || v == orr_job_vc(o->job)) {
            orr_waiting_room(st->queues[v].jobs);
            st->queues[v].stuck = false;
        }
}

/* ---- jobs come and go ---- */

/* What the trace says, or the knob; below -1 where it is no priority. */
static int32_t priority_of(orr_ctx *ctx, const orr_job *job)
{
    const char *text = orr_job_attribute(ctx, job, "priority");
    char *end;
    if (!text[0])
        return (int32_t)((const settings *)orr_knobs(ctx))->priority;
    long value = strtol(text, &end, 10);
    return *end || value < ORR_OPPORTUNISTIC || value > ORR_MAX_PRIORITY ? -2 : (int32_t)value;
}

static bool refused(orr_ctx *ctx, const orr_job *job, const char *why)
{
    orr_note_decision(ctx, job, why);
    return false;
}

static bool admit(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const state *st = orr_state(ctx);
    one *o = orr_job_state_of(ctx, job);
    const char *pin = orr_job_attribute(ctx, job, "pinned_cell");
    o->priority = priority_of(ctx, job);
    if (orr_job_gpus(job) == 0)
        return true;
    orr_cells_request r = {.vc = orr_job_vc(job),
                           .priority = o->priority,
                           .lazy = s->lazy,
                           .pin = pin[0] ? pin : NULL,
                           .chains = orr_cells_for(ctx, st->cells, job),
                           .gpus = orr_job_gpus(job),
                           .owner = o};
    if (!r.chains || orr_gang_create(st->cells, &r, &o->gang, NULL))
        return refused(ctx, job, "its priority, pinned cell, GPU type, cores or memory aren't those of its VC's cells");
    if (orr_gang_possible(o->gang))
        return true;
    orr_gang_destroy(o->gang);
    o->gang = NULL;
    return refused(ctx, job, "wider than the cells of its VC");
}

static void leave(state *st, one *o)
{
    if (!o->gang || orr_gang_state_now(o->gang) == ORR_GANG_PENDING)
        return;
    orr_gang_release(o->gang);
    give_room(st, o);
}

static void note_start(orr_ctx *ctx, one *o)
{
    state *st = orr_state(ctx);
    if (!o->gang || orr_gang_state_now(o->gang) != ORR_GANG_PENDING)
        return;
    wait_no_more(st, o);
    orr_line_add(ctx, &st->foreign, o->job);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *st = orr_state(ctx);
    one *o = orr_job_state_of(ctx, job);
    o->job = job;
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        wait(ctx, o);
        return;
    case ORR_EV_STARTED:
        note_start(ctx, o);
        return;
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        leave(st, o);
        wait(ctx, o);
        return;
    case ORR_EV_ENDED:
        wait_no_more(st, o);
        leave(st, o);
        orr_gang_destroy(o->gang);
        o->gang = NULL;
        return;
    default:
        return;
    }
}

static bool is_whole(const orr_ctx *ctx, int32_t node)
{
    if (orr_node_state_now(ctx, node) != ORR_NODE_UP)
        return false;
    uint64_t up = orr_node_up_gpus(ctx, node);
    int32_t n = 0;
    for (; up; up &= up - 1)
        n++;
    return n == orr_node_gpus(ctx, node);
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    state *st = orr_state(ctx);
    if (node < 0 || event->kind == ORR_EV_NODE_NOTICE)
        return;
    orr_cells_node(st->cells, node, is_whole(ctx, node));
    for (int32_t v = 0; v <= st->vcs; v++)
        orr_waiting_room(st->queues[v].jobs);
}

/* ---- the decision ---- */

/* Everybody in the way leaves now; false: somebody must not. */
static bool evict(orr_ctx *ctx, orr_plan *plan, orr_gang *gang)
{
    state *st = orr_state(ctx);
    orr_gang *const *victims;
    int32_t n = orr_gang_victims(gang, &victims);
    for (int32_t i = 0; i < n; i++)
        if (!orr_job_preemptible(((one *)orr_gang_owner(victims[i]))->job))
            return false;
    for (int32_t i = 0; i < n; i++) {
        one *o = orr_gang_owner(victims[i]);
        if (orr_plan_preempt(plan, o->job))
            return false;
        leave(st, o);
        wait(ctx, o);
        orr_line_add(ctx, &st->victims, o->job);
    }
    return true;
}

static bool start(orr_ctx *ctx, orr_plan *plan, queue *q, one *o)
{
    if (!o->gang)
        return orr_plan_start(plan, o->job) == ORR_OK;
    orr_cells_answer answer = orr_gang_ask(o->gang, NULL, true);
    if (answer == ORR_CELLS_PREEMPT) {
        q->stuck = !evict(ctx, plan, o->gang);
        answer = q->stuck ? ORR_CELLS_WAIT : orr_gang_ask(o->gang, NULL, true);
    }
    if (answer == ORR_CELLS_BIND && orr_plan_gang(ctx, plan, o->job, o->gang) == ORR_OK) {
        orr_gang_take(o->gang);
        return true;
    }
    orr_gang_release(o->gang);
    return false;
}

static void start_what_fits(orr_ctx *ctx, orr_plan *plan, queue *q, bool skip)
{
    state *st = orr_state(ctx);
    uint32_t of;
    for (orr_job *job; (job = orr_waiting_first(q->jobs, skip, &of)) != NULL;) {
        one *o = orr_job_state_of(ctx, job);
        wait_no_more(st, o);
        if (start(ctx, plan, q, o))
            continue;
        wait(ctx, o);
        orr_waiting_failed(q->jobs, of);
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    for (size_t i = 0; i < st->foreign.n; i++) { /* those that ran at the origin: opportunistically, whatever they are */
        const one *o = orr_job_state_of(ctx, st->foreign.at[i]);
        if (o->gang)
            orr_gang_adopt_held(o->gang, plan, o->job);
    }
    st->foreign.n = 0;
    for (int32_t v = 0; v <= st->vcs; v++)
        start_what_fits(ctx, plan, &st->queues[v], s->hol == 1);
    for (size_t i = 0; i < st->victims.n; i++) /* those that found no other place wait when they have left */
        wait_no_more(st, orr_job_state_of(ctx, st->victims.at[i]));
    st->victims.n = 0;
    return ORR_OK;
}

static void explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    const one *o = orr_job_state_of(ctx, job);
    if (o->priority < 0)
        snprintf(buf, size, "it is opportunistic: no %d GPUs that nobody else holds lie together", orr_job_gpus(job));
    else
        snprintf(buf, size, "the cells of its VC have no room for %d GPUs at priority %d", orr_job_gpus(job),
                 o->priority);
}

static orr_err init(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    st->cells = orr_cells_of(ctx);
    if (!st->cells)
        return ORR_E_CAPABILITY;
    st->vcs = orr_cluster_vcs(ctx);
    st->queues = orr_alloc_memory(ctx, ((size_t)st->vcs + 1) * sizeof *st->queues);
    for (int32_t v = 0; v <= st->vcs; v++)
        st->queues[v].jobs = orr_waiting_create();
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    for (int32_t v = 0; st->queues && v <= st->vcs; v++)
        orr_waiting_destroy(st->queues[v].jobs);
    orr_cells_destroy(st->cells);
}

static const orr_knob knobs[] = {
    {"inner", ORR_KNOB_CHOICE, offsetof(settings, inner), "fifo", "fifo|sjf|srtf|smallest",
     "order within a VC and a priority: submission, duration, what is left of it, GPUs"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "block", "block|skip", "when the first of a queue finds no room"},
    {"priority", ORR_KNOB_INT, offsetof(settings, priority), "0", "-1..1000",
     "of jobs whose trace says nothing; -1: opportunistic"},
    {"lazy", ORR_KNOB_BOOL, offsetof(settings, lazy), "on", NULL,
     "a job whose place in its VC is taken runs on as an opportunistic one where it is"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(hived) = {
    .summary = "virtual clusters that own cells of given shapes, found by buddy allocation",
    .cite = "Zhao et al., HiveD, OSDI'20",
    .deviations =
        "a node with a GPU that failed counts as bad altogether; hands out whole GPUs; victims leave at once and are "
        "not waited for; cores and memory are not part of a cell; jobs that ran at the origin count as opportunistic",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(one),
    .init = init,
    .fini = fini,
    .admit = admit,
    .on_job = on_job,
    .on_node = on_node,
    .schedule = schedule,
    .explain = explain,
};
