/* Jobs that name the GPU types they may run on: one, several, or some that there aren't. */
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A node of 2 GPUs and 8 cores for each word. */
static stage *of_types(const char *words)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("types");
    char type[16];
    int used;
    for (; sscanf(words, " %15s%n", type, &used) == 1; words += used) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = 2;
        n.cpus = 8;
        n.gpu_type = type;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return stage_on(spec);
}

static void add_typed(stage *s, const char *id, double submit, int32_t gpus, double duration, const char *types)
{
    orr_trace_job job = stage_job(id, submit, gpus, duration);
    job.gpu_type = types;
    job.cpu_milli = gpus ? 0 : 4000;
    stage_add(s, job);
}

/* The node of its only hold, or of the `slice`-th of them. */
static int32_t node_of(const stage *s, const char *id, int slice)
{
    for (size_t i = 0; i < s->hold_count; i++)
        if (strcmp(orr_trace_jobs(s->trace)[s->holds[i].job].id, id) == 0)
            return slice < s->holds[i].slice_count ? s->holds[i].slices[slice].node : -1;
    fail_msg("%s never ran", id);
    return -1;
}

/* Nodes: 0 T4, 1 P100, 2 V100. */
static void any_of_a_list(void **state)
{
    (void)state;
    static const struct {
        const char *types;
        int32_t node; /* by first-fit */
    } rows[] = {{"", 0}, {"T4", 0}, {"V100", 2}, {"V100|P100", 1}, {"P100|V100", 1}, {"H100|V100", 2}, {"V100|V100", 2},
                {"A|B|P100|C", 1}, {"|V100|", 2}, {"T4|P100|V100", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = of_types("T4 P100 V100");
        add_typed(s, "J", 0, 2, 1, rows[i].types);
        s->options.policy = "fifo+first-fit";
        stage_run(s);
        if (stage_of(s, "J")->state != ORR_JOB_DONE || node_of(s, "J", 0) != rows[i].node)
            fail_msg("'%s' ran on node %d", rows[i].types, node_of(s, "J", 0));
        stage_destroy(s);
    }
}

/* None of them is there; half a name is no name. */
static void none_of_a_list(void **state)
{
    (void)state;
    static const char *const rows[] = {"H100", "H100|A100", "V10", "V1000", "V100 ", "|", "H100|"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = of_types("T4 P100 V100");
        add_typed(s, "J", 0, 1, 1, rows[i]);
        stage_run(s);
        if (strcmp(stage_of(s, "J")->reason, "no-such-gpu-type") != 0)
            fail_msg("'%s': %s", rows[i], stage_of(s, "J")->reason);
        stage_destroy(s);
    }
}

/* Four GPUs over both types of the list, and never on the third; five are more than there are of them. */
static void a_gang_over_several_types(void **state)
{
    (void)state;
    stage *s = of_types("T4 P100 V100");
    add_typed(s, "J", 0, 4, 1, "T4|V100");
    add_typed(s, "K", 0, 5, 1, "T4|V100");
    s->options.policy = "fifo+first-fit";
    stage_run(s);
    assert_int_equal(node_of(s, "J", 0), 0);
    assert_int_equal(node_of(s, "J", 1), 2);
    assert_string_equal(stage_of(s, "K")->reason, "no-room-even-when-empty");
    stage_destroy(s);
}

/*  A V100       |##########|
 *  B V100       |..........####|   the only V100 is taken
 *  C V100|T4    .|####|            another kind of request: finds the T4 */
static void lists_are_shapes_of_their_own(void **state)
{
    (void)state;
    stage *s = of_types("T4 V100");
    add_typed(s, "A", 0, 2, 10, "V100");
    add_typed(s, "B", 0, 2, 4, "V100");
    add_typed(s, "C", 1, 2, 4, "V100|T4");
    s->options.policy = "fifo,hol=skip";
    stage_run(s);
    stage_ends(s, "A:10 B:14 C:5");
    stage_destroy(s);
}

/* Jobs without GPUs take cores of the nodes that they name; 8 of them are there, 4 a job. */
static void jobs_without_gpus(void **state)
{
    (void)state;
    stage *s = of_types("T4 P100 V100");
    add_typed(s, "A", 0, 0, 10, "P100|V100");
    add_typed(s, "B", 0, 0, 10, "P100");
    add_typed(s, "C", 0, 0, 10, "P100");
    add_typed(s, "D", 0, 0, 10, "P100|V100");
    add_typed(s, "E", 0, 0, 10, "");
    s->options.policy = "fifo,hol=skip";
    stage_run(s);
    assert_int_equal(node_of(s, "A", 0), 1);
    assert_int_equal(node_of(s, "B", 0), 1);
    stage_held(s, "C", "10-20/0 done");
    assert_int_equal(node_of(s, "D", 0), 2);
    assert_int_equal(node_of(s, "E", 0), 0);
    stage_destroy(s);
}

/* A plan that puts a job on another type is refused. */
static void other_types_are_refused(void **state)
{
    (void)state;
    stage *s = of_types("T4 P100 V100");
    add_typed(s, "J", 0, 1, 1, "T4|V100");
    stage_script(s, "0 J@1:1");
    assert_int_equal(stage_try(s), ORR_E_PLAN_CAPACITY);
    stage_destroy(s);
}

/* 64 types are bits of a word; a cluster with more is refused. */
static void as_many_types_as_bits(void **state)
{
    (void)state;
    for (int types = 64; types <= 65; types++) {
        orr_cluster_spec *spec = orr_cluster_spec_create("many");
        for (int i = 0; i < types; i++) {
            char name[16];
            orr_node_spec n = orr_node_spec_default();
            snprintf(name, sizeof name, "t%d", i);
            n.gpus = 1;
            n.gpu_type = name;
            assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
        }
        stage *s = stage_on(spec);
        add_typed(s, "J", 0, 1, 1, "t63");
        if (types == 64) {
            stage_run(s);
            assert_int_equal(node_of(s, "J", 0), 63);
        } else {
            assert_int_equal(stage_open(s), ORR_E_BAD_CLUSTER);
            assert_non_null(strstr(s->error.message, "65 GPU types"));
        }
        stage_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_of_a_list),     cmocka_unit_test(none_of_a_list),
        cmocka_unit_test(a_gang_over_several_types), cmocka_unit_test(lists_are_shapes_of_their_own),
        cmocka_unit_test(jobs_without_gpus), cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(as_many_types_as_bits),
    };
    return cmocka_run_group_tests_name("types", tests, NULL, NULL);
}
