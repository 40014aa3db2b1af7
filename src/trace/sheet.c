/* Binding is by name without regard to case. A needed column that is absent, a known one that stands twice, and a
 * header in another separator are errors; columns nobody knows are counted once, with the nearest known name if one is
 * near. */
#include "trace/sheet.h"
#include <stdio.h>

char orr_header_separator(const orr_csv *csv)
{
    if (csv->fields.n != 1)
        return 0;
    const char *found = strpbrk(csv->fields.at[0].at, ";\t|");
    return found ? *found : 0;
}

void orr_header_hint(orr_error *e, char separator)
{
    orr_error_hint(e, "the fields seem to be separated by %s; convert them to commas",
                   separator == '\t' ? "tabs" : separator == ';' ? "semicolons" : "vertical bars");
}

bool orr_sheet_has(const orr_sheet *sheet, size_t column)
{
    return sheet->at[column] >= 0;
}

orr_cell orr_sheet_cell(const orr_sheet *sheet, size_t column)
{
    if (sheet->at[column] < 0)
        return (orr_cell){sheet->columns[column].name, "", 0, 0};
    const orr_field *field = &sheet->csv.fields.at[sheet->at[column]];
    return (orr_cell){sheet->columns[column].name, field->at, field->n, field->column};
}

const char *orr_sheet_text(const orr_sheet *sheet, size_t column)
{
    return orr_sheet_cell(sheet, column).at;
}

static int64_t known_column(const orr_sheet *sheet, const char *name)
{
    for (size_t i = 0; i < sheet->n; i++)
        if (orr_same_word(sheet->columns[i].name, name))
            return (int64_t)i;
    return -1;
}

static void note_unknown(const orr_sheet *sheet, const char *name, orr_text *list)
{
    const char *names[ORR_SHEET_COLUMNS];
    for (size_t i = 0; i < sheet->n; i++)
        names[i] = sheet->columns[i].name;
    const char *near = orr_nearest(name, names, sheet->n);
    orr_text_addf(list, "%s\"%.60s\"", list->n ? ", " : "kept as an attribute: ", name);
    if (near && !orr_sheet_has(sheet, (size_t)known_column(sheet, near)))
        orr_text_addf(list, " (did you mean \"%s\"?)", near);
}

static void keep_as_attribute(orr_sheet *sheet, orr_intake *k, size_t field, const char *name)
{
    const size_t place = orr_intake_attribute(k, name);
    ORR_VEC_PUSH(&sheet->attribute_fields, (uint32_t)field);
    ORR_VEC_PUSH(&sheet->attribute_places, (uint32_t)place);
}

/* The attribute's name without the "x_" that only keeps it apart from a column. */
static const char *attribute_name(const orr_sheet *sheet, const char *name)
{
    const char *bare = name;
    while (strncmp(bare, "x_", 2) == 0)
        bare += 2;
    return sheet->escaped && bare > name && known_column(sheet, bare) >= 0 ? name + 2 : name;
}

/* A column without a name is a row number that some tool wrote. */
static void bind_attributes(orr_sheet *sheet, orr_intake *k)
{
    orr_text list = {0};
    orr_note *note = NULL;
    for (size_t i = 0; i < sheet->width; i++) {
        const char *name = sheet->csv.fields.at[i].at;
        const int64_t known = known_column(sheet, name);
        if (known >= 0 && sheet->columns[known].attribute)
            keep_as_attribute(sheet, k, i, sheet->columns[known].name);
        if (known >= 0 || !name[0])
            continue;
        note_unknown(sheet, name, &list);
        note = orr_trace_note(k->trace, ORR_FLAW_COLUMN, k->file, k->line);
        keep_as_attribute(sheet, k, i, attribute_name(sheet, name));
    }
    if (note)
        note->detail = orr_trace_keep(k->trace, list.at);
    orr_text_fini(&list);
}

static bool missing_column(orr_sheet *sheet, orr_intake *k, const char *name)
{
    orr_intake_fail(k, ORR_E_MISSING_COLUMN, NULL, "the header has no column \"%s\"", name);
    const char separator = orr_header_separator(&sheet->csv);
    if (separator) {
        orr_header_hint(k->e, separator);
        return false;
    }
    const char *names[ORR_SHEET_COLUMNS];
    size_t n = 0;
    for (size_t i = 0; i < sheet->width && n < ORR_SHEET_COLUMNS; i++)
        if (known_column(sheet, sheet->csv.fields.at[i].at) < 0)
            names[n++] = sheet->csv.fields.at[i].at;
    const char *near = orr_nearest(name, names, n);
    if (near)
        orr_error_hint(k->e, "is \"%.60s\" meant to be \"%s\"?", near, name);
    return false;
}

static bool bind(orr_sheet *sheet, orr_intake *k)
{
    for (size_t i = 0; i < ORR_SHEET_COLUMNS; i++)
        sheet->at[i] = -1;
    sheet->width = sheet->csv.fields.n;
    for (size_t i = 0; i < sheet->width; i++) {
        const orr_field *field = &sheet->csv.fields.at[i];
        const int64_t known = known_column(sheet, field->at);
        if (known < 0)
            continue;
        orr_cell cell = {sheet->columns[known].name, field->at, field->n, field->column};
        if (sheet->at[known] >= 0)
            return orr_intake_fail(k, ORR_E_FORMAT, &cell, "the column \"%s\" stands twice in the header", cell.name);
        sheet->at[known] = (int32_t)i;
    }
    if (sheet->header && !sheet->header(k, sheet))
        return false;
    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->columns[i].needed && !orr_sheet_has(sheet, i))
            return missing_column(sheet, k, sheet->columns[i].name);
    if (!sheet->foreign)
        bind_attributes(sheet, k);
    return true;
}

