/* Cells: building the trees, and what can be seen of them. */
#include "cluster/cells.h"

#include <limits.h>

/* ---- lists ------------------------------------------------------------------------------------------------------- */

void orr_cell_list_add(orr_cell_list *list, orr_cell *cell, orr_cell_in which)
{
    ORR_VEC_PUSH(list, cell);
    cell->place[which] = (uint32_t)list->n;
}

void orr_cell_list_remove(orr_cell_list *list, orr_cell *cell, orr_cell_in which)
{
    uint32_t place = cell->place[which];
    if (!place)
        return;
    orr_cell *last = list->at[--list->n];
    list->at[place - 1] = last;
    last->place[which] = place;
    cell->place[which] = 0;
}

/* ---- what they are made of --------------------------------------------------------------------------------------- */

orr_cells *orr_cells_create(void)
{
    return orr_xcalloc(1, sizeof(orr_cells));
}

static void free_chain(orr_chain *c)
{
    for (int l = 0; l < ORR_LEVEL_SLOTS; l++) {
        ORR_VEC_FREE(&c->free[l]);
        ORR_VEC_FREE(&c->bad[l]);
    }
    ORR_VEC_FREE(&c->tops);
    ORR_VEC_FREE(&c->view);
}

static void free_vc(orr_cell_vc *vc, size_t chains)
{
    for (size_t c = 0; vc->of && c < chains; c++) {
        ORR_VEC_FREE(&vc->of[c].roots);
        ORR_VEC_FREE(&vc->of[c].view);
        for (int l = 0; l < ORR_LEVEL_SLOTS; l++)
            ORR_VEC_FREE(&vc->of[c].doomed[l]);
    }
    for (size_t i = 0; i < vc->pins.n; i++)
        ORR_VEC_FREE(&vc->pins.at[i].view);
    ORR_VEC_FREE(&vc->pins);
    free(vc->of);
}

void orr_cells_destroy(orr_cells *cells)
{
    if (!cells)
        return;
    while (cells->gangs.n)
        orr_gang_destroy(cells->gangs.at[cells->gangs.n - 1]);
    ORR_VEC_FREE(&cells->gangs);
    for (size_t i = 0; i < cells->vcs.n; i++)
        free_vc(&cells->vcs.at[i], cells->chains.n);
    for (size_t i = 0; i < cells->chains.n; i++)
        free_chain(&cells->chains.at[i]);
    ORR_VEC_FREE(&cells->vcs);
    ORR_VEC_FREE(&cells->chains);
    ORR_VEC_FREE(&cells->rows);
    ORR_VEC_FREE(&cells->fresh);
    free(cells->leaves);
    free(cells->down);
    orr_arena_fini(&cells->arena);
    free(cells);
}

static const char *keep(orr_cells *cells, const char *text)
{
    return orr_arena_strdup(&cells->arena, text, strlen(text));
}

/* GPUs of each level, and which level is the node's. */
static orr_err measure(orr_chain *c, const orr_cell_level *levels, int32_t n, orr_error *e)
{
    c->levels = n + 1;
    c->gpus[1] = 1;
    for (int32_t i = 0; i < n; i++) {
        if (levels[i].children < 1 || levels[i].children > INT_MAX / c->gpus[i + 1])
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: a cell '%s.%s' can't have %d children", c->name,
                                 levels[i].name, levels[i].children);
        c->fan[i + 2] = levels[i].children;
        c->gpus[i + 2] = c->gpus[i + 1] * levels[i].children;
        if (levels[i].node && c->node_level)
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: '%s' has two levels of nodes", c->name);
        if (levels[i].node)
            c->node_level = i + 2;
    }
    if (c->node_level)
        return ORR_OK;
    return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: '%s' has no level of nodes", c->name);
}

