/* Public traces, through the JSON description: the facts that the data's own notes state, to the digits they print. */
#include "facts.h"
#include "trace/describe.h"
#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static cJSON *facts_of_shared(const char *name, const orr_trace_options *options)
{
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), options, &e);
    if (!t)
        fail_msg("%s: %s", name, e.message);
    return facts_of(t);
}

static void spread_is(const cJSON *facts, const char *spread, int decimals, const char *const want[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[96];
        snprintf(path, sizeof path, "%s.%s", spread, want[i][0]);
        assert_fact(facts, (fact_row){path, decimals, want[i][1]});
    }
}

static void counts_are(const cJSON *facts, const char *list, const uint64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[96], count[32];
        snprintf(path, sizeof path, "%s[%zu]", list, i);
        snprintf(count, sizeof count, "%llu", (unsigned long long)want[i]);
        assert_fact(facts, (fact_row){path, 0, count});
    }
}

/* ---- Philly, the csv of 82,247 jobs ---- */

static void philly_totals(const cJSON *f)
{
    ASSERT_FACTS(f, {"format", 0, "philly-csv"}, {"rows", 0, "82247"}, {"jobs", 0, "82247"}, {"withdrawn", 0, "0"},
                 {"span.first_submit_text", 0, "2017-09-04 10:30:41"},
                 {"span.last_submit_text", 0, "2017-12-22 08:02:11"}, {"span.last_end_text", 0, "2017-12-22 08:03:15"},
                 {"gpu_seconds", 0, "3521082502"}, {"gpu_hours", 6, "978078.472778"}, {"job_hours", 6, "300108.597222"},
                 {"gpus_mean", 6, "1.303817"}, {"peak_without_queueing.gpus.amount", 0, "1243"},
                 {"peak_without_queueing.gpus.at_text", 0, "2017-10-21 23:03:38"},
                 {"peak_without_queueing.jobs.amount", 0, "865"}, {"duplicates.groups", 0, "63"},
                 {"duplicates.jobs", 0, "128"}, {"duplicates.surplus", 0, "65"}, {"order.descents", 0, "44878"},
                 {"duration.min", 0, "1"}, {"duration.mean", 6, "13135.931402"}, {"duration.sd", 4, "84457.0977"},
                 {"duration.max", 0, "4628226"});
    assert_true(cJSON_IsArray(fact_at(f, "notes")));
}

static double jobs_above(const cJSON *f, int gpus)
{
    double jobs = 0;
    const cJSON *size;
    cJSON_ArrayForEach(size, fact_at(f, "gpus_histogram")) jobs +=
        cJSON_GetObjectItem(size, "gpus")->valuedouble > gpus ? cJSON_GetObjectItem(size, "jobs")->valuedouble : 0;
    return jobs;
}

static void philly_distributions(const cJSON *f)
{
    static const char *const duration[][2] = {{"p1", "17.000"},        {"p5", "48.000"},     {"p10", "61.000"},
                                              {"p25", "115.000"},      {"p50", "1144.000"},  {"p75", "2932.000"},
                                              {"p90", "11264.800"},    {"p95", "43646.200"}, {"p99", "254758.420"},
                                              {"p99_9", "1186277.462"}};
    static const char *const gpu_time[][2] = {{"p10", "61.00"},     {"p25", "123.00"},   {"p50", "1186.00"},
                                              {"p75", "3170.50"},   {"p90", "12678.00"}, {"p95", "62433.40"},
                                              {"p99", "1030678.16"}};
    static const char *const sizes[][3] = {{"1", "76627", "176690.011"}, {"2", "1818", "31251.456"},
                                           {"4", "1870", "163650.027"},  {"8", "1643", "473822.473"},
                                           {"12", "7", "30.080"},        {"16", "199", "112321.938"},
                                           {"24", "7", "1437.733"},      {"32", "67", "17819.182"},
                                           {"64", "6", "628.942"},       {"128", "3", "426.631"}};
    static const char *const bins[] = {"7654", "25258", "30690", "14200", "1835", "2374", "236"};
    spread_is(f, "duration", 3, duration, sizeof duration / sizeof *duration);
    spread_is(f, "gpu_time", 2, gpu_time, sizeof gpu_time / sizeof *gpu_time);
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "gpus_histogram")), 10);
    for (size_t i = 0; i < 10; i++) {
        char jobs[64], hours[64];
        snprintf(jobs, sizeof jobs, "gpus_histogram[gpus=%s].jobs", sizes[i][0]);
        snprintf(hours, sizeof hours, "gpus_histogram[gpus=%s].gpu_hours", sizes[i][0]);
        ASSERT_FACTS(f, {jobs, 0, sizes[i][1]}, {hours, 3, sizes[i][2]});
    }
    assert_int_equal(jobs_above(f, 8), 289);
    assert_int_equal(jobs_above(f, 16), 83);
    assert_int_equal(jobs_above(f, 32), 9);
    assert_int_equal(jobs_above(f, 64), 3);
    for (int i = 0; i < 7; i++) {
        char path[64];
        snprintf(path, sizeof path, "duration_histogram[%d].jobs", i);
        assert_fact(f, (fact_row){path, 0, bins[i]});
    }
}

