#include "hived_world.h"

#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct level_type {
    const char *name, *child;
    int32_t children;
    bool node;
} level_type;

/* A physical top cell: its type, its nodes in the order of the tree, and what is special about it. */
typedef struct top {
    const char *type, *only_node, *pin, *pair_pin;
    const orr_yaml *nodes, *gpus, *leaf_pins, *orders;
} top;

typedef struct builder {
    world *w;
    ORR_VEC(level_type) types;
    ORR_VEC(top) tops;
    ORR_VEC(const char *) chains;
    bool theirs; /* the long format of the reference */
    const quota_change *changes;
    size_t change_count;
} builder;

static const orr_yaml *need(const orr_yaml *map, const char *key)
{
    const orr_yaml *at = orr_yaml_member(map, key);
    if (!at)
        fail_msg("no key '%s'", key);
    return at;
}

static const char *text_of(const orr_yaml *map, const char *key)
{
    const orr_yaml *at = map->kind == ORR_YAML_MAP ? orr_yaml_member(map, key) : NULL;
    return at ? at->text : NULL;
}

static int32_t number(const char *text)
{
    return (int32_t)strtol(text, NULL, 10);
}

/* ---- types ---- */

static void read_types(builder *b, const orr_yaml *map)
{
    for (const orr_yaml *t = map->first; t; t = t->next) {
        level_type type = {.name = t->key};
        if (b->theirs) {
            type.child = text_of(t, "childCellType");
            type.children = number(text_of(t, "childCellNumber"));
            type.node = text_of(t, "isNodeLevel") != NULL;
        } else {
            type.child = t->first->text;
            type.children = number(t->first->next->text);
            type.node = strcmp(t->first->next->next->text, "true") == 0;
        }
        ORR_VEC_PUSH(&b->types, type);
    }
}

static const level_type *find_type(const builder *b, const char *name)
{
    for (size_t i = 0; i < b->types.n; i++)
        if (strcmp(b->types.at[i].name, name) == 0)
            return &b->types.at[i];
    return NULL;
}

/* 1 for a GPU, one more for each type that is made of others. */
static int32_t level_of(const builder *b, const char *name)
{
    const level_type *t = find_type(b, name);
    return t ? 1 + level_of(b, t->child) : 1;
}

static int32_t node_gpus(const builder *b, const char *name, bool inside)
{
    const level_type *t = find_type(b, name);
    if (!t)
        return 1;
    inside = inside || t->node;
    return (inside ? t->children : 1) * node_gpus(b, t->child, inside);
}

/* ---- chains ---- */

static int32_t find_chain(const builder *b, const char *name)
{
    for (size_t i = 0; i < b->chains.n; i++)
        if (strcmp(b->chains.at[i], name) == 0)
            return (int32_t)i;
    return -1;
}

static int backwards(const void *a, const void *b)
{
    return strcmp(*(const char *const *)b, *(const char *const *)a);
}

static void add_chain(builder *b, const char *name)
{
    orr_cell_level levels[ORR_MAX_LEVELS];
    int32_t n = level_of(b, name) - 1, chain;
    const char *type = name;
    for (int32_t l = n; l-- > 0; type = find_type(b, type)->child) {
        const level_type *t = find_type(b, type);
        levels[l] = (orr_cell_level){t->name, t->children, t->node};
    }
    assert_int_equal(orr_cells_add_chain(b->w->cells, name, type, levels, n, &chain, NULL), ORR_OK);
}

static void add_chains(builder *b)
{
    for (size_t i = 0; i < b->tops.n; i++)
        if (find_chain(b, b->tops.at[i].type) < 0)
            ORR_VEC_PUSH(&b->chains, b->tops.at[i].type);
    qsort(b->chains.at, b->chains.n, sizeof *b->chains.at, backwards);
    for (size_t i = 0; i < b->chains.n; i++)
        add_chain(b, b->chains.at[i]);
}

/* ---- physical cells ---- */

