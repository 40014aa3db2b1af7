/* Facts about requests: by hand on small traces, and as published for the public ones. */
#include "reading.h"
#include "trace/describe_requests.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void near(double value, double expected, double slack)
{
    if (!(fabs(value - expected) <= slack))
        fail_msg("%.10g instead of %.10g", value, expected);
}

static void exactly(double value, double expected)
{
    near(value, expected, 1e-12 * (1 + fabs(expected)));
}

static orr_trace *shared(const char *name)
{
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), NULL, &e);
    if (!t)
        fail_msg("%s: %s", name, e.message);
    return t;
}

/* ---- by hand ---- */

/* Arrivals at 0, 0, 1, 4 and 60 s: gaps 0, 1, 3, 56, of mean 15 and squares 0 + 1 + 9 + 3136 = 3146. */
static void arrivals(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,tokens_in\n0,1\n0,1\n1,1\n4,1\n60,1\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->requests, 5);
    assert_int_equal(d->records, 5);
    exactly(d->rate, 4.0 / 60);
    assert_int_equal(d->second.requests, 2);
    assert_int_equal(d->second.at, 0);
    assert_int_equal(d->minute.requests, 4);
    assert_int_equal(d->gaps.n, 4);
    exactly(d->gaps.mean, 15);
    exactly(d->gaps.sd, sqrt(3146.0 / 4 - 225));
    exactly(d->gap_cv, sqrt(3146.0 / 4 - 225) / 15);
    exactly(d->gaps.q[4], 2);
    assert_int_equal(d->zero_gaps, 1);
    assert_int_equal(d->counts.n, 0);
    assert_int_equal(d->same_groups, 1);
    assert_int_equal(d->same_surplus, 1);
    assert_false(d->clock.calendar);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* Seconds count from the first arrival: 0.9 and 1.8 are in the same one. */
static void seconds_count_from_the_first_arrival(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,tokens_in\n0.9,1\n1.8,1\n2,1\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->second.requests, 2);
    assert_int_equal(d->second.at, 900 * ORR_MS);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* One request: no gap, no rate. */
static void a_single_request(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,tokens_in\n5,\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    orr_text text = {0};
    assert_true(isnan(d->rate) && isnan(d->gap_cv));
    assert_int_equal(d->gaps.n, 0);
    assert_int_equal(d->tokens_in.n, 0);
    orr_requests_describe_text(d, &text);
    assert_null(strstr(text.at, "nan"));
    cJSON *root = orr_requests_describe_json(d);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "gaps"), "mean")->valuestring, "null");
    cJSON_Delete(root);
    orr_text_fini(&text);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

