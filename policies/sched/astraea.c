/* astraea: long-term GPU-time fairness. A tenant is entitled to its weight's part of the GPUs, as far as its jobs want
 * them; its LTGF is the GPU time that it had over the GPU time to which it was entitled, from its first job on. Every
 * `lease` all GPUs are handed out anew: the tenant whose LTGF would be least gets GPUs for one of its jobs, as if for a
 * whole lease, and so on; jobs that don't fit are passed over. Inside a tenant a job's own ratio, what it had over an
 * equal part of its tenant's entitlement, puts it into one of `classes`, the least first; there, those that run come
 * first, so that they mostly keep their GPUs. Who was not chosen leaves. Between two leases idle GPUs go to waiting
 * jobs in the same order.
 *
 * A ratio r is of class floor(classes * r / (1 + r)): even shares are in the middle one. What is due to a tenant is a
 * part of all GPUs, also where VCs own nodes and keep to them (vc=isolated).
 *
 * Source: Ye et al., Astraea, TPDS'22, sections 3 and 4. Cost: entitlements are integrated once an instant, O(tenants
 * log tenants); a lease costs O(jobs log jobs), since the ratios of all have moved. */
#include <orrery/policy.h>

#include <math.h>
#include <stdio.h>

typedef struct settings {
    orr_time lease;
    int64_t classes;
    int32_t over, vc;
    const char *weights;
} settings;

typedef struct tenant {
    orr_owner is;
    double granted;       /* GPUs, in this decision */
    orr_waiting *waiting; /* its jobs by class */
} tenant;

typedef struct own { /* by job */
    orr_owned is;
    bool waits;
} own;

