/* Expectation: for each kind of node (pool, type, width) a table tells how many jobs of the pool don't fit f free GPUs,
 * so that a change from f to g moves the sum by two look-ups. Levels: domains are counted by their free GPUs in a
 * Fenwick tree a type, so that "free GPUs in domains with fewer than k" is a prefix sum, for whatever gang is the first
 * to wait. What is left of shared GPUs is told apart from the table: it is lost to all jobs but those that ask no more
 * than it. Who waits is a linked list through arrays by rank: first come, first. Pools that nothing touched are left
 * alone. */
#include "metrics/frag.h"

#include "base/mem.h"
#include "base/radix.h"
#include <stdlib.h>

enum { WIDEST = 64 };

/* What is free in domains, in thousandths of a GPU, by how many GPUs the domain has free: one tree a type. */
typedef struct level {
    int32_t cap, types; /* a domain has at most so many */
    int64_t *trees;     /* [types][cap + 1], 1-based */
    int64_t *total;     /* [types] */
} level;

/* Nodes of one pool, type and width. */
typedef struct kind {
    int32_t pool, type, width;
    uint64_t unfit[WIDEST + 1]; /* jobs of the pool that so many free GPUs are nothing for */
} kind;

/* Jobs of one pool that may run on the same types, by the GPUs they need of a node. */
typedef struct class
{
    int32_t pool;
    uint64_t types;
    uint64_t jobs[WIDEST + 1];
} class;

/* Jobs of one pool that ask the same parts of GPUs; they are in a class, too. */
typedef struct parts {
    int32_t pool, gpus, milli;
    uint64_t types, jobs;
} parts;

typedef struct waiting {
    uint32_t next, previous; /* 1 + place in the list of those; 0: none */
    int32_t pool, gpus;
    uint64_t types;
} waiting;

typedef struct pool_state {
    level nodes, racks;
    int64_t free;
    orr_wide unfit; /* sum over nodes of what is free x jobs that can't use it */
    uint32_t first, last;
    bool changed;
    /* as settled: what holds since `since` */
    orr_time since;
    int64_t held_free, held_in_node, held_in_rack;
    orr_wide held_unfit;
    bool waits;
    orr_frag_sums sums;
} pool_state;

struct orr_frag {
    int32_t pools, domains;
    bool has_racks;
    orr_time lower, upper;
    pool_state *pool;
    int32_t *free, *kind, *rack; /* by node: its free GPUs, its kind, its domain among racks */
    int32_t *left;               /* by node: thousandths left of its shared GPUs */
    int64_t *lost;               /* by node: those x jobs that can't use them; less where parts make a node fit */
    int32_t *rack_free;          /* by domain */
    int64_t *rack_left;          /* likewise, thousandths */
    ORR_VEC(kind) kinds;
    ORR_VEC(class) classes;
    ORR_VEC(parts) parts;
    ORR_VEC(int32_t) changed; /* pools */
    ORR_VEC(waiting) waiting; /* linked as they came; the first to be used again is `spare` */
    uint32_t spare, *place;   /* place: by rank, 1 + where it waits; 0: it doesn't */
};

/* ---- a level ---- */

static void level_init(level *l, int32_t cap, int32_t types)
{
    l->cap = cap;
    l->types = types;
    l->trees = orr_xcalloc((size_t)types * ((size_t)cap + 2), sizeof *l->trees);
    l->total = orr_xcalloc((size_t)types, sizeof *l->total);
}

static void level_fini(level *l)
{
    free(l->trees);
    free(l->total);
}

static int64_t *tree_of(const level *l, int32_t type)
{
    return l->trees + (size_t)type * ((size_t)l->cap + 2);
}

/* A domain with `free` GPUs, and `left` thousandths of others, comes (sign 1) or goes (-1). */
static void level_add(level *l, int32_t type, int32_t free, int64_t left, int sign)
{
    int64_t *tree = tree_of(l, type), milli = sign * (INT64_C(1000) * free + left);
    l->total[type] += milli;
    for (int32_t i = free + 1; i <= l->cap + 1; i += i & -i)
        tree[i] += milli;
}

