/* Racks by their idle nodes, against a look at every node over random takes, gives and failures. */
#include "cluster/racks.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 40, RACKS = 7 };

/* Two VCs whose nodes alternate; racks that stand together, and two whose nodes are mixed; a CPU node here and there. */
static orr_cluster_spec *mixed(void)
{
    static const char *const racks[RACKS] = {"a", "b", "c", "d", "e", "f", "g"};
    orr_cluster_spec *spec = orr_cluster_spec_create("mixed");
    for (int32_t i = 0; i < NODES; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = i % 9 == 4 ? 0 : i % 5 ? 4 : 2;
        n.vc = i % 2 ? "odd" : "even";
        n.rack = racks[i < 30 ? i / 6 : 5 + i % 2];
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

static bool belongs(const orr_cluster *c, int32_t vc, int32_t rack, int32_t node)
{
    return c->nodes[node].rack == rack && (vc < 0 || c->nodes[node].vc == vc);
}

static int32_t idle_of(const orr_cluster *c, int32_t vc, int32_t rack, bool *any)
{
    int32_t idle = 0;
    *any = false;
    for (int32_t i = 0; i < c->count; i++) {
        if (!belongs(c, vc, rack, i))
            continue;
        *any = true;
        idle += c->nodes[i].all && c->nodes[i].free_gpus == c->nodes[i].all;
    }
    return idle;
}

static int32_t rack_by_scan(const orr_cluster *c, int32_t vc, int32_t idle, int32_t after)
{
    for (int32_t rack = after + 1; rack < c->racks; rack++) {
        bool any;
        if (idle_of(c, vc, rack, &any) == idle && any)
            return rack;
    }
    return -1;
}

static int32_t node_by_scan(const orr_cluster *c, int32_t vc, int32_t rack, int32_t free, int32_t after)
{
    for (int32_t i = after + 1; i < c->count; i++)
        if (belongs(c, vc, rack, i) && c->nodes[i].free == free)
            return i;
    return -1;
}

static void agrees(orr_cluster *c)
{
    for (int32_t vc = -1; vc < c->vcs; vc++)
        for (int32_t rack = -1; rack < c->racks; rack++) {
            for (int32_t idle = 0; idle < 8; idle++)
                assert_int_equal(orr_racks_with_idle(c, vc, 0, idle, rack), rack_by_scan(c, vc, idle, rack));
            for (int32_t free = 0; free <= 4 && rack >= 0; free++)
                for (int32_t after = -1; after < NODES; after += 3)
                    assert_int_equal(orr_racks_node_with_free(c, vc, 0, rack, free, after),
                                     node_by_scan(c, vc, rack, free, after));
        }
}

static void the_index_agrees_with_a_scan(void **state)
{
    (void)state;
    orr_cluster_spec *spec = mixed();
    orr_cluster *c = orr_cluster_create(spec, false);
    uint64_t held[NODES] = {0}, x = 5;
    for (int step = 0; step < 400; step++) {
        x = orr_mix64(x);
        const int32_t node = (int32_t)(x % NODES);
        const uint64_t some = (x >> 32) & c->nodes[node].all;
        if (step % 7 == 0) {
            orr_cluster_set_up(c, node, some, step % 2);
        } else if (held[node]) {
            orr_cluster_give(c, node, held[node], (orr_share){0});
            held[node] = 0;
        } else {
            held[node] = some & c->nodes[node].free_gpus;
            if (held[node])
                orr_cluster_take(c, node, held[node], (orr_share){0});
        }
        if (step % 8 == 0)
            agrees(c);
    }
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

/* Counts stop at ORR_RACKS_MANY: a rack of 70 idle nodes is found there until it has fewer than 64. */
static void many_is_many(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_load("nodes=140,gpus=1,racks=2", NULL, NULL);
    orr_cluster *c = orr_cluster_create(spec, false);
    assert_int_equal(orr_racks_with_idle(c, -1, 0, ORR_RACKS_MANY, -1), 0);
    for (int32_t i = 0; i < 6; i++)
        orr_cluster_take(c, i, 1, (orr_share){0});
    assert_int_equal(orr_racks_with_idle(c, -1, 0, ORR_RACKS_MANY, -1), 0);
    orr_cluster_take(c, 6, 1, (orr_share){0});
    assert_int_equal(orr_racks_with_idle(c, -1, 0, ORR_RACKS_MANY, -1), 1);
    assert_int_equal(orr_racks_with_idle(c, -1, 0, 63, -1), 0);
    assert_int_equal(orr_racks_with_idle(c, -1, 0, ORR_RACKS_MANY + 1, -1), -1);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_agrees_with_a_scan),
        cmocka_unit_test(many_is_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