orr_err orr_cells_add_chain(orr_cells *cells, const char *name, const char *gpu_type, const orr_cell_level *levels,
                            int32_t level_count, int32_t *chain, orr_error *e)
{
    if (level_count < 1 || level_count > ORR_MAX_LEVELS)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: '%s' has %d levels, not 1 to %d", name, level_count,
                             ORR_MAX_LEVELS);
    if (cells->chains.n == ORR_MAX_CHAINS)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: more than %d chains", ORR_MAX_CHAINS);
    orr_chain c = {.name = keep(cells, name), .type = keep(cells, gpu_type)};
    orr_err err = measure(&c, levels, level_count, e);
    if (err)
        return err;
    *chain = (int32_t)cells->chains.n;
    ORR_VEC_PUSH(&cells->chains, c);
    return ORR_OK;
}

void orr_cells_add_top(orr_cells *cells, int32_t chain, const orr_leaf *leaves)
{
    orr_chain *c = &cells->chains.at[chain];
    for (int32_t i = 0; i < c->gpus[c->levels]; i++) {
        ORR_VEC_PUSH(&c->tops, leaves[i]);
        if (leaves[i].node >= cells->nodes)
            cells->nodes = leaves[i].node + 1;
    }
}

int32_t orr_cells_add_vc(orr_cells *cells, const char *name)
{
    orr_cell_vc vc = {.name = keep(cells, name)};
    ORR_VEC_PUSH(&cells->vcs, vc);
    return (int32_t)cells->vcs.n - 1;
}

void orr_cells_add_quota(orr_cells *cells, int32_t vc, int32_t chain, int32_t level, int32_t count)
{
    ORR_VEC_PUSH(&cells->rows, ((orr_cell_row){vc, chain, level, count}));
}

