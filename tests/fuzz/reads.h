/* What holds of any trace that was read from any bytes, for the fuzzers of readers. */
#ifndef TESTS_FUZZ_READS_H
#define TESTS_FUZZ_READS_H

#include "base/assert.h"
#include "trace/describe_requests.h"
#include "trace/reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds of any trace that was read. */
static inline void check(const orr_trace *trace)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    const orr_note *notes;
    uint64_t dropped = 0;
    for (size_t i = 0, m = orr_trace_notes(trace, &notes); i < m; i++)
        dropped += notes[i].kind == ORR_NOTE_DROP ? notes[i].count : 0;
    const orr_trace_request *requests;
    const size_t n = orr_trace_count(trace), r = orr_trace_requests(trace, &requests);
    ORR_ASSERT(n + r > 0, "a trace without jobs is an error");
    ORR_ASSERT(orr_trace_rows_read(trace) == n + r + dropped, "rows read = jobs + requests + dropped");
    for (size_t i = 0; i < r; i++) {
        ORR_ASSERT(i == 0 || requests[i - 1].arrival <= requests[i].arrival, "requests are in order");
        ORR_ASSERT(requests[i].count > 0 && (requests[i].count == 1 || orr_trace_bin(trace)), "a request, or a bin");
    }
    for (size_t i = 0; i < n; i++) {
        ORR_ASSERT(orr_flaw_of(&jobs[i]) == ORR_FLAW_NONE, "a job is possible");
        ORR_ASSERT(i == 0 || jobs[i - 1].submit <= jobs[i].submit, "jobs are in order");
    }
}

static inline void describe_requests(const orr_trace *trace)
{
    orr_request_description *d = orr_requests_describe(trace);
    orr_text text = {0};
    cJSON *json = orr_requests_describe_json(d);
    orr_requests_describe_text(d, &text);
    cJSON_Delete(json);
    orr_text_fini(&text);
    orr_request_description_destroy(d);
}

static inline void describe_jobs(const orr_trace *trace)
{
    orr_description *d = orr_trace_describe(trace);
    orr_text text = {0};
    cJSON *json = orr_trace_describe_json(d);
    orr_trace_describe_text(d, &text);
    cJSON_Delete(json);
    orr_text_fini(&text);
    orr_description_destroy(d);
}

static inline void read_as(const uint8_t *data, size_t size, const orr_trace_options *options, bool describe)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_trace *trace = orr_trace_read_input(in, options, &e);
    orr_input_close(in);
    ORR_ASSERT((trace != NULL) == (e.code == ORR_OK), "a trace or an error");
    if (!trace)
        return;
    check(trace);
    if (describe && orr_trace_count(trace))
        describe_jobs(trace);
    else if (describe)
        describe_requests(trace);
    orr_trace_destroy(trace);
}

#endif
