/* The live cluster: its index against scans over random takes and gives, pools of VCs, ledgers of cores and memory. */
#include "cluster/cluster.h"

#include "base/mem.h"
#include "base/rng.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static orr_cluster_spec *mixed(int32_t groups)
{
    static const char *const vcs[] = {"a", "b", ""};
    static const char *const types[] = {"V100", "A100"};
    static const int32_t sizes[] = {1, 8, 64, 4, 0};
    orr_cluster_spec *spec = orr_cluster_spec_create("mixed");
    for (int32_t g = 0; g < groups; g++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = sizes[g % 5];
        n.vc = vcs[g % 3];
        n.gpu_type = types[g / 2 % 2];
        n.cpus = g % 4 ? 16 : 0;
        n.mem_bytes = g % 7 ? 1000 : 0;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1 + g % 3, NULL), ORR_OK);
    }
    return spec;
}

static bool in_pool(const orr_cluster *c, int32_t vc, int32_t node)
{
    return vc < 0 || c->nodes[node].vc == vc;
}

static int32_t scan(const orr_cluster *c, int32_t vc, int32_t free, bool exactly, int32_t after)
{
    for (int32_t i = after < 0 ? 0 : after + 1; i < c->count; i++)
        if (in_pool(c, vc, i) && (exactly ? c->nodes[i].free == free : c->nodes[i].free >= free))
            return i;
    return -1;
}

static void index_agrees(const orr_cluster *c, uint64_t x)
{
    for (int32_t vc = -1; vc < c->vcs; vc++) {
        int64_t free_now = 0;
        for (int32_t i = 0; i < c->count; i++)
            free_now += in_pool(c, vc, i) ? c->nodes[i].free : 0;
        assert_int_equal(orr_cluster_pool(c, vc)->free, free_now);
        for (int k = 0; k < 6; k++) {
            x = orr_mix64(x);
            int32_t free = (int32_t)(x % 9), after = (int32_t)(x >> 32) % (c->count + 1) - 1;
            if (after < -1)
                after = -1;
            assert_int_equal(orr_pool_with_free(c, vc, 0, free, after), scan(c, vc, free, true, after));
            assert_int_equal(orr_pool_with_at_least(c, vc, 0, free + 1, after), scan(c, vc, free + 1, false, after));
        }
        assert_int_equal(orr_pool_with_free(c, vc, 0, 64, -1), scan(c, vc, 64, true, -1));
        assert_int_equal(orr_pool_with_free(c, vc, 0, 65, -1), -1);
        assert_int_equal(orr_pool_with_free(c, vc, 0, -1, -1), -1);
    }
}

static uint64_t some_of(uint64_t mask, uint64_t x)
{
    return mask & orr_mix64(x) & (x & 1 ? UINT64_MAX : orr_mix64(x + 1));
}

/* Cores and memory of one GPU here; nodes that don't model them are given nonsense, which must not matter. */
static orr_share share_of(const orr_node *n, int32_t gpus)
{
    int32_t all = n->spec->gpus ? n->spec->gpus : 1;
    return (orr_share){.cpu_milli = n->spec->cpus ? n->spec->cpus / all * gpus * INT64_C(1000) : 12345,
                       .mem = n->spec->mem_bytes ? n->spec->mem_bytes / all * gpus : -77};
}

