/* The keys `cells` and `tenants` of a cluster file. */
#include "config/cluster_keys.h"

#include <orrery/cells.h>
#include <stdlib.h>

typedef struct chain_entry {
    const char *name, *type;
    int64_t nodes;
    const orr_yaml *levels;
} chain_entry;

typedef struct tenant_entry {
    int64_t gpus;
    const orr_yaml *cells, *pinned;
} tenant_entry;

/* clang-format off */
static const orr_key chain_keys[] = {
    {"name", ORR_KEY_TEXT, offsetof(chain_entry, name), NULL, 0, 0,
     "Name of the chain, without a dot; a quota names its cells `NAME.LEVEL`.", NULL},
    {"type", ORR_KEY_TEXT, offsetof(chain_entry, type), "", 0, 0,
     "It is made of nodes with this GPU type, in the order of the file; without it, of any.", NULL},
    {"nodes", ORR_KEY_INT, offsetof(chain_entry, nodes), "0", 0, ORR_CLUSTER_MAX_NODES,
     "How many of those nodes that no chain before has; 0: all.", NULL},
    {"levels", ORR_KEY_COUNTS, offsetof(chain_entry, levels), NULL, 1, 64000000,
     "GPUs of a cell of each level, small ones first: `{switch: 4, node: 8, rack: 32}`. Each is a multiple of the one "
     "before; one is the GPUs of a node. The level `gpu` is always there.", NULL},
    {0},
};

static const orr_key tenant_keys[] = {
    {"gpus", ORR_KEY_INT, offsetof(tenant_entry, gpus), "0", 0, 64000000,
     "A quota by count: so many GPUs, wherever they are. Not together with `cells` and `pinned`.", NULL},
    {"cells", ORR_KEY_COUNTS, offsetof(tenant_entry, cells), "", 0, 64000000,
     "A quota by shape: how many cells of which level, `{h.rack: 1, h.node: 2}`.", NULL},
    {"pinned", ORR_KEY_MAP, offsetof(tenant_entry, pinned), "", 0, 0,
     "Cells of its own by name, `{mine: h.node@h3}`: the cell of this level that holds this node, or, where it is smaller "
     "than a node, this GPU of it, `h.switch@h3:4`. Jobs ask for one in the trace's column `pinned_cell`.", NULL},
    {0},
};
/* clang-format on */

const orr_keys orr_chain_keys = {
    .title = "An element of `cells`",
    .doc = "A chain of cells: how nodes are cut and put together into the shapes that quotas are made of.",
    .at = chain_keys,
};

const orr_keys orr_tenant_keys = {
    .title = "A member of `tenants`",
    .doc = "What a virtual cluster was promised of the nodes that all share.",
    .at = tenant_keys,
};

