/* Rounds by shares: priorities, and who runs where by them. */
#include "sched/share_rounds.h"

#include <stdlib.h>

/* The less of its share it was given, the more urgent; nothing yet: before all others. */
static double priority(const orr_share_row *row, int32_t type)
{
    const orr_share_cell *c = &row->cell[type];
    const double total = row->pool->total[type];
    if (!row->allotted || c->share <= 0 || c->speed <= 0)
        return 0;
    return c->received > 0 && total > 0 ? c->share * total / c->received : 1e9 * c->share;
}

static int descending(double x, double y)
{
    return (x < y) - (x > y);
}

static int by_rank(const void *a, const void *b)
{
    const orr_share_rank *x = a, *y = b;
    int order = descending(x->priority, y->priority);
    if (!order)
        order = descending(x->deficit, y->deficit);
    if (!order)
        order = descending(x->share, y->share);
    if (!order)
        order = (x->row->order > y->row->order) - (x->row->order < y->row->order);
    return order ? order : (x->type > y->type) - (x->type < y->type);
}

static void add_rank(orr_share_rounds *r, orr_share_row *row, int32_t type, double p)
{
    const orr_share_cell *c = &row->cell[type];
    ORR_VEC_PUSH(&r->ranks, ((orr_share_rank){p, c->deficit, c->share, row, type}));
}

