/* Vidur's processed traces: seconds from the first request, tokens of prompt and answer. Its files of lengths alone
 * have no arrival times: they are shapes to draw requests from, not a trace, and any times given to them would be made
 * up. */
#include "trace/requests.h"

enum { ARRIVED, PREFILL, DECODE, TOTAL, RATIO, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [ARRIVED] = {"arrived_at", false, false},
    [PREFILL] = {"num_prefill_tokens", true, false},
    [DECODE] = {"num_decode_tokens", true, false},
    [TOTAL] = {"num_total_tokens", false, false},
    [RATIO] = {"pd_ratio", false, true},
};

static bool has_times(orr_intake *k, orr_sheet *sheet)
{
    if (orr_sheet_has(sheet, ARRIVED))
        return true;
    orr_intake_fail(k, ORR_E_MISSING_COLUMN, NULL, "a list of request lengths, not a trace: there is no column \"%s\"",
                    columns[ARRIVED].name);
    orr_error_hint(k->e, "arrival times in seconds under that name make it one");
    return false;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    if (orr_take_arrival(k, orr_sheet_cell(sheet, ARRIVED), &request) &&
        orr_take_tokens(k, orr_sheet_cell(sheet, PREFILL), &request.tokens_in) &&
        orr_take_tokens(k, orr_sheet_cell(sheet, DECODE), &request.tokens_out) &&
        orr_check_total(k, orr_sheet_cell(sheet, TOTAL), &request))
        orr_intake_keep_request(k, &request);
}

static orr_err read_vidur(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .header = has_times};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_vidur = {
    .name = "vidur",
    .label = "vidur",
    .about = "requests: processed traces of the Vidur simulator",
    .signature = {"num_prefill_tokens", "num_decode_tokens"},
    .read = read_vidur,
};
