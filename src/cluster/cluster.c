#include "cluster/cluster.h"
#include "cluster/hosts.h"
#include "cluster/parts.h"

#include "base/assert.h"
#include "base/mem.h"
#include "cluster/mig.h"
#include "cluster/racks.h"
#include "cluster/topology.h"

#include <stdlib.h>

/* The index of a text in a list of texts seen so far, which grows. Clusters have few kinds: a linear look is enough. */
static int32_t kind_of(const char ***list, int32_t *n, const char *text)
{
    for (int32_t i = 0; i < *n; i++)
        if (strcmp((*list)[i], text) == 0)
            return i;
    *list = orr_xrealloc(*list, (size_t)*n + 1, sizeof **list);
    (*list)[*n] = text;
    return (*n)++;
}

static void init_node(orr_cluster *c, int32_t i, const orr_node_spec *spec, bool ignore_vcs)
{
    orr_node *n = &c->nodes[i];
    n->spec = spec;
    n->all = spec->gpus >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << spec->gpus) - 1;
    n->up = n->usable = n->idle = n->free_gpus = n->all;
    n->takes = true;
    n->free = spec->gpus;
    n->left = INT64_C(1000) * spec->gpus;
    n->cpu_milli_free = INT64_C(1000) * spec->cpus;
    n->mem_free = spec->mem_bytes;
    n->mig = spec->mig ? orr_mig_model_of(spec->gpu_type) : NULL;
    n->rack = kind_of(&c->rack_names, &c->racks, spec->rack);
    int32_t type = kind_of(&c->type_names, &c->types, spec->gpu_type);
    n->type = (uint64_t)1 << (type & 63); /* a simulation refuses clusters with more types */
    n->vc = ignore_vcs ? 0 : n->vc;
    if (spec->gpus > c->widest)
        c->widest = spec->gpus;
}

static void pool_add(orr_cluster *c, orr_pool *p, int which, int32_t node)
{
    orr_node *n = &c->nodes[node];
    n->place[which] = p->count;
    p->nodes[p->count++] = node;
    p->gpus += n->free;
    p->free += n->free;
    p->left += n->left;
    if (n->spec->gpus > p->widest)
        p->widest = n->spec->gpus;
}

static void pool_index(orr_cluster *c, orr_pool *p)
{
    p->by_free = orr_xcalloc((size_t)p->widest + 1, sizeof *p->by_free);
    for (int32_t f = 0; f <= p->widest; f++)
        orr_bits_init(&p->by_free[f], p->count);
    for (int32_t i = 0; i < p->count; i++)
        orr_bits_add(&p->by_free[c->nodes[p->nodes[i]].free], i);
}

static void make_pools(orr_cluster *c)
{
    int32_t pools = c->vcs > 1 ? c->vcs + 1 : 1;
    c->pools = orr_xcalloc((size_t)pools, sizeof *c->pools);
    int32_t *sizes = orr_xcalloc((size_t)pools, sizeof *sizes);
    for (int32_t i = 0; i < c->count; i++)
        sizes[c->nodes[i].vc]++;
    if (c->vcs > 1)
        sizes[c->vcs] = c->count;
    for (int32_t p = 0; p < pools; p++)
        c->pools[p].nodes = orr_xcalloc((size_t)sizes[p] + 1, sizeof(int32_t));
    for (int32_t i = 0; i < c->count; i++) {
        pool_add(c, &c->pools[c->nodes[i].vc], 0, i);
        if (c->vcs > 1)
            pool_add(c, &c->pools[c->vcs], 1, i);
    }
    for (int32_t p = 0; p < pools; p++)
        pool_index(c, &c->pools[p]);
    free(sizes);
}

static void make_gangs(orr_cluster *c)
{
    size_t n = 0;
    for (int32_t i = 0; i < c->count; i++)
        n += (size_t)c->nodes[i].spec->gpus + 1;
    c->gangs = orr_xcalloc(n + 1, sizeof *c->gangs);
    n = 0;
    for (int32_t i = 0; i < c->count; i++) {
        c->nodes[i].gangs = c->gangs + n;
        n += (size_t)c->nodes[i].spec->gpus + 1;
    }
}

static void name_vcs(orr_cluster *c, const orr_cluster_spec *spec, bool ignore_vcs)
{
    c->tenants = !ignore_vcs && orr_cluster_spec_tenants(spec) ? orr_cluster_spec_vcs(spec) : 0;
    c->vcs = ignore_vcs || c->tenants ? 1 : orr_cluster_spec_vcs(spec);
    c->vc_names = orr_xcalloc((size_t)orr_cluster_owners(c) + 1, sizeof *c->vc_names);
    c->quotas = orr_xcalloc((size_t)c->tenants + 1, sizeof *c->quotas);
    for (int32_t v = 0; v < orr_cluster_owners(c); v++)
        c->vc_names[v] = ignore_vcs ? "" : orr_cluster_spec_vc(spec, v);
    for (int32_t v = 0; v < c->tenants; v++)
        c->quotas[v] = orr_cluster_spec_quota(spec, v).gpus;
}