/* What is free in domains that have fewer than k free GPUs. */
static int64_t below(const level *l, int32_t type, int64_t k)
{
    const int64_t *tree = tree_of(l, type);
    int64_t sum = 0;
    for (int32_t i = k > l->cap ? l->cap + 1 : (int32_t)k; i > 0; i -= i & -i)
        sum += tree[i];
    return sum;
}

static int64_t unable(const level *l, const waiting *gang)
{
    int64_t sum = 0;
    for (int32_t type = 0; type < l->types; type++)
        sum += gang->types >> (type & 63) & 1 ? below(l, type, gang->gpus) : l->total[type];
    return sum;
}

/* ---- classes of jobs ---- */

static class *class_of(orr_frag *f, int32_t pool, uint64_t types)
{
    for (size_t i = 0; i < f->classes.n; i++)
        if (f->classes.at[i].pool == pool && f->classes.at[i].types == types)
            return &f->classes.at[i];
    ORR_VEC_PUSH(&f->classes, ((class){.pool = pool, .types = types}));
    return &f->classes.at[f->classes.n - 1];
}

static void count_parts(orr_frag *f, parts p)
{
    size_t i = 0;
    while (i < f->parts.n && (f->parts.at[i].pool != p.pool || f->parts.at[i].gpus != p.gpus ||
                              f->parts.at[i].milli != p.milli || f->parts.at[i].types != p.types))
        i++;
    if (i == f->parts.n)
        ORR_VEC_PUSH(&f->parts, p);
    f->parts.at[i].jobs++;
}

static uint64_t types_in_pool(const orr_frag *f, int32_t pool)
{
    uint64_t types = 0;
    for (size_t i = 0; i < f->kinds.n; i++)
        if (f->kinds.at[i].pool == pool)
            types |= (uint64_t)1 << (f->kinds.at[i].type & 63);
    return types;
}

static void count_jobs(orr_frag *f, const orr_cluster *cluster, const orr_trace *trace,
                       int32_t (*pool_of)(void *self, const orr_trace_job *job), void *self)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    uint64_t *types = orr_xcalloc((size_t)f->pools + 1, sizeof *types);
    for (int32_t p = 0; p < f->pools; p++)
        types[p] = types_in_pool(f, p);
    for (size_t i = 0; i < orr_trace_count(trace); i++) {
        int32_t p = jobs[i].gpus > 0 ? pool_of(self, &jobs[i]) : -1;
        uint64_t own = p >= 0 ? orr_cluster_types_named(cluster, jobs[i].gpu_type) & types[p] : 0;
        if (!own)
            continue;
        class_of(f, p, own)->jobs[jobs[i].gpus < WIDEST ? jobs[i].gpus : WIDEST]++;
        f->pool[p].sums.jobs++;
        if (jobs[i].gpu_milli < ORR_WHOLE_GPU)
            count_parts(f, (parts){.pool = p, .gpus = jobs[i].gpus, .milli = jobs[i].gpu_milli, .types = own});
    }
    free(types);
}

/* A class of g GPUs needs min(g, width) of the node. */
static void count_unfit(const orr_frag *f, kind *k)
{
    for (size_t i = 0; i < f->classes.n; i++) {
        const class *c = &f->classes.at[i];
        bool suits = c->types >> (k->type & 63) & 1;
        for (int32_t g = 1; c->pool == k->pool && g <= WIDEST; g++)
            for (int32_t free = 0; free <= k->width; free++)
                k->unfit[free] += !suits || (g < k->width ? g : k->width) > free ? c->jobs[g] : 0;
    }
}

/* ---- what there is ---- */

static int32_t type_index(const orr_node *n)
{
    int32_t type = 0;
    while (!(n->type >> type & 1))
        type++;
    return type;
}

static int32_t kind_of(orr_frag *f, const orr_node *n)
{
    kind k = {.pool = n->vc, .type = type_index(n), .width = n->spec->gpus};
    for (size_t i = 0; i < f->kinds.n; i++) {
        const kind *seen = &f->kinds.at[i];
        if (seen->pool == k.pool && seen->type == k.type && seen->width == k.width)
            return (int32_t)i;
    }
    ORR_VEC_PUSH(&f->kinds, k);
    return (int32_t)f->kinds.n - 1;
}

