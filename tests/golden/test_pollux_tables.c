/* The tables of the Pollux simulator as applications: 300 lookups of times, 240 of statistics, its triangulations and the values that it
 * uses on faces; and what it knows of each application. */
#include "compare.h"

#include "base/mem.h"
#include "config/applications.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROOT "golden/pollux/"

/* With the simulator's triangulations, and with ours. */
static orr_applications *theirs, *ours;

static orr_applications *load(const char *settings)
{
    char folder[1024];
    orr_text text = {0};
    orr_error e = {0};
    if (!run_shared(folder, ROOT "inputs/traces"))
        return NULL;
    orr_text_addf(&text, "%s", folder);
    if (settings) {
        run_shared(folder, ROOT "unit");
        orr_text_addf(&text, ",%s%s", settings, folder);
    }
    orr_applications *all = orr_applications_load(text.at, &e);
    if (!all)
        fail_msg("%s: %s", text.at, e.message);
    orr_text_fini(&text);
    return all;
}

static int open_tables(void **state)
{
    (void)state;
    theirs = load("epochs=whole,mesh=");
    ours = load(NULL);
    return 0;
}

static int close_tables(void **state)
{
    (void)state;
    orr_applications_destroy(theirs);
    orr_applications_destroy(ours);
    return 0;
}

static table *cases(const char *name)
{
    char path[1024];
    if (theirs && run_shared(path, name))
        return table_read(path);
    golden_skipped("pollux tables", "the files are not here");
    skip();
    return NULL;
}

static double real(const table *t, size_t row, const char *column)
{
    return strtod(table_text(t, row, column), NULL);
}

static void close_to(double got, double wanted, double tolerance, const char *what, size_t row)
{
    if (!(fabs(got - wanted) <= tolerance * fabs(wanted)))
        fail_msg("%s, row %zu: %.17g, not %.17g", what, row, got, wanted);
}

/* "4-4-1" */
static orr_placement placement_of(const char *text)
{
    orr_placement p = {0};
    for (; *text; text += *text == '-') {
        char *end;
        p.at[p.nodes] = (int32_t)strtol(text, &end, 10);
        p.gpus += p.at[p.nodes++];
        text = end;
    }
    return p;
}

static void lookups(void **state)
{
    (void)state;
    size_t different = 0;
    table *t = cases(ROOT "unit/trace-throughput-cases.csv.gz");
    for (size_t i = 0; i < t->count; i++) {
        double step, sync;
        const char *name = table_text(t, i, "application");
        const orr_placement p = placement_of(table_text(t, i, "placement"));
        const int32_t local = (int32_t)table_number(t, i, "local_bsz");
        assert_true(orr_application_step(orr_applications_find(theirs, name), 0, &p, local, &step, &sync));
        const bool same = fabs(step - real(t, i, "step_time")) <= 1e-12 * step && fabs(sync - real(t, i, "sync_time")) <= 1e-12 * step;
        different += !same;
        if (!same)
            printf("%s %s %d: step %.17g, not %s; sync %.17g, not %s\n", name, table_text(t, i, "placement"), (int)local, step,
                   table_text(t, i, "step_time"), sync, table_text(t, i, "sync_time"));
    }
    printf("%zu of %zu lookups differ\n", different, t->count);
    assert_int_equal(different, 1); /* on a face whose neighbours do not agree: another may be theirs */
    table_free(t);
    golden_ran("pollux tables: lookups");
}

static void faces(void **state)
{
    (void)state;
    table *t = cases(ROOT "unit/interp-face-lookups.csv.gz");
    for (size_t i = 0; i < t->count; i++) {
        double step, sync;
        const orr_application *a = orr_applications_find(theirs, table_text(t, i, "application"));
        orr_placement p = {.nodes = (int32_t)table_number(t, i, "num_nodes"), .gpus = (int32_t)table_number(t, i, "num_replicas")};
        /* No placement that was measured looks like this: 9 more GPUs on one node. */
        p.at[0] = 10;
        assert_true(orr_application_step(a, 0, &p, (int32_t)table_number(t, i, "local_bsz"), &step, &sync));
        close_to(step, real(t, i, "step_time"), 0, "face", i);
        close_to(sync, real(t, i, "sync_time"), 0, "face", i);
    }
    table_free(t);
    golden_ran("pollux tables: faces");
}

