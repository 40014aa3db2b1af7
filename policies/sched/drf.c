/* drf: dominant resource fairness. A tenant's dominant share is the greatest of its shares of the cluster's GPUs of
 * each type, its cores and its memory: of GPUs as its jobs were given them, of the others by what they ask. Whoever has
 * the least, by its weight, starts its next job, jobs of one tenant in the order of submission; and so on while jobs
 * fit. With `hol=tenant` a tenant whose next job finds no room is passed over until room is freed, with `hol=all` it
 * holds up everyone: that is the paper's algorithm, which stops when the cluster is full. Nobody is preempted, so that
 * shares become equal as jobs come and go.
 *
 * Source: Ghodsi et al., DRF, NSDI'11, section 4, algorithm 1. A gang is one task. A resource that no node counts is
 * left out. With `types=off` all GPUs are one resource. Capacities are those of all nodes as described, whatever is up
 * at the time.
 *
 * Cost: tenants with waiting jobs are in a heap by share, so that a start, an arrival and an end are O(log tenants).
 * After an end each tenant that was passed over is tried once more, but with `hol=all`. */
#include <orrery/policy.h>

#include <stdio.h>

enum { CORES, MEMORY, GPUS, TYPES = 64, RESOURCES = GPUS + TYPES }; /* GPUs of a type each */
enum { HOL_TENANT, HOL_ALL };

typedef struct settings {
    int32_t over, hol, vc;
    const char *weights;
    bool types;
} settings;

typedef struct tenant {
    orr_owner is;
    orr_job *first, *last; /* that wait, in the order of submission */
    int64_t used[RESOURCES];
    int32_t place; /* 1 + where in the heap; 0: nobody waits, or it was passed over */
    bool passed;
    struct tenant *passed_before;
} tenant;

typedef struct state {
    int64_t all[RESOURCES];
    int resources;
    orr_owners tenants;
    tenant *passed;   /* the last one that was */
    orr_heap waiting; /* tenants with waiting jobs that were not passed over */
    orr_line carried; /* of the start state, that aren't counted yet */
    bool freed;       /* room, since the last decision */
} state;

typedef struct own { /* by job */
    orr_job *before, *after;
    tenant *of;
    int64_t *milli; /* that it holds of each type, if of several; else all of it is of `type` */
    int32_t type;
    bool waits, counted;
} own;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static double dominant(const state *s, const tenant *t, int *which)
{
    double share = 0;
    for (int r = 0; r < s->resources; r++) {
        double of_r = s->all[r] ? (double)t->used[r] / (double)s->all[r] : 0;
        if (of_r > share) {
            share = of_r;
            *which = r;
        }
    }
    return share;
}

static bool comes_before(void *self, const void *x_tenant, const void *y_tenant)
{
    const state *s = self;
    const tenant *a = x_tenant, *b = y_tenant;
    int which;
    double x = dominant(s, a, &which) / a->is.weight, y = dominant(s, b, &which) / b->is.weight;
    return x != y ? x < y : a->is.number < b->is.number;
}

static int type_at(const orr_ctx *ctx, int32_t node)
{
    const settings *k = orr_knobs(ctx);
    const int32_t type = k->types ? orr_node_type(ctx, node) : 0;
    return type > 0 && type < TYPES ? type : 0;
}

/* Of which types its GPUs are. */
static void note_types(orr_ctx *ctx, const orr_plan *plan, const orr_job *job)
{
    own *o = own_of(ctx, job);
    const orr_alloc *held = orr_plan_held(plan, job);
    const int32_t nodes = held ? orr_alloc_nodes(held) : 0;
    const int64_t all = nodes ? orr_alloc_milli(held) / (orr_alloc_gpus(held) ? orr_alloc_gpus(held) : 1) : 0;
    for (int32_t i = 0; i < nodes; i++) {
        const orr_slice *slice = &orr_alloc_slices(held)[i];
        const int type = type_at(ctx, slice->node);
        if (i > 0 && type != o->type && !o->milli)
            o->milli = orr_alloc_memory(ctx, TYPES * sizeof *o->milli);
        o->type = i > 0 ? o->type : type;
    }
    for (int32_t i = 0; i < nodes && o->milli; i++)
        for (uint64_t m = orr_alloc_slices(held)[i].gpus; m; m &= m - 1)
            o->milli[type_at(ctx, orr_alloc_slices(held)[i].node)] += all;
}

static void count(orr_ctx *ctx, const orr_job *job, int sign)
{
    own *o = own_of(ctx, job);
    o->counted = sign > 0;
    for (int k = 0; k < TYPES && o->milli; k++)
        o->of->used[GPUS + k] += sign * o->milli[k];
    if (!o->milli)
        o->of->used[GPUS + o->type] += sign * (int64_t)orr_job_gpus(job) * orr_job_gpu_milli(job);
    o->of->used[CORES] += sign * orr_job_cpu_milli(job);
    o->of->used[MEMORY] += sign * orr_job_mem(job);
    if (sign < 0)
        o->milli = NULL;
}

/* ---- tenants with waiting jobs ----------------------------------------------------------------------------------- */

static int32_t *place_of(void *self, void *item)
{
    (void)self;
    return &((tenant *)item)->place;
}

static void enter(orr_ctx *ctx, tenant *t)
{
    state *s = orr_state(ctx);
    if (!t->place && !t->passed && t->first)
        orr_heap_add(ctx, &s->waiting, t);
}

static void pass_over(state *s, tenant *t)
{
    orr_heap_remove(&s->waiting, t);
    t->passed = true;
    t->passed_before = s->passed;
    s->passed = t;
}