orr_cluster *orr_cluster_create(const orr_cluster_spec *spec, bool ignore_vcs)
{
    orr_cluster *c = orr_xcalloc(1, sizeof *c);
    c->count = orr_cluster_spec_nodes(spec);
    c->nodes = orr_xcalloc((size_t)c->count + 1, sizeof *c->nodes);
    name_vcs(c, spec, ignore_vcs);
    for (int32_t i = 0; i < c->count; i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        c->nodes[i].vc = c->vcs == 1 ? 0 : orr_cluster_spec_find_vc(spec, node->vc);
        init_node(c, i, node, ignore_vcs);
    }
    make_pools(c);
    make_gangs(c);
    return c;
}

void orr_cluster_destroy(orr_cluster *c)
{
    if (!c)
        return;
    int32_t pools = c->vcs > 1 ? c->vcs + 1 : 1;
    for (int32_t p = 0; p < pools; p++) {
        for (int32_t f = 0; f <= c->pools[p].widest; f++)
            orr_bits_fini(&c->pools[p].by_free[f]);
        free(c->pools[p].by_free);
        orr_parts_fini(&c->pools[p]);
        orr_hosts_fini(&c->pools[p]);
        free(c->pools[p].nodes);
        orr_racks_destroy(c->pools[p].racks);
    }
    free(c->pools);
    free(c->vc_names);
    free(c->quotas);
    free(c->rack_names);
    free(c->type_names);
    for (int32_t i = 0; i < c->count; i++) {
        free(c->nodes[i].parts);
        free(c->nodes[i].cuts);
    }
    for (int32_t i = 0; i < c->topology_count; i++)
        orr_topology_destroy(c->topologies[i]);
    free(c->topologies);
    free(c->gangs);
    free(c->free_at);
    free(c->changes);
    free(c->nodes);
    free(c);
}

orr_pool *orr_cluster_pool(const orr_cluster *c, int32_t vc)
{
    if (c->vcs == 1)
        return &c->pools[0];
    return &c->pools[vc < 0 ? c->vcs : vc];
}

static struct orr_topology *find_topology(orr_cluster *c, const orr_node_spec *spec)
{
    for (int32_t i = 0; i < c->topology_count; i++)
        if (orr_topology_fits(c->topologies[i], spec))
            return c->topologies[i];
    c->topologies = orr_xrealloc(c->topologies, (size_t)c->topology_count + 1, sizeof *c->topologies);
    return c->topologies[c->topology_count++] = orr_topology_create(spec);
}

struct orr_topology *orr_cluster_topology(orr_cluster *c, int32_t node)
{
    orr_node *n = &c->nodes[node];
    if (!n->topology)
        n->topology = find_topology(c, n->spec);
    return n->topology;
}

int64_t orr_cluster_quota(const orr_cluster *c, int32_t vc)
{
    return c->tenants ? c->quotas[vc] : orr_cluster_pool(c, vc)->gpus;
}

/* ---- who follows changes ----------------------------------------------------------------------------------------- */

/* How many changes are remembered: a listener further behind than that had better look at every node. */
static uint64_t ring_size(const orr_cluster *c)
{
    return 64 + 4 * (uint64_t)c->count;
}

void orr_cluster_watch(orr_cluster *c)
{
    if (!c->changes)
        c->changes = orr_xcalloc(ring_size(c), sizeof *c->changes);
}

bool orr_cluster_changes(const orr_cluster *c, uint64_t *seen, void (*each)(void *self, int32_t node), void *self)
{
    uint64_t n = ring_size(c), from = *seen;
    *seen = c->change_count;
    if (from > c->change_count || c->change_count - from > n)
        return false;
    for (; from < *seen; from++)
        each(self, c->changes[from % n]);
    return true;
}

/* ---- what is free ------------------------------------------------------------------------------------------------ */

static int64_t left_on(const orr_node *n)
{
    int64_t left = (int64_t)orr_bit_count(n->free_gpus) * ORR_WHOLE_GPU;
    for (uint64_t m = n->shared & n->usable; m; m &= m - 1)
        left += orr_node_part_free(n, orr_lowest_bit(m));
    return left;
}

/* Files the node anew. `more`: room grew, be it GPUs, cores or memory; `milli`: by how much more of it is given away. */
static void refile(orr_cluster *c, orr_node *n, int64_t milli, bool more)
{
    n->free_gpus = n->idle & n->usable;
    int32_t free = orr_bit_count(n->free_gpus);
    int64_t left = left_on(n);
    for (int which = 0; which < (c->vcs > 1 ? 2 : 1); which++) {
        orr_pool *p = which ? &c->pools[c->vcs] : &c->pools[n->vc];
        if (free != n->free) {
            orr_bits_remove(&p->by_free[n->free], n->place[which]);
            orr_bits_add(&p->by_free[free], n->place[which]);
        }
        p->free += free - n->free;
        p->milli += milli;
        p->left += left - n->left;
        p->releases += more;
        if (p->racks && (free == n->spec->gpus) != (n->free == n->spec->gpus))
            orr_racks_refile(p->racks, n->rack, free == n->spec->gpus);
    }
    n->free = free;
    n->left = left;
    if (c->changes)
        c->changes[c->change_count++ % ring_size(c)] = (int32_t)(n - c->nodes);
}

