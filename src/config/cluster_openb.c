/* The node list of Alibaba's GPU cluster of 2023 (openb): a row a node, with cores in thousandths and memory in MiB.
 * Nodes without GPUs have no model. Columns are found by name; others are ignored.
 */
#include "config/reader.h"
#include "base/table.h"

enum { SN, CPU, MEMORY, GPU, MODEL, COLUMNS };

static orr_err find_columns(const orr_table *t, size_t at[COLUMNS], orr_error *e)
{
    static const char *const names[COLUMNS] = {"sn", "cpu_milli", "memory_mib", "gpu", "model"};
    for (int i = 0; i < COLUMNS; i++) {
        orr_err err = orr_table_column(t, names[i], &at[i], e);
        if (err)
            return err;
    }
    return ORR_E_OK;
}

static orr_err add_node(const orr_table *t, const size_t at[COLUMNS], orr_cluster_spec *spec, orr_error *e)
{
    int64_t milli = 0, mib = 0, gpus = 0;
    orr_err err = orr_table_int(t, at[CPU], 0, INT64_C(1000) * ORR_NODE_MAX_CPUS, &milli, e);
    if (!err)
        err = orr_table_int(t, at[MEMORY], 0, ORR_NODE_MAX_BYTES >> 20, &mib, e);
    if (!err)
        err = orr_table_int(t, at[GPU], 0, ORR_NODE_MAX_GPUS, &gpus, e);
    if (err)
        return err;
    orr_node_spec node = orr_node_spec_default();
    node.name = t->fields.at[at[SN]];
    node.gpu_type = t->fields.at[at[MODEL]];
    node.gpus = (int32_t)gpus;
    node.cpus = (int32_t)(milli / 1000);
    node.mem_bytes = mib << 20;
    err = orr_cluster_spec_add(spec, &node, 1, e);
    if (err)
        orr_table_place(t, e);
    return err;
}

static orr_err read_nodes(orr_table *t, orr_cluster_spec *spec, orr_error *e)
{
    size_t at[COLUMNS] = {0};
    orr_err err = find_columns(t, at, e);
    while (!err) {
        bool more = false;
        err = orr_table_next(t, &more, e);
        if (err || !more)
            break;
        err = add_node(t, at, spec, e);
    }
    return err;
}

static orr_err read_list(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    (void)source;
    orr_table t;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = read_nodes(&t, spec, e);
    orr_table_close(&t);
    return err;
}

static bool sniff(const char *line)
{
    return strncmp(line, "sn,cpu_milli", strlen("sn,cpu_milli")) == 0;
}

const orr_cluster_reader orr_reader_openb = {
    .format = "openb",
    .begins = "sn,cpu_milli,memory_mib,gpu,model",
    .doc = "Alibaba's node list of 2023: a row a node, CPU nodes included.",
    .sniff = sniff,
    .read = read_list,
};