typedef struct state {
    orr_leases *leases;
    orr_owners tenants;
    orr_line chosen, scratch;
    double *left; /* GPUs to hand out, by VC; the first for all where they share */
    bool freed;
} state;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static tenant *tenant_of(orr_ctx *ctx, const orr_job *job)
{
    return own_of(ctx, job)->is.of;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static double ratio(double had, double due)
{
    return due > 0 ? had / due : had > 0 ? INFINITY : 0;
}

/* Of the jobs of one tenant. */
static double class_of(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    const double r = ratio(orr_job_service(ctx, job), tenant_of(ctx, job)->is.due_each - own_of(ctx, job)->is.since);
    const double part = r < INFINITY ? r / (1 + r) : 1;
    return fmin(floor((double)k->classes * part), (double)k->classes - 1);
}

/* As if what was granted in this decision were held for a lease. */
static double outlook(const settings *k, const tenant *t)
{
    const double lease = (double)k->lease * 1e-9;
    return ratio(t->is.had + t->granted * lease, t->is.due + t->is.entitled * lease);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* One whose lease is over stands in line like those that wait, in front of those of its class. */
static void line_up(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    if (!o->waits)
        orr_waiting_add(tenant_of(ctx, job)->waiting, job, orr_job_shape(job),
                        (orr_rank){class_of(ctx, job), orr_job_holds(job) ? 0 : 1});
    o->waits = true;
}

static void leave_line(orr_ctx *ctx, orr_job *job)
{
    own *o = own_of(ctx, job);
    if (o->waits)
        orr_waiting_remove(tenant_of(ctx, job)->waiting, job, orr_job_shape(job));
    o->waits = false;
}

static double gpus_of(const orr_job *job)
{
    return orr_job_gpus(job) * (orr_job_gpu_milli(job) / 1000.0);
}

/* Who waits on has another ratio than when it began to. */
static void renew(orr_ctx *ctx, tenant *t)
{
    orr_line *line = &((state *)orr_state(ctx))->scratch;
    orr_job *job;
    uint32_t shape;
    line->n = 0;
    orr_waiting_room(t->waiting);
    while ((job = orr_waiting_first(t->waiting, false, &shape)) != NULL) {
        leave_line(ctx, job);
        orr_line_add(ctx, line, job);
    }
    for (size_t i = 0; i < line->n; i++)
        line_up(ctx, line->at[i]);
}

/* Each of those that have jobs. */
static tenant *tenant_at(const state *s, int32_t i)
{
    tenant *t = s->tenants.at[i];
    return t && t->is.jobs > 0 ? t : NULL;
}

static void make_room(const state *s)
{
    for (int32_t i = 0; i < s->tenants.count; i++)
        if (tenant_at(s, i))
            orr_waiting_room(tenant_at(s, i)->waiting);
}

/* The tenant with the least outlook of those with a job that may find room, and that job. */
static orr_job *next_job(orr_ctx *ctx, uint32_t *shape)
{
    const state *s = orr_state(ctx);
    orr_job *best = NULL;
    double least = INFINITY;
    for (int32_t i = 0; i < s->tenants.count; i++) {
        const tenant *t = tenant_at(s, i);
        const double hope = t ? outlook(orr_knobs(ctx), t) : INFINITY;
        uint32_t its;
        orr_job *job = t && (!best || hope < least) ? orr_waiting_first(t->waiting, true, &its) : NULL;
        if (!job)
            continue;
        best = job;
        least = hope;
        *shape = its;
    }
    return best;
}

static int32_t vc_of(orr_ctx *ctx, const orr_job *job)
{
    return ((const settings *)orr_knobs(ctx))->vc == ORR_VC_SHARED ? -1 : orr_job_vc(job);
}

static double *left_for(orr_ctx *ctx, const orr_job *job)
{
    const int32_t vc = vc_of(ctx, job);
    return &((state *)orr_state(ctx))->left[vc < 0 ? 0 : vc];
}

static bool start(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    if (orr_plan_start_in(plan, job, (orr_scope){.vc = vc_of(ctx, job)}) != ORR_OK)
        return false;
    leave_line(ctx, job);
    return true;
}

/* What is idle, to whoever is next and fits. */
static void fill(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job;
    uint32_t shape;
    while ((job = next_job(ctx, &shape)) != NULL) {
        tenant *t = tenant_of(ctx, job);
        if (start(ctx, plan, job))
            t->granted += gpus_of(job);
        else
            orr_waiting_failed(t->waiting, shape);
    }
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

/* By counts. */
static void choose(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    orr_job *job;
    uint32_t shape;
    s->chosen.n = 0;
    while ((job = next_job(ctx, &shape)) != NULL) {
        tenant *t = tenant_of(ctx, job);
        if (gpus_of(job) > *left_for(ctx, job)) {
            orr_waiting_failed(t->waiting, shape);
            continue;
        }
        *left_for(ctx, job) -= gpus_of(job);
        t->granted += gpus_of(job);
        leave_line(ctx, job);
        orr_line_add(ctx, &s->chosen, job);
    }
}

/* Idle GPUs, and those of jobs whose lease is over: these stand in line again. */
static void gather(orr_ctx *ctx, orr_job *const *over, size_t n)
{
    const settings *k = orr_knobs(ctx);
    for (int32_t vc = 0; vc < orr_cluster_vcs(ctx); vc++)
        ((state *)orr_state(ctx))->left[vc] = orr_scope_free(ctx, (orr_scope){.vc = k->vc == ORR_VC_SHARED ? -1 : vc});
    for (size_t i = 0; i < n; i++) {
        if (!orr_job_preemptible(over[i]))
            continue;
        *left_for(ctx, over[i]) += gpus_of(over[i]);
        tenant_of(ctx, over[i])->granted -= gpus_of(over[i]);
        line_up(ctx, over[i]);
    }
}

static void begin_lease(orr_ctx *ctx, orr_plan *plan, orr_job *const *over, size_t n)
{
    state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->tenants.count; i++)
        if (tenant_at(s, i))
            renew(ctx, tenant_at(s, i));
    gather(ctx, over, n);
    choose(ctx);
    for (size_t i = 0; i < n; i++) {
        if (own_of(ctx, over[i])->waits)
            orr_plan_preempt(plan, over[i]);
        leave_line(ctx, over[i]);
    }
    for (size_t i = 0; i < s->chosen.n; i++) {
        orr_job *job = s->chosen.at[i];
        if (orr_plan_held(plan, job) || start(ctx, plan, job))
            continue;
        tenant_of(ctx, job)->granted -= gpus_of(job);
        line_up(ctx, job);
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_job *const *over;
    const size_t n = orr_leases_over(s->leases, &over);
    orr_owners_entitle(ctx, &s->tenants);
    for (int32_t i = 0; i < s->tenants.count; i++)
        if (tenant_at(s, i))
            tenant_at(s, i)->granted = tenant_at(s, i)->is.holds;
    if (n > 0)
        begin_lease(ctx, plan, over, n);
    if (n > 0 || s->freed)
        make_room(s);
    s->freed = false;
    fill(ctx, plan);
    for (size_t i = 0; i < n; i++)
        if (orr_plan_held(plan, over[i]))
            orr_lease_renew(s->leases, over[i]);
    return ORR_OK;
}

/* ---- a job's life ------------------------------------------------------------------------------------------------ */

static void enter(orr_ctx *ctx, orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    tenant *t = tenant_of(ctx, job);
    if (!t->waiting) {
        const int64_t quota = k->over == ORR_OVER_VC ? orr_vc_quota(ctx, orr_job_vc(job)) : 1;
        t->waiting = orr_waiting_create();
        t->is.weight *= quota > 0 ? (double)quota : 1;
    }
    own_of(ctx, job)->waits = false;
    line_up(ctx, job);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    orr_owners_event(ctx, &s->tenants, job, event);
    orr_leases_event(s->leases, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        enter(ctx, job);
    else if (event->kind == ORR_EV_STARTED || event->kind == ORR_EV_ENDED)
        leave_line(ctx, job);
    else if (event->kind == ORR_EV_PREEMPTED || event->kind == ORR_EV_RETRIED || event->kind == ORR_EV_INTERRUPTED)
        line_up(ctx, job);
    s->freed |= event->kind != ORR_EV_SUBMITTED && event->kind != ORR_EV_STARTED;
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    (void)node;
    (void)event;
    ((state *)orr_state(ctx))->freed = true;
}

static void explain(orr_ctx *ctx, const orr_job *job, char *buf, size_t size)
{
    const orr_owner *t = &tenant_of(ctx, job)->is;
    snprintf(buf, size,
             "its tenant holds %.4g GPUs and is entitled to %.4g; so far it had %.1f %% of what it was entitled to",
             t->holds, t->entitled, t->due > 0 ? 100 * t->had / t->due : 0);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    if (!orr_weights_are_good(k->weights))
        return ORR_E_BAD_VALUE;
    if (k->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    s->left = orr_alloc_memory(ctx, (size_t)orr_cluster_vcs(ctx) * sizeof *s->left);
    s->tenants = (orr_owners){.size = sizeof(tenant), .over = k->over, .weights = k->weights};
    s->leases = orr_leases_create(ctx, &(orr_lease_rules){.length = k->lease, .together = true});
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++)
        s->tenants.gpus += orr_node_gpus(ctx, i);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    const state *s = orr_state(ctx);
    for (int32_t i = 0; i < s->tenants.count; i++)
        if (s->tenants.at[i])
            orr_waiting_destroy(((tenant *)s->tenants.at[i])->waiting);
}

static const orr_knob knobs[] = {
    {"lease", ORR_KNOB_TIME, offsetof(settings, lease), "10m", "1s..inf", "all GPUs are handed out anew this often"},
    {"classes", ORR_KNOB_INT, offsetof(settings, classes), "5", "1..1000", "of jobs of a tenant, by their ratios"},
    {"over", ORR_KNOB_CHOICE, offsetof(settings, over), "user", "user|vc", "who the tenants are"},
    {"weights", ORR_KNOB_TEXT, offsetof(settings, weights), "", NULL,
     "NAME:WEIGHT/NAME:WEIGHT…; others 1; times a VC's quota"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "in their VC's nodes, or anywhere"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(astraea) = {
    .summary = "long-term GPU-time fairness of tenants and of their jobs, by leases",
    .cite = "Ye et al., Astraea, TPDS'22",
    .deviations = "where the bounds of classes are isn't published; tenants are compared exactly, jobs by class",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .fini = fini,
    .on_job = on_job,
    .on_node = on_node,
    .schedule = schedule,
    .explain = explain,
};
