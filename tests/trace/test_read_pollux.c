/* Workloads of Pollux and Sia with their tables: worked out by hand, and the public files. */
#include "reading.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- by hand ---- */

static char folder[64];

#define EPOCHS "progress,iteration,grad_sqr,grad_var\n"

/* Application a: nodes of 4; 100 steps of a batch of 8, 50 of 12, and so on. On one GPU 4 samples take 1 s and 8 take
 * 2 s, 0.5 s of both to synchronise. b is the same but for its name; c lacks placements,
 * n has room for more samples on a GPU. */
static int with_tables(void **state)
{
    (void)state;
    static const char placements[] = "placement,local_bsz,step_time,sync_time\n"
                                     "1,8,2,0.5\n1,4,1,0.5\n2,4,1.25,0.25\n2,8,2.25,0.75\n4,8,3,1\n24,8,5,6\n";
    static const char scalability[] = "local_bsz,step_time,sync_time,num_nodes,num_replicas\n8.0,7,1,3,12\n";
    static const struct {
        int batch;
        const char *text;
    } runs[] = {
        {8, "progress,iteration,metric,grad_sqr,grad_var\n50.0,50,0,1,1\n100.0,100,0,1,1\n"},
        {12, "iteration,progress,grad_var,grad_sqr\n30,1,1,1\n50,2,1,1\n"},
        {16, EPOCHS "1,30,1,1\n2,60,1,1\n"},
        {64, EPOCHS "1,10,1,1\n2,20,1,1\n"},
        {96, EPOCHS "1,5,1,1\n2,10,1,1\n"},
        {128, EPOCHS "1,5,1,1\n2,10,1,1\n"},
    };
    scratch_folder(folder);
    for (const char *app = "ab"; *app; app++) {
        char name[64];
        snprintf(name, sizeof name, "%c/placements.csv", *app);
        scratch_write(folder, name, placements);
        snprintf(name, sizeof name, "%c/scalability.csv", *app);
        scratch_write(folder, name, scalability);
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            snprintf(name, sizeof name, "%c/validation-%d.csv", *app, runs[i].batch);
            scratch_write(folder, name, runs[i].text);
        }
    }
    scratch_write(folder, "a/placements-rtx.csv", "sync_time,step_time,local_bsz,placement\n0,10,8,8\n0,11,8,1\n");
    scratch_write(folder, "yolov3/placements.csv", "placement,local_bsz,step_time,sync_time\n1,8,2,1\n1,16,9,1\n");
    scratch_write(folder, "yolov3/validation-16.csv", EPOCHS "1,3,1,1\n");
    scratch_write(folder, "n/placements.csv", "placement,local_bsz,step_time,sync_time\n1,8,2,0.5\n1,32,9,0.5\n");
    scratch_write(folder, "n/validation-8.csv", EPOCHS "1,5,1,1\n");
    scratch_write(folder, "n/validation-16.csv", EPOCHS "1,3,1,1\n");
    scratch_write(folder, "c/validation-8.csv", EPOCHS "1,3,1,1\n");
    return 0;
}

