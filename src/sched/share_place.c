/* Rounds by shares: who was chosen gets GPUs, who keeps its type keeps them. */
#include "sched/share_rounds.h"

#include <stdlib.h>

static orr_share_row *row_a(const orr_share_rounds *r, const orr_share_row *row)
{
    return row->b ? orr_share_row_of(r, row->a) : (orr_share_row *)row;
}

static bool shares_half(const orr_plan *plan, const orr_job *job)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    return held && held->count && orr_slices(held)[0].milli < ORR_WHOLE_GPU;
}

/* ---- who stays --------------------------------------------------------------------------------------------------- */

/* Of two that held the same GPUs and go on alone on this type, one stays. */
static bool may_stay(const orr_share_rounds *r, const orr_share_row *row, int32_t type)
{
    const orr_job *partner = orr_share_partner(row);
    return row->on == type && orr_holds(row->a) && (!partner || !orr_share_row_of(r, partner)->stays);
}

static void keep(const orr_share_rounds *r, const orr_share_pick *pick)
{
    orr_share_row *a = row_a(r, pick->row), *b = pick->row->b ? orr_share_row_of(r, pick->row->b) : NULL;
    if (b && a->run == pick->row && a->on == pick->type && orr_holds(a->a) && orr_holds(b->a)) {
        a->stays = b->stays = true;
    } else if (may_stay(r, a, pick->type)) {
        a->stays = true;
    } else if (b && may_stay(r, b, pick->type)) {
        b->stays = true;
    }
}

/* Under `sim` GPUs of those without shares were reserved, and idle. */
static bool gets_nothing(const orr_share_rounds *r, const orr_share_pick *pick)
{
    return r->rules.sim && !pick->row->allotted;
}

static void leave(orr_share_rounds *r, orr_plan *plan, orr_share_pool *p)
{
    for (size_t i = 0; i < p->jobs.n; i++) {
        orr_share_row *row = p->jobs.at[i];
        if (row->on < 0 || row->stays || !orr_share_takes_part(row) || !orr_plan_held(plan, row->a))
            continue;
        orr_share_part(r, row);
        orr_plan_preempt(plan, row->a);
    }
}

/* ---- who comes --------------------------------------------------------------------------------------------------- */

static orr_err start(orr_share_rounds *r, orr_plan *plan, orr_job *job, const orr_share_pick *pick)
{
    const orr_scope scope = {.vc = pick->row->pool->vc, .types = (uint64_t)1 << pick->type};
    const orr_err err = orr_plan_start_in(plan, job, scope);
    if (err == ORR_E_NOFIT)
        orr_note_decision(r->ctx, job, "the placer finds no room for what its share allows");
    return err;
}

/* A guest that can't join waits. */
static void join(orr_share_rounds *r, orr_plan *plan, orr_share_row *pair, orr_share_row *host, orr_share_row *guest)
{
    if (shares_half(plan, host->a))
        orr_plan_reshare(plan, host->a, ORR_WHOLE_GPU);
    if (orr_plan_join(plan, guest->a, host->a) == ORR_OK)
        host->run = guest->run = pair;
    else
        orr_note_decision(r->ctx, guest->a, "it can't join whom it was to run with");
}

static void give(orr_share_rounds *r, orr_plan *plan, const orr_share_pick *pick)
{
    orr_share_row *a = row_a(r, pick->row), *b = pick->row->b ? orr_share_row_of(r, pick->row->b) : NULL;
    if (b && a->stays && b->stays)
        return;
    orr_share_row *host = b && b->stays ? b : a;
    if (!host->stays && start(r, plan, host->a, pick) != ORR_OK)
        return;
    if (b)
        join(r, plan, pick->row, host, host == a ? b : a);
    else if (host->stays && shares_half(plan, host->a))
        orr_plan_reshare(plan, host->a, ORR_WHOLE_GPU);
}

static int wide_first(const void *a, const void *b)
{
    const orr_share_pick *x = a, *y = b;
    if (x->row->gpus != y->row->gpus)
        return x->row->gpus > y->row->gpus ? -1 : 1;
    return (x->row->order > y->row->order) - (x->row->order < y->row->order);
}

/* Of a round that begins. */
static void count_rounds(const orr_share_rounds *r, const orr_plan *plan)
{
    for (size_t i = 0; i < r->picks.n; i++) {
        const orr_share_pick *pick = &r->picks.at[i];
        orr_share_row *a = row_a(r, pick->row), *b = pick->row->b ? orr_share_row_of(r, pick->row->b) : NULL;
        a->cell[pick->type].rounds += orr_plan_held(plan, a->a) != NULL;
        if (b)
            b->cell[pick->type].rounds += orr_plan_held(plan, b->a) != NULL;
    }
}

static void give_all(orr_share_rounds *r, orr_plan *plan)
{
    if (r->picks.n)
        qsort(r->picks.at, r->picks.n, sizeof *r->picks.at, wide_first);
    for (size_t i = 0; i < r->picks.n; i++) {
        const orr_share_pick *pick = &r->picks.at[i];
        if (gets_nothing(r, pick))
            continue;
        give(r, plan, pick);
        row_a(r, pick->row)->as = pick->as;
        if (pick->row->b)
            orr_share_row_of(r, pick->row->b)->as = pick->as;
    }
}

void orr_share_place(orr_share_rounds *r, orr_plan *plan)
{
    for (int32_t i = 0; i < r->pool_count; i++)
        for (size_t k = 0; k < r->pools[i].jobs.n; k++)
            r->pools[i].jobs.at[k]->stays = false;
    for (size_t i = 0; i < r->picks.n; i++)
        if (!gets_nothing(r, &r->picks.at[i]))
            keep(r, &r->picks.at[i]);
    for (int32_t i = 0; i < r->pool_count; i++)
        leave(r, plan, &r->pools[i]);
    give_all(r, plan);
    count_rounds(r, plan);
    r->passed++;
    r->freed = r->any_fresh = true; /* the placer may have found no room for some */
}

void orr_share_give_idle(orr_share_rounds *r, orr_plan *plan)
{
    if (!r->freed && !r->any_fresh)
        return;
    orr_share_pick_idle(r);
    give_all(r, plan);
    r->freed = r->any_fresh = false;
}
