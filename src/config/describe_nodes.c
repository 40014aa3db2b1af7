/* A node as text: sockets and what is below them, NVLinks as a matrix, rates, and what rings the best GPUs give. */
#include "config/describe_nodes.h"

#include "cluster/bits.h"
#include "cluster/topology.h"
#include "config/kinds.h"

#include <stdio.h>

enum { DRAWN = 8, MATRIX = 16 }; /* kinds of node that are drawn; GPUs of the largest matrix */

static const orr_wiring none;

static const orr_wiring *wiring_of(const orr_node_spec *node)
{
    return node->wiring ? node->wiring : &none;
}

const char *orr_describe_rate(double bps, char *buf)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    int unit = 0;
    char digits[ORR_DOUBLE_BUF];
    for (; bps >= 1000 && unit < 5; unit++)
        bps /= 1000;
    orr_format_double((double)(int64_t)(bps * 1000 + 0.5) / 1000, digits);
    snprintf(buf, ORR_RATE_BUF, "%s %s", digits, units[unit]);
    return buf;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

static const char *nvlink_words(const orr_node_spec *node)
{
    const orr_wiring *w = wiring_of(node);
    if (w->nvswitch_links)
        return "all joined by NVSwitch";
    return w->nvlinks ? "NVLink between pairs" : NULL;
}

void orr_describe_node_title(const orr_node_spec *node, orr_text *out)
{
    orr_text_addf(out, "%d x %s", (int)node->gpus, node->gpu_type[0] ? node->gpu_type : "GPU");
    if (nvlink_words(node))
        orr_text_addf(out, ", %s", nvlink_words(node));
}

static void add_rate(orr_text *out, const char *what, double bps)
{
    char buf[ORR_RATE_BUF];
    if (bps > 0)
        orr_text_addf(out, "%s%s %s", out->n ? ", " : "", what, orr_describe_rate(bps, buf));
}

void orr_describe_node_rates(const orr_node_spec *node, orr_text *out)
{
    const orr_wiring *w = wiring_of(node);
    orr_text rates = {0};
    add_rate(&rates, "an NVLink", w->nvlink_bps);
    add_rate(&rates, "PCIe", w->pcie_bps);
    add_rate(&rates, "switch to socket", w->switches ? w->uplink_bps : 0);
    add_rate(&rates, "between sockets", w->socket_bps);
    add_rate(&rates, "a NIC", w->nic_bps);
    orr_text_add(out, rates.n ? rates.at : "", rates.n);
    orr_text_fini(&rates);
}

/* ---- sockets and what is below them ------------------------------------------------------------------------------ */

/* "gpu 0 1": those of `n` things that lie at place `at` of `places`, dealt out in order. */
static void add_list(orr_text *out, const char *what, int32_t n, int32_t at, int32_t places)
{
    orr_text list = {0};
    for (int32_t i = 0; i < n; i++)
        if (i * places / n == at)
            orr_text_addf(&list, " %d", (int)i);
    if (list.n)
        orr_text_addf(out, "  %s%s", what, list.at);
    orr_text_fini(&list);
}

static void add_socket(orr_text *out, const orr_node_spec *node, int32_t socket)
{
    const orr_wiring *w = wiring_of(node);
    orr_text_addf(out, "  socket %d", (int)socket);
    if (!w->switches) {
        add_list(out, "gpu", node->gpus, socket, node->sockets);
        add_list(out, "nic", w->nics, socket, node->sockets);
    }
    orr_text_addf(out, "\n");
    for (int32_t s = 0; s < w->switches; s++) {
        if (s * node->sockets / w->switches != socket)
            continue;
        orr_text_addf(out, "    switch %d", (int)s);
        add_list(out, "gpu", node->gpus, s, w->switches);
        add_list(out, "nic", w->nics, s, w->switches);
        orr_text_addf(out, "\n");
    }
}

/* ---- NVLinks ----------------------------------------------------------------------------------------------------- */

