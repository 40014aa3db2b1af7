/* Rounds by shares: who is there, and when something is decided. */
#include "sched/share_rounds.h"

/* ---- made and unmade --------------------------------------------------------------------------------------------- */

static int by_name_down(const orr_ctx *ctx, int32_t x, int32_t y)
{
    return -strcmp(orr_type_name(ctx, x), orr_type_name(ctx, y));
}

/* The reference names v100, p100, k80: few types, so by insertion. */
static void order_visits(orr_share_rounds *r)
{
    for (int32_t k = 0; k < r->types; k++) {
        int32_t at = k;
        for (; at > 0 && by_name_down(r->ctx, k, r->visit[at - 1]) < 0; at--)
            r->visit[at] = r->visit[at - 1];
        r->visit[at] = k;
    }
}

static void make_pools(orr_share_rounds *r)
{
    const bool each = r->rules.vc == ORR_VC_ISOLATED && !orr_vcs_are_tenants(r->ctx);
    r->pool_count = each ? orr_cluster_vcs(r->ctx) : 1;
    r->pools = orr_xcalloc((size_t)r->pool_count, sizeof *r->pools);
    for (int32_t i = 0; i < r->pool_count; i++) {
        orr_share_pool *p = &r->pools[i];
        p->vc = each ? i : -1;
        p->capacity = orr_xcalloc((size_t)r->types + 1, sizeof *p->capacity);
        p->total = orr_xcalloc((size_t)r->types + 1, sizeof *p->total);
    }
    if (!each)
        orr_reach_all(r->ctx);
}

/* When the last job of the record comes. Who follows others isn't on record: there is no waiting for it. */
static orr_time last_arrival(const orr_trace *trace)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    orr_time last = 0;
    for (size_t i = 0; i < orr_trace_count(trace); i++)
        if (jobs[i].submit > last && (!jobs[i].after_count || jobs[i].ran != ORR_TIME_NONE))
            last = jobs[i].submit;
    return last;
}

/* Starts and preemptions are the driver's own doing, and speeds follow from them: no news. */
static void set_triggers(orr_share_rounds *r)
{
    orr_trigger_events(r->ctx, 1u << ORR_EV_SUBMITTED | 1u << ORR_EV_ENDED | 1u << ORR_EV_RETRIED | 1u << ORR_EV_INTERRUPTED);
    if (!r->rules.sim)
        orr_trigger_period(r->ctx, r->rules.round, 0);
}

orr_share_rounds *orr_share_rounds_create(orr_ctx *ctx, const orr_share_rules *rules)
{
    orr_share_rounds *r = orr_xcalloc(1, sizeof *r);
    r->ctx = ctx;
    r->rules = *rules;
    r->types = orr_cluster_types(ctx);
    r->last_reset = rules->sim ? 0 : ORR_TIME_NONE;
    r->last_round = ORR_TIME_NONE;
    r->last_arrival = rules->sim ? last_arrival(ctx->world->trace) : 0;
    r->visit = orr_xcalloc((size_t)r->types + 1, sizeof *r->visit);
    r->left = orr_xcalloc((size_t)r->types + 1, sizeof *r->left);
    r->held_back = orr_xcalloc((size_t)r->types + 1, sizeof *r->held_back);
    order_visits(r);
    make_pools(r);
    set_triggers(r);
    ctx->share_rounds = r;
    return r;
}

static void free_pool(orr_share_pool *p)
{
    for (size_t i = 0; i < p->jobs.n; i++)
        free(p->jobs.at[i]);
    for (size_t i = 0; i < p->pairs.n; i++)
        free(p->pairs.at[i]);
    ORR_VEC_FREE(&p->jobs);
    ORR_VEC_FREE(&p->pairs);
    free(p->capacity);
    free(p->total);
}

