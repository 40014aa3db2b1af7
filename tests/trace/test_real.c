/* Public traces: counts, and the facts that the data's own notes state, to the digits that they print. */
#include "trace/describe.h"
#include "reading.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static orr_trace *read_shared(const char *name, const orr_trace_options *options)
{
    char path[512], form[2048];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), options, &e);
    orr_error_format(&e, form, sizeof form);
    if (!t)
        fail_msg("%s", form);
    return t;
}

/* A number as the notes print it. */
static void printed(double value, int decimals, const char *expected)
{
    char buf[64];
    snprintf(buf, sizeof buf, "%.*f", decimals, value);
    if (strcmp(buf, expected) != 0)
        fail_msg("%s instead of %s", buf, expected);
}

static void at(const orr_description *d, orr_time t, const char *expected)
{
    char buf[ORR_CIVIL_BUF];
    orr_describe_when(d, t, buf);
    assert_string_equal(buf, expected);
}

typedef struct philly {
    orr_trace *trace;
    orr_description *d;
} philly;

static philly read_philly(void)
{
    philly p;
    p.trace = read_shared("data/philly/philly.csv.gz", NULL);
    p.d = orr_trace_describe(p.trace);
    return p;
}

static void done(philly p)
{
    orr_description_destroy(p.d);
    orr_trace_destroy(p.trace);
}

static void philly_totals(void **state)
{
    (void)state;
    const philly p = read_philly();
    const orr_description *d = p.d;
    char buf[ORR_WIDE_BUF];
    assert_int_equal(d->jobs, 82247);
    assert_int_equal(d->rows, 82247);
    assert_string_equal(orr_trace_format(p.trace), "philly-csv");
    assert_int_equal(d->vcs.n, 15);
    at(d, d->first, "2017-09-04 10:30:41");
    at(d, d->last, "2017-12-22 08:02:11");
    at(d, d->last_end, "2017-12-22 08:03:15");
    assert_int_equal(noted(p.trace, "gpu-time-mismatch"), 0);
    assert_int_equal(noted(p.trace, "unsorted"), 44878);
    orr_wide_seconds(d->gpu_ns, buf);
    assert_string_equal(buf, "3521082502");
    printed(orr_wide_hours(d->gpu_ns), 6, "978078.472778");
    printed(orr_wide_hours(d->job_ns), 6, "300108.597222");
    printed(d->mean_gpus, 6, "1.303817");
    assert_int_equal(d->same_surplus, 65);
    assert_int_equal(d->same_groups, 63);
    assert_int_equal(d->same_jobs, 128);
    assert_int_equal(d->peak_gpus.amount, 1243);
    at(d, d->peak_gpus.at, "2017-10-21 23:03:38");
    assert_int_equal(d->peak_jobs.amount, 865);
    done(p);
}

static void philly_durations(void **state)
{
    (void)state;
    const philly p = read_philly();
    const orr_spread *s = &p.d->duration;
    static const char *const quantiles[] = {"17.000",    "48.000",    "61.000",     "115.000",    "1144.000",
                                            "2932.000",  "11264.800", "43646.200",  "254758.420", "1186277.462"};
    static const char *const gpu_time[] = {"61.00",    "123.00",   "1186.00",   "3170.50",
                                           "12678.00", "62433.40", "1030678.16"};
    static const uint64_t bins[] = {7654, 25258, 30690, 14200, 1835, 2374, 236};
    printed(s->min, 0, "1");
    printed(s->mean, 6, "13135.931402");
    printed(s->sd, 4, "84457.0977");
    printed(s->max, 0, "4628226");
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        printed(s->q[i], 3, quantiles[i]);
    for (int i = 0; i < 7; i++) {
        printed(p.d->gpu_time.q[i + 2], 2, gpu_time[i]);
        assert_int_equal(p.d->bins[i].jobs, bins[i]);
    }
    done(p);
}

static void philly_sizes(void **state)
{
    (void)state;
    static const struct {
        int gpus, jobs;
        const char *hours;
    } rows[] = {{1, 76627, "176690.011"}, {2, 1818, "31251.456"}, {4, 1870, "163650.027"}, {8, 1643, "473822.473"},
                {12, 7, "30.080"},        {16, 199, "112321.938"}, {24, 7, "1437.733"},    {32, 67, "17819.182"},
                {64, 6, "628.942"},       {128, 3, "426.631"}};
    const philly p = read_philly();
    assert_int_equal(p.d->sizes.n, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(p.d->sizes.at[i].gpus, rows[i].gpus);
        assert_int_equal(p.d->sizes.at[i].jobs, rows[i].jobs);
        printed(orr_wide_hours(p.d->sizes.at[i].gpu_ns), 3, rows[i].hours);
    }
    done(p);
}

