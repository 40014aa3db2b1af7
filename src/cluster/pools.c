/* Pools of nodes: of each VC, of all, and below each of them, once somebody looks at some types only, of each GPU
 * type. */
#include "cluster/pools.h"

#include "base/mem.h"
#include "cluster/hosts.h"
#include "cluster/parts.h"
#include "cluster/racks.h"

#include <stdlib.h>

/* ---- making them ------------------------------------------------------------------------------------------------- */

static void begin(orr_pool *p, int32_t vc, int32_t nodes)
{
    p->vc = vc;
    p->nodes = orr_xcalloc((size_t)nodes + 1, sizeof(int32_t));
}

/* Returns its place. */
static int32_t add(const orr_cluster *c, orr_pool *p, int32_t node)
{
    const orr_node *n = &c->nodes[node];
    p->nodes[p->count] = node;
    p->gpus += orr_bit_count(n->up);
    p->free += n->free;
    p->left += n->left;
    p->milli += n->milli;
    p->types |= n->type;
    if (n->spec->gpus > p->widest)
        p->widest = n->spec->gpus;
    return p->count++;
}

static void file(const orr_cluster *c, orr_pool *p)
{
    p->by_free = orr_xcalloc((size_t)p->widest + 1, sizeof *p->by_free);
    for (int32_t f = 0; f <= p->widest; f++)
        orr_bits_init(&p->by_free[f], p->count);
    for (int32_t i = 0; i < p->count; i++)
        orr_bits_add(&p->by_free[c->nodes[p->nodes[i]].free], i);
}

static int32_t count_of(const orr_cluster *c)
{
    return c->vcs > 1 ? c->vcs + 1 : 1;
}

void orr_pools_make(orr_cluster *c)
{
    const int32_t pools = count_of(c);
    c->pools = orr_xcalloc((size_t)pools, sizeof *c->pools);
    int32_t *sizes = orr_xcalloc((size_t)pools, sizeof *sizes);
    for (int32_t i = 0; i < c->count; i++)
        sizes[c->nodes[i].vc]++;
    for (int32_t p = 0; p < pools; p++)
        begin(&c->pools[p], p == c->vcs || c->vcs == 1 ? -1 : p, p == c->vcs ? c->count : sizes[p]);
    for (int32_t i = 0; i < c->count; i++) {
        orr_node *n = &c->nodes[i];
        n->place[0] = add(c, &c->pools[n->vc], i);
        if (c->vcs > 1)
            n->place[1] = add(c, &c->pools[c->vcs], i);
    }
    for (int32_t p = 0; p < pools; p++)
        file(c, &c->pools[p]);
    free(sizes);
}

static void fini(orr_pool *p)
{
    for (int32_t f = 0; f <= p->widest; f++)
        orr_bits_fini(&p->by_free[f]);
    free(p->by_free);
    orr_parts_fini(p);
    orr_hosts_fini(p);
    free(p->nodes);
    orr_racks_destroy(p->racks);
}

static int32_t type_count(const orr_cluster *c)
{
    return c->types < ORR_MAX_TYPES ? c->types : ORR_MAX_TYPES;
}

void orr_pools_destroy(orr_cluster *c)
{
    for (int32_t p = 0; p < count_of(c); p++) {
        for (int32_t t = 0; c->pools[p].by_type && t < type_count(c); t++)
            fini(&c->pools[p].by_type[t]);
        free(c->pools[p].by_type);
        fini(&c->pools[p]);
    }
    free(c->pools);
}

/* ---- by type ----------------------------------------------------------------------------------------------------- */

/* Which of a node's two places is that in this pool, or in those below it? */
static int which_place(const orr_cluster *c, const orr_pool *p)
{
    return c->vcs > 1 && p->vc < 0;
}

