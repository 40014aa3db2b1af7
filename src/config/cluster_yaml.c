/* Our own cluster file. It is read in three steps: entries by their key tables, rules between keys, then node by node
 * into the description, each node with its rack and VC.
 */
#include "config/cluster_keys.h"

#include "config/presets.h"
#include <stdlib.h>

#define MAX_PRESET_DEPTH 4

typedef struct open_file {
    orr_yaml_doc doc;
    orr_cluster_file head;
} open_file;

/* ---- one file ---- */

static orr_err check_schema(const orr_yaml_doc *doc, const orr_cluster_file *file, orr_error *e)
{
    if (strcmp(file->schema, ORR_CLUSTER_SCHEMA) == 0)
        return ORR_E_OK;
    orr_err code = orr_yaml_fail(doc, orr_yaml_member(doc->root, "schema"), ORR_E_FORMAT, e,
                                 "this is no cluster file that this version can read");
    orr_error_hint(e, "it should say `schema: " ORR_CLUSTER_SCHEMA "`");
    return code;
}

/* `schema` is looked at first: a file of another kind should not be told that its keys are unknown. */
static orr_err read_head(open_file *file, orr_error *e)
{
    const orr_yaml *root = file->doc.root;
    const orr_yaml *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (schema && schema->kind == ORR_YAML_SCALAR) {
        orr_err err = check_schema(&file->doc, &(orr_cluster_file){.schema = schema->text}, e);
        if (err)
            return err;
    }
    orr_schema_defaults(&orr_cluster_keys, &file->head);
    orr_err err = orr_schema_read(&orr_cluster_keys, &file->doc, root, &file->head, e);
    if (err && !schema)
        orr_error_hint(e, "a cluster file begins with `schema: " ORR_CLUSTER_SCHEMA "`");
    return err;
}

static orr_err open_input(orr_input *in, orr_cluster_source *source, open_file *file, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_err err = orr_input_all(in, &data, &size, e);
    if (err)
        return err;
    orr_cluster_source_digest(source, data, size);
    err = orr_yaml_read(&file->doc, orr_input_name(in), data, size, e);
    free(data);
    return err ? err : read_head(file, e);
}

/* ---- presets ---- */

/* `e` gets a place in the preset's own file if that is where the trouble is. */
static orr_err read_preset(const char *path, orr_cluster_source *source, orr_cluster_spec *spec, orr_node_entry *out,
                           orr_error *e)
{
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return ORR_E_OPEN;
    open_file file = {0};
    orr_err err = open_input(in, source, &file, e);
    if (!err && file.head.nodes->count != 1)
        err = orr_yaml_fail(&file.doc, file.head.nodes, ORR_E_BAD_CLUSTER, e,
                            "this preset has %zu kinds of node, so it can't be the hardware of one",
                            file.head.nodes->count);
    if (!err)
        err = orr_node_entry_read(&orr_node_keys, &file.doc, file.head.nodes->first, source, spec, out, e);
    if (!err) {
        out->type = orr_cluster_spec_keep(spec, out->type);
        out->nvlink = orr_cluster_spec_keep(spec, out->nvlink);
    }
    orr_yaml_fini(&file.doc);
    orr_input_close(in);
    return err;
}

/* Writes the preset's hardware over `out` and leaves the rest of it. */
static orr_err apply_preset(const orr_yaml_doc *doc, const orr_yaml *at, orr_cluster_source *source,
                            orr_cluster_spec *spec, orr_node_entry *out, orr_error *e)
{
    if (source->depth >= MAX_PRESET_DEPTH)
        return orr_yaml_fail(doc, at, ORR_E_BAD_CLUSTER, e, "presets name each other more than %d deep",
                             MAX_PRESET_DEPTH);
    orr_text path = {0};
    orr_node_entry preset = {0};
    orr_err err = ORR_E_OK;
    if (orr_preset_path(source->beside, at->text, &path) || orr_preset_path(source->preset_dir, at->text, &path)) {
        source->depth++;
        err = read_preset(path.at, source, spec, &preset, e);
        source->depth--;
    } else {
        err = orr_yaml_fail(doc, at, ORR_E_BAD_CLUSTER, e, "no preset is named '%.80s'", at->text);
        orr_preset_hint(source->preset_dir, at->text, e);
    }
    orr_text_fini(&path);
    if (err)
        return err;
    preset.preset = out->preset;
    for (const orr_key *key = orr_hardware_keys.at; key->name; key++)
        orr_schema_copy(key, out, &preset);
    return ORR_E_OK;
}

orr_err orr_node_entry_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map,
                            orr_cluster_source *source, orr_cluster_spec *spec, orr_node_entry *out, orr_error *e)
{
    orr_schema_defaults(keys, out);
    orr_err err = orr_schema_read(keys, doc, map, out, e);
    const orr_yaml *preset = err ? NULL : orr_yaml_member(map, "preset");
    if (!preset)
        return err;
    orr_schema_defaults(keys, out);
    err = apply_preset(doc, preset, source, spec, out, e);
    if (!err && orr_yaml_member(map, "nvlink"))
        out->nvlinks = 0; /* the preset's number belongs to the preset's wiring */
    return err ? err : orr_schema_read(keys, doc, map, out, e);
}

