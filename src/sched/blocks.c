/* Buddy blocks, the widest first: then what is free always consists of blocks of the present width, and a block is
 * found as long as GPUs are left. First only those that change are placed, around the others. If a job had to be split,
 * all that may move are placed anew, each by preference where it is, and that is taken if fewer are split. */
#include <orrery/blocks.h>

#include "base/mem.h"
#include "sched/ctx.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTHS = 7 }; /* 1, 2, 4, … 64: what a mask has room for */

typedef struct part {
    int32_t node;
    uint64_t gpus;
} part;

typedef struct client {
    const orr_block_ask *ask;
    ORR_VEC(part) home, got; /* what it held; what it gets */
    int32_t wants[WIDTHS];   /* blocks, by width */
    bool moves;              /* it is to be placed */
} client;

typedef struct layout {
    orr_ctx *ctx;
    orr_plan *plan;
    ORR_VEC(int32_t) nodes; /* of the scope */
    uint64_t *free, *kept;  /* by node; kept: of those that would like to stay and weren't asked yet */
    client *clients;
    size_t n;
    int32_t widest, splits;
} layout;

static uint64_t block_at(int32_t width, int32_t at)
{
    return (width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1) << at;
}

/* ---- finding a block --------------------------------------------------------------------------------------------- */

typedef struct found {
    int32_t node, home, others, around; /* around: width of the free block that it is part of */
    uint64_t gpus;
} found;

static bool is_better(const found *a, const found *b)
{
    if (b->node < 0 || a->home != b->home)
        return b->node < 0 || a->home > b->home;
    if (a->others != b->others)
        return a->others < b->others;
    return a->around < b->around;
}

static uint64_t home_on(const client *c, int32_t node)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < c->home.n; i++)
        gpus |= c->home.at[i].node == node ? c->home.at[i].gpus : 0;
    return gpus;
}

static int32_t width_around(uint64_t free, int32_t width, int32_t at)
{
    while (width < 64) {
        const int32_t twice = 2 * width;
        const uint64_t block = block_at(twice, at / twice * twice);
        if ((free & block) != block)
            break;
        width = twice;
    }
    return width;
}

static void look_on(const layout *l, const client *c, int32_t node, int32_t width, found *best)
{
    const uint64_t free = l->free[node], home = home_on(c, node);
    for (int32_t at = 0; at < 64 && free >> at; at += width) {
        const uint64_t block = block_at(width, at);
        if ((free & block) != block)
            continue;
        const found f = {.node = node,
                         .gpus = block,
                         .home = orr_bit_count(home & block),
                         .others = orr_bit_count(l->kept[node] & ~home & block),
                         .around = width_around(free, width, at)};
        if (is_better(&f, best))
            *best = f;
    }
}

static bool may_use(const layout *l, const client *c, int32_t node, int32_t width)
{
    return orr_bit_count(l->free[node]) >= width && orr_node_suits(l->ctx, c->ask->job, node);
}

/* At home if that is as good as anywhere: then the other nodes needn't be looked at. */
static found find(const layout *l, const client *c, int32_t width)
{
    found best = {.node = -1};
    for (size_t i = 0; i < c->home.n; i++)
        if (may_use(l, c, c->home.at[i].node, width))
            look_on(l, c, c->home.at[i].node, width, &best);
    if (best.home > 0 && (best.home == width || best.others == 0))
        return best;
    for (size_t i = 0; i < l->nodes.n; i++)
        if (may_use(l, c, l->nodes.at[i], width))
            look_on(l, c, l->nodes.at[i], width, &best);
    return best;
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

static void get(layout *l, client *c, const found *f)
{
    l->free[f->node] &= ~f->gpus;
    for (size_t i = 0; i < c->got.n; i++)
        if (c->got.at[i].node == f->node) {
            c->got.at[i].gpus |= f->gpus;
            return;
        }
    ORR_VEC_PUSH(&c->got, ((part){f->node, f->gpus}));
}

static void leave_home(layout *l, const client *c)
{
    for (size_t i = 0; i < c->home.n; i++)
        l->kept[c->home.at[i].node] &= ~c->home.at[i].gpus;
}

static void place_width(layout *l, client *c, int32_t w)
{
    for (; c->wants[w] > 0; c->wants[w]--) {
        const found f = find(l, c, 1 << w);
        if (f.node >= 0) {
            get(l, c, &f);
        } else if (w > 0) {
            c->wants[w - 1] += 2;
            l->splits++;
        }
    }
}

static void ask_blocks(const layout *l, client *c)
{
    int32_t left = c->ask->gpus;
    for (int32_t w = WIDTHS - 1; w >= 0; w--) {
        c->wants[w] = 1 << w > l->widest ? 0 : left >> w;
        left -= c->wants[w] << w;
    }
    c->got.n = 0;
}

static void place_all(layout *l)
{
    l->splits = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->clients[i].moves)
            ask_blocks(l, &l->clients[i]);
    for (int32_t w = WIDTHS - 1; w >= 0; w--)
        for (size_t i = 0; i < l->n; i++) {
            client *c = &l->clients[i];
            if (!c->moves || !c->wants[w])
                continue;
            place_width(l, c, w);
            if (w == 0 || c->wants[w - 1] == 0)
                leave_home(l, c);
        }
}

