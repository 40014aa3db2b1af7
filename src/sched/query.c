/* Queries: the read side of the policy API, with the knowledge levels enforced. */
#include "model/host.h"
#include "model/speeds.h"
#include "model/training.h"
#include "sched/ctx.h"
#include "sched/timers.h"

/* ---- the instance ---- */

orr_time orr_now(const orr_ctx *ctx)
{
    return ctx->world->life->now;
}

orr_date orr_date_at(const orr_ctx *ctx, orr_time at)
{
    return orr_trace_date(ctx->world->trace, at);
}

const void *orr_knobs(const orr_ctx *ctx)
{
    return ctx->knobs;
}

void *orr_state(orr_ctx *ctx)
{
    return ctx->state;
}

void *orr_job_state_of(orr_ctx *ctx, const orr_job *job)
{
    return (unsigned char *)job->priv + ctx->priv_offset;
}

double orr_random(orr_ctx *ctx)
{
    return gsl_rng_uniform(ctx->rng);
}

uint64_t orr_random_below(orr_ctx *ctx, uint64_t n)
{
    if (n < 2)
        return 0;
    if (n <= UINT32_MAX)
        return (uint64_t)gsl_rng_uniform_int(ctx->rng, (unsigned long)n);
    const uint64_t high = gsl_rng_get(ctx->rng); /* draws have 32 bits, which don't reach so far */
    return (high << 32 | gsl_rng_get(ctx->rng)) % n;
}

double orr_random_of_job(const orr_ctx *ctx, const orr_job *job)
{
    return orr_gaussian_of(orr_mix64(ctx->key ^ orr_mix64(job->index + 1u)));
}

void *orr_alloc_memory(orr_ctx *ctx, size_t size)
{
    return orr_arena_alloc(&ctx->arena, size);
}

void orr_note_decision(orr_ctx *ctx, const orr_job *job, const char *reason)
{
    (void)job;
    orr_world_note(ctx->world, reason);
}

/* ---- jobs ---- */

uint32_t orr_job_index(const orr_job *job)
{
    return job->index;
}

const char *orr_job_id(const orr_job *job)
{
    return job->record->id;
}

const char *orr_job_user(const orr_job *job)
{
    return job->record->user;
}

int32_t orr_job_user_index(orr_ctx *ctx, const orr_job *job)
{
    orr_world *w = ctx->world;
    if (!w->users)
        w->users = orr_names_create();
    return (int32_t)orr_names_id(w->users, job->record->user, strlen(job->record->user));
}

uint32_t orr_job_shape(const orr_job *job)
{
    return job->shape;
}

const char *orr_job_name(const orr_job *job)
{
    return job->record->name;
}

const char *orr_job_model(const orr_job *job)
{
    return job->record->model;
}

int32_t orr_job_vc(const orr_job *job)
{
    return job->vc;
}

orr_time orr_job_submit(const orr_job *job)
{
    return job->submit;
}

int32_t orr_job_gpus(const orr_job *job)
{
    return job->record->gpus;
}

int32_t orr_job_min_gpus(const orr_job *job)
{
    return job->least_gpus;
}

int32_t orr_job_max_gpus(const orr_job *job)
{
    return job->most_gpus;
}

int32_t orr_job_gpu_milli(const orr_job *job)
{
    return job->record->gpu_milli;
}

int64_t orr_job_cpu_milli(const orr_job *job)
{
    return job->record->cpu_milli;
}

int64_t orr_job_mem(const orr_job *job)
{
    return job->record->mem_bytes;
}

bool orr_job_preemptible(const orr_job *job)
{
    return job->record->preemptible;
}

orr_job_state orr_job_state_now(const orr_job *job)
{
    return job->state;
}

bool orr_job_holds(const orr_job *job)
{
    return orr_holds(job);
}

int32_t orr_job_starts(const orr_job *job)
{
    return job->starts;
}

orr_time orr_job_first_start(const orr_job *job)
{
    return job->first_start;
}

/* ---- knowledge ---- */

void orr_know_less(orr_ctx *ctx, orr_quantity q, orr_know level)
{
    if (ctx->know[q] > level)
        ctx->know[q] = (uint8_t)level;
}

