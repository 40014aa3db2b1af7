/* Rounds by shares: when a reset is due, the problem is put down, dealt out in groups where there are any, and the
 * shares that come back are kept. */
#include "sched/share_rounds.h"

#include <stdlib.h>

/* All of it is scratch of one reset. */
typedef struct orr_share_build {
    ORR_VEC(orr_share_row *) rows, all;
    ORR_VEC(orr_job *) jobs;
    ORR_VEC(orr_share_pair) pair;
    ORR_VEC(double) speed, gpus, capacity, pair_speed, x;
    ORR_VEC(int32_t) group;
} orr_share_build;

void orr_share_build_free(orr_share_build *b)
{
    if (!b)
        return;
    ORR_VEC_FREE(&b->rows);
    ORR_VEC_FREE(&b->all);
    ORR_VEC_FREE(&b->jobs);
    ORR_VEC_FREE(&b->pair);
    ORR_VEC_FREE(&b->speed);
    ORR_VEC_FREE(&b->gpus);
    ORR_VEC_FREE(&b->capacity);
    ORR_VEC_FREE(&b->pair_speed);
    ORR_VEC_FREE(&b->x);
    ORR_VEC_FREE(&b->group);
    free(b);
}

/* ---- counting anew ----------------------------------------------------------------------------------------------- */

static void settle_row(orr_share_rounds *r, orr_share_row *row, double elapsed)
{
    const double half = orr_time_seconds(r->rules.round) / 2;
    for (int32_t k = 0; k < r->types; k++) {
        orr_share_cell *c = &row->cell[k];
        const double given = c->received > 0 ? c->received - half : 0;
        c->deficit += (row->allotted ? c->share * elapsed : 0) - given;
        c->received = half;
        c->share = 0;
        row->pool->total[k] += half;
    }
    row->allotted = true;
}

static void settle_all(orr_share_rounds *r)
{
    const orr_time now = r->ctx->world->life->now;
    const double elapsed = r->last_reset == ORR_TIME_NONE ? 0 : orr_time_seconds(now - r->last_reset);
    orr_share_book(r);
    for (int32_t i = 0; i < r->pool_count; i++) {
        orr_share_pool *p = &r->pools[i];
        for (int32_t k = 0; k < r->types; k++)
            p->total[k] = 0;
        for (size_t j = 0; j < p->jobs.n; j++)
            settle_row(r, p->jobs.at[j], elapsed);
        for (size_t j = 0; j < p->pairs.n; j++)
            settle_row(r, p->pairs.at[j], elapsed);
    }
    r->last_reset = now;
    r->dirty = false;
}

/* ---- the problem ------------------------------------------------------------------------------------------------- */

void orr_share_capacity(const orr_share_rounds *r, orr_share_pool *p)
{
    for (int32_t k = 0; k < r->types; k++)
        p->capacity[k] = orr_scope_free(r->ctx, (orr_scope){.vc = p->vc, .types = (uint64_t)1 << k});
    for (size_t i = 0; i < p->jobs.n; i++) {
        const orr_share_row *row = p->jobs.at[i];
        if (row->on >= 0 && orr_share_takes_part(row) && (!row->run->b || row->run->a == row->a))
            p->capacity[row->on] += row->gpus;
    }
}

static bool can_run(const orr_share_rounds *r, const orr_share_row *row)
{
    for (int32_t k = 0; k < r->types; k++)
        if (row->cell[k].speed > 0)
            return true;
    return false;
}

/* Every group has a fair part of the GPUs of each type; what is over goes to groups that differ from type to type. */
static double group_capacity(const orr_share_rounds *r, const orr_share_pool *p, int64_t group, int32_t type)
{
    const int64_t all = (int64_t)p->capacity[type], n = r->groups_now;
    return n == 1 ? p->capacity[type] : (double)(all / n + ((group + type) % n < all % n));
}

static void add_job(orr_share_rounds *r, orr_share_build *b, orr_share_row *row)
{
    ORR_VEC_PUSH(&b->rows, row);
    ORR_VEC_PUSH(&b->jobs, row->a);
    ORR_VEC_PUSH(&b->gpus, (double)row->gpus);
    for (int32_t k = 0; k < r->types; k++) {
        const bool fits = r->rules.sim || row->gpus <= b->capacity.at[k];
        const double speed = fits ? row->cell[k].speed : 0;
        ORR_VEC_PUSH(&b->speed, r->rules.blind && speed > 0 ? 1 : speed);
    }
}

/* Speeds of two together, if some type gains by it: where their parts of their speeds alone have a sum of at most 1,
 * turns serve both no worse. The reference's way of FIFO asks for more itself. */
