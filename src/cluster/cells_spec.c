/* Cells of a cluster description. */
#include "cluster/cells.h"

typedef struct builder {
    const orr_cluster_spec *spec;
    orr_cells *cells;
    bool *taken; /* [nodes]: it is in a chain */
    bool one_vc;
    orr_error *e;
} builder;

typedef ORR_VEC(int32_t) node_list;

static const orr_node_spec *node_at(const builder *b, int32_t node)
{
    return orr_cluster_spec_node(b->spec, node);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* What nodes a chain takes. */
typedef struct wanted {
    const char *type, *vc;     /* NULL: any */
    const orr_node_spec *like; /* with as many GPUs, cores and memory; NULL: any */
    int32_t most;              /* 0: all */
} wanted;

static bool fits(const orr_node_spec *node, const wanted *w)
{
    return node->gpus && (!w->type || strcmp(node->gpu_type, w->type) == 0) &&
           (!w->vc || strcmp(node->vc, w->vc) == 0) &&
           (!w->like ||
            (node->gpus == w->like->gpus && node->cpus == w->like->cpus && node->mem_bytes == w->like->mem_bytes));
}

/* Those that no chain has yet. */
static void collect(builder *b, const wanted *w, node_list *out)
{
    for (int32_t n = 0; n < orr_cluster_spec_nodes(b->spec); n++) {
        if (b->taken[n] || !fits(node_at(b, n), w))
            continue;
        if (w->most && (int32_t)out->n == w->most)
            return;
        b->taken[n] = true;
        ORR_VEC_PUSH(out, n);
    }
}

static void add_tops(builder *b, int32_t chain, const node_list *nodes, int32_t top_gpus)
{
    ORR_VEC(orr_leaf) leaves = {0};
    for (size_t i = 0; i < nodes->n; i++)
        for (int32_t g = 0; g < node_at(b, nodes->at[i])->gpus; g++)
            ORR_VEC_PUSH(&leaves, ((orr_leaf){nodes->at[i], g}));
    for (size_t i = 0; i < leaves.n; i += (size_t)top_gpus)
        orr_cells_add_top(b->cells, chain, &leaves.at[i]);
    ORR_VEC_FREE(&leaves);
}

static orr_err check_nodes(const builder *b, const orr_chain_spec *c, const node_list *nodes)
{
    if (!nodes->n || (c->nodes && (int32_t)nodes->n < c->nodes))
        return orr_error_set(b->e, ORR_E_BAD_CLUSTER, "the chain '%.80s' wants %d nodes%s%.80s, and %zu are left",
                             c->name, c->nodes ? c->nodes : 1, c->gpu_type[0] ? " of GPU type " : "", c->gpu_type,
                             nodes->n);
    int32_t width = node_at(b, nodes->at[0])->gpus, per_top = c->levels[c->level_count - 1].gpus / width;
    for (size_t i = 0; i < nodes->n; i++)
        if (node_at(b, nodes->at[i])->gpus != width)
            return orr_error_set(b->e, ORR_E_BAD_CLUSTER, "the chain '%.80s' has nodes of %d and of %d GPUs", c->name,
                                 width, node_at(b, nodes->at[i])->gpus);
    bool has_node = false;
    for (int32_t l = 0; l < c->level_count; l++)
        has_node = has_node || c->levels[l].gpus == width;
    if (!has_node)
        return orr_error_set(b->e, ORR_E_BAD_CLUSTER,
                             "the chain '%.80s' has nodes of %d GPUs and no level of that size", c->name, width);
    if (nodes->n % (size_t)per_top)
        return orr_error_set(b->e, ORR_E_BAD_CLUSTER,
                             "the chain '%.80s' has %zu nodes, which can't be put together by %d", c->name, nodes->n,
                             per_top);
    return ORR_OK;
}

static orr_err add_chain(builder *b, const orr_chain_spec *c, const node_list *nodes)
{
    orr_cell_level levels[ORR_MAX_LEVELS];
    int32_t below = 1, chain, width = node_at(b, nodes->at[0])->gpus;
    bool had_node = false;
    for (int32_t l = 0; l < c->level_count; l++) {
        bool node = c->levels[l].gpus == width && !had_node;
        levels[l] = (orr_cell_level){c->levels[l].name, c->levels[l].gpus / below, node};
        had_node = had_node || node;
        below = c->levels[l].gpus;
    }
    const char *type = c->gpu_type[0] ? c->gpu_type : node_at(b, nodes->at[0])->gpu_type;
    orr_err err = orr_cells_add_chain(b->cells, c->name, type, levels, c->level_count, &chain, b->e);
    if (!err)
        add_tops(b, chain, nodes, below);
    return err;
}

static orr_err add_declared(builder *b)
{
    orr_err err = ORR_OK;
    for (int32_t i = 0; !err && i < orr_cluster_spec_chains(b->spec); i++) {
        const orr_chain_spec *c = orr_cluster_spec_chain(b->spec, i);
        node_list nodes = {0};
        collect(b, &(wanted){.type = c->gpu_type[0] ? c->gpu_type : NULL, .most = c->nodes}, &nodes);
        err = check_nodes(b, c, &nodes);
        if (!err)
            err = add_chain(b, c, &nodes);
        ORR_VEC_FREE(&nodes);
    }
    return err;
}

/* Without a word about cells every kind of node of a VC is one. */
static orr_err add_default(builder *b)
{
    orr_err err = ORR_OK;
    for (int32_t n = 0; !err && n < orr_cluster_spec_nodes(b->spec); n++) {
        const orr_node_spec *node = node_at(b, n);
        node_list nodes = {0};
        if (b->taken[n] || !node->gpus)
            continue;
        collect(b, &(wanted){node->gpu_type, b->one_vc ? NULL : node->vc, node, 0}, &nodes);
        orr_chain_level level = {"node", node->gpus};
        orr_chain_spec c = {.name = node->gpu_type, .gpu_type = node->gpu_type, .levels = &level, .level_count = 1};
        err = add_chain(b, &c, &nodes);
        ORR_VEC_FREE(&nodes);
    }
    return err;
}

/* ---- quotas ------------------------------------------------------------------------------------------------------ */

/* Of names that the description has checked. */
static int32_t find_level(const orr_chain_spec *c, const char *name)
{
    for (int32_t l = 0; l < c->level_count; l++)
        if (strcmp(c->levels[l].name, name) == 0)
            return l + 2;
    return 1;
}

static int32_t find_chain(const orr_cluster_spec *spec, const char *name)
{
    int32_t i = 0;
    while (strcmp(orr_cluster_spec_chain(spec, i)->name, name) != 0)
        i++;
    return i;
}

static int32_t find_node(const orr_cluster_spec *spec, const char *name)
{
    for (int32_t n = 0; n < orr_cluster_spec_nodes(spec); n++)
        if (strcmp(orr_cluster_spec_node(spec, n)->name, name) == 0)
            return n;
    return -1;
}

static void add_quota(builder *b, int32_t vc, const orr_cell_quota *q)
{
    int32_t chain = find_chain(b->spec, q->chain);
    int32_t level = find_level(orr_cluster_spec_chain(b->spec, chain), q->level);
    if (q->pin)
        orr_cells_add_pin(b->cells, vc, chain, level, (orr_leaf){find_node(b->spec, q->node), q->gpu}, q->pin);
    else
        orr_cells_add_quota(b->cells, vc, chain, level, q->count);
}

static orr_err add_tenants(builder *b)
{
    for (int32_t v = 0; v < orr_cluster_spec_vcs(b->spec); v++) {
        orr_quota quota = orr_cluster_spec_quota(b->spec, v);
        int32_t vc = orr_cells_add_vc(b->cells, orr_cluster_spec_vc(b->spec, v));
        if (quota.kind != ORR_QUOTA_CELLS)
            return orr_error_set(b->e, ORR_E_BAD_CLUSTER, "the VC '%.80s' has a quota of GPUs, not of cells",
                                 orr_cluster_spec_vc(b->spec, v));
        for (int32_t i = 0; i < quota.cell_count; i++)
            add_quota(b, vc, &quota.cells[i]);
    }
    return ORR_OK;
}

/* All top cells of the chain of this VC's nodes; of all chains if there is one VC. */
static void add_whole_chains(builder *b, int32_t vc, const char *name)
{
    for (size_t c = 0; c < b->cells->chains.n; c++) {
        const orr_chain *chain = &b->cells->chains.at[c];
        int32_t top = chain->levels, node = chain->tops.at[0].node;
        if (!name || strcmp(node_at(b, node)->vc, name) == 0)
            orr_cells_add_quota(b->cells, vc, (int32_t)c, top, (int32_t)chain->tops.n / chain->gpus[top]);
    }
}

/* VCs that own their nodes, or one that owns all. */
static orr_err add_owners(builder *b)
{
    int32_t vcs = b->one_vc ? 1 : orr_cluster_spec_vcs(b->spec);
    if (vcs > 1 && orr_cluster_spec_chains(b->spec))
        return orr_error_set(b->e, ORR_E_BAD_CLUSTER,
                             "there are cells, but its %d VCs own nodes and have no quotas of "
                             "cells",
                             vcs);
    for (int32_t v = 0; v < vcs; v++) {
        const char *name = vcs == 1 ? NULL : orr_cluster_spec_vc(b->spec, v);
        add_whole_chains(b, orr_cells_add_vc(b->cells, name ? name : ""), name);
    }
    return ORR_OK;
}

orr_cells *orr_cells_of_cluster(const orr_cluster_spec *spec, bool one_vc, orr_error *e)
{
    builder b = {.spec = spec, .cells = orr_cells_create(), .one_vc = one_vc, .e = e};
    b.taken = orr_xcalloc((size_t)orr_cluster_spec_nodes(spec) + 1, sizeof *b.taken);
    orr_err err = orr_cluster_spec_chains(spec) ? add_declared(&b) : add_default(&b);
    if (!err)
        err = !one_vc && orr_cluster_spec_tenants(spec) ? add_tenants(&b) : add_owners(&b);
    if (!err)
        err = orr_cells_ready(b.cells, e);
    free(b.taken);
    if (!err)
        return b.cells;
    orr_cells_destroy(b.cells);
    return NULL;
}
