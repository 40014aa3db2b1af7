/* From a placement in a VC's tree to the physical one.
 *
 * The virtual cells that aren't bound form trees. One whose root is a preassigned cell gets a physical cell by buddy
 * allocation: a free one of its level, or else the smallest larger free one is split, level by level. Other trees
 * hang below a bound cell and get children of its physical peer. Inside, children go to children. Bad cells and those
 * without a suggested node are passed over, and where that leads nowhere the next candidate is tried. All of it is
 * done on a copy of the free lists: nothing has changed when it fails, and nothing when it succeeds but the leaves'
 * `pick`. */
#include "cluster/cells.h"

typedef struct map {
    orr_cells *cells;
    const orr_chain *chain;
    const bool *suggested;
    orr_cell_list free[ORR_LEVEL_SLOTS]; /* the copy */
    int32_t claims[ORR_LEVEL_SLOTS];     /* of all VCs, less what was mapped */
    orr_cell_list roots, hosts;          /* preassigned cells to map; bound ones with children to map */
} map;

/* ---- which cells want a place ------------------------------------------------------------------------------------ */

static void mark(orr_cells *cells, orr_cell *v)
{
    if (v->mark == cells->marks)
        return;
    v->mark = cells->marks;
    v->want = v->want_last = v->want_next = NULL;
}

static void hang_below(map *m, orr_cell *parent, orr_cell *v)
{
    if (parent->mark != m->cells->marks) {
        mark(m->cells, parent);
        ORR_VEC_PUSH(&m->hosts, parent);
    }
    if (parent->want_last)
        parent->want_last->want_next = v;
    else
        parent->want = v;
    parent->want_last = v;
}

/* The leaf and its ancestors, as far as they aren't bound or known; upper ones before lower ones. */
static void want(map *m, orr_cell *v)
{
    if (v->peer || v->mark == m->cells->marks)
        return;
    if (v->parent)
        want(m, v->parent);
    mark(m->cells, v);
    if (v->parent)
        hang_below(m, v->parent, v);
    else
        ORR_VEC_PUSH(&m->roots, v);
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static bool has_suggested(const map *m, const orr_cell *p)
{
    if (!m->suggested)
        return true;
    for (int32_t i = 0; i < p->gpus; i++)
        if (m->suggested[p->leaves[i].node])
            return true;
    return false;
}

/* A cell of several nodes may hold good ones though it is bad. */
static bool usable(const map *m, const orr_cell *p)
{
    if (p->peer || (p->bad && p->level <= m->chain->node_level))
        return false;
    return has_suggested(m, p);
}

typedef struct candidate {
    orr_cell *cell;
    size_t at;
} candidate;

static int by_opportunists(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->cell->low != y->cell->low)
        return x->cell->low < y->cell->low ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

typedef ORR_VEC(candidate) candidates;

/* Fewest opportunistic GPUs first, so that few have to give way; else in the order of the list. */
static void gather(const map *m, orr_cell *const *list, size_t n, candidates *out)
{
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        if (!usable(m, list[i]))
            continue;
        sorted = sorted && (!out->n || out->at[out->n - 1].cell->low <= list[i]->low);
        ORR_VEC_PUSH(out, ((candidate){list[i], i}));
    }
    if (!sorted)
        qsort(out->at, out->n, sizeof *out->at, by_opportunists);
}

static void gather_kids(const map *m, const orr_cell *p, candidates *out)
{
    orr_cell **kids = orr_xcalloc((size_t)p->kid_count + 1, sizeof *kids);
    for (int32_t i = 0; i < p->kid_count; i++)
        kids[i] = &p->kids[i];
    gather(m, kids, (size_t)p->kid_count, out);
    free(kids);
}

/* ---- children to children ---------------------------------------------------------------------------------------- */

static bool fit_wants(const map *m, const orr_cell *parent, const orr_cell *p);

static bool fit(const map *m, orr_cell *v, orr_cell *p)
{
    if (v->level > 1)
        return fit_wants(m, v, p);
    v->pick = p;
    return true;
}

/* v and those that want a place beside it, each on a candidate of its own. */
static bool fit_all(const map *m, orr_cell *v, candidates *c)
{
    if (!v)
        return true;
    for (size_t i = 0; i < c->n; i++) {
        orr_cell *p = c->at[i].cell;
        if (!p || !fit(m, v, p))
            continue;
        c->at[i].cell = NULL;
        if (fit_all(m, v->want_next, c))
            return true;
        c->at[i].cell = p;
    }
    return false;
}

static bool fit_wants(const map *m, const orr_cell *parent, const orr_cell *p)
{
    candidates c = {0};
    gather_kids(m, p, &c);
    size_t wanted = 0;
    for (const orr_cell *v = parent->want; v; v = v->want_next)
        wanted++;
    bool found = wanted <= c.n && fit_all(m, parent->want, &c);
    ORR_VEC_FREE(&c);
    return found;
}

/* ---- buddy allocation -------------------------------------------------------------------------------------------- */

static void list_drop(orr_cell_list *list, const orr_cell *p)
{
    size_t i = 0;
    while (list->at[i] != p)
        i++;
    list->at[i] = list->at[--list->n];
}

static bool take_at_level(map *m, orr_cell *v)
{
    candidates c = {0};
    gather(m, m->free[v->level].at, m->free[v->level].n, &c);
    size_t i = 0;
    while (i < c.n && !fit(m, v, c.at[i].cell))
        i++;
    bool found = i < c.n;
    if (found)
        list_drop(&m->free[v->level], c.at[i].cell);
    ORR_VEC_FREE(&c);
    return found;
}

