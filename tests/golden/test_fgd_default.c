/* The public FGD simulator's results on Alibaba's openb pods, where they are: node and GPUs of every pod, what was left when
 * and why it was of no use, under five policies; the nodes of its own tests, and its example of six pods. */
#include "fgd.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void pods_go_where_theirs_went(void **state)
{
    (void)state;
    fgd_trace_is_theirs("default");
}

/* ---- nodes ---- */

static orr_remnant remnant_of(const table *t, size_t row)
{
    orr_remnant left = {.cpu_milli = table_number(t, row, "free_cpu_milli"), .type = 1};
    const char *text = table_text(t, row, "free_gpu_milli");
    for (int used; sscanf(text, "%d%n", &left.milli[left.gpus], &used) == 1; text += *text == '+') {
        left.gpus++;
        text += used;
    }
    return left;
}

static void check_case(const table *t, size_t row)
{
    static const char *const causes[] = {"q1", "q2", "q3", "q4", "xl", "xr", "na"};
    const char *spec = table_text(t, row, "task_gpu_spec"), *part = table_text(t, row, "task_probability");
    const bool suits = !spec[0] || strcmp(spec, table_text(t, row, "gpu_model")) == 0;
    orr_fragment_class c = {.cpu_milli = table_number(t, row, "task_cpu_milli"),
                            .gpus = (int32_t)table_number(t, row, "task_gpus"),
                            .milli = (int32_t)table_number(t, row, "task_gpu_milli"),
                            .types = suits ? 1 : 2};
    double by[ORR_FRAGMENT_CAUSES], wanted;
    assert_true(orr_parse_double(part, strlen(part), &c.part));
    part = table_text(t, row, "fragment_milli");
    assert_true(orr_parse_double(part, strlen(part), &wanted));
    const orr_remnant left = remnant_of(t, row);
    orr_fragments *f = orr_fragments_create(&c, 1);
    orr_fragments_by_cause(f, &left, by);
    const double is = orr_fragments_of(f, &left);
    orr_fragments_destroy(f);
    int cause = 0;
    while (strcmp(causes[cause], table_text(t, row, "category")) != 0)
        cause++;
    if (fabs(is - wanted) > 1e-6 || (cause != ORR_FRAGMENT_USABLE && fabs(by[cause] - wanted) > 1e-6))
        fail_msg("%s: %g", table_text(t, row, "case"), is);
}

static void nodes_of_their_tests(void **state)
{
    (void)state;
    char path[1024];
    if (!run_shared(path, "golden/fgd/unit_cases.csv")) {
        golden_skipped("fgd nodes", "no data outside the tree");
        return;
    }
    table *t = table_read(path);
    assert_true(t->count > 5);
    for (size_t i = 0; i < t->count; i++)
        check_case(t, i);
    table_free(t);
    golden_ran("fgd nodes");
}

/* ---- six pods ---- */

static table *table_of(const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/orrery-table-%d.csv", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    table *t = table_read(path);
    remove(path);
    return t;
}

static void six_pods(void **state)
{
    (void)state;
    char path[1024];
    if (!run_shared(path, "golden/fgd/unit_small_cluster.csv")) {
        golden_skipped("fgd six-pods", "no data outside the tree");
        return;
    }
    table *theirs = table_read(path);
    table *nodes = table_of("node,cpu_milli,memory_mib,gpu,model\nnode-00,64000,262144,2,V100\n"
                            "node-01,64000,262144,4,V100\n");
    table *jobs = table_of("cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n12000,1,2,1000,\n8000,1,0,0,\n"
                           "4000,1,1,500,\n");
    orr_text text = {0};
    orr_text_addf(&text, "cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n");
    for (size_t i = 0; i < theirs->count; i++)
        orr_text_addf(&text, "%s,1,%s,%s,\n", table_text(theirs, i, "cpu_milli"), table_text(theirs, i, "num_gpu"),
                      table_text(theirs, i, "gpu_milli"));
    table *pods = table_of(text.at);
    fgd_world *w = fgd_open(pods, nodes, jobs, "1");
    fgd_run *r = fgd_go(w, "FGD", 1);
    for (size_t i = 0; i < theirs->count; i++)
        assert_string_equal(orr_cluster_spec_node(w->cluster, r->pods[i].node)->name, table_text(theirs, i, "expected_node"));
    assert_int_equal(r->used, table_number(theirs, theirs->count - 1, "used_gpu_milli_after"));
    fgd_done(r);
    fgd_close(w);
    orr_text_fini(&text);
    table_free(pods);
    table_free(nodes);
    table_free(jobs);
    table_free(theirs);
    golden_ran("fgd six-pods");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_go_where_theirs_went),
        cmocka_unit_test(nodes_of_their_tests),
        cmocka_unit_test(six_pods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
