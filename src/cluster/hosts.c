#include "cluster/hosts.h"

#include "base/mem.h"

#include <stdlib.h>

typedef struct left {
    int64_t cpu_milli, mem; /* -1: takes no jobs */
} left;

struct orr_hosts {
    uint64_t seen; /* changes of the cluster */
    int32_t leaves;
    left *most; /* [2 * leaves]; 1 is the root, 2i and 2i + 1 are below i, the leaf of position p is leaves + p */
};

static left left_on(const orr_node *n)
{
    if (!orr_node_open(n))
        return (left){-1, -1};
    return (left){n->spec->cpus ? n->cpu_milli_free : INT64_MAX, n->spec->mem_bytes ? n->mem_free : INT64_MAX};
}

static left most_of(left a, left b)
{
    return (left){a.cpu_milli > b.cpu_milli ? a.cpu_milli : b.cpu_milli, a.mem > b.mem ? a.mem : b.mem};
}

static struct orr_hosts *make(const orr_pool *p)
{
    struct orr_hosts *h = orr_xcalloc(1, sizeof *h);
    h->leaves = 1;
    while (h->leaves < p->count)
        h->leaves *= 2;
    h->most = orr_xcalloc(2 * (size_t)h->leaves, sizeof *h->most);
    h->seen = UINT64_MAX;
    return h;
}

static void build(const orr_cluster *c, const orr_pool *p, struct orr_hosts *h)
{
    for (int32_t i = 0; i < h->leaves; i++)
        h->most[h->leaves + i] = i < p->count ? left_on(&c->nodes[p->nodes[i]]) : (left){-1, -1};
    for (int32_t i = h->leaves - 1; i > 0; i--)
        h->most[i] = most_of(h->most[2 * i], h->most[2 * i + 1]);
}

typedef struct follower {
    const orr_cluster *c;
    const orr_pool *p;
} follower;

static void changed(void *self, int32_t node)
{
    const follower *f = self;
    struct orr_hosts *h = f->p->hosts;
    const orr_node *n = &f->c->nodes[node];
    int32_t i = orr_pool_place(f->c, f->p, node);
    if (i < 0)
        return;
    i += h->leaves;
    h->most[i] = left_on(n);
    for (i /= 2; i > 0; i /= 2)
        h->most[i] = most_of(h->most[2 * i], h->most[2 * i + 1]);
}

typedef struct search {
    const orr_cluster *c;
    const orr_pool *p;
    left need;
    bool (*suits)(const void *self, const orr_node *n);
    const void *self;
} search;

/* The first position below `at` that will do; -1: none. */
static int32_t first_below(const search *s, int32_t at)
{
    const struct orr_hosts *h = s->p->hosts;
    if (h->most[at].cpu_milli < s->need.cpu_milli || h->most[at].mem < s->need.mem)
        return -1;
    if (at >= h->leaves)
        return s->suits(s->self, &s->c->nodes[s->p->nodes[at - h->leaves]]) ? at - h->leaves : -1;
    int32_t found = first_below(s, 2 * at);
    return found >= 0 ? found : first_below(s, 2 * at + 1);
}

static int32_t with_host(orr_cluster *c, orr_pool *p, orr_share share, bool (*suits)(const void *self, const orr_node *n),
                         const void *self)
{
    if (!p->hosts)
        p->hosts = make(p);
    follower f = {c, p};
    if (!orr_cluster_changes(c, &p->hosts->seen, changed, &f))
        build(c, p, p->hosts);
    search s = {c, p, {share.cpu_milli, share.mem}, suits, self};
    int32_t place = first_below(&s, 1);
    return place < 0 ? -1 : p->nodes[place];
}

int32_t orr_pool_with_host(orr_cluster *c, int32_t vc, uint64_t types, orr_share share,
                           bool (*suits)(const void *self, const orr_node *n), const void *self)
{
    orr_pool *in[ORR_MAX_TYPES];
    const int32_t n = orr_cluster_pools(c, vc, types, in);
    int32_t best = -1;
    orr_cluster_watch(c);
    for (int32_t i = 0; i < n; i++) {
        int32_t node = with_host(c, in[i], share, suits, self);
        best = node >= 0 && (best < 0 || node < best) ? node : best;
    }
    return best;
}

void orr_hosts_fini(orr_pool *p)
{
    if (p->hosts)
        free(p->hosts->most);
    free(p->hosts);
    p->hosts = NULL;
}
