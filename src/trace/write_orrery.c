/* Our CSV out. A column is written if some job needs it; job_id, submit, duration and gpus always are.
 * Attributes follow under their own names, those that are called like a column behind "x_". Numbers and times are
 * exact, so that reading the file back gives the same records. */
#include "trace/requests.h"
#include "trace/write.h"
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
static bool has_late_time(const orr_trace_job *job)
{
    bool late = job->submit > ORR_EPOCH_FROM || job->deadline > ORR_EPOCH_FROM || job->start > ORR_EPOCH_FROM ||
                job->end > ORR_EPOCH_FROM;
    for (uint32_t i = 0; job->starts && i < job->attempt_count; i++)
        late |= job->starts[i] > ORR_EPOCH_FROM;
    return late;
}

static bool looks_like_epoch(const orr_trace *trace)
{
    for (size_t i = 0; i < trace->jobs.n; i++)
        if (has_late_time(&trace->jobs.at[i]))
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

void orr_write_attribute_name(orr_output *out, const char *name, bool (*is_column)(const char *name))
{
    const char *bare = name;
    while (strncmp(bare, "x_", 2) == 0)
        bare += 2;
    orr_text cell = {0};
    orr_text_addf(&cell, "%s%s", is_column(bare) ? "x_" : "", name);
    orr_write_cell(out, &cell);
    orr_text_fini(&cell);
}

static bool is_column(const char *name)
{
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        if (orr_same_word(orr_columns[i].name, name))
            return true;
    return false;
}

static void write_header(orr_output *out, const orr_trace *trace, const choice *chosen)
{
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        if (chosen->columns[i])
            orr_output_printf(out, "%s%s", i ? "," : "", orr_columns[i].name);
    for (size_t i = 0; i < trace->attributes.n; i++) {
        if (!chosen->attributes[i])
            continue;
        orr_output_text(out, ",");
        orr_write_attribute_name(out, trace->attributes.at[i], is_column);
    }
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
    write_header(out, trace, &chosen);
    for (size_t i = 0; i < trace->jobs.n; i++)
        write_row(out, trace, &trace->jobs.at[i], &chosen, &cell);
    free(chosen.attributes);
    orr_text_fini(&cell);
    return orr_output_commit(out, e);
}

/* ---- as one of the formats ---- */

static orr_err write_whole(const orr_trace *trace, const char *path, orr_error *e)
{
    return orr_trace_write(trace, path, NULL, e);
}

#define KEPT(name) [ORR_COLUMN_##name] = ORR_KEPT
const orr_writer orr_writer_orrery = {
    .format = "orrery",
    .carries = {KEPT(ID),        KEPT(SUBMIT),      KEPT(DURATION), KEPT(GPUS),     KEPT(USER),      KEPT(VC),
                KEPT(NAME),      KEPT(MODEL),       KEPT(GPU_TYPE), KEPT(CPUS),     KEPT(MEM_BYTES), KEPT(LIMIT),
                KEPT(DEADLINE),  KEPT(WEIGHT),      KEPT(STATE),    KEPT(ATTEMPTS), KEPT(MIN_GPUS),  KEPT(MAX_GPUS),
                KEPT(GPU_MILLI), KEPT(PREEMPTIBLE), KEPT(CENSORED), KEPT(GROUP),    KEPT(START),     KEPT(END),
                KEPT(STARTS),    KEPT(AFTER),       KEPT(THINK),    KEPT(RAN),      KEPT(CARRIED),
                KEPT(GPU_MEM)},
    .calendar = ORR_CALENDAR_KEPT,
    .any_attribute = true,
    .requests = true,
    .whole = write_whole,
};
