/* Matching of greatest weight in a general graph: Edmonds' blossoms with dual variables, O(n^3) (Galil, ACM
 * Computing Surveys 18, 1986).
 *
 * Nodes are vertices and blossoms: odd rings of nodes that stand for one. Of the outermost ones, those that are
 * alone are the roots of alternating trees; in these a node is even (a root, or entered over its pair) or odd. A
 * stage grows the trees over tight edges until one joins two trees, along which pairs are then changed over, so that
 * there is one more. An edge within a tree closes a ring, which becomes a blossom; an odd blossom without dual is
 * opened again. Where no edge is tight the duals change until one is, or until those of the roots are 0: then no
 * further pair would gain anything.
 *
 * Between any two nodes the tightest edge is kept by its ends, and for each outermost node the vertex in an even one
 * that is nearest to it; with these a stage takes O(n^2). Weights are made whole numbers first, of which the
 * greatest has about 50 bits: tight is then a matter of equality. For as many pairs as can be each gets more than
 * all weights together on top. */
#include <orrery/solve.h>

#include "base/assert.h"
#include "base/mem.h"

#include <math.h>

enum { NONE = -1 };
typedef enum side { UNSEEN, EVEN, ODD } side;

typedef struct edge {
    int32_t from, to; /* vertices; NONE: there is no edge */
} edge;

typedef struct node {
    int32_t top;    /* the outermost node around it; NONE: not in use */
    int32_t mate;   /* the vertex outside that it is paired with */
    int32_t parent; /* the vertex from which its tree came to it */
    int32_t near;   /* the vertex in an even node with the tightest edge to it */
    int32_t vertex; /* some vertex inside */
    int32_t visited;
    side side;
    int64_t dual;
    int32_t *ring, count; /* of a blossom: the nodes around it, from the one whose mate is outside */
    int32_t *part;        /* [n] which of them holds this vertex; NONE: it isn't inside */
} node;

typedef struct graph {
    int32_t n, nodes; /* vertices; these and room for blossoms */
    int64_t *weight;  /* [n][n]; 0: no edge */
    node *at;         /* [nodes] */
    edge *tightest;   /* [nodes][nodes] */
    int32_t *queue;   /* vertices of even nodes whose edges are still to be looked at */
    int32_t queued, visit;
    orr_arena memory;
} graph;

static edge *between(const graph *g, int32_t a, int32_t b)
{
    return &g->tightest[(size_t)a * (size_t)g->nodes + (size_t)b];
}

/* Twice what the duals of its ends have over its weight. */
static int64_t slack(const graph *g, edge e)
{
    return g->at[e.from].dual + g->at[e.to].dual - 2 * g->weight[(size_t)e.from * (size_t)g->n + (size_t)e.to];
}

static bool is_outermost(const graph *g, int32_t x)
{
    return g->at[x].top == x;
}

static void come_nearer(graph *g, int32_t vertex, int32_t x)
{
    node *to = &g->at[x];
    if (to->near == NONE || slack(g, *between(g, vertex, x)) < slack(g, *between(g, to->near, x)))
        to->near = vertex;
}

static void find_near(graph *g, int32_t x)
{
    g->at[x].near = NONE;
    for (int32_t v = 0; v < g->n; v++) {
        int32_t top = g->at[v].top;
        if (top != x && g->at[top].side == EVEN && between(g, v, x)->from != NONE)
            come_nearer(g, v, x);
    }
}

static void enqueue(graph *g, int32_t x)
{
    for (int32_t v = 0; v < g->n; v++)
        if (g->at[v].top == x)
            g->queue[g->queued++] = v;
}

/* ---- changing pairs over ----------------------------------------------------------------------------------------- */

static void reverse(int32_t *first, int32_t count)
{
    for (int32_t i = 0, j = count - 1; i < j; i++, j--) {
        int32_t was = first[i];
        first[i] = first[j];
        first[j] = was;
    }
}

/* Where this part stands in the ring, turned so that it is an even number of steps away from the first. */
static int32_t even_place(node *blossom, int32_t part)
{
    int32_t i = 0;
    while (blossom->ring[i] != part)
        i++;
    if (i % 2 == 0)
        return i;
    reverse(blossom->ring + 1, blossom->count - 1);
    return blossom->count - i;
}