static void philly_vcs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int jobs;
        const char *hours;
        double median;
        int max;
        const char *first, *last;
    } rows[] = {
        {"6214e9", 41226, "97184.822", 1902, 8, "2017-09-07 03:58:57", "2017-12-22 07:41:13"},
        {"11cb48", 16091, "28104.295", 69, 16, "2017-09-24 14:01:56", "2017-12-22 08:02:11"},
        {"6c71a0", 9953, "82203.257", 1267, 16, "2017-09-23 09:45:42", "2017-12-22 00:33:04"},
        {"b436b2", 7423, "125739.500", 1388, 24, "2017-09-19 05:06:40", "2017-12-20 18:11:41"},
        {"103959", 1934, "42880.256", 474, 4, "2017-09-21 17:00:12", "2017-12-22 06:51:37"},
        {"ee9e8c", 1511, "256112.178", 33376, 128, "2017-09-21 08:12:29", "2017-12-22 02:44:45"},
        {"0e4a51", 1435, "77556.306", 242, 4, "2017-09-26 22:24:39", "2017-12-21 03:54:47"},
        {"ed69ec", 1137, "8937.460", 3223, 1, "2017-09-20 22:06:17", "2017-12-05 19:08:00"},
        {"7f04ca", 723, "164930.654", 17359, 16, "2017-09-04 10:30:41", "2017-12-22 02:13:08"},
        {"2869ce", 422, "80695.144", 11111.5, 32, "2017-09-24 14:47:33", "2017-12-22 04:44:24"},
        {"e13805", 374, "13557.858", 13021.5, 32, "2017-09-21 06:45:55", "2017-12-22 04:03:32"},
        {"23dbec", 8, "156.563", 11534, 8, "2017-09-26 02:18:33", "2017-09-28 06:32:04"},
        {"51b7ef", 4, "12.158", 450.5, 1, "2017-11-16 00:53:39", "2017-12-06 18:12:53"},
        {"795a4c", 3, "5.091", 2769, 1, "2017-11-01 21:16:45", "2017-11-01 22:12:47"}, /* ties by name */
        {"925e2b", 3, "2.931", 10, 8, "2017-11-28 05:18:49", "2017-12-01 09:21:06"},
    };
    const philly p = read_philly();
    for (size_t i = 0; i < 15; i++) {
        const orr_share_facts *vc = &p.d->vcs.at[i];
        assert_string_equal(vc->name, rows[i].name);
        assert_int_equal(vc->jobs, rows[i].jobs);
        printed(orr_wide_hours(vc->gpu_ns), 3, rows[i].hours);
        assert_true(fabs(vc->median_duration - rows[i].median) < 1e-9);
        assert_int_equal(vc->max_gpus, rows[i].max);
        at(p.d, vc->first, rows[i].first);
        at(p.d, vc->last, rows[i].last);
    }
    done(p);
}

static void philly_arrivals(void **state)
{
    (void)state;
    static const uint64_t weekdays[] = {10136, 12528, 13370, 15114, 16954, 7157, 6988};
    static const uint64_t hours[] = {4367, 3374, 3835, 3780, 2400, 3950, 5732, 7159, 3802, 3447, 3510, 2979,
                                     2567, 2415, 2185, 2224, 3021, 2289, 2744, 2496, 3483, 3142, 3885, 3461};
    static const uint64_t months[] = {5657, 47192, 21318, 8080};
    const philly p = read_philly();
    const orr_arrival_facts *a = &p.d->arrivals;
    assert_memory_equal(a->weekdays, weekdays, sizeof weekdays);
    assert_memory_equal(a->hours, hours, sizeof hours);
    assert_int_equal(a->months.n, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(a->months.at[i].month, 9 + i);
        assert_int_equal(a->months.at[i].jobs, months[i]);
    }
    assert_int_equal(a->days, 110);
    assert_int_equal(a->days_with_jobs, 105);
    printed(a->mean_a_day, 1, "747.7");
    printed(a->median_a_day, 1, "461.0");
    assert_int_equal(a->max_a_day, 3712);
    at(p.d, a->max_day, "2017-10-20 00:00:00");
    printed(a->gap_mean, 6, "114.396931");
    printed(a->gap_median, 0, "8");
    printed(a->gap_p99, 0, "601");
    printed(a->gap_max, 0, "247199");
    printed(a->gap_cv, 4, "15.1351");
    assert_int_equal(a->zero_gaps, 6664);
    done(p);
}

static void one_vc_of_philly(void **state)
{
    (void)state;
    philly p;
    p.trace = read_shared("data/philly/philly_vc_2869ce.csv", NULL);
    p.d = orr_trace_describe(p.trace);
    static const int sizes[][2] = {{1, 64}, {2, 4}, {4, 10}, {8, 293}, {32, 51}};
    assert_int_equal(p.d->jobs, 422);
    assert_int_equal(p.d->sizes.n, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(p.d->sizes.at[i].gpus, sizes[i][0]);
        assert_int_equal(p.d->sizes.at[i].jobs, sizes[i][1]);
    }
    printed(orr_wide_hours(p.d->gpu_ns), 6, "80695.143889");
    const orr_spread *s = &p.d->duration;
    printed(s->min, 0, "80");
    printed(s->q[3], 2, "1308.25");
    printed(s->q[4], 1, "11111.5");
    printed(s->q[5], 2, "171420.25");
    printed(s->q[6], 1, "212450.3");
    printed(s->q[8], 2, "328607.88");
    printed(s->max, 0, "603739");
    printed(s->mean, 6, "74492.308057");
    done(p);
}

