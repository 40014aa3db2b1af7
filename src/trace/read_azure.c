/* The Azure LLM inference traces: a row a request, with calendar times of seven fractional digits. */
#include "trace/requests.h"

enum { TIMESTAMP, CONTEXT, GENERATED, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [TIMESTAMP] = {"TIMESTAMP", true, false},
    [CONTEXT] = {"ContextTokens", true, false},
    [GENERATED] = {"GeneratedTokens", true, false},
};

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    if (orr_take_arrival(k, orr_sheet_cell(sheet, TIMESTAMP), &request) &&
        orr_take_tokens(k, orr_sheet_cell(sheet, CONTEXT), &request.tokens_in) &&
        orr_take_tokens(k, orr_sheet_cell(sheet, GENERATED), &request.tokens_out))
        orr_intake_keep_request(k, &request);
}

static orr_err read_azure(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_azure = {
    .name = "azure-llm",
    .label = "azure-llm",
    .about = "requests: the Azure LLM inference traces",
    .signature = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
    .read = read_azure,
};
