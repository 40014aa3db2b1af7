#include "config/tenants.h"

#include "config/spec.h"

#include <orrery/cells.h>

enum { MAX_QUOTA = ORR_CLUSTER_MAX_NODES * ORR_NODE_MAX_GPUS };

void orr_tenants_fini(orr_tenants *t)
{
    ORR_VEC_FREE(&t->quotas);
    ORR_VEC_FREE(&t->chains);
    orr_arena_fini(&t->arena);
}

static const char *keep(orr_tenants *t, const char *text)
{
    return text ? orr_arena_strdup(&t->arena, text, strlen(text)) : NULL;
}

static void *keep_all(orr_tenants *t, const void *list, int32_t count, size_t size)
{
    size_t bytes = count > 0 ? (size_t)count * size : 0;
    void *copy = orr_arena_alloc(&t->arena, bytes + 1);
    if (bytes)
        memcpy(copy, list, bytes);
    return copy;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static const orr_chain_spec *find_chain(const orr_tenants *t, const char *name)
{
    for (size_t i = 0; i < t->chains.n; i++)
        if (strcmp(t->chains.at[i].name, name) == 0)
            return &t->chains.at[i];
    return NULL;
}

static orr_err check_levels(const orr_chain_spec *c, orr_error *e)
{
    int32_t below = 1;
    if (c->level_count < 1 || c->level_count > ORR_MAX_LEVELS)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "the chain '%.80s' has %d levels, not 1 to %d", c->name,
                             c->level_count, ORR_MAX_LEVELS);
    for (int32_t i = 0; i < c->level_count; i++) {
        const orr_chain_level *l = &c->levels[i];
        bool repeated = strcmp(l->name, "gpu") == 0;
        for (int32_t k = 0; k < i; k++)
            repeated = repeated || strcmp(l->name, c->levels[k].name) == 0;
        if (repeated)
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "the chain '%.80s' has two levels '%.80s'", c->name, l->name);
        if (l->gpus < below || l->gpus % below || l->gpus > MAX_QUOTA)
            return orr_error_set(e, ORR_E_BAD_CLUSTER,
                                 "a cell '%.80s.%.80s' of %d GPUs isn't made of whole cells of %d below it", c->name,
                                 l->name, l->gpus, below);
        below = l->gpus;
    }
    return ORR_OK;
}

orr_err orr_tenants_add_chain(orr_tenants *t, const orr_chain_spec *chain, orr_error *e)
{
    if (!chain->name[0] || strchr(chain->name, '.') || find_chain(t, chain->name))
        return orr_error_set(e, ORR_E_BAD_CLUSTER,
                             "a chain can't be named '%.80s': a name is used once, isn't empty and has no dot",
                             chain->name);
    if (t->chains.n == ORR_MAX_CHAINS)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "more than %d chains of cells", ORR_MAX_CHAINS);
    orr_err err = check_levels(chain, e);
    if (err)
        return err;
    orr_chain_spec c = *chain;
    c.name = keep(t, chain->name);
    c.gpu_type = keep(t, chain->gpu_type ? chain->gpu_type : "");
    orr_chain_level *levels = keep_all(t, chain->levels, c.level_count, sizeof *levels);
    for (int32_t i = 0; i < c.level_count; i++)
        levels[i].name = keep(t, levels[i].name);
    c.levels = levels;
    ORR_VEC_PUSH(&t->chains, c);
    return ORR_OK;
}

/* ---- quotas ------------------------------------------------------------------------------------------------------ */

/* GPUs of a cell of this level; -1: there is no such level. */
static int64_t level_gpus(const orr_chain_spec *c, const char *level)
{
    if (strcmp(level, "gpu") == 0)
        return 1;
    for (int32_t i = 0; i < c->level_count; i++)
        if (strcmp(c->levels[i].name, level) == 0)
            return c->levels[i].gpus;
    return -1;
}

static orr_err count_cells(const orr_tenants *t, const char *vc, const orr_quota *q, int64_t *gpus, orr_error *e)
{
    for (int32_t i = 0; i < q->cell_count; i++) {
        const orr_cell_quota *cell = &q->cells[i];
        const orr_chain_spec *chain = find_chain(t, cell->chain);
        int64_t each = chain ? level_gpus(chain, cell->level) : -1;
        if (each < 0)
            return orr_error_set(e, ORR_E_BAD_CLUSTER,
                                 "the VC '%.80s' has a quota of cells '%.80s.%.80s', which aren't "
                                 "declared",
                                 vc, cell->chain, cell->level);
        if (cell->count < 0 || cell->count > MAX_QUOTA)
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "the VC '%.80s' can't have %d cells", vc, cell->count);
        *gpus += each * cell->count;
    }
    return ORR_OK;
}

static orr_err check_quota(const orr_tenants *t, const char *vc, orr_quota *q, orr_error *e)
{
    if (q->kind == ORR_QUOTA_CELLS) {
        q->gpus = 0;
        return count_cells(t, vc, q, &q->gpus, e);
    }
    if (q->kind != ORR_QUOTA_GPUS || q->gpus < 0 || q->gpus > MAX_QUOTA)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "the VC '%.80s' can't have a quota of %lld GPUs", vc,
                             (long long)q->gpus);
    q->cell_count = 0;
    return ORR_OK;
}

orr_err orr_tenants_add(orr_tenants *t, const char *vc, const orr_quota *quota, orr_error *e)
{
    orr_quota q = *quota;
    orr_err err = check_quota(t, vc, &q, e);
    if (err)
        return err;
    orr_cell_quota *cells = keep_all(t, q.cells, q.cell_count, sizeof *cells);
    for (int32_t i = 0; i < q.cell_count; i++) {
        cells[i].chain = keep(t, cells[i].chain);
        cells[i].level = keep(t, cells[i].level);
        cells[i].pin = keep(t, cells[i].pin);
        cells[i].node = keep(t, cells[i].node);
    }
    q.cells = cells;
    ORR_VEC_PUSH(&t->quotas, q);
    return ORR_OK;
}