void orr_share_rounds_destroy(orr_share_rounds *r)
{
    if (!r)
        return;
    for (int32_t i = 0; i < r->pool_count; i++)
        free_pool(&r->pools[i]);
    free(r->pools);
    free(r->visit);
    free(r->left);
    free(r->held_back);
    ORR_VEC_FREE(&r->rows);
    ORR_VEC_FREE(&r->others);
    ORR_VEC_FREE(&r->picks);
    ORR_VEC_FREE(&r->ranks);
    ORR_VEC_FREE(&r->starts);
    ORR_VEC_FREE(&r->left_alone);
    orr_share_build_free(r->build);
    free(r);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

orr_share_row *orr_share_row_of(const orr_share_rounds *r, const orr_job *job)
{
    return job->slot < r->rows.n ? r->rows.at[job->slot] : NULL;
}

void orr_share_shuffle(orr_share_rounds *r, int32_t *at, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t other = (size_t)orr_random_below(r->ctx, i);
        const int32_t kept = at[i - 1];
        at[i - 1] = at[other];
        at[other] = kept;
    }
}

orr_share_row *orr_share_row_create(orr_share_rounds *r, orr_share_pool *pool, orr_job *a, orr_job *b)
{
    orr_share_row *row = orr_xcalloc(1, sizeof *row + (size_t)r->types * sizeof *row->cell);
    *row = (orr_share_row){.a = a, .b = b, .pool = pool, .order = r->arrivals++, .gpus = orr_job_gpus(a), .on = -1, .as = -1, .steps = -1};
    row->run = row;
    return row;
}

bool orr_share_takes_part(const orr_share_row *row)
{
    return row->a->state == ORR_JOB_QUEUED || (row->on >= 0 && orr_holds(row->a) && row->a->record->preemptible);
}

int32_t orr_share_type_held(const orr_ctx *ctx, const orr_job *job)
{
    return orr_holds(job) && job->held.count ? orr_node_type(ctx, orr_slices(&job->held)[0].node) : -1;
}

orr_job *orr_share_partner(const orr_share_row *row)
{
    const orr_share_row *run = row->run;
    return !run->b ? NULL : run->a == row->a ? run->b : run->a;
}

orr_share_pool *orr_share_pool_of(const orr_share_rounds *r, const orr_job *job)
{
    return &r->pools[r->pool_count > 1 ? job->vc : 0];
}

/* A gang that no node could hold is spread wherever it runs. False: no type has room for it. */
static bool ask_speeds(orr_share_rounds *r, orr_share_row *row)
{
    bool any = false;
    for (int32_t k = 0; k < r->types; k++) {
        const orr_scope scope = {.vc = row->pool->vc, .types = (uint64_t)1 << k};
        const bool spread = row->gpus > orr_scope_widest(r->ctx, scope);
        const bool hosted = row->gpus <= orr_scope_gpus(r->ctx, scope) && orr_type_hosts(r->ctx, row->a, k, scope.vc < 0);
        /* the reference doesn't look */
        const bool room = hosted || (r->rules.sim && row->gpus > orr_scope_gpus(r->ctx, scope));
        row->cell[k].speed = room ? orr_job_speed_on(r->ctx, row->a, k, spread) : 0;
        any |= hosted && row->cell[k].speed > 0;
    }
    return any;
}

/* Everybody begins with half a round on each type, so that none of the parts is 0. */
static void give_beginning(orr_share_rounds *r, orr_share_row *row)
{
    for (int32_t k = 0; k < r->types; k++) {
        row->cell[k].received = orr_time_seconds(r->rules.round) / 2;
        if (!r->rules.sim)
            row->pool->total[k] += row->cell[k].received;
    }
}

/* NULL: it isn't dealt with. */
static orr_share_row *row_for(orr_share_rounds *r, orr_job *job)
{
    if (job->record->gpus <= 0 || job->record->gpu_milli != ORR_WHOLE_GPU)
        return NULL;
    orr_share_row *row = orr_share_row_create(r, orr_share_pool_of(r, job), job, NULL);
    if (ask_speeds(r, row))
        return row;
    free(row);
    return NULL;
}

static void come(orr_share_rounds *r, orr_job *job)
{
    orr_share_row *row = row_for(r, job);
    if (!row) {
        ORR_VEC_PUSH(&r->others, job);
        return;
    }
    while (r->rows.n <= job->slot)
        ORR_VEC_PUSH(&r->rows, NULL);
    r->rows.at[job->slot] = row;
    ORR_VEC_PUSH(&row->pool->jobs, row);
    give_beginning(r, row);
    row->fresh = r->any_fresh = r->dirty = true;
}

