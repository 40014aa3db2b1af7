/* Requests: each format by a text written by hand, and the public traces where they are. */
#include "reading.h"
#include "trace/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const orr_trace_request *requests_of(const orr_trace *t, size_t n)
{
    const orr_trace_request *r;
    assert_int_equal(orr_trace_requests(t, &r), n);
    assert_int_equal(orr_trace_count(t), 0);
    return r;
}

static const char *attribute(const orr_trace *t, const orr_trace_request *r, const char *name)
{
    const char *const *names;
    const size_t n = orr_trace_attributes(t, &names);
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return r->attributes ? r->attributes[i] : "";
    return "(no such attribute)";
}

/* Refused, with these words somewhere in the message. */
static void refused(const char *text, const orr_trace_options *options, orr_err code, int line, const char *words)
{
    orr_error e;
    orr_trace *t = reading(text, options, &e);
    if (t)
        fail_msg("should be refused:\n%s", text);
    if (e.code != code || e.line != line || !strstr(e.message, words))
        fail_msg("%s\nis refused with code %d in line %d: %s", text, e.code, e.line, e.message);
}

/* ---- Azure ---- */

static void azure(void **state)
{
    (void)state;
    orr_trace *t = reading_well("TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                "2023-11-16 18:17:03.9799600,4808,10\r\n"
                                "2023-11-16 18:17:04.0319601,,8", NULL);
    const orr_trace_request *r = requests_of(t, 2);
    assert_string_equal(orr_trace_format(t), "azure-llm");
    assert_string_equal(orr_trace_origin(t), "2023-11-16 18:17:03.97996");
    assert_int_equal(r[0].arrival, 0);
    assert_int_equal(r[0].tokens_in, 4808);
    assert_int_equal(r[0].tokens_out, 10);
    assert_int_equal(r[1].arrival, 52000100);
    assert_int_equal(r[1].tokens_in, -1);
    assert_int_equal(r[1].line, 3);
    assert_int_equal(r[1].count, 1);
    assert_true(r[1].duration == ORR_TIME_NONE && !r[1].censored && r[1].ending == ORR_ENDING_DONE);
    assert_string_equal(r[1].id, "1");
    assert_int_equal(orr_trace_bin(t), 0);
    orr_trace_destroy(t);
}

