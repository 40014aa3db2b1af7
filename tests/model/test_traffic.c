/* What allocations send over which links: loads are bytes on a link for each byte of the gradient. */
#include "model/traffic.h"

#include "model/collective.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    orr_cluster_spec *spec;
    orr_cluster *cluster;
    orr_links *links;
    orr_traffic t;
} bench;

static void add_nodes(bench *b, int32_t count, orr_wiring wiring, int32_t gpus, int32_t sockets, const char *rack)
{
    orr_error e = {0};
    orr_node_spec node = orr_node_spec_default();
    node.gpus = gpus;
    node.sockets = sockets;
    node.rack = rack;
    node.wiring = &wiring;
    if (orr_cluster_spec_add(b->spec, &node, count, &e))
        fail_msg("%s", e.message);
}

static void open_bench(bench *b, double rack_bps, double spine_bps)
{
    const orr_fabric fabric = {.rack_bps = rack_bps, .spine_bps = spine_bps};
    b->cluster = orr_cluster_create(b->spec, false);
    b->links = orr_links_create(b->cluster, &fabric);
}

static void close_bench(bench *b)
{
    orr_traffic_fini(&b->t);
    orr_links_destroy(b->links);
    orr_cluster_destroy(b->cluster);
    orr_cluster_spec_destroy(b->spec);
}

static void make(bench *b, const orr_slice *slices, int32_t n, int32_t servers)
{
    orr_traffic_of(&b->t, b->cluster, b->links, slices, n, servers);
}

/* "node0 nic 0 out 1, node1 nic 0 in 1": exactly these, in the order of the links. */
static void carries(const bench *b, const orr_flow_uses *uses, const char *expected)
{
    char is[4096] = "", name[ORR_LINK_NAME];
    for (size_t i = 0; i < uses->n; i++)
        snprintf(is + strlen(is), sizeof is - strlen(is), "%s%s %.6g", i ? ", " : "",
                 orr_links_name(b->links, uses->at[i].link, name), uses->at[i].load);
    assert_string_equal(is, expected);
}

static const orr_wiring nvswitch = {.nvswitch_links = 6, .nvlink_bps = 20e9, .nics = 1, .nic_bps = 12e9};

static void near_to(double got, double expected)
{
    if (fabs(got - expected) > 1e-12 * fabs(expected))
        fail_msg("%.17g instead of %.17g", got, expected);
}

/* The node of the sheet: 120 GB/s inside, 12 GB/s between: what a flow alone gets is what the formula says. */
static void two_nodes_of_eight_are_the_formula(void **state)
{
    (void)state;
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 2, nvswitch, 8, 1, "");
    open_bench(&b, 0, 0);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 255}, {.node = 1, .gpus = 255}}, 2, 0);
    carries(&b, &b.t.inside, "");
    carries(&b, &b.t.between, "node0 nic 0 out 1, node0 nic 0 in 1, node1 nic 0 out 1, node1 nic 0 in 1");
    near_to(b.t.inside_bps, 120e9 / 1.75);
    near_to(b.t.latency, 14 * 3.4e-6 + 2 * 14e-6 + 8.4e-6);
    const double time = b.t.latency + 0.4e9 / b.t.inside_bps + 0.4e9 / 12e9;
    near_to(time,
            8.4e-6 + orr_collective_hierarchical(8, 2, 0.4e9, (orr_hop){3.4e-6, 120e9}, (orr_hop){14e-6, 12e9}, 1));
    close_bench(&b);
}

static void each_gpu_takes_the_nic_next_to_it(void **state)
{
    (void)state;
    orr_wiring four = nvswitch;
    four.nics = 4;
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 2, four, 4, 1, "");
    open_bench(&b, 0, 0);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 3}, {.node = 1, .gpus = 12}}, 2, 0);
    carries(&b, &b.t.between,
            "node0 nic 0 out 0.5, node0 nic 0 in 0.5, node0 nic 1 out 0.5, node0 nic 1 in 0.5, "
            "node1 nic 2 out 0.5, node1 nic 2 in 0.5, node1 nic 3 out 0.5, node1 nic 3 in 0.5");
    close_bench(&b);
}

/* Three GPUs here and one there: three streams, which the one takes all. */
static void uneven_nodes(void **state)
{
    (void)state;
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 2, nvswitch, 4, 1, "");
    open_bench(&b, 0, 0);
    make(&b, (orr_slice[]){{.node = 1, .gpus = 7}, {.node = 0, .gpus = 8}}, 2, 0);
    carries(&b, &b.t.between, "node0 nic 0 out 1, node0 nic 0 in 1, node1 nic 0 out 1, node1 nic 0 in 1");
    near_to(b.t.inside_bps, 120e9 / (4.0 / 3)); /* of the three */
    close_bench(&b);
}