/* Our triangulation has their tetrahedra, in their order. */
static void triangulations(void **state)
{
    (void)state;
    if (!theirs)
        skip();
    for (int32_t i = 0; i < orr_applications_count(theirs); i++) {
        const orr_steps *a = &orr_applications_at(theirs, i)->types.at[0], *b = &orr_applications_at(ours, i)->types.at[0];
        assert_int_equal(a->values.n, b->values.n);
        for (size_t k = 0; k < a->values.n; k++) {
            for (size_t d = 0; d < 3; d++)
                assert_true(a->places.at[3 * k + d] == b->places.at[3 * k + d]);
            close_to(b->values.at[k].step, a->values.at[k].step, 1e-12, "step of a point", k);
            close_to(b->values.at[k].sync, a->values.at[k].sync, 1e-12, "sync of a point", k);
        }
        assert_int_equal(orr_mesh_count(a->mesh), orr_mesh_count(b->mesh));
    }
    golden_ran("pollux tables: triangulations");
}

static void statistics(void **state)
{
    (void)state;
    table *t = cases(ROOT "unit/trace-stats-cases.csv.gz");
    for (size_t i = 0; i < t->count; i++) {
        const orr_application *a = orr_applications_find(ours, table_text(t, i, "application"));
        const int64_t batch = table_number(t, i, "batch_size");
        const int32_t epoch = (int32_t)table_number(t, i, "epoch");
        const orr_noise noise = orr_application_noise(a, epoch, batch);
        close_to(noise.sqr, real(t, i, "grad_sqr"), 1e-12, "sqr", i);
        close_to(noise.var, real(t, i, "grad_var"), 1e-12, "var", i);
        close_to(orr_application_iterations(a, epoch + 1, batch), real(t, i, "iterations_after_epoch"), 1e-12, "iterations", i);
        close_to(orr_application_progress(a, epoch), real(t, i, "progress_before_epoch"), 1e-12, "progress", i);
        assert_int_equal(orr_application_epochs(a), table_number(t, i, "completion_epoch") + 1);
    }
    table_free(t);
    golden_ran("pollux tables: statistics");
}

static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        orr_batch_limits limits;
        int32_t epochs;
        double progress;
    } known[] = {
        {"bert", {12, 384, 4, 12, true}, 2, 14774.0},          {"cifar10", {128, 4096, 32, 1024, true}, 100, 39062.9},
        {"ncf", {256, 32768, 32, 32768, true}, 10, 194174.0},  {"imagenet", {200, 12800, 20, 200, true}, 90, 576525.6},
        {"deepspeech2", {20, 640, 10, 80, true}, 80, 28536.0}, {"yolov3", {8, 512, 4, 8, true}, 50, 103444.0},
    };
    if (!ours)
        skip();
    assert_int_equal(orr_applications_count(ours), 6);
    for (size_t i = 0; i < 6; i++) {
        const orr_application *a = orr_applications_find(ours, known[i].name);
        const orr_batch_limits *l = orr_application_limits(a);
        assert_int_equal(l->initial, known[i].limits.initial);
        assert_int_equal(l->most, known[i].limits.most);
        assert_int_equal(l->local_least, known[i].limits.local_least);
        assert_int_equal(l->local_most, known[i].limits.local_most);
        assert_true(l->accumulates);
        assert_int_equal(orr_application_epochs(a), known[i].epochs);
        assert_true(fabs(orr_application_progress(a, known[i].epochs) - known[i].progress) < 0.06);
        assert_int_equal(orr_application_most_gpus(a), 64);
        assert_int_equal(orr_application_width(a), 4);
    }
    golden_ran("pollux tables: limits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups),    cmocka_unit_test(faces),  cmocka_unit_test(triangulations),
        cmocka_unit_test(statistics), cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, open_tables, close_tables);
}
