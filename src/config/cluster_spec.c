/* The cluster description: one flat array of nodes whose texts are interned, so that a million like nodes share one
 * type name, and two pools that number what must be unique or countable: node names and VCs.
 */
#include "config/spec.h"

#include "base/mem.h"
#include "base/text.h"
#include "cluster/mig.h"
#include "config/tenants.h"
#include "config/wiring.h"
#include <stdio.h>
#include <stdlib.h>

#define NAME_BUF (ORR_CLUSTER_MAX_TEXT + 16)

struct orr_cluster_spec {
    orr_names *texts, *node_names;
    orr_names *vcs; /* an id is the VC's index */
    ORR_VEC(orr_node_spec) nodes;
    ORR_VEC(const char *) notes;
    ORR_VEC(orr_capacity_change) capacity;
    const char *name, *format;
    char digest[65];
    int64_t gpus;
    orr_wirings wirings;
    orr_fabric fabric;
    orr_tenants tenants;
};

static const char *intern(orr_names *names, const char *text)
{
    return orr_names_text(names, orr_names_id(names, text, strlen(text)));
}

const char *orr_cluster_spec_keep(orr_cluster_spec *spec, const char *text)
{
    return intern(spec->texts, text ? text : "");
}

void orr_cluster_spec_set_name(orr_cluster_spec *spec, const char *name)
{
    spec->name = orr_cluster_spec_keep(spec, name);
}

void orr_cluster_spec_set_format(orr_cluster_spec *spec, const char *format)
{
    spec->format = orr_cluster_spec_keep(spec, format);
}

void orr_cluster_spec_set_digest(orr_cluster_spec *spec, const char hex[65])
{
    memcpy(spec->digest, hex, sizeof spec->digest);
}

void orr_cluster_spec_add_capacity(orr_cluster_spec *spec, const orr_capacity_change *change)
{
    ORR_VEC_PUSH(&spec->capacity, *change);
}

const orr_capacity_change *orr_cluster_spec_capacity(const orr_cluster_spec *spec, size_t *count)
{
    *count = spec->capacity.n;
    return spec->capacity.at;
}

void orr_cluster_spec_add_note(orr_cluster_spec *spec, const char *fmt, ...)
{
    char buf[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf, sizeof buf, fmt, args);
    va_end(args);
    ORR_VEC_PUSH(&spec->notes, orr_cluster_spec_keep(spec, buf));
}

orr_cluster_spec *orr_cluster_spec_create(const char *name)
{
    orr_cluster_spec *spec = orr_xcalloc(1, sizeof *spec);
    spec->texts = orr_names_create();
    spec->node_names = orr_names_create();
    spec->vcs = orr_names_create();
    orr_cluster_spec_set_name(spec, name);
    orr_cluster_spec_set_format(spec, "code");
    return spec;
}

void orr_cluster_spec_destroy(orr_cluster_spec *spec)
{
    if (!spec)
        return;
    orr_names_destroy(spec->texts);
    orr_names_destroy(spec->node_names);
    orr_names_destroy(spec->vcs);
    ORR_VEC_FREE(&spec->nodes);
    ORR_VEC_FREE(&spec->notes);
    ORR_VEC_FREE(&spec->capacity);
    orr_wirings_fini(&spec->wirings);
    orr_tenants_fini(&spec->tenants);
    free(spec);
}

orr_node_spec orr_node_spec_default(void)
{
    return (orr_node_spec){.gpu_type = "", .vc = "", .rack = "", .gpus = 8, .sockets = 1};
}

/* ---- what a node may be ---- */

static orr_err check_text(const char *what, const char *text, orr_error *e)
{
    size_t n = strlen(text);
    if (n > ORR_CLUSTER_MAX_TEXT)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "the %s of a node is longer than %d bytes", what,
                             ORR_CLUSTER_MAX_TEXT);
    if (!orr_utf8_valid(text, n))
        return orr_error_set(e, ORR_E_ENCODING, "the %s of a node is not UTF-8", what);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "the %s of a node has a control character in it", what);
    return ORR_E_OK;
}

static orr_err check_range(const char *what, int64_t value, int64_t low, int64_t high, orr_error *e)
{
    if (value >= low && value <= high)
        return ORR_E_OK;
    return orr_error_set(e, ORR_E_BAD_CLUSTER, "%s: %lld is not in %lld..%lld", what, (long long)value, (long long)low,
                         (long long)high);
}

static orr_err check_texts(const orr_node_spec *node, orr_error *e)
{
    orr_err err = check_text("VC", node->vc, e);
    if (!err)
        err = check_text("rack", node->rack, e);
    if (!err)
        err = check_text("GPU type", node->gpu_type, e);
    if (!err && node->name)
        err = check_text("name", node->name, e);
    if (!err && node->name && !node->name[0])
        err = orr_error_set(e, ORR_E_BAD_CLUSTER, "a node's name is empty");
    return err;
}