static bool pair_speeds(orr_share_rounds *r, const orr_share_build *b, size_t i, size_t j, double *out)
{
    bool any = false;
    for (int32_t k = 0; k < r->types; k++) {
        const double x = b->speed.at[i * (size_t)r->types + (size_t)k], y = b->speed.at[j * (size_t)r->types + (size_t)k];
        const double alone_x = b->rows.at[i]->cell[k].speed, alone_y = b->rows.at[j]->cell[k].speed;
        double both[2] = {0, 0};
        out[2 * k] = out[2 * k + 1] = 0;
        if (x <= 0 || y <= 0 || !orr_jobs_speed_beside(r->ctx, b->jobs.at[i], b->jobs.at[j], k, both) || both[0] <= 0 ||
            both[1] <= 0 || both[0] / alone_x + both[1] / alone_y <= 1)
            continue;
        out[2 * k] = both[0] * x / alone_x;
        out[2 * k + 1] = both[1] * y / alone_y;
        any = true;
    }
    return any;
}

/* O(jobs^2): all that might be of use. */
static void add_pairs(orr_share_rounds *r, orr_share_build *b)
{
    for (size_t i = 0; r->rules.pairs && i < b->rows.n; i++) {
        for (size_t j = i + 1; j < b->rows.n; j++) {
            const size_t at = b->pair_speed.n;
            if (b->gpus.at[i] != b->gpus.at[j] || !b->jobs.at[i]->record->preemptible || !b->jobs.at[j]->record->preemptible)
                continue;
            ORR_VEC_RESERVE(&b->pair_speed, at + 2 * (size_t)r->types);
            if (!pair_speeds(r, b, i, j, &b->pair_speed.at[at]))
                continue;
            b->pair_speed.n += 2 * (size_t)r->types;
            ORR_VEC_PUSH(&b->pair, ((orr_share_pair){(int32_t)i, (int32_t)j}));
        }
    }
}

static void begin_problem(orr_share_rounds *r, orr_share_build *b, const orr_share_pool *p, int64_t group)
{
    b->rows.n = b->jobs.n = b->pair.n = b->speed.n = b->gpus.n = b->capacity.n = b->pair_speed.n = 0;
    for (int32_t k = 0; k < r->types; k++)
        ORR_VEC_PUSH(&b->capacity, group_capacity(r, p, group, k));
}

/* ---- the shares -------------------------------------------------------------------------------------------------- */

static orr_share_row *pair_row(orr_share_rounds *r, orr_share_pool *p, orr_job *x, orr_job *y)
{
    for (size_t i = 0; i < p->pairs.n; i++)
        if (p->pairs.at[i]->a == x && p->pairs.at[i]->b == y)
            return p->pairs.at[i];
    orr_share_row *row = orr_share_row_create(r, p, x, y);
    for (int32_t k = 0; k < r->types && !r->rules.sim; k++) {
        row->cell[k].received = orr_time_seconds(r->rules.round) / 2;
        p->total[k] += row->cell[k].received;
    }
    row->allotted = true;
    ORR_VEC_PUSH(&p->pairs, row);
    return row;
}

static void keep_pair(orr_share_rounds *r, orr_share_pool *p, const orr_share_build *b, size_t i, const double *x)
{
    const double *speed = &b->pair_speed.at[i * 2 * (size_t)r->types];
    orr_share_row *row = NULL;
    for (int32_t k = 0; k < r->types; k++) {
        if (x[k] <= 0 || speed[2 * k] <= 0)
            continue;
        if (!row)
            row = pair_row(r, p, b->jobs.at[b->pair.at[i].a], b->jobs.at[b->pair.at[i].b]);
        row->cell[k].share = x[k];
        row->cell[k].speed = 1; /* they can */
    }
}

static void keep_shares(orr_share_rounds *r, orr_share_pool *p, const orr_share_build *b)
{
    const size_t types = (size_t)r->types;
    for (size_t i = 0; i < b->rows.n; i++)
        for (size_t k = 0; k < types; k++)
            b->rows.at[i]->cell[k].share = b->x.at[i * types + k];
    for (size_t i = 0; i < b->pair.n; i++)
        keep_pair(r, p, b, i, &b->x.at[(b->rows.n + i) * types]);
}

