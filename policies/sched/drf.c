/* drf: dominant resource fairness. A tenant's dominant share is the greatest of its shares of the cluster's GPUs,
 * cores and memory, by what its jobs ask. Whoever has the least, by its weight, starts its next job, jobs of one
 * tenant in the order of submission; and so on while jobs fit. With `hol=tenant` a tenant whose next job finds no room
 * is passed over until room is freed, with `hol=all` it holds up everyone: that is the paper's algorithm, which stops
 * when the cluster is full. Nobody is preempted, so that shares become equal as jobs come and go.
 *
 * Source: Ghodsi et al., DRF, NSDI'11, section 4, algorithm 1. A gang is one task. A resource that no node counts is
 * left out. Capacities are those of all nodes as described, whatever is up at the time.
 *
 * Cost: tenants with waiting jobs are in a heap by share, so that a start, an arrival and an end are O(log tenants).
 * After an end each tenant that was passed over is tried once more, but with `hol=all`. */
#include <orrery/policy.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS, CORES, MEMORY, RESOURCES };
enum { OVER_USER, OVER_VC };
enum { HOL_TENANT, HOL_ALL };

typedef struct settings {
    int32_t over, hol, vc;
    const char *weights;
} settings;

typedef struct tenant {
    int32_t number;
    orr_job *first, *last; /* that wait, in the order of submission */
    int64_t used[RESOURCES];
    double weight;
    int32_t place; /* 1 + where in the heap; 0: nobody waits, or it was passed over */
    bool passed;
} tenant;

typedef struct state {
    int64_t all[RESOURCES];
    tenant **tenants, **passed; /* [room] */
    orr_heap waiting;           /* tenants with waiting jobs that were not passed over */
    int32_t count, room, passed_count;
    bool freed; /* room, since the last decision */
} state;

typedef struct own { /* by job */
    orr_job *before, *after;
    tenant *of;
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
    for (int r = 0; r < RESOURCES; r++) {
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
    double x = dominant(s, a, &which) / a->weight, y = dominant(s, b, &which) / b->weight;
    return x != y ? x < y : a->number < b->number;
}

static void count(orr_ctx *ctx, const orr_job *job, int sign)
{
    own *o = own_of(ctx, job);
    o->counted = sign > 0;
    o->of->used[GPUS] += sign * (int64_t)orr_job_gpus(job) * orr_job_gpu_milli(job);
    o->of->used[CORES] += sign * orr_job_cpu_milli(job);
    o->of->used[MEMORY] += sign * orr_job_mem(job);
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
    s->passed[s->passed_count++] = t;
}

static void take_back(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    while (s->passed_count > 0) {
        tenant *t = s->passed[--s->passed_count];
        t->passed = false;
        enter(ctx, t);
    }
    s->freed = false;
}

/* ---- tenants ----------------------------------------------------------------------------------------------------- */

/* The weight in "name:2/other:1", 1 where it isn't named. */
static double weight_of(const char *weights, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = weights; *at; at += *at == '/') {
        if (strncmp(at, name, n) == 0 && at[n] == ':')
            return strtod(at + n + 1, NULL);
        at += strcspn(at, "/");
    }
    return 1;
}

static bool weights_are_good(const char *weights)
{
    for (const char *at = weights; *at; at += *at == '/') {
        size_t n = strcspn(at, "/");
        const char *colon = memchr(at, ':', n);
        char *end;
        if (!colon || colon == at || !(strtod(colon + 1, &end) > 0) || end != at + n)
            return false;
        at += n;
    }
    return true;
}

static tenant **wider(orr_ctx *ctx, tenant **list, int32_t count, int32_t room)
{
    tenant **more = orr_alloc_memory(ctx, (size_t)room * sizeof(tenant *));
    for (int32_t i = 0; i < count; i++)
        more[i] = list[i];
    return more;
}

static void make_room(orr_ctx *ctx, state *s, int32_t need)
{
    if (need <= s->room)
        return;
    int32_t room = need < 32 ? 64 : 2 * need;
    s->tenants = wider(ctx, s->tenants, s->count, room);
    s->passed = wider(ctx, s->passed, s->passed_count, room);
    s->room = room;
}

static tenant *tenant_of(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    int32_t number = k->over == OVER_VC ? orr_job_vc(job) : orr_job_user_index(ctx, job);
    make_room(ctx, s, number + 1);
    s->count = number >= s->count ? number + 1 : s->count;
    if (!s->tenants[number]) {
        tenant *t = s->tenants[number] = orr_alloc_memory(ctx, sizeof *t);
        t->number = number;
        t->weight = weight_of(k->weights, k->over == OVER_VC ? orr_vc_name(ctx, number) : orr_job_user(job));
    }
    return s->tenants[number];
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

static void hold(orr_ctx *ctx, orr_job *job)
{
    end_waiting(ctx, job);
    if (!own_of(ctx, job)->counted)
        count(ctx, job, 1);
    orr_heap_moved(&((state *)orr_state(ctx))->waiting, own_of(ctx, job)->of);
}

static void let_go(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    if (own_of(ctx, job)->counted)
        count(ctx, job, -1);
    orr_heap_moved(&s->waiting, own_of(ctx, job)->of);
    s->freed = true;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        *own_of(ctx, job) = (own){.of = tenant_of(ctx, job)};
        begin_waiting(ctx, job);
        break;
    case ORR_EV_STARTED:
        hold(ctx, job);
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
    if (s->freed)
        take_back(ctx);
    while (s->waiting.count > 0) {
        tenant *t = s->waiting.at[0];
        orr_job *job = t->first;
        orr_err err = orr_plan_start_in(plan, job, (orr_scope){k->vc == ORR_VC_SHARED ? -1 : orr_job_vc(job)});
        if (err == ORR_OK)
            hold(ctx, job);
        else if (err != ORR_E_NOFIT || k->hol == HOL_ALL)
            return err == ORR_E_NOFIT ? ORR_OK : err;
        else
            pass_over(s, t);
    }
    return ORR_OK;
}

static void explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    static const char *const names[] = {"GPUs", "cores", "memory"};
    const tenant *t = own_of(ctx, job)->of;
    int which = GPUS, ahead = 0;
    double share = dominant(orr_state(ctx), t, &which);
    for (const orr_job *j = t->first; j && j != job; j = own_of(ctx, j)->after)
        ahead++;
    snprintf(buf, size, "its tenant holds %.1f %% of the %s; %d of its jobs wait before this one", 100 * share,
             names[which], ahead);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    if (!weights_are_good(k->weights))
        return ORR_E_BAD_VALUE;
    if (k->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    s->waiting = (orr_heap){.before = comes_before, .place = place_of, .self = s};
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        s->all[GPUS] += INT64_C(1000) * orr_node_gpus(ctx, i);
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