/* Those that remain stay in the order in which they came. O(active), a move of pointers. */
static void remove_row(orr_share_rounds *r, orr_share_row *row)
{
    size_t at = 0;
    while (row->pool->jobs.at[at] != row)
        at++;
    memmove(&row->pool->jobs.at[at], &row->pool->jobs.at[at + 1], (--row->pool->jobs.n - at) * sizeof row);
    r->rows.at[row->a->slot] = NULL;
}

static void remove_pairs_of(orr_share_pool *pool, const orr_job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < pool->pairs.n; i++) {
        orr_share_row *pair = pool->pairs.at[i];
        if (pair->a == job || pair->b == job)
            free(pair);
        else
            pool->pairs.at[kept++] = pair;
    }
    pool->pairs.n = kept;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Of a pair it is booked once, when the first of the two is. */
void orr_share_book_row(orr_share_rounds *r, orr_share_row *row)
{
    const orr_time now = r->ctx->world->life->now;
    const orr_share_row *run = row->run;
    const double time = orr_time_seconds(now - row->since);
    row->since = now;
    if (row->on < 0 || row->as < 0 || r->rules.sim || time <= 0 || (run->b && run->a != row->a))
        return;
    row->run->cell[row->as].received += time;
    row->pool->total[row->as] += time;
}

void orr_share_book(orr_share_rounds *r)
{
    for (int32_t i = 0; i < r->pool_count; i++)
        for (size_t k = 0; k < r->pools[i].jobs.n; k++)
            orr_share_book_row(r, r->pools[i].jobs.at[k]);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

void orr_share_part(orr_share_rounds *r, orr_share_row *row)
{
    orr_job *partner = orr_share_partner(row);
    if (!partner)
        return;
    orr_share_row *other = orr_share_row_of(r, partner);
    orr_share_book_row(r, row);
    orr_share_book_row(r, other);
    other->run = other;
    row->run = row;
}

static void holds_nothing(orr_share_rounds *r, orr_share_row *row)
{
    orr_job *partner = orr_share_partner(row);
    orr_share_task_ended(r, row);
    orr_share_book_row(r, row);
    if (partner)
        ORR_VEC_PUSH(&r->left_alone, partner);
    orr_share_part(r, row);
    row->on = -1;
    r->freed = true;
}

static void forget_alone(orr_share_rounds *r, const orr_job *job)
{
    for (size_t i = 0; i < r->left_alone.n; i++)
        if (r->left_alone.at[i] == job)
            r->left_alone.at[i--] = r->left_alone.at[--r->left_alone.n];
}

static void go(orr_share_rounds *r, orr_share_row *row)
{
    if (row->on >= 0)
        holds_nothing(r, row);
    forget_alone(r, row->a);
    remove_row(r, row);
    if (row->pool->pairs.n)
        remove_pairs_of(row->pool, row->a);
    r->dirty = true;
    free(row);
}

static void forget_other(orr_share_rounds *r, const orr_job *job)
{
    for (size_t i = 0; i < r->others.n; i++)
        if (r->others.at[i] == job)
            r->others.at[i--] = r->others.at[--r->others.n];
    if (r->held_for == job)
        orr_share_others_let_go(r);
    r->freed = r->dirty = true; /* what it had, if anything, is to be shared out */
}

static void place_changed(orr_share_rounds *r, orr_share_row *row)
{
    orr_share_book_row(r, row);
    row->on = orr_share_type_held(r->ctx, row->a);
    if (row->as < 0) /* it ran at the origin */
        row->as = row->on;
    row->since = r->ctx->world->life->now;
}

void orr_share_rounds_event(orr_share_rounds *r, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED) {
        come(r, job);
        return;
    }
    orr_share_row *row = orr_share_row_of(r, job);
    if (!row) {
        if (event->kind == ORR_EV_ENDED)
            forget_other(r, job);
        return;
    }
    if (event->kind == ORR_EV_RETRIED || event->kind == ORR_EV_INTERRUPTED)
        r->dirty = true; /* as with a micro-task that failed */
    switch (event->kind) {
    case ORR_EV_STARTED:
    case ORR_EV_MIGRATED:
    case ORR_EV_RESIZED:
        place_changed(r, row);
        break;
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
    case ORR_EV_SAVING:
    case ORR_EV_PREEMPTED:
        if (row->on >= 0)
            holds_nothing(r, row);
        break;
    case ORR_EV_ENDED:
        go(r, row);
        break;
    default:
        break;
    }
}

