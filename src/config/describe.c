/* Facts of a cluster: one pass over the nodes into a few small tables, then two printers. Types and VCs stand in the
 * order of first mention, sizes from the largest.
 */
#include "config/describe.h"

#include "base/mem.h"
#include "config/describe_nodes.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct share {
    const char *name;
    int64_t nodes, gpus;
    int64_t gpu_mem_low, gpu_mem_high; /* by type; 0: not stated */
    int64_t by_size[ORR_NODE_MAX_GPUS + 1];
} share;

typedef struct facts {
    int64_t nodes, gpus, gpu_nodes, cpus, mem_bytes;
    int64_t gpu_node_cpus, gpu_node_mem; /* of nodes with GPUs */
    uint32_t racks;
    int64_t by_size[ORR_NODE_MAX_GPUS + 1];
    ORR_VEC(share) types, vcs;
} facts;

/* ---- counting ---- */

static share *share_at(facts *f, bool type, uint32_t id, const char *name)
{
    if (type) {
        if (id == f->types.n)
            ORR_VEC_PUSH(&f->types, ((share){.name = name}));
        return &f->types.at[id];
    }
    if (id == f->vcs.n)
        ORR_VEC_PUSH(&f->vcs, ((share){.name = name}));
    return &f->vcs.at[id];
}

static void count_share(share *s, const orr_node_spec *node)
{
    bool first = s->nodes == 0;
    s->nodes++;
    s->gpus += node->gpus;
    s->by_size[node->gpus]++;
    if (first || node->gpu_mem_bytes < s->gpu_mem_low)
        s->gpu_mem_low = node->gpu_mem_bytes;
    if (node->gpu_mem_bytes > s->gpu_mem_high)
        s->gpu_mem_high = node->gpu_mem_bytes;
}

/* A million nodes of 64 TiB don't fit: the sum stops at the end of the range. */
static int64_t add_held(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void count_node(facts *f, const orr_node_spec *node, orr_names *types, orr_names *vcs)
{
    f->nodes++;
    f->gpus += node->gpus;
    f->gpu_nodes += node->gpus > 0;
    f->cpus += node->cpus;
    f->mem_bytes = add_held(f->mem_bytes, node->mem_bytes);
    f->by_size[node->gpus]++;
    f->gpu_node_cpus += node->gpus > 0 ? node->cpus : 0;
    f->gpu_node_mem = add_held(f->gpu_node_mem, node->gpus > 0 ? node->mem_bytes : 0);
    if (node->gpus > 0)
        count_share(share_at(f, true, orr_names_id(types, node->gpu_type, strlen(node->gpu_type)), node->gpu_type),
                    node);
    count_share(share_at(f, false, orr_names_id(vcs, node->vc, strlen(node->vc)), node->vc), node);
}

static facts count(const orr_cluster_spec *spec)
{
    facts f = {0};
    orr_names *types = orr_names_create(), *vcs = orr_names_create(), *racks = orr_names_create();
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        count_node(&f, node, types, vcs);
        orr_names_id(racks, node->rack, strlen(node->rack));
    }
    f.racks = orr_names_count(racks);
    orr_names_destroy(types);
    orr_names_destroy(vcs);
    orr_names_destroy(racks);
    return f;
}

static void facts_fini(facts *f)
{
    ORR_VEC_FREE(&f->types);
    ORR_VEC_FREE(&f->vcs);
}

/* ---- text ---- */

static void add_count(orr_text *out, int64_t v, const char *one, const char *many)
{
    char buf[64];
    orr_format_count((uint64_t)v, buf);
    orr_text_addf(out, "%s %s", buf, v == 1 ? one : many);
}

/* Binary units with one decimal where it doesn't come out even: "512 GiB", "1.5 TiB". */
static void add_bytes(orr_text *out, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    double v = (double)bytes;
    while (v >= 1024 && unit < 6) {
        v /= 1024;
        unit++;
    }
    int64_t tenths = (int64_t)(v * 10 + 0.5);
    if (tenths % 10)
        orr_text_addf(out, "%lld.%lld %s", (long long)(tenths / 10), (long long)(tenths % 10), units[unit]);
    else
        orr_text_addf(out, "%lld %s", (long long)(tenths / 10), units[unit]);
}

static void add_totals(const orr_cluster_spec *spec, const facts *f, orr_text *out)
{
    orr_text_addf(out, "cluster  %s  (%s)\n", orr_cluster_spec_name(spec), orr_cluster_spec_format(spec));
    orr_text_addf(out, "nodes    ");
    add_count(out, f->nodes, "node", "nodes");
    if (f->gpu_nodes < f->nodes) {
        orr_text_addf(out, ", ");
        add_count(out, f->nodes - f->gpu_nodes, "of them without GPUs", "of them without GPUs");
    }
    orr_text_addf(out, ", ");
    add_count(out, f->racks, "rack", "racks");
    orr_text_addf(out, "\ngpus     ");
    add_count(out, f->gpus, "GPU", "GPUs");
    orr_text_addf(out, "\nhost     ");
    if (f->cpus)
        add_count(out, f->cpus, "core", "cores");
    else
        orr_text_addf(out, "cores not stated");
    orr_text_addf(out, ", ");
    if (f->mem_bytes)
        add_bytes(out, f->mem_bytes);
    else
        orr_text_addf(out, "memory not stated");
    orr_text_addf(out, "\n");
}