static int without_tables(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static orr_trace *read_with(const char *rows, const char *gpu_type)
{
    const orr_trace_options options = {.tables = folder, .gpu_type = gpu_type};
    orr_text text = {0};
    orr_text_addf(&text, "name,time,application,num_replicas,batch_size\n%s", rows);
    orr_trace *t = reading_well(text.at, &options);
    orr_text_fini(&text);
    assert_string_equal(orr_trace_format(t), "pollux");
    return t;
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *what, *row, *gpu_type;
        int64_t ms;         /* -1: dropped */
        const char *reason;
    } rows[] = {
        {"one GPU, smallest batch", "x,0,a,1,8", NULL, 200000, NULL},       /* 100 steps of 2 s */
        {"half of it a GPU", "x,0,a,2,8", NULL, 125000, NULL},              /* 4 samples: 100 * 1.25 */
        {"its share is interpolated", "x,0,a,2,12", NULL, 87500, NULL},     /* 6 samples: 50 * 1.75 */
        {"two parts on one GPU", "x,0,a,1,12", NULL, 125000, NULL},         /* of 6: 50 * (1.5 + 1) */
        {"two parts, though one would do", "x,0,n,1,16", NULL, 10500, NULL}, /* of 8: 3 * (2 + 1.5) */
        {"one part, as it is the least batch", "x,0,n,1,8", NULL, 10000, NULL}, /* 5 * 2 */
        {"eight parts fit", "x,0,a,1,64", NULL, 250000, NULL},              /* 20 * (2 + 7 * 1.5) */
        {"two parts on 4 GPUs", "x,0,a,4,64", NULL, 100000, NULL},          /* 16 a GPU: 20 * (3 + 2) */
        {"a node and a half", "x,0,a,6,96", NULL, 100000, NULL},            /* 16 a GPU: 10 * (5 + 5), since 6 s to
                                                                             * synchronise aren't part of a step of 5 */
        {"fewer than measured", "x,0,a,6,64", NULL, -1, "no-throughput"},   /* 11 a GPU: two parts of 6 */
        {"not beyond the largest batch", "x,0,a,6,128", NULL, -1, "no-throughput"}, /* 22 a GPU: three parts of 7, as
                                                                                     * 8 * 3 * 6 > 128 */
        {"three nodes", "x,0,a,12,96", NULL, 70000, NULL},                  /* from scalability.csv: 10 * 7 */
        {"not measured there", "x,0,a,3,8", NULL, -1, "no-throughput"},
        {"batch not validated", "x,0,a,2,20", NULL, -1, "no-table"},
        {"no such application", "x,0,zzz,1,8", NULL, -1, "no-table"},
        {"a name that leaves the folder", "x,0,../a,1,8", NULL, -1, "no-table"},
        {"no placements", "x,0,c,1,8", NULL, -1, "no-table"},
        {"Sia's type, other columns", "x,0,a,8,64", "rtx", 200000, NULL},      /* nodes of 8: 20 * 10 */
        {"a type without tables", "x,0,b,8,64", "rtx", -1, "no-table"},
        {"aws has no name in Pollux", "x,0,a,1,8", "aws", 200000, NULL},
        {"yolov3 fits 8, not 16", "x,0,yolov3,1,16", NULL, 9000, NULL},        /* 3 * (2 + 1) */
        {"no batch", "x,0,a,1,", NULL, -1, "no-table"},
        {"batch 0", "x,0,a,1,0", NULL, -1, "bad-number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        const bool rtx = rows[i].gpu_type && strcmp(rows[i].gpu_type, "rtx") == 0;
        orr_text_addf(&text, "first,0,%s,1,8\n%s\n", rtx ? "a" : "b", rows[i].row);
        orr_trace *t = read_with(text.at, rows[i].gpu_type);
        const size_t n = orr_trace_count(t);
        const orr_time got = n == 2 ? orr_trace_jobs(t)[1].duration / ORR_MS : -1;
        if (got != rows[i].ms || (rows[i].reason && noted(t, rows[i].reason) != 1))
            fail_msg("%s: %lld ms", rows[i].what, (long long)got);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

/* Sia's times are float text, and its category is an attribute; a row on which tables are first read keeps its own. */
static void members(void **state)
{
    (void)state;
    const orr_trace_options options = {.tables = folder};
    orr_trace *t = reading_well("name,time,application,num_replicas,batch_size,category,note\n"
                                "b-1,487.661836,b,1,8,rigid,hello\na-0,401.0,a,2,16,adaptive,there\n", &options);
    const orr_trace_job *job = orr_trace_jobs(t);
    const orr_trace_input *inputs;
    assert_string_equal(job[1].id, "b-1");
    assert_int_equal(job[1].submit, INT64_C(487661836000));
    assert_int_equal(job[0].submit, 401 * ORR_SECOND);
    assert_string_equal(job[0].model, "a");
    assert_int_equal(job[0].gpus, 2);
    assert_int_equal(job[0].min_gpus, 2);
    assert_int_equal(job[0].max_gpus, 2);
    assert_string_equal(orr_trace_attribute(t, &job[1], "batch_size"), "8");
    assert_string_equal(orr_trace_attribute(t, &job[1], "category"), "rigid");
    assert_string_equal(orr_trace_attribute(t, &job[1], "note"), "hello");
    assert_string_equal(orr_trace_attribute(t, &job[0], "note"), "there");
    assert_int_equal(orr_trace_inputs(t, &inputs), 17); /* the workload and eight files an application */
    assert_int_equal(orr_trace_rows_read(t), 2);
    orr_trace_destroy(t);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "placement,local_bsz,step_time,sync_time\n1,8,fast,0\n",
        "placement,local_bsz,step_time,sync_time\n1,8,-1,0\n",
        "placement,local_bsz,step_time,sync_time\n4-4,8,1,0\n",
        "placement,local_bsz,step_time\n1,8,1\n",
    };
    static const char workload[] = "name,time,application,num_replicas,batch_size\nx,0,d,1,8\n";
    const orr_trace_options with = {.tables = folder}, nowhere = {.tables = "/nowhere"};
    orr_error e;
    assert_null(reading(workload, NULL, &e));
    assert_int_equal(e.code, ORR_E_MISSING);
    assert_non_null(strstr(e.hint, "--tables FOLDER"));
    assert_null(reading(workload, &nowhere, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_string_equal(e.file, "/nowhere");
    assert_null(reading(workload, &with, &e));
    assert_int_equal(e.code, ORR_E_NO_JOBS);
    assert_non_null(strstr(e.message, "no-table 1"));
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        scratch_write(folder, "d/placements.csv", broken[i]);
        assert_null(reading(workload, &with, &e));
        assert_int_equal(e.code, i == 3 ? ORR_E_MISSING_COLUMN : ORR_E_NUMBER);
        assert_non_null(strstr(e.file, "d/placements.csv"));
        assert_int_equal(e.line, i == 3 ? 1 : 2);
    }
    scratch_write(folder, "d/placements.csv", "placement,local_bsz,step_time,sync_time\n1,8,1,0\n");
    scratch_write(folder, "d/validation-8.csv", EPOCHS "1,30,1,1\n2,20,1,1\n");
    assert_null(reading(workload, &with, &e));
    assert_int_equal(e.code, ORR_E_NUMBER);
    assert_int_equal(e.line, 3);
}

/* ---- public files ---- */

static void check_file(const char *name, const orr_trace_options *options, uint64_t rows, uint64_t unknown)
{
    char path[512], form[2048];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), options, &e);
    orr_error_format(&e, form, sizeof form);
    if (!t)
        fail_msg("%s", form);
    if (orr_trace_rows_read(t) != rows || orr_trace_count(t) + unknown != rows ||
        noted(t, "no-throughput") != unknown)
        fail_msg("%s: %zu jobs of %llu", name, orr_trace_count(t), (unsigned long long)orr_trace_rows_read(t));
    orr_trace_destroy(t);
}

/* A folder of tables has no file to open: it is found by one of its own. */
static const char *shared_tables(char buf[512])
{
    shared_path(buf, "data/pollux/traces/bert/placements.csv");
    buf[strlen(buf) - strlen("/bert/placements.csv")] = 0;
    return buf;
}

static const int indices[] = {1, 2, 3, 4, 6, 7, 8};

static void public_pollux(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        uint64_t rows;
    } loads[] = {{"workloads", 160}, {"workloads-0.5", 80}, {"workloads-1.5", 240}, {"workloads-2.0", 320},
                 {"workloads-realistic", 160}};
    char tables[512], name[128];
    const orr_trace_options options = {.tables = shared_tables(tables)};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (size_t j = 0; j < sizeof indices / sizeof *indices; j++) {
            snprintf(name, sizeof name, "data/pollux/%s/workload-%d.csv", loads[i].folder, indices[j]);
            check_file(name, &options, loads[i].rows, 0);
        }
}

