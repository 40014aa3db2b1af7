#include "cluster/cluster.h"

#include "base/assert.h"
#include "base/mem.h"

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
    n->free_gpus = n->all;
    n->free = spec->gpus;
    n->cpus_free = spec->cpus;
    n->mem_free = spec->mem_bytes;
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

orr_cluster *orr_cluster_create(const orr_cluster_spec *spec, bool ignore_vcs)
{
    orr_cluster *c = orr_xcalloc(1, sizeof *c);
    c->count = orr_cluster_spec_nodes(spec);
    c->nodes = orr_xcalloc((size_t)c->count + 1, sizeof *c->nodes);
    c->vcs = ignore_vcs ? 1 : orr_cluster_spec_vcs(spec);
    c->vc_names = orr_xcalloc((size_t)c->vcs + 1, sizeof *c->vc_names);
    for (int32_t v = 0; v < c->vcs; v++)
        c->vc_names[v] = ignore_vcs ? "" : orr_cluster_spec_vc(spec, v);
    for (int32_t i = 0; i < c->count; i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        c->nodes[i].vc = ignore_vcs ? 0 : orr_cluster_spec_find_vc(spec, node->vc);
        init_node(c, i, node, ignore_vcs);
    }
    make_pools(c);
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
        free(c->pools[p].nodes);
    }
    free(c->pools);
    free(c->vc_names);
    free(c->rack_names);
    free(c->type_names);
    free(c->free_at);
    free(c->touched);
    free(c->is_touched);
    free(c->nodes);
    free(c);
}

orr_pool *orr_cluster_pool(const orr_cluster *c, int32_t vc)
{
    if (c->vcs == 1)
        return &c->pools[0];
    return &c->pools[vc < 0 ? c->vcs : vc];
}

bool orr_cluster_watch(orr_cluster *c)
{
    if (c->is_touched)
        return false;
    c->touched = orr_xcalloc((size_t)c->count + 1, sizeof *c->touched);
    c->is_touched = orr_xcalloc((size_t)c->count + 1, sizeof *c->is_touched);
    return true;
}

int32_t orr_cluster_take_touched(orr_cluster *c, const int32_t **nodes)
{
    int32_t n = c->touched_count;
    for (int32_t i = 0; i < n; i++)
        c->is_touched[c->touched[i]] = false;
    c->touched_count = 0;
    *nodes = c->touched;
    return n;
}

static void touch(orr_cluster *c, int32_t node)
{
    if (!c->is_touched || c->is_touched[node])
        return;
    c->is_touched[node] = true;
    c->touched[c->touched_count++] = node;
}

/* `more`: room grew, be it GPUs, cores or memory. */
static void refile(orr_cluster *c, orr_node *n, int32_t free, bool more)
{
    for (int which = 0; which < (c->vcs > 1 ? 2 : 1); which++) {
        orr_pool *p = which ? &c->pools[c->vcs] : &c->pools[n->vc];
        orr_bits_remove(&p->by_free[n->free], n->place[which]);
        orr_bits_add(&p->by_free[free], n->place[which]);
        p->free += free - n->free;
        p->releases += more;
    }
    touch(c, (int32_t)(n - c->nodes));
    n->free = free;
}

void orr_cluster_take(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share)
{
    orr_node *n = &c->nodes[node];
    ORR_ASSERT((n->free_gpus & gpus) == gpus, "a GPU is given away twice");
    n->free_gpus &= ~gpus;
    if (n->spec->cpus)
        n->cpus_free -= share.cpus;
    if (n->spec->mem_bytes)
        n->mem_free -= share.mem;
    ORR_ASSERT(n->cpus_free >= 0 && n->mem_free >= 0, "cores or memory of a node are given away twice");
    refile(c, n, n->free - orr_bit_count(gpus), false);
}

void orr_cluster_give(orr_cluster *c, int32_t node, uint64_t gpus, orr_share share)
{
    orr_node *n = &c->nodes[node];
    ORR_ASSERT((n->free_gpus & gpus) == 0 && (n->all & gpus) == gpus, "a GPU is given back twice");
    n->free_gpus |= gpus;
    if (n->spec->cpus)
        n->cpus_free += share.cpus;
    if (n->spec->mem_bytes)
        n->mem_free += share.mem;
    refile(c, n, n->free + orr_bit_count(gpus), true);
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
