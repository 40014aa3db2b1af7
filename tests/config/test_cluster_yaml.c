/* Our own cluster file and the inline form: what each key does, and that everything else is refused at its place. */
#include "given.h"

#include "config/reader.h"

#define HEAD "schema: orrery.cluster/1\n"
#define GIB (INT64_C(1) << 30)

static void every_key_arrives(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "name: lab\n"
                                            "nodes:\n"
                                            "  - count: 2\n"
                                            "    gpus: 8\n"
                                            "    type: V100\n"
                                            "    gpu_mem: 16GiB\n"
                                            "    sockets: 2\n"
                                            "    cpus: 96\n"
                                            "    mem: 512GiB\n"
                                            "    vc: vision\n"
                                            "    rack: r0\n"
                                            "    name: n%d\n"
                                            "  - {gpus: 0, cpus: 4, name: head, mem: 8GB}\n",
                                       NULL);
    assert_string_equal(orr_cluster_spec_name(spec), "lab");
    assert_string_equal(orr_cluster_spec_format(spec), "orrery-yaml");
    assert_int_equal(orr_cluster_spec_nodes(spec), 3);
    const orr_node_spec *n1 = orr_cluster_spec_node(spec, 1), *head = orr_cluster_spec_node(spec, 2);
    assert_string_equal(n1->name, "n1");
    assert_string_equal(n1->gpu_type, "V100");
    assert_string_equal(n1->vc, "vision");
    assert_string_equal(n1->rack, "r0");
    assert_int_equal(n1->gpus, 8);
    assert_int_equal(n1->sockets, 2);
    assert_int_equal(n1->cpus, 96);
    assert_true(n1->gpu_mem_bytes == 16 * GIB && n1->mem_bytes == 512 * GIB);
    assert_int_equal(head->gpus, 0);
    assert_true(head->mem_bytes == 8000000000);
    assert_string_equal(head->vc, "");
    orr_cluster_spec_destroy(spec);
}

static void defaults_are_those_of_the_api(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes: [{}]\n", NULL);
    const orr_node_spec *got = orr_cluster_spec_node(spec, 0);
    orr_node_spec want = orr_node_spec_default();
    assert_int_equal(got->gpus, want.gpus);
    assert_int_equal(got->sockets, want.sockets);
    assert_int_equal(got->cpus, want.cpus);
    assert_true(got->mem_bytes == want.mem_bytes && got->gpu_mem_bytes == want.gpu_mem_bytes);
    assert_string_equal(got->name, "node0");
    assert_string_equal(got->gpu_type, "");
    assert_string_equal(orr_cluster_spec_name(spec), "given");
    orr_cluster_spec_destroy(spec);
}

/* 7 nodes over 3 racks: floor(i * 3 / 7) = 0 0 0 1 1 2 2. */
static void racks_fill_in_order(void **state)
{
    (void)state;
    static const char *const want[] = {"rack0", "rack0", "rack0", "rack1", "rack1", "rack2", "rack2"};
    orr_cluster_spec *yaml = must_read(HEAD "racks: 3\nnodes: [{count: 5}, {count: 2, gpus: 4}]\n", NULL);
    orr_cluster_spec *line = must_load("nodes=7,racks=3", NULL);
    for (int32_t i = 0; i < 7; i++) {
        assert_string_equal(orr_cluster_spec_node(yaml, i)->rack, want[i]);
        assert_string_equal(orr_cluster_spec_node(line, i)->rack, want[i]);
    }
    orr_cluster_spec_destroy(yaml);
    orr_cluster_spec_destroy(line);
}