static void public_sia(void **state)
{
    (void)state;
    static const struct {
        const char *folder;
        int last; /* workload-1 to this; 0: those that Pollux has */
        uint64_t rows;
    } sets[] = {
        {"philly", 0, 160},          {"saturn", 8, 160},          {"newtrace", 8, 960},       {"scale/rate_10", 8, 80},
        {"scale/rate_20", 8, 160},   {"scale/rate_30", 8, 240},   {"scale/rate_40", 8, 320},  {"scale/rate_50", 8, 400},
        {"scale/scale_2x", 1, 320},  {"scale/scale_4x", 1, 640},  {"scale/scale_8x", 1, 1280},
        {"scale/scale_16x", 1, 2560}, {"scale/scale_32x", 1, 5120},
    };
    char tables[512], name[128];
    const orr_trace_options options = {.tables = shared_tables(tables)};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int j = 0; j < (sets[i].last ? sets[i].last : 7); j++) {
            snprintf(name, sizeof name, "data/sia/workloads/%s/workload-%d.csv", sets[i].folder,
                     sets[i].last ? j + 1 : indices[j]);
            check_file(name, &options, sets[i].rows, 0);
        }
}

/* Sia's folder as its simulator has it: measurements of six families, and Pollux' validation of all of them. */
static void make_families(const char *into)
{
    static const char *const apps[] = {"bert", "cifar10", "deepspeech2", "imagenet", "ncf", "yolov3"};
    static const char *const families[] = {"aws", "azure", "dgx", "dgx-ext", "quad", "rtx"};
    static const struct {
        const char *app;
        int batch;
    } runs[] = {{"bert", 12}, {"bert", 384}, {"cifar10", 128}, {"cifar10", 2048}, {"cifar10", 4096},
                {"deepspeech2", 20}, {"deepspeech2", 80}, {"deepspeech2", 320}, {"deepspeech2", 640}, {"imagenet", 200},
                {"imagenet", 1600}, {"imagenet", 3200}, {"imagenet", 6400}, {"imagenet", 12800}, {"ncf", 256},
                {"ncf", 32768}, {"yolov3", 8}, {"yolov3", 64}, {"yolov3", 512}};
    char target[512], name[128], from[160];
    for (size_t i = 0; i < sizeof apps / sizeof *apps; i++)
        for (size_t j = 0; j < sizeof families / sizeof *families; j++)
            for (int kind = 0; kind < 2; kind++) {
                snprintf(name, sizeof name, "%s/%s-%s.csv", apps[i], kind ? "scalability" : "placements", families[j]);
                snprintf(from, sizeof from, "data/sia/traces/%s", name);
                scratch_link(into, name, shared_path(target, from));
            }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        snprintf(name, sizeof name, "%s/validation-%d.csv", runs[i].app, runs[i].batch);
        snprintf(from, sizeof from, "data/pollux/traces/%s", name);
        scratch_link(into, name, shared_path(target, from));
    }
}