static bool may_use(orr_ctx *ctx, orr_quantity q, orr_know level, const orr_job *job)
{
    if (ctx->know[q] < level) {
        orr_world_fault(ctx->world, ORR_E_KNOWLEDGE, job, "it asked for %s at level %s but declares %s", orr_quantity_name(q),
                        orr_know_name(level), orr_know_name((orr_know)ctx->know[q]));
        return false;
    }
    if (ctx->used[q] < level)
        ctx->used[q] = (uint8_t)level;
    return true;
}

bool orr_ctx_may_use(orr_ctx *ctx, orr_quantity q, orr_know level, const orr_job *job)
{
    return may_use(ctx, q, level, job);
}

double orr_job_service(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_SERVICE, ORR_KNOW_OBSERVED, job) ? orr_gpu_seconds(orr_life_service(ctx->world->life, job)) : 0;
}

orr_time orr_job_held(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_SERVICE, ORR_KNOW_OBSERVED, job) ? orr_life_held(ctx->world->life, job) : 0;
}

orr_time orr_job_waiting(orr_ctx *ctx, const orr_job *job)
{
    if (!may_use(ctx, ORR_Q_SERVICE, ORR_KNOW_OBSERVED, job) || orr_holds(job))
        return 0;
    return ctx->world->life->now - job->wait_since;
}

orr_time orr_job_limit(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_LIMIT, ORR_KNOW_DECLARED, job) ? job->record->limit : ORR_TIME_NONE;
}

orr_time orr_job_deadline(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_LIMIT, ORR_KNOW_DECLARED, job) ? job->record->deadline : ORR_TIME_NONE;
}

double orr_job_weight(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_LIMIT, ORR_KNOW_DECLARED, job) ? job->record->weight : 1;
}

const char *orr_job_attribute(orr_ctx *ctx, const orr_job *job, const char *name)
{
    bool may = may_use(ctx, ORR_Q_LIMIT, ORR_KNOW_DECLARED, job);
    return may ? orr_trace_attribute(ctx->world->trace, job->record, name) : "";
}

orr_time orr_job_recorded_start(orr_ctx *ctx, const orr_job *job)
{
    const orr_trace_job *r = job->record;
    if (!may_use(ctx, ORR_Q_RECORD, ORR_KNOW_ORACLE, job))
        return ORR_TIME_NONE;
    if (r->starts)
        return r->starts[job->attempt];
    return job->attempt == 0 ? r->start : ORR_TIME_NONE;
}

double orr_job_host_speed(orr_ctx *ctx, const orr_job *job, double cpus, double mem)
{
    return may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) ? orr_host_speed(job->profile, cpus, mem) : 1;
}

bool orr_job_host_needs(orr_ctx *ctx, const orr_job *job, double part, double *cpus, double *mem)
{
    bool known = may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) && job->profile && job->profile->host_points;
    orr_host_need need = orr_host_needs(known ? job->profile : NULL, part);
    *cpus = need.cpus;
    *mem = need.mem;
    return known;
}

double orr_job_gpu_util(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) && job->profile ? job->profile->gpu_util : -1;
}

int64_t orr_job_gpu_mem(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) ? job->gpu_mem : 0;
}

int32_t orr_job_sharing(orr_ctx *ctx, const orr_job *job)
{
    bool may = may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job);
    return (int32_t)(may ? orr_profiles_sharing(ctx->world->profiles, job->profile) : ORR_SHARING_JUMBO);
}

/* Of its gang with its own batch. */
static double speed_of_training(const orr_ctx *ctx, const orr_job *job, int32_t type, bool spread)
{
    const int32_t widest = orr_scope_widest(ctx, (orr_scope){.vc = -1, .types = (uint64_t)1 << type}), gpus = job->record->gpus;
    const orr_placement on = spread && widest > 0 ? orr_placement_packed(gpus, widest) : orr_placement_even(gpus, 1);
    return orr_training_speed_on(ctx->world->life, job, type, &on, (orr_batch){0});
}

double orr_job_speed_on(orr_ctx *ctx, const orr_job *job, int32_t type, bool spread)
{
    const orr_world *w = ctx->world;
    if (!may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) || type < 0 || type >= w->cluster->gpu_types)
        return 0;
    if (job->training)
        return job->types >> type & 1 ? speed_of_training(ctx, job, type, spread) : 0;
    return w->speeds ? orr_speeds_on(w->speeds, job, type, spread) : (double)(job->types >> type & 1);
}

