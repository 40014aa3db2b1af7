/* How near GPUs are, against answers worked out by hand and, for rings and subsets, against plain enumeration. */
#include "cluster/topology.h"

#include "cluster/bits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define GB 1e9
#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct machine {
    orr_cluster_spec *spec;
    orr_topology *t;
} machine;

static machine machine_of(const char *text)
{
    orr_error e = {0};
    machine m = {.spec = orr_cluster_spec_load(text, NULL, &e)};
    if (!m.spec)
        fail_msg("%s: %s", text, e.message);
    m.t = orr_topology_create(orr_cluster_spec_node(m.spec, 0));
    return m;
}

static void machine_free(machine m)
{
    orr_topology_destroy(m.t);
    orr_cluster_spec_destroy(m.spec);
}

static uint64_t set_of(const char *gpus)
{
    uint64_t set = 0;
    for (; *gpus; gpus++)
        set |= (uint64_t)1 << (*gpus <= '9' ? *gpus - '0' : *gpus - 'a' + 10);
    return set;
}

/* ---- direct ways and levels ---- */

/* dgx1-v100: two NVLinks of 20 GB/s, one, none below a switch, none at a socket, none across sockets. Switches hold
 * {0,1} {2,3} | {4,5} {6,7}. */
static void two_gpus_of_a_dgx1(void **state)
{
    (void)state;
    static const struct {
        int a, b;
        double bps;
        orr_level level;
        int32_t distance;
    } rows[] = {
        {0, 3, 40 * GB, ORR_LEVEL_NVLINK, 1}, {0, 1, 20 * GB, ORR_LEVEL_NVLINK, 1},
        {2, 6, 20 * GB, ORR_LEVEL_NVLINK, 1}, {1, 5, 40 * GB, ORR_LEVEL_NVLINK, 1},
        {0, 7, 6 * GB, ORR_LEVEL_NODE, 20},   {3, 4, 6 * GB, ORR_LEVEL_NODE, 20},
    };
    machine m = machine_of("dgx1-v100");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t pair = (uint64_t)1 << rows[i].a | (uint64_t)1 << rows[i].b;
        if (orr_topology_bps(m.t, rows[i].a, rows[i].b) != rows[i].bps ||
            orr_topology_level(m.t, pair) != rows[i].level ||
            orr_topology_distance(m.t, rows[i].b, rows[i].a) != rows[i].distance)
            fail_msg("%d-%d: %g, level %d, distance %d", rows[i].a, rows[i].b,
                     orr_topology_bps(m.t, rows[i].a, rows[i].b), orr_topology_level(m.t, pair),
                     orr_topology_distance(m.t, rows[i].a, rows[i].b));
    }
    assert_int_equal(orr_topology_distance(m.t, 4, 4), 0);
    machine_free(m);
}

static void levels_without_nvlink(void **state)
{
    (void)state;
    machine m = machine_of("gpus=8,sockets=2,pcie_switches=4,pcie_bw=12GB/s,uplink_bw=10GB/s,socket_bw=6GB/s");
    assert_int_equal(orr_topology_level(m.t, set_of("3")), ORR_LEVEL_GPU);
    assert_int_equal(orr_topology_level(m.t, set_of("23")), ORR_LEVEL_SWITCH);
    assert_int_equal(orr_topology_level(m.t, set_of("12")), ORR_LEVEL_SOCKET);
    assert_int_equal(orr_topology_level(m.t, set_of("34")), ORR_LEVEL_NODE);
    assert_true(orr_topology_bps(m.t, 2, 3) == 12 * GB);
    assert_true(orr_topology_bps(m.t, 1, 2) == 10 * GB);
    assert_true(orr_topology_bps(m.t, 3, 4) == 6 * GB);
    assert_int_equal(orr_topology_distance(m.t, 2, 3), 1);
    assert_int_equal(orr_topology_distance(m.t, 1, 2), 10);
    machine_free(m);
}

