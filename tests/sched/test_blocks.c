/* Jobs on blocks of powers of two: where they go, and who moves for them. */
#define ORR_BUILTIN /* the modules are registered by hand */
#include "../sim/stage.h"

#include <orrery/blocks.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What is asked, a decision a second: GPUs of the jobs A, B, C, … */
enum { ASKS = 6, STEPS = 4 };
typedef int32_t ask_table[STEPS][ASKS];
static const ask_table *asked;
static bool fixed;
static char where[STEPS][256];

static size_t all_jobs(orr_ctx *ctx, orr_job *out[ASKS])
{
    size_t n = 0;
    for (int32_t g = 0; g < orr_groups_seen(ctx); g++) {
        orr_job *const *jobs;
        if (orr_group_jobs(ctx, g, &jobs) > 0)
            out[n++] = jobs[0];
    }
    return n;
}

/* "A0:3 B1:15": node and mask. */
static void describe(const orr_plan *plan, const orr_job *job, char text[256])
{
    const orr_alloc *held = orr_plan_held(plan, job);
    for (int32_t i = 0; held && i < orr_alloc_nodes(held); i++)
        snprintf(text + strlen(text), 256 - strlen(text), "%s%s%d:%llu", text[0] ? " " : "", orr_job_id(job),
                 orr_alloc_slices(held)[i].node, (unsigned long long)orr_alloc_slices(held)[i].gpus);
}

static orr_err grant(orr_ctx *ctx, orr_plan *plan)
{
    int32_t *step = orr_state(ctx);
    orr_job *jobs[ASKS];
    orr_block_ask asks[ASKS];
    const size_t n = *step < STEPS ? all_jobs(ctx, jobs) : 0;
    if (n == 0 || orr_now(ctx) < *step * ORR_SECOND)
        return ORR_OK;
    for (size_t i = 0; i < n; i++)
        asks[i] = (orr_block_ask){jobs[i], (*asked)[*step][i], fixed};
    const orr_err err = orr_plan_blocks(plan, (orr_scope){.vc = -1}, asks, n);
    for (size_t i = 0; i < n; i++)
        describe(plan, jobs[i], where[*step]);
    ++*step;
    orr_trigger_period(ctx, ORR_SECOND, 0);
    return err;
}

static const orr_policy policy = {.summary = "asks for blocks", .state_size = sizeof(int32_t), .schedule = grant, .placer = "first-fit"};

static stage *laid(const char *cluster, const ask_table *table, int jobs)
{
    stage *s = stage_create(cluster);
    for (int i = 0; i < jobs; i++) {
        char id[2] = {(char)('A' + i), '\0'};
        orr_trace_job job = stage_job(id, 0, 1, 1000);
        job.max_gpus = 16;
        stage_add(s, job);
    }
    memset(where, 0, sizeof where);
    asked = table;
    stage_policy(s, &policy);
    s->options.until = 4500 * ORR_MS;
    assert_int_equal(stage_try(s), ORR_OK);
    assert_int_equal(s->counts.violations, 0);
    return s;
}

/* Two nodes of four. The widest first; then B grows where it is, C goes, and A has a whole block all the same. */
static void the_widest_first(void **unused)
{
    (void)unused;
    fixed = false;
    const ask_table table = {{1, 1, 4}, {1, 2, 4}, {2, 2, 4}, {4, 4, 0}};
    stage *s = laid("nodes=2,gpus=4", &table, 3);
    assert_string_equal(where[0], "A1:1 B1:2 C0:15");
    assert_string_equal(where[1], "A1:1 B1:12 C0:15");
    assert_string_equal(where[2], "A1:3 B1:12 C0:15");
    assert_string_equal(where[3], "A1:15 B0:15");
    stage_destroy(s);
}

/* A and C are left on one node each; D wants a whole one: A or C moves. If they must not, D is split. */
static void who_is_in_the_way_moves(void **unused)
{
    (void)unused;
    fixed = false;
    const ask_table table = {{2, 2, 2, 0}, {2, 0, 2, 0}, {2, 0, 2, 4}, {2, 0, 2, 4}};
    stage *s = laid("nodes=2,gpus=4", &table, 4);
    assert_string_equal(where[0], "A0:3 B0:12 C1:3");
    assert_string_equal(where[1], "A0:3 C1:3");
    assert_string_equal(where[2], "A1:12 C1:3 D0:15");
    assert_string_equal(where[3], where[2]);
    stage_destroy(s);
    fixed = true;
    s = laid("nodes=2,gpus=4", &table, 4);
    assert_string_equal(where[2], "A0:3 C1:3 D0:12 D1:12");
    stage_destroy(s);
}

/* Eight are two nodes, three are a block of two and one. */
static void other_numbers(void **unused)
{
    (void)unused;
    fixed = false;
    const ask_table table = {{8, 3, 1}, {8, 3, 0}, {8, 0, 4}, {8, 0, 4}};
    stage *s = laid("nodes=3,gpus=4", &table, 3);
    assert_string_equal(where[0], "A0:15 A1:15 B2:7 C2:8");
    assert_string_equal(where[1], "A0:15 A1:15 B2:7");
    assert_string_equal(where[2], "A0:15 A1:15 C2:15");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_first),
        cmocka_unit_test(who_is_in_the_way_moves),
        cmocka_unit_test(other_numbers),
    };
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
