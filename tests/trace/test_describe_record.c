/* What the record says happened, by hand: three pods of one file,
 *
 *          created  scheduled  deleted   GPUs
 *   p0        0        10        110     0.5      succeeded
 *   p1       10        10         30     2        still ran
 *   p2       20         -         70     0.25     never ran
 *
 * so that they ran 100 and 20 s, waited 10 and 0 s, and were in the system for 110, 20 and 50 s.
 */
#include "facts.h"
#include "trace/describe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char pods[] =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p0,4000,1024,1,500,,LS,Succeeded,0,110,10\n"
    "p1,8000,2048,2,1000,V100|P100,BE,Running,10,30,10\n"
    "p2,1000,1024,1,250,,LS,Pending,20,70,\n";

static void totals_weigh_shares(void **state)
{
    (void)state;
    cJSON *f = facts_of_text(pods, NULL);
    ASSERT_FACTS(
        f, {"jobs", 0, "2"}, {"withdrawn", 0, "1"}, {"gpu_seconds", 1, "90.0"}, {"gpu_hours", 6, "0.025000"},
        {"whole_gpu_hours", 6, "0.038889"} /* 140 GPU-s */, {"gpu_time.min", 0, "40"}, {"gpu_time.max", 0, "50"},
        {"asked.jobs.gpus", 0, "3"}, {"asked.jobs.gpu_milli", 0, "2500"}, {"asked.jobs.of_fractions", 0, "1"},
        {"asked.jobs.cpus", 3, "12.000"}, {"asked.withdrawn.gpu_milli", 0, "250"}, {"asked.withdrawn.records", 0, "1"},
        {"asked.withdrawn.mem_bytes", 0, "1073741824"}, {"gpu_milli_histogram[gpu_milli=250].withdrawn", 0, "1"},
        {"gpu_milli_histogram[gpu_milli=250].jobs", 0, "0"}, {"gpu_milli_histogram[gpu_milli=500].jobs", 0, "1"},
        {"gpus_histogram[gpus=1].jobs", 0, "1"}, {"gpus_histogram[gpus=1].withdrawn", 0, "1"},
        {"gpus_histogram[gpus=2].jobs", 0, "1"}, {"gpu_types.names", 0, "2"},
        {"gpu_types.list[gpu_type=V100|P100].jobs", 0, "1"});
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "gpu_milli_histogram")), 2);
    cJSON_Delete(f);
}

static void times(void **state)
{
    (void)state;
    cJSON *f = facts_of_text(pods, NULL);
    ASSERT_FACTS(
        f, {"recorded.wait.n", 0, "2"}, {"recorded.wait.mean", 0, "5"}, {"recorded.run.p50", 0, "60"},
        {"recorded.in_system.n", 0, "3"}, {"recorded.in_system.mean", 0, "60"}, {"recorded.in_system.p50", 0, "50"},
        {"recorded.started_at_once", 0, "1"}, {"recorded.started_early", 0, "0"},
        {"recorded.in_system_gpu_hours", 8, "0.02986111"} /* 55 + 40 + 12.5 GPU-s */, {"censored", 0, "1"},
        {"censored_gpu_hours", 6, "0.011111"}, {"arrivals.submissions", 0, "3"}, {"arrivals.gaps.mean", 0, "10"});
    cJSON_Delete(f);
}

static void attributes_count_the_withdrawn_apart(void **state)
{
    (void)state;
    cJSON *f = facts_of_text(pods, NULL);
    ASSERT_FACTS(
        f, {"attributes[attribute=qos].stated", 0, "3"}, {"attributes[attribute=qos].values[value=LS].jobs", 0, "1"},
        {"attributes[attribute=qos].values[value=LS].withdrawn", 0, "1"},
        {"attributes[attribute=pod_phase].values[value=Pending].jobs", 0, "0"},
        {"attributes[attribute=memory_mib].sum", 0, "4096"}, {"attributes[attribute=memory_mib].min", 0, "1024"},
        {"attributes[attribute=memory_mib].max", 0, "2048"}, {"coverage.records", 0, "3"},
        {"coverage.columns[column=start].stated", 0, "2"}, {"coverage.columns[column=start].by_day[0]", 0, "2"},
        {"coverage.columns[column=end].share", 0, "1"}, {"coverage.columns[column=user].stated", 0, "0"});
    assert_null(fact_at(f, "attributes[attribute=qos].sum"));
    assert_null(fact_at(f, "coverage.columns[column=end].by_day")); /* nothing that the sum doesn't say */
    cJSON_Delete(f);
}

