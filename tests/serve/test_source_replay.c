/* The public traces of requests are replayed as they stand: of each service every request, at its time, with its
 * tokens. */
#include "serve/source.h"
#include <orrery/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct row {
    const char *file;
    size_t requests, services;
} row;

static const row rows[] = {
    {"data/inference/azure-llm-2023/AzureLLMInferenceTrace_code.csv", 8819, 1},
    {"data/inference/vidur/splitwise_code.csv", 8819, 1},
    {"data/inference/mooncake-fast25/conversation_trace.jsonl.gz", 12031, 1},
    {"data/inference/alibaba-genai-2026/lora_request_trace.csv.gz", 26823, 87},
};

static const char *shared(char buf[512], const char *name)
{
    const char *root = getenv("ORRERY_SHARED");
    if (root)
        snprintf(buf, 512, "%s/%s", root, name);
    else
        snprintf(buf, 512, "%s/../shared/%s", ORR_SOURCE_DIR, name);
    FILE *f = fopen(buf, "rb");
    if (f)
        fclose(f);
    return f ? buf : NULL;
}

static int by_service(const void *left, const void *right)
{
    const orr_trace_request *a = left, *b = right;
    const int names = strcmp(a->service, b->service);
    return names ? names : a->arrival != b->arrival ? (a->arrival < b->arrival ? -1 : 1) : a->row < b->row ? -1 : 1;
}

/* One service's records, in order: each comes out as it went in. */
static void replay(const orr_trace_request *list, size_t n, double speed)
{
    static const orr_slo_class all = {"all", ORR_TIME_MAX, 1, 0, 1};
    const orr_service s = {
        .name = list->service,
        .classes = &all,
        .class_count = 1,
        .source = {.kind = ORR_SOURCE_LIST, .list = list, .listed = n, .speed = speed, .until = ORR_TIME_MAX}};
    orr_pull *p = orr_pull_create(&s, 1);
    for (size_t i = 0; i < n; i++) {
        orr_arrival a;
        orr_pull_next(p, &a);
        assert_int_equal(a.at, speed == 1 ? list[i].arrival : list[i].arrival / 2 + list[i].arrival % 2);
        assert_int_equal(a.tokens_in, list[i].tokens_in < 0 ? 0 : list[i].tokens_in);
        assert_int_equal(a.tokens_out, list[i].tokens_out < 0 ? 0 : list[i].tokens_out);
    }
    assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
    orr_pull_destroy(p);
}

static void check(const row *r, const char *path)
{
    orr_error e = {0};
    const orr_trace_request *requests;
    orr_trace *t = orr_trace_read(path, NULL, &e);
    if (!t)
        fail_msg("%s: %s", path, e.message);
    const size_t n = orr_trace_requests(t, &requests);
    orr_trace_request *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, requests, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_service);
    size_t services = 0;
    for (size_t i = 0, end; i < n; i = end, services++) {
        for (end = i + 1; end < n && strcmp(sorted[end].service, sorted[i].service) == 0;)
            end++;
        replay(sorted + i, end - i, 1);
        replay(sorted + i, end - i, 2);
    }
    if (n != r->requests || services != r->services)
        fail_msg("%s: %zu requests of %zu services", r->file, n, services);
    free(sorted);
    orr_trace_destroy(t);
}

static void public_traces_come_back(void **state)
{
    (void)state;
    char path[512];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (shared(path, rows[i].file))
            check(&rows[i], path);
        else
            print_message("skipped: no %s\n", rows[i].file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(public_traces_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
