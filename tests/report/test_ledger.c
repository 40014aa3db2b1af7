/* Who holds which GPU, against counting anew; and room for gangs, against trying. */
#include "base/rng.h"
#include "report/ledger.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { JOBS = 40 };

static const orr_log_nodes runs[] = {
    {.count = 2, .gpus = 4, .type = "V100", .vc = "red", .rack = "", .name = ""},
    {.count = 2, .gpus = 8, .type = "A100", .vc = "blue", .rack = "", .name = ""},
    {.count = 1, .gpus = 2, .type = "V100", .vc = "red", .rack = "", .name = ""},
};
static const orr_log_header header = {.jobs = JOBS, .nodes = runs, .node_runs = 3};

static void marks(void **state)
{
    static const struct {
        int32_t pool;
        const char *types;
        int64_t gpus;
        int32_t widest;
    } rows[] = {{-1, "", 26, 8}, {0, "", 10, 4}, {1, "", 16, 8},      {-1, "V100", 10, 4},
                {0, "A100", 0, 0}, {-1, "A100|V100", 26, 8}, {-1, "V10", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_ledger l;
        orr_ledger_init(&l, &header);
        orr_ledger_mark(&l, rows[i].pool, rows[i].types, 1, 1000);
        assert_int_equal(l.gpus, rows[i].gpus);
        assert_int_equal(l.free, rows[i].gpus);
        assert_int_equal(l.widest, rows[i].widest);
        orr_ledger_fini(&l);
    }
}

/* A gang on nodes of 8: 12 needs one whole node and a node with 4 free. */
static void gangs(void **state)
{
    orr_ledger l;
    (void)state;
    orr_ledger_init(&l, &header);
    orr_ledger_mark(&l, 1, "", 16, 1000);
    assert_true(orr_ledger_fits(&l, 16));
    assert_false(orr_ledger_fits(&l, 17));
    orr_ledger_give(&l, 0, &(orr_log_slice){.node = 2, .milli = 1000, .gpus = 0x1f}, 1); /* 3 and 8 are left */
    assert_true(orr_ledger_fits(&l, 11));
    assert_false(orr_ledger_fits(&l, 12));
    orr_ledger_give(&l, 1, &(orr_log_slice){.node = 3, .milli = 1000, .gpus = 0x1}, 1); /* 3 and 7 */
    assert_true(orr_ledger_fits(&l, 7));
    assert_false(orr_ledger_fits(&l, 8)); /* 10 are free, but no node has 8 */
    assert_int_equal(l.free, 10);
    assert_int_equal(l.running, 2);
    orr_ledger_fini(&l);
}

/* A job saves on GPUs that another was given already: its leaving gives back only the others. */
static void handed_over(void **state)
{
    orr_ledger l;
    (void)state;
    orr_ledger_init(&l, &header);
    orr_ledger_mark(&l, -1, "", 1, 1000);
    orr_ledger_give(&l, 0, &(orr_log_slice){.node = 0, .milli = 1000, .gpus = 0xf}, 1);
    orr_ledger_save(&l, 0);
    orr_ledger_give(&l, 1, &(orr_log_slice){.node = 0, .milli = 1000, .gpus = 0x3}, 1);
    assert_int_equal(l.free, 22);
    orr_ledger_take(&l, 0);
    assert_int_equal(l.free, 24);
    orr_ledger_take(&l, 1);
    assert_int_equal(l.free, 26);
    orr_ledger_fini(&l);
}

/* Parts of GPUs: three holders of one, of which one saves and gives way; and a node that goes down. */
static void parts(void **state)
{
    orr_ledger l;
    (void)state;
    orr_ledger_init(&l, &header);
    orr_ledger_mark(&l, 0, "", 1, 600); /* nodes 0, 1 of 4 GPUs and 4 of 2 */
    assert_int_equal(l.fitting, 3);
    assert_int_equal(l.left, 10000);
    orr_ledger_give(&l, 0, &(orr_log_slice){.node = 4, .milli = 300, .gpus = 3}, 1);
    assert_true(l.fitting == 3 && l.left == 9400 && l.free == 8 && l.held == 2); /* 700 of each are left */
    orr_ledger_give(&l, 1, &(orr_log_slice){.node = 4, .milli = 200, .gpus = 3}, 1);
    assert_true(l.fitting == 2 && l.left == 9000 && l.free == 8);
    orr_ledger_save(&l, 0);
    orr_ledger_give(&l, 2, &(orr_log_slice){.node = 4, .milli = 700, .gpus = 1}, 1); /* 0 gives way on GPU 0 */
    assert_int_equal(l.left, 8000 + 100 + 500);
    orr_ledger_take(&l, 0);
    assert_int_equal(l.left, 8000 + 100 + 800);
    assert_int_equal(l.fitting, 3);
    orr_ledger_node_is(&l, 0, 0, false);
    assert_true(l.fitting == 2 && l.left == 4900 && l.free == 4);
    orr_ledger_node_is(&l, 1, 15, false); /* drains */
    assert_true(l.fitting == 1 && l.left == 900 && l.free == 0 && l.held == 2);
    assert_true(orr_ledger_has_free(&l, 1) && orr_ledger_has_room(&l, 1));
    orr_ledger_give(&l, 3, &(orr_log_slice){.node = 4, .milli = 300, .gpus = 2}, 1);
    assert_true(orr_ledger_has_free(&l, 1) && !orr_ledger_has_room(&l, 1)); /* 100 and 500 */
    assert_false(orr_ledger_has_free(&l, 2));
    orr_ledger_node_is(&l, 0, 1, true); /* one GPU of it is back */
    assert_true(orr_ledger_has_room(&l, 1) && l.free == 1);
    orr_ledger_fini(&l);
}

/* By the holdings, of which those that save may have lost some. */
static int32_t used_of(const orr_ledger *l, int64_t node, int32_t gpu)
{
    int32_t used = 0;
    for (uint32_t job = 0; job < JOBS; job++)
        for (int32_t i = 0; i < l->holdings[job].n; i++)
            if (l->holdings[job].slices[i].node == node && l->holdings[job].slices[i].gpus >> gpu & 1)
                used += l->holdings[job].slices[i].milli;
    return used;
}

static int64_t free_of(const orr_ledger *l, int64_t node)
{
    int64_t n = 0;
    for (int32_t g = 0; g < l->nodes[node].gpus; g++)
        n += used_of(l, node, g) == 0;
    return n;
}

/* The largest nodes are those of the A100s, so few nodes are: as many whole ones as go in, and one for the rest. */
static bool fits_slowly(const orr_ledger *l, int32_t gpus)
{
    int32_t whole = gpus / l->widest, rest = gpus % l->widest;
    bool for_rest = rest == 0;
    for (int64_t i = 0; i < l->node_count; i++) {
        const int64_t n = free_of(l, i);
        if (whole > 0 && n == l->widest)
            whole--;
        else if (!for_rest && n >= rest)
            for_rest = true;
    }
    return whole == 0 && for_rest;
}

static void random_steps(void **state)
{
    orr_ledger l;
    uint64_t seed = 1;
    (void)state;
    orr_ledger_init(&l, &header);
    orr_ledger_mark(&l, -1, "", 1, 1000);
    for (int step = 0; step < 4000; step++) {
        seed = orr_mix64(seed + 1);
        const uint32_t job = (uint32_t)(seed % JOBS);
        const int32_t node = (int32_t)(seed >> 8) & 3;
        const uint64_t all = (UINT64_C(1) << l.nodes[node].gpus) - 1, wanted = seed >> 20 & all;
        if (seed >> 60 < 2)
            orr_ledger_save(&l, job);
        else if (seed >> 60 < 8 && wanted)
            orr_ledger_give(&l, job, &(orr_log_slice){.node = node, .milli = 1000, .gpus = wanted}, 1);
        else
            orr_ledger_take(&l, job);
        int64_t all_free = 0;
        for (int64_t i = 0; i < l.node_count; i++) {
            assert_int_equal(l.nodes[i].free, free_of(&l, i));
            all_free += free_of(&l, i);
        }
        assert_int_equal(l.free, all_free);
        for (int32_t gang = 1; gang <= 26; gang++)
            assert_int_equal(orr_ledger_fits(&l, gang), gang <= all_free && fits_slowly(&l, gang));
    }
    orr_ledger_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks), cmocka_unit_test(gangs), cmocka_unit_test(handed_over), cmocka_unit_test(parts),
                                       cmocka_unit_test(random_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