static int32_t node_index(world *w, const char *name)
{
    int32_t at = world_node(w, name);
    if (at >= 0)
        return at;
    w->nodes = orr_xrealloc(w->nodes, (size_t)w->node_count + 1, sizeof *w->nodes);
    w->nodes[w->node_count] = name;
    return w->node_count++;
}

typedef ORR_VEC(orr_leaf) leaf_list;

/* GPU indices out of nested lists. */
static void add_listed(leaf_list *out, int32_t node, const orr_yaml *list)
{
    if (list->kind == ORR_YAML_SCALAR) {
        ORR_VEC_PUSH(out, ((orr_leaf){node, number(list->text)}));
        return;
    }
    for (const orr_yaml *v = list->first; v; v = v->next)
        add_listed(out, node, v);
}

static void add_node(builder *b, const top *t, const char *name, leaf_list *out)
{
    int32_t node = node_index(b->w, name), n = node_gpus(b, t->type, false);
    const orr_yaml *order = t->orders ? orr_yaml_member(t->orders, name) : NULL;
    if (order || t->gpus) {
        add_listed(out, node, order ? order : t->gpus);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        ORR_VEC_PUSH(out, ((orr_leaf){node, i}));
}

static void add_nodes(builder *b, const top *t, const orr_yaml *list, leaf_list *out)
{
    const char *name = list->kind == ORR_YAML_SCALAR ? list->text : text_of(list, "cellAddress");
    if (name) {
        add_node(b, t, name, out);
        return;
    }
    for (const orr_yaml *v = list->first; v; v = v->next)
        add_nodes(b, t, v, out);
}

/* Whose is a pinned cell? */
static int32_t owner_of(const builder *b, const char *pin)
{
    for (const orr_yaml *vc = need(b->w->doc.root, "virtual_clusters")->first; vc; vc = vc->next) {
        const orr_yaml *pins = orr_yaml_member(vc, "pinned");
        for (const orr_yaml *v = pins ? pins->first : NULL; v; v = v->next)
            if (strcmp(v->text, pin) == 0)
                return world_vc(b->w, vc->key);
    }
    fail_msg("nobody has the pinned cell %s", pin);
    return -1;
}

static void add_pins(builder *b, const top *t, int32_t chain, const leaf_list *leaves)
{
    int32_t level = level_of(b, t->type);
    if (t->pin)
        orr_cells_add_pin(b->w->cells, owner_of(b, t->pin), chain, level, leaves->at[0], t->pin);
    if (t->pair_pin)
        orr_cells_add_pin(b->w->cells, owner_of(b, t->pair_pin), chain, level - 1, leaves->at[0], t->pair_pin);
    for (const orr_yaml *v = t->leaf_pins ? t->leaf_pins->first : NULL; v; v = v->next)
        orr_cells_add_pin(b->w->cells, owner_of(b, v->text), chain, 1, (orr_leaf){leaves->at[0].node, number(v->key)},
                          v->text);
}

static void add_top(builder *b, const top *t)
{
    leaf_list leaves = {0};
    int32_t chain = find_chain(b, t->type);
    if (t->only_node)
        add_node(b, t, t->only_node, &leaves);
    else
        add_nodes(b, t, t->nodes, &leaves);
    orr_cells_add_top(b->w->cells, chain, leaves.at);
    add_pins(b, t, chain, &leaves);
    ORR_VEC_FREE(&leaves);
}

static void read_tops(builder *b, const orr_yaml *list)
{
    for (const orr_yaml *v = list->first; v; v = v->next) {
        top t = {.type = text_of(v, b->theirs ? "cellType" : "type"),
                 .only_node = text_of(v, b->theirs ? "cellAddress" : "node"),
                 .nodes = orr_yaml_member(v, b->theirs ? "cellChildren" : "nodes"),
                 .gpus = orr_yaml_member(v, "gpus"),
                 .orders = orr_yaml_member(v, "gpu_order_of"),
                 .leaf_pins = orr_yaml_member(v, "pinned_leaf"),
                 .pair_pin = text_of(v, "pinned_first_pair"),
                 .pin = text_of(v, "pinned")};
        ORR_VEC_PUSH(&b->tops, t);
    }
}

/* ---- virtual clusters ---- */

static void add_quota(builder *b, int32_t vc, const char *type, int32_t count)
{
    char chain[128];
    for (size_t i = 0; i < b->change_count; i++)
        if (strcmp(b->changes[i].vc, b->w->vcs[vc]) == 0 && strcmp(b->changes[i].was, type) == 0) {
            type = b->changes[i].is;
            count = b->changes[i].count;
            break;
        }
    snprintf(chain, sizeof chain, "%.*s", (int)strcspn(type, "."), type);
    for (const char *dot = strchr(type, '.'); dot; dot = strchr(type, '.'))
        type = dot + 1;
    orr_cells_add_quota(b->w->cells, vc, find_chain(b, chain), level_of(b, type), count);
}

static void read_vc(builder *b, const orr_yaml *vc)
{
    int32_t index = world_vc(b->w, vc->key);
    for (const orr_yaml *v = need(vc, b->theirs ? "virtualCells" : "quota")->first; v; v = v->next) {
        if (b->theirs)
            add_quota(b, index, text_of(v, "cellType"), number(text_of(v, "cellNumber")));
        else
            add_quota(b, index, v->first->text, number(v->first->next->text));
    }
}

static void read_vcs(builder *b, const orr_yaml *map)
{
    world *w = b->w;
    w->vcs = orr_xcalloc(map->count + 1, sizeof *w->vcs);
    for (const orr_yaml *v = map->first; v; v = v->next) {
        w->vcs[w->vc_count++] = v->key;
        orr_cells_add_vc(w->cells, v->key);
    }
    for (const orr_yaml *v = map->first; v; v = v->next)
        read_vc(b, v);
}

/* ---- all of it ---- */

static void read_file(world *w, const char *path)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(path, &e);
    char *data = NULL;
    size_t size = 0;
    if (!in || orr_input_all(in, &data, &size, &e) || orr_yaml_read(&w->doc, path, data, size, &e))
        fail_msg("%s: %s", path, e.message);
    free(data);
    orr_input_close(in);
}

