#include "model/traffic.h"

#include "cluster/topology.h"
#include "model/collective.h"

#include <math.h>

/* The part of a job on one node. */
typedef struct part {
    int32_t node, rack, count;
    uint64_t gpus;
    int8_t gpu[ORR_NODE_MAX_GPUS]; /* their numbers, ascending */
} part;

typedef struct parts {
    part *at;
    int32_t n;
} parts;

typedef struct maker {
    orr_traffic *out;
    orr_cluster *cluster;
    const orr_links *links;
    bool modelled; /* something that takes time was met */
} maker;

static int by_rack_and_node(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->rack != y->rack)
        return x->rack < y->rack ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void list_gpus(part *p)
{
    p->count = 0;
    for (uint64_t m = p->gpus; m; m &= m - 1)
        p->gpu[p->count++] = (int8_t)orr_lowest_bit(m);
}

/* Nodes in the order of the ring; a node with several slices comes once, one without GPUs not at all. */
static parts parts_of(const orr_cluster *c, const orr_slice *slices, int32_t n)
{
    parts p = {.at = orr_xcalloc((size_t)n + 1, sizeof *p.at)};
    for (int32_t i = 0; i < n; i++)
        if (slices[i].gpus)
            p.at[p.n++] = (part){.node = slices[i].node, .rack = c->nodes[slices[i].node].rack, .gpus = slices[i].gpus};
    qsort(p.at, (size_t)p.n, sizeof *p.at, by_rack_and_node);
    int32_t kept = 0;
    for (int32_t i = 0; i < p.n; i++) {
        if (kept && p.at[kept - 1].node == p.at[i].node)
            p.at[kept - 1].gpus |= p.at[i].gpus;
        else
            p.at[kept++] = p.at[i];
    }
    p.n = kept;
    for (int32_t i = 0; i < p.n; i++)
        list_gpus(&p.at[i]);
    return p;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static void add_path(const maker *m, orr_flow_uses *uses, int32_t from_node, int from, int32_t to_node, int to,
                     double load)
{
    int32_t path[ORR_LINKS_PATH];
    const int n = orr_links_path(m->links, from_node, from, to_node, to, path);
    for (int i = 0; i < n; i++)
        ORR_VEC_PUSH(uses, ((orr_flow_use){path[i], load}));
}

static int by_link(const void *a, const void *b)
{
    const orr_flow_use *x = a, *y = b;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return (x->load > y->load) - (x->load < y->load); /* so that sums come out the same whatever qsort does */
}

static void merge(orr_flow_uses *uses)
{
    size_t kept = 0;
    if (uses->n)
        qsort(uses->at, uses->n, sizeof *uses->at, by_link);
    for (size_t i = 0; i < uses->n; i++) {
        if (kept && uses->at[kept - 1].link == uses->at[i].link)
            uses->at[kept - 1].load += uses->at[i].load;
        else
            uses->at[kept++] = uses->at[i];
    }
    uses->n = kept;
}

/* ---- inside nodes ------------------------------------------------------------------------------------------------ */

/* Is a ring as fast as this one made of NVLink? */
static bool over_nvlink(const orr_node *n, double ring)
{
    const orr_wiring *w = n->spec->wiring;
    return w && w->nvlink_bps > 0 && ring > w->pcie_bps;
}

static double ring_inside(maker *m, const part *p)
{
    const double ring = orr_topology_ring(orr_cluster_topology(m->cluster, p->node), p->gpus);
    const orr_exchange x = orr_collective_exchange(ORR_ALL_REDUCE_RING, p->count);
    const bool nvlink = over_nvlink(&m->cluster->nodes[p->node], ring);
    if (ring > 0) {
        m->modelled = true;
        m->out->inside_bps = fmin(m->out->inside_bps, ring / x.volume);
    }
    for (int32_t i = 0; i < p->count && !nvlink; i++)
        add_path(m, &m->out->inside, p->node, p->gpu[i], p->node, p->gpu[(i + 1) % p->count], x.volume);
    return ring > 0 ? x.steps * (nvlink ? ORR_LATENCY_NVLINK : ORR_LATENCY_PCIE) : 0;
}

/* Nodes work side by side: the slowest counts. */
static void reduce_inside(maker *m, const parts *p)
{
    double latency = 0;
    for (int32_t i = 0; i < p->n; i++)
        if (p->at[i].count > 1)
            latency = fmax(latency, ring_inside(m, &p->at[i]));
    merge(&m->out->inside);
    m->out->latency += latency;
}

/* ---- between nodes ----------------------------------------------------------------------------------------------- */

/* As many streams as the larger of two nodes has GPUs; the GPUs of the smaller one take several each. */
static void ring_step(const maker *m, const part *from, const part *to, double volume)
{
    const int32_t streams = from->count > to->count ? from->count : to->count;
    for (int32_t s = 0; s < streams; s++)
        add_path(m, &m->out->between, from->node, from->gpu[s * from->count / streams], to->node,
                 to->gpu[s * to->count / streams], volume / streams);
}

static void pass_network(maker *m, double steps)
{
    if (!m->out->between.n)
        return;
    m->modelled = true;
    m->out->latency += steps * ORR_LATENCY_NETWORK;
}

static void reduce_between(maker *m, const parts *p)
{
    const orr_exchange x = orr_collective_exchange(ORR_ALL_REDUCE_RING, p->n);
    for (int32_t i = 0; i < p->n && p->n > 1; i++)
        ring_step(m, &p->at[i], &p->at[(i + 1) % p->n], x.volume);
    merge(&m->out->between);
    pass_network(m, x.steps);
}

/* ---- parameter servers ------------------------------------------------------------------------------------------- */

/* Server s is on the job's node s mod n: how many are on node i. */
static int32_t servers_on(const parts *p, int32_t servers, int32_t i)
{
    return servers / p->n + (i < servers % p->n);
}

static void pass_once(const maker *m, const parts *p, int32_t servers, bool push, orr_flow_uses *uses)
{
    for (int32_t w = 0; w < p->n; w++) {
        for (int32_t s = 0; s < p->n && s < servers; s++) {
            const double load = (double)servers_on(p, servers, s) / servers;
            const part *from = push ? &p->at[w] : &p->at[s], *to = push ? &p->at[s] : &p->at[w];
            for (int32_t g = 0; g < p->at[w].count && w != s; g++)
                add_path(m, uses, from->node, push ? from->gpu[g] : from->gpu[0], to->node,
                         push ? to->gpu[0] : to->gpu[g], load);
        }
    }
    merge(uses);
}

/* Both passes take as long as the one that loads a link more: twice that, on every link of either. */
static void exchange_with_servers(maker *m, const parts *p, int32_t servers)
{
    orr_flow_uses push = {0}, pull = {0};
    pass_once(m, p, servers, true, &push);
    pass_once(m, p, servers, false, &pull);
    for (size_t i = 0, k = 0; i < push.n || k < pull.n;) {
        const int32_t a = i < push.n ? push.at[i].link : INT32_MAX, b = k < pull.n ? pull.at[k].link : INT32_MAX;
        const double out = a <= b ? push.at[i++].load : 0, back = b <= a ? pull.at[k++].load : 0;
        ORR_VEC_PUSH(&m->out->between, ((orr_flow_use){a < b ? a : b, 2 * fmax(out, back)}));
    }
    ORR_VEC_FREE(&push);
    ORR_VEC_FREE(&pull);
    pass_network(m, 2);
}

void orr_traffic_of(orr_traffic *out, orr_cluster *c, const orr_links *links, const orr_slice *slices, int32_t n,
                    int32_t servers)
{
    maker m = {.out = out, .cluster = c, .links = links};
    parts p = parts_of(c, slices, n);
    out->inside.n = out->between.n = 0;
    out->inside_bps = INFINITY;
    out->latency = 0;
    if (servers > 0) {
        exchange_with_servers(&m, &p, servers);
    } else {
        reduce_inside(&m, &p);
        reduce_between(&m, &p);
    }
    if (m.modelled)
        out->latency += ORR_LATENCY_BASE;
    free(p.at);
}

void orr_traffic_fini(orr_traffic *traffic)
{
    ORR_VEC_FREE(&traffic->inside);
    ORR_VEC_FREE(&traffic->between);
}