static orr_err check_node(const orr_node_spec *node, orr_error *e)
{
    orr_err err = check_range("GPUs of a node", node->gpus, 0, ORR_NODE_MAX_GPUS, e);
    if (!err)
        err = check_range("sockets of a node", node->sockets, 1, ORR_NODE_MAX_SOCKETS, e);
    if (!err)
        err = check_range("cores of a node", node->cpus, 0, ORR_NODE_MAX_CPUS, e);
    if (!err)
        err = check_range("memory of a node, in bytes", node->mem_bytes, 0, ORR_NODE_MAX_BYTES, e);
    if (!err)
        err = check_range("memory of a GPU, in bytes", node->gpu_mem_bytes, 0, ORR_NODE_MAX_BYTES, e);
    if (!err)
        err = orr_wiring_check(node->wiring, node->gpus, node->sockets, e);
    if (!err && node->mig && !orr_mig_model_of(node->gpu_type ? node->gpu_type : ""))
        err = orr_error_set(e, ORR_E_BAD_CLUSTER, "GPUs of the type '%.80s' can't be cut by MIG",
                            node->gpu_type ? node->gpu_type : "");
    return err ? err : check_texts(node, e);
}

/* ---- names ---- */

/* "node<index>", or the given name with its first %d replaced. Never a printf format: the text is a user's. */
static void make_name(char buf[NAME_BUF], const char *pattern, int32_t index)
{
    const char *at = strstr(pattern, "%d");
    if (at)
        snprintf(buf, NAME_BUF, "%.*s%ld%s", (int)(at - pattern), pattern, (long)index, at + 2);
    else
        snprintf(buf, NAME_BUF, "%s", pattern);
}

static orr_err repeated(const char *name, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_CLUSTER, "two nodes are named '%s'", name);
    orr_error_hint(e, "a %%d in a name becomes the node's index");
    return ORR_E_BAD_CLUSTER;
}

static orr_err check_names(const orr_cluster_spec *spec, const char *pattern, int32_t count, orr_error *e)
{
    if (count > 1 && !strstr(pattern, "%d"))
        return repeated(pattern, e);
    char name[NAME_BUF];
    for (int32_t i = 0; i < count; i++) {
        make_name(name, pattern, (int32_t)spec->nodes.n + i);
        if (orr_names_find(spec->node_names, name, strlen(name)) >= 0)
            return repeated(name, e);
    }
    return ORR_E_OK;
}

static void append(orr_cluster_spec *spec, orr_node_spec node, const char *pattern)
{
    char name[NAME_BUF];
    make_name(name, pattern, (int32_t)spec->nodes.n);
    node.name = intern(spec->node_names, name);
    ORR_VEC_PUSH(&spec->nodes, node);
    spec->gpus += node.gpus;
}

orr_err orr_cluster_spec_add(orr_cluster_spec *spec, const orr_node_spec *given, int32_t count, orr_error *e)
{
    orr_node_spec node = *given;
    node.vc = given->vc ? given->vc : "";
    node.rack = given->rack ? given->rack : "";
    node.gpu_type = given->gpu_type ? given->gpu_type : "";
    const char *pattern = given->name ? given->name : "node%d";

    orr_err err = check_range("number of nodes", count, 1, ORR_CLUSTER_MAX_NODES, e);
    if (!err)
        err = check_range("nodes of the whole cluster", (int64_t)spec->nodes.n + count, 1, ORR_CLUSTER_MAX_NODES, e);
    if (!err)
        err = check_node(&node, e);
    if (!err)
        err = check_names(spec, pattern, count, e);
    if (err)
        return err;

    if (orr_cluster_spec_tenants(spec) && node.vc[0])
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "nodes can't belong to the VC '%s': VCs have quotas here", node.vc);
    node.vc = orr_cluster_spec_tenants(spec) ? "" : intern(spec->vcs, node.vc);
    node.rack = orr_cluster_spec_keep(spec, node.rack);
    node.gpu_type = orr_cluster_spec_keep(spec, node.gpu_type);
    node.wiring = orr_wirings_keep(&spec->wirings, node.wiring, node.gpus);
    ORR_VEC_RESERVE(&spec->nodes, spec->nodes.n + (size_t)count);
    for (int32_t i = 0; i < count; i++)
        append(spec, node, pattern);
    return ORR_E_OK;
}

orr_err orr_cluster_spec_set_fabric(orr_cluster_spec *spec, const orr_fabric *fabric, orr_error *e)
{
    orr_err err = orr_fabric_check(fabric, e);
    if (!err)
        spec->fabric = *fabric;
    return err;
}