static void tokens_and_durations(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,tokens_in,tokens_out,duration,state,censored\n"
                                "0,10,,2,,\n1,20,5,4,failed,\n2,,7,9,,1\n3,60,0,,killed,\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->tokens_in.n, 3);
    exactly(d->tokens_in.mean, 30);
    exactly(d->tokens_in.q[4], 20);
    assert_true(d->total_in == 90);
    assert_int_equal(d->tokens_out.n, 3);
    exactly(d->tokens_out.mean, 4);
    assert_int_equal(d->duration.n, 2); /* not the censored one's */
    exactly(d->duration.max, 4);
    assert_int_equal(d->endings[ORR_ENDING_DONE], 1);
    assert_int_equal(d->endings[ORR_ENDING_FAILED], 1);
    assert_int_equal(d->endings[ORR_ENDING_KILLED], 1);
    assert_int_equal(d->censored, 1);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* 0 1 2 | 0 1 3 | 4 0: the second 0 1 and the last 0 came before; that 0 stands behind a new name, so a prefix cache
 * would not reach it. */
static void blocks(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,blocks\n0,0/1/2\n1,0/1/3\n2,4/0\n3,\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->blocks.requests, 3);
    assert_int_equal(d->blocks.names, 8);
    assert_int_equal(d->blocks.distinct, 5);
    assert_int_equal(d->blocks.seen, 3);
    assert_int_equal(d->blocks.unbroken, 2);
    exactly(d->blocks.per_request.mean, 8.0 / 3);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* Enough names to grow the set, each of them twice. */
static void many_blocks(void **state)
{
    (void)state;
    orr_text text = {0};
    orr_text_addf(&text, "arrival,blocks\n");
    for (int i = 0; i < 4000; i++)
        orr_text_addf(&text, "%d,%d/%d\n", i, i, i + 1);
    orr_trace *t = reading_well(text.at, NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->blocks.names, 8000);
    assert_int_equal(d->blocks.distinct, 4001);
    assert_int_equal(d->blocks.seen, 3999);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
    orr_text_fini(&text);
}

/* Bins of 30 s at 10, 40, 70, 100, 130 with 4, 2 + 3, 0, 0, 1: mean 2, squares 16 + 25 + 1 = 42, variance 42/5 - 4. */
static void bins(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# bin: 30s\narrival,count,service\n10,4,a\n40,2,a\n40,3,b\n130,1,a\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->requests, 10);
    assert_int_equal(d->records, 4);
    exactly(d->rate, 10.0 / 150);
    assert_int_equal(d->bins, 5);
    assert_int_equal(d->empty_bins, 2);
    assert_int_equal(d->counts.n, 5);
    exactly(d->counts.mean, 2);
    exactly(d->counts.min, 0);
    exactly(d->counts.max, 5);
    exactly(d->counts.q[4], 1);      /* 0 0 1 4 5 */
    exactly(d->counts.q[5], 4);      /* position 3 */
    exactly(d->counts.q[6], 4.6);    /* position 3.6 */
    exactly(d->dispersion, (42.0 / 5 - 4) / 2);
    exactly(d->count_cv, sqrt(42.0 / 5 - 4) / 2);
    assert_int_equal(d->second.requests, 0); /* bins are wider */
    assert_int_equal(d->minute.requests, 9);
    assert_int_equal(d->minute.at, 10 * ORR_SECOND);
    assert_int_equal(d->gaps.n, 0);
    assert_int_equal(d->services.n, 2);
    assert_string_equal(d->services.at[0].name, "a");
    assert_int_equal(d->services.at[0].requests, 7);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* A nanosecond at the beginning and one at the end of three years: too many empty bins to list. */
static void bins_far_apart(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# bin: 1ns\narrival,count\n0,5\n99999999,5\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_true(d->bins == UINT64_C(99999999000000001));
    exactly(d->counts.q[9], 0);
    exactly(d->counts.max, 5);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

static void services_and_calendar(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,service,client,tokens_in,state,tier\n"
                                "2024-02-29 23:59:59,b,x,1,,gold\n2024-03-01 00:00:00,a,y,2,failed,\n"
                                "2024-03-01 00:10:00,b,y,4,,7\n2024-03-01 13:00:00,,y,,,gold\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->services.n, 3);
    assert_string_equal(d->services.at[0].name, "b");
    assert_int_equal(d->services.at[0].in_stated, 2);
    assert_true(d->services.at[0].tokens_in == 5);
    assert_string_equal(d->services.at[1].name, ""); /* equal counts: by name */
    assert_string_equal(d->services.at[2].name, "a");
    assert_int_equal(d->services.at[2].failed, 1);
    assert_string_equal(d->clients.at[0].name, "y");
    assert_true(d->clock.calendar);
    assert_int_equal(d->weekdays[3], 1); /* a Thursday */
    assert_int_equal(d->weekdays[4], 3);
    assert_int_equal(d->hours[23], 1);
    assert_int_equal(d->hours[0], 2);
    assert_int_equal(d->hours[13], 1);
    assert_int_equal(d->attributes.n, 1);
    assert_int_equal(d->attributes.at[0].stated, 3);
    assert_int_equal(d->attributes.at[0].distinct, 2);
    assert_false(d->attributes.at[0].numeric);
    assert_string_equal(d->attributes.at[0].values.at[0].value, "gold");
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* Alike in all but the id: service, blocks and attributes count. */
static void duplicates(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrival,service,blocks,note\n1,a,1/2,x\n1,a,1/2,x\n1,a,1/3,x\n1,b,1/2,x\n1,a,1/2,y\n"
                                "1,a,1/2,x\n1,b,1/2,x\n", NULL);
    orr_request_description *d = orr_requests_describe(t);
    assert_int_equal(d->same_groups, 2);
    assert_int_equal(d->same_records, 5);
    assert_int_equal(d->same_surplus, 3);
    orr_request_description_destroy(d);
    orr_trace_destroy(t);
}

/* ---- the public traces, through the document ---- */

static cJSON *document(const orr_trace *t)
{
    orr_request_description *d = orr_requests_describe(t);
    orr_text text = {0};
    cJSON *built = orr_requests_describe_json(d);
    char *printed = cJSON_PrintUnformatted(built);
    cJSON *root = cJSON_Parse(printed);
    assert_non_null(root);
    orr_requests_describe_text(d, &text);
    assert_null(strstr(text.at, "nan"));
    orr_text_fini(&text);
    free(printed);
    cJSON_Delete(built);
    orr_request_description_destroy(d);
    return root;
}

/* A number by its path, keys joined by dots. */
static double number(const cJSON *root, const char *path)
{
    char key[60];
    const cJSON *at = root;
    for (const char *from = path; *from;) {
        const size_t n = strcspn(from, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, from);
        at = cJSON_GetObjectItemCaseSensitive(at, key);
        from += n + (from[n] == '.');
    }
    if (!cJSON_IsNumber(at))
        fail_msg("%s is no number", path);
    return at->valuedouble;
}

typedef struct fact {
    const char *path;
    double value, slack; /* half a unit of the last place published */
} fact;

static void hold(const cJSON *root, const fact *facts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double value = number(root, facts[i].path);
        if (!(fabs(value - facts[i].value) <= facts[i].slack + 1e-12))
            fail_msg("%s is %.10g, not %.10g", facts[i].path, value, facts[i].value);
    }
}

static void azure(void **state)
{
    (void)state;
    static const fact facts[] = {
        {"requests", 8819, 0},
        {"span.seconds", 3435.948, 5e-4},
        {"rate.per_second", 2.5664, 5e-5},
        {"gaps.mean", 0.389652, 5e-7},
        {"gaps.cv", 13.1513, 5e-5},
        {"gaps.max", 217.169, 5e-4},
        {"tokens_in.min", 3, 0},
        {"tokens_in.max", 7437, 0},
        {"tokens_in.mean", 2047.848, 5e-4},
        {"tokens_out.min", 6, 0},
        {"tokens_out.max", 1899, 0},
        {"tokens_out.mean", 27.8825, 5e-5},
        {"endings.done", 8819, 0},
    };
    orr_trace *t = shared("data/inference/azure-llm-2023/AzureLLMInferenceTrace_code.csv");
    cJSON *root = document(t);
    hold(root, facts, sizeof facts / sizeof *facts);
    assert_string_equal(cJSON_GetObjectItem(root, "schema")->valuestring, "orrery.describe-requests/1");
    cJSON_Delete(root);
    orr_trace_destroy(t);
}

static void mooncake(void **state)
{
    (void)state;
    static const fact facts[] = {
        {"requests", 12031, 0},
        {"span.first_arrival", 0, 0},
        {"span.last_arrival", 3536.999, 0},
        {"tokens_in.min", 891, 0},
        {"tokens_in.max", 126195, 0},
        {"tokens_in.mean", 12035.061, 5e-4},
        {"tokens_out.min", 1, 0},
        {"tokens_out.max", 2000, 0},
        {"tokens_out.mean", 342.619, 5e-4},
        {"gaps.zero", 10851, 0},
        {"blocks.requests", 12031, 0},
        {"blocks.per_request.max", 247, 0},
        {"blocks.distinct", 182790, 0}, /* from 0 to the greatest one, 182,789 */
    };
    orr_trace *t = shared("data/inference/mooncake-fast25/conversation_trace.jsonl.gz");
    cJSON *root = document(t);
    hold(root, facts, sizeof facts / sizeof *facts);
    exactly(number(root, "blocks.seen_before"), number(root, "blocks.names") - 182790);
    cJSON_Delete(root);
    orr_trace_destroy(t);
}

static const cJSON *listed(const cJSON *root, const char *list, const char *key, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, list))
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(item, key)->valuestring, name) == 0)
            return item;
    }
    fail_msg("%s lacks %s", list, name);
    return NULL;
}