static void philly_vcs(const cJSON *f)
{
    static const char *const members[] = {"jobs",     "gpu_hours",         "duration_median",
                                          "gpus_max", "first_submit_text", "last_submit_text"};
    static const int decimals[] = {0, 3, 1, 0, 0, 0};
    static const char *const rows[][7] = {
        {"6214e9", "41226", "97184.822", "1902.0", "8", "2017-09-07 03:58:57", "2017-12-22 07:41:13"},
        {"11cb48", "16091", "28104.295", "69.0", "16", "2017-09-24 14:01:56", "2017-12-22 08:02:11"},
        {"6c71a0", "9953", "82203.257", "1267.0", "16", "2017-09-23 09:45:42", "2017-12-22 00:33:04"},
        {"b436b2", "7423", "125739.500", "1388.0", "24", "2017-09-19 05:06:40", "2017-12-20 18:11:41"},
        {"103959", "1934", "42880.256", "474.0", "4", "2017-09-21 17:00:12", "2017-12-22 06:51:37"},
        {"ee9e8c", "1511", "256112.178", "33376.0", "128", "2017-09-21 08:12:29", "2017-12-22 02:44:45"},
        {"0e4a51", "1435", "77556.306", "242.0", "4", "2017-09-26 22:24:39", "2017-12-21 03:54:47"},
        {"ed69ec", "1137", "8937.460", "3223.0", "1", "2017-09-20 22:06:17", "2017-12-05 19:08:00"},
        {"7f04ca", "723", "164930.654", "17359.0", "16", "2017-09-04 10:30:41", "2017-12-22 02:13:08"},
        {"2869ce", "422", "80695.144", "11111.5", "32", "2017-09-24 14:47:33", "2017-12-22 04:44:24"},
        {"e13805", "374", "13557.858", "13021.5", "32", "2017-09-21 06:45:55", "2017-12-22 04:03:32"},
        {"23dbec", "8", "156.563", "11534.0", "8", "2017-09-26 02:18:33", "2017-09-28 06:32:04"},
        {"51b7ef", "4", "12.158", "450.5", "1", "2017-11-16 00:53:39", "2017-12-06 18:12:53"},
        {"925e2b", "3", "2.931", "10.0", "8", "2017-11-28 05:18:49", "2017-12-01 09:21:06"},
        {"795a4c", "3", "5.091", "2769.0", "1", "2017-11-01 21:16:45", "2017-11-01 22:12:47"},
    };
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "vcs")), 15);
    for (size_t i = 0; i < 15; i++)
        for (size_t m = 0; m < 6; m++) {
            char path[96];
            snprintf(path, sizeof path, "vcs[vc=%s].%s", rows[i][0], members[m]);
            assert_fact(f, (fact_row){path, decimals[m], rows[i][m + 1]});
        }
}

static void philly_arrivals(const cJSON *f)
{
    static const uint64_t weekdays[] = {10136, 12528, 13370, 15114, 16954, 7157, 6988};
    static const uint64_t hours[] = {4367, 3374, 3835, 3780, 2400, 3950, 5732, 7159, 3802, 3447, 3510, 2979,
                                     2567, 2415, 2185, 2224, 3021, 2289, 2744, 2496, 3483, 3142, 3885, 3461};
    counts_are(f, "arrivals.weekdays", weekdays, 7);
    counts_are(f, "arrivals.hours", hours, 24);
    ASSERT_FACTS(
        f, {"arrivals.clock", 0, "calendar"}, {"arrivals.days", 0, "110"}, {"arrivals.days_with_jobs", 0, "105"},
        {"arrivals.per_day_mean", 1, "747.7"}, {"arrivals.per_day_median", 1, "461.0"},
        {"arrivals.per_day_max", 0, "3712"}, {"arrivals.max_day_text", 0, "2017-10-20 00:00:00"},
        {"arrivals.months[month=2017-09].jobs", 0, "5657"}, {"arrivals.months[month=2017-10].jobs", 0, "47192"},
        {"arrivals.months[month=2017-11].jobs", 0, "21318"}, {"arrivals.months[month=2017-12].jobs", 0, "8080"},
        {"arrivals.gaps.mean", 6, "114.396931"}, {"arrivals.gaps.p50", 0, "8"}, {"arrivals.gaps.p99", 0, "601"},
        {"arrivals.gaps.max", 0, "247199"}, {"arrivals.gaps.cv", 4, "15.1351"}, {"arrivals.gaps.zero", 0, "6664"},
        {"arrivals.by_day[day=2017-10-20].jobs", 0, "3712"});
}

