/* Rows are split in place: a field is a pointer into the line, its end a NUL. */
#include "base/table.h"

#include "base/text.h"
#include <stdlib.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool at_delimiter(const orr_table *t, char c)
{
    return t->delimiter == ',' ? c == ',' : is_blank(c);
}

/* Takes the quotes off a field in place and gives the place behind it. A quote that never closes runs to the end. */
static char *unquote(char *at)
{
    char *to = at;
    for (char *from = at + 1; *from; from++) {
        if (*from != '"') {
            *to++ = *from;
        } else if (from[1] == '"') {
            *to++ = *from++;
        } else {
            *to = 0;
            return from + 1;
        }
    }
    *to = 0;
    return at + strlen(at);
}

static void end_field(char *begin, char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    *end = 0;
}

static void split(orr_table *t, char *line)
{
    t->fields.n = t->places.n = 0;
    for (char *at = line;; at++) {
        at += strspn(at, " \t");
        if (t->delimiter == ' ' && !*at)
            return;
        char *begin = at;
        bool quoted = *at == '"';
        ORR_VEC_PUSH(&t->places, (int)(at - line) + 1);
        ORR_VEC_PUSH(&t->fields, begin);
        if (quoted)
            at = unquote(at);
        while (*at && !at_delimiter(t, *at))
            at++;
        bool last = !*at;
        if (!quoted)
            end_field(begin, at);
        if (last)
            return;
    }
}

static orr_err fail_line(const orr_table *t, orr_err code, orr_error *e, const char *message)
{
    orr_error_set(e, code, "%s", message);
    orr_error_at(e, orr_input_name(t->in), t->line, 0);
    return code;
}

/* The next line that isn't blank; NULL at the end. */
static orr_err next_line(orr_table *t, char **line, orr_error *e)
{
    for (;;) {
        size_t length = 0;
        orr_err err = orr_input_line(t->in, line, &length, e);
        if (err || !*line)
            return err;
        t->line = (int)orr_input_line_number(t->in);
        if (!orr_utf8_valid(*line, length))
            return fail_line(t, ORR_E_ENCODING, e, "the text is not UTF-8");
        if ((*line)[strspn(*line, " \t")])
            return ORR_E_OK;
    }
}

orr_err orr_table_open(orr_table *t, orr_input *in, orr_error *e)
{
    *t = (orr_table){.in = in, .delimiter = ','};
    char *line = NULL;
    orr_err err = next_line(t, &line, e);
    if (err)
        return err;
    if (!line) {
        t->line = 0;
        return fail_line(t, ORR_E_EMPTY, e, "there is nothing in the file");
    }
    if (!strchr(line, ','))
        t->delimiter = ' ';
    t->names = orr_xstrdup(line);
    split(t, t->names);
    for (size_t i = 0; i < t->fields.n; i++)
        ORR_VEC_PUSH(&t->columns, t->fields.at[i]);
    return ORR_E_OK;
}

void orr_table_close(orr_table *t)
{
    free(t->names);
    ORR_VEC_FREE(&t->columns);
    ORR_VEC_FREE(&t->fields);
    ORR_VEC_FREE(&t->places);
}

orr_err orr_table_next(orr_table *t, bool *more, orr_error *e)
{
    char *line = NULL;
    orr_err err = next_line(t, &line, e);
    if (err)
        return err;
    *more = line != NULL;
    if (!line && !t->rows)
        return fail_line(t, ORR_E_EMPTY, e, "there is a header and no row");
    if (!line)
        return ORR_E_OK;
    t->rows++;
    split(t, line);
    if (t->fields.n == t->columns.n)
        return ORR_E_OK;
    orr_error_set(e, ORR_E_RAGGED, "the row has %zu fields and the header %zu", t->fields.n, t->columns.n);
    orr_table_place(t, e);
    return ORR_E_RAGGED;
}

size_t orr_table_find(const orr_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns.n; i++)
        if (strcmp(t->columns.at[i], name) == 0)
            return i;
    return SIZE_MAX;
}

orr_err orr_table_column(const orr_table *t, const char *name, size_t *column, orr_error *e)
{
    const size_t found = orr_table_find(t, name);
    if (found != SIZE_MAX) {
        *column = found;
        return ORR_E_OK;
    }
    orr_error_set(e, ORR_E_MISSING_COLUMN, "the column '%s' is missing", name);
    orr_table_place(t, e);
    const char *nearest = orr_nearest(name, t->columns.at, t->columns.n);
    if (nearest)
        orr_error_hint(e, "there is a column '%s'", nearest);
    return ORR_E_MISSING_COLUMN;
}

orr_err orr_table_int(const orr_table *t, size_t column, int64_t low, int64_t high, int64_t *out, orr_error *e)
{
    const char *text = t->fields.at[column];
    int64_t v = 0;
    if (!orr_parse_i64(text, strlen(text), &v))
        return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' should be an integer", t->columns.at[column]);
    if (v < low || v > high)
        return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' is out of range: it goes from %lld to %lld",
                              t->columns.at[column], (long long)low, (long long)high);
    *out = v;
    return ORR_E_OK;
}

orr_err orr_table_fail(const orr_table *t, size_t column, orr_err code, orr_error *e, const char *fmt, ...)
{
    char message[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    orr_error_set(e, code, "%s", message);
    orr_error_at(e, orr_input_name(t->in), t->line, t->places.at[column]);
    orr_error_text(e, t->fields.at[column], strlen(t->fields.at[column]));
    return code;
}

void orr_table_place(const orr_table *t, orr_error *e)
{
    orr_error_at(e, orr_input_name(t->in), t->line, 0);
}