void world_open(world *w, const char *path, const quota_change *changes, size_t change_count)
{
    *w = (world){.cells = orr_cells_create()};
    builder b = {.w = w, .changes = changes, .change_count = change_count};
    read_file(w, path);
    const orr_yaml *root = w->doc.root, *physical = orr_yaml_member(root, "physicalCluster");
    b.theirs = physical != NULL;
    read_types(&b, b.theirs ? need(physical, "cellTypes") : need(root, "cell_types"));
    read_tops(&b, b.theirs ? need(physical, "physicalCells") : need(root, "physical_cells"));
    add_chains(&b);
    read_vcs(&b, need(root, b.theirs ? "virtualClusters" : "virtual_clusters"));
    for (size_t i = 0; i < b.tops.n; i++)
        add_top(&b, &b.tops.at[i]);
    orr_error e = {0};
    if (orr_cells_ready(w->cells, &e))
        fail_msg("%s: %s", path, e.message);
    for (int healthy = 0; healthy < 2; healthy++)
        for (int32_t n = 0; n < w->node_count; n++)
            orr_cells_node(w->cells, n, healthy);
    ORR_VEC_FREE(&b.types);
    ORR_VEC_FREE(&b.tops);
    ORR_VEC_FREE(&b.chains);
}

void world_close(world *w)
{
    orr_cells_destroy(w->cells);
    free(w->nodes);
    free(w->vcs);
    orr_yaml_fini(&w->doc);
}

static int32_t find(const char *const *list, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

int32_t world_node(const world *w, const char *name)
{
    return find(w->nodes, w->node_count, name);
}

int32_t world_vc(const world *w, const char *name)
{
    return find(w->vcs, w->vc_count, name);
}
