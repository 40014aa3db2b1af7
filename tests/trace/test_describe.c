/* Facts about a trace of four jobs, by hand:
 *
 *                    a1 Mon 30 Oct 23:59:50   10 s x 2 GPUs
 *                    b1 Tue 31 Oct 00:00:00   20 s x 4 GPUs   as a1 ends
 *                    b2 the same again
 *                    a2 Thu  2 Nov 12:00:00  100 s x 1 GPU    failed
 *
 *   GPUs   8 |      ####
 *          2 | ####|####
 *            +----+----+---------------- ... --+#########
 *            0    10   30                    216010    216110 s
 */
#include "trace/describe.h"
#include "reading.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char four_jobs[] = "job_id,submit,duration,gpus,vc,state\n"
                                "a1,2017-10-30 23:59:50,10,2,a,\n"
                                "b1,2017-10-31 00:00:00,20,4,b,\n"
                                "b2,2017-10-31 00:00:00,20,4,b,\n"
                                "a2,2017-11-02 12:00:00,100,1,a,failed\n"
                                "c,2017-11-02 12:00:00,100,0,a,failed\n";

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.12g instead of %.12g", got, expected);
}

static void by_hand(void **state)
{
    (void)state;
    orr_trace *t = reading_well(four_jobs, NULL);
    orr_description *d = orr_trace_describe(t);
    assert_int_equal(d->jobs, 4);
    assert_int_equal(d->rows, 5);
    assert_int_equal(d->dropped, 1);
    assert_int_equal(d->last, 216010 * ORR_SECOND);
    assert_int_equal(d->last_end, 216110 * ORR_SECOND);
    assert_true(d->gpu_ns == (orr_wide)280 * ORR_SECOND);
    assert_true(d->job_ns == (orr_wide)150 * ORR_SECOND);
    near(d->mean_gpus, 2.75);
    near(d->duration.mean, 37.5);
    near(d->duration.sd, sqrt(1318.75));
    near(d->duration.min, 10);
    near(d->duration.q[3], 17.5);
    near(d->duration.q[4], 20);
    near(d->duration.max, 100);
    near(d->gpu_time.q[4], 80);
    assert_int_equal(d->bins[0].jobs, 3);
    assert_int_equal(d->bins[1].jobs, 1);
    assert_int_equal(d->endings[ORR_ENDING_DONE], 3);
    assert_int_equal(d->endings[ORR_ENDING_FAILED], 1);
    assert_int_equal(d->same_groups, 1);
    assert_int_equal(d->same_jobs, 2);
    assert_int_equal(d->same_surplus, 1);
    assert_int_equal(d->peak_gpus.amount, 8); /* a1 ends before b1 and b2 start */
    assert_int_equal(d->peak_gpus.at, 10 * ORR_SECOND);
    assert_int_equal(d->peak_jobs.amount, 2);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void sizes_and_vcs(void **state)
{
    (void)state;
    orr_trace *t = reading_well(four_jobs, NULL);
    orr_description *d = orr_trace_describe(t);
    assert_int_equal(d->sizes.n, 3);
    assert_int_equal(d->sizes.at[2].gpus, 4);
    assert_int_equal(d->sizes.at[2].jobs, 2);
    assert_true(d->sizes.at[2].gpu_ns == (orr_wide)160 * ORR_SECOND);
    assert_int_equal(d->vcs.n, 2);
    assert_string_equal(d->vcs.at[0].name, "a");
    assert_true(d->vcs.at[0].gpu_ns == (orr_wide)120 * ORR_SECOND);
    near(d->vcs.at[0].median_duration, 55);
    assert_int_equal(d->vcs.at[0].max_gpus, 2);
    assert_int_equal(d->vcs.at[0].first, 0);
    assert_int_equal(d->vcs.at[0].last, 216010 * ORR_SECOND);
    assert_int_equal(d->vcs.at[1].jobs, 2);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void arrivals(void **state)
{
    (void)state;
    orr_trace *t = reading_well(four_jobs, NULL);
    orr_description *d = orr_trace_describe(t);
    const orr_arrival_facts *a = &d->arrivals;
    static const uint64_t weekdays[7] = {1, 2, 0, 1, 0, 0, 0};
    assert_memory_equal(a->weekdays, weekdays, sizeof weekdays);
    assert_int_equal(a->hours[23], 1);
    assert_int_equal(a->hours[0], 2);
    assert_int_equal(a->hours[12], 1);
    assert_int_equal(a->months.n, 2);
    assert_int_equal(a->months.at[0].jobs, 3);
    assert_int_equal(a->months.at[1].month, 11);
    assert_int_equal(a->days, 4);
    assert_int_equal(a->days_with_jobs, 3);
    near(a->mean_a_day, 1);
    near(a->median_a_day, 1); /* of 0, 1, 1, 2 */
    assert_int_equal(a->max_a_day, 2);
    assert_int_equal(a->max_day, 10 * ORR_SECOND);
    near(a->gap_mean, 216010.0 / 3);
    near(a->gap_median, 10);
    near(a->gap_p99, 10 + 0.98 * 215990);
    near(a->gap_max, 216000);
    assert_int_equal(a->zero_gaps, 1);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void a_relative_trace_has_days_but_no_calendar(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus\n5,0,3\n90000,1,1\n400000,1,1\n400001,1,1\n", NULL);
    orr_description *d = orr_trace_describe(t);
    char buf[ORR_CIVIL_BUF];
    assert_false(d->calendar);
    assert_int_equal(orr_describe_when(d, 0, buf), 0);
    assert_int_equal(d->arrivals.days, 5);
    assert_int_equal(d->arrivals.days_with_jobs, 3);
    near(d->arrivals.median_a_day, 1);
    assert_int_equal(d->arrivals.max_day, 4 * ORR_DAY);
    assert_int_equal(d->arrivals.months.n, 0);
    assert_int_equal(d->peak_gpus.amount, 1); /* a job of no length holds nothing */
    assert_int_equal(d->first, 5 * ORR_SECOND);
    orr_text text = {0};
    orr_trace_describe_text(d, &text);
    assert_non_null(strstr(text.at, "not known (times are relative)"));
    assert_null(strstr(text.at, "Mon"));
    assert_non_null(strstr(text.at, "relative: of 24-hour days from the origin"));
    orr_text_fini(&text);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void a_single_job_has_no_gaps(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus\n5,10,3\n", NULL);
    orr_description *d = orr_trace_describe(t);
    assert_true(isnan(d->arrivals.gap_mean) && isnan(d->arrivals.gap_cv));
    cJSON *json = orr_trace_describe_json(d);
    char *print = cJSON_PrintUnformatted(json);
    assert_non_null(strstr(print, "\"gaps\":{\"mean\":null,"));
    assert_non_null(strstr(print, "\"origin\":null"));
    assert_null(strstr(print, "weekdays"));
    free(print);
    cJSON_Delete(json);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void json_and_text_say_it(void **state)
{
    (void)state;
    static const char *const in_json[] = {
        "{\"schema\":\"orrery.describe/1\",\"trace\":\"t.csv\",\"format\":\"orrery-csv\",",
        "\"origin\":\"2017-10-30 23:59:50\",\"rows\":5,\"jobs\":4,\"dropped\":{\"cpu-only\":1},\"notes\":[{",
        "\"last_submit\":216010,\"last_end\":216110,", "\"gpu_seconds\":280,", "\"gpus_mean\":2.75,",
        "\"duration\":{\"min\":10,\"mean\":37.5,", "\"first_lines\":[6]",
        "{\"gpus\":4,\"jobs\":2,\"gpu_hours\":0.044444444444444446,\"withdrawn\":0}", "\"weekdays\":[1,2,0,1,0,0,0]",
        "\"endings\":{\"done\":3,\"failed\":1,\"killed\":0}", "\"max_day_text\":\"2017-10-31 00:00:00\"",
    };
    static const char *const in_text[] = {
        "jobs        4   (rows 5, dropped 1)\n", "drop    cpu-only", "2017-11-02 12:00:00   (216010 s)\n",
        "(280 GPU-s)\n", "max 2 (2017-10-31)\n", "at most 8, first at 2017-10-31 00:00:00\n",
        "2 jobs in 1 group differ in their ids only",
    };
    orr_trace *t = reading_well(four_jobs, NULL);
    orr_description *d = orr_trace_describe(t);
    orr_text text = {0};
    cJSON *json = orr_trace_describe_json(d), *again;
    char *print = cJSON_PrintUnformatted(json);
    orr_trace_describe_text(d, &text);
    for (size_t i = 0; i < sizeof in_json / sizeof *in_json; i++)
        if (!strstr(print, in_json[i]))
            fail_msg("%s\nlacks %s", print, in_json[i]);
    for (size_t i = 0; i < sizeof in_text / sizeof *in_text; i++)
        if (!strstr(text.at, in_text[i]))
            fail_msg("%s\nlacks %s", text.at, in_text[i]);
    assert_non_null(again = cJSON_Parse(print));
    cJSON_Delete(again);
    cJSON_Delete(json);
    free(print);
    orr_text_fini(&text);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

static void wide_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t times, ns;
        const char *text;
    } rows[] = {
        {1, 0, "0"}, {1, 5, "0.000000005"}, {1, 1500000000, "1.5"}, {1, -250000000, "-0.25"}, {1, 10000000000, "10"},
        {1000000000, INT64_MAX, "9223372036854775807"}, {1000000, 1234567890123456789, "1234567890123456.789"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[ORR_WIDE_BUF];
        orr_wide_seconds((orr_wide)rows[i].ns * rows[i].times, buf);
        assert_string_equal(buf, rows[i].text);
    }
    near(orr_wide_hours((orr_wide)ORR_HOUR * 5 / 2), 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(sizes_and_vcs),
        cmocka_unit_test(arrivals),
        cmocka_unit_test(a_relative_trace_has_days_but_no_calendar),
        cmocka_unit_test(a_single_job_has_no_gaps),
        cmocka_unit_test(json_and_text_say_it),
        cmocka_unit_test(wide_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