static void sort_ranks(orr_share_rounds *r)
{
    if (r->ranks.n)
        qsort(r->ranks.at, r->ranks.n, sizeof *r->ranks.at, by_rank);
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

static bool is_free(const orr_share_rounds *r, const orr_share_row *row)
{
    return !orr_share_row_of(r, row->a)->pick && (!row->b || !orr_share_row_of(r, row->b)->pick);
}

/* A job that is as fast where it is stays there. */
static int32_t where(const orr_share_rounds *r, const orr_share_row *row, int32_t as)
{
    const int32_t on = row->on;
    const bool alike = !row->b && !r->rules.sim && on >= 0 && row->cell[on].speed == row->cell[as].speed;
    return alike && row->gpus <= r->left[on] ? on : as;
}

static void take(orr_share_rounds *r, orr_share_row *row, int32_t as)
{
    const int32_t type = where(r, row, as);
    ORR_VEC_PUSH(&r->picks, ((orr_share_pick){row, type, as}));
    r->left[type] -= row->gpus;
    orr_share_row_of(r, row->a)->pick = (int32_t)r->picks.n;
    if (row->b)
        orr_share_row_of(r, row->b)->pick = (int32_t)r->picks.n;
}

static void take_in_order(orr_share_rounds *r)
{
    sort_ranks(r);
    for (size_t i = 0; i < r->ranks.n; i++) {
        const orr_share_rank *rank = &r->ranks.at[i];
        if (rank->row->gpus <= r->left[rank->type] && is_free(r, rank->row))
            take(r, rank->row, rank->type);
    }
}

static void begin_picks(orr_share_rounds *r)
{
    r->picks.n = 0;
    for (int32_t i = 0; i < r->pool_count; i++)
        for (size_t k = 0; k < r->pools[i].jobs.n; k++)
            r->pools[i].jobs.at[k]->pick = 0;
}

/* ---- rounds ---- */

/* Where it is fastest with what is left, of equals where it is; -1: nowhere. */
static int32_t best_left(const orr_share_rounds *r, const orr_share_row *row)
{
    int32_t best = -1;
    for (int32_t k = 0; k < r->types; k++) {
        const double speed = row->cell[k].speed;
        if (speed <= 0 || row->gpus > r->left[k])
            continue;
        const bool better = best < 0 || speed > row->cell[best].speed || (speed == row->cell[best].speed && k == row->on);
        best = better ? k : best;
    }
    return best;
}

/* And the plan hasn't given it anything yet. */
static bool waits(const orr_share_rounds *r, const orr_share_row *row)
{
    return row->a->state == ORR_JOB_QUEUED && !orr_plan_held(r->plan, row->a);
}

static void rank_row(orr_share_rounds *r, orr_share_row *row)
{
    for (int32_t k = 0; k < r->types; k++) {
        const double p = priority(row, k);
        if (p > 0)
            add_rank(r, row, k, p);
    }
}

static bool both_part(const orr_share_rounds *r, const orr_share_row *pair, bool idle)
{
    const orr_share_row *a = orr_share_row_of(r, pair->a), *b = orr_share_row_of(r, pair->b);
    return idle ? waits(r, a) && waits(r, b) : orr_share_takes_part(a) && orr_share_takes_part(b);
}

/* Those with shares by priority over all types, then, unless shares are strict, the others as they came. `idle`: of
 * those that wait alone, for what nobody holds; and only of the new ones, as long as no GPUs were given back. */
static void pick_pool(orr_share_rounds *r, orr_share_pool *p, bool idle)
{
    const bool all = !idle || r->freed;
    r->ranks.n = 0;
    r->ctx->world->jobs_examined += p->jobs.n;
    for (size_t i = 0; i < p->jobs.n; i++) {
        orr_share_row *row = p->jobs.at[i];
        if ((all || row->fresh) && (idle ? waits(r, row) : orr_share_takes_part(row)))
            rank_row(r, row);
    }
    for (size_t i = 0; all && i < p->pairs.n; i++)
        if (both_part(r, p->pairs.at[i], idle))
            rank_row(r, p->pairs.at[i]);
    take_in_order(r);
    for (size_t i = 0; !r->rules.strict && i < p->jobs.n; i++) {
        orr_share_row *row = p->jobs.at[i];
        if (row->pick || !(all || row->fresh) || !(idle ? waits(r, row) : orr_share_takes_part(row)))
            continue;
        const int32_t type = best_left(r, row);
        if (type >= 0)
            take(r, row, type);
    }
}

void orr_share_pick_idle(orr_share_rounds *r)
{
    begin_picks(r);
    for (int32_t i = 0; i < r->pool_count; i++) {
        orr_share_pool *p = &r->pools[i];
        int64_t any = 0;
        for (int32_t k = 0; k < r->types; k++)
            r->left[k] = orr_scope_free(r->ctx, (orr_scope){.vc = p->vc, .types = (uint64_t)1 << k});
        orr_share_leave_back(r, p);
        for (int32_t k = 0; k < r->types; k++)
            any += r->left[k];
        if (any > 0)
            pick_pool(r, p, true);
        for (size_t k = 0; k < p->jobs.n; k++)
            p->jobs.at[k]->fresh = false;
    }
}

/* ---- `sim` ------------------------------------------------------------------------------------------------------- */

static void rank_type(orr_share_rounds *r, orr_share_pool *p, int32_t type)
{
    r->ranks.n = 0;
    for (size_t i = 0; i < p->jobs.n + p->pairs.n; i++) {
        orr_share_row *row = i < p->jobs.n ? p->jobs.at[i] : p->pairs.at[i - p->jobs.n];
        const double urgency = priority(row, type);
        const bool part = row->b ? both_part(r, row, false) : orr_share_takes_part(row);
        if (part && row->cell[type].speed > 0 && (urgency > 0 || (!r->rules.strict && !row->b)))
            add_rank(r, row, type, urgency);
    }
}

/* One type after the other. Who has no shares yet is picked, but gets nothing: see orr_share_place. */
static void pick_sim(orr_share_rounds *r, orr_share_pool *p)
{
    if (r->rules.blind)
        orr_share_shuffle(r, r->visit, (size_t)r->types);
    r->ctx->world->jobs_examined += p->jobs.n;
    for (int32_t v = 0; v < r->types; v++) {
        rank_type(r, p, r->visit[v]);
        take_in_order(r);
    }
}

void orr_share_pick_round(orr_share_rounds *r)
{
    begin_picks(r);
    for (int32_t i = 0; i < r->pool_count; i++) {
        orr_share_pool *p = &r->pools[i];
        orr_share_capacity(r, p);
        for (int32_t k = 0; k < r->types; k++)
            r->left[k] = (int64_t)p->capacity[k];
        orr_share_leave_back(r, p);
        if (r->rules.sim)
            pick_sim(r, p);
        else
            pick_pool(r, p, false);
    }
}
