#include "report/trace_tables.h"

#include "trace/flaw.h"
#include <stdio.h>

orr_grid *orr_spread_grid(void)
{
    return orr_grid_of("|>n|>mean|>sd|>min|>p1|>p5|>p10|>p25|>p50|>p75|>p90|>p95|>p99|>p99.9|>max");
}

void orr_spread_row(orr_grid *grid, const char *name, const orr_spread *s)
{
    if (s->n == 0)
        return;
    orr_grid_text(grid, name);
    orr_grid_count(grid, s->n);
    orr_grid_number(grid, s->mean, 3);
    orr_grid_number(grid, s->sd, 3);
    orr_grid_number(grid, s->min, 3);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        orr_grid_number(grid, s->q[i], 3);
    orr_grid_number(grid, s->max, 3);
}

void orr_attribute_table(const orr_attribute_facts *attributes, size_t n, orr_text *out)
{
    orr_grid *grid = orr_grid_of("attribute|>stated|>different|values");
    for (size_t i = 0; i < n; i++) {
        const orr_attribute_facts *a = &attributes[i];
        char min[ORR_DOUBLE_BUF], max[ORR_DOUBLE_BUF];
        orr_text values = {0};
        for (size_t v = 0; v < a->values.n; v++)
            orr_text_addf(&values, "%s%s: %llu", v ? ", " : "", a->values.at[v].value,
                          (unsigned long long)(a->values.at[v].jobs + a->values.at[v].withdrawn));
        if (a->values.n == 0 && a->numeric) {
            orr_format_double(a->min, min);
            orr_format_double(a->max, max);
            orr_text_addf(&values, "%s to %s", min, max);
        }
        orr_grid_text(grid, a->name);
        orr_grid_count(grid, a->stated);
        orr_grid_count(grid, a->distinct);
        orr_grid_text(grid, values.at ? values.at : "");
        orr_text_fini(&values);
    }
    orr_page_table(out, "Attributes", grid);
}

static void notes(const orr_trace *trace, orr_text *out)
{
    const orr_note *list;
    const size_t n = orr_trace_notes(trace, &list);
    orr_grid *grid = orr_grid_of("what|reason|>count|first line|in|meaning");
    for (size_t i = 0; i < n; i++) {
        char line[24] = "";
        if (list[i].first_lines[0])
            snprintf(line, sizeof line, "%u", list[i].first_lines[0]);
        orr_grid_text(grid, orr_note_kind_name(list[i].kind));
        orr_grid_text(grid, list[i].reason);
        orr_grid_count(grid, list[i].count);
        orr_grid_text(grid, line);
        orr_grid_text(grid, list[i].file ? list[i].file : "");
        orr_grid_text(grid, list[i].detail);
    }
    orr_page_table(out, "Dropped, repaired, assumed", grid);
}

static void inputs(const orr_trace *trace, orr_text *out)
{
    const orr_trace_input *list;
    const size_t n = orr_trace_inputs(trace, &list);
    orr_grid *grid = orr_grid_of("file|SHA-256 of its content");
    for (size_t i = 0; i < n; i++) {
        orr_grid_text(grid, list[i].path);
        orr_grid_text(grid, list[i].digest);
    }
    orr_page_table(out, "Files", grid);
}

void orr_trace_sources(const orr_trace *trace, const char *command, orr_text *out)
{
    notes(trace, out);
    inputs(trace, out);
    if (!command)
        return;
    orr_page_heading(out, "Command");
    orr_page_code(out, command);
}
