/* Alibaba's spot jobs of 2026 and its recommendation models of 2025, and the amounts that such formats state. */
#include "reading.h"
#include "trace/amounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const orr_trace_options all = {.keep_cpu_jobs = true};

/* ---- amounts ---- */

static void lists_of_types(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"T4", "T4"},       {"T4|T4", "T4"},         {"A|B|A|C|B", "A|B|C"},   {"V100|V100M16", "V100|V100M16"},
        {"A|AB|A", "A|AB"}, {"A||B|", "A||B"},       {"", ""},                 {"B|A|A|A|B|CC|CC|A", "B|A|CC"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char list[40];
        snprintf(list, sizeof list, "%s", rows[i][0]);
        assert_int_equal(orr_drop_repeated_types(list), strcmp(rows[i][0], rows[i][1]) != 0);
        assert_string_equal(list, rows[i][1]);
    }
}

static void cores(void **state)
{
    (void)state;
    assert_int_equal(orr_cores_for(0), 0);
    assert_int_equal(orr_cores_for(1), 1);
    assert_int_equal(orr_cores_for(1000), 1);
    assert_int_equal(orr_cores_for(1001), 2);
    assert_int_equal(orr_cores_for(INT64_MAX), INT32_MAX);
}

/* ---- spot ---- */

#define SPOT "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"