/* ---- who is where ------------------------------------------------------------------------------------------------ */

static bool may_leave(const client *c)
{
    return c->home.n == 0 || orr_job_preemptible(c->ask->job);
}

static void remember_home(layout *l, client *c)
{
    const orr_alloc *held = orr_plan_held(l->plan, c->ask->job);
    for (int32_t i = 0; held && i < orr_alloc_nodes(held); i++)
        ORR_VEC_PUSH(&c->home, ((part){orr_alloc_slices(held)[i].node, orr_alloc_slices(held)[i].gpus}));
    c->moves = c->ask->gpus != (held ? orr_alloc_gpus(held) : 0) && may_leave(c);
}

/* Those that move give back what they hold, in the plan. */
static void clear(layout *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->clients[i].moves && orr_plan_held(l->plan, l->clients[i].ask->job))
            orr_plan_preempt(l->plan, l->clients[i].ask->job);
    for (size_t i = 0; i < l->nodes.n; i++) {
        l->free[l->nodes.at[i]] = orr_node_free_gpus(l->ctx, l->nodes.at[i]);
        l->kept[l->nodes.at[i]] = 0;
    }
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; l->clients[i].moves && k < l->clients[i].home.n; k++)
            l->kept[l->clients[i].home.at[k].node] |= l->clients[i].home.at[k].gpus;
}

static void place_who_changes(layout *l)
{
    for (size_t i = 0; i < l->n; i++) {
        client *c = &l->clients[i];
        int32_t held = 0;
        for (size_t k = 0; k < c->home.n; k++)
            held += orr_bit_count(c->home.at[k].gpus);
        c->moves = c->ask->gpus != held && may_leave(c);
    }
    clear(l);
    place_all(l);
}

static void place(layout *l)
{
    const uint32_t mark = orr_plan_mark(l->plan);
    place_who_changes(l);
    const int32_t splits = l->splits;
    if (!splits)
        return;
    for (size_t i = 0; i < l->n; i++) {
        client *c = &l->clients[i];
        c->moves |= !c->ask->fixed && c->ask->gpus > 0 && may_leave(c);
    }
    clear(l);
    place_all(l);
    if (l->splits < splits)
        return;
    orr_plan_undo(l->plan, mark);
    place_who_changes(l);
}

/* ---- staging ----------------------------------------------------------------------------------------------------- */

static bool stage(layout *l, const client *c)
{
    orr_alloc *out = orr_plan_alloc(l->plan);
    for (size_t i = 0; i < c->got.n; i++)
        if (orr_alloc_add(out, c->got.at[i].node, c->got.at[i].gpus))
            return false;
    return orr_alloc_gpus(out) == c->ask->gpus && orr_plan_try_assign(l->plan, c->ask->job, out) == ORR_OK;
}

static bool back_home(layout *l, const client *c)
{
    orr_alloc *out = orr_plan_alloc(l->plan);
    for (size_t i = 0; i < c->home.n; i++)
        if (orr_alloc_add(out, c->home.at[i].node, c->home.at[i].gpus))
            return false;
    return c->home.n > 0 && orr_plan_try_assign(l->plan, c->ask->job, out) == ORR_OK;
}