static void vcs_take_nodes_in_order_and_stay_texts(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes: [{count: 9, gpus: 4}]\nvcs: {6214e9: 4, 0042: 3}\n", NULL);
    assert_int_equal(orr_cluster_spec_vcs(spec), 3);
    assert_string_equal(orr_cluster_spec_vc(spec, 0), "6214e9");
    assert_string_equal(orr_cluster_spec_vc(spec, 1), "0042");
    assert_string_equal(orr_cluster_spec_vc(spec, 2), "");
    assert_string_equal(orr_cluster_spec_node(spec, 3)->vc, "6214e9");
    assert_string_equal(orr_cluster_spec_node(spec, 4)->vc, "0042");
    vc_holds(spec, "6214e9", 4, 16);
    vc_holds(spec, "0042", 3, 12);
    vc_holds(spec, "", 2, 8);
    orr_cluster_spec_destroy(spec);
}

static void windows_files_read_the_same(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read("\xef\xbb\xbf# by hand\r\nschema: orrery.cluster/1\r\nnodes:\r\n"
                                       "  - gpus: 2\r\n    vc: \"a b\"\r\n",
                                       NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 2);
    assert_string_equal(orr_cluster_spec_node(spec, 0)->vc, "a b");
    orr_cluster_spec_destroy(spec);
}