/* How many of 320 jobs a family was never measured for: a quad is one node, the others lack sizes of imagenet. */
static void public_families(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint64_t unknown;
    } rows[] = {{"aws", 0}, {"azure", 1}, {"dgx", 11}, {"dgx-ext", 11}, {"quad", 176}, {"rtx", 8}};
    char tables[64], path[512];
    shared_path(path, "data/sia/traces/bert/placements-aws.csv");
    make_families(scratch_folder(tables));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_trace_options options = {.tables = tables, .gpu_type = rows[i].type};
        check_file("data/pollux/workloads-2.0/workload-1.csv", &options, 320, rows[i].unknown);
    }
    scratch_remove(tables);
}

/* Against the simulator's own runs on the same packed placements: they took 4142, 482 and 47 s after their
 * pauses of 30. */
static void public_durations(void **state)
{
    (void)state;
    char tables[512], path[512];
    orr_error e = {0};
    const orr_trace_options options = {.tables = shared_tables(tables)};
    orr_trace *t = orr_trace_read(shared_path(path, "data/pollux/workloads-0.5/workload-1.csv"), &options, &e);
    assert_non_null(t);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(job[0].duration / ORR_MS, 4153243);
    assert_int_equal(job[1].duration / ORR_MS, 449446);
    assert_int_equal(job[2].duration / ORR_MS, 45818);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),     cmocka_unit_test(members),    cmocka_unit_test(refusals),
        cmocka_unit_test(public_pollux), cmocka_unit_test(public_sia), cmocka_unit_test(public_families),
        cmocka_unit_test(public_durations),
    };
    return cmocka_run_group_tests(tests, with_tables, without_tables);
}