/* Nodes 0 and 2 are in one rack: the ring is 0, 2, 1, and leaves each rack once. 2 (3 - 1) / 3 of the bytes a step. */
static void a_ring_leaves_each_rack_once(void **state)
{
    (void)state;
    bench b = {.spec = orr_cluster_spec_create("t")};
    const orr_wiring nic = {.nics = 1, .nic_bps = 12e9};
    add_nodes(&b, 1, nic, 1, 1, "east");
    add_nodes(&b, 1, nic, 1, 1, "west");
    add_nodes(&b, 1, nic, 1, 1, "east");
    open_bench(&b, 20e9, 30e9);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 1}, {.node = 1, .gpus = 1}, {.node = 2, .gpus = 1}}, 3, 0);
    carries(&b, &b.t.between,
            "node0 nic 0 out 1.33333, node0 nic 0 in 1.33333, node1 nic 0 out 1.33333, node1 nic 0 in 1.33333, "
            "node2 nic 0 out 1.33333, node2 nic 0 in 1.33333, rack east out 1.33333, rack east in 1.33333, "
            "rack west out 1.33333, rack west in 1.33333, spine 2.66667");
    assert_true(isinf(b.t.inside_bps));
    close_bench(&b);
}

/* Two sockets with a switch and two GPUs each, no NVLink: 1 -> 2 and 3 -> 0 pass uplinks and sockets. */
static void a_ring_over_pcie_passes_uplinks(void **state)
{
    (void)state;
    const orr_wiring pcie = {.switches = 2, .pcie_bps = 12e9, .uplink_bps = 12e9, .socket_bps = 6e9};
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 1, pcie, 4, 2, "");
    open_bench(&b, 0, 0);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 15}}, 1, 0);
    carries(&b, &b.t.inside,
            "node0 switch 0 out 1.5, node0 switch 0 in 1.5, node0 switch 1 out 1.5, node0 switch 1 in 1.5, "
            "node0 socket 0 out 1.5, node0 socket 0 in 1.5, node0 socket 1 out 1.5, node0 socket 1 in 1.5");
    near_to(b.t.inside_bps, 6e9 / 1.5);
    near_to(b.t.latency, 6 * 5.7e-6 + 8.4e-6);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 3}}, 1, 0); /* below one switch nothing is shared */
    carries(&b, &b.t.inside, "");
    near_to(b.t.inside_bps, 12e9);
    close_bench(&b);
}

/* Two workers on node 0, one on node 1, one server on node 0: node 1 pushes a gradient and pulls a model, each once. */
static void parameter_servers(void **state)
{
    (void)state;
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 2, nvswitch, 2, 1, "");
    open_bench(&b, 0, 0);
    const orr_slice slices[] = {{.node = 0, .gpus = 3}, {.node = 1, .gpus = 1}};
    make(&b, slices, 2, 1);
    carries(&b, &b.t.between, "node0 nic 0 out 2, node0 nic 0 in 2, node1 nic 0 out 2, node1 nic 0 in 2");
    carries(&b, &b.t.inside, "");
    /* Three servers, two of them on node 0: 2/3 of what node 1 has to push, and 1/3 of what each on node 0 has. The
     * fuller direction of the two passes counts: 2 x 2/3. */
    make(&b, slices, 2, 3);
    carries(&b, &b.t.between,
            "node0 nic 0 out 1.33333, node0 nic 0 in 1.33333, node1 nic 0 out 1.33333, node1 nic 0 in 1.33333");
    make(&b, slices, 1, 1);
    carries(&b, &b.t.between, "");
    assert_true(b.t.latency == 0);
    close_bench(&b);
}

static void what_isnt_stated_isnt_modelled(void **state)
{
    (void)state;
    bench b = {.spec = orr_cluster_spec_create("t")};
    add_nodes(&b, 2, (orr_wiring){0}, 8, 2, "");
    open_bench(&b, 0, 0);
    make(&b, (orr_slice[]){{.node = 0, .gpus = 255}, {.node = 1, .gpus = 255}}, 2, 0);
    assert_true(b.t.inside.n == 0 && b.t.between.n == 0 && isinf(b.t.inside_bps) && b.t.latency == 0);
    make(&b, (orr_slice[]){{.node = 0}}, 1, 0); /* no GPUs */
    assert_true(b.t.inside.n == 0 && b.t.between.n == 0 && isinf(b.t.inside_bps) && b.t.latency == 0);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nodes_of_eight_are_the_formula), cmocka_unit_test(each_gpu_takes_the_nic_next_to_it),
        cmocka_unit_test(uneven_nodes),                       cmocka_unit_test(a_ring_leaves_each_rack_once),
        cmocka_unit_test(a_ring_over_pcie_passes_uplinks),    cmocka_unit_test(parameter_servers),
        cmocka_unit_test(what_isnt_stated_isnt_modelled),
    };
    return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
