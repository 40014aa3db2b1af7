/* Our own CSV of requests. The columns are in requests.c. The comment lines of our job CSV mean the same here, and `#
 * bin: 1s` says that each row stands for the arrivals within so long from its time on. */
#include "trace/columns.h"
#include "trace/requests.h"

/* The width of the bins, copied since the parser wants an end. */
static void take_bin(orr_intake *k, const char *text, size_t n)
{
    char value[40];
    orr_time width = 0;
    snprintf(value, sizeof value, "%.*s", (int)(n < sizeof value ? n : sizeof value - 1), text);
    if (!orr_time_parse_duration(value, &width) && width > 0 && width <= ORR_TRACE_TIME_LIMIT) {
        k->trace->bin = width;
        return;
    }
    const orr_cell cell = {"bin", text, n, 0};
    k->line = orr_input_line_number(k->in);
    orr_intake_fail(k, ORR_E_TIME, &cell, "the width of the bins should be a time above 0");
}

static void comment(orr_intake *k, const char *text, size_t n)
{
    const char *key, *value;
    size_t key_length, length;
    orr_comment(k, text, n);
    if (orr_comment_split(text, n, &key, &key_length, &value, &length) && key_length == 3 && memcmp(key, "bin", 3) == 0)
        take_bin(k, value, length);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        if (orr_sheet_has(sheet, i) && !orr_request_columns[i].take(k, orr_sheet_cell(sheet, i), &request))
            return;
    orr_intake_keep_request(k, &request);
}

static int by_id(const void *left, const void *right)
{
    const orr_trace_request *const *a = left, *const *b = right;
    const int ids = strcmp((*a)->id, (*b)->id);
    return ids ? ids : (*a)->line < (*b)->line ? -1 : (*a)->line > (*b)->line;
}

static orr_err refuse_twins(orr_intake *k, const orr_trace_request *first, const orr_trace_request *second)
{
    const orr_cell cell = {"id", second->id, strlen(second->id), 0};
    k->line = second->line;
    orr_intake_fail(k, ORR_E_DUPLICATE_ID, &cell, "the id \"%.100s\" was used before, in line %u", second->id,
                    first->line);
    return k->failed;
}

static orr_err check_ids(orr_intake *k)
{
    const size_t n = k->trace->requests.n;
    const orr_trace_request **list = orr_xmalloc((n + 1) * sizeof *list);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < n; i++)
        list[i] = &k->trace->requests.at[i];
    qsort(list, n, sizeof *list, by_id);
    for (size_t i = 1; i < n && !err; i++)
        if (strcmp(list[i - 1]->id, list[i]->id) == 0)
            err = refuse_twins(k, list[i - 1], list[i]);
    free(list);
    return err;
}

static orr_err read_requests(orr_intake *k)
{
    orr_sheet_column columns[ORR_REQUEST_COLUMNS];
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        columns[i] = (orr_sheet_column){.name = orr_request_columns[i].name, .needed = i == ORR_REQUEST_ARRIVAL};
    orr_sheet sheet = {.columns = columns, .n = ORR_REQUEST_COLUMNS, .comment = comment, .escaped = true};
    const orr_err err = orr_sheet_read(&sheet, k, row);
    return err || !orr_sheet_has(&sheet, ORR_REQUEST_ID) ? err : check_ids(k);
}

/* A job list may have arrivals, too; only a request has one of these besides. */
static bool is_requests(const orr_head *head)
{
    static const enum orr_request_place others[] = {ORR_REQUEST_TOKENS_IN, ORR_REQUEST_TOKENS_OUT, ORR_REQUEST_COUNT,
                                                    ORR_REQUEST_SERVICE, ORR_REQUEST_BLOCKS};
    if (!orr_head_has(head, orr_request_columns[ORR_REQUEST_ARRIVAL].name))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (orr_head_has(head, orr_request_columns[others[i]].name))
            return true;
    return false;
}

const orr_format orr_format_requests = {
    .name = "requests",
    .label = "orrery-requests",
    .about = "requests of a service, our own CSV, below",
    .told = "columns `arrival` and one of `tokens_in`, `tokens_out`, `count`, `service`, `blocks`",
    .is = is_requests,
    .read = read_requests,
};