static void what_is_not_stated_is_not_known(void **state)
{
    (void)state;
    machine m = machine_of("gpus=4,sockets=2");
    assert_true(orr_topology_bps(m.t, 0, 1) == 0);
    assert_true(orr_topology_ring(m.t, set_of("0123")) == 0);
    assert_int_equal(orr_topology_level(m.t, set_of("01")), ORR_LEVEL_SOCKET);
    assert_int_equal(orr_topology_level(m.t, set_of("12")), ORR_LEVEL_NODE);
    machine_free(m);
}

/* ---- rings ---- */

/* The whole V100 mesh: the double links alone are a cycle, 0-3-2-1-5-6-7-4, and take two rings each way; the single
 * ones are another, 0-1-3-7-5-4-6-2, one ring each way: six rings of 20 GB/s. A quad has 0-1-2-3 and 0-2-1-3: four.
 * Three of it have a triangle: two. {0,1,4,5} is a square: two. {0,1,2,3,4} has no cycle, 4 has one neighbour there:
 * it needs a step over the sockets. The P100 mesh splits into two cycles of 18 GB/s links: four rings. */
static void rings_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *gpus;
        double bps;
    } rows[] = {
        {"dgx1-v100", "01234567", 120 * GB},
        {"dgx1-v100", "0123", 80 * GB},
        {"dgx1-v100", "4567", 80 * GB},
        {"dgx1-v100", "012", 40 * GB},
        {"dgx1-v100", "123", 40 * GB},
        {"dgx1-v100", "03", 40 * GB},
        {"dgx1-v100", "01", 20 * GB},
        {"dgx1-v100", "0145", 40 * GB},
        {"dgx1-v100", "07", 6 * GB},
        {"dgx1-v100", "01234", 6 * GB},
        {"dgx1-v100", "5", 0},
        {"dgx1-p100", "01234567", 72 * GB},
        {"p3.8xlarge", "0123", 80 * GB},
        {"dgx2", "0123456789abcdef", 120 * GB},
        {"dgx2", "0f", 120 * GB},
        {"dgx-a100", "07", 240 * GB},
        {"p2.16xlarge", "0123456789abcdef", 12 * GB},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        machine m = machine_of(rows[i].machine);
        const double bps = orr_topology_ring(m.t, set_of(rows[i].gpus));
        if (bps != rows[i].bps)
            fail_msg("%s %s: %g", rows[i].machine, rows[i].gpus, bps);
        machine_free(m);
    }
}

/* All cycles over a set, each once, as sets of edges; then the largest number of them that fit beside each other. */
typedef struct cycles {
    const orr_topology *t;
    int gpus[8], n, path[8];
    uint8_t left[8][8];
    int found[3000][8], count;
} cycles;

static void list_cycles(cycles *c, int length, unsigned used)
{
    if (length == c->n) {
        if (c->path[1] < c->path[c->n - 1]) {
            for (int i = 0; i < c->n; i++)
                c->found[c->count][i] = c->path[i];
            c->count++;
        }
        return;
    }
    for (int v = 1; v < c->n; v++) {
        if (used >> v & 1)
            continue;
        c->path[length] = v;
        list_cycles(c, length + 1, used | 1u << v);
    }
}

static bool step_cycle(cycles *c, const int *path, int by)
{
    bool fits = true;
    for (int i = 0; i < c->n; i++) {
        const int a = path[i], b = path[(i + 1) % c->n];
        fits = fits && (by < 0 || c->left[a][b] > 0);
    }
    for (int i = 0; i < c->n && fits; i++) {
        const int a = path[i], b = path[(i + 1) % c->n];
        c->left[a][b] = c->left[b][a] = (uint8_t)(c->left[a][b] - by);
    }
    return fits;
}

static int most_beside(cycles *c, int from)
{
    int best = 0;
    for (int i = from; i < c->count; i++) {
        if (!step_cycle(c, c->found[i], 1))
            continue;
        const int more = 1 + most_beside(c, i);
        step_cycle(c, c->found[i], -1);
        best = more > best ? more : best;
    }
    return best;
}