static orr_err solve(orr_share_rounds *r, orr_share_pool *p, orr_share_build *b)
{
    const size_t cells = (b->rows.n + b->pair.n) * (size_t)r->types;
    if (b->rows.n == 0)
        return ORR_OK;
    const orr_share_view view = {
        .jobs = b->jobs.at, .vc = p->vc,
        .problem = {.jobs = (int32_t)b->rows.n, .types = r->types, .pairs = (int32_t)b->pair.n, .speed = b->speed.at,
                    .gpus = b->gpus.at, .capacity = b->capacity.at, .pair = b->pair.at, .pair_speed = b->pair_speed.at}};
    ORR_VEC_RESERVE(&b->x, cells + 1);
    b->x.n = cells;
    memset(b->x.at, 0, cells * sizeof *b->x.at);
    r->cells += cells;
    const orr_err err = r->rules.allocate ? r->rules.allocate(r->ctx, &view, b->x.at)
                                          : orr_share_objective_allocate(r, &view, b->rows.at, b->x.at);
    if (!err)
        keep_shares(r, p, b);
    return err;
}

/* Pairs without a share, which don't run, are forgotten. */
static void drop_pairs(orr_share_rounds *r, orr_share_pool *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->pairs.n; i++) {
        orr_share_row *row = p->pairs.at[i];
        bool used = orr_share_row_of(r, row->a)->run == row;
        for (int32_t k = 0; k < r->types; k++)
            used |= row->cell[k].share > 0;
        if (used)
            p->pairs.at[kept++] = row;
        else
            free(row);
    }
    p->pairs.n = kept;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Each job's group, all of one size as far as that goes. */
static void deal_out(orr_share_rounds *r, orr_share_build *b)
{
    b->group.n = 0;
    for (size_t i = 0; i < b->all.n; i++)
        ORR_VEC_PUSH(&b->group, (int32_t)((int64_t)i % r->groups_now));
    orr_share_shuffle(r, b->group.at, b->group.n);
}

/* A job must fit into the smallest of the groups, whatever is down now: how many there may be for it. */
static int64_t most_groups(const orr_share_rounds *r, const orr_share_row *row)
{
    int64_t most = 1;
    for (int32_t k = 0; k < r->types; k++) {
        const orr_scope scope = {.vc = row->pool->vc, .types = (uint64_t)1 << k};
        const int64_t fits = row->cell[k].speed > 0 ? orr_scope_gpus(r->ctx, scope) / row->gpus : 0;
        most = fits > most ? fits : most;
    }
    return most;
}

static orr_err count_groups(orr_share_rounds *r, const orr_share_build *b)
{
    r->groups_now = r->rules.groups;
    for (size_t i = 0; i < b->all.n; i++) {
        const int64_t most = most_groups(r, b->all.at[i]);
        if (most >= r->groups_now)
            continue;
        r->groups_now = most;
        if (!r->rules.groups_strict)
            continue;
        orr_world_fault(r->ctx->world, ORR_E_CONFLICT, b->all.at[i]->a,
                        "%lld groups are too many: none of them has enough GPUs of one type for a gang of %d",
                        (long long)r->rules.groups, b->all.at[i]->gpus);
        return ORR_E_CONFLICT;
    }
    return ORR_OK;
}

static orr_err solve_groups(orr_share_rounds *r, orr_share_pool *p, orr_share_build *b)
{
    orr_err err = count_groups(r, b);
    deal_out(r, b);
    for (int64_t g = 0; g < r->groups_now && !err; g++) {
        begin_problem(r, b, p, g);
        for (size_t i = 0; i < b->all.n; i++)
            if (b->group.at[i] == g)
                add_job(r, b, b->all.at[i]);
        add_pairs(r, b);
        err = solve(r, p, b);
    }
    return err;
}

/* Who saves its state does, too: it will wait again. */
static bool wants_share(const orr_share_rounds *r, const orr_share_row *row)
{
    return (!orr_holds(row->a) || row->a->record->preemptible) && can_run(r, row);
}

static orr_err share_out(orr_share_rounds *r, orr_share_pool *p)
{
    orr_share_build *b = r->build;
    b->all.n = 0;
    orr_share_capacity(r, p);
    for (size_t i = 0; i < p->jobs.n; i++)
        if (wants_share(r, p->jobs.at[i]))
            ORR_VEC_PUSH(&b->all, p->jobs.at[i]);
    if (r->rules.groups > 1)
        return solve_groups(r, p, b);
    r->groups_now = 1;
    begin_problem(r, b, p, 0);
    for (size_t i = 0; i < b->all.n; i++)
        add_job(r, b, b->all.at[i]);
    add_pairs(r, b);
    return solve(r, p, b);
}

orr_err orr_share_reset(orr_share_rounds *r)
{
    orr_err err = ORR_OK;
    if (!r->build)
        r->build = orr_xcalloc(1, sizeof *r->build);
    settle_all(r);
    r->resets++;
    r->freed = true;
    for (int32_t i = 0; i < r->pool_count && !err; i++) {
        err = share_out(r, &r->pools[i]);
        if (r->pools[i].pairs.n)
            drop_pairs(r, &r->pools[i]);
    }
    return err;
}