/* ---- rules between keys ---- */

typedef struct entries {
    ORR_VEC(orr_node_entry) list;
    int64_t total;
} entries;

static orr_err read_entries(const open_file *file, orr_cluster_source *source, orr_cluster_spec *spec, entries *all,
                            orr_error *e)
{
    for (const orr_yaml *v = file->head.nodes->first; v; v = v->next) {
        orr_node_entry entry = {0};
        orr_err err = orr_node_entry_read(&orr_node_keys, &file->doc, v, source, spec, &entry, e);
        if (err)
            return err;
        all->total += entry.count;
        if (all->total > ORR_CLUSTER_MAX_NODES)
            return orr_yaml_fail(&file->doc, v, ORR_E_BAD_CLUSTER, e, "more than %d nodes in all",
                                 ORR_CLUSTER_MAX_NODES);
        ORR_VEC_PUSH(&all->list, entry);
    }
    return ORR_E_OK;
}

/* `racks` against `rack`, `vcs` against `vc`: two ways to say one thing. */
static orr_err check_conflicts(const open_file *file, orr_error *e)
{
    for (const orr_yaml *v = file->head.nodes->first; v; v = v->next) {
        const orr_yaml *rack = orr_yaml_member(v, "rack"), *vc = orr_yaml_member(v, "vc");
        if (rack && file->head.racks)
            return orr_yaml_fail_key(&file->doc, rack, ORR_E_BAD_CLUSTER, e, "both 'rack' and 'racks' are given");
        if (vc && file->head.vcs)
            return orr_yaml_fail_key(&file->doc, vc, ORR_E_BAD_CLUSTER, e, "both 'vc' and 'vcs' are given");
        if (vc && file->head.tenants)
            return orr_yaml_fail_key(&file->doc, vc, ORR_E_BAD_CLUSTER, e, "both 'vc' and 'tenants' are given");
    }
    return ORR_E_OK;
}

static orr_err check_tenants(const open_file *file, orr_error *e)
{
    if (!file->head.vcs || !file->head.tenants)
        return ORR_E_OK;
    return orr_yaml_fail_key(&file->doc, file->head.vcs, ORR_E_BAD_CLUSTER, e, "both 'vcs' and 'tenants' are given");
}

static orr_err check_racks(const open_file *file, int64_t total, orr_error *e)
{
    if (file->head.racks <= total)
        return ORR_E_OK;
    return orr_yaml_fail(&file->doc, orr_yaml_member(file->doc.root, "racks"), ORR_E_BAD_CLUSTER, e,
                         "there are more racks than nodes (%lld)", (long long)total);
}

static orr_err check_vcs(const open_file *file, int64_t total, orr_error *e)
{
    const orr_yaml *vcs = file->head.vcs;
    if (!vcs)
        return ORR_E_OK;
    if (file->head.nodes->count > 1)
        return orr_yaml_fail_key(&file->doc, vcs, ORR_E_BAD_CLUSTER, e,
                                 "'vcs' divides nodes that are alike, but 'nodes' has %zu elements; give each its 'vc'",
                                 file->head.nodes->count);
    int64_t sum = 0;
    for (const orr_yaml *v = vcs->first; v; v = v->next) {
        sum += orr_schema_count(v);
        if (sum > total)
            return orr_yaml_fail(&file->doc, v, ORR_E_BAD_CLUSTER, e,
                                 "the VCs up to '%.80s' want %lld nodes and there are %lld", v->key, (long long)sum,
                                 (long long)total);
    }
    return ORR_E_OK;
}

/* ---- into the description ---- */

typedef struct cursor {
    const orr_yaml *vc;
    int64_t left; /* nodes that this VC still gets */
} cursor;

static const char *next_vc(cursor *c)
{
    if (c->vc && c->left == 0) {
        c->vc = c->vc->next;
        c->left = c->vc ? orr_schema_count(c->vc) : 0;
    }
    c->left -= c->vc != NULL;
    return c->vc ? c->vc->key : "";
}

static orr_err add_node(const open_file *file, const entries *all, orr_node_spec node, cursor *vcs,
                        orr_cluster_spec *spec, orr_error *e)
{
    char rack[32];
    if (file->head.racks) {
        int64_t r = orr_rack_of(orr_cluster_spec_nodes(spec), all->total, file->head.racks);
        snprintf(rack, sizeof rack, "rack%lld", (long long)r);
        node.rack = rack;
    }
    if (file->head.vcs)
        node.vc = next_vc(vcs);
    return orr_cluster_spec_add(spec, &node, 1, e);
}

