/* Links and fabric of a description: what each key does, in layers over presets, and what is refused where. */
#include "given.h"

#include "config/wiring.h"

#define HEAD "schema: orrery.cluster/1\n"
#define GB 1e9

static int links(const orr_node_spec *node, int a, int b)
{
    return node->wiring->nvlinks[a * node->gpus + b];
}

static void every_key_arrives(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "racks: 2\n"
                                            "nodes:\n"
                                            "  - count: 4\n"
                                            "    gpus: 4\n"
                                            "    sockets: 2\n"
                                            "    nvlink: 0-1x2 1-3\n"
                                            "    nvlink_bw: 20.6GB/s\n"
                                            "    pcie_switches: 2\n"
                                            "    pcie_bw: 12GB/s\n"
                                            "    uplink_bw: 11GB/s\n"
                                            "    socket_bw: 6GB/s\n"
                                            "    nics: 2\n"
                                            "    nic_bw: 100Gb/s\n"
                                            "fabric: {oversubscription: 2.5, spine_bw: 1TB/s}\n",
                                       NULL);
    const orr_node_spec *n = orr_cluster_spec_node(spec, 3);
    const orr_wiring *w = n->wiring;
    assert_int_equal(links(n, 0, 1), 2);
    assert_int_equal(links(n, 1, 0), 2);
    assert_int_equal(links(n, 3, 1), 1);
    assert_int_equal(links(n, 0, 2), 0);
    assert_int_equal(w->nvswitch_links, 0);
    assert_true(w->nvlink_bps == 20.6 * GB && w->pcie_bps == 12 * GB && w->uplink_bps == 11 * GB);
    assert_true(w->socket_bps == 6 * GB && w->nic_bps == 12.5 * GB);
    assert_int_equal(w->switches, 2);
    assert_int_equal(w->nics, 2);
    const orr_fabric *f = orr_cluster_spec_fabric(spec);
    assert_true(f->oversubscription == 2.5 && f->spine_bps == 1000 * GB && f->rack_bps == 0);
    assert_ptr_equal(w, orr_cluster_spec_node(spec, 0)->wiring);
    orr_cluster_spec_destroy(spec);
}

static void nothing_stated_is_nothing(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_load("nodes=2,gpus=4", NULL);
    assert_null(orr_cluster_spec_node(spec, 1)->wiring);
    assert_true(orr_cluster_spec_fabric(spec)->rack_bps == 0 && orr_cluster_spec_fabric(spec)->oversubscription == 0);
    orr_cluster_spec_destroy(spec);
}

/* The matrices of the two DGX-1: "a-b" rows by hand, from the picture of the hybrid cube mesh. */
static void the_cube_mesh(void **state)
{
    (void)state;
    static const char *const v100[8] = {".1122...", "1.21.2..", "12.2..1.", "212....1",
                                        "2....112", ".2..1.21", "..1.12.2", "...1212."};
    orr_cluster_spec *v = must_load("dgx1-v100", NULL), *p = must_load("dgx1-p100", NULL);
    const orr_node_spec *vn = orr_cluster_spec_node(v, 0), *pn = orr_cluster_spec_node(p, 0);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            assert_int_equal(links(vn, a, b), v100[a][b] == '.' ? 0 : v100[a][b] - '0');
            assert_int_equal(links(pn, a, b), v100[a][b] != '.');
        }
    orr_cluster_spec_destroy(v);
    orr_cluster_spec_destroy(p);
}

static void words_of_nvlink(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_load("gpus=4,nvlink=pairs,nvlinks=4,nvlink_bw=12GB/s", NULL);
    const orr_node_spec *n = orr_cluster_spec_node(spec, 0);
    assert_int_equal(links(n, 2, 3), 4);
    assert_int_equal(links(n, 1, 2), 0);
    orr_cluster_spec_destroy(spec);
    spec = must_load("gpus=8,nvlink=switch,nvlinks=12,nvlink_bw=20GB/s", NULL);
    n = orr_cluster_spec_node(spec, 0);
    assert_int_equal(n->wiring->nvswitch_links, 12);
    assert_null(n->wiring->nvlinks);
    orr_cluster_spec_destroy(spec);
    spec = must_load("gpus=2,nvlink=0-1x3,nvlink_bw=1GB/s,racks=1,rack_bw=400Gb/s", NULL);
    assert_int_equal(links(orr_cluster_spec_node(spec, 0), 0, 1), 3);
    assert_true(orr_cluster_spec_fabric(spec)->rack_bps == 50 * GB);
    orr_cluster_spec_destroy(spec);
}

