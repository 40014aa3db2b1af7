/* Elastic jobs of the system as portions of its GPUs, and portions as changes of a plan. */
#include "sched/ctx.h"

#include <stdlib.h>

typedef struct pool {
    ORR_VEC(orr_job *) jobs; /* by index */
} pool;

struct orr_elastic {
    orr_ctx *ctx;
    int32_t vc, count; /* rule; pools */
    pool *pools;
    pool others; /* with parts of GPUs, or none */
    ORR_VEC(orr_portion) out, running;
};

orr_elastic *orr_elastic_create(orr_ctx *ctx, int32_t vc)
{
    orr_elastic *e = orr_xcalloc(1, sizeof *e);
    e->ctx = ctx;
    e->vc = vc;
    e->count = vc == ORR_VC_SHARED ? 1 : ctx->world->real->vcs;
    e->pools = orr_xcalloc((size_t)e->count, sizeof *e->pools);
    ctx->elastic = e;
    if (vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    return e;
}

void orr_elastic_destroy(orr_elastic *e)
{
    if (!e)
        return;
    for (int32_t i = 0; i < e->count; i++)
        ORR_VEC_FREE(&e->pools[i].jobs);
    ORR_VEC_FREE(&e->others.jobs);
    ORR_VEC_FREE(&e->out);
    ORR_VEC_FREE(&e->running);
    free(e->pools);
    free(e);
}

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

static bool is_whole(const orr_job *job)
{
    return job->record->gpus > 0 && job->record->gpu_milli == ORR_WHOLE_GPU;
}

static pool *pool_of(orr_elastic *e, const orr_job *job)
{
    return !is_whole(job) ? &e->others : &e->pools[e->vc == ORR_VC_SHARED ? 0 : job->vc];
}

/* The first that isn't before it. */
static size_t find(const pool *p, const orr_job *job)
{
    size_t low = 0, high = p->jobs.n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (p->jobs.at[mid]->index < job->index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void orr_elastic_event(orr_elastic *e, orr_job *job, const orr_event *event)
{
    pool *p = pool_of(e, job);
    const size_t at = find(p, job), behind = p->jobs.n - at;
    if (event->kind == ORR_EV_SUBMITTED) {
        ORR_VEC_PUSH(&p->jobs, job);
        memmove(p->jobs.at + at + 1, p->jobs.at + at, behind * sizeof *p->jobs.at);
        p->jobs.at[at] = job;
    } else if (event->kind == ORR_EV_ENDED && behind && p->jobs.at[at] == job) {
        memmove(p->jobs.at + at, p->jobs.at + at + 1, (behind - 1) * sizeof *p->jobs.at);
        p->jobs.n--;
    }
}

int32_t orr_elastic_pools(const orr_elastic *e)
{
    return e->count;
}

static bool takes_part(const orr_job *job)
{
    return job->state == ORR_JOB_QUEUED || (orr_holds(job) && job->record->preemptible);
}

static orr_portion portion_of(const orr_elastic *e, orr_job *job, int32_t gpus)
{
    const orr_scope scope = {.vc = e->vc == ORR_VC_SHARED ? -1 : job->vc};
    return (orr_portion){.job = job, .gpus = gpus, .min = job->least_gpus, .max = job->most_gpus, .scope = scope};
}

size_t orr_elastic_pool(orr_elastic *e, int32_t number, orr_portion **out, int32_t *capacity)
{
    const pool *p = &e->pools[number];
    *capacity = orr_scope_free(e->ctx, (orr_scope){.vc = e->vc == ORR_VC_SHARED ? -1 : number});
    e->out.n = 0;
    for (size_t i = 0; i < p->jobs.n; i++) {
        orr_job *job = p->jobs.at[i];
        if (!takes_part(job))
            continue;
        *capacity += orr_holds(job) ? job->held.gpus : 0;
        ORR_VEC_PUSH(&e->out, portion_of(e, job, 0));
    }
    e->ctx->world->jobs_examined += p->jobs.n;
    *out = e->out.at;
    return e->out.n;
}

size_t orr_elastic_running(orr_elastic *e, const orr_plan *plan, int32_t number, orr_portion **out)
{
    const pool *p = &e->pools[number];
    e->running.n = 0;
    for (size_t i = 0; i < p->jobs.n; i++) {
        const orr_alloc *held = orr_plan_held(plan, p->jobs.at[i]);
        if (held)
            ORR_VEC_PUSH(&e->running, portion_of(e, p->jobs.at[i], held->gpus));
    }
    e->ctx->world->jobs_examined += p->jobs.n;
    *out = e->running.at;
    return e->running.n;
}

void orr_elastic_start_others(orr_elastic *e, orr_plan *plan)
{
    for (size_t i = 0; i < e->others.jobs.n; i++) {
        orr_job *job = e->others.jobs.at[i];
        const orr_scope scope = {.vc = e->vc == ORR_VC_SHARED ? -1 : job->vc};
        if (job->state == ORR_JOB_QUEUED && !orr_plan_held(plan, job))
            orr_plan_start_in(plan, job, scope);
    }
    e->ctx->world->jobs_examined += e->others.jobs.n;
}

/* ---- who gets which ---------------------------------------------------------------------------------------------- */

typedef struct change {
    orr_portion *portion;
    int32_t key; /* least first, then as given */
} change;

typedef struct staging {
    orr_ctx *ctx;
    orr_plan *plan;
    const orr_portion_rules *rules;
    ORR_VEC(change) changes; /* those still to be placed */
    ORR_VEC(int32_t) failed; /* by shape: the number that found no room */
} staging;

static int by_key(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->portion > y->portion) - (x->portion < y->portion);
}

static int32_t held_by(const staging *s, const orr_job *job)
{
    const orr_alloc *held = orr_plan_held(s->plan, job);
    return held ? held->gpus : 0;
}

static bool lies_outside(const staging *s, const orr_portion *p)
{
    const orr_alloc *held = orr_plan_held(s->plan, p->job);
    for (int32_t i = 0; p->scope.types && held && i < held->count; i++)
        if (!(s->ctx->world->cluster->nodes[orr_slices(held)[i].node].type & p->scope.types))
            return true;
    return false;
}

/* So many GPUs, for a job that holds none or that grows or shrinks in place. */
static orr_err try_number(const staging *s, const orr_portion *p, int32_t gpus)
{
    if (s->rules->place == ORR_PORTIONS_PLACER || orr_plan_held(s->plan, p->job))
        return orr_plan_resize(s->plan, p->job, gpus, p->scope);
    const orr_request request = {.job = p->job, .gpus = gpus, .scope = p->scope, .milli = ORR_WHOLE_GPU};
    orr_alloc *out = orr_plan_alloc(s->plan);
    const orr_nodes nodes = (orr_nodes)(s->rules->place - ORR_PORTIONS_INDEXED);
    const orr_err err = orr_fill_nodes(s->ctx, s->plan, &request, nodes, out);
    return err ? err : orr_plan_try_assign(s->plan, p->job, out);
}

/* The most from its min on (or what it has) that finds room: a smaller number does if a greater one does. */
static orr_err try_less(const staging *s, const orr_portion *p)
{
    const int32_t has = held_by(s, p->job), least = has >= p->min ? has : p->min - 1;
    int32_t low = least, high = p->gpus;
    while (high - low > 1) {
        const int32_t mid = low + (high - low) / 2;
        const uint32_t mark = orr_plan_mark(s->plan);
        const orr_err err = try_number(s, p, mid);
        if (err && err != ORR_E_NOFIT)
            return err;
        orr_plan_undo(s->plan, mark);
        low = err ? low : mid;
        high = err ? mid : high;
    }
    return low > least ? try_number(s, p, low) : ORR_OK;
}

static orr_err try_halves(const staging *s, const orr_portion *p)
{
    const int32_t has = held_by(s, p->job);
    for (int32_t gpus = p->gpus / 2; gpus >= p->min && gpus > has; gpus /= 2) {
        const orr_err err = try_number(s, p, gpus);
        if (err != ORR_E_NOFIT)
            return err;
    }
    return ORR_OK;
}

/* Who gave back what it had and can't have more has that again, if nobody took it. */
static bool stays(const staging *s, const orr_portion *p)
{
    const orr_job *job = p->job;
    return !orr_plan_held(s->plan, job) && orr_holds(job) && job->held.gpus < p->gpus && !lies_outside(s, p) &&
           orr_plan_try_assign(s->plan, p->job, &job->held) == ORR_OK;
}

static orr_err place(const staging *s, const orr_portion *p)
{
    const orr_err err = try_number(s, p, p->gpus);
    if (err != ORR_E_NOFIT || s->rules->lack == ORR_PORTIONS_WAIT)
        return err == ORR_E_NOFIT ? ORR_OK : err;
    if (stays(s, p))
        return ORR_OK;
    return s->rules->lack == ORR_PORTIONS_LESS ? try_less(s, p) : try_halves(s, p);
}

static void put_off(staging *s, orr_portion *p)
{
    const int32_t order = s->rules->order;
    const int32_t sign = order == ORR_PORTIONS_SMALLEST ? 1 : order == ORR_PORTIONS_LARGEST ? -1 : 0;
    ORR_VEC_PUSH(&s->changes, ((change){p, sign * p->gpus}));
}

/* Gives back at once what must go; what is to be placed waits until all have. */
static orr_err begin(staging *s, orr_portion *p)
{
    orr_job *job = p->job;
    const int32_t has = held_by(s, job);
    const bool stuck = orr_holds(job) && !job->record->preemptible, away = lies_outside(s, p);
    if ((has == p->gpus && !away) || (!has && job->state != ORR_JOB_QUEUED && !orr_holds(job)))
        return ORR_OK;
    if (stuck && (p->gpus == 0 || away))
        return ORR_OK;
    const bool in_place = has && p->gpus && !away && (s->rules->in_place || stuck);
    if (in_place && p->gpus < has)
        return try_number(s, p, p->gpus);
    const orr_err err = has && !in_place ? orr_plan_preempt(s->plan, job) : ORR_OK;
    if (!err && p->gpus)
        put_off(s, p);
    return err;
}

static orr_err stage(staging *s, orr_portion *portions, size_t n)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n && !err; i++)
        err = begin(s, &portions[i]);
    if (s->changes.n > 1)
        qsort(s->changes.at, s->changes.n, sizeof *s->changes.at, by_key);
    for (size_t i = 0; i < s->changes.n && !err; i++)
        err = place(s, s->changes.at[i].portion);
    return err;
}