static void begin_ring_at(node *blossom, int32_t i)
{
    reverse(blossom->ring, i);
    reverse(blossom->ring + i, blossom->count - i);
    reverse(blossom->ring, blossom->count);
}

/* `x` is paired with `y` over their tightest edge; inside a blossom the pairs move round, so that the right part is
 * left for it. As deep as blossoms are nested. */
static void pair_with(graph *g, int32_t x, int32_t y)
{
    node *nx = &g->at[x];
    edge e = *between(g, x, y);
    nx->mate = e.to;
    if (x < g->n)
        return;
    int32_t part = nx->part[e.from], place = even_place(nx, part);
    for (int32_t i = 0; i < place; i++)
        pair_with(g, nx->ring[i], nx->ring[i ^ 1]);
    pair_with(g, part, y);
    begin_ring_at(nx, place);
}

/* From `x`, now paired with `y`, up its tree to the root. */
static void change_over(graph *g, int32_t x, int32_t y)
{
    for (;;) {
        int32_t mate = g->at[x].mate;
        pair_with(g, x, y);
        if (mate == NONE)
            return;
        y = g->at[mate].top;
        x = g->at[g->at[y].parent].top;
        pair_with(g, y, x);
    }
}

/* ---- blossoms ---------------------------------------------------------------------------------------------------- */

/* The even node above `x`, an even one itself; NONE: `x` is the root. */
static int32_t above(const graph *g, int32_t x)
{
    int32_t mate = g->at[x].mate;
    return mate == NONE ? NONE : g->at[g->at[g->at[mate].top].parent].top;
}

/* The first even node above both; NONE: they are in different trees. */
static int32_t meeting(graph *g, int32_t x, int32_t y)
{
    g->visit++;
    while (x != NONE || y != NONE) {
        if (x != NONE) {
            if (g->at[x].visited == g->visit)
                return x;
            g->at[x].visited = g->visit;
            x = above(g, x);
        }
        int32_t swap = x;
        x = y;
        y = swap;
    }
    return NONE;
}

static int32_t unused(const graph *g)
{
    int32_t b = g->n;
    while (g->at[b].top != NONE)
        b++;
    ORR_ASSERT(b < g->nodes, "blossoms have three parts and more");
    return b;
}

/* Everything between `x` and the blossom's first node, odd nodes included. */
static void add_side(graph *g, node *blossom, int32_t x)
{
    while (x != blossom->ring[0]) {
        int32_t odd = g->at[g->at[x].mate].top;
        blossom->ring[blossom->count++] = x;
        blossom->ring[blossom->count++] = odd;
        enqueue(g, odd);
        x = g->at[g->at[odd].parent].top;
    }
}

static void take_edges_of(graph *g, int32_t b, int32_t part)
{
    for (int32_t x = 0; x < g->nodes; x++) {
        edge e = *between(g, part, x), *own = between(g, b, x);
        if (e.from == NONE || (own->from != NONE && slack(g, e) >= slack(g, *own)))
            continue;
        *own = e;
        *between(g, x, b) = (edge){e.to, e.from};
    }
}

static void enclose(graph *g, int32_t b)
{
    node *blossom = &g->at[b];
    for (int32_t x = 0; x < g->nodes; x++)
        *between(g, b, x) = *between(g, x, b) = (edge){NONE, NONE};
    for (int32_t v = 0; v < g->n; v++)
        blossom->part[v] = NONE;
    for (int32_t i = 0; i < blossom->count; i++) {
        int32_t part = blossom->ring[i];
        take_edges_of(g, b, part);
        for (int32_t x = 0; x < g->nodes; x++) {
            if (g->at[x].top != part)
                continue;
            g->at[x].top = b;
            if (x < g->n)
                blossom->part[x] = part;
        }
    }
    blossom->top = b;
}

static void close_ring(graph *g, int32_t x, int32_t meet, int32_t y)
{
    int32_t b = unused(g);
    node *blossom = &g->at[b];
    blossom->dual = 0;
    blossom->side = EVEN;
    blossom->mate = g->at[meet].mate;
    blossom->parent = g->at[meet].parent;
    blossom->vertex = g->at[meet].vertex;
    blossom->ring[0] = meet;
    blossom->count = 1;
    add_side(g, blossom, x);
    reverse(blossom->ring + 1, blossom->count - 1);
    add_side(g, blossom, y);
    enclose(g, b);
    find_near(g, b);
}

