/* A JSON description, asked by paths: "vcs[3].jobs", "recorded.wait.p50", "attributes[attribute=qos].stated". */
#ifndef TESTS_TRACE_FACTS_H
#define TESTS_TRACE_FACTS_H

#include "reading.h"

#include <cjson/cJSON.h>

/* Of the trace's jobs, read back from its text; freed by cJSON_Delete. The trace is destroyed. */
cJSON *facts_of(orr_trace *trace);
/* Of a text in our CSV or another format. */
cJSON *facts_of_text(const char *text, const orr_trace_options *options);
/* NULL if there is nothing at that path. */
const cJSON *fact_at(const cJSON *facts, const char *path);

typedef struct fact_row {
    const char *path;
    int decimals;     /* that a number is printed with */
    const char *want; /* a number as printed, or a text */
} fact_row;

/* Fails with the path, what is there, and what should be. */
void assert_fact(const cJSON *facts, fact_row row);
void assert_facts(const cJSON *facts, const fact_row *rows, size_t n);
#define ASSERT_FACTS(facts, ...)                                                                                       \
    assert_facts(facts, (const fact_row[]){__VA_ARGS__}, sizeof((const fact_row[]){__VA_ARGS__}) / sizeof(fact_row))

#endif
