/* The numbering of shared links and the paths over them, on machines small enough to draw. */
#include "cluster/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GB 1e9

typedef struct wires {
    orr_cluster_spec *spec;
    orr_cluster *c;
    orr_links *links;
} wires;

static wires wires_of(const char *text)
{
    orr_error e = {0};
    wires w = {.spec = orr_cluster_spec_load(text, NULL, &e)};
    if (!w.spec)
        fail_msg("%s: %s", text, e.message);
    w.c = orr_cluster_create(w.spec, false);
    w.links = orr_links_create(w.c, orr_cluster_spec_fabric(w.spec));
    return w;
}

static void wires_free(wires w)
{
    orr_links_destroy(w.links);
    orr_cluster_destroy(w.c);
    orr_cluster_spec_destroy(w.spec);
}

/* The names of a path's links with ", " between; "" : no shared link. */
static void goes(const wires *w, int32_t from_node, int from, int32_t to_node, int to, const char *expected)
{
    int32_t path[ORR_LINKS_PATH];
    char got[1024] = "", name[ORR_LINK_NAME];
    const int n = orr_links_path(w->links, from_node, from, to_node, to, path);
    for (int i = 0; i < n; i++) {
        strcat(got, i ? ", " : "");
        strcat(got, orr_links_name(w->links, path[i], name));
    }
    if (strcmp(got, expected) != 0)
        fail_msg("%d.%d to %d.%d: %s", (int)from_node, from, (int)to_node, to, got);
}

/* Switches {0,1} {2,3} | {4,5} {6,7}, a NIC below each; NVLink as in a DGX-1. */
static void within_a_dgx1(void **state)
{
    (void)state;
    wires w = wires_of("dgx1-v100");
    assert_int_equal(w.links->count, 2 * (4 + 4 + 2));
    goes(&w, 0, 0, 0, 3, "");
    goes(&w, 0, 2, 0, 2, "");
    goes(&w, 0, 0, 0, 7, "node0 switch 0 out, node0 socket 0 out, node0 socket 1 in, node0 switch 3 in");
    goes(&w, 0, 7, 0, 0, "node0 switch 3 out, node0 socket 1 out, node0 socket 0 in, node0 switch 0 in");
    assert_int_equal(w.links->racks, -1);
    assert_int_equal(w.links->spine, -1);
    wires_free(w);
}

static void by_pcie_alone(void **state)
{
    (void)state;
    wires w = wires_of("gpus=8,sockets=2,pcie_switches=4,pcie_bw=12GB/s,uplink_bw=10GB/s");
    goes(&w, 0, 2, 0, 3, "");
    goes(&w, 0, 1, 0, 2, "node0 switch 0 out, node0 switch 1 in");
    goes(&w, 0, 1, 0, 6, "node0 switch 0 out, node0 switch 3 in");
    for (int32_t i = 0; i < w.links->count; i++)
        assert_true(w.links->bps[i] == 10 * GB);
    wires_free(w);
}

static void between_nodes_and_racks(void **state)
{
    (void)state;
    wires w = wires_of("nodes=4,preset=dgx1-v100,racks=2,oversubscription=4,spine_bw=30GB/s");
    goes(&w, 0, 2, 1, 7, "node0 nic 1 out, node1 nic 3 in");
    goes(&w, 0, 2, 3, 7, "node0 nic 1 out, rack rack0 out, spine, rack rack1 in, node3 nic 3 in");
    goes(&w, 2, 0, 1, 0, "node2 nic 0 out, rack rack1 out, spine, rack rack0 in, node1 nic 0 in");
    /* two nodes of four NICs of 12 GB/s, over four */
    assert_true(w.links->bps[w.links->racks] == 24 * GB && w.links->bps[w.links->racks + 3] == 24 * GB);
    assert_true(w.links->bps[w.links->spine] == 30 * GB);
    assert_int_equal(w.links->spine, w.links->count - 1);
    wires_free(w);
}

/* One NIC for eight GPUs stands below the first switch: those of the others go up and down for it. */
static void to_a_nic_below_another_switch(void **state)
{
    (void)state;
    wires w = wires_of("nodes=2,gpus=8,sockets=2,pcie_switches=2,pcie_bw=12GB/s,socket_bw=6GB/s,nics=1,nic_bw=5GB/s");
    goes(&w, 0, 1, 1, 2, "node0 nic 0 out, node1 nic 0 in");
    goes(&w, 0, 6, 1, 7,
         "node0 switch 1 out, node0 socket 1 out, node0 socket 0 in, node0 switch 0 in, node0 nic 0 out, "
         "node1 nic 0 in, node1 switch 0 out, node1 socket 0 out, node1 socket 1 in, node1 switch 1 in");
    wires_free(w);
}

static void what_is_not_stated_is_no_link(void **state)
{
    (void)state;
    wires w = wires_of("nodes=4,racks=2,gpus=4");
    assert_int_equal(w.links->count, 0);
    goes(&w, 0, 0, 3, 1, "");
    assert_int_equal(orr_links_nic(w.links, 1, 0, false), -1);
    assert_int_equal(orr_node_nic_of(&w.c->nodes[0], 2), -1);
    wires_free(w);
    w = wires_of("nodes=4,racks=2,gpus=4,rack_bw=9GB/s");
    assert_int_equal(w.links->count, 4);
    goes(&w, 0, 0, 3, 1, "rack rack0 out, rack rack1 in");
    goes(&w, 0, 0, 1, 1, "");
    wires_free(w);
}

/* Names find their node where others between have no links; the ids of a node's NICs are what paths use. */
static void names_and_numbers_agree(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_cluster_spec *spec = orr_cluster_spec_create("gaps");
    const orr_wiring wiring = {.nics = 3, .nic_bps = 2 * GB};
    orr_node_spec node = orr_node_spec_default();
    for (int i = 0; i < 7; i++) {
        node.wiring = i % 3 == 1 ? &wiring : NULL;
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, &e), ORR_OK);
    }
    orr_cluster *c = orr_cluster_create(spec, false);
    orr_links *links = orr_links_create(c, NULL);
    char name[ORR_LINK_NAME];
    assert_int_equal(links->count, 12);
    assert_string_equal(orr_links_name(links, orr_links_nic(links, 4, 2, true), name), "node4 nic 2 in");
    assert_string_equal(orr_links_name(links, orr_links_nic(links, 1, 0, false), name), "node1 nic 0 out");
    assert_int_equal(orr_links_nic(links, 4, 3, false), -1);
    assert_int_equal(orr_links_nic(links, 0, 0, false), -1);
    /* eight GPUs over three NICs */
    assert_int_equal(orr_node_nic_of(&c->nodes[1], 2), 0);
    assert_int_equal(orr_node_nic_of(&c->nodes[1], 3), 1);
    assert_int_equal(orr_node_nic_of(&c->nodes[1], 7), 2);
    orr_links_destroy(links);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_dgx1),
        cmocka_unit_test(by_pcie_alone),
        cmocka_unit_test(between_nodes_and_racks),
        cmocka_unit_test(to_a_nic_below_another_switch),
        cmocka_unit_test(what_is_not_stated_is_no_link),
        cmocka_unit_test(names_and_numbers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