static const kind *kind_at(const orr_frag *f, int32_t node)
{
    return &f->kinds.at[f->kind[node]];
}

static uint64_t domain_key(const orr_node *n)
{
    return (uint64_t)n->vc << 40 | (uint64_t)n->rack << 8 | (uint64_t)type_index(n);
}

/* Domains among racks are numbered in the order of (pool, rack, type); their number is returned. */
static int32_t number_domains(orr_frag *f, const orr_cluster *c)
{
    uint64_t *keys = orr_xcalloc((size_t)c->count + 1, sizeof *keys);
    uint32_t *nodes = orr_xcalloc((size_t)c->count + 1, sizeof *nodes);
    int32_t domains = 0;
    for (int32_t i = 0; i < c->count; i++) {
        keys[i] = domain_key(&c->nodes[i]);
        nodes[i] = (uint32_t)i;
    }
    orr_radix_sort(keys, nodes, (size_t)c->count);
    for (int32_t i = 0; i < c->count; i++) {
        domains += i == 0 || keys[i] != keys[i - 1];
        f->rack[nodes[i]] = domains - 1;
    }
    free(keys);
    free(nodes);
    return domains;
}

static void describe_nodes(orr_frag *f, const orr_cluster *c)
{
    f->domains = number_domains(f, c);
    f->rack_free = orr_xcalloc((size_t)f->domains + 1, sizeof *f->rack_free);
    f->rack_left = orr_xcalloc((size_t)f->domains + 1, sizeof *f->rack_left);
    for (int32_t i = 0; i < c->count; i++) {
        f->kind[i] = kind_of(f, &c->nodes[i]);
        f->free[i] = c->nodes[i].spec->gpus;
        f->rack_free[f->rack[i]] += f->free[i];
    }
}

static void init_levels(orr_frag *f, const orr_cluster *c)
{
    int32_t *widest = orr_xcalloc((size_t)f->pools + 1, sizeof *widest);
    for (int32_t i = 0; i < c->count; i++) {
        int32_t p = c->nodes[i].vc, free = f->rack_free[f->rack[i]];
        widest[p] = free > widest[p] ? free : widest[p];
    }
    for (int32_t p = 0; p < f->pools; p++) {
        level_init(&f->pool[p].nodes, WIDEST, c->types);
        level_init(&f->pool[p].racks, widest[p], c->types);
    }
    free(widest);
}

static void mark(orr_frag *f, int32_t p)
{
    if (f->pool[p].changed)
        return;
    f->pool[p].changed = true;
    ORR_VEC_PUSH(&f->changed, p);
}

/* A node's free GPUs are counted in (sign 1) or out (-1); those of its rack apart. */
static void count_node(orr_frag *f, int32_t node, int sign)
{
    const kind *k = kind_at(f, node);
    pool_state *p = &f->pool[k->pool];
    const int32_t free = f->free[node];
    const int64_t whole = INT64_C(1000) * free;
    p->free += sign * (whole + f->left[node]);
    p->unfit += sign * ((orr_wide)whole * (orr_wide)k->unfit[free] + f->lost[node]);
    level_add(&p->nodes, k->type, free, f->left[node], sign);
}

/* Of its shared GPUs, and of the free ones where they make it fit with them, what these jobs can use. */
static int64_t usable_parts(const kind *k, const parts *p, int32_t free, const int32_t *left, int32_t shared)
{
    int32_t able = free;
    int64_t usable = 0;
    if (p->pool != k->pool || !(p->types >> (k->type & 63) & 1))
        return 0;
    for (int32_t i = 0; i < shared; i++) {
        able += left[i] >= p->milli;
        usable += left[i] >= p->milli ? left[i] : 0;
    }
    const int32_t needs = p->gpus < k->width ? p->gpus : k->width;
    if (able < needs)
        return 0;
    return usable + (needs > free ? INT64_C(1000) * free : 0);
}