static double narrowest(const cycles *c, const int *path)
{
    double rate = orr_topology_bps(c->t, c->gpus[path[c->n - 1]], c->gpus[path[0]]);
    for (int i = 0; i + 1 < c->n; i++) {
        const double step = orr_topology_bps(c->t, c->gpus[path[i]], c->gpus[path[i + 1]]);
        rate = step < rate ? step : rate;
    }
    return rate;
}

static double ring_by_enumeration(const orr_topology *t, uint64_t set)
{
    static cycles c; /* a table, filled anew each time */
    c.t = t;
    c.n = c.count = 0;
    for (uint64_t m = set; m; m &= m - 1)
        c.gpus[c.n++] = orr_lowest_bit(m);
    for (int a = 0; a < c.n; a++)
        for (int b = 0; b < c.n; b++)
            c.left[a][b] = t->wiring.nvlinks ? t->wiring.nvlinks[c.gpus[a] * t->spec->gpus + c.gpus[b]] : 0;
    c.path[0] = 0;
    list_cycles(&c, 1, 1);
    double best = 2 * most_beside(&c, 0) * t->wiring.nvlink_bps;
    for (int i = 0; i < c.count; i++)
        best = narrowest(&c, c.found[i]) > best ? narrowest(&c, c.found[i]) : best;
    return best;
}

static void rings_by_enumeration(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "dgx1-v100", "dgx1-p100", "dgx-a100", "gpus=6,sockets=2,pcie_bw=12GB/s,socket_bw=6GB/s",
        "gpus=8,sockets=2,nvlink=pairs,nvlinks=4,nvlink_bw=12GB/s,pcie_switches=2,pcie_bw=24GB/s,socket_bw=10GB/s"};
    for (size_t i = 0; i < COUNT(machines); i++) {
        machine m = machine_of(machines[i]);
        for (uint64_t set = 1; set <= m.t->all; set++) {
            if (orr_bit_count(set) < 3)
                continue;
            const double got = orr_topology_ring(m.t, set), want = ring_by_enumeration(m.t, set);
            if (got != want)
                fail_msg("%s %#llx: %g, not %g", machines[i], (unsigned long long)set, got, want);
        }
        machine_free(m);
    }
}

/* ---- the best of the free ones ---- */

/* On an idle V100 mesh pairs are taken in this order, all of them with two links: 2-3 leaves the other socket and
 * three switches whole, 0-3 but two; then 6-7 for the same reason; then 0-4 and 1-5, the doubles that are left. Four
 * get a quad; one GPU goes where a switch is broken already. */
static void the_best_of_a_dgx1(void **state)
{
    (void)state;
    static const struct {
        const char *free;
        int32_t count;
        const char *best;
    } rows[] = {
        {"01234567", 2, "23"},
        {"014567", 2, "67"},
        {"0145", 2, "04"},
        {"15", 2, "15"},
        {"01234567", 4, "0123"},
        {"1234567", 4, "4567"},
        {"01234567", 1, "0"},
        {"1234567", 1, "1"},
        {"01234567", 8, "01234567"},
        {"0145", 1, "0"},
        {"045", 1, "0"},
        {"045", 2, "04"},
        {"0123", 5, ""},
        {"", 1, ""},
        {"2467", 2, "47"},
    };
    machine m = machine_of("dgx1-v100");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t got = orr_topology_best(m.t, set_of(rows[i].free), rows[i].count);
        if (got != set_of(rows[i].best) || got != orr_topology_best(m.t, set_of(rows[i].free), rows[i].count))
            fail_msg("%d of %s: %#llx", rows[i].count, rows[i].free, (unsigned long long)got);
    }
    machine_free(m);
}

/* Nobody finds a faster ring among the free ones, whatever is free. */
static void nothing_beats_the_best(void **state)
{
    (void)state;
    static const char *const machines[] = {"dgx1-v100", "dgx-a100", "p3.8xlarge"};
    for (size_t i = 0; i < COUNT(machines); i++) {
        machine m = machine_of(machines[i]);
        for (uint64_t free = 1; free <= m.t->all; free++)
            for (uint64_t set = free; set; set = (set - 1) & free) {
                const uint64_t best = orr_topology_best(m.t, free, orr_bit_count(set));
                if (best & ~free || orr_bit_count(best) != orr_bit_count(set) ||
                    orr_topology_ring(m.t, set) > orr_topology_ring(m.t, best))
                    fail_msg("%s, free %#llx: %#llx beats %#llx", machines[i], (unsigned long long)free,
                             (unsigned long long)set, (unsigned long long)best);
            }
        machine_free(m);
    }
}