static void quotes_and_utf8_are_texts(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes: [{vc: \"\", type: 'Größe', rack: \"007\", name: 12}]\n", NULL);
    const orr_node_spec *node = orr_cluster_spec_node(spec, 0);
    assert_string_equal(node->vc, "");
    assert_string_equal(node->gpu_type, "Größe");
    assert_string_equal(node->rack, "007");
    assert_string_equal(node->name, "12");
    orr_cluster_spec_destroy(spec);
}

static void preset_gives_hardware_and_own_keys_win(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(HEAD "nodes:\n  - {count: 3, preset: dgx1-v100, gpu_mem: 32GiB, vc: a}\n", NULL);
    const orr_node_spec *node = orr_cluster_spec_node(spec, 2);
    assert_int_equal(orr_cluster_spec_nodes(spec), 3);
    assert_int_equal(node->gpus, 8);
    assert_int_equal(node->sockets, 2);
    assert_int_equal(node->cpus, 40);
    assert_true(node->mem_bytes == 512 * GIB && node->gpu_mem_bytes == 32 * GIB);
    assert_string_equal(node->gpu_type, "V100");
    assert_string_equal(node->vc, "a");
    assert_string_equal(node->name, "node2");
    orr_cluster_spec_destroy(spec);
}

static void bad_files(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"empty", "", ORR_E_EMPTY, 0, 0, "nothing", NULL},
        {"blank lines and comments", "\n# x\n\n", ORR_E_EMPTY, 0, 0, "nothing", NULL},
        {"only a document mark", "---\n", ORR_E_SYNTAX, 0, 0, "a map of keys", NULL},
        {"no GPUs", HEAD "nodes: [{gpus: 0, count: 4}]\n", ORR_E_NO_GPUS, 0, 0, "4 nodes", NULL},
        {"unknown key", HEAD "nodes:\n  - gpu: 8\n", ORR_E_UNKNOWN_KEY, 3, 5, "'gpu'", "'gpus'"},
        {"unknown key at the top", HEAD "nodes: [{}]\nrack: 4\n", ORR_E_UNKNOWN_KEY, 3, 1, "'rack'", "'racks'"},
        {"unknown key unlike any", HEAD "nodes: [{}]\nzebra: 4\n", ORR_E_UNKNOWN_KEY, 3, 1, "'zebra'",
         "schema, name, nodes"},
        {"duplicate key", HEAD "nodes:\n  - gpus: 8\n    gpus: 4\n", ORR_E_SYNTAX, 4, 5, "twice", NULL},
        {"not a number", HEAD "nodes:\n  - gpus: many\n", ORR_E_NUMBER, 3, 11, "integer", NULL},
        {"a quoted number", HEAD "nodes:\n  - gpus: \"8\"\n", ORR_E_NUMBER, 3, 11, "without quotes", NULL},
        {"a fraction", HEAD "nodes:\n  - gpus: 8.0\n", ORR_E_NUMBER, 3, 11, "integer", NULL},
        {"no value", HEAD "nodes:\n  - gpus:\n", ORR_E_NUMBER, 3, 0, "integer", NULL},
        {"no text", HEAD "nodes:\n  - vc:\n", ORR_E_SYNTAX, 3, 5, "no value", NULL},
        {"null text", HEAD "nodes:\n  - vc: ~\n", ORR_E_SYNTAX, 3, 5, "no value", NULL},
        {"negative count", HEAD "nodes:\n  - count: -3\n", ORR_E_NUMBER, 3, 12, "range", NULL},
        {"zero count", HEAD "nodes:\n  - count: 0\n", ORR_E_NUMBER, 3, 12, "1 to 1000000", NULL},
        {"absurd count", HEAD "nodes:\n  - count: 1000001\n", ORR_E_NUMBER, 3, 12, "1 to 1000000", NULL},
        {"count beyond 64 bits", HEAD "nodes:\n  - count: 99999999999999999999\n", ORR_E_NUMBER, 3, 12, NULL, NULL},
        {"absurd in sum", HEAD "nodes:\n  - count: 900000\n  - count: 900000\n", ORR_E_BAD_CLUSTER, 4, 5, "1000000",
         NULL},
        {"absurd GPUs", HEAD "nodes:\n  - gpus: 65\n", ORR_E_NUMBER, 3, 11, "0 to 64", NULL},
        {"negative GPUs", HEAD "nodes:\n  - gpus: -8\n", ORR_E_NUMBER, 3, 11, "0 to 64", NULL},
        {"size of no unit", HEAD "nodes:\n  - mem: 512Gb\n", ORR_E_NUMBER, 3, 10, "16GiB", NULL},
        {"negative size", HEAD "nodes:\n  - mem: -1GB\n", ORR_E_NUMBER, 3, 10, NULL, NULL},
        {"absurd size", HEAD "nodes:\n  - mem: 1PiB\n", ORR_E_NUMBER, 3, 10, "64TiB", NULL},
        {"no sockets", HEAD "nodes:\n  - sockets: 0\n", ORR_E_NUMBER, 3, 14, NULL, NULL},
        {"one name for two", HEAD "nodes:\n  - count: 2\n    name: x\n", ORR_E_BAD_CLUSTER, 3, 5, "named 'x'", "%d"},
        {"names that meet", HEAD "nodes:\n  - name: node1\n  - {}\n", ORR_E_BAD_CLUSTER, 4, 5, "named 'node1'", NULL},
        {"not UTF-8", HEAD "name: \"\xff\xfe\"\nnodes: [{}]\n", ORR_E_ENCODING, 2, 0, "UTF-8", NULL},
        {"UTF-16", "\xff\xfes:c", ORR_E_ENCODING, 1, 0, "UTF-8", NULL},
        {"control character", HEAD "name: a\x01z\nnodes: [{}]\n", ORR_E_SYNTAX, 2, 8, "control", NULL},
        {"escaped NUL", HEAD "name: \"a\\0z\"\nnodes: [{}]\n", ORR_E_SYNTAX, 2, 7, "NUL", NULL},
        {"escaped line break", HEAD "nodes: [{vc: \"a\\nz\"}]\n", ORR_E_BAD_CLUSTER, 2, 9, "control", NULL},
        {"syntax", HEAD "nodes:\n  - gpus: 8\n   type: V100\n", ORR_E_SYNTAX, 4, 0, "not YAML", NULL},
        {"open bracket", HEAD "nodes: [{gpus: 8}\n", ORR_E_SYNTAX, 3, 1, "not YAML", NULL},
        {"tab", HEAD "nodes:\n\t- gpus: 8\n", ORR_E_SYNTAX, 3, 1, "not YAML", NULL},
        {"anchor", HEAD "nodes:\n  - &a {gpus: 8}\n", ORR_E_SYNTAX, 3, 5, "anchors (&a)", "write the value out"},
        {"alias", HEAD "nodes:\n  - *a\n", ORR_E_SYNTAX, 0, 0, NULL, NULL},
        {"anchored scalar", HEAD "name: &n lab\nnodes: [{}]\n", ORR_E_SYNTAX, 2, 7, "anchors (&n)", NULL},
        {"tag", HEAD "nodes: [{gpus: !!int 8}]\n", ORR_E_SYNTAX, 2, 16, "tags", "quote"},
        {"second document", HEAD "nodes: [{}]\n---\nx: 1\n", ORR_E_SYNTAX, 3, 1, "second document", NULL},
        {"map as key", HEAD "? {a: b}\n: c\n", ORR_E_SYNTAX, 2, 3, "key", NULL},
        {"no schema", "nodes: [{}]\n", ORR_E_SYNTAX, 1, 1, "'schema' is missing", "orrery.cluster/1"},
        {"another schema", "schema: orrery.experiment/1\nruns: 4\n", ORR_E_FORMAT, 1, 9, NULL, "orrery.cluster/1"},
        {"a newer schema", "schema: orrery.cluster/2\nnodes: [{}]\n", ORR_E_FORMAT, 1, 9, NULL, "orrery.cluster/1"},
        {"no nodes", HEAD, ORR_E_SYNTAX, 1, 1, "'nodes' is missing", NULL},
        {"an empty list", HEAD "nodes: []\n", ORR_E_SYNTAX, 2, 8, "0 elements", NULL},
        {"nodes as a number", HEAD "nodes: 8\n", ORR_E_SYNTAX, 2, 8, "a list", NULL},
        {"nodes of numbers", HEAD "nodes: [8]\n", ORR_E_SYNTAX, 2, 9, "a map", NULL},
        {"a list of keys", "- schema: x\n", ORR_E_SYNTAX, 1, 1, "map of keys", NULL},
        {"a map as text", HEAD "name: {a: b}\nnodes: [{}]\n", ORR_E_SYNTAX, 2, 7, "single value", NULL},
        {"more racks than nodes", HEAD "racks: 3\nnodes: [{count: 2}]\n", ORR_E_BAD_CLUSTER, 2, 8, "more racks", NULL},
        {"rack and racks", HEAD "racks: 1\nnodes: [{rack: r}]\n", ORR_E_BAD_CLUSTER, 3, 10, "'racks'", NULL},
        {"vc and vcs", HEAD "vcs: {a: 1}\nnodes: [{vc: b}]\n", ORR_E_BAD_CLUSTER, 3, 10, "'vcs'", NULL},
        {"vcs over two kinds", HEAD "vcs: {a: 1}\nnodes: [{}, {gpus: 4}]\n", ORR_E_BAD_CLUSTER, 2, 1, "2 elements",
         NULL},
        {"vcs want too much", HEAD "vcs: {a: 2, b: 3}\nnodes: [{count: 4}]\n", ORR_E_BAD_CLUSTER, 2, 16, "5 nodes",
         NULL},
        {"vc without nodes", HEAD "vcs: {a: 0}\nnodes: [{count: 4}]\n", ORR_E_NUMBER, 2, 10, "range", NULL},
        {"vc counted in words", HEAD "vcs: {a: four}\nnodes: [{count: 4}]\n", ORR_E_NUMBER, 2, 10, "integer", NULL},
        {"vc twice", HEAD "vcs: {a: 1, a: 1}\nnodes: [{count: 4}]\n", ORR_E_SYNTAX, 2, 13, "twice", NULL},
        {"unknown preset", HEAD "nodes: [{preset: dgx1-v10}]\n", ORR_E_BAD_CLUSTER, 2, 18, "dgx1-v10", "dgx1-v100"},
        {"preset by path", HEAD "nodes: [{preset: ../clusters/dgx2}]\n", ORR_E_BAD_CLUSTER, 2, 18, "no preset", NULL},
    };
    check_bad_texts(cases, sizeof cases / sizeof *cases);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[20100] = HEAD "nodes: ";
    size_t n = strlen(text);
    memset(text + n, '[', 20000 - n);
    orr_error e = {0};
    assert_null(read_text(text, NULL, &e));
    assert_int_equal(e.code, ORR_E_SYNTAX);
    assert_non_null(strstr(e.message, "deeper"));
}

