/* Tiresias' cluster specification: one row that says switches x nodes x GPUs. A switch becomes a rack. */
#include "config/reader.h"
#include "base/table.h"

enum { SWITCHES, NODES, GPUS, CPUS, MEM, COLUMNS };

static orr_err read_row(const orr_table *t, int64_t value[COLUMNS], orr_error *e)
{
    static const struct {
        const char *name;
        int64_t low, high;
    } columns[COLUMNS] = {
        {"num_switch", 1, ORR_CLUSTER_MAX_NODES},           {"num_node_p_switch", 1, ORR_CLUSTER_MAX_NODES},
        {"num_gpu_p_node", 0, ORR_NODE_MAX_GPUS},           {"num_cpu_p_node", 0, ORR_NODE_MAX_CPUS},
        {"mem_p_node", 0, ORR_NODE_MAX_BYTES / 1000000000},
    };
    for (int i = 0; i < COLUMNS; i++) {
        size_t column = 0;
        orr_err err = orr_table_column(t, columns[i].name, &column, e);
        if (!err)
            err = orr_table_int(t, column, columns[i].low, columns[i].high, &value[i], e);
        if (err)
            return err;
    }
    return ORR_E_OK;
}

static orr_err add_racks(const orr_table *t, const int64_t value[COLUMNS], orr_cluster_spec *spec, orr_error *e)
{
    if (value[SWITCHES] * value[NODES] > ORR_CLUSTER_MAX_NODES)
        return orr_table_fail(t, 0, ORR_E_BAD_CLUSTER, e, "more than %d nodes in all", ORR_CLUSTER_MAX_NODES);
    orr_node_spec node = orr_node_spec_default();
    node.gpus = (int32_t)value[GPUS];
    node.cpus = (int32_t)value[CPUS];
    node.mem_bytes = value[MEM] * 1000000000;
    for (int64_t i = 0; i < value[SWITCHES]; i++) {
        char rack[32];
        snprintf(rack, sizeof rack, "rack%lld", (long long)i);
        node.rack = rack;
        orr_err err = orr_cluster_spec_add(spec, &node, (int32_t)value[NODES], e);
        if (err) {
            orr_table_place(t, e);
            return err;
        }
    }
    return ORR_E_OK;
}

static orr_err read_only_row(orr_table *t, orr_cluster_spec *spec, orr_error *e)
{
    int64_t value[COLUMNS] = {0};
    bool more = false;
    orr_err err = orr_table_next(t, &more, e);
    if (!err)
        err = read_row(t, value, e);
    if (!err)
        err = add_racks(t, value, spec, e);
    if (!err)
        err = orr_table_next(t, &more, e);
    if (!err && more)
        err = orr_table_fail(t, 0, ORR_E_BAD_CLUSTER, e, "a cluster specification has one row; this is another");
    return err;
}

static orr_err read_spec(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    (void)source;
    orr_table t;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = read_only_row(&t, spec, e);
    orr_table_close(&t);
    return err;
}

static bool sniff(const char *line)
{
    return strncmp(line, "num_switch", strlen("num_switch")) == 0;
}

const orr_cluster_reader orr_reader_tiresias = {
    .format = "tiresias",
    .begins = "num_switch,num_node_p_switch,…",
    .doc = "One row: switches, nodes of a switch, GPUs, cores and memory (GB) of a node. A switch becomes a rack.",
    .sniff = sniff,
    .read = read_spec,
};
