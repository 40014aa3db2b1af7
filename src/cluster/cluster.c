#include "cluster/cluster.h"
#include "cluster/parts.h"
#include "cluster/pools.h"

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
    n->vc = ignore_vcs ? 0 : n->vc;
    if (spec->gpus > c->widest)
        c->widest = spec->gpus;
}

/* Types that GPUs have come before those that only nodes without GPUs state. */
static void number_types(orr_cluster *c)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < c->count; i++) {
            orr_node *n = &c->nodes[i];
            if ((n->spec->gpus > 0) == (pass == 0)) /* a simulation refuses clusters with more types than bits */
                n->type = (uint64_t)1 << (kind_of(&c->type_names, &c->types, n->spec->gpu_type) & 63);
        }
        c->gpu_types = pass == 0 ? c->types : c->gpu_types;
    }
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
    number_types(c);
    orr_pools_make(c);
    make_gangs(c);
    return c;
}

void orr_cluster_destroy(orr_cluster *c)
{
    if (!c)
        return;
    orr_pools_destroy(c);
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

/* Files the node anew. `more`: room grew, be it GPUs, cores or memory; `milli`: by how much more of it is given
 * away. */
static void refile(orr_cluster *c, orr_node *n, int64_t milli, bool more)
{
    n->free_gpus = n->idle & n->usable;
    int32_t free = orr_bit_count(n->free_gpus);
    int64_t left = left_on(n);
    orr_pool_at in[ORR_POOLS_OF_NODE];
    for (int i = orr_pools_of_node(c, n, in) - 1; i >= 0; i--) {
        orr_pool *p = in[i].pool;
        if (free != n->free) {
            orr_bits_remove(&p->by_free[n->free], in[i].place);
            orr_bits_add(&p->by_free[free], in[i].place);
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
    n->milli += milli;
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
    orr_pool_at in[ORR_POOLS_OF_NODE];
    for (int i = orr_pools_of_node(c, n, in) - 1; i >= 0; i--)
        in[i].pool->gpus += more;
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
        for (uint64_t m = n->cuts ? gpus : 0; m; m &= m - 1) /* of whole GPUs no instance is left */
            memset(n->cuts[orr_lowest_bit(m)].stands, 0, sizeof n->cuts->stands);
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