double orr_job_step_rate(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, job) ? job->step_rate : 1;
}

bool orr_jobs_speed_beside(orr_ctx *ctx, const orr_job *a, const orr_job *b, int32_t type, double speeds[2])
{
    const orr_world *w = ctx->world;
    speeds[0] = speeds[1] = 0;
    return may_use(ctx, ORR_Q_PROFILE, ORR_KNOW_PROFILED, a) && w->speeds && type >= 0 && type < w->cluster->gpu_types &&
           orr_speeds_beside(w->speeds, a, b, type, speeds);
}

double orr_job_rate(orr_ctx *ctx, const orr_job *job)
{
    return may_use(ctx, ORR_Q_RATE, ORR_KNOW_OBSERVED, job) && job->state == ORR_JOB_RUNNING ? job->rate : 0;
}

/* An estimator may read what a policy may not: it is the one that turns truth or declarations into beliefs. */
orr_time orr_truth_duration(orr_ctx *ctx, const orr_job *job)
{
    if (ctx->kind != ORR_KIND_ESTIMATOR || ctx->desc.estimator.level < ORR_KNOW_NOISY) {
        orr_world_fault(ctx->world, ORR_E_KNOWLEDGE, job, "it asked for the true duration, which is for estimators of level "
                                                          "noisy or oracle");
        return 0;
    }
    return orr_job_length(job);
}

/* Asked of the estimator once a job: a belief about the whole does not change while it runs. */
static orr_time believed(orr_ctx *ctx, const orr_job *job)
{
    orr_ctx *est = ctx->estimator_ctx;
    if (!est) {
        orr_world_fault(ctx->world, ORR_E_KNOWLEDGE, job, "placers and estimators can't ask for estimates");
        return 0;
    }
    if (!may_use(ctx, ORR_Q_DURATION, est->desc.estimator.level, job))
        return 0;
    orr_job *mutable_job = (orr_job *)job; /* a cache, not a change that anyone can see */
    if (job->believed == ORR_TIME_NONE) {
        orr_time t = est->desc.estimator.duration(est, job);
        mutable_job->believed = t > 0 ? t : 0;
    }
    return job->believed;
}

double orr_est_duration(orr_ctx *ctx, const orr_job *job)
{
    return orr_time_seconds(believed(ctx, job));
}

static orr_time work_left(orr_ctx *ctx, const orr_job *job)
{
    const orr_trace_job *r = job->record;
    orr_time attempt = r->attempts ? r->attempts[job->attempt] : r->duration;
    orr_time done = job->done_before + attempt - orr_life_left(ctx->world->life, job);
    orr_time left = believed(ctx, job) - done;
    return left > 0 ? left : 0;
}

double orr_est_work(orr_ctx *ctx, const orr_job *job)
{
    return orr_time_seconds(work_left(ctx, job));
}

orr_time orr_est_remaining_time(orr_ctx *ctx, const orr_job *job)
{
    return orr_time_add(work_left(ctx, job), orr_life_debt(ctx->world->life, job));
}

double orr_est_remaining(orr_ctx *ctx, const orr_job *job)
{
    return orr_time_seconds(orr_est_remaining_time(ctx, job));
}

/* ---- the cluster ---- */

int32_t orr_cluster_nodes(const orr_ctx *ctx)
{
    return ctx->world->cluster->count;
}

int32_t orr_cluster_vcs(const orr_ctx *ctx)
{
    return orr_cluster_owners(ctx->world->cluster);
}

int32_t orr_cluster_racks(const orr_ctx *ctx)
{
    return ctx->world->cluster->racks;
}

int64_t orr_vc_held(const orr_ctx *ctx, int32_t vc)
{
    return ctx->world->life->levels[vc].milli_held;
}

int64_t orr_vc_quota(const orr_ctx *ctx, int32_t vc)
{
    return orr_cluster_quota(ctx->world->cluster, vc);
}

bool orr_vcs_are_tenants(const orr_ctx *ctx)
{
    return ctx->world->cluster->tenants > 0;
}