static void add_pairs(orr_text *out, const orr_node_spec *node)
{
    const uint8_t *links = node->wiring->nvlinks;
    orr_text_addf(out, "  nvlink");
    for (int a = 0; a < node->gpus; a++)
        for (int b = a + 1; b < node->gpus; b++)
            if (links[a * node->gpus + b])
                orr_text_addf(out, " %d-%dx%d", a, b, links[a * node->gpus + b]);
    orr_text_addf(out, "\n");
}

static void add_matrix(orr_text *out, const orr_node_spec *node)
{
    const uint8_t *links = node->wiring->nvlinks;
    orr_text_addf(out, "  nvlink");
    for (int b = 0; b < node->gpus; b++)
        orr_text_addf(out, " %2d", b);
    orr_text_addf(out, "\n");
    for (int a = 0; a < node->gpus; a++) {
        orr_text_addf(out, "%8d", a);
        for (int b = 0; b < node->gpus; b++) {
            const int n = links[a * node->gpus + b];
            if (n)
                orr_text_addf(out, " %2d", n);
            else
                orr_text_addf(out, "  %s", a == b ? "-" : ".");
        }
        orr_text_addf(out, "\n");
    }
}

static void add_nvlinks(orr_text *out, const orr_node_spec *node)
{
    const orr_wiring *w = wiring_of(node);
    if (w->nvswitch_links)
        orr_text_addf(out, "  nvlink  %d links of each GPU into a switch\n", (int)w->nvswitch_links);
    else if (w->nvlinks && node->gpus <= MATRIX)
        add_matrix(out, node);
    else if (w->nvlinks)
        add_pairs(out, node);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Gangs of 2, 4, 8, … and of all. */
static int32_t next_size(const orr_node_spec *node, int32_t size)
{
    return 2 * size < node->gpus || size == node->gpus ? 2 * size : node->gpus;
}

static void add_rings(orr_text *out, const orr_node_spec *node)
{
    orr_topology *t = orr_topology_create(node);
    char rate[ORR_RATE_BUF];
    for (int32_t n = 2; n <= node->gpus; n = next_size(node, n)) {
        const uint64_t best = orr_topology_best(t, t->all, n);
        const double bps = orr_topology_ring(t, best);
        if (bps <= 0)
            break;
        orr_text_addf(out, n == 2 ? "  rings   %2d GPUs %11s  gpu" : "          %2d GPUs %11s  gpu", (int)n,
                      orr_describe_rate(bps, rate));
        for (uint64_t m = best; m; m &= m - 1)
            orr_text_addf(out, " %d", orr_lowest_bit(m));
        orr_text_addf(out, "\n");
    }
    orr_topology_destroy(t);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void add_node(orr_text *out, const orr_node_kind *kind)
{
    const orr_node_spec *node = kind->node;
    char count[64];
    orr_format_count((uint64_t)kind->nodes, count);
    orr_text_addf(out, "\nnode     ");
    orr_describe_node_title(node, out);
    orr_text_addf(out, " (%s %s, first %s)\n", count, kind->nodes == 1 ? "node" : "nodes", node->name);
    for (int32_t s = 0; s < node->sockets; s++)
        add_socket(out, node, s);
    add_nvlinks(out, node);
    orr_text_addf(out, "  rates   ");
    orr_describe_node_rates(node, out);
    orr_text_addf(out, "\n");
    add_rings(out, node);
}

void orr_describe_nodes_text(const orr_cluster_spec *spec, orr_text *out)
{
    orr_node_kinds kinds = orr_node_kinds_of(spec, false);
    for (size_t i = 0; i < kinds.list.n && i < DRAWN; i++)
        add_node(out, &kinds.list.at[i]);
    if (kinds.list.n > DRAWN)
        orr_text_addf(out, "\nand %zu more kinds of node\n", kinds.list.n - DRAWN);
    orr_node_kinds_fini(&kinds);
}

void orr_describe_fabric_text(const orr_cluster_spec *spec, orr_text *out)
{
    const orr_fabric *f = orr_cluster_spec_fabric(spec);
    char number[ORR_DOUBLE_BUF];
    orr_text line = {0};
    add_rate(&line, "a rack to the spine", f->rack_bps);
    if (f->oversubscription > 0) {
        orr_format_double(f->oversubscription, number);
        orr_text_addf(&line, "racks over-subscribed %s to 1", number);
    }
    add_rate(&line, "the spine", f->spine_bps);
    if (line.n)
        orr_text_addf(out, "fabric   %s\n", line.at);
    orr_text_fini(&line);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_number(cJSON *object, const char *key, double v)
{
    char digits[ORR_DOUBLE_BUF];
    orr_format_double(v, digits);
    cJSON_AddRawToObject(object, key, digits);
}

/* Rates that aren't stated are null. */
static void put_rate(cJSON *object, const char *key, double bps)
{
    if (bps > 0)
        put_number(object, key, bps);
    else
        cJSON_AddNullToObject(object, key);
}

static void put_matrix(cJSON *object, const orr_node_spec *node)
{
    const uint8_t *links = wiring_of(node)->nvlinks;
    if (!links) {
        cJSON_AddNullToObject(object, "nvlinks");
        return;
    }
    cJSON *rows = cJSON_AddArrayToObject(object, "nvlinks");
    for (int a = 0; a < node->gpus; a++) {
        cJSON *row = cJSON_CreateArray();
        for (int b = 0; b < node->gpus; b++)
            cJSON_AddItemToArray(row, cJSON_CreateNumber(links[a * node->gpus + b]));
        cJSON_AddItemToArray(rows, row);
    }
}

static void put_rings(cJSON *object, const orr_node_spec *node)
{
    orr_topology *t = orr_topology_create(node);
    cJSON *list = cJSON_AddArrayToObject(object, "rings");
    for (int32_t n = 2; n <= node->gpus; n = next_size(node, n)) {
        const uint64_t best = orr_topology_best(t, t->all, n);
        cJSON *ring = cJSON_CreateObject();
        put_rate(ring, "bps", orr_topology_ring(t, best));
        cJSON *gpus = cJSON_AddArrayToObject(ring, "gpus");
        for (uint64_t m = best; m; m &= m - 1)
            cJSON_AddItemToArray(gpus, cJSON_CreateNumber(orr_lowest_bit(m)));
        cJSON_AddItemToArray(list, ring);
    }
    orr_topology_destroy(t);
}

static cJSON *kind_json(const orr_node_kind *kind)
{
    const orr_node_spec *node = kind->node;
    const orr_wiring *w = wiring_of(node);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "first", node->name);
    put_number(o, "nodes", (double)kind->nodes);
    cJSON_AddStringToObject(o, "type", node->gpu_type);
    put_number(o, "gpus", node->gpus);
    put_number(o, "sockets", node->sockets);
    put_number(o, "nvswitch_links", w->nvswitch_links);
    put_matrix(o, node);
    put_rate(o, "nvlink_bps", w->nvlink_bps);
    put_number(o, "pcie_switches", w->switches);
    put_rate(o, "pcie_bps", w->pcie_bps);
    put_rate(o, "uplink_bps", w->switches && w->uplink_bps <= 0 ? w->pcie_bps : w->uplink_bps);
    put_rate(o, "socket_bps", w->socket_bps);
    put_number(o, "nics", w->nics);
    put_rate(o, "nic_bps", w->nic_bps);
    put_rings(o, node);
    return o;
}

void orr_describe_nodes_json(const orr_cluster_spec *spec, cJSON *object)
{
    const orr_fabric *f = orr_cluster_spec_fabric(spec);
    cJSON *fabric = cJSON_AddObjectToObject(object, "fabric");
    put_rate(fabric, "rack_bps", f->rack_bps);
    put_rate(fabric, "oversubscription", f->oversubscription);
    put_rate(fabric, "spine_bps", f->spine_bps);
    cJSON *list = cJSON_AddArrayToObject(object, "wiring");
    orr_node_kinds kinds = orr_node_kinds_of(spec, false);
    for (size_t i = 0; i < kinds.list.n; i++)
        cJSON_AddItemToArray(list, kind_json(&kinds.list.at[i]));
    orr_node_kinds_fini(&kinds);
}