static void split(const orr_cluster *c, orr_pool *p)
{
    const int which = which_place(c, p);
    p->by_type = orr_xcalloc((size_t)type_count(c), sizeof *p->by_type);
    int32_t sizes[ORR_MAX_TYPES] = {0};
    for (int32_t i = 0; i < p->count; i++)
        sizes[orr_lowest_bit(c->nodes[p->nodes[i]].type)]++;
    for (int32_t t = 0; t < type_count(c); t++)
        begin(&p->by_type[t], p->vc, sizes[t]);
    for (int32_t i = 0; i < p->count; i++) {
        orr_node *n = &c->nodes[p->nodes[i]];
        n->type_place[which] = add(c, &p->by_type[orr_lowest_bit(n->type)], p->nodes[i]);
    }
    for (int32_t t = 0; t < type_count(c); t++)
        file(c, &p->by_type[t]);
    for (int32_t i = 0; i < p->count; i++) {
        const orr_node *n = &c->nodes[p->nodes[i]];
        orr_parts_file_in(&p->by_type[orr_lowest_bit(n->type)], n->type_place[which], n);
    }
}

int32_t orr_cluster_pools(const orr_cluster *c, int32_t vc, uint64_t types, orr_pool *out[ORR_MAX_TYPES])
{
    orr_pool *p = orr_cluster_pool(c, vc);
    int32_t n = 0;
    if (!types || !(p->types & ~types)) {
        out[0] = p;
        return 1;
    }
    if (!p->by_type)
        split(c, p);
    for (uint64_t m = types & p->types; m; m &= m - 1)
        out[n++] = &p->by_type[orr_lowest_bit(m)];
    return n;
}

int orr_pools_of_node(const orr_cluster *c, const orr_node *n, orr_pool_at out[ORR_POOLS_OF_NODE])
{
    int count = 0;
    for (int which = 0; which < (c->vcs > 1 ? 2 : 1); which++) {
        orr_pool *p = which ? &c->pools[c->vcs] : &c->pools[n->vc];
        out[count++] = (orr_pool_at){p, n->place[which]};
        if (p->by_type)
            out[count++] = (orr_pool_at){&p->by_type[orr_lowest_bit(n->type)], n->type_place[which]};
    }
    return count;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

orr_pool *orr_cluster_pool(const orr_cluster *c, int32_t vc)
{
    if (c->vcs == 1)
        return &c->pools[0];
    return &c->pools[vc < 0 ? c->vcs : vc];
}

int32_t orr_pool_place(const orr_cluster *c, const orr_pool *p, int32_t node)
{
    const orr_node *n = &c->nodes[node];
    const int which = which_place(c, p);
    if ((p->vc >= 0 && n->vc != p->vc) || !(p->types & n->type))
        return -1;
    return p == orr_cluster_pool(c, p->vc) ? n->place[which] : n->type_place[which];
}

/* The position of the pool's first node behind node `after`, which may lie outside the pool. */
static int32_t position_after(const orr_cluster *c, const orr_pool *p, int32_t after)
{
    if (after < 0)
        return 0;
    const int32_t place = after < c->count ? orr_pool_place(c, p, after) : -1;
    if (place >= 0)
        return place + 1;
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

int32_t orr_pool_next(const orr_cluster *c, const orr_pool *p, int32_t free, int32_t after)
{
    if (free < 0 || free > p->widest)
        return -1;
    int32_t place = orr_bits_next(&p->by_free[free], position_after(c, p, after));
    return place < 0 ? -1 : p->nodes[place];
}

/* With free GPUs from `low` to `high`, in any of the pools. */
static int32_t first_of(const orr_cluster *c, orr_pool *const *in, int32_t n, int32_t low, int32_t high, int32_t after)
{
    int32_t best = -1;
    for (int32_t i = 0; i < n; i++)
        for (int32_t f = low; f <= high && f <= in[i]->widest; f++) {
            int32_t node = orr_pool_next(c, in[i], f, after);
            best = node >= 0 && (best < 0 || node < best) ? node : best;
        }
    return best;
}

int32_t orr_pool_with_free(const orr_cluster *c, int32_t vc, uint64_t types, int32_t free, int32_t after)
{
    orr_pool *in[ORR_MAX_TYPES];
    return first_of(c, in, orr_cluster_pools(c, vc, types, in), free, free, after);
}

int32_t orr_pool_with_at_least(const orr_cluster *c, int32_t vc, uint64_t types, int32_t free, int32_t after)
{
    orr_pool *in[ORR_MAX_TYPES];
    return first_of(c, in, orr_cluster_pools(c, vc, types, in), free, ORR_NODE_MAX_GPUS, after);
}
