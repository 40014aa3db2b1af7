/* Plain counts: how many requests arrived in each bin of time. Two columns, with a header or without: when the bin
 * begins, and the number. Asked for by name, a file of one number a line is taken for a second a line. Bins stay bins:
 * how the requests lie within one is not known, so a record stands for all of them; a bin in which nothing arrived
 * makes none.
 *
 * The width of the bins is the smallest difference between two times, if all are multiples of it; else a second, if
 * all are whole seconds apart (seconds without arrivals were left out); else it can't be known, and the file is
 * refused. */
#include "trace/requests.h"
#include "base/decimal.h"

/* The first three are times, the others numbers of arrivals. */
enum { TIME, TIMESTAMP, SECOND, TIMES, COUNT = TIMES, REQUESTS, ARRIVALS, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [TIME] = {"time", false, false},         [TIMESTAMP] = {"timestamp", false, false},
    [SECOND] = {"second", false, false},     [COUNT] = {"count", false, false},
    [REQUESTS] = {"requests", false, false}, [ARRIVALS] = {"arrivals", false, false},
};
static const orr_sheet_column bare_columns[] = {{"time", true, false}, {"count", true, false}};
static const orr_sheet_column lone_column[] = {{"count", true, false}};

typedef struct bin {
    orr_time at;
    uint32_t line;
} bin;

typedef struct counts {
    ORR_VEC(bin) bins;
    size_t time, count; /* columns */
} counts;

/* ---- rows ---- */

static void keep(orr_intake *k, counts *c, orr_cell cell, orr_trace_request *request)
{
    if (!orr_take_arrivals(k, cell, &request->count))
        return;
    const bin b = {request->arrival, k->line};
    ORR_VEC_PUSH(&c->bins, b);
    if (request->count == 0)
        orr_intake_flaw(k, ORR_FLAW_EMPTY_BIN, &cell);
    else
        orr_intake_keep_request(k, request);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    counts *c = sheet->self;
    orr_trace_request request = orr_trace_request_default();
    if (orr_take_arrival(k, orr_sheet_cell(sheet, c->time), &request))
        keep(k, c, orr_sheet_cell(sheet, c->count), &request);
}

/* Its second is its number: rows that can't be read are seconds, too. */
static void lone_row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_request request = orr_trace_request_default();
    const char *number = orr_intake_number(k);
    const orr_cell second = {"row", number, strlen(number), 0};
    if (orr_take_arrival(k, second, &request))
        keep(k, sheet->self, orr_sheet_cell(sheet, 0), &request);
}

/* ---- the width of the bins ---- */

