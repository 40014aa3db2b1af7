/* The description itself: what is added is there, what is impossible is refused whole. */
#include "given.h"

static void names_count_nodes(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("c");
    orr_node_spec node = orr_node_spec_default();
    assert_int_equal(orr_cluster_spec_add(spec, &node, 2, NULL), 0);
    node.name = "gpu-%d-%d";
    node.gpus = 4;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 2, NULL), 0);
    node.name = "head";
    node.gpus = 0;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), 0);

    static const char *const names[] = {"node0", "node1", "gpu-2-%d", "gpu-3-%d", "head"};
    assert_int_equal(orr_cluster_spec_nodes(spec), 5);
    for (int32_t i = 0; i < 5; i++)
        assert_string_equal(orr_cluster_spec_node(spec, i)->name, names[i]);
    assert_int_equal(orr_cluster_spec_gpus(spec), 2 * 8 + 2 * 4);
    assert_null(orr_cluster_spec_node(spec, 5));
    assert_null(orr_cluster_spec_node(spec, -1));
    assert_string_equal(orr_cluster_spec_name(spec), "c");
    assert_string_equal(orr_cluster_spec_digest(spec), "");
    orr_cluster_spec_destroy(spec);
}

static void vcs_stand_in_order_of_first_mention(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("c");
    static const char *const vcs[] = {"0042", "", "4e7", "0042", NULL};
    for (int i = 0; i < 5; i++) {
        orr_node_spec node = orr_node_spec_default();
        node.vc = vcs[i];
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), 0);
    }
    assert_int_equal(orr_cluster_spec_vcs(spec), 3);
    assert_string_equal(orr_cluster_spec_vc(spec, 0), "0042");
    assert_string_equal(orr_cluster_spec_vc(spec, 1), "");
    assert_string_equal(orr_cluster_spec_vc(spec, 2), "4e7");
    assert_null(orr_cluster_spec_vc(spec, 3));
    assert_int_equal(orr_cluster_spec_find_vc(spec, "4e7"), 2);
    assert_int_equal(orr_cluster_spec_find_vc(spec, "42"), -1);
    vc_holds(spec, "", 2, 16);
    orr_cluster_spec_destroy(spec);
}

static void texts_are_copied(void **state)
{
    (void)state;
    char type[] = "V100", name[] = "a";
    orr_cluster_spec *spec = orr_cluster_spec_create(name);
    orr_node_spec node = orr_node_spec_default();
    node.gpu_type = type;
    node.name = name;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), 0);
    type[0] = name[0] = 'X';
    assert_string_equal(orr_cluster_spec_node(spec, 0)->gpu_type, "V100");
    assert_string_equal(orr_cluster_spec_node(spec, 0)->name, "a");
    assert_string_equal(orr_cluster_spec_name(spec), "a");
    orr_cluster_spec_destroy(spec);
}

typedef struct bad_node {
    const char *name;
    orr_node_spec node;
    int32_t count;
    orr_err code;
} bad_node;

static void impossible_nodes_are_refused(void **state)
{
    (void)state;
    char long_name[300];
    memset(long_name, 'x', 299);
    long_name[299] = 0;
    const bad_node cases[] = {
        {"no nodes", {.gpus = 8, .sockets = 1}, 0, ORR_E_BAD_CLUSTER},
        {"negative count", {.gpus = 8, .sockets = 1}, -1, ORR_E_BAD_CLUSTER},
        {"absurd count", {.gpus = 8, .sockets = 1}, 1000001, ORR_E_BAD_CLUSTER},
        {"absurd with what is there", {.gpus = 8, .sockets = 1}, 1000000, ORR_E_BAD_CLUSTER},
        {"negative GPUs", {.gpus = -1, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"too many GPUs", {.gpus = 65, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"no socket", {.gpus = 8}, 1, ORR_E_BAD_CLUSTER},
        {"negative cores", {.gpus = 8, .sockets = 1, .cpus = -1}, 1, ORR_E_BAD_CLUSTER},
        {"negative memory", {.gpus = 8, .sockets = 1, .mem_bytes = -1}, 1, ORR_E_BAD_CLUSTER},
        {"absurd GPU memory", {.gpus = 8, .sockets = 1, .gpu_mem_bytes = INT64_MAX}, 1, ORR_E_BAD_CLUSTER},
        {"one name for two", {.name = "x", .gpus = 8, .sockets = 1}, 2, ORR_E_BAD_CLUSTER},
        {"a name that is taken", {.name = "node0", .gpus = 8, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"an empty name", {.name = "", .gpus = 8, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"a long name", {.name = long_name, .gpus = 8, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"a line break", {.vc = "a\nb", .gpus = 8, .sockets = 1}, 1, ORR_E_BAD_CLUSTER},
        {"not UTF-8", {.gpu_type = "\xff", .gpus = 8, .sockets = 1}, 1, ORR_E_ENCODING},
    };
    orr_cluster_spec *spec = orr_cluster_spec_create("c");
    orr_node_spec node = orr_node_spec_default();
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_error e = {0};
        orr_err err = orr_cluster_spec_add(spec, &cases[i].node, cases[i].count, &e);
        if (err != cases[i].code || e.code != cases[i].code)
            fail_msg("%s: got %s", cases[i].name, orr_err_name(err));
        assert_int_equal(orr_cluster_spec_nodes(spec), 1);
        assert_int_equal(orr_cluster_spec_gpus(spec), 8);
        assert_int_equal(orr_cluster_spec_vcs(spec), 1);
    }
    orr_cluster_spec_destroy(spec);
}

/* node0, then names x0.. would pass; but node3 is taken in the middle of the group: nothing of it may remain. */
static void a_clash_in_the_middle_adds_nothing(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("c");
    orr_node_spec node = orr_node_spec_default();
    node.name = "node3";
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), 0);
    node.name = NULL;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 5, NULL), ORR_E_BAD_CLUSTER);
    assert_int_equal(orr_cluster_spec_nodes(spec), 1);
    assert_int_equal(orr_cluster_spec_add(spec, &node, 2, NULL), 0);
    assert_string_equal(orr_cluster_spec_node(spec, 2)->name, "node2");
    orr_cluster_spec_destroy(spec);
    orr_cluster_spec_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_count_nodes),
        cmocka_unit_test(vcs_stand_in_order_of_first_mention),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(impossible_nodes_are_refused),
        cmocka_unit_test(a_clash_in_the_middle_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
