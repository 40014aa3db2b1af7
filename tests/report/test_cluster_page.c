/* The page and the drawing of a cluster. */
#include "markup.h"
#include "report/cluster_page.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static orr_cluster_spec *cluster_of(const char *text)
{
    orr_error e = {0};
    orr_cluster_spec *spec = orr_cluster_spec_load(text, NULL, &e);
    if (!spec)
        fail_msg("%s: %s", text, e.message);
    return spec;
}

/* To be freed. */
static char *page_of(const char *text)
{
    orr_cluster_spec *spec = cluster_of(text);
    orr_text page = {0}, again = {0};
    orr_cluster_page_html(spec, "orrery describe 'a<b'", &page);
    orr_cluster_page_html(spec, "orrery describe 'a<b'", &again);
    assert_string_equal(page.at, again.at);
    orr_text_fini(&again);
    orr_cluster_spec_destroy(spec);
    assert_stands_alone(page.at);
    return page.at;
}

static char *drawing_of(const char *text)
{
    orr_cluster_spec *spec = cluster_of(text);
    orr_text drawing = {0};
    orr_cluster_page_svg(spec, &drawing);
    orr_cluster_spec_destroy(spec);
    assert_well_formed(drawing.at);
    return drawing.at;
}

static void a_page_of_a_machine(void **state)
{
    (void)state;
    char *page = page_of("dgx1-v100");
    assert_holds(page, "<b>8</b><span>GPUs</span>");
    assert_holds(page, "<td>8 x V100, NVLink between pairs</td>");
    assert_holds(page, "a&lt;b");
    assert_holds(page, "rings    2 GPUs     40 GB/s  gpu 2 3");
    assert_int_equal(count_of(page, "<figure"), 1);
    free(page);
}

/* The sixteen pairs of a cube mesh, eight of two links. */
static void links_are_arcs(void **state)
{
    (void)state;
    char *drawing = drawing_of("dgx1-v100");
    assert_int_equal(count_of(drawing, "class=\"arc "), 16);
    assert_int_equal(count_of(drawing, ": 2 NVLinks, 40 GB/s<"), 8);
    assert_int_equal(count_of(drawing, ": 1 NVLink, 20 GB/s<"), 8);
    assert_int_equal(count_of(drawing, "class=\"gpu "), 8);
    assert_holds(drawing, ">switch 3<");
    assert_holds(drawing, ">socket 1<");
    free(drawing);
}

static void a_switch_is_a_bar(void **state)
{
    (void)state;
    char *drawing = drawing_of("dgx2");
    assert_int_equal(count_of(drawing, "class=\"arc "), 0);
    assert_holds(drawing, ">NVSwitch: 6 links a GPU, 120 GB/s<");
    free(drawing);
}

/* Nothing of the links is known, and names are anybody's. */
static void a_bare_node(void **state)
{
    (void)state;
    char *drawing = drawing_of("nodes=2,gpus=4,type=<script>");
    assert_holds(drawing, "4 x &lt;script&gt;: 2 nodes");
    assert_holds(drawing, "no links are stated");
    assert_lacks(drawing, "<script>");
    free(drawing);
}

static void every_form_is_well_formed(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "hgx-h100",        "p5.48xlarge", "p2.16xlarge",
        "philly",          "openb",       "gpus=64,sockets=8,pcie_switches=64,pcie_bw=1GB/s,nics=64,nic_bw=1GB/s",
        "gpus=1,sockets=4"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        free(page_of(forms[i]));
        free(drawing_of(forms[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_of_a_machine),       cmocka_unit_test(links_are_arcs),
        cmocka_unit_test(a_switch_is_a_bar),         cmocka_unit_test(a_bare_node),
        cmocka_unit_test(every_form_is_well_formed),
    };
    return cmocka_run_group_tests_name("cluster_page", tests, NULL, NULL);
}
