/* Jobs that hold more or fewer GPUs from now on, keeping what they can. */
#include "sched/ctx.h"

/* ---- fewer ------------------------------------------------------------------------------------------------------- */

/* The slice of the fewest GPUs, the later one among equals. */
static int32_t thinnest(const orr_alloc *a)
{
    int32_t least = 0;
    for (int32_t i = 1; i < a->count; i++)
        if (orr_bit_count(orr_slices(a)[i].gpus) <= orr_bit_count(orr_slices(a)[least].gpus))
            least = i;
    return least;
}

/* Without so many GPUs of one slice. */
static void copy_less(orr_alloc *to, const orr_alloc *from, int32_t slice, int32_t less)
{
    for (int32_t i = 0; i < from->count; i++) {
        orr_slice s = orr_slices(from)[i];
        const int32_t keep = orr_bit_count(s.gpus) - (i == slice ? less : 0);
        s.gpus = orr_lowest_bits(s.gpus, keep);
        if (keep > 0)
            orr_alloc_append(to, s);
    }
}

static orr_err shrink(orr_plan *plan, orr_job *job, const orr_alloc *held, int32_t gpus)
{
    while (held->gpus > gpus) { /* a slice goes each time but the last */
        orr_alloc *less = orr_plan_alloc(plan);
        const int32_t slice = thinnest(held), has = orr_bit_count(orr_slices(held)[slice].gpus), over = held->gpus - gpus;
        copy_less(less, held, slice, has < over ? has : over);
        held = less;
    }
    return orr_plan_try_assign(plan, job, held);
}

/* ---- more -------------------------------------------------------------------------------------------------------- */

/* Of the nodes it is on that have room left, the fullest; -1: none. */
static int32_t fullest(orr_ctx *ctx, const orr_job *job, const orr_alloc *a, int32_t *room)
{
    int32_t best = -1, least = INT32_MAX;
    for (int32_t i = 0; i < a->count; i++) {
        const int32_t node = orr_slices(a)[i].node, has = orr_node_room(ctx, job, node);
        if (has > 0 && has < least) {
            best = i;
            least = has;
        }
    }
    *room = least;
    return best;
}

static orr_alloc *copy_more(orr_plan *plan, const orr_alloc *from, int32_t slice, uint64_t gpus)
{
    orr_alloc *to = orr_plan_alloc(plan);
    for (int32_t i = 0; i < from->count; i++) {
        orr_slice s = orr_slices(from)[i];
        s.gpus |= i == slice ? gpus : 0;
        orr_alloc_append(to, s);
    }
    return to;
}

/* On the nodes where it is. */
static orr_err grow_at_home(orr_ctx *ctx, orr_plan *plan, orr_job *job, int32_t gpus)
{
    for (;;) {
        int32_t room;
        const orr_alloc *held = orr_plan_held(plan, job);
        const int32_t slice = held->gpus < gpus ? fullest(ctx, job, held, &room) : -1;
        if (slice < 0)
            return ORR_OK;
        const int32_t missing = gpus - held->gpus;
        const uint64_t free = orr_node_free_gpus(ctx, orr_slices(held)[slice].node);
        const uint64_t more = orr_lowest_bits(free, missing < room ? missing : room);
        const orr_err err = orr_plan_try_assign(plan, job, copy_more(plan, held, slice, more));
        if (err)
            return err;
    }
}

static orr_err grow_away(orr_ctx *ctx, orr_plan *plan, orr_job *job, int32_t gpus, orr_scope scope)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    if (held->gpus == gpus)
        return ORR_OK;
    orr_alloc *more = orr_plan_alloc(plan);
    const orr_err err = orr_world_place(ctx->world, ctx, plan, job, gpus - held->gpus, scope, more);
    if (err)
        return err;
    orr_alloc *all = copy_more(plan, held, -1, 0);
    for (int32_t i = 0; i < more->count; i++)
        orr_alloc_append(all, orr_slices(more)[i]);
    return orr_plan_try_assign(plan, job, all);
}

orr_err orr_plan_resize(orr_plan *plan, orr_job *job, int32_t gpus, orr_scope scope)
{
    orr_ctx *ctx = orr_plan_ctx(plan);
    const uint32_t mark = orr_plan_mark(plan);
    const orr_alloc *held = orr_plan_held(plan, job);
    orr_err err = ORR_OK;
    if (!held) {
        orr_alloc *out = orr_plan_alloc(plan);
        err = orr_world_place(ctx->world, ctx, plan, job, gpus, scope, out);
        return err ? err : orr_plan_try_assign(plan, job, out);
    }
    if (gpus < held->gpus)
        return shrink(plan, job, held, gpus);
    err = grow_at_home(ctx, plan, job, gpus);
    if (!err)
        err = grow_away(ctx, plan, job, gpus, scope);
    if (err)
        orr_plan_undo(plan, mark);
    return err;
}