static void take_back(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    while (s->passed) {
        tenant *t = s->passed;
        s->passed = t->passed_before;
        t->passed = false;
        enter(ctx, t);
    }
    s->freed = false;
}

/* ---- a job's life ------------------------------------------------------------------------------------------------ */

/* Those that come again, or late, go in where they belong: a few steps from the end. */
static void begin_waiting(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    tenant *t = o->of;
    orr_job *before = t->last;
    while (before && orr_job_index(before) > orr_job_index(job))
        before = own_of(ctx, before)->before;
    o->before = before;
    o->after = before ? own_of(ctx, before)->after : t->first;
    *(before ? &own_of(ctx, before)->after : &t->first) = job;
    *(o->after ? &own_of(ctx, o->after)->before : &t->last) = job;
    o->waits = true;
    enter(ctx, t);
}

static void end_waiting(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    tenant *t = o->of;
    if (!o->waits)
        return;
    *(o->before ? &own_of(ctx, o->before)->after : &t->first) = o->after;
    *(o->after ? &own_of(ctx, o->after)->before : &t->last) = o->before;
    o->waits = false;
    if (!t->first)
        orr_heap_remove(&((state *)orr_state(ctx))->waiting, t);
}

static void hold(orr_ctx *ctx, const orr_plan *plan, orr_job *job)
{
    end_waiting(ctx, job);
    if (!own_of(ctx, job)->counted) {
        note_types(ctx, plan, job);
        count(ctx, job, 1);
    }
    orr_heap_moved(&((state *)orr_state(ctx))->waiting, own_of(ctx, job)->of);
}

static void let_go(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    orr_line_remove(&s->carried, job); /* mostly empty */
    if (own_of(ctx, job)->counted)
        count(ctx, job, -1);
    orr_heap_moved(&s->waiting, own_of(ctx, job)->of);
    s->freed = true;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        *own_of(ctx, job) = (own){.of = orr_owner_of(ctx, &((state *)orr_state(ctx))->tenants, job)};
        begin_waiting(ctx, job);
        break;
    case ORR_EV_STARTED:
        end_waiting(ctx, job);
        if (!own_of(ctx, job)->counted)
            orr_line_add(ctx, &((state *)orr_state(ctx))->carried, job);
        break;
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        let_go(ctx, job);
        begin_waiting(ctx, job);
        break;
    case ORR_EV_ENDED:
        end_waiting(ctx, job);
        let_go(ctx, job);
        break;
    default:
        break;
    }
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    (void)node;
    (void)event;
    ((state *)orr_state(ctx))->freed = true;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    for (size_t i = 0; i < s->carried.n; i++)
        hold(ctx, plan, s->carried.at[i]);
    s->carried.n = 0;
    if (s->freed)
        take_back(ctx);
    while (s->waiting.count > 0) {
        tenant *t = s->waiting.at[0];
        orr_job *job = t->first;
        orr_err err = orr_plan_start_in(plan, job, (orr_scope){.vc = k->vc == ORR_VC_SHARED ? -1 : orr_job_vc(job)});
        if (err == ORR_OK)
            hold(ctx, plan, job);
        else if (err != ORR_E_NOFIT || k->hol == HOL_ALL)
            return err == ORR_E_NOFIT ? ORR_OK : err;
        else
            pass_over(s, t);
    }
    return ORR_OK;
}

static void explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    const settings *k = orr_knobs(ctx);
    const state *s = orr_state(ctx);
    const tenant *t = own_of(ctx, job)->of;
    int which = GPUS, ahead = 0;
    const double share = dominant(s, t, &which);
    const char *type = which >= GPUS && k->types && s->resources > GPUS + 1 ? orr_type_name(ctx, which - GPUS) : "";
    for (const orr_job *j = t->first; j && j != job; j = own_of(ctx, j)->after)
        ahead++;
    snprintf(buf, size, "its tenant holds %.1f %% of the %s%s%s; %d of its jobs wait before this one", 100 * share,
             type, *type ? " " : "", which == CORES ? "cores" : which == MEMORY ? "memory" : "GPUs", ahead);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    if (!orr_weights_are_good(k->weights))
        return ORR_E_BAD_VALUE;
    if (k->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    s->waiting = (orr_heap){.before = comes_before, .place = place_of, .self = s};
    s->tenants = (orr_owners){.size = sizeof(tenant), .over = k->over, .weights = k->weights};
    s->resources = GPUS + (k->types && orr_cluster_types(ctx) < TYPES ? orr_cluster_types(ctx) : k->types ? TYPES : 1);
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        s->all[GPUS + type_at(ctx, i)] += INT64_C(1000) * orr_node_gpus(ctx, i);
        s->all[CORES] += INT64_C(1000) * orr_node_cpus(ctx, i);
        s->all[MEMORY] += orr_node_mem(ctx, i);
    }
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"over", ORR_KNOB_CHOICE, offsetof(settings, over), "user", "user|vc", "who the tenants are"},
    {"weights", ORR_KNOB_TEXT, offsetof(settings, weights), "", NULL, "NAME:WEIGHT/NAME:WEIGHT…; others 1"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "tenant", "tenant|all",
     "a job that finds no room holds up its tenant, or everyone"},
    {"types", ORR_KNOB_BOOL, offsetof(settings, types), "on", NULL, "each GPU type is a resource of its own"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "in their VC's nodes, or anywhere"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(drf) = {
    .summary = "dominant resource fairness: the tenant with the least dominant share starts its next job",
    .cite = "Ghodsi et al., DRF, NSDI'11",
    .deviations = "a gang is one task, started whole; elastic jobs don't grow into what is left",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .on_node = on_node,
    .schedule = schedule,
    .explain = explain,
};
