#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

orr_trace *reading(const char *text, const orr_trace_options *options, orr_error *e)
{
    *e = (orr_error){0};
    orr_input *in = orr_input_memory("t.csv", text, strlen(text));
    orr_trace *trace = orr_trace_read_input(in, options, e);
    orr_input_close(in);
    return trace;
}

orr_trace *reading_well(const char *text, const orr_trace_options *options)
{
    orr_error e;
    char buf[2048];
    orr_trace *trace = reading(text, options, &e);
    if (!trace) {
        orr_error_format(&e, buf, sizeof buf);
        fail_msg("should be read:\n%s\n%s", text, buf);
    }
    uint64_t dropped = 0;
    for (size_t i = 0; i < trace->notes.n; i++)
        dropped += trace->notes.at[i].kind == ORR_NOTE_DROP ? trace->notes.at[i].count : 0;
    assert_int_equal(orr_trace_rows_read(trace), orr_trace_count(trace) + trace->requests.n + dropped);
    return trace;
}

uint64_t noted(const orr_trace *trace, const char *reason)
{
    const orr_note *notes;
    const size_t n = orr_trace_notes(trace, &notes);
    for (size_t i = 0; i < n; i++)
        if (strcmp(notes[i].reason, reason) == 0)
            return notes[i].count;
    return 0;
}

const char *shared_path(char buf[512], const char *name)
{
    const char *root = getenv("ORRERY_SHARED");
    if (root)
        snprintf(buf, 512, "%s/%s", root, name);
    else
        snprintf(buf, 512, "%s/../shared/%s", ORR_SOURCE_DIR, name);
    FILE *f = fopen(buf, "rb");
    if (!f) {
        print_message("skipped: no shared data at %s\n", buf);
        skip();
    } else {
        fclose(f);
    }
    return buf;
}
