/* Reading traces from texts and from the shared data, for the tests of this folder. */
#ifndef TESTS_TRACE_READING_H
#define TESTS_TRACE_READING_H

#include "trace/reader.h"

/* Reads a text; the error is cleared first. */
orr_trace *reading(const char *text, const orr_trace_options *options, orr_error *e);
/* The same, and the test fails if it can't be read. */
orr_trace *reading_well(const char *text, const orr_trace_options *options);
/* How often a reason was noted; 0 if never. */
uint64_t noted(const orr_trace *trace, const char *reason);
/* A path in the shared data; skips the test, with a word, where there is none. */
const char *shared_path(char buf[512], const char *name);

#endif