/* An odd blossom without dual: its parts become outermost. Those on the even way from where the tree comes in to
 * where it goes on stay in the tree. */
static void give_up(graph *g, int32_t b)
{
    node *blossom = &g->at[b];
    for (int32_t x = 0; x < g->nodes; x++) {
        int32_t v = x < g->n ? x : g->at[x].vertex;
        if (x != b && g->at[x].top == b)
            g->at[x].top = blossom->part[v];
    }
    blossom->top = NONE;
}

static void open_ring(graph *g, int32_t b)
{
    node *blossom = &g->at[b];
    int32_t in = blossom->part[between(g, b, blossom->parent)->from], place = even_place(blossom, in);
    give_up(g, b);
    for (int32_t i = 0; i < place; i += 2) {
        int32_t odd = blossom->ring[i], even = blossom->ring[i + 1];
        g->at[odd].parent = between(g, even, odd)->from;
        g->at[odd].side = ODD;
        g->at[even].side = EVEN;
        enqueue(g, even);
    }
    g->at[in].side = ODD;
    g->at[in].parent = blossom->parent;
    for (int32_t i = place + 1; i < blossom->count; i++)
        g->at[blossom->ring[i]].side = UNSEEN;
    for (int32_t i = 0; i < blossom->count; i++)
        find_near(g, blossom->ring[i]);
}

/* ---- a stage ----------------------------------------------------------------------------------------------------- */

/* A tight edge from an even node. True: it joined two trees, and there is one pair more. */
static bool follow(graph *g, edge e)
{
    int32_t x = g->at[e.from].top, y = g->at[e.to].top;
    if (g->at[y].side == UNSEEN) {
        int32_t mate = g->at[g->at[y].mate].top;
        g->at[y].parent = e.from;
        g->at[y].side = ODD;
        g->at[mate].side = EVEN;
        enqueue(g, mate);
        return false;
    }
    if (g->at[y].side == ODD)
        return false;
    int32_t meet = meeting(g, x, y);
    if (meet != NONE) {
        close_ring(g, x, meet, y);
        return false;
    }
    change_over(g, x, y);
    change_over(g, y, x);
    return true;
}

static bool follow_from(graph *g, int32_t v)
{
    for (int32_t w = 0; w < g->n; w++) {
        edge e = *between(g, v, w);
        if (e.from == NONE || g->at[v].top == g->at[w].top)
            continue;
        if (slack(g, e))
            come_nearer(g, v, g->at[w].top);
        else if (follow(g, e))
            return true;
    }
    return false;
}

/* By how much the duals can change until an edge is tight or an odd blossom is empty. */
static int64_t room_for_duals(const graph *g)
{
    int64_t least = INT64_MAX;
    for (int32_t x = 0; x < g->nodes; x++) {
        const node *at = &g->at[x];
        if (at->top != x)
            continue;
        if (x >= g->n && at->side == ODD && at->dual / 2 < least)
            least = at->dual / 2;
        if (at->near == NONE || at->side == ODD)
            continue;
        int64_t over = slack(g, *between(g, at->near, x)) / (at->side == EVEN ? 2 : 1);
        least = over < least ? over : least;
    }
    return least;
}

/* False: those of the roots, which are the least of all, would go below 0. */
static bool change_duals(graph *g)
{
    int64_t by = room_for_duals(g);
    for (int32_t v = 0; v < g->n; v++)
        if (g->at[g->at[v].top].side == EVEN && g->at[v].dual <= by)
            return false;
    for (int32_t v = 0; v < g->n; v++) {
        side is = g->at[g->at[v].top].side;
        g->at[v].dual += is == EVEN ? -by : is == ODD ? by : 0;
    }
    for (int32_t b = g->n; b < g->nodes; b++)
        if (is_outermost(g, b))
            g->at[b].dual += g->at[b].side == EVEN ? 2 * by : g->at[b].side == ODD ? -2 * by : 0;
    return true;
}

/* True: a pair more. */
static bool follow_tight(graph *g)
{
    for (int32_t x = 0; x < g->nodes; x++) {
        const node *at = &g->at[x];
        if (at->top != x || at->near == NONE)
            continue;
        edge e = *between(g, at->near, x);
        if (!slack(g, e) && follow(g, e))
            return true;
    }
    return false;
}

