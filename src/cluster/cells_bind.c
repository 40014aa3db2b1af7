/* Binding virtual cells to physical ones, and the buddy lists that this moves.
 *
 * `left` of a level counts cells that are free or could be split off from a free one, bad ones included; `claims`
 * what VCs may still ask for. Nothing here looks at who is doomed, or shows bad cells to VCs: a gang's GPUs change
 * hands one by one, and half-way the counts mean nothing. `orr_cells_settle` does both when an operation is over. */
#include "cluster/cells.h"

static orr_chain *chain_of(orr_cells *cells, const orr_cell *cell)
{
    return &cells->chains.at[cell->chain];
}

static orr_holding *holding_of(orr_cells *cells, int32_t vc, int32_t chain)
{
    return &cells->vcs.at[vc].of[chain];
}

/* ---- free lists -------------------------------------------------------------------------------------------------- */

/* Takes a cell out, splitting what is around it. Returns the highest level that was split. */
static int32_t leave_free_list(orr_chain *c, orr_cell *p)
{
    for (;; p = p->parent) {
        bool split = p->parent && !p->parent->split;
        if (split) {
            for (int32_t i = 0; i < p->parent->kid_count; i++)
                orr_cell_list_add(&c->free[p->level], &p->parent->kids[i], ORR_IN_FREE);
            p->parent->split = true;
        }
        orr_cell_list_remove(&c->free[p->level], p, ORR_IN_FREE);
        if (!split)
            return p->level;
    }
}

static bool buddies_free(const orr_cell *p)
{
    for (int32_t i = 0; i < p->parent->kid_count; i++)
        if (&p->parent->kids[i] != p && !orr_cell_is_in(&p->parent->kids[i], ORR_IN_FREE))
            return false;
    return true;
}

/* Puts a cell back, merging it with its buddies as long as all are free. Returns the level it got to. */
static int32_t join_free_list(orr_chain *c, orr_cell *p)
{
    for (; p->parent && buddies_free(p); p = p->parent) {
        for (int32_t i = 0; i < p->parent->kid_count; i++)
            orr_cell_list_remove(&c->free[p->level], &p->parent->kids[i], ORR_IN_FREE);
        p->parent->split = false;
    }
    orr_cell_list_add(&c->free[p->level], p, ORR_IN_FREE);
    return p->level;
}

