/* Requests as our own CSV. A column is written if some request needs it; arrival, tokens_in and tokens_out (of bins:
 * arrival and count) always are, so that the file is known again. Attributes follow under their own names; those
 * that are called like a column behind "x_". Exact: reading it back gives the same records but for `row` and `line`. */
#include "trace/columns.h"
#include "trace/requests.h"
#include <stdio.h>

typedef struct writing {
    const orr_trace *trace;
    orr_output *out;
    bool chosen[ORR_REQUEST_COLUMNS];
    orr_text cell;
} writing;

static bool used(writing *w, const orr_request_column *column)
{
    orr_text_clear(&w->cell);
    for (size_t i = 0; i < w->trace->requests.n && w->cell.n == 0; i++)
        column->print(&w->trace->requests.at[i], &w->cell);
    return w->cell.n > 0;
}

/* Ids that only count the rows are made again by whoever reads. */
static bool ids_count(const orr_trace *trace)
{
    char number[24];
    for (size_t i = 0; i < trace->requests.n; i++) {
        snprintf(number, sizeof number, "%zu", i);
        if (strcmp(number, trace->requests.at[i].id) != 0)
            return false;
    }
    return true;
}

static void choose(writing *w)
{
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        w->chosen[i] = used(w, &orr_request_columns[i]);
    w->chosen[ORR_REQUEST_ARRIVAL] = true;
    w->chosen[ORR_REQUEST_ID] = !ids_count(w->trace);
    if (w->trace->bin)
        w->chosen[ORR_REQUEST_COUNT] = true;
    else
        w->chosen[ORR_REQUEST_TOKENS_IN] = w->chosen[ORR_REQUEST_TOKENS_OUT] = true;
}

/* Numbers that a reader would take for Unix seconds. */
static bool looks_like_epoch(const orr_trace *trace)
{
    return trace->requests.at[trace->requests.n - 1].arrival > ORR_EPOCH_FROM;
}

static void write_comments(writing *w, const char *comment)
{
    char width[ORR_TIME_BUF];
    if (comment)
        orr_write_comment(w->out, comment);
    if (w->trace->origin[0])
        orr_output_printf(w->out, "# origin: %s\n", w->trace->origin);
    if (looks_like_epoch(w->trace))
        orr_output_text(w->out, "# clock: relative\n");
    if (!w->trace->bin)
        return;
    orr_time_format(w->trace->bin, width);
    orr_output_printf(w->out, "# bin: %ss\n", width);
}

static bool is_column(const char *name)
{
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        if (orr_same_word(orr_request_columns[i].name, name))
            return true;
    return false;
}

static void write_header(writing *w)
{
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        if (w->chosen[i])
            orr_output_printf(w->out, "%s%s", i ? "," : "", orr_request_columns[i].name);
    for (size_t i = 0; i < w->trace->attributes.n; i++) {
        orr_output_text(w->out, ",");
        orr_write_attribute_name(w->out, w->trace->attributes.at[i], is_column);
    }
    orr_output_text(w->out, "\n");
}

static void write_row(writing *w, const orr_trace_request *request)
{
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++) {
        if (!w->chosen[i])
            continue;
        orr_text_clear(&w->cell);
        orr_request_columns[i].print(request, &w->cell);
        if (i)
            orr_output_text(w->out, ",");
        orr_write_cell(w->out, &w->cell);
    }
    for (size_t i = 0; i < w->trace->attributes.n; i++) {
        orr_text_clear(&w->cell);
        orr_text_addf(&w->cell, "%s", request->attributes ? request->attributes[i] : "");
        orr_output_text(w->out, ",");
        orr_write_cell(w->out, &w->cell);
    }
    orr_output_text(w->out, "\n");
}

orr_err orr_requests_write(const orr_trace *trace, const char *path, const char *comment, orr_error *e)
{
    writing w = {.trace = trace, .out = orr_output_create(path, e)};
    if (!w.out)
        return e ? e->code : ORR_E_CREATE;
    choose(&w);
    write_comments(&w, comment);
    write_header(&w);
    for (size_t i = 0; i < trace->requests.n; i++)
        write_row(&w, &trace->requests.at[i]);
    orr_text_fini(&w.cell);
    return orr_output_commit(w.out, e);
}