/* 0.5 GPU over [0, 100) or [10, 110), 2 GPUs over [10, 30): in ten parts of 10 s. */
static void demand(void **state)
{
    (void)state;
    static const double want[2][10] = {{0.5, 2.5, 2.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
                                       {0, 2.5, 2.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
    double got[2][10], coarse[2][1];
    orr_trace *t = reading_well(pods, NULL);
    orr_description *d = orr_trace_describe(t);
    orr_describe_demand(d, 10, got[0], got[1]);
    for (int i = 0; i < 20; i++)
        if (fabs(got[i / 10][i % 10] - want[i / 10][i % 10]) > 1e-9)
            fail_msg("part %d: %g instead of %g", i, got[i / 10][i % 10], want[i / 10][i % 10]);
    orr_describe_demand(d, 1, coarse[0], coarse[1]);
    assert_true(fabs(coarse[0][0] - 0.9) < 1e-9);
    assert_true(fabs(coarse[1][0] - 0.85) < 1e-9);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void attempts_and_early_starts(void **state)
{
    (void)state;
    static const char rows[] = "submit,duration,gpus,attempts,start,state\n"
                               "0,30,1,10/20,5,failed\n"
                               "10,5,2,,8,killed\n" /* began before it was submitted */
                               "20,6,1,1/2/3,20,\n"
                               "30,7,1,,,\n";
    const orr_trace_options apart = {.replay_attempts = true};
    cJSON *f = facts_of_text(rows, &apart);
    ASSERT_FACTS(f, {"recorded.attempts.all", 0, "7"}, {"recorded.attempts.max", 0, "3"},
                 {"recorded.attempts.jobs_with_several", 0, "2"}, {"recorded.attempts.histogram[0]", 0, "2"},
                 {"recorded.attempts.histogram[1]", 0, "1"}, {"recorded.attempts.histogram[2]", 0, "1"},
                 {"recorded.wait.n", 0, "3"}, {"recorded.wait.min", 0, "-2"}, {"recorded.wait.max", 0, "5"},
                 {"recorded.started_early", 0, "1"}, {"recorded.started_at_once", 0, "2"}, {"recorded.run.n", 0, "0"},
                 {"ending_gpu_hours.failed", 6, "0.008333"}, {"ending_gpu_hours.killed", 6, "0.002778"});
    assert_true(cJSON_IsNull(fact_at(f, "recorded.run.mean")));
    cJSON_Delete(f);
}

static void a_carried_job_has_no_wait(void **state)
{
    (void)state;
    cJSON *f = facts_of_text("submit,duration,gpus,start,end,carried\n0,30,1,0,30,1\n10,5,1,12,17,\n", NULL);
    ASSERT_FACTS(f, {"recorded.wait.n", 0, "1"}, {"recorded.wait.max", 0, "2"}, {"recorded.in_system.n", 0, "1"},
                 {"recorded.run.n", 0, "2"});
    cJSON_Delete(f);
}

static void the_text_says_it(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "withdrawn   1, before they ran\n",
        "asked for   2.500 GPUs, 12 cores, 3.0 GiB;\n",
        "  withdrawn 0.250 GPUs, 1 cores, 1.0 GiB;\n",
        "  in whole  0.038889 GPU-hours, if a part takes its GPU\n",
        "recorded   1 of 2 known starts at once (50.0%)\n",
        "  0.250              0           1\n",
        "  qos              LS 2, BE 1\n",
        "  start              66.6667% [6]\n",
    };
    orr_trace *t = reading_well(pods, NULL);
    orr_description *d = orr_trace_describe(t);
    orr_text text = {0};
    orr_trace_describe_text(d, &text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text.at, lines[i]))
            fail_msg("%s\nlacks %s", text.at, lines[i]);
    for (const char *line = text.at; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("a line of more than 80 columns: %s", line);
    orr_text_fini(&text);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_weigh_shares),
        cmocka_unit_test(times),
        cmocka_unit_test(attributes_count_the_withdrawn_apart),
        cmocka_unit_test(demand),
        cmocka_unit_test(attempts_and_early_starts),
        cmocka_unit_test(a_carried_job_has_no_wait),
        cmocka_unit_test(the_text_says_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