static bool bind_in_order(orr_sheet *sheet, orr_intake *k)
{
    for (size_t i = 0; i < ORR_SHEET_COLUMNS; i++)
        sheet->at[i] = i < sheet->n ? (int32_t)i : -1;
    sheet->width = sheet->n;
    for (size_t i = 0; i < sheet->n && !sheet->foreign; i++)
        if (sheet->columns[i].attribute)
            keep_as_attribute(sheet, k, i, sheet->columns[i].name);
    return true;
}

/* Whether the row, not split yet, begins with the name of a column. */
static bool begins_with_name(const orr_sheet *sheet)
{
    const char *end = memchr(sheet->csv.text, sheet->csv.separator, sheet->csv.length);
    const size_t n = end ? (size_t)(end - sheet->csv.text) : sheet->csv.length;
    for (size_t i = 0; i < sheet->n; i++)
        if (strlen(sheet->columns[i].name) == n && memcmp(sheet->columns[i].name, sheet->csv.text, n) == 0)
            return true;
    return false;
}

static bool is_comment(const orr_sheet *sheet)
{
    return sheet->csv.text && sheet->csv.text[0] == (sheet->mark ? sheet->mark : '#');
}

static void tell_comment(orr_sheet *sheet, orr_intake *k)
{
    if (sheet->comment)
        sheet->comment(k, sheet->csv.text + 1, sheet->csv.length - 1);
}

/* The line has been read and, of a file without a header, is the first row. */
static orr_err read_header(orr_sheet *sheet, orr_intake *k)
{
    orr_err err;
    while (!(err = orr_csv_next(&sheet->csv, k->e)) && is_comment(sheet))
        tell_comment(sheet, k);
    if (err)
        return err;
    if (!sheet->csv.text) {
        orr_error_set(k->e, ORR_E_EMPTY, "the file holds no header and no rows");
        orr_error_at(k->e, orr_input_name(k->in), 0, 0);
        return ORR_E_EMPTY;
    }
    k->line = sheet->csv.line;
    if (sheet->may_blank && !memchr(sheet->csv.text, ',', sheet->csv.length))
        sheet->csv.separator = ' ';
    if (sheet->may_header && begins_with_name(sheet))
        sheet->no_header = false;
    if (sheet->no_header)
        return bind_in_order(sheet, k) ? ORR_OK : k->failed;
    orr_csv_split(&sheet->csv);
    bind(sheet, k);
    return k->failed;
}

static bool well_formed(orr_sheet *sheet, orr_intake *k)
{
    const size_t n = sheet->csv.fields.n;
    if (sheet->csv.damaged)
        return orr_intake_flaw(k, ORR_FLAW_QUOTES, NULL);
    if (n == sheet->width)
        return true;
    char text[64];
    snprintf(text, sizeof text, "%zu field%s, %s %zu", n, n == 1 ? "" : "s",
             sheet->no_header ? "a row has" : "the header has", sheet->width);
    orr_cell cell = {"row", text, strlen(text), 0};
    return orr_intake_flaw(k, ORR_FLAW_RAGGED, &cell);
}

static void take_row(orr_sheet *sheet, orr_intake *k, void (*row)(orr_intake *k, orr_sheet *sheet))
{
    orr_csv_split(&sheet->csv);
    orr_intake_row(k, sheet->csv.line);
    if (!well_formed(sheet, k))
        return;
    for (size_t i = 0; i < sheet->attribute_fields.n; i++)
        orr_intake_set(k, sheet->attribute_places.at[i], sheet->csv.fields.at[sheet->attribute_fields.at[i]].at);
    row(k, sheet);
}

/* `pending`: a row lies in sheet->csv already. */
static orr_err read_rows(orr_sheet *sheet, orr_intake *k, bool pending,
                         void (*row)(orr_intake *k, orr_sheet *sheet))
{
    for (;; pending = false) {
        const orr_err err = pending ? ORR_OK : orr_csv_next(&sheet->csv, k->e);
        if (err || !sheet->csv.text)
            return err;
        if (sheet->mark && is_comment(sheet))
            tell_comment(sheet, k);
        else
            take_row(sheet, k, row);
        if (k->failed)
            return k->failed;
    }
}

orr_err orr_sheet_read(orr_sheet *sheet, orr_intake *k, void (*row)(orr_intake *k, orr_sheet *sheet))
{
    orr_csv_init(&sheet->csv, k->in);
    if (sheet->separator)
        sheet->csv.separator = sheet->separator;
    orr_err err = read_header(sheet, k);
    if (!err)
        err = read_rows(sheet, k, sheet->no_header, row);
    orr_csv_fini(&sheet->csv);
    ORR_VEC_FREE(&sheet->attribute_fields);
    ORR_VEC_FREE(&sheet->attribute_places);
    k->failed = err;
    return err;
}