static void genai(void **state)
{
    (void)state;
    static const fact facts[] = {
        {"requests", 26823, 0},
        {"span.seconds", 23.03 * 86400, 0.005 * 86400},
        {"gaps.zero", 876, 0},
        {"duration.p50", 23, 0},
        {"duration.p90", 53, 0},
        {"duration.p99", 106, 0},
        {"duration.max", 567, 0},
        {"endings.done", 26392, 0},
        {"endings.failed", 398, 0},
        {"censored", 33, 0},
        {"duplicates.surplus", 19, 0},
    };
    orr_trace *t = shared("data/inference/alibaba-genai-2026/lora_request_trace.csv.gz");
    cJSON *root = document(t);
    hold(root, facts, sizeof facts / sizeof *facts);
    static const struct {
        const char *status;
        double requests;
    } statuses[] = {{"SUCCEED", 26392}, {"FAILED", 398}, {"PENDING", 30}, {"PROCESSING", 3}};
    const cJSON *status = listed(root, "attributes", "attribute", "predict_status");
    for (size_t i = 0; i < 4; i++)
        exactly(number(listed(status, "values", "value", statuses[i].status), "records"), statuses[i].requests);
    exactly(number(listed(root, "attributes", "attribute", "prompt_length"), "stated"), 26823 - 25);
    exactly(number(listed(root, "attributes", "attribute", "negative_prompt_length"), "stated"), 26823 - 6215);
    exactly(number(listed(root, "attributes", "attribute", "num_lora"), "max"), 6);
    cJSON_Delete(root);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals),
        cmocka_unit_test(seconds_count_from_the_first_arrival),
        cmocka_unit_test(a_single_request),
        cmocka_unit_test(tokens_and_durations),
        cmocka_unit_test(blocks),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(bins),
        cmocka_unit_test(bins_far_apart),
        cmocka_unit_test(services_and_calendar),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(azure),
        cmocka_unit_test(mooncake),
        cmocka_unit_test(genai),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