void orr_cluster_set_up(orr_cluster *c, int32_t node, uint64_t gpus, bool takes)
{
    orr_node *n = &c->nodes[node];
    uint64_t before = n->usable;
    bool opens = takes && !n->takes;
    orr_parts_unfile(c, n);
    int32_t more = orr_bit_count(gpus & n->all) - orr_bit_count(n->up);
    n->up = gpus & n->all;
    n->takes = takes;
    n->usable = takes ? n->up : 0;
    orr_parts_file(c, n);
    c->pools[n->vc].gpus += more;
    if (c->vcs > 1)
        c->pools[c->vcs].gpus += more;
    refile(c, n, 0, opens || (n->usable & ~before) != 0);
}

/* ---- GPUs change hands ---- */

static int64_t milli_of(uint64_t gpus, orr_share share)
{
    return (int64_t)orr_bit_count(gpus) * (orr_share_is_whole(share) ? ORR_WHOLE_GPU : share.milli);
}

void orr_cluster_take(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share)
{
    orr_node *n = &c->nodes[node];
    if (orr_share_is_whole(share)) {
        ORR_ASSERT((n->idle & gpus) == gpus, "a GPU is given away twice");
        n->idle &= ~gpus;
        if (gpus)
            n->gangs[orr_bit_count(gpus)]++;
    } else {
        ORR_ASSERT(((n->idle | n->shared) & gpus) == gpus, "a GPU is shared that somebody has alone");
        orr_parts_take(c, n, gpus, share);
    }
    if (n->spec->cpus)
        n->cpu_milli_free -= share.cpu_milli;
    if (n->spec->mem_bytes)
        n->mem_free -= share.mem;
    ORR_ASSERT(n->cpu_milli_free >= 0 && n->mem_free >= 0, "cores or memory of a node are given away twice");
    refile(c, n, milli_of(gpus, share), false);
}

void orr_cluster_give(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share)
{
    orr_node *n = &c->nodes[node];
    if (orr_share_is_whole(share)) {
        ORR_ASSERT(((n->idle | n->shared) & gpus) == 0 && (n->all & gpus) == gpus, "a GPU is given back twice");
        n->idle |= gpus;
        if (gpus)
            n->gangs[orr_bit_count(gpus)]--;
    } else {
        ORR_ASSERT((n->shared & gpus) == gpus, "a part of a GPU is given back that nobody had");
        orr_parts_give(c, n, gpus, share);
    }
    if (n->spec->cpus)
        n->cpu_milli_free += share.cpu_milli;
    if (n->spec->mem_bytes)
        n->mem_free += share.mem;
    refile(c, n, -milli_of(gpus, share), true);
}

/* The position of the pool's first node behind node `after`, which may lie outside the pool. */
static int32_t position_after(const orr_cluster *c, const orr_pool *p, int32_t after)
{
    if (after < 0)
        return 0;
    bool all = c->vcs > 1 && p == &c->pools[c->vcs];
    if (after < c->count && (all || p == &c->pools[c->nodes[after].vc]))
        return c->nodes[after].place[all] + 1;
    int32_t low = 0, high = p->count;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (p->nodes[mid] > after)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

int32_t orr_pool_with_free(const orr_cluster *c, int32_t vc, int32_t free, int32_t after)
{
    const orr_pool *p = orr_cluster_pool(c, vc);
    if (free < 0 || free > p->widest)
        return -1;
    int32_t place = orr_bits_next(&p->by_free[free], position_after(c, p, after));
    return place < 0 ? -1 : p->nodes[place];
}

int32_t orr_pool_with_at_least(const orr_cluster *c, int32_t vc, int32_t free, int32_t after)
{
    const orr_pool *p = orr_cluster_pool(c, vc);
    int32_t best = -1;
    for (int32_t f = free; f <= p->widest; f++) {
        int32_t node = orr_pool_with_free(c, vc, f, after);
        if (node >= 0 && (best < 0 || node < best))
            best = node;
    }
    return best;
}

static uint64_t type_named(const orr_cluster *c, const char *name, size_t n)
{
    for (int32_t i = 0; i < c->types; i++)
        if (strlen(c->type_names[i]) == n && memcmp(c->type_names[i], name, n) == 0)
            return (uint64_t)1 << i;
    return 0;
}

uint64_t orr_cluster_types_named(const orr_cluster *c, const char *list)
{
    if (!list[0])
        return ORR_ANY_TYPE;
    uint64_t types = 0;
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, "|");
        types |= n ? type_named(c, at, n) : 0;
        at += n;
        if (!*at)
            return types;
    }
}
