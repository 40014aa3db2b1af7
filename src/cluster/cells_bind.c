/* Binding virtual cells to physical ones, the buddy lists that this moves, and health.
 *
 * `left` of a level counts cells that are free or could be split off from a free one, bad ones included; `claims`
 * what VCs may still ask for. Buddy allocation keeps left >= claims at every level. Where left minus the bad ones
 * falls below the claims of a single VC, that VC's cells are bound to bad ones, as many as are missing: they are
 * doomed. */
#include "cluster/cells.h"

static void claim(orr_cells *cells, orr_cell *p, int32_t vc, bool doomed);
static void unclaim(orr_cells *cells, orr_cell *p, int32_t vc, bool doomed);

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

/* In a free list, or below one that is. */
static bool in_free_tree(const orr_cell *p)
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

static void part(orr_cell *p)
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
        part(v->peer);
        for (int32_t i = 0; v->parent && i < v->parent->kid_count; i++)
            if (v->parent->kids[i].peer)
                return;
    }
}

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
    orr_cell *above = p->parent ? p->parent->peer : NULL;
    orr_cell *v = above ? unbound_of(above->kids, above->kid_count) : NULL;
    if (v)
        pair(p, v);
}

/* ---- doomed cells ------------------------------------------------------------------------------------------------ */

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

/* Where healthy cells no longer suffice for a VC's claims. */
static void doom(orr_cells *cells, int32_t chain, int32_t level)
{
    orr_chain *c = &cells->chains.at[chain];
    for (int32_t vc = 0; c->bad[level].n && vc < (int32_t)cells->vcs.n; vc++) {
        orr_holding *h = holding_of(cells, vc, chain);
        while (c->bad[level].n && h->claims[level] > healthy_left(c, level)) {
            orr_cell *p = c->bad[level].at[0], *v = unbound_root(h, level);
            if (!v)
                break;
            pair(p, v);
            orr_cell_list_add(&h->doomed[level], p, ORR_IN_DOOMED);
            c->doomed[level]++;
            claim(cells, p, vc, true);
        }
    }
}

static void lift_doom(orr_cells *cells, orr_cell *p, int32_t vc)
{
    orr_cell_list_remove(&holding_of(cells, vc, p->chain)->doomed[p->level], p, ORR_IN_DOOMED);
    chain_of(cells, p)->doomed[p->level]--;
    unclaim(cells, p, vc, true);
}

