/* Every reader of traces on any bytes: once as sniffed, then under each format's name, and what can be read is
 * described and must keep its promises. */
#include "base/assert.h"
#include "trace/describe.h"
#include "trace/reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds of any trace that was read. */
static void check(const orr_trace *trace)
{
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    const orr_note *notes;
    uint64_t dropped = 0;
    for (size_t i = 0, n = orr_trace_notes(trace, &notes); i < n; i++)
        dropped += notes[i].kind == ORR_NOTE_DROP ? notes[i].count : 0;
    ORR_ASSERT(orr_trace_count(trace) > 0, "a trace without jobs is an error");
    ORR_ASSERT(orr_trace_rows_read(trace) == orr_trace_count(trace) + dropped, "rows read = jobs + dropped");
    for (size_t i = 0; i < orr_trace_count(trace); i++) {
        ORR_ASSERT(orr_flaw_of(&jobs[i]) == ORR_FLAW_NONE, "a job is possible");
        ORR_ASSERT(i == 0 || jobs[i - 1].submit <= jobs[i].submit, "jobs are in order");
    }
}

static void describe(const orr_trace *trace)
{
    orr_description *d = orr_trace_describe(trace);
    orr_text text = {0};
    cJSON *json = orr_trace_describe_json(d);
    orr_trace_describe_text(d, &text);
    cJSON_Delete(json);
    orr_text_fini(&text);
    orr_description_destroy(d);
}

static void read_as(const uint8_t *data, size_t size, const orr_trace_options *options)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_trace *trace = orr_trace_read_input(in, options, &e);
    orr_input_close(in);
    ORR_ASSERT((trace != NULL) == (e.code == ORR_OK), "a trace or an error");
    if (!trace)
        return;
    check(trace);
    describe(trace);
    orr_trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {NULL, "orrery", "helios", "philly-json", "philly-csv", "tiresias"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const orr_trace_options options = {.format = formats[i], .keep_cpu_jobs = i & 1, .replay_attempts = true};
        read_as(data, size, &options);
    }
    const orr_trace_options strict = {.strict = true};
    read_as(data, size, &strict);
    return 0;
}