static void random_takes_and_gives(bool ignore_vcs)
{
    orr_cluster_spec *spec = mixed(40);
    orr_cluster *c = orr_cluster_create(spec, ignore_vcs);
    uint64_t x = 5;
    for (int round = 0; round < 3000; round++) {
        x = orr_mix64(x);
        int32_t node = (int32_t)(x % (uint64_t)c->count);
        orr_node *n = &c->nodes[node];
        uint64_t given = some_of(n->all & ~n->free_gpus, x), taken = some_of(n->free_gpus, x);
        uint64_t releases = orr_cluster_pool(c, n->vc)->releases;
        if (round % 2 && given) {
            orr_cluster_give(c, node, given, share_of(n, orr_bit_count(given)));
            assert_true(orr_cluster_pool(c, n->vc)->releases > releases);
        } else if (taken) {
            orr_cluster_take(c, node, taken, share_of(n, orr_bit_count(taken)));
            assert_int_equal(orr_cluster_pool(c, n->vc)->releases, releases);
        }
        assert_int_equal(n->free, orr_bit_count(n->free_gpus));
        int32_t all = n->spec->gpus ? n->spec->gpus : 1;
        if (n->spec->cpus)
            assert_int_equal(n->spec->cpus * 1000 - n->cpu_milli_free, n->spec->cpus / all * (n->spec->gpus - n->free) * 1000);
        if (n->spec->mem_bytes)
            assert_int_equal(n->spec->mem_bytes - n->mem_free, n->spec->mem_bytes / all * (n->spec->gpus - n->free));
        if (round % 5 == 0)
            index_agrees(c, x);
    }
    for (int32_t i = 0; i < c->count; i++) {
        orr_node *n = &c->nodes[i];
        if (n->all & ~n->free_gpus)
            orr_cluster_give(c, i, n->all & ~n->free_gpus, share_of(n, n->spec->gpus - n->free));
        assert_int_equal(n->cpu_milli_free, n->spec->cpus * 1000);
        assert_int_equal(n->mem_free, n->spec->mem_bytes);
    }
    for (int32_t vc = -1; vc < c->vcs; vc++)
        assert_int_equal(orr_cluster_pool(c, vc)->free, orr_cluster_pool(c, vc)->gpus);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void index_is_like_a_scan(void **state)
{
    (void)state;
    random_takes_and_gives(false);
    random_takes_and_gives(true);
}

/*  node   0 1 2 3 4        VC a: 0 2, VC b: 1 3, common: 4
 *  GPUs   4 8 2 4 1  */
static orr_cluster_spec *two_vcs(void)
{
    static const struct {
        const char *vc;
        int32_t gpus;
    } nodes[] = {{"a", 4}, {"b", 8}, {"a", 2}, {"b", 4}, {"", 1}};
    orr_cluster_spec *spec = orr_cluster_spec_create("two");
    for (size_t i = 0; i < 5; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.vc = nodes[i].vc;
        n.gpus = nodes[i].gpus;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

static void pools_are_vcs(void **state)
{
    (void)state;
    orr_cluster_spec *spec = two_vcs();
    orr_cluster *c = orr_cluster_create(spec, false);
    assert_int_equal(c->vcs, 3);
    static const int64_t gpus[] = {6, 12, 1}, widest[] = {4, 8, 1};
    for (int32_t vc = 0; vc < 3; vc++) {
        assert_int_equal(orr_cluster_pool(c, vc)->gpus, gpus[vc]);
        assert_int_equal(orr_cluster_pool(c, vc)->widest, widest[vc]);
    }
    assert_int_equal(orr_cluster_pool(c, -1)->gpus, 19);
    assert_int_equal(orr_pool_with_at_least(c, 0, 0, 1, -1), 0);
    assert_int_equal(orr_pool_with_at_least(c, 0, 0, 1, 0), 2);
    assert_int_equal(orr_pool_with_at_least(c, 0, 0, 1, 2), -1);
    orr_cluster_take(c, 1, 0xff, (orr_share){0});
    assert_int_equal(orr_pool_with_at_least(c, 1, 0, 1, -1), 3);
    assert_int_equal(orr_pool_with_free(c, -1, 0, 0, -1), 1);
    assert_int_equal(orr_cluster_pool(c, 1)->free, 4);
    assert_int_equal(orr_cluster_pool(c, -1)->free, 11);
    assert_int_equal(orr_cluster_pool(c, 0)->free, 6);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

/* "The first node after `after`": also where `after` is a node of another VC, or none at all. */
static void a_walk_may_begin_anywhere(void **state)
{
    (void)state;
    orr_cluster_spec *spec = two_vcs();
    orr_cluster *c = orr_cluster_create(spec, false);
    assert_int_equal(orr_pool_with_at_least(c, 1, 0, 1, 0), 1); /* 0 is in VC a */
    assert_int_equal(orr_pool_with_at_least(c, 1, 0, 1, 2), 3);
    assert_int_equal(orr_pool_with_at_least(c, 1, 0, 1, 4), -1);
    assert_int_equal(orr_pool_with_at_least(c, 0, 0, 1, 1), 2);
    assert_int_equal(orr_pool_with_at_least(c, 2, 0, 1, 3), 4);
    assert_int_equal(orr_pool_with_free(c, 1, 0, 4, 0), 3);
    assert_int_equal(orr_pool_with_free(c, -1, 0, 4, 0), 3);
    assert_int_equal(orr_pool_with_free(c, 0, 0, 4, 100), -1);
    assert_int_equal(orr_pool_with_at_least(c, -1, 0, 1, INT32_MAX), -1);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void ignoring_vcs_makes_one_pool(void **state)
{
    (void)state;
    orr_cluster_spec *spec = two_vcs();
    orr_cluster *c = orr_cluster_create(spec, true);
    assert_int_equal(c->vcs, 1);
    assert_string_equal(c->vc_names[0], "");
    assert_int_equal(orr_cluster_pool(c, 0)->gpus, 19);
    assert_ptr_equal(orr_cluster_pool(c, -1), orr_cluster_pool(c, 0));
    assert_int_equal(orr_pool_with_free(c, 0, 0, 4, 0), 3);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

static void types_and_racks_are_numbered(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("types");
    static const char *const names[] = {"V100", "A100", "V100", ""};
    for (size_t i = 0; i < 4; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpu_type = names[i];
        n.rack = i < 2 ? "r1" : "r2";
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    orr_cluster *c = orr_cluster_create(spec, false);
    assert_int_equal(c->racks, 2);
    assert_true(c->nodes[0].type == c->nodes[2].type && orr_bit_count(c->nodes[0].type) == 1);
    assert_true(orr_cluster_types_named(c, "A100") == c->nodes[1].type);
    assert_true(orr_cluster_types_named(c, "A100|V100") == (c->nodes[0].type | c->nodes[1].type));
    assert_true(orr_cluster_types_named(c, "A100|H100|A100") == c->nodes[1].type);
    assert_true(orr_cluster_types_named(c, "H100") == 0);
    assert_true(orr_cluster_types_named(c, "") == ORR_ANY_TYPE);
    assert_int_not_equal(c->nodes[0].rack, c->nodes[3].rack);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

typedef struct changes {
    int32_t nodes[64], n;
} changes;

static void note_change(void *self, int32_t node)
{
    changes *c = self;
    c->nodes[c->n++ % 64] = node;
}

static void changes_are_told_to_whoever_follows(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("four");
    orr_node_spec n = orr_node_spec_default();
    assert_int_equal(orr_cluster_spec_add(spec, &n, 4, NULL), ORR_OK);
    orr_cluster *c = orr_cluster_create(spec, false);
    uint64_t one = UINT64_MAX, other = UINT64_MAX;
    changes told = {.n = 0};
    orr_cluster_take(c, 1, 3, (orr_share){0}); /* before anybody watched */
    orr_cluster_watch(c);
    assert_false(orr_cluster_changes(c, &one, note_change, &told)); /* a beginner looks at all of them */
    orr_cluster_take(c, 2, 1, (orr_share){0});
    orr_cluster_give(c, 1, 2, (orr_share){0});
    assert_false(orr_cluster_changes(c, &other, note_change, &told));
    assert_int_equal(told.n, 0);
    orr_cluster_give(c, 2, 1, (orr_share){0});
    assert_true(orr_cluster_changes(c, &one, note_change, &told));
    assert_int_equal(told.n, 3);
    assert_int_equal(told.nodes[0], 2);
    assert_int_equal(told.nodes[1], 1);
    assert_int_equal(told.nodes[2], 2);
    assert_true(orr_cluster_changes(c, &other, note_change, &told));
    assert_int_equal(told.n, 4); /* he had heard of the first two */
    assert_true(orr_cluster_changes(c, &one, note_change, &told));
    assert_int_equal(told.n, 4);
    for (int i = 0; i < 100; i++) { /* more than is remembered for four nodes */
        orr_cluster_take(c, 0, 1, (orr_share){0});
        orr_cluster_give(c, 0, 1, (orr_share){0});
    }
    assert_false(orr_cluster_changes(c, &one, note_change, &told));
    assert_true(orr_cluster_changes(c, &one, note_change, &told));
    assert_int_equal(told.n, 4);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
}

/* ---- the rules that are always checked --------------------------------------------------------------------------- */

static void take_twice(orr_cluster *c)
{
    orr_cluster_take(c, 0, 1, (orr_share){0});
    orr_cluster_take(c, 0, 3, (orr_share){0});
}

static void give_what_is_free(orr_cluster *c)
{
    orr_cluster_give(c, 0, 1, (orr_share){0});
}

static void give_what_is_not(orr_cluster *c)
{
    orr_cluster_take(c, 0, 1, (orr_share){0});
    orr_cluster_give(c, 0, (uint64_t)1 << 40, (orr_share){0});
}

static void take_too_many_cores(orr_cluster *c)
{
    orr_cluster_take(c, 1, 1, (orr_share){.cpu_milli = 16001});
}

static void take_too_much_memory(orr_cluster *c)
{
    orr_cluster_take(c, 1, 1, (orr_share){.mem = 1001});
}

/* In a process of its own: it must end with status 70 and one line. */
static void dies(void (*crime)(orr_cluster *))
{
    orr_cluster_spec *spec = mixed(3);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fclose(stderr);
        orr_cluster *c = orr_cluster_create(spec, true);
        crime(c);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 70);
    orr_cluster_spec_destroy(spec);
}

static void crimes_end_the_process(void **state)
{
    (void)state;
    dies(take_twice);
    dies(give_what_is_free);
    dies(give_what_is_not);
    dies(take_too_many_cores);
    dies(take_too_much_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_is_like_a_scan),         cmocka_unit_test(pools_are_vcs),
        cmocka_unit_test(a_walk_may_begin_anywhere),    cmocka_unit_test(ignoring_vcs_makes_one_pool),
        cmocka_unit_test(types_and_racks_are_numbered), cmocka_unit_test(changes_are_told_to_whoever_follows),
        cmocka_unit_test(crimes_end_the_process),
    };
    return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
