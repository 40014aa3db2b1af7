/* Tenants and cells in a cluster file: what the keys give, and what is refused where. */
#include "given.h"

#include "config/describe.h"

#include <orrery/cells.h>

#define HEAD "schema: orrery.cluster/1\n"
#define NODES HEAD "nodes: [{count: 4, gpus: 8, type: V100}]\n"
#define CELLS NODES "cells: [{name: h, levels: {switch: 4, node: 8, rack: 16}}]\n"

static void quotas_arrive(void **state)
{
    (void)state;
    orr_cluster_spec *spec =
        must_read(CELLS "tenants:\n"
                        "  red: {cells: {h.rack: 1, h.gpu: 2}, pinned: {mine: \"h.switch@node3:5\"}}\n"
                        "  blue: {cells: {h.switch: 1}}\n",
                  NULL);
    assert_true(orr_cluster_spec_tenants(spec));
    assert_int_equal(orr_cluster_spec_vcs(spec), 2);
    assert_string_equal(orr_cluster_spec_vc(spec, 1), "blue");
    assert_string_equal(orr_cluster_spec_node(spec, 0)->vc, "");
    const orr_quota red = orr_cluster_spec_quota(spec, 0);
    assert_int_equal(red.kind, ORR_QUOTA_CELLS);
    assert_int_equal(red.gpus, 16 + 2 + 4);
    assert_int_equal(red.cell_count, 3);
    assert_string_equal(red.cells[0].chain, "h");
    assert_string_equal(red.cells[0].level, "rack");
    assert_string_equal(red.cells[2].pin, "mine");
    assert_string_equal(red.cells[2].node, "node3");
    assert_int_equal(red.cells[2].gpu, 5);
    orr_cells *cells = orr_cells_of_cluster(spec, false, NULL);
    assert_non_null(cells);
    assert_int_equal(orr_cells_free(cells, 0, 4), 1); /* the other rack lost a switch to the pin */
    orr_cells_destroy(cells);
    orr_cluster_spec_destroy(spec);
}

static void counts_arrive(void **state)
{
    (void)state;
    orr_cluster_spec *spec =
        must_read(NODES "tenants: {red: {gpus: 20}, blue: {gpus: 40}}\n", NULL); /* more than there is */
    assert_int_equal(orr_cluster_spec_quota(spec, 1).kind, ORR_QUOTA_GPUS);
    assert_int_equal(orr_cluster_spec_quota(spec, 1).gpus, 40);
    orr_cluster_spec_destroy(spec);
    spec = must_read(HEAD "nodes: [{count: 4, gpus: 8}]\nvcs: {red: 3, blue: 1}\n", NULL);
    assert_false(orr_cluster_spec_tenants(spec));
    assert_int_equal(orr_cluster_spec_quota(spec, 0).kind, ORR_QUOTA_NODES);
    assert_int_equal(orr_cluster_spec_quota(spec, 0).gpus, 24);
    orr_cluster_spec_destroy(spec);
}

/* Nodes of a type, the next so many; VCs that own nodes have their own. */
static void chains_take_nodes(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes: [{count: 2, gpus: 4, type: A}, {count: 4, gpus: 8, type: H}]\n"
                                            "cells:\n"
                                            "  - {name: one, type: H, nodes: 1, levels: {node: 8}}\n"
                                            "  - {name: rest, type: H, levels: {node: 8, trio: 24}}\n"
                                            "  - {name: a, type: A, levels: {node: 4}}\n",
                                       NULL);
    orr_cells *cells = orr_cells_of_cluster(spec, false, NULL);
    assert_int_equal(orr_cells_chain_node(cells, 0, 0), 2);
    assert_int_equal(orr_cells_chain_node(cells, 0, 1), -1);
    assert_int_equal(orr_cells_chain_node(cells, 1, 2), 5);
    assert_int_equal(orr_cells_chain_node(cells, 2, 0), 0);
    orr_cells_destroy(cells);
    orr_cluster_spec_destroy(spec);
    spec = must_read(HEAD "nodes: [{count: 2, vc: red}, {count: 3, vc: blue}]\n", NULL);
    cells = orr_cells_of_cluster(spec, false, NULL);
    assert_int_equal(orr_cells_chains(cells), 2);
    orr_cells_destroy(cells);
    cells = orr_cells_of_cluster(spec, true, NULL);
    assert_int_equal(orr_cells_chains(cells), 1);
    orr_cells_destroy(cells);
    orr_cluster_spec_destroy(spec);
}