void orr_cells_add_pin(orr_cells *cells, int32_t vc, int32_t chain, int32_t level, orr_leaf leaf, const char *name)
{
    orr_pin pin = {.name = keep(cells, name), .chain = chain, .level = level, .leaf = leaf};
    ORR_VEC_PUSH(&cells->vcs.at[vc].pins, pin);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* Arrays for `tops` cells of level `top` and all below them. at[l] gets the array of level l. */
static void grow_trees(orr_cells *cells, const orr_chain *c, int32_t chain, int32_t vc, int32_t top, int32_t tops,
                       orr_cell *at[ORR_LEVEL_SLOTS])
{
    for (int32_t l = 1; l <= top; l++) {
        size_t n = (size_t)tops * (size_t)(c->gpus[top] / c->gpus[l]);
        at[l] = orr_arena_alloc(&cells->arena, (n + 1) * sizeof **at);
        for (size_t i = 0; i < n; i++) {
            orr_cell *cell = &at[l][i];
            *cell = (orr_cell){.chain = chain, .vc = vc, .level = l, .gpus = c->gpus[l], .priority = ORR_FREE_PRIORITY};
            cell->leaves = &at[1][i * (size_t)c->gpus[l]];
            if (l == 1)
                continue;
            cell->kid_count = c->fan[l];
            cell->kids = &at[l - 1][i * (size_t)c->fan[l]];
            for (int32_t k = 0; k < c->fan[l]; k++)
                cell->kids[k].parent = cell;
        }
    }
}

static void add_spots(orr_view *view, orr_cell *cells, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        ORR_VEC_PUSH(view, ((orr_spot){.cell = &cells[i]}));
}

static void build_physical(orr_cells *cells, orr_chain *c)
{
    int32_t tops = (int32_t)c->tops.n / c->gpus[c->levels];
    grow_trees(cells, c, (int32_t)(c - cells->chains.at), -1, c->levels, tops, c->cells);
    for (int32_t l = c->levels; l >= 1; l--) {
        c->count[l] = c->left[l] = tops * (c->gpus[c->levels] / c->gpus[l]);
        for (int32_t i = 0; i < c->count[l]; i++) {
            c->cells[l][i].node = c->tops.at[(size_t)i * (size_t)c->gpus[l]].node;
            c->cells[l][i].gpu = c->tops.at[(size_t)i * (size_t)c->gpus[l]].gpu;
        }
    }
    for (int32_t i = 0; i < tops; i++)
        orr_cell_list_add(&c->free[c->levels], &c->cells[c->levels][i], ORR_IN_FREE);
    add_spots(&c->view, c->cells[c->node_level], c->count[c->node_level]);
}

/* The leaves of each node, for health and for looking one up. */
static void index_leaves(orr_cells *cells)
{
    size_t total = 0, *counts = orr_xcalloc((size_t)cells->nodes + 1, sizeof *counts);
    for (size_t k = 0; k < cells->chains.n; k++)
        for (int32_t i = 0; i < cells->chains.at[k].count[1]; i++, total++)
            counts[cells->chains.at[k].cells[1][i].node]++;
    orr_cell **next = orr_arena_alloc(&cells->arena, (total + (size_t)cells->nodes + 1) * sizeof *next);
    cells->leaves = orr_xcalloc((size_t)cells->nodes + 1, sizeof *cells->leaves);
    cells->down = orr_xcalloc((size_t)cells->nodes + 1, sizeof *cells->down);
    for (int32_t n = 0; n < cells->nodes; n++) {
        cells->leaves[n] = next;
        next += counts[n] + 1;
        counts[n] = 0;
    }
    for (size_t k = 0; k < cells->chains.n; k++)
        for (int32_t i = 0; i < cells->chains.at[k].count[1]; i++) {
            orr_cell *leaf = &cells->chains.at[k].cells[1][i];
            cells->leaves[leaf->node][counts[leaf->node]++] = leaf;
        }
    free(counts);
}

static orr_cell *build_root(orr_cells *cells, int32_t vc, int32_t chain, int32_t level, orr_cell *at[ORR_LEVEL_SLOTS])
{
    const orr_chain *c = &cells->chains.at[chain];
    grow_trees(cells, c, chain, vc, level, 1, at);
    for (int32_t l = 1; l <= level; l++)
        for (int32_t i = 0; i < c->gpus[level] / c->gpus[l]; i++)
            at[l][i].root = at[level];
    cells->chains.at[chain].claims[level]++;
    cells->vcs.at[vc].of[chain].claims[level]++;
    return at[level];
}

/* The nodes of a preassigned cell as spots, or the cell itself where it is smaller. */
static void add_root_spots(orr_view *view, const orr_chain *c, orr_cell *root)
{
    int32_t n = 1;
    while (root->level > c->node_level) { /* down the first children: all of a level are contiguous */
        n *= root->kid_count;
        root = root->kids;
    }
    add_spots(view, root, n);
}

static void build_quotas(orr_cells *cells)
{
    orr_cell *at[ORR_LEVEL_SLOTS];
    for (size_t v = 0; v < cells->vcs.n; v++)
        cells->vcs.at[v].of = orr_xcalloc(cells->chains.n + 1, sizeof *cells->vcs.at[v].of);
    for (size_t r = 0; r < cells->rows.n; r++) {
        const orr_cell_row *row = &cells->rows.at[r];
        for (int32_t i = 0; i < row->count; i++)
            ORR_VEC_PUSH(&cells->vcs.at[row->vc].of[row->chain].roots,
                         build_root(cells, row->vc, row->chain, row->level, at));
    }
}

/* Whole nodes first, then quotas smaller than a node, large ones first. */
static void build_view(const orr_chain *c, orr_holding *h)
{
    h->view.whole = true;
    for (int32_t l = c->node_level; l >= 1; l--)
        for (size_t i = 0; i < h->roots.n; i++)
            if (h->roots.at[i]->level == l || (l == c->node_level && h->roots.at[i]->level > l))
                add_root_spots(&h->view, c, h->roots.at[i]);
}

static void build_views(orr_cells *cells)
{
    for (size_t v = 0; v < cells->vcs.n; v++)
        for (size_t c = 0; c < cells->chains.n; c++)
            build_view(&cells->chains.at[c], &cells->vcs.at[v].of[c]);
}

/* ---- pinned cells, and whether it all fits ----------------------------------------------------------------------- */

static orr_err pin_down(orr_cells *cells, int32_t vc, orr_pin *pin, orr_error *e)
{
    orr_cell *p = orr_cells_leaf(cells, pin->leaf), *at[ORR_LEVEL_SLOTS];
    while (p && p->level < pin->level)
        p = p->parent;
    if (!p || p->chain != pin->chain || !orr_cell_is_free(p))
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "cells: the cell pinned as '%s' isn't there, or is pinned already",
                             pin->name);
    pin->root = build_root(cells, vc, pin->chain, pin->level, at);
    pin->view.whole = true;
    add_root_spots(&pin->view, &cells->chains.at[pin->chain], pin->root);
    p->pinned = true;
    orr_cell_claim(cells, p, vc);
    orr_cell_bind(p, pin->root);
    return ORR_OK;
}