static orr_err add_entry(const open_file *file, const entries *all, size_t i, const orr_yaml *v, cursor *vcs,
                         orr_cluster_spec *spec, orr_error *e)
{
    orr_wired_node node;
    orr_err err = orr_node_entry_spec(&all->list.at[i], &node, e);
    if (err) {
        const orr_yaml *at = orr_yaml_member(v, "nvlink");
        orr_error_at(e, file->doc.file, at ? at->line : v->line, at ? at->column : v->column);
        return err;
    }
    for (int64_t k = 0; k < all->list.at[i].count && !err; k++)
        err = add_node(file, all, node.spec, vcs, spec, e);
    if (err)
        orr_error_at(e, file->doc.file, v->line, v->column);
    return err;
}

static orr_err add_nodes(const open_file *file, const entries *all, orr_cluster_spec *spec, orr_error *e)
{
    const orr_yaml *first_vc = file->head.vcs ? file->head.vcs->first : NULL;
    cursor vcs = {first_vc, first_vc ? orr_schema_count(first_vc) : 0};
    const orr_yaml *v = file->head.nodes->first;
    for (size_t i = 0; i < all->list.n; i++, v = v->next) {
        orr_err err = add_entry(file, all, i, v, &vcs, spec, e);
        if (err)
            return err;
    }
    return ORR_E_OK;
}

static orr_err read_fabric(const open_file *file, orr_cluster_spec *spec, orr_error *e)
{
    orr_fabric_entry entry;
    const orr_yaml *v = file->head.fabric;
    if (!v)
        return ORR_E_OK;
    orr_schema_defaults(&orr_fabric_keys, &entry);
    orr_err err = orr_schema_read(&orr_fabric_keys, &file->doc, v, &entry, e);
    if (err)
        return err;
    err = orr_fabric_entry_set(&entry, spec, e);
    if (err)
        orr_error_at(e, file->doc.file, v->line, v->column);
    return err;
}

static orr_err read_file(const open_file *file, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    entries all = {0};
    orr_err err = read_entries(file, source, spec, &all, e);
    if (!err)
        err = check_conflicts(file, e);
    if (!err)
        err = check_tenants(file, e);
    if (!err)
        err = check_racks(file, all.total, e);
    if (!err)
        err = check_vcs(file, all.total, e);
    if (!err)
        err = add_nodes(file, &all, spec, e);
    if (!err)
        err = read_fabric(file, spec, e);
    if (!err)
        err = orr_cluster_read_tenants(&file->doc, file->head.cells, file->head.tenants, spec, e);
    if (!err && file->head.name[0])
        orr_cluster_spec_set_name(spec, file->head.name);
    ORR_VEC_FREE(&all.list);
    return err;
}

static orr_err read_yaml(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    open_file file = {0};
    orr_err err = open_input(in, source, &file, e);
    if (!err)
        err = read_file(&file, source, spec, e);
    orr_yaml_fini(&file.doc);
    return err;
}

/* Any line with a colon, or the mark of a document or flow map: other formats have been asked before. */
static bool sniff(const char *line)
{
    return strchr(line, ':') || line[0] == '{' || strncmp(line, "---", 3) == 0 || line[0] == '%';
}

const orr_cluster_reader orr_reader_yaml = {
    .format = "orrery-yaml",
    .begins = "schema: " ORR_CLUSTER_SCHEMA,
    .doc = "Our own, below.",
    .sniff = sniff,
    .read = read_yaml,
};

/* ---- the inline form ---- */

static orr_err add_inline(const orr_yaml_doc *doc, const orr_node_entry *entry, orr_cluster_spec *spec, orr_error *e)
{
    if (entry->racks > entry->count)
        return orr_yaml_fail(doc, orr_yaml_member(doc->root, "racks"), ORR_E_BAD_VALUE, e,
                             "there are more racks than nodes (%lld)", (long long)entry->count);
    orr_wired_node wired;
    orr_err err = orr_node_entry_spec(entry, &wired, e);
    orr_node_spec node = wired.spec;
    if (err || !entry->racks)
        return err ? err : orr_cluster_spec_add(spec, &node, (int32_t)entry->count, e);
    for (int64_t i = 0; i < entry->count; i++) {
        char rack[32];
        snprintf(rack, sizeof rack, "rack%lld", (long long)orr_rack_of(i, entry->count, entry->racks));
        node.rack = rack;
        err = orr_cluster_spec_add(spec, &node, 1, e);
        if (err)
            return err;
    }
    return ORR_E_OK;
}

orr_err orr_cluster_read_inline(const char *text, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    orr_yaml_doc doc = {0};
    orr_node_entry entry = {0};
    orr_err err = orr_yaml_inline(&doc, text, e);
    if (!err)
        err = orr_node_entry_read(&orr_inline_keys, &doc, doc.root, source, spec, &entry, e);
    if (!err)
        err = add_inline(&doc, &entry, spec, e);
    if (!err)
        err = orr_fabric_entry_set(&entry.fabric, spec, e);
    if (err == ORR_E_BAD_CLUSTER && e && e->line == 0)
        err = e->code = ORR_E_BAD_VALUE; /* what stands on the command line is no file's fault */
    if (err)
        orr_error_hint(e, "the form is nodes=N,gpus=G[,type=T][,cpus=C][,mem=M][,racks=R][,preset=P]");
    orr_yaml_fini(&doc);
    return err;
}