static void described(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(CELLS "tenants:\n"
                                             "  red: {cells: {h.rack: 1, h.gpu: 2}}\n"
                                             "  longer: {gpus: 4}\n"
                                             "  blue: {pinned: {mine: h.node@node3}}\n",
                                       NULL);
    orr_text text = {0};
    orr_describe_tenants_text(spec, &text);
    assert_string_equal(text.at, "\ntenant       gpus  quota\n"
                                 "red            18  1 h.rack, 2 h.gpu\n"
                                 "longer          4  anywhere\n"
                                 "blue            8  h.node at node3 as mine\n");
    orr_text_fini(&text);
    cJSON *object = cJSON_CreateObject();
    orr_describe_tenants_json(spec, object);
    char *json = cJSON_PrintUnformatted(object);
    assert_string_equal(
        json, "{\"tenants\":[{\"vc\":\"red\",\"gpus\":18,\"cells\":[{\"chain\":\"h\",\"level\":\"rack\",\"count\":1},"
              "{\"chain\":\"h\",\"level\":\"gpu\",\"count\":2}]},{\"vc\":\"longer\",\"gpus\":4},"
              "{\"vc\":\"blue\",\"gpus\":8,\"cells\":[{\"chain\":\"h\",\"level\":\"node\",\"count\":1,"
              "\"pin\":\"mine\",\"node\":\"node3\"}]}]}");
    cJSON_free(json);
    cJSON_Delete(object);
    orr_cluster_spec_destroy(spec);
}

static void the_rest_is_refused(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"neither", NODES "tenants: {red: {}}\n", ORR_E_BAD_CLUSTER, 3, 11, "either 'gpus' or 'cells'", NULL},
        {"both", CELLS "tenants: {red: {gpus: 4, cells: {h.node: 1}}}\n", ORR_E_BAD_CLUSTER, 4, 11, "either", NULL},
        {"a number", NODES "tenants: {red: 4}\n", ORR_E_SYNTAX, 3, 16, "should be a map", NULL},
        {"beside vcs", NODES "vcs: {blue: 2}\ntenants: {red: {gpus: 4}}\n", ORR_E_BAD_CLUSTER, 3, 1, "both 'vcs' and",
         NULL},
        {"beside vc", HEAD "nodes: [{gpus: 8, vc: x}]\ntenants: {red: {gpus: 4}}\n", ORR_E_BAD_CLUSTER, 2, 19,
         "both 'vc' and", NULL},
        {"no such level", CELLS "tenants: {red: {cells: {h.pod: 1}}}\n", ORR_E_BAD_CLUSTER, 4, 16,
         "'h.pod', which aren't", NULL},
        {"no dot", CELLS "tenants: {red: {cells: {rack: 1}}}\n", ORR_E_BAD_CLUSTER, 4, 25, "CHAIN.LEVEL", NULL},
        {"too much", CELLS "tenants: {red: {cells: {h.rack: 2, h.gpu: 1}}}\n", ORR_E_BAD_CLUSTER, 3, 8,
         "can't be carved", NULL},
        {"a pin nowhere", CELLS "tenants: {red: {pinned: {m: h.node@x}}}\n", ORR_E_BAD_CLUSTER, 3, 8, "pinned as 'm'",
         NULL},
        {"a pin's form", CELLS "tenants: {red: {pinned: {m: h.node}}}\n", ORR_E_BAD_CLUSTER, 4, 29, "CHAIN.LEVEL@NODE",
         NULL},
        {"no whole cells", NODES "cells: [{name: h, levels: {half: 3, node: 8}}]\n", ORR_E_BAD_CLUSTER, 3, 9,
         "isn't made of whole cells", NULL},
        {"no node", NODES "cells: [{name: h, levels: {half: 4, rack: 16}}]\n", ORR_E_BAD_CLUSTER, 3, 8,
         "no level of that size", NULL},
        {"not by three", NODES "cells: [{name: h, levels: {node: 8, trio: 24}}]\n", ORR_E_BAD_CLUSTER, 3, 8,
         "can't be put together by 3", NULL},
        {"a name twice", NODES "cells: [{name: h, nodes: 1, levels: {node: 8}}, {name: h, levels: {node: 8}}]\n",
         ORR_E_BAD_CLUSTER, 3, 49, "used once", NULL},
        {"no nodes left", NODES "cells: [{name: h, levels: {node: 8}}, {name: i, levels: {node: 8}}]\n",
         ORR_E_BAD_CLUSTER, 3, 8, "0 are left", NULL},
    };
    check_bad_texts(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotas_arrive), cmocka_unit_test(counts_arrive),
                                       cmocka_unit_test(chains_take_nodes), cmocka_unit_test(described),
                                       cmocka_unit_test(the_rest_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