static void push_kids(orr_cell_list *list, const orr_cell *p)
{
    for (int32_t i = 0; i < p->kid_count; i++)
        ORR_VEC_PUSH(list, &p->kids[i]);
}

/* Splits a cell of `level`, and what comes of it, down to what v needs. */
static bool split_down(map *m, orr_cell *v, int32_t level)
{
    if (level == v->level)
        return take_at_level(m, v);
    candidates c = {0};
    gather(m, m->free[level].at, m->free[level].n, &c);
    bool found = false;
    for (size_t i = 0; i < c.n && !found; i++) {
        size_t before = m->free[level - 1].n;
        push_kids(&m->free[level - 1], c.at[i].cell);
        found = split_down(m, v, level - 1);
        if (found)
            list_drop(&m->free[level], c.at[i].cell);
        else
            m->free[level - 1].n = before;
    }
    ORR_VEC_FREE(&c);
    return found;
}

static bool buddy(map *m, orr_cell *v)
{
    int32_t level = v->level;
    while (level < m->chain->levels && !m->free[level].n)
        level++;
    return m->free[level].n && split_down(m, v, level);
}

/* ---- where buddies are bad or not suggested ---------------------------------------------------------------------- */

/* Pieces of level `to` of all free cells of `from`. */
static orr_cell_list pieces_of(const map *m, int32_t from, int32_t to)
{
    orr_cell_list pieces = {0}, finer;
    for (size_t i = 0; i < m->free[from].n; i++)
        ORR_VEC_PUSH(&pieces, m->free[from].at[i]);
    for (int32_t l = from; l > to; l--) {
        finer = (orr_cell_list){0};
        for (size_t i = 0; i < pieces.n; i++)
            push_kids(&finer, pieces.at[i]);
        ORR_VEC_FREE(&pieces);
        pieces = finer;
    }
    return pieces;
}

/* p out of the free cell around it; its buddies come before the free ones of their levels. */
static void split_around(map *m, const orr_cell *p, int32_t from)
{
    for (; p->level < from; p = p->parent) {
        orr_cell_list *list = &m->free[p->level];
        orr_cell_list joined = {0};
        for (int32_t i = 0; i < p->parent->kid_count; i++)
            if (&p->parent->kids[i] != p)
                ORR_VEC_PUSH(&joined, &p->parent->kids[i]);
        for (size_t i = 0; i < list->n; i++)
            ORR_VEC_PUSH(&joined, list->at[i]);
        ORR_VEC_FREE(list);
        *list = joined;
    }
    list_drop(&m->free[from], p);
}

static bool take_piece(map *m, orr_cell *v, int32_t from)
{
    candidates c = {0};
    orr_cell_list pieces = pieces_of(m, from, v->level);
    gather(m, pieces.at, pieces.n, &c);
    size_t i = 0;
    while (i < c.n && !fit(m, v, c.at[i].cell))
        i++;
    bool found = i < c.n;
    if (found)
        split_around(m, c.at[i].cell, from);
    ORR_VEC_FREE(&c);
    ORR_VEC_FREE(&pieces);
    return found;
}

/* From larger cells than the smallest free ones, as long as each level that is split can spare one. */
static bool relaxed(map *m, orr_cell *v)
{
    int64_t spare[ORR_LEVEL_SLOTS];
    orr_cells_spare(m->chain, m->free, m->claims, spare);
    for (int32_t l = v->level + 1; l <= m->chain->levels && spare[l] > 0; l++)
        if (take_piece(m, v, l))
            return true;
    return false;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void begin(map *m)
{
    m->cells->marks++;
    memcpy(m->claims, m->chain->claims, sizeof m->claims);
    for (int32_t l = 1; l <= m->chain->levels; l++) {
        const orr_cell_list *from = &m->chain->free[l];
        ORR_VEC_RESERVE(&m->free[l], from->n);
        if (from->n)
            memcpy(m->free[l].at, from->at, from->n * sizeof *from->at);
        m->free[l].n = from->n;
    }
}

static void finish(map *m)
{
    for (int32_t l = 1; l <= m->chain->levels; l++)
        ORR_VEC_FREE(&m->free[l]);
    ORR_VEC_FREE(&m->roots);
    ORR_VEC_FREE(&m->hosts);
}

static bool map_trees(map *m)
{
    for (size_t i = 0; i < m->roots.n; i++) {
        orr_cell *v = m->roots.at[i];
        if (!buddy(m, v) && !relaxed(m, v))
            return false;
        m->claims[v->level]--;
    }
    for (size_t i = 0; i < m->hosts.n; i++)
        if (!fit_wants(m, m->hosts.at[i], m->hosts.at[i]->peer))
            return false;
    return true;
}

bool orr_cells_map(orr_cells *cells, int32_t chain, orr_cell *const *leaves, int32_t n, const bool *suggested,
                   orr_cell **out)
{
    map m = {.cells = cells, .chain = &cells->chains.at[chain], .suggested = suggested};
    begin(&m);
    for (int32_t i = 0; i < n; i++)
        want(&m, leaves[i]);
    bool found = map_trees(&m);
    for (int32_t i = 0; found && i < n; i++)
        out[i] = leaves[i]->peer ? leaves[i]->peer : leaves[i]->pick;
    finish(&m);
    return found;
}