/* Blocks know nothing of cores and memory: who finds none there takes what it held, or what the placer finds. */
static void stage_all(layout *l, orr_scope scope)
{
    for (size_t i = 0; i < l->n; i++) {
        client *c = &l->clients[i];
        c->moves = c->moves && c->ask->gpus > 0 && !stage(l, c);
    }
    for (size_t i = 0; i < l->n; i++) {
        const client *c = &l->clients[i];
        if (c->moves && orr_plan_resize(l->plan, c->ask->job, c->ask->gpus, scope) != ORR_OK)
            back_home(l, c);
    }
}

static bool find_nodes(layout *l, orr_scope scope)
{
    const int32_t all = orr_cluster_nodes(l->ctx);
    int32_t widest = orr_scope_widest(l->ctx, scope);
    for (int32_t node = 0; node < all; node++)
        if (scope.vc < 0 || orr_vcs_are_tenants(l->ctx) || orr_node_vc(l->ctx, node) == scope.vc)
            ORR_VEC_PUSH(&l->nodes, node);
    l->free = orr_xcalloc((size_t)all + 1, sizeof *l->free);
    l->kept = orr_xcalloc((size_t)all + 1, sizeof *l->kept);
    for (l->widest = 1; 2 * l->widest <= widest; l->widest *= 2)
        continue;
    return widest > 0;
}

static void fini(layout *l)
{
    for (size_t i = 0; i < l->n; i++) {
        ORR_VEC_FREE(&l->clients[i].home);
        ORR_VEC_FREE(&l->clients[i].got);
    }
    ORR_VEC_FREE(&l->nodes);
    free(l->clients);
    free(l->free);
    free(l->kept);
}

orr_err orr_plan_blocks(orr_plan *plan, orr_scope scope, const orr_block_ask *asks, size_t n)
{
    layout l = {.ctx = orr_plan_ctx(plan), .plan = plan, .n = n, .clients = orr_xcalloc(n + 1, sizeof *l.clients)};
    bool changes = false;
    for (size_t i = 0; i < n; i++) {
        l.clients[i].ask = &asks[i];
        remember_home(&l, &l.clients[i]);
        changes |= l.clients[i].moves;
    }
    if (changes && find_nodes(&l, scope)) {
        place(&l);
        stage_all(&l, scope);
    }
    fini(&l);
    return orr_plan_broken(plan) ? ORR_E_PLAN_STATE : ORR_OK;
}

/* ---- without blocks ---------------------------------------------------------------------------------------------- */

void orr_plan_counts(orr_plan *plan, orr_scope scope, const orr_block_ask *asks, size_t n)
{
    for (int more = 0; more < 2; more++)
        for (size_t i = 0; i < n; i++) {
            const orr_alloc *held = orr_plan_held(plan, asks[i].job);
            const int32_t has = held ? orr_alloc_gpus(held) : 0;
            if (asks[i].gpus == has || (asks[i].gpus > has) != more)
                continue;
            if (asks[i].gpus == 0)
                orr_plan_preempt(plan, asks[i].job);
            else
                orr_plan_resize(plan, asks[i].job, asks[i].gpus, scope);
        }
}

static void add_size(orr_ctx *ctx, const orr_job *job, int32_t gpus, orr_sizes *s)
{
    const double speed = orr_job_scaling(ctx, job, gpus, 0, -1);
    if (s->count == ORR_SIZES || !(speed > (s->count ? s->speed[s->count - 1] : 0)))
        return; /* more GPUs without more speed serve nobody */
    s->gpus[s->count] = gpus;
    s->speed[s->count++] = speed;
}

void orr_job_sizes(orr_ctx *ctx, const orr_job *job, orr_sizes *out)
{
    const int32_t least = orr_job_min_gpus(job), most = orr_job_max_gpus(job);
    out->count = 0;
    if (orr_job_gpu_milli(job) == 1000 && least > 0)
        for (int64_t gpus = 1; gpus <= most; gpus *= 2)
            if (gpus >= least)
                add_size(ctx, job, (int32_t)gpus, out);
    if (out->count == 0)
        *out = (orr_sizes){.count = 1, .gpus = {least}, .speed = {1}};
    if (least == most || out->gpus[0] == 0)
        out->speed[0] = 1;
}
