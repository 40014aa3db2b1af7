/* What the readers of requests share beyond intake.h, and the columns of our own CSV of requests: one table that reads,
 * writes and documents them.
 */
#ifndef ORR_TRACE_REQUESTS_H
#define ORR_TRACE_REQUESTS_H

#include "trace/reader.h"

/* Of tokens, and of the arrivals in one bin. */
#define ORR_REQUEST_LIMIT INT64_C(1000000000000)

/* The time of arrival; needed. */
bool orr_take_arrival(orr_intake *k, orr_cell cell, orr_trace_request *request);
/* A number of tokens. Optional: a missing value leaves *out as it is. */
bool orr_take_tokens(orr_intake *k, orr_cell cell, int64_t *out);
/* How many arrived; needed, 0 is fine. */
bool orr_take_arrivals(orr_intake *k, orr_cell cell, uint64_t *out);
/* A stated total of tokens says nothing new; one that contradicts is worth a warning. */
bool orr_check_total(orr_intake *k, orr_cell cell, const orr_trace_request *request);

typedef struct orr_request_column {
    const char *name;
    const char *unit, *fallback, *meaning; /* for the documentation */
    /* Takes a cell into the record; false when the row is over. */
    bool (*take)(orr_intake *k, orr_cell cell, orr_trace_request *request);
    /* Adds the value's text; nothing if it is the default. */
    void (*print)(const orr_trace_request *request, orr_text *out);
} orr_request_column;

enum orr_request_place {
    ORR_REQUEST_ARRIVAL, /* the one that is needed */
    ORR_REQUEST_TOKENS_IN,
    ORR_REQUEST_TOKENS_OUT,
    ORR_REQUEST_DURATION,
    ORR_REQUEST_SERVICE,
    ORR_REQUEST_CLIENT,
    ORR_REQUEST_STATE,
    ORR_REQUEST_CENSORED,
    ORR_REQUEST_COUNT,
    ORR_REQUEST_BLOCKS,
    ORR_REQUEST_ID,
    ORR_REQUEST_COLUMNS
};
extern const orr_request_column orr_request_columns[ORR_REQUEST_COLUMNS];

/* The table as Markdown, one row a column: what traces/README.md shows. */
void orr_request_columns_markdown(orr_text *out);

/* What orr_trace_write does with a trace of requests. */
orr_err orr_requests_write(const orr_trace *trace, const char *path, const char *comment, orr_error *e);

#endif
