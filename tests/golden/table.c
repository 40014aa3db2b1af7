#include "table.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* One field, quotes taken off; *at moves behind it and its comma. NULL at the end of the line. */
static char *next_field(const char **at)
{
    if (!*at)
        return NULL;
    const char *p = *at;
    bool quoted = *p == '"';
    const char *begin = quoted ? p + 1 : p, *end = quoted ? strchr(begin, '"') : begin + strcspn(begin, ",");
    const char *comma = end ? strchr(end, ',') : NULL;
    *at = comma ? comma + 1 : NULL;
    return orr_xstrndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

static char **split(const char *line, size_t *count)
{
    ORR_VEC(char *) fields = {0};
    for (char *field = next_field(&line); field; field = next_field(&line))
        ORR_VEC_PUSH(&fields, field);
    *count = fields.n;
    return fields.at;
}

table *table_read(const char *path)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(path, &e);
    if (!in)
        fail_msg("%s: %s", path, e.message);
    ORR_VEC(char **) rows = {0};
    table *t = orr_xcalloc(1, sizeof *t);
    char *line = NULL;
    size_t length = 0, fields = 0;
    while (orr_input_line(in, &line, &length, &e) == ORR_OK && line) {
        ORR_VEC_PUSH(&rows, split(line, &fields));
        if (rows.n == 1)
            t->columns = fields;
        if (fields != t->columns)
            fail_msg("%s:%zu: %zu fields instead of %zu", path, rows.n, fields, t->columns);
    }
    if (e.code || rows.n == 0)
        fail_msg("%s: %s", path, e.message);
    orr_input_close(in);
    t->rows = rows.at;
    t->rows_all = rows.n;
    t->count = rows.n - 1;
    return t;
}

void table_free(table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->rows_all; i++) {
        for (size_t j = 0; j < t->columns; j++)
            free(t->rows[i][j]);
        free(t->rows[i]);
    }
    free(t->rows);
    free(t);
}

static size_t column_of(const table *t, const char *column)
{
    size_t i = 0;
    while (i < t->columns && strcmp(t->rows[0][i], column) != 0)
        i++;
    return i;
}

bool table_has(const table *t, const char *column)
{
    return column_of(t, column) < t->columns;
}

const char *table_text(const table *t, size_t row, const char *column)
{
    size_t i = column_of(t, column);
    if (i == t->columns || row >= t->count)
        fail_msg("no column %s, or no row %zu", column, row);
    return t->rows[row + 1][i];
}

int64_t table_number(const table *t, size_t row, const char *column)
{
    const char *text = table_text(t, row, column);
    int64_t value = 0;
    if (!orr_parse_i64(text, strlen(text), &value))
        fail_msg("row %zu: %s is \"%s\", no whole number", row, column, text);
    return value;
}
