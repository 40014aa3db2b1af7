/* Our CSV out. A column is written if some job needs it; job_id, submit, duration and gpus always are.
 * Attributes follow under their own names. Numbers and times are exact, so that reading the file back gives the same
 * records. */
#include "trace/columns.h"
#include "trace/requests.h"
#include <stdlib.h>

static bool always(const orr_column *column)
{
    return column->needed || column == &orr_columns[0];
}

static bool used(const orr_column *column, const orr_trace *trace, orr_text *scratch)
{
    orr_text_clear(scratch);
    for (size_t i = 0; i < trace->jobs.n && scratch->n == 0; i++)
        column->print(column, &trace->jobs.at[i], scratch);
    return scratch->n > 0;
}

void orr_write_comment(orr_output *out, const char *comment)
{
    while (*comment) {
        const size_t n = strcspn(comment, "\n");
        orr_output_text(out, "# ");
        orr_output_write(out, comment, n);
        orr_output_text(out, "\n");
        comment += n + (comment[n] == '\n');
    }
}

/* Numbers that a reader would take for Unix seconds. */
static bool looks_like_epoch(const orr_trace *trace)
{
    for (size_t i = 0; i < trace->jobs.n; i++)
        if (trace->jobs.at[i].submit > ORR_EPOCH_FROM || trace->jobs.at[i].deadline > ORR_EPOCH_FROM)
            return true;
    return false;
}

/* Quoted also where a reader would trim the blanks at its ends. */
void orr_write_cell(orr_output *out, const orr_text *cell)
{
    if (cell->n == 0)
        return;
    const char first = cell->at[0], last = cell->at[cell->n - 1];
    const bool edge = first == ' ' || first == '\t' || last == ' ' || last == '\t';
    if (!edge || strpbrk(cell->at, ",\"\r\n")) {
        orr_output_csv(out, cell->at);
        return;
    }
    orr_output_text(out, "\"");
    orr_output_write(out, cell->at, cell->n);
    orr_output_text(out, "\"");
}

/* What is written of a trace: columns of ours, then attributes, each only if some job has something there. */
typedef struct choice {
    bool columns[ORR_COLUMNS];
    bool *attributes;
} choice;

static bool attribute_used(const orr_trace *trace, size_t place)
{
    for (size_t i = 0; i < trace->jobs.n; i++)
        if (trace->jobs.at[i].attributes && trace->jobs.at[i].attributes[place][0])
            return true;
    return false;
}

static choice choose(const orr_trace *trace, orr_text *scratch)
{
    choice c = {.attributes = orr_xcalloc(trace->attributes.n + 1, sizeof *c.attributes)};
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        c.columns[i] = always(&orr_columns[i]) || used(&orr_columns[i], trace, scratch);
    for (size_t i = 0; i < trace->attributes.n; i++)
        c.attributes[i] = attribute_used(trace, i);
    return c;
}

static void write_text(orr_output *out, orr_text *cell, const char *text)
{
    orr_text_clear(cell);
    orr_text_add(cell, text, strlen(text));
    orr_output_text(out, ",");
    orr_write_cell(out, cell);
}

static void write_header(orr_output *out, const orr_trace *trace, const choice *chosen, orr_text *cell)
{
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        if (chosen->columns[i])
            orr_output_printf(out, "%s%s", i ? "," : "", orr_columns[i].name);
    for (size_t i = 0; i < trace->attributes.n; i++)
        if (chosen->attributes[i])
            write_text(out, cell, trace->attributes.at[i]);
    orr_output_text(out, "\n");
}

static void write_row(orr_output *out, const orr_trace *trace, const orr_trace_job *job, const choice *chosen,
                      orr_text *cell)
{
    for (size_t i = 0; i < ORR_COLUMNS; i++) {
        if (!chosen->columns[i])
            continue;
        orr_text_clear(cell);
        orr_columns[i].print(&orr_columns[i], job, cell);
        if (i)
            orr_output_text(out, ",");
        orr_write_cell(out, cell);
    }
    for (size_t i = 0; i < trace->attributes.n; i++)
        if (chosen->attributes[i])
            write_text(out, cell, job->attributes ? job->attributes[i] : "");
    orr_output_text(out, "\n");
}

orr_err orr_trace_write(const orr_trace *trace, const char *path, const char *comment, orr_error *e)
{
    if (trace->requests.n)
        return orr_requests_write(trace, path, comment, e);
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return e ? e->code : ORR_E_CREATE;
    orr_text cell = {0};
    if (comment)
        orr_write_comment(out, comment);
    if (trace->origin[0])
        orr_output_printf(out, "# origin: %s\n", trace->origin);
    if (looks_like_epoch(trace))
        orr_output_text(out, "# clock: relative\n");
    const choice chosen = choose(trace, &cell);
    write_header(out, trace, &chosen, &cell);
    for (size_t i = 0; i < trace->jobs.n; i++)
        write_row(out, trace, &trace->jobs.at[i], &chosen, &cell);
    free(chosen.attributes);
    orr_text_fini(&cell);
    return orr_output_commit(out, e);
}
