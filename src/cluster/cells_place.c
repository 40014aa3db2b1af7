/* Placing pods in a view: which node for each pod, which GPUs of the node.
 *
 * Nodes are sorted stably, healthy and suggested ones first, then where most is used already (packing). Pods, small
 * ones first, walk over the nodes once and never back. Inside a node the GPUs are chosen whose lowest common ancestor
 * is lowest. A first pass counts only free GPUs; where it fails, a second one counts those of lower priorities too.
 *
 * The whole view is looked at for each ask, though an index would do with less: its order carries over from ask to
 * ask, since ties stay as the last sort left them. It is a VC's own nodes, and the nodes of a chain for opportunistic
 * gangs. */
#include "cluster/cells.h"

#include <limits.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int32_t rank_of(const orr_spot *s, const bool *suggested)
{
    const orr_cell *p = s->cell->vc < 0 ? s->cell : s->cell->peer;
    if (!p)
        return 0;
    if (p->bad)
        return 2;
    return suggested && !suggested[p->node];
}

/* GPUs below a cell that are held at this priority or a higher one. */
static int32_t used_from(const orr_cell *cell, int32_t priority)
{
    if (priority <= ORR_OPPORTUNISTIC || !cell->used)
        return cell->used;
    int32_t n = 0;
    for (int32_t i = 0; i < cell->gpus; i++)
        n += cell->leaves[i].priority >= priority;
    return n;
}

static bool before(const orr_spot *a, const orr_spot *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->same != b->same)
        return a->same > b->same;
    return a->higher < b->higher;
}

static int by_preference(const void *a, const void *b)
{
    const orr_spot *x = a, *y = b;
    if (before(x, y))
        return -1;
    return before(y, x) || x->at > y->at ? 1 : -1;
}

/* Few change between two asks: mostly it is sorted already. */
static void sort_view(orr_view *view, int32_t priority, const bool *suggested)
{
    bool sorted = true;
    for (size_t i = 0; i < view->n; i++) {
        orr_spot *s = &view->at[i];
        s->rank = rank_of(s, suggested);
        s->same = view->whole ? s->cell->used : s->cell->low;
        s->higher = view->whole ? 0 : s->cell->used - s->cell->low;
        s->free = s->cell->gpus - used_from(s->cell, priority);
        s->at = i;
        sorted = sorted && (i == 0 || !before(s, s - 1));
    }
    if (!sorted)
        qsort(view->at, view->n, sizeof *view->at, by_preference);
}

/* A spot for each pod; false: not enough, or only on nodes that are bad or not suggested. */
static bool choose_spots(const orr_view *view, const int32_t *pods, int32_t n, const orr_cell **spots)
{
    int32_t pod = 0, taken = 0;
    for (size_t i = 0; i < view->n && pod < n;) {
        const orr_spot *s = &view->at[i];
        if (s->free - taken < pods[pod]) {
            taken = 0;
            i++;
            continue;
        }
        if (s->rank)
            return false;
        taken += pods[pod];
        spots[pod++] = s->cell;
    }
    return pod == n;
}

bool orr_view_could(const orr_view *view, const int32_t *pods, int32_t pod_count)
{
    int32_t pod = 0, taken = 0;
    for (size_t i = 0; i < view->n && pod < pod_count;) {
        if (view->at[i].cell->gpus - taken < pods[pod]) {
            taken = 0;
            i++;
        } else {
            taken += pods[pod++];
        }
    }
    return pod == pod_count;
}

/* ---- GPUs of a node ---------------------------------------------------------------------------------------------- */

/* What a node still offers: free leaves in tree order, then those that can be taken from lower priorities. */
typedef struct offer {
    orr_cell **at;
    int32_t n;
} offer;

typedef struct search {
    const offer *from;
    int32_t wanted, best_level, ideal;
    int32_t *now, *best; /* [wanted] places in the offer */
} search;