static bool plant(graph *g)
{
    g->queued = 0;
    for (int32_t x = 0; x < g->nodes; x++) {
        g->at[x].side = UNSEEN;
        g->at[x].near = g->at[x].parent = NONE;
    }
    for (int32_t x = 0; x < g->nodes; x++) {
        if (!is_outermost(g, x) || g->at[x].mate != NONE)
            continue;
        g->at[x].side = EVEN;
        enqueue(g, x);
    }
    return g->queued > 0;
}

/* False: no further pair gains anything. */
static bool add_pair(graph *g)
{
    if (!plant(g))
        return false;
    for (;;) {
        for (int32_t i = 0; i < g->queued; i++)
            if (follow_from(g, g->queue[i]))
                return true;
        g->queued = 0;
        if (!change_duals(g))
            return false;
        if (follow_tight(g))
            return true;
        for (int32_t b = g->n; b < g->nodes; b++)
            if (is_outermost(g, b) && g->at[b].side == ODD && g->at[b].dual == 0)
                open_ring(g, b);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* With a top-up of `most` for each of n / 2 pairs, sums of two duals stay below 2^62. */
static int bits_for(int32_t n)
{
    int bits = 59;
    for (int32_t m = n + 4; m > 1; m /= 2)
        bits--;
    return bits < 52 ? bits : 52;
}

static void take_weights(graph *g, const double *weight, bool perfect)
{
    size_t n = (size_t)g->n;
    double most = 0;
    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, i / n == i % n ? 0 : weight[i]);
    ORR_ASSERT(most < INFINITY, "weights are finite");
    int exponent, bits = bits_for(g->n);
    frexp(most, &exponent);
    int64_t top_up = perfect ? (INT64_C(1) << bits) * (g->n / 2 + 1) : 0;
    for (size_t i = 0; i < n * n; i++) {
        if (i / n == i % n || !(weight[i] > 0))
            continue;
        ORR_ASSERT(weight[i] == weight[i % n * n + i / n], "a pair has one weight");
        int64_t whole = llrint(ldexp(weight[i], bits - exponent));
        g->weight[i] = (whole > 1 ? whole : 1) + top_up;
    }
}

static void take_edges(graph *g)
{
    int64_t most = 0;
    for (int32_t x = 0; x < g->nodes; x++)
        for (int32_t y = 0; y < g->nodes; y++) {
            int64_t weight = x < g->n && y < g->n ? g->weight[(size_t)x * (size_t)g->n + (size_t)y] : 0;
            *between(g, x, y) = weight ? (edge){x, y} : (edge){NONE, NONE};
            most = weight > most ? weight : most;
        }
    for (int32_t v = 0; v < g->n; v++)
        g->at[v].dual = most;
}

static void begin(graph *g, const double *weight, bool perfect)
{
    size_t n = (size_t)g->n, nodes = (size_t)g->nodes;
    g->weight = orr_arena_alloc(&g->memory, n * n * sizeof *g->weight);
    g->tightest = orr_arena_alloc(&g->memory, nodes * nodes * sizeof *g->tightest);
    g->at = orr_arena_alloc(&g->memory, nodes * sizeof *g->at);
    g->queue = orr_arena_alloc(&g->memory, 2 * n * sizeof *g->queue);
    for (int32_t x = 0; x < g->nodes; x++) {
        g->at[x] = (node){.top = x < g->n ? x : NONE, .mate = NONE, .parent = NONE, .near = NONE, .vertex = x};
        if (x < g->n)
            continue;
        g->at[x].ring = orr_arena_alloc(&g->memory, (n + 1) * sizeof *g->at[x].ring);
        g->at[x].part = orr_arena_alloc(&g->memory, n * sizeof *g->at[x].part);
    }
    take_weights(g, weight, perfect);
    take_edges(g);
}

double orr_match_pairs(const double *weight, int32_t n, bool perfect, int32_t *mate)
{
    graph g = {.n = n, .nodes = n + n / 2 + 1};
    begin(&g, weight, perfect);
    while (add_pair(&g)) {
    }
    double sum = 0;
    for (int32_t v = 0; v < n; v++) {
        mate[v] = g.at[v].mate;
        if (mate[v] > v)
            sum += weight[(size_t)v * (size_t)n + (size_t)mate[v]];
    }
    orr_arena_fini(&g.memory);
    return sum;
}
