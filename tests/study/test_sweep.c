/* Sweeps that are run: what a folder holds, and that a cell is never lost or run twice. */
#define _XOPEN_SOURCE 700
#include "study/sweep.h"

#include "study/shard.h"
#include "study/sweep_report.h"
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "schema: orrery.sweep/1\n"
                           "base: {trace: " ORR_SOURCE_DIR "/traces/tiny.csv, cluster: \"nodes=1,gpus=4\"}\n"
                           "grid:\n  policy: [fifo, srtf]\n  scale-load: [1, 2]\n  seed: 1..3\n"
                           "baseline: {policy: fifo}\n";

static char scratch[64];

static int make_scratch(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/orrery-sweep-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int drop(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static int drop_scratch(void **state)
{
    (void)state;
    return nftw(scratch, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void in_scratch(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", scratch, name);
}

static orr_sweep_plan *plan_of(const char *yaml)
{
    orr_error e = {0};
    orr_sweep_plan *plan = orr_sweep_plan_read("sweep.yaml", yaml, strlen(yaml), &e);
    if (!plan)
        fail_msg("%d:%d: %s", e.line, e.column, e.message);
    return plan;
}

/* Stops after some cells. */
static bool up_to(void *self, const orr_sweep_progress *p)
{
    const size_t *most = self;
    return p->done < *most;
}

static orr_sweep_progress run(const char *yaml, const char *dir, int jobs, size_t most, orr_err want)
{
    orr_error e = {0};
    orr_sweep_plan *plan = plan_of(yaml);
    const orr_sweep_options options = {.dir = dir, .jobs = jobs, .self = &most, .tick = up_to};
    orr_sweep *sweep = orr_sweep_create(plan, &options, &e);
    if (!sweep)
        fail_msg("%s: %s", e.file, e.message);
    const orr_err err = orr_sweep_run(sweep, &e);
    if (err != want)
        fail_msg("%s: %s", orr_err_name(err), e.message);
    const orr_sweep_progress progress = *orr_sweep_progress_of(sweep);
    if (!err) {
        orr_sweep_results r;
        assert_int_equal(orr_sweep_results_load(plan, orr_sweep_cells(sweep), &r, &e), ORR_OK);
        assert_int_equal(orr_sweep_write(dir, plan, &r, &e), ORR_OK);
        orr_sweep_results_fini(&r);
    }
    orr_sweep_destroy(sweep);
    orr_sweep_plan_destroy(plan);
    return progress;
}

static void assert_same(const char *a, const char *b)
{
    static const char *const names[] = {"sweep.json", "cells.jsonl", "cells.csv", "stats.csv", "report.md"};
    char command[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(command, sizeof command, "cmp %s/%s %s/%s", a, names[i], b, names[i]);
        if (system(command))
            fail_msg("%s", command);
    }
    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = \"$(ls -A %s)\"", a, b);
    assert_int_equal(system(command), 0);
}

static void nothing_depends_on_how_many_run(void **state)
{
    (void)state;
    char one[128], many[128];
    in_scratch("one", one);
    in_scratch("many", many);
    assert_int_equal(run(text, one, 1, 100, ORR_OK).done, 12);
    assert_int_equal(run(text, many, 5, 100, ORR_OK).done, 12);
    assert_same(one, many);
}

static void what_is_finished_is_not_run_again(void **state)
{
    (void)state;
    char whole[128], parts[128];
    in_scratch("whole", whole);
    in_scratch("parts", parts);
    run(text, whole, 1, 100, ORR_OK);
    size_t there = 0;
    for (int i = 0; i < 4; i++) {
        const orr_sweep_progress p = run(text, parts, 1, 2, ORR_E_INTERRUPTED);
        assert_int_equal(p.found, there);
        there += p.done;
        assert_int_equal(there, 2 * (i + 1));
    }
    assert_int_equal(run(text, parts, 1, 100, ORR_OK).done, 4);
    assert_same(whole, parts);
    assert_int_equal(run(text, parts, 1, 100, ORR_OK).done, 0);
    assert_same(whole, parts);
}

static orr_err refusal(const char *yaml, const char *dir, bool force, orr_error *e)
{
    orr_sweep_plan *plan = plan_of(yaml);
    const orr_sweep_options options = {.dir = dir, .force = force};
    orr_sweep *sweep = orr_sweep_create(plan, &options, e);
    orr_sweep_destroy(sweep);
    orr_sweep_plan_destroy(plan);
    return sweep ? ORR_OK : e->code;
}

/* What is asked of the numbers may change, what decides them may not. */
static void another_plan_is_refused(void **state)
{
    (void)state;
    char dir[128], other[1000];
    orr_error e = {0};
    in_scratch("dir", dir);
    run(text, dir, 2, 100, ORR_OK);
    snprintf(other, sizeof other, "%smetrics: [jct.max]\nname: seen otherwise\n", text);
    assert_int_equal(run(other, dir, 2, 100, ORR_OK).done, 0);
    snprintf(other, sizeof other, "%sexclude: [{seed: 2}]\n", text);
    assert_int_equal(refusal(other, dir, false, &e), ORR_E_NOT_COMPARABLE);
    assert_non_null(strstr(e.message, "other cells are left out"));
    e = (orr_error){0};
    assert_int_equal(refusal(other, dir, true, &e), ORR_OK);
    assert_int_equal(run(other, dir, 2, 100, ORR_OK).done, 8);
}

static void another_input_is_refused(void **state)
{
    (void)state;
    char dir[128], trace[128], yaml[1000], command[400];
    orr_error e = {0};
    in_scratch("dir", dir);
    in_scratch("t.csv", trace);
    snprintf(command, sizeof command, "cp %s/traces/tiny.csv %s", ORR_SOURCE_DIR, trace);
    assert_int_equal(system(command), 0);
    snprintf(yaml, sizeof yaml,
             "schema: orrery.sweep/1\nbase: {trace: %s, cluster: \"nodes=1,gpus=4\"}\ngrid: {policy: [fifo, srtf]}\n",
             trace);
    run(yaml, dir, 1, 100, ORR_OK);
    snprintf(command, sizeof command, "echo '# more' >>%s", trace);
    assert_int_equal(system(command), 0);
    assert_int_equal(refusal(yaml, dir, false, &e), ORR_E_NOT_COMPARABLE);
    assert_non_null(strstr(e.message, "contents of its inputs"));
}

static void wrong_words_are_found_before_anything_runs(void **state)
{
    (void)state;
    static const struct {
        const char *grid;
        orr_err code;
        int line;
    } rows[] = {
        {"grid:\n  policy: [fifo,\n    fifi]\n", ORR_E_UNKNOWN_POLICY, 5},
        {"grid:\n  policy: [\"las,quantumm=3\"]\n", ORR_E_UNKNOWN_KNOB, 4},
        {"grid:\n  seed: 1..2\n  costs: [zero, nix]\n", ORR_E_BAD_VALUE, 5},
        {"grid:\n  seed: 1..2\n  clock: [round=0]\n", ORR_E_BAD_VALUE, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[600];
        orr_error e = {0};
        snprintf(yaml, sizeof yaml, "schema: orrery.sweep/1\nbase: {trace: nix.csv, cluster: \"nodes=1\"}\n%s",
                 rows[i].grid);
        const orr_err err = refusal(yaml, NULL, false, &e);
        if (err != rows[i].code || e.line != rows[i].line)
            fail_msg("%s: %d:%d: %s [%s]", rows[i].grid, e.line, e.column, e.message, orr_err_name(err));
    }
}

static void run_shard(const char *dir, size_t shard, size_t shards)
{
    orr_error e = {0};
    orr_sweep_plan *plan = plan_of(text);
    const orr_sweep_options options = {.dir = dir, .jobs = 1, .shard = shard, .shards = shards};
    orr_sweep *sweep = orr_sweep_create(plan, &options, &e);
    if (!sweep || orr_sweep_run(sweep, &e))
        fail_msg("%s", e.message);
    orr_sweep_destroy(sweep);
    orr_sweep_plan_destroy(plan);
}

static orr_err merge(const char *const *dirs, size_t n, const char *out, orr_error *e)
{
    orr_sweep_plan *plan = NULL;
    orr_cells *cells = NULL;
    *e = (orr_error){0};
    const orr_err err = orr_shards_merge(dirs, n, out, false, &plan, &cells, e);
    if (!err) {
        orr_sweep_results r;
        assert_int_equal(orr_sweep_results_load(plan, cells, &r, e), ORR_OK);
        assert_int_equal(orr_sweep_write(out, plan, &r, e), ORR_OK);
        orr_sweep_results_fini(&r);
    }
    orr_cells_close(cells);
    orr_sweep_plan_destroy(plan);
    return err;
}

static void shards_join_to_the_whole(void **state)
{
    (void)state;
    char whole[128], joined[128], paths[5][128];
    const char *dirs[5] = {paths[0], paths[1], paths[2], paths[3], paths[4]};
    orr_error e;
    in_scratch("whole", whole);
    in_scratch("joined", joined);
    run(text, whole, 2, 100, ORR_OK);
    for (size_t i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%zu", i + 1);
        in_scratch(name, paths[i]);
        run_shard(dirs[i], i + 1, 5);
    }
    assert_int_equal(merge(dirs, 4, joined, &e), ORR_E_NOT_COMPARABLE);
    assert_string_equal(e.message, "2 of 12 cells are missing: 5, 10");
    assert_int_equal(merge(dirs, 5, joined, &e), ORR_OK);
    assert_same(whole, joined);
    assert_int_equal(merge(dirs, 5, joined, &e), ORR_OK);
    assert_same(whole, joined);
}

static void shards_of_two_plans_do_not_join(void **state)
{
    (void)state;
    char a[128], b[128], out[128], other[1000];
    const char *dirs[2] = {a, b};
    orr_error e;
    in_scratch("a", a);
    in_scratch("b", b);
    in_scratch("out", out);
    snprintf(other, sizeof other, "%sexclude: [{seed: 2}]\n", text);
    run(text, a, 2, 100, ORR_OK);
    run(other, b, 2, 100, ORR_OK);
    assert_int_equal(merge(dirs, 2, out, &e), ORR_E_NOT_COMPARABLE);
    assert_string_equal(e.file, b);
    assert_int_not_equal(access(out, F_OK), 0);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, drop_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(nothing_depends_on_how_many_run),
        IN_SCRATCH(what_is_finished_is_not_run_again),
        IN_SCRATCH(another_plan_is_refused),
        IN_SCRATCH(another_input_is_refused),
        IN_SCRATCH(wrong_words_are_found_before_anything_runs),
        IN_SCRATCH(shards_join_to_the_whole),
        IN_SCRATCH(shards_of_two_plans_do_not_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