static void a_presets_wiring_can_be_changed(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes:\n"
                                            "  - {preset: dgx1-v100, nic_bw: 23.5GB/s, name: a}\n"
                                            "  - {preset: dgx1-v100, nvlink: none, nics: 0, name: b}\n"
                                            "  - {preset: dgx1-v100, nvlink: 0-7, name: c}\n"
                                            "  - {preset: dgx1-v100, nvlink: switch, nvlinks: 6, name: d}\n",
                                       NULL);
    const orr_wiring *a = orr_cluster_spec_node(spec, 0)->wiring, *b = orr_cluster_spec_node(spec, 1)->wiring;
    const orr_wiring *d = orr_cluster_spec_node(spec, 3)->wiring;
    assert_true(a->nic_bps == 23.5 * GB && a->nics == 4 && a->nvlinks[3] == 2);
    assert_true(!b->nvlinks && b->nvlink_bps == 0 && b->nics == 0 && b->nic_bps == 0 && b->switches == 4);
    assert_int_equal(links(orr_cluster_spec_node(spec, 2), 7, 0), 1);
    assert_int_equal(links(orr_cluster_spec_node(spec, 2), 0, 3), 0);
    assert_true(!d->nvlinks && d->nvswitch_links == 6 && d->nvlink_bps == 20 * GB);
    orr_cluster_spec_destroy(spec);
}

/* One copy a kind, and what was given may go. */
static void equal_wirings_are_kept_once(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("kept");
    orr_node_spec node = orr_node_spec_default();
    for (int i = 0; i < 6; i++) {
        uint8_t *matrix = calloc(4, 1);
        orr_wiring wiring = {.nvlinks = matrix, .nvlink_bps = 1 + i % 2};
        matrix[1] = matrix[2] = 2;
        node.gpus = 2;
        node.wiring = &wiring;
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
        free(matrix);
    }
    const orr_wiring *first = orr_cluster_spec_node(spec, 0)->wiring, *second = orr_cluster_spec_node(spec, 1)->wiring;
    assert_ptr_equal(orr_cluster_spec_node(spec, 4)->wiring, first);
    assert_ptr_equal(orr_cluster_spec_node(spec, 5)->wiring, second);
    assert_ptr_not_equal(first, second);
    assert_int_equal(first->nvlinks[2], 2);
    orr_cluster_spec_destroy(spec);
}