/* ---- questions ---- */

const orr_fabric *orr_cluster_spec_fabric(const orr_cluster_spec *spec)
{
    return &spec->fabric;
}

const char *orr_cluster_spec_name(const orr_cluster_spec *spec)
{
    return spec->name;
}

const char *orr_cluster_spec_digest(const orr_cluster_spec *spec)
{
    return spec->digest;
}

const char *orr_cluster_spec_format(const orr_cluster_spec *spec)
{
    return spec->format;
}

int32_t orr_cluster_spec_nodes(const orr_cluster_spec *spec)
{
    return (int32_t)spec->nodes.n;
}

const orr_node_spec *orr_cluster_spec_node(const orr_cluster_spec *spec, int32_t index)
{
    return index >= 0 && (size_t)index < spec->nodes.n ? &spec->nodes.at[index] : NULL;
}

int64_t orr_cluster_spec_gpus(const orr_cluster_spec *spec)
{
    return spec->gpus;
}

int32_t orr_cluster_spec_vcs(const orr_cluster_spec *spec)
{
    return (int32_t)orr_names_count(spec->vcs);
}

const char *orr_cluster_spec_vc(const orr_cluster_spec *spec, int32_t index)
{
    return index >= 0 && index < orr_cluster_spec_vcs(spec) ? orr_names_text(spec->vcs, (uint32_t)index) : NULL;
}

int32_t orr_cluster_spec_find_vc(const orr_cluster_spec *spec, const char *name)
{
    return name ? (int32_t)orr_names_find(spec->vcs, name, strlen(name)) : -1;
}

/* ---- tenants ---- */

bool orr_cluster_spec_tenants(const orr_cluster_spec *spec)
{
    return spec->tenants.quotas.n > 0;
}

/* With the first tenant the VC of nodes without one is no more: all nodes are everybody's. */
static void drop_common_vc(orr_cluster_spec *spec)
{
    for (size_t i = 0; i < spec->nodes.n; i++)
        spec->nodes.at[i].vc = "";
    orr_names_destroy(spec->vcs);
    spec->vcs = orr_names_create();
}

orr_err orr_cluster_spec_add_tenant(orr_cluster_spec *spec, const char *vc, const orr_quota *quota, orr_error *e)
{
    bool first = !orr_cluster_spec_tenants(spec);
    for (size_t i = 0; first && i < spec->nodes.n; i++)
        if (spec->nodes.at[i].vc[0])
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "the VC '%.80s' has nodes: '%.80s' can't have a quota beside it",
                                 spec->nodes.at[i].vc, vc);
    orr_err err = check_text("VC", vc, e);
    if (!err && (!vc[0] || (!first && orr_cluster_spec_find_vc(spec, vc) >= 0)))
        err = orr_error_set(e, ORR_E_BAD_CLUSTER, vc[0] ? "the VC '%.80s' is given twice" : "a VC has no name%.0s", vc);
    if (!err)
        err = orr_tenants_add(&spec->tenants, vc, quota, e);
    if (err)
        return err;
    if (first)
        drop_common_vc(spec);
    intern(spec->vcs, vc);
    return ORR_OK;
}

orr_quota orr_cluster_spec_quota(const orr_cluster_spec *spec, int32_t vc)
{
    if (orr_cluster_spec_tenants(spec))
        return spec->tenants.quotas.at[vc];
    orr_quota quota = {.kind = ORR_QUOTA_NODES};
    const char *name = orr_cluster_spec_vc(spec, vc);
    for (size_t i = 0; i < spec->nodes.n; i++)
        quota.gpus += strcmp(spec->nodes.at[i].vc, name) == 0 ? spec->nodes.at[i].gpus : 0;
    return quota;
}

orr_err orr_cluster_spec_add_chain(orr_cluster_spec *spec, const orr_chain_spec *chain, orr_error *e)
{
    return orr_tenants_add_chain(&spec->tenants, chain, e);
}

int32_t orr_cluster_spec_chains(const orr_cluster_spec *spec)
{
    return (int32_t)spec->tenants.chains.n;
}

const orr_chain_spec *orr_cluster_spec_chain(const orr_cluster_spec *spec, int32_t index)
{
    return index >= 0 && index < orr_cluster_spec_chains(spec) ? &spec->tenants.chains.at[index] : NULL;
}

int32_t orr_cluster_spec_notes(const orr_cluster_spec *spec)
{
    return (int32_t)spec->notes.n;
}

const char *orr_cluster_spec_note(const orr_cluster_spec *spec, int32_t index)
{
    return index >= 0 && (size_t)index < spec->notes.n ? spec->notes.at[index] : NULL;
}
