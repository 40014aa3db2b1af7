/* Requests as our own CSV: what is written reads back as the same records. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void same_texts(const char *const *a, const char *const *b, size_t n)
{
    assert_int_equal(!a, !b);
    for (size_t i = 0; a && i < n; i++)
        assert_string_equal(a[i], b[i]);
}

static void same_request(const orr_trace_request *a, const orr_trace_request *b, size_t attributes)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->service, b->service);
    assert_string_equal(a->client, b->client);
    assert_true(a->arrival == b->arrival && a->duration == b->duration);
    assert_true(a->tokens_in == b->tokens_in && a->tokens_out == b->tokens_out && a->count == b->count);
    assert_true(a->ending == b->ending && a->censored == b->censored);
    assert_int_equal(a->block_count, b->block_count);
    if (a->block_count)
        assert_memory_equal(a->blocks, b->blocks, a->block_count * sizeof *a->blocks);
    same_texts(a->attributes, b->attributes, attributes);
}

static orr_trace *through_a_file(const orr_trace *t, char **text)
{
    char folder[] = "/tmp/orrery-requests-XXXXXX", path[64];
    orr_error e = {0};
    size_t n;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv", folder);
    assert_int_equal(orr_trace_write(t, path, "made by a test", &e), ORR_OK);
    orr_trace *back = orr_trace_read(path, NULL, &e);
    if (!back)
        fail_msg("line %d: %s", e.line, e.message);
    orr_input *in = orr_input_open(path, &e);
    assert_int_equal(orr_input_all(in, text, &n, &e), ORR_OK);
    orr_input_close(in);
    unlink(path);
    rmdir(folder);
    return back;
}

/* The second file is the first one, byte for byte, and so are the records. */
static void round_trip(const orr_trace *t)
{
    char *first, *second;
    const orr_trace_request *a, *b;
    const char *const *names, *const *kept;
    const size_t n = orr_trace_requests(t, &a), m = orr_trace_attributes(t, &names);
    orr_trace *back = through_a_file(t, &first), *again = through_a_file(back, &second);
    assert_string_equal(orr_trace_format(back), "orrery-requests");
    assert_string_equal(orr_trace_origin(back), orr_trace_origin(t));
    assert_int_equal(orr_trace_bin(back), orr_trace_bin(t));
    assert_int_equal(orr_trace_requests(back, &b), n);
    assert_int_equal(noted(back, "unsorted"), 0);
    assert_int_equal(orr_trace_attributes(back, &kept), m);
    same_texts(names, kept, m);
    for (size_t i = 0; i < n; i++)
        same_request(&a[i], &b[i], m);
    assert_string_equal(first, second);
    free(first);
    free(second);
    orr_trace_destroy(back);
    orr_trace_destroy(again);
}

static void written_and_read_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
         "2023-11-16 18:17:04.0319601,,8\n"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,1,2\n"
         "2024-05-10 00:00:00+00:00,3,4\n"),
        ("gmt_create,predict_type,predict_status,exec_time_seconds,groupId,prompt_length,num_lora\n"
         "2024-11-15 16:57:50,TXT_2_IMG,SUCCEED,32.0,G0,63.0,0\n"
         "2024-11-15 16:57:50,TXT_2_IMG,PENDING,0.0,G1,,0\n"),
        ("{\"timestamp\":2,\"input_length\":1,\"hash_ids\":[3,4]}\n"
         "{\"timestamp\":1,\"input_length\":0,\"hash_ids\":[]}\n"),
        "{\"chat_id\":\"a,b\",\"timestamp\":2,\"input_length\":1,\"odd\\n\\\"name\\\", \":\" x \"}\n",
        "time,count\n10,4\n70,0\n40,2\n",
        "0,5\n0.5,6\n2.5,7\n",
        "# clock: relative\narrival,tokens_in\n123456789.000000001,1\n",
        "arrival,tokens_in,id\n5,1,x\n6,1,\"y, \"\"z\"\"\"\n6,2,\" \"\n",
        "# bin: 250ms\narrival,count,service,state,duration\n0,3,a,failed,1\n0,1,\"b,\",running,0\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_trace *t = reading_well(texts[i], NULL);
        round_trip(t);
        orr_trace_destroy(t);
    }
}

/* An attribute may have the name of a column, since another format knew no such column. */
static void attributes_named_like_columns(void **state)
{
    (void)state;
    char *text;
    orr_trace *t = reading_well("TIMESTAMP,ContextTokens,GeneratedTokens,Client\n1,2,3,who\n", NULL);
    orr_trace *back = through_a_file(t, &text);
    const orr_trace_request *r;
    const char *const *names;
    assert_int_equal(orr_trace_requests(back, &r), 1);
    assert_string_equal(r[0].client, "");
    assert_int_equal(orr_trace_attributes(back, &names), 1);
    assert_string_equal(names[0], "Client");
    assert_string_equal(r[0].attributes[0], "who");
    free(text);
    orr_trace_destroy(back);
    orr_trace_destroy(t);
}

static void what_is_written(void **state)
{
    (void)state;
    char *text;
    orr_trace *t = reading_well("time,count\n10,4\n40,2\n", NULL);
    orr_trace *back = through_a_file(t, &text);
    assert_string_equal(text, "# made by a test\n# bin: 30s\narrival,count\n10,4\n40,2\n");
    free(text);
    orr_trace_destroy(back);
    orr_trace_destroy(t);
}

static void public_traces(void **state)
{
    (void)state;
    static const char *const names[] = {"azure-llm-2023/AzureLLMInferenceTrace_code.csv",
                                        "mooncake-fast25/conversation_trace.jsonl.gz",
                                        "alibaba-genai-2026/lora_request_trace.csv.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[120], path[512];
        orr_error e = {0};
        snprintf(name, sizeof name, "data/inference/%s", names[i]);
        orr_trace *t = orr_trace_read(shared_path(path, name), NULL, &e);
        assert_non_null(t);
        round_trip(t);
        orr_trace_destroy(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(attributes_named_like_columns),
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(public_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