/* Where they suffice again. */
static void undoom(orr_cells *cells, int32_t chain, int32_t level)
{
    orr_chain *c = &cells->chains.at[chain];
    for (int32_t vc = 0; c->doomed[level] && vc < (int32_t)cells->vcs.n; vc++) {
        orr_holding *h = holding_of(cells, vc, chain);
        while (h->doomed[level].n && h->claims[level] < healthy_left(c, level)) {
            orr_cell *p = h->doomed[level].at[0];
            part(p);
            lift_doom(cells, p, vc);
        }
    }
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static void claim_bad(orr_cells *cells, orr_cell *p)
{
    orr_cell_list_remove(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
    if (!p->peer)
        show_bad(p);
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad)
            claim_bad(cells, &p->kids[i]);
}

static void unclaim_bad(orr_cells *cells, orr_cell *p)
{
    orr_cell_list_add(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
    if (p->peer)
        part(p);
    for (int32_t i = 0; i < p->kid_count; i++)
        if (p->kids[i].bad)
            unclaim_bad(cells, &p->kids[i]);
}

static void count_claim(orr_cells *cells, const orr_cell *p, int32_t vc, int32_t sign)
{
    orr_chain *c = chain_of(cells, p);
    holding_of(cells, vc, p->chain)->claims[p->level] += sign;
    c->claims[p->level] += sign;
    c->left[p->level] += sign;
}

/* Above the cell one fewer is left of each level that was split, below it all of its own. Who is doomed is looked at
 * anew where healthy cells became fewer, or the claims did; for a doomed cell nothing changes at its level and below. */
static void claim(orr_cells *cells, orr_cell *p, int32_t vc, bool doomed)
{
    orr_chain *c = chain_of(cells, p);
    count_claim(cells, p, vc, -1);
    int32_t split = leave_free_list(c, p);
    orr_cell *above = p->parent;
    for (int32_t l = p->level + 1; l <= split; l++, above = above->parent) {
        c->left[l]--;
        if (above->bad)
            orr_cell_list_remove(&c->bad[l], above, ORR_IN_BAD);
        else
            doom(cells, p->chain, l);
    }
    if (p->bad)
        claim_bad(cells, p);
    if (!p->bad)
        doom(cells, p->chain, p->level);
    else if (!doomed)
        undoom(cells, p->chain, p->level);
    for (int32_t l = p->level - 1; l >= 1; l--) {
        c->left[l] -= c->gpus[p->level] / c->gpus[l];
        if (!doomed)
            doom(cells, p->chain, l);
    }
}

static void unclaim(orr_cells *cells, orr_cell *p, int32_t vc, bool doomed)
{
    orr_chain *c = chain_of(cells, p);
    count_claim(cells, p, vc, 1);
    int32_t merged = join_free_list(c, p);
    orr_cell *above = p->parent;
    for (int32_t l = p->level + 1; l <= merged; l++, above = above->parent) {
        c->left[l]++;
        if (above->bad)
            orr_cell_list_add(&c->bad[l], above, ORR_IN_BAD);
        else
            undoom(cells, p->chain, l);
    }
    if (p->bad)
        unclaim_bad(cells, p);
    if (!p->bad)
        undoom(cells, p->chain, p->level);
    else if (!doomed)
        doom(cells, p->chain, p->level);
    for (int32_t l = p->level - 1; l >= 1; l--) {
        c->left[l] += c->gpus[p->level] / c->gpus[l];
        if (!doomed)
            undoom(cells, p->chain, l);
    }
}

void orr_cell_claim(orr_cells *cells, orr_cell *p, int32_t vc)
{
    claim(cells, p, vc, false);
}

void orr_cell_unclaim(orr_cells *cells, orr_cell *p, int32_t vc)
{
    unclaim(cells, p, vc, false);
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
    if (fresh)
        orr_cell_claim(cells, v->root->peer, v->vc);
    else
        keep_doomed(cells, v->root->peer, v->vc);
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

/* ---- health ------------------------------------------------------------------------------------------------------ */

static void turn_bad(orr_cells *cells, orr_cell *p)
{
    if (p->bad)
        return;
    p->bad = true;
    if (p->parent)
        turn_bad(cells, p->parent);
    if (in_free_tree(p)) {
        orr_cell_list_add(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
        doom(cells, p->chain, p->level);
    } else if (!p->peer && !p->split) {
        show_bad(p);
    }
}

/* Bound only because it was bad. */
static void stop_showing(orr_cells *cells, orr_cell *p)
{
    orr_cell *v = p->peer;
    part(p);
    if (!v->parent)
        lift_doom(cells, p, v->vc);
}

static void turn_good(orr_cells *cells, orr_cell *p)
{
    for (; p && p->bad; p = p->parent) {
        for (int32_t i = 0; i < p->kid_count; i++)
            if (p->kids[i].bad)
                return;
        p->bad = false;
        if (in_free_tree(p)) {
            orr_cell_list_remove(&chain_of(cells, p)->bad[p->level], p, ORR_IN_BAD);
            undoom(cells, p->chain, p->level);
        } else if (p->peer && !p->pinned && !p->peer->used) {
            stop_showing(cells, p);
        }
    }
}

void orr_leaf_health(orr_cells *cells, orr_cell *leaf, bool healthy)
{
    if (healthy)
        turn_good(cells, leaf);
    else
        turn_bad(cells, leaf);
}
