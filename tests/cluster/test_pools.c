/* Pools of some GPU types, made in the middle of use: every answer against a look at all nodes. */
#include "cluster/cluster.h"

#include "base/rng.h"
#include "cluster/hosts.h"
#include "cluster/racks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 45, TYPES = 4, ROUNDS = 1200, STEP = 250 };

static orr_cluster *mixed(orr_cluster_spec **spec, bool with_vcs)
{
    static const char *const types[TYPES] = {"", "V100", "P100", "K80"}, *const vcs[] = {"a", "b"};
    char rack[8];
    *spec = orr_cluster_spec_create("mixed");
    for (int i = 0; i < NODES; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = i % TYPES ? 1 + i % 4 : 0; /* the nodes of the first type have none */
        n.gpu_type = types[i % TYPES];
        n.vc = with_vcs ? vcs[i / 7 % 2] : "";
        n.cpus = 8;
        snprintf(rack, sizeof rack, "r%d", i / 9);
        n.rack = rack;
        assert_int_equal(orr_cluster_spec_add(*spec, &n, 1, NULL), ORR_OK);
    }
    return orr_cluster_create(*spec, false);
}

typedef struct view {
    const orr_cluster *c;
    int32_t vc;
    uint64_t types;
} view;

static bool inside(const view *v, int32_t node)
{
    return (v->vc < 0 || v->c->nodes[node].vc == v->vc) && (!v->types || v->c->nodes[node].type & v->types);
}

static int32_t scan(const view *v, int32_t low, int32_t high, int32_t rack, int32_t after)
{
    for (int32_t i = after + 1; i < v->c->count; i++)
        if (inside(v, i) && v->c->nodes[i].free >= low && v->c->nodes[i].free <= high &&
            (rack < 0 || v->c->nodes[i].rack == rack))
            return i;
    return -1;
}

static bool any_gpu(const void *self, const orr_node *n, int gpu)
{
    (void)self, (void)n, (void)gpu;
    return true;
}

static orr_spot scan_parts(const view *v, int32_t milli)
{
    orr_spot best = {.node = -1};
    int32_t least = ORR_WHOLE_GPU;
    for (int32_t i = 0; i < v->c->count; i++)
        for (uint64_t m = inside(v, i) ? v->c->nodes[i].shared : 0; m; m &= m - 1) {
            const int32_t left = orr_node_part_free(&v->c->nodes[i], orr_lowest_bit(m));
            if (left < milli || left >= least)
                continue;
            least = left;
            best = (orr_spot){i, orr_lowest_bit(m)};
        }
    return best;
}

static bool any_node(const void *self, const orr_node *n)
{
    (void)self, (void)n;
    return true;
}

static int32_t scan_cores(const view *v, int64_t cpu_milli)
{
    for (int32_t i = 0; i < v->c->count; i++)
        if (inside(v, i) && orr_node_open(&v->c->nodes[i]) && v->c->nodes[i].cpu_milli_free >= cpu_milli)
            return i;
    return -1;
}

static int32_t scan_racks(const view *v, int32_t idle, int32_t after)
{
    for (int32_t r = after + 1; r < v->c->racks; r++) {
        int32_t free = 0;
        bool any = false;
        for (int32_t i = 0; i < v->c->count; i++) {
            const orr_node *n = &v->c->nodes[i];
            if (!inside(v, i) || n->rack != r)
                continue;
            any = true;
            free += n->spec->gpus > 0 && n->free == n->spec->gpus;
        }
        if (any && free == idle)
            return r;
    }
    return -1;
}

static void sums_agree(const view *v)
{
    orr_pool *in[ORR_MAX_TYPES];
    int64_t gpus = 0, free = 0, left = 0, milli = 0;
    const int32_t n = orr_cluster_pools(v->c, v->vc, v->types, in);
    for (int32_t i = 0; i < v->c->count; i++) {
        const orr_node *node = &v->c->nodes[i];
        if (!inside(v, i))
            continue;
        gpus += orr_bit_count(node->up);
        free += node->free;
        left += node->left;
        milli += ORR_WHOLE_GPU * (int64_t)(orr_bit_count(node->all & ~node->idle & ~node->shared));
        for (uint64_t m = node->shared; m; m &= m - 1)
            milli += node->parts[orr_lowest_bit(m)].milli;
    }
    for (int32_t i = 0; i < n; i++) {
        gpus -= in[i]->gpus;
        free -= in[i]->free;
        left -= in[i]->left;
        milli -= in[i]->milli;
    }
    assert_true(gpus == 0 && free == 0 && left == 0 && milli == 0);
}

