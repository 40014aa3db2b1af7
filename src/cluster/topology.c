/* Levels, direct ways and islands of one kind of node. Rings are in rings.c, choices in subset.c. */
#include "cluster/topology.h"

#include "base/mem.h"
#include "cluster/bits.h"

static uint64_t bit(int gpu)
{
    return (uint64_t)1 << gpu;
}

static bool same_matrix(const uint8_t *a, const uint8_t *b, int32_t gpus)
{
    return a == b || (a && b && memcmp(a, b, (size_t)gpus * (size_t)gpus) == 0);
}

static bool same_rates(const orr_wiring *a, const orr_wiring *b)
{
    return a->nvlink_bps == b->nvlink_bps && a->pcie_bps == b->pcie_bps && a->uplink_bps == b->uplink_bps &&
           a->socket_bps == b->socket_bps && a->nic_bps == b->nic_bps;
}

bool orr_topology_fits(const orr_topology *t, const orr_node_spec *spec)
{
    static const orr_wiring none = {0};
    const orr_wiring *a = &t->wiring, *b = spec->wiring ? spec->wiring : &none;
    if (spec->gpus != t->spec->gpus || spec->sockets != t->spec->sockets)
        return false;
    if (spec->wiring == t->spec->wiring)
        return true;
    return a->nvswitch_links == b->nvswitch_links && a->switches == b->switches && a->nics == b->nics &&
           same_rates(a, b) && same_matrix(a->nvlinks, b->nvlinks, spec->gpus);
}

/* ---- where a GPU is ---------------------------------------------------------------------------------------------- */

int orr_socket_of(const orr_node_spec *spec, int gpu)
{
    return gpu * spec->sockets / spec->gpus;
}

int orr_switch_of(const orr_node_spec *spec, int gpu)
{
    return spec->wiring && spec->wiring->switches ? gpu * spec->wiring->switches / spec->gpus : 0;
}

static uint64_t members(const orr_node_spec *spec, int (*of)(const orr_node_spec *, int), int which)
{
    uint64_t set = 0;
    for (int g = 0; g < spec->gpus; g++)
        set |= of(spec, g) == which ? bit(g) : 0;
    return set;
}

/* ---- direct ways ------------------------------------------------------------------------------------------------- */

static int links_between(const orr_topology *t, int a, int b)
{
    return t->wiring.nvlinks ? t->wiring.nvlinks[a * t->spec->gpus + b] : t->wiring.nvswitch_links;
}

static double narrower(double a, double b)
{
    return b > 0 && (b < a || a == 0) ? b : a;
}

static double pcie_between(const orr_topology *t, int a, int b)
{
    const orr_wiring *w = &t->wiring;
    double bps = w->pcie_bps;
    if (bps > 0 && w->switches && orr_switch_of(t->spec, a) != orr_switch_of(t->spec, b))
        bps = narrower(bps, w->uplink_bps);
    if (bps > 0 && orr_socket_of(t->spec, a) != orr_socket_of(t->spec, b))
        bps = narrower(bps, w->socket_bps);
    return bps;
}

static double direct(const orr_topology *t, int a, int b)
{
    const double nvlink = links_between(t, a, b) * t->wiring.nvlink_bps, pcie = pcie_between(t, a, b);
    return nvlink > pcie ? nvlink : pcie;
}

static void find_ways(orr_topology *t)
{
    const int n = t->spec->gpus;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            if (a == b)
                continue;
            t->bps[a * n + b] = direct(t, a, b);
            t->linked[a] |= links_between(t, a, b) ? bit(b) : 0;
        }
    }
}

double orr_topology_bps(const orr_topology *t, int a, int b)
{
    return t->bps[a * t->spec->gpus + b];
}

/* ---- islands ----------------------------------------------------------------------------------------------------- */

static void add_island(orr_topology *t, uint64_t set)
{
    if (!(set & (set - 1)) || set == t->all)
        return;
    for (int32_t i = 0; i < t->island_count; i++)
        if (t->islands[i] == set)
            return;
    t->islands[t->island_count++] = set;
}