/* What is free at each level, and what is left of the larger cells, has to cover what VCs may claim. */
static orr_err check_carve(const orr_chain *c, orr_error *e)
{
    int64_t left = 0;
    for (int32_t l = c->levels; l >= 1; l--) {
        int64_t has = (int64_t)c->free[l].n + (l < c->levels ? left * c->fan[l + 1] : 0);
        left = has - c->claims[l];
        if (left < 0)
            return orr_error_set(
                e, ORR_E_BAD_CLUSTER,
                "cells: the quotas can't be carved: '%s' needs %d more cells of %d GPUs, and %lld are left", c->name,
                c->claims[l], c->gpus[l], (long long)has);
    }
    return ORR_OK;
}

orr_err orr_cells_ready(orr_cells *cells, orr_error *e)
{
    for (size_t c = 0; c < cells->chains.n; c++)
        build_physical(cells, &cells->chains.at[c]);
    index_leaves(cells);
    build_quotas(cells);
    build_views(cells);
    orr_err err = ORR_OK;
    for (size_t v = 0; v < cells->vcs.n; v++)
        for (size_t i = 0; !err && i < cells->vcs.at[v].pins.n; i++)
            err = pin_down(cells, (int32_t)v, &cells->vcs.at[v].pins.at[i], e);
    for (size_t c = 0; !err && c < cells->chains.n; c++)
        err = check_carve(&cells->chains.at[c], e);
    return err;
}

/* ---- what can be seen -------------------------------------------------------------------------------------------- */

orr_cell *orr_cells_leaf(const orr_cells *cells, orr_leaf leaf)
{
    if (leaf.node < 0 || leaf.node >= cells->nodes)
        return NULL;
    for (orr_cell **at = cells->leaves[leaf.node]; *at; at++)
        if ((*at)->gpu == leaf.gpu)
            return *at;
    return NULL;
}

void orr_cells_node(orr_cells *cells, int32_t node, bool healthy)
{
    if (node < 0 || node >= cells->nodes || cells->down[node] == !healthy)
        return;
    cells->down[node] = !healthy;
    for (orr_cell **at = cells->leaves[node]; *at; at++)
        orr_leaf_health(cells, *at, healthy);
}

int32_t orr_cells_chains(const orr_cells *cells)
{
    return (int32_t)cells->chains.n;
}

int32_t orr_cells_chain_node(const orr_cells *cells, int32_t chain, int32_t index)
{
    const orr_chain *c = &cells->chains.at[chain];
    return index < c->count[c->node_level] ? c->cells[c->node_level][index].node : -1;
}

orr_leaf_look orr_cells_look(const orr_cells *cells, orr_leaf leaf)
{
    const orr_cell *cell = orr_cells_leaf(cells, leaf);
    if (!cell)
        return (orr_leaf_look){.priority = ORR_FREE_PRIORITY, .bad = true};
    return (orr_leaf_look){(orr_leaf_state)cell->state, cell->priority, cell->bad};
}

int32_t orr_cells_free(const orr_cells *cells, int32_t chain, int32_t level)
{
    return (int32_t)cells->chains.at[chain].free[level].n;
}

int32_t orr_cells_lost(const orr_cells *cells, int32_t vc, int32_t chain)
{
    const orr_cell_list *roots = &cells->vcs.at[vc].of[chain].roots;
    int32_t lost = 0;
    for (size_t i = 0; i < roots->n; i++)
        lost += roots->at[i]->peer && roots->at[i]->peer->bad;
    return lost;
}