static void agrees(orr_cluster *c, uint64_t x)
{
    view v = {c, (int32_t)(x % (uint64_t)(c->vcs + 1)) - 1, orr_mix64(x) % (1 << TYPES)};
    const int32_t free = (int32_t)(x >> 8) & 3, after = (int32_t)(x >> 16 & 63) % NODES - 1, rack = (int32_t)(x >> 24) & 3;
    const int32_t milli = 100 * (1 + ((int32_t)(x >> 32) & 7));
    assert_int_equal(orr_pool_with_free(c, v.vc, v.types, free, after), scan(&v, free, free, -1, after));
    assert_int_equal(orr_pool_with_at_least(c, v.vc, v.types, free, after), scan(&v, free, 64, -1, after));
    assert_int_equal(orr_racks_node_with_free(c, v.vc, v.types, rack, free, after), scan(&v, free, free, rack, after));
    assert_int_equal(orr_racks_with_idle(c, v.vc, v.types, free, rack - 1), scan_racks(&v, free, rack - 1));
    const orr_share share = {.cpu_milli = milli * 10};
    assert_int_equal(orr_pool_with_host(c, v.vc, v.types, share, any_node, NULL), scan_cores(&v, milli * 10));
    const orr_spot got = orr_pool_part(c, v.vc, v.types, milli, any_gpu, NULL), want = scan_parts(&v, milli);
    assert_true(got.node == want.node && (got.node < 0 || got.gpu == want.gpu));
    sums_agree(&v);
}

/* Whole GPUs, parts of 250, GPUs that fail and come back, nodes that drain. */
static void change(orr_cluster *c, uint64_t x)
{
    const int32_t node = (int32_t)(x % NODES);
    orr_node *n = &c->nodes[node];
    const uint64_t bit = n->all ? (uint64_t)1 << (x >> 40) % (uint64_t)n->spec->gpus : 0;
    const orr_share part = {.milli = STEP, .cpu_milli = 500}, whole = {.cpu_milli = 500};
    const uint64_t held = n->all & ~n->idle & ~n->shared;
    if (x >> 60 == 0)
        orr_cluster_set_up(c, node, n->all & (x >> 20), (x >> 50 & 3) != 0);
    else if (bit & n->shared && x >> 32 & 1)
        orr_cluster_give(c, node, bit, part);
    else if (bit & held)
        orr_cluster_give(c, node, bit, whole);
    else if (bit & n->free_gpus)
        orr_cluster_take(c, node, bit, x >> 33 & 1 ? part : whole);
    else if (bit && orr_node_has_part(n, orr_lowest_bit(bit), part))
        orr_cluster_take(c, node, bit, part);
}

static void as_by_looking(bool with_vcs)
{
    orr_cluster_spec *spec;
    orr_cluster *c = mixed(&spec, with_vcs);
    uint64_t x = 11;
    for (int i = 0; i < ROUNDS; i++) {
        change(c, x = orr_mix64(x));
        for (int k = 0; i > ROUNDS / 3 && k < 3; k++) /* they are made when much is held already */
            agrees(c, x = orr_mix64(x));
    }
    assert_true(orr_cluster_pool(c, -1)->by_type != NULL);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void one_pool(void **state)
{
    (void)state;
    as_by_looking(false);
}

static void pools_of_vcs(void **state)
{
    (void)state;
    as_by_looking(true);
}

/* Types that GPUs have come first, and a pool of one type is its own part. */
static void types_are_numbered(void **state)
{
    (void)state;
    orr_cluster_spec *spec;
    orr_cluster *c = mixed(&spec, false);
    orr_pool *in[ORR_MAX_TYPES];
    assert_int_equal(c->types, TYPES);
    assert_int_equal(c->gpu_types, 3);
    assert_string_equal(c->type_names[0], "V100");
    assert_string_equal(c->type_names[3], "");
    assert_int_equal(orr_cluster_pools(c, -1, 15, in), 1);
    assert_ptr_equal(in[0], orr_cluster_pool(c, -1));
    assert_null(in[0]->by_type);
    assert_int_equal(orr_cluster_pools(c, -1, UINT64_C(1) << 40, in), 0);
    assert_int_equal(orr_cluster_pools(c, -1, 1 | 4, in), 2);
    assert_int_equal(in[1]->types, 4);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pool),
        cmocka_unit_test(pools_of_vcs),
        cmocka_unit_test(types_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
