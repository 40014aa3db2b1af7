#include "cluster/racks.h"

#include "base/mem.h"

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

static struct orr_racks *racks_of(orr_cluster *c, int32_t vc)
{
    orr_pool *p = orr_cluster_pool(c, vc);
    if (!p->racks)
        p->racks = create(c, p);
    return p->racks;
}

int32_t orr_racks_with_idle(orr_cluster *c, int32_t vc, int32_t idle, int32_t after)
{
    if (idle < 0 || idle > ORR_RACKS_MANY || after + 1 >= c->racks)
        return -1;
    return orr_bits_next(&racks_of(c, vc)->by_idle[idle], after < 0 ? 0 : after + 1);
}

int32_t orr_racks_node_with_free(orr_cluster *c, int32_t vc, int32_t rack, int32_t free, int32_t after)
{
    const struct orr_racks *r = racks_of(c, vc);
    if (rack < 0 || rack >= c->racks || r->first[rack] < 0)
        return -1;
    int32_t node = after >= r->first[rack] ? after : r->first[rack] - 1;
    do {
        c->nodes_examined++;
        node = orr_pool_with_free(c, vc, free, node);
    } while (node >= 0 && node <= r->last[rack] && c->nodes[node].rack != rack);
    return node <= r->last[rack] ? node : -1;
}
