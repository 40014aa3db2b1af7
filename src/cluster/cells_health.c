/* Bad cells: which are shown to VCs, and who is doomed.
 *
 * Where the healthy cells left of a level are fewer than a single VC may still claim, that VC's cells are bound to bad
 * ones, as many as are missing: they are doomed. It is undone when healthy cells are more than its claims.
 *
 * Why this is always possible and leaves no other VC short: buddy allocation keeps `spare` >= 0 at every level. Taking
 * a cell of level l out of a free one of level k costs one of the spare cells at each level above l up to k. Let k be
 * the highest level for which those are all >= 1. What is free from l to k covers the claims of l by itself (nothing
 * may come from above k), so when those exceed the healthy cells, one of the cells in there is bad and can be taken.
 * Dooming a cell of level l leaves the healthy cells of level l and above as many as they were, for all that is above
 * a bad cell is bad; below l they become fewer. So levels are looked at once, from the top; those below a cell that
 * was doomed just now not before somebody asks for room, as the reference does it. */
#include "cluster/cells.h"

static orr_chain *chain_of(orr_cells *cells, const orr_cell *cell)
{
    return &cells->chains.at[cell->chain];
}

static orr_holding *holding_of(orr_cells *cells, int32_t vc, int32_t chain)
{
    return &cells->vcs.at[vc].of[chain];
}

/* ---- shown bad cells --------------------------------------------------------------------------------------------- */

static orr_cell *unbound_of(orr_cell *first, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (!first[i].peer)
            return &first[i];
    return NULL;
}

/* A bad cell below a bound one is bound too, to any child that isn't, so that the VC sees it. */
static void show_bad(orr_cell *p)
{
    if (!p->peer)
        orr_cell_bind(p, unbound_of(p->parent->peer->kids, p->parent->kid_count));
}

static void show_below(orr_cell *p)
{
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad) {
            show_bad(&p->kids[i]);
            show_below(&p->kids[i]);
        }
}

/* ---- doomed cells ------------------------------------------------------------------------------------------------ */

void orr_cells_spare(const orr_chain *c, const orr_cell_list free[ORR_LEVEL_SLOTS],
                     const int32_t claims[ORR_LEVEL_SLOTS], int64_t spare[ORR_LEVEL_SLOTS])
{
    int64_t from_above = 0;
    for (int32_t l = c->levels; l >= 1; l--) {
        spare[l] = (int64_t)free[l].n - claims[l] + from_above;
        from_above = l > 1 && spare[l] > 0 ? spare[l] * c->fan[l] : 0;
    }
}

static int32_t healthy_left(const orr_chain *c, int32_t level)
{
    return c->left[level] - (int32_t)c->bad[level].n;
}

static orr_cell *unbound_root(const orr_holding *h, int32_t level)
{
    for (size_t i = 0; i < h->roots.n; i++)
        if (h->roots.at[i]->level == level && !h->roots.at[i]->peer)
            return h->roots.at[i];
    return NULL;
}

static int32_t free_level(const orr_cell *p)
{
    while (!orr_cell_is_in(p, ORR_IN_FREE))
        p = p->parent;
    return p->level;
}

/* The first bad one of the level that can be taken out and VCs still get all they may claim. */
static orr_cell *bad_to_take(const orr_chain *c, int32_t level)
{
    int64_t spare[ORR_LEVEL_SLOTS];
    orr_cells_spare(c, c->free, c->claims, spare);
    int32_t top = level;
    while (top < c->levels && spare[top + 1] > 0)
        top++;
    for (size_t i = 0; i < c->bad[level].n; i++)
        if (free_level(c->bad[level].at[i]) <= top)
            return c->bad[level].at[i];
    return NULL;
}