static void inline_form(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_load("nodes=128,gpus=8,type=V100,cpus=96,mem=512GiB,racks=4", NULL);
    assert_int_equal(orr_cluster_spec_nodes(spec), 128);
    assert_int_equal(orr_cluster_spec_gpus(spec), 1024);
    const orr_node_spec *node = orr_cluster_spec_node(spec, 127);
    assert_string_equal(node->rack, "rack3");
    assert_string_equal(node->gpu_type, "V100");
    assert_int_equal(node->cpus, 96);
    assert_true(node->mem_bytes == 512 * GIB);
    assert_string_equal(orr_cluster_spec_format(spec), "inline");
    assert_string_equal(orr_cluster_spec_digest(spec), "");
    orr_cluster_spec_destroy(spec);

    spec = must_load("nodes=4,preset=dgx2,cpus=1", NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 64);
    assert_int_equal(orr_cluster_spec_node(spec, 3)->cpus, 1);
    assert_int_equal(strlen(orr_cluster_spec_digest(spec)), 64);
    orr_cluster_spec_destroy(spec);
}

/* The command line is wrong, not a file: exit 64, and no place. */
static void bad_inline_forms(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"unknown key", "nodes=4,gpu=8", ORR_E_BAD_VALUE, 0, 0, "'gpu'", "'gpus'"},
        {"count is not a key here", "count=4", ORR_E_BAD_VALUE, 0, 0, "'count'", NULL},
        {"not a number", "nodes=four", ORR_E_BAD_VALUE, 0, 0, "integer", "nodes=N"},
        {"negative", "nodes=-4", ORR_E_BAD_VALUE, 0, 0, "range", NULL},
        {"absurd", "nodes=1000001", ORR_E_BAD_VALUE, 0, 0, "range", NULL},
        {"absurd GPUs", "nodes=1,gpus=65", ORR_E_BAD_VALUE, 0, 0, "0 to 64", NULL},
        {"no value", "nodes=4,type=", ORR_E_BAD_VALUE, 0, 0, "no value", NULL},
        {"no key", "=4", ORR_E_BAD_VALUE, 0, 0, "key=value", NULL},
        {"half", "nodes=4,gpus", ORR_E_BAD_VALUE, 0, 0, "key=value", NULL},
        {"comma at the end", "nodes=4,", ORR_E_BAD_VALUE, 0, 0, "key=value", NULL},
        {"twice", "nodes=4,nodes=5", ORR_E_BAD_VALUE, 0, 0, "twice", NULL},
        {"not UTF-8", "nodes=4,type=\xff", ORR_E_BAD_VALUE, 0, 0, "UTF-8", NULL},
        {"racks", "nodes=4,racks=5", ORR_E_BAD_VALUE, 0, 0, "more racks", NULL},
        {"preset", "preset=dgx3", ORR_E_BAD_VALUE, 0, 0, "dgx3", "dgx2"},
        {"no GPUs", "nodes=4,gpus=0", ORR_E_NO_GPUS, 0, 0, "4 nodes", NULL},
    };
    check_bad_arguments(cases, sizeof cases / sizeof *cases);
    orr_error e = {0};
    assert_null(orr_cluster_spec_load("nodes=four", NULL, &e));
    assert_int_equal(orr_err_exit_status(e.code), 64);
    assert_string_equal(e.file, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_arrives),
        cmocka_unit_test(defaults_are_those_of_the_api),
        cmocka_unit_test(racks_fill_in_order),
        cmocka_unit_test(vcs_take_nodes_in_order_and_stay_texts),
        cmocka_unit_test(windows_files_read_the_same),
        cmocka_unit_test(quotes_and_utf8_are_texts),
        cmocka_unit_test(preset_gives_hardware_and_own_keys_win),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(inline_form),
        cmocka_unit_test(bad_inline_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