static void philly(void **state)
{
    (void)state;
    cJSON *f = facts_of_shared("data/philly/philly.csv.gz", NULL);
    philly_totals(f);
    philly_distributions(f);
    philly_vcs(f);
    philly_arrivals(f);
    cJSON_Delete(f);
}

static void philly_one_vc(void **state)
{
    (void)state;
    cJSON *f = facts_of_shared("data/philly/philly_vc_2869ce.csv", NULL);
    ASSERT_FACTS(f, {"jobs", 0, "422"}, {"gpus_histogram[gpus=1].jobs", 0, "64"},
                 {"gpus_histogram[gpus=2].jobs", 0, "4"}, {"gpus_histogram[gpus=4].jobs", 0, "10"},
                 {"gpus_histogram[gpus=8].jobs", 0, "293"}, {"gpus_histogram[gpus=32].jobs", 0, "51"},
                 {"gpu_hours", 6, "80695.143889"}, {"duration.min", 0, "80"}, {"duration.p25", 2, "1308.25"},
                 {"duration.p50", 1, "11111.5"}, {"duration.p75", 2, "171420.25"}, {"duration.p90", 1, "212450.3"},
                 {"duration.p99", 2, "328607.88"}, {"duration.max", 0, "603739"}, {"duration.mean", 6, "74492.308057"});
    cJSON_Delete(f);
}

/* The one real record of the log: two attempts. */
static void philly_log_example(void **state)
{
    (void)state;
    const orr_trace_options apart = {.replay_attempts = true};
    cJSON *f = facts_of_shared("data/philly/cluster_job_log.example.json", &apart);
    ASSERT_FACTS(f, {"jobs", 0, "1"}, {"recorded.attempts.all", 0, "2"},
                 {"recorded.attempts.jobs_with_several", 0, "1"}, {"recorded.attempts.histogram[1]", 0, "1"},
                 {"recorded.wait.n", 0, "1"});
    cJSON_Delete(f);
}

/* ---- openb, 8,152 pods ---- */

/* Of a histogram's row, jobs and withdrawn together. */
static void both(const cJSON *f, const char *list, const char *key, int value, double want)
{
    char path[96];
    snprintf(path, sizeof path, "%s[%s=%d]", list, key, value);
    const cJSON *row = fact_at(f, path);
    if (!row)
        fail_msg("there is no %s", path);
    const double got =
        cJSON_GetObjectItem(row, "jobs")->valuedouble + cJSON_GetObjectItem(row, "withdrawn")->valuedouble;
    if (got != want)
        fail_msg("%s has %g, not %g", path, got, want);
}

static void value_is(const cJSON *f, const char *attribute, const char *value, double want)
{
    char path[128];
    snprintf(path, sizeof path, "attributes[attribute=%s].values[value=%s]", attribute, value);
    const cJSON *row = fact_at(f, path);
    if (!row)
        fail_msg("there is no %s", path);
    const double got =
        cJSON_GetObjectItem(row, "jobs")->valuedouble + cJSON_GetObjectItem(row, "withdrawn")->valuedouble;
    if (got != want)
        fail_msg("%s has %g, not %g", path, got, want);
}

static double sum_of(const cJSON *f, const char *member)
{
    char jobs[64], withdrawn[64];
    snprintf(jobs, sizeof jobs, "asked.jobs.%s", member);
    snprintf(withdrawn, sizeof withdrawn, "asked.withdrawn.%s", member);
    return fact_at(f, jobs)->valuedouble + fact_at(f, withdrawn)->valuedouble;
}

static void openb_demand(const cJSON *f)
{
    static const int sizes[][2] = {{0, 1088}, {1, 6989}, {2, 16}, {4, 15}, {8, 44}};
    static const int milli[][2] = {{50, 7},    {110, 24},  {140, 1},  {160, 74}, {220, 62},  {230, 140},  {270, 4},
                                   {290, 1},   {320, 328}, {330, 7},  {350, 6},  {370, 47},  {440, 2},    {460, 128},
                                   {470, 750}, {480, 19},  {550, 72}, {590, 75}, {650, 253}, {810, 1078}, {1000, 3911}};
    assert_int_equal(sum_of(f, "records"), 8152);
    assert_int_equal(sum_of(f, "of_fractions"), 3078);
    assert_true(sum_of(f, "gpu_milli") == 6086800);
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "gpus_histogram")), 5);
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "gpu_milli_histogram")), 21);
    for (size_t i = 0; i < 5; i++)
        both(f, "gpus_histogram", "gpus", sizes[i][0], sizes[i][1]);
    for (size_t i = 0; i < 21; i++)
        both(f, "gpu_milli_histogram", "gpu_milli", milli[i][0], milli[i][1]);
    assert_int_equal(llround(1000 * sum_of(f, "cpus")), 85436012);
    ASSERT_FACTS(f, {"attributes[attribute=memory_mib].sum", 0, "303546211"});
}