static bool doom_one(orr_cells *cells, int32_t vc, int32_t chain, int32_t level)
{
    orr_holding *h = holding_of(cells, vc, chain);
    orr_chain *c = &cells->chains.at[chain];
    orr_cell *v = unbound_root(h, level), *p = v ? bad_to_take(c, level) : NULL;
    if (!p)
        return false;
    orr_cell_bind(p, v);
    orr_cell_list_add(&h->doomed[level], p, ORR_IN_DOOMED);
    c->doomed[level]++;
    uint32_t stirred = c->stirred;
    orr_cell_claim(cells, p, vc);
    c->stirred = stirred;
    show_below(p);
    return true;
}

static void lift_doom(orr_cells *cells, orr_cell *p)
{
    orr_chain *c = chain_of(cells, p);
    int32_t vc = p->peer->vc;
    uint32_t stirred = c->stirred, below = ((uint32_t)1 << p->level) - 1;
    orr_cell_part(p);
    orr_cell_list_remove(&holding_of(cells, vc, p->chain)->doomed[p->level], p, ORR_IN_DOOMED);
    c->doomed[p->level]--;
    orr_cell_unclaim(cells, p, vc);
    c->stirred = stirred | (p->bad ? 0 : c->stirred & ~below);
}

static void settle_level(orr_cells *cells, int32_t chain, int32_t level)
{
    const orr_chain *c = &cells->chains.at[chain];
    for (int32_t vc = 0; (c->bad[level].n || c->doomed[level]) && vc < (int32_t)cells->vcs.n; vc++) {
        const orr_holding *h = holding_of(cells, vc, chain);
        while (h->claims[level] > healthy_left(c, level) && doom_one(cells, vc, chain, level))
            ;
        while (h->doomed[level].n && h->claims[level] < healthy_left(c, level))
            lift_doom(cells, h->doomed[level].at[0]);
    }
}

void orr_cells_settle(orr_cells *cells, bool all)
{
    for (size_t i = 0; i < cells->fresh.n; i++)
        if (cells->fresh.at[i]->peer)
            show_below(cells->fresh.at[i]);
    cells->fresh.n = 0;
    for (int32_t chain = 0; chain < (int32_t)cells->chains.n; chain++) {
        orr_chain *c = &cells->chains.at[chain];
        for (int32_t l = c->levels; l >= 1; l--)
            if (all ? c->stirred || c->put_off : c->stirred >> l & 1)
                settle_level(cells, chain, l);
        c->put_off = !all && (c->stirred || c->put_off);
        c->stirred = 0;
    }
}

/* ---- health ------------------------------------------------------------------------------------------------------ */

/* From above to below, and who is doomed is looked at after each: the lists' orders then are those of the reference. */
static void turn_bad(orr_cells *cells, orr_cell *p)
{
    if (p->bad)
        return;
    if (p->parent)
        turn_bad(cells, p->parent);
    p->bad = true;
    if (orr_cell_is_free(p)) {
        orr_cell_list_add(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
        chain_of(cells, p)->stirred |= (uint32_t)1 << p->level;
        orr_cells_settle(cells, false);
    } else if (!p->peer && !p->split) {
        show_bad(p);
    }
}

static bool has_bad_kid(const orr_cell *p)
{
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad)
            return true;
    return false;
}

/* Bound only because it was bad. */
static void stop_showing(orr_cells *cells, orr_cell *p)
{
    if (p->peer->parent)
        orr_cell_part(p);
    else
        lift_doom(cells, p);
}

static void turn_good(orr_cells *cells, orr_cell *p)
{
    for (; p && p->bad && !has_bad_kid(p); p = p->parent) {
        p->bad = false;
        if (orr_cell_is_free(p)) {
            orr_cell_list_remove(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
            chain_of(cells, p)->stirred |= (uint32_t)1 << p->level;
        } else if (p->peer && !p->pinned && !p->peer->used) {
            stop_showing(cells, p);
        }
        orr_cells_settle(cells, false);
    }
}

void orr_leaf_health(orr_cells *cells, orr_cell *leaf, bool healthy)
{
    if (healthy)
        turn_good(cells, leaf);
    else
        turn_bad(cells, leaf);
}
