/* Alibaba's pod lists of 2023: each rule by hand, then every file of the folder against the notes of the data. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD                                                                                                           \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

static const orr_trace_options all = {.keep_cpu_jobs = true};

static void a_shared_gpu_with_alternatives(void **state)
{
    (void)state;
    orr_trace *t = reading_well(HEAD "p1,11908,1,1,460,V100M16|T4|V100M16|T4|V100M32,LS,Succeeded,100,250,107\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "openb");
    assert_string_equal(job->id, "p1");
    assert_int_equal(job->submit, 100 * ORR_SECOND);
    assert_int_equal(job->start, 107 * ORR_SECOND);
    assert_int_equal(job->end, 250 * ORR_SECOND);
    assert_int_equal(job->duration, 143 * ORR_SECOND); /* from when it was scheduled, not created */
    assert_int_equal(job->gpus, 1);
    assert_int_equal(job->gpu_milli, 460);
    assert_int_equal(job->cpu_milli, 11908);
    assert_int_equal(job->mem_bytes, 1048576);
    assert_string_equal(job->gpu_type, "V100M16|T4|V100M32");
    assert_string_equal(orr_trace_attribute(t, job, "memory_mib"), "1");
    assert_string_equal(orr_trace_attribute(t, job, "qos"), "LS");
    assert_string_equal(orr_trace_attribute(t, job, "pod_phase"), "Succeeded");
    assert_int_equal(job->ending, ORR_ENDING_DONE);
    assert_false(job->censored);
    assert_int_equal(noted(t, "repeated-gpu-type"), 1);
    assert_int_equal(noted(t, "fractional-gpu"), 1);
    orr_trace_destroy(t);
}

/* Running is cut off by the snapshot, Pending never ran: one of each kind. */
static void phases(void **state)
{
    (void)state;
    orr_trace *t = reading_well(HEAD "run,4000,10,1,1000,,LS,Running,10,40,20\n"
                                     "good,4000,10,2,1000,,BE,Succeeded,11,41,21\n"
                                     "bad,4000,10,1,1000,,BE,Failed,12,42,22\n"
                                     "wait,4000,10,8,1000,,BE,Pending,13,43,\n"
                                     "odd,4000,10,1,1000,,BE,Unknown,14,44,24\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t), *gone;
    assert_int_equal(orr_trace_count(t), 4);
    assert_true(job[0].censored && job[0].ending == ORR_ENDING_DONE && job[0].duration == 20 * ORR_SECOND);
    assert_int_equal(noted(t, "still-running"), 1);
    assert_true(!job[1].censored && job[1].ending == ORR_ENDING_DONE && job[1].gpus == 2);
    assert_true(!job[2].censored && job[2].ending == ORR_ENDING_FAILED);
    assert_true(!job[3].censored && job[3].ending == ORR_ENDING_DONE);
    assert_int_equal(noted(t, "unknown-state"), 1);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 1);
    assert_string_equal(gone->id, "wait");
    assert_int_equal(gone->gpus, 8);
    assert_int_equal(gone->submit, 13 * ORR_SECOND);
    assert_int_equal(gone->end, 43 * ORR_SECOND);
    assert_int_equal(noted(t, "never-ran"), 1);
    orr_trace_destroy(t);
}

static void pods_without_gpus(void **state)
{
    (void)state;
    const char *text = HEAD "cpu,500,10,0,0,,LS,Succeeded,1,5,2\ngpu,4000,10,1,1000,,LS,Succeeded,1,5,2\n";
    orr_trace *t = reading_well(text, NULL);
    assert_int_equal(orr_trace_count(t), 1);
    assert_int_equal(noted(t, "cpu-only"), 1);
    orr_trace_destroy(t);
    t = reading_well(text, &all);
    assert_int_equal(orr_trace_jobs(t)[0].gpus, 0);
    assert_int_equal(orr_trace_jobs(t)[0].cpu_milli, 500);
    assert_int_equal(orr_trace_jobs(t)[0].gpu_milli, 1000); /* its 0 is a share of no GPU */
    orr_trace_destroy(t);
}