static void add_table(orr_text *out, const char *title, const char *unnamed, const share *rows, size_t n)
{
    int width = (int)strlen(title);
    for (size_t i = 0; i < n; i++) {
        const char *name = rows[i].name[0] ? rows[i].name : unnamed;
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    orr_text_addf(out, "\n%-*s  %9s  %9s\n", width, title, "nodes", "gpus");
    for (size_t i = 0; i < n; i++)
        orr_text_addf(out, "%-*s  %9lld  %9lld\n", width, rows[i].name[0] ? rows[i].name : unnamed,
                      (long long)rows[i].nodes, (long long)rows[i].gpus);
}

static void add_sizes(const facts *f, orr_text *out)
{
    orr_text_addf(out, "\ngpus a node      nodes\n");
    for (int size = ORR_NODE_MAX_GPUS; size >= 0; size--)
        if (f->by_size[size])
            orr_text_addf(out, "%11d  %9lld\n", size, (long long)f->by_size[size]);
}

void orr_describe_cluster_text(const orr_cluster_spec *spec, orr_text *out)
{
    facts f = count(spec);
    add_totals(spec, &f, out);
    orr_describe_fabric_text(spec, out);
    for (int32_t i = 0; i < orr_cluster_spec_notes(spec); i++)
        orr_text_addf(out, "note     %s\n", orr_cluster_spec_note(spec, i));
    add_table(out, "gpu type", "(not stated)", f.types.at, f.types.n);
    if (f.vcs.n > 1 || f.vcs.at[0].name[0])
        add_table(out, "vc", "(common)", f.vcs.at, f.vcs.n);
    orr_describe_tenants_text(spec, out);
    add_sizes(&f, out);
    orr_describe_nodes_text(spec, out);
    facts_fini(&f);
}

/* ---- JSON ---- */

/* Integers as their digits: cJSON's numbers are doubles. */
static void put_int(cJSON *object, const char *key, int64_t v)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", (long long)v);
    cJSON_AddRawToObject(object, key, digits);
}

static cJSON *share_json(const char *key, const share *s)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, key, s->name);
    put_int(row, "nodes", s->nodes);
    put_int(row, "gpus", s->gpus);
    return row;
}

static void put_sizes(cJSON *object, const int64_t by_size[ORR_NODE_MAX_GPUS + 1])
{
    cJSON *list = cJSON_AddArrayToObject(object, "by_node_size");
    for (int size = ORR_NODE_MAX_GPUS; size >= 0; size--) {
        if (!by_size[size])
            continue;
        cJSON *row = cJSON_CreateObject();
        put_int(row, "gpus", size);
        put_int(row, "nodes", by_size[size]);
        cJSON_AddItemToArray(list, row);
    }
}

static void put_types(cJSON *object, const facts *f)
{
    cJSON *list = cJSON_AddArrayToObject(object, "by_type");
    for (size_t i = 0; i < f->types.n; i++) {
        cJSON *row = share_json("type", &f->types.at[i]);
        put_int(row, "gpu_mem_low", f->types.at[i].gpu_mem_low);
        put_int(row, "gpu_mem_high", f->types.at[i].gpu_mem_high);
        put_sizes(row, f->types.at[i].by_size);
        cJSON_AddItemToArray(list, row);
    }
}

static void put_vcs(cJSON *object, const facts *f)
{
    cJSON *list = cJSON_AddArrayToObject(object, "by_vc");
    for (size_t i = 0; i < f->vcs.n; i++)
        cJSON_AddItemToArray(list, share_json("vc", &f->vcs.at[i]));
}

static void put_notes(cJSON *object, const orr_cluster_spec *spec)
{
    cJSON *list = cJSON_AddArrayToObject(object, "notes");
    for (int32_t i = 0; i < orr_cluster_spec_notes(spec); i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(orr_cluster_spec_note(spec, i)));
}

cJSON *orr_describe_cluster_json(const orr_cluster_spec *spec)
{
    facts f = count(spec);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "schema", "orrery.cluster-facts/1");
    cJSON_AddStringToObject(object, "name", orr_cluster_spec_name(spec));
    cJSON_AddStringToObject(object, "format", orr_cluster_spec_format(spec));
    cJSON_AddStringToObject(object, "digest", orr_cluster_spec_digest(spec));
    put_int(object, "nodes", f.nodes);
    put_int(object, "gpu_nodes", f.gpu_nodes);
    put_int(object, "gpus", f.gpus);
    put_int(object, "cpus", f.cpus);
    put_int(object, "mem", f.mem_bytes);
    put_int(object, "racks", f.racks);
    put_int(object, "gpu_node_cpus", f.gpu_node_cpus);
    put_int(object, "gpu_node_mem", f.gpu_node_mem);
    put_types(object, &f);
    put_vcs(object, &f);
    orr_describe_tenants_json(spec, object);
    put_sizes(object, f.by_size);
    orr_describe_nodes_json(spec, object);
    put_notes(object, spec);
    facts_fini(&f);
    return object;
}