static int by_time(const void *left, const void *right)
{
    const bin *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static bool on_grid(const bin *bins, size_t n, orr_time width)
{
    for (size_t i = 1; i < n; i++)
        if ((bins[i].at - bins[0].at) % width)
            return false;
    return true;
}

static orr_err same_bin(orr_intake *k, const bin *first, const bin *second)
{
    k->line = second->line;
    orr_intake_fail(k, ORR_E_TIME, NULL, "the row is of the same bin as line %u", first->line);
    orr_error_hint(k->e, "counts of several services are read from our own CSV: arrival, count, service");
    return k->failed;
}

static orr_err no_width(orr_intake *k, const bin *odd)
{
    k->line = odd->line;
    orr_intake_fail(k, ORR_E_TIME, NULL, "the times lie on no grid: how wide a bin is can't be known");
    orr_error_hint(k->e, "our own CSV says it: a line \"# bin: 1s\", then the columns arrival and count");
    return k->failed;
}

static void set_width(orr_intake *k, orr_time width, uint32_t line)
{
    char seconds[ORR_TIME_BUF];
    orr_text text = {0};
    k->trace->bin = width;
    orr_time_format(width, seconds);
    orr_text_addf(&text, "how wide the bins are is not stated; by their times, %s s", seconds);
    orr_trace_note(k->trace, ORR_FLAW_BIN_WIDTH, NULL, line)->detail = orr_trace_keep(k->trace, text.at);
    orr_text_fini(&text);
}

static orr_err find_width(orr_intake *k, bin *bins, size_t n)
{
    orr_time width = n > 1 ? ORR_TIME_MAX : ORR_SECOND;
    size_t nearest = 0;
    qsort(bins, n, sizeof *bins, by_time);
    for (size_t i = 1; i < n; i++) {
        if (bins[i].at == bins[i - 1].at)
            return same_bin(k, &bins[i - 1], &bins[i]);
        if (bins[i].at - bins[i - 1].at < width) {
            width = bins[i].at - bins[i - 1].at;
            nearest = i;
        }
    }
    if (!on_grid(bins, n, width))
        width = width > ORR_SECOND && on_grid(bins, n, ORR_SECOND) ? ORR_SECOND : 0;
    if (width == 0)
        return no_width(k, &bins[nearest]);
    set_width(k, width, bins[nearest].line);
    return ORR_OK;
}

/* ---- the file ---- */

/* "12" or "0.5": up to the comma or the end of the line; NULL if something else stands there. */
static const char *after_number(const char *at, const char *end)
{
    orr_decimal d;
    const size_t n = orr_decimal_scan(at, (size_t)(end - at), &d);
    at += n;
    while (at < end && (*at == ' ' || *at == '\r'))
        at++;
    return n && (at == end || *at == ',' || *at == '\n') ? at : NULL;
}

static bool is_two_numbers(const char *at, const char *end)
{
    at = after_number(at, end);
    if (!at || at == end || *at != ',')
        return false;
    for (at++; at < end && *at == ' ';)
        at++;
    at = after_number(at, end);
    return at && (at == end || *at == '\n');
}

/* A line of two numbers followed by another: one alone may be the beginning of anything. */
static bool is_bare(const orr_head *head)
{
    const char *const end = head->bytes + head->n;
    const char *next = memchr(head->bytes, '\n', head->n);
    if (!next || next + 1 == end || !is_two_numbers(head->bytes, end))
        return false;
    return is_two_numbers(next + 1, end);
}

static size_t named(const orr_head *head, size_t from, size_t to)
{
    while (from < to && !orr_head_has(head, columns[from].name))
        from++;
    return from;
}

static bool is_counts(const orr_head *head)
{
    const char *comma = strchr(head->line, ',');
    if (!comma || strchr(comma + 1, ','))
        return false;
    return is_bare(head) || (named(head, TIME, TIMES) < TIMES && named(head, COUNT, COLUMNS) < COLUMNS);
}

static orr_err read_two(orr_intake *k, counts *c, const orr_head *head, bool bare)
{
    orr_sheet sheet = {.self = c, .columns = columns, .n = COLUMNS};
    c->time = named(head, TIME, TIMES);
    c->count = named(head, COUNT, COLUMNS);
    if (bare || c->time == TIMES || c->count == COLUMNS) {
        sheet = (orr_sheet){.self = c, .columns = bare_columns, .n = 2, .no_header = bare};
        c->time = 0;
        c->count = 1;
    }
    const orr_err err = orr_sheet_read(&sheet, k, row);
    return err || c->bins.n == 0 ? err : find_width(k, c->bins.at, c->bins.n);
}

static orr_err read_lone(orr_intake *k, counts *c, bool bare)
{
    orr_sheet sheet = {.self = c, .columns = lone_column, .n = 1, .no_header = bare};
    k->relative = true;
    k->trace->bin = ORR_SECOND;
    orr_trace_note(k->trace, ORR_FLAW_ROW_SECOND, NULL, 1);
    return orr_sheet_read(&sheet, k, lone_row);
}

static orr_err read_counts(orr_intake *k)
{
    counts c = {0};
    orr_head head;
    orr_err err = orr_head_peek(k->in, &head, k->e);
    if (err)
        return k->failed = err;
    const bool bare = after_number(head.line, head.line + strlen(head.line)) != NULL;
    err = strchr(head.line, ',') ? read_two(k, &c, &head, bare) : read_lone(k, &c, bare);
    orr_head_fini(&head);
    ORR_VEC_FREE(&c.bins);
    return err;
}

const orr_format orr_format_counts = {
    .name = "counts",
    .label = "counts",
    .about = "requests: how many arrived in each bin of time, a bin a row",
    .told = "the columns `time`, `timestamp` or `second`, and `count`, `requests` or `arrivals`, and no other; "
            "or rows of two numbers",
    .is = is_counts,
    .read = read_counts,
};