void orr_share_rounds_renew(orr_share_rounds *r)
{
    r->dirty = r->freed = true;
}

double orr_share_rounds_of(const orr_share_rounds *r, const orr_job *job, int32_t type)
{
    const orr_share_row *row = orr_share_row_of(r, job);
    return row && row->allotted ? row->cell[type].share : 0;
}

int64_t orr_share_rounds_given(const orr_share_rounds *r, const orr_job *job, int32_t type)
{
    const orr_share_row *row = orr_share_row_of(r, job);
    return row ? row->cell[type].rounds : 0;
}

void orr_share_rounds_count(const orr_share_rounds *r, uint64_t *resets, uint64_t *cells, uint64_t *passed)
{
    *resets = r->resets;
    *cells = r->cells;
    *passed = r->passed;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static bool reset_due(const orr_share_rounds *r)
{
    const orr_time now = r->ctx->world->life->now;
    const bool first = r->last_reset == ORR_TIME_NONE || (r->rules.sim && r->last_reset == 0);
    return r->dirty && (first || now - r->last_reset >= r->rules.reset);
}

static bool any_jobs(const orr_share_rounds *r)
{
    for (int32_t i = 0; i < r->pool_count; i++)
        if (r->pools[i].jobs.n)
            return true;
    return false;
}

/* Where nobody got anything the reference waits for the next arrival, if any is still to come; else it forgets when it
 * last made shares. The last one wakes it even if it is refused at the door. */
static bool waits_for_arrivals(orr_share_rounds *r)
{
    if (r->ctx->world->life->now >= r->last_arrival)
        return false;
    orr_arm(r->ctx, ORR_COOKIE_DRIVER, r->last_arrival);
    return true;
}

static orr_err schedule_sim(orr_share_rounds *r, orr_plan *plan)
{
    if (!orr_share_tasks_due(r)) {
        orr_share_tasks_left(r, plan);
        return ORR_OK;
    }
    orr_share_tasks_end(r);
    for (int tries = 0; tries < 2; tries++) {
        const orr_err err = reset_due(r) ? orr_share_reset(r) : ORR_OK; /* even if nobody is left */
        if (err || !any_jobs(r))
            return err;
        orr_share_pick_round(r);
        orr_share_place(r, plan);
        orr_share_tasks_begin(r, plan);
        if (r->round_on || waits_for_arrivals(r))
            return ORR_OK;
        r->last_reset = 0;
    }
    return ORR_OK;
}

/* Who ran beside another has its GPUs to itself. */
static void make_whole(orr_share_rounds *r, orr_plan *plan)
{
    for (size_t i = 0; i < r->left_alone.n; i++) {
        const orr_share_row *row = orr_share_row_of(r, r->left_alone.at[i]);
        const orr_alloc *held = orr_plan_held(plan, row->a);
        if (row->run == row && held && held->count && orr_slices(held)[0].milli < ORR_WHOLE_GPU)
            orr_plan_reshare(plan, row->a, ORR_WHOLE_GPU);
    }
    r->left_alone.n = 0;
}

orr_err orr_share_rounds_schedule(orr_share_rounds *r, orr_plan *plan)
{
    const orr_time now = r->ctx->world->life->now;
    r->plan = plan;
    orr_share_others_start(r, plan);
    if (r->rules.sim)
        return schedule_sim(r, plan);
    const bool round = now % r->rules.round == 0 && now != r->last_round;
    const orr_err err = reset_due(r) ? orr_share_reset(r) : ORR_OK;
    if (err)
        return err;
    if (round) {
        r->last_round = now;
        orr_share_book(r);
        orr_share_others_reserve(r);
        orr_share_pick_round(r);
        orr_share_place(r, plan);
        if (r->held_for)
            orr_share_others_start(r, plan);
    }
    make_whole(r, plan);
    orr_share_give_idle(r, plan);
    return ORR_OK;
}
