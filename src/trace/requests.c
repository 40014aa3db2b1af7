/* A `take` and a `print` for each column, then the table. An empty cell always means the default. */
#include "trace/requests.h"

/* ---- cells ---- */

bool orr_take_arrival(orr_intake *k, orr_cell cell, orr_trace_request *request)
{
    return orr_take_time(k, cell, ORR_FLAW_NO_ARRIVAL, &request->arrival);
}

static bool take_amount(orr_intake *k, orr_cell cell, int64_t *out)
{
    int64_t value = 0;
    if (!orr_take_count(k, cell, ORR_FLAW_NUMBER, &value))
        return false;
    if (value < 0 || value > ORR_REQUEST_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    *out = value;
    return true;
}

bool orr_take_tokens(orr_intake *k, orr_cell cell, int64_t *out)
{
    return orr_cell_missing(cell) || take_amount(k, cell, out);
}

bool orr_take_arrivals(orr_intake *k, orr_cell cell, uint64_t *out)
{
    int64_t value = 0;
    if (!take_amount(k, cell, &value))
        return false;
    *out = (uint64_t)value;
    return true;
}

bool orr_check_total(orr_intake *k, orr_cell cell, const orr_trace_request *request)
{
    int64_t total = -1;
    if (!orr_take_tokens(k, cell, &total))
        return false;
    if (total < 0 || request->tokens_in < 0 || request->tokens_out < 0)
        return true;
    return total == request->tokens_in + request->tokens_out || orr_intake_flaw(k, ORR_FLAW_TOTAL_TOKENS, &cell);
}

static void print_number(orr_text *out, uint64_t value)
{
    orr_text_addf(out, "%llu", (unsigned long long)value);
}

static void print_time(orr_text *out, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_text_add(out, buf, (size_t)orr_time_format(t, buf));
}

static void print_words(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

/* ---- columns ---- */

static void print_arrival(const orr_trace_request *r, orr_text *out)
{
    print_time(out, r->arrival);
}

static bool take_tokens_in(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    return orr_take_tokens(k, cell, &r->tokens_in);
}

static void print_tokens_in(const orr_trace_request *r, orr_text *out)
{
    if (r->tokens_in >= 0)
        print_number(out, (uint64_t)r->tokens_in);
}

static bool take_tokens_out(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    return orr_take_tokens(k, cell, &r->tokens_out);
}

static void print_tokens_out(const orr_trace_request *r, orr_text *out)
{
    if (r->tokens_out >= 0)
        print_number(out, (uint64_t)r->tokens_out);
}

static bool take_duration(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    return orr_take_some_duration(k, cell, &r->duration);
}

static void print_duration(const orr_trace_request *r, orr_text *out)
{
    print_time(out, r->duration); /* nothing if it isn't known */
}

static bool take_service(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    (void)k;
    r->service = cell.at;
    return true;
}

static void print_service(const orr_trace_request *r, orr_text *out)
{
    print_words(out, r->service);
}

static bool take_client(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    (void)k;
    r->client = cell.at;
    return true;
}

static void print_client(const orr_trace_request *r, orr_text *out)
{
    print_words(out, r->client);
}

static bool take_state(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    orr_trace_job job = orr_trace_job_default();
    if (!orr_take_state(k, cell, &job))
        return false;
    r->ending = job.ending;
    r->censored |= job.censored;
    return true;
}

static void print_state(const orr_trace_request *r, orr_text *out)
{
    if (r->ending != ORR_ENDING_DONE)
        print_words(out, r->ending == ORR_ENDING_FAILED ? "failed" : "killed");
}

static bool take_censored(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    bool censored = false;
    if (!orr_cell_missing(cell) && !orr_parse_bool(cell.at, &censored))
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    r->censored |= censored;
    return true;
}

static void print_censored(const orr_trace_request *r, orr_text *out)
{
    if (r->censored)
        print_number(out, 1);
}

static bool take_count(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    if (orr_cell_missing(cell))
        return true;
    if (!orr_take_arrivals(k, cell, &r->count))
        return false;
    if (r->count <= 1 || k->trace->bin)
        return r->count > 0 || orr_intake_flaw(k, ORR_FLAW_EMPTY_BIN, &cell);
    orr_intake_fail(k, ORR_E_FORMAT, &cell, "a count above 1, and nothing says how wide its bin is");
    orr_error_hint(k->e, "a line \"# bin: 1s\" before the header does");
    return false;
}

static void print_count(const orr_trace_request *r, orr_text *out)
{
    if (r->count != 1)
        print_number(out, r->count);
}

static bool take_blocks(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    (void)r;
    const char *at = cell.at, *const end = cell.at + cell.n;
    for (const char *joint; cell.n && at <= end; at = joint + 1) {
        uint64_t block;
        joint = memchr(at, '/', (size_t)(end - at));
        joint = joint ? joint : end;
        if (!orr_parse_u64(at, (size_t)(joint - at), &block))
            return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
        ORR_VEC_PUSH(&k->blocks, block);
    }
    return true;
}

static void print_blocks(const orr_trace_request *r, orr_text *out)
{
    for (uint32_t i = 0; i < r->block_count; i++)
        orr_text_addf(out, "%s%llu", i ? "/" : "", (unsigned long long)r->blocks[i]);
}

static bool take_id(orr_intake *k, orr_cell cell, orr_trace_request *r)
{
    (void)k;
    r->id = cell.at;
    return true;
}

static void print_id(const orr_trace_request *r, orr_text *out)
{
    print_words(out, r->id);
}

/* ---- the table ---- */

const orr_request_column orr_request_columns[ORR_REQUEST_COLUMNS] = {
    [ORR_REQUEST_ARRIVAL] = {"arrival", "s", "",
                             "time of arrival, on the clocks of submit above; of a bin its beginning", orr_take_arrival,
                             print_arrival},
    [ORR_REQUEST_TOKENS_IN] = {"tokens_in", "tokens", "unknown", "length of its input; of a bin that of all together",
                               take_tokens_in, print_tokens_in},
    [ORR_REQUEST_TOKENS_OUT] = {"tokens_out", "tokens", "unknown",
                                "length of its output; of a bin that of all together", take_tokens_out,
                                print_tokens_out},
    [ORR_REQUEST_DURATION] = {"duration", "s", "unknown", "recorded time from its arrival to its last answer",
                              take_duration, print_duration},
    [ORR_REQUEST_SERVICE] = {"service", "text", "empty", "model or service that was asked", take_service,
                             print_service},
    [ORR_REQUEST_CLIENT] = {"client", "text", "empty", "who asked", take_client, print_client},
    [ORR_REQUEST_STATE] = {"state", "word", "done", "how it ended: done, failed, killed", take_state, print_state},
    [ORR_REQUEST_CENSORED] = {"censored", "bool", "0", "not answered yet when the record ended", take_censored,
                              print_censored},
    [ORR_REQUEST_COUNT] = {"count", "requests", "1", "of a bin: how many arrived within it", take_count, print_count},
    [ORR_REQUEST_BLOCKS] = {"blocks", "numbers", "unknown", "prefix-cache blocks of its input, in order, joined by /",
                            take_blocks, print_blocks},
    [ORR_REQUEST_ID] = {"id", "text", "row number from 0", "unique name of the request", take_id, print_id},
};

void orr_request_columns_markdown(orr_text *out)
{
    orr_text_addf(out, "| column | needed | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++) {
        const orr_request_column *c = &orr_request_columns[i];
        orr_text_addf(out, "| `%s` | %s | %s | %s | %s |\n", c->name, i == ORR_REQUEST_ARRIVAL ? "yes" : "", c->unit,
                      c->fallback, c->meaning);
    }
}
