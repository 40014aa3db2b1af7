/* timeline.csv. */
#include "sample.h"

static void level(orr_csv_sink *csv, double at, int32_t vc, int64_t held, int64_t queued)
{
    orr_sink sink = orr_csv_sink_sink(csv);
    orr_levels l = {.vc = vc, .gpus_total = 4, .milli_held = 1000 * held, .milli_busy = 1000 * held, .jobs_queued = queued,
                    .milli_queued = 2000 * queued, .jobs_running = held > 0};
    sink.levels(sink.self, feed_time(at), &l);
}

static void only_changes_in_a_fixed_order(void **state)
{
    (void)state;
    orr_cluster_spec *cluster = orr_cluster_spec_create("c");
    orr_node_spec node = orr_node_spec_default();
    node.vc = "vision, large";
    assert_int_equal(orr_cluster_spec_add(cluster, &node, 1, NULL), ORR_OK);
    node.vc = "speech";
    assert_int_equal(orr_cluster_spec_add(cluster, &node, 1, NULL), ORR_OK);
    const char *path = sample_path("timeline.csv");
    orr_csv_sink *csv = orr_timeline_csv_create(path, cluster, NULL);
    level(csv, 0, 1, 4, 0);
    level(csv, 0, 0, 0, 1);  /* a VC first: the cluster still comes first in the file */
    level(csv, 0, -1, 0, 1);
    level(csv, 0, -1, 4, 0); /* the last word of the instant */
    level(csv, 1, -1, 4, 0); /* nothing changed */
    level(csv, 2.5, -1, 4, 3);
    level(csv, 2.5, 1, 4, 0);
    assert_int_equal(orr_csv_sink_commit(csv, NULL), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n"
                             "0,cluster,gpus_total,4\n"
                             "0,cluster,gpus_held,4\n"
                             "0,cluster,gpus_busy,4\n"
                             "0,cluster,jobs_queued,0\n"
                             "0,cluster,gpus_queued,0\n"
                             "0,cluster,jobs_running,1\n"
                             "0,\"vc:vision, large\",gpus_total,4\n"
                             "0,\"vc:vision, large\",gpus_held,0\n"
                             "0,\"vc:vision, large\",gpus_busy,0\n"
                             "0,\"vc:vision, large\",jobs_queued,1\n"
                             "0,\"vc:vision, large\",gpus_queued,2\n"
                             "0,\"vc:vision, large\",jobs_running,0\n"
                             "0,vc:speech,gpus_total,4\n"
                             "0,vc:speech,gpus_held,4\n"
                             "0,vc:speech,gpus_busy,4\n"
                             "0,vc:speech,jobs_queued,0\n"
                             "0,vc:speech,gpus_queued,0\n"
                             "0,vc:speech,jobs_running,1\n"
                             "2.5,cluster,jobs_queued,3\n"
                             "2.5,cluster,gpus_queued,6\n");
    sample_clean();
    orr_cluster_spec_destroy(cluster);
}

/* Parts of GPUs are exact decimals, as short as they are. */
static void parts_of_gpus(void **state)
{
    (void)state;
    const char *path = sample_path("timeline.csv");
    orr_csv_sink *csv = orr_timeline_csv_create(path, NULL, NULL);
    orr_sink sink = orr_csv_sink_sink(csv);
    orr_levels l = {.vc = -1, .gpus_total = 4, .milli_held = 1250, .milli_busy = 500, .jobs_queued = 1, .milli_queued = 7};
    sink.levels(sink.self, 0, &l);
    l.milli_held = 2000;
    l.milli_busy = 1003;
    l.gpus_total = 3;
    sink.levels(sink.self, ORR_SECOND, &l);
    assert_int_equal(orr_csv_sink_commit(csv, NULL), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n0,cluster,gpus_total,4\n0,cluster,gpus_held,1.25\n"
                             "0,cluster,gpus_busy,0.5\n0,cluster,jobs_queued,1\n0,cluster,gpus_queued,0.007\n"
                             "0,cluster,jobs_running,0\n1,cluster,gpus_total,3\n1,cluster,gpus_held,2\n"
                             "1,cluster,gpus_busy,1.003\n");
    sample_clean();
}

/* The only pool is the cluster: its rows would say everything twice, under a name that may be one VC's of several. */
static void one_pool_is_told_once(void **state)
{
    (void)state;
    const char *path = sample_path("timeline.csv");
    orr_csv_sink *csv = orr_timeline_csv_create(path, NULL, NULL);
    level(csv, 1, 0, 0, 0);
    level(csv, 1, -1, 0, 0);
    level(csv, 2, 0, 4, 0);
    level(csv, 2, -1, 4, 0);
    assert_int_equal(orr_csv_sink_commit(csv, NULL), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n"
                             "1,cluster,gpus_total,4\n"
                             "1,cluster,gpus_held,0\n"
                             "1,cluster,gpus_busy,0\n"
                             "1,cluster,jobs_queued,0\n"
                             "1,cluster,gpus_queued,0\n"
                             "1,cluster,jobs_running,0\n"
                             "2,cluster,gpus_held,4\n"
                             "2,cluster,gpus_busy,4\n"
                             "2,cluster,jobs_running,1\n");
    sample_clean();
}

static void a_run_without_events(void **state)
{
    (void)state;
    const char *path = sample_path("timeline.csv");
    orr_csv_sink *csv = orr_timeline_csv_create(path, NULL, NULL);
    assert_int_equal(orr_csv_sink_commit(csv, NULL), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n");
    sample_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_changes_in_a_fixed_order),
        cmocka_unit_test(one_pool_is_told_once), cmocka_unit_test(parts_of_gpus),
        cmocka_unit_test(a_run_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
