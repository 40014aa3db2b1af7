/* Rates, bursts, order and shares, by hand. */
#include "facts.h"
#include "trace/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Three in the first hour, none in the second, one in the third: counts 3, 0, 1 with mean 4/3 and variance 14/9. */
static void bursts(void **state)
{
    (void)state;
    cJSON *f = facts_of_text("submit,duration,gpus\n0,1,1\n0,1,2\n60,1,1\n7200,1,1\n", NULL);
    ASSERT_FACTS(f, {"arrivals.bursts.hours", 0, "3"}, {"arrivals.bursts.per_hour_mean", 6, "1.333333"},
                 {"arrivals.bursts.per_hour_max", 0, "3"}, {"arrivals.bursts.max_hour", 0, "0"},
                 {"arrivals.bursts.hour_peak_to_mean", 2, "2.25"}, {"arrivals.bursts.hourly_dispersion", 6, "1.166667"},
                 {"arrivals.bursts.day_peak_to_mean", 0, "1"}, {"arrivals.bursts.instants", 0, "3"},
                 {"arrivals.bursts.most_at_once", 0, "2"}, {"arrivals.gaps.zero", 0, "1"});
    cJSON_Delete(f);
}

static void a_relative_clock_is_marked(void **state)
{
    (void)state;
    cJSON *f = facts_of_text("submit,duration,gpus\n3600,1,1\n90000,1,1\n97200,1,1\n", NULL);
    ASSERT_FACTS(f, {"arrivals.clock", 0, "relative"}, {"arrivals.relative_hours[1]", 0, "2"},
                 {"arrivals.relative_hours[3]", 0, "1"},
                 {"arrivals.relative_hour_rate[1]", 0, "1"} /* 2 in 2 such hours */,
                 {"arrivals.relative_hour_rate[3]", 1, "0.5"}, {"arrivals.relative_hour_rate[5]", 0, "0"},
                 {"arrivals.by_day[1].day", 0, "1d"}, {"arrivals.by_day[1].jobs", 0, "2"});
    assert_null(fact_at(f, "arrivals.hours"));
    assert_null(fact_at(f, "arrivals.weekdays"));
    cJSON_Delete(f);
}

/* Monday 23:00 to Tuesday of the week after: two Mondays and Tuesdays, one of each other day. */
static void rates_of_a_calendar(void **state)
{
    (void)state;
    cJSON *f = facts_of_text("submit,duration,gpus\n2017-10-30 23:00:00,1,1\n2017-10-31 00:30:00,1,1\n"
                             "2017-11-06 23:10:00,1,1\n2017-11-07 00:00:00,1,1\n",
                             NULL);
    ASSERT_FACTS(f, {"arrivals.weekdays[0]", 0, "2"}, {"arrivals.weekday_rate[0]", 0, "1"},
                 {"arrivals.weekday_rate[1]", 0, "1"}, {"arrivals.weekday_rate[3]", 0, "0"},
                 {"arrivals.week[23]", 0, "2"} /* Mondays, 23 h */, {"arrivals.week[24]", 0, "2"},
                 {"arrivals.hour_rate[23]", 2, "0.25"} /* 8 such hours */, {"arrivals.bursts.hours", 0, "170"});
    assert_null(fact_at(f, "arrivals.relative_hours"));
    cJSON_Delete(f);
    f = facts_of_text("submit,duration,gpus\n2017-10-30 23:00:00,1,1\n", NULL);
    assert_true(cJSON_IsNull(fact_at(f, "arrivals.weekday_rate[1]"))); /* there was no Tuesday */
    assert_true(cJSON_IsNull(fact_at(f, "arrivals.hour_rate[1]")));
    cJSON_Delete(f);
}

static void order_of_rows(void **state)
{
    (void)state;
    cJSON *f = facts_of_text("submit,duration,gpus\n50,1,1\n60,1,1\n10,1,1\n40,1,1\n35,1,1\n", NULL);
    ASSERT_FACTS(f, {"order.descents", 0, "2"}, {"order.largest_step_back", 0, "50"}, {"order.step_line", 0, "4"});
    cJSON_Delete(f);
}

/* User i has i jobs of 1 GPU and 2 s; those of one job each go beyond the list. */
static void long_lists_are_cut(void **state)
{
    (void)state;
    orr_text rows = {0};
    orr_text_addf(&rows, "submit,duration,gpus,user\n");
    for (int user = 0; user < 1002; user++)
        for (int i = 0; i < (user < 1000 ? 2 : 1); i++)
            orr_text_addf(&rows, "%d,2,1,u%04d\n", user, user);
    cJSON *f = facts_of_text(rows.at, NULL);
    ASSERT_FACTS(f, {"users.names", 0, "1002"}, {"users.list[0].user", 0, "u0000"}, {"users.list[0].jobs", 0, "2"},
                 {"users.left_out.names", 0, "2"}, {"users.left_out.jobs", 0, "2"},
                 {"users.left_out.gpu_hours", 9, "0.001111111"});
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "users.list")), 1000);
    assert_null(fact_at(f, "models")); /* nobody names one */
    cJSON_Delete(f);
    orr_trace *t = reading_well(rows.at, NULL);
    orr_description *d = orr_trace_describe(t);
    orr_text text = {0};
    orr_trace_describe_text(d, &text);
    assert_non_null(strstr(text.at, "and 992 more\n"));
    orr_text_fini(&text);
    orr_description_destroy(d);
    orr_trace_destroy(t);
    orr_text_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts),
        cmocka_unit_test(a_relative_clock_is_marked),
        cmocka_unit_test(rates_of_a_calendar),
        cmocka_unit_test(order_of_rows),
        cmocka_unit_test(long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