static void openb_states(const cJSON *f)
{
    ASSERT_FACTS(f, {"jobs", 0, "7255"}, {"withdrawn", 0, "897"}, {"dropped.never-ran", 0, "897"},
                 {"censored", 0, "5193"}, {"coverage.records", 0, "8152"},
                 {"coverage.columns[column=start].stated", 0, "7255"});
    value_is(f, "pod_phase", "Running", 5193);
    value_is(f, "pod_phase", "Failed", 1870);
    value_is(f, "pod_phase", "Pending", 897);
    value_is(f, "pod_phase", "Succeeded", 192);
    value_is(f, "qos", "LS", 4647);
    value_is(f, "qos", "BE", 3398);
    value_is(f, "qos", "Burstable", 100);
    value_is(f, "qos", "Guaranteed", 7);
}

static void openb_times(const cJSON *f)
{
    static const char *const run[][2] = {{"min", "4.00"},     {"p10", "73.00"},     {"p25", "175.00"},
                                         {"p50", "616.00"},   {"p75", "2241.00"},   {"p90", "7763.60"},
                                         {"p95", "18064.00"}, {"p99", "114347.80"}, {"max", "12537496.00"}};
    static const char *const in_system[][2] = {{"min", "0.00"},     {"p10", "80.00"},    {"p25", "167.00"},
                                               {"p50", "540.00"},   {"p75", "1971.75"},  {"p90", "6573.40"},
                                               {"p95", "16398.60"}, {"p99", "96509.57"}, {"max", "12537496.00"}};
    static const char *const wait[][2] = {{"min", "0.00"},   {"p10", "0.00"},   {"p25", "0.00"},
                                          {"p50", "2.00"},   {"p75", "35.00"},  {"p90", "106.00"},
                                          {"p95", "241.00"}, {"p99", "889.64"}, {"max", "14330.00"}};
    spread_is(f, "duration", 2, run, sizeof run / sizeof *run);
    spread_is(f, "recorded.run", 2, run, sizeof run / sizeof *run);
    spread_is(f, "recorded.in_system", 2, in_system, sizeof in_system / sizeof *in_system);
    spread_is(f, "recorded.wait", 2, wait, sizeof wait / sizeof *wait);
    ASSERT_FACTS(f, {"recorded.run.n", 0, "7255"}, {"recorded.run.mean", 6, "28949.461337"},
                 {"recorded.in_system.n", 0, "8152"}, {"recorded.in_system.mean", 6, "25839.364941"},
                 {"recorded.wait.n", 0, "7255"}, {"recorded.wait.mean", 6, "61.302274"},
                 {"recorded.started_at_once", 0, "2046"}, {"gpu_hours", 4, "51470.6742"},
                 {"recorded.in_system_gpu_hours", 4, "51600.4733"});
}

static void openb_arrivals(const cJSON *f)
{
    ASSERT_FACTS(
        f, {"arrivals.clock", 0, "relative"}, {"arrivals.submissions", 0, "8152"}, {"arrivals.days_with_jobs", 0, "53"},
        {"arrivals.per_day_max", 0, "678"}, {"arrivals.max_day", 0, "12787200"} /* day 148 */,
        {"arrivals.days", 0, "150"}, {"arrivals.gaps.mean", 4, "1582.8439"}, {"order.descents", 0, "0"},
        {"arrivals.by_day[0].day", 0, "0d"}, {"arrivals.by_day[0].jobs", 0, "1"}, {"arrivals.by_day[1].day", 0, "4d"},
        {"arrivals.by_day[2].day", 0, "18d"}, {"arrivals.by_day[3].day", 0, "31d"});
    assert_null(fact_at(f, "arrivals.hours"));
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "arrivals.relative_hours")), 24);
}

static void openb(void **state)
{
    (void)state;
    const orr_trace_options all = {.keep_cpu_jobs = true, .replay_attempts = true};
    cJSON *f = facts_of_shared("data/openb/openb_pod_list_default.csv", &all);
    openb_demand(f);
    openb_states(f);
    openb_times(f);
    openb_arrivals(f);
    cJSON_Delete(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philly),
        cmocka_unit_test(philly_one_vc),
        cmocka_unit_test(philly_log_example),
        cmocka_unit_test(openb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