static void workers_multiply(void **state)
{
    (void)state;
    orr_trace *t = reading_well(SPOT "437261,57,A100-SXM4-80GB,15,2,94,9589663,71718,Spot\n"
                                "239255,13,A10,20,1,1,0,2764799,HP\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "spot");
    assert_string_equal(job[0].id, "239255");
    assert_false(job[0].preemptible);
    assert_true(job[1].preemptible);
    assert_int_equal(job[1].gpus, 188);
    assert_int_equal(job[1].cpu_milli, 1410000);
    assert_int_equal(job[1].gpu_milli, 1000);
    assert_string_equal(job[1].gpu_type, "A100-SXM4-80GB");
    assert_string_equal(job[1].vc, "57");
    assert_string_equal(job[1].user, "");
    assert_int_equal(job[1].submit, 9589663 * ORR_SECOND);
    assert_int_equal(job[1].duration, 71718 * ORR_SECOND);
    assert_int_equal(job[1].start, ORR_TIME_NONE);
    assert_string_equal(orr_trace_attribute(t, &job[1], "job_type"), "Spot");
    assert_string_equal(orr_trace_attribute(t, &job[1], "worker_num"), "94");
    assert_int_equal(noted(t, "unsorted"), 1);
    assert_int_equal(t->notes.n, 1);
    orr_trace_destroy(t);
}

static void spot_rows(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
        int32_t gpus, milli, cpu_milli; /* gpus -1: not kept */
    } rows[] = {
        {"a,1,A10,4,0.5,3,0,9,HP", "fractional-gpu", 3, 500, 12000},
        {"a,1,A10,0.5,1,3,0,9,HP", NULL, 3, 1000, 1500}, /* one and a half cores */
        {"a,1,A10,4,1.5,2,0,9,HP", "gpu-shares", 4, 1000, 8000},
        {"a,1,A10,4,8.0,2,0,9,HP", NULL, 16, 1000, 8000},
        {"a,1,A10,4,0,2,0,9,HP", "cpu-only", -1, 0, 0},
        {"a,1,A10,4,1,0,0,9,HP", "cpu-only", -1, 0, 0},
        {"a,1,A10,4,,1,0,9,HP", "no-gpus", -1, 0, 0},
        {"a,1,A10,4,1,,0,9,HP", "no-gpus", -1, 0, 0},
        {"a,1,A10,4,-1,1,0,9,HP", "bad-number", -1, 0, 0},
        {"a,1,A10,4,1000,1001,0,9,HP", "too-many-gpus", -1, 0, 0},
        {"a,1,A10,2200000,1,1000,0,9,HP", "bad-number", -1, 0, 0},
        {"a,1,A10,4,1,1,,9,HP", "no-submit", -1, 0, 0},
        {"a,1,A10,4,1,1,0,,HP", "no-duration", -1, 0, 0},
        {",1,A10,4,1,1,0,9,HP", "no-id", -1, 0, 0},
        {"a,1,A10,4,1,1,0,9,Best", "unknown-job-type", 1, 1000, 4000},
        {"a,1,A10,,1,1,0,9,", "unknown-job-type", 1, 1000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, SPOT "%s\nz,1,A10,1,1,1,50,9,HP\n", rows[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        bool right = orr_trace_count(t) == (rows[i].gpus < 0 ? 1u : 2u);
        if (rows[i].gpus >= 0)
            right = right && job->gpus == rows[i].gpus && job->gpu_milli == rows[i].milli &&
                    job->cpu_milli == rows[i].cpu_milli;
        if (!right || (rows[i].reason ? noted(t, rows[i].reason) != 1 : t->notes.n != 0))
            fail_msg("%s", rows[i].row);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void spot_nodes_are_no_trace(void **state)
{
    (void)state;
    orr_error e;
    assert_null(reading("gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,2\n", NULL, &e));
    assert_int_equal(e.code, ORR_E_NO_JOBS);
    assert_non_null(strstr(e.message, "a cluster, not a trace"));
}

static void spot_published_rows(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, "data/alibaba-spot-2026/job_info_df.example.csv"), NULL, &e);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 4);
    assert_int_equal(t->notes.n, 0);
    assert_int_equal(job[1].duration, 15897599 * ORR_SECOND);
    assert_int_equal(job[3].gpus, 94);
    assert_int_equal(job[3].cpu_milli, 1410000);
    orr_trace_destroy(t);
    assert_null(orr_trace_read(shared_path(path, "data/alibaba-spot-2026/node_info_df.csv"), NULL, &e));
    assert_int_equal(e.code, ORR_E_NO_JOBS);
}

/* ---- dlrm ---- */

#define DLRM                                                                                                           \
    "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,"    \
    "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
#define HN "HN,app_3,12,12,1,1,25,25,120.5,121.0,640.0,800.0,8,"
#define CN "CN,app_3,64,64,0,0,1,1,320.0,320.0,255.0,300.0,-1,"

/* The record ends at 900, where the last instance is deleted. */
static void lives_within_and_across_the_record(void **state)
{
    (void)state;
    orr_trace *t = reading_well(DLRM "within," HN "100.0,103.0,250.0\n"
                                "before," HN ",,400.0\n"
                                "across," HN ",,\n"
                                "beyond," HN "300.0,310.0,\n"
                                "waited," HN ",20.0,60.0\n"
                                "never," HN "500.0,,600.0\n"
                                "never2," HN "500.0,,\n"
                                "cpu," CN "475.00000000000006,475.00000000000006,900.0\n", &all);
    const orr_trace_job *job = orr_trace_jobs(t), *gone;
    assert_string_equal(orr_trace_format(t), "dlrm");
    static const struct {
        const char *id;
        int64_t submit, start, end, duration, ran; /* s; -1: not known */
        bool carried, censored;
        int gpus;
    } rows[] = {
        {"across", 0, -1, -1, 900, 0, true, true, 1},   {"before", 0, -1, 400, 400, 0, true, false, 1},
        {"waited", 0, 20, 60, 40, -1, true, false, 1},  {"within", 100, 103, 250, 147, -1, false, false, 1},
        {"beyond", 300, 310, -1, 590, -1, false, true, 1}, {"cpu", 475, 475, 900, 425, -1, false, false, 0},
    };
    assert_int_equal(orr_trace_count(t), sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
#define SECONDS(s) ((s) < 0 ? ORR_TIME_NONE : (s)*ORR_SECOND)
        if (strcmp(job[i].id, rows[i].id) != 0 || job[i].submit != SECONDS(rows[i].submit) ||
            job[i].start != SECONDS(rows[i].start) || job[i].end != SECONDS(rows[i].end) ||
            job[i].duration != SECONDS(rows[i].duration) || job[i].ran != SECONDS(rows[i].ran) ||
            job[i].carried != rows[i].carried || job[i].censored != rows[i].censored || job[i].gpus != rows[i].gpus)
            fail_msg("%s", rows[i].id);
    }
    assert_int_equal(noted(t, "before-record"), 3);
    assert_int_equal(noted(t, "still-running"), 2);
    assert_int_equal(noted(t, "never-ran"), 2);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 2);
    assert_int_equal(gone[0].end, 600 * ORR_SECOND);
    assert_int_equal(gone[1].end, ORR_TIME_NONE);
    orr_trace_destroy(t);
}

