/* The tree of cores and memory against a plain look at every node, while nodes change under it; and how little it
 * looks at. */
#include "cluster/hosts.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct scene {
    orr_cluster_spec *spec;
    orr_cluster *c;
    orr_share held[64]; /* by node */
} scene;

/* Several kinds of node: some that count no cores, some without GPUs, two VCs. */
static void make(scene *s, int32_t nodes)
{
    *s = (scene){.spec = orr_cluster_spec_create("hosts")};
    for (int32_t i = 0; i < nodes; i++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = i % 5 == 4 ? 0 : 4;
        node.cpus = i % 7 == 6 ? 0 : 8 + i % 9;
        node.mem_bytes = 100 + 10 * (i % 4);
        node.vc = i % 3 ? "" : "red";
        assert_int_equal(orr_cluster_spec_add(s->spec, &node, 1, NULL), ORR_OK);
    }
    s->c = orr_cluster_create(s->spec, false);
}

static void destroy(scene *s)
{
    orr_cluster_destroy(s->c);
    orr_cluster_spec_destroy(s->spec);
}

static bool has_odd_cores(const void *only_odd, const orr_node *n)
{
    return !*(const bool *)only_odd || (n->spec->cpus & 1);
}

static int32_t by_scan(const orr_cluster *c, int32_t vc, orr_share share, bool odd)
{
    const orr_pool *p = orr_cluster_pool(c, vc);
    for (int32_t i = 0; i < p->count; i++) {
        const orr_node *n = &c->nodes[p->nodes[i]];
        bool cores = !n->spec->cpus || n->cpu_milli_free >= share.cpu_milli;
        if (orr_node_open(n) && cores && n->mem_free >= share.mem && has_odd_cores(&odd, n))
            return p->nodes[i];
    }
    return -1;
}

/* What a node gave is given back, or half of its memory and a few cores are taken, or it goes down or comes up. */
static void change(scene *s, uint64_t x)
{
    int32_t i = (int32_t)(x % (uint64_t)s->c->count);
    const orr_node *n = &s->c->nodes[i];
    if (x >> 32 & 1) {
        orr_cluster_set_up(s->c, i, x >> 33 & 3 ? n->all : 0, x >> 35 & 3);
    } else if (s->held[i].mem) {
        orr_cluster_give(s->c, i, 0, s->held[i]);
        s->held[i] = (orr_share){0};
    } else {
        s->held[i] = (orr_share){.cpu_milli = n->cpu_milli_free / 3, .mem = n->mem_free / 2};
        orr_cluster_take(s->c, i, 0, s->held[i]);
    }
}

static void it_finds_what_a_scan_finds(void **state)
{
    (void)state;
    scene s;
    make(&s, 40);
    uint64_t x = 1;
    for (int round = 0; round < 2000; round++) {
        x = orr_mix64(x);
        for (uint64_t k = x % 100 ? x >> 8 & 3 : 400; k > 0; k--) /* now and then more than are remembered */
            change(&s, x = orr_mix64(x));
        orr_share share = {.cpu_milli = (int64_t)(x >> 16 & 15) * 1000, .mem = (int64_t)(x >> 24 & 127)};
        bool odd = x >> 40 & 1;
        for (int32_t vc = -1; vc < s.c->vcs; vc++)
            assert_int_equal(orr_pool_with_host(s.c, vc, 0, share, has_odd_cores, &odd), by_scan(s.c, vc, share, odd));
    }
    destroy(&s);
}

static bool counts(const void *self, const orr_node *n)
{
    (void)n;
    ++*(int *)(uintptr_t)self;
    return true;
}

/* Of 1,000 nodes only the last has room: no other is looked at. */
static void full_nodes_are_not_looked_at(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("full");
    orr_node_spec node = orr_node_spec_default();
    int looks = 0;
    node.cpus = 4;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 1000, NULL), ORR_OK);
    orr_cluster *c = orr_cluster_create(spec, false);
    for (int32_t i = 0; i < 999; i++) {
        assert_int_equal(orr_pool_with_host(c, -1, 0, (orr_share){.cpu_milli = 3000}, counts, &looks), i);
        orr_cluster_take(c, i, 0, (orr_share){.cpu_milli = 3000});
    }
    assert_int_equal(orr_pool_with_host(c, -1, 0, (orr_share){.cpu_milli = 3000}, counts, &looks), 999);
    assert_int_equal(looks, 1000);
    assert_int_equal(orr_pool_with_host(c, -1, 0, (orr_share){.cpu_milli = 5000}, counts, &looks), -1);
    assert_int_equal(looks, 1000);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_a_scan_finds),
        cmocka_unit_test(full_nodes_are_not_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