const char *orr_vc_name(const orr_ctx *ctx, int32_t vc)
{
    return ctx->world->cluster->vc_names[vc];
}

/* What the pools of a scope have together. */
typedef struct totals {
    int64_t gpus, free, milli;
    int32_t widest;
} totals;

static totals sum_up(const orr_ctx *ctx, orr_scope scope)
{
    orr_pool *in[ORR_MAX_TYPES];
    const int32_t n = orr_cluster_pools(ctx->world->cluster, scope.vc, scope.types, in);
    totals sum = {0};
    for (int32_t i = 0; i < n; i++) {
        sum.gpus += in[i]->gpus;
        sum.free += in[i]->free;
        sum.milli += in[i]->milli;
        sum.widest = in[i]->widest > sum.widest ? in[i]->widest : sum.widest;
    }
    return sum;
}

int32_t orr_scope_gpus(const orr_ctx *ctx, orr_scope scope)
{
    return (int32_t)sum_up(ctx, scope).gpus;
}

int32_t orr_scope_free(const orr_ctx *ctx, orr_scope scope)
{
    return (int32_t)sum_up(ctx, scope).free;
}

int64_t orr_scope_free_milli(const orr_ctx *ctx, orr_scope scope)
{
    const totals sum = sum_up(ctx, scope);
    return sum.gpus * ORR_WHOLE_GPU - sum.milli;
}

int32_t orr_scope_widest(const orr_ctx *ctx, orr_scope scope)
{
    return sum_up(ctx, scope).widest;
}

int32_t orr_cluster_types(const orr_ctx *ctx)
{
    return ctx->world->cluster->gpu_types;
}

const char *orr_type_name(const orr_ctx *ctx, int32_t type)
{
    return ctx->world->cluster->type_names[type];
}

int32_t orr_node_rack(const orr_ctx *ctx, int32_t node)
{
    return ctx->world->cluster->nodes[node].rack;
}

int32_t orr_node_with_free(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after)
{
    ctx->world->cluster->nodes_examined++;
    return orr_pool_with_free(ctx->world->cluster, scope.vc, scope.types, free, after);
}

int32_t orr_node_with_at_least(const orr_ctx *ctx, orr_scope scope, int32_t free, int32_t after)
{
    ctx->world->cluster->nodes_examined++;
    return orr_pool_with_at_least(ctx->world->cluster, scope.vc, scope.types, free, after);
}


/* ---- triggers, timers and thresholds ---- */

void orr_trigger_events(orr_ctx *ctx, uint32_t mask)
{
    ctx->world->trigger_events = mask;
}

void orr_trigger_period(orr_ctx *ctx, orr_time period, orr_time phase)
{
    ctx->world->period = period > 0 ? period : 0;
    ctx->world->phase = phase;
}

void orr_trigger_min_gap(orr_ctx *ctx, orr_time gap)
{
    ctx->world->min_gap = gap > 0 ? gap : 0;
}

void orr_reach_all(orr_ctx *ctx)
{
    ctx->world->reach_all = true;
}

orr_err orr_arm(orr_ctx *ctx, uint64_t cookie, orr_time at)
{
    orr_world *w = ctx->world;
    if (at < w->life->now)
        at = w->life->now;
    at = orr_life_on_grid(w->life, at);
    orr_event_id *id = orr_timers_at(&ctx->timers, cookie);
    if (!orr_queue_move(w->queue, *id, at))
        *id = orr_queue_add(w->queue, &(orr_queued){.at = at, .class_ = ORR_CLASS_TIMER, .kind = ORR_WORLD_TIMER, .what = ctx,
                                                    .cookie = cookie});
    return ORR_OK;
}

void orr_disarm(orr_ctx *ctx, uint64_t cookie)
{
    orr_queue_cancel(ctx->world->queue, orr_timers_drop(&ctx->timers, cookie));
}

void orr_watch(orr_ctx *ctx, orr_job *job, orr_watched what, double value)
{
    if (may_use(ctx, ORR_Q_SERVICE, ORR_KNOW_OBSERVED, job))
        orr_life_watch(ctx->world->life, job, what, value);
}

void orr_unwatch(orr_ctx *ctx, orr_job *job, orr_watched what)
{
    orr_life_unwatch(ctx->world->life, job, what);
}