static void what_an_instance_asks_for(void **state)
{
    (void)state;
    orr_trace *t = reading_well(DLRM "instance_9," HN "1,2,3\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(job->id, "instance_9");
    assert_string_equal(job->group, "app_3");
    assert_int_equal(job->cpu_milli, 12000);
    assert_int_equal(job->mem_bytes, INT64_C(129385889792)); /* 120.5 GiB */
    assert_string_equal(orr_trace_attribute(t, job, "role"), "HN");
    assert_string_equal(orr_trace_attribute(t, job, "rdma_request"), "25");
    assert_string_equal(orr_trace_attribute(t, job, "disk_limit"), "800.0");
    assert_string_equal(orr_trace_attribute(t, job, "max_instance_per_node"), "8");
    assert_int_equal(t->notes.n, 0);
    orr_trace_destroy(t);
}

static void odd_instances(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
        size_t kept;
    } rows[] = {
        {"a," HN "5,9,7", "end-before-start", 0},
        {"a," HN ",9,7", "end-before-start", 0},
        {"a," HN "5,4,7", "start-before-submit", 1},
        {"a," HN "5,x,7", "bad-time", 0},
        {"a," CN "5,5,7", "cpu-only", 0},
        {"," HN "5,5,7", "no-id", 0},
        {"a,HN,app,1,1,1,1,,,-3,,,,,5,5,7", "bad-number", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, DLRM "%s\nz," HN "50,50,51\n", rows[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        if (noted(t, rows[i].reason) != 1 || orr_trace_count(t) != rows[i].kept + 1)
            fail_msg("%s", rows[i].row);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void calendar_times_have_no_second_zero(void **state)
{
    (void)state;
    orr_error e;
    assert_null(reading(DLRM "a," HN "2025-01-01 00:00:00,2025-01-01 00:00:00,\nb," HN ",,\n", NULL, &e));
    assert_int_equal(e.code, ORR_E_MIXED_CLOCKS);
    assert_int_equal(e.line, 2);
}

static void dlrm_whole(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    const char *name = "data/alibaba-gpu-v2025/disaggregated_DLRM_trace.csv.gz";
    orr_trace *t = orr_trace_read(shared_path(path, name), &all, &e);
    size_t with_gpu = 0, carried = 0, censored = 0, both = 0;
    for (size_t i = 0; i < orr_trace_count(t); i++) {
        const orr_trace_job *job = &orr_trace_jobs(t)[i];
        with_gpu += job->gpus == 1;
        carried += job->carried && job->ran == 0;
        censored += job->censored;
        both += job->carried && job->censored;
        if (job->carried && job->censored)
            assert_int_equal(job->duration, 2677541 * ORR_SECOND);
    }
    assert_int_equal(orr_trace_count(t), 23871);
    assert_int_equal(with_gpu, 7386);
    assert_int_equal(carried, 7280);
    assert_int_equal(censored, 8878);
    assert_int_equal(both, 4677);
    assert_int_equal(noted(t, "start-before-submit") + noted(t, "end-before-start"), 0);
    orr_trace_destroy(t);
    t = orr_trace_read(shared_path(path, name), NULL, &e);
    assert_int_equal(orr_trace_count(t), 7386);
    assert_int_equal(noted(t, "cpu-only"), 16485);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_types),
        cmocka_unit_test(cores),
        cmocka_unit_test(workers_multiply),
        cmocka_unit_test(spot_rows),
        cmocka_unit_test(spot_nodes_are_no_trace),
        cmocka_unit_test(spot_published_rows),
        cmocka_unit_test(lives_within_and_across_the_record),
        cmocka_unit_test(what_an_instance_asks_for),
        cmocka_unit_test(odd_instances),
        cmocka_unit_test(calendar_times_have_no_second_zero),
        cmocka_unit_test(dlrm_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
