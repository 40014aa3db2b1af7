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

static void note_unknown(const orr_sheet *sheet, orr_intake *k, const char *name, orr_text *list)
{
    const char *names[ORR_SHEET_COLUMNS];
    for (size_t i = 0; i < sheet->n; i++)
        names[i] = sheet->columns[i].name;
    const char *near = orr_nearest(name, names, sheet->n);
    orr_text_addf(list, "%s\"%.60s\"", list->n ? ", " : "ignored: ", name);
    if (near && !orr_sheet_has(sheet, (size_t)known_column(sheet, near)))
        orr_text_addf(list, " (did you mean \"%s\"?)", near);
    const orr_flaw_info *about = orr_flaw_about(ORR_FLAW_COLUMN);
    orr_trace_note(k->trace, about->kind, about->reason, about->sentence, k->line);
}

static void note_all_unknown(orr_sheet *sheet, orr_intake *k)
{
    orr_text list = {0};
    for (size_t i = 0; i < sheet->width; i++)
        if (known_column(sheet, sheet->csv.fields.at[i].at) < 0)
            note_unknown(sheet, k, sheet->csv.fields.at[i].at, &list);
    if (list.n) /* the note that was just made is the last: nothing else is noted before the first row */
        k->trace->notes.at[k->trace->notes.n - 1].detail = orr_arena_strdup(&k->trace->arena, list.at, list.n);
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
    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->columns[i].needed && !orr_sheet_has(sheet, i))
            return missing_column(sheet, k, sheet->columns[i].name);
    note_all_unknown(sheet, k);
    return true;
}

static orr_err read_header(orr_sheet *sheet, orr_intake *k)
{
    orr_err err;
    while (!(err = orr_csv_next(&sheet->csv, k->e)) && sheet->csv.text && sheet->csv.text[0] == '#')
        if (sheet->comment)
            sheet->comment(k, sheet->csv.text + 1, sheet->csv.length - 1);
    if (err)
        return err;
    if (!sheet->csv.text) {
        orr_error_set(k->e, ORR_E_EMPTY, "the file holds no header and no rows");
        orr_error_at(k->e, orr_input_name(k->in), 0, 0);
        return ORR_E_EMPTY;
    }
    k->line = sheet->csv.line;
    sheet->csv.blanks = sheet->may_blank && !memchr(sheet->csv.text, ',', sheet->csv.length);
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
    snprintf(text, sizeof text, "%zu field%s, the header has %zu", n, n == 1 ? "" : "s", sheet->width);
    orr_cell cell = {"row", text, strlen(text), 0};
    return orr_intake_flaw(k, ORR_FLAW_RAGGED, &cell);
}

static orr_err read_rows(orr_sheet *sheet, orr_intake *k, void (*row)(orr_intake *k, orr_sheet *sheet))
{
    for (;;) {
        const orr_err err = orr_csv_next(&sheet->csv, k->e);
        if (err || !sheet->csv.text)
            return err;
        orr_csv_split(&sheet->csv);
        orr_intake_row(k, sheet->csv.line);
        if (well_formed(sheet, k))
            row(k, sheet);
        if (k->failed)
            return k->failed;
    }
}

orr_err orr_sheet_read(orr_sheet *sheet, orr_intake *k, void (*row)(orr_intake *k, orr_sheet *sheet))
{
    orr_csv_init(&sheet->csv, k->in);
    orr_err err = read_header(sheet, k);
    if (!err)
        err = read_rows(sheet, k, row);
    orr_csv_fini(&sheet->csv);
    k->failed = err;
    return err;
}
