/* The side-by-side table. */
#include "sample.h"

static void assert_table(const orr_report_run *runs, size_t n, orr_table_form form, const char *want)
{
    orr_text text = {0};
    orr_report_table(runs, n, form, &text);
    assert_string_equal(text.at, want);
    orr_text_fini(&text);
}

/* JCTs of A and B are 20 and 25, waits 0 and 15. A shares with B and C: N = (5 + 10 + 30) / 20, T_id = 20 2 N / 4;
 * B: N = (10 + 30 + 20) / 25 = 2.4, T_id = 24. Offered: 40 + 40 + 0.4 GPU·s over 10 s. */
static void two_runs_side_by_side(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_metrics better = *s.run.metrics;
    better.jct = (orr_dist){.n = 2, .mean = 19200, .p50 = 0.25, .p90 = 1, .p95 = 1, .p99 = NAN};
    better.biased = false;
    better.gpu_alloc = 0.8625;
    better.preemptions = 1204;
    orr_sim_options options = s.options;
    options.policy = "srtf";
    orr_report_run runs[2] = {s.run, s.run};
    runs[1].metrics = &better;
    runs[1].options = &options;
    runs[1].used[ORR_Q_DURATION] = ORR_KNOW_ORACLE;
    runs[1].stop = ORR_STOP_DRAINED;
    assert_table(runs, 2, ORR_TABLE_TEXT,
                 "trace    traces/three.csv    3 jobs over 10 s   offered load 2.01 of 4 GPUs\n"
                 "cluster  tiny    2 nodes x 2 V100\n"
                 "\n"
                 "policy       knowledge  jct.mean      p50    p99  wait_total  gpu_alloc  preemptions  "
                 "rho_worst:avg_n  stop\n"
                 "fifo:strict  observed    22.5 s*  22.5 s*  25 s*      7.5 s*      0.0 %            0  "
                 "          1.04*  horizon\n"
                 "srtf         oracle     5 h 20 m   250 ms      -       7.5 s     86.3 %        1,204  "
                 "           1.04  drained\n"
                 "\n"
                 "* jobs were still running or queued at the end: covers survivors only\n");
    assert_table(runs, 2, ORR_TABLE_CSV,
                 "policy,knowledge,jct.mean,jct.p50,jct.p99,wait_total.mean,gpu_alloc,preemptions,rho_worst:avg_n,"
                 "stop\n"
                 "fifo:strict,observed,22.5,22.5,24.95,7.5,0,0,1.0416666666666667,horizon\n"
                 "srtf,oracle,19200,0.25,,7.5,0.8625,1204,1.0416666666666667,drained\n");
    sample_fini(&s);
}

static void mixed_machines_and_a_narrow_measure(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_cluster_spec *mixed = orr_cluster_spec_create("mixed");
    static const struct {
        int32_t gpus, count;
        const char *type, *vc;
    } nodes[] = {{8, 2, "A100", "x"}, {4, 1, "", "y"},   {8, 1, "A100", "y"},
                 {0, 1, "", "y"},     {1, 1, "T4", "y"}, {2, 2, "T4", "y"}};
    for (size_t i = 0; i < COUNT(nodes); i++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = nodes[i].gpus;
        node.gpu_type = nodes[i].type;
        node.vc = nodes[i].vc;
        assert_int_equal(orr_cluster_spec_add(mixed, &node, nodes[i].count, NULL), ORR_OK);
    }
    orr_metrics narrow = *s.run.metrics;
    narrow.measure.completed_only = true;
    narrow.biased = false;
    narrow.load = NAN;
    s.run.metrics = &narrow;
    s.run.cluster = mixed;
    s.run.cluster_asked = "mixed.yaml";
    orr_text text = {0};
    orr_report_table(&s.run, 1, ORR_TABLE_MARKDOWN, &text);
    assert_non_null(strstr(text.at, "```\ntrace    traces/three.csv    3 jobs over 10 s\n"
                                    "cluster  mixed.yaml    3 nodes x 8 A100, 1 node x 4 GPUs, 1 node without GPUs, "
                                    "1 node x 1 T4, 2 nodes of other kinds, 2 VCs\n```\n\n| policy |"));
    assert_non_null(strstr(text.at, "\nmeasured set: completed\n"));
    orr_text_fini(&text);
    orr_cluster_spec_destroy(mixed);
    sample_fini(&s);
}

/* Jobs outside of the measured set, and those of the start state that found no room: told below the table. */
static void what_is_left_out_is_said(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_metrics cut = *s.run.metrics;
    cut.biased = false;
    cut.jobs.censored = 1;
    cut.jobs.carried = 1200;
    s.run.metrics = &cut;
    s.run.counts.resumed = 3;
    s.run.counts.displaced = 1;
    orr_text text = {0};
    orr_report_table(&s.run, 1, ORR_TABLE_TEXT, &text);
    assert_non_null(strstr(text.at, "horizon\n\nnot measured: 1 censored job (all+censored does)\n"
                                    "not measured: 1,200 jobs carried over the beginning (all+carried does)\n"
                                    "fifo:strict: 1 of 4 jobs that ran at the beginning found no room and were queued\n"));
    orr_text_clear(&text);
    cut.measure.censored = cut.measure.carried = true;
    orr_report_table(&s.run, 1, ORR_TABLE_TEXT, &text);
    assert_non_null(strstr(text.at, "horizon\n\nmeasured set: all+censored+carried\nfifo:strict: 1 of 4"));
    orr_text_fini(&text);
    sample_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_side_by_side),
        cmocka_unit_test(mixed_machines_and_a_narrow_measure),
        cmocka_unit_test(what_is_left_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