static void bad_files(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"no unit", HEAD "nodes: [{nic_bw: 12GB}]\n", ORR_E_NUMBER, 2, 18, "a bandwidth such as 12GB/s", NULL},
        {"no such word", HEAD "nodes: [{nvlink: mesh, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 18, "'mesh' is no pair",
         NULL},
        {"no such GPU", HEAD "nodes: [{gpus: 4, nvlink: 0-1 0-4, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 27, "0 to 3",
         NULL},
        {"to itself", HEAD "nodes: [{nvlink: 2-2, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 18, "2-2", NULL},
        {"twice", HEAD "nodes: [{nvlink: 0-1 1-0, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 18, "twice", NULL},
        {"no links", HEAD "nodes: [{nvlink: 0-1x0, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 18, "1 to 64", NULL},
        {"word without number", HEAD "nodes: [{nvlink: switch, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 18, "'nvlinks'",
         NULL},
        {"pairs with number", HEAD "nodes: [{nvlink: 0-1, nvlinks: 2}]\n", ORR_E_BAD_CLUSTER, 2, 18, "0-3x2", NULL},
        {"mesh of four", HEAD "nodes: [{gpus: 4, nvlink: cube-mesh, nvlinks: 6}]\n", ORR_E_BAD_CLUSTER, 2, 27, "8 GPUs",
         NULL},
        {"mesh of five links", HEAD "nodes: [{nvlink: cube-mesh, nvlinks: 5}]\n", ORR_E_BAD_CLUSTER, 2, 18, "or 6",
         NULL},
        {"odd pairs", HEAD "nodes: [{gpus: 3, nvlink: pairs, nvlinks: 1}]\n", ORR_E_BAD_CLUSTER, 2, 27, "even", NULL},
        {"number without word", HEAD "nodes: [{nvlinks: 2}]\n", ORR_E_BAD_CLUSTER, 2, 9, "no 'nvlink'", NULL},
        {"no rate", HEAD "nodes: [{nvlink: 0-1}]\n", ORR_E_BAD_CLUSTER, 2, 9, "'nvlink_bw'", NULL},
        {"rate alone", HEAD "nodes: [{nvlink_bw: 1GB/s}]\n", ORR_E_BAD_CLUSTER, 2, 9, "no 'nvlink'", NULL},
        {"one GPU", HEAD "nodes: [{gpus: 1, nvlink: switch, nvlinks: 1, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 9,
         "two GPUs", NULL},
        {"too many links", HEAD "nodes: [{gpus: 3, nvlink: 0-1x40 0-2x40, nvlink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 9,
         "GPU 0", NULL},
        {"switches of half a socket", HEAD "nodes: [{sockets: 2, pcie_switches: 3}]\n", ORR_E_BAD_CLUSTER, 2, 9,
         "multiple", NULL},
        {"more switches than GPUs", HEAD "nodes: [{gpus: 2, pcie_switches: 4}]\n", ORR_E_BAD_CLUSTER, 2, 9, "multiple",
         NULL},
        {"uplink of nothing", HEAD "nodes: [{pcie_bw: 1, uplink_bw: 1}]\n", ORR_E_BAD_CLUSTER, 2, 9, "'pcie_switches'",
         NULL},
        {"one socket", HEAD "nodes: [{socket_bw: 6GB/s}]\n", ORR_E_BAD_CLUSTER, 2, 9, "there is one", NULL},
        {"NICs without rate", HEAD "nodes: [{nics: 2}]\n", ORR_E_BAD_CLUSTER, 2, 9, "go together", NULL},
        {"rate without NICs", HEAD "nodes: [{nic_bw: 2GB/s}]\n", ORR_E_BAD_CLUSTER, 2, 9, "go together", NULL},
        {"rack twice", HEAD "nodes: [{nics: 1, nic_bw: 1}]\nfabric: {rack_bw: 1GB/s, oversubscription: 2}\n",
         ORR_E_BAD_CLUSTER, 3, 9, "two ways", NULL},
        {"less than one", HEAD "nodes: [{nics: 1, nic_bw: 1}]\nfabric: {oversubscription: 0.5}\n", ORR_E_BAD_CLUSTER, 3,
         9, "1 or more", NULL},
        {"of no NICs", HEAD "nodes: [{}]\nfabric: {oversubscription: 2}\n", ORR_E_BAD_CLUSTER, 3, 9, "no node has any",
         NULL},
        {"unknown key", HEAD "nodes: [{}]\nfabric: {rack: 2}\n", ORR_E_UNKNOWN_KEY, 3, 10, "'rack'", "rack_bw"},
        {"no map", HEAD "nodes: [{}]\nfabric: 4\n", ORR_E_SYNTAX, 3, 9, "a map", NULL},
    };
    check_bad_texts(cases, sizeof cases / sizeof *cases);
}

static void bad_arguments(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"no unit", "nodes=1,nic_bw=1GB", ORR_E_BAD_VALUE, 0, 0, "nic_bw", NULL},
        {"no such word", "nodes=1,nvlink=mesh,nvlinks=2", ORR_E_BAD_VALUE, 0, 0, "listed pairs", NULL},
        {"of no NICs", "nodes=2,racks=2,oversubscription=4", ORR_E_BAD_VALUE, 0, 0, "no node has any", NULL},
    };
    check_bad_arguments(cases, sizeof cases / sizeof *cases);
}

/* Matrices in code: what no file can say. */
static void bad_matrices(void **state)
{
    (void)state;
    orr_error e = {0};
    uint8_t one_way[4] = {0, 1, 0, 0}, itself[4] = {1, 1, 1, 0};
    orr_wiring w = {.nvlinks = one_way, .nvlink_bps = 1};
    assert_int_equal(orr_wiring_check(&w, 2, 1, &e), ORR_E_BAD_CLUSTER);
    w.nvlinks = itself;
    assert_int_equal(orr_wiring_check(&w, 2, 1, &e), ORR_E_BAD_CLUSTER);
    w = (orr_wiring){.nvlinks = one_way, .nvswitch_links = 1, .nvlink_bps = 1};
    assert_int_equal(orr_wiring_check(&w, 2, 1, &e), ORR_E_BAD_CLUSTER);
    w = (orr_wiring){.pcie_bps = -1};
    assert_int_equal(orr_wiring_check(&w, 2, 1, &e), ORR_E_BAD_CLUSTER);
    w = (orr_wiring){.pcie_bps = 0.0 / 1};
    assert_int_equal(orr_wiring_check(&w, 2, 1, &e), ORR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_arrives),
        cmocka_unit_test(nothing_stated_is_nothing),
        cmocka_unit_test(the_cube_mesh),
        cmocka_unit_test(words_of_nvlink),
        cmocka_unit_test(a_presets_wiring_can_be_changed),
        cmocka_unit_test(equal_wirings_are_kept_once),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(bad_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