static void add_leaves(offer *o, const orr_cell *node, int32_t low, int32_t high)
{
    for (int32_t i = 0; i < node->gpus; i++)
        if (node->leaves[i].priority >= low && node->leaves[i].priority < high)
            o->at[o->n++] = &node->leaves[i];
}

static const orr_cell *common_ancestor(const orr_cell *a, const orr_cell *b)
{
    while (a->level < b->level)
        a = a->parent;
    while (a != b) {
        a = a->parent;
        b = b->parent;
    }
    return a;
}

/* Depth first; only what can still beat the best is followed. True: the ideal was found. */
static bool look_further(search *s, int32_t depth, int32_t from, const orr_cell *ancestor)
{
    for (int32_t i = from; i < s->from->n; i++) {
        orr_cell *leaf = s->from->at[i];
        const orr_cell *common = ancestor ? common_ancestor(leaf, ancestor) : leaf;
        if (common->level >= s->best_level)
            continue;
        s->now[depth] = i;
        if (depth + 1 < s->wanted) {
            if (look_further(s, depth + 1, i + 1, common))
                return true;
            continue;
        }
        memcpy(s->best, s->now, (size_t)s->wanted * sizeof *s->best);
        s->best_level = common->level;
        if (common->level == s->ideal)
            return true;
    }
    return false;
}

static int32_t ideal_level(const orr_chain *chain, int32_t gpus)
{
    int32_t l = 1;
    while (l < chain->levels && chain->gpus[l] < gpus)
        l++;
    return l;
}

static void drop_taken(offer *o, const int32_t *taken, int32_t n)
{
    int32_t kept = 0, next = 0;
    for (int32_t i = 0; i < o->n; i++) {
        if (next < n && taken[next] == i)
            next++;
        else
            o->at[kept++] = o->at[i];
    }
    o->n = kept;
}

/* Moves the best leaves for a pod from the offer to `out`. */
static void choose_leaves(offer *o, const orr_chain *chain, int32_t gpus, orr_cell **out)
{
    int32_t *places = orr_xcalloc(2 * (size_t)gpus, sizeof *places);
    search s = {.from = o,
                .wanted = gpus,
                .best_level = INT_MAX,
                .ideal = ideal_level(chain, gpus),
                .now = places,
                .best = places + gpus};
    look_further(&s, 0, 0, NULL);
    for (int32_t i = 0; i < gpus; i++)
        out[i] = o->at[s.best[i]];
    drop_taken(o, s.best, gpus);
    free(places);
}

static void choose_gpus(const orr_chain *chain, const orr_cell *const *spots, const int32_t *pods, int32_t n,
                        int32_t priority, orr_cell **out)
{
    offer o = {.at = orr_xcalloc((size_t)chain->gpus[chain->node_level] + 1, sizeof *o.at)};
    for (int32_t i = 0; i < n; out += pods[i], i++) {
        if (i == 0 || spots[i] != spots[i - 1]) {
            o.n = 0;
            add_leaves(&o, spots[i], ORR_FREE_PRIORITY, ORR_OPPORTUNISTIC);
            add_leaves(&o, spots[i], ORR_OPPORTUNISTIC, priority);
        }
        choose_leaves(&o, chain, pods[i], out);
    }
    free(o.at);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

bool orr_view_place(orr_view *view, const orr_chain *chain, const int32_t *pods, int32_t pod_count, int32_t priority,
                    const bool *suggested, orr_cell **out)
{
    const orr_cell **spots = orr_xcalloc((size_t)pod_count + 1, sizeof *spots);
    int32_t pass = ORR_OPPORTUNISTIC;
    sort_view(view, pass, suggested);
    bool found = choose_spots(view, pods, pod_count, spots);
    if (!found && priority > pass) {
        pass = priority;
        sort_view(view, pass, suggested);
        found = choose_spots(view, pods, pod_count, spots);
    }
    if (found)
        choose_gpus(chain, spots, pods, pod_count, pass, out);
    free(spots);
    return found;
}