/* Sixteen GPUs behind NVSwitches, two a PCIe switch, eight a socket: what is broken already is used first. */
static void large_nodes_break_few_islands(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *free;
        int32_t count;
        const char *best;
    } rows[] = {
        {"dgx2", "0123456789abcdef", 2, "01"},
        {"dgx2", "123456789abcdef", 1, "1"},
        {"dgx2", "123456789abcdef", 2, "23"},
        {"dgx2", "123456789abcdef", 8, "89abcdef"},
        {"dgx2", "123456789abcdef", 7, "1234567"},
        {"dgx2", "0289abcdef", 2, "02"},
        {"dgx2", "123456789abcdef", 9, "189abcdef"},
        {"p2.16xlarge", "13456789abcdef", 2, "45"},
        {"p2.16xlarge", "123", 2, "23"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        machine m = machine_of(rows[i].machine);
        const uint64_t got = orr_topology_best(m.t, set_of(rows[i].free), rows[i].count);
        if (got != set_of(rows[i].best))
            fail_msg("%s, %d of %s: %#llx", rows[i].machine, rows[i].count, rows[i].free, (unsigned long long)got);
        machine_free(m);
    }
}

/* Ten GPUs as two NVLinked groups of five: a set grows within one. */
static void a_large_mesh_grows_from_its_best_pair(void **state)
{
    (void)state;
    orr_wiring wiring = {.nvlink_bps = 10 * GB, .pcie_bps = 1 * GB};
    uint8_t links[100] = {0};
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 10; b++)
            links[a * 10 + b] = a != b && a % 2 == b % 2;
    links[7 * 10 + 9] = links[9 * 10 + 7] = 3;
    wiring.nvlinks = links;
    orr_node_spec spec = orr_node_spec_default();
    spec.gpus = 10;
    spec.wiring = &wiring;
    orr_topology *t = orr_topology_create(&spec);
    assert_int_equal(orr_topology_best(t, t->all, 2), set_of("79"));
    assert_int_equal(orr_topology_best(t, t->all, 5), set_of("13579"));
    assert_true(orr_topology_ring(t, set_of("13579")) == 10 * GB);
    assert_true(orr_topology_ring(t, set_of("012")) == 1 * GB);
    orr_topology_destroy(t);
}

static void alike_is_what_has_the_same_links(void **state)
{
    (void)state;
    machine a = machine_of("dgx1-v100"), b = machine_of("p3.16xlarge"), c = machine_of("8x8-v100"),
            d = machine_of("gpus=8,sockets=2");
    assert_true(orr_topology_fits(a.t, orr_cluster_spec_node(c.spec, 5)));
    assert_false(orr_topology_fits(a.t, orr_cluster_spec_node(b.spec, 0)));
    assert_false(orr_topology_fits(a.t, orr_cluster_spec_node(d.spec, 0)));
    assert_true(orr_topology_fits(d.t, orr_cluster_spec_node(d.spec, 0)));
    machine_free(a), machine_free(b), machine_free(c), machine_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_gpus_of_a_dgx1),
        cmocka_unit_test(levels_without_nvlink),
        cmocka_unit_test(what_is_not_stated_is_not_known),
        cmocka_unit_test(rings_by_hand),
        cmocka_unit_test(rings_by_enumeration),
        cmocka_unit_test(the_best_of_a_dgx1),
        cmocka_unit_test(nothing_beats_the_best),
        cmocka_unit_test(large_nodes_break_few_islands),
        cmocka_unit_test(a_large_mesh_grows_from_its_best_pair),
        cmocka_unit_test(alike_is_what_has_the_same_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
