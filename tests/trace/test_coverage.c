/* Coverage by column and day, and values of attributes, by hand. */
#include "facts.h"
#include "trace/columns.h"
#include "trace/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Four days, two jobs each; users are known from the third day on, and of one job of the second; the queue never but
 * once. */
static const char four_days[] = "submit,duration,gpus,user,queue\n"
                                "0,1,1,,\n"
                                "1,1,1,,\n"
                                "86400,1,1,,\n"
                                "86401,1,1,ann,\n"
                                "172800,1,1,ann,a\n"
                                "172801,1,1,bob,\n"
                                "259200,1,1,ann,\n"
                                "259201,1,1,bob,\n";

static void by_day(void **state)
{
    (void)state;
    cJSON *f = facts_of_text(four_days, NULL);
    ASSERT_FACTS(
        f, {"coverage.records", 0, "8"}, {"coverage.columns[column=user].stated", 0, "5"},
        {"coverage.columns[column=user].share", 3, "0.625"}, {"coverage.columns[column=user].by_day[0]", 0, "0"},
        {"coverage.columns[column=user].by_day[1]", 0, "1"}, {"coverage.columns[column=user].by_day[2]", 0, "2"},
        {"coverage.columns[column=user].by_day[3]", 0, "2"}, {"coverage.columns[column=queue].stated", 0, "1"},
        {"coverage.columns[column=vc].stated", 0, "0"});
    assert_true(cJSON_IsTrue(fact_at(f, "coverage.columns[column=queue].attribute")));
    assert_false(cJSON_IsTrue(fact_at(f, "coverage.columns[column=user].attribute")));
    cJSON_Delete(f);
}

static void as_a_strip(void **state)
{
    (void)state;
    orr_trace *t = reading_well(four_days, NULL);
    orr_description *d = orr_trace_describe(t);
    orr_text text = {0};
    orr_trace_describe_text(d, &text);
    assert_non_null(strstr(text.at, "  user               62.5000% [.5##]\n"));
    assert_non_null(strstr(text.at, "  queue              12.5000% [..5.]\n"));
    assert_non_null(strstr(text.at, "  never      vc, name,"));
    orr_text_fini(&text);
    orr_description_destroy(d);
    orr_trace_destroy(t);
}

/* A column of ours is covered, or has a value by default, so that a record that doesn't state it can't be told. */
static void every_column_is_decided_on(void **state)
{
    (void)state;
    static const char *const always[] = {"job_id",   "submit",   "duration", "gpus",      "weight",      "state",
                                         "attempts", "min_gpus", "max_gpus", "gpu_milli", "preemptible", "censored",
                                         "starts",   "after",    "think",    "ran",       "carried"};
    cJSON *f = facts_of_text(four_days, NULL);
    for (size_t i = 0; i < ORR_COLUMNS; i++) {
        char path[96];
        bool decided = false;
        for (size_t k = 0; k < sizeof always / sizeof *always; k++)
            decided |= strcmp(always[k], orr_columns[i].name) == 0;
        snprintf(path, sizeof path, "coverage.columns[column=%s].stated", orr_columns[i].name);
        if (decided == (fact_at(f, path) != NULL))
            fail_msg("%s: neither covered nor said to have a default, or both", orr_columns[i].name);
    }
    cJSON_Delete(f);
}

static void values(void **state)
{
    (void)state;
    orr_text rows = {0};
    orr_text_addf(&rows, "submit,duration,gpus,phase,node,price\n");
    for (int i = 0; i < 66; i++)
        orr_text_addf(&rows, "%d,1,1,%s,n%d,%d.5\n", i, i % 3 ? "run" : "wait", i, i % 32);
    cJSON *f = facts_of_text(rows.at, NULL);
    ASSERT_FACTS(f, {"attributes[attribute=phase].values[0].value", 0, "run"},
                 {"attributes[attribute=phase].values[0].jobs", 0, "44"},
                 {"attributes[attribute=phase].distinct", 0, "2"}, {"attributes[attribute=node].distinct", 0, "66"},
                 {"attributes[attribute=price].distinct", 0, "32"}, {"attributes[attribute=price].min", 1, "0.5"},
                 {"attributes[attribute=price].max", 1, "31.5"},
                 {"attributes[attribute=price].sum", 1, "1026.0"} /* 2 x (496 + 16) + 0.5 + 1.5 */,
                 {"attributes[attribute=price].values[0].value", 0, "0.5"},
                 {"attributes[attribute=price].values[0].jobs", 0, "3"});
    assert_int_equal(cJSON_GetArraySize(fact_at(f, "attributes[attribute=price].values")), 32);
    assert_null(fact_at(f, "attributes[attribute=node].values"));
    assert_null(fact_at(f, "attributes[attribute=node].min"));
    cJSON_Delete(f);
    orr_text_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_day),
        cmocka_unit_test(as_a_strip),
        cmocka_unit_test(every_column_is_decided_on),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