static orr_err at(const orr_yaml_doc *doc, const orr_yaml *v, orr_err err, orr_error *e)
{
    if (err)
        orr_error_at(e, doc->file, v->line, v->column);
    return err;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static orr_err read_chain(const orr_yaml_doc *doc, const orr_yaml *v, orr_cluster_spec *spec, orr_error *e)
{
    chain_entry entry = {0};
    orr_schema_defaults(&orr_chain_keys, &entry);
    orr_err err = orr_schema_read(&orr_chain_keys, doc, v, &entry, e);
    if (err)
        return err;
    ORR_VEC(orr_chain_level) levels = {0};
    for (const orr_yaml *l = entry.levels->first; l; l = l->next)
        ORR_VEC_PUSH(&levels, ((orr_chain_level){l->key, (int32_t)orr_schema_count(l)}));
    orr_chain_spec chain = {.name = entry.name,
                            .gpu_type = entry.type,
                            .nodes = (int32_t)entry.nodes,
                            .levels = levels.at,
                            .level_count = (int32_t)levels.n};
    err = at(doc, v, orr_cluster_spec_add_chain(spec, &chain, e), e);
    ORR_VEC_FREE(&levels);
    return err;
}

/* ---- tenants ----------------------------------------------------------------------------------------------------- */

typedef ORR_VEC(orr_cell_quota) quota_rows;

/* "h.rack": the chain goes to `spec`, which keeps it. False: no dot. */
static bool cut_name(orr_cluster_spec *spec, const char *text, orr_cell_quota *row)
{
    const char *dot = strchr(text, '.');
    if (!dot)
        return false;
    char *chain = orr_xstrndup(text, (size_t)(dot - text));
    row->chain = orr_cluster_spec_keep(spec, chain);
    row->level = orr_cluster_spec_keep(spec, dot + 1);
    free(chain);
    return true;
}

static orr_err read_cells(const orr_yaml_doc *doc, const orr_yaml *cells, orr_cluster_spec *spec, quota_rows *rows,
                          orr_error *e)
{
    for (const orr_yaml *v = cells ? cells->first : NULL; v; v = v->next) {
        orr_cell_quota row = {.count = (int32_t)orr_schema_count(v)};
        if (!cut_name(spec, v->key, &row))
            return orr_yaml_fail_key(doc, v, ORR_E_BAD_CLUSTER, e, "a cell is named CHAIN.LEVEL, not '%.80s'", v->key);
        ORR_VEC_PUSH(rows, row);
    }
    return ORR_OK;
}

/* "h.switch@h3:4" */
static bool cut_pin(orr_cluster_spec *spec, const char *text, orr_cell_quota *row)
{
    const char *where = strchr(text, '@'), *colon = strrchr(text, ':');
    char *end = NULL;
    if (!where || !where[1])
        return false;
    row->gpu = colon > where ? (int32_t)strtol(colon + 1, &end, 10) : 0;
    if (end && (*end || end == colon + 1 || row->gpu < 0 || row->gpu >= ORR_NODE_MAX_GPUS))
        return false;
    char *cell = orr_xstrndup(text, (size_t)(where - text));
    char *node = colon > where ? orr_xstrndup(where + 1, (size_t)(colon - where - 1)) : orr_xstrdup(where + 1);
    bool fine = cut_name(spec, cell, row);
    row->node = orr_cluster_spec_keep(spec, node);
    free(cell);
    free(node);
    return fine;
}

static orr_err read_pins(const orr_yaml_doc *doc, const orr_yaml *pinned, orr_cluster_spec *spec, quota_rows *rows,
                         orr_error *e)
{
    for (const orr_yaml *v = pinned ? pinned->first : NULL; v; v = v->next) {
        orr_cell_quota row = {.count = 1, .pin = v->key};
        if (v->kind != ORR_YAML_SCALAR || !cut_pin(spec, v->text, &row))
            return orr_yaml_fail(doc, v, ORR_E_BAD_CLUSTER, e,
                                 "a pinned cell is written CHAIN.LEVEL@NODE or CHAIN.LEVEL@NODE:GPU");
        ORR_VEC_PUSH(rows, row);
    }
    return ORR_OK;
}

static orr_err read_tenant(const orr_yaml_doc *doc, const orr_yaml *v, orr_cluster_spec *spec, orr_error *e)
{
    tenant_entry entry = {0};
    quota_rows rows = {0};
    if (v->kind != ORR_YAML_MAP)
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "the quota of '%.80s' should be a map: {gpus: 16}", v->key);
    orr_schema_defaults(&orr_tenant_keys, &entry);
    orr_err err = orr_schema_read(&orr_tenant_keys, doc, v, &entry, e);
    bool by_cells = entry.cells || entry.pinned;
    if (!err && by_cells == (orr_yaml_member(v, "gpus") != NULL))
        err = orr_yaml_fail_key(doc, v, ORR_E_BAD_CLUSTER, e, "'%.80s' needs either 'gpus' or 'cells'", v->key);
    if (!err)
        err = read_cells(doc, entry.cells, spec, &rows, e);
    if (!err)
        err = read_pins(doc, entry.pinned, spec, &rows, e);
    orr_quota quota = {.kind = by_cells ? ORR_QUOTA_CELLS : ORR_QUOTA_GPUS,
                       .gpus = entry.gpus,
                       .cells = rows.at,
                       .cell_count = (int32_t)rows.n};
    if (!err)
        err = at(doc, v, orr_cluster_spec_add_tenant(spec, v->key, &quota, e), e);
    ORR_VEC_FREE(&rows);
    return err;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool has_counts(const orr_cluster_spec *spec)
{
    for (int32_t v = 0; orr_cluster_spec_tenants(spec) && v < orr_cluster_spec_vcs(spec); v++)
        if (orr_cluster_spec_quota(spec, v).kind == ORR_QUOTA_GPUS)
            return true;
    return false;
}

/* Whether the cells can be cut from the nodes, and the quotas from the cells. */
static orr_err check_cells(const orr_yaml_doc *doc, const orr_yaml *cells, const orr_cluster_spec *spec, orr_error *e)
{
    if (has_counts(spec))
        return ORR_OK;
    orr_cells *made = orr_cells_of_cluster(spec, false, e);
    orr_cells_destroy(made);
    return made ? ORR_OK : at(doc, cells, ORR_E_BAD_CLUSTER, e);
}

orr_err orr_cluster_read_tenants(const orr_yaml_doc *doc, const orr_yaml *cells, const orr_yaml *tenants,
                                 orr_cluster_spec *spec, orr_error *e)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = cells ? cells->first : NULL; !err && v; v = v->next)
        err = read_chain(doc, v, spec, e);
    for (const orr_yaml *v = tenants ? tenants->first : NULL; !err && v; v = v->next)
        err = read_tenant(doc, v, spec, e);
    return err || !cells ? err : check_cells(doc, cells, spec, e);
}
