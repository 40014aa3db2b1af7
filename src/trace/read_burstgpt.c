/* BurstGPT, both releases: the second puts a session and the time to the complete answer in between. Timestamps are
 * seconds from midnight before the first request; the date was never published. A request without an answer failed:
 * its response has 0 tokens. */
#include "trace/requests.h"

enum { TIMESTAMP, MODEL, REQUEST, RESPONSE, TOTAL, ELAPSED, SESSION, LOG_TYPE, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [TIMESTAMP] = {"Timestamp", true, false},
    [MODEL] = {"Model", true, false},
    [REQUEST] = {"Request tokens", true, false},
    [RESPONSE] = {"Response tokens", true, false},
    [TOTAL] = {"Total tokens", false, false},
    [ELAPSED] = {"Elapsed time", false, false},
    [SESSION] = {"Session ID", false, true},
    [LOG_TYPE] = {"Log Type", false, true},
};

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    request.service = orr_sheet_text(sheet, MODEL);
    if (!orr_take_arrival(k, orr_sheet_cell(sheet, TIMESTAMP), &request) ||
        !orr_take_tokens(k, orr_sheet_cell(sheet, REQUEST), &request.tokens_in) ||
        !orr_take_tokens(k, orr_sheet_cell(sheet, RESPONSE), &request.tokens_out) ||
        !orr_take_some_duration(k, orr_sheet_cell(sheet, ELAPSED), &request.duration) ||
        !orr_check_total(k, orr_sheet_cell(sheet, TOTAL), &request))
        return;
    if (request.tokens_out == 0)
        request.ending = ORR_ENDING_FAILED;
    orr_intake_keep_request(k, &request);
}

static orr_err read_burstgpt(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_burstgpt = {
    .name = "burstgpt",
    .label = "burstgpt",
    .about = "requests: BurstGPT, both releases",
    .signature = {"Timestamp", "Model", "Request tokens", "Response tokens"},
    .read = read_burstgpt,
};