/* Has so many GPUs for one like that, or fewer, found no room? */
static bool has_failed(staging *s, const orr_portion *p)
{
    while (s->failed.n <= p->job->shape)
        ORR_VEC_PUSH(&s->failed, INT32_MAX);
    return p->min >= s->failed.at[p->job->shape];
}

static orr_err fill(staging *s, orr_portion *portions, size_t n)
{
    for (size_t i = 0; i < n && orr_scope_free(s->ctx, (orr_scope){.vc = -1}) > 0; i++) {
        orr_portion *p = &portions[i];
        if (p->job->state != ORR_JOB_QUEUED || orr_plan_held(s->plan, p->job) || has_failed(s, p))
            continue;
        const orr_err err = try_number(s, p, p->min);
        if (err && err != ORR_E_NOFIT)
            return err;
        if (err)
            s->failed.at[p->job->shape] = p->min;
    }
    return ORR_OK;
}

orr_err orr_plan_portions(orr_plan *plan, const orr_portion_rules *rules, orr_portion *portions, size_t n)
{
    staging s = {.ctx = orr_plan_ctx(plan), .plan = plan, .rules = rules};
    orr_err err = stage(&s, portions, n);
    if (!err && rules->fill)
        err = fill(&s, portions, n);
    for (size_t i = 0; i < n && !err; i++)
        portions[i].gpus = held_by(&s, portions[i].job);
    ORR_VEC_FREE(&s.changes);
    ORR_VEC_FREE(&s.failed);
    return err;
}
