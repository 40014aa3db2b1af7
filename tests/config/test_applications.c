/* Files and folders of applications: what they say, worked out by hand, and what is refused with its place. */
#define _GNU_SOURCE
#include "config/applications.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "schema: orrery.applications/1\n"
#define BATCH "batch: {initial: 8, most: 64, local: [2, 16]}"

static orr_applications *read_text(const char *text, const char *folder, orr_error *e)
{
    static const orr_applications_wish nothing;
    orr_input *in = orr_input_memory("given", text, strlen(text));
    orr_applications *all = orr_applications_read(in, folder, &nothing, e);
    orr_input_close(in);
    return all;
}

static orr_applications *must_read(const char *text, const char *folder)
{
    orr_error e = {0};
    orr_applications *all = read_text(text, folder, &e);
    if (!all)
        fail_msg("%d:%d %s", e.line, e.column, e.message);
    return all;
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g, not %.17g", got, wanted);
}

static orr_placement on(int32_t nodes, const int32_t *gpus)
{
    orr_placement p = {.nodes = nodes};
    for (int32_t i = 0; i < nodes; i++)
        p.gpus += p.at[i] = gpus[i];
    return p;
}
#define ON(...) on((int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[]){__VA_ARGS__})

static void step_is(const orr_application *a, int32_t type, orr_placement shape, int32_t local, double wanted, double wanted_sync)
{
    double step, sync;
    if (!orr_application_step(a, type, &shape, local, &step, &sync))
        fail_msg("%d GPUs on %d nodes with %d can't run", (int)shape.gpus, (int)shape.nodes, (int)local);
    near(step, wanted);
    near(sync, wanted_sync);
}

static void no_step(const orr_application *a, int32_t type, orr_placement shape, int32_t local)
{
    double step, sync;
    assert_false(orr_application_step(a, type, &shape, local, &step, &sync));
}

/* ---- our own form ---- */

static void all_keys(void **state)
{
    (void)state;
    orr_applications *all = must_read(HEAD "name: two\n"
                                           "applications:\n"
                                           "  - model: b\n"
                                           "    batch: {initial: 8, most: 64, local: [2, 16], accumulates: off}\n"
                                           "    epochs: 4\n"
                                           "    progress: [10, 30, 60, 100]\n"
                                           "    noise: [{epoch: 1, scale: 16}, {epoch: 3, scale: 48}]\n"
                                           "    loss: {a: 0.5, b: 1, c: 0.25}\n"
                                           "    restart: 30s\n"
                                           "    most_gpus: 6\n"
                                           "    slowdown: 2\n"
                                           "    perf:\n"
                                           "      - {alpha_c: 1, beta_c: 0.25, alpha_n: 3, beta_n: 0.5, alpha_r: 1, beta_r: 0.5}\n"
                                           "      - {type: A100, width: 8, local_most: 32, alpha_c: 3, alpha_r: 4, gamma: 2}\n"
                                           "  - {model: a, " BATCH ", progress: 50, epochs: 2, perf: [{beta_c: 1}]}\n",
                                      "");
    const orr_application *b = orr_applications_find(all, "b"), *a = orr_applications_find(all, "a");
    assert_string_equal(orr_applications_name(all), "two");
    assert_int_equal(strlen(orr_applications_digest(all)), 64);
    assert_int_equal(orr_applications_count(all), 2);
    assert_ptr_equal(orr_applications_at(all, 0), a);
    assert_null(orr_applications_find(all, "c"));
    assert_null(orr_applications_find(all, NULL));
    assert_string_equal(orr_application_name(b), "b");

    const orr_batch_limits *l = orr_application_limits(b);
    assert_true(l->initial == 8 && l->most == 64 && l->local_least == 2 && l->local_most == 32 && !l->accumulates);
    assert_int_equal(orr_application_limits_on(b, 0, NULL).local_most, 16);
    assert_int_equal(orr_application_limits_on(b, 1, NULL).local_most, 32);
    assert_true(orr_application_limits(a)->accumulates);
    assert_int_equal(orr_application_most_gpus(b), 6);
    assert_int_equal(orr_application_most_gpus(a), 32); /* 64 / 2 */
    assert_int_equal(orr_application_width(b), 4);
    assert_int_equal(orr_application_restart(b), 30 * ORR_SECOND);
    assert_int_equal(orr_application_restart(a), ORR_TIME_NONE);

    assert_int_equal(orr_application_type(b, "a100"), 1);
    assert_int_equal(orr_application_type(b, "V100"), 0);
    assert_int_equal(orr_application_type(b, ""), 0);
    assert_int_equal(orr_application_type(a, "V100"), 0);
    /* Twice: 1 + 0.25 × 4, and 1 + 0.5 × (4 - 2) on one node, 3 + 1 on two; sqrt(3² + 4²), of which 3 are gradients. */
    step_is(b, 0, ON(4), 4, 8, 4);
    step_is(b, 0, ON(2, 2), 4, 12, 8);
    step_is(b, 1, ON(2), 32, 10, 4);
    no_step(b, 0, ON(4), 17);

    assert_int_equal(orr_application_epochs(b), 4);
    near(orr_application_progress(b, 3), 60);
    near(orr_application_progress(a, 1), 25);
    assert_true(orr_application_progress(b, 0) == 0);
    near(orr_application_noise(b, 0, 8).var, 2); /* of 16 samples, by a batch of 8 */
    near(orr_application_noise(b, 2, 64).var, 4);
    near(orr_application_noise(b, 3, 8).var, 6);
    near(orr_application_noise(a, 0, 8).var, 1);
    assert_true(orr_application_noise(a, 0, 8).sqr == 0);
    /* Of batches of 64, c = 8: gains (2 + 1) / (2 / 8 + 1) = 2.4 twice, (4 + 1) / (4 / 8 + 1) = 10 / 3, 7 / 1.75 = 4. */
    near(orr_application_iterations(b, 4, 64), 30 / 2.4 + 30 * 0.3 + 40 / 4.0);
    near(orr_application_iterations(a, 2, 64), 50 / 8.0);
    near(orr_application_loss(b, 2), 0.75);
    assert_true(orr_application_loss(a, 2) == -1);
    orr_applications_destroy(all);
}

