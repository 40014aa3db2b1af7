/* Parts of GPUs: their books, the sets that find them, device memory, and nodes that give nothing. */
#include "cluster/cluster.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { GIB = 1 << 30 };

static orr_cluster_spec *spec_of(int32_t nodes, int32_t gpus, int64_t gpu_mem)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("parts");
    orr_node_spec n = orr_node_spec_default();
    n.gpus = gpus;
    n.gpu_mem_bytes = gpu_mem;
    assert_int_equal(orr_cluster_spec_add(spec, &n, nodes, NULL), ORR_OK);
    return spec;
}

static bool any(const void *self, const orr_node *n, int gpu)
{
    (void)self;
    (void)n;
    (void)gpu;
    return true;
}

static bool has_memory(const void *self, const orr_node *n, int gpu)
{
    const orr_share *share = self;
    return orr_node_has_part(n, gpu, *share);
}

static void a_shared_gpu_is_not_free(void **state)
{
    (void)state;
    orr_cluster_spec *spec = spec_of(1, 2, 0);
    orr_cluster *c = orr_cluster_create(spec, false);
    orr_node *n = &c->nodes[0];
    orr_pool *p = orr_cluster_pool(c, -1);
    orr_cluster_take(c, 0, 1, (orr_share){.milli = 300});
    assert_int_equal(n->free, 1);
    assert_int_equal(p->free, 1);
    assert_int_equal(p->milli, 300);
    assert_int_equal(orr_node_part_free(n, 0), 700);
    assert_int_equal(orr_node_part_free(n, 1), 1000);
    assert_false(orr_node_has_part(n, 0, (orr_share){0}));
    assert_true(orr_node_has_part(n, 0, (orr_share){.milli = 700}));
    assert_false(orr_node_has_part(n, 0, (orr_share){.milli = 701}));
    orr_cluster_take(c, 0, 3, (orr_share){.milli = 500}); /* on both */
    assert_int_equal(p->milli, 1300);
    assert_int_equal(orr_node_part_free(n, 0), 200);
    assert_int_equal(n->free, 0);
    orr_cluster_give(c, 0, 1, (orr_share){.milli = 300});
    orr_cluster_give(c, 0, 3, (orr_share){.milli = 500});
    assert_int_equal(n->free, 2);
    assert_int_equal(p->milli, 0);
    assert_int_equal(p->releases, 2);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void the_fullest_part_is_found(void **state)
{
    (void)state;
    orr_cluster_spec *spec = spec_of(3, 4, 0);
    orr_cluster *c = orr_cluster_create(spec, false);
    assert_int_equal(orr_pool_part(c, -1, 0, 1, any, NULL).node, -1); /* nothing is shared yet */
    orr_cluster_take(c, 2, 1u << 1, (orr_share){.milli = 800});
    orr_cluster_take(c, 1, 1u << 3, (orr_share){.milli = 600});
    orr_cluster_take(c, 0, 1u << 2, (orr_share){.milli = 600});
    orr_spot s = orr_pool_part(c, -1, 0, 200, any, NULL);
    assert_int_equal(s.node, 2);
    assert_int_equal(s.gpu, 1);
    s = orr_pool_part(c, -1, 0, 201, any, NULL); /* 400 left on two: the least node */
    assert_int_equal(s.node, 0);
    assert_int_equal(s.gpu, 2);
    assert_int_equal(orr_pool_part(c, -1, 0, 401, any, NULL).node, -1);
    orr_cluster_set_up(c, 0, c->nodes[0].all, false); /* it drains */
    assert_int_equal(orr_pool_part(c, -1, 0, 201, any, NULL).node, 1);
    orr_cluster_set_up(c, 0, c->nodes[0].all, true);
    assert_int_equal(orr_pool_part(c, -1, 0, 201, any, NULL).node, 0);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void device_memory_refuses(void **state)
{
    (void)state;
    orr_cluster_spec *spec = spec_of(1, 1, 16LL * GIB);
    orr_cluster *c = orr_cluster_create(spec, false);
    const orr_share small = {.milli = 100, .gpu_mem = 4LL * GIB}, large = {.milli = 100, .gpu_mem = 10LL * GIB};
    orr_cluster_take(c, 0, 1, large);
    assert_true(orr_node_has_part(&c->nodes[0], 0, small));
    assert_false(orr_node_has_part(&c->nodes[0], 0, large));
    assert_int_equal(orr_pool_part(c, -1, 0, 100, has_memory, &small).node, 0);
    assert_int_equal(orr_pool_part(c, -1, 0, 100, has_memory, &large).node, -1);
    orr_cluster_give(c, 0, 1, large);
    assert_true(orr_node_has_part(&c->nodes[0], 0, large));
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void a_node_that_is_not_up_gives_nothing(void **state)
{
    (void)state;
    orr_cluster_spec *spec = spec_of(2, 4, 0);
    orr_cluster *c = orr_cluster_create(spec, false);
    orr_pool *p = orr_cluster_pool(c, -1);
    orr_cluster_take(c, 0, 1, (orr_share){0});
    orr_cluster_set_up(c, 0, c->nodes[0].all, false);
    assert_int_equal(p->gpus, 8); /* it drains: still there */
    assert_int_equal(p->free, 4);
    assert_int_equal(orr_pool_with_at_least(c, -1, 0, 1, -1), 1);
    orr_cluster_give(c, 0, 1, (orr_share){0});
    assert_int_equal(p->free, 4);
    orr_cluster_set_up(c, 0, 0, true);
    assert_int_equal(p->gpus, 4);
    uint64_t releases = p->releases;
    orr_cluster_set_up(c, 0, 0x7, true); /* one of its GPUs is broken */
    assert_int_equal(p->gpus, 7);
    assert_int_equal(p->free, 7);
    assert_true(p->releases > releases);
    assert_int_equal(orr_pool_with_free(c, -1, 0, 3, -1), 0);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

/* ---- any takes and gives ---- */

typedef struct given {
    int32_t node, milli;
    uint64_t gpus;
} given;

static orr_spot scan(const orr_cluster *c, int32_t milli)
{
    orr_spot best = {.node = -1};
    int32_t least = 1000;
    for (int32_t i = 0; i < c->count; i++)
        for (int g = 0; g < c->nodes[i].spec->gpus; g++) {
            int32_t left = orr_node_part_free(&c->nodes[i], g);
            if (c->nodes[i].shared >> g & 1 && left >= milli && left < least) {
                least = left;
                best = (orr_spot){i, g};
            }
        }
    return best;
}

static void the_sets_agree_with_a_scan(void **state)
{
    (void)state;
    orr_cluster_spec *spec = spec_of(9, 8, 0);
    orr_cluster *c = orr_cluster_create(spec, false);
    given held[512];
    size_t n = 0;
    uint64_t x = 3;
    for (int round = 0; round < 4000; round++) {
        x = orr_mix64(x);
        int32_t node = (int32_t)(x % 9), gpu = (int32_t)(x >> 8 & 7), milli = 1 + (int32_t)((x >> 16) % 999);
        if (round % 7 == 0)
            orr_cluster_set_up(c, node, c->nodes[node].all & ~(x >> 32), x >> 60 & 1);
        if (x >> 20 & 1 && n) {
            given g = held[--n];
            orr_cluster_give(c, g.node, g.gpus, (orr_share){.milli = g.milli});
        } else if (n < 512 && orr_node_has_part(&c->nodes[node], gpu, (orr_share){.milli = milli})) {
            held[n++] = (given){node, milli, (uint64_t)1 << gpu};
            orr_cluster_take(c, node, held[n - 1].gpus, (orr_share){.milli = milli});
        }
        orr_spot want = scan(c, milli), got = orr_pool_part(c, -1, 0, milli, any, NULL);
        assert_int_equal(got.node, want.node);
        assert_true(want.node < 0 || got.gpu == want.gpu);
    }
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_gpu_is_not_free),
        cmocka_unit_test(the_fullest_part_is_found),
        cmocka_unit_test(device_memory_refuses),
        cmocka_unit_test(a_node_that_is_not_up_gives_nothing),
        cmocka_unit_test(the_sets_agree_with_a_scan),
    };
    return cmocka_run_group_tests_name("cluster.parts", tests, NULL, NULL);
}