static void helios_example(void **state)
{
    (void)state;
    orr_trace *t = read_shared("data/helios/cluster_log.example.csv", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 3);
    assert_string_equal(job[0].id, "1425511");
    assert_string_equal(job[0].vc, "vcJkd");
    assert_int_equal(job[0].duration, 36848 * ORR_SECOND);
    assert_int_equal(job[1].submit, 26 * ORR_SECOND);
    assert_int_equal(job[1].ending, ORR_ENDING_FAILED);
    assert_int_equal(job[1].gpus, 4);
    assert_string_equal(orr_trace_origin(t), "2020-06-09 18:41:01");
    assert_int_equal(noted(t, "duration-mismatch"), 0);
    orr_trace_destroy(t);
}

static void philly_json_examples(void **state)
{
    (void)state;
    const orr_trace_options replay = {.replay_attempts = true};
    orr_trace *t = read_shared("data/philly/cluster_job_log.example.json", &replay);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 1);
    assert_string_equal(job->id, "application_1506638472019_14199");
    assert_string_equal(job->vc, "ee9e8c");
    assert_string_equal(job->user, "ce2f4c");
    assert_int_equal(job->gpus, 8);
    assert_int_equal(job->attempt_count, 2);
    assert_int_equal(job->attempts[0], 74 * ORR_SECOND);
    assert_int_equal(job->attempts[1], 193182 * ORR_SECOND); /* 2 d 05:39:42 */
    assert_int_equal(job->duration, 193256 * ORR_SECOND);
    assert_string_equal(orr_trace_origin(t), "2017-10-07 01:11:39");
    orr_trace_destroy(t);
    t = read_shared("data/philly/cluster_job_log.dirt-example.json", NULL);
    assert_int_equal(orr_trace_count(t), 1);
    assert_int_equal(noted(t, "no-attempts"), 1);
    assert_int_equal(noted(t, "attempt-without-times"), 1);
    assert_int_equal(orr_trace_jobs(t)->duration, 43 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)->gpus, 1);
    assert_false(orr_trace_jobs(t)->censored);
    orr_trace_destroy(t);
}

static void tiresias_own_files(void **state)
{
    (void)state;
    orr_trace *t = read_shared("data/tiresias/60_job.csv", NULL);
    orr_description *d = orr_trace_describe(t);
    assert_int_equal(d->jobs, 60);
    assert_int_equal(t->notes.n, 0);
    printed(d->duration.min, 0, "121");
    printed(d->duration.max, 0, "1800");
    assert_string_equal(orr_trace_jobs(t)->model, "vgg19");
    orr_description_destroy(d);
    orr_trace_destroy(t);
    t = read_shared("data/tiresias/tf_job.csv", NULL);
    assert_int_equal(orr_trace_count(t), 2);
    assert_string_equal(orr_trace_jobs(t)[1].id, "10#2");
    assert_int_equal(noted(t, "duplicate-id"), 1);
    orr_trace_destroy(t);
}

static void golden_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t jobs;
    } rows[] = {
        {"golden/helios/inputs/tiny.cluster_log.csv.gz", 200},
        {"golden/helios/inputs/tiny_mix.cluster_log.csv.gz", 200},
        {"golden/helios/inputs/medium.cluster_log.csv.gz", 10711},
        {"golden/helios/inputs/medium16.cluster_log.csv.gz", 16091},
        {"golden/helios/inputs/full.cluster_log.csv.gz", 82229},
        {"golden/tiresias/inputs/job60.csv", 60},
        {"golden/tiresias/inputs/philly200.csv", 200},
        {"golden/tiresias/inputs/philly1000.csv", 1000},
        {"golden/tiresias/inputs/philly10k.csv.gz", 10711},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_trace *t = read_shared(rows[i].name, NULL);
        if (orr_trace_count(t) != rows[i].jobs || orr_trace_rows_read(t) != rows[i].jobs)
            fail_msg("%s: %zu jobs", rows[i].name, orr_trace_count(t));
        assert_int_equal(orr_trace_jobs(t)->submit, 0);
        orr_trace_destroy(t);
    }
}

static void siblings_in_other_units(void **state)
{
    (void)state;
    char path[512];
    orr_error e = {0};
    const orr_trace_options named = {.format = "tiresias"};
    assert_null(orr_trace_read(shared_path(path, "data/chronus/trace_job_Philly_SLO.csv.gz"), &named, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philly_totals),   cmocka_unit_test(philly_durations),     cmocka_unit_test(philly_sizes),
        cmocka_unit_test(philly_vcs),      cmocka_unit_test(philly_arrivals),      cmocka_unit_test(one_vc_of_philly),
        cmocka_unit_test(helios_example),  cmocka_unit_test(philly_json_examples), cmocka_unit_test(tiresias_own_files),
        cmocka_unit_test(golden_inputs),   cmocka_unit_test(siblings_in_other_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
