/* Virtual clusters as a table of node counts: Helios' VC configuration (`vc,num`, or `,num` as pandas writes it) and
 * the list that the Helios authors made for Philly (`vc,node num`). Every node is alike; how many GPUs it has is not in
 * the file. VC names stay texts: Philly has `6214e9` and `0e4a51`.
 */
#include "config/reader.h"
#include "base/table.h"

/* The header is exactly `head`, trailing blanks aside. */
static bool is_header(const char *line, const char *head)
{
    size_t n = strlen(head);
    return strncmp(line, head, n) == 0 && !line[n + strspn(line + n, " \t\r")];
}

static orr_err add_vc(const orr_table *t, int32_t gpus, orr_cluster_spec *spec, int *empty, orr_error *e)
{
    const char *vc = t->fields.at[0];
    int64_t nodes = 0;
    orr_err err = orr_table_int(t, 1, 0, ORR_CLUSTER_MAX_NODES, &nodes, e);
    if (err)
        return err;
    if (!vc[0])
        return orr_table_fail(t, 0, ORR_E_BAD_CLUSTER, e, "a VC has no name");
    if (orr_cluster_spec_find_vc(spec, vc) >= 0)
        return orr_table_fail(t, 0, ORR_E_BAD_CLUSTER, e, "the VC '%.80s' is given twice", vc);
    if (!nodes) {
        ++*empty;
        return ORR_E_OK;
    }
    orr_node_spec node = orr_node_spec_default();
    node.vc = vc;
    node.gpus = gpus;
    err = orr_cluster_spec_add(spec, &node, (int32_t)nodes, e);
    if (err)
        orr_table_place(t, e);
    return err;
}

static orr_err read_rows(orr_table *t, int32_t gpus, orr_cluster_spec *spec, orr_error *e)
{
    if (t->columns.n != 2) {
        orr_error_set(e, ORR_E_FORMAT, "a VC configuration has two columns, this has %zu", t->columns.n);
        orr_table_place(t, e);
        return ORR_E_FORMAT;
    }
    int empty = 0;
    for (;;) {
        bool more = false;
        orr_err err = orr_table_next(t, &more, e);
        if (err)
            return err;
        if (!more)
            break;
        err = add_vc(t, gpus, spec, &empty, e);
        if (err)
            return err;
    }
    if (empty)
        orr_cluster_spec_add_note(spec, "VCs without nodes, left out: %d", empty);
    return ORR_E_OK;
}

static orr_err read_vcs(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    orr_table t;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = read_rows(&t, source->gpus_per_node, spec, e);
    if (!err)
        orr_cluster_spec_add_note(spec, "the file counts nodes only; each is taken to have %d GPUs",
                                  (int)source->gpus_per_node);
    orr_table_close(&t);
    return err;
}

static bool sniff_helios(const char *line)
{
    return is_header(line, "vc,num") || is_header(line, ",num");
}

static bool sniff_philly(const char *line)
{
    return is_header(line, "vc,node num");
}

const orr_cluster_reader orr_reader_helios_vc = {
    .format = "helios-vc",
    .begins = "vc,num",
    .doc = "Nodes of each virtual cluster, as Helios' simulator reads them; the first column may be unnamed.",
    .sniff = sniff_helios,
    .read = read_vcs,
};

const orr_cluster_reader orr_reader_philly_vc = {
    .format = "philly-vc",
    .begins = "vc,node num",
    .doc = "The same for Philly.",
    .sniff = sniff_philly,
    .read = read_vcs,
};