static void refusals(void **state)
{
    (void)state;
#define PERF "perf: [{beta_c: 1}]"
    static const struct {
        const char *text;
        orr_err code;
        int line;
        const char *message;
    } rows[] = {
        {"schema: orrery.profiles/1\n", ORR_E_FORMAT, 1, "no file of applications"},
        {HEAD, ORR_E_EMPTY, 0, "no application"},
        {HEAD "aplications: []\n", ORR_E_UNKNOWN_KEY, 2, "aplications"},
        {HEAD "applications:\n  - {model: a, " PERF "}\n", ORR_E_SYNTAX, 3, "needs a 'batch'"},
        {HEAD "applications:\n  - {model: a, " BATCH "}\n", ORR_E_SYNTAX, 3, "needs 'perf'"},
        {HEAD "applications:\n  - {model: a, batch: {initial: 8, most: 4, local: [1, 2]}, " PERF "}\n", ORR_E_SYNTAX, 3, "'most'"},
        {HEAD "applications:\n  - {model: a, batch: {initial: 8, most: 8, local: [3, 2]}, " PERF "}\n", ORR_E_SYNTAX, 3, "least"},
        {HEAD "applications:\n  - {model: a, batch: {initial: 8, most: 8, local: 3}, " PERF "}\n", ORR_E_SYNTAX, 3, "two whole"},
        {HEAD "applications:\n  - {model: a, batch: {initial: 8, most: 8, local: [1, x]}, " PERF "}\n", ORR_E_SYNTAX, 3, "two whole"},
        {HEAD "applications:\n  - {model: a, " BATCH ", perf: [{alpha_n: 1}]}\n", ORR_E_SYNTAX, 3, "takes time"},
        {HEAD "applications:\n  - {model: a, " BATCH ", perf: [{beta_c: 1, gamma: 11}]}\n", ORR_E_NUMBER, 3, "gamma"},
        {HEAD "applications:\n  - {model: a, " BATCH ", perf: [{beta_c: 1}, {beta_c: 2}]}\n", ORR_E_SYNTAX, 3, "twice"},
        {HEAD "applications:\n  - {model: a, " BATCH ", perf: [{beta_c: 1, local_most: 1}]}\n", ORR_E_SYNTAX, 3, "less than the least"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", epochs: 2, progress: [1, 2, 3]}\n", ORR_E_SYNTAX, 3, "as many"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", epochs: 2, progress: [2, 2]}\n", ORR_E_SYNTAX, 3, "rise"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", progress: nan}\n", ORR_E_SYNTAX, 3, "rise"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", noise: [{epoch: 0, sqr: 1}]}\n", ORR_E_SYNTAX, 3, "noise"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", noise: [{scale: 1, sqr: 1, var: 1}]}\n", ORR_E_SYNTAX, 3, "noise"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", noise: [{scale: 1}, {scale: 2}]}\n", ORR_E_SYNTAX, 3, "ascend"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", loss: {a: 1, b: 0}}\n", ORR_E_SYNTAX, 3, "'b'"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF ", slowdown: 0}\n", ORR_E_NUMBER, 3, "slowdown"},
        {HEAD "applications:\n  - {model: a, " BATCH ", " PERF "}\n  - {model: a, " BATCH ", " PERF "}\n", ORR_E_SYNTAX, 4, "twice"},
        {HEAD "tables: x\n", ORR_E_OPEN, 2, "doesn't lie in one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_applications *all = read_text(rows[i].text, "", &e);
        if (all || e.code != rows[i].code || (int)e.line != rows[i].line || !strstr(e.message, rows[i].message))
            fail_msg("row %zu: code %d, line %d: %s", i, (int)e.code, (int)e.line, all ? "read" : e.message);
    }
}

/* ---- folders ---- */

static char folder[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int open_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/orrery-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static const char *at(const char *settings)
{
    static char text[256];
    snprintf(text, sizeof text, "%s%s", folder, settings);
    return text;
}

static orr_applications *must_load(const char *settings)
{
    orr_error e = {0};
    orr_applications *all = orr_applications_load(at(settings), &e);
    if (!all)
        fail_msg("%s: %s", settings, e.message);
    return all;
}

static void is_refused(const char *settings, orr_err code, const char *message)
{
    orr_error e = {0};
    orr_applications *all = orr_applications_load(at(settings), &e);
    if (all || e.code != code || !strstr(e.message, message))
        fail_msg("%s: code %d, %s", settings, (int)e.code, all ? "read" : e.message);
}

#define TIMES "placement,local_bsz,step_time,sync_time\n"
#define MORE "num_nodes,num_replicas,local_bsz,step_time,sync_time\n"
#define EPOCHS "progress,iteration,metric,grad_sqr,grad_var\n"

/* The placement 12 is 21 turned; two of the same nodes and GPUs are a mean for the mesh. */
static void write_tables(void)
{
    put("a/placements.csv", TIMES "1,4,1,0.25\n1,8,2,0.5\n112,4,3,1\n112,8,4,1\n12,4,2,1\n12,8,3,1\n22,4,2,1\n");
    put("a/scalability.csv", "sync_time,step_time,local_bsz,num_replicas,num_nodes\n2,7,4.0,8,4\n9,8,8.0,8,4\n");
    put("a/validation-8.csv", EPOCHS "50.0,50,0,2,4\n100.0,100,0,4,6\n");
    put("a/validation-24.csv", "iteration,progress,grad_var,grad_sqr\n20,52,8,4\n45,99,2,6\n");
    put("b/placements-rtx.csv", TIMES "8,8,10,1\n");
    put("b/placements-aws.csv", TIMES "4,4,20,40\n");
    put("b/validation-16.csv", EPOCHS "10,10,0,1,1\n");
    put("notes.csv", "nothing,of,interest\n");
}

static void tables(void **state)
{
    (void)state;
    write_tables();
    orr_applications *all = must_load(",work=own");
    assert_int_equal(orr_applications_count(all), 2);
    assert_true(orr_applications_own_work(all) && !orr_applications_whole_epochs(all));
    const orr_application *a = orr_applications_find(all, "a"), *b = orr_applications_find(all, "b");
    const orr_batch_limits *l = orr_application_limits(a);
    assert_true(l->initial == 8 && l->most == 24 && l->local_least == 4 && l->local_most == 8 && l->accumulates);
    assert_int_equal(orr_application_most_gpus(a), 8);
    assert_int_equal(orr_application_width(a), 2);

    step_is(a, 0, ON(1), 6, 1.5, 0.375);
    step_is(a, 0, ON(2, 1), 8, 3, 1);
    step_is(a, 0, ON(2, 1, 1), 6, 3.5, 1); /* 112 turned */
    no_step(a, 0, ON(1), 9);
    no_step(a, 0, ON(1), 3);
    no_step(a, 0, ON(2, 2), 8); /* only 4 were measured there */
    assert_int_equal(orr_application_limits_on(a, 0, &(orr_placement){2, 4, {2, 2}}).local_most, 4);
    step_is(a, 0, ON(2, 2, 2, 2), 4, 7, 2);
    step_is(a, 0, ON(2, 2, 2, 2), 8, 8, 0); /* 9 s aren't part of 8 */
    step_is(a, 0, ON(2, 2, 2, 1, 1), 6, 7.5, 1); /* more nodes than any: as on 4 */
    no_step(a, 0, ON(8, 8), 4);

    assert_int_equal(orr_application_epochs(a), 2);
    near(orr_application_progress(a, 1), 50);
    near(orr_application_progress(a, 2), 99);
    near(orr_application_noise(a, 0, 16).sqr, 3);
    near(orr_application_noise(a, 1, 12).var, 5);
    near(orr_application_noise(a, 1, 100).var, 2);
    near(orr_application_iterations(a, 2, 16), 72.5);
    assert_true(orr_application_iterations(a, 0, 16) == 0);

    assert_int_equal(orr_application_types(b), 2);
    assert_string_equal(orr_application_type_name(b, 0), "aws");
    assert_int_equal(orr_application_type(b, "RTX"), 1);
    assert_int_equal(orr_application_type(b, "dgx"), -1);
    step_is(b, 0, ON(4), 4, 20, 0);
    step_is(b, 1, ON(8), 8, 10, 1);
    no_step(b, -1, ON(8), 8);
    assert_true(orr_application_loss(b, 1) == -1);
    orr_applications_destroy(all);

    all = must_load(",type=rtx,epochs=whole");
    assert_int_equal(orr_applications_count(all), 1);
    assert_true(orr_applications_whole_epochs(all));
    assert_int_equal(orr_application_type(orr_applications_at(all, 0), "A100"), 0);
    orr_applications_destroy(all);
}

/* A file that refers to tables, and says what is different. */
static void tables_and_more(void **state)
{
    (void)state;
    write_tables();
    orr_applications *all = must_read(HEAD "tables: .\n"
                                           "gpu_types: {T4: rtx, V100: aws}\n"
                                           "applications:\n"
                                           "  - {model: b, restart: 80s, slowdown: 1.5, most_gpus: 3, batch: {local: [2, 6], most: 20}}\n"
                                           "  - {model: c, " BATCH ", " PERF "}\n",
                                      folder);
    const orr_application *b = orr_applications_find(all, "b");
    assert_int_equal(orr_applications_count(all), 3);
    assert_int_equal(orr_application_type(b, "T4"), 0);
    assert_int_equal(orr_application_type(b, "V100"), 1);
    assert_string_equal(orr_application_type_name(orr_applications_find(all, "a"), 0), "V100");
    step_is(b, 0, ON(8), 8, 15, 1.5);
    assert_int_equal(orr_application_restart(b), 80 * ORR_SECOND);
    assert_int_equal(orr_application_most_gpus(b), 3);
    const orr_batch_limits *l = orr_application_limits(b);
    assert_true(l->initial == 16 && l->most == 20 && l->local_least == 2 && l->local_most == 6);
    orr_applications_destroy(all);

    orr_error e = {0};
    assert_null(read_text(HEAD "tables: .\napplications:\n  - {model: b, epochs: 3}\n", folder, &e));
    assert_int_equal(e.code, ORR_E_SYNTAX);
    assert_int_equal(e.line, 4);
}

static void refused_tables(void **state)
{
    (void)state;
    write_tables();
    is_refused(",type=dgx", ORR_E_EMPTY, "no applications with GPUs of type dgx");
    is_refused(",types=dgx", ORR_E_BAD_VALUE, "types=dgx");
    is_refused(",work=mine", ORR_E_BAD_VALUE, "work=mine");
    is_refused(",mesh=/nowhere", ORR_E_OPEN, "interp-points-a.csv");
    assert_int_equal(unlink(at("/a/validation-8.csv")), 0);
    assert_int_equal(unlink(at("/a/validation-24.csv")), 0);
    is_refused("", ORR_E_OPEN, "validation-BATCH.csv");
    is_refused(",validation=/nowhere", ORR_E_OPEN, "validation-BATCH.csv");
    put("v/a/validation-8.csv", EPOCHS "1,1,0,1,1\n");
    char settings[128];
    snprintf(settings, sizeof settings, ",validation=%s/v", folder);
    orr_applications_destroy(must_load(settings));
    write_tables();
    is_refused("/none", ORR_E_OPEN, "");
    put("a/placements.csv", TIMES "1,4,1,0.25\n1,4,2,0.5\n");
    is_refused("", ORR_E_SYNTAX, "twice");
    put("a/placements.csv", TIMES "10,4,1,0.25\n");
    is_refused("", ORR_E_NUMBER, "digits");
    put("a/placements.csv", TIMES "1,4,0,0\n");
    is_refused("", ORR_E_NUMBER, "no time");
    put("a/placements.csv", TIMES "1,4.5,1,0.25\n");
    is_refused("", ORR_E_NUMBER, "whole");
    put("a/placements.csv", "placement,local_bsz,step_time\n1,4,1\n");
    is_refused("", ORR_E_MISSING_COLUMN, "sync_time");
    put("a/placements.csv", TIMES "1,4,1,0.25\n");
    put("a/scalability.csv", MORE "4,3,4,1,0\n");
    is_refused("", ORR_E_NUMBER, "fewer GPUs than nodes");
    put("a/scalability.csv", MORE "3,4,4,1,0\n");
    put("a/validation-24.csv", EPOCHS "1,1,0,1,1\n");
    is_refused("", ORR_E_SYNTAX, "2 epochs");
    put("a/validation-24.csv", EPOCHS "1,1,0,1,1\n1,2,0,1,1\n");
    is_refused("", ORR_E_NUMBER, "should rise");
    put("a/validation-24.csv", EPOCHS "1,1,0,1,1\n2,2,0,nan,1\n");
    is_refused("", ORR_E_NUMBER, "grad_sqr");
}

/* Two triangles' worth of points in space, and a triangulation that is given. */
static void given_mesh(void **state)
{
    (void)state;
    write_tables();
    put("m/interp-points-a.csv", "index," MORE "0,1,1,4,1,0\n1,2,3,4,2,0.5\n2,2,4,4,3,1\n3,2,4,8,4,2\n4,1,1,8,9,0\n");
    put("m/interp-simplices-a.csv", "v0,v1,v2,v3\n0,1,2,2\n0,1,2,3\n");
    put("m/interp-face-lookups.csv", "application," MORE);
    put("m/interp-face-lookups.csv", "application,num_nodes,num_replicas,local_bsz,step_time,sync_time\n"
                                     "a,2,4,6,5,1\nb,2,4,4,1,1\n");
    char settings[128];
    snprintf(settings, sizeof settings, ",type=aws,mesh=%s/m", folder);
    put("b/placements-aws.csv", "");
    put("m/interp-points-b.csv", MORE "1,1,1,1,1\n");
    is_refused(settings, ORR_E_EMPTY, "");
    assert_int_equal(unlink(at("/b/placements-aws.csv")), 0);
    orr_applications *all = must_load(settings);
    const orr_application *a = orr_applications_at(all, 0);
    step_is(a, 0, ON(3, 1), 4, 3, 1); /* a corner */
    step_is(a, 0, ON(3, 1), 6, 5, 1); /* a value that is given */
    step_is(a, 0, ON(3, 1), 7, 3.75, 1.75);
    no_step(a, 0, ON(4), 7);
    orr_applications_destroy(all);
    put("m/interp-simplices-a.csv", "v0,v1,v2,v3\n0,1,2,5\n");
    is_refused(settings, ORR_E_NUMBER, "v3");
    put("m/interp-simplices-a.csv", "v0,v1,v2,v3\n0,1,2,2\n");
    is_refused(settings, ORR_E_EMPTY, "flat");
}

/* ---- ElasticFlow's ---- */

static void counts(void **state)
{
    (void)state;
    put("x.csv", "global_batch_size,1,2,4,8\r\n64,2,4,6,nan\r\n128,1,2.5,,5\r\n");
    put("y.csv", "global_batch_size,1,2\n8,1,\n");
    orr_applications *all = must_load("");
    const orr_application *x = orr_applications_find(all, "x"), *y = orr_applications_find(all, "y");
    const orr_batch_limits *l = orr_application_limits(x);
    assert_true(l->initial == 64 && l->most == 128 && l->local_most == 128 && !l->accumulates);
    assert_int_equal(orr_application_most_gpus(x), 8);
    assert_int_equal(orr_application_most_gpus(y), 1);
    assert_int_equal(orr_application_width(x), 8);
    step_is(x, 0, ON(1), 64, 0.5, 0);
    step_is(x, 0, ON(1, 1), 64, 0.4, 0);
    step_is(x, 0, ON(3), 21, 0.2, 0);  /* half way from 4 to 6; 63 in all are the 64 */
    step_is(x, 0, ON(2), 48, 0.325, 0); /* 96: half way from 1/4 s to 1/2.5 s */
    step_is(x, 0, ON(8), 16, 0.2, 0);
    no_step(x, 0, ON(8), 8);
    no_step(x, 0, ON(4), 32);
    no_step(x, 0, ON(6), 21); /* between one that is known and one that isn't */
    no_step(x, 0, ON(9), 16);
    assert_int_equal(orr_application_epochs(x), 1);
    assert_true(orr_application_noise(x, 0, 64).sqr == 0 && orr_application_noise(x, 0, 64).var == 1);
    assert_true(orr_application_iterations(x, 1, 64) == -1);
    orr_applications_destroy(all);
}

static void refused_counts(void **state)
{
    (void)state;
    put("x.csv", "batch,1\n1,1\n");
    is_refused("", ORR_E_MISSING_COLUMN, "global_batch_size");
    put("x.csv", "global_batch_size,one\n1,1\n");
    is_refused("", ORR_E_NUMBER, "named by a number");
    put("x.csv", "global_batch_size,2,1\n1,1,1\n");
    is_refused("", ORR_E_SYNTAX, "rise");
    put("x.csv", "global_batch_size,1\n2,1\n1,1\n");
    is_refused("", ORR_E_SYNTAX, "rise");
    put("x.csv", "global_batch_size,1\n2,-1\n");
    is_refused("", ORR_E_NUMBER, "negative");
    put("x.csv", "global_batch_size,1\n2,nan\n");
    is_refused("", ORR_E_EMPTY, "no cell");
}

/* The one that comes with the library. */
static void by_name(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_applications *all = orr_applications_load("synthetic", &e);
    if (!all)
        fail_msg("%s", e.message);
    assert_int_equal(orr_applications_count(all), 6);
    for (int32_t i = 0; i < 6; i++) {
        const orr_application *a = orr_applications_at(all, i);
        double one, sync, more;
        const orr_placement gpu = ON(1), nodes = ON(4, 4);
        assert_true(orr_application_step(a, 0, &gpu, orr_application_limits(a)->local_least, &one, &sync));
        assert_true(orr_application_step(a, 0, &nodes, orr_application_limits(a)->local_least, &more, &sync));
        assert_true(more > one && sync > 0);
        assert_true(orr_application_type(a, "A100") == 2 && orr_application_type(a, "T4") == 0);
        assert_true(orr_application_loss(a, 0) > orr_application_loss(a, orr_application_epochs(a)));
        assert_true(orr_application_restart(a) >= 15 * ORR_SECOND);
    }
    orr_applications_destroy(all);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys),  cmocka_unit_test(refusals), IN_FOLDER(tables), IN_FOLDER(tables_and_more),
        IN_FOLDER(refused_tables),   IN_FOLDER(given_mesh),      IN_FOLDER(counts), IN_FOLDER(refused_counts),
        cmocka_unit_test(by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