/* All that NVLink joins to a GPU, over others, too. */
static uint64_t joined(const orr_topology *t, int gpu)
{
    uint64_t set = bit(gpu), seen = 0;
    while (set & ~seen) {
        const int next = orr_lowest_bit(set & ~seen);
        seen |= bit(next);
        set |= t->linked[next];
    }
    return set;
}

static void find_islands(orr_topology *t)
{
    t->islands = orr_xcalloc((size_t)(t->spec->sockets + t->wiring.switches + t->spec->gpus) + 1, sizeof *t->islands);
    for (int s = 0; s < t->spec->sockets; s++)
        add_island(t, members(t->spec, orr_socket_of, s));
    for (int s = 0; s < t->wiring.switches; s++)
        add_island(t, members(t->spec, orr_switch_of, s));
    for (int g = 0; g < t->spec->gpus; g++)
        add_island(t, joined(t, g));
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void make_tables(orr_topology *t)
{
    const int n = t->spec->gpus;
    if (n > ORR_TOPOLOGY_EXACT)
        return;
    const size_t sets = (size_t)1 << n;
    t->subsets = orr_xcalloc(sets * ((size_t)n + 1), sizeof *t->subsets);
    t->rings = orr_xcalloc(sets, sizeof *t->rings);
    for (size_t i = 0; i < sets; i++)
        t->rings[i] = -1;
}

static void copy_wiring(orr_topology *t, const orr_wiring *from)
{
    const size_t size = (size_t)t->spec->gpus * (size_t)t->spec->gpus;
    if (!from)
        return;
    t->wiring = *from;
    if (!from->nvlinks)
        return;
    uint8_t *matrix = orr_xmalloc(size);
    memcpy(matrix, from->nvlinks, size);
    t->wiring.nvlinks = matrix;
}

orr_topology *orr_topology_create(const orr_node_spec *spec)
{
    orr_topology *t = orr_xcalloc(1, sizeof *t);
    const size_t n = (size_t)spec->gpus;
    t->spec = spec;
    t->all = n == 64 ? ~(uint64_t)0 : bit((int)n) - 1;
    copy_wiring(t, spec->wiring);
    t->linked = orr_xcalloc(n + 1, sizeof *t->linked);
    t->bps = orr_xcalloc(n * n + 1, sizeof *t->bps);
    find_ways(t);
    find_islands(t);
    make_tables(t);
    return t;
}

void orr_topology_destroy(orr_topology *t)
{
    if (!t)
        return;
    free((void *)t->wiring.nvlinks);
    free(t->linked);
    free(t->bps);
    free(t->islands);
    free(t->rings);
    free(t->subsets);
    free(t);
}

/* ---- how near ---------------------------------------------------------------------------------------------------- */

static bool all_linked(const orr_topology *t, uint64_t gpus)
{
    for (uint64_t m = gpus; m; m &= m - 1) {
        const int g = orr_lowest_bit(m);
        if (gpus & ~(t->linked[g] | bit(g)))
            return false;
    }
    return true;
}

static bool all_within(const orr_topology *t, uint64_t gpus, int (*of)(const orr_node_spec *, int))
{
    const int where = of(t->spec, orr_lowest_bit(gpus));
    for (uint64_t m = gpus; m; m &= m - 1)
        if (of(t->spec, orr_lowest_bit(m)) != where)
            return false;
    return true;
}

orr_level orr_topology_level(const orr_topology *t, uint64_t gpus)
{
    if (!(gpus & (gpus - 1)))
        return ORR_LEVEL_GPU;
    if (all_linked(t, gpus))
        return ORR_LEVEL_NVLINK;
    if (t->wiring.switches && all_within(t, gpus, orr_switch_of))
        return ORR_LEVEL_SWITCH;
    return all_within(t, gpus, orr_socket_of) ? ORR_LEVEL_SOCKET : ORR_LEVEL_NODE;
}

int32_t orr_topology_distance(const orr_topology *t, int a, int b)
{
    switch (orr_topology_level(t, bit(a) | bit(b))) {
    case ORR_LEVEL_GPU:
        return 0;
    case ORR_LEVEL_NVLINK:
    case ORR_LEVEL_SWITCH:
        return ORR_HOP_NEAR;
    case ORR_LEVEL_SOCKET:
        return ORR_HOP_SOCKET;
    default:
        return ORR_HOP_NODE;
    }
}