static void share_node(orr_frag *f, int32_t node, int32_t free, const int32_t *left, int32_t shared)
{
    const kind *k = kind_at(f, node);
    int32_t sum = 0;
    for (int32_t i = 0; i < shared; i++)
        sum += left[i];
    f->left[node] = sum;
    f->lost[node] = (int64_t)f->pool[k->pool].sums.jobs * sum;
    for (size_t i = 0; shared && i < f->parts.n; i++)
        f->lost[node] -= (int64_t)f->parts.at[i].jobs * usable_parts(k, &f->parts.at[i], free, left, shared);
}

static void fill(orr_frag *f, const orr_cluster *c)
{
    bool *seen = orr_xcalloc((size_t)f->domains + 1, sizeof *seen);
    for (int32_t i = 0; i < c->count; i++) {
        const kind *k = kind_at(f, i);
        count_node(f, i, 1);
        if (!seen[f->rack[i]])
            level_add(&f->pool[k->pool].racks, k->type, f->rack_free[f->rack[i]], 0, 1);
        seen[f->rack[i]] = true;
    }
    for (int32_t p = 0; p < f->pools; p++)
        mark(f, p);
    free(seen);
}

orr_frag *orr_frag_create(const orr_cluster *c, const orr_trace *trace,
                          int32_t (*pool_of)(void *self, const orr_trace_job *job), void *self)
{
    orr_frag *f = orr_xcalloc(1, sizeof *f);
    f->pools = c->vcs;
    f->has_racks = c->racks > 1;
    f->lower = ORR_TIME_NONE;
    f->upper = ORR_TIME_MAX;
    f->pool = orr_xcalloc((size_t)c->vcs + 1, sizeof *f->pool);
    f->free = orr_xcalloc((size_t)c->count + 1, sizeof *f->free);
    f->left = orr_xcalloc((size_t)c->count + 1, sizeof *f->left);
    f->lost = orr_xcalloc((size_t)c->count + 1, sizeof *f->lost);
    f->kind = orr_xcalloc((size_t)c->count + 1, sizeof *f->kind);
    f->rack = orr_xcalloc((size_t)c->count + 1, sizeof *f->rack);
    f->place = orr_xcalloc(orr_trace_count(trace) + 1, sizeof *f->place);
    for (int32_t p = 0; p < c->vcs; p++)
        f->pool[p].since = ORR_TIME_NONE;
    describe_nodes(f, c);
    count_jobs(f, c, trace, pool_of, self);
    for (size_t i = 0; i < f->kinds.n; i++)
        count_unfit(f, &f->kinds.at[i]);
    init_levels(f, c);
    fill(f, c);
    return f;
}

void orr_frag_destroy(orr_frag *f)
{
    if (!f)
        return;
    for (int32_t p = 0; p < f->pools; p++) {
        level_fini(&f->pool[p].nodes);
        level_fini(&f->pool[p].racks);
    }
    free(f->pool);
    free(f->free);
    free(f->kind);
    free(f->rack);
    free(f->rack_free);
    free(f->rack_left);
    free(f->left);
    free(f->lost);
    ORR_VEC_FREE(&f->parts);
    free(f->place);
    ORR_VEC_FREE(&f->waiting);
    ORR_VEC_FREE(&f->kinds);
    ORR_VEC_FREE(&f->classes);
    ORR_VEC_FREE(&f->changed);
    free(f);
}

void orr_frag_bound(orr_frag *f, orr_time from, orr_time to)
{
    f->lower = from;
    f->upper = to == ORR_TIME_NONE ? ORR_TIME_MAX : to;
}

/* ---- changes ---- */

/* 1 + where the entry now stands. */
static uint32_t put(orr_frag *f, waiting entry)
{
    uint32_t at = f->spare;
    if (at) {
        f->spare = f->waiting.at[at - 1].next;
        f->waiting.at[at - 1] = entry;
        return at;
    }
    ORR_VEC_PUSH(&f->waiting, entry);
    return (uint32_t)f->waiting.n;
}