bool orr_cell_is_free(const orr_cell *p)
{
    for (;; p = p->parent) {
        if (p->peer || p->split)
            return false;
        if (!p->parent || p->parent->split)
            return true;
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void pair(orr_cell *p, orr_cell *v)
{
    p->peer = v;
    v->peer = p;
}

void orr_cell_part(orr_cell *p)
{
    p->peer->peer = NULL;
    p->peer = NULL;
}

void orr_cell_bind(orr_cell *p, orr_cell *v)
{
    for (; v && !v->peer; v = v->parent, p = p->parent)
        pair(p, v);
}

/* Upward, as long as no other child is bound. */
static void unbind(orr_cell *p)
{
    for (orr_cell *v = p->peer; v && !v->peer->pinned; v = v->parent) {
        orr_cell_part(v->peer);
        for (int32_t i = 0; v->parent && i < v->parent->kid_count; i++)
            if (v->parent->kids[i].peer)
                return;
    }
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/* It and what is bad below it: out of the lists of bad cells that are free. */
static void claim_bad(orr_cells *cells, orr_cell *p)
{
    orr_cell_list_remove(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad)
            claim_bad(cells, &p->kids[i]);
}

/* Back into them; what was bound to be shown is no longer. */
static void unclaim_bad(orr_cells *cells, orr_cell *p)
{
    orr_cell_list_add(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
    if (p->peer)
        orr_cell_part(p);
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad)
            unclaim_bad(cells, &p->kids[i]);
}

/* Of the cell's level and of those below it, sign * all that it has. */
static void count_claim(orr_cells *cells, const orr_cell *p, int32_t vc, int32_t sign)
{
    orr_chain *c = chain_of(cells, p);
    holding_of(cells, vc, p->chain)->claims[p->level] += sign;
    c->claims[p->level] += sign;
    for (int32_t l = p->level; l >= 1; l--)
        c->left[l] += sign * (c->gpus[p->level] / c->gpus[l]);
}

static void stir(orr_chain *c, int32_t up_to)
{
    c->stirred |= ((uint32_t)2 << up_to) - 1;
}

/* Above the cell one fewer is left of each level that was split. */
void orr_cell_claim(orr_cells *cells, orr_cell *p, int32_t vc)
{
    orr_chain *c = chain_of(cells, p);
    count_claim(cells, p, vc, -1);
    int32_t split = leave_free_list(c, p);
    orr_cell *above = p->parent;
    for (int32_t l = p->level + 1; l <= split; l++, above = above->parent) {
        c->left[l]--;
        orr_cell_list_remove(&c->bad[l], above, ORR_IN_BAD);
    }
    if (p->bad)
        claim_bad(cells, p);
    stir(c, split);
}

void orr_cell_unclaim(orr_cells *cells, orr_cell *p, int32_t vc)
{
    orr_chain *c = chain_of(cells, p);
    count_claim(cells, p, vc, 1);
    int32_t merged = join_free_list(c, p);
    orr_cell *above = p->parent;
    for (int32_t l = p->level + 1; l <= merged; l++, above = above->parent) {
        c->left[l]++;
        if (above->bad)
            orr_cell_list_add(&c->bad[l], above, ORR_IN_BAD);
    }
    if (p->bad)
        unclaim_bad(cells, p);
    stir(c, merged);
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

static void count_use(orr_cell *cell, int32_t priority, int32_t sign)
{
    for (; cell; cell = cell->parent) {
        cell->used += sign;
        cell->low += priority == ORR_OPPORTUNISTIC ? sign : 0;
    }
}

/* A doomed cell may have healthy parts: once they are used it is bound like any other. */
static void keep_doomed(orr_cells *cells, orr_cell *p, int32_t vc)
{
    if (!orr_cell_is_in(p, ORR_IN_DOOMED))
        return;
    orr_cell_list_remove(&holding_of(cells, vc, p->chain)->doomed[p->level], p, ORR_IN_DOOMED);
    chain_of(cells, p)->doomed[p->level]--;
}

void orr_leaf_allocate(orr_cells *cells, orr_cell *p, orr_cell *v, int32_t priority)
{
    if (!v)
        priority = ORR_OPPORTUNISTIC;
    p->priority = priority;
    count_use(p, priority, 1);
    if (!v)
        return;
    v->priority = priority;
    count_use(v, priority, 1);
    bool fresh = !v->root->peer;
    if (!p->peer) /* a bad one may be bound already */
        orr_cell_bind(p, v);
    if (fresh) {
        orr_cell_claim(cells, v->root->peer, v->vc);
        ORR_VEC_PUSH(&cells->fresh, v->root->peer);
    } else {
        keep_doomed(cells, v->root->peer, v->vc);
    }
}

void orr_leaf_release(orr_cells *cells, orr_cell *p)
{
    orr_cell *v = p->peer;
    count_use(p, p->priority, -1);
    p->priority = ORR_FREE_PRIORITY;
    if (!v || !v->used) /* a bad one, bound for show, under an opportunistic gang */
        return;
    count_use(v, v->priority, -1);
    v->priority = ORR_FREE_PRIORITY;
    orr_cell *root = v->root, *whole = root->peer;
    if (!p->bad) /* a bad one stays bound: the VC shall see it */
        unbind(p);
    if (!whole->pinned && !root->used && !orr_cell_is_in(whole, ORR_IN_DOOMED))
        orr_cell_unclaim(cells, whole, v->vc);
}
