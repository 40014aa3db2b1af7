/* Relatives of the Tiresias simulator's files, told apart by their columns: ElasticFlow, Chronus, Muri; and Synergy's.
 * Each by hand and on the public files. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void has(const orr_trace *t, const orr_trace_job *job, const char *name, const char *value)
{
    const char *found = orr_trace_attribute(t, job, name);
    if (strcmp(found, value) != 0)
        fail_msg("%s is \"%s\", not \"%s\"", name, found, value);
}

static orr_trace *read_shared(const char *name, const char *format, const orr_trace_options *options)
{
    char path[512], form[2048];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), options, &e);
    orr_error_format(&e, form, sizeof form);
    if (!t)
        fail_msg("%s", form);
    assert_string_equal(orr_trace_format(t), format);
    return t;
}

/* ---- Tiresias: what isn't a member of a record stays as an attribute ---- */

static void tiresias_attributes(void **state)
{
    (void)state;
    orr_trace *t = reading_well("job_id,num_gpu,submit_time,start_time,duration,model_size,aggr_interval,model_name,"
                                "model_scale\n10,12,11,14,20,400,0,vgg19,1\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "tiresias");
    has(t, job, "start_time", "14");
    has(t, job, "model_size", "400");
    assert_true(job->start == ORR_TIME_NONE);
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

/* ---- ElasticFlow ---- */

static void elasticflow_rows(void **state)
{
    (void)state;
    orr_trace *t = reading_well("job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
                                "duration,iteration,best_effort\n"
                                "0,5469,9,resnet50,6228,128,2,700,752,19852,0\n"
                                "3,309537,8,resnet50,409537,64,1,9000,10823,17316,1\n"
                                "4,5602,7,resnet50,,64,1,1300,1347,38524,\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "elasticflow");
    assert_int_equal(orr_trace_count(t), 3);
    assert_int_equal(noted(t, "unsorted"), 1);
    assert_int_equal(job[0].submit, 5469 * ORR_SECOND);
    assert_int_equal(job[0].duration, 752 * ORR_SECOND);
    assert_int_equal(job[0].deadline, 6228 * ORR_SECOND);
    assert_int_equal(job[0].gpus, 2);
    assert_string_equal(job[0].model, "resnet50");
    has(t, job, "iteration", "19852");
    has(t, job, "real_iteration", "9");
    has(t, job, "real_duration", "700");
    has(t, job, "batch_size", "128");
    assert_true(job[1].deadline == ORR_TIME_NONE); /* an empty cell */
    assert_string_equal(job[2].id, "3");
    assert_true(job[2].deadline == ORR_TIME_NONE); /* best effort */
    orr_trace_destroy(t);
}

static void elasticflow_public(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t jobs;
        int64_t first, last; /* submissions, s */
        uint64_t unsorted;
    } rows[] = {
        {"philly_103959", 876, 0, 7910536, 0},
        {"elasticVpollux_e", 195, 3715485, 3887530, 0},
        {"resnet_cifar_trace", 5, 0, 309537, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[128];
        snprintf(name, sizeof name, "data/elasticflow/traces/%s.csv", rows[i].name);
        orr_trace *t = read_shared(name, "elasticflow", NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_int_equal(orr_trace_count(t), rows[i].jobs);
        assert_int_equal(orr_trace_rows_read(t), rows[i].jobs);
        assert_int_equal(job[0].submit, rows[i].first * ORR_SECOND);
        assert_int_equal(job[rows[i].jobs - 1].submit, rows[i].last * ORR_SECOND);
        assert_int_equal(noted(t, "unsorted"), rows[i].unsorted);
        for (size_t j = 0; j < rows[i].jobs; j++)
            assert_true(job[j].deadline > job[j].submit);
        orr_trace_destroy(t);
    }
}

/* ---- Chronus ---- */

#define CHRONUS "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list," \
                "expect_value_list,best_effort,job_type\n"

static void chronus_rows(void **state)
{
    (void)state;
    orr_trace *t = reading_well(CHRONUS "0,vc_6214e9,4,3,5530,vgg16,96,5,159-189-229-289,10-8-5-2,0,soft\n"
                                        "1,someone,1,2,760,alexnet,106.5,6,235,10,0,strict\n"
                                        "2,vc_x,1,4,6832,vgg16,146,10,918,10,1,best\n"
                                        "3,vc_x,0,4,1,vgg16,1,10,5,10,0,strict\n"
                                        "4,vc_x,1,4,1,vgg16,1,10,a-5,10,0,soft\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "chronus");
    assert_int_equal(orr_trace_count(t), 3);
    assert_int_equal(noted(t, "unit-assumed"), 1);
    assert_int_equal(noted(t, "cpu-only"), 1);
    assert_int_equal(noted(t, "bad-time"), 1);
    assert_string_equal(job[0].user, "someone");
    assert_string_equal(job[0].vc, "");
    assert_int_equal(job[0].submit, 120 * ORR_SECOND); /* minutes */
    assert_int_equal(job[0].duration, 106500 * ORR_MS); /* seconds */
    assert_int_equal(job[0].deadline, 355 * ORR_SECOND);
    assert_string_equal(job[1].vc, "vc_6214e9");
    assert_string_equal(job[1].user, "");
    assert_int_equal(job[1].deadline, (180 + 159) * ORR_SECOND); /* the first of four */
    has(t, &job[1], "expect_time_list", "159-189-229-289");
    has(t, &job[1], "expect_value_list", "10-8-5-2");
    has(t, &job[1], "job_type", "soft");
    has(t, &job[1], "iterations", "5530");
    assert_true(job[2].deadline == ORR_TIME_NONE);
    has(t, &job[2], "best_effort", "1");
    orr_trace_destroy(t);
}

static void chronus_note(void **state)
{
    (void)state;
    const orr_note *notes;
    orr_trace *t = reading_well(CHRONUS "1,u,1,2,760,alexnet,106,6,235,10,0,strict\n", NULL);
    assert_int_equal(orr_trace_notes(t, &notes), 1);
    assert_int_equal(notes->kind, ORR_NOTE_ASSUME);
    assert_non_null(strstr(notes->detail, "minutes"));
    orr_trace_destroy(t);
}

static void chronus_public(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t cpu_only, best, unsorted;
    } rows[] = {{"SLO", 205, 0, 15523}, {"MIX2", 194, 3139, 15425}};
    const orr_trace_options all = {.keep_cpu_jobs = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[128];
        snprintf(name, sizeof name, "data/chronus/trace_job_Philly_%s.csv.gz", rows[i].name);
        orr_trace *t = read_shared(name, "chronus", NULL);
        assert_int_equal(orr_trace_rows_read(t), 30940);
        assert_int_equal(noted(t, "cpu-only"), rows[i].cpu_only);
        assert_int_equal(orr_trace_count(t), 30940 - rows[i].cpu_only);
        orr_trace_destroy(t);
        t = read_shared(name, "chronus", &all);
        const orr_trace_job *job = orr_trace_jobs(t);
        uint64_t best = 0;
        for (size_t j = 0; j < 30940; j++) {
            best += job[j].deadline == ORR_TIME_NONE;
            assert_true(job[j].deadline == ORR_TIME_NONE || job[j].deadline > job[j].submit + job[j].duration);
        }
        assert_int_equal(best, rows[i].best);
        assert_int_equal(job[0].submit, ORR_MINUTE);
        assert_int_equal(job[30939].submit, 20151 * ORR_MINUTE);
        assert_int_equal(noted(t, "unsorted"), rows[i].unsorted);
        orr_trace_destroy(t);
    }
}

/* ---- Muri ---- */

#define MURI "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time," \
             "resource_time_0,resource_time_1,resource_time_2,priority\r\n"

/* Values beyond 32 bits, and beyond what would be an epoch if they were seconds. */
static void muri_rows(void **state)
{
    (void)state;
    orr_trace *t = reading_well(MURI "0,16,0,4378042,vgg16,16,1453510000,3840000,332,83,68,110,0\r\n"
                                     "1,4,8572283001,7,bert,4,4257415000,0,244,0.5,166,86,1\r\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "muri");
    assert_int_equal(job[0].duration, 1453510 * ORR_SECOND);
    assert_int_equal(job[1].submit, INT64_C(8572283001) * ORR_MS);
    assert_int_equal(job[1].duration, INT64_C(4257415000) * ORR_MS);
    assert_string_equal(job[1].model, "bert");
    has(t, &job[1], "iteration_time", "244");
    has(t, &job[1], "resource_time_0", "0.5");
    has(t, &job[1], "resource_time_1", "166");
    has(t, &job[1], "resource_time_2", "86");
    has(t, &job[1], "priority", "1");
    has(t, &job[1], "batch_size", "4");
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

static void muri_public(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t jobs;
        int64_t last; /* submission, s */
    } rows[] = {
        {"trace-data/trace2", 5755, 8572283},    {"trace-data/trace2_pr", 5755, 0},
        {"trace-data/trace3", 992, 8166025},     {"trace-data/trace3_pr", 992, 0},
        {"trace-data/trace4", 2638, 7363956},    {"trace-data/trace4_pr", 2638, 0},
        {"trace-data/job_type_1", 992, 8166025}, {"trace-data/job_type_2", 992, 8166025},
        {"trace-data/job_type_4", 992, 8166025}, {"cluster_exp/cluster_trace", 400, 2344695},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[128];
        snprintf(name, sizeof name, "data/muri/%s.csv", rows[i].name);
        orr_trace *t = read_shared(name, "muri", NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        orr_time longest = 0;
        assert_int_equal(orr_trace_count(t), rows[i].jobs);
        assert_int_equal(orr_trace_rows_read(t), rows[i].jobs);
        assert_int_equal(job[rows[i].jobs - 1].submit, rows[i].last * ORR_SECOND);
        for (size_t j = 0; j < rows[i].jobs; j++)
            longest = job[j].duration > longest ? job[j].duration : longest;
        if (i == 0)
            assert_int_equal(longest, 4257415 * ORR_SECOND);
        orr_trace_destroy(t);
    }
}

/* ---- Synergy ---- */

static void synergy_rows(void **state)
{
    (void)state;
    const orr_note *notes;
    orr_trace *t = reading_well("0,alexnet,.123,3349,4\n1,gnmt,.286,10,1\n2,gpt9,.3,10,1\n3,vae,1,-1,1\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "synergy");
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(noted(t, "no-throughput"), 1);
    assert_int_equal(noted(t, "bad-number"), 1);
    assert_int_equal(noted(t, "unit-assumed"), 1);
    orr_trace_notes(t, &notes);
    assert_non_null(strstr(notes->detail, "seconds"));
    assert_int_equal(job[0].submit, 123 * ORR_MS);
    assert_int_equal(job[0].duration, 2009400 * ORR_MS); /* 3349 * 0.6 s */
    assert_int_equal(job[0].gpus, 4);
    assert_string_equal(job[0].model, "alexnet");
    assert_int_equal(job[1].duration, 1200 * ORR_MS);
    has(t, job, "iterations", "3349");
    orr_trace_destroy(t);
}

static void what_is_no_synergy(void **state)
{
    (void)state;
    static const char *const texts[] = {"0,alexnet,.1,3349\n", "0,alexnet,.1,3349,4,5\n", "0,1,.1,3349,4\n",
                                        "a,alexnet,.1,3349,4\n", "0,alexnet,now,3349,4\n", "0,alexnet,.1,3.5,4\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_error e;
        orr_trace *t = reading(texts[i], NULL, &e);
        if (t && strcmp(orr_trace_format(t), "synergy") == 0)
            fail_msg("%s", texts[i]);
        orr_trace_destroy(t);
    }
}

static void synergy_public(void **state)
{
    (void)state;
    orr_trace *t = read_shared("data/synergy/static_100job_6_3_1100.0", "synergy", NULL);
    assert_int_equal(orr_trace_count(t), 100);
    orr_trace_destroy(t);
    t = read_shared("data/synergy/test_trace", "synergy", NULL);
    assert_int_equal(orr_trace_count(t), 8);
    orr_trace_destroy(t);
}

/* ---- files beside them that are no workloads ---- */

static void no_workloads(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"duration\n121\n122\n", "no job"},
        {"num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,8,8,92,520", "cluster"},
        {"placement,local_bsz,step_time,sync_time\n1,4,0.4,0.1\n", "measurements"},
        {"local_bsz,step_time,sync_time,num_nodes,num_replicas\n4,0.4,0.1,2,2\n", "measurements"},
        {"progress,iteration,metric,grad_sqr,grad_var\n1,2,3,4,5\n", "measurements"},
        {"global_batch_size,1,2,4\n64,1,2,3\n", "throughputs"},
        {"model,num_tensors,total_mb,max_tensor_mb,tensors_mb\nvgg19,15,547.1,392.0,1.1 2.3\n", "models"},
        {"{\"v100\": {\"('A', 1)\": {\"null\": 1}}}\n", "JSON"},
        {"[CLUSTER]\nracks = 1\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e;
        orr_trace *t = reading(rows[i].text, NULL, &e);
        if (t || !e.code || (rows[i].message && !strstr(e.message, rows[i].message)))
            fail_msg("%s: %s", rows[i].text, e.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiresias_attributes), cmocka_unit_test(elasticflow_rows), cmocka_unit_test(elasticflow_public),
        cmocka_unit_test(chronus_rows),        cmocka_unit_test(chronus_note),     cmocka_unit_test(chronus_public),
        cmocka_unit_test(muri_rows),           cmocka_unit_test(muri_public),      cmocka_unit_test(synergy_rows),
        cmocka_unit_test(what_is_no_synergy),  cmocka_unit_test(synergy_public),   cmocka_unit_test(no_workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