void orr_frag_wait(orr_frag *f, uint32_t job, int32_t pool, int32_t gpus, uint64_t types)
{
    if (f->place[job] || gpus <= 0 || pool < 0)
        return;
    pool_state *p = &f->pool[pool];
    uint32_t at = put(f, (waiting){.previous = p->last, .pool = pool, .gpus = gpus, .types = types});
    *(p->last ? &f->waiting.at[p->last - 1].next : &p->first) = at;
    p->last = at;
    f->place[job] = at;
    mark(f, pool);
}

void orr_frag_leave(orr_frag *f, uint32_t job)
{
    uint32_t at = f->place[job];
    if (!at)
        return;
    waiting *w = &f->waiting.at[at - 1];
    pool_state *p = &f->pool[w->pool];
    *(w->previous ? &f->waiting.at[w->previous - 1].next : &p->first) = w->next;
    *(w->next ? &f->waiting.at[w->next - 1].previous : &p->last) = w->previous;
    mark(f, w->pool);
    w->next = f->spare;
    f->spare = at;
    f->place[job] = 0;
}

void orr_frag_node(orr_frag *f, int32_t node, int32_t free, const int32_t *left, int32_t shared)
{
    const kind *k = kind_at(f, node);
    level *racks = &f->pool[k->pool].racks;
    int32_t *rack = &f->rack_free[f->rack[node]];
    int64_t *rack_left = &f->rack_left[f->rack[node]];
    if (free == f->free[node] && !shared && !f->left[node])
        return;
    level_add(racks, k->type, *rack, *rack_left, -1);
    count_node(f, node, -1);
    *rack += free - f->free[node];
    *rack_left -= f->left[node];
    f->free[node] = free;
    share_node(f, node, free, left, shared);
    *rack_left += f->left[node];
    count_node(f, node, 1);
    level_add(racks, k->type, *rack, *rack_left, 1);
    mark(f, k->pool);
}

/* ---- time ---- */

static orr_time within(const orr_frag *f, orr_time at)
{
    at = at < f->lower ? f->lower : at;
    return at > f->upper ? f->upper : at;
}

/* What is settled held until `at`. */
static void advance(const orr_frag *f, pool_state *p, orr_time at)
{
    orr_time from = p->since == ORR_TIME_NONE ? at : p->since;
    ORR_ASSERT(at >= from, "room was reported out of order");
    orr_wide dt = (orr_wide)within(f, at) - within(f, from);
    p->sums.free += dt * p->held_free;
    p->sums.unfit += dt * p->held_unfit;
    p->sums.free_waited += p->waits ? dt * p->held_free : 0;
    p->sums.in_node += dt * p->held_in_node;
    p->sums.in_rack += dt * p->held_in_rack;
    p->since = at;
}

static void settle(const orr_frag *f, pool_state *p, orr_time at)
{
    advance(f, p, at);
    const waiting *gang = p->first ? &f->waiting.at[p->first - 1] : NULL;
    p->waits = gang != NULL;
    p->held_free = p->free;
    p->held_unfit = p->unfit;
    p->held_in_node = gang ? unable(&p->nodes, gang) : 0;
    p->held_in_rack = gang ? unable(&p->racks, gang) : 0;
    p->changed = false;
}

void orr_frag_settle(orr_frag *f, orr_time at)
{
    for (size_t i = 0; i < f->changed.n; i++)
        settle(f, &f->pool[f->changed.at[i]], at);
    f->changed.n = 0;
}

void orr_frag_close(orr_frag *f, orr_time at)
{
    for (int32_t p = 0; p < f->pools; p++)
        if (f->pool[p].since != ORR_TIME_NONE && at > f->pool[p].since)
            advance(f, &f->pool[p], at);
}

/* ---- asked ---- */

int32_t orr_frag_pools(const orr_frag *f)
{
    return f->pools;
}

bool orr_frag_has_racks(const orr_frag *f)
{
    return f->has_racks;
}

orr_frag_sums orr_frag_of(const orr_frag *f, int32_t p)
{
    return f->pool[p].sums;
}
