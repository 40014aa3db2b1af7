/* The rate of rings over a set of GPUs.
 *
 * NVLink alone: a largest packing of cycles through all the GPUs, no link twice, by depth first search over cycles;
 * each cycle carries a ring each way round. (The search ends at an upper bound that real machines reach, or after
 * 100,000 steps with what it has.) With PCIe: the best bottleneck among all rings, by a table over subsets of which
 * GPUs a path from the lowest one through all of a subset can end at, for each rate in turn from the fastest.
 */
#include "cluster/bits.h"
#include "cluster/topology.h"

#include <string.h>

enum { EXACT = ORR_TOPOLOGY_EXACT };

/* ---- packings of cycles over NVLink ---- */

typedef struct packing {
    int n;                      /* vertices are 0 .. n - 1 */
    uint8_t left[EXACT][EXACT]; /* links not taken yet */
    int path[EXACT];
    int best, now, bound;
    int steps; /* left: so that no description takes for ever */
} packing;

static void next_cycle(packing *p, int length, uint32_t seen);

static void move(packing *p, int step)
{
    for (int i = 0; i < p->n; i++) {
        const int a = p->path[i], b = p->path[(i + 1) % p->n];
        p->left[a][b] = p->left[b][a] = (uint8_t)(p->left[a][b] - step);
    }
    p->now += step;
}

/* The path is a cycle: takes its links, looks for more cycles, gives them back. */
static void close_cycle(packing *p)
{
    int path[EXACT];
    if (!p->left[p->path[p->n - 1]][0])
        return;
    memcpy(path, p->path, sizeof path);
    move(p, 1);
    p->best = p->now > p->best ? p->now : p->best;
    next_cycle(p, 1, 1);
    memcpy(p->path, path, sizeof path);
    move(p, -1);
}

static void next_cycle(packing *p, int length, uint32_t seen)
{
    if (length == p->n) {
        close_cycle(p);
        return;
    }
    for (int v = 1; v < p->n && p->best < p->bound && p->steps > 0; v++) {
        if (seen >> v & 1 || !p->left[p->path[length - 1]][v])
            continue;
        p->steps--;
        p->path[length] = v;
        next_cycle(p, length + 1, seen | 1u << v);
    }
}

/* No more cycles than half the links of any GPU. */
static int most_cycles(const packing *p)
{
    int most = 256;
    for (int a = 0; a < p->n; a++) {
        int links = 0;
        for (int b = 0; b < p->n; b++)
            links += p->left[a][b];
        most = links / 2 < most ? links / 2 : most;
    }
    return most;
}

/* Rings each way round; of two GPUs each link is one. */
static int rings_of_links(const orr_topology *t, const int *gpus, int n)
{
    packing p = {.n = n, .steps = 100000};
    const uint8_t *links = t->wiring.nvlinks;
    if (n == 2)
        return links[gpus[0] * t->spec->gpus + gpus[1]];
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            p.left[a][b] = a == b ? 0 : links[gpus[a] * t->spec->gpus + gpus[b]];
    p.bound = most_cycles(&p);
    next_cycle(&p, 1, 1);
    return 2 * p.best;
}

/* ---- the best bottleneck ---- */

/* Is there a ring over n vertices with these neighbours? */
static bool has_ring(const uint32_t *near, int n)
{
    uint8_t ends[1 << EXACT] = {[1] = 1};
    const uint32_t all = (1u << n) - 1;
    for (uint32_t set = 1; set < all; set += 2)
        for (int v = 1; v < n; v++)
            if (!(set >> v & 1) && ends[set] & near[v])
                ends[set | 1u << v] |= (uint8_t)(1u << v);
    return (ends[all] & near[0]) != 0;
}

/* A ring whose every step has this rate? */
static bool runs_at(const orr_topology *t, const int *gpus, int n, double rate)
{
    uint32_t near[EXACT] = {0};
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            near[a] |= a != b && orr_topology_bps(t, gpus[a], gpus[b]) >= rate ? 1u << b : 0;
    return has_ring(near, n);
}

static double bottleneck(const orr_topology *t, const int *gpus, int n)
{
    double best = 0;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < a; b++) {
            const double rate = orr_topology_bps(t, gpus[a], gpus[b]);
            if (rate > best && runs_at(t, gpus, n, rate))
                best = rate;
        }
    }
    return best;
}

static double exact_ring(const orr_topology *t, uint64_t set)
{
    int gpus[EXACT], n = 0;
    for (uint64_t m = set; m; m &= m - 1)
        gpus[n++] = orr_lowest_bit(m);
    const double nvlink = t->wiring.nvlinks ? rings_of_links(t, gpus, n) * t->wiring.nvlink_bps : 0;
    const double narrow = bottleneck(t, gpus, n);
    return nvlink > narrow ? nvlink : narrow;
}

/* ---- large nodes ---- */

static int nearest(const orr_topology *t, int from, uint64_t among)
{
    int best = orr_lowest_bit(among);
    for (uint64_t m = among; m; m &= m - 1)
        if (orr_topology_bps(t, from, orr_lowest_bit(m)) > orr_topology_bps(t, from, best))
            best = orr_lowest_bit(m);
    return best;
}

/* The ring that goes on to the nearest GPU not passed yet. Where the node is symmetric it is a best one: it leaves a
 * switch and a socket once. */
static double greedy_ring(const orr_topology *t, uint64_t set)
{
    const int first = orr_lowest_bit(set);
    int at = first;
    double rate = 0;
    for (uint64_t left = set & (set - 1); left;) {
        const int next = nearest(t, at, left);
        const double step = orr_topology_bps(t, at, next);
        rate = at == first || step < rate ? step : rate;
        at = next;
        left &= ~((uint64_t)1 << next);
    }
    const double last = orr_topology_bps(t, at, first);
    return last < rate ? last : rate;
}

double orr_topology_ring(orr_topology *t, uint64_t gpus)
{
    if (!(gpus & (gpus - 1)))
        return 0;
    if (!t->rings)
        return greedy_ring(t, gpus);
    if (t->rings[gpus] < 0)
        t->rings[gpus] = exact_ring(t, gpus);
    return t->rings[gpus];
}