static void rows_that_are_odd(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
        size_t kept;
    } rows[] = {
        {"p,4000,10,1,1000,,LS,Succeeded,,9,2", "no-submit", 0},
        {"p,4000,10,1,1000,,LS,Succeeded,1,9,", "no-duration", 0},
        {"p,4000,10,1,1000,,LS,Running,1,,2", "no-duration", 0},
        {"p,4000,10,1,1000,,LS,Succeeded,1,2,9", "end-before-start", 0},
        {"p,4000,10,1,1000,,LS,Succeeded,5,9,4", "start-before-submit", 1},
        {"p,4000,10,1,0,,LS,Succeeded,1,9,2", "bad-gpu-milli", 0},
        {"p,4000,10,1,1001,,LS,Succeeded,1,9,2", "bad-gpu-milli", 0},
        {"p,4000,10,,1000,,LS,Succeeded,1,9,2", "no-gpus", 0},
        {"p,-4,10,1,1000,,LS,Succeeded,1,9,2", "bad-number", 0},
        {"p,4000,1e30,1,1000,,LS,Succeeded,1,9,2", "bad-number", 0},
        {",4000,10,1,1000,,LS,Succeeded,1,9,2", "no-id", 0},
        {"p,4000,10,1,1000,,LS,Succeeded,0,9,0", "created-at-zero", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, HEAD "%s\nlast,1000,1,1,1000,,LS,Succeeded,9,19,9\n", rows[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        if (noted(t, rows[i].reason) != 1 || orr_trace_count(t) != rows[i].kept + 1)
            fail_msg("%s", rows[i].row);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void ids_are_unique(void **state)
{
    (void)state;
    orr_error e;
    assert_null(reading(HEAD "p,1,1,1,1000,,LS,Failed,1,2,1\np,1,1,1,1000,,LS,Failed,1,2,1\n", NULL, &e));
    assert_int_equal(e.code, ORR_E_DUPLICATE_ID);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,1,1,1000\n", "shapes without times"},
        {"sn,cpu_milli,memory_mib,gpu,model\nn,1,1,1,T4\n", "a cluster, not a trace"},
        {"apiVersion: v1\nkind: Node\nmetadata:\n", "a cluster, not a trace"},
    };
    const orr_trace_options named = {.format = "openb"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int by_name = 0; by_name < 2; by_name++) {
            orr_error e;
            assert_null(reading(rows[i].text, by_name ? &named : NULL, &e));
            assert_int_equal(e.code, ORR_E_FORMAT);
            if (!strstr(e.message, rows[i].says) || !e.hint[0])
                fail_msg("%s", e.message);
        }
}

/* ---- the whole folder ---- */

typedef struct totals {
    size_t rows, sizes[9], fractions, typed, withdrawn, descents;
    int64_t milli;
} totals;

typedef struct submission {
    uint32_t line;
    orr_time at;
} submission;

static int by_line(const void *left, const void *right)
{
    const submission *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line;
}

static size_t add_jobs(totals *sum, const orr_trace_job *jobs, size_t n, submission *order)
{
    for (size_t i = 0; i < n; i++) {
        sum->sizes[jobs[i].gpus]++;
        sum->fractions += jobs[i].gpu_milli < 1000;
        sum->typed += jobs[i].gpu_type[0] != '\0';
        sum->milli += (int64_t)jobs[i].gpus * jobs[i].gpu_milli;
        order[i] = (submission){jobs[i].line, jobs[i].submit};
    }
    return n;
}

static totals of_trace(const orr_trace *t)
{
    const orr_trace_job *gone;
    totals sum = {.rows = orr_trace_rows_read(t), .withdrawn = orr_trace_withdrawn(t, &gone)};
    submission *order = calloc(sum.rows, sizeof *order);
    size_t n = add_jobs(&sum, orr_trace_jobs(t), orr_trace_count(t), order);
    n += add_jobs(&sum, gone, sum.withdrawn, order + n);
    assert_int_equal(n, sum.rows);
    qsort(order, n, sizeof *order, by_line);
    for (size_t i = 1; i < n; i++)
        sum.descents += order[i].at < order[i - 1].at;
    free(order);
    return sum;
}

static void every_file(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        totals sum;
    } rows[] = {
        {"default", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 897, 0, 6086800}},
        {"cpu0", {7064, {0, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 861, 0, 6086800}},
        {"cpu037", {7336, {272, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 870, 143, 6086800}},
        {"cpu050", {7439, {375, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 878, 191, 6086800}},
        {"cpu072", {7608, {544, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 884, 275, 6086800}},
        {"cpu100", {7853, {789, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 883, 406, 6086800}},
        {"cpu235", {9240, {2176, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 933, 2, 6086800}},
        {"cpu250", {9420, {2356, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 934, 1169, 6086800}},
        {"cpu300", {10094, {3030, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 0, 955, 1516, 6086800}},
        {"gpushare20", {8152, {1088, 6977, 12, 0, 13, 0, 0, 0, 62}, 2324, 0, 840, 3524, 6531500}},
        {"gpushare40", {8152, {1088, 7002, 12, 0, 11, 0, 0, 0, 39}, 4001, 0, 981, 3518, 5641250}},
        {"gpushare80", {8152, {1088, 7047, 2, 0, 3, 0, 0, 0, 12}, 6279, 0, 1146, 3578, 4408190}},
        {"gpushare100", {8152, {1088, 7064, 0, 0, 0, 0, 0, 0, 0}, 7064, 0, 1209, 3530, 3952670}},
        {"gpuspec05", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 369, 897, 0, 6086800}},
        {"gpuspec10", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 732, 897, 0, 6086800}},
        {"gpuspec20", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 1444, 897, 0, 6086800}},
        {"gpuspec25", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 1759, 897, 0, 6086800}},
        {"gpuspec33", {8152, {1088, 6989, 16, 0, 15, 0, 0, 0, 44}, 3078, 2388, 897, 0, 6086800}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[80], path[512];
        orr_error e = {0};
        snprintf(name, sizeof name, "data/openb/openb_pod_list_%s.csv", rows[i].name);
        orr_trace *t = orr_trace_read(shared_path(path, name), &all, &e);
        if (!t)
            fail_msg("%s: %s", name, e.message);
        const totals sum = of_trace(t);
        assert_int_equal(noted(t, "never-ran"), rows[i].sum.withdrawn);
        if (memcmp(&sum, &rows[i].sum, sizeof sum) != 0)
            fail_msg("%s: rows %zu fractions %zu typed %zu withdrawn %zu descents %zu milli %lld", name, sum.rows,
                     sum.fractions, sum.typed, sum.withdrawn, sum.descents, (long long)sum.milli);
        orr_trace_destroy(t);
    }
}

static void the_other_files_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"pod_list_multigpu20.csv", "pod_list_multigpu30.csv",
                                        "pod_list_multigpu40.csv", "node_list_all_node.csv",
                                        "node_list_gpu_node.csv",  "node_list_gpu_node.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[80], path[512];
        orr_error e = {0};
        snprintf(name, sizeof name, "data/openb/openb_%s", names[i]);
        assert_null(orr_trace_read(shared_path(path, name), &all, &e));
        assert_int_equal(e.code, ORR_E_FORMAT);
        assert_non_null(strstr(e.message, i < 3 ? "shapes without times" : "a cluster, not a trace"));
    }
}

/* Sums of the notes: cores, memory, and the seconds from schedule to deletion. */
static void sums_of_the_default_list(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, "data/openb/openb_pod_list_default.csv"), &all, &e);
    const orr_trace_job *jobs = orr_trace_jobs(t), *gone;
    int64_t cpus = 0, mib = 0, seconds = 0, milli_seconds = 0, at_once = 0;
    size_t phases[3] = {0};
    for (size_t i = 0; i < orr_trace_count(t); i++) {
        cpus += jobs[i].cpu_milli;
        mib += jobs[i].mem_bytes >> 20;
        seconds += jobs[i].duration / ORR_SECOND;
        milli_seconds += jobs[i].duration / ORR_SECOND * jobs[i].gpus * jobs[i].gpu_milli;
        at_once += jobs[i].start == jobs[i].submit;
        phases[jobs[i].censored ? 0 : jobs[i].ending == ORR_ENDING_FAILED ? 1 : 2]++;
    }
    for (size_t i = 0, n = orr_trace_withdrawn(t, &gone); i < n; i++) {
        cpus += gone[i].cpu_milli;
        mib += gone[i].mem_bytes >> 20;
    }
    assert_int_equal(cpus, 85436012);
    assert_int_equal(mib, 303546211);
    assert_int_equal(phases[0], 5193);
    assert_int_equal(phases[1], 1870);
    assert_int_equal(phases[2], 192);
    assert_int_equal(at_once, 2046);
    char hours[32], mean[32];
    snprintf(hours, sizeof hours, "%.4f", (double)milli_seconds / 3.6e6);
    snprintf(mean, sizeof mean, "%.6f", (double)seconds / 7255);
    assert_string_equal(hours, "51470.6742");
    assert_string_equal(mean, "28949.461337");
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_gpu_with_alternatives),
        cmocka_unit_test(phases),
        cmocka_unit_test(pods_without_gpus),
        cmocka_unit_test(rows_that_are_odd),
        cmocka_unit_test(ids_are_unique),
        cmocka_unit_test(refused),
        cmocka_unit_test(every_file),
        cmocka_unit_test(the_other_files_are_refused),
        cmocka_unit_test(sums_of_the_default_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
