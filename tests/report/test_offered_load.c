/* A cluster of 4 A in VC "x" and 12 B, half of them in "x"; jobs over 100 s:
 *
 *   j0  any type        8 GPUs x 50 s    400 GPU-s    spread 4:12 over A and B
 *   j1  A or C          2 GPUs x 50 s    100 GPU-s    on A, as C isn't there; but A is all in x: can never run
 *   j2  C               1 GPU  x 10 s     10 GPU-s    can never run
 *   j3  any, in x      11 GPUs x 10 s    110 GPU-s    x has 10: can never run; its load counts all the same
 *   j4  half a B        1 GPU  x 20 s     10 GPU-s    submitted at 100 s
 */
#include "report/offered_load.h"
#include "run.h"
#include "sample.h"
#include "trace/reader.h"
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>

static const char jobs[] = "job_id,submit,duration,gpus,gpu_type,vc,gpu_milli\n"
                           "j0,0,50,8,,,\n"
                           "j1,10,50,2,A|C,,\n"
                           "j2,20,10,1,C,,\n"
                           "j3,30,10,11,,x,\n"
                           "j4,100,20,1,B,x,500\n";

typedef struct stage {
    orr_trace *trace;
    orr_description *d;
    orr_cluster_spec *cluster;
    orr_offered_load load;
} stage;

static void nodes(orr_cluster_spec *cluster, const char *type, const char *vc, int32_t gpus)
{
    orr_error e = {0};
    orr_node_spec node = orr_node_spec_default();
    node.gpu_type = type;
    node.vc = vc;
    node.gpus = gpus;
    assert_int_equal(orr_cluster_spec_add(cluster, &node, 1, &e), ORR_OK);
}

static stage begin(const char *text)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("t.csv", text, strlen(text));
    stage s = {.trace = orr_trace_read_input(in, &(orr_trace_options){0}, &e), .cluster = orr_cluster_spec_create("c")};
    orr_input_close(in);
    assert_non_null(s.trace);
    nodes(s.cluster, "A", "x", 4);
    nodes(s.cluster, "B", "x", 6);
    nodes(s.cluster, "B", "", 6);
    s.d = orr_trace_describe(s.trace);
    s.load = orr_offered_load_of(s.d, s.cluster, "c.yaml");
    return s;
}

static void end(stage *s)
{
    orr_offered_load_fini(&s->load);
    orr_description_destroy(s->d);
    orr_trace_destroy(s->trace);
    orr_cluster_spec_destroy(s->cluster);
}

static void near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%.15g instead of %.15g", got, want);
}

static void by_type_and_vc(void **state)
{
    (void)state;
    stage s = begin(jobs);
    near(s.load.all.load, 630.0 / 1600);
    assert_int_equal(s.load.types.n, 2);
    assert_string_equal(s.load.types.at[0].name, "A");
    near(s.load.types.at[0].load, (510.0 / 4 + 100) / 400); /* j0 and j3, j1 */
    near(s.load.types.at[1].load, (510.0 * 3 / 4 + 10) / 1200);
    assert_int_equal(s.load.vcs.n, 2); /* "" and x, the most jobs first */
    assert_string_equal(s.load.vcs.at[1].name, "x");
    assert_int_equal(s.load.vcs.at[1].gpus, 10);
    near(s.load.vcs.at[1].load, 120.0 / 1000);
    near(s.load.at_once, 22.5 / 16);
    end(&s);
}

static void what_can_never_run(void **state)
{
    (void)state;
    stage s = begin(jobs);
    assert_int_equal(s.load.never, 4);
    assert_int_equal(s.load.no_type, 1);
    assert_int_equal(s.load.too_wide, 3); /* j0, too: the nodes without a VC have 6 */
    assert_int_equal(s.load.no_vc, 0);
    near(orr_milli_seconds(s.load.never_milli_ns), 620);
    end(&s);
}

static void told(void **state)
{
    (void)state;
    stage s = begin(jobs);
    orr_text text = {0};
    cJSON *json = cJSON_CreateObject();
    orr_offered_load_text(&s.load, &text);
    assert_string_equal(text.at, "\noffered load on c.yaml\n"
                                 "  all              0.394 of 16 GPUs\n"
                                 "  A                0.569 of 4 GPUs\n"
                                 "  B                0.327 of 12 GPUs\n"
                                 "  (none)           0.850 of 6 GPUs\n"
                                 "  x                0.120 of 10 GPUs\n"
                                 "  all at once      1.406 of its GPUs\n"
                                 "  can never fit    4 jobs, 0.172 GPU-hours:\n"
                                 "                   too wide 3, no GPU of their type 1, no such VC 0\n");
    orr_offered_load_json(&s.load, json);
    char *print = cJSON_PrintUnformatted(json);
    assert_non_null(strstr(print, "\"gpus\":16,\"load\":0.39375,\"vcs\":[{\"vc\":\"\",\"gpus\":6,\"load\":0.85"));
    assert_non_null(strstr(print, "\"gpu_types\":[{\"gpu_type\":\"A\",\"gpus\":4,\"load\":0.56875},"));
    assert_non_null(strstr(print, "\"never_fit\":{\"jobs\":4,\"no_gpu_of_type\":1,\"too_wide\":3,\"no_such_vc\":0,"));
    cJSON_free(print);
    cJSON_Delete(json);
    orr_text_fini(&text);
    end(&s);
}

static void all_at_once_has_no_load(void **state)
{
    (void)state;
    stage s = begin("job_id,submit,duration,gpus\na,5,10,1\nb,5,5,8\n");
    assert_true(isnan(s.load.all.load));
    near(s.load.at_once, 9.0 / 16);
    end(&s);
}

/* "97.98% of the cluster": what all pods ask for, over its GPUs. */
static void openb_asks_for_nearly_all(void **state)
{
    (void)state;
    char pods[1024], nodes_path[1024], text[32];
    orr_error e = {0};
    if (!run_shared(pods, "data/openb/openb_pod_list_default.csv") ||
        !run_shared(nodes_path, "data/openb/openb_node_list_all_node.csv")) {
        print_message("skipped: no shared data\n");
        skip();
    }
    orr_trace *trace = orr_trace_read(pods, &(orr_trace_options){.keep_cpu_jobs = true}, &e);
    orr_cluster_spec *cluster = orr_cluster_spec_load(nodes_path, NULL, &e);
    assert_non_null(trace);
    assert_non_null(cluster);
    orr_description *d = orr_trace_describe(trace);
    orr_offered_load load = orr_offered_load_of(d, cluster, "openb");
    snprintf(text, sizeof text, "%.2f %%", 100 * load.at_once);
    assert_string_equal(text, "97.98 %");
    assert_int_equal(load.types.n, 7);
    assert_int_equal(load.never, 0);
    orr_offered_load_fini(&load);
    orr_description_destroy(d);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_type_and_vc),          cmocka_unit_test(what_can_never_run),        cmocka_unit_test(told),
        cmocka_unit_test(all_at_once_has_no_load), cmocka_unit_test(openb_asks_for_nearly_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