static void rows_that_are_no_requests_are_counted(void **state)
{
    (void)state;
    orr_trace *t = reading_well("TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                ",1,1\nyesterday,1,1\n3,-1,1\n4,1.5,1\n5,1000000000001,1\n6,1\n7,7.0,1\n", NULL);
    const orr_trace_request *r = requests_of(t, 1);
    assert_int_equal(r[0].arrival, 7 * ORR_SECOND);
    assert_int_equal(r[0].tokens_in, 7);
    assert_string_equal(r[0].id, "6");
    assert_int_equal(noted(t, "no-arrival"), 1);
    assert_int_equal(noted(t, "bad-time"), 1);
    assert_int_equal(noted(t, "bad-number"), 3);
    assert_int_equal(noted(t, "ragged-row"), 1);
    orr_trace_destroy(t);
    refused("TIMESTAMP,ContextTokens,GeneratedTokens\n1,x,1\n", NULL, ORR_E_NO_JOBS, 2, "1 row");
    refused("TIMESTAMP,ContextTokens,GeneratedTokens\n1,1,1\n2,x,1\n", &(orr_trace_options){.strict = true},
            ORR_E_NUMBER, 3, "ContextTokens");
    refused("TIMESTAMP,ContextTokens\n1,1\n", NULL, ORR_E_MISSING_COLUMN, 1, "GeneratedTokens");
}

/* Equal arrivals stay in the order of the file, earlier ones come first. */
static void order_of_arrival(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrived_at,num_prefill_tokens,num_decode_tokens\n2,10,1\n1,20,1\n2,30,1\n", NULL);
    const orr_trace_request *r = requests_of(t, 3);
    assert_int_equal(r[0].tokens_in, 20);
    assert_int_equal(r[1].tokens_in, 10);
    assert_int_equal(r[2].tokens_in, 30);
    assert_int_equal(noted(t, "unsorted"), 1);
    orr_trace_destroy(t);
}

/* ---- Vidur ---- */

static void vidur(void **state)
{
    (void)state;
    orr_trace *t = reading_well("arrived_at,num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n"
                                "0.0,10,2,12,5.0\n0.052000000000000004,7,3,11,2.33\n", NULL);
    const orr_trace_request *r = requests_of(t, 2);
    assert_string_equal(orr_trace_format(t), "vidur");
    assert_int_equal(r[1].arrival, 52 * ORR_MS);
    assert_int_equal(r[1].tokens_in, 7);
    assert_int_equal(r[1].tokens_out, 3);
    assert_string_equal(attribute(t, &r[1], "pd_ratio"), "2.33");
    assert_int_equal(noted(t, "total-mismatch"), 1);
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

static void shapes_are_no_trace(void **state)
{
    (void)state;
    refused("num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n3772,54,3826,69.85\n", NULL,
            ORR_E_MISSING_COLUMN, 1, "a list of request lengths, not a trace");
    refused("num_prefill_tokens,num_decode_tokens\n", NULL, ORR_E_MISSING_COLUMN, 1, "arrived_at");
}

/* ---- BurstGPT ---- */

static void burstgpt(void **state)
{
    (void)state;
    orr_trace *t = reading_well("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                                "5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1087,0,1087,API log\n", NULL);
    const orr_trace_request *r = requests_of(t, 2);
    assert_string_equal(orr_trace_format(t), "burstgpt");
    assert_string_equal(r[0].service, "ChatGPT");
    assert_int_equal(r[0].arrival, 5 * ORR_SECOND); /* its own zero: midnight */
    assert_int_equal(r[0].ending, ORR_ENDING_DONE);
    assert_int_equal(r[1].ending, ORR_ENDING_FAILED);
    assert_int_equal(r[1].tokens_out, 0);
    assert_true(r[1].duration == ORR_TIME_NONE);
    assert_string_equal(attribute(t, &r[1], "Log Type"), "API log");
    orr_trace_destroy(t);
    t = reading_well("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                     "19440110.0,1722ac82,43,GPT-4,906,446,1352,Conversation log\n"
                     "19440161.5,,2.25,ChatGPT,36,29,66,API log\n", NULL);
    r = requests_of(t, 2);
    assert_int_equal(r[0].duration, 43 * ORR_SECOND);
    assert_string_equal(attribute(t, &r[0], "Session ID"), "1722ac82");
    assert_int_equal(r[1].arrival, 19440161 * ORR_SECOND + 500 * ORR_MS);
    assert_int_equal(r[1].duration, 2250 * ORR_MS);
    assert_string_equal(attribute(t, &r[1], "Session ID"), "");
    assert_int_equal(noted(t, "total-mismatch"), 1);
    orr_trace_destroy(t);
}

/* ---- Alibaba GenAI ---- */

#define GENAI                                                                                                          \
    "gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length,negative_prompt_length,"           \
    "num_images_per_prompt,num_inference_steps,checkpoint_model_version_id,num_lora\n"

static void genai(void **state)
{
    (void)state;
    orr_trace *t = reading_well(GENAI "2024-11-15 16:57:50,TXT_2_IMG,SUCCEED,32.0,G0,63.0,26.0,1.0,30.0,M0,0\n"
                                      "2024-11-15 16:57:51,TXT_2_IMG,FAILED,7.5,G1,,,,,,2\n"
                                      "2024-11-15 16:57:52,TXT_2_IMG,PENDING,0.0,G1,,,,,,0\n"
                                      "2024-11-15 16:57:53,IMG_2_IMG,PROCESSING,43.0,G1,61.0,26.0,8.0,30.0,M1,0\n"
                                      "2024-11-15 16:57:54,IMG_2_IMG,LOST,1,G1,1,1,1,1,M1,0\n", NULL);
    const orr_trace_request *r = requests_of(t, 5);
    assert_string_equal(orr_trace_format(t), "alibaba-genai");
    assert_string_equal(r[0].service, "M0");
    assert_string_equal(r[0].client, "G0");
    assert_int_equal(r[0].duration, 32 * ORR_SECOND);
    assert_int_equal(r[0].tokens_in, -1); /* prompt lengths are characters */
    assert_string_equal(attribute(t, &r[0], "prompt_length"), "63.0");
    assert_int_equal(r[1].ending, ORR_ENDING_FAILED);
    assert_string_equal(r[1].service, "");
    assert_string_equal(attribute(t, &r[1], "num_lora"), "2");
    assert_true(r[2].censored && r[2].duration == ORR_TIME_NONE);
    assert_string_equal(attribute(t, &r[2], "predict_status"), "PENDING");
    assert_true(r[3].censored);
    assert_int_equal(r[3].duration, 43 * ORR_SECOND);
    assert_int_equal(noted(t, "unknown-state"), 1);
    assert_int_equal(noted(t, "shifted-clock"), 1);
    orr_trace_destroy(t);
}

static void metrics_are_no_requests(void **state)
{
    (void)state;
    static const char *const heads[] = {"timestamp_anon,value,container_ip,request_type\n1662859176.0,0.09,,API\n",
                                        "value,timestamp_anon,container_ip\n0.0,1662858720.0,23b8\n",
                                        "value,container_ip,timestamp_anon\n0.0,,1662858720.0\n"};
    for (size_t i = 0; i < 3; i++)
        refused(heads[i], NULL, ORR_E_NO_JOBS, 0, "metrics of Alibaba's generative serving");
}

static void an_archive_is_no_trace(void **state)
{
    (void)state;
    char tar[1024] = "qps.csv";
    orr_error e = {0};
    memcpy(tar + 257, "ustar  ", 8);
    snprintf(tar + 512, 64, "timestamp_anon,value,container_ip\n");
    orr_input *in = orr_input_memory("qps.tar", tar, sizeof tar);
    assert_null(orr_trace_read_input(in, NULL, &e));
    assert_string_equal(e.message, "the file is a tar archive, not a trace");
    assert_non_null(strstr(e.hint, "tar -xf"));
    orr_input_close(in);
}

/* ---- JSON Lines ---- */

static void mooncake(void **state)
{
    (void)state;
    orr_trace *t = reading_well(
        "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, "
        "\"hash_ids\": [46, 47, 18446744073709551615]}\n"
        "\n"
        "{\"hash_ids\":[],\"output_length\":1,\"timestamp\":27482.000001,\"input_length\":3}\r\n"
        "{\"timestamp\":\"27483\",\"input_length\":null}", NULL);
    const orr_trace_request *r = requests_of(t, 3);
    assert_string_equal(orr_trace_format(t), "mooncake");
    assert_string_equal(orr_trace_origin(t), "");
    assert_int_equal(r[0].arrival, 27482 * ORR_MS);
    assert_int_equal(r[0].tokens_in, 6955);
    assert_int_equal(r[0].tokens_out, 52);
    assert_int_equal(r[0].block_count, 3);
    assert_true(r[0].blocks[0] == 46 && r[0].blocks[2] == UINT64_MAX);
    assert_int_equal(r[1].arrival, 27482 * ORR_MS + 1); /* more digits than a double holds of ns */
    assert_int_equal(r[1].block_count, 0);
    assert_null(r[1].blocks);
    assert_int_equal(r[1].line, 3);
    assert_int_equal(r[2].arrival, 27483 * ORR_MS);
    assert_int_equal(r[2].tokens_in, -1);
    orr_trace_destroy(t);
}

static void bailian_counts_seconds(void **state)
{
    (void)state;
    orr_trace *t = reading_well("{\"chat_id\": 159, \"parent_chat_id\": -1, \"timestamp\": 61.114, "
                                "\"input_length\": 521, \"output_length\": 132, \"type\": \"te\\u0078t\", "
                                "\"turn\": 2, \"hash_ids\": [1089, 1090]}\n", NULL);
    const orr_trace_request *r = requests_of(t, 1);
    assert_string_equal(orr_trace_format(t), "bailian");
    assert_int_equal(r[0].arrival, 61114 * ORR_MS);
    assert_string_equal(attribute(t, &r[0], "chat_id"), "159");
    assert_string_equal(attribute(t, &r[0], "parent_chat_id"), "-1");
    assert_string_equal(attribute(t, &r[0], "type"), "text");
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

static void other_keys(void **state)
{
    (void)state;
    orr_trace *t = reading_well("{\"timestamp\": 1, \"input_length\": 1, \"tool\": {\"a\": [1, \"}\"]}, "
                                "\"x\\\"y\": true}\n"
                                "{\"timestamp\": 2, \"late\": 1, \"tool\": null, \"\": 3}\n", NULL);
    const orr_trace_request *r = requests_of(t, 2);
    assert_string_equal(attribute(t, &r[0], "tool"), "{\"a\": [1, \"}\"]}");
    assert_string_equal(attribute(t, &r[0], "x\"y"), "true");
    assert_string_equal(attribute(t, &r[1], "late"), "(no such attribute)");
    assert_int_equal(noted(t, "unknown-column"), 4);
    orr_trace_destroy(t);
}

static void odd_lines(void **state)
{
    (void)state;
    static const orr_trace_options named = {.format = "mooncake"};
    orr_trace *t = reading_well("{\"timestamp\": 1, \"input_length\": 1}\n[1]\n7\n{\"input_length\": 1}\n"
                                "{\"timestamp\": 2, \"hash_ids\": [1, -2]}\n{\"timestamp\": 2, \"hash_ids\": 5}\n"
                                "{\"timestamp\": -1}\n{\"timestamp\": true}\n", NULL);
    requests_of(t, 1);
    assert_int_equal(noted(t, "not-a-job"), 2);
    assert_int_equal(noted(t, "no-arrival"), 1);
    assert_int_equal(noted(t, "bad-number"), 2);
    assert_int_equal(noted(t, "negative-time"), 1);
    assert_int_equal(noted(t, "bad-time"), 1);
    orr_trace_destroy(t);
    orr_error e;
    assert_null(reading("{\"timestamp\": 1, \"input_length\": 1}\n{\"timestamp\": 2,\n", NULL, &e));
    assert_int_equal(e.code, ORR_E_SYNTAX);
    assert_int_equal(e.line, 2);
    assert_true(e.column >= 16);
    refused("{\"timestamp\": 1} x\n", &named, ORR_E_SYNTAX, 1, "not valid JSON");
    refused("{\"timestamp\": 1, \"t\": \"\xff\"}\n", &named, ORR_E_ENCODING, 1, "UTF-8");
    refused("{\"jobs\": 1}\n", NULL, ORR_E_FORMAT, 0, "JSON");
}

/* ---- counts ---- */

static void counts_with_a_header(void **state)
{
    (void)state;
    static const char *const heads[] = {"time,count", "timestamp,count", "second,requests", "count,time",
                                        "Time,Arrivals"};
    for (size_t i = 0; i < 5; i++) {
        char text[100];
        const bool swapped = i == 3;
        snprintf(text, sizeof text, "%s\n%s", heads[i],
                 swapped ? "4,10\n0,70\n2,40\n" : "10,4\n70,0\n40,2\n");
        orr_trace *t = reading_well(text, NULL);
        const orr_trace_request *r = requests_of(t, 2);
        assert_string_equal(orr_trace_format(t), "counts");
        assert_int_equal(orr_trace_bin(t), 30 * ORR_SECOND);
        assert_int_equal(r[0].arrival, 10 * ORR_SECOND);
        assert_int_equal(r[0].count, 4);
        assert_int_equal(r[1].arrival, 40 * ORR_SECOND);
        assert_int_equal(r[1].count, 2);
        assert_int_equal(noted(t, "empty-bin"), 1);
        assert_int_equal(noted(t, "bin-width"), 1);
        orr_trace_destroy(t);
    }
}

static void counts_of_calendar_times(void **state)
{
    (void)state;
    orr_trace *t = reading_well("timestamp,count\n2020-01-01 00:00:00,3\n2020-01-01 00:05:00,4\n", NULL);
    const orr_trace_request *r = requests_of(t, 2);
    assert_int_equal(orr_trace_bin(t), 5 * ORR_MINUTE);
    assert_int_equal(r[1].arrival, 5 * ORR_MINUTE);
    assert_string_equal(orr_trace_origin(t), "2020-01-01 00:00:00");
    orr_trace_destroy(t);
}

static void counts_without_a_header(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# from somewhere\n0, 5\n0.5,6\r\n2.5,7\n", NULL);
    const orr_trace_request *r = requests_of(t, 3);
    assert_string_equal(orr_trace_format(t), "counts");
    assert_int_equal(orr_trace_bin(t), 500 * ORR_MS);
    assert_int_equal(r[0].count, 5);
    assert_int_equal(r[2].arrival, 2500 * ORR_MS);
    orr_trace_destroy(t);
}

/* 0, 2, 5: no multiples of 2, but whole seconds, of which those without arrivals were left out. */
static void widths_of_bins(void **state)
{
    (void)state;
    orr_trace *t = reading_well("0,1\n2,1\n5,1\n", NULL);
    assert_int_equal(orr_trace_bin(t), ORR_SECOND);
    orr_trace_destroy(t);
    t = reading_well("time,count\n7,1\n", NULL);
    assert_int_equal(orr_trace_bin(t), ORR_SECOND);
    orr_trace_destroy(t);
    refused("0,1\n0.3,1\n1,1\n", NULL, ORR_E_TIME, 2, "no grid");
    refused("0,1\n1,1\n1,1\n", NULL, ORR_E_TIME, 3, "same bin as line 2");
    refused("time,count\n0,0\n1,0\n", NULL, ORR_E_NO_JOBS, 2, "empty-bin 2");
}

static void a_column_of_counts_by_name_only(void **state)
{
    (void)state;
    static const orr_trace_options named = {.format = "counts"};
    static const char *const texts[] = {"3\n0\nx\n5\n", "count\n3\n0\nx\n5\n"};
    refused(texts[0], NULL, ORR_E_FORMAT, 0, "no known trace format");
    for (size_t i = 0; i < 2; i++) {
        orr_trace *t = reading_well(texts[i], &named);
        const orr_trace_request *r = requests_of(t, 2);
        assert_int_equal(orr_trace_bin(t), ORR_SECOND);
        assert_int_equal(r[0].arrival, 0);
        assert_int_equal(r[1].arrival, 3 * ORR_SECOND);
        assert_int_equal(r[1].count, 5);
        assert_int_equal(noted(t, "row-is-second"), 1);
        assert_int_equal(noted(t, "bad-number"), 1);
        assert_int_equal(noted(t, "empty-bin"), 1);
        orr_trace_destroy(t);
    }
    refused("a,b\n1,2\n", &named, ORR_E_MISSING_COLUMN, 1, "time");
    refused("time,count\n1,1e13\n", NULL, ORR_E_NO_JOBS, 2, "bad-number");
}

/* ---- our own CSV ---- */

static void ours(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# origin: 2024-02-29 12:00:00\n"
                                "id,arrival,tokens_in,tokens_out,duration,service,client,state,censored,blocks,tier\n"
                                "a,0.25,10,20,1.5,m,c,failed,,7/8/18446744073709551615,gold\n"
                                "b,1,,,,,,running,,,\n"
                                "c,2,,,,None,,killed,1,0,\n"
                                "d,3,,,,,,,,1//2,\n", NULL);
    const orr_trace_request *r = requests_of(t, 3);
    assert_string_equal(orr_trace_format(t), "orrery-requests");
    assert_string_equal(orr_trace_origin(t), "2024-02-29 12:00:00");
    assert_string_equal(r[0].id, "a");
    assert_int_equal(r[0].arrival, 250 * ORR_MS);
    assert_int_equal(r[0].tokens_out, 20);
    assert_int_equal(r[0].duration, 1500 * ORR_MS);
    assert_string_equal(r[0].service, "m");
    assert_string_equal(r[0].client, "c");
    assert_int_equal(r[0].ending, ORR_ENDING_FAILED);
    assert_int_equal(r[0].block_count, 3);
    assert_true(r[0].blocks[2] == UINT64_MAX);
    assert_string_equal(attribute(t, &r[0], "tier"), "gold");
    assert_true(r[1].censored && r[1].ending == ORR_ENDING_DONE && !r[1].blocks);
    assert_true(r[2].censored && r[2].ending == ORR_ENDING_KILLED);
    assert_string_equal(r[2].service, "None");
    assert_int_equal(noted(t, "bad-number"), 1);
    assert_int_equal(noted(t, "unknown-column"), 1);
    orr_trace_destroy(t);
}

static void bins_of_ours(void **state)
{
    (void)state;
    orr_trace *t = reading_well("# bin: 1m\narrival,count,service\n0,5,a\n0,6,b\n60,0,a\n120,,a\n", NULL);
    const orr_trace_request *r = requests_of(t, 3);
    assert_int_equal(orr_trace_bin(t), ORR_MINUTE);
    assert_int_equal(r[1].count, 6);
    assert_int_equal(r[2].count, 1);
    assert_int_equal(noted(t, "empty-bin"), 1);
    orr_trace_destroy(t);
    refused("arrival,count\n0,1\n0,2\n", NULL, ORR_E_FORMAT, 3, "how wide its bin is");
    refused("# bin: wide\narrival,count\n0,1\n", NULL, ORR_E_TIME, 1, "width of the bins");
    refused("\n# bin: 0s\narrival,count\n0,1\n", NULL, ORR_E_TIME, 2, "width of the bins");
}

static void refusals_of_ours(void **state)
{
    (void)state;
    refused("arrival,tokens_in,id\n0,1,x\n1,1,y\n2,1,x\n", NULL, ORR_E_DUPLICATE_ID, 4, "in line 2");
    refused("arrival,tokens_in\n0,1\n2023-11-16 18:17:03,1\n", NULL, ORR_E_MIXED_CLOCKS, 3, "arrival");
    refused("tokens_in\n1\n", &(orr_trace_options){.format = "requests"}, ORR_E_MISSING_COLUMN, 1, "arrival");
    refused("arrival,duration,gpus\n0,1,1\n", NULL, ORR_E_MISSING_COLUMN, 1, "submit"); /* a job list all the same */
}

/* ---- the public traces ---- */

static orr_trace *shared(const char *name)
{
    char path[512];
    orr_error e = {0};
    orr_trace *t = orr_trace_read(shared_path(path, name), NULL, &e);
    if (!t)
        fail_msg("%s: %s", name, e.message);
    return t;
}

/* Vidur's file is the Azure trace, in seconds as floats, which are off by up to 160 ns. */
static void azure_and_vidur_agree(void **state)
{
    (void)state;
    orr_trace *a = shared("data/inference/azure-llm-2023/AzureLLMInferenceTrace_code.csv");
    orr_trace *b = shared("data/inference/vidur/splitwise_code.csv");
    const orr_trace_request *ra = requests_of(a, 8819), *rb = requests_of(b, 8819);
    for (size_t i = 0; i < 8819; i++) {
        assert_true(llabs(ra[i].arrival - rb[i].arrival) <= 160);
        assert_true(ra[i].tokens_in == rb[i].tokens_in && ra[i].tokens_out == rb[i].tokens_out);
    }
    orr_trace_destroy(a);
    orr_trace_destroy(b);
}

/* A block for each 512 tokens of input. */
static void blocks_of_mooncake(void **state)
{
    (void)state;
    orr_trace *t = shared("data/inference/mooncake-fast25/conversation_trace.jsonl.gz");
    const orr_trace_request *r = requests_of(t, 12031);
    uint64_t greatest = 0;
    for (size_t i = 0; i < 12031; i++) {
        assert_int_equal(r[i].block_count, (r[i].tokens_in + 511) / 512);
        for (uint32_t b = 0; b < r[i].block_count; b++)
            greatest = r[i].blocks[b] > greatest ? r[i].blocks[b] : greatest;
    }
    assert_int_equal(greatest, 182789);
    orr_trace_destroy(t);
}

static void genai_as_published(void **state)
{
    (void)state;
    orr_trace *t = shared("data/inference/alibaba-genai-2026/lora_request_trace.csv.gz");
    const orr_trace_request *r = requests_of(t, 26823);
    size_t without_a_prompt = 0, pending = 0;
    for (size_t i = 0; i < 26823; i++) {
        const bool lacks = !attribute(t, &r[i], "prompt_length")[0];
        assert_int_equal(lacks, !attribute(t, &r[i], "num_images_per_prompt")[0]);
        assert_int_equal(lacks, !attribute(t, &r[i], "num_inference_steps")[0]);
        assert_int_equal(lacks, !r[i].service[0]);
        without_a_prompt += lacks;
        pending += r[i].censored && r[i].duration == ORR_TIME_NONE;
    }
    assert_int_equal(without_a_prompt, 25);
    assert_int_equal(pending, 30);
    assert_int_equal(noted(t, "unsorted"), 0);
    orr_trace_destroy(t);
}

static void the_rest_is_refused(void **state)
{
    (void)state;
    static const char *const archives[] = {"basemodel_update_latency_anon", "lora_update_latency_anon",
                                           "model_predict_data_anon", "pod_gpu_duty_cycle_anon", "qps",
                                           "queue_rt_raw_anon", "queue_size_raw_anon"};
    char name[120], path[512];
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        orr_error e = {0};
        snprintf(name, sizeof name, "data/inference/alibaba-genai-2026/%s.tar.gz", archives[i]);
        assert_null(orr_trace_read(shared_path(path, name), NULL, &e));
        assert_non_null(strstr(e.message, "tar archive"));
    }
    orr_error e = {0};
    shared_path(path, "data/inference/vidur/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv");
    assert_null(orr_trace_read(path, NULL, &e));
    assert_non_null(strstr(e.message, "request lengths"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(azure),
        cmocka_unit_test(rows_that_are_no_requests_are_counted),
        cmocka_unit_test(order_of_arrival),
        cmocka_unit_test(vidur),
        cmocka_unit_test(shapes_are_no_trace),
        cmocka_unit_test(burstgpt),
        cmocka_unit_test(genai),
        cmocka_unit_test(metrics_are_no_requests),
        cmocka_unit_test(an_archive_is_no_trace),
        cmocka_unit_test(mooncake),
        cmocka_unit_test(bailian_counts_seconds),
        cmocka_unit_test(other_keys),
        cmocka_unit_test(odd_lines),
        cmocka_unit_test(counts_with_a_header),
        cmocka_unit_test(counts_of_calendar_times),
        cmocka_unit_test(counts_without_a_header),
        cmocka_unit_test(widths_of_bins),
        cmocka_unit_test(a_column_of_counts_by_name_only),
        cmocka_unit_test(ours),
        cmocka_unit_test(bins_of_ours),
        cmocka_unit_test(refusals_of_ours),
        cmocka_unit_test(azure_and_vidur_agree),
        cmocka_unit_test(blocks_of_mooncake),
        cmocka_unit_test(genai_as_published),
        cmocka_unit_test(the_rest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
