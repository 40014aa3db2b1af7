#include "cluster/racks.h"

#include "base/mem.h"
#include "cluster/pools.h"

struct orr_racks {
    int32_t *idle;                        /* [racks] wholly free nodes */
    int32_t *first, *last;                /* [racks] the lowest and the highest node */
    orr_bits by_idle[ORR_RACKS_MANY + 1]; /* racks, by their count */
};

static int32_t held(int32_t idle)
{
    return idle < ORR_RACKS_MANY ? idle : ORR_RACKS_MANY;
}

static void count_nodes(struct orr_racks *r, const orr_cluster *c, const orr_pool *p)
{
    for (int32_t i = 0; i < p->count; i++) {
        const orr_node *n = &c->nodes[p->nodes[i]];
        r->idle[n->rack] += n->spec->gpus > 0 && n->free == n->spec->gpus;
        if (r->first[n->rack] < 0)
            r->first[n->rack] = p->nodes[i];
        r->last[n->rack] = p->nodes[i];
    }
}

static struct orr_racks *create(const orr_cluster *c, const orr_pool *p)
{
    struct orr_racks *r = orr_xcalloc(1, sizeof *r);
    r->idle = orr_xcalloc((size_t)c->racks + 1, sizeof *r->idle);
    r->first = orr_xcalloc((size_t)c->racks + 1, sizeof *r->first);
    r->last = orr_xcalloc((size_t)c->racks + 1, sizeof *r->last);
    for (int32_t i = 0; i < c->racks; i++)
        r->first[i] = r->last[i] = -1;
    count_nodes(r, c, p);
    for (int32_t i = 0; i <= ORR_RACKS_MANY; i++)
        orr_bits_init(&r->by_idle[i], c->racks);
    for (int32_t i = 0; i < c->racks; i++)
        if (r->first[i] >= 0)
            orr_bits_add(&r->by_idle[held(r->idle[i])], i);
    return r;
}

void orr_racks_destroy(struct orr_racks *r)
{
    if (!r)
        return;
    for (int32_t i = 0; i <= ORR_RACKS_MANY; i++)
        orr_bits_fini(&r->by_idle[i]);
    free(r->idle);
    free(r->first);
    free(r->last);
    free(r);
}

void orr_racks_refile(struct orr_racks *r, int32_t rack, bool idle)
{
    const int32_t before = held(r->idle[rack]);
    r->idle[rack] += idle ? 1 : -1;
    const int32_t after = held(r->idle[rack]);
    if (before == after)
        return;
    orr_bits_remove(&r->by_idle[before], rack);
    orr_bits_add(&r->by_idle[after], rack);
}

static struct orr_racks *racks_of(const orr_cluster *c, orr_pool *p)
{
    if (!p->racks)
        p->racks = create(c, p);
    return p->racks;
}

/* Whether the pools have nodes in this rack, and how many of them are wholly free. */
static bool count_idle(const orr_cluster *c, orr_pool *const *in, int32_t n, int32_t rack, int32_t *idle)
{
    bool any = false;
    *idle = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct orr_racks *r = racks_of(c, in[i]);
        any |= r->first[rack] >= 0;
        *idle += r->idle[rack];
    }
    *idle = held(*idle);
    return any;
}

int32_t orr_racks_with_idle(orr_cluster *c, int32_t vc, uint64_t types, int32_t idle, int32_t after)
{
    orr_pool *in[ORR_MAX_TYPES];
    const int32_t n = orr_cluster_pools(c, vc, types, in);
    int32_t rack = after < 0 ? 0 : after + 1, has;
    if (idle < 0 || idle > ORR_RACKS_MANY || rack >= c->racks)
        return -1;
    if (n == 1)
        return orr_bits_next(&racks_of(c, in[0])->by_idle[idle], rack);
    for (; rack < c->racks; rack++)
        if (count_idle(c, in, n, rack, &has) && has == idle)
            return rack;
    return -1;
}

static int32_t node_with_free(orr_cluster *c, orr_pool *p, int32_t rack, int32_t free, int32_t after)
{
    const struct orr_racks *r = racks_of(c, p);
    if (rack < 0 || rack >= c->racks || r->first[rack] < 0)
        return -1;
    int32_t node = after >= r->first[rack] ? after : r->first[rack] - 1;
    do {
        c->nodes_examined++;
        node = orr_pool_next(c, p, free, node);
    } while (node >= 0 && node <= r->last[rack] && c->nodes[node].rack != rack);
    return node <= r->last[rack] ? node : -1;
}

int32_t orr_racks_node_with_free(orr_cluster *c, int32_t vc, uint64_t types, int32_t rack, int32_t free, int32_t after)
{
    orr_pool *in[ORR_MAX_TYPES];
    const int32_t n = orr_cluster_pools(c, vc, types, in);
    int32_t best = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t node = node_with_free(c, in[i], rack, free, after);
        best = node >= 0 && (best < 0 || node < best) ? node : best;
    }
    return best;
}
